# openhands - OpenHands: events of version 0 (action and observation, paired by
# cause or by the id of the call), of the SDK (kind ...Event, paired by
# tool_call_id), as lines, arrays, or a "history" in an output line.
# units: values

def v0_name: (.tool_call_metadata | o | .function_name | s) // ({run: "bash", run_ipython: "ipython", read: "read", write: "write", edit: "edit", browse: "browse", browse_interactive: "browser", call_tool_mcp: "mcp"}[.action | tostring] // (.action | s));

# The arguments the model wrote, when the event keeps its answer.
def written($id): [.tool_call_metadata | o | .model_response | o | .choices | arr | obj | .message | o | .tool_calls | arr | obj | select(.id == $id) | .function | o | .arguments] | first;
def args_of: (.args | if type == "object" then . else null end) // (. | del(.action, .thought, .keep_prompt, .action_risk, ._line, .id, .source, .timestamp, .message, .timeout, .cause));
def clean: with_entries(select(.value != null and .value != "" and (.key | IN(["thought", "translated_ipython_code", "impl_source", "blocking", "is_static", "is_input", "hidden", "confirmation_state", "security_risk", "keep_prompt", "wait_for_response", "image_urls", "images_urls"][]) | not)));

def is_call: .action | IN(["message", "finish", "reject", "change_agent_state", "null", "delegate", "system", "recall", "think", "agent_state_changed", "condensation", "task_tracking_note"][]) | not;

def v0_action: ._line as $line
  | (if .source == "user" or (.action == "message" and (.source | . == null) and .wait_for_response == false and (.content | type) == "string") then
      {role: "user", content: ((.args | o | .content) // .content // .message | asis // "")}
    elif .action == "system" then {role: "system", content: ((.args | o | .content) // .message | asis // "")}
    elif .action == "message" or .action == "think" then
      {role: "assistant", content: ((.args | o | .content // .thought) // .content // .thought // .message | asis // "")}
    elif .action == "finish" then
      {role: "assistant", content: ([(.args | o | .final_thought), (.args | o | .thought), .thought, .message | strings | select(. != "")] | first // "")}
    elif is_call then
      (.tool_call_metadata | o | .tool_call_id | s) as $id
      | (if $id == null then null else written($id) end) as $text
      | {role: "assistant", content: (((.args | o | .thought) // .thought // "") | if . == "" then null else asis end),
         tool_calls: [call($id // (.id | if . == null then null else "event_\(.)" end); v0_name; ($text // (args_of | clean)))],
         meta: {model: ((.tool_call_metadata | o | .model_response | o | .model | s) // null)}}
    elif .action | IN(["change_agent_state", "null", "agent_state_changed", "recall"][]) then empty
    else left("action \(.action)") end)
  | on($line);

def v0_observation: ._line as $line
  | (if (.observation | IN(["agent_state_changed", "null", "condense", "system"][])) then empty
    elif (.observation | IN(["recall", "message", "chat"][])) then left("observation \(.observation)")
    elif .observation == "error" and (.cause == null and (.tool_call_metadata | type) != "object") then
      {type: "error", stage: "import", code: "server", message: (.content // .message | asis // "error"), retryable: false}
        else
      ((.extras | o | .metadata | o | .exit_code | numbers) // (.extras | o | .exit_code | numbers) // (.exit_code | numbers) // null) as $exit
      | result((.tool_call_metadata | o | .tool_call_id | s) // (if .cause == null then null else "event_\(.cause)" end); (.content // .message))
        + {is_error: (.observation == "error" or .observation == "user_rejected" or ($exit != null and $exit != 0 and $exit != -1)), meta: {exit: $exit,
           mutated: (if (.observation | IN("edit", "write")) and (.extras | o | .path | type) == "string" then [{path: .extras.path} + (if (.extras.new_content | type) == "string" then {text: .extras.new_content} else {} end)] else null end)}}
    end)
  | on($line);

def sdk: ._line as $line
  | (if .kind == "SystemPromptEvent" then {role: "system", content: ([.system_prompt, .dynamic_context] | text // "")}
    elif .kind == "MessageEvent" then
      (.llm_message | o) as $m
      | if $m.role == "assistant" or .source == "agent" then {role: "assistant", content: ($m.content | content), reasoning: ($m.reasoning_content | s)}
        else {role: "user", content: ([($m.content | if type == "array" then .[] else . end), (.extended_content | arr)] | content // "")} end
    elif .kind == "ActionEvent" then
      {role: "assistant", content: (.thought | content), reasoning: (.reasoning_content | s), group: (.llm_response_id | s),
        tool_calls: [call(.tool_call_id; .tool_name; ((.tool_call | o | .arguments // (.function | o | .arguments)) // (.action | if type == "object" then del(.kind) | clean else . end)))]}
    elif (.kind | IN(["ObservationEvent", "UserRejectObservation", "AgentErrorEvent"][])) then
      (.observation | o) as $o | [.extended_content | arr] as $more
      | (($o.exit_code | numbers) // ($o.metadata | o | .exit_code | numbers) // null) as $exit
      | result(.tool_call_id; ($o.content // $o.output // $o.text // .error // .rejection_reason // .observation)
          | if (type == "array" and $more != []) then . + $more elif $more != [] then [.] + $more else . end)
        + {is_error: ($o.is_error == true or ($o.error | type == "string") or .kind == "AgentErrorEvent" or ($exit != null and $exit > 0)), meta: {exit: $exit,
           mutated: (if ($o.path | type) == "string" and ($o.new_content | type) == "string" then [{path: $o.path, text: $o.new_content}] else null end)}}
    elif .kind == "Condensation" or .kind == "CondensationEvent" then
      {type: "compaction", stage: "import"}, (.summary | str | {role: "user", content: ., meta: {by: "context"}})
    elif .kind == "ConversationErrorEvent" then {type: "error", stage: "provider", code: "server", message: (.detail // .code | asis // "error"), retryable: false}
    elif .kind | IN(["ConversationStateUpdateEvent", "PauseEvent", "InterruptEvent", "HookExecutionEvent", "TokenEvent", "LLMCompletionLogEvent", "CondensationRequest", "StreamingDeltaEvent"][]) then empty
    else left("kind \(.kind)") end)
  | on($line);

def event: if type == "array" then .[] | obj | event
  elif type != "object" then empty
  elif (.kind | type) == "string" then sdk
  elif (.role | type) == "string" then {role, content: (.content | content), tool_calls: ([.tool_calls | arr | obj | call(.id; (.function | o | .name); (.function | o | .arguments))] | calls), tool_call_id: (.tool_call_id | s), _line}
  elif (.observation | type) == "string" then v0_observation
  elif (.action | type) == "string" then v0_action
  else left("event without action, observation or kind") end;

# Calls that one answer made are events of their own: one message again.
def together(f): foreach (f, null) as $r ({held: null};
    .out = []
    | if $r == null then .out = [.held | select(. != null)]
      elif .held != null and $r.group != null and .held.group == $r.group then .held.tool_calls += $r.tool_calls
      elif ($r.group | type) == "string" then .out = [.held | select(. != null)] | .held = $r
      elif .held != null then .out = [.held, $r] | .held = null
      else .out = [$r] end;
    .out[] | del(.group));

def head: {type: "hamr", v: 1, session: (.instance_id // .session_id // .id | s), created: (.timestamp | time), cwd: null, _line};

# An observation names the action that caused it; some actions go by the id of
# their call.
def events: if type == "object" and (.history | type) == "array" then .history[] elif type == "array" then .[] else . end;
def called: reduce (events | obj | select((.action | type) == "string")) as $e ({};
    ($e | .tool_call_metadata | o | .tool_call_id | s) as $id | if $id != null then ."\($e.id)" = $id else . end);
def linked($ids): if type == "object" and (.observation | type) == "string" and .cause != null and (.tool_call_metadata | type) != "object"
    then $ids["\(.cause)"] as $id | if $id != null then .tool_call_metadata = {tool_call_id: $id} else . end else . end;

foreach ((., inputs) | select(type == "object" or type == "array")) as $u ({begun: false, ids: {}};
  (($u | type) == "object" and ($u.history | type) == "array") as $doc
  | .head = ($doc or (.begun | not)) | .begun = (($doc | not)) | .u = $u
  | .ids = (if $doc then {} else .ids end) + ($u | called);
  (if .head then .u | (if type == "array" then (.[0] | obj | {timestamp, _line}) // {} else . end) | (if .history then . else del(.id) end) | head else empty end),
  (.ids as $ids | .u | together(events | linked($ids) | event)))

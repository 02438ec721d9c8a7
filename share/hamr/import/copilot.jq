# copilot - events.jsonl of the GitHub Copilot CLI.
# units: lines

def requests: [.toolRequests | arr | obj | call(.toolCallId // .id; .name // .toolName; .arguments)] | calls;
def what: if type == "object" then (.content // .detailedContent // .textResultForLlm // .error // .) else . end | if type == "object" then (.message // tojson) else . end;

# What says nothing to the model, or what another event says too.
def silent: type == "string" and test("^(session|hook|subagent|abort|permission)([.]|$)|^assistant[.](turn_start|turn_end|intent|usage|message_delta|streaming_delta)|^tool[.](execution_start|execution_partial_result|execution_progress|user_requested)");

def event: ._line as $line | (.data | o) as $d
| (if .type == "session.start" then
    {type: "hamr", v: 1, session: ($d.sessionId | s), cwd: (($d.context | o | .cwd | s) // null),
     created: ($d.startTime // .timestamp | time), model: (($d.selectedModel // $d.model) | s)}
  elif .type == "user.message" then {role: "user", content: ($d.content | content // "")}
  elif .type == "system.notification" then {role: "user", content: ($d.content | content // ""), meta: {by: "context"}}
  elif .type == "system.message" then {role: "system", content: ($d.content | content // "")}
  elif .type == "assistant.message" then
    {role: "assistant", content: ($d.content | content | if . == "" then null else . end), reasoning: (($d.reasoningText // $d.reasoning) | s), tool_calls: ($d | requests), meta: {model: ($d.model | s)}}
  elif .type == "tool.execution_complete" then
    result($d.toolCallId; (($d.result // $d.error) | what)) + {is_error: ($d.success == false)}
  elif .type == "session.compaction_complete" and $d.success != false then
    {type: "compaction", stage: "import", tokens_before: ($d.preCompactionTokens | amount), tokens_after: ($d.postCompactionTokens | amount)},
    ($d.summaryContent | str | {role: "user", content: ., meta: {by: "context"}})
  elif .type == "session.error" then {type: "error", stage: "provider", code: "server", message: ($d.message | asis // "error"), retryable: false}
  elif .type | silent then empty
  else left_type end)
| on($line);

# What an agent said that a call started stands between, with the call's id.
def side: o | .data | o | .parentToolCallId | s;
foreach ((., inputs | obj), null) as $l ({sides: []};
  if $sidechains and ($l | side) != null then .sides += [$l] else . end;
  if $l == null then .sides | group_by(side) | sort_by(.[0]._line)[]
      | {type: "hamr", v: 1, session: (.[0] | side), model: ([.[].data.model | strings] | first), _line: .[0]._line}, (.[] | event)
  elif ($l | side) == null then $l | event
  elif $sidechains then empty
  else $l | event | left("side conversation, see import.sidechains") end)

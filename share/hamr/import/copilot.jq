# copilot - events.jsonl of the GitHub Copilot CLI.
# units: lines

def requests: [.toolRequests | arr | obj | call(.toolCallId // .id; .name // .toolName; .arguments)] | calls;
def what: if type == "object" then (.content // .detailedContent // .textResultForLlm // .error // .) else . end | if type == "object" then (.message // tojson) else . end;

# What says nothing to the model, or what another event says too.
def silent: type == "string" and test("^(session|hook|subagent|abort|permission)([.]|$)|^assistant[.](turn_start|turn_end|intent|usage|message_delta|streaming_delta)|^tool[.](execution_start|execution_partial_result|execution_progress|user_requested)");

(., inputs) | obj | ._line as $line | (.data | o) as $d
| (if .type == "session.start" then
    {type: "hamr", v: 1, session: ($d.sessionId | s), cwd: (($d.context | o | .cwd | s) // null),
     created: ($d.startTime // .timestamp | time), model: (($d.selectedModel // $d.model) | s)}
  elif .type == "user.message" then {role: "user", content: ($d.content | content // "")}
  elif .type == "system.message" then {role: "system", content: ($d.content | content // "")}
  elif .type == "assistant.message" then
    {role: "assistant", content: ($d.content | content | if . == "" then null else . end), reasoning: (($d.reasoningText // $d.reasoning) | s), tool_calls: ($d | requests), meta: {model: ($d.model | s)}}
  elif .type == "tool.execution_complete" then
    result($d.toolCallId; (($d.result // $d.error) | what)) + {is_error: ($d.success == false)}
  elif .type == "session.compaction_complete" then {type: "compaction", stage: "import"}
  elif .type == "session.error" then {type: "error", stage: "provider", code: "server", message: ($d.message | asis // "error"), retryable: false}
  elif .type | silent then empty
  else left_type end)
| on($line)

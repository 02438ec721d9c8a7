# A session as the chat completions API has it: {"tools","messages"}.
#
# An export program is given null and then, as `inputs`, the records of a
# session.  A string that it makes is written as it is, anything else as a
# line of JSON.

[foreach inputs as $r (null;
  if $r.role == null and $r.type == "tools" then {tools: $r.tools}
  elif ($r.role | IN("system", "developer", "user", "assistant", "tool")) then
    reduce ("role", "content", "tool_calls", "tool_call_id", "name") as $key ({};
      if $r | has($key) then .[$key] = $r[$key] else . end)
  else empty end)]
| map(select(has("role"))) as $messages
| (map(select(has("role") | not)) | last // {}) + {messages: $messages}

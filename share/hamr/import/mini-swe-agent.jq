# mini-swe-agent - trajectories: {info, messages, trajectory_format}, or a bare
# array of messages.  A command stands in a fenced block of the answer, or
# under "extra"; what it gave is a user message, here the call's result.
# units: values

def fenced: [match("```(?:mswea_bash_command|bash|sh)\\s*\n((?:.|\n)*?)\n?```"; "g") | .captures[0].string];
def actions($text):
  if (.tool_calls | type) == "array" then [.tool_calls[] | obj | call(.id; (.function | o | .name); (.function | o | .arguments))]
  elif (.extra | o | .actions | type) == "array" then [.extra.actions[] | if type == "object" then call(.tool_call_id; "bash"; {command: (.command // .action)}) else call(null; "bash"; {command: .}) end]
  else ($text | fenced) as $f | if ($f | length) == 1 then [call(null; "bash"; {command: $f[0]})] else [] end end;
def exit_of($text): ((.extra | o | .returncode | numbers) // ($text | try (capture("<returncode>(?<n>-?[0-9]+)</returncode>") | .n | tonumber) catch null)) // null;

# An answer of the Responses API is kept as it came.
def answered: if .object == "response" then [.output | arr | obj] as $items
    | . + {role: "assistant", content: [$items[] | select(.type == "message") | .content | arr],
      reasoning_content: ([$items[] | select(.type == "reasoning") | .summary, .content | arr | obj | .text | str] | if length == 0 then null else join("\n") end),
      tool_calls: [$items[] | select(.type == "function_call") | {id: (.call_id // .id), function: {name, arguments}}]}
  else . end;

def messages: foreach (arr | obj | answered) as $m ({open: 0, said: false};
    .out = null | ($m.content | text // "") as $text
    | if $m.role == "assistant" then
        ($m | actions($text)) as $calls | .open = ($calls | length)
        | .out = {role: "assistant", content: ($m.content | content), reasoning: ($m.reasoning_content | s), tool_calls: ($calls | calls)}
      elif $m.role == "tool" or $m.type == "function_call_output" or ($m.role == "user" and .open > 0) then
        ($m | exit_of($text)) as $exit
        | (if .open > 0 then .open -= 1 else . end)
        | .out = result(($m.tool_call_id // $m.call_id | s); ($m.content // $m.output)) + {is_error: ($exit != null and $exit != 0), meta: {exit: $exit}}
      elif $m.role == "user" then
        .out = {role: "user", content: ($m.content | content // ""), meta: (if .said then {by: "context"} else null end)} | .said = true
      elif $m.role == "system" then .out = {role: "system", content: ($m.content | content // "")}
      elif $m.role == "exit" then .out = null
      else .out = left("role \($m.role)") end;
    .out | select(. != null) | on($m._line));

if type == "array" then
  (if any(.[]; type == "object" and (.messages | type) == "array") then .[] | obj else {messages: .} end)
else obj end
| {type: "hamr", v: 1, session: (.instance_id | s), model: ((.info | o | .config | o | .model | o | .model_name | s) // null), cwd: null, _line: (._line // 1)},
  (.messages | messages)

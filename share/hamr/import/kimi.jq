# kimi - sessions of kimi-cli: context.jsonl (what the model sees: OpenAI's
# messages and a few of its own) or wire.jsonl (what happened, in pieces).
# units: lines

def harness: type == "string" and test("^\\s*<(system-reminder|system|notification)");
def error_text: type == "string" and test("^<system>ERROR");

def context: ._line as $line
  | (if .role == "_system_prompt" or .role == "system" then {role: "system", content: (.content | content // "")}
    elif .role == "assistant" then
      {role: "assistant", content: (.content | content), reasoning: ((.content | thoughts) // (.reasoning_content | s)),
        tool_calls: ([.tool_calls | arr | obj | call(.id; (.function | o | .name); (.function | o | .arguments))] | calls)}
    elif .role == "tool" then result(.tool_call_id; .content) + {is_error: (.content | text | error_text)}
    elif .role == "user" then {role: "user", content: (.content | content // ""), meta: (if .content | text | harness then {by: "context"} else null end)}
    elif .role == "_compaction" then {type: "compaction", stage: "import"}
    else empty end)
  | on($line);

def fresh: {text: [], think: [], calls: [], line: null};
def said: select(.line != null) | {role: "assistant", content: (.text | if length == 0 then null else join("") end),
    reasoning: (.think | if length == 0 then null else join("") end), tool_calls: (.calls | calls), _line: .line};
def returned: (.return_value // .result) as $r | if ($r | type) != "object" then {content: $r, is_error: false, mutated: null} else
    {content: ([($r.output | text), (if $r.is_error == true or ($r.output | text // "") == "" then $r.message else null end) | strings | select(. != "")] | join("\n")),
     is_error: ($r.is_error == true),
     mutated: ([$r.display | arr | obj | select(.type == "diff" and (.path | type) == "string") | {path}] | unique | if length == 0 then null else . end)} end;

foreach ((., inputs), null) as $l ({now: fresh, begun: false};
  .out = []
  | ($l | if type == "object" then ._line else null end) as $n
  | ($l | if type == "object" then (.message | if type == "object" and has("type") then . else null end) else null end) as $m
  | if $l == null then .out = [.now | said]
    elif ($l | type) == "object" and $m == null then .out = [$l | select((.role | type) == "string") | context]
    elif $m == null then .
    elif $m.type == "TurnBegin" then .out = [.now | said] + [{role: "user", content: ($m.payload.user_input | content // ""), _line: $n}] | .now = fresh
    elif $m.type == "StepBegin" then .out = [.now | said] | .now = fresh
    elif $m.type == "ContentPart" then .now.line = (.now.line // $n)
      | (if $m.payload.type == "think" then .now.think += [$m.payload.think | str] else .now.text += [$m.payload.text | str] end)
    elif $m.type == "ToolCall" then .now.line = (.now.line // $n) | .now.calls += [$m.payload | obj | call(.id; (.function | o | .name); (.function | o | .arguments))]
    elif $m.type == "ToolCallPart" and (.now.calls | length) > 0 then
      .now.calls[-1].function.arguments |= ((. // "") + ($m.payload.arguments_part | s // ""))
    elif $m.type == "ToolResult" then
      ($m.payload | returned) as $r
      | .out = [.now | said] + [result($m.payload.tool_call_id; $r.content) + {is_error: $r.is_error, meta: {mutated: (if $r.is_error then null else $r.mutated end)}, _line: $n}] | .now = fresh
    elif $m.type == "CompactionEnd" then .out = [.now | said] + [{type: "compaction", stage: "import", _line: $n}] | .now = fresh
    else . end;
  .out[])

# swe-agent - trajectories of SWE-agent (.traj: function calls, or a thought
# and an action in text) and of SWE-smith (calls as XML in the answers).
# Observations are user messages in most of them; here they answer the call.
# units: elements

# An action in text is a command of SWE-agent's shell; those that change files
# keep their own name.
def action:
  (split("\n")[0] | split(" ")) as $w
  | if ($w[0] | IN(["edit", "create", "insert", "append"][])) then call(null; $w[0]; {command: .})
    elif $w[0] == "str_replace_editor" then call(null; $w[0]; {command: ($w[1] // ""), path: ($w[2] // ""), text: .})
    else call(null; "bash"; {command: .}) end;

def xml_calls: [splits("<function=")][1:] | map(
    (index(">")) as $gt | select($gt != null)
    | .[:$gt] as $name | split("</function>")[0]
    | [splits("<parameter=")][1:]
    | map((split(">")[0]) as $k | {key: $k, value: (.[($k | length) + 1:] | split("</parameter>")[0])})
    | call(null; $name; from_entries));

def observation: text // "" | ltrimstr("OBSERVATION:\n");

# What an answer calls: as calls, as an action, or as XML.
def made($text):
  if (.tool_calls | type) == "array" then [.tool_calls[] | obj | call(.id; (.function | o | .name); (.function | o | .arguments))]
  elif (.action | type) == "string" then (if (.action | test("^\\s*$")) then [] else [.action | action] end)
  elif ($text | test("<function=")) then $text | xml_calls
  else [] end;

def messages: foreach (arr | obj) as $m ({open: 0, said: false};
    .out = null
    | ($m.content | text // "") as $text
    | if $m.role == "assistant" then
        ($m | made($text)) as $calls
        | .open = ($calls | length)
        | .out = {role: "assistant", content: ($m.thought // $m.content | text | if . != null and $m.tool_calls == null then split("<function=")[0] else . end),
            reasoning: (($m.thinking_blocks | thoughts) // ($m.reasoning_content | s)), tool_calls: ($calls | calls)}
      elif $m.role == "tool" then
        .open = 0
        | .out = result($m.tool_call_ids[0]? // $m.tool_call_id; ($m.content | observation))
      elif $m.role == "user" and .open > 0 then
        .open -= 1
        | .out = result(null; ($m.content | observation))
      elif $m.role == "user" then
        .out = {role: "user", content: ($m.content | content // ""), meta: (if .said or $m.is_demo == true then {by: "context"} else null end)}
        | .said = (.said or $m.is_demo != true)
      elif $m.role == "system" then .out = {role: "system", content: ($m.content | content)}
      else .out = left("role \($m.role)") end;
    .out | select(. != null) | on($m._line));

# Without a history there are the steps.
def steps: .[] | obj | ._line as $line
  | ({role: "assistant", content: (.thought // .response | s),
      tool_calls: ((.action | s // "") | if test("^\\s*$") then null else [action] end)} | on($line)),
    (if (.action | s // "") | test("^\\s*$") then empty else result(null; (.observation | s // "")) | on($line) end);

if type == "array" then .[] else . end
| obj
| {type: "hamr", v: 1, session: ([.instance_id, .environment | strings] | first),
   model: ((.replay_config | if type == "string" then (try fromjson catch null) else . end | o | .agent | o | .model | o | .name | s) // null), _line},
  (if (.history | type) == "array" and (.history | length) > 0 then .history | messages
   elif (.messages | type) == "array" then .messages | messages
   else .trajectory | if type == "array" then steps else empty end end)

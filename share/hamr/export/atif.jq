# A session as a trajectory of ATIF 1.2: one step a message, results with the
# calls they answer.

# The text of a content, a string or parts; "" when it has none.
def text:
  if type == "string" then .
  elif type == "array" then
    [.[] | if type == "object" then .text else . end | strings] | add // ""
  else "" end;

def integer($key): if .[$key] | type == "number" and floor == . then {($key): .[$key]} else {} end;

# Arguments are an object there, byte for byte: see cmd/hamr-loop/show/export.h.
# What is none is carried as text.
def arguments: {"$json": .};

def call:
  {tool_call_id: ((.id | strings) // ""), function_name: ((.function | objects | .name | strings) // ""),
   arguments: (((.function | objects | .arguments | strings) // "") | arguments)};

def source:
  {system: "system", developer: "system", user: "user", assistant: "agent"}[(.role | strings) // ""];

def metrics:
  integer("prompt_tokens") + integer("completion_tokens") + integer("cached_tokens")
  + if .cost | type == "number" then {cost_usd: .cost} else {} end;

def step($n; $usage):
  {step_id: $n, source: source, message: (.content | text)}
  + if .role != "assistant" then {}
    else (if .reasoning | type == "string" then {reasoning_content: .reasoning} else {} end)
      + ([.tool_calls | arrays | .[] | objects | call]
         | if length > 0 then {tool_calls: .} else {} end)
      + (if $usage then {metrics: $usage} else {} end) end;

[foreach (inputs, {"end": true}) as $r ({n: 0};
  .out = null
  | if $r.role == "tool" then
      if .step then
        (($r.tool_call_id | strings) // "") as $id
        | .results += [{source_call_id: $id, content: ($r.content | text)}]
        | if $r.is_error == true then .failed += [$id] else . end
      else . end
    elif $r | source or $r["end"] then
      .out = (.step | if . then . else null end)
      | (if .out and .results then .out.observation = {results: .results} else . end)
      | (if .out and .failed then .out.extra = {failed_calls: .failed} else . end)
      | .results = null
      | .failed = null
      | if $r["end"] then .
        else .n += 1 | .n as $n | .usage as $usage | .step = ($r | step($n; $usage))
          | if $r.role == "assistant" then .usage = null else . end end
    elif $r.role == null and $r.type == "usage" then .usage = ($r | metrics)
    elif $r.role == null and $r.type == "hamr" then
      .out = {model: $r.model, id: (if .n == 0 then $r.session else null end)}
    else . end;
  .out // empty)]
| map(select(has("step_id") | not)) as $heads
| ($heads | map(.id | values) | if length > 0 then {session_id: last} else {} end)
  + {schema_version: "ATIF-v1.2",
     agent: ({name: "hamr", version: $version}
       + ($heads | last | .model | if type == "string" then {model_name: .} else {} end)),
     steps: map(select(has("step_id")))}

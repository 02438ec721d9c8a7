# openai - messages of the OpenAI Chat Completions API: an array of them, or
# documents or lines that hold them under "messages".
# units: elements

def results:
  if .role == "tool" or .role == "function"
  then result(.tool_call_id // .id; .content) + {is_error: (.is_error == true), meta}
  else empty end;

def message:
  obj | select((.role | type) == "string") | on(._line) as $m
  | if .role == "tool" or .role == "function" then results
    elif .role == "assistant" or .role == "model" then
      {role: "assistant", content: (.content | content),
        reasoning: (.reasoning_content // .reasoning // (.content | thoughts) | asis),
        tool_calls: ([(.tool_calls | arr | obj | call(.id; (.function | o | .name) // .name;
              (.function | o | .arguments) // .arguments // .input)),
            (.function_call | obj | call(null; .name; .arguments)),
            (.content | use_calls | arr)] | calls),
        finish_reason: (.finish_reason | finished),
        meta: (if (.meta | type) == "object" then .meta else {} end + {model: (.model | s)})}
    elif (.role == "user" or .role == "system" or .role == "developer") then
      (.content | use_results),
      (.content | use_rest | {role: "user", content: .}) + {role: (if .role == "user" then "user" else "system" end), meta}
    else empty end
  | . + {_line: $m._line};

def messages: .messages | arr | message;

def conversation:
  {type: "hamr", v: 1, _line,
    session: ([.id, .session_id, .conversation_id, .instance_id | strings] | first),
    cwd: (.cwd | s), model: (.model | s),
    created: ([.created, .created_at, .session_start, .timestamp | time | strings] | first)},
  (if (.tools | type) == "array" and (.tools | length) > 0 and all(.tools[]; type == "object" and (.function | type) == "object" and (.function.name | type) == "string" and (.function.parameters | type) == "object")
    then {type: "tools", tools: .tools, _line} else empty end),
  messages;

if type == "array" then (if any(.[]; obj | has("messages")) then .[] | obj | conversation else {type: "hamr", v: 1}, (.[] | message) end)
elif type != "object" then empty
elif (.messages | type) == "array" then conversation
else message end

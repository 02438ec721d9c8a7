# openai - messages of the OpenAI Chat Completions API: an array of them, or
# documents or lines that hold them under "messages"; samples of inspect, too.
# units: elements

def results:
  if .role == "tool" or .role == "function"
  then result(.tool_call_id // .id; if .content == null or .content == "" then (.error | o | .message) // .content else .content end)
    + {is_error: (.is_error == true or (.error | type) == "object"), meta}
  else empty end;

def message:
  on(._line) as $m
  | if (.role | type) != "string" then left("message without a role") elif .role == "tool" or .role == "function" then results
    elif .role == "assistant" or .role == "model" then
      {role: "assistant", content: (.content // (.refusal | s) | content),
        reasoning: (.reasoning_content // .reasoning // (.content | thoughts) | asis),
        tool_calls: ([(.tool_calls | arr | obj | call(.id; (.function | o | .name) // (.function | s) // .name;
              (.function | o | .arguments) // .arguments // .input)),
            (.function_call | obj | call(null; .name; .arguments)),
            (.content | use_calls | arr)] | calls),
        finish_reason: (.finish_reason | finished),
        meta: (if (.meta | type) == "object" then .meta else {} end + {model: (.model | s)})}
    elif (.role == "user" or .role == "system" or .role == "developer") then
      (.content | use_results),
      (.content | use_rest | {role: "user", content: .}) + {role: (if .role == "user" then "user" else "system" end), meta}
    else left("role \(.role)") end
  | . + {_line: $m._line};

def messages: .messages | arr | obj | message;

def conversation:
  {type: "hamr", v: 1, _line,
    session: ([.id, .uuid, .session_id, .conversation_id, .instance_id | strings] | first),
    cwd: (.cwd | s), model: (.model | s),
    created: ([.created, .created_at, .session_start, .timestamp | time | strings] | first)},
  (._line as $line | .tools | offered | on($line)),
  messages;

# A log of inspect: what was evaluated, and its samples, whose long strings and
# pictures stand beside their messages.
def attached: (.attachments | o) as $a
  | if $a == {} then . else .messages |= walk(if type == "string" and startswith("attachment://") then $a[.[13:]] // . else . end) end;
def samples: . as $log | (.samples | arr | obj)
  | attached + {model: ($log.eval | o | .model), created: ($log.eval | o | .created), _line: (._line // $log._line)} | conversation;

if type == "array" then (if any(.[]; obj | has("messages")) then .[] | obj | conversation else {type: "hamr", v: 1}, (.[] | obj | message) end)
elif type != "object" then empty
elif (.messages | type) == "array" then conversation
elif (.samples | type) == "array" then samples
else message end

# opencode - `opencode export`: {info, messages: [{info, parts}]}.  The files
# of its older storage are read too, all of a session one after the other.
# Call and result are one part.
# units: elements

def millis: if type == "number" then time else . end;
# A file that is an image is shown; of any other the text is a part of its own.
def file_part: if (.mime | type) == "string" and (.mime | startswith("image/")) and (.url | type) == "string" then image(.url)
  else {type: "text", text: "[file \(.filename | asis // "")]"} + (if (.source | o | .text) != null then {} else {_left: "part file"} end) end;
def tool_result: .state as $s
  | if ($s | type) != "object" then empty
    elif $s.status == "completed" then
      (($s.metadata | o | .exit | numbers) // null) as $exit
      | result(.callID; [($s.output | asis // ""), ($s.attachments | arr | obj | file_part | select(.type == "image_url"))])
        + {is_error: ($exit != null and $exit != 0), meta: {exit: $exit, mutated: (
        if (.tool | IN("write", "edit")) and ($s.input | type) == "object" and ($s.input.filePath | type) == "string"
        then [{path: $s.input.filePath} + (if .tool == "write" and ($s.input.content | type) == "string" then {text: $s.input.content} else {} end)] else null end)}}
    elif $s.status == "error" then
      result(.callID; ($s.metadata | o | select(.interrupted == true) | .output | strings) // ($s.error | asis // "")) + {is_error: true}
    else empty end;

# Parts that say nothing to the model.
def silent: .type | IN(["text", "reasoning", "tool", "file", "step-start", "step-finish", "snapshot", "patch", "compaction", "retry", "subtask"][]);

# An answer that failed, or was interrupted.
def failure: {type: "error", stage: "provider", code: ({"MessageAbortedError": "interrupted", "ContextOverflowError": "context_overflow"}[.name | tostring] // "server"),
  message: ((.data | o | .message | s) // (.name | s) // "no answer"), retryable: false};

def message: .info as $i | ._line as $line | [.parts | arr | obj] as $parts
  | if $i.role == "user" then
      (select(any($parts[]; .type == "compaction")) | {type: "compaction", stage: "import"} | on($line)),
      ({role: "user", content: (([$parts[] | if .type == "subtask" then .prompt elif .type == "text" and (.ignored | not) then .text else null end | str] | join("\n")) as $text
          | [$parts[] | select(.type == "file") | file_part | select(.type == "image_url" or ._left != null)]
          | if length == 0 then $text else [{type: "text", text: $text}] + . end),
        meta: (if ($parts | length) > 0 and all($parts[]; .synthetic == true) then {by: "context"} else null end)}
       | select(.content != "" or all($parts[]; .type != "compaction")) | on($line))
    elif $i.role == "assistant" then
      ($i.tokens | obj | {type: "usage", prompt_tokens: tokens(.input, (.cache | o | .read)), completion_tokens: tokens(.output, .reasoning),
        cached_tokens: tokens(.cache | o | .read), cost: ($i.cost | amount)} | on($line)),
      ({role: "assistant", content: ([$parts[] | select(.type == "text") | .text | str] | if length == 0 then null else join("\n") end),
        reasoning: ([$parts[] | select(.type == "reasoning") | .text | str] | if length == 0 then null else join("\n") end),
        tool_calls: ([$parts[] | select(.type == "tool") | call(.callID; .tool; (.state | o | if .status == "pending" and (.raw | s // "") != "" then .raw else .input // .raw end))] | calls),
        finish_reason: ($i.finish | finished), meta: {model: (($i.modelID // ($i.model | o | .modelID)) | s)}}
       | if $i.summary == true and .content != null and .tool_calls == null then {role: "user", content, meta: {by: "context"}} else . end
       | select(.content != null or .tool_calls != null or ($i.error | type) != "object") | on($line)),
      ($i.error | obj | failure | on($line)),
      ($parts[] | select(.type == "tool") | tool_result | on($line)),
      (if any($parts[]; .type == "compaction") then {type: "compaction", stage: "import"} | on($line) else empty end)
    else left("role \($i.role)") end,
    ($parts[] | select(silent | not) | left("part \(.type)"));

def conversation: (.info | o) as $i | {type: "hamr", v: 1, session: ($i.id | s), cwd: ($i.directory | s), created: (($i.time | o | .created | millis) // null),
     model: ([.messages[] | obj | .info | o | .modelID // (.model | o | .modelID) | strings] | first), _line},
  (.messages[] | obj | select(.info | type == "object") | message);

# Loose files: messages in the order of their time, each with its parts.
def loose: map(select(.role | type == "string")) as $m | map(select(.messageID | type == "string")) as $p
  | (map(select((.directory | type == "string") and (.role | not))) | .[0]) as $head
  | (if ($m | length) > 0 then $m else [$p | group_by(.messageID)[] | {id: .[0].messageID, role: "assistant", _line: .[0]._line}] end)
  | {info: ($head // {id: .[0].sessionID}), _line: (.[0]._line // 1),
     messages: (sort_by((.time | o | .created) // 0) | map(. as $i | {info: $i, _line: $i._line, parts: [$p[] | select(.messageID == $i.id)]}))};

[(., inputs) | if type == "array" then .[] else . end | obj] as $all
| ($all[] | select(.messages | type == "array") | conversation),
  ([$all[] | select((.messages | type) != "array")] | if any(.[]; .info | type == "object") then
      {info: {id: ([.[] | .info | o | .sessionID | strings] | first)}, messages: [.[] | select(.info | type == "object")], _line: (.[0]._line // 1)} | conversation
    elif length > 0 then loose | conversation else empty end)

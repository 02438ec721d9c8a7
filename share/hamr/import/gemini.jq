# gemini - chats of gemini-cli: one document, or lines that are operations on
# it ($set, $patch, $rewindTo; a message that comes again replaces the first).
# Call and result are in one record.  Checkpoints {history: [{role, parts}]}
# and bare arrays of these are read too.
# units: elements

# Plain messages: the last of each id, where the first stood.
def latest: [range(0; length) as $i | {i: $i, id: (.[$i].id | asis // "#\($i)"), m: .[$i]}]
  | group_by(.id) | map({i: .[0].i, m: .[-1].m}) | sort_by(.i) | map(.m);

def put($m): (($m.id | asis) // "#\(.order | length)") as $id
  | (if .by[$id] == null then .order += [$id] else . end) | .by[$id] = $m;
def all($list): ([$list | arr | obj] | latest | [range(0; length) as $i | {key: ((.[$i].id | asis) // "#\($i)"), value: .[$i]}]) as $e
  | .order = [$e[].key] | .by = ($e | from_entries);
def patch($p): ($p.id | asis // "") as $id | if .by[$id] == null then . else
    (if $p | has("content") then .by[$id].content = $p.content else . end)
    | reduce ($p.toolCalls | arr | obj) as $t (.; .by[$id].toolCalls |= (if type == "array" then map(if type == "object" and .id == $t.id then . + $t else . end) else . end)) end;

def step($r): ._line = (._line // $r._line)
  | if ($r["$set"] | type) == "object" then .head += $r["$set"] | (if ($r["$set"].messages | type) == "array" then all($r["$set"].messages) else . end)
    elif $r | has("$rewindTo") then
      (.order | index($r["$rewindTo"])) as $i
      | .order[($i // 0):] as $gone | .order = .order[:($i // 0)] | reduce $gone[] as $id (.; del(.by[$id]))
    elif ($r["$patch"] | type) == "object" then
      patch($r["$patch"]) | reduce ($r["$patch"].updates | arr | obj) as $p (.; patch($p))
      | reduce ($r["$patch"].removeIds | arr | str) as $id (.; .order -= [$id] | del(.by[$id]))
      | (if ($r["$patch"].orderIds | type) == "array" then . as $s | ([$r["$patch"].orderIds[] | str | select($s.by[.] != null)]) as $o | .order = (.order - $o) + $o else . end)
    elif ($r.history | type) == "array" then .head += ($r | del(.history)) | reduce ($r.history[] | obj) as $m (.; put($m))
    elif ($r.messages | type) == "array" then .head += ($r | del(.messages)) | all($r.messages)
    elif ($r | has("type")) or ($r | has("role")) then put($r)
    else .head += $r end;

def gemini_part: if type == "string" then {type: "text", text: .} elif type != "object" then empty
  elif .thought == true then empty
  elif (.inlineData | type) == "object" then image("data:\(.inlineData.mimeType // "image/png");base64,\(.inlineData.data | asis // "")")
  elif (.text | type) == "string" then {type: "text", text}
  elif has("functionCall") or has("functionResponse") then empty
  else (keys[0] // "without a kind") as $k | {type: "text", text: "[\($k)]", _left: "part \($k)"} end;
def gemini_content: if type == "string" then . elif type == "array" then [.[] | gemini_part]
    | if length == 0 then null elif all(.[]; .type == "text" and ._left == null) then map(.text) | join("") else . end
  elif type == "object" then [gemini_part] | .[0].text // null else null end;
def response: if type == "string" then . elif type == "object" then (.output // .error // .content // .result // .) | asis // "" else asis // "" end;

# The parts that answer a call: all, or what stands with the response to it.
def own($id): [arr | obj] | any(.[]; .functionResponse | o | .id == $id) as $named
  | [foreach .[] as $p (true; if $p | has("functionResponse") then ($named | not) or ($p.functionResponse | o | .id == $id) else . end; select(.) | $p)];
def answer: ([.[] | .functionResponse | obj | .response | response] | join("\n")) as $text
  | [.[] | ., (.functionResponse | o | .parts | arr) | gemini_part]
  | if length == 0 then $text else [{type: "text", text: $text} | select($text != "")] + . end;
def responded: result(.id; [{functionResponse: .}] | answer) + {is_error: (.response | type == "object" and has("error"))};

# What stands in a content alone, and not in a list of calls: their ids.
def alone($told; $kind): .content | arr | obj | .[$kind] | obj | select($told["\(.id)"] | not);
def usage: if type == "object" then {type: "usage", prompt_tokens: tokens(.input // .promptTokenCount), completion_tokens: tokens(.output // .candidatesTokenCount, .thoughts // .thoughtsTokenCount), cached_tokens: tokens(.cached // .cachedContentTokenCount)} else empty end;
def written: (.args | o) as $a
  | if ($a.file_path | type) != "string" then null
    elif .name == "write_file" and ($a.content | type) == "string" then [{path: $a.file_path, text: $a.content}]
    elif .name == "replace" then [{path: $a.file_path}] else null end;
def failed: (.status | IN(["error", "cancelled", "canceled"][]));

# A notice (an update, a warning) written between what the model said and the
# calls it made has parted them: the calls stand in a record without words.
def calling: [.toolCalls | arr | obj] | length > 0;
def wordless: .type == "gemini" and calling and ((.content | gemini_content) // "") == "";
# Notices on the screen.
def silent: .type | IN(["info", "warning", "about", "help", "stats", "model_stats", "tool_stats", "quit", "update", "success"][]);
def joined: reduce (.[] | select(silent | not)) as $m ([];
    if ($m | wordless) and length > 0 and (.[-1] | .type == "gemini" and (calling | not))
    then .[-1] |= . + {toolCalls: $m.toolCalls, thoughts: ([., $m | .thoughts | arr]), tokens: (.tokens // $m.tokens)}
    else .[length] = $m end);

def message($told): ._line as $line
  | if .type == "user" or (.role == "user" and (.parts | type) != "array") then
      (alone($told; "functionResponse") | responded),
      (.content // "" | gemini_content | select(. != null) | {role: "user", content: .})
    elif .type == "gemini" or .type == "assistant" or .type == "model" then
      (.tokens | usage),
      {role: "assistant", content: (.content | gemini_content | if . == "" then null else . end),
        reasoning: ([.thoughts | arr | obj | [.subject, .description, .text | str] | join(": ")] | if length == 0 then null else join("\n") end),
        tool_calls: ([(.toolCalls | arr | obj), alone($told; "functionCall") | call(.id; .name; .args)] | calls), meta: {model: (.model | s)}},
      (.toolCalls | arr | obj
        | if any(.result | arr | obj; .functionResponse | type == "object") then
            .id as $id | result($id; .result | own($id) | answer) + {is_error: failed, meta: {mutated: (if failed then null else written end)}}
          elif .result != null or (.status | IN(["success", "error", "cancelled"][])) then
            result(.id; (.result | gemini_content) // (.resultDisplay | s) // "") + {is_error: failed, meta: {mutated: (if failed then null else written end)}}
          else empty end)
    elif (.parts | type) == "array" then
      if .role == "user" then
        (.parts[] | obj | .functionResponse | obj | responded),
        (.parts | gemini_content | select(. != null) | {role: "user", content: .})
      else {role: "assistant", content: (.parts | gemini_content), reasoning: ([.parts[] | obj | select(.thought == true) | .text | str] | if length == 0 then null else join("\n") end),
        tool_calls: ([.parts[] | obj | .functionCall | obj | call(.id; .name; .args)] | calls)} end
    elif .type == "error" then {type: "error", stage: "provider", code: "server", message: (.content | gemini_content | s // "error"), retryable: false}
    else left_type end
  | . + {_line: $line};

def is_op: has("$set") or has("$rewindTo") or has("$patch") or (.history | type == "array") or (.messages | type == "array");

[(., inputs) | if type == "array" then .[] else . end | obj] as $all
| (if any($all[]; is_op) then reduce $all[] as $r ({head: {}, order: [], by: {}}; step($r)) | .by as $by | {head, _line, said: [.order[] | $by[.]]}
   else {head: ([$all[] | select((has("type") or has("role")) | not)] | add // {}), said: ([$all[] | select(has("type") or has("role"))] | latest)} end)
| (.said | joined) as $said
| {type: "hamr", v: 1, session: (.head.sessionId | s), cwd: ((.head.cwd | s) // (.head.directories | arr | str) // null),
   created: (.head.startTime // .head.start_time | time), model: ([$said[] | .model | strings] | first), _line: (._line // $all[0]._line // 1)},
  (set($said[] | .toolCalls | arr | obj | "\(.id)") as $told | $said[] | message($told))

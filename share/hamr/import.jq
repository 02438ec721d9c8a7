# What all importers share; hamr puts it before each program, on one line.
# So: no comment behind code, none in the middle of a line.
#
# An importer is given JSON values, one after the other (`.`, `input`,
# `inputs`) and makes records of hamr, see hamr-import(5).  Objects know the
# line of the source they began on: `_line`.

# An object, or nothing; an object, or an empty one (for conditions and where
# an object is made: nothing there makes nothing of the whole).
def o: if type == "object" then . else {} end;
def obj: if type == "object" then . else empty end;
def str: if type == "string" then . else empty end;
def s: if type == "string" then . else null end;
def arr: if type == "array" then .[] else empty end;

# A string as it is, anything else as JSON; null stays null.
def asis: if type == "string" or . == null then . else tojson end;

# An image by its data and type, or by its address.
def image($url): {type: "image_url", image_url: {url: $url}};

# What is left out is told, so that hamr counts it; without a word goes only
# what says the same again, or nothing of what was said.
def left($what): {_left: ($what | tostring)};
def left($what; $n): if $n > 0 then {_left: ($what | tostring), _n: $n} else empty end;
def left_type: left("type \(.type)");

# One part of a content: as hamr stores it, or empty.  Thoughts are none.
def words: {type: "text", text: .};
def part:
  if type == "string" then words
  elif . == null then empty
  elif type != "object" then tojson | words
  elif (.text | type) == "string" and (.type | IN([null, "text", "input_text", "output_text"][])) then .text | words
  elif .type == "image" and (.source | type) == "object" then
    .source | if (.data | type) == "string" then image("data:\(.media_type // "image/png");base64,\(.data)")
      elif (.url | type) == "string" then image(.url)
      else {type: "text", text: "[image \(.path // .file_id // "" | asis)]", _left: "part image"} end
  elif .type == "image" and (.data | type) == "string" then image("data:\(.mimeType // .mediaType // .media_type // "image/png");base64,\(.data)")
  elif .type == "image" and (.url // .image | type) == "string" then image(.url // .image)
  elif .type == "image" and (.image_urls | type) == "array" then image(.image_urls[] | strings)
  elif .type == "image_url" and (.image_url | type) == "object" then image(.image_url.url | strings)
  elif .type | IN(["image_url", "input_image"][]) then image(.image_url | strings)
  elif .type | IN(["think", "thinking", "redacted_thinking", "reasoning", "tool_use", "tool_call", "toolCall", "tool_result"][])
    then empty
  elif (.text // .refusal | type) == "string" then .text // .refusal | words
  elif (.content | type) == "string" then .content | words
  elif .type == null then (.result // .output | s) // (del(._line) | tojson) | words
  else {type: "text", text: "[\(.type)]", _left: "part \(.type)"} end;

# A content of several parts: a string when all of it is one text.
def content:
  if type == "string" or . == null then .
  elif type == "object" then [part] | if length == 0 then null elif .[0].type == "text" and .[0]._left == null then .[0].text else . end
  elif type == "array" then
    [.[] | part]
    | if length == 0 then null
      elif length == 1 and .[0].type == "text" and .[0]._left == null then .[0].text
      else . end
  else tojson end;

# The same, all text in one string.
def text: content | if type == "array" then [.[] | .text | strings] | join("\n") else . end;

# What a model thought, out of the parts of its message.
def thoughts: [arr | obj | select(.type | IN(["think", "thinking", "reasoning"][])) | (.thinking // .think // .text // .reasoning) | str]
  | if length == 0 then null else join("\n") end;

# Calls and results.  Arguments that are text stay that text.
def call($id; $name; $arguments): {id: $id, type: "function", function: {name: $name, arguments: ($arguments | asis)}};
def calls: if length > 0 then . else null end;
def result($id; $what): {role: "tool", tool_call_id: $id, content: ($what | content | . // "")};
def on($line): . + {_line: $line};

# The file that a call writes as a whole, to be told when it did.
def written($name; $args): ($args | if type == "string" then (try fromjson catch null) else . end | o) as $a
  | ($a.path // $a.file_path // $a.filePath // $a.absolute_path) as $path | ($a.content // $a.file_text) as $text
  | if ($name | IN(["write", "Write", "write_file", "WriteFile", "create", "create_file"][])) and ($path | type) == "string" and ($text | type) == "string"
      and $a.mode != "append" then [{path: $path, text: $text}] else null end;
def writes(f): reduce (f | select((.id | type) == "string")) as $c ({}; written($c.function.name; $c.function.arguments) as $w | if $w == null then . else .[$c.id] = $w end);

# The parts of an Anthropic message.
def use_calls: [arr | obj | select(.type == "tool_use") | call(.id; .name; .input)] | calls;
def use_results: arr | obj | select(.type == "tool_result")
  | result(.tool_use_id; .content) + {is_error: (.is_error == true)};
def use_rest: if type == "array" then [.[] | select((type == "object" and .type == "tool_result") | not)]
    | if length == 0 then empty else content end else content end;

# The tools that were offered, where all are as ours.
def offered: select(type == "array" and length > 0 and all(.[]; type == "object" and (.function | type) == "object"
    and (.function.name | type) == "string" and (.function.parameters | type) == "object")) | {type: "tools", tools: map(del(._line))};

# How an answer ended, in our words.
def finished: if . == null then null
  else {"end_turn": "stop", "stop": "stop", "stop_sequence": "stop", "tool_use": "tool_calls", "toolUse": "tool_calls",
    "tool_calls": "tool_calls", "function_call": "tool_calls", "max_tokens": "length", "length": "length",
    "MAX_TOKENS": "length", "STOP": "stop", "content_filter": "content_filter", "refusal": "content_filter",
    "error": "error", "aborted": "error"}[tostring] end;

def amount: if type == "number" and . >= 0 then . else null end;
# The sum of those that are one.
def tokens(f): [f | amount | values] | add // 0;

# A time of the source, text or a number since 1970 (seconds, or thousandths of
# them, of these, or of those), as hamr writes it; null when it is none, behind
# the year 9999, or of another zone.
def time: if type == "number" then
    (if . > 1e17 then . / 1e9 elif . > 1e14 then . / 1e6 elif . > 1e11 then . / 1e3 else . end)
    | if . >= 0 and . < 253402300800 then floor | todate else null end
  elif type == "string" then
    ([capture("^(?<d>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?<t>[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?)(Z|[+]00:?00)?$")] | .[0]
     | if . == null then null else "\(.d)T\(.t)Z" end)
  else null end;

# The content of a file after one replacement, or after all; null: not known.
def replaced($old; $new; $all):
  if type != "string" or ($old | type) != "string" or ($new | type) != "string" then null
  elif $old == "" then (if . == "" then $new else null end)
  else split($old) as $p
  | if ($p | length) < 2 then null
    elif $all then $p | join($new)
    else $p[0] + $new + ($p[1:] | join($old)) end end;

# Trees of entries {id, parent}: where the parent of each stands, the last of
# its name before it (logical: another name of it).  One whose parent is not in
# the file, or was never told, goes on with what was written before it (side:
# in its own conversation, by agent), but for a root.
# (A flat state: libjq 1.6 copies the `.a` of `.a[$i] = 1` whole.)
def parents($nodes):
  (reduce range(0; $nodes | length) as $i ({}; $nodes[$i].id as $id | if $id == null or has($id) then . else .[$id] = $i end)) as $at
  | [foreach range(0; $nodes | length) as $i ({};
      $nodes[$i] as $e | (if $e.side then "s\($e.agent)" else "main" end) as $before
      | .["=\($e.parent)"] as $near
      | (if $near != null then $near else [$at[$e.parent // ""], .["=\($e.logical)"], $at[$e.logical // ""]] | map(values) | .[0] end) as $up
      | (if $up == null and ($e.root | not) then .[$before] else $up end) as $up
      | .up = $up
      | (if $e.id == null then . else .["=\($e.id)"] = $i end)
      | (if $e.id == null and $e.says != true then . else .[$before] = $i end);
      .up)];
# The places of those between a leaf and its root, in their order in the file.
# Where an entry comes back, the walk ends.
def branch($up; $leaf): [limit(($up | length) + 1; $leaf | recurse($up[.] | values))] | unique;
def set(f): reduce f as $x ({}; .[$x] = true);

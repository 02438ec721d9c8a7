# A session as one self-contained page: what it came to, its files with their
# diffs, a timeline of steps with the tokens of each, calls folded and titled
# in words, verdicts highlighted.  No script, nothing fetched; what models and
# tools wrote is escaped and cannot become markup.  What steers a terminal or
# hides on a page is shown by hamr-loop, which writes the strings; of an array
# every second one is text, which it escapes, as that takes long here.

# Bytes of a call or of the task that are shown in a title.
def short: 120;

# ---- text ----

def html: @html;

# The text of a content, a string or parts; null when it has none.
def text:
  if type == "string" then .
  elif type == "array" then [.[] | if type == "object" then .text else . end | strings] | add
  else null end;

def raw($key): if has($key) then .[$key] | text // tojson else "" end;
def member($key): raw($key) | html;

# The first bytes, at most so many, of whole characters.
def cut($most): if utf8bytelength <= $most then . else .[0:$most] | until(utf8bytelength <= $most; .[:-1]) end;

def title_html: cut(short) as $k | ($k | html) + if $k == . then "" else "&hellip;" end;

# ---- numbers ----

def is_count: type == "number" and floor == . and . >= 0;
def count($key): .[$key] | if is_count then . else 0 end;

def grouped: tostring | if length <= 3 then . else (.[:-3] | grouped) + "," + .[-3:] end;

# With one digit behind the point.
def tenth: . * 10 | nearbyint | "\(. / 10 | floor).\(. % 10)";

def time:
  if . < 1000 then "\(.) ms"
  elif . < 60000 then "\(. / 1000 | tenth) s"
  else "\(. / 60000 | floor) min \(. % 60000 / 1000 | floor) s" end;

def plural($what): "\(grouped) \($what)\(if . == 1 then "" else "s" end)";

# ---- records ----

# Messages are known by their role, other records by their type.
def kind:
  {system: "system", developer: "system", user: "user", assistant: "assistant", tool: "tool"} as $roles
  | if .role | type == "string" then $roles[.role]
    elif .type | type == "string" and $roles[.] == null then .type else null end;

def by: (.meta | objects | .by | strings) // null;

def is_person:
  ((by // "user") | IN("user", "shell")) and (.content | text // "" | startswith("[hamr-guard]") | not);

# ---- calls ----

# Arguments as an object.
def arguments: (try fromjson catch null) | if type == "object" then . else {} end;

def first_of($keys): first((.[$keys[]] | strings), null);

def path($meta; $args): ($meta | first_of(["path"])) // ($args | first_of(["path", "file_path"]));

# What a call does, in words.
def words($meta; $args):
  .name as $name | .args as $raw | path($meta; $args) as $path
  | (if $name == "bash" then $args.command | strings | "run " + . else null end)
    // (if $name == "read" and ($args.query | type) == "string" then "search for \($args.query)\(if $path then " in " + $path else "" end)"
        elif $path == null then null
        elif $name == "read" and $meta.op == "list" then "list " + $path
        elif $name == "read" and ($meta.first | is_count) and ($meta.last | is_count) then "read \($path), lines \($meta.first) to \($meta.last)"
        elif $name == "edit" then "change " + $path
        elif $name == "write" then (if ($meta | has("sha256_before")) and $meta.sha256_before == null then "create " else "write " end) + $path
        elif $name == "view_image" then "look at " + $path
        elif $name == "read" then "read " + $path
        else null end)
    // (if $name == "search_memory" and ($args.query | type) == "string" then "search the memory for " + $args.query else null end)
    // ($args | first_of(["command", "pattern", "query", "url", "path", "file_path", "description"]) | values | $name + " " + .)
    // ($name + " " + $raw);

# How it went.
def outcome($meta):
  [($meta | if (.added | is_count) and (.removed | is_count) then "+\(.added) -\(.removed)" else empty end),
   ($meta.exit | if is_count and . > 0 then "exit \(.)" else empty end),
   ($meta.signal | if is_count then "signal \(.)" else empty end),
   ($meta.matches | if is_count then plural("match") | sub("matchs"; "matches") else empty end),
   ($meta.ms | if is_count then time else empty end)]
  | if length > 0 then " <small>\(join(", "))</small>" else "" end;

# What was replaced and by what, of another program's edit.
def span($class; $sign; $keys):
  first_of($keys) | strings | split("\n") | if .[-1] == "" then .[:-1] else . end
  | map($sign + . + "\n") | add // "" | "<span class=\"\($class)\">\(html)</span>";

# Its own diff, without the path that the title has.
def own_diff:
  [html | split("\n") | if .[0] // "" | startswith("--- ") then .[2:] else . end | .[] + "\n"
   | if startswith("+") then "<span class=\"add\">\(.)</span>"
     elif startswith("-") then "<span class=\"del\">\(.)</span>" else . end] | add // "";

# What a call changed, as markup.
def diff($meta; $args):
  if $meta.diff | type == "string" then $meta.diff | rtrimstr("\n") | own_diff
  elif .name == "edit" or .name == "write" then
    [$args | ., (.edits | arrays | .[] | objects)
     | span("del"; "-"; ["old", "old_text", "old_string", "oldText"]),
       span("add"; "+"; ["new", "new_text", "new_string", "newText", "content"])] | add // ""
  else "" end;

# The arguments that the diff does not show.
def in_diff: {edits: 1, content: 1, old: 1, old_text: 1, old_string: 1, oldText: 1, new: 1, new_text: 1, new_string: 1, newText: 1};

def shown($args):
  if $args == {} then .args
  elif ($args | length) == 1 and ($args.command | type) == "string" then $args.command
  else [$args | keys_unsorted[] as $key | select(in_diff[$key] | not)
        | $key, ": ", ($args[$key] | if type != "string" then tojson elif contains("\n") then "\n" + . else . end), "\n"]
    | add // "" end;

# The files that a call changed: a link to it each.
def files($meta; $path; $step; $id):
  if $meta.mutated | type == "array" then $meta.mutated[] | objects | .path else $path end
  | strings
  | {file: ., step: $step, id: $id,
     added: (if . == $meta.path then $meta | count("added") else 0 end),
     removed: (if . == $meta.path then $meta | count("removed") else 0 end)};

# The state changes by `. + {}`: an update by path takes ten times as long.
def result($r):
  (($r.tool_call_id | strings) // "") as $id
  | (.calls | map(.id == $id) | index(true)) as $i
  | (if $i then .calls[$i] else {name: (($r.name | strings) // "result"), args: ""} end) as $c
  | (.results + 1) as $n | .step as $step
  | (($r.meta | objects) // {}) as $meta
  | ($c.args | arguments) as $args
  | ($c | diff($meta; $args)) as $diff
  | (if $diff != "" and $r.is_error != true then path($meta; $args) else null end) as $changed
  | . + {results: $n, calls: (if $i then .calls[:$i] + .calls[$i + 1:] else .calls end),
      out: [["<details class=\"call\(if $r.is_error == true then " error" else "" end)\"><summary>\($c | words($meta; $args) | title_html)\(outcome($meta))</summary>\n<div id=\"call\($n)\">"
       + "<pre>", ($c | shown($args)), "</pre>\n\(if $diff != "" then "<pre>" + $diff + "</pre>\n" else "" end)<pre>", ($r | raw("content")), "</pre></div></details>\n"],
       files($meta; $changed; $step; $n)]};

# Calls that never got a result.
def unanswered:
  if .calls == [] then .
  else . + {results: (.results + (.calls | length)), calls: [],
      out: [.calls[] | ["<details class=\"call error\"><summary>\((.args | arguments) as $args | words({}; $args) | title_html) <small>no result</small></summary>\n<pre>", .args, "</pre></details>\n"]]}
  end;

def show($what): . + {out: (.out + [$what])};

# ---- what each record shows ----

def said($r; $class; $title):
  ($r | .role != "user" or by == "context") as $folded
  | unanswered
  | show(["<section class=\"\($class)\"><h2>\($title)</h2>\(if $folded then "<details><summary>text</summary>" else "" end)<pre>",
      ($r | raw("content")), "</pre>\(if $folded then "</details>" else "" end)</section>\n"]);

def user($r):
  if $r | is_person then said($r; "person"; "person")
  elif $r | by == "context" then said($r; "context"; "context")
  else said($r; "nudge"; if $r | by == "guard" then "guard" else "loop" end) end;

def assistant($r):
  unanswered
  | (.step + 1) as $step
  | . + {step: $step, tokens: 0, compacted: false,
      out: (.out + [["<section class=\"assistant\" id=\"step\($step)\"><h2>step \($step)</h2>\n",
        ($r.reasoning | if type == "string" and . != "" then "", "<details><summary>reasoning</summary><pre>", ., "</pre></details>\n" else empty end),
        ($r.content | if type == "string" and . != "" then "", "<pre>", ., "</pre>\n" else empty end), "", "</section>\n"],
        {tokens, compacted}]),
      model: (.model // ($r.meta | objects | .model) // null),
      calls: [$r.tool_calls | arrays | .[] | objects
        | {id: ((.id | strings) // ""), name: ((.function | objects | .name | strings) // ""),
           args: ((.function | objects | .arguments | strings) // "")}]};

# "type a b c" of a record that is not a message, and a text.
def event($r; $class; $keys; $body):
  show($r | "<div class=\"\($class)\">\(member("type"))"
    + ([$keys[] as $k | select(has($k)) | " " + member($k)] | add // "")
    + (if has($body) then "<pre>\(member($body))</pre>" else "" end) + "</div>\n");

def usage($r):
  . + {tokens: (if $r.prompt_tokens | is_count then $r.prompt_tokens else .tokens end),
    in: (.in + ($r | count("prompt_tokens"))), cached: (.cached + ($r | count("cached_tokens"))),
    written: (.written + ($r | count("completion_tokens"))),
    cost: (if $r.cost | type == "number" then (.cost // 0) + $r.cost else .cost end)};

def record($r):
  ($r | kind) as $kind
  | . + {out: []}
  | if $kind == "assistant" then assistant($r)
    elif $kind == "tool" then result($r)
    elif $kind == "usage" then usage($r)
    elif $kind == "user" then user($r)
      | if .task == null and ($r | is_person) then ($r.content | text // "") as $task | show({task: $task}) + {task: $task} else . end
    elif $kind == "system" then said($r; "context"; "system")
    elif $kind == "verdict" then
      event($r; "verdict" + ({halt: " halt", block: " block"}[($r.action | strings) // ""] // "");
        ["action", "rule", "count", "name"]; "message")
    elif $kind == "error" then event($r; "verdict block"; ["stage", "code"]; "message")
    elif $kind == "recovery" then event($r; "event"; ["scenario", "attempt"]; "")
    elif $kind == "compaction" then event($r; "event"; ["stage", "tokens_before", "tokens_after"]; "") + {compacted: true}
    elif $kind == "verification" then event($r; "event"; ["status", "command"]; "output")
    elif $kind == "end" then unanswered | event($r; "event"; ["status", "reason"]; "") | show({"end": $r})
      + {turns: (.turns + 1), ms: (.ms + ($r | count("ms")))}
    elif $kind == "hamr" then show({head: $r})
    else . end;

# ---- the top of the page ----

def style: ":root{color-scheme:light dark;--line:#8885;--soft:#8881;--bad:#c33;--good:#1a7f37;--warn:#b70;--bar:#47c}
@media(prefers-color-scheme:dark){:root{--bad:#f77;--good:#5c8;--warn:#fb5;--bar:#7ae}}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}
h1{font-size:1.3rem}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{opacity:.7}dd{margin:0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);padding:.6rem;margin:.4rem 0;font-size:13px;max-height:30rem;overflow:auto}
section{border-left:3px solid var(--line);padding-left:1rem;margin:1rem 0}
section.person{border-color:var(--bar)}section.assistant{border-color:#777}
section.nudge{border-color:var(--warn)}h2{font-size:.85rem;opacity:.7;margin:0}
details{margin:.3rem 0}summary{cursor:pointer;font-family:monospace;overflow-wrap:anywhere}small{opacity:.7}
.error>summary{color:var(--bad)}.event{font-size:.9rem;margin:.4rem 0;opacity:.85}
.verdict{background:color-mix(in srgb,var(--warn) 20%,transparent);padding:.3rem .6rem;margin:.4rem 0}
.halt,.block{background:color-mix(in srgb,var(--bad) 20%,transparent)}
.add{color:var(--good)}.del{color:var(--bad)}.files{padding-left:1.2rem}.files code{font-size:13px}.files a{white-space:nowrap}a{color:inherit}:target{outline:2px solid var(--bar)}
.chart{display:block;width:100%;height:9rem;background:var(--soft)}.chart rect{fill:var(--bar)}.chart .epoch{stroke:var(--bad);stroke-width:2;stroke-dasharray:4 3;vector-effect:non-scaling-stroke}
figure{margin:1rem 0}figcaption{font-size:.85rem;opacity:.7}
@media(max-width:600px){body{margin:1rem auto;padding:0 .6rem}section{padding-left:.6rem}}
";

def row($name): "<dt>\($name)</dt><dd>\(.)</dd>\n";

def fact($key; $shown):
  if . == null or .[$key] == null or .[$key] == "" then "" else member($key) | row($shown) end;

# What the whole session came to.
def totals:
  [(if .turns > 1 then .turns | grouped | row("turns") else "" end),
   (.step | grouped | row("steps")), (.results | grouped | row("calls")),
   (if .in + .written > 0 then
      "\(.in | grouped) in\(if .cached > 0 and .in > 0 then " (\(.cached / .in * 100 | floor) % cached)" else "" end), \(.written | grouped) out" | row("tokens")
    else "" end),
   (if .cost then "$\(.cost * 10000 | nearbyint / 10000)" | row("cost") else "" end),
   (if .ms > 0 then .ms | time | row("time") else "" end)] | add;

# Prompt tokens of each step, and where the context was compacted; of many
# steps the most of some at a time.
def chart:
  length as $steps
  | ($steps / 450 | ceil) as $some
  | [range(0; $steps; $some) as $i | .[$i:$i + $some]
     | {tokens: (map(.tokens) | max), compacted: any(.compacted), step: ($i + 1)}]
  | length as $n
  | (map(.tokens) | max // 0) as $most
  | if $most <= 0 then empty
    else (900 / $n) as $width
      | "<figure><svg class=\"chart\" viewBox=\"0 0 900 140\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"tokens of each request\">\n",
        (range($n) as $i | .[$i] | (.tokens / $most * 140) as $h | ($i * $width | tenth) as $x
         | (if .compacted then "<line class=\"epoch\" x1=\"\($x)\" y1=\"0\" x2=\"\($x)\" y2=\"140\"><title>compacted before step \(.step)</title></line>\n" else empty end),
           "<rect x=\"\($x)\" y=\"\(140 - $h | tenth)\" width=\"\(if $width > 2 then $width - 1 else $width end | tenth)\" height=\"\($h | tenth)\"><title>step \(.step): \(.tokens) tokens</title></rect>\n"),
        "</svg><figcaption>Tokens of each request, steps 1 to \($steps); \($most | grouped) at most\(if any(.[]; .compacted) then "; dashed lines: compacted" else "" end)</figcaption></figure>\n" end;

# Each file once, in the order of the first change.
def file_list:
  (to_entries | group_by(.value.file) | map({at: .[0].key, all: map(.value)}) | sort_by(.at)) as $files
  | if $files == [] then empty
    else "<h2>\($files | length | plural("file")) changed</h2>\n<ul class=\"files\">\n",
      ($files[] | .all as $all
       | ($all | map(.added) | add) as $added | ($all | map(.removed) | add) as $removed
       | "<li><code>\($all[0].file | html)</code>\(if $added + $removed > 0 then " <span class=\"add\">+\($added)</span> <span class=\"del\">-\($removed)</span>" else "" end)"
         + " step" + ([$all[] | " <a href=\"#call\(.id)\">\(.step)</a>"] | add) + "</li>\n"),
      "</ul>\n" end;

def top:
  (map(.task | values) | first // "a session") as $task
  | (map(.head | values) | first) as $head
  | (map(.["end"] | values) | last) as $last
  | "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\n<style>\n",
    style, "</style>\n<title>", ($task | cut(short) | html), "</title></head><body>\n<h1>",
    ($task | cut(4 * short) | html), "</h1>\n<dl>\n",
    ($last | fact("status"; "status"), fact("reason"; "reason")),
    (map(.totals | values) | last | totals),
    ({model: ($head.model // (map(.totals | values) | last | .model))} | fact("model"; "model")), ($head | fact("mode"; "mode")), ($last | fact("sandbox"; "sandbox")),
    ($head | fact("session"; "session"), fact("created"; "created")),
    "</dl>\n", (map(select(has("file"))) | file_list), (map(select(has("tokens"))) | chart);

def start: {calls: [], step: 0, results: 0, turns: 0, ms: 0, tokens: 0, in: 0, cached: 0, written: 0, compacted: false};

[foreach (inputs, null) as $r (start;
  if $r then record($r)
  else . + {out: []} | unanswered | show({totals: {step, results, turns, ms, in, cached, written, cost, model}}) end; .out[])]
| (map(objects) | top), (.[] | strings, arrays), "</body></html>\n"

# report.jq - hamr-compact --report=svg.  The input is an array of transcripts,
# as report_picture in hamr-compact writes them; the result is a document with a
# picture of each that needs nothing else (no script, no font, no link).

def left: 64;		# of a plot
def plot: 872;		# its width
def high: 130;		# its height

def text($x; $y; $class):
  "<text x=\"\($x)\" y=\"\($y)\" class=\"\($class)\">\(.)</text>\n";

def line($class; $x1; $x2; $y1; $y2; $inside):
  "<line class=\"\($class)\" x1=\"\($x1)\" x2=\"\($x2)\" y1=\"\($y1)\" y2=\"\($y2)\"\($inside)\n";

# The requests over the steps; $raw: their sizes without us.
def panel($y; $raw):
  (.steps | length) as $n | .top as $most | ($y + 22) as $top | ($top + high) as $foot
  | [range($n) | left + (plot * (. + 0.5) / $n | floor)] as $x
  | def y:
      if $most <= 0 then $foot elif . >= $most then $top
      else $foot - (high * . / $most | floor) end;
    def points: [.[][0] | y] as $y | [range($n) | "\($x[.]) \($y[.])"];
    # with gaps where there was no request
    def curve($class; $points):
      "<path class=\"\($class)\" d=\"",
      foreach .[][0] as $tokens ([-1, 0, 0]; [.[0] + 1, .[2], $tokens];
        if $tokens == 0 then empty else
          (if .[1] > 0 then "L" else "M" end) + $points[.[0]] end),
      "\"/>\n";
    def level($tokens; $class; $text):
      ($tokens | y) as $at
      | line($class; left; left + plot; $at; $at; "/>"),
        ($text | text(left - 6; $at + 4; "n"));
    (.window | text(left; $y + 12; "b")),
    ("\(.methods[0].name): mean \(.mean), largest \(.largest), fresh \(.methods[0].text), reuse \(.reuse) %, \(.epochs) epochs"
      + (.methods[0].edit | if . < 0 then "" else ", edit support \(. + 1e-9 | floor) %" end)
      + if .closed > 0 then ", no request at \(.closed) steps" else "" end
      | text(left + 160; $y + 12; "w")),
    level(0; "axis"; "0"),
    level($most; "room"; .top_text),
    if .high > 0 then level(.high; "mark"; .high_text) else empty end,
    if $n == 0 then empty else
      (.steps | points) as $ours
      | "<path class=\"area\" d=\"M\($x[0]) \($foot)L\($ours | join("L"))L\($x[-1]) \($foot)Z\"/>\n",
        ($raw | points as $points | curve("raw"; $points)),
        (.steps | curve("ours"; $ours)),
        (.steps as $s | range($n) | $s[.][1] as $mark | select($mark > 0)
          | line(if $mark > 1 then "closed" else "epoch" end; $x[.]; $x[.]; $top; $foot + 4;
            "><title>step \(. + 1): \(if $mark > 1 then "nothing fits" else "epoch" end)</title></line>")),
        ("step 1" | text(left; $foot + 16; "w")),
        ($n | text(left + plot; $foot + 16; "n"))
    end;

# Fresh tokens against edit support: every strategy and the rules, the best
# support first.
def frontier($y):
  (.methods | sort_by(-.edit)) as $all | ($y + 22) as $top
  | ([1, (.methods[] | select(.own or .drops) | .fresh)] | max) as $most
  | (10 * ([$all[-1].edit / 10 | floor, 9] | min)) as $least
  | ("edit support (up, \($least) to 100 %) against fresh tokens (right)"
      | text(left; $y + 12; "w")),
    "<path class=\"raw\" d=\"M\(left) \($top)V\($top + high)H\(left + plot)\"/>\n",
    # what is further right is shown at the edge
    foreach ($all[] | [left + (plot * 0.8 * ([.fresh / $most, 1] | min) | floor),
        $top + (high * (100 - .edit) / (100 - $least) | floor), .])
      as [$x, $at, $m] ($y + 6;
      # each name stands below the last one
      [$at + 4, . + 12] | max;
      "<path class=\"\(if $m.own then "own" else "rule" end)\" d=\"M\($x - 4) \($at)h8M\($x) \($at - 4)v8\"/>\n",
      (. as $y
        | "\($m.name): \($m.text), \($m.edit + 1e-9 | floor) %"
        | text($x + 8; $y; if $m.own then "b" else "w" end)));

def style:
"text{font:12px sans-serif;fill:#222}.h{font-size:15px;font-weight:bold}
.b{font-weight:bold}.n{text-anchor:end}.area{fill:#4a7fb5;opacity:.25}
.ours{fill:none;stroke:#245a94;stroke-width:1.5}
.raw{fill:none;stroke:#999;stroke-dasharray:2 2}.axis{stroke:#666}
.room{stroke:#b33}.mark{stroke:#c90;stroke-dasharray:6 4}
.own{stroke:#245a94;stroke-width:2}.rule{stroke:#b33;stroke-width:2}
.epoch{stroke:#2a8a3e}.closed{stroke:#d00;stroke-width:2}
";

# What stands below each other: its kind, its height, what it is about.
def pieces:
  .raw as $raw | ["title", 44, .], (.windows[]
    | ["panel", high + 58, ., $raw],
      # was there any edit to support?
      if .methods[0].edit < 0 then empty else ["frontier", high + 64, .] end),
  ["end", 0];

# [where the picture ends, the picture]
def picture($y):
  [foreach pieces as [$kind, $height, $it, $raw] ([$y, 0]; [add, $height];
    .[0] as $y | $it
    | if $kind == "title" then
        # of apostrophes only the number is known to HTML 4, too
        "\(.title | @html | split("&apos;") | join("&#39;")): \(.requests) requests, \(.messages) messages, \(.tokens) tokens"
        | text(16; $y + 24; "h")
      elif $kind == "panel" then panel($y; $raw)
      elif $kind == "frontier" then frontier($y)
      else $y end)]
  | [.[-1], (.[:-1] | add)];

# Each picture ends where the next one begins.
[foreach .[] as $transcript ([0]; .[0] as $y | $transcript | picture($y))]
| (.[-1][0] // 0) as $foot
| "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"960\" height=\"\($foot + 28)\" viewBox=\"0 0 960 \($foot + 28)\" role=\"img\">
<title>request size over the steps</title>
<style>\(style)</style>
<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>
\(map(.[1]) | add // "")"
  + ("blue: the requests; dotted: everything said so far; green: epochs; red: the room there is; orange: the high mark"
    | text(left; $foot + 14; "w"))
  + "</svg>\n"

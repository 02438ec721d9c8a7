#!/bin/bash
# report.t - --report: its figures, its rows, its chart, its picture
. "$(dirname "$0")/../lib.sh"

report() { hamr-compact --no-config --report "$@"; }
oracle() { python3 "$TOP/tests/compact/compact_oracle.py" "$@"; }
row() { grep "^$1" | sed "s/^$1 *//" | tr -s ' '; }
longest() { python3 -c 'import sys
print(max(len(x.rstrip("\n")) for x in sys.stdin))'; }
python3 "$TOP/tests/compact/compact_session.py" 40 made >s

# ---- the figures, against a count of our own ----

for w in 6000 12288 65536; do
	is "window $w: as the oracle counts" \
		"$(report --window $w s | row "hamr late" | cut -d ' ' -f 1-6)" \
		"$(oracle -f -w $w s)"
done
is "another strategy" "$(report --window 6000 --strategy light s |
	row "hamr light" | cut -d ' ' -f 1-6)" \
	"$(oracle -f -w 6000 --strategy light s)"
tau=$TOP/tests/data/compact/tau-7.ndjson
is "raw, likewise" "$(report --window 0 "$tau" | row raw |
	cut -d ' ' -f 1-6)" "$(oracle -f -w 0 --strategy none "$tau")"
for f in "$TOP"/tests/data/compact/tau-*.ndjson; do
	is "$(basename "$f"): as the oracle counts" \
		"$(report --window 12288 "$f" | row "hamr late" |
		cut -d ' ' -f 1-6)" "$(oracle -f -w 12288 "$f")"
done
is "without a window: five of them" \
	"$(report s | sed -n 's/^window .*(\(.*\)), room.*/\1/p' | paste -sd ' ')" \
	"12k 16k 32k 64k 128k"
is "beside each, the named rules" "$(report --window 12288 s |
	sed -n '/^hamr late/,/^every/p' | cut -c 1-15 | sed 's/ *$//')" \
	"hamr late
drop-oldest
raw
last-5 masking
10-turn masking
every_call"
match "and what the session is" "$(report --window 12288 s | head -n 2)" \
	"session made, some-model
45 requests, 91 messages, *k tokens"
is "in JSON, each by its key" "$(hamr-compact --no-config --report=json \
	--window 12288 s |
	jq -c '[.session, .model]' | sort -u)" '["made","some-model"]'

tokens() { row "hamr late" | cut -d ' ' -f 1 | sed 's/k$/ * 1000/'; }
ok "--family: counted as another model does" python3 -c "import sys
sys.exit(not abs(($(report --window 65536 --family claude2 s | tokens)) - (
    $(report --window 65536 s | tokens))) > 200)"

# ---- the rules, by hand ----

# six steps of one result each; the sixth edit needs the first result
python3 - >six <<'X'
import json
say = lambda **r: print(json.dumps(r))
say(role="user", content="first")
for i in range(1, 8):
    name, args = "read", {"path": "f%d" % i}
    if i == 7:
        name, args = "edit", {"path": "g", "old": "old text 1", "new": "n"}
    say(role="assistant", content="a%d" % i, tool_calls=[{"id": "c%d" % i,
        "type": "function", "function": {"name": name,
        "arguments": json.dumps(args)}}])
    say(role="tool", tool_call_id="c%d" % i, name=name,
        content="old text %d\n" % i + "x = 1;\n" * 100)
say(role="assistant", content="done")
X
report --window 65536 six >six.out
is "raw has it all" "$(row raw <six.out | cut -d ' ' -f 3,6-)" \
	"0 0 100 100 100 100 - 100"
is "of 7 results the 5 newest stay: the edit is not supported" \
	"$(row "last-5 masking" <six.out | cut -d ' ' -f 6-)" \
	"2 100 100 100 100 - 0"
is "of 7 steps all 10" "$(row "10-turn masking" <six.out | cut -d ' ' -f 6-)" \
	"0 100 100 100 100 - 100"
is "of 7 steps 3" "$(row every_call <six.out | cut -d ' ' -f 6-)" \
	"4 100 100 100 100 - 0"
is "ours did not compact" "$(row "hamr late" <six.out |
	cut -d ' ' -f 6-)" "0 100 100 100 100 - 100"
fresh=$(row raw <six.out | cut -d ' ' -f 4)
ok "masking costs more than it saves" python3 - "$fresh" \
	"$(row every_call <six.out | cut -d ' ' -f 4)" <<'X'
import sys
k = lambda s: float(s[:-1]) * 1000 if s.endswith("k") else float(s)
sys.exit(not k(sys.argv[1]) < k(sys.argv[2]))
X

python3 - >spelled <<'X'
import json
say = lambda **r: print(json.dumps(r))
say(type="hamr", v=1, session="s", cwd="/w")
say(role="user", content="first")
for i, path in enumerate(["a/g", "/w/a/g", "never"] + 60 * ["f"]):
    name = "edit" if i < 3 else "read"
    say(role="assistant", tool_calls=[{"id": "c%d" % i, "type": "function",
        "function": {"name": name, "arguments": json.dumps({"path": path})}}])
    say(role="tool", tool_call_id="c%d" % i, is_error=i == 2,
        content="x = 1;\n" * 200)
X
is "a path is one however it is spelled, if an edit did not fail" \
	"$(hamr-compact --no-config --report=json --window 12288 spelled |
	jq -c 'select(.method == "late") | .epochs > 0, .path[0] == .path[1]' |
	paste -sd ' ')" "true true"

# ---- what belongs to the run is left out ----

{
	sed -n 1,40p s
	echo '{"type":"compaction","epoch":1,"stage":"3","fold_to":"call_2","tail_from":"call_3","window":4096}'
	echo '{"type":"limit","context_tokens":4096,"source":"flag"}'
	echo '{"type":"compact"}'
	sed -n '41,$p' s
} >run
same "compactions, limits and demands of the run" \
	<(report run) <(report s)
(cat s; printf '%s\n' '{"type":"go","n":1}' '{"type":"x"}') >more
same "records that say nothing here" <(report more) <(report s)
same "from standard input" <(report <s) <(report s)

# ---- a window too small ----

report --window 200 s >small
match "where nothing fits, it is said" "$(grep ^hamr: small)" \
	"hamr: no request at * of 45 steps: nothing fits"
ok "and marked" grep -q '^ *0 .*!' small

# ---- for people ----

for columns in 52 60 80 132; do
	COLUMNS=$columns report s >wide
	ok "$columns columns are enough" \
		test "$(grep -v '^session' wide | longest)" -le $columns
done
is "a terminal of 60 columns still has every figure" \
	"$(COLUMNS=60 report --window 65536 six | row raw | paste -sd ' ')" \
	"$(row raw <six.out)"
ok "characters of the locale" grep -q '█' <(report s)
is "else ASCII" "$(LC_ALL=C report s | LC_ALL=C grep -c '[^ -~]')" 0
ok "with bars of ASCII" grep -q '#' <(LC_ALL=C report s)
is "no colour in a pipe" "$(report s | grep -c "$(printf '\033')")" 0
report --window 6000 s >chart
epochs=$(sed -n 's/.* \([0-9]*\) epochs*$/\1/p' chart)
is "each epoch has its mark" "$(grep '^ *0 └' chart | tr -cd '^' | wc -c)" \
	"$epochs"
ok "and there are some" test "$epochs" -ge 2
is "a column a step" "$(grep '^ *0 └' chart |
	python3 -c 'print(len(input().split("└")[1]))')" 45
term() { TERM=xterm on_tty 80 hamr-compact --no-config --report s; }
ok "colour on a terminal" grep -q "$(printf '\033')\[1m" <(term)
python3 - >escapes <<'X'
import json
print(json.dumps({"role": "user", "content": "go"}))
for i in range(9):
    print(json.dumps({"role": "assistant", "tool_calls": [{"id": f"c{i}",
        "type": "function", "function": {"name": "bash", "arguments":
        json.dumps({"command": "echo \u001b[2J\u202e" + str(i)})}}]}))
    print(json.dumps({"role": "tool", "tool_call_id": f"c{i}",
        "content": "x y " * 1500}))
X
on_tty 80 hamr-compact --no-config --window 8192 --check escapes >out
is "--check: what calls name does not steer a terminal" \
	"$(LC_ALL=C grep -c "$(printf '[\033\a]\|\342\200\256')" out)" 0
is "... it is escaped" "$(grep -cF 'echo \x1b[2J\u{202e}0 6000' out)" 1
is "not with NO_COLOR" "$(NO_COLOR=1 term | grep -c "$(printf '\033')")" 0

# ---- the picture ----

cat >check.py <<'X'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
known = {"svg", "title", "style", "rect", "text", "line", "path"}
texts = []
for e in root.iter():
    name = e.tag.replace("{http://www.w3.org/2000/svg}", "")
    assert name in known, name
    for a in e.attrib:
        assert not a.startswith("on") and "href" not in a, a
    if name == "style":
        assert "url" not in e.text and "@" not in e.text
    if name == "text":
        texts.append(e.text)
height = float(root.get("height"))
for e in root.iter():
    for a in ("y", "y1", "y2"):
        if e.get(a) is not None:
            assert 0 <= float(e.get(a)) <= height, (a, e.get(a))
print(len([e for e in root.iter() if e.get("class") == "ours"]),
      len([e for e in root.iter() if e.get("class") == "epoch"]))
print(texts[0])
X
report=--report=svg
svg() { hamr-compact --no-config --report=svg "$@"; }
svg s >s.svg
is "SVG: well-formed, a curve for each window" \
	"$(python3 check.py s.svg | sed -n 1p | cut -d ' ' -f 1)" 5
svg --window 6000 s >one.svg
is "SVG: the same epochs" "$(python3 check.py one.svg | sed -n 1p)" \
	"1 $epochs"
match "SVG: in words what the table has" "$(grep -o '[a-z]*: mean [^<]*' one.svg)" \
	"late: mean *, largest *, fresh *, reuse *.? %, $epochs epochs*"
is "SVG: every strategy and rule by its edit support" \
	"$(grep -cE '>[-0-9a-z_ ]+: [0-9.]+[kM]?, [0-9]+ %<' one.svg)" 10
nowhere() { HAMR_SHARE=$PWD/nowhere svg s; }
status "SVG: without the program that draws it" 66 nowhere
python3 - >hostile <<'X'
import json
bad = "</text><script>alert(1)</script>&amp;\"'\u001b[31m\u202e\uffff\u0007]]>"
print(json.dumps({"type": "hamr", "v": 1, "session": bad, "model": bad}))
print(json.dumps({"role": "user", "content": bad}))
print(json.dumps({"role": "assistant", "content": bad}))
X
svg hostile >hostile.svg
ok "SVG: hostile names are inert" python3 check.py hostile.svg
match "SVG: and shown as they are" "$(python3 check.py hostile.svg |
	tail -n 1)" '</text><script>alert(1)</script>&amp;"*'
ok "SVG: apostrophes are numbers" grep -qF '&quot;&#39;' hostile.svg
report hostile >hostile.out
is "text: nor do they steer a terminal" \
	"$(LC_ALL=C grep -c "$(printf '[\033\a]\|\342\200\256')" hostile.out)" 0
cat s hostile s >three
ok "SVG: several transcripts, one document" python3 check.py <(svg three)
is "text: a report of each" "$(report three | grep -c '^[0-9]* requests')" 3
is "SVG: files too" "$(svg s s | python3 check.py /dev/stdin | sed -n 1p |
	cut -d ' ' -f 1)" 10
is "no transcript, no report" "$(report </dev/null)" ""
ok "SVG: an empty document" python3 check.py <(echo '{"type":"x"}' | svg)

# ---- statuses ----

status "another kind of report" 2 hamr-compact --report=pdf s
match "says what there is" "$(cat .err)" "*--report is text, svg or json, not: pdf*"
status "a bad record" 65 hamr-compact --no-config --report <(echo '{"role"')
status "no such file" 66 hamr-compact --no-config --report nowhere
full() { hamr-compact --no-config "$@" >/dev/full; }
status "a full disk" 71 full --report s
status "a full disk, SVG" 71 full --report=svg s
done_testing

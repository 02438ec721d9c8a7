#!/bin/bash
# ledger.t - --ledger: the working context of a transcript; --budget
. "$(dirname "$0")/../lib.sh"

ledger() { hamr-compact --no-config --ledger "$@"; }
# the lines of a file's entry, from its name to the next one's
entry() { awk -v f="  $1" '/^  [^ ]/ || /^$/ { on = $0 == f } on && /^    /' |
	sed 's/^ *//'; }

# ---- ranges, by what they are good for ----

python3 - >hand <<'X'
import json
say = lambda **r: print(json.dumps(r))
n = 0
def call(name, args, content, meta=None, **more):
    global n
    n += 1
    say(role="assistant", content=None, tool_calls=[{"id": "c%d" % n,
        "type": "function", "function": {"name": name,
        "arguments": json.dumps(args)}}])
    say(role="tool", tool_call_id="c%d" % n, name=name, content=content,
        meta=meta or {}, **more)
def read(path, first, last, lines, sha, **meta):
    call("read", {"path": path, "first": first, "last": last},
         "%s lines %d-%d of %d\n" % (path, first, last, lines) +
         "".join("%6d\tx\n" % i for i in range(first, last + 1)),
         dict(meta, op="file", path=path, first=first, last=last,
              lines=lines, sha256=sha))
def bash(command, content, exit=0, **meta):
    call("bash", {"command": command}, content, dict(meta, exit=exit),
         **({"is_error": True} if exit else {}))
A, B = "a" * 64, "b" * 64
say(type="hamr", v=1, session="by hand", cwd="/repo")
say(role="user", content="look")
read("src/a.c", 1, 200, 812, A)
read("src/a.c", 150, 300, 812, A)
read("src/a.c", 400, 480, 812, A)
read("cut.c", 1, 90, 100, A, truncated=True)
read("old.c", 1, 50, 100, A)
read("old.c", 40, 60, 101, B)
read("bash.c", 1, 20, 20, A)
bash("git status", "On branch main\n\tmodified:   src/a.c\n")
bash("sed -i s/x/y/ bash.c", "exit 0\n", mutated=[{"path": "bash.c",
     "sha256": B}])
read("moved.c", 10, 20, 30, A)
call("edit", {"path": "moved.c", "old": "x", "new": "y\nz\n"}, "done",
     {"path": "moved.c", "sha256_before": A, "sha256_after": B, "diff":
      "--- a/moved.c\n+++ b/moved.c\n@@ -12,7 +12,8 @@\n x\n x\n x\n"
      "-x\n+y\n+z\n x\n x\n x\n"})
call("write", {"path": "/repo/new.c", "content": "1\n2\n3"}, "made new.c",
     {"path": "new.c", "sha256_before": None, "sha256_after": A})
call("edit", {"path": "never.c", "old": "x", "new": "y"}, "not read",
     {"path": "never.c", "error": "not_read"}, is_error=True)
call("read", {"path": "src"}, "a.c\n", {"op": "list", "path": "src"})
call("write", {"command": "create other.py"}, "")	# SWE-agent's words
bash("make check", "exit 1\nerror: no\n", 1)
bash("make check", "exit 0\n")
bash("cd x && git diff --stat", "a | 1\nb | 2\n")
bash("rm gone.c", "exit 0\n")
read("gone.c", 1, 3, 3, A)
bash("rm gone.c", "exit 0\n", mutated=[{"path": "gone.c", "sha256": None}])
X
ledger hand >out
is "ranges are merged" "$(entry src/a.c <out)" \
	"812 lines, read 3x
editable  1-300, 400-480"
is "a cut one is to be read again" "$(entry cut.c <out)" \
	"100 lines, read 1x
truncated 1-90"
is "another content: what was shown is worth nothing" "$(entry old.c <out)" \
	"101 lines, read 2x
editable  40-60
changed   1-39"
is "a command that changed the file too" "$(entry bash.c <out)" \
	"20 lines, read 1x
changed   1-20"
is "an edit of our own moves them along" "$(entry moved.c <out)" \
	"31 lines, read 1x, edited 1x
editable  10-21"
is "what was written is known, whatever way it is named" \
	"$(entry new.c <out)" "3 lines, written 1x
editable  1-3"
is "a call that failed shows nothing" "$(grep -c 'never\.c' out)" 0
is "a folder is no file" "$(grep -c '^  src$' out)" 0
is "a deleted file" "$(entry gone.c <out | head -n 1)" "deleted, read 1x"
is "how many files" "$(grep ^files: out)" "files: 6 read, 4 changed"
is "the newest first" "$(grep -A 1 ^files: out | tail -n 1)" "  gone.c"
match "git status, and what happened since" "$(grep '^  status' out)" \
	"  status  branch main, 1 changed, step 8, 4 files changed since"
match "git diff" "$(grep '^  diff' out)" "  diff    2 lines, step 18*"
is "commands that were repeated" "$(sed -n '/^commands/,$p' out)" \
	"commands: 5 different, 2 repeated
    2x rm gone.c, last ok
    2x make check, failed 1x, last ok"
{
	cat hand
	echo '{"type":"undo","of":"u1","paths":[{"path":"moved.c","sha256":null}]}'
} >undone
is "an undo changed the file, too" \
	"$(ledger undone | entry moved.c)" "deleted, read 1x, edited 1x
changed   10-21"
is "what the request is made of" "$(sed -n 2,5p out | sed 's/[0-9]* before, [0-9]* after/N before, N after/')" \
	"messages: 43 in, 43 out
tokens: N before, N after, room for 122880, stage 0
results: 21, 0 compacted, 21 kept
turns kept: 1 of 1; steps kept: 21 of 21"

# ---- as hamr-tool proves it ----

mkdir root && cd root || exit 1
seq -f 'line number %02g.' 1 30 >f.txt
cat >t <<'X'
{"role":"user","content":"x"}
{"role":"assistant","content":null,"tool_calls":[{"id":"r1","type":"function","function":{"name":"read","arguments":"{\"path\":\"f.txt\",\"first\":4,\"last\":9}"}},{"id":"r2","type":"function","function":{"name":"read","arguments":"{\"path\":\"f.txt\",\"first\":8,\"last\":20}"}}]}
{"role":"assistant","content":null,"tool_calls":[{"id":"e1","type":"function","function":{"name":"edit","arguments":"{\"path\":\"f.txt\",\"edits\":[{\"old\":\"line number 06.\\n\",\"new\":\"one more 06.\\nand again 06.\\n\"},{\"old\":\"line number 15.\\n\",\"new\":\"\"}]}"}}]}
X
{ head -n 2 t | hamr-tool --no-config --yes; tail -n 1 t; } |
	hamr-tool --no-config --yes >session
grep '"tool_call_id":"e1"' session >/dev/null
is "hamr-tool made the edit" "$?" 0
ranges=$(ledger session | entry f.txt | sed -n 's/^editable  //p')
proved=
total=$(wc -l <f.txt)
for i in $(seq 1 "$total"); do
	cp f.txt copy
	line=$(sed -n "${i}p" f.txt)
	jq -cn --arg old "$line" '{role: "assistant", content: null,
		tool_calls: [{id: "try", type: "function", function: {
		name: "edit", arguments: ({path: "f.txt", old: $old,
		new: "changed"} | tojson)}}]}' | cat session - |
		hamr-tool --no-config --yes -n | grep -q '"error":"not_read"' ||
		proved="$proved $i"
	cp copy f.txt
done
is "editable is what hamr-tool lets be edited" "$(python3 - "$ranges" <<'X'
import sys
out = []
for r in sys.argv[1].split(", "):
    a, _, b = r.partition("-")
    out += range(int(a), int(b or a) + 1)
print(*out)
X
)" "${proved# }"
ok "and that is not nothing" test -n "$proved"

# the same after a compaction: six files, of which the window holds few
for n in 1 2 3 4 5 6; do
	seq -f "file $n line %03g of a text that is long enough." 1 60 >g$n.txt
done
echo '{"role":"user","content":"read them"}' >session
for n in 1 2 3 4 5 6; do
	jq -cn --arg n $n '{role: "assistant", content: null, tool_calls: [{
		id: ("g" + $n), type: "function", function: {name: "read",
		arguments: ({path: ("g" + $n + ".txt")} | tojson)}}]}' |
		cat session - | hamr-tool --no-config --yes >next &&
		hamr-compact --no-config --window 8000 <next |
		grep -v '"type":"request"' >session
done
ok "it was compacted" grep -q '"type":"compaction"' session
hamr-compact --no-config --window 8000 --ledger session >six
for n in 1 2 3 4 5 6; do
	state=$(entry g$n.txt <six | sed -n 's/ *1-60$//p')
	jq -cn --arg n $n '{role: "assistant", content: null, tool_calls: [{
		id: "try", type: "function", function: {name: "edit",
		arguments: ({path: ("g" + $n + ".txt"), old: "line 030",
		new: "changed"} | tojson)}}]}' | cat session - |
		hamr-tool --no-config --yes -n >tried
	tool=editable
	grep -q '"error":"not_read"' tried && tool=compacted
	echo "$n $state" >>by-ledger
	echo "$n $tool" >>by-tool
done
same "and what hamr-tool lets be edited then" by-ledger by-tool
is "some of them" "$(cut -d ' ' -f 2 by-tool | sort -u | paste -sd ' ')" \
	"compacted editable"
cd ..

# ---- what was compacted ----

python3 "$TOP/tests/compact/compact_session.py" 40 made >s
ledger --window 12288 s >small
hamr-compact --no-config --window 12288 -n s >request
figures() { hamr-compact --no-config --window 12288 --check s |
	sed -n '1s/legal: \([0-9]*\) messages of \([0-9]*\).*, \([0-9]*\) tokens.*/\2 in, \1 out, \3/p'; }
is "the figures are those of --check" "$(sed -n 's/^messages: //p;
	s/^tokens: .*, \([0-9]*\) after.*/\1/p' small | paste -sd , |
	sed 's/,\([0-9]*\)$/, \1/')" "$(figures)"
is "and of the request" "$(sed -n 's/.* \([0-9]*\) after.*/\1/p' small)" \
	"$(tail -n 1 request | jq .tokens)"
stubs=$(tail -n 1 request | jq '[.messages[] | select(.role == "tool") |
	select(.content | startswith("[elided ") | not)] | length')
is "results kept are those in the request" \
	"$(sed -n 's/^results: 40, .* compacted, \([0-9]*\) kept/\1/p' small)" \
	"$stubs"
ok "some lines were compacted" grep -q '^    compacted ' small
is "not with a large window" "$(ledger s | grep -c '^    compacted ')" 0
tail -n 1 request | jq -r '.messages[] | select(.role == "tool") | .content' \
	>shown
ok "what is editable stands in the request" python3 - small shown <<'X'
import re, sys
shown = open(sys.argv[2]).read()
path, n = None, 0
for line in open(sys.argv[1]):
    if re.match(r"  src/", line):
        path = line.strip()
    m = re.match(r"    editable  (.*)", line)
    for r in m.group(1).split(", ") if m else []:
        a, _, b = r.partition("-")
        for i in range(int(a), int(b or a) + 1):
            assert "%s line %d of" % (path, i) in shown, (path, i)
            n += 1
sys.exit(n == 0)
X
{ cat s; grep '"type":"compaction"' request; } >recorded
same "a compaction in the transcript says the same" \
	<(ledger --window 12288 recorded) <(ledger --window 12288 s)
head -n 21 s >live
match "a session that goes on" "$(ledger live | grep ^messages)" \
	"messages: 20 in, 20 out"
same "from standard input" <(ledger <s) <(ledger s)
is "one of each transcript" "$(cat s s | ledger | grep -c ^messages)" 2
is "by the model's own estimate, before and after" "$(
	printf '%s\n' '{"type":"hamr","v":1,"model":"llama-2-7b"}' \
	'{"role":"user","content":"naïve words 漢字かな"}' | ledger |
	sed -n 's/^tokens: \([0-9]*\) before, \1 after.*/same/p')" same
is "lines that were asked for, but not shown, are not editable" "$(
	printf '%s\n' '{"role":"user","content":"x"}' \
	'{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":
	"function","function":{"name":"read",
	"arguments":"{\"path\":\"e.c\",\"limit\":100}"}}]}' \
	'{"role":"tool","tool_call_id":"1","content":"",
	"meta":{"op":"file","first":0,"last":0,"lines":0}}' | jq -c . |
	ledger | grep -c "editable.*100")" 0
match "a window too small is said" "$(ledger --window 60 s | grep ^tokens)" \
	"*stage 4: nothing fits"

# ---- other programs' sessions, other people's text ----

python3 - >foreign <<'X'
import json
say = lambda **r: print(json.dumps(r))
def call(i, name, args, content):
    say(role="assistant", content="", tool_calls=[{"id": i, "type":
        "function", "function": {"name": name,
        "arguments": json.dumps(args)}}])
    say(role="tool", tool_call_id=i, content=content)
say(role="user", content="x")
call("1", "read_file", {"file_path": "n.c", "offset": 7, "limit": 3},
     "     7→a\n     8→b\n     9→c")
call("2", "view", {"path": "plain.c"}, "one\ntwo\nthree\n")
call("3", "read", {"path": "plain.c", "offset": 10}, "ten\n")
call("4", "read", {"path": "\u001b]0;x\u0007\u202e.c"}, "one\n")
X
ledger foreign >f.out
is "numbered lines" "$(entry n.c <f.out)" "read 1x
editable  7-9"
is "lines counted" "$(entry plain.c <f.out)" "read 2x
editable  1-3, 10"
is "no name steers a terminal" \
	"$(LC_ALL=C grep -c "$(printf '[\033\a]\|\342\200\256')" f.out)" 0
is "no transcript" "$(ledger </dev/null)" ""
status "a bad record" 65 hamr-compact --no-config --ledger <(echo '[1]')
full() { hamr-compact --no-config "$@" >/dev/full; }
status "a full disk" 71 full --ledger s

# ---- --budget ----

value() { awk -v k="$1" '$1 == k { print $2 }'; }
hamr-compact --no-config --budget --window 32768 >b
is "derived caps" "$(for k in effective_window result_cap turn_read_cap \
	high_mark low_mark epoch_distance tail_stage_1 tail_stage_2 \
	tail_stage_2b tail_stage_3 tail_steps_tokens slim_region \
	stage_3_results summary_bytes_stage_3; do value $k <b; done |
	paste -sd ' ')" "24576 6144 14745 24576 14008 4915 3686 2211 1474 921 9830 1966 6144 1200"
hamr-compact --no-config --budget --window 8192 >b
is "in the smallest windows" "$(for k in tail_steps_tokens slim_region \
	summary_tokens; do value $k <b; done | paste -sd ' ')" "983 122 614"
for w in 15996 16384 32768 204800; do
	hamr-compact --no-config --budget --window $w | value file_text_cap
done >b
is "a file's text may have more" "$(paste -sd ' ' b)" "2999 10444 12000 19660"
hamr-compact --no-config --budget --window 32768 >b
match "where the window is from" "$(grep '^window ' b)" "*# --window"
match "a limit of the server" "$( (cat s; echo '{"type":"limit","context_tokens":32768}') |
	hamr-compact --no-config --budget - | grep '^window ')" \
	"window * 32768  # limit record"
match "and of a key" "$(hamr-compact --no-config \
	-o context.keep_recent_tokens=1000 --budget |
	grep keep_recent_tokens)" "* 1000  # -o"
is "it moves the tail" "$(hamr-compact --no-config \
	-o context.keep_recent_tokens=1000 --budget | value tail_stage_2)" 600
is "with a transcript, where it stands" \
	"$(hamr-compact --no-config --window 12288 --budget s | value size)" \
	"$(tail -n 1 request | jq .tokens)"
is "never" "$(hamr-compact --no-config --budget --strategy none |
	value high_mark)" never
done_testing

#!/bin/bash
# contract.t - the stage contract (chapter 1.2), the same for all five stages.
. "$(dirname "$0")/../lib.sh"

HAMR_SHARE=$TOP/share/hamr
export HAMR_SHARE
STAGES="guard compact provider tool mem"

# ---- a recorded transcript; what is passed on is the same bytes (J5) ----

mkdir root
printf 'one\ntwo\n' >root/a.c
cat >script <<'X'
{"role":"assistant","content":"answer 1"}
{"role":"assistant","content":"answer 2"}
{"role":"assistant","content":"answer 3"}
{"role":"assistant","content":null,"tool_calls":[{"id":"s1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.c\"}"}}]}
{"role":"assistant","content":"answer 5"}
{"role":"assistant","content":"answer 6"}
{"role":"assistant","content":"answer 7"}
{"role":"assistant","content":"answer 8"}
X
cat >body <<'X'
{"type":"hamr","v":1,"session":"20261120T101500Z-3f2a","cwd":"/abs","created":"2026-11-20T10:15:00Z","mode":"patch","x-key":[1,2,{"deep":null}]}
{"type":"config","set":{"agent.mode":"patch"}}
{"type":"tools","tools":[{"type":"function","function":{"name":"read","description":"Read a file","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}]}
{"role":"system","content":"You are a careful programmer."}
{"role":"user","content":"make the tests pass – ünïcode \u00e9 \ud83d\ude00","meta":{"by":"user"}}
{"type":"limit","context_tokens":32768,"source":"flag"}
{"type":"x-unknown","big":9223372036854775807,"huge":123456789012345678901234567890,"f":1.10e+02,"s" : "spaced"  }
{"type":"usage","prompt_tokens":812,"completion_tokens":31,"cached_tokens":700}
{"role":"assistant","content":"I read it.","reasoning":"First look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\": \"a.c\"}"}}],"finish_reason":"tool_calls","meta":{"model":"m"}}
{"type":"start","tool_call_id":"c1","at":"2026-11-20T10:15:03Z"}
{"role":"tool","tool_call_id":"c1","name":"read","content":"one\ntwo\n","meta":{"op":"read","path":"a.c","bytes":8}}
{"x-odd":true,"no":"role or type","n":18446744073709551616}
{"role":"assistant","content":null,"tool_calls":[{"id":"c2","type":"function","function":{"name":"read","arguments":"{\"path\": \"a.c\"}"}}]}
{"type":"start","tool_call_id":"c2","at":"2026-11-20T10:15:04Z"}
{"role":"tool","tool_call_id":"c2","name":"read","content":"one\ntwo\n"}
{"type":"verdict","stage":"my-guard","tool_call_id":"c3","name":"read","action":"warn","phase":"call","rule":"x","message":"hm"}
{"role":"assistant","content":null,"tool_calls":[{"id":"c3","type":"function","function":{"name":"read","arguments":"{\"path\": \"a.c\"}"}}]}
{"type":"start","tool_call_id":"c3","at":"2026-11-20T10:15:05Z"}
{"role":"tool","tool_call_id":"c3","name":"read","content":"one\ntwo\n"}
{"type":"checkpoint","id":"k1","paths":["a.c"]}
{"role":"assistant","content":"Trying.","tool_calls":[{"id":"c4","type":"function","function":{"name":"bash","arguments":"{\"command\":\"make check\"}"}},{"id":"c5","type":"function","function":{"name":"bash","arguments":"not json"}}]}
{"type":"start","tool_call_id":"c4","at":"2026-11-20T10:15:06Z"}
{"role":"tool","tool_call_id":"c4","name":"bash","content":"FAIL: 1\n","is_error":true,"meta":{"command":"make check","exit":2}}
{"role":"tool","tool_call_id":"c5","name":"bash","content":"bad arguments","is_error":true,"meta":{"error":"bad_arguments"}}
{"type":"error","stage":"hamr-tool","code":"bad_arguments","message":"c5","retryable":false}
{"type":"recovery","scenario":"empty_response","attempt":1}
{"role":"tool","tool_call_id":"nobody","content":"an answer to no call"}
{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}
{"role":"x-role","content":7}
{"role":"user","content":"go on"}
X
tail='{"role":"assistant","content":"","tool_calls":[{"id":"c9","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.c\"}"}},{"id":"c10","type":"function","function":{"name":"read","arguments":"{\"path\":\"none.c\"}"}}]}'

body_for() {	# the stage's own end: a user message, or open calls
	cat body
	test "$1" != tool || printf '%s\n' "$tail"
}
for s in $STAGES; do
	body_for $s >$s.in
	{
		sed -n 1,8p $s.in
		echo '{"type":"delta","kind":"content","text":"provisional"}'
		echo '{"type":"sync","n":9007199254740993}'
		sed '1,8d' $s.in
		echo '{"type":"progress","text":"half"}'
		echo '{"type" : "go", "n":41,"x":"kept"}'
		echo '{"type":"sync","n":42}'
	} >$s.live
done

runs=0
argv() {	# stage: ARGV is how it is started; mem gets a new database
	runs=$((runs + 1))
	case $1 in
	provider) ARGV=(hamr-provider --no-config -q --replay "$T/script") ;;
	tool) ARGV=(hamr-tool --no-config -q --yes --root "$T/root") ;;
	mem) ARGV=(hamr-mem --no-config -q --db "$T/mem.$runs.db") ;;
	*) ARGV=("hamr-$1" --no-config -q) ;;
	esac
}
stage() {	# stage OPTION...
	argv "$1"
	shift
	"${ARGV[@]}" "$@"
}
plain() {	# what may differ from run to run
	sed -E 's/"(ms|ttft_ms|at|created)":("[^"]*"|[0-9]+)/"\1":0/g'
}

cat >feed.py <<'X'
"""feed.py line|byte PROGRAM... - stdin to PROGRAM, a line or byte a write.
feed.py steps PROGRAM...  - a line only when the last one came back; says how
many did.
feed.py eof PROGRAM...    - ms from the end of stdin to the end of PROGRAM.
feed.py shut PROGRAM...   - the same where stdin stays open, stdout ends."""
import os, select, subprocess, sys, threading, time
how, argv = sys.argv[1], sys.argv[2:]
P = subprocess.PIPE
p = subprocess.Popen(argv, stdin=P, stdout=P, bufsize=0)

def feed(parts, pause):
    for part in parts:
        try:
            os.write(p.stdin.fileno(), part)
        except BrokenPipeError:
            break
        if pause:
            time.sleep(pause)
    p.stdin.close()

def line(ms):
    """A whole line, or what there was."""
    got, end = b"", time.monotonic() + ms / 1000
    while not got.endswith(b"\n"):
        left = end - time.monotonic()
        if left <= 0 or not select.select([p.stdout], [], [], left)[0]:
            break
        b = os.read(p.stdout.fileno(), 1)
        if not b:
            break
        got += b
    return got

if how in ("line", "byte"):
    data = sys.stdin.buffer.read()
    parts = data.splitlines(True) if how == "line" else \
        [data[i:i + 1] for i in range(len(data))]
    t = threading.Thread(target=feed,
        args=(parts, 0.004 if how == "line" else 0))
    t.start()
    sys.stdout.buffer.write(p.stdout.read())
    t.join()
    sys.exit(p.wait())
if how == "steps":
    good, lines = 0, sys.stdin.buffer.read().splitlines(True)
    for l in lines:
        os.write(p.stdin.fileno(), l)
        good += line(3000) == l
    p.stdin.close()
    rest = p.stdout.read()
    print("%d of %d, then %d bytes, status %d" % (good, len(lines),
        len(rest), p.wait()))
elif how in ("eof", "shut"):
    data = sys.stdin.buffer.read()
    os.write(p.stdin.fileno(), data)
    got = line(3000)
    if how == "shut":
        p.stdout.close()
    begin = time.monotonic()
    if how == "eof":
        p.stdin.close()
        rest = p.stdout.read()
    else:
        rest = b"\n"
    st = p.wait(5)
    ms = (time.monotonic() - begin) * 1000
    whole = (got + rest).endswith(b"\n")
    print("%s %s status %d" % ("in time" if ms < 150 else "%d ms" % ms,
        "whole" if whole else "PARTIAL", st))
X

# ---- how the bytes are cut does not matter (J7) ----

cuts() {	# stage name input OPTION...
	local s=$1 name=$2 in=$3
	shift 3
	stage $s "$@" <$in | plain >$s.$name.whole
	argv $s
	python3 feed.py line "${ARGV[@]}" "$@" <$in | plain >$s.$name.line
	argv $s
	python3 feed.py byte "${ARGV[@]}" "$@" <$in | plain >$s.$name.byte
	same "$s $name: line by line" $s.$name.line $s.$name.whole
	same "$s $name: byte by byte" $s.$name.byte $s.$name.whole
}
for s in $STAGES; do
	cuts $s filter $s.live
	cuts $s new $s.live -n
	# a resident tool waits for its start to be read back: see below
	test $s = tool || cuts $s resident $s.live -r
done

# ---- rule 1: filter mode, -n, -r ----

cat >within.py <<'X'
"""Every line of FILE 1, in order, is in FILE 2; prints the others of 2."""
import sys
want = open(sys.argv[1], "rb").read().splitlines(True)
for l in open(sys.argv[2], "rb").read().splitlines(True):
    if want and l == want[0]:
        want.pop(0)
    else:
        sys.stdout.buffer.write(l)
if want:
    print("LOST", want[0])
X
for s in $STAGES; do
	stage $s <$s.live >$s.f
	python3 within.py $s.in $s.f >$s.own
	is "$s: every record comes back, its bytes unchanged, in order" \
	    "$(grep -c ^LOST $s.own)" 0
	is "$s: nothing that passes only is written" "$(jq -r .type $s.f |
	    grep -cE '^(delta|output|progress|ask|verify|go|sync|cancel)$')" 0
	stage $s -n <$s.live >$s.n
	grep -vE '"type" ?: ?"(go|sync|delta|output|progress)"' $s.n |
	    plain >$s.n.own
	plain <$s.own >$s.f.own
	same "$s: -n writes only its own records" $s.n.own $s.f.own
	grep -E '"type" ?: ?"(go|sync)"' $s.live >want
	for m in n r; do
		stage $s -$m <$s.live | grep -E '"type" ?: ?"(go|sync)"' >got
		same "$s: -$m: go and sync come back as they were" got want
	done
done
is "guard says something of this transcript" "$(test -s guard.own; echo $?)" 0
is "compact makes one request a go" "$(grep -c '"type":"request"' \
    compact.own)" 1
is "provider answers" "$(jq -r 'select(.role) | .content' provider.own)" \
    "answer 5"
is "tool answers both calls" "$(jq -r 'select(.role) | .tool_call_id' \
    tool.own | tr '\n' ' ')" "c9 c10 "
is "a request stays, the provider takes it" "$(stage compact <body |
    tee requested | tail -n 1 | jq -r .type) $(stage provider <requested |
    grep -c '"type":"request"')" "request 0"
for s in guard tool mem compact; do
	is "$s: a request passes" "$(tail -n 1 requested | stage $s |
	    head -n 1)" "$(tail -n 1 requested)"
done

# ---- rule 3: when it acts ----

act='.role == "assistant" or .role == "tool" or .type == "request"'
for s in compact provider tool; do
	is "$s: acts at the end of input" "$(stage $s -n <$s.in |
	    jq -s "any($act)")" true
	for m in -r '-r -n'; do
		is "$s: $m: not at the end of input" "$(stage $s $m <$s.in |
		    jq -s "any($act)")" false
	done
	is "$s: not twice: a go, then the end" "$(stage $s -n <$s.live |
	    jq -s "map(select($act)) | length")" "$(stage $s -n <$s.in |
	    jq -s "map(select($act)) | length")"
	is "$s: what it made, then the go" "$(stage $s -n <$s.live |
	    tail -n 2 | jq -c '[.type, .n]' | tr '\n' ' ')" \
	    '["go",41] ["sync",42] '
done
cat >talk.py <<'X'
"""Talks with a resident tool as hamr-loop does: what it proposes as start or
message is read back to it, late."""
import json, subprocess, sys, time
P = subprocess.PIPE
p = subprocess.Popen(sys.argv[1:], stdin=P, stdout=P, bufsize=0)
p.stdin.write(sys.stdin.buffer.read())
said = []
for l in p.stdout:
    r = json.loads(l)
    if r.get("type") in ("output", "progress", "tools", "sync"):
        continue
    said.append(r.get("type") or r["role"])
    if said[-1] in ("start", "tool"):
        said[-1] += " " + r["tool_call_id"]
        time.sleep(.05)
        p.stdin.write(l)
    elif said[-1] == "go":
        said[-1] += " %d" % r["n"]
        break
p.stdin.close()
print(*said, p.wait(5), sep=", ")
X
{ cat tool.in; echo '{"type":"go","n":17}'; } >asked
argv tool
is "tool: -r proposes start, acts when it is read back, then the go" \
    "$(python3 talk.py "${ARGV[@]}" -r <asked)" \
    "start c9, tool c9, start c10, tool c10, go 17, 0"
for c in c9 c10; do
	printf '{"role":"tool","tool_call_id":"%s","content":"x"}\n' $c
done >answers
is "tool: what is answered is not done again" "$({ cat tool.in answers
    echo '{"type":"go","n":18}'; } | stage tool -n)" '{"type":"go","n":18}'

# ---- rule 4: sync, cancel ----

for s in $STAGES; do
	sed 's/$/\n{"type":"sync","n":5}/' $s.in >with
	stage $s -n <with | grep -v '"type":"sync"' | plain >got
	stage $s -n <$s.in | plain >want
	same "$s: sync changes nothing that is said" got want
	is "$s: a cancel with nothing in hand is nothing" "$(
	    { echo '{"type":"cancel"}'; echo '{"type":"sync","n":6}'; } |
	    stage $s -r | tail -n 1)" '{"type":"sync","n":6}'
	test $s != tool || continue	# talk, above
	{ cat $s.in; echo '{"type":"go","n":1}'; } | stage $s -r |
	    grep -vE '"type":"(tools|limit)"' | plain >want
	{ cat with; echo '{"type":"go","n":1}'; } | stage $s -r |
	    grep -vE '"type":"(sync|tools|limit)"' | plain >got
	same "$s: -r: nor there" got want
done
cat >cancel.py <<'X'
"""A call that sleeps is cancelled, in time; then the go comes back."""
import json, os, subprocess, sys, time
P = subprocess.PIPE
p = subprocess.Popen(sys.argv[1:], stdin=P, stdout=P, bufsize=0)
def put(o):
    p.stdin.write((json.dumps(o) + "\n").encode())
put({"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type":
    "function", "function": {"name": "bash", "arguments":
    '{"command":"echo some; sleep 60"}'}}]})
put({"type": "go", "n": 8})
out, begin = [], 0
for l in p.stdout:
    r = json.loads(l)
    out.append(r.get("type") or r["role"])
    if out[-1] == "start":
        p.stdin.write(l)
        time.sleep(.3)
        begin = time.monotonic()
        put({"type": "cancel"})
    if out[-1] == "go":
        break
    if out[-1] == "tool":
        out[-1] += " " + str(r["meta"].get("error"))
ms = (time.monotonic() - begin) * 1000
p.stdin.close()
out = [o for o in out if o not in ("output", "checkpoint")]
print(*out, "in time" if ms < 1000 else "%d ms" % ms, p.wait(5))
X
argv tool
is "tool: cancel ends a running call within a second" \
    "$(python3 cancel.py "${ARGV[@]}" -r)" "start tool interrupted go in time 0"

# ---- rule 5: the next transcript ----

for s in $STAGES; do
	body_for $s | sed -n '4,$p' >one
	{ echo '{"type":"hamr","v":1}'; cat one; } >a
	stage $s <a | plain >a.out
	cat a a | stage $s 2>/dev/null | plain >got
	cat a.out a.out >want
	same "$s: a hamr record begins again" got want
	stage $s <$s.f >$s.ff
	case $s in
	provider|compact) ;;	# they act anew on what grew
	*)	same "$s: applied twice is once" $s.ff $s.f ;;
	esac
	test $s != tool || continue	# its operands are NAME JSON
	stage $s one | plain >one.out
	cat one.out one.out >want
	cp one two
	stage $s one two | plain >got
	same "$s: a further FILE begins again" got want
	stage $s one - <two | plain >got
	same "$s: - is stdin" got want
done

# ---- rule 6: flushed a record ----

for s in $STAGES; do
	seq 11 | sed 's/.*/{"type":"sync","n":&}/' >syncs
	argv $s
	is "$s: each sync is there before the next is sent" \
	    "$(python3 feed.py steps "${ARGV[@]}" -n <syncs)" \
	    "11 of 11, then 0 bytes, status 0"
	sed 's/.*/{"type":"x-rec","line":"&"}/' <<<"$(seq 12)" >recs
	argv $s
	match "$s: each record too" "$(python3 feed.py steps "${ARGV[@]}" \
	    <recs)" "12 of 12, *"
done

# ---- rule 8: ends ----

sed -n 12p body >twelfth
soon() {	# COMMAND...; three times at most: the machine may be busy
	local try got
	for try in 1 2 3; do
		got=$("$@" <twelfth 2>err; cat err)
		case $got in *"in time"*) break;; esac
	done
	printf '%s\n' "$got"
}
for s in $STAGES; do
	argv $s
	is "$s: ends with its stdin" \
	    "$(soon python3 feed.py eof "${ARGV[@]}")" "in time whole status 0"
	argv $s
	is "$s: ends with its stdout, by SIGPIPE" \
	    "$(soon python3 feed.py shut "${ARGV[@]}")" "in time whole status -13"
	argv $s
	yes '{"type":"x"}' 2>/dev/null | "${ARGV[@]}" 2>err | head -n 1 >got
	is "$s: yes | $s | head: silent" "${PIPESTATUS[1]} $(cat got err)" \
	    '141 {"type":"x"}'
	printf '{"type":"x"}\n{"type":' >cut
	stage $s <cut >got 2>err
	is "$s: a record cut short is refused, the one before it is out" \
	    "$? $(head -n 1 got)" '65 {"type":"x"}'
	match "$s: ... and where" "$(cat err)" "hamr-$s: stdin:2: *"
	is "$s: no partial line" "$(tail -c 1 got | od -An -c | tr -d ' ')" \
	    '\n'
	is "$s: --lenient: an error in its place" "$(printf \
	    '{"type":"x"}\nnonsense\n{"type":"y"}\n' | stage $s --lenient \
	    2>/dev/null | head -n 3 | jq -r '.type + (.code // "")' |
	    tr '\n' ' ')" "x errorbad_record y "
	: >empty
	is "$s: nothing in, nothing out" "$(stage $s <empty 2>&1; echo $?)" 0
	test $s = tool || {
		stage $s no-such-file >got 2>err
		is "$s: a missing file is 66, in one line" \
		    "$? $(wc -l <err) $(cat got)" "66 1 "
	}
	stage $s <body >&- 2>err
	is "$s: a stdout that is closed is 71" "$? $(cat err)" \
	    "71 hamr-$s: stdout: Bad file descriptor"
	test ! -w /dev/full || {
		stage $s <body >/dev/full 2>err
		is "$s: a full disk is 71, in one line" "$? $(wc -l <err)" \
		    "71 1"
	}
	(ulimit -f 0; stage $s <body >got 2>err)
	is "$s: so is a limit on files" "$?" 71
done

# ---- options ----

for s in $STAGES loop; do
	hamr-$s --no-such-option </dev/null >got 2>err
	is "$s: an unknown option is status 2, one line" \
	    "$? $(wc -l <err) $(cat got)" "2 1 "
	is "$s: ... with a hint" "$(cat err)" \
	    "hamr-$s: unknown option --no-such-option; try hamr-$s --help"
	test ! -w /dev/full || {
		hamr-$s --help >/dev/full 2>err
		is "$s: a full disk behind --help is told" "$? $(cat err)" \
		    "71 hamr-$s: stdout: No space left on device"
	}
	is "$s: ... named, also behind another letter" \
	    "$(hamr-$s -qZo 2>&1 </dev/null)" \
	    "hamr-$s: unknown option -Z; try hamr-$s --help"
	is "$s: ... a value that is missing, and one too many" \
	    "$(hamr-$s -qo 2>&1 </dev/null; hamr-$s --help=x 2>&1)" \
	    "hamr-$s: -o needs a value; try hamr-$s --help
hamr-$s: --help takes no value; try hamr-$s --help"
	hamr-$s --help </dev/null >got 2>err
	is "$s: --help is status 0 and fits 24 lines of 80 columns" \
	    "$? $(cat err) $(awk 'length > 80 { bad = 1 } END {
		print (NR > 24 || NR < 3 || bad) + 0 }' got)" "0  0"
	hamr-$s -h >want
	same "$s: -h is --help" want got
	match "$s: --version" "$(hamr-$s --version)" "hamr [0-9]*"
	test ! -w /dev/full || for o in --help --version; do
		is "$s: $o to a full disk is 71, in one line" "$(hamr-$s $o \
		    2>&1 >/dev/full; echo $?)" \
		    "hamr-$s: stdout: No space left on device
71"
	done
	is "$s: -V is --version" "$(hamr-$s -V)" "$(hamr-$s --version)"
done

done_testing

#!/bin/bash
# stage.t - hamr-guard is a pure function of the transcript.
#
# Twice is once; whole is line by line is byte by byte; what is said stands
# where it belongs; recorded sessions are left alone; memory does not grow.
. "$(dirname "$0")/../lib.sh"

DATA=$TOP/tests/data/guard
guard() { hamr-guard --no-config "$@"; }

cat >feed.py <<'X'
"""feed.py SIZE PROGRAM... - stdin to PROGRAM, SIZE bytes (0: a line) a write."""
import os, subprocess, sys, threading
size, data = int(sys.argv[1]), sys.stdin.buffer.read()
p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE)
def feed():
    parts = data.splitlines(True) if size == 0 else \
        [data[i:i + size] for i in range(0, len(data), size)]
    for part in parts:
        os.write(p.stdin.fileno(), part)
    p.stdin.close()
t = threading.Thread(target=feed)
t.start()
sys.stdout.buffer.write(p.stdout.read())
t.join()
sys.exit(p.wait())
X

# Random transcripts of the model, and recorded ones.
python3 - "$TOP/tests/guard" >random <<'X'
import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import guard_model
for r in guard_model.random_sequences(12, 7):
    print(json.dumps(r))
X
jq -c '{type:"hamr",v:1},.messages[]' "$DATA/tau.jsonl" >tau
jq -c -f "$DATA/pi.jq" "$DATA/pi.jsonl" >pi

for f in random tau pi; do
	guard <$f >$f.1
	guard <$f.1 >$f.2
	same "$f: twice is once" $f.1 $f.2
	guard <$f.1 | guard | guard -n >$f.n3
	guard -n <$f >$f.n
	same "$f: -n reads its own products and is not moved" $f.n3 $f.n
	guard -r <$f >$f.r
	same "$f: -r says the same" $f.n $f.r
	jq -c 'select((.stage != "hamr-guard") and .meta.by != "guard")' \
	    <$f.1 >$f.rest
	jq -c . <$f >$f.plain
	same "$f: nothing else changed" $f.rest $f.plain
	python3 feed.py 0 hamr-guard --no-config <$f >$f.lines
	same "$f: line by line" $f.lines $f.1
	head -c 40000 $f | sed '$d' >$f.head
	python3 feed.py 1 hamr-guard --no-config <$f.head >$f.bytes
	guard <$f.head >$f.whole
	same "$f: byte by byte" $f.bytes $f.whole
done
is "recorded sessions: no block, no halt, nothing at all" "$(cat tau.n pi.n)" ""
ok "the random ones do get words" test -s random.n

# What is said after reading a record depends on what was read up to it.
head -n 120 random >some
guard <some >some.out
is "a beginning of the input gives a beginning of the output" \
    "$(python3 - <<'X'
import subprocess
lines = open("some", "rb").readlines()
whole = open("some.out", "rb").read()
print(sum(whole.startswith(subprocess.run(
    ["hamr-guard", "--no-config"], input=b"".join(lines[:n + 1]),
    stdout=subprocess.PIPE).stdout) for n in range(len(lines))))
X
)" 120

call='{"role":"assistant","content":null,"tool_calls":[{"id":"%s","type":"function","function":{"name":"%s","arguments":"%s"}}]}\n'
result='{"role":"tool","tool_call_id":"%s","content":"%s"}\n'
loop() {
	for i in 1 2 3 4 5; do
		# shellcheck disable=SC2059
		printf "$call" "c$i" read '{\"path\":\"a\"}'
		# shellcheck disable=SC2059
		printf "$result" "c$i" "text"
	done
}
loop >five
guard <five | jq -c '[.role // .type, .tool_call_id // .tool_calls[0].id, .action]' |
    grep -n 'verdict\|user' >places
is "the places" "$(cat places)" \
'7:["verdict","c3","warn"]
8:["user",null,null]
11:["verdict","c4","warn"]
12:["user",null,null]
14:["verdict","c5","block"]'

# ---- own products, others' products ----

cat >others <<'X'
{"type":"verdict","stage":"my-guard","tool_call_id":"c1","action":"block","phase":"call","rule":"x","message":"no"}
{"type" : "constrain","stage":"my-guard","tool_choice":"none","steps":1}
{"type":"x","n":9007199254740993,"s" : "kept"}
X
cat >own <<'X'
{"type":"verdict","stage":"hamr-guard","tool_call_id":"c1","action":"block","phase":"call","rule":"x","message":"no"}
{"type":"constrain","stage":"hamr-guard","tool_choice":"none","rule":"stall","steps":1}
{"role":"user","content":"[hamr-guard] old words","meta":{"by":"guard","rules":["repeat"]}}
X
guard <others >others.out
same "another guard's verdicts pass" others.out others
guard <own >own.out
is "own ones are dropped" "$(cat own.out)" ""
{ head -n 4 five; cat own; sed 1,4d five; } | guard >mixed
guard <five >five.out
same "and move nothing" mixed five.out
{ head -n 5 five; cat own; sed 1,5d five; } | guard >mixed
same "in mid-step neither" mixed five.out

printf '%s\n' '{"type":"sync","n":4}' '{"type":"go","n":5}' >go
{ cat five go; } | guard -r | tail -n 2 >go.out
same "go and sync come back" go.out go
{ cat five go; } | guard | tail -n 1 >last
tail -n 1 five.out >want
same "and are not written in filter mode" last want

# ---- the signature ----

sign() {	# tool arguments
	jq -nc --arg n "$1" --arg a "$2" '{role:"assistant",content:null,
	    tool_calls:[{id:"x",type:"function",function:{name:$n,arguments:$a}}]}' |
	    guard -n -a | jq -r .signature
}
# name, NUL and canonical arguments, hashed by somebody else
independent() {
	printf '%s\0%s' "$1" "$2" | sha256sum | cut -d ' ' -f 1
}
vector() {	# test name, tool, arguments, canonical
	is "$1" "$(sign "$2" "$3")" "$(independent "$2" "$4")"
}
vector "keys in order, no blanks" t '{ "b" : 1, "a" : [ 2 ] }' '{"a":[2],"b":1}'
vector "null is absent" t '{"a":null,"b":{"c":null}}' '{"b":{}}'
vector "1.0 is 1" t '{"a":1.0,"b":10e-1}' '{"a":1,"b":1}'
vector "escapes" t '{"a":"\u0041\/\u00e9"}' '{"a":"A/é"}'
vector "digits are data" t '{"id":17,"n":"17"}' '{"id":17,"n":"17"}'
vector "cosmetic and volatile keys" t \
    '{"description":"a","reason":"b","timestamp":1,"nonce":2,"x":{"reason":1}}' \
    '{"x":{"reason":1}}'
vector "aliases" read '{"file_path":"./a//b","offset":3}' '{"first":3,"path":"a/b"}'
vector "limit" read '{"path":"a","first":3,"limit":10}' '{"first":3,"last":12,"path":"a"}'
vector "the canonical name wins" write '{"text":"1","content":"2","path":"a"}' \
    '{"content":"2","path":"a"}'
vector "blanks of a command" bash '{"command":"  make   check\t-j2 "}' \
    '{"command":"make check -j2"}'
vector "quoted blanks stay" bash '{"command":"echo  '"'a  b'"' \"c  d\" e\\  f"}' \
    '{"command":"echo '"'a  b'"' \"c  d\" e\\  f"}' 2>/dev/null
vector "line ends stay" bash '{"command":"a  \n  b"}' '{"command":"a \n b"}'
vector "here-documents stay" bash '{"command":"cat  <<X\n  a\nX"}' \
    '{"command":"cat  <<X\n  a\nX"}'
vector "what does not parse is itself" t '{"a":' '{"a":'
vector "a repeated key is raw text" t '{"a":1, "a":1}' '{"a":1, "a":1}'
vector "no object" t ' [1.0, null] ' '[1,null]'
vector "nothing" t '' ''

# The vectors of the manual page.
man=$TOP/man/hamr-guard.1
while IFS='|' read -r tool args canonical hash; do
	is "manual: $tool $args" "$(sign "$tool" "$args")" "$hash"
	is "... by hand" "$(independent "$tool" "$canonical")" "$hash"
	ok "... and it is there" grep -q "$hash" "$man"
done <<'X'
read|{"path":"./src//ini.c","limit":40}|{"last":40,"path":"src/ini.c"}|bf9bbc3dde6389015252489835fa581c59d4973dd8f83b9a56674d80c96895ff
bash|{"description":"run tests","cmd":"make   check"}|{"command":"make check"}|ac8d70eca26d47a9bf53bfe8e4fdf204e6e3dea2d5f6d47b08172ccc61d2c1f0
search|{"n": 1.50, "all": null, "text": "caf\u00e9"}|{"n":1.5,"text":"café"}|d06b4528da39d66b9205e5d3136c7cd613ac24b789cd24f014beb9066e0f9651
X

# The same transcript with its keys in another order gives the same verdicts.
jq -c 'if .tool_calls then .tool_calls[].function.arguments |= (
    . as $s | try (fromjson | to_entries | reverse | from_entries | tojson)
    catch $s) else . end' <random >reversed
guard -n <reversed >reversed.n
same "order of keys in arguments does not matter" reversed.n random.n

# ---- bounds ----

python3 - >long <<'X'
import json
for i in range(30000):
    print(json.dumps({"role": "assistant", "tool_calls": [{"id": "c%d" % i,
        "type": "function", "function": {"name": "t", "arguments":
        json.dumps({"i": i})}}]}))
    print(json.dumps({"role": "tool", "tool_call_id": "c%d" % i, "content":
        "\n".join("%d of %d is a line" % (k, i) for k in range(20))}))
for i in range(30000):
    print(json.dumps({"role": "assistant", "tool_calls": [{"id": "o%d" % i,
        "type": "function", "function": {"name": "t", "arguments": "{}"}}]}))
X
cat >most.py <<'X'
import resource, subprocess, sys
subprocess.run(["hamr-guard", "--no-config", "-n"], stdin=open(sys.argv[1]),
               stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
X
if nm "$(command -v hamr-guard)" 2>/dev/null | grep -q __asan_init; then
	skip "memory is bounded" "measured without the address sanitizer"
else
	kib=$(python3 most.py long)
	echo "# $kib KiB"
	ok "memory is bounded" test "$kib" -lt 16384
fi
done_testing

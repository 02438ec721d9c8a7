#!/bin/bash
# bad.t - bad and big input: half a line, calls and results that do not
# pair, ids twice, arguments that are none, 10 MB and 100,000 calls; in CI
# 50 MB and 300,000.
. "$(dirname "$0")/../lib.sh"

guard() { hamr-guard --no-config "$@"; }
make() { python3 -B "$TOP/tests/guard/guard_make.py"; }
said() {
	guard -n | sed -n 's/^{"type":"verdict".*"tool_call_id":"\([^"]*\)".*"action":"\([a-z]*\)".*"rule":"\([a-z-]*\)","count":\([0-9]*\),.*/\1 \2 \3 \4/p'
}

# ---- half a line ----

make >five <<'X'
5* s c# t {} = x
X
guard <five >five.out
{ cat five; printf '{"role":"tool","tool_call_id":"c'; } >half
status "a last line cut short: status 65" 65 guard half
match "with its place" "$(cat .err)" "hamr-guard: half:11: line cut short*"
same "and all before it is judged" .out five.out
status "--lenient goes on" 0 guard --lenient half
is "with an error record in its place" \
    "$(tail -n 1 .out | jq -r '.type + " " + .code')" "error bad_record"

make >lines <<'X'
s a read {"path":"f"} = f | {"meta":{"op":"file","path":"f","first":9223372036854775806,"last":9223372036854775807,"lines":90,"sha256":"x"}}
X
is "line numbers may be as large as they can be" \
    "$(timeout 30 hamr-guard --no-config -n -a lines | jq -r .action)" \
    "allow"

# ---- what does not pair ----

make >alone <<'X'
s a t {} = x
c b t {}
s c t {} = x
u go on
c d t {}
X
is "a call without a result is no evidence" "$(said <alone)" ""
make >alone <<'X'
2* s a# t {} = x
r zz x
r zz x
{"role":"tool","content":"x"}
{"role":"tool","tool_call_id":5,"content":"x"}
s b t {} = x
X
is "nor is a result without a call" "$(said <alone)" "b warn repeat 3"
make >late <<'X'
2* s a# t {} = x
c b t {}
{"role":"assistant","content":"Something else came first."}
r b x
s d t {} = x
X
is "a result that comes late counts, its step is over" "$(said <late)" \
    "d warn repeat 4"
python3 -c 'print("""c a edit {"path":"f","old":"%s","new":""}
s b t {} = x
r a timed out | {"is_error":true}""" % (30000000 * "y"))' | make >late
status "... also an edit of 30 MB that failed" 0 guard -n late
make >before <<'X'
c b t {}
u another thing
r b x
2* s a# t {} = x
X
is "one of an earlier turn does not" "$(said <before)" ""

# ---- ids twice ----

make >twice <<'X'
4* s same t {} = x
X
is "one id for all calls" "$(said <twice)" "same warn repeat 3
same warn repeat 4"
is "and the evidence names it" "$(guard -n <twice | head -n 1 |
    jq -c .evidence)" '["same","same"]'
make >mixed <<'X'
b i t {} ; i t {"x":1} ; i t {"x":2}
r i x
r i y
r i z
r i surplus
X
is "results of one id go to the calls in their order" \
    "$(guard -n -a <mixed | jq -c .tool_call_id | sort -u)" '"i"'
long=$(printf '%0300d' 7)
make >longid <<X
3* s $long t {} = x
X
is "a long id comes back, but is not kept as evidence" \
    "$(guard -n <longid | head -n 1 | jq -c '[(.tool_call_id | length),
    .evidence]')" '[300,[]]'

# ---- arguments that are none ----

make >none <<'X'
3* s a# t {"path": = x
u next
3* s b# t {"path":" = x
u next
3* s c# t {"a":1,"a":2} = x
u next
3* s d# t nul = x
u next
3* s e# t [1,{"b":2,}] = x
X
is "are compared as they are" "$(said <none | grep -c 'warn repeat 3')" 5
python3 - >deep <<'X'
import json
for i in range(3):
    print(json.dumps({"role": "assistant", "tool_calls": [{"id": "d%d" % i,
        "type": "function", "function": {"name": "bash", "arguments":
        '{"command":' + "[" * 100000 + "]" * 100000 + "}"}}]}))
    print(json.dumps({"role": "tool", "tool_call_id": "d%d" % i,
        "content": "x"}))
X
is "nested without measure, too" "$(said <deep)" "d2 warn repeat 3"
python3 - >shapes <<'X'
import json
for args in [None, 5, True, [], {}, {"a": None}, "", " ", "null", "[]"]:
    for i in range(3):
        print(json.dumps({"role": "assistant", "tool_calls": [{"id": "x",
            "type": "function", "function": {"name": "bash",
            "arguments": args}}]}))
        print(json.dumps({"role": "tool", "tool_call_id": "x",
            "content": "x"}))
    print(json.dumps({"role": "user", "content": "next"}))
X
is "values that are no text" "$(said <shapes | grep -c 'warn repeat 3')" 10

# ---- big ----

mb=10 calls=100000
[ -z "${CHECK_FULL:-}" ] || mb=50 calls=300000
cat >big.py <<'X'
"""big.py WHAT N - N MB in one result or argument, twice; or N calls."""
import json, sys
what, n, out = sys.argv[1], int(sys.argv[2]), sys.stdout.write
if what == "calls":
    form = ('{"role":"assistant","tool_calls":[{"id":"c%d","type":"function",'
            '"function":{"name":"read","arguments":"{\\"path\\":\\"%d\\"}"}}]}'
            '\n{"role":"tool","tool_call_id":"c%d","content":"line %d, which '
            'is of no interest but long enough to be something new"}\n')
    sys.stdout.writelines(form % (i, i, i, i)
                          for i in range(n))
    sys.exit()
line = {"lines": "a line of many, 10:11:12, with 17 digits\n",
        "one": "{\"a\": 1, \"timestamp\": 5}, ", "dots": "12:"}
text = line.get(what, "x") * (n * 1000000 // len(line.get(what, "x")))
args = "{}" if what != "arguments" else json.dumps({"a": text})
text = json.dumps("x" if what == "arguments" else text)
args = json.dumps(args)
for i in range(2):
    out('{"role":"assistant","tool_calls":[{"id":"c%d","type":"function",'
        '"function":{"name":"t","arguments":' % i)
    out(args)
    out('}}]}\n{"role":"tool","tool_call_id":"c%d","content":' % i)
    out(text)
    out("}\n")
X
cat >most.py <<'X'
"""most.py OPTION... - run hamr-guard -n on stdin; its memory in KiB goes to
stderr."""
import resource, subprocess, sys
p = subprocess.run(["hamr-guard", "--no-config", "-n"] + sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(p.returncode)
X
for what in lines one dots arguments; do
	python3 big.py $what $mb | timeout 120 python3 most.py \
	    -o loop_guard.warn_threshold=2 >big.out 2>kib
	is "$mb MB: $what" "$(jq -r 'select(.type == "verdict") |
	    "\(.tool_call_id) \(.action) \(.rule)"' <big.out)" \
	    "c1 warn repeat"
	echo "# $what: $(cat kib) KiB"
done

# with make asan this also watches what is read and written
printf '%s\n' '{"role":"user","content":"go"}' \
    '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{\"command\":\"x\"}"}}]}' \
    '{"role":"tool","tool_call_id":"c","content":"x \\","is_error":true}' >odd
is "a failed line that ends with a backslash" "$(guard -n odd; echo $?)" 0
yes 'ruby -e x;' | head -n 60000 | tr -d '\n' >scripts
is "a command of many programs takes no time" "$({ sed -n 1p odd
	sed -n 's/"x\\"}.*/"/p' odd | tr -d '\n'; cat scripts; echo '\"}"}}]}'
	sed -n 3p odd
} | timeout 20 hamr-guard --no-config -n -a | jq -r .action)" allow

python3 big.py calls 20000 | python3 most.py 2>small
python3 big.py calls $calls | timeout 200 python3 most.py >many 2>large
is "$calls calls: not a word" "$(cat many)" ""
if nm "$(command -v hamr-guard)" 2>/dev/null | grep -q __asan_init; then
	skip "memory does not grow" "measured without the address sanitizer"
else
	echo "# 20,000 calls: $(cat small) KiB, $calls: $(cat large) KiB"
	ok "memory does not grow" \
	    test "$(cat large)" -lt $(($(cat small) + 280))
fi
done_testing

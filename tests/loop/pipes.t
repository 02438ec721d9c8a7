#!/bin/bash
# pipes.t - messages of 2 MB (in CI 8) over pipes of 4 KiB, in both directions,
# a stage that is stopped for a while (P1, P2), and one that nobody waits for.
. "$(dirname "$0")/../lib.sh"
mb=${CHECK_FULL:+8} mb=${mb:-2}
git init -q .
cat >small.py <<'X'
# exec a stage whose pipes hold one page
import fcntl, os, sys
F_SETPIPE_SZ = 1031
for fd in (0, 1):
    try:
        fcntl.fcntl(fd, F_SETPIPE_SZ, 4096)
    except OSError:	# what was written before us fills more than a page
        pass
os.execvp(sys.argv[1], sys.argv[1:])
X
python3 - $mb <<'X'
import json, sys
big = "line of text\n" * 80000 * int(sys.argv[1])
call = {"id": "c1", "type": "function", "function": {"name": "write",
    "arguments": json.dumps({"path": "big.txt", "content": big})}}
with open("s.ndjson", "w") as f:
    f.write(json.dumps({"role": "assistant", "content": big,
        "tool_calls": [call], "finish_reason": "tool_calls"}) + "\n")
    f.write(json.dumps({"role": "assistant", "content": "written",
        "finish_reason": "stop"}) + "\n")
X
set --
for s in guard compact provider tool mem; do
	set -- "$@" -o "stages.$s=[\"python3 $T/small.py hamr-$s\"]"
done
timeout 60 hamr-loop --no-config --yes --quiet "$@" -o record.max_bytes=67108864 \
    -o context.context_budget_tokens=16000000 --replay s.ndjson "write it" \
    >out 2>err
is "$mb MB messages over 4 KiB pipes" "$? $(cat out err)" "0 written"
is "and all of it arrived" "$(wc -c <big.txt)" $((mb * 1040000))

# stopped for two seconds, each in turn
echo '{"role":"assistant","content":"fine","finish_reason":"stop"}' >f.ndjson
cat >stop.sh <<'X'
#!/bin/sh
# a stage that is stopped for a second once it runs
(sleep 0.2; kill -STOP $$; sleep 1; kill -CONT $$) >/dev/null 2>&1 </dev/null &
exec "$@"
X
chmod +x stop.sh
for s in guard compact provider tool mem; do
	timeout 20 hamr-loop --no-config --yes --quiet \
	    -o "stages.$s=[\"$T/stop.sh hamr-$s\"]" --replay f.ndjson x \
	    >out 2>err
	is "hamr-$s stopped for a second" "$? $(cat out err)" "0 fine"
done

# one that nobody asks hears of a call while it runs, not behind it
echo noted >>.git/info/exclude
cat >noted.sh <<'X'
#!/bin/sh
# a stage that writes down what it is told
while IFS= read -r line; do
	printf '%s\n' "$line" >>noted
	case $line in
	'{"type":"sync"'*|'{"type":"go"'*) printf '%s\n' "$line" ;;
	esac
done
X
jq -cn --arg wait 'for i in $(seq 300); do
	grep -q "\"start\"" noted && break; sleep .05; done
	grep -c "\"start\"" noted' '{role: "assistant", content: null,
	tool_calls: [{id: "c1", type: "function", function: {name: "bash",
	arguments: ({command: $wait} | tojson)}}], finish_reason: "tool_calls"},
	{role: "assistant", content: "heard", finish_reason: "stop"}' >w.ndjson
timeout 60 hamr-loop --no-config --yes --quiet --json -o sandbox.mode=off \
    -o "stages.mem=[\"sh $T/noted.sh\"]" --replay w.ndjson x >out 2>err
is "a stage that nobody asks is told while a call runs" "$(jq -r \
    'select(.role == "tool") | .content' out)" "exit 0
1"
is "and told everything, in order" "$(jq -r '.role // .type' noted |
    grep -v sync | tr '\n' ' ')" "$(jq -r '.role // .type' .hamr/sessions/"$(
    jq -r 'select(.type == "hamr") | .session' out)".ndjson | tr '\n' ' ')"
done_testing

#!/bin/bash
# a long input: nothing is another than for a short one (J6, J7, P3)
. "$(dirname "$0")/../lib.sh"
python3 - <<'X'
import json
line = {"role": "user", "content": "text \u00e9 and \"more\" " * 40}
with open("long", "w") as f:
    for i in range(9000):
        line["id"] = i
        f.write(json.dumps(line) + "\n")
    f.write('{"role":"user","content":"' + "x" * 3000000 + '"}\n')
    for i in range(3):
        call = {"id": f"c{i}", "type": "function", "function":
                {"name": "read", "arguments": "{\"path\":\"a\"}"}}
        f.write(json.dumps({"role": "assistant", "content": None,
                            "tool_calls": [call]}) + "\n")
        f.write(json.dumps({"role": "tool", "tool_call_id": f"c{i}",
                            "content": "same\n"}) + "\n")
X
head -n 9000 long >most
hamr-guard --no-config <long >out
is "it ends well" "$?" 0
hamr-guard --no-config -n <long >own
grep -vxF -f own out >same
ok "what is carried is what came" cmp same long
tail -n 6 long | hamr-guard --no-config -n >short
is "its end is judged" "$(wc -l <own)" "$(wc -l <short)"
hamr-guard --no-config <out >again
ok "twice is as once" cmp again out

{ cat most; echo '{"role":}'; tail -n 6 long; } >bad
hamr-guard --no-config <bad >out 2>err
is "a bad line ends it" "$?" 65
is "... by its number" "$(cat err)" \
    "hamr-guard: stdin:9001: not a JSON value at byte 9"
ok "... behind what came before" cmp out most
hamr-guard --no-config --lenient <bad >out
is "--lenient goes on" "$? $(wc -l <out) $(grep -c bad_record out)" \
    "0 $((9007 + $(wc -l <short))) 1"
{ cat most; printf '{"role":"user"'; } >cut
hamr-guard --no-config <cut >out 2>err
is "a line cut short" "$? $(cat err)" "65 hamr-guard: stdin:9001: line cut \
short (no line feed at its end)"
ok "... nothing before it is lost" cmp out most
hamr-guard --no-config -o record.max_bytes=1000000 <long >out 2>err
is "a line too long" "$? $(cat err)" "65 hamr-guard: stdin:9001: line longer \
than 1000000 bytes (record.max_bytes)"

# results of every shape, read from a file and as a resident stage reads
python3 - <<'X'
import json
def say(o):
    f.write(json.dumps(o, ensure_ascii=o.get("ascii", False)) + "\n")
shapes = [
    "plain line\n" * 40 + "one %d more\n",
    "\tint \u00e9 = \"%d\";\n\n  \\ \x0b\x01 \n",
    '{"took_ms": 5, "n": %d, "pid": 77}\n',
    "at 12:30:01 it took 1.52s, /tmp/ab12/x\n", "", "exit 0\n",
    "a\n" * 700000,	
    [{"type": "text", "text": "part %d\n"}, {"type": "text", "text": "x"},
     {"type": "image_url", "image_url": {"url": "data:"}}],
]
with open("results", "w") as f:
    for i in range(4000):
        shape = shapes[i // 4 % len(shapes)]
        if i // 4 % 80 >= 8 and len(shape) > 9999:
            shape = "b\n" * 700
        if isinstance(shape, str) and "%d" in shape:
            shape = shape.replace("%d", str(i // 2))
        if i % 40 == 0:
            say({"role": "user", "content": "go on", "ascii": i % 80 == 0})
        say({"role": "assistant", "content": None, "tool_calls": [
            {"id": f"c{i}", "type": "function", "function": {
                "name": "bash" if i % 3 else "read",
                "arguments": json.dumps({"command": f"make {i // 4 % 3}",
                                         "path": f"f{i // 8 % 5}"})}}]})
        say({"role": "tool", "tool_call_id": f"c{i}", "content": shape,
             "is_error": i % 7 == 0, "ascii": i % 5 == 0,
             "pad": "p" * 2000})
X
hamr-guard --no-config -n -a <results >once
hamr-guard --no-config -r -a <results >resident
ok "a filter and a resident stage say the same" cmp once resident
is "... and are judged" "$(grep -c '"warn"' once | awk '{print ($1 > 50)}')" 1

# what has come is passed on while more is waited for
mkfifo in
hamr-guard --no-config <in >out &
{ cat most; for _ in $(seq 200); do
	[ "$(wc -l <out)" = 9000 ] && break
	sleep 0.05
done; wc -l <out >seen; } >in
wait $!
is "what waits is passed on" "$(cat seen) $?" "9000 0"
# and who fails does not wait for more
mkfifo never
exec 8<>never
timeout 20 hamr-guard --no-config < <(exec 8>&-; cat bad never) >/dev/null 2>&1
is "a failure is the end" "$?" 65
exec 8>&-
hamr-guard --no-config <long 2>err | head -n 1 >/dev/null
is "a reader that leaves" "${PIPESTATUS[0]} $(cat err)" "141 "
done_testing

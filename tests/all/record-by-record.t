#!/bin/bash
# record-by-record.t - rule 6 of the stage contract: a record that has come in
# whole is out before the next one is waited for, however long the input was
# so far, on one processor and on several
. "$(dirname "$0")/../lib.sh"

cat >feed.py <<'X'
# feed.py FILE CPUS COMMAND...: write a line, wait for that line (what the
# stage itself adds may come before or after it), write the next.  Prints how
# many came back, and what the command's status was.
import os, select, subprocess, sys
lines = open(sys.argv[1], "rb").read().splitlines(True)
cpus = sorted(os.sched_getaffinity(0))
if sys.argv[2] == "1":
    os.sched_setaffinity(0, cpus[:1])
p = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE,
                     stdout=subprocess.PIPE, bufsize=0)
have, n = b"", 0
os.set_blocking(p.stdin.fileno(), False)
for line in lines:
    left = line
    while line not in have:
        r, w, _ = select.select([p.stdout], [p.stdin] if left else [], [], 10)
        if not r and not w:
            break
        if w:
            left = left[os.write(p.stdin.fileno(), left):]
        if r:
            got = os.read(p.stdout.fileno(), 1 << 20)
            if not got:
                break
            have += got
    else:
        n += 1
        have = have[have.index(line) + len(line):]
        continue
    break
p.stdin.close()
while p.stdout.read(1 << 20):
    pass
print(n, p.wait())
X

# short records, and some that are longer than a pipe holds
python3 - <<'X'
import json
def say(o):
    f.write(json.dumps(o) + "\n")
with open("records", "w") as f:
    say({"type": "hamr", "v": 1, "session": "s"})
    say({"role": "system", "content": "be brief"})
    say({"role": "user", "content": "look at all of them"})
    for i in range(90):
        say({"role": "assistant", "content": None, "tool_calls": [
            {"id": "c%d" % i, "type": "function", "function": {
                "name": "read", "arguments": '{"path":"f%d"}' % i}}]})
        say({"role": "tool", "tool_call_id": "c%d" % i, "name": "read",
             "content": "line of %d\n" % i * (20000 if i in (70, 71) else 12)})
    say({"role": "assistant", "content": "The files differ in one line."})
X
all=$(wc -l <records)
for cpus in 1 all; do
	for stage in "hamr-guard" "hamr-guard -F hamr" "hamr-compact -F hamr" \
	    "hamr-compact" "hamr-provider --replay /dev/null" \
	    "hamr-tool --yes" "hamr-mem -q --db mem.db"; do
		set -- $stage --no-config
		is "$stage ($cpus)" \
		    "$(python3 feed.py records $cpus "$@" 2>err | cut -d ' ' -f 1)" \
		    "$all" || diagnose <err
	done
done
done_testing

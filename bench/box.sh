#!/bin/sh
# box.sh - a sandboxed bash call beside a bare one: "true", p50 and p90 of 300
# calls in one resident hamr-tool, the time of the first, and bwrap from
# scratch.  Wanted: at most 1.5 ms more (p50).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
unset HAMR_BIN
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
mkdir "$t/root"
cat >"$t/time.py" <<'E'
import json, subprocess, sys, time
tool, root = sys.argv[1:3]

def run(opts, n=300):
    p = subprocess.Popen([tool, "-q", "-r", "--yes", "--root", root] + opts,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL)
    def put(*lines):
        p.stdin.write("".join(l + "\n" for l in lines))
        p.stdin.flush()
    def get():
        while True:
            line = p.stdout.readline()
            if not line.startswith('{"type":"checkpoint"'):
                return line
    took = []
    for i in range(n):
        put(json.dumps({"role": "assistant", "tool_calls": [{"id": "c%d" % i,
            "type": "function", "function": {"name": "bash",
            "arguments": '{"command":"true"}'}}]}), '{"type":"go","n":1}')
        start = get()
        begun = time.perf_counter()
        put(start.strip())
        result = get()
        took.append((time.perf_counter() - begun) * 1e3)
        name = json.loads(result)["meta"]["sandbox"]
        put(result.strip())
        p.stdout.readline()
    p.stdin.close()
    p.wait()
    rest = sorted(took[1:])
    print("%-12s %8.2f %8.2f %8.2f" % (name, took[0], rest[n // 2],
        rest[n * 9 // 10]))

def once(argv, n=50):
    took = []
    for i in range(n):
        begun = time.perf_counter()
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)
        took.append((time.perf_counter() - begun) * 1e3)
    took.sort()
    return took[n // 2]

print("%-12s %8s %8s %8s   ms" % ("", "first", "p50", "p90"))
for again in range(2):
    run(["-o", "sandbox.mode=off"])
    run([])
    run(["--mode", "verify"], 50)
try:
    bare = once(["bash", "-c", "true"])
    box = once(["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--",
        "bash", "-c", "true"])
    print("%-12s %8s %8.2f            (bash alone %.2f)" %
        ("bwrap anew", "", box, bare))
except (OSError, subprocess.CalledProcessError):
    pass
E
python3 "$t/time.py" "$bin/hamr-tool" "$t/root"

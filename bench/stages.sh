#!/bin/sh
# stages.sh - what every record costs: the scanner beside other parsers of the
# same file; records of no concern through each stage into a pipe, and one line
# of 4 KB through it while it runs, beside cat; its start beside /bin/true.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
obj=${OBJ:-$top/obj}
unset HAMR_BIN
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cc -O2 -w -D_GNU_SOURCE -I"$top/lib" -o "$t/scan" "$top/bench/scan.c" \
    "$obj/libhamr.a" -lcjson -lcrypto -lm
find "$top/tests/data/guard" -type f | while read -r f; do
	"$bin/hamr-guard" --no-config -q --import-only "$f" 2>/dev/null || :
done | jq -c '{type: "note", of: .}' >"$t/once"
cd "$t"
PATH=$bin:$PATH python3 - <<'X'
import json, os, shutil, subprocess, time

with open("once", "rb") as f:
    once = f.read()
with open("lines", "wb") as f:
    while f.tell() < 25e6:
        f.write(once)
MB = os.path.getsize("lines") / 1e6


def rate(command, runs=5):
    best = 1e9
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, shell=True, check=True)
        best = min(best, time.perf_counter() - start)
    return MB / best


def start(command):
    took = []
    for _ in range(41):
        begun = time.perf_counter()
        subprocess.run(command, stdin=subprocess.DEVNULL)
        took.append(time.perf_counter() - begun)
    return sorted(took)[20] * 1e3


def json_one_line(command):
    line = json.dumps({"type": "note", "text": "x" * 4000}).encode() + b"\n"
    took = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0,
                          stdout=subprocess.PIPE) as p:
        for _ in range(2000):
            begun = time.perf_counter()
            p.stdin.write(line)
            got = 0
            while got < len(line):
                got += len(p.stdout.read(65536))
            took.append(time.perf_counter() - begun)
        p.stdin.close()
    return sorted(took)[1000] * 1e6


subprocess.run(["./scan", "lines"], check=True)
for name, command in (
        ("jq", "jq empty lines"),
        ("node", "node -e 'for (const l of require(\"fs\").readFileSync("
         "\"lines\", \"utf8\").split(\"\\n\")) l && JSON.parse(l)'"),
        ("Python", "python3 -c 'import json\nfor l in open(\"lines\"): "
         "json.loads(l)'")):
    if shutil.which(name.lower() if name != "Python" else "python3"):
        print("%-40s %15.0f MB/s" % (name, rate(command, 1)), flush=True)
print("%-16s %10s %12s %9s" % ("", "MB/s", "4 KB, us", "start, ms"))
print("%-16s %10.0f %12.1f %9.2f  (start: /bin/true)" % ("cat",
    rate("cat lines | cat >/dev/null"), json_one_line(["cat"]),
    start(["/bin/true"])), flush=True)
for name, more in (("guard", ""), ("compact", ""), ("tool", ""),
                   ("mem", " --db m.db"), ("provider", " --replay /dev/null")):
    command = "hamr-%s --no-config -q%s" % (name, more)
    print("%-16s %10.0f %12.1f %9.2f" % ("hamr-" + name,
        rate(command + " <lines | cat >/dev/null"), json_one_line(command.split()),
        start(command.split())), flush=True)
X

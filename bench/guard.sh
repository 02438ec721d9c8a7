#!/bin/sh
# guard.sh - hamr-guard beside cJSON parsing the same file, in one run.
#
#	bench/guard.sh [FOLDER]		recorded sessions; default tests/data
#
# The sessions are read through the importers and repeated to 250 MB (MB=).
# A line a round: MB/s of cJSON, of hamr-guard -n, and of hamr-guard as a filter
# to /dev/null and into a pipe; then the best of each, the ratios to cJSON by
# the clock and by processor time, and the memory of hamr-guard for the first
# tenth and for all.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
unset HAMR_BIN
folder=${1:-$top/tests/data/guard}
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

cat >"$t/cjson.c" <<'C'
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while ((n = getline(&line, &cap, stdin)) > 0)
		cJSON_Delete(cJSON_ParseWithLength(line, (size_t)n));
	return 0;
}
C
cc -O2 -w -D_GNU_SOURCE -o "$t/cjson" "$t/cjson.c" -lcjson

find "$folder" -type f | sort | while read -r f; do
	"$bin/hamr-guard" --no-config -q --import-only "$f" 2>/dev/null ||
	    grep -s '"role"' "$f" || :
done >"$t/once"
test -s "$t/once" || { echo "$folder: no sessions" >&2; exit 66; }

python3 - "$t" "$bin/hamr-guard" "${MB:-250}" <<'P'
import os, resource, subprocess, sys, time
t, guard, size = sys.argv[1], sys.argv[2], int(sys.argv[3]) * 1000000
once = open(t + "/once", "rb").read()
with open(t + "/all", "wb") as f:
    while f.tell() < size:
        f.write(once)
size = os.path.getsize(t + "/all")
with open(t + "/all", "rb") as a, open(t + "/tenth", "wb") as b:
    b.write(a.read(size // 10).rpartition(b"\n")[0] + b"\n")

def run(args, name, out):
    before, since = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    with open(t + "/" + name, "rb") as f:
        subprocess.run(args, stdin=f, stdout=out, check=True)
    took = time.time() - since
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = (after.ru_utime + after.ru_stime -
             before.ru_utime - before.ru_stime)
    return size / 1e6 / took, size / 1e6 / spent

def most(name):
    p = subprocess.run([sys.executable, "-c",
        "import resource,subprocess,sys\n"
        "subprocess.run(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
        guard, "--no-config", "-n"], stdin=open(t + "/" + name, "rb"),
        stdout=subprocess.PIPE)
    return int(p.stdout.split()[-1])

null = open(os.devnull, "wb")
best, least = [0] * 4, [0] * 4
print("%d MB, a line is %d bytes on average" % (
    size // 1000000, len(once) // max(1, once.count(b"\n"))))
for _ in range(5):
    cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=null)
    now = (run([t + "/cjson"], "all", null),
           run([guard, "--no-config", "-n"], "all", null),
           run([guard, "--no-config"], "all", null),
           run([guard, "--no-config"], "all", cat.stdin))
    cat.stdin.close()
    cat.wait()
    best = [max(a, b[0]) for a, b in zip(best, now)]
    least = [max(a, b[1]) for a, b in zip(least, now)]
    print("cJSON %5.0f MB/s  guard -n %5.0f  filter to /dev/null %5.0f  "
          "into a pipe %5.0f" % tuple(n[0] for n in now))
for name, rate in (("MB/s", best), ("MB/s of processor time", least)):
    print("best %s: cJSON %.0f, -n %.0f (%.2f), /dev/null %.0f (%.2f), "
          "pipe %.0f (%.2f)" % ((name, rate[0]) + tuple(
              x for r in rate[1:] for x in (r, r / rate[0]))))
print("memory: %d KiB for a tenth, %d KiB for all" % (
    most("tenth"), most("all")))
P

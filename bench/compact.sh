#!/bin/sh
# compact.sh - the request from scratch and step by step, beside cJSON's parse
# and cat of the same file; hostile inputs; ten times the input.
#
#	compact.sh [SESSION.ndjson]	else one of 1.7 MB is made
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
unset HAMR_BIN
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cat >"$t/cjson.c" <<'X'
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	char *line = NULL;
	size_t cap = 0;
	while (getline(&line, &cap, stdin) > 0)
		cJSON_Delete(cJSON_Parse(line));
	return 0;
}
X
cc -O2 -w -D_GNU_SOURCE -o "$t/cjson" "$t/cjson.c" -lcjson
python3 - "$bin/hamr-compact" "$t" "${1:-}" <<'X'
import json, os, random, subprocess, sys, time

compact, t, given = sys.argv[1:4]


def best(args, path, runs):
    """Shortest time in seconds, by the clock and of the processor."""
    low, cpu = 1e9, 1e9
    for _ in range(runs):
        start = time.perf_counter()
        p = subprocess.Popen(args, stdin=open(path), stdout=subprocess.DEVNULL)
        _, _, used = os.wait4(p.pid, 0)
        p.returncode = 0
        low = min(low, time.perf_counter() - start)
        cpu = min(cpu, used.ru_utime + used.ru_stime)
    return low, cpu


def say(what, args, path, runs=25):
    s, cpu = best(args, path, runs)
    n = os.path.getsize(path)
    print("%-28s %6.2f MB %7.1f ms (processor %6.1f) %6.0f MB/s" % (
        what, n / 1e6, s * 1e3, cpu * 1e3, n / 1e6 / s), flush=True)
    return cpu


def memory(path):
    """What it has taken at most when a request is made, in MiB."""
    p = subprocess.Popen([compact, "--no-config", "-r"], text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with open(path) as g:
        p.stdin.write(g.read() + '{"type":"go"}\n')
    p.stdin.flush()
    for line in p.stdout:
        if line.startswith('{"type":"go"'):
            break
    with open("/proc/%d/status" % p.pid) as g:
        kib = [x for x in g if x.startswith("VmHWM")][0].split()[1]
    p.stdin.close()
    p.wait()
    return int(kib) / 1024


def session(path, size, seed=1):
    r = random.Random(seed)
    words = ("static int return struct if for while the file is not found "
             "error src/main.c lib/buf.c \"name\" \t\t } { ; -> == NULL").split(" ")
    text = lambda n: "".join(r.choice(words) + ("\n" if r.random() < .12
                             else " ") for _ in range(n))
    with open(path, "w") as f:
        put = lambda **m: f.write(json.dumps(m) + "\n")
        put(type="hamr", v=1, session="bench")
        i = 0
        while f.tell() < size:
            i += 1
            if i % 12 == 1:
                put(role="user", content=text(20))
            name = r.choice(["read", "read", "bash", "edit"])
            a = {"path": "src/%d.c" % r.randrange(40)}
            if name == "bash":
                a = {"command": "make t%d" % r.randrange(20)}
            if name == "edit":
                a.update(old=text(60), new=text(90))
            put(role="assistant", content=text(10), tool_calls=[{
                "id": "call_%d" % i, "type": "function", "function": {
                    "name": name, "arguments": json.dumps(a)}}])
            put(role="tool", tool_call_id="call_%d" % i,
                content=text(r.choice([5, 40, 250, 700])))


f = given or t + "/session"
if not given:
    session(f, 1700000)
base = [compact, "--no-config", "-n"]
say("cat", ["cat"], f)
say("cJSON, parse only", [t + "/cjson"], f)
one = say("hamr-compact, from scratch", base, f)
print("memory: %.1f MiB" % memory(f))
say("hamr-compact, window 32768", base + ["--window", "32768"], f)
with open(f) as a, open(t + "/ten", "w") as b:
    lines = a.read()
    for k in range(10):
        b.write(lines.replace("call_", "c%d_" % k).replace(
            '{"type": "hamr"', '{"type": "was"'))
ten = say("ten times as much", base, t + "/ten", 5)
print("ten times the input: %.1f times the processor time" % (ten / one))

# step by step: a go before each answer; what a step costs beside its bytes
with open(t + "/gos", "w") as b:
    n = 0
    for line in open(f):
        if line.startswith('{"role": "assistant"') or \
                line.startswith('{"role":"assistant"'):
            n += 1
            b.write('{"type":"go","n":%d}\n' % n)
        b.write(line)
start = time.perf_counter()
p = subprocess.Popen([compact, "--no-config", "-r"], stdin=open(t + "/gos"),
                     stdout=subprocess.PIPE)
out = 0
while True:
    block = p.stdout.read(1 << 20)
    if not block:
        break
    out += len(block)
p.wait()
s = time.perf_counter() - start
print("step by step: %d requests, %.3f ms each, %.0f MB/s written" % (
    n, s * 1e3 / max(n, 1), out / 1e6 / s))


def put(path, records):
    with open(path, "w") as g:
        for m in records:
            g.write(json.dumps(m) + "\n")


def steps(n):
    yield {"role": "user", "content": "go"}
    for i in range(n):
        yield {"role": "assistant", "content": None, "tool_calls": [{
            "id": "c%d" % i, "type": "function", "function": {
                "name": "read", "arguments": '{"path":"f%d"}' % i}}]}
        yield {"role": "tool", "tool_call_id": "c%d" % i, "content": "x"}


put(t + "/tiny", ({"role": ("user", "assistant")[i % 2], "content": "m%d" % i}
                  for i in range(100000)))
put(t + "/calls", steps(10000))
put(t + "/huge", [{"role": "user", "content": "go"},
                  {"role": "assistant", "content": None, "tool_calls": [{
                      "id": "c", "type": "function", "function": {
                          "name": "bash", "arguments": '{"command":"x"}'}}]},
                  {"role": "tool", "tool_call_id": "c",
                   "content": "a line of output, 12345\n" * 2083334}])
say("100,000 tiny messages", base, t + "/tiny", 3)
say("10,000 calls in one turn", base, t + "/calls", 3)
say("one result of 50 MB", base, t + "/huge", 3)
X

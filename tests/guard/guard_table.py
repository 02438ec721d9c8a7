#!/usr/bin/env python3
"""guard_table.py - hamr-guard on recorded sessions, and on loops put into them.

    guard_table.py [-p PROFILE] GUARD healthy PATH...
        one row a kind of session: conversations, calls, what was said
    guard_table.py [-p PROFILE] GUARD loops PATH...
        one row a kind of loop: caught in how many of the sessions, and how
        many of its calls it took until the first word, block and halt

    guard_table.py [-p PROFILE] GUARD pure PATH...
        applied twice it says what it said once, byte for byte; fed line by
        line, what it says of the whole; keys in another order change nothing

PATH is a file, or a folder that is searched.  Sessions of other programs are
read through `GUARD --import-only`.  Status 1 when a healthy session gets a
block or a halt, or more than 3 warnings in all; or when a loop of some row is
not caught.
"""
import json
import os
import re
import subprocess
import sys
import threading

LAPS = 8
MUTATES = ("edit", "write")
CHANGES = re.compile(r"(^|[;&|]\s*)(rm|mv|cp|mkdir|touch|sed -i|git (add|"
                     r"commit|checkout|stash|restore|reset))\b|[^0-9&]>")
# The means of notes on other guards' tables are of this kind, too: calls of
# the loop up to the first word.
WANTED = {"period 1": 2, "period 2": 4, "period 3": 5, "period 5": 6,
          "period 6": 6, "period 12": 5, "cosmetic arguments": 2,
          "times in results": 5, "other arguments": 8,
          "novel reads between": 4}


def run(guard, args, text=None):
    p = subprocess.run([guard, "--no-config"] + args,
                       input=text, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
    return p.stdout if p.returncode < 2 else None


def records_of(guard, path):
    """The file's records, or [] when it is no transcript."""
    out = run(guard, ["-q", "--import-only", path])
    if out is None:
        out = b""
        with open(path, "rb") as f:
            for line in f:
                try:
                    r = json.loads(line)
                except (ValueError, RecursionError):
                    return []
                if not isinstance(r, dict) or not (
                        out or "role" in r or r.get("type") == "hamr"):
                    return []
                out += line
    return [json.loads(x) for x in out.splitlines()]


def files_of(paths):
    for p in paths:
        if not os.path.isdir(p):
            yield os.path.basename(os.path.dirname(os.path.abspath(p))), p
            continue
        for folder, _, names in sorted(os.walk(p)):
            for n in sorted(names):
                yield os.path.basename(folder), os.path.join(folder, n)


def conversations(records):
    out = []
    for r in records:
        if r.get("type") == "hamr" or not out:
            out.append([])
        out[-1].append(r)
    return [c for c in out if any(r.get("role") for r in c)]


def judged(guard, options, records):
    text = "".join(json.dumps(r) + "\n" for r in records).encode()
    out = run(guard, ["-n"] + options, text) or b""
    return [r for r in map(json.loads, out.splitlines())
            if r.get("type") == "verdict"]


def healthy(guard, options, paths):
    rows, total = {}, [0] * 6
    for kind, path in files_of(paths):
        row = rows.setdefault(kind, [0] * 6)
        for c in conversations(records_of(guard, path)):
            said = judged(guard, options, c)
            numbers = [1, sum(len(r.get("tool_calls") or []) for r in c)] + [
                sum(v["action"] == a and v["phase"] != "text" for v in said)
                for a in ("warn", "block", "halt")] + [
                sum(v["phase"] == "text" for v in said)]
            for i, n in enumerate(numbers):
                row[i] += n
                total[i] += n
    line = "%-16s %13s %7s %9s %7s %6s %7s"
    print(line % ("sessions", "conversations", "calls", "warnings", "blocks",
                  "halts", "answers"))
    for kind, row in sorted(rows.items()):
        if row[0]:
            print(line % (kind, *row))
    print(line % ("all", *total))
    return total[3] == total[4] == 0 and total[2] <= 3 and total[0] > 0


# -- loops

def steps_of(c):
    """(call, result) of each call of the longest turn, and the records up to
    its last complete step."""
    best, prefix, turn, open_, at = [], [], [], {}, 0
    for i, r in enumerate(c):
        if r.get("role") == "user" and (r.get("meta") or {}).get(
                "by", "user") in ("user", "shell"):
            turn = []
        for call in r.get("tool_calls") or []:
            open_[call["id"]] = call
        if r.get("role") == "tool" and r.get("tool_call_id") in open_:
            turn.append((open_.pop(r["tool_call_id"]), r))
            if not open_ and len(turn) > len(best):
                best, prefix = list(turn), c[:i + 1]
    return best, prefix


def looping(turn, period):
    """The last calls that change nothing, one of each kind."""
    out, seen = [], set()
    for call, result in reversed(turn):
        key = json.dumps(call["function"], sort_keys=True)
        command = str((arguments(call) or {}).get("command", ""))
        if call["function"]["name"] in MUTATES or key in seen or \
                CHANGES.search(command):
            continue
        seen.add(key)
        out.insert(0, (call, result))
        if len(out) == period:
            return out
    return None


class Loop:
    def __init__(self):
        self.records = []
        self.n = 0

    def step(self, name, args, result):
        self.n += 1
        i = "loop%d" % self.n
        self.records.append({
            "role": "assistant", "content": None, "tool_calls": [{
                "id": i, "type": "function",
                "function": {"name": name, "arguments": args}}]})
        r = {k: v for k, v in result.items() if k != "meta"}
        self.records.append(dict(r, tool_call_id=i))


def arguments(call):
    """Its arguments as an object, or None."""
    try:
        a = json.loads(call["function"]["arguments"])
    except (TypeError, ValueError):
        return None
    return a if isinstance(a, dict) else None


def text_of(result):
    c = result.get("content")
    if isinstance(c, list):
        c = "".join(p.get("text", "") for p in c if isinstance(p, dict))
    return c or ""


def plain(calls, out):
    for _ in range(LAPS):
        for call, result in calls:
            out.step(call["function"]["name"], call["function"]["arguments"],
                     result)


def cosmetic(calls, out):
    (call, result), = calls
    a = arguments(call)
    for k in range(LAPS):
        out.step(call["function"]["name"],
                 json.dumps(dict(a, description="try number %d" % k)), result)


def spelling(calls, out):
    (call, result), = calls
    a = arguments(call)
    for k in range(LAPS):
        b = dict(reversed(a.items())) if k % 2 else a
        out.step(call["function"]["name"],
                 json.dumps(b, indent=k % 3 or None), result)


def times(calls, out):
    (call, result), = calls
    for k in range(LAPS):
        out.step(call["function"]["name"], call["function"]["arguments"],
                 dict(result, content=text_of(result) +
                      "\nfinished 2026-11-20 10:%02d:%02d in 0.%03ds" % (
                          k, 3 * k % 60, 7 * k + 11)))


def others(calls, out):
    (call, result), = calls
    a = arguments(call)
    for k in range(2 * LAPS):
        out.step(call["function"]["name"], json.dumps(dict(a, variant=k)),
                 result)


def between(calls, out):
    (call, result), = calls
    for k in range(2 * LAPS):
        out.step(call["function"]["name"], call["function"]["arguments"],
                 result)
        out.step("read", json.dumps({"path": "novel/%d.c" % k}), {
            "role": "tool", "name": "read", "content": "\n".join(
                "line %d of the novel file number %d, read for the first "
                "time" % (i, k) for i in range(5))})


KINDS = [("period %d" % p, p, plain) for p in range(1, 13)] + [
    ("cosmetic arguments", 1, cosmetic), ("spelling of arguments", 1,
                                          spelling),
    ("times in results", 1, times), ("other arguments", 1, others),
    ("novel reads between", 1, between)]


def first(said, actions):
    for v in said:
        if v["action"] in actions and v["phase"] != "text" and \
                str(v.get("tool_call_id", "")).startswith("loop"):
            return int(v["tool_call_id"][4:])
    return None


def mean(numbers):
    return "%.1f" % (sum(numbers) / len(numbers)) if numbers else "-"


def loops(guard, options, paths):
    prefixes = []
    for _, path in files_of(paths):
        for c in conversations(records_of(guard, path)):
            turn, prefix = steps_of(c)
            if len(turn) > 1:
                prefixes.append((turn, prefix))
    line = "%-22s %8s %7s %11s %6s %13s %12s"
    print(line % ("loop", "sessions", "caught", "first word", "notes",
                  "first refusal", "refused in"))
    good = bool(prefixes)
    for name, period, make in KINDS:
        words, refusals, n = [], [], 0
        for turn, prefix in prefixes:
            calls = looping(turn, period)
            if calls is None or arguments(calls[0][0]) is None:
                continue
            n += 1
            out = Loop()
            make(calls, out)
            said = judged(guard, options, prefix + out.records)
            words.append(first(said, ("warn", "block", "halt")))
            refusals.append(first(said, ("block", "halt")))
        words = [w for w in words if w]
        refusals = [w for w in refusals if w]
        good &= len(words) == n
        print(line % (name, n, "%d%%" % (100 * len(words) // n) if n else "-",
                      mean(words), WANTED.get(name, ""), mean(refusals),
                      len(refusals)))
    return good


# -- a pure function

def filtered(guard, options, lines, piecewise):
    p = subprocess.Popen([guard, "--no-config"] + options,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out = []
    reader = threading.Thread(target=lambda: out.append(p.stdout.read()))
    reader.start()
    for part in lines if piecewise else [b"".join(lines)]:
        p.stdin.write(part)
        p.stdin.flush()
    p.stdin.close()
    reader.join()
    p.wait()
    return out[0]


def reordered(records):
    out = []
    for r in records:
        r = json.loads(json.dumps(r))
        for call in r.get("tool_calls") or []:
            a = arguments(call)
            if a is not None:
                call["function"]["arguments"] = json.dumps(
                    dict(reversed(a.items())), indent=1)
        out.append(r)
    return out


def pure(guard, options, paths):
    n = bad = 0
    for _, path in files_of(paths):
        for c in conversations(records_of(guard, path)):
            lines = [(json.dumps(r) + "\n").encode() for r in c]
            once = filtered(guard, options, lines, False)
            twice = filtered(guard, options, once.splitlines(True), False)
            slow = filtered(guard, options, lines, True)
            other = judged(guard, options, reordered(c))
            n += 1
            if once != twice or once != slow or \
                    other != judged(guard, options, c):
                bad += 1
                print("%s: %s" % (path, "applied twice" if once != twice else
                                  "line by line" if once != slow else
                                  "order of keys"))
    print("%d sessions: %d differ" % (n, bad))
    return n > 0 and bad == 0


def main(argv):
    options = []
    if argv[:1] == ["-p"]:
        options, argv = ["-p", argv[1]], argv[2:]
    guard, what, paths = argv[0], argv[1], argv[2:]
    guard = os.path.abspath(guard) if "/" in guard else guard
    return {"healthy": healthy, "loops": loops, "pure": pure}[what](guard, options, paths)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(0 if main(sys.argv[1:]) else 1)

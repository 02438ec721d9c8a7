#!/usr/bin/env python3
"""guard_model.py - the rules of chapter 3 once more, slow and plain.

An independent reading: it keeps every list whole, knows nothing of hash
tables, bounds or passes, and finds periods by trying all of them.

    guard_model.py judge <transcript          what hamr-guard -n should say
    guard_model.py check GUARD [OPTION...]    all short sequences, and many
                                              random ones, against GUARD
A line is [call id or null, action, phase, rule, count, signature or null].
"""
import hashlib
import itertools
import json
import random
import subprocess
import sys
from fractions import Fraction

POLLS = ("sleep ", "tail ", "ps ")
DROPPED = {"description", "reason", "intent", "thought", "explanation",
           "request_id", "trace_id", "nonce", "timestamp"}


def signature(name, arguments):
    try:
        a = json.loads(arguments)
    except ValueError:
        text = arguments
    else:
        a = {k: v for k, v in a.items() if v is not None and k not in DROPPED}
        text = json.dumps(a, sort_keys=True, separators=(",", ":"),
                          ensure_ascii=False)
    return hashlib.sha256((name + "\0" + text).encode()).hexdigest()


class Call:
    def __init__(self, c):
        f = c["function"]
        self.id, self.name = c["id"], f["name"]
        self.args = f["arguments"]
        self.sig = signature(self.name, self.args)
        try:
            cmd = json.loads(self.args).get("command", "x")
        except ValueError:
            cmd = "x"
        bash = self.name == "bash"
        self.idle = bash and (cmd in (":", "true") or
                              cmd.startswith("echo ") and "$" not in cmd)
        self.poll = bash and cmd.startswith(POLLS)
        self.reads = self.name == "read" or self.idle or self.poll
        self.edits = self.name in ("edit", "write")
        self.said = None
        self.warn = 0


class Model:
    def __init__(self, **o):
        self.o = dict(warn=3, block=5, halt=8, fresh=8, stall_warn=4,
                      stall=8, gain=60)
        self.o.update(o)
        self.out = []
        self.open = []
        self.step = None
        self.turn = 0
        self.begin()

    def begin(self):
        self.turn += 1
        self.entries = {}       # signature: streak in this epoch
        self.known = set()      # signatures run in this turn
        self.states = set()
        self.lines = set()
        self.history = []
        self.halted = None
        self.force = 0
        self.window = 0
        self.news = 0
        self.score = 0
        self.asked = self.over = False
        self.nudged = self.nudged_turn = 0

    def say(self, *row):
        self.out.append(list(row))

    # -- what is a cycle

    def rule(self, entry):
        n = len(self.history)
        best = None
        for size in range(n, 1, -1):
            tail = self.history[n - size:]
            for p in range(1, size // 2 + 1):
                if all(tail[i] == tail[i + p] for i in range(size - p)):
                    best = p
                    break
            if best:
                break
        if not best or best < 2:
            return "repeat"
        pair = (entry["sig"], entry["raw"])
        return "cycle" if pair in self.history[n - best:] else "repeat"

    # -- call phase

    def call(self, c, forced, earlier):
        o = self.o
        if self.halted:
            c.said = "halt"
            self.say(c.id, "halt", "call", *self.halted, c.sig)
            return
        if forced or self.over:
            c.said = "halt"
            self.halted = ("stall", int(self.score))
            self.say(c.id, "halt", "call", *self.halted, c.sig)
            return
        for i, e in enumerate(earlier):
            if e.sig == c.sig and e.said != "share" and not any(
                    b.said is None and not b.reads
                    for b in earlier[i + 1:]):
                e.same = getattr(e, "same", 0) + 1
                c.said = "share"
                self.say(c.id, "share", "call", "batch", e.same + 1, c.sig)
                return
        e = self.entries.get(c.sig)
        if not e or e["window"] != self.window:
            return
        n = e["n"] + e["blocked"] + 1
        block, halt = o["block"], o["halt"]
        if self.news > e["told"] and o["fresh"] > block:
            halt += o["fresh"] - block
            block = o["fresh"]
        if c.poll:
            block, halt = 3 * block, 3 * halt
        if n >= halt:
            c.said = "halt"
            self.halted = (self.rule(e), n)
            self.say(c.id, "halt", "call", *self.halted, c.sig)
        elif n >= block:
            c.said = "block"
            self.say(c.id, "block", "call", self.rule(e), n, c.sig)
            e["blocked"] += 1
            e["told"] = self.news
            self.step["weights"].append(Fraction(1, 3) if c.poll else 1)
            self.step["blocked"] = True

    # -- result phase

    def result(self, m):
        c = next((c for c in self.open if c.id == m["tool_call_id"]), None)
        if c is None:
            return
        self.open.remove(c)
        if c.turn == self.turn and c.said is None and \
                m.get("meta", {}).get("verdict") not in (
                    "block", "halt", "share"):
            self.outcome(c, m)
        s = self.step
        if s and c in s["calls"]:
            s["left"] -= 1
            if s["left"] == 0:
                self.end(s)

    def outcome(self, c, m):
        lines = [x.strip() for x in m["content"].split("\n")]
        gain = 0
        for x in lines:
            if x and x not in self.lines:
                gain += len(x)
                self.lines.add(x)
        if c.idle:
            gain = 0
        failed = m.get("is_error", False)
        raw = (failed, "\n".join(x.rstrip() for x in
                                 m["content"].split("\n")).rstrip())
        progress = revisit = False
        if c.edits and not failed:
            progress = c.sig not in self.states
            revisit = not progress
            self.states.add(c.sig)
        if progress:
            self.entries = {}
            self.history = []
        if progress or gain and gain >= self.o["gain"]:
            self.news += 1
            self.score = 0
            self.asked = self.over = False
            self.step_of(c)["news"] = True
        known = c.sig in self.known
        self.known.add(c.sig)
        e = self.entries.get(c.sig)
        free = False
        if e and e["raw"] == raw:
            same = True
            free = e["window"] != self.window
            if not free:
                e["n"] += 1
        else:
            same = False
            e = self.entries[c.sig] = dict(sig=c.sig, n=1, blocked=0,
                                           raw=raw, told=self.news)
        e["window"] = self.window
        e["poll"] = c.poll
        self.history = (self.history + [(c.sig, raw)])[-128:]
        if same and not free and e["n"] >= self.o["warn"] * (
                3 if c.poll else 1):
            c.warn = e["n"]
        self.step_of(c)["weights"].append(
            1 if c.idle else
            (Fraction(1, 3) if c.poll else 1) if same and not free else
            1 if revisit else
            0 if gain or free else
            0 if not known and (failed or c.name == "bash" and not any(
                lines)) else
            Fraction(1, 3) if c.poll else Fraction(1, 2))

    def step_of(self, c):
        """The step in hand if c is of it, else one that nobody looks at."""
        s = self.step
        return s if s and c in s["calls"] else {"weights": []}

    def end(self, s):
        w = max(s["weights"], default=0)
        quiet = not s.get("news")
        if quiet:
            self.score += w
        rules = []
        for c in s["calls"]:
            if c.warn:
                e = self.entries.get(c.sig)
                rule = self.rule(e) if e else "repeat"
                if e:
                    e["told"] = self.news
                self.say(c.id, "warn", "result", rule, c.warn, c.sig)
                rules.append(rule)
        score = self.score
        if quiet and w > 0 and not any(
                c.said == "halt" for c in s["calls"]) and (
                score >= self.o["stall"] or
                score >= self.o["stall_warn"] and not s.get("blocked")):
            last = s["calls"][-1]
            self.say(last.id, "warn", "result", "stall", int(score),
                     last.sig)
            rules.append("stall")
            if score >= self.o["stall"]:
                if self.asked:
                    self.over = True
                else:
                    self.asked = True
                    self.force = 1
                    self.say("constrain", "none", "stall", 1)
        if rules:
            order = ["repeat", "cycle", "stall"]
            self.say("nudge", [r for r in order if r in rules])
        s["weights"] = []

    # -- records

    def record(self, r):
        role, kind = r.get("role"), r.get("type")
        if role == "assistant":
            forced, self.force = self.force > 0, max(0, self.force - 1)
            calls = [Call(c) for c in r.get("tool_calls", [])]
            self.step = dict(calls=calls, left=len(calls), weights=[])
            for i, c in enumerate(calls):
                c.turn = self.turn
                self.open.append(c)
                self.call(c, forced, calls[:i])
        elif role == "tool":
            self.result(r)
        elif role in ("user", "system"):
            self.step = None
            if role == "user":
                self.begin()
        elif kind == "hamr":
            out = self.out
            self.__init__(**self.o)
            self.out = out
        elif kind == "compaction":
            self.lines = set()
            self.window += 1
        elif kind == "recovery":
            self.halted = None
            for e in self.entries.values():
                e["n"] = min(e["n"], self.o["warn"] * (
                    3 if e["poll"] else 1))
                e["blocked"] = 0
            self.score = min(self.score, self.o["stall_warn"])
            self.asked = self.over = False


def said_by(program, options, text):
    p = subprocess.run([program, "--no-config", "-n"] + options,
                       input=text.encode(), stdout=subprocess.PIPE,
                       check=True)
    rows = []
    for line in p.stdout.decode().splitlines():
        r = json.loads(line)
        if r.get("type") == "verdict":
            rows.append([r.get("tool_call_id"), r["action"], r["phase"],
                         r["rule"], r["count"], r["signature"]])
        elif r.get("type") == "constrain":
            rows.append(["constrain", r["tool_choice"], r["rule"],
                         r["steps"]])
        else:
            rows.append(["nudge", r["meta"]["rules"]])
    return rows


# -- transcripts

TEXTS = ["a first text of more than sixty characters, so that it is news, yes",
         "short"]
CALLS = [("read", {"path": "a"}), ("bash", {"command": "make"}),
         ("grep", {"x": 1, "y": [True]})]
MORE = CALLS + [("bash", {"command": "echo hi"}),
                ("bash", {"command": "sleep 3"}),
                ("edit", {"path": "a", "old": "1", "new": "2"}),
                ("edit", {"path": "a", "old": "2", "new": "1"}),
                ("write", {"path": "b", "content": "c"})]


class Maker:
    def __init__(self):
        self.n = 0
        self.records = []

    def begin(self):
        self.records.append({"type": "hamr", "v": 1})
        self.records.append({"role": "user", "content": "go"})

    def calls(self, calls):
        out = []
        for name, args in calls:
            self.n += 1
            out.append({"id": "c%d" % self.n, "type": "function",
                        "function": {"name": name,
                                     "arguments": json.dumps(args)}})
        self.records.append({"role": "assistant", "content": None,
                             "tool_calls": out})
        return [c["id"] for c in out]

    def result(self, i, text, failed=False):
        r = {"role": "tool", "tool_call_id": i, "content": text}
        if failed:
            r["is_error"] = True
        self.records.append(r)


def short_sequences(length):
    m = Maker()
    pairs = list(itertools.product(CALLS, TEXTS))
    for n in range(1, length + 1):
        for seq in itertools.product(pairs, repeat=n):
            m.begin()
            for call, text in seq:
                m.result(m.calls([call])[0], text)
    return m.records


def random_sequences(count, seed):
    rnd = random.Random(seed)
    m = Maker()
    for _ in range(count):
        m.begin()
        some = rnd.sample(MORE, rnd.randint(1, 4))
        texts = TEXTS + ["", "line %d" % rnd.randint(1, 9)]
        texts = rnd.sample(texts, rnd.randint(1, 3))
        for step in range(rnd.randint(1, 40)):
            ids = m.calls(rnd.choices(some, k=rnd.choice([1, 1, 1, 2, 3])))
            if rnd.random() < .1:
                rnd.shuffle(ids)
            for i in ids:
                if rnd.random() < .98:
                    text = rnd.choice(texts)
                    if rnd.random() < .1:
                        text += "\nnumber %d of the novel lines, which is " \
                            "long enough to be news to anybody" % m.n
                    m.result(i, text, rnd.random() < .05)
            x = rnd.random()
            if x < .02:
                m.records.append({"type": "compaction", "epoch": 1})
            elif x < .04:
                m.records.append({"type": "recovery", "scenario": "x",
                                  "attempt": 1})
            elif x < .06:
                m.records.append({"role": "user", "content": "go on"})
            elif x < .08:
                m.records.append({"role": "assistant",
                                  "content": "Here is what I found so far."})
    return m.records


def compare(name, records, guard, options, **o):
    model = Model(**o)
    for r in records:
        model.record(r)
    got = said_by(guard, options,
                  "".join(json.dumps(r) + "\n" for r in records))
    if got == model.out:
        print("%s: %d records, %d said, the same" % (
            name, len(records), len(got)))
        return True
    for i, (a, b) in enumerate(itertools.zip_longest(got, model.out)):
        if a != b:
            print("%s: at %d guard says %s, model %s" % (name, i, a, b))
            break
    return False


def check(guard, options):
    small = ["-o", "loop_guard.warn_threshold=2",
             "-o", "loop_guard.block_threshold=3",
             "-o", "loop_guard.halt_threshold=4",
             "-o", "loop_guard.interleaved_block_threshold=4",
             "-o", "loop_guard.stall_warn_threshold=2",
             "-o", "loop_control.progress_stall_threshold=3"]
    low = dict(warn=2, block=3, halt=4, fresh=4, stall_warn=2, stall=3)
    good = compare("short", short_sequences(5), guard, options)
    good &= compare("short, low limits", short_sequences(4), guard,
                    options + small, **low)
    for seed in range(3):
        records = random_sequences(200, seed)
        good &= compare("random %d" % seed, records, guard, options)
        good &= compare("random %d, low limits" % seed, records, guard,
                        options + small, **low)
    return good


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        sys.exit(0 if check(sys.argv[2], sys.argv[3:]) else 1)
    model = Model()
    for line in sys.stdin:
        model.record(json.loads(line))
    for row in model.out:
        print(json.dumps(row))

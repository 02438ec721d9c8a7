"""guard_profiles.py - other systems' policies, written plainly.

    guard_profiles.py make SEED COUNT     random transcripts, a stream
    guard_profiles.py NAME <TRANSCRIPTS   what that profile would say, a line
                                          each: id action rule count level

Only what is said is modelled, not the words.  Slow and simple on purpose: each
system is a class with a dict or a list, told of calls, results and steps.
"""
import json
import random
import sys


def key(call):
    return call["name"] + "|" + json.dumps(
        json.loads(call["args"]), sort_keys=True, separators=(",", ":"))


class Openfang:
    def turn(self):
        self.total, self.count, self.warned = 0, {}, {}
        self.outcome, self.stop, self.recent = {}, set(), []

    def poll(self, call):
        args = json.loads(call["args"])
        text = json.dumps(args, sort_keys=True).lower()
        if any(w in text for w in ("status", "poll", "wait")):
            return True
        cmd = str(args.get("command", "")).lower()
        return call["name"] == "bash" and len(cmd) < 50 and any(
            w in cmd for w in ("status", "poll", "wait", "watch", "tail",
                               "ps ", "jobs", "pgrep", "docker ps",
                               "kubectl get"))

    def call(self, call):
        self.total += 1
        if self.total > 30:
            return ("halt", "calls", self.total)
        k = key(call)
        self.recent.append(k)
        n = self.count.get(k, 0) + 1
        if k in self.stop:
            return ("block", "repeat", n)
        self.count[k] = n
        m = 3 if self.poll(call) else 1
        if n >= 5 * m:
            return ("block", "repeat", n)
        if n >= 3 * m:
            self.warned[k] = self.warned.get(k, 0) + 1
            if self.warned[k] > 3:
                return ("block", "repeat", n)
            call["warns"].append(("repeat", n, 1))
            return None
        for p in (2, 3):
            tail = self.recent[-3 * p:]
            if (len(tail) == 3 * p and tail[:p] * 3 == tail
                    and len(set(tail)) > 1):
                laps = 3
                while self.recent[-(laps + 1) * p:-laps * p] == tail[:p]:
                    laps += 1
                # a lap that is not whole counts for nothing
                return ("block", "cycle", laps)

    def result(self, call, text, failed):
        k = (key(call), text[:1000])
        n = self.outcome[k] = self.outcome.get(k, 0) + 1
        if n >= 2 and not call["warns"]:
            call["warns"].append(("repeat", n, 1))
        if n >= 3:
            self.stop.add(key(call))


class Hermes:
    def turn(self):
        self.window, self.run, self.warnings = [], 0, 0

    def call(self, call):
        if call["name"] == "process":
            return
        k = key(call)
        self.run = self.run + 1 if self.window[-1:] == [k] else 1
        self.window = (self.window + [k])[-10:]
        w, n, rule = self.window, 2, "cycle"
        if self.run >= 3:
            rule, n = "repeat", self.run
        elif not any(len(w) >= 2 * p and w[-p:] == w[-2 * p:-p] and
                     len(set(w[-p:])) == p for p in (2, 3)):
            self.warnings = 0
            return
        if self.warnings == 2:
            return ("block", rule, n)
        self.warnings += 1
        call["warns"].append((rule, n, self.warnings))


class Nanobot:
    def turn(self):
        self.last, self.run, self.stopped, self.failures = None, 0, False, {}

    def message(self, calls):
        batch = sorted(((c["name"], i, key(c))
                        for i, c in enumerate(calls)), key=lambda t: t[:2])
        batch = [b[2] for b in batch]
        self.run = self.run + 1 if batch == self.last else 1
        self.last = batch
        if self.run == 3:
            calls[-1]["warns"].append(("repeat", 3, 1))
        elif self.run >= 5 and not self.stopped:
            self.stopped = True
            calls[-1]["warns"].append(("repeat", self.run, 2))

    def result(self, call, text, failed):
        if failed or text.startswith("Error"):
            n = self.failures[key(call)] = self.failures.get(key(call), 0) + 1
            call["warns"].append(("retry", n, 1 if n > 2 else 0))


class Kimi:
    def turn(self):
        self.seen, self.idle, self.moved, self.tasks = set(), 0, False, {}

    def result(self, call, text, failed):
        if call["name"] in ("edit", "write") and not failed:
            self.moved = True
        if call["name"] == "process":
            self.moved |= self.tasks.get(key(call)) != text
            self.tasks[key(call)] = text
        text = text.strip()
        if not failed and len(text) >= 60 and text not in self.seen:
            self.seen.add(text)
            self.moved = True

    def step(self, last):
        self.idle = 0 if self.moved else self.idle + 1
        self.moved = False
        if self.idle == 8:
            self.idle = 0
            last["warns"].append(("stall", 8, 1))


class Hamr:
    def turn(self):
        self.reads, self.commands, self.nreads = {}, {}, 0
        self.steps, self.changed = 0, False

    def call(self, call):
        k = key(call)
        if call["name"] == "bash":
            n = self.commands.get(k, 0) + 1
            if n >= 4:
                return ("halt", "repeat", n)
            self.commands[k] = n
        elif call["name"] == "read":
            n = self.reads.get(k, 0) + 1
            if n >= 5:
                return ("halt", "repeat", n)
            if self.nreads >= 64:
                return ("block", "reads", self.nreads + 1)
            self.reads[k] = n
            self.nreads += 1
            if n >= 2:
                call["warns"].append(("repeat", n, 1 if n >= 3 else 0))
            if self.nreads == 32:
                call["warns"].append(("reads", 32, 1))

    def result(self, call, text, failed):
        if call["name"] in ("edit", "write") and not failed:
            self.commands, self.changed = {}, True

    def step(self, last):
        self.steps = 0 if self.changed else self.steps + 1
        self.changed = False
        if self.steps >= 8:
            last["warns"].append(("no-mutation", self.steps,
                                  min(self.steps - 7, 3)))


def judge(system, records):
    def ask(name, *args):
        return getattr(system, name, lambda *a: None)(*args)

    system.turn()
    calls, halted = [], None
    for r in records:
        role = r.get("role")
        if r.get("type") == "hamr" or role == "user":
            system.turn()
            calls, halted = [], None
        elif role == "assistant":
            calls = [{"id": c["id"], "name": c["function"]["name"],
                      "args": c["function"]["arguments"], "warns": [],
                      "open": True, "refused": False}
                     for c in r.get("tool_calls", [])]
            if calls and not halted:
                ask("message", calls)
            for c in calls:
                said = halted or ask("call", c)
                if said:
                    c["refused"] = True
                    print(c["id"], *said)
                    if said[0] == "halt":
                        halted = said
        elif role == "tool":
            for c in calls:
                if c["id"] != r["tool_call_id"] or not c["open"]:
                    continue
                c["open"] = False
                if not c["refused"]:
                    ask("result", c, r["content"], r.get("is_error", False))
                if any(o["open"] for o in calls):
                    break
                if not halted:
                    ask("step", calls[-1])
                for o in calls:
                    for w in o["warns"] if not o["refused"] else ():
                        print(o["id"], "warn", *w)
                break


TOOLS = [("read", {"path": "a"}), ("read", {"path": "b"}),
         ("bash", {"command": "make"}), ("bash", {"command": "tail f"}),
         ("edit", {"path": "a", "old": "1", "new": "2"}),
         ("grep", {"q": 1}), ("process", {"id": 1}),
         ("job", {"status": 1}), ("grep", {"p": 2, "q": [1, None]})]
TEXTS = ["ok", "Error: no", "1 failed", "x" * 60, "y" * 61, "z" * 59,
         "Error: " + "w" * 70]


def make(seed, count):
    rnd = random.Random(seed)
    n = 0
    for _ in range(count):
        print('{"type":"hamr","v":1}')
        few = rnd.sample(TOOLS, rnd.randint(1, 4))
        texts = rnd.sample(TEXTS, rnd.randint(1, 3))
        pattern = [rnd.choice(few) for _ in range(rnd.randint(1, 4))]
        for i in range(rnd.randint(1, 40)):
            if rnd.random() < 0.03:
                print('{"role":"user","content":"go on"}')
            calls = []
            for _ in range(rnd.choice((1, 1, 1, 2, 3))):
                tool, args = (pattern[i % len(pattern)]
                              if rnd.random() < 0.7 else rnd.choice(few))
                args = dict(rnd.sample(sorted(args.items()), len(args)))
                n += 1
                calls.append(("c%d" % n, tool, json.dumps(args)))
            print(json.dumps({"role": "assistant", "content": None,
                              "tool_calls": [
                {"id": c, "type": "function",
                 "function": {"name": t, "arguments": a}}
                for c, t, a in calls]}))
            rnd.shuffle(calls)
            if rnd.random() < 0.03:
                calls.pop()
            for c, _, _ in calls:
                text = rnd.choice(texts)
                r = {"role": "tool", "tool_call_id": c, "content": text}
                if rnd.random() < 0.15:
                    r["is_error"] = True
                print(json.dumps(r))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]))
    else:
        judge({"openfang": Openfang, "hermes": Hermes, "nanobot": Nanobot,
               "kimi": Kimi, "hamr": Hamr}[sys.argv[1]](),
              map(json.loads, sys.stdin))

#!/usr/bin/env python3
"""compact_gen.py - random histories against the promises of hamr-compact.

	compact_gen.py SEED COUNT	histories from SEED on, checked
	compact_gen.py SEED		one history on stdout

Checked for each: the view is legal; from scratch and step by step give the
same bytes; between epochs a request only grows at its end; what was compacted
goes through again unchanged; the cut of the input into reads does not matter.
"""
import functools
import json
import random
import sys

from compact_oracle import legal, run

WORDS = ("alpha beta gamma return static int error failed make src/a.c "
         "näïve 漢字かな 🙂 \"quoted\" back\\slash \t tab").split(" ")
NAMES = ["read", "bash", "edit", "write", "lookup"]


def text(r, n):
    out = []
    for _ in range(n):
        out.append(r.choice(WORDS))
        if r.random() < 0.15:
            out.append("\n")
    return " ".join(out)


def size(r):
    kind = r.random()
    if kind < 0.7:
        return r.randrange(0, 30)
    if kind < 0.97:
        return r.randrange(30, 600)
    return r.randrange(600, 9000)


def arguments(r, name):
    kind = r.random()
    if kind < 0.04:
        return "{\"broken\": "
    if kind < 0.06:
        return "[1,2]"
    if kind < 0.08:
        return "{\"a\":1,\"a\":2}"
    if kind < 0.10:
        return ""
    a = {"path": "src/%d.c" % r.randrange(9)}
    if name == "bash":
        a = {"command": "make t%d" % r.randrange(5)}
    if name in ("edit", "write"):
        a["new"] = text(r, size(r))
    a["n"] = r.choice([1, 2.5, None, True, [1, {"x": "y"}]])
    return json.dumps(a, ensure_ascii=r.random() < 0.5)


class History:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.ids = 0
        self.out = []
        self.build()

    def say(self, **rec):
        self.out.append(json.dumps(rec, ensure_ascii=self.r.random() < 0.5))

    def content(self, n):
        r = self.r
        t = text(r, n)
        kind = r.random()
        if kind < 0.08:
            return [{"type": "text", "text": t},
                    {"type": "text", "text": "second"}]
        if kind < 0.1:
            return [{"type": "image_url", "image_url": {"url": "data:x"}}]
        return t

    def user(self):
        r = self.r
        kind = r.random()
        n = size(r) // 3
        if kind < 0.6:
            self.say(role="user", content=self.content(n))
        elif kind < 0.7:
            self.say(role="user", content="[hamr-guard] stop " + text(r, 5),
                     meta={"by": "guard"})
        elif kind < 0.8:
            self.say(role="user", content=text(r, n),
                     meta={"by": r.choice(["loop", "context", "shell"])})
        elif kind < 0.9:
            self.say(role="system", content=text(r, n))
        elif kind < 0.95:
            self.say(role="user", content=None)
        else:
            self.say(role="developer", content=text(r, 3))

    def call(self):
        r = self.r
        name = r.choice(NAMES)
        self.ids += 1
        ident = "call_%d" % self.ids
        if r.random() < 0.05:
            ident = "call_%d" % r.randrange(1, self.ids + 1)
        args = arguments(r, name)
        if r.random() < 0.03:
            args = {"path": "object"}
        call = {"id": ident, "type": "function",
                "function": {"name": name, "arguments": args}}
        if r.random() < 0.02:
            del call["id"]
        return call

    def result(self, call):
        r = self.r
        fields = {"role": "tool", "name": call["function"]["name"],
                  "content": self.content(size(r))}
        if "id" in call:
            fields["tool_call_id"] = call["id"]
        if r.random() < 0.2:
            fields["is_error"] = True
        if r.random() < 0.5:
            fields["meta"] = {"first": 1, "last": 20, "lines": 90,
                              "bytes": 1000, "exit": r.randrange(2)}
        if call["function"]["name"] == "bash" and r.random() < 0.3:
            fields["content"] = "\x1b[31mred\x1b[0m\n" + "same\n" * 9 + "x \n"
        self.say(**fields)

    def step(self):
        r = self.r
        rec = {"role": "assistant",
               "content": r.choice([None, "", text(r, size(r) // 4)])}
        if r.random() < 0.3:
            rec["reasoning"] = text(r, 20)
        calls = [self.call() for _ in range(r.choice([0, 1, 1, 1, 2, 5]))]
        if calls:
            rec["tool_calls"] = calls
        self.say(**rec)
        order = calls[:]
        if r.random() < 0.1:
            r.shuffle(order)
        late = []
        for c in order:
            kind = r.random()
            if kind < 0.04:
                continue
            if kind < 0.06:
                late.append(c)
                continue
            self.result(c)
            if kind > 0.97:
                self.result(c)
        if r.random() < 0.02:
            self.say(role="tool", tool_call_id="nobody", content="x")
        return late

    def dialect_step(self):
        """Calls and results as text; too few or too many results at times."""
        r = self.r
        n = r.choice([1, 1, 2, 3])
        blocks = []
        for _ in range(n):
            name = r.choice(NAMES)
            if r.random() < 0.5:
                blocks.append("<tool_call>\n" + json.dumps(
                    {"name": name, "arguments": {"path": "src/%d.c" %
                                                 r.randrange(9)}}) +
                              "\n</tool_call>")
            else:
                blocks.append("<tool_call>\n<function=%s>\n<parameter=path>"
                              "\nsrc/%d.c\n</parameter>\n</function>\n"
                              "</tool_call>" % (name, r.randrange(9)))
        self.say(role="assistant", content=text(r, 5) + "\n" +
                 "\n".join(blocks))
        n += r.choice([0, 0, 0, 0, -1, 1])
        if n <= 0:
            return
        out = "\n".join("<tool_response>\n%s\n</tool_response>" %
                        text(r, size(r)) for _ in range(n))
        if r.random() < 0.1:
            out += "\nand then " + text(r, 4)
        self.say(role="user", content=out)

    def notes(self):
        """Many, for the last result."""
        for i in range(self.r.choice([30, 300, 1500])):
            self.say(role="user", content="note %d " % i + text(self.r, 9),
                     meta={"by": "loop"})

    def build(self):
        r = self.r
        dialect = r.random() < 0.25
        if r.random() < 0.5:
            self.say(type="hamr", v=1, session="s", model="qwen3")
        if r.random() < 0.7:
            self.say(role="system", content=text(r, 40))
        if r.random() < 0.5:
            self.say(type="tools", tools=[{"type": "function", "function": {
                "name": "read", "description": "d", "parameters": {}}}])
        if r.random() < 0.9:
            self.say(role="user", content=text(r, 30))
        open_calls = []
        for _ in range(r.choice([3, 10, 40, 120])):
            if dialect and r.random() < 0.8:
                self.dialect_step()
            else:
                open_calls += self.step()
            while open_calls and r.random() < 0.5:
                self.result(open_calls.pop())
            while r.random() < 0.25:
                self.user()
            if r.random() < 0.02:
                self.notes()
            if r.random() < 0.02:
                self.say(type="compact")
            if r.random() < 0.02:
                self.say(type="limit",
                         context_tokens=r.choice([8000, 32768]))
            if r.random() < 0.05:
                self.say(type="constrain", stage="hamr-guard",
                         tool_choice="none", steps=1)
            if r.random() < 0.05:
                self.say(type="verdict", action="warn", n=1e3)
            if r.random() < 0.02:
                self.say(type="config", set=r.choice([
                    {"context.strategy": "balanced"},
                    {"agent.context_strategy": "aggressive"},
                    {"context.keep_recent_tokens": 500},
                    {"context.context_budget_tokens": 20000},
                    {"context.context_budget_tokens": "no number"}]))
            if r.random() < 0.05:
                self.say(type="usage", prompt_tokens=r.randrange(500, 9000),
                         completion_tokens=20)


# A record is read again for each prefix of its history; nobody changes it.
read = functools.lru_cache(maxsize=None)(json.loads)


def of_lines(f):
    """f, once for the same lines: each window asks about the same ones."""
    cached = functools.lru_cache(maxsize=None)(f)
    return lambda lines: cached(tuple(lines))


@of_lines
def pairs(lines):
    """For each record: the record that holds the call it answers.  And the
    records that hold a call without a result."""
    waiting, answers = {}, {}
    for i, x in enumerate(lines):
        m = read(x)
        for c in m.get("tool_calls", []):
            waiting.setdefault(c.get("id"), []).append(i)
        if m.get("role") == "tool" and waiting.get(m.get("tool_call_id")):
            answers[i] = waiting[m.get("tool_call_id")].pop(0)
    return answers, {i for q in waiting.values() for i in q}


@of_lines
def answered(lines):
    """Are all calls of the last assistant messages in a row answered?  Results
    of older calls may stand between them."""
    waiting = pairs(lines)[1]
    responses = 0
    for i in range(len(lines) - 1, -1, -1):
        m = read(lines[i])
        if i in waiting:
            return False
        if isinstance(m.get("content"), str):
            c = m["content"]
            if m.get("role") == "assistant" and \
                    c.rstrip().endswith("</tool_call>"):
                return responses >= c.count("</tool_call>")
            responses += c.count("</tool_response>")
            if m.get("role") == "user" and "</tool_response>" in c:
                continue
        if said(m) or (m.get("tool_calls") and
                       next((read(x)["role"] for x in reversed(lines[:i])
                             if "role" in read(x)), "") != "assistant"):
            return True    # a note is folded into the results before it
    return True


def late(lines, start):
    """Does a result behind start answer a call that is older?"""
    return any(i >= start > to for i, to in pairs(lines)[0].items())


@functools.lru_cache(maxsize=8)
def spans(request):
    """The bytes of each message of a request line."""
    out, at = [], request.index("[") + 1
    while request[at] in ",{":
        start = at + (request[at] == ",")
        at = json.JSONDecoder().raw_decode(request, start)[1]
        out.append(request[start:at])
    return out


def grows(old, new):
    """new is old, plus messages behind; the last may have grown."""
    a, b = spans(old), spans(new)
    if len(b) < len(a):
        return False
    if a[:-1] != b[:len(a) - 1]:
        return False
    x, y = a[-1], b[len(a) - 1]
    if x == y:
        return True
    if read(x)["role"] not in ("user", "tool"):
        return read(y)["role"] == "assistant"
    if y.startswith(x.rstrip('"]}')):
        return True
    return "[{" in x or "[{" in y    # a text became parts


def said(m):
    """What a person wrote in a message, also behind results; "" is nothing."""
    c = m.get("content")
    if m.get("role") != "user" or not isinstance(c, str) or \
            m.get("meta", {}).get("by") not in (None, "user", "shell") or \
            c.startswith("[hamr-guard]"):
        return ""
    return c.split("</tool_response>")[-1].strip()


def survives(lines, messages, window):
    """None, or what a request has lost of the records so far."""
    seen, people, paths, calls = "", [], set(), {}
    for m in messages:
        c = m["content"]
        if isinstance(c, list):
            c = "".join(p.get("text", "") for p in c)
        seen += (c or "") + "\n"
        for call in m.get("tool_calls", []):
            seen += call["function"]["arguments"] + "\n"
    for x in lines:
        m = read(x)
        if said(m):
            people.append(said(m))
        elif m.get("role") == "user" and not isinstance(m["content"], str):
            people.append("")
        for call in m.get("tool_calls", []):
            f, path = call["function"], None
            try:
                a = f["arguments"]
                a = json.loads(a) if isinstance(a, str) else a
                if f["name"] in ("edit", "write"):
                    path = a["path"]
            except (ValueError, TypeError, KeyError):
                pass
            calls.setdefault(call.get("id"), []).append(path)
        if m.get("role") == "tool" and calls.get(m.get("tool_call_id")):
            path = calls[m.get("tool_call_id")].pop(0)
            if path and not m.get("is_error") and \
                    not m.get("meta", {}).get("exit"):
                paths.add(path)
    need = sum(min(len(p.encode()), 80) + 48 for p in people[1:])
    for i, p in enumerate(people):
        if 0 < i < len(people) - 1 and (need > 3000 or window == 3000):
            continue    # room for 8000 characters only, or 225 tokens
        if p[:20] not in seen:
            return "message %d of a person: %r" % (i, p[:20])
    for p in paths:
        if p not in seen and window != 3000:
            return "edited path " + p
    return None


def go_anywhere(args, h, seed):
    """Where the go records stand makes no difference to what they give."""
    r = random.Random(seed)
    at = [i for i in range(1, len(h) + 1) if answered(h[:i]) and
          r.random() < 0.3]
    fed = []
    for i, x in enumerate(h):
        fed.append(x)
        if i + 1 in at:
            fed.append('{"type":"go","n":%d}' % (i + 1))
    last, got = None, {}
    for x in run(args + ["-r"], fed, status=(0,)):
        m = read(x)
        if m["type"] == "go":
            got[m["n"]] = last
            last = None
        else:
            last = x
    for i in r.sample(at, min(3, len(at))):
        scratch = run(args + ["-n"], h[:i])
        assert (scratch[-1:] or [None])[0] == got[i], "go at %d" % i


def check(h, seed, window):
    args = ["--window", str(window)]
    view = [json.loads(x) for x in run(args + ["--view"], h)]
    assert legal(view) is None, legal(view)
    run(args + ["--check"], h, status=(0,))
    once = run(args, h)
    assert once[:len(h)] == h, "records changed"
    assert run(args, once) == once, "not idempotent"
    assert run(args, h) == once, "not deterministic"

    go_anywhere(args, h, seed)

    # step by step: a go before each assistant message, nothing echoed, and
    # then with the compaction records committed
    fed, cuts = [], []
    for i, x in enumerate(h):
        if read(x).get("role") == "assistant":
            cuts.append(i)
            fed.append('{"type":"go","n":%d}' % i)
        fed.append(x)
    fed.append('{"type":"go","n":-1}')
    cuts.append(len(h))
    out = run(args + ["-r"], fed, status=(0,))
    answers, cur = [], []
    for x in out:
        if read(x)["type"] == "go":
            answers.append(cur)
            cur = []
        else:
            cur.append(x)
    assert len(answers) == len(cuts)
    before = None
    r = random.Random(seed)
    for cut, ans in zip(cuts, answers):
        if not ans:
            continue
        if r.random() < 0.15 and answered(h[:cut]):
            scratch = run(args + ["-n"], h[:cut])
            assert scratch[-1] == ans[-1], "not pure at %d" % cut
        now = ans[-1] if read(ans[-1])["type"] == "request" else None
        if now is not None:
            m = read(now)
            assert legal(m["messages"]) is None, legal(m["messages"])
            lost = None
            if m["stage"] != "3":    # its summary has no room for all
                lost = survives(h[:cut], m["messages"], window)
            assert lost is None, "lost at %d: %s" % (cut, lost)
            assert isinstance(m["tokens"], int) and "params" in m
            if before is not None and len(ans) == 1 and \
                    answered(h[:before[0]]) and \
                    not late(h[:cut], before[0]):
                assert grows(before[1], now), "not appended at %d" % cut
        before = (cut, now) if now is not None else None

    committed, fresh = [], []
    for i, x in enumerate(h + [None]):
        if x is None or read(x).get("role") == "assistant":
            got = run(args + ["-n"], committed) if len(h) < 60 else []
            for y in got:
                if read(y)["type"] == "compaction":
                    committed.append(y)
            fresh = got
        if x is not None:
            committed.append(x)
    if fresh and answered(h):
        again = run(args + ["-n"], committed)
        assert again[-1] == fresh[-1], "the record is not authoritative"


def main():
    seed = int(sys.argv[1])
    if len(sys.argv) < 3:
        print("\n".join(History(seed).out))
        return 0
    for s in range(seed, seed + int(sys.argv[2])):
        h = History(s).out
        for window in (3000, 16000, 65536, 0):
            try:
                check(h, s, window)
            except AssertionError as why:
                print("seed %d window %d: %s" % (s, window, why))
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""compact_oracle.py - what hamr-compact promises, checked from outside.

	compact_oracle.py [-w N,N,...] [-s N] [-t HEADER] [-v] FILE...
	compact_oracle.py -f -w N FILE	the figures of --report, by our own count

Each FILE is a transcript.  It is replayed with a `go` before every assistant
message, at each window (-w; 12288,16384,32768,65536,131072), and what comes
out is judged without any knowledge of how it was made:

  legal      one result per call, adjacent, in order; one system message, at
             index 0; no two user or assistant messages in a row; arguments
             are objects; no key that is only ours
  append     between two compactions a request is the one before with what is
             new at its end, byte for byte
  pure       every Nth request (-s; 1 is all) is the same made from scratch
  same       the whole run twice gives the same bytes
  once       with the `compaction` records it wrote read back, the same
             requests come and no new compaction; and every Nth output, read
             again, is written again unchanged
  fits       by a count of our own (the table in -t, lib/tokens/token_tables.h) no
             request has more than the room there is; where none is made,
             something named is larger than the window allows
  told       a compaction lists every result that went out of view with it,
             and none that is still there
  kept       the task, the newest messages of persons, the paths edited

One line for each violation, and one for each window; status 1 if there were
any.
"""
import argparse
import json
import os
import re
import subprocess
import sys

OURS = {"meta", "usage", "is_error"}
EDITS = {"edit", "write", "Edit", "Write", "MultiEdit", "edit_file",
         "write_file", "str_replace", "create"}
TASK, USER, LAST = 300, 600, 3


# ---- what a transcript says ----

def text_of(content):
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(p.get("text", "") for p in content
                       if isinstance(p, dict) and
                       isinstance(p.get("text"), str))
    return ""


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)


def arguments(call):
    args = call.get("function", {}).get("arguments")
    try:
        return json.loads(args) if isinstance(args, str) else args
    except ValueError:
        return None


def calls_of(m):
    calls = m.get("tool_calls")
    return [c for c in calls if isinstance(c, dict)] \
        if isinstance(calls, list) else []


def is_person(m):
    by = (m.get("meta") or {}).get("by")
    return m.get("role") == "user" and by in (None, "user", "shell") and \
        not text_of(m.get("content")).startswith("[hamr-guard]")


class Transcript:
    """The records, and where models were called; `last`: at the end
    too."""

    def __init__(self, lines, last=True):
        self.lines = [x for x in lines if x.strip()]
        self.recs = [json.loads(x) for x in self.lines]
        self.gos = []          # index of the record before which a go stands
        open_go = False
        for i, r in enumerate(self.recs):
            said = r.get("role") in ("system", "user", "assistant", "tool",
                                     "developer")
            if (r.get("role") == "assistant" or r.get("type") == "usage") \
                    and not open_go and self.messages(i):
                self.gos.append(i)
                open_go = True
            if said:           # another assistant message goes on from one
                open_go = r["role"] == "assistant"
        if last and self.recs and self.recs[-1].get("role") not in (None, "assistant"):
            self.gos.append(len(self.recs))

    def messages(self, end):
        return any("role" in r for r in self.recs[:end])

    def with_gos(self, events=None):
        """The stream; events: lines to put behind each go."""
        out, at = [], 0
        for k, i in enumerate(self.gos):
            out += self.lines[at:i]
            out.append('{"type":"go","n":%d}' % k)
            out += (events or {}).get(k, [])
            at = i
        return out + self.lines[at:]

    def answered(self, end):
        """Before record `end`: is every call answered?"""
        waiting = {}
        for r in self.recs[:end]:
            for c in calls_of(r):
                waiting[c.get("id")] = waiting.get(c.get("id"), 0) + 1
            if r.get("role") == "tool" and waiting.get(r.get("tool_call_id")):
                waiting[r["tool_call_id"]] -= 1
        return not any(waiting.values())


# ---- the program ----

def run(args, lines, status=(0, 3)):
    data = "".join(x + "\n" for x in lines).encode("utf-8", "surrogatepass")
    p = subprocess.run(["hamr-compact", "--no-config"] + args, input=data,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       check=False)
    if p.returncode not in status:
        raise SystemExit("hamr-compact %s: status %d: %s" % (
            " ".join(args), p.returncode, p.stderr.decode()))
    return p.stdout.decode("utf-8", "surrogatepass").split("\n")[:-1]


class Step:
    def __init__(self):
        self.request = self.error = None
        self.events = []


def steps_of(out, n):
    """What stands before each go of an output of -n."""
    steps, cur = [], Step()
    for line in out:
        kind = json.loads(line).get("type")
        if kind == "go":
            steps.append(cur)
            cur = Step()
        elif kind == "request":
            cur.request = line
        elif kind == "error":
            cur.error = json.loads(line)
        elif kind == "compaction":
            cur.events.append(line)
    return steps[:n]


# ---- counting, from the table only ----

class Counter:
    def __init__(self, header):
        with open(header, encoding="ascii") as f:
            numbers = [int(x) for x in re.findall(
                r"\b\d+\b", re.sub(r"/\*.*?\*/", "", "".join(
                    line for line in f if not line.startswith("static") and
                    not line.startswith("#")), flags=re.S))]
        self.cls = numbers[:256]
        self.weight = numbers[256:256 + 1024]
        self.seen = {}

    def text(self, s):
        prev, total = 5, 0
        cls, weight = self.cls, self.weight
        for b in s.encode("utf-8", "replace"):
            c = cls[b]
            total += weight[prev * 32 + c]
            prev = c
        return total

    def message(self, raw, m):
        if raw not in self.seen:
            total = 8 * 64 + self.text(text_of(m.get("content")))
            if isinstance(m.get("content"), list):
                total += sum(1600 * 64 for p in m["content"]
                             if isinstance(p, dict) and
                             p.get("type") == "image_url")
            total += self.text(m.get("reasoning") or "")
            for c in m.get("tool_calls", []):
                total += self.text(c["function"]["name"]) + \
                    self.text(c["function"]["arguments"])
            self.seen[raw] = total
        return self.seen[raw]


def spans(line):
    """The bytes of each message of a request, found without a library."""
    at = line.index('"messages":[') + len('"messages":[')
    decoder, out = json.JSONDecoder(), []
    while line[at] != "]":
        value, end = decoder.raw_decode(line, at)
        out.append((line[at:end], value))
        at = end + (line[end] == ",")
    return out


# ---- the judgements ----

def legal(messages):
    wait, last, ids, texts = [], None, set(), 0
    for i, m in enumerate(messages):
        role = m.get("role")
        if wait and role != "tool":
            return "message %d: a call has no result" % i
        if role == "tool":
            if not wait or m.get("tool_call_id") != wait.pop(0):
                return "message %d: a result of no call" % i
        elif role == "system":
            if i > 0:
                return "message %d: a system message" % i
        elif role == "user":
            if last in ("user", "tool"):
                return "message %d: user behind %s" % (i, last)
        elif role == "assistant":
            if last == "assistant":
                return "message %d: assistant twice" % i
        else:
            return "message %d: role %r" % (i, role)
        if OURS & set(m):
            return "message %d: %s" % (i, OURS & set(m))
        if "content" not in m:
            return "message %d: no content" % i
        body = text_of(m["content"])
        if texts and (role != "user" or
                      body.count("<tool_response>") != texts):
            return "message %d: results of calls in a text" % i
        texts = 0
        if role == "assistant" and not m.get("tool_calls") and \
                body.rstrip().endswith("</tool_call>"):
            texts = body.count("</tool_call>")
        for c in m.get("tool_calls", []):
            wait.append(c["id"])
            if not c["id"] or c["id"] in ids:
                return "message %d: id %r" % (i, c["id"])
            ids.add(c["id"])
            if not isinstance(json.loads(c["function"]["arguments"]), dict):
                return "message %d: arguments" % i
        last = role
    return "the end: a call has no result" if wait or texts else None


def grew(old, new):
    """Is the message old the beginning of the message new?"""
    if old["role"] not in ("user", "tool") or old["role"] != new["role"]:
        return False
    a, b = old["content"], new["content"]
    if {k: v for k, v in old.items() if k != "content"} != \
            {k: v for k, v in new.items() if k != "content"}:
        return False
    if isinstance(a, str) and isinstance(b, list):
        # parts of another message came: the text is the first part
        b = b[0].get("text") if b else None
    if isinstance(a, list) and isinstance(b, list):
        return b[:len(a)] == a
    return isinstance(a, str) and isinstance(b, str) and b.startswith(a)


def results(messages):
    """By id: the text of the result; the arguments of its call and whether
    that is an edit."""
    args, out = {}, {}
    for _, m in messages:
        for c in m.get("tool_calls", []):
            args[c["id"]] = (c["function"]["arguments"],
                             c["function"]["name"] in EDITS)
        if m["role"] == "tool":
            ident = m["tool_call_id"]
            out[ident] = (text_of(m["content"]), args.get(ident))
    return out


def wrote(args):
    """The arguments of an edit without what it replaced."""
    return {k: v for k, v in json.loads(args[0]).items()
            if not k.startswith("old")}


def appended(old, new):
    """None, or the first message of old that new does not go on from."""
    n = len(old)
    for i in range(n):
        if i >= len(new):
            return i
        if old[i][0] != new[i][0]:
            if i == n - 1 and grew(old[i][1], new[i][1]):
                return None
            return i
    return None


class Judge:
    def __init__(self, name, transcript, counter, verbose):
        self.name, self.t, self.count = name, transcript, counter
        self.verbose = verbose
        self.bad = 0

    def say(self, what):
        self.bad += 1
        print("%s: %s" % (self.name, what))

    def window(self, window, stride):
        t = self.t
        flags = ["-n", "--window", str(window)]
        room = window - min(8192, window // 4)
        out = run(flags, t.with_gos())
        steps = steps_of(out, len(t.gos))
        where = "window %d" % window
        if len(steps) != len(t.gos):
            self.say("%s: %d steps of %d" % (where, len(steps), len(t.gos)))
            return
        if run(flags, t.with_gos()) != out:
            self.say(where + ": same: two runs differ")
        figures = self.walk(where, steps, room)
        self.scratch(where, flags, steps, stride)
        self.again(where, window, steps, stride)
        if self.verbose:
            print("%s: %s: %s" % (self.name, where, figures))

    # -- one after the other --

    def walk(self, where, steps, room):
        before, before_done = None, False
        closed = epochs = largest = 0
        kept, known = Kept(self.t), set()
        for k, step in enumerate(steps):
            at = "%s: step %d" % (where, k)
            done = self.t.answered(self.t.gos[k])
            epochs += len(step.events)
            if step.request is None:
                closed += 1
                self.closed(at, step, room)
                continue
            now = spans(step.request)
            why = legal([m for _, m in now])
            if why:
                self.say("%s: legal: %s" % (at, why))
            if before is not None and not step.events and before_done:
                i = appended(before, now)
                if i is not None:
                    self.say("%s: append: message %d of %d is another" %
                             (at, i, len(before)))
            tokens = self.tokens(step.request, now)
            largest = max(largest, tokens)
            if tokens > room:
                self.say("%s: fits: %d tokens, room for %d" %
                         (at, tokens, room))
            if step.events:
                self.told(at, step, before or [], now, known)
            kept.look(self.t.gos[k], [m for _, m in now])
            if kept.lost:
                self.say("%s: kept: %s" % (at, kept.lost))
            before, before_done = now, done
        for what in kept.below(where):
            self.say("%s: kept: %s" % (where, what))
        return "%d steps, %d epochs, %d closed, largest %d of %d; %s" % (
            len(steps), epochs, closed, largest, room, kept.shares())

    def tokens(self, line, now):
        total = sum(self.count.message(raw, m) for raw, m in now)
        tools = json.loads(line).get("tools") if '"tools"' in line else None
        if tools:
            total += self.count.text(json.dumps(tools, ensure_ascii=False,
                                                separators=(",", ":")))
        return total // 64

    def closed(self, at, step, room):
        """Nothing was sent: the error names who takes the room."""
        if step.error is None or step.error.get("code") != "budget_exhausted":
            self.say("%s: fits: no request and no error" % at)
            return
        if room < 24576:
            return
        big = max([self.count.message(x, m) // 64 for x, m in zip(
            self.t.lines, self.t.recs) if "role" in m] + [0])
        if big * 1.15 < room / 3:
            self.say("%s: fits: no request, and no message is large" % at)

    def told(self, at, step, before, now, known):
        """known: ids told so far and not shown whole since."""
        old, new = results(before), results(now)
        elided = set()
        for line in step.events:
            for e in json.loads(line).get("elided", []):
                elided.add(e["tool_call_id"])
        for ident, (body, args) in old.items():
            if body.startswith(("[elided ", "(no result)")) or not body:
                continue
            there = ident in new and new[ident][0].startswith(body)
            if there and ident in elided and new[ident][1] == args:
                self.say("%s: told: %s is said to be elided and is there" %
                         (at, ident))
            if args and args[1] and ident in new and \
                    wrote(new[ident][1]) == wrote(args):
                continue       # of an edit the new text counts: it is there
            if not there and ident not in elided | known:
                self.say("%s: told: %s is gone and nobody was told" %
                         (at, ident))
        known |= elided

    # -- against itself --

    def scratch(self, where, flags, steps, stride):
        for k in range(0, len(steps), stride):
            step = steps[k]
            got = run(flags, self.t.lines[:self.t.gos[k]])
            last = got[-1] if got else ""
            want = step.request
            if want is None:
                if not last or json.loads(last).get("type") != "error":
                    self.say("%s: pure: step %d: a request from scratch" %
                             (where, k))
            elif last != want:
                self.say("%s: pure: step %d: from scratch another request "
                         "(differs at byte %d)" % (where, k,
                                                   differ(last, want)))

    def again(self, where, window, steps, stride):
        flags = ["-n", "--window", str(window)]
        events = {k: s.events for k, s in enumerate(steps) if s.events}
        got = steps_of(run(flags, self.t.with_gos(events)), len(steps))
        for k, (a, b) in enumerate(zip(steps, got)):
            if a.request != b.request:
                self.say("%s: once: step %d: another request when its "
                         "compactions are read (byte %d)" % (
                             where, k, differ(a.request or "",
                                              b.request or "")))
                break
        for k, s in enumerate(got):
            if s.events and s.events != steps[k].events:
                self.say("%s: once: step %d: another compaction" % (where, k))
                break
        for k in range(0, len(steps), stride * 4):
            one = run(flags[1:], self.t.lines[:self.t.gos[k]])
            two = run(flags[1:], one)
            if one != two:
                self.say("%s: once: step %d: applied twice is not once" %
                         (where, k))


def differ(a, b):
    n = min(len(a), len(b))
    return next((i for i in range(n) if a[i] != b[i]), n)


def first(text, size):
    """The first so many bytes, whole characters."""
    return text.encode("utf-8", "surrogatepass")[:size].decode(
        "utf-8", "ignore").rstrip()


class Kept:
    """What must survive, looked for in what the messages say."""

    def __init__(self, t):
        self.t = t
        self.task, self.users, self.paths = None, [], []
        self.at, self.lost = 0, None
        self.sums = {"task": [0, 0], "last three": [0, 0],
                     "all persons": [0, 0], "paths": [0, 0]}

    def learn(self, end):
        for r in self.t.recs[self.at:end]:
            body = text_of(r.get("content")).strip()
            if is_person(r) and body:
                if self.task is None:
                    self.task = first(body, TASK)
                self.users.append(body)
            for c in calls_of(r):
                args = arguments(c)
                if c.get("function", {}).get("name") not in EDITS or \
                        not isinstance(args, dict):
                    continue
                path = args.get("path") or args.get("file_path")
                if isinstance(path, str) and path and \
                        path not in self.paths:
                    self.paths.append(path)
        self.at = end

    def look(self, end, messages):
        self.learn(end)
        words = []
        for m in messages:
            words.append(text_of(m["content"]))
            for c in m.get("tool_calls", []):
                words += strings(json.loads(c["function"]["arguments"]))
        words = "\n".join(words)
        self.lost = None
        if self.task is not None and self.task not in words:
            self.lost = "the task is gone"
        elif self.users and first(self.users[-1], USER) not in words:
            self.lost = "the newest message of a person is gone"
        self.add("task", [self.task] if self.task else [], words)
        self.add("last three", self.users[-LAST:], words)
        self.add("all persons", self.users, words)
        self.add("paths", self.paths, words)

    def add(self, what, needles, words):
        if needles:
            self.sums[what][0] += sum(x in words for x in needles) / \
                len(needles)
            self.sums[what][1] += 1

    def share(self, what):
        have, of = self.sums[what]
        return 100 * have / of if of else 100.0

    def shares(self):
        return ", ".join("%s %.1f" % (k, self.share(k)) for k in self.sums)

    def below(self, where):
        """At large windows, the shares of chapter 8.5."""
        if where != "window 131072":
            return
        for what, least in (("task", 100), ("last three", 99),
                            ("all persons", 98), ("paths", 100)):
            if self.share(what) < least - 1e-6:
                yield "%s: %.2f %%, wanted %d" % (what, self.share(what),
                                                  least)


# ---- the figures of --report ----

def short(v):
    unit = ""
    if v >= 999500:
        v, unit = v / 1e6, "M"
    elif v >= 999.5:
        v, unit = v / 1e3, "k"
    if not unit or v >= 99.95:
        return "%.0f%s" % (v, unit)
    return ("%.1f%s" if v >= 9.995 else "%.2f%s") % (v, unit)


def replies(t):
    """What each model call answered, as a request shows it: out of the
    requests that are never compacted."""
    out = run(["-n", "--window", "0", "--strategy", "none"], t.with_gos())
    raw = [spans(s.request) for s in steps_of(out, len(t.gos))]
    return [raw[k + 1][len(raw[k])] if k + 1 < len(raw) and
            len(raw[k + 1]) > len(raw[k]) else None for k in range(len(raw))]


def figures(t, window, counter, flags):
    """mean max over fresh reuse brk, as hamr-compact --report prints them."""
    out = run(["-n", "--window", str(window)] + flags, t.with_gos())
    room = window - min(8192, window // 4)
    sizes, fresh, same, total, broke = [], 0, 0, 0, 0
    before, held = None, b""
    for step, reply in zip(steps_of(out, len(t.gos)), replies(t)):
        if step.request is None:
            continue
        now = spans(step.request)
        raw = b",".join(x.encode("utf-8", "surrogatepass") for x, _ in now)
        n = differ(held, raw)
        same, total = same + n, total + len(raw)
        sizes.append(sum(counter.message(x, m) for x, m in now) // 64)
        at = 0
        for x, m in now:
            size = len(x.encode("utf-8", "surrogatepass"))
            had = min(max(0, n - at), size)
            fresh += int(counter.message(x, m) * (1 - had / size))
            at += size + 1
        broke += before is not None and appended(before, now) is not None
        before = now
        held = raw + (b"," + reply[0].encode("utf-8", "surrogatepass")
                      if reply else b"")
    return "%s %s %d %s %.1f %d" % (
        short(sum(sizes) / len(sizes)), short(max(sizes)),
        sum(s > room for s in sizes if room), short(fresh / 64),
        int(1000 * same / total + 1e-9) / 10, broke)


def transcripts(path):
    """A `hamr` record begins the next transcript."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    part = []
    for line in lines:
        if not line:
            continue
        if part and json.loads(line).get("type") == "hamr":
            yield part
            part = []
        part.append(line)
    if part:
        yield part


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-w", default="12288,16384,32768,65536,131072")
    p.add_argument("-s", type=int, default=8)
    p.add_argument("-t", default=os.path.join(os.path.dirname(
        os.path.abspath(__file__)), "..", "..", "lib", "tokens",
        "token_tables.h"))
    p.add_argument("-v", action="store_true")
    p.add_argument("-f", action="store_true")
    p.add_argument("--strategy")
    p.add_argument("files", nargs="+")
    o = p.parse_args()
    bad = n = 0
    counter = Counter(o.t)
    for path in o.files:
        for i, lines in enumerate(transcripts(path)):
            if o.f:
                print(figures(Transcript(lines, False), int(o.w), counter,
                              ["--strategy", o.strategy] if o.strategy
                              else []))
                n = 1
                continue
            judge = Judge("%s#%d" % (os.path.basename(path), i),
                          Transcript(lines), counter, o.v)
            if not judge.t.gos:
                continue
            n += 1
            for w in o.w.split(","):
                judge.window(int(w), max(1, o.s))
            bad += judge.bad
    if not o.f:
        print("%d transcripts, %d violations" % (n, bad))
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""guard_model.py - the rules of chapter 3 once more, slow and plain.

An independent reading: it keeps every list whole, knows nothing of hash
tables, bounds or passes, and finds periods by trying all of them.

    guard_model.py judge <transcript          what hamr-guard -n should say
    guard_model.py check GUARD [OPTION...]    many random transcripts
    guard_model.py short GUARD LENGTH         every sequence of calls up to
                                              LENGTH, three signatures, two
                                              outcomes, by default and with
                                              limits that they all reach
A line is [call id or null, action, phase, rule, count, signature or null].
"""
import functools
import hashlib
import itertools
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys

POINT = 6       # parts of a point of the stall score
POLLS = ("sleep ", "tail ", "ps ")
DROPPED = {"description", "reason", "intent", "thought", "explanation",
           "request_id", "trace_id", "nonce", "timestamp"}
RULES = ["repeat", "repeat-weak", "same-answer", "retry", "same-error", "cycle", "stall",
         "placeholder", "futile-edits", "revisit", "sweep", "no-mutation",
         "reads", "calls", "batch", "plan-prose", "status-only", "premature",
         "monologue"]
DEFAULTS = dict(warn=3, block=5, halt=8, fresh=8, stall_warn=4, stall=8,
                gain=60, same_warn=3, same_block=8, answer=12, futile=4, soft=96,
                stuck=6, explore=8, warn_reads=0, max_reads=0)
# Texts without calls, and what is wrong with them.
SAID = {"Done.": "status-only", "Let me check the parser next:": "plan-prose",
        "All tests pass.": "premature", "I changed the parser.": None,
        "Which of the two shall it be?": None,
        "It could be run 20 times.": None}


# What a person says, and whether it is to be repeated.
ASKS = {"go on": None, "run it 20 times": "often",
        "look every minute": "every", "wait until it is up": "until",
        "make, read it all": None}
# Or they approve of an answer, if its turn changed nothing.
PLANS = {"It could be run 20 times.": "often"}


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


@functools.cache
def normal(text):
    return re.sub(r"\d\d:\d\d:\d\d", "", text)


@functools.cache
def masked(text):
    return re.sub(r"\d+", "#", normal(text))


@functools.cache
def total(text):
    return sum(int(n) for word in re.split(r"[^\w-]+", normal(text))
               if not re.search(r"[^\d-]", word)
               for n in re.findall(r"\d+", word))


@functools.cache
def facts(text, failed):
    """Its lines, how many characters they are, what it is compared by."""
    lines = [x.strip() for x in text.split("\n")]
    raw = "\n".join(x.rstrip() for x in text.split("\n")).rstrip()
    return (frozenset(x for x in lines if x), sum(map(len, lines)),
            (failed, raw), (failed, normal(raw)), (failed, masked(raw)))


@functools.cache
def kind(text, call):
    """Of an error: its words but for those of the call."""
    own = set(re.findall(r"\w+", call))
    return tuple(w for w in re.findall(r"\w+", normal(text)) if w not in own)


def names(message, name, arguments, in_names):
    """Has the call, a short one, a word of the message, or of names in it?"""
    a = json.loads(arguments)
    text = name + "\0" + json.dumps(a, sort_keys=True, separators=(",", ":"))
    values = " ".join([name] + [str(v) for v in a.values()])
    if in_names:
        message = " ".join(re.findall(r"\w+(?:[-./]+\w+)+|\w+_\w+", message))
    both = [{w[:5] for w in re.findall("[a-z0-9]{4,}", x.lower())}
            for x in (message, values)]
    return len(text) <= 80 and bool(both[0] & both[1])


class Call:
    known = {}

    def __init__(self, c, line):
        f = c["function"]
        self.id, self.name, self.line = c["id"], f["name"], line
        key = (f["name"], f["arguments"])
        if key not in Call.known:
            try:
                a = json.loads(f["arguments"])
            except ValueError:
                a = {}
            Call.known[key] = (signature(*key), a)
        self.sig, self.args = Call.known[key]
        cmd = self.args.get("command", "x")
        bash = self.bash = self.name == "bash"
        self.idle = bash and (cmd in (":", "true") or
                              cmd.startswith("echo ") and "$" not in cmd)
        self.poll = bash and cmd.startswith(POLLS) or \
            self.name == "job_wait"
        self.pauses = bash and cmd.startswith("sleep ") or \
            self.name == "job_wait"
        self.patient = self.asked = self.awaited = self.late = False
        self.text = key
        self.often = 0
        self.reads = self.name == "read" or self.idle or \
            bash and self.poll
        self.edits = self.name in ("edit", "write")
        self.runs = not self.reads and not self.edits
        self.network = "web" in self.name
        self.asks = self.reads or self.name in ("grep", "web_get", "mail_search")
        self.said = None
        self.same = 0
        self.due = []

    def times(self, failed):
        """As often as others it may be repeated."""
        return self.often or (
            1 if not self.poll else 12 if self.patient and (
                not failed or self.awaited) else 3)

    def allow(self, wanted, o):
        """What a person asks to be repeated."""
        if wanted and self.poll:
            self.awaited = self.patient = True
        elif not (self.name == "read" or self.bash and self.reads):
            if wanted == "often":
                self.often = 20 // o["warn"] + 1
            # grep finds the same until a file changes; mail comes by itself
            self.asked = self.name != "grep" and (wanted == "every" or (
                wanted == "until" and self.name in (
                    "web_get", "mail_search")))

    def learn(self, failed):
        if self.asked and not failed or self.often:
            self.awaited = self.poll = self.patient = True


class Model:
    def __init__(self, **o):
        self.o = dict(DEFAULTS)
        self.o.update(o)
        self.out = []
        self.fresh()

    def fresh(self):
        self.turn = self.at = 0
        self.open = []
        self.step = None
        self.contract = False
        self.few = False
        self.compacted = False
        self.ran = False
        self.plan = self.last = None
        self.errand = ""
        self.begin()

    def clone(self):
        """The state, what was said so far left out."""
        m = Model.__new__(Model)
        m.__dict__.update(self.__dict__)
        m.out = []
        m.open = list(self.open)
        m.entries = {k: dict(v) for k, v in self.entries.items()}
        m.checks = {k: dict(v) for k, v in self.checks.items()}
        m.faults = {k: dict(v) for k, v in self.faults.items()}
        m.answers = {k: set(v) for k, v in self.answers.items()}
        m.signed = dict(self.signed)
        m.files = dict(self.files)
        m.back = dict(self.back)
        m.latest = dict(self.latest)
        m.known = set(self.known)
        m.returned = set(self.returned)
        m.states = set(self.states)
        m.edits = set(self.edits)
        m.lines = set(self.lines)
        m.errors = set(self.errors)
        return m

    def begin(self):
        self.turn += 1
        self.entries = {}       # signature: streak in this epoch
        self.task = False
        self.wanted = None      # by the person: that it be repeated
        self.heeded = False     # which matters once a call is repeated
        self.faults = {}        # (tool, error): steps in this epoch
        self.answers = {}       # (tool, short outcome): calls in this epoch
        self.checks = {}        # signature: failing since how many edits
        self.known = set()      # signatures run in this turn
        self.latest = {}        # and their latest outcomes
        self.signed = {}        # signatures by call id
        self.returned = set()   # states that a file came back to
        self.files = {}         # path: state
        self.acted = 0          # calls known to have done something new
        self.learned = 0        # what was run and showed anything new
        self.back = {}          # path: that, at the last change of the file
        self.waited = False     # the last step only slept
        self.states = set()     # (path, state)
        self.edits = set()
        self.edited = 0
        self.lines = set()
        self.errors = set()
        self.history = ()
        self.halted = None
        self.force = 0
        self.force_rule = self.force_count = None
        self.window = 0
        self.news = 0
        self.score = self.others = self.gain = 0
        self.asked = self.over = self.told = False
        self.nudged = self.nudged_turn = 0
        self.last_text, self.same_text = None, 0
        self.calls = self.reads = self.stuck = 0
        self.steps = self.still = 0
        self.calls_asked = False

    def say(self, *row):
        self.out.append(row)

    def limit_reads(self):
        said = self.o["warn_reads"], self.o["max_reads"]
        return (32, 64) if self.few and said == (0, 0) else said

    # -- what is a cycle

    def rule(self, entry):
        alone = "retry" if entry["failed"] else "repeat"
        h = self.history
        n = len(h)
        for size in range(n, 3, -1):
            tail = h[n - size:]
            for p in range(1, size // 2 + 1):
                if tail[:size - p] == tail[p:]:
                    if p > 1 and self.pair(entry) in h[n - p:]:
                        return "cycle"
                    return alone
        return alone

    @staticmethod
    def pair(e):
        return (e["sig"], e["failed"], e["norm"] if e["failed"] else e["raw"])

    # -- call phase

    def call(self, c, forced, earlier):
        o = self.o
        if self.halted:
            c.said = "halt"
            self.say(c.id, "halt", "call", *self.halted, c.sig)
            return
        if forced or self.over:
            c.said = "halt"
            self.halted = ("stall", self.score // POINT) if self.over else \
                (self.force_rule, self.force_count)
            self.say(c.id, "halt", "call", *self.halted, c.sig)
            return
        for i, e in enumerate(earlier):
            if e.sig == c.sig and e.said != "share" and not any(
                    b.said is None and not b.reads
                    for b in earlier[i + 1:]):
                e.same += 1
                c.said = "share"
                self.say(c.id, "share", "call", "batch", e.same + 1, c.sig)
                return
        if self.streak(c) or self.faulty(c):
            return
        most = self.limit_reads()[1]
        if c.name == "read" and most and self.reads >= most:
            c.said = "block"
            self.say(c.id, "block", "call", "reads", self.reads + 1, c.sig)
            self.step["blocked"] = True

    def streak(self, c):
        o = self.o
        e = self.entries.get(c.sig)
        if not e or e["window"] != self.window:
            return False
        c.learn(e["failed"])
        c.poll |= e["live"]
        n = e["n"] + e["blocked"] + 1
        block, halt = o["block"], o["halt"]
        if self.news > e["told"] and o["fresh"] > block:
            halt += o["fresh"] - block
            block = o["fresh"]
        times = max(c.times(e["failed"]), e["times"]) * (
            2 if e["transient"] else 1)
        if c.late:
            times = max(times, 4)
        if n >= halt * times:
            c.said = "halt"
            self.halted = (self.rule(e), n)
            self.say(c.id, "halt", "call", *self.halted, c.sig)
            return True
        if n < block * times:
            return False
        c.said = "block"
        self.say(c.id, "block", "call", self.rule(e), n, c.sig)
        e["blocked"] += 1
        e["told"] = self.news
        self.is_stuck(e["n"] + e["blocked"], e["times"])
        self.step["weights"].append(self.weight(c, e["transient"]))
        self.step["solid"] = self.step["blocked"] = True
        return True

    def again(self, c):
        """A call made again: it may be right, or what a person asks for."""
        e = self.entries.get(c.sig)
        if not e or e["weak"] < 2:
            return
        does = c.runs and not c.asks
        wanted = self.wanted if self.heeded and (
            e["transient"] if e["failed"] else does) else None
        c.late = not does and not c.edits and c.name != "read" and \
            not e["failed"] and e["n"] > 1 and e["acted"] != self.acted
        if not wanted and (not does or e["failed"] or not e["brief"]):
            return
        if not names(self.errand, *c.text, c.bash and not wanted):
            return
        c.late = True
        if wanted == "often":
            c.often = 20 // self.o["warn"] + 1
        elif wanted:
            c.awaited = c.patient = c.poll = True

    def faulty(self, c):
        if c.bash or c.network:
            return False
        rows = [f for (tool, _), f in self.faults.items()
                if tool == c.name and len(f["sigs"]) > 1]
        f = max(rows, key=lambda f: f["n"] + f["blocked"], default=None)
        if not f:
            return False
        limit = self.o["same_block"]
        if self.news > f["told"] and self.o["fresh"] > self.o["block"]:
            limit += self.o["fresh"] - self.o["block"]
        limit *= (2 if f["transient"] else 1) * c.times(True)
        n = f["n"] + f["blocked"] + (f["at"] != c.at)
        if n < limit:
            return False
        c.said = "block"
        self.say(c.id, "block", "call", "same-error", n, c.sig)
        f["blocked"] += f["at"] != c.at
        f["at"] = c.at
        f["told"] = self.news
        self.step["weights"].append(POINT)
        self.step["solid"] = self.step["blocked"] = True
        return True

    @staticmethod
    def weight(c, transient):
        return POINT // (3 if c.poll else 2 if transient else 1)

    @staticmethod
    def poll_weight(c, failed, transient):
        if c.awaited:
            return 0
        if failed and not transient:
            return POINT // 2
        if c.pauses and c.patient and not failed:
            return 0
        return POINT // (6 if c.patient and not failed else 3)

    def is_stuck(self, n, times):
        n //= times
        self.stuck = max(self.stuck, n)
        if n >= self.o["stuck"]:
            self.step["stuck"] = True

    # -- result phase

    def result(self, m):
        c = next((c for c in self.open if c.id == m["tool_call_id"]), None)
        if c is None:
            return
        self.open.remove(c)
        meta = m.get("meta", {})
        if c.turn == self.turn and c.said is None and \
                "shared" not in meta and meta.get("verdict") not in (
                    "block", "halt", "share"):
            mine = self.step
            if not mine or c not in mine["calls"]:
                self.step = dict(calls=[], left=1, weights=[])
            self.outcome(c, m, meta)
            self.step = mine
        s = self.step
        if s and c in s["calls"]:
            s["left"] -= 1
            if s["left"] == 0:
                self.end(s)

    def changed(self, c, failed, meta):
        """None: no file; else is it a new state, and is it one left since."""
        if "mutated" in meta:
            new = back = False
            for x in meta["mutated"]:
                state = (x["path"], x["sha256"])
                if state not in self.states:
                    new = True
                    self.states.add(state)
                elif self.files.get(x["path"]) != x["sha256"]:
                    back |= self.returns(x["path"], state)
                self.files[x["path"]] = x["sha256"]
                self.back[x["path"]] = self.learned
            return (new, not new and back) \
                if meta["mutated"] else None
        if failed or not c.edits:
            return None
        path = c.args["path"]
        if c.name == "write":
            state = (path, ("whole", c.args["content"]))
        else:
            old = self.files.get(path, frozenset())
            self.states.add((path, old))
            # texts there and texts gone, counted; a text both there and gone
            # is as if it had not been touched
            there = dict(old) if isinstance(old, frozenset) else \
                {old: 1}
            for t, by in ((c.args["new"], 1), (c.args["old"], -1)):
                there[t] = there.get(t, 0) + by
            state = (path, frozenset(
                (t, n) for t, n in there.items() if n))
        seen = state in self.states
        back = seen and self.files.get(path, frozenset()) != state[1] and \
            self.returns(path, state)
        again = c.sig in self.edits
        self.edits.add(c.sig)
        self.states.add(state)
        self.files[path] = state[1]
        self.back[path] = self.learned
        return (not seen and not again, back)

    def returns(self, path, state):
        """A file comes back to a state: the second time, none the wiser."""
        second = state in self.returned and \
            self.back.get(path, 0) == self.learned
        self.returned.add(state)
        return second

    def outcome(self, c, m, meta):
        o, s = self.o, self.step
        text = m["content"]
        failed = m.get("is_error", False)
        cached = meta.get("cached")
        of = self.signed.get(cached)
        of = of if of in self.latest else c.sig
        if cached is not None and of in self.latest:
            gain = 0
            first_error = False
            failed, raw, norm, mask, transient = self.latest[of]
            files = None
            short = mute = few = brief = False
        else:
            lines, chars, raw, norm, mask = facts(text, failed)
            # the time that a page from the web was made is not new
            keys = {normal(x): x for x in lines} \
                if c.network and "\n" in text else {x: x for x in lines}
            gain = sum(len(keys[k]) for k in keys.keys() - self.lines)
            self.lines |= keys.keys()
            mute = not lines
            brief = chars < o["gain"]
            short = brief and cached is None \
                and not c.idle and (not failed or mute) \
                and (not c.pauses or c.patient) and not (
                    c.name == "read" and mute)
            call = c.name + " " + json.dumps(c.args)
            error = kind(text, call)
            own = set(re.findall(r"\w+", call))
            few = failed and chars - sum(
                len(w) for w in re.findall(r"\w+", normal(text))
                if w in own) < o["gain"]
            first_error = failed and not {error, norm} & self.errors
            # an edit's error may quote the file, or the call
            transient = cached is None and failed and "timed out" in text \
                and (c.name != "edit" or "\n" not in text and
                     "timed out" not in json.dumps(c.args))
            if failed:
                gain = max(gain, len(text)) if first_error else 0
                self.errors |= {error, norm}
            if c.idle or cached is not None:
                gain = 0
            files = self.changed(c, failed, meta)
            self.learned += files is None and cached is None and \
                c.runs and gain > 0
        c.learn(failed)
        c.poll |= c.sig in self.entries and self.entries[c.sig]["live"]
        if cached is None:
            self.signed[c.id] = c.sig
        self.latest[c.sig] = (failed, raw, norm, mask, transient)
        self.calls += 1
        known = c.sig in self.known
        self.known.add(c.sig)
        e = self.entries.get(c.sig)
        progress = files and files[0] and not c.idle and (
            not failed if c.edits else
            not known or gain > 0 and not self.like(e, c, failed, norm, mask))
        if progress:
            self.epoch()
        e = self.entries.get(c.sig)
        same = e and e["failed"] == failed and (
            e["raw"] == raw or failed and e["norm"] == norm)
        alike = e and e["failed"] == failed and e["norm"] == norm
        like = self.like(e, c, failed, norm, mask)
        other = e is None
        if not failed and not c.idle and not c.asks:
            self.acted += c.edits if other else \
                not like and c.bash and gain > 0
        # the same but for numbers: a counter, or a measure?
        differs = like and not alike
        first_error = first_error and not differs
        measure = differs and not failed and (e["measures"] or
            e["numbers"] and not 0 <= total(text) + 1 - e["numbers"] <= 3)
        # what counts up, rather than other ids alone
        counts = differs and total(text) + 1 != e["numbers"]
        measures = bool(e) and like and (
            e["measures"] or bool(measure and gain and e["numbers"]))
        if not like and not progress and c.runs and not failed:
            self.gain += gain
        if progress or not like and gain and (
                gain >= o["gain"] or self.gain >= o["gain"]):
            self.news += 1
            self.score = self.others = self.gain = 0
            self.asked = self.over = self.told = False
            s["news"] = True
        if files is None:
            self.ran |= c.runs
        else:
            s["changed"] = True
            self.ran = c.runs and c.bash
            self.edited += files[0]
            if files[1]:
                c.due.append(("revisit", 1))
        # the streak
        free = like and e["window"] != self.window
        unsteady = bool(e) and (e["unsteady"] or e["failed"] != failed)
        live = bool(e) and (same or not like or measure) and (e["live"] or (
            not like and not failed and not e["failed"] and brief and
            not c.reads and e["at"] + self.still + 1 >= c.at))
        if not e:
            e = dict(sig=c.sig, weak=0)
        if not like:
            e["weak"] = 0
        if not same:
            e.update(n=0, blocked=0, told=self.news)
        if not (free and same):
            e["n"] += 1
        if not free:
            e["weak"] += 1
        e.update(raw=raw, norm=norm, mask=mask, failed=failed,
                 window=self.window, unsteady=unsteady, live=live, at=c.at,
                 brief=brief, acted=self.acted,
                 transient=transient, times=c.times(failed),
                 numbers=total(text) + 1 if differs else 0,
                 measures=measures)
        self.entries[c.sig] = e
        self.history = (self.history + (self.pair(e),))[-128:]
        times = e["times"]
        self.is_stuck(e["n"], times)
        times *= 2 if c.poll and transient else 1
        if not free and failed and like and e["weak"] >= o["warn"] * times:
            c.due.append(("retry", e["weak"]))
        elif not free and same and e["n"] >= o["warn"] * times:
            c.due.append(("repeat", e["n"]))
        elif not free and not failed and like and \
                e["weak"] >= 2 * o["warn"] * times * (
                    4 if measures and brief else 1):
            c.due.append(("repeat-weak", e["weak"]))
        self.fault(c, failed, norm, transient, mute)
        self.answer_of(c, short, raw, mute and (
            failed or not c.runs) or c.name in (
                "grep", "web_get", "mail_search"))
        if not transient:   # it proves nothing
            self.check(c, failed, norm)
        if c.name == "read" and cached is None:
            self.reads += 1
            warn = self.limit_reads()[0]
            if warn and self.reads >= warn and (self.reads - warn) % 8 == 0:
                c.due.append(("reads", self.reads))
        weight = POINT if c.idle else \
            POINT // 6 if like and not measure and not free and \
            c.late and not c.poll else \
            self.poll_weight(c, failed, transient) \
            if same and not free and c.poll else \
            self.weight(c, transient) if same and not free else \
            POINT if files and not files[0] else \
            0 if free or measure or gain and not like else \
            0 if first_error or other and short or \
            live and not like else \
            POINT // 6 if unsteady or \
            other and few and c.bash and c.runs else \
            self.poll_weight(c, failed, transient) if c.poll else \
            POINT if like and not counts and (c.asks or c.network) else \
            POINT // 2
        works = not failed and c.bash and c.runs
        spared = weight and not c.idle and (
            works if other else same and e["n"] == 2)
        if self.told and weight == POINT // 2 and not spared \
                and not transient:
            weight = POINT * 2 // 3
        s["weights"].append(weight)
        if weight and not spared:
            s["solid"] = True

    def like(self, e, c, failed, norm, mask):
        return e and e["failed"] == failed and (
            e["norm"] == norm or e["mask"] == mask and not c.poll)

    def epoch(self):
        self.entries, self.faults, self.history = {}, {}, ()
        self.answers = {}
        self.stuck = 0

    def fault(self, c, failed, norm, transient, mute):
        if not failed:
            self.faults = {k: f for k, f in self.faults.items()
                           if k[0] != c.name}
            return
        if mute:
            return
        f = self.faults.setdefault((c.name, norm), dict(
            n=0, blocked=0, sigs=frozenset(), told=self.news, at=None))
        f["sigs"] |= {c.sig}
        f["transient"] = transient
        if f["at"] == c.at:
            return
        f["at"] = c.at
        f["n"] += 1
        warn = self.o["same_warn"] + (c.bash or c.network)
        warn *= c.times(True) * (2 if self.news > f["told"] else 1)
        warn *= 2 if transient else 1
        if len(f["sigs"]) > 1 and not c.due and f["n"] >= warn:
            c.due.append(("same-error", f["n"], norm))

    def answer_of(self, c, short, raw, none):
        if not short:
            return
        calls = self.answers.setdefault((c.name, raw), set())
        if c.sig in calls:
            return
        calls.add(c.sig)
        warn = self.o["answer"] * c.times(False) * (1 if none else 4)
        if not c.due and len(calls) in [warn * 2**i for i in range(20)]:
            c.due.append(("same-answer", len(calls)))

    def check(self, c, failed, norm):
        if not c.runs:
            return
        k = self.checks.get(c.sig)
        norms = k["norms"] if failed and k else set()
        if norm not in norms:
            edited = self.edited > (k["last"] if k else 0)
            self.checks[c.sig] = dict(norms=norms | {norm} if failed else set(),
                                      since=self.edited - edited,
                                      last=self.edited, said=0)
            return
        if k["last"] == self.edited:
            return
        k["last"] = self.edited
        n = self.edited - k["since"]
        if n // self.o["futile"] > k["said"]:
            k["said"] = n // self.o["futile"]
            if k["said"] >= 3:
                self.step["futile"] = n
            c.due.append(("futile-edits", n))

    def end(self, s):
        o = self.o
        limit = o["stall"] * POINT
        w = max(s["weights"], default=0)
        quiet = not s.get("news")
        halted = any(c.said == "halt" for c in s["calls"])
        last = s["calls"][-1]
        self.still = 0 if s.get("changed") else self.still + 1
        if quiet and s.get("solid"):
            self.others += w
        if quiet and not s.get("solid") and self.score < limit and \
                self.others < 2 * POINT:
            self.score = min(self.score + w, limit - 1)
        elif quiet:
            self.score += w
        self.waited = all(c.name == "job_wait" or
                          c.args.get("command", "").startswith("sleep ")
                          for c in s["calls"])
        rules = []

        def warn(c, rule, count):
            self.say(c.id, "warn", "result", rule, count, c.sig)
            rules.append(rule)

        for c in s["calls"]:
            for rule, count, *about in c.due:
                if rule in ("repeat", "retry", "repeat-weak"):
                    e = self.entries.get(c.sig)
                    if rule != "repeat-weak" and e:
                        rule = self.rule(e)
                    if e:
                        e["told"] = self.news
                        self.told = True
                elif rule == "same-error":
                    f = self.faults.get((c.name, about[0]))
                    if not f:
                        continue        # it has worked since
                    f["told"] = self.news
                warn(c, rule, count)
        score = self.score
        if quiet and w > 0 and not halted and (score >= limit or (
                score >= o["stall_warn"] * POINT and not s.get("blocked") and
                not rules)):
            warn(last, "stall", score // POINT)
            self.told = True
            if score >= limit:
                if self.asked:
                    self.over = True
                else:
                    self.asked = True
                    self.constrain("stall", score // POINT)
        if not halted and s.get("futile"):
            self.constrain("futile-edits", s["futile"])
        if not halted and o["soft"] and self.calls >= o["soft"] and \
                self.stuck >= o["stuck"] and not self.force and \
                (not self.calls_asked or s.get("stuck")):
            self.calls_asked = True
            warn(last, "calls", self.calls)
            self.constrain("calls", self.calls)
        first = o["explore"]
        over = self.still - first
        if not halted and (self.task or self.contract) and first and over >= 0 and (
                over <= 2 or (over - 2) % first == 0):
            warn(last, "no-mutation", self.still)
        self.nudge(rules)
        s["weights"] = []

    def constrain(self, rule, count):
        if self.force == 0:
            self.force = 1
            self.force_rule, self.force_count = rule, count
            self.say("constrain", "none", rule, 1)

    def nudge(self, rules):
        if rules:
            self.say("nudge", [r for r in RULES if r in rules])

    # -- text phase

    def answer(self, r):
        self.force = max(0, self.force - 1)
        text = r.get("content") or ""
        self.last = text if self.still == self.steps else None
        self.plan = PLANS.get(self.last)
        if r.get("finish_reason", "stop") != "stop" or not text:
            return
        if text == self.last_text:
            self.same_text += 1
        else:
            self.last_text, self.same_text = text, 1
        bad = SAID.get(text)
        if bad != "status-only" and self.same_text >= 3:
            bad = "monologue"
        if bad == "premature" and (self.ran or self.compacted):
            bad = None
        self.compacted = False
        if bad and self.nudged < 3 and self.nudged_turn < 6:
            self.nudged += 1
            self.nudged_turn += 1
            self.say(None, "warn", "text", bad, self.nudged, hashlib.sha256(
                b"\0" + text.encode()).hexdigest())
            self.nudge([bad])

    # -- records

    def record(self, r):
        role, kind = r.get("role"), r.get("type")
        if role == "assistant" and r.get("tool_calls"):
            self.at += 1
            self.steps += 1
            forced, self.force = self.force > 0, max(0, self.force - 1)
            calls = [Call(c, 0) for c in r["tool_calls"]]
            self.step = dict(calls=calls, left=len(calls), weights=[])
            self.nudged = self.same_text = 0
            for i, c in enumerate(calls):
                c.turn = self.turn
                c.at = self.at
                c.poll |= self.waited
                c.patient = not c.pauses if self.waited else c.pauses
                if c.edits:
                    self.wanted = None
                self.heeded |= c.sig in self.known
                self.again(c)
                c.allow(self.wanted if self.heeded else None, self.o)
                self.open.append(c)
                self.call(c, forced, calls[:i])
        elif role == "assistant":
            self.step = None
            self.answer(r)
        elif role == "tool":
            self.result(r)
        elif role in ("user", "system"):
            self.step = None
            if role == "user":
                self.begin()
                self.task = "contract" in r.get("meta", {})
                self.wanted = ASKS.get(r["content"]) or self.plan
                if not self.last or not self.last.endswith("?"):
                    self.errand = self.last if self.last and \
                        r["content"] not in ASKS or \
                        self.last and not ASKS[r["content"]] else r["content"]
                self.plan = self.last = None
        elif kind == "hamr":
            self.fresh()
        elif kind == "config":
            self.contract = r["set"].get("agent.contract") == "change"
        elif kind == "undo":
            self.epoch()
            self.news += 1
            self.score = self.others = self.gain = 0
            self.asked = self.over = self.told = self.ran = False
            self.edits, self.returned = set(), set()
            for x in r["paths"]:
                self.states.add((x["path"], x["sha256"]))
                self.files[x["path"]] = x["sha256"]
        elif kind == "limit":
            self.few = r["context_tokens"] < 32768
        elif kind == "verification":
            self.ran = True
        elif kind == "compaction":
            self.lines = set()
            self.window += 1
            self.compacted = True
        elif kind == "recovery":
            self.recover()

    def recover(self):
        warn = self.o["warn"]
        self.halted = None
        for e in self.entries.values():
            times = e["times"]
            e["n"] = min(e["n"], warn * times)
            e["weak"] = min(e["weak"], 2 * warn * times)
            e["blocked"] = 0
        for f in self.faults.values():
            f["n"] = min(f["n"], self.o["same_warn"])
            f["blocked"] = 0
        self.stuck = min(self.stuck, warn)
        self.score = min(self.score, self.o["stall_warn"] * POINT)
        self.asked = self.over = False


def said_by(program, options, text):
    p = subprocess.run([program, "--no-config", "-n"] + options,
                       input=text.encode(), stdout=subprocess.PIPE,
                       check=True)
    rows = []
    for line in p.stdout.decode().splitlines():
        r = json.loads(line)
        if r.get("type") == "verdict":
            rows.append((r.get("tool_call_id"), r["action"], r["phase"],
                         r["rule"], r["count"], r["signature"]))
        elif r.get("type") == "constrain":
            rows.append(("constrain", r["tool_choice"], r["rule"],
                         r["steps"]))
        else:
            rows.append(("nudge", r["meta"]["rules"]))
    return rows


# -- transcripts

TEXTS = ["a first text of more than sixty characters, so that it is news, yes",
         "short"]
CALLS = [("read", {"path": "a"}), ("bash", {"command": "make"}),
         ("grep", {"x": 1, "y": [True]})]
MORE = CALLS + [("bash", {"command": "echo hi"}),
                ("bash", {"command": "sleep 3"}),
                ("edit", {"path": "a", "old": "p", "new": "q"}),
                ("edit", {"path": "a", "old": "q", "new": "p"}),
                ("edit", {"path": "a", "old": "q", "new": "r"}),
                ("write", {"path": "b", "content": "c"}),
                ("write", {"path": "b", "content": "d"}),
                ("read", {"path": "b"}), ("grep", {"x": 2}),
                ("grep", {"x": 4}), ("job_wait", {"x": 1}),
                ("grep", {"x": 3}), ("web_get", {"x": 1}),
                ("web_get", {"x": 2}), ("mail_search", {"x": 1})]


def call_of(i, name, args):
    return {"id": i, "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)}}


def result_of(i, text):
    return {"role": "tool", "tool_call_id": i, "content": text}


# -- limits

SMALL = dict(warn=("loop_guard.warn_threshold", 2),
             block=("loop_guard.block_threshold", 3),
             halt=("loop_guard.halt_threshold", 4),
             fresh=("loop_guard.interleaved_block_threshold", 4),
             stall_warn=("loop_guard.stall_warn_threshold", 2),
             stall=("loop_control.progress_stall_threshold", 3),
             same_block=("loop_guard.same_error_block", 5),
             futile=("loop_guard.futile_edit_warn", 2),
             answer=("loop_guard.same_answer_warn", 2),
             explore=("loop_guard.explore_nudge_after", 4))
WIDE = dict(warn=("loop_guard.warn_threshold", 3),
            block=("loop_guard.block_threshold", 40),
            fresh=("loop_guard.interleaved_block_threshold", 40),
            halt=("loop_guard.halt_threshold", 50),
            stall=("loop_control.progress_stall_threshold", 60),
            soft=("loop_guard.soft_max_tool_calls", 20),
            warn_reads=("loop_guard.warn_reads", 4),
            max_reads=("loop_guard.max_reads", 20))


def limited(keys):
    """The options of the guard that set these, and the model's."""
    return ([x for key, value in keys.values()
             for x in ("-o", "%s=%d" % (key, value))],
            {k: v for k, (_, v) in keys.items()})


# -- every short sequence

HEAD = [{"type": "hamr", "v": 1},
        {"role": "user", "content": "make, read it all"}]
VERDICT = re.compile(
    rb'"tool_call_id":"(c\d+)","name":"[a-z]*","action":"([a-z]*)",'
    rb'"phase":"([a-z]*)","rule":"([a-z-]*)","count":(\d+)|'
    rb'"type":"(constrain)"|"by":"guard","rules":\[([^]]*)\]|"type":"(next)"')


def plain(row):
    """A row as VERDICT finds it."""
    if row[0] == "nudge":
        return (b"",) * 6 + (",".join('"%s"' % r for r in row[1]).encode(),
                             b"")
    if row[0] == "constrain":
        return (b"",) * 5 + (b"constrain", b"", b"")
    return tuple(str(x).encode() for x in row[:5]) + (b"", b"", b"")


def short_part(job):
    """All sequences that begin with the given steps: guard and model."""
    guard, length, keys, first = job
    options, o = limited(keys)
    steps = [[[{"role": "assistant", "content": None,
                "tool_calls": [call_of("c%d" % (d + 1), *call)]},
               result_of("c%d" % (d + 1), text)]
              for call in CALLS for text in TEXTS] for d in range(length)]
    lines = [["".join(json.dumps(r) + "\n" for r in s) for s in d]
             for d in steps]
    head = "".join(json.dumps(r) + "\n" for r in HEAD)
    wanted, text = [], []
    mark = (b"",) * 7 + (b"next",)

    def walk(model, depth, said, sofar):
        if depth == length:
            wanted.extend(said)
            wanted.append(mark)
            text.append(sofar + '{"type":"next"}\n')
            return
        for i, step in enumerate(steps[depth]):
            if depth < len(first) and i != first[depth]:
                continue
            # the last one may have the model itself
            m = model if step is steps[depth][-1] else model.clone()
            m.out = []
            for r in step:
                m.record(r)
            walk(m, depth + 1, said + [plain(x) for x in m.out],
                 sofar + lines[depth][i])

    model = Model(**o)
    for r in HEAD:
        model.record(r)
    walk(model, 0, [], head)
    # -n leaves out what is passed on, so the marks come by a filter's way
    p = subprocess.run([guard, "--no-config"] + options,
                       input="".join(text).encode(), stdout=subprocess.PIPE,
                       check=True)
    got = VERDICT.findall(p.stdout)
    if got == wanted:
        return len(text), None
    for i, (a, b) in enumerate(itertools.zip_longest(got, wanted)):
        if a != b:
            n = wanted[:i].count(mark)
            return len(text), "guard says %s, model %s in\n%s" % (
                a, b, text[min(n, len(text) - 1)])
    return len(text), None


def short(guard, length):
    jobs = [(guard, length, keys, (a, b)) for keys in ({}, SMALL)
            for a in range(6) for b in range(6)]
    total = 0
    with multiprocessing.Pool(min(4, multiprocessing.cpu_count())) as pool:
        for n, bad in pool.imap_unordered(short_part, jobs):
            total += n
            if bad:
                print(bad)
                return False
    print("%d sequences of %d calls, by default and with low limits, each "
          "step compared: the same" % (total, length))
    return True


# -- random transcripts

class Maker:
    def __init__(self, rnd):
        self.n = 0
        self.rnd = rnd
        self.records = []

    def put(self, **r):
        self.records.append(r)

    def calls(self, calls):
        out = []
        for name, args in calls:
            self.n += 1
            out.append(call_of("c%d" % self.n, name, args))
        self.put(role="assistant", content=None, tool_calls=out)
        return [(c["id"], c["function"]["name"]) for c in out]

    def text(self, texts):
        rnd = self.rnd
        text = rnd.choice(texts)
        x = rnd.random()
        if x < .1:
            text += "\nnumber %d of the novel lines, which is " \
                "long enough to be news to anybody" % self.n
        elif x < .4:
            text += "\nat 12:%02d:%02d" % (self.n // 60 % 60, self.n % 60)
        return text

    def result(self, i, name, texts, fails):
        rnd = self.rnd
        r = result_of(i, self.text(texts))
        if rnd.random() < fails:
            r["is_error"] = True
            if rnd.random() < .1:
                r["content"] = "it timed out"
        x = rnd.random()
        if x < .03:
            r["meta"] = {"verdict": rnd.choice(["block", "share", "warn"])}
        elif x < .05:
            r["meta"] = {"cached": "c%d" % rnd.randint(1, self.n)}
            r.pop("is_error", None)
        elif x < .1 and name == "bash":
            r["meta"] = {"mutated": [
                {"path": "m", "sha256": str(rnd.randint(1, 3))}
                for _ in range(rnd.randint(0, 1))]}
        self.records.append(r)

    def between(self):
        x = self.rnd.random()
        if x < .02:
            self.put(type="compaction", epoch=1)
        elif x < .04:
            self.put(type="recovery", scenario="x", attempt=1)
        elif x < .05:
            if x < .044:
                self.put(role="user", content="go on")
                self.put(role="assistant", content=list(PLANS)[0])
            self.put(role="user", content=list(ASKS)[int(x * 4000) % 5])
        elif x < .055:
            self.put(type="limit", context_tokens=16384)
        elif x < .06:
            self.put(type="config",
                     set={"agent.contract":
                          self.rnd.choice(["change", "auto"])})
        elif x < .065:
            self.put(type="undo", of="u1", paths=[
                {"path": "m", "sha256": str(self.rnd.randint(1, 3))}])
        elif x < .1:
            for _ in range(self.rnd.choice([1, 1, 4])):
                self.put(role="assistant",
                         content=self.rnd.choice(list(SAID)))


def random_sequences(count, seed):
    rnd = random.Random(seed)
    m = Maker(rnd)
    for k in range(count):
        m.put(type="hamr", v=1)
        m.put(role="user", content=rnd.choice(["go", "make, read it all"]),
              **({"meta": {"contract": "soft"}} if k % 2 else {}))
        some = rnd.sample(MORE, rnd.randint(1, 6))
        texts = TEXTS + ["", "line %d" % rnd.randint(1, 9)]
        texts = rnd.sample(texts, rnd.randint(1, 3))
        fails = rnd.choice([0, .05, .9])
        for _ in range(rnd.choice([5, 20, 40, 150])):
            ids = m.calls(rnd.choices(some, k=rnd.choice([1, 1, 1, 2, 3])))
            if rnd.random() < .1:
                rnd.shuffle(ids)
            for i, name in ids:
                if rnd.random() < .99:
                    m.result(i, name, texts, fails)
            m.between()
    return m.records


def compare(name, records, guard, options, **o):
    model = Model(**o)
    at = []                     # the record behind which each row was said
    for i, r in enumerate(records):
        model.record(r)
        at += [i] * (len(model.out) - len(at))
    got = said_by(guard, options,
                  "".join(json.dumps(r) + "\n" for r in records))
    if got == model.out:
        rules = {x[3] for x in got if len(x) == 6}
        print("%s: %d records, %d said by %d rules, the same" % (
            name, len(records), len(got), len(rules)))
        return True
    for i, (a, b) in enumerate(itertools.zip_longest(got, model.out)):
        if a != b:
            print("%s: at %d guard says %s, model %s" % (name, i, a, b))
            end = at[min(i, len(at) - 1)] if at else 0
            start = max(k for k in range(end + 1)
                        if records[k].get("type") == "hamr")
            with open("model-differs.ndjson", "w") as f:
                for r in records[start:end + 1]:
                    f.write(json.dumps(r) + "\n")
            break
    return False


def check(guard, options):
    good = True
    for seed in range(3 if os.environ.get("CHECK_FULL") else 1):
        records = random_sequences(120, seed)
        for name, keys in (("default", {}), ("low limits", SMALL),
                           ("wide limits", WIDE)):
            more, o = limited(keys)
            good &= compare("random %d, %s" % (seed, name), records, guard,
                            options + more, **o)
            if not good:
                return False
    return good


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        sys.exit(0 if check(sys.argv[2], sys.argv[3:]) else 1)
    if sys.argv[1:2] == ["short"]:
        sys.exit(0 if short(sys.argv[2], int(sys.argv[3])) else 1)
    model = Model()
    for line in sys.stdin:
        model.record(json.loads(line))
    for row in model.out:
        print(json.dumps(row))

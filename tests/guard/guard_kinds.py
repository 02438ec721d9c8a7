#!/usr/bin/env python3
"""guard_kinds.py - loops and honest repetition, made from tests/data/guard.

    guard_kinds.py [-a] loops|honest [NAME...]	the kinds, or one's transcript

loops.txt says how the kinds are written.  What is random is drawn from the
kind's name, so every run makes the same.  A third of each collection is kept
aside, by name too: rules are made without looking at it, and it says whether
they hold for more than what they were made for.  -a: only that third.
"""
import hashlib
import json
import os
import random
import re
import sys
import uuid

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../data/guard")
WORDS = """anchor basket candle delta ember fabric garden harbor island jacket
kettle ladder marble needle orchard pepper quarry ribbon saddle tunnel umbrella
velvet window yellow zipper copper bridge meadow signal timber""".split()
MARK = re.compile(r"\$(id|i|hex|word|new|same|(?:any|one)\(((?:\\.|[^)\\])*)\)|"
                  r"\(((?:\\.|[^\\)])*)\))")


class Kind:
    def __init__(self, name, laps):
        self.name, self.laps, self.lines = name, laps, []
        self.asked = None       # by the person, before the first lap
        digest = hashlib.sha256(("aside 1 " + name).encode()).digest()
        self.aside = digest[0] % 3 == 0

    def steps(self):
        """(calls, text) of each step, the text of calls may be None; calls are (tool, arguments, result,
        failed)."""
        rng = random.Random(self.name)
        same = "\n".join(sentence(rng) for _ in range(4))
        for lap in range(1, self.laps + 1):
            word, calls, ones, aloud = rng.choice(WORDS), [], {}, None
            for line in self.lines:
                when = re.match(r"(/?)(\d+): ", line)
                if when:
                    line = line[when.end():]
                    n = int(when[2])
                    if lap % n if when[1] else lap != n:
                        continue
                if line.startswith("> "):
                    yield [], line[2:]
                    continue
                if line.startswith("~ "):
                    aloud = line[2:]
                    continue
                line = MARK.sub(
                    lambda m: ones.setdefault(m[0], fill(
                        m, rng, lap, word, same)) if m[1][:3] == "one"
                    else fill(m, rng, lap, word, same), line)
                if line.startswith("& "):
                    calls.append(call(line[2:]))
                    continue
                if calls:
                    yield calls, aloud
                    aloud = None
                calls = [call(line)]
            yield calls, aloud

    def records(self, name="kind"):
        """The transcript; its calls are name1, name2 and so on."""
        n = 0
        if self.asked:
            yield {"role": "user", "content": self.asked}
        for calls, text in self.steps():
            ids = ["%s%d" % (name, n + k + 1) for k in range(len(calls))]
            n += len(calls)
            if not calls:
                yield {"role": "assistant", "content": text}
                continue
            yield {"role": "assistant", "content": text, "tool_calls": [
                {"id": i, "type": "function",
                 "function": {"name": c[0], "arguments": c[1]}}
                for i, c in zip(ids, calls)]}
            for i, c in zip(ids, calls):
                r = {"role": "tool", "tool_call_id": i, "content": c[2]}
                yield dict(r, is_error=True) if c[3] else r


def sentence(rng):
    return " ".join(rng.choice(WORDS) for _ in range(12))


def fill(m, rng, lap, word, same):
    what = m[1]
    if what in ("i", "word"):
        return str(lap) if what == "i" else word
    if what == "hex":
        return "%012x" % rng.getrandbits(48)
    if what == "id":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    if what in ("new", "same"):
        text = same if what == "same" else sentence(rng)
        return text.replace("\n", "\\n")
    row = re.split(r"(?<!\\)\|", m[2] if m[2] is not None else m[3])
    pick = rng.choice(row) if m[2] is not None else row[(lap - 1) % len(row)]
    return pick.replace("\\|", "|")


def call(line):
    tool, rest = line.split(" ", 1)
    args, end = json.JSONDecoder(strict=False).raw_decode(rest)
    rest = rest[end:].lstrip(" ")
    return (tool, json.dumps(args), rest[2:].replace("\\n", "\n"),
            rest[0] == "!")


def kinds(collection):
    out = []
    with open(os.path.join(DATA, collection + ".txt")) as f:
        for line in f:
            m = re.match(r"== (.*) x(\d+)$", line)
            if m:
                out.append(Kind(m[1], int(m[2])))
            elif line.startswith("< "):
                out[-1].asked = line[2:].rstrip("\n")
            elif line.strip() and line[0] != "#":
                out[-1].lines.append(line.rstrip("\n"))
    return out


def main(argv):
    aside = argv[:1] == ["-a"]
    argv = argv[aside:]
    for k in kinds(argv[0]):
        if len(argv) == 1 and (k.aside or not aside):
            print(k.name)
        elif k.name in argv[1:]:
            for r in k.records():
                print(json.dumps(r))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])

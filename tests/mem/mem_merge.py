#!/usr/bin/env python3
"""mem_merge.py - stores that merge in any order, any number of times, to the
same bytes.

	mem_merge.py SEED COUNT [seconds]

Each round makes lines as several machines may have written them: few facts,
slots, messages and times, so that everything meets everything; marks of what
was forgotten.  They are dealt out to three stores, and these merged in every
order, also over a fourth one, and again.
"""
import hashlib
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile


def mem(db, *args, data=None):
    p = subprocess.run(["hamr-mem", "--no-config", "--db", db] + list(args),
                       input=data, capture_output=True, timeout=60)
    if p.returncode != 0:
        raise SystemExit("%s: status %d: %s" % (args, p.returncode,
                                                p.stderr.decode()))
    return p.stdout


def line(r):
    """A line of an export; a text belongs to a key."""
    kind = r.choice(["fact", "fact", "fact", "message", "forgotten"])
    n = r.randrange(4)
    if kind == "message" or (kind == "forgotten" and r.random() < 0.3):
        n += 4
    key = "m:%012x" % (n + 160)
    if n < 4:   # a fact's, or its mark
        key = "m:" + hashlib.sha256(b"fact\0fact %d" % n).hexdigest()[:12]
    o = {"type": "memory", "v": 1, "key": key, "kind": kind, "session": None,
         "line": None, "role": None, "name": None, "path": None,
         "time": "2026-01-01T00:00:00.%03dZ" % r.randrange(1, 30), "tags": [],
         "slot": None, "content": None}
    if kind == "fact":
        o["content"] = "fact %d" % n
        o["tags"] = r.sample(["a", "b", "c"], r.randrange(3))
        # a fact has a slot of its own, or one of two that others want too
        o["slot"] = r.choice([None, None, "s%d" % (n % 2)])
    if kind == "message":
        o.update(session="s", role="user", line=r.randrange(1, 9),
                 content="message %d" % n)
        o["path"] = r.choice([None, "a.c"])
    return json.dumps(o)


def store(folder, name, lines):
    db = os.path.join(folder, name)
    mem(db, "import", data="".join(x + "\n" for x in lines).encode())
    return mem(db, "export")


def check(seed, folder):
    r = random.Random(seed)
    parts = [[line(r) for _ in range(r.randrange(5))] for _ in range(3)]
    parts = [p for p in parts if p]
    single = [store(folder, "%d.%d" % (seed, k), part)
              for k, part in enumerate(parts)]
    first = None
    for i, order in enumerate(itertools.permutations(range(len(parts)))):
        # some machines had merged before: what they export comes, not lines
        db = os.path.join(folder, "%d.%d.all" % (seed, i))
        mem(db, "import", data=b"".join(single[k] for k in order))
        if i % 2:
            pair = os.path.join(folder, "%d.%d.p" % (seed, i))
            mem(pair, "import", data=b"".join(single[k] for k in order[:2]))
            mem(pair + "2", "import", data=mem(pair, "export"))
            mem(pair + "2", "import",
                data=b"".join(single[k] for k in order[2:]))
            mem(db, "import", data=mem(pair + "2", "export"))
        out = mem(db, "export")
        mem(db, "import", data=out)
        if mem(db, "export") != out:
            raise SystemExit("seed %d: importing itself changes it" % seed)
        if i % 2 and mem(pair + "2", "export") != out:
            raise SystemExit("seed %d: two machines first: not the same" %
                             seed)
        mem(db, "check")
        if first is None:
            first = out
        if out != first:
            print("\n".join("\n".join(p) for p in parts))
            raise SystemExit("seed %d, order %s: not the same\n%s---\n%s" % (
                seed, order, first.decode(), out.decode()))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(sys.argv[1]), sum(map(int, sys.argv[1:3]))):
            check(seed, folder)
    print("the same in any order")


main()

#!/usr/bin/env python3
# messages.py N SEED QUERIES - N messages to stdout, in sessions of 200, and
# 200 queries about them into the file QUERIES.  Words are drawn from 50,000 by
# Zipf's law, some joined to identifiers and paths.
import json
import math
import random
import sys

n, seed = int(sys.argv[1]), int(sys.argv[2])
rnd = random.Random(seed)
SYLLABLES = ("ba ko ri tu me la so ni fa de gu pe ha zi vo cra stre plo ing "
             "ter").split()
VOCABULARY = 50000


def made(i):
    r = random.Random(i * 7919 + 13)
    return "".join(r.choice(SYLLABLES) for _ in range(r.randint(1, 4)))


words = [made(i) for i in range(VOCABULARY)]


def word():
    rank = int(math.exp(rnd.random() * math.log(VOCABULARY)))
    return words[min(rank, VOCABULARY) - 1]


def identifier():
    parts = [word() for _ in range(rnd.randint(2, 3))]
    if rnd.random() < 0.5:
        return "_".join(parts)
    return parts[0] + "".join(p.capitalize() for p in parts[1:])


def text(least, most):
    return " ".join(identifier() if rnd.random() < 0.1 else word()
                    for _ in range(rnd.randint(least, most)))


def query(said):
    said = said.split()
    kind = rnd.randrange(6)
    if kind == 0:
        return " ".join(rnd.sample(said, 3))
    if kind == 1:
        i = rnd.randrange(len(said) - 4)
        return " ".join(said[i:i + 4])
    if kind == 2:
        return rnd.choice(said)
    if kind == 3:
        return " ".join(rnd.sample(said, 6))
    longest = max(said, key=len)
    return longest[2:-2] if kind == 4 else longest


def put(record):
    sys.stdout.write(json.dumps(record) + "\n")


queries = []
for i in range(n):
    if i % 200 == 0:
        put({"type": "hamr", "v": 1, "session": "s%06d" % (i // 200),
             "created": "2026-%02d-%02dT10:00:00Z" %
             (1 + i // 5600 % 12, 1 + i // 200 % 28)})
    said = text(8, 50)
    if len(queries) < 200 and i % (n // 200 + 1) == 0:
        queries.append(query(said))
    if i % 3 == 0:
        put({"role": "user", "content": "%s %d" % (said, i)})
    elif i % 3 == 1:
        path = "src/%s/%s.c" % (word(), identifier())
        put({"role": "assistant", "content": said, "tool_calls": [
            {"id": "c%d" % i, "type": "function", "function": {
                "name": "read", "arguments": json.dumps({"path": path})}}]})
    else:
        put({"role": "tool", "tool_call_id": "c%d" % (i - 1), "name": "read",
             "content": "%s\n%x" % (said, rnd.getrandbits(40))})
with open(sys.argv[3], "w") as f:
    f.write("".join(q + "\n" for q in queries))

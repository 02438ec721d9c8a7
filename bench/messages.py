#!/usr/bin/env python3
# messages.py N SEED QUERIES - N messages to stdout, in sessions of 200, and
# 200 queries about them into the file QUERIES, 200 more of common words into
# QUERIES.common.  The words are spread about as in recorded sessions: an eighth
# are stop words, the commonest other word stands in a third of the messages
# (there 0.30), the hundredth in a thirtieth (there 0.06); a tenth of them are
# identifiers, of which there are the more, the more messages there are.
import functools
import json
import math
import random
import sys

n, seed = int(sys.argv[1]), int(sys.argv[2])
rnd = random.Random(seed)
SYLLABLES = ("ba ko ri tu me la so ni fa de gu pe ha zi vo cra stre plo ing "
             "ter").split()
STOP = ("the to for and a is with in you i of it this can from that or on me "
        "be").split()
VOCABULARY = 50000
SHIFT = 10.5        # of ranks: else the first ones were in nearly all messages
SPREAD = math.log((VOCABULARY + SHIFT) / SHIFT)


def made(i, least=1):
    r = random.Random(i * 7919 + 13)
    return "".join(r.choice(SYLLABLES) for _ in range(r.randint(least, 4)))


words = STOP + [made(i) for i in range(VOCABULARY - len(STOP))]


def rank(most):
    return min(int(SHIFT * math.exp(rnd.random() * SPREAD) - SHIFT), most)


def word():
    return words[rank(VOCABULARY - 1)]


@functools.cache
def joined(no):
    r = random.Random(no * 104729 + 7)
    parts = [made(r.randrange(5000), 2) for _ in range(r.randint(2, 3))]
    if r.random() < 0.5:
        return "_".join(parts)
    return parts[0] + "".join(p.capitalize() for p in parts[1:])


def identifier(message):
    """One of those that there are at this message, the older the commoner."""
    return joined(int((20000 + message / 2) ** rnd.random()))


def text(message):
    return " ".join(identifier(message) if rnd.random() < 0.1 else word()
                    for _ in range(rnd.randint(8, 50)))


def query(said):
    said = said.split()
    telling = [w for w in said if w not in STOP]
    kind = rnd.randrange(6)
    if kind == 0:
        return " ".join(rnd.sample(telling, min(3, len(telling))))
    if kind == 1:
        i = rnd.randrange(len(said) - 4)
        return " ".join(said[i:i + 4])
    if kind == 2:
        return rnd.choice(telling)
    if kind == 3:
        return " ".join(rnd.sample(telling, min(6, len(telling))))
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
    said = text(i)
    if len(queries) < 200 and i % (n // 200 + 1) == 0:
        queries.append(query(said))
    if i % 3 == 0:
        put({"role": "user", "content": "%s %d" % (said, i)})
    elif i % 3 == 1:
        path = "src/%s/%s.c" % (word(), identifier(i))
        put({"role": "assistant", "content": said, "tool_calls": [
            {"id": "c%d" % i, "type": "function", "function": {
                "name": "read", "arguments": json.dumps({"path": path})}}]})
    else:
        put({"role": "tool", "tool_call_id": "c%d" % (i - 1), "name": "read",
             "content": "%s\n%x" % (said, rnd.getrandbits(40))})
with open(sys.argv[3], "w") as f:
    f.write("".join(q + "\n" for q in queries))
with open(sys.argv[3] + ".common", "w") as f:
    f.write("".join(" ".join(rnd.sample(words[len(STOP):300], 1 + i % 4)) +
                    "\n" for i in range(200)))

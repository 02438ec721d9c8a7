#!/usr/bin/env python3
"""compact_refill.py FIRST SECOND GAP END TOKENS - a transcript for a window of
40000, that compacts once, at its end, and then has room for one large item.

FIRST and SECOND (or -) are such items: read, write, command or other; SECOND
begins GAP messages behind FIRST, or the transcript ends END messages behind it.  TOKENS: of what is never shown
again, a command that ran once more.
"""
import json
import sys

def text(tokens, word):
    return ("%s and more of it; " % word) * (tokens // 7)


class Made:
    def __init__(self):
        self.n = 0
        self.out = []

    def say(self, **r):
        self.out.append(json.dumps(r))
        self.n += 1

    def call(self, i, name, args, result, **meta):
        self.say(role="assistant", content=None, tool_calls=[{"id": i,
            "type": "function", "function": {"name": name,
            "arguments": json.dumps(args)}}])
        self.say(role="tool", tool_call_id=i, content=result, meta=meta)

    def fill(self, upto):
        """Short calls, to message `upto`."""
        if (upto - self.n) % 2:
            self.say(role="assistant", content="so")
        while self.n < upto:
            self.call("s%d" % self.n, "bash", {"command": "true"}, "ok")

    def item(self, i, kind):
        big = text(2400, i)
        at = self.n
        if kind == "command":
            self.call(i, "bash", {"command": "run " + i}, big)
        elif kind == "other":
            self.call(i, "fetch", {"url": i}, big)
        elif kind == "write":
            self.call(i, "write", {"path": i, "content": big}, "ok")
        else:
            self.call(i, "read", {"path": i}, big)
        return at


def main(first, second, *numbers):
    gap, end, tokens = map(int, numbers)
    made = Made()
    made.say(role="user", content="do it")
    for k in range(3):
        made.call("make%d" % k, "bash", {"command": "make"},
                  text(tokens, "make"))
    made.call("make", "bash", {"command": "make"}, "ok")
    at = made.item("first", first)
    if second != "-":
        made.fill(at + gap)
        made.item("second", second)
    made.fill(at + end - 6 if end else made.n + 2)
    for k in range(3):  # the tail
        made.call("t%d" % k, "bash", {"command": "t%d" % k},
                  text(1700, "tail"))
    print("\n".join(made.out))


if __name__ == "__main__":
    main(*sys.argv[1:])

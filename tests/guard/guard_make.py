#!/usr/bin/env python3
"""guard_make.py - transcripts for the tests of hamr-guard, written short.

    c ID TOOL ARGUMENTS           an assistant message with one call
    r ID TEXT [| MORE]            its result; MORE: members as a JSON object
    s ID TOOL ARGUMENTS = TEXT [| MORE]   both
    b ID TOOL ARGUMENTS ; ...     one message with several calls
    a TEXT [| MORE]               an assistant message without calls
    u TEXT                        a message by a person
    {...}                         a record as it is
    N* LINE                       the line N times; # in it is its number,
                                  \\# a #
\\n in TEXT is a line end; FILL is a line of more than sixty characters.
"""
import json
import re
import sys

FILL = "a line that is long enough to be something new to whoever reads %s"


def text_of(s, n):
    text, _, more = (" " + s).partition(" | ")
    text = text[1:].replace("\\n", "\n").replace("FILL", FILL % n)
    return text, json.loads(more) if more else {}


def call(i, tool, args):
    return {"id": i, "type": "function",
            "function": {"name": tool, "arguments": args.strip()}}


def records(line, n):
    if line.startswith("{"):
        yield line
        return
    kind, _, rest = line.partition(" ")
    out = {}
    if kind in "cs":
        i, tool, args = rest.split(" ", 2)
        args, _, result = (args + " ").partition(" = ")
        result = result[:-1]
        out = {"role": "assistant", "content": None,
               "tool_calls": [call(i, tool, args)]}
        yield json.dumps(out)
        if kind == "c":
            return
        kind, rest = "r", i + " " + result
    if kind == "b":
        calls = [x.strip().split(" ", 2) for x in rest.split(" ; ")]
        out = {"role": "assistant", "content": None,
               "tool_calls": [call(*x) for x in calls]}
    elif kind == "r":
        i, _, rest = rest.partition(" ")
        text, more = text_of(rest, n)
        out = dict({"role": "tool", "tool_call_id": i, "content": text},
                   **more)
    elif kind == "a":
        text, more = text_of(rest, n)
        out = dict({"role": "assistant", "content": text}, **more)
    elif kind == "u":
        out = {"role": "user", "content": rest}
    yield json.dumps(out)


def made(lines):
    counter = 0
    for line in lines:
        line = line.rstrip("\n")
        if not line.strip():
            continue
        m = re.match(r"(\d+)\* (.*)", line)
        times, line = (int(m[1]), m[2]) if m else (1, line)
        for _ in range(times):
            counter += 1
            yield from records(
                re.sub(r"\\#|#", lambda m: "#" if len(m[0]) > 1 else
                       str(counter), line), counter)


if __name__ == "__main__":
    for record in made(sys.stdin):
        print(record)

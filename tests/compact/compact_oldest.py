#!/usr/bin/env python3
"""compact_oldest.py WINDOW AGE WORDS - a transcript of more than WINDOW tokens
that has room for all until its last record says what the window is.

AGE messages before its end it writes a file of so many words; what takes the
room is a command that ran once more.
"""
import json
import sys


def call(i, name, args, result):
    print(json.dumps({"role": "assistant", "content": None, "tool_calls": [{
        "id": i, "type": "function", "function": {"name": name,
        "arguments": json.dumps(args)}}]}))
    print(json.dumps({"role": "tool", "tool_call_id": i, "content": result}))


def main(window, age, size):
    print(json.dumps({"role": "user", "content": "do it"}))
    for k in range(window // 2000):
        call("m%d" % k, "bash", {"command": "make"}, "and more of it; " * 500)
    call("m", "bash", {"command": "make"}, "ok")
    call("old", "write", {"path": "a.c", "content": "word " * size}, "ok")
    for k in range(age // 2 - 1):
        call("s%d" % k, "bash", {"command": "true"}, "ok")
    print(json.dumps({"type": "limit", "context_tokens": window}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

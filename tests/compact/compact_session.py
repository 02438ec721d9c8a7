#!/usr/bin/env python3
"""compact_session.py - a made-up coding session, always the same.

	compact_session.py STEPS [SESSION-NAME]

Files are read, edited and read again, commands fail and succeed, a person
says something now and then.
"""
import json
import sys


def say(**record):
    print(json.dumps(record, ensure_ascii=False))


def lines(path, version):
    return ["%s line %d of version %d: int value_%d = %d;" % (
        path, i, version, i, i * 7 % 13) for i in range(1, 61)]


def call(n, name, content, result, failed=False, **args):
    ident = "call_%d" % n
    say(role="assistant", content=content, tool_calls=[{
        "id": ident, "type": "function", "function": {
            "name": name, "arguments": json.dumps(args)}}])
    record = {"role": "tool", "tool_call_id": ident, "name": name,
              "content": result}
    if failed:
        record["is_error"] = True
    say(**record)


def main():
    steps = int(sys.argv[1])
    if len(sys.argv) > 2:
        say(type="hamr", v=1, session=sys.argv[2], cwd="/work", model="some-model")
    say(role="system", content="You are a coding agent.")
    say(role="user", content="Make every value in src/*.c even.")
    versions = {}
    for n in range(steps):
        path = "src/file%d.c" % (n // 4 % 5)
        text = lines(path, versions.get(path, 0))
        if n % 4 == 0:
            call(n, "read", "I read %s." % path, "\n".join(text) + "\n",
                 path=path)
        elif n % 4 == 1:
            old = text[10]
            versions[path] = versions.get(path, 0) + 1
            call(n, "edit", "Now the edit.", "replaced 1 in " + path,
                 path=path, old=old, new=old.replace("int", "long"))
        elif n % 4 == 2:
            bad = n % 8 == 2
            call(n, "bash", None, "exit %d\n%s" % (bad, "".join(
                "cc -c file%d.o\n" % i for i in range(20)) +
                ("%s:11: error: no value_%d\n" % (path, n) if bad else "")),
                bad, command="make check")
        else:
            call(n, "bash", "", "exit 0\nOn branch main\n\tmodified:   %s\n"
                 % path, command="git status")
        if n % 10 == 9:
            say(role="assistant", content="Step %d is done." % n)
            say(role="user", content="Go on with number %d." % n)
    say(role="assistant", content="All values are even.")


main()

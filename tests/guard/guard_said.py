#!/usr/bin/env python3
"""guard_said.py - what hamr-guard says of transcripts written short.

Reads a line a case, FILE<tab>OPTION<tab>...: runs hamr-guard -n on what
guard_make makes of the file, writes a line for each verdict and constrain,
then a NUL.
"""
import json
import subprocess
import sys

import guard_make


def short(out):
    for line in out.splitlines():
        r = json.loads(line)
        if r.get("type") == "verdict":
            level = ["level", r["level"]] if "level" in r else []
            yield [r.get("tool_call_id", "-"), r["action"], r["rule"],
                   r["count"], *level]
        elif r.get("type") == "constrain":
            yield ["constrain", r["rule"], r["steps"]]


for case in sys.stdin:
    path, *options = case.rstrip("\n").split("\t")
    with open(path) as f:
        text = "".join(r + "\n" for r in guard_make.made(f))
    p = subprocess.run(["hamr-guard", "--no-config", "-n"] +
                       [o for o in options if o], input=text.encode(),
                       stdout=subprocess.PIPE)
    for row in short(p.stdout.decode()):
        print(*row)
    print("\0", end="", flush=True)

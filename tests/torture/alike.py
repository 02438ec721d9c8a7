#!/usr/bin/env python3
"""alike.py - is a run that was broken off and resumed like the whole one?

    alike.py WHOLE FOLDER

WHOLE is the session of the run of tests/data/loop/two-calls.ndjson that
nothing happened to, FOLDER the repository of the other.  Prints what is wrong,
a line; nothing when all is well: the same messages, one result a call, no
command run twice, the same files, a session that is a fixed point of
hamr-guard.  Calls may have been interrupted instead, and are told so.
"""
import glob
import json
import os
import re
import subprocess
import sys

CALLS = ["c1", "c2", "c3", "c4", "c5", "c6"]
FILES = {"d/x", "marks", "new.txt"}


def records(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def messages(session):
    """Messages without what varies, in order."""
    out = []
    for r in session:
        if r.get("role", "system") == "system":
            continue
        r = dict(r)
        if "meta" in r:
            r["meta"] = {k: r["meta"].get(k) for k in ("by", "error")}
        if r["role"] == "tool" and isinstance(r["content"], str):
            r["content"] = re.sub("; changed: [^\n]*", "", r["content"])
        out.append(r)
    return out


def unasked(ms):
    """What was said, but for results and for what the loop had to say about
    an interruption (and the answer that was asked for again)."""
    out = []
    for m in ms:
        if m["role"] != "tool" and m.get("meta", {}).get("by") != "loop" \
                and (not out or out[-1] != m):
            out.append(m)
    return out


def left(folder):
    """Files that are not the run's own."""
    for where, dirs, files in os.walk(folder):
        for d in (".git", ".hamr"):
            if d in dirs:
                dirs.remove(d)
        for f in files:
            name = os.path.relpath(os.path.join(where, f), folder)
            if name not in FILES and not name.startswith(("out", "err",
                    "script", "answer", "killer", "first", "got", "want")):
                yield name


def lines_of(folder, name):
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            return f.read().split("\n")[:-1]
    except FileNotFoundError:
        return []


def session_of(folder):
    found = sorted(glob.glob(folder + "/.hamr/sessions/*.ndjson"))
    return found[-1] if found else None


def differences(whole, folder):
    path = session_of(folder)
    if path is None:
        yield "there is no session"
        return
    session = records(path)
    got, want = messages(session), messages(records(whole))
    cut = [m["tool_call_id"] for m in got
        if (m.get("meta") or {}).get("error") == "interrupted"]
    marks, text = lines_of(folder, "marks"), lines_of(folder, "new.txt")
    if marks.count("one") > 1 or marks.count("two") > 1:
        yield "a command ran twice"
    if sorted(set(marks)) != sorted(marks) or not set(marks) <= {"one", "two"}:
        yield f"marks holds {marks}"
    if not cut:
        if got != want:
            yield "messages differ"
        if text != ["goodbye"] or marks != ["one", "two"]:
            yield "files differ"
    else:
        if unasked(got) != unasked(want):
            yield "messages differ"
        if text not in ([], ["hello"], ["goodbye"]):
            yield f"new.txt holds {text}"
    results = [r["tool_call_id"] for r in session if r.get("role") == "tool"]
    if results != CALLS:
        yield f"results are of {results}"
    ends = [r["status"] for r in session if r.get("type") == "end"]
    if ends[-1:] != ["completed"]:
        yield f"ended with {ends[-1:]}"
    for name in left(folder):
        yield f"{name} is left"
    with open(path, "rb") as f:
        whole_bytes = f.read()
    again = subprocess.run(["hamr-guard", "--no-config", "-q"],
        input=whole_bytes, stdout=subprocess.PIPE, check=False)
    if again.stdout != whole_bytes:
        yield "it is no fixed point of hamr-guard"


if __name__ == "__main__":
    for line in differences(sys.argv[1], sys.argv[2]):
        print(line)

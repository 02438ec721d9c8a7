#!/usr/bin/env python3
"""import_count.py FORMAT FILE... [-- FORMAT FILE...]... - conversations, calls
and results of other agents' transcripts, counted without any of hamr's code:
the oracle of import.t.  Prints "FORMAT FILE conversations calls results" a
line."""
import json
import sys


def lines(path):
    return [json.loads(l) for l in open(path, encoding="utf-8") if l.strip()]


def document(path):
    return json.load(open(path, encoding="utf-8"))


def parts(message):
    content = (message or {}).get("content")
    return [p for p in content if isinstance(p, dict)] \
        if isinstance(content, list) else []


def claude_code(path):
    """The branch of the last leaf; all lines of the messages on it; the
    results of all their calls."""
    entries = [e for e in lines(path) if "uuid" in e]
    by_id = {}
    for e in entries:
        by_id.setdefault(e["uuid"], e)
    said = [e for e in entries if e["type"] in ("user", "assistant") and
            not e.get("isSidechain")]
    branch, e = set(), said[-1]
    while e is not None and e["uuid"] not in branch:
        branch.add(e["uuid"])
        e = by_id.get(e.get("parentUuid") or e.get("logicalParentUuid"))
    groups = {e["message"].get("id") for e in said
              if e["type"] == "assistant" and e["uuid"] in branch}
    calls = {p["id"] for e in said if e["type"] == "assistant" and
             (e["uuid"] in branch or e["message"].get("id") in groups)
             for p in parts(e["message"]) if p.get("type") == "tool_use"}
    results = {p["tool_use_id"] for e in said if e["type"] == "user"
               for p in parts(e["message"]) if p.get("type") == "tool_result"}
    return 1, len(calls), len(calls & results)


def openai(path):
    docs = lines(path)
    return (len(docs),
            sum(len(m.get("tool_calls") or [])
                for d in docs for m in d["messages"]),
            sum(m["role"] == "tool" for d in docs for m in d["messages"]))


def pi(path):
    messages = [e["message"] for e in lines(path) if e["type"] == "message"]
    return (1, sum(p.get("type") == "toolCall" for m in messages
                   if m["role"] == "assistant" for p in parts(m)),
            sum(m["role"] == "toolResult" for m in messages))


def swe_agent(path):
    try:
        docs = [document(path)]
    except ValueError:
        docs = lines(path)
    calls = results = 0
    for d in docs:
        answered = True
        for m in d.get("history") or d["messages"]:
            if m["role"] == "assistant":
                n = len(m["tool_calls"]) if m.get("tool_calls") else \
                    int(bool(m.get("action", "").strip() or
                             "<function=" in str(m["content"])))
                calls, answered = calls + n, n == 0
            elif not answered:
                results, answered = results + 1, True
    return len(docs), calls, results


def sharegpt(path):
    turns = [[t["from"] for t in d["conversations"]] for d in document(path)]
    return (len(turns), sum(t.count("function_call") for t in turns),
            sum(t.count("observation") for t in turns))


def gemini(path):
    calls = [t for m in document(path)["messages"]
             for t in m.get("toolCalls") or []]
    return 1, len(calls), sum("result" in t for t in calls)


def cline(path):
    p = [p for m in document(path)["messages"] for p in parts(m)]
    return (1, sum(x["type"] == "tool_use" for x in p),
            sum(x["type"] == "tool_result" for x in p))


if __name__ == "__main__":
    args = iter(sys.argv[1:])
    for kind in args:
        for name in iter(lambda: next(args, "--"), "--"):
            print(kind, name, *globals()[kind.replace("-", "_")](name))

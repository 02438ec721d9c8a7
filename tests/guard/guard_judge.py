#!/usr/bin/env python3
"""guard_judge.py - how well hamr-guard judges, in tables.

    guard_judge.py [-v] [-a] [DIR]	sessions; default: the copies in tests/
    guard_judge.py -w [DIR]		first what was said, a line each, as in
					judged.tsv

What the guard says of healthy sessions, by rule; how many kinds of loop and of
honest repetition (guard_kinds.py), each behind a session of every agent that
DIR has one of, get a word and are stopped, i.e. refused or asked for text; the
third that is kept aside by itself.  -v names the kinds, those kept aside only
with -a.
"""
import collections
import json
import os
import re
import sys

import guard_kinds
import guard_table

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GUARD = os.path.join(os.environ.get("HAMR_BIN",
                                    os.path.join(TESTS, "../bin")),
                     "hamr-guard")
PREFIXES = 8			# agents that a kind is put behind
PREFIX_MAX = 400		# records of one
START = [{"type": "hamr", "v": 1}]
AT_ONCE = 16			# kinds that one process judges
NEWS = 60			# characters of a result that says anything


def sessions(folder):
    """(agent, name, conversation) of every conversation."""
    for agent, path in guard_table.files_of([folder]):
        for c in guard_table.conversations(
                guard_table.records_of(GUARD, path)):
            name = os.path.basename(path)
            if agent == "import":
                agent = name.split("-")[0].split(".")[0]
            if agent != "golden":
                yield agent, name, c


def lines(records):
    return "".join(json.dumps(r) + "\n" for r in records).encode()


def said(text):
    out = guard_table.run(GUARD, ["-n"], text) or b""
    return [r for r in map(json.loads, out.splitlines())
            if r.get("type") in ("verdict", "constrain")]


def warnings(all_sessions):
    """A line for each verdict: session, where in it, what was said."""
    number = collections.Counter()
    for agent, name, c in all_sessions:
        number[agent, name] += 1
        for v in said(lines(c)):
            if v["type"] == "verdict" and v["action"] != "share":
                print("%s/%s\t%d\t%s\t%s\t%s\t%d" % (
                    agent, name, number[agent, name],
                    v.get("tool_call_id") or v["signature"][:12],
                    v["action"], v["rule"], v["count"]))


def healthy(all_sessions):
    by = collections.Counter()
    calls = n = 0
    for agent, name, c in all_sessions:
        n += 1
        calls += sum(len(r.get("tool_calls") or []) for r in c)
        for v in said(lines(c)):
            if v["type"] == "constrain":
                by["text-only", v["rule"]] += 1
            elif v["action"] != "share":
                by[v["action"], v["rule"]] += 1
    print("%d healthy sessions, %d calls" % (n, calls))
    for (action, rule), k in sorted(by.items()):
        print("  %-9s %-13s %4d  %5.2f in 1,000 calls" % (
            action, rule, k, 1000 * k / max(1, calls)))


def prefixes(all_sessions):
    """One session an agent: the one with the longest turn.  Its last turn has
    to be work: of one that only echoes the guard has made up its mind."""
    best = {}
    for agent, name, c in all_sessions:
        turn, prefix = guard_table.steps_of(c)
        if len(prefix) <= PREFIX_MAX and \
                any(len(str(r.get("content"))) >= NEWS for _, r in turn) and \
                len(turn) > len(best.get(agent, ([], []))[0]):
            best[agent] = turn, prefix
    most = sorted(best, key=lambda a: -len(best[a][0]))[:PREFIXES]
    return {a: lines(START + best[a][1]) for a in sorted(most)}


def judged(kinds, behind):
    """Of each kind, behind each: (calls until the first word, until it was
    stopped; the rules that spoke); None: never."""
    n = len(behind)
    rows = [[None, None, set()] for _ in range(n * len(kinds))]
    own = [lines(kind.records("kind@@.")) for kind in kinds]
    text = b"".join(behind[i % n] + own[i // n].replace(
        b"kind@@.", b"kind%d." % i) for i in range(len(rows)))
    row, at = None, 0
    for v in said(text):
        if v["type"] == "verdict":
            call = re.match(r"kind(\d+)\.(\d+)$", v.get("tool_call_id", ""))
            row, at = (rows[int(call[1])], int(call[2])) if call else (None, 0)
        if at == 0 or v.get("phase") == "text" or v.get("action") == "share":
            continue
        row[0] = row[0] or at
        row[2].add(v["rule"])
        if v["type"] == "constrain" or v["action"] in ("block", "halt"):
            row[1] = row[1] or at
    return [rows[i:i + n] for i in range(0, len(rows), n)]


def mean(row):
    row = [x for x in row if x]
    return "%5.1f" % (sum(row) / len(row)) if row else "    -"


def collection(name, behind, verbose, named_aside):
    line = "%-26s %6s %7s %7s %11s %11s"
    print(line % (name, "kinds", "a word", "stopped", "first word",
                  "stopped at"))
    totals, spoke = [], collections.Counter()
    for aside in (False, True):
        rows = []
        these = [k for k in guard_kinds.kinds(name) if k.aside == aside]
        for i in range(0, len(these), AT_ONCE):
            some = these[i:i + AT_ONCE]
            rows += zip(some, judged(some, list(behind.values())))
        # a loop is caught if it is behind every session, honest work is hurt
        # if it is behind any
        of = all if name == "loops" else any
        words = [(k, of(w for w, _, _ in r)) for k, r in rows]
        stops = [(k, of(s for _, s, _ in r)) for k, r in rows]
        print(line % (
            "  kept aside" if aside else "  looked at", len(rows),
            sum(x for _, x in words), sum(x for _, x in stops),
            mean(w for _, r in rows for w, _, _ in r),
            mean(s for _, r in rows for _, s, _ in r)))
        totals.append((len(rows), sum(x for _, x in words),
                       sum(x for _, x in stops)))
        for k, r in rows:
            spoke.update(set().union(*(x for _, _, x in r)))
        if not verbose or (aside and not named_aside):
            continue
        for k, r in rows:
            print("    %-52s word %s stopped %s %s" % (
                k.name[:52], mean(w for w, _, _ in r),
                mean(s for _, s, _ in r),
                ", ".join(sorted(set().union(*(x for _, _, x in r))))))
    print((line % ("  all", *map(sum, zip(*totals)), "", "")).rstrip())
    print("  kinds that a rule spoke of: " + ", ".join(
        "%s %d" % x for x in spoke.most_common()))


def main(argv):
    verbose, named_aside = "-v" in argv, "-a" in argv
    paths = [a for a in argv if not a.startswith("-")]
    folder = paths[0] if paths else os.path.join(TESTS, "data/import")
    everything = list(sessions(folder))
    if not everything:
        sys.exit("judge: %s: no sessions" % folder)
    if "-w" in argv:
        warnings(everything)
        print()
    healthy(everything)
    behind = prefixes(everything)
    print("\nkinds behind a session of each of: " + ", ".join(behind))
    collection("loops", behind, verbose, named_aside)
    collection("honest", behind, verbose, named_aside)


if __name__ == "__main__":
    main(sys.argv[1:])

#!/usr/bin/env python3
"""guard_beside.py - the profiles side by side on loops put into sessions.

    guard_beside.py GUARD PATH...

The loops of guard_table.py, a row each, a column for each profile: in how many
of the sessions it said a word, and at which call of the loop on average; then
in how many it refused something.  Notes (level 0) are no words.
"""
import sys

import guard_table

PROFILES = ["default", "hamr", "openfang", "hermes", "nanobot", "kimi"]


def first(said, actions):
    return guard_table.first([v for v in said if v.get("level") != 0],
                             actions)


def cell(told, n):
    words = [w for w, _ in told if w]
    if not words:
        return "0"
    return "%d@%.0f/%d" % (100 * len(words) / n, sum(words) / len(words),
                           100 * len([r for _, r in told if r]) / n)


def main(guard, paths):
    prefixes = []
    for _, path in guard_table.files_of(paths):
        for c in guard_table.conversations(guard_table.records_of(guard,
                                                                  path)):
            turn, prefix = guard_table.steps_of(c)
            if len(turn) > 1:
                prefixes.append((turn, prefix))
    line = "%-19s" + " %9s" * len(PROFILES)
    print(line % tuple(["loop"] + PROFILES))
    for name, period, make in guard_table.KINDS:
        cases = []
        for turn, prefix in prefixes:
            calls = guard_table.looping(turn, period)
            if calls is None or guard_table.arguments(calls[0][0]) is None:
                continue
            out = guard_table.Loop()
            make(calls, out)
            cases.append(prefix + out.records)
        row = [name.replace("arguments", "args")]
        for p in PROFILES:
            told = []
            for records in cases:
                said = guard_table.judged(guard, ["-p", p], records)
                told.append((first(said, ("warn", "block", "halt")),
                             first(said, ("block", "halt"))))
            row.append(cell(told, len(cases)) if cases else "-")
        print(line % tuple(row), flush=True)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main(sys.argv[1], sys.argv[2:])

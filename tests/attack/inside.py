"""inside - run in the sandbox: the inside attacks of a mode, one by one.

    python3 inside.py FACTS FAMILY.NAME...

Each gets a process of its own and two seconds; a line "BIT name evidence" says
that it came through.  FACTS is a file: what the World knows.
"""
import json
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import rows


class Facts:
    def __init__(self, known):
        self.__dict__.update(known)


def main():
    with open(sys.argv[1], encoding="utf8") as f:
        w = Facts(json.load(f))
    rows.load(sorted({name.split(".")[0] for name in sys.argv[2:]}))
    by_name = {row.name: row for row in rows.ROWS}
    for name in sys.argv[2:]:
        child = os.fork()
        if child == 0:
            signal.alarm(2)
            try:
                got = by_name[name].function(w)
                if got:
                    print("BIT", name, str(got)[:200].replace("\n", " "),
                        flush=True)
            except Exception as e:
                print("HELD", name, repr(e)[:200], flush=True)
            os._exit(0)
        os.waitpid(child, 0)
    print("END")


main()

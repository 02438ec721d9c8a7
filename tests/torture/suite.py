"""suite.py - the tests that show a row of the table by themselves, here in the
same table; as root also as an ordinary user.  Not in a sample: make check runs
them anyway.
"""
import os
import re

from table import TOP, run

ROWS = (("P1 P2", "8 MB messages over pipes of 4 KiB", ["loop/pipes"]),
    ("N1 N8", "a server that misbehaves", ["provider/fail"]),
    ("N4 N5", "streams cut and split anywhere", ["provider/stream"]),
    ("S1 S19", "threats to the sandbox", ["sandbox/box", "sandbox/threats"]))
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
AS_NOBODY = ["tool/tool", "tool/files", "tool/edit", "sandbox/box", "undo/undo",
    "loop/loop", "loop/resume", "mem/mem", "mem/stage", "provider/provider",
    "guard/guard", "compact/compact"]


def one(table, name, before):
    # a test finds the programs by these, and makes its own home
    env = {**table.env, **{k: os.environ[k] for k in ("HAMR_BIN",
        "HTTPD_BIN", "OBJ") if k in os.environ}}
    done = run([*before, "bash", f"{TOP}/tests/{name}.t"], env, "/",
        seconds=300)
    bad = re.findall(r"^not ok.*", done.out.decode("utf-8", "replace"), re.M)
    if bad or done.status != 0:
        return "; ".join(bad) or f"{done}"
    return ""


def part(table):
    if table.sample is not None:
        return
    for ident, what, names in ROWS:
        table.row(ident, what, names, lambda name, _: one(table, name, []))
    if os.geteuid() != 0:
        return
    if run([*NOBODY, "test", "-x", TOP + "/tests"], table.env,
            "/").status != 0:
        table.skip("S3", "as an ordinary user", "who cannot read this folder")
        return
    table.row("S3", "as an ordinary user", AS_NOBODY,
        lambda name, _: one(table, name, NOBODY))

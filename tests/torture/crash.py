"""crash.py - kill -9 of the loop, or of a stage, at any system call.

A run of five steps with six calls is killed at its K-th call, resumed, and
compared with the run that nothing happened to.
"""
import os
import shutil

import alike
from table import TOP, run

SCRIPT = TOP + "/tests/data/loop/two-calls.ndjson"
LOOP = ["hamr-loop", "--no-config", "--yes", "--quiet"]


class Crash:
    def __init__(self, table):
        self.env, self.killat = table.env, table.tools + "/killat"
        self.folder = table.folder
        self.script = table.folder + "/script.ndjson"
        with open(SCRIPT, "rb") as f:
            lines = f.read().splitlines(keepends=True)
        with open(self.script, "wb") as f:
            # an interrupted run may be asked once more for its answer
            f.write(b"".join(lines + lines[-1:]))
        self.start = table.folder + "/start"
        os.makedirs(self.start + "/d")
        with open(self.start + "/d/x", "w", encoding="ascii") as f:
            f.write("x\n")
        run(["git", "init", "-q", "."], self.env, self.start)
        self.whole = self.place(table.folder + "/whole")
        done = self.go(self.whole, [], LOOP)
        if done.status != 0:
            raise RuntimeError(f"the run itself: {done}")
        self.session = alike.session_of(self.whole)

    def place(self, folder):
        shutil.copytree(self.start, folder, dirs_exist_ok=True)
        return folder

    def go(self, folder, before, loop, task="try it"):
        return run([*before, *loop, "--replay", self.script, task], self.env,
            folder)

    def stage(self, folder, name, k):
        """The loop with a stage that is killed at its call k."""
        return [*LOOP, "-o", f'stages.{name}=["{self.killat} {folder}.k {k} '
            f'hamr-{name}"]']

    def count(self, name):
        """How many calls the process makes."""
        folder = self.place(f"{self.folder}/count-{name}")
        if name == "loop":
            self.go(folder, [self.killat, folder + ".k", "0"], LOOP)
        else:
            self.go(folder, [], self.stage(folder, name, 0))
        for _ in range(100):
            with open(folder + ".k", encoding="ascii") as f:
                text = f.read()
            if text:
                return int(text)
            run(["sleep", "0.05"], self.env, folder)
        raise RuntimeError(f"hamr-{name} cannot be watched")

    def resume(self, folder):
        path = alike.session_of(folder)
        begun = False
        if path is not None:
            with open(path, "rb") as f:
                begun = b'"role":"user"' in f.read()
        if not begun:       # nothing was acknowledged; nothing may be done
            if os.path.exists(folder + "/marks"):
                return "it acted before the task was written down"
            return ""
        done = run([*LOOP, "--resume", "--replay", self.script], self.env,
            folder)
        if done.status != 0:
            return f"resumed: {done}"
        return "; ".join(alike.differences(self.session, folder))

    def loop(self, k, folder):
        self.place(folder)
        done = self.go(folder, [self.killat, folder + ".k", str(k)], LOOP)
        os.remove(folder + ".k")
        if done.status not in (-9, 0):
            return str(done)
        return self.resume(folder)

    def one(self, name, k, folder):
        self.place(folder)
        done = self.go(folder, [], self.stage(folder, name, k))
        os.remove(folder + ".k")
        if done.status != 0:
            return str(done)
        return "; ".join(alike.differences(self.session, folder))


def of(table):
    """The one of this table."""
    if table.crash is None:
        table.crash = Crash(table)
        os.environ["PATH"] = table.env["PATH"]  # alike.py asks hamr-guard
    return table.crash


def part(table):
    crash = of(table)
    if run([crash.killat, crash.folder + "/probe", "0", "true"], crash.env,
            crash.folder).status != 0:
        table.skip("D1 P8", "kill -9 at any call", "no ptrace here")
        return
    n = crash.count("loop")
    table.row("D1 P8", f"hamr-loop killed at any of {n} calls, resumed",
        table.choose("loop", range(1, n + 1)), crash.loop)
    for name in ("guard", "compact", "provider", "tool", "mem"):
        n = crash.count(name)
        table.row("P8 N8", f"hamr-{name} killed at any of {n} calls",
            table.choose(name, range(1, n + 1)),
            lambda k, folder, name=name: crash.one(name, k, folder))

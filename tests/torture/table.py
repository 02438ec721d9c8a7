"""table.py - rows of the torture table: what is run, sampled, counted, said.

A part of the torture is a function that takes a Table and gives it cases.
Which cases of a row are run is chosen by SAMPLE (how many; all by default)
and SEED, never by the clock.
"""
import concurrent.futures
import os
import random
import shutil
import signal
import subprocess
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


class Table:
    def __init__(self, tools, sample, seed, jobs):
        self.tools = tools          # killat and fail.so
        self.sample = sample        # None: everything
        self.seed = seed
        self.jobs = jobs
        self.failed = 0
        self.only = os.environ.get("ROW", "")
        self.folder = tempfile.mkdtemp(prefix="hamr-torture.")
        self.env = environment(self.folder)
        self.crash = None           # what crash.py keeps

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def choose(self, row, cases):
        """Some of the cases, in order; the first and the last are among
        three or more."""
        cases = list(cases)
        if self.sample is None or len(cases) <= max(2, self.sample):
            return cases
        draw = random.Random(f"{self.seed} {row}")
        inner = draw.sample(range(1, len(cases) - 1), max(1, self.sample - 2))
        ends = {0, len(cases) - 1} if self.sample > 2 else set()
        return [cases[i] for i in sorted(ends.union(inner))]

    def some(self, row, count):
        """How often something drawn at random is done, and a source of
        chance for each."""
        n = count if self.sample is None else min(count, self.sample)
        return [random.Random(f"{self.seed} {row} {i}") for i in range(n)]

    def row(self, ident, what, cases, run):
        """run(case, folder) returns "" or what went wrong."""
        cases = list(cases)
        bad = []
        if self.only not in what:
            return

        def one(case):
            place = tempfile.mkdtemp(dir=self.folder)
            try:
                return case, run(case, place)
            except Exception as e:      # a fault of ours is a failure too
                return case, f"{type(e).__name__}: {e}"
            finally:
                shutil.rmtree(place, ignore_errors=True)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for case, why in pool.map(one, cases):
                if why:
                    bad.append((case, why))
        self.say(ident, what, len(cases), len(bad))
        for case, why in bad[:8]:
            print(f"    {case}: {why}"[:400])
        self.failed += len(bad)

    def say(self, ident, what, runs, failures):
        print(f"{ident:8} {what:48.48} {runs:6} {failures:8}", flush=True)

    def skip(self, ident, what, why):
        print(f"{ident:8} {what:48.48}   skip  {why}", flush=True)


def environment(home):
    """As tests/lib.sh: the user's own configuration is out of reach."""
    env = {k: v for k, v in os.environ.items()
        if not k.startswith(("HAMR_", "OPENAI_", "ASAN_"))
        and k not in ("http_proxy", "https_proxy", "ALL_PROXY")}
    env.update(HOME=home, XDG_CONFIG_HOME=home + "/.config",
        XDG_STATE_HOME=home + "/.state", XDG_DATA_HOME=home + "/.data",
        XDG_CACHE_HOME=home + "/.cache", GIT_CONFIG_GLOBAL="/dev/null",
        GIT_CONFIG_SYSTEM="/dev/null", LC_ALL="C.UTF-8", TZ="UTC",
        HAMR_SHARE=os.environ.get("HAMR_SHARE", TOP + "/share/hamr"),
        PATH=os.environ.get("HAMR_BIN", TOP + "/bin") + ":"
        + os.environ["PATH"])
    for name in ("ASAN_OPTIONS",):
        if name in os.environ:
            env[name] = os.environ[name]
    return env


class Done:
    """What a program did: its status (negative: the signal; None: it had to
    be stopped), output and words."""
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        words = self.err.decode("utf-8", "replace").strip()
        return f"status {self.status}, said {words[-200:]!r}"


def run(argv, env, cwd, stdin=b"", seconds=60):
    """Run a program to its end, in a session of its own; what is left of
    that is killed with it."""
    with subprocess.Popen(argv, env=env, cwd=cwd, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True) as p:
        try:
            out, err = p.communicate(stdin, timeout=seconds)
        except subprocess.TimeoutExpired:
            still = " ".join(of_session(p.pid)).encode()
            os.killpg(p.pid, signal.SIGKILL)
            try:
                out, err = p.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                out = err = b""     # one that left the group holds the pipe
            return Done(None, out, err + b" [still there: " + still + b"]")
    return Done(p.returncode, out, err)


def of_session(leader):
    """The names of the processes of a session."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        stat = read(f"/proc/{name}/stat") or b") ? 0 0 0"
        if int(stat.rsplit(b")", 1)[1].split()[3]) == leader:
            yield name + " " + stat.decode("latin-1")[:60]


def typed(done, program):
    """Did it end with a status of the list, and a line or a record that says
    why?"""
    listed = (1, 3, 4, 5, 6, 65, 66, 69, 71, 75, 77, 78, 130)
    return done.status in listed and (program.encode() + b": " in done.err
        or b'{"type":"error",' in done.out)


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except (FileNotFoundError, ProcessLookupError):
        return None

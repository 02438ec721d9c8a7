"""rough.py - signals at any time, stages that are stopped, full disks, and
many writers to one memory.
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import alike
import crash
from table import TOP, read, run

NAMES = ("guard", "compact", "provider", "tool", "mem")
LASTS = 0.35        # seconds, about, that the run takes on a machine at rest


def processes():
    """(pid, parent, name) of everything that runs."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="latin-1") as f:
                    text = f.read()
            except OSError:
                continue
            head, tail = text.rsplit(")", 1)
            if tail.split()[0] != "Z":
                yield int(name), int(tail.split()[1]), head.split("(", 1)[1]


def remaining(folder, cookie):
    """What still runs in the folder, or has the cookie in its environment."""
    for pid, _, name in processes():
        try:
            where = os.readlink(f"/proc/{pid}/cwd")
            env = read(f"/proc/{pid}/environ") or b""
        except OSError:
            continue
        if where.startswith(folder) or cookie.encode() in env:
            yield f"{name} ({pid})"


def gone(folder, cookie, seconds=3):
    """Nothing remains, after a moment; or what does."""
    until = time.monotonic() + seconds
    while True:
        left = list(remaining(folder, cookie))
        if not left or time.monotonic() > until:
            return left
        time.sleep(0.02)


def begin(broken, folder, extra=()):
    env = {**broken.env, "TORTURE_COOKIE": folder}
    return subprocess.Popen([*crash.LOOP, "--json", *extra, "--replay",
        broken.script, "try it"], env=env, cwd=folder,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)


def one_end(out, status):
    """The records end with one end record, which says what the status says."""
    records = [json.loads(line) for line in out.splitlines()]
    ends = [r for r in records if r.get("type") == "end"]
    if not records and status in (-1, -2, -15, 130):
        return ""           # before there was anything
    if len(ends) != 1 or records[-1] != ends[0]:
        return f"{len(ends)} end records, {len(records)} records"
    if (ends[0]["status"], status) not in (("completed", 0),
            ("interrupted", 130)):
        return f"status {status}, end {ends[0]['status']}"
    return ""


def interrupt(broken, number, chance, folder):
    broken.place(folder)
    p = begin(broken, folder)
    time.sleep(chance.uniform(0, LASTS))
    p.send_signal(number)
    began = time.monotonic()
    try:
        out, err = p.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
        return "it did not end"
    took = time.monotonic() - began
    left = gone(folder, folder)
    bad = one_end(out, p.returncode)
    if left:
        bad += f"; left: {', '.join(left)}"
    if took > 8:
        bad += f"; it took {took:.1f} s to end"
    bad += "".join(f"; {name} is left" for name in alike.left(folder))
    if bad:
        return bad + " " + err.decode()[-100:]
    return broken.resume(folder)


def signals(table, broken):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        row = f"{number.name}"
        table.row("S19 N3", f"{row} at a random time, resumed",
            table.some(row, 100),
            lambda chance, folder, n=number: interrupt(broken, n, chance,
                folder))


def stop(broken, name, seconds, chance, folder):
    """Stop a stage, or the loop, go on, and nothing is different."""
    broken.place(folder)
    # the result of a first slow call gives time to find the stage
    p = begin(broken, folder)
    time.sleep(chance.uniform(0.02, LASTS))
    pid = next((pid for pid, parent, what in processes()
        if parent == p.pid and what == f"hamr-{name}"), None)
    if name == "loop":
        pid = p.pid
    grown = 0
    try:
        if pid is not None:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds)
            grown = resident(p.pid)
            os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass    # it had ended by itself before it was stopped
    out, err = p.communicate(timeout=60)
    if p.returncode != 0:
        return f"status {p.returncode}, said {err.decode()[-200:]!r}"
    if grown > 40 << 10:
        return f"hamr-loop grew to {grown} KiB"
    return one_end(out, 0) or "; ".join(alike.differences(broken.session,
        folder))


def resident(pid):
    m = re.search(rb"VmRSS:\s+(\d+)", read(f"/proc/{pid}/status") or b"")
    return int(m.group(1)) if m else 0


def stops(table, broken):
    seconds = 3 if table.sample is None else 0.5
    for name in ("loop", *NAMES):
        table.row("P2", f"hamr-{name} stopped for {seconds} s",
            table.some("stop" + name, 6),
            lambda chance, folder, name=name: stop(broken, name, seconds,
                chance, folder))


# In a mount of its own: a small disk that is full, and then no longer.
SMALL_DISK = r'''
mount -t tmpfs -o "size=$1k" none "$2" && cp -r "$3/." "$2" 2>/dev/null
cd "$2" || exit 99
"$PYTHON" "$4" limited
mount -o remount,size=64m "$2"
"$PYTHON" "$4" resumed
'''


def sizes():
    """KiB: what the repository itself takes, and then one page more each."""
    return [4 * n for n in range(1, 120)]


def disk_tmpfs(broken, base, more, folder):
    done = run(["unshare", "-m", "sh", "-c", SMALL_DISK, "sh",
        str(base + more), folder, broken.start, __file__],
        {**broken.env, "PYTHON": sys.executable, "SCRIPT": broken.script,
        "PYTHONDONTWRITEBYTECODE": "1"}, TOP, seconds=120)
    return f"{done}" if done.status != 0 else done.out.decode().strip()


def disk_rlimit(broken, more, folder):
    """For an ordinary user: no file may grow past so much."""
    broken.place(folder)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (more << 8, more << 8))

    # no compiled files of Python's, which the limit would cut off, too
    env = {**broken.env, "SCRIPT": broken.script,
        "PYTHONDONTWRITEBYTECODE": "1"}
    for name, before in (("limited", limit), ("resumed", None)):
        done = subprocess.run([sys.executable, __file__, name], env=env,
            cwd=folder, preexec_fn=before, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False)
        if done.stdout:
            return done.stdout.decode().strip()
    return ""


def limited():
    """The run itself, where space ends somewhere; then what is wrong."""
    done = run([*crash.LOOP, "--json", "--replay", os.environ["SCRIPT"],
        "try it"], dict(os.environ), ".")
    ends = done.out.count(b'"type":"end"')
    if done.status not in (0, 71):
        print(done)
    elif done.out and ends != 1:
        print(f"{ends} end records: {done}")
    elif done.status == 71 and b"hamr-loop: " not in done.err:
        print("no word about it")


def resumed():
    """There is space again: the session goes on to its end."""
    path = alike.session_of(".")
    if path is None:
        return
    if b'"role":"user"' not in (read(path) or b""):
        return
    done = run([*crash.LOOP, "--resume", "--replay", os.environ["SCRIPT"]],
        dict(os.environ), ".")
    text = read(path)
    marks = alike.lines_of(".", "marks")
    if done.status != 0:
        print(f"resumed: {done}")
    if marks.count("one") > 1 or marks.count("two") > 1:
        print("a command ran twice")
    if alike.lines_of(".", "new.txt") not in ([], ["hello"], ["goodbye"]):
        print("new.txt is none of its states")
    for name in alike.left("."):
        print(f"{name} is left")
    again = run(["hamr-guard", "--no-config", "-q"], dict(os.environ), ".",
        text)
    if again.out != text:
        print("it is no fixed point of hamr-guard")


def disks(table, broken):
    what = "disk full at a size, then space again"
    probe = run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
        table.env, "/")
    cases = table.choose(what, sizes())
    if probe.status == 0:
        base = 0
        for where, dirs, files in os.walk(broken.start):
            base += 4 * len(dirs) + sum(4 * (1 + os.path.getsize(
                os.path.join(where, f)) // 4096) for f in files)
        table.row("D5", what, cases,
            lambda more, folder: disk_tmpfs(broken, base, more, folder))
    else:
        table.row("D5", "the same, by a limit on files", cases,
            lambda more, folder: disk_rlimit(broken, more, folder))


# ---- torn sessions, and a clock that jumps ----

def tear(broken, at, folder):
    """The session is cut at a byte: what was whole before it stays, and the
    run goes on."""
    shutil.copytree(broken.whole, folder, dirs_exist_ok=True)
    path = alike.session_of(folder)
    with open(path, "r+b") as f:
        f.truncate(at)
    before = read(path)
    before = before[:before.rfind(b"\n") + 1]
    if b'"role":"user"' not in before:
        return ""
    for name in ("marks", "new.txt"):
        os.unlink(f"{folder}/{name}")
    # named, as it was made in another folder
    ident = os.path.basename(path)[:-len(".ndjson")]
    done = run([*crash.LOOP, "--resume=" + ident, "--replay", broken.script],
        broken.env, folder)
    if done.status != 0:
        return str(done)
    text = read(path)
    if not text.startswith(before):
        return "what was whole has changed"
    for line in text.splitlines():
        json.loads(line)
    again = run(["hamr-guard", "--no-config", "-q"], broken.env, folder, text)
    return "" if again.out == text else "it is no fixed point of hamr-guard"


def tears(table, broken):
    size = os.path.getsize(broken.session)
    table.row("D2", f"a session cut at any of {size} bytes, resumed",
        table.choose("tear", range(1, size + 1)),
        lambda at, folder: tear(broken, at, folder))


def jumped(table, broken, case, folder):
    """Ten years, there or back, at the K-th look at the clock."""
    years, k = case
    broken.place(folder)
    env = {**broken.env, "LD_PRELOAD": table.tools + "/fail.so",
        "FAIL_CLOCK": f"{years * 31557600}:{k}"}
    done = run([*crash.LOOP, "--json", "--replay", broken.script, "try it"],
        env, folder)
    if done.status != 0:
        return str(done)
    end = json.loads(done.out.splitlines()[-1])
    if not 0 <= end["ms"] < 60000:
        return f"it took {end['ms']} ms"
    return "; ".join(alike.differences(broken.session, folder))


def jumps(table, broken):
    table.row("D7", "the clock jumps by ten years, mid-run",
        table.choose("jump", [(years, k) for years in (10, -10)
            for k in range(1, 13)]),
        lambda case, folder: jumped(table, broken, case, folder))


# ---- one memory ----

def writer(env, folder, i, rounds):
    """Saves, searches and forgets; says what went wrong."""
    for n in range(rounds):
        for words, status in ((["save", "--key", f"k{i}-{n}",
                f"writer {i} says {n}"], 0), (["search", f"says {n}"], 0),
                (["save", f"writer {i} forgets {n}"], 0)):
            done = run(["hamr-mem", "--db", "m.db", *words], env, folder)
            if done.status != status:
                return f"{words}: {done}"
        ident = done.out.decode().strip()
        done = run(["hamr-mem", "--db", "m.db", "forget", ident], env, folder)
        if done.status != 0:
            return f"forget {ident}: {done}"
    return ""


def crowd(env, rounds, folder):
    import concurrent.futures
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        bad = [b for b in pool.map(lambda i: writer(env, folder, i, rounds),
            range(16)) if b]
    if bad:
        return bad[0]
    checked = run(["hamr-mem", "--db", "m.db", "check"], env, folder)
    listed = run(["hamr-mem", "--db", "m.db", "list"], env, folder)
    n = len(listed.out.splitlines())
    if checked.status != 0:
        return f"check: {checked}"
    return "" if n == 16 * rounds else f"{n} facts, not {16 * rounds}"


def writers(table):
    rounds = 20 if table.sample is None else 2
    table.row("D4", f"16 writers to one memory, {rounds} rounds each", [rounds],
        lambda n, folder: crowd(table.env, n, folder))


def part(table):
    broken = crash.of(table)
    signals(table, broken)
    stops(table, broken)
    disks(table, broken)
    tears(table, broken)
    writers(table)


def clock(table):
    jumps(table, crash.of(table))


if __name__ == "__main__":
    {"limited": limited, "resumed": resumed}[sys.argv[1]]()

"""limits - bombs, floods, and what would outlive its call."""
import os

import world
from rows import UNSANDBOXED, attack, family

family("limits", "Processes left behind, bombs and floods")


def survivor(w):
    """The pids of programs that carry this attack's mark."""
    mine = (w.dir + "/bin/survivor").encode()
    left = []
    for p in os.listdir("/proc"):
        if p.isdigit() and not world.gone(p):
            try:
                with open(f"/proc/{p}/cmdline", "rb") as f:
                    if mine in f.read():
                        left.append(int(p))
            except OSError:
                pass
    return left


def leaves(w, command, **options):
    """Which survivors a command has left, a moment after its call."""
    program = w.put("bin/survivor", "#!/bin/sh\nwhile :; do sleep 2; done\n",
        0o755)
    if w.control:       # without hamr
        w.run("bash", "-c", command.replace("SURVIVOR", program), timeout=1)
    else:
        w.bash(command.replace("SURVIVOR", program), seconds=4, **options)
    left = world.eventually(lambda: not survivor(w), 1.5) is not True and \
        survivor(w)
    for pid in left or ():
        world.end(pid)
    return left and f"{len(left)} left"


@attack("S19", "a daemon outlives its call (setsid, double fork, nohup)",
    control=lambda w: leaves(w, DAEMON))
def daemon(w):
    return leaves(w, DAEMON)


DAEMON = """(setsid SURVIVOR </dev/null >/dev/null 2>&1 &)
(nohup SURVIVOR </dev/null >/dev/null 2>&1 & disown)
python3 -c '
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 99); os.execv("/bin/sh", ["sh", "SURVIVOR"])'
sleep .1"""


@attack("S26", "it kills its supervisor first, and so outlives its call",
    control=lambda w: leaves(w, DAEMON))
def supervisor(w):
    return leaves(w, """(setsid SURVIVOR </dev/null >/dev/null 2>&1 &)
        sleep .1; kill -9 $PPID; sleep .1""")


@attack("S26", "it kills every process of hamr's above it, all at once",
    control=lambda w: leaves(w, DAEMON))
def ancestors(w):
    """hamr-tool among them, so that nobody of hamr's is left to clear up."""
    return leaves(w, """(setsid SURVIVOR </dev/null >/dev/null 2>&1 &)
        sleep .1; p=$PPID; all=
        while tr '\\0' ' ' </proc/$p/cmdline | grep -q hamr-tool; do
            all="$p $all"; p=$(cut -d' ' -f4 /proc/$p/stat); done
        kill -STOP $all; kill -9 $all; sleep .1""")


@attack("S26", "it stops or traces its supervisor: the call never ends",
    control=lambda w: w.run("sh", "-c", "kill -STOP $$", timeout=1).late)
def stopped(w):
    return w.bash("""python3 -c '
import ctypes, os, time
c = ctypes.CDLL(None)
print(c.ptrace(16, os.getppid(), 0, 0), c.ptrace(0, 0, 0, 0))
time.sleep(60)' & kill -STOP $PPID; sleep 60""", seconds=1,
        timeout=20).late and "hamr waits"


@attack("P6", "it ignores SIGTERM, or stops itself: the call never ends",
    users=("user",),
    control=lambda w: w.run("bash", "-c", "trap '' TERM; kill $$; sleep 9",
    timeout=1).late)
def stubborn(w):
    return w.bash("""(trap '' TERM INT HUP; while :; do sleep 1; done) &
        kill -STOP $$""", seconds=1, timeout=20).late


@attack("S26", "it kills all it can reach, and the call is said to be fine",
    layers=("bubblewrap", "landlock"),
    control=lambda w: w.run("bash", "-c", "kill -9 $$").status == -9)
def kill_all(w):
    """Where signals are not scoped this would end the test itself."""
    world.throwaway()
    if w.context.layer == "landlock" and kernel() < (6, 12):
        raise world.Skip("this kernel does not scope signals")
    r = w.bash("touch ran; kill -9 -1; kill -9 $PPID; kill -9 $$")
    return r.late and "hamr waits" or w.has("root/ran") and \
        not r.message.get("is_error") and r.content[:80]


def kernel():
    return tuple(int(x) for x in os.uname().release.split("-")[0]
        .split(".")[:2])


BOMB = """import os
n = 0
r, w = os.pipe()	# until all are there, however long that takes
for i in range(%d):
    try:
        if os.fork() == 0:
            os.close(w)
            os.read(r, 1)
            os._exit(0)
        n += 1
    except OSError:
        break
print("made", n)"""


@attack("S18", "a fork bomb (200 processes; sandbox.pids is 100)",
    said={"landlock": "processes", "none": UNSANDBOXED, "bubblewrap":
    "processes"}, control=lambda w: bomb(w, None))
def fork_bomb(w):
    return bomb(w, "sandbox.pids=100")


def bomb(w, limit):
    """Bounded from outside, whatever happens: so many."""
    program = w.put("bin/bomb.py", BOMB % 220)
    if limit is None:
        r = w.run("python3", program, timeout=60).out
    else:
        r = w.bash("python3 " + program, "-o", limit, seconds=60,
            timeout=70).content
    made = [int(x.split()[1]) for x in r.splitlines() if x.startswith("made")]
    return made and made[0] > 150 and f"{made[0]} processes"


@attack("S18", "it takes memory without end (200 MB; sandbox.memory is 100 MB)",
    said={"landlock": "memory", "none": UNSANDBOXED, "bubblewrap":
    "memory"}, control=lambda w: hog(w, None))
def memory(w):
    return hog(w, "sandbox.memory=100000000")


HOG = """x = bytearray(200 << 20)
for i in range(0, len(x), 4096): x[i] = 1
print("took it")"""


def hog(w, limit):
    program = w.put("bin/hog.py", HOG)
    if limit is None:
        return "took it" in w.run("python3", program).out
    return "took it" in w.bash("python3 " + program, "-o", limit).content


@attack("S32", "a limit that is not there is not said, on stderr or in end",
    layers=("bubblewrap", "landlock"), control=lambda w: "a limit is missing "
    "where no control group can be made; hamr-tool --sandbox-status knows")
def unsaid(w):
    status = w.run("hamr-tool", "--sandbox-status", "--root", w.root).out
    missing = [x.split()[0] for x in status.splitlines()
        if x.split()[:1] in (["memory"], ["processes"]) and
        x.split()[1] == "no" and "set sandbox" not in x]
    r = w.loop([[("bash", {"command": "true"})]], "--yes")
    end = [x for x in r.out.splitlines() if x.startswith('{"type":"end"')]
    said = r.err + "".join(end)
    return " ".join(m for m in missing if m not in said)


@attack("S10", "links left in its /tmp are followed when hamr clears up",
    layers=("bubblewrap", "landlock"), control=lambda w: (w.put("out/d/f",
    "keep"), os.symlink(w.out + "/d", w.tmp + "/l"), w.run("sh", "-c",
    "rm -rf $TMPDIR/l/"), w.has("out/d/f"))[3] is False)
def clearing(w):
    w.put("out/d/f", "keep")
    w.loop([[("bash", {"command": f"""cd /tmp; ln -s {w.out}/d l
        mkdir -p m/n; ln -s {w.out}/d m/n/l; chmod 0 m/n m; ln -s / r
        cd "$TMPDIR" && ln -s {w.out}/d l2"""})]], "--yes")
    return not w.has("out/d/f") or len(os.listdir(w.tmp)) > 1 and \
        "left: " + " ".join(os.listdir(w.tmp))


@attack("S18", "files without end: 8 GB, 100,000 descriptors",
    users=("user",),
    control=lambda w: len(files(w, plain=True)) > 1)
def file_size(w):
    return files(w)


def files(w, plain=False):
    command = """ulimit -f 2>/dev/null; truncate -s 8G big 2>/dev/null
        stat -c %s big; python3 -c '
import os
n = 0
try:
    while n < 3000: os.open("/dev/null", 0); n += 1
except OSError: pass
print("opened", n)'; rm -f big"""
    if plain:
        r = w.run("bash", "-c", "ulimit -n $(ulimit -Hn);" + command).out
    else:
        r = w.bash(command).content
    return [x for x in r.splitlines() if x == str(8 << 30) or
        x.startswith("opened 3000")]


@attack("P5", "output without end, in one line, or of escapes",
    layers=("bubblewrap", "landlock"), users=("user",),
    control=lambda w: len(w.run("sh", "-c", "yes | head -c 3000000").out) >
    1 << 20)
def flood(w):
    came = []
    for name, command in (("flood", "timeout .3 yes"), ("line",
            "head -c 3000000 /dev/zero | tr '\\0' a"), ("escapes",
            "yes \"$(printf '\\033]0;x\\007\\302\\233')\" | head -c 300000"),
            ("binary", "printf '\\302\\205\\342\\200\\250';"
            "head -c 1000000 /dev/urandom")):
        r = w.bash(command, timeout=20)
        if r.late or len(r.out) > 1 << 20 or "\x1b" in r.content or \
                "\u009b" in r.content:
            came.append(name)
    return " ".join(came)


@attack("P6", "a tree 600 folders deep and 2,000 files wide: hamr fails",
    layers=("bubblewrap",), users=("user",),
    control=lambda w: w.run("bash", "-c", DEEP + "find . 2>&1 | wc -l").out)
def tree(w):
    r = w.bash(DEEP, timeout=20)
    after = w.bash("echo fine >made", timeout=20)
    return r.late or after.late or not w.has("root/made") and \
        after.content[:200]


DEEP = """python3 -c '
import os
for i in range(2000): open("w%d" % i, "w").close()
for i in range(600): os.mkdir("d"); os.chdir("d")'; """


@attack("D5", "a full disk: half of an edit is there, and called done",
    layers=("any",), control=lambda w: w.run("sh", "-c", FULL + "cp f g").status
    and os.path.getsize(w.root + "/g") < 300000)
def full_disk(w):
    """A limit of the size of files stands in for a disk."""
    was = "keep\n" + "x" * 300000
    w.put("root/f", was)
    args = world.json.dumps({"path": "f", "old": "keep", "new": "kept"})
    r = w.run("bash", "-c", FULL + f"exec {w.own('hamr-tool')} --yes --root . "
        f"edit '{args}'")
    now = w.get("root/f")
    return r.status == 0 and now == was and "called done" or \
        now not in (was, was.replace("keep", "kept")) and "half"


FULL = "[ -s f ] || head -c 300000 /dev/zero >f; ulimit -f 100; "

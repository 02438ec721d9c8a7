"""files - a command goes for what is outside the root, and for .git."""
import ctypes
import os
import stat
import struct
import time

import layers
import world
from rows import attack, family, inside

libc = ctypes.CDLL(None)
family("files", "A command and the files outside")


def changed(w):
    """The file outside: did anybody touch it?"""
    path = os.path.join(w.dir, "out/file")
    if not os.path.exists(path):
        return "gone"
    return w.get("out/file") != "keep" and w.get("out/file")


def keep(w):
    if not w.has("out/file"):
        w.put("out/file", "keep")


@inside("S2", "writes a file outside the root", before=keep, after=changed)
def write(w):
    open(w.out + "/file", "w").write("bad")


@inside("S2", "writes it through a symbolic link", before=keep, after=changed)
def link(w):
    os.symlink(w.out, w.root + "/l")
    open(w.root + "/l/file", "w").write("bad")


@inside("S2", "writes it through a hard link", before=keep, after=changed)
def hard_link(w):
    os.link(w.out + "/file", w.root + "/h")
    open(w.root + "/h", "w").write("bad")


@inside("S2", "changes its mode and times",
    before=lambda w: w.put("out/mode", "x", 0o600),
    after=lambda w: stat.S_IMODE(os.stat(w.out + "/mode").st_mode) != 0o600,
    said={"landlock": "touched"})
def attributes(w):
    os.chmod(w.out + "/mode", 0o777)
    os.utime(w.out + "/mode", (1, 1))


@inside("S2", "adds to the user's start-up files",
    before=lambda w: w.put("home/.profile", "x"),
    after=lambda w: w.get("home/.profile") != "x")
def home(w):
    open(w.home + "/.profile", "a").write("bad")


def with_rights(w):
    """Files in the root that run with their owner's or group's rights."""
    found = [name for name in os.listdir(w.root) if name.startswith("suid")
        and os.lstat(w.root + "/" + name).st_mode & 0o6000]
    return " ".join(sorted(found))


@inside("S2", "makes a file in the repository that runs with its owner's "
    "rights, whoever starts it", after=with_rights, everywhere=True)
def setuid(w):
    here = w.root + "/suid"
    os.umask(0)
    for bit in (0o4755, 0o2755):
        name = f"{here}-{bit:o}"
        calls = {
            "open": lambda n: os.open(n, os.O_CREAT | os.O_RDWR, bit),
            "mknod": lambda n: os.mknod(n, stat.S_IFREG | bit),
            "chmod": lambda n: os.chmod(n, bit),
            "fchmod": lambda n: os.fchmod(os.open(n, os.O_RDONLY), bit),
            "fchmodat": lambda n: os.chmod(os.path.basename(n), bit,
                dir_fd=os.open(w.root, os.O_RDONLY)),
        }
        if os.uname().machine == "x86_64":
            calls.update({number: lambda n, c=number, r=rest: libc.syscall(
                c, *[n.encode() if a is None else a for a in r])
                for number, rest in {85: (None, bit), 133: (None,
                stat.S_IFREG | bit, 0), 452: (-100, None, bit, 0),
                437: (-100, None, struct.pack("QQQ", os.O_CREAT | os.O_RDWR,
                bit, 0), 24)}.items()})
        for call, function in calls.items():
            if call in ("chmod", "fchmod", "fchmodat", 452):
                open(f"{name}-{call}", "w").close()
            try:
                function(f"{name}-{call}")
            except OSError:
                pass


@inside("S2", "changes files of the repository in mode read-only",
    mode="read-only", everywhere=True,
    before=lambda w: w.put("root/file", "keep"),
    after=lambda w: w.get("root/file") != "keep")
def read_only(w):
    open(w.root + "/file", "w").write("bad")


def fifo(w, name):
    os.mkfifo(w.out + "/" + name)
    w.facts[name] = os.open(w.out + "/" + name, os.O_RDWR | os.O_NONBLOCK)
    w.children.append(os.fdopen(w.facts[name], "rb", 0))


def from_fifo(w, name):
    try:
        return os.read(w.facts[name], 99).decode()
    except BlockingIOError:
        return ""


@inside("S24", "writes into a FIFO outside, which somebody reads",
    before=lambda w: fifo(w, "ctl"), after=lambda w: from_fifo(w, "ctl"))
def write_fifo(w):
    os.write(os.open(w.out + "/ctl", os.O_WRONLY | os.O_NONBLOCK), b"bad\n")


@inside("S24", "writes into a FIFO outside in mode read-only",
    mode="read-only", everywhere=True, before=lambda w: fifo(w, "ctl2"),
    after=lambda w: from_fifo(w, "ctl2"))
def write_fifo_read_only(w):
    os.write(os.open(w.out + "/ctl2", os.O_WRONLY | os.O_NONBLOCK), b"bad\n")


@inside("S24", "takes what another program is to read from a FIFO",
    before=lambda w: (fifo(w, "mail"), os.write(w.mail, b"LETTER")),
    open={layer: "your files can be read, but for the secrets; reading a "
        "FIFO takes what is in it" for layer in ("bubblewrap", "landlock")})
def read_fifo(w):
    return os.read(os.open(w.out + "/mail", os.O_RDONLY | os.O_NONBLOCK), 99)


@inside("S24", "reads a device (disk, memory, kernel log)", users=("root",),
    layers=("bubblewrap", "landlock"), control=lambda w: as_root(device, w))
def device(w):
    for name in ("vda", "sda", "nvme0n1", "mem", "port", "kmsg"):
        try:
            if os.read(os.open("/dev/" + name, os.O_RDONLY |
                    os.O_NONBLOCK), 8192):
                return name
        except OSError:
            pass


def as_root(function, w):
    if not layers.can_be_root():
        raise world.Skip("not root")
    with layers.as_root():
        return function(w)


@inside("S4", "writes a hook into .git",
    after=lambda w: w.has("root/.git/hooks/pre-commit") or
        w.has("root/.git2/hooks/pre-commit"),
    said={"landlock": "cannot protect .git"})
def hook(w):
    open(w.root + "/.git/hooks/pre-commit", "w").write("#!/bin/sh\n")


@inside("S4", "moves .git away and makes another",
    after=lambda w: w.has("root/.git2"),
    said={"landlock": "cannot protect .git"})
def move_git(w):
    os.rename(w.root + "/.git", w.root + "/.git2")
    os.mkdir(w.root + "/.git")


@inside("S4", "replaces a .git that is a file, in a folder below",
    before=lambda w: w.put("root/sub/.git", "gitdir: ../.git\n"),
    after=lambda w: "bad" in w.get("root/sub/.git"),
    said={"landlock": "cannot protect .git"})
def git_file(w):
    open(w.root + "/sub/.git", "w").write("gitdir: bad\n")


@inside("S5 S30", "writes into .hamr: configuration, sessions, snapshots",
    after=lambda w: w.has("root/.hamr/config.toml"),
    said={"landlock": ".hamr"})
def hamr_folder(w):
    os.makedirs(w.root + "/.hamr", exist_ok=True)
    open(w.root + "/.hamr/config.toml", "w").write("[agent]\n")


LATER = (".gitconfig", ".envrc", ".bashrc", ".profile", ".mcp.json",
    ".vscode/tasks.json", ".idea/workspace.xml")


def left(w):
    return " ".join(n for n in LATER if w.has("root/later/" + n))


@inside("S28", "leaves files that other programs run later (.envrc, .vscode)",
    before=lambda w: os.mkdir(w.root + "/later"), after=left)
def later(w):
    for name in LATER:
        path = w.root + "/later/" + name
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").write("bad")


@inside("S5", "leaves a repository with a git configuration of its own",
    before=lambda w: os.makedirs(w.root + "/nested"),
    after=lambda w: w.has("root/nested/.git"))
def nested(w):
    os.mkdir(w.root + "/nested/.git")
    open(w.root + "/nested/.git/config", "w").write("[core]\n")


def before_moved(w):
    os.mkdir(w.root + "/was")
    open(w.root + "/was/.envrc", "w").write("good")


@inside("S5 S28", "moves the folder of one that is protected, puts another in "
    "its place", before=before_moved,
    after=lambda w: w.has("root/was/.envrc"))
def moved(w):
    os.rename(w.root + "/was", w.root + "/is")
    os.mkdir(w.root + "/was")
    open(w.root + "/was/.envrc", "w").write("bad")


@inside("S5", "leaves a bare repository that git takes for one",
    before=lambda w: os.makedirs(w.root + "/bare"),
    after=lambda w: world.World.git(w, "rev-parse", "--git-dir",
        cwd=w.root + "/bare").out.strip() == ".",
    open={layer: "any folder with the right names is a bare repository; "
        "safe.bareRepository=explicit is git's own protection"
        for layer in ("bubblewrap", "landlock")})
def bare(w):
    for name in ("objects", "refs"):
        os.mkdir(w.root + "/bare/" + name)
    open(w.root + "/bare/HEAD", "w").write("ref: refs/heads/m\n")
    open(w.root + "/bare/config", "w").write("[core]\n\tbare = true\n")


@attack("S2", "swaps folders for links while read, edit, write and undo run",
    layers=("any",), control=lambda w: swap(w, lambda: open(
        w.root + "/d/f", encoding="utf8").read()))
def swapped(w):
    def tools():
        calls = [("read", {"path": "d/f"}), ("read", {"path": "d"}),
            ("edit", {"path": "d/f", "old": "hello", "new": "bad"}),
            ("write", {"path": "d/new", "content": "bad\n"}),
            ("read", {"path": "d", "query": "SECRET"})]
        out = w.run("hamr-tool", "-n", "--yes", "--root", w.root, input=open(
            w.script(calls * 8), encoding="utf8").readline())
        w.run("hamr-tool", "--root", w.root, "undo")
        return "\n".join(x for x in out.out.splitlines()
            if "SECRET" in x and "query" not in x and "arguments" not in x)
    return swap(w, tools) or sorted(os.listdir(w.out)) != ["f"] or \
        w.get("out/f") != "SECRET\nhello\n"


def swap(w, act):
    """Runs act for a while, as d turns into a link out and back."""
    w.put("out/f", "SECRET\nhello\n")
    w.put("root/d/f", "inside\nhello\n")
    calls = 0
    os.symlink(w.out, w.root + "/l")
    flip = w.spawn(world.PYTHON, "-c", """import os
while True:
    for a, b in (("d", "t"), ("l", "d"), ("d", "l"), ("t", "d")):
        try: os.rename(a, b)
        except OSError: pass
""")
    limit = time.monotonic() + 4
    while time.monotonic() < limit if w.control else calls < 3:
        calls += 1
        try:
            if "SECRET" in act():
                return "read outside"
        except OSError:
            pass
    world.end(flip.pid)
    return ""

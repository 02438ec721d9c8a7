"""paths - what read, edit and write are asked to touch."""
import fcntl
import os
import signal
import socket

import world
from rows import attack, family

family("paths", "The tools, and paths that lead elsewhere")


def canaries(w):
    w.put("out/secret", "CANARY\n")
    for name, target in (("l1", "../out/secret"), ("l2", w.out + "/secret"),
            ("l3", "/proc/self/root" + w.out + "/secret"), ("d", "../out"),
            ("loop", "loop"), ("zero", "/dev/zero")):
        os.symlink(target, f"{w.root}/{name}")


OUT = ("l1", "l2", "l3", "d/secret", "../out/secret", "/proc/self/root{out}"
    "/secret", "{root}/../out/secret", "{out}/secret", "d/../../out/secret",
    "/proc/self/cwd/../out/secret", "./././../out/secret", "d//secret")


@attack("S7 S8", "read is led outside by a link, .. or /proc",
    layers=("any",), control=lambda w: (canaries(w), w.get("root/l1"))[1])
def read(w):
    canaries(w)
    for p in OUT:
        r = w.tool("read", {"path": p.format(out=w.out, root=w.root)})
        if "CANARY" in r.content:
            return p
    return "CANARY" in w.tool("read", {"path": ".", "query":
        "CANARY"}).content.replace("for CANARY", "") and "search"


@attack("S7 S8", "write and edit are led outside the same way",
    layers=("any",), control=lambda w: (canaries(w), w.put("root/d/made",
    "x"), os.listdir(w.out))[2])
def write(w):
    canaries(w)
    for p in OUT:
        p = p.format(out=w.out, root=w.root)
        w.tool("write", {"path": p.replace("secret", "made"), "content": "x"})
        w.tool("edit", {"path": p, "old": "CANARY", "new": "bad"})
    return os.listdir(w.out) != ["secret"] or w.get("out/secret") != "CANARY\n"


@attack("S8", "a hard link to a secret outside is read",
    layers=("any",), control=lambda w: (hard(w), w.get("root/h"))[1])
def hard_link(w):
    hard(w)
    return "CANARY" in w.tool("read", {"path": "h"}).content or \
        "CANARY" in w.tool("read", {"path": ".", "query": "CANARY"}).content \
        .replace("for CANARY", "") and "search"


def hard(w):
    w.put("out/secret", "CANARY\n")
    os.link(w.out + "/secret", w.root + "/h")


@attack("S8", "FIFOs, sockets, devices, endless and sparse files: hamr waits",
    layers=("any",), control=lambda w: (odd(w), w.run("cat", "fifo",
    timeout=.5).late)[1])
def odd_files(w):
    odd(w)
    for p in ("fifo", "sock", "zero", "loop", "sparse", "/dev/fd/0", "./.",
            "deep"):
        for tool, args in (("read", {"path": p}), ("edit", {"path": p,
                "old": "a", "new": "b"}), ("view_image", {"path": p})):
            if w.tool(tool, args, timeout=4).late:
                return f"{tool} {p}"
    return w.tool("read", {"path": ".", "query": "x"}, timeout=9).late and \
        "search"


def odd(w):
    canaries(w)
    os.mkfifo(w.root + "/fifo")
    s = socket.socket(socket.AF_UNIX)
    s.bind(w.root + "/sock")
    w.children.append(s)
    with open(w.root + "/sparse", "wb") as f:
        f.truncate(8 << 30)
    os.makedirs(w.root + "/deep/" + "d/" * 100)


@attack("S8", "a file is leased (F_SETLEASE): hamr waits for 45 seconds",
    layers=("any",), control=lambda w: (lease(w, "l"), w.run("cat", "l",
    timeout=.5).late)[1])
def leased(w):
    for n, (tool, args) in enumerate((("read", {"path": "leased0"}), ("read",
            {"path": ".", "query": "x"}), ("edit", {"path": "leased2",
            "old": "a", "new": "b"}), ("bash", {"command": "echo >other"}))):
        lease(w, f"leased{n}")
        if w.tool(tool, args, timeout=9).late:
            return tool
    r = w.run("hamr-tool", "undo", timeout=9)
    return r.late and "undo" or "leased" in r.out and r.out


def lease(w, name):
    """Until we end, or somebody who opens it breaks it, which takes long."""
    w.put("root/" + name, "a\n")
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    f = open(f"{w.root}/{name}", "r+b")
    fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    w.children.append(f)


NAMES = ("-n", "--help", "--output=x", "$(touch x)", "`touch x`", "a\nb",
    "-Oxsh", ";touch x", "e\x1b]0;t\x07", "\u202ex", "'", '"')


@attack("S11", "names that look like options or commands",
    layers=("any",), control=lambda w: (named(w), w.run("sh", "-c",
    "for f in *; do (eval echo $f); done"), w.has("root/x"))[2])
def names(w):
    named(w)
    came = []
    listing = w.tool("read", {"path": "."})
    for n in NAMES:
        r = w.tool("edit", {"path": n, "old": "needle", "new": "pin"})
        if "pin" not in w.get("root/" + n):
            came.append(f"{n!r} {r.content[:60]}")
    w.bash("for f in ./* ./-*; do echo y >>\"$f\"; done")
    w.run("hamr-tool", "undo")
    return w.has("root/x") and "ran" or [n for n in NAMES if "y" in
        w.get("root/" + n).replace("touch", "")] or came or \
        listing.content.count("\n") > len(NAMES) + 3 and "a line too many"


def named(w):
    for n in NAMES:
        w.put("root/" + n, "needle\n")


LATER = (".git/hooks/pre-commit", ".git/config", ".GIT/hooks/x",
    "g/hooks/x", "sub/.git/config", "new/.git", ".hamr/config.toml",
    ".hamr/sessions/x", ".gitconfig", ".bashrc", ".profile", ".bash_profile",
    ".zshrc", ".vscode/tasks.json", ".VSCODE/tasks.json", ".idea/x.xml",
    ".envrc", ".mcp.json", "sub/.envrc", "sub/.gitconfig")


@attack("S28", "write makes files that run later (.git/hooks, .envrc, "
    ".vscode, .mcp.json)", layers=("any",), control=lambda w: (
    w.put("root/.gitconfig", f"[core]\n\tfsmonitor = {w.mark('x')}\n"),
    w.git("config", "include.path", "../.gitconfig"), w.git("status"),
    w.marked())[3])
def later(w):
    w.git("init", "-q", w.root + "/sub")
    os.symlink(".git", w.root + "/g")
    came = []
    for p in LATER:
        w.tool("write", {"path": p, "content": "bad\n"})
        if "bad" in w.get("root/" + p):
            came.append(p)
    return " ".join(came)


@attack("S28", "edit changes those that are there", layers=("any",),
    control=lambda w: editable(w) and w.get("root/.envrc"))
def later_edit(w):
    editable(w)
    for p in LATER[8:]:
        w.tool("edit", {"path": p, "old": "old", "new": "bad"})
    return " ".join(p for p in LATER[8:] if "bad" in w.get("root/" + p))


def editable(w):
    for p in LATER[8:]:
        w.put("root/" + p, "old\n")
    return True


@attack("S1", "mode docs writes a program, modes read-only and verify a file",
    layers=("any",), control=lambda w: written(w, "patch", "x.c"))
def modes(w):
    return [p for p in ("x.c", "docs/x.sh", "README.md/../x.py", "d.md.c",
        "docs/Makefile", "docs/conf.py") if written(w, "docs", p)] or \
        written(w, "read-only", "a.md") or written(w, "verify", "b.md")


def written(w, mode, path):
    w.tool("write", {"path": path, "content": "x\n"}, "--mode", mode)
    return w.has("root/" + os.path.normpath(path)) and path


@attack("D9", "undo is turned against a file outside by a link",
    layers=("any",), control=lambda w: (w.put("out/f", "keep"), os.symlink(
    w.out, w.root + "/d"), w.put("root/d/f", "old"), w.get("out/f") ==
    "old")[3])
def undo(w):
    w.put("root/d/f", "old\n")
    w.put("root/e", "old\n")
    w.bash("echo new >d/f; echo new >e")
    os.rename(w.root + "/d", w.root + "/d2")
    os.symlink(w.out, w.root + "/d")
    w.put("out/f", "new\n")
    os.unlink(w.root + "/e")
    os.symlink(w.out + "/f", w.root + "/e")
    w.run("hamr-tool", "undo")
    return w.get("out/f") != "new\n"


@attack("S10", "names of temporary files and folders are planted as links",
    layers=("any",), control=lambda w: (w.put("out/f", "keep"), os.symlink(
    w.out + "/f", w.tmp + "/f"), w.run("sh", "-c", "echo bad >$TMPDIR/f"),
    w.get("out/f") != "keep")[3])
def temporary(w):
    """What one run has used is a link out in the next."""
    w.put("out/f", "keep")
    w.bash("echo x >/tmp/x")
    used = os.listdir(w.tmp) + [f"hamr-tmp-{os.geteuid()}", "hamr-tmp"]
    w.run("sh", "-c", "rm -rf $TMPDIR/*")
    for n in used:
        if not os.path.lexists(w.tmp + "/" + n):
            os.symlink(w.out, w.tmp + "/" + n)
    w.bash("echo bad >/tmp/f; echo bad >/tmp/x; ls /tmp")
    return w.get("out/f") != "keep" or os.listdir(w.out) != ["f"]

"""neighbours - another user of the machine."""
import os

import layers
import world
from layers import ANY
from rows import attack, family

family("neighbours", "Another user of the machine")


@attack("S10", "names that hamr uses in /tmp are there already, and theirs",
    layers=("bubblewrap", "landlock"), control=lambda w: taken(w) and "theirs")
def temporary(w):
    taken(w)
    w.bash("echo mine >/tmp/f; echo mine >$TMPDIR/g")
    return w.as_neighbour(f"cat {w.tmp}/*/f {w.tmp}/*/*/f {w.tmp}/*/g 2>/dev/"
        "null; true").strip() or (w.has("out/f") and "written through a link")


def taken(w):
    os.chmod(w.tmp, 0o1777)
    uid = os.geteuid()
    w.as_neighbour(f"""cd {w.tmp}; umask 0
        for n in hamr-tmp-{uid} hamr-tmp hamr-{uid} hamr-box-{uid}
        do mkdir -m 777 $n; done; ln -s {w.out} hamr-tmp-{uid}/x""")
    return w.has(f"tmp/hamr-tmp-{uid}")


@attack("S22", "root works in their folder, and .hamr or its files are links "
    "to root's", layers=ANY, users=("root",), control=lambda w: theirs(w,
    ".hamr", w.out) or w.put("root/.hamr/x", "x") and w.has("out/x"))
def links_for_root(w):
    w.put("out/file", "keep", 0o600)
    for name in (".hamr", ".hamr/sessions", ".hamr/snap.git",
            ".hamr/memory.db", "f"):
        theirs(w, name, w.out + ("/file" if name[-1] in "bf"
            else ""))
        w.loop([[("bash", {"command": "echo bad >f; seq 60000"}), ("write",
            {"path": "new", "content": "x\n"}), ("save_memory", {"fact":
            "f"})]], "--yes")
        w.run("hamr-tool", "undo")
        if os.listdir(w.out) != ["file"] or w.get("out/file") != "keep" or \
                os.stat(w.out).st_uid or os.stat(w.out + "/file").st_uid:
            return name
    return ""


def theirs(w, name, target):
    uid, gid = layers.ids("user")
    w.run("sh", "-c", "rm -rf .hamr f new .git; git init -q .")
    os.makedirs(os.path.dirname(f"{w.root}/{name}"), exist_ok=True)
    os.symlink(target, f"{w.root}/{name}")
    w.run("chown", "-R", "-h", f"{uid}:{gid}", w.root)


@attack("S14", "they read what hamr keeps: sessions, outputs, memory",
    layers=ANY, control=lambda w: w.put("root/plain", "CANARY") and
    w.as_neighbour(f"cat {w.root}/plain"))
def state(w):
    os.chmod(w.root, 0o755)
    w.put("root/f", "CANARY\n")
    w.loop([[("bash", {"command": "cat f; seq 100000; echo CANARY"}),
        ("save_memory", {"fact": "CANARY"})]], "--yes")
    found = w.as_neighbour(f"grep -rl CANARY {w.root}/.hamr {w.home} {w.tmp} "
        "2>/dev/null; true").split()
    return [f.replace(w.root, "") for f in found]


@attack("S14", "they read a key from hamr's environment or command line",
    layers=ANY, control=lambda w: shown(w, "sleep", "1"))
def environment(w):
    return shown(w, w.own("hamr-provider"), "-r", "--no-config")


def shown(w, *argv):
    plain = w.env
    w.env = lambda extra=None: plain({"OPENAI_API_KEY": "CANARY"})
    if argv[0] == "sleep":
        argv = ("sleep", "1.CANARY") if False else ("sh", "-c",
            "sleep 2 # CANARY")
    child = w.spawn(*argv, stdin=world.subprocess.PIPE)
    return world.eventually(lambda: "CANARY" in w.as_neighbour(
        f"tr '\\0' ' ' </proc/{child.pid}/cmdline; cat /proc/{child.pid}/"
        "environ 2>/dev/null; true"), .3) and "CANARY"


@attack("S22", "they own .hamr: it is read, and what is in it is obeyed",
    layers=ANY, control=lambda w: (given(w), w.get("root/.hamr/config.toml"))
    [1])
def folder(w):
    given(w)
    w.loop([[("bash", {"command": "echo x >made"}), ("save_memory",
        {"fact": "SECRETFACT"})]], "--yes")
    found = w.as_neighbour(f"grep -rl 'SECRETFACT\\|what is in here' "
        f"{w.root}/.hamr; true").split()
    return [f.replace(w.root, "") for f in found]


def given(w):
    os.chmod(w.root, 0o777)
    w.as_neighbour(f"""umask 0; mkdir -p {w.root}/.hamr/sessions &&
        cd {w.root}/.hamr && printf '[agent]\\nmode = "docs"\\n' >config.toml
        chmod 777 . sessions""")
    os.chmod(w.root, 0o755)
    if not w.has("root/.hamr/config.toml"):
        raise world.Skip("the neighbour could not make it")

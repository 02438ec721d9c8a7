"""neighbours - another user of the machine."""
import os
import stat

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

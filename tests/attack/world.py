"""world - a fresh place for one attack, and hamr's programs at work in it.

    w.root w.home w.out     the repository, the user's home, something outside
    w.tool w.bash w.loop    the real programs; w.said is what they said
    w.git                   plain git, for controls
    w.mark(NAME) w.marked() a command that leaves a trace, and which did

Nothing waits for ever: programs get TIMEOUT seconds, then their whole session
is killed, by number.
"""
import contextlib
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

import layers

TIMEOUT = 12
SLOWER = int(os.environ.get("SLOWER", "1"))	# see tests/lib.sh
PYTHON = next(p for p in ("/usr/bin/python3", "/usr/local/bin/python3",
    sys.executable) if os.path.exists(p))


class Skip(Exception):
    """This machine cannot try it."""


class Result:
    """What a program did.  Of hamr-tool, also the tool message."""
    def __init__(self, status, out, err, late):
        self.status, self.out, self.err, self.late = status, out, err, late
        self.message = {}
        for line in out.split("\n"):    # splitlines: at U+0085 as well
            if line.startswith('{"role":"tool"'):
                self.message = json.loads(line)

    @property
    def content(self):
        c = self.message.get("content", "")
        return c if isinstance(c, str) else json.dumps(c)

    @property
    def meta(self):
        return self.message.get("meta", {})


class World:
    def __init__(self, context, name, control=False):
        self.context, self.control, self.user = context, control, context.user
        self.facts, self.said, self.children = {}, "", []
        self.dir = os.path.join(context.dir, name + ("-c" if control else ""))
        for part in ("root", "home", "out", "tmp"):
            os.makedirs(os.path.join(self.dir, part))
            setattr(self, part, os.path.join(self.dir, part))
        self.facts.update(root=self.root, home=self.home, out=self.out)
        shutil.copytree(os.path.join(context.place, "fresh", ".git"),
            os.path.join(self.root, ".git"))

    def __getattr__(self, name):
        try:
            return self.__dict__["facts"][name]
        except KeyError:
            raise AttributeError(name) from None

    # ---- files

    def put(self, path, text="", mode=0o644):
        """A file, below the world's folder; its path."""
        path = os.path.join(self.dir, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf8") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def get(self, path):
        try:
            with open(os.path.join(self.dir, path), encoding="utf8",
                    errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def has(self, path):
        return os.path.lexists(os.path.join(self.dir, path))

    def mark(self, name):
        """A program that leaves a trace outside."""
        trace = os.path.join(self.out, "ran-" + name)
        return self.put("bin/" + name, f"#!/bin/sh\nid -un >>{trace}\n", 0o755)

    def marked(self):
        """Which of them ran, by whom."""
        return " ".join(f"{n}({self.get('out/' + n).split()[0]})"
            if self.get("out/" + n).split() else n
            for n in sorted(os.listdir(self.out)) if n.startswith("ran-"))

    def clear(self):
        for n in os.listdir(self.out):
            if n.startswith("ran-"):
                os.unlink(os.path.join(self.out, n))

    # ---- programs

    def env(self, extra=None):
        env = {"PATH": self.context.path, "HOME": self.home, "TERM": "xterm",
            "XDG_CONFIG_HOME": self.home + "/.config", "USER": self.user,
            "XDG_STATE_HOME": self.home + "/.state", "LC_ALL": "C.UTF-8",
            "XDG_CACHE_HOME": self.home + "/.cache", "TMPDIR": self.tmp,
            "HAMR_SHARE": self.context.share, "SHELL": "/bin/bash",
            "GIT_CONFIG_SYSTEM": "/dev/null"}
        env.update(extra or {})
        return {k: v for k, v in env.items() if v is not None}

    def own(self, name):
        """A program of hamr's, whatever PATH says."""
        path = os.path.join(self.context.place, "bin", name)
        return path if os.path.exists(path) else name

    def within(self, kib):
        """Words before a command that has so much memory to itself."""
        with open(self.own("hamr-tool"), "rb") as f:
            if b"__asan_init" in f.read():
                raise Skip("sanitizers take all of the address space")
        return "bash", "-c", f'ulimit -v {kib}; exec "$@"', "-"

    def run(self, *argv, cwd=None, input="", env=None, timeout=TIMEOUT):
        child = subprocess.Popen((self.own(argv[0]),) + argv[1:],
            cwd=cwd or self.root, env=self.env(env), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)
        late = False
        try:
            out, err = child.communicate(input.encode(),
                timeout=timeout * SLOWER)
        except subprocess.TimeoutExpired:
            late = True
            end(child.pid)
            try:
                out, err = child.communicate(timeout=2)
            except subprocess.TimeoutExpired:
                out, err = b"", b""
        text = err.decode("utf8", "replace")
        self.said += text
        return Result(child.returncode, out.decode("utf8", "replace"), text,
            late)

    def git(self, *argv, **options):
        return self.run("git", "-c", "user.name=n", "-c", "user.email=e",
            "-c", "maintenance.auto=false", *argv, **options)

    def commit(self, **files):
        """Files into the root, and a commit of all of it."""
        for name, text in files.items():
            self.put("root/" + name, text)
        self.git("add", "-A")
        self.git("commit", "-qm", "x", "--allow-empty")

    def off(self):
        return ["-o", "sandbox.mode=off"] if self.control else []

    def tool(self, name, args, *options, **run):
        return self.run("hamr-tool", "--yes", "--json", "--root", self.root,
            *self.off(), *options, name, json.dumps(args), **run)

    def bash(self, command, *options, seconds=10, **run):
        return self.tool("bash", {"command": command, "timeout": seconds},
            *options, **run)

    def script(self, *steps):
        """A replay: lists of (tool, arguments), then an answer."""
        lines = []
        for i, step in enumerate(steps):
            lines.append({"role": "assistant", "content": None,
                "finish_reason": "tool_calls", "tool_calls": [
                {"id": f"c{i}-{j}", "type": "function", "function":
                {"name": name, "arguments": args if isinstance(args, str)
                else json.dumps(args)}} for j, (name, args)
                in enumerate(step)]})
        lines += [{"role": "assistant", "content":
            "It is done, as you asked; there is nothing left to do."}] * 3
        return self.put("script", "".join(json.dumps(x) + "\n"
            for x in lines))

    def loop(self, steps, *options, task="what is in here?", **run):
        return self.run("hamr-loop", "--json", "--replay",
            self.script(*steps), *self.off(), *options, task, **run)

    def spawn(self, *argv, **options):
        """A helper that lives as long as the attack."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.DEVNULL)
        options.setdefault("stderr", subprocess.DEVNULL)
        child = subprocess.Popen((self.own(argv[0]),) + argv[1:],
            cwd=self.root, env=self.env(), start_new_session=True, **options)
        self.children.append(child)
        return child

    def victim(self):
        """Another process of the same user; waits until it is there."""
        return self.spawn("sleep", "300").pid

    @contextlib.contextmanager
    def alone(self):
        """No other worker does such a thing meanwhile: for what touches all
        processes of a user."""
        with open(os.path.join(self.context.place, "alone"), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def terminal(self, *argv, keys=(), seconds=5, cwd=None, env=None):
        """What a program sends to its terminal.  keys: (seen, bytes) or
        (seen, bytes, wait), typed when the output since the last ones holds
        what is to be seen, and so many seconds later."""
        argv = (self.own(argv[0]),) + argv[1:]
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(cwd or self.root)
            os.execvpe(argv[0], argv, self.env(env))
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        out, end_at, keys = b"", time.monotonic() + seconds, list(keys)
        typed, due = 0, None
        while time.monotonic() < end_at:
            if keys and due is None and keys[0][0] in out[typed:]:
                due = time.monotonic() + sum(keys[0][2:])
            if due is not None and time.monotonic() >= due:
                press(fd, keys.pop(0)[1])
                typed, due = len(out), None
            if select.select([fd], [], [], .05)[0]:
                try:
                    data = os.read(fd, 65536)
                except OSError:
                    break
                if not data:
                    break
                out += data
        end(pid)
        os.waitpid(pid, 0)
        os.close(fd)
        return out

    # ---- peers

    def listener(self, family=socket.AF_INET, address=("127.0.0.1", 0)):
        s = socket.socket(family)
        if family == socket.AF_UNIX and len(address) > 107:
            raise Skip("the path is too long for a socket")
        s.bind(address)
        s.listen(9)
        s.setblocking(False)
        self.children.append(s)
        return s

    def as_neighbour(self, command):
        """A shell command as another user of the machine."""
        ids = layers.ids("neighbour") if layers.can_be_root() else None
        if ids is None:
            raise Skip("only root can play another user")
        with layers.as_root():
            done = subprocess.run(["setpriv", f"--reuid={ids[0]}",
                f"--regid={ids[1]}", "--clear-groups", "bash", "-c", command],
                env=self.env({"HOME": "/nonexistent"}), cwd="/",
                capture_output=True, timeout=TIMEOUT)
        return done.stdout.decode("utf8", "replace")

    def close(self):
        for child in self.children:
            if isinstance(child, subprocess.Popen):
                end(child.pid)
                child.wait()
            else:
                child.close()


def throwaway():
    """Goes on only as a user who has no other processes to lose."""
    if not layers.can_be_root():
        raise Skip("only root can make a user to try it with")


def press(fd, data):
    """As fingers do it: Enter is never read together with what precedes."""
    text = data.rstrip(b"\r")
    os.write(fd, text)
    if text != data:
        time.sleep(.05)
        os.write(fd, data[len(text):])


def connected(listener):
    """Did anybody connect?  What they sent first."""
    try:
        peer, _ = listener.accept()
    except OSError:
        return ""
    with peer:
        peer.settimeout(.3)
        try:
            return peer.recv(4096).decode("latin1") or "connected"
        except OSError:
            return "connected"


def end(pid):
    """Kills the session that pid leads."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except OSError:
            pass


def eventually(check, seconds=2):
    """Waits for check to be true; what it gave."""
    limit = time.monotonic() + seconds
    while True:
        got = check()
        if got or time.monotonic() > limit:
            return got
        time.sleep(.02)


def gone(pid):
    """Is the process gone, or a zombie?"""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True

"""faults.py - the N-th allocation, read, write, open, fork or fsync fails.

Each command has golden inputs.  With one fault (or, with "+", that and every
later one) it gives a typed error or the complete result: never a crash, a
hang, or another output with status 0.
"""
import http.server
import json
import os
import shutil
import threading

import alike
import crash
from table import TOP, read, run, typed

KINDS = ("alloc", "read", "write", "open", "fork", "fsync")
PROVE = TOP + "/tests/data/prove/"


def lines(*records):
    return "".join(json.dumps(r) + "\n" for r in records).encode()


def call(n, name, **arguments):
    return {"id": f"t{n}", "type": "function", "function": {"name": name,
        "arguments": json.dumps(arguments)}}


def records(text):
    """Every line is a record, or this raises."""
    if text and not text.endswith(b"\n"):
        raise ValueError("a line is cut short")
    return [json.loads(line) for line in text.decode().splitlines()]


def steady(value):
    """A record without what varies."""
    if isinstance(value, dict):
        return {k: steady(v) for k, v in value.items()
            if k not in ("ms", "at", "ttft_ms", "created", "session", "time")}
    if isinstance(value, list):
        return [steady(v) for v in value]
    return value


class Case:
    """A command with its input; what it is asked afterwards."""
    program = name = None
    argv, stdin = [], b""

    def prepare(self, folder):
        """Files that it needs."""

    def golden(self, done, folder):
        """What must come out; compared whole."""
        return [steady(r) for r in records(done.out)]

    def after(self, done, folder):
        """What must hold though it failed; "" or what does not."""
        return ""

    def verdict(self, done, want, folder):
        if done.status is None or done.status < 0 or done.status >= 128 and \
                done.status != 130:
            return str(done)
        if done.status != 0:
            if not typed(done, self.program):
                return f"no reason given: {done}"
            return self.after(done, folder)
        got = self.golden(done, folder)
        if got == want or self.told(done):
            return self.after(done, folder)
        odd = next((g for g, w in zip(got, want) if g != w), "less")
        return f"status 0 with another output: {odd}"

    def told(self, done):
        """Does a record say what failed?"""
        return b'{"type":"error",' in done.out


class Guard(Case):
    program = name = "hamr-guard"
    argv = ["hamr-guard", "-q"]
    stdin = read(TOP + "/tests/data/compact/tau-7.ndjson")


class Import(Case):
    program, name = "hamr-guard", "hamr-guard -F pi"
    argv = ["hamr-guard", "--import-only", TOP + "/tests/data/import/pi.jsonl"]


class Compact(Case):
    program = name = "hamr-compact"
    argv = ["hamr-compact", "-q", "-o", "context.context_budget_tokens=4000",
        "-o", "context.reserved_output_tokens=500"]
    stdin = read(PROVE + "swe-agent-marshmallow.ndjson")


class Replay(Case):
    program, name = "hamr-provider", "hamr-provider --replay"
    argv = ["hamr-provider", "-q", "--replay", crash.SCRIPT]
    stdin = lines({"role": "user", "content": "try it"})


class Http(Case):
    """A server that streams one answer, whatever it is asked."""
    program, name = "hamr-provider", "hamr-provider over HTTP"
    stdin = Replay.stdin

    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.server.serve_forever,
            daemon=True).start()
        self.argv = ["hamr-provider", "-q", "-o", "provider.max_retries=0",
            "--model", "m", "--base-url",
            f"http://127.0.0.1:{self.server.server_port}/v1"]


class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for delta in ({"role": "assistant", "content": "hel"},
                {"content": "lo"}):
            self.event({"choices": [{"index": 0, "delta": delta}]})
        self.event({"choices": [{"index": 0, "delta": {},
            "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def do_GET(self):
        self.send_error(404)

    def event(self, o):
        self.wfile.write(b"data: " + json.dumps(o).encode() + b"\n\n")

    def handle(self):
        try:
            super().handle()
        except OSError:     # the other side went away
            pass

    def log_message(self, *_):
        pass


class Tool(Case):
    program = name = "hamr-tool"
    argv = ["hamr-tool", "-q", "--yes"]
    stdin = lines({"role": "user", "content": "x"},
        {"role": "assistant", "content": None, "tool_calls": [
        call(1, "read", path="a.txt"),
        call(2, "edit", path="a.txt", old="two", new="TWO"),
        call(3, "write", path="new/b.txt", content="b\n"),
        call(4, "bash", command="cat a.txt; echo c >c.txt"),
        call(5, "read", path=".", query="TWO")]})
    files = {"a.txt": (b"one\ntwo\n", b"one\nTWO\n"),
        "new/b.txt": (None, b"b\n"), "c.txt": (None, b"c\n")}

    def __init__(self, env):
        self.env = env

    def prepare(self, folder):
        with open(folder + "/a.txt", "wb") as f:
            f.write(b"one\ntwo\n")

    def golden(self, done, folder):
        return [(r["tool_call_id"], r["content"], r.get("is_error", False))
            for r in records(done.out) if r.get("role") == "tool"]

    def told(self, done):
        """A call that failed says so, and those that build on it."""
        return super().told(done) or b"could not be read]" in done.out or \
            any(r.get("is_error") for r in records(done.out))

    def after(self, done, folder):
        results = {r["tool_call_id"]: r for r in records(done.out)
            if r.get("role") == "tool"}
        if done.status == 0 and len(results) != 5:
            return f"{len(results)} results"
        for name, states in self.files.items():
            if read(folder + "/" + name) not in states and not (
                    name == "c.txt" and read(folder + "/c.txt") == b""):
                return f"{name} is neither old nor new"
        for ident, name in (("t2", "a.txt"), ("t3", "new/b.txt")):
            ok = ident in results and not results[ident].get("is_error")
            if ok and read(folder + "/" + name) != self.files[name][1]:
                return f"{name} is old, and success was said"
        if done.status == 71:       # the next start clears up
            run(self.argv, self.env, folder, done.out)
        for where, dirs, names in os.walk(folder):
            if ".hamr" in dirs:
                dirs.remove(".hamr")
            for n in names:
                rel = os.path.relpath(os.path.join(where, n), folder)
                if rel not in self.files:
                    return f"{rel} is left"
        return ""


class Mem(Case):
    program, name = "hamr-mem", "hamr-mem, as a stage"
    argv = ["hamr-mem", "--db", "m.db", "-q"]
    stdin = read(TOP + "/tests/data/compact/tau-7.ndjson")

    def __init__(self, env):
        self.env = env

    def ask(self, folder, *words):
        return run(["hamr-mem", "--db", "m.db", *words], self.env, folder)

    def golden(self, done, folder):
        return super().golden(done, folder) + [self.ask(folder,
            "stats").out.decode().split("bytes")[0]]

    def after(self, done, folder):
        if not os.path.exists(folder + "/m.db"):
            return ""
        asked = self.ask(folder, "check")
        if asked.status in (0, 66):
            return ""
        return f"the memory is damaged: {asked} {asked.out[-300:]!r}"


class Save(Mem):
    name = "hamr-mem save"
    argv = ["hamr-mem", "--db", "m.db", "save", "--key", "k", "a fact"]

    def golden(self, done, folder):
        return [done.out.decode(), self.ask(folder, "list").out.decode(
            ).split('"time"')[0]]


class Loop(Case):
    program = name = "hamr-loop"

    def __init__(self, broken):
        self.broken = broken
        self.argv = [*crash.LOOP, "--json", "--replay", broken.script,
            "try it"]

    def prepare(self, folder):
        self.broken.place(folder)

    def golden(self, done, folder):
        return list(alike.differences(self.broken.session, folder))

    def verdict(self, done, want, folder):
        listed = (0, 1, 3, 6, 65, 66, 69, 71, 75, 77, 78)
        if done.status not in listed:
            return str(done)
        if done.status == 0:
            return "; ".join(self.golden(done, folder))
        ends = [r for r in records(done.out) if r.get("type") == "end"]
        if len(ends) > 1 or not ends and not done.err:
            return f"{len(ends)} end records: {done}"
        return self.broken.resume(folder)


def counted(case, table, folder, kind):
    """How many calls of the kind the whole run makes, and what it gives."""
    os.makedirs(folder)
    case.prepare(folder)
    done = run(case.argv, preload(table, case, kind, 0, "", folder), folder,
        case.stdin)
    if done.status != 0:
        raise RuntimeError(f"{case.name}: {done}")
    n = int(read(folder + ".n") or 0)
    return n, case.golden(done, folder)


def preload(table, case, kind, k, onwards, folder):
    return {**table.env, "LD_PRELOAD": table.tools + "/fail.so",
        "FAIL_IN": case.program, "FAIL": f"{kind}:{k}{onwards}",
        "FAIL_COUNT": folder + ".n"}


def sweep(table, case, kind):
    folder = f"{table.folder}/count"
    n, want = counted(case, table, folder, kind)
    shutil.rmtree(folder)
    if n == 0:
        return

    def one(what, place):
        case.prepare(place)
        k, onwards = what
        done = run(case.argv, preload(table, case, kind, k, onwards, place),
            place, case.stdin, 40)
        return case.verdict(done, want, place)

    both = [(k, onwards) for k in range(1, n + 1) for onwards in ("", "+")]
    row = "P10" if kind == "alloc" else "D5 P7" if kind == "fsync" else "P7"
    table.row(row, f"{case.name}: any of {n} {kind} fails",
        table.choose(case.name + kind, both), one)


def part(table):
    broken = crash.of(table)
    for case in (Guard(), Import(), Compact(), Replay(), Http(), Tool(table.env),
            Mem(table.env), Save(table.env), Loop(broken)):
        for kind in KINDS:
            sweep(table, case, kind)

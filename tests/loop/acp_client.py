# acp_client.py - an editor that talks to hamr-loop --acp, and checks each word.
#
#	e = Editor("--replay", "script")	starts it; initialize is done
#	s = e.new(cwd)			session/new: its sessionId
#	e.prompt(s, "text")		the answer, after all its updates
#	e.call(method, params)		a result or {"error": ...}
#	e.send(method, params)		the id; e.wait(id) has the answer
#	e.updates, e.asked		what came of each, in order
#	e.allow = "allow_once"		how permissions are answered: an optionId, a
#					function of the request, or None: not at all
#	e.files = {path: text}		buffers of the editor
#	e.end()				closes stdin: (status, seconds)
#
# What comes is validated against tests/data/acp/schema.json by its method, and
# against what only the protocol's prose says.  A breach is an exception.
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback

LIMIT = 30 * int(os.environ.get("SLOWER", "1"))	# see tests/lib.sh
HERE = os.path.dirname(os.path.abspath(__file__))
DEFS = json.load(open(os.path.join(HERE, "../data/acp/schema.json")))["$defs"]
BY_METHOD = {(d["x-method"], d["x-side"], name.rsplit("Re", 1)[-1]): name
             for name, d in DEFS.items() if "x-method" in d}
TYPES = {"object": dict, "array": list, "string": str, "null": type(None),
         "boolean": bool, "integer": int, "number": (int, float)}


def is_type(value, name):
    if isinstance(value, bool) and name in ("integer", "number"):
        return False
    return isinstance(value, TYPES[name])


def faults(value, schema, at="$"):
    """What is wrong with value, a list of words."""
    if schema is True:
        return []
    found = []
    if "$ref" in schema:
        found += faults(value, DEFS[schema["$ref"].split("/")[-1]], at)
    for part in schema.get("allOf", []):
        found += faults(value, part, at)
    for key in "anyOf", "oneOf":
        if key in schema:
            tried = [faults(value, part, at) for part in schema[key]]
            if all(tried):
                found.append("%s: none of %s: %s" % (at, key, min(tried, key=len)))
    if "const" in schema and value != schema["const"]:
        found.append("%s: not %r" % (at, schema["const"]))
    if "enum" in schema and value not in schema["enum"]:
        found.append("%s: %r is not one of %s" % (at, value, schema["enum"]))
    if "type" in schema:
        names = schema["type"]
        names = names if isinstance(names, list) else [names]
        if not any(is_type(value, name) for name in names):
            return found + ["%s: not %s" % (at, names)]
    if isinstance(value, int) and not isinstance(value, bool):
        if value < schema.get("minimum", value) or \
                value > schema.get("maximum", value):
            found.append("%s: %d is out of range" % (at, value))
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                found.append("%s: %s is missing" % (at, key))
        for key, part in schema.get("properties", {}).items():
            if key in value:
                found += faults(value[key], part, "%s.%s" % (at, key))
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            found += faults(item, schema["items"], "%s[%d]" % (at, i))
    return found


def check(value, name):
    found = faults(value, DEFS[name])
    if found:
        raise AssertionError("%s: %s in %s" % (name, found, json.dumps(value)[:400]))


class Editor:
    def __init__(self, *args, can=None, start=True):
        self.p = subprocess.Popen(
            ["hamr-loop", "--acp", *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=open("err", "ab"))
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.n = 0
        self.pending, self.answers = {}, {}
        self.updates, self.asked, self.strays = [], [], []
        self.calls, self.sessions = set(), set()
        self.allow = "allow_once"
        self.files = {}
        self.written = {}
        if start:
            self.info = self.call("initialize", {
                "protocolVersion": 1, "clientCapabilities": can or {}})

    def read(self):
        for line in self.p.stdout:
            self.lines.put(line)
        self.lines.put(None)

    # ---- out

    def raw(self, data):
        self.p.stdin.write(data + b"\n")
        self.p.stdin.flush()

    def put(self, o):
        self.raw(json.dumps(dict({"jsonrpc": "2.0"}, **o)).encode())

    def send(self, method, params, id=None):
        self.n += 1
        id = id if id is not None else self.n
        self.pending[id] = (method, params)
        self.put({"id": id, "method": method, "params": params})
        return id

    def notify(self, method, params):
        self.put({"method": method, "params": params})

    # ---- in

    def take(self, line):
        assert len(line) <= 1 << 20, "a message of %d bytes" % len(line)
        m = json.loads(line)
        assert m["jsonrpc"] == "2.0"
        if "method" not in m:
            return self.take_answer(m)
        name = BY_METHOD.get((m["method"], "client", "quest")) or \
            "SessionNotification"
        check(m["params"], name)
        assert m["params"]["sessionId"] in self.sessions, "a session not told"
        if "id" not in m:
            assert m["method"] == "session/update"
            self.check_call(m["params"]["sessionId"], m["params"]["update"])
            self.updates.append(m["params"]["update"])
            return
        if "toolCall" in m["params"]:
            assert m["params"]["toolCall"]["toolCallId"] in self.calls
            self.check_call(m["params"]["sessionId"], m["params"]["toolCall"])
        self.asked.append(m)
        self.reply(m)

    def check_call(self, session, u):
        """Ids that exist, absolute paths, lines from 1."""
        if u.get("sessionUpdate") == "tool_call":
            self.calls.add(u["toolCallId"])
        elif u.get("sessionUpdate") == "tool_call_update":
            assert u["toolCallId"] in self.calls, u
        for place in u.get("locations") or []:
            assert place["path"].startswith("/"), place
            assert place.get("line") is None or place["line"] >= 1, place
        content = u.get("content")
        for c in content if isinstance(content, list) else []:
            assert c["type"] != "diff" or c["path"].startswith("/"), c
            assert c["type"] != "terminal", c

    def take_answer(self, m):
        id = m["id"]
        if "error" in m:
            check(m["error"], "Error")
        if id not in self.pending:
            self.strays.append(m)
            return
        method, params = self.pending.pop(id)
        if "error" in m:
            self.answers[id] = {"error": m["error"]}
            return
        check(m["result"], BY_METHOD[(method, "agent", "sponse")])
        if method == "session/new":
            self.sessions.add(m["result"]["sessionId"])
        self.answers[id] = m["result"]

    def reply(self, m):
        p = m["params"]
        assert p.get("path", "/").startswith("/")
        if m["method"] == "session/request_permission":
            how = self.allow(m) if callable(self.allow) else self.allow
            if how is None:
                return
            outcome = {"outcome": "cancelled"} if how == "cancelled" else \
                {"outcome": "selected", "optionId": how}
            self.put({"id": m["id"], "result": {"outcome": outcome}})
        elif m["method"] == "fs/read_text_file":
            if p["path"] not in self.files:
                self.put({"id": m["id"], "error": {
                    "code": -32002, "message": "not open"}})
            else:
                self.put({"id": m["id"], "result": {
                    "content": self.files[p["path"]]}})
        elif m["method"] == "fs/write_text_file":
            self.files[p["path"]] = self.written[p["path"]] = p["content"]
            with open(p["path"], "w") as f:
                f.write(p["content"])
            self.put({"id": m["id"], "result": {}})

    def step(self, until):
        line = self.lines.get(timeout=max(0.01, until - time.time()))
        if line is None:
            raise EOFError("hamr-loop has ended")
        self.take(line)

    def wait(self, id, limit=LIMIT):
        until = time.time() + limit
        while id not in self.answers:
            self.step(until)
        return self.answers.pop(id)

    def wait_for(self, seen, limit=LIMIT):
        until = time.time() + limit
        while not seen():
            self.step(until)

    def drain(self, seconds=0.3):
        until = time.time() + seconds
        try:
            while True:
                self.step(until)
        except queue.Empty:
            pass

    # ---- requests

    def call(self, method, params, id=None):
        return self.wait(self.send(method, params, id))

    def new(self, cwd, servers=()):
        return self.call("session/new", {
            "cwd": cwd, "mcpServers": list(servers)})["sessionId"]

    def load(self, session, cwd, method="session/load", servers=()):
        self.sessions.add(session)
        return self.call(method, {"sessionId": session, "cwd": cwd,
                                  "mcpServers": list(servers)})

    def start_prompt(self, session, *blocks):
        return self.send("session/prompt", {"sessionId": session, "prompt": [
            {"type": "text", "text": b} if isinstance(b, str) else b
            for b in blocks]})

    def prompt(self, session, *blocks):
        return self.wait(self.start_prompt(session, *blocks))

    def kinds(self):
        return [u["sessionUpdate"] for u in self.updates]

    def of(self, kind):
        return [u for u in self.updates if u["sessionUpdate"] == kind]

    def text(self, kind="agent_message_chunk"):
        return "".join(u["content"]["text"] for u in self.of(kind))

    def end(self):
        begun = time.time()
        self.p.stdin.close()
        return self.p.wait(LIMIT), time.time() - begun


# acp_client.py: plays ./play.py of each folder that stdin names, in a child, as
# Python takes longer to start than most conversations; its words go to
# ./play.out and ./py.err, its status to stdout.
def play(folder):
    os.chdir(folder)
    for fd, name, how in ((0, os.devnull, os.O_RDONLY),
                          (1, "play.out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
                          (2, "py.err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)):
        os.dup2(os.open(name, how, 0o644), fd)
    signal.alarm(120)
    with open("play.py") as f:
        exec(compile(f.read(), "play.py", "exec"), {"Editor": Editor})


if __name__ == "__main__":
    for line in sys.stdin:
        pid, status = os.fork(), 1
        if pid == 0:
            try:
                play(line.rstrip("\n"))
                status = 0
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
        print(os.waitpid(pid, 0)[1], flush=True)

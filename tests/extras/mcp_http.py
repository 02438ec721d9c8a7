#!/usr/bin/env python3
"""mcp_http.py - a small MCP server over streamable HTTP; prints its port.

    mcp_http.py LOG

Wants "Authorization: Bearer x"; answers calls as server-sent events.  LOG gets
a line for each request.  The tool `forget` ends the session, before it answers
the first time; `expire` wants "Bearer y" from then on; `broken` answers in a
stream that breaks off and is resumed; `grow` adds a tool, and says so where
no request is.
"""
import http.server, json, sys, threading, time

sessions = set()
log = open(sys.argv[1], "a", buffering=1)
TOOLS = [{"name": n, "inputSchema": {"type": "object"},
          "annotations": {"readOnlyHint": True}}
         for n in ("echo", "slow", "forget", "large", "expire", "broken",
                   "grow")]
token = "Bearer x"
told = []           # what is said without a request ...
newest = None       # ... to whom listens last
gone = set()        # what was done once


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def reply(self, status, body=b"", kind="application/json", **more):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", kind)
        for key, value in more.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def event(self, o, id="0"):
        data = json.dumps(o, indent=1).replace("\n", "\ndata: ")
        self.wfile.write(("event: message\nid: %s\ndata: %s\n\n" % (
            id, data)).encode().replace(b"@", b"\xff"))
        self.wfile.flush()

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def do_GET(self):
        global newest
        last = self.headers["Last-Event-ID"]
        newest = self
        log.write("GET %s\n" % last)
        if self.headers["Mcp-Session-Id"] not in sessions:
            return self.reply(404)
        self.stream()
        if last is not None and last.startswith("broken-"):
            if "broken" not in gone:    # once more, in an event
                gone.add("broken")
                self.wfile.write(b"id: broken-3 0\ndata: {\"json")
            else:
                self.event({"jsonrpc": "2.0", "id": int(last[9:]), "result":
                            {"content": [{"type": "text", "text": "whole"}]}})
            return
        for _ in range(200):
            if told and newest is self:
                self.event({"jsonrpc": "2.0", "method": told.pop()})
            time.sleep(.05)

    def do_DELETE(self):
        log.write("DELETE\n")
        self.reply(200)

    def do_POST(self):
        global token
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/page":
            return self.reply(200, b"<html>hello</html>")
        method = m.get("method")
        log.write("%s %s\n" % (method, self.headers["MCP-Protocol-Version"]))
        if self.headers["Authorization"] != token:
            return self.reply(401, b"no token")
        if method == "initialize":
            sessions.add("s1")
            return self.reply(200, json.dumps({
                "jsonrpc": "2.0", "id": m["id"], "result": {
                    "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "h", "version": "1"}}}).encode(),
                Mcp_Session_Id="s1")
        if self.headers["Mcp-Session-Id"] not in sessions:
            return self.reply(404)
        if "id" not in m:
            return self.reply(202)
        if method == "tools/list":
            return self.reply(200, json.dumps({
                "jsonrpc": "2.0", "id": m["id"],
                "result": {"tools": TOOLS}}).encode())
        if method == "ping":
            return self.reply(200, json.dumps({
                "jsonrpc": "2.0", "id": m["id"], "result": {}}).encode())
        name = m["params"]["name"]
        if name == "expire" and token == "Bearer x":
            token = "Bearer y"
            return self.reply(401, b"too old")
        if name == "forget" and "forget" not in gone:
            gone.add(name)
            sessions.clear()
            return self.reply(404)
        self.stream()
        self.event({"jsonrpc": "2.0", "method": "notifications/message",
                    "params": {"level": "info", "data": "working"}})
        if name == "slow":
            time.sleep(20)
        if name == "forget":
            sessions.clear()
        if name == "broken":
            retry = m["params"]["arguments"].get("retry", 10)
            self.wfile.write(b"retry: %d\nid: broken-2 %d\ndata:\n\n" %
                             (retry, m["id"]))
            return
        if name == "grow":
            TOOLS.append(dict(TOOLS[0], name="grown"))
            told.append("notifications/tools/list_changed")
        text = "y" * 3000000 if name == "large" else "said: %s" % \
            m["params"]["arguments"].get("text")
        try:
            self.event({"jsonrpc": "2.0", "id": m["id"], "result": {
                "content": [{"type": "text", "text": text}]}})
        except OSError:
            pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()

#!/usr/bin/env python3
"""A model server behind TLS: every POST is answered; ./log has a line for each
connection and request.  tls_server.py FOLDER: its cert.pem and key.pem."""
import json
import os
import ssl
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

BODY = json.dumps({"choices": [{"message": {"content": "hello"},
                                "finish_reason": "stop"}]}).encode()


def log(word):
    with open("log", "a", encoding="utf-8") as f:
        f.write(word + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def setup(self):
        self.request.settimeout(20)
        self.request.do_handshake()
        super().setup()
        log("connection")

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        log("request" if "sk-" not in self.headers.get("Authorization", "")
            else "request with a key")
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *args):
        pass


class Server(HTTPServer):
    def handle_error(self, request, client_address):
        log("refused")


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem")
server = Server(("127.0.0.1", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True,
                                    do_handshake_on_connect=False)
with open("port.new", "w", encoding="utf-8") as f:
    f.write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()

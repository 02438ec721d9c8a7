"""terminal - what others wrote comes to a terminal, and to a page."""
import json
import os
import re
from html.parser import HTMLParser

import world
from layers import ANY
from rows import attack, family

family("terminal", "What a terminal shows, and what a person allows")
OSC, BIDI = "\x1b]52;c;ZXZpbA==\x07\x1b]0;t\x07\x1b[2J\x9b31m", \
    "\u202e\u2066\u061c\u2028\u200b\U000e0041\x08\x85"
EVIL = "x" + OSC + BIDI + "y"
STEERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c"
    "\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\U000e0000-"
    "\U000e007f]|\x1b\\]52|\x1b\\]0;t|\x1b\\[2J|\x1bP")


def steers(out):
    """What is in it that moves a terminal, hides, or turns text round."""
    text = out.decode("utf8", "replace") if isinstance(out, bytes) else out
    return " ".join(sorted({ascii(x) for x in STEERS.findall(text)}))


def record(w):
    """A session in which every text is hostile."""
    e = EVIL
    records = [{"type": "hamr", "v": 1, "session": "20991231T000000Z-ffff",
        "cwd": w.root, "created": "2099-12-31T00:00:00Z", "mode": e,
        "model": e}, {"role": "user", "content": e},
        {"role": "assistant", "content": e, "reasoning": e, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": e,
        "arguments": json.dumps({"command": e, "path": e})}}, {"id": "c2",
        "type": "function", "function": {"name": "bash", "arguments":
        json.dumps({"command": e})}}], "meta": {"model": e}},
        {"type": "verdict", "stage": e, "tool_call_id": "c1", "name": e,
        "action": "block", "phase": "call", "rule": e, "message": e},
        {"role": "tool", "tool_call_id": "c1", "name": e, "content": e,
        "meta": {"diff": e, "path": e, "error": e}},
        {"role": "tool", "tool_call_id": "c2", "name": "bash", "content": e},
        {"type": "error", "stage": e, "code": e, "message": e},
        {"role": "assistant", "content": e},
        {"type": "end", "status": e, "reason": e, "answer": e, "steps": 1,
        "tool_calls": 1, "files_changed": [e], "usage": {}, "sandbox": e}]
    return w.put("root/.hamr/sessions/20991231T000000Z-ffff.ndjson",
        "".join(json.dumps(r) + "\n" for r in records))


SHOW = (["hamr-loop", "--sessions"], ["hamr-loop", "--inspect", "budget"],
    ["hamr-loop", "--inspect", "ledger"], ["hamr-loop", "--inspect",
    "context"], ["hamr-guard", "--report", "FILE"], ["hamr-guard",
    "--explain", "c1", "FILE"], ["hamr-compact", "--report", "FILE"],
    ["hamr-compact", "--ledger", "FILE"], ["hamr-compact", "--budget",
    "FILE"], ["hamr-loop", "--doctor"])


@attack("S17", "a session's texts: lists, reports, inspections",
    layers=ANY, control=lambda w: steers(w.terminal("jq", "-r",
    "..|strings", record(w))))
def session(w):
    f = record(w)
    came = {}
    for command in SHOW:
        got = steers(w.terminal(*[f if x == "FILE" else x for x in command],
            seconds=4))
        if got:
            came[" ".join(command[:3]).replace(f, "FILE")] = got
    return came


@attack("S17", "names and text of files, branches and errors",
    layers=ANY, control=lambda w: (evil_files(w), steers(w.terminal(
    "cat", "f")))[1])
def files(w):
    evil_files(w)
    came = {}
    for name, args in (("read", {"path": "."}), ("read", {"path": "f"}),
            ("read", {"path": ".", "query": "x"}), ("edit", {"path": "f",
            "old": "x", "new": "z"}), ("bash", {"command": "cat f; ls"}),
            ("read", {"path": EVIL}), (EVIL, {})):
        got = steers(w.terminal("hamr-tool", "--yes", "--root", w.root, name,
            json.dumps(args)))
        if got:
            came[name + str(list(args))] = got
    for command in (["hamr-tool", "undo", "--list"], ["hamr-loop", "-o",
            "agent.x" + OSC + "=1", "hi"], ["hamr-guard", "/no" + EVIL],
            ["hamr-mem", "search", EVIL]):
        got = steers(w.terminal(*command))
        if got:
            came[command[0] + " " + ascii(command[1])[:9]] = got
    return came


def evil_files(w):
    w.put("root/f", EVIL + "\n")
    w.put("root/n" + EVIL.replace("/", ""), "x\n")
    w.commit()
    w.git("checkout", "-q", "-b", "b\u202ex\u200b")


def chat(w, *keys, steps=(), options=(), seconds=6):
    return w.terminal("hamr-loop", "--replay", w.script(*steps), *options,
        keys=[(b"\x1b[?2004h", b"make it\r"), *keys, (b"session ",
        b"\x04")], seconds=seconds)


@attack("S17", "what a model says, calls and wants allowed, in the chat",
    layers=ANY, control=lambda w: (w.put("root/f", EVIL), steers(
    w.terminal("cat", "f")))[1])
def model(w):
    w.put("root/AGENTS.md", EVIL)
    w.commit()
    w.git("checkout", "-q", "-b", "b\u202ex")
    out = chat(w, NO, NO, (b"It is done",
        b"/status\r"), steps=[[
        ("bash", {"command": "echo " + EVIL}),
        ("write", {"path": "e" + EVIL.replace("/", ""), "content": EVIL})],
        [(EVIL, {"a": EVIL})]], seconds=5)
    return steers(out)


@attack("S17", "the page that --export html makes: scripts, links, images",
    layers=ANY, control=lambda w: bool(unsafe("<p>" + HTML)))
def page(w):
    global EVIL
    was, EVIL = EVIL, HTML
    try:
        record(w)
    finally:
        EVIL = was
    return unsafe(w.run("hamr-loop", "--export", "html").out)


HTML = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'`</pre>" \
    "</style></title><svg onload=alert(3)><a href=javascript:1>"


def unsafe(page):
    came = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag in ("script", "svg", "iframe", "object", "base", "form"):
                came.append(tag)
            came.extend(f"{tag} {k}" for k, v in attrs if k.startswith("on")
                or (k in ("href", "src") and v and
                v.startswith(("javascript", "http"))) or v == "x" and
                k == "src")
    Reader().feed(page)
    return " ".join(came)


# ---- what a person allows

YES = (b"allow", b"y", .7)     # keys count after half a second of peace
NO = (b"allow", b"n", .7)


def asked(w, command, *keys, seconds=4):
    return chat(w, *keys, steps=[[("bash", {"command": command})]],
        seconds=seconds)


def allowed(w):
    """The control: a yes, in peace, allows."""
    asked(w, "touch made", YES)
    return w.has("root/made")


@attack("S31", "keys typed before the question answer it", layers=ANY,
    control=allowed)
def typed_ahead(w):
    script = w.script([("read", {"path": "."})], [("bash", {"command":
        "touch made"})])
    w.terminal("hamr-loop", "--replay", script, keys=[(b"\x1b[?2004h",
        b"make it\r"), (b"", b"y"), (b"", b"y\r"), (b"", b"y\r"), (b"allow",
        b"y"), (b"allow", b"\x1b", 2)], seconds=3)
    return w.has("root/made")


@attack("S31", "a paste answers the question, or a key with Alt",
    layers=ANY, control=allowed)
def pasted(w):
    asked(w, "touch made", (b"allow", b"\x1b[200~y\x1b[201~", .7),
        (b"", b"\x1b[200~y\n\x1b[201~", .7), (b"", b"\x1by", .7), seconds=3)
    return w.has("root/made")


@attack("S31", "another word than yes, that begins with y or a, allows",
    layers=ANY, control=allowed)
def other_word(w):
    asked(w, "touch made", (b"allow", b"abort\r"), (b"", b"yikes\r"),
        seconds=3)
    return w.has("root/made")


@attack("S31", "the end of a long command is not shown before it is allowed",
    layers=ANY, control=allowed)
def long_command(w):
    command = "echo " + "a " * 6000 + "; touch EVILTAIL"
    out = asked(w, command, YES)
    seen = out.split(b"allow")[0]
    return w.has("root/EVILTAIL") and b"EVILTAIL" not in seen and \
        b"not shown" not in out and "it ran, unseen"

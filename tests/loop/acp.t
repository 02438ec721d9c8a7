#!/bin/bash
# hamr-loop --acp: an editor of our own plays conversations with the replay
# provider; acp_client.py validates each message against the schema.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"

# play: lines of Python on stdin, with e a fresh editor unless they make one;
# one Python plays them all (acp_client.py)
coproc PLAYER { exec python3 -B "$TOP/tests/loop/acp_client.py"; }
exec 7>&"${PLAYER[1]}" 8<&"${PLAYER[0]}"
play() {
	{ echo "import base64, json, os, signal, subprocess, sys, time"
	echo "SLOWER = $SLOWER"
	echo "here = os.getcwd()"
	echo "def new(*a, **k): return Editor('--no-config', '--replay', 'script', *a, **k)"
	echo "def code(r): return r['error']['code'] if 'error' in r else r"
	cat; } >play.py
	echo "$PWD" >&7
	read -r -u 8 S
	cat play.out
	[ "$S" = 0 ] || sed 's/^/# /' py.err err
}

# --- a whole task
fresh task
printf 'one\ntwo\n' >f
{ call read '{"path":"f"}'
call edit '{"path":"f","old":"two","new":"2"}'
call write '{"path":"src/a.c","content":"int a;\n"}'
call bash '{"command":"cat f; false"}'
answer "The file f has 2 in its second line now, and src/a.c is new; cat showed it."
answer "The file f has 2 in its second line now, and src/a.c is new; cat showed it."
} >script
is "a whole task" "$(play <<'P'
e = new()
i = e.info
print(i["protocolVersion"], i["authMethods"], json.dumps(i["agentCapabilities"]["sessionCapabilities"]))
s = e.new(here)
e.drain()
print(e.kinds())
print(e.prompt(s, "Put 2 into f")["stopReason"])
print([(u["kind"], u["title"]) for u in e.of("tool_call")])
print([c["type"] == "diff" and (os.path.relpath(c["path"]), c["oldText"], c["newText"])
    for u in e.of("tool_call_update") if u.get("status") == "completed" for c in u["content"]])
print([(m["params"]["toolCall"]["content"][0].get("newText"), len(m["params"]["options"])) for m in e.asked])
print([u["status"] for u in e.of("tool_call_update") if "status" in u])
print(e.text()[:14], [u["title"] for u in e.of("session_info_update")])
print(e.end()[0])
P
)" "1 [] {\"list\": {}, \"resume\": {}, \"close\": {}}
['available_commands_update']
end_turn
[('read', 'read f'), ('edit', 'edit f'), ('edit', 'write src/a.c'), ('execute', 'cat f; false')]
[False, ('f', 'one\\ntwo\\n', 'one\\n2\\n'), ('src/a.c', None, 'int a;\\n')]
[('one\\n2\\n', 4), ('int a;\\n', 4), (None, 4)]
['in_progress', 'completed', 'in_progress', 'completed', 'in_progress', 'completed', 'in_progress', 'failed']
The file f has ['Put 2 into f']
0"
is "it is done" "$(cat f src/a.c | paste -sd' ')" "one 2 int a;"

# --- permission
fresh consent
{ for c in no always always never never gone; do
	call bash "{\"command\":\"echo $c >>ran\"}"
done
answer "Three of the commands did not run, as they were refused."; } >script
is "each answer to a question" "$(play <<'P'
e = new()
said = iter(["reject_once", "allow_always", "reject_always", "cancelled"])
e.allow = lambda m: next(said)
s = e.new(here)
e.prompt(s, "Run them")
print(len(e.asked), [u["status"] for u in e.of("tool_call_update") if u.get("status") in ("failed", "completed")])
P
)" "4 ['failed', 'completed', 'completed', 'failed', 'failed', 'failed']"
is "what was allowed ran" "$(paste -sd' ' ran)" "always always"

# --- arguments over several lines
fresh lines
{ call nothing "$(printf '{"a":[1,\n2]}')"; answer "There is no such tool."; } >script
is "arguments over several lines are shown in one" "$(play <<'P'
e = new()
e.prompt(e.new(here), "Call it")
print([u["rawInput"] for u in e.of("tool_call")])
P
)" "[{'a': [1, 2]}]"

# --- answers that are none; where an edit is
fresh odd
seq 9 >a
{ for i in 1 2 3; do
	call bash "{\"command\":\"echo $i >>ran\"}"
done
call read '{"path":"a"}'
call edit '{"filePath":"a","old_str":"5","new_str":"five"}'
answer "The fifth line of a says five now, and no command ran."; } >script
is "an answer without a result is a no" "$(play <<'P'
e = new()
odd = iter([{}, {"result": {"outcome": 5}}, {"result": None}])
def allow(m):
    if "bash" not in str(m) and "echo" not in str(m):
        return "allow_once"
    e.put(dict(next(odd), id=m["id"]))
e.allow = allow
s = e.new(here)
print(e.prompt(s, "Run them, edit a")["stopReason"], len(e.asked), e.strays)
print([u["locations"][0].get("line") for u in e.of("tool_call_update")
       if u.get("status") == "completed" and u.get("locations")][-1])
for p in [], [{"type": "text", "text": " \n"}]:
    print(e.call("session/prompt", {"sessionId": s, "prompt": p})["error"]["message"])
P
) $(sed -n 5p a) $(ls ran 2>&1)" "end_turn 4 []
5
the prompt is empty
prompt[0]: the prompt is empty five ls: cannot access 'ran': No such file or directory"

# --- cancel
fresh cancel
{ call bash '{"command":"echo begun; sleep 60"}'
call bash '{"command":"echo asked >ran"}'
answer "Nothing was left to do, as you stopped both commands."
answer "Nothing was left to do, as you stopped both commands."; } >script
is "cancel" "$(play <<'P'
e = new("--yes")
s = e.new(here)
p = e.start_prompt(s, "Run them")
e.wait_for(lambda: any("content" in u for u in e.of("tool_call_update")))
t = time.time()
e.notify("session/cancel", {"sessionId": s})
print(e.wait(p)["stopReason"], time.time() - t < 5 * SLOWER)
e.end()
e = new()
e.allow = None
e.load(s, here)
p = e.start_prompt(s, "Go on")
e.wait_for(lambda: e.asked)
e.notify("session/cancel", {"sessionId": s})
print(e.wait(p)["stopReason"], e.asked[0]["method"])
print(e.prompt(s, "And now?")["stopReason"], e.of("agent_message_chunk") != [])
raw, both = e.raw, []
e.raw = both.append	# by one write: the answer takes no time
p = e.start_prompt(s, "Never mind")
e.notify("session/cancel", {"sessionId": s})
e.raw = raw
raw(b"\n".join(both))
print(e.wait(p)["stopReason"])
P
) $(jq -r 'select(.role == "tool") | .content' .hamr/sessions/*.ndjson |
    tail -n 1) $(ls ran 2>&1)" "cancelled True
cancelled session/request_permission
end_turn True
cancelled interrupted before it ran; nothing was done ls: cannot access 'ran': No such file or directory"

# a question that crosses the cancel is not asked, nor waited for
fresh cross
{ call bash '{"command":"echo asked >ran"}'
answer "Nothing was left to do, as you stopped the command."; } >script
cat >slow <<'P'
#!/bin/sh
while IFS= read -r l; do
	case $l in *'"type":"ask"'*) sleep 0.5 ;; esac
	printf '%s\n' "$l"
done
P
chmod +x slow
is "a cancel before the question" "$(play <<'P'
e = new("-o", 'stages.tool=["hamr-tool", "./slow"]')
s = e.new(here)
p = e.start_prompt(s, "Run it")
e.wait_for(lambda: e.of("tool_call"))
time.sleep(0.2)
e.notify("session/cancel", {"sessionId": s})
print(e.wait(p, 10)["stopReason"], e.asked)
P
) $(ls ran 2>&1)" "cancelled [] ls: cannot access 'ran': No such file or directory"

# --- load, resume, list, close
fresh again
{ call write '{"path":"a","content":"x\n"}'
answer "The file a holds one line with an x, which you asked for."
answer "The file a holds one line with an x, which you asked for."; } >script
is "load, resume, list, close" "$(play <<'P'
e = new("--yes")
s = e.new(here)
e.prompt(s, "Make the file a")
print(e.call("session/close", {"sessionId": s}))
print(code(e.call("session/prompt", {"sessionId": s, "prompt": []})))
for method in "session/load", "session/resume":
    e.updates = []
    r = e.load(s, here, method)
    print(sorted(r), [k for k in e.kinds() if "message" in k or k in ("tool_call", "available_commands_update")],
        [c.get("newText") for u in e.of("tool_call_update") for c in u["content"]])
    e.call("session/close", {"sessionId": s})
e.updates = []
e.load(s, here)
e.load(s, here)
print(e.text("user_message_chunk"), code(e.load(s, "/")))
e.call("session/close", {"sessionId": s})
print(code(e.load("nobody", here)), code(e.load(s, "/")))
r = e.call("session/list", {"cwd": here})
print(len(r["sessions"]), r["sessions"][0]["sessionId"] == s, r["sessions"][0]["cwd"] == here, r["sessions"][0]["title"],
    r["sessions"][0]["updatedAt"][-1])
d = ".hamr/sessions/"
for i in range(120):
    with open("%s20200101T000000Z-%04d.ndjson" % (d, i), "w") as f:
        f.write('{"type":"hamr","v":1}\n')
pages, cursor = [], {}
while cursor is not None:
    r = e.call("session/list", dict({"cwd": here}, **cursor))
    pages.append(len(r["sessions"]))
    cursor = {"cursor": r["nextCursor"]} if "nextCursor" in r else None
print(pages, code(e.call("session/list", {"cursor": "none"})), e.call("session/list", {"cwd": "/usr"}))
P
)" "{}
-32002
['configOptions', 'modes'] ['user_message_chunk', 'tool_call', 'agent_message_chunk', 'available_commands_update'] ['x\\n']
['configOptions', 'modes'] [] []
Make the file aMake the file a -32002
-32002 -32002
1 True True Make the file a Z
[50, 50, 21] -32602 {'sessions': []}"

# --- a session that somebody else wrote
cat >.hamr/sessions/ada.ndjson <<'P'
{"role":"user","content":"Hello"}
{"type":"config","set":{"provider.model":"dear"}}
{"role":"assistant","content":"Hello!"}
P
is "its first message says so, and its model does not count" "$(play <<'P'
e = new("--model", "mine")
r = e.load("ada", here)
print(r["configOptions"][1]["currentValue"])
u = [u for u in e.updates if "message" in u["sessionUpdate"]]
print([u["sessionUpdate"][:5] for u in u], "not written here" in u[0]["content"]["text"],
    u[0]["messageId"] != u[2]["messageId"])
P
)" "mine
['agent', 'user_', 'agent'] True True"

# --- a session in which nothing was said
fresh empty
answer "Hello." >script
is "an empty session is kept while it is open, not left behind" "$(play <<'P'
e = new("--yes")
r = e.call("session/new", {"cwd": here, "mcpServers": []})
e.call("session/set_mode", {"sessionId": r["sessionId"], "modeId": "docs"})
e.call("session/close", {"sessionId": r["sessionId"]})
s = e.call("session/new", {"cwd": here, "mcpServers": []})["sessionId"]
raw, both = e.raw, []
e.raw = both.append	# by one write: a cancel meets an open session
r = e.send("session/resume", {"sessionId": s, "cwd": here})
e.notify("$/cancel_request", {"requestId": r})
e.raw = raw
raw(b"\n".join(both))
print(code(e.wait(r)), e.prompt(s, "Hello").get("stopReason"))
e.call("session/close", {"sessionId": s})
print([x["sessionId"] == s for x in e.call("session/list", {"cwd": here})["sessions"]])
P
)" "-32800 end_turn
[True]"

# --- a mode that changes while a prompt runs
fresh at-once
{ { call bash '{"command":"until test -e go; do sleep .1; done"}'
call write '{"path":"a","content":"x\n"}' | sed 's/"k[0-9]*"/"k0"/'; } | jq -cs \
	'.[0].tool_calls += .[1].tool_calls | .[0]'
answer "The mode does not allow me to write the file a."
answer "The mode does not allow me to write the file a."; } >script
is "a mode counts for the next call" "$(play <<'P'
import time
e = new("--yes")
s = e.call("session/new", {"cwd": here, "mcpServers": []})["sessionId"]
n = e.start_prompt(s, "Write a file")
e.wait_for(lambda: [u for u in e.of("tool_call_update") if u.get("status") == "in_progress"])
e.call("session/set_mode", {"sessionId": s, "modeId": "read-only"})
time.sleep(1)
open("go", "w").close()
print(e.wait(n)["stopReason"])
P
) $(jq -c 'select(.role == "tool") | [.name, .meta.error]' \
	.hamr/sessions/*.ndjson | paste -sd' ')" \
	'end_turn ["bash",null] ["write","denied"]'

# --- mode and model
fresh options
{ call write '{"path":"a","content":"x\n"}'
answer "The mode does not allow me to write the file a."
answer "The mode does not allow me to write the file a."; } >script
is "options" "$(play <<'P'
e = new("--yes")
r = e.call("session/new", {"cwd": here, "mcpServers": []})
s = r["sessionId"]
print([(o["id"], o["category"], o["type"], o["currentValue"]) for o in r["configOptions"]], r["modes"]["currentModeId"])
r = e.call("session/set_config_option", {"sessionId": s, "configId": "mode", "value": "read-only"})
print([o["currentValue"] for o in r["configOptions"]])
e.drain()
print(e.kinds()[1:])
e.call("session/set_config_option", {"sessionId": s, "configId": "model", "value": "tiny"})
print(e.call("session/set_mode", {"sessionId": s, "modeId": "docs"}))
for p in ("mode", "x"), ("mode", 3), ("colour", "x"):
    print(code(e.call("session/set_config_option", {"sessionId": s, "configId": p[0], "value": p[1]})))
e.prompt(s, "Write a")
print([u["status"] for u in e.of("tool_call_update") if "status" in u])
e.call("session/close", {"sessionId": s})
for _ in 1, 2:
    r = e.load(s, here)
    print([o["currentValue"] for o in r["configOptions"]])
    e.call("session/close", {"sessionId": s})
    with open(".hamr/sessions/%s.ndjson" % s, "a") as f:
        f.write('{"type":"config","set":{"agent.mode":"none of them"}}\n')
P
)" "[('mode', 'mode', 'select', 'patch'), ('model', 'model', 'select', '')] patch
['read-only', '']
['current_mode_update', 'config_option_update']
{}
-32602
-32602
-32602
['failed']
['docs', 'tiny']
['docs', 'tiny']"
is "the system message is the mode's" "$(jq -r 'select(.role == "system") |
	.content' .hamr/sessions/*.ndjson)" "$(cat "$TOP/share/hamr/system/docs.txt")"

# --- several at once
fresh many
{ call bash '{"command":"sleep 0.3; basename $PWD"}'
answer "The command said where it ran, and nothing else was asked for."
answer "The command said where it ran, and nothing else was asked for."; } >script
mkdir ../other && git -C ../other init -q .
is "several sessions" "$(play <<'P'
e = new("--yes")
both = [e.new(here), e.new(here), e.new(os.path.realpath("../other"))]
ids = [e.start_prompt(s, "Say where you are") for s in both]
print([e.wait(i)["stopReason"] for i in ids], len(set(both)))
print(sorted(u["content"][0]["content"]["text"].split()[-1] for u in e.of("tool_call_update")
    if u.get("status") == "completed"))
status, took = e.end()
print(status, took < 5)
P
)" "['end_turn', 'end_turn', 'end_turn'] 3
['many', 'many', 'other']
0 True"

# --- what an editor can say wrongly
fresh wrong
{ call bash '{"command":"sleep 60"}'
answer "The command was stopped, so there is nothing to report."; } >script
is "errors, row by row" "$(play <<'P'
e = new("--yes", start=False)
def stray(data):
    e.raw(data)
    e.wait_for(lambda: e.strays)
    m = e.strays.pop()
    return m["id"], m["error"]["code"]
print(stray(b"{nonsense"), stray(b"[]"), stray(b'[{"jsonrpc":"2.0","id":1,"method":"x"}]'), stray(b"3"), stray(b'{"id":8}'),
    stray(b'{"jsonrpc":"2.0","id":null,"method":"none"}'))
print(code(e.call("initialize", {"protocolVersion": "1"})), code(e.call("initialize", {})), code(e.call("none", {})))
print(e.call("initialize", {"protocolVersion": 99, "clientCapabilities": 3})["protocolVersion"])
for p in {}, {"cwd": 3, "mcpServers": []}, {"cwd": "x", "mcpServers": []}, {"cwd": here + "/none", "mcpServers": []}, \
        {"cwd": here}, {"cwd": here, "mcpServers": [{}]}:
    print(code(e.call("session/new", p)), end=" ")
print(*sorted(e.call("session/new", {"cwd": here, "mcpServers": [{"name": "x", "command": "true", "args": None, "env": None}]})))
print(*sorted(e.call("session/new", {"cwd": here, "mcpServers": None})))
s = e.new(here)
bad = [3, [], [3], [{}], [{"type": "text"}], [{"type": "audio", "data": "", "mimeType": "audio/wav"}],
    [{"type": "image", "data": "AAAA", "mimeType": "image/png"}], [{"type": "resource_link", "name": "x"}]]
print([code(e.call("session/prompt", {"sessionId": s, "prompt": p})) for p in bad])
print(code(e.prompt("nobody", "x")), code(e.call("session/prompt", {"sessionId": 3})))
p = e.send("session/prompt", {"sessionId": s, "prompt": [{"type": "text", "text": "Wait"}]}, id="one")
e.wait_for(lambda: e.of("tool_call"))
print(code(e.prompt(s, "x")), code(e.load(s, here)))
e.notify("$/cancel_request", {"requestId": "none"})
e.notify("$/cancel_request", {"requestId": "one"})
print(code(e.wait("one")))
e.notify("nothing/known", {})
e.put({"id": 77, "result": {}})
for id in "x", None:
    e.put({"id": id, "error": {"code": 1, "message": ""}})
print(e.prompt(s, "x")["stopReason"], e.strays)
P
)" "(None, -32700) (None, -32600) (None, -32600) (None, -32600) (8, -32600) (None, -32601)
-32602 -32602 -32601
1
-32602 -32602 -32602 -32602 -32602 -32602 configOptions modes sessionId
configOptions modes sessionId
[-32602, -32602, -32602, -32602, -32602, -32602, -32602, -32602]
-32002 -32602
-32600 -32603
-32800
end_turn []"
for o in --resume --fork=x --sessions --doctor --trust --print-config \
    "--inspect=ledger x" "--export=html x"; do
	# shellcheck disable=SC2086
	status "--acp $o: a usage error" 2 hamr-loop --acp $o
done
is "50 MB" "$(play <<'P'
e = new()
s = e.new(here)
e.raw(b'{"jsonrpc":"2.0","id":5,"method":"' + b"x" * 50000000 + b'"}')
e.raw(b"x" * 70000000)
e.send("session/list", {}, id="x" * 2000000)
e.wait_for(lambda: len(e.strays) == 3)
print([m["error"]["code"] for m in e.strays])
print(e.prompt(s, "y" * 50000000)["stopReason"], "tokens" in e.text())
P
)" "[-32601, -32700, -32603]
max_tokens True"

# --- how a turn ends
fresh ends
for i in $(seq 40); do call bash '{"command":"false"}'; done >script
reasons() {
	play <<P
e = new(*'$1'.split())
s = e.new(here)
r = e.prompt(s, "Look at f")
print(r.get("stopReason") or (r["error"]["code"], r["error"]["message"][:22]), e.text().strip()[:29])
P
}
is "a limit" "$(reasons "--yes -o agent.max_model_steps=2")" \
    "max_turn_requests [budget_exhausted: max_model_"
match "the guard" "$(reasons "--yes")" "end_turn ?guard_stopped: *"
err overloaded false >script
is "no model" "$(reasons "")" "(-32603, 'model_error, overloade') "
err "$(printf %02000000d 1)" false >script
is "... and many words about it" "$(reasons "")" \
    "(-32603, 'model_error, 000000000') "
is "a stage that ends for good, in its own words" "$(play <<'P'
e = Editor("--no-config", "-o", "provider.api=nonsense")
print(e.prompt(e.new(here), "Look at f")["error"]["message"][:115])
P
)" "tool_error, stage_died: stage provider (hamr-provider) ended with status \
78: hamr-provider: api nonsense: not known"

# --- commands: /undo asks nobody, and does nothing where it would have to
fresh undo
{ call write '{"path":"a","content":"x\n"}'
answer "The file a holds one line with an x, which you asked for."
call write '{"path":"b","content":"x\n"}'
answer "The file b holds one line with an x, which you asked for."
answer "There is nothing more to do, as far as I can see here."
answer "There is nothing more to do, as far as I can see here."; } >script
is "commands" "$(play <<'P'
e = new("--yes")
s = e.new(here)
def say(text):
    e.updates = []
    print(e.prompt(s, text)["stopReason"], os.path.exists("a"), os.path.exists("b"), repr(e.text().strip()))
say("/undo")
e.prompt(s, "Make the file a")
say("/undo")
e.prompt(s, "Make the file b")
open("b", "a").write("mine\n")
say("/undo-last-edit")
say("/mode docs")
say("/compakt")
say("Go on")
say("/init")
P
)" "end_turn False False 'this session has changed no file'
end_turn False False 'write\\n  a\\nremoved a'
end_turn False True 'write\\n  b  changed since; that would be lost\\nnothing was undone; hamr-tool undo --force u4 does it anyway'
end_turn False True '/mode is for a terminal; here there are /compact, /cost, /export, /init, /status, /undo, /verify and your own'
end_turn False True 'no command /compakt; did you mean /compact? here there are /compact, /cost, /export, /init, /status, /undo, /verify and your own'
end_turn False True 'There is nothing more to do, as far as I can see here.'
end_turn False True 'There is nothing more to do, as far as I can see here.'"

# --- an edit of a file that there was
fresh edited
printf 'one\ntwo\n' >f
{ call read '{"path":"f"}'
call edit '{"path":"f","old":"two","new":"2"}'
answer "The second line of the file f is 2 now, as you wanted."
answer "The second line of the file f is 2 now, as you wanted."; } >script
is "a loaded edit has its diff" "$(play <<'P'
e = new("--yes")
s = e.new(here)
e.prompt(s, "Put 2 into f")
e.updates = []
e.load(s, here)
print([(c["oldText"], c["newText"]) for u in e.of("tool_call_update")[1:] for c in u["content"]])
P
)" "[('one\\ntwo\\n', 'one\\n2\\n')]"

# --- a server: models, tokens
fresh server
printf 'path /v1/models*\nbody {"data":[{"id":"big"},{"id":"tiny"},{"id":"my own"}]}\n' >models
printf 'method POST\nbody {"choices":[{"message":{"content":"There is nothing to do in this repository."},"finish_reason":"stop"}],"usage":{"prompt_tokens":700,"completion_tokens":50}}\n' >said
httpd_start log models said || exit 1
is "models and tokens" "$(play <<P
e = Editor("--no-config", "--base-url", "http://127.0.0.1:$HTTPD_PORT/v1", "--model", "tiny", "-o", "context.window=9000",
    "-o", "agent.contract=none")
s = e.new(here)
e.wait_for(lambda: e.of("config_option_update"))
model = e.of("config_option_update")[0]["configOptions"][1]
print(model["currentValue"], [o["value"] for o in model["options"]])
print([code(e.call("session/set_config_option", {"sessionId": s, "configId": "model", "value": v})) for v in ("none",)])
r = e.call("session/set_config_option", {"sessionId": s, "configId": "model", "value": "big"})
print(r["configOptions"][1]["currentValue"], e.prompt(s, "Look")["stopReason"])
print([(u["used"], u["size"]) for u in e.of("usage_update")])
P
)" "tiny ['big', 'tiny', 'my own']
[-32602]
big end_turn
[(750, 9000)]"
httpd_stop
python3 - >models <<'P'
import json
print("path /v1/models*")
print("body", json.dumps({"data": [{"id": "model-%05d" % i} for i in range(20000)]}))
P
httpd_start log models said || exit 1
is "of 20,000 models, those are told that fit" "$(play <<P
e = Editor("--no-config", "--base-url", "http://127.0.0.1:$HTTPD_PORT/v1", "--model", "model-19999")
e.new(here)
e.wait_for(lambda: e.of("config_option_update"))
o = e.of("config_option_update")[0]["configOptions"][1]["options"]
print(len(o) > 5000, o[0]["value"], o[-1]["value"])
P
)" "True model-00000 model-19999"
httpd_stop
printf 'path /v1/models*\nbody {"data":[{"id":"big"}]}\n' >models
printf 'method POST\nevent %s\n' \
    '{"choices":[{"delta":{"content":"There is"}}]}' >broken
httpd_start log models broken said || exit 1
is "each message has an id of its own" "$(play <<P
e = Editor("--no-config", "--base-url", "http://127.0.0.1:$HTTPD_PORT/v1", "--model", "big")
s = e.new(here)
for text in "Look", "/nope", "/nope":
    e.prompt(s, text)
said = {}
for u in e.of("agent_message_chunk"):
    said[u["messageId"]] = said.get(u["messageId"], "") + u["content"]["text"].strip()[:12]
print(list(said.values()))
P
)" "['There is', 'There is not', 'no command /', 'no command /']"
httpd_stop

fresh verified
{ call write '{"path":"a","content":"x\n"}'
answer "The file a is made."; answer "It is not that file."; } >script
is "... and so has a verification" "$(play <<'P'
e = new("--yes", "-o", "verification.defaultCommand=false")
s = e.new(here)
e.prompt(s, "Make the file a")
said = {}
for u in e.of("agent_message_chunk"):
    said[u["messageId"]] = said.get(u["messageId"], "") + u["content"]["text"].strip()[:12]
print(list(said.values()))
P
)" "['The file a i', 'checked with', 'It is not th', 'checked with', '[contract_fa']"

# --- what does not fit, what cannot be read
fresh large
printf '%0900000d\n' 1 >big
{ call edit '{"path":"big","old":"1","new":"2"}'
call bash '{"command":"head -c 3000000 /dev/zero | tr \\\\0 x"}'
jq -cn '{role: "assistant", content: ("x" * 3000000), finish_reason: "stop"}'
} >script
is "no message is longer than 1 MiB" "$(play <<'P'
e = new("--yes")
s = e.new(here)
print("stopReason" in e.prompt(s, "Do it"), len(e.text()) >= 3000000)
e.call("session/close", {"sessionId": s})
with open(".hamr/sessions/%s.ndjson" % s, "a") as f:
    f.write("damaged\n")
r = e.load(s, here)
print(code(r), ".ndjson:" in r["error"]["message"])
f = Editor("-o", "no.such=1")
print(code(f.call("session/new", {"cwd": here, "mcpServers": []})))
P
)" "True True
-32603 True
-32603"

{ call write '{"content":"x"}'
printf '{"role":"tool","tool_call_id":"k%d","name":"write","content":"made",%s}\n' \
    $n '"meta":{"sha256_before":null}'; } >.hamr/sessions/odd.ndjson
is "a result of a call without a path" "$(play <<'P'
e = new()
e.load("odd", here)
print([u["status"] for u in e.of("tool_call_update")])
P
)" "['completed']"

is "it needs no option" "$(play <<'P'
print(isinstance(Editor().new(here), str))
P
)" True

# --- crashes
fresh crash
{ call bash '{"command":"echo hi >>ran"}'
call bash '{"command":"sleep 60"}'
answer "The first command ran once, the second one was cut off."
answer "The first command ran once, the second one was cut off."; } >script
is "kill -9 in mid-prompt, load, go on" "$(play <<'P'
e = new("--yes")
s = e.new(here)
p = e.start_prompt(s, "Run both")
e.wait_for(lambda: len(e.of("tool_call")) == 2 and e.of("tool_call_update")[-1].get("status") == "in_progress")
e.p.kill()
e.p.wait()
f = new("--yes")
print(sorted(f.load(s, here)), f.text("user_message_chunk"), len(f.of("tool_call")))
print(f.prompt(s, "Go on")["stopReason"], f.text()[:17])
P
) $(cat ran)" "['configOptions', 'modes'] Run both 2
end_turn The first command hi"
is "kill -9 of a session's process" "$(play <<'P'
e = new("--yes", "-o", 'stages.mem=["false"]')
s = e.new(here)
p = e.start_prompt(s, "Run both")
e.wait_for(lambda: len(e.of("tool_call")) == 2 and e.of("tool_call_update")[-1].get("status") == "in_progress")
while "stage mem" not in open("err").read(): time.sleep(0.05)
kids = open("/proc/%d/task/%d/children" % (e.p.pid, e.p.pid)).read().split()
os.kill(int(kids[0]), signal.SIGKILL)
r = e.wait(p)
print(code(r), r["error"]["message"])
print(e.prompt(s, "Go on")["stopReason"])
P
)" "-32603 the session's process has ended; send the prompt again
end_turn"
is "a session in use" "$(play <<'P'
e = new("--yes")
s = e.new(here)
f = new()
begun = time.time()
r = f.load(s, here)
print(code(r), "in use by process" in r["error"]["message"], time.time() - begun < 3 * SLOWER)
P
)" "-32603 True True"
is "end of input in mid-prompt" "$(play <<'P'
e = new("--yes")
s = e.new(here)
p = e.start_prompt(s, "Run both")
e.wait_for(lambda: len(e.of("tool_call")) == 2)
kids = open("/proc/%d/task/%d/children" % (e.p.pid, e.p.pid)).read().split()
status, took = e.end()
print(status, took < 5, [os.path.exists("/proc/" + k) for k in kids])
P
)" "0 True [False]"
is "what was asked before the end of input is answered" "$(play <<'P'
e = new("--yes")
s = e.new(here)
p = e.start_prompt(s, "Run both")
while '"role":"user"' not in open(".hamr/sessions/%s.ndjson" % s).read():
    time.sleep(0.02)
n = e.send("session/new", {"cwd": here, "mcpServers": []})
e.p.stdin.close()
print(e.wait(p)["stopReason"], sorted(e.wait(n)))
P
)" "cancelled ['configOptions', 'modes', 'sessionId']"
# that of the prompt; the other one has no message
is "it is written down" "$(grep -l '"role":"user"' .hamr/sessions/*.ndjson |
	xargs ls -t | head -n 1 | xargs tail -n 1 | jq -r .status)" interrupted

# --- what a prompt can hold
fresh parts
echo "secret word" >"a b.txt"
{ answer "I have looked at what you sent, and it is an image with text."
answer "I have looked at what you sent, and it is an image only."
answer "I have looked at what you sent, which is a program."; } >script
is "images are offered where the model takes them" "$(play <<'P'
print([new("-o", "provider.vision=" + v).info["agentCapabilities"]["promptCapabilities"]["image"]
    for v in ("true", "false")])
P
)" "[True, False]"
is "text, links, resources, images" "$(play <<'P'
png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
e = new("-o", "provider.vision=true")
s = e.new(here)
print(e.prompt(s, "See", {"type": "resource_link", "name": "b", "uri": "file://%s/a%%20b.txt#L1-L2" % here},
    "or", {"type": "resource_link", "name": "site", "uri": "https://example.org/x"},
    {"type": "resource", "resource": {"uri": "file://%s/open.c#L7" % here, "text": "unsaved"}},
    "now", {"type": "image", "data": png, "mimeType": "image/png", "annotations": 3})["stopReason"])
e.prompt(s, {"type": "image", "data": png, "mimeType": "image/png"})
e.prompt(s, {"type": "resource", "resource": {"uri": "file:///init", "text": "#!"}})
print(e.prompt(s, {"type": "image", "data": "A" * 8000000, "mimeType": "image/png"})["error"]["message"])
P
) $(jq -c 'select(.role == "user" and .meta.by != "guard") | .content' .hamr/sessions/*.ndjson | cut -c 1-130)" 'end_turn
prompt[0]: an image is too large "open.c (line 7), as it is in the editor:\n\nunsaved\n"
"a b.txt, which the user mentions:\n\nsecret word\n"
[{"type":"text","text":"See @a\\ b.txt (lines 1-2) or [site](https://example.org/x) open.c now"},{"type":"image_url","image_url":{
[{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwA
"/init, as it is in the editor:\n\n#!\n"
" /init "'

# --- output while it runs
fresh output
{ call bash '{"command":"for i in $(seq 200); do printf \"%0100d\\n\" $i; sleep 0.005; done; exit 3"}'
answer "The command printed two hundred lines and then failed."
answer "The command printed two hundred lines and then failed."; } >script
is "output" "$(play <<'P'
e = new("--yes", can={"_meta": {"terminal_output": True}})
s = e.new(here)
t = time.time()
e.prompt(s, "Run it")
took = time.time() - t
live = [u for u in e.of("tool_call_update") if "status" not in u]
print(1 < len(live) <= 4 * took + 2, max(len(u["content"][0]["content"]["text"]) for u in live) <= 8192)
data = "".join(u["_meta"]["terminal_output"]["data"] for u in live)
print(data.count("\n"), e.of("tool_call")[0]["_meta"]["terminal_info"]["cwd"] == here,
    e.of("tool_call_update")[-1]["_meta"])
e.load(s, here)
m = e.of("tool_call_update")[-1]["_meta"]
print(sorted(m), m["terminal_output"]["data"][-4:] == "200\n")
P
)" "True True
200 True {'terminal_exit': {'terminal_id': 'k$n', 'exit_code': 3, 'signal': None}}
['terminal_exit', 'terminal_output'] True"

# --- buffers of the editor
fresh buffers
printf 'one\ntwo\n' >f
printf 'a\r\nb\r\n' >crlf
printf 'a\r\nb' >open
{ call read '{"path":"f"}'
call bash '{"command":"cat f"}'
call edit '{"path":"f","old":"TWO","new":"2"}'
call bash '{"command":"cat f"}'
call read '{"path":"crlf"}'
call read '{"path":"open"}'
call write '{"path":"new","content":"text\n"}'
answer "The file f has 2 in its second line now, and new is there."
answer "The file f has 2 in its second line now, and new is there."
} >script
is "unsaved buffers are read, and edits appear there" "$(play <<'P'
e = new("--yes", can={"fs": {"readTextFile": True, "writeTextFile": True}})
e.files = {here + "/f": "one\nTWO", here + "/crlf": "a\nb\n", here + "/open": "a\nb"}
s = e.new(here)
e.prompt(s, "Put 2 into f")
print(sorted({(m["method"], os.path.basename(m["params"]["path"])) for m in e.asked}))
for u in e.of("tool_call_update"):
    if u.get("status") in ("completed", "failed"):
        c = u["content"][0]
        print(json.dumps(c["content"]["text"] if c["type"] == "content" else [c["oldText"], c["newText"]]))
print({os.path.basename(p): t for p, t in e.written.items()})
e.prompt(s, "And @open")
P
)" '[('"'fs/read_text_file', 'crlf'), ('fs/read_text_file', 'f'), ('fs/read_text_file', 'open'), ('fs/write_text_file', 'f'), ('fs/write_text_file', 'new'"')]
"f lines 1-2 of 2\n     1\tone\n     2\tTWO\n[as it is in the editor, not saved; commands see the file on the disk]\n"
"exit 0\none\ntwo\n[not saved in the editor, and not seen by the command: f]\n"
["one\nTWO\n", "one\n2\n"]
"exit 0\none\n2\n"
"crlf lines 1-2 of 2 CRLF\n     1\ta\n     2\tb\n"
"open lines 1-2 of 2 CRLF\n     1\ta\n     2\tb\n[no newline at end]\n"
[null, "text\n"]
'"{'f': 'one\\n2\\n', 'new': 'text\\n'}"
is "... of a file that is mentioned, too" "$(jq -r 'select(.meta.from ==
    "mention").content' .hamr/sessions/*.ndjson)" \
    "open, as it is in the editor:

a
b"
printf '\357\273\277a\n' >bom
{ call read '{"path":"bom"}'; call edit '{"path":"bom","old":"a","new":"A"}'
answer "The file bom has an A in its first line now."; } >script
is "an editor that does not show a BOM keeps it itself" "$(play <<'P'
e = new("--yes", can={"fs": {"readTextFile": True, "writeTextFile": True}})
e.files = {here + "/bom": "a\n"}
s = e.new(here)
print(e.prompt(s, "Put A into bom")["stopReason"], e.written)
print("not saved" in str(e.updates))
P
)" "end_turn {'$PWD/bom': 'A\\n'}
False"

# --- MCP servers, commands
fresh servers
{ call srv____echo '{"text":"hello"}'
call srv___2__echo '{"text":"hello"}'
answer "The server answered with the word hello, as was asked."
answer "The server answered with the word hello, as was asked."; } >script
is "an MCP server, and commands" "$(play <<P
e = new()
s = e.new(here, [{"name": name, "command": "$(readlink -f "$(command -v python3)")", "args": ["$TOP/tests/extras/mcp_server.py"],
    "env": [{"name": "A", "value": "b-secret-c"}]} for name in ("srv: ", "srv!?")])
import glob
seen = b""
for p in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        seen += open(p, "rb").read()
    except OSError:
        pass
print(b"b-secret-c" in seen, b"--records" in seen)
e.prompt(s, "Ask it")
print([u["status"] for u in e.of("tool_call_update") if "status" in u][1::2])
e.updates = []
print(e.prompt(s, "/cost")["stopReason"], "tokens" in e.text(), e.prompt(s, "/quit")["stopReason"])
h = {"type": "http", "name": "h", "url": "http://127.0.0.1:9/", "headers": [{"name": "A", "value": "b"}]}
print("error" in e.call("session/new", {"cwd": here, "mcpServers": [h]}))
print(code(e.call("session/new", {"cwd": here, "mcpServers": [dict(h, headers=3)]})))
print(code(e.call("session/new", {"cwd": here, "mcpServers": [{"type": "sse", "name": "x", "url": "http://x", "headers": []}]})))
P
)" "False True
['completed', 'completed']
end_turn True end_turn
False
-32602
-32602"

for dir in .hamr "$XDG_CONFIG_HOME/hamr"; do
	mkdir -p "$dir/commands"
	echo 'Look at it.' | tee "$dir/commands/cost.md" >"$dir/commands/look.md"
done
is "each command is offered once" "$(play <<'P'
e = new()
e.new(here)
e.wait_for(lambda: e.of("available_commands_update"))
names = [c["name"] for c in e.of("available_commands_update")[0]["availableCommands"]]
print([(n, names.count(n)) for n in ("cost", "look")])
P
)" "[('cost', 1), ('look', 1)]"
rm -r "$XDG_CONFIG_HOME/hamr/commands"

{ answer "The server would answer with the word hello, as was asked."
call srv__echo '{"text":"hello"}'
answer "The server answered with the word hello, as was asked."
answer "The server answered with the word hello, as was asked."; } >script
is "an open session is loaded with other servers" "$(play <<P
e = new()
s = e.new(here)
e.prompt(s, "What is it?")
e.load(s, here, servers=[{"name": "srv", "command": "$(readlink -f "$(command -v python3)")",
    "args": ["$TOP/tests/extras/mcp_server.py"], "env": []}])
e.updates = []
e.prompt(s, "Ask it")
print([u["status"] for u in e.of("tool_call_update") if "status" in u])
P
)" "['in_progress', 'completed']"

init='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}'
hamr-loop --acp >&- 2>"$T/err" <<<"$init"
is "a stdout that is closed is 71" "$? $(cat "$T/err")" \
    "71 hamr-loop: stdout: Bad file descriptor"
test ! -w /dev/full || {
	hamr-loop --acp >/dev/full 2>err <<<"$init"
	is "... and so is a full disk" "$? $(cat err)" \
	    "71 hamr-loop: stdout: No space left on device"
}
hamr-loop --acp 2>err <<<"$init" | true
is "an editor that went away is 0" "${PIPESTATUS[0]} $(cat err)" "0 "

# --- a link to a folder whose name is not UTF-8
fresh link
{ answer "The answer is 42, as it was."; } >script
mkdir $'odd\xff' && git init -q $'odd\xff' && ln -s $'odd\xff' odd
is "its sessions are loaded" "$(play <<'P'
e = new()
s = e.new(here + "/odd")
print(e.prompt(s, "What is it?")["stopReason"])
e.call("session/close", {"sessionId": s})
print("error" in e.load(s, here + "/odd"), e.end()[0])
P
)" "end_turn
False 0"
done_testing

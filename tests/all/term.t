#!/bin/bash
# Nothing that a model, a repository, a server or a session file says steers a
# terminal or hides on it, whatever program shows it (S17).
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/httpd/httpd.sh"
at_end() { httpd_stop; }
export TERM=xterm
# all that is forbidden, as JSON and as bytes
bad='\u001b]52;c;ZQ==\u0007\u001b[2J\u009b3J\u007f\u202e\u2066\u200f\u061c\u2028\u200b\ufeff\u00ad\ufff9\udb40\udc41'
raw=$(jq -rn "\"$bad\"")
cat >on_tty.py <<P
# on_tty.py COMMAND...: run it on a terminal, print what must not be there
import re, sys
sys.path.insert(0, "$TOP/tests")
from terminal import Terminal
t = Terminal(sys.argv[1:])
t.end()
u = t.all.decode("utf-8", "replace")
left = re.sub("\x1b\\\\[(?:[0-9;]*m|[0-9]*[ABCD]|[JK]|>?c|[?](?:(?:2004|7)[hl]|u|20[0-9]+[$]p))"
    "|\x1b]11;[?]\x1b\\\\\\\\|\r+\n|\r\x1b|[\n\t]", "", u)
left = left.replace("\r", "")
found = sorted(set(hex(ord(c)) for c in left if c < " " or
    "\x7f" <= c < "\xa0" or c in "\u202e\u2066\u200f\u061c\u2028\u200b\ufeff\xad\ufff9\U000e0041\ufffd"))
if found or "file" not in u and "--" not in " ".join(sys.argv):
    print(found, repr(u[-300:]))
P
calm() {	# name COMMAND...
	local name=$1
	shift
	is "$name" "$(python3 on_tty.py "$@")" ""
}

mkdir r && cd r && git init -q . && echo "file $raw" >evil
cp ../on_tty.py . && printf 'out\non_tty.py\n' >.git/info/exclude
jq -cn --arg b "$raw" '{role: "assistant", content: ("file " + $b),
    tool_calls: [{id: "c1", type: "function", function: {name: "read",
    arguments: ({path: "evil"} | tojson)}}, {id: "c2", type: "function",
    function: {name: "read", arguments: ({path: ("no" + $b)} | tojson)}},
    {id: "c3", type: "function", function: {name: ("x" + $b), arguments:
    "{}"}}, {id: "c4", type: "function", function: {name: "write",
    arguments: ({path: ("f\u202e\u200b"), content: $b} | tojson)}},
    {id: "c5", type: "function", function: {name: "bash", arguments:
    ({command: ("echo " + $b + "; false")} | tojson)}}],
    finish_reason: "tool_calls"}, {role: "assistant", content:
    ("The file says " + $b), finish_reason: "stop"}' >script
match "what steers is found" "$(python3 on_tty.py cat evil)" "*0x1b*0x202e*"
run="hamr-loop --no-config --yes --replay script"
calm "a run" $run "what file $raw is that"
S=$(ls .hamr/sessions/*.ndjson)
calm "a run with --json" $run --json "what file is that"
calm "the answer of a session that is over" $run --quiet --resume --json
cp "$S" ".hamr/sessions/x$(printf '\033]0;t\a\342\200\256').ndjson"
sed -i '/"type":"end"/s/"completed"/"a\\u001b]0;x\\u0007\\u202e"/' \
    ".hamr/sessions/x$(printf '\033]0;t\a\342\200\256').ndjson"
calm "--sessions" hamr-loop --sessions
calm "--sessions --json" hamr-loop --sessions --json
id=$(basename "$S" .ndjson)
for what in budget ledger context; do
	calm "--inspect $what" hamr-loop --no-config --inspect $what "$id"
done
for form in openai atif html; do
	calm "--export $form" hamr-loop --export $form "$id"
done
calm "--print-config" hamr-loop --print-config -o "verification.defaultCommand=$raw"
calm "an error" hamr-loop --resume="file$raw"

calm "hamr-guard" hamr-guard --no-config "$S"
calm "hamr-guard --report" hamr-guard --no-config --report "$S"
calm "hamr-guard --explain" hamr-guard --no-config --explain c2 "$S"
calm "hamr-guard --compare" hamr-guard --no-config --compare "$S"
calm "hamr-guard --calibrate" hamr-guard --no-config --calibrate "$S"
calm "hamr-compact" hamr-compact --no-config "$S"
calm "hamr-compact --report" hamr-compact --no-config --report "$S"
calm "hamr-compact --ledger" hamr-compact --no-config --ledger "$S"
calm "hamr-compact --view" hamr-compact --no-config --view "$S"
calm "hamr-tool" hamr-tool --no-config --root . read '{"path":"evil"}'
calm "hamr-tool --json" hamr-tool --no-config --root . read \
    '{"path":"evil"}' --json
calm "hamr-tool, a search" hamr-tool --no-config --root . read \
    '{"query":"file"}'
calm "hamr-tool, a preview" hamr-tool --no-config --root . edit \
    '{"path":"evil","old":"file","new":"file\u202e\u001b]0;x\u0007"}'
calm "hamr-tool bash" hamr-tool --no-config --root . --yes bash \
    '{"command":"cat evil"}'
calm "hamr-tool undo --list" hamr-tool undo --list --root .
calm "hamr-provider --replay" bash -c 'echo "{\"role\":\"user\",\"content\":\"file\"}" |
    hamr-compact --no-config | hamr-provider --no-config --stream --replay script #--'

hamr-mem save --no-config --key "k$raw" "a file $raw" >/dev/null 2>&1
m=$(hamr-mem list --no-config | jq -r .id | head -n 1)
calm "hamr-mem search" hamr-mem search --no-config file
calm "hamr-mem list" hamr-mem list --no-config
calm "hamr-mem show" hamr-mem show --no-config "$m"
calm "hamr-mem brief" hamr-mem brief --no-config file
calm "hamr-mem export" hamr-mem export --no-config

printf 'path /v1/models\nbody {"object":"list","data":[{"id":"file %s","max_model_len":4096}]}\n' \
    "$bad" >models
if httpd_start log models models models models; then
	U=http://127.0.0.1:$HTTPD_PORT/v1
	calm "--models" hamr-provider --models --no-config --base-url "$U"
	calm "--doctor" hamr-loop --no-config --doctor --base-url "$U"
	calm "--probe" hamr-provider --probe --no-config --base-url "$U"
	httpd_stop
else
	result 1 "the server starts"
fi
done_testing

#!/bin/bash
# check.t - a real llama-server (LLAMA_SERVER) with a model of ours (model.py)
# against hamr.  Run by make server-check, which has built it; never part of
# make check.  Ends with its row of the table in hamr-provider(1).
. "$(dirname "$0")/../lib.sh"

python3 "$TOP/tests/server/model.py" "$T/model.gguf" 32768 \
    "$TOP/tests/server/tools.jinja"
server=
stop() { [ -z "$server" ] || { kill "$server"; wait "$server"; } 2>>err
	server=; }
at_end() { stop; }
serve() {	# OPTIONS: a server with them; $url
	stop
	port=$(python3 -c 'import socket; s = socket.socket()
s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	url=http://127.0.0.1:$port
	"$LLAMA_SERVER" -m "$T/model.gguf" --port "$port" "$@" >"$T/log" 2>&1 &
	server=$!
	for _ in $(seq 300); do
		curl -sf "$url/health" >health && return
		sleep .2
	done
}
provider() { hamr-provider --no-config -q --base-url "$url/v1" --model m "$@"; }
tools='{"type":"tools","tools":[{"type":"function","function":{"name":"read",
"description":"Read a file.","parameters":{"type":"object","properties":{
"path":{"type":"string"}},"required":["path"]}}}]}'
tools=$(jq -c . <<<"$tools")
user() { jq -cn --arg t "$1" '{role: "user", content: $t}'; }
mkfifo in
message() {	# TEXT OPTIONS: of a resident one, which knows the server then
	provider -r "${@:2}" <in >out 2>>err &
	exec 7>in
	echo '{"type":"sync","n":1}' >&7
	[ -z "$with" ] || echo "$with" >&7
	user "$1" >&7
	echo '{"type":"go","n":2}' >&7
	for _ in $(seq 1200); do
		! grep -q '"n":2\b' out || break
		sleep .1
	done
	exec 7>&-
	wait $!
	jq -c 'select(.role)' out
}
with=
row=$("$LLAMA_SERVER" --version 2>&1 | sed -n 's/^version: //p')
say() { row="$row, $1 $2"; }	# COLUMN VALUE

# --- what it is
serve --jinja -c 8192 -np 2
is "the models" "$(hamr-provider --no-config -q --base-url "$url/v1" --models |
	wc -l)" 1
probe=$(provider --probe)
is "the probe: a slot's window, tools" "$(jq -c '[.context_tokens, .source,
	.tools]' <<<"$probe")" '[4096,"/props",true]'

# --- answers
serve --jinja -c 32768	# a token is a byte mostly
is "text" "$(message "SAY text" | jq -r .content)" "Grüße, 世界 🎉!"
ok "in a stream" jq -es 'map(select(.type == "delta")) | length > 1' out
ok "with usage" jq -es 'any(.type == "usage" and .completion_tokens > 0)' out
is "thoughts" "$(message "SAY think" | jq -c '[.reasoning, .content]')" \
	'["two and two","four"]'
with=$tools
is "calls, several" "$(message "Fix it" --record tape | jq -c \
	'[.tool_calls[].function | [.name, (.arguments | fromjson)]]')" \
	'[["read",{"path":"a.txt"}],["read",{"path":"b.txt"}]]'
say calls "$(jq -r 'if .request.stream then "yes" else "whole" end' tape |
	tail -n 1)"
message "Fix it" >none
say cached "$(jq -rs 'if any(.[]; .cached_tokens > 0) then "yes" else "-" end' \
	out)"
with=
is "a grammar of the request's own" "$(message "SAY text" -o \
	'provider.params={"grammar":"root ::= \"yes\""}' | jq -r .content)" yes
is "an answer cut by length" "$(message "SAY loop" -o provider.max_tokens=20 |
	jq -r .finish_reason)" length

# --- a task
mkdir "$T/repo" && cd "$T/repo" && git init -q . || exit 1
echo helo >a.txt
echo other >b.txt
timeout 600 hamr-loop --no-config --yes -o "provider.base_url=$url/v1" \
	-o provider.model=m "Fix the typo in a.txt" >../said 2>../err
is "a task of three steps" "$? $(cat a.txt)" "0 hello"
cd "$T" || exit 1

# --- it is killed
: >out
{ until grep -q '"delta"' out; do sleep .1; done; kill -9 "$server"; } 2>>err &
message "SAY loop" -o provider.max_retries=0 >none
is "killed in mid-answer" "$(jq -r 'select(.type == "error") | [.code,
	(.partial != null)] | join(" ")' out)" "network true"
server=

# --- too long: refused, or (before 2025-07) cut by the server, which is said
serve --jinja -c 1024
long=$(printf 'word %.0s' {1..3000})
for stream in true false; do
	message "$long" -o "provider.stream=$stream" >none
	ok "an overflow, stream $stream" grep -qE \
		'"context_overflow"|cut long requests silently' out err
done

# --- without --jinja, which later ones have by themselves: no tools
if "$LLAMA_SERVER" --help 2>&1 | grep -q -e --no-jinja; then
	serve -c 4096 --no-jinja
else
	serve -c 4096
fi
with=$tools
message "Fix it" >none
match "without --jinja tools are described as text, which is said" \
	"$(cat out err)" "*does not support tool calls*hermes*"

# --- chat templates of other models: each takes every order of messages
jq -sc --argjson tools "$tools" '{type: "request", messages: .,
	tools: $tools.tools}' >in.json <<'X'
{"role":"system","content":"s"}
{"role":"assistant","content":"hello"}
{"role":"user","content":"a"}
{"role":"assistant","content":null,"tool_calls":[{"id":"functions.read:0","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}},{"id":"x","type":"function","function":{"name":"read","arguments":"{\"path\":"}}]}
{"role":"tool","tool_call_id":"functions.read:0","name":"read","content":"x"}
{"role":"tool","tool_call_id":"x","name":"read","content":"y","is_error":true}
{"role":"user","content":"b"}
{"role":"system","content":"c"}
{"role":"user","content":"d"}
X
for template in "${LLAMA_TEMPLATES:-none}"/*.jinja; do
	[ -e "$template" ] || continue
	serve --jinja -c 16384 --chat-template-file "$template"
	# a few tokens may be no answer in the template's form
	is "${template##*/}" "$(provider -o provider.max_tokens=4 \
		-o provider.max_retries=0 -n <in.json 2>>err |
		jq -r 'select(.role or .code) | if .code ==
		"malformed_tool_call" then "assistant" else .role // .message
		end')" assistant
done
echo "# $row"
done_testing

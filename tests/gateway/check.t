#!/bin/bash
# check.t - aimock, which plays the servers of several APIs, and Portkey's
# gateway before it.  Run by make gateway-check, which has fetched them into
# $GATEWAYS; never part of make check.
. "$(dirname "$0")/../lib.sh"

cat >fixtures.json <<'X'
{"fixtures":[
{"match":{"userMessage":"say hello"},"response":{"content":"Grüße, 世界 🎉!"}},
{"match":{"userMessage":"think"},"response":{"content":"four","reasoning":"two and two"}},
{"match":{"userMessage":"two files"},"response":{"toolCalls":[{"name":"read","arguments":"{\"path\":\"a\"}"},{"name":"read","arguments":"{\"path\":\"b\"}"}]}},
{"match":{"userMessage":"tool ping"},"response":{"toolCalls":[{"name":"ping","arguments":"{}"}]}},
{"match":{"userMessage":"too fast"},"response":{"error":{"message":"slow down","type":"rate_limit_error"},"status":429}},
{"match":{"userMessage":"too long"},"response":{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"},"status":400}}
]}
X
port() { python3 -c 'import socket; s = socket.socket()
s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
servers=
at_end() { for s in $servers; do kill "$s"; done 2>>none; }
start() {	# PORT COMMAND...
	"${@:2}" >>"$T/log" 2>&1 </dev/null &
	servers="$servers $!"
	for _ in $(seq 200); do
		curl -s "http://127.0.0.1:$1/" >none && return
		sleep .1
	done
}
mock=$(port)
start "$mock" node "$GATEWAYS/node_modules/@copilotkit/aimock/dist/cli.js" \
	-p "$mock" -f "$T/fixtures.json"
gate=$(port)
start "$gate" node \
	"$GATEWAYS/node_modules/@portkey-ai/gateway/build/start-server.js" \
	"--port=$gate" --headless

tools='{"type":"tools","tools":[{"type":"function","function":{"name":"read","description":"Read a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}}]}'
ask() {	# TEXT OPTION...
	printf '%s\n{"role":"user","content":"%s"}\n' "$tools" "$1" |
		timeout 60 hamr-provider -n -q --no-config \
		-o provider.max_retries=0 "${@:2}" 2>>err | jq -c 'if .role then
		[.content, .reasoning, [.tool_calls[]?.function.arguments],
		.finish_reason] elif .type == "error" then .code elif
		.type == "limit" then .context_tokens else empty end'
}
try() {	# NAME REASONING OPTION...
	is "$1: text" "$(ask "say hello" "${@:3}")" \
		'["Grüße, 世界 🎉!",null,[],"stop"]'
	[ -z "$2" ] || is "$1: thoughts" "$(ask think "${@:3}")" \
		'["four","two and two",[],"stop"]'
	is "$1: calls" "$(ask "two files" "${@:3}" | jq -c '.[2:]')" \
		'[["{\"path\":\"a\"}","{\"path\":\"b\"}"],"tool_calls"]'
	is "$1: too fast" "$(ask "too fast" "${@:3}")" '"rate_limited"'
	is "$1: too long" "$(ask "too long" "${@:3}" | xargs)" \
		"200000 context_overflow"
}
while read -r name api path model thoughts; do
	for stream in true false; do
		try "$name, stream $stream" "${thoughts#-}" --api "$api" \
			--base-url "http://127.0.0.1:$mock${path#-}" \
			--model "$model" -o "provider.stream=$stream"
	done
	is "$name: the probe" "$(hamr-provider --probe --no-config -q \
		--api "$api" --base-url "http://127.0.0.1:$mock${path#-}" \
		--model "$model" 2>>err | jq .tools)" true
done <<'X'
OpenAI openai /v1 gpt-5 yes
Responses responses /v1 gpt-5 yes
Anthropic anthropic - claude-sonnet-4-5 yes
Gemini gemini - gemini-2.5-pro yes
Ollama ollama - llama3 yes
Cohere cohere - command-r -
OpenRouter openai /api/v1 openai/gpt-5 yes
X

# Portkey's: whole answers only; asked for a stream its 1.15.2 fails by itself
for to in openai anthropic; do
	try "Portkey, $to" "" --base-url "http://127.0.0.1:$gate/v1" \
		--model claude-sonnet-4-5 -o provider.stream=false \
		-o "provider.headers=[\"x-portkey-provider: $to\",
\"x-portkey-custom-host: http://127.0.0.1:$mock/v1\",\"Authorization: Bearer x\"]"
done
done_testing

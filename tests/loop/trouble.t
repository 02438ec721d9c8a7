#!/bin/bash
# a model server that does not answer, as a person sees it (chapter 4.4, 7.3)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
fresh trouble
at() {	# URL ARG...
	timeout 60 hamr-loop --no-config --base-url "$1" --model m \
		-o agent.provider_wait=1 hi "${@:2}" </dev/null >out 2>err
}
port() { printf 'http://127.0.0.1:%s/v1' "$HTTPD_PORT"; }

# told once, with the remedy, before it is tried again
at http://127.0.0.1:9/v1 -o provider.max_retries=1
is "refused: status" "$?" 6
match "the first line tells it, and what to do" "$(head -n 1 err)" \
	"*http://127.0.0.1:9: connection refused*start the server, or name another*"
is "then the waits, the sum and the last word" "$(sed 's/^ *//' err |
	cut -d' ' -f 1-2 | paste -sd,)" \
	"http://127.0.0.1:9: connection,no answer,no answer,no answer,model_error, network:,hamr-loop: http://127.0.0.1:9:"
timeout 10 hamr-loop --no-config --base-url http://127.0.0.1:9/v1 --model m hi \
	</dev/null >out 2>err
match "it is told at once" "$(head -n 1 err)" "*connection refused*"

# on a terminal the waits are in the rows at the bottom
if command -v script >/dev/null; then
	TERM=xterm NO_COLOR=1 timeout 60 script -qc "hamr-loop --no-config --model m \
	    --base-url http://127.0.0.1:9/v1 -o agent.provider_wait=1 \
	    -o provider.max_retries=1 hi" /dev/null </dev/null >screen
	is "told first and last on a terminal" "$(tr -s '\r\n ' ' ' <screen |
	    grep -o 'nothing is listening there' | wc -l)" 2
	ok "in few lines" test "$(grep -c . screen)" -lt 12
	match "and in the row of what goes on" "$(cat screen)" \
		"*waiting to ask the model server again (1*"
else
	skip "a terminal" "no script(1)"
fi

# one that breaks off in its answer is running, and the URL is right
printf 'method POST\nchunked\nevent %s\nreset\n' \
    '{"choices":[{"delta":{"content":"Let me "}}]}' >s
httpd_start log s || exit 1
at "$(port)"
is "broken off: status" "$?" 6
match "it is told so" "$(head -n 1 err)" "*; the answer broke off"
match "first and last" "$(tail -n 1 err)" \
    "hamr-loop: *; the answer broke off; continue later with --resume"
is "and each time" "$(grep -c 'broke off again' err)" 3

# what can never work ends at once, in one line beside the sum
while IFS='|' read -r name http body want; do
	printf 'status %s\nbody %s\n' "$http" "$body" >s
	httpd_stop
	httpd_start log s || exit 1
	at "$(port)" -o provider.tool_dialect=none
	is "$name: status, lines, answers" "$? $(wc -l <err) $(grep -c POST log)" \
		"6 2 1"
	match "$name: the remedy" "$(tail -n 1 err)" "hamr-loop: HTTP $http*$want*"
done <<'X'
a wrong key|401|{"error":{"message":"Incorrect API key provided"}}|api_key_env
no such model|404|{"error":{"message":"model \"m\" not found"}}|--models
no such page|404|<html>no</html>|often ends in /v1
llama-server without tools|500|{"error":{"code":500,"message":"tools param requires --jinja flag"}}|start llama-server with --jinja
Ollama's model without tools|400|{"error":{"message":"gemma3 does not support tools"}}|tool_dialect=hermes
vLLM without tools|400|{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice"}|tool_dialect=hermes
X

# tools are told as text to a model that has none, and the person is told
printf 'method POST\nstatus 400\nbody {"error":{"message":"gemma3 does not support tools"}}\n' >s
printf 'method POST\nbody {"choices":[{"message":{"content":"<tool_call>{\\"name\\":\\"read\\",\\"arguments\\":{\\"path\\":\\"f\\"}}</tool_call>"},"finish_reason":"stop"}]}\n' >s2
printf 'method POST\nbody {"choices":[{"message":{"content":"Hello it is."},"finish_reason":"stop"}]}\n' >s3
httpd_stop
httpd_start log s s2 s3 || exit 1
at "$(port)" -o agent.mode=read-only
is "a model without tools: it works" "$? $(cat out)" "0 Hello it is."
is "... and it is told, once" "$(grep -c "m does not support tool calls" err)" 1

# what is not to be waited for
unwaited() {
	at "$(port)" -o agent.provider_wait=600 -o agent.mode=read-only --json
	echo "$? $(grep -c wait_ms out)"
}
event() { printf 'event {"choices":[{"delta":%s}]}\n' "$1"; }
yes 'int f(int);' | head -n 20000 >large.c
httpd_stop
{ printf 'method POST\nchunked\n'
event '{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":\"large.c\"}"}}]}'
printf 'event {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n'; } >s
{ printf 'method POST\nchunked\n'; event '{"content":"It holds"}'
printf 'line error: {"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}\nline\n'
echo hang; } >s2
{ printf 'method POST\nchunked\n'; event '{"content":"It holds declarations."}'
printf 'event {"choices":[{"delta":{},"finish_reason":"stop"}]}\n'; } >s3
httpd_start log s s2 s3 || exit 1
is "llama.cpp's window is full in mid-stream: no wait" "$(unwaited)" "0 0"
is "the window is learned, the request is smaller, partial is kept" \
	"$(jq -r 'select(.type == "limit" or .type == "compaction" or .type ==
	"error" or .type == "recovery") | .context_tokens // .partial.content
	// .scenario // .type' out | uniq | paste -sd,) $(jq -s 'map(select(
	.method == "POST").body | length) | .[2] < .[1] / 2' log)" \
	"8192,It holds,context_exhaustion,compaction true"
httpd_stop

# the server's window is asked for behind a first request that fits any
echo hello >f
printf 'method POST\nbody {"choices":[{"message":{"content":"","tool_calls":[{"id":"a","function":{"name":"read","arguments":"{\\"path\\":\\"f\\"}"}}]},"finish_reason":"tool_calls"}]}\n' >s
printf 'method POST\nbody {"choices":[{"message":{"content":"It says hello."},"finish_reason":"stop"}]}\n' >s3
printf 'path /props\nbody {"n_ctx":8192}\n' >props
asked() {	# what is asked in which order; the session, by types
	at "$(port)" -o agent.mode=read-only --json "$@"
	jq -r '.method' log | paste -sd' '
	jq -r '.context_tokens // .role // empty' out | paste -sd' '
}
httpd_start log s props s3 || exit 1
is "the window is asked for behind a short first request" "$(asked)" \
	"POST GET POST
system user assistant tool 8192 assistant"
httpd_stop
httpd_start log props s s3 || exit 1
head -c 9000 /dev/zero | tr '\0' x >AGENTS.md
is "... and before a long one" "$(asked)" "GET POST POST
system user user 8192 assistant tool assistant"
rm AGENTS.md
printf 'path /props\nbody {"n_ctx":16384}\n' >props
for wanted in "16384 user assistant" "user assistant"; do
	httpd_stop
	httpd_start log props s3 || exit 1
	is "... and when a session is resumed: a new one is noted once" \
	    "$(asked --resume)" "GET POST
$wanted"
done
httpd_stop
printf 'method POST\nstatus 500\nbody {"error":{"code":500,"message":"Cannot use tools with stream"}}\n' >s
printf 'method POST\nbody {"choices":[{"message":{"content":"Here I am."},"finish_reason":"stop"}]}\n' >s2
httpd_start log s s2 || exit 1
is "no stream with tools: no wait" "$(unwaited) $(tail -n 1 out |
	jq -r .answer)" "0 0 Here I am."

# nor is a server asked sooner than it wants
later() {
	printf 'method POST\nstatus 429\nheader Retry-After: %s\nbody {"error":{"message":"slow down"}}\n' \
	    "$1" >s
	httpd_stop
	httpd_start log s "${3:-s2}" || exit 1
	at "$(port)" -o agent.mode=read-only --json \
	    -o provider.max_retry_after=1 -o agent.provider_wait="$2"
	printf '%s ' $? "$(jq -r '.retry_after // .wait_ms // empty' out |
	    paste -sd' ')" "$(grep -c POST log)"
}
is "a wait that is longer than ours ends the turn" "$(later 300 200)" "6 300 1 "
match "... and is told" "$(tail -n 1 err)" \
    "hamr-loop: HTTP 429: slow down; the server asks for a wait of 300 s*"
is "else it is waited for as long as the server asks" "$(later 3 200)" \
    "0 3 3000 2 "
is "nor is it asked sooner with what is left of our wait" "$(later 2 3 s)" \
    "6 2 2000 2 2 "

# a server that is loading is waited for
printf 'method POST\nstatus 503\nbody {"error":{"code":503,"message":"Loading model"}}\n' >s
printf 'method POST\nbody {"choices":[{"message":{"content":"Here I am."},"finish_reason":"stop"}]}\n' >s2
httpd_stop
httpd_start log s s2 || exit 1
at "$(port)" -o agent.mode=read-only
is "loading: it answers" "$(cat out)" "Here I am."
match "and was told in one line" "$(head -n 1 err)" "*Loading model; waiting to ask again"
done_testing

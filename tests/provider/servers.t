#!/bin/bash
# servers.t - what each server that was recorded does, and that the
# table of hamr-provider(1) says so.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"
tools='{"type":"tools","tools":[{"type":"function","function":{"name":"read","description":"r","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}]}'
printf '%s\n' "$tools" "$user" >in

# --- llama.cpp of 2025-02-21 and our model (tests/server)
D=$TOP/tests/data/llama
of() { hamr-provider -n -q --no-config --model m --replay "$D/$1.ndjson" <in; }
is "text in a stream" "$(of text | jq -r 'select(.type == "delta") | .text' |
	paste -sd'|')" "Grüße,| 世界| 🎉|!"
is "usage" "$(of text | jq -c 'select(.type == "usage") |
	[.prompt_tokens > 0, .completion_tokens]')" "[true,5]"
is "thoughts in the content" "$(of think | jq -c 'select(.role) |
	[.reasoning, .content]')" '["two and two","four"]'
is "a stream refused for tools, and asked again without" "$(of calls | jq -c \
	'select(.role) | [.tool_calls[].function.arguments | fromjson | .path]')" \
	'["a.txt","b.txt"]'
of_calls() { jq -r "select(.status == $1) | .request | [.stream,
	.parallel_tool_calls] | map(tostring) | join(\" \")" "$D/calls.ndjson"; }
is "as recorded" "$(of_calls 500), $(of_calls 200)" "true true, false true"

# --- llama.cpp of 2026-06-26, which streams calls and refuses what is too long
is "calls in a stream" "$(of calls-2026 | jq -s -c '
	[map(select(.kind == "tool_call") | .text) | add, length],
	(.[-1] | [.content, .finish_reason,
	    (.tool_calls[].function.arguments | fromjson | .path)])')" \
	'["read{\"path\": \"a.txt\"}read{\"path\": \"b.txt\"}",6]
["I look at both files.","tool_calls","a.txt","b.txt"]'
is "an overflow, with the window" "$(of overflow-2026 | jq -c \
	'[.type, .context_tokens, .code]')" '["limit",1024,null]
["error",null,"context_overflow"]'

# --- the table: NAME, and what its recordings show
R=$TOP/tests/httpd/rec
row() {	# API FILES...
	local api=$1
	shift
	for rec; do
		serve "$rec"
		hamr-provider -n -q --no-config --api "$api" --base-url \
			"http://127.0.0.1:$HTTPD_PORT" --model m <in
		httpd_stop
	done | jq -rs '
		def yes: if . then "yes" else "-" end;
		[(any(.[]; .type == "delta" and .kind == "tool_call") and
		    any(.[]; .tool_calls) | yes),
		(any(.[]; .reasoning != null and .reasoning != "") | yes),
		(any(.[]; .type == "usage" and .prompt_tokens > 0) | yes)] |
		join(" ")'
	grep -qE 'cached_tokens|cache_read_input|cachedContent' "$@" &&
		echo yes || echo -
}
# shellcheck disable=SC2046  # words are meant
table() {
	for rec in "$R"/*.00; do
		name=$(basename "$rec" .00)
		echo "$name" $(row openai "$R/$name".0?)
	done
	for api in anthropic gemini responses; do
		echo "$api" $(row $api "$R/api/$api".0?)
	done
}
table | sort >got
sed -n '/^\.Ss Servers/,/^\.Sh/{s/^\.It \([a-z][a-z-]*\) Ta /\1 /p;}' \
	"$TOP/man/hamr-provider.1" | grep -v '^llama-server' |
	sed 's/Ta //g; s/[\\]-/-/g' | sort >page
same "the table of hamr-provider(1) is what the recordings show" got page
done_testing

# provider.sh - what the tests of hamr-provider share; source it after lib.sh.
#
#	serve SCRIPT...		start the scripted server on these files; its log
#				is ./log
#	script FILE		standard input becomes a script that answers
#				POST requests, with what follows in it
#	ask ARG...		hamr-provider -n against it, ./in as input; what
#				it says without deltas and without times
#	asked ARG...		the same, all that it says

. "$TOP/tests/httpd/httpd.sh"
at_end() { httpd_stop; }

user='{"role":"user","content":"hi"}'
printf '%s\n' "$user" >in

serve() {
	httpd_stop
	httpd_start log "$@" || exit 1
	URL=http://127.0.0.1:$HTTPD_PORT/v1
}

script() {
	cat >"$1"
}

# one SSE answer of these events, and [DONE]
events() {
	printf 'chunked\n'
	for e in "$@"; do
		printf 'event %s\n' "$e"
	done
	printf 'event [DONE]\n'
}

no_times() {
	sed -E 's/"ms":[0-9]+,?//; s/"ttft_ms":[0-9]+,?//; s/,\}/}/g'
}

asked() {
	hamr-provider -n -q --no-config --base-url "$URL" --model m "$@" <in
}

ask() {
	asked "$@" | sed -E '/^\{"type":"delta"/d
		s/"ms":[0-9]+,?//; s/"ttft_ms":[0-9]+,?//; s/,\}/}/g'
}

# the events given make this message (content, reasoning, calls, finish)
says() {	# name wanted event...
	says_name=$1 says_want=$2
	shift 2
	events "$@" >s
	serve s
	is "$says_name" "$(asked | jq -c 'select(.role) |
		[.content, .reasoning, [.tool_calls[]? | [.id, .function.name,
		.function.arguments]], .finish_reason]')" "$says_want"
}

# a chunk with this delta
d() {
	printf '{"choices":[{"index":0,"delta":%s}]}' "$1"
}

# the last chunk
fin() {
	printf '{"choices":[{"index":0,"delta":{},"finish_reason":"%s"}]}' "$1"
}

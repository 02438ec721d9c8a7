#!/bin/sh
# loop.sh - start to first request, our own time per step (median of the 21
# before the step named: from the last byte of an answer to the last byte of
# the next request), and the memory of all processes, beside a bare C client
# that makes the same exchanges.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
unset HAMR_BIN
PATH=$bin:$PATH
t=$(mktemp -d)
trap 'kill $server 2>/dev/null || :; rm -rf "$t"' EXIT
cc -O2 -w -o "$t/bare" "$top/bench/bare.c"
cc -O2 -w -D_GNU_SOURCE -o "$t/steps" "$top/bench/steps.c"
cc -O2 -w -D_GNU_SOURCE -o "$t/httpd" "$top"/tests/httpd/*.c
server=

serve() {
	rm -f "$t/log" "$t/port"
	mkfifo "$t/port"
	"$t/httpd" "$@" -l "$t/log" "$t/script" >"$t/port" &
	server=$!
	read -r port <"$t/port"
}

# Every answer asks for one read; the limit of steps ends the run.
cat >"$t/answer" <<'X'
data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"read","arguments":"{\"path\":\"f\"}"}}]},"finish_reason":null}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}

data: [DONE]

X
mkdir "$t/w" && cd "$t/w" && git init -q . && echo x >f

steps() {
	rm -f "$t/port"
	mkfifo "$t/port"
	"$t/steps" "$1" "$t/answer" >"$t/port" &
	server=$!
	exec 3<"$t/port"
	read -r port <&3
}

# the guard would end a run that repeats itself: not what is measured
run() {
	hamr-loop --no-config --yes --quiet --base-url \
	    "http://127.0.0.1:$port/v1" --model m -o agent.max_model_steps="$1" \
	    -o agent.max_tool_calls=0 -o loop_guard.enabled=false x \
	    >/dev/null 2>"$t/err" || :
	rm -rf .hamr
}

for n in 20 100 400; do
	steps "$n"
	run "$n"
	read -r ours bytes <&3
	steps "$n"
	"$t/bare" "$port" "$n" $((bytes / n)) >/dev/null
	read -r bare bytes <&3
	awk -v n="$n" -v ours="$ours" -v bare="$bare" -v bytes="$bytes" \
	    'BEGIN { printf "step %d (%.0f kB): %.2f ms from answer to " \
	    "request, bare client %.2f\n", n, bytes / 1e3, ours, bare }'
done

# looked at in a run of its own: looking takes time
steps 400
run 400 &
loop=$!
peak=0
while kill -0 $loop 2>/dev/null; do
	now=$(ps -A -o rss=,comm= | awk '/ hamr-/ {n += $1} END {print n + 0}')
	[ "$now" -gt "$peak" ] && peak=$now
	sleep 0.05
done
awk -v kib="$peak" 'BEGIN { printf "all processes, 400 steps: %.1f MiB at " \
    "most\n", kib / 1024 }'

cat >"$t/script" <<'X'
event {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"stop"}]}
event [DONE]
X

# start to first request
serve -t
for _ in 1 2 3 4 5; do
	start=$(date +%s%N)
	hamr-loop --no-config --quiet --base-url "http://127.0.0.1:$port/v1" \
	    --model m -o agent.max_model_steps=1 x >/dev/null 2>&1 &
	loop=$!
	until grep -q chat/completions "$t/log" 2>/dev/null; do :; done
	echo "$(($(date +%s%N) - start))"
	wait $loop || :
	: >"$t/log"
done | sort -n | awk '{v[NR]=$1} END {printf "start to first request: %.1f " \
    "ms (median of 5, grep included)\n", v[3] / 1e6}'

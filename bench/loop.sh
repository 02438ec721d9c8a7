#!/bin/sh
# loop.sh - start to first request, our own time per step, and the memory of
# all processes, beside a bare C client that makes the same exchanges.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
unset HAMR_BIN
PATH=$bin:$PATH
t=$(mktemp -d)
trap 'kill $server 2>/dev/null || :; rm -rf "$t"' EXIT
cc -O2 -w -o "$t/bare" "$top/bench/bare.c"
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
cat >"$t/script" <<'X'
chunked
event {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"read","arguments":"{\"path\":\"f\"}"}}]},"finish_reason":null}]}
event {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}
event [DONE]
X
mkdir "$t/w" && cd "$t/w" && git init -q . && echo x >f
for n in 20 100 400; do
	serve
	start=$(date +%s%N)
	# the guard would end a run that repeats itself: not what is measured
	hamr-loop --no-config --yes --quiet --base-url \
	    "http://127.0.0.1:$port/v1" --model m -o agent.max_model_steps=$n \
	    -o agent.max_tool_calls=0 -o loop_guard.enabled=false x \
	    >/dev/null 2>"$t/err" &
	loop=$!
	peak=0
	while kill -0 $loop 2>/dev/null; do
		now=0
		for p in $loop $(pgrep -P $loop); do
			r=$(awk '/^VmRSS/ {print $2}' "/proc/$p/status" \
			    2>/dev/null) || r=0
			now=$((now + ${r:-0}))
		done
		[ $now -gt $peak ] && peak=$now
		sleep 0.1
	done
	wait $loop || :
	end=$(date +%s%N)
	bytes=$(tail -n 1 "$t/log" | wc -c)
	kill $server
	serve
	bare=$("$t/bare" "$port" "$n" $((bytes / n)))
	kill $server
	awk -v n="$n" -v ns=$((end - start)) -v bare="$bare" -v kib=$peak \
	    'BEGIN { per = ns / 1e6 / n; printf "%d steps: %.2f ms a step, " \
	    "bare client %.2f, ours %.2f; all processes %.1f MiB\n", n, per, \
	    bare, per - bare, kib / 1024 }'
	rm -rf .hamr
done

# start to first request
serve -t
for i in 1 2 3 4 5; do
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

#!/bin/sh
# step.sh - what a step of hamr-loop costs beside its floor, a C program with
# one keep-alive socket (and, for bash, the same shell forked): from an answer's
# last byte to the next request's, the median of the last 21 steps; memory of
# all processes at the last step; the start to the first request.
#
#	step.sh [STEPS ...]	20 100 400
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
unset HAMR_BIN
PATH=$bin:$PATH
HAMR_SHARE=${HAMR_SHARE:-$top/share/hamr}
export HAMR_SHARE
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
cc -O2 -w -D_GNU_SOURCE -o "$t/step" "$top/bench/step.c"

answer() {	# NAME ARGUMENTS [DELTAS]: a file with one call
	n=${3:-0}
	while [ "$n" -gt 0 ]; do
		echo 'data: {"choices":[{"index":0,"delta":{"content":"word'$n' "},"finish_reason":null}]}'
		echo
		n=$((n - 1))
	done
	jq -cn --arg name "$1" --arg args "$2" '"data: " + ({choices:
	    [{index: 0, delta: {role: "assistant", tool_calls: [{index: 0,
	    id: "c%d", type: "function", function: {name: $name,
	    arguments: $args}}]}, finish_reason: null}]} | tojson)' -r
	printf '\ndata: %s\n\ndata: [DONE]\n\n' '{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":10,"completion_tokens":5}}'
}
answer read '{"path":"f%d"}' >"$t/read"
answer bash '{"command":"cat f%d"}' >"$t/same"
answer bash '{"command":"echo %d >>f7"}' >"$t/change"
answer read '{"path":"f%d"}' 1000 >"$t/deltas"

mkdir "$t/w" && cd "$t/w" && git init -q .
i=0
while [ $i -lt 1000 ]; do
	i=$((i + 1))
	echo $i >f$i
done
git add -A
git -c user.name=x -c user.email=x@example.org commit -q -m files

# the guard would end a run that repeats itself: not what is measured
ours() {	# RUNS STEPS ANSWER OPTION...
	runs=$1 steps=$2 body=$3
	shift 3
	rm -rf .hamr
	"$t/step" -r "$runs" "$steps" "$body" hamr-loop --no-config --yes \
	    --quiet --base-url http://127.0.0.1:PORT/v1 --model m \
	    -o agent.max_tool_calls=0 -o loop_guard.enabled=false \
	    -o agent.max_model_steps=100000 "$@" x 2>"$t/err"
}

printf '%-22s %5s %9s %9s %9s %7s %9s %9s\n' step steps "p50 ms" "p90 ms" \
    "floor ms" over "RSS MiB" "PSS MiB"
row() {	# NAME ANSWER SHELL OPTION...
	name=$1 body=$2 shell=$3
	shift 3
	for n in ${STEPS:-20 100 400}; do
		we=$(ours 1 "$n" "$body" "$@")
		bytes=$(echo "$we" | awk -v n="$n" '{ print int($6 / n) }')
		if [ -n "$shell" ]; then
			floor=$(STEP_SHELL=$shell STEP_BYTES=$bytes \
			    "$t/step" "$n" "$body" 2>/dev/null)
		else
			floor=$(STEP_BYTES=$bytes "$t/step" "$n" "$body")
		fi
		echo "$we $floor" | awk -v name="$name" -v n="$n" '{
		    printf "%-22s %5d %9.2f %9.2f %9.2f %7.2f %9.1f %9.1f\n",
		    name, n, $2, $3, $8, $2 - $8, $4 / 1024, $5 / 1024 }'
	done
}
STEPS=$*
row read "$t/read" ''
row "read, 1,000 deltas" "$t/deltas" ''
row "bash, no change" "$t/same" 'cat f1'
row "bash, one file changed" "$t/change" 'echo 1 >>f7'
row "bash, no sandbox" "$t/same" 'cat f1' -o sandbox.mode=off

start() {	# NAME OPTION...
	name=$1
	shift
	we=$(ours 21 1 "$t/read" "$@")
	floor=$("$t/step" -r 21 1 "$t/read")
	echo "$we $floor" | awk -v name="$name" '{ printf "start to first " \
	    "request, %s: %.1f ms, floor %.1f\n", name, $1, $7 }'
}
start "the model given"
echo "Run make check before you commit." >AGENTS.md
start "with AGENTS.md"

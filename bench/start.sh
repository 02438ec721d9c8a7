#!/bin/sh
# start.sh - from the start of hamr-loop to its first request, the median of 21
# runs, beside the floor: a C program that connects and sends one.
# shellcheck source=bench/lib disable=SC2154
. "$(dirname "$0")/lib"
workspace "$t/w"

row() {	# NAME OPTION...
	name=$1
	shift
	we=$(ours 21 1 "$t/read" "$@")
	floor=$("$t/step" -r 21 1 "$t/read")
	echo "$we $floor" | awk -v name="$name" '{ printf "start to first " \
	    "request, %-28s %5.1f ms, floor %.1f\n", name ":", $1, $7 }'
}
row "the model given"
echo "Run make check before you commit." >AGENTS.md
row "with AGENTS.md"
jq -cn 'range(100000) | {role: "user", content: "item \(.): the \(. * 7919 %
    1009) of the \(. * 104729 % 2003) is in file f\(. % 1000)"}' |
    hamr-mem --no-config --db .hamr/memory.db >/dev/null 2>&1
row "and a memory of 100,000 items"

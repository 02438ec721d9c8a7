#!/bin/sh
# step.sh - what a step of hamr-loop costs beside its floor, a C program with
# one keep-alive socket (and, for bash, the same shell forked): from an answer's
# last byte to the next request's, the median of the last 21 steps.  On a machine
# that does other things only the ratios mean anything: each row's two runs
# follow each other, and TRIES (1) of both are made, of which the best count.
#
#	step.sh [STEPS ...]	20 100 400
# shellcheck source=bench/lib disable=SC2154
. "$(dirname "$0")/lib"
STEPS=${*:-20 100 400}
answer read '{"path":"f%d"}' 1000 >"$t/deltas"
workspace "$t/w"

printf '%-24s %5s %9s %9s %9s %7s %9s\n' step steps "p50 ms" "p90 ms" \
    "floor ms" over "times"
best() {	# COMMAND ...: of what it prints, the line with the least p50
	i=0
	while [ $i -lt "${TRIES:-1}" ]; do
		i=$((i + 1))
		"$@"
	done | sort -n -k 2 | head -n 1
}
# What was there is moved, not removed: ext4 makes nothing of inodes that have
# just become free, and each file made then takes up to 1 ms longer.
fresh() {
	[ ! -d .hamr ] || mv .hamr "$(mktemp -d "$t/old.XXXXXX")"
	ours "$@"
}
row() {	# NAME ANSWER SHELL OPTION...
	name=$1 body=$2 shell=$3
	shift 3
	for n in $STEPS; do
		we=$(best fresh 1 "$n" "$body" "$@")
		bytes=$(echo "$we" | awk -v n="$n" '{ print int($6 / n) }')
		if [ -n "$shell" ]; then
			floor=$(export STEP_SHELL="$shell" STEP_BYTES="$bytes"
			    best "$t/step" "$n" "$body" 2>/dev/null)
		else
			floor=$(export STEP_BYTES="$bytes"
			    best "$t/step" "$n" "$body")
		fi
		echo "$we $floor" | awk -v name="$name" -v n="$n" '{
		    printf "%-24s %5d %9.2f %9.2f %9.2f %7.2f %9.1f\n",
		    name, n, $2, $3, $8, $2 - $8, $2 / $8 }'
	done
}
row read "$t/read" ''
row "read, 1,000 deltas" "$t/deltas" ''
row "bash" "$t/same" 'cat f1'
row "bash, one file changed" "$t/change" 'echo 1 >>f7'
row "bash, no sandbox" "$t/same" 'cat f1' -o sandbox.mode=off
row "changed, no sandbox" "$t/change" 'echo 1 >>f7' -o sandbox.mode=off

#!/bin/sh
# many.sh - many agents at once, each with a model that answers after 2 s: how
# many steps all of them make in the time of one's, and their memory.
#
#	many.sh [AGENTS [STEPS]]	16 10
# shellcheck source=bench/lib disable=SC2154
. "$(dirname "$0")/lib"
agents=${1:-16} steps=${2:-10} DELAY=2000
now() { date +%s.%N; }

run() {	# N: that many, each in a repository of its own
	i=0 begun=$(now)
	while [ $i -lt "$1" ]; do
		i=$((i + 1))
		(cd "$t/w$i" && ours 1 "$steps" "$t/change" >"$t/out$i") &
	done
	wait
	took=$(echo "$(now) $begun" | awk '{ print $1 - $2 }')
}
for i in $(seq "$agents"); do
	(workspace "$t/w$i")
done
run 1
one=$took
rm -rf "$t"/w*/.hamr
run "$agents"
cat "$t"/out* | awk -v n="$agents" -v one="$one" -v all="$took" '
	{ rss += $4; pss += $5 }
	END { printf "%d agents: %.1f times the steps of one; RSS %.0f MiB, " \
	    "PSS %.0f MiB together\n", n, n * one / all, rss / 1024,
	    pss / 1024 }'

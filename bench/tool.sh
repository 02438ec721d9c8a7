#!/bin/sh
# tool.sh - hamr-tool: a read that is cached, a search of 100,000 files beside
# git grep, what a snapshot adds to a command, undo.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
unset HAMR_BIN
PATH=$bin:$PATH
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
ms() { echo $(($(date +%s%N) / 1000000)); }
best() {	# N COMMAND...: the fastest of N runs, in ms
	n=$1 low=
	shift
	while [ "$n" -gt 0 ]; do
		a=$(date +%s%N)
		"$@" >/dev/null 2>&1 || :
		b=$((($(date +%s%N) - a) / 1000))
		[ -n "$low" ] && [ "$low" -le "$b" ] || low=$b
		n=$((n - 1))
	done
	echo "$low" | awk '{ printf "%.1f", $1 / 1000 }'
}

# --- one range, read again and again in a turn
mkdir "$t/r" && cd "$t/r" && git init -q .
seq 1 5000 >a.c
touch -d 2020-01-01 a.c
sleep 0.2
calls() {	# N: one message with N reads of a range
	jq -cn --argjson n "$1" '{role: "assistant", tool_calls: [range($n) |
	    {id: "c\(.)", type: "function", function: {name: "read",
	    arguments: "{\"path\":\"a.c\",\"first\":1,\"last\":200}"}}]}'
}
calls 1 >"$t/one"
calls 20001 >"$t/many"
cpu() {	# COMMAND: its processor time, in ms
	sh -c "$1; times" | tail -n 1 | tr 'ms' '  ' |
	    awk '{ printf "%.1f", ($1 * 60 + $2 + $3 * 60 + $4) * 1000 }'
}
one=$(cpu "hamr-tool -n --no-config --root . <$t/one >$t/out")
many=$(cpu "hamr-tool -n --no-config --root . <$t/many >$t/out")
hits=$(grep -c '"cached":' "$t/out")
echo "$one $many $hits" | awk '{ printf "a cached range: %.1f us of processor a call, its start and its result written (%d hits; under 50 wanted)\n", ($2 - $1) * 1000 / 20000, $3 }'

# --- a search
mkdir "$t/s" && cd "$t/s" && git init -q .
awk 'BEGIN { srand(1); for (i = 0; i < 100000; i++) {
	if (i % 100 == 0) {
		d = sprintf("d%02d/s%03d", i / 5000, i / 100)
		system("mkdir -p " d)
	}
	f = sprintf("%s/f%03d.c", d, i % 100)
	for (l = 0; l < 40; l++)
		printf "w%d w%d w%d w%d w%d\n", rand() * 5000, rand() * 5000,
		    rand() * 5000, rand() * 5000, rand() * 5000 >f
	close(f)
} }'
git config gc.auto 0
git add -A
git -c user.name=n -c user.email=e commit -qm 1
echo "a search of $(git ls-files | wc -l) files, best of 5, in ms; processor time:"
for q in w4242x w4242; do
	printf '  %-8s git grep %s; %s, read %s; %s\n' "$q" \
	    "$(best 5 git grep -nF $q)" "$(cpu "git grep -nF $q >$t/out")" \
	    "$(best 5 hamr-tool --no-config read "{\"query\":\"$q\"}")" \
	    "$(cpu "hamr-tool --no-config read '{\"query\":\"$q\"}' >$t/out")"
done

# --- snapshots: the tree above, and a small one
cold=$(best 1 hamr-tool --no-config --yes bash '{"command":"true"}')
warm=$(best 3 hamr-tool --no-config --yes bash '{"command":"true"}')
ro=$(best 3 hamr-tool --no-config bash '{"command":"true"}')
echo "a command in that tree, in ms: first $cold, then $warm, without snapshots (read-only) $ro"
cd "$t/r"
best 1 hamr-tool --no-config --yes bash '{"command":"true"}' >/dev/null
warm=$(best 5 hamr-tool --no-config --yes bash '{"command":"true"}')
ro=$(best 5 hamr-tool --no-config bash '{"command":"true"}')
echo "a command in a small one: $warm, without $ro"
hamr-tool --no-config --yes bash '{"command":"echo >>a.c"}' >/dev/null
echo "undo of it: $(best 1 hamr-tool --no-config undo) ms"
mkdir many
for i in $(seq 5000); do echo "$i" >"many/$i"; done
# shellcheck disable=SC2016
hamr-tool --no-config --yes bash \
	'{"command":"for i in many/*; do echo >>$i; done"}' >/dev/null
echo "undo of 5,000 files: $(best 1 hamr-tool --no-config undo) ms"

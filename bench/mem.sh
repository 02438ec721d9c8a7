#!/bin/sh
# mem.sh - hamr-mem indexes and searches made-up messages; beside it a bare
# FTS5 loop over the same rows.
#
#	mem.sh [MESSAGES] [SEED]	else 100000 and 1
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
bin=${HAMR_BIN:-$top/bin}
obj=${OBJ:-$top/obj}
n=${1:-100000} seed=${2:-1}
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
python3 "$top/bench/messages.py" "$n" "$seed" "$t/queries" >"$t/messages"
cc -O2 -o "$t/bare" "$top/bench/mem_bare.c" -lsqlite3
cc -O2 -D_GNU_SOURCE -I"$top/lib" -I"$top/cmd/hamr-mem" -o "$t/search" \
    "$top/bench/mem_search.c" "$obj"/cmd/hamr-mem/*/*.o "$obj/libhamr.a" \
    -lsqlite3 -lcrypto -lm
echo "$n messages of seed $seed, $(($(wc -c <"$t/messages") >> 20)) MiB"
timed() {	# COMMAND...: elapsed and processor seconds; no output
	bash -c 'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null' - "$@" 2>&1 |
	    awk '{ print $1, $2 + $3 }'
}
ours=$(timed "$bin/hamr-mem" -n -q --no-config --db "$t/a.db" "$t/messages")
bare=$(timed "$t/bare" "$t/a.db" "$t/b.db")
echo "$ours $bare $(wc -c <"$t/messages")" | awk '{
	printf "indexed in %.1f s (%.1f MB/s), %.1f s of processor\n", $1,
	    $5 / 1e6 / $1, $2
	printf "bare FTS5 loop: %.1f s, %.1f s of processor\n", $3, $4
	printf "ratio: %.2f, of processor %.2f\n", $1 / $3, $2 / $4 }'
"$t/search" "$t/a.db" "$t/queries"
echo "of common words:"
"$t/search" "$t/a.db" "$t/queries.common"

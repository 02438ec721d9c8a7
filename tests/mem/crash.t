#!/bin/bash
# crash.t - hamr-mem killed at its system calls, then run again (S22).
# CALLS=N tries so many of each (else 4, in CI 12), CALLS=0 all of them.
. "$(dirname "$0")/../lib.sh"
HAMR_SHARE=${HAMR_SHARE:-$TOP/share/hamr}; export HAMR_SHARE
PATH=$HAMR_BIN:$PATH
killat=${OBJ:-$TOP/obj}/torture/killat
if [ ! -x "$killat" ] || ! "$killat" probe 0 true; then
	skip "killed at a system call" "no ptrace, or make units was not run"
	done_testing
	exit
fi
unset HAMR_BIN
: "${CALLS:=${CHECK_FULL:+12}}" "${CALLS:=4}"
step_at_end=12
[ -z "${CHECK_FULL:-}" ] || step_at_end=5
mem() { hamr-mem --no-config --db m/m.db "$@"; }
talk() {	# SESSION LINES
	printf '{"type":"hamr","v":1,"session":"%s"}\n' "$1"
	for i in $(seq "$2")
	do	printf '{"role":"user","content":"%s says %d blah"}\n' "$1" "$i"
	done
}
mkdir m dir
for i in 1 2 3; do mem save "fact $i stays" >/dev/null; done
talk alpha 400 | mem -n
mem rebuild dir		# all of it is in the file, nothing in a log
cp -r m base
cp -r m other
talk beta 60 >beta
hamr-mem --db other/m.db -n <beta
hamr-mem --db other/m.db save "fact 4 is new" >/dev/null
hamr-mem --db other/m.db export >lines
cp -r base damaged
dd if=/dev/urandom of=damaged/m.db bs=4096 seek=20 count=2 conv=notrunc \
    2>/dev/null
talk gamma 5 >dir/gamma.ndjson

# What there is, without times of today.
all() { mem export | jq -c 'if .kind == "forgotten" then del(.time) else . end'; }
# Killed at call after call of COMMAND; each time it is run again, and what there
# is then is compared with what an unbroken run made.
crash() {	# NAME FROM COMMAND...
	local name=$1 from=$2 bad='' n k step
	shift 2
	rm -rf m; cp -r "$from" m; rm -f k
	"$killat" k 0 hamr-mem --no-config --db m/m.db "$@" </dev/null \
	    >/dev/null 2>&1
	while [ ! -s k ]; do sleep 0.02; done	# its watcher writes it
	n=$(cat k)
	all >want
	step=$((CALLS > 0 ? n / CALLS + 1 : 1))
	for k in $(seq 1 $step "$n") $(seq $((n - 25)) $step_at_end "$n")
	do	rm -rf m; cp -r "$from" m; rm -f k
		{ "$killat" k "$k" hamr-mem --no-config --db m/m.db "$@" \
		    </dev/null >/dev/null; } 2>/dev/null
		[ "$name" = damaged ] || mem check >/dev/null ||
			bad="$bad check:$k"
		mem "$@" </dev/null >/dev/null 2>&1
		mem check >/dev/null || bad="$bad check-after:$k"
		all >got
		cmp -s want got || bad="$bad differs:$k"
		[ "$name" != forget ] || ! cat m/m.db* | grep -aq 'alpha says' ||
			bad="$bad left:$k"
		[ "$(mem list | grep -c '"fact"')" -ge 3 ] ||
			bad="$bad facts:$k"
	done
	is "$name killed at any of $n calls" "$bad" ""
}
crash index base -n beta
crash import base import lines
crash forget base forget --session alpha
crash rebuild base rebuild dir
crash damaged damaged rebuild dir

fail=${OBJ:-$TOP/obj}/torture/fail.so
case $fail in *[[:space:]]*) fail= ;; esac	# cannot be preloaded
if [ -e "$fail" ] && ! grep -q __asan_init "$BIN/hamr-mem"; then
	bad=
	for k in $(seq 300 3 420); do
		rm -rf m && mkdir m
		LD_PRELOAD=$fail FAIL_IN=hamr-mem FAIL="alloc:$k+" hamr-mem \
		    --no-config --db m/m.db save x >/dev/null 2>&1
		[ $? = 71 ] || bad="$bad $k"
	done
	for k in $(seq 9000 4000 33000); do
		rm -rf m && cp -r damaged m
		LD_PRELOAD=$fail FAIL_IN=hamr-mem FAIL="alloc:$k" hamr-mem \
		    --no-config --db m/m.db rebuild dir >/dev/null 2>&1
		[ $? != 70 ] || bad="$bad $k"
	done
	is "memory that ends is status 71" "$bad" ""
	bad=
	for k in 0 1; do	# with hard links, and without
		rm -rf m && cp -r damaged m
		LD_PRELOAD=$fail FAIL_IN=hamr-mem FAIL="link:$k+" hamr-mem \
		    --no-config --db m/m.db rebuild dir 2>/dev/null || bad="$bad $k"
		[ -s m/m.db-damaged-1 ] || bad="$bad $k"
		hamr-mem --no-config --db m/m.db list | cksum
	done >lists
	is "a damaged file is set aside without hard links, too" \
	    "$bad $(sort -u lists | wc -l)" " 1"
else
	skip "memory that ends" "no obj/torture/fail.so of plain programs"
fi
done_testing

#!/bin/bash
# torture.t - a sample of make torture: kill -9 at any system call, calls that
# fail, signals, stopped stages, a full disk, torn sessions, clocks that jump,
# many writers (D1 D2 D4 D5 D7 N8 P2 P7 P8 P10 S19).  SAMPLE=n and SEED=n choose
# another one.
. "$(dirname "$0")/../lib.sh"
: "${OBJ:=$TOP/obj}" "${SAMPLE:=${CHECK_FULL:+6}}" "${SAMPLE:=1}" "${SEED:=1}"
export SAMPLE SEED HAMR_BIN=$BIN
case $OBJ$BIN in
*[[:space:]]*)
	skip "torture" "what is preloaded may not have a blank in its path"
	done_testing ;;
esac
parts="crash rough"
if grep -q __asan_init "$BIN/hamr-tool"; then
	skip "calls that fail" "sanitizers have an allocator of their own"
else
	parts="$parts faults clock"
fi
# shellcheck disable=SC2086
TMPDIR=$T timeout 500 "$TOP/build-aux/torture" "$OBJ/torture" $parts \
	>table 2>&1
is "it came to its end" "$?" 0
rows=0
while read -r line; do
	rows=$((rows + 1))
	case $line in
	[A-Z][0-9]*' skip '*) skip "${line%% skip *}" "${line##* skip }" ;;
	[A-Z][0-9]*) is "${line% *}" "${line##* }" 0 ;;
	esac
done <table
grep -q '^all held' table || diagnose <table
is "every part has its rows" "$([ "$rows" -gt 20 ] && echo yes)" yes
done_testing

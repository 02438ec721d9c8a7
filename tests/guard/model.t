#!/bin/bash
# model.t - hamr-guard beside a slow model of its rules, and what it
# must show: healthy sessions left alone, loops caught, a pure function.
. "$(dirname "$0")/../lib.sh"

GUARD=$(command -v hamr-guard)
DATA=$TOP/tests/data/guard
length=5	# CI has six
[ -z "${CHECK_FULL:-}" ] || length=6

ok "every sequence of $length calls, three signatures, two outcomes" \
    timeout 280 python3 -B "$TOP/tests/guard/guard_model.py" short "$GUARD" $length
tail -n 1 .out | sed 's/^/# /'
ok "random transcripts with all sorts of records" \
    timeout 280 python3 -B "$TOP/tests/guard/guard_model.py" check "$GUARD"

mkdir -p sessions/tau sessions/pi
jq -c '{type:"hamr",v:1},.messages[]' "$DATA/tau.jsonl" >sessions/tau/a
jq -c -f "$DATA/pi.jq" "$DATA/pi.jsonl" >sessions/pi/a
table() { timeout 280 python3 -B "$TOP/tests/guard/guard_table.py" "$GUARD" "$@"; }
ok "healthy sessions: no block, no halt" table healthy sessions
sed 's/^/# /' .out
ok "loops put into them are caught, of every period and disguise" \
    table loops sessions
sed 's/^/# /' .out
ok "twice is once, line by line is the whole, order of keys is nothing" \
    table pure sessions
done_testing

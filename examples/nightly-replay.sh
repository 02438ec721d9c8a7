#!/bin/bash
# nightly-replay.sh - what today's guard and compaction say of all sessions.
#
#	nightly-replay.sh OUT FOLDER...		e.g. from cron:
#	0 3 * * *  nightly-replay.sh ~/reports/$(date +\%F) ~/src
#
# Sessions are found below the folders (.hamr/sessions) and replayed: nothing is
# sent, nothing is run; a line that is not whole, as in one that is being
# written, is left out.  OUT/guard.txt has the rules that fire, OUT/compact.txt
# what windows would have cost, OUT/verdicts.ndjson each verdict with its
# session.  REPLAY holds options for both programs, such as
# "-o loop_guard.warn_threshold=2".
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: nightly-replay.sh OUT FOLDER..." >&2; exit 2; }
out=$1
shift
mkdir -p "$out"
read -ra options <<<"--lenient ${REPLAY:-}"
mapfile -d '' -t sessions < <(find -H "$@" -type f -size +0 \
    -path '*/.hamr/sessions/*.ndjson' -print0 | sort -z)
[ ${#sessions[@]} -gt 0 ] || { echo "nightly-replay: no sessions" >&2; exit 66; }

hamr-guard --report "${options[@]}" "${sessions[@]}" >"$out/guard.txt"
hamr-compact --report "${options[@]}" "${sessions[@]}" >"$out/compact.txt"
for s in "${sessions[@]}"; do
	hamr-guard -n "${options[@]}" "$s" |
	    jq -c --arg s "$s" 'select(.type == "verdict") |
	    {session: $s, action, rule, message}'
done >"$out/verdicts.ndjson"
printf 'nightly-replay: %d sessions, %d verdicts, see %s\n' \
    ${#sessions[@]} "$(wc -l <"$out/verdicts.ndjson")" "$out"

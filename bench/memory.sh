#!/bin/sh
# memory.sh - what all processes of hamr-loop take after so many steps: the sum
# of their resident sets (RSS), and of their shares of it (PSS); and when a
# session of 100 MB is resumed.
#
#	memory.sh [STEPS ...]	20 100 400
# shellcheck source=bench/lib disable=SC2154
. "$(dirname "$0")/lib"
STEPS=${*:-20 100 400}
workspace "$t/w"

print() {	# NAME STEPS, and what step printed
	awk -v name="$1" -v n="$2" '{ printf "%-24s %5s %9.1f %9.1f\n", name,
	    n, $4 / 1024, $5 / 1024 }'
}
printf '%-24s %5s %9s %9s\n' step steps "RSS MiB" "PSS MiB"
for kind in read same change; do
	for n in $STEPS; do
		rm -rf .hamr
		ours 1 "$n" "$t/$kind" | print "$kind" "$n"
	done
done

# 1,600 results of 64 KB
rm -rf .hamr
ours 1 1 "$t/read" >/dev/null
session=$(ls .hamr/sessions/*.ndjson)
awk 'BEGIN {
	while (length(line) < 64000)
		line = line "a line of some file, " length(line) "\\n"
	for (i = 1; i <= 1600; i++) {
		printf "{\"role\":\"assistant\",\"content\":null," \
		    "\"tool_calls\":[{\"id\":\"x%d\",\"type\":\"function\"," \
		    "\"function\":{\"name\":\"bash\",\"arguments\":" \
		    "\"{\\\"command\\\":\\\"cat f%d\\\"}\"}}]," \
		    "\"finish_reason\":\"tool_calls\"}\n", i, i
		printf "{\"role\":\"tool\",\"tool_call_id\":\"x%d\"," \
		    "\"name\":\"bash\",\"content\":\"exit 0\\n%d%s\"}\n",
		    i, i, line
	}
}' >>"$session"
ours 1 1 "$t/read" "--resume=$(basename "$session" .ndjson)" |
    print "resumed, 100 MB" 1

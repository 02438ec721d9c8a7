#!/bin/bash
# a jq program of somebody else's, as adapter and as importer: it sees no file,
# no environment and no input but its own, and can neither run nor grow for
# ever (loops are in provider-adapter.t)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"
export CANARY_ENV=CANARY1
mkdir mod
echo 'def m: "CANARY2";' >mod/m.jq
echo '"CANARY3"' >d.json
echo 'def home: "CANARY4";' >"$HOME/.jq"
echo '{"a":1}' >x.json
printf '{"choices":[]}\n' >in.json
events '{"t":1}' >s
serve s

adapter() {	# MAKES
	printf '%s\n' "$1" | sed '$s/.*/def request: {path: "\/", body: {x: (&)}};/' >p.jq
	echo 'def event: {kind: "content", text: "ok"}, {finish_reason: "stop"};' >>p.jq
	timeout 60 hamr-provider -n -q --no-config --api ./p.jq --model m \
		--base-url "$URL" in >out 2>err
}
importer() {
	printf '%s\n' "$1" | sed '$s/.*/{role: "user", content: (& | tostring)}/' >p.jq
	timeout 60 hamr-guard --import-only -q -F ./p.jq x.json >out 2>err
}
# sanitizers need address space without a limit
grep -q __asan_init "$BIN/hamr-provider" && bounded=false || bounded=true
while IFS='|' read -r what status_a status_i program; do
	case $what in *GB|*"without end")
		$bounded || continue ;;
	esac
	adapter "$(printf '%b' "$program")"
	is "adapter, $what" "$? $(cat out err log | grep -ac CANARY)" "$status_a 0"
	importer "$(printf '%b' "$program")"
	is "importer, $what" "$? $(cat out err | grep -ac CANARY)" "$status_i 0"
done <<'X'
the environment|0|0|env
$ENV|0|0|$ENV
other inputs|0|0|[inputs]
the name of its input|0|0|input_filename
where modules lie|0|0|get_search_list
a module|2|2|import "mod/m" as m;\nm::m
a module's text|2|2|include "mod/m";\nm
data|2|2|import "./d" as $d;\n$d
the user's own ~/.jq|2|2|home
what a module says of itself|69|65|"mod/m" | modulemeta
an array of 8 GB|69|65|[] | .[1e9] = 1
a text without end|69|65|reduce range(40) as $i ("xxxxxxxx"; . + .)
X
done_testing

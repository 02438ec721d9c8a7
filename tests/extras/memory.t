#!/bin/bash
# memory.t - search_memory and save_memory: hamr-mem as a child.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

git init -q .
t() { timeout 20 hamr-tool --no-config --root . "$@"; }
id=$(t save_memory '{"fact":"the parser wants gcc 12\nand bison"}')
match "save names the id" "$id" "saved as m:????????????"
id=${id#saved as }
is "the same id as hamr-mem's" "$(hamr-mem list | jq -r .id)" "$id"
is "search" "$(t search_memory '{"query":"bison gcc"}')" \
	"$id fact: the parser wants «gcc» 12 and «bison»
[an id as query shows the whole item]"
is "the whole item by its id" "$(t search_memory "{\"query\":\"$id\"}")" \
	"the parser wants gcc 12
and bison"
is "a prefix of it" "$(t search_memory "{\"query\":\"${id%????}\"}" | head -n 1)" \
	"the parser wants gcc 12"
is "as a stub has it" "$(t search_memory "{\"query\":\" memory $id; x\"}" |
	head -n 1)" "the parser wants gcc 12"
is "nothing found" "$(t search_memory '{"query":"nowhere \"x\""}')" \
	'nothing in memory for "nowhere \"x\""'
ok "is no error" t search_memory '{"query":"nowhere"}'
is "an unknown id" "$(t search_memory '{"query":"m:ffffffffffff"}')" \
	'nothing in memory for "m:ffffffffffff"'
is "a key replaces" "$(t save_memory '{"fact":"version 1","key":"v"}' >/dev/null
	t save_memory '{"fact":"version 2","key":"v"}' >/dev/null
	hamr-mem list | jq -r 'select(.key == "v") | .content')" "version 2"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	hamr-mem save "number $i of many"
done >/dev/null
is "eight unless told" "$(t search_memory '{"query":"many"}' | grep -c ^m:)" 8
is "n" "$(t search_memory '{"query":"many","n":"3"}' | grep -c ^m:)" 3
is "meta" "$(t search_memory '{"query":"many"}' --json |
	jq -c '.meta | del(.ms, .bytes)')" '{"query":"many","matches":8}'
code() { t --json "$@" | jq -r .meta.error; }
is "out of range" "$(code search_memory '{"query":"x","n":21}')" bad_arguments
is "no query" "$(code search_memory '{}')" bad_arguments
is "an empty fact" "$(code save_memory '{"fact":" \n"}')" bad_arguments
is "too long a fact" "$(jq -n '{fact: ("x" * 65537)}' | { read -r -d '' a
	code save_memory "$a"; })" too_large
for q in --help -n '"' "'; DROP TABLE items; --" '*' 'NEAR(' ''; do
	timeout 20 hamr-tool --no-config --root . search_memory \
		"$(jq -cn --arg q "$q" '{query: $q}')" >/dev/null 2>&1 ||
		bad="$bad $q"
done
is "no query is an error" "$bad" ""
is "a fact that looks like an option" "$(t save_memory '{"fact":"--global"}' \
	>/dev/null; hamr-mem list | jq -r 'select(.content == "--global") |
	.kind')" fact
ok "in every mode, without --yes" sh -c 'for m in read-only patch verify docs
	do hamr-tool --no-config --root . --mode $m save_memory \
	    "{\"fact\":\"mode $m\"}" || exit 1; done'
is "no ask" "$(printf '%s\n' "$(call a save_memory '{"fact":"x y"}')" "$go" |
	first hamr-tool -r --no-config --root . | jq -r .type)" start

# --- switched off, not there
is "switched off" "$(t -o memory.enabled=false --json search_memory \
	'{"query":"x"}' | jq -r .meta.error)" denied
is "then it is no tool" "$(t -o memory.enabled=false --schemas |
	jq -c '[.tools[].function.name]')" \
	'["read","edit","write","bash","view_image"]'
mkdir ../alone && cp "$BIN/hamr-tool" ../alone/
alone() { PATH=/usr/bin:/bin ../alone/hamr-tool --no-config --root . "$@"; }
is "hamr-mem is not installed" "$(alone search_memory '{"query":"x"}')" \
	"there is no memory here: hamr-mem is not installed; go on without it"
is "as an error" "$(alone --json save_memory '{"fact":"x"}' |
	jq -r .meta.error)" spawn_failed
printf '#!/bin/sh\necho "hamr-mem: the disk is full" >&2\nexit 71\n' \
	>../alone/hamr-mem; chmod +x ../alone/hamr-mem
is "its words are passed on" "$(alone search_memory '{"query":"x"}')" \
	"hamr-mem: the disk is full; go on without memory"
printf '#!/bin/sh\nprintf "not json\\n{\\n\\n"\n' >../alone/hamr-mem
is "garbage finds nothing" "$(alone search_memory '{"query":"x"}')" \
	'nothing in memory for "x"'
printf '#!/bin/sh\nkill -9 $$\n' >../alone/hamr-mem
is "it dies" "$(alone --json search_memory '{"query":"x"}' |
	jq -r .meta.error)" spawn_failed

# --- side by side
printf '#!/bin/sh\nsleep 2\nexit 1\n' >../alone/hamr-mem
begun=$(date +%s%N)
call a search_memory '{"query":"a"}' b search_memory '{"query":"b"}' \
	c search_memory '{"query":"c"}' d search_memory '{"query":"d"}' |
	alone -n >../out
took=$((($(date +%s%N) - begun) / 1000000))
ok "four searches at once" test "$took" -lt 6500
is "in call order" "$(messages <../out | jq -r '.tool_call_id + .meta.query' |
	tr '\n' ' ')" "aa bb cc dd "
done_testing

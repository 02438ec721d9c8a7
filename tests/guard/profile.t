#!/bin/bash
# profile.t - hamr-guard -p NAME judges as that system does.
#
# The cases are those systems' own: from their tests, their descriptions, and
# their bug reports, as far as they tell what is said of which call.
. "$(dirname "$0")/../lib.sh"

. "$TOP/tests/guard/guard.sh"
news() {	# number; sets news
	news="line $1 of many, all different and longer than sixty characters"
}
# The same call again and again; each result is another one unless one is
# given.
loop() {	# count tool arguments [text [more]]
	for ((i = 1; i <= $1; i++)); do
		news "$i"
		step "c$i" "$2" "$3" "${4-$news}" "${5:-$NO}"
	done
}
# Calls by letters: "abab" is four calls of read with two paths.
word() {	# letters
	for ((i = 1; i <= ${#1}; i++)); do
		news "$i"; step "c$i" read "{\"path\":\"${1:i-1:1}\"}" "$news"
	done
}

# What was said, in short: id action rule count [level].
said() {	# profile [options] <transcript
	guard -n -p "$@" | LC_ALL=C sed -En \
	    -e 's/^\{"type":"constrain".*"tool_choice":"([a-z]*)","rule":"([a-z-]*)","steps":([0-9]*).*/constrain \1 \2 \3/p' \
	    -e 's/^\{"type":"verdict","stage":"[^"]*","tool_call_id":"([^"]*)","name":"[^"]*","action":"([a-z]*)","phase":"[a-z]*","rule":"([a-z-]*)","count":([0-9]*),"signature":"[0-9a-f]*","evidence":\[[^]]*\],("level":([0-9]*),)?"message":.*/\1 \2 \3 \4 \6/' \
	    -e '/^\{/d; /^constrain/d; s/ (block|halt|share) ([a-z-]* [0-9]*).*/ \1 \2/; s/ $//; p'
}

# ---- openfang: the tests of its loop_guard.rs ----

is "openfang: below the threshold it allows" \
    "$(loop 2 web_search '{"query":"test"}' | said openfang)" ""
is "openfang: the 3rd warns, the 5th is blocked" \
    "$(loop 6 file_read '{"path":"/etc/passwd"}' | said openfang)" \
"c3 warn repeat 3 1
c4 warn repeat 4 1
c5 block repeat 5
c6 block repeat 6"
for i in $(seq 10); do
	news "$i"; step "c$i" web_search "{\"query\":\"query_$i\"}" "$news"
done >ten
is "openfang: other parameters are other calls" "$(said openfang <ten)" ""
is "openfang: the order of keys is none" "$({
	step a t '{"x":1,"y":{"p":1,"q":2}}' A
	step b t '{"y":{"q":2,"p":1},"x":1}' B
	step c t ' { "x" : 1, "y" : {"p":1,"q":2} } ' C
} | said openfang)" "c warn repeat 3 1"
is "openfang: but 1.0 is not 1, and null is not nothing" "$({
	step a t '{"x":1}' A; step b t '{"x":1.0}' B
	step c t '{"x":1,"y":null}' C
} | said openfang)" ""
is "openfang: totals, whatever comes between (no reset by an edit)" "$(
for i in 1 2 3 4 5; do
	news "$i"; step "b$i" bash '{"command":"npm run check"}' "$news"
	step "e$i" edit "{\"path\":\"a\",\"old\":\"$i\",\"new\":\"x\"}" "ok $i"
done | said openfang)" \
"b3 warn repeat 3 1
b4 warn repeat 4 1
b5 block repeat 5"
for i in $(seq 32); do
	news "$i"; step "c$i" t "{\"n\":$i}" "$news"
done >many
is "openfang: more than 30 calls break the circuit, and it stays broken" \
    "$(said openfang <many)" \
"c31 halt calls 31
c32 halt calls 31"
is "openfang: a person's message is a new run" \
    "$({ head -n 60 many; person; head -n 60 many; } | said openfang)" ""
is "openfang: the same result: 2 warns, after 3 the next is blocked" \
    "$(loop 5 web_search '{"query":"weather"}' "sunny 72F" | said openfang)" \
"c2 warn repeat 2 1
c3 warn repeat 3 1
c4 block repeat 4
c5 block repeat 4"
long=$(printf '%01000d' 0)
is "openfang: results are compared in their first 1000 bytes" \
    "$({ step a t '{}' "${long}1"; step b t '{}' "${long}2"; } |
    said openfang)" "b warn repeat 2 1"
is "openfang: ... and not beyond" \
    "$({ step a t '{}' "${long#0}1"; step b t '{}' "${long#0}2"; } |
    said openfang)" ""
# Ordinary calls reach 3 before a third lap is complete; polls do not.
poll() {	# letters
	for ((i = 1; i <= ${#1}; i++)); do
		news "$i"; step "c$i" check "{\"status\":\"${1:i-1:1}\"}" "$news"
	done
}
is "openfang: ABABAB is ping-pong" "$(poll ababab | said openfang)" \
    "c6 block cycle 3"
is "openfang: ABCABCABC too" "$(poll abcabcabc | said openfang)" \
    "c9 block cycle 3"
is "openfang: AABAABAAB too" "$(poll aabaabaab | said openfang)" \
    "c9 block cycle 3"
is "openfang: not ABABA, not ABABBA, not AAAAAA" \
    "$(for w in ababa ababba aaaaaa; do poll $w | said openfang; done)" ""
is "openfang: without polling the count comes first" \
    "$(word ababab | said openfang)" \
"c5 warn repeat 3 1
c6 warn repeat 3 1"
is "openfang: the 4th warning of a call blocks it" \
    "$(loop 13 shell_exec '{"command":"docker ps --status running"}' |
    said openfang)" \
"c9 warn repeat 9 1
c10 warn repeat 10 1
c11 warn repeat 11 1
c12 block repeat 12
c13 block repeat 13"
is_poll() {	# tool arguments
	loop 3 "$1" "$2" | said openfang | grep -q . && echo no || echo yes
}
is "openfang: what is polling" "$(
is_poll shell_exec '{"command":"docker ps --status"}'
is_poll bash '{"command":"tail -f /var/log/app.log"}'
is_poll bash '{"command":"kubectl get pods"}'
is_poll some_tool '{"check":"status"}'
is_poll api_call '{"action":"poll_results"}'
is_poll queue '{"mode":"Wait_for_completion"}'
is_poll bash '{"command":"git status"}'
is_poll edit '{"new":"await x"}' | tr '\n' ' ')" "yes
yes
yes
yes
yes
yes
yes
yes "
is "openfang: what is none" "$(
is_poll bash '{"command":"echo hi"}'
is_poll bash '{"command":"tail -n 5 of/a/very/long/path/that/is/over/fifty/characters"}'
is_poll other '{"command":"tail -f x"}'
is_poll file_read '{"path":"/etc/hosts"}')" "no
no
no
no"
is "openfang: a poll is told how long to wait, 60 s at last" \
    "$(loop 9 shell_exec '{"command":"ps aux"}' | guard -n -p openfang |
    jq -r 'select(.type == "verdict").message' | grep -o 'Wait .* seconds')" \
    "Wait 60 seconds"
# ---- hermes: what issue 481 asks for ----

is "hermes: 3 in a row warn, then wait, then a block" \
    "$(loop 7 t '{"a":1}' | said hermes)" \
"c3 warn repeat 3 1
c4 warn repeat 4 2
c5 block repeat 5
c6 block repeat 6
c7 block repeat 7"
is "hermes: two are none" "$(loop 2 t '{}' | said hermes)" ""
is "hermes: sorted arguments" "$({
	step a t '{"x":1,"y":2}' A; step b t '{"y":2,"x":1}' B
	step c t '{"x":1,"y":2}' C
} | said hermes)" "c warn repeat 3 1"
is "hermes: the run must be one" "$(word aabaa | said hermes)" ""
is "hermes: A-B-A-B" "$(word ababab | said hermes)" \
"c4 warn cycle 2 1
c5 warn cycle 2 2
c6 block cycle 2"
is "hermes: A-B-C-A-B-C" "$(word abcabcab | said hermes)" \
"c6 warn cycle 2 1
c7 warn cycle 2 2
c8 block cycle 2"
is "hermes: A-B-C-D twice is beyond it" "$(word abcdabcd | said hermes)" ""
is "hermes: leaving the pattern begins anew" \
    "$(word aaaabaaa | said hermes)" \
"c3 warn repeat 3 1
c4 warn repeat 4 2
c8 warn repeat 3 1"
is "hermes: the second word is advice to wait" \
    "$(loop 4 t '{}' | guard -n -p hermes |
    jq -r 'select(.type == "verdict") | .message | test("wait 5 seconds")')" \
"false
true"
is "hermes: the block does not count warnings that were not given" \
    "$(loop 6 t '{}' | guard -n -p hermes |
    jq -r 'select(.action == "block").message' | grep -c '[0-9] warnings')" 0
is "hermes: process is exempt" "$(loop 9 process '{"id":1}' | said hermes)" ""
is "hermes: ... and not seen between others" "$({
	step a t '{}' A; step p process '{}' P; step b t '{}' B
	step q process '{}' Q; step c t '{}' C
} | said hermes)" "c warn repeat 3 1"
is "hermes: a person's message begins anew" \
    "$({ loop 2 t '{}'; person; loop 2 t '{}'; } | said hermes)" ""
is "hermes: results do not matter" \
    "$(loop 3 t '{}' same | said hermes)" "c3 warn repeat 3 1"

# ---- nanobot: LoopDetectHook, ReflectRetryHook ----

is "nanobot: exactly at 3, exactly at 5, never a block" \
    "$(loop 9 t '{"a":1}' | said nanobot)" \
"c3 warn repeat 3 1
c5 warn repeat 5 2"
is "nanobot: the word at 5 comes once, the one at 3 again" \
    "$(word aaaaabaaaaa | said nanobot)" \
"c3 warn repeat 3 1
c5 warn repeat 5 2
c9 warn repeat 3 1"
is "nanobot: another call begins anew" "$(word aabaa | said nanobot)" ""
for i in 1 2 3; do
	batch "x$i:read:a" "y$i:list:b"
	news "x$i"; answer "x$i" "$news"
	news "y$i"; answer "y$i" "$news"
done >same
is "nanobot: a message's calls are one thing" "$(said nanobot <same)" \
    "y3 warn repeat 3 1"
{ head -n 6 same; batch y:list:b x:read:a; answer y Y; answer x X; } >turned
is "nanobot: whatever the order of the tools" "$(said nanobot <turned)" \
    "x warn repeat 3 1"
{ head -n 6 same; batch x:read:a; answer x X; } >fewer
is "nanobot: one call fewer is another message" "$(said nanobot <fewer)" ""
is "nanobot: errors get their history, from the 3rd another text" \
    "$(loop 4 t '{"a":1}' "Error: no such thing" | said nanobot)" \
"c1 warn retry 1 0
c2 warn retry 2 0
c3 warn repeat 3 1
c3 warn retry 3 1
c4 warn retry 4 1"
is "nanobot: the two texts" \
    "$(loop 3 t '{}' "Error: x" | guard -n -p nanobot |
    jq -r 'select(.rule == "retry") | .message |
	test("Things to try"), test("fundamentally different")' | tr '\n' ' ')" \
    "true false true false false true "
is "nanobot: the history is the attempts: what was tried, what came back" \
    "$({ step a t '{"b":1, "a":2}' "Error: x"
    step b t '{"a":2,"b":1}' "Error: y"; } |
    guard -n -p nanobot | jq -r 'select(.rule == "retry") | .message')" \
'Attempt 1 of this call failed. Attempts so far:
1. t {"a":2,"b":1} -> Error: x
Things to try: check the arguments against the error, look at the state it depends on, take a smaller step.
Attempt 2 of this call failed. Attempts so far:
1. t {"a":2,"b":1} -> Error: x
2. t {"a":2,"b":1} -> Error: y
Things to try: check the arguments against the error, look at the state it depends on, take a smaller step.'
is "... also where a status comes first" \
    "$(step a t '{}' $'Exit code 1\nno such file\n' '{"is_error":true}' |
    guard -n -p nanobot | jq -r 'select(.role).content' | sed -n 2p)" \
    "1. t {} -> Exit code 1 no such file"
is "nanobot: other arguments, another history" "$({
	for i in 1 2 3; do step "c$i" t "{\"i\":$i}" "Error: x"; done
} | said nanobot)" \
"c1 warn retry 1 0
c2 warn retry 1 0
c3 warn retry 1 0"
is "nanobot: a success between does not reset it" "$({
	step a t '{}' "Error: x"; step b t '{}' fine
	step c t '{}' "Error: y"
} | said nanobot | grep retry)" \
"a warn retry 1 0
c warn retry 2 0"
is "nanobot: the evidence is the earlier attempts" \
    "$(loop 3 t '{}' "Error: x" | guard -n -p nanobot |
    jq -c 'select(.rule == "retry") | .evidence')" \
'[]
["c1"]
["c1","c2"]'
is "nanobot: is_error says so too" \
    "$(loop 1 t '{}' "exit 1" '{"is_error":true}' | said nanobot)" \
    "c1 warn retry 1 0"
is "nanobot: an Error in the middle is none" \
    "$(loop 1 t '{}' "no Error" | said nanobot)" ""

# ---- kimi: the progress detector ----

idle() {	# first last
	for i in $(seq "$1" "$2"); do
		step "c$i" bash "{\"command\":\"echo $i\"}" "$i"
	done
}
is "kimi: 8 idle steps, a reminder, one step without tools" \
    "$(idle 1 8 | said kimi)" \
"c8 warn stall 8 1
constrain none stall 1"
is "kimi: then it counts anew" "$(idle 1 16 | said kimi | grep -c warn)" "2"
is "kimi: 7 are none" "$(idle 1 7 | said kimi)" ""
sixty=$(printf '%060d' 0)
is "kimi: 60 characters that are new end the row" "$({
	idle 1 7; step n t '{}' "$sixty"; idle 8 14; } | said kimi)" ""
is "kimi: 59 do not" "$({
	idle 1 7; step n t '{}' "${sixty#0}"; } | said kimi | head -n 1)" \
    "n warn stall 8 1"
is "kimi: blanks about them do not count" "$({
	idle 1 7; step n t '{}' "  ${sixty#0}  "; } | said kimi | head -n 1)" \
    "n warn stall 8 1"
is "kimi: characters, not bytes" "$({
	idle 1 7; step n t '{}' "$(printf 'é%.0s' $(seq 40))"; } |
	said kimi | head -n 1)" "n warn stall 8 1"
is "kimi: the same output again is nothing new" \
    "$(loop 9 t '{}' "$sixty" | said kimi | head -n 1)" "c9 warn stall 8 1"
is "kimi: with a timestamp in it, it is (there)" \
    "$(for i in $(seq 20); do step "c$i" t '{}' "$sixty $i"; done |
    said kimi)" ""
is "kimi: an error is no news" \
    "$(for i in $(seq 8); do step "c$i" t '{}' "$sixty $i" \
    '{"is_error":true}'; done | said kimi | head -n 1)" "c8 warn stall 8 1"
is "kimi: twelve short answers that differ are idle" \
    "$(for i in $(seq 12); do step "c$i" stat "{\"f\":$i}" "$i bytes"; done |
    said kimi | head -n 1)" "c8 warn stall 8 1"
is "kimi: an edit counts, however short its output" "$({
	idle 1 7; step e edit '{"path":"a","old":"1","new":"2"}' ok
	idle 8 14; } | said kimi)" ""
is "kimi: also of a file that was dirty before" "$({
	step d edit '{"path":"a","old":"1","new":"2"}' ok
	idle 1 7; step e edit '{"path":"a","old":"2","new":"3"}' ok
	idle 8 14; } | said kimi)" ""
is "kimi: one that failed does not" "$({
	idle 1 7; step e edit '{"path":"a","old":"1","new":"2"}' no \
	    '{"is_error":true}'; } | said kimi | head -n 1)" \
    "e warn stall 8 1"
change() {	# id path
	step "$1" bash "{\"command\":\"./x $1\"}" ok \
	    "{\"meta\":{\"mutated\":[{\"path\":\"$2\",\"sha256\":\"$1\"}]}}"
}
is "kimi: a command that made a file dirty counts" \
    "$({ idle 1 7; change m a; idle 8 14; } | said kimi)" ""
is "kimi: porcelain does not show it a second time" \
    "$({ change l a; idle 1 7; change m a; } | said kimi | head -n 1)" \
    "m warn stall 8 1"
is "kimi: a task put into the background counts" "$({
	idle 1 7
	step b bash '{"command":"make","run_in_background":true}' started
	idle 8 14; } | said kimi)" ""
is "kimi: one that moved, too; not one that did not" "$({
	idle 1 7; step x TaskOutput '{"id":1}' "1 of 3"
	idle 8 14; step y TaskOutput '{"id":1}' "2 of 3"
	idle 15 21; step z TaskOutput '{"id":1}' "2 of 3"
} | said kimi | head -n 1)" "z warn stall 8 1"
is "kimi: a batch is one step" "$(for i in 1 2 3 4; do
	batch "a$i:t:a" "b$i:t:b" "c$i:t:c"
	answer "a$i" 1; answer "b$i" 2; answer "c$i" 3; done | said kimi)" ""
is "kimi: a new turn" "$({ idle 1 7; person; idle 8 14; } | said kimi)" ""
is "kimi: what an earlier turn showed is new again" "$({
	step a t '{}' "$sixty"; person; idle 1 7; step b t '{}' "$sixty"
	idle 8 14; } | said kimi)" ""

# ---- hamr: the original ----

is "hamr: reads of one range: from the cache, guidance, the 5th ends it" \
    "$(loop 6 read '{"path":"a","first":1,"last":9}' | said hamr |
    grep -v mutation)" \
"c2 warn repeat 2 0
c3 warn repeat 3 1
c4 warn repeat 4 1
c5 halt repeat 5
c6 halt repeat 5"
is "hamr: another range is another read" "$(for i in 1 2 3 4 5; do
	news "$i"; step "c$i" read "{\"path\":\"a\",\"first\":$i}" "$news"
done | said hamr)" ""
is "hamr: an edit between does not help (there)" "$(for i in 1 2 3 4 5; do
	news "$i"; step "r$i" read '{"path":"a"}' "$news"
	step "e$i" edit "{\"path\":\"a\",\"old\":\"$i\",\"new\":\"x\"}" ok
done | said hamr | tail -n 2)" \
"r5 halt repeat 5
e5 halt repeat 5"
is "hamr: 3 equal commands run, the 4th ends it" \
    "$(loop 5 bash '{"command":"make  check"}' | said hamr)" \
"c4 halt repeat 4
c5 halt repeat 4"
is "hamr: blanks do not make another command" "$({
	step a bash '{"command":"make check"}' 1
	step b bash '{"command":" make   check "}' 2
	step c bash '{"command":"make\tcheck"}' 3
	step d bash '{"command":"make check"}' 4; } | said hamr)" \
    "d halt repeat 4"
run() {
	loop 3 bash '{"command":"make check"}'
}
is "hamr: an edit clears commands" "$({ run
	step e edit '{"path":"a","old":"1","new":"2"}' ok; run; } |
    said hamr)" ""
is "hamr: so does a write" "$({ run
	step e write '{"path":"a","content":"2"}' ok; run; } | said hamr)" ""
is "hamr: not one that failed" "$({ run
	step e edit '{"path":"a","old":"1","new":"2"}' no '{"is_error":true}'
	step f bash '{"command":"make check"}' x; } | said hamr)" \
    "f halt repeat 4"
is "hamr: not a shell command that edits" "$({ run
	step e bash '{"command":"sed -i s/a/b/ x"}' ok
	step f bash '{"command":"make check"}' x; } | said hamr)" \
    "f halt repeat 4"
is "hamr: other tools are not looked at" \
    "$(loop 7 grep '{"q":1}' | said hamr)" ""
# Sixty-six reads, with an edit now and then.
for i in $(seq 66); do
	news "$i"; step "c$i" read "{\"path\":\"$i\"}" "$news"
	[ $((i % 7)) = 0 ] && step "e$i" edit \
	    "{\"path\":\"a\",\"old\":\"$i\",\"new\":\"x\"}" ok
done >reads
is "hamr: a warning after 32 reads, refused after 64" \
    "$(said hamr <reads)" \
"c32 warn reads 32 1
c65 block reads 65
c66 block reads 65"
is "hamr: a new turn reads anew" \
    "$({ head -n 72 reads; person; head -n 60 reads; } | said hamr)" \
    "c32 warn reads 32 1"
steps() {	# first last
	for i in $(seq "$1" "$2"); do
		news "$i"; step "c$i" grep "{\"q\":$i}" "$news"
	done
}
is "hamr: steps without a change: levels 1, 2, 3" "$(steps 1 11 | said hamr)" \
"c8 warn no-mutation 8 1
c9 warn no-mutation 9 2
c10 warn no-mutation 10 3
c11 warn no-mutation 11 3"
is "hamr: level 3 is an emergency" \
    "$(steps 1 10 | guard -n -p hamr |
    jq -r 'select(.type == "verdict") | .message | test("EMERGENCY")')" \
"false
false
true"
is "hamr: an edit resets them" "$({ steps 1 7
	step e edit '{"path":"a","old":"1","new":"2"}' ok; steps 8 14; } |
    said hamr)" ""
is "hamr: not in a transcript that is known not to patch" "$({
	echo '{"type":"hamr","v":1,"mode":"read-only"}'; steps 1 11; } |
    said hamr)" ""

# ---- the keys that these systems document ----

o() { local k; for k in "$@"; do printf '%s\n' -o "loop_guard.$k"; done; }
keyed() {	# profile "key=value ..." <transcript
	local args
	mapfile -t args < <(o $2)
	said "$1" "${args[@]}"
}
is "kimi: progress_stall_threshold" "$(idle 1 4 | said kimi \
    -o loop_control.progress_stall_threshold=3)" \
"c3 warn stall 3 1
constrain none stall 1"
is "kimi: progress_min_info_gain_length" "$(
for i in 1 2 3 4; do step "c$i" t "{\"i\":$i}" "twelve chars $i"; done |
    said kimi -o loop_control.progress_stall_threshold=3 \
    -o loop_control.progress_min_info_gain_length=12)" ""
is "hermes: repetition_threshold, max_warnings_before_block" \
    "$(loop 5 t '{}' |
    keyed hermes 'repetition_threshold=2 max_warnings_before_block=1')" \
"c2 warn repeat 2 1
c3 block repeat 3
c4 block repeat 4
c5 block repeat 5"
is "hermes: exempt_tools" "$({ loop 3 t '{}'; loop 3 process '{}'; } |
    keyed hermes 'exempt_tools=["t"]')" "c3 warn repeat 3 1"
is "hermes: window" "$(word abcabc | keyed hermes window=5)" ""
is "nanobot: warn_at, halt_at" \
    "$(loop 5 t '{}' | keyed nanobot 'warn_at=2 halt_at=4')" \
"c2 warn repeat 2 1
c4 warn repeat 4 2"
is "nanobot: max_retries" "$(loop 2 t '{}' "Error: x" |
    keyed nanobot max_retries=1)" \
"c1 warn retry 1 0
c2 warn retry 2 1"
is "openfang: global_circuit_breaker" "$(word abcdef |
    keyed openfang global_circuit_breaker=4)" \
"c5 halt calls 5
c6 halt calls 5"
is "openfang: outcome_warn_threshold, outcome_block_threshold" \
    "$(loop 6 t '{}' same | keyed openfang \
    'outcome_warn_threshold=1 outcome_block_threshold=2 warn_threshold=9')" \
"c1 warn repeat 1 1
c2 warn repeat 2 1
c3 block repeat 3
c4 block repeat 3
c5 block repeat 3
c6 block repeat 3"
is "openfang: ping_pong_min_repeats" "$(word abab |
    keyed openfang ping_pong_min_repeats=2)" "c4 block cycle 2"
is "openfang: window" "$(word ababab |
    keyed openfang 'ping_pong_min_repeats=3 window=5 warn_threshold=9')" ""
unread() {	# profile key=value ...
	local p=$1
	shift
	mapfile -t args < <(o "$@")
	guard -n -p "$p" "${args[@]}" </dev/null 2>&1
}
is "a set key that the profile does not use is said once" \
    "$(unread hermes halt_at=4 window=4 stall_warn_threshold=2)" \
"hamr-guard: -o: loop_guard.halt_threshold is set, but profile hermes does not \
use it
hamr-guard: -o: loop_guard.stall_warn_threshold is set, but profile hermes does \
not use it"
printf '[loop_guard]\nwarn_at = 2\n' >alias.toml
mkdir -p home/hamr && mv alias.toml home/hamr/config.toml
is "... where it is set, as it may have another name there" \
    "$(XDG_CONFIG_HOME=$PWD/home hamr-guard -n -p kimi </dev/null 2>&1)" \
    "hamr-guard: $PWD/home/hamr/config.toml:2: loop_guard.warn_threshold is \
set, but profile kimi does not use it"
is "... also by the default" "$(unread default global_circuit_breaker=9)" \
"hamr-guard: -o: loop_guard.global_circuit_breaker is set, but profile default \
does not use it"
is "... not one that only follows from another" \
    "$(unread hermes max_warnings_before_block=4)" ""
is "... nor with -q, nor without -p" \
    "$(unread hermes halt_at=4 enabled=true 2>&1 | wc -l
guard -n -q -p hermes -o loop_guard.halt_at=4 </dev/null 2>&1
guard -n -o loop_guard.global_circuit_breaker=9 </dev/null 2>&1)" "1"

# ---- strict, off, and what is common ----

for i in 1 2 3 4 5 6; do
	step "a$i" read '{"path":"a"}' x
	news "$i"; step "b$i" read "{\"path\":\"b$i\"}" "$news"
done >between
is "strict: halts at 5, whatever new comes between" \
    "$(said strict <between | grep -v warn | head -n 1)" "a5 halt repeat 5"
is "... where the default waits" \
    "$(said default <between | grep -v warn)" ""
is "off: judges nothing" "$(loop 9 t '{}' x | said off)" ""
is "the profile may be configured" \
    "$(loop 3 t '{}' | hamr-guard -n --no-config \
    -o loop_guard.profile=nanobot | jq -r 'select(.rule).rule')" "repeat"
is "other names of a tool count in every profile" \
    "$(loop 4 exec '{"command":"make check"}' |
    said hamr -o 'loop_guard.tools=["exec=bash"]')" "c4 halt repeat 4"
status "an unknown profile: status 2" 2 guard -p claude </dev/null
is "... and there is told what there is" "$(cat .err)" \
"hamr-guard: profile claude: unknown; the profiles are default, strict, hamr, \
openfang, hermes, nanobot, kimi, off"

{ loop 7 read '{"path":"a"}' x; person
loop 3 t '{}' "Error: x"; idle 1 9; echo '{"type":"hamr","v":1}'
word abababab; } >mixed
for p in hamr openfang hermes nanobot kimi strict; do
	guard -p $p <mixed >once
	guard -p $p <once >twice
	same "$p: twice is once" once twice
	ok "$p: says something" test -n "$(said $p <mixed)"
	jq -c 'select(.stage != "hamr-guard" and .meta.by != "guard")' \
	    <once >rest
	same "$p: changes nothing else" mixed rest
	good=0
	for n in $(seq 5 7 50); do
		head -n "$n" mixed | guard -p $p >part
		cmp -s part <(head -c "$(wc -c <part)" once) &&
		    good=$((good + 1))
	done
	is "$p: a beginning gives a beginning" "$good" 7
	is "$p: a nudge for each step that has words, after its verdicts" \
	    "$(guard -n -p $p <mixed | jq -r 'select(.role) |
	    [.meta.by, (.content | startswith("[hamr-guard] ")),
	    (.meta.rules | length > 0)] | join(" ")' | sort -u)" \
	    "guard true true"
	is "$p: -a writes what may run" "$(word ab | guard -n -a -p $p |
	    jq -r .action | tr '\n' ' ')" "allow allow "
	status "$p: -e says whether it refused" \
	    "$(said $p <mixed | grep -c -m 1 'block\|halt')" \
	    guard -e -p $p mixed
done
# Random transcripts, against the policies written plainly.
model() { python3 -B "$TOP/tests/guard/guard_profiles.py" "$@"; }
transcripts=100
[ -z "${CHECK_FULL:-}" ] || transcripts=300
model make 7 $transcripts >random
for p in hamr openfang hermes nanobot kimi; do
	model $p <random >want
	said $p random | grep -v '^constrain' | sed 's/ *$//' >got
	same "$p: as its slow model, on $transcripts random transcripts" got want
	ok "$p: of which it has something to say" \
	    test "$(wc -l <want)" -gt $((transcripts / 3))
done

# Side by side on loops put behind a session.
{ person; for i in $(seq 14); do
	news "$i"; step "s$i" grep "{\"path\":\"$i\"}" "$news"
done; } >session
python3 -B "$TOP/tests/guard/guard_beside.py" "$(command -v hamr-guard)" session \
    >table
sed 's/^/# /' table
is "a row for each kind of loop" "$(wc -l <table)" "18"
is "the default sees them all" "$(cut -c 20-29 table | grep -c '100@')" "17"
is "others are blind somewhere" "$(for c in 50 60; do
	cut -c $c-$((c + 9)) table | grep -c ' 0$'; done | sort -n | head -n 1 |
	grep -c '^[1-9]')" "1"

step x bash '{"command":"xyzzy plugh"}' plover >one
for p in hamr openfang hermes nanobot kimi; do
	for i in 1 2 3 4 5 6 7 8 9; do cat one; done | guard -n -p $p
done >all
ok "the sentences are there" test "$(grep -c message all)" -gt 15
is "and none quotes the arguments or a result" \
    "$(grep -c 'xyzzy\|plugh\|plover' all)" "0"
done_testing

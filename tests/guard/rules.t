#!/bin/bash
# rules.t - the table of rules of chapter 3.2, row by row, and its keys.
. "$(dirname "$0")/../lib.sh"

guard() { hamr-guard --no-config "$@"; }
. "$TOP/tests/guard/said.sh"
texts() { make | guard -n "$@" | jq -r 'select(.type == "verdict").message'; }

# ---- outcomes: raw and normalised ----

is "times and durations do not make another result, but a weaker one: 6" \
"$(said <<'X'
8* s c# bash {"command":"make"} = 2026-11-20 10:00:1# built in 0.#s
X
)" "c6 warn repeat-weak 6
c7 warn repeat-weak 7
c8 warn repeat-weak 8"
weak() {	# texts one after the other, as results of one call
	local n=0 text
	for text in "$@" "$@" "$@" "$@" "$@" "$@"; do
		echo "s c$((++n)) t {} = $text"
	done | said | head -n 1
}
while IFS='|' read -r name one two; do
	is "$name" "$(weak "$one" "$two")" "c6 warn repeat-weak 6"
done <<'X'
clock times|x 10:11:12 y|x 23:59:59.25 y
dates|on 2026-11-20|on 2026-11-21T10:00:00Z
dates with the name of the month|Nov 20 2026|Dec  1 2026
dates with the day in front|on 11/20/2026|on 9/1/2026
times in logs of servers|[20/Nov/2026:18:46:07 +0000] GET|[21/Dec/2026:01:02:03 +0000] GET
times in the names of files|log 2026-11-20T10_07_33_120Z-0.log|log 2026-11-21T09_59_01_4Z-0.log
the same, with hyphens|shot 2026-11-20-10-07-33.png|shot 2026-11-21-09-59-01.png
durations|3 passed in 0.12s|3 passed in 1m4s
seconds into a step of an image|\#5 1.25 npm ERR|\#5 17.04 npm ERR
numbers of processes|sshd[123]: up pid=77|sshd[9]: up pid=8
numbers of processes, as a checker of memory has them|==123== lost|==77== lost
addresses|<A at 0x7f001122>|<A at 0x7f00aabb>
temporary paths|in /tmp/tmpab12/x.c|in /tmp/tmpcd9/x.c
members of JSON|{"a":1,"request_id":"r-a","traceId":"a-b","elapsed_ms":1}|{"a":1,"request_id":"s-b","traceId":"c-d","elapsed_ms":17}
members of JSON, however they are spelled|{"RequestID":"r-a","correlation-id":"a","checkedAt":"now"}|{"RequestID":"s-b","correlation-id":"b","checkedAt":"just now"}
X
is "a failure is the same whatever was written over before it" "$(
for bar in = == ====; do
	echo "c c$((++n)) bash {\"command\":\"npm ci\"}"
	echo "{\"role\":\"tool\",\"tool_call_id\":\"c$n\",\"content\":\"=\r$bar npm\nEUSAGE\",\"is_error\":true}"
done | said)" "c3 warn retry 3"
is "the number of a process in the background, in a poll too" "$(
echo '18* s c# bash {"command":"node s.js & sleep 2; curl h"} = [1] 4#17\nold' |
    said | head -n 1)" "c13 warn stall 4"
while IFS='|' read -r name one two; do
	is "$name is no part of the outcome" "$(weak "$one" "$two")" \
	    "c3 warn repeat 3"
done <<'X'
the head of Codex|Exit code: 0\nWall time: 0.1 seconds\nOutput:\none two|Exit code: 0\nWall time: 7 seconds\nOutput:\none two
its chunks|Chunk ID: a1b2\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\none two|Chunk ID: c3d4\nWall time: 9 seconds\nProcess exited with code 0\nOutput:\none two
the foot of Gemini CLI|Command: ls\nDirectory: (root)\nOutput: one two\nProcess Group PGID: 17|Command: ls\nDirectory: (root)\nOutput: one two\nProcess Group PGID: 18
the foot of a sub-agent|one two\nagentId: a1 (for resuming)|one two\nagentId: b2 (for resuming)
what Cline says of the time|one two\n\n<environment_details>\n# Current Time\n1/10/2026, 10:02\n17 % used\n</environment_details>|one two\n\n<environment_details>\n# Current Time\n1/10/2026, 10:03\n19 % used\n</environment_details>
its usage|one two\nagentId: a1\n<usage>total_tokens: 17</usage>|one two\nagentId: b2\n<usage>total_tokens: 18</usage>
X
while IFS='|' read -r name one two; do
	is "numbers apart it is the same, for a warning: $name" \
	    "$(weak "$one" "$two")" "c6 warn repeat-weak 6"
done <<'X'
a number|PR 17|PR 18
a line|a.c:12:34: error|a.c:12:35: error
a version|v1.2.3|v1.2.4
a share|11/20/40|11/21/40
a number of a chapter|# 1.2 Aim|# 1.3 Aim
a path|/a/11/20/2026/b|/a/11/21/2026/b
a number between signs|a == 17 == b|a == 18 == b
a size|17 bytes|18 bytes
an id|{"id":17}|{"id":18}
a commit|at 3f2a9c1 now|at 77d0e4b now
the id of a request|409, request id: XVDJZGJQFJWG03QJ, no|409, request id: 9FUOJNMUAFSANALB, no
a UUID|x 123e4567-e89b-12d3-a456-426614174000|x 9aaabbbb-cccc-dddd-eeee-ffffffffffff
X
is "... of a file that is read, too" "$(said <<'X' | grep weak
6* s c# read {"path":"count"} = # lines so far
X
)" "c6 warn repeat-weak 6"
long() {	# lines of numbers, the last one given
	printf '1* s c# t {} = '
	printf '%s\\n' $(seq "$1" $(($1 + 40)))
	echo "$2"
}
is "... of a long one" "$(for i in 1 2 3 4 5 6; do long 1 same$i; done |
    tr -d '\n' | sed 's/1\* s/\n1* s/g' | said | grep -m 1 weak)" \
    "c6 warn repeat-weak 6"
is "... that differs far down" "$(for i in a b c d e f g; do long 1 $i; done |
    tr -d '\n' | sed 's/1\* s/\n1* s/g' | said | grep weak)" ""
is "... a command made for its times, none" "$(for i in $(seq 9); do
echo "s c$i bash {\"command\":\"psql -c '\\\\timing' -c 'select f()'\"} = f\nTime: $i.3$i ms"
done | said)" ""
is "... a short answer that is a measure: 24" "$(for i in $(seq 24); do
echo "s c$i bench {} = $((i * 7919 % 1000)) operations a second"
done | said)" "c24 warn repeat-weak 24"
is "... of a page, too, which weighs nothing" "$(for i in $(seq 30); do
echo "s c$i bash {\"command\":\"curl -s h/load\"} = load 0.$((i * 7919 % 1000))"
done | said | grep -v repeat-weak)" ""
is "... but not in a longer text: 6" "$(for i in $(seq 7); do
echo "s c$i t {} = the counters of the page that was asked for, all of them:\nbytes $((i * 1700))"
done | said | head -n 1)" "c6 warn repeat-weak 6"
is "... which weighs nothing, though it counts for a while" "$(
for i in 1 20 40 $(seq 41 70); do
echo "s c$i t {} = the batch that was begun today is not over yet, records written: $i"
done | said | grep -v repeat-weak)" ""
priced() {	# tool: nine times the same call, a measure comes back
	for i in $(seq 9); do
		echo "s c$i $1 {\"id\":7} = {\"price\":$((i * 7919 % 1000))}"
	done | said
}
is "... that an order asked for has" "$(priced get_order)" ""
is "... which is none where the order is made" \
    "$(priced place_order | head -n 1)" "c6 warn repeat-weak 6"
for text in 'request 0A7KQ2MZX9P41{} failed' 'redis:6379/0: job {} left nothing'; do
	is "a number or an id is neither a measure nor a share: $text" "$(
	    for i in $(seq 17); do
		echo "s c$i t {} = ${text//\{\}/$i}"
	done | said | grep -m 1 'stall 8')" "c15 warn stall 8"
done
for text in '[{} of 100 calls used]' 'Attempt {}/50: no answer' 'tokens: {} %'; do
	is "what counts the calls themselves is no share: $text" "$(
	    for i in $(seq 6); do
		echo "s c$i t {} = the same\n${text//\{\}/$i}"
	done | said)" "c6 warn repeat-weak 6"
done
is "words are data" "$(weak 'decade' 'facade' | grep repeat)" ""
is "numbers apart it weighs nothing and is never refused" \
"$(said <<'X' | grep -v repeat-weak
30* s c# t {} = 11 of # failed
X
)" ""
is "a share that rises is what is waited for, one that falls is not" "$(said <<'X'
20* s c# t {} = # of 30 files copied
20* s d# u {} = copied #0 %
20* s f# v {} = #/90
20* s g# w {} = {"state":"active","percent":#5}
20* s h# x {} = #.05/225.5 GB
20* s i# y {} = 00#/130 files
20* s j# z {} = {"context":{"a":1},"percent":#5,"tokens":17}
20* s k# a {} = # of 40 recorded calls are transcribed
X
for i in 9 8 7 6 5 4; do echo "s c$i t {} = $i of 30 files copied"
done | said)" "c4 warn repeat-weak 6"
is "progress in between sets it back" "$(for i in $(seq 9); do
echo "s v$i bash {\"command\":\"make check\"} = $i of 40 failed | {\"is_error\":true}"
echo "s e$i edit {\"path\":\"a\",\"old\":\"$i\",\"new\":\"x$i\"} = ok"
done | said)" ""
is "a failure: warned with numbers apart, refused without" \
"$(said <<'X' | grep -v stall
9* s c# t {} = job # failed | {"is_error":true}
X
)" "c3 warn retry 3
c4 warn retry 4
c5 warn retry 5
c6 warn retry 6
c7 warn retry 7
c8 warn retry 8
c9 warn retry 9"
is "equality of that sort never blocks" \
"$(said <<'X' | grep repeat | grep -c 'block\|halt'
12* s c# t {} = at 10:00:1#
X
)" 0

# ---- retry ----

is "a failing call repeated: warn 3, block 5, halt 8" \
"$(said <<'X' | grep -v stall
8* s c# edit {"path":"a","old":"x","new":"y"} = no match | {"is_error":true}
X
)" "c3 warn retry 3
c4 warn retry 4
c5 block retry 5
c6 block retry 6
c7 block retry 7
c8 halt retry 8"
is "failures compare normalised, and do block" \
"$(said <<'X' | grep -v stall | tail -n 1
5* s c# t {} = 10:00:1# failed | {"is_error":true}
X
)" "c5 block retry 5"
is "a command's status is a failure, too" "$(said <<'X' | head -n 1
3* s c# bash {"command":"make"} = FAIL | {"meta":{"exit":2}}
X
)" "c3 warn retry 3"
match "the text tells of the attempts" "$(texts <<'X' | head -n 1
s a t {} = no | {"is_error":true}
s b read {"path":"x"} = FILL
s c t {} = no | {"is_error":true}
s d t {} = no | {"is_error":true}
X
)" "*(at steps 1, 3 and 4 of this turn)*fundamentally different*"
match "... each step once" "$(texts <<'X' | head -n 1
b a t {} ; w u {"x":1} ; b t {} ; v u {"x":2} ; c t {}
r a no | {"is_error":true}
r w one
r b no | {"is_error":true}
r v two
r c no | {"is_error":true}
X
)" "*(all at step 1 of this turn)*"
nudge() { make | guard -n | jq -r 'select(.role == "user").content'; }
is "a nudge says a thing once, whatever the tools" "$(for i in 1 2 3; do
echo "b a$i t {\"x\":$i} ; b$i u {\"x\":$i} ; c$i v {\"x\":$i}"
for c in a b c; do echo "r $c$i no | {\"is_error\":true}"; done; done | nudge | cut -c 1-60)" \
"[hamr-guard] t has failed with the same error in 3 steps, wi
The same applies to 2 more of these calls."
while IFS='|' read -r name text call; do
	is "a nudge fits $name" "$(echo "12* s c# $call" | nudge |
	    sed -n "s/.*\($text\).*/\1/p" | head -n 1)" "$text"
done <<'X'
a look, whose result says something|Make the change it supports|grep {"path":"a"} = the result
what need not be made again|Making it again changes nothing|write {"path":"a","content":"x"} = ok
searches that find nothing|have found nothing|grep {"pattern":"a#"} = No matches found
searches that find the same|returned the same short answer|grep {"pattern":"a#"} = a.c
bad arguments|Do what the error asks for|write {"content":"a#"} = path is missing | {"is_error":true}
X
is "... a cycle, however many of its calls are in the step" \
"$(for i in 1 2 3; do echo "b a$i read {\"path\":\"a\"} ; b$i grep {\"x\":1}"
for c in a b; do echo "r $c$i the result of $c"; done; done | nudge | cut -c 1-60)" \
"[hamr-guard] The last 2 calls form a cycle, repeated 3 times"
is "... and for text alone if it asks for text" "$(make <<'X' | guard -n \
    -o loop_guard.block_threshold=20 -o loop_guard.halt_threshold=30 |
9* s c# t {} = the result
X
    jq -rc 'select(.role == "user") | .meta.rules, .content' | tail -n 2 |
    sed 's/,.without.*//')" \
'["repeat","stall"]
[hamr-guard] The last 8 steps returned nothing new. Write the next message as text only'
is "who waits is told to pause, and may look again then" "$({
echo '4* s c# vm_describe {} = {"state":"BACKLOG"}'
for i in 1 2; do echo "s s$i bash {\"command\":\"sleep 20\"} = "
echo "s d$i vm_describe {} = {\"state\":\"BACKLOG\"}"; done; } | make |
    guard -n | jq -rs '(map(.action == "block") | any),
	(map(.content // "" | test("waiting.*pause before")) | any)')" "false
true"
match "what is new is not called nothing, however short" "$(nudge <<'X'
u go
3* s c# t {} = yes
X
)" "*same result 3 times; nothing new in the last 2 steps.*"
match "... nor in a stall" "$(for i in {1..9}; do
echo "s p$i bash {\"command\":\"echo $i\"} = $i"
echo "s q$i bash {\"command\":\"ls $i\"} = f$i"; done | nudge | tail -n 1)" \
    "*The last 15 steps returned hardly anything new. Write*"
match "a check that fails has failed, and is worth a pause" "$(texts <<'X' | head -n 1
9* s c# bash {"command":"docker ps"} = no such socket | {"is_error":true}
X
)" "This bash call has failed the same way 9 times (*Wait 5 seconds*"
match "max_retries: while there are more, hints" \
"$(texts -o loop_guard.max_retries=3 <<'X' | head -n 1
3* s c# t {} = no | {"is_error":true}
X
)" "*Reread the error*"
for sign in 'operation timed out' 'HTTP 429 Too Many Requests' \
    'connection refused' 'connect ETIMEDOUT 1.2.3.4' 'read ECONNRESET' \
    'getaddrinfo EAI_AGAIN x' 'HTTP 408' '502 Bad Gateway' 'error 503' \
    'status: 504' 'API error (529)' 'Service Unavailable' \
    'temporarily down' 'Error: socket hang up' \
    'fatal: the remote end hung up unexpectedly' \
    'curl: (18) transfer closed with 9 bytes remaining to read'; do
	is "errors that may pass double block and halt: $sign" \
"$(echo "16* s c# t {} = $sign | {\"is_error\":true}" | said |
    grep retry | sed -n '1p;7,8p;14p')" "c3 warn retry 3
c9 warn retry 9
c10 block retry 10
c16 halt retry 16"
done
for sign in 'a.c:503:12: error' '1503 files' 'v1.502.3' 'line x429'; do
	is "errors that will not: $sign" \
"$(echo "5* s c# t {} = $sign | {\"is_error\":true}" | said | grep block)" \
"c5 block retry 5"
done
match "they are told to wait, each time longer" \
"$(echo '4* s c# t {} = HTTP 429 | {"is_error":true}' | texts | tr '\n' ' ')" \
    "*Wait 5 seconds before the next attempt*Wait 10 seconds before*"
for text in 'Exit code: 2\nWall time: 1.# seconds\nOutput:\nFAIL' \
    'Output: FAIL\nError: (none)\nExit Code: 101' \
    'Process exited with code 1\nFAIL'; do
	is "a status that only the text tells: $text" \
"$(echo "3* s c# shell {\"command\":[\"make\",\"check\"]} = $text" | said)" \
	    "c3 warn retry 3"
done
is "... of 0, or of another tool, is none" "$(said <<'X' | cut -d ' ' -f 3
3* s c# shell {"command":["make"]} = Exit code: 0\nok
3* s d# t {} = Exit code: 1
X
)" "repeat
repeat"
is "who pauses in between is told later" "$(for i in $(seq 18); do
	echo "s p$i bash {\"command\":\"sleep ${i}0\"} ="
	echo "s c$i t {} = HTTP 429 | {\"is_error\":true}"
done | said | grep retry)" "c18 warn retry 18"
is "so does the code of hamr-tool" \
"$(said <<'X' | grep -m 1 block
10* s c# t {} = no | {"is_error":true,"meta":{"error":"rate_limited"}}
X
)" "c10 block retry 10"

# ---- same-error ----

is "one tool, one error, other arguments: warn 3, block 8" \
"$(said <<'X' | grep -v stall
9* s c# frob {"x":#} = not found | {"is_error":true}
X
)" "c3 warn same-error 3
c4 warn same-error 4
c5 warn same-error 5
c6 warn same-error 6
c7 warn same-error 7
c8 block same-error 8
c9 block same-error 9"
is "same_error_warn and same_error_block" \
"$(said -o loop_guard.same_error_warn=2 -o loop_guard.same_error_block=4 <<'X'
4* s c# frob {"x":#} = not found | {"is_error":true}
X
)" "c2 warn same-error 2
c3 warn same-error 3
c4 block same-error 4"
is "bash and tools of the network: warned from the 4th, never more" \
"$(said <<'X' | grep same-error | cut -d ' ' -f 2- | sort | uniq -c | tr -s ' '
9* s c# bash {"command":"x #"} = not found | {"is_error":true}
u next
9* s c# web_fetch {"url":"#"} = not found | {"is_error":true}
u next
9* s c# httpGet {"url":"#"} = not found | {"is_error":true}
u next
9* s c# webfetch {"url":"#"} = not found | {"is_error":true}
X
)" " 4 warn same-error 4
 4 warn same-error 5
 4 warn same-error 6
 4 warn same-error 7
 4 warn same-error 8
 4 warn same-error 9"
is "an error that may pass: at twice that" \
"$(said <<'X' | grep same-error | head -1
9* s c# bash {"command":"npm ci --fetch-timeout=#"} = connect ETIMEDOUT | {"is_error":true}
X
)" "c8 warn same-error 8"
is "a failed edit of the word timeout will not pass" "$(said <<'X' | tail -n 1
5* s c# edit {"path":"a","old":"x(timeout=1)","new":"y"} = Error: no match for x(timeout=1) | {"is_error":true}
X
)" "c5 block retry 5"
is "... one that only says so may, and twice as often" "$(said <<'X' | tail -n 1
10* s c# edit {"path":"a","old":"x","new":"y"} = Edit of a: request timed out | {"is_error":true}
X
)" "c10 block retry 10"
is "a bare status is no error of theirs" "$(said <<'X' | grep same-error
9* s c# bash {"command":"grep #"} = Command exited with code 1 | {"is_error":true}
9* s d# bash {"command":"grep x#"} = exit 1 | {"meta":{"exit":1}}
9* s f# bash {"command":"grep y#"} = | {"meta":{"exit":1}}
X
)" ""
ten() {	# ten edits of the file $1 in one message; all fail
	local i sep=b
	for i in 0 1 2 3 4 5 6 7 8 9; do
		printf '%s %s%s edit {"path":"%s","old":"%s","new":"y"}' \
		    "$sep" "$1" "$i" "$1" "$i"
		sep=" ;"
	done
	echo
	for i in 0 1 2 3 4 5 6 7 8 9; do
		echo "r $1$i no match | {\"is_error\":true}"
	done
}
is "ten that fail in one message count once" "$({ ten a; ten b
echo 's g edit {"path":"a","old":"good","new":"y"} = ok'; } | said)" ""
is "... and the third such message is warned of" \
"$({ ten a; ten b; ten c; } | said)" "c0 warn same-error 3"
refused() {
	echo "b ${1}0 edit {\"path\":\"f\",\"old\":\"$1\"} ;" \
	    "${1}1 edit {\"path\":\"g\",\"old\":\"$1\"}"
	echo "r ${1}0 no match | {\"is_error\":true}"
	echo "r ${1}1 no match | {\"is_error\":true}"
}
is "... and two refused in one message are one more, too" \
"$({ for c in a b c d e f g h i; do refused $c; done; } | said | grep block)" \
"h0 block same-error 8
h1 block same-error 8
i0 block same-error 9
i1 block same-error 9"
is "two errors of a tool have their own counts" \
"$(for i in 1 2 3; do echo "s a$i frob {\"x\":$i} = not found | {\"is_error\":true}"
echo "s b$i frob {\"y\":$i} = not allowed | {\"is_error\":true}"; done | said)" \
"a3 warn same-error 3
b3 warn same-error 3"
is "a hundred tools are told apart" "$(for i in 1 2 3; do
for t in $(seq 100); do
echo "s c${t}_$i t$t {\"x\":$i} = $t says no | {\"is_error\":true}"; done; done |
    said -o loop_control.progress_stall_threshold=999 | grep -c same-error)" 100
is "a success of the tool ends it" "$(said <<'X'
2* s c# frob {"x":#} = not found | {"is_error":true}
s d frob {"x":0} = FILL
2* s c# frob {"x":#} = not found | {"is_error":true}
X
)" ""

is "what other calls bring between its failures doubles the limit" \
"$(said <<'X'
1* s c# frob {"x":#} = not found | {"is_error":true}
1* s f# read {"path":"#"} = FILL
1* s c# frob {"x":#} = not found | {"is_error":true}
1* s f# read {"path":"#"} = FILL
1* s c# frob {"x":#} = not found | {"is_error":true}
1* s f# read {"path":"#"} = FILL
1* s c# frob {"x":#} = not found | {"is_error":true}
1* s f# read {"path":"#"} = FILL
1* s c# frob {"x":#} = not found | {"is_error":true}
1* s f# read {"path":"#"} = FILL
1* s c# frob {"x":#} = not found | {"is_error":true}
X
)" "c11 warn same-error 6"

# ---- same-answer ----

is "there is none of it, whatever it is: a remark at 12" "$(said <<'X'
13* s c# glob {"pattern":"**/thing#.ts"} = No files found that match **/thing#.ts within this folder
X
)" "c12 warn same-answer 12"
is "... done to it, each time: nothing" "$(said <<'X'
13* s c# run_cell {"cell":"thing#"} = thing# ran, no output
13* s c# rename {"name":"thing#"} = renamed thing#
13* s c# call_service {"service":"light.turn_on","entity":"lamp#"} = []
X
)" ""
while IFS='|' read -r call text; do
	is "12 calls that find nothing are told: $call" \
	    "$(echo "13* s c# $call = $text" | said)" "c12 warn same-answer 12"
done <<'X'
bash {"command":"find . -name x#"}|
bash {"command":"grep -c x# a.c"}|0
glob {"pattern":"x#"}|[]
issues {"query":"x#"}|{"total":0,"items":[]}
lsp_hover {"line":#}|No information available.
X
while IFS="|" read -r call text; do
	is "... as what is run with another comment: $call" \
	    "$(echo "13* s c# $call = $text" | said)" "c12 warn same-answer 12"
done <<'X'
evaluate_script {"script":"// try #, once more\nrows().length"}|42
run_query {"sql":"select a from t /* try # */"}|(1 row)
bash {"command":"curl -s -A agent/# h/x"}|{"error":"forbidden"}
bash {"command":"go vet ./...","timeout":#000}|0 issues.
X
same_work() {	# nine times, % is the number: what is said first
	for i in $(seq 9); do
		echo "s c$i bash {\"command\":\"${1//%/$i}\"} = ${2//%/$i}"
	done | said | head -n 1
}
while IFS= read -r command; do
	is "one command, whatever it says of itself: $command" \
	    "$(same_work "$command" "2.3.1 of all that there is")" \
	    "c3 warn repeat 3"
done <<'X'
jq -r .version a.json \# try %
\# try %\njq -r .version a.json
: try %; jq -r .version a.json
true % && jq -r .version a.json
echo -n; jq -r '.version' a.json || echo try %
printf '%\n' >/dev/null; jq -r .version \"a.json\" 2>&1
jq -r .version a.json 2>&1 | tail -n %
X
is "... but other lines of its output are never refused" "$(
for n in 1 1 1 1 50 1; do
echo "1* s c$n bash {\"command\":\"./x | tail -n $n\"} = 2.3.1"
done | said | tail -n 1)" "c1 warn repeat 6"
is "... or after another pause, which is a poll" \
    "$(same_work 'sleep %; ./x' 2.3.1)" "c9 warn repeat 9"
is "... in a group, with other blanks behind it, its arguments in any order" \
"$(said <<'X'
s a bash {"command":"(cd a; ./x)","env":{"A":1,"B":2.0}} = 2.3.1
s b bash {"env":{"B":2,"A":1},"command":"(cd a;  ./x) \n"} = 2.3.1
s c bash {"command":" (cd a; ./x)","env": { "A": 1, "\u0042": 2 }} = 2.3.1
X
)" "c warn repeat 3"
while IFS='|' read -r command text; do
	is "... and says again: $command" \
	    "$(same_work "$command" "$text")" "c5 warn stall 4"
done <<'X'
echo '=== check % ==='; jq -r .version a.json|=== check % ===\n2.3.1
jq -r .version a.json; echo done %|2.3.1\ndone %
X
while IFS= read -r command; do
	is "another one: $command" "$(same_work "$command" 2.3.1)" ""
done <<'X'
echo % | ./x
./x <<E\nx=%\nE
./x '%'
echo % >a; ./x
./x <in%
./x >out%
./x | tail -% | wc -l
python3 -c 'print(%)  \# x'
grep '## %' a
cat >>a.md <<E\n* item %\nE
git commit -m 'see \# %'
{ echo %; echo quit; } | ./x
(echo a; echo %) >a; ./x
diff <(echo %) <(./x)
f() { echo %; }; f | ./x
for i in 1 2; do echo %; done | ./x
exec >a; echo %; ./x
echo % &>a; ./x
printf -v a %; ./x \"$a\"
X
is "another remark at 24, 48 and so on, and never more" \
"$(echo '100* s c# glob {"pattern":"x#"} = No files found' |
    said)" "c12 warn same-answer 12
c24 warn same-answer 24
c48 warn same-answer 48
c96 warn same-answer 96"
while IFS='|' read -r call text; do
	is "of 48 that went well: $call" \
	    "$(echo "48* s c# $call = $text" | said)" "c48 warn same-answer 48"
done <<'X'
insert {"row":#}|OK
bash {"command":"curl -so /dev/null -w %{http_code} h/#"}|200
bash {"command":"cc -fsyntax-only f#.c"}|
cell {"n":#}|None
lint {"file":"f#"}|no errors
X
is "no answer at all is one, too, and what comes between does not matter" \
"$(said -o loop_guard.same_answer_warn=3 <<'X'
1* s c# bash {"command":"grep # x"} = | {"meta":{"exit":1}}
1* s f# read {"path":"#"} = FILL
1* s c# bash {"command":"grep # x"} = | {"meta":{"exit":1}}
1* s f# read {"path":"#"} = FILL
1* s c# bash {"command":"grep # x"} = | {"meta":{"exit":1}}
X
)" "c5 warn same-answer 3"
is "another tool, another answer, progress: other counts" \
"$(said -o loop_guard.same_answer_warn=3 <<'X'
2* s a# t {"x":#} = OK
2* s b# u {"x":#} = OK
2* s c# t {"x":#} = fine
s w write {"path":"a","content":"1"} = ok
2* s d# t {"x":#} = OK
X
)" ""
is "what a command says of itself is no answer" \
"$(said -o loop_guard.same_answer_warn=3 <<'X' | head -n 1
12* s c# bash {"command":"echo try #; ./x"} = try #\nfine
X
)" "c9 warn stall 4"
is "... behind a label of another agent, either" \
"$(said -o loop_guard.same_answer_warn=3 <<'X' | head -n 1
12* s c# run_shell_command {"command":"echo \"try #\"; ./x"} = Output: try #\nfine
X
)" "c9 warn stall 4"
is "the same call again is a repeat" \
"$(said -o loop_guard.same_answer_warn=3 <<'X'
2* s a# t {"x":1} = OK
s b t {"x":1} = OK
X
)" "b warn repeat 3"
is "a long answer is none" "$(said -o loop_guard.same_answer_warn=3 <<'X' |
3* s a# t {"x":#} = the very same long answer comes to every one of these calls, again
X
    grep same-answer)" ""

# ---- stall ----

is "code that names a file does not change it" "$(said <<'X' | head -n 1
1* s e# celda {"c":"abre('/w/a.css') #","k":"x","s":"y"} = hecho
1* s c# ver {"c":"v"} = Fila 7: el dato no es correcto, y quedan errores en la tabla.
1* s f# celda {"c":"abre('/w/a.css') 2#","k":"x","s":"y"} = hecho
1* s d# ver {"c":"v"} = Fila 7: el dato no es correcto, y quedan errores en la tabla.
1* s g# celda {"c":"abre('/w/a.css') 3#","k":"x","s":"y"} = hecho
1* s h# ver {"c":"v"} = Fila 7: el dato no es correcto, y quedan errores en la tabla.
X
)" "h6 warn repeat 3"
is "a job that has failed only gets older" "$(said <<'X' | tail -n 1
15* s c# get_job {"id":7} = {"id":7,"state":"FAILED","age":4#51}
X
)" "constrain stall 1"
is "... one of several that has does not" "$(said <<'X' | grep -v repeat-weak
18* s c# get_jobs {} = [{"id":7,"state":"failed"},{"id":8,"state":"open","rows":4#51}]
X
)" ""
is "a stalled poll is told to wait" "$(texts <<'X' | head -n 1
19* s c# bash {"command":"kubectl get pods"} = web  0/1  ContainerCreating  0  #s
X
)" "The last 12 steps returned nothing new. Wait 5 seconds before the next check, \
or do work that does not depend on it."
is "... not if it fails, and not for a time" "$(texts <<'X' | grep -c Wait
11* s c# bash {"command":"tail -n # x.log"} = No such file | {"is_error":true}
X
)" "0"
is "sweep: reads past the end are named" "$(texts <<'X' | head -n 1 |
s a read {"path":"a"} = FILL
9* s c# read {"path":"a","first":#00} =
X
    cut -d ';' -f 1)" \
"The last reads showed no line that you had not seen"
is "... without meta, too" "$(said <<'X' | head -n 1
s a read {"path":"a"} = FILL
9* s c# read {"path":"a","offset":#00} = Error: Offset #00 is beyond end of file (90 lines total)
X
)" "c9 warn stall 4"
read_of() {	# id first last [header]: as hamr-tool answers
	printf 's %s read {"path":"f","first":%s,"last":%s} = f lines %s-%s of 90, %s\\nl%s | {"meta":{"op":"file","path":"f","first":%s,"last":%s,"lines":90,"sha256":"x"}}\n' \
	    "$1" "$2" "$3" "$2" "$3" "${4:-read once as a part of a task that takes very long}" "$2" "$2" "$3"
}
is "by meta: ranges that were shown, whatever the header says" "$({
read_of a 1 90
for i in 2 3 4 5 6 7 8 9; do read_of "c$i" "$i" 80 "[context: $i$i$i more] read ${i}x, which is another header every single time"; done
} | said | head -n 1)" "c9 warn stall 4"
is "... past the end" "$({ read_of a 1 90; for i in 1 2 3 4 5 6 7 8; do
echo "s c$i read {\"path\":\"f\",\"first\":${i}00} = f has 90 lines, none from ${i}00 on, as was said $i times before | {\"meta\":{\"op\":\"file\",\"path\":\"f\",\"lines\":90,\"sha256\":\"x\"}}"
done; } | said | head -n 1)" "c8 warn stall 4"
is "... not of a file that changed, nor after a compaction" "$({ read_of a 1 90
for i in 2 3 4 5 6; do read_of "c$i" "$i" 80 | sed "s/\"x\"/\"x$i\"/"; done
for i in 2 3 4; do echo '{"type":"compaction","epoch":1}'
read_of "d$i" "$i" 80; done; } | said)" ""
is "placeholders are named" "$(texts <<'X' | head -n 1 | cut -d ';' -f 1
4* s c# bash {"command":"echo #"} = #
X
)" "Calls like the last one cannot return anything new (a thought, a constant, \
no command, an empty file)"
is "a pod that backs off is tried in vain" "$(said <<'X' | head -n 1
6* s c# bash {"command":"kubectl get pods"} = web-0   0/1   CrashLoopBackOff   # (4#s ago)   1#m
X
)" "c6 warn repeat-weak 6"
is "... however old it gets" "$(said <<'X' | head -n 1
6* s c# bash {"command":"kubectl get pods"} = web-0   0/1   ImagePullBackOff   0   #m1#s
X
)" "c5 warn stall 4"
is "what has ended in an error is over, however far it came" "$(said <<'X' | head -n 1
6* s c# export_status {"id":8} = {"state":"ERROR","progress":0.41,"server_time":1795#00}
X
)" "c6 warn repeat-weak 6"
is "the same write, whatever numbers its answer has" "$(said <<'X' | head -n 1
9* s c# fs.writeFile {"file":"a.py","data":"print()\n"} = {"ok": true, "bytes": 8, "mtime": 1795#45#1, "inode": 99#2, "dev": 66}
X
)" "c5 warn stall 4"
is "the hits of a search are the same under other scores" "$(said <<'X' | head -n 1
9* s c# search_docs {"text":"how to#"} = [a.md] (score 0.7#8#4)\nThe first chunk says how it is done, at a length that counts as news.\n[b.md] (score 0.6#1#)\nThe second chunk tells why, and also says more than enough words.
X
)" "c9 warn stall 4"
is "a log that grows by the same line at other times is nothing new" \
"$(for i in $(seq 10 40); do
	log="$log\\n2026-11-24 10:00:$i INFO worker alive, no job in the queue, still waiting"
	echo "s c$i bash {\"command\":\"cat w.log\"} = $log"
done | said | head -n 1)" "c19 warn stall 4"
is "none is none in other languages, too" \
"$(for text in 'Keine Treffer für w#.' 'Aucun résultat.' '未找到相关结果。' \
    'Ничего не найдено'; do
	echo "12* s c# frobnicate {\"q\":\"w#\"} = $text" | said
done)" "$(for i in 1 2 3 4; do echo 'c12 warn same-answer 12'; done)"
is "an error that only quotes its call is no new one" "$(said <<'X' | head -n 1
12* s c# read {"path":"/w/src/name#/deep.ts"} = ENOENT: no such file or directory, open '/w/src/name#/deep.ts' | {"is_error":true}
X
)" "c9 warn stall 4"
is "... nor one that counts the attempts" "$(said <<'X' | head -n 1
12* s c# bash {"command":"swap 'w#'"} = The text does not match anything in the file that is to be changed. (attempt #) | {"is_error":true}
X
)" "c9 warn stall 4"
is "a count of attempts makes no other command" "$(said <<'X' | grep -v stall
3* s c# bash {"command":"TRY=# ./setup.sh"} = configured, and nothing was found
3* s d# bash {"command":"SEED=# ./setup.sh"} = configured, and none was found
3* s f# bash {"command":"TRY=# ./setup.sh $TRY"} = configured, found nothing
X
)" "c3 warn repeat 3"
is "... nor one that is known as it stands" \
"$(said <<'X' | grep -m 2 stall
17* s c# bash {"command":"SEED=# make"} = make: the file a.c, line 3 and line 12: that is not a type at all, declared nowhere | {"is_error":true}
X
)" "c17 warn stall 8
constrain stall 1"
is "... one with another word is" "$(said <<'X'
1* s c# read {"path":"a"} = cannot open it: no such file or directory, which is to be there | {"is_error":true}
1* s c# read {"path":"b"} = cannot open it: permission denied, as its owner is root and not you | {"is_error":true}
1* s c# read {"path":"c"} = cannot open it: is a directory, which has no lines that can be read | {"is_error":true}
1* s c# read {"path":"d"} = cannot open it: too many levels of symbolic links were come across | {"is_error":true}
1* s c# read {"path":"e"} = cannot open it: the device is not configured, or is not there at all | {"is_error":true}
1* s c# read {"path":"f"} = cannot open it: stale handle of a file that was on another machine | {"is_error":true}
1* s c# read {"path":"g"} = cannot open it: the name is too long for this type of file system | {"is_error":true}
1* s c# read {"path":"h"} = cannot open it: input or output error, which the log says more of | {"is_error":true}
1* s c# read {"path":"i"} = cannot open it: no such process, as the one that had it has ended | {"is_error":true}
1* s c# read {"path":"j"} = cannot open it: resource busy, somebody else has locked the whole | {"is_error":true}
X
)" ""
is "a failure with other numbers is none, either" \
"$(said <<'X' | grep -m 2 stall
17* s c# t {} = no free port: ###3 and ###9 are in use, says the server that was to start | {"is_error":true}
X
)" "c14 warn stall 8
constrain stall 1"
is "a failure in few words, and a question: a half each, then two thirds" "$({
for i in $(seq 17); do
	echo "s f$i bash {\"command\":\"cat f$i\"} = cat: f$i: No such file or directory | {\"is_error\":true}"
done | said | grep 'stall 8'
for i in $(seq 9); do
	echo "s q$i bash {\"command\":\"sed -n $i,80p a.c\"} = int main(int argc, char *argv[]), and so on to the end of this text"
done | said; })" "f15 warn stall 8
f16 halt stall 8
f17 halt stall 8
q9 warn stall 4"
is "... asked once more and answered so, but for ids: one" \
"$(said <<'X' | grep -A 1 'stall 8'
9* s c# get_order {"id":17} = {"error":"this order is not one that can be found","request_id":"r-#"}
X
)" "c9 warn stall 8
constrain stall 1"
is "... a failed look behind a pause: a half, but not if it may pass" "$({
for i in $(seq 9); do
	echo "s s$i bash {\"command\":\"sleep 9\"} ="
	echo "s c$i bash {\"command\":\"cat out$i\"} = cat: out$i: No such file | {\"is_error\":true}"
done | said | grep -m 1 stall
for i in $(seq 9); do
	echo "s s$i bash {\"command\":\"sleep 9\"} ="
	echo "s d$i bash {\"command\":\"curl a$i\"} = Connection refused | {\"is_error\":true}"
done | said | grep -m 1 stall; })" "c9 warn stall 4"
is "one port after the other, each of them shut, is work" "$(for i in $(seq 20); do
	echo "s p$i bash {\"command\":\"nc -zv -w1 10.0.4.17 $((8000 + i))\"} = nc: connect to 10.0.4.17 port $((8000 + i)) (tcp) failed: Connection refused | {\"is_error\":true}"
done | said)" ""
is "a number that is called id is no measure, nor is a time in msec" \
"$(for i in $(seq 9); do for s in 1 2; do
	echo "s d$i$s bash {\"command\":\"dig @$s.1.1.1 a\"} = status: NXDOMAIN, id: $((i * i * 97 % 1000))\nQuery time: $((i * 37 % 60)) msec\nSERVER: $s.1.1.1, and nothing else"
done; done | said | head -n 1)" "d52 warn stall 4"
is "a question answered by an empty list is no news, whatever its ids" \
"$(said <<'X' | head -n 1
9* s c# web_search {"query":"word#"} = {"results":[],"searchId":"7f3b#aa0c17de","page":"one of one, as of today"}
X
)" "c9 warn stall 4"
is "... a list that holds something is" "$(said <<'X'
12* s c# web_search {"query":"word#"} = {"results":["entry #"],"tags":[],"page":"one of one, as of this very day"}
X
)" ""
is "an error in another cell is no new one, either" \
"$(for i in $(seq 9); do
echo "s c$i ipython {\"code\":\"f(x$i)\"} = KeyError  Traceback (most recent call last)\nCell In[$i], line 2\n      1 df = load()\nKeyError: 'k'"
done | said | head -n 1)" "c9 warn stall 4"
is "where a traceback ends the code has failed, whatever ran it" "$(said <<'X'
3* s c# ipython {"code":"f(x)"} = KeyError  Traceback (most recent call last)\nCell In[#], line 2\nKeyError: 'k'
X
)" "c3 warn retry 3"
is "a page with other ids is the same page" "$(said <<'X' | head -n 1
9* s c# web_fetch {"url":"http://a/?q=#"} = see below what it has\nsee http://b/?id=00ab#cdef and what else there is to be told of this
X
)" "c9 warn stall 4"
is "... also with other handles of its elements" "$(said <<'X'
9* s a# browser_click {"ref":"e#4"} = - heading "Sign in" [ref=e#]\n- alert [ref=s1e#]: a password is required\nuid=1_#0 button "Sign in, or make an account"
u go on
9* s b# browser_click {"ref":"e#4"} = - alert [ref=e#]: a password has 12 letters at the least, of which this one lacks #
X
)" "a9 warn stall 4"
is "... which a click may tell in one line" "$(said <<'X' | head -n 1
9* s c# computer {"action":"left_click","coordinate":[64#,388]} = Clicked. Saved to /shots/3f#a4b1c2d9e.png; the screen has not changed since
X
)" "c9 warn stall 4"
is "... one with other numbers is not" "$(said <<'X'
9* s c# web_fetch {"url":"http://a/?q=#"} = see more\nsee item # and what else there is to be told of this page here
X
)" ""
is "members of JSON that change by themselves are no news" \
"$(said <<'X' | head -n 1
9* s c# find_issue {"q":"#"} = {"issues":[],"total":0,"requestId":"r-#","page":"the first and only one"}
X
)" "c9 warn stall 4"
is "a command that may change files and repeats itself is none" \
"$(said <<'X' | tail -n 2
15* s c# bash {"command":"git commit --amend --no-edit"} = [main a1b2#c3] Fix the parser of numbers, as the issue says\n 1 file changed
X
)" "c15 warn stall 8
constrain stall 1"
is "thoughts are none of them alike, and none is news" "$(for i in 1 2 3 4 5; do
echo "s r$i read {\"path\":\"$i\"} = $i FILL"
echo "s t$i think {\"thought\":\"$i\"} ="; done | said)" ""
is "... so they alone lead nowhere" "$(said <<'X' | head -n 1
6* s c# think {"thought":"#"} =
X
)" "c4 warn stall 4"
is "a batch of calls that only have a description" \
    "$(echo '11* s c# add_note {"description":"note #"} = ok' | said)" ""
is "placeholders of every sort" "$(said <<'X' | head -n 1
s a bash {"command":":"} =
s b bash {"command":"true"} =
s c bash {"command":"printf ok"} = ok
s d read {"path":"/dev/null"} =
X
)" "d warn stall 4"
is "two of them in turn ask for text at the 8th, repeats or not" \
"$(for i in 1 2 3 4; do echo "s a$i read {\"path\":\"/dev/null\"} ="
echo "s b$i bash {\"command\":\"true\"} ="; done | said | grep ' 8$')" \
    "b4 warn stall 8"
is "60 characters not seen before reset it" "$(said <<'X'
3* s c# bash {"command":"echo #"} = #
s n read {"path":"n"} = FILL
3* s c# bash {"command":"echo #"} = #
X
)" ""
echo '3* s c# bash {"command":"echo #"} = #
s n read {"path":"n"} = ===========================================================
s d bash {"command":"echo d"} = d' >short59
is "59 do not" "$(said <short59)" "d warn stall 4"
is "progress_min_info_gain_length" \
"$(said -o loop_control.progress_min_info_gain_length=59 <short59)" ""
error='an error that nobody has seen before in all of this turn: 17'
is "a new error is something new" "$(said <<X
3* s c# bash {"command":"echo #"} = #
s n t {"n":1} = $error | {"is_error":true}
3* s c# bash {"command":"echo #"} = #
X
)" ""
is "nor is what the command itself prints" "$(said <<'X' | head -n 1
s n bash {"command":"cat a"} = a file of one line, which is long enough to be something new, but once
9* s c# bash {"command":"echo try #; cat a"} = try #\na file of one line, which is long enough to be something new, but once
X
)" "c5 warn stall 4"
is "nor what counts its calls between times that change" \
"$(for i in 1 5 2 9 3 8 4 7 6 1 9 2 8 3 7 4 6 5; do
echo "s c$((++n)) t {} = checked at 10:0$i:07\\nno problems, revision $n"
done | said | grep constrain)" "constrain stall 1"
is "what is made anew each time is not waited for" \
"$(echo '9* s c# create_job {"name":"index"} = {"id":90#,"state":"PENDING"}' |
    said | head -n 1)" "c6 warn repeat-weak 6"
is "one that is ordered once is" \
"$(echo '8* s c# cert_order {"id":"o-12"} = {"status":"pending"}' | said)" ""
is "an id in a name is one" \
"$(for id in cf3d0142e19e 1b7e77aad3c5 9e21c04d0f9b 0f9be812a3f9 77aad3c5c04d \
    a3f91b7e9e21; do
	echo "s c$((++n)) t {} = Generating versions/${id}_add_index.py, which has no changes in it"
done | said)" "c6 warn repeat-weak 6"
is "nor a command that may change files and says what was said before" \
"$(echo '18* s c# bash {"command":"pip install w==1.#"} = Requirement already satisfied: w in /usr/lib/python3/dist-packages (1.99)' |
    said | grep constrain)" "constrain stall 1"
is "nor the hits of a search in another order" \
"$(hit='to read of it, at length and in many words, with pictures'
for i in {1..9}; do
	echo "s c$i web_search {\"query\":\"q$i\"} = $((i % 3 + 1)). One page $hit\\n$(((i + 1) % 3 + 1)). Other page $hit"
done | said | head -n 1)" "c9 warn stall 4"
is "nor other numbers in the result of the same call" \
"$(said <<'X' | grep -v weak
16* s c# t {} = a line of more than sixty characters, which ends in a number: #
X
)" "c15 warn stall 8
constrain stall 1
c16 halt stall 8"
is "... unless a click or a move made them" \
    "$(echo '30* s c# browser_click {"ref":"next"} = a page of more than sixty characters, of which this is number: #' |
    said | grep -v weak)" ""
is "... whose page differs by ids alone" \
    "$(echo '30* s c# browser_click {"ref":"next"} = a page of more than sixty characters and 2 controls, of which one is: ref=e#' |
    said | grep -m 1 constrain)" "constrain stall 1"
is "to and fro is none if each move shows another screen" "$(
for i in $(seq 24); do
	echo "s w$i step {\"key\":\"$(((i % 2) * 7))\"} = frame $((20 + i)): $(printf 'a%07dc' $((i * 7919)))"
done | said)" ""
looks() {	# what a look shows behind each of 9 clicks
	for i in 1 2 3 4 5 6 7 8 9; do
		echo "s c$i browser_click {\"ref\":\"e1\"} = Clicked"
		echo "s l$i page {} = ${1//N/$i}"
	done | said
}
is "a click that the next look shows to have worked is none again" \
    "$(looks 'N FILL' | grep -v weak)" ""
is "... however little it shows" "$(looks 'row N, x' | grep -v weak)" ""
is "one that changed nothing is" "$(looks 'a page' | head -n 1)" \
    "l3 warn cycle 3"
is "... or ids alone" "$(looks 'Page 3, ref=eN' | head -n 1)" "c5 warn repeat 3"
is "what fails at times may be asked often" "$(for i in $(seq 5); do
echo "3* s p$i# t {} = 4 passed in 0.$i#s"
echo "s f$i t {} = 1 failed in 0.${i}s | {\"is_error\":true}"; done | said)" ""
is "... unless they are a measure" \
    "$(for i in $(seq 30); do echo "s c$i queue_depth {} = $((900 - i * i)) jobs are left in the queue, which is more than sixty characters long"
done | said | grep -v weak)" ""
is "... unless they tell how far it is" "$(said <<'X' | grep -v weak
30* s c# t {} = # of 30 files are compiled, which takes as long as it did before
X
)" ""
files() {	# ids: twelve files read
	local i
	for i in $(seq 12); do
		echo "s $1$i read {\"path\":\"f$i\"} = file $i FILL"
	done
}
is "a look at twelve files once more: told, not stopped" \
    "$({ files a; files b; } | sed 's/FILL/is a line long enough to be something new to who reads it/' |
    said | sed -n '1p;$p')" "b4 warn stall 4
b12 warn stall 7"
is "... nor once more if other calls brought nothing before" "$({
for i in 1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8; do
	echo "s c$((++n)) t {\"a\":$i} = the same line of more than sixty characters for each of these"
done; } | said | grep -m 1 constrain)" "constrain stall 1"
is "... and the third time is" \
    "$({ files a; files b; files c; } | sed 's/FILL/is a line long enough to be something new to who reads it/' |
    said | grep -m 1 constrain)" "constrain stall 1"
is "a known one is not" "$(said <<X | head -n 1
s n t {"n":1} = $error | {"is_error":true}
3* s c# bash {"command":"echo #"} = #
s m t {"n":2} = $error | {"is_error":true}
s d bash {"command":"echo #"} = #
X
)" "d warn stall 4"
is "the limits are configuration" \
"$(said -o loop_guard.stall_warn_threshold=2 \
    -o loop_control.progress_stall_threshold=3 <<'X'
4* s c# bash {"command":"echo #"} = #
X
)" "c2 warn stall 2
c3 warn stall 3
constrain stall 1
c4 halt stall 3"

is "cells of a sheet are filled in one by one" "$(said <<'X'
36* s c# mcp__sheets__update_cell {"sheet":"Budget","cell":"C#","value":#} = Cell updated
X
)" ""

# ---- edits ----

check='1* s v# bash {"command":"make check"} = FAIL | {"is_error":true}'
edit='1* s e# edit {"path":"a","old":"#","new":"x#"} = ok'
for i in 1 2 3 4 5; do echo "$check"; echo "$edit"; done >futile
is "the same failure over four edits" "$(said <futile)" \
    "v9 warn futile-edits 4"
for i in $(seq 6 17); do echo "$check"; echo "$edit"; done >>futile
is "again at eight; at twelve text is asked for" "$(said <futile | head -n 6)" \
    "v9 warn futile-edits 4
v17 warn futile-edits 8
v25 warn futile-edits 12
constrain futile-edits 1
e26 halt futile-edits 12
v27 halt futile-edits 12"
is "numbers are not masked" "$(for i in $(seq 9); do
echo "${check/FAIL/$i failed}"; echo "$edit"; done | said)" ""
head -n 10 futile >futile4 && mv futile4 futile
is "futile_edit_warn" \
"$(head -n 5 futile | said -o loop_guard.futile_edit_warn=2)" \
    "v5 warn futile-edits 2"
is "the edit before the first failure counts" "$(for i in 1 2 3 4; do
echo "${edit/e#/e$i}"; echo "${check/v#/v$i}"; done | said)" \
    "v4 warn futile-edits 4"
is "a command that is run again is no other edit" "$(for i in 1 2 3 4; do
echo "1* s p$i bash {\"command\":\"pip install x\"} = Requirement already satisfied: x"
echo "${check/v#/v$i}"; done | said | grep futile)" ""
is "another failure begins again" \
"$(for i in 1 2 3 4 5 6; do echo "${check/FAIL/FAIL $((i / 3))}"
    echo "$edit"; done | said)" ""
is "a search that finds nothing is no check" \
"$(sed 's/make check/grep -rn old ./' futile | said)" ""
moved='1* s v# bash {"command":"make"} = a.c:#: error: no ; here | {"is_error":true}'
moves() { for i in $(seq 10); do echo "${moved//#/$i}"; echo "$edit"; done; }
is "a failure whose line moves, over eight edits" "$(moves | said)" \
    "v9 warn futile-edits 8"
is "... that only its last lines show" "$(moves |
    sed 's/"make"/"make | tail"/; s/ | {"is.*//' | said)" "v10 warn futile-edits 8"
is "not one whose count falls" "$(moves | sed 's/a.c:/errors:/' | said)" ""
is "nor one in other words" "$(moves | sed 's/no ; here/no x&/' |
    awk '{ sub("xno", "x" NR); print }' | said)" ""
is "nor if something that is run works in between" \
    "$(moves | sed '9a1* s w# bash {"command":"make x"} = made' | said)" ""
is "another script each time for one failure" \
"$(for i in $(seq 10); do
	echo "s e$i write {\"path\":\"t$i.py\",\"content\":\"$i\"} = ok"
	echo "s v$i bash {\"command\":\"python t$i.py\"} = t$i.py: KeyError: name" \
	    '| {"is_error":true}'
done | said)" "v9 warn futile-edits 8"
is "evidence of it are the checks" \
"$(make <futile | guard -n | jq -c 'select(.type == "verdict").evidence')" \
'["v1","v3","v5","v7"]'

is "one undo is deliberate, the second time back is a revisit" "$(said <<'X'
s a edit {"path":"a","old":"1","new":"2"} = ok
s b edit {"path":"a","old":"2","new":"1"} = ok
s c edit {"path":"a","old":"1","new":"2"} = ok
s d edit {"path":"a","old":"2","new":"1"} = ok
X
)" "d warn revisit 1"
is "not when something else was changed in between" "$(said <<'X'
s a edit {"path":"a","old":"1","new":"2"} = ok
s m edit {"path":"./a","old":"m","new":"n"} = ok
s b edit {"path":"a","old":"2","new":"1"} = ok
s c edit {"path":"a","old":"1","new":"3"} = ok
X
)" ""
is "the same content written again is no return" "$(said <<'X'
s a write {"path":"a","content":"1"} = ok
s b write {"path":"a","content":"1"} = ok
X
)" ""
flip() {	# the sha256 of a file after each call
	local sha
	for sha in "$@"; do
		n=$((${n:-0} + 1))
		echo "s c$n edit {\"path\":\"a\",\"old\":\"$n\",\"new\":\"n\"} = ok | {\"meta\":{\"path\":\"a\",\"sha256_before\":\"${last:-x}\",\"sha256_after\":\"$sha\"}}"
		last=$sha
	done
}
is "hashes tell better" "$(flip y z x y x | said)" "c5 warn revisit 1"
is "of what a command changed, too" "$(for i in 1 2 1 2 1; do n=$((${n:-0} + 1))
echo "s c$n bash {\"command\":\"./x $n\"} = $n | {\"meta\":{\"mutated\":[{\"path\":\"a\",\"sha256\":\"$i\"}]}}"; done |
    said)" "c5 warn revisit 1"
is "the evidence made that state first" "$(make <<'X' | guard -n | jq -c \
    'select(.type == "verdict").evidence'
s a write {"path":"a","content":"1"} = ok
s b write {"path":"a","content":"2"} = ok
s c write {"path":"a","content":"1"} = ok
s d write {"path":"a","content":"3"} = ok
s e write {"path":"a","content":"1"} = ok
X
)" '["a"]'
is "a check in either state teaches once" "$(for i in 1 2; do
echo "s a$i edit {\"path\":\"a\",\"old\":\"x < y\",\"new\":\"x > y\"} = ok"
echo "s v$i bash {\"command\":\"make check\"} = FAIL: low | {\"is_error\":true}"
echo "s b$i edit {\"path\":\"a\",\"old\":\"x > y\",\"new\":\"x < y\"} = ok"
echo "s w$i bash {\"command\":\"make check\"} = FAIL: high | {\"is_error\":true}"
done | said | head -n 1)" "b2 warn revisit 1"
is "who learned something between the two returns may" "$(for i in 1 2 3; do
echo "s a$i edit {\"path\":\"a\",\"old\":\"x < y\",\"new\":\"$i\"} = ok"
echo "s v$i bash {\"command\":\"make check\"} = FAIL: test_$i | {\"is_error\":true}"
echo "s b$i edit {\"path\":\"a\",\"old\":\"$i\",\"new\":\"x < y\"} = ok"
done | said)" ""
is "a comment in other words is progress twice, then none" "$(said <<'X' | head -n 1
8* s c# edit {"path":"a.c","old":"// v#","new":"// v#, again"} = ok
X
)" "c6 warn stall 4"
is "... in other places it is" "$(said <<'X'
12* s c# edit {"path":"a.c","old":"int x#;","new":"// once\nint x#;"} = ok
X
)" ""
is "another number in the same place is worth half, third time on" \
"$(said <<'X' | head -n 1
12* s c# write {"path":"a.c","content":"x: #"} = ok
X
)" "c10 warn stall 4"
is "... unless something was learned by it" "$(for i in $(seq 12); do
echo "s c$i write {\"path\":\"a.c\",\"content\":\"x: $i\"} = ok"
echo "s v$i bash {\"command\":\"./train\"} = loss 0.$i"; done | said)" ""
while IFS= read -r edit; do
	is "progress by another agent's tool: $edit" "$(for i in $(seq 9); do
echo "s e$i ${edit//\{\}/$i} = ok"
echo "s v$i run_tests [] = 4 passed"; done | said)" ""
done <<'X'
Edit {"file_path":"/w/a.c","old_string":"a{}","new_string":"b{}"}
fs__write_file {"path":"a.c","content":"a{}()"}
fs__edit_file {"path":"a.c","edits":[{"oldText":"a{}()","newText":"b{}()"}]}
str_replace_editor {"command":"str_replace","path":"a.c","old_str":"a{}()","new_str":"b{}()"}
apply_patch {"input":"*** Begin Patch\n*** Update File: a.c\n-a(x{})\n+b(y{})"}
replace_in_file {"path":"a.c","diff":"-a{}()\n+x{}()"}
X
while IFS= read -r edit; do
	is "no progress: $edit" "$(for i in $(seq 9); do
echo "s e$i ${edit//\{\}/$i} = ok"
echo "s v$i run_tests [] = 4 passed"; done | said | head -n 1)" "v3 warn repeat 3"
done <<'X'
update {"row":{}}
str_replace_editor {"command":"view","path":"a.c","view_range":[{},9]}
X
for edit in 'apply_patch {"input":"*** Update File: a.c\n-// v#\n+// v#, again"}' \
    'Edit {"file_path":"/w/a.c","old_string":"// v#","new_string":"// v#, again"}'; do
	is "nor are comments in other words, third time on: $edit" \
	    "$(echo "8* s c# $edit = ok" | said | head -n 1)" \
	    "c6 warn stall 4"
done
is "another id in the same place is worth half, too" "$(for i in $(seq 12); do
echo "s c$i write {\"path\":\"a.py\",\"content\":\"id: 4f$i$i\"} = ok"
done | said | head -n 1)" "c10 warn stall 4"
undo='{"type":"undo","of":"u1","paths":[{"path":"a","sha256":"x"}]}'
is "what somebody took back is no return" "$({ flip y x y; echo "$undo"
last=x; flip y x; } | said)" ""
is "... and a new beginning for what is repeated" "$({
echo '2* s c# bash {"command":"make"} = ok'; echo "$undo"
echo '2* s c# bash {"command":"make"} = ok'; } | said)" ""

copies() {	# shows: the same code in files of other names, each run
	for i in $(seq 24); do
		echo "s w$i write {\"path\":\"try$i.py\",\"content\":\"import app  // $i\nprint(app.users)\n\"} = written"
		echo "s r$i bash {\"command\":\"python3 try$i.py\"} = [<class 'app.Users'>, <class 'app.Items'>, <class 'app.Orders'>]$1"
	done
}
is "one script under ever new names that prints the same stalls" \
    "$(copies | said | grep -c constrain)" 1
is "... unless it prints something new" "$(copies ' {}' |
    awk '{ gsub(/{}/, NR); print }' | said)" ""
is "... and files that are alike may be made in a row" \
    "$(copies | grep ^s.w | said)" ""

# ---- no-mutation ----

steps='12* s c# read {"path":"#"} = FILL'
levels="c9 warn no-mutation 8 level 1
c10 warn no-mutation 9 level 2
c11 warn no-mutation 10 level 3"
task() { echo "{\"role\":\"user\",\"content\":\"fix it\",\"meta\":{\"contract\":\"$1\"}}"; }
for sort in hard soft; do
	is "a $sort contract: 8, 9, 10 steps without a change" \
	    "$({ task $sort; echo "$steps"; } | said)" "$levels"
done
is "agent.contract=change" "$({ echo 'u go'; echo "$steps"; } |
    said -o agent.contract=change)" "$levels"
is "not without a contract, nor in the turn after it" \
"$({ echo '{"type":"hamr","v":1,"mode":"patch"}'; echo "$steps"
task hard; echo 'u and now?'; echo "$steps"; } | said)" ""
is "nor with agent.mode=patch" "$({ echo 'u go'; echo "$steps"; } |
    said -o agent.mode=patch)" ""
is "a setting changed in the session" "$({
echo '{"type":"config","set":{"agent.contract":"change"}}'; echo "$steps"; } |
    said)" "$levels"
is "an edit begins again" \
"$({ task hard; echo '6* s c# read {"path":"#"} = FILL'
echo 's e edit {"path":"a","old":"1","new":"2"} = ok'
echo '7* s c# read {"path":"#"} = FILL'; } | said)" ""
is "explore_nudge_after" \
"$({ task hard; echo '3* s c# read {"path":"#"} = FILL'; } |
    said -o loop_guard.explore_nudge_after=2)" \
"c3 warn no-mutation 2 level 1
c4 warn no-mutation 3 level 2"
is "0 switches it off" "$({ task hard; echo "$steps"; } |
    said -o loop_guard.explore_nudge_after=0)" ""

# ---- reads ----

is "reads: off by default" "$(echo '80* s c# read {"path":"#"} = FILL' |
    said)" ""
is "warn_reads, max_reads" \
"$(echo '7* s c# read {"path":"#"} = FILL' |
    said -o loop_guard.warn_reads=3 -o loop_guard.max_reads=5)" \
"c3 warn reads 3
c6 block reads 6
c7 block reads 6"
is "by their other names" \
"$(echo '3* s c# read {"path":"#"} = FILL' |
    said -o loop_guard.warn_reads_per_turn=2 \
    -o loop_guard.max_reads_per_turn=2)" \
"c2 warn reads 2
c3 block reads 3"
is "32 and 64 where the window is small" \
"$({ echo '{"type":"limit","context_tokens":16384}'
echo '65* s c# read {"path":"#"} = FILL'; } | said | grep -v 'warn reads 4')" \
"c33 warn reads 32
c57 warn reads 56
c65 warn reads 64
c66 block reads 65"
is "a refusal is one line" \
"$(echo '2* s c# read {"path":"#"} = FILL' | texts \
    -o loop_guard.max_reads=1 | wc -l)" 1
is "what came from the cache is no read" \
"$(said -o loop_guard.max_reads=1 <<'X'
s a read {"path":"a"} = FILL | {"meta":{"cached":"zz"}}
s b read {"path":"b"} = FILL
X
)" ""

# ---- calls ----

many() {
	echo '60* s c# read {"path":"#"} = FILL'
	for i in 1 2 3 4 5 6 7; do
		echo '1* s k# t {"x":1} = up'
		echo '6* s c# read {"path":"#"} = FILL'
	done
}
is "96 calls and one of them at 6: text only, then halt" \
"$(many | said | grep -v repeat | head -n 3)" \
"k96 warn calls 96
constrain calls 1
c97 halt calls 96"
is "polling is not stuck before its own limits" "$({
echo '80* s c# read {"path":"#"} = FILL'
for i in $(seq 14); do echo '1* s k# bash {"command":"sleep 60; gh run view"} = in progress'
echo '3* s c# read {"path":"#"} = FILL'; done; } | said | grep -v 'warn repeat')" ""
is "96 calls alone are nothing" \
"$(echo '120* s c# read {"path":"#"} = FILL' | said)" ""
is "soft_max_tool_calls and stuck_at_cap" \
"$(said -o loop_guard.soft_max_tool_calls=4 -o loop_guard.stuck_at_cap=2 <<'X'
s a t {} = x
s b t {} = x
2* s c# read {"path":"#"} = FILL
X
)" "c4 warn calls 4
constrain calls 1"
is "0: no such limit" "$(many | said -o loop_guard.soft_max_tool_calls=0 |
    grep -v repeat)" ""

# ---- cached, shared ----

is "a cached result has the outcome of the call it names" "$(said <<'X'
s a read {"path":"a"} = FILL
s b read {"path":"a"} = unchanged since the read above | {"meta":{"cached":"a"}}
s c read {"path":"a"} = unchanged since the read above | {"meta":{"cached":"a"}}
X
)" "c warn repeat 3"
is "also after progress, and spelled otherwise" "$(said <<'X' | grep -v stall
s a read {"path":"a"} = FILL
s e edit {"path":"b","old":"1","new":"2"} = ok
s b read {"path":"a"} = FILL FILL
s c read {"path":"./a"} = unchanged | {"meta":{"cached":"b"}}
s d read {"file":"a"} = unchanged | {"meta":{"cached":"b"}}
X
)" "d warn repeat 3"
is "also if that is another call" "$(said <<'X' | grep -v stall
s a t {"x":1} = it says so
s b t {"x":2} = unchanged | {"meta":{"cached":"a"}}
2* s c# t {"x":2} = it says so
X
)" "c4 warn repeat 3"
is "a shared result is no outcome" "$(said <<'X'
2* s c# t {} = x
s d t {} = x | {"meta":{"shared":"c1"}}
X
)" ""

# ---- polling, names ----

is "polling triples every limit, the weak one as well" \
"$(said <<'X' | grep -v stall | sed -n '1p;2p'
19* s c# bash {"command":"sleep 1; date"} = up for 0.#s
X
)" "c18 warn repeat-weak 18
c19 warn repeat-weak 19"
is "a changed result resets it" "$(said <<'X' | grep repeat
8* s c# bash {"command":"kubectl get pods"} = Pending
s d bash {"command":"kubectl get pods"} = Running
8* s c# bash {"command":"kubectl get pods"} = Running
X
)" "c17 warn repeat 9"
for cmd in 'sleep 5' 'tail -f log' 'ps aux' 'docker ps' 'kubectl get pods' \
    'systemctl status x' 'kubectl rollout status x' 'docker compose ps'; do
	is "$cmd polls" "$(echo "9* s c# bash {\"command\":\"$cmd\"} = x" |
	    said | grep -m 1 repeat)" "c9 warn repeat 9"
done
is "kubectl rollout restart restarts, and polls nothing" "$(said <<'X'
3* s c# bash {"command":"kubectl rollout restart deploy/web"} = web restarted
X
)" "c3 warn repeat 3"
is "numbers that change are what is waited for" "$({
echo '20* s c# t_wait {} = # left'
echo 'u go on'
echo '20* s d# bash {"command":"wc -l out.csv"} = # out.csv'; } | said)" ""
for text in '{"state":"BOOTING"}' 'in_progress' 'not yet' 'still 3 jobs' \
    '<status>running</status>' 'Phase: Pending, since an hour ago at least, and nobody knows why'; do
	is "what says that it goes on polls, with patience: $text" \
	    "$(echo "61* s c# vm {} = $text" | said | grep 'repeat\|block' |
	    sed -n '1p;$p')" "c36 warn repeat 36
c61 block repeat 61"
done
is "... a command that waits, but no other one" "$({
echo '40* s c# bash {"command":"sleep 9; ./state"} = running'
echo '9* s d# bash {"command":"kubectl get pods"} = Pending'; } | said |
    grep -m 2 repeat | cut -d ' ' -f 1)" "c36
c37"
is "what says that it is over is polled no more" "$(said <<'X'
3* s c# job_status {} = {"state":"cancelled"}
3* s c# BashOutput {"id":1} = <status>completed</status>
X
)" "c3 warn repeat 3
c6 warn repeat 3"
is "what there is to do is no state, nor what stands in a file" \
"$(said <<'X' | grep repeat
3* s c# get_issue {} = {"status":"In Progress"}
3* s c# read {"path":"a.c"} = state = loading;
3* s c# bash {"command":"cat a.c"} = state = loading;
X
)" "c3 warn repeat 3
c6 warn repeat 3
c9 warn repeat 3"
is "a failure that only its text tells" "$({
for i in 1 2 3 4; do
echo "s e$i edit {\"path\":\"a.py\",\"old\":\"x$i\",\"new\":\"y$i\"} = ok"
echo "s c$i bash {\"command\":\"python a.py\"} = Traceback (most recent call last):\n  File \"a.py\", line 3\nValueError: no x"
done
echo 'u go on'
for i in 1 2 3 4; do
echo "s f$i edit {\"path\":\"a.py\",\"old\":\"z$i\",\"new\":\"w$i\"} = ok"
echo "s d$i bash {\"command\":\"./t\"} = not equal\n[The command completed with exit code 1.]"
done; } | said)" "c4 warn futile-edits 4
d4 warn futile-edits 4"
while IFS= read -r text; do
	is "... though its command did not fail: $text" "$(for i in 1 2 3 4 5; do
echo "s e$i edit {\"path\":\"a.c\",\"old\":\"x$i\",\"new\":\"y$i\"} = ok"
echo "s c$i bash {\"command\":\"make 2>&1 | tail -3\"} = $text"
done | said)" "c5 warn futile-edits 4"
done <<'X'
E  assert [] == [1]\n1 failed, 2 passed in 0.2s
a.c:3:5: error: x undeclared\nmake: *** [a.o] Error 1
error[E0433]: failed to resolve
--- FAIL: TestDrain (0.00s)
src/b.ts(4,10): error TS2305: no member
not ok 2 - wanted: 1, got: 0
X
is "... in the foot of Gemini CLI" "$(for i in 1 2 3 4; do
echo "s e$i edit {\"path\":\"a.py\",\"old\":\"x$i\",\"new\":\"y$i\"} = ok"
echo "s c$i bash {\"command\":\"./t\"} = Command: ./t\nDirectory: (root)\nOutput: a\nb\nc\nError: (none)\nExit Code: 1\nSignal: 0\nProcess Group PGID: $i"
done | said)" "c4 warn futile-edits 4"
is "an error at another place is no new one" "$(said <<'X' | head -n 1
20* s c# edit {"path":"a#"} = the arguments are not JSON: a string does not end at column 4#17 | {"is_error":true}
X
)" "c9 warn stall 4"
is "what is sent to a program shows in what it prints" "$(for i in $(seq 12); do
	echo "s c$i send_input {\"text\":\"$((i % 2))\"} = question $i of 18 > "
done | said)" ""
is "a pause behind a pause cannot inform" \
    "$(echo '13* s c# bash {"command":"sleep #"} =' | said)" "c13 warn stall 4"
is "nor can a plan behind a plan" \
    "$(echo '5* s c# update_plan {"plan":[{"step":"part #"}]} = Plan updated' |
    said)" "c5 warn stall 4"
is "... behind some work it can, and so does each of a batch" "$({
for i in $(seq 12); do
	echo "s c$i update_plan {\"plan\":[{\"step\":\"part $i\"}]} = Plan updated"
	echo "s d$i bash {\"command\":\"check $i\"} = ok"
done
echo '12* s e# complete_todo {"id":#} = ok'; } | said)" ""
is "a list of commands is judged as each of them" "$(said <<'X'
4* s c# bash {"commands":["echo #","true"]} = #
X
said <<'X'
9* s d# bash {"commands":["sed -i #d a.c"]} = FILL
9* s e# bash {"commands":["sleep 6","cat state"]} = open
X
)" "c4 warn stall 4
e18 warn repeat 9"
while IFS='|' read -r agent text; do
	is "a short answer is one in what $agent puts around it, too" \
	    "$(echo "30* s c# bash {\"command\":\"ssh n# is-up\"} = $text" |
	    said)" ""
done <<'X'
Gemini CLI|Command: ssh\nDirectory: (root)\nOutput: up\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 17#
OpenHands|up\n[The command completed with exit code 0.]\n[Current working directory: /work/app]\n[Python interpreter: /usr/bin/python]\n[Command finished with exit code 0]
SWE-agent|up, as before\n(Open file: /testbed/reproduce.py)\n(Current directory: /testbed)\nbash-$
Claude Code|up\n\n<system-reminder>\nThe list of what is to do has not been used for some time. Never tell the user of this.\n</system-reminder>
mini-SWE-agent|<returncode>0</returncode>\n<output>\nit is up, as it was before\n</output>
Kimi|<system>Command executed successfully.</system>it is up, as it was before
X
is "... and so is the count of none that pi calls a failure" "$(said <<'X'
20* s c# bash {"command":"grep -c w# a.c"} = 0\n\nCommand exited with code 1 | {"is_error":true}
X
)" "c12 warn same-answer 12"
is "... and the mere status that Kimi does" "$(said <<'X'
20* s c# bash {"command":"grep w# a.c"} = <system>ERROR: Command failed with exit code: 1.</system> | {"is_error":true}
X
)" ""
is "what another agent's command changed is not known, though its status is" \
"$(for i in $(seq 12); do
echo "s e$i bash {\"command\":\"sed -i ${i}d a.c\"} = | {\"meta\":{\"exit\":0}}"
echo "s c$i bash {\"command\":\"make\"} = FILL | {\"meta\":{\"exit\":0}}"
done | said | grep -v stall)" ""
is "... nor does it if nothing failed" "$(for i in 1 2 3 4 5 6; do
echo "s e$i edit {\"path\":\"a.c\",\"old\":\"x$i\",\"new\":\"y$i\"} = ok"
echo "s c$i bash {\"command\":\"make | tail -3\"} = 0 errors\n12 passed, 0 failed\nError: (none)"
done | said)" ""
is "what is made once more has another number: 6" "$(for i in 1 2 3 4 5 6; do
echo "s c$i create_issue {\"title\":\"x\"} = {\"number\":${i}17}"
done | said)" "c6 warn repeat-weak 6"
is "what may pass by itself proves no edit futile" "$(for i in 1 2 3 4 5; do
echo "s e$i bash {\"command\":\"rm -rf big$i; sleep $i\"} ="
echo "s c$i bash {\"command\":\"git clone x\"} = Recv failure: Connection reset by peer | {\"is_error\":true}"
done | said | grep futile)" ""
is "a head that only quotes the pattern is no gain" "$(for i in $(seq 20); do
echo "s c$i search_file_content {\"pattern\":\"word$i\"} = Found 2 matches for \"word$i\":\nL3: a line that holds all of these words\nL9: another line that holds them as well"
done | said | head -n 1)" "c9 warn stall 4"
is "behind a pause a look has as much patience, and so has the pause" "$({
for i in $(seq 30); do
	echo "s s$i bash {\"command\":\"sleep 60\"} ="
	echo "s c$i pull_request {} = open"
done; } | said | head -n 1)" "c25 warn stall 4"
is "... not in a long answer, nor as a failure" "$(said <<'X' | cut -d ' ' -f 1,2
3* s c# t {} = the service is running, as it was before, and so it will be tomorrow
3* s d# u {} = still down | {"is_error":true}
X
)" "c3 warn
d6 warn"
for other in 'update_plan {"plan":[{"step":"part #"}]} = Plan updated' \
    'report_status {"text":"part #"} = ok' 'task {"prompt":"part #"} = not found'
do
	is "a plan, a report, a task in vain change no file: ${other%% *}" "$({
	echo "u fix the tests"
	for i in 1 2 3 4 5 6 7 8 9; do echo "s r$i read {\"path\":\"a.c\"} = int x;"
	echo "s o$i ${other//\#/$i}"; done; } | said | grep -m 1 block)" "r5 block repeat 5"
done
for again in 'bash {"command":"make test"} = 1 failed | {"is_error":true}' \
    'read {"path":"a.c"} = int x;'; do
	is "nor does a commit: ${again%% *}" "$({
	echo "u fix the tests"
	for i in 1 2 3 4 5 6 7 8 9; do echo "s r$i $again"
	echo "s o$i bash {\"command\":\"git commit -qam t$i\"} = |" \
	    '{"meta":{"stdout_bytes":0}}'; done; } | said | grep -m 1 block |
	    cut -d ' ' -f 1,2,4)" "r5 block 5"
done
for state in failing missing warning CONFLICTING; do
	is "a state that does not go on: $state" "$(said <<X | grep -m 1 block
5* s c# bash {"command":"./ci status"} = status: $state
X
)" "c5 block repeat 5"
done
is "only a page is waited for if it times out" "$(said <<'X' | head -n 1
9* s c# wait_for_text {"text":"x"} = Timeout: text did not appear
X
)" "c9 warn repeat 9"
is "a wait for what is not there is nothing new" "$(for i in {1..15}; do
	echo "s s$i wait {\"seconds\":$i} = No background tasks are running."
done | said | sed -n '1p;$p')" "s9 warn stall 4
constrain stall 1"
is "ids in JSON within JSON are nothing new" "$(for i in {1..9}; do
	echo "s s$i publish {\"id\":\"4b1e2ff0-71c8-4f0a-9d5e-2a1b3c4d5e$i$i\"} =" \
	    "{\"reply\":{\"reason\":\"the device is not on the list of those that may register\",\"id\":\"4b1e2ff0-71c8-4f0a-9d5e-2a1b3c4d5e$i$i\"}}"
done | said | sed -n 1p)" "s9 warn stall 4"
is "behind a call that only waits, the next one polls" "$(for i in 1 2 3 4 5; do
echo "s s$i terminal_wait {\"seconds\":$i} = ok"
echo "s d$i screen {} = linking ..."; done | said
for i in 1 2 3 4 5; do
echo "s w$i bash {\"command\":\"sleep $i\"} ="
echo "s c$i t {} = still down | {\"is_error\":true}"; done | said)" ""
for cmd in 'git status' 'npm run watchtower' 'cat details' 'await'; do
	is "$cmd does not" "$(echo "3* s c# bash {\"command\":\"$cmd\"} = x" |
	    said)" "c3 warn repeat 3"
done
while IFS= read -r tool; do
	is "$tool polls" "$(echo "9* s c# $tool = x" | said |
	    grep -m 1 repeat)" "c9 warn repeat 9"
done <<'X'
run_shell_command {"command":"sleep 5"}
shell {"command":["bash","-lc","docker ps"]}
exec_command {"cmd":"kubectl get pods"}
run_cmd {"cmd":"sleep 5; ./x"}
BashOutput {"id":"1"}
TaskOutput {"id":"1"}
task_status {}
queue_status {}
mcp__ci__get_workflow_run {"run":1}
get_job {"id":1}
read_terminal {}
write_stdin {"session":1,"chars":""}
await {}
job_wait {}
wait_for_build {}
waitForTask {}
wait {}
process {"action":"poll"}
deploy {"action":"status"}
container {"action":"log"}
runner {"action":"wait"}
X
while IFS= read -r tool; do
	is "$tool does not" "$(echo "3* s c# $tool = x" | said)" \
	    "c3 warn repeat 3"
done <<'X'
git_status {}
git {"action":"status"}
git_log {}
awaiter {}
status_page {}
process {"action":"start"}
run_query {}
write_stdin {"session":1,"chars":"y"}
statusline {}
X
# the same check after ten edits, each of another text
checked() {	# tool, arguments with X for what differs, command tool
	for i in a b c d e f g h i j; do
		printf '1* s e%s# %s %s = ok\n' $i "$1" "${2//X/$i}"
		printf '1* s t%s# %s = 48 tests passed\n' $i "$3"
	done | said
}
while IFS='|' read -r tool args check; do
	is "$tool changes something" "$(checked "$tool" "$args" "$check")" ""
done <<'X'
apply_diff|{"path":"X.c","diff":"-a\n+X"}|execute_command {"command":"make"}
mcp__x__edit_block|{"file_path":"a.c","old_string":"X","new_string":"yX"}|start_process {"command":"make"}
strReplace|{"path":"a.c","oldStr":"X","newStr":"yX"}|executeBash {"command":"make"}
mcp__y__replace_symbol_body|{"relative_path":"a.c","body":"X"}|runTests {}
developer__text_editor|{"command":"str_replace","path":"a.c","old_str":"X","new_str":"yX"}|developer__shell {"command":"make"}
multi_replace_string_in_file|{"replacements":[{"filePath":"X.c","newString":"y"}]}|runTests {}
move_file|{"source":"X.c","destination":"yX.c"}|lint {}
delete_file|{"path":"X.c"}|lint {}
bash|{"command":"ansible-playbook site.yml -l X"}|ping_all {}
mcp__jupyter__edit_cell|{"cell_id":"c3","source":"X"}|run_cell {}
update_page|{"id":"p1","body":"X"}|check_links {}
X
while IFS= read -r text; do
	is "an edit failed: $text" "$(for i in a b c; do
		printf '1* s e%s# edit {"path":"a.c","old":"%s"} = %s\n' $i $i \
		    "$text"
	done | said)" "ec3 warn same-error 3"
done <<'X'
Error: old_str not found in a.c
Failed to edit, 0 occurrences found for old_string. No edits made.
Invalid patch: could not find context
String to replace not found in file.
apply_patch verification failed: Failed to find expected lines in a.c
No replacements were made. The old string was not found in the file.
No matches found for the search text in a.c
The tool execution failed with the following error:
{"success": false, "error": "no such text"}
Search content not found in a.c
Edit failed: string not found
{"path":"a.c","error":{"code":3}}
X
while IFS='|' read -r tool text; do
	is "... not: $text" "$(for i in a b c d; do
		printf '1* s e%s# %s"%s"} = %s\n' $i "$tool" $i "$text"
	done | said)" ""
done <<'X'
edit {"path":"a.c","old":|error.c was changed
edit {"path":"app/not-found.tsx","old":|app/not-found.tsx has been updated.
edit {"path":"app/not-found.tsx","old":|M app/not-found.tsx
edit {"path":"a.c","old":|Edit applied. No problems found.
edit {"path":"a.c","old":|Replaced "missing" with "not found".
edit {"path":"a.c","old":|{"error":null,"path":"a.c"}
edit {"path":"a.c","old":|{"error":"1 warning","success":true}
patch {"path":"a.c","old_string":"x","new_string":|{"success":true,"diff":"+if not found"}
write {"path":"a.c","content":|a.c does not exist yet: created
X
while IFS='|' read -r tool args; do
	is "$tool does not" "$(checked "$tool" "$args" 'lint {}' |
	    grep -o -m 1 'block repeat')" "block repeat"
done <<'X'
text_editor|{"command":"view","path":"X.c"}
get_file|{"path":"X.c"}
editor__open|{"path":"X.c"}
update_status|{"path":"X.c"}
X
is "a command is read whatever the tool is called" \
    "$(echo '9* s c# executeBash {"command":"sleep 5"} = x' | said |
    head -n 1)" "c9 warn repeat 9"
is "[loop_guard] tools: another name of a tool" \
"$(said -o 'loop_guard.tools=["Terminal=bash"]' <<'X' | grep -m 1 repeat
9* s c# Terminal {"cmd":"sleep 5"} = x
X
)" "c9 warn repeat 9"

# ---- answers ----

answer() { printf '%s\n' "a $1" | said; }
while IFS= read -r text; do
	is "a plan: $text" "$(answer "$text")" "- warn plan-prose 1"
done <<'X'
I'll run the tests now.
Let me check the parser:
Next I need to look at the build files.
The loader drops the key.\n\nI am going to fix this in `ini.c`…
I'm now going to fix the test.
First I will inspect the logs. Then I'll update the code.
Here is my plan:
I look at it.\n```json\n{"name": "read", "arguments": {"path": "a"}}\n```
1. Read the file\n2. Fix the bug\n\nLet’s start with the first:
Alright, let me dig into the failing build.
We need a new base image. Let me do that now.
I'll now proceed with the edits.
Let me try a different approach.
I will now delete the unused files.
{"name": "bash", "arguments": {"command": "ls"}}
X
while IFS= read -r text; do
	is "an answer: $text" "$(answer "$text")" ""
done <<'X'
I fixed the parser; let me check whether you want more?
I'll run the tests if you want.
A call looks like this:\n```json\n{"name": "read", "arguments": {}}\n```\nShort.
The file holds\n```json\n{"name": "read"}\n```
I need to run the migration. Shall I?
The cause is a lost key. I changed `ini.c` and I will not edit more.
I will not change the parser.
If you want, I can also update the docs.
Please confirm the file name, and I'll update it.
Let me know if you want to run it on another machine.
First I read the log, then the code: the server needs 7 seconds.
I should mention that the coverage dropped to 90 %.
The migration will run when you deploy; I'll leave the old table in place.
{"name": "bash", "version": 2}
X
while IFS= read -r text; do
	is "premature: $text" "$(answer "$text")" "- warn premature 1"
done <<'X'
All tests pass.
I changed the loader and the tests passed.
Verification passed, everything is in place.
The test suite is green.
It now passes all the unit tests.
pytest reports 12 passed.
Tests: 14 passed, 0 failed.
I have checked the fix: `make check` passes.
I ran `make check` to verify that all tests pass.
To verify the fix, I re-run the suite, and all tests pass.
Run tests to verify fix - all tests pass
X
while IFS= read -r text; do
	is "no claim: $text" "$(answer "$text")" ""
done <<'X'
The tests should pass once the key is back.
I could not run the tests, so nobody knows whether they pass.
Do the tests pass on your machine?
CI passed on all checks.
The password test is still to be written.
pytest reports 10 of 12 passed.
I added a test that passes an empty list.
To make the tests pass, set DB_URL.
Run `make check` to verify that all tests pass.
To see that all tests pass, run `make check`.
Run `make check` to confirm everything passes.
X
for before in '' 's e edit {"path":"a","old":"1","new":"2"} = ok
'; do
	is "what has not run: ${before:+since the change}" \
	    "$(make <<<"${before}a All tests pass." | guard -n |
	    jq -r '.message // empty' | grep -o 'none has.*[a-z]\. Run')" \
	    "none has run${before:+ since the last change}. Run"
done
is "not premature when something was run since the change" "$(said <<'X'
s e edit {"path":"a","old":"1","new":"2"} = ok
s c bash {"command":"make check"} = 12 passed
a All tests pass.
X
)" ""
is "a change afterwards counts" "$(said <<'X'
s c bash {"command":"make check"} = 12 passed
s e edit {"path":"a","old":"1","new":"2"} = ok
u and?
a All tests pass.
X
)" "- warn premature 1"
after() {	# a call behind a check, then the claim
	printf '%s\n' '{"type":"hamr","v":1,"cwd":"/w/r"}' \
	    's n write {"path":"new.c","content":"x"} = ok' \
	    's c bash {"command":"make check"} = 12 passed' "$@" \
	    'a All tests pass.' | said
}
while IFS= read -r line; do
	is "no reason to check again: $line" "$(after "$line")" ""
done <<'X'
s e edit {"path":"README.md","old":"1","new":"2"} = ok
s e write {"path":"docs/use.txt","content":"2"} = ok
s e edit {"path":"/w/other/a.c","old":"1","new":"2"} = ok
s e edit {"path":"../a.c","old":"1","new":"2"} = ok
s e bash {"command":"git add -A && git commit -m x"} = done
s e bash {"command":"git log > /tmp/log"} =
s e bash {"command":"rm new.c"} =
s e bash {"command":"rm -rf /tmp/a /tmp/b"} =
s e bash {"command":"git checkout -b topic && git commit -am x"} = done
s e bash {"command":"mkdir -p out"} =
s e bash {"command":"gofmt -w ."} =
s e bash {"command":"python3 -c \"open('/tmp/log', 'w').write('x')\""} =
s e edit {"path":"a.c","old":"int x; // one","new":"int x; // two"} = ok
s e bash {"command":"rm -f new.c"} = | {"meta":{"mutated":[{"path":"new.c","sha256":null}]}}
s e bash {"command":"./doc"} = | {"meta":{"mutated":[{"path":"README.md","sha256":"1"}]}}
X
while IFS= read -r line; do
	is "a reason to: $line" "$(after "$line")" "- warn premature 1"
done <<'X'
s e edit {"path":"a.c","old":"1","new":"2"} = ok
s e edit {"path":"/w/r/a.c","old":"1","new":"2"} = ok
s e bash {"command":"rm old.c"} =
s e bash {"command":"rm new.c old.c"} =
s e bash {"command":"rm new.c && touch b.c"} =
s e bash {"command":"git log > log.c"} =
s e write {"path":"/w/r2/../r/a.c/","content":"2"} = ok
s e bash {"command":"git checkout old.c"} =
s e bash {"command":"sed -i s/a/b/ new.c && git add new.c"} =
s e bash {"command":"mv b c"} = | {"meta":{"mutated":[{"path":"c","sha256":"1"}]}}
{"type":"undo","of":"u1","paths":[{"path":"a.c","sha256":"x"}]}
X
is "not in the first answer after a compaction" "$(said <<'X'
s e edit {"path":"a","old":"1","new":"2"} = ok
{"type":"compaction","epoch":1}
a All tests pass.
u sure?
a All tests pass, as was said.
X
)" "- warn premature 1"
is "a verification record counts, in an earlier turn too" "$(said <<'X'
{"type":"verification","command":"make check","status":"passed","exit":0}
u and?
a All tests pass.
X
)" ""
is "the project's own check is one, even if it looks" "$(said \
    -o verification.defaultCommand='grep ok f' <<'X'
u check
s c bash {"command":"grep ok f"} = ok | {"meta":{"command":"grep ok f"}}
a All tests pass.
X
)" ""
is "looking is no verification" "$(said <<'X'
s c bash {"command":"cat test.log"} = 12 passed
a All tests pass.
X
)" "- warn premature 1"
is "three identical texts in a row" "$(said <<'X'
a The file is in place.
{"role":"user","content":"go on","meta":{"by":"loop"}}
a The file is in place.
{"role":"user","content":"go on","meta":{"by":"loop"}}
a  The file is in place.
X
)" "- warn monologue 1"
is "a call in between begins again" "$(said <<'X'
2* a The file is in place.
s c t {} = FILL
2* a The file is in place.
X
)" ""
is "an answer that was cut is not judged" "$(said <<'X'
a Let me check the parser: | {"finish_reason":"length"}
a Let me check the parser: | {"finish_reason":"error"}
a Let me check the parser: | {"finish_reason":null}
X
)" ""
done_testing

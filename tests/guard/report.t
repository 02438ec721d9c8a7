#!/bin/bash
# report.t - hamr-guard for people: --report, --explain, --calibrate,
# --compare.
. "$(dirname "$0")/../lib.sh"

. "$TOP/tests/guard/guard.sh"
check() {	# first last
	for i in $(seq "$1" "$2"); do
		step "c$i" bash '{"command":"make check"}' "1 failed"
	done
}
idle() {	# first last
	for i in $(seq "$1" "$2"); do
		step "i$i" bash "{\"command\":\"echo $i\"}" "$i"
	done
}

# ---- --report ----

{ echo '{"type":"hamr","v":1}'; person; check 1 9; person
step r read '{"path":"a.c"}' "int main(void) { return 0; } /* of some length, so that it is news */"
echo '{"role":"assistant","content":"It is a program that ends at once.","finish_reason":"stop"}'
} >loop
guard --report loop >out
sed 's/about [0-9,]* tokens/about N tokens/; s/([0-9.]* %)/(N %)/' out >shown
cat >want <<'W'
loop: 2 turns, 11 steps, 10 calls, about N tokens
  [--wwbbbH.--]
  line  step  verdict  rule    seen  limit  tool  call        rests on
     7     3  warn     repeat     3      3  bash  make check  lines 3, 5
     9     4  warn     repeat     4      3  bash  make check  lines 3, 5, 7
    11     5  block    repeat     5      5  bash  make check  lines 3, 5, 7, 9
    13     6  block    repeat     6      5  bash  make check  lines 3, 5, 7, 9
    15     7  block    repeat     7      5  bash  make check  lines 3, 5, 7, 9
    17     8  halt     repeat     8      8  bash  make check  lines 3, 5, 7, 9

1 transcript judged by default
  read        2 turns, 11 steps, 10 calls, about N tokens
  said        2 warnings, 3 blocks, 1 halt (repeat 6)
  would save  5 calls, 1 request, about N tokens (N %)
W
same "a line per firing, with its line, counters, evidence; totals" \
    shown want
sed -n '/^Then the totals:/,/^\.Ed/p' "$TOP/man/hamr-guard.1" | sed '1,2d;$d' \
    >in_man
same "the manual page shows just that" in_man out
guard --report <loop >piped
is "of standard input" "$(sed 's/^stdin/loop/' piped | cmp - out && echo same)" \
    "same"
{ head -n 6 loop; tail -n 3 loop; } >calm
is "of a calm one" "$(guard --report calm | sed 's/about [0-9]*/about N/')" \
"calm: 1 turn, 4 steps, 3 calls, about N tokens
  [----]

1 transcript judged by default
  read        1 turn, 4 steps, 3 calls, about N tokens
  said        0 warnings, 0 blocks, 0 halts
  would save  0 calls, 0 requests, about N tokens
  nothing fired"

for i in $(seq 100); do step "n$i" t "{\"i\":$i}" \
    "line $i of many, all different and longer than sixty characters"; done >long
{ person; cat long; person; check 1 3; cat long; } >many
is "the strip of a long one has 72 places" \
    "$(guard --report many | sed -n 2p)" \
    "  [------------------------------------w-----------------------------------]"

# What is saved: the calls that were refused, and everything after a halt.
tokens() { sed -n "s/,//g; s/^  $1 .*about \\([0-9]*\\) tokens.*/\\1/p" out; }
all=$(tokens read) saved=$(tokens "would save")
head -n 18 loop >before
guard --report before >out
until_halt=$(tokens read)
head -n 20 loop >before
guard --report before >out
step_cost=$(($(tokens read) - until_halt))
# three blocked results and a halted one, of a few tokens each
ok "saved: one request, and four short results" \
    test $((saved - step_cost)) -ge 16 -a $((saved - step_cost)) -le 48
ok "of all that was sent" test "$saved" -lt "$all"

# Several transcripts in one stream, and several files.
cat loop calm loop >three
guard --report three >out
is "each that fired has its heading, with its lines" \
    "$(grep -o '^three[^:]*' out)" \
"three
three, lines 34 to 57"
is "lines are those of the file" \
    "$(grep -c '^ *40 .*lines 36, 38$' out)" "1"
is "the calm one is counted" "$(grep -o 'nothing fired.*' out)" \
    "nothing fired in 1 of 3"
guard --report loop calm loop >out
is "a file begins a transcript" "$(grep -o '^[a-z0-9 ]* judged' out)" \
    "3 transcripts judged"
{ head -n 6 loop; echo '{"role":"user","content":"[hamr-guard] x","meta":{"by":"guard"}}'
sed 1,6d loop; } >judged
is "own products are no records here, and lines still those of the file" \
    "$(guard --report judged | sed -n '4p')" \
    "     8     3  warn     repeat     3      3  bash  make check  lines 3, 5"

# The answer that is none has no call, but text.
{ person; echo '{"role":"assistant","content":"Done.","finish_reason":"stop"}'
} >answer
is "an answer" "$(guard --report answer | sed -n 4p)" \
    "     2     1  warn     status-only     1         (text)  Done."

# A profile's notes and its text-only step.
is "-p: as that system would" \
    "$(guard -p hermes --report loop | sed -n '4,6p' | cut -c 1-35)" \
"     7     3  warn     repeat     3
     9     4  warn     repeat     4
    11     5  block    repeat     5"
{ person; idle 1 8; } >idle
is "a step of text only" "$(guard -p kimi --report idle | sed -n '4,5p')" \
"    16     8  warn       stall     8      8  bash  echo 8              lines 2, 4, …, 12, 14, 16
    16     8  text only  stall                     (the next message)"
is "a note is none of the warnings" \
    "$({ person; step e t '{}' "Error: no"; } | guard -p nanobot --report |
    grep -o 'note .*\|0 warn.*')" \
"note     retry     1      3  t     {}
0 warnings, 0 blocks, 0 halts, 1 note"

# ---- width, colour, terminals ----

wide() {	# command
	for i in 1 2 3; do
		step "w$i" bash "{\"command\":\"$1\"}" same
	done
	person
}
{ person; wide "echo plain"; wide "make 日本語の資料"; wide "cat 🙂 x"
wide "$(printf 'e\314\201te\314\201')"
wide "a very long command that goes on and on, far beyond what a line of a table can hold"
wide "全角全角全角全角全角全角全角全角全角全角全角全角全角全角全角全角全角"
} >wide
guard --report wide >out
cat >columns.py <<'P'
"""Where the column of the evidence begins, by display width, in each row."""
import sys, unicodedata
at = set()
for line in sys.stdin:
    head, sep, _ = line.partition("lines ")
    if sep and " warn " in head:
        at.add(sum(0 if unicodedata.combining(c) else
                   2 if unicodedata.east_asian_width(c) in "WF" else 1
                   for c in head))
print(len(at), "place")
P
is "columns are aligned by display width" "$(python3 columns.py <out)" \
    "1 place"
is "there are six of them" "$(grep -c 'lines [0-9]*, [0-9]*$' out)" "6"
is "what is too long is cut on a character, with a mark" \
    "$(grep -c '…' out)" "2"
printf '%s\n' '{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"bash","arguments":"{\"command\":\"\\u001b[31m\\u202emake\\nx\\u0007\"}"}}]}' >evil
answer x y >>evil
for i in 1 2 3; do cat evil; done | guard --report >out
is "nothing from a transcript steers a terminal" \
    "$(grep -c "$(printf '[\033\007]\|\342\200\256')" out)" "0"
is "it is shown as ?" "$(grep -o '[^ ]*31m.make.x[^ ]*' out)" \
    "?[31m?make x?"
named=$(printf 'n\033[2Jé.nd')
cp evil "$named"
for i in --report --compare "--explain 1"; do
	guard $i "$named" >out
	is "$i: nor does the name of a file" "$(grep -o '^ *n.*nd\|  n.*nd' out |
		head -n 1 | tr -d ' ')" "n?[2Jé.nd"
done

tty() { TERM=xterm on_tty "$@"; }
esc=$(printf '\033')
tty 200 hamr-guard --no-config --report loop >out
ok "colour on a terminal" grep -q "$esc\\[33mwarn" out
sed "s/$esc\\[[0-9;]*m//g" out >plain
guard --report loop >piped
same "and else the same" plain piped
is "none without one" "$(grep -c "$esc" piped)" "0"
NO_COLOR=1 tty 200 hamr-guard --no-config --report loop >out
same "NO_COLOR" out piped
TERM=dumb on_tty 200 hamr-guard --no-config --report loop >out
same "a dumb terminal" out piped
tty 80 hamr-guard --no-config --report wide |
    sed "s/$esc\\[[0-9;]*m//g" >out
is "on a narrow one the call gives way" "$(python3 columns.py <out)" "1 place"
cat >longest.py <<'P'
import sys, unicodedata
print(max(sum(0 if unicodedata.combining(c) else 2 if
          unicodedata.east_asian_width(c) in "WF" else 1
          for c in line.rstrip("\n")) for line in sys.stdin))
P
is "... to the edge" "$(grep ' warn ' out | python3 longest.py)" "80"
for view in --report --compare --calibrate; do
	tty 80 hamr-guard --no-config $view loop | sed "s/$esc\[[0-9;]*m//g" >out
	ok "nothing passes the edge: $view" test "$(python3 longest.py <out)" -le 80
done
tty 40 hamr-guard --no-config --compare loop |
	sed "s/$esc\[[0-9;]*m//g" >out
is "what is said goes on in the next line" "$(sed -n '/calls and/,/lost/p' out |
	tr -s '\n ' ' ' | cut -c 1-80)" \
    " calls and tokens: what each profile would have saved, or, if they were needed, "
ok "... within the edge" test "$(sed -n '/calls and/,/lost/p' out |
	python3 longest.py)" -le 40

{ person; for i in {a..f}; do
step "c$i" t '{}' same
step "r$i" read "{\"path\":\"$i\"}" "$(printf "$i%.0s" {1..70})"
done; } >between
is "a row tells that it would have been a block, but for new results" \
    "$(guard --report between | sed -n '/ warn /s/ \+/ /gp' | cut -d ' ' -f 6,10)" \
"3 lines
4 lines
5 delayed:
6 delayed:"

# ---- --compare ----

guard --compare loop >out
is "a row per profile" "$(awk '{ print $1 }' out | sed -n '2,10p' | tr '\n' ' ')" \
    "profile default strict hamr openfang hermes nanobot kimi off "
row() { sed -n "s/^  $1  *//p" out | sed 's/   */|/g'; }
is "default" "$(row default | cut -d'|' -f 2-5)" \
    "3|1|warn repeat, line 7, call 3|5"
is "hamr" "$(row hamr | cut -d'|' -f 1-5)" \
    "0|0|1|halt repeat, line 9, call 4|6"
is "openfang" "$(row openfang | cut -d'|' -f 1-5)" \
    "2|6|0|warn repeat, line 5, call 2|6"
is "hermes" "$(row hermes | cut -d'|' -f 1-5)" \
    "2|5|0|warn repeat, line 7, call 3|5"
is "nanobot" "$(row nanobot)" "2|0|0|warn repeat, line 7, call 3|0|0"
is "off" "$(row off)" "0|0|0|never|0|0"
# The same numbers as each profile's own report, and as its records.
for p in default strict hamr openfang hermes nanobot kimi; do
	guard -p $p --report loop | sed -n 's/^  said *//p' |
	    sed 's/ warnings*, /|/; s/ blocks*, /|/; s/ halt.*//' >report.n
	is "$p: --report says so, too" "$(cat report.n)" \
	    "$(row $p | cut -d'|' -f 1-3)"
	# of the halts only the first of a turn is counted
	guard -n -p $p loop | jq -r 'select(.type == "verdict" and .level != 0)
	    | .action' | sort | uniq -c >records.n
	is "$p: and the records" \
	    "$(awk '{ n[$2] = $1 } END { printf "%d|%d|%d\n", n["warn"],
	    n["block"], (n["halt"] > 0) }' records.n)" "$(cat report.n)"
done
# A halted turn: its later steps are saved whole.
hamr_tokens=$(row hamr | cut -d'|' -f 6 | tr -d ',')
off_tokens=$(row off | cut -d'|' -f 6)
ok "after a halt the tokens of the rest are saved" \
    test "$hamr_tokens" -gt "$(row openfang | cut -d'|' -f 6)"
is "off saves nothing" "$off_tokens" "0"
guard --compare loop calm >out
match "over several files the first firing has its file" "$(row nanobot)" \
    "*|warn repeat, loop:7, call 3|*"
is "and the title counts them" "$(head -n 1 out | cut -d, -f 1,4)" \
    "2 transcripts, 13 calls"
match "notes are explained" "$({ person; step e t '{}' "Error: no"; } |
    guard --compare | tail -n 1)" "*1 note of *nanobot*"

match "a guard that is switched off says so" \
    "$(guard --report -o loop_guard.enabled=false loop)" \
    "*1 transcript judged by default, but loop_guard.enabled is false*"

# ---- several transcripts on a line each ----

jq -cs '{messages: map(select(.role))}' loop calm >one
cat one one >two
is "a transcript and calls on one line are not called lines" \
    "$(guard -q -F openai --report two | grep -c 'lines 1\|lines 2\|1 to 1')" 0
match "... but by that line" "$(guard -q -F openai --report two)" \
    "two: *  line 1*two, line 2: *  line 2*"
status "--import-only has nothing to report: status 2" 2 \
    guard --import-only --report loop
status "... whichever comes first" 2 guard --compare --import-only loop

# ---- what a call is about ----

about() {	# tool arguments
	{ person; for i in 1 2 3; do step "a$i" "$1" "$2" same; done; } |
	    guard --report | sed -n 's/^.*  3      3  *[^ ]*  \(.*\)  lines.*/\1/p' |
	    sed 's/ *$//'
}
while read -r tool arguments; do
	is "the path: $tool $arguments" "$(about "$tool" "$arguments")" a.c
done <<'X'
read {"path":"a.c"}
read {"command":"view","path":"a.c","view_range":[1,2]}
read {"file_path":"a.c","limit":2}
read {"filePath":"a.c"}
read {"absolute_path":"a.c"}
read_file {"target_file":"a.c","explanation":"why"}
view_file {"AbsolutePath":"a.c"}
NotebookRead {"notebook_path":"a.c"}
read_files {"files":[{"path":"a.c"},{"path":"b.c"}]}
read_many_files {"paths":["a.c","b.c"]}
open_file {"relative_workspace_path":"a.c","query":"x"}
readFile {"uri":"a.c"}
open_file {"relativeWorkspacePath":"a.c","query":"x"}
list {"DirPath":"a.c"}
view {"file-path":"a.c"}
find_file {"file_name":"a.c","dir":"d"}
edit {"input":"*** Begin Patch\n*** Update File: a.c\n@@\n-x\n+y"}
apply_patch {"patch":"*** Begin Patch\n*** Add File: a.c\n+y"}
X
is "a command line before its path" \
    "$(about bash '{"path":"a.c","command":"make"}')" make
is "a pattern where there is no path" "$(about Grep '{"pattern":"x y"}')" "x y"

# ---- --calibrate ----

guard --calibrate loop calm >out
cat >want <<'W'
2 transcripts, 13 calls: how often each rule would have fired, threshold by threshold
 rule from now times transcripts share first at
 repeat 2 9 2 100 % loop:6
 3 warn 7 1 50 % loop:8
 4 6 1 50 % loop:10
 5 block 5 1 50 % loop:12
 6 4 1 50 % loop:14
 7 3 1 50 % loop:16
 8 halt 2 1 50 % loop:18
W
head -n 9 out | tr -s ' ' | sed 's/ *$//' >head
same "rule by rule, threshold by threshold, on past a block" head want
is "the name of each rule stands once, in its first row" \
    "$(awk 'NR > 2 && $1 ~ /[a-z]/ { print $1, $2 }' out)" \
"repeat 2
repeat-weak 6
same-answer 12
stall 2
calls 8
monologue 3"
is "... also of one that comes first" "$({ person
echo '{"role":"assistant","content":"It ends at once.","finish_reason":"stop"}'
} | guard --calibrate | sed -n 3p | tr -s ' ')" " monologue 3 warn 0 0 0 %"
is "other thresholds are marked" "$(guard --calibrate \
    -o loop_guard.warn_threshold=2 loop | awk '/ warn / { print $2; exit }')" \
    "2"

{ person; for i in {1..9}; do
step "e$i" edit "{\"path\":\"a\",\"old\":\"$i\",\"new\":\"x$i\"}" ok
step "c$i" bash '{"command":"make"}' "1 failed" '{"is_error":true}'
done; } >edits
is "edits in vain: at each multiple of a threshold" "$(guard --calibrate edits |
    sed -n '/^  futile/,$p' | tr -s ' ' | awk '$1 == 4 || $1 == 5' |
    cut -d ' ' -f 2-4)" "4 warn 2
5 1 1"

long=$(printf 'd%.0s' {1..70})
cp loop "$long"
match "a long name keeps its end, and the line" \
    "$(guard --calibrate "$long" | sed -n 3p)" "* …ddd*d:6"
status "not of another system's rules: status 2" 2 guard -p hermes --calibrate loop
match "... with what to do" "$(cat .err)" "*hermes has its own limits*-p default or strict"

# ---- --explain ----

guard --explain c5 loop >out
ok "where the call stands" \
    grep -q '^c5  loop:11, turn 1, step 5, call 5$' out
ok "what it is" grep -q '^  call  *bash  make check$' out
ok "its result" grep -q '^  result  *line 12, 8 bytes$' out
ok "the verdict" grep -q '^  verdict  *block by repeat, count 5$' out
ok "the limits" grep -q '^  limits  *warning at 3, block at 5, halt at 8$' out
ok "the counters" grep -q '^  counters  *4 with this outcome, 0 refused' out
ok "the evidence" grep -q \
    '^  rests on  *c1 (line 3), c2 (line 5), c3 (line 7), c4 (line 9)$' out
ok "the words" grep -q '^  text  *Not run: attempt 5 of this bash call' out
is "why, in two sentences" "$(sed -n '/^  why/,/^  limits/p' out |
    sed '$d' | tr -s ' \n' ' ')" " why The same call returned the same result 4 \
times, and no progress came in between. So the call was not run. "
guard --explain c9 loop >out
is "... after the end of a turn" "$(sed -n '/^  why/,/^  counters/p' out |
    sed '$d' | tr -s ' \n' ' ')" " why The turn was over before this call. No call \
runs until the next message by a person. "
guard --explain c5 loop >out
is "at most 80 columns" "$(awk 'length($0) > 80' out)" ""
guard --explain c2 loop >out
ok "a call without a verdict: why it may run" \
    grep -q 'allow: call 2 of its kind, warning at 3' out
is "... before and after" "$(grep -c '^before the call\|^after the step' out)" "2"
ok "... and how far the counters came" grep -q '^  repeat 2' out
{ person; for i in 1 2 3; do batch a$i:read:x b$i:read:y; answer a$i X
answer b$i Y; done; } >pair
is "... each once, whichever call moved it" "$(guard --explain b3 pair |
    tail -n 1)" "  repeat 3, stall 2, reads 6"
{ person; idle 1 8; } >idle
is "... and what comes after it" "$(guard --explain i8 idle |
    grep '^  then')" "  then       the next message must be text only"
{ person; for i in 1 2 3; do
step "n$i" t '{}' "no such thing as 17$i" '{"is_error":true}'; done; } >numbers
match "... and how failures were alike" "$(guard --explain n3 numbers |
    tr -s ' \n' ' ')" "*why The same call failed 3 times with errors that differ only *"
{ echo '{"role":"user","content":"smoke.sh, please"}'; for i in 1 2 3; do
step "m$i" bash '{"command":"./smoke.sh"}' ok; done; } >smoke
match "... and why it is refused later" "$(guard --explain m3 smoke |
    tr -s ' \n' ' ')" "*block at 20, halt at 32; block and halt are later, as the repeat may be wanted*"
call c bash '{"command":"ls"}' >>idle
is "... and a call made all the same" "$(guard --explain c idle |
    sed -n '/^  why/,/^  limits/p' | tr -s ' \n' ' ')" " why The message had to be \
text only. So the call was not run, and the turn ended. limits warning at 4, text only at 8 "
guard --explain 11 loop >by_line
guard --explain c5 loop >by_id
same "CALL may be the line of its message" by_line by_id
guard --explain 12 loop >by_result
same "... or of its result" by_result by_id
is "all calls of that id" "$(guard --explain c5 three | grep -c '^c5  ')" "2"
ok "an answer, by its line" \
    test "$(guard --explain 2 answer | grep -c '^an answer\|by status-only')" = 2
guard -p hermes --explain c3 loop >out
ok "another system's reasons" grep -q 'hermes: a window of 10' out
{ person; batch a:read:x b:read:x; answer a X; answer b X; } >twins
ok "a twin" grep -q 'share by batch, count 2, with the result of a$' \
    <<<"$(guard --explain b twins)"
is "of a message's calls each" "$(guard --explain 2 twins | grep -c '^[ab]  ')" \
    "2"
is "a shared call is saved" "$(guard --compare twins |
    awk '$1 == "default" { print $(NF - 3) }')" "1"
status "no such call: status 1" 1 guard --explain c99 loop
is "... and there is told what there is" "$(cat .err)" \
"hamr-guard: --explain c99: no such call among 10; there are verdicts on \
c3, c4, c5, c6, c7, c8, c9; give an id, or the line of a call's message or result"
status "no verdict at all" 1 guard --explain c99 calm
is "... the calls there are" "$(cat .err)" \
"hamr-guard: --explain c99: no such call among 3; there are c1, c2, r; \
give an id, or the line of a call's message or result"
status "no call at all" 1 guard --explain c1 answer
is "... is said" "$(cat .err)" \
    "hamr-guard: --explain c1: the transcript has no calls"

# ---- input and output ----

views='--report --compare --calibrate --import-only --explain=c1'
for a in $views; do
	for b in $views; do
		[ "$a" = "$b" ] && continue
		status "$a and $b: status 2" 2 guard "$a" "$b" loop
		is "... naming both" "$(cat .err)" \
		    "hamr-guard: ${a%=*} and ${b%=*}: one at a time; leave one out"
	done
done
status "a view twice is one view" 0 guard --report --report loop
status "two calls to explain: status 2" 2 guard --explain 1 --explain 2 loop
is "... naming both" "$(cat .err)" \
    "hamr-guard: --explain: one call at a time, 1 or 2"
status "--explain wants a call: status 2" 2 guard --explain
status "an unknown profile: status 2" 2 guard --report -p claude loop
match "... naming what there is" "$(cat .err)" "*default, strict, hamr*"
{ head -n 12 loop; echo 'no record'; } >broken
status "a bad line: status 65" 65 guard --report broken
match "... named" "$(cat .err)" "hamr-guard: broken:13: *"
is "... and what came before it is reported" "$(grep -c ' repeat ' .out)" "3"
is "--lenient goes on" "$(guard --lenient --report broken | grep -c ' repeat ')" \
    "3"
status "a missing file: status 66" 66 guard --report nowhere
is "nothing at all" "$(guard --report </dev/null; guard --compare </dev/null
    guard --calibrate </dev/null)" "no records
no records
no records"
status "-e: status 1 after a block" 1 guard -e --report loop
status "... 0 without" 0 guard -e --report calm
for v in --report --compare --calibrate "--explain c5"; do
	# shellcheck disable=SC2086
	status "$v to a full disk: status 71" 71 sh -c \
	    "hamr-guard --no-config $v loop >/dev/full"
done
is "no record is written" "$(guard --report loop | grep -c '^{')" "0"
done_testing

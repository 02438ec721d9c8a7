#!/bin/bash
# engine.t - stages, refill, marks, stubs, context: chapter 8 in detail
. "$(dirname "$0")/../lib.sh"

compact() { hamr-compact --no-config -o context.strategy=moderate "$@"; }
request() { compact -n "$@" | tail -n 1; }
event() { compact -n "$@" | jq -c 'select(.type == "compaction")'; }

# Text as a JSON string in $quoted; by the shell, as there are hundreds.
quote() {
	quoted=${1//\\/\\\\}
	quoted=${quoted//\"/\\\"}
	quoted=${quoted//$'\t'/\\t}
	quoted=\"${quoted//$'\n'/\\n}\"
}

# call ID TOOL ARGS-JSON RESULT [META-JSON]
call() {
	local arguments result
	quote "$3"
	arguments=$quoted
	quote "$4"
	result=$quoted
	printf '%s%s%s\n' '{"role":"assistant","content":null,"tool_calls":[' \
	    "{\"id\":\"$1\",\"type\":\"function\",\"function\":{" \
	    "\"name\":\"$2\",\"arguments\":$arguments}}]}"
	printf '%s%s%s\n' "{\"role\":\"tool\",\"tool_call_id\":\"$1\"," \
	    "\"content\":$result" "${5:+,\"meta\":$5}}"
}
user() {
	quote "$1"
	printf '{"role":"user","content":%s}\n' "$quoted"
}
numbers=({1..2000})
lines() {
	printf "$2 line %d of some text that is long enough\n" \
	    "${numbers[@]:0:$1}"
}

# ---- the marks of each strategy ----

long() {	# steps
	echo '{"type":"hamr","v":1,"session":"s1"}'
	user "the task is to make everything work"
	jq -nc --argjson n "$1" 'range($n) | . as $i | {role:"assistant",
	content:"Step \($i) is done.",tool_calls:[{id:"c\($i)",type:"function",
	function:{name:"bash",arguments:({command:"make t\($i)"}|tojson)}}]},
	{role:"tool",tool_call_id:"c\($i)",content:([range(40)|
	 "output \(.) of run \($i), a line like many others"]|join("\n"))}'
}
long 400 >l400
for w in 16000 65536 131072; do
	for s in aggressive:45:20 moderate:60:30 balanced:75:30 light:90:35; do
		IFS=: read -r name high low <<-X
		$s
		X
		b=$((w - (w / 4 < 8192 ? w / 4 : 8192)))
		# a request every step, in a wide window every 4th or 8th
		compact -r --window $w --strategy "$name" <(awk \
			-v every=$((w / 16000)) '{ print }
			/"tool_call_id"/ && ++n % every == 0 {
			print "{\"type\":\"go\",\"n\":" NR "}" }
			' l400) | awk -F '"messages":|"params"' '
			NF > 2 { print $1 "\"params\"" $NF; next } 1' >steps
		is "$name at $w: marks" "$(jq -s --argjson b $b \
			--argjson h "$high" --argjson l "$low" '
			[.[] | select(.type == "compaction")] as $c |
			[.[] | select(.type == "request").tokens] as $r |
			($c | length > 0) and
			($c[0].tokens_before > $b * $h / 100) and
			($c[0].tokens_before < $b * ($h + 12) / 100) and
			($c | all(.tokens_after <= $b * ($l + 3) / 100 or
			    $b < 20000 or $h == 90)) and
			($r | all(. <= $b))' steps)" true
	done
done

# ---- the tail is whole turns, or the newest steps of a long one ----

turns() {	# turns, steps of each
	for t in $(seq "$1"); do
		user "task $t"
		for k in $(seq "$2"); do
			call "t$t.$k" bash "{\"command\":\"run $t.$k\"}" \
			    "$(lines 30 "word$t.$k")"
		done
	done
}
tails() { event --window 32768 "$1" | jq -r .tail_from; }

turns 20 4 >turned
is "the tail begins where a turn does" "$(tails turned |
	sed 's/.*[.]//' | sort -u)" 1
turns 1 80 >turned
is "a turn that does not fit: its newest 3 steps" "$(event --window 32768 \
	turned | jq -r '"\(.tail_from) \(.messages_in)"')" "t1.74 153"

# ---- the newest message of a person is never lost ----

long_word() { printf "%0$1d" 0; }
{
	user "the task is this: $(long_word 900)"
	user "now this: $(long_word 16000)"
	for k in 1 2 3 4 5 6 7 8; do
		call "n$k" edit "{\"path\":\"src/a$k.c\",\"oldText\":\"a\",
			\"newText\":\"b\"}" ok
	done
	for k in 1 2 3 4; do
		call "m$k" bash "{\"command\":\"run $k\"}" \
		    "$(lines 400 "word$k")"
	done
} | jq -s -c '.[0].content as $task | .[1:][] | if .role == "user" and
	(.content | startswith("now")) then {role:"user",content:$task},
	{role:"assistant",content:"yes"}, . else . end' >newest
echo '{"type":"compact"}
{"type":"compact"}
{"type":"compact"}
{"type":"compact"}' >demands
cat newest demands >asked
is "newest: stage 3" "$(event --window 12288 asked | jq -r .stage)" 3
request --window 12288 asked | jq -r .messages[0].content >summary
ok "newest: 600 bytes of it" grep -q "^[0-9]*[.] now this: $(long_word 590)" \
    summary
ok "newest: 300 bytes of the task" grep -q "the task is this: $(long_word \
    280)" summary
ok "newest: within the summary's cap" test "$(wc -c <summary)" -le 1200

for k in 1 2 3; do
	user "do $k: $(seq -s ' ' 1 130)"
	call "w$k" bash "{\"command\":\"run $k\"}" "$(lines 12 "word$k")"
done >tiny
request --window 1500 tiny | jq -r .messages[0].content >summary
ok "newest: whole in a tiny window that has room" grep -q \
    "^3[.] do 3: 1 2 .* 130$" summary
request --window 1300 tiny | jq -r .messages[0].content >summary
ok "newest: its beginning where there is none" grep -q \
    "^3[.] do 3: 1 2 .* 110 .*[.]]$" summary

# ---- the task stays whole ----

long_task=$(long_word 250) long_turn=$(long_word 251)
{ user "do $long_task"; turns 3 4; user "then $long_turn"; turns 1 4 |
	tail -n +2; cat demands; } >short
request --window 1000 short | jq -r .messages[0].content >summary
ok "a short one in the smallest window, too" grep -qx "do $long_task" summary
ok "and what the turn is about" grep -q "then $long_turn$" summary

{
	user "the task: $(seq -s ' ' 4000)"
	turns 3 20
} >whole
request --window 32768 whole | jq -r .messages[0].content >summary
ok "the task is in the summary, to its last word" grep -q \
    "^the task: 1 2 3 .* 3999 4000$" summary
is "and in front, where it stood before" "$(head -n 5 summary | cut -c 1-17)" \
    "$(printf '%s\n' "the task: 1 2 3 4" "" "[Summary of earli" \
    "USER MESSAGES SO " "1. (above)")"
is "a former one is cut, the turn's own is not" "$(grep -c '^[234][.] task' \
    summary)" 3
{ user " "; echo '{"role":"assistant","content":"hi"}'; cat whole; } >blank
is "nor is an empty message the task" "$(request --window 32768 blank |
    jq -r .messages[0].content | head -n 1 | cut -c 1-17)" "the task: 1 2 3 4"
{ user "task zero"; turns 2 4; user "and now: $(seq -s ' ' 3000)"
turns 1 30 | tail -n +2; } >later
request --window 32768 later | jq -r .messages[0].content >summary
ok "nor is what the turn in hand is about" grep -q "^4[.] and now: .* 3000$" \
    summary
{ user "task zero"; for k in 1 2 3 4; do
	user "wish $k: $(seq -s ' ' 400)"
	call "v$k" bash "{\"command\":\"run $k\"}" "$(lines 400 "word$k")"
done; } >wishes
request --window 32768 wishes | jq -r .messages[0].content >summary
# the last two are in the tail
is "of the last three messages each is whole, an older one is not" \
    "$(grep '^[23][.] wish' summary | sed 's/[.] wish.* / /')" \
    "2 [...]
3 400"

{ cat wishes; for k in 5 6 7 8; do
	call "v$k" bash "{\"command\":\"run $k\"}" "$(lines 999 "word$k")"
done; } >worked
is "... nor when the tail has none of them" "$(request --window 32768 worked |
	jq -r .messages[0].content | grep '^[2-5][.] wish' |
	sed 's/[.] wish.* / /' | paste -sd ,)" "2 [...],3 400,4 400,5 400"

{ user "make it build"; for k in 1 2 3 4 5; do
	call "x$k" bash "{\"command\":\"make $k $(seq -s ' ' 50)\"}" \
	    "error: $k $(seq -s ' ' 45)" '{"exit":2}'
done; for k in 1 2 3 4 5 6 7 8 9; do
	call "y$k" bash "{\"command\":\"run $k\"}" "$(lines 99 "word$k")"
done; } >failing
is "open errors are kept, however long the commands" "$(request --window 8192 \
	failing | jq -r .messages[0].content | grep -c '^- make.* 45$')" 3

{ printf '%s"%s"%s\n' '{"role":"user","content":' "$(seq -s ' ' 0 39999)" \
	',"meta":{"by":"context","from":"stdin"}}'
user "review this"; } >piped
is "what is piped in is as much of the task" "$(compact -n --window 32768 \
    piped 2>&1 | jq -c '[.code, .contributors.user > 24576]')" \
    '["budget_exhausted",true]'

# ---- refill: live file text first, what is superseded never ----

{
	user "fix it"
	call old read '{"path":"a.c"}' "$(lines 60 OLD)" \
	    '{"first":1,"last":60,"lines":60}'
	call b read '{"path":"b.c"}' "$(lines 40 BBB)" \
	    '{"first":1,"last":40,"lines":40}'
	call new read '{"path":"a.c"}' "$(lines 60 NEW)" \
	    '{"first":1,"last":60,"lines":60}'
	call run1 bash '{"command":"make"}' "$(lines 60 RUN1)" '{"exit":0}'
	call ed edit '{"path":"b.c","old":"x","new":"y"}' "ok" \
	    '{"diff":"--- b.c\n+++ b.c\n@@ -3,2 +3,4 @@\n x\n"}'
	for i in 1 2 3 4 5 6; do
		call "f$i" bash "{\"command\":\"run $i\"}" "$(lines 55 "F$i")"
	done
	call run2 bash '{"command":"make"}' "$(lines 60 RUN2)" '{"exit":0}'
	for i in 1 2 3 4; do
		call "g$i" bash "{\"command\":\"go $i\"}" "$(lines 30 "G$i")"
	done
} >live
event --window 17000 live >ev
is "what is filled in again: the edited file" \
	"$(jq -c '.keep | index("b") != null' ev)" true
is "not what was read again or run again later" \
	"$(jq -c '.keep | index("old"), index("run1")' ev | paste -sd ' ')" \
	"null null"
request --window 17000 live | jq -r '.messages[].content // ""' >text
ok "the newest text of a file is verbatim" grep -q "BBB line 40 of" text
is "the old one is a stub" "$(grep -c "OLD line 9" text)" 0
is "up to the low mark" "$(event --window 17000 live |
	jq '.tokens_after <= 17000 * 3 / 4 * 30 / 100 + 10')" true
is "elided: read ranges" "$(jq -c '.elided[] |
	select(.tool_call_id == "old")' ev)" \
	"$(if jq -e '.keep | index("new")' ev >/dev/null; then
		echo '{"tool_call_id":"old"}'; else
		echo '{"tool_call_id":"old","path":"a.c","first":1,"last":60}'
	fi)"
{
	user "fix it"
	call old read '{"path":"a.c"}' "$(lines 60 OLD)" \
	    '{"first":1,"last":60,"lines":60}'
	for i in {1..14}; do
		call "f$i" bash "{\"command\":\"run $i\"}" "$(lines 55 "F$i")"
	done
	for i in {1..110}; do
		call "t$i" read "{\"path\":\"t$i.c\"}" "tiny" \
		    '{"first":1,"last":1,"lines":1}'
	done
	call new read '{"path":"a.c"}' "$(lines 60 NEW)" \
	    '{"first":1,"last":60,"lines":60}'
} >many
is "lines in view are told, however many reads came between" \
	"$(event --window 14000 --strategy late many | jq -c '[(.elided[] |
	select(.tool_call_id == "old")), (.elided[] |
	select(.tool_call_id == "new"))]')" '[{"tool_call_id":"old"}]'
is "a search in a file shows no lines of it" \
	"$(sed '/"id":"new"/s/a[.]c\\"/&,\\"query\\":\\"text\\"/' many |
	compact -n --window 14000 --strategy late | jq -r '
	.elided // [] | .[] | select(.tool_call_id == "old").path')" a.c
is "nor does a read that is cut show them all, but one that stops behind does" \
	"$(for last in "more bytes in this line]" "long enough"; do
		jq -c --arg last "$last" '(select(.tool_call_id == "new")) |=
		(.meta.truncated = true |
		.content |= sub("long enough"; $last))' many |
		    sed 's/"lines":60/"lines":900/' |
		    event --window 14000 --strategy late | jq -r '.elided[] |
		    select(.tool_call_id == "old").path'
	done | paste -sd ' ')" "a.c null"
cat live ev >told
request --window 17000 told >again
request --window 17000 live >first
same "the record says all: the same request" first again
compact --window 17000 <live >once
compact --window 17000 <once >twice
same "twice is once, with what was filled in" once twice

changed() {	# by what comes behind the edit of b.c: is it kept?
	{ echo '{"type":"hamr","format":"hamr","v":1,"session":"s","cwd":"/w/"}'
	sed "/\"tool_call_id\":\"ed\"/r /dev/stdin" live; } >changed
	event --window 17500 changed | jq '.keep | index("b") != null'
}
is "nor the text that a file had before a command changed it, or an undo" \
	"$(for path in /w/b.c b.c c.c; do
		call fmt bash '{"command":"make format"}' "" \
		    "{\"mutated\":[{\"path\":\"$path\"}]}" | changed
		echo '{"type":"undo","of":"u1","paths":[{"path":"'$path'"}]}' |
			changed
	done | paste -sd ' ')" "false false false false true true"
is "nor if the command came with the read, in one message" \
	"$(for path in b.c c.c; do
		jq -c --arg path $path '(.tool_calls // [] |
		select(.[0].id == "b")) += [{id:"fmt",type:"function",
		function:{name:"bash",arguments:"{}"}}],
		(select(.tool_call_id == "b") | .tool_call_id = "fmt" |
		.content = "" | .meta = {mutated:[{path:$path}]})' live |
		    event --window 17500 | jq '.keep | index("b") != null'
	done | paste -sd ' ')" "false true"

# ---- auto: what the next edit matches stays, whatever the tail takes ----

{
	user "fix it"
	for i in $(seq 14); do
		call "f$i" bash "{\"command\":\"run $i\"}" "$(lines 40 "F$i")"
	done
	call ed edit "{\"path\":\"b.c\",\"old\":\"x\",\"new\":\"$(
	    lines 40 text | paste -sd ' ')\"}" "ok"
	call f15 bash '{"command":"run 15"}' "$(lines 40 F15)"
	call big read '{"path":"big.c"}' "$(lines 400 BIG)"
} >wide
auto() { hamr-compact --no-config -n --window 16100 "$@"; }
is "an edit is in full beside a large tail" "$(auto wide |
	jq -c 'select(.type == "compaction") | [.stage, .keep]')" \
	'["2b",["ed"]]'
cat wide <(auto wide | head -n 1) >told
same "the record says all of it" <(auto told) <(auto wide | tail -n 1)

# How fast an item grows old, by its kind: each constant of refill.c at its
# edge, 100 messages behind the first.  There is room for one of two.
kept() {
	python3 "$TOP/tests/compact/compact_refill.py" "$@" >items
	event --window 40000 items | jq -r '.keep | join(" ")'
}
is "a read is worth a command of half its age" \
	"$(kept read command 50 100 3300), $(kept read command 49 100 3300)" \
	"second, first"
is "what was written a read of a third of its age" \
	"$(kept write read 66 100 3300), $(kept write read 65 100 3300)" \
	"second, first"
is "a read any other result of a quarter" \
	"$(kept read other 75 100 3400), $(kept read other 74 100 3400)" \
	"second, first"

# late keeps what is young enough for its size, in each row of the table in
# epoch.c at its edge.
young() {	# window, age, words
	{ cat prompt; python3 "$TOP/tests/compact/compact_oldest.py" "$@"; } |
	    hamr-compact --no-config -n \
	    -o context.context_budget_tokens=900000 |
	    jq 'select(.type == "compaction").keep | index("old") != null'
}
: >prompt
for row in "8192 40 42" "16384 82 84" "32768 158 160" "65536 896 898" \
    "131072 3582 3584"; do
	read -r window kept gone <<<"$row"
	is "a window of $window keeps what is $kept messages old, not $gone" \
		"$(young "$window" "$kept" 1) $(young "$window" "$gone" 1)" \
		"true false"
done
is "and the larger, the younger" "$(young 16384 46 240) $(young 16384 46 241)" \
	"true false"
jq -nc '{role:"system",content:([range(2500)|"rule \(.)"]|join("\n"))}' >prompt
is "behind a long prompt what a window of the rest would keep" \
	"$(young 32768 82 1) $(young 32768 84 1)" "true false"

# A read numbers its lines, or cuts them: what an edit put in is there as well.
{
	user go
	for k in $(seq 12); do
		call "k$k" bash "{\"command\":\"k $k\"}" "$(lines 40 "K$k")"
	done
	call ed edit "{\"path\":\"a.c\",\"old\":\"x\",\"new\":\"$(lines 20 w |
		tr '\n' ' ')\"}" ok
	for k in 1 2 3 4; do
		call "l$k" bash "{\"command\":\"l $k\"}" "$(lines 40 "L$k")"
	done
	call rd read '{"path":"a.c"}' "$(lines 180 a)"
} >edited
is "an edit stays beside a read of its file" "$(event --strategy late \
	--window 16384 edited | jq -c '[.tail_from, .keep]')" \
	'["rd",["ed","l4"]]'

# What it put in is whole wherever the edit is shown, what it replaced is not.
old=$(lines 20 gone | tr '\n' ' ')
{
	user "fix it"
	call ed edit "$(jq -nc --arg o "$old" --arg n "$(lines 20 new)" \
	    '{path:"b.c",edits:[{oldText:$o,newText:$n}]}')" "$(lines 30 snippet)"
	for i in $(seq 7); do
		call "f$i" bash "{\"command\":\"run $i\"}" "$(lines 80 "F$i")"
	done
	call last bash '{"command":"run"}' "$(lines 40 L)"
} >lean
event --strategy late --window 12000 lean >ev
is "an edit is kept" "$(jq -c '.keep | index("ed") != null' ev)" true
request --strategy late --window 12000 lean | jq -c '[.messages[].tool_calls //
	[] | .[] | select(.id == "ed").function.arguments | fromjson][0].edits[0]' >ed
is "with what it put in" "$(jq -r .newText ed)" "$(lines 20 new)"
is "but not what it replaced" "$(jq -r .oldText ed)" \
	"${old:0:80}…[$((${#old} - 80)) bytes elided]"
is "and a stub for its result" "$(request --strategy late --window 12000 lean |
	jq -r '.messages[] | select(.tool_call_id == "ed").content' |
	grep -c '^\[elided edit b.c, 30 lines')" 1
is "a record of it says the same" "$(cat lean ev | request)" \
	"$(request --strategy late --window 12000 lean)"
is "one with the ids alone, too" "$(jq -c 'del(.fold_at, .tail_at, .slim_to,
	.slim_at)' ev | cat lean - | request)" "$(cat lean ev | request)"
is "the file is not told as elided" "$(jq -c '.elided[] |
	select(.tool_call_id == "ed")' ev)" ""

# A file's text is whole where it fits, also beside what the last step has else;
# one that does not fit is cut as any result.
whole() {	# lines of the file, of another result before it, of the task
	{
		user "$(lines "$3" task)"
		call o bash '{"command":"make"}' "$(lines "$2" o)"
		call rd read '{"path":"a.c"}' "$(lines "$1" text)"
	} >whole
	hamr-compact --no-config -n --window 16384 whole | tail -n 1 |
		jq -r '.messages[-1].content' >rd
	echo "$(grep -c '^text line' rd) $(grep -c 'bytes cut' rd)"
}
is "84 % of the window is whole" "$(whole 800 1 1)" "800 0"
is "also when that takes a compaction" "$(whole 800 200 1)" "800 0"
match "more is cut to 25 %" "$(whole 820 1 1)" "2?? 1"
match "beside a long task it is cut to what fits" "$(whole 800 200 100)" \
	"7?? 1"
both() {	# lines of each of two files
	{
		user task
		{
			call a read '{"path":"a.c"}' "$(lines "$1" text)"
			call b read '{"path":"b.c"}' "$(lines "$2" text)"
		} | jq -s -c 'sort_by(.role)[]'
	} | hamr-compact --no-config -n --window 16384 | tail -n 1 |
		grep -o 'text line' | wc -l
}
match "of two in one step neither has more than its share of 25 %" \
	"$(both 700 700)" "2??"
match "but a short one beside it cuts none short" "$(both 800 100)" "[78]??"
is "a command's output is cut to 25 %" "$({ user "fix it"
	call o bash '{"command":"make"}' "$(lines 600 o)"; } | hamr-compact \
	--no-config -n --window 16384 | grep -c 'bytes cut')" 1

# With late what is folded comes back the same way: the step is shown behind the
# summary.
{
	user "do it"
	call early edit '{"path":"a.c","old":"x","new":"the text of a.c"}' ok
	turns 60 1 | head -n 15
	user "and now b.c"
	call late edit '{"path":"b.c","old":"x","new":"the text of b.c"}' ok
	turns 60 1 | tail -n +16
} >folded
request --strategy late --window 27000 folded >back
is "folded, and kept" "$(event --strategy late --window 27000 folded | tail -n 1 |
	jq -c '[.fold_at > 1, (.keep | index("early")), .elided[].tool_call_id] |
	.[:2]')" "[true,0]"
is "it stands behind the summary, and a person's message not behind it" \
	"$(jq -c '[.messages[1:][] | .tool_calls[0].id // .tool_call_id //
	.content] | .[:4], .[-6:]' back | paste -sd ' ')" "$(printf '%s %s' \
	'["early","early","late","late"]' \
	'["t59.1","t59.1","(interrupted)","task 60","t60.1","t60.1"]')"
sed 's/{"role":"user","content":"task \([0-9]*\)"/{"role":"assistant","content":"so"}\
{"role":"user","content":"go on \1","meta":{"by":"guard"}/' folded >nudged
is "a nudge there interrupts nobody" "$(request --strategy late --window 28600 \
	nudged | jq -c '[.messages[2:5][].content]')" '["ok","(continued)","go on 30"]'
{
	turns 12 1
	echo '{"type":"usage","prompt_tokens":25000,"completion_tokens":9}'
	echo '{"type":"error","stage":"provider","code":"malformed_tool_call","message":"m"}'
} >failed
is "a usage above the room counts though an error follows" \
	"$(event --window 32768 failed | jq -c '.tokens_before')" 25000
cat folded <(event --strategy late --window 27000 folded) >told
is "and the record tells it" "$(request --strategy late --window 27000 told)" \
	"$(cat back)"
is "with lower marks it does not" "$(event --window 24576 folded | tail -n 1 |
	jq -c '[.fold_at > 1, (.keep | index("early"))]')" "[true,null]"
{
	user "do it"
	call young edit '{"path":"a.c","old":"x","new":"the text of a.c"}' ok
	for k in {1..15}; do
		call "s$k" bash "{\"command\":\"run $k\"}" \
		    "$(lines 60 "word$k")" | jq -c --arg s "$(lines 24 "say$k")" \
		    'if .role == "assistant" then .content = $s else . end'
	done
} >folded
is "but one that is young does" "$(event --window 32768 folded | head -n 1 |
	jq -c '[.fold_at > 3, (.keep | index("young"))]')" "[true,0]"

# Where little is too much, little is left out.
{
	jq -nc '{role:"system",content:("rule " * 1020)}'
	user "do it"
	call l1 bash '{"command":"ls"}' "$(printf 'line %d\n' {0..79})"
} >little
is "1 % that does not fit is cut" "$(compact -n --window 2000 little |
	jq -c '[.type, .tokens_before, .tokens // .tokens_after]' | tr '\n' ' ')" \
    '["compaction",1510,1494] ["request",null,1494] '

# A late attempt changes nothing for who reads the record.
{
	user "do it"
	for k in 1 2 3 4 5 6 7 8 9 10; do
		call "a$k" bash "{\"command\":\"run $k\"}" \
		    "$(lines 30 "word$k")"
	done
	for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
		call "r$k" edit "$(jq -nc --arg o "$(lines 40 "o$k")" \
		    '{path:"f.c",oldText:$o,newText:"x"}')" ok
	done | jq -s -c 'sort_by(.role)[]'
} >vain
event --window 12288 vain >ev
for k in 1 2 3; do
	call "m$k" bash "{\"command\":\"more $k\"}" "$(lines 3 more)"
done >more
cat vain more | request --window 12288 >first
cat vain ev more | request --window 12288 >again
same "the same request with the record and without" first again

# ---- stubs ----

{
	echo '{"type":"hamr","v":1,"session":"20261120T101500Z-3f2a"}'
	user "look"
	call r1 read '{"path":"src/x.c"}' "$(lines 200 X)" \
	    '{"op":"file","path":"src/x.c","first":1,"last":200,"lines":812,"bytes":8123}'
	call r2 read '{"path":"./src/x.c"}' "$(lines 100 Y)" \
	    '{"op":"file","first":201,"last":300,"lines":812}'
	call c1 bash '{"command":"make check"}' "$(lines 20 first
		echo 'a.c:3: error: bad'; echo 'b.c:4: error: worse'
		echo 'a.c:3: error: bad'; lines 20 last)" \
	    '{"exit":2,"bytes":9000}'
	call cc bash '{"command":"cc"}' "$(lines 40 first
		echo 'd.c: error: end')" '{"exit":1}'
	call short bash '{"command":"true"}' "fine"
	call w write "$(jq -nc --arg c "$(lines 100 W)" '{path:"new.c",
		content:$c,n:1.5,list:["a",$c]}' | sed 's/"n":1.5/"n":1.50/')" "written"
	user "and now"
	for i in 1 2 3 4; do
		call "t$i" bash "{\"command\":\"t $i\"}" "$(lines 42 T)"
	done
	echo '{"type":"compact"}'
} >stubs
request --window 65536 -o context.keep_recent_tokens=100 stubs >st
jq -r '.messages[].content // ""' st >text
m=$(printf '20261120T101500Z-3f2a\0r1' | sha256sum | cut -c 1-12)
ok "a read" grep -qxF "[elided read src/x.c lines 1-200 of 812, 8123 bytes; memory m:$m; re-read before editing]" text
match "read twice" "$(grep '201-300' text)" \
	"?elided read ./src/x.c lines 201-300 of 812, * bytes, read 2x; memory m:*"
match "a command: lines, bytes, exit" "$(grep 'elided bash make' text)" \
	"?elided bash make check, 43 lines, 9000 bytes, exit 2; memory m:????????????]"
is "its first line, errors once each, last two" "$(grep -A 5 \
	'elided bash make' text | tail -n 5 | cut -d ' ' -f 1-3 |
	paste -sd ,)" "first line 1,a.c:3: error: bad,b.c:4: error: worse,last line 19,last line 20"
is "the last two, too, if the last is an error" "$(grep -A 3 \
	'elided bash cc' text | tail -n 3 | paste -sd ,)" \
	"$(lines 40 first | sed -n '1p;$p' | paste -sd ,),d.c: error: end"
ok "a short result stays" grep -qx fine text
args=$(jq -r '.messages[].tool_calls[]?.function | select(.name == "write") |
	.arguments' st)
is "long arguments: string leaves only" "$(printf %s "$args" | jq -c '[.path,
	.n + 0, (.content | length < 200), (.list | length)]')" '["new.c",1.5,true,2]'
match "they say what was cut" "$(printf %s "$args" | jq -r .content |
	tail -n 1)" "*?[[]*bytes elided?"
match "and keep the spelling of numbers" "$args" '*"n":1.50,*'
is "no memory, no id" "$(request --window 65536 -o memory.enabled=false \
	-o context.keep_recent_tokens=100 stubs | grep -c 'memory m:')" 0

# ---- sticky context lines ----

{
	user "look"
	call s read '{"path":"src/a.c","query":"x"}' "no match" \
	    '{"op":"search"}'
	call a read '{"path":"src/a.c"}' "text" \
	    '{"op":"file","first":1,"last":200,"lines":512}'
	call b read '{"path":"src/a.c"}' "text" \
	    '{"op":"file","first":1,"last":9,"lines":512,"truncated":true}'
	call c read '{"path":"src"}' "a.c" '{"op":"list"}'
	call d bash '{"command":"cd x && git status"}' "clean"
	call e bash '{"command":"git diff | cat"}' "diff"
	call f bash '{"command":"git status"}' "clean"
} >sticky
is "each read and inspection has its line" "$(request sticky |
	jq -r '.messages[].content // ""' | grep -F '[context: ')" \
"[context: src/a.c 1-200/512 complete; editable]
[context: src/a.c 1-9/512 truncated, re-read before editing; read 2x]
[context: git status complete]
[context: git diff complete]
[context: git status complete; inspected 2x]"

# ---- settings in the session ----

budget_of() { request "$@" | jq .tokens; }
{ cat l400; echo '{"type":"config","set":{"context.window":20000}}'; } >cw
is "a config record shrinks the window" "$(request cw |
	jq '.tokens <= 15000')" true
{ long 110; echo '{"type":"config","set":{"agent.context_strategy":"none"}}'
  long 110 | tail -n +3; } >cs
is "and sets the strategy, by its alias too" "$(request --window 200000 cs |
	jq '.stage + " \((.tokens > 120000))"')" '"0 true"'
is "a flag is stronger" "$(request --window 200000 --strategy moderate cs |
	jq -r .stage)" 1
{ echo '{"type":"config","set":{"context.strategy":"bogus","x":1}}'
  cat live; } >bad
is "what does not fit its key is not obeyed" "$(request bad)" \
	"$(request live)"

# ---- every_call ----

awk '{ print } /"tool_call_id"/ { print "{\"type\":\"go\",\"n\":" NR "}" }' \
	<(long 12) >twelve
compact -r -o context.every_call=true twelve |
	jq -c 'select(.type == "request") | [.messages[] |
	select(.role == "tool") | .content | startswith("[elided") | not] |
	map(select(.)) | length' | sort -u | paste -sd ' ' >shown
is "every_call: the last three steps in full" "$(cat shown)" "1 2 3"

# ---- stage 3 cuts the last step ----

{
	user "read all"
	jq -nc --arg c "$(lines 500 R)" '{role:"assistant",content:null,
	tool_calls:[range(5) | {id:"p\(.)",type:"function",function:{
	name:"read",arguments:({path:"f\(.)"}|tojson)}}]},
	(range(5) | {role:"tool",tool_call_id:"p\(.)",content:$c})'
	echo '{"type":"limit","context_tokens":16000}'
} >five
event five >ev
is "results taken in under a larger window are cut" \
	"$(jq -c '[.stage, (.cut | length), (.elided | length)]' ev)" \
	'["3",5,5]'
is "then it fits" "$(request five | jq '.type == "request" and
	.tokens < 12000')" true
cat five ev >told
is "and the record tells it" "$(request told)" "$(request five)"
{
	jq -nc --arg d "$(lines 400 T)" '{type:"tools",tools:[{type:"function",
	    function:{name:"t",description:$d,parameters:{}}}]}'
	call l1 bash '{"command":"make"}' "$(lines 400 R)"
} >tight
is "and more where tools leave less room" "$(request --window 8000 tight |
	jq -c '[.type, .tokens <= 6000, .tokens > 5500]')" \
	'["request",true,true]'

# of 4 and 6 images with a text each, beside which so many have room
images() {	# number, lines of text
	user "look"
	jq -nc --argjson n "$1" --arg t "$(lines "$2" R)" '{role:"assistant",
	content:null,tool_calls:[range($n) | {id:"v\(.)",type:"function",
	function:{name:"view_image",arguments:({path:"p\(.)"}|tojson)}}]},
	(range($n) | {role:"tool",tool_call_id:"v\(.)",content:[{type:"text",
	text:$t},{type:"image_url",image_url:{url:"data:\(.)"}}]})'
}
for row in '4 300 9000 2:3' '6 1 8192 3:5' '1 300 2400 none'; do
	set -- $row
	images "$1" "$2" >seen
	request --strategy light --window "$3" seen >sent
	is "$1 images in a window of $3: the newest that fit stay" "$(jq -r \
		'[.messages[].content | arrays[] | .image_url.url // empty |
		.[5:]] | if . == [] then "none" else "\(first):\(last)" end
		' sent)" "$4"
	is "... the others are told" "$(jq -r '.messages[] |
		select(.role == "tool") | .content | strings' sent |
		grep -c '^.1 image left out: no room.$')" \
		"$(($1 - $(grep -o 'data:' sent | wc -l)))"
	event --strategy light --window "$3" seen | cat seen - >told
	is "... and the record tells it" "$(request --strategy light \
		--window "$3" told)" "$(cat sent)"
done

# ---- content dialects ----

cat >dialect <<'X'
{"role":"user","content":"q"}
{"role":"assistant","content":"Look.\n<tool_call>\n{\"name\":\"read\",\"arguments\":{\"path\":\"a\"}}\n</tool_call>\n<tool_call>\n<function=bash>\n<parameter=command>\nmake\n</parameter>\n</function>\n</tool_call>"}
{"role":"user","content":"<tool_response>\none\n</tool_response>"}
{"role":"user","content":"[hamr-guard] mind","meta":{"by":"guard"}}
{"role":"assistant","content":"x"}
{"role":"user","content":"<tool_response>\nstray\n</tool_response>"}
{"role":"user","content":"thanks"}
X
is "as many results as calls, none astray" "$(request dialect |
	jq -c '.messages[2:]')" '[{"role":"user","content":"<tool_response>\none\n[context: a complete; editable]\n</tool_response>\n<tool_response>\n(no result)\n</tool_response>\n\n[hamr-guard] mind"},{"role":"assistant","content":"x"},{"role":"user","content":"thanks"}]'
match "--check" "$(compact --check dialect | head -n 1)" "legal: 5 messages*"

# long arguments that stand in a text: q writes a file as markup or as JSON
jq -nc '{role:"user",content:"q"}, (range(20) | . as $i |
	([range(150) | "\($i): a \"line\" \(.)"] | join("\n")) as $text |
	{role:"assistant", content: ("Now \($i).\n<tool_call>\n" +
	 if $i % 2 == 0 then {name:"write", arguments:{path:"f\($i)",
	 content:$text}} | tojson else "<function=write>\n<parameter=path>\n" +
	 "f\($i)\n</parameter>\n<parameter=content>\n\($text)\n</parameter>\n" +
	 "</function>" end + "\n</tool_call>\n<tool_call>\n" +
	 "{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}\n</tool_call>")},
	{role:"user", content:"<tool_response>\nwritten\n</tool_response>\n<tool_response>\nok\n</tool_response>"})' >dlong
request dlong | jq -c '.messages[]' >full
compact -n --window 32000 dlong >out
tail -n 1 out | jq -c '.messages[] | select(.content | test("^Now"))' >said
is "slim: the file's end is gone, its name is not" "$(jq -s 'map(select(
	.content | test("bytes elided"))) | length > 2 and all(.content |
	test("f[0-9]+") and test("bytes elided") and (test(" 149") | not))' \
	said)" true
is "in both forms" "$(jq -r 'select(.content | test("bytes elided")) |
	.content | test("<function=write>\n<parameter=path>\nf")' said |
	sort | uniq | tr '\n' ' ')" "false true "
is "what is JSON still is, and the second call stays" "$(jq -s 'all(.content |
	[match("<tool_call>\n([^<].*)\n</tool_call>"; "g").captures[0].string |
	fromjson.name] | last == "bash")' said)" true
is "the last is whole" "$(tail -n 1 said)" "$(tail -n 2 full | head -n 1)"
is "and in parts" "$(jq -c 'if .role == "assistant" then .content =
	[{type:"text",text:.content}] else . end' dlong |
	compact -n --window 32000 | tail -n 1 | jq -c '.messages[] |
	select(.role == "assistant") | .content |= .[0].text')" "$(cat said)"
for how in 's/</\\u003c/g; s/>/\\u003e/g' 's|</|\\u003C\\/|g; s/</\\u003C/g; s/>/\\u003E/g'
do
	is "and escaped: $how" "$(sed "$how" dlong |
		compact -n --window 32000 | tail -n 1 | jq -c '.messages[] |
		select(.role == "assistant")')" "$(cat said)"
done
cat dlong <(grep compaction out) >dtold
is "and the record tells it" "$(request --window 32000 dtold)" \
	"$(tail -n 1 out)"
jq -c '., (select(.role == "user") | {type:"go"})' dlong >dgo
compact -r --window 32000 dgo | jq -c 'select(.type == "request")' >each
n=0
for k in 3 15 31 41; do
	is "alone as in a row: $k" "$(head -n "$k" dlong |
		compact -n --window 32000 | tail -n 1 | jq -c .tokens)" \
		"$(sed -n "$(((k + 1) / 2))p" each | jq -c .tokens)"
done

# ---- usage, families ----

{ echo '{"type":"hamr","v":1,"format":"pi"}'; user q
  echo '{"type":"usage","prompt_tokens":90000,"completion_tokens":1}'
  echo '{"role":"assistant","content":"a"}'; } >imported
is "usage of another program's requests is not ours" \
	"$(budget_of imported)" 19
{ long 400; echo '{"type":"go","n":1}'
  echo '{"type":"usage","prompt_tokens":9000,"completion_tokens":1}'
  echo '{"role":"assistant","content":"a"}'; user q; } >went
compact --window 32768 went >once
compact --window 32768 once >twice
same "twice is once, with a usage after a go" once twice
for m in gpt-4o qwen3-coder claude-sonnet-4-5 llama-2-7b; do
	{ echo "{\"type\":\"hamr\",\"v\":1,\"model\":\"$m\"}"; user "$(lines 50 a)"
	} | compact -n | jq .tokens
done >counts
is "the model's family counts" "$(sort -u counts | wc -l)" 4
user x | jq -c '.content = [{type:"image_url",image_url:{url:"data:"}}]' >im
is "an image is 1600 tokens" "$(budget_of im)" $(((1608 * 1126) / 1024))

# ---- nothing fits: words and numbers ----

{ jq -nc --arg c "$(lines 2000 sys)" '{role:"system",content:$c}'; user hi
} >sys
match "a window smaller than the system prompt" "$(request --window 8000 sys |
	jq -r .message)" "the request does not fit: * tokens, room for 6000 (window 8000); the system prompt (*) and tools (0) alone exceed the window: raise --window to *, or offer fewer tools; largest: system *"
w=$(request --window 8000 sys | jq -r .message |
	sed 's/.*--window to \([0-9]*\),.*/\1/')
is "the window it names is enough" "$(request --window "$w" sys |
	jq -r .type)" request
head -c 300000 /dev/zero | tr '\0' z >zzz
match "letters that weigh nothing are not for nothing" "$(jq -Rc \
	'{role:"user",content:.}' zzz | request --window 16000 |
	jq -r .message)" '* alone takes 206*'
call c bash '{"command":"make"}' "$(head -c 100000 zzz)" >zcall
is "and are cut" "$(request --window 16000 <(user q; cat zcall) |
	jq -r '.messages[-1].content |
	 test("\n\\[... [0-9]+ bytes cut: truncated ...]\n")')" true
is "--count is the table's own" "$(compact --count zzz)" 4689
{ user go; jq -nc --arg c "$(lines 1500 big)" '{role:"user",content:$c}'
} >big
match "a single message larger than the window" "$(request --window 8000 big |
	jq -r .message)" '* the user message that begins with "big line 1 of some text that is long eno" alone takes *: shorten it, or raise --window; largest: user *'
for key in context.window context.context_budget_tokens; do
	match "... and the key that limits, $key" "$(request -o $key=8000 big |
		jq -r .message)" "*: shorten it, or raise $key; largest: *"
done

# ---- many messages of one role in a row are one, and need not all fit ----

row() {	# role, how many
	seq 0 $(($2 - 1)) | sed 's/.*/{"role":"'"$1"'","content":"message '\
'number & of a row that is a long one"}/'
}
row user 100000 >row
timeout 10 hamr-compact --no-config -n --window 12288 row >out
is "a row of users: one message" "$(tail -n 1 out |
	jq -c '[.messages[].role]')" '["user"]'
match "with the first" "$(tail -n 1 out | jq -r .messages[0].content |
	sed -n 1p)" "message number 0 of a row *"
match "and the newest" "$(tail -n 1 out | jq -r .messages[0].content)" \
	"*message number 99998 of a row that is a long one??message number 99999 of a row that is a long one"
{ user go; row assistant 100000; } >row
timeout 10 hamr-compact --no-config -n --window 12288 row >out
is "a row of assistants" "$(tail -n 1 out | jq -c '[.messages[].role]')" \
	'["user","assistant"]'
{ user go; call a bash '{"command":"make"}' "fine"
row user 100000 | sed 's/}$/,"meta":{"by":"guard"}}/'; } >row
timeout 10 hamr-compact --no-config --window 12288 row >out
is "a row of notes: in the last result" "$(tail -n 1 out |
	jq -c '[.messages[].role]')" '["user","assistant","tool"]'
match "the newest, and how many more there were" "$(tail -n 1 out |
	jq -r '.messages[2].content')" "fine

\[9???? earlier notes left out]

\[hamr-guard] message number 9*message number 99999 of a row that is a long one"
is "so many" "$(tail -n 1 out | jq -r '.messages[2].content' | awk '
	/left out/ { n = substr($1, 2) } /message number/ { n++ }
	END { print n }')" 100000
timeout 10 hamr-compact --no-config --window 12288 out >again
same "read back it is the same" again out
tail -n 2 out | head -n 1 | sed 's/"notes":[0-9]*/"notes":999999999/' >far
{ user go; call a bash '{"command":"make"}' "fine"
row user 3 | sed 's/}$/,"meta":{"by":"guard"}}/'; cat far
row user 2 | sed 's/}$/,"meta":{"by":"loop"}}/'; } >row
is "a record that leaves out too many leaves the newest" "$(
	hamr-compact --no-config -n row | tail -n 1 |
	jq -r '.messages[2].content' | grep -v "^$" | cut -c 1-29)" \
	"fine
[2 earlier notes left out]
[hamr-guard] message number 2
[loop] message number 0 of a 
[loop] message number 1 of a "
{ user go; row assistant 300; call a read '{"path":"x"}' text; row user 300
} >row
is "a row is joined as it was said" "$(request --window 0 row | jq -c '[
	[.messages[].role], (.messages[1] | (.content | split("\n\n") | length),
	(.tool_calls | length)), (.messages[4].content | split("\n\n") |
	length)]')" '[["user","assistant","tool","assistant","user"],300,1,300]'

# an epoch costs what is shown, not what came before it: this took 2.1 seconds
awk 'BEGIN { print "{\"role\":\"user\",\"content\":\"go\"}"
	for (i = 0; i < 50000; i++)
		printf "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":" \
		    "\"c%d\",\"type\":\"function\",\"function\":{\"name\":" \
		    "\"bash\",\"arguments\":\"{\\\"command\\\":\\\"ls %d" \
		    "\\\"}\"}}]}\n{\"role\":\"tool\",\"tool_call_id\":" \
		    "\"c%d\",\"content\":\"out\"}\n", i, i, i }' >row
spent() {	# WINDOW: its ms of processor, what it prints into out
	local TIMEFORMAT='%U %S'
	{ time hamr-compact --no-config -n --window "$1" row >out; } 2>&1 |
		awk '{ printf "%d", ($1 + $2) * 1000 }'
}
# where other programs slow this one down, twice what it takes without epochs
most=$(($(spent 0) * 2)) second=1000
grep -q __asan_init "$BIN/hamr-compact" && second=10000
ms=$(spent 8192)
ok "100,000 messages with calls in a second: $ms ms" \
	test "$ms" -lt $((most > second ? most : second))
is "and their newest are there" "$(tail -n 1 out |
	jq -r '.messages[-1].tool_call_id')" c49999

# ---- what a server wants back with a call ----

{ user go; for k in $(seq 20); do
	call "c$k" write "{\"path\":\"f$k\",\"content\":\"$(lines 99 w |
		tr '\n' ' ')\"}" "$(lines 12 out)" | sed 's/"type":"function",/&"carry":{"thoughtSignature":"S"},"extra_content":{"google":1},/'
	call "d$k" write "{\"path\":\"g$k\",\"content\":\"$(lines 99 w |
		tr '\n' ' ')\"}" "$(lines 12 out)" | sed 's/"type":"function",/&"carry":[{"type":"thinking"}],/'
done; } >carried
for w in 16384 17384; do request --window $w carried; done |
	jq -sc '[.[].messages[].tool_calls[]? |
	select(.function.arguments | test("elided"))]' >slim
is "marks stay with slim calls" "$(jq -c '[.[] | select(.id[:1] == "c") |
	[.carry, .extra_content]] | unique' slim)" \
	'[[{"thoughtSignature":"S"},{"google":1}]]'
is "thoughts do not" "$(jq -c '[.[] | select(.id[:1] == "d") | .carry] |
	unique' slim)" '[null]'

# ---- --check ----

match "one sentence" "$(compact --window 16000 --check l400 | head -n 1)" \
	"legal: * messages of 801, 39? results elided, stage 1, * tokens; task, 1 of 1 user messages and 0 of 0 edited paths are in it"
h=$(lines 40 BBB | sha256sum | cut -c 1-64)
h2=$(printf %s "$(lines 60 OLD)" | sha256sum | cut -c 1-64)
compact --window 17000 --check live >check
ok "hashes are of the content as it came" grep -q \
	"^elided \"old\" read a.c .* bytes sha256:$h2\$" check

# ---- a tool that reads, writes and edits ----

for k in $(seq 40); do
	call "v$k" str_replace_editor "{\"command\":\"view\",
		\"path\":\"f$k.c\",\"view_range\":[1,30]}" \
	    "$(lines 30 "word$k")"
done >viewed
{ user "look"; cat viewed; } >looked
is "a view is a read: told with its lines" "$(event --window 16384 looked |
	jq -c '[.elided[] | select(.tool_call_id == "v3")]')" \
    '[{"tool_call_id":"v3","path":"f3.c","first":1,"last":30}]'

# ---- hamr-guard and hamr-tool learn of it ----

mkdir w
lines 60 Z >w/z.c
cd w || exit
{
	hamr-tool --no-config --schemas
	user "edit z.c"
	jq -nc '{role:"assistant",content:null,tool_calls:[{id:"z",
	type:"function",function:{name:"read",arguments:"{\"path\":\"z.c\"}"}}]}'
} >../s0
hamr-tool --no-config --yes <../s0 >../s1
edit=$(jq -nc '{role:"assistant",content:null,tool_calls:[{id:"e",
	type:"function",function:{name:"edit",arguments:({path:"z.c",
	old:"Z line 3 of",new:"Q line 3 of"}|tojson)}}]}')
{ cat ../s1; for i in 1 2 3 4 5 6 7 8; do
	call "k$i" bash "{\"command\":\"k $i\"}" "$(lines 40 K)"; done
	user "go on"; } >../s2
event --window 6000 -o context.keep_recent_tokens=300 ../s2 >../ev
is "the read is elided" "$(jq -c '.elided[] | select(.path == "z.c") |
	[.first, .last]' ../ev)" "[1,60]"
{ cat ../s2; printf '%s\n' "$edit"; } | hamr-tool --no-config --yes -n |
	jq -c 'select(.role == "tool") | .is_error // false' >../may
git -C . checkout -q . 2>/dev/null
lines 60 Z >z.c
{ cat ../s2 ../ev; printf '%s\n' "$edit"; } | hamr-tool --no-config --yes -n |
	jq -r 'select(.role == "tool") | .meta.error' >../not
cd ..
is "what was shown may be edited" "$(cat may)" false
is "what was elided may not" "$(cat not)" not_read
# a refused edit has shown the lines
{
	user "edit z.c"
	jq -nc --arg text "$(lines 12 Z)" '{role:"tool",tool_call_id:"p",
		name:"edit",content:$text,is_error:true,meta:{path:"z.c",
		error:"not_read",first:3,last:14,sha256:("0" * 64)}} |
		{role:"assistant",content:null,tool_calls:[{id:"p",
		type:"function",function:{name:"edit",
		arguments:"{\"path\":\"z.c\"}"}}]}, .'
	sed 1,3d s2
} >s3
is "nor what a refused edit has shown" "$(event --window 6000 \
	-o context.keep_recent_tokens=300 s3 | jq -c '.elided[0]')" \
	'{"tool_call_id":"p","path":"z.c","first":3,"last":14}'

# ---- tools of servers and of other agents ----

{
	user task
	call bad edit '{"path":"never.c"}' "no match" '{"exit":1}'
	for i in 1 2 3 4 5 6 7 8; do
		call "r$i" fs__read_text_file "{\"path\":\"r$i.c\"}" \
		    "$(lines 60 R)"
		call "e$i" replace_string_in_file \
		    "{\"filePath\":\"e$i.c\",\"oldString\":\"a\"}" ok
		call "s$i" sh__run_command "{\"command\":\"make $i\"}" ok
	done
} >others
compact --view --window 6000 others >view
sum=$(jq -r 'select(.role == "user").content' view)
match "the summary names what they read" "$sum" "*FILES READ*r1.c*"
match "... edited" "$sum" "*FILES CHANGED:*- e1.c (1 edit)*"
is "... but no file that an edit failed on" "$(grep -c never.c <<<"$sum")" 0
match "... and ran" "$sum" "*RECENT COMMANDS:*make 1*"
# ---- the summary in a small window ----

# Messages 2 to 41 are long, the others short; forty files changed.
crowded() {	# files changed again at the end
	user "the task"
	for i in {2..41}; do
		call "c$i" edit "{\"path\":\"src/folder/file$i.c\",
			\"oldText\":\"a\",\"newText\":\"b\"}" ok
		user "long $i: $(long_word 300)"
	done
	for i in {42..49}; do
		call "c$i" bash "{\"command\":\"run $i\"}" ok
		user "short $i"
	done
	for i in "$@"; do
		call "d$i" edit "{\"path\":\"src/folder/file$i.c\",
			\"oldText\":\"a\",\"newText\":\"b\"}" ok
	done
	echo '{"type":"compact"}'
}
summary_at() {	# window
	compact -o context.strategy=late -n --window "$1" | tail -n 1 |
		jq -r '.messages[] | select(.role == "user").content'
}
crowded 41 40 39 >c1
crowded 41 40 39 38 37 36 35 >c2
summary_at 8192 <c1 >s1
summary_at 8192 <c2 >s2
is "changed files: those used last, as they came up first" "$(grep -o \
    'file[0-9]*' s1 | tail -n 5 | paste -sd ' ')" \
    "file37 file38 file39 file40 file41"
ok "... many, without counts" test "$(grep -o 'file[0-9]' s1 | wc -l)" -gt 20
is "... the same when they are changed again" "$(grep src/ s2)" \
    "$(grep src/ s1)"
is "messages: where not all begin, whole ones" \
    "$(grep -c '^[0-9]*[.].* \[[.]*\]$' s1)" 0
is "... short ones first" "$(grep -c '^4[2-9][.] short 4[2-9]$' s2)" 8

# late fills what a long system prompt leaves
{
	jq -nc '{role:"system",content:([range(400)|"rule \(.)"]|join("\n"))}'
	user "the task"
	call e edit "{\"path\":\"a.c\",\"oldText\":\"a\",
		\"newText\":\"$(lines 60 kept | tr '\n' ' ')\"}" ok
	call m bash '{"command":"make m"}' "$(lines 100 M)"
	call n bash '{"command":"make n"}' "$(lines 100 N)"
	call o bash '{"command":"make o"}' "$(lines 60 O)"
} >prompted
is "a long prompt leaves room for the last edit" "$(compact \
    -o context.strategy=late -n --window 8192 prompted | jq -c \
    'select(.type == "compaction").keep')" '["e"]'

# no match is an answer, not an error
{
	user task
	call g bash '{"command":"cd src && grep -n none a.c"}' "exit 1"
	call h bash '{"command":"rg none a.d"}' "exit 2"
	call i bash '{"command":"./program"}' "exit 1"
	call j bash '{"command":"grep -q none a.e"}' "" '{"exit":1}'
	call k bash '{"command":"grep none a.f"}' "" '{"exit":2}'
	call l bash '{"command":"./blank"}' $'\n\n' '{"exit":3}'
	call m bash '{"command":"./killed"}' "" '{"exit":-1}'
	sed 1d others
} >errors
sum=$(compact --view --window 6000 errors |
	jq -r 'select(.role == "user").content')
is "a search without a match is no open error" \
    "$(sed -n '/^OPEN ERRORS/,/^[A-Z]* /p' <<<"$sum" | grep '^- ' |
	paste -sd ' ')" "- ./killed -> failed - ./blank -> exit 3 - grep none a.f -> exit 2 - ./program -> exit 1 - rg none a.d -> exit 2"
head -n 7 errors >searches
sed 1d searches >>searches
is "nor a failed command of the ledger" "$(compact --ledger searches |
	sed -n '/^commands/,$p')" "commands: 3 different, 3 repeated
    2x ./program, failed 2x, last failed
    2x rg none a.d, failed 2x, last failed
    2x cd src && grep -n none a.c, last ok"
is "a server's read does not say what hamr-tool may edit" \
    "$(grep -c 'context: ' view)" 0

done_testing

#!/bin/bash
# guard.t - hamr-guard: what each rule says, and when.
. "$(dirname "$0")/../lib.sh"

. "$TOP/tests/guard/guard.sh"

# What was said, in short: id action phase rule count; constrain; nudge rules.
said() {
	guard -n "$@" | awk -F '"' '
	function after(key, at) {
		at = index($0, "\"" key "\":") + length(key) + 3
		return substr($0, at)
	}
	function text(key, parts) {
		if (!index($0, "\"" key "\":\""))
			return "-"
		split(after(key), parts, "\"")
		return parts[2]
	}
	$4 == "verdict" {
		print text("tool_call_id"), text("action"), text("phase"),
		    text("rule"), after("count") + 0
	}
	$4 == "constrain" {
		print "constrain", text("tool_choice"), text("rule"),
		    after("steps") + 0
	}
	$4 == "user" {
		list = after("rules")
		gsub(/[]["}]/, "", list)
		print "nudge", list
	}'
}
loop() {	# count tool arguments text [more]
	for i in $(seq "$1"); do
		step "c$i" "$2" "$3" "$4" "${5:-$NO}"
	done
}
news() {
	echo "line $1 of many, all different and longer than sixty characters"
}

# ---- repeat ----

{ loop 8 read '{"path":"a"}' x; step d ls '{}' y; } >eight
is "repeat warns at 3, blocks at 5, halts at 8, and a halt stays" \
"$(said <eight)" \
"c3 warn result repeat 3
nudge repeat
c4 warn result repeat 4
nudge repeat
c5 block call repeat 5
c6 block call repeat 6
c7 block call repeat 7
c8 halt call repeat 8
d halt call repeat 8"

loop 2 read '{"path":"a"}' x >two
is "twice is no repeat" "$(said <two)" ""

for t in x y x y x y; do step a bash '{"command":"t"}' $t; done >change
is "a changed outcome begins again" "$(said <change)" ""

for i in 1 2 3 4 5 6 7 8 9 10 11; do
	step "a$i" read '{"path":"a"}' x
	step "b$i" read "{\"path\":\"b$i\"}" "$(news $i)"
done >between
is "while something new comes between, refusals wait: 8 and 11" \
"$(said <between | grep '^a' | sed -n '1p;3p;5,6p;8,9p')" \
"a3 warn result repeat 3
a5 warn result repeat 5
a7 warn result repeat 7
a8 block call repeat 8
a10 block call repeat 10
a11 halt call repeat 11"

{ step a t '{}' $'x  \ny\n'; step b t '{}' $'x\r\ny'; step c t '{}' $'x\ny \n\n'
} >blanks
is "line ends and trailing blanks do not make a result another one" \
"$(said <blanks | head -n 1)" "c warn result repeat 3"

{ step a t '{}' $'x\ny'; step b t '{}' $'x\n y'; step c t '{}' $'x\n  y'
} >indent
is "indentation does" "$(said <indent)" ""

{ step a t '{}' x; step b t '{}' x '{"is_error":true}'; step c t '{}' x
} >failing
is "failing is part of the outcome" "$(said <failing)" ""

loop 4 t '{}' x >four
is "the thresholds are configuration" \
"$(said -o loop_guard.warn_threshold=2 -o loop_guard.block_threshold=3 \
    -o loop_guard.halt_threshold=4 <four | grep -v nudge)" \
"c2 warn result repeat 2
c3 block call repeat 3
c4 halt call repeat 4"

is "and may have their other names" \
"$(said -o loop_guard.repetition_threshold=2 <two)" \
"c2 warn result repeat 2
nudge repeat"

loop 5 t '{}' x >five
is "evidence is the calls before, with the same outcome" \
"$(guard -n <five | jq -c 'select(.type == "verdict") | .evidence')" \
'["c1","c2"]
["c1","c2","c3"]
["c1","c2","c3","c4"]'

# ---- what a person asks for is polled ----

asked() {	# text tool
	printf '{"role":"user","content":"%s"}\n' "$1"
	loop 3 "$2" '{"command":"make"}' x
}
while IFS= read -r text; do
	is "nothing is asked for again: $text" \
	    "$(asked "$text" bash | said | head -n 1)" "c3 warn result repeat 3"
done <<'X'
Run it three times.
Fix issue 12 in the parser.
Rename every occurrence in all 20 files.
Set the timeout to 30 s; it times out after 10.
Make every section of the docs consistent, and each user's page.
Mach das bitte noch mal, schau in Zeile 12.
Keep at it until the tests pass.
Draw a 4x4 board.
Book flight X12B.
X
is "nor by a task with its papers" "$(asked "Run it 20 times. $(printf \
'It is all in here. %.0s' {1..60})" bash | said | head -n 1)" \
    "c3 warn result repeat 3"
for text in "Run it 10 times." "Run it ten times." "Bitte zehnmal ausführen."; do
	is "$text: twice as often it is refused" "$({ asked "$text" bash
	loop 20 bash '{"command":"make"}' x; } | said | grep -m 1 block)" \
	    "c17 block call repeat 20"
done
for row in "Run it five times.|c3 warn result repeat 6" \
    "Bitte ein paar mal ausführen.|"; do
	is "${row%|*}: warned later" "$({ asked "${row%|*}" bash
	loop 3 bash '{"command":"make"}' x; } | said | sed 1q)" "${row#*|}"
done
for text in "Keep it short." "Fix it as soon as possible." \
    "Sum up the page on wait-queue." "What does poll_until.py do?"; do
	is "$text: no page is waited for" "$(asked "$text" fetch | said |
	    sed 1q)" "c3 warn result repeat 3"
done
is "a hundred times is no limit, as 100 is none" \
    "$(asked "Run it a hundred times." bash | said | head -n 1)" \
    "c3 warn result repeat 3"
is "every minute: not as a failure" "$({ asked "Run it every minute." bash | sed 1q
loop 3 bash '{"command":"make"}' x '{"is_error":true}'; } | said | head -n 1)" \
    "c3 warn result retry 3"
is "nor is a search of code or a list" "$(for c in 'grep {"x":1}' \
    'bash {"command":"ls"}' 'semantic_search {"x":1}' \
    'lsp__find_definition {"x":1}'; do
	asked "Look every minute." bash | sed 1q
	loop 3 "${c%% *}" "${c#* }" x
done | said | grep -c "c3 warn result repeat 3")" 4
is "but one of mail or of the web, or of tickets" "$(for tool in \
    mail_search mcp__jira__search_issues web_search find_orders; do
	asked "Look every minute." "$tool" | sed 1q
	loop 12 "$tool" '{"x":1}' x
done | said)" ""
is "nor is a read, or what follows an edit" "$({ asked "Run it 20 times" read
asked "Write what pings every 5 s" bash | sed 1q
step e edit '{"path":"a.c","old":"x","new":"y"}' ok
loop 3 bash '{"command":"make"}' x; } | said | grep warn)" \
    "c3 warn result repeat 3
c3 warn result repeat 3"

# ---- what starts again ----

third="c1 warn result repeat 3
nudge repeat"
{ loop 2 t '{}' x; person; loop 2 t '{}' x; } >again
is "a person's message begins again" "$(said <again)" ""
{ loop 2 t '{}' x
echo '{"role":"user","content":"ls","meta":{"by":"shell"}}'
loop 2 t '{}' x; } >again
is "the shell's, too" "$(said <again)" ""
{ loop 2 t '{}' x
echo '{"role":"user","content":"go on","meta":{"by":"loop"}}'
loop 1 t '{}' x; } >again
is "not one of the loop's" "$(said <again)" "$third"
{ loop 2 t '{}' x; echo '{"role":"user","content":"[hamr-guard] something"}'
loop 1 t '{}' x; } >again
is "nor a nudge that lost its meta" "$(said <again)" "$third"
{ loop 2 t '{}' x; echo '{"type":"hamr","v":1}'; loop 2 t '{}' x; } >again
is "a new transcript" "$(said <again)" ""
is "a further FILE" "$(said two two)" ""

for i in 1 2 3 4 5 6; do
	step "a$i" bash '{"command":"make check"}' FAIL
	step "e$i" edit "{\"path\":\"a\",\"old\":\"$i\",\"new\":\"x\"}" ok
done >edits
is "an edit that is new" "$(said <edits)" ""
for i in 1 2 3 4; do
	step "a$i" bash '{"command":"make check"}' FAIL
	step "e$i" edit '{"path":"a","old":"1","new":"x"}' ok
done >edits
is "not the same edit over and over" \
"$(said <edits | grep -v nudge | head -n 1)" "e3 warn result cycle 3"

fix() {	# number state
	step "a$1" bash '{"command":"make check"}' FAIL
	step "e$1" bash "{\"command\":\"./fix $2\"}" "exit 0" \
	    "{\"meta\":{\"mutated\":[{\"path\":\"a\",\"sha256\":\"$2\"}]}}"
}
for i in 1 2 3 4 5; do fix $i $i; done >states
is "a command that left a file in a new state" "$(said <states)" ""
for i in 1 2 3 4 5 6; do fix $i $((i % 2)); done >states
is "not one that goes back and forth" \
"$(said <states | grep -v 'stall\|revisit' | head -n 1)" \
"a5 warn result repeat 3"

{ loop 2 t '{}' x; echo '{"type":"compaction","epoch":1}'; step d t '{}' x
step e t '{}' x; } >free
is "compaction leaves the streak and gives one free repeat" "$(said <free)" \
"e warn result repeat 3
nudge repeat"

six() {
	for i in 1 2 3 4 5 6; do
		step "$1$i" read "{\"path\":\"$i\"}" "$(news $i)"
	done
}
{ six a; echo '{"type":"compaction","epoch":1}'; six b; } >twice
is "what compaction took away may be read again" "$(said <twice)" ""
{ six a; six b; } >twice
is "without it the same is a stall" "$(said <twice | head -n 1)" \
"b4 warn result stall 4"

{ loop 8 t '{}' x
echo '{"type":"recovery","scenario":"infinite_loop","attempt":1}'
step d t '{}' x; step e t '{}' x; } >recovered
is "recovery lifts a halt and sets the counts to the warn level" \
"$(said <recovered | grep '^[de].*repeat')" \
"d warn result repeat 4
e block call repeat 5"

# ---- what is no outcome ----

{ loop 2 t '{}' x; step d t '{}' x '{"meta":{"verdict":"block","name":"t"}}'
step e t '{}' x; } >refused
is "a refused result is no evidence" "$(said <refused)" \
"e warn result repeat 3
nudge repeat"
{ loop 2 t '{}' x
step d t '{}' 'unchanged, see above' '{"meta":{"cached":true}}'; } >cached
is "a cached result is the outcome it repeats" "$(said <cached)" \
"d warn result repeat 3
nudge repeat"

{ loop 2 read '{"path":"x"}' x; batch p:read:x q:read:y; answer p x
echo '{"role":"assistant","content":"So much for that."}'; answer q y; } >closed
is "a step closed by another message gets none" "$(said <closed)" ""
{ batch i:read:x i:read:y; answer i X; answer i Y
batch i:read:x i:read:y; answer i X; answer i Z
call i read '{"path":"x"}'; answer i X; } >ids
is "results pair with the oldest open call of their id" "$(said <ids)" \
"i warn result repeat 3
nudge repeat"
{ loop 2 t '{}' x; answer zz x; } >orphan
is "a result that answers nothing is nothing" "$(said <orphan)" ""

# ---- share ----

is "identical calls in one message share a result" \
"$(batch a:read:x b:read:y c:read:x d:read:x | guard -n |
    jq -c '[.tool_call_id,.action,.phase,.rule,.count,.twin,.evidence]')" \
'["c","share","call","batch",2,"a",["a"]]
["d","share","call","batch",3,"a",["a"]]'
is "not over a call that may change files" \
"$(batch a:read:x b:edit:x c:read:x | said)" ""
is "nor over a tool that is not known" \
"$(batch a:read:x b:frob:x c:read:x | said)" ""
for i in 1 2; do
	batch "a$i:read:x" "b$i:read:x" "c$i:read:x"
	answer "a$i" x; answer "b$i" x; answer "c$i" x
done >shared
is "and it is never a count" "$(said <shared | grep -c warn)" "0"
for i in 1 2 3; do
	batch "a$i:read:x" "b$i:read:y"
	answer "b$i" Y; answer "a$i" X
done >order
is "every call gets its own verdict, in order, and one nudge" \
"$(said <order)" \
"a3 warn result cycle 3
b3 warn result cycle 3
nudge cycle"

# ---- cycle ----

for p in 1 2 3 5 12; do
	for lap in 1 2 3 4 5 6 7 8; do
		for i in $(seq $p); do
			step "c$(((lap - 1) * p + i))" read \
			    "{\"path\":\"$i\"}" "$(news $i)"
		done
	done >"lap$p"
	said <"lap$p" >"said$p"
	match "a loop of period $p is warned of" "$(head -n 1 "said$p")" \
	    "*warn result*"
	is "... and halted" "$(grep -m 1 -o 'halt call' "said$p")" "halt call"
	echo "# period $p: $(head -n 1 "said$p"); $(grep -m 1 halt "said$p")"
done
is "a cycle is named with its period" \
"$(guard -n <lap2 | jq -r 'select(.rule == "cycle") | .message' | head -n 1 |
    cut -d, -f1,2)" \
"The last 2 calls form a cycle, repeated 2 times with the same results; nothing \
new in the last 3 steps. Change something between the calls (an edit"

# ---- stall ----

idle() {	# first last
	for i in $(seq "$1" "$2"); do
		step "c$i" bash "{\"command\":\"echo $i\"}" "$i"
	done
}
is "placeholders count: warn at 4, text only at 8, then halt" \
"$(idle 1 9 | said | grep -v nudge)" \
"c4 warn result stall 4
c5 warn result stall 5
c6 warn result stall 6
c7 warn result stall 7
c8 warn result stall 8
constrain none stall 1
c9 halt call stall 8"
is "text only that was kept to, and then on: one more step" \
"$({ idle 1 8; echo '{"role":"assistant","content":"I see."}'; idle 9 10; } |
    said | grep -v nudge | tail -n 2)" \
"c9 warn result stall 9
c10 halt call stall 9"
{ idle 1 3; step n read '{"path":"n"}' "$(news 1)"; idle 4 6; } >reset
is "something new resets it" "$(said <reset)" ""
for i in 1 2 3 4 5 6 7 8 9; do
	step "c$i" grep "{\"x\":$i}" "no match"
done >same
sed -i "s/no match/no match in any of the files of the folder that was searched/" \
    same
is "other arguments, the same output: half a point each" \
"$(said <same | head -n 1)" "c9 warn result stall 4"
for i in 1 2 3 4 5 6 7 8 9 10; do
	step "c$i" stat "{\"x\":$i}" "size $i"
done >small
is "a small answer that is new is neutral" "$(said <small)" ""

# ---- polling, exempt ----

loop 24 bash '{"command":"sleep 5; cat log"}' wait >poll
is "polling has three times the patience" \
"$(said <poll | grep '^c.*repeat' | sed -n '1p;6p;7p;16p')" \
"c9 warn result repeat 9
c14 warn result repeat 14
c15 block call repeat 15
c24 halt call repeat 24"
is "and is told how long to wait" \
"$(guard -n <poll | jq -r 'select(.rule == "repeat" and .phase == "result")
    | .message' | grep -o '[0-9]* seconds' | head -n 5)" \
"5 seconds
10 seconds
30 seconds
60 seconds
60 seconds"
loop 3 bash '{"command":"git status"}' clean >git
is "git status is no polling" "$(said <git | head -n 1)" \
"c3 warn result repeat 3"
loop 9 job '{"id":1}' wait >job
is "poll_tools" "$(said -o 'loop_guard.poll_tools=["job"]' <job | head -n 1)" \
"c9 warn result repeat 9"
is "exempt_tools are never judged" \
"$(said -a -o 'loop_guard.exempt_tools=["job"]' <job)" ""
loop 16 web '{}' 'connection refused' '{"is_error":true}' >web
is "errors that may pass: block and halt doubled" \
"$(said <web | grep '^c.*retry' | sed -n '1p;7p;8p;14p')" \
"c3 warn result retry 3
c9 warn result retry 9
c10 block call retry 10
c16 halt call retry 16"

# ---- answers ----

text() {	# text [more]
	local t more=${2:-$NO}
	quoted t "$1"
	more=${more#\{}
	[ "$more" = "}" ] || more=,$more
	printf '{"role":"assistant","content":%s%s\n' "$t" "$more"
}
is "a status is no answer" "$(text 'Status: done' | said)" \
"- warn text status-only 1
nudge status-only"
is "the verdict of a text has no call" \
"$(text 'Done.' | guard -n | head -n 1 | jq -c 'keys_unsorted | join(" ")')" \
'"type stage action phase rule count signature evidence message"'
is "three since the last call, then it is accepted" \
"$(for i in 1 2 3 4; do text Done; done | said | grep -v nudge)" \
"- warn text status-only 1
- warn text status-only 2
- warn text status-only 3"
for k in 1 2 3; do
	for i in 1 2 3; do text Done; done
	step "c$k" t "{\"k\":$k}" "$k"
done >statuses
is "six a turn" "$(said <statuses | grep -c warn)" "6"
is "a cut answer is not judged" \
"$(text Done '{"finish_reason":"length"}' | said)" ""
is "one that stopped is" \
"$(text Done '{"finish_reason":"stop"}' | said | head -n 1)" \
"- warn text status-only 1"
is "an answer is one" \
"$(text 'The parser dropped the last key; fixed in ini.c.' | said)" ""

# ---- records ----

is "the keys of a verdict, in order" \
"$(batch a:read:x b:read:x | guard -n | jq -c 'keys_unsorted | join(" ")')" \
'"type stage tool_call_id name action phase rule count signature evidence twin message"'
is "a constrain record" "$(idle 1 8 | guard -n | grep constrain)" \
'{"type":"constrain","stage":"hamr-guard","tool_choice":"none","rule":"stall","steps":1}'
is "a nudge" "$(head -n 6 five | guard -n | tail -n 1 |
    jq -c '[.role, (.content | startswith("[hamr-guard] ")), .meta]')" \
'["user",true,{"by":"guard","rules":["repeat"]}]'
loop 9 bash '{"command":"xyzzy plugh"}' plover >secret
is "no sentence quotes the arguments or the result" \
"$(guard -n <secret | grep -c 'xyzzy\|plugh\|plover')" "0"
is "an id of any spelling comes back as it was" \
"$(head -n 6 five | sed 's/"c3"/"\\u0063\\\/3"/' | guard -n | head -n 1 |
    grep -o '"tool_call_id":"[^"]*"')" '"tool_call_id":"\u0063\/3"'

cat >odd <<'X'
{"role":"assistant","content":5,"tool_calls":null}
{"role":"assistant","tool_calls":[null,1,{},{"id":3},{"id":"a","function":4}]}
{"role":"assistant","tool_calls":[{"id":"b","function":{"name":1}}]}
{"role":"tool","tool_call_id":7,"content":{"a":1}}
{"role":"tool","content":[{"type":"image_url","image_url":{"url":"d"}},"x",5]}
{"role":"tool","tool_call_id":"b","meta":{"mutated":[1,{"path":2}],"verdict":3}}
{"role":"user"}
{"role":7}
{"type":"recovery"}
X
is "odd shapes pass" "$(guard <odd | cmp - odd && echo yes)" "yes"
for i in 1 2 3 4; do
	call c t "{\"i\":$i}" | jq -c \
	    '.tool_calls[].function.arguments |= fromjson'
	answer c x
done >objects
is "arguments that are an object are told apart" "$(said <objects)" ""

# ---- switches ----

is "-a writes what is allowed, too" "$(said -a <two)" \
"c1 allow call repeat 1
c2 allow call repeat 2"
status "-e: status 1 after a block" 1 guard -e <five
status "-e: status 0 without" 0 guard -e <two
status "without -e always 0" 0 guard <five
is "-p off judges nothing" "$(said -p off <five)" ""
is "nor does enabled = false" "$(said -o loop_guard.enabled=false <five)" ""
is "-p default is the default" "$(said -p default <five)" "$(said <five)"
status "an unknown profile: status 2" 2 guard -p herms <two
is "naming what there is" "$(cat .err)" "hamr-guard: profile herms: unknown; \
the profiles are default, strict, hamr, openfang, hermes, nanobot, kimi, off"
status "an unknown option: status 2" 2 guard --frob
match "with a hint" "$(cat .err)" \
    "hamr-guard: *--frob*; try hamr-guard --help"
printf '%s\n' '{"role":"user","content":"hi"}' '{"role":' >bad
status "a bad line: status 65" 65 guard bad
match "with its line" "$(cat .err)" "hamr-guard: bad:2: *"
status "--lenient goes on" 0 guard --lenient bad
status "a missing file: status 66" 66 guard nowhere
status "a full disk: status 71" 71 sh -c \
    'hamr-guard --no-config <five >/dev/full'
echo '[loop_guard]
warn_treshold = 2' >bad.toml
mkdir -p "$XDG_CONFIG_HOME/hamr"
cp bad.toml "$XDG_CONFIG_HOME/hamr/config.toml"
status "a bad configuration: status 78" 78 hamr-guard two
status "--no-config reads none" 0 guard two
rm "$XDG_CONFIG_HOME/hamr/config.toml"
status "a bad format: status 2" 2 guard -F nothing two
: >empty
status "no input is no error" 0 guard empty
is "--help fits a screen" \
"$(hamr-guard --help | awk 'length > 80 { n++ } END { print (NR <= 24), n + 0 }')" \
"1 0"
status "--version" 0 hamr-guard -V
done_testing

#!/bin/bash
# resume.t - a run that was broken off goes on: a full disk, a torn line,
# damage, two loops, signals (D2 D3 D5).  kill -9 at any call: torture.t.
. "$(dirname "$0")/../lib.sh"
S=$T/script
# a run whose write was interrupted may be asked once more for its answer
{ cat "$TOP/tests/data/loop/two-calls.ndjson"
tail -n 1 "$TOP/tests/data/loop/two-calls.ndjson"; } >"$S"
loop() { hamr-loop --no-config --yes --quiet "$@"; }
session() { ls .hamr/sessions/*.ndjson | tail -n 1; }
fresh() {
	rm -rf w && mkdir w && cd w && git init -q . && mkdir d && echo x >d/x
}
roles() { jq -r '.role // empty' | paste -sd' '; }
ended() { tail -n 1 "$(session)" | jq -r '"\(.status) \(.reason)"'; }
# Is it as the whole run, but where a call was interrupted instead?
check() {	# name
	is "$1" "$(python3 -B "$TOP/tests/torture/alike.py" "$T/whole" .)" ""
}

fresh
loop --replay "$S" "try it" >/dev/null
cp "$(session)" "$T/whole"
cd ..

# a full disk: the session may not grow past a size
for kib in 3 4 5 6; do
	fresh
	(ulimit -f $kib; exec timeout 30 hamr-loop --no-config \
	    --yes -o memory.enabled=false --replay "$S" --json "try it") 2>err |
	    cat >out
	st=${PIPESTATUS[0]}
	if [ "$st" != 0 ]; then
		is "disk full at $kib KiB: status 71" "$st" 71
		is "the reader of --json is told" "$(tail -n 1 out |
		    jq -r .type)" end
		is "no half line is left" "$(tail -c 1 "$(session)" |
		    od -An -tx1)" " 0a"
	fi
	if grep -q '"role":"user"' "$(session)"; then
		loop --resume --replay "$S" >answer 2>err || cat err >&2
		check "disk full at $kib KiB, resumed"
	fi
	cd ..
done

# another program shortens the file
fresh
loop -o 'hooks.before_tool=["sh", "-c", "truncate -s 9 .hamr/sessions/*.ndjson"]' \
    --replay "$S" "try it" >/dev/null 2>err
match "a session that is shortened: status 71" "$? $(cat err)" \
    "71 *ndjson was shortened by another program*"
cd ..

# only the end record finds no room: of that, too, the reader is told
fresh
answer='{"role":"assistant","content":"on","finish_reason":"stop"}'
quick() { hamr-loop --no-config -o memory.enabled=false --json --replay one "$@"; }
echo "$answer" >one
quick "try it" >/dev/null 2>&1
half=$(($(wc -c <"$(session)") - $(tail -n 1 "$(session)" | wc -c) / 2))
kib=$((half / 1024 + 1))	# the limit is to be in the middle of the end
more=$(printf "%$((kib * 1024 - half))s")
rm -r .hamr
(ulimit -f $kib; quick "try it$more") 2>err | cat >out
is "no room for the end: status 71" "${PIPESTATUS[0]}" 71
is "... and the reader of --json is told why" "$(tail -n 1 out |
    jq -r '"\(.type) \(.status) \(.reason)"')" "end tool_error storage_full"
cd ..

# no room for a copy: no part of it stays
fresh
echo "$answer" >one
quick "try it$(printf '%9000s' '')" >/dev/null 2>&1
(ulimit -f 4; quick --fork="$(basename "$(session)" .ndjson)" "go on") >out 2>err
is "no room for a fork: status 71, and only one session" "$? $(echo \
    .hamr/sessions/*.ndjson | wc -w)" "71 1"
cd ..

# no room at all: nothing of a session is left behind
fresh
mkdir -p .hamr/sessions && echo '*' >.hamr/.gitignore
(ulimit -f 0; loop --replay "$S" "try it" 2>/dev/null)
is "no session without room for its lock: status 71" "$?" 71
is "... and no lock" "$(ls .hamr/sessions)" ""
cd ..

# kill -9 before the header, or in it: there is nothing to distrust
fresh
mkdir -p .hamr/sessions
for begun in '' '{"type":"hamr","v":1'; do
	printf %s "$begun" >.hamr/sessions/20260101T000000Z-aaaa.ndjson
	loop --resume=20260101T000000Z-aaaa --replay "$S" "try it" >answer 2>err
	is "a session that broke off at '$begun' begins" "$?
		$(roles <"$(session)" | cut -c 1-12) $(grep -c 'not written' err)" \
	    "0
		system user  0"
done
cd ..

# a session of each released version is read as it was written (D8)
for old in "$TOP"/tests/data/loop/session-*.ndjson; do
	fresh
	mkdir -p .hamr/sessions
	cp "$old" .hamr/sessions/20260101T000000Z-aaaa.ndjson
	hamr-guard -q --no-config <"$old" >guarded
	same "$(basename "$old") is a fixed point" guarded "$old"
	{ head -n 5 "$S"; echo '{"role":"assistant","content":"on"}'; } >next
	loop --resume=20260101T000000Z-aaaa --replay next "go on" >answer 2>err
	is "... and goes on" "$? $(cat answer)" "0 on"
	head -n "$(wc -l <"$old")" "$(session)" >head
	same "... with every byte kept" head "$old"
	cd ..
done
fresh
mkdir -p .hamr/sessions
sed '1s/"v":1/"v":2/' "$old" >.hamr/sessions/20260101T000000Z-aaaa.ndjson
status "a session of a later version is refused" 65 hamr-loop --no-config \
    --resume=2026 "go on"
match "... with the reason" "$(cat "$T/.err")" "*another version of hamr*"
cd ..

# what is promised against power loss: a start is on the disk before the call
# can know of it, an end before anybody reads it (D6)
fresh
strace -f -o trace -s 40 -e trace=write,fdatasync hamr-loop --no-config --yes \
    --json --replay "$S" "try it" >/dev/null 2>&1
loop=$(awk '/"hamr/ { print $1; exit }' trace)
is "starts and the end are synced before they are sent" "$(awk -v loop="$loop" '
    $1 != loop { next }
    / write\(.*type\\":\\"(start|end)/ {
	to = $0; sub(/.*write\(/, "", to); sub(/,.*/, "", to)
	if (fd == "") fd = to	# the session
	if (to == fd) synced = 0; else if (!synced) early++ }
    /fdatasync\(/ && fd != "" && !synced { synced = 1; n++ }
    END { print n + 0, early + 0 }' trace)" "7 0"
cd ..

# a line cut short by a power loss
fresh
loop --replay "$S" "try it" >/dev/null
f=$(session)
head -n 8 "$f" >part
head -n 9 "$f" | tail -n 1 | head -c 20 >>part
cp part "$f"
rm -f marks new.txt
loop --resume --replay "$S" >answer 2>err
match "a torn line is cut off with one warning" "$(cat err)" \
    "*last line was cut short*"
is "and the run completes" "$(cat answer)" "The file says goodbye."
cd ..

# damage in the middle is told with its line, and nothing is changed
fresh
loop --replay "$S" "try it" >/dev/null
f=$(session)
sed -i '4s/.*/{"role":/' "$f"
cp "$f" before
loop --resume "more" >out 2>err
is "a damaged session: status 65" "$?" 65
match "its place is named, and how to go on" "$(cat err)" "*.ndjson:4: *; to \
go on from line 3: hamr-loop --fork=$(basename "$f" .ndjson) --at 3"
same "and the file is as it was" "$f" before
cd ..

# cut off before the task was written down, and in a call
fresh
loop --replay "$S" "try it" >/dev/null
f=$(session)
cp "$f" all
head -n 3 all >"$f"
loop --resume --replay "$S" >out 2>err
is "a session without a task: status 2" "$? $(wc -l <"$f")" "2 3"
match "... says how to give it one" "$(cat err)" \
    "*has no task yet; add one: hamr-loop --resume=2*"
mkdir -p "a b"
cp "$f" ".hamr/sessions/it's.ndjson"
loop -C "a b" --resume="it's" >out 2>err
match "... as a shell reads it" "$(cat err)" \
    "*: hamr-loop -C 'a b' --resume='it'\\\\''s' *"
rm -r "a b" ".hamr/sessions/it's.ndjson"
loop --resume --replay "$S" "try it" >out
is "... and takes it" "$? $(cat out)" "0 The file says goodbye."
sed '/"type":"start"/q' all >"$f"
hamr-loop --no-config --yes --resume --replay "$S" >out 2>err
match "a call of before is known by its name" "$(head -n 1 err)" \
    "  read d  interrupted: *"
cd ..
mkdir gone && cd gone && rmdir ../gone
loop --replay "$S" "try it" 2>"$T/err"
is "no working directory: status 66" "$?" 66
match "... is told" "$(cat "$T/err")" "*working directory is gone; *"
cd "$T" || exit 1

# an answer that was cut, after each record that comes of it
fresh
cat >cut.ndjson <<'X'
{"role":"assistant","finish_reason":"length","tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{\"command\":\"touch a\"}"}},{"id":"b","type":"function","function":{"name":"bash","arguments":"{\"command\":\"touch"}}]}
{"role":"assistant","content":"in smaller pieces","finish_reason":"stop"}
X
loop --replay cut.ndjson "two calls" >out 2>err
f=$(session)
cp "$f" all
for i in $(seq 3); do
	sed "$(($(grep -n '"finish_reason":"length"' all | cut -d: -f1) + i))q" \
	    all >"$f"
	loop --resume --replay cut.ndjson >out 2>err
	is "a cut answer, resumed $i records behind it" "$(cat out) $(ls a 2>&1)
$(roles <"$f")" "in smaller pieces ls: cannot access 'a': No such file or directory
$(roles <all)"
done
cd ..

# an error of which the model is told, without what was to follow
fresh
answer='{"role":"assistant","content":"on","finish_reason":"stop"}'
call='{"role":"assistant","finish_reason":"tool_calls","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"d/x\"}"}}]}'
for code in malformed_tool_call context_overflow; do
	printf '%s\n{"type":"error","stage":"provider","code":"%s",%s}\n%s\n' \
	    "$call" $code '"message":"no","retryable":false' "$answer" >err.ndjson
	loop --replay err.ndjson "look" >out 2>err
	cp "$(session)" all
	sed "/\"$code\"/q" all >"$(session)"
	loop --resume --replay err.ndjson >out 2>err
	is "$code, resumed behind it: told as in the whole run" \
	    "$(cat out) $(roles <"$(session)") $(jq -r '.scenario // empty' \
	    "$(session)")" "on $(roles <all) $(jq -r '.scenario // empty' all)"
	ok "... which it was" grep -q '"by":"loop"' all
	rm "$(session)"
done
cd ..

# a recovery whose words a power failure cut off
fresh
printf '%s\n' '{"role":"assistant","content":""}' "$answer" >empty.ndjson
loop --replay empty.ndjson "look" >out 2>err
cp "$(session)" all
sed '/"recovery"/q' all >"$(session)"
loop --resume --replay empty.ndjson >out 2>err
is "a recovery without its words is made again, and counts once" \
    "$(cat out) $(roles <"$(session)") $(jq -r '.attempt // empty' \
    "$(session)" | paste -sd' ')" "on $(roles <all) 1 1"
cd ..

# the last call that a budget allows, begun before a crash
fresh
last() { loop --replay last.ndjson -o agent.max_tool_calls=1 "$@"; }
{ echo "$call"; echo "$answer"; } >last.ndjson
last "look" >out 2>err
sed '/"type":"start"/q' "$(session)" >part
mv part "$(session)"
last --resume >out 2>err
is "the last call of a budget, begun before a crash: interrupted" \
    "$? $(jq -r 'select(.role == "tool").meta.error' "$(session)")" \
    "3 interrupted"
cd ..

# the last request of a spent budget, after each record that comes of it
fresh
cat >spent.ndjson <<'X'
{"role":"assistant","finish_reason":"tool_calls","tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{\"command\":\"touch a\"}"}}]}
{"role":"assistant","content":"enough","finish_reason":"tool_calls","tool_calls":[{"id":"b","type":"function","function":{"name":"bash","arguments":"{\"command\":\"touch b\"}"}}]}
X
spent() { loop --replay spent.ndjson -o agent.max_model_steps=1 "$@"; }
spent "two calls" >out 2>err
f=$(session)
cp "$f" all
for i in $(seq 0 2); do
	sed "$(($(grep -n '"type":"constrain"' all | cut -d: -f1) + i))q" \
	    all >"$f"
	spent --resume >out 2>err
	is "a spent budget, resumed $i records behind the last request" \
	    "$? $(cat out) $(ls b 2>&1) $(roles <"$f") $(ended)" \
	    "3 enough ls: cannot access 'b': No such file or directory $(roles \
	    <all) budget_exhausted max_model_steps"
done
# once it has ended so
cp all "$f"
spent --resume >out 2>err
is "... with the same budget" "$? $(cat out) $(roles <"$f") $(ended)" \
    "3 enough $(roles <all) budget_exhausted max_model_steps"
is "... it is written once that it has ended" "$(grep -c '"type":"end"' "$f")" 1
cut=$(jq -c 'if .content == "enough" then .finish_reason = "length" |
    del(.tool_calls) else . end' all)
grep -v '"tool_call_id":"b"' <<<"$cut" >"$f"
spent --resume >out 2>err
is "... its last words cut by their length" "$? $(jq -r 'select(.meta.by ==
    "loop").content' "$f" | grep -c 'cut off') $(ended)" \
    "3 0 budget_exhausted max_model_steps"
cp all "$f"
echo '{"role":"assistant","content":"It is done, all of it."}' >>spent.ndjson
spent --resume -o agent.max_model_steps=3 >out 2>err
is "... with a larger one it goes on" "$? $(cat out) $(ended)" \
    "0 It is done, all of it. completed stop"
cd ..

# what ended with model_error is tried again
fresh
for i in 1 2 3 4; do
	printf '{"role":"assistant","content":"","finish_reason":"stop"}\n'
done >empty.ndjson
loop --replay empty.ndjson "look" >out 2>err
is "empty answers" "$? $(ended)" "6 model_error empty_response"
echo '{"role":"assistant","content":"It is there."}' >>empty.ndjson
loop --replay empty.ndjson --resume >out 2>err
is "... resumed" "$? $(cat out)" "0 It is there."
cd ..

# what the guard stopped, too, and the model is told
fresh
for i in $(seq 13); do
	printf '{"role":"assistant","tool_calls":[{"id":"s%s","type":"function","function":{"name":"bash","arguments":"{\\"command\\":\\"exit 3\\"}"}}]}\n' "$i"
done >loops.ndjson
loop --replay loops.ndjson "look" >out 2>err
is "a loop" "$? $(ended)" "5 guard_stopped stall"
echo '{"role":"assistant","content":"It cannot be seen."}' >>loops.ndjson
loop --replay loops.ndjson --resume >out 2>err
is "... resumed" "$? $(cat out) $(grep -c '"infinite_loop"' "$(session)")" \
    "0 It cannot be seen. 2"
hamr-guard -q --no-config <"$(session)" >guarded
same "... is a fixed point of the guard" guarded "$(session)"
cd ..

# and a contract that was not met
fresh
for i in 1 2; do
	printf '{"role":"assistant","content":"Nothing %s."}\n' $i
done >lazy.ndjson
echo '{"role":"assistant","tool_calls":[{"id":"w","type":"function","function":{"name":"write","arguments":"{\"path\":\"w\",\"content\":\"x\"}"}}]}
{"role":"assistant","content":"It is written now."}' >>lazy.ndjson
loop --replay lazy.ndjson --mode patch -o agent.contract_nudges=1 "do it" \
    >out 2>err
is "no change" "$? $(ended)" "4 contract_failed no_change"
loop --replay lazy.ndjson --resume >out 2>err
is "... resumed" "$? $(cat out) $(cat w)" "0 It is written now. x"
cd ..

# the guard hears of what a spent budget refuses, also behind a crash
fresh
for i in $(seq 5); do
	printf '{"role":"assistant","tool_calls":[{"id":"a%s","type":"function","function":{"name":"bash","arguments":"{\\"command\\":\\"echo %s\\"}"}}]}\n' "$i" "$i"
done >loud.ndjson
loud() { loop --replay loud.ndjson -o agent.max_model_steps=3 "$@"; }
loud "look" >out 2>err
f=$(session)
cp "$f" all
sed '/"id":"a4"/q' all >"$f"
loud --resume >out 2>err
hamr-guard -q --no-config <"$f" >guarded
same "a spent budget, resumed: a fixed point of the guard" guarded "$f"
ok "... which said something" test "$(roles <"$f")" = "$(roles <all)"
cd ..

# two loops on one session
fresh
cat >slow.ndjson <<X
{"role":"assistant","tool_calls":[{"id":"s","type":"function","function":{"name":"bash","arguments":"{\\"command\\":\\"touch started; sleep 31.$$\\"}"}}]}
{"role":"assistant","content":"done sleeping","finish_reason":"stop"}
X
hamr-loop --no-config --yes --json --replay slow.ndjson "sleep" >out 2>err &

pid=$!
for i in $(seq 100); do [ -e started ] && break; sleep 0.05; done
begun=$(date +%s%3N)
loop --resume >out2 2>err2
is "a session in use: status 75" "$?" 75
ok "... at once" test $(($(date +%s%3N) - begun)) -lt 900
match "and the holder's pid" "$(cat err2)" "*process $pid;*"
# Ctrl-C
kill -INT $pid
wait $pid
is "SIGINT: status 130" "$?" 130
is "SIGINT: the end record" "$(tail -n 1 out | jq -r .status)" interrupted
is "SIGINT: no call is left open" "$(jq -r 'select(.role == "tool") |
    .meta.error' "$(session)")" interrupted
is "SIGINT: nothing of the call survives" "$(pgrep -f "^sleep 31.$$" |
    wc -l)" 0
is "exactly one end record" "$(grep -c '"type":"end"' out)" 1
loop --resume --replay slow.ndjson >answer 2>err
is "an interrupted session goes on" "$? $(cat answer)" "0 done sleeping"
# what a killed loop left behind has its lock for a while
lock=$(session)
lock=${lock%.ndjson}.lock
flock "$lock" sleep 2 &
left=$!
for i in $(seq 100); do flock -n "$lock" true || break; sleep 0.05; done
bash -c 'echo $$' >"$lock"
loop --resume --replay slow.ndjson >answer 2>err
is "the session of a killed loop, its stages there for 2 s more" \
    "$? $(cat answer)" "0 done sleeping"
wait $left
# a second one waits for nothing, not even a stage that is stopped
rm -f started
hamr-loop --no-config --yes --json --replay slow.ndjson "sleep" >out 2>err &

pid=$!
for i in $(seq 600); do [ -e started ] && break; sleep 0.05; done
pkill -STOP -P $pid -f hamr-tool
kill -INT $pid
sleep 0.2
kill -INT $pid
wait $pid
is "SIGINT twice: status, one end record" "$? $(jq -r 'select(.type == "end") |
    .status' out | paste -sd' ')" "130 interrupted"
# ... nor for a reader of stdout that does not read
mkfifo unread
exec 3<>unread
rm -f started
{ printf '{"role":"assistant","content":"%0200000d","tool_calls":' 1
sed -n 's/.*"tool_calls"://p' slow.ndjson; } >long.ndjson
hamr-loop --no-config --yes --json --replay long.ndjson "sleep" >unread 2>err &

pid=$!
for i in $(seq 600); do [ -e started ] && break; sleep 0.05; done
kill -INT $pid
for i in $(seq 600); do
	tail -n 1 "$(session)" | grep -q '"end"' && break
	sleep 0.05
done
for i in $(seq 600); do kill -INT $pid 2>err2 || break; sleep 0.05; done
is "SIGINT again, and nobody reads stdout" "$(kill -9 $pid 2>&1 |
    grep -c "No such process")" 1
wait $pid
exec 3>&-
rm unread
# the first one waits for such a stage once
rm -f started
hamr-loop --no-config --yes --json --replay slow.ndjson "sleep" >out 2>err &

pid=$!
for i in $(seq 600); do [ -e started ] && break; sleep 0.05; done
pkill -STOP -P $pid -f hamr-tool
begun=$(date +%s%3N)
kill -INT $pid
wait $pid
is "SIGINT, a stage is stopped: status, one end record" "$? $(jq -r 'select(
    .type == "end") | .status' out | paste -sd' ')" "130 interrupted"
ok "... within 4 s" test $(($(date +%s%3N) - begun)) -lt 4000
for sig in TERM HUP QUIT; do
	rm -f started
	hamr-loop --no-config --yes --json --replay slow.ndjson "sleep" >out 2>err &

	pid=$!
	for i in $(seq 100); do [ -e started ] && break; sleep 0.05; done
	kill -$sig $pid
	wait $pid
	is "SIG$sig: status and end record" "$? $(tail -n 1 out |
	    jq -r .status)" "130 interrupted"
done
rm -f started
sed 's/31[.][0-9]*/0.5/' slow.ndjson >quick.ndjson
nohup hamr-loop --no-config --yes --json --replay quick.ndjson "sleep" >out \
    2>err </dev/null &
pid=$!
for i in $(seq 100); do [ -e started ] && break; sleep 0.05; done
kill -HUP $pid
wait $pid
is "SIGHUP under nohup: it goes on" "$? $(tail -n 1 out | jq -r .status)" \
    "0 completed"

# killed before the guard said something about the last message: that comes
# before what the flags change
said='{"role":"assistant","content":"I will now edit the file d/x.","finish_reason":"stop"}'
answer='{"role":"assistant","content":"It says x, and nothing else at all.","finish_reason":"stop"}'
printf '%s\n' "$said" "$answer" "$answer" >"$T/plan"
fresh
loop --replay "$T/plan" "what does d/x say?" >/dev/null 2>&1
sed -i '/I will now edit/q' "$(session)"
loop --resume --mode docs --model m --replay "$T/plan" >/dev/null 2>&1
is "what flags change comes after the verdicts" "$(jq -r '.type // .meta.by //
    empty' "$(session)" | tail -n 5 | paste -sd' ')" \
    "verdict guard config config end"
hamr-guard --no-config -q <"$(session)" | cmp - "$(session)"
is "... a fixed point of hamr-guard" "$?" 0
sed -i '/I will now edit/q' "$(session)"
echo '{"type":"sync","n":1}' | loop --resume --mode docs --records >/dev/null
hamr-guard --no-config -q <"$(session)" | cmp - "$(session)"
is "... also when a program resumes it" "$?" 0
cd ..

# a folder whose name is not UTF-8: records say it with U+FFFD
mkdir "$T/w"$'\377' && cd "$T/w"$'\377' && git init -q .
answer='{"role":"assistant","content":"It is printed above, as was asked.","finish_reason":"stop"}'
cat >"$T/pwd" <<E
{"role":"assistant","content":null,"tool_calls":[{"id":"k1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"pwd\"}"}}],"finish_reason":"tool_calls"}
$answer
E
{ cat "$T/pwd"; echo "$answer"; } >"$T/more"
mkdir -p conf/hamr/skills/s && echo skill >conf/hamr/skills/s/SKILL.md
XDG_CONFIG_HOME=$PWD/conf loop --replay "$T/pwd" "print the folder" >out 2>err
is "a folder whose name is not UTF-8" "$? $(said_in err | cat out -)" \
    "0 It is printed above, as was asked."
loop --resume --replay "$T/more" "go on" >out 2>err
is "... is found again" "$? $(cat out err)" \
    "0 It is printed above, as was asked."
{ cat "$T/more"; echo "$answer"; } >"$T/fork"
loop --fork="$(basename "$(session)" .ndjson)" --replay "$T/fork" "go on" \
    >out 2>err
is "... and forked" "$? $(cat out err)" "0 It is printed above, as was asked."
rm "$(grep -l fork_of .hamr/sessions/*.ndjson)"
mkdir $'d\377' && echo "Use tabs." >$'d\377/AGENTS.md'
(cd $'d\377' && loop --replay "$T/pwd" "print the folder") >out 2>err
is "... and so is one in it, with an AGENTS.md" "$? $(said_in err | cat out -)" \
    "0 It is printed above, as was asked."
rm "$(session)"
is "... in one session, with valid records" "$(ls .hamr/sessions/*.ndjson |
    wc -l) $(jq -r '.cwd // .meta.cwd // empty' "$(session)" | sort -u)" \
    "1 $T/w"$'\357\277\275'
is "... and a program is told of it" "$(echo '{"type":"sync","n":1}' |
    loop --records | jq -r '.root // empty')" "$T/w"$'\357\277\275'
echo '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}' >list
is "... and an editor" "$(hamr-loop --acp <list | iconv -f UTF-8 -t UTF-8 |
    jq -r '.result.sessions[0].cwd')" "$T/w"$'\357\277\275'
done_testing

#!/bin/bash
# stage.t - hamr-tool as a stage: judgement, verdicts, the journal.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

new() { hamr-tool -n --yes "$@"; }

# --- the filter
one=$(call c1 bash "$(sh_args 'echo hi')")
{ printf '%s\n' "$user" '{"type":"x","n":9007199254740993,"s" : "kept"}' \
	"$one"; } >t
hamr-tool --yes <t >../out
no_checkpoint <../out >out
head -n 3 out >head
same "what was read is written, its bytes unchanged" head t
is "then start and result" "$(sed 1,3d out | norm)" \
'{"type":"start","tool_call_id":"c1","at":"T"}
{"role":"tool","tool_call_id":"c1","name":"bash","content":"exit 0\nhi\n",'\
'"meta":{"command":"echo hi","exit":0,"stdout_bytes":3,"stderr_bytes":0,'\
"\"cwd\":\"$(pwd -P)\",\"ms\":0,\"bytes\":10}}"
match "the time of the start" "$(sed -n 4p out | jq -r .at)" \
	"20??-??-??T??:??:??Z"
hamr-tool --yes <out >../out2; mv ../out2 .
same "nothing is run twice" out out2
is "-n" "$(hamr-tool -n --yes <t | grep -v '"output"' | norm)" "$(sed 1,3d out | norm)"
is "go is answered with -n" "$({ cat t; echo "$go"; } | new | tail -n 1)" "$go"
is "not in filter mode" "$({ cat t; echo "$go"; } | hamr-tool --yes | norm)" \
	"$(norm <out)"
is "acts once for one go" "$({ cat t; echo "$go"; echo "$go"; } | new |
	no_checkpoint | jq -r '.type // .role' | tr '\n' ' ')" \
	"start output tool go go "
is "output is not written" "$(grep -c '"output"' out)" 0
is "unless asked for" "$(hamr-tool --stream --yes <t |
	jq -c 'select(.type == "output") | [.stream, .text]')" \
	'["stdout","hi\n"]'
is "output with -n" "$(call c1 bash "$(sh_args 'echo e >&2')" | new |
	jq -c 'select(.type == "output")')" \
	'{"type":"output","tool_call_id":"c1","stream":"stderr","text":"e\n"}'
is "output has its limit" "$(call c1 bash "$(sh_args 'yes | head -c 3M')" |
	new | jq -j 'select(.type == "output") | .text' | wc -c |
	awk '{ print ($1 > 900000 && $1 <= 1048576) }')" 1
is "call order" "$(call c1 bash "$(sh_args 'sleep .2; echo 1')" c2 bash \
	"$(sh_args 'echo 2')" c3 read '{}' | new |
	no_checkpoint | jq -r '[.type // .role, .tool_call_id] | join(" ")' |
	grep -v output)" \
"start c1
tool c1
start c2
tool c2
tool c3"
is "only what has no result" "$({ call a bash "$(sh_args 'touch ran')" b bash \
	"$(sh_args 'echo b')"
	echo '{"role":"tool","tool_call_id":"a","content":"x"}'; } | new |
	results)" '["b","exit 0\nb\n",null,null,null,null]'
is "only the last message" "$({ call a bash "$(sh_args 'touch ran')"
	call b bash "$(sh_args 'echo b')"; } | new | results)" \
	'["b","exit 0\nb\n",null,null,null,null]'
none() {	# not in a pipe: a subshell's tests are not counted
	is "$1" "$(new)" ""
}
none "a person's message follows" <<<"$one$nl$user"
none "cut by length" < <(jq -c '.finish_reason = "length"' <<<"$one")
none "no calls" <<<'{"role":"assistant","content":"done"}'
none "no message" <<<"$user"
none "tool_calls null" <<<'{"role":"assistant","tool_calls":null}'
is "a message by the guard does not count" "$({ echo "$one"
	echo '{"role":"user","content":"[hamr-guard] x","meta":{"by":"guard"}}'
	} | new | results)" '["c1","exit 0\nhi\n",null,null,null,null]'
is "a new transcript" "$({ cat t; echo '{"type":"hamr","v":1}'; cat t; } |
	new | results)" '["c1","exit 0\nhi\n",null,null,null,null]
["c1","exit 0\nhi\n",null,null,null,null]'

# --- bad input
status "a bad line" 65 sh -c 'printf "%s\n" "{" | hamr-tool'
match "says where" "$(cat "$T/.err")" "hamr-tool: stdin:1: *"
is "--lenient" "$(echo '{' | hamr-tool --lenient | jq -r .code)" bad_record
ok "its status" sh -c 'echo "{" | hamr-tool --lenient'
is "a line cut short runs nothing" "$(printf '%s' "$one" | new 2>/dev/null)" ""
is "arguments that are no string" "$(jq -c \
	'.tool_calls[0].function.arguments = {command: "touch ran"}' \
	<<<"$one" | new | jq -c '[.tool_call_id, .meta.error]')" \
	'["c1","bad_arguments"]'
is "no function" "$(echo '{"role":"assistant","tool_calls":[{"id":"x"},7]}' |
	new | jq -c '[.tool_call_id, .meta.error]')" \
	'["x","unknown_tool"]
["","unknown_tool"]'
is "bad arguments get no start" "$(call a bash '{"command":"touch' b bash '' \
	c nonsense '{}' d bash '{"command":"touch ran","command":"touch ran"}' |
	new | jq -c '[.type, .tool_call_id, .is_error, .meta.error]')" \
'[null,"a",true,"bad_arguments"]
[null,"b",true,"bad_arguments"]
[null,"c",true,"unknown_tool"]
[null,"d",true,"bad_arguments"]'
match "the template is shown" "$(call a bash '' | new | jq -r .content)" \
	'*wanted: {"command":*'
is "1000 calls" "$(jq -cn '{role: "assistant", tool_calls: [range(1000) |
	{id: "c\(.)", function: {name: "x", arguments: "{"}}]}' | new | wc -l)" \
	1000

# --- verdicts
two=$(call a bash "$(sh_args 'echo x; echo >>count')" b bash \
	"$(sh_args 'echo x; echo >>count')")
verdict() {	# ID ACTION [more]
	printf '{"type":"verdict","stage":"hamr-guard","tool_call_id":"%s","action":"%s","phase":"call"%s}\n' "$@"
}
judged() {	# verdicts on stdin
	rm -f count
	{ echo "$two"; cat; } | new | results
}
is "block" "$(verdict a block ',"message":"said twice"' | judged | head -n 1)" \
	'["a","said twice",true,"refused","block",null]'
is "halt" "$(verdict a halt ',"message":"stop"' | judged | head -n 1)" \
	'["a","stop",true,"refused","halt",null]'
is "refused calls get no start" "$({ echo "$two"; verdict a halt
	verdict b block; } | new | grep -c start)" 0
is "the strictest counts" "$({ verdict a halt ',"message":"h"'
	verdict a block ',"message":"b"'; verdict a share; verdict a allow; } |
	sed 's/hamr-guard/other/' | judged | head -n 1)" \
	'["a","h",true,"refused","halt",null]'
is "other phases do not" "$({ verdict a halt | sed 's/"call"/"result"/'
	verdict a warn | sed 's/"call"/"result"/'; } | judged | head -n 1)" \
	'["a","exit 0; changed: count\nx\n",null,null,null,null]'
is "share" "$(verdict b share ',"twin":"a"' | judged | tail -n 1)" \
	'["b","exit 0; changed: count\nx\n",null,null,"share","a"]'
is "ran once" "$(wc -l <count)" 1
is "a shared error" "$({ call a bash "$(sh_args 'exit 4')" b bash \
	"$(sh_args 'exit 4')"; verdict b share ',"twin":"a"'; } | new |
	results | tail -n 1)" '["b","exit 4",true,null,"share","a"]'
long() {	# LENGTH of output
	{ call a bash "$(sh_args "printf %0$1d 0")" b bash \
	    "$(sh_args "printf %0$1d 0")"; verdict b share ',"twin":"a"'; } |
	    new | jq -r 'select(.tool_call_id == "b" and .role) | .content'
}
is "repeated up to 400 bytes" "$(long 393 | wc -c)" 401
is "and no more" "$(long 394)" "same as the call before it in this message"
is "a twin from the transcript" "$({ echo "$two"
	verdict b share ',"twin":"a"'
	echo '{"role":"tool","tool_call_id":"a","content":"old"}'; } | new |
	results)" '["b","old",null,null,"share","a"]'
is "a twin that never ran" "$({ verdict a block
	verdict b share ',"twin":"a"'; } | judged | tail -n 1 |
	jq -c '[.[0], .[2:][]]')" '["b",true,"interrupted","share","a"]'
is "policy before verdict" "$({ call a write '{"path":"n","content":"x"}'
	verdict a block; } | hamr-tool -n --yes --mode read-only | head -n 1 |
	jq -c '[.meta.error, .meta.verdict]')" '["denied","block"]'

# --- the journal
rm -f ran
ran=$(call c1 bash "$(sh_args 'touch ran')")
started='{"type":"start","tool_call_id":"c1","at":"2026-11-20T10:00:00Z"}'
is "a start of somebody else" "$({ echo "$ran"; echo "$started"; } | new |
	jq -c '[.role, .tool_call_id, .is_error, .meta.error]')" \
	'["tool","c1",true,"interrupted"]'
ok "not run again" test ! -e ran
is "a start with its result" "$({ echo "$ran"; echo "$started"
	echo '{"role":"tool","tool_call_id":"c1","content":"x"}'; } | new)" ""
if [ -e /dev/full ]; then
	echo "$ran" >t1
	status "no journal" 71 sh -c 'hamr-tool -n --yes <t1 >/dev/full'
	ok "no act" test ! -e ran
fi

# --- resident
resident --yes
say '{"type":"sync","n":7}'
hear
is "tools before the first sync" "$line" "$(hamr-tool --schemas)"
hear
is "the sync" "$line" '{"type":"sync","n":7}'
say '{"type":"sync","n":8}'
hear
is "once" "$line" '{"type":"sync","n":8}'
say "$ran" "$go"
hear
is "start is proposed" "$(norm <<<"$line")" \
	'{"type":"start","tool_call_id":"c1","at":"T"}'
start=$line
hear .3
ok "nothing before it is read back" test ! -e ran
say "$start"
hear
is "acts then" "$(jq -c '[.role, .tool_call_id, .content]' <<<"$line")" \
	'["tool","c1","exit 0; changed: ran"]'
ok "truly" test -e ran
result=$line
hear
is "and answers go" "$line" "$go"
say "$result" "$go"
hear
is "its own result is known" "$line" "$go"
say '{"type":"config","set":{"agent.mode":"read-only"}}' \
	"$(call c1 write '{"path":"n","content":"x"}')" "$go"
hear
is "a mode offers what it allows" "$(jq -c '[.tools[].function.name |
	select(. == "write" or . == "bash")]' <<<"$line")" '["bash"]'
hear
is "config changes the mode" "$(jq -r .meta.error <<<"$line")" denied
hear
say '{"type":"config","set":{"agent.mode":"patch"}}' "$(call c9 bash \
	"$(sh_args 'sleep 3341 & echo begun; sleep 3342')")" "$go"
hear; hear
say "$line"
hear
is "output comes at once" "$(jq -r .text <<<"$line")" begun
say '{"type":"cancel"}'
hear
is "cancel" "$(jq -c '[.content, .is_error, .meta.error]' <<<"$line")" \
	'["interrupted\nbegun\n",true,"interrupted"]'
hear
is "then go" "$line" "$go"
ok "everything was ended" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null |
	tr "\0" " " | grep -q "sleep 334[12]"'
say "$(call d1 bash "$(sh_args 'trap "" TERM; echo b; sleep 3343;sleep 3343')" \
	d2 bash "$(sh_args 'touch ran2')")" "$go"
hear; say "$line"; hear
exec {to}>&-
hear
is "end of input ends the call" "$(jq -c '[.tool_call_id, .meta.error]' \
	<<<"$line")" '["d1","interrupted"]'
wait "$tool_pid"
is "and the process" "$?" 0
ok "and begins no other" test ! -e ran2
ok "nobody is left" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null |
	tr "\0" " " | grep -q "sleep 334[3]"'
exec {from}<&-
is "end of input begins nothing" "$({ echo "$ran"; } | hamr-tool -r --yes)" ""
is "a config record in the filter" "$({
	echo '{"type":"config","set":{"agent.mode":"read-only"}}'
	echo "$one"; } | new | results)" \
	'["c1","exit 0\nhi\n",null,null,null,null]'

rm -f ran
resident --yes
say "$ran" "$go"
hear
say '{"type":"cancel"}'
hear
is "cancel before the start was read back" "$line" "$go"
say "$go"
hear
is "then it is proposed again" "$(jq -r .type <<<"$line")" start
say "$line"
hear
is "and run" "$(jq -r .content <<<"$line")" "exit 0; changed: ran"
bye
is "the end of it" "$tool_status" 0

# --- ask and answer
rm -f ran ran2
resident
say "$ran" "$go"
hear
is "bash is asked for" "$line" '{"type":"ask","id":"a1","tool_call_id":"c1",'\
'"name":"bash","command":"touch ran","lines":1,"why":"it may change files"}'
say '{"type":"answer","id":"a1","allow":false}'
hear
is "no" "$(jq -c '[.is_error, .meta.error, .content]' <<<"$line")" \
    '[true,"denied","denied: the user did not allow this call; do not repeat it"]'
hear
say "$(call c2 bash "$(sh_args 'touch ran')")" "$go"
hear
is "the next ask" "$(jq -r .id <<<"$line")" a2
say '{"type":"answer","id":"a2","allow":true}'
hear
is "start after the answer" "$(jq -r .type <<<"$line")" start
ok "not before" test ! -e ran
say "$line"
hear
is "yes" "$(jq -r .content <<<"$line")" "exit 0; changed: ran"
ok "run" test -e ran
hear
say "$(call c3 bash "$(sh_args 'touch ran')")" "$go"
hear
say '{"type":"answer","id":"a3","allow":true,"arguments":"{\"cmd\":\"echo other\"}"}'
hear; say "$line"; hear; hear
is "arguments in its place" "$(jq -r .content <<<"$line")" "exit 0
other
[the user changed the arguments to: {\"command\":\"echo other\"}]"
is "which are counted" "$(jq '.meta.bytes == (.content | utf8bytelength)' \
    <<<"$line")" true
hear
say "$(call c4 bash "$(sh_args 'touch ran')")" "$go"
hear
say '{"type":"answer","id":"a4","allow":true,"arguments":"{}"}'
hear
is "are checked" "$(jq -r .meta.error <<<"$line")" bad_arguments
hear
say "$(call c5 write '{"path":"new.txt","content":"text\n"}' c6 read \
	'{"path":"new.txt"}')" "$go"
hear
match "write shows its diff" "$(jq -r '.name + .diff' <<<"$line")" "write*+text*"
say '{"type":"answer","id":"a5","allow":true}'
hear; say "$line"; hear
is "written" "$(cat new.txt)" text
hear
is "read is not asked for" "$(jq -r '.type + .tool_call_id' <<<"$line")" startc6
say "$line"; hear; hear
is "the end" "$line" "$go"
say "$(call r1 write "$(jq -cn '{path: "./new/../big.txt", content: ([range(3000)] |
    map("line \(.)\n") | join(""))}')")" "$go"
hear
is "all of a diff is shown, and how much it is" "$(jq -c '[.path, .lines, .new,
    (.diff | split("\n") | length), (.diff[-11:])]' <<<"$line")" \
    '["big.txt",3000,true,3004,"+line 2999\n"]'
say '{"type":"answer","id":"a6","allow":false,"reason":"make it shorter"}'
hear
is "the reason reaches the model" "$(jq -r .content <<<"$line")" \
    "denied: the user did not allow this call: make it shorter"
hear
say "$(call s1 bash "$(sh_args 'touch ran2')" s2 read '{"path":"new.txt"}')" "$go"
hear
say '{"type":"answer","id":"a7","allow":false,"stop":true}'
hear
is "a no that stops the turn is answered" "$(jq -r '.tool_call_id + " " +
    .content' <<<"$line")" \
    "s1 denied: the user did not allow this call and stopped the turn"
hear
is "... and ends the action" "$line" "$go"
say "$(call c7 bash "$(sh_args 'touch ran2')")" "$go"
hear
say '{"type":"cancel"}'
hear
is "cancel of an ask" "$line" "$go"
bye
ok "nothing was run" test ! -e ran2

# --- a sandbox that was put up for a call that was stopped
resident --yes
say "$(call e1 bash "$(sh_args 'touch ran3')")" "$go"
hear
say '{"type":"cancel"}'
hear
echo u >.envrc
say "$go"
hear; say "$line"; hear
is "what came meanwhile is not its work" \
	"$(jq -r .content <<<"$line"; cat .envrc)" "exit 0; changed: ran3${nl}u"
bye
rm -f .envrc ran3

# --- closed stdout, signals
mkdir "$T/tmp"; export TMPDIR=$T/tmp
call c1 bash "$(sh_args 'echo $$ >pid; sleep 3344 & sleep 3344')" >t2
{ hamr-tool -n --yes <t2; echo $? >st; } | head -n 1 >/dev/null
is "a closed stdout ends it by SIGPIPE" "$(cat st)" 141
ok "after its processes" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null |
	tr "\0" " " | grep -q "sleep 334[4]"'
is "and leaves nothing of its sandbox" "$([ -e .git ] && echo .git; ls "$TMPDIR")" ""
for sig in TERM HUP; do
	resident --yes
	say "$(call f1 bash "$(sh_args true)")" "$go"
	hear; say "$line"; hear; hear
	kill -$sig "$tool_pid"
	wait "$tool_pid"
	is "SIG$sig ends it when it is idle" "$(kill -l $?)" $sig
	is "and leaves nothing either" "$([ -e .git ] && echo .git; ls "$TMPDIR")" ""
	exec {to}>&- {from}<&-
done
exec {shut}> >(:)
wait $!
echo '{"role":' | hamr-tool -n 2>err 1>&"$shut"
is "what it did not write does not hide a failure" \
	"$? $(grep -c 'stdin:1: ' err)" "65 1"
exec {shut}>&-
mkfifo stopped
exec {reader}<>stopped
printf '{"role":"user","content":"%0200000d"}\n' 0 >long
for how in "" --mcp; do
	if [ -n "$how" ]; then	# 200 lists of tools
		printf '{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n' {1..200}
	else
		cat long
	fi | timeout -s KILL 20 bash -c 'echo $$ >pid; exec hamr-tool "$@"' \
		- ${how:+"$how"} >stopped &
	last=$!
	read -rN 1 -u "$reader" _	# the rest is more than it holds
	kill -TERM "$(cat pid)"
	wait "$last"
	is "it ends while nobody reads its output${how:+, $how}" "$(kill -l $?)" TERM
	timeout 1 cat <&"$reader" >/dev/null
done
exec {reader}<&-
rm -f stopped
if unshare -Urpf true 2>/dev/null; then
	mkfifo held
	unshare -Urpf bash -c 'exec hamr-tool --mcp' <held >answer 2>err &
	last=$!
	exec {to}>held
	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' >&"$to"
	for i in {1..300}; do [ -s answer ] && break; sleep .1; done
	kill -TERM "$(cat /proc/$last/task/$last/children)"
	wait "$last"
	is "as the first process of a container, too" "$? $(cat err)" "71 "
	exec {to}>&-
	rm -f held answer
else
	skip "as the first process of a container, too" "no namespaces"
fi
resident --yes
say "$(cat t2)" "$go"
rm -f pid
hear; say "$line"
for i in {1..300}; do [ -s pid ] && break; sleep .1; done
kill -INT "$tool_pid"
wait "$tool_pid"
is "SIGINT" "$?" 130
ok "after its processes too" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null |
	tr "\0" " " | grep -q "sleep 334[4]"'
exec {to}>&- {from}<&-

# --- whole, line by line, byte by byte
{ echo '{"type":"hamr","v":1}'; echo "$user"
	call a read '{"path":"new.txt"}' b bash "$(sh_args 'echo b; exit 3')"
	verdict b warn; echo '{"type":"go","n":1}'
	echo '{"type":"sync","n":2}'; cat t; echo '{"type":"go","n":2}'
	echo "$two"; verdict b share ',"twin":"a"'; } >long
cat >feed.py <<'E'
import sys, time
data = open(sys.argv[1], 'rb').read()
step = int(sys.argv[2])
parts = data.splitlines(True) if step == 0 else \
    [data[i:i + step] for i in range(0, len(data), step)]
for p in parts:
    sys.stdout.buffer.write(p)
    sys.stdout.buffer.flush()
    time.sleep(0.0002)
E
for opt in "" -n; do
	rm -f count; hamr-tool $opt --yes <long | norm >../whole
	for step in 0 1 7; do
		rm -f count
		python3 feed.py long $step | hamr-tool $opt --yes | norm >../cut
		same "fed in pieces of $step $opt" ../whole ../cut
	done
done
ok "every line is a record" sh -c 'jq -e . ../whole >/dev/null'
ok "nothing forbidden was run" test ! -e ran2

# no stage takes for calls what is no array of them
echo '{"role":"assistant","content":"x","tool_calls":{"a":{"id":"q",
"function":{"name":"bash","arguments":"{\"command\":\"touch ran3\"}"}}}}' |
    tr -d '\n' | sed 's/$/\n/' >object
is "tool_calls that is an object has no calls" "$(hamr-tool --yes -n <object
    hamr-guard --no-config -n <object)" ""
ok "nor was it run" test ! -e ran3
done_testing

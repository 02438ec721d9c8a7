#!/bin/bash
# Which session is gone on with: the one last used, by the beginning of its id,
# never one that a repository brought (S30); what was open in it comes first.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
export TERM=xterm
loop() { hamr-loop --no-config --yes --quiet --replay script "$@" 2>err </dev/null; }
ids() { hamr-loop --sessions --json | jq -r .session; }
planted=20991231T000000Z-ffff
# a session as a repository may bring it, its call open
plant() {	# FILE CWD
	jq -cn --arg cwd "$2" '{type: "hamr", v: 1,
	    session: "20991231T000000Z-ffff", cwd: $cwd,
	    created: "2099-12-31T00:00:00Z", mode: "patch"},
	    {type: "config", set: {"agent.mode": "patch"}},
	    {type: "tools", tools: []}, {role: "system", content: "x"},
	    {role: "user", content: "planted task"}' >"$1"
	call bash '{"command":"touch pwned"}' >>"$1"
}

# --- the newest
fresh newest
{ answer "One."; answer "Two."; answer "Three."; answer "Four."; } >script
loop "first task" >/dev/null
A=$(ids)
loop "second task" >/dev/null
B=$(ids | grep -v "$A")
touch -d '1 hour ago' ".hamr/sessions/$B.ndjson"
is "the newest is the one last used" "$(ids | paste -sd' ')" "$A $B"
loop --resume "and on" >/dev/null
is "... which --resume goes on with" "$(grep -c 'and on' \
    ".hamr/sessions/$A.ndjson") $(grep -c 'and on' ".hamr/sessions/$B.ndjson")" "1 0"
plant ".hamr/sessions/$planted.ndjson" "$PWD"
is "a planted one is listed" "$(ids | head -n 1)" "$planted"
loop --resume "more" >/dev/null
is "and never the newest" "$? $(grep -c more ".hamr/sessions/$A.ndjson")" "0 1"
match "nor looked into by --inspect" "$(hamr-loop --no-config --inspect ledger)" \
    "session $A*"
mkdir -p ../only/.hamr/sessions
cp ".hamr/sessions/$planted.ndjson" ../only/.hamr/sessions
match "... unless there is no other" "$(cd ../only &&
    hamr-loop --no-config --inspect ledger)" "session $planted*"
for how in symlink hardlink fifo folder; do
	f=.hamr/sessions/$planted.ndjson
	rm -rf "$f" other
	case $how in
	symlink) plant other "$PWD"; ln -s "$PWD/other" "$f" ;;
	hardlink) plant other "$PWD"; ln other "$f" ;;
	fifo) mkfifo "$f" ;;
	folder) mkdir "$f" ;;
	esac
	is "a $how in its place is not gone on with" "$(timeout 10 hamr-loop \
	    --no-config --quiet --resume </dev/null 2>&1) $(timeout 10 hamr-loop \
	    --no-config --sessions --json | head -n 1 | jq -r .session |
	    grep -c "$A")" "$(sed -n 's/.*"type":"end".*"answer":"\([^"]*\)".*/\1/p' \
	    ".hamr/sessions/$A.ndjson" | tail -n 1) $([ $how = hardlink ] &&
	    echo 0 || echo 1)"
	timeout 10 hamr-loop --no-config --yes --quiet --replay script \
	    --resume="$planted" "go on" >out 2>err </dev/null
	st=$?
	case $st in 66 | 77) st=refused ;; esac
	is "... nor by its id" "$st $(ls -d pwned 2>&1)" \
	    "refused ls: cannot access 'pwned': No such file or directory"
done
rm -rf ".hamr/sessions/$planted.ndjson" other
ln script ".hamr/sessions/$A.lock.x"; mv -f ".hamr/sessions/$A.lock.x" ".hamr/sessions/$A.lock"
cp script before
loop --resume more >/dev/null
is "a link in place of a lock is not written to" "$? $(cmp script before)" "77 "
rm ".hamr/sessions/$A.lock"

# --- by its id a planted one is, but nothing of it is run
plant ".hamr/sessions/$planted.ndjson" "$PWD"
{ call bash '{"command":"true"}'; answer "Went on."; } >script
loop --resume="$planted" "go on" >out
is "by its id it is gone on with, its calls are not run" \
    "$(cat out) $(ls -d pwned 2>/dev/null)" "Went on. "
match "... and it is said" "$(cat err)" "*was not written here*not run*"
is "... answered as interrupted" "$(jq -r 'select(.role == "tool") |
    .meta.error' ".hamr/sessions/$planted.ndjson" | head -n 1)" interrupted

# --- nor does the model that it names count
models() { jq -rn '[inputs | .set["provider.model"]? // empty] | join(" ")' \
    ".hamr/sessions/$planted.ndjson"; }
plant ".hamr/sessions/$planted.ndjson" "$PWD"
echo '{"type":"config","set":{"provider.model":"dear"}}' \
    >>".hamr/sessions/$planted.ndjson"
{ answer "Not this."; answer "Went on."; answer "And on."; } >script
loop -o provider.model=mine --resume="$planted" "go on" >out
is "its model does not count" "$? $(models)" "0 dear mine"
hamr-loop --no-config --records --replay script --resume="$planted" \
    -o provider.model=mine >out 2>err </dev/null
is "... and a program is told whose it is, after its state" "$(jq -r \
    'select(.type == "progress") | .model // .text[-41:]' out)" "mine
calls are not run, and mode patch applies"
{ answer "Not this."; answer "Went on."; } >script
loop -o provider.model=mine --fork="$planted" "go on" >out
is "... nor in a copy, which takes what is configured later" "$(jq -n \
    '[inputs | .set["provider.model"]? // empty] | length' \
    ".hamr/sessions/$(ids | head -n 1).ndjson")" 0
rm ".hamr/sessions/$planted.ndjson"

# --- nor does its mode count in a copy
plant ".hamr/sessions/$planted.ndjson" "$PWD"
{ call bash '{"command":"true"}'; call write '{"path":"w","content":"x"}'
answer "Went on."; } >script
loop -o agent.mode=read-only --fork="$planted" "write it" >out
is "a copy of one: its mode does not count, its calls are not run" \
    "$(cat out) $(ls -d pwned w 2>/dev/null)" "Went on. "
match "... and it is said" "$(cat err)" \
    "*was not written here*not run, and mode read-only applies*"
copy=$(ids | grep -v "$planted" | head -n 1)
{ call write '{"path":"w","content":"x"}'; answer "Went on."; } >script
loop -o agent.mode=read-only --fork="$copy" --at 4 "write it" >out
is "... nor in a copy of that copy" "$(cat out) $(ls -d w 2>/dev/null) $(
    jq -rn '[inputs | .mode // .set["agent.mode"]? // empty] | unique[]' \
    ".hamr/sessions/$(ids | head -n 1).ndjson")" "Went on.  read-only"
rm ".hamr/sessions/$planted.ndjson"

# --- what stages would obey is not read to them
for order in verify request go sync cancel; do
	plant ".hamr/sessions/$planted.ndjson" "$PWD"
	echo "{\"type\":\"$order\",\"command\":\"touch pwned\"}" \
	    >>".hamr/sessions/$planted.ndjson"
	loop --resume="$planted" "go on"
	echo "$order $? $(grep -c "$planted.ndjson:7: .* never stored" err)"
done >got
{ answer "Not this."; answer "Went on."; } >script
loop --fork="$planted" "go on" >>got
is "a stored verify, go or the like is refused, and not copied" "$(cat got)" \
    "verify 65 1
request 65 1
go 65 1
sync 65 1
cancel 65 1
Went on."
rm ".hamr/sessions/$planted.ndjson" got

# --- another program's chat has no header, but is gone on with as well
printf '{"role":"%s","content":"%s"}\n' user "I am Ada." assistant Hello. \
    >.hamr/sessions/ada.ndjson
{ answer Hello.; answer "You are Ada."; } >script
is "a chat without a header" "$(loop --resume=ada "who am I?")" "You are Ada."
match "... has what was said in its request" "$(hamr-loop --no-config \
    --inspect context ada)" "*I am Ada.*You are Ada.*"
is "... and no system message behind it" \
    "$(jq -r '.role // empty' .hamr/sessions/ada.ndjson | paste -sd,)" \
    "user,assistant,user,assistant"
{ call read '{"path":"f"}'; echo '{"role":"system","content":"Be brief."}'
} >.hamr/sessions/ada.ndjson
is "calls left open before a system message" "$(loop --resume=ada "and now?") $(
    jq -r '.meta.error // .role // empty' .hamr/sessions/ada.ndjson |
    paste -sd,)" "You are Ada. assistant,system,interrupted,user,assistant"
rm .hamr/sessions/ada.ndjson

# --- a beginning of an id
is "a beginning that is the only one will do" "$(loop --resume="${A%?}")" \
    Three.
loop --resume=2 x >/dev/null
is "one of several is not" "$? $(cat err)" "2 hamr-loop: several sessions begin \
with 2, as $(ids | sed -n 1p) and $(ids | sed -n 2p); give more characters"
tail -n +2 ".hamr/sessions/$A.ndjson" >.hamr/sessions/exact.ndjson
for id in exactly exact-2; do
	echo '{"role":"user","content":"x"}' >.hamr/sessions/$id.ndjson
done
is "a whole one is, though newer ones begin with it" \
    "$(loop --resume=exact)" "$(loop --resume="$A")"
rm .hamr/sessions/exact*
is "--inspect and --export take it too" "$(hamr-loop --export openai \
    "${A%?}" >/dev/null; echo $?) $(hamr-loop --no-config --inspect ledger \
    "${A%?}" >/dev/null; echo $?)" "0 0"

# --- what was open comes before a new task
fresh open
{ jq -cn '{role: "assistant", content: null, tool_calls: [{id: "c1", type:
    "function", function: {name: "bash", arguments:
    "{\"command\":\"echo a >>log\"}"}}, {id: "c2", type: "function",
    function: {name: "bash", arguments: "{\"command\":\"echo b >>log\"}"}}],
    finish_reason: "tool_calls"}'; answer "The log has two lines."; } >script
loop "fill the log" >/dev/null
A=$(ids)
cp ".hamr/sessions/$A.ndjson" ../whole
n=$(wc -l <../whole)
{ head -n 1 script; answer "Then this."; answer "Then that."; } >next
bad=
for at in $(seq 5 "$n"); do
	head -n "$at" ../whole >".hamr/sessions/$A.ndjson"
	rm -f log
	hamr-loop --no-config --yes --json --replay next --resume="$A" "a new task" \
	    >out 2>err </dev/null
	st=$?
	calls=$(jq -r 'select(.role == "tool") | .tool_call_id' \
	    ".hamr/sessions/$A.ndjson" | sort | uniq -c | paste -sd' ')
	order=$(jq -r 'if .role == "tool" then "t" elif .content ==
	    "a new task" then "N" else empty end' ".hamr/sessions/$A.ndjson" |
	    tr -d '\n')
	[ $st = 0 ] && [[ $calls != *" 2 "* ]] &&
	    [[ $order = N* || $order = ttN* ]] || bad+=" $at:$st:$order"
done
is "cut off at each line: its calls are answered once, then comes the task" \
    "$bad" ""
cp ../whole ".hamr/sessions/$A.ndjson"
bad=
for at in $(seq 1 "$n"); do
	hamr-loop --no-config --yes --json --replay next --fork="$A" --at "$at" \
	    "a new task" >out 2>err </dev/null
	st=$?
	f=$(grep -l "\"fork_at\":${at}[,}]" .hamr/sessions/*.ndjson)
	[ $st = 0 ] && jq -se '([.[] | .tool_calls[]?.id] | length) ==
	    ([.[] | select(.role == "tool")] | length)' "$f" >/dev/null &&
	    [ "$(jq -sr --argjson at "$at" '.[$at:][] | select(.role == "tool") |
	    .meta.error // "ran"' "$f" | sort -u | grep -vc interrupted)" -le 1 ] ||
	    bad+=" $at:$st"
done
is "a fork at each line: what is open is interrupted" "$bad" ""

# --- a chat opens with what was said last
fresh chat
{ answer "First answer."; answer "Second answer."; } >script
loop "the first task" >/dev/null
cat >keys.py <<P
import sys; sys.path.insert(0, '$TOP/tests')
from terminal import Terminal
t = Terminal(['hamr-loop', '--no-config', '--replay', 'script', '--resume'])
t.sees('?2004h'); t.sees('> the first task'); t.sees('First answer.');
t.type('and then?\r'); t.sees('Second answer.')
t.sees('done'); t.type('\x04')
sys.exit(t.end())
P
python3 keys.py
is "--resume on a terminal: a chat, with the last exchange" "$? $(jq -r 'select(
    .role == "user" and .meta.by == "user") | .content' .hamr/sessions/*.ndjson |
    paste -sd' ')" "0 the first task and then?"

# --- ... as it was shown then: its last calls, what a diff changed, how it ended
fresh again
{ answer "First answer."; for i in $(seq 25); do
	call bash "{\"command\":\"echo call $i\"}"
done; call read '{"path":"f"}'
call edit '{"path":"f","old":"hello","new":"good day"}'
echo '{"type":"usage","prompt_tokens":12000,"completion_tokens":400}'
answer "It *is* done." | jq -c '.meta.model = "some-model"'; } >script
cat >keys.py <<P
import sys, re; sys.path.insert(0, '$TOP/tests')
from terminal import Terminal
t = Terminal(['hamr-loop', '--no-config', '--yes', '-o',
              'loop_guard.enabled=false', '--replay', 'script'] +
             sys.argv[1:], rows=50)
t.sees('?2004h'); t.sees('> ')
if len(sys.argv) == 1:
    t.type('one\r'); t.sees('done  '); t.type('change f\r'); t.sees('done  ')
t.sees('some-model  patch  12.4k of ')
t.type('\x04'); t.end()
text = re.sub(rb'\x1b\[[0-9;?]*[a-zA-Z]', b'', t.all).decode()
if len(sys.argv) > 1:
    a, b = text.index('... 1 earlier'), text.index('session 2')
    print(*[row.strip() for row in text[a:b].splitlines() if row.strip()
            and not re.search('call 1|call 2[0-3]', row)], sep='\n')
P
python3 keys.py || echo failed
is "--resume shows the last turn as it was shown, and where it stands" "$(
    python3 keys.py --resume | sed 's/done .*/done/; s/  *[0-9.]* s$//')" \
    "... 1 earlier turn; /export writes all of them to a file
> change f
... 7 earlier calls
bash echo call 8
bash echo call 9
bash echo call 24
bash echo call 25
read f  lines 1-1 of 1
edit f  +1 -1
1 -hello
1 +good day
It is done.
done"

# --- --fork on a terminal is a chat in a copy; /new there is a new session
cat >fork.py <<P
import sys; sys.path.insert(0, '$TOP/tests')
from terminal import Terminal
t = Terminal(['hamr-loop', '--no-config', '--yes', '--replay', 'script',
              '--fork=' + sys.argv[1]])
t.sees('?2004h'); t.sees('> change f'); t.sees('It '); t.sees('done  ')
t.type('/new\r'); t.sees('a new session')
t.type('anew\r'); t.sees('First answer.'); t.sees('done  ')
t.type('\x04'); sys.exit(t.end())
P
python3 fork.py "$(basename .hamr/sessions/*.ndjson .ndjson)"
is "--fork on a terminal, then /new" "$? $(grep -c '"fork_of"' \
    .hamr/sessions/*.ndjson | cut -d: -f2 | sort | paste -sd' ') $(grep -l anew \
    .hamr/sessions/*.ndjson | xargs grep -c '"change f"')" "0 0 0 1 0"

# --- what is open in a planted session, or in a copy, is run by no command
fresh commands
{ answer "I did it."; answer "I did nothing at all here."; } >script
mkdir -p .hamr/sessions
plant ".hamr/sessions/$planted.ndjson" "$PWD"
cp ".hamr/sessions/$planted.ndjson" ../planted
{ echo '{"role":"user","content":"/verify"}'
echo '{"type":"sync","n":7}'
until grep -qs '"n":7' out; do sleep 0.05; done; } |
    timeout 60 hamr-loop --no-config --yes --records --replay script \
    -o verification.defaultCommand=true --resume=$planted >out 2>err
is "/verify answers it" "$? $(jq -r 'select(.role == "tool" or .type ==
    "verification") | .meta.error // .status' out | paste -sd' ') $(ls pwned 2>&1)" \
    "0 interrupted passed ls: cannot access 'pwned': No such file or directory"
# not even if a header in its middle says that it was no copy
sed '1{p;s/}$/,"fork_at":0}/}' ../planted >".hamr/sessions/$planted.ndjson"
cat >fork.py <<P
import sys; sys.path.insert(0, '$TOP/tests')
from terminal import Terminal
t = Terminal(['hamr-loop', '--no-config', '--yes', '--replay', 'script',
              '--resume=$planted'])
t.sees('?2004h'); t.sees('during')
t.type('/fork\r'); t.sees('in a copy now')
t.type('and now?\r'); t.sees('done  ')
t.type('\x04'); sys.exit(t.end())
P
python3 fork.py
f=$(grep -l fork_of .hamr/sessions/*.ndjson)
order() { jq -r 'select(.role == "tool" or .content == "and now?") |
    .meta.error // .role' "$f" | paste -sd' '; ls pwned 2>/dev/null; }
is "/fork interrupts it" "$? $(order)" "0 interrupted user"
sed -i '/"assistant"/q' "$f"
loop --resume "and now?" >/dev/null
is "... also after a kill" "$? $(order)" "0 interrupted user"
{ cat ../planted; printf '{"role":"user","content":"%s"}\n' second third
} >".hamr/sessions/$planted.ndjson"
sed -i "s/'--yes'/'-o', 'agent.mode=read-only'/; s/during/> third/
    s|/fork|/fork 1|; /and now/d" fork.py
rm "$f"
python3 fork.py
is "/fork TURN takes no mode from it" "$? $(jq -rn '[inputs | .mode //
    .set["agent.mode"]? // empty] | last' "$(grep -l fork_of \
    .hamr/sessions/*.ndjson)")" "0 read-only"
cp ../planted ".hamr/sessions/$planted.ndjson"
cat >shell.py <<P
import sys; sys.path.insert(0, '$TOP/tests')
from terminal import Terminal
t = Terminal(['hamr-loop', '--no-config', '--resume=$planted'])
t.sees('?2004h'); t.sees('during'); t.type('!expr 6 "*" 7\r'); t.sees('42')
t.type('!expr 5 "*" 5\r'); t.sees('25')	# the first is written down
t.type('\x04'); sys.exit(t.end())
P
python3 shell.py
is "!COMMAND comes after what was open" "$? $(jq -r 'select(.role == "tool" or
    .meta.by == "shell") | .role' ".hamr/sessions/$planted.ndjson" |
    head -n 2 | paste -sd' ')" "0 tool user"
done_testing

#!/bin/bash
# the chat on a real pseudo-terminal, its screen read back (chapter 7.5)
. "$(dirname "$0")/../lib.sh"
if ! command -v tmux >/dev/null 2>&1; then
	skip "the chat" "tmux is not installed"
	done_testing
	exit 0
fi
. "$TOP/tests/httpd/httpd.sh"
. "$TOP/tests/loop/tmux.sh"
mkdir w && cd w && git init -q . && echo hello >file.txt
python3 -c 'import struct, sys
sys.stdout.buffer.write(b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) +
    b"IHDR" + struct.pack(">IIBBBBB", 3, 5, 8, 0, 0, 0, 0))' >"../a picture.png"
cp "../a picture.png" "my picture.png"
touch "$(printf 'steer\033[31m')"
call() {
	jq -cn --arg id "$1" --arg n "$2" --arg a "$3" '{role: "assistant",
	    content: null, tool_calls: [{id: $id, type: "function",
	    function: {name: $n, arguments: $a}}],
	    finish_reason: "tool_calls"}'
}
answer() {
	jq -cn --arg t "$1" '{role: "assistant", content: $t,
	    finish_reason: "stop"}'
}
start() {	# ARG...: the chat on 100 columns
	open_screen 100 40 "EDITOR='$T/w/ed' hamr-loop \
	    --no-config --replay script $*; echo status \$? raw \$(stty -a |
	grep -cw -e -icanon); sleep 60"
	sees "it greets${*:+ ($*)}" "hamr *  /help lists*folder *$T/w*mode *sandbox*>*"
}

{ call r1 read '{"path":"file.txt"}'; answer "The file says hello."
answer "Second answer."; call b1 bash '{"command":"sleep 1; echo done"}'
answer "Steered."; call b2 bash '{"command":"sleep 61.7"}'
answer "never"; } >script
start --yes
type_ /he Tab Enter
sees "a command completes, and helps" '*session  /new *
work     /undo *typing *'
is "... in one screen, each once" "$(screen | sed -n '/^session/,/^>/p' |
    grep -c .) $(screen | sed -n '/^session/,/^typing/p' | grep -oE '/[a-z-]+ ' |
    sort | uniq -d | wc -l)" "17 0"
type_ /nonsense Enter
sees "an unknown one is told" '*no command /nonsense; /help lists them*'
type_ /status Enter
sees "no session yet" '*begins with your first message*'
type_ 'read @fi' Tab Enter
sees "@path completes" '*read @file.txt*'
sees "a turn: its call, its answer" \
    '*read file.txt  lines 1-1 of 1*The file says hello.
done  2 steps  1 call*'
type_ '!echo hi; false' Enter
sees "!command shows its output" '*!echo hi; false
hi
exit 1

>*'
type_ 'what now?' Enter
sees "the next turn of the same session" '*Second answer.*done  1 step  *'
type_ /status Enter
sees "/status" '*session 2*, 2 turns
  model *, mode patch
*read *file.txt
*git *branch *tokens *none counted yet*'
type_ 'go on' Enter
sees "the live rows while it works" '*bash sleep 1*
>*
  patch  step 1*'
type_ '/etc/hosts, taX' BSpace BSpace 'oo'
sees "what is typed meanwhile is shown" '*
> /etc/hosts, too
  patch  step 1*'
type_ Enter
sees "it is queued" '*queued: /etc/hosts, too*1 queued, Up edits*'
type_ 'half of th'
sees "steering" '*
> /etc/hosts, too
*Steered.*'
sees "a line that was begun goes on at the prompt" '*
> half of th*'
type_ C-u
type_ /mode Space patch Enter
sees "/mode" '*the mode is now patch*'
type_ '/resume nope' Enter
sees "/resume of what is not there" '*no session nope in*'
type_ /status Enter
sees "... leaves the session that is" "*no session nope*
> /status
session 2*mode patch*"
type_ '! ' Enter
sees "! of nothing" '*usage: !COMMAND*'
type_ /compact Enter
sees "/compact" '*older results are shortened before*'
type_ /export Enter
sees "/export" '*written: /*/w/.hamr/exports/2*.html*'
type_ 'wait' Enter
sees "a long call" '*bash sleep 61.7*'
type_ C-c
sees "Ctrl-C stops the step" '*interrupted  *'
is "nothing of it is left" "$(pgrep -f '^sleep 61.7' | wc -l)" 0
type_ C-c
sees "once more at the prompt: a warning" '*press Ctrl-C again to quit*'
type_ C-c
sees "and it quits" '*to continue: hamr-loop --resume=2*status 0*'
f=$(ls .hamr/sessions/*.ndjson)
is "what it was told, in order" "$(jq -r 'select(.role == "user") |
    (.meta.by + ": " + .content) | split("\n") | join("|")' "$f")" \
    'context: file.txt, which the user mentions:||hello|
user: read @file.txt
shell: $ echo hi; false|hi|[exit 1]
user: what now?
user: go on
user: /etc/hosts, too
user: wait'
is "steering belongs to the turn under way" "$(jq -c 'select(.type == "end") |
    [.steps, .tool_calls]' "$f" | sed -n 3p) $(jq -c 'select(.meta.steering) |
    .content' "$f")" '[2,1] "/etc/hosts, too"'
is "settings are records" "$(jq -c 'select(.type == "config") | .set' "$f")" \
    '{"agent.mode":"patch"}'
is "an end for each turn" "$(jq -r 'select(.type == "end") | .status' "$f" |
    paste -sd' ')" "completed completed completed interrupted"
hamr-guard --no-config <"$f" | cmp -s - "$f"
is "a fixed point of hamr-guard" "$?" 0

# what is asked in a turn is answered in it; what was queued comes back in parts
{ call w1 write '{"path":"one","content":"1\n"}'
call b1 bash '{"command":"echo 2 >two; sleep 65.3"}'
answer "It is over now, and the files are written."; } >script
rm -rf .hamr
start --yes
type_ 'work' Enter
sees "a call that takes time" '*bash echo 2 >two; sleep 65.3*'
type_ /context Enter
sees "/context, while it runs" '*the next request: *tool descriptions *next *
*bash echo 2 >two; sleep 65.3
>*'
type_ /mo Tab
sees "a list of commands" '*> /mode *
*/model *'
type_ Enter
sees "Enter takes one and lists what it takes" '*> /mode
> read-only
*docs*'
type_ C-u C-u /compact Enter
sees "a command that has to wait does" '*queued: /compact*1 queued*'
type_ 'later' Enter
sees "and a message" '*2 queued*'
type_ draft Escape Escape
sees "interrupted, the first of them is in the input" '*interrupted *
2 queued messages were not sent; Down shows the next one

> /compact
*'
type_ Down
sees "and the second" '*
> later
*'
type_ C-u C-u /last Enter
sees "there is no answer yet" '*the model has not answered yet*'
type_ /diff Enter
sees "/diff" '*> /diff
--- /dev/null
+++ b/one
     1 +1
changed by commands: two; git status and git diff show how
*'
type_ /budget Enter
sees "/budget" '*> /budget
  window *tokens
  answer *request *one result *reading *in use *a turn *64 steps*'
type_ /undo Enter
sees "/undo lists what it would undo" '*bash echo 2 >two; sleep 65.3
  two
undo this? (y/n)*'
sleep 0.6
type_ y
sees "... and says what it undid" '*removed two

>*'
type_ C-l /diff Enter
sees "/diff is without it" '*/diff
--- /dev/null
+++ b/one
     1 +1

>*'
echo mine >one
type_ /undo Enter
sees "... and what was changed since" '*write
  one  changed since; that would be lost
undo this anyway? (y/n)*'
sleep 0.6
type_ n
sees "which it leaves alone" '*nothing was undone*'
type_ 'go on' Enter
sees "the next turn" '*It is over now*done *'
is "the model is told what was undone" "$(jq -r 'select(.type == "undo") |
    .paths[].path, .tool_call_ids[]' .hamr/sessions/*.ndjson | tr '\n' ' '
    jq -r 'select(.meta.by == "loop") | .content' .hamr/sessions/*.ndjson) $(cat one)" \
    "two b1 The user undid your last changes of two. Read it again before \
you edit it. mine"
type_ /last Enter
sees "/last" '*> /last
It is over now*'
type_ /fork Enter
sees "/fork" '*you are in a copy now, session 2*stays as it is*'
type_ /undo Enter
sees "a copy has the changes, too" '*you are in a copy now*write
  one  changed since*undo this anyway? (y/n)*'
type_ C-c
type_ /new Enter
sees "/new" '*the next message begins a new session*'
type_ /undo Enter
sees "a new session has none" '*there is no session yet*'
type_ /quit Enter
sees "the end" '*status 0*'

# Ctrl-C in what a person runs
{ call w1 write '{"path":"v","content":"v"}'; answer Written.; answer Seen.
} >script
rm -rf .hamr
start --yes -o "'verification.defaultCommand=seq 7; sleep 63.4'"
type_ '!echo out; echo err >&2; sleep 62.8' Enter
sees "it is shown as it runs, also what goes to stderr" '*
out
err*'
type_ 'next' Enter
sees "a message meanwhile" '*queued: next*'
type_ C-c
sees "Ctrl-C ends it, and the message comes back" '*interrupted

> next
*'
type_ C-u
type_ /verify Enter
sees "/verify says that it runs, and the last it printed" '*
? 0:0? *sleep 63.4
    3
    4
    5
    6
    7
>*'
type_ 'next' Enter Escape
sees "... and is stopped; what it printed stays" '*
  checked with seq 7; sleep 63.4: failed
    1
    2
    3
    4
    5
    6
    7
stopped

> next
*'
type_ C-u
type_ 'write v' Enter
sees "the live rows say what is verified" '*verifying: seq 7; sleep 63.4
    3
*step 3*'
type_ C-c
sees "... and Ctrl-C ends the turn" '*interrupted  *

>*'
is "nothing of them is left" "$(pgrep -f '^sleep 6[23]\.[48]' | wc -l)" 0
is "the model is told" "$(jq -r 'select(.meta.by == "shell") | .content' \
    .hamr/sessions/*.ndjson | paste -sd'|')" \
    '$ echo out; echo err >&2; sleep 62.8|out|err|[interrupted]'
type_ "!seq 19999 | tail -n +2; echo \$'\\e[31m20000\\e[m'; kill -9 \$\$" Enter
sees "a signal is told as one, colours are not" '*20000
signal 9

>*'
is "of much output the first and the last" "$(jq -r 'select(.meta.by == "shell")
    | .content' .hamr/sessions/*.ndjson | tail -n +5 |
    sed -n '2p; /left out/p' | tr '\n' ' ') $(jq -r 'select(.meta.by ==
    "shell") | .content' .hamr/sessions/*.ndjson | tail -n 2 | tr '\n' ' ')" \
    "2 [92508 bytes are left out here]  20000 [signal 9] "
type_ '!exec >log; sleep 1; echo done; exit 3' Enter
sees "one that closes its output runs to its end" '*echo done; exit 3
exit 3

>*'
type_ '!sleep 66.2 >/dev/null 2>&1 & echo $! >bg' Enter
sees "what was put into the background" '*echo $! >bg

>*'
until [ -s bg ]; do sleep 0.05; done	# the row of what runs may come late
is "... goes on" "$(cat log) $(kill "$(cat bg)" && echo ended)" "done ended"
type_ C-d
sees "end" '*status 0*'

# @path: images are shown
long=$(for i in $(seq 40); do printf 'word%s ' "$i"; done)
{ answer "A picture."; call l1 read '{"path":"."}'
call l2 read '{"query":"hello"}'; call w1 write '{"path":"n","content":"a\nb\n"}'
call b1 bash "{\"command\":\"$(printf 'true %.0s' $(seq 40)); true\"}"
answer "$long
Two."; } >script
rm -rf .hamr
start --yes
type_ 'see @my' Tab
sees "a name with a blank completes" '*see @my\\ picture.png*'
type_ 'and mail@file.txt' Enter
sees "an image is shown" '*my picture.png is shown to the model: PNG, 3 x 5*A picture.*'
type_ '@steer' Tab Tab ' x' Enter
sees "a name that would steer the terminal is not offered" '*> @steer x
*Two.*'
match "... and what is no file is said" "$(screen)" \
    "*@steer is not a file here; only the word is sent*"
match "a list and a search are told in a word" "$(screen)" \
    '*read .  [4-9] entries*read hello  [1-9] match*write n  +2 -0*
     1 +a
     2 +b*'
is "lines end between words, calls are one line" "$(screen |
    grep -cE '^word[0-9]+ .* word[0-9]+$') $(screen |
    grep -cE '^  bash true .*(…|\.\.\.)(  [0-9.]+ s)?$')" "3 1"
is "the text and the image" "$(jq -c 'select(.role == "user") | .content |
    if type == "array" then map(.type), .[0].text, .[1].image_url.url[0:30]
    else . end' .hamr/sessions/*.ndjson | paste -sd'|')" \
    '["text","image_url"]|"see @my\\ picture.png and mail@file.txt"|"data:image/png;base64,iVBORw0K"|"@steer x"'
echo KEY=1 >.env
seq 20000 >big
mkdir folder && echo note >"$HOME/note"
type_ "what is @$T/a\\ picture.png, @.env, @folder, @~/note, @big, @big?" Enter
sees "a person may name one elsewhere" '*/a picture.png is shown to the model*
  not sent: .env is protected from reading and writing
  @folder is not a file here; only the word is sent
  not sent: */note is outside the root*
  sent along: big, its first 32 KiB*'
is "... and no more, once" "$(grep -c '"big, which' .hamr/sessions/*.ndjson
jq -r 'select(.meta.from == "mention") | .content |
    length, (split("\n") | .[0], .[-2])' .hamr/sessions/*.ndjson |
    tail -n 3)" "1
32826
big, which the user mentions:
[76126 more bytes in big]"
echo 1 >'end '
type_ 'and @end\ ' Enter
sees "a name may end in a blank" '*  sent along: end
*'
rm .env big 'end '
type_ C-d
sees "and quits" '*status 0*'

# /model lists what the server offers, and waits for nobody
printf 'path /v1/models\nsleep 500\nbody {"data":[{"id":"one"},{"id":"two-b"}]}\n' \
    >models
httpd_start log models || exit 1
rm -rf .hamr
open_screen 100 40 "COLORTERM=truecolor hamr-loop \
    --no-config -o ui.theme=light --base-url \
    http://127.0.0.1:$HTTPD_PORT/v1; echo status \$?; sleep 60"
sees "a chat" '*/help lists*>*'
match "in colours for a light background" "$(tm capture-pane -e -p -t c)" \
    *'[38;5;241m'*
type_ '/model' Enter
sees "/model asks the server" '*asking the server for its models*'
sees "... and lists them" '*> /model
> one
  two-b*'
type_ Down Enter
sees "Enter takes one" '*the model is now two-b*'
type_ '/model three' Enter
sees "one that it does not have is told" '*the model is now three
the server does not list that model; /model shows those it has*'
type_ '/model one' C-j 'of them'
sees "a name" '*> /model one
  of them*'
type_ Enter
sees "... is one line" '*> /model one
  of them
usage: /model NAME*'
type_ '/model one' Enter
sees "another that it has" '*it has*the model is now one*'
is "... is not" "$(screen | grep -c 'does not list')" 1
type_ C-d
sees "the end" '*status 0*'
httpd_stop

# the server's window, less what is kept for the answer, is shown in each turn
printf 'path /v1/models\nbody {"data":[{"id":"one","max_model_len":32768}]}\n' \
    >models
printf 'method POST\nbody {"choices":[{"message":{"content":"There is nothing to do in this repository."},"finish_reason":"stop"}],"usage":{"prompt_tokens":700,"completion_tokens":50}}\n' >said
httpd_start log models said || exit 1
rm -rf .hamr
open_screen 100 40 "hamr-loop --no-config --model one \
    --base-url http://127.0.0.1:$HTTPD_PORT/v1; sleep 60"
sees "a chat" '*sandbox*>*'
type_ 'look' Enter
sees "the server's window" '*done *  750 of 24.6k*'
type_ 'look' Enter
sees "... in the next turn, too" '*done *done *  750 of 24.6k*'
type_ '/cost' Enter
sees "/cost counts both" '*tokens *1,400 in, 0 of them cached; 100 out; 2 requests*cost *unknown*'
httpd_stop

# the terminal goes away, or the machine
call b1 bash '{"command":"sleep 64.6"}' >script
for sig in TERM HUP; do
	rm -rf .hamr
	start --yes
	type_ wait Enter
	sees "a long call" '*bash sleep 64.6*'
	kill -"$sig" "$(cat .hamr/sessions/*.lock)"
	sees "SIG$sig in a turn ends the chat, the terminal is as it was" \
	    '*interrupted*status 130 raw 0*'
	is "... with an end record, and nothing running" "$(tail -n 1 \
	    .hamr/sessions/*.ndjson | jq -r .status) $(pgrep -fc '^sleep 64.6')" \
	    "interrupted 0"
done

# Ctrl-C while the session opens: the turn ends, the next one is whole
answer "Not too late." >script
printf '#!/bin/sh\nuntil [ -e awake ]; do sleep 0.1; done\nexec hamr-tool "$@"\n' \
    >slow
chmod +x slow
rm -rf .hamr
start "-o 'stages.tool=[\"./slow\"]'"
type_ one Enter
for _ in $(seq 600); do
	grep -qs '"type":"hamr"' .hamr/sessions/*.ndjson && break
	sleep 0.05
done
type_ C-c
sees "Ctrl-C while the session opens" '*interrupted  *'
touch awake
type_ two Enter
sees "... the next turn" '*Not too late.*done  1 step  *'
is "... has what it begins with, where it belongs" "$(jq -r 'select(.role or
    .type == "end") | .role // .status' .hamr/sessions/*.ndjson | paste -sd,)" \
    "system,user,interrupted,user,assistant,completed"

# several lines pasted at once are one message
answer "One message." >script
rm -rf .hamr
start --yes
printf 'first line\nsecond line\n' >paste
tm load-buffer paste && tm paste-buffer -t c
sees "a paste of two lines waits for Enter" '*> first line
  second line*'
type_ Enter
sees "a paste of two lines" '*One message.*done  1 step  *'
is "... is one message" "$(jq -r 'select(.role == "user") | .content' \
    .hamr/sessions/*.ndjson)" "first line
second line"
type_ C-d
sees "Ctrl-D quits" '*status 0*'
{ answer "As it was."; answer Größe.; } >script
rm -rf .hamr
LC_ALL=C start --yes
printf 'all:\n\tcc x.c\n/quit\n\033\001\ttäb\n' >paste
tm load-buffer paste && tm paste-buffer -p -t c
sees "a paste that the terminal marks waits for Enter" '*> all:
  *cc x.c
  /quit
*täb*'
type_ ' end' Enter
sees "... is sent" '*täb end*As it was.*done  1 step  *'
is "... with its tabs, and without what steers" "$(jq -c 'select(.role ==
    "user") | .content' .hamr/sessions/*.ndjson)" \
    '"all:\n\tcc x.c\n/quit\n\ttäb end"'
type_ 'wie groß ist 日本?' Enter
sees "without a locale" '*> wie groß ist 日本\?*Größe.*done  1 step  *'
is "... too it is UTF-8" "$(jq -r 'select(.role == "user") | .content' \
    .hamr/sessions/*.ndjson | tail -n 1)" 'wie groß ist 日本?'
type_ C-d
sees "the end" '*status 0*'

# Ctrl-Z and fg: the terminal is given back, and taken again
{ call z1 bash '{"command":"for i in $(seq 600); do [ -e go ] && break; sleep 0.1; done"}'
answer "Went on."; } >script
rm -rf .hamr
open_screen 100 40 "PS1='sh: ' exec bash --norc --noprofile"
sees "a shell" '*sh:*'
type_ 'hamr-loop --no-config --yes --replay script' Enter
sees "with a chat" '*/help lists*sandbox*>*'
type_ hello
sees "a line is begun" '*> hello*'
type_ C-z
sees "Ctrl-Z at the prompt stops it" '*Stopped*sh:*'
type_ fg Enter
sees "fg shows the line again" '*sh: fg*> hello*'
type_ C-a X
sees "which is edited as before" '*sh: fg*> Xhello*'
type_ Enter
sees "a long call" '*bash for i*step 1*'
type_ C-z
sees "Ctrl-Z in a turn" '*Stopped*Stopped*sh:*'
type_ 'echo raw $(stty -a | grep -cw -e -icanon)' Enter
sees "gives the terminal back" '*raw 0*sh:*'
type_ fg Enter
sees "fg shows the live rows" '*raw 0*sh: fg*bash for i*step 1*'
type_ C-z
sees "once more" '*Stopped*Stopped*Stopped*sh:*'
type_ bg Enter
sees "in the background it draws nothing" '*sh: bg*&*
sh:*'
type_ fg Enter
sees "until it is in front" '*sh: bg*sh: fg*bash for i*step 1*'
type_ more
sees "and what is typed into them" '*> more
  patch  step 1*'
type_ Enter
touch go
sees "it goes on" '*Went on.*'
is "nothing is lost" "$(jq -r 'select(.role == "user") | .content' \
    .hamr/sessions/*.ndjson | paste -sd' ')" "Xhello more"

# a person is asked
cat >ed <<'X'
#!/bin/sh
sed -i 's/bad/good/' "$1"
X
chmod +x ed
{ call w1 write '{"path":"a","content":"x\n"}'
call w2 write '{"path":"b","content":"bad\n"}'
call w3 write '{"path":"c","content":"c\n"}'
call e1 edit '{"path":"c","old":"c","new":"d"}'
call w4 write '{"path":"z","content":"z\n"}'
answer "Asked."; } >script
rm -rf .hamr
start
# a key answers when none came for half a second before it
answers_() { sleep 0.6; type_ "$@"; }
type_ 'do it' Enter
sees "the diff and a question" '*+x*n no;*allow this write?*'
answers_ n
sees "the next one" '*+bad*allow this write?*'
answers_ e
sees "the third" '*+c*allow this write?*'
answers_ a
sees "what will be allowed" '*always allow: edit and write c  (Enter)*'
type_ Enter
sees "no question for a file always allowed" '*+z*allow this write?*'
type_ 'one line' M-x Enter
sees "a message meanwhile" '*allow this write?*queued: one line*'
answers_ y
sees "the answer" '*Asked.*'
is "no, edited, always, yes" "$(ls a b c z 2>&1 | paste -sd' ') $(cat b c z |
    paste -sd' ')" "ls: cannot access 'a': No such file or directory b c z good d z"

# --- what /mode and /model say outranks a flag, in other sessions, too
for i in 1 2 3 4 5; do
	jq -cn '{type: "usage", prompt_tokens: 9, completion_tokens: 1, cost: 2}'
	answer "Answer $i."
done >script
rm -rf .hamr
start --mode patch --model one
type_ 'begin' Enter
sees "a session" '*Answer 1.*one  patch*'
type_ '/mode docs' Enter
sees "another mode" '*the mode is now docs*'
type_ '/model "two"' Enter
sees "another model" '*the model is now two*'
type_ '/fork' Enter
sees "a copy has them" '*you are in a copy now*  two  docs*'
type_ '/new' Enter
sees "a new session" '*the next message begins a new session*'
type_ 'again' Enter
sees "has them, too" '*> again*done *
  two  docs*$2.00*'
type_ 'more' Enter
sees "its cost" '*$4.00*'
type_ '/fork 1' Enter
sees "a copy up to a turn shows that turn, and its cost" '*> /fork 1

> again
*you are in a copy*, up to turn 1*$2.00*'
is "so it says" "$(for f in .hamr/sessions/*.ndjson; do jq -rn '[inputs |
    .model // .set["provider.model"]? // empty] | last' "$f"; done |
    paste -sd' ') $(tail -qn +1 .hamr/sessions/*.ndjson |
    jq -r 'select(.type == "hamr") | .mode' | sort | paste -sd' ')" \
    "two two two two docs docs patch patch"
done_testing

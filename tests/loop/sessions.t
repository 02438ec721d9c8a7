#!/bin/bash
# sessions: listed, branched, looked into; the doctor (chapter 7.4)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/httpd/httpd.sh"
at_end() { httpd_stop; }
mkdir w && cd w && git init -q . && echo hello >f
answer() {
	jq -cn --arg t "$1" '{role: "assistant", content: $t,
		finish_reason: "stop"}'
}
read_f='{"role":"assistant","content":null,"tool_calls":[{"id":"r1","type":"function","function":{"name":"read","arguments":"{\"path\":\"f\"}"}}],"finish_reason":"tool_calls"}'
{ echo "$read_f"; answer "It says hello."; answer "Second."; answer "Third."
} >script
loop() { hamr-loop --no-config --quiet "$@" </dev/null; }

status "no session yet: 66" 66 hamr-loop --no-config --sessions
status "... nothing to inspect: 66" 66 hamr-loop --no-config --inspect ledger
loop --replay script "what does f
say" >/dev/null
A=$(basename .hamr/sessions/*.ndjson .ndjson)
is "--sessions --json" "$(loop --sessions --json | jq -c \
    '[.session, .task, .status, .steps, (.age_s < 60)]')" \
    "[\"$A\",\"what does f say\",\"completed\",2,true]"
match "--sessions: a table" "$(loop --sessions)" \
    "SESSION*STATUS*STEPS*AGE*TASK*
$A *completed *2 *s  what does f say"
narrow=$(script -qec "stty cols 62; hamr-loop --no-config --sessions" \
    /dev/null </dev/null)
match "... cut at the edge of a terminal" "$narrow" \
    "SESSION*
$A *completed *2 *s  what d…?"
touch -d "2 seconds ago" ".hamr/sessions/$A.ndjson"
loop --replay script "x$(printf '\033')[31mred" >/dev/null
is "newest first" "$(loop --sessions --json | jq -r .session | tail -n 1)" "$A"
match "what a task holds cannot steer the terminal" "$(loop --sessions)" \
    '*x\\x1b[[]31mred*'

# ---- a branch ----

n=$(wc -l <".hamr/sessions/$A.ndjson")
is "--fork with a new task" "$(loop --fork="$A" --replay script "and now?")" \
    "Second."
B=$(loop --sessions --json | jq -r 'select(.task == "what does f say") |
    .session' | grep -v "$A")
is "its header is its own" "$(head -n 1 ".hamr/sessions/$B.ndjson" |
    jq -r '.session + " " + .fork_of')" "$B $A"
tail -n +2 ".hamr/sessions/$B.ndjson" | head -n $((n - 1)) >got
tail -n +2 ".hamr/sessions/$A.ndjson" >want
same "then it is the other, byte for byte" got want
is "the other stays as it was" "$(wc -l <".hamr/sessions/$A.ndjson")" "$n"
hamr-guard --no-config <".hamr/sessions/$B.ndjson" |
    cmp -s - ".hamr/sessions/$B.ndjson"
is "a fixed point of hamr-guard" "$?" 0
at=$(grep -n '"role":"user"' ".hamr/sessions/$A.ndjson" | cut -d: -f1)
{ echo "$read_f"; answer "Another way."; } >other
is "--at LINE: from there on anew" "$(loop --fork="$A" --at "$at" \
    --replay other)" "Another way."
at=$(grep -n '"type":"start"' ".hamr/sessions/$A.ndjson" | cut -d: -f1)
{ answer "never"; answer "It was cut off."; } >other
loop --json --fork="$A" --at "$at" --replay other >out
is "a call that was under way is interrupted" "$(jq -r 'select(.role ==
    "tool") | .meta.error' out) $(tail -n 1 out | jq -r .answer)" \
    "interrupted It was cut off."
is "the first line names the new session" "$(head -n 1 out |
    jq -r '.type + " " + .session + " " + .fork_of')" \
    "hamr $(loop --sessions --json | jq -r .session | head -n 1) $A"
hamr-loop --no-config --fork="$B" </dev/null >out 2>named
is "without a task the copy is named" "$(cat out) $(sed 's/.* //' named)" \
    "Second. $(loop --sessions --json | jq -r .session | head -n 1)"
before=$(loop --sessions | wc -l)
status "--at past the end: 2" 2 hamr-loop --no-config --fork="$A" --at 9999 x
status "--at 0: 2" 2 hamr-loop --no-config --fork="$A" --at 0 x
status "--at without --fork: 2" 2 hamr-loop --no-config --at 3 x
kept=$(ls .hamr/sessions)
status "--at in front of the task, and no other: 2" 2 hamr-loop --no-config \
    --fork="$A" --at 1
match "... is told, and not to go on with what is not kept" "$(cat "$T/.err")" \
    "hamr-loop: there is no task yet where the fork begins; *--fork=$A *"
is "... as nothing is" "$(ls .hamr/sessions)" "$kept"
status "--fork of nothing: 66" 66 hamr-loop --no-config --fork=nope x
status "--fork of a path: 2" 2 hamr-loop --no-config --fork=../x x
is "nothing is left of these" "$(loop --sessions | wc -l)" "$before"

# a transcript of ours that has no header, as a pipeline writes one
mkdir -p headless/.hamr/sessions && git init -q headless
answer "One." >headless/script
cd headless || exit 1
echo '{"role":"user","content":"count"}' >.hamr/sessions/pipeline.ndjson
loop --fork=pipeline --replay script >out 2>err
is "a fork gets a header of its own" "$? $(cat out) $(
    cat .hamr/sessions/2*.ndjson | jq -r '.fork_of // .content' | head -n 2 |
    paste -sd,) $(loop --resume)" "0 One. pipeline,count One."
cd .. && rm -r headless

# ---- a flag that says otherwise than the session did ----

w='{"role":"assistant","content":null,"tool_calls":[{"id":"w1","type":"function","function":{"name":"write","arguments":"{\"path\":\"n\",\"content\":\"x\\n\"}"}}],"finish_reason":"tool_calls"}'
{ answer "First of all, hello."; echo "$w"; answer "It cannot be written."
} >other
loop --replay other flags >/dev/null
C=$(loop --sessions --json | jq -r 'select(.task == "flags") | .session')
loop --json --yes --mode read-only --model m2 --replay other --resume="$C" y \
    >out
is "--mode and --model of a resume are config records" "$(jq -c \
    'select(.type == "config") | .set' out | paste -sd' ')" \
    '{"agent.mode":"read-only"} {"provider.model":"m2"}'
is "... and obeyed" "$(jq -r 'select(.role == "tool") | .meta.error' out)" \
    denied
answer "Third thing said." >>other
is "they stand, and are not repeated" "$(loop --json --mode read-only \
    --replay other --resume="$C" z | jq -c 'select(.type == "config")')" ""
hamr-guard --no-config <".hamr/sessions/$C.ndjson" |
    cmp -s - ".hamr/sessions/$C.ndjson"
is "a fixed point of hamr-guard, too" "$?" 0
# killed between a new mode and the tools of that mode
echo '{"type":"config","set":{"agent.mode":"docs"}}' \
    >>".hamr/sessions/$C.ndjson"
{ answer "Fourth thing said."; answer "Fifth thing said."; } >>other
is "a new mode gets its tools, also after kill -9" "$(loop --json \
    --replay other --resume="$C" z | jq -c 'select(.type == "tools") |
    .tools | map(.function.name) | index("edit") != null')" true
is "... once" "$(loop --json --replay other --resume="$C" z |
    jq -c 'select(.type == "tools")')" ""

# ---- looking into one ----

loop --inspect context "$A" >out
is "--inspect context: the request" "$(jq -c '[.type, .messages[-1].content]' \
    out)" '["request","It says hello."]'
ok "expanded, one member a line" test "$(wc -l <out)" -gt 15
is "the same as hamr-compact says" "$(jq -c . out)" \
    "$(hamr-compact --no-config -n ".hamr/sessions/$A.ndjson" | jq -c .)"
match "--inspect budget" "$(loop --inspect budget "$A")" "*131072*"
match "... of the configuration, without a session" "$(cd "$T" && mkdir v &&
    cd v && loop -o context.context_budget_tokens=50000 --inspect budget)" \
    "*50000*"
status "--inspect something else: 2" 2 hamr-loop --no-config --inspect it
status "--inspect of nothing: 66" 66 hamr-loop --no-config --inspect \
    context nope
listed() { loop --sessions --json | jq -r 'select(.session == "00") | .status'; }
head -n 4 ".hamr/sessions/$A.ndjson" | head -c -1 >.hamr/sessions/00.ndjson
is "a session cut short by a crash can be resumed" "$(listed)" unfinished
sed -i '2s/.*/{/' .hamr/sessions/00.ndjson
is "a damaged session is listed as such" "$(listed)" damaged

# a crash left half a line, or it is being written
loop --inspect ledger "$A" >ledger
loop --export openai "$A" >openai
printf '{"role":"assist' >>".hamr/sessions/$A.ndjson"
for v in 'inspect ledger' 'export openai'; do
	loop --${v% *} "${v#* }" "$A" >cut
	is "--$v without it" "$?" 0
	same "... is the same" cut "${v#* }"
done
loop --inspect context "$A" >cut
is "--inspect context, too" "$(jq -c '[.type, .messages[-1].content]' \
    cut)" '["request","It says hello."]'
is "--fork, too" "$(loop --fork="$A" 2>/dev/null)" "It says hello."
sed '2s/.*/{/' ".hamr/sessions/$A.ndjson" >.hamr/sessions/00.ndjson
for v in budget ledger context; do
	status "--inspect $v: damage elsewhere is told: 65" 65 \
	    hamr-loop --no-config --inspect $v 00
done
match "... and where" "$(loop --inspect ledger 00 2>&1)" \
    "hamr-loop: *00.ndjson:2: *"
sed '1s/"v":1/"v":2/' ".hamr/sessions/$A.ndjson" >.hamr/sessions/00.ndjson
match "... and another version" "$(loop --inspect ledger 00 2>&1)" \
    '*"v" is not 1*'
rm .hamr/sessions/00.ndjson
truncate -s -15 ".hamr/sessions/$A.ndjson"

# ---- the doctor ----

loop --doctor --base-url http://127.0.0.1:9/v1 --model m >out 2>err
is "--doctor without a server: 1, nothing on stderr" "$? $(cat err)" "1 "
is "a line for each" "$(awk '{print $2}' out | sort -u | tr '\n' ' ')" \
    "bash bwrap configuration disk git hamr-compact hamr-guard hamr-loop hamr-mem hamr-provider hamr-tool model sandbox sessions "
match "with the remedy" "$(grep MISSING out)" \
    "MISSING*model server*127.0.0.1:9*--base-url*"
printf 'status 401\nbody {"error":{"message":"no"}}\n' >s
httpd_start log s || exit 1
loop --doctor -o "provider.base_url=http://127.0.0.1:$HTTPD_PORT/v1" >out
match "a server that refuses the key is told from none" "$(grep 'model server' \
    out)" "MISSING*HTTP 401*the key*"
loop --doctor -o "provider.base_url=http://127.0.0.1:$HTTPD_PORT/v1" \
    -o provider.api_key_env=NO_SUCH_VARIABLE >out
is "a key that is missing: no server needs to be started" "$(grep \
    'model server' out | sed 's/.*server *//')" "provider.api_key_env: \
NO_SUCH_VARIABLE is not set in the environment; export it"
httpd_stop
printf 'head\nhang\n' >s
httpd_start log s || exit 1
hamr-loop --no-config --doctor --base-url "http://127.0.0.1:$HTTPD_PORT/v1" \
    >known 2>err &
pid=$!
for _ in $(seq 80); do grep -q bwrap known && break; sleep 0.1; done
is "what is known is printed while a server is waited for" \
    "$(grep -c -e bwrap -e disk known)" 1
kill $pid
wait $pid
httpd_stop
mkdir -p "$XDG_CONFIG_HOME/hamr"
echo '[provider' >"$XDG_CONFIG_HOME/hamr/config.toml"
hamr-loop --doctor >out 2>err
is "a configuration that cannot be read: 1" "$? $(cat err)" "1 "
match "... is a line among the others" "$(grep -e disk -e configuration out)" \
    "MISSING  configuration  $XDG_CONFIG_HOME/hamr/config.toml:1: *ok *disk *"
rm "$XDG_CONFIG_HOME/hamr/config.toml"
HAMR_SHARE=$T/none loop --doctor --replay out >out
match "missing data files" "$(grep -v ^ok out)" "MISSING  data files *$T/none/*"

mkdir "$T/so" "$T/tmux" && for l in md4c.so.0 utf8proc.so.2 utf8proc.so.3; do
	echo none >"$T/so/lib$l"
done
match "a library that the chat draws with is missing" \
    "$(LD_LIBRARY_PATH=$T/so loop --doctor --replay script | grep -v ^ok)" \
    "note *md4c *not installed*apt install libmd4c0
note *utf8proc *not installed*apt install libutf8proc-dev"
printf '#!/bin/sh\necho 500\n' >"$T/tmux/tmux" && chmod +x "$T/tmux/tmux"
match "tmux holds back Esc" "$(TMUX=x PATH=$T/tmux:$PATH loop --doctor \
    --replay script | grep -v ^ok)" "note *tmux *500 ms; *escape-time 10*"
status "an option in the place of a value: 2" 2 hamr-loop --fork --yes
match "... is told" "$(cat "$T/.err")" "*--fork needs a value, not --yes*"

# a run that cannot begin
mkdir "$T/begin" && cd "$T/begin" && git init -q .
hamr-loop --no-config -o 'stages.tool=[]' x 2>err
is "a run that cannot begin leaves no session" "$? $(ls .hamr/sessions)" "78 "
hamr-loop --no-config -o 'stages.guard=["hamr-guard", "hamr-gaurd -n"]' x 2>err
is "nor one with a stage that is not there" "$? $(ls .hamr/sessions)" "78 "
is "... which is named" "$(cat err)" \
    "hamr-loop: -o: stages.guard: no program hamr-gaurd in PATH"
# --- a --fork that is killed, at its first system call with the copy on disk
mkdir "$T/killed" && cd "$T/killed" && git init -q .
echo '{"role":"user","content":"x"}' >one.ndjson
low=1 high=1000
while [ -x "$OBJ/torture/killat" ] && [ "$low" -lt "$high" ]; do
	k=$(((low + high) / 2))
	rm -rf calls .hamr
	mkdir -p .hamr/sessions
	cp one.ndjson .hamr/sessions
	{ timeout 30 "$OBJ/torture/killat" calls $k hamr-loop --no-config \
	    --fork=one </dev/null; } >out 2>&1
	if cat .hamr/sessions/2*.ndjson 2>/dev/null | grep -q .; then
		high=$k
		left=$(jq -rs '[.[0].fork_at, length] | join(" of ")' \
		    .hamr/sessions/2*.ndjson)
	else
		low=$((k + 1))
	fi
done
if [ -x "$OBJ/torture/killat" ]; then
	is "a killed --fork has each line that its header counts" "$left" "2 of 2"
else
	skip "a killed --fork" "no obj/torture/killat"
fi

done_testing

#!/bin/bash
# loop.t - hamr-loop as a turnkey agent, with scripted models.
. "$(dirname "$0")/../lib.sh"
S=$TOP/tests/data/loop

fresh() {	# a new repository in $1
	mkdir "$1" && cd "$1" && git init -q . && mkdir d && echo x >d/x
}
roles() {	# role records without system, context and meta
	jq -c 'select(.role and .role != "system" and
	    (.meta.by != "context")) | del(.meta)' "$@"
}
session() { ls .hamr/sessions/*.ndjson | tail -n 1; }

fresh run
hamr-loop --no-config --yes --replay "$S/two-calls.ndjson" "change it" \
    >answer 2>progress
is "a run completes" "$?" 0
is "the answer is on stdout" "$(cat answer)" "The file says goodbye."
is "tools really ran" "$(cat marks new.txt | tr '\n' ' ')" "one two goodbye "
match "progress is on stderr" "$(cat progress)" "*bash echo one >>marks*exit 0*"
jq -e . "$(session)" >/dev/null
is "the session is NDJSON" "$?" 0
is "its first record" "$(head -n 1 "$(session)" | jq -r '.type, .v, .mode' |
    tr '\n' ' ')" "hamr 1 patch "
is "one end record, last" "$(jq -r .type "$(session)" | grep -nc '^end$') $(
    tail -n 1 "$(session)" | jq -r .type)" "1 end"
is "end: status, steps, calls" "$(tail -n 1 "$(session)" |
    jq -r '[.status, .steps, .tool_calls] | join(" ")')" "completed 5 6"
is "end: what its commands ran in, in a word" "$(tail -n 1 "$(session)" |
    jq -r .sandbox | sed 's/, .* not limited$//')" \
    "$(jq -r 'select(.name == "bash") | .meta.sandbox' "$(session)" | sort -u)"
is "end: files changed" "$(tail -n 1 "$(session)" |
    jq -c .files_changed)" '["marks","new.txt"]'
is "a start before every result" "$(jq -r 'select(.type == "start" or
    .role == "tool") | (.type // "result") + " " + .tool_call_id' \
    "$(session)" | tr '\n' ';')" \
    "start c1;result c1;start c2;result c2;start c3;result c3;start c4;result c4;start c5;result c5;start c6;result c6;"
hamr-guard --no-config <"$(session)" | cmp -s - "$(session)"
is "a session is a fixed point of hamr-guard" "$?" 0
hamr-loop --no-config --resume >again 2>&1
is "a completed session says its answer" "$? $(cat again)" \
    "0 The file says goodbye."
hamr-loop --no-config --json --resume >again 2>&1
is "... or with --json its end record" "$? $(cat again)" \
    "0 $(tail -n 1 "$(session)")"
cd ..

fresh out
jq -cn '{role: "assistant", content: null, tool_calls: [{id: "c",
    type: "function", function: {name: "bash",
    arguments: "{\"command\":\"echo 1 >y\"}"}}],
    finish_reason: "tool_calls"}' >../script
jq -cn '{role: "assistant", content: "I wrote 1 to the file y in the root.",
    finish_reason: "stop"}' >>../script
hamr-loop --no-config --yes --json --replay ../script x >o.json 2>e.txt
is "where our own output goes is no work of a command" \
    "$(tail -n 1 o.json | jq -c .files_changed)" '["y"]'
is "and what changed is known" "$(tail -n 1 o.json | jq .files_unknown)" null
rm -rf .hamr/snap.git/objects; : >.hamr/snap.git/objects
hamr-loop --no-config --yes --json --replay ../script x >o.json 2>e.txt
is "but not without a snapshot" \
    "$(tail -n 1 o.json | jq -c '[.files_changed, .files_unknown]')" \
    '[[],true]'
match "a person is told, too" "$(cat e.txt)" "*: what the commands changed is \
not known, as no snapshot could be made"
hamr-loop --no-config --yes --json --mode patch --replay ../script x >o.json \
    2>e.txt
is "nobody says that nothing changed" "$? $(tail -n 1 o.json | jq -c .status)" \
    '0 "completed"'
cd ..

fresh keys
mkdir -p "$XDG_CONFIG_HOME/hamr"
printf '[provider.far]\napi_key_env = "FAR_KEY"\n' \
    >"$XDG_CONFIG_HOME/hamr/config.toml"
cat >seen <<X
#!/bin/sh
env | grep -E 'KEY=' >>$PWD/env
exec hamr-\${0##*/seen-} "\$@"
X
chmod +x seen && for s in guard compact tool mem; do ln -s seen seen-$s; done
OPENAI_API_KEY=a1 ANTHROPIC_API_KEY=a2 GEMINI_API_KEY=a3 OLLAMA_API_KEY=a4 \
    FAR_KEY=a5 OTHER_KEY=b hamr-loop --yes --quiet --replay \
    "$S/two-calls.ndjson" -o "stages.guard=['$PWD/seen-guard']" \
    -o "stages.compact=['$PWD/seen-compact']" \
    -o "stages.tool=['$PWD/seen-tool']" -o "stages.mem=['$PWD/seen-mem']" x \
    >/dev/null
is "keys are the provider's alone, of every server" "$(sort -u env)" OTHER_KEY=b
rm -r "$XDG_CONFIG_HOME/hamr"
cd ..

fresh json
hamr-loop --no-config --yes --json --replay "$S/two-calls.ndjson" "change it" \
    >out 2>err
is "--json: last line" "$(tail -n 1 out | jq -r .status)" completed
jq -c 'select(.type != "delta" and .type != "output" and
    .type != "progress")' out >stored
jq -c . "$(session)" | cmp -s - stored
is "--json: every committed record, in order" "$?" 0
is "--json: nothing on stderr" "$(said_in err)" ""
cd ..

# The pipeline of the manual and hamr-loop say the same.
fresh mini
"$TOP/examples/mini-loop.sh" "change it" --replay "$S/two-calls.ndjson" \
    >out 2>err
is "mini-loop: ends well" "$? $(cat out)" "0 The file says goodbye."
roles t >"$T/mini.roles"
cd ../run || exit 1
roles "$(session)" >"$T/loop.roles"
same "mini-loop and hamr-loop: the same role records" "$T/loop.roles" \
    "$T/mini.roles"
cd ..

# ---- statuses and limits ----
fresh unlimited
status "no task" 2 hamr-loop </dev/null
match "no task says what to do" "$(cat "$T/.err")" "*no task; say*"
is "... and why there is no chat" "$(on_tty 80 sh -c \
    'hamr-loop 2>err'; grep -c 'a chat needs stderr on the terminal' err)" 1
status "two tasks" 2 hamr-loop a b
status "two sessions" 2 hamr-loop --export openai a b
match "... are not called tasks" "$(cat "$T/.err")" "*more than one session*"
for o in sessions doctor print-config trust records; do
	status "--$o takes no task" 2 hamr-loop --$o x
done
status "two things to show" 2 hamr-loop --sessions --export html
status "unknown option" 2 hamr-loop --nonsense x
status "unknown mode" 2 hamr-loop --mode nonsense x
status "no session to resume" 66 hamr-loop --resume
status "no recording" 66 hamr-loop --no-config --replay nowhere x
is "and no session was begun" "$(find . -name '*.ndjson' -path '*/sessions/*' | wc -l)" 0
mkdir below && cp "$S/two-calls.ndjson" below/r
is "a recording is named from where one stands" "$(cd below &&
    hamr-loop --no-config --yes --quiet --replay r x)" "The file says goodbye."
is "and so with -C" "$(hamr-loop --no-config --yes --quiet -C below \
    --replay below/r x)" "The file says goodbye."
rm -rf below .hamr
printf '%s\n' '{"role":"assistant","content":"a\u001b[2J\u001b]0;t\u0007\u202eb \u009bX","finish_reason":"stop"}' >esc
is "a terminal is told of control bytes, not sent them (S17)" "$(script -qec \
    "hamr-loop --no-config --replay esc x" /dev/null </dev/null |
    grep -o 'a.x1b.*X')" 'a\x1b[2J\x1b]0;t\x07\u{202e}b \x9bX'
rm -rf esc .hamr
hamr-loop --no-config --yes --json -o agent.max_model_steps=2 \
    --replay "$S/two-calls.ndjson" "change it" >out 2>err
is "max_model_steps: status" "$?" 3
is "max_model_steps: the end record" "$(tail -n 1 out |
    jq -r '[.status, .reason] | join(" ")')" \
    "budget_exhausted max_model_steps"
is "max_model_steps: the last request is text only" "$(jq -r \
    'select(.type == "constrain") | .tool_choice' out)" none
is "max_model_steps: its calls are answered" "$(jq -r 'select(.meta.error ==
    "budget_exhausted") | .tool_call_id' out)" c4
rm -rf .hamr marks new.txt
hamr-loop --no-config --yes --json -o agent.max_tool_calls=1 \
    --replay "$S/two-calls.ndjson" "change it" >out 2>err
is "max_tool_calls: the first ones run" "$? $(jq -r 'select(.role == "tool") |
    .tool_call_id + " " + (.meta.error // "ran")' out | head -n 2 |
    tr '\n' ';')" "3 c1 ran;c2 budget_exhausted;"
is "max_tool_calls: the others do not" "$(ls marks 2>/dev/null)" ""
printf '%s\n' '{"role":"assistant","content":"hm","finish_reason":"stop"}' \
    >short.ndjson
echo junk >junk.ndjson
hamr-loop --no-config --yes --json --replay junk.ndjson x >out 2>err
is "a stage that cannot start: an end record all the same" "$(tail -n 1 out |
    jq -r .status)" tool_error
for i in 1 2 3 4; do
	echo '{"role":"assistant","content":"","finish_reason":"stop"}'
done >empty.ndjson
hamr-loop --no-config --json --replay empty.ndjson x >out 2>err
is "empty answers: model_error" "$? $(tail -n 1 out |
    jq -r '[.reason, .steps] | join(" ")')" "6 empty_response 3"
for i in 1 2 3 4; do
	echo '{"role":"assistant","content":"I am cut","finish_reason":"length"}'
done >cut.ndjson
hamr-loop --no-config --json --replay cut.ndjson x >out 2>err
is "three cut answers: model_error" "$? $(tail -n 1 out |
    jq -r '[.reason, .steps] | join(" ")')" "6 truncated 3"
echo '{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}}],"finish_reason":"tool_calls"}' >past.ndjson
hamr-loop --no-config --json --yes --replay past.ndjson x >out 2>err
is "past the script: model_error server" "$? $(tail -n 1 out |
    jq -r .reason)" "6 server"
for i in $(seq 24); do
	echo '{"role":"assistant","tool_calls":[{"id":"l'$i'","type":"function","function":{"name":"read","arguments":"{\"path\":\"d\"}"}}],"finish_reason":"tool_calls"}'
done >loop.ndjson
hamr-loop --no-config --json --yes --replay loop.ndjson x >out 2>err
is "a loop is stopped by the guard" "$? $(tail -n 1 out |
    jq -r .status)" "5 guard_stopped"
# the same in the pipeline
mkdir m && cd m && git init -q . && cp -r ../d . && "$TOP/examples/mini-loop.sh" x \
    --replay ../loop.ndjson >/dev/null 2>&1
roles t >"$T/a"
cd .. && roles out >"$T/b"
head -n "$(wc -l <"$T/a")" "$T/b" >"$T/c"
same "a halted run: mini-loop and hamr-loop agree up to the halt" "$T/c" "$T/a"
hamr-loop --no-config --json --replay "$S/two-calls.ndjson" x </dev/null \
    >out 2>err
is "without --yes and a terminal commands run read-only, edits are shown" \
    "$(jq -r 'select(.role == "tool") | "\(.tool_call_id) \(.meta.error //
	.meta.exit // 0)"' out | head -n 3 | paste -sd,)" "c1 0,c2 1,c3 denied"
cd ..
# a name is what a model says: its line takes no longer than others
fresh name
jq -cn '{role: "assistant", content: null, tool_calls: [{id: "c", type:
    "function", function: {name: ("x" * 200000), arguments: "{}"}}]},
    {role: "assistant", content: "There is no such tool."}' >script
timeout 60 hamr-loop --no-config --yes --replay script x >out 2>err
is "a call of a very long name is shown" "$? $(cat out) $(grep -c '^  xxx' err)" \
    "0 There is no such tool. 1"

# what is not limited is said
cd "$T" && fresh limits
cat >script <<'X'
{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{\"command\":\"true >f\"}"}}],"finish_reason":"tool_calls"}
{"role":"assistant","content":"It ran."}
X
hamr-loop --no-config --yes --json -o sandbox.memory=0 -o sandbox.pids=0 \
    --replay script "what does true print?" >out 2>err
ran=$(jq -r 'select(.role == "tool") | .meta.sandbox' out)
is "the end record names what a sandbox does not limit" "$(tail -n 1 out |
    jq -r .sandbox)" "$ran$([ "$ran" = none ] ||
    echo ", memory and processes not limited")"

# trust
mkdir -p .hamr && echo 'provider.api = "ollama"' >.hamr/config.toml
hamr-loop --trust >out 2>err
is "--trust says what it does, and nothing else" "$? $(cat out err)" \
    "0 hamr-loop: $PWD/.hamr/config.toml is trusted as it is now; once it \
changes it is not"
done_testing

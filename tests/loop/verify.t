#!/bin/bash
# the verification and its repair turns (chapter 7.2), and what a person is
# told who has no server that answers
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
# the verification records, one a line
checks() { jq -r 'select(.type == "verification") |
	[.profile, .status, .exit // "-"] | join(" ")' out | paste -sd,; }
key=verification.defaultCommand
wrote="I wrote the file with the wanted text, and that is all."
asked="I looked at the file, and it has the text that is wanted."

# ---- patch mode ----

fresh passes
{ call write '{"path":"a","content":"good\n"}'; answer "$wrote"; } >script
run "write a" -o "$key=grep -q good a"
is "it passes: completed" "$S $(ended)" "0 completed stop"
is "it ran once" "$(checks)" "quick passed 0"
is "nobody is told" "$(says verify)" ""

fresh repaired
{ call write '{"path":"a","content":"good\n"}'; answer "$wrote"
call write '{"path":"b","content":"good\n"}'; answer "$wrote"; } >script
run "write a" -o "$key=cat b || { echo GONE; exit 3; }"
is "it fails, is repaired and passes" "$S $(ended)" "0 completed stop"
is "it ran after each turn" "$(checks)" "quick failed 3,quick passed 0"
match "the model is told to fix it, with the output" "$(says verify)" \
    "*exit 3*ix the failed verification*GONE*"

fresh fails
{ call write '{"path":"a","content":"bad\n"}'; answer "$wrote"
call write '{"path":"b","content":"bad\n"}'; answer "$wrote"
answer "never"; } >script
run "write a" -o "$key=exit 7"
is "it fails for good" "$S $(ended)" "4 contract_failed verification"
is "it ran twice" "$(checks)" "quick failed 7,quick failed 7"

fresh never
{ call write '{"path":"a","content":"bad\n"}'; answer "$wrote"
answer "never"; } >script
run "write a" -o "$key=exit 7" --repair-attempts 0
is "--repair-attempts 0: no repair turn" "$S $(ended) $(checks)" \
    "4 contract_failed verification quick failed 7"
is "... and the model is not asked" "$(jq -c 'select(.role == "assistant")' \
    out | wc -l)" 2

fresh full
{ call write '{"path":"a","content":"good\n"}'; answer "$wrote"; } >script
run "write a" -o "$key=head -c 9000 /dev/zero | tr '\\0' x" \
    --verification-profile full
is "the full profile" "$S $(checks)" "0 full passed 0"
is "... shows all of 9,000 characters" "$(jq 'select(.type == "verification") |
	.output | scan("xx+") | length' out)" 9000
rm -rf a .hamr
run "write a" -o "$key=head -c 9000 /dev/zero | tr '\\0' x"
ok "the quick one 4,000" test "$(jq 'select(.type == "verification") |
	.output | length' out)" -le 4100

fresh killed
{ call write '{"path":"a","content":"good\n"}'; answer "$wrote"; } >script
hamr-loop --no-config --yes --json --replay script "write a" \
    -o "$key=sleep 1; grep -q good a" >out 2>err </dev/null &
i=0
until grep -q "$wrote" out || [ $((i += 1)) -gt 500 ]; do sleep 0.02; done
disown; kill -9 $!
run --resume -o "$key=sleep 1; grep -q good a"
is "killed in the middle, it runs at --resume" "$S $(ended) $(checks)" \
    "0 completed stop quick passed 0"
is "... and no call twice" "$(jq -c 'select(.type == "start")' \
    .hamr/sessions/*.ndjson | wc -l)" 1

fresh stopped
{ call write '{"path":"a","content":"good\n"}'; answer "$wrote"
answer "never"; } >script
hamr-loop --no-config --yes --json --replay script "write a" \
    -o "$key=echo on; sleep 3; grep -q good a" >out 2>err </dev/null &
i=0
until grep -q '"text":"on' out || [ $((i += 1)) -gt 500 ]; do sleep 0.02; done
kill -TERM $!
wait $!
is "stopped in the middle: interrupted" "$? $(ended)" "130 interrupted signal"
run --resume -o "$key=echo on; sleep 3; grep -q good a"
is "... it runs again at --resume, and nothing is to be repaired" \
    "$S $(ended) $(checks) $(says verify)" \
    "0 completed stop quick passed 0 "

# ---- verify mode ----

fresh verify
answers() { jq -c 'select(.role == "assistant") | .content' out | wc -l; }
{ answer "$asked"; answer "never"; } >script
run "does it hold" --mode verify -o "$key=grep -q hello f"
is "the loop runs it" "$S $(ended) $(checks) $(answers)" \
    "0 completed stop quick passed 0 1"
# as COMMAND RAN: passes where RAN is a run of COMMAND
as() {
	{ call bash "$(jq -cn --arg c "$2" '{command: $c}')"
	answer "I ran it, and it passes: the text is there."; } >script
	run "does it hold" --mode verify -o "$key=$1"
	is "${3-it ran already}: $2" "$S $(checks)" "0 ${4-}"
}
again() { as "$1" "$2" "it is run" "quick passed 0"; }
as "test -e f" "cd . && test  -e f 2>&1"
as "test -e f" "set -o pipefail; test -e f 2>&1 | tail -5"
again "test -e f" "test -e f 2>&1 | tail -5"
for i in 1 2 3 4 5 6 7; do answer "$asked ($i)"; done >script
run "does it hold" --mode verify -o "$key=echo BAD; exit 3"
is "it fails: contract_failed" "$S $(ended)" "4 contract_failed verification"
is "... contract_nudges times told" "$(jq -c 'select(.meta.by == "loop") |
	.meta.rules' out | uniq -c | tr -s ' ')" ' 5 ["contract"]'
match "... what it says" "$(says loop)" "*exit 3*echo BAD; exit 3*BAD*"
run "does it hold" --mode verify -o "$key=test -e \$TMPDIR/x || { touch \$TMPDIR/x; false; }"
is "it passes at last" "$S $(ended) $(checks)" \
    "0 completed stop quick failed 1,quick passed 0"

# ---- patch mode, without a change ----

fresh unchanged
answer "$asked" >script
run "what does f hold" -o "$key=false"
is "nothing was changed: nothing to verify" "$S $(ended) $(checks)" \
    "0 completed stop "

# ---- no server that answers ----

fresh remedies
while IFS='|' read -r code http words remedy; do
	printf 'status %s\nbody {"error":{"message":"%s"}}\n' "$http" \
	    "$words" >s
	httpd_stop
	httpd_start log s || exit 1
	hamr-loop --no-config --quiet --base-url \
	    "http://127.0.0.1:$HTTPD_PORT/v1" --model m x >out 2>err </dev/null
	is "$code: status" "$?" 6
	is "$code: one line" "$(wc -l <err)" 1
	match "$code: with the remedy" "$(cat err)" "*$words; *$remedy*"
done <<'X'
a wrong key|401|Incorrect API key|OPENAI_API_KEY
a model without tools|400|gemma does not support tools|tool_dialect=hermes
no such model|404|model m not found|--models
X
taken() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
if taken 8080 || taken 11434 || taken 1234; then
	skip "the first run" "a model server runs here"
else
	hamr-loop --no-config --quiet x >out 2>err </dev/null
	is "the first run: status" "$?" 6
	is "... two lines" "$(wc -l <err)" 2
	match "... that say what to do" "$(cat err)" "*--base-url*--model*"
fi

done_testing

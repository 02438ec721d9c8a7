#!/bin/bash
# the task on the command line: TASK, -, TASK -, --resume ID TASK
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"

fresh task
for _ in 1 2 3 4 5 6 7 8 9; do answer "Seen."; done >script
loop() { hamr-loop --no-config --yes --json --replay script "$@" >out 2>err; }
# the user messages and whose they are, the last ones with -n N
told() { jq -r 'select(.role == "user") | .meta.by + ": " + .content' out; }

# ---- stdin ----

echo "say hello" | loop -
is "- alone is the task" "$? $(told)" "0 user: say hello"
printf 'a\nb\n' | loop "review this" -
is "TASK -: stdin goes before the task, as context" "$? $(told)" "0 context: a
b

user: review this"
printf 'a\n' | loop --task "review this" -
is "--task TASK -" "$? $(told)" "0 context: a

user: review this"
loop "review this" - </dev/null
is "nothing on stdin" "$? $(told)" "0 user: review this"
printf '\377x\0y' | loop "review this" -
is "not all of it text" "$? $(jq -c 'select(.meta.by == "context") |
    [.content, .meta.lossy]' out)" '0 ["�x�y",true]'
head -c 1048576 /dev/zero | tr '\0' x | loop "review this" -
is "1 MiB" "$(jq -c 'select(.meta.by == "context") | .content | length' out)" \
    1048576
head -c 1048577 /dev/zero | tr '\0' x | loop "review this" -
match "and one byte more" "$? $(cat out err)" "2 hamr-loop: stdin holds more \
than 1 MiB; put it into a file*"
echo x | loop - "review this"
is "- comes last" "$? $(cat out err)" \
    '2 hamr-loop: - goes after the task: hamr-loop "TASK" -'
echo never | loop "review this"
is "stdin is not read without -" "$? $(told)" "0 user: review this"

# ---- which model ----

model() { loop "x" --provider big -o provider.big.model=large "$@" </dev/null
	head -n 1 out | jq -r .model; }
is "the model of --provider's table, unless a flag names one" \
    "$(model) $(HAMR_PROVIDER_MODEL=other model) $(model --model own) $(
    model -o provider.model=own)" "large large own own"
for name in "a b" base_url "" "$(printf %080d 1)"; do
	loop "x" --provider "$name" </dev/null
	echo $?
done >status
is "a table that cannot be" "$(paste -sd' ' status)" "78 78 0 78"

# ---- --resume, a blank, a word ----

rm -r .hamr
loop "one" </dev/null
id=$(jq -r 'select(.type == "hamr") | .session' out)
of() { jq -r 'select(.type == "hamr") | .session' .hamr/sessions/*.ndjson; }
last() { jq -r 'select(.role == "user") | .content' .hamr/sessions/*.ndjson | tail -n 1; }
loop --resume "$id" "two" </dev/null
is "--resume ID TASK" "$? $(of) $(last)" "0 $id two"
loop --resume "$id" --task "three" </dev/null
is "--resume ID --task TASK" "$? $(of) $(last)" "0 $id three"
echo a | loop --resume "$id" "four" -
is "--resume ID TASK -" "$? $(told | tail -n 3)" "0 context: a

user: four"
printf five | loop --resume "$id" -
is "--resume ID -" "$? $(told | tail -n 1)" "0 user: five"
loop --resume "$id" </dev/null
is "--resume ID" "$? $(last) $(ended)" "0 five completed stop"
loop --resume whatever </dev/null
is "a word that begins no id is the task" "$? $(of) $(last)" "0 $id whatever"
loop --resume "${id%%-*} is the session" </dev/null
is "words are a task" "$? $(last)" "0 ${id%%-*} is the session"
loop --resume "${id:0:7}" </dev/null
is "so are seven characters" "$? $(last)" "0 ${id:0:7}"
loop --resume 19991231T0000 "x" </dev/null
match "an id of no session" "$? $(cat out err)" \
    "2 hamr-loop: no session's id begins with 19991231T0000; *--sessions*"
loop --resume refactor it </dev/null
match "a task without quotes" "$? $(cat out err)" \
    "2 hamr-loop: more than one task; *quotes*"
is "one session all the time" "$(of)" "$id"

head -c 11000000 /dev/zero | tr '\0' '\1' >long
loop - <long
match "a task that would not fit in a record" "$? $(cat err)" \
    "2 hamr-loop: stdin holds more than 10 MiB; *"

# ---- what is shown of a call ----

echo hello >f
{ call read "{\"path\":\"$PWD/f\"}"; answer "Seen."; } >script
hamr-loop --no-config --replay script "look at f" 2>&1 >out </dev/null |
    sed -n 's/^  read/read/p' >shown
is "a path is shown once, from the root" "$(cat shown)" \
    "read f  lines 1-1 of 1"

done_testing

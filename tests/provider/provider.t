#!/bin/bash
# the stage contract for hamr-provider, with a server (chapters 1.2, 4, 1.6)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"

events "$(d '{"content":"hello"}')" "$(fin stop)" >hello
msg='{"role":"assistant","content":"hello","finish_reason":"stop","meta":{"model":"m","api":"openai"}}'
run() {
	hamr-provider -q --no-config --base-url "$URL" --model m "$@" | no_times
}
req() {	# messages
	printf '{"type":"request","messages":%s}\n' "$1"
}

# ---- options ----

is "-V" "$(hamr-provider -V)" "hamr 0.1.0"
ok "--help fits a screen" test "$(hamr-provider --help | wc -l)" -le 24
ok "... of 80 columns" test -z "$(hamr-provider --help | grep -E '.{81}')"
status "an unknown option" 2 hamr-provider --frobnicate
is "... one line" "$(wc -l <.err)" 1
match "... with a hint" "$(cat .err)" "*try hamr-provider --help*"
status "another API" 2 hamr-provider --api nonsense
match "... names the two" "$(cat .err)" "*openai*replay*"
status "an API of the configuration" 78 hamr-provider -o provider.api=nonsense
status "--api replay without a file" 2 hamr-provider --api replay
status "a base URL of another kind" 2 hamr-provider --base-url file:///etc/passwd
status "an unknown format" 2 hamr-provider -F claude-code
status "an unknown profile" 78 hamr-provider --provider nobody
status "a bad tool_dialect" 78 hamr-provider -o provider.tool_dialect=latin
status "a missing input" 66 hamr-provider --no-config --base-url http://127.0.0.1:9/v1 nofile
echo 'no record' >bad
status "a bad record" 65 hamr-provider --no-config --base-url http://127.0.0.1:9/v1 bad

# ---- filter mode ----

serve hello
printf '%s\n' '{"role":"user",  "content":"hi"}' '{"type":"x","n":9007199254740993}' >in
{ cat in; printf '%s\n' "$msg"; } >want
run <in >got
same "what was read, byte for byte, then the message" got want
is "-n: own records only" "$(run -n <in | grep -v '"delta"')" "$msg"
is "deltas too" "$(run -n <in | head -n 1)" \
	'{"type":"delta","kind":"content","text":"hello"}'
is "nothing from nothing" "$(run </dev/null)" ""
is "the last message is an answer: nothing to do" \
	"$(run -n <<<'{"role":"assistant","content":"done"}')" ""
is "... also after a request, which it answers" \
	"$({ req "[$user]"; echo '{"role":"assistant","content":"done"}'; } |
	run -n)" ""
is "an error of hamr-compact is newer: nothing to do" \
	"$(printf '%s\n' "$user" '{"type":"error","stage":"compact","code":"context_overflow","message":"x","retryable":false}' |
	run -n)" ""
is "... with a message behind it there is" \
	"$(printf '%s\n' "$user" '{"type":"error","stage":"compact","code":"context_overflow","message":"x","retryable":false}' "$user" |
	run -n | grep -c assistant)" 1
serve hello
{ printf '%s\n' "$user"; req '[{"role":"user","content":"old"}]'
req '[{"role":"user","content":"new"}]'; } >in
is "a request is consumed" "$(run <in)" "$user
$msg"
is "... and the last one is answered" "$(jq -c '.body | fromjson | .messages' log)" \
	'[{"role":"user","content":"new"}]'
serve hello
{ printf '%s\n' '{"type":"hamr","v":1,"session":"a","cwd":"/","created":"2026-11-20T10:15:00Z"}' "$user" \
	'{"type":"hamr","v":1,"session":"b","cwd":"/","created":"2026-11-20T10:15:00Z"}' \
	'{"role":"user","content":"two"}'; } >in
is "each transcript is answered" "$(run <in | jq -r '.role // .type' | xargs)" \
	"hamr user assistant hamr user assistant"
is "... on its own" "$(jq -r '.body | fromjson | .messages[].content' log | xargs)" "hi two"
is "... over one connection" "$(jq .conn log | sort -u)" 1
printf '%s\n' "$user" >in
serve hello
is "two files" "$(run -n in in | grep -c assistant)" 2
{ printf '%s\n' "$user" '{"type":"tools","tools":[]}' '{"type":"go","n":3}'; } |
	run >got
is "go acts, the end does not once more" "$(jq -r '.role // .type' got | xargs)" \
	"user tools assistant"
is "-n gives the go back" "$(printf '%s\n' "$user" '{"type":"go","n":3}' '{"type":"sync","n":4}' |
	run -n | grep -v delta)" "$msg
"'{"type":"go","n":3}
{"type":"sync","n":4}'

# ---- resident ----

resident() {	# ARG...: file descriptors 3 (in) and 4 (out)
	rm -f to from
	mkfifo to from
	hamr-provider -r -q --no-config --base-url "$URL" --model m "$@" \
		<to >from 2>err &
	RPID=$!
	exec 3>to 4<from
}
until_type() {	# TYPE: reads records until this one, into ./got
	: >got
	while IFS= read -r -t 20 line <&4; do
		printf '%s\n' "$line" >>got
		case $line in
		'{"type":"'"$1"'"'*) return 0 ;;
		esac
	done
	return 1
}
now_ms() { date +%s%3N; }

serve hello
resident
printf '%s\n' "$user" '{"type":"go","n":1}' >&3
ok "resident: go comes back" until_type go
is "... behind the message" "$(grep -v '"delta"' got | no_times)" "$msg
"'{"type":"go","n":1}'
for i in 2 3 4 5 6; do
	{ printf '%s\n' "$(jq -c . <<<"$msg")" '{"role":"user","content":"on"}'
	req '[{"role":"user","content":"'$i'"}]'
	printf '{"type":"go","n":%d}\n' $i; } >&3
	until_type go
done
is "six steps over one connection" "$(jq -c .conn log | sort | uniq -c | xargs)" "6 1"
printf '%s\n' '{"type":"go","n":7}' >&3
ok "a go with nothing new to answer" until_type go
printf '%s\n' '{"type":"sync","n":"x"}' >&3
ok "sync comes back" until_type sync
is "... alone" "$(cat got)" '{"type":"sync","n":"x"}'
exec 3>&-
wait "$RPID"
is "the end of input ends it" "$?" 0
exec 4<&-

{ echo 'status 404'; } >nothing
{ echo 'path /props'; echo 'body {"default_generation_settings":{"n_ctx":32768},"total_slots":4}'; } >props
serve props hello
resident
printf '%s\n' '{"type":"sync","n":1}' '{"type":"sync","n":2}' >&3
until_type sync
is "a limit before the first sync" "$(cat got)" \
	'{"type":"limit","context_tokens":32768,"source":"/props"}
{"type":"sync","n":1}'
until_type sync
is "... and before no other" "$(cat got)" '{"type":"sync","n":2}'
exec 3>&- 4<&-
wait "$RPID"
{ echo 'path /*'; echo 'method GET'; echo hang; } >hang
serve hang
resident
t=$(now_ms)
printf '%s\n' '{"type":"sync","n":1}' >&3
until_type sync
ok "a server that does not tell costs 300 ms" test $(($(now_ms) - t)) -lt 2000
exec 3>&- 4<&-
wait "$RPID"

# cancel, end of input
{ events "$(d '{"content":"so far"}')" | grep -v DONE; echo hang; } >slow
serve slow
resident
printf '%s\n' "$user" '{"type":"go","n":1}' >&3
until_type delta
t=$(now_ms)
echo '{"type":"cancel"}' >&3
until_type go
ok "cancel at once" test $(($(now_ms) - t)) -lt 3000
is "... with what there is, then the go" "$(cat got)" \
	'{"type":"error","stage":"provider","code":"interrupted","message":"cancelled","retryable":false,"partial":{"content":"so far"}}
{"type":"go","n":1}'
printf '%s\n' "$user" '{"type":"go","n":2}' >&3
until_type delta
is "it lives on" "$(cat got)" '{"type":"delta","kind":"content","text":"so far"}'
t=$(now_ms)
exec 3>&-
wait "$RPID"
st=$?
ok "the end of input ends work in hand at once" test $(($(now_ms) - t)) -lt 5000
is "... with status 0" "$st" 0
exec 4<&-

{ echo 'status 400'; echo 'body {"error":{"message":"no"}}'; } >refuse
serve refuse hello
resident
printf '%s\n' "$user" '{"type":"go","n":1}' >&3
until_type go
is "an error is a record" "$(jq -r '.code // empty' got)" bad_request
exec 3>&- 4<&-
wait "$RPID"
is "... and no status" "$?" 0

# ---- cut anyhow ----

serve hello
{ printf '%s\n' "$user" '{"type":"go","n":1}' \
	"$msg" '{"type":"x"}' '{"role":"user","content":"more"}' \
	'{"type":"go","n":2}' '{"type":"sync","n":3}'; } >t
run -n <t >whole
while IFS= read -r line; do printf '%s\n' "$line"; sleep 0.02; done <t |
	run -n >lines
same "line by line" lines whole
perl -e '$| = 1; while (read STDIN, $c, 1) { print $c }' <t | run -n >bytes
same "byte by byte" bytes whole
run -n <t >again
same "the same again" again whole

# ---- the environment ----

printf '%s\n' "$user" >in
http_proxy=http://127.0.0.1:9 ALL_PROXY=http://127.0.0.1:9 run -n <in >got
is "no proxy but the one configured" "$(grep -v delta got)" "$msg"
serve hello
ok "a full disk is told" test "$(run -n <in >/dev/full 2>/dev/null; hamr-provider \
	-q --no-config --base-url "$URL" --model m <in >/dev/full 2>/dev/null; echo $?)" = 71

done_testing

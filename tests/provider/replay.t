#!/bin/bash
# answers out of a file (chapter 4.5)
. "$(dirname "$0")/../lib.sh"

no_times() {
	sed -E 's/"ms":[0-9]+,?//; s/"ttft_ms":[0-9]+,?//; s/,\}/}/g'
}
play() {	# FILE ARG...; the transcript on stdin
	hamr-provider -n -q --no-config --replay "$@" | no_times
}
told() {
	jq -c 'if .type == "delta" then empty
		elif .role then [.content, .reasoning, [.tool_calls[]? | [.id,
		.function.name, .function.arguments]], .finish_reason]
		elif .type == "error" then [.stage, .code, .message, .retryable]
		else [.type] end'
}
user='{"role":"user","content":"hi"}'
call() {	# id
	printf '{"role":"assistant","content":null,"tool_calls":[{"id":"%s","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a\\"}"}}]}' "$1"
}
result='{"role":"tool","tool_call_id":"a","content":"text"}'
done='{"role":"assistant","content":"done"}'
failed='{"type":"error","code":"rate_limited","message":"slow down","retryable":true}'

# ---- a script ----

{ call a; echo; printf '%s\n' "$done" "$failed"; } >script
is "the first answer" "$(play script <<<"$user" | told)" \
	'[null,null,[["a","read","{\"path\":\"a\"}"]],"tool_calls"]'
is "the second" "$({ echo "$user"; call a; echo; echo "$result"; } |
	play script | told)" '["done",null,[],"stop"]'
is "an error of the script" "$(printf '%s\n' "$user" "$done" "$user" "$done" \
	"$user" | play script | told)" '["provider","rate_limited","slow down",true]'
printf '%s\n' "$user" "$done" "$user" "$done" "$user" >in
hamr-provider -n -q --no-config --replay script <in >/dev/null 2>&1
is "... is status 75" "$?" 75
printf '%s\n' "$user" "$done" "$user" "$done" "$user" "$done" "$user" >in
hamr-provider -n -q --no-config --replay script <in >got 2>/dev/null
is "past the end: status" "$?" 69
is "... record" "$(told <got | jq -c '[.[0], .[1], .[3]]')" \
	'["provider","server",false]'
: >empty
is "an empty script has no answer" "$(play empty <<<"$user" | jq -r .code)" server

# ---- which number ----

is "errors of the provider count" "$(printf '%s\n' "$user" \
	'{"type":"error","stage":"provider","code":"server","message":"x","retryable":true}' |
	play script | told)" '["done",null,[],"stop"]'
is "those of others do not" "$(printf '%s\n' "$user" \
	'{"type":"error","stage":"hamr-tool","code":"bad_record","message":"x"}' |
	play script | told | jq -c '.[3]')" '"tool_calls"'
# 4000 answers in 0.1 s, not 10: a script does not look at the conversation
jq -cn 'range(4000) | {role: "assistant", content: ("a" * 200)}' >many
jq -cn 'range(4000) | {role: "user", content: ("u" * 200)}, {type: "go"},
	{role: "assistant", content: ("a" * 200)}' >in
is "a long script is followed without the conversation" "$(ulimit -t 5
	hamr-provider -rnq --no-config --replay many <in | grep -c '"role"')" 4000
is "nor messages inside a request" "$(printf '%s\n' \
	"{\"type\":\"request\",\"messages\":[$user,$done,$user],\"tool_choice\":\"none\"}" |
	play script | told | jq -c '.[3]')" '"tool_calls"'
is "a hamr record begins again" "$(printf '%s\n' '{"type":"hamr","v":1}' \
	"$user" "$done" '{"type":"hamr","v":1}' "$user" | play script | told |
	jq -c '.[3]')" '"tool_calls"'
printf '%s\n' "$user" '{"type":"go","n":1}' >in
is "resident: one answer a go" "$({ echo "$user"; echo '{"type":"go","n":1}'
	call a; echo; echo "$result"; echo '{"type":"go","n":2}'; } |
	hamr-provider -r -q --no-config --replay script | grep -v '"delta"' |
	jq -c '[.n, .finish_reason]')" '[null,"tool_calls"]
[1,null]
[null,"stop"]
[2,null]'

# ---- a transcript ----

{
	echo '{"type":"hamr","v":1,"session":"s"}'
	echo "$user"
	echo '{"type":"error","stage":"guard","code":"refused","message":"no"}'
	echo '{"type":"error","stage":"provider","code":"network","message":"gone","retryable":true}'
	echo '{"type":"usage","prompt_tokens":9007199254740993}'
	echo '{"role":"assistant","content":"one \u00e9","reasoning":"why","finish_reason":"length","meta":{"model":"m7","api":"openai","ms":1}}'
	echo "$user"
} >transcript
is "its first answer is the provider's error" \
	"$(play transcript <<<"$user" | told)" '["provider","network","gone",true]'
is "then its message" "$(printf '%s\n' "$user" \
	'{"type":"error","stage":"provider","code":"network","message":"gone"}' |
	play transcript | tee got | grep -v -e '"delta"' -e '"usage"' |
	jq -c '[.content, .reasoning, .finish_reason, .meta.model, .meta.api]')" \
	'["one é","why","length","m7","replay"]'
is "... and its usage, byte for byte" "$(grep '"usage"' got)" \
	'{"type":"usage","prompt_tokens":9007199254740993}'

# ---- ids ----

printf '%s\n' '{"role":"assistant","tool_calls":[{"function":{"name":"read","arguments":"{}"}},{"function":{"name":"read","arguments":"{}"}}]}' >noids
play noids <<<"$user" | grep -v '"delta"' >got
is "ids that lack are made up, each another" \
	"$(jq -r '[.tool_calls[].id] | (map(length > 0) | all), (unique | length)' got |
	tr '\n' ' ')" "true 2 "
{ call a; echo; call a; echo; } >twice
is "a repeated one is made unique" "$({ echo "$user"; call a; echo
	echo "$result"; } | play twice | grep -v '"delta"' |
	jq '.tool_calls[0].id != "a"')" true
carried='"carry":[{"type":"thinking","signature":"s"}],"extra_content":{"g":1}'
sed "s/}]}\$/,$carried}]}/" twice | head -n 2 >marked
is "... with what its server wants back" "$({ echo "$user"; call a; echo
	echo "$result"; } | play marked | grep -v '"delta"' |
	grep -cF "$carried}]")" 1
is "the same each time" "$(play noids <<<"$user")" "$(play noids <<<"$user")"
long=$(printf '%0100000d' 0)
printf '{"role":"assistant","tool_calls":[{"id":"%s","function":{"name":"read","arguments":"{}"}},{"id":"%s","function":{"name":"read","arguments":"{}"}}]}\n' \
	"$long" "$long" >long
is "a very long one twice" "$(play long <<<"$user" | jq -c 'select(.tool_calls) |
	[.tool_calls[].id | length]')" "[100000,100002]"

# ---- bytes ----

printf '%s\n' '{"role":"assistant","content":"ein Wort, é, und noch eins"}' >words
script='"content":"\u00e9 \ud800 \/","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"n\": 9007199254740993, \"s\":\"\u00e9\/\"}"}, "x":12345678901234567890}]'
printf '%s\n' "{\"role\":\"assistant\",$script}" >bytes
is "the script's own bytes are carried" "$(play bytes <<<"$user" |
	grep -cF "$script")" 1
script='"function":{"name":"read","arguments":"{\"s\":\"\ud800\"}"}'
printf '%s\n' "{\"role\":\"assistant\",\"tool_calls\":[{$script}]}" >bytes
is "... also of a call that lacks id and type" "$(play bytes <<<"$user" |
	grep -c "\"id\":\"..*\"type\":\"function\",.*ud800")" 1
printf '%s\n' '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"n\": 1"}}]}' >broken
is "arguments that are no JSON stay, and are named" "$(play broken <<<"$user" |
	jq -c 'select(.role) | [.tool_calls[0].function.arguments, .meta.malformed]')" \
	'["{\"n\": 1",["a"]]'
is "a request is consumed" "$(printf '%s\n' "$user" \
	"{\"type\":\"request\",\"messages\":[$user]}" |
	hamr-provider -q --no-config --replay words | grep -c '"request"')" 0

# ---- the file ----

status "a missing file" 66 hamr-provider --no-config --replay nofile
is "... is one line" "$(wc -l <.err)" 1
match "... that names it" "$(cat .err)" "hamr-provider: *nofile*"
echo '{"role":"assistant","content":"x","content":"y"}' >>script
status "a bad line" 65 hamr-provider --no-config --replay script
match "... FILE:LINE: why" "$(cat .err)" "hamr-provider: script:4: *"
printf '%s' "$done" >cut
status "a last line without its end" 65 hamr-provider --no-config --replay cut
printf '%s\n\n' "$done" >blank
status "a blank line" 65 hamr-provider --no-config --replay blank

# ---- other ----

deltas() {
	grep '"delta"' | jq -rj .text
}
is "deltas make the text" "$(play words <<<"$user" | deltas)" \
	"ein Wort, é, und noch eins"
is "paced, they are many" "$(play words --replay-speed 100000 <<<"$user" |
	grep -c '"delta"')" 6
is "... and the same text" "$(play words --replay-speed 100000 <<<"$user" |
	deltas)" "ein Wort, é, und noch eins"
is "... the same message" "$(play words --replay-speed 100000 <<<"$user" |
	grep -v '"delta"')" "$(play words <<<"$user" | grep -v '"delta"')"
status "a pace that is no number" 2 hamr-provider --replay words --replay-speed x

# No network: no socket is made, and curl is not started.
if command -v strace >/dev/null 2>&1 &&
	strace -o /dev/null true 2>/dev/null; then
	strace -f -e trace=network -o calls hamr-provider -q --no-config \
		--replay words <<<"$user" >/dev/null
	is "no socket is made" "$(grep -c socket calls)" 0
else
	skip "no socket is made" "no strace"
fi

done_testing

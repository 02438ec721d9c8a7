#!/bin/bash
# adapters written in jq (chapter 4.1): the one that is shipped, and bad ones
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"
with() {	# API ARG...
	timeout 60 hamr-provider -n -q --no-config --api "$1" \
		--base-url "http://127.0.0.1:$HTTPD_PORT" --model m "${@:2}" \
		<"${IN:-in}" | no_times
}
only() { grep -v '^{"type":"delta"'; }
body() { tail -n 1 log | jq -r .body; }
error() { jq -r 'select(.type == "error") | .code + ": " + .message'; }
tools='{"type":"tools","tools":[{"type":"function","function":{"name":"weather","description":"Get weather","parameters":{"type":"object","properties":{"place":{"type":"string"}}}}}]}'

# ---- cohere ----

cat >call <<'X'
path /v2/chat
method POST
text event: message-start\ndata: {"id":"x","type":"message-start","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[]}}}\n\n
event {"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I look "}}}
event {"type":"tool-plan-delta","delta":{"message":{"tool_plan":"it up."}}}
event {"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"weather_1","type":"function","function":{"name":"weather","arguments":""}}}}}
event {"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{\"place\":"}}}}}
event {"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"\"Rome\"}"}}}}}
event {"type":"tool-call-end","index":0}
event {"type":"tool-call-start","index":1,"delta":{"message":{"tool_calls":{"id":"weather_2","type":"function","function":{"name":"weather","arguments":"{\"place\":\"Bonn\"}"}}}}}
event {"type":"tool-call-end","index":1}
event {"type":"message-end","delta":{"finish_reason":"TOOL_CALL","usage":{"billed_units":{"input_tokens":9},"tokens":{"input_tokens":120,"output_tokens":17},"cached_tokens":64}}}
X
cat >words <<'X'
path /v2/chat
event {"type":"content-start","index":0,"delta":{"message":{"content":{"type":"thinking","thinking":""}}}}
event {"type":"content-delta","index":0,"delta":{"message":{"content":{"thinking":"Both are warm."}}}}
event {"type":"content-start","index":1,"delta":{"message":{"content":{"type":"text","text":""}}}}
event {"type":"content-delta","index":1,"delta":{"message":{"content":{"text":"Rome 40 C, "}}}}
event {"type":"content-delta","index":1,"delta":{"message":{"content":{"text":"Bonn 12 C"}}}}
event {"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{"tokens":{"input_tokens":150,"output_tokens":8}}}}
X
printf '%s\n' '{"role":"system","content":"Be short"}' "$tools" \
	'{"role":"user","content":"Weather in Rome and Bonn?"}' >in
serve call words
with cohere --record tape -o provider.temperature=0.5 >got
is "deltas as they come" "$(jq -j 'select(.type == "delta").text' got)" \
	'I look it up.weather{"place":"Rome"}weather{"place":"Bonn"}'
only <got >called
is "calls put together, plan as reasoning" "$(jq -c 'select(.role) |
	[.content, .reasoning, (.tool_calls | map([.id, .function.arguments])),
	.finish_reason, .meta.api]' called)" \
	'[null,"I look it up.",[["weather_1","{\"place\":\"Rome\"}"],["weather_2","{\"place\":\"Bonn\"}"]],"tool_calls","cohere"]'
is "usage" "$(jq -c 'select(.type == "usage") | [.prompt_tokens,
	.completion_tokens, .cached_tokens]' called)" '[120,17,64]'
is "what was asked" "$(body | jq -c '[.model, .stream, .temperature,
	.tools[0].function.name, (.messages | map(.role))]')" \
	'["m",true,0.5,"weather",["system","user"]]'
jq -c 'select(.role)' called >>in
for id in weather_1 weather_2; do
	printf '{"role":"tool","tool_call_id":"%s","name":"weather","content":"warm"}\n' $id
done >>in
with cohere --record tape | only >answered
is "text and thought" "$(jq -c 'select(.role) | [.content, .reasoning,
	.finish_reason]' answered)" \
	'["Rome 40 C, Bonn 12 C","Both are warm.","stop"]'
is "calls and results go back" "$(body | jq -c '[.messages[2] |
	.role, (.tool_calls | map(.id))], [.messages[3] | keys[], .content]')" \
	'["assistant",["weather_1","weather_2"]]
["content","role","tool_call_id","warm"]'
for n in 1 7; do
	{ printf 'split %d\n' $n; cat call; } >s
	head -n 3 in >in.1
	serve s
	is "the same in pieces of $n" "$(IN=in.1 with cohere | only)" \
		"$(cat called)"
done
httpd_stop
hamr-provider -n -q --no-config --replay tape --model m <in.1 | only |
	no_times >played
same "a cassette plays without a word about the API" played called
hamr-provider -n -q --no-config --replay tape --replay-chunk 3 --model m <in |
	only | no_times >played
same "and its second answer, in pieces" played answered
printf '{"id":"x","finish_reason":"MAX_TOKENS","message":{"role":"assistant","content":[{"type":"text","text":"Rome 4"}]},"usage":{"tokens":{"input_tokens":5,"output_tokens":3}}}' >whole
{ echo path /v2/chat; echo file whole; } >s
serve s
is "without a stream" "$(with cohere -o provider.stream=false |
	jq -c 'select(.role) | [.content, .finish_reason]')" '["Rome 4","length"]'
grep -v message-end words >s
serve s
is "no end is truncated" "$(with cohere | jq -c 'select(.type == "error") |
	[.code, .partial.content]')" '["truncated","Rome 40 C, Bonn 12 C"]'
printf 'status 429\nheader Retry-After: 0\nbody {"message":"trial key limit"}\n' >s
serve s words
ok "it is tried again" sh -c "timeout 20 hamr-provider -n -q --no-config \
	--api cohere --base-url http://127.0.0.1:$HTTPD_PORT --model m <in |
	jq -es 'map(.type // .role) | index(\"progress\") < index(\"assistant\")'"
printf 'status 400\nbody {"message":"too many tokens: total number of tokens in the request exceeds the limit of 4081 tokens"}\n' >s
serve s
is "overflow" "$(with cohere | jq -r 'select(.type == "error").code')" \
	context_overflow
printf 'status 400\nbody {"message":"invalid request: temperature is not supported"}\n' >s
serve s words
is "a parameter refused by name is left out" "$(with cohere -o \
	provider.temperature=1 | jq -r 'select(.role).content')
$(body | jq 'has("temperature")')" "Rome 40 C, Bonn 12 C
false"
printf 'path /v1/models*\nbody {"models":[{"name":"command-a"},{"name":"command-r"}]}\n' >s
serve s
is "--models" "$(timeout 60 hamr-provider --no-config --api cohere --base-url \
	"http://127.0.0.1:$HTTPD_PORT" --models)" "command-a
command-r"

# ---- keys ----

serve words
K=sk-own-1 with cohere -o provider.api_key_env=K >/dev/null
is "the key as bearer" "$(jq -r .headers.authorization log)" "Bearer sk-own-1"
OPENAI_API_KEY=sk-other with cohere >/dev/null
is "no other's key" "$(tail -n 1 log | jq -r '.headers.authorization')" null
cat >mine.jq <<'X'
# the key in a header of its own
def request: {path: ("/gen?m=" + .model), headers: {"X-Key": "Token [key]", "X-Empty": ""},
  body: {prompt: (.messages | map(.content) | join("\n")), n: .params.n}};
def event: if .t then {kind: "content", text: .t}
  elif .end then {finish_reason: "stop"} else empty end;
X
printf 'line {"t":"a"}\nline {"t":"b"}\nline {"end":true}\n' >lines
printf 'event {"t":"ab"}\nevent [DONE]\n' >unended
serve lines
K=sk-own-2 IN=in.1 with ./mine.jq -o provider.api_key_env=K -o 'provider.params={"n":7}' \
	--record keyed >got
is "lines are found to be lines" "$(jq -r 'select(.role) | .content' got)" ab
is "the key where the program says, there only" "$(jq -c '.headers |
	[.["x-key"], .authorization, .["x-empty"]]' log)" \
	'["Token sk-own-2",null,""]'
is "path and params" "$(jq -r '.method + " " + .path' log) $(body)" \
	'POST /gen?m=m {"prompt":"Be short\nWeather in Rome and Bonn?","n":7}'
is "no key in the cassette" "$(grep -c sk-own keyed)" 0
serve unended
is "[DONE] alone is no finish" "$(with ./mine.jq | error | cut -c 1-9)" truncated
status "a cassette of a program that is not by name" 69 timeout 60 hamr-provider \
	-n -q --no-config --replay keyed in.1
match "says what to do" "$(error <.out)" "bad_request: *mine.jq*--api*"
is "with it, it plays" "$(hamr-provider -n -q --no-config --replay keyed \
	--api mine.jq in.1 | jq -r 'select(.role).content')" ab
mkdir -p "$XDG_CONFIG_HOME/hamr/providers" repo/.hamr
cp mine.jq "$XDG_CONFIG_HOME/hamr/providers/home.jq"
serve lines
is "by name, beside the user's configuration" "$(with home |
	jq -r 'select(.role) | .content + .meta.api')" abhome
printf '[provider]\napi = "providers/home.jq"\n' >"$XDG_CONFIG_HOME/hamr/config.toml"
configured() {
	hamr-provider -n --base-url "http://127.0.0.1:$HTTPD_PORT" \
		--model m <../in
}
is "a path in a file begins at that file" "$(cd repo && configured |
	jq -r 'select(.role).content')" ab
rm "$XDG_CONFIG_HOME/hamr/config.toml"
printf '[provider]\napi = "evil.jq"\n' >repo/.hamr/config.toml
echo 'def request: {path:"/evil"}; def event: empty;' >repo/.hamr/evil.jq
events '{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}' >s
serve s
match "a repository's own is not run" "$(cd repo && configured 2>&1 >/dev/null)" \
	"*is not trusted*ignored: provider.api"
is "but the default" "$(tail -n 1 log | jq -r .path)" /chat/completions

# ---- the event's name, texts, unknown deltas ----

echo 'def request: {method: "GET", path: "/g"}; def event: {kind: "content", text: "\($event)=\(.);"},
  (select(. == "bye") | {finish_reason: "stop"});' >named.jq
cat >s <<'X'
path /g
method GET
text event: one\ndata: plain\n\n
text event:two\ndata: [1]\n\n
text data: bye\n\n
X
serve s
is "names and texts" "$(with ./named.jq | jq -r 'select(.role).content')" \
	'one=plain;two=[1];=bye;'

# ---- what is wrong with it is said, and ends ----

printf '# a comment\n\ndef request: {path: "/"};\ndef event: if .a then 1;\n' >bad.jq
status "a broken program: 2" 2 timeout 60 hamr-provider -n --no-config --api \
	./bad.jq --base-url http://127.0.0.1:1
match "with file and line" "$(cat .err)" "hamr-provider: ./bad.jq:4: syntax error*"
echo 'def request: {path: "/"};' >half.jq
status "no event: 2" 2 timeout 60 hamr-provider --no-config --api half.jq
match "which is said" "$(cat .err)" "hamr-provider: half.jq: does not define the function event"
while IFS='|' read -r program words; do
	printf '%b' "$program" >p.jq
	status "$program: 2" 2 timeout 60 hamr-provider --no-config --api p.jq
	is "and why" "$(cat .err)" "hamr-provider: p.jq:$words"
done <<'X'
| does not define the function request
def request: {};\ndef event: empty;\n1\n|3: a function is not closed, or something else follows it
def request: {};\ndef event: if . then|2: a function is not closed, or something else follows it
def request: {};\ndef event: foo;\n|2: foo/0 is not defined
import "x" as x;|1: syntax error, unexpected import
X
status "no such file: 66" 66 hamr-provider --no-config --api none.jq
match "which is said too" "$(cat .err)" "*none.jq: no such program"
status "without an address: 78" 78 hamr-provider --no-config --api mine.jq in
status "in a configuration: 78" 78 hamr-provider --no-config -o \
	provider.api=bad.jq
fails() {	# name program wanted
	echo "$2" >p.jq
	serve "${4:-lines}"
	match "$1" "$(with ./p.jq -o provider.max_response_bytes=1000000 |
		error)" "$3"
}
fails "request fails" 'def request: error("no"); def event: empty;' \
	"bad_request: ./p.jq: request: no"
fails "request makes no object" 'def request: 1, 2; def event: empty;' \
	"bad_request: ./p.jq: request: must return one object*"
fails "a header of two lines" 'def request: {headers: {a: "b\nc"}}; def event: empty;' \
	'bad_request: ./p.jq: request: headers: "a"*'
for h in Content-Length Host Transfer-Encoding; do
	fails "$h is not the program's" \
		"def request: {headers: {\"$h\": \"5\"}}; def event: empty;" \
		"bad_request: ./p.jq: request: headers: $(echo $h |
			tr A-Z a-z) cannot be set"
done
echo 'def request: {path: "@127.0.0.2:9/x"}; def event: {finish_reason: "stop"};' >p.jq
serve lines
with ./p.jq >/dev/null
is "a path stays at the server" "$(jq -r .path log)" /@127.0.0.2:9/x
fails "a method that is none" 'def request: {method: ""}; def event: empty;' \
	"bad_request: ./p.jq: request: method must be an HTTP method such as POST"
fails "a body that is a text" 'def request: {body: "x"}; def event: empty;' \
	"bad_request: ./p.jq: request: body and headers must be objects*"
fails "a delta that is no text" 'def request: {}; def event: {kind: "content", text: 5};' \
	"server: ./p.jq: event: returned something that is not a delta*"
fails "event fails" 'def request: {path: "/"}; def event: .t.t;' \
	"server: ./p.jq: event: Cannot index string with*"
fails "no delta" 'def request: {path: "/"}; def event: {kind: "contnt", text: "x"};' \
	'server: ./p.jq: event: returned something that is not a delta: {"kind":"contnt",*'
is "... and its text is none" "$(with ./p.jq | grep -c '"x"}')" 0
fails "request loops" 'def request: last(repeat(1)); def event: empty;' \
	"bad_request: ./p.jq: request: stopped, it takes too long*"
fails "event says too much" 'def request: {path: "/"}; def event: range(99) | {kind: "content", text: ("x" * 99999)};' \
	"too_large: *max_response_bytes"
fails "its own error, with a code" 'def request: {path: "/"}; def event: {type: "error", code: "context_overflow", message: "full", context_tokens: 4096};' \
	"context_overflow: full"
is "and its limit" "$(with ./p.jq | jq -c 'select(.type == "limit").context_tokens')" 4096
fails "an error as the server has it" 'def request: {path: "/"}; def event: {type: "error", error: {type: "authentication_error", message: "bad key"}};' \
	"auth: *bad key; no key was sent*"
fails "it cannot read files" 'def request: {path: "/", body: {e: env, i: [inputs]}}; def event: {finish_reason: "stop"};' "*"
is "nor the environment" "$(body)" '{"e":{},"i":[]}'

# resident: after a loop the program is started again, and cancel does not
# wait for it
echo 'def request: {path: "/"}; def event: if .t == "a" then last(repeat(1)) else {kind: "content", text: "z"}, {finish_reason: "stop"} end;' >p.jq
printf 'event {"t":"a"}\n' >bad
printf 'event {"t":"b"}\n' >good
serve bad good bad
wait_for() {
	for _ in $(seq 1 1500); do
		grep -q "$1" got && return
		sleep 0.02
	done
	false
}
go() { printf '%s\n{"type":"go","n":%d}\n' "$user" "$1" >&9; }
mkfifo f
timeout 60 hamr-provider -r -q --no-config --api ./p.jq --model m \
	--base-url "http://127.0.0.1:$HTTPD_PORT" <f >got &
pid=$!
exec 9>f
go 1
# Its time is not waited for, as it was above: some tenths of it say that it
# loops, and the signal is the same.
program=
until [ -n "$program" ]; do
	sleep .05
	program=$(pgrep -P "$(pgrep -P $pid)")
done
ticks=0
while [ "$ticks" -lt 30 ]; do
	sleep .05
	read -ra stat <"/proc/$program/stat" || break
	ticks=${stat[13]}
done
kill -PROF "$program"
wait_for '"n":1'
go 2
wait_for '"n":2'
is "a failure is one answer's" "$(jq -r 'select(.type == "error" or .role) |
	.code // .content' got | paste -sd' ')" "server z"
go 3
while [ "$(wc -l <log)" -lt 3 ]; do sleep 0.02; done
echo '{"type":"cancel"}' >&9
wait_for '"n":3'
is "cancel does not wait for the program" "$(tail -n 2 got | jq -r \
	'.code // .n' | paste -sd' ')" "interrupted 3"
exec 9>&-
wait $pid

# ---- programs that speak the stage contract ----

mkdir -p path
cat >path/hamr-provider-echo <<'X'
#!/bin/sh
printf '{"role":"assistant","content":"%s"}\n' "$*"
X
chmod +x path/hamr-provider-echo
is "hamr-provider-NAME of PATH takes our place" "$(PATH=$T/path:$PATH \
	hamr-provider -r -q --no-config --api echo --model m --base-url http://h/v1 |
	jq -r .content)" "-r -q --model m --base-url http://h/v1"
is "or by its path, with files" "$(hamr-provider --no-config --api \
	"$T/path/hamr-provider-echo" in | jq -r .content)" "in"
is "... no file is an option of its" "$(hamr-provider --api \
	"$T/path/hamr-provider-echo" -- -r - | jq -r .content)" "./-r -"
status "one that is not there: 2" 2 hamr-provider --no-config --api nobody
match "says where was looked" "$(cat .err)" "*openai*NAME.jq*hamr-provider-NAME*"
cp path/hamr-provider-echo path/hamr-provider-openai
serve words
is "a name of ours is ours" "$(PATH=$T/path:$PATH with openai -o \
	provider.max_retries=0 | grep -c -- --model)" 0
# ---- the window ----

printf 'path /v1/models/m%%20x/y\nbody {"name":"m x/y","context_length":128000}\n' >size
serve size
probe() {	# API ARG...
	hamr-provider --probe --no-config --api "$1" --model "m x/y" \
		--base-url "http://127.0.0.1:$HTTPD_PORT" 2>err |
		jq -c '[.context_tokens, .source, .model]'
}
is "where the head says" "$(probe cohere)" '[128000,"adapter","m x/y"]'
size() {	# LINE FUNCTION
	{ printf '%s\n' "$1"
	printf 'def request: {}; def event: empty;%s\n' "$2"; } >w.jq
	serve size
	probe ./w.jq
}
is "by a function of one's own" "$(size '# window: /v1/models/{model}' \
	'def window: if $model == .name then .context_length / 1000 else 1 end;')" \
	'[128,"adapter","m x/y"]'
is "a number" "$(size '# window: 4096')" '[4096,"adapter","m x/y"]'
is "a function that does not know" "$(size '# window: /v1/models/{model}' \
	'def window: null;')" '[null,"--probe","m x/y"]'
is "a path that is not there" "$(size '# window: /none')" '[null,"--probe","m x/y"]'
is "one that fails" "$(size '# window: /v1/models/{model}' \
	'def window: "much";')" '[null,"--probe","m x/y"]'
match "... is told" "$(cat err)" '*w.jq: window: must return a whole number of tokens, not "much"*'
is "nothing said: as any other server" "$(printf 'path /props\nbody {"n_ctx":2048}\n' >size
	size '#')" '[2048,"/props","m x/y"]'
printf '# base_url: http://127.0.0.1:9\n# window: 777\ndef request: {}; def event: empty;\n' >w.jq
is "the loop is told before the first sync" "$(printf '{"type":"sync","n":1}\n' |
	hamr-provider -r -q --no-config --api ./w.jq --model m |
	jq -c 'select(.type == "limit") | [.context_tokens, .source]')" '[777,"adapter"]'
done_testing

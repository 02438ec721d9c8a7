#!/bin/bash
# the adapters beside the chat completions API (chapter 4.1)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"
R=$TOP/tests/httpd/rec/api
with() {	# API ARG...: hamr-provider -n of ./in against the server
	hamr-provider -n -q --no-config --api "$1" \
		--base-url "http://127.0.0.1:$HTTPD_PORT" --model m "${@:2}" \
		<in | grep -v '^{"type":"delta"' | no_times
}
body() { tail -n 1 log | jq -r .body; }
tools='{"type":"tools","tools":[{"type":"function","function":{"name":"weather","description":"Get weather","parameters":{"type":"object","properties":{"location":{"type":"string"}},"required":["location"]}}}]}'
begin() {
	printf '%s\n' '{"role":"system","content":"You are a helpful assistant"}' \
		"$tools" '{"role":"user","content":"Weather in Florence?"}' >in
}
# what was answered goes into the transcript, and a result
go_on() {
	cat got >>in
	id=$(jq -r 'select(.role) | .tool_calls[0].id' got)
	printf '{"role":"tool","tool_call_id":"%s","name":"weather","content":"40 C"}\n' \
		"$id" >>in
}

# ---- recorded streams, the same when cut into pieces ----

for api in anthropic gemini responses; do
	begin
	serve "$R/$api.00"
	with $api >got
	is "$api: a call, from a recorded stream" "$(jq -c 'select(.role) |
		[.tool_calls[0].function.name, (.tool_calls[0].function.arguments |
		fromjson | .location), .finish_reason, .meta.api]' got)" \
		"[\"weather\",\"Florence, Italy\",\"tool_calls\",\"$api\"]"
	ok "$api: usage" jq -es '.[0].type == "usage" and
		.[0].prompt_tokens > 50 and .[0].completion_tokens > 10' got
	{ echo 'split 7'; echo "include $R/$api.00"; } >s
	serve s
	with $api >got2
	same "$api: the same in pieces of 7 bytes" got2 got
	cp got first.$api
done
for api in anthropic gemini responses; do
	begin
	serve "$R/$api-whole.00"
	with $api -o provider.stream=false >got
	ok "$api: an answer without a stream" jq -es '.[0].type == "usage" and
		(.[1].tool_calls | length > 0) and
		.[1].finish_reason == "tool_calls"' got
done

# ---- what goes back ----

begin; cp first.anthropic got; go_on
serve "$R/anthropic.01"
with anthropic >got
match "anthropic: the answer to the result" "$(jq -r 'select(.role) |
	.content' got)" "*Florence*40*"
is "anthropic: the thought, with its signature, before the call" "$(body |
	jq -c '[.messages[1].content[] | [.type, (.signature // "" |
	length > 100)]]')" '[["thinking",true],["tool_use",false]]'
is "anthropic: thought and call as recorded" "$(body |
	jq -S '.messages[1].content')" \
	"$(jq -S '.messages[1].content' "$R/anthropic.01.req")"
is "anthropic: a result is a user's block" "$(body | jq -c '.messages[2] |
	[.role, .content[0].type, .content[0].content]')" \
	'["user","tool_result","40 C"]'
is "anthropic: system, tools, max_tokens, cache" "$(body | jq -c '[.system[0].text,
	.system[0].cache_control.type, .tools[0].input_schema.required,
	.max_tokens, .messages[-1].content[-1].cache_control.type]')" \
	'["You are a helpful assistant","ephemeral",["location"],8192,"ephemeral"]'
is "anthropic: where, and its headers" "$(tail -n 1 log | jq -r '.path + " " +
	.headers["anthropic-version"]')" \
	"/v1/messages 2023-06-01"

begin; cp first.gemini got; go_on
serve "$R/gemini.01"
with gemini >got
ok "gemini: the answer to the result" jq -es '.[1].content |
	test("40")' got
is "gemini: the call with its signature as recorded" "$(body |
	jq -S '.contents[1].parts[0] | del(.functionCall.id)')" \
	"$(jq -S '.contents[1].parts[0] | del(.functionCall.id)' \
	"$R/gemini.01.req")"
is "gemini: the result by name" "$(body | jq -c '.contents[2] | [.role,
	.parts[0].functionResponse.name,
	.parts[0].functionResponse.response.output]')" '["user","weather","40 C"]'
is "gemini: the path names the model" "$(tail -n 1 log | jq -r .path)" \
	"/v1beta/models/m:streamGenerateContent?alt=sse"
HTTPD_PORT="$HTTPD_PORT/?a=1" with gemini >/dev/null
is "... and keeps the address's own query" "$(tail -n 1 log | jq -r .path)" \
	"/v1beta/models/m:streamGenerateContent?alt=sse&a=1"

begin; cp first.responses got; go_on
serve "$R/responses.00"
with responses >/dev/null
is "responses: items, no state" "$(body | jq -c '[.store, (.input |
	map(.type)), .input[-1].output]')" \
	'[false,["message","message","reasoning","function_call","function_call_output"],"40 C"]'
is "responses: call ids fit" "$(body | jq -r '.input[-1].call_id ==
	.input[-2].call_id')" true

# the carried things reach their own API only
begin; cp first.anthropic got; go_on
events "$(d '{"content":"ok"}')" "$(fin stop)" >hello
serve hello
ask >/dev/null
is "another API is sent nothing of it" "$(body | jq -c '[.. |
	objects | has("carry")] | any')" false

# ---- Ollama ----

cat >lines <<'X'
chunked
line {"model":"q","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}
line {"model":"q","message":{"role":"assistant","content":"Let me "},"done":false}
line {"model":"q","message":{"role":"assistant","content":"see.","tool_calls":[{"function":{"name":"weather","arguments":{"location":"Rome"}}},{"function":{"name":"weather","arguments":{"location":"Bonn"}}}]},"done":false}
line {"model":"q","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":31,"eval_count":7}
X
begin
serve lines
with ollama -o context.window=16384 >got
is "ollama: thinking, text and calls" "$(jq -c 'select(.role) | [.reasoning,
	.content, (.tool_calls | map(.function.arguments)), .finish_reason]' got)" \
	'["hm","Let me see.",["{\"location\":\"Rome\"}","{\"location\":\"Bonn\"}"],"tool_calls"]'
is "ollama: usage" "$(jq -c 'select(.type == "usage") | [.prompt_tokens,
	.completion_tokens]' got)" '[31,7]'
is "ollama: nothing is cut in silence" "$(body | jq -c '[.truncate, .shift,
	.options.num_ctx]')" '[false,false,16384]'
cat got >>in
jq -r 'select(.role) | .tool_calls[].id' got | while read -r id; do
	printf '{"role":"tool","tool_call_id":"%s","content":"40 C"}\n' "$id"
done >>in
serve lines
with ollama >/dev/null
is "ollama: arguments are objects, results have names" "$(body | jq -c \
	'[.messages[2].tool_calls[0].function.arguments, .messages[3]]')" \
	'[{"location":"Rome"},{"role":"tool","content":"40 C","tool_name":"weather"}]'
printf 'chunked\nline {"message":{"content":"a"},"done":false}\nline {"error":"the input length exceeds the context length"}\n' >s
serve s
is "ollama: an error in mid-stream" "$(with ollama | jq -r 'select(.type ==
	"error") | .code')" context_overflow
printf 'chunked\nline {"message":{"content":"a"},"done":false}\n' >s
serve s
is "ollama: the end without done is truncated" "$(with ollama |
	jq -r 'select(.type == "error") | .code')" truncated

# ---- faults and keys ----

a_event() { printf 'event %s\n' "$1"; }
{ echo chunked; a_event '{"type":"message_start","message":{"usage":{"input_tokens":3}}}'
a_event '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
} >s
printf '%s\n' "$user" >in
serve s
is "anthropic: overloaded in the stream" "$(with anthropic -o \
	provider.max_retries=0 | jq -c 'select(.type == "error") |
	[.code, .retryable]')" '["overloaded",true]'
{ echo chunked; a_event '{"type":"message_start","message":{"usage":{"input_tokens":10,"cache_read_input_tokens":5}}}'
a_event '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"x"}}'
a_event '{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":0,"output_tokens":20,"cache_read_input_tokens":0}}'
a_event '{"type":"message_stop"}'; } >s
serve s
is "anthropic: a 0 at the end leaves what the start told" "$(with \
	anthropic | jq -c 'select(.type == "usage") | [.prompt_tokens,
	.completion_tokens, .cached_tokens]')" '[15,20,5]'
{ echo chunked; a_event '{"type":"message_start","message":{}}'
a_event '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'
a_event '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}'
} >s
serve s
is "anthropic: no message_stop is truncated" "$(with anthropic | jq -r \
	'select(.type == "error") | .code + " " + .partial.content')" \
	"truncated half"
{ echo chunked; a_event '{"type":"message_start","message":{}}'
a_event '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"weather","input":{}}}'
a_event '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"loc"}}'
a_event '{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}'
a_event '{"type":"message_stop"}'; } >s
serve s
is "anthropic: cut by length" "$(with anthropic | jq -c 'select(.role) |
	[.finish_reason, .tool_calls, .meta.dropped_calls]')" '["length",null,1]'
echo 'body [{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]},
body {"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}]}]' >s
serve s
is "gemini: an array of its events" "$(with gemini | jq -c 'select(.role) |
	[.content, .finish_reason]')" '["Hello","stop"]'
echo 'body [{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]}]' >s
serve s
is "... without the last one" "$(with gemini | jq -r 'select(.type ==
	"error") | .code + " " + .partial.content')" "truncated Hel"
echo 'body [{"error":{"code":429,"message":"slow down"}}]' >s
serve s
is "... an error" "$(with gemini -o provider.max_retries=0 | jq -r \
	'select(.type == "error") | .code')" rate_limited
{ echo chunked; a_event '{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(default_api.read("}]}'; } >s
serve s
is "gemini: a malformed call" "$(with gemini | jq -r 'select(.type ==
	"error") | "\(.code) \(.message)"')" \
	"malformed_tool_call Malformed function call: print(default_api.read("
printf 'status 400\nbody {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}\n' >s
serve s
is "anthropic: overflow, with its limit" "$(with anthropic | jq -r '.code //
	.context_tokens' | paste -sd' ')" "200000 context_overflow"
serve hello
ANTHROPIC_API_KEY=sk-secret-1 with anthropic -o 'provider.base_url=""' >/dev/null
is "a key is in its API's own header" "$(tail -n 1 log | jq -r \
	'.headers["x-api-key"] // "none"')" sk-secret-1
status "an unknown API: 2" 2 hamr-provider --no-config --api nonsense

# ---- params ----

serve hello
for api in anthropic responses gemini; do
	hamr-provider -n -q --no-config --api $api --base-url "$URL" --model m \
		-o provider.temperature=0.5 -o provider.max_tokens=9 \
		-o 'provider.params={"temperature":0.25,"top_p":1,"store":true,
"max_tokens":7,"generationConfig":{"topK":3}}' --record "tape.$api" \
		<in >/dev/null
	is "$api: no field stands twice" "$(jq -c --stream '.' "tape.$api" |
		jq -r 'select(length == 2) | .[0] | map(tostring) |
		join(".")' | grep '^request\.' | sort | uniq -d)" ""
done
is "params replace what is ours" "$(jq -c '.request | [.max_tokens,
	.temperature]' tape.anthropic) $(jq -c '.request.generationConfig' \
	tape.gemini) $(jq -c .request.store tape.responses)" \
	'[7,0.25] {"temperature":0.5,"maxOutputTokens":9,"topK":3} true'
printf '{"type":"request","messages":[%s],"params":{"options":{"seed":2,"num_ctx":99}}}\n' \
	"$user" >seed
hamr-provider -n -q --no-config --api ollama --base-url "$URL" --model m \
	-o 'provider.params={"options":{"seed":1,"top_k":3}}' -o provider.max_retries=0 \
	--record tape.seed <seed >/dev/null
is "ollama: the options of both are merged into ours" "$(jq -c \
	'.request.options | del(.num_predict)' tape.seed)" \
	'{"num_ctx":99,"seed":2,"top_k":3}'

printf '{"type":"request","messages":[%s],"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"none"}\n' \
	"$user" >none
hamr-provider -n -q --no-config --api gemini --base-url "$URL" --model m \
	-o 'provider.params={"toolConfig":{"x":1}}' --record tape.none \
	<none >/dev/null
is "gemini: ... nor the choice of a tool" "$(grep -o '"toolConfig":{[^}]*}' \
	tape.none)" '"toolConfig":{"functionCallingConfig":{"mode":"NONE"}'

jq -c 'del(.tool_choice)' none >free
for api in anthropic responses; do
	for in in free none; do
		rm -f tape.free
		hamr-provider -n -q --no-config --api $api --base-url "$URL" \
			--model m -o 'provider.params={"tool_choice":{"x":1}}' \
			--record tape.free <$in >/dev/null
		jq -c '.request.tool_choice == {x: 1}' tape.free
	done | paste -sd' ' >got
	is "$api: params choose a tool unless the request does" "$(cat got)" \
		"true false"
done

one='{"type":"function","function":{"name":"f"}}'
for choice in '"none"' '"required"' "$one"; do
	for api in openai responses anthropic gemini; do
		rm -f tape.free
		hamr-provider -n -q --no-config --api $api --base-url "$URL" \
			--model m -o "provider.params={\"tool_choice\":$choice}" \
			--record tape.free <free >/dev/null
		jq -c '.request | .tool_choice // .toolConfig' tape.free
	done
done >got
is "params choose a tool in the form of each API" "$(cat got)" '"none"
"none"
{"type":"none"}
{"functionCallingConfig":{"mode":"NONE"}}
"required"
"required"
{"type":"any"}
{"functionCallingConfig":{"mode":"ANY"}}
{"type":"function","function":{"name":"f"}}
{"type":"function","name":"f"}
{"type":"tool","name":"f"}
{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}'

# ---- JSON of many lines ----

cat >pretty <<'X'
text {\n  "object": "response", "status": "completed",\n  "output": [ { "type": "reasoning",\n "id": "rs \\"\\\\n\\" { 1",\r\n "summary": [ ] },\n
text {\n "type": "function_call", "call_id": "c", "name": "f",\n "arguments": "{\\n \\"a\\": 1}" } ]\n}\n
X
serve pretty
printf '%s\n' "$user" >in
hamr-provider -n -q --no-config --api responses --base-url "$URL" --model m \
	-o 'provider.params={
 "x": [ 1,
 2 ] }' --record tape <in | grep '"role"' >out
is "what goes back with a call stands on the message's line" "$(wc -l <out) $(jq -c \
	'.tool_calls[0] | [.carry, .function.arguments]' out)" \
	'1 [[{"type":"reasoning","id":"rs \"\\n\" { 1","summary":[]}],"{\n \"a\": 1}"]'
is "a cassette has a line of params of two" "$(wc -l <tape) $(jq -c '.request.x' tape)" \
	"1 [1,2]"
done_testing

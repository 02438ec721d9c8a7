#!/bin/bash
# what single servers want and say, each with the words it is known by
# (chapters 4.2 to 4.4); what is common is in the other files
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"
events "$(d '{"content":"hello"}')" "$(fin stop)" >hello
body() { tail -n 1 log | jq -j .body; }
hi='[{"role":"user","content":"hi"}]'
refuse() {	# STATUS WORDS >script
	printf 'status %s\nbody %s\n' "$1" "$(jq -cn --arg m "$2" \
		'{error: {message: $m}}')"
}
go() { hamr-provider -n -q --no-config --model m "$@" <in | no_times; }

# ---- templates that want turns ----

jq -sc '{type: "request", messages: .}' >in <<'X'
{"role":"system","content":"s"}
{"role":"user","content":"a"}
{"role":"user","content":[{"type":"text","text":"b"}]}
{"role":"assistant","content":null,"tool_calls":[{"id":"functions.f:0","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"abcdefgh1","type":"function","function":{"name":"f","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"functions.f:0","content":"x"}
{"role":"tool","tool_call_id":"abcdefgh1","content":"y"}
{"role":"user","content":"c"}
{"role":"system","content":"d \"q\""}
X
refuse 400 "Tool call id was functions.f:0 but must be a-z, A-Z, 0-9, with a length of 9." >no
serve no hello
is "Mistral's ids: tried once more" "$(ask | jq -r .content) $(wc -l <log)" "hello 2"
is "all have nine letters and digits, calls and results the same" "$(body |
	jq -c '[.messages[3].tool_calls[].id] as $c |
	[.messages[] | .tool_call_id // empty] as $r |
	[$c == $r, ($c[] | test("^[a-zA-Z0-9]{9}$")), $c[1]]')" \
	'[true,true,true,"abcdefgh1"]'
is "nothing else has changed" "$(body | jq -c '[.messages[].role]')" \
	'["system","user","user","assistant","tool","tool","user","user"]'
cat >named <<'X'
{"role":"user","content":"a"}
{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"repo.read:file \u00e9","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"f-g_h","arguments":"{\"name\":\"a.b\"}"}}]}
{"role":"tool","tool_call_id":"1","name":"repo.read:file \u00e9","content":"x"}
{"role":"tool","tool_call_id":"2","name":"f-g_h","content":"y"}
X
refuse 400 "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+\$'." >no
serve no hello
is "names that a model made up: tried once more" \
	"$(cp in was; cp named in; ask | jq -r .content) $(wc -l <log)" "hello 2"
is "... with letters, digits, _ and -, the arguments as they were" "$(body |
	jq -c '[.messages[] | (.tool_calls[]?.function | .name, .arguments),
	(select(.role == "tool") | .name)]')" \
	'["repo_read_file___","{}","f-g_h","{\"name\":\"a.b\"}","repo_read_file___","f-g_h"]'
refuse 400 "this model does not support tools" >none
serve no none hello
is "... but where calls are text they have the names of the tools told" \
	"$({ echo '{"type":"tools","tools":[{"type":"function","function":{"name":"a.b"}}]}'
	sed 's/f-g_h/a.b/' named; } >in; ask | jq -r '.content // empty') $(body |
	jq -r '.messages[2].content' | grep -cF '"name": "a.b"')" "hello 1"
for words in "Function name was repo.read:file but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64." \
	"Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_) or dashes (-)."; do
	refuse 400 "$words" >no
	serve no hello
	is "${words%% [MRw]*}: so are the names" "$(cp named in; ask |
		jq -r .content) $(body | jq -r '.messages[1].tool_calls[0] |
		.id + .function.name')" "hello 1repo_read_file___"
done
for pair in "[1].tool_calls[0].id:.messages[1].tool_calls[0].id" \
	"[2].tool_call_id:.messages[2].tool_call_id" \
	"[1].tool_calls[1].function.name:.messages[1].tool_calls[1].function.name"; do
	refuse 400 "Invalid 'messages${pair%%:*}': string too long. Expected a string with maximum length 40, but got a string with length 70 instead." >no
	serve no hello
	is "OpenAI's limit of ${pair%%:*}: tried once more" "$(jq -c \
		--arg x "$(printf %070d 0)" '(.. | select(. == "1" or . == "f-g_h")?) |= $x' \
		<named >in; ask | jq -r .content) $(wc -l <log) $(body |
		jq -r "${pair#*:} | length <= 64")" "hello 2 true"
done
mv was in
refuse 500 "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..." >no
serve no hello
is "roles that must alternate, with llama.cpp's status" "$(ask |
	jq -r .content) $(wc -l <log)" "hello 2"
is "what is of one role is one message" "$(body | jq -c '.messages |
	[.[].role], .[1].content, .[-1].content')" \
	'["system","user","assistant","tool","tool","user"]
[{"type":"text","text":"a"},{"type":"text","text":"b"}]
"c\n\n[system] d \"q\""'
refuse 400 "Error: Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!" >no
serve no hello
is "ids of a template of Mistral" "$(ask | jq -r .content) $(body |
	jq -c '[.messages[] | .tool_call_id // empty | length] | unique')" \
	"hello [9]"
cp in was
jq -c '.tools = [{type: "function", function: {name: "f"}}] |
	.messages |= .[3:]' was >in
refuse 500 "conversation roles must alternate" >no
serve no no no hello
is "roles must alternate, but have no tools" "$(ask 2>>err |
	jq -r 'select(.role).content') $(wc -l <log) $(body |
	jq -c '[.tools, [.messages[].role]]')" \
	'hello 4 [null,["system","user","assistant","user"]]'
mv was in
refuse 400 "This model only supports single tool-calls at once!" >no
serve no hello
is "one call a message" "$(ask | jq -r .content) $(body |
	jq -c '.messages[3:8] | map([.role, .tool_call_id] + [.tool_calls[]?.id])')" \
	'hello [["assistant",null,"functions.f:0"],["tool","functions.f:0"],["assistant",null,"abcdefgh1"],["tool","abcdefgh1"],["user",null]]'
refuse 400 "Unexpected role 'user' after role 'tool'" >no
serve no hello
is "no user message behind a result" "$(ask | jq -r .content) $(body |
	jq -c '[.messages[-4:][].role]')" 'hello ["tool","assistant","user","user"]'
serve no no no hello
is "each is learned once" "$(ask -o provider.max_retries=0 |
	jq -r '.content // .code') $(wc -l <log)" "bad_request 2"

# images, where results or the model have none
image='{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}'
jq -c '.messages[4].content = [{"type":"text","text":"x"}, $image] |
	.messages[5].content = [$image]' --argjson image "$image" in >in.2
cp in in.1
cp in.2 in
for words in "Invalid 'messages[4]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL." \
	"'messages.4' : for 'role:tool' the following must be satisfied[('messages.4.content' : value must be a string)]" \
	"messages.content.type 参数非法，取值范围 ['text']"; do
	refuse 400 "$words" >no
	serve no hello
	is "images of results go to the user: ${words:0:40}" "$(ask |
		jq -r .content) $(body | jq -c '.messages[-5:-1][] | [.role,
		(.content | strings // map(.text // .image_url.url)[])]')" \
		'hello ["tool","x\n[image: in the message after the results]"]
["tool","[image: in the message after the results]"]
["user","[images of the results above]","data:image/png;base64,AAAA","data:image/png;base64,AAAA"]
["user","c"]'
done
serve no no hello
is "... or nowhere" "$(ask | jq -r .content) $(body | grep -c AAAA)" "hello 0"
refuse 400 "stream_options: no such field in {'content': \"row['text']\"}" >no
serve no hello
is "... but stay where other words are quoted" "$(ask | jq -r .content) $(body |
	grep -c AAAA)" "hello 1"
while read -r status words; do
	refuse "$status" "$words" >no
	serve no hello
	is "a model without images gets none: ${words:0:40}" \
		"$(ask -o provider.max_retries=0 | jq -r .content) $(body |
		grep -c AAAA)" "hello 0"
done <<'X'
500 image input is not supported - hint: you may need to provide the mmproj
400 Qwen/Qwen3-8B is not a multimodal model
400 At most 0 image(s) may be provided in one prompt.
500 this model is missing data required for image input
400 Invalid request content: Image inputs are not supported by this model.
400 <400> InternalError.Algo.InvalidParameter: Unexpected item type in content.
400 'messages.5' : for 'role:user' the following must be satisfied[('messages.5.content' : value must be a string)]
X
cp in.1 in

# one that did not help is not kept
: >got
refuse 400 "max_tokens is not what we want" >no
printf 'event {"type":"message_start","message":{}}\nevent {"type":"message_stop"}\n' >anth
serve no no hello
{
	for i in 1 2; do
		printf '%s\n{"type":"go","n":%d}\n' "$user" $i
		until grep -q "\"n\":$i" got; do sleep .02; done
	done
} 2>>err | timeout 60 hamr-provider -r -q --no-config \
	-o provider.max_tokens=5 --base-url "$URL" --model m >got
is "what did not help is not kept" "$(jq -c '.body | fromjson | [.max_tokens,
	.max_completion_tokens]' log | paste -sd' ')" \
	"[5,null] [null,5] [5,null]"

# what an answer may have at most, where we ask for more by ourselves
most() {	# name WORDS API wanted
	refuse 400 "$2" >no
	serve no hello
	go --api "$3" --base-url "$URL" -o context.window=65536 >/dev/null
	is "$1" "$(jq -c '.body | fromjson | [.max_tokens,
		.max_completion_tokens]' log | paste -sd' ')" "$4"
}
most "less output, says Anthropic" \
	"max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3-haiku-20240307" \
	anthropic "[8192,null] [4096,null]"
most "... OpenAI" \
	"max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192." \
	openai "[8192,null] [4096,null]"
most "... Groq" \
	'`max_completion_tokens` must be less than or equal to `4096`, the maximum value for it' \
	openai "[8192,null] [4096,null]"
most "... but not where it is its name" \
	"gpt-5-2025-08-07: Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." \
	openai "[8192,null] [null,8192]"

# ---- parameters, in other APIs too ----

printf '{"type":"request","messages":%s,"params":{"tool_choice":"auto","max_completion_tokens":5},"tools":[{"type":"function","function":{"name":"f"}}]}\n' "$hi" >in
refuse 400 "Unknown field: max_completion_tokens" >no
serve no hello
is "max_completion_tokens is max_tokens" "$(ask | jq -r .content) $(body |
	jq -c '[.max_tokens, .max_completion_tokens]')" "hello [5,null]"
refuse 400 "tool_choice is not supported" >no
serve no hello
is "tool_choice" "$(ask | jq -r .content) $(body | jq -c 'has("tool_choice")')" \
	"hello false"
printf '%s\n' "$user" >in
refuse 400 "Unsupported parameter: 'temperature' is not supported with this model." >no
printf 'event {"type":"response.output_text.delta","delta":"hello"}\nevent {"type":"response.completed","response":{"status":"completed"}}\n' >resp
serve no resp
is "temperature in the Responses API" "$(go --api responses --base-url "$URL" \
	-o provider.temperature=1 | jq -r 'select(.role).content') $(body |
	jq -c 'has("temperature")')" "hello false"
refuse 400 '`temperature` is deprecated for this model.' >no
printf 'event {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}\nevent {"type":"message_stop"}\n' >anth
serve no anth
is "... and in Anthropic's" "$(go --api anthropic --base-url "$URL" \
	-o provider.temperature=1 | jq -r 'select(.role).content') $(body |
	jq -c 'has("temperature")')" "hello false"
nested() {	# name WORDS API PARAMS ANSWER jq wanted
	refuse 400 "$2" >no
	serve no "$5"
	is "$1" "$(go --api "$3" --base-url "${URL%/v1}" -o \
		provider.temperature=1 -o "provider.params=$4" |
		jq -r 'select(.role).content') $(body | jq -c "$6") $(wc -l <log)" \
		"hello $7 2"
}
printf 'event {"candidates":[{"content":{"parts":[{"text":"hello"}]},"finishReason":"STOP"}]}\n' >gem
printf 'line {"message":{"content":"hello"},"done":true}\n' >oll
nested "... and where Gemini has it" \
	"Unknown name \"temperature\" at 'generation_config': Cannot find field." \
	gemini '{"topP":1}' gem \
	'[.generationConfig, .topP]' '[{},1]'
nested "... and where Ollama has it" "invalid option provided: temperature" \
	ollama '{"options":{"seed":1}}' oll \
	'.options | [has("temperature"), has("num_ctx"), .seed]' '[false,true,1]'
nested "effort in the Responses API" \
	"Unsupported parameter: 'reasoning.effort' is not supported with this model." \
	responses '{"reasoning":{"effort":"low","summary":"auto"}}' resp \
	'[.reasoning, .temperature]' '[{"summary":"auto"},1]'
printf 'status 400\nbody {"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}\n' >no
serve no resp
is "a model without encrypted reasoning" "$(go --api responses --base-url "$URL" |
	jq -r 'select(.role).role') $(body | jq -c '[.include, .store]')" \
	"assistant [null,false]"
nested "store there" "Unknown parameter: 'store'." responses '{}' resp \
	'has("store")' false
printf '{"type":"request","messages":%s,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"temperature":{"type":"number"},"store":{"type":"string"}}}}}]}\n' "$hi" >in
refuse 400 "The property temperature of tool f (see the store: store) is bad" >no
serve no hello
is "what only a tool has is not asked for again" "$(ask | jq -r .code) $(wc -l <log)" \
	"bad_request 1"
printf '%s\n' "$user" >in
printf '{"role":"user","content":"q"}\n{"role":"assistant","content":"a","reasoning":"r"}\n{"role":"user","content":"x"}\n' >in
refuse 400 "The reasoning_content is not allowed in the input messages" >no
serve no hello
is "reasoning that must not be sent is not" "$(ask -o \
	provider.reasoning_replay=always | jq -r .content) $(body |
	grep -c reasoning_content)" "hello 0"
printf '%s\n' "$user" >in

# a gateway to Gemini, whose signature comes behind the call
{
	echo chunked
	printf 'event %s\n' "$(d '{"reasoning":"t","reasoning_details":[{"type":"reasoning.text","text":"t"}]}')" \
		"$(d '{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}')" \
		"$(d '{"reasoning_details":[{"type":"reasoning.encrypted","data":"SIG","index":0}]}')" \
		"$(fin tool_calls)"
} >call
printf 'status 400\nbody {"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"Gemini models require OpenRouter reasoning details to be preserved in each request."}}}\n' >no
serve call no hello
ask | sed 's/^{"type":"usage".*//' >got
printf '%s\n' "$user" "$(cat got)" '{"role":"tool","tool_call_id":"c","content":"x"}' >in
is "encrypted reasoning goes back once it is asked for" "$(ask |
	jq -r .content) $(jq -c 'select(.n > 1 or .conn > 1) | .body | fromjson |
	.messages[1] | [.reasoning_details, (.tool_calls[0] | has("carry"))]' log | xargs)" \
	"hello [null,false] [[{type:reasoning.encrypted,data:SIG,index:0}],false]"

# one to Anthropic, whose signature ends the thought
{
	echo chunked
	printf 'event %s\n' "$(d '{"reasoning":"t\n","reasoning_details":[{"type":"reasoning.text","text":"t\n","index":0}]}')" \
		"$(d '{"reasoning":"u","reasoning_details":[{"type":"reasoning.text","text":"u","signature":"","index":0}]}')" \
		"$(d '{"reasoning_details":[{"type":"reasoning.text","signature":"SIG","format":"x","index":0}]}')" \
		"$(d '{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}')" \
		"$(fin tool_calls)"
} >call
refuse 400 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.' >no
serve call no hello
printf '%s\n' "$user" >in
ask | sed 's/^{"type":"usage".*//' >got
printf '%s\n' "$user" "$(cat got)" '{"role":"tool","tool_call_id":"c","content":"x"}' >in
details='[{"text":"t\nu","type":"reasoning.text","signature":"SIG","format":"x","index":0}]'
is "signed reasoning, too" "$(ask | jq -r .content) $(jq -c 'select(.n > 1 or
	.conn > 1) | .body | fromjson | .messages[1].reasoning_details' log)" \
	"hello null
$details"
serve hello
ask -o provider.reasoning_replay=always >out
is "... and always, if that is set" "$(jq -c '.body | fromjson |
	.messages[1] | [.reasoning_details, .reasoning_content]' log)" \
	"[$details,\"t\\nu\"]"
printf '%s\n' "$user" >in

# ---- what is sent around ----

serve hello
http_proxy=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 \
	ALL_PROXY=http://127.0.0.1:9 all_proxy=http://127.0.0.1:9 \
	ask >out
is "proxies of the environment are not used" "$(jq -r .content out)" hello
serve hello
is "a configured one is" "$(go --base-url http://model.invalid/v1 -o \
	"provider.proxy=http://127.0.0.1:$HTTPD_PORT" |
	jq -r 'select(.role).content') $(jq -r .path log)" \
	"hello http://model.invalid/v1/chat/completions"
match "one that is not there is told" "$(ask -o provider.max_retries=0 \
	-o provider.proxy=http://127.0.0.1:9 | jq -r .message)" "*by the proxy*"
echo 'status 407' >s407
serve s407
for url in http https; do
	match "one that asks for a password, $url" "$(go --base-url \
		$url://model.invalid/v1 -o "provider.proxy=http://127.0.0.1:$HTTPD_PORT" |
		jq -c '[.code, .message, .retryable]')" \
		'\["bad_request","HTTP 407*NAME:PASSWORD@*",false\]'
done
printf 'header X: %0200000d\n' 0 >long
serve long
is "an endless line of its header is not asked for again" "$(go --base-url \
	https://model.invalid/v1 -o "provider.proxy=http://127.0.0.1:$HTTPD_PORT" |
	jq -c '[.code, .retryable]')" '["too_large",false]'
match "... and what is none, without its password" "$(ask -o \
	provider.proxy=sock://me:canary@127.0.0.1:9 2>&1)" \
	"*provider.proxy must begin with*not sock://"

# ---- overflow that is not said ----

large=$(head -c 40000 /dev/zero | tr '\0' 'x')
printf '{"type":"request","tokens":9000,"messages":[{"role":"user","content":"%s"}]}\n' "$large" >in
printf 'status 400\n' >s
serve s
is "Cerebras: an empty 400 to a large request" "$(ask | jq -r "select(.type == \"error\").code")" context_overflow
printf 'status 413\n' >s
serve s
is "... or 413" "$(ask | jq -r "select(.type == \"error\").code")" context_overflow
events "$(fin length)" '{"choices":[],"usage":{"prompt_tokens":8192,"completion_tokens":0}}' >s
serve s
is "MiMo: length before the first token" "$(ask | jq -r '.code // .type' |
	xargs)" "usage limit context_overflow"
events "$(fin length)" '{"choices":[],"usage":{"prompt_tokens":8192,"completion_tokens":5}}' >s
serve s
is "... behind one it is an answer" "$(ask | jq -r 'select(.role).finish_reason')" length
cut() {	# PROMPT CACHED >s
	events "$(d '{"content":"x"}')" "$(fin stop)" "{\"choices\":[],\"usage\":{\"prompt_tokens\":$1,\"completion_tokens\":1,\"prompt_tokens_details\":{\"cached_tokens\":$2}}}"
}
cut 2048 0 >s
serve s
ask 2>err >out
match "a silent cut is told" "$(cat err)" "*read 2048 tokens of about 9000*context.window*"
serve s
: >out
{
	cat in
	echo '{"type":"go","n":1}'
	for _ in $(seq 600); do
		! grep -qs '"role"' out || break
		sleep .05
	done
} | timeout 60 hamr-provider -r -q \
	--no-config --base-url "$URL" --model m 2>err >out
match "to the loop as progress" "$(jq -r 'select(.type == "progress").message' out)" \
	"*read 2048 tokens*"
cut 2048 6900 >s
serve s
ask 2>err >out
is "not when the cache had them" "$(cat err)" ""
# TOLD... of requests of 3,000, 6,000 and 9,000 tokens -> what came of each
counts() {
	for i in 1 2 3; do
		cut "${!i}" 0 >"s$i"
		printf '{"type":"request","tokens":%d000,"messages":[{"role":"user","content":"%s"}]}\n' \
			$((i * 3)) "$large"
		((i == 3)) || printf '{"type":"go","n":%d}\n' "$i"
	done >in
	serve s1 s2 s3
	ask 2>err >out
	jq -r '.code // .context_tokens // select(.role).content' out | xargs
}
is "one that counted all of the requests before has cut this one" \
	"$(counts 2900 5800 4100)" "x x 5800 context_overflow"
is "... its answer is a part of one" "$(jq -r 'select(.code).partial.content' \
	out)" x
is "half of them is no proof" "$(counts 2900 3100 4100)" "x x x"
is "one that counts only what was not in its cache cuts nothing" \
	"$(counts 2900 1100 1200)" "x x x"
match "... which it is told once" "$(cat err)" "*read 1100 tokens of about 6000*"
printf '%s\n' "$user" >in
while IFS= read -r words; do
	refuse 400 "$words" >s
	serve s
	is "overflow: ${words:0:50}" "$(ask | jq -r 'select(.code).code')" context_overflow
done <<'X'
the prompt is longer than the context length currently available to the model
no user query found in messages
Input length 9000 exceeds the maximum allowed input length of 8192 tokens
too many tokens: total number of tokens in the request exceeds the limit of 4081 tokens
X
printf 'status 400\nbody {"error":{"type":"context_exceeded","message":"no"}}\n' >s
serve s
is "overflow: by its type" "$(ask | jq -r .code)" context_overflow

# ---- other words for the end, and for the beginning ----

printf 'body {"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-4,"completion_tokens":1.5,"total_tokens":"many"}}\n' >s
serve s
is "usage without a count is none" "$(ask | jq -s 'map(.type)' -c)" '[null]'

while read -r reason want; do
	events "$(d '{"content":"x"}')" "$(fin "$reason")" >s
	serve s
	is "finish_reason $reason" "$(ask | jq -r .finish_reason)" "$want"
done <<'X'
content_filter content_filter
model_context_window_exceeded length
max_tokens length
end_turn stop
eos stop
error error
load error
unload error
MAX_TOKENS length
Safety content_filter
sensitive content_filter
abort error
network_error error
insufficient_system_resource error
function_call stop
X
says "arguments with the first delta, as llama.cpp has them" \
	'[null,null,[["a","f","{\"x\":1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{\"x"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]}')" \
	"$(fin tool_calls)"
says "<|endoftext|> behind the arguments" \
	'[null,null,[["a","f","{\"x\":1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}<|endoftext|>"}}]}')" \
	"$(fin tool_calls)"
says "a prefix that gpt-oss gives to names" \
	'[null,null,[["a","f","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"functions.f","arguments":"{}"}}]}')" \
	"$(fin tool_calls)"
refuse 500 "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101]" >s
sed -i '1a header Retry-After: 0' s
serve s hello
is "llama-server's own broken call is asked again" "$(ask |
	jq -r 'select(.role).content')" hello
for words in "Failed to parse tool call arguments as JSON" \
	"The model produced output that does not match the expected peg-native format"; do
	refuse 500 "$words" >s
	serve s
	is "... and is one: $words" "$(ask -o provider.max_retries=0 |
		jq -c '[.code, .retryable]')" '["malformed_tool_call",true]'
	events "{\"error\":{\"code\":500,\"message\":\"$words\"}}" >s
	serve s
	is "... in a stream" "$(ask -o provider.max_retries=0 |
		jq -c '[.code, .retryable]')" '["malformed_tool_call",true]'
done

# ---- old llama.cpp: no tools with stream ----

printf '%s\n{"type":"go","n":1}\n%s\n' "$user" "$user" >in
printf 'body {"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}\n' >whole
sorry='{"error":{"code":500,"message":"Cannot use tools with stream","type":"server_error"}}'
while IFS='|' read -r name directives; do
	printf '%b\n' "$directives" >no
	serve no whole
	is "$name: asked again at once, no retry counted" "$(ask -o \
		provider.max_retries=0 | jq -r '.content // .code // .type' |
		xargs)" "whole go whole"
	is "... without a stream, in the next request too" "$(jq -c '.body |
		fromjson | [.stream, .stream_options != null]' log | xargs)" \
		"[true,true] [false,false] [false,false]"
done <<X
no stream with tools, HTTP 500|status 500\nbody $sorry
HTTP 400|status 400\nbody $sorry
HTTP 501|status 501\nbody {"error":"Cannot use tools with stream"}
HTTP 503, loading or not|status 503\nbody $sorry
HTTP 200|body $sorry
an event|event $sorry
an error field|line error: {"code":500,"message":"Cannot use tools with stream"}\nline
X
printf 'status 500\nheader Retry-After: 0\nbody %s\n' "$sorry" >no
serve no
is "it is said once more: an error like another" "$(ask -o \
	provider.max_retries=1 | jq -r 'select(.code and .stage and .retryable
	!= null) | .code' | xargs) $(wc -l <log)" "server server 5"
printf '%s\n' "$user" >in

# ---- no tools ----

printf '%s\n%s\n' '{"type":"tools","tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}]}' \
	"$user" >in
events "$(d '{"content":"<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"}')" \
	"$(fin stop)" >called
while IFS='|' read -r http words; do
	refuse "$http" "$words" >no
	serve no called
	is "without tools: ${words:0:40}" "$(ask | jq -r \
		'.tool_calls[0].function.name // .code') $(wc -l <log)" "f 2"
	is "... is told them as text" "$(jq -c '.body | fromjson | [.tools !=
		null, (.messages | tostring | contains("<tools>"))]' log |
		xargs)" "[true,false] [false,true]"
done <<'X'
400|registry.ollama.ai/library/gemma3:4b does not support tools
500|tools param requires --jinja flag
400|"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set
404|No endpoints found that support tool use. To learn more about provider routing, visit: x
X
printf 'status 400\nbody {"error":"gemma3 does not support tools"}\n' >no
printf 'line {"message":{"content":"<tool_call>{\\"name\\":\\"f\\",\\"arguments\\":{}}</tool_call>"},"done":true}\n' >called
serve no called
is "... of Ollama's own API" "$(ask --api ollama |
	jq -r 'select(.role).tool_calls[0].function.name') $(jq -c '.body | fromjson |
	.tools != null' log | xargs)" "f true false"
match "... and it is said" "$(serve no called; hamr-provider -n --no-config \
	--api ollama --base-url "$URL" --model m <in 2>&1 >/dev/null)" \
	"*m does not support tool calls; *hermes*"
serve no called
is "... not where the dialect is set" "$(ask --api ollama -o \
	provider.tool_dialect=none | jq -r '.code') $(wc -l <log)" "bad_request 1"
serve called
is "a dialect that is set leaves none beside it" "$(ask --api ollama -o \
	provider.tool_dialect=hermes |
	jq -r 'select(.role).tool_calls[0].function.name') \
$(jq -c '.body | fromjson | .tools' log)" "f null"
printf '%s\n' "$user" >in

# ---- Anthropic ----

anthropic() {	# name wanted-jq wanted event...
	{ printf 'event {"type":"message_start","message":{"usage":{"input_tokens":3,"output_tokens":1}}}\n'
	printf 'event %s\n' "${@:4}" '{"type":"message_stop"}'; } >s
	serve s
	is "anthropic: $1" "$(go --api anthropic --base-url "$URL" | jq -c "$2")" "$3"
}
start='{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}'
anthropic "empty partial_json is {}" 'select(.role).tool_calls[0].function.arguments' \
	'"{}"' "$start" '{"type":"ping"}' \
	'{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}' \
	'{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}'
anthropic "an answer that another one follows is cut off" \
	'select(.code) | [.code, .retryable, .partial.content]' \
	'["truncated",true,"x"]' \
	'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}' \
	'{"type":"message_start","message":{}}' \
	'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"y"}}'
anthropic "output usage is cumulative" 'select(.type == "usage") |
	[.prompt_tokens, .completion_tokens]' '[3,9]' \
	'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}' \
	'{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":4}}' \
	'{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}'
anthropic "tokens written to the cache are told" 'select(.type == "usage") |
	[.prompt_tokens, .cached_tokens, .cache_write_tokens]' '[103,80,20]' \
	'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}' \
	'{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":3,"cache_read_input_tokens":80,"cache_creation_input_tokens":20,"output_tokens":9}}'
anthropic "a delta of a type that is not known is nothing" 'select(.role) |
	[.content, .tool_calls]' '["x",null]' \
	'{"type":"content_block_delta","index":0,"delta":{"type":"aside_delta","text":"y"}}' \
	'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x","partial_json":"{}"}}' \
	'{"type":"message_delta","delta":{"stop_reason":"end_turn"}}'
anthropic "what the server itself calls is no call of ours" 'select(.role) |
	[.content, .tool_calls]' '["x",null]' \
	'{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}' \
	'{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":1}"}}' \
	'{"type":"content_block_stop","index":1}' \
	'{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"x"}}' \
	'{"type":"message_delta","delta":{"stop_reason":"end_turn"}}'
anthropic "where every block has the same index" 'select(.role) |
	[.tool_calls[] | [.id, .function.arguments]]' '[["t","{\"a\":1}"]]' \
	'{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}' \
	'{"type":"content_block_stop","index":0}' \
	'{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{}}}' \
	'{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}' \
	'{"type":"message_delta","delta":{"stop_reason":"tool_use"}}'
thought() {	# INDEX START-OF-BLOCK: with "u" added, and a call
	printf '%s\n' "{\"type\":\"content_block_start\",\"index\":$1,\"content_block\":{\"type\":\"thinking\",$2}}" \
		"{\"type\":\"content_block_delta\",\"index\":$1,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"u\"}}" \
		"{\"type\":\"content_block_stop\",\"index\":$1}" \
		"{\"type\":\"content_block_start\",\"index\":$(($1 + 1)),\"content_block\":{\"type\":\"tool_use\",\"id\":\"c$1\",\"name\":\"f\",\"input\":{}}}"
}
mapfile -t thoughts < <(thought 0 '"thinking":"","signature":""'
	thought 2 '"thinking":"t","signature":"s"')
anthropic "each thought belongs to the call after it" 'select(.role) |
	[.reasoning, (.tool_calls[].carry[] | [.thinking, .signature])]' \
	'["u\n\ntu",["u",""],["tu","s"]]' "${thoughts[@]}" \
	'{"type":"message_delta","delta":{"stop_reason":"tool_use"}}'
go --api anthropic --base-url "$URL" | grep role >answer
{ cat in answer
for id in c0 c2; do
	printf '{"role":"tool","tool_call_id":"%s","content":"1"}\n' "$id"
done; } >in.2
mv in.2 in
serve anth
go --api anthropic --base-url "$URL" >/dev/null
is "... and goes back there" "$(body |
	jq -c '[.messages[1].content[] | .thinking // .id]')" \
	'["u","c0","tu","c2"]'
cat >in <<'X'
{"role":"user","content":"q"}
{"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"carry":[{"type":"thinking","thinking":"t","signature":"s"}]},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"a","content":"1"}
{"role":"tool","tool_call_id":"b","content":"2"}
X
serve anth
go --api anthropic --base-url "$URL" >/dev/null
is "thoughts go back first, and the text with them" "$(body |
	jq -c '[.messages[1].content[] | .thinking // .text // .id]')" '["t","I look.","a","b"]'
refuse 400 'messages.1.content.0.type: Expected `thinking`, but found `text`. When `thinking` is enabled, a final `assistant` message must start with a thinking block' >no
serve no anth
is "anthropic: no thinking after calls without thoughts" "$(go --api anthropic \
	--base-url "$URL" -o 'provider.params={"thinking":{"type":"adaptive"}}' |
	grep -c role) $(body | jq -c .thinking)" '1 null'
refuse 400 '`max_tokens` must be greater than `thinking.budget_tokens`' >no
serve no anth
is "anthropic: max_tokens has no other name" "$(go --api anthropic --base-url \
	"$URL" | jq -r .message)" \
	'HTTP 400: `max_tokens` must be greater than `thinking.budget_tokens`'
for words in 'Function call is missing a thought_signature in functionCall parts.' \
	'Corrupted thought signature.'; do
	refuse 400 "$words" >no
	serve no gem
	is "gemini: $words" "$(go --api gemini --base-url "$URL" |
		grep -c role) $(body | jq -c '[.contents[1].parts[] |
		.thoughtSignature]')" \
		'1 [null,"skip_thought_signature_validator",null]'
done
cat >in <<'X'
{"role":"user","content":"q"}
{"role":"assistant","content":null,"tool_calls":[{"id":"functions.x:0","type":"function","function":{"name":"container.exec","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"functions.x:0","content":"no such tool"}
X
serve anth
go --api anthropic --base-url "$URL" >/dev/null
is "anthropic: ids and names of another model's" "$(body | jq -c \
	'[.messages[1:][].content[0]] | [.[0].name, .[0].id == .[1].tool_use_id,
	(.[0].id | test("^[0-9A-Za-z]{9}$"))]')" '["container_exec",true,true]'
jq -cn '{type: "request", messages: [{role: "assistant", tool_calls: ["f:0", "f_0" |
	{id: ., type: "function", function: {name: "f", arguments: "{}"}}]}]}' >in
serve anth
go --api anthropic --base-url "$URL" >/dev/null
is "anthropic: two ids stay two" "$(body | jq -c '[.messages[].content[] |
	.id // .tool_use_id // empty] | [.[0] == .[2], .[0] == .[1], .[1],
	.[3]]')" '[true,false,"f_0","f_0"]'
jq -cn '{type: "request", messages: [
	{role: "assistant", content: "\n\n", tool_calls: [{id: "a", type: "function", function: {name: "f", arguments: "{}"}}]},
	{role: "tool", tool_call_id: "a", content: [{type: "text", text: " \t"}, {type: "text", text: "x"}]},
	{role: "assistant", content: " "},
	{role: "user", content: [{type: "image_url", image_url: {}}]}]}' >in
serve anth anth
go --api anthropic --base-url "$URL" >/dev/null
is "anthropic: no part of white space, the user begins and ends" "$(body |
	jq -c '[.messages[] | [.role, (.content[] | .text // .id //
	.content[].text)]]')" \
	'[["user","(continued)"],["assistant","a"],["user","x","(empty)"]]'
printf '{"type":"request","messages":[{"content":"x"},{"role":5},{"role":"system","content":"s"}]}\n' >in.2
for api in anthropic gemini responses ollama; do
	serve hello
	hamr-provider -n -q --no-config --model m --api $api --base-url "$URL" \
		<in.2 >/dev/null
	is "$api: what has no role is not sent" "$(body | jq -c '(.messages //
		.contents // .input) | map(.role)')" \
		"$(case $api in anthropic | gemini) echo '["user"]' ;;
		*) echo '["system"]' ;; esac)"
done
serve anth
go --api responses --base-url "$URL" -o provider.max_retries=0 >/dev/null
is "responses: an image without an address is left out" "$(body |
	jq -c '.input[-1].content')" '[{"type":"input_text","text":"(empty)"}]'
cat >in <<'X'
{"role":"user","content":"q"}
{"role":"assistant","content":"I look.","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"carry":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"reasoning","id":"r","encrypted_content":"e"}]}]}
{"role":"tool","tool_call_id":"a","content":"1"}
X
serve resp
go --api responses --base-url "$URL" >/dev/null
is "responses: reasoning goes back first" "$(body | jq -c '[.input[].type]')" \
	'["message","reasoning","message","function_call","function_call_output"]'
refuse 400 'messages.1.content.0: Invalid `signature` in `thinking` block' >no
serve no anth
is "anthropic: thoughts of another model are left out" "$(go --api anthropic \
	--base-url "$URL" | grep -c role) $(body | jq -c \
	'[.messages[1].content[].type]')" '1 ["text","tool_use"]'
printf 'status 400\nbody {"error":{"message":"could not be verified","code":"invalid_encrypted_content"}}\n' >no
serve no resp
is "... in the Responses API, too" "$(go --api responses --base-url "$URL" |
	grep -c role) $(body | jq -c '[.input[].type]')" \
	'1 ["message","message","function_call","function_call_output"]'
printf '%s\n' "$user" >in
for pair in refusal:content_filter stop_sequence:stop pause_turn:stop \
	model_context_window_exceeded:length; do
	anthropic "stop_reason ${pair%:*}" 'select(.role).finish_reason' \
		"\"${pair#*:}\"" \
		'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}' \
		'{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{}}}' \
		"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"${pair%:*}\"}}"
done
printf 'status 413\nbody {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}\n' >s
serve s
is "anthropic: 413" "$(go --api anthropic --base-url "$URL" | jq -r .code)" context_overflow

# ---- Responses, Ollama ----

events '{"type":"response.output_item.added","output_index":0,"item":{"type":"message","content":[]}}' \
	'{"type":"response.output_text.delta","delta":"I look."}' \
	'{"type":"response.reasoning_summary_part.added","summary_index":0}' \
	'{"type":"response.reasoning_summary_text.delta","delta":"a"}' \
	'{"type":"response.reasoning_summary_part.added","summary_index":1}' \
	'{"type":"response.reasoning_summary_text.delta","delta":"b"}' \
	'{"type":"response.output_item.added","output_index":2,"item":{"type":"message","content":[]}}' \
	'{"type":"response.output_text.delta","delta":"Done."}' \
	'{"type":"response.completed","response":{"status":"completed"}}' >s
serve s
is "responses: several messages and summaries" "$(go --api responses --base-url \
	"$URL" | jq -c 'select(.role) | [.content, .reasoning]')" \
	'["I look.\n\nDone.","a\n\nb"]'
printf 'event {"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}}}\n' >s
serve s
is "responses: failed" "$(go --api responses --base-url "$URL" -o \
	provider.max_retries=0 | jq -r .code)" rate_limited
printf 'event {"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota","message":"pay"}}\n' >s
serve s
is "responses: a quota that is used up" "$(go --api responses --base-url \
	"$URL" -o provider.max_retries=0 | jq -r .code)" rate_limited
printf 'event {"type":"response.output_text.delta","delta":"x"}\nevent {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}\n' >s
serve s
is "responses: incomplete" "$(go --api responses --base-url "$URL" |
	jq -r 'select(.role).finish_reason')" length
printf 'event {"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"hello"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}}\n' >s
serve s
is "responses: no delta at all" "$(go --api responses --base-url "$URL" |
	jq -c 'select(.role) | [.content, .tool_calls[0].id]')" '["hello","c"]'
done_with() {	# ITEM...
	printf 'event {"type":"response.output_item.done","item":%s}\n' "$@"
}
{
	done_with '{"type":"reasoning","summary":[{"text":"a"},{"text":"b"}]}' \
		'{"type":"message","content":[{"type":"output_text","text":"I look."}]}' \
		'{"type":"message","content":[{"type":"output_text","text":"Done."}]}' \
		'{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}'
	printf 'event {"type":"response.completed","response":{"status":"completed"}}\n'
} >s
serve s
is "responses: whole items only" "$(go --api responses --base-url "$URL" |
	jq -c 'select(.role) | [.content, .reasoning, .tool_calls[0].id]')" \
	'["I look.\n\nDone.","a\n\nb","c"]'
{
	printf 'event {"type":"response.output_item.added","item":{"type":"message"}}\n'
	done_with '{"type":"message","content":[{"type":"output_text","text":"I look."}]}' \
		'{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}'
	printf 'event {"type":"response.completed","response":{"status":"completed"}}\n'
} >s
serve s
is "... and a call behind a message, without indexes" "$(go --api responses \
	--base-url "$URL" | jq -c 'select(.role) | [.content,
	.tool_calls[0].function.arguments]')" '["I look.","{}"]'
for n in 1 2; do
	printf 'event {"type":"response.%s","item":{"type":"function_call","call_id":"%s","name":"f","arguments":""},"arguments":"%s"}\n' \
		output_item.added "$n" "" function_call_arguments.done "$n" \
		"{\\\"a\\\":$n}" output_item.done "$n" ""
done >s
printf 'event {"type":"response.completed","response":{"status":"completed"}}\n' >>s
serve s
is "responses: arguments at their end only" "$(go --api responses \
	--base-url "$URL" | jq -c 'select(.role) | [.tool_calls[] | .id,
	.function.arguments]')" '["1","{\"a\":1}","2","{\"a\":2}"]'
# what may become a call is held back: that is no answer without deltas
obj='"{\"name\":\"f\",\"age\":3}"'
for end in '"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":'"$obj"'}]}]}' \
	'"choices":[{"index":0,"message":{"content":'"$obj"'},"finish_reason":"stop"}]'
do
	case $end in
	*choices*) api=openai delta='"choices":[{"delta":{"content":'"$obj"'}}]' ;;
	*) api=responses delta='"type":"response.output_text.delta","delta":'"$obj" ;;
	esac
	printf '%s\n' "chunked" "event {$delta}" "event {$end}" >s
	serve s
	is "$api: a text that is held back is not taken twice" "$(go --api $api \
		--base-url "$URL" | jq -r 'select(.role) | .content')" \
		'{"name":"f","age":3}'
done
printf 'line {"message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}\n' >s
serve s
is "ollama: load is no answer" "$(go --api ollama --base-url "$URL" |
	jq -r 'select(.role).finish_reason')" error
printf 'path /api/chat\nbody {"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"ping","arguments":{}}}]},"done":true,"done_reason":"stop","eval_count":8}\n' >s
serve s
is "--probe asks as the API does" "$(hamr-provider --probe --no-config --model m \
	--api ollama --base-url "${URL%/v1}" 2>/dev/null | jq -r .tools) $(jq -r \
	'select(.method == "POST").path' log)" "true /api/chat"
printf '{"role":"user","content":"hi"}\n' >in
printf 'path /api/chat\nline {"message":{"content":"x"},"done":true}\n' >s
serve s
is "OLLAMA_HOST without a scheme" "$(OLLAMA_HOST=127.0.0.1:$HTTPD_PORT go \
	--api ollama | jq -r 'select(.role).content')" x
match "... and without a port" "$(OLLAMA_HOST=127.0.0.2 go --api ollama \
	-o provider.max_retries=0 | jq -r .message)" "http://127.0.0.2:11434:*"
is "... and without a host" "$(OLLAMA_HOST=:$HTTPD_PORT go \
	--api ollama | jq -r 'select(.role).content')" x
for url in http:// http:///v1 https://:80/v1; do
	is "an address without a host: $url" "$(go --base-url $url 2>&1)" \
		"hamr-provider: --base-url: the base URL names no host; write it like http://127.0.0.1:8080/v1"
done
mkdir -p "$XDG_CONFIG_HOME/hamr"
printf '[provider]\nbase_url = "x"\n' >"$XDG_CONFIG_HOME/hamr/config.toml"
status "a wrong address in a file" 78 hamr-provider -n in
match "... is told with its line" "$(cat .err)" \
	"*/config.toml:2: the base URL must begin with *"
rm -r "$XDG_CONFIG_HOME/hamr"

printf 'line {"message":{"content":"","reasoning_content":"hm"}}\nline {"message":{"content":"x"},"done":true}\n' >s
serve s
is "ollama: thoughts as gateways name them" "$(go --api ollama --base-url \
	"$URL" | jq -c 'select(.role) | [.reasoning, .content]')" '["hm","x"]'

# ---- Gemini ----

while IFS='|' read -r reason part want; do
	printf 'event {"candidates":[{"content":{"parts":[%s]},"finishReason":"%s"}]}\n' \
		"$part" "$reason" >s
	serve s
	is "gemini: $reason" "$(go --api gemini --base-url "${URL%/v1}" |
		jq -r 'select(.role).finish_reason')" "$want"
done <<'X'
FUNCTION_CALL|{"functionCall":{"name":"f","args":{}}}|tool_calls
STOP|{"functionCall":{"name":"f","args":{}}}|tool_calls
NEW_WORD|{"text":"x"}|stop
MAX_TOKENS|{"text":"x"}|length
SAFETY|{"text":"x"}|content_filter
UNEXPECTED_TOOL_CALL|{"text":"x"}|error
X
echo 'event {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$.p","stringValue":"a","willContinue":true}],"willContinue":true}}]}}]}' >s
serve s
is "gemini: no call of a part of its arguments" "$(go --api gemini \
	--base-url "${URL%/v1}" | jq -c '[.code, .retryable, .tool_calls]')" \
	'["bad_request",false,null]'

# ---- keys in cassettes ----

key=sk-canary-12345
printf 'body {"choices":[{"message":{"content":"a%s\\u00e9"},"finish_reason":"stop"}]}\n' "$key" >s
printf 'text x: \\x00\\xFF %s\n' "$key" >bin
serve s bin
printf '{"role":"user","content":"my key is %s"}\n' "$key" >in
OPENAI_API_KEY=$key ask --record tape -o provider.max_retries=0 >/dev/null
OPENAI_API_KEY=$key ask --record tape -o provider.max_retries=0 >/dev/null
is "blanked in request and answer" "$(grep -c canary tape) $(grep -o '\[key\]' tape |
	wc -l)" "0 3"
is "also in bytes that are no text" "$(jq -r '.response_hex // empty' tape |
	python3 -c 'import sys; print(b"canary" in bytes.fromhex(sys.stdin.read()))')" False
# a server that repeats what it was sent, in JSON of its own
printf '%s\n' "$user" >in
key=sk/canary+12345678
printf 'status 400\nbody {"error":{"message":"k sk\\/canary\\u002b12345678 %%73k%%2fcanary%%2B12345678 h x-canary-12345678"}}\n' >no
events "$(d '{"content":"k sk/canary\u002B12345678 %73k%2fcanary%2B12345678"}')" \
	"$(d '{"content":" h x-canary-12345678"}')" >said
for end in no said; do
	serve "$end"
	OPENAI_API_KEY=$key ask --record tape2 -o provider.max_retries=0 \
		-o 'provider.headers=["X-Api-Key: x-canary-12345678"]' >out 2>&1
	is "a key that the server repeats is blanked: $end" "$(cat out tape2 |
		grep -c canary) $(jq -r '.partial.content // .message' out)" \
		"0 $([ $end = no ] && echo "HTTP 400: ")k [key] [key] h [key]"
done
events "$(d '{"content":"k sk/can"}')" "$(d '{"content":"ary+123"}')" \
	"$(d '{"content":"45678 sk/canada sk"}')" "$(d '{"reasoning":"s"}')" \
	"$(d '{"content":"/can"}')" "$(fin stop)" >pieces
serve pieces
is "... also one in pieces; what only begins like it is shown" "$(
	OPENAI_API_KEY=$key asked | jq -c 'select(.type == "delta") | .text' |
	tr '\n' ' ')" '"k " "[key] sk/canada " "sk" "s" "/can" '
key=sk/canary+12345678sk
events "$(d "{\"content\":\"k $key\"}")" "$(d '{"content":" sk/canary+12345678"}')" \
	"$(d '{"content":"sk"}')" "$(fin stop)" >ends
serve ends
is "... and one that ends as it begins" "$(OPENAI_API_KEY=$key asked |
	jq -j 'select(.type == "delta") | .text')" "k [key] [key]"
done_testing

#!/bin/bash
# failures: codes, retries, limits, what is kept (chapter 4.4)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"

events "$(d '{"content":"hello"}')" "$(fin stop)" >hello
err() {	# jq filter; ARG...
	filter=$1
	shift
	ask "$@" | jq -c "select(.type == \"error\") | $filter"
}
# name status wanted; script on stdin
fails() {
	script s
	serve s
	hamr-provider -n -q --no-config --base-url "$URL" --model m \
		-o provider.max_retries=0 <in >got 2>err
	is "$1: status $2" "$?" "$2"
	is "$1: record" "$(jq -c 'select(.type == "error") |
		[.stage, .code, .retryable]' got)" "[\"provider\",$3]"
}

# ---- codes by status ----

while read -r http code retryable st; do
	fails "HTTP $http" "$st" "\"$code\",$retryable" <<X
status $http
body {"error":{"message":"said so","code":$http}}
X
	is "HTTP $http: words" "$(jq -r 'select(.type == "error").message |
		split("; ")[0]' got)" "HTTP $http: said so"
done <<X
400 bad_request false 69
404 bad_request false 69
422 bad_request false 69
401 auth false 69
403 auth false 69
408 timeout true 75
504 timeout true 75
409 server true 75
425 server true 75
500 server true 75
502 server true 75
429 rate_limited true 75
503 overloaded true 75
529 overloaded true 75
413 context_overflow false 69
301 bad_request false 69
X

# ---- shapes of error bodies ----

while IFS='|' read -r body words; do
	printf 'status 400\n%s\n' "${body:+body $body}" | script s
	serve s
	is "words of: ${body:-nothing}" "$(err .message)" "\"HTTP 400$words\""
done <<'X'
{"type":"error","message":{"type":"api_error","message":"boom"}}|: boom
{"error":{"message":"a","type":"t","param":null,"code":7}}|: a
{"error":"a"}|: a
{"object":"error","message":"a"}|: a
{"detail":"a"}|: a
{"detail":[{"loc":["body"],"msg":"a","type":"t"}]}|: a
{"type":"error","error":{"type":"t","message":"a"}}|: a
{"error":{"message":"a","metadata":{"raw":"b"}}}|: a: b
{"success":false,"errors":[{"code":7,"message":"a"}]}|: a
{"error":"a","base_resp":{"status_code":0,"status_msg":"success"}}|: a
<html><body>Bad gateway</body></html>|, with a page of HTML
plain words|: plain words
|, with an empty body
X

printf 'status 400\nbody %s\n' '{"error":{"message":"Failed to call a function.","code":"tool_use_failed","failed_generation":"<function=f>"}}' >s
serve s
is "a call that the server could not read" "$(err '[.code, .retryable]') $(grep -c . log)" \
	'["malformed_tool_call",true] 1'

printf 'status 429\nbody %s\n' '{"error":{"message":"slow","details":[{"retryDelay": "0.02s"}]}}' >s
printf 'status 429\nbody %s\n' '{"error":{"message":"slow","details":[{"retryDelay":"121s"}]}}' >s2
serve s s2
printf 'status 429\nheader Retry-After: 100\nheader Retry-After-Ms: 30.5\n' >s3
serve s3 s2
is "... OpenAI, in milliseconds" "$(ask | jq -c '.wait_ms // empty')" 30
serve s s2
is "the wait that Gemini asks for" "$(ask | jq -c '.wait_ms // .message')" \
	'20
"HTTP 429: slow; the server asks for a wait of 121 s, more than provider.max_retry_after (120 s)"'

# ---- in the answer (N2) ----

fails "an error object in the stream" 75 '"server",true' <<X
event {"error":{"message":"boom"}}
X
fails "... with a code" 75 '"rate_limited",true' <<X
event {"error":{"message":"slow down","code":429}}
X
fails "... overloaded_error" 75 '"overloaded",true' <<X
event {"type":"error","error":{"type":"overloaded_error","message":"busy"}}
X
fails "... billing_error is not tried again" 69 '"bad_request",false' <<X
event {"type":"error","error":{"type":"billing_error","message":"pay"}}
X
fails "... as a field of its own" 75 '"server",true' <<X
line error: {"code":500,"message":"boom","type":"server_error"}
line
X
is "... its words" "$(jq -r 'select(.code).message' got)" \
	"the server reports in its answer: boom"
fails "... that is no JSON" 75 '"server",true' <<X
line error: boom
line
X
fails "... at the end of the stream" 69 '"auth",false' <<X
body error: {"code":401,"message":"no"}
X
fails "... cut" 75 '"truncated",true' <<X
body error: {"code":401,"mess
X
fails "an error as JSON with status 200" 69 '"bad_request",false' <<X
body {"error":{"message":"boom","code":400}}
X
fails "... with neither error nor message" 75 '"server",true' <<X
body {"code":500,"msg":"404 NOT_FOUND","success":false}
X
for code in '1001 75 "server",true' '1002 75 "rate_limited",true' \
	'1004 69 "auth",false' '2049 69 "auth",false' \
	'1008 69 "bad_request",false'; do
	read -r number status wanted <<<"$code"
	fails "... MiniMax's, beside empty choices: $number" "$status" \
		"$wanted" <<X
body {"choices":null,"base_resp":{"status_code":$number,"status_msg":"no balance"}}
X
done
is "... its words" "$(jq -r 'select(.code).message' got)" \
	"the server reports in its answer: no balance"
fails "... and its full window" 69 '"context_overflow",false' <<X
event {"choices":[],"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit (2013)"}}
X
for last in '{"code":0,"msg":"success"}' \
	'{"choices":[{"index":0,"delta":{}}],"base_resp":{"status_code":1027}}'; do
	events "$(d '{"content":"hello"}')" "$last" "$(fin stop)" >s
	serve s
	is "... but not beside an answer: $last" "$(ask | jq -r .content)" hello
done
fails "a page of HTML with status 200" 69 '"server",false' <<X
header Content-Type: text/html
body <html>hello</html>
X
fails "JSON that is no answer" 69 '"server",false' <<X
body {"hello":"world"}
X
fails "... cut where a value seems to end" 75 '"truncated",true' <<X
body {"choices":[{"message":{"content":"use {a}
X
{ events "$(d '{"content":"so "}')" "$(d '{"content":"far"}')" \
	'{"error":{"message":"boom"}}'; } | script s
serve s
is "an error behind some text keeps it" "$(err '[.code, .partial.content]')" \
	'["server","so far"]'
is "... and is not tried again" "$(wc -l <log)" 1

# ---- cut answers (J9 N3 N4) ----

cut_at() {	# name, last directives...
	{ echo chunked
	printf 'event %s\n' "$(d '{"reasoning":"r","content":"so far"}')"
	printf 'event %s\n' "$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}')"
	shift
	printf '%s\n' "$@"; } | script s
	serve s
}
partial='{"content":"so far","reasoning":"r","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":"}}]}'
cut_at clean
is "a clean end without finish_reason" "$(err '[.code, .retryable, .partial]')" \
	"[\"truncated\",true,$partial]"
cut_at "done" "event [DONE]"
is "... also with [DONE]" "$(err '[.code, .partial]')" "[\"truncated\",$partial]"
cut_at close close
is "a broken transfer" "$(err '[.code, .retryable, .partial]')" \
	"[\"network\",true,$partial]"
cut_at reset reset
is "a reset" "$(err '[.code, .partial]')" "[\"network\",$partial]"
is "... not tried again behind the first delta" "$(wc -l <log)" 1
cut_at idle hang
is "silence" "$(err '[.code, .partial]' -o provider.idle_timeout=0.2)" \
	"[\"timeout\",$partial]"
cut_at slow 'sleep 300' 'line : x' 'sleep 300' 'line : x' 'sleep 300' hang
is "comments are no silence, but the whole has a limit" "$(err .code \
	-o provider.idle_timeout=1 -o provider.total_timeout=0.6)" '"timeout"'
for i in $(seq 1 300); do
	printf '{"type":"hamr","session":"%d"}\n%s\n' "$i" "$user"
done >many
cut_each() {	# code of a cut; api; what the answers have to be
	hamr-provider -n -q --no-config -o provider.max_retries=0 --base-url \
		"$URL" --api "$2" --model m <many >got
	is "$1: cut after every byte: an error, or all of it" "$(jq -r '
		select(.role or .type == "error") | .code // .content' got |
		sort -u | xargs)" "hello $1"
	is "... that keeps what had come" "$(jq -r 'select(.code) |
		.partial.content // ""' got | sort -u | xargs)" "$3"
}
{ echo 'cut each close'; cat hello; } | script s
serve s
cut_each network openai hello
# at its clean end, too, also amidst an event
{ echo 'cut each end'; sed 1d hello; } | script s
serve s
cut_each truncated openai hello
{ echo 'cut each end'
echo 'line {"message":{"content":"hello"}}'
echo 'line {"message":{"content":""},"done":true}'; } | script s
serve s
cut_each truncated ollama hello
{ echo 'cut each end'
echo 'body {"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}'
} | script s
serve s
cut_each truncated openai ''
{ echo 'length none'; events "$(d '{"content":"x"}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}')" |
	sed '1d;$d'; echo 'body data: {"choices":[{"delta":{"content":"y'; } | script s
serve s
is "a clean end amidst an event" "$(err '[.code, .retryable, .partial]')" \
	'["truncated",true,{"content":"x","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}]'
fails "a whole event that is no JSON" 75 '"server",true' <<X
line data: {"choices":
line
$(events "$(d '{"content":"x"}')" "$(fin stop)" | sed 1d)
X

# ---- retries (N1 N8) ----

n() {	# how many requests
	wc -l <log | tr -d ' '
}
fast="-o provider.max_retries=2"
printf 'status 500\nheader Retry-After: 0\n' >r500
serve r500 r500 hello
is "tried again, answered" "$(ask -o provider.max_retries=4 | jq -r '.content // empty')" hello
is "... at the third" "$(n)" 3
serve r500
is "max_retries" "$(err .code $fast)" '"server"'
is "... counts the retries" "$(n)" 3
is "a retry is a progress record" "$(ask $fast | jq -c 'select(.type == "progress") |
	[.stage, .code, .attempt, .of, .wait_ms]')" '["provider","server",1,2,0]
["provider","server",2,2,0]'
is "... none in filter mode" "$(hamr-provider -q --no-config --base-url "$URL" \
	--model m $fast <in | grep -c progress)" 0
for code in 408 409 425 429 502 503 504 529; do
	printf 'status %s\nheader Retry-After: 0\n' $code >s
	serve s hello
	is "HTTP $code is tried again" "$(ask | jq -r '.content // empty') $(n)" "hello 2"
done
for code in 400 401 403 404 413 422; do
	printf 'status %s\nheader Retry-After: 0\n' $code >s
	serve s hello
	ask >/dev/null
	is "HTTP $code is not" "$(n)" 1
done
{ echo 'event {"type":"error","error":{"type":"overloaded_error","message":"x"}}'; } >s
serve s hello
is "overloaded_error before the first delta is" "$(ask $fast | jq -r '.content // empty')" hello
printf 'reset\n' >s
serve s hello
is "a reset before the first delta is" "$(ask $fast | jq -r '.content // empty')" hello
printf 'rawhead\nclose\n' >shut
for i in {1..8}; do
	printf '%s\n{"type":"go","n":%s}\n' "$user" "$i"
done >many
s=(hello)
for i in {1..7}; do
	s+=(shut hello)
done
serve "${s[@]}"
is "a kept connection that was closed is no failure, however often" \
	"$(hamr-provider -n -q --no-config --base-url "$URL" --model m \
	-o provider.max_retries=0 <many | jq -r '.content // .code // empty' |
	uniq -c | xargs)" "8 hello"
printf 'status 429\nheader Retry-After: 1\n' >s
serve s hello
t=$(date +%s%3N)
ask >/dev/null
t=$(($(date +%s%3N) - t))
ok "Retry-After in seconds is obeyed" test $t -ge 1000 -a $t -lt 5000
printf 'status 429\nheader Retry-After: %s\n' "$(date -u -d '+2 seconds' '+%a, %d %b %Y %H:%M:%S GMT')" >s
serve s hello
is "... as a date" "$(ask | jq -c 'select(.type == "progress") |
	.wait_ms > 0 and .wait_ms <= 2000')" true
for after in 121 99999999999999 "$(date -u -d '+1 year' '+%a, %d %b %Y %H:%M:%S GMT')"; do
	printf 'status 429\nheader Retry-After: %s\n' "$after" >s
	serve s
	is "Retry-After: $after is too long" "$(err '[.code, .retryable]')$(n)" '["rate_limited",true]1'
done
printf 'status 429\nheader Retry-After: 121\n' >s
serve s
match "... naming the time" "$(err .message)" "*121 s*120 s*"
for after in -5 soon 1e400; do
	printf 'status 429\nheader Retry-After: %s\n' "$after" >s
	serve s hello
	ok "Retry-After: $after means nothing" test "$(ask | jq -r '.content // empty')" = hello
done
printf 'status 429\nheader Retry-After: Fri, 29 Sep 2023 16:26:57 GMT\n' >s
serve s
is "a date that is past is no wait of 0" "$(ask -o provider.max_retries=3 |
	jq -s 'map(.wait_ms) | add > 0')" true
printf 'status 503\nbody {"error":{"message":"Loading model","type":"unavailable_error","code":503}}\n' >s
serve s hello
is "a loading server is waited for, whatever max_retries is" \
	"$(ask -o provider.max_retries=0 | jq -r '.content // .type' | xargs)" "progress hello"

# ---- the network (N2 N6 N7 S16) ----

httpd_stop
is "nobody there" "$(err '[.code, .retryable]' -o provider.max_retries=0)" '["network",true]'
for head in 'SSH-2.0-OpenSSH' 'HTTP/1.1 abc' 'HTTP/7.0 200'; do
	printf 'rawhead\nlength none\nbody %s\\r\\n\\r\\n\nclose\n' "$head" >s
	serve s
	is "not HTTP: $head" "$(err .code -o provider.max_retries=0)" '"network"'
done
printf 'rawhead\nlength none\nbody SSH-2.0\\r\\n\\r\\n\nclose\n' >s
serve s
match "... and what to look at" "$(err .message -o provider.max_retries=0)" "*is not HTTP; check the port*"
is "TLS to a plain port" "$(URL=https://127.0.0.1:$HTTPD_PORT/v1; err .code \
	-o provider.max_retries=0 -o provider.connect_timeout=0.3)" '"timeout"'
printf 'status 307\nheader Location: http://127.0.0.1:9/\377\nbody {"detail":"x"}\n' >s
serve s
match "no redirects" "$(err .message)" "*307*redirect*leads to http://127.0.0.1:9/�\""
printf 'head\nhang\n' >s
serve s
is "no first byte" "$(err .code -o provider.max_retries=0 -o provider.first_byte_timeout=0.2)" '"timeout"'
{ echo chunked; echo 'repeat forever body data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; } >s
serve s
is "an endless line" "$(err .code -o provider.max_line_bytes=100000)" '"too_large"'
{ echo chunked; echo 'repeat forever line data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; } >s
serve s
is "an endless event" "$(err .code -o provider.max_event_bytes=100000)" '"too_large"'
{ echo chunked; echo 'repeat forever line : xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; } >s
serve s
is "an endless answer" "$(err .code -o provider.max_response_bytes=1000000)" '"too_large"'

# blanks before it, as of OpenRouter
printf 'status 400\nbody    {"error":{"message":"no"}}\n' >s
printf 'event   {"error":{"message":"slow","code":429}}\n' >s2
serve s s2
is "blanks before an error" "$(err .message)$(err .code \
	-o provider.max_retries=0)" '"HTTP 400: no""rate_limited"'

# a wrong address, or a wrong model
for words in "Not Found" "model 'm' not found"; do
	printf 'status 404\nbody {"detail":"%s"}\n' "$words" >s
	serve s
	err .message
done >got
is "404 names what to check" "$(cat got)" \
	'"HTTP 404: Not Found; check base_url (it often ends in /v1)"
"HTTP 404: model '"'m'"' not found"'

printf 'status 404\n' >s
serve s
is "... where there is no /v1" "$(err .message --api gemini)" \
	'"HTTP 404, with an empty body; check base_url"'

# ---- overflow ----

while IFS='|' read -r want body; do
	printf 'status 400\nbody %s\n' "$body" >s
	serve s
	is "overflow: $(cut -c 1-60 <<<"$body")" "$(ask | jq -c '[.context_tokens, .source, .code]' | xargs)" \
		"$(if [ "$want" != - ]; then echo "[$want,server error,null] "; fi)[null,null,context_overflow]"
done <<'X'
8192|{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}
-|{"error":{"code":400,"message":"the request exceeds the available context size (1048576 tokens)","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":1048576}}
-|{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size","type":"invalid_request_error"}}
4096|{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your prompt contains at least 4000 input tokens, for a total of at least 4512 tokens.","type":"BadRequestError","param":"input_tokens","code":400}
8192|{"error":{"message":"You passed 9001 input tokens and requested 2048 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 6144 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=9001)","type":"BadRequestError","param":"input_tokens","code":400}}
24000|{"success":false,"errors":[{"code":3010,"message":"AiError: The estimated number of input and maximum output tokens (35000) exceeded this model context window limit (24000)"}]}
8000|{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}
8192|{"error":{"message":"prompt has 9,000 tokens, but the configured context size is 8,192 tokens"}}
4096|{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000>= n_ctx: 4096). Try to load the model with a larger context length"}
-|{"error":"Trying to keep the first 5000 tokens when context the overflows."}
-|{"error":"the input length exceeds the context length"}
-|{"error":{"message":"prompt too long; exceeded max context length by 12 tokens"}}
-|{"error":{"message":"Your input exceeds the context window of this model. Please adjust","code":"context_length_exceeded"}}
128000|{"error":{"message":"This model's maximum context length is 128,000 tokens","code":"context_length_exceeded"}}
200000|{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 215000 tokens > 200000 maximum"}}
1048576|{"error":{"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}
65536|{"error":{"message":"This endpoint's maximum context length is 65536 tokens. However, you requested about 70000"}}
32769|{"error":{"message":"The input (40000 tokens) is longer than the model's context length (32769 tokens)."}}
131072|{"error":"This model's maximum prompt length is 131072 but the request contains 140000 tokens."}
-|{"error":{"message":"Please reduce the length of the messages or completion."}}
131072|{"error":{"message":"Prompt contains 150000 tokens, too large for model with 131072 maximum context length"}}
262144|{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144"}}
-|{"error":{"message":"invalid params, context window exceeds limit (2013)"}}
4096|{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}
8192|{"error":{"message":"Please reduce the length of the messages or completion. Current length is 10000 while limit is 8192"}}
1048576|[{"error":{"code":400,"message":"Unable to submit request because the input token count is 1200000 but the model only supports up to 1048576. Reduce the input token count and try again.","status":"INVALID_ARGUMENT"}}]
128000|{"id":"1","message":"too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs. The limit for this model is 128000 tokens."}
4081|{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt, or enabling prompt truncation"}
8192|{"error":"The sum of prompt length (9000.0), query length (0) should not exceed max_num_tokens (8192)"}
8192|{"message":"Prompt length (9000) exceeds maximum input length (8192)"}
8192|{"message":"length of prompt_tokens (9000) must be less than max_seq_len (8192)."}
8192|{"errors":[{"message":"the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model"}]}
-|{"error":{"code":"1261","message":"Prompt exceeds max length"}}
64000|{"error":{"message":"prompt token count of 70000 exceeds the limit of 64000"}}
-|{"error":{"message":"Input is too long for requested model."}}
200000|{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length or `max_tokens` and try again"}}
-|{"error":{"code":"1261","message":"Prompt 超长"}}
-|{"error":{"code":"1210","message":"tokens in request more than max tokens allowed"}}
-|{"error":{"message":"Total tokens of image and text exceed max message tokens"}}
200000|{"error":{"message":"exceeds the model's context window of 200000 tokens"}}
-|{"error":{"type":"prompt_too_long","message":"shorten it"}}
32000|{"error":"Reached context length of 32000 tokens with model (arch: gpt-oss) that does not currently support mid-generation context overflow."}
4096|{"error":"Trying to keep the first 6547 tokens when context overflows. However, the model is loaded with a context length of only 4096 tokens"}
204800|{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]"}}
16384|{"message":"The decoder prompt (length 17772) is longer than the maximum model length of 16384. Make sure that `max_model_len` is no smaller"}
4096|{"message":"Prompt length of 5016 is longer than the maximum model length of 4096."}
-|{"object":"error","message":"max_tokens must be at least 1, got -500."}
131072|{"message":"Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens"}
4096|{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`"}
1000|{"error":"Input validation error: `inputs` must have less than 1000 tokens. Given: 5000"}
1048576|{"error":{"message":"The input token count exceeds the maximum number of tokens allowed 1048576."}}
131071|{"error":{"message":"The prompt is too long: 150000, model maximum context length: 131071"}}
4096|{"error":{"message":"Requested tokens (5000) exceed context window of 4096"}}
8192|{"message":"The input exceeds the model's maximum context limit of 8192 tokens."}
272000|{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 509178 tokens. Please reduce the length of the messages.","code":"context_length_exceeded"}}
4096|{"error":{"message":"Prompt length 5000 is greater than max_seq_len 4096"}}
X
printf 'status 500\nbody {"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}\n' >s
serve s
is "overflow with status 500, not tried again" "$(err .code)$(n)" '"context_overflow"1'
printf 'status 400\nbody {"error":{"message":"Context size has been exceeded."}}\n' >s
serve s
cp in short
jq -cn '{role: "user", content: ("some words " * 5000)}' >>in
is "without a number: the window is smaller than what was sent" \
    "$(ask | jq -c 'select(.type == "limit") |
    [.context_tokens > 8000, .context_tokens < 12000, .source]')" \
    '[true,true,"server error"]'
serve s
is "... but not larger than what is known" \
    "$(ask -o context.window=4096 | grep -c '"limit"')" 0
mv short in
printf 'event {"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (8192 tokens)"}}\n' >s
serve s
is "overflow within the stream" "$(ask | jq -c '.context_tokens // .code' | xargs)" "8192 context_overflow"
{ events "$(d '{"content":"so far"}')" | sed '$d'
echo 'line error: {"code":400,"message":"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}'
echo line; echo hang; } >s
serve s
is "... as llama.cpp's field" "$(ask | jq -c '[.context_tokens // .code,
	.source // .retryable, .partial.content]' | xargs)" \
	"[8192,server error,null] [context_overflow,false,so far]"
is "... is not tried again" "$(n)" 1
while IFS= read -r body; do
	printf 'status 400\nbody %s\n' "$body" >s
	serve s
	is "no overflow: $(cut -c 1-50 <<<"$body")" "$(err .code)" '"bad_request"'
done <<'X'
{"message":"ThrottlingException: Too many tokens, please wait before trying again."}
{"error":{"message":"Rate limit reached: maximum context length is 4096"}}
{"error":{"message":"Too Many Requests"}}
{"error":"Input validation error: `max_new_tokens` must be <= 512. Given: 1000"}
{"error":{"message":"max_tokens must be at least 1, got 0."}}
{"error":{"message":"max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens"}}
X
printf 'status 429\nbody {"error":{"message":"tokens per minute exceeds the limit of 6000"}}\n' >s
serve s
is "429 is never overflow" "$(err .code -o provider.max_retries=0)" '"rate_limited"'

done_testing

#!/bin/bash
# what servers send, and what becomes of it (chapter 4.2, wire notes 5.1, 5.2)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"

# ---- the form of the stream ----

events "$(d '{"role":"assistant","content":"one "}')" "$(d '{"content":"two"}')" \
	"$(fin stop)" >base
want='{"role":"assistant","content":"one two","finish_reason":"stop","meta":{"model":"m","api":"openai"}}'

form() {	# name; script on stdin
	script s
	serve s
	is "$1" "$(ask)" "$want"
}
form "plain events" <base
form "data lines, LF" < <(sed 's/^event /line data: /; /^line/a line' base)
form "CRLF" < <(sed 's/^event \(.*\)$/text data: \1\\r\\n\\r\\n/' base)
form "CR alone" < <(sed 's/^event \(.*\)$/text data: \1\\r\\r/' base)
form "comments, other fields, no blank behind the colon" < <(
	sed 's/^event \(.*\)$/line : OPENROUTER PROCESSING\nline\nline event: x\nline id: 7\nline data:\1\nline/' base)
form "words that keep the connection open" < <(sed 's/^event /event ping\n&/;
	s/^event .*DONE/event heartbeat\n&/' base)
form "an event of several data lines" < <(
	sed 's/^event \(.*\),"delta":\(.*\)$/line data: \1,\nline data: "delta":\2\nline/' base)
form "no blank lines between events" < <(
	sed 's/^event /line data: /' base)
form "a BOM" < <(echo chunked; echo 'text \xEF\xBB\xBF'; tail -n +2 base)
form "no [DONE]" < <(grep -v DONE base)
form "[DONE] repeated" < <(cat base; echo 'event [DONE]'; echo 'event [DONE]')
form "nothing counts behind [DONE]" < <(cat base
	echo 'event {"choices":[{"delta":{"content":"no"}}]}')
form "no final blank line" < <(grep -v -e DONE -e finish base
	printf 'line data: %s\n' "$(fin stop)")
form "nor the end of the last line" < <(grep -v -e DONE -e finish base
	printf 'body data: %s\n' "$(fin stop)")
form "HTTP/1.0" < <(echo 'length none'; echo http10; tail -n +2 base)
form "one byte a write" < <(sed '1a split 1' base)
form "a server that hangs behind [DONE]" < <(cat base; echo hang)
form "one that goes on, byte by byte" < <(cat base; echo 'split 1 50'
	echo 'repeat forever line : x')
form "a connection cut behind the finish" < <(grep -v DONE base; echo close)
form "a first chunk without choices" < <(
	sed '1a event {"choices":[],"prompt_filter_results":[]}' base)
form "another choice is left alone" < <(
	sed '1a event {"choices":[{"index":1,"delta":{"content":"other"}}]}' base)
script s <<'X'
header Content-Type: application/json
body {"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"one two"},"finish_reason":"stop"}]}
X
serve s
is "JSON though a stream was asked" "$(ask)" "$want"
is "JSON as asked" "$(ask -o provider.stream=false)" "$want"
is "... and that is what is sent" "$(tail -n 1 log | jq -r .body)" \
	'{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}]}'

# every place a chunk border can be (N5)
{ echo 'split each'
printf 'text data: %s\\n\\ndata: %s\\n\\ndata: [DONE]\\n\\n\n' \
	"$(d '{"content":"a\xC3\xA9\xE2\x82\xAC"}')" "$(fin stop)"; } >s
serve s
for i in $(seq 1 180); do
	printf '{"type":"hamr","session":"%d"}\n%s\n' "$i" "$user"
done >many
is "split at every byte" "$(hamr-provider -n -q --no-config --base-url "$URL" \
	--model m <many | jq -c 'select(.role) | .content' | sort | uniq -c |
	xargs)" '180 aé€'

# prices, where the server does not tell the cost
events "$(d '{"content":"x"}')" "$(fin stop)" '{"choices":[],"usage":{"prompt_tokens":1000000,"completion_tokens":100000,"prompt_tokens_details":{"cached_tokens":400000,"cache_write_tokens":200000}}}' >paid
costs() {	# name wanted ARG...
	serve paid
	is "$1" "$(ask "${@:3}" | jq -r 'select(.type == "usage") | .cost')" \
		"$2"
}
costs "no prices, no cost" null
costs "provider.prices" 3 -o 'provider.prices=[2,10]'
costs "... with a price of cached tokens" 2.4 \
	-o 'provider.prices=[2.0,10.0,0.5]'
costs "... and of those written to it, as an integer" 2.6 \
	-o 'provider.prices=[2,10,0.5,3]'
costs "... in budget.prices" 2.6 -o 'budget.prices=[2, 10, 0.5, 3]'
costs "... by model" 2.6 -o 'budget.prices=["x 1 1","m 2 10 0.5 3"]'
costs "... of a model whose name is a number, not of others" null \
	-o 'budget.prices=["1 2 10"]'
costs "budget.prices, by model" 5.2 -o 'budget.prices=["x 1 1","m 3 30 1"]'

printf '[provider]\nprices = [2, 10, 0.5]\nmodel = "m"\n' >toml
mkdir -p "$XDG_CONFIG_HOME/hamr"
cp toml "$XDG_CONFIG_HOME/hamr/config.toml"
is "integers among decimals, in a file" "$(hamr-provider -n -q --base-url \
	"$URL" <in | jq -r 'select(.type == "usage").cost')" 2.4
while IFS='|' read -r table said; do
	printf '%b\n' "$table" >"$XDG_CONFIG_HOME/hamr/config.toml"
	status "$table is refused" 78 hamr-provider -n -q --base-url "$URL" in
	match "... and told" "$(cat "$T/.err")" "*$said*"
done <<'X'
[provider]\nprices = [3]|config.toml:2: provider.prices: expected 2 to 4 prices
[provider]\nproxy = "ftp://x"|config.toml:2: provider.proxy must begin
[provider]\ntool_dialect = "x"|config.toml:2: key "provider.tool_dialect" must be one of
[provider]\nheaders = ["x"]|config.toml:2: provider.headers: entry 1
[provider.x]\nprices = [3]\n[provider]\nprices = [1,2,3,4,5]|2 to 4 prices
[provider]\nprices = [3, -1]|prices
[provider]\nprices = ["m 1 2"]|an array of numbers
[budget]\nprices = ["m 1"]|config.toml:2: budget.prices: entry 1 must be written as "MODEL INPUT OUTPUT
[budget]\nprices = ["m 1 2 3 4 5"]|entry 1
[provider]\nprices = [1, 2]\n[budget]\nprices = ["m 1"]|config.toml:4: budget.prices: entry 1
[budget]\nprices = ["m 1 2", 3]|an array of several types
X
rm -r "$XDG_CONFIG_HOME/hamr"

# the recorded servers
for rec in "$TOP"/tests/httpd/rec/*.0[01]; do
	serve "$rec"
	ask >got
	name=${rec##*/}
	ok "$name: usage, then a message" jq -es 'length == 2 and
		.[0].type == "usage" and .[0].prompt_tokens > 0 and
		.[1].role == "assistant" and (.[1].finish_reason |
		. == "stop" or . == "tool_calls")' got
	{ echo 'split 7'; echo "include $rec"; } >s
	serve s
	ask >got2
	same "$name: the same in pieces of 7 bytes" got2 got
done

# ---- tool calls ----

says "fragments by index" \
	'[null,null,[["a","f","{\"x\":1}"],["b","g","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\""}}]}')" \
	"$(d '{"tool_calls":[{"index":1,"id":"b","function":{"name":"g"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}')" \
	"$(fin tool_calls)"
says "an index from 1" '[null,null,[["a","f","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":1,"id":"a","function":{"name":"f","arguments":"{"}}]}')" \
	"$(d '{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}')" \
	"$(fin tool_calls)"
says "in the order of their indexes" \
	'[null,null,[["a","f","{}"],["b","g","{}"],["c","h","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":10,"id":"c","function":{"name":"h"}}]}')" \
	"$(d '{"tool_calls":[{"index":1,"id":"a","function":{"name":"f"}}]}')" \
	"$(d '{"tool_calls":[{"index":2,"id":"b","function":{"name":"g"}}]}')" \
	"$(fin tool_calls)"
says "one call that is not in a list" '[null,null,[["a","f","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":{"index":0,"id":"a","function":{"name":"f"}}}')" \
	"$(d '{"tool_calls":{"index":0,"function":{"arguments":"{}"}}}')" \
	"$(fin tool_calls)"
says "by id, without index" \
	'[null,null,[["a","f","{\"x\":1}"],["b","f","{\"x\":2}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":"}},{"id":"b","function":{"name":"f","arguments":"{\"x\":"}}]}')" \
	"$(d '{"tool_calls":[{"id":"a","function":{"arguments":"1}"}},{"id":"b","function":{"arguments":"2}"}}]}')" \
	"$(fin tool_calls)"
says "a new name, else the last open call; ids made up" \
	'[null,null,[["call_1","f","{\"x\":1}"],["call_2","g","{\"y\":2}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":"}}]}')" \
	"$(d '{"tool_calls":[{"function":{"arguments":"1}"}}]}')" \
	"$(d '{"tool_calls":[{"function":{"name":"g","arguments":"{\"y\":2}"}}]}')" \
	"$(fin tool_calls)"
says "the same name twice, each call whole" \
	'[null,null,[["call_1","f","{\"x\":1}"],["call_2","f","{\"x\":2}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":1}"}}]}')" \
	"$(d '{"tool_calls":[{"function":{"name":"f","arguments":"{\"x\":2}"}}]}')" \
	"$(fin tool_calls)"
says "the name on every delta" '[null,null,[["a","f","{\"x\":1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":":1}"}}]}')" \
	"$(fin tool_calls)"
says "the name in pieces" '[null,null,[["a","read_file","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"rea","arguments":""}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"name":"d_file","arguments":"{}"}}]}')" \
	"$(fin tool_calls)"
says "... each with those before" '[null,null,[["a","read_file","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"rea"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"read_file","arguments":"{}"}}]}')" \
	"$(fin tool_calls)"
says "index 0 for every parallel call" \
	'[null,null,[["a","f","{\"x\":1}"],["b","g","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]}')" \
	"$(fin tool_calls)"
says "... without ids, each call whole" \
	'[null,null,[["call_1","f","{\"x\":1}"],["call_2","f","{\"x\":2}"],["call_3","g","{}"],["call_4","f","{\"y\":1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":1}"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"","function":{"name":"f","arguments":"{\"x\":2}"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"name":"g","arguments":"{}"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"y\":1}"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\"y\":1}"}}]}')" \
	"$(fin tool_calls)"
says "the same id for every call, each whole" \
	'[null,null,[["a","f","{\"x\":1}"],["a_2","f","{\"x\":2}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}')" \
	"$(d '{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"x\":2}"}}]}')" \
	"$(fin tool_calls)"
says "ids that are numbers" \
	'[null,null,[["7","f","{\"x\":1}"],["8","f","{\"x\":2}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"id":7,"function":{"name":"f","arguments":"{\"x\":"}},{"id":8,"function":{"name":"f","arguments":"{\"x\":"}}]}')" \
	"$(d '{"tool_calls":[{"id":7,"function":{"arguments":"1}"}},{"id":8,"function":{"arguments":"2}"}}]}')" \
	"$(fin tool_calls)"
says "arguments: an object" '[null,null,[["a","f","{\"x\": 1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"x": 1}}}]}')" \
	"$(fin tool_calls)"
says "arguments: an object encoded twice" \
	'[null,null,[["a","f","{\"x\": 1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"\"{\\\"x\\\": 1}\""}}]}')" \
	"$(fin tool_calls)"
says "arguments: null, empty, absent" \
	'[null,null,[["a","f","{}"],["b","f","{}"],["c","f","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":null}},{"index":1,"id":"b","function":{"name":"f","arguments":""}},{"index":2,"id":"c","function":{"name":"f"}}]}')" \
	"$(fin tool_calls)"
says "arguments: {} and then the real ones" \
	'[null,null,[["a","f","{\"x\":1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":1}"}}]}')" \
	"$(fin tool_calls)"
says "arguments: whole once more" '[null,null,[["a","f","{\"x\":1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":1}"}}]}')" \
	"$(fin tool_calls)"
says "a special token behind the arguments" \
	'[null,null,[["a","f","{\"x\":1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}<|call|>"}}]}')" \
	"$(fin tool_calls)"
says "function_call of old servers" '[null,null,[["call_1","f","{\"x\":1}"]],"tool_calls"]' \
	"$(d '{"function_call":{"name":"f","arguments":"{\"x\":"}}')" \
	"$(d '{"function_call":{"arguments":"1}"}}')" "$(fin function_call)"
says "the presence of calls decides: stop with calls" \
	'["x",null,[["a","f","{}"]],"tool_calls"]' "$(d '{"content":"x"}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]}')" \
	"$(fin stop)"
says "... and tool_calls without" '["x",null,[],"stop"]' \
	"$(d '{"content":"x"}')" "$(fin tool_calls)"
says "finish_reason twice, text between" '["xy",null,[],"stop"]' \
	"$(d '{"content":"x"}')" "$(fin stop)" "$(d '{"content":"y"}')" \
	"$(fin stop)"
says "an error behind the finish_reason" '["x",null,[],"length"]' \
	"$(d '{"content":"x"}')" "$(fin length)" \
	'{"error":{"code":400,"message":"Token limit reached"},"choices":[]}'
says "eos and end_turn are stop" '["x",null,[],"stop"]' \
	"$(d '{"content":"x"}')" "$(fin eos)"
says "an empty answer is a message" '["",null,[],"stop"]' "$(fin stop)"
says "ids with dots and colons stay" '[null,null,[["functions.f:0","f","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"functions.f:0","function":{"name":"f"}}]}')" \
	"$(fin tool_calls)"
says "gpt-oss's marks behind a name" '[null,null,[["a","f","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"functions.f<|channel|>commentary"}}]}')" \
	"$(fin tool_calls)"
cat >in <<'X'
{"role":"user","content":"hi"}
{"role":"assistant","content":null,"tool_calls":[{"id":"functions.f:0","type":"function","function":{"name":"f","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"functions.f:0","content":"ok"}
X
says "a repeated id is made unique" \
	'[null,null,[["functions.f:0_2","f","{}"],["functions.f:0_3","f","{}"],["call_4","g","{}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"functions.f:0","function":{"name":"f"}},{"index":1,"id":"functions.f:0","function":{"name":"f"}},{"index":2,"function":{"name":"g"}}]}')" \
	"$(fin tool_calls)"
printf '%s\n' "$user" >in
events "$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}},{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}}]}')" \
	"$(fin tool_calls)" | script s
serve s
is "invalid arguments stay and are named" \
	"$(ask | jq -c '[.tool_calls[0].function.arguments, .meta.malformed]')" \
	'["{\"x\":",["a"]]'
events "$(d '{"content":"so far","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"f","arguments":"{}"}}]}')" \
	"$(fin length)" | script s
serve s
is "cut by length: native calls are dropped" \
	"$(ask | jq -c '[.content, .tool_calls, .finish_reason, .meta.dropped_calls]')" \
	'["so far",null,"length",2]'

# ---- text ----

# every delta is new text, whatever it begins with
says "rows of dashes that grow" '["------ the answer is 42",null,[],"stop"]' \
	"$(d '{"content":"-"}')" "$(d '{"content":"--"}')" \
	"$(d '{"content":"---"}')" "$(d '{"content":" the answer is 42"}')" \
	"$(fin stop)"
says "... among the thoughts" '["x","aaaaaa b",[],"stop"]' \
	"$(d '{"reasoning_content":"a"}')" "$(d '{"reasoning_content":"aa"}')" \
	"$(d '{"reasoning_content":"aaa"}')" "$(d '{"reasoning_content":" b"}')" \
	"$(d '{"content":"x"}')" "$(fin stop)"
says "... to the end of the answer" '["wordwords",null,[],"stop"]' \
	"$(d '{"content":"word"}')" "$(d '{"content":"words"}')" "$(fin stop)"
says "a repeated word" '["hahaha ha",null,[],"stop"]' \
	"$(d '{"content":"ha"}')" "$(d '{"content":"ha"}')" \
	"$(d '{"content":"ha ha"}')" "$(fin stop)"
says "a closing tag where reasoning comes apart" \
	'["it ends at </think> so","a",[],"stop"]' \
	"$(d '{"reasoning_content":"a"}')" \
	"$(d '{"content":"it ends at </think> so"}')" "$(fin stop)"
says "... one that is left over" '["b","a",[],"stop"]' \
	"$(d '{"reasoning_content":"a"}')" "$(d '{"content":"</think>b"}')" \
	"$(fin stop)"
says "reasoning_content" '["b","a",[],"stop"]' \
	"$(d '{"reasoning_content":"a","content":null}')" \
	"$(d '{"content":"b"}')" "$(fin stop)"
says "reasoning, with its details" '["b","aa2",[],"stop"]' \
	"$(d '{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a"}]}')" \
	"$(d '{"reasoning":"a2","reasoning_details":[{"type":"reasoning.text","text":"a2"}]}')" \
	"$(d '{"content":"b"}')" "$(fin stop)"
says "reasoning_details alone" '["b","a",[],"stop"]' \
	"$(d '{"reasoning_details":[{"type":"reasoning.text","text":"a"}]}')" \
	"$(d '{"content":"b"}')" "$(fin stop)"
says "content in parts" '["ab",null,[],"stop"]' \
	"$(d '{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}')" \
	"$(fin stop)"
{ echo chunked; printf 'text data: {"choices":[{"delta":{"content":"a\\xFFb\\\\u0000"}}]}\\n\\n\n'
printf 'event %s\n' "$(fin stop)"; } | script s
serve s
is "foreign bytes are cleaned" "$(ask | jq -c '[.content, .meta.lossy]')" \
	'["a�b�",true]'
{ echo chunked; printf 'text data: {"choices":[{"delta":{"content":"a\\x01\\tNaN"},"logprob":-Infinity,"x":[NaN]}]}\\n\\n\n'
printf 'event %s\n' "$(fin stop)"; } | script s
serve s
is "control bytes in a string, and numbers of Python's" \
	"$(ask | jq -c .content)" '"a\u0001\tNaN"'
says "what is no JSON behind the end" '["a",null,[],"stop"]' \
	"$(d '{"content":"a"}')" "$(fin stop)" '{bad' 'bye'
events 'error: no room' >s
serve s
is "an error in plain words" "$(ask -o provider.max_retries=0 |
	jq -c '[.code, .message]')" \
	'["server","the server reports in its answer: error: no room"]'
printf 'text \\xEF\\xBB\\xBF\nbody {"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}\n' |
	script s
serve s
is "a BOM before a whole answer" "$(ask | jq -r .content)" x
for id in '' '"id":"x",'; do
	printf 'body {"choices":[{"message":{"tool_calls":[{%s"function":{"name":"f","arguments":"{}"}},{%s"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}\n' \
		"$id" "$id" >s
	serve s
	is "a whole answer: each call is one of its own ($id)" "$(ask |
		jq -c '.tool_calls | [length, (map(.id) | unique | length),
		.[].function.arguments]')" '[2,2,"{}","{}"]'
done
# whole answers of gateways that leave out what kind of object it is
while read -r api body; do
	printf 'body %s\n' "$body" >s
	serve s
	is "$api: a whole answer without its type" \
		"$(ask --api "$api" | jq -r .content)" hello
done <<'E'
anthropic {"content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn"}
responses {"output":[{"content":[{"type":"output_text","text":"hello"}]}]}
E

# ---- usage ----

usage='"usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4},"cost":0.5}'
for place in '{"choices":[],'"$usage"'}' \
	'{"choices":[{"index":0,"delta":{}}],'"$usage"'}' \
	'{"choices":[],"x_groq":{'"$usage"'}}'; do
	events "$(d '{"content":"x"}')" "$(fin stop)" "$place" | script s
	serve s
	is "usage, before the message: ${place%%,*}" "$(ask | head -n 1)" \
	'{"type":"usage","prompt_tokens":10,"completion_tokens":3,"cached_tokens":4,"cost":0.5}'
done

events "$(d '{"content":"x"}')" "$(fin stop)" '{"choices":[],"usage":{"prompt_tokens":288,"completion_tokens":27,"total_tokens":628,"completion_tokens_details":{"reasoning_tokens":313},"cost_in_usd_ticks":1918250}}' | script s
serve s
is "xAI's price" "$(ask | head -n 1)" \
	'{"type":"usage","prompt_tokens":288,"completion_tokens":27,"cached_tokens":0,"cost":0.000191825}'

# ---- deltas ----

events "$(d '{"reasoning":"r"}')" "$(d '{"content":"a"}')" "$(d '{"content":"b"}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}')" \
	"$(fin tool_calls)" | script s
serve s
is "deltas as they come" "$(hamr-provider -n -q --no-config --base-url "$URL" \
	--model m <in | jq -c 'select(.type == "delta") | [.kind, .text]')" \
	'["reasoning","r"]
["content","a"]
["content","b"]
["tool_call","f{}"]'
is "none in filter mode" "$(hamr-provider -q --no-config --base-url "$URL" \
	--model m <in | grep -c delta)" 0
is "... unless --stream" "$(hamr-provider --stream -q --no-config --base-url \
	"$URL" --model m <in | grep -c '"type":"delta"')" 4

# ---- hostile servers ----

says "a delta that brings nothing begins no call" '["x",null,[],"stop"]' \
	"$(d '{"content":"x","tool_calls":[{},null,3,{"index":0,"function":null}]}')" \
	"$(fin tool_calls)"
says "an index is a number, however it is written" \
	'[null,null,[["a","f","{\"x\":1}"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":1000000000,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}')" \
	"$(d '{"tool_calls":[{"index":1e9,"function":{"arguments":":1}"}}]}')" "$(fin stop)"
says "arguments that are neither text nor object are kept" \
	'[null,null,[["a","f","[1,2]"],["b","g","5"]],"tool_calls"]' \
	"$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":[1,2]}},{"index":1,"id":"b","function":{"name":"g","arguments":5}}]}')" \
	"$(fin stop)"
events "$(d '{"tool_calls":[{"index":0,"id":"a","carry":"x","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f","arguments":"{}"}}]}')" \
	"$(fin tool_calls)" >s
events "$(d '{"content":"x"}')" "$(fin stop)" >s2
serve s s2
ask >got
is "what Gemini's chat API wants back is kept" "$(jq -c '.tool_calls[0] |
	[.carry, .extra_content]' got)" '[null,{"google":{"thought_signature":"s"}}]'
printf '%s\n' "$user" >in
{ cat got; printf '{"role":"tool","tool_call_id":"a","content":"x"}\n'; } >>in
ask >/dev/null
is "... and goes back" "$(tail -n 1 log | jq -r .body |
	jq -r '.messages[1].tool_calls[0].extra_content.google.thought_signature')" s
printf '%s\n' "$user" >in
says "Mistral's thoughts among the parts" '["yes","hm, so",[],"stop"]' \
	"$(d '{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}')" \
	"$(d '{"content":[{"type":"thinking","thinking":", so"},{"type":"text","text":"yes"}]}')" \
	"$(fin stop)"
says "other names of reasoning" '["x","ab",[],"stop"]' \
	"$(d '{"thinking":"a"}')" "$(d '{"reasoning_text":"b"}')" \
	"$(d '{"content":"x"}')" "$(fin stop)"
events "$(d '{"content":"a\ud800b\ud83d\ude00"}')" "$(fin stop)" \
	'{"choices":[],"usage":{"prompt_tokens":-4,"completion_tokens":7,"cost":-1}}' >s
serve s
is "half a surrogate pair is lossy, a number below 0 no count" "$(ask |
	jq -c '[.content, .meta.lossy, .prompt_tokens, .completion_tokens, .cost]')" \
	'[null,null,null,7,null]
["a�b😀",true,null,null,null]'
events "$(d '{"content":"x"}')" "$(fin stop)" \
	'{"choices":[],"usage":{"prompt_tokens":1000.0,"completion_tokens":7e1,"prompt_tokens_details":{"cached_tokens":5.0}}}' >s
serve s
is "tokens counted as 1000.0" "$(ask | jq -c 'select(.type == "usage") |
	[.prompt_tokens, .completion_tokens, .cached_tokens]')" '[1000,70,5]'
printf 'header Content-Type: application/json\nbody %s\n' '{"type":"message","content":[{"type":"text","text":"x"}],"stop_reason":"end_turn","usage":{"input_tokens":9.0,"output_tokens":2.0}}' >s
serve s
is "... by Anthropic too" "$(ask --api anthropic | jq -c 'select(.type ==
	"usage") | [.prompt_tokens, .completion_tokens]')" '[9,2]'
events "$(d '{"content":"a\\ud800b\ud83d\ude00\\"}')" "$(fin stop)" >s
serve s
is "... what only looks so is not" "$(ask | jq -c '[.content, .meta.lossy]')" \
	'["a\\ud800b😀\\",null]'
says "a surrogate pair cut between events is one character" \
	'["a😀😁b","😀",[["c","f","{\"x\":\"😀\"}"]],"tool_calls"]' \
	"$(d '{"reasoning":"\ud83d"}')" "$(d '{"reasoning":"\ude00"}')" \
	"$(d '{"content":"a\ud83d"}')" "$(d '{"content":"\ude00\ud83d"}')" \
	"$(d '{"content":"\ude01b"}')" \
	"$(d '{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"x\":\"\ud83d"}}]}')" \
	"$(d '{"tool_calls":[{"index":0,"function":{"arguments":"\ude00\"}"}}]}')" \
	"$(fin stop)"
says "... and half of one at an end is told as U+FFFD" '["a�b�",null,[],"stop"]' \
	"$(d '{"content":"a\ud83d"}')" "$(d '{"content":"b\ud83d"}')" \
	"$(fin stop)"
{ echo chunked
  printf 'event {"choices":[{"index":0,"delta":{"content":"%s"},%s}]}\nhang\n' \
	'a\ud83d' '"finish_reason": "stop"'; } >s
serve s
SECONDS=0
is "... at once with a finish_reason, from a server that hangs" \
	"$(ask -o provider.idle_timeout=10 | jq -c '[.content, .code]') \
$((SECONDS < 8))" '["a�",null] 1'
{ printf 'chunked\nevent {"candidates":[{"content":{"parts":[{"text":"%s"}]},%s}]}\n' \
	'a\ud83d' '"finishReason": "STOP"'; echo hang; } >gemini
{ printf 'chunked\ntext {"message":{"content":"%s"},%s}\\n\nhang\n' \
	'a\\ud83d' '"done": true'; } >ollama
for api in gemini ollama; do
	serve $api
	SECONDS=0
	is "... also from $api" "$(ask --api $api -o provider.idle_timeout=10 |
		jq -c '[.content, .code]') $((SECONDS < 8))" '["a�",null] 1'
done
events "$(d '{"content":"a\ud83d"}')" '{"error":{"message":"boom"}}' >s
serve s
is "... also before an error" "$(ask -o provider.max_retries=0 |
	jq -c '[.code, .partial.content]')" '["server","a�"]'
printf 'header Content-Encoding: gzip\nbody packed\n' >s
serve s
match "an answer compressed unasked is told so" "$(ask | jq -r '.code + .message')" \
	"server*compressed answer*"
{ echo 'header Content-Encoding: Identity'; events "$(d '{"content":"a"}')" \
	"$(fin stop)"; } >s
serve s
is "... one that is not is none" "$(ask | jq -r '.content // .code')" a
printf 'header X: %1200000s\nbody {}\n' y >s
serve s
is "a header line of a megabyte" "$(ask | jq -r '.code')" too_large
python3 -c '
for i in range(20000):
	print("event {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":%d,\"id\":\"same\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}" % i)
print("event {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}")' >s
serve s
is "20000 calls of one id" "$(ask | jq -c '.tool_calls |
	[length, (map(.id) | unique | length), .[-1].id]')" '[20000,20000,"same_20000"]'
done_testing

#!/bin/bash
# what is sent: the body, byte for byte (chapter 4.3)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"

events "$(d '{"content":"hello"}')" "$(fin stop)" >hello
body() {	# the last body sent
	tail -n 1 log | jq -j .body
}
# name wanted-messages; records on stdin
sends() {
	cat >in
	serve hello
	ask >/dev/null
	is "$1" "$(body | jq -c .messages)" "$2"
}
request() {	# members
	printf '{"type":"request",%s}\n' "$1"
}
# name wanted-body request-members ARG...
sends_body() {
	request "$3" >in
	serve hello
	ask "${@:4}" >/dev/null
	is "$1" "$(body)" "$2"
}

tools='[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}]'
head='{"model":"m","stream":true,"stream_options":{"include_usage":true}'
hi='[{"role":"user","content":"hi"}]'

sends_body "the plain body" "$head,\"messages\":$hi}" "\"messages\":$hi"
printf ' \t{"type":"request","tokens":3,"messages":%s}\n' "$hi" >in
serve hello
ask >/dev/null
is "a request with blanks before it" "$(body)" "$head,\"messages\":$hi}"
sends_body "tools, tool_choice last" \
	"$head,\"tools\":$tools,\"messages\":$hi,\"tool_choice\":\"none\"}" \
	"\"messages\":$hi,\"tool_choice\":\"none\",\"tools\":$tools"
sends_body "no empty tools, no tool_choice without" "$head,\"messages\":$hi}" \
	"\"messages\":$hi,\"tools\":[],\"tool_choice\":\"auto\""
sends_body "params of the request are spliced, numbers as written" \
	"$head,\"top_p\":0.10,\"seed\":9007199254740993,\"messages\":$hi}" \
	"\"messages\":$hi,\"params\":{\"top_p\":0.10,\"seed\":9007199254740993}"
sends_body "... over those of the configuration" \
	"$head,\"temperature\":0.2,\"max_tokens\":9,\"top_k\":1,\"messages\":$hi}" \
	"\"messages\":$hi,\"params\":{\"max_tokens\":9}" -o provider.temperature=0.2 \
	-o provider.max_tokens=5 -o 'provider.params={"top_k":1}'
sends_body "params cannot replace messages, tools or stream" "$head,\"messages\":$hi}" \
	"\"messages\":$hi,\"params\":{\"messages\":[],\"stream\":false,\"tools\":[1]}"
sends_body "bytes of a message stay" \
	"$head,\"messages\":[{\"role\":\"user\",\"content\":\"\\u00e9\\/ x\",\"n\":1.50}]}" \
	'"messages":[{"role" : "user","content":"\u00e9\/ x","n":1.50}]'

# ---- from a transcript ----

sends "what is ours is left out" \
	'[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"},{"role":"user","content":"more"}]' <<'X'
{"role":"user","content":"hi","meta":{"by":"user"}}
{"role":"assistant","content":"yo","reasoning":"hm","finish_reason":"stop","usage":{"x":1},"meta":{"ms":1}}
{"role":"user","content":"more"}
X
sends "a missing result is made, a stray one dropped" \
	'[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"(no result)"},{"role":"assistant","content":"(interrupted)"},{"role":"user","content":"more"}]' <<'X'
{"role":"user","content":"hi"}
{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"zz","content":"stray"}
{"role":"user","content":"more"}
X
cat >in <<X
{"type":"tools","tools":$tools}
{"role":"user","content":"hi"}
{"type":"constrain","stage":"hamr-guard","tool_choice":"none","rule":"stall","steps":1}
X
serve hello
ask >/dev/null
is "tools and constrain of the transcript" "$(body)" \
	"$head,\"tools\":$tools,\"messages\":$hi,\"tool_choice\":\"none\"}"

# ---- of a request, repaired (J8) ----

asks() {	# name wanted messages ARG...
	request "\"messages\":$3" >in
	serve hello
	ask "${@:4}" >/dev/null
	is "$1" "$(body | jq -c .messages)" "$2"
}
asks "system messages in mid-conversation are marked" \
	'[{"role":"system","content":"s"},{"role":"user","content":"hi"},{"role":"user","content":"[system] be brief"}]' \
	'[{"role":"system","content":"s"},{"role":"user","content":"hi"},{"role":"system","content":"be brief"}]'
asks "... unless system_in_place" \
	'[{"role":"user","content":"hi"},{"role":"system","content":"be brief"}]' \
	'[{"role":"user","content":"hi"},{"role":"system","content":"be brief"}]' \
	-o provider.system_in_place=true
cat >in <<'X'
{"role":"system","content":"s"}
{"role":"user","content":"hi"}
{"role":"system","content":"be brief"}
{"role":"system","content":"be kind"}
X
serve hello
ask -o provider.system_in_place=true >/dev/null
is "... without a request, too" "$(body | jq -c '[.messages[] |
	[.role, .content]]')" \
	'[["system","s"],["user","hi"],["system","be brief"],["system","be kind"]]'
for api in anthropic gemini; do
	cat >in <<'X'
{"role":"system","content":"the first"}
{"role":"user","content":"hi"}
{"role":"system","content":"be brief"}
X
	serve hello
	ask --api $api -o provider.system_in_place=true >/dev/null
	is "$api: not there" "$(body | grep -cF "[system] be brief")" 1
	request '"messages":[{"role":"system","content":"the first"},{"role":"user","content":"hi"},{"role":"system","content":"be brief"}]' >in
	serve hello
	ask --api $api -o provider.system_in_place=true >/dev/null
	is "$api: ... which knows one only" "$(body | grep -c "the first") $(
		body | grep -cF "[system] be brief")" "1 1"
done
asks "developer is system" '[{"role":"system","content":"s"},{"role":"user","content":"hi"}]' \
	'[{"role":"developer","content":"s"},{"role":"user","content":"hi"}]'
call() { printf '{"id":"%s","type":"function","function":{"name":"f","arguments":%s}}' "$1" "$2"; }
asks "results behind their calls, in order" \
	"[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$(call a '"{}"'),$(call b '"{}"'),$(call c '"{}"')]},{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"A\"},{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":\"(no result)\"},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"C\"},{\"role\":\"user\",\"content\":\"x\"}]" \
	"[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$(call a '"{}"'),$(call b '"{}"'),$(call c '"{}"')]},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"C\"},{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"A\",\"is_error\":true},{\"role\":\"tool\",\"tool_call_id\":\"nobody\",\"content\":\"?\"},{\"role\":\"user\",\"content\":\"x\"}]"
request "\"messages\":[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$(call a '"{\"x\": 1}"'),$(call b '"{\"x\":"'),$(call c '""'),$(call d '{"y":2}')]}]" >in
serve hello
ask >/dev/null
is "past arguments are JSON objects, good ones as they were" \
	"$(body | jq -c '[.messages[0].tool_calls[].function.arguments]')" \
	'["{\"x\": 1}","{\"_invalid\":\"{\\\"x\\\":\"}","{}","{\"y\":2}"]'
asks "a call of before that has no type" \
	"[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$(call a '"{}"' |
	    jq -c '{type} + .'),$(call b '"{}"')]}$(for i in a b; do
		printf ',{"role":"tool","tool_call_id":"%s","content":"%s"}' $i $i
	    done)]" \
	"[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$(call a '"{}"' |
	    jq -c 'del(.type)'),$(call b '"{}"')]}$(for i in a b; do
		printf ',{"role":"tool","tool_call_id":"%s","content":"%s"}' $i $i
	    done)]"
asks "an empty answer of before" '[{"role":"assistant","content":""},{"role":"user","content":"x"}]' \
	'[{"role":"assistant","content":null},{"role":"user","content":"x"}]'

# ---- images ----

png='{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}'
note='[image omitted: this model cannot see images]'
seen="[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see \\u00e9\"},$png]},{\"role\":\"assistant\",\"content\":\"ok\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"only\"}]},{\"role\":\"user\",\"content\":[$png,{\"type\":\"input_audio\",\"n\":1.0}]}]"
request "\"messages\":$seen" >in
serve hello
ask >/dev/null
is "images are sent as they are" "$(body)" "$head,\"messages\":$seen}"
request "\"messages\":$seen" >in
serve hello
ask -o provider.vision=false >/dev/null
is "... a text in their place to who sees none" "$(body)" \
	"$head,\"messages\":[{\"role\":\"user\",\"content\":\"see é\\n$note\"},{\"role\":\"assistant\",\"content\":\"ok\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"only\"}]},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"$note\"},{\"type\":\"input_audio\",\"n\":1.0}]}]}"
for api in anthropic gemini ollama responses; do
	serve hello
	ask --api $api -o provider.vision=false >/dev/null
	is "$api: the same" "$(body | grep -c AAAA) $(body |
	    grep -cF "$note")" "0 1"
done
web='{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}'
request "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"see\"},$png,$web]}]" >in
images() {	# API FILTER WANTED
	serve hello
	ask --api "$1" -o provider.max_retries=0 >/dev/null
	is "$1: images in its own form" "$(body | jq -c "$2")" "$3"
}
images anthropic '[.messages[0].content[1:][] | {type, source}]' '[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}}]'
images gemini '.contents[0].parts[1:]' '[{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"fileData":{"fileUri":"https://example.org/a.png"}}]'
images ollama '.messages[0] | [.images, (.content | split("\n")[-1])]' \
	'[["AAAA"],"[image omitted: this server fetches none by its address]"]'
images responses '.input[0].content[1:]' '[{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_image","image_url":"https://example.org/a.png"}]'
printf '%s\n' '{"role":"user","content":"one"}' \
	"{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"two\"},{\"text\":null},$png]}" >in
serve hello
ask --api ollama -o provider.max_retries=0 >/dev/null
is "ollama: two messages in a row are not run together" \
	"$(body | jq -c '.messages[].content')" '"one\ntwo"'
for dialect in hermes qwen3-coder; do
	{ request "\"messages\":[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$(call a '"{}"')]},{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":[{\"type\":\"text\",\"text\":\"x.png\"},$png]}],\"tools\":$tools"; } >in
	serve hello
	ask -o provider.tool_dialect=$dialect -o provider.vision=false >/dev/null
	is "$dialect: the same" "$(body | grep -c AAAA) $(body |
	    grep -cF "$note")" "0 1"
done

# ---- reasoning ----

past='[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning":"because"},{"role":"user","content":"x"}]'
with='[{"role":"user","content":"q"},{"role":"assistant","content":"a","reasoning_content":"because"},{"role":"user","content":"x"}]'
without='[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"x"}]'
asks "reasoning stays here" "$without" "$past"
asks "reasoning_replay=always" "$with" "$past" -o provider.reasoning_replay=always
asks "... not made up for a call that is written as text" \
	'[{"role":"user","content":"q"},{"role":"assistant","content":"<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>"},{"role":"user","content":"<tool_response>\nx\n</tool_response>"}]' \
	'[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}]' \
	-o provider.tool_dialect=hermes -o provider.reasoning_replay=always
asks "... to Ollama" \
	'[{"role":"user","content":"q"},{"role":"assistant","content":"a","thinking":"because"},{"role":"user","content":"x"}]' \
	"$past" --api ollama -o provider.max_retries=0 -o provider.reasoning_replay=always
asks "reasoning_replay=never" "$without" "$past" -o provider.reasoning_replay=never
printf 'status 400\nbody {"error":{"message":"The `reasoning_content` in the thinking mode must be passed back to the API."}}\n' >need
request "\"messages\":$past" >in
serve need hello
is "auto learns from the refusal" "$(ask | jq -r '.content // .code')" hello
is "... and sends it" "$(body | jq -c .messages)" "$with"
asks "... a blank with calls whose reasoning was left out" \
	"[{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\" \",\"tool_calls\":[$(call a '"{}"')]},{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"A\"}]" \
	"[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$(call a '"{}"')]},{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"A\"}]" \
	-o provider.reasoning_replay=always

request "\"messages\":$past" >in
serve need hello
is "never does not learn" "$(ask -o provider.reasoning_replay=never |
    jq -r .code) $(wc -l <log)" "bad_request 1"

# ---- what a server does not take ----

refused() {	# name field words wanted-jq ARG...
	printf 'status 400\nbody {"error":{"message":"%s"}}\n' "$3" >no
	{ request "\"messages\":$hi,\"params\":{\"parallel_tool_calls\":false,\"reasoning_effort\":\"low\",\"max_tokens\":7}"
	echo '{"type":"go","n":1}'
	request "\"messages\":$hi,\"params\":{\"parallel_tool_calls\":false,\"reasoning_effort\":\"low\",\"max_tokens\":7}"
	echo '{"type":"go","n":2}'; } >in
	serve no hello
	is "$1: answered" "$(ask "${@:5}" | jq -r '.content // .code // empty' | xargs)" "hello hello"
	is "$1: tried once more, then remembered" "$(jq -c ".body | fromjson | $4" log | xargs)" "$2"
}
refused "stream_options" "true false false" "Unknown parameter: stream_options" 'has("stream_options")'
refused "parallel_tool_calls" "true false false" "parallel_tool_calls is not supported" 'has("parallel_tool_calls")'
refused "reasoning_effort" "true false false" "Unsupported: reasoning_effort" 'has("reasoning_effort")'
refused "temperature" "true false false" "temperature: only the default is supported" 'has("temperature")' -o provider.temperature=0.5
refused "max_tokens" "[7,null] [null,7] [null,7]" "Unsupported parameter: max_tokens, use max_completion_tokens instead" \
	'[.max_tokens, .max_completion_tokens]'
serve no
is "once only" "$(ask | jq -r '.code // empty' | xargs)" "bad_request bad_request"
is "... for each request, as it did not help" "$(wc -l <log)" 4

# ---- prefixes ----

serve hello
{ echo '{"role":"system","content":"be good"}'; for i in 1 2 3 4 5 6; do
	printf '{"role":"user","content":"question %d"}\n{"type":"go","n":%d}\n' $i $i
	printf '{"role":"assistant","content":null,"tool_calls":[%s],"reasoning":"r","meta":{"ms":%d}}\n' "$(call "c$i" '"{ \"n\" : '$i' }"')" $i
	printf '{"role":"tool","tool_call_id":"c%d","content":"result %d","meta":{"ms":1}}\n{"type":"go","n":%d}\n' $i $i $i
	printf '{"role":"assistant","content":"answer %d"}\n' $i
done; } >all.in
cp all.in in
ask >/dev/null
is "twelve requests" "$(wc -l <log)" 12
is "each begins with all the messages of the one before" "$(jq -s '[.[].body] | [range(1; length) as $i |
	.[$i - 1][:-2] as $p | .[$i] | startswith($p)] | all' log)" true
is "over one connection" "$(jq .conn log | sort -u)" 1

cp log all
for n in $(seq 12); do
	awk -v n="$n" '!/"go"/ {print} /"go"/ && ++k == n {exit}' all.in >in
	serve hello
	ask >/dev/null
	cat log
done >each
is "... the same as of a process that was asked nothing before" \
	"$(jq -c .body all | cmp - <(jq -c .body each) && wc -l <each)" 12

{ echo '{"type":"config","set":{"provider.model":"other"}}'
request "\"messages\":$hi"; echo '{"type":"go","n":1}'; } >in
serve hello
{ cat in; for _ in $(seq 100); do
	[ -s log ] && break
	sleep 0.05
done; } | hamr-provider -r -q --no-config --base-url "$URL" --model m >/dev/null
is "a model chosen in the session, with -r" "$(jq -r .body log | jq -r .model)" other
serve hello
ask >/dev/null
is "... and not in a pipeline" "$(jq -r .body log | jq -r .model)" m

u() { printf '{"role":"user","content":"%s"}' "$1"; }
a() { printf '{"role":"assistant","content":"%s"}' "$1"; }
x="$(u one),$(a two),$(u three)"
for m in "$x" "$x,$(a four),$(u five)" "$(u none),$(a two),$(u three),$(a x)" \
	"$x" "$(u one)" "$x,$(a four),$(u 'five and six')" "$x,$(a four)"; do
	request "\"messages\":[$m]"
	echo '{"type":"go","n":1}'
	echo "[$m]" >&3
done >in 3>wanted
serve hello
ask >/dev/null
is "a request of another conversation is read anew" \
	"$(jq -r .body log | jq -c .messages)" "$(cat wanted)"


# ---- whatever the request looks like ----

cat >in <<'X'
{"type":"request","messages":[{"role":"user","content":null},{"role":"assistant","content":5,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{}"}},{"id":"a","function":{"name":"","arguments":"[1]"}},{"id":"a","function":{"name":"g"}},{"id":7},null]},{"role":"tool","tool_call_id":"a","content":"first"},{"role":"tool","tool_call_id":"a"},{"role":"tool","content":"without"},{"role":"user","content":"x"}]}
X
serve hello
ask >/dev/null
is "each call has an id, a name, an object and its result" "$(tail -n 1 log |
	jq -r .body | jq -c '.messages | .[0].content, .[1].content,
	[.[1].tool_calls[] | [.id, .function.name, .function.arguments]],
	[.[2:7][] | [.tool_call_id, .content]]')" '"(empty)"
null
[["call_2_1","f","{}"],["a","unknown","{\"_invalid\":\"[1]\"}"],["call_2_3","g","{}"],["call_2_4","unknown","{}"],["call_2_5","unknown","{}"]]
[["call_2_1","without"],["a","first"],["call_2_3",""],["call_2_4","(no result)"],["call_2_5","(no result)"]]'

# a new process, and one that knows the start of the conversation
call() { printf '{"role":"assistant","content":"","tool_calls":[{"id":"f:0","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"f:0","content":"%s"}' "$1"; }
x="$(u go),$(call one),$(call two),$(u on)"
{ request "\"messages\":[$(u go),$(call one),$(u on)]"; echo '{"type":"go","n":1}'
  request "\"messages\":[$x]"; } >known
request "\"messages\":[$x]" >new
request "\"messages\":[$(u go),$(call one),$(call two),$(call three)]" |
	sed 's/f:0/call_6_1/; s/f:0/call_6_1/' >taken
ids() {	# FILE; the ids of calls and results as they are sent
	cp "$1" in
	serve hello
	ask >/dev/null
	tail -n 1 log | jq -r .body | jq -c '[.messages[] |
	    .tool_calls[]?.id // (select(.tool_call_id) |
	    [.tool_call_id, .content])]'
}
for in in new known; do
	is "an id of two messages stands once: $in" "$(ids $in)" \
		'["f:0",["f:0","one"],"call_4_1",["call_4_1","two"]]'
done
is "... also where another call has the one made up" "$(ids taken)" \
	'["call_6_1",["call_6_1","one"],"f:0",["f:0","two"],"call_6_2",["call_6_2","three"]]'

sends "no content is empty" \
	'[{"role":"user","content":"(empty)"},{"role":"assistant","content":"(empty)"},{"role":"user","content":"(empty)"}]' <<'X'
{"role":"user","content":[]}
{"role":"assistant","content":[]}
{"role":"user","content":""}
X

printf 'body {"message":{"content":"x"},"done":true}\n' >s
serve s
echo '{"role":"user","content":[{"type":"text","text":""}]}' >in
ask --api ollama >/dev/null
is "... nor is text of nothing: ollama" "$(tail -n 1 log | jq -r .body |
	jq -r '.messages[].content')" "(empty)"

# ---- how long an answer may be ----

answer='{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"message":{"content":"x"},"done":true}'
printf 'body %s\n' "$answer" >s
serve s
room() {	# ARG...: what the body asks for
	ask "$@" >/dev/null
	tail -n 1 log | jq -r .body | jq -c '[.max_tokens, .max_output_tokens,
		.generationConfig.maxOutputTokens, .options.num_predict,
		.max_completion_tokens] | map(values) | unique'
}
printf '%s\n' "$user" >in
is "nothing is said where the window is not known" "$(room)" "[]"
is "... but where it is set" "$(room -o context.window=65536)" "[8192]"
is "... of a small one a quarter" "$(room -o context.window=4096)" "[1024]"
printf '{"type":"limit","context_tokens":16384,"source":"/props"}\n%s\n' "$user" >in
for api in openai responses anthropic gemini ollama; do
	is "$api: what is reserved of a window that is known" \
		"$(room --api $api)" "[4096]"
done
is "as it is reserved" "$(room -o context.reserved_output_tokens=1000)" "[1000]"
is "... as it is set" "$(room -o provider.max_tokens=77)" "[77]"
is "params have the last word" \
	"$(room -o 'provider.params={"max_completion_tokens":5}')" "[5]"
done_testing

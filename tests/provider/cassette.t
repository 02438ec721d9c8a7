#!/bin/bash
# cassettes: what a server said, recorded and answered again (chapter 4.5)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"
tools='{"type":"tools","tools":[{"type":"function","function":{"name":"weather","description":"d","parameters":{"type":"object","properties":{}}}}]}'
printf '%s\n' "$tools" "$user" >in
R=$TOP/tests/httpd/rec

# each recorded server, taken up and played back, also byte by byte
for rec in "$R"/*.00 "$R"/api/*.00; do
	name=${rec##*/}
	api=openai
	case $rec in */api/*) api=${name%%[.-]*} ;; esac
	serve "$rec"
	rm -f tape
	hamr-provider -n -q --no-config --api $api --base-url \
		"http://127.0.0.1:$HTTPD_PORT" --model m --record tape <in |
		no_times >got
	httpd_stop
	for n in 0 1 13; do
		hamr-provider -n -q --no-config --model m --replay tape \
			${n:+$([ $n = 0 ] || echo --replay-chunk $n)} <in |
			no_times | grep -v '"delta"' >again.$n
	done
	grep -v '"delta"' got >want
	cmp -s again.0 want && cmp -s again.1 want && cmp -s again.13 want
	is "$name: recorded, and played back in pieces" "$?" 0
done
is "one line an exchange" "$(jq -c '[.type, .v, .status, .end]' tape)" \
	'["exchange",1,200,"done"]'

# keys are blanked, files are private
events "$(d '{"content":"your key is sk-secret-123"}')" "$(fin stop)" >leak
serve leak
rm -f tape
OPENAI_API_KEY=sk-secret-123 hamr-provider -n -q --no-config --base-url \
	"$URL" --model m --record tape <in >/dev/null
is "no key in it" "$(grep -c sk-secret tape) $(grep -c '\[key\]' tape)" "0 1"
events "$(d '{"content":"your key is sk-s","x":[{"token":"sk"}]}')" \
	"$(d '{"x":[{"token":"-secret-12"}],"content":"ecret-\u0031"}')" \
	"$(d '{"content":""}')" "$(d '{"content":"23, \"s","x":[{"token":"3"}]}')" \
	"$(d '{"content":"k\""}')" "$(fin stop)" >leak
serve leak
rm -f tape
OPENAI_API_KEY=sk-secret-123 hamr-provider -n -q --no-config --base-url \
	"$URL" --model m --record tape <in >/dev/null
is "... in pieces over several events neither" "$(jq -r .response tape |
	sed -n 's/^data: {/{/p' | jq -s -c '[.[].choices[0].delta] |
	[map(.content // ""), [.[].x[]?.token] | join("")]')" \
	'["your key is [key], \"sk\"","[key]"]'
# ... a key with a quote is not found by its bytes
args='"{\"path\": \"sk-s\\\"ecret-1\\\\23\"}"'
events "$(d '{"content":"sk-s\"ec"}')" "$(d '{"content":"ret-1\\23"}')" \
	"$(d '{"tool_calls":[{"function":{"arguments":'"$args"'}}]}')" \
	"$(fin stop)" >leak
serve leak
rm -f tape
OPENAI_API_KEY='sk-s"ecret-1\23' hamr-provider -n -q --no-config --base-url \
	"$URL" --model m --record tape <in >/dev/null
is "... one with a quote neither, in arguments too" "$(jq -r .response tape |
	sed -n 's/^data: {/{/p' | jq -s -c '[.[].choices[0].delta |
	.content // .tool_calls[0].function.arguments // empty]')" \
	'["[key]","","{\"path\": \"[key]\"}"]'
is "nobody else may read it" "$(stat -c %a tape)" 600

# what failed plays back as it failed; what was tried again is left out
printf 'status 429\nbody {"error":{"message":"slow down"}}\n' >busy
events "$(d '{"content":"fine"}')" "$(fin stop)" >fine
{ echo 'chunked'; echo 'event {"choices":[{"index":0,"delta":{"content":"ha"}}]}'
echo close; } >cut
serve busy fine cut
rm -f tape
{ cat in; echo '{"type":"go","n":1}'
echo '{"role":"assistant","content":"fine"}'; echo "$user"; echo '{"type":"go","n":2}'; } >two
hamr-provider -n -q --no-config --base-url "$URL" --model m --record tape \
	<two | no_times | grep -v 'delta\|progress' >got
is "three exchanges" "$(jq -c '[.status, .end, .again]' tape | paste -sd' ')" \
	'[429,"done",true] [200,"done",null] [200,"network",null]'
hamr-provider -n -q --no-config --model m --replay tape <two | no_times |
	grep -v '"delta"' >again
sed -i 's,http://127.0.0.1:[0-9]*,the server,' got
same "two answers, the second broken off" again got
# bytes that are no text
printf 'chunked\ntext data: {"choices":[{"index":0,"delta":{"content":"\\xff"},"finish_reason":"stop"}]}\\n\\n\nevent [DONE]\n' >bad
serve bad
rm -f tape
hamr-provider -n -q --no-config --base-url "$URL" --model m --record tape \
	<in | no_times | grep -v '"delta"' >got
is "bad bytes are kept as they came" "$(jq -r 'has("response_hex")' tape)" true
hamr-provider -n -q --no-config --model m --replay tape <in | no_times |
	grep -v '"delta"' >again
same "... and read the same" again got
for hex in '"4g"' '"414"' 65; do
	printf '\n{"type":"exchange","v":1,"api":"openai","request":{},"status":200,"end":"done","response_hex":%s}\n' \
		"$hex" | sed 1s/^/'{"role":"user","content":"x"}'/ >damaged
	status "response_hex $hex: 65" 65 hamr-provider --no-config -n \
		--replay damaged
	match "... with its line" "$(cat .err)" "*damaged:2: response_hex *"
done
# of an answer without a stream the arguments are taken as they come
for input in '"{\"a\":1}"' '{"a":1}'; do
	jq -cn --arg r '{"type":"message","content":[{"type":"tool_use",
	    "id":"t","name":"weather","input":'"$input"'}]}' '{type:"exchange",
	    v:1,api:"anthropic",request:{},status:200,end:"done",response:$r}' \
	    >call
	is "arguments $input" "$(hamr-provider -n -q --no-config --replay call \
		<in | jq -r '.tool_calls // empty |
		.[].function.arguments')" '{"a":1}'
done
status "--replay-chunk 0: 2" 2 hamr-provider --no-config --replay tape \
	--replay-chunk 0
# a full disk: what does not fit is left out, whole
events "$(d '{"content":"fine"}')" "$(fin stop)" >fine
{ head -c 1500 /dev/zero | tr '\0' a | sed 's/.*/body &/'; } >long
serve fine long fine
rm -f tape
hamr-provider -n -q --no-config --base-url "$URL" --model m --record tape \
	<in >/dev/null
cp tape first
(ulimit -f 1; hamr-provider -n -q --no-config --base-url "$URL" --model m \
	--record tape <in >got 2>.err)
same "a line that does not fit leaves no half of it" tape first
match "... and is told" "$(cat .err)" "*the cassette cannot be written: *"
hamr-provider -n -q --no-config --base-url "$URL" --model m --record tape \
	<in >/dev/null
hamr-provider -n -q --no-config --base-url "$URL" --model m --record \
	/dev/full <in 2>&1 >/dev/null | sed 's/.*: //' >why
is "... with the reason" "$(cat why)" "No space left on device"
is "... and the next one is whole" "$(jq -c .type tape | wc -l)" 2
status "a cassette that cannot be made: 71" 71 hamr-provider --no-config \
	--record tape/x
done_testing

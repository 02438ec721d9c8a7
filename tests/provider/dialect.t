#!/bin/bash
# calls written as text, and reasoning in the content (chapter 4.2)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"
. "$TOP/tests/quote.sh"

tools='[{"type":"function","function":{"name":"read","description":"d","parameters":{"type":"object","properties":{"path":{"type":"string"},"first":{"type":"integer"}}}}},{"type":"function","function":{"name":"plan","parameters":{"type":"object","properties":{"steps":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}}}}}]'
printf '{"type":"request","messages":[%s],"tools":%s}\n' "$user" "$tools" >in

# The content in one delta, in deltas of one character, and as an answer
# without a stream must all make the same message.
wanted() {
	jq -c 'select(.type != "delta") |
		if .role then [.content, .reasoning, [.tool_calls[]? |
		[.function.name, .function.arguments]], .finish_reason,
		.meta.dropped_calls] else [.type, .code, .partial] end' "$@"
}
content() {	# text, as JSON
	quote "$1"
	printf '%s\n' "$quoted"
}
# name wanted text finish ARG...
lifts() {
	lifts_name=$1 lifts_want=$2 text=$3 finish=$4
	shift 4
	quote "$text"
	whole=$quoted
	{
		echo chunked
		jq -cn --arg text "$text" '$text | explode[] | {choices: [{
		    index: 0, delta: {content: [.] | implode}}]}' |
		    sed 's/^/event /'
		printf 'event {"choices":[{"index":0,"delta":{},%s}]}\n' \
			"\"finish_reason\":\"$finish\""
		echo 'event [DONE]'
	} >by-character
	{
		echo 'header Content-Type: application/json'
		printf 'body {"choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"%s"}]}\n' \
			"$whole" "$finish"
	} >at-once
	events "$(d "{\"content\":$whole}")" "$(fin "$finish")" >s
	serve s by-character at-once
	asked "$@" >said.1
	asked "$@" >said.2
	asked -o provider.stream=false "$@" >said.3
	mapfile -t got < <(wanted said.[123])
	is "$lifts_name" "${got[0]}" "$lifts_want"
	is "$lifts_name, a character a delta" "${got[1]}" "$lifts_want"
	is "$lifts_name, without a stream" "${got[*]:2}" "$lifts_want"
}

plain() {	# name text finish ARG...: it stays text
	plain_name=$1 text=$2
	shift 2
	quote "$text"
	lifts "$plain_name" "[$quoted,null,[],\"stop\",null]" "$text" stop "$@"
}

# ---- hermes ----

hermes='<tool_call>
{"name": "read", "arguments": {"path": "a.c"}}
</tool_call>'
lifts "hermes" '[null,null,[["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"$hermes" stop
lifts "text before and between stays" \
	'["I look.\n\nThen.",null,[["read","{\"path\": \"a.c\"}"],["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"I look.
$hermes

Then.
$hermes" stop
lifts "a name that is no tool stays text" \
	'["<tool_call>{\"name\":\"rm\"}</tool_call>",null,[],"stop",null]' \
	'<tool_call>{"name":"rm"}</tool_call>' stop
lifts "words behind a call without its closing tag" \
	'["Then\nNow.",null,[["read","{}"],["read","{}"]],"tool_calls",null]' \
	'<tool_call>{"name":"read"} Then
<tool_call>{"name":"read"}
Now.' stop
plain "a code fence stays text" "\`\`\`
$hermes
\`\`\`"
plain "a blockquote stays text" "So:

> $hermes"
plain "indented code stays text" "So:

    <tool_call>{\"name\":\"read\",\"arguments\":{}}

    </tool_call>
	$hermes"
lifts "a call in a list" \
	'["1. So:",null,[["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"1. So:

    $hermes" stop
lifts "a call that is indented, not code" \
	'["So:",null,[["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"So:
    $hermes" stop
plain "none lifts nothing" "$hermes" -o provider.tool_dialect=none

# ---- qwen3-coder ----

qwen='<tool_call>
<function=read>
<parameter=path>
if (a < b && c) </parameter> x

</parameter>
<parameter=first>
12
</parameter>
</function>
</tool_call>'
lifts "qwen3-coder" '[null,null,[["read","{\"path\":\"if (a < b && c) </parameter> x\\n\",\"first\":12}"]],"tool_calls",null]' \
	"$qwen" stop
lifts "without the leading tag" '[null,null,[["read","{\"path\":\"a\"}"]],"tool_calls",null]' \
	'<function=read><parameter=path>a</parameter></function></tool_call>' stop
lifts "qwen3-coder: without </parameter>" \
	'[null,null,[["read","{\"path\":\"a\",\"first\":2}"],["read","{\"path\":\"b\"}"]],"tool_calls",null]' \
	'<tool_call>
<function=read>
<parameter=path>
a
<parameter=first>
2
</function>
</tool_call>
<tool_call>
<function=read>
<parameter=path>
b
</function>
</tool_call>' stop
lifts "... of the first parameter, before the next one" \
	'[null,null,[["read","{\"path\":\"a\",\"first\":2}"],["read","{\"path\":\"b\"}"]],"tool_calls",null]' \
	'<tool_call>
<function=read>
<parameter=path>
a
<parameter=first>
2
</parameter>
</function>
</tool_call>
<tool_call>
<function=read>
<parameter=path>
b
</parameter>
</function>
</tool_call>' stop
lifts "... but a line that closes its parameter, or begins none, is text" \
	'[null,null,[["read","{\"path\":\"a\\n<parameter=first>\\n2\\n</parameter>\\nb\\n<parameter=path>\\n<parameter=x>\"}"]],"tool_calls",null]' \
	'<tool_call>
<function=read>
<parameter=path>
a
<parameter=first>
2
</parameter>
b
<parameter=path>
<parameter=x>
</parameter>
</function>
</tool_call>' stop
one='<function=read><parameter=path>a</parameter>'
for end in '</tool_call>' '</function>'; do
	lifts "words between two calls, one without all its closing tags: $end" \
		'["Now b.",null,[["read","{\"path\":\"a\"}"],["read","{\"path\":\"a\"}"]],"tool_calls",null]' \
		"<tool_call>$one$end
Now b.
<tool_call>$one</function></tool_call>" stop
done
for end in '' '</function>'; do
	lifts "words on a line behind a call without all its closing tags: $end" \
		'["Done.",null,[["read","{\"path\":\"a\"}"]],"tool_calls",null]' \
		"<tool_call>$one$end
Done." stop
done
half='<function=read><parameter=path>a </function> b'
lifts "... but not what has words behind it" \
	"[\"error\",\"malformed_tool_call\",{\"content\":$(content "$half")}]" \
	"$half" stop
behind='<tool_call>
<function=read>
</function>
a<function=x></parameter><parameter=first>1'
lifts "a parameter behind its function's end" \
	"[\"error\",\"malformed_tool_call\",{\"content\":$(content "$behind")}]" \
	"$behind" stop

# ---- the dialects that are read whole ----

one='[null,null,[["read","{\"path\":\"a.c\"}"]],"tool_calls",null]'
two='[null,null,[["read","{\"path\":\"a.c\"}"],["read","{\"path\":\"b\",\"first\":2}"]],"tool_calls",null]'
a='{"path":"a.c"}' b='{"path":"b","first":2}'
obj_a="{\"name\":\"read\",\"parameters\":$a}"
obj_b="{\"name\":\"read\",\"parameters\":$b}"
lifts "hermes, the object as in tool_calls" "$one" \
	"<tool_call>{\"type\":\"function\",\"function\":$obj_a}</tool_call>" stop
lifts "llama3" "$one" "<|python_tag|>$obj_a<|eom_id|>" stop
lifts "llama3: two" "$two" "<|python_tag|>$obj_a; $obj_b" stop
lifts "llama3: a call in Python" "$one" '<|python_tag|>read.call(path="a.c")' \
	stop
lifts "llama3: without its tag" "$one" "$obj_a" stop
plain "llama3: with words behind it" "$obj_a would read it."
lifts "a bare list" "$two" "[$obj_a,
 $obj_b]
" stop
plain "... with a name that is none of the tools" "[$obj_a,{\"name\":\"Ann\"}]"
plain "... with words behind it" "[$obj_a] would read it."
plain "... of something else" '[{"name":"read"}, 3]'
plain "... within a text" "so: [$obj_a]"
plain "... which llama3 alone does not know" "[$obj_a]" \
	-o provider.tool_dialect=llama3
lifts "... cut" \
	'[null,null,[["read","{\"path\":\"a.c\"}"]],"tool_calls",1]' \
	"[$obj_a,{\"name\":\"read\",\"argu" length
lifts "an object as a function's arguments" "$two" "<function=read>$a</function>
<tool_call>
<function=read>
$b
</function> </tool_call>" stop
lifts "... without the closing tag" "$one" "<function=read> $a" stop
lifts "... cut" '["",null,[],"length",1]' '<function=read>{"path":"a' length
plain "... with words behind it" "<function=read>$a b"
plain "... of another name" "<function=reads>$a</function>"
lifts "granite" "$two" "<|tool_call|>[$obj_a, $obj_b]<|end_of_text|>" stop
plain "granite: its tag in words" 'The token <|tool_call|> begins a call.'
plain "llama3: another name" '{"name":"Ann","parameters":{}}'
plain "llama3: its tag in words" 'The token <|python_tag|> begins a call.'
lifts "mistral" "$two" \
	"[TOOL_CALLS][{\"name\":\"read\",\"arguments\":$a}, {\"name\":\"read\",\"arguments\":$b}]" stop
lifts "mistral: the newer form" "$two" \
	"[TOOL_CALLS]read[ARGS]${a}[TOOL_CALLS]read[CALL_ID]x1[ARGS]$b" stop
lifts "mistral: the end of a turn is no text" "$one" \
	"[TOOL_CALLS][{\"name\":\"read\",\"arguments\":$a}]</s>" stop
lifts "mistral: text stays" '["So.",null,[["read","{\"path\":\"a.c\"}"]],"tool_calls",null]' \
	"So.[TOOL_CALLS]read$a" stop
lifts "deepseek" "$two" "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read
\`\`\`json
$a
\`\`\`<｜tool▁call▁end｜>
<｜tool▁call▁begin｜>function<｜tool▁sep｜>read
\`\`\`json
$b
\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>" stop
lifts "deepseek: the newer form" "$one" "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>$a<｜tool▁call▁end｜><｜tool▁calls▁end｜>" stop
lifts "deepseek 3.2" "$two" '<｜DSML｜function_calls>
<｜DSML｜invoke name="read">
<｜DSML｜parameter name="path" string="true">a.c</｜DSML｜parameter>
</｜DSML｜invoke>
<｜DSML｜invoke name="read">
<｜DSML｜parameter name="path" string="true">b</｜DSML｜parameter>
<｜DSML｜parameter name="first" string="false">2</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜function_calls>' stop
lifts "deepseek 4, its marks narrowed, or only the inner ones" "$two" \
	'<|DSML|tool_calls>
<|DSML|invoke name="read">
<|DSML|parameter name="path" string="true">a.c</|DSML|parameter>
</|DSML|invoke>
</|DSML|tool_calls>
<｜DSML｜invoke name="read">
<｜DSML｜parameter name="path" string="true">b</｜DSML｜parameter>
<｜DSML｜parameter name="first" string="false">2</｜DSML｜parameter>
</｜DSML｜invoke>' stop
lifts "kimi 3" '[null,"hm",[["read","{\"path\":\"<x> <|sep|>\",\"first\":2}"]],"tool_calls",null]' \
	'<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool="read" index="1"<|sep|><|open|>argument key="path" type="string"<|sep|><x> <|sep|><|close|>argument<|sep|><|open|>argument key="first" type="number"<|sep|>2<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>' stop
list="[{\"name\":\"read\",\"arguments\":$a},{\"name\":\"read\",\"parameters\":$b}]"
while read -r open close; do
	lifts "a list in $open" "$two" "$open$list$close" stop
done <<'X'
<tool_call> </tool_call>
<tool_call>
<|tool_call|> <|/tool_call|>
<|tool_call_start|> <|tool_call_end|>
<TOOLCALL> </TOOLCALL>
<tool_calls> </tool_calls>
<|START_ACTION|> <|END_ACTION|>
X
lifts "two objects in one block, tags in a string" \
	'[null,null,[["read","{\"path\":\"</tool_call>\"}"],["read","{}"]],"tool_calls",null]' \
	'<tool_call>
{"name":"read","arguments":{"path":"</tool_call>"}}
{"tool_name":"read"}
</tool_call>' stop
lifts "glm, as Hunyuan writes it" "$one" \
	'<tool_call>read<tool_sep>
<arg_key>path</arg_key><arg_value>a.c</arg_value></tool_call>' stop
lifts "marks that frame an answer" '["On it.","hm",[],"stop",null]' \
	'hm<|close|>think<|sep|><|open|>response<|sep|>On it.<|close|>response<|sep|><|close|>message<|sep|>' stop
lifts "... or a call" "$two" '<seed:tool_call>
<function=read><parameter=path>a.c</parameter></function>
</seed:tool_call>
<seed:tool_call>
<function=read><parameter=path>b</parameter><parameter=first>2</parameter></function>
</seed:tool_call>' stop
plain "... are text in code" 'It opens with `<|START_TEXT|>`.'
plain "... a mention" 'They write <tool_calls>[...] or <TOOLCALL>[.'
plain "a list of tools" '[{"name":"read","description":"d","parameters":{"type":"object"}}]'
plain "... of what has a tool's name" '```json
{"name":"read","age":3}
```'
lifts "... is a call where the dialect is named" \
	'[null,null,[["read","{}"]],"tool_calls",null]' '```json
{"name":"read"}
```' stop -o provider.tool_dialect=json
plain "a list of Python's that is explained" '[read(path="a.c")] reads it.'
lifts "deepseek 4, with tags in a value" \
	'["So.",null,[["read","{\"path\":\"</think> </｜DSML｜invoke> x\"}"]],"tool_calls",null]' \
	'So.

<｜DSML｜tool_calls>
<｜DSML｜invoke name="read">
<｜DSML｜parameter name="path" string="true"></think> </｜DSML｜invoke> x</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜tool_calls>' stop
lifts "hermes: args, as a template of gemma3n has it" "$one" \
	"<tool_call>{\"name\":\"read\",\"args\":$a}</tool_call>" stop
lifts "glm" "$two" '<tool_call>read
<arg_key>path</arg_key>
<arg_value>a.c</arg_value>
</tool_call>
<tool_call>read
<arg_key>path</arg_key><arg_value>b</arg_value>
<arg_key>first</arg_key><arg_value>2</arg_value>
</tool_call>' stop
lifts "glm: a value with tags in it" '[null,null,[["read","{\"path\":\"</tool_call> </arg_value> <a>\"}"]],"tool_calls",null]' \
	'<tool_call>read<arg_key>path</arg_key><arg_value></tool_call> </arg_value> <a></arg_value></tool_call>' stop
plain "glm: no tool" '<tool_call>rm<arg_key>path</arg_key><arg_value>a</arg_value></tool_call>'
lifts "kimi" "$two" "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>$a<|tool_call_end|><|tool_call_begin|>functions.read:1<|tool_call_argument_begin|>$b<|tool_call_end|><|tool_calls_section_end|>" stop
lifts "minimax" "$two" '<minimax:tool_call>
<invoke name="read">
<parameter name="path">a.c</parameter>
</invoke>
<invoke name="read">
<parameter name="path">b</parameter>
<parameter name="first">2</parameter>
</invoke>
</minimax:tool_call>' stop
lifts "minimax: only invoke, and tags in a value" \
	'[null,null,[["read","{\"path\":\"</invoke> </parameter> x\"}"]],"tool_calls",null]' \
	'<invoke name="read"><parameter name="path"></invoke> </parameter> x</parameter></invoke>' stop
m=']<]minimax[>['
lifts "minimax m3" "$two" "$m<tool_call>
$m<invoke name=\"read\">$m<path>a.c$m</path>$m</invoke>
$m<invoke name=\"read\">$m<path>b$m</path>$m<first>2$m</first>$m</invoke>
$m</tool_call>" stop
lifts "minimax m3: some marks are missing, and tags in a value" \
	'["Now.",null,[["read","{\"path\":\"<b> </path> x</first>\"}"]],"tool_calls",null]' \
	"Now.$m<tool_call>
<invoke name=\"read\"><path><b> </path> x</first>$m</path></invoke></tool_call>" stop
other='<invoke name="read"><tool_call></tool_call></invoke>'
lifts "minimax m3: nested values" \
	'[null,null,[["plan","{\"steps\":[{\"n\":1,\"is\":[\"a\",\"<b>\"]},{\"n\":2}]}"]],"tool_calls",null]' \
	"$m<tool_call>$m<invoke name=\"plan\">$m<steps>$m<item>$m<n>1$m</n>$m<is>$m<item>a$m</item>$m<item><b>$m</item>$m</is>$m</item>$m<item>$m<n>2$m</n>$m</item>$m</steps>$m</invoke>$m</tool_call>" stop
lifts "minimax m3: no elements, and values without a schema" \
	'[null,null,[["plan","{\"steps\":[]}"],["plan","{\"steps\":[{\"a\":true,\"b\":1.10,\"c\":\"1 a\",\"d\":\"\"}]}"]],"tool_calls",null]' \
	"$m<tool_call>$m<invoke name=\"plan\">$m<steps>$m</steps>$m</invoke>$m<invoke name=\"plan\">$m<steps>$m<item>$m<a>true$m</a>$m<b>1.10$m</b>$m<c>1 a$m</c>$m<d>$m</d>$m</item>$m</steps>$m</invoke>$m</tool_call>" stop
lifts "minimax m3: a tag that is no parameter" \
	"[\"error\",\"malformed_tool_call\",{\"content\":$(content "$other")}]" \
	"$other" stop
plain "minimax m3: half a mark" 'a ]<] b ]<]minimax[>'
lifts "minicpm 5" "$two" '<function name="read"><param name="path">a.c</param></function>
<function name="read">
  <param name="path"><![CDATA[b]]></param>
  <param name="first">2</param>
</function>' stop
plain "minimax: a mention" \
	'A call begins with <invoke name="read"> or <invoke name="x">, I think.'
plain "minimax: no tool" '<invoke name="rm"><a>b</a></invoke>'
plain "olmo: a mention" 'They write <function_calls> and lines.'
plain "kimi: a mention" 'First <|tool_call_begin|> and then its name.'
plain "minicpm 5: no tool" '<function name="rm"><param name="x">a</param></function>'
lifts "apertus" '["So.","hm",[["read","{\"path\":\"a.c\"}"],["read","{}"]],"tool_calls",null]' \
	'<|inner_prefix|>hm<|inner_suffix|>So.<|tools_prefix|>[{"read": {"path":"a.c"}}, {"read": {}}]<|tools_suffix|>' stop
lifts "functools" "$two" " functools[{\"name\":\"read\",\"arguments\":$a},$obj_b]" stop
plain "functools: words" 'functools[{"name":"read","arguments":{}} is no list.'
plain "functools: within a text" "From functools[$obj_a]"
lifts "pythonic" "$two" '[read(path="a.c"), read(path='"'b'"', first=2)]' stop
lifts "pythonic: literals" '[null,null,[["read","{\"path\":\"it'"'"'s\\n\",\"first\":[true,null,{\"k\":-1.5}]}"]],"tool_calls",null]' \
	'[read(path="it'"\\'"'s\n", first=[True, None, {"k": -1.5},])]' stop
lifts "pythonic: escapes" '[null,null,[["read","{\"path\":\"é A😀\\\\d\\\\u12\"}"]],"tool_calls",null]' \
	'[read(path="\u00e9\x20\U00000041\ud83d\ude00\d\u12")]' stop
lifts "pythonic: in the marks of LFM2" \
	'["So. Done.",null,[["read","{\"path\":\"</think>\"}"],["read","{}"]],"tool_calls",null]' \
	'So. <|tool_call_start|>[read(path="</think>"), read()]<|tool_call_end|>Done.' stop
lifts "pythonic: in those of Llama 4, not closed" "$one" \
	'<|python_start|>[read(path="a.c")]' stop
plain "pythonic: a mark in words" 'It begins with <|python_start|> or [.'
lifts "pythonic: list after list" "$two" '[read(path="a.c")]
[read(path="b", first=2)]' stop
plain "pythonic: ... of which one is none" '[read(path="a.c")] [1] is it.'
plain "pythonic: no tool" '[see(path="a.c")]'
plain "pythonic: a link" '[read(this)](https://example.org) it.'

lifts "gemma 4" "$two" \
	'<|tool_call>call:read{path:<|"|>a.c<|"|>}<tool_call|><|tool_call>call:read{path:<|"|>b<|"|>,first:2}<tool_call|>' stop
lifts "gemma 4: thoughts, and tags in a value" \
	'["So.","Hm.",[["read","{\"path\":\"\\\\n {x}, }<tool_call|> \\\"</think>\",\"first\":[{\"k\":\"v\",\"w\":null}]}"]],"tool_calls",null]' \
	'<|channel>thought
Hm.<channel|>So.<|tool_call>call:read{path:<|"|>\n {x}, }<tool_call|> "</think><|"|>,first:[{k:<|"|>v<|"|>,w:null}]}<tool_call|>' stop
lifts "gemma 4: in other quotes, with none, and in parentheses" "$two" \
	'<|tool_call>call:read{path: "a.c"}<tool_call|> <|tool_call>call:default_api.read(path: b, first: 2)<tool_call|>' stop
lifts "gemma 4: cut" '["So.",null,[["read","{\"path\":\"a.c\"}"]],"tool_calls",1]' \
	'So.<|tool_call>call:read{path:<|"|>a.c<|"|>}<tool_call|><|tool_call>call:read{path:<|"|>' length
half='<|tool_call>call:read{path:<|"|>a'
lifts "gemma 4: not closed" \
	"[\"error\",\"malformed_tool_call\",{\"content\":$(content "$half")}]" \
	"$half" stop
plain "gemma 4: a mention" 'Between <|tool_call> and <tool_call|> stands call:read{}.'
plain "gemma 4: no tool" '<|tool_call>call:rm{path:<|"|>a<|"|>}<tool_call|>'
lifts "functiongemma" "$two" \
	'<start_function_call>call:read{path:<escape>a.c<escape>}<end_function_call><start_function_call>call:read{path:<escape>b<escape>,first:2}<end_function_call>' stop
lifts "gemma 3" \
	'["I look.\n\nThen:",null,[["read","{\"path\":\"a.c\"}"],["read","{\"path\":\"```\\nx\\n```\\n\",\"first\":2}"],["read","{}"]],"tool_calls",null]' \
	'I look.

```tool_code
print(default_api.read(path="a.c"))
# the next one
text = read(path="""```
x
```
""", first=2)
```
Then:
```tool_code
read()
```' stop -o provider.tool_dialect=gemma
lifts "gemma 3: fences that are all of the answer" "$two" '```tool_code
read(path="a.c")
```

```tool_code
read(path="b", first=2)
```' stop
plain "gemma 3: a fence that is part of one stays" 'Use:
```tool_code
read(path="a.c")
```'
plain "gemma 3: ... also when text follows it" '```tool_code
read(path="a.c")
```
reads a.c.'
plain "gemma 3: code that calls no tool" '```tool_code
x = rm(path="a")
```
It is ```tool_code``` that Gemma writes.'
lifts "kimi: its end within a value" \
	'[null,null,[["read","{\"path\":\"<|tool_calls_section_end|>\"}"]],"tool_calls",null]' \
	'<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path":"<|tool_calls_section_end|>"}<|tool_call_end|><|tool_calls_section_end|>' stop
lifts "json: a fence that is all of the answer" "$one" "\`\`\`json
$obj_a
\`\`\`" stop
plain "json: a fence that is part of one stays" "Like this:
\`\`\`json
$obj_a
\`\`\`"
plain "... also at its beginning" "\`\`\`json
$obj_a
\`\`\`
would do it."
lifts "json: named, anywhere" '["Like this:",null,[["read","{\"path\":\"a.c\"}"]],"tool_calls",null]' "Like this:
\`\`\`json
$obj_a
\`\`\`" stop -o provider.tool_dialect=json
plain "one dialect named, no other is read" "<|python_tag|>$obj_a" \
	-o provider.tool_dialect=kimi
for text in "<|python_tag|>{\"name\":\"read\",]}" \
	"[TOOL_CALLS][{\"name\":\"read\" 1}]" \
	"<｜tool▁call▁begin｜>read<｜tool▁sep｜>{1}<｜tool▁call▁end｜>" \
	"<|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{1}<|tool_call_end|>" \
	'<invoke name="read"><parameter name="path">a</invoke>' \
	$'<tool_call><function=read><parameter=path>\na\n</parameter>\n<parameter=fi'; do
	quote "$text"
	lifts "it cannot be lifted: $text" \
		"[\"error\",\"malformed_tool_call\",{\"content\":$quoted}]" \
		"$text" stop
done
for text in "<|python_tag|>$obj_a; {\"name\":\"re" \
	"[TOOL_CALLS][{\"name\":\"read\",\"arguments\":$a},{\"na" \
	"<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>$a<|tool_call_end|><|tool_call_begin|>functions.re" \
	'<minimax:tool_call><invoke name="read"><parameter name="path">a.c</parameter></invoke><invoke name="read"><parameter name="pa' \
	'<｜DSML｜tool_calls><｜DSML｜invoke name="read"><｜DSML｜parameter name="path" string="true">a.c</｜DSML｜parameter></｜DSML｜invoke><｜DSML｜invoke name="read"><｜DSML｜para' \
	'[read(path="a.c"), read(pa'; do
	lifts "cut, the last is dropped: $text" "${one%null]}1]" "$text" length
done

for text in "<|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>$a<|tool_ca" \
	'<minimax:tool_call><invoke name="read"><parameter name="path">a.c</parameter></invoke></mini'; do
	lifts "cut within the closing tag: $text" "$one" "$text" length
done

# ---- tags of reasoning within a call ----

t='a]<think>x</think>'
in="[null,null,[[\"read\",\"{\\\"path\\\":\\\"$t\\\"}\"]],\"tool_calls\",null]"
for text in "[read(path='$t')]" "{\"name\":\"read\",\"arguments\":{\"path\":\"$t\"}}" \
	"<|tool_call|>[{\"name\":\"read\",\"arguments\":{\"path\":\"$t\"}}]" \
	"<tool_call>{\"name\":\"read\",\"arguments\":{\"path\":\"$t\"}}</tool_call>" \
	"<function=read><parameter=path>$t</parameter></function>" \
	"[TOOL_CALLS]read{\"path\":\"$t\"}" \
	"<tool_call>read<arg_key>path</arg_key><arg_value>$t</arg_value></tool_call>"; do
	lifts "they are its text: $text" "$in" "$text" stop
	[[ $text != "{"* ]] || continue		# only at the beginning
	thought="I could use
$text"
	lifts "... and a call before the end of reasoning is reasoning" \
		"[\"B\",$(content "$thought"),[],\"stop\",null]" \
		"$thought</think>B" stop
done
thought='I could use <tool_call> here'
lifts "a tag that is mentioned in reasoning begins no call" \
	"[\"B\",$(content "$thought"),[],\"stop\",null]" "$thought</think>B" stop

# ---- what is written for servers without tools ----

# ---- channels of gpt-oss, and OLMo's function_calls ----

lifts "gpt-oss: a thought and a call" \
	'[null,"I look.",[["read","{\"path\":\"a.c\"}"]],"tool_calls",null]' \
	'<|channel|>analysis<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.read <|constrain|>json<|message|>{"path":"a.c"}<|call|>' stop
lifts "gpt-oss: the recipient first, the end stripped, two calls" "$two" \
	'<|start|>assistant to=functions.read<|channel|>commentary json<|message|>{"path":"a.c"}<|call|><|start|>assistant<|channel|>commentary to=read<|message|>{"path":"b","first":2}' stop
lifts "gpt-oss: words before the answer, with a < in it" \
	'["First.\n\na <b> <|x","Hm <|.",[],"stop",null]' \
	'<|channel|>analysis<|message|>Hm <|.<|end|><|start|>assistant<|channel|>commentary<|message|>First.<|end|><|start|>assistant<|channel|>final<|message|>a <b> <|x<|return|>' stop
lifts "gpt-oss: a call without arguments" \
	'[null,null,[["read","{}"]],"tool_calls",null]' \
	'<|channel|>commentary to=functions.read<|message|><|call|>' stop
lifts "gpt-oss: the recipient is all before the channel" "$one" \
	' to=functions.read<|channel|>commentary <|constrain|>json<|message|>{"path":"a.c"}' stop
plain "gpt-oss: words that begin with its tag" '<|start|> begins a message.'
plain "gpt-oss: 4,200 bytes of them" \
	"<|start|>$(printf '%4200s' '')<|message|> stands behind a header." \
	-o provider.repeat_limit=0
plain "gpt-oss: words like a recipient" ' to=functions.read is a header.'
plain "gpt-oss: a piece of one" 'to=functions.re'
lifts "gpt-oss: to itself it calls nothing" '["So.","Hm.",[],"stop",null]' \
	'<|channel|>commentary to=assistant<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=assistant<|channel|>final<|message|>So.' stop
lifts "gpt-oss: cut in a call" '["",null,[],"length",1]' \
	'<|channel|>commentary to=functions.read<|message|>{"path":"a' length
blank=$(printf '%4200s' '')
lifts "an answer that begins with 4,200 blanks ends" \
	"[\"${blank}x\",null,[],\"stop\",null]" "${blank}x" stop \
	-o provider.repeat_limit=0
plain "gpt-oss: its tag amidst an answer" 'It writes <|channel|>final<|message|>so.'
lifts "OLMo" "$two" '<function_calls>
read(path="a.c")
read(path="b", first=2)
</function_calls>' stop
plain "OLMo: a mention" 'Calls stand in <function_calls></function_calls>.'

mv in in.plain
past='{"role":"assistant","content":"","tool_calls":[{"id":"p1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a \\\"b\\\"WHAT\",\"first\":2}"}}]},{"role":"tool","tool_call_id":"p1","content":"its text"}'
for name in hermes qwen3-coder llama3 mistral deepseek glm kimi minimax \
	pythonic gemma json; do
	# tags among the arguments are theirs, where the call has marks
	what='<think>c</think>'
	[ $name != pythonic ] || what=
	printf '{"type":"request","messages":[%s,%s],"tools":%s}\n' "$user" \
		"${past/WHAT/$what}" "$tools" >in
	events "$(d '{"content":"x"}')" "$(fin stop)" >s
	serve s
	ask -o provider.tool_dialect=$name >/dev/null
	jq -c '.body | fromjson' log >body
	is "$name: the tools stand in the text" "$(jq -c '[.tools,
		(.messages[0] | .role, (.content | contains("read")))]' body)" \
		'[null,"system",true]'
	is "$name: so does the result" "$(jq -r '.messages[-1] | .role,
		(.content | contains("its text"))' body | xargs)" "user true"
	jq -r '.messages[] | select(.role == "assistant") | .content' body >past
	cp in.plain in
	events "$(d "{\"content\":$(content "$(cat past)")}")" \
		"$(fin stop)" >s
	serve s
	is "$name: a call is read as it was written" \
		"$(ask -o provider.tool_dialect=$name | jq -c \
		'.tool_calls[]?.function | [.name, (.arguments | fromjson)]')" \
		'["read",{"path":"a \"b\"'"$what"'","first":2}]'
done
mv in.plain in

# ---- what cannot be lifted ----

lifts "a block that cannot be lifted" \
	'["error","malformed_tool_call",{"content":"<tool_call>{\"name\":\"read\" 1}</tool_call>"}]' \
	'<tool_call>{"name":"read" 1}</tool_call>' stop
is "... says where its JSON ends to be any" "$(ask | jq -r .message)" \
	"the model's tool call is not valid JSON: expected ',' or '}' after: {\"name\":\"read\" "

# ---- cut by length ----

lifts "cut: whole blocks stay, the last is dropped" \
	'["x",null,[["read","{\"path\": \"a.c\"}"]],"tool_calls",1]' "x
$hermes
<tool_call>
{\"name\": \"read\", \"argu" length
lifts "cut: nothing whole" '["x",null,[],"length",1]' "x
<tool_call>
{\"name\": \"read\", \"argu" length

# a partial answer keeps what had arrived, whatever becomes of the calls
while IFS='|' read -r name last; do
	quote "$last"
	printf 'event %s\n' "$(d "{\"content\":$quoted}")" >s
	{ echo chunked; cat s; echo close; } >broken
	{ cat s; echo 'event {"error":{"message":"boom"}}'; } >failed
	serve s broken failed
	for how in truncated network server; do
		is "$how: $name stays" "$(ask -o provider.max_retries=0 |
			jq -c '[.code, .partial]')" \
			"[\"$how\",{\"content\":$quoted}]"
	done
done <<'X'
an incomplete call|So. <tool_call>{"name":"read","argu
... behind a whole one|<tool_call>{"name":"read"}</tool_call> <tool_call>{"na
... as its tag begins|So. <tool_c
... of mistral's|So. [TOOL_CALLS]read
one that cannot be read|<tool_call>{"name":"read" 1}</tool_call>
X

# ---- reasoning ----

lifts "think" '["B","A",[],"stop",null]' '<think>
A
</think>

B' stop
lifts "think, the opening tag missing" '["B","A",[],"stop",null]' 'A
</think>

B' stop
lifts "think, white space around it" '["B","A",[],"stop",null]' '

A
</think>
B' stop
lifts "think, unclosed" '["","A",[],"stop",null]' '<think>A' stop
lifts "a call at the end of reasoning that is never closed" \
	'[null,"A",[["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"<think>A
$hermes
" stop
lifts "... after text" \
	'["Look.\n","A",[["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"Look.
<think>A
$hermes" stop
lifts "... but words follow it" \
	"[\"\",$(content "A
$hermes or not"),[],\"stop\",null]" "<think>A
$hermes or not" stop
lifts "... only those at the end" \
	'[null,"A\n\nor rather",[["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"<think>A
<tool_call>{\"name\":\"read\"}</tool_call>

or rather
$hermes" stop
lifts "... but it is cut" \
	"[\"\",$(content "A
$hermes"),[],\"length\",null]" "<think>A
$hermes" length
says "a call at the end of the server's reasoning" \
	'[null,"A",[["call_1","read","{}"]],"tool_calls"]' \
	"$(d '{"reasoning_content":"A\n<tool_call>{\"name\":\"read\"}"}')" \
	"$(d '{"reasoning_content":"</tool_call>"}')" "$(fin stop)"
says "... but an answer follows" \
	'["B","<tool_call>{\"name\":\"read\"}</tool_call>",[],"stop"]' \
	"$(d '{"reasoning":"<tool_call>{\"name\":\"read\"}</tool_call>"}')" \
	"$(d '{"content":"B"}')" "$(fin stop)"
lifts "... or at the end of reasoning that nothing follows" \
	'[null,"A",[["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"<think>A
$hermes</think>
" stop
lifts "a call in reasoning is none" \
	'[null,"<tool_call>{\"name\":\"read\"}</tool_call>",[["read","{\"path\": \"a.c\"}"]],"tool_calls",null]' \
	"<tool_call>{\"name\":\"read\"}</tool_call></think>$hermes" stop

lifts "a call in Mistral's reasoning is none" \
	'[null,"I could [TOOL_CALLS]read[ARGS]{} so.",[["read","{\"path\":\"a.c\"}"]],"tool_calls",null]' \
	"[THINK]I could [TOOL_CALLS]read[ARGS]{} so.[/THINK][TOOL_CALLS]read[ARGS]$a" stop

# ---- what is left in the text ----

native='{"tool_calls":[{"index":0,"id":"n","function":{"name":"read","arguments":"{}"}}]}'
quote "A $hermes B"
beside=$(d "{\"content\":$quoted}")
broken=$(d '{"content":"<tool_call>{\"name\":\"read\" x}</tool_call>"}')
says "a call in the text beside one of the API's is text" \
	"[$quoted,null,[[\"n\",\"read\",\"{}\"]],\"tool_calls\"]" \
	"$beside" "$(d "$native")" "$(fin tool_calls)"
says "... and before it" \
	"[$quoted,null,[[\"n\",\"read\",\"{}\"]],\"tool_calls\"]" \
	"$(d "$native")" "$beside" "$(fin tool_calls)"
says "... and one that cannot be read" \
	'["<tool_call>{\"name\":\"read\" x}</tool_call>",null,[["n","read","{}"]],"tool_calls"]' \
	"$broken" "$(d "$native")" "$(fin tool_calls)"
says "... and where the length cuts" "[$quoted,null,[],\"length\"]" \
	"$beside" "$(d "$native")" "$(fin length)"
jq -c '.tool_choice = "none"' in >none && cp in may && mv none in
plain "where none may be called" "A $hermes B"
plain "... in a named dialect" "A $hermes B" -o provider.tool_dialect=hermes
plain "... one that cannot be read" '<tool_call>{"name":"read" x}</tool_call>'
mv may in
plain "... by params" "A $hermes B" -o 'provider.params={"tool_choice":"none"}'

# ---- servers without tools ----

printf '{"type":"request","messages":[{"role":"system","content":"S"},%s,{"role":"assistant","content":"ok","tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"x\\"}"}}]},{"role":"tool","tool_call_id":"a","content":"text"}],"tools":%s}\n' \
	"$user" "$tools" >in
sent() {	# jq filter; ARG...
	filter=$1
	shift
	events "$(d '{"content":"hello"}')" "$(fin stop)" >s
	serve s
	ask "$@" >/dev/null
	httpd_stop	# we are in a subshell
	tail -n 1 log | jq -r '.body | fromjson | '"$filter"
}
for name in hermes qwen3-coder; do
	set -- -o provider.tool_dialect="$name"
	is "$name: no tools are sent" "$(sent 'has("tools")' "$@")" false
	is "$name: roles" "$(sent '[.messages[].role] | join(" ")' "$@")" \
		"system user assistant user"
	match "$name: the system message keeps its text and has the tools" \
		"$(sent '.messages[0].content' "$@")" \
		"S*<tools>*\"name\":\"read\"*</tools>*<tool_call>*"
	is "$name: the result" "$(sent '.messages[3].content' "$@")" \
		"<tool_response>
text
</tool_response>"
done
is "hermes: the call" "$(sent '.messages[2].content' \
	-o provider.tool_dialect=hermes)" 'ok
<tool_call>
{"name": "read", "arguments": {"path":"x"}}
</tool_call>'
is "qwen3-coder: the call" "$(sent '.messages[2].content' \
	-o provider.tool_dialect=qwen3-coder)" 'ok
<tool_call>
<function=read>
<parameter=path>
x
</parameter>
</function>
</tool_call>'

is "tool_choice of params is sent" "$(sent .tool_choice \
	-o 'provider.params={"tool_choice":"required"}')" required
jq -c '.tool_choice = "none"' in >none && mv none in
for name in hermes qwen3-coder; do
	match "$name: tool_choice none is said last" "$(sent \
		'.messages[-1] | .role + ": " + .content' \
		-o provider.tool_dialect=$name)" \
		"user: \[system\] No function may be called now*"
done

done_testing

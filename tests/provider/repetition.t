#!/bin/bash
# a model that repeats itself for ever is cut off; what only looks so is not
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"

# a tape of answers, and what is to become of each: name, characters kept of
# content and of reasoning, finish_reason, repeats
cat >make.py <<'P'
import json, random

random.seed(1)
def passage(n, first=''):
    return first + ''.join(random.choice('abcdefghijklmnop qrstuvwxyz\n')
                           for _ in range(n - len(first)))

cases = []
def case(name, content, keeps=None, repeats=None, reasoning='', thinks=None,
         finish=None):
    keeps = len(content) if keeps is None else keeps
    thinks = len(reasoning) if thinks is None else thinks
    finish = finish or ('length' if repeats else 'stop')
    cases.append((name, content, reasoning, [keeps, thinks, finish, repeats]))

end = ' and so it ends.'
case('on and on', 'on and on ' * 1000, 4000, 200)
case('a word of one character', 'x' * 5000, 4000, 200)
case('nothing but line ends', 'So:' + '\n' * 5000, 4003, 200)
case('3,990 characters are few enough', 'on and on ' * 399 + end)
case('20 characters', '12345678901234567 ab' * 400, 4000, 200)
case('19 characters are said twice to be 38', '1234567890123456 ab' * 400,
     4000, 105)
p = passage(500)
case('12 times a passage of 500', p * 20, 6000, 12)
case('... behind some text', 'Well, ' + p * 20, 6006, 12)
case('... 11 times are allowed', p * 11 + end)
case('... not in a row', (p * 11 + end) * 3)
p = passage(2000)
case('12 times 2,000', p * 13, 24000, 12)
case('2,001 characters are no passage', passage(2001) * 13)
p = passage(1999, '\u4e00\u00e9\U0001f600')
case('characters, not bytes', '\U0001f600\u4e00\u00e9x' * 1500, 4000, 200)
case('... in a long passage', p * 13, 12 * 1999, 12)
p = passage(333)
case('a passage of 333', p * 40, 4000, 12)
case('... in two kinds', 'ab' * 1500 + p * 40, 7000, 12)
case('a run in a run', (('-' * 300 + 'x') * 5 + passage(100)) * 13,
     1605 * 12, 12)
case('among the thoughts', 'x', 0, 200, 'on and on ' * 1000, 4000)
case('in <think>', '<think>' + 'on and on ' * 1000, 0, 200, '', 4000)

# what is legitimate
case('a code fence', '```\n' + 'on and on ' * 1000 + '\n```\n')
case('... of a list, with tildes', '- this:\n  ~~~\n' + '| | | |\n' * 2000 +
     '  ~~~\nso.')
case('text between fences', 'See:\n```\n1\n```\n' * 1000)
case('an open fence', 'like\n````\n```\n' + '0000 ' * 2000)
case('a table', '| name | size |\n|' + '-' * 900 + '|\n' +
     ''.join('| file%d | %d |\n' % (i, i * 7) for i in range(500)))
case('rows of dashes between rows', ''.join('%d\n%s\n' % (i, '-' * 78)
     for i in range(200)))
case('a CSV file', ''.join('%d,2026-11-20,0.00,"",EUR,open\n' % i
     for i in range(2000)))
refrain = passage(160)
case('a refrain', ''.join(passage(320) + refrain for _ in range(40)))
case('a chorus at the end', passage(900) + refrain * 11 + end)
case('numbers', ' '.join(map(str, range(5000))))

with open('tape', 'w') as tape, open('in', 'w') as ask, \
        open('want', 'w') as want:
    for n, (name, content, reasoning, result) in enumerate(cases):
        pieces = [{'reasoning_content': reasoning}] if reasoning else []
        pieces += [{'content': content[i:i + 900]}
                   for i in range(0, len(content), 900)]
        sse = ''.join('data: %s\n\n' % json.dumps({'choices': [d]}) for d in
                      [{'delta': d} for d in pieces] +
                      [{'delta': {}, 'finish_reason': 'stop'}])
        tape.write(json.dumps({'type': 'exchange', 'v': 1, 'api': 'openai',
                   'status': 200, 'end': 'done', 'response': sse}) + '\n')
        ask.write('{"role":"user","content":"hi"}\n{"type":"go","n":1}\n'
                  '{"role":"assistant","content":"x"}\n')
        want.write(name + '\t' + json.dumps(result, separators=',:') + '\n')
P
python3 make.py
play() {
	hamr-provider -n -q --no-config --replay tape "$@" <in | jq -c '
		select(.role) | [(.content | length), (.reasoning // "" |
		length), .finish_reason, .meta.repeats]'
}
play >got
paste want got >both
is "each case is tried" "$(wc -l <got)" "$(wc -l <want)"
while IFS=$'\t' read -r name want got; do
	is "$name" "$got" "$want"
done <both
play --replay-chunk 5 >pieces
same "the same however the bytes come" pieces got
is "repeat_limit: 30 times" "$(play -o provider.repeat_limit=30 |
	grep length | sort | uniq -c | xargs)" "2 [0,4000,length,200]\
 1 [12990,0,length,30] 1 [4000,0,length,105] 4 [4000,0,length,200]\
 1 [4003,0,length,200] 1 [9990,0,length,30]"
is "... 0: never" "$(play -o provider.repeat_limit=0 | grep -c length)" 0

# ---- a server that never ends ----

printf '%s\n' "$user" >in
script s <<X
chunked
event $(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}')
repeat forever event $(d '{"content":"on and on "}')
X
serve s
is "the server is left, its native calls are dropped" "$(ask | jq -c '
	[(.content | length), .tool_calls, .finish_reason, .meta.repeats,
	.meta.dropped_calls]')" '[4000,null,"length",200,1]'
is "... and it is not asked again" "$(wc -l <log)" 1
args=$(printf 'on and on %.0s' $(seq 1000))
events "$(d '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\"'"$args"'\"}"}}]}')" \
	"$(fin tool_calls)" >s
jq -cn --arg x "$args" '{choices: [{message: {content: $x, tool_calls: null},
	finish_reason: "stop"}]}' | sed 's/^/body /' >whole
printf '%s\n' '{"type":"tools","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}' \
	"$user" >in
events "$(d '{"content":"<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":\"'"$args"'\"}}</tool_call>"}')" \
	"$(fin stop)" >text
serve s text whole
for what in "arguments are never cut" "... of a call written as text"; do
	is "$what" "$(ask | jq -c '[(.tool_calls[0].function.arguments |
		length > 10000), .finish_reason, .meta.repeats]')" \
		'[true,"tool_calls",null]'
done
is "an answer without a stream" "$(ask | jq -c '[(.content | length),
	.finish_reason, .meta.repeats]')" '[4000,"length",200]'
for i in 1 4; do
	python3 -c '
import json, random, sys
random.seed(2)
text = "".join(random.choice("ab") for _ in range(1000000)) * int(sys.argv[1])
print(json.dumps({"type": "exchange", "v": 1, "api": "openai", "status": 200,
    "response": json.dumps({"choices": [{"message": {"content": text},
    "finish_reason": "stop"}]})}))' $i >tape$i
done
cost() {	# FILE ARG...: processor time, in units of 10 ms
	tape=$1
	shift
	python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(int(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime * 100))' \
		hamr-provider -n -q --no-config --replay "$tape" "$@" in
}
one=$(cost tape1) four=$(cost tape4)
ok "four times the text costs no more than eight times as much ($one, $four)" \
	test "$four" -le $((8 * one + 8))
done_testing

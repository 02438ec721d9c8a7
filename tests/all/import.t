#!/bin/bash
# import.t - other agents' transcripts: every format by itself and by name, the
# one pairing pass, what is not recognised, and programs that misbehave.
. "$(dirname "$0")/../lib.sh"
D=$TOP/tests/data/import
cp -r "$D" data && cd data || exit 1

imp() { timeout 60 hamr-guard --import-only "$@"; }
format_of() { sed -n 's/.*: read as //p' "golden/$1.err"; }

# ---- each recorded file ----

# what is no number of tokens: a text or a negative one, in CI each everywhere
number='("[a-zA-Z_]*([tT]oken|ache|nput|utput|ought)[a-zA-Z_]*": *)[-+0-9.eE]+'
bad=("1~2s/$number/\\1\"x\"/; s/$number/\\1-1/g")
[ -z "${CHECK_FULL:-}" ] || bad=("s/$number/\\1\"x\"/g" "s/$number/\\1-1/g")

for f in *.*; do
	imp "$f" >out 2>err
	same "$f" out "golden/$f.out"
	sed 's/^hamr-guard: //' err >said
	same "$f: what is said" said "golden/$f.err"
	format=$(format_of "$f") more=
	case $f in
	*.jsonl) sed '1s/^/5\n/; s/$/\n"x"\nnull/' "$f" >said
		more=", lines that are no objects say nothing" ;;
	*) cp "$f" said ;;
	esac
	imp -q -F "$format" - <said >out 2>err
	same "$f by name, from a pipe$more" out "golden/$f.out"
	is "$f: -q" "$(<err)" ""
	n=$(grep -c '^{"type":"usage"' "golden/$f.out")
	for how in "${bad[@]}"; do
		sed -E "$how" "$f" | imp -q -F "$format" - >out
		is "$f: what is no number of tokens counts as none" \
		    "$? $(jq -cn '[inputs | select(.type? == "usage") |
		    map(select(type != "number" or . < 0))] |
		    [length, unique[]]' out)" \
		    "0 $([ "$n" = 0 ] && echo '[0]' || echo "[$n,[\"usage\"]]")"
	done
done
sed 's/"id":/"id":{},"was":/' gemini-ops.jsonl >ids
status "gemini: ids that are no strings" 0 imp ids
sed 's/"args":/"args":"x","was":/; s/"name": *"[a-z_]*"/"name":"write_file"/' gemini.json >ids
status "gemini: arguments that are a text" 0 imp ids
sed 's/"toolCallId": *"[^"]*"/"toolCallId":7/g' pi.jsonl >ids
status "pi: ids that are numbers" 0 imp ids
rm ids

jq -r .format golden/*.out | grep -v null | sort -u >have
for f in "$TOP"/share/hamr/import/*.jq; do
	basename "$f" .jq
done | grep -vx hamr | sort >want
same "every importer has a recorded file" have want

python3 "$TOP/tests/all/import_count.py" \
    claude-code claude-code.jsonl claude-code-tree.jsonl -- \
    openai openai.jsonl -- pi pi.jsonl -- \
    swe-agent swe-agent.traj swe-agent-xml.jsonl swe-agent-thought.traj -- \
    sharegpt sharegpt.json -- gemini gemini.json -- cline cline.json >counts
for k in $(cut -d ' ' -f 1 counts | uniq); do
	sed -n "s/^$k //p" counts >want
	while read -r f _; do
		f=golden/$f.out		# that it is so is shown above
		echo "$(basename "$f" .out)" \
		    "$(grep -c '^{"type":"hamr"' "$f")" \
		    "$(jq -r '.tool_calls[]?.id' "$f" | wc -l)" \
		    "$(grep -c '^{"role":"tool"' "$f")"
	done <want >have
	same "$k: conversations, calls and results as counted by others" \
	    have want
done

for shape in array lines; do
	jq -n '{"id":5,"source":"agent","action":"run","args":{"command":"ls"},
	    "tool_call_metadata":{"tool_call_id":"toolu_1"}},
	    {"id":6,"source":"agent","cause":5,"observation":"run",
	    "content":"a.c"}' | if [ $shape = array ]; then jq -s .
	else jq -c .; fi >caused
	is "openhands: a result that names only its cause, in $shape" \
	    "$(imp -q caused | jq -r '.tool_calls[0].id? // .tool_call_id |
	    select(. != null)' | tr '\n' ' ')" "toolu_1 toolu_1 "
done

cat >parted <<'J'
{"sessionId":"s","projectHash":"h","startTime":"2026-01-15T20:51:00Z","messages":[
{"id":"1","type":"user","content":"go"},
{"id":"2","type":"gemini","content":"I'll remove it.","model":"g"},
{"id":"3","type":"info","content":"update available"},
{"id":"4","type":"gemini","content":"","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"rm x"},"status":"success","result":[{"functionResponse":{"id":"c","response":{"output":"ok"}}}]}]},
{"id":"5","type":"gemini","content":"","toolCalls":[{"id":"d","name":"read_file","args":{"path":"y"},"status":"success","result":[{"functionResponse":{"id":"d","response":{"output":"z"}}}]}]}]}
J
is "gemini: a notice does not part words and calls" "$(imp -q parted |
    jq -r '[.type // .role, .content, .tool_calls[]?.id] | join(" ")')" \
"hamr 
user go
assistant I'll remove it. c
tool ok
assistant  d
tool z"

# ---- what all share ----

is "what was imported is hamr's, twice is once" \
    "$(imp -q claude-code-tree.jsonl | imp -F hamr | cksum)" \
    "$(cksum <golden/claude-code-tree.jsonl.out)"
cat >aborted <<'J'
{"type":"session","id":"x","timestamp":"2025-11-20T23:33:00Z"}
{"type":"message","message":{"role":"user","content":"go"}}
{"type":"message","message":{"role":"assistant","stopReason":"aborted","content":[{"type":"text","text":"Let me"}]}}
J
is "pi: an answer that was aborted is none" \
    "$(imp -q -F pi aborted | jq -r '.finish_reason // empty')" error
is "side conversations on demand" "$(imp -q -o import.sidechains=true \
    claude-code-tree.jsonl | jq -c 'select(.type == "hamr") | .session')" \
    '"s"
"ag1"'
is "the user's names of tools" "$(imp -q -o 'loop_guard.tools=["my_shell=bash"]' \
    openai-array.json | jq -r '.tool_calls[1]?.function.name // empty')" bash
cat >oai <<'J'
{"tools":[{"type":"function","function":{"name":"t","parameters":{}}}],"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"refusal":"no"},{"role":"assistant","content":[{"type":"refusal","refusal":"never"}]}]}
J
is "openai: tools as they were offered, a refusal is an answer" \
    "$(imp oai 2>&1 | sed -n '3p; 5,$p')" \
    '{"type":"tools","tools":[{"type":"function","function":{"name":"t","parameters":{}}}]}
{"role":"assistant","content":"no"}
{"role":"assistant","content":"never"}'
is "lines are the source's" "$(printf '{"who":"a"}\n\n\n{"who":"b"}\n' >l
    echo '{role:"user",content:"\(._line)"}' >l.jq
    imp -q -F ./l.jq l 2>&1 | sed -n 's/.*"content":"\(.\)".*/\1/p')" "1
4"

cat >wrote.pi <<'J'
{"type":"session","id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}
{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"write","arguments":{"path":"f","content":"x\n"}},{"type":"toolCall","id":"b","name":"write","arguments":{"path":"g","content":"y"}}]}}
{"type":"message","message":{"role":"toolResult","toolCallId":"a","content":"ok","isError":false}}
{"type":"message","message":{"role":"toolResult","toolCallId":"b","content":"no","isError":true}}
J
cat >wrote.qwen <<'J'
{"uuid":"1","parentUuid":null,"sessionId":"s","type":"assistant","message":{"role":"model","parts":[{"functionCall":{"id":"a","name":"write_file","args":{"file_path":"f","content":"x\n"}}}]}}
{"uuid":"2","parentUuid":"1","sessionId":"s","type":"tool_result","message":{"role":"user","parts":[{"functionResponse":{"id":"a","response":{"output":"ok"}}}]},"toolCallResult":{"status":"success"}}
J
for f in pi qwen; do
	is "$f: a file that was written whole" "$(imp -q wrote.$f |
	    jq -c '.meta.mutated // empty')" \
	    "[{\"path\":\"f\",\"sha256\":\"$(echo x | sha256sum |
	    cut -d' ' -f1)\"}]"
done

# ---- ours are left alone ----

printf '%s\n' '{"role":"user","content":"\u0041  1e2"}' \
    '{"type":"zzz","v":1.10}' '{"role":"tool","tool_call_id":"no"}' >h
ok "hamr is not touched" cmp h - <<X
$(hamr-guard --import-only <h 2>&1)
X
strace -f -qq -e trace=openat,fork,clone -o trace hamr-guard h >out 2>err
is "hamr: no libjq, no process" "$(grep -c 'libjq\|clone\|fork' trace)" 0
is "hamr: nothing said" "$(cat err)" ""
is "hamr, asked for: said" "$(hamr-guard -F auto h 2>&1 >out)" \
    "hamr-guard: h: read as hamr"
strace -f -qq -e trace=openat -o trace hamr-guard codex.jsonl >out 2>&1
is "others: libjq" "$(grep -c 'libjq.so.1".* = [0-9]' trace)" 1

# a file that begins with a plain message is looked at further: kimi's may
printf '%s\n' '{"role":"user","content":"x"}' '{"role":"_checkpoint","id":1}' \
    '{"role":"assistant","content":[{"type":"think","think":"h"}]}' >plain
is "kimi's marks come late" "$(imp plain 2>&1 | jq -Rr 'fromjson? // . |
    .format? // .reasoning? // empty' | xargs)" "kimi h"
is "... from a pipe nobody waits for them" "$(cat plain | imp 2>&1)" \
    "$(cat plain)"
printf '%s\n' '{"role":"user","content":"x"}' \
    '{"type":"session","cwd":"/","timestamp":"t"}' >plain
is "an event behind a message is any stage's" "$(imp plain 2>&1)" "$(cat plain)"

# ---- times ----

for t in 1700000000 1700000000123 1700000000123456 1700000000123456789 \
    -1e18 1e300 -5; do
	jq -nc "{info: {id: \"ses_1\", directory: \"/w\", time: {created: $t}},
	    messages: [{info: {id: \"m\", role: \"user\"}, parts: []}]}" >time
	imp -q time | jq -r '.created // empty | tostring'
done >times
is "numbers since 1970, and what is none" "$(sort times | uniq -c | xargs)" \
    "4 2023-11-14T22:13:20Z"

# ---- not recognised, not one, not whole ----

printf '%s\n' '{"type":"session_start","id":"d","cwd":"/"}' \
    '{"type":"message","id":"m","timestamp":"t","message":{"role":"user"}}' >n
status "nobody's" 65 imp n
printf '%s\n' '{"role":"user","content":"next"}' >next
is "--lenient reads the next file" "$(imp -q --lenient n next 2>/dev/null |
    jq -r '.code // .content' | xargs)" "bad_record next"
is "... and said in one line" "$(imp n 2>&1)" "hamr-guard: n: the format is \
not recognised; name it with -F, or see hamr-import(5) for writing one"
printf '%s\n' '{"type":"system","content":"s"}' \
    '{"type":"reasoning","id":"r","summary":[]}' \
    '{"type":"tool_result","tool_call_id":"c","content":"x"}' >n
status "nor messages whose role is their type" 65 imp -q n
printf '%s\n' '{"type":"system","sessionId":"s","tools":[]}' \
    '{"type":"message","role":"user","sessionId":"s","text":"x"}' \
    '{"type":"error","message":"m","sessionId":"s"}' >n
status "nor messages without content in a session" 65 imp -q n
printf '%s\n' '{"type":"note","timestamp":1}' '{"type":"go","n":1}' \
    '{"role":"user","content":"x","timestamp":1}' >n
status "an event and a message may have their times" 0 imp n
printf '{\n"createdAt":"t",\n"agents":{"main":{}}\n}\n' >state
match "nor is a document of many lines anybody's" "$(imp state 2>&1)" \
    "*a JSON document with the keys createdAt, agents; *not recognised*"
echo '{"name":"x","version":"1.0"}' >package
status "nor is what has neither role nor type" 65 imp -q -F auto package
is "... that passes where no format is asked for" "$(imp package)" \
    "$(cat package)"
long='{"note":"%70000s","messages":[{"role":"user"}]}'
for line in "$long" "$long\n" '{"note":"x","content":"%70000s"}\n'; do
	printf "$line" x >one-line
	match "nor is a line that tells nothing in 64 KiB" "$(imp one-line \
	    2>&1)" "*with the keys note*not recognised*"
done
for line in '{"content":"%70000s","role":"user"}' \
    '{"type":"request","messages":[{"role":"user","content":"%70000s"}]}'; do
	printf "$line\n" x >one-line
	is "a long line of ours is ours: ${line%%%%*}" "$(imp one-line \
	    2>/dev/null | cmp - one-line && echo ours)" ours
done
printf '%s\n' '{"type":"note","text":"t","content":[],"createdAt":"x"}' >note
is "an event of somebody's stage passes" "$(imp note 2>/dev/null)" "$(cat note)"
# what other programs write, of which a reader of ours would lose the calls
while IFS='|' read -r what lines; do
	printf "$lines" >foreign
	status "nor are $what" 65 imp -q foreign
done <<'X'
goose's messages|{"role":"user","content":"x"}\n{"role":"assistant","content":[{"type":"toolRequest","id":"a"}]}\n
the events of codex exec|{"type":"thread.started","thread_id":"t"}\n{"type":"item.completed","item":{"type":"command_execution"}}\n
the events of gemini -o stream-json|{"type":"init","session_id":"s"}\n{"type":"message","role":"user","content":"x","timestamp":"t"}\n
an AI SDK's messages|[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a"}]}]
... in a document|{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a"}]}]}
... as a page has them|[{"role":"user","parts":[{"type":"text","text":"x"}]},{"role":"assistant","parts":[{"type":"tool-bash"}]}]
X
printf '%s\n' '{"role":"user","content":[{"type":"input_text","text":"x"}]}' \
    '{"type":"function_call","call_id":"a","name":"shell","arguments":"{}"}' \
    >items
is "the input of a Responses request is read as codex" \
    "$(imp items 2>/dev/null | jq -r '.content, .tool_calls[]?.function.name' | xargs)" \
    "null x null bash"
printf '%s\n' '{"messages":[{"role":"user","content":"x"}],' \
    '"conversations":[{"from":"human","value":"x"}]}' >two
status "two" 65 imp two
is "two: both are named" "$(imp two 2>&1)" \
    "hamr-guard: two: may be openai or sharegpt; say which with -F"
ok "two: one, when told" imp -F sharegpt two
status "unknown" 2 imp -F nonsense h
match "unknown: which there are" "$(imp -F nonsense h 2>&1)" "*openhands*"
: >empty
ok "an empty file" imp empty
is "an empty file is nothing" "$(imp -F claude-code empty 2>&1)" ""
printf '\000\001\002' >bin
status "binary" 65 imp bin
status "binary, by name" 65 imp -F claude-code bin

E='{"type":"user","uuid":"b","parentUuid":"a","sessionId":"s","message"'
head -1 claude-code-tree.jsonl >half
echo '{"type":"user","uuid":"a","sessionId":"s","message":{"content":"x"}}' >>half
cp half bad
printf '%s' "$E"':{"content":"cut h' >>half
ok "a line cut short at the end" imp half
is "it is told at the end, and counted" \
    "$(imp half 2>&1 >out | sed 1d; tail -n 1 out | jq -r .code)" \
    "hamr-guard: half: 1 line cut short at the end
bad_record"
printf '%s\n' "$E"':{"content":"bad }' "$E"':{"content":"y"}}' >>bad
status "a bad line" 65 imp bad
match "a bad line: which" "$(imp -q bad 2>&1)" "hamr-guard: bad:3: *"
is "a bad line, --lenient" "$(imp -q --lenient bad | jq -r '.content // .code' \
    | sort | paste -sd,)" "bad_record,null,x,y"
is "what is no text is mended and told" "$(head -2 bad >u; printf \
    '%s:{"content":"w\377\\u0000\\ud800 \t"}}\n' "$E" >>u; imp -q u | tail -n 1)" \
    '{"role":"user","content":"w��� \t","meta":{"lossy":true}}'
is "Python's NaN and Infinity are null" "$(printf '%s%s\n' \
    '{"info":{"cost":NaN,"x":[-Infinity]},"messages":[' \
    '{"role":"user","content":"hi NaN"}],"trajectory_format":"mini-swe-agent-1"}' \
    | imp -q | tail -n 1)" '{"role":"user","content":"hi NaN"}'
cut='{"schema_version":"ATIF-v1.2","session_id":"s","agent":{},"steps":[
{"source":"user","message":"one"},{"source":"agent","message":"two",
"tool_calls":[{"tool_call_id":"a","function_name":"bash","arguments":{"x":[1]}},
{"tool_call_id":"b","function_name":"ba'
printf '%s' "$cut" >cut
status "a document cut short" 65 imp -q cut
is "a document cut short: where" "$(imp -q cut 2>&1 >out)" \
    "hamr-guard: cut:1: cut short at byte $((${#cut} + 1)): its end is missing"
is "... what was whole is out" "$(jq -c '.content, .tool_calls[]?.id' out | xargs)" \
    "null one two a"
is "... also what an importer keeps to its end, and with --lenient" "$(
    head -c 1600 opencode.json | imp -q --lenient | jq -r '.code // .role' |
    xargs)" "null user null assistant tool bad_record"
is "... and of a document that is the last line" "$(printf '%s\n%s' \
    '{"messages":[{"role":"user","content":"x"}]}' \
    '{"messages":[{"role":"user","content":"y"},{"ro' >cut
    imp -q cut | jq -r '.code // .content' | xargs)" "null x null y bad_record"
is "... and of an element of an array" "$(printf '[%s,%s' \
    '{"role":"user","content":"x"}' '{"role":"user","content":[{"type":"text",
    "text":"y"},{"type":"te' | imp -q 2>/dev/null | jq -r .content | xargs)" \
    "null x y"
printf '[\n{"role":"user","content":"x"},\n{"role":"user" "content":"y"}\n]\n' >bad.json
status "an array that is no JSON" 65 imp bad.json
is "... where it is broken" "$(cat "$T/.err")" \
    "hamr-guard: bad.json:3: expected ',' or '}' at byte 16"
is "... also in its first message" "$(printf '[{"role":"user" "a":1}]\n' |
    imp 2>&1)" "hamr-guard: stdin:1: expected ',' or '}' at byte 16"
is "what only begins like one" "$(echo '[info] begun' | imp 2>&1)" \
    "hamr-guard: stdin:1: not a JSON value at byte 1"
while IFS='|' read -r array why; do
	printf "$array" >bad.json
	status "an array that is none: $array" 65 imp -q bad.json
	is "... and why" "$(cat "$T/.err")" "hamr-guard: bad.json:$why"
done <<'X'
[{"role":"user"}\n{"role":"user"}]|2: no comma between the values of an array
[{"role":"user"},\n,{"role":"user"}]|2: a comma where a value should be
[{"role":"user"},\n]|2: a comma where a value should be
[,{"role":"user"}]|1: a comma where a value should be
[1,2\n3]|2: no comma between the values of an array
[1,2,\n|2: cut short at byte 1: its end is missing
[[1]\n|2: cut short at byte 1: its end is missing
X
is "--lenient goes on behind such a comma" "$(
	printf '[{"role":"user","content":1},,{"role":"user","content":2} {"role":"user","content":3},]' |
	imp -q --lenient -F openai 2>/dev/null | sed 1d | jq -r '.code // .content' | xargs)" \
	"1 bad_record 2 bad_record 3 bad_record"
match "an array of no objects is told as one" "$(echo '[1, 2]' | imp 2>&1)" \
    "*it is a JSON array without objects*not recognised*"

# ---- hostile ----

python3 - <<'PY'
import json
def cc(u, p, c="x", **k):
    return json.dumps(dict({"type": "user", "uuid": u, "parentUuid": p,
        "sessionId": "s", "message": {"role": "user", "content": c}}, **k))
def w(name, *ls):
    open(name, "w").write("".join(l + "\n" for l in ls))
w("cycle", cc("a", "c"), cc("b", "a"), cc("c", "b"))
w("odd", cc("a", None), cc("b", "a", [1, None, {"type": "tool_result"},
    {"type": 7}, {"type": "tool_result", "tool_use_id": 5, "content": [[]]}]),
  cc("c", "b", {"a": 1}, type="assistant"),
  cc("d", "c", [{"type": "tool_use", "id": {}, "name": [], "input": None}],
     type="assistant"), cc("e", "d", 5), cc("f", "e", None))
w("deep", cc("a", None), cc("b", "a", "@").replace('"@"',
    "[" * 100000 + "]" * 100000))
w("deepish", cc("a", None), cc("b", "a", "@").replace('"@"',
    "[" * 500 + "]" * 500))
w("long", cc("a", None), cc("b", "a", "x" * 20000000))
w("many", *[cc("u%d" % i, "u%d" % (i - 1) if i else None, [
    {"type": "tool_use", "id": "t", "name": "Bash", "input": {}}] if i % 2
    else [{"type": "tool_result", "tool_use_id": "t", "content": "r"}],
    type="assistant" if i % 2 else "user") for i in range(2000)])
PY
is "a cycle ends the walk" "$(imp -q cycle | jq -rs 'length')" 4
ok "odd shapes" imp -q odd
is "odd shapes: results without calls" "$(imp odd 2>&1 >out | tail -n 1)" \
    "hamr-guard: odd: 1 call without a result, 2 results without a call"
status "too deep" 65 imp deep
ok "deep" imp deepish
imp -q long >out
is "a line of 20 MB" "$(wc -c <out)" \
    "$(($(head -n 2 out | wc -c) + 20000029))"
is "an id 1000 times: each result has its call" "$(imp -q many | jq -r \
    'select(.role == "tool").tool_call_id' | sort -u | wc -l)" 999
# each importer has one of the three, in CI all
others=(claude-code.jsonl openai.jsonl gemini.json) n=0
for k in "$TOP"/share/hamr/import/*.jq; do
	k=${k##*/}
	for f in "${others[n++ % 3]}" ${CHECK_FULL:+"${others[@]}"}; do
		imp -q -F "${k%.jq}" "$f" >out 2>err
		s=$?
		[ $s = 0 ] || [ $s = 65 ] || echo "$f $k $s"
	done
done >confused
is "a file under any other name is no crash" "$(cat confused)" ""

# ---- programs of the user's ----

printf '# mine\n.who as $w | {role: $w, content: .text}\n' >mine.jq
printf '{"who":"user","text":"a"}\n{"who":"assistant","text":"b"}\n' >m
is "a program of one's own" "$(imp -F ./mine.jq m)" \
    '{"type":"hamr","v":1}
{"role":"user","content":"a"}
{"role":"assistant","content":"b"}'
is "one record at a time" "$( { printf '{"who":"user","text":"a"}\n'
    for i in $(seq 100); do [ -e come ] && break; sleep 0.1; done
    echo late >late; } | imp -F ./mine.jq | { read -r x; read -r y
    [ -e late ] || echo "$y"; : >come; cat >rest; })" \
    '{"role":"user","content":"a"}'
status "the importers are not installed" 66 env HAMR_SHARE="$T" hamr-guard \
    --no-config --import-only -F openai m
match "... is said, with a remedy" "$(cat "$T/.err")" \
    "*import/openai.jq is missing; reinstall hamr, or set HAMR_SHARE*"
status "no such program" 66 imp -F ./none.jq m
echo 'foo(' >bad.jq
status "one that does not compile" 2 imp -F ./bad.jq m
match "its own line is told" "$(printf '\n\nfoo\n' >bad.jq
    imp -F ./bad.jq m 2>&1)" "*bad.jq:3: foo/0 is not defined"
echo 'if .who == "user" then {role:"user"} else error("no") end' >bad.jq
status "one that fails" 65 imp -F ./bad.jq m
is "where" "$(imp -F ./bad.jq m 2>&1 >out)" "hamr-guard: m:2: -F: no"
is "--lenient goes on" "$(imp --lenient -F ./bad.jq m | jq -r '.code // .role' |
    paste -sd,)" "null,user,bad_record"
echo 'def f: f; f' >bad.jq
status "one that loops" 65 imp -F ./bad.jq m
echo '[] | .[200000000] = 1' >bad.jq	# 4 GB
[ -n "${ASAN_OPTIONS:-}" ] || { status "one that grows" 65 imp -F ./bad.jq m
match "... is said" "$(<"$T/.err")" "*more than 2048 MiB of memory*"; }
echo '1, {role:"user",content:"x"}' >bad.jq
status "one that makes no records" 65 imp -F ./bad.jq m
echo '{role:"user",content:([$ENV, env, (try input_filename catch 1)] | tojson)}' \
    >bad.jq
is "no environment, no files" "$(SECRET=1 imp -F ./bad.jq m | tail -n 1 |
    jq -r .content)" '[{},{},null]'
echo 'def secret: 1;' >"$HOME/.jq"
echo 'secret' >bad.jq
status "no ~/.jq" 2 imp -F ./bad.jq m
echo 'import "a" as a; .' >bad.jq
status "no modules" 2 imp -F ./bad.jq m

# ---- --jq and normalize ----

is "--jq" "$(hamr-guard --jq '.role' <h | paste -sd,)" \
    '"user",null,"tool"'
is "--jq: what it leaves alone stays as it is" \
    "$(hamr-guard --jq 'select(.role)' <h)" "$(sed -n '1p;3p' h)"
status "--jq that does not compile" 2 hamr-guard --jq '(' h
status "--jq that fails on a record" 65 hamr-guard --jq '.content | keys' h
match "... file and line are said" "$(cat "$T/.err")" "hamr-guard: h:1: --jq: *"
status "--jq with -r" 2 hamr-guard -r --jq . h
is "hamr-compact --jq" "$(hamr-compact -n --jq '.messages | length' \
    --no-config codex.jsonl 2>/dev/null)" 14
for i in 1 2 3; do
	printf '{"role":"assistant","content":null,"tool_calls":[{"id":"%d",' $i
	printf '"type":"function","function":{"name":"bash","arguments":'
	printf '"{\\"command\\":\\"make\\",\\"timeout\\":%d}"}}]}\n' $i
	printf '{"role":"tool","tool_call_id":"%d","content":"same"}\n' $i
done >t
# of what jq has built in a program is given what it uses (jq of these tests, too)
command jq -r 'builtins[]' -n | sort >names
while IFS=/ read -r name n; do
	printf -v with '%*s' "$n" ''
	with=${with// /.;} with=${with:+(${with%;})}
	jq -n "if . then $name$with else 1 end" >out 2>&1 || echo "$name/$n"
done <names >lacking
is "each builtin of jq is there" "$(wc -l <names) $(cat lacking)" \
    "$(command jq -n 'builtins | length') "
rule() { hamr-guard -n --jq 'select(.rule).rule' -o "loop_guard.normalize=$1" t; }
is "timeouts differ" "$(rule '[]')" ""
is "normalize: they do not" "$(rule '["del(.timeout) # no time","."]')" \
    '"repeat"'
is "one that fails changes nothing" "$(rule '["error"]')" ""
match "one that does not end is given up at a line" "$(rule '["def f: f; f"]' 2>&1)" \
    "hamr-guard: t:1: loop_guard.normalize: stopped*disabled from here on*"
status "one that does not compile" 78 hamr-guard \
    -o 'loop_guard.normalize=["("]' t
match "... which of them is said" "$(hamr-guard \
    -o 'loop_guard.normalize=[".","del(.x"]' t 2>&1)" \
    "hamr-guard: loop_guard.normalize, filter 2:1: *"

# ---- the other stages ----

is "hamr-compact -F" "$(hamr-compact --no-config -q --view -F claude-code \
    claude-code-tree.jsonl | jq -r .role | paste -sd,)" \
    "user,assistant,tool,tool,assistant,tool,assistant"
hamr-mem --db m.db -q -F auto openai.jsonl >out 2>err
is "hamr-mem -F" "$(hamr-mem --db m.db search -n 1 'flight reservation' |
    wc -l)" 1


# ---- what people take for a transcript ----

echo '{"role":"user","content":"hi"}' >plain
gzip -nc plain >packed
iconv -f UTF-8 -t UTF-16 plain >wide
status "a compressed file" 65 hamr-guard --no-config packed
match "... what to do is said" "$(cat "$T/.err")" \
	"hamr-guard: packed:1: *; it is compressed: unpack it first (gzip -dc)"
printf '(\265/\375$x' >zstd
printf 'PK\003\004\024' >zip
status "what zstd wrote, as codex does" 65 hamr-guard --no-config zstd
match "... what to do is said" "$(cat "$T/.err")" \
	"hamr-guard: zstd:1: *; it is compressed: unpack it first (zstd -dc)"
status "an archive, as a log of inspect is" 65 hamr-guard --no-config zip
match "... what to do is said" "$(cat "$T/.err")" \
	"hamr-guard: zip:1: *; it is an archive: unpack it first (unzip)"
status "UTF-16" 65 hamr-guard --no-config wide
match "... what to do is said" "$(cat "$T/.err")" \
	"hamr-guard: wide:1: not UTF-8 at byte 1; it is UTF-16: convert it to UTF-8 first (iconv)"
for e in LE BE; do
	iconv -f UTF-8 -t UTF-16$e plain >wide
	status "UTF-16$e without a mark" 65 hamr-guard --no-config wide
	match "... what to do is said" "$(cat "$T/.err")" \
		"*; it is UTF-16: convert it to UTF-8 first (iconv)"
done
status "the same where the format is named" 65 \
	hamr-guard --no-config -F openai wide
match "... what to do is said" "$(cat "$T/.err")" "hamr-guard: wide:1: not \
JSON; it is UTF-16: convert it to UTF-8 first (iconv)"
# a message may begin behind the first line of the unit that it stands in
printf '[{"conversations":[\n {"from":"human","value":"hi"},\n {"from":"gpt","value":"x\377y"}\n]}]\n' >doc.json
is "what is no text is told of a message within a unit" \
	"$(imp -q doc.json | jq -c 'select(.role) | [.role, .meta.lossy]' |
	paste -sd' ')" '["user",null] ["assistant",true]'
printf '{"messages":[{"role":"user","content":"%b"}]}\n' '\0357\0277\0275' \
	'x\0377' >two
is "... and not of one before it, where U+FFFD was its text" "$(imp -q \
	-F openai two | jq -c 'select(.role).meta.lossy' | paste -sd' ')" "null true"
done_testing

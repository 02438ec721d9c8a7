#!/bin/sh
# import-left.t - nothing is lost without a word: what an importer leaves out is
# counted, what holds no message is an error; where documents lie over lines.
. "$(dirname "$0")/../lib.sh"
D=$TOP/tests/data/import
cd "$T" || exit 1

imp() { timeout 20 hamr-guard --no-config --import-only "$@"; }
left() { imp "$@" 2>&1 >out | sed -n 's/.*: left out: //p'; }

# ---- an unknown kind, and an unknown part, of each format ----

# each NAME FORMAT WANTED: the file NAME is of FORMAT, one message of it is
# "hi", and of it is left out what is WANTED.
each() {
	imp "$1" >out 2>err
	is "$1: recognised, the rest is there" "$(sed -n 's/.*: read as //p' err
	    )$(jq -r 'select(.role).content | if type == "array" then .[0].text
	    else . end' out | grep -c '^hi$')" "${2}1"
	is "$1: what is left out" "$(sed -n 's/.*: left out: //p' err)" "$3"
}

cat >cc <<'J'
{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":[{"type":"text","text":"hi"},{"type":"hologram"}]}}
{"type":"news","sessionId":"s"}
J
each cc claude-code "part hologram (1), type news (1)"
cat >codex <<'J'
{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x","timestamp":"2026-01-01T00:00:00Z"}}
{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"},{"type":"hologram"}]}}
{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"novel_item"}}
{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"agent_message","message":"hi"}}
{"timestamp":"2026-01-01T00:00:00Z","type":"novel_line","payload":{}}
J
is "codex: what is left out" "$(left codex)" \
    "part hologram (1), item novel_item (1), type novel_line (1)"
cat >flat <<'J'
{"id":"x","timestamp":"2026-01-01T00:00:00Z","instructions":null}
{"record_type":"state"}
{"type":"message","role":"user","content":"hi"}
{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c"}
{"record_type":"state"}
{"type":"function_call_output","call_id":"c","output":"a"}
{"type":"novel_item"}
J
each flat codex "item novel_item (1)"
is "flat: calls and results" "$(jq -r '.tool_calls[]?.id,
    .tool_call_id // empty' out | paste -sd' ')" "c c"
head -2 flat | sed -n 2p >state
tail -n +3 flat >>state
each state codex "item novel_item (1)"
cat >pi <<'J'
{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"hi"},{"type":"hologram"}]}}
{"type":"novelty","id":"b","parentId":"a"}
{"type":"message","id":"c","parentId":"b","message":{"role":"ghost","content":"x"}}
J
each pi pi "part hologram (1), type novelty (1), role ghost (1)"
cat >opencode <<'J'
{"info":{"id":"s","directory":"/"},"messages":[{"info":{"id":"m","role":"user"},"parts":[{"type":"text","text":"hi"},{"type":"hologram"}]},
{"info":{"id":"n","role":"ghost"},"parts":[]}]}
J
each opencode opencode "part hologram (1), role ghost (1)"
cat >gemini <<'J'
{"sessionId":"s","projectHash":"h","messages":[{"id":"1","type":"user","content":[{"text":"hi"},{"hologram":1}]},{"id":"2","type":"novelty","content":"x"},{"id":"3","type":"info","content":"x"}]}
J
each gemini gemini "part hologram (1), type novelty (1)"
cat >qwen <<'J'
{"uuid":"a","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"hi"},{"hologram":1}]}}
{"uuid":"b","parentUuid":"a","sessionId":"s","type":"novelty"}
J
each qwen qwen "part hologram (1), type novelty (1)"
cat >kimi <<'J'
{"role":"_checkpoint","id":0}
{"role":"user","content":[{"type":"text","text":"hi"},{"type":"hologram"}]}
{"role":"_novelty"}
J
each kimi kimi "part hologram (1), role _novelty (1)"
cat >swe <<'J'
{"history":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"hologram"}],"message_type":"observation"},{"role":"ghost","content":"x"}]}
J
each swe swe-agent "part hologram (1), role ghost (1)"
cat >mini <<'J'
{"trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"hologram"}]},{"role":"ghost","content":"x"},{"role":"exit","content":"x"}]}
J
each mini mini-swe-agent "part hologram (1), role ghost (1)"
cat >openhands <<'J'
{"kind":"MessageEvent","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"hi"},{"type":"hologram"}]}}
{"kind":"NovelEvent","source":"agent"}
J
each openhands openhands "part hologram (1), kind NovelEvent (1)"
cat >atif <<'J'
{"schema_version":"ATIF-v1.5","agent":{"name":"x"},"steps":[{"step_id":1,"source":"user","message":[{"type":"text","text":"hi"},{"type":"hologram"}]}]}
J
each atif atif "part hologram (1)"
cat >cline <<'J'
{"sessionId":"s","updated_at":"x","messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"hologram"}]},{"role":"ghost","content":"x"}]}
J
each cline cline "part hologram (1), role ghost (1)"
cat >copilot <<'J'
{"type":"session.start","data":{"sessionId":"s"}}
{"type":"user.message","data":{"content":[{"type":"text","text":"hi"},{"type":"hologram"}]}}
{"type":"novelty","data":{}}
J
each copilot copilot "part hologram (1), type novelty (1)"
cat >openai <<'J'
{"messages":[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"hologram"}]},{"role":"ghost","content":"x"}]}
J
each openai openai "part hologram (1), role ghost (1)"

is "what stands for a part is no secret of ours" "$(imp -q openai |
    jq -c 'select(.role == "user").content[1]')" '{"type":"text","text":"[hologram]"}'
is "-q silences" "$(imp -q openai 2>&1 >out)" ""
match "hamr-guard --report counts, too" "$(hamr-guard --no-config -q --report \
    openai)" "*left out*part hologram (1), role ghost (1)*"
match "so does hamr-compact's" "$(hamr-compact --no-config -q --report openai)" \
    "*left out*part hologram (1), role ghost (1)*"
is "many kinds are not told apart" "$( { sed 1q cc; for i in $(seq 30); do
    echo "{\"type\":\"n$i\"}"; done; } >kinds; left kinds | tr ',' '\n' |
    tail -n 1)" " others (15)"
match "what steers a terminal does not reach it" "$(printf '%s\n' \
    '{"type":"\u001b[2J\u202e","sessionId":"s"}' | cat cc - >esc
    left esc)" "*type ??2J?*"

# ---- recognised and empty ----

while read -r f text; do
	printf '%s\n' "$text" >"empty-$f"
	status "$f: nothing in it" 65 imp "empty-$f"
	match "$f: is said" "$(cat "$T/.err")" \
	    "*read as $f*-F $f: no messages found in it"
done <<'E'
claude-code {"type":"summary","summary":"x","leafUuid":"y"}
codex {"timestamp":"x","type":"session_meta","payload":{"id":"x"}}
pi {"type":"session","id":"x","timestamp":"2026-01-01T00:00:00Z","cwd":"/"}
opencode {"info":{"id":"s","directory":"/"},"messages":[]}
gemini {"sessionId":"s","projectHash":"h","messages":[]}
qwen {"uuid":"a","parentUuid":null,"sessionId":"s","type":"system","systemPayload":{}}
kimi {"type":"metadata","protocol_version":"1.4"}
mini-swe-agent {"trajectory_format":"mini-swe-agent-1.1","messages":[]}
atif {"schema_version":"ATIF-v1.5","steps":[],"agent":{}}
copilot {"type":"session.start","data":{"sessionId":"s"}}
E
for f in openai swe-agent openhands sharegpt cline; do
	echo '{}' >nothing
	status "$f: nothing in it, by name" 65 imp -q -F $f nothing
done
is "--lenient makes it a record" "$(imp -q --lenient empty-kimi |
    jq -r 'select(.type == "error").code')" bad_record
status "files behind it are read" 65 imp -q empty-kimi cc empty-codex
is "... all of them" "$(grep -c '^{"role"' "$T/.out")" 1
is "hamr-compact asks nothing about it" "$(hamr-compact --no-config -q -n \
    empty-codex 2>err)" ""
echo 'select(.who)' >mine.jq
status "a program of one's own" 65 imp -F ./mine.jq empty-kimi

# ---- kimi's newer wires ----

cat >wire <<'J'
{"type":"metadata","protocol_version":"1.4","created_at":1784950509920}
{"type":"config.update","modelAlias":"m","systemPrompt":"be","time":1}
{"type":"turn.prompt","input":[{"type":"text","text":"hi"}],"agentId":"main"}
{"type":"context.append_message","message":{"role":"user","content":[{"type":"text","text":"hi"}],"toolCalls":[],"origin":{"kind":"user"}},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"step.begin","uuid":"s1"},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"content.part","stepUuid":"s1","part":{"type":"think","think":"hm"}},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"content.part","stepUuid":"s1","part":{"type":"text","text":"ok"}},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"tool.call","stepUuid":"s1","toolCallId":"c1","name":"Write","args":{"path":"f","content":"x"}},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"tool.call","stepUuid":"s1","toolCallId":"c2","name":"Bash","args":"{\"command\":\"ls\"}"},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"step.end","uuid":"s1","finishReason":"tool_use","usage":{"inputOther":5,"output":2,"inputCacheRead":1,"inputCacheCreation":0}},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"tool.result","toolCallId":"c2","result":{"output":"no","isError":true}},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"tool.result","toolCallId":"c1","result":{"output":[{"type":"text","text":"done"}]}},"agentId":"main"}
{"type":"context.append_message","message":{"role":"user","content":[{"type":"text","text":"taken back"}],"origin":{"kind":"user"}},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","text":"lost"}},"agentId":"main"}
{"type":"context.undo","count":1,"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"new.kind"},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"step.begin","uuid":"s2"},"agentId":"main"}
{"type":"context.append_loop_event","event":{"type":"content.part","part":{"type":"text","text":"bye"}},"agentId":"main"}
J
imp wire >out 2>err
is "kimi, protocol 1.4" "$(jq -r 'select(.role) | [.role, .content, .reasoning,
    .tool_calls[]?.id, .tool_call_id, .is_error] | map(values | tostring) |
    join(" ")' out)" "system be
user hi
assistant ok hm c1 c2
tool no c2 true
tool done c1
assistant bye"
is "... usage" "$(jq -c 'select(.type == "usage") | [.prompt_tokens,
    .completion_tokens]' out)" "[6,2]"
is "... what a call wrote" "$(jq -r '.meta.mutated[]?.path // empty' out)" f
is "... what is left out" "$(sed -n 's/.*left out: //p' err)" \
    "undone (2), event new.kind (1)"

# ---- documents over several lines ----

for f in opencode.json codex.jsonl claude-code-tree.jsonl kimi.jsonl; do
	imp -q "$D/$f" >want
	k=$(jq -r '.format // empty' want | sed 1q)
	jq . "$D/$f" >rows
	jq -s 'if length == 1 then .[0] else . end' "$D/$f" >array
	for x in rows array; do
		imp -q $x >have
		same "$f as $x" have want
	done
	imp -q -F "$k" rows >have
	same "$f as rows, by name" have want
done
cat >inspect <<'J'
{
  "version": 2,
  "status": "success",
  "eval": {"task": "t", "model": "m", "created": "2026-01-01T00:00:00+00:00"},
  "samples": [
    {"id": 1, "messages": [
      {"role": "user", "content": "hi"},
      {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "bash", "arguments": {"cmd": "ls"}}]},
      {"role": "tool", "tool_call_id": "c", "content": "", "error": {"type": "timeout", "message": "too slow"}}]}]
}
J
is "a log of inspect" "$(imp -q inspect | jq -c 'select(.role) | [.role,
    .tool_calls[0]?.function.name, .is_error, .content]' | paste -sd' ')" \
    '["user",null,null,"hi"] ["assistant","bash",null,""] ["tool",null,true,"too slow"]'

printf '[\n {"uuid": "u",\n "name": "n", "chat_messages": []}\n]\n' >web
status "a document of nobody's" 65 imp web
match "... says what it is" "$(imp web 2>&1)" \
    "*keys uuid, name, chat_messages*not recognised; name it with -F*"
printf '{\n "role": "user",\n "content": "x"\n}\n' >record
status "a record of ours over lines is refused" 65 imp record
match "... says what to do" "$(imp record 2>&1)" \
    "hamr-guard: record:1: *over several lines*(jq -c .)"
match "... by name, too" "$(imp -F hamr record 2>&1)" "*(jq -c .)"
printf '{"role": "user",\n "content": "x"}\n' >record
match "... also when its first line holds a key" "$(imp record 2>&1)" \
    "hamr-guard: record:1: *over several lines*(jq -c .)"
printf '[{"role":"user","content":"x"}]\n' >list
match "an array by name" "$(imp -F hamr list 2>&1)" "*(jq -c '.[[]]')"

# ---- a first line that is longer than what is looked at ----

python3 - <<'PY'
import json
big = 'x\n" \u00e9' * 20000
def w(name, *ls):
    open(name, "w").write("".join(json.dumps(l) + "\n" for l in ls))
w("long-claude-code", {"parentUuid": None, "sessionId": "s", "type": "user",
    "message": {"role": "user", "content": big}, "uuid": "a"})
w("long-codex", {"id": "x", "timestamp": "t", "instructions": big},
  {"type": "message", "role": "user", "content": "hi"})
w("long-hamr", {"role": "user", "content": big})
PY
for f in claude-code codex hamr; do
	is "a long line of $f" "$(imp -F auto long-$f 2>&1 >out)$(grep -c \
	    '^{"role"' out)" "hamr-guard: long-$f: read as ${f}1"
done

# ---- a line that is none before it ----

(echo 'warning: so what'; cat "$D/codex.jsonl") >junk
status "a first line that is none" 65 imp junk
is "--lenient looks behind it" "$(imp --lenient junk 2>err |
    sed -n '1,3s/.*"\(code\|format\|content\)":"\([a-zA-Z_]*\)".*/\2/p' |
    paste -sd' ') $(sed -n 's/.*read as //p' err)" "bad_record codex Start codex"
done_testing

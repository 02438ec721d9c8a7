#!/bin/sh
# import-today.t - what other agents write since their formats were first read:
# calls a server ran, agents that speak to each other, what was taken back,
# pictures in results, calls that were interrupted.
. "$(dirname "$0")/../lib.sh"
cd "$T" || exit 1

# What a transcript says, a word a record: texts, pictures as (pic), calls as
# id?, results as id=TEXT, failed ones as id!TEXT, what is not a person's in
# brackets.
said() {
	timeout 20 hamr-guard --no-config --import-only "$@" 2>err | jq -r '
	    def text: if type == "array" then map(.text // "(pic)") |
	        join("") else . // "" end;
	    if .role == "tool" then .tool_call_id +
	        (if .is_error then "!" else "=" end) + (.content | text)
	    elif .role == "user" and .meta.by then "[" + (.content | text) + "]"
	    elif .role then (.content | text) +
	        ([.tool_calls[]?.id + "?"] | join(""))
	    elif .type == "compaction" or .type == "error" then
	        "<" + (.code // .type) + ">"
	    else empty end' | paste -sd' '
}
left() { sed -n 's/.*: left out: //p' err; }
# Lines of a rollout, of the payloads that stdin has.
rollout() { jq -c '{timestamp: "2026-08-03T10:48:56Z", type: (if .type |
    IN("function_call", "function_call_output", "web_search_call",
    "image_generation_call", "message", "agent_message", "tool_search_call",
    "tool_search_output", "additional_tools") then "response_item"
    elif .cwd then "session_meta" elif .trigger_turn != null then
    "inter_agent_communication" else "event_msg" end), payload: .}'; }

# ---- codex ----

rollout >codex <<'J'
{"id":"x","timestamp":"2026-08-03T10:48:56Z","cwd":"/w"}
{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c1"}
{"type":"web_search_call","status":"completed","action":{"query":"q"}}
{"type":"image_generation_call","id":"ig","status":"completed","result":"AA"}
{"type":"web_search_call","id":"ws","status":"failed","action":{}}
{"type":"function_call_output","call_id":"c1","output":"one"}
{"type":"agent_message","author":"/root/a","recipient":"/root","content":[{"type":"input_text","text":"found"}]}
{"author":"/root/a","recipient":"/root","content":"more","trigger_turn":true}
{"type":"tool_search_call","call_id":"c2","arguments":{"query":"x"}}
{"type":"tool_search_output","call_id":"c2","tools":[{"type":"function_group"}]}
{"type":"additional_tools","role":"developer","tools":[]}
J
is "codex: a search without an id takes no other call's result" \
    "$(said codex | cut -d' ' -f 1-7)" "c1?web_search_call_3?\
 web_search_call_3=completed ig? ig=(pic) ws? ws!failed c1=one"
is "codex: what agents say to each other" "$(said codex |
    cut -d' ' -f 8,9)" "[found] [more]"
is "codex: tools that were found" "$(said codex | cut -d' ' -f 10-)" \
    'c2? c2=[{"type":"function_group"}]'
is "codex: nothing is left out" "$(left)" ""

rollout >codex <<'J'
{"id":"x","timestamp":"2026-08-03T10:48:56Z","cwd":"/w"}
{"type":"message","role":"user","content":"<environment_context>"}
{"type":"message","role":"user","content":"one"}
{"type":"message","role":"assistant","content":"uno"}
{"type":"message","role":"user","content":"two"}
{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}
{"type":"thread_rolled_back","num_turns":1}
{"type":"message","role":"user","content":"three"}
{"type":"message","role":"assistant","content":"tres"}
J
is "codex: a turn that was taken back was not said, and is told" \
    "$(said codex): $(left)" \
    "[<environment_context>] one uno three tres: undone (2)"
# the first versions wrote a document
cat >first <<'J'
{
  "session": {"timestamp": "2025-04-20T10:00:00Z", "id": "x", "instructions": ""},
  "items": [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "list"}]},
    {"id": "rs", "type": "reasoning", "summary": [], "duration_ms": 1},
    {"id": "fc", "type": "function_call", "status": "completed", "arguments": "{}", "call_id": "c1", "name": "shell"},
    {"type": "function_call_output", "call_id": "c1", "output": "{\"output\":\"a.c\",\"metadata\":{\"exit_code\":1}}"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "one"}]}
  ]
}
J
is "codex: a document of its first versions" "$(said first)" "list c1? c1!a.c one"
jq -c . first >line
is "... on one line" "$(timeout 20 hamr-guard -q --import-only line)" \
    "$(timeout 20 hamr-guard -q --import-only first)"
while read -r back wanted; do
	{ cat codex; echo "{\"type\":\"thread_rolled_back\",$back}" |
	    rollout; } >later
	is "codex: $back" "$(said later)" \
	    "[<environment_context>]${wanted:+ $wanted}"
done <<'J'
"num_turns":1 one uno
"num_turns":2
"num_turns":9
"num_turns":0,"rollback_start_index":3 one
"num_turns":-1 one uno three tres
"num_turns":"x" one uno three tres
J

# ---- gemini ----

# A history that was written anew: its messages hold what they were sent as.
jq -c '., (if .id == "2" then {"$set": {messages: [
	{id: "1", type: "user", content: [{text: "go"}]},
	(.content = [.toolCalls[] | {functionCall: {id, name, args}}] |
	    [.toolCalls[].result[]] as $all | .toolCalls[].result = $all),
	{id: "3", type: "user", content: [.toolCalls[].result[0]]},
	{id: "4", type: "gemini", content: [{text: "next"},
	    {functionCall: {id: "c", name: "glob", args: {}}}]},
	{id: "5", type: "user", content: [{functionResponse:
	    {id: "c", name: "glob", response: {error: "none"}}}]}]}}
    else empty end)' >anew <<'J'
{"sessionId":"s","projectHash":"h","startTime":"2026-01-15T20:51:00Z"}
{"id":"1","type":"user","content":[{"text":"go"}]}
{"id":"2","type":"gemini","content":"","toolCalls":[{"id":"a","name":"read_file","args":{},"status":"success","result":[{"functionResponse":{"id":"a","response":{"output":"one"}}}]},{"id":"b","name":"read_file","args":{},"status":"success","result":[{"functionResponse":{"id":"b","response":{"output":"two"}}},{"inlineData":{"mimeType":"image/png","data":"AA"}}]}]}
J
grep -vF '"$set"' anew >gemini
is "gemini: a picture in a result" "$(said gemini)" \
    "go a?b? a=one b=two(pic)"
is "gemini: a history written anew says nothing twice" "$(said anew)" \
    "go a?b? a=one b=two(pic) nextc? c!none"
is "gemini: nothing is left out" "$(left)" ""

# ---- opencode ----

jq -n '[
    {info: {role: "user"}, parts: [{type: "text", text: "go"}]},
    {info: {role: "assistant"}, parts: [
	["a", {status: "completed", output: "no", metadata: {exit: 1}}],
	["b", {status: "completed", output: "seen", attachments: [
	    {type: "file", mime: "image/png", url: "data:image/png;base64,AA"},
	    {type: "file", mime: "text/plain", url: "data:text/plain,x"}]}],
	["c", {status: "error", error: "aborted",
	    metadata: {interrupted: true, output: "half"}}],
	["d", {status: "error", error: "gone"}],
	["e", {status: "completed", output: "", metadata: {exit: 0}}],
	["f", {status: "pending", input: {}, raw: "{\"comm"}],
	["g", {status: "pending", input: {}, raw: ""}] |
	{type: "tool", callID: .[0], tool: "bash", state: .[1]}]},
    {info: {role: "assistant", error: {name: "APIError",
	data: {message: "busy"}}}, parts: []},
    {info: {role: "user"}, parts: [{type: "compaction", auto: true}]},
    {info: {role: "assistant", summary: true}, parts: [
	{type: "text", text: "so-far"}]},
    {info: {role: "user"}, parts: [{type: "subtask", prompt: "look"}]},
    {info: {role: "assistant", error: {name: "MessageAbortedError"}},
	parts: [{type: "text", text: "I"}]}] |
    {info: {id: "s", directory: "/w"}, messages: map(.info.id = "m")}' >oc
is "opencode: failed and interrupted calls, pictures, a compaction" \
    "$(said oc)" "go a?b?c?d?e?f?g? a!no b=seen(pic) c!half d!gone e= <server>\
 <compaction> [so-far] look I <interrupted>"
is "opencode: nothing is left out" "$(left)" ""
is "opencode: the text of calls that were still being written" \
    "$(timeout 20 hamr-guard -q --import-only oc | jq -r '.tool_calls[5:][]?.function.arguments' | paste -sd,)" \
    '{"comm,{}'

# ---- qwen ----

jq -nc '[
    ["user", {}, [{text: "go"}]],
    ["assistant", {}, [{functionCall: {id: "a", name: "read_file"}}]],
    ["tool_result", {}, [{functionResponse: {id: "a", response:
	{output: "seen"}, parts: [{inlineData: {data: "AA"}}]}}]],
    ["system", {subtype: "chat_compression", systemPayload: {compressedHistory:
	[{role: "user", parts: [{text: "so-far"}]}, {role: "model"}]}}, null],
    ["user", {subtype: "notification"}, [{text: "ended"}]],
    ["user", {subtype: "mid_turn_user_message"}, [{text: "wait"}]],
    ["user", {provenance: "goal_runtime"}, [{text: "on"}]],
    ["assistant", {}, [{text: "done"}]]] | to_entries[] |
    {uuid: "u\(.key)", parentUuid: (if .key > 0 then "u\(.key - 1)" else null
	end), sessionId: "s", type: .value[0]} + .value[1] +
    if .value[2] then {message: {parts: .value[2]}} else {} end' >qwen
is "qwen: pictures, a summary, what is not a person's" "$(said qwen)" \
    "go a? a=seen(pic) <compaction> [so-far] [ended] wait [on] done"
{
	cat qwen
	echo '{"uuid":"r","parentUuid":"u0","sessionId":"s","type":"system",
	    "subtype":"rewind"}' | jq -c .
} >later
is "qwen: taken back, and nothing said since" "$(said later)" "go"
is "qwen: that is told" "$(left)" "abandoned branch (6)"
{
	echo '{"uuid":"b","parentUuid":null,"sessionId":"s","type":"system",
	    "subtype":"agent_bootstrap","systemPayload":{"history":[
	    {"role":"user","parts":[{"text":"task"}]},
	    {"role":"model","parts":[{"text":"ok"}]}]}}' | jq -c .
	sed '1s/"parentUuid":null/"parentUuid":"b"/' qwen | head -n 2
} >forked
is "qwen: what a forked agent began with" "$(said forked)" "task ok go a?"

# ---- copilot ----

jq -nc '[
    ["session.start", {sessionId: "s"}],
    ["user.message", {content: "go"}],
    ["assistant.message", {content: "", toolRequests: [{toolCallId: "a",
	name: "task", arguments: {}}]}],
    ["subagent.started", {toolCallId: "a"}],
    ["assistant.message", {parentToolCallId: "a", content: "side",
	toolRequests: [{toolCallId: "b", name: "shell", arguments: {}}]}],
    ["tool.execution_complete", {parentToolCallId: "a", toolCallId: "b",
	success: false, result: {content: "no"}}],
    ["tool.execution_complete", {toolCallId: "a", success: true,
	result: {content: "found"}}],
    ["system.notification", {content: "ended"}],
    ["session.compaction_complete", {success: false, error: "x"}],
    ["session.compaction_complete", {success: true, summaryContent: "so-far"}]
    ][] | {type: .[0], data: .[1], id: "e",
    timestamp: "2026-01-01T00:00:00Z"}' >copilot
is "copilot: an agent's conversation is none of the person's" \
    "$(said copilot)" "go a? a=found [ended] <compaction> [so-far]"
is "copilot: that is told" "$(left)" \
    "side conversation, see import.sidechains (2)"
is "copilot: it comes after, where it is asked for" \
    "$(said -o import.sidechains=true copilot): $(left)" \
    "go a? a=found [ended] <compaction> [so-far] sideb? b!no: "

# ---- the SDK of OpenHands ----

jq -c '. + {source: "agent", id: "i", timestamp: "2026-01-01T00:00:00"}' \
    >openhands <<'J'
{"kind":"SystemPromptEvent","system_prompt":{"type":"text","text":"be"},"dynamic_context":{"type":"text","text":"there"}}
{"kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"go"}]},"extended_content":[{"type":"text","text":"+skill"}]}
{"kind":"ActionEvent","tool_name":"terminal","tool_call_id":"a","tool_call":{"id":"a","arguments":"{}"}}
{"kind":"ObservationEvent","tool_call_id":"a","observation":{"content":[{"type":"text","text":"seen"},{"type":"image","image_urls":["data:image/png;base64,AA","data:image/png;base64,BB"]}]},"extended_content":[{"type":"text","text":"+rule"}]}
{"kind":"Condensation","forgotten_event_ids":["i"],"summary":"so-far"}
{"kind":"ConversationErrorEvent","code":"LLMError","detail":"busy"}
{"kind":"InterruptEvent"}
{"kind":"HookExecutionEvent","hook_command":"x"}
J
sed -i '2s/"agent"/"user"/' openhands
is "openhands: what is added to messages, pictures, a summary, an error" \
    "$(said openhands | tr '\n' ' ')" "be there go+skill a?\
 a=seen(pic)(pic)+rule <compaction> [so-far] <server> "
is "openhands: nothing is left out" "$(left)" ""

# ---- logs of inspect ----

jq -n '{eval: {model: "m"}, samples: [{id: 1, attachments:
    {aa: "data:image/png;base64,AA", bb: "long"}, messages: [
    {role: "user", content: [{type: "text", text: "go"},
	{type: "image", image: "attachment://aa"}]},
    {role: "assistant", content: "attachment://bb"},
    {role: "assistant", content: "attachment://cc"}]}]}' >inspect
is "inspect: what is attached" "$(said inspect)" \
    "go(pic) long attachment://cc"

# ---- kimi, mini-swe-agent, cline ----

jq -nc '["TurnBegin", {user_input: "go"}], ["StepBegin", {n: 1}],
    ["ContentPart", {type: "text", text: "I wi"}],
    ["ToolCall", {id: "a", function: {name: "Shell", arguments: "{"}}],
    ["StepRetry", {n: 1}], ["ContentPart", {type: "text", text: "I will."}],
    ["PlanDisplay", {content: "x"}] |
    {timestamp: 1.5, message: {type: .[0], payload: .[1]}}' >kimi
is "kimi: what was said before a step was tried again was not" \
    "$(said kimi): $(left)" "go I will.: "

jq -n '{trajectory_format: "mini-swe-agent-1.1", messages: [
    {role: "user", content: "go"},
    {object: "response", extra: {actions: [{command: "ls",
	tool_call_id: "a"}]}, output: [
	{type: "reasoning", summary: [{type: "summary_text", text: "hm"}]},
	{type: "message", content: [{type: "output_text", text: "look"}]},
	{type: "function_call", id: "fc", call_id: "a", name: "bash",
	    arguments: "{}"}]},
    {type: "function_call_output", call_id: "a", output: "no",
	extra: {returncode: 1}}]}' >mini
is "mini-swe-agent: answers of the Responses API" "$(said mini): $(left)" \
    "go looka? a!no: "

jq -n '[{role: "user", content: [{type: "tool_result", tool_use_id: "a",
    content: "x"}, {type: "image", data: "AA", mediaType: "image/webp"}]}]' |
    timeout 20 hamr-guard -q --import-only -F cline >out
is "cline: a picture is of its kind" "$(jq -r 'select(.role == "user") |
    .content[0].image_url.url' out)" "data:image/webp;base64,AA"

# ---- ATIF ----

jq -n '{schema_version: "ATIF-v1.7", session_id: "s", agent: {name: "x",
    tool_definitions: [{type: "function", function: {name: "task",
	parameters: {type: "object"}}}]}, steps: [
    {source: "user", message: [{type: "text", text: "go"},
	{type: "image", source: {media_type: "image/png", path: "i.png"}}]},
    {source: "agent", message: "", tool_calls: [{tool_call_id: "a",
	function_name: "task", arguments: {}}], observation: {results: [
	{source_call_id: "a", subagent_trajectory_ref:
	    [{trajectory_id: "t"}]}]}}],
    subagent_trajectories: [{trajectory_id: "t", agent: {name: "y"},
	steps: [{source: "user", message: "side"}]}]}' >atif
is "atif: a picture beside the file is told" "$(said atif): $(left)" \
    "go[image i.png] a? a=: part image (1),\
 side conversation, see import.sidechains (1)"
is "atif: a trajectory within comes after" \
    "$(said -o import.sidechains=true atif)" "go[image i.png] a? a= side"
is "atif: the tools" "$(timeout 20 hamr-guard -q --import-only atif |
    jq -r 'select(.type == "tools").tools[].function.name')" task
jq -cn '{schema_version: "ATIF-v1.7", agent: {name: "x"}, steps: [{source: "agent",
    message: "", tool_calls: [("a", "b", "c") | {tool_call_id: .,
	function_name: "f", arguments: {}}], observation: {results: [
	{source_call_id: "a", content: "", is_error: true},
	{source_call_id: "b", content: "", extra: {is_error: true}},
	{source_call_id: "c", content: "", extra: 7}]}}]}' >atif
is "atif: a result that is an error" "$(timeout 20 hamr-guard -q --import-only \
    atif | jq -c 'select(.role == "tool").is_error' | xargs)" "true true null"

# ---- cline ----

for system in '"be"' '[{"type":"text","text":"be","cache_control":{}}]'; do
	jq -cn --argjson s "$system" '{system: $s, messages: [
	    {role: "user", content: "go"}, {role: "assistant", content: [
		{type: "tool_use", id: "a", name: "f", input: {}}]}]}' >cl
	is "cline: the system text of a request, $system" "$(said cl)" "be go a?"
done

# ---- sharegpt ----

for who in tool human; do
	jq -cn --arg who $who '{conversations: [["human", "go"], ["gpt", ("a", "b", "c" |
	    "<tool_call>\n{\"name\":\"\(.)\",\"arguments\":{}}\n</tool_call>\n")],
	    [$who, "<tool_response>\none\n</tool_response>\n<tool_response><tool_response> two</tool_response>"],
	    ["observation", "three"]] | [[.[0]], [[.[1][0], (.[1][1:] | add)]], .[2:]]
	    | add | map({from: .[0], value: .[1]})}' >sg
	is "sharegpt: several results in a turn of $who" "$(said sg)" \
	    "go call_1?call_2?call_3? call_1=one call_2=<tool_response> two call_3=three"
done
jq -cn '{conversations: [{from: "gpt", value: "<tool_call>{\"name\":\"a\"}</tool_call>"},
    {from: "tool", value: ("<tool_response>é</tool_response>\n" * 9000)}]}' >sg
is "sharegpt: 9000 of them" "$(said sg | cut -d" " -f-3)" \
    "call_1? call_1=é <bad_record>"

# Cursor's stream-json is Claude Code's, but for its calls
c() { # CALL SUBTYPE KEY VALUE...
	jq -cn --arg id "$1" --arg sub "$2" --arg key "$3" --argjson v "$4" \
	    '{type: "tool_call", subtype: $sub, call_id: $id,
	    tool_call: {($key): $v}, session_id: "s"}'
}
{ echo '{"type":"user","message":{"content":"go"},"session_id":"s"}'
  c a started readToolCall '{"args":{"path":"x"}}'
  c a completed readToolCall '{"args":{},"result":{"success":{"content":"text"}}}'
  c b started function '{"name":"grep","arguments":"{}"}'
  c b completed function '{"result":{"error":"none"}}'; } >cursor
is "cursor: calls and their results" "$(timeout 20 hamr-guard -q --import-only \
    cursor | jq -r 'select(.role) | "\(.tool_calls[]?.function.name)",
    "\(.content) \(.is_error)"' | paste -sd,)" \
    'go null,read,null null,text null,grep,null null,{"error":"none"} true'

done_testing

# kimi - sessions of kimi-cli and Kimi Code: context.jsonl (what the model sees:
# OpenAI's messages and a few of its own) or wire.jsonl (what happened, in
# pieces: {message: {type, payload}}, from protocol 1.4 on context.append_...).
# units: lines

def harness: type == "string" and test("^\\s*<(system-reminder|system|notification)");
def error_text: type == "string" and test("^<system>ERROR");
def by($context): if $context then {by: "context"} else null end;
def usage: obj | {type: "usage", prompt_tokens: tokens(.inputOther, .inputCacheRead, .inputCacheCreation),
  completion_tokens: tokens(.output), cached_tokens: tokens(.inputCacheRead)};

# A message as the model sees it: a line of context.jsonl, or one appended.
def calls_of: [.tool_calls, .toolCalls | arr | obj | call(.id; (.function | o | .name) // .name; (.function | o | .arguments) // .arguments)] | calls;
def context($line):
  (if .role == "_system_prompt" or .role == "system" then {role: "system", content: (.content | content // "")}
    elif .role == "assistant" then
      {role: "assistant", content: (.content | content), reasoning: ((.content | thoughts) // (.reasoning_content | s)), tool_calls: calls_of}
    elif .role == "tool" then result(.tool_call_id // .toolCallId; .content) + {is_error: (.isError == true or (.content | text | error_text))}
    elif .role == "user" then {role: "user", content: (.content | content // ""),
      meta: by((.origin | o | .kind | IN(["injection", "compaction_summary", "system_trigger", "hook_result", "background_task", "skill_activation"][])) or (.content | text | harness))}
    elif .role == "_compaction" then {type: "compaction", stage: "import"}
    elif .role | IN("_checkpoint", "_usage") then empty
    else left("role \(.role)") end)
  | on($line);

def fresh: {text: [], think: [], calls: [], line: null};
def part($p; $n): .now.line = (.now.line // $n)
  | if $p.type == "think" then .now.think += [$p.think, $p.text | str]
    elif ($p.text | type) == "string" then .now.text += [$p.text]
    else .now.left += ["part \($p.type)"] end;
def said: (.left | arr | left(.)),
  (select(.line != null) | {role: "assistant", content: (.text | if length == 0 then null else join("") end),
    reasoning: (.think | if length == 0 then null else join("") end), tool_calls: (.calls | calls), finish_reason: (.finish | finished), _line: .line});

# What a tool gave back.
def shown: [arr | obj | select(.type == "diff" and (.path | type) == "string") | {path}] | unique | if length == 0 then null else . end;
def returned: if type != "object" then {content: (. // ""), is_error: false, mutated: null} else
    {content: (if (.output | type) == "array" and any(.output[]; obj | .type != "text") then .output else
        ([(.output | text), (if .is_error == true or (.output | text // "") == "" then .message else null end) | strings | select(. != "")] | join("\n")) end),
     is_error: (.is_error == true or .isError == true), mutated: (.display | shown)} end;
def answer($id; $r; $m; $n): result($id; $r.content) + {is_error: $r.is_error, meta: {mutated: (if $r.is_error then null else ($m // $r.mutated) end)}, _line: $n};

# Kinds that say nothing to the model, or what is said elsewhere too.
def silent: type == "string" and test("^(metadata$|forked$|(config|tools|llm|turn|permission|profile|plugin|runtime|token_counting|usage|plan_mode|swarm_mode|goal|cron|file_history|mcp|full_compaction|micro_compaction|background|interaction|subagent)\\.)");
def silent_event: IN(["StatusUpdate", "HookTriggered", "HookResolved", "TurnEnd", "StepInterrupted", "CompactionBegin", "ApprovalRequest",
  "ApprovalResponse", "ApprovalRequestResolved", "Notification", "MCPLoadingBegin", "MCPLoadingEnd", "QuestionRequest", "PlanDisplay"][]);

# What a line of a wire stands for, whichever protocol wrote it.
def event: if (.message | type) == "object" and (.message.type | type) == "string" then .message | {kind: .type, is: (.payload | o)}
  elif .type == "context.append_loop_event" then (.event | o) as $e
    | {kind: ({"step.begin": "StepBegin", "content.part": "ContentPart", "tool.call": "ToolCall", "tool.result": "ToolResult", "step.end": "StepEnd"}[$e.type | tostring] // "event \($e.type)"),
       is: (if $e.type == "content.part" then ($e.part | o)
         elif $e.type == "tool.call" then {id: ($e.toolCallId // $e.uuid), function: {name: ($e.name // $e.toolName), arguments: ($e.args // $e.arguments // {})}}
         elif $e.type == "tool.result" then {tool_call_id: ($e.toolCallId // $e.parentUuid), result: ($e.result // $e)}
         else $e end)}
  else {kind: (.type | s), is: .} end;

def step($l; $prompts): $l._line as $n | ($l | event) as $e | $e.is as $p
  | if ($l.role | type) == "string" then .out = [$l | context($n)]
    elif $l.type == "context.append_message" then .out = [.now | said] + [$l.message | obj | context($n)] | .now = fresh
    elif $e.kind == "TurnBegin" or $e.kind == "SteerInput" then .out = [.now | said] + [{role: "user", content: ($p.user_input | content // ""), _line: $n}] | .now = fresh
    elif ($e.kind == "turn.prompt" or $e.kind == "turn.steer") and $prompts then .out = [.now | said] + [{role: "user", content: ($p.input | content // ""), _line: $n}] | .now = fresh
    elif $e.kind == "StepBegin" then .out = [.now | said] | .now = fresh
    elif $e.kind == "StepRetry" then .now = fresh
    elif $e.kind == "StepEnd" then .now.finish = $p.finishReason | .out = [(select(.now.line != null) | $p.usage | usage | on($n)), (.now | said)] | .now = fresh
    elif $e.kind == "ContentPart" then part($p; $n)
    elif $e.kind == "ToolCall" then .now.line = (.now.line // $n) | ($p.function | o) as $f
      | .now.calls += [call($p.id; $f.name; $f.arguments)]
      | written($f.name; $f.arguments) as $m
      | (if $m == null or ($p.id | type) != "string" then . else .["w\($p.id)"] = $m end)
    elif $e.kind == "ToolCallPart" then
      (if (.now.calls | length) > 0 then .now.calls[-1].function.arguments |= ((. // "") + ($p.arguments_part | s // "")) else . end)
    elif $e.kind == "ToolResult" then ($p.return_value // $p.result | returned) as $r | .["w\($p.tool_call_id)"] as $m
      | .out = [.now | said] + [answer($p.tool_call_id; $r; $m; $n)] | .now = fresh
    elif $e.kind == "CompactionEnd" then .out = [.now | said] + [{type: "compaction", stage: "import", _line: $n}] | .now = fresh
    elif $e.kind == "context.apply_compaction" then
      .out = [.now | said] + [{type: "compaction", stage: "import", tokens_before: ($l.tokensBefore | amount), tokens_after: ($l.tokensAfter | amount), _line: $n}]
        + [($l.contextSummary // $l.summary) | strings | {role: "user", content: ., meta: {by: "context"}, _line: $n}] | .now = fresh
    elif $e.kind == "context.clear" then .out = [.now | said] + [{type: "hamr", v: 1, _line: $n}] | .now = fresh
    elif ($l.systemPrompt | type) == "string" and $l.systemPrompt != .system then .system = $l.systemPrompt | .out = [{role: "system", content: $l.systemPrompt, _line: $n}]
    elif $e.kind == "SubagentEvent" then .out = [left("side conversation")]
    elif $e.kind == null or ($e.kind | silent) or ($e.kind | silent_event) then .
    elif $e.kind | startswith("event ") then .out = [left($e.kind)]
    else .out = [left("type \($e.kind)")] end;

# What was taken back: from the person's message on, as many as are told.
def prompt: .type == "context.append_message" and (.message | o | .role == "user" and (.origin | o | .kind | . == null or . == "user"));
def undone: reduce .[] as $l ({at: [], gone: []};
  if $l.type == "context.clear" or $l.type == "context.apply_compaction" then .at = []
  elif $l | prompt then .at += [$l._line]
  elif $l.type == "context.undo" and ($l.count | type) == "number" and $l.count > 0 and $l.count <= (.at | length) then
    .at[-$l.count] as $from | .at = .at[:-$l.count] | .gone += [{from: $from, to: $l._line}]
  else . end) | .gone;

[., inputs | obj] as $all
| ([$all[] | select(.type == "context.undo" or .type == "context.clear" or .type == "context.apply_compaction" or prompt)] | undone) as $gone
| ([$all[] | .agentId | strings] | .[0]) as $agent
| (any($all[]; .type == "context.append_message" and (.message | o | .role) == "user") | not) as $prompts
| {type: "hamr", v: 1, session: null, cwd: ([$all[] | .environmentDisclosure | o | .cwd | strings] | .[0]), created: ([$all[] | select(.type == "metadata") | .created_at | time | strings] | .[0]),
   model: ([$all[] | select(.type == "config.update" or .type == "profile.bind") | .modelAlias | strings] | .[0]), _line: ($all[0]._line // 1)},
  foreach ($all[], null) as $l ({now: fresh};
    .out = []
    | if $l == null then .out = [.now | said]
      elif $l.type == "context.undo" then .now = fresh
      elif ($gone | length) > 0 and ($l._line as $n | any($gone[]; .from <= $n and $n <= .to)) and ($l.type | type) == "string" and ($l.type | startswith("context.append_")) then .out = [left("undone")]
      elif ($l.agentId | type) == "string" and $l.agentId != $agent then (if $l.type | type == "string" and startswith("context.append_") then .out = [left("other agent")] else . end)
      else step($l; $prompts) end;
    .out[])

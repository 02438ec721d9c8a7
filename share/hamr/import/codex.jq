# codex - rollout files of the codex CLI.  response_item lines are what the
# model saw; event_msg lines say the same again for the screen.  Older files
# are flat: a header without a type, the items without their envelope, and
# notes with a record_type.  The first ones are one document of the two.
# units: lines

# A patch tells which files it changes, and the whole of those it adds.
def patched: [capture("\\*\\*\\* (?<what>Add|Update|Delete) File: (?<path>[^\n]*)\n?(?<body>(?:(?!\\*\\*\\* ).*\n?)*)"; "g")
  | if .what == "Delete" then {path, sha256: null}
    elif .what == "Add" then {path, text: ([.body | split("\n")[] | select(startswith("+")) | .[1:] + "\n"] | join(""))}
    else {path} end];
def mutated: if type == "string" and test("\\*\\*\\* Begin Patch") then (. as $t | (try fromjson catch null)
    | ([.. | strings | select(test("\\*\\*\\* Begin Patch"))][0] // $t) | patched) else null end;

# What a tool gave back: text, parts, or JSON that holds text and a status.
def output:
  (if type == "string" and startswith("{\"output\"") then (try fromjson catch .) else . end) as $o
  | if ($o | type) == "object" and ($o.output | type) == "string" then
      {content: $o.output, exit: (($o.metadata | o | .exit_code | numbers) // null), ms: (($o.metadata | o | .duration_seconds | numbers) // null | if . == null then null else . * 1000 | floor end)}
    elif ($o | type) == "string" then
      {content: $o, exit: ((try ($o[:400] | capture("(^|\n)(Exit code:|Process exited with code) (?<n>[0-9]+)") | .n | tonumber) catch null) // null), ms: null}
    elif ($o | type) == "object" and ($o | has("stdout")) then {content: "\($o.stdout | asis // "")\($o.stderr | asis // "")", exit: (($o.exitCode | numbers) // null), ms: null}
    else {content: $o, exit: null, ms: null} end;

def kind: .type as $type | {"local_shell_call": "call", "custom_tool_call": "call", "tool_call": "call", "tool_search_call": "call",
  "web_search_call": "call", "image_generation_call": "call", "function_call": "call", "function_call_output": "output",
  "custom_tool_call_output": "output", "tool_result": "output", "tool_search_output": "output"}[$type | tostring] // $type;

def json_object: (try fromjson catch null) | type == "object";
def the_call:
  if .type == "custom_tool_call" then call(.call_id; .name; (.input | if type == "string" and (json_object | not) then {input: .} else . end))
  elif .type == "local_shell_call" then call(.call_id // .id; "local_shell"; .action)
  elif .type == "tool_search_call" then call(.call_id // .id; "tool_search"; .arguments)
  elif .type == "web_search_call" then call(.id; "web_search"; .action)
  elif .type == "image_generation_call" then call(.id; "image_generation"; {prompt: .revised_prompt})
  else call(.call_id // .id; (.function | o | .name) // .name; .arguments // (.function | o | .arguments)) end;

# What the harness says in the person's place.
def harness: type == "string" and test("^\\s*<(environment_context|user_instructions|turn_aborted|INSTRUCTIONS|permissions|collaboration_mode|skill|subagent_notification)|^# AGENTS.md instructions");

# Lines that say nothing to the model, or what other lines say too.
def silent: IN(["event_msg", "record_type", "session_meta", "turn_context", "world_state", "inter_agent_communication_metadata"][]);
def silent_item: IN(["ghost_snapshot", "other", "compaction", "context_compaction", "compaction_trigger", "additional_tools"][]);

# Calls that the server ran itself; not all of them have an id.
def served: .type == "web_search_call" or .type == "image_generation_call";
def shown: if (.result | type) == "string" and .result != "" then [{type: "image", data: .result}] else .status end;

def fresh: {role: "assistant", content: [], reasoning: [], calls: [], usage: null, line: null};
def held: .line != null;
def said($model): . as $a | select(held)
  | (if .usage == null then empty else .usage + {_line: $a.line} end),
    ({role: "assistant", content: (.content | if length == 0 then null else join("\n") end),
      reasoning: (.reasoning | if length == 0 then null else join("\n") end), tool_calls: (.calls | calls),
      meta: {model: $model}, _line: $a.line});

def usage: obj | {type: "usage", prompt_tokens: tokens(.input_tokens), completion_tokens: tokens(.output_tokens), cached_tokens: tokens(.cached_input_tokens)};

def head: {type: "hamr", v: 1, session: (.id // .session_id | s), cwd: (.cwd | s), created: (.timestamp | time), model: (.model | s), _line: (._line // 1)};

# What was taken back: from a person's message on, as many as are told, or from
# the line of an index.
def event($type): .type == "event_msg" and (.payload | o | .type) == $type;
def prompt: .type == "response_item" and (.payload | o | .type == "message" and .role == "user" and (.content | text | harness | not));
def undone: reduce .[] as $l ({at: [], gone: []};
  if $l | prompt then .at += [$l._line]
  elif $l | event("thread_rolled_back") then
    ($l.payload.rollback_start_index | if type == "number" then . + 1 else null end) as $start
    | (if $start != null then [.at[] | select(. < $start)] else .at[:([(.at | length) - ($l.payload.num_turns | amount // 0), 0] | max)] end) as $left
    | (if $start != null then $start else .at[$left | length] end) as $from
    | .at = $left | (if $from == null then . else .gone += [{from: $from, to: $l._line}] end)
  else . end) | .gone;

def flat: if (.session | type) == "object" then .session + {_line}, (.items | arr | obj) else . end;

[., inputs | obj | flat | select(.type != "event_msg" or event("token_count") or event("thread_rolled_back"))]
| undone as $gone
| foreach (.[], null) as $l ({head: null, begun: false, model: null, now: fresh, mutated: {}};
  .out = []
  | ._n = $l._line
  | (if $l == null then null
     elif ($l.payload | type) == "object" then $l
     elif ($l.type | type) == "string" then {type: "response_item", payload: $l}
     elif ($l.role | type) == "string" then {type: "response_item", payload: ($l + {type: "message"})}
     elif $l.id and $l.timestamp then {type: "session_meta", payload: $l}
     elif $l.record_type != null then {type: "record_type", payload: {}}
     else {type: null, payload: {}} end) as $e
  | ($e | if . == null then {} else .payload end | if served and .id == null then .id = "\(.type)_\($l._line)" else . end) as $p
  | if $l != null and ($e.type | IN("response_item", "compacted")) and any($gone[]; .from <= $l._line and $l._line <= .to) then .out = [left("undone")]
    elif $e == null then .model as $model | .out = [.now | said($model)] | (if .begun or .head == null then . else .out = [.head | head] + .out end)
    elif $e.type == "session_meta" then (if .head == null then .head = ($p | {id, session_id, cwd, timestamp, model, _line: $l._line}) else . end)
    elif $e.type == "turn_context" then .model = ($p.model | s) | .head.model = (.head.model // .model) | .head.cwd = (.head.cwd // ($p.cwd | s))
    elif $e.type == "event_msg" and $p.type == "token_count" and (.now | held) then
      (($p.info | o | .last_token_usage | usage) // null) as $u | .now.usage = ($u // .now.usage)
    elif $e.type == "response_item" and ($p | kind) == "reasoning" then
      .now.line = (.now.line // ._n) | .now.reasoning += [$p.summary, $p.content | arr | obj | .text | str]
    elif $e.type == "response_item" and ($p | kind) == "message" and $p.role == "assistant" then
      .now.line = (.now.line // ._n) | .now.content += [$p.content | text | strings]
      | .out = [$p.content | arr | part | ._left | values | left(.)]
    elif $e.type == "response_item" and ($p | kind) == "call" then
      .now.line = (.now.line // ._n) | .now.calls += [$p | the_call]
      | (($p.input // $p.arguments // $p.action | asis | mutated)) as $m
      | (if $m != null and ($p.call_id | type) == "string" then .mutated[$p.call_id] = $m else . end)
      | if $p | served then .model as $model
          | .out = [.now | said($model)] + [result($p.id; $p | shown) + {is_error: ($p.status == "failed"), _line: ._n}] | .now = fresh else . end
    elif $e.type == "response_item" and ($p | kind) == "output" then
      .model as $model
      | ($p.output // $p.result // ($p.tools | asis) | output) as $o
      | (if ($p.call_id | type) == "string" then .mutated[$p.call_id] else null end) as $m
      | ($o.exit != null and $o.exit != 0) as $failed
      | ($o.content | text | if type == "string" then test("^(Success|Done|Exit code: 0)|Success\\. Updated") else false end) as $good
      | .out = [.now | said($model)] + [result($p.call_id; $o.content)
          + {is_error: $failed, meta: {exit: $o.exit, ms: $o.ms, mutated: (if $m != null and ($failed | not) and ($good or $o.exit == 0) then $m else null end)}, _line: ._n}]
      | .now = fresh
    elif $e.type == "response_item" and ($p | kind) == "message" then
      .model as $model
      | ($p.content | content) as $c
      | .out = [.now | said($model)]
        + [{role: (if $p.role == "user" then "user" else "system" end), content: $c, meta: (if $p.role == "user" and ($c | text | harness) then {by: "context"} else null end), _line: ._n}]
      | .now = fresh
    elif $e.type == "inter_agent_communication" or ($e.type == "response_item" and $p.type == "agent_message") then
      .model as $model
      | .out = [.now | said($model)] + [$p.content | content | select(. != null and . != "") | {role: "user", content: ., meta: {by: "context"}, _line: $l._line}]
      | .now = fresh
    elif $e.type == "compacted" then
      .model as $model
      | .out = [.now | said($model)] + [{type: "compaction", stage: "import", _line: ._n}]
        + (if ($p.message | type) == "string" and $p.message != "" then [{role: "user", content: $p.message, meta: {by: "context"}, _line: ._n}] else [] end)
      | .now = fresh
    elif ($e.type | silent) or ($e.type == "response_item" and ($p.type | silent_item)) then .
    elif $e.type == "response_item" then .out = [left("item \($p.type)")]
    else .out = [left("type \($e.type)")] end
  | if .begun or all(.out[]; has("_left")) then . else .begun = true | (if .out[0].type == "hamr" then . else .out = [.head // {} | head] + .out end) end;
  .out[])

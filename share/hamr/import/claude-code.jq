# claude-code - session files of Claude Code (~/.claude/projects/*/*.jsonl).
# units: lines
#
# A file is a tree by uuid and parentUuid; what was said is the branch of its
# last leaf.  Where its chain breaks (a parent that is not in the file, or was
# never told) it goes on with the entry before.  One message is spread over several lines that share message.id,
# and only one of them need be on the branch: so all lines of a message on it
# count, and every result that answers their calls.

# What a tool did to files, with their new content where that can be told.
def edited: . as $r | reduce ($r.edits | arr | obj) as $e ($r.originalFile; replaced($e.old_string; $e.new_string; $e.replace_all == true));
def mutated:
  if type != "object" or (.filePath | type) != "string" then null
  elif (.content | type) == "string" and (.type == "create" or .type == "update") then [{path: .filePath, text: .content}]
  elif has("oldString") then . as $r
    | (.originalFile // "" | replaced($r.oldString; $r.newString; $r.replaceAll == true)) as $new
    | [{path: $r.filePath} + (if $new == null then {} else {text: $new} end)]
  elif has("edits") then edited as $new
    | [{path: .filePath} + (if $new == null then {} else {text: $new} end)]
  else null end;

# What one may hold that is not said to anybody, or is said elsewhere too.
def silent: IN(["file-history-snapshot", "progress", "queue-operation", "summary", "pr-link", "last-prompt", "custom-title", "mode",
  "permission-mode", "ai-title", "agent-name", "agent-color", "agent-setting", "tag", "started", "relocated", "worktree-state",
  "bridge-session", "frame-link", "atis-latch", "attribution-snapshot", "content-replacement",
  "result", "stream_event", "rate_limit_event"][]);
def silent_system: IN(["init", "stop_hook_summary", "turn_duration", "session_start", "local_command", "informational", "bridge_status", "api_error"][]);

# Cursor's stream-json is the same, but for the calls and their results.
def cursor_call:
  (.tool_call | o | to_entries[0] // {value: {}}) as $c
  | if .subtype == "started" then {type: "assistant", content: {type: "tool_use", id: .call_id,
      name: ($c.value | o | .name // ($c.key | s // "" | sub("ToolCall$"; ""))), input: ($c.value | o | .args // .arguments)}}
    else ($c.value | o | .result | o) as $r
      | {type: "user", content: {type: "tool_result", tool_use_id: .call_id, is_error: ($r | has("success") | not),
        content: ([$r.success | o | .content, .stdout | strings] | first // ($r | tojson))}} end;
def cursor:
  if .type == "tool_call" and (.call_id | type) == "string" then
    {_line, session_id} + (cursor_call | {type, message: {content: [.content]}})
  else . end;

# An entry of the tree; only a message keeps what it says.  A person's message
# without a parent is where a conversation begins; anything else has lost its
# parent.
def entry:
  {id: (.uuid | s), parent: (.parentUuid | s), logical: (.logicalParentUuid | s), line: ._line, type: (.type | s),
    side: (.isSidechain == true or (.parent_tool_use_id | type) == "string"), agent: (.agentId | s), cwd: (.cwd | s), session: (.sessionId // .session_id | s), at: (.timestamp | s)} as $e
  | if (.type == "user" or .type == "assistant") and (.message | type) == "object" then
      $e + {says: true, message: (.message | {content, model: (.model | s), usage, stop_reason: (.stop_reason | s)}),
        root: (.type == "user" and has("parentUuid") and .parentUuid == null and .logicalParentUuid == null and .isCompactSummary != true
          and ([.message.content | arr | obj | select(.type == "tool_result")] | length == 0)),
        group: (.message.id | s), meta: (.isMeta == true), summary: (.isCompactSummary == true),
        failed: (.isApiErrorMessage == true), mutated: (.toolUseResult | mutated)}
    elif .type == "attachment" and (.attachment | type) == "object" and .attachment.type == "queued_command" then
      $e + {says: true, type: "user", message: {content: .attachment.prompt}, meta: (.isMeta == true or .attachment.commandMode != "prompt")}
    elif .type == "attachment" then $e + {left: (if (.attachment | o | .type) == "hook_success" then null else "attachment" end)}
    elif .type == "system" and .subtype == "compact_boundary" then
      $e + {compaction: true, tokens: (.compactMetadata | o | .preTokens | amount)}
    elif .type == "system" then $e + {left: (if .subtype | silent_system then null else "system \(.subtype)" end)}
    elif .type == "progress" and (.data | o | .message | type) == "object" then $e + {left: "progress of a side conversation"}
    else $e + {left: (if .type | silent then null else "type \(.type)" end)} end;

def tool_ids($type): .message.content | arr | obj | select(.type == $type) | (if $type == "tool_use" then .id else .tool_use_id end) | str;

def usage: if type == "object" then
    {type: "usage", prompt_tokens: tokens(.input_tokens, .cache_read_input_tokens, .cache_creation_input_tokens),
      completion_tokens: tokens(.output_tokens), cached_tokens: tokens(.cache_read_input_tokens)}
  else empty end;

# The parts of a message that is spread over lines; a call counts once.
def parts_of($lines): reduce ($lines[] | .message.content | if type == "array" then .[] elif . == null then empty else {type: "text", text: .} end) as $p
    ({parts: [], had: {}};
     if ($p | type) == "object" and $p.type == "tool_use" and ($p.id | type) == "string" then
       (if .had[$p.id] then . else .had[$p.id] = true | .parts += [$p] end)
     else .parts += [$p] end) | .parts;

def assistant($lines):
  $lines[0] as $first | parts_of($lines) as $parts | (last($lines[] | .message.usage | select(type == "object")) // null) as $usage
  | if $first.failed then
      {type: "error", stage: "provider", code: "server", message: ($parts | text // "no answer"), retryable: false} | on($first.line)
    else
      ($usage | usage | on($first.line)),
      ({role: "assistant", content: ($parts | content), reasoning: ($parts | thoughts), tool_calls: ($parts | use_calls),
        finish_reason: ([$lines[] | .message.stop_reason | strings] | last | finished), meta: {model: $first.message.model}}
       | on($first.line))
    end;

# wanted: the results to take of this line; null: all of it.
def user($e; $wanted):
  [$e.message.content | use_results] as $all
  | ($all[] | .tool_call_id as $id | select($wanted == null or (($id | type) == "string" and $wanted[$id] == true))
      | . + {meta: (if .is_error or ($all | length) != 1 then null else {mutated: $e.mutated} end)}),
    (if $wanted != null then empty else
      $e.message.content | use_rest | select(. != null)
      | {role: "user", content: ., meta: (if $e.meta or $e.summary then {by: "context"} else null end)} end)
  | on($e.line);

# The records of one branch, given as places in $all.
def conversation($all; $path; $name; $side):
  set($path[] | tostring) as $on
  | set($path[] | $all[.].id | strings) as $ids
  | set($path[] | $all[.] | select(.type == "assistant") | .group | strings) as $groups
  | ([range(0; $all | length) | select($on[tostring] or ($all[.] | .says == true and .type == "assistant" and .group != null and $groups[.group] == true
      and $ids[.id // ""] != true))]) as $lines
  | set($lines[] | $all[.] | select(.says and .type == "assistant") | tool_ids("tool_use")) as $calls
  | set($lines[] | $all[.] | select(.says and .type == "user") | tool_ids("tool_result")) as $answered
  | ([range(0; $all | length) as $i | select(($on["\($i)"] | not) and $all[$i].says == true and $all[$i].type == "user")
      | $all[$i] | tool_ids("tool_result") | select($calls[.] and ($answered[.] | not)) | {i: $i, id: .}]
      | group_by(.id) | map(min_by(.i)) | group_by(.i) | map({key: "\(.[0].i)", value: set(.[].id)}) | from_entries) as $extra
  | ([$lines[] | select($all[.].says == true and $all[.].type == "assistant") | {i: ., group: ($all[.].group // "#\(.)")}]
      | group_by(.group) | map({key: .[0].group, value: map(.i)}) | from_entries) as $members
  | ($lines + ($extra | keys | map(tonumber)) | sort) as $order
  | ([$order[] | $all[.]]) as $said
  | {type: "hamr", v: 1, session: ($name // ([$said[] | .session | strings] | first)), cwd: ([$said[] | .cwd | strings] | first),
     created: ([$said[] | .at | strings] | first | time), model: ([$said[] | select(.says) | .message.model | strings] | first), _line: ($said[0].line // 1)},
    ($order[] | . as $i | $all[$i]
     | if .compaction then {type: "compaction", stage: "import", tokens_before: .tokens} | on($all[$i].line)
       elif .says != true then empty
       elif .type == "user" then user(.; $extra["\($i)"])
       else $members[.group // "#\($i)"] as $m | select($m[0] == $i) | assistant([$m[] | $all[.]]) end),
    (set($order[] | tostring) as $taken
     | left("abandoned branch"; [range(0; $all | length) | select($all[.].says == true and $all[.].side == $side and ($taken[tostring] | not))] | length));

def last_said($all; f): last(range(0; $all | length) | select($all[.] | .says == true and f)) // null;

[(., inputs) | obj | cursor | entry] as $all
| parents($all) as $up
| last_said($all; .side | not) as $main
| ([$all[] | select(.says and .side)] | length) as $sides
| (if $main == null and $sides > 0 then
    last_said($all; true) as $leaf | conversation($all; branch($up; $leaf); null; true)
  else
    (if $main == null then {type: "hamr", v: 1, session: ([$all[] | .session | strings] | first)}
     else conversation($all; branch($up; $main); null; false) end),
    (if $sidechains then
      (reduce range(0; $all | length) as $i ({}; $all[$i] as $e | ($e.id // "#\($i)") as $id
        | if $e.side then .[$id] = ($e.agent // .[$e.parent // ""] // $id) else . end)) as $owner
      | ([range(0; $all | length) as $i | select($all[$i].side and $all[$i].says) | {i: $i, key: $owner[$all[$i].id // "#\($i)"]}]
        | group_by(.key) | sort_by(.[0].i) | .[])
      | .[-1].i as $leaf
      | ([branch($up; $leaf)[] | select($all[.].side)]) as $path
      | conversation($all; $path; $all[$leaf].agent; null)
    else left("side conversation, see import.sidechains"; $sides) end)
  end),
  ($all | map(.left | strings) | group_by(.)[] | left(.[0]; length))

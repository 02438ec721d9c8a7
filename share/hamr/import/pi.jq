# pi - session files of pi and the TypeScript hamr: linear (version 1, entries
# without id) or a tree, of which the branch of the last entry is read.
# units: lines

def usage($line): if type == "object" then {type: "usage", prompt_tokens: tokens(.input, .cacheRead, .cacheWrite),
    completion_tokens: tokens(.output), cached_tokens: tokens(.cacheRead),
    cost: (.cost | if type == "object" then .total else . end | amount), _line: $line}
  else empty end;

def pi_call: arr | obj | select(.type == "toolCall") | call(.id; .name; .arguments);
def pi_calls: [pi_call] | calls;

def message($line; $wrote):
  if .role == "assistant" then
    {role: "assistant", content: (.content | content), reasoning: (.content | thoughts), tool_calls: (.content | pi_calls),
      finish_reason: (.stopReason | finished), meta: {model: (.model | s), api: (.api | s)}} as $m
    | (.usage | usage($line)),
      (if $m.content == null and $m.tool_calls == null and (.stopReason | IN("aborted", "error"))
       then {type: "error", stage: "provider", code: (if .stopReason == "aborted" then "interrupted" else "server" end),
         message: (.errorMessage | s // "no answer"), retryable: false}
       else $m end)
  elif .role == "toolResult" then
    result(.toolCallId; .content) + {is_error: (.isError == true), meta: {mutated: (if .isError == false then $wrote[.toolCallId | asis // ""] else null end)}}
  elif .role == "bashExecution" then
    {role: "user", content: "$ \(.command | asis // "")\n\(.output | asis // "")", meta: {by: "shell"}}
  elif .role == "user" or .role == "custom" or .role == "hookMessage" then
    {role: "user", content: (.content | content), meta: (if .role == "user" then null else {by: "context"} end)}
  elif (.role | IN("branchSummary", "compactionSummary")) then
    {role: "user", content: (.summary | asis), meta: {by: "context"}}
  else left("role \(.role)") end
  | on($line);

def entry($wrote):
  ._line as $line
  | if .type == "message" then .message | obj | message($line; $wrote)
    elif .type == "compaction" then
      {type: "compaction", stage: "import", tokens_before: (.tokensBefore | amount), _line},
      {role: "user", content: (.summary | asis // ""), meta: {by: "context"}, _line}
    elif .type == "branch_summary" then {role: "user", content: (.summary | asis // ""), meta: {by: "context"}, _line}
    elif .type == "custom_message" then {role: "user", content: (.content | content), meta: {by: "context"}, _line}
    elif .type | IN(["model_change", "thinking_level_change", "label", "session_info", "custom"][]) then empty
    else left_type end;

[(., inputs) | obj] as $all
| ($all | map(select(.type == "session")) | .[0] // {}) as $head
| ([$all[] | select(.type != "session")]) as $entries
# what was made after a call may name that as its parent
| (reduce ($entries[] | .id as $id | select($id | type == "string") | .message | o | .content | arr | obj | select(.type == "toolCall") | {call: (.id | s), id: $id}) as $c
    ({}; if $c.call == null then . else .[$c.call] = $c.id end)) as $of
| set($entries[] | .id | strings) as $known
| ($entries | map({id: (.id | s), parent: (.parentId | if type != "string" then null elif $known[.] then . else $of[.] // . end),
    root: (has("parentId") and (.parentId == null or .parentId == $head.id))})) as $nodes
| (if any($nodes[]; .id != null and .parent != null) then branch(parents($nodes); ($nodes | length) - 1)
   else [range(0; $nodes | length)] end) as $path
| {type: "hamr", v: 1, session: ($head.id | s), cwd: ($head.cwd | s), created: ($head.timestamp | time),
   model: ([$head.modelId, ($entries[] | select(.type == "model_change") | .modelId) | strings] | first), _line: ($head._line // 1)},
  (writes($path[] | $entries[.] | select(.type == "message") | .message | o | .content | pi_call) as $wrote | $path[] | $entries[.] | entry($wrote)),
  left("abandoned branch"; set($path[] | tostring) as $on | [range(0; $entries | length) | select(($on[tostring] | not) and ($entries[.].type | IN("message", "custom_message")))] | length)

# qwen - chats of qwen-code: a tree by uuid and parentUuid of messages whose
# parts are Gemini's; the branch of the last message is read.
# units: lines

def q_part: if type == "object" and (.thought | not) and (.text | type) == "string" then {type: "text", text}
    elif type == "object" and (.inlineData | type) == "object" then image("data:\(.inlineData.mimeType // "image/png");base64,\(.inlineData.data | asis // "")")
    elif type != "object" or .thought == true or has("functionCall") or has("functionResponse") or (.text | type) == "string" then empty
    else (keys[0] // "without a kind") as $k | {type: "text", text: "[\($k)]", _left: "part \($k)"} end;
def q_content: [arr | q_part]
  | if length == 0 then null elif all(.[]; .type == "text" and ._left == null) then map(.text) | join("") else . end;
def q_thoughts: [arr | obj | select(.thought == true) | .text | str] | if length == 0 then null else join("\n") end;
# A response, with the pictures in it.
def response: [.parts | arr | q_part] as $parts
  | (.response | if type == "object" then .output // .error // .content // . else . end | asis // "") as $text
  | if ($parts | length) == 0 then $text else [$text] + $parts end;
def usage: obj | select(length > 0) | {type: "usage", prompt_tokens: tokens(.promptTokenCount), completion_tokens: tokens(.candidatesTokenCount, .thoughtsTokenCount), cached_tokens: tokens(.cachedContentTokenCount)};

def q_calls: arr | obj | .functionCall | obj | call(.id; .name; .args);

# What is said in a person's place.
def by: if (.subtype | IN("notification", "cron")) or (.provenance | IN("system", "goal_control", "goal_runtime")) then {by: "context"} else null end;

# An agent that was forked begins with the history it was given.
def entry($wrote): ._line as $line | (.message | o | .parts) as $parts
  | (if .type == "assistant" then
      (.usageMetadata | usage),
      {role: "assistant", content: ($parts | q_content), reasoning: ($parts | q_thoughts),
        tool_calls: ([$parts | q_calls] | calls), meta: {model: (.model | s)}}
    elif .type == "tool_result" then
      (.toolCallResult | o | .status) as $status
      | $parts | arr | obj | .functionResponse | obj
      | result(.id; response) + {is_error: (($status | IN("error", "cancelled")) or (.response | type == "object" and has("error")))}
      | . + {meta: {mutated: (if .is_error or $status != "success" then null else $wrote[.tool_call_id | asis // ""] end)}}
    elif .type == "user" then
      by as $by
      | ($parts | arr | obj | .functionResponse | obj | result(.id; response)),
        ($parts | q_content | select(. != null) | {role: "user", content: ., meta: $by})
    elif .type == "system" and (.subtype | IN("chat_compression", "compression")) then
      (.systemPayload | o | .info | o | {type: "compaction", stage: "import", tokens_before: (.originalTokenCount | amount), tokens_after: (.newTokenCount | amount)}),
      (.systemPayload | o | .compressedHistory | [arr | obj][:1][] | select(.role == "user") | .parts | q_content | select(. != null) | {role: "user", content: ., meta: {by: "context"}})
    elif .type == "system" and .subtype == "agent_bootstrap" then
      .systemPayload | o | .history | arr | obj | {type: (if .role == "model" then "assistant" else .role end), message: .} | entry($wrote)
    elif .type == "system" then empty
    else left_type end)
  | on($line);

[(., inputs) | obj] as $lines
| ([$lines[] | {id: (.uuid | s), parent: (.parentUuid | s), says: (.message | type == "object"),
    root: (.type == "user" and has("parentUuid") and .parentUuid == null)}]) as $nodes
| (last(range(0; $lines | length) | select($lines[.] | (.message | type == "object") or .subtype == "rewind")) // null) as $leaf
| (if $leaf == null then [] else branch(parents($nodes); $leaf) end) as $path
| ([$path[] | $lines[.]]) as $said
| {type: "hamr", v: 1, session: ([$said[], $lines[] | .sessionId | strings] | first), cwd: ([$said[] | .cwd | strings] | first),
   created: ([$said[] | .timestamp | strings] | first | time), model: ([$said[] | .model | strings] | first), _line: ($said[0]._line // 1)},
  (writes($said[] | .message | o | .parts | q_calls) as $wrote | $said[] | entry($wrote)),
  left("abandoned branch"; set($path[] | tostring) as $on | [range(0; $lines | length) | select(($on[tostring] | not) and $nodes[.].says)] | length),
  (set($path[] | tostring) as $on | range(0; $lines | length) | select($on[tostring] | not) | $lines[.] | select((.type | IN(["system", "user", "assistant", "tool_result"][]) | not)) | left_type)

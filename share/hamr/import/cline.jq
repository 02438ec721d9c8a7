# cline - sessions of Cline: Anthropic messages, as an array (api_conversation_
# history.json) or under "messages", as in a request to Anthropic; older ones
# write calls as XML into the text, and results as user messages.
# units: elements

def anthropic: ._line as $line
  | (if .role == "assistant" then
      (.metrics | obj | {type: "usage", prompt_tokens: tokens(.inputTokens, .cacheReadTokens, .cacheWriteTokens), completion_tokens: tokens(.outputTokens),
        cached_tokens: tokens(.cacheReadTokens), cost: (.cost | amount)}),
      {role: "assistant", content: (.content | content), reasoning: (.content | thoughts), tool_calls: (.content | use_calls),
        meta: {model: ((.modelInfo | o | .id | s) // (.model | s))}}
    elif .role == "user" then
      (.content | use_results),
      (.content | use_rest | select(. != null) | {role: "user", content: .})
    elif .role == "system" then {role: "system", content: (.content | content // "")}
    else left("role \(.role)") end)
  | on($line);

if type == "object" and (.messages | type) == "array" then
  {type: "hamr", v: 1, session: (.sessionId | s), cwd: (.cwd | s), created: ([.messages[] | obj | .ts | time | strings] | first // null), model: ([.messages[] | obj | .modelInfo | o | .id | strings] | first), _line},
  (.system_prompt // .system | text | select(. != null and . != "") | {role: "system", content: .}),
  (.messages[] | obj | anthropic)
else obj | anthropic end

# cohere - Cohere's v2 chat API, and the worked example of an adapter: see
# ADAPTERS in hamr-provider(1).
# base_url: https://api.cohere.com
# models: /v1/models?endpoint=chat
# window: /v1/models/{model}

# One tool is forced by sending no other.
def tools: if (.tool_choice | type) == "object"
  then .tool_choice.function.name as $name | [.tools[] | select(.function.name == $name)]
  else .tools end;

def choice: {required: "REQUIRED", none: "NONE"}[.tool_choice | if type == "object" then "required" else . // "auto" end];

def message:
  if .role == "assistant" then
    {role, content: (if .content == "" then null else .content end), tool_calls,
      tool_plan: (if .tool_calls then .reasoning_content else null end)} | with_entries(select(.value != null))
  elif .role == "tool" then {role, tool_call_id, content}
  else {role, content} end;

def request: {
  method: "POST",
  path: "/v2/chat",
  headers: {"X-Client-Name": "hamr"},
  body: (({model, stream, temperature, max_tokens,
    tools: (tools | if . == [] then null else . end),
    tool_choice: (if .tools == [] then null else choice end)}
    | with_entries(select(.value != null)))
    + .params + {messages: [.messages[] | message]})
};

def window: .context_length;

def finish: {COMPLETE: "stop", STOP_SEQUENCE: "stop", MAX_TOKENS: "length", TOOL_CALL: "tool_calls"}[.] // "stop";

def ended:
  (.usage | select(. != null) | {type: "usage", prompt_tokens: .tokens.input_tokens,
    completion_tokens: .tokens.output_tokens, cached_tokens: .cached_tokens}),
  if .finish_reason == "ERROR" then {type: "error", code: "server", message: (.error // "the model failed")}
  elif .finish_reason == "TIMEOUT" then {type: "error", code: "timeout", message: (.error // "the model took too long")}
  else {finish_reason: (.finish_reason | finish)} end;

def call($c; $index): {kind: "tool_call", index: $index, id: $c.id, name: $c.function.name, arguments: $c.function.arguments};

# A text, a thought, or both in turn.
def part: if .thinking then {kind: "reasoning", text: .thinking} else {kind: "content", text: (.text // "")} end;

def event:
  .delta.message as $m
  | if .type == "content-start" or .type == "content-delta" then $m.content | part
    elif .type == "tool-plan-delta" then {kind: "reasoning", text: $m.tool_plan}
    elif .type == "tool-call-start" or .type == "tool-call-delta" then call($m.tool_calls; .index)
    elif .type == "message-end" then .delta | ended
    elif .type then empty
    # without a stream: the whole answer
    elif .message.role == "assistant" then
      ({kind: "reasoning", text: (.message.tool_plan // "")}),
      (.message.content // [] | .[] | part),
      (.message.tool_calls // [] | to_entries[] | call(.value; .key)),
      ended
    else {type: "error", code: "server", message: (.message // "no message in the answer")} end;

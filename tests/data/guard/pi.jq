# pi.jq - a session of pi as records, for this test.
def part: if .type == "text" then {type, text}
	else {type: "image_url", image_url: {url: (.data // "")}} end;
if .type == "session" then {type: "hamr", v: 1}
elif .type != "message" then empty
else .message
| if .role == "user" then {role, content}
  elif .role == "toolResult" then
	{role: "tool", tool_call_id: .toolCallId, name: .toolName,
	 content: [.content[] | part]}
	+ if .isError then {is_error: true} else {} end
  elif .role == "assistant" then
	{role, content: ([.content[] | select(.type == "text").text] | add)}
	+ ([.content[] | select(.type == "toolCall")
	    | {id, type: "function",
	       function: {name, arguments: (.arguments | tojson)}}]
	   | if . == [] then {} else {tool_calls: .} end)
  else empty end
end

# sharegpt - conversations of turns with "from" and "value".  No ids: a result
# answers the oldest open call.
# units: elements

# A call is JSON in a turn of its own, or inside <tool_call> of an answer.
def one: if type == "object" then call(.id; .name // (.function | o | .name); .arguments // .parameters // (.function | o | .arguments)) else empty end;
def calls_of: (try fromjson catch {name: "unknown", arguments: .}) | if type == "array" then [.[] | one] else [one] end;
def tagged: if test("<tool_call>") then
    [splits("<tool_call>")] | {text: .[0], calls: [.[1:][] | split("</tool_call>")[0] | calls_of[]]}
  else {text: ., calls: []} end;

# A turn may hold the results of several calls.
def results: if startswith("<tool_response>") then
    split("</tool_response>")[] | split("<tool_response>")[1:] | select(. != []) | join("<tool_response>") | ltrimstr("\n") | rtrimstr("\n")
  else . end | result(null; .);

def turn:
  (.value | asis // "") as $v
  | (.from // .role | tostring | ascii_downcase) as $who
  | if ($who | IN("human", "user")) then
      if ($v | startswith("<tool_response>")) then $v | results
      else {role: "user", content: $v} end
    elif $who == "system" then {role: "system", content: $v}
    elif ($who | IN("function_call", "tool_call")) then {role: "assistant", content: null, tool_calls: ($v | calls_of)}
    elif ($who | IN(["observation", "tool", "function_response", "function", "ipython"][])) then $v | results
    else $v | tagged | {role: "assistant", content: .text, tool_calls: (.calls | calls)} end;

def tools: if type == "string" then (try fromjson catch null) else . end
  | if type == "array" and length > 0 and all(.[]; type == "object" and (.name | type) == "string" and (.parameters | type) == "object")
    then {type: "tools", tools: [.[] | {type: "function", function: .}]} else empty end;

if type == "array" then .[] else . end
| obj | select((.conversations | type) == "array") | ._line as $line
| {type: "hamr", v: 1, session: (.id | asis), _line},
  (.tools | tools | on($line)),
  (.system | s | select(. != null and . != "") | {role: "system", content: .} | on($line)),
  (.conversations[] | obj | ._line as $n | turn | on($n))

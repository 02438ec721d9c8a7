# atif - the Agent Trajectory Interchange Format (Harbor, terminal-bench).
# units: elements

# A result says that it failed, or the step says which of its calls did.
def failed($calls): .is_error == true or (.extra | o | .is_error == true) or (.source_call_id as $id | $id != null and any($calls | arr; . == $id));

def step: ._line as $line | (.extra | o | .failed_calls) as $failed
  | (if .source == "system" then {role: "system", content: (.message | content // "")}
    elif .source == "user" then {role: "user", content: (.message | content // "")}
    else
      (.metrics | obj | {type: "usage", prompt_tokens: tokens(.prompt_tokens), completion_tokens: tokens(.completion_tokens), cached_tokens: tokens(.cached_tokens),
        cost: (.cost_usd | amount)}),
      {role: "assistant", content: (.message | content | if . == "" then null else . end), reasoning: (.reasoning_content | s),
        tool_calls: ([.tool_calls | arr | obj | call(.tool_call_id; .function_name; .arguments)] | calls), meta: {model: (.model_name | s)}}
    end),
    (select(.source != "user" or (.observation | type) == "object") | (.tool_calls | type == "array" and length > 0) as $called
      | .observation | o | .results | arr | obj
      | if .source_call_id == null and ($called | not) then {role: "user", content: (.content | content // ""), meta: {by: "context"}}
        else result(.source_call_id; .content) + {is_error: failed($failed)} end)
  | on($line);

# An agent that a call started may have its own trajectory within.
def trajectory: select(.steps | type == "array")
  | {type: "hamr", v: 1, session: (.session_id // .trajectory_id | s), created: ([.steps[] | obj | .timestamp | strings] | first | time), model: ((.agent | o | .model_name | s) // null), cwd: null, _line},
    (._line as $line | .agent | o | .tool_definitions | offered | on($line)),
    (.steps[] | obj | step),
    (.subagent_trajectories | arr | obj | if $sidechains then trajectory else left("side conversation, see import.sidechains"; [.steps | arr] | length) end);

if type == "array" then .[] else . end | obj | trajectory

#!/bin/bash
# prove.t - what hamr-compact promises, proved at every step of small
# recorded sessions, at five windows (compact_oracle.py): requests are legal (J8)
. "$(dirname "$0")/../lib.sh"

oracle() { timeout 120 python3 "$TOP/tests/compact/compact_oracle.py" "$@"; }
proved() {	# name, arguments...
	local name=$1
	shift
	if oracle "$@" >proof; then
		result 0 "$name: $(tail -n 1 proof)"
	else
		result 1 "$name"
		diagnose <proof
	fi
}

# ---- recorded sessions ----

for f in "$TOP"/tests/data/compact/*.ndjson "$TOP"/tests/data/prove/*.ndjson
do
	proved "$(basename "$f")" -s 3 -w 4096,12288,16384,32768,131072 "$f"
done

# ---- a longer one, made up ----

python3 "$TOP/tests/compact/compact_session.py" 60 made >made
proved "a made session" -s 4 -w 5000,8000,12288,16384,32768 made

# ---- rows of messages of one role ----

jq -nc 'def row(r; n): range(n) | {role:r,content:
	"message \(.) in a row, \("with more to say about it " * (. % 9))"};
	def step(i): {role:"assistant",content:null,tool_calls:[{id:"c\(i)",
	type:"function",function:{name:"read",arguments:"{\"path\":\"f\"}"}}]},
	{role:"tool",tool_call_id:"c\(i)",content:("text " * 300)};
	def notes(n): row("user"; n) | . + {meta:{by:"loop"}};
	range(4) | row("user"; 90), row("assistant"; 60), step(.),
	row("user"; 40), step(. + 9), notes(120), row("assistant"; 3),
	step(. + 18), notes(30), step(. + 27), notes(200)' >rows
proved "rows" -s 20 -w 4096,12288,32768 rows

# ---- what tools said stays theirs (S13) ----

# In no system message, and in the summary, which is a user message that says
# what it is, a line of each failed command at most; nor do names make lines.
python3 - <<'X' >canary
import json
def put(**r): print(json.dumps(r))
put(role="system", content="s")
put(role="user", content="do the task")
for i in range(30):
    name, key = [("read", "path"), ("bash", "command"),
        ("search_memory", "query")][i % 3]
    put(role="assistant", content="step %d" % i, tool_calls=[{"id": "c%d" % i,
        "type": "function", "function": {"name": name,
        "arguments": json.dumps({key: "x%d\nCANARY: a name" % i})}}])
    put(role="tool", tool_call_id="c%d" % i, name=name, is_error=i % 3 == 1,
        content="".join("CANARY%d obey, line %d: FAILED\n" % (i, k)
        for k in range(60)), meta={})
X
for window in 3000 6000 12000; do
	hamr-compact -q --no-config -o context.context_budget_tokens=$window \
	    -o context.reserved_output_tokens=500 <canary |
	    jq -c 'select(.type == "request").messages[] |
		del(.tool_calls)' >sent
	is "window of $window: what tools said elsewhere" "$(jq -r '
	    select(.role != "tool") | select(.role == "system" or
	    .role == "assistant" or ([.content | split("\n")[] |
	    select(test("CANARY")) | test("^- x[0-9]+ -> CANARY[0-9]+ obey, line 0")] |
	    all | not)) | tostring | select(test("CANARY"))' sent)" ""
	ok "window of $window: results are sent" grep -q '^{"role":"tool".*CANARY' sent
done

# ---- the oracle itself: broken programs are found ----

mkdir broken
real=$(command -v hamr-compact)
broken() {	# name, what is said, filter for the output lines
	cat >broken/hamr-compact <<X
#!/bin/bash
set -o pipefail
"$real" "\$@" | $3
X
	chmod +x broken/hamr-compact
	PATH=$T/broken:$PATH oracle -s 5 -w 5000 made >found
	match "found: $1" "$(grep -m 1 ": $2:" found)" "made#0: window 5000: *"
}
broken "a result without its call" legal \
	"sed 's/\"tool_call_id\":\"call_3[0-9]\"/\"tool_call_id\":\"nobody\"/'"
broken "a system message in between" legal \
	"sed 's/{\"role\":\"user\",\"content\":\"Go on/{\"role\":\"system\",\"content\":\"Go on/g'"
broken "a prefix that changes" append \
	"awk '{ gsub(/\"content\":\"You are/, \"\\\"content\\\":\\\"\" NR \" You are\"); print }'"
broken "a lost task" kept "sed 's/even\./odd./g'"
broken "an elision nobody was told" told "sed 's/\"elided\":\[.*\],\"window\"/\"elided\":[],\"window\"/'"
broken "a request that does not fit" fits \
	"sed 's/You are a coding agent/&$(printf 'words %.0s' $(seq 1 4000))/'"
broken "chance" same "sed \"s/You are/\$RANDOM &/\""
done_testing

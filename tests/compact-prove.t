#!/bin/bash
# compact-prove.t - what hamr-compact promises, proved at every step of small
# recorded sessions, at five windows (compact_oracle.py)
. "$(dirname "$0")/lib.sh"

oracle() { timeout 120 python3 "$TOP/tests/compact_oracle.py" "$@"; }
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

python3 "$TOP/tests/compact_session.py" 60 made >made
proved "a made session" -s 4 -w 5000,8000,12288,16384,32768 made

# ---- rows of messages of one role ----

jq -nc 'def row(r; n): range(n) | {role:r,content:
	"message \(.) in a row, \("with more to say about it " * (. % 9))"};
	def step(i): {role:"assistant",content:null,tool_calls:[{id:"c\(i)",
	type:"function",function:{name:"read",arguments:"{\"path\":\"f\"}"}}]},
	{role:"tool",tool_call_id:"c\(i)",content:("text " * 300)};
	range(4) | row("user"; 90), row("assistant"; 60), step(.),
	row("user"; 40), step(. + 9), row("assistant"; 3)' >rows
proved "rows" -s 20 -w 4096,12288,32768 rows

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

#!/bin/bash
# MCP servers over streamable HTTP: mcp.NAME.url, hamr-provider --mcp.
. "$(dirname "$0")/../lib.sh"

mkfifo port
python3 "$TOP/tests/extras/mcp_http.py" "$T/log" >port &
server=$!
at_end() { kill "$server"; }
read -r port <port
url=http://127.0.0.1:$port/mcp
mkdir root && cd root && git init -q . || exit 1
tool() {
	hamr-tool --yes -o "mcp.h.url=$url" \
	    -o 'mcp.h.headers=["Authorization: Bearer x"]' "$@"
}

is "its tools are listed" "$(tool --schemas | jq -r '.tools[].function.name |
	select(test("__"))' | paste -sd' ')" "h__echo h__slow h__forget h__large h__expire h__broken h__grow"
is "a call, answered by events" "$(tool h__echo '{"text":"hello"}')" "said: hello"
is "bytes that are not UTF-8" "$(tool h__echo '{"text":"a@b"}' --json |
	jq -c '[.content, .meta.lossy]')" '["said: a�b",true]'
is "the protocol's headers" "$(sort -u ../log)" "DELETE
GET None
initialize None
notifications/initialized 2025-06-18
tools/call 2025-06-18
tools/list 2025-06-18"
is "a long result" "$(tool h__large '{}' --json | jq .meta.bytes)" 3000000
jq -nc '{role: "assistant", content: null, tool_calls: [["c1", "h__slow",
	"{}"], ["c2", "h__broken", "{\"retry\":20000}"], ["c3", "h__echo",
	"{\"text\":\"next\"}"] | {id: .[0], type: "function",
	function: {name: .[1], arguments: .[2]}}]}' |
	tool -n -o mcp.h.timeout=1 >out
is "timeouts are told to the server" "$(jq -r '.meta.error // empty' out |
	xargs) $(grep -c cancelled ../log)" "timeout timeout 2"
is "... and do not hold up the next call" "$(jq -r \
	'select(.tool_call_id == "c3").content // empty' out)" "said: next"
match "no token" "$(hamr-tool --yes -o "mcp.h.url=$url" h__echo '{}' 2>&1)" \
	"*status 401: no token; it requires a token; set headers or token_command*"
is "an answer that breaks off goes on" "$(tool h__broken '{}') $(grep -c \
	'GET broken-2' ../log)" "whole 2"
is "a session that is forgotten begins anew" "$(tool h__forget '{}')" \
	"said: None"
match "no server" "$(hamr-tool --yes -o "mcp.h.url=http://127.0.0.1:9/" \
	h__echo '{}' 2>&1)" "*nothing is listening there*"
match "a web page" "$(tool -o "mcp.h.url=${url%mcp}page" h__echo '{}' 2>&1)" \
	"*the answer is not one of an MCP server; check the url*"
status "not a URL" 2 hamr-provider --mcp file:///etc/passwd
until_there() { for _ in $(seq 300); do grep -q "$1" "$2" && return
	sleep .1; done; }
: >out
{ echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"forget","arguments":{}}}'
echo '{"jsonrpc":"2.0","id":3,"method":"tools/list"}'
until_there 32001 out; } | MCP_HEADERS="Authorization: Bearer x" hamr-provider \
    --no-config --mcp "$url" >out 2>err
is "a session that is forgotten" "${PIPESTATUS[1]} $(jq -c '[.id, .error.code]' out |
	paste -sd' ')" "69 [1,null] [null,null] [2,null] [3,-32001]"

# --- told without being asked
: >../log
: >out
{ echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'\
'"protocolVersion":"2025-06-18"}}'
echo '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
until_there GET ../log
echo '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"h__grow"}}'
until_there list_changed out; } | tool --mcp >out
is "a call is answered, and other tools are told on, while nothing comes" \
	"$(jq -c '[.id, .method]' out | tail -n 2 | paste -sd' ')" \
	'[3,null] [null,"notifications/tools/list_changed"]'

: >../log
: >out
{ echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}'
until_there notifications/message out
echo '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"grow"}}'
for id in 3 2; do echo '{"jsonrpc":"2.0","method":"notifications/cancelled",'\
'"params":{"requestId":'$id'}}'; done
echo '{"jsonrpc":"2.0","id":4,"method":"tools/list"}'
until_there '"id": 4' out; } | MCP_HEADERS="Authorization: Bearer x" \
	hamr-provider --no-config --mcp "$url" >out
is "a call that is cancelled while it waits is not made" "$(grep -c tools/call \
	../log) $(jq -c .id out | paste -sd' ')" "1 1 null 4"

# --- a token from a command
cat >../token <<'EOF'
#!/bin/sh
echo "asked" >>"$0.log"
if [ "$(wc -l <"$0.log")" = 1 ]; then echo x; else echo y; fi
EOF
chmod +x ../token
fresh() { hamr-tool --yes -o "mcp.h.url=$url" \
	-o "mcp.h.token_command=[\"$T/token\"]" "$@"; }
is "one that is too old is asked for again" "$(fresh h__expire '{}') $(
	wc -l <../token.log)" "said: None 2"
match "one that is refused" "$(tool h__echo '{}' 2>&1)" "*status 401*"
match "none" "$(hamr-tool --yes -o "mcp.h.url=$url" -o \
	'mcp.h.token_command=["false"]' h__echo '{}' 2>&1)" \
	"*h is not running: token_command: false did not print a token*"
match "nor does an empty line hold one" "$(hamr-tool --yes \
	-o "mcp.h.url=$url" -o 'mcp.h.token_command=["echo"]' h__echo '{}' \
	2>&1)" "*token_command: echo did not print a token*"
for bad in 'no colon' 'X: 1\r\nY: 2'; do
	match "not a header: $bad" "$(tool -o "mcp.h.headers=[\"A: b\",
		\"$bad\"]" h__echo '{}' 2>&1)" \
		'*headers: entry 2 must be written as "Name: value"*'
done

done_testing

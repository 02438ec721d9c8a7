#!/bin/bash
# MCP servers over streamable HTTP: mcp.NAME.url, hamr-provider --mcp.
. "$(dirname "$0")/lib.sh"

mkfifo port
python3 "$TOP/tests/mcp_http.py" "$T/log" >port &
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
	select(test("__"))' | paste -sd' ')" "h__echo h__slow h__forget h__large"
is "a call, answered by events" "$(tool h__echo '{"text":"hello"}')" "said: hello"
is "the protocol's headers" "$(sort -u ../log)" "DELETE
initialize None
notifications/initialized 2025-06-18
tools/call 2025-06-18
tools/list 2025-06-18"
is "a long result" "$(tool h__large '{}' --json | jq .meta.bytes)" 3000000
tool -o mcp.h.timeout=1 h__slow '{}' --json >out
is "a timeout is told to the server" "$(jq -r .meta.error out) $(
	grep -c cancelled ../log)" "timeout 1"
match "no token" "$(hamr-tool --yes -o "mcp.h.url=$url" h__echo '{}' 2>&1)" \
	"*status 401: no token*"
match "no server" "$(hamr-tool --yes -o "mcp.h.url=http://127.0.0.1:9/" \
	h__echo '{}' 2>&1)" "*nothing is listening there*"
status "not a URL" 2 hamr-provider --mcp file:///etc/passwd
{ echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"forget","arguments":{}}}'
echo '{"jsonrpc":"2.0","id":3,"method":"tools/list"}'
sleep 5; } | MCP_HEADERS="Authorization: Bearer x" hamr-provider --no-config \
    --mcp "$url" >out 2>err
is "a session that is forgotten" "${PIPESTATUS[1]} $(jq -c '[.id, .error.code]' out |
	paste -sd' ')" "69 [1,null] [null,null] [2,null] [3,-32603]"

done_testing

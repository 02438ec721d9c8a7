#!/bin/bash
# check.t - the official MCP servers against hamr-tool, and the official SDK's
# client against hamr-tool --mcp.  Run by make mcp-check, which has fetched
# them into $MCP; never part of make check.
. "$(dirname "$0")/../lib.sh"
unset HAMR_BIN

mkdir -p root/src && cd root || exit 1
git init -q .
printf 'int one;\n' >src/a.c
servers=${MCP:?}/node_modules/.bin
PATH=$servers:$PATH
tool() {
	hamr-tool --yes -o "mcp.ev.command=[\"$servers/mcp-server-everything\"]" \
	    -o "mcp.fs.command=[\"$servers/mcp-server-filesystem\",\"$T/root\"]" \
	    "$@"
}

# --- our client
tool --schemas >tools
is "both are listed" "$(jq -c '[.tools[].function.name |
	select(test("__")) | split("__")[0]] | unique' tools)" '["ev","fs"]'
ok "every schema is an object" jq -e 'all(.tools[].function.parameters;
	.type == "object")' tools
is "echo" "$(tool ev__echo '{"message":"hello"}')" "Echo: hello"
is "a number given as text" "$(tool ev__get-sum '{"a":"5","b":2}')" \
	"The sum of 5 and 2 is 7."
is "an image" "$(tool ev__get-tiny-image '{}' --json |
	jq -r '[.content[] | .type + (.image_url.url // "")[:22]] | join(" ")')" \
	"text image_urldata:image/png;base64,"
match "links come as JSON" "$(tool ev__get-resource-links '{"count":2}')" \
	'*"type":"resource_link"*'
status "arguments are checked" 1 tool ev__get-sum '{"a":"x","b":2}'
match "and told" "$(cat "$T/.out")" "bad arguments for ev__get-sum: a must be *"
is "a file is read" "$(tool fs__read_text_file "{\"path\":\"$T/root/src/a.c\"}")" \
	"int one;"
status "not outside" 1 tool fs__read_text_file '{"path":"/etc/passwd"}'
match "the server's words" "$(cat "$T/.out")" "Access denied*"
ok "a file is written" tool fs__write_file \
	"{\"path\":\"$T/root/new\",\"content\":\"text\"}"
is "it is there" "$(cat new)" text
tool fs__list_directory "{\"path\":\"$T/root\"}" >list
match "a folder is listed" "$(cat list)" "*\[DIR\] src*"
is "a timeout" "$(tool -o mcp.ev.timeout=1 ev__trigger-long-running-operation \
	'{"duration":20,"steps":2}' --json | jq -c '[.is_error, .meta.error]')" \
	'[true,"timeout"]'

# --- a memory, in a folder that it may write to
memory() {
	hamr-tool --yes -o "mcp.m.writable=[\"$T/memory\"]" \
	    -o "mcp.m.command=[\"$servers/mcp-server-memory\"]" \
	    -o "mcp.m.env=[\"MEMORY_FILE_PATH=$T/memory/graph\"]" "$@"
}
memory m__create_entities \
	'{"entities":[{"name":"a.c","entityType":"file","observations":["x"]}]}' >made
ok "the next process knows" grep -q '"name":"a.c"' <(memory m__read_graph '{}' |
	jq -c .)

# --- much, a kill, a cancel
head -c 50000000 /dev/zero | tr '\0' x >large
is "50 MB are refused" "$(tool fs__read_text_file \
	"{\"path\":\"$T/root/large\"}" --json | jq -r .meta.error)" too_large
head -c 3000000 large >part
is "3 MB are cut, the whole is kept" "$(tool fs__read_text_file \
	"{\"path\":\"$T/root/part\"}" --json | jq -c '[.meta.truncated,
	(.meta.output_file != null), (.content | length < 100000)]')" \
	'[true,true,true]'
rm large part
cat >"$T/every" <<X
#!/bin/sh
echo \$\$ >>"$T/pids"
exec "$servers/mcp-server-everything"
X
chmod +x "$T/every"
resident() {	# starts it; a call of that runs 5 s
	rm -f "$T/in" "$T/pids"
	mkfifo "$T/in"
	hamr-tool -r --yes -o "mcp.e.command=[\"$T/every\"]" \
		-o mcp.e.sandbox=false <"$T/in" >"$T/out" 2>"$T/err" &
	exec 7>"$T/in"
	{ echo '{"type":"sync","n":1}'
	jq -cn '{role: "assistant", content: null, tool_calls: [{id: "c",
		type: "function", function: {
		name: "e__trigger-long-running-operation",
		arguments: "{\"duration\":5,\"steps\":5}"}}]}'
	echo '{"type":"go","n":2}'; } >&7
	until_says '"start"'
	jq -c 'select(.type == "start")' "$T/out" >&7
	sleep 2
}
until_says() {
	for _ in $(seq 300); do
		! grep -q "$1" "$T/out" || return 0
		sleep .1
	done
	return 1
}
resident
kill -9 "$(cat "$T/pids")"
ok "killed in mid-call" until_says '"go"'
match "... it is started again and asked again" "$(wc -l <"$T/pids") $(jq -r \
	'select(.role).content' "$T/out")" "2 Long running operation completed*"
exec 7>&-
wait $!
resident
begun=$SECONDS
echo '{"type":"cancel"}' >&7
ok "cancelled" until_says '"go"'
is "... at once, and answered" "$((SECONDS - begun < 3 * SLOWER)) $(jq -r \
	'select(.role).meta.error' "$T/out")" "1 interrupted"
exec 7>&-
wait $!

# --- slow to start: npx fetches it first; and one that is not there
npx() { hamr-tool --yes -o mcp.n.network=true -o \
	"mcp.n.command=[\"npx\",\"-y\",\"$1\"]" n__echo '{"message":"hi"}'; }
is "fetched in the sandbox" "$(npx @modelcontextprotocol/server-everything)" \
	"Echo: hi"
match "why it cannot be" "$(npx @modelcontextprotocol/server-not-there 2>&1)" \
	"*npm error 404*"

# --- over HTTP
PORT=$(python3 -c 'import socket; s = socket.socket()
s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export PORT
mcp-server-everything streamableHttp >"$T/http" 2>&1 &
http=$!
for _ in $(seq 300); do
	curl -s "http://127.0.0.1:$PORT/mcp" >"$T/none" && break
	sleep .1
done
over() { hamr-tool --yes -o "mcp.h.url=http://127.0.0.1:$PORT/mcp" "$@"; }
is "a call" "$(over h__get-sum '{"a":1,"b":4}')" "The sum of 1 and 4 is 5."
is "its progress" "$(over --stream --json \
	h__trigger-long-running-operation '{"duration":1,"steps":2}' |
	jq -r 'select(.type == "output") | .text' | paste -sd' ')" \
	"1 of 2  2 of 2 "
kill "$http"
wait "$http"	# until then it may still accept
match "killed" "$(over h__echo '{"message":"x"}' 2>&1)" \
	"*nothing is listening there*"

# --- a browser's, as far as its tools
is "playwright's tools" "$(hamr-tool --schemas -o \
	"mcp.p.command=[\"$servers/playwright-mcp\",\"--headless\"]" |
	jq 'any(.tools[].function.name; . == "p__browser_navigate")')" true

# --- the official client
cp "$TOP/tests/mcp/client.mjs" "$MCP/client.mjs"
timeout 60 node "$MCP/client.mjs" "$T/root" >"$T/said" 2>"$T/err"
is "the client ends well" "$? $(cat "$T/err")" "0 "
is "what it saw" "$(cat "$T/said")" "server hamr-tool
tool read object true
tool edit object false
tool write object false
tool bash object false
ping
unread error
read fine src/a.c lines 1-1 of 1
edit fine
bash error exit 3
nonsense -32602
cancelled
after it fine exit 0
at once true"
is "the edit was made" "$(cat src/a.c)" "int two;"
done_testing

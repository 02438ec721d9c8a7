#!/bin/bash
# mcp-server.t - hamr-tool --mcp: our tools for any MCP client.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/quote.sh"
unset HAMR_BIN

mkdir "$T/root" "$T/plug"
cd "$T/root" || exit 1
printf 'one\ntwo\n' >f
serve() { hamr-tool --mcp "$@"; }
init='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{'\
'"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t",'\
'"version":"1"}}}'
ready='{"jsonrpc":"2.0","method":"notifications/initialized"}'
call() {	# ID NAME ARGS
	quote "$2"
	printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":%s}\n' \
	    "$1" "{\"name\":$quoted,\"arguments\":${3//$'\n'/ }}"
}
calls() {	# [OPTIONS --] ID NAME ARGS...: the answers, as [id, text, isError]
	local opts=()
	while [ "$1" != -- ]; do opts+=("$1"); shift; done
	shift
	{ echo "$init"; echo "$ready"
	while [ $# -gt 0 ]; do call "$1" "$2" "$3"; shift 3; done; } |
	    serve "${opts[@]}" | sed 1d | jq -c '[.id, .result.content[0].text,
	    .result.isError // false, .error.code // empty]'
}

# --- the start
is "initialize" "$(serve <<<"$init")" '{"jsonrpc":"2.0","id":0,"result":{'\
'"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{'\
'"name":"hamr-tool","version":"0.1.0"}}}'
version() { sed "s/2025-06-18/$1/" <<<"$init" | serve |
	jq -r .result.protocolVersion; }
is "an older version" "$(version 2024-11-05)" 2024-11-05
is "a version unknown: the newest that is known" "$(version 2026-07-28)" \
	2025-11-25
is "a notification is not answered" "$(serve <<<"$ready")" ""
is "ping" "$(serve <<<'{"jsonrpc":"2.0","id":"x","method":"ping"}')" \
	'{"jsonrpc":"2.0","id":"x","result":{}}'
status "ends at end of input" 0 sh -c 'hamr-tool --mcp </dev/null'
is "says nothing then" "$(cat "$T/.out" "$T/.err")" ""

# --- tools
serve <<<'{"jsonrpc":"2.0","id":1,"method":"tools/list"}' >list
is "the tools of --schemas" "$(jq -c '[.result.tools[] | [.name, .description,
	.inputSchema]]' list)" "$(hamr-tool --schemas | jq -c '[.tools[].function
	| [.name, .description, .parameters]]')"
is "which only read" "$(jq -c '[.result.tools[] |
	select(.annotations.readOnlyHint) | .name]' list)" \
    '["read","view_image","search_memory"]'
cp "$TOP/examples/hamr-tool-count" "$T/plug"
is "plug-ins, too" "$(PATH=$T/plug:$PATH serve -o 'tools.plugins=["count"]' \
	<<<'{"jsonrpc":"2.0","id":1,"method":"tools/list"}' |
	jq -r '.result.tools[-1].name')" count
is "and their calls" "$(PATH=$T/plug:$PATH calls -o \
	'tools.plugins=["count"]' -- 1 count '{"path":"f","text":"o"}')" \
	'[1,"2\n",false]'
is "other servers' tools" "$(calls --yes -o "mcp.s.command=[\"python3\",\"$TOP/tests/extras/mcp_server.py\"]" \
	-- 1 s__echo '{"text":"passed on"}')" '[1,"passed on",false]'
is "an image of theirs" "$({ echo "$init"; call 1 s__image '{}'; } | serve \
	--yes -o "mcp.s.command=[\"python3\",\"$TOP/tests/extras/mcp_server.py\"]" |
	jq -c 'select(.id == 1) | [.result.content[].type,
	.result.content[1].mimeType]')" '["text","image","image","image/png"]'

is "how far a call is" "$({ echo "$init"; jq -c '.params._meta =
	{progressToken: "p"}' <<<"$(call 1 bash \
	'{"command":"echo a; echo b; sleep .5; echo c"}')"; } | serve --yes |
	jq -c 'select(.method) | [.method, .params.progressToken,
	.params.progress, .params.message]' | tail -n 1)" \
	'["notifications/progress","p",2,"c"]'
is "how far theirs is, too" "$({ echo "$init"; jq -c '.params._meta =
	{progressToken: 7}' <<<"$(call 1 s__step '{}')"; } | serve --yes \
	-o "mcp.s.command=[\"python3\",\"$TOP/tests/extras/mcp_server.py\"]" |
	jq -c 'select(.method) | .params' | head -n 1)" \
	'{"progressToken":7,"progress":1,"message":"1 of 2: halfway"}'
is "tools that change are told" "$({ echo "$init"; call 1 s__grow '{}'
	echo '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
	call 3 s__grow '{}'; timeout 9 sh -c 'until grep -qs list_ch grown
	do sleep .05; done'; } | serve --yes \
	-o "mcp.s.command=[\"python3\",\"$TOP/tests/extras/mcp_server.py\"]" |
	tee grown | jq -c '.method // .id' | paste -sd' ')" \
	'0 1 2 3 "notifications/tools/list_changed"'
is "the same tools again are not" "$({ echo "$init"
	echo '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'; sleep 1; } |
	serve -o "mcp.s.command=[\"python3\",
	\"$TOP/tests/extras/mcp_server.py\",\"restless\"]" |
	jq -c '.method // .id' | head -n 9 | paste -sd' ')" '0 2'
match "nor is a server that tells of new ones at each list asked without a rest" \
	"$({ echo "$init"
	echo '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'; sleep 1; } |
	serve -o "mcp.s.command=[\"python3\",
	\"$TOP/tests/extras/mcp_server.py\",\"novel\"]" |
	jq -c '.method // .id' | head -n 9 | wc -l)" "[234]"

# --- calls
is "read" "$(calls -- 1 read '{"path":"f"}')" \
	'[1,"f lines 1-2 of 2\n     1\tone\n     2\ttwo\n",false]'
is "aliases" "$(calls -- '"a"' read '{"file":"f","limit":1}' |
	jq -c '[.[0], .[1][:8]]')" '["a","f lines "]'
edit='{"path":"f","old":"one","new":"1"}'
is "an edit of what was not read" "$(calls --yes -- 1 edit "$edit" |
	jq -c '.[2]')" true
is "proof is kept per connection" "$(calls --yes -- 1 read '{"path":"f"}' \
	2 edit "$edit" | jq -c '[.[0], .[2]]')" '[1,false]
[2,false]'
is "made" "$(head -n 1 f)" 1
is "without --yes it is a preview" "$(calls -- 1 read '{"path":"f"}' 2 edit \
	'{"path":"f","old":"two","new":"2"}' | sed -n 2p | jq -c \
	'[.[2], (.[1] | test("\\+2"))]')" '[true,true]'
is "not made" "$(tail -n 1 f)" two
is "bash" "$(calls --yes -- 1 bash '{"command":"echo a; exit 4"}')" \
	'[1,"exit 4\na\n",true]'
is "the mode counts" "$(calls --yes --mode read-only -- 1 write \
	'{"path":"n","content":"x"}' | jq -c '.[2]')" true
ok "nothing is written" test ! -e n
is "arguments absent" "$({ echo '{"jsonrpc":"2.0","id":1,"method":'\
'"tools/call","params":{"name":"read"}}'; } | serve | jq -c \
	'[.result.isError, (.result.content[0].text | .[:22])]')" \
	'[true,"bad arguments for read"]'
is "the reads of many turns" "$(seq 3000 | sed 's/^/a long line of text /' \
	>long; args=(); for i in 1 2 3 4 5 6 7 8; do
	args+=("$i" read '{"path":"long"}'); done
	calls -- "${args[@]}" | jq -c '.[1] | length > 10000' | sort | uniq -c |
	tr -s ' ')" " 8 true"
is "hooks see them" "$(calls --yes -o 'hooks.before_tool=["sh", "-c",
"cat >&2; echo no; exit 1"]' -- 1 bash '{"command":"touch hooked"}' 2>/dev/null)" \
	'[1,"no",true]'
ok "and refuse" test ! -e hooked
is "hooks change them" "$(calls --yes -o 'hooks.after_tool=["jq","-c",
".content |= ascii_upcase"]' -- 1 bash '{"command":"echo a"}')" \
	'[1,"EXIT 0\nA\n",false]'
is "a hook that fails spoils nothing" "$(calls --yes -o \
	'hooks.after_tool=["false"]' -- 1 bash '{"command":"echo a"}')" \
	'[1,"exit 0\na\n",false]'

# --- what is wrong
err() {	# NAME LINE [ID, CODE]
	is "$1" "$(serve <<<"$2" | jq -c '[.id, .error.code]')" "$3"
}
err "no JSON" '{"jsonrpc":' '[null,-32700]'
err "bad UTF-8, with its id" \
	"$(printf '{"jsonrpc":"2.0","id":1,"method":"\377"}')" '[1,-32700]'
err "and NUL" "$(call 1 read '{"path":"a\u0000b"}')" '[1,-32700]'
err "a key twice" '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}' \
	'[null,-32700]'
err "no request" '{"id":5}' '[5,-32600]'
err "a scalar" '7' '[null,-32600]'
err "an id that is none" '{"jsonrpc":"2.0","id":{},"method":"ping"}' \
	'[null,-32600]'
err "a method unknown" '{"jsonrpc":"2.0","id":1,"method":"resources/list"}' \
	'[1,-32601]'
err "no version" '{"jsonrpc":"2.0","id":1,"method":"initialize"}' \
	'[1,-32602]'
err "no name" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}' \
	'[1,-32602]'
err "no such tool" "$(call 1 nonsense '{}')" '[1,-32602]'
err "arguments that are none" '{"jsonrpc":"2.0","id":1,"method":"tools/call",'\
'"params":{"name":"read","arguments":[]}}' '[1,-32602]'
err "a cursor" '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{'\
'"cursor":"x"}}' '[1,-32602]'
err "an empty batch" '[]' '[null,-32600]'
is "an answer to nothing" "$(serve <<<'{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}')" ""
is "a batch" "$(serve <<<'[{"jsonrpc":"2.0","id":1,"method":"ping"},
	7,{"jsonrpc":"2.0","method":"x"}]' | head -n 1 | jq -c .error.code)" \
	-32700
is "a batch on a line" "$(serve <<<'[{"jsonrpc":"2.0","id":1,"method":'\
'"ping"},7,{"jsonrpc":"2.0","method":"x"},'"$(call 2 read '{"path":"f"}')"']' |
	jq -c '[.[] | [.id, .error.code]]')" '[[1,null],[null,-32600],[2,null]]'
is "blank lines and CR" "$(printf '\r\n\n%s\r\n' \
	'{"jsonrpc":"2.0","id":1,"method":"ping"}' | serve)" \
	'{"jsonrpc":"2.0","id":1,"result":{}}'
is "a last line without its end, whole and torn" "$(for n in 40 39; do
	printf '%s\n%.*s' "$init" $n '{"jsonrpc":"2.0","id":1,"method":"ping"}' |
	    serve | jq -c '[.id, .error.code]'; done | paste -sd' ')" \
    '[0,null] [1,null] [0,null] [null,-32700]'
{ head -c 70000000 /dev/zero | tr '\0' x; echo; echo "$init"; } | serve >big
is "a line too long" "$(jq -c '[.id, .error.code]' big)" '[null,-32600]
[0,null]'
head -c 300000 /dev/urandom >noise
{ cat noise; echo; echo "$init"; } | serve | tail -n 1 >out
is "survives noise" "$(jq -r .result.serverInfo.name out)" hamr-tool
ok "answers are JSON, whatever comes" sh -c 'hamr-tool --mcp <noise |
	jq -e . >/dev/null'
plugin=$T/plug/hamr-tool-bad
printf '#!/bin/sh\necho no\n' >"$plugin"
chmod +x "$plugin"
is "a broken plug-in" "$(printf '%s\n' \
	'{"jsonrpc":"2.0","id":1,"method":"tools/list"}' "$(call 2 bad '{}')" \
	"$(call 3 read '{"path":"f"}')" |
	serve -o "tools.plugins=[\"$plugin\"]" |
	jq -c '[.id, .error.code, .result.isError]')" \
	'[1,-32603,null]
[2,-32603,null]
[3,null,false]'

# --- while a call runs
coproc SERVER { exec hamr-tool --mcp --yes; }
exec {to}>&"${SERVER[1]}" {from}<&"${SERVER[0]}"
eval "exec ${SERVER[1]}>&- ${SERVER[0]}<&-"
server_pid=$SERVER_PID
say() { printf '%s\n' "$@" >&"$to"; }
hear() { line=; IFS= read -r -t "${1:-60}" -u "$from" line; }
say "$init" "$ready"
hear
say "$(call 1 bash '{"command":"sleep 335.1"}')"
sleep .4
say '{"jsonrpc":"2.0","id":2,"method":"ping"}' "$(call 3 read '{"path":"f"}')" \
    "$(call 4 bash '{"command":"touch four"}')"
hear
is "ping is answered at once" "$line" '{"jsonrpc":"2.0","id":2,"result":{}}'
say '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}' \
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}' \
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
hear
is "cancelled: the next is answered" "$(jq -c .id <<<"$line")" 3
ok "the command was ended" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null |
	tr "\0" " " | grep -q "sleep 335[.]1"'
say '{"jsonrpc":"2.0","id":5,"method":"ping"}'
hear
is "a request that waited can be taken back" "$(jq -c .id <<<"$line")" 5
ok "it was not run" test ! -e four
{ call 9 bash '{"command":"echo x >nine"}'
	echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{'\
'"requestId":9}}'; call 10 bash '{"command":"echo x >ten"}'; } >"$T/at-once"
cat "$T/at-once" >&"$to"	# in one write
hear
is "one cancelled at once is not run, nor does the next suffer" "$(jq -r \
	'.result.content[0].text' <<<"$line"; ls nine ten 2>/dev/null)" \
	"exit 0; changed: ten"$'\n'ten
rm ten
say "$(call 7 bash '{"command":"sleep 335.1"}')"
for i in 1 2 3; do	# 30 MB each, 64 MiB may wait
	{ printf '{"jsonrpc":"2.0","id":"w","method":"tools/call","params":"'
	head -c 30000000 /dev/zero | tr '\0' x; echo '"}'
	echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{'\
'"requestId":"w"}}'; } >&"$to"
done
yes '{"jsonrpc":"2.0","method":"notifications/x"}' | head -n 10001 >&"$to"
say "$(call 8 read '{"path":"f"}')" '{"jsonrpc":"2.0","method":'\
'"notifications/cancelled","params":{"requestId":7}}'
hear
is "neither what was taken back nor a notification counts as waiting" \
    "$(jq -c '[.id, .error.message]' <<<"$line")" '[8,null]'
say "$(call 6 bash '{"command":"sleep .5; echo done"}')"
sleep .1
exec {to}>&-
hear
is "end of input: what was asked is answered" "$(jq -r \
	'.result.content[0].text' <<<"$line")" "exit 0
done"
wait "$server_pid"
is "then it ends" "$?" 0
exec {from}<&-
{ echo "$init"; call 1 bash '{"command":"sleep 335.2"}'; sleep 1; } |
    serve --yes | head -n 1 >/dev/null
ok "a client that is gone ends its call" sh -c '! cat /proc/[0-9]*/cmdline \
	2>/dev/null | tr "\0" " " | grep -q "sleep 335[.]2"'
done_testing

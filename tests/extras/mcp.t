#!/bin/bash
# mcp.t - tools of MCP servers: good ones, and all that servers do wrong.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

# without what a machine adds to Python, which takes as long to start
server='"python3","-S","-E","'$TOP/tests/extras/mcp_server.py'"'
mcp() {	# MODE ARGS...: hamr-tool with one server, s
	local mode=$1
	shift
	hamr-tool --yes -o "mcp.s.command=[$server,${mode// /,}]" "$@"
}
m() { mcp "\"$1\"" "${@:2}"; }
once() { m "$1" "s__$2" "${3:-{\}}" "${@:4}"; }
facts() { jq -c '[.content, .is_error, .meta.error]'; }
# ours: how many tools there are without one
ours=$(hamr-tool --schemas | jq '.tools | length')
since() { echo $((($(date +%s%N) - $1) / 1000000)); }

# --- a good one
m good --schemas >tools
is "its tools, behind ours" "$(jq -c '[.tools[].function.name |
	select(test("^s__"))] | .[:3]' tools)" \
	'["s__echo","s__image","s__kinds"]'
is "description and schema" "$(jq -c '.tools[] | .function |
	select(.name == "s__echo") | [.description, .parameters]' tools)" \
	'["the tool echo",{"type":"object","properties":{"text":{"type":'\
'"string"},"n":{"type":"integer"}},"required":["text"]}]'
is "text" "$(once good echo '{"text":"a\nb"}')" "a
b"
is "arguments over several lines" \
    "$(once good echo "$(printf '{"text":"a","l":[1,\n2]}')")" a
call bad s__echo '{"text":5}' numbers s__echo '{"text":"x","n":"5"}' \
	image s__image '{}' images s__images '{}' kinds s__kinds '{}' \
	fail s__fail '{}' refuse s__refuse '{}' structured s__structured '{}' \
	lossy s__bad '{}' escape s__escape '{}' big s__big '{}' \
	seen s__seen '{}' | m good -n >out
said() { jq -c --arg id "$1" 'select(.role and .tool_call_id == $id)' out; }
is "arguments are checked" "$(said bad | facts | cut -c 1-50)" \
	'["bad arguments for s__echo: text must be a string'
is "decimal strings, null" "$(said numbers | jq -r .content)" x
is "an image" "$(said image | jq -c '.content | [.[].type]')" \
	'["text","image_url","image_url"]'
is "by its bytes, whatever the server says" "$(said image |
	jq -c '.content | [.[2].image_url.url[:30], .[0].text]')" \
	'["data:image/png;base64,iVBORw0K","look\n[an image that is not shown: '\
'its data is not valid base64]\n"]'
is "bad images are text" "$(said images | jq -r .content |
	sed 's/.*shown: //' | uniq -c | sed 's/^ *//')" \
"5 its data is not valid base64]
2 it is not a PNG, JPEG, GIF or WebP image]
1 its data is not valid base64]
1 it is larger than 3750000 bytes]"
match "not for a model without eyes" "$(m good -o provider.vision=false \
	s__image '{}' --json | jq -c .content)" \
	'"look\\n\[image/png, * bytes; the model does not see images\]*"'
is "other kinds as JSON" "$(said kinds | jq -r .content)" \
'{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
{"type": "resource", "resource": {"uri": "file:///x", "text": "y"}}
{"type": "new"}
5'
is "isError" "$(said fail | facts)" '["it did not work",true,null]'
is "an error of the protocol, cleaned" "$(said refuse | facts)" \
	'["s__refuse: these are wrong (error -32602 of the MCP server s)",true,'\
'"bad_arguments"]'
is "structured content" "$(said structured | jq -r .content)" '{"a": 1.5}'
is "cleaned bytes" "$(said lossy | jq -c '[.content, .meta.lossy]')" \
	'["a�b��c",true]'
is "no sequence for a terminal" "$(said escape | jq -r .content)" abc
is "the cap, and the whole in a file" "$(said big | jq -c \
	'[(.content | length < 60000), .meta.truncated, .meta.bytes]')" \
	'[true,true,588889]'
is "cwd and environment" "$(GIVEN=g HIDDEN=h m good -o \
	'mcp.s.env=["GIVEN","SET=s"]' s__where '{}' | jq -c '.[:4]')" \
	"[\"$(pwd -P)\",\"g\",\"s\",null]"
is "what it was told first" "$(said seen | jq -c '.content | fromjson |
	[.[0][0], (.[0][1] | keys), .[1]]')" '["initialize",["capabilities",'\
'"clientInfo","protocolVersion"],["notifications/initialized",{}]]'
is "in a transcript" "$(call c1 s__echo '{"text":"hi"}' | m good -n |
	no_checkpoint | jq -c '[.type // .role, .tool_call_id, .content]')" \
	'["start","c1",null]
["tool","c1","hi"]'
is "started for its own tools only" "$(m exits read '{"path":"."}' 2>&1 |
	head -n 1)" "$(hamr-tool read '{"path":"."}' | head -n 1)"
is "pages" "$(m pages --schemas | jq -c '.tools | length')" \
	"$(jq -c '.tools | length' tools)"
is "switched off" "$(m good -o mcp.s.enabled=false --schemas |
	jq '.tools | length')" "$ours"
is "two servers" "$(m good -o "mcp.other.command=[$server]" \
	--schemas | jq -c '[.tools[].function.name | select(test("__echo"))]
	| sort')" '["other__echo","s__echo"]'

# --- configuration
status "no command" 78 hamr-tool -o mcp.s.enabled=true read '{"path":"."}'
match "says so" "$(cat "$T/.err")" "*mcp.s.command is empty*"
is "no such program" "$(hamr-tool -o 'mcp.s.command=["/no/such"]' --yes \
	s__x '{}' --json 2>/dev/null | facts | cut -c 1-40)" \
	'["the MCP server s is not running: /no/s'
mkdir -p .hamr
printf '[mcp.s]\ncommand = ["touch", "%s/hooked"]\n' "$T" >.hamr/config.toml
hamr-tool --schemas >out 2>&1
ok "never from the repository" test ! -e "$T/hooked"
rm -r .hamr

# --- names
m names --schemas >tools
is "names" "$(jq -r '.tools[].function.name | select(test("^s__"))' tools |
	sed 's/xxxx*/X/')" "s__a_b
s__a_b_2
s__X
s__X_2
s__same
s____mlaut"
is "of 64 at most" "$(jq '[.tools[].function.name | length] | max' tools)" 64
ok "of letters that all take" jq -e 'all(.tools[].function.name;
	test("^[A-Za-z0-9_-]+$"))' tools
m schemas --schemas >tools
is "bad schemas are none" "$(jq -c '[.tools[].function |
	select(.name | test("^s__(array|null|none|deep|huge)$")) |
	.parameters] | unique' tools)" '[{"type":"object","properties":{}}]'
is "a type is added" "$(jq -c '.tools[].function |
	select(.name == "s__untyped") | .parameters' tools)" \
	'{"type":"object","properties":{"p":{}}}'
is "all are there" "$(jq '[.tools[].function.name |
	select(test("^s__"))] | length' tools)" 8
is "descriptions have an end" "$(jq '.tools[] | .function |
	select(.name == "s__long") | .description | length' tools)" 4096
is "an odd schema refuses nothing" "$(once schemas odd '{"a":1}')" '{"a": 1}'
# shellcheck disable=SC2046  # words are meant
call $(for i in {0..10}; do
	echo "c$i s__t$i {\"a\":1,\"\":[{}]}"; done) >calls
m odd-schemas -n <calls >out 2>err
is "what is not understood is not checked" "$? $(said_in err) $(jq -r \
	'select(.role) | .content' out | sort | uniq -c | sed 's/^ *//')" \
	'0  11 {"a": 1, "": [{}]}'
is "what is understood is" "$(m odd-schemas -n < <(call c1 s__t10 \
	'{"a":"007"}' c2 s__t10 '{"a":"7"}' c3 s__t9 '{}') |
	jq -r 'select(.role) | .content')" 'bad arguments for s__t10: a must be '\
'a number; wanted: {"a":<number, optional>}
{"a": 7}
bad arguments for s__t9: the arguments is missing; wanted: {"a":<any, optional>,"":<any>,'\
'"b":<any, optional>}'
is "pages without end have one" "$(m endless-pages --schemas |
	jq '[.tools[].function.name | select(test("^s__"))] | length')" 100
is "no tools" "$(m no-list --schemas | jq '.tools | length')" \
	"$ours"
is "null for tools" "$(m null-list --schemas | jq '.tools | length')" \
	"$ours"

# --- those that do wrong
is "garbage" "$(once garbage echo '{"text":"x"}')" x
is "numbers as strings" "$(once string-ids echo '{"text":"x"}')" x
is "wrong ids" "$(once wrong-ids echo '{"text":"x"}')" right
is "a batch" "$(once batch echo '{"text":"x"}')" batched
is "an answer too long" "$(once huge echo '{"text":"x"}' --json | facts)" \
	'["the answer of the MCP server s is longer than 16 MiB; ask for less",'\
'true,"too_large"]'
is "an answer without end" "$(once endless echo '{"text":"x"}' --json |
	jq -r .meta.error)" too_large
is "stderr is flooded" "$(once flood echo '{"text":"x"}')" "after the noise"
is "pings are flooded" "$(once pings echo '{"text":"x"}')" "after the pings"
is "questions to us" "$(once asks echo '{"text":"x"}' | jq -c '.[-3:] |
	map([.id, .result, .error.code])')" \
	'[["a",{},null],[7,null,-32601],["c",null,-32601]]'
m exits --schemas >out 2>err
is "one that exits" "$? $(jq '.tools | length' out)" \
	"0 $ours"
is "is said, with its last words" "$(said_in err)" \
'hamr-tool: mcp.s: it ended '\
'before it answered initialize: no module named x; its tools are left out'
is "its tools fail" "$(once exits x '{}' --json 2>/dev/null | facts)" \
	'["the MCP server s is not running: it ended before it answered '\
'initialize: no module named x; do without it, or ask the user to look at it",'\
'true,"spawn_failed"]'
status "with status 1" 1 once exits x '{}'
is "said once to a person who calls one" "$(once exits x '{}' 2>&1 |
	grep -c 'no module named x')" 1
why() { m "$1" --schemas 2>err >/dev/null
	said_in err | sed 's/.*initialize: //; s/; its tools.*//'; }
is "why node ended" "$(why node)" "Error: Cannot find module 'x'"
is "why npm ended" "$(why npm)" "npm error 404 Not Found - x"
call c1 s__a '{}' c2 s__b '{}' | m exits -n 2>err >out
is "why, once" "$(said_in err | grep -c .)" 1
m no-init --schemas 2>&1 >/dev/null | grep -q "refused to initialize"
is "one that refuses" "$?" 0
m refuse-list --schemas 2>&1 >/dev/null | grep -q \
	"refused to list its tools: the key is missing"
is "also to list its tools" "$?" 0
is "an answer with no error, which is written" "$(once both-keys echo \
	'{"text":"x"}')" good

# --- dies in mid-call
is "one restart" "$(mcp '"good" "once1"' s__die '{}')" "alive again"
is "then spawn_failed" "$(mcp '"good" "always"' s__die '{}' --json |
	jq -c '[.is_error, .meta.error]')" '[true,"spawn_failed"]'
is "not for what it said at its start" "$(once warns die)" "the MCP server s \
is not running: it ended; do without it, or ask the user to look at it"
is "none for what must not be done twice" "$(mcp '"good" "destructive"' \
	s__die '{}' --json | facts | cut -c 1-53)" \
	'["the MCP server s ended during the call (it ended); '
is "nor is the next call said not to have been made" "$(call c1 s__die '{}' \
	c2 s__die '{}' | mcp '"good" "destructive"' -n | jq -r \
	'select(.tool_call_id == "c2").content // empty' | cut -c 1-41)" \
	"the MCP server s ended during the call (i"

# --- resident
resident --yes -o mcp.s.timeout=1 \
    -o "mcp.s.command=[$server,\"idle\"]"
ask() {	# NAME ARGS: the result; the records before and after it are in rest
	say "$(call c1 "$1" "$2")" "$go"
	hear; say "$line"; hear
	answer=$line
	hear; rest=$line
}
say '{"type":"sync","n":1}'
hear
is "tools before the first sync" "$(jq -r '[.tools[].function.name |
	select(test("^s__"))][0]' <<<"$line")" s__echo
hear
is "the sync" "$line" '{"type":"sync","n":1}'
sleep .6
ask s__seen '{}'
is "a ping is answered while all is quiet" "$(jq -r .content <<<"$answer" |
	jq -c '.[-1]')" '{"jsonrpc":"2.0","id":"idle","result":{}}'
begun=$(date +%s%N)
ask s__slow '{}'
is "a time-out" "$(facts <<<"$answer")" '["timed out after 1 s; the MCP '\
'server s was told to stop",true,"timeout"]'
ok "in time" test "$(since "$begun")" -lt 6000
ask s__seen '{}'
is "the server is told" "$(jq -r .content <<<"$answer" |
	jq -c '.[-1] | [.[0], (.[1] | keys)]')" \
	'["notifications/cancelled",["reason","requestId"]]'
ask s__slow '{}'
ask s__slow '{}'
is "one that answers pings is not ended" "$(facts <<<"$answer" |
	grep -c "told to stop")" 1
ask s__slow '{"hangs":true}'
ask s__echo '{"text":"held up"}'
match "one that hangs is ended, if the next call times out, too" \
	"$(jq -r .content <<<"$answer")" "timed out after 1 s; *s was ended*"
ask s__echo '{"text":"anew"}'
is "and started again" "$(jq -r .content <<<"$answer")" anew
ask s__grow '{}'
is "list_changed: the result" "$(jq -r .content <<<"$answer")" grown
is "a new tools" "$(jq -r '.type, .tools[-1].function.name' <<<"$rest")" \
	"tools
s__grown18"
hear
is "then the go" "$line" "$go"
say '{"type":"sync","n":2}'
hear
is "and no other" "$line" '{"type":"sync","n":2}'
ask s__leave '{}'
is "it leaves" "$(jq -r .content <<<"$answer")" bye
ask s__echo '{"text":"again"}'
is "and is started again" "$(jq -r .content <<<"$answer")" again
while [ "$rest" != "$go" ]; do hear || break; rest=$line; done
say "$(call c1 s__slow '{}')" "$go"
hear; say "$line"
sleep .2
begun=$(date +%s%N)
say '{"type":"cancel"}'
hear
is "cancel" "$(facts <<<"$line")" '["interrupted",true,"interrupted"]'
ok "at once" test "$(since "$begun")" -lt 3000
hear
while [ "$line" != "$go" ]; do hear || break; done
say '{"type":"config","set":{"agent.mode":"read-only"}}'
hear
is "another mode has other tools" "$(jq -r .type <<<"$line")" tools
ask s__write '{}'
is "in another mode the sandbox is another" "$(jq -c .is_error \
	<<<"$answer")" true
ok "nothing is written" test ! -e made-by-mcp
while [ "$rest" != "$go" ]; do hear || break; rest=$line; done
begun=$(date +%s%N)
exec {to}>&-
wait "$tool_pid"
is "it ends with its input" "$?" 0
ok "soon" test "$(since "$begun")" -lt 5000
exec {from}<&-
ok "and nobody is left" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null |
	tr "\0" " " | grep -q "mcp_server.py [i]dle"'

# --- a list that comes after a cancel
resident --yes -o "mcp.s.command=[$server,\"late-list\"]"
say '{"type":"sync","n":1}'
hear; hear
say "$(call c1 s__grow '{}')" "$go"
hear; say "$line"
hear; say '{"type":"cancel"}'
hear
is "a cancel does not wait for a list" "$line" "$go"
sleep 1.2
ask s__echo '{"text":"x"}'
is "which is told of later" \
	"$(jq -r '.tools[-1].function.name' <<<"$rest")" s__grown18
bye

# --- what it may do
once good write >/dev/null
ok "with --yes it may write" test -e made-by-mcp
rm -f made-by-mcp
hamr-tool -o "mcp.s.command=[$server]" s__write '{}' >/dev/null
ok "without it may not" test ! -e made-by-mcp
for mode in read-only docs; do
	m good --mode "$mode" s__write '{}' >/dev/null
	ok "nor in mode $mode" test ! -e made-by-mcp
done
keeps() { hamr-tool -o "mcp.s.command=[$server]" \
	-o "mcp.s.writable=[\"sub/own\",\"$T/made/by/us\"]" \
	s__write "{\"at\":\"$1\"}"; }
{ keeps sub/own/x; keeps "$T/made/by/us/x"; keeps .git/x; } >/dev/null
is "is not said to be able to change nothing" "$(keeps sub/y 2>&1 | said_in - |
	sed 's/^Permission denied/Read-only file system/')" \
	"Read-only file system"		# Landlock's words are others
is "in its own folders, which are made, always" "$(cd "$T" && \
	find made root/sub root/.git/x 2>/dev/null | sort | paste -sd' ')" \
	"made made/by made/by/us made/by/us/x root/sub root/sub/own root/sub/own/x"
is "which can be undone" "$(hamr-tool undo --list | jq -c .paths | head -n 1)
$(hamr-tool undo | tail -n 1)" '["sub/own/x"]
  removed sub/own/x'
rm -r sub
ln -s "$T/made" linked
match "nor where a link in it leads" "$(m good -o 'mcp.s.writable=["linked/by"]' \
	s__echo '{"text":"x"}' 2>&1)" "*s is not running: writable: linked/by leads out*"
rm linked
match "not all of the repository" "$(m good -o 'mcp.s.writable=["."]' \
	s__echo '{"text":"x"}' 2>&1)" "*s is not running: writable: . holds the repository*"
is "what bash may not leave behind it may not either" "$(m good s__write \
	'{"at":".envrc"}' | tail -n 1; ls .envrc 2>/dev/null)" \
	"[moved to .hamr/quarantine: .envrc]"
resident --yes --root . -o "mcp.s.command=[$server,\"good\"]" 2>"$T/told"
say "$user" "$(call c1 s__write '{"at":"x","then":".envrc"}')" "$go"
hear; say "$line"
while [ ! -e .envrc ]; do sleep .05; done
bye
is "of what it leaves between calls the user is told" "$(said_in "$T/told")" \
	"hamr-tool: made between calls, by you or by an MCP server that may \
write here: .envrc; other programs obey it, so look before you enter or open \
the folder"
rm -f x .envrc
without_bwrap "$T/nobwrap"
lone() { PATH=$BIN:$T/nobwrap m good --root "$T/lone" "$@" 2>/dev/null; }
mkdir "$T/lone"
if [ "$(lone --json bash '{"command":"true"}' | jq -r .meta.sandbox)" = \
	landlock ]; then
	is "nor a new .git, under Landlock alone" "$(lone s__write \
		'{"at":".git"}' | tail -n 1; ls -A "$T/lone")" \
		"[moved to .hamr/quarantine: .git]$nl.hamr"
fi
git init -q "$T/main" && git -C "$T/main" -c user.name=a -c user.email=a@b \
	commit -q --allow-empty -m x && git -C "$T/main" worktree add -q "$T/wt"
for at in f .git/hooks/pre-commit; do
	m good -o "mcp.s.writable=[\"$T/main\"]" --root "$T/wt" s__write \
	    "{\"at\":\"$T/main/$at\"}" >/dev/null 2>&1
done
if bwrap --ro-bind / / true 2>/dev/null; then
	is "but not in the git directory of a work tree" "$(cd "$T/main" && \
		ls f .git/hooks/pre-commit 2>/dev/null)" f
else
	skip "but not in the git directory of a work tree" "no bubblewrap here"
fi
mkdir "$T/given"
is "our own folders are not where it may put a link in their place" "$(
	call c1 s__write "{\"at\":\"$T/given/x\"}" c2 bash \
	'{"command":"cut -d\" \" -f 4,5 /proc/self/mountinfo | grep /tmp$"}' |
	TMPDIR=$T/given hamr-tool -n --yes \
	-o "mcp.s.command=[$server]" \
	-o "mcp.s.writable=[\"$T/given\"]" |
	jq -r 'select(.name == "bash").content' | grep -c "$T/given/hamr"
	ls "$T/given")" "0${nl}x"
is "npm has a cache it may write" "$(m good s__where '{}' | jq -r '.[4]')" \
	"$(hamr-tool --yes bash '{"command":"echo $XDG_CACHE_HOME"}' |
	sed -n 2p)/npm"
asked=$( { call c1 s__echo '{"text":"x"}'; echo "$go"; } |
	first hamr-tool -r -o "mcp.s.command=[$server]")
is "a person is asked" "$(jq -c '[.type, .name, .arguments]' <<<"$asked")" \
	'["ask","s__echo","{\"text\":\"x\"}"]'
bare() { hamr-tool -o "mcp.s.command=[$server]" \
	-o mcp.s.sandbox=false "$@"; }
is "without a sandbox, not unasked" "$(bare s__write '{}' --json |
	jq -r .meta.error)" denied
ok "nothing" test ! -e made-by-mcp
is "nor in a mode that changes nothing" "$(bare --yes --mode read-only \
	s__write '{}' --json | jq -r .meta.error)" denied
is "but what says that it only reads" "$(bare --yes --mode read-only \
	s__echo '{"text":"x"}')" x
bare --yes s__write '{}' >/dev/null
ok "with --yes it does" test -e made-by-mcp

# --- the whole agent
mkdir "$T/run" && cd "$T/run" && git init -q . && echo hello >f || exit 1
{ call c1 count '{"path":"f","text":"h"}' c2 s__echo '{"text":"by way of s"}' \
	c3 s__grow '{}'
echo '{"role":"assistant","content":"One.","finish_reason":"stop"}'; } >script
hamr-loop --no-config --yes --json --replay script \
	-o "tools.plugins=[\"$TOP/examples/hamr-tool-count\"]" \
	-o "mcp.s.command=[$server]" "How many are there?" \
	>out 2>err
is "hamr-loop: a run" "$? $(said_in err)" "0 "
is "their results" "$(jq -r 'select(.role == "tool") | .content' out)" "1

by way of s
grown"
is "tools: at first, and when they change" "$(jq -c 'select(.type == "tools") |
	.tools | [length, .[-1].function.name]' out)" \
	"$(printf '[%d,"s__step"]\n[%d,"s__grown18"]' $((ours + 19)) \
	$((ours + 20)))"
cd "$T/root" || exit 1

# --- slow ones
begun=$(date +%s%N)
status "never answers: the rest goes on" 0 m silent --schemas \
	-o mcp.s.start_timeout=1
ok "in time" test "$(since "$begun")" -lt 10000
is "and is said" "$(said_in "$T/.err")" \
"hamr-tool: mcp.s: no answer to initialize "\
'within 1 s (mcp.s.start_timeout); if it needs the network, set network = '\
'true in its table; its tools are left out'
m silent --schemas -o mcp.s.start_timeout=1 -o sandbox.network=true \
	>/dev/null 2>"$T/err"
is "nothing of the network where it has it" "$(said_in "$T/err")" \
"hamr-tool: mcp.s: no answer to initialize within 1 s "\
'(mcp.s.start_timeout); its tools are left out'
is "a signal meanwhile prints no tools, rather than some" \
	"$(timeout .5 hamr-tool --schemas -o "mcp.s.command=[$server,\"silent\"]"
	echo $?)" 124
garbled='while read -r l; do echo hello; done'
hamr-tool --schemas -o 'mcp.s.command=["sh","-c","'"$garbled"'"]' \
	-o mcp.s.start_timeout=1 >/dev/null 2>"$T/err"
is "nor to one that writes something else" "$(said_in "$T/err")" \
	"hamr-tool: mcp.s: no answer to initialize within 1 s "\
'(mcp.s.start_timeout), and what it wrote was not JSON, or too deep; its '\
'tools are left out'
done_testing

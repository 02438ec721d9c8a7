#!/bin/bash
# plugin.t - plug-in tools: what they say they are, and their calls.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

mkdir "$T/plug"
PATH=$T/plug:$PATH
printf 'a b\nb\nc\n' >f

plugin() {	# NAME DESCRIPTION: a plug-in, its work on stdin
	{ cat <<-S
	#!/bin/sh
	if [ "\$1" = --describe ]; then
	cat <<'D'
	$2
	D
	exit
	fi
	S
	cat; } >"$T/plug/hamr-tool-$1"
	chmod +x "$T/plug/hamr-tool-$1"
}
with() { hamr-tool -o "tools.plugins=[\"$1\"]" --yes "${@:2}"; }

# --- the smallest one, as it is in examples/
cp "$TOP/examples/hamr-tool-count" "$T/plug/"
ok "a dozen lines of shell" test "$(sed 1,2d "$T/plug/hamr-tool-count" |
	wc -l)" -le 12
is "it is among the tools, last" "$(with count --schemas |
	jq -c '.tools[-1].function | [.name, .description,
	.parameters.required]')" \
	'["count","Count the lines of a file that hold a text.",["path","text"]]'
is "its result is its stdout" "$(with count count '{"path":"f","text":"b"}')" 2
is "none is a number, too" "$(with count count '{"path":"f","text":"zz"}')" 0
is "without approval" "$(hamr-tool -o 'tools.plugins=["count"]' count \
	'{"path":"f","text":"b"}')" 2
is "by its whole name" "$(with hamr-tool-count count \
	'{"path":"f","text":"c"}')" 1
is "by its path" "$(with "$TOP/examples/hamr-tool-count" count \
	'{"path":"f","text":"c"}')" 1
is "in a transcript" "$(call c1 count '{"path":"f","text":"b"}' |
	with count -n | jq -c '[.type // .role, .tool_call_id, .content]')" \
	'["start","c1",null]
["tool","c1","2\n"]'
is "not for lying on PATH" "$(call c1 count '{}' | hamr-tool -n --yes |
	jq -c '[.meta.error, .content[:24]]')" \
	'["unknown_tool","there is no tool \"count\""]'
mkdir d && cp "$T/plug/hamr-tool-count" d/hamr-tool-here
status "nor in a relative folder of PATH" 78 env PATH="d:.:$PATH" hamr-tool \
	-o 'tools.plugins=["here"]' --schemas
rm -r d

# --- what it said is remembered, but not where a command could write that
forged=$(sha256sum <<<x | cut -c 1-5)
forge() {	# CACHE: another answer in what is kept there, or the cache
	local f
	for f in "$1"/hamr/describe/*; do
		[ -e "$f" ] && sed -i "s/Count the lines/$forged/" "$f"
	done
}
told() {	# CACHE: what the plug-in says at the second time
	env XDG_CACHE_HOME="$1" bash -c '"$@" >/dev/null' - \
	    hamr-tool -o 'tools.plugins=["count"]' --schemas
	forge "$1"
	XDG_CACHE_HOME=$1 with count --schemas |
	    jq -r '.tools[-1].function.description' | cut -d' ' -f 1
}
is "it is asked once" "$(told "$T/kept")" "$forged"
is "but always when the cache is in the root" "$(told "$T/root/.cache")" Count
ln -s root "$T/link"
is "also by a link" "$(told "$T/link/.cache")" Count
mkdir -p "$T/served/hamr/describe"
cp "$T"/kept/hamr/describe/* "$T/served/hamr/describe/"
is "or where an MCP server may write" "$(XDG_CACHE_HOME=$T/served with count \
	-o "mcp.s.command=[\"true\"]" -o "mcp.s.writable=[\"$T/served\"]" \
	--schemas 2>/dev/null | jq -r '.tools[] | .function |
	select(.name == "count").description' | cut -d' ' -f 1)" Count
rm -rf .cache "$T/link"

# --- paths
status "a path is judged" 1 with count count '{"path":".env","text":"b"}'
match "as a secret" "$(cat "$T/.out")" "*.env is protected*"
is "outside the root" "$(with count count '{"path":"../x","text":"b"}' --json |
	jq -r .meta.error)" denied
is "refused before start" "$(call c1 count '{"path":"/etc/passwd","text":"b"}' |
	with count -n | jq -r '.type // .meta.error')" denied

# --- arguments
plugin args '{"kind":"tool","name":"args","version":"1","description":"d",
 "parameters":{"type":"object","required":["s"],"properties":{
 "s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},
 "b":{"type":"boolean"},"e":{"enum":["x","y",3]},
 "l":{"type":"array","items":{"type":"integer"}},
 "p":{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}},
 "o":{"type":"object","required":["k"],"properties":{"k":{"type":"string"}}},
 "u":{"type":["string","null"]},"z":{}}},"mutates":false}' <<'E'
cat
E
# All calls of a kind are one message's.
names=() calls=() wanted=()
takes() {	# NAME ARGS WANTED
	calls+=("c${#names[@]}" args "$2")
	names+=("$1") wanted+=("$3")
}
results() {	# FILTER: of each, as takes and refused have told
	local i got
	mapfile -t got < <(call "${calls[@]}" | with args -n |
	    jq -r "select(.role == \"tool\") | $1")
	for i in "${!names[@]}"; do
		is "${names[i]}" "${got[i]%; wanted*}" "${wanted[i]}"
	done
	names=() calls=() wanted=()
}
takes "the text of the model" '{"s":"a","n":1.50,"z":{"q": null}}' \
	'{"s":"a","n":1.50,"z":{"q": null}}'
takes "a big number" '{"s":"a","z":12345678901234567890123}' \
	'{"s":"a","z":12345678901234567890123}'
takes "a whole number is an integer" '{"s":"a","i":2.0}' '{"s":"a","i":2.0}'
takes "decimal strings" '{"s":"5","i":"5","n":"1.5","l":["1",2]}' \
	'{"s":"5","i":5,"n":1.5,"l":[1,2]}'
takes "null is absent" '{"s":"a","i":null,"e":null,"u":null,"z":null}' \
	'{"s":"a","u":null,"z":null}'
takes "unknown members go through" '{"s":"a","more":{"x":1}}' \
	'{"s":"a","more":{"x":1}}'
takes "a tuple" '{"s":"a","p":["x",1]}' '{"s":"a","p":["x",1]}'
takes "enum" '{"s":"a","e":3.0}' '{"s":"a","e":3.0}'
takes "escapes in keys" '{"\u0073":"a"}' '{"\u0073":"a"}'
results '.content | rtrimstr("\n")'
refused() {	# ARGS WORDS
	takes "refused: $2" "$1" "bad_arguments bad arguments for args: $2"
}
refused '{}' "s is missing"
refused '{"s":null}' "s is missing"
refused '{"s":5}' "s must be a string"
refused '{"s":"a","i":1.5}' "i must be an integer"
refused '{"s":"a","i":"x"}' "i must be an integer"
refused '{"s":"a","n":true}' "n must be a number"
refused '{"s":"a","b":"true"}' "b must be true or false"
refused '{"s":"a","e":"z"}' 'e must be one of "x", "y", 3'
refused '{"s":"a","l":[1,2.5]}' "l[1] must be an integer"
refused '{"s":"a","l":{}}' "l must be an array"
refused '{"s":"a","o":{}}' "o.k is missing"
refused '{"s":"a","o":{"k":1}}' "o.k must be a string"
refused '{"s":"a","u":1}' "u must be a string or null"
refused '[]' "they must be one JSON object"
results '"\(.meta.error) \(.content)"'
match "a key twice" "$(call c1 args '{"s":"a","\u0073":"b"}' | with args -n |
	jq -r .content)" "bad arguments for args: not valid JSON: *"
match "the template" "$(call c1 args '{}' | with args -n | jq -r .content)" \
	'*; wanted: {"s":<string>,"i":<integer, optional>,*"z":<any, optional>}'

# --- what they say they are
plugin two '{"kind":"tool","name":"two","version":"1","description":"d",
 "mutates":false}' <<'E'
echo two
E
is "without parameters" "$(with two two '{}')" two
cat >"$T/plug/hamr-tool-time" <<'E'
#!/bin/sh
echo "{\"kind\":\"tool\",\"name\":\"time\",\"description\":\"$(date +%s%N)\"}"
E
chmod +x "$T/plug/hamr-tool-time"
said() { with time --schemas | jq -r '.tools[-1].function.description'; }
first=$(said)
is "it is asked once" "$(said)" "$first"
touch "$T/plug/hamr-tool-time"
ok "and again when it has changed" test "$(said)" != "$first"
says() {	# NAME DESCRIPTION STATUS WORDS
	plugin bad "$2" </dev/null
	status "$1" "$3" with bad --schemas
	match "$1: words" "$(said_in "$T/.err")" "hamr-tool: $4"
	is "$1: nothing on stdout" "$(cat "$T/.out")" ""
}
says "no JSON" 'hello' 69 "plug-in hamr-tool-bad: --describe did not print *"
says "nothing" '' 69 "*--describe *"
says "two records" '{"kind":"tool"} {}' 69 "*--describe did not print one *"
says "another kind" '{"kind":"provider","name":"bad","description":"d"}' 69 \
	'*"kind":"tool"*'
says "no description" '{"kind":"tool","name":"bad"}' 69 "*description*"
says "another name" '{"kind":"tool","name":"worse","description":"d"}' 69 \
	'*gives the name "worse"*'
says "a wrong name" '{"kind":"tool","name":"a b","description":"d"}' 69 \
	'*"name"*'
says "parameters that are none" '{"kind":"tool","name":"bad",
	"description":"d","parameters":[]}' 69 "*parameters*"
says "parameters of another type" '{"kind":"tool","name":"bad",
	"description":"d","parameters":{"type":"array"}}' 69 "*type object*"
says "paths that are none" '{"kind":"tool","name":"bad",
	"description":"d","paths":"path"}' 69 "*paths*"
says "mutates that is none" '{"kind":"tool","name":"bad",
	"description":"d","mutates":"no"}' 69 "*mutates*"
plugin fails '{"kind":"tool","name":"fails","description":"d"}' </dev/null
sed -i 's/^exit$/exit 3/' "$T/plug/hamr-tool-fails"
status "--describe fails" 69 with fails --schemas
match "with its status" "$(cat "$T/.err")" "*--describe: status 3*"
printf '#!/bin/sh\nsleep 30\n' >"$T/plug/hamr-tool-slow"
chmod +x "$T/plug/hamr-tool-slow"
begun=$(date +%s%N)
status "--describe within 2 s" 69 with slow --schemas
ok "and no later" test $(($(date +%s%N) - begun)) -lt 6000000000
match "told so" "$(cat "$T/.err")" "*did not end within 2 s*"
printf '#!/bin/sh\nyes\n' >"$T/plug/hamr-tool-loud"
chmod +x "$T/plug/hamr-tool-loud"
status "a description without end" 69 with loud --schemas
status "a call of one that is broken" 69 with fails fails '{}'
is "others do not ask it" "$(with fails read '{"path":"f"}' | wc -l)" 4

# --- names
for n in read edit write bash view_image search_memory save_memory \
    hamr-tool-read /x/y/hamr-tool-bash; do
	status "ours: $n" 78 with "$n" --schemas
done
plugin read '{"kind":"tool","name":"read","description":"d"}' </dev/null
cp "$T/plug/hamr-tool-read" "$T/mine"
status "a built-in name in the description" 78 with "$T/mine" --schemas
match "said" "$(cat "$T/.err")" '*"read" is a tool of hamr*'
status "not there" 78 with nothing --schemas
match "says what to do" "$(cat "$T/.err")" "*no program hamr-tool-nothing on PATH*"
status "not there, for any call" 78 with nothing read '{"path":"f"}'
status "a relative path" 78 with ./mine --schemas
status "twice" 78 hamr-tool -o 'tools.plugins=["two","two"]' --schemas

# --- results
work() {	# the same name, other work
	plugin job '{"kind":"tool","name":"job","version":"1",
	"description":"d","mutates":false}'
}
job() { call c1 job '{"a":1}' | with job -n "$@" | jq -c "$filter"; }
filter='select(.role) | [.content, .is_error, .meta.error]'
work <<<'echo out; echo err >&2'
is "stderr is not shown" "$(job)" '["out\n",null,null]'
work <<<'echo out; echo err >&2; exit 3'
is "but on failure" "$(job)" '["exit 3\nout\n[stderr]\nerr\n",true,null]'
work <<<'kill -9 $$'
is "killed" "$(job)" '["killed by SIGKILL",true,null]'
work <<<'pwd; cat; [ -t 0 ] && echo tty; exit 1'
is "cwd and arguments" "$(filter='select(.role) | .content' job)" \
	"\"exit 1\\n$(pwd -P)\\n{\\\"a\\\":1}\\n\""
work <<<'true'
is "it need not read" "$(job)" '["",null,null]'
work <<<'exec <&-; echo out'
mega() { jq -cn '{role: "assistant", tool_calls: [{id: "c1",
	function: {name: "job", arguments: ({a: ("x" * 3000000)} | tojson)}}]}'; }
mega | with job -n >long
is "nor all of much" "$(tail -n 1 long | jq -r .content)" out
work <<<'wc -c'
mega | with job -n >long
is "but can" "$(tail -n 1 long | jq -r '.content | tonumber')" 3000009
work <<<'printf "a\033[31mb\033]0;t\007c\377\n"'
filter='select(.role) | [.content, .meta.lossy]'
is "cleaned" "$(job)" '["abc�\n",true]'
work <<<'seq 100000'
filter='select(.role) | [(.content | length < 60000), .meta.truncated,
	.meta.bytes, (.meta.output_file | startswith(".hamr/out/"))]'
is "the cap, and the whole in a file" "$(job)" '[true,true,588895,true]'
file=$(call c1 job '{}' | with job -n | jq -r 'select(.role).meta.output_file')
seq 100000 >seq
same "which is whole" seq "$file"
work <<<'sleep 333.1 & echo begun'
filter='select(.role) | .content'
begun=$(date +%s%N)
is "what goes on is ended" "$(job)" '"begun\n"'
ok "at once" test $(($(date +%s%N) - begun)) -lt 5000000000
ok "truly" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\0" " " |
	grep -q "sleep 333[.]1"'
work <<<'echo "$SECRET_X$LANG"'
is "the environment is clean" "$(SECRET_X=1 LANG=C job)" '"C\n"'

# --- cancel
work <<<'echo half; sleep 333.2'
coproc TOOL { exec hamr-tool -r --yes -o 'tools.plugins=["job"]'; }
exec {to}>&"${TOOL[1]}" {from}<&"${TOOL[0]}"
eval "exec ${TOOL[1]}>&- ${TOOL[0]}<&-"
tool_pid=$TOOL_PID
say() { printf '%s\n' "$@" >&"$to"; }
hear() { line=; IFS= read -r -t "${1:-60}" -u "$from" line; }
say '{"type":"sync","n":1}'
hear
is "tools before the first sync" "$(jq -r '.tools[-1].function.name' \
	<<<"$line")" job
hear
is "the sync" "$line" '{"type":"sync","n":1}'
say "$(call c1 job '{}')" '{"type":"go","n":2}'
hear
say "$line"
for _ in {1..300}; do	# till it has said half
	cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\0" " " |
		grep -q 'sleep 333[.]2' && break
	sleep .1
done
say '{"type":"cancel"}'
hear
is "cancel" "$(jq -c '[.content, .is_error, .meta.error]' <<<"$line")" \
	'["interrupted\nhalf\n",true,"interrupted"]'
hear
is "then go" "$line" '{"type":"go","n":2}'
exec {to}>&-
wait "$tool_pid"
is "the end" "$?" 0
exec {from}<&-

# --- mutates
plugin put '{"kind":"tool","name":"put","version":"1","description":"d",
 "parameters":{"type":"object","properties":{"path":{"type":"string"}}},
 "paths":["path"]}' <<'E'
echo put >"$(jq -r .path)" && echo done
E
is "it writes" "$(with put put '{"path":"n"}') $(cat n)" "done put"
rm -f n
for m in read-only verify docs; do
	is "not in mode $m" "$(with put --mode $m put '{"path":"n"}' --json |
	    jq -r .meta.error)" denied
done
is "nor is it offered there" "$(for m in read-only verify docs patch; do
	with put --mode $m --schemas | jq '[.tools[].function.name] |
	    any(. == "put")'; done | tr '\n' ' ')" "false false false true "
ok "nothing was written" test ! -e n
is "one that does not is run" "$(with count --mode read-only count \
	'{"path":"f","text":"b"}')" 2
status "no lock files" 1 with put put '{"path":"package-lock.json"}'
ok "not made" test ! -e package-lock.json
# without approval: in a sandbox that only reads, or not at all
call c1 put '{"path":"n"}' | hamr-tool -n -o 'tools.plugins=["put"]' >out
is "not without approval" "$(tail -n 1 out | jq -c .is_error)" true
ok "and nothing is written" test ! -e n
asked=$( { call c1 put '{"path":"n"}'; echo '{"type":"go","n":1}'
	} | first hamr-tool -r -o 'tools.plugins=["put"]')
is "a person is asked" "$asked" '{"type":"ask","id":"a1",'\
'"tool_call_id":"c1","name":"put","arguments":"{\"path\":\"n\"}",'\
'"why":"it may change files"}'
is "not for one that reads" "$( { call c1 count '{"path":"f","text":"b"}'
	echo '{"type":"go","n":1}'; } |
	first hamr-tool -r -o 'tools.plugins=["count"]' | jq -r .type)" start

# --- P10: it fills the disk
plugin fill '{"kind":"tool","name":"fill","description":"x","parameters":{},'\
'"mutates":true}' <<'E'
cat >/dev/null; echo more >>f; head -c 9M /dev/zero >big || echo full
E
mkdir "$T/disk"
call c1 fill '{}' >"$T/fill"
cat >"$T/filled" <<'E'
mount -t tmpfs -o size=3m none "$1/disk" && cd "$1/disk" && git init -q . &&
	echo one >f && hamr-tool -n --yes --root . -o 'tools.plugins=["fill"]' \
	<"$1/fill" >"$1/out"; rm big; hamr-tool --root . undo; cat f
E
if unshare -m mount -t tmpfs none "$T/disk" 2>/dev/null; then
	is "that its changes were not recorded is said, and they can be undone" \
		"$(unshare -m sh "$T/filled" "$T" 2>/dev/null | tail -n 2
		jq -r 'select(.type == "error").message, select(.role).content' \
		"$T/out" | sed 's/ in .*;/;/')" "  restored f
one
no snapshot could be made; what follows cannot be undone
full"
else
	skip "a full disk" "no mounts here"
fi
done_testing

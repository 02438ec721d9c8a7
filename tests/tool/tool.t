#!/bin/bash
# tool.t - hamr-tool: options, schemas, arguments, modes, one call.
. "$(dirname "$0")/../lib.sh"
unset HAMR_BIN

mkdir root && cd root || exit 1
echo text >a.txt
nl='
'

# --- the command line
ok "help fits a screen" sh -c 'hamr-tool --help >h && test "$(wc -l <h)" -le 24 &&
	! grep -q ".\{81\}" h'
match "version" "$(hamr-tool --version)" "hamr *"
status "a NAME alone" 2 hamr-tool read
status "a bad mode" 2 hamr-tool --mode nonsense
status "no such root" 66 hamr-tool --root nowhere read '{"path":"a"}'
status "bad configuration" 78 hamr-tool -o tools.bash.enabled=7 --schemas
status "unknown format" 2 sh -c 'hamr-tool -F nonsense </dev/null'

# --- schemas
hamr-tool --schemas >s1
hamr-tool --schemas >s2
same "schemas are stable" s1 s2
is "one record" "$(wc -l <s1)" 1
is "names" "$(jq -c '[.type, (.tools[] | .type + " " + .function.name)]' s1)" \
	'["tools","function read","function edit","function write","function bash",'\
'"function view_image","function search_memory","function save_memory"]'
is "arguments" "$(jq -r '.tools[].function | .name as $t | .parameters |
	.required as $r | .properties | to_entries[] | .key as $k |
	"\($t) \($k) \(.value.type) \(.value.minimum)-\(.value.maximum)" +
	" \(.value.default)" + (if any($r[]; . == $k) then " !" else "" end)' \
	s1)" "read path string null-null null
read query string null-null null
read first integer 1-null null
read last integer 1-null null
read depth integer 1-8 2
read regex boolean null-null false
read context integer 0-20 2
edit path string null-null null !
edit old string null-null null
edit new string null-null null
edit all boolean null-null false
edit edits array null-null null
write path string null-null null !
write content string null-null null !
write overwrite boolean null-null null
bash command string null-null null !
bash timeout integer 1-600 120
view_image path string null-null null !
search_memory query string null-null null !
search_memory n integer 1-20 8
save_memory fact string null-null null !
save_memory key string null-null null"
ok "no anyOf" sh -c '! grep -q anyOf s1'
while IFS='|' read -r option words; do
	is "bash says what it cannot do: $option" \
		"$(hamr-tool --no-config -o "sandbox.$option" --schemas | jq -r '
		.tools[].function | select(.name == "bash").description |
		sub(".* after it[.] ?"; "")')" "$words"
done <<'EOF'
mode=auto|Commands have no network and cannot change .git.
network=true|Commands cannot change .git.
git_write=true|Commands have no network.
mode=off|
EOF
is "without bash" "$(hamr-tool -o tools.bash.enabled=false --schemas |
	jq -c '[.tools[].function.name]')" '["read","edit","write","view_image","search_memory","save_memory"]'

# --- one call
hamr-tool --yes bash '{"command":"echo hi"}' >out
is "content" "$(cat out)" "exit 0${nl}hi"
is "ends in one LF" "$(tail -c 3 out | od -An -c | tr -d ' ')" 'hi\n'
status "status of an error" 1 hamr-tool --yes bash '{"command":"exit 9"}'
status "unknown tool" 2 hamr-tool nonsense '{}'
match "names the tools" "$(cat "$T/.err")" \
	'*no tool "nonsense"; the tools are read, edit, write, bash, *'
status "bad JSON" 2 hamr-tool read '{"path":'
status "arguments that are no object" 1 hamr-tool read '[]'
is "the tool message" "$(hamr-tool --json read '{}' | jq -c 'del(.content,
	.meta.bytes)')" '{"role":"tool","tool_call_id":"call_1","name":"read",'\
'"is_error":true,"meta":{"ms":0,"error":"bad_arguments"}}'
is "output records on demand" "$(hamr-tool --yes --json --stream bash \
	'{"command":"echo x"}' | jq -c '[.type, .stream, .text]' | head -n 1)" \
	'["output","stdout","x\n"]'

# --- arguments
bad() {	# name TOOL ARGS glob
	match "$1" "$(hamr-tool --yes --json "$2" "$3" 2>/dev/null |
		jq -r '.meta.error + ": " + .content')" \
		"bad_arguments: bad arguments for $2: $4; wanted: {*"
}
bad "missing" bash '{}' "command is missing"
bad "null is absent" bash '{"command":null}' "command is missing"
bad "wrong type" bash '{"command":["ls"]}' "command must be a string"
bad "no integer" bash '{"command":":","timeout":"1x"}' \
	"timeout must be an integer"
bad "a fraction" read '{"path":"a","first":1.5}' "first must be an integer"
bad "too small" read '{"path":"a","first":0}' "first must be at least 1"
bad "too large" read '{"query":"a","depth":9}' "depth must be from 1 to 8"
bad "no boolean" read '{"query":"a","regex":"true"}' \
	"regex must be true or false"
bad "path or query" read '{"first":1}' "path or query is missing"
bad "old or edits" edit '{"path":"a"}' "old is missing"
bad "half an edit" edit '{"path":"a","old":"x"}' "new is missing"
bad "empty edits" edit '{"path":"a","edits":[]}' "edits is empty"
both='"edits":[{"old":"a","new":"b"}]'
bad "both" edit '{"path":"a","old":"x","new":"y",'"$both}" "give old*"
bad "edits of strings" edit '{"path":"a","edits":["x"]}' "edits\[0\] must be an object"
bad "an edit without new" edit '{"path":"a","edits":[{"old":"x"}]}' \
	"edits\[0\].new is missing"
bad "no content" write '{"path":"a"}' "content is missing"
bad "no object" bash '"ls"' "they must be one JSON object"
is "an object encoded twice is that object" \
	"$(hamr-tool --yes bash '"{\"command\":\"echo two\"}"')" "exit 0${nl}two"
bad "a key twice" bash '{"command":"true","command":"false"}' "*duplicate key*"
bad "a key twice, spelled otherwise" bash \
	'{"command":"true","c\u006fmmand":"false"}' "*duplicate key*"
bad "NUL" bash '{"command":"true\u0000; touch x"}' "*u0000*"
bad "bytes behind" bash '{"command":"true"} x' "not valid JSON*"
bad "a bare word" bash 'ls' "not valid JSON*"
bad "a lone quote" bash '"' "not valid JSON*"
is "aliases" "$(hamr-tool --yes bash '{"cmd":"echo hi"}')" "exit 0${nl}hi"
is "the canonical name wins" "$(hamr-tool --yes bash \
	'{"cmd":"echo a","command":"echo b"}')" "exit 0${nl}b"
is "unknown keys are ignored" "$(hamr-tool --yes bash \
	'{"command":"echo hi","description":"x","q":[1]}')" "exit 0${nl}hi"
is "decimal strings and whole floats" "$(hamr-tool --yes bash \
	'{"command":"echo hi","timeout":"5"}'; hamr-tool --yes bash \
	'{"command":"echo hi","timeout":5.0}')" \
	"exit 0${nl}hi${nl}exit 0${nl}hi"

# --- modes and --yes
denied() {	# name glob arguments...
	tests_name2=$1 tests_glob=$2
	shift 2
	match "$tests_name2" "$(hamr-tool --json "$@" |
		jq -r '.meta.error + ": " + (.content | gsub("\n"; "|"))')" \
		"denied: $tests_glob"
}
touch_it() {	# NAME options: a command that would change the root
	tests_name2=$1
	shift
	hamr-tool "$@" bash '{"command":"touch ran"}' >/dev/null 2>&1
	ok "$tests_name2 changes nothing" test ! -e ran
}
touch_it "bash without --yes"
for mode in read-only verify docs; do
	touch_it "bash in mode $mode" --yes --mode $mode
done
for opts in "" "--yes --mode read-only" "--yes --mode docs" \
	"--yes --mode verify"; do
	# shellcheck disable=SC2086
	denied "no sandbox: bash with '$opts'" "*there is no sandbox*" \
		-o sandbox.mode=off $opts bash '{"command":"touch ran"}'
done
for mode in read-only verify; do
	denied "edit in mode $mode" "*mode $mode*" --yes --mode $mode edit \
		'{"path":"a.txt","old":"text","new":"x"}'
	denied "write in mode $mode" "*mode $mode*" --yes --mode $mode write \
		'{"path":"ran","content":"x"}'
done
denied "write in mode docs" "*" --yes --mode docs write \
	'{"path":"ran","content":"x"}'
denied "the configured mode" "*mode read-only*" --yes \
	-o agent.mode=read-only write '{"path":"ran","content":"x"}'
denied "bash switched off" "*switched off*" --yes \
	-o tools.bash.enabled=false bash '{"command":"touch ran"}'
denied "write without --yes shows the diff" "*+x*" write \
	'{"path":"ran","content":"x"}'
denied "edit without --yes shows the diff" "*-text*+new*" edit \
	'{"path":"a.txt","old":"text","new":"new"}'
is "nothing of it was done" "$(ls -A; cat a.txt)" "$(printf '%s\n' .hamr a.txt h out \
	s1 s2 text)"
is "a person needs no prior read" "$(hamr-tool --yes --json edit \
	'{"path":"a.txt","old":"text","new":"new"}' | jq -c .is_error; cat a.txt)" \
	"null${nl}new"

# --- the root
git init -q sub && mkdir sub/deep
is "the root is the git top level" "$(cd sub/deep &&
	hamr-tool --yes bash '{"command":"pwd"}')" "exit 0${nl}$(pwd -P)/sub"
is "--root" "$(hamr-tool --root sub/deep --yes bash '{"command":"pwd"}')" \
	"exit 0${nl}$(pwd -P)/sub/deep"
if [ -e /dev/full ]; then
	status "a full disk" 71 sh -c 'hamr-tool --schemas >/dev/full'
fi
if ! grep -q __asan_init "$BIN/hamr-tool"; then
	is "a small stack that can grow" "$(ulimit -S -s 64
		hamr-tool --yes bash '{"command":"echo hi"}')" \
		"exit 0${nl}hi"
	match "one that cannot" "$(ulimit -s 64
		hamr-tool --yes bash '{"command":"echo hi"}' 2>&1; echo $?)" \
		"*limited to 64 KiB; set a higher limit*71"
fi
is "an unknown name that is not UTF-8 gives a valid record" "$(hamr-tool $'x\377' \
	'{}' --json 2>/dev/null | iconv -f UTF-8 -t UTF-8 | jq -r .name)" \
	$'x\357\277\275'
done_testing

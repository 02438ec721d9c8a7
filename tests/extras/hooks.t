#!/bin/bash
# hooks.t - the user's own programs: [hooks] and [tools] approve.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"
S=$TOP/tests/data/loop

mkdir "$T/h"
PATH=$T/h:$PATH
quick_jq "$T/h"	# for the hooks, too
printf 'a\nb\n' >f

hook() {	# NAME: a program, its text on stdin
	{ echo '#!/bin/sh'; cat; } >"$T/h/$1"
	chmod +x "$T/h/$1"
}
before() { hamr-tool -n --yes -o 'hooks.before_tool=["my-before"]' "$@"; }
after() { hamr-tool -n --yes -o 'hooks.after_tool=["my-after"]' "$@"; }
results() {
	jq -c 'select(.role) | [.content, .is_error, .meta.error]'
}

# --- before_tool
hook my-before <<E
cat >>$T/seen
E
one=$(call c1 bash '{"cmd":"echo hi"}')
is "allowed by status 0" "$(before <<<"$one" | results)" \
	'["exit 0\nhi\n",null,null]'
is "what it is given" "$(cat "$T/seen")" '{"type":"call","id":"c1",'\
'"name":"bash","arguments":"{\"command\":\"echo hi\"}"}'
: >"$T/seen"
call a read '{"path":"f"}' b read '{' c nonsense '{}' d read \
    '{"path":".env"}' e bash "$(sh_args 'echo e')" >calls
{ cat calls; echo '{"type":"verdict","tool_call_id":"e","action":"block"}'; } |
    before >/dev/null
is "asked last of all that refuses" "$(jq -r .id "$T/seen")" a
hook my-before <<'E'
jq -e '.arguments | fromjson | .command | test("hi") | not' >/dev/null ||
{ echo "no greetings here"; exit 1; }
E
is "refused, with its reason" "$(before <<<"$one")" '{"role":"tool",'\
'"tool_call_id":"c1","name":"bash","content":"no greetings here",'\
'"is_error":true,"meta":{"ms":0,"bytes":17,"error":"denied"}}'
is "others run" "$(call c2 bash "$(sh_args 'echo ho')" | before | results)" \
	'["exit 0\nho\n",null,null]'
is "before the ask" "$( { echo "$one"; echo '{"type":"go","n":1}'; } |
	first hamr-tool -r -o 'hooks.before_tool=["my-before"]' |
	jq -r .meta.error)" denied
is "by hand, too" "$(hamr-tool --yes -o 'hooks.before_tool=["my-before"]' \
	bash '{"command":"echo hi"}')" "no greetings here"
hook my-before <<'E'
exit 3
E
match "without a reason" "$(before <<<"$one" | jq -r .content)" \
	"denied by the before_tool hook (status 3)*"
hook my-before <<'E'
kill -9 $$
E
match "killed" "$(before <<<"$one" | jq -r .content)" "*(SIGKILL)*"
hook my-before <<'E'
sleep 331
E
begun=$(date +%s%N)
is "no answer: told, and it goes on" "$(before <<<"$one" 2>err | results
	said_in err)" '["exit 0\nhi\n",null,null]
hamr-tool: the before_tool hook my-before: did not end within 5 s; the call '\
'proceeds without it'
ok "5 s" test $((($(date +%s%N) - begun) / 1000000)) -lt 20000
ok "it is ended" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null |
	tr "\0" " " | grep -q "sleep 33[1]"'
is "it is not there: the same, and the rest still run" "$(hamr-tool -n --yes \
	-o "hooks.before_tool=[['./no-such'], ['touch', 'ran'], ['sh', '-c',
	'cat >ran2']]" <<<"$one" 2>err | results; ls ran; jq -r .id ran2
	said_in err | sed 's/such: .*;/such;/')" '["exit 0\nhi\n",null,null]
ran
c1
hamr-tool: the before_tool hook ./no-such; the call proceeds without it'
is "in their order, up to one that refuses" "$(hamr-tool -n --yes \
	-o "hooks.before_tool=[['sh', '-c', 'echo a >>order'], ['sh', '-c',
	'echo b >>order; echo no; exit 1'], ['sh', '-c', 'echo c >>order']]" \
	<<<"$one" 2>err | results; tr '\n' ' ' <order; cat err)" \
	'["no",true,"denied"]
a b '
hook my-before <<'E'
yes no | head -c 10000000
exit 1
E
is "much to say" "$(before <<<"$one" |
	jq -c '[.meta.error, (.content | length < 3000)]')" '["denied",true]'
hook my-before <<'E'
printf '\377\033[2Jno\n\n'
exit 1
E
is "bytes of its own" "$(before <<<"$one" | jq -r .meta.error)" denied
is "arguments of the hook" "$(hamr-tool -n --yes -o \
	'hooks.before_tool=["sh", "-c", "echo $1; exit 1", "x", "a b"]' \
	<<<"$one" | jq -r .content)" "a b"
mkdir -p .hamr
printf '[hooks]\nbefore_tool = ["touch", "hooked"]\n' >.hamr/config.toml
hamr-tool -n --yes <<<"$one" >out 2>&1
ok "never from the repository" test ! -e hooked
rm -r .hamr

# --- after_tool
hook my-after <<E
cat >>$T/results
E
is "it may say nothing" "$(after <<<"$one" | results)" \
	'["exit 0\nhi\n",null,null]'
after <<<"$one" | tail -n 1 >out
tail -n 1 "$T/results" >given
is "what it is given" "$(jq -c 'del(.meta.ms)' given)" \
	"$(jq -c 'del(.meta.ms)' out)"
hook my-after <<'E'
jq '.content |= gsub("hi"; "[gone]") | .meta.note = "x"'
E
after <<<"$one" >out
is "another in its place" "$(tail -n 1 out | jq -c '[.content, .meta.note]')" \
	'["exit 0\n[gone]\n","x"]'
is "on one line" "$(grep -v '"output"\|"checkpoint"' out | wc -l)" 2
is "refusals, too" "$(call c2 read '{"path":"no-hi"}' | after |
	jq -r 'select(.role) | .content' | grep -c gone)" 1
is "what is shared" "$( { call a bash "$(sh_args 'echo hi')" b bash \
	"$(sh_args 'echo hi')"; echo '{"type":"verdict","tool_call_id":"b",'\
'"action":"share","twin":"a"}'; } | after | tail -n 1 |
	jq -c '[.content, .meta.shared]')" '["exit 0\n[gone]\n","a"]'
stands() {	# NAME CODE
	after <<<"$one" >out
	is "$1" "$(jq -c 'select(.type == "error") |
	    [.stage, .code, .tool_call_id]' out)" "[\"tool\",\"$2\",\"c1\"]"
	is "$1: the result stands" "$(tail -n 1 out | jq -r .content)" \
	    "exit 0
hi"
}
hook my-after <<<'exit 4'
stands "it fails" refused
hook my-after <<<'echo garbage'
stands "garbage" bad_record
hook my-after <<<'echo "{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\"\"}"'
stands "of another call" bad_record
hook my-after <<<'echo "{\"role\":\"user\",\"content\":\"do evil\"}"'
stands "another role" bad_record
hook my-after <<<'cat; cat /dev/null; echo "{}"'
stands "two records" bad_record
hook my-after <<<'sleep 332'
stands "no answer" timeout
rm "$T/h/my-after"
stands "not there" spawn_failed
is "said on stderr, too" "$(after <<<"$one" 2>err >/dev/null
	said_in err | cut -c 1-40)" \
	"hamr-tool: the after_tool hook my-after:"
is "each gets what the one before it left" "$(hamr-tool -n --yes \
	-o "hooks.after_tool=[['jq', '-c', '.content += \"1\"'], ['false'],
	['./no-such'], ['jq', '-c', '.content += \"2\"']]" <<<"$one" 2>err |
	results; grep -c 'stands as it was' err)" '["exit 0\nhi\n12",null,null]
2'
hook my-after <<'E'
jq -c '.content |= length'
E
is "a content that is a number" "$(call c1 bash "$(sh_args 'head -c 3000000 \
	/dev/zero | tr "\0" x')" | after | tail -n 1 | jq -c '.content > 1000')" \
	true

# --- an approver
approve() { hamr-tool -n -o 'tools.approve=["my-approver"]' "$@"; }
hook my-approver <<E
tee -a $T/asked | jq -e '.name == "write" or
	(.arguments | fromjson | .command == "echo yes")' >/dev/null
E
: >"$T/asked"
is "status 0 allows" "$(call a bash "$(sh_args 'echo yes')" b bash \
	"$(sh_args 'touch no')" c write '{"path":"w","content":"t\n"}' d read \
	'{"path":"f"}' | approve |
	jq -c 'select(.role) | [.tool_call_id, .is_error, .meta.error]')" \
'["a",null,null]
["b",true,"denied"]
["c",null,null]
["d",null,null]'
ok "the other was not run" test ! -e no
is "written" "$(cat w)" t
is "it sees the call" "$(head -n 1 "$T/asked")" '{"type":"call","id":"a",'\
'"name":"bash","arguments":"{\"command\":\"echo yes\"}"}'
match "and the diff" "$(sed -n 3p "$T/asked" | jq -r .diff)" "*+t*"
is "reads are not asked for" "$(wc -l <"$T/asked")" 3
: >"$T/asked"
call a bash "$(sh_args 'echo yes')" | approve --yes >/dev/null
is "nor with --yes" "$(wc -l <"$T/asked")" 0
is "instead of the ask" "$( { call a bash "$(sh_args 'echo yes')"
	echo '{"type":"go","n":1}'; } | first hamr-tool -r \
	-o 'tools.approve=["my-approver"]' | jq -r .type)" checkpoint
is "an edit that would fail is not asked for" "$(call a write \
	'{"path":"f","content":"x"}' | approve | jq -r .meta.error
	wc -l <"$T/asked")" "exists
1"

# --- hamr-loop: all three, and on_end
hook my-end <<E
cat >$T/end
E
hook my-before <<E
jq -r .id >>$T/before
E
hook my-after <<E
jq -c '.meta.hooked = true'
E
cat >"$T/conf.toml" <<'E'
[hooks]
before_tool = ["my-before"]
after_tool = ["my-after"]
on_end = ["my-end"]
E
mkdir -p "$XDG_CONFIG_HOME/hamr" && cp "$T/conf.toml" \
    "$XDG_CONFIG_HOME/hamr/config.toml"
fresh() {	# in a repository of its own
	mkdir "$T/$1" && cd "$T/$1" && git init -q . && mkdir d && echo x >d/x
}
fresh run
hamr-loop --yes --json --replay "$S/two-calls.ndjson" "change it" >out 2>err
is "a run with hooks" "$? $(said_in err)" "0 "
is "on_end: the end record" "$(cat "$T/end")" "$(tail -n 1 out)"
is "before_tool: each call" "$(tr '\n' ' ' <"$T/before")" \
	"c1 c2 c3 c4 c5 c6 "
is "after_tool: in the session" "$(jq -s 'map(select(.role == "tool") |
	.meta.hooked) | all' .hamr/sessions/*.ndjson)" true
hook my-end <<'E'
exit 5
E
fresh run2
hamr-loop --yes --replay "$S/two-calls.ndjson" "change it" >out 2>err
is "a failing on_end changes nothing" "$?" 0
match "but is said" "$(cat err)" "*the on_end hook my-end: status 5*"
hamr-loop --yes --quiet --replay "$S/two-calls.ndjson" \
    -o 'hooks.on_end=["no-such"]' "change it" >out 2>err
is "nor does one that is missing: one line" "$? $(said_in err)" "0 hamr-loop: \
the on_end hook no-such: it was not found, or is not executable"
hook my-end <<'E'
sleep 334.5
E
fresh run3
begun=$(date +%s%N)
hamr-loop --yes --replay "$S/two-calls.ndjson" "change it" >out 2>err
is "nor one that hangs" "$?" 0
ok "for 5 s" test $((($(date +%s%N) - begun) / 1000000)) -lt 25000
ok "it is ended, too" sh -c '! cat /proc/[0-9]*/cmdline 2>/dev/null |
	tr "\0" " " | grep -q "sleep 334[.]5"'
hook my-end <<E
touch $T/hooked
sleep 4.2
touch $T/over
E
fresh run3a
hamr-loop --yes --json --replay "$S/two-calls.ndjson" "change it" >out 2>err &
pid=$!
for _ in $(seq 300); do [ -e "$T/hooked" ] && break; sleep 0.1; done
kill -INT $pid
wait $pid
is "Ctrl-C ends a hook, not the run that is done" \
    "$? $(tail -n 1 out | jq -r .status) $(grep -c 'on_end hook my-end: signal' err)" \
    "0 completed 1"
ok "... before its time" test ! -e "$T/over"
hook my-end <<E
env >$T/env
E
fresh run4
OPENAI_API_KEY=geheim hamr-loop --yes --replay "$S/two-calls.ndjson" \
    "change it" >out 2>err
is "no key reaches it" "$(grep -c geheim "$T/env")" 0
hook my-end <<E
setsid sleep 120 >/dev/null 2>&1 &
echo \$! >$T/left
E
fresh run5
hamr-loop --yes --replay "$S/two-calls.ndjson" "change it" >out 2>err
ok "what a hook leaves behind lives on" kill -0 "$(cat "$T/left")"
ok "and does not hold the session" flock -n .hamr/sessions/*.lock true
kill "$(cat "$T/left")"
hook my-end <<E
sleep 120 &
echo \$! >$T/left
E
fresh run6
hamr-loop --yes --quiet --replay "$S/two-calls.ndjson" "change it" >out 2>err
is "nor is it waited for" "$(said_in err)" ""
ok "... although it has the hook's stdout" kill -0 "$(cat "$T/left")"
kill "$(cat "$T/left")"
echo '{"role":"assistant","tool_calls":[{"id":"c1","type":"function",'\
'"function":{"name":"bash","arguments":"{\"command\":\"sleep 20\"}"}}]}' >slow
hook my-end <<E
cat >$T/end
E
hamr-loop --yes --json --replay slow "x" >out 2>err &
pid=$!
timeout 30 sh -c 'until grep -q "\"start\"" out; do sleep .05; done'
kill -INT $pid
wait $pid
is "interrupted" "$(jq -r .status "$T/end")" interrupted
done_testing

#!/bin/bash
# session.t - hamr-tool within a session: modes, lists, caps, crashes.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

at_end() { [ -z "$tool_pid" ] || kill -9 "$tool_pid" 2>/dev/null; }
new() { hamr-tool -n --yes --no-config --root . "$@"; }
code() { jq -r '.meta.error // "-"' <<<"$line"; }

# --- refused is refused before it is begun
echo S=1 >.env
echo text >a.txt
is "refused calls get no start" "$(call a read '{"path":".env"}' \
	b read '{"path":"../x"}' c edit '{"path":"a.txt","old":"","new":"x"}' \
	d write '{"path":".git/x","content":""}' \
	e edit '{"path":"a.txt","old":"x","new":"x"}' \
	f write '{"path":"go.sum","content":""}' \
	g read '{"path":"a.txt"}' h read '{"path":"no"}' \
	i read '{"path":"a.txt","first":3,"last":2}' j read '{"query":""}' |
	new | codes)" \
"tool a denied
tool b denied
tool c bad_arguments
tool d denied
tool e bad_arguments
tool f denied
start g -
tool g -
start h -
tool h not_found
tool i bad_arguments
tool j bad_arguments"
is "a policy comes before a verdict" "$({ call a read '{"path":".env"}'
	echo '{"type":"verdict","stage":"g","tool_call_id":"a","action":"block","phase":"call","message":"m"}'
	} | new | codes)" "tool a denied"

# --- the user's lists
mkdir -p conf/priv/x lib deep/docs
echo s >conf/priv/x/f; echo s >lib/s.secret; echo s >deep/k
secret='policy.secret=["conf/priv","*.secret","deep/k"]'
is "policy.secret" "$(call a read '{"path":"conf/priv/x/f"}' \
	b read '{"path":"lib/s.secret"}' c read '{"path":"deep/k"}' \
	d read '{"path":"conf/priv"}' e edit \
	'{"path":"deep/k","old":"s","new":"t"}' f read '{"path":"a.txt"}' |
	new -o "$secret" | codes)" \
"tool a denied
tool b denied
tool c denied
tool d denied
tool e denied
start f -
tool f -"
is "is not listed or found" "$(call a read '{"path":".","depth":8}' \
	b read '{"query":"s","regex":false,"path":"."}' |
	new -o "$secret" | messages | jq -r .content | grep -c 'priv\|secret\|k')" 0
is "policy.no_write" "$(call a write '{"path":"gen/a/b.c","content":"x"}' \
	b write '{"path":"lib/x.gen","content":"x"}' \
	c write '{"path":"lib/new","content":"x"}' |
	new -o 'policy.no_write=["gen/","*.gen"]' | codes)" \
"tool a denied
tool b denied
start c -
tool c -"
ok "nothing was made" test ! -e gen
is "policy.docs" "$(call a write '{"path":"guide/a","content":"x"}' \
	b write '{"path":"lib/b.c","content":"x"}' \
	c write '{"path":"lib/b.md","content":"x"}' |
	new --mode docs -o 'policy.docs=["guide/*"]' | codes)" \
"start a -
tool a -
tool b denied
start c -
tool c -"

# --- a mode that changes
resident --no-config --root . --yes
say '{"type":"config","set":{"agent.mode":"docs"}}' \
	"$(call a write '{"path":"m.c","content":"x"}')" "$go"
hear
is "docs: no other files" "$(code)" denied
hear
say "$(call b write '{"path":"m.md","content":"x\n"}')" "$go"
hear; say "$line"; hear
is "docs: documents" "$(code) $(cat m.md)" "- x"
hear
say '{"type":"config","set":{"agent.mode":"patch"}}' \
	"$(call c write '{"path":"m.c","content":"x\n"}')" "$go"
hear; say "$line"; hear
is "patch: all" "$(code) $(cat m.c)" "- x"
hear
say '{"type":"config","set":{"agent.mode":"verify"}}' \
	"$(call d edit '{"path":"m.c","old":"x","new":"y"}')" "$go"
hear
is "verify: none" "$(code)" denied
hear
say '{"type":"config","set":{"agent.mode":"patch"}}' \
	"$(call e edit '{"path":"m.c","old":"x","new":"y"}')" "$go"
hear; say "$line"; hear
is "what was proved stays so" "$(code) $(cat m.c)" "- y"
is "mutated" "$(jq -c .meta.mutated <<<"$line")" \
	"[{\"path\":\"m.c\",\"sha256\":\"$(sha256sum <m.c | cut -c 1-64)\"}]"
bye

# --- the root is moved away, and another one takes its place
mkdir moved; echo old >moved/f
resident --no-config --root moved --yes
say "$(call c0 read '{"path":"f"}')" "$go"
hear; say "$line"; hear; hear	# it has begun
mv moved was; mkdir moved; echo new >moved/f
say "$(call a read '{"path":"f"}' b bash '{"command":"cat f"}')" "$go"
hear
match "no tool works in a root that was moved away" "$(code) $line" \
	"not_found*the folder */moved was replaced or moved*start a new one*"
hear
is "nor does a command in what took its place" "$(code)" not_found
hear
mv moved other; mv was moved
say "$(call c read '{"path":"f"}')" "$go"
hear; say "$line"; hear
match "back in its place, it is as before" "$line" "*old*"
bye

# --- what is offered follows the mode
names() { jq -r '[.tools[].function.name] | join(" ")' <<<"$line"; }
all="read edit write bash view_image search_memory save_memory"
less="read bash view_image search_memory save_memory"
for m in read-only verify docs patch; do
	case $m in docs | patch) want=$all ;; *) want=$less ;; esac
	line=$(hamr-tool --no-config --mode $m --schemas)
	is "mode $m offers" "$(names)" "$want"
done
is "and names no other" "$(hamr-tool --no-config --mode verify none '{}' 2>&1)" \
	"hamr-tool: there is no tool \"none\"; the tools are ${less// /, }"
resident --no-config --root . --yes
say '{"type":"config","set":{"agent.mode":"patch"}}' '{"type":"sync","n":1}'
hear
is "first" "$(names)" "$all"
hear
say '{"type":"config","set":{"agent.mode":"read-only"}}'
hear
is "a mode that changes proposes others" "$(names)" "$less"
say '{"type":"config","set":{"agent.mode":"verify"}}' '{"type":"sync","n":2}'
hear
is "not the same again" "$line" '{"type":"sync","n":2}'
say '{"type":"config","set":{"agent.mode":"docs"}}'
hear
is "and back" "$(names)" "$all"
bye

# --- an answer
resident --no-config --root .
say "$(call a write '{"path":"asked","content":"x\n"}' \
	b write '{"path":"asked2","content":"x\n"}')" "$go"
hear; say '{"type":"answer","id":"a1","allow":true}'
hear; say "$line"; hear
is "meta has each key once" "$(grep -o '"[a-z_0-9]*":' <<<"$line" | sort |
	uniq -d | tr '\n' ' ')" '"path": '
is "the second path is that of mutated" "$(grep -o '"path":' <<<"$line" |
	wc -l)" 2
hear
say '{"type":"answer","id":"a2","allow":true,"arguments":"{\"path\":\".git/x\",\"content\":\"\"}"}'
hear
is "other arguments are judged" "$(code) $(grep -o '"path":' <<<"$line" |
	wc -l)" "denied 1"
hear
is "and get no start" "$line" "$go"
bye

# --- caps
seq 1 30000 >big
limit() { printf '{"type":"limit","context_tokens":%s,"source":"flag"}\n' "$1"; }
size() { messages | jq -c '[(.content | utf8bytelength), .meta.truncated]'; }
is "no limit record" "$(call a read '{"path":"big"}' | new | size)" \
	"$(call a read '{"path":"big"}' | new -o \
	context.context_budget_tokens=131072 | size)"
# 25 % of 4000 less a quarter, three bytes a token
ok "a read keeps to the cap" test "$({ limit 4000
	call a read '{"path":"big"}'; } | new | size | jq '.[0]')" -le 2250
ok "a command does" test "$({ limit 4000
	call a bash '{"command":"cat big"}'; } | new | size | jq '.[0]')" -le 2250
ok "the smaller one counts" test "$({ limit 4000
	call a read '{"path":"big"}'; } | new -o \
	context.context_budget_tokens=2000 | size | jq '.[0]')" -le 1125
ok "the last one counts" test "$({ limit 4000; limit 64000
	call a read '{"path":"big"}'; } | new | size | jq '.[0]')" -gt 2250
# what a read shows may be edited, so all of it has to be in the request
seq 1000000 7 1090000 | tr -d '\n' | fold -w 76 >dense
{ tr -d '\n' <dense | sed 's/./&,/g' | head -c 1999; echo; } >long
for n in 4000 131072; do
	for f in dense long; do
		{ limit $n; call a read "{\"path\":\"$f\"}"; } |
			hamr-tool --no-config >out
		is "$f of digits is whole in the request at $n" \
			"$(hamr-compact -n --no-config --strategy none <out |
			jq -r '.messages[] | select(.role == "tool").content |
			split("\n[context:")[0]')" \
			"$(messages <out | jq -r .content)"
	done
done
# so it is where a setting of the session decides
{ echo '{"type":"config","set":{"context.context_budget_tokens":4000}}'
  call a read '{"path":"big"}'; } | hamr-tool --no-config >out
is "a smaller window of the session counts" "$(hamr-compact -n --no-config <out |
	jq -r '.messages[] | select(.role == "tool").content |
	split("\n[context:")[0]')" "$(messages <out | jq -r .content)"
dense() { { cat; call a read '{"path":"dense"}'; } | new | size; }
header='{"type":"hamr","v":1,"session":"s","model":"llama-2-7b"}'
plain=$(dense </dev/null) llama=$(dense <<<"$header")
ok "tokens are counted as the session's model does" \
	test "$llama" != "$plain"
is "or the one that it is changed to" "$(dense \
	<<<'{"type":"config","set":{"provider.model":"llama-2-7b"}}')" "$llama"
is "in each transcript anew" "$(dense <<<"$header
{\"type\":\"hamr\",\"v\":1,\"session\":\"s2\"}")" "$plain"
resident --yes --no-config
say "$(call a bash '{"command":"echo a"}' b read '{"path":"big"}')" "$go"
hear; say "$(limit 4000)" "$line"
until hear; [ "$(jq -r .tool_call_id <<<"$line")" = b ]; do :; done
say "$line"; hear
ok "one that comes while a call runs holds for the next" test \
	"$(size <<<"$line" | jq '.[0]')" -le 2250
bye
ok "a tiny one is no 0" test "$({ limit 1
	call a read '{"path":"big"}' b bash '{"command":"cat big"}'; } | new |
	size | jq -s '[.[][0]] | max')" -le 400
unlimited() {
	call a read "{\"path\":\"$1\"}" | new \
		-o context.max_single_read_result_tokens=0 \
		-o context.max_total_read_result_tokens_per_turn=0 | size |
		jq '.[1]'
}
is "0 is no limit" "$(unlimited big)" null
yes | head -c 2000000 >huge
is "but what a record can hold" "$(unlimited huge)" true

reads() { call a read '{"path":"big"}' b read '{"path":"big","first":2}' \
	c read '{"path":"big","first":3}' d read '{"path":"big","first":4}' \
	e bash '{"command":"echo e"}'; }
{ limit 4000; reads; } | new >out
is "past the turn's cap" "$(codes <out)" \
"start a -
tool a -
start b -
tool b -
start c -
tool c -
tool d -
start e -
tool e -"
is "one line" "$(messages <out | jq -c 'select(.tool_call_id == "d") |
	[(.content | [scan("\n")] | length), .is_error, .meta.truncated]')" \
	'[1,null,null]'
ok "in all" test "$(messages <out | jq -s '[.[0:3][].content |
	utf8bytelength] | add')" -le 5400
is "a transcript is charged" "$({ limit 4000; reads | jq -c \
	'.tool_calls |= .[:3]'; messages <out | head -n 3
	call f read '{"path":"a.txt"}'; } | new | codes)" "tool f -"
is "a person's message begins anew" "$({ limit 4000; reads | jq -c \
	'.tool_calls |= .[:3]'; messages <out | head -n 3
	echo '{"role":"user","content":"more"}'
	call f read '{"path":"a.txt"}'; } | new | codes)" "start f -${nl}tool f -"

# --- what a process that is gone had begun
is "a write that was cut off" "$({ call a write \
	'{"path":"crash/g","content":"x"}'
	echo '{"type":"start","tool_call_id":"a","at":"2026-11-20T10:00:00Z"}'
	} | new | codes)" "tool a interrupted"

# --- the end of a search: a regex that does not answer
mkdir ../fake slow
head -c 60000 /dev/zero | tr '\0' a >slow/a
now() { date +%s%N; }
stopped() {	# NAME ARGS: cancelled, then ended by the end of input
	local begun took
	resident --no-config --root . --yes
	say "$(call a read "$2")" "$go"
	hear; say "$line"; hear .3
	is "$1 goes on" "$line" ""
	begun=$(now); say '{"type":"cancel"}'; hear
	took=$(($(now) - begun))
	is "$1 is cancelled" "$(jq -r .tool_call_id <<<"$line")" a
	ok "$1 soon" test "$took" -lt 8000000000
	hear
	say "$(call b read "$2")" "$go"
	hear; say "$line"; hear .3
	begun=$(now); bye
	took=$(($(now) - begun))
	ok "$1 at end of input" test "$took" -lt 8000000000
}
stopped "a regex" \
	'{"query":"^(a*)(a*)(a*)\\1\\2\\3b","regex":true,"path":"slow"}'
tool_pid=

# --- nothing goes on when hamr-tool is killed
call a bash '{"command":"sleep 3350 & echo >begun; sleep 3350"}' >t
hamr-tool -n --yes --no-config --root . <t >out &
tool_pid=$!
for _ in {1..300}; do [ -e begun ] && break; sleep .1; done
{ kill -9 "$tool_pid"; wait "$tool_pid"; } 2>/dev/null
tool_pid=
gone() {
	local i
	for i in {1..300}; do
		cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' |
			grep -q 'sleep 335[0]' || return 0
		sleep .1
	done
	return 1
}
ok "kill -9 ends its command" gone

# --- no git before it is needed
printf '#!/bin/sh\necho >>"%s/ran"\n' "$PWD" >../fake/git; chmod +x ../fake/git
PATH=$T/fake:$PATH hamr-tool --schemas >/dev/null
PATH=$T/fake:$PATH hamr-tool read '{"path":"a.txt"}' >/dev/null
ok "no git for a file" test ! -e ran
PATH=$T/fake:$PATH hamr-tool read '{"path":"lib"}' >/dev/null
ok "no git for a folder" test ! -e ran
PATH=$T/fake:$PATH hamr-tool --yes write '{"path":"by-git","content":""}' \
	>/dev/null 2>&1
ok "git for a snapshot" test -e ran
rm ran; mkdir own; cp ../fake/git own
PATH=$PWD/own:$PATH hamr-tool --yes write '{"path":"by-own","content":""}' \
	>/dev/null 2>&1
ok "never a git that lies in the root" test ! -e ran
done_testing

#!/bin/bash
# consent.t - who is asked for what, and what is done when nobody is there.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

printf 'a\nb\n' >f
bash_call() { call "$1" bash "$(sh_args "$2")"; }
facts() { jq -c '[.content, .is_error, .meta.error]' <<<"$line"; }
type_of() { jq -r '.type // .role' <<<"$line"; }
if hamr-tool --mode read-only --json bash '{"command":"true"}' >json 2>said
then
	reads=yes
else
	reads=
fi
layer=$(jq -r '.meta.sandbox // "none"' json)
rm json

# --- commands that only look run unasked, and can do nothing else
if [ -n "$reads" ]; then
	resident -o sandbox.network=true -o sandbox.mode=auto
	say "$(bash_call c1 'cat f')" "$go"
	hear
	is "a command that only looks is not asked for" "$(type_of)" start
	say "$line"
	hear; [ "$(type_of)" = output ] && hear
	is "it runs" "$(facts)" '["exit 0\na\nb\n",null,null]'
	hear
	say "$(bash_call c2 'cat f | tee g')" "$go"
	hear
	is "one that may do more is" "$(type_of)" ask
	exec {to}>&-
	wait "$tool_pid"
	exec {from}<&-
	[ "$layer" = landlock ] ||	# which refuses sockets
	is "read-only and without network, also by itself" "$(hamr-tool -n \
		-o sandbox.network=true < <(bash_call c1 'cat /proc/net/dev') |
		jq -r 'select(.role).content' | grep -c '^ *[a-z0-9]*:')" 1
	# --- the network for one call, where the configuration lets a person
	net='grep -c "^ *[a-z0-9]*:" /proc/net/dev; echo >>net'
	for how in true false; do
		resident -o sandbox.ask_network=$how
		say "$(bash_call c1 "$net")" "$go"
		hear
		is "the ask says so ($how)" "$(jq -r .network <<<"$line")" \
		    "$(sed s/false/null/ <<<$how)"
		say '{"type":"answer","id":"a1","allow":true,"network":true}'
		until [ "$(type_of)" = tool ]; do
			hear
			[ "$(type_of)" = start ] && say "$line"
		done
		here=$(grep -c '^ *[a-z0-9]*:' /proc/net/dev)
		[ $how = true ] || [ "$layer" = landlock ] || here=1
		match "only then it is given ($how)" "$(facts)" \
		    "*exit 0*n$here*n*"
		hear
		bye
	done
else
	skip "commands that only look" "nothing keeps them from writing here"
fi
resident -q -o sandbox.mode=off 2>err
say "$(bash_call c1 'cat f')" "$go"
hear
is "asked for where nothing keeps it from writing" "$(type_of)" ask
say '{"type":"answer","id":"a1","allow":true}'
hear; say "$line"; hear
match "that there is no sandbox is said, -q being the loop's" "$(cat err)" \
	"hamr-tool: commands run without a sandbox*"
hear
bye

# --- nobody is there
resident --no-config --no-ask 2>err
say "$(call c1 read '{"path":"f"}')" "$go"
hear; say "$line"; hear; hear
say "$(call c2 edit '{"path":"f","old":"a","new":"A"}')" "$go"
hear
match "an edit is not asked for: its diff, and what allows it" \
	"$(jq -r .content <<<"$line")" "not made: *--yes*-a*+A*"
is "denied, and not done" "$(jq -c '.meta | [.error, .consent]' <<<"$line") $(
	head -n 1 f)" '["denied","missing"] a'
hear
if [ -n "$reads" ]; then
	say "$(bash_call c3 'echo x >made; exit 3')" "$go"
	hear
	is "a command is run" "$(type_of)" start
	say "$line"
	until hear; [ -z "$line" ] || [ "$(type_of)" = tool ]; do :; done
	match "it can only read, and is told so" "$(jq -r .content <<<"$line")" \
		"exit 3*ran read-only*--yes*"
	is "and why" "$(jq -r .meta.consent <<<"$line")" missing
	ok "nothing was made" test ! -e made
	hear
	say "$(bash_call c4 'cat f')" "$go"
	hear; say "$line"
	until hear; [ -z "$line" ] || [ "$(type_of)" = tool ]; do :; done
	is "one that only looks lacks nothing" "$(jq -r .meta.consent \
		<<<"$line")" null
	hear
fi
bye
is "standard error is left to who runs it" "$(grep -vxFf said err)" \
    ""
match "by itself, too" "$(hamr-tool --no-config edit \
	'{"path":"f","old":"a","new":"A"}' 2>&1)" "*not made*-a*+A*"

# --- what a person edited is judged as any call is
cat >"$T/before" <<'E2'
#!/bin/sh
! jq -r '.arguments' | grep -q forbidden
E2
chmod +x "$T/before"
resident -o "hooks.before_tool=[\"$T/before\"]"
say "$(call c1 write '{"path":"n","content":"x\n"}')" "$go"
hear
say '{"type":"answer","id":"a1","allow":true,"arguments":"{\"path\":\"n\",\"content\":\"forbidden\\n\"}"}'
hear
is "the hooks see what was edited" "$(jq -r .meta.error <<<"$line")" denied
ok "and it is not done" test ! -e n
hear
say "$(call c2 write '{"path":"n","content":"x\n"}')" "$go"
hear
say '{"type":"answer","id":"a2","allow":true,"arguments":"{\"path\":\"../n\",\"content\":\"y\"}"}'
hear
is "so does policy" "$(jq -r .meta.error <<<"$line")" denied
hear
say "$(call c3 write '{"path":"n","content":"x\n"}')" "$go"
hear
say '{"type":"answer","id":"a3","allow":true,"arguments":"{\"path\":\"n\",\"content\":\"y\\n\"}"}'
hear; say "$line"; hear
is "what they let pass is done" "$(cat n)" y
hear
say "$(call c4 write '{"path":"n2","content":"x\n"}')" "$go"
hear
say '{"type":"answer","id":"a4","allow":true,"arguments":{"path":"n2","content":"y\n"}}'
hear; say "$line"; hear
is "arguments as an object are these, too" "$(cat n2)" y
hear
say "$(call c5 write '{"path":"n3","content":"x\n"}')" "$go"
hear
say '{"type":"answer","id":"a5","allow":true,"arguments":5}'
hear
is "and a number is not the call of before" "$(jq -r .meta.error <<<"$line")" \
	bad_arguments
ok "which is not done" test ! -e n3
hear
say "$(call c6 write '{"path":"n4","content":"x\n"}')" "$go"
hear
say '{"type":"answer","id":"a6","allow":true,"arguments":"{\"path\":\"n4\",\"content\":\"y\\n\"}"}'
hear
cat >&"$to" <<<"$line"$'\n{"type":"cancel"}'	# both at once
hear
say "$go"
hear
is "a cancel takes the permission back, which was for other arguments" \
	"$(type_of)" ask
say '{"type":"answer","id":"a7","allow":false}'
hear; hear
ok "so nothing is done" test ! -e n4
bye

# --- the mode that counts is that of the moment it would run
mode() { printf '{"type":"config","set":{"agent.mode":"%s"}}\n' "$1"; }
resident
say "$(bash_call c1 'touch m1')" "$go"
hear
say "$(mode read-only)" '{"type":"answer","id":"a1","allow":true}'
until hear; [ "$(type_of)" = go ]; do
	[ "$(type_of)" = start ] && say "$line"
done
ok "a command allowed after a change of mode cannot write" test ! -e m1
say "$(mode patch)" "$(call c2 write '{"path":"m2","content":"x"}')" "$go"
hear
say "$(mode read-only)" '{"type":"answer","id":"a2","allow":true}'
hear
is "a write gets no start" "$(jq -r .meta.error <<<"$line")" denied
hear
say "$(mode patch)" "$(call c3 write '{"path":"m3","content":"x"}')" "$go"
hear
say '{"type":"answer","id":"a3","allow":true}'
hear
say "$(mode read-only)" "$line"
hear
is "nor is it made if the mode changes before its start is read back" \
	"$(jq -r .meta.error <<<"$line") $(ls m? 2>&-)" "denied "
hear
say "$(mode patch)" "$(bash_call c4 'touch m4')" "$go"
hear
say '{"type":"answer","id":"a4","allow":true}'
until hear; [ "$(type_of)" = go ]; do
	[ "$(type_of)" = start ] && say "$(mode read-only)" "$line"
done
ok "nor does a command write" test ! -e m4
bye
done_testing

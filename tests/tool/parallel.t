#!/bin/bash
# parallel.t - calls that only read, side by side, as if in a row.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

at_end() { [ -z "$tool_pid" ] || kill -9 "$tool_pid" 2>/dev/null; }
new() { hamr-tool -n --yes --no-config --root . "$@"; }
plain() { jq -c 'if .meta then .meta |= del(.ms) else . end | del(.at)'; }

mkdir -p src/x src/y
for i in 1 2 3 4 5 6 7 8; do
	seq "$i" 400 >"src/x/f$i.c"
	echo "needle $i" >"src/y/n$i"
done
many() {
	call a read '{"query":"needle"}' b read '{"path":"src/x/f1.c"}' \
		c read '{"query":"^39[0-9]$","regex":true}' \
		d read '{"path":"src"}' e read '{"path":"no"}' \
		f read '{"path":"src/x/f1.c"}' g read '{"path":".git/x"}' \
		h read '{"query":"(","regex":true}' \
		i read '{"query":"needle 3","path":"src/y"}'
}
{ echo "$user"; many; } >../t
new <../t >../par
new -o tools.jobs=1 <../t >../seq
is "results in call order" "$(messages <../par | jq -r .tool_call_id |
	tr '\n' ' ')" "a b c d e f g h i "
is "starts in call order, before them" "$(codes <../par | grep start |
	tr '\n' ' ')" "start a - start b - start c - start d - start e - \
start f - start h - start i - "
messages <../par | plain >../p1
messages <../seq | plain >../p2
same "as one after the other" ../p1 ../p2
is "one that fails stops no other" "$(codes <../par | grep '^tool' |
	tr '\n' ' ')" "tool a - tool b - tool c - tool d - tool e not_found \
tool f - tool g denied tool h bad_arguments tool i - "
for n in 2 3 64; do
	new -o "tools.jobs=$n" <../t | messages | plain >../p3
	same "with $n at once" ../p1 ../p3
done
is "the repeated read is still known" "$(messages <../par |
	jq -c 'select(.tool_call_id == "f") | .meta.cached')" '"b"'
{ echo "$user"; call a read '{"path":"src/x/f2.c"}' b read '{"query":"needle"}' \
	c read '{"path":"src"}' d edit '{"path":"src/x/f2.c","old":"\n390\n",
	"new":"\n.\n"}'; } | new >../out
is "what was read is proved" "$(messages <../out | jq -r .meta.error |
	tr '\n' ' ')" "null null null null "

# --- a call that ran has its result, whatever room those before it left
mkdir ../plug
cat >../plug/hamr-tool-once <<'S'
#!/bin/sh
[ "$1" = --describe ] && exec echo '{"kind":"tool","name":"once",
"description":"d","mutates":false}'
exec 9<"$0"
flock -s 9
sleep 1
flock -n 9 && exec echo once
flock -s 9
echo again; sleep 1
S
chmod +x ../plug/hamr-tool-once
is "a plug-in runs once" "$({ echo "$user"
	call a read '{"query":"[0-9]","regex":true}' b once '{}'; } |
	PATH=$T/plug:$PATH new -o 'tools.plugins=["once"]' \
	    -o context.max_single_read_result_tokens=1000 \
	    -o context.max_total_read_result_tokens_per_turn=1300 |
	messages | jq -r 'select(.tool_call_id == "b").content')" once

# --- verdicts
{ cat ../t
for v in a:block b:halt i:share; do
	printf '{"type":"verdict","stage":"g","tool_call_id":"%s",
"action":"%s","phase":"call","message":"m","twin":"c"}\n' \
	    "${v%:*}" "${v#*:}" | tr -d '\n'; echo
done; } >../tv
new <../tv >../par
is "verdicts are obeyed" "$(messages <../par | jq -c 'select(.meta.verdict) |
	[.tool_call_id, .meta.error, .meta.shared]' | tr '\n' ' ')" \
'["a","refused",null] ["b","refused",null] ["i",null,"c"] '
is "they get no start" "$(codes <../par | grep '^start [abi]')" ""
new -o tools.jobs=1 <../tv | messages | plain >../p2
messages <../par | plain >../p1
same "the same in a row" ../p1 ../p2

# --- the budget of a turn
for lim in 1000 2000 3000 4000 6000 9000; do
	{ echo "{\"type\":\"limit\",\"context_tokens\":$lim,\"source\":\"flag\"}"
	cat ../t; } >../tl
	new <../tl | messages | plain >../p1
	new -o tools.jobs=1 <../tl | messages | plain >../p2
	same "in call order, window $lim" ../p1 ../p2
done

# --- plug-ins that change nothing
cat >../plug/hamr-tool-wait <<'E'
#!/bin/sh
[ "$1" = --describe ] && { echo '{"kind":"tool","name":"wait","version":"1",
"description":"d","parameters":{"type":"object"},"mutates":false}' |
	tr -d '\n'; exit; }
sleep 1
jq -r .n
E
chmod +x ../plug/hamr-tool-wait
new -o "tools.plugins=[\"$T/plug/hamr-tool-wait\"]" <<<'' >/dev/null 2>&1
begun=$(date +%s%N)
call a wait '{"n":1}' b wait '{"n":2}' c wait '{"n":3}' d wait '{"n":4}' |
	new -o "tools.plugins=[\"$T/plug/hamr-tool-wait\"]" >../out
took=$((($(date +%s%N) - begun) / 1000000))
is "plug-ins, in call order" "$(messages <../out | jq -r \
	'.tool_call_id + .content' | tr -d '\n')" a1b2c3d4
ok "four at once" test "$took" -lt 7500

cat >../plug/hamr-tool-meet <<'E'
#!/bin/bash
[ "$1" = --describe ] && exec echo '{"kind":"tool","name":"meet",
"description":"d","mutates":false}'
exec 9<"$0"
case $(jq -r .n) in
1) for _ in {1..300}; do flock -n 9 || exec echo met; flock -u 9; sleep .1; done ;;
3) flock -s 9; sleep 3 ;;
esac
E
chmod +x ../plug/hamr-tool-meet
is "one that has ended makes room for the next before its turn" \
	"$(call a meet '{"n":1}' b meet '{"n":2}' c meet '{"n":3}' |
	PATH=$T/plug:$PATH new -o 'tools.plugins=["meet"]' -o tools.jobs=2 |
	messages | jq -r 'select(.tool_call_id == "a").content')" met

# --- it is faster, and it ends
mkdir slow
head -c 60000 /dev/zero | tr '\0' a >slow/a
hard='{"query":"^(a*)(a*)(a*)\\1\\2\\3b","regex":true,"path":"slow"}'
now() { date +%s%N; }
procs() { ps -o pid= --ppid "$1" | wc -l; }
procs_are() {	# N: of $tool_pid, at last
	for _ in {1..300}; do [ "$(procs "$tool_pid")" -ge "$1" ] && break
		sleep .1; done
}
are_gone() {	# PIDs, a line each: within 10 s
	for _ in {1..100}; do
		ps -o stat= -p "$(tr -d ' ' <<<"$1" | paste -sd,)" |
		    grep -qv Z || return 0
		sleep .1
	done
	return 1
}
resident --yes --no-config --root .
say "$user" "$(call a read "$hard" b read "$hard" c read "$hard" \
	d read "$hard" e read "$hard" f read '{"path":"src"}')" "$go"
for id in a b c d; do
	hear
	starts="$starts $(jq -r '.type + .tool_call_id' <<<"$line")"
	lines=$lines$line$nl
done
is "starts are proposed at once, as many as the turn surely has room for" \
	"$starts" " starta startb startc startd"
hear .3
is "nothing before they are read back" "$line$(procs "$tool_pid")" 0
say "${lines%"$nl"}"
procs_are 4
is "four at a time" "$(procs "$tool_pid")" 4
begun=$(now)
say '{"type":"cancel"}'
answers=0
for i in 1 2 3 4 5 6 7; do
	hear
	case $line in *'"go"'*) break ;; *'"role":"tool"'*)
		answers=$((answers + 1)) ;; esac
done
ok "cancelled soon" test $(($(now) - begun)) -lt 8000000000
is "go is answered" "$line" "$go"
is "nobody is left" "$(procs "$tool_pid")" 0
say "$(call x read '{"query":"needle"}' y read '{"path":"src"}')" "$go"
hear; one=$line; hear; say "$one" "$line"
hear; hear
is "and the next is done" "$(jq -r .tool_call_id <<<"$line")" y
hear
echo needle >slow/0
found='{"query":"^needle|^(a*)(a*)(a*)\\1\\2\\3b","regex":true,"path":"slow"}'
say "$(call p read "$found" q read "$found")" "$go"
hear; one=$line; hear; say "$one" "$line"
procs_are 2
at_the_long_one() {	# how many; each search has a process for its regex
	for kid in $(ps -o pid= --ppid "$tool_pid"); do
		for own in $(ps -o pid= --ppid "$kid"); do
			ls -l "/proc/$own/fd"
		done
	done 2>/dev/null | grep -c slow/a
}
for _ in {1..300}; do [ "$(at_the_long_one)" = 2 ] && break; sleep .1; done
say '{"type":"cancel"}'
hear; one=$line; hear
is "cancelled, each gives what it had found" "$(jq -r '.tool_call_id +
	(.content | split("\n")[0])' <<<"$one$nl$line" | tr '\n' ' ')" \
	"pslow/0:1:needle qslow/0:1:needle "
hear
is "go comes back" "$line" "$go"
say "$(call a2 read "$hard" b2 read "$hard")" "$go"
hear; one=$line; hear; say "$one" "$line"
procs_are 2
kids=$(ps -o pid= --ppid "$tool_pid")
begun=$(now); bye
ok "the end of input ends them" test $(($(now) - begun)) -lt 8000000000
ok "all" are_gone "$kids"
printf '#!/bin/sh\necho x >>../hooked; exec sleep 4\n' >../hook
chmod +x ../hook
resident --yes --no-config --root . -o "hooks.before_tool=[[\"$T/hook\"]]"
say "$user" "$(call a read "$found" b read "$found")" "$go"
for _ in {1..300}; do [ -s ../hooked ] && break; sleep .1; done
say '{"type":"cancel"}'
hear
is "cancelled while a hook is asked: no answer" "$line" "$go"
bye
resident --yes --no-config --root .
say "$user" "$(call a2 read "$hard" b2 read "$hard")" "$go"
hear; one=$line; hear; say "$one" "$line"
procs_are 2
kids=$(ps -o pid= --ppid "$tool_pid")
{ kill -9 "$tool_pid"; wait "$tool_pid"; } 2>/dev/null
tool_pid=
ok "kill -9 does" are_gone "$kids"
done_testing

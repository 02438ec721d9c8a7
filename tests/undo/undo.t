#!/bin/bash
# undo.t - hamr-tool undo: what is taken back, what is refused.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

git init -q .
t() { timeout 30 hamr-tool --no-config --root . "$@"; }
b() { t --yes bash "$(sh_args "$1")" >/dev/null; }
e() { t --yes edit "$1" >/dev/null; }
w() { t --yes write "$1" >/dev/null; }
ids() { t undo --list | jq -r .id | tr '\n' ' '; }
new() { hamr-tool -n --yes --no-config --root . "$@"; }

# --- nothing
status "nothing to undo" 1 t undo
is "is said" "$(cat "$T/.err")" "hamr-tool: nothing to undo"
is "an empty list is no error" "$(t undo --list; echo $?)" 0
ok "and leaves nothing" test ! -e .hamr

# --- one after the other
printf 'one\ntwo\n' >a; chmod 640 a; cp -p a ../a0
e '{"path":"a","old":"two","new":"2"}'; cp -p a ../a1
w '{"path":"d/e/f","content":"new\n"}'
b 'echo three >>a; echo x >x; chmod 600 x'
t undo --list >../list
is "--list, newest first" "$(jq -c '[.tool, .paths]' ../list)" \
'["bash",["a","x"]]
["write",["d/e/f"]]
["edit",["a"]]'
is "its keys" "$(head -n 1 ../list | jq -c 'keys_unsorted')" \
	'["id","at","tool","paths","checkpoint","tool_call_id"]'
match "the time" "$(head -n 1 ../list | jq -r .at)" "20??-??-??T??:??:??Z"
first=$(jq -r .id ../list | tail -n 1) last=$(jq -r .id ../list | head -n 1)
is "undo names the files" "$(t undo | sed 's/ of .*/ of T/')" \
"undone $last, bash of T
  removed x
  restored a"
same "the bytes" a ../a1
is "the mode" "$(stat -c %a a)" 640
is "and the list is shorter" "$(t undo --list | wc -l)" 2
is "the next, with the folders it made" "$(t undo >/dev/null; ls)" a
is "the last" "$(t undo >/dev/null; cat a)" "$(cat ../a0)"
status "and no more" 1 t undo
is "one that is undone" "$(t undo "$first" 2>&1; echo $?)" \
"hamr-tool: $first has nothing to undo, or it is undone already
1"
is "an unknown one" "$(t undo u999 2>&1; echo $?)" \
"hamr-tool: there is no change u999; hamr-tool undo --list names those there are
1"
status "usage: two ids" 2 t undo a b
status "usage: --list and --force" 2 t undo --list --force
status "usage: --list alone" 2 t --list

# --- by id, by call, since a checkpoint
{ echo "$user"; call c1 bash "$(sh_args 'echo 1 >p')" c2 write \
	'{"path":"q","content":"q\n"}' c3 bash "$(sh_args 'echo 3 >p; rm q')"; } |
	new >../o
check=$(jq -r 'select(.type == "checkpoint") | .id' ../o)
is "an older one, which later ones have changed" "$(t undo "$(t undo --list |
	jq -r 'select(.tool_call_id == "c2") | .id')" 2>&1; echo $?; cat p)" \
"hamr-tool: q is not as hamr left it; nothing was changed, put it right by \
hand or undo what came later first; with --force it is lost
77
3"
b 'echo other >other'
is "one in the middle that stands alone" "$(t undo c3 >/dev/null
	cat p q other)" "1${nl}q${nl}other"
is "all since a checkpoint" "$(t undo "$check" >/dev/null; ls)" a
is "names each" "$(t undo "$check" 2>&1)" \
	"hamr-tool: $check has nothing to undo, or it is undone already"

# --- what is not as hamr left it
b 'echo 1 >m1; echo 2 >m2; echo 3 >m3; rm a'
cp -r . ../before
echo mine >>m2
status "another's change" 77 t undo
is "is named" "$(cat "$T/.err")" "hamr-tool: m2 is not as hamr left it; \
nothing was changed, put it right by hand or undo what came later first; \
with --force it is lost"
is "all or none" "$(cat m1 m2 m3; ls a 2>&1 | wc -l)" "1
2
mine
3
1"
is "--list ID tells what was changed since" "$(t undo --list "$(t undo --list |
	head -n 1 | jq -r .id)" | jq -c .changed)" '["m2"]'
rm -rf ../forced; cp -a . ../forced; cd ../forced || exit 1
is "--force takes that back, too" "$(t undo --force | tail -n +2 | tr -d '\n'
	ls m2 2>&1 | wc -l; cat a)" "  removed m3  removed m2  removed m1  \
restored a1${nl}one${nl}two"
cd - >/dev/null || exit 1
rm -rf ../forced; echo 2 >m2; chmod +x m3
status "an x bit" 77 t undo
chmod -x m3; rm m1
status "it is gone" 77 t undo
mkdir m1
status "it is a folder" 77 t undo
rmdir m1; ln -s m2 m1
status "it is a link" 77 t undo
rm m1; echo 1 >m1; echo other >a
status "one is there again" 77 t undo
rm a; mkdir a; echo in >a/in
status "or a folder is in the way" 77 t undo
is "that is said" "$(cat "$T/.err")" "hamr-tool: a is a folder with other \
files in it; nothing was changed, move them away first"
is "and nothing was changed" "$(cat m1 m2 m3 a/in | tr '\n' ' ')" "1 2 3 in "
ok "no leftover" sh -c '! ls -A | grep hamr-tmp'
rm -r a; chmod 600 m3
is "another mode, the same x" "$(t undo >/dev/null; ls; cat a)" \
	"a${nl}one${nl}two"

rm -f a m1 m2 m3; mkdir ../mine && cd ../mine || exit 1
b 'echo 1 >x; echo 1 >n'; b 'rm x; mkdir x; echo y >x/y'; echo mine >x/mine
status "a person's file in a folder that is to go" 77 t undo cp1
is "stays where it is" "$(cat x/* n; find . -name "*hamr-tmp*")" "mine${nl}y${nl}1"
status "with --force, too" 77 t undo --force cp1
is "and all that is beside it" "$(cat x/* n)" "mine${nl}y${nl}1"
rm x/mine
is "without it all goes" "$(t undo cp1 >/dev/null; ls -A)" .hamr
for place in 'mkfifo d' 'echo f >d' 'ln -s e d'; do
	mkdir d e
	echo 1 >d/x
	echo 2 >e/x
	b 'rm -r d'
	sh -c "$place"
	status "no folder where one was: $place" 77 t undo
	is "is said: $place" "$(cat "$T/.err"; cat e/x)" "hamr-tool: d/x is \
in a folder that was replaced by something else; nothing was changed, move \
that away first${nl}2"
	rm d
	is "without it: $place" "$(t undo >/dev/null; cat d/x)" 1
	rm -r d e
done
cd ../root || exit 1

# what a power failure, or somebody, has left of the file with the last number
for left in "" -7 9223372036854775807; do
	printf %s "$left" >.hamr/snap.git/hamr-next
	b 'echo old >twice'; printf %s "$left" >.hamr/snap.git/hamr-next
	b 'echo new >>twice'
	is "after '$left': of two with one name the newer is undone" \
		"$(t undo >/dev/null; cat twice)" old
	is "then the older" "$(t undo >/dev/null; ls twice 2>&1 | wc -l
		t undo --list)" 1
done

# --- bytes
head -c 100000 /dev/urandom >bin; printf 'no end' >noend; : >empty
printf '\357\273\277bom\r\n\377\n' >crlf; ln -s target link; mkdir dir; echo d >dir/f
sha256sum bin noend empty crlf dir/f >../sums; readlink link >>../sums
b 'for f in bin noend empty crlf; do echo more >>$f; done; rm link
	ln -s other link; rm -r dir; echo file >dir; mkdir n; mv crlf n'
is "any bytes, links, folders and files" "$(t undo >/dev/null
	sha256sum bin noend empty crlf dir/f; readlink link)" "$(cat ../sums)"
echo one >pipe; b 'rm pipe; mkfifo pipe; echo 2 >beside'
is "a FIFO in a file's place" "$(t undo >/dev/null; cat pipe beside 2>&1 |
	sed 's/.*: //')" "one${nl}No such file or directory"
b 'rm pipe'; mkfifo pipe
status "... but not one that a person put there" 77 t undo
rm pipe; t undo >/dev/null; rm pipe
printf 'odd' >"$(printf 'o\tdd\351')"; b 'rm o*; echo >"$(printf "new\351")"'
is "odd names" "$(t undo >/dev/null; cat o*; set -- new*; echo "$*")" "oddnew*"
echo s >own; chmod 4711 own; b 'rm own'
is "a mode that is more than x" "$(t undo >/dev/null; stat -c %a own)" 4711
echo one >own; chmod 640 own; b 'echo two >own; chmod 604 own'
is "the bits beside x" "$(t undo >/dev/null; cat own; stat -c %a own)" "one
640"
b 'echo two >own; chmod 604 own'; chmod 600 own
is "... but not those that a person changed since" "$(t undo >/dev/null
	cat own; stat -c %a own)" "one${nl}600"
printf 'ignored\n' >.gitignore; echo old >ignored
e '{"path":"ignored","old":"old","new":"new"}'
is "an edit of an ignored file" "$(t undo >/dev/null; cat ignored)" old
{ head -c 17000000 /dev/zero | tr '\0' a; echo; echo old; } >large
e '{"path":"large","old":"old","new":"new"}'
is "of one that is larger than 16 MiB" "$(t undo >/dev/null
	tail -n 1 large)" old
rm large
git add -A; git -c user.name=n -c user.email=e commit -qm 1
b 'echo x >>a'; git stash -q; git checkout -q --detach; git stash pop -q
head=$(git rev-parse HEAD) index=$(sha256sum <.git/index)
t undo >/dev/null
is "the user's repository is not touched" \
	"$(git rev-parse HEAD) $(sha256sum <.git/index)" "$head $index"

# --- where it cannot be done
b 'echo 1 >w1; echo 2 >>a'
is "names that are kept now" "$(t -o 'policy.secret=["w1"]' undo 2>&1
	echo $?; ls w1)" \
"hamr-tool: w1 is protected from reading and writing; nothing was changed
77
w1"
if [ "$(id -u)" = 0 ]; then
	mkdir ../full; mount -t tmpfs -o size=300k none ../full 2>/dev/null &&
	mounted=1
fi
if [ -n "$mounted" ]; then
	at_end() { umount -l "$T/full"; }	# a sandbox may end later
	cd ../full || exit 1
	head -c 100000 /dev/urandom >b1; head -c 100 /dev/urandom >a1
	sha256sum a1 b1 >../sums
	XDG_STATE_HOME=$T/state; export XDG_STATE_HOME; ln -s /x .hamr
	hamr-tool --yes --no-config --root . -o sandbox.mode=off bash \
		'{"command":"echo n >c1; echo a >a1; : >b1"}' >/dev/null
	sha256sum a1 b1 c1 >../now
	head -c 250000 /dev/zero >fill 2>/dev/null
	status "a full disk" 71 t undo
	is "all or none" "$(sha256sum a1 b1 c1)" "$(cat ../now)"
	ok "no leftover" sh -c '! ls -A | grep hamr-tmp'
	rm fill
	is "and when there is room" "$(t undo >/dev/null; sha256sum a1 b1; ls)" \
		"$(cat ../sums; printf 'a1\nb1')"
	cd ../root || exit 1
	unset XDG_STATE_HOME
	at_end	# another one comes
else
	skip "a full disk" "cannot mount"
fi
b 'echo 5 >five'
printf '{"type":"change","id":"u9' >>.hamr/snap.git/hamr-undo
is "a line cut short by a crash" "$(t undo >/dev/null; ls five 2>&1 | wc -l
	b 'echo 6 >six'; t undo --list | head -n 1 | jq -c .paths)" "1
[\"six\"]"
(for i in 1 2 3 4 5 6; do b "echo $i >par$i" & done; wait)
rm -rf half; mkdir half; echo 1 >half/a; echo 1 >half/b
b 'echo 2 | tee half/a half/b >half/c'
id=$(t undo --list | head -n 1 | jq -r .id)
echo "{\"type\":\"undoing\",\"ids\":[\"$id\"]}" >>.hamr/snap.git/hamr-undo
echo 1 >half/a; rm half/c; echo mine >half/b
status "one that was killed, but not over what came since" 77 t undo "$id"
echo 2 >half/b
is "one that was killed goes on" "$(t undo "$id" >/dev/null
	cat half/*; t undo "$id" >/dev/null 2>&1; echo $?)" "1${nl}1${nl}1"
is "several at once" "$(t undo --list | jq -r .id | sort | uniq -d | wc -l)" 0
(for i in 1 2 3 4 5 6; do t undo & done; wait) >/dev/null 2>&1
is "so are several undos" "$(ls par* 2>/dev/null)" ""
twins() {	# two changes, and one that has found the files of both
	rm -rf .hamr/snap.git
	b 'echo 1 >twin1'; b 'echo 2 >twin2'
	jq -c 'select(.type == "change")' .hamr/snap.git/hamr-undo | tail -n 2 |
		jq -cs '.[1] + {id: (.[1].id + "0"), since: .[0].since,
			paths: map(.paths[])}' \
		>>.hamr/snap.git/hamr-undo
}
statuses() {
	for i in "$@"; do t undo $i >/dev/null 2>"$T/.err"; echo $?; done | xargs
}
twins
is "a file that two calls have found is taken back once" \
	"$(statuses '' '' '' ''; ls twin* 2>/dev/null)" "0 0 0 1"
twins; t undo >/dev/null; echo mine >twin2
is "but not over what came since" "$(statuses ''; rm twin2)" 77
twins
is "so with all since a checkpoint" "$(statuses "$(t undo --list |
	jq -r '.checkpoint // empty' | tail -n 1)"; ls twin* 2>/dev/null)" 0
rm -rf .hamr/snap.git
status "without the snapshots" 1 t undo

# --- a command that was broken off is taken back too
at_end() { [ -z "$tool_pid" ] || kill -9 "$tool_pid" 2>/dev/null; }
wait_for() {	# FILE: it has something in it
	local i
	for i in $(seq 300); do
		[ ! -s "$1" ] || return 0
		sleep 0.1
	done
	return 1
}
broken() {	# a command that has written "broken", and waits
	rm -f broken
	resident --yes --no-config --root .
	say "$user" "$(call c bash \
		"$(sh_args 'echo x >broken; sleep 3372')")" "$go"
	hear 30; say "$line"	# its start
	wait_for broken
}
broken; say '{"type":"cancel"}'; hear 30; bye
is "cancelled" "$(jq -r .content <<<"$line")" "interrupted; changed: broken"
is "is taken back" "$(t undo >/dev/null; ls broken 2>/dev/null)" ""
broken; exec {to}>&-; hear 30; wait "$tool_pid"
is "the end of its input" "$(jq -r .content <<<"$line"; t undo >/dev/null
	ls broken 2>/dev/null)" "interrupted; changed: broken"
for signal in TERM HUP; do
	broken; kill -$signal "$tool_pid"; bye
	is "$signal" "$(t undo | tail -n 1)" "  removed broken"
done

# --- and what a killed process had done, but not written down
killed() { broken; { kill -9 "$tool_pid"; bye; } 2>/dev/null; }
killed
is "what a killed one changed" "$(t undo --list | jq -c \
	'select(.paths == ["broken"]) | .tool')" '"bash"'
is "is taken back" "$(t undo | tail -n 1; ls broken 2>&1)" "  removed broken
ls: cannot access 'broken': No such file or directory"
killed; b 'echo 1 >next'
is "also after the next one" "$(t undo | tail -n 1; t undo | tail -n 1)" \
"  removed next
  removed broken"
rm -f broken
resident --yes --no-config --root .
say "$user" "$(call c bash '{"command":"echo 1 >next"}')" "$go"
hear 30; say "$line"; hear 30; hear 30
hamr-tool --yes --no-config --root . bash \
	"$(sh_args 'echo x >broken; sleep 3372')" >/dev/null 2>&1 &
wait_for broken
{ kill -9 $!; wait $!; flock -w 30 .hamr/snap.git/hamr-begun.1 true; } 2>/dev/null
say "$user" "$(call d bash '{"command":"echo 2 >next"}')" "$go"
hear 30; say "$line"; hear 30
is "and after one of a process that was there before" \
	"$(t undo | tail -n 1; t undo | tail -n 1)" "  restored next
  removed broken"
bye
killed
is "and is told where its call is found begun" "$({ echo "$user"
	call c bash '{"command":"sleep 3372"}'
	echo '{"type":"start","tool_call_id":"c","at":"2026-11-20T10:00:00Z"}'
	} | new | jq -r 'select(.role == "tool") | .content, (.meta.mutated |
	map(.path) | tojson)')" "interrupted: this call was started, but how \
it ended is not known; changed: broken; see what it did before you call it again
[\"broken\"]"
t undo >/dev/null
killed; touch -d '1 hour ago' .hamr/snap.git/hamr-begun.0
is "but not what was changed long after it" "$(t undo >/dev/null 2>&1
	cat broken)" x
rm broken
hamr-tool --yes --no-config --root . bash \
	"$(sh_args 'sleep 3; echo x >broken; sleep 3372')" >/dev/null 2>&1 &
wait_for broken
{ kill -9 $!; wait $!; flock -w 30 .hamr/snap.git/hamr-begun.0 true; } 2>/dev/null
is "and of a long call what it did at its end, too" "$(t undo | tail -n 1)" \
	"  removed broken"
mkdir -p old/older
hamr-tool --yes --no-config --root . bash "$(sh_args \
	'mkdir old/new; echo x | tee old/new/f >old/older/f; sleep 3372')" \
	>/dev/null 2>&1 &
wait_for old/older/f
{ kill -9 $!; wait $!; flock -w 30 .hamr/snap.git/hamr-begun.0 true; } 2>/dev/null
is "the folders it found stay, those it made go" \
	"$(t undo >/dev/null; find old | sort | paste -sd' ')" "old old/older"
mkdir old/gone; chmod 711 old/older; chmod 2750 old/gone
hamr-tool --yes --no-config --root . bash "$(sh_args \
	'chmod 700 old/older; rmdir old/gone; mkdir old/new; echo x >old/f
	sleep 3372')" >/dev/null 2>&1 &
wait_for old/f
{ kill -9 $!; wait $!; flock -w 30 .hamr/snap.git/hamr-begun.0 true; } 2>/dev/null
is "their modes, and those it removed, come back" "$(t undo | tail -n +2
	stat -c '%a %n' old/*)" "  removed old/f
  restored old/gone/
  removed old/new/
  restored old/older/
2750 old/gone
711 old/older"
rm -r old; mkdir old; echo 1 >old/f; b :
hamr-tool --yes --no-config --root . bash "$(sh_args \
	'sleep 0.05; mv old moved; echo x >broken; sleep 3372')" >/dev/null 2>&1 &
wait_for broken
{ kill -9 $!; wait $!; flock -w 30 .hamr/snap.git/hamr-begun.0 true; } 2>/dev/null
is "a folder that it moved is where it was" "$(t undo >/dev/null
	find old moved broken 2>/dev/null)" "old${nl}old/f"
rm -r old
git init -q mine; echo mine >mine/.envrc
hamr-tool --yes --no-config --root . bash "$(sh_args 'git init -q made; mkdir e
	echo 1 >e/.envrc; mv e/.envrc .; echo x >broken; sleep 3372')" \
	>/dev/null 2>&1 &
wait_for broken
{ kill -9 $!; wait $!; flock -w 30 .hamr/snap.git/hamr-begun.0 true; } 2>/dev/null
is "what other programs obey is quarantined" "$(t undo 2>&1 >/dev/null; ls -A \
	.hamr/quarantine made mine; ls .envrc 2>&1 | wc -l)" "hamr-tool: a killed \
call left files that other programs obey; moved to .hamr/quarantine: \
.envrc, made/.git
.hamr/quarantine:
1-.envrc
2-.git

made:

mine:
.envrc
.git
1"
rm -rf made mine .hamr/quarantine
truncate -s 17M big; b 'echo 1 >next'
hamr-tool --yes --no-config --root . bash "$(sh_args 'echo 2 >>big
	truncate -s 17M new; echo x >broken; sleep 3372')" >/dev/null 2>&1 &
wait_for broken
{ kill -9 $!; wait $!; flock -w 30 .hamr/snap.git/hamr-begun.0 true; } 2>/dev/null
is "what is too large is named" "$(t undo | tail -n +2)" \
	"  removed new${nl}  removed broken
  left big, which was too large to keep"
is "but only by that call" "$(t undo | tail -n +2; rm big)" "  removed next"
# also several at once, each of which may have seen the others' files
pids=
for i in 1 2 3; do
	hamr-tool --yes --no-config --root . bash "$(sh_args "sleep 0.2
		echo x >broken$i; sleep 3372")" >/dev/null 2>&1 &
	pids="$pids $!"
	wait_for broken$i
done
b 'echo 1 >next'
# shellcheck disable=SC2086
{ kill -9 $pids; wait $pids; for i in 0 1 2; do
	flock -w 30 .hamr/snap.git/hamr-begun.$i true; done; } 2>/dev/null
is "and of several at once each" "$(t undo --list | jq -r '.paths[]' |
	grep broken | sort -u | tr '\n' ' '
	while ls broken? >/dev/null 2>&1 && t undo >/dev/null 2>&1; do :; done
	ls broken? 2>/dev/null)" "broken1 broken2 broken3 "
if strace -o /dev/null true 2>/dev/null; then
	mkdir ke; echo old >ke/f; b :
	for when in 1 2 3 4 5 6; do
		{ strace -qq -o /dev/null -e \
			"inject=renameat,renameat2,fsync:signal=KILL:when=$when" \
			hamr-tool --no-config --yes --root . edit \
			'{"path":"ke/f","old":"old","new":"new"}'
		} >/dev/null 2>&1
		now=$(cat ke/f)
		[ "$now" = old ] || t undo >/dev/null
		[ "$(cat ke/f; ls -A ke)" = "old${nl}f" ] ||
			t --yes edit '{"path":"ke/f","old":"old","new":"old2"}' \
			>/dev/null && t undo >/dev/null
		is "an edit killed at call $when" "$(cat ke/f; ls -A ke)" "old
f"
	done 2>/dev/null
	for when in 1 2 3 4 5 6; do
		{ strace -qq -o /dev/null -e \
			"inject=mkdirat,renameat2,fsync:signal=KILL:when=$when" \
			hamr-tool --no-config --yes --root . write \
			'{"path":"ke/a/b/new","content":"new"}'
		} >/dev/null 2>&1
		[ ! -e ke/a/b/new ] || t undo >/dev/null
		t undo --list >/dev/null
		is "nothing is left of a write killed at call $when" "$(ls -A ke)" f
	done 2>/dev/null
	e '{"path":"ke/f","old":"old","new":"new"}'; : >ke/.hamr-tmp-2
	is "but one in the making stays" "$(exec 9>ke/.hamr-tmp-1; flock 9
		t undo >/dev/null; cat ke/f; ls -A ke)" "old
.hamr-tmp-1
f"
	rm -r ke
	mkdir -p ke/a/b; echo x >ke/a/b/f; chmod 1711 ke/a/b; chmod 700 ke/a
	modes() { stat -c '%a %n' ke ke/a ke/a/b | paste -sd' '; }
	before=$(modes)
	for when in 1 2 3 4 5 6 7 8; do
		b 'rm -r ke/a; mkdir ke/a; chmod 500 ke/a'
		{ strace -qq -o /dev/null -e \
			"inject=mkdirat,chmod,fchmodat,renameat:signal=KILL:when=$when" \
			hamr-tool --no-config --root . undo
		} >/dev/null 2>&1
		t undo >/dev/null
		is "folders, their undo killed at call $when" "$(modes
			cat ke/a/b/f; ls -A ke/a/b)" "$before${nl}x${nl}f"
	done 2>/dev/null
	mkdir ke/.hamr-tmp-1; ln -s b ke/.hamr-tmp-2; b 'echo 1 >ke/f'
	is "what a killed undo set aside goes with the next one" \
		"$(t undo >/dev/null; ls -A ke)" a
	rm -r ke
	echo old >slow
	strace -qq -o /dev/null -e inject=fsync:delay_enter=3000000:when=1 \
		hamr-tool --no-config --yes --root . edit \
		'{"path":"slow","old":"old","new":"new"}' >/dev/null &
	timeout 20 sh -c 'until ls -A | grep -q hamr-tmp; do sleep .05; done'
	b 'until grep -q new slow; do sleep 0.1; done; echo x >>slow'
	wait $!
	is "an edit that was about to be made when another call began" \
		"$(for _ in 1 2; do t undo >/dev/null; echo $?; done; cat slow)" \
		"0${nl}0${nl}old"
	strace -qq -o /dev/null -e inject=fsync:delay_enter=2000000:when=2 \
		hamr-tool --no-config --yes --root . edit \
		'{"path":"slow","old":"old","new":"new"}' >/dev/null &
	is "a change while an edit's folder is synced" "$(t --yes bash \
		"$(sh_args 'until grep -q new slow; do sleep 0.1; done
		echo x >>slow')")" "exit 0; changed: slow"
	wait $!
	id=$(t undo --list | jq -r 'select(.tool == "bash").id' | head -n 1)
	is "is undone" "$(t undo "$id" >/dev/null; t undo >/dev/null
		cat slow)" old
	rm slow
else
	skip "an edit that was killed" "strace does not work here"
fi
tool_pid=
rm -f broken read
# within BEFORE AFTER INNER [FIRST]: one call has another one (or FIRST, then
# that) between two commands
within() {
	call outer bash "$(sh_args "$1; : >begun
		until [ -e other ]; do sleep 0.05; done; rm begun; $2")" |
		timeout 30 hamr-tool -n --yes --no-config --root . >/dev/null &
	timeout 20 sh -c 'until [ -e begun ]; do sleep 0.05; done'
	[ -z "${4-}" ] || b "$4"
	call inner bash "$(sh_args "$3; : >other")" | new >/dev/null
	wait $!
}
echo 0 >both
within : 'echo 2 >both' 'echo 1 >both'
is "two that overlapped, and left a file each in its way" \
	"$(for _ in 1 2; do t undo >/dev/null; echo $?; done; cat both other 2>&1)" \
	"0${nl}0${nl}0${nl}cat: other: No such file or directory"
rm -f both other
for order in 'outer inner' 'inner outer'; do
	echo 0 >both
	within 'echo 1 >both' : 'echo 2 >both'
	is "one within another that had written its file: $order" \
		"$(for i in $order; do t undo $i >/dev/null; echo $?; done
			cat both)" "0${nl}0${nl}0"
	rm -f both other
done
for order in 'outer inner' 'inner outer'; do
	within 'echo 1 >both' : 'rm both'
	is "a file that was there in the middle only does not stay: $order" \
		"$(for i in $order; do t undo $i >/dev/null; echo $?; done
			cat both 2>&1)" \
		"0${nl}0${nl}cat: both: No such file or directory"
	rm -f both other
done
for order in 'inner first outer' 'outer first inner'; do
	echo 0 >both
	call first bash "$(sh_args 'echo 1 >both')" | new >/dev/null
	within : : 'rm both'
	is "one that two have recorded, and one before them: $order" \
		"$(for i in $order; do t undo $i >/dev/null; echo $?; done
			cat both)" "0${nl}0${nl}0${nl}0"
	rm -f both other
done
within : : 'rm both' 'echo 1 >both'
is "but it comes back while the call stays that made it" \
	"$(for _ in 1 2 3; do t undo >/dev/null; cat both 2>&1; done)" \
	"cat: both: No such file or directory${nl}1${nl}cat: both: No such file or \
directory"
rm -f both other
mkdir skip && echo '*' >skip/.gitignore
was=$(ids)
call outer bash "$(sh_args ': >skip/a
	until [ -e skip/b ]; do sleep 0.05; done')" | new >/dev/null &
timeout 20 sh -c 'until [ -e skip/a ]; do sleep 0.05; done'
b 'echo 1 >both'
b 'rm both; : >skip/b'
wait $!
is "a call that changed nothing has none to undo" \
	"$(t undo --list | jq -r .tool_call_id | head -n 1)" call_1
t undo >/dev/null
t undo >/dev/null
is "only the others have" "$(ids)" "$was"
rm -r skip
within : 'rm both' 'echo 1 >both'
is "one whose file the other removed unseen" \
	"$(for _ in 1 2; do t undo >/dev/null; echo $?; done; ls both other 2>&1 |
	wc -l)" "0${nl}0${nl}2"
mkfifo ../pipe
(call c bash "$(sh_args 'echo x >broken; while :; do echo y; sleep 0.1; done')" |
	timeout 60 hamr-tool -n --stream --yes --no-config --root . >../pipe) &
head -n 3 ../pipe >../out
wait $!
is "nobody reads any more" "$(t undo | tail -n 1)" "  removed broken"

# --- stdin is not its own
head -c 3000000 /dev/urandom >large
b 'rm large'
is "what waits on stdin is left alone" "$(seq 30000 | { t undo >../out
	wc -l; })" 30000
rm large

# --- the folders that a command made, and not another of the same clock tick
mkdir was
b 'mkdir -p was/x made/a/b made/none; echo 1 >was/x/f; echo 2 >made/a/b/f
	echo 3 >made/g'
t undo >/dev/null
is "go when undo empties them" "$(find was made 2>/dev/null)" was
b 'mkdir made; echo 1 >made/f'
echo mine >made/mine
t undo >/dev/null
is "but not with something of another's" "$(find made -type f)" made/mine
mkdir mine mine/x
b 'rm -r mine; mkdir -p mine/x; echo 1 >mine/x/f; mv made moved'
t undo >/dev/null
is "one that was there and is made again stays, one that was moved does not" \
	"$(find mine moved made 2>/dev/null | sort | tr '\n' ' ')" \
	"made made/mine mine mine/x "
rm -r was made mine

for mode in 755 750; do
	mkdir -p was/x; echo 1 >was/x/f; chmod $mode was/x
	b 'rm -r was'
	w '{"path":"was/x/f","content":"2\n"}'
	since=$(t undo --list | jq -r .checkpoint | sed -n 2p)
	echo mine >was/x/f
	is "a folder made anew stays as it is when undo is refused" \
		"$(t undo "$since" 2>/dev/null; echo $?; stat -c %a was/x)" \
		"77${nl}755"
	echo 2 >was/x/f
	is "else it gets its old mode, $mode" "$(t undo "$since" >/dev/null
		echo $?; stat -c %a was/x)" "0${nl}$mode"
	rm -r was
done
echo 1 >was
b 'rm was; mkdir -p was/x; echo 2 >was/x/f'
is "a folder that a file was before is not said to be left" \
	"$(t undo | sed 1d; cat was)" "  removed was/x/f
  restored was
1"
rm was

# --- modes, where nothing else changed
echo 1 >m1; echo 2 >m2; echo 3 >m3; chmod 640 m1; chmod 664 m2
call c1 bash "$(sh_args 'chmod 600 m1 m2; chmod 644 m3')" \
	c2 bash "$(sh_args 'chmod 644 m1')" c3 bash "$(sh_args 'touch m1 m2')" \
	c4 bash "$(sh_args 'chmod 600 m3')" | new >../out
is "a mode is a change, and nothing else" "$(jq -c 'select(.role) |
	.meta.mutated // [] | map(.path)' ../out | tr -d '\n')" \
	'["m1","m2"]["m1"][]["m3"]'
t undo >/dev/null; t undo >/dev/null; t undo >/dev/null
is "that undo takes back" "$(stat -c %a m1 m2 m3 | tr '\n' ' ')" "640 664 644 "
rm m1 m2 m3

# --- many files
b 'mkdir many; cd many; touch $(seq 100)'
if strace -o /dev/null true 2>/dev/null; then
	strace -f -qq -e trace=fsync -o ../trace hamr-tool --no-config \
		--root . undo >/dev/null
	ok "the disk is waited for once a folder" \
		test "$(grep -c fsync ../trace)" -lt 10
	ok "they are gone" test ! -e many
else
	skip "the disk is waited for once a folder" "strace does not work here"
	t undo >/dev/null
fi

# --- what was there where no snapshot looks is not the call's to remove
printf 'data/\n' >.gitignore; mkdir data; echo precious >data/p
b 'echo >.gitignore; echo 1 >data/new'
is "a file that is no longer ignored stays" "$(t undo | tail -n +2; ls data)" \
"  restored .gitignore
new
p"
rm data/new; truncate -s 17M large; echo precious >data/q
b 'truncate -s 5 large; mv data/q q'
is "so do one that was too large and one that was ignored" \
	"$(t undo 2>/dev/null | tail -n +2; ls data large q)" \
"  left large, which was too large to keep
large
q

data:
p"
rm q
# nor one that took the place of another
echo old >q; echo precious >data/q
b 'mv data/q q'
status "a file that was moved over another is not lost" 77 t undo
is "but stays" "$(cat q)" precious
mv q data/q
is "until it is moved away" "$(t undo | tail -n +2; cat q data/q)" \
	"  restored q
old
precious"
mkdir s; echo x >s/x; echo x >file
b 'mv s t; mv file s; mv t file'
is "a file and a folder that changed names have their modes" \
	"$(t undo >/dev/null; stat -c '%n %A' s file)" \
"s drwxr-xr-x
file -rw-r--r--"
rm -r file s
mkdir s; echo x >s/.env
b 'mv s s2'
is "a folder moved with what undo does not have is not made anew" \
	"$(t undo 2>&1 | tail -n +2; ls -d s s2 2>&1)" \
"ls: cannot access 's': No such file or directory
s2"
rm -r s2
b 'cp data/q q2; mv q2 q'
is "what the call itself made is its own" "$(t undo >/dev/null; cat q)" old
call c1 bash "$(sh_args 'echo made >data/made')" \
	c2 bash "$(sh_args 'mv data/made q')" | new >/dev/null
is "so is what a call of the same turn made" "$(t undo >/dev/null; cat q)" old
# also where the turn began in another process
call c1 bash "$(sh_args 'echo 1 >o1')" | new >../begun
{ call c1 bash "$(sh_args 'echo 1 >o1')"; cat ../begun
	call c2 bash "$(sh_args 'echo 2 >o2')" \
	    c3 bash "$(sh_args 'mv data/q q3')"; } | new >/dev/null
is "what was moved is no earlier call's" "$(t undo | tail -n +2; cat q3)" \
	"  removed o2
precious"
t undo >/dev/null; mv q3 data/q
# also one that was written anew, under the same name
rm -r data large q
printf '*.o\n' >.gitignore; echo 1 >ig.o; truncate -s 17M large
b 'echo >.gitignore; sed -i s/1/2/ ig.o; mkdir new; echo 1 >new/a'
is "what was ignored is not removed" "$(t undo | tail -n +2; cat ig.o
	ls new 2>&1)" "  removed new/a
  restored .gitignore
2
ls: cannot access 'new': No such file or directory"
b 'echo 5 >other; mv other large'
is "nor what was too large" "$(t undo | tail -n +2; cat large)" \
	"  left large, which was too large to keep${nl}5"
truncate -s 17M large
call c1 bash "$(sh_args true)" c2 bash "$(sh_args 'echo 1 >o1')" \
	c3 bash "$(sh_args 'echo 6 >other; mv other large')" | new >/dev/null
is "nor that, in one process" "$(t undo >/dev/null; t undo >/dev/null
	cat large; ls o1 2>&1)" \
	"6${nl}ls: cannot access 'o1': No such file or directory"
rm -rf large ig.o .gitignore o1
mkdir tracked; echo 1 >tracked/f; git add tracked/f; b :
git init -q tracked; b 'echo 2 >tracked/t; mv tracked/t tracked/f'
is "a tracked file in a folder that became a repository comes back" \
	"$(t undo | tail -n +2; cat tracked/f)" "  restored tracked/f${nl}1"
rm -rf tracked; git rm -q --cached tracked/f
b 'echo 1 >d'; rm d; mkdir d; echo mine >d/x
b 'echo 1 >d/y'
is "but what is in a folder that was a file is" "$(t undo | tail -n +2
	ls d)" "  removed d/y${nl}x"
rm -r d
call c1 bash "$(sh_args 'truncate -s 17M large')" \
	c2 bash "$(sh_args 'sleep 0.05; truncate -s 17M huge; echo 2 >o2')" \
	c3 bash "$(sh_args 'truncate -s 5 large huge; echo 3 >o2')" | new >../out
is "what an earlier call of the turn made is that one's" "$(t undo --list |
	head -n 4 | jq -c '[.tool_call_id, .paths]')" \
	'["c3",["huge","large","o2"]]
["c2",["huge","o2"]]
["c1",["large"]]
["call_1",["d"]]'
is "... and goes with all since its checkpoint" "$(t undo "$(jq -r \
	'select(.type == "checkpoint") | .id' ../out)" >/dev/null
	ls o2 large huge 2>/dev/null)" ""

# --- what is too large for a snapshot is named, and stays as it is
truncate -s 17M large; truncate -s 65M huge; echo a >grows
call c1 bash "$(sh_args 'echo 1 >>large; echo b >>grows; echo 1 >>huge')" \
	c2 bash "$(sh_args 'truncate -s 17M grows; mv large moved')" \
	c3 bash "$(sh_args 'echo 3 >>grows')" c4 bash "$(sh_args 'true')" |
	new >../out
is "the result says so" "$(jq -r 'select(.role) | .content' ../out)" \
"exit 0; changed: grows, huge (too large to undo), large (too large to undo)
exit 0; changed: grows, large (too large to undo), moved (too large to undo)
exit 0; changed: grows (too large to undo)
exit 0"
is "so does the list" "$(t undo --list | jq -c .not_covered | head -n 3)" \
'["grows"]
["large","moved"]
["huge","large"]'
is "undo names them" "$(t undo | tail -n 1)" \
	"  left grows, which was too large to keep"
is "what it left stops no other undo" "$(t undo c2 | tail -n +2; cat grows)" \
"  restored grows
  left large, which was too large to keep
  left moved, which was too large to keep
a
b"
t undo >/dev/null
b 'truncate -s 17M new'
is "a new one can be undone" "$(t undo | tail -n 1)" "  removed new"
b 'truncate -s 65M new'
is "of any size" "$(t undo | tail -n 1)" "  removed new"
b 'truncate -s 65M new'; : >new
status "but not when it was changed since" 77 t undo
rm moved huge grows new
echo 1 >grows; b 'truncate -s 65M grows'
is "one that grew comes back" "$(t undo | tail -n 1; cat grows)" \
	"  restored grows${nl}1"
rm grows

# --- what others write meanwhile
rm -f own
call c bash "$(sh_args 'echo x >own')" >../calls
new <../calls | tee run.ndjson >../out
is "a file that the shell's pipeline writes is not the call's" "$(jq -c \
	'select(.role) | .meta.mutated | map(.path)' ../out)" '["own"]'
echo more >>run.ndjson
is "nor does it stop undo" "$(t undo | tail -n 1; echo $?)" "  removed own
0"
printf 'a\nb\n' >log
b 'echo 1 >own'
call c bash "$(sh_args 'echo x >>own; echo y >own2')" >../calls
(exec 3>>log; echo c >&3; new <../calls) >../out
is "also one that was there" "$(jq -c 'select(.role) | .meta.mutated |
	map(.path)' ../out)" '["own","own2"]'
echo old >run.ndjson; b :
new <../calls >>run.ndjson
is "and that is stdout" "$(tail -n +2 run.ndjson | jq -c 'select(.role) |
	.meta.mutated | map(.path)')" '["own"]'
rm -f own own2 log run.ndjson

# --- an old content that cannot be kept
echo old >keep
b 'echo 1 >other'
rm -rf .hamr/snap.git/objects; : >.hamr/snap.git/objects
is "fails the edit, before it is made" "$(t --yes --json edit \
	'{"path":"keep","old":"old","new":"new"}' 2>/dev/null |
	jq -c '[.is_error, .meta.error]'; cat keep)" '[true,"spawn_failed"]
old'
match "and says why" "$(t --yes edit \
	'{"path":"keep","old":"old","new":"new"}' 2>/dev/null)" \
	"keep was not changed, as the change could not be undone: *"
is "a new file has none" "$(t --yes write '{"path":"fresh","content":"x"}' \
	2>/dev/null; ls fresh)" "made fresh, 1 line
fresh"
rm -rf .hamr
bin=$(dirname "$(command -v hamr-tool)")
mkdir ../nogit && for p in sh timeout; do
	ln -s "$(command -v $p)" ../nogit/$p
done
match "git is needed to look at a whole tree" "$(PATH=$bin:$PWD/../nogit \
	t --yes bash '{"command":"true"}' 2>&1)" \
	"* (git is not installed; install the package git)*"
is "but not to keep one content" "$(PATH=$bin:$PWD/../nogit t --yes edit \
	'{"path":"keep","old":"old","new":"new"}' >/dev/null 2>&1; cat keep
	t undo >/dev/null; cat keep)" "new${nl}old"
rm -rf .hamr keep other fresh ../nogit

# --- folders
mkdir -p dir/sub/none dir/open; echo x >dir/sub/x; echo y >dir/open/y
chmod 700 dir; chmod 2750 dir/sub; chmod 711 dir/sub/none
folders() { find dir -type d -exec stat -c '%a %n' {} + | sort; }
before=$(folders)
b 'rm -rf dir'
t undo >/dev/null
is "removed folders come back with their modes, empty ones too" \
	"$(folders)" "$before"
b 'echo z >>dir/open/y; chmod 777 dir; chmod 500 dir/sub; rmdir dir/sub/none'
b 'rm -r dir/open; chmod 1777 dir'
t undo >/dev/null; t undo >/dev/null
is "modes of folders come back" "$(folders)" "$before"
b 'chmod 770 dir; echo more >dir/new'
chmod 755 dir
t undo >/dev/null
is "but not one that was changed since" "$(stat -c %a dir)" 755
b 'rm -r dir'
mkdir dir; chmod 705 dir; echo mine >dir/mine
t undo >/dev/null
is "nor that of a folder made since" \
	"$(stat -c %a dir dir/sub | paste -sd,) $(cat dir/sub/x dir/mine)" \
	"705,2750 x
mine"
rm -r dir

# --- folders alone
mkdir dir; chmod 750 dir; mkdir dir/old
b 'mkdir -p dir/new/er'; b 'mv dir/old dir/moved'; b 'chmod 711 dir'
is "folders alone are changes" "$(t undo --list | jq -c .paths | head -n 3 |
	paste -sd' ')" \
	'["dir/"] ["dir/moved/","dir/old/"] ["dir/new/"]'
is "that undo names" "$(for i in 1 2 3; do t undo; done | sed 's/ u.*//')" \
"undone
  restored dir/
undone
  removed dir/moved/
  restored dir/old/
undone
  removed dir/new/"
is "and takes back" "$(folders | paste -sd,)" "750 dir,755 dir/old"
before=$(ids)
b 'mkdir -p dir/cache/x; echo "*" >dir/cache/.gitignore; echo y >dir/cache/x/y'
is "one for what is ignored is none" "$(ids)" "$before"
rm -r dir/cache
b 'mkdir dir/new; chmod 700 dir/new'; : >dir/new/mine; chmod 500 dir/new
b 'rmdir dir/old'; mkdir dir/old; chmod 700 dir/old
t undo >/dev/null
is "what is filled is left, and said" "$(t undo | tail -n 1)" \
	"  left dir/new/, which is not empty"
is "but for what others have changed or filled" "$(folders | paste -sd,)" \
	"500 dir/new,700 dir/old,750 dir"
b "mkdir -p $(printf 'nest/%.0s' $(seq 700))"
is "nested deeper than is looked, the outermost is named" \
	"$(t undo | tail -n +2)" "  left nest/, which is not empty"
rm -rf nest
rm -rf dir

# --- many at once: all or nothing
mkdir many && for i in $(seq 10 99); do echo $i >many/$i; done
b 'for i in many/*; do echo more >>$i; done; rm many/10; echo x >many/new'
rm many/55 && mkdir many/55 && echo mine >many/55/f
status "one of 90 files cannot be put back" 77 t undo --force
match "is said" "$(cat "$T/.err")" "*many/55 is a folder with other files*"
is "and none is" "$(cat many/11 many/99 many/new many/55/f | paste -sd,)" \
	"11,more,99,more,x,mine"
is "nothing is left behind" "$(ls -A many | wc -l)" 90
ok "what was removed is not half back" test ! -e many/10
rm -r many/55
t undo --force >/dev/null
is "all are" "$(cat many/* | paste -sd,) $(ls -A many | wc -l)" \
	"$(seq -s, 10 99) 90"
rm -r many

# --- as a record
printf 'x\n' >rec
b 'echo y >rec; echo z >rec2'
is "undo --json is a record" "$(id=$(t undo --list | head -n 1 | jq -r .id)
	t undo --json | sed "s/$id/ID/; s/\(call_ids\":\).*]/\1[]/")" \
'{"type":"undo","of":"ID","paths":['\
'{"path":"rec2","sha256":null},{"path":"rec","sha256":"'"$(sha256sum <rec |
	cut -c 1-64)"'"}],"tool_call_ids":[]}'
status "not with --list" 2 t undo --list --json
rm rec

# --- D9: any order, against a model
steps=25		# CI has more
[ -z "${CHECK_FULL:-}" ] || steps=50
for seed in 1 2; do
	mkdir "../model$seed"; cd "../model$seed" || exit 1
	[ "$seed" = 2 ] || git init -q .
	is "random changes and undos, seed $seed" \
		"$(python3 "$TOP/tests/undo/undo_model.py" "$seed" $steps)" ok
done
done_testing

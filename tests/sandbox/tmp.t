#!/bin/bash
# tmp.t - the private /tmp: one for each session, and no way out of it.
unset TMPDIR	# the root is in /tmp
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"
at_end() { rm -rf "$under"; }
under=$(mktemp -d /tmp/hamr-test.XXXXXX)	# a root that is in /tmp
export TMPDIR=$T/temp
mkdir "$TMPDIR"
git init -q .
new() { hamr-tool -n --yes --no-config --root . "$@"; }
hamr() { printf '{"type":"hamr","v":1%s}\n' "${1:+,\"session\":\"$1\"}"; }
text() { messages | jq -r .content; }
way=${T#/tmp/}	# to the root
list="ls -A /tmp | grep -v '^${way%%/*}\|${under##*/}'; true"
left() { (cd "$TMPDIR" && ls -d hamr-* 2>/dev/null); }
if ! hamr-tool --yes --no-config --root . --json bash '{"command":":"}' |
    grep -q '"sandbox":"bubblewrap"'; then
	skip "all of this" "no bubblewrap here"
	done_testing
fi

# --- kept for its session
is "what one process leaves" "$({ hamr s1; echo "$user"
	call a bash "$(sh_args 'echo one >/tmp/f; chmod 0 /tmp; true')"; } |
	new | text)" "exit 0"
is "the next of the session finds" "$({ hamr s1; echo "$user"
	call a bash "$(sh_args "cat /tmp/f; $list")"; } | new | text)" \
	"exit 0${nl}one${nl}f"
is "another session does not" "$({ hamr s2; echo "$user"
	call a bash "$(sh_args "$list")"; } | new | text)" "exit 0"
is "and none that has no name" "$({ echo "$user"
	call a bash "$(sh_args "$list")"; } | new | text)" "exit 0"
is "nor one of another root" "$(mkdir ../other; { hamr s1; echo "$user"
	call a bash "$(sh_args "$list")"; } | new --root ../other | text)" \
	"exit 0"
is "nor what follows in one input" "$({ hamr s1; echo "$user"
	call a bash "$(sh_args "$list; echo 2 >/tmp/g")"
	hamr s2; echo "$user"; call a bash "$(sh_args "$list")"
	hamr s1; echo "$user"; call a bash "$(sh_args "$list")"
	hamr; echo "$user"; call a bash "$(sh_args "$list; echo >/tmp/h")"
	hamr; echo "$user"; call a bash "$(sh_args "$list")"; } |
	new | text)" \
"exit 0${nl}f${nl}${nl}exit 0${nl}exit 0${nl}f${nl}g${nl}${nl}exit 0${nl}exit 0"
is "one folder is left, that of the files" "$(left | wc -l)" 1
is "however deep, none of no session is left" "$( (ulimit -n 300; hamr-tool \
	--yes --root . bash "$(sh_args 'cd /tmp; for i in $(seq 700); do
	mkdir d; cd d; done')"); left | wc -l)" "exit 0${nl}1"
is "it is ours alone" "$(stat -c %a "$TMPDIR"/hamr-tmp-*)" 700

# --- killed, and started again
resident --yes --no-config --root .
say "$(hamr s3)" "$user" "$(call a bash "$(sh_args 'echo three >/tmp/f; echo up
	sleep 3361')")" "$go"
hear 20; say "$line"	# its start
until hear 20; [ -z "$line" ] || [ "${line#*'up'}" != "$line" ]; do :; done
kill -9 "$tool_pid"
bye
is "after kill -9 too" "$({ hamr s3; echo "$user"
	call a bash "$(sh_args 'cat /tmp/f')"; } | new | text)" \
	"exit 0${nl}three"

# --- the end
{ hamr s3; echo "$user"; echo '{"type":"end","status":"interrupted"}'; } | new
is "a task broken off leaves it" "$(left | wc -l)" 2
{ hamr s3; echo "$user"; echo '{"type":"end","status":"completed"}'; } | new
is "one that is completed takes it along" "$(left | wc -l)" 1
{ hamr s1; echo "$user"; echo '{"type":"end","status":"completed"}'
	echo "$user"; } | new
is "not if there is more" "$(left | wc -l)" 1
touch -d '2 days ago' "$TMPDIR"/hamr-tmp-*
hamr-tool --no-config --root . bash '{"command":":"}' >../out
is "nobody has come for a day" "$(left)" ""

# --- somebody else's folder of that name is not taken
{ hamr s4; echo "$user"; call a bash "$(sh_args 'echo 4 >/tmp/f')"; } |
	new >../out
name=$(left)
rm -rf "${TMPDIR:?}/$name" && mkdir ../trap &&
	ln -s ../trap "$TMPDIR/$name"
is "a link" "$({ hamr s4; echo "$user"; call a bash "$(sh_args \
	"echo 4 >/tmp/f; $list")"; } | new | text; ls ../trap)" "exit 0${nl}f"
rm "$TMPDIR/$name" && mkdir -m 777 "$TMPDIR/$name"
is "open to others" "$({ hamr s4; echo "$user"; call a bash "$(sh_args \
	"echo 4 >/tmp/f; $list")"; } | new | text; ls "$TMPDIR/$name")" \
	"exit 0${nl}f"
rmdir "$TMPDIR/$name"
mkdir -m 700 "$TMPDIR/$name" && ln -s "$T/trap" "$TMPDIR/$name/tmp"
is "a link in it" "$({ hamr s4; echo "$user"; call a bash "$(sh_args \
	"echo 4 >/tmp/f; $list")"; } | new | text; ls ../trap)" "exit 0${nl}f"

# --- a root in /tmp: bubblewrap follows no link on the way to it
mkdir "$T/trap2" "$under/root" && cd "$under/root" && git init -q .
top=/${under#/}; top=/tmp/${top#/tmp/}
for link in "/oldroot$T/trap2" "/newroot$T/trap2" "$T/trap2"; do
	is "a link to ${link%%/hamr*} in its way" "$({ hamr s5; echo "$user"
		call a bash "$(sh_args "mv $top /tmp/x; ln -s $link $top
			rm -f .envrc; touch .envrc")" \
		b bash "$(sh_args "pwd; $list")"; } | new --root . | text |
		sed 1d; ls -A "$T/trap2")" \
"exit 0${nl}$under/root${nl}x"
	rm -rf .hamr/quarantine
	{ hamr s5; echo '{"type":"end","status":"completed"}'; } |
		new --root .
done
is "its way moved" "$(call a bash "$(sh_args "mv $top /tmp/x")" \
	b bash "$(sh_args 'pwd; ls -A')" | new --root . | text)" \
	"exit 0${nl}exit 0${nl}$under/root${nl}.git${nl}.hamr"
is "a file in its way" "$({ hamr s6; echo "$user"; call a bash "$(sh_args \
	"mv $top /tmp/x; echo >$top")"; } | new --root . | text; { hamr s6
	echo "$user"; call a bash "$(sh_args 'pwd')"; } | new --root . | text)" \
	"exit 0${nl}exit 0${nl}$under/root"

# --- none of ours is where a command could put a link in its place
mkdir "$T/own" "$T/victim" "$T/caches" && cd "$T/own" && mkdir t || exit 1
one() { hamr-tool --yes --no-config --root . bash "$(sh_args "$1")"; }
is "no temporary folder in the root" "$(TMPDIR=$PWD/t one 'ls -A t')" "exit 0"
ln -s ../caches away
is "nor a cache, nor one behind a link in it" "$(for c in .cache away; do
	XDG_CACHE_HOME=$PWD/$c one 'echo $XDG_CACHE_HOME'; done)" \
	"exit 0${nl}/tmp/.cache${nl}exit 0${nl}/tmp/.cache"
c=$(XDG_CACHE_HOME=$T/caches one 'echo $XDG_CACHE_HOME' | tail -n 1)
is "outside it one is kept" "${c%-*}" "$T/caches/hamr/own"
rmdir "$c" && ln -s "$T/victim" "$c"
is "unless a link has its place" "$(XDG_CACHE_HOME=$T/caches one \
	'echo $XDG_CACHE_HOME; mkdir -p $XDG_CACHE_HOME; echo >$XDG_CACHE_HOME/f'
	ls ../victim)" "exit 0${nl}/tmp/.cache"
mkdir -m 777 "$T/anybody"
is "nor where others may rename it" "$(TMPDIR=$T/anybody one \
	'cut -d" " -f 4,5 /proc/self/mountinfo | grep /tmp$' |
	grep -c anybody)" 0
is "a TMPDIR that is not there takes no layer away" "$(TMPDIR=/nonexistent \
	hamr-tool --yes --no-config --root . --json bash "$(sh_args 'true')" |
	jq -r .meta.sandbox)" bubblewrap
cd ../root || exit 1

# --- S5: what is to be hidden, and comes while a sandbox is up
mkdir -p "$T/late/.home" && cd "$T/late" || exit 1
answer() {	# its content
	while hear 20; [ -n "$line" ]; do case $line in
	*'"type":"start"'*) say "$line" ;;
	*'"role":"tool"'*) echo "$line" | jq -r .content; break ;;
	esac; done
}
HOME=$PWD/.home resident --yes --no-config --root .
say "$user" "$(call a bash "$(sh_args 'echo up')")" "$go"
is "a command before" "$(answer)" "exit 0${nl}up"
mkdir .home/.kube && echo key >.home/.kube/config
say "$(call b bash "$(sh_args 'cat .home/.kube/config')")" "$go"
is "a key that comes then is hidden" "$(answer)" "exit 1
[stderr]
cat: .home/.kube/config: Permission denied"
bye
cd ../root || exit 1

# --- many start at once: none takes a folder that was just made for left over
mkdir -m 700 "$TMPDIR/hamr-box-left"
often=4		# CI has 8
[ -z "${CHECK_FULL:-}" ] || often=8
for k in 1 2 3 4 5 6; do
	mkdir "$T/many$k"
	for _ in $(seq $often); do
		hamr-tool --yes --no-config --root "$T/many$k" --json bash \
			'{"command":":"}' 2>/dev/null | jq -r .meta.sandbox
	done >"$T/many$k.out" &
done
wait
is "many at once: each has its sandbox" "$(cat "$T"/many?.out | sort |
	uniq -c | xargs)" "$((6 * often)) bubblewrap"
mkdir "$T/plain" && cd "$T/plain" || exit 1
hamr-tool --no-config --yes --root . bash '{"command":"true"}' >/dev/null
for k in 1 2 3 4 5 6 7 8; do
	for mode in patch read-only patch; do
		{ hamr-tool --no-config --yes --mode $mode --root . bash \
		    '{"command":"true"}' >/dev/null; } 2>&1
	done >"$T/stub$k.out" &
done
wait
is "and its stub of .git" "$(grep -h Landlock "$T"/stub?.out)$(ls -A)" .hamr
is "what was left goes" "$(cd "$TMPDIR" && echo hamr-box*)" "hamr-box*"

# a killed process's control group, where one can be made
coproc LEFT { exec hamr-tool --no-config --yes --root . --stream --json bash \
	'{"command":"echo up; exec sleep 60"}' 2>/dev/null; }
killed=$LEFT_PID
read -r _ <&"${LEFT[0]}"
{ kill -9 "$killed"; wait "$killed"; } 2>/dev/null
groups() { find /sys/fs/cgroup -name "hamr-$killed-*" 2>/dev/null; }
if [ -n "$(groups)" ] && groups | xargs touch -d '5 minutes ago' 2>/dev/null; then
	hamr-tool --no-config --yes --root . bash '{"command":":"}' >/dev/null
	is "so does its control group" "$(groups)" ""
else
	skip "its control group goes" "none can be made here"
fi

cd /
done_testing

#!/bin/bash
# owner.t - root in somebody's folder: what is made is his, in his sandbox.
. "$(dirname "$0")/../lib.sh"
nl='
'
at_end() { rm -rf "$place"; }
place=$(mktemp -d /srv/hamr-test.XXXXXX 2>/dev/null ||
	mktemp -d "$T/place.XXXXXX")
if [ "$(id -u)" != 0 ]; then
	skip "all of this" "not root"
	done_testing
fi
chmod 755 "$place"
mkdir "$place/bin" "$place/root" && cp "$BIN/hamr-tool" "$place/bin"
cd "$place/root" || exit 1
git init -q . && echo old >f && echo gone >g && chown -R 65534:65534 .
mkdir -p "$HOME/.ssh" && chmod 700 "$HOME" && echo key >"$HOME/.ssh/id"
t() { hamr-tool --yes --no-config --root . "$@"; }
he() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent \
	XDG_CACHE_HOME= XDG_STATE_HOME= "$place/bin/hamr-tool" --yes --no-config \
	--root . "$@"; }
others() { find . ! -user 65534 | sort; }

if unshare -U true 2>/dev/null && command -v bwrap >/dev/null &&
    setpriv --reuid 65534 --regid 65534 --clear-groups unshare -U true \
    2>/dev/null; then
	is "what he has no way to costs no sandbox" "$(t --json bash \
		'{"command":"id -u"}' 2>&1 | said_in - |
		jq -r '.content, .meta.sandbox')" \
		"exit 0${nl}65534${nl}${nl}bubblewrap"
	mkdir -m 700 roots && touch roots/.env
	is "nor does a secret in a folder of root's" "$(t --json bash \
		'{"command":"true"}' 2>&1 | said_in - | jq -r '.meta.sandbox')" \
		bubblewrap
	rm -r roots
	mkdir -m 555 ../shut && chown 65534:65534 ../shut && cd ../shut || exit 1
	match "a root that he may not write, but a command could" \
		"$(he bash '{"command":"chmod u+w .; mkdir .git .hamr"}'
		stat -c %a .; ls -A)" "exit 1; *the root was read-only, as \
no .hamr can*Read-only file system*555"
	chmod 755 . && mkdir .hamr && chown 65534:65534 .hamr && chmod 555 .
	match "with a .hamr, too" "$(he bash '{"command":"chmod u+w .; mkdir .git"}'
		ls -A)" "exit 1; the root was read-only, as it has no .git*.hamr"
	chmod 755 . && chown 0 .hamr && chmod 700 .hamr
	match "nor is one made beside a .hamr of somebody else's" \
		"$(he bash '{"command":": >f; mkdir .git/hooks"}' 2>/dev/null
		ls -A)" "exit 1*Read-only*.hamr${nl}f"
	cd ../root || exit 1
else
	skip "his sandbox" "no bubblewrap for him here"
fi
is "and he cannot read it" "$(t bash "{\"command\":\"cat $HOME/.ssh/id\"}" \
	2>/dev/null | grep -c key)" 0
t write '{"path":"new/deep/file","content":"x\n"}' >../out
t edit '{"path":"f","old":"old","new":"new"}' >../out
t bash '{"command":"rm g; seq 100000"}' >../out 2>&1
is "all of it is his" "$(others)" ""
is "he goes on" "$(he bash '{"command":"echo he >f"}' 2>../err | head -n 1
	grep undone ../err)" "exit 0; changed: f"
he undo >../out && he undo >../out
is "and takes back what root did" "$(cat g)" gone
t undo >../out; t undo >../out
is "and root too" "$(cat f; ls new 2>/dev/null)" old
is "it is still his" "$(others)" ""
t bash '{"command":"rm f; ln -s g l"}' >../out 2>&1 && t undo >../out
is "what comes back as well" "$(cat f; others)" old
t bash '{"command":"echo x >.envrc"}' >../out 2>&1
is "and what is quarantined" "$(ls .hamr/quarantine; others)" "1-.envrc"
he bash '{"command":"chmod 0 f; echo he >h"}' >../out 2>&1
is "what he made unreadable comes back, too" "$(he undo >/dev/null 2>&1
	cat f; stat -c %a f; ls h 2>/dev/null)" "old${nl}644"
if he bash '{"command":"true"}' --json 2>../err | grep -q '"sandbox":"[bl]'; then
	he bash "$(printf '{"command":"%s; %s"}' 'mkdir -p q/r/.git' \
		'echo 1 >q/r/.git/config; echo 1 >q/.envrc; chmod 0 q/r q')" \
		>../out 2>&1
	match "what others obey goes from folders that he shut" \
		"$(cat ../out; stat -c %a q; chmod 700 q q/r; find q)" \
		"*moved to .hamr/quarantine: q/.envrc, q/r/.git*${nl}0${nl}q${nl}q/r"
	rm -r q
else
	skip "what others obey in shut folders" "no sandbox for him here"
fi
for who in he t; do
	$who bash '{"command":"chmod 0 f"}' >../out 2>&1
	$who bash '{"command":"rm f"}' >../out 2>&1
	is "what a later call removed, too" "$($who undo >../out 2>&1
		stat -c %a f; $who undo >../out 2>&1
		cat f; stat -c %a f)" "0${nl}old${nl}644"
done
he bash '{"command":"echo new >f; chmod 0 f"}' >../out 2>&1
he bash '{"command":"rm -f f; echo 1 >h"}' >../out 2>&1
is "and one that was rewritten, shut, and removed by a later call" \
	"$(for _ in 1 2; do he undo >/dev/null 2>&1; done; cat f; stat -c %a f
	ls h 2>/dev/null)" "old${nl}644"
he bash '{"command":"mkdir d; echo 1 >d/f"}' >../out 2>&1
he bash '{"command":"echo he >f; chmod 0 d"}' >../out 2>&1
is "a file in a folder that he shut is not gone" "$(grep -o "exit.*" ../out
	he undo 2>&1 | tail -n +2)" "exit 0; changed: f${nl}  restored f
  restored d/"
he bash '{"command":"chmod 755 d; echo 2 >d/f"}' >../out 2>&1
is "and goes on as it was" "$(grep -o "exit.*" ../out; he undo >/dev/null 2>&1
	cat d/f)" "exit 0; changed: d/f${nl}1"
he bash '{"command":"rm d/f; echo n >d/n; chmod 0 d"}' >../out 2>&1
is "what he removed or made there before is told" \
	"$(grep -o "exit.*" ../out; stat -c %a d)" "exit 0; changed: d/f, d/n${nl}0"
he bash '{"command":"chmod 700 d; rm d/n; chmod 0 d"}' >../out 2>&1
is "later too" "$(grep -o "exit.*" ../out; he undo >/dev/null 2>&1
	cat d/n; stat -c %a d)" "exit 0; changed: d/n${nl}n${nl}0"
is "and taken back" "$(he undo 2>&1 | tail -n +2; cat d/f; stat -c %a d)" \
	"  removed d/n${nl}  restored d/f${nl}1${nl}755"
he bash '{"command":"mkdir d/x; chmod 300 d"}' >../out 2>&1
he bash '{"command":"mkdir d/y"}' >../out 2>&1
is "a folder made in it as well" "$(he undo 2>&1 | tail -n +2; ls -d d/?)" \
	"  removed d/y/${nl}d/f${nl}d/x"
he undo >../out 2>&1
setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent \
	XDG_CACHE_HOME= XDG_STATE_HOME= "$place/bin/hamr-tool" --yes --no-config \
	--root . bash '{"command":"rm d/f; chmod 0 d; echo 1 >ready; sleep 3374"}' \
	>/dev/null 2>&1 &
until [ -s ready ]; do sleep 0.02; done
{ kill -9 $!; wait $!; flock -w 30 .hamr/snap.git/hamr-begun.0 true; } 2>/dev/null
is "of a killed one, too" "$(he undo 2>&1 | tail -n +2; cat d/f)" \
	"  removed ready${nl}  restored d/f${nl}1"

# hamr-mem and hamr-loop; a session stays root's, who trusts what is in it
rm -rf .hamr
hamr-mem save "a fact" >/dev/null
hamr-loop --no-config -o 'stages.provider=["false"]' "a task" </dev/null \
	>../out 2>&1
is "root's memory and logs are his, but not the session" "$(others)" \
	"$(echo .hamr/sessions/*.ndjson | sed 's,^,./,')"
cp "$BIN/hamr-loop" "$place/bin"
is "which is listed" "$(setpriv --reuid 65534 --regid 65534 --clear-groups \
	"$place/bin/hamr-loop" --no-config --sessions |
	awk 'NR == 2 { print $2 }')" unreadable
rm -rf .hamr/memory.db* && echo x >../root-own
ln ../root-own .hamr/memory.db-lock && hamr-mem save "a fact" >/dev/null
is "a file that was there stays whose it is" "$(stat -c %u ../root-own)" 0

cd /
done_testing

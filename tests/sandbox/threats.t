#!/bin/bash
# threats.t - one deletion in twenty spellings; a repository that wants git
# to run its programs.  What counts is what is there afterwards.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/quote.sh"
. "$TOP/tests/sandbox/escapes.sh"	# a place that no sandbox covers

# --- S1: one deletion, twenty spellings; $D is the folder
cat >"$T/spellings" <<'E2'
rm -rf "$D"
'rm' -r"f" $D
\rm -fr -- $D
r""m -r $D
rm${IFS}-rf${IFS}$D
x=rm; $x -rf $D
a=r b=m; $a$b -rf $D
{rm,-rf,$D}
$(echo rm) -rf $D
eval "$(printf '\162\155 -rf %s' $D)"
$'\x72\x6d' -rf $D
echo cm0gLXJmICIkRCIK | base64 -d | D=$D bash
find $D -delete
find $D -type f -exec unlink {} ';'; rmdir $D
echo $D | xargs rm -rf
python3 -c 'import shutil, sys; shutil.rmtree(sys.argv[1])' $D
perl -e 'unlink glob "$ARGV[0]/*"; rmdir $ARGV[0]' $D
mkdir e; mv $D/f e/; mv $D e/; rm -rf e
function ls { command rm "$@"; }; ls -rf $D
sh <<X${n}rm -rf $D${n}X
E2
spell() {	# FOLDER: the calls; call N is to delete FOLDER/dN
	jq -Rcn --arg d "$1" '{role: "assistant", tool_calls: [[inputs] |
		to_entries[] | {id: "c\(.key)", type: "function", function: {
		name: "bash", arguments: ({command:
		("D=\($d)/d\(.key) n=\"\n\"\n: ${D:?}\n"
		+ (.value | gsub("\\$\\{n\\}"; "\n")))} | tojson)}}]}' \
		"$T/spellings"
}
canaries() {	# FOLDER: twenty, fresh
	local i
	mkdir -p "$1"/d{0..19}
	for i in {0..19}; do
		echo keep >"$1/d$i/f"
	done
}
alive() {
	cat "$1"/d*/f 2>/dev/null | grep -c keep
}
mkdir "$place/root" "$place/out" && cd "$place/root" && git init -q . || exit 1
canaries "$place/out"
spell "$place/out" | hamr-tool -n --yes --no-config --root . \
	-o sandbox.mode=off >"$T/res" 2>/dev/null
is "without a sandbox each deletes" "$(alive "$place/out")" 0
canaries "$place/out"
modes="patch verify"	# two ways to have a root; CI has all
[ -z "${CHECK_FULL:-}" ] || modes="patch read-only verify docs"
for mode in $modes; do
	spell "$place/out" | hamr-tool -n --yes --no-config --root . \
		--mode $mode >"$T/res"
	if [ "$(jq -r 'select(.role == "tool") | .meta.sandbox' "$T/res" |
	    sort -u)" != bubblewrap ]; then
		skip "outside, mode $mode" "no bubblewrap here"
		continue
	fi
	is "outside, mode $mode" "$(alive "$place/out") of $(jq -s \
		'map(select(.role == "tool")) | length' "$T/res")" "20 of 20"
done
canaries "$place/root"
for mode in read-only verify docs; do
	spell "$place/root" | hamr-tool -n --yes --no-config --root . \
		--mode $mode >"$T/res"
	case $(jq -r 'select(.role == "tool") | .meta.sandbox' "$T/res" |
	    sort -u) in
	bubblewrap|landlock) ;;
	*) skip "inside, mode $mode" "no sandbox here"; continue ;;
	esac
	is "inside, mode $mode" "$(alive "$place/root")" 20
done
ok "one of ten thousand parts too" test "$(jq -cn --arg d "$place/out/d0" \
	'{command: ("true; " * 10000 + "rm -rf " + $d)}' >"$T/long"
	hamr-tool --yes --no-config bash "$(cat "$T/long")" >/dev/null
	cat "$place/out/d0/f")" = keep
cd "$T" || exit 1

# --- S6: git asked by hamr runs nothing of the repository
marker() {	# NAME: a program that leaves a trace
	printf '#!/bin/sh\n: >>%s\ncat\n' "$T/ran-$1" >"$T/evil-$1"
	chmod +x "$T/evil-$1"
	echo "$T/evil-$1"
}
fresh() {	# NAME: a repository with a commit and a change
	mkdir "$T/$1" && cd "$T/$1" && git init -q . && echo needle >a &&
		echo b >b && git add . &&
		git -c user.name=n -c user.email=e commit -qm 1 && echo more >>a
}
work() {	# every way by which hamr asks git
	hamr-tool --no-config --root . read '{"path":"."}'
	hamr-tool --no-config --root . read '{"query":"needle"}'
	hamr-tool --no-config read '{"path":"a"}'
	hamr-tool --yes --no-config --root . edit \
		'{"path":"a","old":"needle","new":"pin"}'
	hamr-tool --yes --no-config --root . write '{"path":"n/w","content":"x"}'
	hamr-tool --yes --no-config --root . bash '{"command":"echo >>b"}'
	hamr-tool --no-config --root . undo
	hamr-tool --no-config --root . undo
} </dev/null >"$T/out" 2>&1
plain() {	# what people type
	# shellcheck disable=SC2086
	for c in status diff "add -A" "log -p"; do timeout 10 git $c; done
} </dev/null >/dev/null 2>&1
while read -r name key <&3; do
	fresh "$name" || exit 1
	p=$(marker "$name")
	printf '* filter=x diff=x\n' >.git/info/attributes
	case $key in
	hook) for h in post-index-change reference-transaction post-checkout; do
		cp "$p" .git/hooks/$h; done ;;
	hooksPath) mkdir h; cp "$p" h/post-index-change
		git config core.hooksPath h ;;
	include) printf '[core]\n\tfsmonitor = %s\n' "$p" >inc
		git config include.path ../inc ;;
	worktree) git config extensions.worktreeConfig true
		git config --worktree core.fsmonitor "$p" ;;
	promisor) git config remote.o.promisor true
		git config remote.o.url "ext::$p"
		git config protocol.ext.allow always
		rm -f .git/objects/*/* ;;
	*) git config "$key" "$p" ;;
	esac
	rm -f "$T/ran-$name"
	work
	ok "$name: nothing ran" test ! -e "$T/ran-$name"
	match "$name: and it was done" "$(cat "$T/out")" "*a:1:needle*edited a*made n/w*changed: b*undone*undone*"
	case $name in
	fsmonitor|clean|external|textconv|hook|include|worktree)
		plain
		ok "$name: git by itself runs it" test -e "$T/ran-$name" ;;
	esac
done 3<<'E3'
fsmonitor core.fsmonitor
clean filter.x.clean
smudge filter.x.smudge
process filter.x.process
external diff.external
textconv diff.x.textconv
command diff.x.command
pager core.pager
editor core.editor
ssh core.sshCommand
askpass core.askPass
helper credential.helper
gpg gpg.program
refs core.alternateRefsCommand
pack uploadpack.packObjectsHook
alias alias.ls-files
hook hook
hookspath hooksPath
include include
worktree worktree
promisor promisor
E3

# a repository that lies in the tree as if it were somebody's files
p=$(marker bare)
mkdir "$T/bare" && cd "$T/bare" && git init -q --bare . || exit 1
git config core.bare false; git config core.worktree .
git config core.fsmonitor "$p"; echo needle >a; echo b >b
work
ok "a bare one as the root: nothing ran" test ! -e "$T/ran-bare"
p=$(marker file)
mkdir "$T/file" && cd "$T/file" && git init -q --bare x.git || exit 1
git -C x.git config core.bare false; git -C x.git config core.worktree ../
git -C x.git config core.fsmonitor "$p"
echo 'gitdir: x.git' >.git; echo needle >a; echo b >b
work
ok "a .git file into the tree: nothing ran" test ! -e "$T/ran-file"
git status >/dev/null 2>&1
ok "git by itself runs it" test -e "$T/ran-file"

# git is not the repository's, whatever PATH says
p=$(marker path)
fresh path; printf '#!/bin/sh\n: >%s\nexec %s "$@"\n' "$T/ran-path" \
	"$(command -v git)" >git; chmod +x git; mkdir .hamr
for dir in . "" "$PWD"; do
	PATH=$dir:$PATH work
done
ok "no git of the repository's: nothing ran" test ! -e "$T/ran-path"

# snapshots that came with the repository
p=$(marker snap)
tamper() {	# NAME COMMAND: says what came of it
	fresh "$1"
	hamr-tool --yes --no-config --root . bash '{"command":"echo >>b"}' \
		>"$T/out" 2>&1
	cd .hamr/snap.git || exit 1
	eval "$2"
	cd ../.. || exit 1
	hamr-tool --yes --no-config --root . bash '{"command":"echo >>b"}' \
		>"$T/out" 2>&1
	ok "$1: nothing ran" test ! -e "$T/ran-snap"
}
evil() {	# FOLDER
	git --git-dir="$1" config filter.x.clean "$p"
	git --git-dir="$1" config core.fsmonitor "$p"
	mkdir -p "$1/info"; echo '* filter=x' >"$1/info/attributes"
}
tamper settings 'evil .'
match "they are put right" "$(cat "$T/out")" "*exit 0; changed: b"
tamper elsewhere 'cp -r . ../e; mv ../e .; evil e; echo e >commondir'
match "it is said" "$(cat "$T/out")" "*snap.git is not as hamr-tool made it; move it away*"
tamper index 'rm index; ln -s ../../../made index'
ok "a link is not followed" test ! -e "$T/made"
tamper config 'mv config ../c; evil ../../.git; ln -s ../../.git/config config'
is "nor to be written" "$(git config core.bare)" false
tamper objects 'mv objects ../../../objects; ln -s ../../../objects objects'
match "nor a folder" "$(cat "$T/out")" "*move it away*"

# --- S10: temporary names cannot be guessed, and nothing is followed
if strace -o /dev/null true 2>/dev/null; then
	fresh temp; echo keep >../kept
	for new in pin pun; do
		ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o "$T/trace-$new" -e \
			trace=openat hamr-tool --yes --no-config --root . edit \
			'{"path":"b","old":"b","new":"b'$new'"}' >/dev/null
		echo b >b
		grep O_CREAT "$T/trace-$new" | grep -c 'openat([0-9]*, "b"'
		for n in $(grep O_CREAT "$T/trace-$new" |
		    grep -o '"\.hamr-tmp-[^"]*'); do
			echo "${n#?}" >>"$T/temps"; ln -s ../kept "${n#?}"
		done
	done >"$T/direct"
	ok "another each time" test -s "$T/temps" -a \
		-z "$(sort "$T/temps" | uniq -d)"
	is "never the file itself" "$(sort -u "$T/direct")" 0
	is "each made anew" "$(grep -h O_CREAT "$T"/trace-p?n | grep hamr-tmp |
		grep -vc 'O_EXCL|O_NOFOLLOW.*0600')" 0
	is "what a link of that name points to stays" "$(cat ../kept)" keep
else
	skip "temporary names" "strace does not work here"
fi

# --- S3 S4: what lies in the root costs no command its namespaces
mkdir "$T/odd" "$T/odd/sub" && cd "$T/odd" && git init -q . || exit 1
run() { hamr-tool --yes --no-config --root . "$@" 2>/dev/null; }
layer() { run --json "$@" bash '{"command":"true"}' | jq -r .meta.sandbox; }
best=$(layer)
mkdir -p sub/.hamr .env.d && touch sub/.hamr/x .env.d/x
ln -s .hamr/snap.git a.env; ln -s sub/.hamr/x b.env; ln -s .env.d/x c.env
is "not links to what is hidden" "$(layer)" "$best"
rm -r sub/.hamr .env.d ./*.env
is "nor what is to be hidden twice" "$(layer \
	-o 'sandbox.mask=["/usr/share","/usr/share/doc"]')" "$best"
if [ "$best" = bubblewrap ]; then
	python3 - 2>"$T/err" <<-'P' &
	import ctypes, os, time
	swap = ctypes.CDLL(None).renameat2
	open("sub/.envrc", "w").close()
	os.symlink(os.path.relpath("/etc/shadow", os.path.realpath("sub")),
	    "sub/l")
	while os.path.exists("sub"):
	    swap(-100, b"sub/.envrc", -100, b"sub/l", 2)
	    time.sleep(0.0003)
	P
	swapper=$!
	is "nor a name that becomes a link meanwhile what is hidden" "$(
		for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
			run --mode read-only bash '{"command":
			    "grep -v none /proc/self/mountinfo | grep etc/sh"}'
		done | grep -c shadow)" 0
	mv sub gone
	wait $swapper
else
	skip "names that change" "no bubblewrap here"
fi

# --- S2: modes, in ordinary work; a group's tree
mkdir "$T/modes" && cd "$T/modes" && git init -q . || exit 1
cat >work.sh <<'E2'
set -e
echo 'echo ran' >prog; chmod 644 prog; chmod +x prog; ./prog
install -m 755 prog other; mkdir -m 1777 sticky
tar cf t.tar prog other; mkdir out; tar xpf t.tar -C out
cp -a out copy; chmod -R u+rwX,go-w out copy
git init -q "$TMPDIR/new"; cd "$TMPDIR/new"; echo x >x; git add x
git -c user.name=a -c user.email=a@b commit -qm x
E2
modes() {
	quote "$1"
	hamr-tool --yes --no-config --root . bash "{\"command\":$quoted}" \
	    2>"$T/.err"
}
match "files get their modes" "$(modes 'bash work.sh')" "exit 0;*ran"
is "but neither of the two bits" "$(
	modes 'for m in 4755 2755 u+s g+s; do chmod $m prog; done
		install -m 4755 prog other' >/dev/null
	find . -perm /6000)" ""
if [ "$(id -u)" = 0 ]; then
	group() {	# in a tree whose folders have a group's bit
		chmod 2755 .
		modes 'mkdir -p deep; chmod -R u+w deep
			chmod 4755 prog; stat -c %a deep prog'
	}
	match "root keeps no group's bit" "$(group)" "exit 0*Operation not*"
	rmdir deep; chown -R 65534:65534 .; chmod 755 "$T"
	match "a user may, in a tree that has it" "$(group)" \
		"exit 0*2755${nl}755${nl}*Operation not*"
else
	skip "a group's tree" "not root"
fi

# --- S11: names that look like options or commands
mkdir "$T/names" && cd "$T/names" && git init -q . || exit 1
for n in -n --help --output=x '$(touch x)' '`touch x`' "a${nl}b" -Oxsh ';x'; do
	echo needle >"$n"
done
hamr-tool --no-config --root . read '{"query":"needle"}' >"$T/out"
is "all are searched" "$(grep -c needle "$T/out")" 8
hamr-tool --no-config --root . read '{"path":"."}' >"$T/out"
is "and listed" "$(wc -l <"$T/out")" 8
for n in -n --help --output=x '$(touch x)' '`touch x`' "a${nl}b" -Oxsh ';x'; do
	quote "$n"
	hamr-tool --yes --no-config --root . edit \
	    "{\"path\":$quoted,\"old\":\"needle\",\"new\":\"pin\"}" \
	    >>"$T/out" 2>&1
done
is "edited" "$(cat ./* | grep -c pin)" 8
hamr-tool --yes --no-config --root . bash '{"command":"for f in ./*; do echo y >>$f; done"}' >"$T/out"
is "undone" "$(hamr-tool --no-config --root . undo >/dev/null; cat ./* | grep -c y)" 0
ok "nothing was run or written" test ! -e x
cd "$T" || exit 1
done_testing

#!/bin/bash
# snap.t - snapshots: what a call changed, also a command.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

git init -q .
git config user.name n; git config user.email e@x
new() { hamr-tool -n --yes --no-config --root . "$@"; }
off=
b() { hamr-tool --yes --no-config --root . $off --json bash \
	"$(sh_args "$1")"; }
changed() { b "$1" | jq -r '.content | split("\n")[0]'; }
snap() { git --git-dir=.hamr/snap.git "$@"; }
sum() { sha256sum <"$1" | cut -c 1-64; }

# --- what is said
echo a >a.c; echo keep >keep; echo x >gone; mkdir d; echo d >d/e
git add -A; git commit -qm 1
echo untracked >u; printf 'build/\n*.o\n' >.gitignore
b 'echo b >>a.c; rm gone; echo n >"new file"; echo u >>u; ln -s a.c link
	mkdir -p build; echo o >build/o; echo o >x.o; touch keep' >../out
is "the first line names them" "$(jq -r .content ../out)" \
	"exit 0; changed: a.c, gone, link, new file, u"
is "meta.mutated" "$(jq -c .meta.mutated ../out)" \
"[{\"path\":\"a.c\",\"sha256\":\"$(sum a.c)\"},\
{\"path\":\"gone\",\"sha256\":null},\
{\"path\":\"link\",\"sha256\":\"$(printf a.c | sha256sum | cut -c 1-64)\"},\
{\"path\":\"new file\",\"sha256\":\"$(sum 'new file')\"},\
{\"path\":\"u\",\"sha256\":\"$(sum u)\"}]"
is "bytes count it" "$(jq .meta.bytes ../out)" \
	"$(jq -j .content ../out | wc -c)"
echo one >linked
is "a new name's writes are those of both" \
	"$(changed 'ln linked other; echo two >>other')" \
	"exit 0; changed: linked, other"
rm linked other
is "below a parent that ignores SIGCHLD, too" "$(mkdir ../chld; cd ../chld || exit
	trap '' CHLD; changed 'echo n >n')" "exit 0; changed: n"
is "nothing changed" "$(b 'echo hi' | jq -c '[.content, .meta.mutated]')" \
	'["exit 0\nhi\n",null]'
is "touched, written with the same, written and taken back" \
	"$(changed 'touch a.c; cp a.c z; mv z a.c; echo x >y; rm y')" "exit 0"
is "what another hamr-tool is making is not a command's" \
	"$(changed 'echo x >.hamr-tmp-1')" "exit 0"
rm .hamr-tmp-1
is "an x bit" "$(changed 'chmod +x a.c')" "exit 0; changed: a.c"
is "same size, same time" "$(changed 'touch -r a.c $TMPDIR/t
	sed -i s/a/z/ a.c; touch -r $TMPDIR/t a.c')" "exit 0; changed: a.c"
is "a file becomes a folder" "$(changed 'rm keep; mkdir keep; echo 1 >keep/1')" \
	"exit 0; changed: keep, keep/1"
is "and back" "$(changed 'rm -r keep; echo keep >keep')" \
	"exit 0; changed: keep, keep/1"
is "a failing command too" "$(changed 'echo f >f; exit 3')" \
	"exit 3; changed: f"
is "before what was ended" "$(changed 'echo g >g; sleep 3360 & true')" \
	"exit 0; changed: g; ended: sleep 3360"
is "many" "$(changed 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo >m$i; done')" \
	"exit 0; changed: m1, m10, m11, m12, m2, m3, m4, m5, m6, m7 and 2 more"
is "odd names" "$(changed 'echo >"$(printf "a\tb")"; echo >-n; echo >"q\"q"
	echo >"$(printf "\351")"')" \
	"exit 0; changed: -n, \"a\\tb\", q\"q, \"$(printf '\357\277\275')\""
git add -A; git commit -qm 2
is "what somebody else changes between is not a command's" "$(
	b true >/dev/null; echo mine >>a.c; changed 'echo n >n')" \
	"exit 0; changed: n"

mkdir ../moving && cd ../moving && git init -q && echo 1 >f && echo 2 >f2
is "a root that is moved meanwhile" "$(hamr-tool --yes --no-config --root . \
	--json bash "$(sh_args ': >begun; until [ -e go ]; do sleep .05; done
		echo 3 >f')" | jq -r .content &
	timeout 20 sh -c 'until [ -e begun ]; do sleep .05; done'
	mv ../moving ../moved; : >../moved/go; wait)" \
	"exit 0; changed: begun, f, go"
cd ../root || exit

# --- the repository of the snapshots
is "a bare repository" "$(snap rev-parse --is-bare-repository)" true
ok "that is sound" snap fsck --no-dangling
ok "the user's is as it was" sh -c 'test -z "$(git stash list)" &&
	git diff --cached --quiet && ! git status --short | grep -v "n\|a.c"'
is "its objects are not doubled" "$(git init -q ../big; cd ../big || exit
	head -c 3000000 /dev/urandom >r; git add -A
	git -c user.name=n -c user.email=e commit -qm 1
	hamr-tool --yes --no-config --root . bash '{"command":"echo >n"}' \
	    >/dev/null
	du -sk .hamr/snap.git | awk '{ print $1 < 1000 }')" 1
is "unless they are needed" "$(cd ../big || exit
	hamr-tool --yes --no-config --root . bash '{"command":"rm r"}' >/dev/null
	rm -rf .git/objects/*
	hamr-tool --no-config --root . undo; sha256sum <r)" "$(cd ../big || exit
	echo "undone $(hamr-tool --no-config --root . undo --list | head -n 0
	sed -n 's/.*"type":"change","id":"\([^"]*\)","at":"\([^"]*\)".*/\1, bash of \2/p' \
	    .hamr/snap.git/hamr-undo | tail -n 1)"; echo "  restored r"
	sha256sum <r)"
mkdir ../slow; printf '#!/bin/sh\ncase "$*" in *--batch) sleep 2 ;; esac\nexec %s "$@"\n' \
	"$(command -v git)" >../slow/git; chmod +x ../slow/git
is "... and are copied, however long it takes" "$(git init -q ../old
	cd ../old || exit; echo 1 >f; git add f
	PATH=$T/slow:$PATH hamr-tool --yes --no-config --root . bash \
	    '{"command":"rm f"}' >/dev/null; rm -rf .git/objects/*
	hamr-tool --no-config --root . undo >/dev/null; cat f)" 1
ok "for its owner only" test "$(stat -c %a .hamr/snap.git)" = 700
is ".hamr is ignored" "$(git ls-files .hamr | grep -v .gitignore)" ""

mkdir -p ../half/.hamr; printf '# ma' >../half/.hamr/.gitignore.new
hamr-tool --no-config --yes --root ../half bash '{"command":":"}' >/dev/null
is "... even if the first process was killed while it said so" \
	"$(ls ../half/.hamr/.gitignore*; cmp ../half/.hamr/.gitignore \
	.hamr/.gitignore)" ../half/.hamr/.gitignore

# --- checkpoints
rm -rf ../w; cp -r . ../w; cd ../w || exit 1; rm -rf .hamr
{ echo "$user"; call a read '{"path":"u"}' b bash "$(sh_args 'echo 1 >>u')" \
	c write '{"path":"w/x","content":"x\n"}' d bash "$(sh_args true)"; } >../t
new <../t >../out
is "one a turn, before the first call that may write" "$(jq -r \
	'select(.type != "output") | .type // .role' <../out | tr '\n' ' ')" \
	"start tool checkpoint start tool start tool start tool "
is "with an id" "$(jq -r 'select(.type == "checkpoint") | .id' <../out)" cp1
{ cat ../t ../out; call e bash "$(sh_args 'echo 2 >>u')"; } >../t2
is "not again by the next process in this turn" "$(new <../t2 |
	grep -c checkpoint)" 0
is "a person's message: again" "$({ cat ../t2; echo "$user"
	call f write '{"path":"f2","content":"x"}'; } | new |
	jq -c 'select(.type == "checkpoint") | .paths')" '["f2"]'
is "none for what only reads" "$(call a bash "$(sh_args true)" |
	hamr-tool -n --no-config --root . | grep -c checkpoint)" 0
is "nor in the other modes" "$(for m in read-only verify; do call a bash \
	"$(sh_args true)" | new --mode $m; done | grep -c checkpoint)" 0
truncate -s 17M large; git init -q sub; echo s >sub/s; echo n >.env
is "what is not covered is said" "$(call a bash "$(sh_args true)" | new |
	jq -c 'select(.type == "checkpoint") | .not_covered')" \
	'{"large":1,"repositories":1}'
is "but for that it changes" "$(changed 'echo >>large; echo >>sub/s')" \
	"exit 0; changed: large (too large to undo)"
is "a file that grows out of it" "$(changed 'truncate -s 17M u')" \
	"exit 0; changed: u"
is "secrets are not kept" "$(snap ls-files --error-unmatch .env 2>&1 |
	grep -c 'did not match')" 1

# --- attributes, flags, no git at all
mkdir ../attr; cd ../attr || exit 1; git init -q .
printf '*.crlf text eol=crlf\n*.up filter=up\n*.id ident\n*.w working-tree-encoding=UTF-16\n' \
	>.gitattributes
git config filter.up.clean 'tee -a ../ran | tr a-z A-Z'
git config filter.up.smudge 'tee -a ../ran | tr A-Z a-z'
git config core.fsmonitor 'touch ../ran'
printf 'a\r\nb\r\n' >x.crlf; echo abc >x.up; echo '$Id$' >x.id
printf '\377\376a\0' >x.w; echo flag >skip; echo flag >assume
git add -A 2>/dev/null; git -c user.name=n -c user.email=e commit -qm 1
rm x.id; git checkout -q x.id
git update-index --skip-worktree skip; git update-index --assume-unchanged assume
rm -f ../ran
sum=$(sha256sum x.* skip assume)
is "the bytes as they lie there" "$(changed 'for f in x.* skip assume
	do cp $f c.$f; echo y >>$f; done; rm c.*')" \
	"exit 0; changed: assume, skip, x.crlf, x.id, x.up, x.w"
is "come back as they were" "$(hamr-tool --no-config --root . undo >/dev/null
	sha256sum x.* skip assume)" "$sum"
ok "nothing of the repository's was run" test ! -e ../ran
mkdir ../plain; cd ../plain || exit 1
echo a >a; printf 'ig\n' >.gitignore; echo i >ig
is "without git" "$(changed 'echo b >>a; echo j >>ig; echo >n')" \
	"exit 0; changed: a, n"
is "its ignore file holds" "$(snap ls-files | tr '\n' ' ')" ".gitignore a n "
cd ../w/sub || exit 1
hamr-tool --yes --no-config --root . bash '{"command":"echo 2 >>s"}' >../../o
is "a root within a repository" "$(cat ../../o)" "exit 0; changed: s"
mkdir ../dd; cd ../dd || exit 1; echo s >s; git -C .. add dd
echo '*.o' >../.gitignore; echo o >s.o
hamr-tool --yes --no-config --root . bash '{"command":"echo 2 >>s; cp s t.o"}' \
	>../../o
is "that is no top level" "$(cat ../../o)" "exit 0; changed: s"

# --- in one process, which is told by the kernel that nothing has changed
seeds=1 rounds=1		# CI has more
[ -z "${CHECK_FULL:-}" ] || seeds="1 2" rounds="1 2 3"
for seed in $seeds; do
	mkdir "../same$seed"; cd "../same$seed" || exit 1
	is "commands and others, seed $seed" "$(python3 \
		"$TOP/tests/undo/mutated_model.py" "$seed" 60 2>/dev/null
		echo $?)" 0
	ok "git reads what was stored, seed $seed" snap fsck --no-dangling
done
mkdir ../fake; cat >../fake/git <<E
#!/bin/sh
echo run >>"$PWD/../runs"
exec "$(command -v git)" "\$@"
E
chmod +x ../fake/git
runs() {	# N: of git, for so many calls that change a file
	local i calls=()
	for i in $(seq "$1"); do
		calls+=("c$i" bash "$(sh_args "echo $i >c")")
	done
	rm -rf .hamr
	: >../runs
	call "${calls[@]}" | PATH=$PWD/../fake:$PATH new >../out
	wc -l <../runs
}
is "git is not run for each change" "$(runs 9)" "$(runs 3)"

# --- what goes wrong
cd ../../w || exit 1
touch .hamr/snap.git/index.lock
is "a lock somebody left" "$(changed 'echo 3 >>u2')" "exit 0; changed: u2"
echo junk >.hamr/snap.git/index
is "a broken index" "$(changed 'echo 4 >>u2')" "exit 0; changed: u2"
: >.hamr/snap.git/index		# as a power failure leaves it
is "an empty one" "$(changed 'echo 4 >>u2')" "exit 0; changed: u2"
# of a file that is written in place, a part may be older
# shellcheck disable=SC2059
printf "$(snap ls-files -s | awk 'NR == 1 { own = $2 } $2 != own {
	print $2; exit }' | sed 's/../\\x&/g')" |
	dd of=.hamr/snap.git/index bs=1 seek=52 conv=notrunc 2>../err
first=./$(snap ls-files -z | head -z -n 1 | tr -d '\0')
cp "$first" ../was
is "one with another's bytes in it" "$(b "echo 5 >>'$first'" |
	jq '.meta.mutated | length')" 1
hamr-tool undo --yes --root . >../out 2>../err
same "... can be undone" "$first" ../was
mkfifo .hamr/snap.git/refs/heads/none
is "a FIFO that git would wait for is found at once" "$(call a bash \
	"$(sh_args 'echo 5 >>u2')" | new |
	jq -r 'select(.type == "error") | .message')" "$PWD/.hamr/snap.git is \
not as hamr-tool made it; move it away; what follows cannot be undone"
rm .hamr/snap.git/refs/heads/none
rm -rf .hamr/snap.git/objects
is "lost objects are said" "$(call a bash "$(sh_args 'echo 5 >>u2')" | new |
	jq -r 'select(.type == "error") | .code')" spawn_failed
is "and the call goes on" "$(tail -n 1 u2)" 5
is "what it changed is not known" "$(b 'echo 5 >>u2' 2>/dev/null |
	jq -c '[.content, .meta.mutated == null, (.meta | has("mutated"))]')" \
	'["exit 0; changed: not known",true,true]'
rm -rf .hamr; ln -s ../elsewhere .hamr
off="-o sandbox.mode=off"	# in a sandbox, such a root is read-only
is "state that cannot be here is elsewhere" "$(changed 'echo 6 >>u2')" \
	"exit 0; changed: u2"
off=
ok "not behind a link" test ! -e ../elsewhere
rm .hamr
changed 'echo 7 >>u2' >/dev/null
rm .hamr/snap.git/index; mkdir -p .hamr/snap.git/index/d
b 'echo 7 >>u2' >/dev/null 2>../err
match "an index that cannot be replaced is said" "$(head -n 1 ../err)" \
	"*snap.git (its index cannot be read); what follows cannot be undone"
rm -rf .hamr
mkdir ../nogit; ln -s "$(command -v bash)" ../nogit/; for p in sleep cat; do
	ln -s "$(command -v $p)" ../nogit/; done
is "without git it is said" "$(PATH=$T/nogit "$BIN/hamr-tool" --yes \
	--no-config --root . bash '{"command":"echo 7 >>u2"}' 2>../err
	head -n 1 ../err | cut -c 1-36)" "exit 0; changed: not known
hamr-tool: no snapshot could be made"
echo old >ed; "$BIN/hamr-tool" --no-config --root . --yes edit \
	'{"path":"ed","old":"old","new":"new"}' >/dev/null
PATH=$T/nogit "$BIN/hamr-tool" --no-config --root . undo 2>../err
match "and by undo" "$(cat ../err; cat ed)" "hamr-tool: the old contents in \
*snap.git cannot be read (git is not installed; install the package git)${nl}new"
# --- first calls at the same moment
one() {	# I BEFORE...
	local i=$1
	shift
	"$@" hamr-tool --yes --no-config --root . bash \
		"$(sh_args "echo $i >n$i")" >/dev/null 2>"../err$i"
}
first() { rm -rf ../first ../err? && mkdir ../first && cd ../first || exit 1; }
# What they said, and what can be undone (each may have seen others' files).
both() {
	cat ../err? >../said
	said_in ../said
	hamr-tool --no-config --root . undo --list | jq -r '.paths[]' |
		sort -u | tr '\n' ' '
}
for round in $rounds; do
	first
	for i in 1 2 3 4 5 6 7 8; do one $i & done
	wait
	is "make one repository, round $round" "$(both)" \
		"n1 n2 n3 n4 n5 n6 n7 n8 "
done
if command -v strace >/dev/null && strace -o ../st true 2>/dev/null; then
	first
	one 1 strace -o ../st -e trace=mkdirat,renameat \
		-e inject=mkdirat,renameat:delay_enter=200000 &
	i=0
	while [ ! -e .hamr/snap.git/refs ] && [ $((i += 1)) -lt 1000 ]; do
		sleep 0.01
	done
	one 2
	wait
	is "also while one is slow" "$(both)" "n1 n2 "
else
	skip "also while one is slow" "no strace here"
fi
done_testing

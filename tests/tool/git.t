#!/bin/bash
# git.t - no git of ours reads a repository's configuration: a hostile one
# runs nothing and stops nothing, whoever works in it. (S22 S29)
. "$(dirname "$0")/../lib.sh"
at_end() { [ -z "${place:-}" ] || rm -rf "$place"; }
real=$(command -v git)
script='{"role":"assistant","content":"I see nothing."}'
echo "$script" >"$T/script"
mkdir -m 1777 "$T/ran"
chmod 755 "$T"

# Everything in a repository's configuration that names a program, a tree that
# is lost, and a promisor to fetch it from.
hostile() {	# DIR URL
	local key m=$T/ran t
	mkdir -p "$1/d/sub" "$1/x" && cd "$1" && git init -q . || exit 1
	echo 1 >d/sub/f; echo needle >x/y; echo 3 >top
	printf '* filter=f diff=f merge=f\n' >.gitattributes
	git add . && git -c user.name=n -c user.email=e commit -qm 1
	git sparse-checkout init --cone --sparse-index >/dev/null 2>&1
	git sparse-checkout set x >/dev/null 2>&1
	t=$(git rev-parse HEAD:d); rm -f .git/objects/"${t:0:2}/${t:2}"
	for key in core.fsmonitor core.sshCommand core.pager core.editor \
	    core.askPass core.alternateRefsCommand core.gitProxy \
	    filter.f.clean filter.f.smudge filter.f.process diff.external \
	    diff.f.textconv diff.f.command credential.helper gpg.program \
	    uploadpack.packObjectsHook remote.o.uploadpack alias.ls-files \
	    alias.update-index merge.f.driver gc.recentObjectsHook; do
		git config "$key" "touch $m/$key; false"
	done
	mkdir h
	for key in post-index-change reference-transaction post-checkout; do
		printf '#!/bin/sh\n: >%s/%s\n' "$m" "$key" |
			tee .git/hooks/$key >h/$key
		chmod +x .git/hooks/$key h/$key
	done
	printf '[core]\n\thooksPath = h\n\tfsmonitor = touch %s/inc\n' "$m" >inc
	git config include.path ../inc
	git config core.repositoryformatversion 1
	git config extensions.partialClone o
	git config remote.o.promisor true
	git config remote.o.url "$2"
	git config protocol.ext.allow always
	git config core.excludesFile "$T/secret"
	rm -f "$m"/*
}
work() {	# every command of ours that looks at a repository
	hamr-tool --no-config read '{"path":"."}'
	hamr-tool --no-config read '{"query":"needle"}'
	hamr-tool --yes --no-config edit '{"path":"x/y","old":"needle","new":"pin"}'
	hamr-tool --yes --no-config write '{"path":"n/w","content":"x"}'
	hamr-tool --yes --no-config bash '{"command":"echo >>top"}'
	hamr-tool --yes --no-config save_memory '{"fact":"needle is a pin"}'
	hamr-tool --no-config undo --list
	hamr-tool --no-config undo
	hamr-mem --no-config search pin
	hamr-loop --no-config --sessions
	hamr-loop --no-config --doctor
	hamr-loop --no-config --replay "$T/script" "what is here?"
	echo "$script" | hamr-compact --no-config --ledger
	hamr-loop --no-config --export html
} </dev/null >"$T/out" 2>&1

export PATH
hostile "$T/hostile" "ext::touch $T/ran/ext"
cp -r "$T/hostile" "$T/untouched"
(git ls-files; git status; git diff) >/dev/null 2>&1
ok "git by itself runs what it names" test -n "$(ls "$T/ran")"
rm -f "$T"/ran/*
work
is "as its owner nothing runs" "$(ls "$T/ran")" ""
match "and the work is done" "$(cat "$T/out")" \
	"*x/y:1:needle*edited x/y*made n/w*changed: top*undone*"
for url in "$T/bare" ssh://h/x; do
	[ -d "$T/bare" ] || git init -q --bare "$T/bare"
	git config remote.o.url "$url"
	work
	is "nor with a promisor at ${url%%/*}:" "$(ls "$T/ran")" ""
done
if [ "$(id -u)" = 0 ]; then
	place=$(mktemp -d /srv/hamr-test.XXXXXX) && chmod 755 "$place"
	cp -r "$T/untouched" "$place/r" && cd "$place/r" || exit 1
	chown -R 65534:65534 .
	work
	is "root in its folder: nothing runs" "$(ls "$T/ran")" ""
	match "and the work is done (root)" "$(cat "$T/out")" \
		"*x/y:1:needle*edited x/y*made n/w*changed: top*undone*"
	# a shared folder: another's .git above is not taken
	mkdir -m 1777 "$place/shared" && cp -r "$T/untouched" "$place/shared/r" &&
		mv "$place/shared/r/.git" "$place/shared/.git" &&
		mkdir "$place/shared/mine" && cd "$place/shared/mine" || exit 1
	chown -R 65534:65534 "$place/shared/.git"
	echo needle >y
	chmod 1777 .
	is "another's .git above is not the root" \
		"$(hamr-tool --no-config read '{"path":"."}' 2>"$T/err")" "y	7"
	match "and it is said" "$(cat "$T/err")" \
		"hamr-tool: $place/shared/.git belongs to another user (65534) and is not used"
	work
	is "nothing runs in a shared folder" "$(ls "$T/ran")" ""
	is "hamr-mem check, once" "$(cd "$place/shared" &&
		hamr-mem --no-config check 2>&1 | grep -c "another user")" 1
	match "the loop says it, too" "$(cat "$T/out")" "*hamr-loop: $place/shared/.git belongs to another user*"
	(git init -q . && chown -R 65534 .git)
	match "nor is one in the folder itself" \
		"$(hamr-tool --no-config read '{"path":"."}' 2>&1 >/dev/null)" \
		"*mine/.git belongs to another user*"
	echo 1 >d
	is "and what is done there can be undone" "$({ hamr-tool --yes \
		--no-config --root . bash '{"command":"echo 2 >d"}'
		hamr-tool --root . undo >/dev/null; cat d; } 2>/dev/null)" \
		"exit 0; changed: d
1"
else
	skip "root in its folder, a shared folder" "not root"
fi

# every git of ours is started on our repository
mkdir "$T/fake" "$T/log"
cat >"$T/fake/git" <<E
#!/bin/sh
{ echo "\$*"; env; } >"$T/log/\$\$"
exec $real "\$@"
E
chmod +x "$T/fake/git"
hostile "$T/again" "ext::touch $T/ran/ext"
: "${GIT_SSH_COMMAND:=touch $T/ran/env}"
export GIT_SSH_COMMAND GIT_EXTERNAL_DIFF="touch $T/ran/env"
PATH=$T/fake:$PATH work
unset GIT_SSH_COMMAND GIT_EXTERNAL_DIFF
ok "it was started" test -n "$(ls "$T/log")"
is "always with our GIT_DIR" "$(grep -L "^GIT_DIR=$PWD/.hamr/snap.git$" \
	"$T"/log/*)" ""
is "and no other configuration" "$(grep -L '^GIT_CONFIG_GLOBAL=/dev/null$' \
	"$T"/log/*; grep -L '^GIT_CONFIG_NOSYSTEM=1$' "$T"/log/*
	grep -L '^GIT_NO_LAZY_FETCH=1$' "$T"/log/*
	grep -L '^GIT_ALLOW_PROTOCOL=$' "$T"/log/*)" ""
is "and nothing of git's own in the environment" \
	"$(grep -lE '^GIT_(SSH_COMMAND|EXTERNAL_DIFF)' "$T"/log/*)" ""
is "our repository has no remote" \
	"$(grep -cE 'remote|partialClone|include' .hamr/snap.git/config)" 0

# what is tracked and ignored is known without git
mkdir "$T/rules" && cd "$T/rules" && git init -q . || exit 1
mkdir -p a/b keep node_modules/x
touch a/1.o a/b/2.o a/b/3 keep/t.o keep/u.o node_modules/x/z top 'sp ace '
printf '*.o\n!/a/1.o\nnode_modules/\nsp\\ ace\\ \n' >.gitignore
echo 3 >a/b/.gitignore
echo top >.git/info/exclude
git add -f keep/t.o
listed() { hamr-tool --no-config read '{"path":".","depth":8}' | cut -f 1 |
	grep -v '/$' | sort; }
is "the rules are git's" "$(listed)" \
	"$(git ls-files -co --exclude-standard | sort)"
# what Python leaves behind is no change, unless the repository says so
run() {
	hamr-tool --no-config --yes bash \
		"{\"command\":\"mkdir -p __pycache__; echo $1 >__pycache__/a.pyc\"}"
}
is "__pycache__ is ignored" "$(run 1; listed | grep -c pycache)" "exit 0
0"
echo '!__pycache__/' >>.gitignore
is "__pycache__ is not ignored" "$(run 2; listed | grep pycache)" \
	"exit 0; changed: __pycache__/a.pyc
__pycache__/a.pyc"
rm -rf __pycache__; sed -i '$d' .gitignore
# sets, classes and stars are git's too, not those of fnmatch(3)
mkdir wild && cd wild || exit 1
for d in b-a dot class not any deep esc end byte; do
	mkdir -p $d/x/y && touch $d/{a,b,c,-,],A,1,é} $d/x/y/z || exit 1
done
echo '[b-a]' >b-a/.gitignore
printf '[[.a.]]\n[[=b=]]\n' >dot/.gitignore
printf '[[:upper:]-]\n[[:none:]]\n[[:digit:]\n' >class/.gitignore
printf '[!]a]\n![^\\]b-z]\n' >not/.gitignore
echo '***/z' >any/.gitignore
echo 'x/*****/z' >deep/.gitignore
printf 'x\\/y\n\\a\nb\\\n' >esc/.gitignore
printf '[a\n[b-\nx/[!/]/z\n' >end/.gitignore
echo '?' >byte/.gitignore
is "sets, classes and stars, too" "$(hamr-tool --no-config read \
	'{"path":"wild","depth":8}' | cut -f 1 | grep -v '/$' | sort)" \
	"$(git -c core.quotePath=false ls-files -o --exclude-standard | sort)"
cd .. && rm -r wild
for v in 3 4; do
	git update-index --index-version $v
	is "index version $v" "$(listed | grep -x keep/t.o)" keep/t.o
done
git update-index --split-index && git add -f keep/u.o
is "a split index" "$(listed | grep keep/ | tr '\n' ' ')" "keep/t.o keep/u.o "
git rm -q --cached keep/t.o
is "and what was taken out of it" "$(listed | grep keep/)" keep/u.o
if git init -q --object-format=sha256 "$T/sha256" 2>/dev/null; then
	cd "$T/sha256" && touch s.o && git add s.o && echo '*.o' >.gitignore
	is "names of 32 bytes" "$(listed | grep -x s.o)" s.o
	hamr-tool --yes --no-config bash '{"command":"echo x >s.o"}' >"$T/out"
	is "and snapshots with them" "$(cat "$T/out")" "exit 0; changed: s.o"
	cd "$T/rules" || exit 1
else
	skip "names of 32 bytes" "not this git"
fi
printf 'DIRC\0\0\0\2\0\0\1\0garbage' >.git/index
match "a damaged index is said" "$(hamr-tool --no-config read '{"path":"."}' \
	2>&1)" "*.git/index is damaged; nothing is taken as tracked by git*"
echo 1 >d
for _ in 1 2; do	# the second time .hamr is there
	is "and what is done can be undone" "$({ hamr-tool --yes --no-config \
		bash '{"command":"echo 2 >d"}'; hamr-tool undo >/dev/null
		cat d; } 2>/dev/null)" "exit 0; changed: d
1"
done

# what git tracks in .hamr: a person's own part, or a reason to go elsewhere
mkdir "$T/state" && cd "$T/state" && git init -q . || exit 1
mkdir -p .hamr/commands .hamr/skills/s
echo c >.hamr/commands/c.md; echo s >.hamr/skills/s/SKILL.md
echo '# none' >.hamr/config.toml
git add -f .hamr
hamr-mem --no-config save "kept here" >/dev/null
ok "commands, skills and config.toml may be tracked" test -e .hamr/memory.db
echo planted >.hamr/planted && git add -f .hamr/planted
match "anything else: the state goes to the user's" \
	"$(hamr-mem --no-config search kept; hamr-mem --no-config save \
	"kept there" >/dev/null; ls "$XDG_STATE_HOME"/hamr/*/memory.db)" \
	"$XDG_STATE_HOME/hamr/state-????????????/memory.db"
hamr-tool --yes --no-config bash '{"command":"echo >x"}' >"$T/out" 2>&1
ok "so do the snapshots" test -d "$(echo "$XDG_STATE_HOME"/hamr/state-*)/snap.git"
# Landlock hides nothing
hamr-tool --sandbox-status | grep -q '^bubblewrap *yes' &&
is "which commands do not see" "$(hamr-tool --yes --no-config bash \
	"{\"command\":\"ls -A $XDG_STATE_HOME/hamr\"}" 2>/dev/null |
	grep -c state-)" 0

# trust is in all that a person's part can make us do
untrusted() { hamr-loop --print-config 2>&1 >/dev/null | grep -c "not trusted"; }
mkdir "$T/trust" && cd "$T/trust" && mkdir .hamr || exit 1
printf '[sandbox]\nnetwork = true\n' >.hamr/config.toml
hamr-loop --trust
is "a file by itself is trusted by its hash" "$(untrusted
	grep -c "$(sha256sum <.hamr/config.toml | cut -c 1-64)" \
	"$XDG_CONFIG_HOME/hamr/config.toml")" "0
1"
mkdir -p .hamr/commands .hamr/skills/s; echo c >.hamr/commands/c.md
is "a command beside it: no longer" "$(untrusted)" 1
hamr-loop --trust
is "until that is trusted" "$(untrusted)" 0
echo s >.hamr/skills/s/SKILL.md
is "a skill" "$(untrusted)" 1
hamr-loop --trust; echo x >>.hamr/commands/c.md
is "or a change" "$(untrusted)" 1
hamr-loop --trust; rm .hamr/commands/c.md; mkfifo .hamr/commands/c.md
is "or a FIFO" "$(timeout 5 hamr-loop --print-config 2>&1 >/dev/null |
	grep -c "not trusted")" 1

# --- S29: special files in place of git's
quick() {	# NAME COMMAND: it ends, and soon
	timeout 5 "${@:2}" </dev/null >"$T/out" 2>&1
	if [ $? = 124 ]; then result 1 "$1: it ends"; else result 0 "$1: it ends"; fi
}
for f in .git/config .git/HEAD .git/index .git/info/exclude .gitignore \
    a/.gitignore a/.gitattributes .git/objects/pack/x.idx \
    .git/objects/info/alternates .git/commondir; do
	rm -rf "$T/fifo" && mkdir -p "$T/fifo/a" && cd "$T/fifo" &&
		git init -q . && echo x >a/x && git add . || exit 1
	rm -rf "$f"; mkfifo "$f"
	quick "$f, bash" hamr-tool --yes --no-config bash '{"command":"echo y >a/x"}'
	quick "$f, sessions" hamr-loop --no-config --sessions
	quick "$f, read" hamr-tool --no-config read '{"path":"."}'
	quick "$f, undo" hamr-tool --no-config undo
done

cd /
done_testing

#!/bin/bash
# prune.t - what undo needs does not fill the disk, and is not lost.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"
git init -q .
git config user.name n; git config user.email e@x
new() { hamr-tool -n --yes --no-config --root . "$@"; }
b() { hamr-tool --yes --no-config --root . bash "$(sh_args "$1")"; }
snap=.hamr/snap.git
due() { touch -d '2 days ago' $snap/hamr-use; }
age() {	# N DAYS: the first N lines of the journal are that old
	local at
	at=$(date -u -d "$2 days ago" +%Y-%m-%dT%H:%M:%SZ)
	sed -i "1,$1s/\"at\":\"[^\"]*\"/\"at\":\"$at\"/" $snap/hamr-undo
}
objects() { find $snap/objects -type f ! -name alternates | wc -l; }
ids() { hamr-tool --no-config --root . undo --list | jq -r .id | tr '\n' ' '; }
changes() {	# N COMMAND: N calls, in which I is 1 to N
	local i calls=()
	for i in $(seq "$1"); do
		calls+=("c$i" bash "$(sh_args "I=$i; $2")")
	done
	{ echo "$user"; call "${calls[@]}"; } | new >../out
}
echo 0 >f; echo user >u; git add -A; git commit -qm 1

changes 30 'echo $I >f; echo $I >g$((I % 3))'
n=$(objects)
age 20 40
b : >../out
is "once a day" "$(objects)" "$n"
is "what there is" "$(ids | wc -w)" 30
due
b : >../out
is "old changes are forgotten, the newest 20 are not" "$(ids | wc -w)" 20
ok "and what they needed too ($n, $(objects))" test "$(objects)" -lt $((n - 5))
ok "the repository is sound" git --git-dir=$snap fsck --no-dangling
ok "the user's too" git fsck
n=$(objects)
touch -d '2 days ago' ../stamp $snap/hamr-use
b : >../out
ok "it is noted" test $snap/hamr-use -nt ../stamp
is "twice is once" "$(ids | wc -w)" 20
b 'echo new >f; rm g1' >../out
is "the next call is compared as ever" "$(head -n 1 ../out)" \
	"exit 0; changed: f, g1"
is "and taken back" "$(hamr-tool --no-config --root . undo | tail -n 2; cat f)" \
	"  restored f${nl}  restored g1${nl}30"
for id in $(ids); do hamr-tool --no-config --root . undo "$id" >../out || break; done
is "so are all that are kept" "$(ids; cat f)" 10
due; b : >../out
ok "undone is not needed any more" test "$(objects)" -lt 12

# --- a checkpoint means all behind it, or is forgotten
rm -rf $snap
changes 25 'echo a$I >f'
age 10 40; due; b : >../out
is "a checkpoint goes with the first of its changes" \
	"$(hamr-tool --no-config --root . undo cp1 2>&1; cat f)" \
	"hamr-tool: there is no change cp1; hamr-tool undo --list names those \
there are${nl}a25"
rm -rf $snap
changes 3 'echo $I >f'
due; b : >../out
is "one that is whole stays" "$(hamr-tool --no-config --root . undo cp1 \
	>../out; cat f)" a25

# --- size; and never the newest
rm -rf $snap
head -c 300000 /dev/urandom >big; b : >../out
for i in 1 2 3 4; do
	b "head -c 300000 /dev/urandom >big" >../out
done
due; hamr-tool --yes --no-config --root . -o tools.undo_bytes=700000 bash \
	'{"command":":"}' >../out
is "the newest that fit" "$(ids | wc -w)" 2
ok "are what is on disk" test "$(du -s $snap | cut -f 1)" -lt 1200
due; hamr-tool --yes --no-config --root . -o tools.undo_bytes=1 bash \
	'{"command":":"}' >../out
is "the newest, whatever its size" "$(ids | wc -w)" 1
ok "can be undone" hamr-tool --no-config --root . undo
echo 'tools.undo_days = 1' >.hamr/config.toml
match "a repository does not shorten it" "$(hamr-tool --root . read \
	'{"path":"f"}' 2>&1)" "*undo_days*"
rm .hamr/config.toml

# --- without a repository of the user's: all is ours, and stays compared
mkdir ../plain && cd ../plain && mkdir d || exit 1
for i in $(seq 40); do echo "$i" >"d/$i"; done
b : >../out; due; b : >../out
ok "what is there is kept" git --git-dir=$snap fsck --no-dangling
is "for the next" "$(b 'echo x >d/7; rm d/8' | head -n 1
	hamr-tool --no-config --root . undo >../out; cat d/7 d/8)" \
	"exit 0; changed: d/7, d/8${nl}7${nl}8"

# --- old contents of the user's become ours, many or one
mkdir ../ours && cd ../ours && git init -q . || exit 1
git config user.name n; git config user.email e@x
for i in $(seq 40); do echo "old $i" >"p$i"; done
git add -A; git commit -qm 1
names=$(for i in $(seq 40); do git rev-parse ":p$i"; done)
changes 5 'echo new >p$I'
b 'for i in $(seq 40); do echo newer >p$i; done' >../out
due; b : >../out
git checkout -q --orphan none && git rm -qrf --cached . &&
	git reflog expire --expire=now --all && git gc -q --prune=now
is "which do not need the user's objects" "$(for i in $names; do
	git --git-dir=$snap cat-file -p "$i"; done 2>&1)" "$(seq -f 'old %g' 40)"
is "to be taken back" "$(for id in $(ids); do
	hamr-tool --no-config --root . undo "$id" >../out || break; done
	cat p? p?? 2>&1)" "$(for i in $(seq 40); do echo "old $i"; done)"

# --- an old content that is there again, and that the user's git has dropped
mkdir ../back && cd ../back && git init -q . || exit 1
git config user.name n; git config user.email e@x
for i in $(seq 25); do echo "old $i" >"p$i"; done
git add -A; git commit -qm 1
changes 25 'echo new >p$I'
git checkout -q --orphan none && git rm -qrf --cached . &&
	git reflog expire --expire=now --all && git gc -q --prune=now
b 'echo "old 1" >p1' >../out; age 10 40; due; b : >../out
is "it stays with the index" "$(ids | wc -w)" 20
b 'echo other >p1' >../out
is "to be taken back" "$(hamr-tool --no-config --root . undo >../out
	cat p1)" "old 1"

# --- not while another works, not in half
cd ../root || exit 1
rm -rf $snap
changes 25 'echo $I >f; echo $I >g$((I % 3))'; age 10 40; due
n=$(objects)
resident --yes --no-config --root .
say "$user" "$(call a bash "$(sh_args 'echo r >r; sleep 3371')")" "$go"
hear 20; say "$line"
i=0; while [ ! -s r ] && [ $((i += 1)) -lt 300 ]; do sleep 0.1; done
b : >../out
is "another works: nothing is forgotten" "$(ids | wc -w)" 25
kill -9 "$tool_pid"; bye
is "what a killed one has changed comes to it" "$(ids | wc -w)" 26
if command -v strace >/dev/null && strace -o ../st true 2>/dev/null; then
	cp -a . ../whole
	due
	b : >../out
	want=$(ids)
	cp -a ../whole/. ../one
	for when in 1 4 8 20; do
		rm -rf ../one && cp -a ../whole ../one && cd ../one || exit 1
		due
		(strace -o ../st -e trace=unlinkat,rename \
		    -e inject=unlinkat,rename:signal=KILL:when=$when+ \
		    hamr-tool --yes --no-config --root . bash '{"command":":"}' \
		    >../out 2>&1; :) 2>/dev/null
		kept=$(ids)
		case $kept in
		"$want"*) ;;	# the old journal, or the new one
		*) is "killed at $when: the changes" "$kept" "$want"; continue ;;
		esac
		b 'echo more >f' >../out
		for id in $(ids); do
			hamr-tool --no-config --root . undo "$id" >../out 2>&1 || {
				cat ../out
				break
			}
		done
		is "killed at $when: every change can be taken back" "$(ids)" ""
		due; b : >../out
		is "and the next goes through" "$(find $snap -name 'hamr-undo.*')" ""
	done
else
	skip "killed in the middle" "no strace here"
fi

# --- .hamr/out
cd ../root && rm -rf .hamr/out || exit 1
long() { hamr-tool --yes --no-config --root . -o \
	context.max_single_read_result_tokens=100 bash \
	"$(sh_args "seq $1 9999")" >../out; }
long 1; long 2; long 3
touch -d '40 days ago' .hamr/out/*
long 2; long 4
is "outputs that nobody used for long go" "$(find .hamr/out -type f | wc -l)" 2

cd /
done_testing

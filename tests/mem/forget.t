#!/bin/bash
# forget.t - hamr-mem forget: gone means gone (S21).
. "$(dirname "$0")/../lib.sh"
HAMR_SHARE=${HAMR_SHARE:-$TOP/share/hamr}; export HAMR_SHARE
unset HAMR_BIN

# Is a byte of it left in any file of the memory?
left() { cat m.db* | grep -aoci "$1"; }
mem() { hamr-mem --db m.db "$@"; }

for i in $(seq 50); do mem save "filler number $i xyzzy" >/dev/null; done
id=$(mem save "the password hint is plughquux and zorkmids")
cat >t <<'X'
{"type":"hamr","v":1,"session":"sessionalpha","created":"2026-01-01T00:00:00Z"}
{"role":"user","content":"frobnicate the gizmotronic"}
{"role":"assistant","content":"gizmotronics were frobnicated"}
{"type":"hamr","v":1,"session":"sessionbeta","created":"2026-03-01T00:00:00Z"}
{"role":"user","content":"betaquestion about wuggles"}
X
hamr-mem -n --db m.db <t
ok "it is there" test "$(left plughquux)" -gt 0
ok "forget ID" mem forget "$id"
is "no byte of it" "$(left plughquux) $(left zorkmid)" "0 0"
status "the log is empty" 1 test -s m.db-wal
status "show" 1 mem show "$id"
status "search" 1 mem search plughquux
status "forget it again" 1 mem forget "$id"
ok "forget --session" mem forget --session sessionalpha
is "no byte of it" "$(left gizmotronic) $(left frobnicat) $(left sessionalpha)" \
    "0 0 0"
is "the other stays" "$(mem search wuggles | jq -r .session)" sessionbeta
hamr-mem --db m.db <t >out
same "the stage passes it on" t out
is "but does not bring it back" "$(left gizmotronic)" 0
is "saving anew does" "$(mem save "the password hint is plughquux and zorkmids")" \
    "$id"
ok "it is found" mem search zorkmids
ok "forget --before" mem forget --before 2026-06-01
status "it is gone" 1 mem search wuggles
is "no byte of it" "$(left wuggle)" 0
ok "what is newer stays" mem search xyzzy
status "--before when nothing is older" 1 mem forget --before 1999-01-01
status "two ways at once" 2 mem forget "$id" --session x
status "no way" 2 mem forget
status "what is no memory" 1 hamr-mem --db none.db forget --session x
ok "nothing is made of it" test ! -e none.db
ok "check" mem check

# no file can be made in its folder
id=$(mem save "a wumpus")
mkdir m.db-vacuum
status "forgotten, but not rewritten" 71 mem forget "$id"
match "which is said, and what to do" "$(cat "$T/.err")" "hamr-mem: \
m.db-vacuum: *; what was forgotten stays in the file until you can write *"
rmdir m.db-vacuum
status "the next one" 1 mem forget "$id"
is "finishes it" "$(left wumpus)" 0

# two at once, of which one is done while the other makes its copy
if strace -o /dev/null true 2>/dev/null; then
	for i in 1 2; do mem save "a wumpus $i"; done >ids
	{ read -r a; read -r b; } <ids
	slow() {	# ID, ms before its copy is made, and before it is named
		ASAN_OPTIONS=detect_leaks=0 strace -qq -o /dev/null \
		    -P "$PWD/m.db-vacuum" -P m.db-vacuum \
		    -e "inject=unlink:delay_enter=${2}000" \
		    -e "inject=fchmod:delay_enter=${3}000" \
		    hamr-mem --db m.db forget "$1"
	}
	slow "$a" 300 1000 2>said & slow "$b" 800 1 2>>said; wait
	is "two at once: no memory is lost" "$(cat said; mem search -n 1 \
	    filler | wc -l) $(left wumpus)" "1 0"
else
	skip "two at once" "strace does not work here"
fi

# another user's file has the name of the copy, where one may not remove it
he() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
if chmod 755 "$T" 2>/dev/null && mkdir -m 1777 all && cd all &&
    he hamr-mem --no-config --db h.db save "a wumpus" >id 2>/dev/null; then
	he hamr-mem --no-config --db h.db save "a wombat" >/dev/null
	install -m 666 /dev/null h.db-vacuum
	status "another's file is not the copy" 71 \
	    he hamr-mem --no-config --db h.db forget "$(cat id)"
	ok "nothing is written to it" test ! -s h.db-vacuum
else
	skip "another's file" "setpriv does not work here"
fi
cd "$T" || exit

# pages that the index let go of long before
for s in $(seq 40)
do	printf '{"type":"hamr","v":1,"session":"p%d"}\n' "$s"
	for i in $(seq 40)
	do	printf '{"role":"user","content":"snorkword%dx %d filler%d"}\n' \
		    "$s" "$i" $((i * s))
	done
	printf '{"type":"go"}\n'
done | hamr-mem -r --db pages.db >/dev/null
ok "one is forgotten" hamr-mem --db pages.db forget --session p3
ok "another one" hamr-mem --db pages.db forget --session p7
is "also in pages that the index had let go of" \
    "$(cat pages.db* | grep -aoc 'snorkword7x')" 0
ok "check of it" hamr-mem --db pages.db check

# what SQLite leaves in the gaps of a page when it moves its cells
awk 'function word(  i, w) {
	for (i = 0; i < 9; i++)
		w = w substr("abcdefghijklmnop", rand() * 16 + 1, 1)
	return w
}
BEGIN {	srand(3); print "{\"type\":\"hamr\",\"v\":1,\"session\":\"gaps\"}"
	for (n = 1; n <= 60; n++) {
		line = word()
		for (i = 1; i < 400; i++) line = line " " word()
		print "{\"role\":\"user\",\"content\":\"" line "\"}"
		if (n % 30 == 0) print "{\"type\":\"go\"}"
	} }' >gaps
hamr-mem -r --db gaps.db <gaps >/dev/null
for n in 4 11 19 26 33 41 48 55
do	sed -n "${n}s/.*:\"\([a-p ]*\)\"}/\1/p" gaps | tr ' ' '\n' >words
	hamr-mem --db gaps.db search "$(head -n 1 words)" | jq -r .id |
	    xargs hamr-mem --db gaps.db forget
	grep -aoFf words gaps.db* >>gaps.left
done
ok "words of 8 messages were looked for" test "$(wc -l <words)" = 400
is "no byte of them in the gaps of pages" "$(wc -l <gaps.left)" 0

# a reader in the way
if sqlite3 -version >/dev/null 2>&1; then
	id=$(mem save "a fact with blorptext")
	mkfifo hold
	( sleep 30 >hold & echo $! >pid; wait ) &
	{ echo "begin; select count(*) from item;"; cat hold; } |
	    sqlite3 m.db >count 2>&1 &
	while [ ! -s count ]; do sleep 0.05; done
	status "a reader is in the way" 75 mem forget "$id"
	match "it says so" "$(cat "$T/.err")" \
	    '*forgotten, but its bytes stay in the log*'
	kill "$(cat pid)"
	wait
	mem forget "$id"
	is "the next one finishes it" "$(left blorptext)" 0
else
	skip "a reader in the way" "no sqlite3"
fi

# a memory that SQLite does not copy in its cache of 32 MB, which is written
# anew on its own disk, whose room may not do
if mkdir disk tmp && unshare -m mount -t tmpfs none disk 2>/dev/null; then
	dashes=$(head -c 64000 /dev/zero | tr '\0' -)
	{ echo '{"type":"hamr","v":1,"session":"s"}'
	printf '{"role":"user","content":"%d '"$dashes"'"}\n' {0..599}; } >large
	cat >anew.sh <<'E'
mount -t tmpfs -o size=90m none disk
mount -t tmpfs -o size=64k none tmp
mem() { hamr-mem --no-config --db disk/m.db "$@"; }
mem -q -n large
id=$(mem save "a fact with blorptext")
TMPDIR=$PWD/tmp mem forget "$id"
[ "$(stat -c %s disk/m.db-wal)" -lt 1000000 ] && echo short
mount -o remount,size=200m disk
TMPDIR=$PWD/tmp mem forget "$id"
cat disk/m.db* | grep -ac blorptext
E
	is "written anew on its own disk, not in the temporary folder" \
	    "$(unshare -m sh anew.sh 2>&1 | sed "s,$PWD,," | paste -sd' ')" \
	    "hamr-mem: /disk/m.db: no space left; free some, what was stored\
 before is intact short 0"
else
	skip "written anew on its own disk" "no mount"
fi

# a link to it, and the mode that it has
mkdir real
hamr-mem --db real/m.db save "a fact with blorptext" >/dev/null
chmod 640 real/m.db
ln -s real/m.db link.db
mem() { hamr-mem --db link.db "$@"; }
id=$(mem save "a fact with glorptext" 2>said)
is "a link's log and lock are the file's" "$(cat said; echo link.db*)" link.db
mkdir none
ok "rebuilt by its link" mem rebuild none
ok "forgotten by its link" mem forget "$id"
is "the file is the one that was, but for what is gone" \
    "$(stat -c %a real/m.db) $(readlink link.db) $(hamr-mem --db real/m.db \
    list | jq -r .content) $(cat real/m.db* | grep -aoc glorp)" \
    "640 real/m.db a fact with blorptext 0"

ln -s real/later.db later.db
status "of one that is not there yet, nothing is found" 1 \
    hamr-mem --db later.db search blorp
id=$(hamr-mem --db later.db save "a fact with blorptext")
is "it is made, with its log and lock" "$(echo later.db*; stat -c %a \
    real/later.db; hamr-mem --db real/later.db list | jq -r .id)" "later.db
600
$id"

# both memories
mkdir repo && cd repo || exit 1
id=$(hamr-mem --global save 'a global quibblefish')
ok "an id is forgotten where it is" hamr-mem forget "$id"
is "no byte of it" "$(cat "$XDG_DATA_HOME"/hamr/memory.db* |
    grep -aoc quibblefish)" 0

# their ids begin with the same four digits
hamr-mem save "fact number 304" >/dev/null
hamr-mem --global save "fact number 432" >/dev/null
for c in show forget; do
	status "$c: two memories hold an id that begins so" 2 hamr-mem $c m:09f3
done
status "... of one the whole id says it" 0 hamr-mem forget \
    "$(hamr-mem list | jq -r .id)"
is "... the other stays" "$(hamr-mem search number | jq -r .snippet)" \
    "fact «number» 432"

# the project's cannot be opened
id=$(hamr-mem --global list | jq -r .id)
rm -f .hamr/memory.db*
head -c 8192 /dev/zero >.hamr/memory.db
: >.hamr/memory.db-lock
status "forgotten beside a damaged memory" 65 hamr-mem forget "$id"
is "... which is named" "$(grep -c 'repo/.hamr/memory.db: damaged' \
    "$T/.err")" 1
is "... in the user's it is gone" "$(hamr-mem --global list)" ""
cp .hamr/memory.db "$XDG_DATA_HOME/hamr/memory.db"
rm "$XDG_DATA_HOME"/hamr/memory.db-[sw]*
status "of two damaged memories" 65 hamr-mem forget "$id"
is "... each is named" "$(grep -c 'memory.db: damaged' "$T/.err")" 2
done_testing

#!/bin/bash
# port.t - memories taken elsewhere and made anew: export, import, rebuild,
# and search --raw.
. "$(dirname "$0")/../lib.sh"
HAMR_SHARE=${HAMR_SHARE:-$TOP/share/hamr}; export HAMR_SHARE
mkdir repo && cd repo || exit 1

mem() { hamr-mem --no-config --db "$@"; }
cat >t <<'X'
{"type":"hamr","v":1,"session":"s1","created":"2026-11-20T10:15:00Z"}
{"role":"user","content":"why does it fail?"}
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.c\"}"}}]}
{"role":"tool","tool_call_id":"c1","name":"read","content":"int main(void);"}
X

# ---- export ----

status "export without a memory" 0 hamr-mem export
is "... says nothing" "$(cat "$T/.out")" ""
status "export of a missing --db" 66 mem no.db export
mem a.db save --key port --tag net --tag b "port is 8080" >/dev/null
mem a.db save --key port --tag net "port is 9090" >/dev/null
mem a.db -n t
mem a.db forget "$(mem a.db save "a secret plan")"
mem a.db export >a
is "every item is a line, whole, its keys in order" "$(jq -c 'del(.key) |
	if .kind != "message" then .time = null else . end |
	if .saves then .saves |= map(.time = null | del(.key)) else . end' a |
	sort)" \
'{"type":"memory","v":1,"kind":"fact","session":null,"line":null,"role":null,"name":null,"path":null,"time":null,"tags":["net"],"slot":"port","content":"port is 9090","saves":[{"time":null,"tags":["net"],"slot":"port"},{"time":null,"slot":"port"}]}
{"type":"memory","v":1,"kind":"forgotten","session":null,"line":null,"role":null,"name":null,"path":null,"time":null,"tags":[],"slot":null,"content":null}
{"type":"memory","v":1,"kind":"message","session":"s1","line":2,"role":"user","name":null,"path":null,"time":"2026-11-20T10:15:00Z","tags":[],"slot":null,"content":"why does it fail?"}
{"type":"memory","v":1,"kind":"message","session":"s1","line":4,"role":"tool","name":"read","path":"a.c","time":"2026-11-20T10:15:00Z","tags":[],"slot":null,"content":"int main(void);"}'
jq -r .key a >keys
LC_ALL=C sort keys >sorted
same "sorted by key" keys sorted
is "the keys are the ids" "$(mem a.db list | jq -r .id | sort | head -n 1)" \
	"$(jq -r 'select(.kind != "forgotten") | .key' a | head -n 1)"
is "no byte of what was forgotten" "$(grep -c secret a)" 0

# ---- import ----

mem b.db import a
mem b.db export >b
same "imported it is the same" a b
mem b.db import <a
cat a a | mem b.db import -
mem b.db export >b
same "and again" a b
is "it is found" "$(mem b.db search 9090 | jq -r .name)" port
ok "and whole" mem b.db check
status "a missing file" 66 mem b.db import nowhere
for bad in '{"type":"fact"}' '{"type":"memory","v":2}' \
	'{"type":"memory","v":1,"key":"m:12","kind":"fact","content":"x"}' \
	'{"type":"memory","v":1,"key":"m:0123456789ab","kind":"x"}' \
	'{"type":"memory","v":1,"key":"m:0123456789ab","kind":"fact"}' \
	'{"type":"memory","v":1,"key":"m:0123456789ab","kind":"fact","content":"x","time":"noon"}' \
	'{"type":"memory","v":1,"key":"m:0123456789ab","kind":"forgotten","time":"9999-12-31T23:59:59.999Z"}' \
	'no json'
do
	{ cat a; echo "$bad"; } >bad
	status "refused: $bad" 65 mem c.db import bad
	match "... with its line" "$(cat "$T/.err")" "hamr-mem: bad:5: *"
done
is "all of it or nothing" "$(mem c.db export)" ""
# of Go, where no time is this one
sed 's/"created":"[^"]*"/"created":"0001-01-01T00:00:00Z"/' t >zero
mem z.db -n zero
mem z.db export >z
is "a time before the year 1000" "$(head -n 1 z | jq -r .time)" \
	0001-01-01T00:00:00Z
status "... is read again" 0 mem c.db import z
mkdir none
status "... and by a rebuild" 0 mem z.db rebuild none
mem z.db export >z2
same "... which takes it for whole" z z2
rm -f c.db*

# ---- merging ----

fact() {	# text, seconds, tag, slot
	jq -nc --arg k "m:$(printf 'fact\0%s' "$1" | sha256sum | cut -c 1-12)" \
	--arg c "$1" --arg t "2026-01-01T00:00:$2Z" --arg g "$3" --arg s "$4" '{
	type:"memory",v:1,key:$k,kind:"fact",session:null,line:null,role:null,
	name:null,path:null,time:$t,tags:(if $g == "" then [] else [$g] end),
	slot:(if $s == "" then null else $s end),content:$c}'
}
seen() { mem "$1" export | jq -c '[.content, .time[17:19], .tags, .slot]'; }
{ fact x 07 b ""; fact x 05 a ""; fact x 09 b ""; } | mem m1.db import
is "the same fact: smaller time, all tags" "$(seen m1.db)" \
	'["x","05",["a","b"],null]'
{ fact new 09 "" K; fact old 05 "" K; } | mem m2.db import
is "the same KEY: the later one" "$(seen m2.db)" '["new","09",[],"K"]'
{ fact one 01 a K; fact one 05 "" K; } | mem s1.db import
fact two 03 "" K | mem s2.db import
for s in "s1 s2 s3" "s2 s1 s4" "s1 s2 s1 s5"; do
	for from in ${s% *}; do
		mem "$from.db" export | mem "${s##* }.db" import
	done
	mem "${s##* }.db" export
done | sort -u >once
is "a fact that lost its KEY and got it back" "$(jq -c '[.content, .time[17:19],
	.tags, .slot]' once)" '["one","05",[],"K"]'
{ fact one 05 "" K; fact two 05 "" K; } >tie
mem m3.db import tie
is "a tie: the greater key" "$(mem m3.db export | jq -r .key)" \
	"$(jq -r .key tie | LC_ALL=C sort | tail -n 1)"
fact f 05 "" "" | mem m4.db import
mem m4.db export | jq -c '.kind = "forgotten" | .time = "2026-01-01T00:00:07Z" |
	.content = null' >mark
fact f 09 "" "" | cat - mark | mem m4.db import
is "saved later than it was forgotten" "$(mem m4.db list | jq -r .content)" f
mem m5.db import mark
fact f 05 "" "" | mem m5.db import
is "forgotten later than saved" "$(mem m5.db list)" ""
fact f 05 "" "" | mem m6.db import
mem m6.db import mark
is "in either order" "$(mem m6.db list)" ""
is "and gone from the file" "$(cat m6.db m6.db-wal | grep -c '"f"')" 0
fact new 09 "" K | mem g1.db import
mem g1.db forget "$(mem g1.db list | jq -r .id)"
mem g1.db export >mark
fact old 05 "" K >old
mem g2.db import old
mem g2.db import mark
is "a KEY whose latest fact was forgotten: none has it" "$(mem g2.db list)" ""
mem g3.db import mark
mem g3.db import old
is "... in either order" "$(mem g3.db list)" ""
jq -c '.kind = "message" | .role = "tool" | .content = "x" | del(.saves)' \
    mark | mem g4.db import
mem g4.db import mark
mem g4.db import old
is "... also when a message claimed its key" "$(mem g4.db list)" ""
fact later 10 "" K | mem g3.db import
is "... until it is saved later" "$(mem g3.db list | jq -r .content)" later
echo 'what is remembered' | mem m7.db save >/dev/null
mem m7.db forget "$(mem m7.db list | jq -r .id)"
mem m7.db save 'what is remembered' >/dev/null
mem m7.db export | mem m5.db import
is "saved anew is there elsewhere too" "$(mem m5.db list | jq -r .content)" \
	"what is remembered"
ok "and whole" mem m5.db check
ok "any order, any number of times" python3 "$TOP/tests/mem/mem_merge.py" 1 6

# ---- rebuild ----

mkdir -p dir/sub
cp t dir/sub/one.ndjson
sed 's/"s1"/"s2"/; s/main/other/' t >dir/two.jsonl
printf '{"role":"user","content":"cut sho' >>dir/two.jsonl
echo 'not for us' >dir/notes.txt
mem r.db save --key k "a fact" >/dev/null
mem r.db -n t
first=$(mem r.db search 'why does it fail' | jq -r .id)
mem r.db forget "$first"
mem r.db export | grep -v '"s2"' >before
inode=$(stat -c %i r.db)
status "rebuild" 0 mem r.db rebuild dir
mem r.db export >after
is "all that was there" "$(grep -Fxc -f before after)" "$(wc -l <before)"
is "and the other transcript" "$(grep -c '"s2"' after)" 2
is "what is forgotten does not come back" "$(grep -c "$first" after)" 1
ok "in another file" test "$inode" != "$(stat -c %i r.db)"
ok "that is whole" mem r.db check
is "nothing is left beside it" "$(find . -name 'r.db-new*')" ""
mem r.db rebuild dir
mem r.db export >again
same "again it is the same" after again
ln -s dir link
mem link.db rebuild link
is "a folder that is a link" "$(mem link.db stats | jq -c '[.messages,
    .sessions]')" "$(mem dir.db rebuild dir; mem dir.db stats |
    jq -c '[.messages, .sessions]')"
status "a missing folder" 66 mem r.db rebuild nowhere
status "no folder" 66 mem r.db rebuild t
status "without a folder" 2 mem r.db rebuild
head -c 3000 /dev/zero >dir/zzz.jsonl
status "what is no transcript does not hinder" 0 mem r.db rebuild dir
mkdir alien
printf '%s\n' '{"type":"session_start","id":"d","cwd":"/"}' >alien/a.jsonl
printf '%s\n' '{"role":"user","content":"behind the alien"}' >alien/b.jsonl
status "nor does one of an unknown format" 0 mem alien.db rebuild alien
is "which is named" "$(cat "$T/.err")" "hamr-mem: alien/a.jsonl: the format \
is not recognised; name it with -F, or see hamr-import(5) for writing one"
status "what comes behind it is read" 0 mem alien.db search "behind the alien"
rm dir/zzz.jsonl
mem r.db export >again
same "... and gives nothing" after again
limit() { ( ulimit -f "$1"; shift; exec "$@" ); }
status "a full disk" 71 limit 20 hamr-mem --no-config --db r.db rebuild dir
mem r.db export >again
same "... leaves the memory as it was" after again

# who writes meanwhile writes into the new one
mkfifo pipe
hamr-mem --no-config -r --db r.db <pipe >acks &
exec 3>pipe
say() {	# text, n
	printf '{"role":"user","content":"%s"}\n{"type":"sync","n":%d}\n' "$@" >&3
	for _ in $(seq 600); do
		grep -q "\"n\":$2}" acks && return
		sleep 0.1
	done
}
say "before the rebuild" 1
mem r.db rebuild dir
say "behind the rebuild" 2
exec 3>&-
wait
is "a stage goes on in the new file" "$(mem r.db export | grep -c ' the rebuild')" 2
for i in 1 2 3; do
	for j in $(seq 8); do mem r.db save "meanwhile $i $j" || echo bad; done &
done >saves
for i in 1 2 3; do
	timeout 60 hamr-mem --no-config --db r.db rebuild dir
done
wait
is "nothing acknowledged is lost" "$(mem r.db export |
	grep -c meanwhile) $(grep -c bad saves)" "24 0"
ok "the file is whole" mem r.db check
for k in 1 2 3 4 5 6; do
	hamr-mem --no-config --db r.db rebuild dir &
	pid=$!
	sleep 0.0$((k * 3 % 10))
	kill -9 $pid
	wait $pid
done 2>/dev/null
is "kill -9: the old one or the new one" "$(mem r.db export |
	grep -c meanwhile)" 24
ok "whole" mem r.db check
status "and it can be rebuilt" 0 mem r.db rebuild dir

# ---- a damaged file ----

{ printf '{"type":"hamr","v":1,"session":"big"}\n'
  for i in $(seq 2000)
  do	printf '{"role":"user","content":"line %d of a long talk"}\n' "$i"
  done; } >long
for i in 1 2 3; do mem dm.db save "fact $i of the damaged" >/dev/null; done
mem dm.db -n <long
mem dm.db list >/dev/null
damage() {	# PAGE
	mem dm.db rebuild dir 2>/dev/null	# nothing is left in the log
	rm -f dm.db-damaged* dm.db-wal dm.db-shm
	dd if=/dev/urandom of=dm.db bs=4096 seek="$1" count=4 \
	    conv=notrunc 2>/dev/null
}
mkdir dir 2>/dev/null
for page in 30 90
do	damage "$page"
	status "damaged at page $page: a fault" 1 mem dm.db check
	match "... is a line" "$(cat "$T/.out")" "*dm.db: *"
	match "which way out is told" "$(mem dm.db export 2>&1 >/dev/null)" \
	    "*damaged (*; hamr-mem --db */dm.db rebuild DIR keeps *"
	status "damaged at page $page: rebuilt" 0 mem dm.db rebuild dir
	match "it says what was kept, and where the old one is" \
	    "$(cat "$T/.err")" \
	    '*dm.db was damaged: [0-9]* items of it*now dm.db-damaged-1*'
	ok "which is there" test -s dm.db-damaged-1
	is "the facts are kept" "$(mem dm.db list | grep -c '"fact"')" 3
	ok "most messages, too" test "$(mem dm.db stats | jq .messages)" -gt 1500
	ok "and it is whole" mem dm.db check
done
mkdir slow
for i in $(seq 9); do sed "s/big/big$i/" long; done >slow/t.ndjson
damage 90
hamr-mem --no-config --db dm.db rebuild slow 2>/dev/null &
until mem dm.db-new stats 2>/dev/null | grep -q '"facts":[1-9]' ||
    ! kill -0 $!; do :; done
kill -STOP $!
id=$(mem dm.db save "a fact while it is being rebuilt")
kill -CONT $!
wait
is "what is saved meanwhile is kept, too" "$(mem dm.db show "$id")" \
    "a fact while it is being rebuilt"
mem dm.db forget "$id" 2>/dev/null
cp dm.db dm.db-new
status "forgotten" 0 mem dm.db forget "$(mem dm.db search -n 1 "fact 1" |
	jq -r .id)"
ok "... also in what a killed rebuild left" test ! -e dm.db-new
match "... but for what was set aside" "$(cat "$T/.err")" \
	"*dm.db-damaged-1 may still hold it; remove*"
damage 0
status "its head is lost" 65 mem dm.db search fact
status "a fault, too" 1 mem dm.db check
ok "rebuilt" mem dm.db rebuild dir
ok "and whole" mem dm.db check
mem lost.db -n <long
for i in 1 2 3; do mem lost.db save --key "k$i" "fact $i" >/dev/null; done
for layout in new vacuumed; do
	if [ $layout = vacuumed ]; then
		mem lost.db forget "$(mem lost.db save x)"
	elif ! sqlite3 lost.db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
	then
		skip "a new memory that lost its first page" "no sqlite3"
		continue
	fi
	mem lost.db export >before
	rm -rf lost; mkdir lost; cp lost.db lost
	dd if=/dev/urandom of=lost/lost.db bs=4096 count=1 conv=notrunc \
	    2>/dev/null
	status "$layout, its first page is lost, no lock beside it" 65 \
	    mem lost/lost.db list
	match "... it says so" "$(cat "$T/.err")" \
	    '*lost.db: damaged (its first page is lost); * rebuild DIR *'
	status "... rebuilt" 0 mem lost/lost.db rebuild dir
	mem lost/lost.db export | grep -Fxf before >after
	same "... all is kept" before after
	is "... beside the damaged one" "$(echo lost/*.db-[dn]*)" \
	    lost/lost.db-damaged-1
	ok "... and whole" mem lost/lost.db check
done
if command -v sqlite3 >/dev/null; then
	for i in 1 2 3; do mem dm.db save "fact $i" >/dev/null; done
	sqlite3 dm.db "UPDATE item SET tags = '[' WHERE id = 1 << 42"
	status "one item is no line: rebuilt" 0 mem dm.db rebuild dir
	is "the facts are kept" "$(mem dm.db list | grep -c '"fact"')" 5
	mem dm.db rebuild dir
	rm -f dm.db-damaged* dm.db-wal dm.db-shm
	cp dm.db part.db
	sqlite3 part.db "UPDATE passage SET text = upper(text) WHERE id =
	    (SELECT max(id) FROM passage)"
	status "a text that the index takes for the same: a fault" 1 \
	    mem part.db check
	match "... it is said" "$(cat "$T/.out")" \
	    'part.db: m:*: its text is not what was stored'
	cp dm.db part.db
	sqlite3 -cmd '.dbconfig defensive off' part.db \
	    'DELETE FROM words_config'
	status "the index lost its settings: that is damage" 65 \
	    mem part.db search fact
	status "a fault" 1 mem part.db check
	status "rebuilt" 0 mem part.db rebuild dir
	is "nothing is lost" "$(mem part.db list | wc -l)" \
	    "$(mem dm.db list | wc -l)"
	root() {	# TABLE
		echo $(($(sqlite3 dm.db "SELECT rootpage FROM sqlite_master
		    WHERE name = '$1'") - 1))
	}
	for table in saved gone item; do
		cp dm.db part.db
		dd if=/dev/urandom of=part.db bs=4096 count=1 conv=notrunc \
		    seek="$(root $table)" 2>/dev/null
		status "what is $table is lost: rebuilt" 0 mem part.db rebuild dir
		is "not the facts" "$(mem part.db list | grep -c '"fact"')" 5
		ok "and it is whole" mem part.db check
	done
	cp dm.db part.db
	for pair in "saved forgotten" "forgotten saved"; do
		dd if=dm.db of=part.db bs=4096 count=1 conv=notrunc \
		    skip="$(root ${pair% *})" seek="$(root ${pair#* })" \
		    2>/dev/null
	done
	status "saves are read as forgotten: rebuilt" 0 mem part.db rebuild dir
	is "the facts are not" "$(mem part.db list | grep -c '"fact"')" 5
	ok "and it is whole" mem part.db check
	cp dm.db part.db
	dd if=dm.db of=part.db bs=4096 count=1 conv=notrunc \
	    skip="$(root gone)" seek="$(root sqlite_autoindex_item_1)" \
	    2>/dev/null
	id=$(mem dm.db list | jq -r .id | head -n 1)
	for c in list stats export "show $id" "forget $id"; do
		status "an index is empty: ${c%% *} says so" 65 mem part.db $c
	done
	match "... and what to do" "$(cat "$T/.err")" \
	    '*part.db: damaged (an index lost items); * rebuild DIR *'
	status "an index is empty: rebuilt" 0 mem part.db rebuild dir
	is "its facts are kept" "$(mem part.db list | grep -c '"fact"')" 5
	cp dm.db part.db
	sqlite3 part.db "UPDATE passage SET text = CAST(x'66616374FF20' AS
	    TEXT) WHERE id = 1 << 62"
	for c in list export "search fact" "show $(sqlite3 part.db \
	    'SELECT key FROM item WHERE id = 1 << 42')"; do
		status "a text that is not UTF-8: ${c%% *} says so" 65 \
		    mem part.db $c
	done
	ok "brief shows it" eval 'mem part.db brief | grep -q "fact?$"'
	status "rebuilt" 0 mem part.db rebuild dir
	is "its facts are kept" "$(mem part.db list | grep -c '"fact"')" 5
	jq -nc 'range(10; 99) | {type:"memory",v:1,key:"m:0000000000\(.)",
	    kind:"fact",content:("\(.)" + "x" * 999)}' >facts
	mem many.db import facts
	mem many.db rebuild dir
	for page in $(sqlite3 many.db "SELECT pageno FROM dbstat WHERE pagetype
	    = 'leaf' AND (name = 'item' OR path IN (SELECT min(path) FROM
	    dbstat WHERE name = 'passage' AND pagetype = 'leaf' UNION SELECT
	    max(path) FROM dbstat WHERE name = 'passage'))"); do
		dd if=/dev/zero of=many.db bs=4096 count=1 conv=notrunc \
		    seek=$((page - 1)) 2>/dev/null
	done
	status "its first and last texts are lost: rebuilt" 0 \
	    mem many.db rebuild dir
	ok "those between are kept" test "$(mem many.db list | wc -l)" -gt 60
	cp dm.db part.db
	mem part.db -n <long
	mem part.db rebuild dir
	python3 - part.db "$(sqlite3 part.db "SELECT rootpage FROM
	    sqlite_master WHERE name = 'item'")" <<-'EOF'
	import struct, sys
	root = int(sys.argv[2])
	b = bytearray(open("part.db", "rb").read())
	def refs(page):	# where a page has the numbers of its children
	    o = (page - 1) * 4096
	    n, = struct.unpack(">H", b[o + 3:o + 5])
	    return [o + x for x in struct.unpack(
	        ">%dH" % n, b[o + 12:o + 12 + 2 * n])] + [o + 8]
	leaf = [struct.unpack(">I", b[x:x + 4])[0] for x in refs(root)]
	whole = b[(root - 1) * 4096:root * 4096]
	for page, child in zip([root] + leaf[1:8], leaf[1:8] + leaf[:1]):
	    b[(page - 1) * 4096:page * 4096] = whole
	    for x in refs(page):
	        b[x:x + 4] = struct.pack(">I", child)
	open("part.db", "wb").write(b)
	EOF
	status "pages refer to each other: stats ends" 65 \
	    timeout 20 hamr-mem --no-config --db part.db stats
	status "pages refer to each other: rebuilt" 0 \
	    timeout 60 hamr-mem --no-config --db part.db rebuild dir
	is "the facts are kept" "$(mem part.db list | grep -c '"fact"')" 5
fi
mem dm.db -n <long
mem dm.db rebuild dir 2>/dev/null
rm -f dm.db-damaged* dm.db-wal dm.db-shm
truncate -s $(($(stat -c %s dm.db) / 8 * 7)) dm.db
status "its end is lost: rebuilt" 0 mem dm.db rebuild dir
ok "most messages are kept" test "$(mem dm.db stats | jq .messages)" -gt 500
ok "and it is whole" mem dm.db check
echo "no memory" >notes.txt
sqlite3 other.db 'CREATE TABLE t(a); INSERT INTO t VALUES(1)' ||
    echo "no database" >other.db
for f in notes.txt other.db; do
	cp $f was
	for c in 'save x' check 'rebuild dir' 'rebuild dir'; do
		status "what was never ours stays: $c" 65 mem $f $c
	done
	same "as it was" $f was
	is "with nothing of ours beside it" "$(echo $f*)" $f
done

# ---- what list says of memories that were merged ----

for i in 1 2 3; do mem one.db save "of one, $i" >/dev/null; done
mem two.db save "of two" >/dev/null
mem two.db import < <(mem one.db export)
is "the newest first, whenever it came" "$(mem two.db list |
    jq -r .content)" 'of two
of one, 3
of one, 2
of one, 1'

# ---- a copy without its log ----

mkdir copy
mem log.db save "in the log" >/dev/null
cp log.db copy
status "a copy without its log is opened" 0 mem copy/log.db list
match "... and what is missing is said" "$(cat "$T/.err")" \
    '*copy/log.db-wal is missing; if the memory was copied, copy that file, *'
cp log.db log.db-wal copy
is "with it all is there" "$(mem copy/log.db list | jq -r .content)" \
    "in the log"
ok "rebuilt" mem log.db rebuild copy
status "what rebuild made is no such copy" 0 mem log.db list
is "... and nothing is said" "$(cat "$T/.err")" ""
if command -v sqlite3 >/dev/null; then
	mem log.db save "in the log again" >/dev/null
	sqlite3 log.db 'SELECT count(*) FROM item' >/dev/null
	status "another program emptied the log and removed it" 1 \
	    test -e log.db-wal
	is "... which is no loss" "$(mem log.db list 2>&1 | jq -r .content |
	    sort)" 'in the log
in the log again'
fi

# a power failure emptied the file, and not its log
mem e.db save "an early fact" >/dev/null
: >e.db
status "an emptied file" 65 mem e.db search fact
match "is said to be damaged" "$(cat "$T/.err")" \
    '*e.db: damaged (it is empty, but not its log); * rebuild DIR *'
rm e.db-lock
mem e.db save "a late fact" >/dev/null
is "the next save has all of it again" \
    "$(mem e.db list | jq -r .content | paste -sd,)" "a late fact,an early fact"
ok "and the file is whole" mem e.db check
rm e.db
mem e.db save "a new fact" >/dev/null
is "one that was removed stays so" "$(mem e.db list | jq -r .content)" \
    "a new fact"

# ---- a file of another version ----

if command -v sqlite3 >/dev/null; then
	for v in 0 5 9 2147483647; do
		cp a.db v.db
		sqlite3 v.db "PRAGMA user_version=$v"
		cp v.db v.was
		for c in list 'search port' check 'save x' 'rebuild dir'; do
			status "version $v is refused: $c" 65 mem v.db $c
		done
		match "it says what to do" "$(cat "$T/.err")" \
		    '*v.db: made by another version of hamr-mem; export it *'
		same "and it stays as it was" v.was v.db
	done
	# version 6 is one whose words had their accents
	cp a.db v.db
	mem v.db save 'in the Caféhaus' >/dev/null
	mem v.db save 'the office in Łódź' >/dev/null
	# and whose texts were split otherwise
	sqlite3 v.db "PRAGMA user_version=6; DELETE FROM block;
	    INSERT INTO words(words, rowid, text, parts, path, name) SELECT
	    'delete', id, text, parts, path, name FROM source;
	    UPDATE passage SET parts = '';
	    INSERT INTO words(rowid, text, parts, path, name) SELECT
	    id, text, parts, path, name FROM source"
	is "version 6 is read" "$(mem v.db list | jq -r .content | grep Caf)" \
		'in the Caféhaus'
	status "... its words are not there" 1 mem v.db search cafeha
	status "... nor what is typed for a letter" 1 mem v.db search lodz
	is "... and it stays of that version" \
		"$(sqlite3 v.db 'PRAGMA user_version')" 6
	mem v.db save 'and another' >/dev/null
	is "... it is of ours once it is written" "$(mem v.db search afeha |
		jq -r .snippet) $(mem v.db search lodz |
		jq -r .snippet) $(sqlite3 v.db 'PRAGMA user_version')
$(mem v.db check; echo $?)" 'in the «Caféhaus» the office in «Łódź» 8
0'
else
	skip "a file of another version" "no sqlite3"
fi

# ---- search --raw ----

raw() { mem b.db search --raw -- "$@"; }
is "FTS5's own language" "$(raw 'fail OR 9090' | wc -l)" 2
is "columns" "$(raw 'path : a' | jq -r .name)" read
is "prefixes" "$(raw 'ma*' | jq -r .name)" read
is "not" "$(raw 'port NOT 9090')" ""
status "nothing" 1 mem b.db search --raw ''
status "an error is usage" 2 mem b.db search --raw 'port AND'
match "... and said" "$(cat "$T/.err")" 'hamr-mem: --raw: fts5: syntax error*'
status "so is half a string" 2 mem b.db search --raw '"'
is "... said" "$(cat "$T/.err")" "hamr-mem: --raw: unterminated string"
status "so is a column that is not there" 2 mem b.db search --raw 'nobody: x'
is "... said" "$(cat "$T/.err")" "hamr-mem: --raw: no such column: nobody"
status "without --raw it is only words" 1 mem b.db search 'AND'
key() {	# FACT
	printf 'fact\0%s' "$1" | sha256sum | cut -c 1-12
}
port() {
	echo '{"type":"memory","v":1,"key":"m:'"$1"'","kind":"'"$2"'","session":null,"line":null,"role":null,"name":null,"path":null,"time":"2026-01-0'"$3"'T00:00:00Z","tags":[],"content":"'"$4"'"'"$5}"
}
{ port "$(key other)" fact 1 "a planted one"; port 0123456789ab fact 2 x; } \
    >planted
mem planted.db save other >/dev/null
status "facts under keys that are not theirs" 0 mem planted.db import planted
is "... have their own" "$(mem planted.db list | jq -r .id | sort)" \
    "$(for f in other "a planted one" x; do echo "m:$(key "$f")"; done | sort)"
# a result's key cannot be checked: it may be that of a fact
at='{"time":"2026-01-01T00:00:00Z","slot":'
{ port "$(key kept)" message 1 "said" | sed 's/"role":null/"role":"tool"/'
port "$(key kept)" fact 1 "kept" ",\"saves\":[$at\"s\"},$at\"x\"}]"
port ba9876543210 fact 2 "kept later" ',"slot":"s"'; } >clash
status "a message and a fact of one key" 0 mem clash.db import clash
tac clash | mem tac.db import
for db in clash tac; do
	is "... the fact is in ($db)" "$(mem $db.db export | jq -r .content |
		sort | paste -sd,)" "kept,kept later"
done
sed 1q clash >said
mem said.db import said
mem said.db save kept >/dev/null
is "... also when it is saved later" "$(mem said.db list | jq -r .content)" kept
# nor can the text of a message be kept out by such a line
said=$(printf 's\0user\0hi' | sha256sum | cut -c 1-12)
port "$said" message 1 "planted" | sed 's/"role":null/"role":"tool"/' >claim
mem stage.db import claim
printf '%s\n' '{"type":"hamr","v":1,"session":"s"}' \
    '{"role":"user","content":"hi"}' | mem stage.db -n
is "a message takes its key back" "$(mem stage.db show "$said")" hi
mem stage.db export | cat claim - | mem stage2.db import
mem stage.db import claim
same "... in any order" <(mem stage.db export) <(mem stage2.db export)
port "$(key other)" message 1 "a planted one" >said
mem planted.db import said
is "a message's key is that of its text, too" \
    "$(mem planted.db list | jq -r 'select(.kind == "message") | .id')" \
    "m:$(printf '\0\0a planted one' | sha256sum | cut -c 1-12)"

done_testing

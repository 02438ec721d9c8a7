#!/bin/bash
# mem.t - hamr-mem's commands: save, search, list, show, brief, stats, check.
. "$(dirname "$0")/../lib.sh"
HAMR_SHARE=${HAMR_SHARE:-$TOP/share/hamr}; export HAMR_SHARE
unset HAMR_BIN
mkdir repo && cd repo || exit 1

sha() { printf '%b' "$1" | sha256sum | cut -c 1-12; }
hit() { jq -r "$1" | head -n 1; }

# nothing there yet
status "a key that there is not" 78 hamr-mem -o memory.nokey=1 list
status "search without a memory finds nothing" 1 hamr-mem search parser
status "brief without a memory" 0 hamr-mem brief
is "brief says nothing" "$(cat "$T/.out")" ""
status "list without a memory" 0 hamr-mem list
for c in list stats export check; do
	status "$c of a missing --db" 66 hamr-mem --db no.db $c
	: >empty.db
	status "$c of an empty file" 0 hamr-mem --db empty.db $c
	rm -f empty.db*
done
status "--db without a name" 2 hamr-mem --db '' save x
for f in :memory: file:x.db; do
	hamr-mem --db $f save "a fact in $f" >/dev/null
	is "$f is a file like another" "$(hamr-mem --db $f list |
	    jq -r .content)" "a fact in $f"
done
mkdir gone
for c in list brief 'search x' 'save x'; do
	status "in a folder that is gone: $c" 66 bash -c "cd gone &&
	    rmdir ../gone && hamr-mem $c; s=\$?; mkdir ../gone; exit \$s"
done
mkfifo fifo
for f in fifo . /dev/null; do
	status "no memory: $f" 71 timeout 20 hamr-mem --db $f check
done
mkdir -p data/hamr
mkfifo data/hamr/memory.db
status "nor is the user's that: a search beside it" 71 \
    env XDG_DATA_HOME="$PWD/data" timeout 20 hamr-mem search x
rm data/hamr/memory.db
hamr-mem --db linked.db save "the user's other fact" >/dev/null
ln -s "$PWD/linked.db" data/hamr/memory.db
XDG_DATA_HOME=$PWD/data hamr-mem forget "$(hamr-mem --db linked.db list | jq -r .id)"
is "the user's memory may be a link: its lock is next to the file" \
    "$(hamr-mem --db linked.db list) $(ls data/hamr)" " memory.db"
status "nothing is found in a missing --db" 1 hamr-mem --db no.db search x
status "--global without HOME" 66 env -u HOME -u XDG_DATA_HOME \
    hamr-mem --global list

echo '{"x":1}' >-q
is "after -- a dash begins a file's name" "$(hamr-mem -- -q)" '{"x":1}'

# facts
is "save prints the id of the chapter" \
    "$(hamr-mem save 'the build needs gcc')" "m:$(sha 'fact\0the build needs gcc')"
is "from stdin the same" "$(echo 'the build needs gcc' | hamr-mem save)" \
    "m:$(sha 'fact\0the build needs gcc')"
is "one fact" "$(hamr-mem list | wc -l)" 1
hamr-mem save --key port --tag net --tag net 'port is 8080' >/dev/null
hamr-mem save --key port 'port is 9090' >/dev/null
is "KEY replaces" "$(hamr-mem list | jq -r .content)" "port is 9090
the build needs gcc"
hamr-mem save --tag a 'the build needs gcc' >/dev/null
hamr-mem save --tag b 'the build needs gcc' >/dev/null
is "list has these keys" "$(hamr-mem list | jq -c 'select(.tags != []) |
    [(keys_unsorted | join(" ")), .tags, .key]')" \
    '["id kind key tags time content",["a","b"],null]'
status "an empty fact" 2 hamr-mem save ''
status "a blank fact" 2 hamr-mem save '   '
head -c 65536 /dev/zero | tr '\0' x >big
status "64 KiB fit" 0 hamr-mem --db b.db save <big
printf x >>big
status "one more does not" 2 hamr-mem --db b.db save <big
head -c 40000 /dev/zero | sed 's|\x00|://a:b@ |g' | head -c 65000 >big
status "nor what is longer without its secrets" 2 hamr-mem --db b.db save <big
status "search by key" 0 hamr-mem search --kind fact port

# messages
cat >t <<'X'
{"type":"hamr","v":1,"session":"s1","cwd":"/x","created":"2026-11-20T10:15:00Z"}
{"role":"system","content":"systemword"}
{"role":"user","content":"contextword","meta":{"by":"context"}}
{"role":"user","content":"[hamr-guard] guardword"}
{"role":"user","content":"why does parseHeader fail in café.c?"}
{"role":"assistant","content":"I read it","reasoning":"reasonword","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/http/scanHeader.c\"}"}},{"id":"c2","type":"function","function":{"name":"read","arguments":"{\"path\":\"b.c\"}"}}]}
{"type":"start","tool_call_id":"c1","at":"2026-11-20T10:16:00.250Z"}
{"role":"tool","tool_call_id":"c1","name":"read","content":"static int read_header_line(void); // key sk-abcdefghijklmnopqrstuvwxyz0123"}
{"role":"tool","tool_call_id":"c2","name":"read","content":"cachedword","meta":{"cached":"c1"}}
{"role":"tool","tool_call_id":"c2","name":"read","content":"copiedword","meta":{"cached":true}}
{"role":"tool","tool_call_id":"c3","name":"read","content":"sharedword","meta":{"shared":"c1"}}
X
hamr-mem <t >out
same "as a filter it changes nothing" t out
for w in systemword contextword guardword reasonword cachedword copiedword \
	sharedword
do	status "not indexed: $w" 1 hamr-mem search $w
done
hamr-mem search parseheader >hits
is "keys of a hit" "$(hit 'keys_unsorted | join(" ")' <hits)" \
    "type id kind store session line role name time score snippet"
is "a hit" "$(hit '[.type, .id, .kind, .store, .session, .line, .role, .name,
    .time, .score > 0, .snippet] | tostring' <hits)" \
    "[\"hit\",\"m:$(sha 's1\0user\0why does parseHeader fail in café.c?')\",\"message\",\"project\",\"s1\",5,\"user\",null,\"2026-11-20T10:15:00Z\",true,\"why does «parseHeader» fail in café.c?\"]"
is "by path; id and time of a result" \
    "$(hamr-mem search src/http/scanHeader.c | hit '.id + .time')" \
    "m:$(sha 's1\0c1')2026-11-20T10:16:00.250Z"
is "by a part of a camelCase word" "$(hamr-mem search 'header parse' |
    jq -r .line | sort | head -n 1)" 5
is "porter and diacritics" "$(hamr-mem search 'failing cafe' | hit .line)" 5
is "two parts of a name are shown where they stand" "$(hamr-mem --db part.db \
    save 'call getUserName first' >/dev/null
    hamr-mem --db part.db search 'user name' | hit .snippet)" \
    'call get«User»Name first'
for w in Straße:strasse strassen:Straßen STRAẞE:straße Łódź:lodz œuvre:OEUVRE \
    Đóng:dong ещё:еще αρχείο:ΑΡΧΕΙΟ Έλεγχος:ελεγχος ığdır:igdir; do
	hamr-mem --db s.db save "the ${w%:*}" >/dev/null
	is "a letter by what is typed for it: $w" "$(hamr-mem --db s.db search "${w#*:}" |
	    hit .snippet | grep -ic "${w%:*}")" 1
	rm -f s.db*
done
hamr-mem --db s.db save 'a rocket🚀launch → done, ██ 5 €' >/dev/null
for w in 🚀:1 →:1 €:1 '🎉 🚀:1' 🎉:0 ██:0; do
	is "symbols are words: $w" "$(hamr-mem --db s.db search "${w%:*}" |
	    wc -l)" "${w#*:}"
done
rm -f s.db*
status "secrets are not stored" 1 grep -aq sk-abcdef .hamr/memory.db \
    .hamr/memory.db-wal
match "but marked" "$(hamr-mem show "m:$(sha 's1\0c1')")" \
    '*key \[redacted:openai\]'
cat >labels <<'X'
{"role":"tool","tool_call_id":"c9","name":"ghp_abcdefghijklmnopqrstuvwxyz0123456789","content":"labelword"}
X
hamr-mem --db labels.db -n labels
hamr-mem --db labels.db save --key ghp_abcdefghijklmnopqrstuvwxyz0123456789 \
    --tag ghp_abcdefghijklmnopqrstuvwxyz0123456789 a fact >/dev/null
is "nor as a key, a tag or a name" "$(hamr-mem --db labels.db export |
    jq -r '.name, .slot, .tags[]' | sort -u | xargs)" \
    "[redacted:github] null"
status "nowhere in the file" 1 grep -aq ghp_abc labels.db labels.db-wal
is "of a server, and in a header" "$(hamr-mem --db key.db show "$(
    hamr-mem --db key.db save "AWS_SECRET_ACCESS_KEY=$(printf '%040d' 7) \
    Authorization: Bearer $(printf '%020d' 7); Bearer of news")" | xargs)" \
    "[redacted:aws] Authorization: [redacted:bearer]; Bearer of news"
is "a password that a header encodes" "$(hamr-mem --db key.db show "$(
    hamr-mem --db key.db save "authorization: Basic dXNlcjpwYXNz; \
AccountKey=$(printf '%086d' 7)==; Authorization: Basic Auth")" | xargs)" \
    "[redacted:basic]; [redacted:azure]; Authorization: Basic Auth"
mkdir list; cp -r "$HAMR_SHARE"/. list
echo "mine zz- zz-(" >>list/secrets.txt
is "a malformed pattern is told of, and hides too much" "$(
    HAMR_SHARE=$PWD/list hamr-mem --db list.db save "a zz-1 b; zz-2" 2>said |
	xargs hamr-mem --db list.db show) $(sed 's/.*list/list/' said)" \
    "a [redacted:mine] list/secrets.txt:$(wc -l <list/secrets.txt): malformed \
regex; until it is fixed, everything from zz- on is redacted"
{ echo "-----BEGIN PGP PRIVATE KEY BLOCK-----"
  head -c 40000 /dev/zero | tr '\0' Q | fold -w 64
  echo; echo "-----END PGP PRIVATE KEY BLOCK-----"; } >long.key
is "a long private key is redacted to its end" "$(hamr-mem --db key.db show \
    "$(hamr-mem --db key.db save <long.key)")" "[redacted:private-key]"
is "kind" "$(hamr-mem search --kind fact build fail | jq -r .kind)" fact
is "session" "$(hamr-mem search --session s2 parseHeader | wc -l)" 0
is "since" "$(hamr-mem search --since 2026-11-20T10:15:30Z header |
    jq -r .line | tr '\n' ' ')" "8 "
is "-n" "$(hamr-mem search -n 1 header | wc -l)" 1
is "scores fall" "$(hamr-mem search 'read the header' | jq -s \
    '[.[].score] | . == (sort | reverse) and all(. > 0)')" true
is "options behind the query" "$(hamr-mem search header -n 1 | wc -l)" 1

# show gives the bytes, also of many passages
yes 'ünd noch eine Zeile, 123' | head -c 20000 | iconv -c -f utf8 -t utf8 >long
jq -Rsc '{role:"user",content:.}' long | hamr-mem -n --db long.db
id=$(hamr-mem --db long.db list | jq -r .id)
hamr-mem --db long.db show "$id" >got
same "show a long message" long got
is "list has 200 characters" \
    "$(hamr-mem --db long.db list | jq '.content | length')" 200
status "any prefix of four" 0 hamr-mem --db long.db show "$(echo "$id" |
    cut -c 3-6)"
status "show what is not there" 1 hamr-mem show m:000000000000
status "show what is no id" 2 hamr-mem show m:zz
status "a command that there is not" 66 hamr-mem frobnicate
is "... is named as one" "$(cat "$T/.err")" \
    "hamr-mem: frobnicate: not a command, and no such file; try hamr-mem \
--help"
status "one that is nearly there" 66 hamr-mem serch fails
is "... with what was meant" "$(cat "$T/.err")" \
    "hamr-mem: serch: not a command, and no such file; did you mean search?"
status "show without an id" 2 hamr-mem show
is "... says what it needs" "$(cat "$T/.err")" \
    "hamr-mem: show: needs an id; try hamr-mem --help"

# brief
match "brief: the task's facts first" "$(hamr-mem brief 'which gcc')" \
    "m:???????????? the build needs gcc
m:???????????? port is 9090"
numbers=({1..100})
fact() {	# NUMBER TEXT
	printf '%s"key":"m:%012d","kind":"fact","content":"%s"}\n' \
	    '{"type":"memory","v":1,' "$1" "$2"
}
for i in {1..60}; do
	fact "$i" "${numbers[*]:i - 1:41}"
done | hamr-mem --db many.db import
mkdir words
for i in {1..150}; do
	printf %s "${i}5" >words/$i
done
sha512sum words/* | cut -c 1-5 | while read -r word; do
	fact $((++i)) "$word"
done | hamr-mem --db short.db import
ok "brief is bounded" test "$(hamr-mem --db many.db brief | wc -c)" -lt 5000
ok "to 1,000 tokens in all" test "$(hamr-mem --db short.db brief |
    hamr-compact --count)" -le 1000
is "brief -n" "$(hamr-mem --db many.db brief -n 3 | wc -l)" 3
hamr-mem save "$(printf 'two\nlines\033[31m')" >/dev/null
match "brief keeps to lines" "$(hamr-mem brief two)" 'm:???????????? two lines?\[31m*'

# the user's memory
hamr-mem --global save 'globalword is known' >/dev/null
is "search reads it too" "$(hamr-mem search globalword | jq -r .store)" global
ok "where it is" test -f "$XDG_DATA_HOME/hamr/memory.db"
match "brief too" "$(hamr-mem brief)" '*globalword*'
is "--db reads only that" "$(hamr-mem --db b.db search globalword)" ""
hamr-mem save 'an otter' >/dev/null
hamr-mem save 'two otterhounds' >/dev/null
is "what the user's lacks is found within words of the repository's" \
    "$(hamr-mem search otter | jq -r .snippet)" "an «otter»
two «otterhounds»"
# a damaged one costs nothing of the repository's
user=$XDG_DATA_HOME/hamr/memory.db
mkdir empty
for page in 0 1; do
	hamr-mem --global rebuild empty 2>/dev/null	# its log is in it now
	rm -f "$user"-*
	dd if=/dev/urandom of="$user" bs=4096 seek=$page count=1 conv=notrunc \
	    2>/dev/null
	is "search without the user's, which lost page $page" \
	    "$(hamr-mem search which gcc 2>err | jq -r .store | sort -u)" project
	match "... which is said" "$(cat err)" \
	    "hamr-mem: $user: damaged (*; it is left out"
	match "brief, too" "$(hamr-mem brief 'which gcc' 2>err)" "*needs gcc*"
	match "... which is said" "$(cat err)" "*: damaged (*; it is left out"
	id=$(hamr-mem save "page $page")
	status "forget says that it may hold it" 65 hamr-mem forget "$id"
	is "... which is gone here" "$(hamr-mem list | grep -c "$id")" 0
	status "... with --global there is no other" 65 hamr-mem --global \
	    search gcc
done
hamr-mem --global rebuild empty 2>/dev/null
is "stats" "$(hamr-mem stats | jq -c '[.facts,.messages,.sessions]')" '[5,3,1]'

# any query (S20)
n=0
while IFS= read -r q; do
	hamr-mem search -- "$q" >"$T/.out" 2>"$T/.err"
	r=$?
	[ $r -le 1 ] && [ ! -s "$T/.err" ] || n=$((n + 1))
done <<'X'

 
C++
src/main.c
main.c
fox -Wall
sha256:abc
it's
AND
OR
NOT
NEAR(
NEAR(a b, 3)
a AND
a OR b NOT c
"
""
"unclosed
'
'; DROP TABLE item; --
path=foo
role:tool
text:foo
{text path}: foo
- text : x
^the
fo*
*
(
)
((()
)(
-Wall
--
--help
%
_
\
日本語
😀
—
+
a + b
~/.x/[y]{1,2}
X
is "39 hostile queries: never an error" $n 0
status "a word of 100 KB" 1 hamr-mem search "$(head -c 100000 /dev/zero |
    tr '\0' q)"
status "5000 words" 1 hamr-mem search "$(seq -s ' ' 100000 105000)"
status "bytes that are no UTF-8" 1 hamr-mem search "$(printf '\377\376')"
status "an empty query" 1 hamr-mem search ''
status "no query is a usage error" 2 hamr-mem search

# usage, places, bad files
status "-n 0" 2 hamr-mem search -n 0 x
status "a bad time" 2 hamr-mem search --since yesterday x
status "a day that is none" 2 hamr-mem search --since 2026-02-29 x
status "a time of the year 10000" 2 hamr-mem search \
	--since 9999-12-31T23:59:00-00:01 x
status "a missing transcript" 66 hamr-mem nowhere.ndjson
echo 'this is no database, but it is long enough' >bad.db
status "no database" 65 hamr-mem --db bad.db search x
status "nor to write to" 65 hamr-mem --db bad.db save x
is "it is untouched" "$(cat bad.db)" \
    'this is no database, but it is long enough'
if sqlite3 other.db 'create table x(y)' 2>/dev/null; then
	status "another program's database" 65 hamr-mem --db other.db save x
fi
# a planted one: what it would run, or swallow, is told
for extra in 'create trigger evil after insert on item begin delete from item; end' \
    'create view evil as select * from item' 'create table evil(x)' \
    'create index evil on item(name)'; do
	hamr-mem --db planted.db save "the compiler is gcc" >/dev/null
	sqlite3 planted.db "$extra" 2>/dev/null || break
	set -- $extra
	status "a planted $2: not saved to" 65 hamr-mem --db planted.db save x
	match "and it is named" "$(cat "$T/.err")" \
		"*holds the $2 evil, which hamr-mem did not make; move it away*"
	status "nor searched" 65 hamr-mem --db planted.db search gcc
	rm -f planted.db*
done
ok "check" hamr-mem check
ok "--help fits a screen" test "$(hamr-mem --help | wc -l)" -le 24
is "and 80 columns" "$(hamr-mem --help | awk 'length > 80')" ""
status "the disk of stdout is full" 71 sh -c 'hamr-mem list >/dev/full'
ln -s "$T/elsewhere.db" .hamr/x && mv .hamr/memory.db old.db &&
    mv .hamr/x .hamr/memory.db
status "a link is not followed" 71 hamr-mem save x

# fragments
hamr-mem --db frag.db save 'the function parseHeaderLine crashes' >/dev/null
hamr-mem --db frag.db save 'the header is empty' >/dev/null
is "a fragment is found within its word" "$(hamr-mem --db frag.db search \
    EADERLI | jq -r .snippet)" "the function «parseHeaderLine» crashes"
is "whole words stand before it" "$(hamr-mem --db frag.db search header |
    hit .snippet)" "the «header» is empty"
hamr-mem --db frag.db save 'src/parseTree.c needs more configuration' >/dev/null
is "over the parts of a name" "$(hamr-mem --db frag.db search arseTre |
    hit .snippet)" 'src/«parseTree».c needs more configuration'
is "and over the end of a stem" "$(hamr-mem --db frag.db search onfiguratio |
    hit .snippet)" 'src/parseTree.c needs more «configuration»'
hamr-mem --db frag.db save 'commit 3f2a9c17d0 broke it' >/dev/null
is "an id by how it begins" "$(hamr-mem --db frag.db search 3f2a9c |
    hit .snippet)" 'commit «3f2a9c17d0» broke it'
status "a forgotten word is no fragment either" 1 sh -c 'hamr-mem --db frag.db \
    forget "$(hamr-mem --db frag.db search arseTre | jq -r .id)" &&
    hamr-mem --db frag.db search arseTre'
for w in Übungen:übung ΠΡΟΤΑΣΗ:προτασ Сервера:Серв запускать:ЗАПУСК \
    Cafébar:afeb naïvely:aïvel Ubungen:übun Tiếngviệt:iengvi Äther_Öl:ther_o \
    $'re\xcc\x81sumer:r\xc3\xa9su'; do
	for i in one two; do
		hamr-mem --db case.db save "$i ${w%:*}" >/dev/null
	done
	is "a fragment in capitals or small letters: ${w#*:}" \
	    "$(hamr-mem --db case.db search "${w#*:}" | jq -r .snippet |
	    sort)" "one «${w%:*}»
two «${w%:*}»"
	hamr-mem --db case.db forget "$(hamr-mem --db case.db search one |
	    jq -r .id)"
	is "... also when one is forgotten" "$(hamr-mem --db case.db search \
	    "${w#*:}" | jq -r .snippet)" "two «${w%:*}»"
	rm -f case.db*
done
# the words of a fact that was replaced go with it, and stand in nobody's way
for w in {a..h}{a..h}; do
	hamr-mem --no-config --db gone.db save --key k "xfrag$w shared" >/dev/null
done
hamr-mem --no-config --db gone.db save "longxfragment shared" >/dev/null
is "words of replaced facts are gone" "$(hamr-mem --no-config --db gone.db \
	search frag | jq -r .snippet | grep -c longxfragment) $(hamr-mem \
	--no-config --db gone.db search hare | wc -l)" "1 2"

# words by the thousand lie in several blocks
word() { printf '%s' "$1" | tr 0-9 aeioubdgkl | sed 's/^/xq/; s/$/zw/'; }
seq 7 13 60000 | tr 0-9 aeioubdgkl | sed 's/.*/{"role":"user","content":"a xq&zw_&zw"}/' |
    hamr-mem -n --no-config --db words.db
for n in 20001 40008 59989; do
	w=$(word "$n")
	w=${w#?} w=${w%?}
	is "one of many words is found by $w" "$(hamr-mem --db words.db \
	    search "$w" | hit .snippet)" "a «x${w}w»_${w#?}w"
	is "... joined" "$(hamr-mem --db words.db search "${w}w_${w#?}" |
	    jq -r .snippet)" "a «x${w}w_${w#?}w»"
done
hamr-mem --db words.db forget "$(hamr-mem --db words.db search -n 1 "$w" |
    jq -r .id)"
status "not when it was forgotten" 1 hamr-mem --db words.db search "$w"
is "others are, by what they share" "$(hamr-mem --db words.db search -n 9 \
    kkl | grep -c kkl)" 9
hamr-mem --db words.db save "one xqkeptzw" >/dev/null
hamr-mem --db words.db forget --session "$(hamr-mem --db words.db search kkl |
    jq -r .session | head -n 1)"
is "many go at once" "$(hamr-mem --db words.db search kkl | wc -l)" 0
is "and a word that stays is found" "$(hamr-mem --db words.db search qkept |
    hit .snippet)" "one «xqkeptzw»"
status "two letters are no fragment" 1 hamr-mem --db frag.db search ea

# what is about a file is found by its path, whatever it says of it
{	for i in 1 2 3 4 5 6 7; do
		name=edit text="The file src/deep/tree.c was changed $i times."
		[ $i -lt 7 ] || name=read text=$(seq 100 160 | tr '\n' ' ')
		jq -nc --arg i "$i" --arg n $name '{role:"assistant",tool_calls:
		[{id:$i,type:"function",function:{name:$n,
		arguments:"{\"path\":\"src/deep/tree.c\"}"}}]}'
		jq -nc --arg i "$i" --arg t "$text" \
		    '{role:"tool",tool_call_id:$i,content:$t}'
	done
} | hamr-mem -n --no-config --db path.db
is "what was read of a file, too" "$(hamr-mem --db path.db search -n 5 \
    src/deep/tree.c | jq -r .name | sort | uniq -c | tr -s ' \n' ' ')" \
    " 4 edit 1 read "

# common words
printf '%s\n' '{"type":"hamr","v":1,"session":"old"}' \
    '{"role":"user","content":"the common ancestor"}' |
    hamr-mem -n --no-config --db many.db
common() {	# from, to, want: so many more, and whether the hits are partial
	local got
	seq -f '{"role":"user","content":"the common word %.0f"}' "$1" "$2" |
	    hamr-mem -n --no-config --db many.db
	for _ in $(seq 50); do	# of a busy machine they may be, anyway
		got=$(for raw in "" --raw; do
			hamr-mem --db many.db search $raw common 2>err |
			    jq -c .partial
		done | sort -u)
		[ "$got" = "$3" ] && break
	done
	is "of $(($2 + 1)) messages with a word 50,000 are ranked" "$got" "$3"
}
common 1 49999 null
common 50000 50000 true
common 50001 60000 true
seq 20000 | sed 's/.*/& words /; h; G; G; G; G; s/\n//g; h; G; G; G; G; G; G; G
    s/\n//g; s/.*/{"role":"user","content":"&"}/' |
    hamr-mem -n --no-config --db log.db
ok "what was indexed does not stay in the log" \
    test "$(wc -c <log.db-wal)" -lt 6300000
is "of a common word the newest are ranked" "$(hamr-mem --db many.db search \
    common 2>err | jq -c .partial | sort | uniq -c | tr -s ' ')" ' 8 true'
match "and that is said" "$(cat err)" '*the words are common*'
for q in common the; do
	is "all of a session are: $q" "$(hamr-mem --db many.db search \
	    --session old "$q" 2>&1 | jq -c '[.line, .partial]')" '[2,null]'
done
printf '%s\n' '{"type":"hamr","v":1,"session":"old"}' \
    '{"role":"user","content":"the common ancestor"}' \
    '{"role":"user","content":"the common descendant"}' |
    hamr-mem -n --no-config --db many.db
is "of one that was resumed, too" "$(hamr-mem --db many.db search \
    --session old common 2>&1 | jq -c '[.line, .partial]' | sort |
    tr '\n' ' ')" '[2,null] [3,null] '
is "a rare one among them is found" "$(hamr-mem --db many.db search \
    'common 17' 2>&1 | head -n 1 | jq -c '[.line, .partial]')" '[17,null]'
printf '%s\n' '{"role":"user","content":"one zebra the stable one"}' \
    '{"role":"user","content":"the stable of a zebra"}' \
    '{"role":"user","content":"a zebra is stable"}' |
    hamr-mem -n --no-config --db many.db
is "a phrase comes first, also where a common word was not asked for" \
    "$(hamr-mem --db many.db search 'zebra the stable' | jq -r .snippet |
    sort | tr '\n' ,)$(hamr-mem --db many.db search -n 1 'zebra the stable' |
    jq -r .snippet)" "a «zebra» is «stable»,one «zebra the stable» one,\
«the» «stable» of a «zebra»,one «zebra the stable» one"
{ echo '{"role":"user","content":"an okapi, a tapir and, far away, a quagga"}'
seq 99 | sed 's/.*/{"role":"user","content":"tapir &"}/'
seq 3 | sed 's/.*/{"role":"user","content":"quagga okapi &"}/'; } |
    hamr-mem -n --no-config --db many.db
is "what has all words comes first, where only the rarest were asked for" \
    "$(hamr-mem --db many.db search -n 2 'quagga okapi tapir' |
    jq -r .snippet)" "an «okapi», a «tapir» and, far away, a «quagga»
«quagga» «okapi» 3"
seq 4 60 | sed 's/.*/{"role":"user","content":"quagga okapi &"}/' |
    hamr-mem -n --no-config --db many.db
is "and where so many have these that all are asked for" \
    "$(hamr-mem --db many.db search -n 1 'quagga okapi tapir' |
    jq -r .snippet)" "an «okapi», a «tapir» and, far away, a «quagga»"
hamr-mem --db many.db save "a common fact" >/dev/null
is "facts are among the newest" "$(hamr-mem --db many.db search --kind fact \
    common | jq -c '[.kind, .partial]')" '["fact",null]'
# for people
if command -v script >/dev/null; then
	hamr-mem --db people.db save \
	    "a long sentence about nothing, then the word xylophone ends it" \
	    >/dev/null
	seen() { TERM=xterm script -qec "stty cols $1; $2" /dev/null </dev/null |
	    tr -d '\r'; }
	for width in 40 80
	do	row=$(seen $width "hamr-mem --db people.db search xylophone")
		match "the match is bold in $width columns" "$row" \
		    $'m:*\e[[]1mxylophone\e[[]0m*'
		bare=$(sed 's/\x1b\[[01]m//g' <<<"$row")
		ok "and fits them" test ${#bare} -le $width
	done
	match "stats is a page" "$(seen 80 "hamr-mem --db people.db stats")" \
	    '*facts *1*messages *0*'
else
	skip "what people see" "no script(1)"
fi

# a fact is changed
id=$(hamr-mem --db edit.db save --key port --tag net "port is 1")
new=$(hamr-mem --db edit.db save --replace "$id" "port is 2")
is "replaced, its key and tags kept" "$(hamr-mem --db edit.db list |
    jq -c '[.id == "'"$new"'", .key, .tags, .content]')" \
    '[true,"port",["net"],"port is 2"]'
status "the old one is gone" 1 hamr-mem --db edit.db show "$id"
hamr-mem --db edit.db save --replace "$new" --tag web "port is 3" >/dev/null
is "... with the tags that are given, too" "$(hamr-mem --db edit.db list |
    jq -c .tags)" '["net","web"]'
is "a line of DOS is the same fact" "$(printf 'port is 3\r\n' |
    hamr-mem --db edit.db save)" "$(hamr-mem --db edit.db save "port is 3")"
status "none to replace" 1 hamr-mem --db edit.db save --replace m:abcdef x
# a folder that cannot be written, without the log
mkdir ro none
hamr-mem --db ro/m.db save "a fact in a cold place" >/dev/null
hamr-mem --db ro/m.db rebuild none	# empties the log
rm -f ro/m.db-*
frozen() { bwrap --ro-bind / / --dev /dev --proc /proc -- \
    "$(command -v hamr-mem)" --db ro/m.db "$@"; }
if bwrap --ro-bind / / true 2>/dev/null; then
	is "a read-only folder is searched" \
	    "$(frozen search cold | jq -r .snippet)" "a fact in a «cold» place"
	is "listed" "$(frozen list | jq -r .content)" "a fact in a cold place"
	status "not saved to" 71 frozen save x
	is "which is said, and what to do" "$(cat "$T/.err")" \
	    "hamr-mem: ro/m.db-lock: Read-only file system; make sure that \
you can write in its folder, or name another memory with --db"
	is "checked, without its index" "$(frozen check 2>&1; echo $?)" \
	    "hamr-mem: ro/m.db: its index is not compared with its text: that \
takes permission to write
0"
	mkdir cold && cd cold && git init -q .
	old=$(hamr-mem --no-config save "an old fact")
	cold() { bwrap --bind / / --dev-bind /dev /dev --ro-bind \
	    "$PWD/.hamr" "$PWD/.hamr" -- "$(command -v hamr-mem)" \
	    --no-config "$@"; }
	new=$(cold save "a new fact")
	is "a .hamr that cannot be written is searched, too" \
	    "$(cold search fact | jq -r .id | sort)" \
	    "$(printf '%s\n' "$old" "$new" | sort)"
	is "read for a brief, and shown" \
	    "$(cold brief old | head -n 1; cold show "$old")" \
	    "$old an old fact
an old fact"
	cold save "an old fact" >/dev/null
	is "listed, each item once" "$(cold list | jq -r .id | sort)" \
	    "$(printf '%s\n' "$old" "$new" | sort)"
	is "counted" "$(cold stats | jq -r .facts | sort | paste -sd' ')" "1 2"
	is "exported" "$(cold export | jq -r .key | sort | uniq -c |
	    awk '{ print $1, $2 }' | sort)" \
	    "$(printf '%s\n' "1 $new" "2 $old" | sort)"
	is "checked" "$(cold check 2>&1; echo $?)" \
	    "hamr-mem: $PWD/.hamr/memory.db: its index is not compared with \
its text: that takes permission to write
0"
	status "it is not forgotten there" 71 cold forget "$old"
	is "which is said" "$(cat "$T/.err")" "hamr-mem: $PWD/.hamr/memory.db \
holds 1 of these items and cannot be written; forget them where it can be"
	is "but in the other" "$(cold export | grep -c "\"$old\".*an old fact")" 1
	status "nor by its date" 71 cold forget --before 2999-01-01
	is "the other's are gone" "$(cold list | jq -r .id)" "$old"
	status "nor replaced" 71 cold save --replace "$old" "a newer fact"
	is "which is said, and what to do" "$(cat "$T/.err")" \
	    "hamr-mem: $PWD/.hamr/memory.db holds $old and cannot be written; \
save this without --replace"
	new=$(cold save "another new fact")
	id=$(hamr-mem --global save "a fact of the user")
	hamr-mem --no-config rebuild ../none	# its log is in it now
	dd if=/dev/urandom of=.hamr/memory.db bs=4096 seek=1 count=1 \
	    conv=notrunc 2>/dev/null
	is "if it is damaged, the others are" "$(cold search -n 99 fact 2>err |
	    jq -r .store | sort -u | paste -sd' ')" "global project"
	match "which is said" "$(cat err)" \
	    "hamr-mem: */cold/.hamr/memory.db: damaged (*; it is left out"
	hamr-mem --global forget "$id" 2>/dev/null
	rm .hamr/memory.db-*
	seq 999 >.hamr/memory.db
	is "if it cannot be read, the other is" \
	    "$(cold search fact 2>err | jq -r .id)" "$new"
	match "which is said" "$(cat err)" \
	    "hamr-mem: */cold/.hamr/memory.db: *; it is left out"
	rm .hamr/memory.db*
	hamr-mem --no-config save "an old fact" >/dev/null
	hamr-mem --global save "a fact of the user" >/dev/null
	rm -f "$XDG_STATE_HOME"/hamr/cold-*/memory.db-*
	seq 999 | tee "$XDG_STATE_HOME"/hamr/cold-*/memory.db >/dev/null
	status "if the one to write to is damaged, none is" 65 cold search fact
	cd ..
else
	skip "a read-only folder" "no bwrap"
fi
sqlite3 ro/m.db 'PRAGMA user_version=9' 2>/dev/null &&
status "one of a newer hamr-mem" 65 hamr-mem --db ro/m.db search cold
status "is not rebuilt" 65 hamr-mem --db ro/m.db rebuild none

# ---- scripts that put no blanks between words ----

scripts=$T/scripts.db
while read -r text; do
	hamr-mem --db "$scripts" save "$text" >/dev/null
done <<'E'
昨日の会議で、データベースの接続が失敗したことを報告し、再試行の回数を三回に増やすことを決めた。
会议决定把数据库连接的重试次数增加到三次并且记录所有失败的请求以便以后分析问题
ฐานข้อมูลเชื่อมต่อล้มเหลวเพราะรหัสผ่านหมดอายุและต้องเปลี่ยนใหม่ทุกเดือน
데이터베이스연결실패시재시도횟수를세번으로늘리기로결정했습니다
call parseHTTPHeader2 in the loop
the office → ulica Piotrkowska, Łódź 🎉 is open
E
while read -r query wanted; do
	match "$query" "$(hamr-mem --db "$scripts" search -n 1 "$query" |
	    jq -r .snippet)" "$wanted"
done <<'E'
接続 昨日の会議で、データベースの«接続»が失敗したこと*。
再試行 …*を報告し、«再試»行の回数を三回に増やすことを決めた。
データベースの接続はなぜ失敗した？ 昨日の会議で、«デー»タベースの*
重试次数 会议决定*的«重试»次数*
数据库为什么连接失败 会议决定把«数据»库连接的*
รหัสผ่าน ฐานข้อมูลเชื่อมต่อ*รหั«สผ»่าน*
재시도 데이터베이스*«재시»도*
http call\ parse«HTTP»Header2\ in\ the\ loop
lodz *Piotrkowska,\ «Łódź»\ 🎉\ is\ open
🎉 *Łódź\ «🎉»\ is\ open
→ the\ office\ «→»\ ulica*
E
status "what is in none of them" 1 hamr-mem --db "$scripts" search 天気予報
hamr-mem --db "$scripts" list | jq -r .id | while read -r id; do
	hamr-mem --db "$scripts" forget "$id"
done
is "forgotten, no pair of theirs is left" "$(cat "$scripts"* |
    grep -acE '接続|再試|数据|재시|รหัส')" 0

# a folder whose name is not UTF-8
mkdir "$T/w"$'\377' && cd "$T/w"$'\377' && git init -q . || exit 1
hamr-mem save "a fact" >/dev/null
is "stats of a memory there is a valid record" "$(hamr-mem stats |
	iconv -f UTF-8 -t UTF-8 | jq -r .path)" \
	"$T/w"$'\357\277\275/.hamr/memory.db'

done_testing

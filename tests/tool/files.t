#!/bin/bash
# files.t - hamr-tool read: files, folders, searches, names, secrets.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/quote.sh"

mkdir root && cd root && git init -q . || exit 1
nl='
'
tab='	'

# One call of a person; the content.  Never waits.
r() {
	timeout 30 hamr-tool --no-config --root "$T/root" read "$1"
}
# The tool message, through jq.
j() {
	timeout 30 hamr-tool --no-config --root "$T/root" --json read "$1" |
		jq -r "$2"
}

# --- files
seq 1 9 | sed 's/^/line /' >a.c
is "a range" "$(r '{"path":"a.c","first":2,"last":3}')" \
	"a.c lines 2-3 of 9
     2${tab}line 2
     3${tab}line 3
[6 more: {\"path\":\"a.c\",\"first\":4}]"
is "meta" "$(j '{"path":"./a.c","first":8,"last":99}' '.meta | del(.ms) |
	tojson')" "{\"path\":\"a.c\",\"op\":\"file\",\"first\":8,\"last\":9,\
\"lines\":9,\"sha256\":\"$(sha256sum <a.c | cut -c 1-64)\",\"bytes\":47}"
is "limit" "$(j '{"file":"a.c","offset":3,"limit":2}' '.meta.last')" 4
is "no limit" "$(j '{"path":"a.c","first":3,"limit":0}' '.meta.last')" 9
is "decimal strings" "$(j '{"path":"a.c","first":"3"}' '.meta.first')" 3
is "first past the end" "$(r '{"path":"a.c","first":10}')" \
	"a.c has 9 lines, none from 10 on"
status "that is no error" 0 r '{"path":"a.c","first":10}'
is "last before first" "$(j '{"path":"a.c","first":5,"last":4}' \
	.meta.error)" bad_arguments
for path in a.c/ a.c/. a.c//./ "$T/root/a.c/."; do
	is "$path wants a folder" "$(j "{\"path\":\"$path\"}" \
	    '.meta.error + ": " + .content')" \
	    "not_found: a.c is not a folder; drop the / after it"
done
is "nothing is in a file" "$(j '{"path":"a.c/x"}' .content)" \
	"a.c is not a folder"
ln -s root ../other
is "the root by the name of a link to it" "$(j "{\"path\":\"$T/other/a.c\",
	\"first\":9}" .meta.path)" a.c
ln -s "$T/other/a.c" by_other
is "... also as where a link leads" "$(j '{"path":"by_other","first":9}' \
	.meta.path)" a.c
is "... not past it" "$(j "{\"path\":\"$T/other/../root2/a.c\"}" \
	.meta.error)" denied
is "... nor by what /proc has" "$(j '{"path":"/proc/self/cwd/a.c"}' \
	.meta.error)" denied
rm ../other by_other
printf 'x\ny' >nonl
is "no newline at end" "$(r '{"path":"nonl"}')" "nonl lines 1-2 of 2
     1${tab}x
     2${tab}y
[no newline at end]"
printf 'one\r\ntwo\r\n' >crlf
r '{"path":"crlf"}' >out
printf 'crlf lines 1-2 of 2 CRLF\n     1\tone\n     2\ttwo\n' >want
same "CRLF" out want
printf 'one\r\ntwo\n' >mixed
is "mixed line ends are shown" "$(j '{"path":"mixed"}' '.content |
	split("\n")[1] | tojson')" '"     1\tone\r"'
: >empty
is "an empty file" "$(r '{"path":"empty"}')" "empty is empty, 0 lines"
printf 'a\0b' >binary
match "binary is described" "$(r '{"path":"binary"}')" \
	"binary is a binary file of 3 bytes*"
printf '\377\376a\0' >utf16
is "UTF-16, and what shows it" "$(r '{"path":"utf16"}')" "utf16 is a UTF-16 \
file of 4 bytes; it is not shown, iconv -f UTF-16 -t UTF-8 in bash does"
rm utf16
printf 'caf\351\n' >latin1
is "bad UTF-8" "$(j '{"path":"latin1"}' '.meta.lossy')" true
{ echo short; head -c 6000 /dev/zero | tr '\0' x; echo; } >long
is "a long line is cut, and counted" "$(j '{"path":"long"}' \
	'[.meta.truncated, .meta.bytes > 6000, (.content | split("\n")[2] | length)] | tojson')" \
	"[true,true,$((7 + 2000 + 31))]"
printf 'x%.0s' $(seq 2000) >just
is "2000 characters are not" "$(j '{"path":"just"}' .meta.truncated)" null
seq 1 100000 >big
is "the cap ends a read at a line" "$(j '{"path":"big"}' '[.meta.truncated,
	(.content | length < 70000), .meta.bytes > 500000,
	(.content | split("\n")[-2] | startswith("["))] | tojson')" \
	'[true,true,true,true]'
truncate -s 8G huge
match "a huge file of nothing" "$(r '{"path":"huge"}')" "*binary*"
rm huge
seq 1 3000 >huge
truncate -s 70M huge
is "a range of a huge file" "$(j '{"path":"huge","first":5,"last":6}' \
	'[.content, .meta.sha256] | tojson')" \
	'["huge lines 5-6 of a file of 73400320 bytes\n     5\t5\n     6\t6\n[more: {\"path\":\"huge\",\"first\":7}]\n",null]'
rm huge big

# --- nothing to read, and no error
match "the empty path" "$(r '{"path":""}')" "nothing to read*"
match "/dev/null" "$(r '{"path":"/dev/null"}')" "nothing to read*"
status "no error" 0 r '{"path":"/dev/null"}'

# --- names
mkdir -p sub/deep
echo b >sub/b
echo hidden >.env
echo dash >-rf
# shellcheck disable=SC2016
echo sub >'$(touch pwned)'
echo ml >"new${nl}line"
echo bad >"$(printf 'bad\377')"
ln -s a.c link
ln -s /etc/passwd out1
ln -s ../root-secret up
echo secret >"$T/root-secret"
ln -s "$T/root/a.c" abs
ln -s loop loop
ln -s sub/deep dlink
mkfifo fifo
long=$(head -c 4097 /dev/zero | tr '\0' x)
while IFS='|' read -r what path want; do
	is "$what" "$(j "{\"path\":\"$path\",\"last\":1}" \
		'.meta.error // (.content | split("\n")[0])')" "$want"
done <<EOF
relative|sub/../a.c|a.c lines 1-1 of 9
absolute, inside|$T/root/a.c|a.c lines 1-1 of 9
doubled slashes|sub//b|sub/b lines 1-1 of 1
not UTF-8, as it is shown|bad\ufffd|"bad�" lines 1-1 of 1
up and out|../root-secret|denied
out and in again|../root/a.c|denied
absolute, outside|/etc/passwd|denied
a home is no home|~/a.c|not_found
a folder's slash on a file|a.c/|not_found
beneath a file|a.c/x|not_found
missing|nope|not_found
too long|$long|bad_arguments
4096 bytes|${long%x}|not_found
a leading dash|-rf|-rf lines 1-1 of 1
a command|\$(touch pwned)|\$(touch pwned) lines 1-1 of 1
a newline|new\\nline|"new\\nline" lines 1-1 of 1
a link|link|a.c lines 1-1 of 9
an absolute link inside|abs|a.c lines 1-1 of 9
a link out|out1|denied
a relative link out|up|denied
a loop|loop|not_found
through a link|dlink/../b|sub/b lines 1-1 of 1
a FIFO|fifo|fifo is a FIFO; it is not read
a device|/dev/zero|denied
a descriptor|/dev/fd/0|denied
a way round|/proc/self/root/etc/passwd|denied
EOF
ok "nothing was run" test ! -e pwned
# a path that does not exist; the whole result
while IFS='|' read -r path words; do
	is "$path does not exist" "$(r "{\"path\":\"$path\"}")" \
		"$path does not exist; $words"
done <<'EOF'
nope|read . to see what does
sub/nope/far|read sub to see what does
sub/depe|did you mean sub/deep?
sbu/b|did you mean sub?
A.C|did you mean a.c?
.ebv|read . to see what does
EOF
touch $'caf\xe9.txt'
is "a name that is not UTF-8 is not proposed" "$(r '{"path":"cafe.txt"}')" \
	"cafe.txt does not exist; read . to see what does"
touch $'caf\xe8.txt'
is "nor read, if another is shown like it" "$(r '{"path":"caf\ufffd.txt"}')" \
	"caf�.txt does not exist; read . to see what does"
rm -f caf?.txt
is "an edit of no file" "$(timeout 30 hamr-tool --no-config --root "$T/root" \
	--yes edit '{"path":"Link","old":"a","new":"b"}')" \
	"Link does not exist; did you mean link?"

# --- secrets
mkdir -p .hamr/out keys
echo KEEPOUT | tee .env .env.local keys/a.pem id_rsa.pub .netrc \
	.hamr/config.toml .git/canary >/dev/null
echo fine | tee .env.example .hamr/out/0123456789ab.txt >/dev/null
ln -s .env env
for p in .env .env.local keys/a.pem id_rsa.pub .netrc .hamr/config.toml \
	.git/canary .GIT/canary .git sub/../.env env .hamr; do
	is "kept: $p" "$(j "{\"path\":\"$p\"}" .meta.error)" denied
done
match "no secret: .env.example" "$(r '{"path":".env.example"}')" "*fine"
match "no secret: .hamr/out" \
	"$(r '{"path":".hamr/out/0123456789ab.txt"}')" "*fine"
match "a search shows none" "$(r '{"query":"KEEPOUT"}')" "no match in .*"
is "nor a regex search" "$(j '{"query":"KEEP.*","regex":true}' \
	.meta.matches)" 0
r '{"path":".","depth":8}' >out
status "nor a listing" 1 grep -E 'canary|a.pem|id_rsa|^.env	' out

# --- folders
mkdir -p l/x/y/z l/ign
echo 12345 >l/f
echo 1 >l/x/g
echo 1 >l/x/y/h
echo 1 >l/ign/o
echo 1 >l/t.o
ln -s f l/ln
printf '*.o\nign/\n' >.gitignore
is "a folder" "$(r '{"path":"l"}')" "f${tab}6
ln -> f
x/
x/g${tab}2
x/y/"
is "depth" "$(r '{"path":"l","depth":1}')" "f${tab}6
ln -> f
x/"
is "meta of a folder" "$(j '{"path":"l/x/"}' '.meta | [.op, .path] |
	tojson')" '["list","l/x"]'
is "an ignored folder, asked for" "$(r '{"path":"l/ign"}')" "o${tab}2"
git add -f l/t.o
match "tracked, though it matches" "$(r '{"path":"l"}')" "*t.o*"
mkdir many
(cd many && seq -f 'f%03g' 0 399 | xargs touch && mkdir zz && touch zz/a)
is "300 entries" "$(r '{"path":"many"}' | wc -l)" 301
is "and how many more" "$(r '{"path":"many"}' | tail -n 1)" "[102 more]"
mkdir fair fair/aa
(cd fair && touch zlast && cd aa && seq 0 399 | xargs touch)
match "a large folder hides no neighbour" "$(r '{"path":"fair"}')" "*zlast*"
mkdir none
is "nothing in it" "$(r '{"path":"none"}')" "[nothing to show]"
mkdir -p "$T/plain/b" && touch "$T/plain/b/c"
is "without git" "$(hamr-tool --no-config --root "$T/plain" read \
	'{"path":"."}')" "b/
b/c${tab}0"

# --- searches
rm -rf many fair none
mkdir s
printf 'one\ntwo (x)\nthree\nfour\nfive\nsix\nseven two\n' >s/a
printf 'two two\n' >s/b
echo two >s/c.o
printf 'two\0' >s/bin
is "literal, with context" "$(r '{"path":"s","query":"two (","context":1}')" \
	"s/a-1-one
s/a:2:two (x)
s/a-3-three"
is "groups, files, ignored, binary" \
	"$(r '{"path":"s","query":"two","context":1}')" "s/a-1-one
s/a:2:two (x)
s/a-3-three
--
s/a-6-six
s/a:7:seven two
--
s/b:1:two two"
is "no context" "$(r '{"path":"s","query":"two","context":0}')" \
	"s/a:2:two (x)
s/a:7:seven two
s/b:1:two two"
is "a regex" "$(r '{"path":"s/a","query":"^(one|f.*e)$","regex":true,
	"context":0}')" "s/a:1:one
s/a:5:five"
is "its names" "$(j '{"pattern":"two","path":"s"}' '.meta |
	[.op, .path, .query, .matches] | tojson')" '["search","s","two",3]'
is "case counts" "$(j '{"query":"TWO","path":"s"}' .meta.matches)" 0
is "none is no error" "$(r '{"query":"zzzz","path":"s"}')" "no match in s"
printf 'a 12\nad d\n\\dw\nx\ty\nx\tz\n' >s/digits
regex() {	# QUERY: the lines of s/digits
	quote "$1"
	r "{\"path\":\"s/digits\",\"query\":$quoted,\"regex\":true,\"context\":0}"
}
is "\\d is a digit" "$(regex '^a \d+$')" "s/digits:1:a 12"
is "... in brackets" "$(regex '[^\d\s\w]')" 's/digits:3:\dw'
is "\\t is a tab" "$(regex 'x\ty|x[\t]z')" $'s/digits:4:x\ty\ns/digits:5:x\tz'
is "\\b and \\s" "$(regex '\bad\s|[\][d]')" "s/digits:2:ad d
s/digits:3:\\dw"
is "... beside a class" "$(regex '^[[:alpha:]\d ]+$')" "s/digits:1:a 12
s/digits:2:ad d"
for escape in '\D' '[\b]' '\x41' '\p{L}'; do
	match "an escape that is not known: $escape" "$(regex "$escape")" \
	    'query has ?[Dbxp], which a POSIX *'
done
rm s/digits
printf 'bin\0one\n' >s/bin
is "a binary file" "$(r '{"path":"s/bin","query":"one"}')" \
	"no match in s/bin, a binary file, which is not searched"
rm s/bin
is "a bad regex" "$(j '{"query":"(","regex":true}' .meta.error)" \
	bad_arguments
is "over lines" "$(r '{"query":"three\nfour","path":"s","context":0}')" \
	"s/a:3:three
s/a:4:four"
is "an option is a text" "$(j '{"query":"--help","path":"s"}' \
	.meta.matches)" 0
yes match | head -n 12000 >s/many
is "100 lines, counted to 10,000" "$(j '{"query":"match","path":"s",
	"context":0}' '[.meta.matches, .meta.truncated,
	(.content | split("\n") | map(select(startswith("s/many:"))) |
	length)] | tojson')" '[10000,true,100]'
{ echo wide; head -c 5000 /dev/zero | tr '\0' w; } | tr -d '\n' >s/wide
is "300 bytes a line" "$(r '{"query":"wide","path":"s"}' | head -n 1 |
	tr -d '\n' | wc -c)" 300
{ head -c 5000 s/wide; printf 'néedle and more\n'; } >s/far
for q in '"néedle"' '"n[^w]*edle","regex":true'; do
	match "of a long line what is around the match: $q" \
		"$(r '{"query":'"$q"',"path":"s/far"}')" \
		"s/far:1:...www*wnéedle and more"
done
ok "300 bytes but for a character" test "$(r '{"query":"néedle","path":"s/far"}' |
	tr -d '\n' | wc -c)" -ge 297
rm s/far
printf 'n\303\251e\nn\351e\nnee\nneee\n' >s/utf8
for q in '^n.e$ 1 2 3' '^n[éè]e$ 1' '^n[[:alpha:]]{2}$ 1 3' 'né?ee 3 4'; do
	# shellcheck disable=SC2086
	set -- $q
	is "a character, not a byte: $1" "$(r "{\"query\":\"$1\",\"regex\":true,
		\"path\":\"s/utf8\",\"context\":0}" | cut -d: -f2 |
		paste -sd' ')" "${q#* }"
done
rm s/utf8
printf 'one\r\ntwo\r\nthree\r\n' >s/crlf
is "an LF is CRLF where all line ends are" \
	"$(r '{"query":"ne\ntw","path":"s/crlf","context":0}')" \
	"s/crlf:1:one${nl}s/crlf:2:two"
rm s/crlf
truncate -s 17M s/large
match "large files are counted" "$(r '{"query":"five","path":"s"}')" \
	"*[[]1 file over 16 MiB not searched]"
rm s/large
is "a regex bomb ends" "$(timeout 20 hamr-tool --no-config --root . read \
	'{"query":"((((a{1,99}){1,99}){1,99}){1,99})","regex":true}' \
	>"$T/re" 2>&1; test $? -le 1; echo $?)" 0

# --- S6: a hostile repository runs nothing
mkdir "$T/evil" && cd "$T/evil" && git init -q . || exit 1
printf '#!/bin/sh\ntouch %s/pwned\n' "$T" >hook
chmod +x hook
cp hook git
git config core.fsmonitor ./hook
git config core.pager ./hook
git config filter.x.clean ./hook
git config diff.external ./hook
echo '* filter=x' >.gitattributes
echo needle >n
GIT_EXTERNAL_DIFF=./hook GIT_DIR=$T/root/.git PATH=.:$PATH \
	hamr-tool --no-config --root . read '{"query":"needle"}' >"$T/out"
GIT_DIR=$T/root/.git PATH=:$PATH \
	hamr-tool --no-config --root . read '{"path":"."}' >>"$T/out"
match "it is searched and listed" "$(cat "$T/out")" "n:1:needle*n${tab}7*"
ok "and nothing ran" test ! -e "$T/pwned"

# --- S7: a link that changes under our hands
cd "$T/root" || exit 1
echo mine >target
python3 -S -E - <<'X' &
import os, time
while os.path.exists("target"):
    for to in "/etc/passwd", "target":
        os.symlink(to, "flop")
        os.rename("flop", "flip")
        time.sleep(.0002)
X
flipper=$!
leaks=0
for _ in {1..100}; do
	case $(r '{"path":"flip"}' 2>&1) in
	*root:*) leaks=$((leaks + 1)) ;;
	esac
done
kill $flipper
wait $flipper 2>/dev/null
rm -f flop
is "a flipping link leaks nothing" "$leaks" 0

# --- S7: a kernel without openat2: the same, part by part
if strace -o /dev/null true 2>/dev/null; then
	old() {
		ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o /dev/null \
			-e inject=openat2:error=ENOSYS hamr-tool --no-config \
			--root . read "$1" 2>&1
	}
	is "no openat2" "$(old '{"path":"sub/b"}')" "sub/b lines 1-1 of 1
     1${tab}b"
	match "no openat2, a link" "$(old '{"path":"link"}')" "a.c lines*"
	match "no openat2, a link out" "$(old '{"path":"out1"}')" \
		"out1 is outside*"
	is "no openat2, a search" "$(old '{"query":"two (","context":0}')" \
		"s/a:2:two (x)"
	# nor pidfd_open, and a clock that goes ten times as fast
	printf '%060000d\n' 0 >zeros
	fail=${OBJ:-$TOP/obj}/torture/fail.so
	! grep -q __asan_init "$BIN/hamr-tool" || fail=
	match "no pidfd_open, a regex that does not end" "$(
		ASAN_OPTIONS=detect_leaks=0 timeout 60 strace \
		-E LD_PRELOAD="$fail" -E FAIL_SPEED=10 -f -qq -o /dev/null \
		-e inject=pidfd_open:error=ENOSYS hamr-tool --no-config \
		--root . read '{"path":"zeros","query":"(((0*)*)*)*c\\1",
		"regex":true}')" "*stopped before everything*"
else
	skip "no openat2" "strace does not work here"
fi

done_testing

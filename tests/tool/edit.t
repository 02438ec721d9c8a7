#!/bin/bash
# edit.t - hamr-tool edit and write: proofs, errors, bytes, crashes.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/quote.sh"

mkdir root && cd root && git init -q . || exit 1
nl='
'
t=$T/t
n=0

# A new transcript.
fresh() {
	echo '{"role":"user","content":"go"}' >"$t"
}
# One step: an assistant message with these calls (NAME JSON ...), run by a
# new process that knows the transcript only.  The results are in $T/got.
step() {
	local calls='' had name one
	while [ $# -gt 0 ]; do
		n=$((n + 1))
		quote "$1"; name=$quoted
		quote "$2"
		printf -v one '{"id":"c%s","type":"function","function":%s' \
		    "$n" "{\"name\":$name,\"arguments\":$quoted}}"
		calls=$calls${calls:+,}$one
		shift 2
	done
	echo "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$calls]}" \
		>>"$t"
	had=$(wc -l <"$t")
	timeout 20 hamr-tool --no-config --yes --root "$T/root" $opts \
		<"$t" >"$t.new"
	mv "$t.new" "$t"
	tail -n "+$((had + 1))" "$t" | grep '^{"role":"tool"' >"$T/got"
}
opts=
# What became of the last call: "ok" or its code.
out() {
	tail -n 1 "$T/got" | jq -r '.meta.error // "ok"'
}
said() {
	tail -n 1 "$T/got" | jq -r .content
}
meta() {
	tail -n 1 "$T/got" | jq -c "$1"
}
# One call of a person.
p() {
	timeout 30 hamr-tool --no-config --yes --root "$T/root" "$@"
}
pj() {
	timeout 30 hamr-tool --no-config --yes --json --root "$T/root" "$@" |
		jq -r '.meta.error // "ok"'
}

# --- what is proved
seq 1 60 | sed 's/^/line /' >a
fresh
step edit '{"path":"a","old":"line 5\n","new":"five\n"}'
is "unread" "$(out)" not_read
is "its words" "$(said)" \
	"a was not read in this session; read it, then edit"
step read '{"path":"a","first":1,"last":10}'
step edit '{"path":"a","old":"line 5\n","new":"five\nand a half\n"}'
is "read, in another process" "$(out) $(sed -n 5,6p a | tr '\n' ,)" \
	"ok five,and a half,"
is "what is said" "$(said)" "edited a at line 5, 1 replacement, +2 -1 lines"
is "meta" "$(meta '.meta | del(.ms, .diff, .bytes) | tojson')" \
	"$(jq -cn --arg b "$(seq 1 60 | sed 's/^/line /' | sha256sum |
	cut -c 1-64)" --arg a "$(sha256sum <a | cut -c 1-64)" '{path: "a",
	sha256_before: $b, sha256_after: $a, added: 2, removed: 1,
	mutated: [{path: "a", sha256: $a}]} | tojson')"
is "diff" "$(meta .meta.diff | jq -r .)" "--- a/a
+++ b/a
@@ -2,7 +2,8 @@
 line 2
 line 3
 line 4
-line 5
+five
+and a half
 line 6
 line 7
 line 8"
step edit '{"path":"a","old":"and a half","new":"5.5"}'
is "an own edit moves the proof along" "$(out)" ok
step edit '{"path":"a","old":"line 11\n","new":"x\n"}'
is "never shown" "$(out)" not_read
is "which lines" "$(said)" \
	"line 12 of a was never shown; read it, then edit"
step edit '{"path":"a","old":"line 10\nline 11\n","new":"x\n"}'
is "half shown" "$(out)" not_read
step read '{"path":"a","first":12,"last":14}' \
	edit '{"path":"a","old":"line 10\nline 11\n","new":"10\n11\n"}'
is "adjoining ranges, in one message" "$(out)" ok
step bash '{"command":"sed -i 1d a"}' \
	edit '{"path":"a","old":"five","new":"5"}'
is "changed since" "$(out)" not_read
is "its words" "$(said)" \
	"a has changed since it was read; read it again, then edit"
step read '{"query":"five"}' edit '{"path":"a","old":"five","new":"5"}'
is "a search proves nothing" "$(out)" not_read
step bash '{"command":"cat a"}' edit '{"path":"a","old":"five","new":"5"}'
is "nor does bash" "$(out)" not_read
step read '{"path":"./a"}' edit '{"path":"'"$T"'/root/a","old":"five","new":"5"}'
is "one file under two names" "$(out)" ok
step write '{"path":"w","content":"one\ntwo\n"}' \
	edit '{"path":"w","old":"two","new":"2"}'
is "an own text is known" "$(out)" ok
step edit '{"path":"w","old":"one","new":"1"}'
is "also later" "$(out) $(tr '\n' , <w)" "ok 1,2,"
{ echo short; head -c 3000 /dev/zero | tr '\0' x; echo; } >long
step read '{"path":"long"}' edit '{"path":"long","old":"xxx\n","new":"y\n"}'
is "a cut line proves nothing" "$(out)" not_read
seq 1 100000 >big
step read '{"path":"big"}' edit '{"path":"big","old":"\n17\n","new":"\nx\n"}'
is "a capped read proves its lines" "$(out)" ok
step edit '{"path":"big","old":"\n99999\n","new":"\nx\n"}'
is "and no others" "$(out)" not_read
head -c 40000 /dev/zero | tr '\0' '\n' | sed 's/^/w/' >wide
step read '{"path":"wide","last":20}' \
	edit '{"path":"wide","old":"'"$(yes w | head -n 15 | tr '\n' , |
	sed 's/,/\\n/g')"'","new":"'"$(seq 20000 | tr '\n' , |
	sed 's/,/\\n/g')"'"}'
is "which of many, none shown" "$(out)" ambiguous
seq 1 20 >wide
step read '{"path":"wide"}' edit '{"path":"wide","old":"3\n4\n","new":"'"$(
	seq -f 'new %.0f' 5000 | tr '\n' , | sed 's/,/\\n/g')"'"}'
is "a diff is capped" "$(out) $(meta '[(.meta.diff | utf8bytelength) <= 16384,
	.meta.added] | tojson')" 'ok "[true,5000]"'
step edit '{"path":"wide","old":"new 4999\n","new":"x\n"}'
is "and proves all the same" "$(out)" ok

# --- errors, in their order
printf 'int f(void)\n{\n\treturn 1;\n}\nint g(void)\n{\n\treturn 1;\n}\n' >e.c
fresh
step read '{"path":"e.c"}'
step edit '{"path":"e.c","old":"","new":"x"}'
is "old is empty" "$(out)" bad_arguments
step edit '{"path":"e.c","old":"int","new":"int"}'
is "nothing would change" "$(out)" bad_arguments
step edit '{"path":"e.c","old":"    return 2;","new":"x"}'
is "no match" "$(out)" no_match
is "the nearest, and the difference" "$(said)" \
	"old does not occur in e.c; the nearest text is at line 3:
old line 1:  \"    return 2;\"
file line 3: \"\\treturn 1;\"
different from here: U+0020 (space) in old, U+0009 (tab) in the file"
step edit '{"path":"e.c","old":"int g(void)\n...\nsomething else\n...","new":"x"}'
is "lines left out: where it begins" "$(said)" \
	"old does not occur in e.c; the nearest text is at line 5:
old line 2:  \"...\"
file line 6: \"{\"
different from here: U+002E in old, U+007B in the file"
step edit "$(jq -nc '{path: "e.c", old: "     4\t}\n     5\tint g(void)\n",
	new: "x"}')"
is "the numbers of read in front" "$(said)" \
	"old does not occur in e.c; it does at line 4 without the line \
numbers that read shows: leave them out, in new too"
step edit '{"path":"e.c","old":"```c\nint g(void)\n```","new":"x"}'
match "a fence around it" "$(said)" "*at line 4:*old line 1:  \"\`\`\`c\"*"
printf 'a\0one\n' >nul
step read '{"path":"nul"}' edit '{"path":"nul","old":"one","new":"x"}'
is "a binary file" "$(out): $(said)" "denied: nul is a binary file, which \
read does not show; change it with bash"
step edit '{"path":"e.c","old":"\treturn 1;","new":"x"}'
is "ambiguous" "$(out): $(said)" "ambiguous: old occurs 2 times in e.c, \
lines 3, 7; add the lines around it to old, or set all"
step edit '{"path":"e.c","old":"","new":"","edits":[{"old":"int f","new":"int k"}]}'
is "old and new are filled in and empty" "$(out) $(head -n 1 e.c)" \
	"ok int k(void)"
step edit '{"path":"e.c","old":"int k","new":"int f","edits":[]}'
is "and so are edits" "$(out) $(head -n 1 e.c)" "ok int f(void)"
step edit '{"path":"e.c","edits":[{"old":"int f","new":"x"},{"old":"nope","new":"y"}]}'
is "all or none" "$(out) $(head -n 1 e.c)" "no_match int f(void)"
step edit '{"path":"e.c","edits":[{"old":"int f","new":"x"},{"old":"f(void)","new":"y"}]}'
is "overlaps" "$(out)" bad_arguments
step edit '{"path":"e.c","edits":[{"old":"int f","new":"int g"},{"old":"int g","new":"int f"}]}'
is "matched against the file as it is" \
	"$(out) $(grep -o 'int .' e.c | tr '\n' ,)" "ok int g,int f,"
step edit '{"file_path":"e.c","old_string":"return 1","new_string":"return $& \\1","replace_all":true}'
is "all, literally" "$(out) $(grep -c 'return \$& \\1;' e.c)" "ok 2"
is "missing" "$(pj edit '{"path":"nope","old":"a","new":"b"}')" not_found
mkdir d
is "a folder" "$(pj edit '{"path":"d","old":"a","new":"b"}')" denied
mkfifo fifo
is "a FIFO" "$(pj edit '{"path":"fifo","old":"a","new":"b"}')" denied
is "outside" "$(pj edit '{"path":"/etc/passwd","old":"root","new":"b"}')" \
	denied

# --- S9: bytes stay
printf '\357\273\277one\ntwo\r\nthree' >b
is "not all lines are CRLF" "$(pj edit '{"path":"b","old":"two\r\n","new":"2\n"}')" ok
printf '\357\273\277one\n2\nthree' >want
same "then LF is LF; BOM and end stay" b want
for e in '"old":"\ufeffone","new":"1"' '"old":"one","new":"\ufeff1"' \
    '"old":"\ufeffone\n","new":"\ufeff1\n"'; do
	printf '\357\273\277one\n' >b
	is "a BOM in old or new: $e" "$(pj edit "{\"path\":\"b\",$e}")" ok
	printf '\357\273\2771\n' >want
	same "is that of the file" b want
done
echo one >b
is "where the file has none, too" "$(pj edit \
	'{"path":"b","old":"\ufeffone","new":"1"}') $(cat b)" "ok 1"
is "a BOM alone is nothing" "$(pj edit \
	'{"path":"b","old":"\ufeff","new":"1"}')" bad_arguments
printf 'one\r\ntwo\r\n' >b
is "CRLF" "$(pj edit '{"path":"b","old":"one\ntwo\n","new":"1\n2\n3\n"}')" ok
printf '1\r\n2\r\n3\r\n' >want
same "LF means CRLF there" b want
printf 'a\377b\nc\351' >b
is "bytes that are no UTF-8" "$(pj edit '{"path":"b","old":"b","new":"\u00e9"}')" ok
printf 'a\377\303\251\nc\351' >want
same "stay" b want
echo x >$'n\377'
is "such a name" "$(pj edit '{"path":"n\ufffd","old":"x","new":"y"}') \
$(cat n?)" "ok y"
rm n?
echo x >m && chmod 4751 m
is "mode" "$(pj edit '{"path":"m","old":"x","new":"y"}') $(stat -c %a m)" \
	"ok 4751"
echo x >"$T/outside" && ln "$T/outside" h3
match "a link to a file outside is described" "$(p read '{"path":"h3"}')" \
	"h3 is a file of 2 bytes that has hard links outside the root*"
is "not edited" "$(pj edit '{"path":"h3","old":"x","new":"y"}') $(cat h3)" \
	"denied x"
is "not found" "$(p read '{"query":"x","path":"h3"}')" "no match in h3
[1 file or folder could not be read]"
mkdir -p hd && ln h3 hd/h4
is "more names inside do not help" "$(p read '{"path":"hd/h4"}' |
	grep -c outside)" 1
git add h3
match "git tracks it" "$(p read '{"path":"h3"}')" "h3 lines 1-1 of 1*"
is "that one only" "$(p read '{"path":"hd/h4"}' | grep -c outside)" 1
git rm -q --cached h3; rm -r hd h3
mkdir hm; for i in $(seq 2000); do echo "needle $i" >hm/$i; done
git add hm; cp -al hm "$T/hm"
is "with many of them all are searched" \
	"$(p read '{"query":"needle 1999","path":"hm"}')" "hm/1999:1:needle 1999"
git rm -rq --cached hm; rm -r hm "$T/hm"
echo x >h1 && ln h1 h2
match "a hard link is broken, and it is said" \
	"$(p edit '{"path":"h1","old":"x","new":"y"}')" "*hard link is broken*"
is "the other name" "$(cat h1 h2)" "y${nl}x"
echo x >tgt && ln -s tgt ln
is "a link's target" "$(pj edit '{"path":"ln","old":"x","new":"y"}') $(
	readlink ln) $(cat tgt)" "ok tgt y"
if [ "$(id -u)" = 0 ]; then
	echo x >o && chown 12345:54321 o
	is "owner" "$(pj edit '{"path":"o","old":"x","new":"y"}') $(
		stat -c %u:%g o)" "ok 12345:54321"
else
	skip "owner" "not root"
fi
xattr='import os, sys
if len(sys.argv) > 2: os.setxattr(sys.argv[1], "user.t", b"kept")
print(os.getxattr(sys.argv[1], "user.t").decode())'
echo x >xa
if python3 -c "$xattr" xa set >/dev/null 2>&1; then
	is "xattrs" "$(pj edit '{"path":"xa","old":"x","new":"y"}') $(
		python3 -c "$xattr" xa)" "ok kept"
else
	skip "xattrs" "no user attributes here"
fi
# a folder where new files can be read by one more user
acl='import os, struct
v = (1, 7, 2**32 - 1), (2, 7, 33), (4, 5, 2**32 - 1), (16, 7, 2**32 - 1), \
    (32, 0, 2**32 - 1)
os.setxattr("acl", "system.posix_acl_default", struct.pack("<I", 2) +
    b"".join(struct.pack("<HHI", *e) for e in v))'
mkdir acl; echo x >acl/f; chmod 640 acl/f
if python3 -c "$acl" 2>/dev/null; then
	is "an old one has no access list after an edit, either" "$(pj edit \
		'{"path":"acl/f","old":"x","new":"y"}') $(python3 -c '
import os; print(os.listxattr("acl/f"))')" "ok []"
else
	skip "access lists" "none here"
fi

# --- write
is "a new file, with parents" "$(pj write '{"path":"n/e/w","content":"a\nb"}') $(
	cat n/e/w)" "ok a${nl}b"
is "its mode" "$(umask 027; pj write '{"path":"n/m","content":""}') $(
	stat -c %a n/m)" "ok 640"
is "an existing one" "$(pj write '{"path":"n/e/w","content":"x"}') $(
	head -n 1 n/e/w)" "exists a"
is "overwrite alone" "$(pj write '{"path":"n/e/w","content":"x","overwrite":true}')" \
	exists
is "a folder's name" "$(pj write '{"path":"n/e/","content":"x"}')" \
	bad_arguments
is "through a file" "$(pj write '{"path":"n/e/w/x","content":"x"}')" not_found
fresh
opts="-o policy.overwrite=true"
step read '{"path":"n/e/w","last":1}' \
	write '{"path":"n/e/w","content":"x","overwrite":true}'
is "not read whole" "$(out)" exists
step read '{"path":"n/e/w","first":2}' \
	write '{"path":"n/e/w","content":"new\n"}'
is "not asked to" "$(out)" exists
step write '{"path":"n/e/w","content":"new\n","overwrite":true}'
is "allowed, asked and read" "$(out) $(cat n/e/w)" "ok new"
printf '\357\273\277a\r\nb\r\n' >n/crlf
printf 'a\r\nb\n' >n/mixed
step read '{"path":"n/crlf"}' read '{"path":"n/mixed"}' \
	write '{"path":"n/mixed","content":"x\ny\n","overwrite":true}' \
	write '{"path":"n/crlf","content":"x\n\ny","overwrite":true}'
is "CRLF and BOM stay" "$(out) $(od -An -c n/crlf | tr -d ' \n')" \
	'ok 357273277x\r\n\r\ny'
match "and it is said" "$(said)" \
	"*${nl}as before, it starts with a BOM and has CRLF line ends"
is "mixed ends do not" "$(od -An -c n/mixed | tr -d ' \n')" 'x\ny\n'
step write '{"path":"n/crlf","content":"\ufeffx\r\n","overwrite":true}'
is "nor is one added to another" "$(od -An -c n/crlf | tr -d ' \n') $(said)" \
	'357273277x\r\n wrote n/crlf, +0 -2 lines'
opts=

# --- policy
echo 'build/' >.gitignore
echo K >.env
is "secret" "$(pj write '{"path":"x/.env.prod","content":"x"}')" denied
is "an edit of it" "$(pj edit '{"path":".env","old":"K","new":"x"}') $(
	cat .env)" "denied K"
is "git's own" "$(pj write '{"path":".Git/hooks/pre-commit","content":"x"}')" \
	denied
is "ours" "$(pj write '{"path":".hamr/config.toml","content":"x"}')" denied
is "a lock file" "$(pj write '{"path":"Cargo.lock","content":"x"}')" denied
is "built and ignored" "$(pj write '{"path":"build/x","content":"x"}')" denied
is "built, not ignored" "$(pj write '{"path":"dist/x","content":"x"}')" ok
is "read-only" "$(pj --mode read-only write '{"path":"z","content":"x"}')" \
	denied
is "what other programs obey" "$(for f in .gitconfig .envrc .ENVRC \
	.vscode/tasks.json qq/.idea/x .mcp.json .bashrc qq/.Profile .zshenv \
	.hg/hgrc; do
	pj write "{\"path\":\"$f\",\"content\":\"x\"}"; done | uniq -c |
	sed 's/^ *//'; ls -d .vscode qq 2>/dev/null)" "10 denied"
echo old >.bash_profile
is "and where it is already" "$(pj edit \
	'{"path":".bash_profile","old":"old","new":"new"}') $(cat .bash_profile)" \
	"denied old"
is "unless the user allows it" "$(pj -o \
	'policy.allow_write=[".vscode",".bash_profile"]' write \
	'{"path":".vscode/tasks.json","content":"x"}') $(pj -o \
	'policy.allow_write=[".vscode",".bash_profile"]' edit \
	'{"path":".bash_profile","old":"old","new":"new"}') $(cat .bash_profile) $(pj \
	-o 'policy.allow_write=[".vscode"]' write \
	'{"path":".envrc","content":"x"}')" "ok ok new denied"
is "its like is a file as any" "$(pj write \
	'{"path":"qq/bashrc","content":"x"}')" ok
rm -r .vscode .bash_profile qq
is "docs, scripts" "$(pj --mode docs write \
	'{"path":"docs/evil.sh","content":"x"}')" denied
is "docs, pictures" "$(pj --mode docs write \
	'{"path":"docs/a/x.svg","content":"x"}') $(pj --mode docs write \
	'{"path":"doc/x.svg","content":"x"}') $(pj --mode docs write \
	'{"path":"x.svg","content":"x"}')" "ok ok denied"
is "docs, code" "$(pj --mode docs write '{"path":"z.c","content":"x"}')" denied
is "docs, docs" "$(pj --mode docs write '{"path":"z.md","content":"x"}')" ok
match "no --yes: a preview" "$(hamr-tool --no-config --root . edit \
	'{"path":"z.md","old":"x","new":"y"}')" "not made: *--yes*-x*+y*"
is "and nothing is done" "$(cat z.md)" x
ln -s "$T" away
is "by a link out" "$(pj write '{"path":"away/x","content":"x"}')" denied
ok "nothing there" test ! -e "$T/x"

# --- S9: a full disk: the old file stays, and nothing beside it
mkdir full && cd full || exit 1
seq 1 20000 >f
cp f "$T/want"
before=$(find . | sort)
is "no room for an edit" "$(ulimit -f 10; pj edit \
	'{"path":"full/f","old":"\n7\n","new":"\nseven\n"}')" storage_full
args=$(jq -cn '{path: "full/new/g", content: ("x" * 30000)}')
is "nor for a new file" "$(ulimit -f 10; pj write "$args")" storage_full
same "the file is the old one" f "$T/want"
is "nothing was left" "$(find . | sort)" "$before"
cd ..

# --- names, as git and patch read them in the diff
for name in 's p' 't	b' 'q"x	y'; do
	echo a >"$name"
	hamr-tool --no-config --root . --yes --json edit "$(jq -cn --arg p \
		"$name" '{path: $p, old: "a", new: "b"}')" |
		jq -rj .meta.diff >../diff
	is "git undoes the diff of $name" \
		"$(git apply -R ../diff 2>&1; cat "$name")" a
	rm "$name"
done
is "a space is followed by a tab" "$(echo a >'s p'; hamr-tool --no-config \
	--root . edit '{"path":"s p","old":"a","new":"b"}' | grep a/)" \
	"--- a/s p	"
rm 's p'

# --- places and lines by the million
n=3000000 limit=(prlimit --as=150000000)
# sanitizers need more memory, and look through the rest of the file each time
! grep -q __asan_init "$BIN/hamr-tool" || n=100000 limit=(env)
yes a | head -n $n >many
is "a place takes no memory" "$("${limit[@]}" hamr-tool --no-config --root . \
	--yes edit '{"path":"many","old":"a","new":"b","all":true}' |
	head -n 1; uniq -c many | tr -d ' ')" \
"edited many at line 1, $n replacements, +$n -$n lines
${n}b"
rm many

# --- S9: killed at any call: old or new, and the next edit sweeps
if strace -o /dev/null true 2>/dev/null; then
	mkdir k
	between=0 whens="1 2 4"		# CI has more
	[ -z "${CHECK_FULL:-}" ] || whens="1 2 3 4 6 8"
	for call in openat write fsync fchmod renameat pread64 close; do
		for when in $whens; do
			echo old >k/f
			{ strace -qq -o /dev/null \
				-e "inject=$call:signal=KILL:when=$when" \
				hamr-tool --no-config --yes --root . edit \
				'{"path":"k/f","old":"old","new":"new"}'
			} >/dev/null 2>&1
			case $(cat k/f) in
			old | new) ;;
			*) between=$((between + 1)) ;;
			esac
		done
	done 2>/dev/null
	is "never between" "$between" 0
	echo old >k/f
	p edit '{"path":"k/f","old":"old","new":"new"}' >/dev/null
	is "nothing left over" "$(ls -A k)" f
else
	skip "killed at any call" "strace does not work here"
fi

# What a killed one left goes with the next process, but not what is in the
# making, nor what a link leads to.
if strace -o /dev/null true 2>/dev/null; then
	mkdir left; echo old >left/f; : >left/.hamr-tmp-1
	ln -s f left/.hamr-tmp-2
	{ strace -qq -o /dev/null -e inject=fsync:signal=KILL:when=1 \
		hamr-tool --no-config --yes --root . edit \
		'{"path":"left/f","old":"old","new":"new"}'; } >/dev/null 2>&1
	is "a killed one left something" "$(ls -A left | wc -l)" 4
	exec 9>left/.hamr-tmp-1; flock 9
	p write '{"path":"left/h","content":"h"}' >/dev/null
	exec 9>&-
	is "it goes" "$(ls -A left)" ".hamr-tmp-1
.hamr-tmp-2
f
h"
	is "the file is as it was" "$(cat left/f)" old
	rm -r left
else
	skip "what a killed one left" "strace does not work here"
fi

# --- S9: somebody else writes it at the same time
mkdir race
printf 'x\nAAA\n' >race/f
python3 -S -E - "$T/race.new" <<'X' &
import os, sys, time
while os.path.exists("race/f"):
    with open(sys.argv[1], "w") as f:
        f.write("x\nAAA\n")
    os.rename(sys.argv[1], "race/f")
    time.sleep(.002)
X
writer=$!
odd=0
for _ in {1..40}; do
	p edit '{"path":"race/f","old":"AAA","new":"BBB"}' >/dev/null 2>&1
	case $(tr '\n' , <race/f) in
	x,AAA, | x,BBB,) ;;
	*) odd=$((odd + 1)) ;;
	esac
done
kill $writer
wait $writer 2>/dev/null
is "one of the legal texts, always" "$odd" 0
is "no temporary is left" "$(ls -A race)" f

done_testing

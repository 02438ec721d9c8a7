#!/bin/bash
# cache.t - reads that repeat one of the turn: what is shown, what costs.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

at_end() { [ -z "$tool_pid" ] || kill -9 "$tool_pid" 2>/dev/null; }
new() { hamr-tool -n --yes --no-config --root . "$@"; }
short() {
	jq -c 'select(.role == "tool") | [.tool_call_id, .content,
		.meta.cached]'
}
old() { touch -d '2020-01-01' "$@"; sleep .11; }	# no tick ago

seq 1 200 >a.c
echo small >s.c
old a.c s.c
line="unchanged since the read above: a.c 1-200 of 200"

# --- within one message
{ echo "$user"; call a read '{"path":"a.c"}' b read '{"path":"./a.c"}' \
	c read '{"path":"a.c","first":1,"last":9999}' d read '{"path":"s.c"}' \
	e read '{"path":"s.c"}' f read '{"path":"a.c","first":2}'; } >t
new <t >../out
is "a repeated read is one line" "$(short <../out | sed -n 2p)" \
	"[\"b\",\"$line\\n\",\"a\"]"
is "to the end is to the end" "$(short <../out | sed -n 3p)" \
	"[\"c\",\"$line\\n\",\"a\"]"
is "up to 400 bytes it is repeated" "$(short <../out | sed -n 5p)" \
	'["e","s.c lines 1-1 of 1\n     1\tsmall\n","d"]'
is "another range is read" "$(short <../out | sed -n 6p | jq -c '.[2]')" null
is "meta is that of the read" "$(messages <../out | jq -c 'select(.tool_call_id
	== "b") | .meta | del(.ms)')" "$(messages <../out | jq -c 'select(
	.tool_call_id == "a") | .meta | del(.ms) + {cached: "a"}' |
	jq -c '{path, op, first, last, lines, sha256, cached, bytes}')"

# --- what is refused says what is known
refused() {
	new "$@" | messages | tail -n 1 | jq -c '[.content, .meta.error]'
}
block='{"type":"verdict","tool_call_id":"b","action":"block","message":"no"}'
is "a refused duplicate" "$({ call a read '{"path":"a.c"}' \
	b read '{"path":"./a.c"}'; echo "$block"; } | refused)" \
	"[\"no\\n$line\\n\",\"refused\"]"
is "not another range" "$({ call a read '{"path":"a.c"}' \
	b read '{"path":"a.c","first":2}'; echo "$block"; } | refused)" \
	'["no","refused"]'
seq 1 90000 >big.c
# shellcheck disable=SC2046  # words are meant
call $(for i in {1..20}; do
	echo "r$i read {\"path\":\"big.c\",\"first\":$((i * 4000))}"; done) >../t3
spent() { refused "$@" <../t3; }
is "the end of the budget says what to do" "$(spent)" '["not read: this turn'\
"'"'s reads have used up their budget; make the change with edit, or look up '\
'what was read with search_memory\n",null]'
is "also where nothing is changed" "$(spent --mode verify \
	-o memory.enabled=false)" '["not read: this turn'\
"'"'s reads have used up their budget; answer from what was read\n",null]'
# where no read is left, a refused edit shows its place, which then is read
edit='{"path":"s.c","old":"small","new":"changed"}'
# shellcheck disable=SC2046  # words are meant
call $(for i in {1..20}; do
	echo "r$i read {\"path\":\"big.c\",\"first\":$((i * 4000))}"; done) \
	ed edit "$edit" again edit "$edit" >../t4
is "an unread file is shown where it would change, then edited" \
	"$(new <../t4 | messages | tail -n 2 | jq -r .content) $(cat s.c)" \
	"s.c was not read in this session; read it, then edit; this turn's reads \
are used up, so the place is shown here; edit again:
     1	small
edited s.c at line 1, 1 replacement, +1 -1 lines changed"
printf 'small caf\351\n' >s.c
is "... also one that is not UTF-8, as a valid record" "$(new <../t4 |
	messages | jq -c 'select(.tool_call_id == "ed") |
	[(.content | split("\n")[1]), .meta.lossy]')" \
	'["     1\tsmall caf�",true]'
{ printf small; seq -s , 400; } >s.c
is "... and one of more tokens than a read may have" \
	"$(new -o context.context_budget_tokens=4000 <../t4 | messages |
	tail -n 1 | jq -r .content)" \
	"edited s.c at line 1, 1 replacement, +1 -1 lines"
echo small >s.c
old s.c
jq -c '.tool_calls |= map(select(.id != "again"))' ../t4 >../t5
{ cat ../t5; new <../t5; call again edit "$edit"; } >../t6
is "another process takes it as read, too" "$(new <../t6 |
	messages | tail -n 1 | jq -r .content)" \
	"edited s.c at line 1, 1 replacement, +1 -1 lines"
echo small >s.c
old s.c

# --- by a transcript: another process, the same bytes
{ cat t; new <t; } >t2
call g read '{"path":"a.c"}' >>t2
is "a new process says the same" "$(new <t2 | short)" \
	"[\"g\",\"$line\\n\",\"a\"]"
is "a person's message begins anew" "$({ head -n -1 t2; echo "$user"
	tail -n 1 t2; } | new | short | jq -c '.[2]')" null
is "what was elided is shown again" "$({ head -n -1 t2
	echo '{"type":"compaction","elided":[{"path":"a.c","first":1,"last":50}]}'
	tail -n 1 t2; } | new | short | jq -c '[.[1][0:22], .[2]]')" \
	'["a.c lines 1-200 of 200","a"]'
{ echo "$user"; call a read '{"path":"a.c"}'; } >t7
is "as far as it still fits" "$({ cat t7; new <t7
	echo '{"type":"compaction","elided":[{"path":"a.c","first":1,"last":50}]}'
	echo '{"type":"limit","context_tokens":3200}'
	call g read '{"path":"a.c"}'; } | new | messages |
	jq -c '[.meta | .last < 200, .cached]')" '[true,null]'
is "and then once more in short" "$({ head -n -1 t2
	echo '{"type":"compaction","elided":[{"path":"a.c","first":1,"last":50}]}'
	call g read '{"path":"a.c"}' h read '{"path":"a.c"}'; } | new | short |
	tail -n 1)" "[\"h\",\"$line\\n\",\"a\"]"
is "a cached read proves what it repeats" "$({ cat t2; new <t2
	call x edit '{"path":"a.c","old":"\n150\n","new":"\nX\n"}'; } |
	hamr-tool -n --no-config --root . | jq -r .meta.error)" denied
cp -p a.c ../a.c

# --- what changes a file, and what does not
sed -i 's/^7$/seven/' a.c; touch -r ../a.c a.c
is "same size or time: another content is read" "$(new <t2 | short |
	jq -c '.[2]')" null
cp ../a.c a.c
is "another identity, the same content" "$(new <t2 | short | jq -c '.[2]')" \
	'"a"'

# --- resident: by identity
resident --yes --no-config --root .
run() {	# one call by start, read back; the result in $line
	say "$(call "$@")" "$go"
	hear; say "$line"; hear; result=$line; say "$line"; hear
}
cached() { jq -c .meta.cached <<<"$result"; }
old a.c s.c
say "$user"
run a read '{"path":"a.c"}'
is "the first" "$(cached)" null
run b read '{"path":"a.c"}'
is "the second" "$(cached)" '"a"'
run c bash '{"command":"echo x >>s.c"}'
run d read '{"path":"a.c"}'
is "a command that changed another file" "$(cached)" '"a"'
run e bash '{"command":"sed -i s/^9$/nine/ a.c"}'
run f read '{"path":"a.c"}'
is "one that changed this" "$(cached) $(jq -r .content <<<"$result" |
	grep -c nine)" "null 1"
run g edit '{"path":"a.c","old":"nine","new":"9"}'
run h read '{"path":"a.c"}'
is "an edit" "$(cached)" null
run i edit '{"path":"s.c","old":"nothing","new":"9"}'
run j read '{"path":"a.c"}'
is "not of another file" "$(cached)" '"h"'
for n in 1 2 3 4 5 6 7 8; do	# many changes within a tick
	printf '%200sn\n' "$n" >../n; cat ../n ../n ../n >q
	run "q$n" read '{"path":"q"}'
	printf '%200sn\n' "$((n + 1))" >../n; cat ../n ../n ../n >q
	run "r$n" read '{"path":"q"}'
	got="$got $(cached)$(jq -r .content <<<"$result" | grep -c "$((n + 1))n")"
done
is "within a tick of the clock" "$got" \
	" null3 null3 null3 null3 null3 null3 null3 null3"
rm q
run k read '{"path":"q"}'
is "a file that is gone" "$(jq -r .meta.error <<<"$result")" not_found
bye
tool_pid=

# --- the budget
seq 1 3000 >big
old big
limit='{"type":"limit","context_tokens":4000,"source":"flag"}'
{ echo "$limit"; call a read '{"path":"big"}' b read '{"path":"big"}' \
	c read '{"path":"big"}' d read '{"path":"big","first":900}' \
	e read '{"path":"big"}' f read '{"path":"big","first":1800}' \
	g read '{"path":"big","first":2000}' h read '{"path":"big"}'; } >t
new <t >../out
is "a hit costs nothing and is never refused" "$(messages <../out |
	jq -c '[.meta.cached, .meta.op]' | tr '\n' ' ')" \
'[null,"file"] ["a","file"] ["a","file"] [null,"file"] ["a","file"] '\
'[null,"file"] [null,null] ["a","file"] '
is "only the refused has no start" "$(codes <../out | grep -c start)" 7
is "a transcript is charged the same" "$({ cat t; head -n 12 ../out
	call x read '{"path":"big","first":2000}' y read '{"path":"big"}'; } |
	new | short | jq -c '.[2]' | tr '\n' ' ')" "null \"a\" "
# --- a long session
sha=$(printf '%064d' 0)
read=$({ call '&' read '{"path":"f&"}'; echo '{"role":"tool","tool_call_id":"&"'\
',"content":"","meta":{"op":"file","path":"f&","first":1,"last":1,"lines":1,'\
"\"sha256\":\"$sha\"}}"; } | sed 's/\\/&&/g; $!s/$/\\/')
seq 100000 | sed "s#.*#$read#" >t
status "100,000 files read take seconds" 0 timeout $((20 * SLOWER)) \
	hamr-tool -n --no-config --root . <t
# --- arguments that are encoded a second time, as a string
printf 'a\n' >twice
{ call c1 read '"{\"path\":\"twice\"}"'; call c2 edit \
	'"{\"path\":\"twice\",\"old\":\"a\",\"new\":\"b\"}"'; } >../calls
head -n 1 ../calls | hamr-tool --yes >../twice
tail -n 1 ../calls | cat ../twice - | hamr-tool --yes >../both
is "they are read, and what they read is known later" "$(cat twice)" b
done_testing

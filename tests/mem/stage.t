#!/bin/bash
# stage.t - hamr-mem as a stage: contract, idempotence, crash, full disk.
. "$(dirname "$0")/../lib.sh"
HAMR_SHARE=${HAMR_SHARE:-$TOP/share/hamr}; export HAMR_SHARE
unset HAMR_BIN
mkdir repo && cd repo || exit 1

ids() { hamr-mem --db "$1" list | jq -r .id | sort; }

# a transcript of two hundred messages, with events and unknown records
{
	echo '{"type":"hamr","v":1,"session":"big","created":"2026-01-02"}'
	for i in $(seq 100); do
		echo '{"role":"user", "content":"question number q'"$i"'x", "n":9007199254740993}'
		echo '{"type":"x","s" : "kept"}'
		echo '{"role":"assistant","content":"answer a'"$i"'x \ud83d\ude00"}'
	done
} >t

hamr-mem --db a.db <t >out
same "filter: every byte" t out
hamr-mem --db a.db <t >out
is "idempotent" "$(ids a.db | wc -l)" 200
hamr-mem -n --db b.db <t >out
is "-n writes nothing of its own" "$(cat out)" ""
ids a.db >a.ids; ids b.db >b.ids
same "the same ids" a.ids b.ids
while IFS= read -r line; do printf '%s\n' "$line"; done <t |
    dd bs=7 status=none | hamr-mem --db c.db >out
same "cut anywhere: the same bytes" t out
ids c.db >c.ids
same "cut anywhere: the same ids" a.ids c.ids

# go, sync, cancel
{ cat t; echo '{"type":"sync","n":7}'; echo '{"type":"cancel"}'
echo '{"type":"go","n":12345678901234567890}'; } | hamr-mem -r --db d.db >out
is "go and sync come back" "$(cat out)" '{"type":"sync","n":7}
{"type":"go","n":12345678901234567890}'
{ cat t; echo '{"type":"sync","n":7}'; echo '{"type":"go","n":8}'
echo '{"type":"delta","text":"d"}'; } | hamr-mem --db d.db >out
same "as a filter without them" t out
is "at the end all is stored (-r)" "$(hamr-mem -r --db e.db <t
    ids e.db | wc -l)" 200

# sessions without a header
printf '%s\n' '{"role":"system","content":"s"}' '{"role":"user","content":"hi"}' \
    '{"role":"tool","tool_call_id":"call_1","content":"first result"}' >u1
printf '%s\n' '{"role":"system","content":"s"}' '{"role":"user","content":"hello"}' \
    '{"role":"tool","tool_call_id":"call_1","content":"second result"}' \
    '{"role":"tool","tool_call_id":"call_1","content":"third result"}' >u2
hamr-mem -n --db u.db u1 u2 u1 u2
is "each FILE is a session; equal call ids lose nothing" \
    "$(hamr-mem --db u.db list | jq -r .content | sort | tr '\n' ,)" \
    "first result,hello,hi,second result,third result,"
is "two sessions" "$(hamr-mem --db u.db stats | jq .sessions)" 2
cat u1 t u2 | sed 1d >joined
hamr-mem -n --db v.db <joined
is "a header ends a transcript" \
    "$(hamr-mem --db v.db stats | jq -c '[.sessions,.messages]')" '[2,205]'

# errors
{ head -n 20 t; echo '{"a":1,"a":2}'; tail -n 20 t; } >bad
status "a bad line" 65 hamr-mem --db w.db bad
match "where" "$(cat "$T/.err")" 'hamr-mem: bad:21: *'
ok "what came before is kept" test "$(ids w.db | wc -l)" -ge 12
status "--lenient" 0 hamr-mem --lenient --db w.db bad
is "an error record instead" "$(jq -r 'select(.type == "error") |
    .code + .stage' "$T/.out")" bad_recordmem

# configuration
status "enabled = false" 0 hamr-mem -o memory.enabled=false --db x.db t
ok "remembers nothing" test ! -e x.db
cat >p <<'X'
{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"read","arguments":"{\"file_path\":\"keys/a.txt\"}"}},{"id":"2","type":"function","function":{"name":"read","arguments":"{\"path\":\"src/a.txt\"}"}}]}
{"role":"tool","tool_call_id":"1","content":"hidden"}
{"role":"tool","tool_call_id":"2","content":"seen"}
X
hamr-mem -n -o 'memory.exclude=["keys/*"]' --db x.db p
is "exclude" "$(hamr-mem --db x.db list | jq -r .content)" seen
n=0
echo '{"type":"hamr","v":1,"session":"p","cwd":"/w/repo/"}' >p
for path in /w/repo/keys/a ./keys/b c/..//keys/c /w/x/../repo/./keys/d \
    ../repo/keys/e keys keys/ /w/repo2/keys/f ../keys/g keysmith/h; do
	n=$((n + 1))
	jq -nc --arg i $n --arg p "$path" '{role: "assistant", tool_calls: [{
	    id: $i, type: "function", function: {name: "read",
	    arguments: ({path: $p} | if $i == "1" then . else tojson end)}}]},
	    {role: "tool", tool_call_id: $i,
	    content: $p}'
done >>p
for by in 'keys/*' '/w/repo/keys/*'; do
	rm -f x.db*
	hamr-mem -n -o "memory.exclude=['$by']" --db x.db p
	is "exclude $by, however it is spelled" "$(hamr-mem --db x.db list |
	    jq -r .content | sort | xargs)" \
	    "../keys/g /w/repo2/keys/f keysmith/h"
done

# eight writers at once (D4)
for i in 1 2 3 4 5 6 7 8; do
	(	for j in $(seq 12); do
			hamr-mem --db m.db save "fact $i $j" || echo bad
		done
		sed "s/\"big\"/\"s$i\"/" t | hamr-mem -n --db m.db || echo bad
	) >"w$i" 2>&1 &
done
for k in 1 2 3 4 5 6 7 8 9 10; do
	hamr-mem --db m.db search answer >/dev/null 2>>rerr
done
wait
is "no writer failed" "$(cat w? | grep -vc '^m:')" 0
is "nor a reader" "$(cat rerr)" ""
is "nothing is lost" "$(hamr-mem --db m.db stats |
    jq -c '[.facts,.messages]')" '[96,1600]'
ok "and the file is whole" hamr-mem --db m.db check

# kill -9: what was acknowledged at a sync is there
lost=0
for k in 1 2 3 4 5 6 7 8; do
	rm -f pipe; mkfifo pipe; : >acks
	{	n=0
		while [ $n -lt 4000 ]; do
			n=$((n + 1))
			echo '{"role":"user","content":"k'$k' n'$n'x"}'
			echo '{"type":"sync","n":'$n'}'
		done
	} 2>/dev/null >pipe &
	writer=$!
	hamr-mem -r --db k.db <pipe >acks &
	pid=$!
	until [ -s acks ] || ! kill -0 $pid; do sleep 0.01; done
	sleep 0.0$((k * 7 % 10))$k
	kill -9 $pid $writer
	wait 2>/dev/null
	last=$(grep -c '}$' acks)
	have=$(hamr-mem --db k.db list | grep -c "k$k n")
	[ "$have" -ge "$last" ] || lost=$((lost + 1))
done 2>/dev/null
is "kill -9 loses nothing acknowledged" $lost 0
ok "and the file is whole" hamr-mem --db k.db check

# a full disk, played by a limit on the size of files
head -n 30 t >small
hamr-mem -n --db f.db small
size=$(ids f.db | wc -l)
limit() { ( ulimit -f "$1"; shift; exec "$@" ); }
{ sed 's/"big"/"other"/' t; sed 's/question/another very long one/' t; } >lots
for i in $(seq 8); do sed "s/\"s\"/\"r$i\"/;s/\"big\"/\"o$i\"/" t; done >>lots
limit 100 hamr-mem --db f.db <lots 2>err | cat >out
is "a full disk is status 71" "${PIPESTATUS[0]}" 71
match "and says what to do" "$(cat err)" 'hamr-mem: *f.db: no space left; free some*'
is "one line" "$(wc -l <err)" 1
same "the records are passed on" lots out
ok "the file is intact" hamr-mem --db f.db check
ok "with what was there before" test "$(ids f.db | wc -l)" -ge "$size"
{ cat lots; echo '{"type":"sync","n":1}'; echo '{"type":"sync","n":2}'; } >m2
limit 100 hamr-mem -r --db f.db <m2 >out 2>err
is "resident: an error at each sync, then the sync" \
    "$(jq -r '.type + " " + (.code // "")' out | tr '\n' ,)" \
    "error storage_full,sync ,error storage_full,sync ,"
status "save on a full disk" 71 limit 0 hamr-mem --db f.db save new
status "with space again" 0 hamr-mem -n --db f.db lots
ok "and whole" hamr-mem --db f.db check
echo junk >no.db
status "resident: what is not a memory" 65 hamr-mem -r --db no.db m2
is "... acknowledges nothing" "$(cat "$T/.out")" ""
is "... one line" "$(wc -l <"$T/.err")" 1
{ seq -f '{"role":"user","content":"m%.0f"}' 20001; echo '{'; } >torn
limit 100 hamr-mem -n --db f2.db torn 2>err
is "a full disk is told behind a line that is refused, too" \
    "$(grep -c 'no space left\|torn:' err)" 2
done_testing

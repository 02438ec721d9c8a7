#!/bin/bash
# misbehave.t - hamr's own column of bench/misbehave: how it ends when its model
# misbehaves.  What takes minutes of waiting is left to the bench; of the
# others every third is run, in CI all.
. "$(dirname "$0")/../lib.sh"

slow=stalls,never-ends,dies,error-event

bench() { TMPDIR=$T HAMR_BIN=$BIN "$TOP/bench/misbehave" "$@"; }
bench --list | cut -d' ' -f 1 | grep -vxF "$(tr , '\n' <<<$slow)" >rows
ok "at least thirty rows" test "$(wc -l <rows)" -ge 30
[ -n "${CHECK_FULL:-}" ] || sed -i '1~3b; /injected/!d' rows
# runs mostly wait
bench --jobs 6 --rows "$(paste -sd, rows)" --limit 100 --out r.json >out 2>&1
is "each of them was run" "$(jq -r .row r.json | sort)" "$(sort rows)"
ends() { jq -r "select($1) | \"\(.row) \(.end)\"" r.json | sort -u; }
# the others: three answers in a row that are empty, or cut off by the length
# (an endless one is, too), end a turn (7.3)
is "the task is done" "$(ends '.end != "done"' | cut -d' ' -f 1 |
	grep -vxE 'endless|cut-words')" ""
is "it never hangs, never goes on for ever, never dies" "$(ends \
	'.end == "hung" or .end == "for ever" or .end == "crashed"')" ""
is "nothing outside of the repository is written" "$(ends .outside)" ""
is "no more requests than the limit of a turn" "$(ends '.requests > 66')" ""
bench --agents hamr-responses,hamr-anthropic --out apis.json \
	--rows same-call,thinks-only,cut-call,overflow >out 2>&1
is "the same in the other APIs" "$(jq -r .end apis.json | sort | uniq -c |
    xargs)" "8 done"

# ---- agents that are none ----

cat >asks <<'X'
for i in 1 2 3 4 5; do curl -s "$1" -d '{"messages":[{"role":"user",
"content":"fix it"}],"tools":[{"name":"bash"}]}'; done
X
cat >agents <<'X'
[{"name": "missing", "command": ["/nonexistent/agent", "{task}"]},
{"name": "terminal", "command": ["sh", "-c", "test -t 0 || echo no terminal"]},
{"name": "other-api", "command": ["curl", "-s", "-d", "{}", "{url}/v1beta/x"]},
{"name": "other-body", "command": ["curl", "-s", "-d", "[]",
 "{url}/v1/chat/completions"]},
{"name": "dies", "command": ["sh", "-c",
 "curl -sd '{\"messages\":[]}' {url}/v1/chat/completions >/dev/null; kill $$"]},
{"name": "again", "command": ["sh", "{home}/../../asks",
 "{url}/v1/chat/completions"]}]
X
bench --agents-from agents --rows same-call --out bad.json --agents \
	missing,terminal,other-api,other-body,dies,again >out 2>&1
is "what they are is said" "$(jq -r 'select(.agent != "again") |
	"\(.agent) \(.end): \(.why)"' bad.json | sort)" \
	"dies crashed: without a word
missing never asked: /nonexistent/agent is not installed
other-api never asked: it asked for /v1beta/x
other-body never asked: it asked for /v1/chat/completions with a body that is \
not that API's
terminal never asked: no terminal"
is "the same request once more tells the model nothing" \
	"$(jq -r 'select(.agent == "again") | "\(.requests) \(.heard)"' \
	bad.json)" "5 0"
cat >agents <<'X'
[{"name": "stays", "command": ["sh", "-c",
 "echo $$ >{home}/../pid; exec sleep 60"]}]
X
TMPDIR=$PWD "$TOP/bench/misbehave" --agents-from agents --agents stays \
	--rows same-call >out &
for _ in $(seq 200); do
	pid=$(cat misbehave.*/pid 2>/dev/null) && [ -n "$pid" ] && break
	sleep .05
done
kill $!
wait $! 2>/dev/null
is "one that is stopped takes its agents along" "$(kill -0 "$pid" 2>&1 |
	grep -c 'No such process') $(ls -d misbehave.* 2>/dev/null)" "1 "

# ---- the table ----

result='"requests":4,"tokens":4000,"seconds":1,"outside":false'
cat >table <<X
{"agent":"a","row":"empty","seed":"1","end":"done",$result,"heard":1}
{"agent":"a","row":"empty","seed":"2","end":"gave up",$result,"heard":1}
{"agent":"a","row":"floods","seed":"1","end":"done",$result,"heard":0}
X
printf 'before\n| old |\n| row |\nafter\n| another |\n' >doc
bench --table table --doc doc
is "the table of a document is put anew" "$(cat doc)" "before
| misbehaviour | a |
|---|---|
| an empty answer | 1 of 2, gave up · 4 · 4k · 1.0 s |
| a command that prints 50 MB | done · 4 · 4k · 1.0 s |
| **done** | 1.5 of 2 |
after
| another |"
bench --rows same-index,empty --seeds 1,2 --out seeds.json >out 2>&1
is "a seed that changes nothing is not run" "$(jq -r '"\(.row) \(.seed)"' \
	seeds.json | sort | xargs)" "empty 1 empty 2 same-index 1"
bench --rows same-index,empty --seeds 1,2 --out seeds.json >out 2>&1
is "... nor what the file has" "$(cat out)" ""
done_testing

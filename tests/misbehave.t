#!/bin/bash
# misbehave.t - hamr's own column of bench/misbehave: how it ends when its model
# misbehaves.  What takes minutes of waiting is left to the bench.
. "$(dirname "$0")/lib.sh"

slow=stalls,never-ends,dies

bench() { HAMR_BIN=$BIN "$TOP/bench/misbehave" "$@"; }
bench --list | cut -d' ' -f 1 | grep -vxF "$(tr , '\n' <<<$slow)" >rows
ok "at least thirty rows" test "$(wc -l <rows)" -ge 30
bench --rows "$(paste -sd, rows)" --limit 100 --out r.json >out 2>&1
is "every row was run" "$(jq -r .row r.json | sort -u | wc -l)" \
	"$(wc -l <rows)"
ends() { jq -r "select($1) | \"\(.row) \(.end)\"" r.json | sort -u; }
# the others: three empty or endless answers in a row end a turn (7.3); what a
# server drops without a word is told to the person; an answer that asks or
# apologises is asked once for the change
is "the task is done" "$(ends '.end != "done"' | cut -d' ' -f 1 |
	grep -vxE 'empty|endless|apologises|asks-back|silent-cut')" ""
is "it never hangs, never goes on for ever, never dies" "$(ends \
	'.end == "hung" or .end == "for ever" or .end == "crashed"')" ""
is "nothing outside of the repository is written" "$(ends .outside)" ""
is "no more requests than the limit of a turn" "$(ends '.requests > 66')" ""
bench --agents hamr-responses,hamr-anthropic --out apis.json \
	--rows same-call,thinks-only,cut-call,overflow >out 2>&1
is "the same in the other APIs" "$(jq -r .end apis.json | sort | uniq -c |
    xargs)" "8 done"
done_testing

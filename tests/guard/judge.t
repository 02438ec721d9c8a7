#!/bin/bash
# judge.t - what hamr-guard says of healthy sessions was read and called
# right (judged.tsv), loops are caught, honest repetition is not stopped.
. "$(dirname "$0")/../lib.sh"

judge() { HAMR_BIN=$BIN python3 -B "$TOP/tests/guard/guard_judge.py" "$@"; }

judge -w >all
sed '/^$/,$d' all | sort -u >said
sed '1,/^$/d' all >tables
grep -v '^#' "$TOP/tests/guard/judged.tsv" | cut -f 7 | sort -u >judgements
is "every warning in the table is called right" "$(cat judgements)" right
is "what is said of the copies is in the table" \
    "$(while IFS= read -r line; do
	grep -qF "$line	right	" "$TOP/tests/guard/judged.tsv" || echo "$line"
done <said)" ""
ok "something is" test -s said

sed 's/^/# /' tables
rows() {	# collection: kinds, with a word, stopped, of all
	sed -n "/^$1 /,/^  all/p" tables | sed -n 's/^  all *//p'
}
read -r kinds words stopped < <(rows loops)
ok "400 kinds of loop" test "$kinds" -ge 400
ok "48 of 51 get a word" test $((words * 51)) -ge $((kinds * 48))
ok "44 of 51 are stopped" test $((stopped * 51)) -ge $((kinds * 44))
read -r kinds words stopped < <(rows honest)
ok "414 kinds of honest repetition" test "$kinds" -ge 414
is "none is stopped" "$stopped" 0
ok "three in ten get a word at most" test $((words * 10)) -le $((kinds * 3))
ok "behind five agents" test "$(sed -n 's/^kinds behind.*: //p' tables |
    tr ',' '\n' | wc -l)" -ge 5
is "no healthy session is stopped" \
    "$(sed '/^kinds behind/,$d' tables | grep 'block\|halt\|text-only')" ""
done_testing

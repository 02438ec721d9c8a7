#!/bin/bash
# loop-resume.t - a run may be killed anywhere; resumed, it ends as if it had
# not been, and nothing ran twice.
. "$(dirname "$0")/lib.sh"
S=$T/script
# a run whose write was interrupted may be asked once more for its answer
{ cat "$TOP/tests/data/loop/two-calls.ndjson"
tail -n 1 "$TOP/tests/data/loop/two-calls.ndjson"; } >"$S"
loop() { hamr-loop --no-config --yes --quiet "$@"; }
session() { ls .hamr/sessions/*.ndjson | tail -n 1; }
fresh() {
	rm -rf w && mkdir w && cd w && git init -q . && mkdir d && echo x >d/x
}
# What must be equal: messages without what varies, in order.
messages() {
	jq -c 'select(.role and .role != "system") | .meta |= (
	    if . then {by, error} else . end) |
	    if .role == "tool" and (.content | type) == "string" then
	    .content |= sub("; changed: [^\n]*"; "") else . end' "$1"
}
# The same, where a call may have been interrupted instead.
check() {	# name
	one=$(grep -c one marks 2>/dev/null) two=$(grep -c two marks 2>/dev/null)
	cut=$(jq -r 'select(.meta.error == "interrupted") | .tool_call_id' \
	    "$(session)" | tr '\n' ' ')
	messages "$(session)" | jq -c 'select(.role != "tool")' >got
	[ -z "$cut" ] || { grep -v '"by":"loop"' got | uniq >less; mv less got; }
	messages "$T/whole" | jq -c 'select(.role != "tool")' >want
	bad=
	cmp -s got want || bad="$bad messages differ;"
	[ "${one:-0}" -le 1 ] && [ "${two:-0}" -le 1 ] ||
	    bad="$bad a command ran twice;"
	case $cut in
	'') messages "$(session)" | cmp -s - "$T/whole.m" ||
		bad="$bad results differ;"
	    [ "$(cat new.txt)" = goodbye ] || bad="$bad wrong file;" ;;
	esac
	[ "$(jq -r 'select(.role == "tool") | .tool_call_id' "$(session)" |
	    tr '\n' ' ')" = "c1 c2 c3 c4 c5 c6 " ] ||
	    bad="$bad not one result a call;"
	[ "$(jq -r 'select(.type == "end") | .status' "$(session)" |
	    tail -n 1)" = completed ] || bad="$bad did not complete;"
	hamr-guard --no-config <"$(session)" | cmp -s - "$(session)" ||
	    bad="$bad no fixed point of guard;"
	is "$1" "$bad" ""
}

fresh
loop --replay "$S" "try it" >/dev/null
cp "$(session)" "$T/whole"
messages "$T/whole" >"$T/whole.m"
cd ..

# kill -9 at every write of the loop
strace -o /dev/null -e trace=write -e inject=write:signal=KILL:when=1 \
    sh -c 'echo x' >/dev/null 2>&1
if [ $? = 137 ]; then
	k=1
	while :; do
		fresh
		strace -o /dev/null -e trace=write -e \
		    "inject=write:signal=KILL:when=$k" hamr-loop --no-config \
		    --yes --quiet --replay "$S" "try it" >/dev/null 2>&1
		st=$?
		if [ $st = 0 ]; then
			cd ..
			break
		fi
		if [ -n "$(session 2>/dev/null)" ] &&
		    grep -q '"role":"user"' "$(session)"; then
			loop --resume --replay "$S" >answer 2>err ||
			    cat err "$(session)" >&2
			check "killed at write $k, resumed"
		fi
		cd ..
		k=$((k + 1))
	done
	is "the loop wrote often" "$([ $k -gt 25 ] && echo yes)" yes
	# kill -9 of each stage at some of its writes
	for stage in guard compact provider tool mem; do
		for k in 1 2 4 7; do
			fresh
			cat >"killer" <<X
#!/bin/sh
# the first start is killed, later ones are not
if mkdir $T/w/first.$stage 2>/dev/null; then
	exec strace -o /dev/null -e trace=write -e \
	    inject=write:signal=KILL:when=$k hamr-$stage "\$@"
fi
exec hamr-$stage "\$@"
X
			chmod +x killer
			loop -o "stages.$stage=[\"$T/w/killer\"]" \
			    --replay "$S" "try it" >/dev/null 2>err ||
			    cat err >&2
			rm -rf killer first.*
			check "hamr-$stage killed at its write $k"
			cd ..
		done
	done
else
	skip "kill -9 at every write" "strace cannot inject here"
fi

# a full disk: the session may not grow past a size
for kib in 3 4 5 6; do
	fresh
	(trap '' XFSZ; ulimit -f $kib; exec timeout 30 hamr-loop --no-config \
	    --yes -o memory.enabled=false --replay "$S" --json "try it") 2>err |
	    cat >out
	st=${PIPESTATUS[0]}
	if [ "$st" != 0 ]; then
		is "disk full at $kib KiB: status 71" "$st" 71
		is "the reader of --json is told" "$(tail -n 1 out |
		    jq -r .type)" end
		is "no half line is left" "$(tail -c 1 "$(session)" |
		    od -An -tx1)" " 0a"
	fi
	if grep -q '"role":"user"' "$(session)"; then
		loop --resume --replay "$S" >answer 2>err || cat err >&2
		check "disk full at $kib KiB, resumed"
	fi
	cd ..
done

# a line cut short by a power loss
fresh
loop --replay "$S" "try it" >/dev/null
f=$(session)
head -n 8 "$f" >part
head -n 9 "$f" | tail -n 1 | head -c 20 >>part
cp part "$f"
rm -f marks new.txt
loop --resume --replay "$S" >answer 2>err
match "a torn line is cut off with one warning" "$(cat err)" \
    "*last line was cut short*"
is "and the run completes" "$(cat answer)" "The file says goodbye."
cd ..

# damage in the middle is told with its line, and nothing is changed
fresh
loop --replay "$S" "try it" >/dev/null
f=$(session)
sed -i '4s/.*/{"role":/' "$f"
cp "$f" before
loop --resume "more" >out 2>err
is "a damaged session: status 65" "$?" 65
match "its place is named" "$(cat err)" "*.ndjson:4: *"
same "and the file is as it was" "$f" before
cd ..

# two loops on one session
fresh
cat >slow.ndjson <<'X'
{"role":"assistant","tool_calls":[{"id":"s","type":"function","function":{"name":"bash","arguments":"{\"command\":\"touch started; sleep 31.7\"}"}}]}
{"role":"assistant","content":"done sleeping","finish_reason":"stop"}
X
hamr-loop --no-config --yes --json --replay slow.ndjson "sleep" >out 2>err &

pid=$!
for i in $(seq 100); do [ -e started ] && break; sleep 0.05; done
loop --resume >out2 2>err2
is "a session in use: status 75" "$?" 75
match "and the holder's pid" "$(cat err2)" "*process $pid;*"
# Ctrl-C
kill -INT $pid
wait $pid
is "SIGINT: status 130" "$?" 130
is "SIGINT: the end record" "$(tail -n 1 out | jq -r .status)" interrupted
is "SIGINT: no call is left open" "$(jq -r 'select(.role == "tool") |
    .meta.error' "$(session)")" interrupted
is "SIGINT: nothing of the call survives" "$(pgrep -f '^sleep 31.7' |
    wc -l)" 0
is "exactly one end record" "$(grep -c '"type":"end"' out)" 1
loop --resume --replay slow.ndjson >answer 2>err
is "an interrupted session goes on" "$? $(cat answer)" "0 done sleeping"
for sig in TERM HUP; do
	rm -f started
	hamr-loop --no-config --yes --json --replay slow.ndjson "sleep" >out 2>err &

	pid=$!
	for i in $(seq 100); do [ -e started ] && break; sleep 0.05; done
	kill -$sig $pid
	wait $pid
	is "SIG$sig: status and end record" "$? $(tail -n 1 out |
	    jq -r .status)" "130 interrupted"
done
done_testing

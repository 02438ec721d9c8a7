#!/bin/bash
# the rest of the rows of chapters 7.1 to 7.3: limits, nudges, cut answers
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
usage() { jq -cn --argjson p "$1" --argjson c "${2:-0}" '{type: "usage",
	prompt_tokens: $p, completion_tokens: 0, cost: $c}'; }
ran() { jq -r 'select(.type == "start") | .tool_call_id' out | wc -l; }
answers() { jq -c 'select(.role == "assistant") | .content' out | wc -l; }
results() { jq -r 'select(.role == "tool") | .meta.error // "ok"' out |
	paste -sd' '; }

# ---- a filter that holds back what it reads: judged at the end ----

fresh held
answer "Read." >script
timeout -s INT 40 hamr-loop --no-config --replay script x >out 2>err \
    -o 'stages.provider=["hamr-provider", "grep -v x=y", "cat"]' </dev/null &

# ---- limits: one more request without tools, then budget_exhausted ----

fresh limits
{ usage 600; call read '{"path":"f"}'; usage 600; call read '{"path":"."}'
usage 10; answer "That far."; answer "never"; } >script
run x -o budget.max_tokens=1000
is "max_tokens" "$S $(ended) $(ran)" "3 budget_exhausted max_tokens 2"
is "its last words are the answer" "$(tail -n 1 out | jq -r .answer)" \
    "That far."
{ usage 5 0.6; call read '{"path":"f"}'; usage 5 0.6; call read '{"path":"."}'
usage 5 0.1; answer "That far."; answer "never"; } >script
run x -o budget.max_cost=1.0 -o 'provider.prices=[3, 15]'
is "max_cost" "$S $(ended) $(ran)" "3 budget_exhausted max_cost 2"
match "the cost is told" "$(hamr-loop --no-config --replay script -o \
	'provider.prices=[3, 15]' x 2>&1 </dev/null)" \
	"*files changed, \$1.30; session*"
run x -o budget.max_cost=1.0
is "max_cost without prices: status 78, and no session" "$S $(wc -l <err) \
$(cat out)" "78 1 "
match "... with what to do" "$(cat err)" \
    "hamr-loop: budget.max_cost is set*prices = \[IN, OUT\] under \[provider\]*"
run x -o budget.max_cost=1.0 -o 'budget.prices=["m 3 15"]' --model other
is "... also without those of the model" "$S" 78
run x -o budget.max_cost=1.0 -o 'budget.prices=["m 3 15"]' --model m
is "... but with them" "$S" 3
run x -o budget.max_cost=1.0 -o 'budget.prices=[3, 15, 0.3]' --model m
is "... or with those of any" "$S" 3
{ call read '{"path":"f"}'; answer "That far."; } >script
run x -o budget.max_cost=1.0 -o 'budget.prices=["m 3 15"]'
is "a cost that is not known ends the turn" "$S $(ended)" \
    "3 budget_exhausted max_cost"
match "... and is said" "$(cat err)" "*cost of this model is not known*"
{ usage 5 0.6; call write '{"path":"paid","content":"x"}'
usage 5 0.6; answer "made"; usage 5 0.6; call read '{"path":"f"}'
usage 5 0.1; answer "That far."; } >script
run x -o budget.max_cost=1.0 -o 'budget.prices=[3, 15]' \
    -o verification.defaultCommand=false
is "... a failed check does not raise the limit" "$(ended) $(grep -c \
    '"type":"usage"' out)" "budget_exhausted max_cost 3"
run x -o budget.max_cost=0.0
is "no limit needs no prices" "$S" 0
{ call bash "{\"command\":\"sleep 65.3$$\"}"; answer "That far."; } >script
run x -o budget.max_wall_seconds=4
is "max_wall_seconds, in a call" "$S $(ended) $(results)" \
    "3 budget_exhausted max_wall_seconds interrupted"
is "... which is ended" "$(pgrep -fc "^sleep 65.3$$\$")" 0
is "... and its last words are asked for, once" "$(tail -n 1 out |
    jq -r .answer) $(answers)" "That far. 2"
f=.hamr/sessions/$(head -n 1 out | jq -r .session).ndjson
hamr-guard --no-config "$f" | cmp -s - "$f"
is "... the session is a fixed point of hamr-guard" "$?" 0
cat >late <<'X'
#!/bin/sh
while read -r line; do
	case $line in *'"role":"'$1*) sleep "$2" ;; esac
	printf '%s\n' "$line"
done
X
cat >vague <<'X'
#!/bin/sh
while read -r line; do
	case $line in
	*'"type":"go"'*) printf '{"type":"error"}\n%s\n' "$line" ;;
	*'"type":"sync"'*) printf '%s\n' "$line" ;;
	esac
done
X
chmod +x late vague
run x -o stages.provider='["./vague"]'
is "an error that says nothing has a reason" "$(ended) $(tail -n 1 err)" \
    "model_error unknown hamr-loop: an error that was not described"
{ call bash '{"command":"sleep 65.3"}'; answer "That far."; } >script
run x -o budget.max_wall_seconds=4 -o stages.tool='["hamr-tool", "./late tool 3"]' \
    -o stages.provider='["hamr-provider", "./late assistant 2"]'
is "a result that comes too late is none" "$S $(ended) $(results)" \
    "3 budget_exhausted max_wall_seconds budget_exhausted"
printf 'method POST\nhead\nhang\n' >s1
printf 'method POST\nbody {"choices":[{"message":{"content":"So far."},"finish_reason":"stop"}]}\n' >s2
httpd_start log s1 s2 || exit 1
hamr-loop --no-config --json --base-url "http://127.0.0.1:$HTTPD_PORT/v1" \
    --model m -o budget.max_wall_seconds=4 x >out 2>err </dev/null
is "max_wall_seconds, while the model is asked" "$? $(ended) $(tail -n 1 out |
    jq -r .answer) $(grep -c POST log)" "3 budget_exhausted max_wall_seconds So far. 2"
httpd_stop
printf 'method POST\nevent %s\nhang\n' \
    '{"choices":[{"delta":{"content":"It is the parser"}}]}' >s1
printf 'method POST\nstatus 401\nbody {}\n' >s2
httpd_start log s1 s2 || exit 1
hamr-loop --no-config --json --base-url "http://127.0.0.1:$HTTPD_PORT/v1" \
    --model m -o budget.max_wall_seconds=2 x >out 2>err </dev/null
is "... while it answers, and gives no summary: what it said is the answer" \
    "$? $(ended) $(tail -n 1 out | jq -r .answer) $(grep -c POST log)" \
    "3 budget_exhausted max_wall_seconds It is the parser 2"
httpd_stop
cat >deaf <<'X'
#!/bin/sh
# a stage that does not answer its first request, nor the cancel of it
[ -e asked ] || while read -r line; do
	case $line in
	'{"type":"sync"'*) printf '%s\n' "$line" ;;
	'{"type":"request"'*) touch asked ;;
	esac
done
exec hamr-provider "$@"
X
chmod +x deaf
answer "That far." >script
run x -o budget.max_wall_seconds=2 -o stages.provider='["./deaf"]'
is "a stage that does not stop in time is started again" "$S $(ended) $(
    tail -n 1 out | jq -r .answer)" \
    "3 budget_exhausted max_wall_seconds That far."
{ call bash '{"command":"sleep 1"}'; answer "That far."; answer "never"; } >script
run x -o budget.max_wall_seconds=2 -o stages.tool='["hamr-tool", "sh -c \"while read -r l; do sleep 0.6; echo $l; done\""]'
is "one end record, whatever happens" "$(jq -r 'select(.type == "end") |
    .type' out | paste -sd' ')" end
{ answer "That is it."; answer "That far."; } >script
run check --mode verify -o budget.max_wall_seconds=2 \
    -o "verification.defaultCommand=sleep 65.4$$"
is "max_wall_seconds, in a verification" "$S $(ended) $(tail -n 1 out |
    jq -r .answer)" "3 budget_exhausted max_wall_seconds That far."
is "... which is ended" "$(pgrep -fc "^sleep 65.4$$\$")" 0
{ call read '{"path":"f"}'; call read '{"path":"f"}'; } >script
run x -o agent.max_model_steps=1
is "last words with calls: they are answered" "$S $(ended) $(results)" \
    "3 budget_exhausted max_model_steps ok budget_exhausted"
{ call read '{"path":"f"}'; answer ""; } >script
run x -o agent.max_model_steps=1
is "no last words at all" "$S $(ended)" "3 budget_exhausted max_model_steps"
cd "$T" || exit 1
hamr-loop --no-config -C limits --replay limits/script x 2>err </dev/null \
    -o agent.max_model_steps=1
is "how to go on, from here" "$(tail -n 1 err)" "hamr-loop: to go on, with a \
larger limit: hamr-loop -C limits --resume=$(sed -n 's/.*; session //p' err)"
cd limits || exit 1

# ---- answers that the guard calls none ----

fresh intent
for _ in 1 2 3 4 5 6; do answer "I will now read the file f."; done >script
run x
is "intent is nudged three times, then accepted" "$S $(ended) $(answers)" \
    "0 completed stop 4"
is "... by the guard" "$(says guard | grep -c '^\[hamr-guard\]')" 3

# ---- cut answers ----

fresh cut
cut_off() { jq -c '.finish_reason = "length"'; }
{ call write '{"path":"a","content":"x"}' | cut_off
answer "Then in small pieces."; } >script
run x
is "a call of a cut answer does not run" "$S $(results) $(test -e a; echo $?)" \
    "0 truncated 1"
match "the model is told to continue in smaller pieces" "$(says loop)" \
    "*smaller pieces*"
{ answer "on and on and on" | cut_off | jq -c '.meta.repeats = 200'
answer "The file f says hello."; } >script
run x
match "one that repeated itself is told so, not to go on with it" \
    "$(says loop)" "Your last answer was stopped because it repeated*"
{ call read '{"path":"f"}' | cut_off; answer a | cut_off; call read '{"path":"f"}'
answer b | cut_off; answer c | cut_off; answer "The file f says hello."
} >script
run x
is "two in a row are survived, and again" "$S $(ended)" "0 completed stop"
is "without a call no call is to be repeated" "$(says loop | grep -c \
    'repeat the call') $(says loop | grep -c 'where it stopped')" "1 3"
{ answer a | cut_off; answer b | cut_off; answer c | cut_off; answer "Done."; } >script
run x
is "three in a row are not" "$S $(ended)" "6 model_error truncated"

# ---- repair turns ----

fresh repair
{ call write '{"path":"a","content":"bad"}'; answer "Done."
for i in $(seq 12); do call bash "{\"command\":\"echo $i >>b\"}"; done
answer "Repaired."; answer "Or not."; } >script
run "fix it" -o verification.defaultCommand=false -o agent.max_tool_calls=12 \
    -o loop_guard.enabled=false
is "a repair turn has max(8, half) calls" "$S $(ended) $(ran) $(wc -l <b)" \
    "3 budget_exhausted max_tool_calls 9 8"

# ---- a stage that dies again and again ----

fresh mortal
{ call read '{"path":"f"}'; answer "Read."; } >script
cat >guard <<'X'
#!/bin/sh
head -c 1 >/dev/null
exit 1
X
chmod +x guard
run x -o stages.guard="['$PWD/guard']"
is "five restarts, then tool_error" "$S $(ended) $(tail -n 1 .hamr/runs/* |
    wc -l) $(grep -c 'started again' .hamr/runs/*)" \
    "1 tool_error stage_died 1 5"
cat >guard <<'X'
#!/bin/sh
head -c 1 >/dev/null
echo "cannot think" >&2
exit 1
X
for how in --json --quiet; do
	hamr-loop --no-config --yes "$how" --replay script x >out 2>err \
	    -o "stages.guard=['$PWD/guard']" </dev/null
	match "its last line is told, $how" "$(tail -n 1 err)" \
	    "hamr-loop: stage guard (*) ended 6 times in one action: cannot think"
done
printf '#!/bin/sh\nhead -c 1 >/dev/null; kill -KILL $$\n' >guard
run x -o stages.guard="['$PWD/guard']"
is "so is a signal" "$(sed 's/.*action: //' err)" "signal 9"
printf '#!/bin/sh\necho no record\ncat >/dev/null\n' >guard
run x -o stages.guard="['$PWD/guard']"
is "so is what it was stopped for" "$(sed 's/.*action: //' err)" \
    "guard:1: not a JSON object at byte 1"
cat >guard <<'X'
#!/bin/sh
exec sleep 60 >&-
X
SECONDS=0
run x -o "stages.guard=['$PWD/guard']"
is "one that only closes its stdout is ended at once" \
    "$S $(ended) $((SECONDS < 8))" "1 tool_error stage_died 1"
SECONDS=0
run x -o "stages.guard=['hamr-guard', '$PWD/guard']"
is "... behind another one, too" "$S $(ended) $((SECONDS < 10))" \
    "1 tool_error stage_died 1"

# ---- a stage that reads no more, while its output stays open ----

for how in 'sleep 20 & exit' 'exec sleep 20 <&-'; do
	printf '#!/bin/sh\n[ -e "$0.on" ] || { : >"$0.on"; %s; }\n%s\n' \
	    "$how" 'exec hamr-provider "$@"' >server
	chmod +x server
	rm -f server.on
	SECONDS=0
	run x -o "stages.provider=['$PWD/server']"
	is "is started again: $how" "$S $(ended) $(grep -c "started again" \
	    "$(ls -t .hamr/runs/*.log | head -n 1)") $((SECONDS < 12))" \
	    "0 completed stop 1 1"
done

# ---- one that reads no more, but answers what it has read

cat >server <<'X'
#!/bin/sh
while read -r line; do
	case $line in *'"go"'*)
		exec <&-
		sleep 3
		printf '%s\n' '{"role":"assistant","content":"Late.","finish_reason":"stop"}' "$line"
		exit ;;
	*'"sync"'*) printf '%s\n' "$line" ;;
	esac
done
X
run x -o "stages.provider=['$PWD/server']"
is "one that has read all may still answer" "$S $(ended)" "0 completed stop"

# ---- a tool stage that dies as it is to begin: what it was told beside its go

calls=
for i in 1 2 3; do
	quote "{\"command\":\"touch ran$i\"}"
	calls+="${calls:+,}{\"id\":\"r$i\",\"type\":\"function\","
	calls+="\"function\":{\"name\":\"bash\",\"arguments\":$quoted}}"
done
{ echo "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[$calls]}"
answer "One of three ran."; } >two
cat >tool <<'X'
#!/bin/sh
[ -e once ] || { touch once; sed -u '/"go"/Q' | hamr-tool "$@"; exit 1; }
exec hamr-tool "$@"
X
chmod +x tool
rm -f once
hamr-loop --no-config --yes --json --replay two -o "stages.tool=['$PWD/tool']" \
    -o agent.max_tool_calls=1 x >out 2>err
is "no more calls than the limit" "$? $(ended) $(echo ran*)" \
    "3 budget_exhausted max_tool_calls ran1"

cat >chat <<'X'
#!/bin/sh
while read -r line; do
	case $line in *'"start"'*) echo '{"role":"user","content":"hm"}' ;; esac
	printf '%s\n' "$line"
done
X
chmod +x chat
timeout 20 hamr-loop --no-config --yes --json --replay two \
    -o "stages.tool=['hamr-tool','$PWD/chat']" x >out 2>err </dev/null
is "a stage that talks between does not stop the turn" "$? $(ended) $(
    grep -c '"content":"hm"' out) $(grep -c 'not asked for' err)" \
    "0 completed stop 0 3"

# ---- no descriptors left for one more process ----

answer "Read." >one
for n in $(seq 6 32); do
	rm -rf .hamr
	(ulimit -n "$n"; exec hamr-loop --no-config --yes --quiet --replay one \
	    "read it") >out 2>err
	echo "$? $(cat .hamr/sessions/*.ndjson 2>/dev/null | grep -c '"end"')"
done | sort -u >ends
is "a session begins and ends, or there is none" "$(paste -sd, ends)" \
    "0 1,71 0"
run x -o 'stages.mem=["hamr-mem \"x"]'
is "a command with an unclosed quote is refused first" "$S $(cat err)" \
    '78 hamr-loop: -o: stages.mem: command "hamr-mem "x" has an unclosed quote'

# ---- a stage that leaves a process behind, where nobody reaps it ----

cat >"$T/reaps" <<'X'
import ctypes, signal, subprocess, sys
ctypes.CDLL(None).prctl(36, 1)	# PR_SET_CHILD_SUBREAPER, but no wait()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
sys.exit(subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL))
X
printf '#!/bin/sh\nhamr-compact "$@" | { cat; sleep 0.2 >&- & }\n' >compact
chmod +x compact
rm -rf .hamr
python3 "$T/reaps" hamr-loop --no-config --yes --json --replay script \
    -o "stages.compact=['$PWD/compact']" x >out 2>err
is "is not waited for, even if SIGCHLD was blocked" "$? $(ended) $(
    awk -F'[T:Z]' '/Z end / { end = $2 * 3600 + $3 * 60 + $4 }
	/Z compact .*ended with/ { print $2 * 3600 + $3 * 60 + $4 - end < 1.8 }
	' .hamr/runs/*.log)" "0 completed stop 1"

# ---- a memory that does not answer ----

fresh "its' own"
answer "Read." >script
cat >"$T/mem" <<'X'
#!/bin/sh
while read -r line; do :; done
exec sleep 60
X
chmod +x "$T/mem"
SECONDS=0
run x -o "stages.mem=['$T/mem']"
is "a finished run waits for it for a moment" \
    "$S $(ended) $((SECONDS < 8))" "0 completed stop 1"
match "and says so" "$(cat err)" "*hamr-loop: stage mem ($T/mem) did not \
answer in time; this run is not indexed; later: hamr-mem -n '$T/its'*.ndjson'"
eval "$(sed -n 's/.*later: hamr-mem/hamr-mem --no-config/p' err)" >/dev/null
hamr-mem --no-config search Read >hits
is "and what is said to do does it" "$(grep -c Read. hits)" 1
printf '#!/bin/sh\n( sleep 0.3; kill $$ ) & cat >/dev/null\n' >"$T/mem"
run x -o "stages.mem=['$T/mem']"
match "one that ends while it is waited for is told, too" "$(cat err)" \
    "hamr-loop: stage mem ($T/mem) ended; this run is not indexed; later:*"

cat >"$T/server" <<'X'
#!/bin/sh
while read -r line; do
	case $line in *'"go"'*)
		sleep 3
		cut -d' ' -f1 "/proc/$PPID/schedstat" >spent ;;
	esac
	printf '%s\n' "$line"
done | hamr-provider "$@"
X
printf '#!/bin/sh\nexit 78\n' >"$T/mem"
chmod +x "$T/server"
run x -o "stages.mem=['$T/mem']" -o "stages.provider=['$T/server']"
is "one that is given up costs no time" \
    "$S $(ended) $(($(cat spent) < 200000000))" "0 completed stop 1"

wait
is "what a filter holds back is not waited for, for ever" "$(head -n 1 \
    "$T/held/err")" "stage provider did not answer in time (each line must \
pass at once through grep | cat); started again"
done_testing

#!/bin/bash
# the bounded logs of runs in .hamr/runs (chapter 7.4)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
log() { cat .hamr/runs/*.log; }
# the log without its times: who and what
told() { log | cut -c 26-; }
count() { told | grep -cE "$1"; }
kinds() { jq -c "select($1)" .hamr/sessions/*.ndjson | wc -l; }

fresh plain
{ call bash '{"command":"exit 3"}'; answer "It fails."; answer "Really."
answer "Really."; } >script
cat >loud <<'X'
#!/bin/sh
echo "guard says: $OPENAI_API_KEY" >&2
echo "another: ghp_012345678901234567890123456789abcdef." >&2
for what in PRIVATE PUBLIC; do
	printf '%s\n' "-----BEGIN $what KEY-----" MIIEvQ+/$what= \
	    "-----END $what KEY-----" the-end >&2
done
printf 'half a line' >&2
exec hamr-guard "$@"
X
cat >key <<'X'
#!/bin/sh
echo "the key is $OPENAI_API_KEY" >&2
exec hamr-provider "$@"
X
chmod +x loud key
OPENAI_API_KEY=sk-1234567890abcdefghij.tail run x -o "stages.guard=['$PWD/loud']" \
    -o "stages.provider=['$PWD/key']"
id=$(basename .hamr/sessions/*.ndjson .ndjson)
is "one log, named as the session, for its owner only" \
    "$(stat -c '%a %n' .hamr/runs/*)" "600 .hamr/runs/$id.log"
is "every line has its time and who" "$(log | grep -vcE \
    '^20[0-9-]{8}T[0-9:]{8}\.[0-9]{3}Z [a-z]+ +[^ ]')" 0
match "it begins with the run" "$(told)" \
    "run       hamr-loop *, process *, mode patch, in $PWD
*"
is "each stage's start and end" "$(count \
    '^[a-z]+ +(.*started, process [0-9]+|ended with status 0)$')" 10
is "each step, and what it took" "$(count \
    '^step +[0-9]+: [0-9]+ ms, [01] calls, [0-9]+\+[0-9]+ tokens')" \
    "$(kinds '.role == "assistant"')"
is "each call and its exit" "$(count '^call +bash, [0-9]+ ms, exit 3')" 1
is "recoveries" "$(count '^recovery +bash_failure, attempt')" \
    "$(kinds '.type == "recovery"')"
is "the end" "$(count '^end +completed, stop, steps ')" 1
is "what a stage says on stderr" "$(told | grep -E '^guard +(guard says|half)')" \
    "guard     guard says: 
guard     half a line"
is "but what looks like a key" "$(told | grep another)" \
    "guard     another: [redacted:github]."
is "... is told as before" "$(grep -c '^guard says: $' err) $(
    grep -c '^half a line$' err)" "1 1"
is "a private key is many lines" "$(told | grep -E 'KEY|key\]|MIIE|the-end' |
    cut -c 11- | paste -sd,)" "[redacted:private-key],[redacted:private-key],\
-----END PRIVATE KEY-----,the-end,-----BEGIN PUBLIC KEY-----,MIIEvQ+/PUBLIC=,\
-----END PUBLIC KEY-----,the-end"
is "a key is not in it" "$(count 'sk-123|tail') $(count 'the key is \*\*\*')" "0 1"
hamr-loop --no-config --resume --replay script more >out 2>err
is "a resumed run goes on in it" "$(find .hamr/runs -type f | wc -l) $(
    count '^run ') $(count ', resumed$')" "1 2 1"

# stages that end, signals, a server that is not there
fresh bad
{ call read '{"path":"f"}'; answer "Read."; } >script
cat >guard <<'X'
#!/bin/sh
[ -e once ] || { touch once; exec timeout -s KILL 0.3 hamr-guard "$@"; }
exec hamr-guard "$@"
X
cat >slow <<'X'
while IFS= read -r l; do
	case $l in *'"role":"assistant"'*) sleep 0.6;; esac
	printf '%s\n' "$l"
done
X
chmod +x guard
run x -o stages.guard="['$PWD/guard']" -o \
    'stages.provider=["hamr-provider", "sh slow"]'
match "a stage that dies and is started again" "$(told)" \
    "*guard     ended by signal 9
guard     ended; started again, 1 of 5*recovery  stage_died, guard, *"
rm -r .hamr
run x -o 'stages.guard=["hamr-guard --nonsense"]'
match "one that is given up" "$(told)" "*guard     hamr-guard: unknown option*\
guard     ended with status 2; given up*end       tool_error, stage_died*"
match "a person is told where it is" "$(hamr-loop --no-config --yes \
    -o 'stages.guard=["hamr-guard --nonsense"]' --replay script x 2>&1)" \
    "*what happened: $PWD/.hamr/runs/*.log*"
is "its arguments are nobody's business" "$(count 'started.*nonsense')" 0
rm -r .hamr
call bash '{"command":"sleep 67.3"}' >script
timeout -s TERM 1 hamr-loop --no-config --yes --quiet --replay script x \
    >out 2>err
match "a signal" "$(told)" \
    "*signal    15, of process *end       interrupted, signal*"
rm -r .hamr
err network true >script
run x -o agent.provider_wait=1
match "an error and its waits" "$(told)" "*error     provider, network, \
retryable true, network*progress  *again in*recovery  provider_down*"

# bounds
fresh full
answer hi >script
cat >flood <<'X'
#!/bin/sh
i=0
while [ $i -lt 300 ]; do
	head -c 9000 /dev/zero | tr '\0' x >&2
	i=$((i + 1))
done
echo >&2
exec hamr-guard "$@"
X
chmod +x flood
mkdir -p .hamr/runs
for i in $(seq 10 70); do
	echo old >".hamr/runs/20200101T000000Z-00$i.log"
	touch -d "2020-01-01 0$((i / 60)):$((i % 60)):00" \
	    ".hamr/runs/20200101T000000Z-00$i.log"
done
run x -o "stages.guard=['$PWD/flood']"
id=$(basename .hamr/sessions/*.ndjson .ndjson)
mine=.hamr/runs/$id.log
size=$(wc -c <"$mine")
is "a flood is cut" "$S $((size < 1048577 && size > 500000)) $(grep -m 1 -c \
    '^\[[0-9]* bytes are left out here\]$' "$mine")" "0 1 1"
match "what began it stays" "$(head -n 1 "$mine")" "*run       hamr-loop*"
match "and how it ended" "$(tail -n 1 "$mine")" "*mem       ended with status 0"
is "fifty are kept, the newest" "$(find .hamr/runs -type f | wc -l) $(
    find .hamr/runs -type f | sort | head -n 1)" \
    "50 .hamr/runs/20200101T000000Z-0022.log"
(trap '' XFSZ; ulimit -f 100; run --resume="$id" x)
match "what a full disk has no room for is told" "$(tail -n 1 err)" \
    "hamr-loop: *$mine: * of its lines could not be written"
is "... and no line is cut" "$(tail -c 1 "$mine" | od -An -c)" '  \n'
rm -r .hamr/runs && mkdir elsewhere && ln -s ../elsewhere .hamr/runs
run x
is "nothing is written through a link" "$S $(ls elsewhere)" "0 "
rm .hamr/runs && touch .hamr/runs
run x
match "no log, no harm" "$S $(cat err)" "0 "
done_testing

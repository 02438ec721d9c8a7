#!/bin/bash
# when a turn is done, and what it survives (chapters 7.2 and 7.3)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"

# ---- the contract ----

fresh change
write='{"path":"new","content":"x\n"}'
contract() { jq -r 'select(.role == "user" and .meta.by == "user") |
	.meta.contract // "none"' out; }
asks() { jq -c 'select(.meta.by == "loop" and .meta.rules == ["contract"])' \
	out | wc -l; }
changed() { tail -n 1 out | jq -c .files_changed; }
nothing() { for i in 1 2 3 4 5 6 7; do answer "It is, well, number $i."; done; }

{ answer "I looked at it."; call write "$write"; answer "Made."; } >script
run "fix the bug"
is "soft: asked once, then done" "$S $(ended) $(contract) $(asks)" \
    "0 completed stop soft 1"
is "the way out is left" "$(says loop)" "No file was changed. If the task \
needs a change, make it; otherwise say in a sentence why not."
is "... and no remark" "$(cat err)" ""
nothing >script
run "make the tests pass"
is "soft: the next answer stands" "$S $(ended) $(asks) $(changed)" \
    "0 completed stop 1 []"
is "... which is its answer" "$(tail -n 1 out | jq -r .answer)" \
    "It is, well, number 2."
is "... with one line on stderr" "$(cat err)" \
    "hamr-loop: no file was changed, although the task asks for a change"
{ answer "I looked at it."; call read '{"path":"f"}'; answer "No need."
answer "never"; } >script
run "speed up f"
is "... also behind calls" "$S $(asks) $(tail -n 1 out | jq -r .answer)" \
    "0 1 No need."
nothing >script
run "fix f" -o agent.contract_nudges=0
is "soft, never asked" "$S $(ended) $(asks)" "0 completed stop 0"
for task in "explain how to add a rule" "review the write path" \
    "Run the tests and report; do not change anything" \
    "hello, add.c is odd, thoughts" "fix it, read only"; do
	run "$task"
	is "none: $task" "$S $(contract) $(asks)$(cat err)" "0 none 0"
done
for how in "--mode patch" "-o agent.mode=patch" "-o agent.contract=change"; do
	# shellcheck disable=SC2086
	run "explain f" $how -o agent.contract_nudges=2
	is "hard: $how" "$S $(ended) $(contract) $(asks)" \
	    "4 contract_failed no_change hard 2"
done
hamr-loop --json --yes --replay script "explain f" >out 2>err </dev/null
is "no contract by default" "$? $(contract)" "0 none"
HAMR_AGENT_MODE="patch" hamr-loop --json --yes --replay script "explain f" \
    >out 2>err </dev/null
is "hard: from the environment" "$? $(contract) $(asks)" "4 hard 5"
mkdir -p "$XDG_CONFIG_HOME/hamr"
echo 'agent.mode = "patch"' >"$XDG_CONFIG_HOME/hamr/config.toml"
hamr-loop --json --yes --replay script "fix f" >out 2>err </dev/null
is "a mode from a file stays soft" "$? $(contract) $(asks)" "0 soft 1"
echo 'agent.contract = "change"' >"$XDG_CONFIG_HOME/hamr/config.toml"
hamr-loop --json --yes --replay script "explain f" >out 2>err </dev/null
is "a contract from the user's file is hard" "$? $(contract) $(asks)" "4 hard 5"
rm "$XDG_CONFIG_HOME/hamr/config.toml"
mkdir -p .hamr
echo 'agent.contract = "change"' >.hamr/config.toml
hamr-loop --json --yes --replay script "explain f" >out 2>err </dev/null
is "the repository's file has no say" "$? $(contract)" "0 none"
rm .hamr/config.toml
rm new
{ call write "$write"; answer "Made it."; } >script
run "explain f" --mode patch
is "hard, and met" "$S $(ended) $(asks)" "0 completed stop 0"
nothing >script
run "fix f" --mode patch -o agent.contract=none
is "contract none turns it off" "$S $(contract) $(asks)" "0 none 0"
for mode in read-only docs; do
	run "fix the bug" --mode $mode
	is "no contract in mode $mode" "$S $(contract)" "0 none"
done

fresh verify
answer "All good." >script
run "does it work" --mode verify
is "verify mode without a command: waived" "$S $(ended)" "0 completed stop"
hamr-loop --no-config --quiet --replay script --mode verify x >out 2>err
match "with a warning" "$(cat err)" "*nothing was verified*defaultCommand*"

# ---- recoveries (J9) ----

fresh empty
{ answer ""; answer "hi there"; } >script
run x
is "empty_response: once" "$S $(recoveries)" "0 empty_response 1"
{ answer ""; answer " "; answer ""; answer ""; } >script
run x
is "empty_response: twice, then model_error" "$S $(ended) $(recoveries)" \
    "6 model_error empty_response empty_response 1,empty_response 2"
is "one end record" "$(jq -r 'select(.type == "end") | .type' out)" end

fresh loop
for _ in $(seq 9); do call read '{"path":"f"}'; done >script
answer "I need your help." >>script
run x
is "infinite_loop: told once, then an answer" "$S $(recoveries)" \
    "0 infinite_loop 1"
match "what kept repeating is said" "$(says loop)" "*same*call*"

fresh bash
{ call bash '{"command":"echo oops >&2; exit 3"}'; answer "Done so."
answer "It fails because of the weather; that is as wanted."; } >script
run x
is "bash_failure: the answer is not accepted at once" "$S $(recoveries)" \
    "0 bash_failure 1"
match "its stderr is repeated" "$(says loop)" "*oops*"
{ call bash '{"command":"test -e made"}'; call bash '{"command":"touch made"}'
call bash '{"command":"test -e made"}'; answer "It is there."; } >script
run x
is "bash_failure: not after a later passing run" "$S $(recoveries)" "0 "
{ call bash '{"command":"exit 3"}'; call bash '{"command":"true"}'
answer "It is done."; answer "It fails as it should."; } >script
run x
is "bash_failure: another command that passes is no pass of that one" \
    "$S $(recoveries)" "0 bash_failure 1"
{ for _ in 1 2 3; do call bash '{"command":"exit '$_'"}'; answer "Well, $_."
done; answer "So it is."; } >script
run x
is "bash_failure: at most twice" "$S $(recoveries)" \
    "0 bash_failure 1,bash_failure 2"

fresh progress
{ call bash '{"command":"false"}'; answer "One."
call write '{"path":"a","content":"a\n"}'; call bash '{"command":"false # 2"}'
answer "Two."; answer "Fine."; } >script
run x
is "progress gives a count back" "$(recoveries)" "bash_failure 1,bash_failure 1"

fresh malformed
{ err malformed_tool_call true; answer "In words then."; } >script
run x
is "malformed_tool_call: told, then done" "$S $(recoveries)" \
    "0 malformed_tool_call 1"
{ err malformed_tool_call true | jq -c '.message = "cannot be read" |
    .partial.content = "<tool_call>{\"name\": \"write\", \"arguments\": {\"path\":
    \"read\" 1"'; answer "In words then."; } >script
run x
is "... how a call of the same tool looks" "$(says loop)" "Your tool call \
could not be read: cannot be read. Nothing was run. Write it again, complete \
and with valid JSON, like this: {\"name\":\"write\",\"arguments\":{\"path\":\
<string>,\"content\":<string>,\"overwrite\":<boolean>}}"
{ for _ in 1 2 3; do err malformed_tool_call true; done; } >script
run x
is "malformed_tool_call: twice, then model_error" "$S $(ended)" \
    "6 model_error malformed_tool_call"

fresh overflow
{ call read '{"path":"f"}'; err context_overflow false; answer "Enough."
} >script
run x
is "context_exhaustion: one stage further, once" "$S $(recoveries)" \
    "0 context_exhaustion 1"
match "the model is told to act" "$(says loop)" "*Stop reading; act now*"
{ err context_overflow false; answer "Enough."; } >script
run x
is "context_exhaustion: not before anything was read" \
    "$S $(recoveries)$(says loop)" "0 context_exhaustion 1"
{ err context_overflow false; err context_overflow false; } >script
run x
is "context_exhaustion: then model_error" "$S $(ended)" \
    "6 model_error context_overflow"

answer "Seen." >script
python3 -c 'print("word " * 40000)' >task
for old in "" --resume; do
	# shellcheck disable=SC2086
	hamr-loop --no-config --yes --json --replay script $old \
	    -o context.window=16000 - <task >out 2>err
	is "a task larger than the window is not cut $old" "$? $(ended) $(jq \
	    'select(.role == "assistant")' out)" "3 budget_exhausted context "
	match "... and it is said by how much" "$(cat err)" "hamr-loop: the \
request does not fit: * tokens, room for 12000 *alone takes 4*"
done

fresh down
{ err overloaded true; answer "Back again."; } >script
run x
is "provider_down: waited for" "$S $(recoveries)" "0 provider_down 1"
is "progress says so" "$(jq -r 'select(.type == "progress" and
	.stage == "loop") | .wait_ms' out)" 1000
{ for _ in 1 2 3 4; do err network true; done; } >script
run x -o agent.provider_wait=1
is "provider_down: three times, then model_error" \
    "$S $(ended) $(recoveries)" "6 model_error network provider_down 1,provider_down 2,provider_down 3"
{ err network false; answer "never"; } >script
run x
is "what can never work is not waited for" "$S $(ended) $(recoveries)" \
    "6 model_error network "
{ err auth false; answer "never"; } >script
run x
is "a wrong key is not waited for" "$S $(ended) $(recoveries)" \
    "6 model_error auth "
{ err truncated true; answer "Whole."; } >script
run x
is "a truncated answer is asked again" "$S $(recoveries)" "0 provider_down 1"

fresh five
{ answer ""; answer ""; call bash '{"command":"exit 1"}'; answer "One."
call bash '{"command":"exit 2"}'; answer "Two."; err malformed_tool_call true
err malformed_tool_call true; answer "never"; } >script
run x
is "five recoveries in all" "$S $(ended) $(jq -r 'select(.type ==
	"recovery") | .scenario' out | wc -l)" \
    "6 model_error malformed_tool_call 5"
hamr-guard --no-config <"$(ls .hamr/sessions/*.ndjson)" |
    cmp -s - .hamr/sessions/*.ndjson
is "the session is a fixed point of hamr-guard" "$?" 0

# ---- a turn that failed has no answer of its own ----

fresh stale
{ answer "One."; err auth false; } >script
run "what is one?"
run "what is two?" --resume
is "the answer before is not its answer" "$S $(ended) [$(tail -n 1 out |
    jq -r .answer)]" "6 model_error auth []"

# ---- what the model is told of the place ----

fresh place
mkdir -p a/b && echo top >AGENTS.md && echo nested >a/b/AGENTS.md
ln -s /etc/passwd a/AGENTS.md
mkfifo a/b/c 2>/dev/null
answer "Here." >script
cp script a/b
context() { jq -r 'select(.meta.by == "context") | .content' out; }
(cd a/b && hamr-loop --no-config --json --replay script "moon" >"$T/place/out")
is "AGENTS.md, nearest first, no links" "$(context)" \
    "a/b/AGENTS.md of this repository:

nested

AGENTS.md of this repository:

top"
run "moon" -C a
is "-C says where" "$(context)" "AGENTS.md of this repository:

top"
head -c 40000 /dev/zero | tr '\0' x >AGENTS.md
run "moon" -C a/b
match "32 KiB in all, and it is said" "$(context)" \
    "*nested*xxx*more bytes in AGENTS.md]"
ok "... of them" test "$(context | wc -c)" -gt 32700 -a \
    "$(context | wc -c)" -lt 33000
head -c 3000000 /dev/zero | tr '\0' y >AGENTS.md
run "what is said" -C a/b
match "... however much too long" "$(context)" \
    "*nested*yyy*[2][9][0-9]* more bytes in AGENTS.md]"
printf 'tabs\377\n' >AGENTS.md
run "what is said"
is "... its bytes that are not UTF-8 are replaced, which is told" "$(jq -c \
    'select(.meta.by == "context") | .content[-5:], .meta.lossy' out |
    paste -sd' ')" $'"abs\357\277\275\\n" true'
echo linked >CLAUDE.md && ln -sf CLAUDE.md AGENTS.md
run "what is said"
is "a link to a text beside it is followed" "$(context)" \
    "AGENTS.md of this repository:

linked"
echo secret >.env && ln -sf .env AGENTS.md
run "what is said"
is "... no other" "$(context)" ""
rm -r AGENTS.md CLAUDE.md .env a
skills=$XDG_CONFIG_HOME/hamr/skills
mkdir -p "$skills/lint" .hamr/skills/release
printf -- '---\nname: lint\ndescription: "How to lint"\n---\nRun make lint.\n' \
    >"$skills/lint/SKILL.md"
mkdir -p .hamr/skills/lint ours
printf -- '---\ndescription: How to release\n---\nTag it.\n' \
    >.hamr/skills/release/SKILL.md
cp .hamr/skills/release/SKILL.md .hamr/skills/lint/SKILL.md
echo "Words." >"$skills/lint/words.md"
ln -s "$PWD/ours" "$skills/ours"
mkdir "$skills/fold" "$skills/wrap"
printf '%s\r\n' --- 'description: >-' '  How to fold,' '' '  a line' 'model: x' \
    --- 'Fold.' >"$skills/fold/SKILL.md"
printf '%s\n' --- "description: 'How to wrap" "  a line'" --- 'Wrap.' \
    >"$skills/wrap/SKILL.md"
printf 'Ours.\n' >ours/SKILL.md
{ call read "{\"path\":\"$skills/lint/SKILL.md\"}"
call read '{"path":".hamr/skills/release/SKILL.md"}'
call read "{\"path\":\"$skills/../config.toml\"}"
call read '{"path":"skill:lint"}'
call read '{"path":"skill:release","first":4}'
call read '{"path":"skill:../lint"}'
call read '{"path":"skill:lint/words.md"}'
call read '{"path":"skill:lint/../../config.toml"}'
call read '{"path":"skill:ours"}'
answer "Linted."; } >script
run "lint it"
is "the user's skills are told by name" "$(context)" "Skills: read the one \
that a task is about before you begin it.

- fold: How to fold, a line (skill:fold)
- lint: How to lint (skill:lint)
- ours:  (skill:ours)
- wrap: How to wrap a line (skill:wrap)"
is "... and read; nothing else there is" "$(jq -r 'select(.role == "tool") |
    .content' out)" "---
name: lint
description: \"How to lint\"
---
Run make lint.

.hamr/skills/release/SKILL.md lines 1-4 of 4
     1	---
     2	description: How to release
     3	---
     4	Tag it.

$skills/../config.toml is outside the root; only paths beneath it can be used
---
name: lint
description: \"How to lint\"
---
Run make lint.

.hamr/skills/release/SKILL.md lines 4-4 of 4
     4	Tag it.

.hamr/lint is protected from reading and writing
Words.

.hamr/config.toml is protected from reading and writing
Ours."
rm -r "$skills/fold" "$skills/wrap"
hamr-loop --trust 2>/dev/null
hamr-loop --yes --json --replay script "lint it" >out 2>err
is "the repository's, once it is trusted; of two of a name the user's" \
    "$(context | grep ^-)" "- lint: How to lint (skill:lint)
- ours:  (skill:ours)
- release: How to release (skill:release)"
echo more >>.hamr/skills/release/SKILL.md
hamr-loop --yes --json --replay script "lint it" >out 2>err
match "... until one of them changes" "$(context)" "*(skill:ours)"
rm -r "$XDG_CONFIG_HOME/hamr" .hamr/skills ours
answer "Here." >script
hamr-mem --no-config save "the moon is made of cheese" >/dev/null
run "of what is the moon"
match "the memory index" "$(context)" "*m:* the moon is made of cheese"
is "in one message, before the task" "$(jq -r 'select(.role) | .role +
	"-" + (.meta.by // "")' out | paste -sd' ')" \
    "system- user-context user-user assistant-"
run "of what is the moon" -o memory.enabled=false
is "no memory when it is off" "$(context)" ""

# a stage that dies is started again, and the session says so
fresh died
{ call read '{"path":"f"}'; answer "Read."; } >script
cat >guard <<'X'
#!/bin/sh
[ -e once ] || { touch once; exec timeout -s KILL 0.3 hamr-guard "$@"; }
exec hamr-guard "$@"
X
chmod +x guard
cat >slow <<'X'
while IFS= read -r l; do
	case $l in *'"role":"assistant"'*) sleep 0.6;; esac
	printf '%s\n' "$l"
done
X
rm -rf once .hamr
run x -o stages.guard="['$PWD/guard']" -o \
    'stages.provider=["hamr-provider", "sh slow"]'
is "stage_died: a recovery record" "$S $(recoveries)" "0 stage_died 1"

# images that the task names
fresh images
answer "Seen." >script
python3 -c 'import struct, sys
sys.stdout.buffer.write(b"GIF89a" + struct.pack("<HH", 7, 300) + b"\0\0\0;")' \
    >shot.gif
cp shot.gif ../outside.gif
{ cat shot.gif; head -c 3800000 /dev/zero; } >large.gif
content() { jq -c 'select(.role == "user" and .meta.by == "user") | .content |
    if type == "array" then map(.image_url.url[0:22] // .text) else . end' out; }
run "explain (@shot.gif), @f and @none: @../outside.gif @$PWD/../outside.gif"
is "an image in the repository is shown, another is not" "$S $(content)" \
    "0 [\"explain (@shot.gif), @f and @none: @../outside.gif @$PWD/../outside.gif\",\"data:image/gif;base64,\"]"
is "the bytes are the file's" "$(jq -r 'select(.role == "user" and
    .meta.by == "user") | .content[1].image_url.url[22:]' out | base64 -d |
    cmp - shot.gif && echo same)" same
hamr-loop --no-config --yes --replay script "see @large.gif" >out 2>err
match "one that is too large is told" "$? $(cat err)" \
    "0 *large.gif is not shown: it is larger than 3750000 bytes*"
hamr-loop --no-config --yes -o provider.vision=false --replay script \
    "see @shot.gif" >out 2>err
match "a model that sees no images" "$? $(cat err)" \
    "0 *shot.gif is not shown: the model sees no images*"

# a stage whose status says what a person can mend
fresh wrong
hamr-loop --no-config --json -o provider.api=nonsense x >out 2>err </dev/null
is "an unknown provider.api is a matter of configuration" \
    "$? $(ended) $(grep -c 'api nonsense: not known' err) $(wc -l <err)" \
    "78 tool_error stage_died 1 1"
answer x >script
hamr-loop --no-config --quiet --replay script -o \
    "stages.guard=[\"sh -c 'echo why >&2; exit 78'\"]" x 2>err2 </dev/null
match "... and of what program, if its words do not" "$? $(cat err2)" \
    "78 *stage guard (sh -c *) ended with status 78: why"
match "the session says so, in the stage's own words" "$(jq -r 'select(.type ==
	"error") | "\(.stage) \(.code) \(.message)"' out)" "loop stage_died stage \
provider (hamr-provider) ended with status 78: hamr-provider: api nonsense: *"
echo '{"role":' >script
run x
is "a recording that is none is bad data" "$S $(ended)" \
    "65 tool_error stage_died"
cat >foreign <<'X'
n=0
while IFS= read -r l; do
	case $l in *'"type":"sync"'*) printf '%s\n' "$l" ;; *'"type":"go"'*)
		n=$((n + 2))
		sed -n "$((n - 1)),${n}p" script
		printf '%s\n' "$l" ;;
	esac
done
X
{ call read '{"path":"f"}'; call read '{"path":"."}'; answer Seen.; } >script
run "Look at f." -o "stages.provider=['sh $PWD/foreign']"
is "two messages at once: no call without its result" \
    "$S $(grep -c '"role":"tool"' out) $(grep -c '"tool_calls":\[' out)" \
    "0 1 1"
cat >foreign <<'X'
while IFS= read -r l; do
	case $l in *'"role":"assistant"'*)
		echo '{"type":"start","tool_call_id":"'"$1"'"}'
		echo '{"type":"constrain","stage":"mine","steps":9}' ;;
	esac
	printf '%s\n' "$l"
done
X
{ call read '{"path":"f"}'; answer Seen.; } >script
run "Look at f." -o "stages.provider=['hamr-provider', 'sh $PWD/foreign k$n']"
is "what only another stage writes is ignored, and told" "$S $(ended) $(grep -c \
    '"type":"start"' out) $(sed 's/.*of type//' err | sort -u | paste -sd' ')" \
    '0 completed stop 1  "constrain", which only guard writes; it is ignored  '\
'"start", which only tool writes; it is ignored'
cat >foreign <<'X'
while IFS= read -r l; do
	case $l in *'"role":"tool"'*) printf '%s\n' "$l" ;; esac
	printf '%s\n' "$l"
done
X
{ call read '{"path":"f"}'; answer Seen.; } >script
run "Look at f." -o "stages.tool=['hamr-tool', 'sh $PWD/foreign']"
is "a result said twice is one" "$S $(grep -c '"role":"tool"' out)" "0 1"
cat >foreign <<'X'
while IFS= read -r l; do
	case $l in
	*'"type":"sync"'*) printf '%s\n' "$l" ;;
	*'"type":"go"'*) cat script; printf '%s\n' "$l" ;;
	*'"type":"start"'*)
		until [ -e ran ]; do sleep .05; done
		exit 65 ;;
	esac
done
X
call bash '{"command":"echo begun; touch ran; sleep 60"}' >script
run x -o "stages.provider=['sh $PWD/foreign']"
is "what another stage does is stopped first, and told" "$S $(ended) $(jq -r '
	select(.role == "tool") | .content' out | head -n 1)" \
	"65 tool_error stage_died interrupted; changed: ran"
cat >dies <<'X'
while IFS= read -r l; do
	case $l in
	*'"type":"sync"'*) printf '%s\n' "$l" ;;
	*'"type":"go"'*) touch ran; echo '{"type":"start","tool_call_id":"'$1'"}' ;;
	*'"type":"cancel"'*) exit 66 ;;
	esac
done
X
run x -o "stages.provider=['sh $PWD/foreign']" \
    -o "stages.tool=['sh $PWD/dies $(jq -r '.tool_calls[].id' script)']"
is "though it dies of that" "$S $(ended) $(grep -c 'stage provider' out)" \
    "65 tool_error stage_died 1"
answer hi >script
run x -o 'stages.guard=["hamr-guard --nonsense"]'
is "so is a usage error in [stages]" "$S $(ended)" "78 tool_error stage_died"
for s in guard compact provider tool; do
	begun=$SECONDS
	run x -o "stages.$s=['false']"
	is "hamr-$s that ends each time: each start, then tool_error" \
	    "$S $(recoveries | tr -dc 1-5) $(ended)" \
	    "1 12345 tool_error stage_died"
	ok "... at once, not when its time is up" test $((SECONDS - begun)) -lt 20
done

# a program in the terminal's place: a stage that ended for good, in the turn or
# before, is tried again by the next turn, and what the model is told at the
# beginning stands there; a mode that there is not changes nothing
has() {	# PATTERN N: out has N such lines, after a while
	for _ in $(seq 300); do
		[ "$(grep -c "$1" out 2>&1)" = "$2" ] && return
		sleep 0.05
	done
}
ends() { has '"type":"end"' "$1"; }
# listens OPTION...: a loop that takes the records on 9, and says so
listens() {
	: >out
	timeout 60 hamr-loop --no-config --records --replay script "$@" \
	    <in >out 2>err &
	exec 9>in
	has '"commands"' 1
}
# revived STAGE SECONDS: after so long it ends, until there is a file alive
revived() {
	printf '#!/bin/sh\n[ -e alive ] || { sleep %s; exit 1; }\n' "$2" >dead
	printf 'exec hamr-%s "$@"\n' "$1" >>dead
	chmod +x dead
	rm -f alive in out
	mkfifo in
	timeout 60 hamr-loop --no-config --records --replay script \
	    -o "stages.$1=[\"./dead\"]" <in >out 2>err &
	exec 9>in
	echo '{"role":"user","content":"one"}' >&9
	ends 1
	touch alive
	echo '{"type":"config","set":{"agent.mode":"../patch"}}' >&9
	echo '{"type":"config","set":{"sandbox.mode":"off"}}' >&9
	echo '{"type":"config","set":{"context.strategy":"light"}}' >&9
	echo '{"type":"config","set":{"context.window":"big"}}' >&9
	echo '{"type":"config","set":{"context.windows":9000}}' >&9
	echo '{"role":"user","content":"two"}' >&9
	ends 2
	exec 9>&-
	wait $!
	echo "$? $(jq -r 'select(.role != null or .scenario or .type == "end") |
	    .role // .scenario // "\(.status) \(.reason)"' out | uniq |
	    paste -sd,) $(jq -s '[.[] | select(.type == "tools")] |
	    length' out)"
}
trap '' PIPE
answer hi >script
# (compact's last end comes when the session has begun)
for s in "guard 0" "compact 0.5" "provider 0" "tool 0"; do
	# shellcheck disable=SC2086
	is "a stage that ended for good, in the next turn: $s" "$(revived $s)" \
	    "0 system,user,stage_died,tool_error stage_died,user,assistant,completed stop 1"
done
is "a mode or value that there is not, a setting for which it is too late" \
    "$(jq -c 'select(.type == "config").set' out) $(grep config err)" \
    '{"context.strategy":"light"} hamr-loop: a config record sets agent.mode to "../patch"; it was ignored
hamr-loop: a config record sets sandbox.mode to "off"; it was ignored
hamr-loop: a config record sets context.window to "big"; it was ignored
hamr-loop: a config record sets context.windows to 9000; it was ignored'
# what the guard did not judge before it was given up
cat >mute <<'P'
#!/bin/sh
while IFS= read -r l; do
	case $l in *'"verdict"'*) [ -e alive ] || exit 1 ;; esac
	printf '%s\n' "$l"
done
P
chmod +x mute
rm -f alive
{ answer "I will now edit the file d/x."; answer "It was not needed."; } >script
listens -o 'stages.guard=["hamr-guard", "./mute"]'
echo '{"role":"user","content":"one"}' >&9
ends 1
touch alive
echo '{"role":"user","content":"two"}' >&9
ends 2
exec 9>&-
wait $!
is "is judged before the next message" "$(jq -r 'select(.role or .type == "end" or
    .type == "verdict") | .meta.by // .role // .type' out | paste -sd,)" \
    "system,user,assistant,end,verdict,guard,user,assistant,end"
answer hi >script
# what a flag says does not undo what the program says later
rm out
timeout 60 hamr-loop --no-config --records --replay script --mode patch <in \
    >out 2>err &
exec 9>in
echo '{"type":"config","set":{"agent.mode":"docs"}}' >&9
echo '{"role":"user","content":"one"}' >&9
ends 1
exec 9>&-
wait $!
is "a mode set before the first prompt stays" "$(jq -r 'select(.type == "hamr" or
    .type == "config") | .mode // .set["agent.mode"]' out | paste -sd,)" \
    "patch,docs"
# two settings at once, the later one counts
for m in patch read-only; do
	echo "{\"type\":\"config\",\"set\":{\"agent.mode\":\"$m\"}}"
done >two
listens
cat two >&9
echo '{"role":"user","content":"one"}' >&9
ends 1
exec 9>&-
wait $!
is "settings are taken in order" "$(jq -r '.set["agent.mode"] // empty' out |
    paste -sd,)" "patch,read-only"
# a cancel between messages, all three in one write: it drops the one before it
printf '%s\n' '{"role":"user","content":"one"}' '{"type":"cancel"}' \
    '{"role":"user","content":"two"}' >three
listens
cat three >&9
ends 1
exec 9>&-
wait $!
is "a cancel holds for what was said before it" "$(says user) $(ended)" \
    "two completed stop"
# an answer's arguments run, as an object, too; what they stand for is not
# allowed, once or for the session
{ call bash '{"command":"touch one"}'; call bash '{"command":"touch one"}'
    answer "Two is there."; } >script
listens
echo '{"role":"user","content":"one"}' >&9
for i in 1 2; do
	has '"type":"ask"' $i
	echo '{"type":"answer","id":"a'$i'","allow":true,"scope":"session",
	    "arguments":{"command":"touch two"}}' | tr -d '\n' >&9
	echo >&9
done
ends 1
exec 9>&-
wait $!
is "arguments that the answer changes, an object" "$(echo one* two*) $(
    jq -r 'select(.type == "answer") | .scope' out | paste -sd,) $(ended)" \
    "one* two once,once completed stop"
# a message without text does not ask the model
answer "never" >script
listens
printf '{"role":"user"%s}\n' '' ',"content":""' ',"content":" \n"' \
    ',"content":7' ',"content":[{"type":"text"}]' >&9
echo '{"type":"sync","n":1}' >&9
exec 9>&-
wait $!
is "a message without text is refused" "$? $(jq -r 'select(.type == "error") |
    .message' out | uniq -c | xargs) $(grep -c assistant out)" \
    "0 5 a message needs text or an image 0"
# a limit of time ends a question, too
{ call bash '{"command":"touch late"}'; answer "That far."; } >script
listens -o budget.max_wall_seconds=1
echo '{"role":"user","content":"one"}' >&9
ends 1
exec 9>&-
wait $!
is "max_wall_seconds, while nobody answers a question" "$(ended) $(jq -r \
    'select(.role == "tool") | .meta.error' out) $(grep -c '"answer",' out
    [ -e late ]; echo $?)" \
    "budget_exhausted max_wall_seconds budget_exhausted 0
1"
# settings that come all the time, and the tools that each mode has, do not get
# between a message and its verdict
for _ in 1 2 3 4; do call read '{"path":"none"}'; done >script
answer "There is no such file, so there is nothing that could be read." >>script
cat >slow <<'P'
#!/bin/sh
while IFS= read -r l; do
	case $l in *'"sync"'*) sleep "${1:-0.1}" ;; esac
	printf '%s\n' "$l"
done
P
chmod +x slow
: >out
timeout 60 hamr-loop --no-config --records --replay script \
    -o 'stages.guard=["hamr-guard", "./slow"]' <in >out 2>err &
exec 9>in
echo '{"role":"user","content":"one"}' >&9
for i in $(seq 500); do
	grep -q '"type":"end"' out && break
	[ $((i % 2)) = 0 ] && m="docs" || m="patch"
	echo "{\"type\":\"config\",\"set\":{\"agent.mode\":\"$m\"}}" >&9
	sleep 0.02
done
exec 9>&-
wait $!
f=.hamr/sessions/$(jq -r '.session // empty' out | head -n 1).ndjson
ok "many settings, and a verdict" [ "$(grep -c '"config"' "$f")" -gt 5 -a \
    "$(grep -c '"verdict"' "$f")" -gt 0 ]
is "a fixed point of hamr-guard all the same" \
    "$(hamr-guard --no-config -q <"$f" | diff - "$f")" ""
# nor do results, where a resumed session is cancelled before its last message
# was judged
c='"type":"function","function":{"name":"read","arguments":"{\"path\":\"f\"}"}'
{ sed '/"assistant"/,$d' "$f"
printf '{"role":"assistant","content":null,"tool_calls":[%s,%s]}\n' \
    "{\"id\":\"c1\",$c}" "{\"id\":\"c2\",$c}"; } >cut
cat cut >"$f"
listens --resume -o 'stages.tool=["hamr-tool", "./slow 0.5"]'
echo '{"role":"user","content":"two"}' >&9
sleep 0.2
echo '{"type":"cancel"}' >&9
ends 1
exec 9>&-
wait $!
is "a cancelled resume is a fixed point, too" "$(ended) $(grep -c '"share"' "$f"
    hamr-guard --no-config -q <"$f" | diff - "$f")" "interrupted signal 1"
cat cut >"$f"
listens --resume -o 'stages.tool=["hamr-tool", "./slow 0.5"]'
echo '{"role":"user","content":"of two","meta":{"by":"context"}}' >&9
echo '{"role":"user","content":"two"}' >&9
sleep 0.2
echo '{"type":"cancel"}' >&9
ends 1
echo '{"role":"user","content":"three"}' >&9
ends 2
exec 9>&-
wait $!
is "what came with a cancelled message does not come with the next" "$(grep -c \
    '"of two"' "$f") $(grep -c '"three"' "$f")" "0 1"
call bash '{"command":"echo a"}' >script
listens -o "stages.tool=['sh $PWD/dies $(jq -r '.tool_calls[].id' script)']"
echo '{"role":"user","content":"one"}' >&9
has '"start"' 1
echo '{"type":"cancel"}' >&9
ends 1
exec 9>&-
wait $!
is "a cancel that a stage dies of" "$? $(ended)" "0 interrupted signal"
# a cancel while a setting is taken in, between two turns, ends no later one
answer "Nothing was to be done for it." >script
listens -o 'stages.guard=["hamr-guard", "./slow 0.4"]'
echo '{"type":"config","set":{"agent.mode":"docs"}}' >&9
sleep 0.1
echo '{"type":"cancel"}' >&9
sleep 0.1
echo '{"role":"user","content":"one"}' >&9
ends 1
exec 9>&-
wait $!
is "a cancel between turns" "$(ended)" "completed stop"
# nor does one that comes while a command ends
{ call write '{"path":"n","content":"x"}'; answer "It is written."
answer "Nothing was to be done for it."; } >script
listens --yes -o 'stages.guard=["hamr-guard", "./slow 0.4"]'
echo '{"role":"user","content":"one"}' >&9
ends 1
echo '{"role":"user","content":"/undo"}' >&9
has '"type":"undo"' 1
echo '{"type":"cancel"}' >&9
sleep 0.1
echo '{"role":"user","content":"two"}' >&9
ends 2
exec 9>&-
wait $!
is "a cancel during /undo" "$(ended)" "completed stop"
# a path is no command
answer "It is the message of the day." >script
listens -o 'stages.guard=["hamr-guard", "./slow 0.4"]'
echo '{"role":"user","content":"/etc/motd is to be explained"}' >&9
has '"system"' 1
echo '{"type":"cancel"}' >&9
ends 1
exec 9>&-
wait $!
is "a cancel during a message that begins with a path" "$(ended)" \
    "interrupted signal"
# a signal during one ends the session; a cancel, the calls left open before it
answer "It was not asked for." >script
listens -o 'verification.defaultCommand=echo begun; sleep 64.9'
echo '{"role":"user","content":"/verify"}' >&9
has begun 1
pkill -TERM -P $!
wait $!
is "SIGTERM during /verify" "$?" 130
exec 9>&-
{ call bash '{"command":"echo begun; sleep 64.9"}' |
    jq -c '.tool_calls += [.tool_calls[0] | .id = "second"]'
answer "Nothing was to be done for it."; } >script
listens --yes
echo '{"role":"user","content":"one"}' >&9
has '"start"' 1
pkill -KILL -P $!
{ wait $!; } 2>/dev/null
exec 9>&-
sed -i '/"assistant"/q' "$(ls -t .hamr/sessions/*.ndjson | head -n 1)"
listens --yes --resume -o 'verification.defaultCommand=true'
echo '{"role":"user","content":"/verify"}' >&9
has begun 1
echo '{"type":"cancel"}' >&9
echo '{"role":"user","content":"two"}' >&9
ends 1
exec 9>&-
wait $!
is "a cancel during the calls that come before /verify" "$(jq -r 'select(.role ==
    "tool" or .type == "verification" or .type == "end") | .meta.error //
    .status' out | paste -sd,)" "interrupted,interrupted,completed"
# the end of input ends a session well, a signal does not
listens
exec 9>&-
wait $!
S=$?
listens
kill "$!"
wait $!
is "a signal between turns is the status" "$S $?" "0 130"
exec 9>&-
trap - PIPE
# an MCP server that does not answer does not hold up the end
printf '#!/bin/sh\ntouch asked\nexec sleep 31.7\n' >mute
chmod +x mute
hamr-loop --no-config --yes --json --replay script -o mcp.x.sandbox=false \
    -o 'mcp.x.command=["./mute"]' x >out 2>err </dev/null &
for _ in $(seq 300); do
	[ -e asked ] && break
	sleep 0.05
done
begun=$(date +%s%3N)
kill $!
wait $!
is "a signal while an MCP server starts" "$? $(ended)" "130 interrupted signal"
ok "... ends at once" test $(($(date +%s%3N) - begun)) -lt 2000
is "the task is in the session all the same" "$(for i in 1 2 3 4 5 6; do
	run "task $i" -o 'stages.guard=["hamr-guard --nonsense"]'
	says user
done | paste -sd,)" "task 1,task 2,task 3,task 4,task 5,task 6"

done_testing

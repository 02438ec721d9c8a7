#!/bin/bash
# fleet.t - examples/hamr-fleet: tasks in worktrees here and over ssh, on hosts
# that die; reports; transcripts in chunks.
. "$(dirname "$0")/../lib.sh"
if ! command -v parallel >/dev/null; then
	skip "hamr-fleet" "GNU parallel is not installed"
	done_testing
fi
PATH=$TOP/examples:$PATH
quick_jq quick
export FLEET_PATH=$T/quick:$BIN FLEET_DIR=$T/work
. "$TOP/tests/all/sshd.sh"
at_end() { down_all; }
# what a person tells parallel elsewhere is not for us
mkdir "$HOME/.parallel" && echo --dry-run >"$HOME/.parallel/config"
export PARALLEL=--tag

git init -q repo && echo hello >repo/f && git -C repo add f &&
    git -C repo -c user.name=t -c user.email=t@example.invalid commit -qm c
cat >script <<'S'
{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"path\":\"f\"}"}}],"finish_reason":"tool_calls"}
{"role":"assistant","content":null,"tool_calls":[{"id":"b","type":"function","function":{"name":"edit","arguments":"{\"path\":\"f\",\"old\":\"hello\",\"new\":\"bye\"}"}}],"finish_reason":"tool_calls"}
{"role":"assistant","content":"f now says bye instead of hello.","finish_reason":"stop"}
S
head -n 1 script >broken
task() {	# SCRIPT ID...
	jq -cn --arg t "$T" --arg s "$T/$1" '$ARGS.positional[] | {id: .,
	    repository: "\($t)/repo", task: "change f", options: ["--replay",
	    $s, "--no-config", "-o", "agent.provider_wait=0"]}' \
	    --args "${@:2}"
}
wait_for_one() {	# result in OUT
	local i
	for ((i = 0; i < 1200; i++)); do
		compgen -G "$1/results/*" >/dev/null && break
		sleep 0.05
	done
}
report() { hamr-fleet report --json "$1" | tail -n 1 | jq -c "$2"; }

# --- here
{ task script 1 "a b/c" ..; task broken bad
echo junk; task script 1; echo; echo '{"id":5}'
jq -cn '{id: "gone", repository: "/nowhere", task: "x"}'
jq -cn --arg r "file://$T/repo" --arg s "$T/script" '{id: "url", repository: $r,
    task: "--help", options: ["--replay", $s, "--no-config"]}'
task script long | jq -c '.task = "x" * 30000'
task script quoted | jq -c '.task = "\u0027\"\\\n\u00e9" * 2500'; } >tasks
echo dirt >repo/dirt
status "run: not all is solved" 1 env GIT_DIR=/nonexistent timeout 200 \
    hamr-fleet run -j 3 out tasks
cp "$T/.out" table && cp "$T/.err" err
rm repo/dirt
is "run: what is said of lines" "$(grep -a '^hamr-fleet: line' err)" \
"hamr-fleet: line 5: not an object with a string \"id\"
hamr-fleet: line 6: line 1 has the id 1, too
hamr-fleet: line 8: not an object with a string \"id\"
hamr-fleet: line 11: long: longer than 24,000 bytes; put the text into a file"
match "run: how far it is" "$(cat err)" "*hamr-fleet: ? of 7, *a minute*left*"
task script $'two\nlines' >lines
status "run: an id of two lines" 1 hamr-fleet run lines.out lines
match "... is refused" "$(cat "$T/.err")" "*line 1: the id*control characters*"
is "run: folders" "$(cd out/results && ls -A | sort | paste -sd,)" \
    "%2E.,1,a%20b%2Fc,bad,quoted,url"
is "run: what is in one" "$(ls out/results/1 | paste -sd,)" \
    "diff.patch,log,memory.ndjson,result.json,session.ndjson"
match "run: the diff" "$(cat 'out/results/a%20b%2Fc/diff.patch')" "*-hello
+bye"
is "run: the session" "$(jq -r 'select(.type == "end") | .status' \
    out/results/1/session.ndjson)" completed
is "run: all memories in one" "$(hamr-mem --no-config --db out/memory.db \
    export | jq -r 'select(.role == "assistant") | .session' | sort -u | wc -l)" 5
is "run: the repository is as it was" "$(cat repo/f) $(git -C repo worktree \
    list | wc -l)" "hello 1"
is "run: nothing is left behind" "$(find work -name '*.out' -o -name f)" ""
match "report: a table" "$(cat table)" "tasks *11
solved *5
failed, model_error*1
not run *5
steps *
uncommitted changes left out *in 5
*gone: lost: [!:]*: /nowhere: not a git repository*"
is "report: as NDJSON" "$(report out '[.tasks, .solved, .not_run,
    .failed | if type == "object" then add else . end]')" "[11,5,5,1]"
hamr-fleet report --html out >report.html
match "report: a page" "$(cat report.html)" \
    "<!DOCTYPE html>*a b/c*results/a%2520b%252Fc/diff.patch*/nowhere*"
match "report: it says why one failed" "$(cat report.html)" \
    "*model_error*the replay has 1 answer*"
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo '{"role":"assistant","content":"f is right.","finish_reason":"stop"}'
done >idle
task idle idle | jq -c '.options += ["--mode", "patch"]' >idlers
timeout 100 hamr-fleet run idle.out idlers >table 2>err
match "report: the rule of one that said nothing" "$(cat table)" \
    "*idle: contract_failed: no_change*"
is "report: nothing in it runs" "$(grep -ciE '<script|src=' report.html)" 0
status "run: results are not overwritten" 73 hamr-fleet run out tasks
status "no tasks" 66 hamr-fleet run o2 none
status "usage" 2 hamr-fleet what
status "usage: -j without a number" 2 hamr-fleet run -j
status "usage: -j is no number" 2 hamr-fleet run -j many o2 tasks
status "usage: two task lists" 2 hamr-fleet run o2 tasks tasks
is "options may come last" "$(hamr-fleet report out --json | tail -n 1 |
    jq .tasks)" 11
status "no results" 66 hamr-fleet report nowhere

cp -R repo tracks && mkdir -p tracks/.hamr/sessions &&
    echo '{"type":"hamr","v":1,"session":"theirs"}' >tracks/.hamr/sessions/t.ndjson
git -C tracks add -f .hamr && git -C tracks -c user.name=t \
    -c user.email=t@example.invalid commit -qm c
task script own | jq -c --arg r "$T/tracks" '.repository = $r' >theirs
timeout 100 hamr-fleet run tracks.out theirs >table 2>err
is "a repository that tracks sessions: the task's own comes back" "$(jq -r \
    'select(.type == "end") | .status' tracks.out/results/own/session.ndjson) $(
    ls tracks.out/results/own | wc -l)" "completed 5"

# --- stopped, and going on
task script s1 s2 s3 s4 s5 >many
timeout 100 hamr-fleet run -j 1 stop many >/dev/null 2>err &
run=$!
wait_for_one stop
kill -TERM "$(pgrep -P $run)"
wait $run
is "stopped: status" "$?" 130
match "stopped: how to go on" "$(tail -n 1 err)" "*--resume goes on"
some=$(ls stop/results | wc -l)
ok "stopped: in the middle" test "$some" -lt 5
for i in stop/results/*; do touch "$i/mark"; done
status "stopped: it goes on" 0 timeout 200 hamr-fleet run --resume -j 2 stop many
is "stopped: all are there" "$(ls stop/results | wc -l)" 5
is "... and only what was missing was run" \
    "$(ls stop/results/*/mark | wc -l)" "$some"

# --- over ssh
if [ -n "$SSHD" ] && up one && one=$port && lets_in $one && up two; then
	two=$port
	task script t{1..6} >six
	timeout 300 hamr-fleet run --sshlogin "$(login $one)" --sshlogin \
	    "$(login $two)" --sshlogin "$(login 9)" far six >table 2>err &
	run=$!
	wait_for_one far
	down one
	at=$(ls far/results | wc -l)
	wait $run
	is "ssh: status" "$?" 0
	match "ssh: a host that does not answer" "$(cat err)" \
	    "*-p 9 *does not answer; it is left out*"
	ok "ssh: one died in the middle ($at)" test "$at" -lt 6
	is "ssh: all results are there" "$(ls far/results | wc -l)" 6
	is "ssh: all solved" "$(report far '[.tasks, .solved, .not_run]')" \
	    "[6,6,0]"
	ok "ssh: on both" grep -q -- "-p $one " far/joblog
	ok "ssh: and on the other" grep -q -- "-p $two " far/joblog
	# hosts that cannot: no hamr there, another version
	mkdir none old
	printf '#!/bin/sh\n[ "$1" != --version ] || { echo hamr 0.0.9; exit; }
exec '"$BIN"'/hamr-loop "$@"\n' >old/hamr-loop && chmod +x old/hamr-loop
	ln -s "$BIN"/hamr-[cgmpt]* old
	up three "FLEET_PATH=$T/none" && three=$port
	up four "FLEET_PATH=$T/old" && four=$port
	head -n 2 six >two
	status "ssh: no hamr there" 1 env -u FLEET_PATH timeout 100 hamr-fleet \
	    run --sshlogin "$(login $three)" gone two
	env -u FLEET_PATH timeout 100 hamr-fleet run --sshlogin \
	    "$(login $four)" old.out two >table 2>/dev/null
	match "... is said of each task" "$(report gone '[.solved, .not_run]') $(
	    jq -r .why gone/lost.ndjson)" \
	    "\[0,2\] [!:]*: hamr-loop is not installed
[!:]*: hamr-loop is not installed"
	match "ssh: another version there" "$(cat table)" \
	    "*solved *2*by another version *2 by hamr 0.0.9"
	# a full disk on one: its files can only be small (a login shell that is
	# bash reads BASH_ENV)
	case $(getent passwd "$(id -u)") in
	*/bash)
		echo "trap '' XFSZ; ulimit -f 4" >small
		up five "BASH_ENV=$T/small" && five=$port
		head -n 4 six >four	# more than one host takes at once
		timeout 200 hamr-fleet run --sshlogin "$(login $two)" --sshlogin \
		    "$(login $five)" full four >table 2>err
		is "ssh: a full disk on one host" "$? $(report full \
		    '[.tasks, .solved, .not_run]')" "0 [4,4,0]"
		head -n 1 six >first
		timeout 200 hamr-fleet run --sshlogin "$(login $five)" fuller first \
		    >table 2>err
		is "ssh: a full disk on all of them is not the tasks' failure" \
		    "$? $(report fuller '[.solved, .failed, .not_run]')" "1 [0,{},1]"
		match "... and is said" "$(jq -r .why fuller/lost.ndjson)" \
		    "*.ndjson: File too large"
		;;
	*)
		skip "ssh: a full disk" "the login shell is not bash"
	esac
	# a true Ctrl-C: ssh is gone at once, and what it began ends there
	{ jq -c '.tool_calls[0].function.arguments = "{\"command\":\"sleep 60\"}" |
	    .tool_calls[0].function.name = "bash"' broken; tail -n 1 script
	} >sleeping
	task sleeping a b c d >four
	is "ssh: Ctrl-C" "$(LOGIN=$(login $two 4) timeout 100 python3 - <<-P
		import glob, os, sys, time
		sys.path.insert(0, "$TOP/tests")
		from terminal import Terminal
		t = Terminal(["hamr-fleet", "run", "--sshlogin", os.environ["LOGIN"],
		    "ctrl-c", "four"])
		until = time.time() + 60
		def wait_for(seen):
		    while time.time() < until and not seen():
		        time.sleep(0.1)
		wait_for(lambda: len(glob.glob("work/[0-9]*/?/.hamr/snap.git")) == 4)
		t.type("\x03")
		status = t.end()
		wait_for(lambda: not glob.glob("work/[0-9]*/?"))
		print(status, b"--resume goes on" in t.all, glob.glob("work/[0-9]*/?*"))
		P
	)" "130 True []"
	# git forgets one after its folder is gone
	for i in $(seq 600); do
		[ "$(git -C repo worktree list | wc -l)" = 1 ] && break
		sleep 0.05
	done
	is "... leaves no worktree" "$(git -C repo worktree list | wc -l)" 1
	down two
	status "ssh: nobody answers" 69 hamr-fleet run --sshlogin \
	    "$(login $two)" none six
else
	skip "over ssh" "no openssh-server, or no /run/sshd, or no login by ssh"
fi

# --- transcripts
mkdir logs
for i in $(seq 40); do
	{ [ $((i % 2)) = 0 ] || printf '{"type":"hamr","v":1,"session":"%s"}\n' $i
	for ((k = 1; k <= i % 9; k++)); do
		printf '{"role":"assistant","content":null,"tool_calls":[{"id":%s,%s}],%s}
{"role":"tool","tool_call_id":%s,"name":"read","content":"hello"}\n' "\"c$k\"" \
		    '"type":"function","function":{"name":"read","arguments":"{\"path\":\"f\"}"}' \
		    '"finish_reason":"tool_calls"' "\"c$k\""
	done
	[ $((i % 18)) != 0 ] || echo '{"role":"user","content":"hi"}'
	} >"logs/$i.ndjson"
done
echo '{"role":' >logs/bad.ndjson
FLEET_CHUNK=7 timeout 200 hamr-fleet replay -j 2 many.out logs >table 2>err
is "replay: one cannot be read" "$?" 1
printf '%s\r\n' "$T"/logs/*.ndjson '' >all.list
FLEET_CHUNK=1000 timeout 200 hamr-fleet replay -j 1 one.out all.list >/dev/null 2>&1
same "replay: merged as by one process, which has them as a list" \
    many.out/replay.json one.out/replay.json
is "replay: counts" "$(jq -c '[.transcripts, .unreadable]' many.out/replay.json)" \
    "[40,[\"$T/logs/bad.ndjson\"]]"
is "replay: verdicts as hamr-guard's" "$(jq -c '.verdicts | map_values(.) |
    [."warn repeat", ."block repeat", ."halt repeat"]' many.out/replay.json)" \
    "$(hamr-guard -n -q --no-config logs/[0-9]* | jq -sc '
    map(select(.type == "verdict") | .action) | [("warn", "block", "halt") as $a |
    map(select(. == $a)) | length]')"
ln -s logs link
timeout 200 hamr-fleet replay link.out link >/dev/null 2>&1
is "replay: a folder that is a link" "$(jq .transcripts link.out/replay.json)" 40
rm many.out/chunks/000002.json && touch -d 2001-01-01 many.out/chunks/*
mv many.out/replay.json before
FLEET_CHUNK=7 timeout 200 hamr-fleet replay --resume -j 2 many.out logs \
    >/dev/null 2>&1
same "replay --resume: what was missing" many.out/replay.json before
is "... and nothing else" "$(find many.out/chunks -name '*.json' -newermt \
    2002-01-01 | wc -l)" 1
timeout 200 hamr-fleet replay --resume -j 2 many.out logs >/dev/null 2>&1
same "replay --resume: with chunks of another size" many.out/replay.json before
FLEET_PATH=$T/none PATH=${PATH/"$BIN:"/} timeout 200 hamr-fleet replay \
    no.out logs/1.ndjson >table 2>err
is "replay: without hamr nothing is unreadable" "$? $(cat err | tail -n 1)" \
    "1 hamr-fleet: 1 of 1 chunks were not replayed: 000000: $HOSTNAME:\
 hamr-guard is not installed; --resume tries them again"
done_testing

#!/bin/bash
# honest.t - repetition that is work: polling for long, batches with one
# answer, the same edit in many files, checks after every edit, growing logs,
# retries with back-off.  It may be remarked on, it is never refused.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/guard/said.sh"

honest() {	# name <transcript
	is "$1" "$(said | grep 'block\|halt\|constrain')" ""
}
times() {	# count text, with {} for the number
	local i
	for i in $(seq "$1"); do
		printf '%s\n' "${2//\{\}/$i}"
	done
}
ok='= ok'
failed='| {"is_error":true}'

# ---- waiting ----

honest "a build is waited for" < <(
times 14 's c{} bash {"command":"sleep 60; gh run view 12"} = in progress')
honest "... late in a long turn" < <(
times 110 's r{} read {"path":"f{}"} = FILL {}'
times 14 's c{} bash {"command":"sleep 60; gh run view 12"} = in progress')
honest "... that tells its time" < <(
times 20 's c{} bash {"command":"sleep 30; gh run view 12"} = running for {}m7s')
honest "... that counts" < <(
times 40 's c{} bash {"command":"sleep 30; kubectl get pods"} = {}/40 ready')
honest "a task is asked for its state" < <(
times 14 's c{} task_status {"id":"7"} = running')
honest "a tool that waits" < <(
times 14 's c{} wait_for {"job":1} = still running')
honest "a tool that sleeps between two looks" < <(
times 20 's j{} jobs__get_run {"id":1} = RUNNING, {}4000 ms
s c{} time__sleep {"seconds":60} = Slept for 60 seconds')
is "percents that remain, not a word" "$(for i in 100 96 88 80 72 64 56 48 40 32; do
	echo "s c$i backup_info {\"id\":4} = {\"phase\":\"copy\",\"remaining\":\"$i%\"}"
done | said)" ""
is "a check each minute, not a word" "$(times 20 \
's c{} bash {"command":"sleep 60; gh pr view 8 --json state"} = {"state":"OPEN"}' |
    said)" ""
is "a machine that is set up: not a word" "$(times 8 \
's c{} vm_describe {"name":"ci-3"} = {"name":"ci-3","state":"STAGING"}' |
    said)" ""
is "a service that is to come up: not a word" "$(times 16 \
's c{} bash {"command":"sleep 30; curl -so /dev/null -w %{http_code} https://a/health"} = 503' |
    said)" ""
honest "one look more without the pause" < <(times 13 \
's w{} wait {"seconds":300} = waited
s c{} check_inbox {"from":"petra"} = no new messages'
echo 's c check_inbox {"from":"petra"} = no new messages')
honest "nothing but sleep" < <(
times 14 's c{} bash {"command":"sleep 300"} =')
for look in 'test -f out && echo there || echo no' \
    'if [[ -f out ]]; then echo there; else echo no; fi'; do
	honest "a file that is to come: $look" < <(
	times 14 's c{} bash {"command":"'"$look"'"} = no')
done
honest "a log that grows" < <(for i in $(seq 30); do
	log="$log\\nunit $i was compiled with no warning at all, and on it goes"
	echo "s c$i bash {\"command\":\"tail -n 50 build.log\"} = $log"
done)
is "a build timed, eight times: not a word" "$(times 8 \
's c{} bash {"command":"time make -j8"} = make: up to date\n\nreal 0m3.4{}s\nuser 0m21.{}7s' |
    said)" ""
honest "a count that grows" < <(
times 40 's c{} bash {"command":"wc -l out.csv"} = {}000 out.csv')
honest "a failure that may pass, tried with pauses" < <(
times 7 's c{} bash {"command":"curl https://x/api"} = returned error: 503 '"$failed")
honest "... each pause longer" < <(
times 9 's c{} bash {"command":"sleep {}0; curl https://x/api"} = error: 503 '"$failed")
honest "... a connection" < <(
times 8 's c{} npm_view {"p":"x"} = connect ETIMEDOUT 1.2.3.4:443 '"$failed")

# ---- what a person asks for ----

while read -r text; do
	is "$text: not a word" "$(times 1 "u $text
10* s c# bash {\"command\":\"./stress\"} = ok" | said)" ""
done <<'X'
Run ./stress 30 times and tell me how often it fails.
Call it ten times, please.
./stress x12
Send 25 single requests and count the failures.
ping it every 5 s for two minutes
Look at it once a minute.
Rufe es 12 mal auf.
Bitte zwölfmal ausführen.
eseguilo tredici volte
Alle zehn Sekunden nachsehen!
lance-le 20 fois
toutes les 5 minutes, pendant une heure
ejecútalo veinte veces, una por una
a cada minuto, durante 15 minutos
повтори 10 раз
每30秒检查一次
每分鐘一次
12回実行して
10번 실행해
5秒ごとに確認して
5분마다 확인해
sprawdzaj co 5 minut
elke 5 seconden, een kwartier lang
X
is "twenty-five times: not a word" "$(times 1 'u Run it twenty-five times.
24* s c# bash {"command":"./stress"} = ok' | said)" ""
while read -r text; do
	is "$text: not a word" "$(times 1 "u $text
30* s c# bash {\"command\":\"ping -c 1 h\"} = 100% loss $failed" |
	    said)" ""
done <<'X'
keep watching until it is up
keep an eye on it
tell me as soon as it is up
Sobald er da ist: weiter.
Warte, bis er läuft.
attends jusqu'à ce que ça marche
sigue mirando hasta que responda
直到完成
X
asked='u Plan the measurement.
a {1. Run ./stress 10 times.\n2. Report the median.}
u ok go
10* s c# bash {"command":"./stress"} = ok'
is "what a plan says that they approve of, not a word" \
    "$(times 1 "$asked" | said)" ""
is "... in parts, too" "$(times 1 "$asked" | sed '3c\
{"role":"user","content":[{"type":"text","text":"ok, go ahead"}]}' | said)" ""
is "... but not what a report says of work that was done" "$(times 1 "$asked" |
    sed '1a1* s e edit {"path":"a.c","old":"x","new":"y"} = ok' | said | sed 1q)" \
    "c7 warn repeat 3"
is "... nor once more, for the next thing they want" "$({ echo "$asked" |
    sed '4c s c bash {"command":"./stress"} = ok'
echo 'u start the server'
times 3 's d{} bash {"command":"make run"} = ok'; } | said)" "d3 warn repeat 3"
is "a page that is looked at until it has changed: not a word" "$(times 1 \
'u Check the page until all 12 have answered.
10* s c# fetch {"url":"https://a.example/rsvp"} = 4 of 12 guests have answered so far, so come back later for more.' |
    said)" ""
honest "pressing a key until the end" < <(times 1 'u Press it until the end.
30* s c# press_key {"key":"Tab"} = ok')

while read -r text; do
	honest "in words that name it: $text" < <(times 1 "u $text
19* s c# bash {\"command\":\"./smoke.sh\"} = smoke: ok")
done <<'X'
can u rn smoke.sh like 15 tims?
smoke.sh so oft wie möglich
Soak test please: smoke.sh over and over, report every failure.
X
honest "... that counts" < <(times 1 'u How often does the meter send, is a value lost?
19* s c# mqtt_once {"topic":"meters/7"} = {"seq":#,"kwh":8123.4}')
honest "... as an answer to a question" < <(times 1 'u check that smoke.sh is stable
a How many runs do you want?
u 15
15* s c# bash {"command":"./smoke.sh"} = smoke: ok')
honest "... a look before each move" < <(echo 'u ALWAYS look into board.txt first'
times 16 's r{} read {"path":"board.txt"} = the board is as you know it
s n{} note {"text":"e{}"} = ok')
is "... that is to work at last, in words that we know: not a word" "$(times 1 \
'u keep trying docker push until it goes through
19* s c# bash {"command":"docker push r/x"} = status: 503 Service Unavailable '"$failed" |
    said)" ""
is "... but not a check that is to pass" "$(times 1 \
'u run make test until it passes
5* s c# bash {"command":"make test"} = expected 3 but got 4 '"$failed" |
    said | tail -n 1)" "c6 block retry 5"
is "... nor one that the message names" "$(times 1 \
'u The job runs every minute. Make test_job pass.
5* s c# bash {"command":"pytest test_job.py"} = FAILED test_job - assert 0 == 1 '"$failed" |
    said | tail -n 1)" "c6 block retry 5"
is "nor for ever, nor in vain, nor what only asks" "$(times 1 'u submit it
20* s c# submit [] = accepted
u submit it
5* s c# submit [] = error: rejected
u what is in board.txt?
5* s c# read {"path":"board.txt"} = nothing' | said | grep block)" "c21 block repeat 20
c27 block repeat 5
c33 block repeat 5"

is "keys pressed as often as a number in the message: not a word" "$({
echo 'u undo/redo, 10 rounds, heap after that'
times 10 's z{} editor_key {"keys":"ctrl+z"} = ok
s y{} editor_key {"keys":"ctrl+y"} = ok'; } | said)" ""

# ---- batches ----

honest "rows inserted" < <(times 60 's c{} insert {"row":{}} = OK')
honest "sectors written, each one checked" < <(times 20 \
's w{} flash_write {"sector":{},"file":"fw.bin"} = OK
s v{} flash_verify {"sector":{}} = OK')
is "a few words each, a rate limit between them: not a word" "$(times 20 \
's a{} get_member {"n":{}} = Error 429: too many requests '"$failed"'
s b{} get_member {"n":{}} = {"name":"m{}","posts":{}7}' | said)" ""
honest "parts uploaded" < <(
times 60 's c{} upload_part {"part":{}} = {"status":"ok"}')
honest "issues labelled, each answer the label's record" < <(
times 40 's c{} github__add_labels {"issue":{},"labels":["x"]} = [{"id":208045946,"name":"triage","color":"ededed","default":false}]')
is "issues labelled, no list of tasks among them: not a word" "$(times 40 \
's c{} linear__update_issue {"id":"E-{}","labels":["x"]} = {"success":true}' |
    said)" ""
is "sentences labelled, each answer the same form letter: not a word" "$(
for w in a b c d e f g h i j k l m n o p q r s t; do
	echo "s c$w annotate {\"sentence\":\"$w\",\"label\":\"fine\"} = Saved. The annotation was stored and the next sentence is ready for you."
done | said)" ""
honest "... told by their numbers" < <(
times 40 's c{} annotate {"row":{},"label":"fine"} = Saved. The annotation was stored and the next sentence is ready for you.')
honest "a file edited by a script in the command, then the check" < <(
for i in 1 2 3 4 5 6 7 8 9; do
	echo "s e$i bash {\"command\":\"python3 - <<'E'\\ns=open('a').read().replace('$i', 'x')\\nopen('a', 'w').write(s)\\nE\"} ="
	echo 's c'$i' bash {"command":"make check"} = 1 failed | {"is_error":true}'
done)
honest "a list that grows as other calls work" < <(
times 14 's c{} figma_list_frames {"page":"Home"} = {} frames on page Home, all of them visible')
honest "what a server is to refuse, posted" < <(
times 40 's c{} bash {"command":"curl -s -d n=x{} http://h/orders"} = {"error":"validation failed","hint":"n has to be a number from 1 to 99"}')
honest "addresses probed" < <(
times 60 's c{} bash {"command":"curl -so /dev/null -w %{http_code} h/{}"} = 200')
honest "passwords tried one by one" < <(
times 40 's c{} bash {"command":"7z t -pw{} a.7z"} = ERROR: a.7z: Cannot open encrypted archive. Wrong password? '"$failed")
honest "words that are nowhere" < <(
times 40 's c{} bash {"command":"grep -rn w{} src"} = '"$failed")
honest "... as a tool says it" < <(
times 40 's c{} grep {"pattern":"w{}"} = No matches found')
honest "rows inserted, in the lines of an agent that leaves some out" < <(
times 60 's c{} bash {"command":"psql -c \"INSERT INTO t VALUES ({})\""} = INSERT 0 1\n[The command completed with exit code 0.]\n[Current working directory: /workspace]')
honest "files checked, each without a word" < <(
times 60 's c{} bash {"command":"cc -fsyntax-only f{}.c"} =')
honest "files renamed" < <(
times 40 's c{} bash {"command":"git mv a{} b{}"} =')
honest "hosts restarted" < <(
times 40 's c{} bash {"command":"ssh h{} systemctl restart app"} =')
honest "... with a long answer" < <(
times 40 's c{} bash {"command":"ssh h{} sudo nginx -t"} = the file /etc/nginx/nginx.conf has no mistake in its syntax, and it can be loaded')
honest "tests one by one" < <(
times 40 's c{} bash {"command":"pytest t{}.py"} = 4 passed in 0.{}s')
honest "files that are not there" < <(
times 12 's c{} read {"path":"x{}.c"} = x{}.c: no such file '"$failed")
honest "a long file in pages" < <(times 30 \
's c{} read {"path":"big.c","first":{}01,"last":{}99} = page {} FILL | {"meta":{"op":"file","path":"big.c","first":{}01,"last":{}99,"lines":5000,"sha256":"x"}}')

# ---- actions and checks ----

for act in 'browser_click {"ref":"e{}"} = Clicked' \
    'browser_fill {"ref":"e{}","value":"x"} = Filled' \
    'create_contact {"name":"n{}"} = {"ok":true}' \
    'db__insert_row {"table":"t","id":{}} = 1 row inserted' \
    'bash {"command":"curl -s -d n=x{} http://h/orders"} = ok'; do
	is "a look after each of them, not a word: ${act%% *}" "$(times 12 \
"s a{} $act
s l{} console_messages [] = (no messages)" | said)" ""
done
is "a test after each migration, not a word" "$(times 12 \
's a{} bash {"command":"alembic upgrade +1"} = Running upgrade 9{}1 -> 9{}2
s l{} bash {"command":"pytest -q"} = 12 passed in 0.{}s' | said)" ""
is "a loop stepped through by a tool that is given its command: not a word" "$(
for i in 1 2 3; do
	echo "s p$i gdb {\"command\":\"print total\"} = \$$i = 7$i"
	for line in 'x = load(v, i);' 'total += x;' '}' 'for (...)'; do
		echo "s n$((++n)) gdb {\"command\":\"next\"} = 4${#line} $line"
	done
done | said)" ""
for step in 'gdb {"command":"next"}' 'bash {"command":"n","is_input":"true"}'; do
	honest "nothing but steps: $step" < <(for i in {1..9}; do
		for line in 'for (...)' 'x = load(v, i);' 'total += x;' '}'; do
			echo "s n$((++n)) $step = 4${#line} $line"
		done
	done)
done
is "... but the pointer moved does nothing" "$(times 5 \
's a{} mouse_move {"x":{},"y":1} = ok
s l{} screenshot [] = (the page)' | said | head -n 1)" "l3 warn repeat 3"
is "a coin, which no name tells of: not a word" "$(for i in 1 2 3; do
	for side in heads tails heads heads tails tails tails; do
		echo "s f$((++n)) flip_coin [] = $side"
	done
done | said)" ""
is "... but one that fell once and lies still is a call repeated" "$(
for side in heads tails tails tails tails; do
	echo "s f$((++n)) bash {\"command\":\"cat coin\"} = $side"
done | said | head -n 1)" "f4 warn repeat 3"

honest "a folder emptied after each of many restores" < <(times 14 \
's r{} bash {"command":"./restore.sh {} /tmp/r"} = Restored 1 database.
s d{} bash {"command":"rm -rf /tmp/r"} =')
honest "with and without a change, measured in turn" < <(for i in 1 2 3 4 5 6; do
	for and in pop "push -q"; do
		echo "s a$i bash {\"command\":\"git stash $and\"} ="
		echo "s b$i bash {\"command\":\"make -s && ./bench\"} = 1$i${#and}7 ms"
	done
done)
honest "what is staged, looked at after each commit" < <(times 12 \
's a{} bash {"command":"git add f{}.c && git commit -qm f{}"} = | {"meta":{"stdout_bytes":0}}
s l{} bash {"command":"git diff --cached --stat"} = | {"meta":{"stdout_bytes":0}}')
is "a test after each change by a command whose changes are not known" "$(times 12 \
's a{} bash {"command":"sed -i s/a/b{}/ x.c"} = exit 0; changed: not known | {"meta":{"mutated":null,"stdout_bytes":0}}
s l{} bash {"command":"make test"} = 12 passed | {"meta":{"mutated":null,"stdout_bytes":9}}' | said)" ""

is "keys sent to a terminal that is looked at: not a word" "$(
for page in language keyboard network time disks users packages boot end; do
	echo 's k bash {"command":"tmux send-keys -t i Enter"} ='
	echo "s l bash {\"command\":\"tmux capture-pane -pt i\"} = $page"
done | said)" ""

# ---- edits and checks ----

honest "the same edit in many files" < <(
times 25 's c{} edit {"path":"f{}.c","old":"int x;","new":"long x;"} '"$ok")
honest "a check after each edit" < <(times 25 \
's e{} edit {"path":"a.c","old":"v{}","new":"w{}"} = ok
s c{} bash {"command":"make check"} = {} of 25 failed '"$failed")
honest "... by tools with other words" < <(times 24 \
's e{} editar {"ruta":"d/c.csv","buscar":"l {}","por":"x{}"} = hecho
s c{} ejecutar {"comando":"validar d/c.csv"} = Fila {}: el dato no es correcto, y quedan {}3 errores en la tabla. '"$failed")
honest "... that passes each time" < <(times 30 \
's e{} edit {"path":"a{}.c","old":"v","new":"w"} = ok
s c{} bash {"command":"make check"} = all 40 tests passed')
is "commits that do not build, skipped in a bisection: not a word" "$(
for title in parser reader writer locks cache colours menus keys help; do
	echo "s m bash {\"command\":\"make -s\"} = a.c:3: error: no ; $failed"
	echo "s b bash {\"command\":\"git bisect skip\"} = at $title | {\"meta\":" \
	    "{\"stdout_bytes\":9,\"mutated\":[{\"path\":\"a\",\"sha256\":\"$title\"}]}}"
done | said)" ""
for none in 'FAIL: 0' 'FAIL:  0' 'FAILED 0 tests'; do
	honest "... that counts no failures: $none" < <(times 30 \
's e{} edit {"path":"a{}.c","old":"v","new":"w"} = ok
s c{} bash {"command":"make check"} = PASS: 40\n'"$none")
done
is "a list of tasks kept beside silent work: not a word" "$(times 12 \
's c{} bash {"command":"setup-{}"} =
s t{} task_tracker {"task_list":[{"title":"setup","done":"{}"}]} = The list is updated. Go on with the next task of it, if there is one.' |
    said)" ""
honest "... that fails alike ten times" < <(times 10 \
's e{} edit {"path":"a.c","old":"v{}","new":"w{}"} = ok
s c{} bash {"command":"make check"} = FAIL: test_x '"$failed")
is "one failure fewer after each edit, the status lost in a pipe: not a word" \
    "$(times 12 \
's e{} edit {"path":"a.c","old":"v{}","new":"w{}"} = ok
s c{} bash {"command":"make check | tail -n 2"} = FAILED a_test - TypeError\n{} failed of 40' |
    said)" ""
honest "a look at the tree after each file" < <(times 20 \
's w{} write {"path":"n{}.c","content":"int x{};"} = ok
s c{} bash {"command":"git status --short"} = ?? n{}.c')
honest "a file read again after each edit" < <(times 20 \
's r{} read {"path":"a.c"} = line one\nline {}\nthe rest
s e{} edit {"path":"a.c","old":"line {}","new":"x{}"} = ok')
honest "commands that change files, and say nothing" < <(times 20 \
's s{} bash {"command":"sed -i s/a{}/b{}/ x.c"} =
s m{} bash {"command":"make -s"} =')
honest "an edit that works after many that failed in one message" < <(
for k in 1 2 3; do
	sep=b
	for i in $(seq 10); do
		printf '%s x%s_%s edit {"path":"a%s","old":"%s","new":"y"}' \
		    "$sep" "$k" "$i" "$k" "$i"
		sep=" ;"
	done
	echo
	times 10 "r x${k}_{} no match $failed"
	echo "s r$k read {\"path\":\"a$k\"} = FILL $k"
done
echo 's g edit {"path":"good","old":"1","new":"2"} = ok')
honest "an undo and what comes after it" < <(
times 3 's e{} edit {"path":"a","old":"1","new":"2"} = ok | {"meta":{"path":"a","sha256_before":"x","sha256_after":"y"}}
{"type":"undo","of":"u{}","paths":[{"path":"a","sha256":"x"}]}
2* s c# bash {"command":"make"} = ok')
done_testing

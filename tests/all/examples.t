#!/bin/bash
# examples.t - examples/ do what their headers say, against a scripted server.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/httpd/httpd.sh"
at_end() { httpd_stop; httpd_stop "$pages"; }
quick_jq "$T/quick"
PATH=$TOP/examples:$T/quick:$PATH
E=$TOP/examples pages=
mkdir -p "$XDG_CONFIG_HOME/hamr"
conf=$XDG_CONFIG_HOME/hamr/config.toml

# says FILE TEXT, calls FILE [NAME ARGS]...: an answer of the model
says() {
	jq -cn --arg t "$2" '{choices: [{message: {role: "assistant",
	    content: $t}, finish_reason: "stop"}]}' |
	    { printf 'method POST\nbody '; cat; } >"$T/$1"
}
calls() {
	{ printf 'method POST\nbody '
	jq -cn '$ARGS.positional | {choices: [{message: {role: "assistant",
	    content: null, tool_calls: [range(1; length; 2) as $i | {
	    id: "c\($i)", type: "function", function: {name: .[$i],
	    arguments: .[$i + 1]}}]}, finish_reason: "tool_calls"}]}' \
	    --args "$@"; } >"$T/$1"
}
# model SCRIPT...: these, and a configuration that names it
model() {
	httpd_stop
	httpd_start "$T/log" "${@/#/$T/}" || exit 1
	printf '[provider]\nbase_url = "http://127.0.0.1:%s/v1"\nmodel = "m"\n' \
	    "$HTTPD_PORT" >"$conf"
}
asked() {	# what was sent, of each request the user messages
	jq -r 'select(.method == "POST") | .body | fromjson | .messages |
	    map(select(.role == "user") | .content) | join("\n")' "$T/log"
}
fresh() {
	mkdir "$T/$1" && cd "$T/$1" && git init -q . && echo hello >f &&
	    git add f && commit
}
commit() {
	git -c user.name=t -c user.email=t@example.invalid commit -qm c
}

for f in "$E"/*; do
	[ -f "$f" ] && ok "${f##*/} says what it is" test "$(sed -n 2p "$f" |
	    grep -c "^# ${f##*/} - ")" = 1
done

# --- a sub-agent
fresh ask
calls s1 agent__ask '{"question":"what is in f?"}' \
    agent__ask '{"question":"and what else?"}'
says s2 "f holds a greeting"
says s3 "f holds a greeting"
says s4 "Both say: a greeting."
model s1 s2 s3 s4
cat >>"$conf" <<C
[mcp.agent]
command = ["$E/hamr-mcp-plugin", "$E/hamr-tool-ask"]
sandbox = false
env = ["PATH", "HAMR_SHARE", "XDG_CONFIG_HOME"]
C
is "ask: the answer" "$(timeout 60 hamr-loop --yes --quiet "ask two" \
    </dev/null 2>"$T/err")" "Both say: a greeting."
is "ask: each question went to a session of its own" "$(asked | sort -u |
    grep -vx 'ask two\|')" "and what else?
what is in f?"
is "ask: their answers are the results" "$(jq -r 'select(.role == "tool") |
    .content' .hamr/sessions/*.ndjson | sort | uniq -c | tr -s ' ')" \
    " 2 f holds a greeting"
is "ask: a sub-agent cannot ask another" "$(jq -r 'select(.method == "POST") |
    .body | fromjson | [.tools[].function.name | select(. == "agent__ask")] |
    length' "$T/log" | sort | uniq -c | tr -s ' \n' ' ')" " 2 0 2 1 "
is "ask: nor change anything" "$(jq -r 'select(.method == "POST") | .body |
    fromjson | .tools | map(.function.name) | select(index("write") == null) |
    "read-only"' "$T/log" | sort | uniq -c | tr -s ' ')" " 2 read-only"

# --- web pages
printf 'always\npath /page\nheader Content-Type: text/html\nbody <html><head><title>t</title></head><body><script>bad()</script><h1>Hello</h1><p>a &lt; b &#8212;&#x27;&amp;lt;&what;&0;</p><ul><li>one</li></ul></body></html>\n' >"$T/p1"
printf 'always\npath /away\nstatus 302\nheader Location: http://other.example/\n' >"$T/p2"
printf 'always\npath /here\nstatus 302\nheader Location: /page\n' >"$T/p3"
printf 'always\npath /image\nheader Content-Type: image/png\nbody x\n' >"$T/p4"
printf 'always\npath /long\nheader Content-Type: TEXT/plain\nchunked\nrepeat 60 body %0100000d\n' 0 >"$T/p5"
httpd_start "$T/weblog" "$T/p1" "$T/p2" "$T/p3" "$T/p4" "$T/p5" || exit 1
pages=$HTTPD_PID web=http://127.0.0.1:$HTTPD_PORT HTTPD_PID=
printf 'location\ninclude\n' >"$HOME/.curlrc"	# is not for us
fetch() { jq -n --arg u "$1" '{url: $u}' | hamr-tool-web; }
match "web: no list, no page" "$(fetch "$web/page" 2>/dev/null)" \
    "*the user allows only no hosts"
export WEB_HOSTS="127.0.0.1 .example.org"
is "web: a page as text" "$(fetch "$web/page")" "Hello
a < b —'&lt;&what;&0;
- one"
is "web: a redirect is followed" "$(fetch "$web/here" | head -n 1)" Hello
match "web: not to another host" "$(fetch "$web/away")" \
    "http://other.example/: the user allows only 127.0.0.1 .example.org"
is "web: 5 MB are the limit where no length is told, either" "$(fetch \
    "$web/long" 2>"$T/err" | wc -c) $(grep -c . "$T/err")" "0 1"
match "web: an image is not text" "$(fetch "$web/image")" "*image/png is not text"
match "web: no such page" "$(fetch "$web/none")" "*the server answered 404"
for u in "http://127.0.0.1@evil.example/" "file:///etc/passwd" \
    "http://evil.example/?127.0.0.1" "http://xexample.org/" \
    "http://evil.example#127.0.0.1" "http://127.0.0.1\\@evil.example/"; do
	match "web: refused: $u" "$(fetch "$u")" "*the user allows only*"
done
# glibc's [a-z] is the locale's, and in Turkish i follows another letter
if localedef -i tr_TR -f UTF-8 "$T/tr_TR.UTF-8" 2>/dev/null; then
	turkish() { LOCPATH=$T LC_ALL=tr_TR.UTF-8 "$@"; }
	is "web: a host with an i, in Turkish" "$(WEB_HOSTS=WIKI.invalid \
	    turkish fetch http://wiki.invalid:99999/ 2>&1 | grep -c allows)" 0
	match "make help, in Turkish" "$(turkish make -s -C "$TOP" help)" \
	    "* dist dist-bin *install *static *"
else
	skip "in Turkish" "no source of its locale (Debian's locales)"
fi
fresh web
calls s1 web__fetch "{\"url\":\"$web/page\"}"
says s2 "It greets."
model s1 s2
cat >>"$conf" <<C
[mcp.web]
command = ["$E/hamr-mcp-plugin", "$E/hamr-tool-web"]
network = true
env = ["WEB_HOSTS=127.0.0.1"]
C
is "web: in read-only mode, in the sandbox" "$(timeout 60 hamr-loop \
    --mode read-only --quiet "what is there?" </dev/null 2>"$T/err")" "It greets."
is "web: the result" "$(jq -r 'select(.role == "tool") | .content' \
    .hamr/sessions/*.ndjson)" "Hello
a < b —'&lt;&what;&0;
- one"

# --- the server for plug-ins
is "mcp-plugin: unknown methods" "$(echo \
    '{"jsonrpc":"2.0","id":7,"method":"x/y"}' |
    hamr-mcp-plugin "$E/hamr-tool-count" | jq -c '[.id, .error.code]')" \
    "[7,-32601]"
is "mcp-plugin: each answer is a line" "$(printf '%s\n' \
    '{"jsonrpc":"2.0","id":1,"method":"x"}' '{"jsonrpc":"2.0","id":2,"method":"ping"}' |
    hamr-mcp-plugin "$E/hamr-tool-count" | grep -c '}$')" 2
printf '#!/bin/sh\n[ "$1" = --describe ] && echo "{\\"name\\":\\"much\\"}" ||
	head -c 300000 /dev/zero | tr "\\0" x\n' >much && chmod +x much
is "mcp-plugin: an answer longer than an argument can be" "$(echo \
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"much"}}' |
    hamr-mcp-plugin ./much | jq -r '.result.content[0].text | length')" 300000
is "mcp-plugin: a failure is said to be one" "$(echo '{"jsonrpc":"2.0","id":7,
    "method":"tools/call","params":{"name":"fetch","arguments":{"url":"x"}}}' |
    tr -d '\n' | hamr-mcp-plugin "$E/hamr-tool-web" | jq .result.isError)" true
status "mcp-plugin: usage" 2 hamr-mcp-plugin

# --- the agent as a pipeline
fresh mini
status "mini-loop: a model that fails" 1 mini-loop.sh x --replay /dev/null
match "... is said to, and the task is not its answer" "$(cat "$T/.out"
    said_in "$T/.err")" "the replay has 0 answers*"

# --- a reviewer
fresh review
echo goodbye >f
says s1 "f:1: it no longer greets"
model s1
is "review: of a pipe" "$(git diff | timeout 60 review.sh 2>/dev/null)" \
    "f:1: it no longer greets"
match "review: it is given the diff" "$(asked)" "*-hello
+goodbye*Review this change.*"
is "review: it can change nothing" "$(git diff --stat | wc -l) $(jq -r \
    'select(.method == "POST") | .body | fromjson | .tools |
    map(.function.name) | index("write")' "$T/log")" "2 null"
status "review: of a branch that is not there" 128 review.sh no-such-branch
status "review: of nothing" 66 review.sh </dev/null
git checkout -q -b topic && git add f && commit
is "review: of a branch" "$(timeout 60 review.sh 'HEAD^' 2>/dev/null)" \
    "f:1: it no longer greets"

# --- CI
fresh ci
is "ci-repair: it passes" "$(ci-repair.sh 'grep -q hello f' 2>&1) $?" \
    "ci-repair: it passes 0"
status "ci-repair: not in a repository" 128 sh -c 'cd / && ci-repair.sh true'
printf '#!/bin/sh\necho "testing greeting"\ngrep -q goodbye f\n' >check
chmod +x check && git add check && commit
calls s1 read '{"path":"f"}'
calls s2 edit '{"path":"f","old":"hello","new":"goodbye"}'
says s3 "f says goodbye now."
model s1 s2 s3
mkdir below
status "ci-repair: a repair is proposed" 1 timeout 60 sh -c 'cd below &&
    ci-repair.sh "\"./check\"" "$T/r.patch"'
match "ci-repair: the log is told" "$(asked)" \
    '*testing greeting*This command fails: "./check"*'
is "ci-repair: the tree is as it was" "$(cat f) $(git status --porcelain) $(git \
    worktree list | wc -l)" "hello  1"
git apply "$T/r.patch"
ok "ci-repair: the patch repairs it" ./check
git checkout -q f
says s1 "I do not know."
model s1
status "ci-repair: it cannot be repaired" 4 timeout 60 ci-repair.sh ./check \
    "$T/r2.patch"
ok "ci-repair: no patch then" test ! -e "$T/r2.patch"

# --- nightly
cd "$T" || exit 1
nightly-replay.sh "$T/night" "$T/ask" "$T/web" >"$T/nightly.out" 2>&1
is "nightly-replay: all sessions" "$(sed 's/, see.*//' "$T/nightly.out")" \
    "nightly-replay: 4 sessions, 0 verdicts"
ok "nightly-replay: both reports" test -s night/guard.txt -a -s night/compact.txt
mkdir -p loop/.hamr/sessions
for i in 1 2 3 4 5 6 7 8; do
	jq -cn --arg i "c$i" '{role: "assistant", content: null, tool_calls:
	    [{id: $i, type: "function", function: {name: "read",
	    arguments: "{\"path\":\"f\"}"}}], finish_reason: "tool_calls"},
	    {role: "tool", tool_call_id: $i, name: "read", content: "hello"}'
done >loop/.hamr/sessions/x.ndjson
nightly-replay.sh "$T/night" loop >"$T/nightly.out"
ok "nightly-replay: a loop is found" grep -q '"rule"' night/verdicts.ndjson
is "nightly-replay: options are passed on" "$(REPLAY="-o loop_guard.enabled=false" \
    nightly-replay.sh "$T/night" loop | sed 's/, see.*//')" \
    "nightly-replay: 1 sessions, 0 verdicts"
head -c -9 loop/.hamr/sessions/x.ndjson >loop/.hamr/sessions/torn.ndjson
is "nightly-replay: one that is being written" "$(nightly-replay.sh "$T/night" \
    loop | sed 's/ sessions.*//')" "nightly-replay: 2"
ln -s loop link
is "nightly-replay: a folder that is a link" "$(nightly-replay.sh "$T/night" \
    link | sed 's/ sessions.*//')" "nightly-replay: 2"
status "nightly-replay: no sessions" 66 nightly-replay.sh "$T/night" "$T/home"
done_testing

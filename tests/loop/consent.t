#!/bin/bash
# a task without --yes, and nobody to ask (chapters 5.2 and 7.2)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"

alone() {	# TASK ARG...: as run, without --yes
	hamr-loop --no-config --json --replay script "$@" >out 2>err </dev/null
	S=$?
}
results() { jq -r 'select(.role == "tool") | .content' out; }
facts() { jq -r 'select(.role == "tool") | [.meta.error // "ok",
	.meta.consent // "-"] | join(" ")' out | paste -sd,; }
asks() { jq -c 'select(.meta.by == "loop")' out | wc -l; }
no="denied no consent; --yes allows changes"
said="hamr-loop: no change was made, because nobody could be asked; --yes \
allows changes"

fresh edit
{ call read '{"path":"f"}'; call edit '{"path":"f","old":"hello","new":"bye"}'
answer "I would say bye."; answer never; } >script
alone "change f"
is "an edit is refused: denied" "$S $(ended) $(facts)" "77 $no ok -,denied missing"
is "... and nothing is changed" "$(cat f) $(tail -n 1 out |
    jq -c .files_changed)" "hello []"
match "the model is given the diff, and told of --yes" "$(results)" \
    "*not made: *--yes*-hello*+bye*"
is "stderr is told, in one line" "$(cat err)" "$said"
is "nobody was asked, nobody refused" "$(jq -c 'select(.type == "ask" or
    .type == "answer")' out)$(grep -c 'user did not allow' out)" 0
is "it is not argued about" "$(asks)" 0
hamr-loop --no-config --quiet --replay script "change f" >out 2>err </dev/null
is "--quiet, too" "$? $(cat out err)" "77 I would say bye.
$said"
hamr-loop --no-config --replay script "change f" >out 2>err </dev/null
match "the row says it in a whole sentence" "$(cat err)" \
    "*edit f  not made: --yes was not given, and nobody could be asked."*
run --resume
is "--resume --yes: the task is brought up" "$S $(ended) $(asks)" \
    "0 completed stop 1"
alone "f is to say bye"
sed -i '$d' script
{ call edit '{"path":"f","old":"hello","new":"bye"}'; answer "It says bye."
} >>script
run --resume
is "... whatever it was" "$S $(ended) $(cat f)" "0 completed stop bye"
echo hello >f
alone "explain f" --mode patch
is "denied goes before contract_failed" "$S $(ended) $(asks)" "77 $no 0"

fresh bash
{ call bash '{"command":"cat f"}'; call bash '{"command":"ls | wc -l"}'
answer "It says hello."; } >script
alone "what does f say"
is "commands that only read run" "$S $(ended) $(facts)" \
    "0 completed stop ok $(facts | sed 's/^ok //')"
match "... and say so" "$(results)" "*hello*"
{ call bash '{"command":"echo x >f"}'; answer "It cannot be written."
answer never; } >script
alone "set x in f"
is "one that writes runs read-only: denied" "$S $(ended) $(facts) $(cat f)" \
    "77 $no ok missing hello"
match "... which the model is told" "$(results)" "exit 1*ran read-only*--yes*"
is "... and not to fix it" "$(asks)" 0
{ call bash '{"command":"touch new; true"}'; answer "It is made."; } >script
alone "make a file new"
is "... whatever its status" "$S $(ended) $(ls)" "77 $no $(ls)"
ok "... and it is not made" test ! -e new
{ call bash '{"command":"grep nothing f | cat; exit 1"}'; answer "No."
answer "There is none."; } >script
alone "is nothing in f"
is "one that fails for another reason is no change" "$S $(ended)" \
    "0 completed stop"

fresh mcp
{ call s__write '{}'; answer "It could not be written."; answer never; } >script
alone "fix f" -o "mcp.s.command=[\"python3\",\"$TOP/tests/extras/mcp_server.py\",\"good\"]"
if [ "$(tail -n 1 out | jq -r .sandbox | cut -d, -f1)" = none ]; then
	skip "an MCP server's tool" "nothing keeps it from writing here"
else
	is "an MCP server's tool that cannot write for want of it: denied" \
	    "$S $(ended) $(facts)" "77 $no ok missing"
	match "... which the model is told" "$(results)" \
	    "*ran read-only: s__write*--yes*"
fi

fresh mode
{ call edit '{"path":"f","old":"hello","new":"bye"}'; answer "I cannot."
} >script
alone "change f" --mode read-only
is "what the mode refuses is not for want of consent" "$S $(ended) $(facts)" \
    "0 completed stop denied -"
{ call write '{"path":".env","content":"x"}'; answer "I cannot."
answer "I must not."; } >script
alone "write x to .env"
is "nor is what the policy refuses" "$S $(ended) $(facts)" \
    "0 completed stop denied -"
{ call read '{"path":"f"}'; call edit '{"path":"f","old":"hello","new":"bye"}'
answer "It was refused."; answer never; } >script
printf '#!/bin/sh\necho not today\nexit 1\n' >no && chmod +x no
alone "change f" -o "tools.approve=['$PWD/no']"
is "what an approver refuses stands" "$S $(ended) $(facts) $(asks)" \
    "0 completed stop ok -,denied refused 0"
is "... and stderr is told" "$(cat err)" \
    "hamr-loop: no file was changed: the change was refused"
match "... its reason reaches the model" "$(results)" "*not today*"
alone "change f" -o "tools.approve=['$PWD/no']" --mode patch
is "... nor is it asked for under a hard contract" "$S $(ended) $(asks)" \
    "4 contract_failed no_change 0"
is "... and stderr says why it failed" "$(said_in err)" \
    "hamr-loop: no file was changed: the change was refused"

# ---- a person ----

fresh person
{ call read '{"path":"f"}'; call edit '{"path":"f","old":"hello","new":"bye"}'
answer "You did not want it."; answer never; } >script
does='t.answer("n")'
refuse() {	# ARG...: somebody at a terminal says no, or does something else
	{ echo "import os, sys; sys.path.insert(0, '$TOP/tests')"
	echo "from terminal import Terminal"
	echo "t = Terminal(sys.argv[1:])"
	echo "t.sees('allow this edit? '); $does; sys.exit(t.end())"
	} >keys.py
	TERM=xterm python3 keys.py hamr-loop --no-config --replay script "$@" \
	    >shown 2>err
	S=$?
	cat .hamr/sessions/*.ndjson >out
	rm -r .hamr
}
refuse "change f"
is "what a person refuses stands" "$S $(ended) $(asks) $(cat f)" \
    "0 completed stop 0 hello"
refuse "change f" --mode patch
is "... nor is it asked for under a hard contract" "$S $(ended) $(asks)" \
    "4 contract_failed no_change 0"
does='os.kill(t.pid, 1)' refuse "change f"
is "who loses the terminal refuses nothing" "$S $(ended) $(facts) $(grep -c \
    '"answer","id"' out)" "130 interrupted signal ok -,interrupted - 0"
{ echo "import sys; sys.path.insert(0, '$TOP/tests')"
echo "from terminal import Terminal"
echo "t = Terminal(sys.argv[1:])"
echo "sys.exit(t.end())"; } >keys.py
{ answer "Done so."; answer "Done again."; } >script
run "explain f"
TERM=xterm python3 keys.py hamr-loop --no-config --replay script --resume \
    whatever >shown 2>err
is "a word behind --resume is a task on a terminal, too" "$? $(jq -r \
    'select(.role == "user") | .content' .hamr/sessions/*.ndjson | tail -n 1)" \
    "0 whatever"

done_testing

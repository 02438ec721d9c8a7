#!/bin/bash
# check.t - the official SDK's client, and acpx, against hamr-loop --acp.  Run by
# make acp-check, which has fetched them into $ACP; never part of make check.
. "$(dirname "$0")/../lib.sh"
unset HAMR_BIN
. "$TOP/tests/loop/loop.sh"
PATH=${ACP:?}/node_modules/.bin:$PATH

# --- the SDK: permissions, an image, an MCP server, cancel, kill -9, load
fresh sdk
here=$(realpath .)
{ call write '{"path":"a","content":"x\n"}'
call ev__echo '{"message":"hello"}'
answer "The file a is there with one line, and the server said hello."
call bash '{"command":"echo one >>ran; sleep 60"}'
call bash '{"command":"echo two >>ran; sleep 60"}'
answer "Both commands were begun once each, and stopped before their end."
answer "Both commands were begun once each, and stopped before their end."
} >script
cp "$TOP/tests/acp/client.mjs" "$ACP/client.mjs"
timeout 120 node "$ACP/client.mjs" "$here" \
    "$ACP/node_modules/.bin/mcp-server-everything" >../said 2>../err
is "the client ends well" "$? $(grep -v '^hamr' ../err)" "0 "
is "what it saw" "$(cat ../said)" "agent hamr 1
asked write a allow_once,allow_always,reject_once,reject_always
asked ev__echo allow_once,allow_always,reject_once,reject_always
stopped end_turn
k1 completed diff
k2 completed content
asked echo one >>ran; sleep 60 allow_once,allow_always,reject_once,reject_always
stopped cancelled
asked echo two >>ran; sleep 60 allow_once,allow_always,reject_once,reject_always
gone
lost Error
agent hamr 1
listed 1 Make a, ask the server
loaded Make a, ask the server; Wait a while; Wait once more
stopped end_turn Both commands were begun once each, and stopped before their end.
closed"
is "nothing ran twice" "$(cat a) $(sort ran | uniq -d)" "x "

# --- acpx: a whole task, a session that is continued, a refusal
fresh acpx
{ call write '{"path":"a","content":"x\n"}'
answer "The file a is there with one line, which is an x."
call bash '{"command":"cat a"}'
answer "The command printed the one line of a, which is an x."
} >script
agent="hamr-loop --acp --no-config --replay $PWD/script"
x() { timeout 60 acpx --agent "$agent" "$@" 2>>../err; }
match "a session is made" "$(x sessions new)" "*[0-9a-f]*"
match "a task" "$(x --approve-all prompt "Make a")" \
    "*write a (completed)*The file a is there with one line*end_turn*"
match "it goes on" "$(x --approve-all prompt "Look at it")" \
    "*cat a*The command printed the one line*end_turn*"
match "the sessions" "$(x sessions)" "*Make a*"
rm a
x sessions new >/dev/null
match "a refusal" "$(x --deny-all prompt "Make a")" "*write a (failed)*"
is "nothing is written" "$(ls a 2>&1)" "ls: cannot access 'a': No such file or directory"
x sessions close >/dev/null

done_testing

#!/bin/bash
# hand.t - one call by a person at a terminal: colours, and nothing that
# steers it.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

git init -q .
unset NO_COLOR
t() { TERM=${term:-xterm} on_tty 80 hamr-tool --no-config --root . "$@"; }
esc=$(printf '\033')
printf 'one\ntwo\n' >a
is "a diff is coloured" "$(t --yes edit \
	'{"path":"a","old":"two","new":"2"}')" \
"edited a at line 2, 1 replacement, +1 -1 lines
${esc}[1m--- a/a${esc}[0m
${esc}[1m+++ b/a${esc}[0m
${esc}[36m@@ -1,2 +1,2 @@${esc}[0m
 one
${esc}[31m-two${esc}[0m
${esc}[32m+2${esc}[0m"
is "NO_COLOR" "$(NO_COLOR=1 t --yes edit '{"path":"a","old":"2","new":"3"}' |
	grep -c "$esc")" 0
is "a dumb terminal" "$(term=dumb t --yes edit \
	'{"path":"a","old":"3","new":"4"}' | grep -c "$esc")" 0
is "no terminal: the content alone" "$(hamr-tool --no-config --root . --yes \
	edit '{"path":"a","old":"4","new":"5"}')" \
	"edited a at line 2, 1 replacement, +1 -1 lines"
match "a preview" "$(t write '{"path":"n","content":"x\n"}')" \
	"*not made: *${esc}\[32m+x${esc}\[0m"
printf 'a\033[31mred\033]52;c;x\a\302\233 \342\200\256 \363\240\201\201 \t\377 \303\251\n' \
	>bad
is "what would steer the terminal is shown" "$(t read '{"path":"bad"}')" \
"bad lines 1-1 of 1
     1	a\\x1b[31mred\\x1b]52;c;x\\x07\\x9b \\u{202e} \\u{e0041} 	$(printf \
	'\357\277\275') $(printf '\303\251')"
is "and written as it is elsewhere" "$(hamr-tool --no-config --root . read \
	'{"path":"bad"}' | tr -cd '\033' | wc -c)" 2
t read '{"path":"none"}' >/dev/null
is "the status of an error" $? 1
status "a command that wants to write" 1 hamr-tool --no-config --root . bash \
	'{"command":"test ! -w . && exit 3; : >new"}'
is "is told of --yes" "$(said_in "$T/.err")" \
	"hamr-tool: without --yes the command could change nothing"
status "in mode read-only --yes is no help" 1 hamr-tool --no-config --root . \
	--mode read-only bash '{"command":"exit 3"}'
is "and nothing is said" "$(said_in "$T/.err")" ""
done_testing

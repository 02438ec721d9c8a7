#!/bin/bash
# A person is asked: keys on a pseudo-terminal, at every moment (S31).
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
export TERM=xterm
# ask ARG...: hamr-loop on ./script in a terminal, keys by the lines of Python
# on stdin; the half second that a question wants of quiet is a quarter, as the
# clock is faster (sanitizers want to be loaded first)
fast=${OBJ:-$TOP/obj}/torture/fail.so
case $fast in *[[:space:]]*) fast= ;; esac	# cannot be preloaded
if ! [ -e "$fast" ] || grep -q __asan_init "$BIN/hamr-loop"; then
	fast=
fi
ask() {
	{ echo "import sys; sys.path.insert(0, '$TOP/tests')"
	echo "from terminal import Terminal"
	echo "loop = ['hamr-loop', '--no-config', '--replay', 'script', 'make it']"
	cat; } >keys.py
	env ${fast:+"LD_PRELOAD=$fast" "FAIL_SPEED=${SPEED:-4}"} \
	    python3 keys.py 2>err
	S=$?
	[ $S = 0 ] || sed 's/^/# /' err
}
answers() { jq -c 'select(.type == "answer") | del(.type, .id)' \
	.hamr/sessions/*.ndjson | paste -sd' '; }
told() { jq -r 'select(.role == "tool") | .content' .hamr/sessions/*.ndjson; }

# --- each key
fresh keys
{ call write '{"path":"no","content":"x\n"}'
call write '{"path":"reason","content":"x\n"}'
call bash '{"command":"echo hi >>ran"}'
call bash '{"command":"echo hi >>ran"}'
call bash '{"command":"echo hi  >>ran"}'
call write '{"path":"src/a","content":"x\n"}'
call edit '{"path":"src/a","old":"x","new":"y"}'
call write '{"path":"e","content":"bad\n"}'
call bash '{"command":"echo bad >e2"}'
call write '{"path":"last","content":"x\n"}'
call write '{"path":"never","content":"x\n"}'
answer "Done."; } >script
cat >../ed <<'X'
#!/bin/sh
sed -i "s/bad/$TO/" "$1"
X
chmod +x ../ed
# a variable's value is the shell's, as for git and man
EDITOR='TO="good" "$T/ed"' ask <<'P'
t = Terminal(loop)
t.sees("allow this write? "); t.answer("n")
t.sees("allow this write? "); t.answer("r"); t.sees("because: "); t.type("\r")
t.type("not there\x7f\x7f\x7f\x7f\x7fhere\r")
t.sees("not allowed: not here"); t.sees("allow this command? "); t.answer("a")
t.sees("always allow: echo hi >>ran"); t.type("\r")
t.sees("allow this command? "); t.answer("a")
t.sees("always allow"); t.type("\033"); t.sees("allow this command? "); t.answer("n")
t.sees("allow this write? "); t.answer("a"); t.sees("src/a  (Enter)"); t.type("\r")
t.sees("allow this write? "); t.answer("e")
t.sees("allow this command? "); t.answer("e")
t.sees("bash echo good >e2"); t.sees("allow this write? "); t.answer("\033")
sys.exit(t.end() != 130)
P
is "every key does what it says" "$S $(answers)" '0 {"allow":false} {"allow":false,"reason":"not here"} {"allow":true,"scope":"session"} {"allow":true,"scope":"session"} {"allow":false} {"allow":true,"scope":"session"} {"allow":true,"scope":"session"} {"allow":true,"arguments":"{\"path\":\"e\",\"content\":\"good\\n\"}","scope":"once"} {"allow":true,"arguments":"{\"command\":\"echo good >e2\"}","scope":"once"} {"allow":false,"stop":true}'
is "and only that is done" "$(ls | paste -sd' ') $(cat ran src/a e e2 | paste -sd' ')" \
    "e e2 err f keys.py ran script src hi hi y good good"
match "the model is told" "$(told)" "denied: the user did not allow this call*
denied: the user did not allow this call: not here
*\[the user changed the arguments to: {\"path\":\"e\",\"content\":\"good\\\\n\"}]
*\[the user changed the arguments to: {\"command\":\"echo good >e2\"}]
*the user did not allow this call and stopped the turn"
is "Esc ends the turn" "$(tail -n 1 .hamr/sessions/*.ndjson |
    jq -r '.status + " " + .reason')" "interrupted refused"


# --- --resume asks for what was allowed for a session
{ head -n 10 script; call bash '{"command":"echo hi >>ran"}'
answer "Again."; } >script.new && mv script.new script
ask <<'P'
t = Terminal(loop[:-1] + ["--resume", "--task", "go on"])
t.sees("allow this command? "); t.answer("n"); t.end()
P
is "a resumed session asks again" "$S $(wc -l <ran)" "0 2"

# --- what answers nothing
fresh nothing
{ call write '{"path":"w1","content":"x\n"}'
call write '{"path":"w2","content":"x\n"}'; answer "Done."; } >script
SPEED=1 ask <<'P'
t = Terminal(loop, early=b"y\n")
t.sees("to the question"); t.sees("> y")        # typed ahead
t.answer("y"); t.sees("y\x1b[K"); t.type("\x15\x7f\x15")
t.sees("allow this write? "); t.type("y"); t.sees("> y")        # too soon
t.type("\033"); t.sees("allow this write? ")    # the message is emptied
t.answer("\033[200~y\033[201~"); t.sees("> y")  # a paste
t.type("\x15"); t.sees("allow this write? ")
t.answer("yes"); t.sees("> yes"); t.type("\x15"); t.sees("allow this write? ")
t.answer("Y"); t.sees("> Y"); t.answer("y"); t.sees("> Yy")     # not a key of it
t.answer("\t"); t.sees("allow this write? "); t.answer("n")     # handed over
t.sees("to the question"); t.sees("> Yy"); t.type("\x15"); t.sees("allow this write? ")
t.answer("\033[A"); t.answer("\r"); t.answer("q"); t.sees("> q")
t.type(" and this\r"); t.sees("allow this write? "); t.sees("queued: q and this")
t.answer("\x03")
sys.exit(t.end() != 130)
P
is "type-ahead, pastes, words and other keys answer nothing" "$S $(answers)" \
    '0 {"allow":false} {"allow":false,"stop":true}'
ok "nothing was made" test ! -e w1 -a ! -e w2

# --- the size, and all of it
fresh big
{ call write "$(jq -cn '{path: "big.txt", content: ([range(3012)] |
    map("line \(.)\n") | join(""))}')"
call bash "$(jq -cn '{command: ("echo hi" + ("\n" * 200) + "touch hidden")}')"
call bash "$(jq -cn '{command: ("echo " + ("a " * 6000) + "; touch tail")}')"
answer "Done."; } >script
PAGER='cat' ask <<'P'
t = Terminal(loop)
one = t.sees("allow this write? ")
assert b"big.txt" in one and b"3,012 lines, new" in one, one
assert b"lines not shown" in one and b"line 3011" not in one, one
assert one.count(b"\n") < 26, one.count(b"\n")
t.answer("v"); t.sees("+line 3011"); t.sees("allow this write? "); t.answer("y")
two = t.sees("allow this command? ")
assert b"201 lines" in two and b"not shown" in two and b"hidden" not in two, two
t.answer("n")
three = t.sees("allow this command? ")
assert b"1 line not shown" in three and b"tail" not in three, three
t.answer("v"); t.sees("touch tail"); t.sees("allow this command? "); t.answer("n")
t.end()
P
is "the question says its size and what is not shown; v shows it" "$S" 0
is "what was allowed is done whole" "$(wc -l <big.txt)" 3012

# --- a screen without room for anything of it
fresh tiny
{ call bash '{"command":"echo hi >>ran"}'; call bash '{"command":"echo ho >>ran"}'
answer "Done."; } >script
ask <<'P'
import fcntl, struct, termios
def size(rows): fcntl.ioctl(t.fd, termios.TIOCSWINSZ,
                            struct.pack("HHHH", rows, 80, 0, 0))
t = Terminal(loop, rows=4, columns=24)
t.sees("v view; n no; Esc stop"); t.answer("y"); t.sees("> y"); t.type("\x15")
t.sees("v view; n no; Esc stop"); t.answer("A"); t.sees("> A"); t.type("\x15")
size(5); t.sees("echo hi >>ran"); t.sees("allow? "); t.answer("y")
t.sees("echo ho >>ran"); t.sees("allow? "); size(3); t.sees("\x1b[J")
t.answer("y"); t.sees("> y"); t.type("\x15"); t.answer("n")
t.end()
P
is "what nobody can see is not allowed" "$S $(answers) $(cat ran)" \
    '0 {"allow":true,"scope":"once"} {"allow":false} hi'
{ call bash '{"command":"echo 1\necho 2\necho 3\necho 4"}'
call write '{"path":"new","content":"x\ny\n"}'; answer "Done."; } >script
ask <<'P'
import fcntl, struct, termios
def size(rows): fcntl.ioctl(t.fd, termios.TIOCSWINSZ,
                            struct.pack("HHHH", rows, 80, 0, 0))
t = Terminal(loop)
t.sees("allow this command? "); size(8); t.sees("  4 lines")
t.sees("echo 2"); t.sees("2 lines not shown"); size(5); t.sees("too small to ask")
t.answer("y"); t.sees("> y"); t.type("\x15"); t.answer("n")
size(6); t.sees("  2 lines, new"); t.sees("2 lines not shown")
t.sees("allow? "); t.answer("n")
t.end()
P
is "what a smaller screen loses is drawn again, and counted" "$S" 0
{ call write '{"path":"new","content":"x\n"}'
answer "The file new has one line now."; } >script
HAMR_NOISE=1 ask <<'P'
import fcntl, struct, termios
def size(rows): fcntl.ioctl(t.fd, termios.TIOCSWINSZ,
                            struct.pack("HHHH", rows, 80, 0, 0))
t = Terminal(loop[:-1] + ["--yes"])
t.sees("sandbox"); t.sees("> "); t.type("go\r"); t.sees("done  "); size(3)
t.type("/undo\r"); t.sees("n no; Esc stop (too small to ask)"); t.answer("y"); t.sees("> y")
t.type("\x15"); size(4); t.sees("undo this? (y/n)"); t.answer("y")
t.sees("removed new"); t.type("\x04")
sys.exit(t.end())
P
is "so is a question about a command of the person's" "$S" 0

# --- a terminal that sends whole lines: a key comes with its line end
fresh lines
{ call write '{"path":"no","content":"x\n"}'
call write '{"path":"nor","content":"x\n"}'
call bash '{"command":"echo hi >>ran"}'
call bash '{"command":"echo hi >>ran"}'
call write '{"path":"never","content":"x\n"}'; answer "Done."; } >script
for how in 'dumb \n' 'linux \r' 'xterm \r' 'linux \r\n'; do
	TERM=${how% *} ask <<P
t, end = Terminal(loop), "${how#* }"
t.sees("allow this write? "); t.answer("n" + end)
t.sees("allow this write? "); t.answer("r" + end)
t.sees("the reason, for"); t.type("not here" + end)
t.sees("allow this command? "); t.answer("a" + end)
t.sees("always allow: echo hi >>ran"); t.answer(end)
t.sees("allow this write? "); t.answer("yy" + end); t.sees("yy")
t.type("\x03")
sys.exit(t.end() != 130)
P
	is "a line of one key answers: $how" \
	    "$S $(answers) $(wc -l <ran) $(echo no* never*)" \
	    '0 {"allow":false} {"allow":false,"reason":"not here"} {"allow":true,"scope":"session"} {"allow":true,"scope":"session"} {"allow":false,"stop":true} 2 no* never*'
	rm -rf .hamr ran
done

# --- what a command shows during a question does not repeat the question's row
fresh repeats
{ call write '{"path":"no","content":"x\n"}'; answer "Done."; } >script
TERM=dumb ask <<'P'
t = Terminal(["hamr-loop", "--no-config", "--replay", "script"])
t.sees("> "); t.type("make it\n"); t.sees("allow this write? ")
t.type("/status"); t.sees("> /status"); t.answer("\n"); t.sees("tokens")
t.sees("allow this write? "); t.answer("n")
t.sees("step"); t.type("exit\n")
t.end()
assert b"message) > /status" in t.all
sys.exit(t.all.count(b"> /status") != 2)	# typed, and said
P
is "it is there once, and what is typed stands apart from it" "$S" 0

# --- nothing steers the terminal
fresh steer
{ call write "$(jq -cn '{path: "a\u202eb", content:
    "\u001b[2J\u202e\u2028\u200b\u001b]52;c;ZQ==\u0007\n"}')"
call bash "$(jq -cn '{command: "echo \u001b[2J\u202e\u0007\u061c\u00ad"}')"
answer "Done."; } >script
ask <<'P'
t = Terminal(loop)
t.sees("allow this write? "); t.answer("a"); t.sees("(Enter)"); t.type("\033")
t.sees("allow this write? "); t.answer("n")
t.sees("allow this command? "); t.answer("a"); t.sees("always allow"); t.type("\r")
t.end()
u = t.all.decode()
bad = [c for c in u if c in "\x07\u202e\u2028\u200b\u061c\u00ad"]
assert not bad and "\x1b[2J" not in u and "\x1b]" not in u, bad
P
is "what is asked about is shown, not sent" "$S" 0
# --- by a tool stage of another program
fresh other
call mine '{}' >script
answer "Done." >>script
cat >../asker <<'X'
#!/bin/sh
while IFS= read -r l; do
	case $l in
	*'"go"'*)
		echo '{"type":"ask","id":"a1","tool_call_id":"call_1","name":"mine","arguments":{"x":"erase"}}'
		IFS= read -r answer ;;
	*'"sync"'*) ;;
	*) continue ;;
	esac
	printf '%s\n' "$l"
done
X
chmod +x ../asker
ask <<P
t = Terminal(loop[:-1] + ["-o", "stages.tool=['$T/asker']", "make it"])
t.sees("erase"); t.sees("allow this mine? "); t.answer("\033")
t.end()
P
is "arguments that are an object are shown" "$S" 0
# --- for good, and with the network
fresh good
export XDG_CONFIG_HOME=$T/home
mkdir -p "$T/home/hamr"
cat >"$T/home/hamr/config.toml" <<'X'
[sandbox]
ask_network = true
X
{ call bash '{"command":"echo a >>ran\necho b >>ran"}'
call write '{"path":"n","content":"x\n"}'
call bash '{"command":"grep -c : /proc/net/dev >net"}'
answer "Done."; } >script
answered() {	# the lines of Python on stdin
	{ sed -n "1,3s/'--no-config', //; 1,3p" "$T/keys/keys.py"; cat; } >keys.py
	python3 keys.py
}
answered <<'P'
t = Terminal(loop, columns=60)
t.sees("allow this command? "); t.answer("A")
t.sees("always allow here, for good: echo a >>ran")
t.sees("echo b >>ran  (Enter)"); t.type("\r")
t.sees("allow this write? "); t.answer("A"); t.sees("edit and write n  (Enter)")
t.type("x"); t.sees("> Ax"); t.type("\033"); t.sees("allow this write? ")
t.answer("A"); t.sees("(Enter)"); t.type("\r")
t.sees("w yes,"); t.sees("allow this command? "); t.answer("w")
sys.exit(t.end())
P
is "A and w" "$(answers)" '{"allow":true,"scope":"session"} {"allow":true,"scope":"session"} {"allow":true,"network":true,"scope":"once"}'
is "the user's configuration has it" "$(tail -n 3 "$T/home/hamr/config.toml")" "
[allow]
\"$PWD\" = [\"path n\", \"command echo a >>ran\\u000Aecho b >>ran\"]"
is "it had the network" "$(cat net)" "$(grep -c : /proc/net/dev)"
rm -rf .hamr n ran
answered <<'P'
t = Terminal(loop)
t.sees("allow this command? "); t.answer("y")
sys.exit(t.end())
P
# Landlock has no network of its own: sockets are refused
hamr-tool --sandbox-status | grep -q '^bubblewrap *yes' || sed -i 's/.*/1/' net
is "the next session asks about the third only" "$(paste -sd' ' ran n net)" \
    "a b
x
1"

# --- what an editor leaves may be any bytes; the session stays readable
fresh bytes
{ call bash '{"command":"echo bad >e2"}'; answer "It is done now."; } >script
printf '#!/bin/sh\nprintf "echo \\377\\000 >e2\\n" >"$1"\n' >../any
chmod +x ../any
EDITOR=../any ask <<'P'
t = Terminal(loop); t.sees("allow this command? "); t.answer("e")
sys.exit(t.end())
P
is "bytes from the editor that are not text are replaced" "$S $(cat e2)" \
    "0 ��"

# --- a limit of time ends a question, which nobody answered
fresh late
{ call write '{"path":"late","content":"x\n"}'; answer "That far."; } >script
ask <<'P'
t = Terminal(loop + ["-o", "budget.max_wall_seconds=1"])
t.sees("allow this write? "); t.sees("max_wall_seconds")
sys.exit(t.end() != 3)
P
is "max_wall_seconds ends a question" "$S $(answers) $(told) $(compgen -G 'late*')" \
    "0  not run: the budget of this turn is used up "
done_testing

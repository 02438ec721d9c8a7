#!/bin/bash
# What is typed: the input on real pseudo-terminals of three widths, and what
# terminals send for keys (chapter 10.1).
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
. "$TOP/tests/loop/tmux.sh"
fresh w
mkdir src && touch src/lexer.c src/main.c "a b.txt" "$(printf 'steer\033[2J')"
answers() { for i in $(seq "$1"); do answer "Answer $i is here."; done; }
asked() { jq -c 'select(.role == "user" and .meta.by == "user") | .content' \
	.hamr/sessions/*.ndjson | paste -sd' '; }
cursor() { tm display -p -t c '#{cursor_x}'; }
printf '#!/bin/sh\nsed -i s/here/there/ "$1"\n' >"$T/ed"
chmod +x "$T/ed"
seq 214 >"$T/lines"

if command -v tmux >/dev/null 2>&1; then
	for width in 40 80 140; do
		rm -rf .hamr "$T/state"
		answers 2 >script
		open_screen $width 24 "XDG_STATE_HOME=$T/state \
		    EDITOR=$T/ed hamr-loop --no-config --yes --replay script; \
		    echo status \$?; sleep 60"
		sees "$width columns: the input" '*
>*'
		type_ 'one' M-Enter 'two' C-j 'three\'
		sees "new lines" '*
> one
  two
  three\\*'
		type_ Enter 'four'
		sees "and one by a backslash" '*
  three
  four*'
		type_ Up Up C-k
		sees "a line end killed" '*
> one
  twothree
  four*'
		type_ C-_
		sees "undone" '*
  two
  three*'
		type_ Escape
		sees "Esc clears it" '*
>
*'
		tm load-buffer "$T/lines"
		type_ 'see '
		tm paste-buffer -p -t c
		sees "a long paste is folded" '*
> see \[pasted 214 lines]*'
		tm paste-buffer -p -t c
		sees "the same again shows it" '*
? 2[01][0-9]
*
  213
  214*'
		type_ C-_ ' here' C-g
		sees "\$EDITOR gets and gives the message" '*
> see \[pasted 214 lines] there*'
		type_ Up
		sees "Up: what was put aside" '*
> one
  two
  three
  four*'
		type_ C-n
		sees "and the draft again" '*
> see \[pasted 214 lines] there*'
		type_ C-u '/mo' Tab
		sees "a list" '*
> /mode*
> /mode *what hamr may do*
  /model *'
		type_ Enter
		sees "Enter takes it, and it is carried out" '*
> /mode
*
> /mode*
> read-only*'
		type_ C-u C-u 'look at @slx' Tab
		sees "letters of a path" '*
> look at @src/lexer.c*'
		type_ C-u '@a' Tab
		sees "a name with a blank, none that steers" '*a b.txt
*'
		type_ Escape C-u '日本語 é👩‍💻x' Left BSpace
		sees "clusters" '*
> 日本語 éx*'
		is "the cursor" "$(cursor)" 10
		type_ C-e C-u C-r 'thr'
		sees "searched: a message of several lines" '*
> one
  two
  three
  four
search: thr*'
		type_ Enter
		sleep 0.2
		type_ Enter
		sees "sent" '*Answer 1 is here.*'
		is "whole" "$(asked)" '"one\ntwo\nthree\nfour"'
		type_ C-d
		sees "and quits" '*status 0*'
	done
else
	skip "the input on a screen" "tmux is not installed"
fi

# --- bytes of other terminals, and a paste that is not marked
drive() {	# TERM; the lines of Python on stdin
	{ echo "import sys, time; sys.path.insert(0, '$TOP/tests')"
	echo "from terminal import Terminal"
	echo "loop = ['hamr-loop', '--no-config', '--yes', '--replay', 'script']"
	cat; } >keys.py
	rm -rf .hamr "$T/state"
	TERM=$1 XDG_STATE_HOME=$T/state timeout 60 python3 keys.py 2>err
	S=$?
	[ $S = 0 ] || sed 's/^/# /' err
}
answers 2 >script
drive xterm <<'P'
t = Terminal(loop)
t.sees("> ")
t.type("one\rtwo\rthree\r"); t.sees("three")
t.type("\x1b[13;2u"); t.sees("\r\n"); t.type("four"); t.sees("four")
t.type("\x1b[27;2;13~"); t.type("five"); t.sees("five")
t.type("\x1b[?62;22c\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?2026;2$y\x1b[3;4R")
t.type("\x1b[57414u"); t.sees("Answer 1")
t.type("six"); t.sees("six")
t.type("\x1b[1089::99;133u"); t.sees("> \x1b[K")        # Ctrl-C: it is cleared
t.type("\x1b[A"); t.sees("six"); t.type("\r"); t.sees("Answer 2")
t.type("\x04"); sys.exit(t.end())
P
is "kitty's keys, xterm's, and a paste without marks" "$S $(asked)" \
    '0 "one\ntwo\nthree\nfour\nfive" "six"'
answers 2 >script
drive xterm >got <<'P'
def spent(): return int(open("/proc/%d/schedstat" % t.pid).read().split()[0]) / 1e6
t = Terminal(loop)
t.sees("> ")
for shown in "characters]", "the-end":	# folded, and the same again whole
    paste = "\x1b[200~" + "a word " * 150000 + "the-end\x1b[201~"
    for at in range(0, len(paste), 2000): t.type(paste[at:at + 2000]); t.more(0)
    t.sees(shown)
waits = []
for key in ["\x1b[D", "\x1bb", "\x7f", "\x17"] * 5:
    begun = spent(); t.type(key); t.sees("\x1b[")
    t.more(time.time() + 0.05); waits.append(spent() - begun)
waits.sort()
print("in time" if waits[len(waits) // 2] < 10 else waits)
t.type("\x05\x15two\r"); t.sees("Answer 1")
t.type("\x04"); sys.exit(t.end())
P
is "keys in one line of 1 MB" "$S $(cat got) $(asked)" '0 in time "two"'
answers 2 >script
drive xterm <<'P'
t = Terminal(loop)
t.sees("> "); t.type("\x1b[200~one"); t.sees("a paste has not ended; Ctrl-C ends it")
t.type(" two"); t.sees("\r\x1b[?7l\x1b[K"); t.sees("has not ended")
t.type("\x03"); t.sees("> one two"); t.type("\r"); t.sees("Answer 1")
t.type("\x04"); sys.exit(t.end())
P
is "a paste whose end does not come is said, and ended by Ctrl-C" "$S $(asked)" \
    '0 "one two"'
answers 2 >script
drive xterm <<'P'
t = Terminal(loop, rows=5, columns=20)
t.sees("> "); t.type("one\r"); t.sees("Answer 1"); t.sees("done")
t.type("\x12on"); t.sees("> one"); t.sees("search: on")
t.type("\x07\x04"); sys.exit(t.end())
P
is "Ctrl-R shows what is searched, and what is found, on five rows" "$S" 0
answers 2 >script
drive linux <<'P'
t = Terminal(loop)
t.sees("> "); t.type("typed\r"); t.sees("typed"); time.sleep(0.1)
t.type("\r"); t.sees("Answer 1")
t.type("\x04"); sys.exit(t.end())
P
is "a line end read with text where nothing marks pastes" "$S $(asked)" \
    '0 "typed"'
done_testing

#!/bin/bash
# the terminal's rows: what is written, how often, and what is left (chapter 10)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
. "$TOP/tests/loop/tmux.sh"
export TERM=xterm
cat >pace.py <<'P'
# pace.py N: records go through, deltas at N a second
import sys, time
rate, n, begun = float(sys.argv[1]), 0, None
for line in iter(sys.stdin.buffer.readline, b""):
    if b'"delta"' in line:
        begun = begun or time.time()
        n += 1
        late = begun + n / rate - time.time()
        if late > 0.001:
            time.sleep(late)
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
P
HERE=$PWD
paced() {	# N: the option for N deltas of 5 bytes a second
	echo "stages.provider=[\"hamr-provider --replay-speed 100000 --replay-chunk 5\", \"python3 $HERE/pace.py $1\"]"
}
py() {	# the lines of Python on stdin; their status and words
	{ echo "import sys, time, os, re, termios, signal"
	echo "SLOWER = $SLOWER"
	echo "sys.path.insert(0, '$TOP/tests')"
	echo "from terminal import Terminal"
	echo "def chat(*more, **how): return Terminal(['hamr-loop', "
	echo "    '--no-config', '--yes', '--replay', 'script', *more], **how)"
	cat; } >drive.py
	python3 drive.py "$@" 2>err
	S_=$?
	[ $S_ = 0 ] || sed 's/^/# /' err
}

# --- what is written, and when
fresh fast
python3 - >script <<'P'
import json
text = "".join("Paragraph %d is **here** and `code` there, and it goes on for a "
               "while, so that it fills more than a row.\n\n" % i
               for i in range(150))
for answer in text, "Short.":
    print(json.dumps({"role": "assistant", "content": answer,
                      "finish_reason": "stop"}))
P
py "$(paced 5000)" >../got <<'P'
t = chat("-o", sys.argv[1])
t.sees("sandbox"); t.sees("> ")
until = time.time() + 0.2
while time.time() < until: t.more(until)
before = len(t.all)
until = time.time() + 0.8
while time.time() < until: t.more(until)
print("idle", len(t.all) - before)
t.type("go\r"); t.sees("Paragraph 3 ")
waits, typed = [], ""
for c in "ABCDEFGHIJKLMNOPQRST":
    typed += c
    begun = time.time(); t.type(c); t.sees("> " + typed)
    waits.append((time.time() - begun) * 1000)
waits.sort()
print("a key is shown in time" if waits[len(waits) // 2] < 20 else waits)
t.sees("Paragraph 149 "); t.sees("done")
t.type("\x15"); t.type("\x04"); t.end()
print("steers", len(re.findall(rb"\x1b\[3J|\x1b\[\d*;?\d*r|\x1b\[\?1049|\x1b\[2J",
                               t.all)))
text = 150 * 105
print("bytes", "few" if len(t.all) < 3 * text + 40000 else len(t.all))
P
is "idle nothing is written; keys are shown while 5,000 deltas a second come" \
    "$(cat ../got)" "idle 0
a key is shown in time
steers 0
bytes few"

# --- what ends slowly is not waited for behind an input that is dead
fresh slow
mkdir "a b"
answer "Fine." >script
py >../got <<'P'
t = chat("-o", "stages.guard=[\"hamr-guard\", \"sh -c 'cat; sleep 0.3'\"]")
t.sees("sandbox"); t.sees("> "); t.type("go\r"); t.sees("done  "); t.sees("> ")
t.type("\x04"); t.sees("to continue"); print(t.end())
print(b"> " in t.all[t.seen:])
t = Terminal(["hamr-loop", "--no-config", "--resume", "-C", "a b"], columns=30)
t.sees("session"); t.sees("> "); t.type("\x04"); t.end()
print(b"to continue: hamr-loop -C 'a b' --resume=2" in t.all)
P
is "the input goes before a chat ends, and what to type next is not broken" \
    "$(cat ../got)" "0
False
True"

py >../got <<'P'
t = chat()
t.sees("sandbox"); t.sees("> ")
t.type("go\r\x03"); t.sees("> go"); t.type("ne"); t.sees("> gone")
t.type("\x15"); t.sees("> \x1b[K"); t.type("\x03\x03"); print(t.end())
P
is "a slow line brings a message and its Ctrl-C, or two that quit, at once" \
    "$(cat ../got)" 0

# --- nor does a hook at the end of a turn hold up the input; Esc stops it
fresh hook
answer "Fine." >script
printf '#!/bin/sh\ncat >/dev/null\neval "$1"\nsleep 4\n' >hook
chmod +x hook
for how in : "exec >&-"; do
	py "hooks.on_end=[\"$PWD/hook\", \"$how\"]" >../got <<'P'
t = chat("-o", sys.argv[1])
t.sees("sandbox"); t.sees("> "); t.type("go\r"); t.sees("done  ")
t.sees("the on_end hook"); begun = time.time()
t.type("key"); t.sees("> key"); print(time.time() - begun < SLOWER)
t.type("\x15"); t.type("\x1b"); t.sees("signal")
print(time.time() - begun < 3 * SLOWER)
t.type("\x04"); print(t.end())
P
	is "a slow hook does not hold up keys ($how)" "$(cat ../got)" "True
True
0"
done

# --- a command that takes its time to end does not hold up the input
fresh stubborn
answer "Fine." >script
py >../got <<'P'
t = chat()
t.sees("sandbox"); t.sees("> ")
t.type("!trap '' TERM; echo $((6*7)); while :; do sleep 0.1; done\r")
t.sees("42"); t.type("\x03"); time.sleep(0.1); begun = time.time()
t.type("key"); t.sees("> key"); print(time.time() - begun < 0.4 * SLOWER)
t.sees("interrupted"); t.type("\x15!yes\r"); time.sleep(1)
t.type("\x03"); before = len(t.all); t.sees("interrupted")
print("little" if len(t.all) - before < 4000000 else len(t.all) - before)
t.type("\x15\x04"); print(t.end())
P
is "a stopped command does not hold up keys, nor does what it printed" \
    "$(cat ../got)" "True
little
0"

# --- a large project: what an @ may become is listed while keys go on
fresh large
python3 - <<'P'
import os
open("one", "w").close()	# of many names: ext4 takes long for many files
for d in range(200):
    os.makedirs("src/area%d/deep" % d)
    for i in range(100):
        os.link("one", "src/area%d/deep/file_%d.c" % (d, i))
os.remove("one")
P
git add src
answer x >script
py >../got <<'P'
def spent(): return int(open("/proc/%d/schedstat" % t.pid).read().split()[0]) / 1e6
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("@"); t.sees("6 of 2000"); t.sees("Tab chooses")
waits, typed = [], "@"
for c in "area199file":
    typed += c
    begun = spent(); t.type(c); t.sees("> " + typed)
    waits.append(spent() - begun)
waits.sort()
print("a key is shown in time" if waits[len(waits) // 2] < 20 else waits)
t.type("\x15@file_99"); t.sees("6 of"); t.type("\t\t"); t.sees("2 of"); t.type("\x1b"); t.sees("\x1b[J")
t.type("\x15go @a"); t.sees("Tab chooses"); t.type(" it"); t.sees("it")
t.type("\x15\x04"); print(t.end())
P
is "in a project of 20,000 files" "$(cat ../got)" "a key is shown in time
0"

# --- what it costs at 200 tokens a second, and after 100,000 lines
fresh costs
python3 - >script <<'P'
import json
for n in 400, 1:	# 4 s of it, and a word
    print(json.dumps({"role": "assistant", "content": "words and " * n,
                      "finish_reason": "stop"}))
P
py "$(paced 200)" >../got <<'P'
def spent(): return int(open("/proc/%d/schedstat" % t.pid).read().split()[0]) / 1e6
def until(end):
    while time.time() < end: t.more(end)
def frame():		# bytes for a key, and to take it back
    before = len(t.all)
    t.type("q"); t.sees("q"); until(time.time() + 0.1)
    t.type("\x7f"); until(time.time() + 0.1)
    return len(t.all) - before
t = chat("-o", sys.argv[1])
t.sees("sandbox"); t.sees("> ")
first = frame()
t.type("go\r"); t.sees("words and words"); until(time.time() + 0.2)
begun, cpu, shown = time.time(), spent(), len(t.all)
until(begun + 1)
cpu = (spent() - cpu) / (time.time() - begun) / 10
print("cheap" if cpu < 5 else cpu, "few" if len(t.all) - shown < 30000 else
      len(t.all) - shown)
t.type("\x03"); t.sees("interrupted"); t.sees("> ")
t.type("\x15\x15!seq 100000\r"); t.sees("\n99999"); t.sees("> ")
until(time.time() + 0.2); t.type("\x15")
last = frame()
print("the same" if abs(first - last) < 20 else (first, last))
memory = int(re.search("VmRSS: *([0-9]+)", open("/proc/%d/status" % t.pid)
             .read().replace("\t", " ")).group(1))
print("small" if memory < 40000 else memory)
t.type("\x04"); t.end()
P
if grep -q __asan_init "$BIN/hamr-loop"; then
	skip "what it costs" "programs that watch themselves are slow"
else
	is "a frame is cheap at 200 tokens a second, and after 100,000 lines" \
	    "$(cat ../got)" "cheap few
the same
small"
fi

# --- sizes that cannot be, a storm of them, frames that are put at once
answer "Some *text* with 日本語 and \`code\`." >script
py >../got <<'P'
import fcntl, struct
def size(rows, columns):
    fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
t = chat(); t.sees("\x1b[c")
t.type("\x1b[?2026;2$y\x1b[?62;22c"); t.sees("\x1b[?2026h"); t.sees("> ")
t.type("go\r"); t.sees("done")
for rows, columns in (1, 1), (2, 3), (3, 2), (1, 300), (300, 1), (65535, 65535), (0, 0):
    size(rows, columns); t.type("x"); t.sees("\x1b[?2026l")
for i in range(300):
    size(1 + i * 7 % 30, 1 + i * 13 % 90); t.more(time.time() + 0.001)
size(20, 60); t.type("yz"); t.sees("> xxxxxxxyz")
t.type("\x15\x15\x15"); t.type("\x04"); t.end()
print(t.all.count(b"\x1b[?2026h") == t.all.count(b"\x1b[?2026l"))
P
is "any size, and a storm of them; a frame is one (mode 2026)" "$(cat ../got)" True

py >../got <<'P'
t = chat("--resume=none", mute=True); t.sees("\x1b[c")
tty = os.open("/proc/%d/fd/0" % t.pid, os.O_RDWR | os.O_NOCTTY)
t.type("\x1b[>84;0;0c\x1b[?1;2c"); os.waitpid(t.pid, 0)
mode = termios.tcgetattr(tty); mode[3] &= ~termios.ICANON
mode[6][termios.VMIN] = 0; termios.tcsetattr(tty, termios.TCSANOW, mode)
print(os.read(tty, 99))
P
is "a chat that fails at once leaves no replies to the shell" "$(cat ../got)" "b''"

# --- the environment
{ for _ in 1 2 3 4; do answer "# Head

Some *text* with 日本語 and \`code\`."; done; } >four
mkdir fake && for f in md4c.so.0 utf8proc.so.2 utf8proc.so.3; do
	echo none >fake/lib$f
done
cat >../shows.py <<'P'
enter = "\n" if os.environ["TERM"] in ("", "dumb") else "\r"
t = chat(); t.sees("> "); t.type("go" + enter)
t.sees("日本語"); t.sees("step"); t.type("exit" + enter)
t.end()
print("SGR" if re.search(rb"\x1b\[[0-9;]*m", t.all) else "no SGR",
      "ESC" if b"\x1b" in t.all else "no ESC",
      "marks" if b"*text*" in t.all else "no marks")
P
for e in A=1 NO_COLOR=1 LC_ALL=C LD_LIBRARY_PATH="$PWD/fake" TERM=dumb TERM=; do
	cp four script
	echo "${e%%=*}: $(export "${e?}"; py <../shows.py)"
done >../got
is "without colour, locale, libraries, or a terminal that can do anything" \
    "$(cat ../got)" "A: SGR ESC no marks
NO_COLOR: no SGR ESC marks
LC_ALL: SGR ESC no marks
LD_LIBRARY_PATH: SGR ESC marks
TERM: no SGR no ESC marks
TERM: no SGR no ESC marks"

# --- bytes that are not UTF-8, on a terminal that edits lines itself
fresh bytes
{ call bash '{"command":"touch begun; until test -e go; do sleep 0.05; done"}'
answer One.; answer Two.; } >script
TERM=dumb py >../got <<'P'
t = chat(); t.sees("> "); os.write(t.fd, b"a\xe6\xbc/\xffb\n")
while not os.path.exists("begun"): t.more(time.time() + 0.05)
os.write(t.fd, b"c\xff\nd\n"); time.sleep(0.3); open("go", "w").close()
t.sees("step"); t.type("exit\n"); print(t.end())
P
is "are told to the model as U+FFFD, pasted lines as one message" "$(cat ../got) $(hamr-guard --no-config -q \
    .hamr/sessions/*.ndjson | jq -r 'select(.meta.by == "user").content | @json')" "0 \"a��/�b\"
\"c�\nd\""
echo "edited" >text
TERM=dumb EDITOR="cp text" py >../got <<'P'
t = chat(); t.sees("> "); t.type("/help\n"); help = t.sees("> ")
print(b"Ctrl-C" in help, b"Tab" in help)
t.type("/edit\n"); t.sees("> edited\r\n"); t.sees("step"); t.sees("> ")
t.type("\x13"); os.kill(t.pid, signal.SIGTERM); print(t.end())
P
is "such a terminal has no keys of ours, but /edit; paused, it is left at once" \
    "$(cat ../got)" "True False
130"

# --- a folder whose name has two lines
fresh "two
  mode     docs"
answer "One." >script
TERM=dumb py >../got <<'P'
t = chat(); t.sees("> "); t.type("exit\n"); t.end()
print(len(re.findall(rb"(?m)^  mode ", t.all)))
P
is "has one row when a chat begins" "$(cat ../got)" 1

# --- line by line nothing is left out: a failed command's end, each answer
{ call bash '{"command":"seq 20; false"}'; answer "I will now mend it."
answer "I give *up*."; } >script
ACCESSIBLE=1 py <<'P' | tr -d '\r' | grep -v -e '^  folder' -e '^  mode' \
    -e '^  model' -e '^  bash' -e '^  sandbox' -e '^done' -e '^stopped' \
    -e '^hamr' >../got
t = chat("-o", "ui.output_lines=2",
         "-o", "ui.theme=none",
         "-o", "verification.defaultCommand=seq 96 99; false")
t.sees("sandbox"); t.sees("> "); t.type("go\n"); t.sees("step"); t.sees("> ")
t.type("/output\n"); t.sees("20"); t.sees("> ")
t.type("/verify\n"); t.sees("  99\r\n"); t.sees("> "); t.type("exit\n"); t.end()
print(t.all.decode())
P
is "a screen reader hears the end of a failed command, and each answer" \
    "$(head -n 8 ../got)" "> go
    ... (18 lines before; /output shows all)
    19
    20
I will now mend it.
  the last command failed; told the model to fix that
I give *up*.
> /output"
is "... and that of a failed check, once" "$(sed -n '/^> .verify/,/^> exit/p' \
    ../got)" "> /verify
  checked with seq 96 99; false: failed, exit 1
    ... (2 lines before; /output shows all)
    98
    99
> exit"

{ call bash '{"command":"seq 200000; false"}'; answer "It fails."
answer "It fails."; } >script
ACCESSIBLE=1 py >../got <<'P'
t = chat("-o", "ui.output_lines=2")
t.sees("sandbox"); t.sees("> "); t.type("go\n"); t.sees("lines before")
print(re.findall(rb" (\d+)", t.sees("It fails"))); t.sees("> ")
t.type("/output\n"); t.sees("left out; all of it is in .hamr/out/")
t.sees("200000"); t.sees("> "); t.type("exit\n"); print(t.end())
P
is "of much output, too, the last lines stay" "$(cat ../got)" \
    "[b'199999', b'200000']
0"

fresh last
{ call bash '{"command":"echo printed; false"}' |
    sed 's/"content":null/&,"reasoning":"It was thought."/'
answer "It fails."; answer "It does."; answer Next.; } >script
ACCESSIBLE=1 py >../got <<'P'
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("go\n"); t.sees("It does."); t.sees("> ")
t.type("/thinking\n"); t.sees("    It was thought."); t.sees("> ")
t.type("next\n"); t.sees("Next."); t.sees("> ")
t.type("/mode docs\n"); t.sees("now docs"); t.sees("> ")
t.type("exit\n"); t.end()
t = chat("--resume"); t.sees("Next."); t.sees(", mode docs"); t.sees("> ")
print("patch" in t.all.decode())
t.type("/thinking\n"); t.sees("    It was thought."); t.sees("> ")
t.type("/output\n"); t.sees("    printed"); t.sees("> ")
t.type("!echo ran\n"); t.sees("ran\r\n"); t.sees("> ")
t.type("/new\n"); t.sees("new session"); t.sees("> ")
t.type("/thinking\n"); t.sees("no reasoning yet"); t.sees("> ")
t.type("exit\n"); print(t.end())
P
is "a session that is resumed: its mode, /thinking and /output" \
    "$(cat ../got)" "False
0"
is "a command of one's own leaves it completed" "$(hamr-loop --no-config \
    --resume </dev/null 2>&1; hamr-loop --sessions --json |
    jq -r .status)" "Next.
completed"

# --- the terminal goes away: nothing is sent that was not, nothing is lost
fresh away
export XDG_STATE_HOME=$T/away/state
cat >../away.py <<'P'
term, typed = os.environ["TERM"], sys.argv[1]
enter = "\n" if term == "dumb" else "\r"
t = chat(); t.sees("> ")
if term != "dumb": t.sees("sandbox")
for part in sys.argv[2:]:
    t.type(part.replace("~", enter))
    if part[-1] == "~": t.sees("sleep 66.2")
    elif term != "dumb": t.sees(part)
if typed == "close":
    os.close(t.fd)
else:
    t.type("\x04\x04")
begun = time.time()
while os.waitid(os.P_PID, t.pid, os.WEXITED | os.WNOHANG) is None:
    if time.time() > begun + 20 * SLOWER: t.fail("does not end")
    time.sleep(0.01)
P
away() {	# TERM, how, what is typed: what the model was told, the end, kept
	rm -rf .hamr state
	{ call bash '{"command":"sleep 66.2; touch made"}'; answer never; } >script
	TERM=$1 py "${@:2}" <../away.py
	echo "$(cat .hamr/sessions/*.ndjson 2>/dev/null | jq -r 'select(.role ==
	    "user" or .type == "end") | .content // .status' | paste -sd,)" \
	    "$(jq -r . state/hamr/history 2>/dev/null | paste -sd,)"
}
is "closed in mid-line" "$(away xterm close 'half a line')" ' half a line'
is "... where the terminal edits it" "$(away dumb close 'half a line')" " "
is "... or ends it" "$(away dumb end 'half a line')" " "
is "closed in a call, with a draft" "$(away xterm close 'go~' 'half')" \
    "go,interrupted go,half"
ok "nothing was done" test ! -e made
unset XDG_STATE_HOME

# --- the terminal is as it was, however it ends
fresh given
{ call bash '{"command":"sleep 66.1"}'; answer never; } >script
# a sanitizer would take the crash for itself
ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0:handle_abort=0
export ASAN_OPTIONS
for how in "SIGTERM" "SIGHUP" "SIGSEGV" "SIGABRT" "SIGQUIT"; do
	cat >end.py <<P
t = chat()
t.sees("> "); t.type("go\r"); t.sees("sleep 66.1")
os.kill(t.pid, signal.$how)
t.end()
on, off = t.all.count(b"\x1b[?2004h"), t.all.count(b"\x1b[?2004l")
print("given back" if on == off > 0 else (on, off))
P
	py <end.py >got
	is "after $how" "$(cat got)" "given back"
done

# --- a terminal that nobody reads: the turn goes on, and we can be ended
fresh stalled
jq -cn '{role: "assistant", content: ([range(3000)] | map("Line \(.) of an "
    + "answer that fills whatever a terminal keeps.\n\n") | add),
    finish_reason: "stop"}' >answer
cat >../stalled.py <<'P'
import glob
t = chat(*sys.argv[2:])
if len(sys.argv) == 2:
    t.sees("sandbox"); t.sees("> "); t.type("go\r")
until = time.time() + 30
while time.time() < until and not any('"role":"assistant"' in open(f).read()
        for f in glob.glob(".hamr/sessions/*.ndjson")): time.sleep(0.02)
if time.time() >= until: t.fail("the turn did not go on")
if sys.argv[1] == "read":
    t.sees("Line 0 "); t.sees("Line 2999 "); t.sees("done"); t.type("\x04")
    t.end(); print("all of it"); sys.exit()
with t.held():
    begun = time.time(); os.kill(t.pid, getattr(signal, "SIG" + sys.argv[1]))
    while os.waitid(os.P_PID, t.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.time() > begun + 20 * SLOWER: t.fail("does not end")
        time.sleep(0.01)
    print("in time" if time.time() < begun + SLOWER else time.time() - begun,
          termios.tcgetattr(t.fd)[3] & termios.ICANON != 0)
t.end()
on = t.all.rfind(b"\x1b[?2004h")	# a task alone takes no keys
print(t.all.rfind(b"\x1b[?2004l") > on or on < 0,
      t.all.rfind(b"\x1b[?7h") >= t.all.rfind(b"\x1b[?7l"))
P
for how in TERM HUP QUIT "TERM go" read; do
	rm -rf .hamr
	cp answer script
	# shellcheck disable=SC2086
	is "a terminal that nobody reads: $how" \
	    "$(py ${how%% *} ${how#"${how%% *}"} <../stalled.py | paste -sd' ')" \
	    "$([ "$how" = read ] && echo "all of it" || echo "in time True True True")"
done

rm -rf .hamr
cp answer script
py >../got <<'P'
import glob
t = Terminal(["sh", "-c", "hamr-loop --no-config --yes --replay script go | cat"])
until = time.time() + 30
while time.time() < until and not any('"type":"end"' in open(f).read()
        for f in glob.glob(".hamr/sessions/*.ndjson")): time.sleep(0.02)
t.end()
rows = t.all[:t.all.index(b"keeps.\r\n\r\nLine 1 ")]	# cat's
print(max(rows.rfind(b"\r\x1b[J"), rows.rfind(b"\n\x1b[J")) > rows.rfind(b"step 1"))
P
is "the live rows are gone before another program has the answer" \
    "$(cat ../got)" True
rm -rf .hamr
cp answer script
: >../said
py >../got <<'P'
t = Terminal(["sh", "-c", "exec hamr-loop --no-config --yes --replay script go >../said"])
t.type("\x13")			# Ctrl-S
until = time.time() + 20
while time.time() < until and not os.path.getsize("../said"): time.sleep(0.02)
print(time.time() < until); t.type("\x11"); t.end()
P
is "... which a paused terminal keeps from no file" "$(cat ../got)" True

# --- three widths, and another one in between
if ! command -v tmux >/dev/null 2>&1; then
	skip "three widths" "tmux is not installed"
	done_testing
	exit 0
fi
fresh wide
jq -cn '{role: "assistant", content: ("# Heading\n\n" + "It has a sentence "
    + "that is longer than forty columns, and 日本語 at the end.\n\n"
    + "```c\nint a_line_of_code_that_is_longer_than_forty_columns(void);\n```\n"
    + "\n| name | what |\n|---|---|\n| a | first |\n"), finish_reason: "stop"},
    {role: "assistant", content: null, tool_calls: [{id: "b", type: "function",
    function: {name: "bash", arguments: "{\"command\":\"seq 20; false\"}"}}],
    finish_reason: "tool_calls"}, {role: "assistant", content: "Failed.",
    finish_reason: "stop"}, {role: "assistant", content: ("It was told to "
    + "fail, so that is fine."), finish_reason: "stop"}' >script
for columns in 40 80 140; do
	open_screen $columns 40 "hamr-loop --no-config --yes \
	    --replay script; echo status \$?; sleep 60"
	sees "$columns columns: the rows at the bottom" '*sandbox*
>*
  patch*'
	tm send-keys -t c 'show it' Enter
	sees "... an answer" '*Heading*日本語*name*what*first*
done *
>*
  patch*'
	is "... whose code is one line" "$(tm capture-pane -p -J -S - -t c |
	    grep -cxF 'int a_line_of_code_that_is_longer_than_forty_columns(void);')" 1
	is "... and no row is wider" "$(screen | awk -v n=$columns \
	    'length($0) > n' | wc -l)" 0
	tm send-keys -t c 'run it' Enter
	sees "... the end of what failed" '*lines before; Ctrl-O*
    9
*    20*Failed.*last command failed*so that is fine.*done *'
	tm send-keys -t c C-o
	sees "... and all of it" '*
    1
    2
    3*'
	tm send-keys -t c 'typed'
	sees "... typed" '*> typed*'
	tm resize-window -t c -x $((columns - 9)) -y 30
	tm send-keys -t c ' more'
	sees "... the input after another width" '*> typed more
  patch*'
	is "... stands there once" "$(screen | grep -c '> typed')" 1
	tm send-keys -t c C-u C-d
	sees "... and it ends" '*status 0*'
done

# --- what is said plainly
fresh words
{ answer "I will now read the file f."; answer "The file f says hello."
answer "It is right as it stands there."; } >script
open_screen 80 40 "hamr-loop --no-config --yes --replay \
    script; sleep 60"
sees "a chat" '*sandbox*>*'
tm send-keys -t c 'look' Enter
sees "what the model is told is told, in plain words" \
    '*told the model: it announced what comes next*done *'
tm send-keys -t c '/etc/hosts is wrong' Enter
sees "a path is no command" '*> /etc/hosts is wrong*'
tm send-keys -t c '/stat' Enter
sees "the nearest is told" '*no command /stat; did you mean /status?*'
tm send-keys -t c '/clear' Enter
sees "... or what ours is called" '*no command /clear; did you mean /new?*'
mkdir -p .hamr/commands && echo 'Say $1.' >.hamr/commands/deploy.md
tm send-keys -t c '/DIF' Enter
sees "... in capital letters" '*no command /DIF; did you mean /diff?*'
tm send-keys -t c '/depoly' Enter
sees "... or the person's own" '*no command /depoly; did you mean /deploy?*'
tm send-keys -t c '/' Enter
sees "a slash alone is no message" '*no command /; /help lists them*'
tm send-keys -t c '/status' Enter
sees "/status" '*session 2*, 2 turns*a turn *at most 64 steps*'
tm send-keys -t c '/cost and a message' Enter
sees "what stands behind a command is not dropped" \
    '*/cost takes no argument; Up brings your text back*'
mkdir -p .hamr/commands && echo 'Say $1.' >.hamr/commands/say.md
tm send-keys -t c '/say hello' Enter
sees "a project's own command wants trust" '*not trusted*hamr-loop --trust*'
tm send-keys -t c '/copy' Enter
sees "the last answer is copied" '*copied 1 line*'
tm send-keys -t c '/cost' Enter
sees "/cost" '*> /cost*tokens *none counted yet*'
f=$(ls .hamr/sessions/*.ndjson)
sed 's/"content":"look"/"content":"look into every file that is here, and say what it is for"/' \
    "$f" >"${f%/*}/20260101T000000Z-aaaa.ndjson"
tm send-keys -t c '/sessions' Enter
sees "/sessions has a row for each, cut at the edge" '*> /sessions
SESSION * TASK
20260101T000000Z-aaaa * look into every file th…
2* look
*'
rm "${f%/*}/20260101T000000Z-aaaa.ndjson"
tm send-keys -t c '/resume' Enter
sees "/resume offers the sessions" '*> /resume*
> 2*min  look*step*'
tm send-keys -t c 'wrong?'
sees "... of which none has that word" '*> /resume wrong?
  *'
tm send-keys -t c C-u '/resume ' Tab 'LOO'
sees "... and one is found by its task" '*> /resume LOO
> 2*look*'
tm send-keys -t c C-u 'exit' Enter
sees "exit leaves" '*hamr-loop --resume=*'

# --- /copy counts the code blocks of a turn, whichever answer they are in
fresh copies
block() { printf '%s\n```\n%s\n```\n' "$@"; }
{ call read '{"path":"f"}' | jq -c --arg t "$(block First one; block Then two)" \
    '.content = $t'
answer "$(block "It is done." three)"; answer "No code."; } >script
py >../got <<'P'
import base64
def copied(what):
    t.type(what + "\r"); t.sees("\x1b]52;c;")
    return base64.b64decode(t.sees("\a")[:-1]).decode().strip()
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("go\r"); t.sees("/copy 2"); t.sees("/copy 3"); t.sees("done  ")
t.type("/last\r"); t.sees("/copy 3")
print(*[copied("/copy" + n) for n in (" 1", " 2", " 3", "")])
t.type("/copy 4\r"); t.sees("the turn has no such code block")
t.type("/copy 0\r"); t.sees("usage: /copy")
t.type("go\r"); t.sees("done  ")
t.type("/copy 1\r"); t.sees("the turn has no such code block")
print(copied("/copy"))
t.type("\x04"); t.end()
P
is "/copy N is block N of the turn, /copy the last answer's" "$(cat ../got)" \
    "one two three three
No code."

# --- reasoning is one line; a commit message by the model
fresh thinks
jq -cn '{role: "assistant", content: "Set the file right.", reasoning:
    "First I look,\nthen I leap.", finish_reason: "stop"}' >script
git add f && git -c user.name=t -c user.email=t@t commit -qm one && echo new >f
git config user.name t && git config user.email t@t
open_screen 80 40 "hamr-loop --no-config --yes --replay \
    script -o '$(paced 4)'; sleep 60"
sees "a chat" '*sandbox*>*'
tm send-keys -t c 'think' Enter
sees "reasoning is one line" '*  thinking … 0:01
Set the file right.*done *'
tm send-keys -t c C-t
sees "... its text comes with Ctrl-T" '*  the model*s last reasoning:
    First I look,
    then I leap.*'
tm send-keys -t c '/commit' Enter
sees "a commit is asked about; git does not know the script" '*> /commit
new files stay out until git add: script
Set the file right.
git commit -a? (y/n)*'
sleep 0.6			# what a question wants of quiet
tm send-keys -t c y
sees "... and made" '*1 file changed*
>*'
is "... with that message" "$(git log -1 --format=%s)" "Set the file right."

# --- a hook that hangs is stopped; a message's controls are not committed
fresh hangs
answer "$(printf 'Set \033[2Jit.')" >script
git add f && git -c user.name=t -c user.email=t@t commit -qm one && echo new >f
git config user.name t && git config user.email t@t
printf '#!/bin/sh\ntest -e ../go || sleep 61.3\n' >.git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
cp .git/hooks/pre-commit .git/hooks/reference-transaction
sed -i 2d .git/hooks/reference-transaction
cat >../commit.py <<'P'
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("/commit\r")
t.sees("which runs pre-commit reference-transaction? (y/n)")
t.answer("y")
if len(sys.argv) > 1:
    t.sees("1 file changed")
else:
    t.answer("\x03"); t.sees("git was stopped")
t.type("exit\r")
print(t.end())
P
is "a hook that hangs is stopped by Ctrl-C" "$(py <../commit.py)" 0
is "... and nothing of it is left" "$(pgrep -f '^sleep 61.3' | wc -l)" 0
touch ../go
is "the next one commits" "$(py made <../commit.py)" 0
is "... without controls" "$(git log -1 --format=%s)" "Set [2Jit."
echo newer >f
# Enter is a no
for answer in ':not committed' 'y:1 file changed'; do
	is "on a terminal that edits its lines itself ${answer#*:}" \
	    "$(ACCESSIBLE=1 answer=$answer py <<'P'
import os
line, told = os.environ["answer"].split(":")
t = chat(); t.sees("> "); t.type("/commit\n")
t.sees("(y/n)"); t.type(line + "\n"); t.sees(told); t.type("exit\n")
print(t.end())
P
)" 0
done
mkdir ../ungit && cp script ../ungit
is "where there is no repository" "$(cd ../ungit && ACCESSIBLE=1 py <<'P'
t = chat(); t.sees("> "); t.type("/commit\n")
t.sees("this folder is in no git repository"); t.type("exit\n")
print(t.end())
P
)" 0
mkdir ../asleep
printf '#!/bin/sh\nexec sleep 61.7\n' >../asleep/git && chmod +x ../asleep/git
is "... while git looks for changes, keys and Ctrl-C go on" \
    "$(PATH=$PWD/../asleep:$PATH py <<'P'
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("/commit\r"); t.sees("0:01"); t.type("draft"); t.sees("> draft")
t.type("\x15\x03"); t.sees("nothing was committed"); t.type("exit\r")
print(t.end())
P
)" 0

# --- the terminal is as it was, whatever ends us
fresh ended
{ call bash '{"command":"sleep 2"}'; answer "It is done now."; } >script
py >../got <<'P'
for number in signal.SIGUSR1, signal.SIGALRM, signal.SIGXCPU:
    t = chat(); t.sees("\x1b[?2004h"); t.sees("> ")
    os.kill(t.pid, number)
    print(t.end() == -number, b"\x1b[?2004l" in t.all)
t = chat(); t.sees("\x1b[?2004h"); t.sees("> ")
t.type("\x1b[?5u")
until = time.time() + 0.2
while time.time() < until: t.more(until)
os.kill(t.pid, signal.SIGTERM)
print(t.end(), b"\x1b[<u" in t.all)
os.environ["ACCESSIBLE"] = "1"		# it edits its lines itself
t = chat(); t.sees("sandbox"); t.sees("> ")
os.kill(t.pid, signal.SIGTERM)
print(t.end())
P
is "the terminal is given back, and nothing that was not taken" \
    "$(tr '\n' ' ' <../got)" "True True True True True True 130 False 130 "

# --- a row that a terminal takes for wider than we do is not broken by it
fresh wider
{ call bash '{"command":"sleep 1"}'; answer "It is done now."; } >script
py >../got <<'P'
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("go\r"); t.sees("\x1b[1m> go"); t.sees("sleep 1")
print(b"queued: go" not in t.all)	# nothing ran: it was taken at once
t.type("\u0915\u094d\u0937\u093f" * 60); t.type("\r"); t.sees("queued: ")
before = t.all[:t.all.rindex(b"queued: ")]
print(before.rfind(b"\x1b[?7l") > before.rfind(b"\x1b[?7h"))
t.sees("done  "); t.type("\x04"); t.end()
print(t.all.count(b"\x1b[?7l") == t.all.count(b"\x1b[?7h"))
P
is "it is cut at the edge" "$(tr '\n' ' ' <../got)" "True True True "

# --- a history that is no file is none
fresh fifo
answer "It is done now." >script
mkdir -p state/hamr && mkfifo state/hamr/history
export XDG_STATE_HOME=$PWD/state
py >../got <<'P'
t = chat(); t.sees("> "); t.type("exit\r"); print(t.end())
P
is "a FIFO for a history is not waited for" "$(cat ../got)" 0
# --- at 40 columns: a question, how a turn ends, /help
fresh narrow
{ jq -cn '{role: "assistant", content: null, tool_calls: [{id: "r", type:
    "function", function: {name: "read", arguments: "{\"path\":\"f\"}"}}],
    finish_reason: "tool_calls"}, {role: "assistant", content: null,
    tool_calls: [{id: "e", type: "function", function: {name: "edit", arguments:
    "{\"path\":\"f\",\"old\":\"hello\",\"new\":\"good day\"}"}}],
    finish_reason: "tool_calls"}'
answer "# It is made"; } >script
open_screen 40 60 "hamr-loop --no-config --replay script; \
    sleep 60"
sees "a chat" '*sandbox*>*'
tm send-keys -t c 'change it' Enter
sees "a key and what it does are in one row" '*
edit f  2 lines changed
     1 -hello
     1 +good day
y yes;  v view;
a always in this session;
A always in this repository;  n no;
r no, and say why;  e edit first;
Esc no, and stop
allow this edit?
>*'
sleep 0.6			# what a question wants of quiet
tm send-keys -t c y
sees "a diff is shown once, with its numbers" '*
  read f*
  edit f  +1 -1*
     1 -hello
     1 +good day
It is made
done *'
tm send-keys -t c 'more' Enter
sees "how a turn ended is in words" '*stopped: no usable answer from the*'
mkdir -p "$XDG_CONFIG_HOME/hamr/commands"
printf -- '---\ndescription: "Look at a file"\n---\nLook at $1.\n' \
    >"$XDG_CONFIG_HOME/hamr/commands/look.md"
tm send-keys -t c '/help' Enter
sees "/help keeps its columns" '*
settings
  /model \[NAME]    another model
*own
  /look            Look at a file
*'
tm send-keys -t c '/look f' Enter
sees "a command of one*s own" '*> /look f
stopped*'
is "... is sent without its front matter" "$(jq -r 'select(.role == "user") |
    .content' .hamr/sessions/*.ndjson | grep -c -e '^Look at f' -e descr)" 1
echo 'Review it.' >"$XDG_CONFIG_HOME/hamr/commands/review.md"
tm send-keys -t c '/review the lexer' Enter
sees "another one" '*> /review the lexer
stopped*'
is "... what it has no place for follows its text" "$(jq -r 'select(
    .role == "user") | .content' .hamr/sessions/*.ndjson | tail -n 3)" \
    "Review it.

the lexer"
printf -- '---\ndescription: None\n---\n' \
    >"$XDG_CONFIG_HOME/hamr/commands/none.md"
tm send-keys -t c '/none' Enter
sees "... one that has no text is not sent" '*that command?s file is empty*'
echo '$ARGUMENTS' >"$XDG_CONFIG_HOME/hamr/commands/just.md"
tm send-keys -t c '/just' Enter
sees "... nor one of arguments without any" '*that command needs arguments*'
tm send-keys -t c '/export' Enter
sees "/export" '*> /export*written:*>*'
is "... a path that is wider than the terminal is one line" "$(tm capture-pane \
    -pJ -t c | grep -c '^/.*/\.hamr/exports/2.*\.html$')" 1

# --- a question on 20 columns and 9 rows: what is asked about, keys, the input
fresh small
{ call read '{"path":"f"}'
call edit '{"path":"f","old":"hello","new":"good day"}'
call bash '{"command":"make test CFLAGS=-O2 && echo much >where/ever/it/goes"}'
answer "It is made"; } >script
open_screen 20 9 "hamr-loop --no-config --replay script; \
    sleep 60"
small() { shows "$1" "$2" tm capture-pane -p -t c; }	# the nine rows alone
small "a chat on 20 columns and 9 rows" '*sandbox*
>*
  patch*'
tm send-keys -t c 'change it' Enter
small "its question has the change, its keys and the input" '*
edit f
  2 lines changed
     1 -hello
     1 +good day
y v a A n r e Esc
>
  patch  step 2'
tm resize-window -t c -x 10 -y 12
small "on 10 columns its keys take two rows" '*
y v a A n
r e Esc
*
  patch*'
tm resize-window -t c -x 20 -y 9
small "... and one again" '*good day
y v a A n r e Esc
>
  patch  step 2'
sleep 0.6
tm send-keys -t c y
small "a long command is cut, and says so" '*
make test CFLAGS=-O
1 line not shown
y v a A n r e Esc
>
  patch  step 3'
sleep 0.6
tm send-keys -t c a
small "what would be allowed always is shown whole" '*
always allow: make
test CFLAGS=-O2 &&
echo much >where/ev
er/it/goes  (Enter)
>
  patch  step 3'
tm send-keys -t c Escape
sleep 0.7
tm send-keys -t c n
small "a no, and the turn goes on" '*It is made
done *'
tm resize-window -t c -x 20 -y 2
sleep 0.4
tm send-keys -t c 'a draft'
small "of two rows one is the input" '*> a draft*'

# --- a task alone, without the chat, whose terminal changes its size
fresh plain
{ call bash '{"command":"seq 3; until test -e go; do sleep 0.1; done"}'
answer "It is done now, and all of it is in the answer's one row."; } >script
# (not in the first row: tmux keeps what is erased from there on)
open_screen 80 20 "echo begun; hamr-loop --no-config --yes \
    --replay script go; echo status \$?; sleep 60"
small "a task alone has its row, too" '*? 0:0? *bash seq 3*
    3
*step 1*'
turning() { tm capture-pane -p -t c | grep -o '. 0:0.'; }
for size in "40 12" "100 30"; do
	tm resize-window -t c -x "${size% *}" -y "${size#* }"
	was=$(turning)
	for ((i = 0; i < 600; i++)); do [ "$(turning)" != "$was" ] && break
		sleep 0.05; done
	small "... at $size, once" '*
    3
*step 1*'
	is "... and nothing of the old one" "$(tm capture-pane -p -S - -t c |
	    grep -c -e '0:0' -e step)" 2
done
touch go
small "... and it ends" '*answer*s one row.*status 0*'

# --- a terminal whose size changes all the time: tmux tells of it late, and
# breaks what was erased in a row as well
fresh sizes
python3 - >script <<'P'
import json
print(json.dumps({"role": "assistant", "finish_reason": "stop",
                  "content": "\n\n".join("row%03d" % i for i in range(150))}))
P
open_screen 160 30 "hamr-loop --no-config --yes --replay \
    script -o '$(paced 100)'; sleep 60"
small "a chat on 160 columns" '*sandbox*
>*
  patch*'
tm send-keys -t c "$(printf 'x%.0s' {1..150})"
small "a long draft" '*xxx
  patch*'
tm send-keys -t c C-u abc C-j def
small "and a short one in its place" '*
> abc
  def
  patch*'
tm resize-window -t c -x 40 -y 30
sleep 0.4
small "which stands there once when the terminal is narrow" '*
> abc
  def
  patch*'
is "... and nothing above it is lost" "$(tm capture-pane -p -S - -t c |
    grep -cE 'sandbox|abc')" 2
# (while nothing is on its way to it: tmux reads that after it has broken the
# rows anew, and nobody could tell)
tm resize-window -t c -x 150 -y 30
tm send-keys -t c C-u C-u C-u go Enter
tm send-keys -t c "$(printf 'x%.0s' {1..150})"
for size in 33 99 25 180 60 140 30 101 44; do
	sleep 0.11
	tm resize-window -t c -x $size -y 30
done
small "an answer ends" '*row149
done *xxx*'
# (polled: tmux may show a frame that it has read only half of)
rows_shown() { screen | grep -oE '^row[0-9]{3}$' | uniq | wc -l; }
shows "each row of it stands there" 150 rows_shown

# --- a stage that is killed in a turn is started again, and the rows go on
fresh killed
for stage in guard tool; do
	rm -rf .hamr go
	{ call bash '{"command":"until test -e go; do sleep 0.1; done"}'
	call read '{"path":"f"}'; answer "It is done now."; } >script
	py "$stage" >../got <<'P'
import subprocess
def pid():
    return subprocess.run(["pgrep", "-P", str(t.pid), "-x", "hamr-" + sys.argv[1]],
                          capture_output=True, text=True).stdout.split()
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("go\r"); t.sees("bash until"); t.sees("0:01")
old = pid(); os.kill(int(old[0]), signal.SIGKILL)
t.type("a draft"); t.sees("> a draft")
open("go", "w").close()
t.sees("It is done now."); t.sees("done  "); t.sees("> a draft")
print(len(old), old != pid())
t.type("\x15"); t.type("\x04")
print(t.end())
P
	is "hamr-$stage is killed in a turn: it goes on" "$(cat ../got)" "1 True
0"
done

# --- a y/n question: a sentence that is being typed is no answer
fresh yesno
{ call write '{"path":"new","content":"x\n"}'; answer Written.; } >script
py >../got <<'P'
import fcntl, struct
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("go\r"); t.sees("done  ")
t.type("/undo\r"); t.sees("(y/n)"); t.answer("ma"); t.sees("> ma")
t.answer("y"); t.sees("> may"); print(os.path.exists("new"))
fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 30, 0, 0))
t.sees("(y/n)")
t.type("\t"); t.answer("y"); t.sees("removed new"); t.sees("> may")
t.type("\x15"); t.type("\x04")
print(t.end())
P
is "a draft answers no y/n question, Tab and y do; it is redrawn at a new size" \
    "$(cat ../got)" "True
0"

# --- programs that have the terminal for a while
fresh lent
cat >../stops <<'X'
#!/bin/sh
printf '%s' ' and what the editor wrote' >>"$1"
kill -TSTP 0
X
cat >../breaks <<'X'
#!/bin/sh
trap '' INT
kill -INT 0
stty -opost
sleep 0.2
echo paged
X
cat >../halts <<'X'
#!/bin/sh
printf '%s' ' and more' >>"$1"
kill -STOP $$
X
chmod +x ../stops ../breaks ../halts
{ call write '{"path":"new","content":"x\n"}'; answer Written.; } >script
py >../got <<'P'
os.environ.update(EDITOR="../stops", PAGER="../breaks")
t = Terminal(["bash", "-c", "set -m; hamr-loop --no-config --replay script; "
              "echo stopped $?; fg; echo end $?; read _"], columns=120)
t.sees("sandbox"); t.sees("> ")
t.type("a draft"); t.sees("> a draft"); t.type("\x07"); t.sees("stopped 148")
t.sees("> a draft and what the editor wrote")
t.answer("\r"); t.sees("allow this write?"); t.answer("v"); t.sees("paged"); t.sees("allow this")
t.answer("y"); t.sees("done  ")
t.type("\x04"); t.sees("end 0")
print("as it was" if termios.tcgetattr(t.fd)[1] & termios.OPOST else "raw")
t.type("\r"); t.end()
P
is "an editor's Ctrl-Z stops all; a pager's Ctrl-C and modes are its own" \
    "$(cat ../got)" "as it was"
py >../got <<'P'
os.environ.update(EDITOR="../halts")
t = Terminal(["bash", "-c", "set -m; hamr-loop --no-config --replay script; "
              "echo stopped $?; fg; echo end $?; read _"], columns=120)
t.sees("sandbox"); t.sees("> ")
t.type("a draft"); t.sees("> a draft"); t.type("\x07"); t.sees("stopped 148")
t.sees("> a draft and more"); t.answer("\x15"); t.sees("> ")
print(t.all.count(b"\x1b[?2004h", t.all.index(b"stopped 148")))
t.type("\x04"); t.sees("end 0"); t.type("\r")
print(t.end())
P
is "one that stops only itself stops all, too; the screen is taken once" \
    "$(cat ../got)" "1
0"
answer "$(printf 'word%03d ' {1..200})" >script
py "$(paced 200)" >../got <<'P'
t = Terminal(["bash", "-c", "set -m; hamr-loop --no-config --replay script "
              "-o \"$1\"; echo stopped $?; stty cols 40; fg", "-", sys.argv[1]])
t.sees("sandbox"); t.sees("> "); t.type("go\r"); t.sees("word020"); t.type("\x1a")
t.sees("stopped 148"); t.sees("done  ")
print(re.findall(rb"(?:word\d{3} ){6}", t.all[t.all.index(b"stopped 148"):]))
t.type("\x04"); print(t.end())
P
is "a terminal made narrow meanwhile: the answer goes on as wide as it is" \
    "$(cat ../got)" "[]
0"

cat >../stays <<'X'
#!/bin/sh
trap 'echo told' TERM
echo open
while :; do sleep 0.1; done
X
cat >../reads <<'X'
#!/bin/sh
stty -icanon min 0 time 0
dd bs=99 count=1 >>"$1" 2>/dev/null
X
chmod +x ../stays ../reads
py >../got <<'P'
os.environ.update(EDITOR="../stays")
t = chat(); t.sees("sandbox"); t.sees("> "); t.type("\x07"); t.sees("open")
os.kill(t.pid, signal.SIGTERM); t.sees("told"); print(t.end())
P
is "SIGTERM ends an editor, too" "$(cat ../got)" 130
call write "$(jq -cn '{path: "paged", content: ([range(99)] | join("\n"))}')" >script
py >../got <<'P'
os.environ.update(PAGER="../stays")
t = Terminal(["hamr-loop", "--no-config", "--replay", "script", "make it"])
t.sees("allow this write?"); t.answer("v"); t.sees("open")
os.kill(t.pid, signal.SIGTERM); t.sees("told"); print(t.end())
print(t.all[t.seen:].count(b"+98"))
P
is "... and a pager, whose text is not printed then" "$(cat ../got)" "130
0"
py >../got <<'P'
os.environ.update(EDITOR="../reads")
t = chat(mute=True); t.sees("\x1b[c"); t.type("draft\x07"); t.more(time.time() + 0.3)
t.type("\x1b[?62;22c"); t.sees("\x1b[?1004h"); t.sees("> draft")
t.type("!"); t.sees("> draft!"); t.type("\x15\x04")
print(t.end(), t.all.count(b"62;22"))
P
is "an editor that is opened at once gets no reply of the terminal" \
    "$(cat ../got)" "0 0"

py >../got <<'P'
t = Terminal(["bash", "-c", "set -m; hamr-loop --no-config --replay script; "
              "echo status $?; stty -icanon -echo min 0 time 2; od -c -N 9"],
             mute=True)
t.sees("\x1b[c"); os.kill(os.tcgetpgrp(t.fd), signal.SIGTERM)
t.more(time.time() + 0.2); t.type("\x1b[?62;22c")
t.sees("status 130"); t.end(); print(t.all[t.seen:].count(b"6   2"))
P
is "nor does the shell, when SIGTERM ends a chat at once" "$(cat ../got)" 0

# --- a message that is larger than the window
fresh full
{ answer Hello.; answer Next.; } >script
py >../got <<'P'
t = chat("-o", "context.window=16000"); t.sees("sandbox"); t.sees("> ")
t.type("hi\r"); t.sees("done  ")
t.type("\x1b[200~" + "word " * 40000 + "\x1b[201~"); t.sees("characters]")
t.type("\r"); t.sees("/fork TURN"); t.sees("message back")
print(t.all.count(b"the request does not fit"))
t.type("/fork 1\r"); t.sees("a copy now"); t.type("on\r"); t.sees("Next.")
t.sees("done  ")
os.kill(t.pid, signal.SIGTERM)
print(t.end(), t.all.count(b"again to quit"))
P
is "it is told once, with what to do; SIGTERM ends a chat with 130" \
    "$(cat ../got)" "1
130 0"

# --- narrower than the row below the cursor: only xterm.js moves it for that
fresh xtermjs
{ answer One.; } >script
py >../got <<'P'
import fcntl, struct
for kind in b"\x1b[>0;276;0c", b"\x1b[>41;390;0c":
    t = chat("-o", "provider.model=a-name-of-29-columns-with-all", mute=True)
    t.sees("sandbox"); t.sees("> "); t.type((kind + b"\x1b[?1;2c").decode())
    t.sees("1004h"); t.type("x"); t.sees("> x")
    at = len(t.all)
    fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    t.sees("\x1b[K\x1b[B\x1b[J")
    print(re.findall(rb"\x1b\[(\d)A\r", t.all[at:])[0].decode())
    t.type("\x15\x04"); t.end()
P
is "its row is not left behind" "$(paste -sd' ' ../got)" "2 1"

# --- a long name of a model leaves room for what follows it
fresh named
answer One. >script
py >../got <<'P'
name = "provider.model=/models/Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf"
t = chat("-o", name, columns=40); t.sees("sandbox"); t.sees("> ")
t.sees("  Qwen3-Coder-30B-A3B-Instruct-…  patch\x1b")
t.type("\x04"); print(t.end())
P
is "it is cut, without its folders" "$(cat ../got)" 0

# --- a long message that was sent shows its beginning: 12 rows
fresh long
{ answer One.; answer Two.; } >script
py >../got <<'P'
t = chat(); t.sees("sandbox"); t.sees("> ")
for text in "v" * 1500, "\n".join(["w" * 100] * 20):
    t.type("\x1b[200~%s\x1b[201~\r" % text); t.sees("done  ")
t.type("\x04"); t.end()
print(re.findall(rb"v{900,}[^\x1b]*", t.all) == [b"v" * (12 * 80 - 5) + b"..."],
      t.all.count(b"w" * 100), b"[14 more lines]" in t.all)
P
is "a long message shows its beginning" "$(cat ../got)" "True 6 True"
fresh narrowed
answer One. >script
py >../got <<'P'
import fcntl, struct
t = chat(); t.sees("sandbox"); t.sees("> ")
fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 4, 0, 0))
t.sees("…")
t.type("\x1b[200~%s\x1b[201~\r" % "\n".join(["v"] * 11 + ["w" * 99, "x"]))
t.sees("[1 more line]"); t.sees("One."); t.type("\x04"); t.end()
print(b"ww" in t.all)
P
is "... also in 4 columns" "$(cat ../got)" False

# --- what lasts 10 s can be interrupted, and says so: on a clock that is faster
if grep -q __asan_init "$BIN/hamr-loop"; then
	skip "(Esc interrupts) after 10 s" "sanitizers want to be loaded first"
else
fresh hint
{ call bash '{"command":"until test -e go; do sleep 0.1; done"}'
answer "Done now."; } >script
py "${OBJ:-$TOP/obj}" >../got <<'P'
fast = sys.argv[1] + "/torture/fail.so"
if os.path.exists(fast): os.environ.update(LD_PRELOAD=fast, FAIL_SPEED="8")
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("go\r"); t.sees("bash until"); t.sees("(Esc interrupts)")
clock = int(re.findall(rb"0:(\d\d)  bash until[^\x1b]*\(Esc", t.all)[0])
print("10 s" if clock in (10, 11) else clock)	# a frame may be late
t.type("a draft"); t.sees("> a draft")
t.seen = len(t.all); t.sees("bash until"); t.sees("\x1b[0m")
print(t.all[t.seen - 60:t.seen].count(b"Esc"))
open("go", "w").close(); t.sees("Done now."); t.sees("done  ")
t.type("\x15"); t.type("\x04")
print(t.end())
P
is "(Esc interrupts) after 10 s, while there is no draft" "$(cat ../got)" "10 s
0
0"
fi

# --- S6: /status runs nothing that the repository names, nor does /commit's diff
fresh hostile
printf '#!/bin/sh\n: >>%s\ncat 2>/dev/null\n' "$T/ran" >../evil && chmod +x ../evil
{ answer Hello.; answer "Set it."; } >script
echo '* diff=x filter=a=b' >.gitattributes
git symbolic-ref HEAD refs/heads/master
git add f .gitattributes && git -c user.name=t -c user.email=t@t commit -qm one
git config core.fsmonitor "$T/evil"
git config diff.x.textconv "$T/evil"
git config diff.external "$T/evil"
git config filter.a=b.clean "$T/evil"
git config filter.a=b.process "$T/evil"
git config filter.a=b.required true
mkdir -p .git/hooks && cp ../evil .git/hooks/post-index-change
touch -d tomorrow .gitattributes
echo more >>f
GIT_TRACE=1 py >../got <<'P'
t = chat(); t.sees("sandbox"); t.sees("> ")
t.type("go\r"); t.sees("done  ")
t.type("/status\r"); t.sees("branch master, 2 tracked files changed, not staged")
t.type("/commit\r"); t.sees("git commit -a, which runs post-index-change? (y/n)")
t.answer("n"); t.sees("not committed")
t.type("\x04")
print(t.end())
P
is "/status and /commit" "$(cat ../got) $(ls ../ran 2>/dev/null)" "0 "
# --- what is folded is counted whole
fresh folded
seq 20 >f
{ call read '{"path":"f"}'
call edit '{"path":"f","old_text":"10\n","new_text":"ten\n"}'
call bash '{"command":"printf '"'1\\n2'"'; false"}'
answer "It says ten now." ; answer "It says ten now."; } >script
py >../got <<'P'
t = chat("-o", "ui.diff_lines=0", "-o", "ui.output_lines=0")
t.sees("sandbox"); t.sees("> "); t.type("go\r"); t.sees("+1 -1")
t.sees("... 8 more lines; /diff"); t.sees("... (2 lines before; Ctrl-O")
t.sees("done  "); t.type("\x04"); print(t.end())
P
is "with no lines of a diff or an output shown, all are counted" \
    "$(cat ../got)" 0
seq 5000 >f
{ call read '{"path":"f"}'
jq -cn '{role: "assistant", tool_calls: [{id: "w", type: "function", function:
    {name: "write", arguments: ({path: "new", content: ([range(5000) |
    "line \(.)"] | join("\n"))} | tojson)}}], finish_reason: "tool_calls"}'
answer "The file new is there."; } >script
py >../got <<'P'
t = chat(); t.sees("sandbox"); t.sees("> "); t.type("go\r")
t.sees("... 4960 more lines; /diff"); t.sees("done  "); t.type("\x04")
print(t.end())
P
is "... also those of a diff that is stored cut" "$(cat ../got)" 0
# --- a question is announced while the window does not have the focus
fresh bell
{ call bash '{"command":"echo >f"}'; answer "Not done."; } >script
for type in "xterm x" "xterm VTE_VERSION" "rxvt-unicode x"; do
	py $type >>../rung <<'P'
os.environ.update({"TERM": sys.argv[1], sys.argv[2]: "1"})
t = Terminal(["hamr-loop", "--no-config", "--replay", "script",
              "-o", "ui.bell=notify"])
t.sees("sandbox"); t.sees("> "); t.type("\x1b[O"); t.type("go\r")
t.sees("allow this"); t.answer("\x1b"); t.sees("interrupted")
t.type("\x04"); t.end()
print(re.findall(rb"\x1b](9;h.*?|777.*?)\a", t.all))
P
done
is "... as the terminal knows it" "$(cat ../rung)" \
    "[b'9;hamr: a question']
[b'777;notify;hamr;a question']
[b'777;notify;hamr;a question']"
done_testing

#!/bin/bash
# picture.t - the README's picture and recording are what the program shows.
. "$(dirname "$0")/../lib.sh"
case $TOP$BIN in
*[[:space:]]*)
	skip "the picture" "a stage's command is split at blanks"
	done_testing ;;
esac
for p in tmux script cc python3; do
	if ! command -v $p >/dev/null; then
		skip "the picture" "$p is not installed"
		done_testing
		exit 0
	fi
done
if ! bwrap --ro-bind / / true 2>/dev/null; then
	skip "the picture" "no bubblewrap here"
	done_testing
fi
# The words of a picture or a screen, in their order: no numbers, times, ids,
# and not how busy the machine was.
words() {
	python3 -c 'import html, re, sys
text = open(sys.argv[1]).read()
if sys.argv[1].endswith("svg"):
    text = html.unescape(" ".join(re.findall("<text[^>]*>(.*?)</text>", text)))
text = re.sub("--resume=\\S+|[0-9][0-9.,:]*|[\u2800-\u28ff]", "", text).split()
print("\n".join(word for word in text if word != "s"))' "$1"
}
# All that a recording leaves in a terminal, or the screen at its marker.
played() {
	python3 - "$1" "$2" <<'X'
import json, os, subprocess, sys, time
name = "played%d" % os.getpid()
def tmux(*args):
    return subprocess.run(["tmux", "-L", name, "-f", "tmux.conf", *args],
                          check=True, capture_output=True, text=True).stdout
head, *events = map(json.loads, open(sys.argv[1]))
times = [e[0] for e in events]
assert head["version"] == 2 and times == sorted(times)
if sys.argv[2] == "marker":
    events = events[:[e[1] for e in events].index("m")]
with open("played", "w", newline="") as f:
    f.writelines(e[2] for e in events if e[1] == "o")
    f.write("\033]2;all of it\033\\")
with open("tmux.conf", "w") as f:
    f.write("set -g status off\n")
try:
    tmux("new-session", "-d", "-x", str(head["width"]), "-y",
         str(head["height"]), "-s", "p", "stty raw -echo; cat played; sleep 60")
    while tmux("display", "-p", "-t", "p", "#{pane_title}") != "all of it\n":
        time.sleep(0.05)
    print(tmux("capture-pane", "-p", "-t", "p",
               "-S", "0" if sys.argv[2] == "marker" else "-"))
finally:
    tmux("kill-server")
X
}
ok "it can be made, with a recording" \
    timeout 150 "$TOP/build-aux/picture" "$BIN" new.svg new.cast
if grep -q __asan_init "$BIN/hamr-loop"; then
	skip "it is the one in the README" "programs that watch themselves are slow"
else
	words "$TOP/doc/chat.svg" >old && words new.svg >new
	same "it is the one in the README (make picture)" new old
	played "$TOP/doc/chat.cast" end >screen && words screen >old
	played new.cast end >screen && words screen >new
	same "so is the recording (make picture)" new old
	match "which ends where a session does" "$(tail -n 8 new | tr '\n' ' ')" \
	    "*/quit to continue: hamr-loop *"
fi
words "$TOP/doc/chat.svg" >old
played "$TOP/doc/chat.cast" marker >screen && words screen >new
same "played to its marker, the recording shows the picture" new old
is "it is SVG, and needs nothing from elsewhere" "$(python3 -c 'import sys
import xml.dom.minidom
print(xml.dom.minidom.parse(sys.argv[1]).documentElement.tagName)' \
    "$TOP/doc/chat.svg") $(grep -cE 'href|url\(|@import|<script' \
    "$TOP/doc/chat.svg")" "svg 0"
ok "the README shows it" grep -q '](doc/chat.svg)' "$TOP/README.md"
ok "and names the recording" grep -q 'doc/chat.cast' "$TOP/README.md"
done_testing

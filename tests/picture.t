#!/bin/bash
# picture.t - the README's picture is what the program shows (chapter 9.5).
. "$(dirname "$0")/lib.sh"
for p in tmux cc python3; do
	if ! command -v $p >/dev/null; then
		skip "the picture" "$p is not installed"
		done_testing
		exit 0
	fi
done
# The words that it shows, in their order: no numbers, times, ids or positions,
# and not how busy the machine was.
words() {
	python3 -c 'import re, sys
for text in re.findall("<text[^>]*>(.*?)</text>", open(sys.argv[1]).read()):
    text = re.sub("session \\S+", "session", text)
    text = re.sub("[0-9][0-9.,:]*|[\u2800-\u28ff]", "", text).split()
    if text and text[0] not in ("sandbox", "thinking", "s"):
        print(" ".join(text))' "$1"
}
ok "it can be made" timeout 150 "$TOP/build-aux/picture" "$BIN" new.svg
if grep -q __asan_init "$BIN/hamr-loop"; then
	skip "it is the one in the README" "programs that watch themselves are slow"
else
	words "$TOP/doc/chat.svg" >old && words new.svg >new
	same "it is the one in the README (make picture)" new old
fi
is "it is SVG, and needs nothing from elsewhere" "$(python3 -c 'import sys
import xml.dom.minidom
print(xml.dom.minidom.parse(sys.argv[1]).documentElement.tagName)' \
    "$TOP/doc/chat.svg") $(grep -cE 'href|url\(|@import|<script' \
    "$TOP/doc/chat.svg")" "svg 0"
ok "the README shows it" grep -q '](doc/chat.svg)' "$TOP/README.md"
done_testing

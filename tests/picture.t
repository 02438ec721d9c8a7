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
# times and ids are not the same again
plain() {
	sed '/sandbox/d; s/>[0-9]*\.[0-9] s</>N s</; s/  [0-9]:[0-9][0-9]</  N</; s/>[^ ]* [0-9]:[0-9][0-9]  />N  /
	    s/session [0-9]*T[0-9]*Z-[0-9a-f]*/session ID/
	    s/hamr [0-9.]*,/hamr N,/' "$1"
}
ok "it can be made" timeout 150 "$TOP/build-aux/picture" "$BIN" new.svg
plain "$TOP/doc/chat.svg" >old && plain new.svg >new
same "it is the one in the README (make picture)" new old
is "it is SVG, and needs nothing from elsewhere" "$(python3 -c 'import sys
import xml.dom.minidom
print(xml.dom.minidom.parse(sys.argv[1]).documentElement.tagName)' \
    "$TOP/doc/chat.svg") $(grep -cE 'href|url\(|@import|<script' \
    "$TOP/doc/chat.svg")" "svg 0"
ok "the README shows it" grep -q '](doc/chat.svg)' "$TOP/README.md"
done_testing

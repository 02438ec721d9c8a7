#!/bin/sh
# install.t - what make install puts in place works from there, and nothing
# of it is left by make uninstall.
. "$(dirname "$0")/lib.sh"

# Only copying: the programs under test are not built again.
into() {
	make -s -C "$TOP" -o all B="$BIN" DESTDIR="$T/root" PREFIX=/usr "$@"
}
ok "make install" into install
mkdir run && cd run && git init -q . && mkdir d && echo x >d/x
unset HAMR_SHARE
PATH=$T/root/usr/bin:/usr/bin:/bin
is "the installed agent runs" "$(hamr-loop --no-config --yes --quiet --replay \
    "$TOP/tests/data/loop/two-calls.ndjson" x 2>&1)" "The file says goodbye."
for c in loop compact guard tool mem provider; do
	ok "hamr-$c --help" hamr-$c --help
	is "hamr-$c --help fits a screen" "$(hamr-$c --help | awk '
	    length > 80 {wide = 1} END {print (NR <= 24 && !wide)}')" 1
	ok "hamr-$c has a manual page" test -s \
	    "$T/root/usr/share/man/man1/hamr-$c.1"
done
cd "$T" || exit 1
ok "make uninstall" into uninstall
is "nothing is left" "$(find "$T/root" -type f)" ""
done_testing

#!/bin/sh
# install.t - what make install puts in place works from there, and nothing
# of it is left by make uninstall.
. "$(dirname "$0")/../lib.sh"

case $BIN in
*[[:space:]]*)
	skip "make install" "make takes no folder with a blank in its name"
	done_testing ;;
esac
# Only copying: the programs under test are not built again.
into() {	# folder what
	(umask 077; make -s -C "$TOP" -o all B="$BIN" PREFIX=/usr \
	    DESTDIR="$1" "$2")
}
ok "make install, into a relative folder with a blank" \
    into "$(realpath --relative-to="$TOP" "$T")/the root" install
mv "$T/the root" "$T/root"
is "all can read it" "$(find "$T"/root/* -type d ! -perm -5 -o ! -perm -4)" ""
mkdir run && cd run && git init -q . && mkdir d && echo x >d/x
unset HAMR_SHARE
PATH=$T/root/usr/bin:/usr/bin:/bin
is "the installed agent runs" "$(hamr-loop --no-config --yes --quiet --replay \
    "$TOP/tests/data/loop/two-calls.ndjson" x 2>&1 | said_in -)" \
    "The file says goodbye."
for c in loop compact guard tool mem provider; do
	ok "hamr-$c --help" hamr-$c --help
	is "hamr-$c --help fits a screen" "$(hamr-$c --help | awk '
	    length > 80 {wide = 1} END {print (NR <= 24 && !wide)}')" 1
	ok "hamr-$c has a manual page" test -s \
	    "$T/root/usr/share/man/man1/hamr-$c.1"
done
cd "$T" || exit 1
if command -v dpkg-shlibdeps >/dev/null; then
	# but in CI, xz takes half of the time of this test
	[ -n "${CHECK_FULL:-}" ] || export DEB_COMPRESSION=none
	# and so does what looks up, once more, what the same programs need
	mkdir shim && cat >shim/dpkg-shlibdeps <<X
#!/bin/sh
[ -s "$T/needs" ] || "$(command -v dpkg-shlibdeps)" "\$@" >"$T/needs"
cat "$T/needs"
X
	chmod +x shim/dpkg-shlibdeps
	[ -n "${CHECK_FULL:-}" ] || PATH=$T/shim:$PATH
	cp -R root pkg
	cp -R root later && find later -exec touch -d "next week" {} + && mkdir d
	ok "make deb" sh -c 'umask 077; "$@"' sh "$TOP/build-aux/deb" 1.2.3 \
	    "$T/pkg" "$T" "A B <a@b>"
	set -- hamr_1.2.3_*.deb
	"$TOP/build-aux/deb" 1.2.3 "$T/later" "$T/d" "A B <a@b>" >/dev/null
	ok "the same bytes, whenever it is made" cmp "$1" "d/$1"
	is "who packages it" "$(dpkg-deb -f "$1" Maintainer)" "A B <a@b>"
	match "what it needs" "$(dpkg-deb -f "$1" Depends)" \
	    "*libcjson1*libsqlite3-0*libcurl4*libjq1*zlib1g*"
	dpkg-deb -x "$1" unpacked
	is "all can read what is in it" "$(dpkg-deb -c "$1" |
	    grep -v '^.......r')" ""
	is "its programs run" "$(echo '{"type":"x"}' |
	    unpacked/usr/bin/hamr-guard --no-config)" '{"type":"x"}'
	is "no link of its README leads nowhere" "$(cd unpacked/usr/share/doc/hamr &&
	    grep -o '](doc[^)#]*' README.md | cut -c3- | while read -r l; do
		[ -e "$l" ] || echo "$l"; done)" ""
	is "its files are the installed ones" "$(cd unpacked && find . -type f \
	    ! -path '*/doc/hamr/[!e]*' | sed 's/\.gz$//' | sort | cksum)" \
	    "$(cd root && find . -type f | sort | cksum)"
else
	skip "make deb" "dpkg-dev is not installed"
fi
if command -v mandoc >/dev/null; then
	ok "make html" "$TOP/build-aux/html" "$T/html"
	is "a page for each page, in the list" "$(grep -o 'href="[^"]*[157].html"' \
	    html/index.html | sort -u | wc -l)" "$(ls "$TOP"/man | wc -l)"
	is "no link leads nowhere" "$(grep -oh 'href="[^"#:]*' html/*.html |
	    cut -d'"' -f2 | sort -u | while read -r l; do
		[ -z "$l" ] || [ -e "html/$l" ] || echo "$l"; done)" ""
	sections() { grep -o "$2[^\"]*" "$1" | cut -d'"' -f2 | sort -u; }
	is "nor to a section that is in another page" "$(for p in html/*.html; do
		sections "$p" 'href="#' | tr -d '#' >named
		sections "$p" 'id="' | comm -23 named - | sed "s,^,$p ,"
	    done)" ""
	is "a link to another page" "$(grep -c 'href="hamr.toml.5.html"' \
	    html/hamr-loop.1.html)" "$(grep -c '^\.Xr hamr.toml 5' \
	    "$TOP/man/hamr-loop.1")"
	match "the picture of the pipes" "$(cat html/index.html html/pipes.svg)" \
	    '*<img src="pipes.svg"*>hamr-guard<*'
else
	skip "make html" "mandoc is not installed"
fi
if command -v rpmspec >/dev/null; then
	sed 's/@VERSION@/1.2.3/' "$TOP/build-aux/hamr.spec" >hamr.spec
	ok "hamr.spec is one" rpmspec -q hamr.spec
	patterns=$(rpm --define '_prefix /usr' --eval "$(sed -n \
	    '/^%files/,$s/^%{/%{/p' hamr.spec)")
	set -f
	is "it lists all that is installed" "$(cd root && find . -type f |
	    while read -r f; do
		hit=
		for p in $patterns; do
			# shellcheck disable=SC2254
			case ${f#.} in $p|$p/*) hit=1 ;; esac
		done
		[ -n "$hit" ] || echo "$f"
	done)" ""
	set +f
else
	skip "hamr.spec" "rpm is not installed"
fi
for d in one "the other"; do
	mkdir -p "$d/lib" && cp -R "$TOP/Makefile" "$d" &&
	    cp -R "$TOP/lib/base" "$d/lib" &&
	    env -u MAKEFLAGS make -s -C "$d" O=obj obj/lib/base/err.o \
	    CFLAGS="-O2 -g"
done >log 2>&1
ok "where it is built does not matter" cmp one/obj/lib/base/err.o \
    "the other/obj/lib/base/err.o"
mkdir few
for p in sh dirname grep sed tr sort; do ln -s "$(command -v $p)" few; done
match "make deps where there is no apt-get" "$(PATH=$T/few "$TOP/build-aux/deps" \
    build 2>&1; echo $?)" "deps: there is no apt-get; as root, *jq*sqlite*1"
match "... nor a list" "$(PATH=$T/few "$TOP/build-aux/deps" elsewhere 2>&1
    echo $?)" "deps: elsewhere: no packages of * are known; use Debian*1"
ok "make uninstall" into "$T/root" uninstall
is "nothing is left" "$(find "$T/root" -type f -o -name hamr)" ""
done_testing

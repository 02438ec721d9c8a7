#!/bin/bash
# dist-bin.t - the archive of make dist-bin runs in a bare root: busybox, bash,
# git, make and cc, and no library of ours.  It is not built by make check.
. "$(dirname "$0")/../lib.sh"
cc -w -D_GNU_SOURCE -std=c11 -I"$TOP/lib" -include libc/musl.h -c -o musl.o \
    "$TOP/lib/libc/musl.c"
is "what musl lacks is built where it is named" "$(nm musl.o |
    grep -c ' T ')" 6
archive=$(ls "$TOP"/build/hamr-*-"$(uname -m)".tar.gz 2>/dev/null)
if [ -z "$archive" ] || ! command -v busybox >/dev/null ||
    ! bwrap --ro-bind / / true 2>/dev/null; then
	skip "the static archive" "make dist-bin, busybox and bwrap are needed"
	done_testing
fi
mkdir opt && tar -C opt -xzf "$archive" && mv opt/hamr-* opt/hamr
ok "at most 12 MB" test "$(stat -c %s "$archive")" -le 12000000
is "no program needs a library" "$(for p in opt/hamr/bin/*; do
	LC_ALL=C ldd "$p" 2>&1; done | sort -u | tr -d '\t')" "not a dynamic executable"
for f in share/hamr/secrets.txt share/man/man1/hamr-loop.1 licences/libpipeline \
    share/bash-completion/completions/hamr-loop bin/bwrap \
    share/doc/hamr/examples/review.sh; do
	ok "has $f" test -s "opt/hamr/$f"
done
match "libpipeline's terms are said" "$(cat opt/hamr/README)" \
    "*hamr-loop contains libpipeline*version 3 or later*"

# a root with these and nothing else
set -- --unshare-pid --tmpfs / --proc /proc --dev /dev --tmpfs /tmp --dir /root
for l in $(busybox --list); do
	case $l in bash|busybox) ;; *) set -- "$@" --symlink busybox "/bin/$l" ;; esac
done
set -- "$@" --ro-bind "$(command -v busybox)" /bin/busybox
for p in bash git make cc as ld; do
	set -- "$@" --ro-bind "$(realpath "$(command -v $p)")" /usr/bin/$p
done
set -- "$@" --symlink ../usr/bin/bash /bin/bash --symlink ../../bin/env \
    /usr/bin/env
for d in /usr/lib /usr/lib64 /usr/libexec /usr/include; do
	[ ! -d $d ] || set -- "$@" --ro-bind $d $d
done
set -- "$@" --symlink usr/lib /lib --symlink usr/lib64 /lib64 \
    --ro-bind "$T/opt" /opt --ro-bind "$TOP/examples" /examples --clearenv \
    --setenv PATH /opt/hamr/bin:/usr/bin:/bin --setenv HOME /tmp \
    --setenv LC_ALL C
bare() { timeout 120 bwrap "${root[@]}" "$@"; }
root=("$@")
rm -f "$T/.out"
match "the demo" "$(bare /examples/demo/run.sh /opt/hamr/bin /tmp/p 2>&1)" \
    "*All 21 pass*Repaired: the tests pass.*"
match "--doctor" "$(bare hamr-loop --doctor 2>&1)" \
    "*ok*hamr-loop*ok*bash*ok*git*ok*bwrap*ok*sandbox*"
match "commands are in a sandbox" "$(bare sh -c 'cd /tmp && git init -q x &&
    cd x && hamr-tool --sandbox-status' 2>&1)" "*bubblewrap*yes*seccomp*yes*"
is "jq is inside" "$(echo '{"type":"x","a":1}' |
    bare hamr-guard --no-config --jq '{type, b: (.a + 1)}')" '{"type":"x","b":2}'
is "a memory is kept, and found" "$(bare sh -c "cd /tmp && git init -q . &&
    hamr-mem save 'the server listens on 8080' >/dev/null &&
    hamr-mem search server | sed 's/.*\\(listens[^\"]*\\).*/\\1/'")" \
    "listens on 8080"
match "a server that is not there" "$(bare sh -c "cd /tmp && echo \
    '{\"role\":\"user\",\"content\":\"x\"}' | hamr-provider -n \
    --base-url https://localhost:9/v1 --model m -o provider.max_retries=0" 2>&1)" \
    "*connect*"
done_testing

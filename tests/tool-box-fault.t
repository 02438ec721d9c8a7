#!/bin/bash
# tool-box-fault.t - P7: a sandbox is not put up for want of something: an error
# that says so, no hang, nothing run, and never a lesser one in its place.
. "$(dirname "$0")/lib.sh"
unset HAMR_BIN
mkdir root && cd root || exit 1
if [ "$(hamr-tool --yes --json bash '{"command":":"}' |
    jq -r .meta.sandbox)" != bubblewrap ]; then
	skip "all of it" "no bubblewrap here"
	done_testing
fi
fault() {	# CALLS ERROR WHEN
	timeout -k 2 20 strace -f -o /dev/null -e trace="$1" \
		-e inject="$1:error=$2:when=$3" hamr-tool --yes --json bash \
		'{"command":"echo x >>ran; echo hi"}' 2>"$T/err" | jq -r \
		'.meta.error // "fine", .meta.sandbox // "-"' | tr '\n' ' '
}
# the pipes of the command are the two behind the file that holds it; those
# before are for git, which snapshots
n=$(strace -o "$T/trace" -e trace=pipe2,memfd_create hamr-tool --yes bash \
	'{"command":":"}' >/dev/null && sed '/"command"/q' "$T/trace" | grep -c pipe2)
for f in "clone,clone3,vfork EAGAIN 1" "socketpair EMFILE 1" \
    "memfd_create ENOMEM 1" "memfd_create EMFILE 3" "recvfrom ECONNRESET 1" \
    "pipe2 EMFILE $((n + 1))" "pipe2 EMFILE $((n + 2))"; do
	rm -f ran
	# shellcheck disable=SC2086
	is "$f" "$(fault $f)" "spawn_failed - "
	ok "and nothing was run" test ! -e ran
done
cd "$T" || exit 1
done_testing

#!/bin/bash
# fault.t - P7: a sandbox is not put up for want of something: an error
# that says so, no hang, nothing run, and never a lesser one in its place.
. "$(dirname "$0")/../lib.sh"
unset HAMR_BIN
mkdir root && cd root || exit 1
if [ "$(hamr-tool --yes --json bash '{"command":":"}' |
    jq -r .meta.sandbox)" != bubblewrap ]; then
	skip "all of it" "no bubblewrap here"
	done_testing
fi
# Calls of a kind fail from one of the first on: those for git, which takes
# a snapshot, are in between, and cost that only.  Only hamr-tool itself is meant
# (no -f): bubblewrap, which may end first, makes calls of the same names.
fault() {	# CALLS ERROR WHEN
	rm -f ran
	timeout -k 2 60 strace -o /dev/null -e trace="$1" \
		-e inject="$1:error=$2:when=$3+" hamr-tool --yes --json bash \
		'{"command":"echo x >>ran"}' 2>"$T/err" | jq -r \
		'.meta.error // "fine", .meta.sandbox // "none"' | tr '\n' ' '
	wc -l 2>/dev/null <ran || echo 0
}
every=2		# CI has each
[ -z "${CHECK_FULL:-}" ] || every=1
while read -r calls error most wanted; do
	for when in $(seq 1 $every "$most"); do
		fault "$calls" "$error" "$when" 2>/dev/null
	done | sort -u >got
	is "$calls from any of $most on: $error" "$(paste -sd, <got)" "$wanted"
done <<EOF
clone,clone3,vfork EAGAIN 12 fine bubblewrap 1,spawn_failed none 0
socketpair EMFILE 1 spawn_failed none 0
memfd_create ENOMEM 8 fine bubblewrap 1,spawn_failed none 0
recvfrom ECONNRESET 1 spawn_failed none 0
pipe2 EMFILE 14 fine bubblewrap 1,spawn_failed none 0
EOF
cd "$T" || exit 1

# a command may have shut the root; root opens it all the same
if [ "$(id -u)" = 0 ]; then
	mkdir shut; chmod 0 shut
	is "a root that is shut is no reason for a lesser one" \
		"$(hamr-tool --yes --root shut bash '{"command":":"}' 2>&1 |
		said_in -)" \
		"something in the root keeps its sandbox from starting: its \
self-test failed: the root, or a folder in it with files to protect, cannot \
be entered; ask the user to chmod u+rwx it; nothing was run"
	status "whatever the status tries" 1 hamr-tool --root shut \
		--sandbox-status
	is "it says so" "$(cut -c 1-29 <"$T/.out" | tail -n 1)" \
		"commands      no   refused wh"
	rm -r shut
	mkdir -p root/s && echo key >root/s/.env && chmod 0 root/s
	is "nor is a folder in it that holds a secret" \
		"$(hamr-tool --yes --root root bash \
		'{"command":"chmod 700 s; cat s/.env"}' 2>&1 | said_in - |
		grep -v '^$')" \
		"exit 1; hidden, as they may hold secrets but are closed \
(chmod u+rwx opens them) or too deep: s
[stderr]
chmod: changing permissions of 's': Read-only file system
cat: s/.env: Permission denied"
	chmod 700 root/s
fi
done_testing

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
# how often CALLS are made before MARK, and once more; git, which snapshots,
# takes some. Only hamr-tool itself is meant (no -f): bubblewrap, which may end
# first, makes calls of the same names
nth() {	# CALLS MARK
	strace -o "$T/trace" -e trace="$1,recvfrom,memfd_create" hamr-tool --yes \
		bash '{"command":":"}' >"$T/out" 2>&1
	sed "/$2/q" "$T/trace" | grep -cE "^(${1//,/|})\("
}
fault() {	# CALLS ERROR WHEN
	timeout -k 2 20 strace -o /dev/null -e trace="$1" \
		-e inject="$1:error=$2:when=$3" hamr-tool --yes --json bash \
		'{"command":"echo x >>ran; echo hi"}' 2>"$T/err" | jq -r \
		'.meta.error // "fine", .meta.sandbox // "-"' | tr '\n' ' '
}
spawns=clone,clone3,vfork
hamr-tool --yes bash '{"command":":"}' >"$T/out" 2>&1	# makes the store
while read -r calls error mark more; do
	rm -f ran
	is "$calls $error $mark $more" \
		"$(fault "$calls" "$error" $(($(nth "$calls" "$mark") + more)))" \
		"spawn_failed - "
	ok "and nothing was run" test ! -e ran
done <<EOF
recvfrom ECONNRESET recvfrom 0
pipe2 EMFILE "command" 1
pipe2 EMFILE "command" 2
EOF
# a sandbox begins to go up early, and is tried again when that fails
while read -r calls error mark; do
	rm -f ran
	is "$calls $error" "$(fault "$calls" "$error" 1+)" "spawn_failed - "
	ok "and nothing was run" test ! -e ran
	for more in 0 1; do
		rm -f ran
		case $(fault "$calls" "$error" \
		    $(($(nth "$calls" "$mark") + more))) in
		"fine bubblewrap ") ran=x ;;
		"spawn_failed - ") ran= ;;
		*) ran=lesser ;;
		esac
		is "once, $mark $more: that or all is well" \
			"$(cat ran 2>/dev/null)" "$ran"
	done
done <<EOF
$spawns EAGAIN recvfrom
socketpair EMFILE socketpair
memfd_create ENOMEM "setup"
memfd_create EMFILE "args"
EOF
cd "$T" || exit 1
done_testing

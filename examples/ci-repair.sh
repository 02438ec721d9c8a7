#!/bin/bash
# ci-repair.sh - a CI job that repairs what fails, and proposes the change.
#
#	ci-repair.sh COMMAND [OUT.patch]
#	ci-repair.sh 'make check' repair.patch
#
# Runs COMMAND at the top of the repository.  If it fails, an agent works in a worktree
# of HEAD until COMMAND passes there, in its sandbox; the diff goes to
# OUT.patch (repair.patch) for somebody to read.  Neither the working tree nor
# a branch is changed.
# Status: 0 it passes, nothing to do; 1 a repair is proposed; else that of
# hamr-loop (4: it could not be repaired).
set -euo pipefail
command=${1:?usage: ci-repair.sh COMMAND [OUT.patch]}
out=${2:-repair.patch}
[ "${out:0:1}" = / ] || out=$PWD/$out
top=$(git rev-parse --show-toplevel)
cd "$top"
log=$(mktemp) work=$(mktemp -d)
trap 'git worktree remove --force "$work/tree" 2>/dev/null || :
    rm -rf "$work" "$log"' EXIT

if bash -c "$command" >"$log" 2>&1; then
	echo "ci-repair: it passes" >&2
	exit 0
fi
git worktree add -q --detach "$work/tree" HEAD
cd "$work/tree"
tail -c 60000 "$log" | hamr-loop --mode patch --yes --quiet \
    -o "verification.defaultCommand=$(printf %s "$command" | jq -Rs .)" \
    --repair-attempts 2 \
    "This command fails: $command
Its output is above. Find the cause and repair it. Do not weaken a test." - >&2
git add -A -- . ':!.hamr'
git diff --cached --binary >"$out"
[ -s "$out" ] || { echo "ci-repair: nothing was changed" >&2; exit 4; }
git diff --cached --stat >&2
echo "ci-repair: git apply $out" >&2
exit 1

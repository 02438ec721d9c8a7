#!/bin/sh
# review.sh - a reviewer in a pipeline: the diff on standard input, or that of
# the branch against REV, read by an agent that can look around but change
# nothing.  The review goes to standard output.  Status: 66 if the diff is
# empty, else that of git or hamr-loop.
#
#	git diff | review.sh
#	review.sh origin/main		what this branch adds to it
#	git diff --cached | review.sh | tee /dev/tty | grep -q '^OK$'	as a gate
set -e
task='Review this change. Read the code around it before you judge. List what
is wrong or risky, the worst first, each as FILE:LINE: what happens, and when.
Leave out matters of taste. If there is nothing to object to, say only: OK'

# first, whole: a diff that fails must not be reviewed as an empty one
if [ $# -gt 0 ]; then
	diff=$(git diff "$1...HEAD")
else
	diff=$(cat)
fi
[ -n "$diff" ] || { echo "review: the diff is empty" >&2; exit 66; }
printf '%s\n' "$diff" | hamr-loop --mode read-only --quiet "$task" -

#!/usr/bin/env bash
# run.sh - makes a small project whose tests fail, and lets hamr repair it
#
# usage: run.sh BINDIR DESTDIR [PROVIDER_URL]
#
# BINDIR holds hamr-loop and its stages; DESTDIR is made anew and left to look
# at.  Without PROVIDER_URL the answers of the model are replayed from
# script.ndjson; every call in them is really carried out.  With one they come
# from that server; PROVIDER_MODEL in the environment names the model.
# Status: 0 repaired, 1 not, 2 usage, 66 something is missing, 77 DESTDIR is
# not ours, else that of hamr-loop.
set -euo pipefail

task='The tests of this project fail. Find out why and fix it.'

die() {
	local status=$1
	shift
	printf 'demo: %s\n' "$*" >&2
	exit "$status"
}

heading() {
	printf '\n%s%s%s\n\n' "$bold" "$1" "$plain"
}

say() {
	printf '%s\n' "$@" | sed 's/^./  &/'
}

# A command as one would type it, then the last lines of what it says.
show() {
	local status=0
	printf '  $ %s\n' "$*"
	"$@" >"$log" 2>&1 || status=$?
	if [ "$(wc -l <"$log")" -gt 24 ]; then
		printf '    ...\n'
	fi
	tail -n 24 "$log" | sed 's/^/    /'
	return "$status"
}

# Only a folder that we made, an empty one, or none at all.
prepare() {
	if [ -e "$dest" ] || [ -L "$dest" ]; then
		if [ -f "$dest/.git/hamr-demo" ] && [ ! -L "$dest" ]; then
			rm -rf -- "$dest"
		else
			rmdir -- "$dest" 2>/dev/null ||
				die 77 "$dest was not made by this demo: move it away first"
		fi
	fi
	mkdir -p -- "$dest/.git"
	: >"$dest/.git/hamr-demo"
	git init -q -b main --template= -- "$dest"
	cp -R -- "$here/project/." "$dest"
	rm -rf -- "$dest/build"
}

commit() {
	git add -A
	git -c user.name='hamr demo' -c user.email=demo@example.invalid \
		-c commit.gpgsign=false commit -q -m 'rill: read configuration files'
}

run_agent() {
	local source=(--replay "$here/script.ndjson")
	if [ -n "$url" ]; then
		source=(--base-url "$url")
		if [ -n "${PROVIDER_MODEL:-}" ]; then
			source+=(--model "$PROVIDER_MODEL")
		fi
	fi
	PATH=$bin:$PATH hamr-loop -C "$dest" --yes "${source[@]}" "$task"
}

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
	die 2 'usage: run.sh BINDIR DESTDIR [PROVIDER_URL]'
fi
url=${3:-}
bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
	bold=$'\e[1m' plain=$'\e[0m'
fi

# Nothing of the caller's git or make reaches the project.
for program in git make cc; do
	command -v "$program" >/dev/null || die 66 "$program is not installed: make deps"
done
while read -r name; do
	unset "$name"
done < <(git rev-parse --local-env-vars)
unset MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEOVERRIDES MAKELEVEL MAKEFILES
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
bin=$(cd -- "$1" 2>/dev/null && pwd) || die 66 "$1: no such folder"
[ -x "$bin/hamr-loop" ] || die 66 "$bin/hamr-loop is missing: run make first"
case $2 in
/*) dest=${2%/} ;;
*) dest=$PWD/${2%/} ;;
esac
log=$(mktemp)
trap 'rm -f -- "$log"' EXIT

heading '1. A project whose tests fail'
prepare
cd -- "$dest"
commit
say "rill, a reader of configuration files, in a fresh git repository:" "$dest" ''
if show make test; then
	die 1 'the tests pass already: there is nothing to repair'
fi
grep -q '^not ok ' "$log" || die 1 'the tests could not be built'

heading '2. The agent at work'
if [ -n "$url" ]; then
	say "The model is at $url. The task:"
else
	say 'The answers of the model are replayed; each call is really carried out.' 'The task:'
fi
say '' "  $task" ''
agent=0
run_agent || agent=$?
if [ "$agent" -eq 130 ]; then
	die 130 "interrupted; the project is in $dest"
fi

heading "3. The project's own tests, built anew"
tests=0
make clean >/dev/null 2>&1 || :
show make test || tests=$?

heading '4. What was changed'
show git diff --stat
if ! git diff --quiet HEAD -- tests Makefile; then
	say '' 'The tests or the Makefile are among it: look twice.'
fi

heading 'Result'
if [ "$tests" -ne 0 ]; then
	say 'The tests still fail.'
elif [ "$agent" -ne 0 ]; then
	say "The tests pass, but hamr-loop ended with status $agent."
else
	say 'Repaired: the tests pass.'
fi
printf -v quoted '%q' "$dest"
say '' 'To look at it:' \
	"  git -C $quoted diff" \
	"  ls $quoted/.hamr/sessions"
[ "$agent" -eq 0 ] || exit "$agent"
[ "$tests" -eq 0 ] || exit 1

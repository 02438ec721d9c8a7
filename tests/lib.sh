# lib.sh - the TAP harness of the shell tests; source it first.
#
#	. "$(dirname "$0")/../lib.sh"
#	is "name" "got" "wanted"         compare two strings
#	same "name" file file            compare two files, byte for byte
#	ok "name" command...             the command succeeds
#	status "name" N command...       the command ends with status N
#	match "name" "text" "glob"       the text matches a shell pattern
#	skip "name" "why"                counted and printed
#	without_bwrap FOLDER             programs for PATH, all but that
#	quick_jq FOLDER                  jq for PATH, which starts fast
#	on_tty COLUMNS command...        what it writes to a terminal
#	said_in FILE			but for words on this machine's sandbox
#	done_testing                     last line of every test
#
# $T is a fresh folder of this test, removed at the end; it is the working
# directory.  $TOP is the checkout, $BIN the programs (HAMR_BIN).  The user's
# own configuration is out of reach.  Things may take $SLOWER times as long as
# usual: 4 where programs watch their own memory, else 1.

unset CDPATH
TOP=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
BIN=${HAMR_BIN:-$TOP/bin}
PATH=$BIN:$PATH
# where commands stand, which configuration splits at blanks
case ${TMPDIR:-} in *[[:space:]]*) unset TMPDIR ;; esac
T=$(mktemp -d "${CHECK_DIR:-${TMPDIR:-/tmp}}/hamr-test.XXXXXX")
HOME=$T/home XDG_CONFIG_HOME=$T/home/.config XDG_STATE_HOME=$T/home/.state
XDG_DATA_HOME=$T/home/.data XDG_CACHE_HOME=$T/home/.cache
GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
LC_ALL=C.UTF-8 TZ=UTC SHELL=$(command -v bash)
export SHELL TOP BIN PATH T HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_DATA_HOME
export XDG_CACHE_HOME GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM LC_ALL TZ
# jq as it is, but for the time that it takes to start (tests/jq/quick.c)
QUICK_JQ=${OBJ:-$TOP/obj}/quick-jq.so
case $QUICK_JQ in *[[:space:]:]*) QUICK_JQ= ;; esac
[ -f "$QUICK_JQ" ] || QUICK_JQ=
jq() { LD_PRELOAD=$QUICK_JQ command jq "$@"; }
on_tty() { python3 -B "$TOP/tests/on_tty.py" "$@"; }

# quick_jq FOLDER: makes it, for PATH, with a jq as above for other programs
quick_jq() {
	mkdir -p "$1"
	printf '#!/bin/sh\nLD_PRELOAD=%s exec "%s" "$@"\n' \
	    "'$QUICK_JQ'" "$(type -P jq)" >"$1/jq"
	chmod +x "$1/jq"
}
SLOWER=${ASAN_OPTIONS:+4}
export SLOWER=${SLOWER:-1}
unset HAMR_BIN	# programs would call it an unknown variable
# what a machine may have set that would make it another test
for v in $(compgen -e); do
	case $v in
	HAMR_SHARE|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM) ;;
	*_API_KEY|*_BASE_URL|*_proxy|HAMR_*|GIT_*|CURL_*|OLLAMA_*|SBATCH_*|\
	SLURM_*|LANGUAGE*|PARALLEL*|PERL*|PYTHON*) unset "$v" ;;
	esac
done
unset HTTPS_PROXY HTTP_PROXY ALL_PROXY NO_PROXY TMUX NO_COLOR CLICOLOR_FORCE
unset EDITOR VISUAL PAGER COLUMNS LINES COLORTERM ACCESSIBLE v
unset BASH_ENV ENV POSIXLY_CORRECT
umask 022
mkdir -p "$HOME"
cd "$T" || exit 1
tests_run=0 tests_failed=0
at_end() { :; }		# a test may define its own clean-up
trap 'at_end; cd /; rm -rf "$T" 2>/dev/null ||
	{ chmod -R u+rwX "$T"; rm -rf "$T"; }' EXIT	# what a test has shut
trap 'exit 1' INT TERM HUP

# first COMMAND...: the first line that it answers to stdin, which ends then
first() {
	: >"$HOME/first"
	{ cat; timeout 30 sh -c 'until [ -s "$HOME/first" ]; do sleep .05
		done'; } | "$@" >"$HOME/first"
	head -n 1 "$HOME/first"
}

# without_bwrap FOLDER: makes it, for PATH, with every program but bwrap
without_bwrap() {
	local dir
	mkdir -p "$1"
	for dir in /usr/local/bin /usr/bin /bin; do
		[ "$dir" = /bin ] && [ /bin -ef /usr/bin ] ||
			ln -s "$dir"/* "$1" 2>/dev/null
	done
	rm -f "$1/bwrap"
}

result() {	# 0|1 name
	tests_run=$((tests_run + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests_run - $2"
	else
		echo "not ok $tests_run - $2"
		tests_failed=$((tests_failed + 1))
	fi
}

diagnose() {
	sed 's/^/#   /' | cut -c 1-300 | head -n 20
}

is() {
	if [ "$2" = "$3" ]; then
		result 0 "$1"
	else
		result 1 "$1"
		{ echo "got:"; printf '%s\n' "$2"
		echo "wanted:"; printf '%s\n' "$3"; } | diagnose
	fi
}

match() {
	# shellcheck disable=SC2254
	case $2 in
	$3) result 0 "$1" ;;
	*) result 1 "$1"
		{ echo "got:"; printf '%s\n' "$2"
		echo "pattern:"; printf '%s\n' "$3"; } | diagnose ;;
	esac
}

same() {
	if cmp -s "$2" "$3"; then
		result 0 "$1"
	else
		result 1 "$1"
		diff -a "$2" "$3" | diagnose
	fi
}

ok() {
	tests_name=$1
	shift
	if "$@" >"$T/.out" 2>&1; then
		result 0 "$tests_name"
	else
		result 1 "$tests_name"
		diagnose <"$T/.out"
	fi
}

status() {
	tests_name=$1 tests_want=$2
	shift 2
	"$@" >"$T/.out" 2>"$T/.err"
	is "$tests_name" "$?" "$tests_want"
}

# What programs said in a file, but for what keeps commands in on this machine.
said_in() {
	grep -vE -e '^hamr-tool: [a-z ]* of commands are not limited' \
	    -e '^hamr-tool: commands run under Landlock' "$1"
}

skip() {
	tests_run=$((tests_run + 1))
	echo "ok $tests_run - $1 # SKIP $2"
}

done_testing() {
	echo "1..$tests_run"
	[ "$tests_failed" = 0 ]
	exit
}

# tmux.sh - a program on a real screen; source it after lib.sh and httpd.sh.
#
#	open_screen COLUMNS ROWS COMMAND	the one before is closed
#	type_ KEY...		as tmux names them
#	sees NAME PATTERN	waits until the screen, with what went above it,
#				matches
#	shows NAME PATTERN COMMAND...	the same of what COMMAND prints
TM=$$
tm() { tmux -L "hamr$TM" -f /dev/null "$@"; }
at_end() { tm kill-server 2>/dev/null; httpd_stop; }
# A server of its own for each screen: one that is told to go may still take
# the next one's session with it.
open_screen() {
	tm kill-server 2>/dev/null
	TM=${TM}x
	tm new-session -d -x "$1" -y "$2" -s c "$3"
}
screen() { tm capture-pane -p -S - -t c; }
type_() { tm send-keys -t c "$@"; }
shows() {
	local got i
	for ((i = 0; i < 600; i++)); do
		got=$("${@:3}") || break
		# shellcheck disable=SC2254
		case $got in $2) break ;; esac
		sleep 0.05
	done
	match "$1" "$got" "$2"
}
sees() { shows "$1" "$2" screen; }

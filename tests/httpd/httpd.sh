# httpd.sh - starts and stops the scripted server; to be sourced by sh tests.
#
#	httpd_start LOG [-1] [-t] SCRIPT...
#		sets HTTPD_PORT and HTTPD_PID; LOG gets a line per request.
#		Status 1: it did not start.
#	httpd_stop [PID]
#		ends it (HTTPD_PID) and waits until it is gone.
#
# The program is $HTTPD_BIN, by default $TOP/obj/httpd.  Two at once:
# keep HTTPD_PID and HTTPD_PORT elsewhere before the second start.

httpd_start() {
	httpd_fifo=${httpd_fifo:-$HOME/.httpd}
	[ -p "$httpd_fifo" ] || mkfifo "$httpd_fifo" || return 1
	"${HTTPD_BIN:-$TOP/obj/httpd}" -l "$@" \
		</dev/null >"$httpd_fifo" &
	HTTPD_PID=$!
	HTTPD_PORT=
	# to its end: else the next start would take this one for its own
	{ read -r HTTPD_PORT; read -r _; } <"$httpd_fifo" || :
	if test -z "$HTTPD_PORT"; then
		httpd_stop
		return 1
	fi
}

httpd_stop() {
	set -- "${1:-$HTTPD_PID}"
	test -n "$1" || return 0
	kill "$1" 2>/dev/null || :
	wait "$1" 2>/dev/null || :
	test "$1" != "$HTTPD_PID" || HTTPD_PID=
}

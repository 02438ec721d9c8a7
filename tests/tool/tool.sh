# tool.sh - what the tests of hamr-tool share; source it after lib.sh.  They
# run in bash.
#
#	call ID NAME ARGS...	one assistant message with these calls
#	sh_args COMMAND		arguments of bash
#	norm			records without what varies, checkpoints and
#				progress
#	results			tool messages only, without what varies
#	codes			every record in short: "start c1 -"
#	resident OPTIONS	hamr-tool -r as a coprocess; then
#	say LINE...		to it
#	hear [SECONDS]		the next line that is no checkpoint and no progress,
#				in $line
#	bye			the end of its input; its status in $tool_status

. "$TOP/tests/quote.sh"
unset HAMR_BIN
mkdir root && cd root || exit 1
nl='
'
user='{"role":"user","content":"go on"}'
go='{"type":"go","n":1}'

call() {
	local calls='' id name one
	while [ $# -gt 0 ]; do
		quote "$1"; id=$quoted
		quote "$2"; name=$quoted
		quote "$3"
		printf -v one '{"id":%s,"type":"function","function":%s' "$id" \
		    "{\"name\":$name,\"arguments\":$quoted}}"
		calls="$calls${calls:+,}$one"
		shift 3
	done
	printf '{"role":"assistant","content":null,"tool_calls":[%s],%s\n' \
	    "$calls" '"finish_reason":"tool_calls"}'
}
sh_args() { quote "$1"; printf '%s\n' "{\"command\":$quoted}"; }
no_checkpoint() { grep -Ev '^\{"type":"(checkpoint|progress)"'; }
norm() {
	no_checkpoint |
		sed -E 's/"at":"[^"]*"/"at":"T"/; s/"ms":[0-9]+/"ms":0/
			s/,"sandbox":"[a-z]*"//'
}
results() {
	jq -c 'select(.role == "tool") | [.tool_call_id, .content,
		.is_error, .meta.error, .meta.verdict, .meta.shared]'
}
messages() { jq -c 'select(.role == "tool")'; }
codes() {
	jq -r 'select(.type != "output" and .type != "checkpoint") |
		"\(.type // .role) \(.tool_call_id) \(.meta.error // "-")"'
}
resident() {
	coproc TOOL { exec hamr-tool -r "$@"; }
	exec {to}>&"${TOOL[1]}" {from}<&"${TOOL[0]}"
	eval "exec ${TOOL[1]}>&- ${TOOL[0]}<&-"
	tool_pid=$TOOL_PID
}
say() { printf '%s\n' "$@" >&"$to"; }
hear() {
	line=
	while IFS= read -r -t "${1:-60}" -u "$from" line; do
		case $line in
		'{"type":"checkpoint"'* | '{"type":"progress"'*) line= ;;
		*) break ;;
		esac
	done
}
bye() {
	exec {to}>&-
	wait "$tool_pid" 2>/dev/null
	tool_status=$?
	exec {from}<&-
}

# guard.sh - transcripts made by hand for hamr-guard; source it after lib.sh.
#
#	guard ARG...		hamr-guard without configuration
#	step ID TOOL ARGS TEXT [MORE]	a call and its result
#	call, answer, batch, person	one message each
guard() { hamr-guard --no-config "$@"; }

NO='{}'
# A JSON string; the texts here have no other control characters.
quoted() {	# variable text
	local q=${2//\\/\\\\}
	q=${q//$'\n'/\\n}
	q=${q//$'\r'/\\r}
	printf -v "$1" '"%s"' "${q//\"/\\\"}"
}
call() {	# id tool arguments
	local a
	quoted a "$3"
	printf '{"role":"assistant","content":null,"tool_calls":[{"id":"%s","type":"function","function":{"name":"%s","arguments":%s}}]}\n' "$1" "$2" "$a"
}
answer() {	# id text [more]
	local t more=${3:-$NO}
	quoted t "$2"
	more=${more#\{}
	[ "$more" = "}" ] || more=,$more
	printf '{"role":"tool","tool_call_id":"%s","content":%s%s\n' \
	    "$1" "$t" "$more"
}
step() {	# id tool arguments text [more]
	call "$1" "$2" "$3"
	answer "$1" "$4" "${5:-$NO}"
}
batch() {	# calls of one message, each id:tool:path
	local c i tool path all=
	for c; do
		IFS=: read -r i tool path <<<"$c"
		printf -v c '{"id":"%s","type":"function","function":{"name":"%s","arguments":"{\\"path\\":\\"%s\\"}"}}' \
		    "$i" "$tool" "$path"
		all+=,$c
	done
	printf '{"role":"assistant","content":null,"tool_calls":[%s]}\n' \
	    "${all#,}"
}
person() { echo '{"role":"user","content":"go on"}'; }

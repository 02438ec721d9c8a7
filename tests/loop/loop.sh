# loop.sh - a scripted model for hamr-loop; source it after lib.sh.
#
#	fresh NAME		go to a new repository of that name
#	answer TEXT, call NAME ARGS, err CODE RETRYABLE
#				a line of the script each
#	run TASK ARG...		hamr-loop on ./script: status in $S, records in out
#	ended, says BY, recoveries	what out holds
. "$TOP/tests/httpd/httpd.sh"
at_end() { httpd_stop; }

# a fresh repository named $1
fresh() {
	cd "$T" && mkdir "$1" && cd "$1" && git init -q . &&
	    echo hello >f && printf "out\nerr\n" >.git/info/exclude
}
n=0
# answers of the scripted model, one a line
answer() {
	jq -cn --arg t "$1" '{role: "assistant", content: $t,
		finish_reason: "stop"}'
}
call() {	# name arguments
	n=$((n + 1))
	jq -cn --arg n "$1" --arg a "$2" --arg id "k$n" '{role: "assistant",
		content: null, tool_calls: [{id: $id, type: "function",
		function: {name: $n, arguments: $a}}],
		finish_reason: "tool_calls"}'
}
err() { jq -cn --arg c "$1" --argjson r "$2" '{type: "error",
	stage: "provider", code: $c, message: $c, retryable: $r}'; }
# run TASK ARG...: with ./script; the status is in $S, records in out
run() {
	hamr-loop --no-config --yes --json --replay script "$@" >out 2>err \
	    </dev/null
	S=$?
}
ended() { tail -n 1 out | jq -r '[.status, .reason] | join(" ")'; }
says() { jq -r 'select(.role == "user" and .meta.by == "'"$1"'") | .content' \
	out; }
recoveries() { jq -r 'select(.type == "recovery") |
	"\(.scenario) \(.attempt)"' out | paste -sd,; }

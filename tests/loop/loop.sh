# loop.sh - a scripted model for hamr-loop; source it after lib.sh.
#
#	fresh NAME		go to a new repository of that name
#	answer TEXT, call NAME ARGS, err CODE RETRYABLE
#				a line of the script each
#	run TASK ARG...		hamr-loop on ./script: status in $S, records in out
#	ended, says BY, recoveries	what out holds
. "$TOP/tests/httpd/httpd.sh"
. "$TOP/tests/quote.sh"
at_end() { httpd_stop; }

# a fresh repository named $1
fresh() {
	cd "$T" && mkdir "$1" && cd "$1" && git init -q . &&
	    echo hello >f && printf "out\nerr\n" >.git/info/exclude
}
n=0
# answers of the scripted model, one a line
answer() {
	quote "$1"
	printf '{"role":"assistant","content":%s,"finish_reason":"stop"}\n' \
	    "$quoted"
}
call() {	# name arguments
	local name
	n=$((n + 1))
	quote "$1"; name=$quoted
	quote "$2"
	printf '{"role":"assistant","content":null,"tool_calls":[%s],%s\n' \
	    "{\"id\":\"k$n\",\"type\":\"function\",\"function\":{\"name\":$name,\"arguments\":$quoted}}" \
	    '"finish_reason":"tool_calls"}'
}
err() {	# code retryable
	printf '{"type":"error","stage":"provider","code":"%s",%s\n' "$1" \
	    "\"message\":\"$1\",\"retryable\":$2}"
}
# run TASK ARG...: with ./script; the status is in $S, records in out
run() {
	hamr-loop --no-config --yes --json --replay script "$@" >out 2>err \
	    </dev/null
	S=$?
}
ended() {
	tail -n 1 out |
	    sed -E 's/.*"status":"([^"]*)",("reason":"([^"]*)")?.*/\1 \3/'
}
says() { jq -r 'select(.role == "user" and .meta.by == "'"$1"'") | .content' \
	out; }
recoveries() {
	sed -n 's/^{"type":"recovery".*"scenario":"\([^"]*\)","attempt":\([0-9]*\).*/\1 \2/p' \
	    out | paste -sd,
}

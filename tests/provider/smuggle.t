#!/bin/bash
# answers and requests that a proxy, a broken server or a name could make two
# of: lengths that contradict each other, bytes that nobody asked for, CR LF
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"

says() {	# CONTENT: a whole answer, and one with its head
	printf '{"choices":[{"message":{"content":"%s"},"finish_reason":"stop"}]}' "$1"
}
good=$(says good) evil=$(says evil)
whole="HTTP/1.1 200 OK\\r\\nContent-Length: ${#evil}\\r\\n\\r\\n$evil"
chunk="raw $(printf %x ${#good})\\r\\n$good\\r\\n0\\r\\n\\r\\n"
printf 'body %s\n' "$good" >next
type='header Content-Type: application/json'
mkfifo to

answered() { grep -c '"type":"go"' got; }
wait_for() {	# COMMAND...: until it succeeds
	for _ in $(seq 500); do
		"$@" && return
		sleep 0.02
	done
	false
}
# has the client bytes of the server that it has not read?
unread() {
	grep -qiE "^ *[0-9]+: [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:$(printf %04X \
		"$HTTPD_PORT") 0[18] [0-9A-F]+:0*[1-9A-F]" /proc/net/tcp
}
first() { [ "$(answered)" -ge 1 ]; }
second() { [ "$(answered)" -ge 2 ]; }
late() {	# name; the first answer, and then, unasked, another one
	printf '%s\n' "${@:2}" "sleep 50" "raw $whole" hang >s
	serve s next
	timeout 60 hamr-provider -r -q --no-config --model m --base-url "$URL" \
		<to >got &
	pid=$!
	exec 9>to
	printf '%s\n{"type":"go","n":1}\n' "$user" >&9
	wait_for first
	wait_for unread
	printf '%s\n{"type":"go","n":2}\n' "$user" >&9
	wait_for second
	exec 9>&-
	wait $pid
	is "$1: the next answer is the one asked for" "$(jq -r \
		'select(.role).content' got | xargs)" "good good"
}
late "bytes behind the length" "length ${#good}" "body $good"
late "chunks, and a length" bare "header Transfer-Encoding: chunked" \
	"header Content-Length: 5" "$type" "length none" "$chunk"

printf '%s\n{"type":"go","n":1}\n%s\n' "$user" "$user" >in
never() {	# name; what the server sends
	printf '%s\n' "${@:2}" >s
	serve s next
	ask -o provider.max_retries=0 >got
	is "$1: nothing of it is an answer" "$(grep -c evil got) $(jq -r \
		'select(.role).content' got | tail -n 1)" "0 good"
}
never "at once, behind the length" "length ${#good}" "raw $good$whole"
never "two lengths" bare "header Content-Length: ${#good}" \
	"header Content-Length: $((${#good} + 99))" "$type" "length none" \
	"body $good" "raw $whole"
never "a transfer encoding that is none" bare \
	"header Transfer-Encoding: xchunked" "$type" "length none" \
	"raw $whole"

# ---- what we send ----

printf '%s\n' "$user" >in
lines() { jq -r '.headers | keys | join(" ")' log | tail -n 1; }
serve next
ask >/dev/null
plain=$(lines)
for url in "$URL
X-Evil: 1" "$URL"$'\r\n\r\nGET /evil HTTP/1.1' "$URL HTTP/1.1" "$URL"$'\x7f' \
	"${URL/127/127.0.0.1
127}"; do
	serve next
	status "an address with $(printf %q "${url#*v1}")" 2 hamr-provider -n \
		-q --no-config --model m --base-url "$url" in
	is "... nothing is sent" "$(wc -l <log)" 0
done
evil=$'m\r\nX-Evil: 1\r\n\r\nGET /x?y#z HTTP/1.1'
serve next
is "a model with CR LF is one text" "$(hamr-provider -n -q --no-config \
	--model "$evil" --base-url "$URL" in | jq -r 'select(.role).content') \
$(lines)" "good $plain"
printf 'body {"candidates":[{"content":{"parts":[{"text":"good"}]},"finishReason":"STOP"}]}\n' >gemini
serve gemini
is "... also in a path" "$(hamr-provider -n -q --no-config --api gemini \
	--model "$evil" --base-url "$URL" in | jq -r 'select(.role).content') \
$(wc -l <log) $(jq -r .path log | tr -d 'A-Za-z0-9%._/-')" "good 1 ::?="
serve gemini
hamr-provider -n -q --no-config --api gemini --model 'x?y=#z' \
	--base-url "$URL" in >got
is "... and no query" "$(jq -r .path log)" \
	"/v1/v1beta/models/x%3Fy%3D%23z:streamGenerateContent?alt=sse"
while IFS='|' read -r what option; do
	serve next
	status "$what" 78 hamr-provider -n -q --no-config --model m \
		--base-url "$URL" -o "$option" in
	is "... nothing is sent" "$(wc -l <log)" 0
done <<'X'
a header with CR LF|provider.headers=["X: 1\r\nX-Evil: 1"]
... with LF|provider.headers=["X: 1\nX-Evil: 1"]
... with another control byte|provider.headers=["X: 1\u0001"]
... without a colon|provider.headers=["X"]
X
serve next
cat >evil.jq <<'X'
def request: {path: "/x HTTP/1.1\r\nX-Evil: 1\r\n", body: {}}; def event: empty;
X
hamr-provider -n -q --no-config --api ./evil.jq --model m --base-url "$URL" in >got
is "a path of an adapter" "$(jq -r 'select(.code).code' got) $(wc -l <log)" \
	"bad_request 0"
echo 'def request: {path: "/x", headers: {"X": "1\r\nX-Evil: 1"}}; def event: empty;' >evil.jq
hamr-provider -n -q --no-config --api ./evil.jq --model m --base-url "$URL" in >got
is "a header of one" "$(jq -r 'select(.code).code' got) $(wc -l <log)" \
	"bad_request 0"
done_testing

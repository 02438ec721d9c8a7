#!/bin/bash
# https: whom we trust (chapter 4.4)
. "$(dirname "$0")/lib.sh"
if ! python3 -c 'import ssl' 2>/dev/null; then
	skip "https" "python3 has no ssl"
	done_testing
fi
cert=$TOP/tests/data/tls
: >log
timeout 60 python3 "$TOP/tests/tls_server.py" "$cert" &
server=$!
at_end() { kill $server 2>/dev/null; }
for _ in $(seq 200); do
	[ -e port ] && break
	sleep 0.05
done
ask() {	# HOST ARG...
	hamr-provider -n -q --no-config --model m \
		--base-url "https://$1:$(cat port)/v1" "${@:2}" <in
}
printf '{"role":"user","content":"hi"}\n{"type":"go","n":1}\n{"role":"user","content":"again"}\n' >in
ask 127.0.0.1 -o "provider.ca_file=$cert/cert.pem" >out
is "an authority of one's own" "$(jq -r 'select(.role).content' out | xargs)" "hello hello"
is "one connection, kept" "$(sort log | uniq -c | xargs)" "1 connection 2 request"
echo '{"role":"user","content":"hi"}' >in
: >log
ask 127.0.0.1 >out
is "an unknown one is refused" "$(jq -r 'select(.type == "error") |
	"\(.code) \(.retryable)"' out) $(grep -c request log)" "tls false 0"
match "and what to do is said" "$(jq -r .message out)" "*certificate*provider.ca_file"
is "it is not tried again" "$(grep -c progress out)" 0
SSL_CERT_FILE=$cert/cert.pem CURL_CA_BUNDLE=$cert/cert.pem ask 127.0.0.1 >out
is "the environment cannot change that" "$(jq -r 'select(.type ==
	"error").code' out)" tls
ask localhost -o "provider.ca_file=$cert/cert.pem" >out
is "another name than the certificate's" "$(jq -r 'select(.type ==
	"error").code' out)" tls
done_testing

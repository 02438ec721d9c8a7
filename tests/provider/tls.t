#!/bin/bash
# https: whom we trust (chapter 4.4)
. "$(dirname "$0")/../lib.sh"
if ! python3 -c 'import ssl' 2>/dev/null; then
	skip "https" "python3 has no ssl"
	done_testing
fi
cert=$TOP/tests/data/tls
: >log
timeout 60 python3 "$TOP/tests/provider/tls_server.py" "$cert" &
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
match "and what to do is said" "$(jq -r .message out)" "*certificate*provider.ca_file*"
is "it is not tried again" "$(grep -c progress out)" 0
SSL_CERT_FILE=$cert/cert.pem CURL_CA_BUNDLE=$cert/cert.pem ask 127.0.0.1 >out
is "the environment cannot change that" "$(jq -r 'select(.type ==
	"error").code' out)" tls
for f in pki/tls/certs/ca-bundle.crt ssl/certs/ca-certificates.crt \
    ssl/ca-bundle.pem ssl/cert.pem; do
	if bwrap --dev-bind / / --tmpfs /etc true 2>/dev/null; then
		bwrap --dev-bind / / --tmpfs /etc --ro-bind "$cert/cert.pem" \
		    /etc/$f hamr-provider -n -q --no-config --model m \
		    --base-url "https://127.0.0.1:$(cat port)/v1" <in >out
		is "known where systems keep them: /etc/$f" "$(jq -r \
		    'select(.role).content' out)" hello
	else
		skip "known where systems keep them: /etc/$f" "bwrap does not work"
	fi
done
: >log
mkdir -p "$XDG_CONFIG_HOME/hamr"
printf '[provider]\nmodel = "m"\nca_file = "%s"\nbase_url = "%s"\n' \
	"$cert/cert.pem" "https://api.openai.com:x@127.0.0.1:$(cat port)/v1" \
	>"$XDG_CONFIG_HOME/hamr/config.toml"
OPENAI_API_KEY=sk-canary-2 hamr-provider -n -q <in >out
is "a user's name that looks like OpenAI's host gets no key of OpenAI's" \
	"$(jq -r 'select(.role).content' out) $(grep request log)" "hello request"
rm "$XDG_CONFIG_HOME/hamr/config.toml"
ask localhost -o "provider.ca_file=$cert/cert.pem" >out
is "another name than the certificate's" "$(jq -r 'select(.type ==
	"error").code' out)" tls

# ---- a connection that ends in the handshake ----

python3 - >end.port 2>>err <<'X' &
import socket, struct
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print(s.getsockname()[1], flush=True)
for reset in 0, 1:
    c = s.accept()[0]
    c.recv(1)
    if reset:
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                     struct.pack("ii", 1, 0))
    c.close()
X
until [ -s end.port ]; do sleep .05; done
for how in closed reset; do
	is "$how in the handshake: may be tried again" "$(hamr-provider -n -q \
		--no-config --model m -o provider.max_retries=0 \
		--base-url "https://127.0.0.1:$(cat end.port)/v1" <in |
		jq -r '"\(.code) \(.retryable)"')" "network true"
done

# ---- other certificates, made now: each fails for a reason of its own ----

issue() {	# NAME SUBJECT-ALT-NAME ARG-OF-X509...
	mkdir "$1"
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
		-subj "/CN=$1" -keyout "$1/key.pem" -out "$1/req.pem"
	printf 'subjectAltName=%s\n' "$2" >"$1/ext"
	openssl x509 -req -in "$1/req.pem" -extfile "$1/ext" \
		-out "$1/cert.pem" "${@:3}"
}
sign=(-CA ca.pem -CAkey ca.key -CAcreateserial)
if ! { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
	-keyout ca.key -out ca.pem -subj /CN=authority -days 2 &&
	issue good IP:127.0.0.1 "${sign[@]}" -days 2 &&
	issue expired IP:127.0.0.1 "${sign[@]}" -days -1 &&
	issue elsewhere DNS:api.openai.com "${sign[@]}" -days 2 &&
	issue self IP:127.0.0.1 -signkey self/key.pem -days 2; } >made 2>&1
then
	skip "expired, of another name, self-signed" "openssl cannot make them"
	done_testing
fi
while read -r name want; do
	kill $server
	wait $server 2>/dev/null
	rm -f port
	: >log
	timeout 60 python3 "$TOP/tests/provider/tls_server.py" "$name" &
	server=$!
	for _ in $(seq 200); do
		[ -e port ] && break
		sleep 0.05
	done
	OPENAI_API_KEY=sk-canary-1 ask 127.0.0.1 -o provider.ca_file=ca.pem >out
	is "a certificate that is $name" "$(jq -r 'select(.role or .code) |
		.content // "\(.code) \(.retryable)"' out) $(grep -c request log)" \
		"${want//_/ }"
done <<'X'
good hello_1
expired tls_false_0
elsewhere tls_false_0
self tls_false_0
X
done_testing

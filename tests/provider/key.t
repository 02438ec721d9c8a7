#!/bin/bash
# who gets a key: the server it stands beside, and none that was found by
# searching this machine (S27)
#
# A network of our own has the ports that are searched for itself.
if [ -z "$ALONE" ] && unshare -rn sh -c 'ip link set lo up' 2>/dev/null; then
	ALONE=1 exec unshare -rn sh -c 'ip link set lo up && exec bash "$0"' "$0"
fi
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"

events "$(d '{"content":"hello"}')" "$(fin stop)" >hello
printf 'method POST\nalways\n' | cat - hello >answer
printf 'path /v1/models\nalways\nbody {"data":[{"id":"local"}]}\n' >models
mkdir -p "$XDG_CONFIG_HOME/hamr"
file=$XDG_CONFIG_HOME/hamr/config.toml
conf() { printf '%s\n' "$@" >"$file"; }
go() {	# what the server says, and the keys that it has seen
	before=$(wc -l <log)
	hamr-provider -n "$@" <in >out 2>err
	printf '%s %s' "$(jq -r 'select(.role) | .content' out)" "$(tail -n \
		"+$((before + 1))" log | grep -o 'CANARY[0-9]*' | sort -u | paste -sd' ')"
}
export K1=sk-CANARY1
command='api_key_command = ["sh", "-c", "echo ran >>'$T'/ran; echo sk-CANARY2"]'
header='headers = ["X-Api-Key: sk-CANARY3", "Authorization: Bearer sk-CANARY4"]'

# ---- a server that was found ----

free() {
	! (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}
if free 8080 && free 11434 && free 1234; then
	hamr-provider -n --no-config <in >out 2>err
	is "no server at all" "$?" 78
	is "... two lines" "$(wc -l <err)" 2
	match "... of which one names the user's file" "$(cat err)" \
		"*$XDG_CONFIG_HOME/hamr/config.toml*"
	is "... and no record" "$(cat out)" ""
	for port in 8080 11434 1234; do
		httpd_start log -p "$port" models answer || exit 1
		is "a server of this machine is found" "$(go --no-config)" "hello "
		match "... and stderr says so" "$(cat err)" \
			"*local*127.0.0.1:$port*"
		httpd_stop
	done
	is "... with its first model" "$(jq -r 'select(.method == "POST") |
		.body | fromjson | .model' log)" local
	httpd_start log -p 8080 models answer || exit 1
	while IFS='|' read -r name table args; do
		printf '%b\n' "$table" >"$file"
		# shellcheck disable=SC2086
		is "found: $name" "$(OPENAI_API_KEY=sk-CANARY0 \
			HAMR_PROVIDER_HEADERS='["X-Y: sk-CANARY5"]' go $args)" \
			"hello "
		match "... and what is left out is said" "$(cat err)" \
			"*is not used there: it belongs to the base_url set beside it*"
	done <<X
api_key_env|[provider]\\napi_key_env = "K1"|
... that is not set|[provider]\\napi_key_env = "K9"|
api_key_command|[provider]\\n$command|
headers|[provider]\\n$header|
all of them, in a profile|[provider.x]\\napi_key_env = "K1"\\n$command\\n$header|--provider x
of the command line||-o provider.api_key_env=K1
a command of it||-o provider.api_key_command=["echo","sk-CANARY6"]
headers of it||-o provider.headers=["X:sk-CANARY7"]
X
	HAMR_PROVIDER_API_KEY_ENV=K1 hamr-provider -n --models >out 2>err
	is "--models of one" "$(cat out) $(grep -c CANARY log)" "local 0"
	is "no command was run for it" "$(cat ran 2>&1 | grep -c ^ran)" 0
	: >"$file"
	HAMR_PROVIDER_API_KEY_ENV=K1 hamr-provider --probe >out 2>err
	is "--probe of one" "$(jq -r .model out) $(grep -c CANARY log)" "local 0"
	rm "$file"
	printf 'path /api/chat\nline {"message":{"content":"hello"},"done":true}\n' >chat
	httpd_stop
	httpd_start log -p 11434 chat || exit 1
	is "nor has the usual port of Ollama a right to one" "$(OLLAMA_API_KEY=sk-CANARY0 \
		HAMR_PROVIDER_API_KEY_ENV=K1 go --api ollama --model m)" "hello "
	httpd_stop
else
	skip "servers of this machine" "one of their ports is taken"
fi

# ---- a server that is named ----

serve models answer
U="base_url = \"$URL\"" M='model = "m"'
A='base_url = "http://127.0.0.1:9/v1"'
conf '[provider]' "$U" "$M" 'api_key_env = "K1"' "${header%,*}]"
is "key and headers beside it" "$(go)" "hello CANARY1 CANARY3"
conf '[provider]' "$U" "$M" "$command"
is "a command beside it" "$(go)" "hello CANARY2"
conf '[provider]' "$A" "$M" 'api_key_env = "K1"' "$header"
is "an address of the command line is not the one beside" \
	"$(go --base-url "$URL")" "hello "
is "... nor is -o" "$(go -o "provider.base_url=$URL")" "hello "
is "... nor the environment" "$(HAMR_PROVIDER_BASE_URL=$URL go)" "hello "
is "but what the command line says is beside each other" \
	"$(go --base-url "$URL" -o provider.api_key_env=K1)" "hello CANARY1"
is "... also with a customary key" "$(OPENAI_API_KEY=sk-CANARY0 \
	go --base-url "$URL")" "hello CANARY0"
conf '[provider]' "$U" "$M" 'api_key_env = "K1"'
is "the same server by another path" \
	"$(go -o "provider.base_url=${URL/v1/./v1}")" "hello CANARY1"
is "a key of the environment is beside the address of the file" \
	"$(K3=sk-CANARY8 HAMR_PROVIDER_API_KEY_ENV=K3 go)" "hello CANARY8"
conf '[provider]' "$M" 'api_key_env = "K1"'
is "an address of the environment, and none in the file" \
	"$(HAMR_PROVIDER_BASE_URL=$URL go)" "hello CANARY1"
is "... of the API's own variable" "$(OPENAI_BASE_URL=$URL go)" "hello CANARY1"
is "... of the command line" "$(go --base-url "$URL")" "hello CANARY1"
conf '[provider]' "$A" 'api_key_env = "K1"' "$header" '[provider.x]' "$U" "$M"
is "a profile's address is not beside the key of [provider]" \
	"$(go --provider x)" "hello "
conf '[provider]' 'api_key_env = "K1"' "$header" '[provider.x]' "$U" "$M"
is "... even if that has no address" "$(go --provider x)" "hello "
conf '[provider]' "$A" "$header" '[provider.x]' "$U" "$M" 'api_key_env = "K1"'
is "a profile's own key is" "$(go --provider x)" "hello CANARY1"
conf '[provider]' "$U" "$M" '[provider.x]' 'api_key_env = "K1"'
is "... and is for the address it has from [provider]" "$(go --provider x)" \
	"hello CANARY1"
conf '[provider.x]' "$A" "$M" 'api_key_env = "K1"'
is "... but not for one of the command line" "$(go --provider x \
	--base-url "$URL") $(go --provider x -o provider.base_url="$URL")" \
	"hello  hello "
conf '[provider]' "$A" "$M" 'api_key_env = "K9"' '[provider.x]' "$U" "$M"
is "a key that is not for us need not be set" "$(go --provider x)" "hello "

# ---- a key that is refused ----

printf 'status 401\nbody {"error":"no"}\n' >no
serve no
said() { go "$@" >words; jq -r 'select(.code).message' out; }
for api in openai:OPENAI anthropic:ANTHROPIC gemini:GEMINI ollama:OLLAMA; do
	rm -f "$file"
	is "${api%:*}: what to export" "$(said --api "${api%:*}" --base-url \
		"$URL" --model m)" \
		"HTTP 401: no; no key was sent: export ${api#*:}_API_KEY"
	is "... which was sent" "$(export "${api#*:}_API_KEY=sk-CANARY0"
		said --api "${api%:*}" --base-url "$URL" --model m)" \
		"HTTP 401: no; the key sent came from ${api#*:}_API_KEY"
done
conf '[provider]' "$U" "$M"
sed -i "s|$U|base_url = \"$URL\"|" "$file"
is "an address of the configuration" "$(OPENAI_API_KEY=x said)" "HTTP 401: no; \
no key was sent: set api_key_env next to base_url under [provider]"
conf '[provider]' "$A" "$M" "$header"
is "one that is not beside" "$(said --base-url "$URL")" "HTTP 401: no; \
no key was sent: provider.headers belongs to the base_url set beside it"
conf '[provider]' "base_url = \"$URL\"" "$M" "$header"
is "one among the headers" "$(said)" \
	"HTTP 401: no; the key sent is in provider.headers"
conf '[provider]' "base_url = \"$URL\"" "$M" "$command"
is "one of a command" "$(said)" \
	"HTTP 401: no; the key sent came from provider.api_key_command"
hamr-provider --models >out 2>err
match "--models says it, too" "$(cat err)" "*(HTTP 401)*; the key sent came from *"
hamr-provider --models -o provider.api_key_command=[] >out 2>err
match "... or that there was none" "$(cat err)" "*(HTTP 401)*; no key was sent*"
done_testing

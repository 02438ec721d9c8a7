#!/bin/bash
# which server, which key, and that the key goes nowhere else (chapter 4.1)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/provider/provider.sh"

events "$(d '{"content":"hello"}')" "$(fin stop)" >hello
echo 'method POST' >>hello
key=sk-canary-0123456789
auth() {	# the Authorization headers of the POSTs
	jq -r 'select(.method == "POST") | .headers.authorization // "none"' log | sort -u
}
go() {
	hamr-provider -n -q "$@" <in >out 2>err
}
mkdir -p "$XDG_CONFIG_HOME/hamr"
conf() {
	cat >"$XDG_CONFIG_HOME/hamr/config.toml"
}

# ---- keys ----

serve hello
export OPENAI_API_KEY=$key
go --base-url "$URL" --model m
is "the customary key goes to a URL of the command line" "$(auth)" "Bearer $key"
serve hello
OPENAI_BASE_URL=$URL go --model m
is "... and to the API's own URL variable" "$(auth)" "Bearer $key"
serve hello
conf <<X
[provider]
base_url = "$URL"
model = "m"
X
go
is "... but not to a URL of the configuration" "$(auth)" "none"
serve hello
conf <<X
[provider]
base_url = "$URL"
model = "m"
api_key_env = "MY_KEY"
headers = ["X-Title: hamr"]
X
MY_KEY=mine-abcdef go
is "api_key_env" "$(auth)" "Bearer mine-abcdef"
is "headers" "$(jq -r '.headers["x-title"]' log)" hamr
status "... that is not set" 78 env -u MY_KEY hamr-provider -n in
serve hello
conf <<X
[provider]
base_url = "$URL"
model = "m"
api_key_command = ["printf", '%s\n', "from-command"]
X
go
is "api_key_command" "$(auth)" "Bearer from-command"
conf <<X
[provider]
base_url = "$URL"
model = "m"
api_key_command = ["false"]
X
status "... that fails" 78 hamr-provider -n in
conf <<X
[provider]
base_url = "$URL"
model = "m"
api_key_command = ["no-such-program"]
X
status "... that is not there" 78 hamr-provider -n in
match "... is told" "$(cat "$T/.err")" \
    "*api_key_command: no-such-program cannot be started; *"
while IFS='|' read -r command said; do
	conf <<X
[provider]
base_url = "$URL"
model = "m"
api_key_command = [$command]
X
	status "... that is $command" 78 timeout 120 hamr-provider -n in
	match "... is told" "$(cat "$T/.err")" "*api_key_command: $said; *"
done <<'E'
"echo"|echo printed no key
"yes"|yes printed too much
"sh", "-c", "echo a-key; exec yes"|sh printed too much
E
conf <<X
[provider]
base_url = "$URL"
model = "m"
api_key_command = ["sh", "-c", "echo \$\$ >$T/group; sleep 600 & sleep 600"]
X
status "... that does not end" 78 timeout 120 hamr-provider -n in
match "... is told" "$(cat "$T/.err")" \
    "*api_key_command: sh did not end within 10 s; *"
for _ in $(seq 200); do
	ps -eo pgid=,stat= | grep -q "^ *$(cat "$T/group") *[^Z]*$" || break
	sleep 0.05
done
is "... and ended with all it started" "$(ps -eo pgid=,stat= |
    grep -c "^ *$(cat "$T/group") *[^Z]*$")" 0
serve hello
conf <<X
[provider]
base_url = "$URL"
model = "m"
api_key_command = ["sh", "-c", "echo a-key; sleep 600 & echo \$! >$T/left"]
X
go
is "an end is an end, whoever holds its output" "$(auth)" "Bearer a-key"
kill "$(cat "$T/left")"
serve hello
conf <<X
[provider.here]
base_url = "$URL"
model = "profiled"
[provider]
model = "other"
X
go --provider here
is "a profile" "$(jq -r '.body | fromjson | .model' log)" profiled
go --provider here --model flagged
is "... beneath the flags" "$(tail -n 1 log | jq -r '.body | fromjson | .model')" flagged
go --provider here -o provider.model=optioned
is "... and -o" "$(tail -n 1 log | jq -r '.body | fromjson | .model')" optioned
rm "$XDG_CONFIG_HOME/hamr/config.toml"
git init -q .
mkdir .hamr
printf '[provider]\nbase_url = "%s"\nmodel = "m"\napi_key_env = "OPENAI_API_KEY"\n' "$URL" >.hamr/config.toml
serve hello
go --base-url http://127.0.0.1:9/v1 --model m -o provider.max_retries=0
is "a repository cannot point the key elsewhere" "$(wc -l <log)" 0
rm -r .hamr .git

# canaries
printf 'status 401\nbody {"error":{"message":"Incorrect API key provided: %s"}}\n' $key >no
serve no
go --base-url "$URL" --model m
is "a server that quotes the key" "$(jq -r 'select(.type == "error").message' out)" \
	"HTTP 401: Incorrect API key provided: [key]; the key sent came from OPENAI_API_KEY"
printf 'status 500\nheader Retry-After: 0\nbody {"error":{"message":"%s"}}\n' $key >no
serve no
go --base-url "$URL" --model m
is "... also in progress" "$(cat out err | grep -c canary)" 0
printf 'status 429\nheader Retry-After: %s\nbody {}\n' $key >no
serve no
go --base-url "$URL" --model m --record tape -o provider.max_retries=0
is "... nor in a cassette" "$(grep -c canary tape)" 0
go --base-url "http://user:$key@127.0.0.1:9/v1" --model m -o provider.max_retries=0
is "a key in the URL is not shown" "$(cat out err | grep -c canary)" 0
OPENAI_API_KEY="$key
x: y" go --base-url "$URL" --model m
is "a key of two lines is refused" "$?" 78
is "... and not shown" "$(grep -c canary err)" 0
{ events "$(d '{"content":"hello"}')" | grep -v DONE; echo hang; } >slow
serve slow
mkfifo to
hamr-provider -r -q --base-url "$URL" --model m <to >out 2>err &
pid=$!
exec 3>to
printf '%s\n{"type":"go"}\n' "$user" >&3
while ! grep -q hello out; do sleep 0.05; done
is "not in the arguments" "$(tr '\0' '\n' <"/proc/$pid/cmdline" | grep -c canary)" 0
is "no core dump" "$(awk '/^Max core file size/ { print $5, $6 }' "/proc/$pid/limits" 2>/dev/null || echo hidden)" "0 0"
exec 3>&-
wait $pid
serve hello
# a key is sent nowhere else (S16)
printf 'status 307\nheader Location: %s/chat/completions\n' "$URL" >move
there=$HTTPD_PID
cp log log.there
HTTPD_PID=
serve move
go --base-url "$URL" --model m
is "nothing follows a redirect" "$(wc -l <log)" 1
httpd_stop "$there"
unset OPENAI_API_KEY

# ---- models ----

printf 'path /v1/models\nbody {"object":"list","data":[{"id":"first","max_model_len":4096},{"id":"second","max_model_len":8192}]}\n' >models
serve models hello
is "--models" "$(hamr-provider --models --base-url "$URL")" "first
second"
hamr-provider -n --base-url "$URL" <in >out 2>err
is "no model: the first one listed" "$(jq -r 'select(.method == "POST") | .body | fromjson | .model' log)" first
match "... and stderr says so" "$(cat err)" "*first*"
serve hello
hamr-provider -n --base-url "$URL" <in >out 2>err
is "a server that lists none" "$(jq -r 'select(.role).content' out)" hello
is "... is sent no model" "$(jq -r 'select(.method == "POST") | .body | fromjson | .model' log)" null
printf '%s\n' 'body {"data":[{"id":"a\nb\u001b[1m"}]}' >s
serve s
is "--models: an id is one line, and no command to a terminal" \
    "$(hamr-provider --models --base-url "$URL")" "a b?[1m"
serve hello
status "--models of nobody" 75 hamr-provider --models --base-url http://127.0.0.1:9/v1
status "--models of a server without" 69 hamr-provider --models --base-url "$URL"
printf 'method GET\nstatus 503\n' >s
serve s
status "--models of a busy server" 75 hamr-provider --models --base-url "$URL"
match "... says to try again" "$(cat "$T/.err")" "*(HTTP 503); try again later"
# OpenRouter has hundreds of models, a thousand bytes each
{ printf 'body {"data":['; seq 10000 | jq -c '{id: "m\(.)", x: ("y" * 300)}' |
	paste -sd, | tr -d '\n'; echo ']}'; } >many
serve many
is "--models, a long list" "$(timeout 3 hamr-provider --models --base-url "$URL" |
	tail -n 1)" m10000

# ---- the window ----

cat >try <<'X'
method POST
body {"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"ping","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"timings":{"predicted_per_second":42.5}}
X
serve models try
is "--probe: vLLM's max_model_len" "$(hamr-provider --probe --model second --base-url "$URL")" \
	'{"type":"limit","context_tokens":8192,"source":"/models","model":"second","tools":true,"tokens_per_second":42.5}'
probe() {	# name wanted; the answer of /props or /api/ps is script s
	serve s models try
	is "$1" "$(hamr-provider --probe --model first --base-url "$URL" | jq -c '[.context_tokens, .source]')" "$2"
}
hamr-provider -q --probe --base-url "$URL" >/dev/null
is "... which is asked once for its models, also for the first one's name" \
	"$(jq -r .path log | tail -n 3 | xargs)" \
	"/v1/models /v1/chat/completions /props"
printf 'path /props\nbody {"default_generation_settings":{"n_ctx":8192},"total_slots":4}\n' >s
probe "--probe: llama.cpp, of one slot" '[8192,"/props"]'
printf 'path /props\nbody {"n_ctx":32768,"total_slots":4}\n' >s
probe "--probe: llama.cpp, of all slots" '[8192,"/props"]'
printf 'path /v1/models\nbody {"data":[{"id":"first"}]}\n' >models
printf 'path /api/ps\nbody {"models":[{"name":"other","context_length":1},{"name":"first","context_length":40960}]}\n' >s
probe "--probe: Ollama" '[40960,"/api/ps"]'
printf 'path /api/v0/models\nbody {"data":[{"id":"first","max_context_length":131072,"loaded_context_length":4096},{"id":"x"}]}\n' >s
probe "--probe: LM Studio, as loaded" '[4096,"/api/v0/models"]'
printf 'path /none\n' >s
while IFS='|' read -r who entry; do
	printf 'path /v1/models\nbody {"data":[{"id":"x","%s":9},{"id":"first","%s":65536}]}\n' \
		"$entry" "$entry" >models
	probe "--probe: $who" '[65536,"/models"]'
done <<'X'
OpenRouter|context_length
Groq|context_window
Mistral|max_context_length
Anthropic|max_input_tokens
X
printf 'path /v1/models\nbody [{"id":"x","context_length":9},{"id":"first","context_length":65536}]\n' >models
probe "--probe: Together's bare list" '[65536,"/models"]'
printf 'path /v1/models\nbody {"data":[{"id":"x"},{"id":"first","meta":{"n_ctx":4096,"n_ctx_train":9}}]}\n' >models
probe "--probe: a loaded one of llama.cpp's models" '[4096,"/models"]'
printf 'path /api/ps\nbody {"models":[{"name":"other","context_length":1},{"name":"first:latest","context_length":40960}]}\n' >s
printf 'path /v1/models\nbody {"data":[]}\n' >models
probe "--probe: Ollama's latest" '[40960,"/api/ps"]'
printf 'path /api/ps\nbody {"models":[{"name":"other","context_length":2048}]}\n' >s
probe "... not that of another model, even if no other is loaded" \
	'[null,"--probe"]' 2>/dev/null
printf 'path /props\nbody {"role":"router","default_generation_settings":{"n_ctx":0}}\n' >s
printf 'path /props?model=first\nbody {"default_generation_settings":{"n_ctx":2048}}\n' >s2
serve s s2 models try
is "--probe: the model of llama.cpp's that is meant" "$(hamr-provider --probe \
	--model first --base-url "$URL" | jq -c '[.context_tokens, .source]')" \
	'[2048,"/props"]'

# a router, and LM Studio, tell it once they have loaded the model
events "$(d '{"content":"x"}')" "$(fin stop)" >hello
later() {
	: >out
	{
		printf '{"type":"sync","n":1}\n%s\n{"type":"go"}\n' "$user"
		until grep -q '"role"' out; do sleep 0.05; done
	} | hamr-provider -r -q --no-config --model m --base-url "$URL" >out
	jq -c 'select(.type != "delta") | [.type // .role, .context_tokens]' out |
		xargs
}
printf 'path /props\nalways\nbody {"role":"router"}\n' >s
printf 'path /props?model=m\nstatus 400\nbody {"error":"not loaded"}\n' >no
printf 'path /props?model=m\nbody {"n_ctx":2048}\n' >s2
serve no s2 s hello
is "a router's window, behind the first answer" "$(later)" \
	'[sync,null] [limit,2048] [assistant,null] [go,null]'
printf 'path /api/v0/models\nbody {"data":[{"id":"m"},{"id":"n"}]}\n' >no
printf 'path /api/v0/models\nbody {"data":[{"id":"m","loaded_context_length":4096},{"id":"n"}]}\n' >s2
serve no s2 hello
is "... and LM Studio's" "$(later)" \
	'[sync,null] [limit,4096] [assistant,null] [go,null]'
printf 'path /v1beta/models\nbody {"models":[{"name":"models/x","inputTokenLimit":9},{"name":"models/g","inputTokenLimit":65536}]}\n' >models
serve models
is "--probe: Gemini" "$(hamr-provider --probe --api gemini --model g \
	--base-url "${URL%/v1}" 2>err | jq .context_tokens)" 65536
printf 'path /v1/models\nbody {"data":[{"id":"x","context_length":9},{"id":"y","context_length":8}]}\n' >models
serve models try
hamr-provider --probe --model first --base-url "$URL" >out 2>err
is "--probe: a server that does not tell of this model" "$?" 1

printf 'path /v1/models\nbody    {"data":[{"id":"x"}]}\n' >blanks
serve blanks
is "--models: blanks before the list" "$(hamr-provider --models --base-url \
	"$URL")" x
printf 'path /v1/chat/completions\nstatus 500\nbody {"error":{"message":"no such template"}}\n' >broken
serve models broken
is "--probe says why a request failed" "$(hamr-provider --probe --model x \
	--base-url "$URL" 2>&1 | head -n 1)" "hamr-provider: HTTP 500: no such template"

# Ollama's own API: once it has the model loaded, else what is asked for
printf 'path /api/chat\nbody {"message":{"content":"x"},"done":true}\n' >chat
printf 'path /api/ps\nbody {"models":[{"name":"m","context_length":5555}]}\n' >ps
own() {
	hamr-provider --probe --api ollama --model m --base-url "${URL%/v1}" |
		jq -c '[.context_tokens, .source]'
}
serve chat ps
is "--probe: Ollama's own API" "$(own) $(jq -r .path log | grep -e chat -e api.ps |
	xargs)" '[5555,"/api/ps"] /api/chat /api/ps'
serve chat
is "... that does not tell" "$(own)" '[32768,"num_ctx"]'

# num_ctx: what is set, else the model's own, never more than it has
printf 'path /api/show\nalways\nbody {"parameters":"stop \\"<x>\\"\\nnum_ctx  65536","model_info":{"general.architecture":"q","q.context_length":131072,"v.context_length":9}}\n' >show
printf 'path /api/show\nalways\nbody {"model_info":{"general.architecture":"q","q.context_length":8192}}\n' >small
num_ctx() {
	: >out
	{
		[ -z "${sync-1}" ] || echo '{"type":"sync","n":1}'
		cat in
		echo '{"type":"go"}'
		until grep -q '"role"' out; do sleep 0.05; done
	} | hamr-provider -r --no-config --api ollama --model m \
		--base-url "${URL%/v1}" "$@" >out
	jq -c 'select(.path == "/api/chat").body | fromjson | .options.num_ctx' \
		log | tail -n 1
}
serve show chat
is "Ollama: the window of the Modelfile" "$(num_ctx)" 65536
is "... asked for by the model's name" "$(jq -r .body log | head -n 1)" \
	'{"model":"m"}'
is "... also before the first sync, or the model would be loaded twice" \
	"$(sync='' num_ctx) $(jq -r .path log | tail -n 2 | xargs)" \
	"65536 /api/show /api/chat"
is "... after what is set" "$(num_ctx -o context.window=16384)" 16384
is "... the smaller of two" "$(num_ctx -o context.window=16384 \
	-o context.context_budget_tokens=12000)" 12000
is "... and before it, params" "$(num_ctx -o context.window=16384 \
	-o 'provider.params={"options":{"num_ctx":20000}}')" 20000
serve small chat
is "... and no more than the model was trained for" "$(num_ctx) $(num_ctx \
	-o context.window=16384)" "8192 8192"
is "... which is the limit of the session" "$(jq -c 'select(.type == "limit") |
	[.context_tokens, .source]' out)" '[8192,"num_ctx"]'

done_testing

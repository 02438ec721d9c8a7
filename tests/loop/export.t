#!/bin/bash
# a session in the forms of others (chapter 7.4)
. "$(dirname "$0")/../lib.sh"
mkdir w && cd w && git init -q . && echo hello >f
cat >script <<'X'
{"type":"usage","prompt_tokens":100,"completion_tokens":5}
{"role":"assistant","content":"</pre><img src=x onerror=alert(1)>","reasoning":"<b>hm</b>","tool_calls":[{"id":"r1","type":"function","function":{"name":"read","arguments":"{\"path\":\"f\"}"}},{"id":"w1","type":"function","function":{"name":"write","arguments":"{\"path\":\"<i>.txt\",\"content\":\"a & b\\n\"}"}}],"finish_reason":"tool_calls"}
{"role":"assistant","content":"All is \"well\".","finish_reason":"stop"}
X
grep -v usage script >answers
hamr-loop --no-config --yes --quiet --replay answers \
    "add <script>alert('x')</script> & $(printf '\033]0;t\a')‮x" >/dev/null
f=$(ls .hamr/sessions/*.ndjson)
sed -i '0,/"role":"assistant"/s/^\({"role":"assistant"\)/{"type":"usage","prompt_tokens":100,"completion_tokens":5}\n\1/' "$f"
id=$(basename "$f" .ndjson)
export_as() { hamr-loop --no-config --export "$@"; }

export_as html "$id" >page
is "--export html" "$?" 0
cat >check.py <<'X'
import sys
from html.parser import HTMLParser
void = {'meta', 'br', 'img', 'link'}
class P(HTMLParser):
    stack, tags, bad, text = [], {}, [], ''
    ids, links = set(), set()
    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for k, v in attrs:
            if k == 'id':
                self.ids.add('#' + v)
            elif k == 'href' and v.startswith('#'):
                self.links.add(v)
            elif k.startswith('on') or k in ('src', 'href', 'action'):
                self.bad.append((tag, k, v))
        if tag not in void:
            self.stack.append(tag)
    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.bad.append(('unbalanced', tag))
    def handle_data(self, d):
        self.text += d
p = P()
p.feed(open(sys.argv[1], encoding='utf-8').read())
print('open', len(p.stack), 'bad', p.bad, 'scripts', p.tags.get('script', 0),
      'calls', p.tags['details'], 'bars', p.tags.get('rect', 0),
      'links', len(p.links), 'lost', p.links - p.ids)
sys.stderr.write(p.text)
X
is "well formed, no script, nothing to fetch, calls folded, a chart" \
    "$(python3 check.py page 2>text)" \
    "open 0 bad [] scripts 0 calls 4 bars 2 links 1 lost set()"
match "hostile text is shown as text" "$(cat text)" \
    "*add <script>alert('x')</script> &*</pre><img src=x onerror=alert(1)>*"
is "no control bytes, no overrides" "$(LC_ALL=C tr -d '\n\t' <page |
    LC_ALL=C grep -c "$(printf '[\001-\037\177]')") $(grep -c '‮' page)" "0 0"
match "the policy forbids everything else" "$(cat page)" \
    "*Content-Security-Policy*default-src 'none'*"
is "diffs are coloured" "$(grep -v '^<li>' page |
    grep -c 'class="add"')" 1
if command -v chromium >/dev/null 2>&1; then
	# what is fetched, or run, would be seen here
	cp page page.html
	timeout 60 chromium --headless --no-sandbox --disable-gpu --dump-dom \
	    --user-data-dir="$T/chromium" --enable-logging=stderr --v=0 \
	    "file://$PWD/page.html" >dom 2>log
	is "Chromium shows the same calls" "$(grep -o '<details' dom | wc -l)" 4
	is "... the chart" "$(grep -o '<rect' dom | wc -l)" 2
	is "... and runs and fetches nothing of it" "$(grep -cE \
	    '<script|<img|Refused to|CONSOLE' dom log | paste -sd' ')" \
	    "dom:0 log:0"
else
	skip "the page in a browser" "chromium is not installed"
fi

match "the files that were changed, with links to their diffs" \
    "$(grep '^<li>' page)" "<li><code>&lt;i&gt;.txt</code> <span class=\"add\">+1</span> \
<span class=\"del\">-0</span> step <a href=\"#call2\">1</a></li>"
is "calls titled in words" "$(grep -o '<summary>[^<]*' page | cut -c 10- |
    paste -sd'|')" "text|reasoning|read f, lines 1 to 1 |create &lt;i&gt;.txt "
cat >.hamr/sessions/sum.ndjson <<'X'
{"type":"hamr","v":1,"session":"sum"}
{"type":"usage","prompt_tokens":1000,"completion_tokens":20,"cached_tokens":500,"cost":0.01}
{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"bash","arguments":"{\"command\":\"make <b>\"}"}},{"id":"2","function":{"name":"Grep","arguments":"{\"pattern\":\"x y\"}"}},{"id":"3","function":{"name":"read","arguments":"{\"query\":\"needle\",\"path\":\"lib\"}"}},{"id":"4","function":{"name":"edit","arguments":"{\"path\":\"a.c\"}"}}]}
{"role":"tool","tool_call_id":"1","content":"no","is_error":true,"meta":{"exit":2,"ms":1300,"mutated":[{"path":"o","sha256":null}]}}
{"role":"tool","tool_call_id":"3","content":"","meta":{"op":"search","matches":3,"ms":7}}
{"role":"tool","tool_call_id":"4","content":"","meta":{"path":"a.c","added":3,"removed":1,"diff":"+x\n","mutated":[{"path":"a.c"}]}}
{"type":"end","status":"completed","ms":61000}
{"type":"usage","prompt_tokens":2000,"completion_tokens":30,"cached_tokens":1000,"cost":0.0203}
{"role":"assistant","content":"done","tool_calls":[{"id":"5","function":{"name":"edit","arguments":"{\"path\":\"a.c\"}"}}]}
{"role":"tool","tool_call_id":"5","content":"","meta":{"path":"a.c","added":2,"removed":0,"diff":"+y\n","mutated":[{"path":"a.c"}]}}
{"type":"end","status":"completed","ms":4000}
X
export_as html sum >page
is "what the whole session came to" "$(sed -n 's/^<dt>\(.*\)<.dt><dd>\(.*\)<.dd>$/\1 \2/p' \
    page | paste -sd'|')" "status completed|turns 2|steps 2|calls 5|\
tokens 3,000 in (50 % cached), 50 out|cost \$0.0303|time 1 min 5 s|session sum"
is "... its files, each once" "$(grep '^<li>' page | sed 's/<[^>]*>//g' |
    paste -sd'|')" "o step 1|a.c +5 -1 step 1 2"
is "... its calls" "$(grep -o '<summary>.*</summary>' page |
    sed 's/<[^>]*>//g' | paste -sd'|')" "run make &lt;b&gt; exit 2, 1.3 s|\
search for needle in lib 3 matches, 7 ms|change a.c +3 -1|Grep x y no result|\
change a.c +2 -0"
match "dark where the reader's is" "$(cat page)" \
    "*color-scheme\" content=\"light dark*prefers-color-scheme:dark*"
rm .hamr/sessions/sum.ndjson

# another program's session: edits without a diff, the model with the answers
cat >.hamr/sessions/other.ndjson <<'X'
{"role":"user","content":"go"}
{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"edit","arguments":"{\"path\":\"a.c\",\"old_string\":\"x\\n</pre>\\n\",\"new_string\":\"z\",\"replace_all\":false}"}},{"id":"2","function":{"name":"edit","arguments":"{\"path\":\"b.c\",\"edits\":[{\"oldText\":\"p\",\"newText\":\"q\"}]}"}},{"id":"3","function":{"name":"edit","arguments":"{\"path\":\"c.c\",\"old\":\"r\",\"new\":\"s\"}"}},{"id":"4","function":{"name":"bash","arguments":"{\"command\":\"a\\nb\"}"}}],"meta":{"model":"m-1"}}
{"role":"tool","tool_call_id":"1","content":"done"}
{"role":"tool","tool_call_id":"2","content":"done"}
{"role":"tool","tool_call_id":"3","content":"not found","is_error":true}
{"role":"tool","tool_call_id":"4","content":"c"}
X
export_as html other >page
is "another program's edits: what was replaced, by what" "$(sed -n \
    's/.*<span class="\(...\)">/\1 /p; /^-/p' page | paste -sd'|')" \
    'del -x|-&lt;/pre&gt;|add +z|del -p|add +q|del -r|add +s'
is "... the files of those that worked" "$(grep '^<li>' page |
    sed 's/<[^>]*>//g' | paste -sd'|')" "a.c step 1|b.c step 1"
match "... and the model" "$(cat page)" "*<dt>model</dt><dd>m-1</dd>*"
match "arguments in lines, without what the diff shows" "$(cat page)" \
    "*<pre>path: a.c
replace_all: false
</pre>*<pre>a
b</pre>*"
rm .hamr/sessions/other.ndjson

# the title of a call holds 120 bytes, whole characters
a=$(printf 'a%.0s' {1..117})
cat >.hamr/sessions/edge.ndjson <<X
{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"w","arguments":"${a}b"}},{"id":"2","function":{"name":"x","arguments":"${a}bc"}},{"id":"3","function":{"name":"y","arguments":"${a}é"}}]}
X
is "120 bytes of a call are shown whole, of more the first 120" \
    "$(export_as html edge | sed -n 's/^.*<summary>\([wxy]\) a*\(.*\) <small>no.*/\1 \2/p' |
	paste -sd' ')" "w b x b&hellip; y &hellip;"
rm .hamr/sessions/edge.ndjson

export_as openai >doc
is "--export openai, of the newest" "$(jq -c '[.messages[] | .role], (.messages
    | map(has("meta") or has("is_error")) | any)' doc | paste -sd' ')" \
    '["system","user","assistant","tool","tool","assistant"] false'
is "arguments byte for byte" "$(jq -r \
    '.messages[2].tool_calls[0].function.arguments' doc)" '{"path":"f"}'
is "with the tools" "$(jq '.tools | length > 3' doc)" true
export_as atif >doc
is "--export atif" "$(jq -c '[.schema_version, .session_id, (.steps |
    map(.source)), .steps[2].tool_calls[0].arguments.path,
    (.steps[2].observation.results | length), .steps[2].metrics.prompt_tokens]' \
    doc)" "[\"ATIF-v1.2\",\"$id\",[\"system\",\"user\",\"agent\",\"agent\"],\"f\",2,100]"
jq -cn '{role: "assistant", content: "{\"$json\":\"{}\"}", tool_calls: [
    ("{\"n\":12345678901234567890,\n\t\"f\":1.10e+02,\"s\":\"é\\u0041\\n}\"}",
    "[1]", "{\"a\":", "", "{\"$json\":\"{\\\"x\\\":1}\"}") |
    {id: "1", type: "function", function: {name: "f", arguments: .}}]}' \
    >.hamr/sessions/big.ndjson
export_as atif big >doc
is "atif: arguments byte for byte, digits too; what is no object as text" \
    "$(grep -o '"arguments":.*' doc | sed 's/},{"tool_call_id":"1","function_name":"f",/\n/g; s/}\].*//')" \
    '"arguments":{"n":12345678901234567890,  "f":1.10e+02,"s":"é\u0041\n}"}
"arguments":{"_invalid":"[1]"}
"arguments":{"_invalid":"{\"a\":"}
"arguments":{"_invalid":""}
"arguments":{"$json":"{\"x\":1}"}'
is "... and what is said is as it was" "$(jq -r '.steps[0].message' doc)" \
    '{"$json":"{}"}'
rm .hamr/sessions/big.ndjson
jq -cn '{role: "assistant", content: null, tool_calls: [("1", "2") |
    {id: ., type: "function", function: {name: "f", arguments: "{}"}}]},
    ({role: "tool", tool_call_id: "1", content: "no", is_error: true},
    {role: "tool", tool_call_id: "2", content: "yes"},
    {role: "assistant", content: "so"})' >.hamr/sessions/failed.ndjson
export_as atif failed >doc
is "atif: the calls that failed" "$(jq -c '.steps | map(.extra)' doc)" \
    '[{"failed_calls":["1"]},null]'
is "... also when it is read again" "$(hamr-guard -q --import-only doc |
    jq -c 'select(.role == "tool") | [.content, .is_error]' | paste -sd' ')" \
    '["no",true] ["yes",null]'
rm .hamr/sessions/failed.ndjson
status "something else: 2" 2 hamr-loop --no-config --export pdf "$id"
status "no such session: 66" 66 hamr-loop --no-config --export html nope
echo '{"role":' >>"$f"
status "a damaged session: 65" 65 hamr-loop --no-config --export html "$id"
done_testing

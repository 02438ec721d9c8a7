#!/bin/bash
# a session in the forms of others (chapter 7.4)
. "$(dirname "$0")/lib.sh"
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
    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for k, v in attrs:
            if k.startswith('on') or k in ('src', 'href', 'action'):
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
      'calls', p.tags['details'], 'bars', p.tags.get('rect', 0))
sys.stderr.write(p.text)
X
is "well formed, no script, nothing to fetch, calls folded, a chart" \
    "$(python3 check.py page 2>text)" \
    "open 0 bad [] scripts 0 calls 4 bars 2"
match "hostile text is shown as text" "$(cat text)" \
    "*add <script>alert('x')</script> &*</pre><img src=x onerror=alert(1)>*"
is "no control bytes, no overrides" "$(LC_ALL=C tr -d '\n\t' <page |
    LC_ALL=C grep -c "$(printf '[\001-\037\177]')") $(grep -c '‮' page)" "0 0"
match "the policy forbids everything else" "$(cat page)" \
    "*Content-Security-Policy*default-src 'none'*"
is "diffs are coloured" "$(grep -c 'class="add"' page)" 2
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
status "something else: 2" 2 hamr-loop --no-config --export pdf "$id"
status "no such session: 66" 66 hamr-loop --no-config --export html nope
echo '{"role":' >>"$f"
status "a damaged session: 65" 65 hamr-loop --no-config --export html "$id"
done_testing

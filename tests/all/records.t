#!/bin/bash
# records.t - every record that the programs write is one of the schema's, and
# hamr-records(5) tells of all that is in the schema.
. "$(dirname "$0")/../lib.sh"
SCHEMA=$TOP/share/hamr/records.schema.json
MAN=$TOP/man/hamr-records.5

# A validator for the keywords that the schema uses, and no others.  With
# --ours an undocumented key is a fault, too: our programs write none.
cat >"$T/validate.py" <<'PY'
import json, re, sys

KINDS = {
    'object': lambda v: isinstance(v, dict),
    'array': lambda v: isinstance(v, list),
    'string': lambda v: isinstance(v, str),
    'boolean': lambda v: isinstance(v, bool),
    'null': lambda v: v is None,
    'integer': lambda v: isinstance(v, int) and not isinstance(v, bool),
    'number': lambda v: isinstance(v, (int, float)) and
        not isinstance(v, bool),
}
NOTES = {'$schema', '$id', '$defs', 'title', 'description', 'then'}


class Run:
    def __init__(self, root, ours):
        self.root, self.ours = root, ours

    def trial(self, s, v, at):
        errs, known = [], {}
        self.check(s, v, at, errs, known)
        return errs, known

    def adopt(self, known, more):
        for k in more:
            known.setdefault(k, set()).update(more[k])

    def check(self, s, v, at, errs, known):
        if s is True:
            return
        if s is False:
            errs.append(at + ': must not be there')
            return
        for word, arg in s.items():
            if word in NOTES:
                continue
            rule = getattr(self, 'is_' + word.lstrip('$'), None)
            if rule is None:
                sys.exit('the schema uses "%s", which is not checked' % word)
            rule(arg, s, v, at, errs, known)

    def is_ref(self, arg, s, v, at, errs, known):
        self.check(self.root['$defs'][arg.rsplit('/', 1)[1]], v, at, errs,
            known)

    def is_type(self, arg, s, v, at, errs, known):
        names = arg if isinstance(arg, list) else [arg]
        if not any(KINDS[name](v) for name in names):
            errs.append('%s: no %s' % (at, ' or '.join(names)))

    def is_const(self, arg, s, v, at, errs, known):
        if type(arg) is not type(v) or arg != v:
            errs.append('%s: not %r' % (at, arg))

    def is_enum(self, arg, s, v, at, errs, known):
        if v not in arg:
            errs.append('%s: %r is none of %s' % (at, v, arg))

    def is_properties(self, arg, s, v, at, errs, known):
        if not isinstance(v, dict):
            return
        known.setdefault(at, set()).update(arg)
        for key in arg:
            if key in v:
                self.check(arg[key], v[key], at + '.' + key, errs, known)

    def is_required(self, arg, s, v, at, errs, known):
        if isinstance(v, dict):
            errs.extend('%s: no key "%s"' % (at, k) for k in arg
                if k not in v)

    def is_items(self, arg, s, v, at, errs, known):
        for i, el in enumerate(v if isinstance(v, list) else []):
            self.check(arg, el, '%s[%d]' % (at, i), errs, known)

    def is_allOf(self, arg, s, v, at, errs, known):
        for one in arg:
            self.check(one, v, at, errs, known)

    def is_anyOf(self, arg, s, v, at, errs, known):
        for one in arg:
            bad, more = self.trial(one, v, at)
            if not bad:
                self.adopt(known, more)
                return
        errs.append('%s: of no kind that is allowed' % at)

    def is_if(self, arg, s, v, at, errs, known):
        if not self.trial(arg, v, at)[0]:
            self.check(s['then'], v, at, errs, known)

    def is_pattern(self, arg, s, v, at, errs, known):
        if isinstance(v, str) and not re.search(arg, v):
            errs.append('%s: %r is not like %s' % (at, v, arg))

    def is_minLength(self, arg, s, v, at, errs, known):
        if isinstance(v, str) and len(v) < arg:
            errs.append('%s: too short' % at)

    def is_minimum(self, arg, s, v, at, errs, known):
        if KINDS['number'](v) and v < arg:
            errs.append('%s: below %s' % (at, arg))

    def strangers(self, v, at, known, errs):
        if isinstance(v, dict):
            for key in v:
                if at in known and key not in known[at]:
                    errs.append('%s: "%s" is not documented' % (at, key))
                self.strangers(v[key], at + '.' + key, known, errs)
        elif isinstance(v, list):
            for i, el in enumerate(v):
                self.strangers(el, '%s[%d]' % (at, i), known, errs)

    def line(self, text):
        v = json.loads(text)
        errs, known = self.trial(self.root, v, 'record')
        if self.ours:
            if not known:
                errs.append('record: unknown kind %r' %
                    (v.get('role') or v.get('type')))
            known.setdefault('record', set()).update(('role', 'type'))
            self.strangers(v, 'record', known, errs)
        return v, errs


ours = sys.argv[1] == '--ours'
run = Run(json.load(open(sys.argv[2])), ours)
bad, n, kinds = 0, 0, set()
for text in sys.stdin:
    n += 1
    v, errs = run.line(text)
    kinds.add(v.get('role') or v.get('type'))
    for e in errs:
        bad += 1
        print('%d: %s' % (n, e))
print('%d records, %d faults' % (n, bad))
if ours:
    with open('kinds', 'a') as f:
        f.writelines(k + '\n' for k in kinds if k)
sys.exit(bad != 0 or n == 0)
PY
valid() {	# name file: what one of our programs wrote
	ok "$1" python3 "$T/validate.py" --ours "$SCHEMA" <"$2"
}
takes() {	# name record
	printf '%s\n' "$2" >"$T/.one"
	status "$1" 0 python3 "$T/validate.py" --any "$SCHEMA" <"$T/.one"
}
refuses() {
	printf '%s\n' "$2" >"$T/.one"
	status "$1" 1 python3 "$T/validate.py" --any "$SCHEMA" <"$T/.one"
}
call() {	# id name arguments
	jq -nc --arg i "$1" --arg n "$2" --arg a "$3" '{role:"assistant",
	    content:null,tool_calls:[{id:$i,type:"function",
	    function:{name:$n,arguments:$a}}],finish_reason:"tool_calls"}'
}

# ---- the schema itself ----

takes "an unknown type" '{"type":"weather","wind":{"from":"west"}}'
takes "an unknown role" '{"role":"narrator","content":7}'
takes "an unknown key" '{"role":"user","content":"a","mood":"good"}'
takes "no role and no type" '{}'
takes "content in parts" '{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}'
takes "a role is a message, whatever its type" '{"role":"user","type":"end","content":"a"}'
takes "what a server wants back, of either shape" '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","carry":{"s":"x"},"function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","carry":[{"t":"y"}],"function":{"name":"f","arguments":"{}"}}]}'
refuses "but not as text" '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","carry":"x","function":{"name":"f","arguments":"{}"}}]}'
takes "another guard's verdict" '{"type":"verdict","stage":"my-guard","action":"halt","phase":"text","rule":"mine"}'
refuses "a message without content" '{"role":"user"}'
refuses "a call whose arguments are an object" '{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":{}}}]}'
refuses "a result without its call" '{"role":"tool","content":"a"}'
refuses "an error code that is not on the list" '{"type":"error","stage":"tool","code":"oops","message":"a"}'
refuses "an action that is not on the list" '{"type":"verdict","stage":"hamr-guard","action":"maybe","phase":"call","rule":"repeat"}'
refuses "a status that is not on the list" '{"type":"end","status":"fine","reason":"","answer":"","steps":1,"tool_calls":0}'
refuses "a request that tells of meta" '{"type":"request","messages":[{"role":"user","content":"a","meta":{}}]}'
refuses "a hash that is none" '{"role":"tool","tool_call_id":"a","content":"","meta":{"sha256":"12"}}'

# ---- what the programs write ----

mkdir run deny
cd run && git init -q .
hamr-loop --no-config --yes --json --replay \
    "$TOP/tests/data/loop/two-calls.ndjson" "change it" >"$T/loop" 2>/dev/null
cd "$T" || exit 1
valid "hamr-loop --json" loop
answer='{"role":"assistant","content":"The file says goodbye.","finish_reason":"stop"}'
for _ in 1 2 3 4 5 6; do echo "$answer"; done >"$T/answers"
cd run || exit 1
hamr-loop --no-config --quiet --replay "$T/answers" \
    --fork="$(basename .hamr/sessions/*.ndjson .ndjson)" --at 3 again >/dev/null
printf '%s\n' '{"type":"verify"}' '{"type":"go","n":1}' | hamr-tool \
    --no-config --yes -n -o verification.defaultCommand='echo no; false' \
    >verified
cd "$T" || exit 1
cat run/.hamr/sessions/*.ndjson run/verified >session
is "a branch says whose" "$(grep -c '"fork_of":"2.*"fork_at":' session)" 1
valid "a session" session

cp -R "$TOP/examples/demo/project" demo
cd demo && git init -q . && git add -A &&
    git -c user.name=t -c user.email=t@example.invalid commit -qm one
hamr-loop --no-config --yes --json --replay \
    "$TOP/examples/demo/script.ndjson" "Make the tests pass" >"$T/demo.out" \
    2>/dev/null
cd "$T" || exit 1
valid "hamr-loop: the demo" demo.out

mkdir talk && cd talk && git init -q . && echo hello >f
mkfifo in
hamr-loop --no-config --yes --records --replay "$T/answers" <in >out 2>err &
exec 9>in
printf '{"role":"user","content":"%s"}\n' "look at @f" /cost again >&9
echo '{"type":"sync","n":1}' >&9
for _ in $(seq 300); do grep -q '"sync"' out && break; sleep 0.1; done
exec 9>&-
wait $!
cd "$T" || exit 1
valid "hamr-loop --records" talk/out
is "... with a file that is mentioned, and a command's answer" "$(jq -r '
    .meta.from // select(.type == "progress").text // empty' talk/out |
    paste -sd,)" "mention,  tokens      none counted yet"

cd deny && git init -q .
hamr-loop --no-config --json --replay \
    "$TOP/tests/data/loop/two-calls.ndjson" "change it" </dev/null \
    >"$T/denied" 2>/dev/null
: >"$T/empty"
for _ in 1 2 3 4; do
	echo '{"role":"assistant","content":"","finish_reason":"stop"}'
done >"$T/empty"
hamr-loop --no-config --json --replay "$T/empty" x >>"$T/denied" 2>/dev/null
hamr-loop --no-config --json --yes -o agent.max_model_steps=1 --replay \
    "$TOP/tests/data/loop/two-calls.ndjson" x >>"$T/denied" 2>/dev/null
cd "$T" || exit 1
valid "hamr-loop: refusals, recovery, limits" denied

{
	echo '{"role":"user","content":"go"}'
	for i in 1 2 3 4 5 6 7 8 9; do
		call "c$i" read '{"path":"a"}'
		echo '{"role":"tool","tool_call_id":"c'$i'","content":"x"}'
	done
} >round
{
	echo '{"role":"user","content":"go"}'
	for i in 1 2 3 4 5 6 7 8 9 10; do
		call "c$i" bash "{\"command\":\"cat $i\"}"
		echo '{"role":"tool","tool_call_id":"c'$i'","content":"same"}'
	done
	jq -nc '{role:"assistant",content:null,tool_calls:[("a","b")|{id:.,
	    type:"function",function:{name:"read",arguments:"{}"}}]}'
	echo '{"role":"assistant","content":"done","finish_reason":"stop"}'
} >still
for f in round still; do
	hamr-guard --no-config -n -a <$f
done >guard.out
valid "hamr-guard" guard.out

{
	hamr-tool --no-config --schemas
	echo '{"role":"user","content":"go"}'
	for i in 1 2 3 4 5 6; do
		call "c$i" read '{"path":"a","first":1,"last":90}'
		jq -nc --arg i "c$i" '{role:"tool",tool_call_id:$i,name:"read",
		    content:("a lines 1-90 of 90\n" + ("seven words of a " +
		    $i + " line\n") * 90),meta:{op:"file",path:"a",first:1,
		    last:90,lines:90}}'
	done
} >long
hamr-compact --no-config -n --window 6000 <long >compact.out
is "hamr-compact compacts" "$(jq -r .type compact.out | tr '\n' ' ')" \
    "compaction request "
valid "hamr-compact" compact.out
hamr-compact --no-config -n --window 600 <long >full.out
is "hamr-compact fails closed" "$?" 3
valid "hamr-compact: its error" full.out

hi='{"role":"user","content":"hi"}'
{
	echo '{"role":"assistant","content":"a","reasoning":"b","finish_reason":"stop"}'
	echo '{"type":"error","code":"network","message":"cut","partial":{"content":"a"}}'
} >script
echo "$hi" | hamr-provider --no-config -n --replay script >provider.out
{
	echo "$hi"
	echo '{"type":"go","n":1}'
} | hamr-provider --no-config -r --replay script >>provider.out
{
	echo "$hi"
	echo '{"role":"assistant","content":"a"}'
	echo "$hi"
} >past
hamr-provider --no-config -n --replay script <past >>provider.out
echo "$hi" | hamr-provider --no-config -n -q --model m \
    --base-url http://127.0.0.1:1/v1 -o provider.max_retries=1 \
    >>provider.out 2>/dev/null
is "hamr-provider: a server that is not there" "$?" 75
valid "hamr-provider" provider.out

mkdir tool && cd tool && git init -q . && printf 'one\ntwo\n' >a
while read -r name args; do
	n=$((n + 1))
	call "t$n" "$name" "$args" | hamr-tool --no-config --yes -n
done <<'CALLS' >"$T/tool.out"
read {"path":"."}
read {"path":"a"}
read {"query":"two"}
read {"path":"nowhere"}
read {"path":"../up"}
read {"path":7,
write {"path":"b","content":"x\n"}
write {"path":"a","content":"x\n"}
edit {"path":"a","old":"one","new":"1"}
bash {"command":"echo out; echo err >&2; exit 3"}
bash {"command":"kill -9 $$"}
bash {"command":"sleep 9","timeout":1}
bash {"command":"seq 100000"}
bash {"command":"printf '\\377'"}
shout {"path":"a"}
CALLS
{
	call x1 read '{"path":"a"}'
	echo '{"type":"start","tool_call_id":"x1","at":"2026-11-20T10:15:00Z"}'
} | hamr-tool --no-config -n >>"$T/tool.out"
coproc TOOL { exec hamr-tool --no-config -r; }
exec {to}>&"${TOOL[1]}" {from}<&"${TOOL[0]}"
eval "exec ${TOOL[1]}>&- ${TOOL[0]}<&-"
{ call x2 bash '{"command":"touch x"}'; echo '{"type":"go","n":1}'; } >&"$to"
IFS= read -r line <&"$from" && printf '%s\n' "$line" >>"$T/tool.out"
echo '{"type":"answer","id":"a1","allow":false}' >&"$to"
exec {to}>&-
cat <&"$from" >>"$T/tool.out"
cd "$T" || exit 1
valid "hamr-tool" tool.out
is "hamr-tool: both kinds of errors were seen" "$(jq -r \
    'select(.meta.error) | .meta.error' tool.out | sort -u | tr '\n' ' ')" \
    "bad_arguments denied exists interrupted not_found not_read timeout unknown_tool "

{ echo "$hi"; echo 'no record'; } |
    hamr-mem --no-config --lenient --db mem.db -n >mem.out
valid "hamr-mem" mem.out

seen=$(sort -u kinds | tr '\n' ' ')
is "which kinds were seen" "$seen" "ask assistant checkpoint compaction constrain delta end error go hamr output progress recovery request start sync system tool tools user verdict verification "

cat "$TOP"/tests/data/import/golden/*.out >import.out
valid "what the importers make" import.out

# ---- the manual page ----

python3 - "$SCHEMA" "$MAN" <<'PY' >missing
import json, re, sys
schema = json.load(open(sys.argv[1]))
man = open(sys.argv[2]).read()
words = set()

def walk(s, top):
    if isinstance(s, dict):
        for name, sub in s.items():
            if name == 'properties':
                words.update(sub)
                for one in sub.values():
                    walk(one, False)
            elif name == 'enum':
                words.update(s['enum'])
            elif name == 'const':
                words.add(str(s['const']))
            elif name not in ('required', 'pattern', 'description'):
                walk(sub, False)
    elif isinstance(s, list):
        for one in s:
            walk(one, False)

walk(schema, True)
for w in sorted(words - {'True'}):
    if not re.search(r'(?<![\w-])' + re.escape(w) + r'(?![\w-])', man):
        print(w)
PY
is "hamr-records(5) names every type, key and code" "$? $(cat missing)" "0 "
done_testing

#!/bin/bash
# docs.t - the examples of README.md and of the manual pages work as written.
#
# Run are the fenced "sh" blocks of README.md and, of each page of section 1,
# of hamr(7), hamr-plugins(7) and hamr-records(5), every literal display of EXAMPLES (.Bd
# -literal, .Dl) and the loop of hamr(7).  A line that begins with "$ " is a
# command, what follows it without belongs to it.  Each example runs by itself
# in a copy of one repository, where a script stands in for the model, and
# must end with status 0.  What needs more than that is listed here by its
# first line, with the reason.
. "$(dirname "$0")/../lib.sh"

not_run() {
	case $1 in
	"make deps demo"*) echo "installs packages; CI runs it" ;;
	"sudo make install"*) echo "needs root" ;;
	"[stages]"*) echo "is configuration" ;;
	*) return 1 ;;
	esac
}

cat >"$T/extract.py" <<'PY'
# extract.py FOLDER FILE...: each example becomes FOLDER/FILE-N.
import os, re, sys

ESCAPES = (('\\(dq', '"'), ('\\(aq', "'"), ('\\-', '-'), ('\\&', ''),
    ('\\e', '\\'))


def fenced(text):
    return re.findall(r'^```sh\n(.*?)^```$', text, re.M | re.S)


def displays(text):
    found = []
    for part in re.split(r'^\.Sh ', text, flags=re.M):
        if part.split('\n', 1)[0] not in ('EXAMPLES', 'COMPOSING'):
            continue
        for m in re.finditer(r'^\.Bd -literal[^\n]*\n(.*?)^\.Ed$|'
                r'^\.Dl ([^\n]*\n)', part, re.M | re.S):
            example = m.group(1) or m.group(2)
            for a, b in ESCAPES:
                example = example.replace(a, b)
            found.append(re.sub(r'^\$ ', '', example, flags=re.M))
    return found


for path in sys.argv[2:]:
    text = open(path).read()
    examples = fenced(text) if path.endswith('.md') else displays(text)
    for i, example in enumerate(examples, 1):
        name = '%s-%02d' % (os.path.basename(path), i)
        with open(os.path.join(sys.argv[1], name), 'w') as f:
            f.write(example)
PY
mkdir "$T/examples"
python3 "$T/extract.py" "$T/examples" "$TOP"/README.md "$TOP"/man/*.1 \
    "$TOP"/man/hamr.7 "$TOP"/man/hamr-plugins.7 "$TOP"/man/hamr-import.5 \
    "$TOP"/man/hamr-records.5 || exit 1

# The model: wherever an example would ask a server, a script answers.
mkdir "$T/shim"
real=$(command -v hamr-provider)
cat >"$T/script.ndjson" <<'SCRIPT'
{"role":"assistant","content":"I look first.","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{\"path\":\"note.txt\"}"}},{"id":"c2","type":"function","function":{"name":"bash","arguments":"{\"command\":\"cat note.txt\"}"}}],"finish_reason":"tool_calls"}
{"role":"assistant","content":null,"tool_calls":[{"id":"c3","type":"function","function":{"name":"edit","arguments":"{\"path\":\"note.txt\",\"old\":\"wrong\",\"new\":\"right\"}"}}],"finish_reason":"tool_calls"}
{"role":"assistant","content":"The note is right now.","finish_reason":"stop"}
{"role":"assistant","content":"There is nothing left to do.","finish_reason":"stop"}
SCRIPT
cat >"$T/shim/hamr-provider" <<SHIM
#!/bin/sh
case " \$* " in
*" --replay "*) exec "$real" "\$@" ;;
*) exec "$real" --replay "$T/script.ndjson" "\$@" ;;
esac
SHIM
chmod +x "$T/shim/hamr-provider"
mkdir -p "$XDG_CONFIG_HOME/hamr"
printf '[stages]\nprovider = ["%s"]\n' "$T/shim/hamr-provider" \
    >"$XDG_CONFIG_HOME/hamr/config.toml"
quick_jq "$T/shim"
PATH=$T/shim:$PATH

# The repository: a session, a chat log of another program, a memory.  It is
# made where the examples run: a session belongs to its folder.
mkdir "$T/here" && cd "$T/here" && git init -q . || exit 1
echo "this is wrong" >note.txt
cat >chat.json <<'CHAT'
{"messages": [
  {"role": "system", "content": "You help."},
  {"role": "user", "content": "Which compiler do I need for the build?"},
  {"role": "assistant", "content": "gcc 12; parse_header( in wire.c needs it."}
]}
CHAT
hamr-loop --yes --quiet "make the note right" >answer 2>err
is "the repository of the examples: a session" "$? $(cat answer note.txt)" \
    "0 The note is right now.
this is right"
cat .hamr/sessions/*.ndjson >t
cp t transcript
{
	echo '{"type":"hamr","v":1,"session":"old","created":"2025-03-01T00:00:00Z"}'
	jq -c '.messages[]' chat.json
} | hamr-mem >/dev/null
is "the repository of the examples: a memory" "$?" 0

cp -a "$T/here" "$T/repo"

n=0
for e in "$T"/examples/*; do
	name=$(basename "$e")
	first=$(head -n 1 "$e")
	n=$((n + 1))
	if why=$(not_run "$first"); then
		skip "$name: $first" "$why"
		continue
	fi
	rm -rf "$T/here" && cp -a "$T/repo" "$T/here" && cd "$T/here" || exit 1
	timeout 60 bash -o pipefail "$e" >"$T/out" 2>"$T/err" </dev/null
	st=$?
	# head may end what writes to it
	if [ $st = 141 ] && grep -q '| head' "$e"; then
		st=0
	fi
	is "$name: $first" "$st" 0
	if [ $st != 0 ]; then
		diagnose <"$T/err"
	fi
done
ok "there are examples" test "$n" -ge 25

# Every option has one; hamr(7) has those of all stages.
sed -i 's/hamr-compact/hamr-$c/' "$T"/examples/hamr.7-*
for c in loop compact guard tool mem provider; do
	is "every option of hamr-$c has an example" "$(grep -oP \
	    "^hamr-$c\t\K-[^\t]*" "$TOP/share/completions/table" |
	    while read -r o; do
		cat "$T"/examples/{README.md,hamr-$c.1,hamr.7}-* |
		    sed ':a;/[|\\]$/{N;s/\n//;ba}' | tr '|;&(' '\n' |
		    grep -qP "hamr-($c|\\\$c)\s(.*\s)?\Q$o\E\b" ||
			echo "$o"
	    done)" ""
done
# Every page has some.
for c in loop compact guard tool mem provider; do
	ok "hamr-$c(1) has examples" test -e "$T/examples/hamr-$c.1-01"
done
is "README.md: five pipelines" "$(sed -n '/^## Five/,/^## Three/p' \
    "$TOP/README.md" | grep -c '^```sh')" 5
done_testing

#!/bin/sh
# import-tree.t - which lines of a session that is a tree were said: the branch
# of the last leaf, also where its chain breaks.
. "$(dirname "$0")/../lib.sh"
cd "$T" || exit 1

# A session from lines "TYPE UUID PARENT TEXT [key=value...]".  PARENT - is null,
# ~ is no key at all; a TEXT of call:ID or result:ID is that part.
cat >make.py <<'PY'
import json, sys
for line in sys.stdin:
    w = line.split()
    if not w:
        continue
    kind, uuid, parent, text = w[:4]
    part = {"call": {"type": "tool_use", "id": text[5:], "name": "Bash", "input": {"command": "x"}},
            "resu": {"type": "tool_result", "tool_use_id": text[7:], "content": "r"}}.get(text[:4])
    e = {"type": kind, "sessionId": "s"}
    if uuid != "~":
        e["uuid"] = uuid
    if parent != "~":
        e["parentUuid"] = None if parent == "-" else parent
    if kind in ("user", "assistant"):
        e["message"] = {"role": kind, "content": [part] if part else text}
    for k, v in (x.split("=") for x in w[4:]):
        if k == "id":
            e["message"]["id"] = v
        else:
            e[k] = v == "true" if v in ("true", "false") else v
    print(json.dumps(e))
PY
# What was said, in a line: texts, calls as id? and results as id!.
said() {
	python3 make.py >in
	timeout 20 hamr-guard --no-config --import-only "$@" in 2>err |
	    jq -r 'select(.role) | [.content, (.tool_calls[]?.id | . + "?"), (.tool_call_id // empty | . + "!")]
		| map(select(. != null and . != "r")) | join("")' | paste -sd' '
}

is "a chain" "$(said <<'E'
user a - one
assistant b a call:c1
user c b result:c1
assistant d c two
E
)" "one c1? c1! two"

is "a parent that is not in the file" "$(said <<'E'
user a - one
assistant b a call:c1
user c b result:c1
assistant d gone call:c2
user e d result:c2
assistant f e two
E
)" "one c1? c1! c2? c2! two"

is "two of them, and notes between" "$(said <<'E'
user a - one
assistant b a call:c1
user c b result:c1
progress p gone x
user d p more
assistant e d call:c2
user f e result:c2
progress q gone2 x
progress r q x
assistant g r two
E
)" "one c1? c1! more c2? c2! two"

is "a boundary whose logical parent is not in the file" "$(said <<'E'
user a - one
assistant b a call:c1
user c b result:c1
system k - x subtype=compact_boundary logicalParentUuid=gone
user d k summary isCompactSummary=true
assistant e d call:c2
user f e result:c2
E
)" "one c1? c1! summary c2? c2!"
is "... is a compaction" "$(hamr-guard -q --no-config --import-only in |
    jq -rc 'select(.type == "compaction") | .epoch')" 1

is "a boundary whose logical parent is there" "$(said <<'E'
user a - one
assistant b a two
user x b lost
assistant y x lost
system k - x subtype=compact_boundary logicalParentUuid=b
user d k summary isCompactSummary=true
assistant e d three
E
)" "one two summary three"

is "a boundary without any parent" "$(said <<'E'
user a - one
assistant b a two
system k ~ x subtype=compact_boundary
user d k summary
assistant e d three
E
)" "one two summary three"

is "no parents at all" "$(said <<'E'
user a ~ one
assistant b ~ call:c1
user c ~ result:c1
assistant d ~ two
E
)" "one c1? c1! two"

is "neither parents nor names" "$(said -F claude-code <<'E'
user ~ ~ one
assistant ~ ~ call:c1
user ~ ~ result:c1
assistant ~ ~ two
E
)" "one c1? c1! two"

is "an abandoned branch is not taken" "$(said <<'E'
user a - one
assistant b a lost
user c b lost
assistant d a call:c1
user e d result:c1
E
)" "one c1? c1!"
is "... but told" "$(sed -n 's/.*left out: //p' err)" "abandoned branch (2)"

is "... also where the chain breaks behind it" "$(said <<'E'
user a - one
assistant b a lost
user c b lost
assistant d a two
user e gone three
assistant f e four
E
)" "one two three four"

is "a beginning of its own was a new one" "$(said <<'E'
user a - lost
assistant b a lost
user c - one
assistant d c two
E
)" "one two"

is "a result, or an answer, is no beginning" "$(said <<'E'
user a - one
assistant b a call:c1
user c - result:c1
assistant d - two
E
)" "one c1? c1! two"

is "a summary is no beginning" "$(said <<'E'
user a - one
assistant b a two
user c - summary isCompactSummary=true
assistant d c three
E
)" "one two summary three"

is "all lines of a message, all results of its calls" "$(said <<'E'
user a - one
assistant b a call:c1 id=m1
assistant c b call:c2 id=m1
user d b result:c1
user e c result:c2
assistant f e two
E
)" "one c1?c2? c1! c2! two"

is "... behind a break, too" "$(said <<'E'
user a - one
assistant b a call:c1 id=m1
assistant c b call:c2 id=m1
user d b result:c1
user e gone result:c2
assistant f gone2 two
E
)" "one c1?c2? c1! c2! two"

is "a line that was copied counts once" "$(said <<'E'
user a - one
assistant b a two id=m1
user a - one
assistant b a two id=m1
user c b three
E
)" "one two three"

is "a cycle ends the walk" "$(said <<'E'
user a c one
assistant b a two
user c b three
E
)" "one two three"
is "its own parent" "$(said <<'E'
user a - one
assistant b b two
user c b three
E
)" "two three"
is "a parent that comes later" "$(said <<'E'
assistant b a two
user a - one
user c b three
E
)" "two one three"

is "a side conversation is no line before" "$(said <<'E'
user a - one
assistant b a call:c1
user s - side isSidechain=true agentId=g
assistant t s side isSidechain=true agentId=g
user c gone result:c1
E
)" "one c1? c1!"
is "... told" "$(sed -n 's/.*left out: //p' err)" \
    "side conversation, see import.sidechains (2)"
is "... and read on demand, though its chain breaks" "$(said -o import.sidechains=true <<'E'
user a - one
assistant b a call:c1
user s - side isSidechain=true agentId=g
assistant t gone side2 isSidechain=true agentId=g
user u - other isSidechain=true agentId=h
assistant v gone other2 isSidechain=true agentId=h
user c gone result:c1
E
)" "one c1? c1! side side2 other other2"

is "unknown kinds are counted" "$(said <<'E'
user a - one
novelty n a x
novelty o a x
assistant b a two
E
)" "one two"
is "... by kind" "$(sed -n 's/.*left out: //p' err)" "type novelty (2)"

# Every gap in a long one, wherever it is.
python3 - <<'PY' >long
import json
parent = None
for i in range(40):
    t = "assistant" if i % 2 else "user"
    part = {"type": "tool_use", "id": "c%d" % i, "name": "Bash", "input": {}} if i % 2 else \
        {"type": "tool_result", "tool_use_id": "c%d" % (i - 1), "content": "r"}
    print(json.dumps({"type": t, "uuid": "u%d" % i, "parentUuid": parent, "sessionId": "s",
        "message": {"role": t, "content": [part] if i else "go"}}))
    parent = "u%d" % i
PY
for cut in 2 9 20 33; do
	sed "${cut}d" long >gap
	hamr-guard -q --no-config --import-only gap | grep -c '^{"role"'
done >have
# (a result without its call is no message)
is "a line less is a line less" "$(paste -sd, have)" "38,39,38,39"

# pi and qwen are trees, too.
python3 - <<'PY'
import json
def w(name, *ls):
    open(name, "w").write("".join(json.dumps(l) + "\n" for l in ls))
def pi(i, p, role, text):
    return {"type": "message", "id": i, "parentId": p, "message": {"role": role, "content": [{"type": "text", "text": text}]}}
w("pi", {"type": "session", "version": 3, "id": "x", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/"},
  pi("a", None, "user", "one"), pi("b", "a", "assistant", "lost"), pi("c", "a", "assistant", "two"), pi("d", "gone", "user", "three"))
def q(i, p, role, text):
    return {"uuid": i, "parentUuid": p, "sessionId": "s", "type": role, "message": {"role": role, "parts": [{"text": text}]}}
w("qwen", q("a", None, "user", "one"), q("b", "a", "assistant", "lost"), q("c", "a", "assistant", "two"), q("d", "gone", "user", "three"))
PY
for f in pi qwen; do
	is "$f: a parent that is not in the file" "$(hamr-guard --no-config \
	    --import-only $f 2>err | jq -r 'select(.role).content' |
	    paste -sd' ')" "one two three"
	is "$f: an abandoned branch is told" \
	    "$(sed -n 's/.*left out: //p' err)" "abandoned branch (1)"
done
done_testing

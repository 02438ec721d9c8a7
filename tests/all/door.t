#!/bin/sh
# door.t - every command's stdin accepts and refuses what chapter 2.1 says:
# JSONTestSuite through each, alone and as a member's value (J1 J2 J3 J7).
. "$(dirname "$0")/../lib.sh"

cat >door.py <<'PY'
import base64, json, subprocess, sys
prog, data, step = sys.argv[1:4]
# y_ files that are valid JSON but no record: a key twice, or \u0000.
TWICE = {"y_object_duplicated_key.json",
    "y_object_duplicated_key_and_value.json",
    "y_object_escaped_null_in_key.json", "y_string_null_escape.json",
    "y_string_backslash_and_u_escaped_zero.json"}
# (the last one is "\\u0000", an escaped backslash: it is fine)
TWICE.discard("y_string_backslash_and_u_escaped_zero.json")
cases = [json.loads(l) for l in open(data)][::int(step)]
for c in cases:
    c["bytes"] = base64.b64decode(c["base64"])
cases.append({"name": "n_structure_100000_opening_arrays.json",
    "bytes": b"[" * 100000})
cases.append({"name": "n_structure_open_array_object.json",
    "bytes": b'[{"":' * 50000 + b"\n"})
argv = [prog] + sys.argv[4:]
bad = run = 0
def status(text):
    p = subprocess.run(argv, input=text, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, timeout=20)
    return p.returncode, p.stdout, p.stderr
# Accepted values travel together, as members of one record after another.
good = []
for c in cases:
    # a newline ends the line: harmless in what is refused anyway
    flat = c["bytes"]
    if c["name"][0] != "n":
        flat = flat.replace(b"\n", b" ")
    whole = b'{"type":"x","v":' + flat + b"}\n"
    kind = c["name"][0]
    if kind == "i":
        try:
            flat.decode("utf-8")
            ok = not c["name"].startswith("i_structure_UTF-8_BOM")
        except UnicodeDecodeError:
            ok = False
        kind = "y" if ok else "n"
    if kind == "y" and c["name"] not in TWICE:
        good.append(whole)
        continue
    run += 1
    st, out, err = status(whole)
    if st != 65 or not err.split(b": ", 1)[1].startswith(b"stdin:1: "):
        bad += 1
        print("#", c["name"], "wanted 65, got", st, err[:100])
    if b'"type":"x"' in out:
        bad += 1
        print("#", c["name"], "was passed on")
st, out, err = status(b"".join(good))
run += len(good)
if st != 0 or (b"".join(good) not in out and "-r" not in argv and
    "-n" not in argv):
    bad += 1
    print("# accepted ones: status", st, err[:200])
    for g in good:
        if status(g)[0] != 0:
            print("#", g[:80])
# As whole lines only objects are records.
for c in cases:
    if b"\n" in c["bytes"].rstrip(b"\n") or c["name"][0] != "y":
        continue
    text = c["bytes"].rstrip(b"\n") + b"\n"
    want = 0 if text.lstrip().startswith(b"{") and c["name"] not in TWICE \
        else 65
    run += 1
    st, out, err = status(text)
    if st != want:
        bad += 1
        print("#", c["name"], "alone: wanted", want, "got", st, err[:100])
print("#", run, "verdicts")
sys.exit(bad != 0)
PY

suite() {	# NAME STEP OPTION...
	name=$1 step=$2
	shift 2
	[ -z "${CHECK_FULL:-}" ] || step=1
	ok "$name: JSONTestSuite" python3 door.py "$BIN/$name" \
	    "$TOP/tests/data/jsontestsuite.ndjson" "$step" "$@"
}
# The door is one (lib/record): guard has all cases, the others some; in CI all.
suite hamr-guard 1 --no-config
suite hamr-compact 3 --no-config
suite hamr-provider 6 -n --no-config	# it takes longest to start
suite hamr-tool 3 --no-config --root "$T"
suite hamr-mem 3 --no-config --db "$T/m.db"

refused() {	# name text reason
	for p in guard compact provider tool mem; do
		extra=
		[ $p = mem ] && extra="--db $T/m2.db"
		[ $p = tool ] && extra="--root $T"
		# shellcheck disable=SC2059,SC2086
		printf "$2" | "hamr-$p" --no-config $extra >out 2>err
		is "hamr-$p: $1" "$? $(cut -d: -f2-3 err)" "65  stdin:$3"
		match "hamr-$p: $1, why" "$(cat err)" "*: $4*"
	done
}
refused "blank line" '{"type":"x"}\n\n' 2 "blank line"
refused "cut short" '{"type":"x"}\n{"type":"y"}' 2 "line cut short"
refused "byte order mark" '\357\273\277{}\n' 1 "byte order mark"
refused "repeated key" '{"type":"x","a":{"k":1,"\\u006b":2}}\n' 1 \
    "duplicate key"
refused "glued" '{"type":"x"}{"type":"y"}\n' 1 "bytes after"

# What stands before a bad line is not lost; lenient goes on behind it.
printf '{"type":"a"}\nbad\n{"type":"b"}\n' >t
hamr-guard --no-config <t >out 2>/dev/null
is "records before a bad one are passed" "$(cat out)" '{"type":"a"}'
for p in guard compact tool mem; do
	extra=
	[ $p = mem ] && extra="--db $T/m3.db"
	[ $p = tool ] && extra="--root $T"
	# shellcheck disable=SC2086
	hamr-$p --no-config --lenient $extra <t >out 2>err
	is "hamr-$p --lenient: status" "$?" 0
	is "hamr-$p --lenient: in its place" "$(jq -r '.type + (.code // "")' \
	    out | tr '\n' ' ')" "a errorbad_record b "
done

# What is written must not be read again.
echo '{"type":"x"}' >t
for p in guard compact provider tool mem; do
	extra=
	[ $p = mem ] && extra="--db $T/m4.db"
	[ $p = tool ] && extra="--root $T"
	# shellcheck disable=SC2086
	timeout 5 "hamr-$p" --no-config $extra <t >>t 2>err
	is "hamr-$p: its input is its output" "$? $(cat t)" '2 {"type":"x"}'
done
echo '{"role":"assistant","content":"yes"}' >answer
echo '{"role":"user","content":"well?"}' >t
hamr-provider -n --no-config --replay answer <t >>t
is "-n: an answer may be added to what was read" \
    "$(jq -r '.content // empty' t | paste -sd' ')" "well? yes"
done_testing

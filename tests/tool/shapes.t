#!/bin/bash
# shapes.t - each shape of a path, each shape of arguments, each tool.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/tool/tool.sh"

# --- S8: paths, what each tool says to each, within two seconds
git init -q .
mkdir ../out; echo secret >../out/s
python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("../out/sock")'
setup() {	# everything as it was
	rm -rf ./* '~'
	mkdir sub; echo text >a; echo text >sub/b; echo text >-a
	echo text >"n${nl}l"; printf 'a\0b' >nul
	ln ../out/s hard; ln -s loop2 loop1; ln -s loop1 loop2
	ln -s ../out/s olink; ln -s a ilink; mkfifo fifo
	ln ../out/sock sock
	truncate -s 8G sparse; echo text >>sparse
}
answer() {	# TOOL ARGS: its message, or one that says why there is none
	local out
	out=$(timeout 30 hamr-tool --no-config --yes --root . --json "$1" "$2" \
	    2>/dev/null </dev/null)
	printf '%s\n' "${out:-{\"meta\":{\"error\":\"status $?\"\}\}}"
}
code() { answer "$@" | codes_of; }
codes_of() { jq -r '.meta.error // "ok"'; }
row() {	# PATH (as JSON text) READ EDIT VIEW WRITE; see rows
	local p=$1
	names+=("$(printf %s "$p" | cut -c 1-24)")
	shift
	wanted+=("$*")
	setup
	answer read "{\"path\":\"$p\"}"
	answer edit "{\"path\":\"$p\",\"old\":\"text\",\"new\":\"t2\"}"
	answer view_image "{\"path\":\"$p\"}"
	answer write "{\"path\":\"$p\",\"content\":\"x\"}"
} >>../rows
names=() wanted=()
bad=bad_arguments
#   path                 read        edit        view        write
row a                    ok          ok          $bad        exists
row ./a                  ok          ok          $bad        exists
row sub/../a             ok          ok          $bad        exists
row sub//b               ok          ok          $bad        exists
row sub/                 ok          $bad        $bad        $bad
row sub                  ok          denied      $bad        exists
row a/                   not_found   not_found   not_found   not_found
row a/b                  not_found   not_found   not_found   not_found
row ..                   denied      denied      denied      denied
row ../root/a            denied      denied      denied      denied
row sub/../../out/s      denied      denied      denied      denied
row .                    ok          denied      $bad        exists
row /                    denied      denied      denied      denied
row /etc/passwd          denied      denied      denied      denied
row "$PWD/a"             ok          ok          $bad        exists
row "/$PWD/./a"          ok          ok          $bad        exists
row '~'                  not_found   not_found   not_found   ok
# shellcheck disable=SC2088
row '~/x'                not_found   not_found   not_found   ok
row ''                   ok          $bad        $bad        $bad
row ' '                  not_found   not_found   not_found   ok
row -a                   ok          ok          $bad        exists
row 'n\nl'               ok          ok          $bad        exists
row 'a\u0000'            $bad        $bad        $bad        $bad
row 'b\ud800'            not_found   not_found   not_found   ok
row "$(head -c 4097 /dev/zero | tr '\0' a)" $bad $bad        $bad $bad
row "$(head -c 4096 /dev/zero | tr '\0' a)" not_found not_found not_found \
	not_found
row "$(head -c 256 /dev/zero | tr '\0' a)" not_found not_found not_found \
	not_found
row /proc/self/root/etc/passwd denied denied     denied      denied
row /proc/self/cwd/a     denied      denied      denied      denied
row /dev/fd/0            denied      denied      denied      denied
row /dev/null            ok          denied      denied      denied
row fifo                 ok          denied      $bad        exists
row sock                 ok          denied      $bad        exists
row hard                 ok          denied      denied      exists
row sparse               ok          too_large   too_large   exists
row nul                  ok          no_match    $bad        exists
row loop1                not_found   not_found   not_found   not_found
row olink                denied      denied      denied      denied
row ilink                ok          ok          $bad        exists
row .git/config          denied      denied      denied      denied
row .GIT/x               denied      denied      denied      denied
row sub/.git             denied      denied      denied      denied
row .hamr/x              denied      denied      denied      denied
row .hamr/out            not_found   denied      not_found   denied
i=0
while read -r read; read -r edit; read -r view; read -r write; do
	is "path ${names[i]}" "$read $edit $view $write" "${wanted[i]}"
	i=$((i + 1))
done <<<"$(codes_of <../rows)"
is "every row has its four" "$i" "${#names[@]}"
if [ "$(id -u)" = 0 ]; then
	setup; mknod dev c 1 5
	is "a device" "$(code read '{"path":"dev"}') $(code edit \
		'{"path":"dev","old":"a","new":"b"}')" "ok denied"
else
	skip "a device" "not root"
fi
is "nothing outside was touched" "$(cat ../out/s)" secret

# --- S8: 8 GB of nothing: quickly, and in little memory
setup
is "a range of a sparse file" "$(timeout 30 hamr-tool --no-config --root . \
	read '{"path":"sparse","first":1,"last":1}' | wc -c |
	awk '{ print ($1 < 3000) }')" 1
is "a search passes it" "$(timeout 30 hamr-tool --no-config --root . read \
	'{"query":"secret"}' | tail -n 2)" "[1 file over 16 MiB not searched]
[1 file or folder could not be read]"
is "a command beside it" "$(timeout 20 hamr-tool --no-config --yes --root . \
	bash '{"command":"echo >made"}')" "exit 0; changed: made"

# --- J1, J2, J3, J4: arguments refused before anything is begun
setup
n=0
{
	echo "$user"
	deep=$(printf '[%.0s' $(seq 600))
	while IFS= read -r args; do
		for tool in read edit write bash view_image search_memory \
		    save_memory; do
			n=$((n + 1))
			call "c$n" "$tool" "$args"
		done
	done <<E

{
}
[]
[{}]
"path"
null
true
1
{"path":"a"}x
{"path":"a"}{"path":"a"}
{"path":"a","path":"a"}
{"pa\u0074h":"a","path":"a"}
{'path':'a'}
{"path":"a",}
{"path":"a"/**/}
{path:"a"}
{"path":"a","n":01}
{"path":"a","n":NaN}
{"path":"a","n":+1}
{"path":"a","n":.5}
{"path":"a\u0000","old":"a\u0000","new":"b","content":"a\u0000","command":"true\u0000; touch x","query":"a\u0000","fact":"a\u0000"}
{"path":"a	b"}
{"path":"\x61"}
{"path":1,"command":1,"query":1,"fact":1}
{"path":["a"],"command":["a"],"query":["a"],"fact":["a"]}
{"path":null}
{"PATH":"a","Command":"a","QUERY":"a","Fact":"a"}
$(printf '\357\273\277{"path":"a"}')
$deep
{"path":"a","x":$deep}
E
} >../calls
# one message a call: the last one is run, so each is its own transcript
is "bad arguments are refused, and nothing is begun" "$(while IFS= read -r c
	do echo '{"type":"hamr","v":1}'; echo "$c"; done <../calls |
	hamr-tool -n --yes --no-config --root . |
	jq -r '.type // .meta.error' | sort | uniq -c | tr -s ' ' |
	tr '\n' ' ')" " $((n = 31 * 7)) bad_arguments "
is "nothing was made" "$(ls -A | wc -l)" "$(setup; ls -A | wc -l)"

# --- arguments that are as good
ok_args() { is "$1" "$(code "$2" "$3")" ok; setup; }
ok_args "white space" read ' {"path" : "a" } '
ok_args "unknown keys" read '{"path":"a","x":{"y":[1,2,{"z":null}]}}'
ok_args "null is absent" read '{"path":"a","first":null,"query":null}'
ok_args "a decimal string" read '{"path":"a","first":"1"}'
ok_args "an escaped key" read '{"\u0070ath":"a"}'
ok_args "an integer as 1.0" read '{"path":"a","first":1.0}'
for v in 1e400 9223372036854775808 -1 0 1.5 '"x"' '"1 "' true; do
	is "first: $v" "$(code read "{\"path\":\"a\",\"first\":$v}")" $bad
done
is "a lone surrogate becomes U+FFFD" "$(code write \
	'{"path":"w","content":"a\ud800b\udc00"}'; od -An -tx1 w)" \
	"ok$nl 61 ef bf bd 62 ef bf bd"
is "a pair is one character" "$(code write \
	'{"path":"w2","content":"\ud83d\ude00"}'; od -An -tx1 w2)" \
	"ok$nl f0 9f 98 80"
# a cut never splits a character, whatever the cap
for i in 0 1 2 3 4 5 6 7; do
	printf '%*s' "$i" '' >emoji
	for _ in $(seq 400); do printf '\360\237\230\200'; done >>emoji
	{ echo '{"type":"limit","context_tokens":400,"source":"flag"}'
	call a read '{"path":"emoji"}'
	} | hamr-tool -n --no-config --root . >>../cuts
	{ echo '{"type":"limit","context_tokens":400,"source":"flag"}'
	call a bash '{"command":"cat emoji"}'
	} | hamr-tool -n --yes --no-config --root . >>../cuts
done
is "whatever is cut is UTF-8 and JSON" "$(python3 -c 'import json,sys
for l in open(sys.argv[1], "rb"):
    t = json.loads(l.decode("utf-8", "strict"))
    assert "\ufffd" not in json.dumps(t, ensure_ascii=False)
print("yes")' ../cuts)" yes
head -c 20000 /dev/urandom >noise
printf 'CESU \355\240\275\355\270\200 end\n' >cesu
is "bad bytes are said" "$({ call a bash '{"command":"cat noise cesu >&2"}'
	} | hamr-tool -n --yes --no-config --root . | messages |
	jq -c .meta.lossy)" true
is "in a file too" "$(hamr-tool --no-config --root . --json read \
	'{"path":"cesu"}' | jq -c '[.meta.lossy, (.content | test("\ufffd"))]')" \
	'[true,true]'
done_testing

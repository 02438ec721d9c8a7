#!/bin/bash
# shared.t - what a command shares with others: FIFOs and devices, other
# processes, the supervisor, locks of ours; and masks. (S23 S24 S25 S26)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/quote.sh"
unset HAMR_BIN
victim=
at_end() {
	[ -z "$victim" ] || kill "$victim" 2>/dev/null
	exec 7>&- 2>/dev/null
	rm -rf "$place"
}
place=$(mktemp -d /srv/hamr-test.XXXXXX 2>/dev/null ||
	mktemp -d "$T/place.XXXXXX")
mkdir "$place/out" "$place/root"
without_bwrap "$T/nobwrap"
cd "$place/root" && git init -q . || exit 1
t() { hamr-tool --yes --no-config --root . "$@"; }
run() {	# LAYER OPTION... COMMAND: its content
	local path=$PATH layer=$1 command=${*: -1}
	[ "$layer" = bubblewrap ] || path=$BIN:$T/nobwrap
	set -- "${@:2:$#-2}"
	quote "$command"
	PATH=$path timeout 30 hamr-tool --yes --no-config --root . --json "$@" \
		bash "{\"command\":$quoted}" 2>"$T/err" >"$T/json"
	jq -r '.meta.sandbox // "none"' "$T/json" >"$T/layer"
	jq -r .content "$T/json"
}
has() { [ "$(run "$1" true >/dev/null; cat "$T/layer")" = "$1" ]; }
layers=
for layer in bubblewrap landlock; do
	if has $layer; then
		layers="$layers $layer"
	else
		skip "all of $layer" "not here"
	fi
done

mkfifo "$place/out/fifo" && exec 7<>"$place/out/fifo"
sleep 300 & victim=$!
disown
cat >probe.py <<'E'
import ctypes, os, platform, resource, socket, sys
c = ctypes.CDLL(None, use_errno=True)
def try_(name, f):
    try:
        f()
        print(name)
    except OSError:
        pass
def call(*a):
    if c.syscall(*a) < 0:
        raise OSError(ctypes.get_errno(), "")
x86 = platform.machine() == "x86_64"
v = int(sys.argv[1])
who = sys.argv[2]
try_("limit", lambda: resource.prlimit(v, resource.RLIMIT_CORE, (0, 0)))
try_("nice", lambda: os.setpriority(os.PRIO_PROCESS, v, 19))
try_("affinity", lambda: os.sched_setaffinity(v, os.sched_getaffinity(0)))
try_("policy", lambda: os.sched_setscheduler(v, os.SCHED_OTHER,
    os.sched_param(0)))
if x86:
    try_("io", lambda: call(251, 1, v, 2 << 13 | 5))
if who == "all":
    try_("nice-user", lambda: os.setpriority(os.PRIO_USER, 0, 19))
    try_("shm", lambda: call(29, 0, 4096, 0o600) if x86 else 1 / 0)
    try_("queue", lambda: call(241, b"hamr-none") if x86 else 1 / 0)
    try_("pty", lambda: os.openpty())
    try_("raw", lambda: os.listdir("/dev/pts") and [open("/dev/pts/" + n)
        for n in os.listdir("/dev/pts")] and 1)
try_("pair-dgram", lambda: socket.socketpair(socket.AF_UNIX,
    socket.SOCK_DGRAM))
if who == "own":
    try_("pair-stream", lambda: socket.socketpair())
E
for layer in $layers; do
	for mode in patch read-only; do
		run "$layer" --mode $mode "timeout 3 bash -c 'echo x >$place/out/fifo'" >/dev/null
		is "$layer, $mode: no FIFO outside is written" \
			"$(read -r -t 0.01 -u 7 got; echo "$got")" ""
	done
	is "$layer: no process outside is touched" \
		"$(run "$layer" "python3 probe.py $victim other" | tail -n +2)" ""
	is "$layer: a process may change itself" \
		"$(run "$layer" 'exec python3 probe.py $$ own' | tail -n +2 |
			grep -v '^io$' | xargs)" \
		"limit nice affinity policy pair-stream"
	match "$layer: the kernel's settings are out of reach" \
		"$(run "$layer" 'cat /proc/sys/kernel/core_pattern >/dev/null &&
			echo read; for f in /proc/sys/kernel/core_pattern \
			/proc/sys/kernel/hostname /proc/sysrq-trigger; do
			(: >>$f) 2>/dev/null && echo "wrote $f"; done; true')" \
		"exit 0${nl:=
}read"
	is "$layer: streams, terminals of its own, devices that all have" \
		"$(run "$layer" 'echo a >/dev/stdout; echo b >/dev/null
			head -c 1 /dev/zero | wc -c; mkfifo p; (echo c >p &)
			cat p; rm p' | xargs)" "exit 0 a 1 c"
done
case $layers in
*landlock*)
	is "landlock: nothing shared by number or name" \
		"$(run landlock 'python3 probe.py 1 all' | tail -n +2)" ""
	match "and it is said" "$(cat "$T/err")" \
		"*no pseudo-terminals and no System V IPC*"
	match "and that .hamr is open" "$(cat "$T/err")" "*.git and .hamr*"
	# with many processes to be found, it takes a while to signal all
	wait=$((5 + 3 * SLOWER))
	cat >bye.py <<-E
		import signal, time
		signal.signal(signal.SIGTERM, lambda *_: print("bye", flush=True))
		time.sleep($wait.8)
	E
	is "a time-out's TERM is sent once" "$(PATH=$BIN:$T/nobwrap t bash \
		'{"command":"for i in {1..150}; do sleep 99 & done; exec python3 -S -E bye.py","timeout":'"$wait}" 2>/dev/null | xargs)" \
		"timed out after $wait s bye"
	# the supervisor is killed, or stopped
	marks() {	# processes of these arguments
		grep -lszx "77$1\.$$" /proc/[0-9]*/cmdline | cut -d / -f 3
	}
	run landlock "(setsid sleep 771.$$ >/dev/null 2>&1 &); (sleep 772.$$ &) >/dev/null 2>&1
		kill -9 \$PPID; sleep 773.$$" >"$T/killed"
	ok "nobody says that nothing was run" sh -c \
		'test -s "$1" && ! grep -q "nothing was run" "$1"' . "$T/killed"
	is "a command that kills the supervisor leaves nothing" \
		"$(marks '[123]')" ""
	begun=$(date +%s)
	PATH=$BIN:$T/nobwrap timeout 20 hamr-tool --yes --no-config --root . bash \
		"{\"command\":\"(setsid sleep 774.$$ >/dev/null 2>&1 &); kill -STOP \$PPID; sleep 775.$$\",\"timeout\":1}" \
		>"$T/out" 2>&1
	ok "one that stops it ends with its time" \
		test $(($(date +%s) - begun)) -lt 12
	is "and leaves nothing either" "$(marks '[45]')" "" ;;
esac

# --- masks: the home's first, what git tracks is shown, not too many
case $layers in
*bubblewrap*)
	mkdir -p "$HOME/.ssh" certs && echo SSH >"$HOME/.ssh/id_rsa"
	for f in .env prod.env server.key certs/test.pem .npmrc; do
		echo "CANARY $f" >$f
	done
	git add -f certs/test.pem .env && echo '*.key' >.gitignore
	is "masked: .env, and what git does not track" "$(run bubblewrap \
		'cat .env prod.env server.key certs/test.pem .npmrc 2>/dev/null' |
		tail -n +2)" "CANARY certs/test.pem"
	match "the status counts" "$(t --sandbox-status | grep hidden)" \
		"*hidden*4 secrets in the root*1 tracked by git can be read*"
	match "read refuses all of them" \
		"$(t read '{"path":"certs/test.pem"}' 2>&1)" "*is protected from*"
	is "what the user lists is masked, tracked or not" "$(run bubblewrap -o \
		'sandbox.mask=["test.pem"]' 'cat certs/test.pem 2>/dev/null' |
		tail -n +2)" ""
	git rm -q --cached certs/test.pem
	is "no longer tracked: masked" "$(run bubblewrap \
		'cat certs/test.pem 2>/dev/null' | tail -n +2)" ""
	mkdir many && for i in $(seq 253); do
		mkdir many/$i; : >many/$i/.env
	done
	match "256 masks and one more: refused" "$(run bubblewrap \
		"cat $HOME/.ssh/id_rsa")" "denied: more than 256 *[[]sandbox[]] mask*"
	rm -rf many/1 many/2
	is "256 are masked, and the home" "$(run bubblewrap \
		"cat $HOME/.ssh/id_rsa many/9/.env .env 2>/dev/null" | tail -n +2)" ""
	rm -rf many
	mkdir -p within/.hamr/snap.git && touch within/.hamr/snap.git/{1..300}
	is "the folder of a project within is one" "$(run bubblewrap \
		'ls within/.hamr 2>/dev/null; echo done' | tail -n +2)" "done"
	rm -rf within
	# our own folder: outputs can be read, what we lock cannot be found
	mkdir -p .hamr/skills/s && echo skill >.hamr/skills/s/SKILL.md
	echo m >.hamr/memory.db
	is ".hamr: outputs and what a person put there" "$(run bubblewrap \
		'ls .hamr; cat .hamr/skills/s/SKILL.md; (: >.hamr/x) 2>/dev/null
		flock -n .hamr/memory.db true 2>/dev/null && echo locked' |
		tail -n +2 | xargs)" "out skills skill"
	run bubblewrap 'seq 30000' >/dev/null
	is "an output made later is there" "$(run bubblewrap \
		'head -n 1 .hamr/out/*.txt' | tail -n +2)" 1 ;;
esac

cd /
done_testing

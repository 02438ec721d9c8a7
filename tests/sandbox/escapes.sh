# escapes.sh - escapes from the sandbox, tried in every mode: S2, S3, S4,
# S5, S14, S15, S19, P9.
#
# Sourced by tool-box-*.t behind lib.sh; escapes LAYER does it all.  One command
# tries them; what counts is what is found outside afterwards.  As who runs the
# tests, and as root also as nobody; Landlock alone is a PATH without bwrap.
# The table attack by mode is printed as comments.
# shellcheck shell=bash
unset HAMR_BIN
nl=$'\n'

# A place that the sandbox does not cover by a fresh folder of its own; without
# blanks, as commands name it without quotes.
place=
for base in /srv /opt /var/lib /home "$TOP"; do
	case $base in
	/tmp/*|/var/tmp/*|/run/*|*[[:space:]]*) continue ;;
	esac
	place=$(mktemp -d "$base/hamr-test.XXXXXX" 2>/dev/null) && break
done
[ -n "$place" ] || place=$(mktemp -d "$T/place.XXXXXX")
helpers=
at_end() {
	# shellcheck disable=SC2086
	[ -z "$helpers" ] || kill $helpers 2>/dev/null
	chmod -R u+rwX "$place" 2>/dev/null
	rm -rf "$place"
}
chmod 755 "$place"
mkdir "$place/bin"
cp "$BIN/hamr-tool" "$place/bin"
if [ "$(id -u)" = 0 ]; then
	who_list="root nobody"
else
	who_list=$(id -un)
fi

as() {	# WHO command...
	local who=$1
	shift
	if [ "$who" = nobody ] && [ "$(id -u)" = 0 ]; then
		exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
	else
		exec "$@"
	fi
}

# Everything a run needs, fresh: a repository, a home, something outside.
set_up() {	# WHO
	chmod -R u+rwX "$place/w" 2>/dev/null
	rm -rf "$place/w"
	mkdir -p "$place/w/home/.ssh" "$place/w/out" "$place/w/root/sub"
	cd "$place/w/root" || exit 1
	git init -q . && mkdir -p .hamr
	echo CANARY-SSH >../home/.ssh/id_rsa
	echo CANARY-ENV >.env
	echo CANARY-KEY >sub/server.key
	echo keep >../out/file; chmod 600 ../out/file
	echo keep >file
	echo rc >../home/.profile
	: >sub/.envrc
	[ "$1" != nobody ] || [ "$(id -u)" != 0 ] ||
		chown -R 65534:65534 "$place/w"
}

# Runs in the sandbox.  Each attack by itself; a line "LEAK name" or a trace
# outside means that it came through.
cat >"$place/attacks" <<'E'
w=$1 port=$2 victim=$3
try() { ( attack=$2; set -- "$w" "$port" "$victim"; eval "$attack" ) 2>/dev/null; }
says() {	# NAME COMMAND PATTERN
	[[ $(try "$1" "$2") =~ $3 ]] && echo "LEAK $1"
}
try outside 'echo bad >$1/out/file'
try outside 'rm -rf $1/out/file'
try outside 'r=m; $"r$r" -rf $1/out; find $1/out -delete; eval "$(echo cm0gLXJmICQxL291dAo= | base64 -d)"'
try outside 'python3 -S -E -c "import shutil,sys; shutil.rmtree(sys.argv[1])" $1/out'
try outside 'ln $1/out/file ln && echo bad >ln'
try outside 'ln -s $1/out s; echo bad >s/file'
try outside 'truncate -s 0 $1/out/file'
try outside 'mv $1/out $1/out2'
try attributes 'chmod 777 $1/out/file; touch -d 2001-01-01 $1/out/file'
try home 'echo bad >>$1/home/.profile; : >$1/home/new'
try etc ': >/etc/hamr-escape; : >/usr/hamr-escape; : >/hamr-escape'
try temp ': >/tmp/hamr-escape; : >/var/tmp/hamr-escape; : >/dev/shm/hamr-escape'
try root-files 'echo bad >file; rm -f file; : >new'
try git 'printf "#!/bin/sh\n" >.git/hooks/post-commit'
try git 'git config core.fsmonitor /bin/false'
try git 'mv .git .git2; rm -rf .git; ln -s /tmp .git; : >.git/index.lock'
try hamr 'echo "[agent]" >.hamr/config.toml; mv .hamr h; rm -rf .hamr'
try nested 'git init -q sub/n; echo x >.bashrc; mkdir .vscode; echo bad >>sub/.envrc'
says secret-root 'cat .env sub/server.key' CANARY
says secret-home 'cat $1/home/.ssh/id_rsa; cat $HOME/.ssh/id_rsa' CANARY
says shadow 'cat /etc/shadow' :
says environ 'cat /proc/[0-9]*/environ | tr "\0" "\n"; env' CANARY-VAR
says fds 'echo /proc/self/fd/*' 'fd/[4-9]'
says tcp 'exec 3<>/dev/tcp/127.0.0.1/$2; timeout 5 head -n 1 <&3' hello
try kill 'kill -9 $3'
says userns 'unshare -Ur echo in' in
says userns 'unshare -m echo in; unshare -p echo in' in
says mount 'mount -t tmpfs x /mnt && echo in; mount -o remount,rw,bind / && echo in; umount .git && echo in' in
# one process, as its start is what takes long; killed, it does not say TRIED
try python 'timeout 20 python3 -S -E -c "
import ctypes, errno, platform, socket, sys
w, port, victim = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)

def hello(name, family, kind, at):
    s = socket.socket(family, kind)
    s.settimeout(.3)
    if kind == socket.SOCK_DGRAM:
        s.sendto(b\"x\", at)
    else:
        s.connect(at)
    if s.recv(9).startswith(b\"hello\"):
        print(\"LEAK\", name)

def refused(got):
    return got == -1 and ctypes.get_errno() == errno.EPERM

def attempt(name, f, *at):
    try:
        f(name, *at)
    except OSError:
        pass

attempt(\"udp\", hello, socket.AF_INET, socket.SOCK_DGRAM, (\"127.0.0.1\", port))
attempt(\"unix\", hello, socket.AF_UNIX, socket.SOCK_STREAM, w + \"/out.sock\")
attempt(\"abstract\", hello, socket.AF_UNIX, socket.SOCK_STREAM, \"\0hamr-%d\" % port)
calls = (321, 298, 323, 425, 250, 246, 175, 155, 308, 272, 165, 428, 442)
for n in calls if platform.machine() == \"x86_64\" else ():
    ctypes.set_errno(0)
    if not refused(libc.syscall(n, 0, 0, 0, 0, 0)):
        print(\"LEAK calls\")
for f in (40, 38, 17):
    if not refused(libc.socket(f, 1, 0)):
        print(\"LEAK calls\")
if not refused(libc.ioctl(0, 0x5412, b\"x\")):
    print(\"LEAK calls\")
if libc.ptrace(16, victim, 0, 0) == 0:
    print(\"LEAK ptrace\")
print(\"TRIED\")" "$@"'
says caps 'grep -E "^Cap(Eff|Prm).*[1-9a-f]$" /proc/self/status' Cap
says privileges 'grep NoNewPrivs /proc/self/status' 0
(setsid sleep 4441 >/dev/null 2>&1 &) ; (sleep 4442 & disown) >/dev/null 2>&1
sleep .1
E
# other tests make the same attacks at the same time
sed -i "s/sleep 444[12]/&.$$/; s/hamr-escape/&.$$/g" "$place/attacks"
all_attacks="outside attributes home etc temp root-files git hamr nested
secret-root secret-home shadow environ fds tcp udp unix abstract kill ptrace
userns mount calls caps privileges survive"

# A peer for each kind of network.
cat >"$place/peers.py" <<'E'
import os, select, socket, sys
w, ready = sys.argv[1:3]
t = socket.socket(); t.bind(("127.0.0.1", 0)); t.listen(9)
port = t.getsockname()[1]
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.bind(("127.0.0.1", port))
x = socket.socket(socket.AF_UNIX); x.bind(w + "/out.sock"); x.listen(9)
os.chmod(w + "/out.sock", 0o777)
a = socket.socket(socket.AF_UNIX); a.bind("\0hamr-%d" % port); a.listen(9)
open(ready, "w").write(str(port))
while True:
    for s in select.select([t, u, x, a], [], [], 120)[0]:
        if s is u:
            d, peer = u.recvfrom(9); u.sendto(b"hello", peer)
        else:
            c, _ = s.accept(); c.sendall(b"hello\n"); c.close()
E

sleepers() {	# pids of what the attacks have left
	grep -lszx "444[12]\.$$" /proc/[0-9]*/cmdline | cut -d / -f 3
}

# What came through, one name a line.
found() {	# OUTPUT
	local w=$place/w left
	sed -n 's/^LEAK //p' "$1" | sort -u
	[ "$(cat "$w/out/file" 2>/dev/null)" = keep ] || echo outside
	[ "$(stat -c %a "$w/out/file" 2>/dev/null)" = 600 ] || echo attributes
	[ "$(ls -A "$w/home")$(cat "$w/home/.profile")" = "$home_was" ] ||
		echo home
	if [ -e /etc/hamr-escape.$$ ] || [ -e /usr/hamr-escape.$$ ] ||
	    [ -e /hamr-escape.$$ ]; then
		echo etc
		rm -f /etc/hamr-escape.$$ /usr/hamr-escape.$$ /hamr-escape.$$
	fi
	if [ -e /tmp/hamr-escape.$$ ] || [ -e /var/tmp/hamr-escape.$$ ] ||
	    [ -e /dev/shm/hamr-escape.$$ ]; then
		echo temp
		rm -f /tmp/hamr-escape.$$ /var/tmp/hamr-escape.$$ \
			/dev/shm/hamr-escape.$$
	fi
	if [ "$(cat "$w/root/file" 2>/dev/null)" != keep ] ||
	    [ -e "$w/root/new" ]; then
		echo root-files
	fi
	[ "$(git_state)" = "$git_was" ] || echo git
	if [ ! -d "$w/root/.hamr" ] || [ -e "$w/root/.hamr/config.toml" ]; then
		echo hamr
	fi
	if [ -e "$w/root/sub/n/.git" ] || [ -e "$w/root/.bashrc" ] ||
	    [ -e "$w/root/.vscode" ] || [ -s "$w/root/sub/.envrc" ]; then
		echo nested
	fi
	kill -0 "$victim" 2>/dev/null || echo kill
	left=$(sleepers)
	if [ -n "$left" ]; then
		echo survive
		# shellcheck disable=SC2086
		kill -9 $left
	fi
}

git_state() {
	(cd "$place/w/root" && find .git 2>/dev/null | sort | sha256sum
		cat .git/config 2>/dev/null)
}

# run WHO LAYER MODE [options]: what came through, blanks between
run() {
	local path=$PATH i
	[ "$1" != nobody ] || path=/usr/local/bin:/usr/bin:/bin
	[ "$2" != landlock ] || path=$place/nobwrap
	set_up "$1"
	(PATH=$path; as "$1" python3 -S -E "$place/peers.py" "$place/w" "$place/w/port") &
	peers=$!
	(as "$1" sleep 300) &
	victim=$!
	helpers="$peers $victim"
	for ((i = 0; i < 500; i++)); do
		[ -s "$place/w/port" ] && break
		sleep .02
	done
	home_was="$(ls -A "$place/w/home")$(cat "$place/w/home/.profile")"
	git_was=$(git_state)
	jq -cn --rawfile s "$place/attacks" --arg a \
		"$place/w $(cat "$place/w/port") $victim" \
		'{command: ("set -- " + $a + "\n" + $s), timeout: 50}' >args
	# shellcheck disable=SC2086
	(as "$1" env PATH="$path" HOME="$place/w/home" CANARY=CANARY-VAR \
		XDG_CONFIG_HOME="$place/w/home/.c" TMPDIR=/tmp \
		XDG_CACHE_HOME="$place/w/cache" MY_TOKEN=CANARY-VAR \
		timeout 60 "$place/bin/hamr-tool" --yes --mode "$3" \
		--root "$place/w/root" $4 --json bash "$(cat args)") \
		>"$T/json" 2>"$T/err" </dev/null
	jq -r .content "$T/json" >"$T/text"
	jq -r '.meta.sandbox // "?"' "$T/json" >"$T/was"
	found "$T/text" | sort -u | tr '\n' ' '
	disown "$peers" "$victim" 2>/dev/null
	kill "$peers" "$victim" 2>/dev/null
	helpers=
}

# What a layer does not promise, in that mode.
allowed() {	# LAYER MODE
	[ "$2" = patch ] && echo root-files
	[ "$1" = landlock ] || return 0
	echo attributes secret-root
	[ "$2" = patch ] && echo git hamr nested
	case $landlock in
	[12345]) echo kill abstract ;;
	esac
	return 0
}
landlock=$("$place/bin/hamr-tool" --sandbox-status |
	sed -n 's/^landlock *yes *version \([0-9]*\);.*/\1/p')

one() {	# LAYER WHO: tests and a table
	declare -A came=()
	local mode name line word more
	for mode in read-only patch verify docs; do
		came[$mode]=$(run "$2" "$1" "$mode")
		if [ "$(cat "$T/was")" != "$1" ]; then
			skip "$1 as $2" "not here: $(head -c 200 "$T/err")"
			echo "# NOT TESTED: $1 as $2: $(head -c 200 \
				"$T/err")" >&2
			return
		fi
		more=
		for name in ${came[$mode]}; do
			case " $(allowed "$1" "$mode" | tr '\n' ' ') " in
			*" $name "*) ;;
			*) more="$more $name" ;;
			esac
		done
		is "$1 as $2, mode $mode: nothing came through" "$more" ""
		match "it was tried ($1, $2, $mode)" \
			"$(sed -n '1p; /^TRIED$/p' "$T/text")" \
			"exit 0*; ended: sleep 4441*${nl}TRIED"
	done
	echo "# $1 as $2"
	echo "#                   read-only patch     verify    docs"
	for name in $all_attacks; do
		line=$(printf '# %-18s' "$name")
		for mode in read-only patch verify docs; do
			case " ${came[$mode]} " in
			*" $name "*) word=open ;;
			*) word=held ;;
			esac
			[ "$name $mode" = "root-files patch" ] && word=meant
			line=$line$(printf '%-10s' $word)
		done
		echo "$line"
	done
}

# The attacks themselves: without a sandbox they do come through.  Not as root,
# whom nothing would hold.
control() {
	local who=$1 came name missing=
	[ "$who" != root ] || who=nobody
	came=" $(run "$who" off patch "-o sandbox.mode=off") "
	for name in outside attributes home root-files git hamr nested \
	    secret-root secret-home environ tcp udp unix abstract kill calls \
	    privileges; do
		case $came in
		*" $name "*) ;;
		*) missing="$missing $name" ;;
		esac
	done
	is "without a sandbox they do come through" "$missing" ""
	case $came in
	*" survive "*) result 1 "but nothing outlives its call" ;;
	*) result 0 "but nothing outlives its call" ;;
	esac
}

escapes() {	# LAYER
	local who
	cd "$T" || exit 1
	[ "$1" != landlock ] || without_bwrap "$place/nobwrap"
	for who in $who_list; do
		one "$1" "$who"
		cd "$T" || exit 1
	done
}

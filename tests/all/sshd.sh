# sshd.sh - ssh servers of our own on the loopback address, in folder ssh.
#
#	up NAME [VARIABLE=VALUE]...	a server; its port in $port
#	down NAME			ends it and all that came through it
#	login PORT [JOBS]		as --sshlogin takes it
#	lets_in PORT			can one log in there?
#	down_all			ends all, the last thing to do
# $SSHD is empty where there is none.  /run/sshd, which sshd wants, stays: a
# test beside this one may need it.  HOME there is a folder of ours: bash that
# sshd starts reads ~/.bashrc, and the real one, killed on the way, may leave a
# lock.  Keys are exchanged in the old way: the default's takes ten times as
# long, a tenth of a second.
SSHD=$(PATH=$PATH:/usr/sbin command -v sshd) hosts=()
mkdir -p /run/sshd 2>/dev/null || SSHD=

up() {
	local i name=$1
	set -- "ASAN_OPTIONS=${ASAN_OPTIONS:-}" "${@:2}"
	mkdir -p ssh/home
	[ -f ssh/key ] || ssh-keygen -q -t ed25519 -N '' -f ssh/key
	for port in $(shuf -n 20 -i 20000-60000); do
		printf '%s\n' "Port $port" "ListenAddress 127.0.0.1" \
		    "HostKey $PWD/ssh/key" "AuthorizedKeysFile $PWD/ssh/key.pub" \
		    "PidFile $PWD/ssh/$name.pid" "StrictModes no" "UsePAM no" \
		    "MaxStartups 100" "PasswordAuthentication no" \
		    "PermitUserRC no" "KexAlgorithms ecdh-sha2-nistp256" \
		    "SetEnv HOME=$PWD/ssh/home ${HAMR_SHARE:+\
HAMR_SHARE=$HAMR_SHARE} $*" \
		    >"ssh/$name.conf"
		"$SSHD" -f "$PWD/ssh/$name.conf" -E "$PWD/ssh/$name.log" || continue
		for i in $(seq 50); do
			[ -s "ssh/$name.pid" ] && hosts+=("$name") && return
			sleep 0.1
		done
	done
	return 1
}
down() {
	local pid
	pid=$(cat "ssh/$1.pid" 2>/dev/null) || return 0
	# shellcheck disable=SC2046	# a number a word
	kill -9 "$pid" $(descendants "$pid") 2>/dev/null
	rm -f "ssh/$1.pid"
}
down_all() {
	local h
	for h in "${hosts[@]}"; do down "$h"; done
}
descendants() {
	local p
	for p in $(pgrep -P "$1"); do
		descendants "$p"
		echo "$p"
	done
}
lets_in() {	# no: the account is locked, or its shell is nologin
	local ssh
	ssh=$(login "$1")
	# shellcheck disable=SC2086	# words
	timeout 20 ${ssh#2/} true </dev/null >/dev/null 2>&1
}
login() {
	echo "${2:-2}/ssh -F none -p $1 -i $PWD/ssh/key -o BatchMode=yes" \
	    "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null" \
	    "-o LogLevel=ERROR $(id -un)@127.0.0.1"
}

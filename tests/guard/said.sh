# said.sh - what hamr-guard says of transcripts written short
# (guard_make.py); source it after lib.sh.
#
#	make			the transcript
#	said [OPTION...]	id, action, rule and count of each verdict
make() { python3 -B "$TOP/tests/guard/guard_make.py"; }

# What was said of a transcript written short, without the nudges: by one
# process for all cases, as most of a case's time would be Python's start.
coproc SAID { exec python3 -B "$TOP/tests/guard/guard_said.py"; }
exec 7>&"${SAID[1]}" 8<&"${SAID[0]}"
said() {
	local answer
	cat >said.in
	printf '%s\t' said.in "$@" >&7
	echo >&7
	IFS= read -r -d '' answer <&8
	printf '%s' "$answer"
}

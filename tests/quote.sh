# quote.sh - JSON strings made by bash; source it behind lib.sh.
# shellcheck shell=bash

# A text as a JSON string in $quoted: in the shell itself, as jq takes 20 ms to
# start; jq does what is long or has odd control characters.
quote() {
	quoted=$1
	if [ ${#1} -gt 4000 ]; then
		quoted=$(jq -cn --arg s "$1" '$s')
		return
	fi
	quoted=${quoted//\\/\\\\} quoted=${quoted//\"/\\\"}
	quoted=${quoted//$'\n'/\\n} quoted=${quoted//$'\t'/\\t}
	case $quoted in
	*[$'\001'-$'\037'$'\177']*) quoted=$(jq -cn --arg s "$1" '$s') ;;
	*) quoted="\"$quoted\"" ;;
	esac
}

# bash completion of the hamr commands; made from a table
_hamr() {
	local words kind eq cur=${COMP_WORDS[COMP_CWORD]}
	local prev=${COMP_WORDS[COMP_CWORD - 1]}
	# bash makes = a word of its own
	if [ "$cur" = = ]; then
		cur="" eq=1
	elif [ "$prev" = = ]; then
		eq=1 prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	case ${1##*/}$eq\ $prev in
	hamr-loop1\ --task | hamr-loop\ --task) kind=WORD ;;
	hamr-loop1\ --mode | hamr-loop\ --mode) words="read-only patch verify docs" ;;
	hamr-loop1\ --model | hamr-loop\ --model) kind=WORD ;;
	hamr-loop1\ --base-url | hamr-loop\ --base-url) kind=WORD ;;
	hamr-loop1\ --provider | hamr-loop\ --provider) kind=WORD ;;
	hamr-loop1\ --replay | hamr-loop\ --replay) kind=FILE ;;
	hamr-loop1\ --strategy | hamr-loop\ --strategy) words="auto aggressive moderate balanced light late none" ;;
	hamr-loop1\ --resume) kind=SESSION ;;
	hamr-loop1\ --fork | hamr-loop\ --fork) kind=SESSION ;;
	hamr-loop1\ --at | hamr-loop\ --at) kind=WORD ;;
	hamr-loop1\ --inspect | hamr-loop\ --inspect) words="budget ledger context" ;;
	hamr-loop1\ --export | hamr-loop\ --export) words="openai atif html" ;;
	hamr-loop1\ --verification-profile | hamr-loop\ --verification-profile) words="quick full" ;;
	hamr-loop1\ --repair-attempts | hamr-loop\ --repair-attempts) kind=WORD ;;
	hamr-loop1\ -C | hamr-loop\ -C) kind=DIR ;;
	hamr-loop1\ -o | hamr-loop\ -o) kind=KEY ;;
	hamr-compact1\ -F | hamr-compact\ -F) words="auto hamr openai claude-code codex pi opencode gemini qwen kimi swe-agent mini-swe-agent openhands sharegpt atif cline copilot" ;;
	hamr-compact1\ --jq | hamr-compact\ --jq) kind=WORD ;;
	hamr-compact1\ --strategy | hamr-compact\ --strategy) words="auto aggressive moderate balanced light late none" ;;
	hamr-compact1\ --window | hamr-compact\ --window) kind=WORD ;;
	hamr-compact1\ --report) words="svg json" ;;
	hamr-compact1\ --family | hamr-compact\ --family) words="modern o200k cl100k qwen25 llama3 llama2 claude2" ;;
	hamr-compact1\ -o | hamr-compact\ -o) kind=KEY ;;
	hamr-guard1\ -F | hamr-guard\ -F) words="auto hamr openai claude-code codex pi opencode gemini qwen kimi swe-agent mini-swe-agent openhands sharegpt atif cline copilot" ;;
	hamr-guard1\ --jq | hamr-guard\ --jq) kind=WORD ;;
	hamr-guard1\ -p | hamr-guard\ -p) words="default strict hamr openfang hermes nanobot kimi off" ;;
	hamr-guard1\ --explain | hamr-guard\ --explain) kind=WORD ;;
	hamr-guard1\ -o | hamr-guard\ -o) kind=KEY ;;
	hamr-tool1\ -F | hamr-tool\ -F) words="auto hamr" ;;
	hamr-tool1\ --mode | hamr-tool\ --mode) words="read-only patch verify docs" ;;
	hamr-tool1\ --root | hamr-tool\ --root) kind=DIR ;;
	hamr-tool1\ -o | hamr-tool\ -o) kind=KEY ;;
	hamr-mem1\ -F | hamr-mem\ -F) words="auto hamr openai claude-code codex pi opencode gemini qwen kimi swe-agent mini-swe-agent openhands sharegpt atif cline copilot" ;;
	hamr-mem1\ --db | hamr-mem\ --db) kind=FILE ;;
	hamr-mem1\ --key | hamr-mem\ --key) kind=WORD ;;
	hamr-mem1\ --tag | hamr-mem\ --tag) kind=WORD ;;
	hamr-mem1\ --replace | hamr-mem\ --replace) words="ID" ;;
	hamr-mem1\ --kind | hamr-mem\ --kind) words="fact message" ;;
	hamr-mem1\ --session | hamr-mem\ --session) kind=SESSION ;;
	hamr-mem1\ --since | hamr-mem\ --since) kind=WORD ;;
	hamr-mem1\ --before | hamr-mem\ --before) kind=WORD ;;
	hamr-mem1\ -o | hamr-mem\ -o) kind=KEY ;;
	hamr-provider1\ -F | hamr-provider\ -F) words="auto hamr" ;;
	hamr-provider1\ --api | hamr-provider\ --api) words="openai responses anthropic gemini ollama cohere replay" ;;
	hamr-provider1\ --base-url | hamr-provider\ --base-url) kind=WORD ;;
	hamr-provider1\ --model | hamr-provider\ --model) kind=WORD ;;
	hamr-provider1\ --provider | hamr-provider\ --provider) kind=WORD ;;
	hamr-provider1\ --replay | hamr-provider\ --replay) kind=FILE ;;
	hamr-provider1\ --replay-speed | hamr-provider\ --replay-speed) kind=WORD ;;
	hamr-provider1\ --replay-chunk | hamr-provider\ --replay-chunk) kind=WORD ;;
	hamr-provider1\ --record | hamr-provider\ --record) kind=FILE ;;
	hamr-provider1\ --mcp | hamr-provider\ --mcp) kind=WORD ;;
	hamr-provider1\ -o | hamr-provider\ -o) kind=KEY ;;
	*) kind=NONE ;;
	esac
	if [ "$kind$eq" = NONE ]; then
		case ${1##*/} in
		hamr-loop) words="--task --mode --yes --model --base-url --provider --replay --strategy --json --records --acp --quiet --resume --fork --at --sessions --inspect --export --print-config --doctor --trust --verification-profile --repair-attempts -C -o --no-config --help --version" ;;
		hamr-compact) words="-n -r -q -F --lenient --stream --jq --strategy --window --view --check --report --ledger --budget --count --family -o --no-config --help --version" ;;
		hamr-guard) words="-n -r -q -F --lenient --stream --jq -a -e -p --import-only --report --compare --explain --calibrate -o --no-config --help --version" ;;
		hamr-tool) words="-n -r -q -F --lenient --mode --yes --no-ask --root --schemas --mcp --sandbox-status --json --stream --list --force read edit write bash view_image search_memory save_memory undo -o --no-config --help --version" ;;
		hamr-mem) words="-n -r -q -F --lenient --stream --global --db --key --tag --replace --kind --raw --session --since --before save search list show brief stats check rebuild export import forget -o --no-config --help --version" ;;
		hamr-provider) words="-n -r -q -F --lenient --stream --api --base-url --model --provider --replay --replay-speed --replay-chunk --record --models --mcp --probe -o --no-config --help --version" ;;
		esac
		case $cur in
		-*) ;;
		*) case " ${COMP_WORDS[*]} " in
			*hamr-loop*\ --inspect\ * | *hamr-loop*\ --export\ *)
				kind=SESSION ;;
			*hamr-loop*) ;;
			*) kind=FILE ;;
			esac
			;;
		esac
	fi
	# compgen expands words, and a repository names its files as it likes
	[ "$kind" = SESSION ] && words=$(hamr-loop --sessions 2>/dev/null |
	    awk 'NR > 1 && $1 !~ /[^A-Za-z0-9._-]/ {print $1}')
	if [ "$kind" = KEY ]; then
		words=$(hamr-loop --print-config 2>/dev/null |
		    awk '/ = / {print $1 "="}')
		compopt -o nospace 2>/dev/null
		[ -z "$eq" ] || words=""
	fi
	# shellcheck disable=SC2207
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
	case $kind in
	FILE) compopt -o filenames 2>/dev/null
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur") ;;
	DIR) compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	esac
}
complete -F _hamr hamr-loop hamr-compact hamr-guard hamr-tool hamr-mem hamr-provider

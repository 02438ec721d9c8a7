#!/bin/bash
# completions.t - what bash, zsh and fish complete (chapter 9.5)
. "$(dirname "$0")/../lib.sh"
C=$TOP/share/completions
git init -q . && mkdir folder && echo x >file.txt

# ---- the table ----
ok "they can be made" "$TOP/build-aux/completions" made
cp "$C/table" made
is "they are made from the table (make completions)" \
    "$(diff -r made "$C" 2>&1)" ""
options() {	# of the help of hamr-$1
	hamr-"$1" --help | grep -oE '(^|[^a-zA-Z0-9-])--?[a-zA-Z][a-z-]*' |
	    grep -oE -- '-.*' | sed 's/^\(-[a-zA-Z]\).*/\1/' | sort -u
}
for c in loop compact guard tool mem provider; do
	is "every option of hamr-$c --help is in the table" "$(options $c |
	    while read -r o; do
		grep -qP "^hamr-$c\t\Q$o\E\t" "$C/table" || echo "$o"
	    done | grep -vxE -- '-[hV]')" ""
	is "zsh and fish know what the table says of hamr-$c" "$(grep -oP \
	    "^hamr-$c\t\K-[^\t]*" "$C/table" | while read -r o; do
		grep -qF -e "$o" "$C/_hamr" || echo "zsh $o"
		grep -qE -e "-[ls] ${o##*-}( |\$)|-l ${o#--} " \
		    "$C/hamr-$c.fish" || echo "fish $o"
	done)" ""
	manual=$(mandoc -Tascii "$TOP/man/hamr-$c.1" | sed 's/.\x08//g')
	is "the manual of hamr-$c has each" "$(grep -oP "^hamr-$c\t\K-[^\t]*" \
	    "$C/table" | while read -r o; do
		case $manual in *"$o"*) ;; *) echo "$o" ;; esac
	done | grep -vxE -- '--(help|version)')" ""
done
for c in guard compact tool mem provider; do
	is "hamr-$c passes deltas on with --stream, as the table says" \
	    "$(echo '{"type":"delta"}' | "hamr-$c" --no-config --stream)$(
	    grep -cP "^hamr-$c\t--stream\t" "$C/table")" '{"type":"delta"}1'
done
for c in guard compact mem; do
	is "the formats of hamr-$c are the importers" "$(grep -P \
	    "^hamr-$c\t-F\t" "$C/table" | cut -f 3 | tr '|' '\n' |
	    grep -vxE auto | sort)" \
	    "$(cd "$TOP/share/hamr/import" && ls -- *.jq |
	    sed 's/\.jq$//' | sort)"
done

# ---- bash ----
cat >bash.sh <<'X'
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_hamr "$1" "${*: -1}" "${*: -2:1}"
printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd' '
X
b() { bash --norc bash.sh "$C/hamr.bash" "$@"; }
hamr-loop --no-config --yes --quiet --replay \
    "$TOP/tests/data/loop/two-calls.ndjson" x >/dev/null 2>&1
id=$(basename .hamr/sessions/*.ndjson .ndjson)
is "bash: an option" "$(b hamr-loop --mo)" "--mode --model"
is "bash: its words" "$(b hamr-loop --mode p)" patch
is "bash: behind =" "$(b hamr-loop --mode = v)" verify
is "bash: just behind =" "$(b hamr-loop --export =)" "atif html openai"
is "bash: sessions" "$(b hamr-loop --resume = "") $(b hamr-loop --fork "") $(
    b hamr-loop --inspect ledger "")" "$id $id $id"
cp ".hamr/sessions/$id.ndjson" '.hamr/sessions/2$(touch${IFS}run)*.ndjson'
is "bash: a session's name is never run" "$(b hamr-loop --fork 2) $(compgen -G \
    'run*')" "$id "
rm .hamr/sessions/*run*
is "bash: --resume alone wants a task" "$(b hamr-loop --resume "" |
    grep -c -e --yes)" 1
is "bash: a key" "$(b hamr-guard -o loop_guard.warn_t)" \
    "loop_guard.warn_threshold="
is "bash: not options behind a key's =" "$(b hamr-loop -o agent.mode =)" ""
is "bash: files" "$(b hamr-guard file) $(b hamr-provider --replay fil)" \
    "file.txt file.txt"
is "bash: folders" "$(b hamr-tool --root f)" folder
is "bash: commands" "$(b hamr-mem s)" "save search show stats"
is "bash: by its path" "$(b /usr/bin/hamr-tool --sand)" --sandbox-status

# ---- fish ----
if command -v fish >/dev/null; then
	f() {
		fish --no-config -c "source $C/$1.fish; complete -C '$2'" |
		    cut -f 1 | sort | paste -sd' '
	}
	is "fish: an option" "$(f hamr-loop 'hamr-loop --mo')" "--mode --model"
	is "fish: its words" "$(f hamr-loop 'hamr-loop --mode p')" "patch"
	is "fish: sessions" "$(f hamr-loop 'hamr-loop --resume=') $(
	    f hamr-loop 'hamr-loop --export html ') $(
	    f hamr-loop 'hamr-loop make')" "--resume=$id $id "
	is "fish: a key" "$(f hamr-guard 'hamr-guard -o loop_guard.warn_t')" \
	    "loop_guard.warn_threshold="
	is "fish: commands" "$(f hamr-mem 'hamr-mem sea')" "search"
	is "fish: files" "$(f hamr-guard 'hamr-guard file')" file.txt
else
	skip "fish" "fish is not installed"
fi

# ---- zsh, on a terminal ----
if command -v zsh >/dev/null && command -v tmux >/dev/null; then
	tm() { tmux -L "zsh$$" -f /dev/null "$@"; }
	at_end() { tm kill-server 2>/dev/null; }
	z() {	# LINE PATTERN: Tab behind it
		tm send-keys -t z C-u
		tm send-keys -t z C-l
		tm send-keys -t z "$1" Tab
		for _ in $(seq 60); do
			got=$(tm capture-pane -p -t z)
			# shellcheck disable=SC2254
			case $got in $2) break ;; esac
			sleep 0.1
		done
		match "zsh: $1" "$got" "$2"
	}
	tm new-session -d -x 100 -y 30 -s z "PS1= zsh -f -i"
	tm send-keys -t z "fpath=($C \$fpath); autoload -U compinit; \
compinit -u -D; bindkey '^U' kill-whole-line; clear" Enter
	sleep 0.5
	z 'hamr-loop --sess' '*hamr-loop --sessions*'
	z 'hamr-loop --mode pa' '*hamr-loop --mode patch*'
	z 'hamr-loop --resume=2' "*hamr-loop --resume=$id*"
	z 'hamr-guard -o loop_guard.warn_t' '*hamr-guard -o loop_guard.warn_threshold=*'
	z 'hamr-mem sea' '*hamr-mem search*'
	z 'hamr-guard fil' '*hamr-guard file.txt*'
	z 'hamr-tool --root fo' '*hamr-tool --root folder*'
else
	skip "zsh" "zsh or tmux is not installed"
fi
done_testing

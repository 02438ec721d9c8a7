#!/bin/sh
# conf-man.t - hamr.toml(5) and the table of keys say the same.
. "$(dirname "$0")/../lib.sh"

page=$TOP/man/hamr.toml.5
unset HAMR_BIN			# else an unknown variable, rightly warned of

# The page as lines "KEY = DEFAULT" and, beside it, the keys without a use.
awk '$1 == ".It" && $2 == "Sy" { key = $3 }
    key != "" && /^default / {
	sub(/^default /, ""); sub(/; repository: .*/, ""); print key " = " $0
    }' "$page" | sort >defaults
awk '$1 == ".It" && $2 == "Sy" { key = $3 }
    /^Accepted, not used by this version/ { print key }' "$page" |
    sort >unused
awk '$1 == ".It" && $2 == "Sy" { print $3 }' "$page" | sort >keys
cut -d ' ' -f 1 defaults >with
same "every key has a default" keys with
is "no key stands twice" "$(uniq -d keys)" ""

# Tables with a name of the user's choice are not printed; their keys are
# those of the source.
if [ -x "$BIN/hamr-loop" ]; then
	hamr-loop --print-config --no-config </dev/null >config 2>err
	is "hamr-loop --print-config --no-config" "$? $(cat err)" "0 "
	sed -e 's/^# \(.*\) is not set  # default$/\1 = none/' \
	    -e 's/  # default$//' config | sort >table
	grep -v '^mcp\.NAME\.' defaults >plain
	same "the printed keys and defaults are those of the page" table plain
else
	skip "the printed keys and defaults" "hamr-loop is not built"
fi
sed -n 's/.*"\(mcp\.NAME\.[a-z_]*\)".*/\1/p' "$TOP/lib/conf/conf_keys.c" |
    sort >named
grep '^mcp\.NAME\.' keys >named-page
same "the keys of [mcp.NAME]" named named-page

# A key is used when a source names it; the provider leaves "provider." out.
find "$TOP/cmd" "$TOP/lib" -name '*.c' ! -name conf_keys.c \
    -exec grep -hv '^#include' {} + >sources
while read -r key; do
	grep -qF "\"$key\"" sources && continue
	case $key in
	mcp.NAME.*) grep -qF -e "\"${key##*.}\"" -e "\"mcp.%s.${key##*.}\"" \
	    "$TOP/cmd/hamr-tool/extras/mcp.c" && continue ;;
	provider.*) grep -qF "\"${key#provider.}\"" \
	    "$TOP"/cmd/hamr-provider/server/settings.c && continue ;;
	esac
	echo "$key"
done <keys >unnamed
same "what the page says is not used is what nobody reads" unnamed unused

# What the page shows as a file is one.
mkdir -p "$XDG_CONFIG_HOME/hamr"
awk '/^A user/ { on = 1 } on && /^\.Bd/ { on = 2; next }
    on == 2 && /^\.Ed/ { exit } on == 2' "$page" \
    >"$XDG_CONFIG_HOME/hamr/config.toml"
ok "there is an example" grep -q max_model_steps \
    "$XDG_CONFIG_HOME/hamr/config.toml"
if [ -x "$BIN/hamr-loop" ]; then
	hamr-loop --print-config </dev/null >config 2>err
	is "it loads" "$? $(cat err)" "0 "
	match "it counts" "$(cat config)" \
	    "*agent.max_model_steps = 40  # */hamr/config.toml:2*"
else
	skip "it loads" "hamr-loop is not built"
fi
if command -v mandoc >/dev/null; then
	is "mandoc -Tlint" "$(mandoc -Tlint -W warning "$page")" ""
else
	skip "mandoc -Tlint" "no mandoc"
fi
done_testing

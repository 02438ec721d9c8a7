#!/bin/bash
# promises.t - every threat and fault that we know by an id has a test that
# names it, and the README tells of each, and of none that we do not know.
. "$(dirname "$0")/../lib.sh"
ids() {	# LETTER LAST
	for n in $(seq "$2"); do echo "$1$n"; done
}
{ ids S 32; ids J 9; ids P 10; ids N 8; ids D 9; } >known
find "$TOP"/tests \( -name '*.t' ! -name promises.t \) -o -name '*.sh' -o \
    -name '*.py' -o -path '*/unit/*.c' >files
while read -r id; do
	ok "$id has a test" xargs -d "\n" -a files grep -qw -- "$id"
done <known

# "S1 to S6" means each of them
sed -n '/^## Promises/,/^## Not yet/p' "$TOP/README.md" |
    grep -oE '\b[SJPND][0-9]+\b( to [SJPND][0-9]+)?' |
    while read -r first to last; do
	if [ -n "$to" ]; then
		seq -f "${first%%[0-9]*}%g" "${first#?}" "${last#?}"
	else
		echo "$first"
	fi
    done | sort -u >told
is "the README tells of none else" "$(grep -vxF -f known told)" ""
is "and of every one" "$(grep -vxF -f told known | xargs)" ""
done_testing

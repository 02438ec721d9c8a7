#!/bin/bash
# a configuration file made to take time, memory or a process: a line that
# says where, status 78, at once
. "$(dirname "$0")/../lib.sh"
file=$XDG_CONFIG_HOME/hamr/config.toml
mkdir -p "${file%/*}"
echo '{"role":"user","content":"x"}' >in

refused() {	# name why
	timeout 20 "${limit[@]}" hamr-guard in >out 2>err
	is "$1" "$? $(wc -l <err)" "78 1"
	match "... it is said" "$(cat err)" "hamr-guard: $file$2"
	rm -rf "$file"
}
# sanitizers need address space without a limit
limit=(prlimit --as=2000000000)
! grep -q __asan_init "$BIN/hamr-guard" || limit=(env)
say() { python3 -c "$1" >"$file"; }

say 'print("a = " + "[" * 1000000)'
refused "arrays in arrays" ":1: not supported here: arrays nested that deeply"
say 'print("[" + ".".join(["a"] * 500000) + "]")'
refused "a table of 500,000 names" ":1: not supported here: so many keys*"
say 'print(".".join(["a"] * 500000) + " = 1")'
refused "a key of as many" ":1: not supported here: so many keys*"
say 'print("\n".join("k%d = 1" % i for i in range(80000)))'
refused "80,000 keys" ":*"
say 'print("[agent]\n" + "\n".join("[provider.k%d]" % i for i in range(9000)))'
refused "9,000 tables" ":4*: not supported here: so many keys in one file"
say 'print("a = " + "1" * 900000)'
refused "a number of 900,000 digits" ":1: an integer that does not fit 64 bits"
say 'print("[stages]\ntool = [" + "1," * 500000 + "]")'
refused "an array of 500,000" ":2: *tool*"
truncate -s 64M "$file"
refused "64 MiB" ": larger than 1048576 bytes"
truncate -s 1T "$file" 2>/dev/null || truncate -s 8G "$file"
refused "a sparse one" ": larger than 1048576 bytes"
ln -s /dev/zero "$file"
refused "a device without end" ": larger than 1048576 bytes"
printf '[agent]\nmode = "do\0cs"\n' >"$file"
refused "NUL" ":2: control character 0x00"
printf '[agent]\nmode = "docs"\n\0\0\0\0' >"$file"
refused "NUL behind it" ":3: control character 0x00"
printf '[agent]\nmode = "\\u0000"\n' >"$file"
refused "NUL escaped" ":2: not supported here: U+0000 in a string"
mkfifo "$file"
refused "a FIFO" ": is not a regular file"
mkdir "$file"
refused "a folder" ": Is a directory"
ln -s /dev/null "$file"
status "/dev/null is an empty one" 0 hamr-guard in
done_testing

#!/bin/bash
# chat.t - facts kept, listed, changed and forgotten in the chat.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/loop/loop.sh"
export TERM=xterm
fresh facts
echo '{"role":"assistant","content":"Yes.","finish_reason":"stop"}' >script
cat >drive.py <<P
import sqlite3, subprocess, sys, time
def fact(text):		# its id, as soon as it is kept
    for _ in range(300):
        said = subprocess.run(["hamr-mem", "brief"], capture_output=True,
                              text=True).stdout
        if text in said:
            return said.split()[0]
        time.sleep(0.05)
sys.path.insert(0, '$TOP/tests')
from terminal import Terminal
t = Terminal(['hamr-loop', '--no-config', '--yes', '--replay', 'script'])
t.sees("sandbox"); t.sees("> ")
t.type("/remember\r"); t.sees("no facts yet")
t.type("/remember the port is 8080\r"); key = fact("8080"); t.sees(key)
t.type("/remember\r"); t.sees(key + " the port is 8080")
t.type("/remember %s the port is 9090\r" % key)
key = fact("9090"); t.sees(key)
t.type("/remember\r"); t.sees(key + " the port is 9090")
t.type("/forget m:0000\r"); t.sees("there is no m:0000")
t.type("/forget %s\r" % key); t.sees("forgotten")
t.type("/forget\r"); t.sees("usage: /forget")
# another process has the memory: the wait for it can be stopped
other = sqlite3.connect(".hamr/memory.db"); other.execute("begin exclusive")
t.type("/remember too late\r"); t.sees("the memory")
t.type("\x03"); t.sees("stopped")
other.close()
t.type("\x04"); t.end()
print("key", key)
P
is "the chat" "$(timeout 60 python3 drive.py 2>err | cut -c 1-5)" "key m"
[ ! -s err ] || sed 's/^/# /' err
is "nothing is left" "$(hamr-mem brief)" ""
hamr-mem save "the port is 7070" >/dev/null
is "the shell's are the chat's" "$(hamr-mem brief | cut -d' ' -f2-)" \
    "the port is 7070"
done_testing

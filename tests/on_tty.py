# on_tty.py COLUMNS COMMAND...: what it writes to a terminal so wide
import sys
from terminal import Terminal

t = Terminal(sys.argv[2:], columns=int(sys.argv[1]))
status = t.end()
sys.stdout.buffer.write(t.all.replace(b"\r\n", b"\n"))
sys.exit(status)

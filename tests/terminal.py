# terminal.py - drive a program on a pseudo-terminal: what it shows, what is typed.
#
#	t = Terminal(["hamr-loop", "..."], rows=24, columns=80)
#				mute=True: it does not say what it is
#	t.sees("allow this")	wait until it was written, behind what was seen
#	t.type("y")		one write
#	t.answer("y")		the same, after the time a question wants quiet
#	t.end()			to its end; the status, t.all holds what it wrote
#	with t.held():		it may end, and what it wrote last is not lost with
#				it: the shell that is there as a rule
import contextlib, fcntl, os, pty, select, struct, sys, termios, time

LIMIT = 30 * int(os.environ.get("SLOWER", "1"))
QUIET = 0.05 + 0.5 / int(os.environ.get("FAIL_SPEED", "1"))


class Terminal:
    def __init__(self, argv, rows=24, columns=80, early=b"", mute=False):
        self.all, self.seen, self.mute = bytearray(), 0, mute
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ,
                        struct.pack("HHHH", rows, columns, 0, 0))
            time.sleep(0.02 if early else 0)
            os.execvp(argv[0], argv)
        if early:
            os.write(self.fd, early)

    def more(self, until):
        ready, _, _ = select.select([self.fd], [], [], max(0, until - time.time()))
        if not ready:
            return False
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        self.all += got
        # as a terminal does: what asks waits for it
        if not self.mute and b"\x1b[c" in self.all[-len(got) - 2:]:
            os.write(self.fd, b"\x1b[?62;22c")
        return got != b""

    def sees(self, text):
        text = text.encode()
        until, begun, at = time.time() + LIMIT, self.seen, self.seen
        while (found := self.all.find(text, at)) < 0:
            at = max(begun, len(self.all) - len(text))
            if not self.more(until):
                self.fail("never showed %r" % text)
        self.seen = found + len(text)
        return bytes(self.all[begun:self.seen])

    def type(self, text):
        os.write(self.fd, text.encode())

    def answer(self, text):
        until = time.time() + QUIET
        while time.time() < until:
            self.more(until)
        self.type(text)

    def end(self):
        until = time.time() + LIMIT
        while self.more(until):
            pass
        if time.time() >= until:
            self.fail("did not end")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    @contextlib.contextmanager
    def held(self):
        fd = os.open("/proc/%d/fd/0" % self.pid,
                     os.O_RDWR | os.O_NOCTTY)
        try:
            yield
        finally:
            until = time.time() + 0.05
            while self.more(until):
                until = time.time() + 0.05
            os.close(fd)

    def fail(self, why):
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        sys.exit("%s; the last it wrote: %r" % (why, bytes(self.all[-800:])))

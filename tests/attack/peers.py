"""peers - a command goes for the user's other processes, sockets and agents."""
import ctypes
import os
import resource
import socket
import struct
import time

import world
from rows import UNSANDBOXED, attack, family, inside

family("peers", "A command, other processes and the network")
libc = ctypes.CDLL(None, use_errno=True)
OLD = "kernels before 6.12 cannot keep signals in; later ones do"


def victim(name):
    return lambda w: w.facts.update({name: w.victim()})


def died(name):
    return lambda w: world.gone(w.facts[name]) and "gone"


@inside("S25", "ends another process by a signal", before=victim("v_kill"),
    after=died("v_kill"), open={"landlock": OLD})
def kill(w):
    os.kill(w.v_kill, 9)


@inside("S25", "ends another process by its limits (prlimit)",
    before=victim("v_limit"))
def limits(w):
    resource.prlimit(w.v_limit, resource.RLIMIT_NOFILE, (0, 0))
    return resource.prlimit(w.v_limit, resource.RLIMIT_NOFILE) == (0, 0)


@inside("S25", "takes its priority or processors", before=victim("v_nice"))
def priority(w):
    came = []
    for name, act in (("nice", lambda: os.setpriority(0, w.v_nice, 19)),
            ("affinity", lambda: os.sched_setaffinity(w.v_nice, {0})),
            ("policy", lambda: os.sched_setscheduler(w.v_nice,
                os.SCHED_IDLE, os.sched_param(0)))):
        try:
            act()
            came.append(name)
        except OSError:
            pass
    return " ".join(came)


@attack("S25", "takes the priority of all of the user's (PRIO_USER)",
    said={"none": UNSANDBOXED})
def priority_user(w):
    world.throwaway()
    with w.alone():
        pid = w.victim()
        was = os.getpriority(os.PRIO_PROCESS, pid)
        w.bash(f"""python3 -c '
import os
os.setpriority(os.PRIO_USER, 0, {was + 1})'""")
        return os.getpriority(os.PRIO_PROCESS, pid) != was


@inside("S25", "takes its place at the disk (ioprio_set)",
    before=victim("v_io"), after=lambda w: libc.syscall(252, 1, w.v_io) >> 13
        == 3)
def priority_disk(w):
    libc.syscall(251, 1, w.v_io, 3 << 13)


@inside("S25", "ends it by a descriptor's signal (F_SETOWN, F_SETSIG)",
    before=victim("v_own"), after=died("v_own"), open={"landlock": OLD})
def owner(w):
    import fcntl
    a, b = socket.socketpair()
    fcntl.fcntl(a, fcntl.F_SETOWN, w.v_own)
    fcntl.fcntl(a, 10, 9)       # F_SETSIG, SIGKILL
    fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    b.send(b"x")
    time.sleep(.05)


@inside("S25", "reads its command line", before=victim("v_cmd"),
    open={"landlock": "/proc cannot be taken away without a namespace"})
def command_line(w):
    with open(f"/proc/{w.v_cmd}/cmdline", "rb") as f:
        return f.read()


@inside("S25", "reads its environment, memory or descriptors",
    before=victim("v_proc"))
def proc(w):
    for name in ("environ", "mem", "maps", "fd/0", "root", "cwd"):
        path = f"/proc/{w.v_proc}/{name}"
        try:
            if name in ("fd/0", "root", "cwd"):
                return os.readlink(path) and name
            with open(path, "rb") as f:
                if name == "mem" or f.read(1):
                    return name
        except OSError:
            pass


@inside("S25", "attaches to it as a debugger", before=victim("v_trace"))
def ptrace(w):
    return libc.ptrace(16, w.v_trace, 0, 0) == 0 and "attached"


@inside("S25", "reads and writes its memory from afar (process_vm_readv)",
    before=victim("v_vm"))
def process_vm(w):
    buffer = ctypes.create_string_buffer(16)
    with open("/proc/self/maps") as f:
        start = int(f.readline().split("-")[0], 16)
    local = struct.pack("QQ", ctypes.addressof(buffer), 16)
    for addr in (start, 0x400000, 0x555555554000):
        ctypes.set_errno(0)
        libc.process_vm_readv(w.v_vm, local, 1, struct.pack("QQ", addr, 16),
            1, 0)
        if ctypes.get_errno() in (0, 14):   # EFAULT: only the address is wrong
            return "allowed"


def shared(w):
    w.facts["shm"] = libc.shmget(0, 4096, 0o1600)


def segment_gone(w):
    if libc.shmctl(w.shm, 2, ctypes.create_string_buffer(256)) != 0:
        return "removed"
    libc.shmctl(w.shm, 0, 0)


@inside("S25", "removes its shared memory (SysV)", before=shared,
    after=segment_gone)
def sysv(w):
    libc.shmctl(w.shm, 0, 0)


def queue(w):
    w.facts["queue"] = f"hamr-{os.getpid()}"
    fd = libc.syscall(240, w.queue.encode(), os.O_RDWR | os.O_CREAT, 0o600, 0)
    if fd < 0:
        raise world.Skip("no message queues")
    os.close(fd)


def queue_gone(w):
    if libc.syscall(241, w.queue.encode()) != 0:
        return "removed"


@inside("S25", "reads or removes its message queue (POSIX)", before=queue,
    after=queue_gone)
def message_queue(w):
    libc.syscall(241, w.queue.encode())
    return libc.syscall(240, w.queue.encode(), os.O_RDONLY, 0, 0) >= 0 and \
        "opened"


def session_terminal(w):
    leader, follower = os.openpty()
    w.facts["pts"] = os.ttyname(follower)
    w.facts["leader"] = leader
    os.write(leader, b"password\n")
    w.children += [os.fdopen(leader, "wb", 0), os.fdopen(follower, "rb", 0)]


@inside("S25", "reads what is typed in another terminal",
    before=session_terminal)
def terminal(w):
    fd = os.open(w.pts, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    return os.read(fd, 99)


@inside("S25", "types into a terminal (TIOCSTI, TIOCLINUX)",
    control=lambda w: libc.ioctl(0, 0x5412, b"x") and "refused with another "
        "error than EPERM" if errno_of(0x5412) != 1 else "",
    everywhere=True)
def type_ahead(w):
    return [hex(r) for r in (0x5412, 0x541c) if errno_of(r) != 1] or ""


def errno_of(request):
    ctypes.set_errno(0)
    libc.ioctl(0, request, b"x")
    return ctypes.get_errno()


# ---- sockets

def listen(name, family=socket.AF_INET, address=("127.0.0.1", 0)):
    def before(w):
        at = address(w) if callable(address) else address
        s = w.listener(family, at)
        w.facts[name] = s.getsockname()[1] if family == socket.AF_INET else \
            at.decode("latin1") if isinstance(at, bytes) else at
        w.facts[name + "_listener"] = s.fileno()
        w.peers = getattr(w, "peers", {})
        w.peers[name] = s
    return before


def heard(name):
    return lambda w: world.connected(w.peers[name])


@inside("S15", "connects to a server of this machine", before=listen("port"),
    after=heard("port"),
    everywhere=True)
def tcp(w):
    socket.create_connection(("127.0.0.1", w.port), 1).sendall(b"key")


def datagrams(w):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 0))
    s.setblocking(False)
    w.facts["udp_port"] = s.getsockname()[1]
    w.udp = s
    w.children.append(s)


def datagram(w):
    try:
        return w.udp.recv(99).decode()
    except OSError:
        return ""


@inside("S15", "sends a datagram, as a name look-up would", before=datagrams,
    after=datagram,
    everywhere=True)
def udp(w):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"key",
        ("127.0.0.1", w.udp_port))


def agent(name, path):
    """A stand-in for an agent: a socket where it would listen."""
    def address(w):
        at = os.path.join(w.dir, path)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        return at
    return dict(before=listen(name, socket.AF_UNIX, address),
        after=heard(name))


def ask(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(1)
    s.connect(path)
    s.sendall(b"sign this")


@inside("S15", "asks the ssh agent ($SSH_AUTH_SOCK) for a signature",
    **agent("ssh", "tmp/ssh-x/agent.1"),
    everywhere=True)
def ssh_agent(w):
    ask(w.ssh)


@inside("S15", "asks the gpg agent (~/.gnupg)",
    **agent("gpg", "home/.gnupg/S.gpg-agent"),
    everywhere=True)
def gpg_agent(w):
    ask(w.gpg)


@inside("S15", "asks the session bus (D-Bus) to start a program",
    **agent("bus", "out/bus"),
    everywhere=True)
def session_bus(w):
    ask(w.bus)


@inside("S15", "asks docker for a container (a socket of the user's)",
    **agent("docker", "home/.docker/run/docker.sock"),
    everywhere=True)
def docker(w):
    ask(w.docker)


@inside("S15", "asks the system: D-Bus, systemd, docker, in /run",
    layers=("bubblewrap", "landlock"), control=lambda w: any(
    os.path.exists(p) for p in SYSTEM) and "sockets are there" or
    skip("no such sockets on this machine"))
def system_sockets(w):
    came = []
    for path in SYSTEM:
        try:
            ask(path)
            came.append(path)
        except OSError:
            pass
    return " ".join(came)


SYSTEM = ("/run/dbus/system_bus_socket", "/run/systemd/private",
    "/run/docker.sock", "/var/run/docker.sock", "/run/containerd/"
    "containerd.sock", "/run/user/0/bus", "/run/systemd/notify",
    "/dev/log", "/run/uuidd/request", "/run/nscd/socket")


def skip(why):
    raise world.Skip(why)


@inside("S15", "connects to an abstract socket", before=listen("abstract",
    socket.AF_UNIX, lambda w: b"\0hamr-%d" % os.getpid()),
    after=heard("abstract"),
    everywhere=True)
def abstract(w):
    ask(w.abstract.encode("latin1"))


@inside("S15", "sends to a socket outside from one end of a socketpair",
    before=lambda w: unix_datagrams(w), after=lambda w: datagram_of(w),
    everywhere=True)
def pair(w):
    """One of datagrams takes an address, like any socket."""
    a, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    a.sendto(b"key", w.dgram)


def unix_datagrams(w):
    w.facts["dgram"] = w.out + "/dgram"
    w.dgrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    w.dgrams.bind(w.facts["dgram"])
    w.dgrams.setblocking(False)
    w.children.append(w.dgrams)


def datagram_of(w):
    try:
        return w.dgrams.recv(99).decode()
    except OSError:
        return ""


# ---- what the kernel offers

@inside("S2", "has capabilities, or can gain privileges",
    everywhere=True)
def privileges(w):
    with open("/proc/self/status") as f:
        status = dict(line.split(":\t", 1) for line in f if ":\t" in line)
    return [k for k in ("CapEff", "CapPrm", "CapBnd") if int(status[k], 16)
        and k != "CapBnd"] or ("NoNewPrivs" if status["NoNewPrivs"].strip()
        == "0" else "")


CALLS = {"userfaultfd": 323, "io_uring_setup": 425, "bpf": 321,
    "perf_event_open": 298, "keyctl": 250, "add_key": 248, "unshare": 272,
    "mount": 165, "pivot_root": 155, "setns": 308, "open_tree": 428,
    "mount_setattr": 442, "fsopen": 430, "init_module": 175,
    "kexec_load": 246, "move_mount": 429}


@inside("S2", "makes a system call that has no business there (io_uring, "
    "userfaultfd, bpf, keyctl, mount, unshare)",
    everywhere=True)
def calls(w):
    came = []
    if os.uname().machine != "x86_64":
        return ""
    for name, number in CALLS.items():
        ctypes.set_errno(0)
        libc.syscall(number, 0, 0, 0, 0, 0)
        if ctypes.get_errno() != 1:
            came.append(name)
    return " ".join(came)


def in_a_child(function):
    """What function gives in a process of its own, which may well die."""
    def run(w):
        back, out = os.pipe()
        if os.fork() == 0:
            try:
                os.write(out, str(function(w) or "").encode())
            finally:
                os._exit(0)
        os.close(out)
        os.wait()
        with os.fdopen(back) as f:
            return f.read() or skip("no such calls on this machine")
    return run


@inside("S2", "makes it in the 32-bit way (int 0x80)",
    control=lambda w: in_a_child(compat)(w),
    everywhere=True)
def compat(w):
    """A call of another architecture ends the process."""
    import mmap
    if os.uname().machine != "x86_64":
        return ""
    # mov $310, %eax (unshare); mov $0x10000000, %ebx (CLONE_NEWUSER);
    # int $0x80; ret
    code = b"\xb8\x36\x01\x00\x00\xbb\x00\x00\x00\x10\xcd\x80\xc3"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE |
        mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)() == 0 and "unshared"


HIGH = 1 << 32      # the kernel reads 32 bits of these arguments


@inside("S2", "sets bits that the kernel does not read, to pass the filter",
    everywhere=True, before=lambda w: None)
def high_bits(w):
    """As CVE-2019-10063 did: TIOCSTI, and sockets and pairs of AF_UNIX."""
    long = ctypes.c_ulong
    came = []
    for name, call in (("ioctl", (16, long(0), long(HIGH | 0x5412), b"x")),
            ("socket", (41, long(HIGH | 1), long(1), long(0))),
            ("socketpair", (53, long(HIGH | 1), long(HIGH | 2), long(0),
                ctypes.create_string_buffer(8))),
            ("socketpair raw", (53, long(1), long(3), long(0),
                ctypes.create_string_buffer(8)))):
        ctypes.set_errno(0)
        if os.uname().machine == "x86_64" and (libc.syscall(*call) >= 0 or
                ctypes.get_errno() not in (1, 13)):
            came.append(name)
    return ", ".join(came)


@inside("S2", "makes a user namespace by clone or clone3", everywhere=True,
    control=lambda w: w.run("unshare", "-U", "true").status == 0 or
    skip("no user namespaces for users here"))
def namespaces(w):
    if os.uname().machine != "x86_64":
        return ""
    flags = 0x10000000          # CLONE_NEWUSER
    args = struct.pack("11Q", flags, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)
    for call in ((56, flags | 17, 0, 0, 0, 0), (435, args, 88)):
        pid = libc.syscall(*call)
        if pid == 0:
            os._exit(0)
        if pid > 0:
            os.waitpid(pid, 0)
            return "clone" if call[0] == 56 else "clone3"


@inside("S19", "gets at its supervisor: memory, descriptors, a debugger",
    layers=("bubblewrap", "landlock"), control=lambda w: proc_of(
    w.victim()))
def supervisor(w):
    came = []
    for pid in {1, os.getppid(), int(open(f"/proc/{os.getppid()}/stat").read()
            .rsplit(")", 1)[1].split()[1])} - {0, os.getpid()}:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            name = f.read().split(b"\0")[0]
        if b"python" in name or b"bash" in name:
            continue            # its own
        got = proc_of(pid)
        if got:
            came.append(f"{name.decode()} {pid}: {got}")
    return came


def proc_of(pid):
    """What can be got of a process."""
    came = []
    for name in ("mem", "environ", "fd/0", "fd/1", "maps"):
        try:
            with open(f"/proc/{pid}/{name}", "rb") as f:
                came.append(name)
        except OSError:
            pass
    try:
        fd = os.pidfd_open(pid)
        if libc.syscall(438, fd, 0, 0) >= 0:
            came.append("pidfd_getfd")
    except OSError:
        pass
    if libc.ptrace(0x4206, pid, 0, 0) == 0:
        libc.ptrace(17, pid, 0, 0)
        came.append("ptrace")
    return " ".join(came)


@inside("S2", "opens sockets of odd families (packet, vsock, alg, netlink)",
    everywhere=True)
def families(w):
    came = []
    for name, number in (("vsock", 40), ("alg", 38), ("packet", 17)):
        try:
            socket.socket(number, socket.SOCK_RAW if number == 17 else
                socket.SOCK_SEQPACKET if number == 38 else
                socket.SOCK_STREAM)
            came.append(name)
        except PermissionError:
            pass
        except OSError:
            came.append(name + "?")
    return " ".join(came)


@inside("S2", "runs a program that is in no file (memfd), past the rules",
    after=lambda w: w.get("out/memfd"))
def memfd(w):
    fd = os.memfd_create("x", 0)
    os.write(fd, b"#!/bin/sh\necho bad >" + w.out.encode() + b"/memfd\n")
    if os.fork() == 0:
        os.execve(f"/proc/self/fd/{fd}", ["x"], {"PATH": "/usr/bin:/bin"})
    os.wait()


@inside("S2", "turns a knob of the kernel's (core_pattern, sysrq, cgroup)",
    users=("root",), layers=("bubblewrap", "landlock"),
    control=lambda w: as_root_here(lambda: knobs(w)))
def knobs(w):
    """Opened only: writing would be felt."""
    came = []
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger",
            "/sys/fs/cgroup/cgroup.procs",
            "/sys/fs/cgroup/pids/cgroup.procs"):
        try:
            os.close(os.open(path, os.O_WRONLY))
            came.append(path)
        except OSError:
            pass
    return " ".join(came)


def as_root_here(function):
    import layers
    if not layers.can_be_root():
        raise world.Skip("not root")
    with layers.as_root():
        return function()


@inside("P9", "finds descriptors of hamr's still open",
    control=lambda w: w.listener() and descriptors(w),
    everywhere=True)
def descriptors(w):
    return [n for n in os.listdir("/proc/self/fd") if int(n) > 3 and
        os.path.exists(f"/proc/self/fd/{n}") and
        "facts" not in os.readlink(f"/proc/self/fd/{n}")] or ""

"""layers - who attacks, and what protects: the one place that forces both.

A layer is what is left of the sandbox on a machine.  A worker process enters
it and stays: whatever it starts lives in it.

    bubblewrap  all there is
    landlock    Landlock alone: a PATH without bwrap
    none        neither: Landlock's first system call is answered ENOSYS, too
    any         attacks that have nothing to do with the sandbox

A user is `root` or `user`.  Root becomes `user` by setresuid and keeps itself
as the saved id, so that a worker can play a neighbour (as_root); programs that
it starts cannot get back.  ATTACK_USER and ATTACK_NEIGHBOUR name accounts to
be used; otherwise they are nobody and a number that nobody has.
"""
import contextlib
import ctypes
import glob
import os
import platform
import pwd
import struct

ALL = ("bubblewrap", "landlock", "none")
ANY = ("any",)
AUDIT = {"x86_64": 0xc000003e, "aarch64": 0xc00000b7}
LANDLOCK_CREATE_RULESET = 444


def contexts():
    """Every (layer, user) to be run here.  Root without any protection is
    left out: that would be the machine's end, not a test."""
    user = [(layer, "user") for layer in ALL + ANY]
    if os.getuid() != 0:
        return user
    return user + [(layer, "root") for layer in ALL + ANY if layer != "none"]


def _account(variable, fallback):
    name = os.environ.get(variable)
    return (pwd.getpwnam(name).pw_uid, pwd.getpwnam(name).pw_gid) if name \
        else (fallback, fallback)


def ids(user):
    """(uid, gid) of root, user or neighbour; None where it cannot be had."""
    if os.getuid() != 0 and os.getresuid()[2] != 0:
        return None if user != "user" else (os.getuid(), os.getgid())
    return {"root": lambda: (0, 0),
        "user": lambda: _account("ATTACK_USER", 65534),
        "neighbour": lambda: _account("ATTACK_NEIGHBOUR", 65533)}[user]()


def without_bwrap(place):
    """A folder for PATH that has every program but bwrap."""
    folder = os.path.join(place, "nobwrap")
    os.mkdir(folder)
    for path in glob.glob("/usr/local/bin/*") + glob.glob("/usr/bin/*") + \
            glob.glob("/bin/*"):
        name = os.path.join(folder, os.path.basename(path))
        if os.path.basename(path) != "bwrap" and not os.path.lexists(name):
            os.symlink(path, name)
    return folder


def without_landlock():
    """No process below this one can make a Landlock ruleset any more."""
    def bpf(code, jt, jf, k):
        return struct.pack("HBBI", code, jt, jf, k)
    program = ctypes.create_string_buffer(
        bpf(0x20, 0, 0, 4) + bpf(0x15, 0, 3, AUDIT[platform.machine()]) +
        bpf(0x20, 0, 0, 0) + bpf(0x15, 0, 1, LANDLOCK_CREATE_RULESET) +
        bpf(0x06, 0, 0, 0x00050000 | 38) + bpf(0x06, 0, 0, 0x7fff0000))
    header = ctypes.create_string_buffer(
        struct.pack("HxxxxxxP", 6, ctypes.addressof(program)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, header, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def enter(layer, user, place):
    """Become user in layer, for good; the PATH for its programs."""
    path = "/usr/local/bin:/usr/bin:/bin"
    if layer in ("landlock", "none"):
        path = os.path.join(place, "nobwrap")
    if layer == "none":
        without_landlock()
    if os.getuid() == 0 and user != "root":
        uid, gid = ids(user)
        os.setgroups([])
        os.setresgid(gid, gid, 0)
        os.setresuid(uid, uid, 0)
    return os.path.join(place, "bin") + ":" + path


def can_be_root():
    return os.getresuid()[2] == 0


@contextlib.contextmanager
def as_root():
    """Within a worker of root's: root for a moment."""
    uid = os.geteuid()
    os.seteuid(0)
    try:
        yield
    finally:
        os.seteuid(uid)

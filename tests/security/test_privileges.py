"""Privileges and the kernel's surface: no way up, and few doors to knock at."""

import os
import platform
import resource
import shutil

import pytest

from .bare import IN_OWN_MOUNTS
from .counterparts import ledger, works_where_it_may


def fields_of(status: str) -> dict[str, str]:
    return dict(line.split(":\t") for line in status.splitlines() if ":\t" in line)


def test_cannot_have_a_capability(cell):
    fields = fields_of(cell.prints("print(subprocess.run(['cat', '/proc/self/status'], "
                                   "capture_output=True, text=True).stdout)"))
    with open("/proc/self/status") as own:
        works_where_it_may(int(fields_of(own.read())["CapBnd"], 16))
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", *({"CapAmb"} & fields.keys())):
        assert int(fields[name], 16) == 0, name
    assert cell.prints("print(libc.prctl(39, 0, 0, 0, 0))") == "1"  # PR_GET_NO_NEW_PRIVS
    assert fields["Seccomp"] == "2"


def test_cannot_get_capabilities_back_by_becoming_root(user, cell):
    """The secure bits say so, and cannot be changed. SECBIT_ 0x01 NOROOT, 0x04 NO_SETUID_FIXUP,
    0x20 KEEP_CAPS_LOCKED, 0x40 NO_CAP_AMBIENT_RAISE, and the locks of all of them."""
    attempt = """
    if libc.prctl(27, 0, 0, 0, 0) == 0xef:
        raise OSError(errno.EPERM, "no way back")
    """
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt) == "STOPPED EPERM"


def test_cannot_leave_a_core_dump(cell):
    """Of more than a byte: with 0 the kernel would still start a program outside for it."""
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    expected = 1 if most == resource.RLIM_INFINITY else min(1, most)
    works_where_it_may(resource.getrlimit(resource.RLIMIT_CORE)[1] != expected)
    limits = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE))"
    assert cell.prints(limits) == str((expected, expected))


def test_cannot_outlive_programs_outside_when_memory_ends(cell):
    """The kernel ends a sandbox first."""
    with open("/proc/self/oom_score_adj") as own:
        works_where_it_may(int(own.read()) < 500)
    assert int(cell.prints("print(open('/proc/self/oom_score_adj').read())")) >= 500


def test_cannot_be_root_outside(user, cell, zygote):
    works_where_it_may("0 0" not in user.runs("print(os.getuid(), os.getgid())") or user.uid is None)
    assert cell.prints("print(os.getuid(), os.getgid())") == "1000 1000"
    mapped = cell.prints("print(open('/proc/self/uid_map').read())").split()
    assert mapped[0] == "1000" and mapped[2] == "1"
    if zygote.is_root:
        with open(f"/proc/{cell.sandbox.pid}/status") as file:
            uids = next(line for line in file if line.startswith("Uid:")).split()[1:]
        assert min(map(int, uids)) >= 1879100000


def test_cannot_gain_from_a_set_user_id_program(user, cell):
    """Debian's, and one that root has left in the workspace."""
    assert cell.prints("""
done = subprocess.run(["/bin/su", "-c", "id -u"], capture_output=True, text=True,
                      stdin=subprocess.DEVNULL)
print(done.returncode != 0, repr(done.stdout))
""") == "True ''"
    program = user.workspace / "who-am-i"
    shutil.copy("/usr/bin/id", program)
    program.chmod(0o4755)
    attempt = """
    who = subprocess.run("./who-am-i", capture_output=True, text=True).stdout
    if "euid=0" not in who and "uid=0(" not in who:
        raise OSError(errno.EPERM, who)
    """
    try:
        assert os.getuid() or "REACHED" in user.runs(attempt)
        # gVisor's 0 is the one who has started it.
        assert user.is_under_runsc or cell.runs(attempt) == "STOPPED EPERM"
    finally:
        program.unlink()


def test_cannot_make_a_namespace(user, cell):
    attempt = """
    pid = os.fork()
    if pid == 0:
        try:
            call("unshare", flag)
        except OSError as error:
            os._exit(error.errno)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(code, "unshare")
    """
    assert "REACHED" in user.runs(attempt, flag=0x10000000)
    for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x8000000, 0x4000000, 0x2000000):
        assert cell.runs(attempt, flag=flag) == "STOPPED EPERM", hex(flag)


def test_cannot_make_a_namespace_while_forking(cell, filter_alone):
    clone = """
    if call("clone", flag | 17, 0, 0, 0, 0) == 0:
        os._exit(0)
    """
    for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x8000000, 0x4000000, 0x2000000):
        filter_alone.stops(clone, flag=flag)
        assert cell.runs(clone, flag=flag) == "STOPPED EPERM"
    clone3 = """
    if call("clone3", bytes(88), 88) == 0:
        os._exit(0)
    """
    filter_alone.stops(clone3, "STOPPED ENOSYS")
    assert cell.runs(clone3) == "STOPPED ENOSYS"


def test_cannot_enter_a_namespace(cell, bare):
    attempt = 'call("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0)'
    bare.reaches(attempt)
    assert cell.runs(attempt) == "STOPPED EPERM"


FORBIDDEN = [
    "acct", "add_key", "bpf", "chroot", "finit_module", "init_module", "io_uring_setup", "iopl",
    "kcmp", "kexec_file_load", "keyctl", "memfd_create", "modify_ldt", "mount",
    "name_to_handle_at", "open_by_handle_at", "perf_event_open", "pidfd_getfd", "pivot_root",
    "process_vm_readv", "ptrace", "quotactl", "reboot", "seccomp", "setns", "settimeofday",
    "swapon", "syslog", "umount2", "unshare", "userfaultfd", "vmsplice",
]


# Of those that would do something by noughts alone.
ARGUMENTS = {"acct": (b"/nonexistent",), "seccomp": (2, 0, 0)}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_cannot_call(cell, filter_alone, name):
    """It is the filter that says no, and not the want of a privilege: with all of them it still does."""
    if platform.machine() != "x86_64" and name in ("iopl", "modify_ldt"):
        pytest.skip(f"{name} is of x86 alone")
    arguments = ARGUMENTS.get(name, (0,) * 5)
    attempt = "call(name, *arguments)"
    filter_alone.stops(attempt, name=name, arguments=arguments)
    assert cell.runs(attempt, name=name, arguments=arguments) == "STOPPED EPERM"


def test_cannot_take_another_personality(cell):
    attempt = 'call("personality", wanted)'
    assert cell.runs(attempt, wanted=0x0040000) == "STOPPED EPERM"
    # gVisor knows none at all.
    assert cell.runs(attempt, wanted=0) in ("REACHED", "STOPPED EINVAL")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="i386 calls are of x86 alone")
def test_cannot_make_calls_of_another_architecture(user, cell):
    """By int 0x80 with i386 numbers: 20 is getpid there, writev on x86_64. Where the kernel has none
    of them a program ends otherwise."""
    attempt = """
import mmap
program = '''
import ctypes, mmap
code = bytes([0x53, 0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0x5b, 0xc3])
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                 prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(code)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("survived", ctypes.CFUNCTYPE(ctypes.c_int)(address)())
'''
done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
print(done.returncode, repr(done.stdout))
"""
    works_where_it_may("-31 ''" not in user.runs(attempt))
    assert cell.prints(attempt) == "-31 ''"  # SIGSYS


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 calls are of x86 alone")
def test_cannot_make_x32_calls(cell):
    attempt = """
    if libc.syscall(ctypes.c_long(0x40000000 | 39)) < 0:
        raise OSError(ctypes.get_errno(), "getpid")
    """
    assert cell.runs(attempt) == "STOPPED ENOSYS"


def test_cannot_type_into_a_terminal(cell, filter_alone):
    attempt = """
    import fcntl, pty
    leader, follower = os.openpty()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(follower, 0x540E, 0)   # TIOCSCTTY: make it ours, so that it may be typed into
        code = 0
        try:
            call_ioctl(follower, request, b"x")
        except OSError as error:
            code = error.errno
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise OSError(code, "TIOCSTI")
    """
    helper = """
    def call_ioctl(fd, request, text):
        number = {"x86_64": 16, "aarch64": 29}[platform.machine()]
        if libc.syscall(ctypes.c_long(number), ctypes.c_long(fd), ctypes.c_long(request),
                        text) < 0:
            raise OSError(ctypes.get_errno(), "ioctl")
"""
    for request in (0x5412, 0x5412 | 1 << 32, 0x541C, 0x541C | 1 << 40):
        filter_alone.stops(helper + attempt, request=request)
        assert cell.runs(helper + attempt, request=request) == "STOPPED EPERM", hex(request)


def test_cannot_write_where_only_landlock_stands(spawn):
    """With seccomp waived and no mounts in the way: the second wall holds alone."""
    for attempt in ('os.mkfifo("here")', 'os.symlink("data.csv", "here")',
                    'socket.socket(socket.AF_UNIX).bind("here")'):
        attempt += '\nos.unlink("here")'
        assert spawn(waive=["seccomp"]).runs(attempt) == "STOPPED EACCES"
        assert spawn(waive=["landlock"]).runs(attempt) == "REACHED"


def test_cannot_use_namespaces_where_only_capabilities_are_missing(spawn, bare):
    """With seccomp waived: mounting still needs what no process here has."""
    attempt = 'call("mount", b"none", b"/tmp", b"tmpfs", 0, 0)'
    bare.reaches(IN_OWN_MOUNTS + attempt)
    ledger.reached.add(attempt)
    assert spawn(waive=["seccomp"]).runs(attempt) == "STOPPED EPERM"


# --- arguments of calls that are allowed ------------------------------------------------------
LEASE = """
fd = os.open("data.csv", os.O_RDONLY)
fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
"""


def test_cannot_lease_a_file(user, cell):
    """Whoever opens a leased file for writing waits for the lease to be broken: a server that saves
    the notebook hangs."""
    attempt = "import fcntl" + LEASE
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt).startswith("STOPPED")


def test_cannot_leave_a_whiteout(user, cell):
    attempt = """
    Path("/tmp/whited").touch()
    number = {"x86_64": 316, "aarch64": 276}[platform.machine()]
    if libc.syscall(number, -100, b"/tmp/whited", -100, b"/tmp/moved", flag) < 0:
        raise OSError(ctypes.get_errno(), "renameat2")
    """
    assert cell.runs(attempt, flag=4) in ("STOPPED EPERM", "STOPPED EINVAL")  # gVisor has none
    assert cell.runs(attempt, flag=0) == "REACHED"


def test_cannot_give_a_terminal_another_line_discipline(user, cell):
    """Behind each number there is a driver of the Linux kernel that is loaded on demand."""
    attempt = """
    import fcntl, pty
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, 0x5423, struct.pack("i", 0))
    """
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt).startswith("STOPPED")
    assert cell.runs(attempt.replace('0x5423, struct.pack("i", 0)', '0x5413, bytes(8)')) == "REACHED"


def test_cannot_attach_a_program_to_a_socket(user, cell):
    attempt = """
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        program = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0xffffffff))
        s.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HxxxxxxP", 1, ctypes.addressof(program)))
    """
    assert "REACHED" in user.runs(attempt)
    assert cell.runs(attempt).startswith("STOPPED")


@pytest.mark.parametrize("kind, protocol", [("SOCK_STREAM", 262), ("SOCK_DGRAM", 1), ("SOCK_STREAM", 132)],
                         ids=["mptcp", "icmp", "sctp"])
def test_cannot_open_a_socket_of_another_protocol(cell, filter_alone, kind, protocol):
    attempt = "socket.socket(socket.AF_INET, getattr(socket, kind), protocol).close()"
    filter_alone.stops(attempt, kind=kind, protocol=protocol)
    assert cell.runs(attempt, kind=kind, protocol=protocol).startswith("STOPPED")
    assert cell.runs(attempt, kind="SOCK_STREAM", protocol=6) == "REACHED"


def test_cannot_use_prctl_beyond_a_list(user, cell):
    attempt = """
    if libc.prctl(option, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "prctl")
    """
    pr_set_timing, pr_task_perf_events_disable = 14, 31
    for option in (pr_set_timing, pr_task_perf_events_disable):
        assert "REACHED" in user.runs(attempt, option=option)
        assert cell.runs(attempt, option=option).startswith("STOPPED")

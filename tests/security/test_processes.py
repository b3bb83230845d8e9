"""Processes: none outside is seen or reached, and none inside outlives its sandbox."""

import os
import time
from contextlib import contextmanager

import pytest

from support import processes
from support.zygote_client import PATIENCE

from .conftest import SECRET


def test_cannot_see_a_process_outside(user, cell):
    attempt = "os.stat(f'/proc/{pid}/status')"
    assert "REACHED" in user.runs(attempt, pid=os.getpid())
    pids = cell.prints("print(*[p for p in os.listdir('/proc') if p.isdigit()])").split()
    assert len(pids) == 2 and "1" in pids
    assert cell.runs(attempt, pid=os.getpid()) == "STOPPED ENOENT"


@contextmanager
def running(user):
    """A process of the user's."""
    child = os.fork()
    if child == 0:
        if user.uid is not None:
            os.setresuid(user.uid, user.uid, user.uid)
        time.sleep(PATIENCE)
        os._exit(0)
    try:
        wait_for_uid(child, user.uid)
        yield child
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def test_cannot_signal_a_process_outside(user, cell):
    with running(user) as child:
        assert "REACHED" in user.runs("os.kill(pid, 0)", pid=child)
        assert cell.runs("os.kill(pid, 0)", pid=child) == "STOPPED ESRCH"


def test_cannot_signal_every_process_of_the_users(user, cell):
    with running(user) as child:
        cell.prints("signal.signal(signal.SIGTERM, signal.SIG_IGN)")
        cell.runs("os.kill(-1, signal.SIGTERM)")
        assert os.waitpid(child, os.WNOHANG) == (0, 0)


def wait_for_uid(pid, uid):
    while uid is not None and os.stat(f"/proc/{pid}").st_uid != uid:
        os.sched_yield()


def test_cannot_end_process_1(cell):
    cell.runs("""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGSEGV, signal.SIGSTOP, signal.SIGKILL):
        os.kill(1, number)
    """)
    assert "cellpod-init" in cell.prints("print(open('/proc/1/comm').read())")


def test_cannot_read_process_1(cell):
    for name in ("mem", "environ", "fd/3", "maps", "root/etc", "cwd/x"):
        assert cell.runs("open(path, 'rb').read(1)", path=f"/proc/1/{name}") == "STOPPED EACCES"
    attempt = """
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("PN", ctypes.addressof(buffer), 8)
    call("process_vm_readv", 1, vector, 1, vector, 1, 0)
    """
    assert cell.runs(attempt) == "STOPPED EPERM"


def test_cannot_take_process_1s_socket(cell):
    attempt = 'call("pidfd_getfd", os.pidfd_open(1), 3, 0)'
    assert cell.runs(attempt) in ("STOPPED EPERM", "STOPPED ENOSYS")


def test_cannot_trace_a_process(cell):
    assert cell.runs('call("ptrace", 16, 1, 0, 0)') == "STOPPED EPERM"


def test_cannot_find_an_inherited_descriptor(spawn):
    """One channel to sandboxd, and what Python opened itself."""
    seen = spawn().prints("""
for name in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink(f"/proc/self/fd/{name}")
    except OSError:
        continue
    if target.startswith("socket:"):
        try:
            peer = socket.socket(fileno=os.dup(int(name)))
        except OSError:
            continue
        print(peer.type.name)
    elif not target.startswith(("pipe:", "anon_inode:", "/dev/null", "/proc", "/home/sandbox")):
        print(target)
""").split()
    assert set(seen) == {"SOCK_STREAM"}, seen


def test_cannot_find_the_servers_environment(user, cell):
    """Not in os.environ, nor where the kernel keeps what a program was started with."""
    assert cell.prints("print([k for k in os.environ if 'SECRET' in k])") == "[]"
    found = cell.prints(f"""
found = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline"):
        try:
            if b{SECRET!r} in Path(f"/proc/{{pid}}/{{name}}").read_bytes():
                found.append((pid, name))
        except PermissionError:
            pass
print(found)
""")
    assert found == "[]"


def test_cannot_outlive_the_worker(spawn):
    cell = spawn()
    count = "print(sum(p.isdigit() for p in os.listdir('/proc')))"
    before = cell.prints(count)
    cell.prints("""
child = subprocess.Popen(["/bin/sh", "-c", "trap '' TERM INT HUP; sleep 1000"],
                         start_new_session=True)
""")
    assert int(cell.prints(count)) > int(before)
    with pytest.raises(EOFError):
        cell.run("os._exit(7)")
    cell.renew()
    assert cell.prints(count) == before


def test_cannot_outlive_the_sandbox(user, spawn):
    """When sandboxd is gone everything ends, whatever it does against it."""
    cell = spawn()
    cell.prints("""
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        while True:
            time.sleep(1)
""")
    worker, init = cell.sandbox.worker_pidfd, cell.sandbox.pidfd
    cell.sandbox.init.close()
    for pidfd in (init, worker):
        assert processes.has_ended(pidfd, PATIENCE), "still running"


def test_cannot_make_more_processes_than_allowed(spawn):
    limits = {"memory_mb": None, "pids": 40, "nofile": 256, "tmp_mb": 16, "is_metered": False}
    cell = spawn(limits=limits)
    attempt = """
    children = []
    try:
        while len(children) < 200:
            pid = os.fork()
            if pid == 0:
                signal.pause()
            children.append(pid)
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        print(len(children))
    """
    made, answer = cell.runs(attempt).split("\n")
    assert answer == "STOPPED EAGAIN"
    assert 20 <= int(made) < 40
    assert spawn(limits=limits).prints("print(subprocess.run('true').returncode)") == "0"


def test_cannot_open_more_files_than_allowed(cell):
    attempt = "files = [os.open('/dev/null', os.O_RDONLY) for _ in range(5000)]"
    assert cell.runs("try:\n    " + attempt + "\nfinally:\n    os.closerange(200, 5000)"
                     ) == "STOPPED EMFILE"


def test_cannot_raise_a_limit(cell):
    """resource.setrlimit says so with a ValueError."""
    outcome = cell.run("""
import resource
resource.setrlimit(resource.RLIMIT_NPROC, (100000, 100000))
""")
    assert "ValueError" in outcome.error


def test_cannot_meet_another_sandbox_in_its_files(spawn):
    first, second = spawn(), spawn()
    for folder in ("/tmp", "/dev/shm", "/home/sandbox", "/var/tmp"):
        first.prints(f"open('{folder}/left', 'w').write('x')")
        assert second.runs("os.stat(path)", path=f"{folder}/left") == "STOPPED ENOENT"

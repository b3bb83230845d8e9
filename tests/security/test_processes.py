"""Processes: none outside is seen or reached, and none inside outlives its sandbox."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import pytest

from support import processes
from support.zygote_client import LIMITS, PATIENCE

from .conftest import ORDINARY_UID, SECRET
from .counterparts import ledger, works_where_it_may


def test_cannot_see_a_process_outside(user, cell):
    attempt = "os.stat(f'/proc/{pid}/status')"
    assert "REACHED" in user.runs(attempt, pid=os.getpid())
    pids = cell.prints("print(*[p for p in os.listdir('/proc') if p.isdigit()])").split()
    assert len(pids) == 2 and "1" in pids
    assert cell.runs(attempt, pid=os.getpid()) == "STOPPED ENOENT"


@contextmanager
def running(uid):
    """A process of this user's."""
    child = os.fork()
    if child == 0:
        try:
            if uid is not None:
                os.setresuid(uid, uid, uid)
            time.sleep(PATIENCE)
        finally:
            os._exit(0)
    try:
        wait_for_uid(child, uid)
        yield child
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, 9)
            os.waitpid(child, 0)


def test_cannot_signal_a_process_outside(user, cell):
    with running(user.uid) as child:
        assert "REACHED" in user.runs("os.kill(pid, 0)", pid=child)
        assert cell.runs("os.kill(pid, 0)", pid=child) == "STOPPED ESRCH"


def test_cannot_signal_every_process_of_the_users(user, cell, bare):
    attempt = "os.kill(-1, signal.SIGTERM)"
    with running(user.uid) as child:
        cell.prints("signal.signal(signal.SIGTERM, signal.SIG_IGN)")
        assert cell.runs(attempt) == "STOPPED ESRCH"
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
    if os.getuid() != 0:
        return  # an ordinary user's would end the tests
    someone = ORDINARY_UID + 1  # so that it ends nothing but that child
    with running(someone) as child:
        bare.reaches(f"os.setresuid({someone}, {someone}, {someone}); " + attempt)
        works_where_it_may(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM)
        ledger.reached.add(attempt)


def wait_for_uid(pid, uid):
    while uid is not None and os.stat(f"/proc/{pid}").st_uid != uid:
        os.sched_yield()


def test_cannot_end_process_1(cell):
    attempt = """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGSEGV, signal.SIGSTOP, signal.SIGKILL):
        os.kill(pid, number)
    """
    cell.prints("child = os.fork() or signal.pause()")
    assert cell.runs(attempt, pid=int(cell.prints("print(child)"))) == "REACHED"
    works_where_it_may(int(cell.prints("print(-os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))")))
    cell.runs(attempt, pid=1)
    assert "cellpod-init" in cell.prints("print(open('/proc/1/comm').read())")


def test_cannot_read_process_1(cell, filter_alone):
    look = "open(path, 'rb').read(1)"
    assert cell.runs(look, path="/proc/self/maps") == "REACHED"
    for name in ("mem", "environ", "fd/3", "maps", "root/etc", "cwd/x"):
        assert cell.runs(look, path=f"/proc/1/{name}") == "STOPPED EACCES"
    attempt = """
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("PN", ctypes.addressof(buffer), 8)
    call("process_vm_readv", pid or os.getpid(), vector, 1, vector, 1, 0)
    """
    filter_alone.stops(attempt, pid=0)
    assert cell.runs(attempt, pid=1) == "STOPPED EPERM"


def test_cannot_take_process_1s_socket(user, cell):
    attempt = 'call("pidfd_getfd", os.pidfd_open(pid or os.getpid()), fd, 0)'
    assert "REACHED" in user.runs(attempt, pid=0, fd=1)
    assert cell.runs(attempt, pid=1, fd=3) in ("STOPPED EPERM", "STOPPED ENOSYS")


def test_cannot_trace_a_process(user, cell, bare):
    attempt = 'call("ptrace", 16, pid, 0, 0)'
    with running(user.uid) as child:
        bare.reaches(attempt, pid=child)
    assert cell.runs(attempt, pid=1) == "STOPPED EPERM"


DESCRIPTORS = """
import os, socket
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
"""


def test_cannot_find_an_inherited_descriptor(spawn):
    """One channel to sandboxd, and what Python opened itself."""
    with open(__file__) as file:
        outside = subprocess.run([sys.executable, "-c", DESCRIPTORS], pass_fds=[file.fileno()],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    works_where_it_may(__file__ in outside)
    assert set(spawn().prints(DESCRIPTORS).split()) == {"SOCK_STREAM"}


def test_cannot_find_the_servers_environment(user, cell):
    """Not in os.environ, nor where the kernel keeps what a program was started with."""
    assert cell.prints("print([k for k in os.environ if 'SECRET' in k])") == "[]"
    attempt = f"""
found = []
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline"):
        try:
            if b{SECRET!r} in Path(f"/proc/{{pid}}/{{name}}").read_bytes():
                found.append((pid, name))
        except OSError:
            pass
print(found)
"""
    env = {**os.environ, "CELLPOD_TEST_SECRET": SECRET}
    outside = subprocess.run([sys.executable, "-c", "import os; from pathlib import Path" + attempt],
                             env=env, capture_output=True, text=True, check=True).stdout
    works_where_it_may("environ" in outside)
    assert cell.prints(attempt) == "[]"


# Deaf to what is sent to it and to its group, and in a session of its own.
SURVIVOR = """
child = subprocess.Popen(["/bin/sh", "-c", "trap '' TERM INT HUP; sleep 1000"],
                         start_new_session=True, stdout=subprocess.DEVNULL)
"""


def outlives_a_program() -> bool:
    program = subprocess.run([sys.executable, "-c", f"import subprocess{SURVIVOR}print(child.pid)"],
                             stdout=subprocess.PIPE, text=True, check=True)
    child = int(program.stdout)
    os.kill(child, 0)
    os.killpg(child, signal.SIGKILL)
    return True


def test_cannot_outlive_the_worker(spawn):
    works_where_it_may(outlives_a_program())
    cell = spawn()
    count = "print(sum(p.isdigit() for p in os.listdir('/proc')))"
    before = cell.prints(count)
    cell.prints(SURVIVOR)
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
        while len(children) < 100:
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
    assert spawn().runs(attempt) == "100\nREACHED"
    assert spawn(limits=limits).prints("print(subprocess.run('true').returncode)") == "0"


def test_cannot_open_more_files_than_allowed(user, cell, spawn):
    attempt = """
    try:
        files = [os.open('/dev/null', os.O_RDONLY) for _ in range(more)]
    finally:
        os.closerange(200, 5200)
    """
    assert cell.runs(attempt, more=5000) == "STOPPED EMFILE"
    assert cell.runs(attempt, more=1000) == "REACHED"
    if user.chooses_walls:  # the limit is what stops it; more than 4096 an ordinary user may not give
        assert spawn(limits=LIMITS | {"nofile": 500}).runs(attempt, more=1000) == "STOPPED EMFILE"


def test_cannot_raise_a_limit(cell):
    """Python says so with a ValueError."""
    attempt = """
    import resource
    wanted = resource.getrlimit(resource.RLIMIT_NPROC)[1] + more
    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (wanted, wanted))
    except ValueError:
        raise OSError(errno.EPERM, "setrlimit")
    """
    assert cell.runs(attempt, more=0) == "REACHED"
    assert cell.runs(attempt, more=1) == "STOPPED EPERM"


def test_cannot_meet_another_sandbox_in_its_files(spawn):
    first, second = spawn(), spawn()
    for folder in ("/tmp", "/dev/shm", "/home/sandbox", "/var/tmp"):
        first.prints(f"open('{folder}/left', 'w').write('x')")
        assert first.runs("os.stat(path)", path=f"{folder}/left") == "REACHED"
        assert second.runs("os.stat(path)", path=f"{folder}/left") == "STOPPED ENOENT"

"""A sandbox without control groups cannot take more of the machine than half as much again as
its limit, in whatever way it holds memory. Each way is seen to take more where it may."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from support.client import START
from support.kernel import OrdinaryUser, connection_info, find_sandboxd
from support.lean_python import lean_python

pytestmark = pytest.mark.cellpod_only("other kernels limit nothing")

LIMIT_MB = 320
MOST_MB = LIMIT_MB * 3 // 2
ENOUGH_MB = MOST_MB + 48  # what each way takes where nothing stops it

# In processes of its own, which know no mercy: whatever is raised, they go on.
PRELUDE = f"""
import ctypes, mmap, multiprocessing, os, resource, signal, socket, sys, threading, time
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
ENOUGH = {ENOUGH_MB} << 20
BLOCK = b"x" * (1 << 20)
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
held = []

def divided(hoard, ways):
    "By so many processes, which stay."
    for _ in range(ways):
        done, tell = os.pipe()
        if os.fork() == 0:
            os.setsid()
            for fd in (1, 2):  # whoever reads them does not wait for us
                os.dup2(tell, fd)
            try:
                hoard(ENOUGH // ways)
            except BaseException as error:
                os.write(tell, repr(error)[:200].encode())
            os.write(tell, b".")
            for fd in (tell, 1, 2):
                os.close(fd)
            signal.pause()
        os.close(tell)
        held.append(done)
    for done in held:
        print(os.read(done, 300))
"""


# Which shares little with the worker, and so can have many processes.
IN_A_PROGRAM = """
done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True)
print(done.returncode, done.stdout, done.stderr)
"""


@dataclass(frozen=True)
class Way:
    code: str
    waive: str = ""  # without a layer; else with a limit that it does not reach
    is_outside: bool = False  # or without any wall: nobody can do without this one


WAYS = {
    "heap": Way("""
        def hoard(bytes):
            for _ in range(bytes >> 20):
                held.append(bytearray(BLOCK))
        divided(hoard, 2)
        """),
    "page tables": Way("""
        def hoard(bytes):
            size = 4 << 30
            for _ in range(bytes >> 23):
                area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000,
                                 prot=mmap.PROT_READ)
                area.madvise(mmap.MADV_NOHUGEPAGE)
                for at in range(0, size, 2 << 20):
                    area[at]
                held.append(area)
        divided(hoard, 2)
        """),
    "unix sockets": Way("""
        def hoard(bytes):
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
            for _ in range(bytes // (380 << 10)):
                pair = socket.socketpair()
                held.append(pair)
                for end in pair:
                    end.setblocking(False)
                    try:
                        while True:
                            end.send(BLOCK[:4096])
                    except BlockingIOError:
                        pass
        divided(hoard, 4)
        """),
    "unix sockets whose sender is gone": Way("""
        def hoard(bytes):
            resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
            for _ in range(bytes // (190 << 10)):
                one, other = socket.socketpair()
                one.setblocking(False)
                try:
                    while True:
                        one.send(b"x")
                except BlockingIOError:
                    pass
                one.close()
                held.append(other)
        divided(hoard, 4)
        """),
    "connections": Way("""
        def hoard(bytes):
            server = socket.create_server(("127.0.0.1", 0))
            for _ in range(bytes // (180 << 10)):
                one = socket.create_connection(server.getsockname())
                pair = (one, server.accept()[0])
                for end in pair:
                    end.setblocking(False)
                    try:
                        while True:
                            end.send(BLOCK[:65536])
                    except BlockingIOError:
                        pass
                held.append(pair)
        divided(hoard, 8)
        """),
    "pipes": Way("""
        def hoard(bytes):
            for _ in range(bytes // 9216):
                ends = os.pipe()
                held.append(ends)
                os.set_blocking(ends[1], False)
                try:
                    while os.write(ends[1], BLOCK[:4096]):
                        pass
                except BlockingIOError:
                    pass
        divided(hoard, 40)
        """),
    "pipes whose writer is gone": Way("""
        def hoard(bytes):
            for _ in range(bytes // 9216):
                reader, writer = os.pipe()
                os.set_blocking(writer, False)
                try:
                    while os.write(writer, BLOCK[:4096]):
                        pass
                except BlockingIOError:
                    pass
                os.close(writer)
                held.append(reader)
        divided(hoard, 30)
        """),
    "pipes that a thread has for itself": Way("""
        UNSHARE = 2
        filled = threading.Semaphore(0)
        def fill(bytes):
            if libc.syscall(436, 1 << 20, 1 << 20, UNSHARE):  # close_range
                os.write(2, b"refused ")
            try:
                for _ in range(bytes // 9216):
                    ends = os.pipe()
                    held.append(ends)
                    os.set_blocking(ends[1], False)
                    try:
                        while os.write(ends[1], BLOCK[:4096]):
                            pass
                    except BlockingIOError:
                        pass
            finally:
                filled.release()
                signal.pause()
        def hoard(bytes):
            for _ in range(8):
                threading.Thread(target=fill, args=(bytes // 8,)).start()
            for _ in range(8):
                filled.acquire()
        divided(hoard, 5)
        """, waive="seccomp"),
    "files in memory": Way("""
        def hoard(bytes):
            with open(f"/dev/shm/{os.getpid()}", "wb") as file:
                for _ in range(bytes >> 20):
                    file.write(BLOCK)
        divided(hoard, 2)
        """),
    "files without a name": Way("""
        def hoard(bytes):
            for _ in range(bytes >> 22):
                file = libc.memfd_create(b"", 0)
                if file < 0:
                    raise OSError("refused")
                for _ in range(4):
                    os.write(file, BLOCK)
                held.append(file)
        divided(hoard, 2)
        """, waive="seccomp"),
    "shared memory": Way("""
        def hoard(bytes):
            step = 8 << 20
            for _ in range(bytes // step):
                at = libc.mmap(None, ctypes.c_size_t(step), 3, 0x21, -1, ctypes.c_long(0))
                if at in (None, ctypes.c_void_p(-1).value):
                    raise OSError("refused")
                ctypes.memset(at, 1, step)
                libc.munmap(ctypes.c_void_p(at + 4096), ctypes.c_size_t(step - 4096))
        divided(hoard, 2)
        """, waive="seccomp"),
    "shared memory of /dev/zero": Way("""
        def hoard(bytes):
            step = 8 << 20
            for _ in range(bytes // step):
                file = os.open("/dev/zero", os.O_RDWR)
                at = libc.mmap(None, ctypes.c_size_t(step), 3, 0x01, file, ctypes.c_long(0))
                os.close(file)
                ctypes.memset(at, 1, step)
                libc.munmap(ctypes.c_void_p(at + 4096), ctypes.c_size_t(step - 4096))
        divided(hoard, 2)
        """, is_outside=True),
    "descriptions of mappings": Way("""
        libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
        def hoard(bytes):
            area = mmap.mmap(-1, 65000 << 12, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
            held.append(area)
            at = ctypes.addressof(ctypes.c_char.from_buffer(area))
            for page in range(0, 65000, 2):
                if libc.mprotect(at + (page << 12), 1 << 12, 1):
                    break
        divided(hoard, (ENOUGH >> 20) // 14)  # MB of each
        """),
    "many processes": Way("""
        def hoard(bytes):
            for _ in range(bytes >> 16):
                held.append(bytearray(BLOCK[:1 << 16]))
        divided(hoard, 190)
        """),
}


@pytest.fixture
def ordinary() -> Iterator[OrdinaryUser | None]:
    """To whom no control group is delegated."""
    user = OrdinaryUser() if os.getuid() == 0 else None
    yield user
    if user:
        user.close()


def available_mb() -> float:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("no MemAvailable")


class Available:
    """By how much what the machine has sinks, at the worst. It may rise at first, as others end."""

    def __init__(self) -> None:
        self.most, self.sunk = available_mb(), 0.0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.look)
        self.thread.start()

    def look(self) -> None:
        while not self.is_over.wait(0.002):
            now = available_mb()
            self.most = max(self.most, now)
            self.sunk = max(self.sunk, self.most - now)

    def enter(self, *pids: int) -> None:
        """Everybody counts."""

    def end(self) -> float:
        self.is_over.set()
        self.thread.join()
        return self.sunk


class Charged:
    """The same, but for what others on this machine do meanwhile: what Linux charges to a group
    that only counts. Nobody in it may use it."""

    COUNTERS = ("memory.max_usage_in_bytes", "memory.kmem.tcp.max_usage_in_bytes")

    def __init__(self, parent: Path) -> None:
        self.group = parent / f"hoard-{os.getpid()}"
        self.group.mkdir()
        # Connections count where they are limited.
        (self.group / "memory.kmem.tcp.limit_in_bytes").write_text(str(1 << 40))

    def enter(self, *pids: int) -> None:
        for pid in pids:
            with suppress(ProcessLookupError):
                (self.group / "cgroup.procs").write_text(str(pid))

    def end(self) -> float:
        return sum(int((self.group / name).read_text()) for name in self.COUNTERS) / (1 << 20)

    def close(self) -> None:
        for pid in (self.group / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                (self.group.parent / "cgroup.procs").write_text(pid)
        self.group.rmdir()


@pytest.fixture
def meter() -> Iterator[Available | Charged]:
    own = [line.split(":", 2)[2] for line in Path("/proc/self/cgroup").read_text().splitlines()
           if line.split(":")[1] == "memory"]
    parent = Path(f"/sys/fs/cgroup/memory{own[0]}") if own else None
    if os.getuid() or not parent or not parent.is_dir():
        yield Available()
        return
    charged = Charged(parent)
    yield charged
    charged.close()


def family_of(ordinary, start_kernel) -> list[psutil.Process]:
    daemon = (find_sandboxd(ordinary.runtime) if ordinary
              else start_kernel.laboratory.sandboxd())
    return [daemon, *daemon.children(recursive=True)]


def look_in_time(daemon: psutil.Process) -> None:
    """What is measured is the meter, not who else wants a processor: between two looks a sandbox
    can take as much as it likes. docs/isolation.md says so of machines that are busy. Where Linux
    groups by session, what counts is the group's."""
    with suppress(PermissionError, psutil.AccessDenied):
        daemon.nice(-19)
        Path(f"/proc/{daemon.pid}/autogroup").write_text("-19")


def hoard(start_kernel, ordinary, meter, way: Way, limit_mb: int, env: dict) -> float:
    flags = ("--memory-mb", str(limit_mb))
    own = {"CELLPOD_PYTHON": lean_python()} if ordinary else {}  # else the others' sandboxd is warm
    kernel = start_kernel.on(connection_info(), arguments=flags, user=ordinary, env=env | own)
    client = kernel.ready_client()
    client.run(f"import subprocess, sys; code = {PRELUDE + textwrap.dedent(way.code)!r}",
               timeout=START)
    family = family_of(ordinary, start_kernel)
    meter.enter(*(process.pid for process in family))
    look_in_time(family[0])
    cell = client.execute(IN_A_PROGRAM, timeout=START)
    print(cell.status, cell.stdout, cell.stderr, cell.content.get("evalue"))
    taken = meter.end()
    print(f"{taken:.0f} MB")
    return taken


@pytest.mark.parametrize("name", WAYS)
def test_a_sandbox_cannot_take_more_than_its_share(meter, ordinary, start_kernel, name):
    assert hoard(start_kernel, ordinary, meter, WAYS[name], LIMIT_MB, {}) < MOST_MB


def hoard_outside(ordinary, meter, way: Way) -> float:
    credentials = ordinary.credentials if ordinary else {}
    code = PRELUDE + textwrap.dedent(way.code)
    program = subprocess.Popen([sys.executable, "-S", "-c", f"input(); exec({code!r})\ninput()"],
                               text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               **credentials)
    meter.enter(program.pid)
    print("begin", file=program.stdin, flush=True)
    for _ in range(way.code.count("divided(hoard, 2)") * 2):
        print(program.stdout.readline())  # of each part, once it holds its share
    taken = meter.end()
    children = psutil.Process(program.pid).children()
    for child in children:
        child.kill()
    program.communicate("end\n")
    psutil.wait_procs(children)
    return taken


@pytest.mark.parametrize("name", WAYS)
def test_it_takes_more_where_it_may(meter, ordinary, start_kernel, name):
    way = WAYS[name]
    if way.is_outside:
        assert hoard_outside(ordinary, meter, way) > MOST_MB
        return
    limit, env = (LIMIT_MB, {"CELLPOD_WAIVE": way.waive}) if way.waive else (1 << 16, {})
    assert hoard(start_kernel, ordinary, meter, way, limit, env) > MOST_MB

"""What a cell may use, and what its user sees when it wants more."""

import os
import subprocess
import tempfile

import pytest

from support.client import START
from support.kernel import OrdinaryUser, connection_info
from support.lean_python import lean_python

pytestmark = pytest.mark.cellpod_only("other kernels limit nothing")

LIMIT_MB = 384

# Keeps what it gets, as a program that has run away does. Near the limit no faster than
# a meter can follow that has to wait for a processor: 25 MB in a second.
IN_STEPS = """
while True:
    hoard.append(bytearray(4 << 20 if len(hoard) < 50 else 1 << 18))
    time.sleep(0.01)
"""
AT_ONCE = f"import numpy; numpy.ones({2 * LIMIT_MB} << 17).sum()"


WHO = ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]


@pytest.fixture
def ordinary():
    """For root's control groups can be had; an ordinary user's sandboxes are metered."""
    user = OrdinaryUser() if os.getuid() == 0 else None
    yield user
    if user:
        user.close()


@pytest.fixture
def start(start_kernel):
    """A kernel with limits, given as flags."""
    def start_one(*flags: str, user: OrdinaryUser | None = None):
        own = {"CELLPOD_PYTHON": lean_python("numpy")} if user else {}  # else the others' sandboxd is warm
        kernel = start_kernel.on(connection_info(), arguments=flags, user=user, env=own)
        client = kernel.ready_client()
        client.run("import numpy", timeout=START)
        return client
    return start_one


@pytest.fixture(params=WHO)
def start_as(request, ordinary, start):
    def start_one(*flags: str):
        return start(*flags, user=ordinary if request.param == "ordinary" else None)
    return start_one


def error_of(cell) -> str:
    assert cell.status == "error"
    return f"{cell.content['ename']}: {cell.content['evalue']}"


# One page of zeroes, seen in each 2 MiB of a large space: only page tables take memory.
PAGE_TABLES = """
import mmap
while True:
    area = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000,
                     prot=mmap.PROT_READ)
    area.madvise(mmap.MADV_NOHUGEPAGE)
    for at in range(0, 4 << 30, 2 << 20):
        area[at]
    hoard.append(area)
"""


def test_a_cell_that_hoards_page_tables_is_stopped(start_as):
    client = start_as("--memory-mb", str(LIMIT_MB))
    client.run("hoard = []")
    told = error_of(client.execute(PAGE_TABLES, timeout=START))
    assert f"memory of {LIMIT_MB} MiB is nearly used up" in told or "WorkerDied" in told
    tables = client.run("print(open('/proc/self/status').read().split('VmPTE:')[1].split()[0])",
                        timeout=START)
    assert int(tables.stdout) < 2 * LIMIT_MB << 10


def test_a_cell_that_hoards_gets_memory_error_and_keeps_its_variables(start_as):
    client = start_as("--memory-mb", str(LIMIT_MB))
    client.run("import time; kept, hoard = 'kept', []")
    told = error_of(client.execute(IN_STEPS, timeout=START))
    assert told.startswith(f"MemoryError: the sandbox's memory of {LIMIT_MB} MiB is nearly used up")
    assert client.run("print(kept, len(hoard) > 10)").stdout == "kept True\n"
    again = error_of(client.execute(IN_STEPS, timeout=START))
    assert again.startswith("MemoryError")
    client.run("hoard.clear()")
    assert error_of(client.execute(IN_STEPS, timeout=START)).startswith("MemoryError")
    assert client.run("print(kept)").stdout == "kept\n"


def test_one_huge_allocation_ends_with_a_certificate(start_as):
    client = start_as("--memory-mb", str(LIMIT_MB))
    told = error_of(client.execute(AT_ONCE, timeout=START))
    assert "killed for memory, at 0." in told and "of 0.38 GiB" in told
    assert client.run("print('a fresh worker')", timeout=START).stdout == "a fresh worker\n"


def test_what_a_cell_has_started_goes_before_the_worker(start_as):
    client = start_as("--memory-mb", str(LIMIT_MB))
    client.run("kept = 'kept'")
    child = "x = []\nwhile True: x.append(bytearray(4 << 20))"
    code = f"import subprocess, sys; print(subprocess.run([sys.executable, '-c', {child!r}]).returncode)"
    cell = client.execute(code, timeout=START)
    told = cell.content.get("evalue", "") + cell.stderr
    assert "was killed: the sandbox's memory" in cell.stderr or "nearly used up" in told
    assert client.run("print(kept)").stdout == "kept\n"


def test_a_request_for_far_too_much_is_a_memory_error(start):
    client = start("--memory-mb", str(LIMIT_MB))
    client.run("kept = 'kept'")
    assert "MemoryError" in error_of(client.execute("import numpy; numpy.ones(1 << 34)"))
    assert client.run("print(kept)").stdout == "kept\n"


def test_a_cell_whose_time_is_up_gets_timeout_error_and_keeps_its_variables(start):
    client = start("--cell-seconds", "1")
    client.run("kept = 'kept'")
    told = error_of(client.execute("import time; time.sleep(600)", timeout=START))
    assert told.startswith("TimeoutError: the cell has reached its time limit")
    assert client.run("print(kept)").stdout == "kept\n"


def test_a_cell_that_awaits_gets_timeout_error_too(start):
    client = start("--cell-seconds", "1")
    told = error_of(client.execute("import asyncio; await asyncio.sleep(600)", timeout=START))
    assert told.startswith("TimeoutError")
    assert client.run("await asyncio.sleep(0); print('on')").stdout == "on\n"


# It waits for itself, for ever: deaf as a loop would be, and takes no processor from other tests.
NATIVE_WAIT = ("import ctypes; mutex = ctypes.create_string_buffer(64)\n"
               "for _ in range(2): ctypes.CDLL(None).pthread_mutex_lock(mutex)")


def test_native_code_whose_time_is_up_ends_with_a_certificate(start):
    client = start("--cell-seconds", "1")
    told = error_of(client.execute(NATIVE_WAIT, timeout=START))
    assert "its cell kept running after its time limit" in told
    assert client.run("print('on')", timeout=START).stdout == "on\n"


WRITE_MB = 64
IN_PYTHON = """
with open('big', 'wb') as file:
    for _ in range(2048): file.write(bytes(1 << 20))
"""
BY_A_PROGRAM = "import os; os.system('head -c 2G /dev/zero > big')"


@pytest.fixture
def disk():
    """Notebooks of these tests are below it. Linux counts nothing of what stays in memory."""
    shown = subprocess.run(["stat", "-f", "-c", "%T", tempfile.gettempdir()],
                           stdout=subprocess.PIPE, text=True)
    if shown.stdout.strip() in ("tmpfs", "ramfs"):
        pytest.skip(f"{tempfile.gettempdir()} is in memory")


def take_away_big(client) -> int:
    """How large it had become."""
    shown = client.run("import os; print(os.path.getsize('big')); os.remove('big')", timeout=START)
    return int(shown.stdout)


def test_a_cell_that_writes_too_much_gets_an_oserror_and_keeps_its_variables(start_as, disk):
    client = start_as("--cell-write-mb", str(WRITE_MB))
    client.run("kept = 'kept'")
    told = error_of(client.execute(IN_PYTHON, timeout=START))
    assert told.startswith("OSError: [Errno 122] the cell has reached its limit for writes to disks")
    assert client.run("print(kept)").stdout == "kept\n"
    assert (WRITE_MB - 1) << 20 <= take_away_big(client) < 1 << 30


def test_a_program_that_writes_on_ends_with_the_worker(start_as, disk):
    client = start_as("--cell-write-mb", str(WRITE_MB))
    told = error_of(client.execute(BY_A_PROGRAM, timeout=START))
    assert "its cell kept writing after its limit" in told
    assert (WRITE_MB - 1) << 20 <= take_away_big(client) < 1 << 30


def test_a_sandbox_whose_time_is_up_is_replaced_and_says_so(start):
    client = start("--seconds", "3")
    told = error_of(client.execute("import time; time.sleep(600)", timeout=START))
    assert "has reached its lifetime of 3 seconds" in told


def test_shared_memory_without_a_file_says_what_to_use_where_it_cannot_be_counted(ordinary, start):
    client = start("--memory-mb", str(LIMIT_MB), user=ordinary)
    cell = client.execute("import mmap; mmap.mmap(-1, 1 << 20)")
    assert error_of(cell) == "PermissionError: [Errno 1] Operation not permitted"
    help = cell.content["traceback"][-1]
    advice = [line.split("#")[0].strip() for line in help.splitlines() if "size" in line]
    assert len(advice) == 2
    client.run("import multiprocessing.shared_memory; size = 1 << 20")
    for line in advice:
        assert client.run(f"print(type({line}).__name__)").stdout in ("mmap\n", "SharedMemory\n")

"""What a cell is told where the sandbox is the reason of its error."""

import pytest
from driver import Driver

NO_NAME = "import socket; raise socket.gaierror(-3, 'Temporary failure in name resolution')"
WRAPPED = """import socket, urllib.error
try:
    raise socket.gaierror(-2, 'Name or service not known')
except OSError as error:
    raise urllib.error.URLError(error)"""
NO_ROUTE = "import errno; raise OSError(errno.ENETUNREACH, 'Network is unreachable')"
REFUSED = "raise OSError('Tunnel connection failed: 403 Forbidden')"
PROXY = "import os; os.environ['HTTPS_PROXY'] = 'http://127.0.0.1:3128'\n"


def last_of_traceback(worker: Driver, code: str) -> str:
    error = worker.run(code)
    assert error.status == "error"
    return error.content["traceback"][-1]


@pytest.mark.parametrize("code", [NO_NAME, WRAPPED, NO_ROUTE], ids=["name", "wrapped", "route"])
def test_it_is_told_how_to_allow_hosts(worker: Driver, code):
    help = last_of_traceback(worker, code)
    assert "Sandboxes have no network unless it is allowed." in help
    assert '"allow": ["example.org"]' in help


UNREACHABLE = """import errno, socket
class Socket(socket.socket):
    def connect(self, address): raise OSError(errno.ENETUNREACH, 'Network is unreachable')
real, socket.socket = socket.socket, Socket
try: socket.create_connection(('192.0.2.7', 80))
finally: socket.socket = real"""


@pytest.mark.parametrize(("code", "host"), [
    ("import urllib.request; urllib.request.urlopen('http://data.invalid/a.csv')", "data.invalid"),
    ("import pandas as pd; pd.read_csv('https://data.invalid:8443/a.csv')", "data.invalid"),
    ("import asyncio; await asyncio.open_connection('data.invalid', 80)", "data.invalid"),
    (UNREACHABLE, "192.0.2.7"),
    ("import socket; socket.getaddrinfo('a\"b', 80)", "example.org"),
])
def test_it_is_told_which_host_to_allow(worker: Driver, code, host):
    assert f'"allow": ["{host}"]' in last_of_traceback(worker, code)


def test_where_hosts_are_listed_it_is_told_of_the_proxy(worker: Driver):
    assert "through a proxy" in last_of_traceback(worker, PROXY + NO_NAME)
    assert "it is not listed" in last_of_traceback(worker, PROXY + REFUSED)


@pytest.mark.parametrize("code", [
    "1 / 0",
    "open('/no/such/file')",
    REFUSED,
    "raise ConnectionRefusedError(111, 'Connection refused')",
    PROXY + "class Odd(OSError):\n    def __str__(self): raise ValueError\nraise Odd()",
    "a = ValueError(); b = ValueError(); a.__cause__ = b; b.__cause__ = a\nraise a",
])
def test_other_errors_are_left_alone(worker: Driver, code):
    traceback = worker.run(code).content["traceback"]
    assert not any("Sandboxes have" in line or "proxy" in line for line in traceback)


def test_a_variable_that_is_not_passed_in_is_told_how(worker: Driver):
    help = last_of_traceback(worker, "import os; os.environ['AIRFLOW_HOME']")
    assert "CELLPOD_ENV_PASSTHROUGH" in help
    assert '"env_passthrough": ["AIRFLOW_HOME"]' in help


@pytest.mark.parametrize("code", ["{}['a']", "import os; {**os.environ}['no such']"])
def test_a_key_of_another_dict_is_its_own_error(worker: Driver, code):
    assert "ENV" not in last_of_traceback(worker, code)


@pytest.mark.parametrize("limit", [512, 0], ids=["limited", "not limited"])
def test_a_memory_error_says_the_limit(worker: Driver, limit):
    worker.run(f"get_ipython().channel.interrupts.memory_mb = {limit}")
    help = last_of_traceback(worker, "import numpy; numpy.zeros((10**9, 10**9))")
    assert ("may use 512 MiB" in help) == ("resources.memory_mb" in help) == bool(limit)


REFUSED_LINK = "raise PermissionError(13, 'Permission denied', 'a', None, {!r})"


@pytest.mark.parametrize(("target", "is_told"), [("new", True), (".", False), ("no/such/new", False)])
def test_a_link_that_is_refused_says_why(worker: Driver, target, is_told):
    """Where a rename() or link() would be: in a folder that may be written to."""
    help = last_of_traceback(worker, REFUSED_LINK.format(target))
    assert ("symbolic links" in help) == is_told


@pytest.mark.parametrize(("said", "is_told"), [
    ("ln: failed to create symbolic link 'new': Permission denied", True),
    ("Error: [Errno 13] Permission denied: 'lib' -> 'new'", True),
    ("Error: [Errno 13] Permission denied: 'lib' -> 'no/such/new'", False),
    ("ln: failed to create symbolic link 'new': File exists", False),
])
@pytest.mark.parametrize("code", [1, 0])
def test_a_command_whose_link_is_refused_says_why(worker: Driver, said, is_told, code):
    answer = worker.run(f'!echo "{said}"; exit {code}')
    assert ("cannot make symbolic links" in answer.text("stderr")) == (is_told and code == 1)


REFUSING = """import mmap
def refuse(*args): raise PermissionError(1, 'Operation not permitted')
real, mmap.mmap = mmap.mmap, refuse
"""


@pytest.mark.parametrize(("code", "is_told"), [
    (REFUSING + "mmap.mmap(-1, 9)", False),  # the frame that got it is another one
    (REFUSING + "raise mmap and PermissionError(1, 'Operation not permitted')", True),
    (REFUSING + "raise mmap and PermissionError(1, 'Operation not permitted', 'file')", False),
    ("import mmap\nraise mmap and PermissionError(1, 'Operation not permitted')", False),
])
def test_shared_memory_that_is_refused_says_what_to_use(worker: Driver, code, is_told):
    help = last_of_traceback(worker, code)
    worker.run("import mmap\nif 'real' in globals(): mmap.mmap = real")
    assert ("flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS" in help) == is_told
    assert ("SharedMemory(create=True" in help) == is_told

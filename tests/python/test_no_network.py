"""What a cell is told that found no network."""

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

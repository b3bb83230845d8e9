"""Network: nothing leaves, nothing on this machine answers; loopback inside works."""

import contextlib
import os
import socket
import tempfile

import pytest

from .counterparts import works_where_it_may


@contextlib.contextmanager
def listening(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.bind(address)
        server.listen()
        yield server.getsockname()


# As Linux and gVisor say it.
NO_WAY_THERE = ("STOPPED ENETUNREACH", "STOPPED EHOSTUNREACH")

CONNECT = """
with socket.socket(family, socket.SOCK_STREAM) as client:
    client.settimeout(5)
    client.connect(address)
"""


def test_cannot_connect_to_this_machines_loopback(user, cell):
    with listening(socket.AF_INET, ("127.0.0.1", 0)) as address:
        values = {"family": int(socket.AF_INET), "address": address}
        assert "REACHED" in user.runs(CONNECT, **values)
        assert cell.runs(CONNECT, **values) == "STOPPED ECONNREFUSED"


def test_cannot_connect_to_an_abstract_socket(user, cell):
    name = f"\0cellpod-test-{os.getpid()}"
    with listening(socket.AF_UNIX, name):
        values = {"family": int(socket.AF_UNIX), "address": name}
        assert "REACHED" in user.runs(CONNECT, **values)
        assert cell.runs(CONNECT, **values) == "STOPPED ECONNREFUSED"


def test_cannot_connect_to_a_socket_file_of_this_machine(user, cell):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        path = f"{folder}/server.sock"
        with listening(socket.AF_UNIX, path):
            os.chmod(path, 0o777)
            values = {"family": int(socket.AF_UNIX), "address": path}
            assert "REACHED" in user.runs(CONNECT, **values)
            assert cell.runs(CONNECT, **values) == "STOPPED ENOENT"


def test_cannot_connect_outwards(user, cell):
    with listening(socket.AF_INET, ("127.0.0.1", 0)) as address:
        assert "REACHED" in user.runs(CONNECT, family=int(socket.AF_INET), address=address)
    for family, address in ((socket.AF_INET, ("192.0.2.1", 80)),
                            (socket.AF_INET6, ("2001:db8::1", 80))):
        answer = cell.runs(CONNECT, family=int(family), address=address)
        assert answer in NO_WAY_THERE


def test_cannot_send_a_datagram_outwards(user, cell):
    attempt = 'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", (host, 53))'
    assert "REACHED" in user.runs(attempt, host="127.0.0.1")
    assert cell.runs(attempt, host="192.0.2.1") in NO_WAY_THERE


def test_cannot_look_up_a_name(user, cell):
    attempt = "socket.getaddrinfo(name, 80)"
    assert "REACHED" in user.runs(attempt, name="localhost")
    assert cell.runs(attempt, name="example.org").startswith("STOPPED")


def test_cannot_see_an_interface_but_loopback(user, cell):
    seen = "print([line.split(':')[0].strip() for line in open('/proc/net/dev') if ':' in line])"
    outside = {name for _, name in socket.if_nameindex()}
    works_where_it_may(outside <= set(eval(user.runs(seen).split("\n")[0])))
    assert cell.prints(seen) == "['lo']"


@pytest.mark.parametrize("family", ["AF_PACKET", "AF_VSOCK", "AF_ALG", "AF_NETLINK",
                                    "AF_BLUETOOTH", "AF_TIPC", "AF_CAN", "AF_QIPCRTR"])
def test_cannot_open_a_socket_of_another_family(cell, filter_alone, family):
    attempt = "socket.socket(getattr(socket, family), socket.SOCK_RAW)"
    filter_alone.stops(attempt, family=family)
    assert cell.runs(attempt, family=family) == "STOPPED EPERM"


def test_cannot_open_a_raw_socket(cell, filter_alone):
    attempt = "socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)"
    filter_alone.stops(attempt)
    assert cell.runs(attempt) == "STOPPED EPERM"


def test_cannot_hide_a_family_in_the_upper_half_of_the_argument(cell, filter_alone):
    attempt = """
    number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
    result = libc.syscall(ctypes.c_long(number), ctypes.c_long(1 << 32 | socket.AF_ALG),
                          ctypes.c_long(socket.SOCK_SEQPACKET), ctypes.c_long(0))
    if result < 0:
        raise OSError(ctypes.get_errno(), "socket")
    """
    filter_alone.stops(attempt)
    assert cell.runs(attempt) == "STOPPED EPERM"


def test_cannot_meet_another_sandbox_on_the_network(spawn):
    first, second = spawn(), spawn()
    first.prints("""
tcp = socket.create_server(("127.0.0.1", 4567))
abstract = socket.socket(socket.AF_UNIX)
abstract.bind("\\0meeting")
abstract.listen()
""")
    for family, address in ((socket.AF_INET, ("127.0.0.1", 4567)),
                            (socket.AF_UNIX, "\0meeting")):
        values = {"family": int(family), "address": address}
        assert first.runs(CONNECT, **values) == "REACHED"
        assert second.runs(CONNECT, **values) == "STOPPED ECONNREFUSED"

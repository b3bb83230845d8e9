"""Network by list: the hosts of the list through the proxy, and nothing else."""

import contextlib
import json
import os
import shutil
import socket
import tempfile
import threading
import uuid
from pathlib import Path

import psutil
import pytest

from support import processes
from support.servers import Web, serving
from support.lean_python import lean_python
from unit.sandbox.sandboxd_client import PATIENCE, Daemon

from .attempts import PRELUDE, wrapped
from .conftest import ORDINARY_UID, USERS
from .counterparts import ledger, works_where_it_may

# What an attempt has beside attempts.PRELUDE: requests to the proxy as they are, and a
# client that goes the way that any program goes.
TOOLS = """
import urllib.request, urllib.error
PROXY = ("127.0.0.1", 3128)

def through(where, method="CONNECT", rest=b""):
    '''A connection through the proxy, and the status line that it began with.'''
    peer = socket.create_connection(PROXY, timeout=30)
    peer.sendall(f"{method} {where} HTTP/1.1\\r\\n\\r\\n".encode() + rest)
    head = b""
    while b"\\r\\n\\r\\n" not in head:
        got = peer.recv(1)
        if not got:
            raise ConnectionResetError(errno.ECONNRESET, "the proxy has closed")
        head += got
    return peer, head.split(b"\\r\\n")[0].decode()

def get(url):
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return f"{answer.status} {answer.read().decode()}"
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"
"""


@pytest.fixture(scope="module", params=USERS)
def daemon(request):
    uid = ORDINARY_UID if request.param == "ordinary" and os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="cellpod-names-"))
    folder.chmod(0o755)
    hosts = folder / "hosts"
    hosts.write_text("")
    daemon = Daemon(uid=uid, CELLPOD_PYTHON=lean_python(), CARES_HOSTS=str(hosts))
    assert daemon.said == "ready", daemon.said
    daemon.hosts = hosts
    yield daemon
    children = processes.descendants(daemon.process.pid)
    daemon.close()
    processes.assert_all_end(children, "sandboxd")
    shutil.rmtree(folder)


class Cells:
    """One sandbox of a daemon."""

    def __init__(self, daemon, fields):
        self.sandbox = daemon.claim(**fields)
        self.events = self.sandbox.ready()
        self.prints(PRELUDE + TOOLS)

    def start(self, code: str) -> str:
        return self.sandbox.execute(code, uuid.uuid4().hex)

    def text_of(self, request: str) -> str:
        text = ""
        while True:
            event = self.events.next("stream", "execute_reply", "worker_exited")
            if event.type == "stream":
                text += event.json["text"]
            elif event.parent == request:
                assert event.type == "execute_reply", event
                assert event.json["status"] == "ok", (event.json, text)
                return text.strip()

    def prints(self, code: str) -> str:
        return self.text_of(self.start(code))

    def runs(self, attempt: str, **values) -> str:
        return ledger.noted(attempt, self.prints(wrapped(attempt, values)))

    def status(self, where: str, method: str = "CONNECT") -> str:
        """The proxy's answer, without "HTTP/1.1"."""
        line = self.prints(f"print(through({where!r}, {method!r})[1])")
        return line.removeprefix("HTTP/1.1 ")

    def get(self, url: str) -> str:
        return self.prints(f"print(get({url!r}))")


@pytest.fixture
def spawn(daemon):
    made = []

    def spawn(*allow: str, **fields) -> Cells:
        network = {"mode": "list", "allow": list(allow)}
        made.append(Cells(daemon, {"env": {}, "network": network} | fields))
        return made[-1]

    yield spawn
    for cells in made:
        cells.events.close()
        cells.sandbox.call("DELETE")
    daemon.hosts.write_text("")


@pytest.fixture(scope="module")
def shared(daemon):
    """For attempts that change nothing."""
    allow = ["pypi.org", "evil.example", "0.0.0.0/0:*", "[::]/0:*"]
    cells = Cells(daemon, {"env": {}, "network": {"mode": "list", "allow": allow}})
    yield cells
    cells.events.close()
    cells.sandbox.call("DELETE")


def names(daemon, **hosts: str) -> None:
    """From now on these names lead there."""
    daemon.hosts.write_text("".join(f"{address} {name.replace('_', '.')}\n"
                                    for name, address in hosts.items()))


@pytest.fixture
def web():
    with Web() as web:
        yield web


# --- what is listed can be reached ------------------------------------------------------------
def test_programs_find_the_way_to_a_listed_host(spawn, web):
    cells = spawn(web.where)
    assert cells.get(f"http://{web.where}/a?b=c") == "200 hello from outside"
    assert web.seen == [("GET", "/a?b=c", b"")]
    assert web.heads[0]["Host"] == web.where
    assert web.heads[0]["Connection"] == "close"


def test_a_listed_name_leads_to_a_listed_address(daemon, spawn, web):
    names(daemon, files_example="127.0.0.1")
    cells = spawn(f"files.example:{web.port}", web.where)
    assert cells.get(f"http://files.example:{web.port}/") == "200 hello from outside"
    names(daemon, files_example="127.0.0.1", **{"a_b_example_org": "127.0.0.1"})
    cells = spawn(f"*.example.org:{web.port}", web.where)
    assert cells.get(f"http://a.b.example.org:{web.port}/") == "200 hello from outside"


def test_both_ways_end_apart(spawn):
    """The code says its last; the server hears that, and answers then."""
    def answer(peer):
        heard = b""
        while got := peer.recv(65536):
            heard += got
        peer.sendall(b"%d bytes" % len(heard))

    with serving(answer) as where:
        assert spawn(where).prints(f"""
peer, status = through({where!r})
peer.sendall(bytes(3 << 20))
peer.shutdown(socket.SHUT_WR)
print(status, peer.recv(100), peer.recv(100))
""") == "HTTP/1.1 200 Connection established b'3145728 bytes' b''"


def test_what_was_sent_with_the_connect_is_not_lost(spawn):
    with serving(lambda peer: peer.sendall(peer.recv(5).upper())) as where:
        assert spawn(where).prints(f"""
peer, status = through({where!r}, rest=b"early")
print(peer.recv(100))
""") == "b'EARLY'"


def test_the_sandboxs_own_loopback_is_not_asked_of_the_proxy(spawn):
    assert spawn("pypi.org").prints("""
import http.server, threading
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
server.RequestHandlerClass.log_message = lambda *_: None
threading.Thread(target=server.serve_forever, daemon=True).start()
print(get(f"http://127.0.0.1:{server.server_address[1]}/")[:3],
      get(f"http://localhost:{server.server_address[1]}/")[:3])
""") == "200 200"


def test_a_fresh_worker_has_the_proxy_too(spawn, web):
    cells = spawn(web.where)
    assert cells.sandbox.call("POST", "/restart", {})[0] == 202
    cells.events.next("worker_started")
    cells.prints(PRELUDE + TOOLS)
    assert cells.get(f"http://{web.where}/") == "200 hello from outside"


# --- what is not listed cannot ----------------------------------------------------------------
def test_cannot_reach_a_host_that_is_not_listed(spawn, web):
    cells = spawn("pypi.org", web.where)
    for where in ("evil.example:443", f"127.0.0.2:{web.port}", "8.8.8.8:443",
                  "www.pypi.org:443", "[2606:4700::1]:443"):
        told = cells.status(where)
        assert told.startswith(f"403 {where} is not allowed for this sandbox: add"), told
        assert "sandbox.network.allow" in told
    assert cells.get("http://evil.example/").startswith("403 evil.example:80 is not allowed")
    assert web.seen == []
    works_where_it_may(cells.get(f"http://{web.where}/") == "200 hello from outside")


def test_cannot_reach_another_port_of_a_listed_host(spawn, web):
    other = socket.create_server(("127.0.0.1", 0))
    with other:
        assert spawn(f"127.0.0.1:{other.getsockname()[1]}").status(web.where).startswith("403 ")
    works_where_it_may(spawn(web.where).status(web.where).startswith("200 "))


def test_cannot_go_past_the_proxy(spawn, web):
    """Not to what is listed, nor to its address."""
    cells = spawn(web.where, "pypi.org", "192.0.2.1")
    connect = "socket.create_connection(address, timeout=5)"
    assert cells.runs(connect, address=(web.host, web.port)) == "STOPPED ECONNREFUSED"
    assert cells.runs(connect, address=("192.0.2.1", 80)) == "STOPPED ENETUNREACH"
    assert cells.runs(connect, address=("127.0.0.1", 3128)) == "REACHED"
    look_up = "socket.getaddrinfo(name, 80)"
    assert cells.runs(look_up, name="pypi.org").startswith("STOPPED")
    assert cells.runs(look_up, name="localhost") == "REACHED"


def test_cannot_reach_this_machines_loopback_by_a_listed_name(daemon, spawn, web):
    """The name is listed, its address is not."""
    names(daemon, evil_example="127.0.0.1", six_example="::1", zero_example="0.0.0.0")
    cells = spawn("evil.example:*", "six.example:*", "zero.example:*", "localhost:*")
    told = cells.status(f"evil.example:{web.port}")
    assert told == (f"403 evil.example:{web.port} resolves to a loopback address: only "
                    f'"127.0.0.1:{web.port}" in sandbox.network.allow of config.json allows that')
    assert "the loopback address" in cells.status(f"six.example:{web.port}")
    assert "an address of this machine" in cells.status(f"zero.example:{web.port}")
    assert cells.status(f"localhost:{web.port}").startswith("403 ")
    assert web.seen == []


@pytest.mark.parametrize(("address", "what"), [
    ("169.254.169.254", "a cloud's metadata server"), ("fd00:ec2::254", "a cloud's metadata server"),
    ("10.0.0.1", "a private address"), ("192.168.1.1", "a private address"),
    ("169.254.1.1", "a link-local address"), ("224.0.0.1", "a multicast address"),
    ("::ffff:127.0.0.1", "an IPv4-mapped address"),
    ("64:ff9b::7f00:1", "an IPv4 address behind NAT64"), ("fe80::1", "a link-local address")])
def test_cannot_reach_an_address_that_is_not_public_by_a_listed_name(daemon, shared, address, what):
    names(daemon, evil_example=address)
    assert f"resolves to {what}" in shared.status("evil.example:80")


def test_cannot_reach_the_metadata_server_by_its_address(spawn):
    cells = spawn("pypi.org", "0.0.0.0/0:*", "169.254.0.0/16:*")
    for where in ("169.254.169.254:80", "100.100.100.200:80", "168.63.129.16:80"):
        assert cells.status(where).startswith(f"403 {where} is not allowed"), where


def test_cannot_be_led_elsewhere_by_a_name_that_changes(daemon, spawn, web):
    """Each connection is made to an address that was checked for this connection."""
    cells = spawn(f"name.example:{web.port}", "127.0.0.1:*")
    names(daemon, name_example="127.0.0.1")
    works_where_it_may(cells.get(f"http://name.example:{web.port}/") == "200 hello from outside")
    names(daemon, name_example="127.0.0.2")
    assert cells.get(f"http://name.example:{web.port}/").startswith("403 ")


def test_cannot_reach_this_machines_own_address_by_a_listed_name(daemon, spawn):
    """What listens on all of this machine's addresses is not for whom a name leads here."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but loopback")
        own = probe.getsockname()[0]
    names(daemon, evil_example=own)
    with Web(own) as web:
        told = spawn(f"evil.example:{web.port}").status(f"evil.example:{web.port}")
        assert told.startswith(f"403 evil.example:{web.port} resolves to a"), told
        works_where_it_may(spawn(f"evil.example:{web.port}", web.where).get(
            f"http://evil.example:{web.port}/") == "200 hello from outside")


@pytest.mark.parametrize("where", [
    "127.1:80", "0x7f.0.0.1:80", "2130706433:80", "0177.0.0.1:80", "127.0.0.1.:80",
    "[::1%lo]:80", "[127.0.0.1]:80", "a@127.0.0.1:80", "pypi.org:443@127.0.0.1:80",
    "pypi.org%00.evil.example:443", "*.pypi.org:443", "pypi.org:0443", "pypi.org:"])
def test_cannot_hide_a_host_in_odd_spelling(shared, where):
    status = shared.status(where)
    assert status[:3] in ("400", "403"), status


@pytest.mark.parametrize("head", [
    b"GET / HTTP/1.1\r\nHost: pypi.org\r\n\r\n", b"GET https://pypi.org/ HTTP/1.1\r\n\r\n",
    b"GET http://pypi.org/ HTTP/1.1\nA: b\n\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\n\n",
    b"GET http://pypi.org/ HTTP/1.1\r\nA: b\r\n c: d\r\n\r\n", b"x" * 20000,
    b"SSH-2.0-x\r\n\r\n", b"GET file:///etc/passwd HTTP/1.1\r\n\r\n"])
def test_cannot_confuse_the_proxy(shared, head):
    assert shared.prints(f"""
peer = socket.create_connection(PROXY, timeout=30)
peer.sendall({head!r})
print(peer.recv(12))
""") in ("b'HTTP/1.1 400'", "b'HTTP/1.1 431'")


def test_cannot_ask_a_second_host_on_the_same_connection(spawn, web):
    """What follows the first request goes to the first host, whatever it says."""
    with Web("127.0.0.1") as other:
        cells = spawn(web.where, "pypi.org")
        cells.prints(f"""
peer, status = through("http://{web.where}/", "GET",
                       b"GET http://{other.where}/stolen HTTP/1.1\\r\\nHost: {other.where}\\r\\n\\r\\n")
while peer.recv(65536):
    pass
""")
        works_where_it_may(web.seen)
        assert other.seen == []


# --- the proxy is this sandbox's alone --------------------------------------------------------
def test_cannot_use_the_proxy_of_another_sandbox(spawn, web):
    spawn(web.where)
    connect = "socket.create_connection(('127.0.0.1', 3128), timeout=5)"
    without = spawn(network={"mode": "none"})
    assert without.runs(connect) == "STOPPED ECONNREFUSED"
    other = spawn("pypi.org")
    assert other.runs(connect) == "REACHED"
    assert other.status(web.where).startswith("403 ")


def test_cannot_use_the_proxy_from_outside(spawn):
    connect = "socket.create_connection(('127.0.0.1', 3128), timeout=5)"
    works_where_it_may(spawn("pypi.org").runs(connect) == "REACHED")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", 3128), timeout=5)


def test_cannot_take_the_proxys_place(spawn):
    """To listen where it does, and be asked by this sandbox's programs."""
    cells = spawn("pypi.org")
    attempt = """
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
    server.bind(("127.0.0.1", port))
    server.listen()
    """
    for option in ("SO_REUSEADDR", "SO_REUSEPORT"):
        assert cells.runs(attempt, option=option, port=3128) == "STOPPED EADDRINUSE", option
        assert cells.runs(attempt, option=option, port=3129) == "REACHED", option


def test_cannot_find_sandboxds_sockets(daemon, spawn):
    cells = spawn("pypi.org")
    connect = "socket.socket(socket.AF_UNIX).connect(path)"
    cells.prints("own = socket.socket(socket.AF_UNIX); own.bind('/tmp/own'); own.listen()")
    assert cells.runs(connect, path="/tmp/own") == "REACHED"
    assert cells.runs(connect, path=str(daemon.path)) == "STOPPED ENOENT"
    with socket.socket(socket.AF_UNIX) as server:
        name = f"\0cellpod-test-{os.getpid()}"
        server.bind(name)
        server.listen()
        assert cells.runs(connect, path=name) == "STOPPED ECONNREFUSED"
    assert cells.prints("print([os.readlink(f'/proc/1/fd/{n}') for n in os.listdir('/proc/1/fd')]"
                        " if os.access('/proc/1/fd', os.R_OK) else 'closed')") == "closed"


def test_cannot_keep_a_connection_longer_than_the_sandbox(spawn):
    met, ends = threading.Event(), []

    def hear_its_end(peer):
        met.set()
        with contextlib.suppress(ConnectionResetError):  # is an end, too
            assert peer.recv(1) == b""
        ends.append(peer)

    with serving(hear_its_end) as where:
        cells = spawn(where)
        works_where_it_may(cells.prints(f"peer, status = through({where!r}); print(status)")
                           .endswith("established"))
        assert met.wait(PATIENCE) and not ends
        cells.sandbox.call("DELETE")
    assert ends


# --- it costs nobody else anything ------------------------------------------------------------
def test_cannot_fill_the_daemons_memory(daemon, spawn):
    """A server that never reads: the sender waits, and nothing piles up."""
    hold = socket.create_server(("127.0.0.1", 0))
    with hold:
        where = "{}:{}".format(*hold.getsockname())
        cells = spawn(where)
        before = psutil.Process(daemon.process.pid).memory_info().rss
        sent = int(cells.prints(f"""
peer, status = through({where!r})
peer.settimeout(1)
sent = 0
try:
    while sent < 1 << 28:
        sent += peer.send(bytes(1 << 20))
except TimeoutError:
    pass
print(sent)
"""))
        grown = psutil.Process(daemon.process.pid).memory_info().rss - before
        assert sent < 1 << 28
        assert grown < 4 << 20


def test_cannot_take_every_connection(daemon, spawn, web):
    """Past the limit connections wait; others' are not touched, and then they are served."""
    greedy, modest = spawn(web.where), spawn(web.where)
    greedy.prints(f"""
held = [through({web.where!r})[0] for _ in range(128)]
late = socket.create_connection(PROXY)
late.sendall(b"CONNECT {web.where} HTTP/1.1\\r\\n\\r\\n")
print(select.select([late], [], [], 0.5))
""")
    assert modest.get(f"http://{web.where}/") == "200 hello from outside"
    works_where_it_may(greedy.prints("held.pop().close(); print(late.recv(12))") == "b'HTTP/1.1 200'")


def test_cannot_hold_the_daemon_up(daemon, spawn):
    """By heads that never end, on every connection that there is."""
    cells = spawn("pypi.org")
    cells.prints("""
held = [socket.create_connection(PROXY) for _ in range(128)]
for peer in held:
    peer.sendall(b"GET http://pypi.org/ HTTP/1.1\\r\\nA: ")
""")
    assert daemon.call("GET", "/v1/health")[1]["status"] == "ok"


def test_cannot_fill_the_log_with_refusals(daemon, spawn):
    cells = spawn()
    cells.prints("for n in range(300): through(f'h{n}.example:80')[0].close()")
    told = [line for line in daemon.log().splitlines()
            if cells.sandbox.id in line and "refused" in line and " proxy " in line]
    works_where_it_may(told)
    assert len(told) <= 200


# --- what cannot be kept to is refused --------------------------------------------------------
def refusal(daemon, **fields) -> dict:
    status, answer = daemon.call("POST", "/v1/sandboxes", {"task_id": uuid.uuid4().hex} | fields)
    assert status == 400, answer
    return answer["error"]


def test_a_list_without_the_network_layer_is_refused(daemon):
    told = refusal(daemon, network={"mode": "list", "allow": []}, waive=["network"])
    assert "waived" in told["message"]


def test_a_refusal_is_told_in_the_notebook_once(spawn):
    cells = spawn()
    request = cells.start("for n in range(5): get('http://evil.example/')")
    told = []
    while (event := cells.events.next("notice", "execute_reply")).type == "notice":
        assert event.parent == request
        told.append(event.json["message"])
    assert told == ['evil.example:80 is not allowed for this sandbox: add "evil.example:80" to '
                    "sandbox.network.allow in config.json"]


def test_cannot_flood_the_notebook_with_refusals(spawn):
    cells = spawn()
    cells.start("for n in range(60): get(f'http://h{n}.example/')")
    told = 0
    while cells.events.next("notice", "execute_reply").type == "notice":
        told += 1
    works_where_it_may(told)
    assert told == 20


def test_a_rule_that_is_none_is_refused_and_named(daemon):
    told = refusal(daemon, network={"mode": "list", "allow": ["pypi.org", "http://pypi.org/"]})
    assert "network.allow[1]" in json.dumps(told)


def test_a_list_behind_the_machines_own_proxy_is_refused():
    daemon = Daemon(CELLPOD_PYTHON=lean_python(), HTTPS_PROXY="http://proxy.example:3128")
    try:
        told = refusal(daemon, network={"mode": "list", "allow": ["pypi.org"]})
        assert "HTTPS_PROXY" in told["message"]
    finally:
        daemon.close()

"""The daemon over TCP: who may do what. With a stand-in for the zygote."""

import re
import socket
import subprocess
import uuid

import pytest

from sandboxd_client import PROGRAM, TcpDaemon, starting


@pytest.fixture
def start():
    with starting(TcpDaemon) as start:
        yield start


@pytest.fixture
def daemon(start):
    return start()


def assert_denied(answer):
    status, body = answer
    assert (status, body["error"]["code"]) == (403, "denied"), answer


# --- a client's life ----------------------------------------------------------------------------
def test_a_claim_with_its_token_works_as_on_the_unix_socket(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    request = sandbox.execute("echo hello")
    assert events.next("execute_reply").parent == request
    assert sandbox.call("GET")[1]["state"] == "ready"
    assert sandbox.call("DELETE") == (200, {})


def test_listens_on_ipv6(start):
    try:
        socket.socket(socket.AF_INET6).bind(("::1", 0))
    except OSError as error:
        pytest.skip(f"this machine has no IPv6: {error}")
    daemon = start(host="[::1]")
    assert daemon.call("GET", "/v1/health")[0] == 200


def test_it_stays_although_nobody_calls_and_logs_to_standard_error(daemon):
    with pytest.raises(subprocess.TimeoutExpired):
        daemon.process.wait(1.5)
    assert f"listening build={daemon.call('GET', '/v1/health')[1]['build']}" in daemon.log()
    assert not list(daemon.state.glob("*.log"))


def test_the_root_is_a_probe_open_to_all_and_makes_no_sandbox(daemon):
    """Also without --runtime-api open, to which the calls that use a sandbox belong."""
    assert daemon.call("GET", "/") == (200, {"status": "ok", "message": "Sandbox Runtime is active."})
    assert daemon.call("POST", "/execute", {"command": "true"})[0] == 403
    assert daemon.call("GET", "/v1/metadata")[1]["sandboxes"] == 0


def test_a_sandbox_can_be_given_more_time(daemon):
    sandbox = daemon.claim(ttl_seconds=60)
    before = sandbox.answer["expires_at"]
    status, answer = sandbox.call("PATCH", "", {"ttl_seconds": 3600})
    assert status == 200
    assert answer["expires_at"] > before
    assert sandbox.call("GET")[1]["expires_at"] == answer["expires_at"]
    assert sandbox.call("PATCH", "", {"ttl_seconds": "long"})[0] == 400
    assert sandbox.call("GET")[1]["expires_at"] == answer["expires_at"]


def test_less_time_ends_it(daemon):
    sandbox = daemon.claim(ttl_seconds=3600)
    events = sandbox.ready()
    assert sandbox.call("PATCH", "", {"ttl_seconds": 1})[0] == 200
    assert events.next().json["cause"] == "ttl"
    with pytest.raises(EOFError):
        events.next()
    assert_denied(sandbox.call("GET"))


def metrics_of(daemon) -> dict[str, str]:
    connection = daemon.connect()
    connection.request("GET", "/metrics")
    response = connection.getresponse()
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = response.read().decode().splitlines()
    assert all(re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+({.+})? \d+", line) for line in lines)
    return dict(line.rsplit(" ", 1) for line in lines if line[0] != "#")


def test_metrics_are_prometheus_text(daemon):
    before = metrics_of(daemon)
    sandbox = daemon.claim()
    sandbox.ready()
    after = metrics_of(daemon)
    assert before['cellpod_sandboxes{state="ready"}'] == "0"
    assert after['cellpod_sandboxes{state="ready"}'] == "1"
    assert after["cellpod_claims_total"] == "1"
    assert int(after["cellpod_memory_bytes"]) > 0
    assert int(after["cellpod_http_requests_total"]) > int(before["cellpod_http_requests_total"])
    assert sandbox.id not in str(after)


def test_metrics_count_cells_and_ends_by_reason(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()
    before = metrics_of(daemon)
    sandbox.execute("echo next", "a")
    events.next("execute_reply")
    sandbox.execute("exit 7", "b")
    events.next("worker_exited")
    sandbox.call("DELETE", "")
    after = metrics_of(daemon)
    counted = ("cellpod_cells_total", 'cellpod_worker_ends_total{reason="exit"}',
               'cellpod_sandbox_ends_total{reason="deleted"}')
    assert [before[name] for name in counted] == ["0", "0", "0"]
    assert [after[name] for name in counted] == ["2", "1", "1"]


# --- cannot -------------------------------------------------------------------------------------
PATHS = [("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/requests"), ("GET", "/events"),
         ("POST", "/input"), ("POST", "/interrupt"), ("POST", "/restart"), ("GET", "/usage")]


@pytest.mark.parametrize("method, what", PATHS)
def test_cannot_be_used_without_the_token(daemon, method, what):
    sandbox = daemon.claim()
    right = sandbox.headers["X-Cellpod-Token"]
    wrong = [None, "", right[:-1], right + "0", right[:-1] + "g", right.upper() + " ", "0" * 64]
    for guess in wrong:
        headers = {} if guess is None else {"X-Cellpod-Token": guess}
        assert_denied(daemon.call(method, f"/v1/sandboxes/{sandbox.id}{what}", {}, headers))
    assert sandbox.call("GET")[0] == 200


def test_cannot_be_used_with_anothers_token(start):
    daemon = start("--capacity", "2")
    mine, theirs = daemon.claim(), daemon.claim()
    for method, what in PATHS:
        assert_denied(daemon.call(method, f"/v1/sandboxes/{theirs.id}{what}", {}, mine.headers))
    status, answer = daemon.call("GET", "/v1/sandboxes", None, mine.headers)
    assert [sandbox["id"] for sandbox in answer["sandboxes"]] == [mine.id]
    assert_denied(daemon.call("GET", "/v1/sandboxes"))


def test_cannot_tell_a_wrong_token_from_a_sandbox_that_is_not(daemon):
    sandbox = daemon.claim()
    answers = {str(daemon.call("GET", f"/v1/sandboxes/{name}", None, {"X-Cellpod-Token": "0" * 64}))
               for name in (sandbox.id, "0" * 16, "x", "..")}
    answers.add(str(daemon.call("GET", "/v1/sandboxes/0000000000000000", None, sandbox.headers)))
    assert len(answers) == 1


def test_cannot_be_claimed_twice(start):
    daemon = start("--capacity", "1")
    first = daemon.claim()
    status, answer = daemon.call("POST", "/v1/sandboxes", {"task_id": str(uuid.uuid4())})
    assert (status, answer["error"]["code"]) == (429, "busy")
    assert "token" not in str(answer)
    assert first.call("GET")[0] == 200


def test_cannot_claim_by_a_name_that_others_would_guess(daemon):
    status, answer = daemon.call("POST", "/v1/sandboxes", {"task_id": "job-1"})
    assert status == 400
    assert "random" in answer["error"]["message"]


@pytest.mark.parametrize("field", [
    {"workspace": {"path": "/etc"}}, {"mounts": [{"source": "/etc"}]}, {"template": "/bin/sh"},
    {"waive": ["seccomp"]}, {"owner": True}])
def test_cannot_name_anything_of_this_machine(daemon, field):
    assert_denied(daemon.call("POST", "/v1/sandboxes", {"task_id": str(uuid.uuid4())} | field))
    assert daemon.call("GET", "/v1/health")[1]["sandboxes"] == 0


def test_cannot_be_called_by_a_web_page(start):
    for daemon in (start(), start("--tokens", "none")):
        for method, path in (("POST", "/v1/sandboxes"), ("GET", "/v1/health")):
            assert_denied(daemon.call(method, path, {}, {"Origin": "https://example.org"}))


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.0.2.1"])
def test_cannot_be_open_to_others_without_tokens(tmp_path, host):
    done = subprocess.run([PROGRAM, "--listen", f"tcp:{host}:0", "--tokens", "none"], text=True,
                          capture_output=True, env={"HOME": str(tmp_path)}, timeout=20)
    assert done.returncode == 2
    assert "loopback" in done.stderr


def test_a_grace_is_for_pods(tmp_path):
    done = subprocess.run([PROGRAM, "--listen", "tcp:127.0.0.1:0", "--grace", "9"], text=True,
                          capture_output=True, env={"HOME": str(tmp_path)}, timeout=20)
    assert done.returncode == 2
    assert "--grace is for pods: add --isolation pod" in done.stderr


def test_may_be_open_to_this_machine_without_tokens(start):
    daemon = start("--tokens", "none")
    sandbox = daemon.claim()
    assert daemon.call("GET", f"/v1/sandboxes/{sandbox.id}")[0] == 200


def test_keeps_tokens_out_of_its_log(daemon):
    sandbox = daemon.claim()
    sandbox.ready()
    sandbox.call("DELETE")
    assert sandbox.id in daemon.log()
    assert sandbox.answer["token"] not in daemon.log()


# --- the key of claims --------------------------------------------------------------------------
KEY = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def key_file(tmp_path):
    file = tmp_path / "key"
    file.write_text(KEY + "\n")
    file.chmod(0o600)
    return file


def claim_with(daemon, headers):
    return daemon.call("POST", "/v1/sandboxes", {"task_id": str(uuid.uuid4())}, headers)


def test_cannot_be_claimed_without_the_key(start, key_file):
    daemon = start("--token-file", str(key_file))
    for guess in (None, "", KEY[:-1], KEY + "0", KEY[:-1] + "g", KEY.upper()):
        assert_denied(claim_with(daemon, {} if guess is None else {"X-Cellpod-Key": guess}))
    status, answer = claim_with(daemon, {"X-Cellpod-Key": KEY})
    assert status == 201
    assert daemon.call("GET", "/v1/health")[1]["sandboxes"] == 1
    # The sandbox is its token's, not the key's.
    assert_denied(daemon.call("GET", f"/v1/sandboxes/{answer['id']}", None, {"X-Cellpod-Key": KEY}))
    assert KEY not in daemon.log()


def refused(tmp_path, *options) -> str:
    done = subprocess.run([PROGRAM, *options], text=True, capture_output=True,
                          env={"HOME": str(tmp_path)}, timeout=20)
    assert done.returncode in (1, 2)
    return done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.0.2.1"])
def test_cannot_be_claimed_from_other_machines_without_a_key(tmp_path, host):
    assert "add --token-file FILE" in refused(tmp_path, "--listen", f"tcp:{host}:0")


def test_claims_are_open_beyond_this_machine_only_where_that_is_said(start):
    daemon = start("--claims", "open", host="0.0.0.0")
    assert claim_with(daemon, {})[0] == 201


@pytest.mark.parametrize("text, mode, said", [
    (KEY, 0o644, "everybody can read"), ("short", 0o600, "one line of 16 to 512"),
    (KEY + "\n" + KEY, 0o600, "one line"), ("", 0o600, "one line"), (None, 0, "No such file"),
    ("k" * 513, 0o600, "one line")])
def test_cannot_start_with_a_key_that_is_none(tmp_path, text, mode, said):
    file = tmp_path / "key"
    if text is not None:
        file.write_text(text)
        file.chmod(mode)
    assert said in refused(tmp_path, "--listen", "tcp:127.0.0.1:0", "--token-file", str(file))


def test_cannot_ask_for_a_key_and_for_none(tmp_path, key_file):
    for other in (("--claims", "open"), ("--runtime-api", "open")):
        assert "choose one" in refused(tmp_path, "--listen", "tcp:127.0.0.1:0", "--token-file",
                                       str(key_file), *other)


# --- connections that say nothing ---------------------------------------------------------------
IDLE = 1281


def silent(daemon, count: int, text: bytes = b"", addresses: int = 1, net: str = "127.0.1") -> list[socket.socket]:
    """Connections of so many peers; all of 127.0.0.0/8 is this machine."""
    host, port = daemon.netloc.rsplit(":", 1)
    peers = [socket.create_connection((host, int(port)), 20, (f"{net}.{n % addresses + 1}", 0))
             for n in range(count)]
    for peer in peers:
        peer.sendall(text)
    return peers


@pytest.mark.parametrize("text", [
    b"", b"GET /v1/health HTTP/1.1\r\nHo", b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /v1/sandboxes HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"],
    ids=["nothing", "half a header", "a whole request", "half a body"])
def test_cannot_silence_it_by_connections_that_wait(daemon, text):
    peers = silent(daemon, IDLE, text)
    assert daemon.call("GET", "/v1/health")[0] == 200
    assert daemon.claim().ready()
    for peer in peers:
        peer.close()


def test_cannot_silence_it_by_connections_of_many_peers_that_wait(daemon):
    peers = silent(daemon, IDLE, b"GET /v1/health", 100)
    assert daemon.call("GET", "/v1/health")[0] == 200
    assert daemon.claim().ready()
    for peer in peers:
        peer.close()


def test_cannot_keep_more_than_a_few_waiting_of_one_peer(daemon):
    """The one that has waited longest goes, the newest stays, and so does another peer's, which has waited for
    longer: it is not patience that ends."""
    (other,) = silent(daemon, 1, net="127.0.2")
    peers = silent(daemon, 17)
    assert read_to_end(peers[0]) == b""
    for kept in (other, peers[-1]):
        kept.setblocking(False)
        with pytest.raises(BlockingIOError):
            kept.recv(1)
    for peer in (other, *peers):
        peer.close()


def test_cannot_end_who_is_served_by_connections_that_wait(daemon):
    sandbox = daemon.claim()
    events = sandbox.ready()  # its stream stays open
    peers = silent(daemon, IDLE)
    request = sandbox.execute("echo hello")
    assert events.next("execute_reply").parent == request
    for peer in peers:
        peer.close()


def read_to_end(peer: socket.socket) -> bytes:
    data = b""
    while piece := peer.recv(4096):
        data += piece
    return data


def test_cannot_wait_for_ever_with_a_request(daemon):
    """It is closed although it says something now and then."""
    (peer,) = silent(daemon, 1, b"GET /v1/health HTTP/1.1\r\n")
    peer.settimeout(1)
    for _ in range(60):
        try:
            peer.sendall(b"A: b\r\n")
            assert peer.recv(1) == b""
            break
        except TimeoutError:
            continue
        except (ConnectionResetError, BrokenPipeError):
            break
    else:
        pytest.fail("the connection is still open after a minute")


# --- where a request ends -----------------------------------------------------------------------
NEXT = b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("lengths", [
    b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(NEXT),
    b"Content-Length: %d\r\nContent-Length: 0\r\n" % len(NEXT),
    b"Content-Length: 2\r\ncontent-length: 2\r\n",
    b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"])
def test_cannot_hide_a_request_behind_two_lengths(daemon, lengths):
    for method in (b"GET /v1/health", b"POST /v1/sandboxes"):
        (peer,) = silent(daemon, 1, method + b" HTTP/1.1\r\nHost: x\r\n" + lengths + b"\r\n" + NEXT)
        answer = read_to_end(peer)
        assert answer.startswith(b"HTTP/1.1 400")
        assert answer.count(b"HTTP/1.1") == 1
        peer.close()

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


def test_metrics_are_prometheus_text(daemon):
    def metrics():
        connection = daemon.connect()
        connection.request("GET", "/metrics")
        response = connection.getresponse()
        assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        lines = response.read().decode().splitlines()
        assert all(re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+({.+})? \d+", line) for line in lines)
        return dict(line.rsplit(" ", 1) for line in lines if line[0] != "#")

    before = metrics()
    sandbox = daemon.claim()
    sandbox.ready()
    after = metrics()
    assert before['cellpod_sandboxes{state="ready"}'] == "0"
    assert after['cellpod_sandboxes{state="ready"}'] == "1"
    assert after["cellpod_claims_total"] == "1"
    assert int(after["cellpod_memory_bytes"]) > 0
    assert int(after["cellpod_http_requests_total"]) > int(before["cellpod_http_requests_total"])
    assert sandbox.id not in str(after)


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

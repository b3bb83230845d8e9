"""agent-sandbox's runtime API, by its published Python client and byte for byte."""

import json
import urllib.parse

import pytest

from support import processes
from support.lean_python import WHOLE, lean_python
from unit.sandbox.sandboxd_client import TcpDaemon

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")


def start(*options, python=None):
    daemon = TcpDaemon(*options, CELLPOD_PYTHON=python or lean_python())
    assert daemon.said.startswith("ready ")
    return daemon


def stop(daemon):
    children = processes.descendants(daemon.process.pid)
    daemon.close()
    processes.assert_all_end(children, "sandboxd")


@pytest.fixture(scope="module")
def daemon(laboratory):
    daemon = start("--runtime-api", "open", "--capacity", "1", python=WHOLE)
    assert call(daemon, "GET", "/exists/")[0] == 200  # the default sandbox is made
    yield daemon
    stop(daemon)


def call(daemon, method, path, body=None, headers=None):
    connection = daemon.connect()
    connection._validate_path = lambda url: None
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    answer = response.status, response.read()
    connection.close()
    return answer


def form(*parts: tuple[str, bytes], boundary: bytes = b"BOUNDARY"):
    body = b"".join(b"--%b\r\n%b\r\n\r\n%b\r\n" % (boundary, head.encode(), data) for head, data in parts)
    return body + b"--%b--\r\n" % boundary, {"Content-Type": f"multipart/form-data; boundary={boundary.decode()}"}


def file_part(name: str, data: bytes = b"x", key: str = "file"):
    return f'Content-Disposition: form-data; name="{key}"; filename="{name}"', data


# --- the published client ---------------------------------------------------------------------
@pytest.fixture
def sandbox(daemon):
    from k8s_agent_sandbox.models import SandboxDirectConnectionConfig
    from k8s_agent_sandbox.sandbox import Sandbox

    class NoCluster:  # in direct mode the client asks Kubernetes for the pod's address alone
        def get_sandbox(self, *_):
            return {}

    config = SandboxDirectConnectionConfig(api_url=f"http://{daemon.netloc}")
    sandbox = Sandbox("claim", "sandbox", connection_config=config, k8s_helper=NoCluster())
    yield sandbox
    sandbox.connector.close()


def test_it_runs_commands(sandbox):
    result = sandbox.commands.run("echo 'hello world'")
    assert (result.stdout, result.stderr, result.exit_code) == ("hello world\n", "", 0)
    assert sandbox.commands.run("sh -c 'echo oops >&2; exit 3'").exit_code == 3
    assert sandbox.commands.run("python -c 'import pandas; print(6 * 7)'").stdout == "42\n"
    late = sandbox.commands.run("sh -c 'echo begun; sleep 1000'", command_timeout=1)
    assert (late.timed_out, late.exit_code) == (True, 124)
    assert late.stdout in ("begun\n", "")  # where a second is not enough to begin
    assert sandbox.commands.run("echo in time", command_timeout=200).timed_out is False
    missing = sandbox.commands.run("no-such-program")
    assert (missing.stdout, missing.exit_code) == ("", 1)
    assert missing.stderr == "Failed to execute command: [Errno 2] No such file or directory: 'no-such-program'"
    assert sandbox.commands.run("echo 'open").stderr == "Failed to execute command: No closing quotation"


def test_it_writes_reads_and_lists_files(sandbox):
    content = bytes(range(256)) * 4096
    sandbox.files.write("data/in.bin", content)
    assert sandbox.files.read("data/in.bin") == content
    sandbox.files.write("data/half a name 100%.txt", "text")
    entries = {entry.name: entry for entry in sandbox.files.list("data")}
    assert set(entries) == {"in.bin", "half a name 100%.txt"}
    assert (entries["in.bin"].size, entries["in.bin"].type) == (len(content), "file")
    assert sandbox.files.exists("data/in.bin") and not sandbox.files.exists("data/out.bin")
    assert sandbox.files.list(".")[0].type in ("file", "directory")


def test_what_is_not_there_is_an_error_of_its_own(sandbox):
    from k8s_agent_sandbox.exceptions import SandboxRequestError

    with pytest.raises(SandboxRequestError) as error:
        sandbox.files.read("nothing")
    assert error.value.status_code == 404


# --- upstream's sequence (examples/python-runtime-sandbox/tester.py), but for its packages -------
def test_the_answers_are_upstreams(daemon):
    assert call(daemon, "GET", "/") == (200, b'{"status":"ok","message":"Sandbox Runtime is active."}')
    headers = {"Content-Type": "application/json"}
    assert call(daemon, "POST", "/execute", b'{"command": "echo \'hello world\'"}', headers) == (
        200, b'{"stdout":"hello world\\n","stderr":"","exit_code":0}')
    assert isinstance(json.loads(call(daemon, "GET", "/list/")[1]), list)
    assert call(daemon, "GET", "/exists/") == (200, b'{"path":"","exists":true}')
    assert call(daemon, "GET", "/exists/does_not_exist") == (200, b'{"path":"does_not_exist","exists":false}')
    for path in ("../../etc/passwd", "/../etc/passwd"):
        quoted = urllib.parse.quote(path, safe="")
        for what in ("exists", "list", "download"):
            assert call(daemon, "GET", f"/{what}/{quoted}") == (403, b'{"message":"Access denied"}')
    assert call(daemon, "POST", "/upload", *form(file_part("test.txt", b"Hello"))) == (
        200, b'{"message":"File \'test.txt\' uploaded successfully."}')
    assert call(daemon, "GET", "/download/test.txt") == (200, b"Hello")
    assert call(daemon, "POST", "/execute", b'{"command": "rm test.txt"}', headers)[0] == 200
    assert call(daemon, "GET", "/download/test.txt") == (404, b'{"message":"File not found"}')
    assert call(daemon, "GET", "/list/test.txt") == (404, b'{"message":"Path is not a directory"}')
    assert call(daemon, "POST", "/upload", *form(file_part("../../unsafe.txt"))) == (
        403, b'{"message":"Access denied"}')
    assert call(daemon, "POST", "/execute-python", b'{"code": "print(42)"}', headers) == (
        200, b'{"stdout":"42\\n","stderr":"","exit_code":0}')
    assert call(daemon, "POST", "/execute", b"{}", headers)[0] == 422
    for seconds in ("0", "-1", '"1"', "true"):
        assert call(daemon, "POST", "/execute", b'{"command":"true","timeout_seconds":%s}' % seconds.encode(),
                    headers)[0] == 422
    assert call(daemon, "POST", "/upload", b"", headers)[0] == 400


def test_files_of_the_second_generation(daemon):
    assert call(daemon, "PUT", "/v1/files/v1%2Fa.txt?mode=0755", b"one") == (204, b"")
    assert call(daemon, "GET", "/v1/files/v1%2Fa.txt") == (200, b"one")
    assert call(daemon, "HEAD", "/v1/files/v1%2Fnothing")[0] == 404
    listing = json.loads(call(daemon, "GET", "/v1/files/v1")[1])
    assert listing["path"] == "/v1"
    assert [(e["name"], e["size"], e["type"], e["mode"]) for e in listing["entries"]] == [
        ("a.txt", 3, "file", "0755")]
    assert call(daemon, "PUT", "/v1/files/v1/b.txt", *form(file_part("ignored", b"two"))) == (204, b"")
    assert call(daemon, "GET", "/v1/files/v1/b.txt") == (200, b"two")
    status, answer = call(daemon, "DELETE", "/v1/files/v1")
    assert (status, json.loads(answer)["code"]) == (409, "CONFLICT")
    assert call(daemon, "DELETE", "/v1/files/v1?recursive=true") == (204, b"")
    status, answer = call(daemon, "GET", "/v1/files/..%2F..%2Fetc%2Fpasswd")
    assert (status, json.loads(answer)["code"]) == (403, "PERMISSION_DENIED")
    assert json.loads(call(daemon, "GET", "/v1/health")[1])["status"] == "ok"
    assert json.loads(call(daemon, "GET", "/v1/metadata")[1])["env"] == {}


# --- cannot -------------------------------------------------------------------------------------
@pytest.mark.parametrize("body", [
    b"", b"--BOUNDARY", b"--BOUNDARY\r\n", b"--BOUNDARY\r\n\r\n\r\n--BOUNDARY--\r\n", b"\0" * 4096,
    b"--OTHER\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\ny\r\n--OTHER--\r\n",
    b"--BOUNDARY\r\n" + b"X-Long: " + b"y" * 200000 + b"\r\n\r\nz\r\n--BOUNDARY--\r\n",
    b"--BOUNDARY\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nno name\r\n--BOUNDARY--\r\n",
    form(file_part("x", key="other"))[0], form(file_part(""))[0], form(file_part("."))[0],
    form(file_part("a/../../b"))[0], form(file_part("x" * 300))[0]])
def test_cannot_be_confused_by_a_form(daemon, body):
    before = call(daemon, "GET", "/list/")
    status, answer = call(daemon, "POST", "/upload", body, form()[1])
    assert 400 <= status < 500, answer
    assert "message" in json.loads(answer)
    assert call(daemon, "GET", "/list/") == before


def test_cannot_be_used_over_tcp_unless_it_is_opened(laboratory):
    daemon = start()
    try:
        for method, path, body in (("POST", "/execute", b'{"command": "id"}'), ("GET", "/list/", None),
                                   ("GET", "/v1/files/", None), ("GET", "/exists/", None),
                                   ("POST", "/upload", form(file_part("x"))[0])):
            assert call(daemon, method, path, body, form()[1])[0] == 403
        assert call(daemon, "GET", "/")[0] == 200
        sandbox = daemon.claim()  # with its token it answers from that sandbox
        assert sandbox.raw("PUT", "/files/mine", b"1")[0] == 204
        assert call(daemon, "GET", "/download/mine", None, sandbox.headers) == (200, b"1")
        assert call(daemon, "GET", "/download/mine")[0] == 403
    finally:
        stop(daemon)


def test_cannot_use_a_sandbox_that_was_claimed(laboratory):
    daemon = start("--runtime-api", "open", "--capacity", "1")
    try:
        sandbox = daemon.claim()
        sandbox.ready()
        status, answer = call(daemon, "POST", "/execute", b'{"command": "id"}')
        assert (status, "in use" in answer.decode()) == (429, True)
        assert call(daemon, "POST", "/execute", b'{"command": "echo 1"}', sandbox.headers)[0] == 200
    finally:
        stop(daemon)

"""The sandbox image as a pod has it: under runc and under gVisor (CELLPOD_RUNTIME)."""

import http.client
import json
import os
import socket
import subprocess
import time
import uuid

import pytest

IMAGE = os.environ["CELLPOD_IMAGE"]
RUNTIME = os.environ.get("CELLPOD_RUNTIME", "runc")
TOOL = os.path.join(os.path.dirname(__file__), "../../tools/image")
PATIENCE = 120

# As the manifests have it: no root, no capabilities, a read-only root, a few writable folders.
WALLS = ["--user", "10001:10001", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
         "--read-only", "--read-only-tmpfs=false",
         *(part for folder in ("/workspace", "/tmp", "/var/tmp", "/home/sandbox")
           for part in ("--tmpfs", f"{folder}:rw,mode=1777,nosuid,nodev"))]


def podman(*arguments: str) -> str:
    done = subprocess.run([TOOL, "podman", RUNTIME, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Pod:
    def __init__(self, *options: str):
        self.netloc = f"127.0.0.1:{free_port()}"
        self.name = f"cellpod-test-{uuid.uuid4().hex[:8]}"
        started = time.monotonic()
        podman("run", "--detach", "--name", self.name, *WALLS, IMAGE, "--listen",
               f"tcp:{self.netloc}", "--capacity", "1", "--isolation", "pod", *options)
        self.headers: dict[str, str] = {}
        while not self.listens():
            assert time.monotonic() - started < PATIENCE, podman("logs", self.name)
        status, answer = self.call("POST", "/v1/sandboxes", {"task_id": str(uuid.uuid4())})
        assert status == 201, answer
        claim = json.loads(answer)
        self.headers = {"X-Cellpod-Token": claim["token"]}
        self.path = f"/v1/sandboxes/{claim['id']}"
        assert self.prints("print(1)") == "1"
        self.seconds = time.monotonic() - started

    def listens(self) -> bool:
        host, _, port = self.netloc.partition(":")
        with socket.socket() as client:
            return client.connect_ex((host, int(port))) == 0

    def call(self, method: str, path: str, body: object = None):
        connection = http.client.HTTPConnection(self.netloc, timeout=PATIENCE)
        connection.request(method, path, json.dumps(body) if isinstance(body, dict) else body, self.headers)
        response = connection.getresponse()
        return response.status, response.read()

    def execute(self, code: str, **fields) -> dict:
        status, answer = self.call("POST", f"{self.path}/execute", {"code": code, **fields})
        assert status == 200, answer
        return json.loads(answer)

    def prints(self, code: str, **fields) -> str:
        answer = self.execute(code, **fields)
        assert answer["error"] is None, answer
        return answer["stdout"].strip()

    def close(self) -> None:
        podman("rm", "--force", "--time", "0", self.name)


@pytest.fixture(scope="module")
def pod():
    pod = Pod()
    yield pod
    pod.close()


def test_its_size_and_start_time(pod, capsys):
    size = int(podman("image", "inspect", "--format", "{{.Size}}", IMAGE))
    with capsys.disabled():
        print(f"\n{IMAGE} under {RUNTIME}: {size / 1e6:.0f} MB, {pod.seconds:.1f} s from `run` to a first cell")


def test_cells_run_charts_come_and_files_move(pod):
    assert pod.prints("import os; print(os.getuid(), os.getcwd())") == "10001 /workspace"
    answer = pod.execute("import matplotlib.pyplot as plt, pandas as pd; pd.Series([1, 3, 2]).plot()")
    assert "image/png" in answer["results"][-1]
    assert pod.call("PUT", f"{pod.path}/files/a/b", b"hello")[0] == 204
    assert pod.prints("cat a/b", language="bash") == "hello"
    assert pod.call("GET", f"{pod.path}/files/a/b") == (200, b"hello")


def test_cannot_write_outside_of_the_scratch_folders(pod):
    for path in ("/usr/x", "/etc/x", "/opt/x", "/x", "/opt/python/x"):
        assert pod.execute(f"open({path!r}, 'w')")["error"]["ename"] in ("OSError", "PermissionError"), path


def test_cannot_climb_out_of_the_workspace(pod):
    pod.prints("import os; os.symlink('/etc', 'etc')")
    for path in ("..%2f..%2fetc/passwd", "etc/passwd", "%2e%2e/x", "a%00b"):
        assert pod.call("GET", f"{pod.path}/files/{path}")[0] in (400, 403, 404), path


def test_cannot_gain_privileges_or_look_into_sandboxd(pod):
    status = dict(line.split(":\t", 1) for line in
                  pod.prints("print(open('/proc/self/status').read())").splitlines() if ":\t" in line)
    assert int(status["CapEff"], 16) == 0
    assert status.get("Seccomp", "2") == "2"
    for attempt in ("open('/proc/1/mem', 'rb').read(1)", "open('/proc/1/environ').read()",
                    "import os; os.setuid(0)", "import os; os.kill(1, 9); os.chroot('/tmp')"):
        assert pod.execute(attempt)["error"]["ename"] in ("PermissionError", "OSError"), attempt
    for attempt in ("mount -t tmpfs x /tmp", "unshare -r true"):
        assert pod.execute(attempt, language="bash")["exit_code"] != 0, attempt


def test_a_worker_that_dies_is_replaced(pod):
    assert pod.execute("import os; os.kill(os.getpid(), 9)")["error"]["ename"] == "WorkerDied"
    assert pod.prints("print(2)") == "2"


def test_cannot_be_used_without_the_token(pod):
    headers, pod.headers = pod.headers, {}
    try:
        assert pod.call("GET", pod.path)[0] == 403
        assert pod.call("POST", "/v1/sandboxes", {"task_id": str(uuid.uuid4())})[0] == 429
    finally:
        pod.headers = headers


def test_the_pod_ends_with_its_sandbox():
    pod = Pod()
    assert pod.call("DELETE", pod.path)[0] == 200
    assert podman("wait", pod.name) == "0"
    pod.close()

"""What the zygote says of a request that it cannot carry out; the next one may fare better."""

import errno
import importlib.util
import json
import socket
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "sandbox/worker/zygote.py"


@pytest.fixture(scope="module")
def module():
    spec = importlib.util.spec_from_file_location("zygote", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("error, message, remedy", [
    (MemoryError(), "Cannot allocate memory", "no memory left"),
    (OSError(errno.ENOMEM, "Cannot allocate memory", "/proc/self/task"), "Cannot allocate memory", "no memory left"),
    (OSError(errno.EMFILE, "Too many open files"), "Too many open files", ""),
])  # fmt: skip
def test_a_sandbox_that_cannot_be_started_is_said_and_not_the_end(module, error, message, remedy):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    zygote = object.__new__(module.Zygote)
    zygote.channel = theirs

    def spawn(spec, fds):
        raise error

    zygote.spawn = spawn
    with ours, theirs:
        ours.send(json.dumps({"type": "spawn", "id": "a", "spec": {}}).encode())
        assert zygote.hear()
        report = json.loads(ours.recv(1 << 16))
    assert (report["type"], report["id"], report["message"]) == ("failed", "a", message)
    assert remedy in report["remedy"] and bool(remedy) == bool(report["remedy"])

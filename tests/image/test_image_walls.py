"""Attempts of tests/security that mean something else in a pod, where sandboxd shares the cells' user."""

import contextlib
import os

import pytest

from support import images

pytestmark = pytest.mark.timeout(600)


def test_cannot_see_a_process_outside_the_pod(cell):
    names = cell.prints("""
for pid in filter(str.isdigit, os.listdir("/proc")):
    print(open(f"/proc/{pid}/cmdline").read().split("\\0")[0].rpartition("/")[2])
""").split()
    assert sorted(set(names)) == ["cellpod-sandboxd", "python"]


def test_cannot_signal_a_process_outside_the_pod(cell):
    assert cell.runs("os.kill(pid, 0)", pid=os.getpid()) == "STOPPED ESRCH"


def test_cannot_read_the_nodes_memory_or_messages(cell, runtime):
    """What is left to read, such as /proc/cmdline, no container hides; gVisor has its own, and two
    devices of its own, in its memory."""
    for path in ("/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/timer_list"):
        assert cell.runs("if open(path, 'rb').read(64): print('SOME')", path=path) in (
            "REACHED", "STOPPED ENOENT"), path
    addresses = "print({line.split()[0].strip('0') for line in open('/proc/kallsyms')})"
    assert cell.runs(addresses) in ("{''}\nREACHED", "STOPPED ENOENT")
    devices = ("/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/kvm",
               "/dev/loop-control")
    for path in devices if runtime == "runsc" else (*devices, "/dev/fuse", "/dev/net/tun"):
        assert cell.runs("os.stat(path)", path=path) == "STOPPED ENOENT", path


def test_cannot_find_a_token(cell):
    """No service account is mounted; sandboxd's own is in its memory alone."""
    assert cell.runs("os.stat('/var/run/secrets')") == "STOPPED ENOENT"
    assert "TOKEN" not in cell.prints("print(list(os.environ))")


def test_what_ends_sandboxd_ends_the_pod_and_nothing_else(runtime, network):
    """The worst that a cell can do to it; where Landlock keeps signals inside it cannot even that."""
    pods = [images.Pod(runtime, network) for _ in range(2)]
    try:
        sandboxes = [pod.claim(env={}) for pod in pods]
        for sandbox in sandboxes:
            sandbox.ready().close()
        sandboxes[0].execute("import os, signal\nos.kill(-1, signal.SIGKILL)\nos.kill(1, signal.SIGTERM)")
        with contextlib.suppress(OSError):  # there is nobody any more
            sandboxes[0].events(after=1)
        status, answer = sandboxes[1].call("POST", "/execute", {"code": "print(1)"})
        assert (status, answer["stdout"]) == (200, "1\n")
    finally:
        for pod in pods:
            pod.close()

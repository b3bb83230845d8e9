"""A pod that is to stop, since its node is drained for instance: its notebook is told, and has time."""

import json
import os
import re
import signal
import urllib.error
import urllib.request

import pytest

from support.client import START
from support.kernel import connection_info
from support.pods import PORT, TemplatePod

pytestmark = [pytest.mark.cellpod_only("there is no sandboxd behind other kernels"),
              pytest.mark.skipif(os.geteuid() != 0, reason="only root can make the container")]

LONG = 3000  # seconds: no test waits for it


@pytest.fixture
def start_pod(tmp_path):
    pods = []

    def start_one(grace: int | None = LONG) -> TemplatePod:
        flags = [] if grace is None else ["--grace", str(grace)]
        pods.append(TemplatePod(f"pod-{len(pods)}", tmp_path, [
            "--listen", "tcp:0.0.0.0:8888", "--capacity", "1", "--isolation", "pod", "--claims", "open", *flags]))
        return pods[-1]

    yield start_one
    for pod in pods:
        pod.stop()


@pytest.fixture
def start(start_kernel):
    def start_one(pod: TemplatePod):
        kernel = start_kernel.on(connection_info(), arguments=["--sandbox", f"http://{pod.ip}:{PORT}"])
        return kernel, kernel.ready_client()

    return start_one


def warning(seconds: int) -> str:
    return ("cellpod: This sandbox's pod is being stopped (its node is drained, for example): it ends in "
            f"{seconds} s at the latest, with its variables and files. Cells run until then: write to files what you "
            "need. They come to the notebook's folder when their cell ends, or by `cellpod cp'.\n")


def begin_a_loop(client) -> str:
    client.run("x = 1", timeout=START)
    msg_id = client.send_execute("print('on', flush=True)\nimport time\nwhile True: time.sleep(0.1)")
    client.wait_for_text(msg_id, "on")
    return msg_id


def end(pod: TemplatePod) -> int:
    return pod.process.wait(START)


def test_a_running_cell_is_told_and_goes_on(start_pod, start):
    pod = start_pod()
    kernel, client = start(pod)
    msg_id = begin_a_loop(client)
    pod.terminate(LONG)
    assert client.published_for(msg_id, "stream", START).content["text"] == warning(LONG)
    client.request("interrupt_request", channel="control")
    assert client.finish(msg_id).content["ename"] == "KeyboardInterrupt"
    assert client.value("x") == "1"
    kernel.close()
    assert end(pod) == 0, "its kernel has left"


def test_an_idle_notebook_is_told_in_its_last_cell(start_pod, start):
    pod = start_pod()
    _, client = start(pod)
    cell = client.run("x = 1", timeout=START)
    pod.terminate(LONG)
    assert client.published_for(cell.msg_id, "stream", START).content["text"] == warning(LONG)
    assert client.value("x") == "1"


def test_it_ends_with_the_grace_and_says_what_is_lost(start_pod, start):
    pod = start_pod(grace=1)
    _, client = start(pod)
    msg_id = begin_a_loop(client)
    pod.terminate(1)
    cell = client.finish(msg_id, timeout=START)
    assert cell.stderr == warning(1)
    assert cell.content["evalue"] == "the sandbox has ended: its pod was stopped"
    assert end(pod) == 0


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_second_signal_ends_it_at_once(start_pod, start, second):
    pod = start_pod()
    _, client = start(pod)
    msg_id = begin_a_loop(client)
    pod.terminate(LONG)
    client.published_for(msg_id, "stream", START)
    pod.sandboxd.send_signal(second)
    assert client.finish(msg_id, timeout=START).content["evalue"] == "the sandbox has ended: its pod was stopped"
    assert end(pod) == 0


def test_nobody_is_waited_for_who_is_not_there(start_pod, start):
    """A kernel that was killed, whose claim has ended."""
    pod = start_pod()
    kernel, client = start(pod)
    begin_a_loop(client)
    os.kill(kernel.pid, signal.SIGKILL)
    kernel.wait_exit()
    pod.terminate(LONG)
    assert end(pod) == 0


def stopping(pod: TemplatePod) -> str:
    with urllib.request.urlopen(f"http://{pod.ip}:{PORT}/metrics") as answer:
        return re.search(r"^cellpod_stopping (.*)$", answer.read().decode(), re.M)[1]


def test_it_is_counted_while_it_waits(start_pod, start):
    pod = start_pod()
    _, client = start(pod)
    cell = client.run("x = 1", timeout=START)
    before = stopping(pod)
    pod.terminate(LONG)
    client.published_for(cell.msg_id, "stream", START)
    assert (before, stopping(pod)) == ("0", "1")


def test_a_pod_that_nobody_has_claimed_ends_at_once(start_pod):
    pod = start_pod()
    pod.terminate(LONG)
    assert end(pod) == 0
    assert "received a signal" in pod.log.read_text()


def test_cannot_be_claimed_any_more(start_pod, start):
    pod = start_pod()
    _, client = start(pod)
    msg_id = begin_a_loop(client)
    pod.terminate(LONG)
    client.published_for(msg_id, "stream", START)
    claim = urllib.request.Request(f"http://{pod.ip}:{PORT}/v1/sandboxes", json.dumps({"task_id": "0" * 32}).encode())
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(claim)
    assert refused.value.code == 503
    assert "shutting down" in refused.value.read().decode()

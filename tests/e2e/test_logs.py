"""Logs in JSON: one object a line, in kernel and sandboxd, with an id for each cell that both share."""

import json
import os
import re

import pytest

from support.client import START
from support.kernel import connection_info
from support.pods import PORT, TemplatePod

pytestmark = [pytest.mark.cellpod_only("their logs are others"),
              pytest.mark.skipif(os.geteuid() != 0, reason="only root can make the container")]

SECRET = "a-key-of-nobody"


@pytest.fixture
def pod(tmp_path):
    pod = TemplatePod("pod", tmp_path, ["--listen", "tcp:0.0.0.0:8888", "--capacity", "1", "--isolation", "pod",
                                        "--claims", "open", "--log-format", "json"])
    yield pod
    pod.stop()


@pytest.fixture
def kernel(start_kernel, pod):
    return start_kernel.on(connection_info(), env={"CELLPOD_LOG": "debug", "CELLPOD_LOG_FORMAT": "json",
                                                   "OPENAI_API_KEY": SECRET, "CELLPOD_ENV_PASSTHROUGH": "PASSED",
                                                   "PASSED": SECRET},
                           arguments=["--sandbox", f"http://{pod.ip}:{PORT}", "--checkpoints", "0"])


def objects(text: str) -> list[dict]:
    found = [json.loads(line) for line in text.splitlines()]
    assert found and all({"time", "severity", "component", "message"} <= set(one) <=
                         {"time", "severity", "component", "message", "trace_id"} for one in found)
    return found


def test_a_cell_has_one_id_in_kernel_and_sandboxd(kernel, pod):
    client = kernel.ready_client()
    client.run("import os", timeout=START)
    assert "exit" in client.execute("os._exit(3)", timeout=START).content["evalue"]
    client.run(f"print({SECRET!r})", timeout=START)
    kernel.close()
    ours, theirs = kernel.log.read_text(), pod.log.read_text()
    begun = [one["trace_id"] for one in objects(ours) if one["message"] == "begins type=execute_request"]
    assert len(set(begun)) == 3 and all(re.fullmatch("[0-9a-f]{32}", one) for one in begun)
    for message in ("request begins id=", "request ends id="):
        assert [one["trace_id"] for one in objects(theirs) if one["message"].startswith(message)
                and one.get("trace_id") in begun] == begun
    [death] = [one for one in objects(theirs) if one["message"].startswith("worker exited")]
    assert death["trace_id"] == begun[1], "what ended with a cell is told as that cell's"
    idle = [one for one in objects(theirs) if "trace_id" not in one]
    assert any(one["message"].startswith("ready id=") for one in idle)
    assert SECRET not in ours + theirs


def test_a_pod_says_no_token(kernel, pod):
    kernel.ready_client().run("pass", timeout=START)
    assert not re.search("(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", kernel.log.read_text() + pod.log.read_text())

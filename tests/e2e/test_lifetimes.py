"""A sandbox that ends by its own clock says so, in the notebook and over HTTP."""

import pytest

from support.client import START
from support.kernel import connection_info

pytestmark = pytest.mark.cellpod_only("other kernels have no sandbox that could end")


@pytest.fixture
def start(start_kernel):
    return lambda *flags: start_kernel.on(connection_info(), arguments=flags).ready_client()


def test_a_cell_that_outlives_its_sandbox_is_told_why(start):
    cell = start("--ttl-seconds", "3").execute("print('on')\nimport time; time.sleep(600)",
                                               timeout=START)
    assert (cell.content["ename"], cell.content["evalue"]) == (
        "SandboxError", "the sandbox has ended: its time of 3 s is up (ttl_seconds)")
    assert cell.stdout == "on\n"


def test_an_idle_sandbox_says_so_below_the_last_cell_and_the_next_one_runs(start):
    client = start("--idle-seconds", "1")
    last = client.run("x = 1", timeout=START)
    told = client.published_for(last.msg_id, "stream", timeout=START).content
    assert told["name"] == "stderr"
    assert told["text"].startswith(
        "cellpod: the sandbox has ended: it was idle for 1 s (idle_seconds)\n")
    assert client.run("print('x' in globals())", timeout=START).stdout == "False\n"

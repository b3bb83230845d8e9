"""What a notebook on a cluster says, and does, on a bad day. Times are not asserted: what is said
first, and what comes of it."""

import json
import re

import pytest

from support.client import START

pytestmark = pytest.mark.cellpod_only("other kernels claim no pods")


@pytest.fixture
def start(start_on_cluster):
    return start_on_cluster


def stages(cell) -> list[str]:
    """What a waiting cell showed, one after the other."""
    return [message.content["data"]["text/plain"] for message in cell.outputs
            if message.type in ("display_data", "update_display_data")
            and message.content["data"].get("text/plain", "").startswith("cellpod: ")]


def shown(client, msg_id, text):
    client.published(lambda m: m.parent_id == msg_id and "display_data" in m.type
                     and text in json.dumps(m.content, ensure_ascii=False).replace('\\"', '"'),
                     timeout=START)


# --- pods that are gone while their claims say Ready ------------------------------------------


def test_a_pod_that_does_not_answer_is_told_and_replaced(start, cluster):
    silent, good = cluster.add_silent_pod(), cluster.add_pod()
    client = start().ready_client()
    msg_id = client.send_execute("print('ran')")
    shown(client, msg_id, ") has not answered for 4 s")
    cell = client.finish(msg_id, timeout=START)
    assert cell.stdout == "ran\n"
    [claim] = cluster.claims
    assert claim["status"]["sandbox"]["name"] == good.name
    said = "\n".join(stages(cell))
    assert re.search(rf"pod lab/{silent.name} \(SandboxClaim cellpod-\S+\): sandboxd does not answer: .*; "
                     "claiming another pod", said)


def test_pods_that_do_not_answer_are_not_tried_for_ever(start, cluster):
    for _ in range(4):
        cluster.add_silent_pod()
    cell = start("--wait", "60").ready_client().execute("1", timeout=START)
    assert cell.status == "error"
    assert "pod lab/python-2 (SandboxClaim " in cell.content["evalue"]
    assert "sandboxd does not answer" in cell.content["evalue"]
    assert len(cluster.warm) == 1, "three were tried"
    cluster.wait_no_claim()

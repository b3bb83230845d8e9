"""What a notebook on a cluster says, and does, on a bad day. Times are not asserted: what is said
first, and what comes of it."""

import json
import re
import signal
import socket

import pytest

from support.client import START
from support.kube_standin import ApiServer
from support.kubeconfig import kubeconfig

pytestmark = pytest.mark.cellpod_only("other kernels claim no pods")


@pytest.fixture
def start(start_on_cluster):
    return start_on_cluster


def stages(cell) -> list[str]:
    """What a waiting cell showed, one after the other."""
    return [message.content["data"]["text/plain"] for message in cell.outputs
            if message.type in ("display_data", "update_display_data")
            and message.content["data"].get("text/plain", "").startswith("cellpod: ")]


def shown(client, msg_id, text) -> str:
    """Until a stage says so: what it says."""
    message = client.published(lambda m: m.parent_id == msg_id and "display_data" in m.type
                               and text in json.dumps(m.content, ensure_ascii=False).replace('\\"', '"'),
                               timeout=START)
    return message.content["data"]["text/plain"]


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


def test_a_pod_that_falls_silent_in_mid_session_is_told_and_answers_again(start, cluster):
    pod = cluster.add_pod()
    client = start().ready_client()
    client.execute("import time", timeout=START)
    msg_id = client.send_execute("print('began')\nwhile True: time.sleep(0.1)")
    client.published_for(msg_id, "stream", START)
    pod.sandboxd.send_signal(signal.SIGSTOP)
    try:
        silent = client.published_for(msg_id, "stream", START)
    finally:
        pod.sandboxd.send_signal(signal.SIGCONT)
    again = client.published_for(msg_id, "stream", START)
    client.request("interrupt_request", channel="control")
    cell = client.finish(msg_id, timeout=START)
    assert (cell.status, cell.content["ename"]) == ("error", "KeyboardInterrupt")
    [claim] = cluster.claims
    who = f"cellpod: pod lab/{pod.name} (SandboxClaim {claim['metadata']['name']})"
    assert silent.content["text"] == (
        f"{who} has not answered for 4 s. It is asked for 56 s more. To get another sandbox at once, "
        "without its variables, restart the kernel.\n")
    assert again.content["text"] == f"{who} answers again.\n"
    assert client.execute("print(time.time() > 0)").stdout == "True\n", "its variables are kept"


# --- the API server ---------------------------------------------------------------------------


def test_an_api_server_that_is_down_at_the_start_is_waited_for(start, cluster, authority, certificate):
    """Nobody listens there until the waiting cell has said so."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
    url = f"https://127.0.0.1:{port}"
    cluster.add_pod()
    client = start(config=kubeconfig(url, authority, {"token": "good-token"})).ready_client()
    msg_id = client.send_execute("print('ran')")
    shown(client, msg_id, f"the API server {url} (")
    back = ApiServer(certificate, authority.cert, port=port)
    cluster.move_to(back)
    cell = client.finish(msg_id, timeout=START)
    assert cell.stdout == "ran\n"
    assert all("does not answer" in stage for stage in stages(cell) if url in stage)


# --- a pool that is exhausted -----------------------------------------------------------------


def test_who_waits_sees_the_place_in_the_queue_and_why(start, cluster):
    cluster.adopts = False
    clients = [start().ready_client() for _ in range(2)]
    cluster.server.wait_for(lambda: len(cluster.claims) == 2)
    for name, ahead in (("older", -60), ("ready", -60), ("of-another-pool", -60)):
        cluster.add_claim(name, ahead, pool="other" if "pool" in name else "cellpod")
    cluster.set_ready("ready", "python-9", "10.0.0.9")
    cells = [client.send_execute("print('ran')") for client in clients]
    said = {shown(client, msg_id, ": no pod is free, a new one is being made (place ").partition("(")[2]
            for client, msg_id in zip(clients, cells, strict=True)}
    assert said == {f"place {place} of 3 that wait for pool cellpod) …" for place in (2, 3)}
    for name in ("older", "ready", "of-another-pool"):
        cluster.server.store.delete(cluster.collection, name)
    for claim in cluster.claims:
        cluster.adopt(claim["metadata"]["name"], cluster.add_pod())
    for client, msg_id in zip(clients, cells, strict=True):
        assert client.finish(msg_id, timeout=START).stdout == "ran\n"


def test_a_queue_of_thousands_is_counted_and_not_read(start, cluster):
    """Where all who wait read all who wait, an API server has nothing else to do."""
    cluster.adopts = False
    for i in range(2000):
        cluster.add_claim(f"younger-{i}", -60, pool="cellpod")
    client = start().ready_client()
    msg_id = client.send_execute("1")
    assert "(place" not in shown(client, msg_id, ": no pod is free, a new one is being made")
    asked = cluster.server.wait_for(lambda: [
        request.query for request in cluster.server.requests
        if request.kind == "sandboxclaims" and "limit" in request.query])
    assert asked == [{"limit": "1"}]
    for i in range(2000):
        cluster.server.store.delete(cluster.collection, f"younger-{i}")
    [claim] = cluster.claims
    cluster.adopt(claim["metadata"]["name"], cluster.add_pod())
    cell = client.finish(msg_id, timeout=START)
    assert cell.status == "ok" and not any("(place" in stage for stage in stages(cell))

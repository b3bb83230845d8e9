"""An idle notebook gives up its pod, and gets it back with the next cell."""

import json

import pytest

from support.client import START
from support.lean_python import WHOLE
from support.suspending import SANDBOXES, Suspender
from support.watch import wait_for_file

pytestmark = pytest.mark.cellpod_only("other kernels claim no pods")


@pytest.fixture
def suspender(cluster):
    """Made by the test's call, with what it wants."""
    made = []

    def make(python=None, **options):
        made.append(Suspender(cluster, cluster.add_pod(python), **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def stages(cell) -> str:
    return "\n".join(message.content["data"].get("text/plain", "") for message in cell.outputs
                     if "display_data" in message.type)


def test_an_idle_notebook_is_suspended_and_resumed_with_its_memory(start_on_cluster, cluster, suspender):
    node = suspender(WHOLE)
    client = start_on_cluster("--suspend", "1").ready_client()
    assert client.execute("x = 41", timeout=START).status == "ok"
    node.wait_suspended()
    [claim] = cluster.claims
    [trigger] = node.triggers
    assert trigger["metadata"]["ownerReferences"] == [{
        "apiVersion": claim["apiVersion"], "kind": "SandboxClaim", "name": claim["metadata"]["name"],
        "uid": claim["metadata"]["uid"]}]
    cell = client.execute("print(x + 1)", timeout=START)
    assert cell.stdout == "42\n" and "stderr" not in json.dumps([m.content for m in cell.outputs])
    assert f"pod lab/{node.pod.name}: resuming" in stages(cell) or not stages(cell)
    assert node.modes[:2] == ["Suspended", "Running"] and len(cluster.claims) == 1


def test_a_pod_that_is_resumed_without_its_memory_is_said(start_on_cluster, cluster, suspender):
    node = suspender(restores=False)
    client = start_on_cluster("--suspend", "1").ready_client()
    assert client.execute("x = 41", timeout=START).status == "ok"
    node.wait_suspended()
    [claim] = cluster.claims
    cell = client.execute("print(x + 1)", timeout=START)
    assert cell.status == "error" and cell.stdout == ""
    assert cell.content["evalue"] == (
        f"pod lab/{node.pod.name} (SandboxClaim {claim['metadata']['name']}): its pod was suspended while the notebook "
        "was idle, and was resumed without its memory")
    assert "Its variables are lost. Run the cell again to get a new pod." in "\n".join(cell.content["traceback"])
    cluster.add_pod()
    assert client.execute("print('x' in globals())", timeout=START).stdout == "False\n"


def said_below_the_cell(client, msg_id) -> str:
    return client.published_for(msg_id, "stream", START).content["text"]


def test_without_pod_snapshots_no_pod_is_taken_away(start_on_cluster, cluster):
    """And it is said: an idle notebook goes on costing what it costs."""
    pod = cluster.add_pod()
    cluster.server.store.create(SANDBOXES, {"metadata": {"name": pod.name}, "spec": {"operatingMode": "Running"}})
    client = start_on_cluster("--suspend", "1").ready_client()
    msg_id = client.send_execute("x = 41")
    assert client.finish(msg_id, timeout=START).status == "ok"
    assert said_below_the_cell(client, msg_id) == (
        "cellpod: this notebook was idle, and keeps its pod: this cluster has no Pod Snapshots (podsnapshot.gke.io/v1)\n")
    assert client.execute("print(x + 1)", timeout=START).stdout == "42\n"
    assert cluster.server.store.get(SANDBOXES, pod.name)["spec"] == {"operatingMode": "Running"}


def test_a_snapshot_that_fails_keeps_the_pod(start_on_cluster, cluster, suspender):
    node = suspender(failure="the bucket cannot be written")
    client = start_on_cluster("--suspend", "1").ready_client()
    msg_id = client.send_execute("x = 41")
    assert client.finish(msg_id, timeout=START).status == "ok"
    assert said_below_the_cell(client, msg_id) == (
        "cellpod: this notebook was idle, and keeps its pod: its snapshot failed: the bucket cannot be written\n")
    assert client.execute("print(x + 1)", timeout=START).stdout == "42\n"
    assert node.modes == []


def test_a_cell_that_comes_while_the_snapshot_is_taken_keeps_the_pod(start_on_cluster, cluster, suspender):
    node = suspender()
    node.takes_snapshots.clear()
    client = start_on_cluster("--suspend", "1").ready_client()
    assert client.execute("x = 41", timeout=START).status == "ok"
    cluster.server.wait_for(lambda: node.triggers)
    assert client.execute("print(x + 1)", timeout=START).stdout == "42\n"
    assert node.modes == []


def test_a_kernel_ends_while_its_pod_is_suspended(start_on_cluster, cluster, suspender):
    node = suspender()
    kernel = start_on_cluster("--suspend", "1")
    assert kernel.ready_client().execute("x = 41", timeout=START).status == "ok"
    node.wait_suspended()
    kernel.close()
    cluster.wait_no_claim()


def test_what_runs_is_not_idle(start_on_cluster, cluster, suspender):
    node = suspender()
    kernel = start_on_cluster("--suspend", "1", env={"CELLPOD_LOG": "idleness=info"})
    client = kernel.ready_client()
    assert client.execute("1", timeout=START).status == "ok"
    msg_id = client.send_execute("input()", allow_stdin=True)
    wait_for_file(kernel.log, lambda text: "info idleness is in use" in text, START)
    assert node.modes == [] and not node.triggers
    client.answer_input("done", START)
    assert client.finish(msg_id, timeout=START).status == "ok"


def test_the_next_kernel_of_a_killed_one_resumes_the_pod(start_on_cluster, cluster, suspender, tmp_path):
    """It finds the session suspended, and has its variables as that kernel would have had."""
    node = suspender()
    env = {"JPY_SESSION_NAME": "/notebooks/one.ipynb", "XDG_STATE_HOME": str(tmp_path / "state")}
    kernel = start_on_cluster("--suspend", "1", env=env)
    assert kernel.ready_client().execute("x = 41", timeout=START).status == "ok"
    node.wait_suspended()
    kernel.process.kill()
    kernel.wait_exit()
    [left] = cluster.claims
    cell = start_on_cluster("--suspend", "600", env=env).ready_client().execute("print(x + 1)", timeout=START)
    assert cell.status == "ok" and cell.stdout == "42\n"
    assert "cellpod: this is the session from before" in cell.stderr
    assert [claim["metadata"]["name"] for claim in cluster.claims] == [left["metadata"]["name"]]
    assert node.modes == ["Suspended", "Running"]

"""`--sandbox gke` against a real API server and agent-sandbox's own controller."""

import json
import os
import signal
import urllib.parse

import pytest

from support.client import START
from support.cluster import CLAIMS, PODS, SANDBOXES, wait_for
from support.kernel import connection_info
from support.kubeconfig import kubeconfig, write_kubeconfig
from support.saves import wait_for_checkpoint

pytestmark = pytest.mark.cellpod_only("other kernels claim no pods")


@pytest.fixture
def start(start_kernel, plane, pool, tmp_path):
    """A kernel of the user `tester`, who may do what JupyterLab may: claims alone."""
    config = write_kubeconfig(tmp_path / "config", kubeconfig(
        plane.url, plane.authority, {"token": "tester-token"}))

    def start_one(*arguments, **env):
        return start_kernel.on(
            connection_info(), arguments=["--sandbox", "gke", *arguments],
            env={"KUBECONFIG": str(config), "KUBERNETES_SERVICE_HOST": "", **env})

    yield start_one
    for kernel in start_kernel.kernels:
        kernel.close()
    wait_for(lambda: not plane.api.items(CLAIMS), "no claim is left")


def the_claim(plane):
    claims = plane.api.items(CLAIMS)
    assert len(claims) == 1
    return claims[0]


def test_a_warm_pod_is_adopted_and_runs_cells(start, plane, kubelet):
    warm = {pod["metadata"]["uid"] for pod in plane.api.items(PODS)}
    kernel = start(USER="ann")
    client = kernel.ready_client()
    cell = client.execute("import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); print('drawn')",
                          timeout=START)
    assert cell.stdout == "drawn\n"
    assert any("image/png" in m.content["data"] for m in cell.of_type("display_data"))
    claim = the_claim(plane)
    assert claim["metadata"]["labels"]["cellpod.dev/user"] == "ann"
    sandbox = claim["status"]["sandbox"]["name"]
    assert plane.api.get(f"{PODS}/{sandbox}")["metadata"]["uid"] in warm, "a cold start"
    wait_for(lambda: plane.api.get(f"{PODS}/{sandbox}")["metadata"]["labels"].get("sandbox.users.io/user") == "ann",
             "whose the pod is")
    kernel.close()
    wait_for(lambda: not plane.api.items(CLAIMS), "the claim's deletion")
    wait_for(lambda: sandbox not in [s["metadata"]["name"] for s in plane.api.items(SANDBOXES)],
             "the sandbox's deletion")


def test_a_claim_is_renewed_and_expires_with_a_kernel_that_is_killed(start, plane):
    kernel = start("--ttl", "12")
    kernel.ready_client().run("pass", timeout=START)
    first = the_claim(plane)["spec"]["lifecycle"]["shutdownTime"]
    wait_for(lambda: the_claim(plane)["spec"]["lifecycle"]["shutdownTime"] > first, "a renewal")
    os.kill(kernel.pid, signal.SIGKILL)
    kernel.wait_exit()
    wait_for(lambda: not plane.api.items(CLAIMS), "the end of the claim")


def test_the_next_kernel_has_the_session_of_one_that_is_killed(start, plane):
    named = {"JPY_SESSION_NAME": "/notebooks/one.ipynb"}
    kernel = start(**named)
    client = kernel.ready_client()
    client.run("x = [1, 2]", timeout=START)
    cell = client.send_execute("import time\nprint('on', flush=True)\ntry: time.sleep(600)\n"
                               "except KeyboardInterrupt: x.append(3)")
    client.wait_for_text(cell, "on")
    claim = the_claim(plane)
    os.kill(kernel.pid, signal.SIGKILL)
    kernel.wait_exit()
    client = start(**named).ready_client()
    first = client.send_execute("print(x)")
    client.wait_for_text(first, "cellpod: this is the session from before; its kernel ended at ", START)
    client.wait_for_text(first, "on\n")
    client.request("interrupt_request", channel="control")
    client.wait_for_text(first, "[1, 2, 3]\n", START)
    assert the_claim(plane)["metadata"]["uid"] == claim["metadata"]["uid"]


def begin_a_long_cell(client) -> str:
    """It has begun, and goes on until something ends it."""
    client.run("x = 1", timeout=START)
    msg_id = client.send_execute("print('in it', flush=True)\nimport time\ntime.sleep(600)")
    client.wait_for_text(msg_id, "in it")
    return msg_id


def test_a_killed_pod_is_certified_and_the_next_cell_claims_anew(start, plane, kubelet):
    client = start().ready_client()
    msg_id = begin_a_long_cell(client)
    first = the_claim(plane)
    sandbox = first["status"]["sandbox"]["name"]
    kubelet.pod(sandbox).kill()
    cell = client.finish(msg_id, timeout=START)
    assert cell.status == "error"
    assert f"pod lab/{sandbox} (SandboxClaim {first['metadata']['name']})" in \
        cell.content["evalue"]
    assert client.execute("print('x' in globals())", timeout=START).stdout == "False\n"
    assert the_claim(plane)["metadata"]["name"] != first["metadata"]["name"]


def test_a_crash_and_an_undo_stay_within_the_pod(start, plane):
    client = start().ready_client()
    client.run("x = 1", timeout=START)
    first = the_claim(plane)["metadata"]["name"]
    wait_for_checkpoint(client)
    died = client.execute("x = 2; import os; os._exit(1)", timeout=START)
    assert "The variables are those from before this cell." in died.content["evalue"]
    assert client.value("x") == "1"
    wait_for_checkpoint(client)
    client.run("x = 3", timeout=START)
    assert "Undone: " in client.run("%undo", timeout=START).stdout
    assert client.value("x") == "1"
    assert the_claim(plane)["metadata"]["name"] == first


def test_a_deleted_pod_is_certified(start, plane):
    client = start().ready_client()
    client.run("x = 1", timeout=START)
    sandbox = the_claim(plane)["status"]["sandbox"]["name"]
    msg_id = client.send_execute("print('in it', flush=True)\nimport time\ntime.sleep(600)")
    client.wait_for_text(msg_id, "in it")
    plane.api.delete(f"{PODS}/{sandbox}", gracePeriodSeconds=1)
    cell = client.finish(msg_id, timeout=START)
    assert f"pod lab/{sandbox}" in cell.content["evalue"]
    assert "its pod was deleted or replaced" in cell.content["evalue"]


def drain(plane, sandbox: str) -> None:
    """As `kubectl drain` does it with each pod of a node."""
    plane.api.create(f"{PODS}/{sandbox}/eviction", {
        "apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": sandbox, "namespace": "lab"}})


def test_a_drain_warns_the_notebook_and_waits_for_its_cell(start, plane):
    client = start().ready_client()
    msg_id = begin_a_long_cell(client)
    first = the_claim(plane)
    sandbox = first["status"]["sandbox"]["name"]
    drain(plane, sandbox)
    warning = client.published_for(msg_id, "stream", START).content["text"]
    assert warning.startswith("cellpod: This sandbox's pod is being stopped (its node is drained, for example): "
                              "it ends in 120 s at the latest")
    assert plane.api.get(f"{PODS}/{sandbox}")["metadata"]["deletionGracePeriodSeconds"] == 130
    client.request("interrupt_request", channel="control")
    assert client.finish(msg_id, timeout=START).content["ename"] == "KeyboardInterrupt"
    assert client.value("x") == "1", "its variables are there until the end"
    assert the_claim(plane)["metadata"]["name"] == first["metadata"]["name"]


def test_a_deleted_claim_is_certified(start, plane):
    client = start().ready_client()
    client.run("x = 1", timeout=START)
    claim = the_claim(plane)["metadata"]["name"]
    msg_id = client.send_execute("print('in it', flush=True)\nimport time\ntime.sleep(600)")
    client.wait_for_text(msg_id, "in it")
    plane.api.delete(f"{CLAIMS}/{claim}")
    cell = client.finish(msg_id, timeout=START)
    assert claim in cell.content["evalue"]


# --- through the router ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def router(plane, pool):
    """With its timeout cut down: each stream is cut after two seconds."""
    return plane.start_router("--proxy-timeout=2s")


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_logs_name_a_cell_alike_in_kernel_and_pod(start, plane, router, kubelet):
    """By a trace id, which passes the router."""
    kernel = start("--router", router, "--log-format", "json", CELLPOD_LOG="info")
    client = kernel.ready_client()
    client.run("pass", timeout=START)
    sandbox = the_claim(plane)["status"]["sandbox"]["name"]
    [traces] = [{line["trace_id"] for line in lines(kernel.log_text()) if line["message"] == "begins type=execute_request"}]
    pod = lines(kubelet.pod(sandbox).log.read_text())
    begun = [line["trace_id"] for line in pod if line["message"].startswith("request begins id=")]
    assert len(begun) == 1 and set(begun) == traces


def test_a_long_cell_behind_a_router_that_cuts_streams_loses_nothing(start, plane, router):
    client = start("--router", router).ready_client()
    client.run("import time, os", timeout=START)
    cell = client.execute(
        "for i in range(60):\n    print(i, flush=True)\n    time.sleep(0.2)\n"
        "time.sleep(7)\nprint('quiet is over')", timeout=START)
    assert cell.stdout == "".join(f"{i}\n" for i in range(60)) + "quiet is over\n"
    page = urllib.parse.urlsplit(router).netloc
    assert page, "the router was in between"


# --- bad input ------------------------------------------------------------------------------


def error_of(client):
    cell = client.execute("1", timeout=START)
    assert cell.status == "error"
    return cell.content["evalue"] + "\n" + "\n".join(cell.content["traceback"])


def test_a_pool_that_is_not_there(start):
    text = error_of(start("--pool", "nowhere").ready_client())
    assert "on pool nowhere was refused: WarmPoolNotFound" in text


def test_a_namespace_that_is_not_there_or_not_ours(start):
    text = error_of(start("--namespace", "elsewhere").ready_client())
    assert "you are not allowed to create the SandboxClaim elsewhere/cellpod-" in text
    assert "auth can-i create sandboxclaims.extensions.agents.x-k8s.io -n elsewhere" in text


def test_a_token_that_the_server_does_not_know(start_kernel, plane, tmp_path):
    config = write_kubeconfig(tmp_path / "config", kubeconfig(
        plane.url, plane.authority, {"token": "s3cret"}))
    kernel = start_kernel.on(connection_info(), arguments=["--sandbox", "gke"],
                             env={"KUBECONFIG": str(config)})
    text = error_of(kernel.ready_client())
    assert "does not accept the credentials" in text
    assert "s3cret" not in text + kernel.log_text()


def test_a_quota_that_is_used_up(start, plane):
    quota = "/api/v1/namespaces/lab/resourcequotas"
    plane.api.create(quota, {"metadata": {"name": "claims"}, "spec": {"hard": {
        "count/sandboxclaims.extensions.agents.x-k8s.io": "0"}}})
    plane.api.merge(f"{quota}/claims/status", {"status": {
        "hard": {"count/sandboxclaims.extensions.agents.x-k8s.io": "0"},
        "used": {"count/sandboxclaims.extensions.agents.x-k8s.io": "0"}}})
    try:
        text = error_of(start().ready_client())
    finally:
        plane.api.delete(f"{quota}/claims")
    assert "the quota of namespace lab is used up" in text
    assert "describe resourcequota -n lab" in text


def test_a_pod_that_falls_silent_is_told_and_then_lost(start, plane, kubelet):
    """Its claim says Ready all the time."""
    client = start().ready_client()
    msg_id = begin_a_long_cell(client)
    first = the_claim(plane)
    sandbox = first["status"]["sandbox"]["name"]
    pod = kubelet.pod(sandbox).sandboxd
    pod.send_signal(signal.SIGSTOP)
    try:
        told = client.published_for(msg_id, "stream", START).content["text"]
        cell = client.finish(msg_id, timeout=2 * START)
    finally:
        pod.send_signal(signal.SIGCONT)
    who = f"pod lab/{sandbox} (SandboxClaim {first['metadata']['name']})"
    assert told == (f"cellpod: {who} has not answered for 4 s. It is asked for 56 s more. To get another sandbox "
                    "at once, without its variables, restart the kernel.\n")
    assert cell.status == "error" and cell.content["evalue"].startswith(who), cell.content
    assert "sandboxd has not answered for 60 s" in cell.content["evalue"]
    assert client.execute("print('x' in globals())", timeout=START).stdout == "False\n"
    assert the_claim(plane)["metadata"]["name"] != first["metadata"]["name"]

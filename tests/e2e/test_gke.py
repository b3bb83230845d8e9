"""`--sandbox gke` against a stand-in API server; its pods are real sandboxds.

A test counts: no claim is left by any of these.
"""

import json
import os
import re
import signal
import time

import pytest

from support.client import START
from support.kernel import connection_info
from support.kube_standin import EVENTS, PODS, SANDBOXES, Fault, Refusal, parse_time
from support.kubeconfig import Authority, kubeconfig
from support.lean_python import WHOLE
from support.pods import TemplatePod
from support.router_standin import Router

pytestmark = pytest.mark.cellpod_only("other kernels claim no pods")

NO_KUBE = {name: "" for name in ("KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "https_proxy")}


@pytest.fixture
def start(start_on_cluster):
    return start_on_cluster


def error_of(client, code="1", timeout=START):
    cell = client.execute(code, timeout=timeout)
    assert cell.status == "error", cell
    assert cell.content["ename"] == "SandboxError"
    return cell.content["evalue"] + "\n" + "\n".join(cell.content["traceback"])


# --- life ---------------------------------------------------------------------------------


def test_a_cell_runs_in_a_claimed_pod(start, cluster):
    pod = cluster.add_pod(WHOLE)
    kernel = start("--ttl", "300", env={"JUPYTERHUB_USER": "Ann O'Neil@example.org"})
    client = kernel.ready_client()
    cell = client.execute("import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); print('drawn')",
                          timeout=START)
    assert cell.stdout == "drawn\n"
    assert any("image/png" in m.content["data"] for m in cell.of_type("display_data"))
    claim = cluster.wait_claim()
    assert claim["spec"]["warmPoolRef"] == {"name": "cellpod"}
    assert claim["metadata"]["name"].startswith("cellpod-ann-o-neil-")
    assert claim["metadata"]["labels"]["cellpod.dev/user"] == "Ann-O-Neil-example.org"
    assert claim["spec"]["additionalPodMetadata"] == {"labels": {"sandbox.users.io/user": "Ann-O-Neil-example.org"}}
    kernel.close()
    cluster.wait_no_claim()
    assert cluster.count("POST") == 1
    if isinstance(pod, TemplatePod):
        assert pod.process.wait(START) == 0, "the pod of a template ends with its sandbox"
    else:
        assert pod.is_running


def test_the_stage_is_shown_while_it_takes_long(start, cluster):
    cluster.adopts = False
    pod = cluster.add_pod()
    client = start().ready_client()
    msg_id = client.send_execute("print('ran')")
    claim = cluster.wait_claim()["metadata"]["name"]
    store = cluster.server.store
    store.create(SANDBOXES.format("lab"), {"metadata": {"name": pod.name}})
    waiting = {"reason": "ContainerCreating"}
    store.create(PODS.format("lab"), {
        "metadata": {"name": pod.name},
        "status": {"phase": "Pending", "containerStatuses": [{"state": {"waiting": waiting}}],
                   "conditions": [{"type": "PodScheduled", "status": "False",
                                   "reason": "Unschedulable",
                                   "message": "0/3 nodes are available: 3 Insufficient cpu."}]}})
    cluster.say(claim, "DependenciesNotReady", "Pod exists with phase: Pending", pod.name)
    shown(client, msg_id, "pod lab/python-0: cannot be scheduled: 0/3 nodes are available")
    store.patch(PODS.format("lab"), pod.name, {"status": {
        "conditions": [{"type": "PodScheduled", "status": "True"}]}})
    store.create(EVENTS.format("lab"), {
        "metadata": {"name": "e1"}, "reason": "Pulling",
        "involvedObject": {"name": pod.name}, "message": 'Pulling image "example/python:3"'})
    shown(client, msg_id, 'pulling image "example/python:3"')
    store.patch(PODS.format("lab"), pod.name, {"status": {"containerStatuses": [{"state": {
        "waiting": {"reason": "ImagePullBackOff", "message": "not found"}}}]}})
    shown(client, msg_id, "the image cannot be pulled, ImagePullBackOff: not found")
    cluster.set_ready(claim, pod.name, pod.ip)
    assert client.finish(msg_id, timeout=START).stdout == "ran\n"


def asked_for(server, kind) -> list[str]:
    return ["GET" if r.name else "WATCH" if "watch" in r.query else "LIST" for r in server.requests if r.kind == kind]


def test_what_is_behind_a_waiting_claim_is_watched_and_not_asked_for_again(start, cluster):
    cluster.adopts = False
    pod = cluster.add_pod()
    client = start().ready_client()
    msg_id = client.send_execute("print('ran')")
    claim = cluster.wait_claim()["metadata"]["name"]
    server, store = cluster.server, cluster.server.store
    store.create(SANDBOXES.format("lab"), {"metadata": {"name": pod.name}})
    store.create(PODS.format("lab"), {"metadata": {"name": pod.name}, "status": {"phase": "Pending"}})
    cluster.say(claim, "DependenciesNotReady", "Pod exists with phase: Pending", pod.name)

    def say(why: str) -> None:
        store.patch(PODS.format("lab"), pod.name, {"status": {
            "conditions": [{"type": "PodScheduled", "status": "False", "message": why}]}})
        shown(client, msg_id, f"cannot be scheduled: {why}")

    for change in range(5):
        say(f"no node, {change}")
    assert {kind: asked_for(server, kind) for kind in ("sandboxes", "pods", "events")} == dict.fromkeys(
        ("sandboxes", "pods", "events"), ["LIST", "WATCH"])
    server.cut_watches()
    say("still no node")
    assert "LIST" not in asked_for(server, "pods")[1:], "it goes on where it was"
    store.create("/elsewhere", {"metadata": {"name": "x"}})
    server.compact()
    server.cut_watches()
    server.wait_for(lambda: asked_for(server, "pods").count("LIST") == 2)
    say("no node after all")
    cluster.set_ready(claim, pod.name, pod.ip)
    assert client.finish(msg_id, timeout=START).stdout == "ran\n"


def shown(client, msg_id, text):
    """Until a stage says so."""
    client.published(lambda m: m.parent_id == msg_id and "display_data" in m.type
                     and text in json.dumps(m.content, ensure_ascii=False).replace('\\"', '"'),
                     timeout=START)


def test_a_claim_is_renewed_while_the_kernel_lives(start, cluster):
    cluster.add_pod()
    client = start("--ttl", "10").ready_client()
    client.run("pass", timeout=START)
    first = cluster.wait_claim()["spec"]["lifecycle"]["shutdownTime"]
    cluster.server.faults.append(Fault("PATCH", refusal=Refusal(
        409, "Conflict", "the object has been modified")))
    cluster.server.wait_for(
        lambda: cluster.claims[0]["spec"]["lifecycle"]["shutdownTime"] > first)
    assert cluster.count("PATCH") >= 2
    assert client.execute("print(1)").stdout == "1\n"


@pytest.mark.parametrize("ahead", [3600, -3600], ids=["ahead", "behind"])
def test_a_claim_is_renewed_by_the_clock_of_the_server(start, cluster, ahead):
    """Whose controller ends it by that clock; by ours it would end at once, or an hour late. No
    pod is wasted to find that out, at the first claim or at the next."""
    cluster.server.store.ahead = cluster.ahead = ahead
    first, _ = cluster.add_pod(), cluster.add_pod()
    client = start("--ttl", "600").ready_client()
    last = client.run("pass", timeout=START).msg_id
    assert len(cluster.claims) == 1 and len(cluster.warm) == 1

    def left() -> float:
        end = cluster.claims[0]["spec"]["lifecycle"]["shutdownTime"]
        return parse_time(end) - (time.time() + ahead)

    assert 0 < left() < 1200
    assert cluster.count("PATCH") == 0, "it was right from the beginning"
    first.kill()
    cluster.set_ready(cluster.claims[0]["metadata"]["name"], first.name, None, False, "PodFailed", "failed")
    client.wait_for_text(last, "pod lab/python-0")
    assert client.execute("print(1)", timeout=START).stdout == "1\n"
    assert 0 < left() < 1200
    assert cluster.count("POST") == 2 and cluster.count("PATCH") == 0


def test_a_killed_kernel_leaves_a_claim_that_expires(start, cluster):
    cluster.add_pod()
    kernel = start("--ttl", "10")
    kernel.ready_client().run("pass", timeout=START)
    cluster.wait_claim()
    os.kill(kernel.pid, signal.SIGKILL)
    kernel.wait_exit()
    cluster.ahead = 10
    cluster.wait_no_claim()
    assert cluster.count("DELETE") == 0


def start_long_cell(client):
    msg_id = client.send_execute("print('in it', flush=True)\nimport time\ntime.sleep(600)")
    client.wait_for_text(msg_id, "in it")
    return msg_id


def note_eviction(cluster, pod):
    cluster.server.store.create(PODS.format("lab"), {
        "metadata": {"name": pod.name},
        "status": {"phase": "Failed", "reason": "Evicted",
                   "message": "The node was low on resource: memory."}})


def test_a_killed_pod_is_certified_and_the_next_cell_claims_anew(start, cluster):
    first, second = cluster.add_pod(), cluster.add_pod()
    client = start().ready_client()
    client.run("x = 1", timeout=START)
    claim = cluster.wait_claim()["metadata"]["name"]
    msg_id = start_long_cell(client)
    note_eviction(cluster, first)
    first.kill()
    cluster.set_ready(claim, first.name, first.ip, False, "PodFailed", "Pod failed")
    cell = client.finish(msg_id, timeout=START)
    assert cell.status == "error"
    assert f"pod lab/{first.name} (SandboxClaim {claim}) has ended: Evicted: The node was low " \
        "on resource: memory" in cell.content["evalue"]
    assert client.execute("print('x' in globals())", timeout=START).stdout == "False\n"
    assert second.is_running
    cluster.server.wait_for(lambda: [c["metadata"]["name"] for c in cluster.claims] != [claim])


def test_a_pod_in_the_place_of_ours_is_not_taken_for_it(start, cluster):
    """Of the same name, and with another address."""
    first, second = cluster.add_pod(), cluster.add_pod()
    client = start().ready_client()
    client.run("x = 1", timeout=START)
    claim = cluster.wait_claim()["metadata"]["name"]
    msg_id = start_long_cell(client)
    cluster.set_ready(claim, first.name, second.ip)
    cell = client.finish(msg_id, timeout=START)
    assert f"pod lab/{first.name} (SandboxClaim {claim})" in cell.content["evalue"]
    assert client.execute("print('x' in globals())", timeout=START).stdout == "False\n"


@pytest.mark.parametrize("has_heard", [True, False], ids=["the_claim_says_so", "the_claim_says_nothing"])
def test_of_a_pod_that_tells_its_end_the_cluster_knows_why(start, cluster, has_heard):
    pod = cluster.add_pod()
    client = start().ready_client()
    client.run("pass", timeout=START)
    claim = cluster.wait_claim()["metadata"]["name"]
    msg_id = start_long_cell(client)
    note_eviction(cluster, pod)
    pod.stop()
    if has_heard:
        cluster.set_ready(claim, pod.name, None, False, "PodFailed", "Pod failed")
    told = client.finish(msg_id, timeout=START).content["evalue"]
    assert f"pod lab/{pod.name} (SandboxClaim {claim})" in told
    assert "Evicted: The node was low on resource: memory" in told
    assert has_heard or re.search(": the sandbox has ended: (its pod was stopped|sandboxd is shutting down); Evicted", told)


def test_a_long_cell_behind_a_router_that_cuts_streams_loses_nothing(start, cluster):
    pod = cluster.add_pod()
    router = Router({pod.name: pod.ip}, 1)
    try:
        kernel = start("--router", router.url + "/")
        client = kernel.ready_client()
        client.run("import time", timeout=START)
        cell = client.execute("for i in range(30):\n    print(i, flush=True)\n"
                              "    time.sleep(0.1)\ntime.sleep(2.5)\nprint('done')",
                              timeout=START)
        kernel.close()
    finally:
        router.close()
    assert cell.stdout == "".join(f"{i}\n" for i in range(30)) + "done\n"
    streams = [path for method, path, _ in router.seen if "/events?" in path]
    assert len(streams) > 4, "it was cut, again and again"


def test_a_pod_that_was_started_again_is_certified(start, cluster):
    """Its sandboxd is a new one, which knows nothing of ours: the user hears of it at once."""
    pod = cluster.add_pod()
    client = start().ready_client()
    last = client.run("x = 1", timeout=START).msg_id
    pod.kill()
    pod.start()
    client.wait_for_text(last, "pod lab/python-0")
    cluster.warm.append(pod)
    assert client.execute("print('x' in globals())", timeout=START).stdout == "False\n"


def test_a_cell_ends_when_its_pod_was_started_again(start, cluster):
    pod = cluster.add_pod()
    client = start().ready_client()
    client.run("pass", timeout=START)
    msg_id = start_long_cell(client)
    pod.kill()
    pod.start()
    cell = client.finish(msg_id)
    assert "pod lab/python-0" in cell.content["evalue"]


# --- the API server -------------------------------------------------------------------------


def test_watches_that_end_and_versions_that_are_gone_are_put_up_with(start, cluster):
    cluster.adopts = False
    pod = cluster.add_pod()
    client = start().ready_client()
    msg_id = client.send_execute("print('ran')")
    claim = cluster.wait_claim()["metadata"]["name"]
    server = cluster.server
    server.wait_for(lambda: server.watches == 1)
    server.bookmark(cluster.collection)
    watched = cluster.count("GET")
    server.cut_watches()
    server.wait_for(lambda: cluster.count("GET") > watched and server.watches == 1)
    again = server.requests[-1]
    assert int(again.query["resourceVersion"]) == server.store.version, "the bookmark counts"
    assert again.query["allowWatchBookmarks"] == "true"
    server.store.patch("/elsewhere", server.store.create(
        "/elsewhere", {"metadata": {"name": "x"}})["metadata"]["name"], {"a": 1})
    server.compact()
    server.cut_watches()
    server.wait_for(lambda: any("watch" not in r.query for r in server.requests
                                if r.method == "GET" and not r.name and r.kind == "sandboxclaims"))
    cluster.adopt(claim, pod)
    assert client.finish(msg_id, timeout=START).stdout == "ran\n"


def test_a_creation_whose_answer_is_lost_creates_nothing_twice(start, cluster):
    cluster.add_pod()
    cluster.server.faults.append(Fault("POST", cut="after"))
    client = start().ready_client()
    assert client.execute("print(1)", timeout=START).stdout == "1\n"
    assert cluster.count("POST") == 2
    assert len(cluster.claims) == 1


def test_a_creation_that_is_not_answered_in_time_is_tried_again(start, cluster):
    cluster.add_pod()
    cluster.server.faults.append(Fault("POST", cut="never"))
    client = start().ready_client()
    cell = client.execute("print(1)", timeout=START)
    assert cell.stdout == "1\n", cell
    assert cluster.count("POST") == 2
    assert len(cluster.claims) == 1


def test_an_api_server_that_is_busy_is_asked_again(start, cluster):
    cluster.add_pod()
    cluster.server.faults.append(Fault("POST", refusal=Refusal(
        429, "TooManyRequests", "too many requests", {"Retry-After": "1"})))
    client = start().ready_client()
    assert client.execute("print(1)", timeout=START).stdout == "1\n"
    tries = [r.time for r in cluster.server.requests if r.method == "POST"]
    assert len(tries) == 2 and tries[1] - tries[0] >= 1


def test_the_notebooks_files_travel_to_each_pod_and_back(start_kernel, cluster, tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (folder / "sales.csv").write_text("sum\n7\n")
    pod = cluster.add_pod()
    kernel = start_kernel.on(connection_info(), arguments=["--sandbox", "gke"], cwd=folder,
                             env={**NO_KUBE, "KUBECONFIG": str(cluster.kubeconfig)})
    client = kernel.ready_client()
    code = "open('out.csv', 'a').write(open('sales.csv').read())"
    last = client.run(code, timeout=START).msg_id
    assert (folder / "out.csv").read_text() == "sum\n7\n"
    pod.kill()
    pod.start()
    client.wait_for_text(last, "pod lab/python-0")
    cluster.warm.append(pod)
    (folder / "sales.csv").write_text("8\n")
    assert client.execute(code, timeout=START).status == "ok"
    assert (folder / "out.csv").read_text() == "sum\n7\n8\n"
    kernel.close()


def test_the_notebooks_files_travel_through_a_router(start_kernel, cluster, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/größe.csv").write_bytes(os.urandom(3_000_000))
    pod = cluster.add_pod()
    router = Router({pod.name: pod.ip}, 60)
    kernel = start_kernel.on(connection_info(), arguments=["--sandbox", "gke", "--router", router.url],
                             cwd=tmp_path / "sub", env={**NO_KUBE, "KUBECONFIG": str(cluster.kubeconfig)})
    try:
        client = kernel.ready_client()
        client.run("open('copy.csv', 'wb').write(open('größe.csv', 'rb').read()[::-1])", timeout=START)
        kernel.close()
    finally:
        router.close()
    assert (tmp_path / "sub/copy.csv").read_bytes()[::-1] == (tmp_path / "sub/größe.csv").read_bytes()
    assert {"PUT", "GET"} <= {method for method, path, _ in router.seen if "/files/" in path}


def test_a_kernel_that_ends_while_it_claims_leaves_nothing(start, cluster):
    cluster.adopts = False
    kernel = start()
    client = kernel.ready_client()
    client.send_execute("1")
    cluster.wait_claim()
    kernel.close()
    cluster.wait_no_claim()


# --- credentials ----------------------------------------------------------------------------


def test_a_service_account_whose_token_rotates(start, cluster, authority, tmp_path):
    account = tmp_path / "account"
    account.mkdir()
    (account / "token").write_text("good-token\n")
    (account / "ca.crt").write_text(authority.cert.read_text())
    (account / "namespace").write_text("lab")
    cluster.add_pod()
    port = str(cluster.server.server_address[1])
    client = start(env={"KUBECONFIG": "", "CELLPOD_SERVICE_ACCOUNT": str(account),
                        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
                        "KUBERNETES_SERVICE_PORT": port}).ready_client()
    client.run("pass", timeout=START)
    cluster.server.tokens = {"rotated"}
    (account / "token").write_text("rotated")
    # the fixture sees to it that the claim is deleted: with the new token


def test_an_exec_plugin_is_asked_and_asked_again_when_refused(start, cluster, authority,
                                                              tmp_path):
    plugin = tmp_path / "plugin"
    plugin.write_text("""#!/bin/sh
echo >> "$0.runs"
printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",'
printf '"status":{"token":"%s"}}' "$(cat "$0.token")"
""")
    plugin.chmod(0o755)
    (tmp_path / "plugin.token").write_text("good-token")
    config = kubeconfig(cluster.server.url, authority, {"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin),
        "interactiveMode": "Never"}})
    cluster.add_pod()
    client = start(config=config).ready_client()
    client.run("pass", timeout=START)
    assert (tmp_path / "plugin.runs").read_text() == "\n"
    (tmp_path / "plugin.token").write_text("second")
    cluster.server.tokens = {"second"}
    # as above; the deletion is refused once, and the plugin asked again


@pytest.mark.parametrize("seconds, is_fresh", [(3600, True), (20, False)])
def test_credentials_that_expire_are_asked_for_before_they_do(start, cluster, authority, tmp_path,
                                                              seconds, is_fresh):
    """No call is refused: what expires within half a minute is not used for another."""
    expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))
    plugin = tmp_path / "plugin"
    plugin.write_text(f"""#!/bin/sh
echo >> "$0.runs"
printf '{{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",'
printf '"status":{{"token":"good-token","expirationTimestamp":"{expires}"}}}}'
""")
    plugin.chmod(0o755)
    config = kubeconfig(cluster.server.url, authority, {"exec": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin),
        "interactiveMode": "Never"}})
    cluster.add_pod()
    kernel = start(config=config)
    kernel.ready_client().run("pass", timeout=START)
    kernel.close()
    calls = len(cluster.server.requests)
    runs = (tmp_path / "plugin.runs").read_text().count("\n")
    assert calls >= 3  # it was made, watched and deleted
    assert runs == 1 if is_fresh else runs >= 3


def test_a_client_certificate(start, cluster, authority):
    cert, key = authority.issue("ann", "/CN=ann")
    cluster.server.tokens = None
    cluster.add_pod()
    config = kubeconfig(cluster.server.url, authority, {
        "client-certificate": str(cert), "client-key": str(key)},
        **{"tls-server-name": "kubernetes"})
    client = start(config=config).ready_client()
    assert client.execute("print(1)", timeout=START).stdout == "1\n"


# --- bad input ------------------------------------------------------------------------------


def test_no_cluster_answers(start, cluster):
    config = kubeconfig("https://127.0.0.1:1", None, {"token": "s3cret-token"})
    text = error_of(start("--wait", "1", config=config).ready_client())
    assert "the API server https://127.0.0.1:1 (context `test' of" in text
    assert "`kubectl --context test cluster-info'" in text
    assert "s3cret" not in text


def test_a_context_that_is_not_there(start, cluster):
    text = error_of(start("--context", "prod").ready_client())
    assert "no context `prod'; it has `test'" in text


def test_no_kubeconfig_at_all(start, cluster, tmp_path):
    text = error_of(start(env={"KUBECONFIG": "", "HOME": str(tmp_path)}).ready_client())
    assert "no cluster is configured" in text
    assert "gcloud container clusters get-credentials" in text


def test_a_server_of_another_authority_gets_no_token(start, cluster, tmp_path):
    other = Authority(tmp_path, "other")
    config = kubeconfig(cluster.server.url, other, {"token": "good-token"})
    text = error_of(start("--wait", "1", config=config).ready_client())
    assert "is not trusted: SSL certificate problem" in text
    assert cluster.server.requests == []


def test_a_token_that_has_expired(start, cluster, authority):
    config = kubeconfig(cluster.server.url, authority, {"token": "s3cret-token"})
    kernel = start(config=config)
    text = error_of(kernel.ready_client())
    assert "does not accept the credentials of context `test'" in text
    assert "auth whoami" in text
    assert "s3cret" not in text + kernel.log_text()


@pytest.mark.parametrize("refusal, says, command", [
    (Refusal(403, "Forbidden", 'User "ann" cannot create resource "sandboxclaims"',
             kind="sandboxclaims"),
     'you are not allowed to create the SandboxClaim lab/cellpod-', "auth can-i create sandboxclaims."),
    (Refusal(403, "Forbidden", "exceeded quota: claims, requested: count=1, used: count=5"),
     "the quota of namespace lab is used up: exceeded quota: claims", "describe resourcequota"),
    (Refusal(400, "BadRequest", 'admission webhook "w" denied the request: no claims today'),
     "a policy of the cluster refuses SandboxClaim lab/cellpod-", "validatingwebhook"),
])
def test_a_claim_that_is_refused(start, cluster, refusal, says, command):
    cluster.server.faults.append(Fault("POST", times=9, refusal=refusal))
    text = error_of(start().ready_client())
    assert says in text
    assert refusal.body["message"] in text
    assert command in text


def test_agent_sandbox_is_not_installed(start, cluster):
    cluster.server.installed.discard("sandboxclaims")
    text = error_of(start().ready_client())
    assert "does not know SandboxClaim of version v1beta1" in text
    assert "api-resources --api-group=extensions.agents.x-k8s.io" in text


def test_a_namespace_that_is_not_there(start, cluster):
    text = error_of(start("--namespace", "nowhere").ready_client())
    assert "the namespace nowhere does not exist" in text


def test_a_pool_that_is_not_there(start, cluster):
    cluster.refusal = "WarmPoolNotFound", 'SandboxWarmPool "python" not found'
    cell = start("--pool", "python").ready_client().execute("1", timeout=START)
    claim, why = re.fullmatch(r"SandboxClaim lab/(\S+) on pool python was refused: (.*)",
                              cell.content["evalue"].splitlines()[0]).groups()
    assert why.startswith('WarmPoolNotFound: SandboxWarmPool "python" not found')
    assert f"describe sandboxclaim -n lab {claim}" in "\n".join(cell.content["traceback"])
    cluster.wait_no_claim()


def test_a_pool_that_stays_empty(start, cluster):
    """And whoever may read claims only learns what the claim says."""
    cluster.adopts = False
    cluster.server.readable = {"sandboxclaims"}
    client = start("--wait", "3").ready_client()
    msg_id = client.send_execute("1")
    claim = cluster.wait_claim()["metadata"]["name"]
    cluster.say(claim, "ReconcilerError", 'pods "x" is forbidden: exceeded quota: pods=2')
    shown(client, msg_id, 'the quota is used up: pods "x" is forbidden: exceeded quota: pods=2')
    cell = client.finish(msg_id, timeout=START)
    assert "no pod was ready within 3 s: " in cell.content["evalue"]
    assert cluster.count("GET", "events") == 1
    cluster.wait_no_claim()


def test_a_pod_that_answers_as_something_else(start, cluster):
    pod = cluster.add_pod()
    pod.stop()
    cluster.warm += [pod] * 8  # the kernel claims when it starts, and again for a cell
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    import threading

    class Other(BaseHTTPRequestHandler):
        def do_POST(self):
            body = b"<html>It works!</html>"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer((pod.ip, 8888), Other)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        text = error_of(start().ready_client())
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert "pod lab/python-0 (SandboxClaim cellpod-" in text
    assert "answered a claim with something that is not a sandbox" in text


def test_answers_that_are_none_are_put_up_with(start, cluster):
    cluster.add_pod()
    for answer in (b"", b"{}", b"[1,", b"<html>", b'{"metadata":5}', b"\xff\n"):
        cluster.server.faults += [Fault("LIST", text=answer),
                                  Fault("WATCH", text=answer + b"\n")]
    client = start().ready_client()
    assert client.execute("print(1)", timeout=START).stdout == "1\n"


@pytest.mark.parametrize("arguments, says", [
    (["--pool", "No Such"], "--pool (CELLPOD_GKE_POOL) must be the name of an object"),
    (["--ttl", "5"], "--ttl (CELLPOD_GKE_TTL) must be a number from 10"),
    (["--port", "http"], "--port (CELLPOD_GKE_PORT) must be a number from 1 to 65535"),
    (["--router", "ftp://x"], "--router (CELLPOD_GKE_ROUTER) must be http://"),
])
def test_options_that_are_wrong(start, cluster, arguments, says):
    assert says in error_of(start(*arguments).ready_client())
    assert cluster.server.requests == []

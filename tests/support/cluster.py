"""A real Kubernetes control plane: etcd, kube-apiserver, garbage collector, agent-sandbox.

Built by tests/cluster/build-cluster. Only nodes are missing: what plays the kubelet (and the
scheduler) is below, its containers are cellpod-sandboxd processes, or nothing at all where
a test counts claims by the hundred.
"""

import json
import os
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable

import yaml

from support.kernel import REPOSITORY, free_ports, tail
from support.kubeconfig import Authority, kubeconfig, write_kubeconfig
from support.pods import Pod, TemplatePod

NAMESPACE = "lab"
CLAIMS = f"/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxclaims"
TEMPLATES = f"/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxtemplates"
POOLS = f"/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxwarmpools"
SANDBOXES = f"/apis/agents.x-k8s.io/v1beta1/namespaces/{NAMESPACE}/sandboxes"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
ADMIN = "admin-token"


class ApiError(Exception):
    def __init__(self, code: int, body: str):
        super().__init__(f"{code}: {body[:500]}")
        self.code = code


class Api:
    def __init__(self, url: str, authority: Authority, token: str = ADMIN):
        self.url, self.token = url, token
        self.context = ssl.create_default_context(cafile=str(authority.cert))

    def call(self, method: str, path: str, body: Any = None,
             content_type: str = "application/json", timeout: float = 30) -> Any:
        request = urllib.request.Request(
            self.url + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": content_type})
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=timeout) as answer:
                data = answer.read()
                return json.loads(data) if data[:1] in (b"{", b"[") else data
        except urllib.error.HTTPError as error:
            raise ApiError(error.code, error.read().decode(errors="replace")) from None

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def create(self, path: str, body: dict) -> dict:
        return self.call("POST", path, body)

    def merge(self, path: str, body: dict) -> dict:
        return self.call("PATCH", path, body, "application/merge-patch+json")

    def delete(self, path: str, **options: Any) -> Any:
        return self.call("DELETE", path, options or None)

    def items(self, path: str) -> list[dict]:
        return self.get(path)["items"]


def wait_for(what: Callable[[], Any], message: str, timeout: float = 60) -> Any:
    """Polls, as the real API server tells nobody in this process of changes."""
    deadline = time.monotonic() + timeout
    while not (found := what()):
        assert time.monotonic() < deadline, f"not within {timeout} s: {message}"
        time.sleep(0.1)
    return found


class ControlPlane:
    def __init__(self, tools: Path, folder: Path):
        self.tools, self.folder = tools, folder
        self.processes: list[tuple[str, subprocess.Popen]] = []
        etcd, peer, self.port = free_ports(3)
        self.authority = Authority(folder)
        cert, key = self.authority.issue("server", "/CN=kube-apiserver")
        self.url = f"https://127.0.0.1:{self.port}"
        self.api = Api(self.url, self.authority)
        self.admin = write_kubeconfig(folder / "admin", kubeconfig(
            self.url, self.authority, {"token": ADMIN}, NAMESPACE))
        self._start_etcd(etcd, peer)
        self._start_api_server(etcd, cert, key)
        wait_for(self._is_ready, "the API server's readyz")
        self._install()
        self._start_controllers()

    def run(self, program: str, *arguments: str, **env: str) -> subprocess.Popen:
        with (self.folder / f"{program}.log").open("ab") as log:
            process = subprocess.Popen(
                [self.tools / "bin" / program, *arguments], stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, cwd=self.folder,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), **env})
        self.processes.append((program, process))
        return process

    def _start_etcd(self, port: int, peer: int) -> None:
        self.run("etcd", "--data-dir", "etcd",
                 "--listen-client-urls", f"http://127.0.0.1:{port}",
                 "--advertise-client-urls", f"http://127.0.0.1:{port}",
                 "--listen-peer-urls", f"http://127.0.0.1:{peer}",
                 "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                 "--initial-cluster", f"default=http://127.0.0.1:{peer}", "--unsafe-no-fsync")

    def _start_api_server(self, etcd: int, cert: Path, key: Path) -> None:
        signer = self.folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", signer, "2048"], check=True,
                       capture_output=True)
        tokens = self.folder / "tokens.csv"
        tokens.write_text(f'{ADMIN},admin,admin,"system:masters"\ntester-token,tester,tester\n')
        self.run("kube-apiserver", f"--etcd-servers=http://127.0.0.1:{etcd}",
                 f"--secure-port={self.port}", "--bind-address=127.0.0.1",
                 f"--tls-cert-file={cert}", f"--tls-private-key-file={key}",
                 f"--client-ca-file={self.authority.cert}", f"--token-auth-file={tokens}",
                 "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount",
                 "--service-account-issuer=https://kubernetes.default.svc",
                 f"--service-account-key-file={signer}",
                 f"--service-account-signing-key-file={signer}",
                 "--service-cluster-ip-range=10.0.0.0/24", "--watch-cache=true")

    def _is_ready(self) -> bool:
        for name, process in self.processes:
            assert process.poll() is None, f"{name} has ended: {tail(self.folder / name)}.log"
        try:
            return self.api.get("/readyz") == b"ok"
        except (OSError, ApiError):
            return False

    def _install(self) -> None:
        """CRDs without their conversion webhook; what deploy/gke makes for JupyterLab."""
        for path in sorted((self.tools / "crds").glob("*.yaml")):
            crd = yaml.safe_load(path.read_text())
            crd["spec"]["conversion"] = {"strategy": "None"}
            self.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd)
        self.api.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        self.api.create("/apis/node.k8s.io/v1/runtimeclasses", {
            "metadata": {"name": "gvisor"}, "handler": "runsc"})
        self._allow_claims()
        wait_for(self._has_crds, "the CRDs")

    def _allow_claims(self) -> None:
        for document in documents("jupyter.yaml"):
            if document["kind"] == "Role":
                rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}"
                self.api.create(f"{rbac}/roles", document)
                self.api.create(f"{rbac}/rolebindings", {
                    "metadata": {"name": document["metadata"]["name"]},
                    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                                "name": document["metadata"]["name"]},
                    "subjects": [{"kind": "User", "name": "tester",
                                  "apiGroup": "rbac.authorization.k8s.io"}]})

    def _has_crds(self) -> bool:
        """Each is served, and clients can find that out."""
        crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        try:
            served = {resource["name"] for version in ("extensions.agents.x-k8s.io/v1beta1",
                                                       "agents.x-k8s.io/v1beta1")
                      for resource in self.api.get(f"/apis/{version}")["resources"]}
            return all(crd["spec"]["names"]["plural"] in served and not self.api.items(path)
                       for crd in self.api.items(crds)
                       for path in (CLAIMS, TEMPLATES, POOLS, SANDBOXES))
        except ApiError:
            return False

    def _start_controllers(self) -> None:
        self.run("kube-controller-manager", f"--kubeconfig={self.admin}", "--leader-elect=false",
                 "--controllers=garbage-collector-controller", "--secure-port=0")
        self.start_agent_sandbox()

    def start_agent_sandbox(self) -> None:
        self.run("agent-sandbox-controller", "--extensions", "--enable-webhook=false",
                 "--leader-elect=false", "--metrics-bind-address=0",
                 "--health-probe-bind-address=0", KUBECONFIG=str(self.admin))

    def start_router(self, *arguments: str) -> str:
        port, metrics, probes = free_ports(3)
        self.run("sandbox-router", f"--http-bind-address=127.0.0.1:{port}",
                 f"--metrics-bind-address=127.0.0.1:{metrics}",
                 f"--health-probe-bind-address=127.0.0.1:{probes}", "--cache-enabled=true",
                 f"--cache-namespace={NAMESPACE}", *arguments, KUBECONFIG=str(self.admin))
        url = f"http://127.0.0.1:{probes}/readyz"
        wait_for(lambda: is_answering(url), "the router's readyz")
        return f"http://127.0.0.1:{port}"

    def close(self) -> None:
        for _, process in reversed(self.processes):
            process.terminate()
        for _, process in reversed(self.processes):
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def logs(self) -> str:
        return "\n".join(f"{path.name}:\n{tail(path, 3000)}"
                         for path in sorted(self.folder.glob("*.log")))


def is_answering(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def path_of_pod(item: dict) -> str:
    return f"/api/v1/namespaces/{item['metadata']['namespace']}/pods/{item['metadata']['name']}"


def documents(name: str) -> list[dict]:
    return list(yaml.safe_load_all((REPOSITORY / "deploy/gke/base" / name).read_text()))


def arguments_of(item: dict) -> list[str]:
    """Of a pod's only container."""
    [container] = item["spec"]["containers"]  # of a template, too
    return container["args"]


class Kubelet:
    """Plays scheduler and kubelet: binds pods, runs them, says how they are.

    Pods of a pool labelled `hollow` get an address and no process."""

    def __init__(self, api: Api, folder: Path, pods: str = PODS):
        self.api, self.folder, self.listed = api, folder, pods
        self.pods: dict[str, Pod | None] = {}  # by uid
        self.starting: set[str] = set()  # of those, that are not ready yet
        self.stopping: dict[str, float] = {}  # until when they may end by themselves
        self.names: dict[str, str] = {}
        self.is_closing = threading.Event()
        self.thread = threading.Thread(target=self._loop)
        self.problem: Exception | None = None
        self.thread.start()

    def close(self) -> None:
        self.is_closing.set()
        self.thread.join()
        for pod in self.pods.values():
            if pod:
                pod.stop()
        assert self.problem is None, self.problem

    def pod(self, name: str) -> Pod:
        return next(pod for pod in self.pods.values() if pod and pod.name == name)

    def _loop(self) -> None:
        while not self.is_closing.is_set():
            try:
                self._sync([item for item in self.api.items(self.listed) if self._is_ours(item)])
            except ApiError as error:
                if error.code not in (404, 409):
                    self.problem = error
            except OSError:
                pass  # the API server is being shut down
            self.is_closing.wait(0.05)

    def _is_ours(self, item: dict) -> bool:
        return True

    def _sync(self, items: list[dict]) -> None:
        for item in items:
            uid = item["metadata"]["uid"]
            if "deletionTimestamp" in item["metadata"]:
                if self._has_stopped(item):
                    self._end(uid)
                    self.api.delete(path_of_pod(item), gracePeriodSeconds=0)
            elif uid not in self.pods:
                self._run(item)
            elif self.pods[uid] and not self.pods[uid].is_running:
                self._tell_death(item)
            elif uid in self.starting:
                self._tell_ready(item)
        alive = {item["metadata"]["uid"] for item in items}
        for uid in [uid for uid in self.pods if uid not in alive]:
            self._end(uid)

    def _has_stopped(self, item: dict) -> bool:
        """As a node stops a pod: it is told, and has the time that whoever deleted it has given."""
        uid, grace = item["metadata"]["uid"], item["metadata"]["deletionGracePeriodSeconds"]
        pod = self.pods.get(uid)
        if not pod or not pod.is_running:
            return True
        if uid not in self.stopping:
            self.stopping[uid] = time.monotonic() + grace
            pod.terminate(grace)
        return time.monotonic() >= self.stopping[uid]

    def _end(self, uid: str) -> None:
        self.starting.discard(uid)
        self.stopping.pop(uid, None)
        pod = self.pods.pop(uid, None)
        if pod:
            pod.stop()

    def _run(self, item: dict) -> None:
        name, uid = item["metadata"]["name"], item["metadata"]["uid"]
        self.api.create(f"{path_of_pod(item)}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"kind": "Node", "name": "node-1"}})
        self.pods[uid] = self._container(item)
        self.starting.add(uid)
        self._tell_ready(item)

    def _tell_ready(self, item: dict) -> None:
        pod = self.pods[item["metadata"]["uid"]]
        if pod and not pod.is_ready():
            return
        self.starting.remove(item["metadata"]["uid"])
        ip = pod.ip if pod else "127.9.9.9"
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.api.merge(f"{path_of_pod(item)}/status", {"status": {
            "phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "startTime": now,
            "containerStatuses": [{"name": container["name"], "ready": True, "restartCount": 0,
                                   "image": container["image"], "imageID": "", "state": {"running": {"startedAt": now}}}
                                  for container in item["spec"]["containers"]],
            "conditions": [{"type": kind, "status": "True", "lastTransitionTime": now}
                           for kind in ("PodScheduled", "Initialized", "ContainersReady",
                                        "Ready")]}})

    def _container(self, item: dict) -> Pod | None:
        is_hollow = "hollow" in item["metadata"].get("labels", {})
        return None if is_hollow else TemplatePod(item["metadata"]["name"], self.folder, arguments_of(item))

    def _tell_death(self, item: dict) -> None:
        if item["status"].get("phase") == "Failed":
            return
        self.api.merge(f"{path_of_pod(item)}/status", {"status": {
            "phase": "Failed", "reason": "Evicted",
            "message": "The node was low on resource: memory.",
            "conditions": [{"type": "Ready", "status": "False", "reason": "PodFailed"}]}})

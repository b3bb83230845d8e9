"""A real Kubernetes control plane: etcd, kube-apiserver, garbage collector, agent-sandbox.

Built by tests/cluster/build-cluster. Only nodes are missing: support/kubelet.py plays them.
"""

import json
import os
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable

import yaml

from support.kernel import REPOSITORY, free_ports, tail
from support.kubeconfig import Authority, kubeconfig, write_kubeconfig

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
                 "--advertise-address=192.0.2.2",  # or it wants a default route; RFC 5737
                 f"--tls-cert-file={cert}", f"--tls-private-key-file={key}",
                 f"--client-ca-file={self.authority.cert}", f"--token-auth-file={tokens}",
                 "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount",
                 "--service-account-issuer=https://kubernetes.default.svc",
                 f"--service-account-key-file={signer}",
                 f"--service-account-signing-key-file={signer}",
                 "--service-cluster-ip-range=10.0.0.0/24", "--watch-cache=true")

    def _is_ready(self) -> bool:
        for name, process in self.processes:
            assert process.poll() is None, f"{name} has ended: {tail(self.folder / f'{name}.log')}"
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
                 "--controllers=garbage-collector-controller", "--secure-port=0",
                 "--kube-api-qps=500", "--kube-api-burst=1000")
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


def documents(name: str) -> list[dict]:
    return list(yaml.safe_load_all((REPOSITORY / "deploy/gke/base" / name).read_text()))

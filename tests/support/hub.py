"""A real JupyterHub, people who use it, and what plays the kubelet for their servers.

Hub, proxy and servers are the programs of requirements/hub.txt; the servers have the image's
configuration. Where KubeSpawner makes a pod, its command runs here as a process on the pod's address, with
the pod's environment and a token of its service account.
"""

import contextlib
import json
import os
import secrets
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import psutil
import websocket

from support import processes
from support.client import START
from support.cluster import ADMIN, Api, ControlPlane, wait_for
from support.kernel import BUILD, REPOSITORY, free_ports, tail
from support.kubeconfig import kubeconfig, write_kubeconfig
from support.kubelet import Kubelet
from support.lean_python import WHOLE
from support.pods import PORT, TemplatePod, arguments_of, free_address

VENV = REPOSITORY / "build/hub"
HUB_CONFIG = REPOSITORY / "tests/cluster/hub_config.py"
SPACE = "cellpod-user-"
HUB_NAMESPACE = "jupyterhub"


def install() -> None:
    """As tools/in-venv does: what is there already is kept."""
    subprocess.run(["tools/in-venv", "build/hub", "requirements/hub.txt", "jupyterhub", "--version"],
                   cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)


def write_kernelspec(folder: Path) -> Path:
    """cellpod-gke, as `make install` lays it out; the folder is one for JUPYTER_PATH."""
    spec = (REPOSITORY / "kernelspec/cellpod-gke/kernel.json.in").read_text()
    place = folder / "kernels/cellpod-gke"
    place.mkdir(parents=True)
    (place / "kernel.json").write_text(spec.replace("@BINDIR@", str(BUILD / "bin")))
    return folder


def token_of(api: Api, namespace: str, account: str) -> str:
    return api.create(f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token", {
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
        "spec": {"expirationSeconds": 7200}})["status"]["token"]


def mount_account(plane: ControlPlane, folder: Path, namespace: str, account: str) -> Path:
    """The files that a kubelet mounts for a service account."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "token").write_text(token_of(plane.api, namespace, account))
    (folder / "ca.crt").write_bytes(plane.authority.cert.read_bytes())
    (folder / "namespace").write_text(namespace)
    return folder


class Server:
    """The container of a pod that KubeSpawner has made."""

    def __init__(self, plane: ControlPlane, item: dict, folder: Path, jupyter_path: Path):
        self.plane, self.item = plane, item
        self.name, self.ip = item["metadata"]["name"], free_address()
        [container] = item["spec"]["containers"]
        given = {one["name"]: one.get("value", "") for one in container["env"]}
        given["JUPYTERHUB_SERVICE_URL"] = given["JUPYTERHUB_SERVICE_URL"].replace("0.0.0.0", self.ip)
        self.home = folder / given["JUPYTERHUB_USER"]
        self.grace: int | None = None  # seconds, once it was told to end
        self.tree: list = []  # of processes, then
        self.log = folder / f"{self.name}.log"
        account = mount_account(plane, folder / f"{self.name}.account", item["metadata"]["namespace"],
                                item["spec"]["serviceAccountName"])
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*container["args"], "--allow-root"], cwd=self.home, stdout=log, stderr=log,
                env=environment(plane, self.home, account, jupyter_path) | given, start_new_session=True)

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def is_ready(self) -> bool:
        return True  # the Hub itself asks

    def terminate(self, grace: int) -> None:
        self.grace = grace
        self.tree = processes.descendants(self.process.pid)
        self.process.terminate()

    def stop(self) -> None:
        """A container ends with its first process."""
        if not self.is_running and not self.tree:
            return
        tree = self.tree or processes.descendants(self.process.pid)
        self.process.kill()
        self.process.wait()
        for process in tree:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        processes.assert_all_end(tree, f"processes of server {self.name}")


def environment(plane: ControlPlane, home: Path, account: Path, jupyter_path: Path) -> dict:
    """What image and kubelet give a server."""
    return {
        "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "HOME": str(home),
        "JUPYTER_PATH": str(jupyter_path), "JUPYTER_CONFIG_PATH": str(REPOSITORY / "deploy/image"),
        "XDG_CONFIG_HOME": str(home / "etc"), "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(plane.port), "CELLPOD_SERVICE_ACCOUNT": str(account),
        "CELLPOD_LOG": "info",
    }


class HubKubelet(Kubelet):
    """Runs what is in the Hub's namespace and in people's."""

    def __init__(self, plane: ControlPlane, folder: Path, jupyter_path: Path):
        self.plane, self.jupyter_path = plane, jupyter_path
        self.servers: list[Server] = []
        super().__init__(plane.api, folder, "/api/v1/pods")

    def _is_ours(self, item: dict) -> bool:
        namespace = item["metadata"]["namespace"]
        return namespace == HUB_NAMESPACE or namespace.startswith(SPACE)

    def _container(self, item: dict) -> Any:
        if item["metadata"]["namespace"] == HUB_NAMESPACE:
            self.servers.append(Server(self.plane, item, self.folder, self.jupyter_path))
            return self.servers[-1]
        return TemplatePod(f"{item['metadata']['namespace']}.{item['metadata']['name']}", self.folder, arguments_of(item),
                           WHOLE)


class Hub:
    def __init__(self, plane: ControlPlane, folder: Path, spawner: str, person_yaml: Path, jupyter_path: Path):
        self.folder, self.spawner, self.admin = folder, spawner, secrets.token_hex(16)
        public, api, hub = free_ports(3)
        self.url, self.direct = f"http://127.0.0.1:{public}", f"http://127.0.0.1:{hub}"
        self.log = folder / "hub.log"
        settings = {"spawner": spawner, "public": public, "proxy": api, "hub": hub, "token": self.admin,
                    "homes": str(folder), "bin": str(VENV / "bin"),
                    "account": {"url": plane.url, "ca": str(plane.authority.cert), "token": ADMIN}}
        config = write_kubeconfig(folder / "hub.kubeconfig", kubeconfig(
            plane.url, plane.authority, {"token": token_of(plane.api, HUB_NAMESPACE, "hub")}, HUB_NAMESPACE))
        env = environment(plane, folder, folder, jupyter_path) | {
            "KUBECONFIG": str(config), "CELLPOD_PERSON": str(person_yaml), "POD_NAMESPACE": HUB_NAMESPACE,
            "CELLPOD_TEST_HUB": json.dumps(settings), "CONFIGPROXY_AUTH_TOKEN": secrets.token_hex(16)}
        del env["KUBERNETES_SERVICE_HOST"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([VENV / "bin/jupyterhub", "--config", HUB_CONFIG], cwd=folder, env=env,
                                            stdout=log, stderr=log, start_new_session=True)
        try:
            wait_for(self._is_ready, "the Hub answers", START)
        except BaseException:
            self.close()
            raise

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, tail(self.log)
        try:
            return "version" in call(self.url + "/hub/api/", self.admin)
        except (OSError, Refused):
            return False  # the proxy is there before the Hub

    def logs(self) -> str:
        return "\n".join(f"{path.name}:\n{tail(path, 6000)}" for path in sorted(self.folder.glob("*.log")))

    def person(self, name: str) -> "Person":
        """A new one."""
        self.api("POST", f"/users/{name}")
        token = self.api("POST", f"/users/{name}/tokens", {})["token"]
        home = self.folder / name
        home.mkdir()
        return Person(self, name, token, home)

    def api(self, method: str, path: str, body: Any = None) -> Any:
        return call(f"{self.direct}/hub/api{path}", self.admin, method, body)

    def close(self) -> None:
        tree = processes.descendants(self.process.pid)
        self.process.terminate()
        self.process.wait(60)
        processes.assert_all_end(tree, "the Hub's processes")


class Person:
    """Somebody with a token of the Hub, as the page of their server has one."""

    def __init__(self, hub: Hub, name: str, token: str, home: Path):
        self.hub, self.name, self.token, self.home = hub, name, token, home
        self.space = SPACE + name
        self.kernel: websocket.WebSocket | None = None

    def start(self, **options: Any) -> None:
        """Ends when the server is there: the Hub tells how far it is, and at last that it is ready."""
        self.hub.api("POST", f"/users/{self.name}/server", options)
        request = urllib.request.Request(f"{self.hub.direct}/hub/api/users/{self.name}/server/progress",
                                         headers={"Authorization": f"token {self.hub.admin}"})
        with urllib.request.urlopen(request, timeout=600) as answer:
            said = [json.loads(line[5:]) for line in answer if line.startswith(b"data:")]
        assert said[-1].get("ready"), said

    def stop(self) -> None:
        self.hub.api("DELETE", f"/users/{self.name}/server")
        wait_for(lambda: not self.hub.api("GET", f"/users/{self.name}")["servers"], "the server stops")

    def server(self, method: str, path: str, body: Any = None, whose: "Person | None" = None) -> Any:
        """Of one's own server, or of somebody else's."""
        return call(f"{self.hub.url}/user/{(whose or self).name}{path}", self.token, method, body)

    def open_notebook(self, path: str) -> dict:
        session = self.server("POST", "/api/sessions", {
            "path": path, "type": "notebook", "name": path, "kernel": {"name": "cellpod-gke"}})
        where = f"{self.hub.url}/user/{self.name}/api/kernels/{session['kernel']['id']}/channels"
        self.kernel = websocket.create_connection(
            where.replace("http:", "ws:"), header={"Authorization": f"token {self.token}"}, timeout=START)
        return session

    def run(self, code: str) -> list[dict]:
        """A cell's messages, up to its end: reply and idle come by two ways, in either order."""
        header = {"msg_id": secrets.token_hex(8), "msg_type": "execute_request", "username": self.name,
                  "session": "s", "version": "5.3", "date": "2026-01-01T00:00:00Z"}
        self.kernel.send(json.dumps({
            "header": header, "parent_header": {}, "metadata": {}, "channel": "shell", "buffers": [],
            "content": {"code": code, "silent": False, "store_history": True, "allow_stdin": False}}))
        said: list[dict] = []
        while not {"idle", "execute_reply"} <= {one["content"].get("execution_state", one["msg_type"]) for one in said}:
            message = json.loads(self.kernel.recv())
            if message["parent_header"].get("msg_id") == header["msg_id"]:
                said.append(message)
        return said

    def close(self) -> None:
        if self.kernel:
            self.kernel.close()


class Refused(Exception):
    def __init__(self, code: int, body: str):
        super().__init__(f"{code}: {body[:300]}")
        self.code = code


def call(url: str, token: str | None, method: str = "GET", body: Any = None, header: str = "Authorization") -> Any:
    request = urllib.request.Request(
        url, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"} | ({header: token if header != "Authorization" else f"token {token}"} if token else {}))
    try:
        with urllib.request.urlopen(request, timeout=START) as answer:
            data = answer.read()
            return json.loads(data) if data[:1] in (b"{", b"[") else data
    except urllib.error.HTTPError as error:
        raise Refused(error.code, error.read().decode(errors="replace")) from None


def sandboxd_of(ip: str) -> str:
    return f"http://{ip}:{PORT}"

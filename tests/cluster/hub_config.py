"""JupyterHub's configuration in tests: what Zero to JupyterHub makes of values.yaml, and then cellpod_hub.py
itself. A value that this file does not know is an error, so that none is tested by mistake."""

import json
import os
import signal
import ssl
import urllib.request
from pathlib import Path

import yaml
from jupyterhub.spawner import SimpleLocalProcessSpawner

DEPLOY = Path(__file__).resolve().parents[2] / "deploy/gke/overlays/jupyterhub"
settings = json.loads(os.environ["CELLPOD_TEST_HUB"])
TRAITS = {"cmd": "cmd", "defaultUrl": "default_url", "uid": "uid", "fsGid": "fs_gid", "startTimeout": "start_timeout"}
ELSEWHERE = {"image", "cpu", "memory", "storage", "networkPolicy", "cloudMetadata"}

c = get_config()  # noqa: F821
c.JupyterHub.bind_url = f"http://127.0.0.1:{settings['public']}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{settings['hub']}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{settings['proxy']}"
c.ConfigurableHTTPProxy.command = [f"{settings['bin']}/configurable-http-proxy", "--timeout", "600000", "--proxy-timeout", "600000"]
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.services = [{"name": "tester", "api_token": settings["token"]}]
c.JupyterHub.load_roles = [{
    "name": "tester", "services": ["tester"],
    "scopes": ["admin:users", "admin:servers", "tokens", "access:servers", "read:hub"]}]
c.Spawner.http_timeout = 600  # a busy machine starts twenty servers at once


def by_values(values):
    for name, value in values.items():
        if name in TRAITS:
            c.KubeSpawner[TRAITS[name]] = value
        elif name not in ELSEWHERE:
            raise ValueError(f"values.yaml: singleuser.{name} is not known to {__file__}")
    c.KubeSpawner.image = "{name}:{tag}".format(**values["image"])
    c.KubeSpawner.cpu_guarantee, c.KubeSpawner.cpu_limit = values["cpu"]["guarantee"], values["cpu"]["limit"]
    c.KubeSpawner.mem_guarantee, c.KubeSpawner.mem_limit = values["memory"]["guarantee"], values["memory"]["limit"]
    storage = values["storage"]
    c.KubeSpawner.storage_pvc_ensure = True
    c.KubeSpawner.storage_capacity = storage["capacity"]
    home = {"name": "home", "persistentVolumeClaim": {"claimName": "{pvc_name}"}}
    c.KubeSpawner.volumes = {one["name"]: one for one in [home, *storage["extraVolumes"]]}
    mounts = [{"name": "home", "mountPath": storage["homeMountPath"]}, *storage["extraVolumeMounts"]]
    c.KubeSpawner.volume_mounts = {one["name"]: one for one in mounts}
    c.KubeSpawner.extra_labels = {"hub.jupyter.org/network-access-hub": "true"}  # the chart's own


class LocalSpawner(SimpleLocalProcessSpawner):
    """Servers as processes of this machine. Each has its service account, as a kubelet would give it."""

    async def start(self):
        account = Path(settings["homes"]) / f"{self.user.name}.account"
        account.mkdir(exist_ok=True)
        (account / "token").write_text(token_of(self.environment["CELLPOD_GKE_NAMESPACE"]))
        (account / "ca.crt").write_text(Path(settings["account"]["ca"]).read_text())
        (account / "namespace").write_text("jupyterhub")
        self.environment = {**self.environment, "CELLPOD_SERVICE_ACCOUNT": str(account),
                            "KUBERNETES_SERVICE_HOST": "127.0.0.1"}
        return await super().start()

    async def _signal(self, number):
        """A kubelet's first signal, not SIGINT: without a terminal it ends Jupyter's server and leaves its kernels."""
        return await super()._signal(signal.SIGTERM if number == signal.SIGINT else number)


def token_of(account):
    request = urllib.request.Request(
        f"{settings['account']['url']}/api/v1/namespaces/jupyterhub/serviceaccounts/{account}/token",
        method="POST", data=json.dumps({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
            "spec": {"expirationSeconds": 7200}}).encode(),
        headers={"Authorization": f"Bearer {settings['account']['token']}", "Content-Type": "application/json"})
    context = ssl.create_default_context(cafile=settings["account"]["ca"])
    with urllib.request.urlopen(request, context=context, timeout=60) as answer:
        return json.load(answer)["status"]["token"]


if settings["spawner"] == "kube":
    c.JupyterHub.spawner_class = "kubespawner.KubeSpawner"
    c.JupyterHub.hub_connect_url = f"http://127.0.0.1:{settings['hub']}"
    c.KubeSpawner.namespace = "jupyterhub"
    by_values(yaml.safe_load((DEPLOY / "values.yaml").read_text())["singleuser"])
else:
    c.JupyterHub.spawner_class = LocalSpawner
    c.LocalProcessSpawner.interrupt_timeout = 60  # the grace that cellpod_hub.py gives
    c.SimpleLocalProcessSpawner.home_dir_template = settings["homes"] + "/{username}"
    c.Spawner.cmd = [f"{settings['bin']}/jupyterhub-singleuser", "--allow-root"]
    c.Spawner.env_keep = ["PATH", "LC_ALL", "JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "KUBERNETES_SERVICE_PORT"]
load_subconfig(str(DEPLOY / "cellpod_hub.py"))  # noqa: F821

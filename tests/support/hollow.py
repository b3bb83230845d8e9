"""Claims by the hundred, on pods that are records alone: a pool of them, and what is left of it."""

import os
import subprocess

from support.cluster import CLAIMS, NAMESPACE, PODS, POOLS, SANDBOXES, TEMPLATES, Api, ControlPlane
from support.kernel import BUILD

VERSION = "extensions.agents.x-k8s.io/v1beta1"
DRIVER = BUILD / "tests/cluster/claim_driver"
KINDS = {"claims": CLAIMS, "sandboxes": SANDBOXES, "pods": PODS,
         "services": f"/api/v1/namespaces/{NAMESPACE}/services",
         "volume claims": f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims"}


def create_pool(api: Api, replicas: int) -> None:
    api.create(TEMPLATES, {
        "apiVersion": VERSION, "kind": "SandboxTemplate", "metadata": {"name": "hollow"},
        "spec": {"podTemplate": {"metadata": {"labels": {"hollow": "true"}},
                                 "spec": {"containers": [{"name": "c", "image": "none"}]}}}})
    api.create(POOLS, {"apiVersion": VERSION, "kind": "SandboxWarmPool", "metadata": {"name": "hollow"},
                       "spec": {"replicas": replicas, "sandboxTemplateRef": {"name": "hollow"}}})


def warm(api: Api) -> int:
    return api.get(f"{POOLS}/hollow").get("status", {}).get("readyReplicas", 0)


def left(api: Api) -> dict[str, int]:
    """How many there are of each kind that the pool or its claims have brought about; {}: none."""
    found = {kind: sum(item["metadata"]["name"].startswith(("hollow-", "cellpod-bench-")) for item in api.items(path))
             for kind, path in KINDS.items()}
    return {kind: count for kind, count in found.items() if count}


def driver(plane: ControlPlane, *arguments: object, **options) -> subprocess.Popen:
    return subprocess.Popen([DRIVER, *map(str, arguments)], text=True, stdout=subprocess.PIPE,
                            env={**os.environ, "KUBECONFIG": str(plane.admin)}, **options)

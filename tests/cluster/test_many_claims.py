"""500 claims at once: none is left, and how long they took on our side."""

import os
import statistics
import subprocess

import pytest

from support.cluster import CLAIMS, PODS, POOLS, TEMPLATES, wait_for
from support.kernel import BUILD

COUNT = 500
TEMPLATE = {
    "apiVersion": "extensions.agents.x-k8s.io/v1beta1", "kind": "SandboxTemplate",
    "metadata": {"name": "hollow"},
    "spec": {"podTemplate": {"metadata": {"labels": {"hollow": "true"}},
                             "spec": {"containers": [{"name": "c", "image": "none"}]}}},
}


def pool_of(replicas):
    return {"apiVersion": "extensions.agents.x-k8s.io/v1beta1", "kind": "SandboxWarmPool",
            "metadata": {"name": "hollow"},
            "spec": {"replicas": replicas, "sandboxTemplateRef": {"name": "hollow"}}}


def ready(plane) -> int:
    return sum(pod["status"].get("phase") == "Running" for pod in plane.api.items(PODS)
               if "hollow" in pod["metadata"].get("labels", {}))


@pytest.mark.timeout(900)
def test_500_claims_at_once_leave_nothing(plane, kubelet, capfd):
    plane.api.create(TEMPLATES, TEMPLATE)
    plane.api.create(POOLS, pool_of(COUNT))
    wait_for(lambda: ready(plane) >= COUNT, f"{COUNT} warm pods", 600)
    run = subprocess.run([BUILD / "tests/cluster/claim_driver", str(COUNT), "hollow"], text=True,
                         env={**os.environ, "KUBECONFIG": str(plane.admin)}, timeout=600,
                         capture_output=True)
    assert run.returncode == 0, run.stderr
    *times, left = run.stdout.splitlines()
    times = sorted(map(int, times))
    assert left == f"left {COUNT}" and len(times) == COUNT
    wait_for(lambda: not plane.api.items(CLAIMS), run.stderr[-3000:])
    plane.api.delete(f"{POOLS}/hollow")
    with capfd.disabled():
        print(f"\n{COUNT} claims at once, claim to ready: p50 {statistics.median(times):.0f} ms, "
              f"p99 {times[int(COUNT * 0.99) - 1]} ms, longest {times[-1]} ms; none left")

"""`kubectl apply -k` and the autoscaler do not fight over the pool's size: by the real kubectl and API server."""

import shutil
import subprocess

import manifests
import pytest
import yaml

from support.cluster import NAMESPACE, POOLS, TEMPLATES

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl here")


@pytest.fixture(params=["with the autoscaler", "without"])
def overlay(request, plane, kubelet, tmp_path):
    """The pool of an overlay, under a name that no other test has, and of hollow pods."""
    components = ["autoscaling"] if request.param.startswith("with the") else []
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
        "resources": [manifests.relative(tmp_path, "overlays/kind")],
        "components": [manifests.relative(tmp_path, f"components/{name}") for name in components]}))
    [pool] = [one for one in manifests.build(tmp_path) if one["kind"] == "SandboxWarmPool"]
    pool["metadata"] = {"name": "scaled", "namespace": NAMESPACE}
    pool["spec"]["sandboxTemplateRef"]["name"] = "scaled"
    plane.api.create(TEMPLATES, {
        "apiVersion": pool["apiVersion"], "kind": "SandboxTemplate", "metadata": {"name": "scaled"},
        "spec": {"podTemplate": {"metadata": {"labels": {"hollow": "true"}},
                                 "spec": {"containers": [{"name": "c", "image": "none"}]}}}})
    path = tmp_path / "pool.yaml"
    path.write_text(yaml.safe_dump(pool))
    yield path, bool(components)
    plane.api.delete(f"{POOLS}/scaled")
    plane.api.delete(f"{TEMPLATES}/scaled")


def apply(plane, path) -> int:
    subprocess.run(["kubectl", "--kubeconfig", plane.admin, "apply", "-f", path], check=True, capture_output=True)
    return plane.api.get(f"{POOLS}/scaled")["spec"]["replicas"]


def test_what_the_autoscaler_has_set_stays(overlay, plane):
    path, is_scaled = overlay
    apply(plane, path)
    plane.api.merge(f"{POOLS}/scaled/scale", {"spec": {"replicas": 4}})  # as the autoscaler does
    assert apply(plane, path) == (4 if is_scaled else 2)

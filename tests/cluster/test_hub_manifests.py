"""overlays/jupyterhub: what is applied before the Hub, what the Hub makes for each person, and its values."""

import functools
import json

import manifests
import pytest
import yaml

pytestmark = pytest.mark.skipif(
    manifests.kustomize() is None, reason="neither kubectl with kustomize 5 nor go is here")

FOLDER = manifests.DEPLOY / "overlays/jupyterhub"


@functools.cache
def objects(*names):
    return {manifests.title(document): document for document in manifests.build(FOLDER.joinpath(*names))}


@functools.cache
def anns():
    return {manifests.title(document): document
            for document in (manifests.filled(one, "ann") for one in objects("person").values())}


def test_every_object_is_one_that_a_cluster_takes():
    for document in [*objects().values(), *anns().values()]:
        assert manifests.validate(document) in ("custom resource", "Kubernetes")


def test_all_that_a_person_has_is_in_a_namespace_of_that_person_but_the_account():
    places = {name: document["metadata"].get("namespace") for name, document in anns().items()}
    assert places.pop("Namespace/cellpod-user-ann") is None
    assert places.pop("ServiceAccount/cellpod-user-ann") == "jupyterhub"
    assert set(places.values()) == {"cellpod-user-ann"} and len(places) == 9, places


def test_a_persons_sandboxes_are_those_of_base_but_for_who_reaches_them_and_their_size():
    base = {manifests.title(document): document
            for document in manifests.build(manifests.DEPLOY / "base/sandboxes")}["SandboxTemplate/cellpod-python"]
    for name in ("SandboxTemplate/cellpod-python", "SandboxTemplate/cellpod-python-large"):
        spec = yaml.safe_load(yaml.safe_dump(anns()[name]["spec"]))
        [container] = spec["podTemplate"]["spec"]["containers"]
        if name.endswith("large"):
            container["resources"] = base["spec"]["podTemplate"]["spec"]["containers"][0]["resources"]
        container["image"] = "cellpod-sandbox"
        spec["networkPolicy"] = base["spec"]["networkPolicy"]
        assert spec == base["spec"], name


def test_each_size_has_its_pool_and_every_pool_its_template():
    pools = {name.partition("/")[2]: document for name, document in anns().items()
             if document["kind"] == "SandboxWarmPool"}
    for pool in pools.values():
        assert f"SandboxTemplate/{pool['spec']['sandboxTemplateRef']['name']}" in anns()
        assert pool["spec"]["replicas"] == 0, "warm only while the server runs"
    listed = (FOLDER / "cellpod_hub.py").read_text()
    assert all(f'("{name}", ' in listed for name in pools) and len(pools) == 2


def test_a_quota_of_one_person_has_room_for_a_large_sandbox_and_a_warm_one():
    hard = anns()["ResourceQuota/cellpod"]["spec"]["hard"]
    [container] = anns()["SandboxTemplate/cellpod-python-large"]["spec"]["podTemplate"]["spec"]["containers"]
    limits = container["resources"]["limits"]
    assert 2 * int(limits["cpu"]) <= int(hard["limits.cpu"])
    assert 2 * int(limits["memory"][:-2]) <= int(hard["limits.memory"][:-2])


def test_persons_rights_are_those_that_jupyterlab_has_alone():
    [rules] = [document["rules"] for name, document in objects().items() if name == "ClusterRole/cellpod-person"]
    base = manifests.build(manifests.DEPLOY / "base")
    reasons = manifests.DEPLOY / "components/reasons/reasons.yaml"
    alone = [document["rules"] for document in [*base, *yaml.safe_load_all(reasons.read_text())]
             if document["kind"] == "Role" and document["metadata"]["name"].startswith("jupyter-")]
    assert rules == [rule for role in alone for rule in role]


def test_the_values_need_no_privileged_container_and_no_label_that_kubespawner_sets():
    values = yaml.safe_load((FOLDER / "values.yaml").read_text())["singleuser"]
    assert values["cloudMetadata"]["blockWithIptables"] is False
    assert (values["uid"], values["fsGid"]) == (10001, 10001)
    [selector] = [document["spec"]["podSelector"] for document in objects().values()
                  if document["kind"] == "NetworkPolicy"]
    assert selector == {"matchLabels": {"cellpod.dev/role": "notebooks"}}


def test_idle_kernels_end_before_idle_servers():
    """By the image: a server without kernels is idle, and ends after them."""
    kernels = json.loads((manifests.ROOT / "deploy/image/jupyter_server_config.json").read_text())
    culling = kernels["MappingKernelManager"]
    assert culling["cull_connected"] is True and culling["cull_busy"] is False
    servers = yaml.safe_load((FOLDER / "values.yaml").read_text())["cull"]
    assert servers["enabled"] is True
    assert 0 < culling["cull_idle_timeout"] < servers["timeout"]


def test_every_volume_of_the_values_is_mounted():
    storage = yaml.safe_load((FOLDER / "values.yaml").read_text())["singleuser"]["storage"]
    assert ([volume["name"] for volume in storage["extraVolumes"]]
            == [mount["name"] for mount in storage["extraVolumeMounts"]])
    named = {volume.get("configMap", {}).get("name") for volume in storage["extraVolumes"]} - {None}
    assert {f"ConfigMap/{name}" for name in named} <= objects().keys()

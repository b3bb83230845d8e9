"""deploy/gke/components/data: each changes what it says, and what it opens is only that."""

import manifests
import pytest
import yaml
from manifests import relative
from test_manifests import SANDBOX, needs_kustomize, pods, reached

pytestmark = needs_kustomize

RESOLVERS = {("169.254.169.254", 53), ("169.254.20.10", 53)}
TOKENS = {("169.254.169.254", 80)}  # of Workload Identity: the service account's, not the node's
GOOGLES = {"sts.googleapis.com", "iamcredentials.googleapis.com"}
MOUNTS = {  # by component: where, and whether cells may write there
    "team-volume": {"/workspace/team": False},
    "personal-volume": {},
    "bucket": {"/workspace/bucket": False},
    "bigquery": {},
}
HOSTS = {"bucket": GOOGLES | {"storage.googleapis.com"},
         "bigquery": GOOGLES | {"bigquery.googleapis.com", "bigquerystorage.googleapis.com"}}


def build(folder, *components):
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
        "resources": [relative(folder, "overlays/autopilot")],
        "components": [relative(folder, f"components/data/{name}") for name in components],
    }))
    return {manifests.title(document): document for document in manifests.build(folder)}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return build(tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module", params=manifests.DATA)
def component(request):
    return request.param


@pytest.fixture(scope="module")
def objects(component, tmp_path_factory):
    return build(tmp_path_factory.mktemp(component), component)


def sandbox_of(objects):
    return manifests.pod_of(objects[SANDBOX])


def mounts_of(objects):
    [container] = sandbox_of(objects)["containers"]
    return {mount["mountPath"]: not mount.get("readOnly") for mount in container["volumeMounts"]}


def test_every_component_is_in_these_tables():
    assert set(manifests.DATA) == MOUNTS.keys()


def test_every_object_is_one_that_a_cluster_takes(objects):
    for document in objects.values():
        manifests.validate(document)
        if document["kind"] != "Namespace":
            assert document["metadata"]["namespace"] == "cellpod"


def test_it_mounts_what_it_says(component, objects, plain):
    assert mounts_of(objects).items() - mounts_of(plain).items() == MOUNTS[component].items()
    volumes = {volume["name"] for volume in sandbox_of(objects)["volumes"]}
    [container] = sandbox_of(objects)["containers"]
    assert {mount["name"] for mount in container["volumeMounts"]} == volumes


def test_a_volume_that_is_claimed_is_there(objects):
    for volume in sandbox_of(objects)["volumes"]:
        if claim := volume.get("persistentVolumeClaim"):
            assert f"PersistentVolumeClaim/{claim['claimName']}" in objects


def test_a_personal_volume_is_of_one_pod_at_a_time(tmp_path):
    objects = build(tmp_path, "personal-volume")
    assert objects["PersistentVolumeClaim/workspace"]["spec"]["accessModes"] == ["ReadWriteOncePod"]
    assert objects["SandboxWarmPool/cellpod"]["spec"]["replicas"] == 0, "a warm pod would hold it"
    [volume] = [v for v in sandbox_of(objects)["volumes"] if v["name"] == "workspace"]
    assert "emptyDir" not in volume and mounts_of(objects)["/workspace"]


def test_the_sandbox_has_no_token_of_the_cluster(objects):
    sandbox = sandbox_of(objects)
    assert sandbox["automountServiceAccountToken"] is False
    if name := sandbox.get("serviceAccountName"):
        assert objects[f"ServiceAccount/{name}"]["automountServiceAccountToken"] is False
        assert not [binding for title, binding in objects.items() if "RoleBinding" in title
                    and name in str(binding["subjects"])]


def test_what_it_opens_is_named(component, objects, plain):
    """The template's own policy stays shut; more is allowed by host, and for names and tokens."""
    assert objects[SANDBOX]["spec"]["networkPolicy"] == plain[SANDBOX]["spec"]["networkPolicy"]
    new = {name: document for name, document in objects.items()
           if document["kind"].endswith("NetworkPolicy") and name not in plain}
    for document in new.values():
        labels = document["spec"]["podSelector"]["matchLabels"]
        assert labels.items() <= objects[SANDBOX]["spec"]["podTemplate"]["metadata"]["labels"].items()
    opened = set().union(*(reached(document) for document in new.values()
                           if document["kind"] == "NetworkPolicy"))
    assert opened == (RESOLVERS | TOKENS if component in HOSTS else set())
    hosts = {match["name"] for document in new.values() if document["kind"] == "FQDNNetworkPolicy"
             for rule in document["spec"]["egress"] for match in rule["matches"]}
    assert hosts == HOSTS.get(component, set())
    ports = {port["port"] for document in new.values() if document["kind"] == "FQDNNetworkPolicy"
             for rule in document["spec"]["egress"] for port in rule["ports"]}
    assert ports <= {443}


def test_no_rule_names_a_block_of_addresses(objects):
    for document in objects.values():
        if document["kind"] == "NetworkPolicy" and document["metadata"]["name"].startswith("sandbox-b"):
            blocks = [peer["ipBlock"]["cidr"] for rule in document["spec"]["egress"]
                      for peer in rule["to"] if "ipBlock" in peer]
            assert all(block.startswith("169.254.") and block.endswith("/32") for block in blocks)


def test_all_pods_stay_as_confined_as_they_were(objects, plain):
    before = dict(pods(plain))
    for name, pod in pods(objects):
        assert pod["securityContext"] == before[name]["securityContext"]
        assert [c["securityContext"] for c in pod["containers"]] == \
            [c["securityContext"] for c in before[name]["containers"]]


@pytest.mark.parametrize("pair", [("team-volume", "bucket"), ("team-volume", "personal-volume"),
                                  ("team-volume", "bigquery")])
def test_they_can_be_combined(tmp_path, pair):
    objects = build(tmp_path, *pair)
    for document in objects.values():
        manifests.validate(document)
    assert set(mounts_of(objects)) >= {path for name in pair for path in MOUNTS[name]}

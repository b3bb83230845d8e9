"""deploy/gke: every overlay builds, every object is one that a cluster takes, and the policy holds."""

from __future__ import annotations

import ipaddress
import json
import re
import subprocess

import jsonschema
import kubernetes_validate
import manifests
import pytest
import yaml

needs_kustomize = pytest.mark.skipif(
    manifests.kustomize() is None, reason="neither kubectl with kustomize 5 nor go is here")
pytestmark = needs_kustomize

SANDBOX = "SandboxTemplate/cellpod-python"
IMAGE_CONFIG = json.loads((manifests.ROOT / "deploy/image/jupyter_server_config.json").read_text())
GVISOR_ABSENT = {"kind"}  # overlays that say plainly that they have none


@pytest.fixture(scope="module", params=manifests.OVERLAYS)
def overlay(request):
    return request.param


@pytest.fixture(scope="module")
def objects(overlay, tmp_path_factory):
    """An overlay with every component: the most that anybody can apply."""
    folder = tmp_path_factory.mktemp(overlay)
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
        "resources": [manifests.relative(folder, f"overlays/{overlay}")],
        "components": [manifests.relative(folder, f"components/{name}") for name in manifests.COMPONENTS],
    }))
    return {manifests.title(document): document for document in manifests.build(folder)}


def pods(objects):
    for name, document in objects.items():
        if (pod := manifests.pod_of(document)) is not None:
            yield name, pod


def test_every_overlay_builds_alone(overlay):
    names = {manifests.title(document)
             for document in manifests.build(manifests.DEPLOY / "overlays" / overlay)}
    assert {"Namespace/cellpod", SANDBOX, "SandboxWarmPool/cellpod", "Deployment/jupyter",
            "Deployment/sandbox-router", "NetworkPolicy/nothing-by-default"} <= names


def test_every_object_is_one_that_a_cluster_takes(objects):
    judged = {name: manifests.validate(document) for name, document in objects.items()}
    assert judged[SANDBOX] == "custom resource" and judged["Deployment/jupyter"] == "Kubernetes"
    assert not [name for name, by in judged.items() if by.startswith("Google")]


@pytest.mark.parametrize("path, value", [
    (("spec", "podTemplate", "spec", "runtimeClass"), "gvisor"),
    (("spec", "envVarsInjectionPolicy"), "Sometimes"),
    (("spec", "podTemplate", "spec", "containers"), {}),
])
def test_the_schema_check_can_fail(objects, path, value):
    broken = yaml.safe_load(yaml.safe_dump(objects[SANDBOX]))
    inner = broken
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        manifests.validate(broken)


def test_the_schema_check_can_fail_for_kubernetes_own(objects):
    broken = yaml.safe_load(yaml.safe_dump(objects["Deployment/jupyter"]))
    broken["spec"]["template"]["spec"]["container"] = []
    with pytest.raises(kubernetes_validate.ValidationError):
        manifests.validate(broken)


def test_everything_lives_in_one_namespace(objects):
    spread = {name: document["metadata"].get("namespace") for name, document in objects.items()}
    assert {name for name, namespace in spread.items() if namespace is None} == {
        "Namespace/cellpod", "PodSnapshotStorageConfig/cellpod", "ValidatingAdmissionPolicy/cellpod-suspension",
        "ValidatingAdmissionPolicyBinding/cellpod-suspension"}
    assert set(spread.values()) == {None, "cellpod"}


def test_no_pod_runs_as_root(objects):
    for name, pod in pods(objects):
        security = pod["securityContext"]
        assert security["runAsNonRoot"] is True and security["runAsUser"] >= 1000, name
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert not any(pod.get(field) for field in ("hostNetwork", "hostPID", "hostIPC")), name


def test_no_container_gains_privileges(objects):
    for name, pod in pods(objects):
        for container in manifests.containers_of(pod):
            security = container["securityContext"]
            assert security["allowPrivilegeEscalation"] is False, name
            assert security["readOnlyRootFilesystem"] is True, name
            assert security["capabilities"] == {"drop": ["ALL"]}, name
            assert "privileged" not in security, name


def test_every_container_has_limits_and_every_server_is_probed(objects):
    for name, pod in pods(objects):
        for container in manifests.containers_of(pod):
            for kind in ("requests", "limits"):
                assert {"cpu", "memory"} <= container["resources"][kind].keys(), name
        for container in pod["containers"]:
            assert {"readinessProbe", "livenessProbe"} <= container.keys(), name
        for volume in pod.get("volumes", []):
            if "emptyDir" in volume:
                assert "sizeLimit" in volume["emptyDir"], name
            assert "hostPath" not in volume, name


def test_a_service_account_token_is_mounted_only_where_it_is_used(objects):
    holders = {name for name, pod in pods(objects)
               if pod.get("automountServiceAccountToken") is not False}
    assert holders == {"Deployment/jupyter", "Deployment/sandbox-router"}
    for name, document in objects.items():
        if document["kind"] == "ServiceAccount":
            assert document["automountServiceAccountToken"] is False, name


def test_jupyter_may_handle_claims_learn_reasons_suspend_and_nothing_else(objects):
    assert objects["Role/jupyter-claims"]["rules"] == [{
        "apiGroups": ["extensions.agents.x-k8s.io"], "resources": ["sandboxclaims"],
        "verbs": ["create", "list", "watch", "patch", "delete"]}]
    assert objects["Role/jupyter-reasons"]["rules"] == [
        {"apiGroups": ["agents.x-k8s.io"], "resources": ["sandboxes"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["list", "watch"]}]
    assert objects["Role/jupyter-suspension"]["rules"] == [
        {"apiGroups": ["agents.x-k8s.io"], "resources": ["sandboxes"], "verbs": ["get", "patch"]},
        {"apiGroups": ["podsnapshot.gke.io"], "resources": ["podsnapshotmanualtriggers"],
         "verbs": ["create", "list", "watch"]}]
    assert {document["roleRef"]["name"] for document in objects.values()
            if document["kind"] == "RoleBinding"
            and {"kind": "ServiceAccount", "name": "jupyter", "namespace": "cellpod"}
            in document["subjects"]} == {
                "jupyter-claims", "jupyter-reasons", "jupyter-suspension"}
    assert not [name for name in objects if name.startswith("ClusterRole")]


def test_memory_that_is_saved_comes_back_to_its_own_sandbox_alone(objects):
    """Without groups, a new pod of the template is given the newest memory of all."""
    policy = objects["PodSnapshotPolicy/cellpod"]["spec"]
    assert policy["snapshotGroupingRules"]["groupByLabelValue"]["labels"] == ["agents.x-k8s.io/sandbox-name-hash"]
    assert policy["triggerConfig"] == {"type": "manual", "postCheckpoint": "resume"}
    labels = objects[SANDBOX]["spec"]["podTemplate"]["metadata"]["labels"]
    assert policy["selector"]["matchLabels"].items() <= labels.items()
    assert f"PodSnapshotStorageConfig/{policy['storageConfigName']}" in objects


def container_of(objects, name):
    [container] = manifests.pod_of(objects[name])["containers"]
    return container


def test_the_sandbox_is_started_with_options_that_sandboxd_takes(objects):
    """The real program reads them; only the port is another, since 8888 may be in use here."""
    arguments = container_of(objects, SANDBOX)["args"]
    assert arguments == ["--listen", "tcp:0.0.0.0:8888", "--capacity", "1", "--isolation", "pod", "--claims", "open",
                         "--grace", "120", "--log-format", "json"]
    program = manifests.ROOT / "build/bin/cellpod-sandboxd"
    refused = subprocess.run([program, *arguments, "--tokens", "none"], capture_output=True, text=True)
    assert refused.returncode != 0 and "--tokens none is for loopback addresses only" in refused.stderr


def test_jupyter_offers_the_kernel_that_is_installed(objects):
    [name] = IMAGE_CONFIG["KernelSpecManager"]["allowed_kernelspecs"]
    assert IMAGE_CONFIG["KernelSpecManager"]["ensure_native_kernel"] is False
    assert IMAGE_CONFIG["MultiKernelManager"]["default_kernel_name"] == name
    arguments = container_of(objects, "Deployment/jupyter")["args"]
    assert not [one for one in arguments if "Kernel" in one], "the image says which kernels there are"
    spec = json.loads((manifests.ROOT / "kernelspec" / name / "kernel.json.in").read_text())
    assert spec["argv"][-2:] == ["--sandbox", "gke"]
    assert spec["display_name"] in (manifests.DEPLOY / "README.md").read_text()
    notebook = json.loads((manifests.ROOT / "notebooks/gke.ipynb").read_text())
    assert notebook["metadata"]["kernelspec"] == {
        "name": name, "display_name": spec["display_name"], "language": "python"}


def test_kernels_claim_from_the_pool_that_there_is(objects):
    """By variables that the kernel knows: a misspelt one would be a default in disguise."""
    given = {variable["name"]: variable.get("value")
             for variable in container_of(objects, "Deployment/jupyter")["env"]}
    known = (manifests.ROOT / "kernel/place/gke_options.c").read_text()
    for name in given:
        assert not name.startswith("CELLPOD_") or f'"{name}"' in known, name
    assert f"SandboxWarmPool/{given['CELLPOD_GKE_POOL']}" in objects


def test_sandboxes_run_under_gvisor(objects, overlay):
    runtime = manifests.pod_of(objects[SANDBOX]).get("runtimeClassName")
    assert runtime == (None if overlay in GVISOR_ABSENT else "gvisor")


def test_a_sandbox_reaches_nothing_and_is_reached_by_two(objects):
    policy = objects[SANDBOX]["spec"]["networkPolicy"]
    assert policy["egress"] == []
    sources = [peer["podSelector"]["matchLabels"] for rule in policy["ingress"] for peer in rule["from"]]
    assert sources == [{"cellpod.dev/role": "notebooks"}, {"app.kubernetes.io/name": "sandbox-router"}]
    closed = objects["NetworkPolicy/nothing-by-default"]["spec"]
    assert closed == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def allows(rule: dict, address: str, port: int) -> bool:
    """Does a rule of a policy let its pods reach an address that is no pod's?"""
    if rule.get("ports") and port not in {one["port"] for one in rule["ports"]}:
        return False
    blocks = [peer["ipBlock"] for peer in rule["to"] if "ipBlock" in peer] if "to" in rule else \
        [{"cidr": "0.0.0.0/0"}]
    target = ipaddress.ip_address(address)
    return any(target in ipaddress.ip_network(block["cidr"])
               and not any(target in ipaddress.ip_network(part) for part in block.get("except", []))
               for block in blocks)


def reached(document: dict) -> set[tuple[str, int]]:
    """What of link-local addresses the pods of a policy reach."""
    rules = document["spec"].get("egress", [])
    return {(address, port) for address in ("169.254.169.254", "169.254.20.10", "169.254.1.1")
            for port in (53, 80, 443, 988, 8080) if any(allows(rule, address, port) for rule in rules)}


RESOLVERS = {("169.254.169.254", 53), ("169.254.20.10", 53)}
WITH_NAMES = {"NetworkPolicy/jupyter": RESOLVERS, "NetworkPolicy/sandbox-router": RESOLVERS,
              "NetworkPolicy/model": RESOLVERS}


def test_the_metadata_server_answers_for_names_and_nothing_else(objects):
    """Cloud DNS, with or without NodeLocal DNSCache, is asked at link-local addresses. What else the
    metadata server has (tokens of the node) nobody reaches."""
    found = {name: reached(document) for name, document in objects.items()
             if document["kind"] == "NetworkPolicy"}
    assert {name: peers for name, peers in found.items() if peers} == WITH_NAMES


def test_names_are_asked_of_kube_dns_too_by_both_protocols(objects):
    for name in WITH_NAMES:
        rules = [rule for rule in objects[name]["spec"]["egress"]
                 if any(port["port"] == 53 for port in rule["ports"])]
        [rule] = rules
        assert {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}} in rule["to"]
        assert sorted((port["port"], port["protocol"]) for port in rule["ports"]) == [(53, "TCP"), (53, "UDP")]


@pytest.mark.parametrize("rule, expected", [
    ({"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}, True),
    ({}, True),
    ({"to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["169.254.0.0/16"]}}]}, False),
    ({"to": [{"ipBlock": {"cidr": "169.254.169.254/32"}}], "ports": [{"port": 53}]}, False),
    ({"to": [{"podSelector": {}}]}, False),
])
def test_the_policy_check_can_fail(rule, expected):
    assert allows(rule, "169.254.169.254", 80) is expected


def test_a_pod_that_is_in_use_is_not_moved_for_convenience(objects):
    """Neither the autoscaler nor a drain takes a pod whose variables nobody has elsewhere."""
    metadata = objects[SANDBOX]["spec"]["podTemplate"]["metadata"]
    assert metadata["annotations"] == {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
    budget = objects["PodDisruptionBudget/cellpod-sandbox"]["spec"]
    assert budget["selector"]["matchLabels"].items() <= metadata["labels"].items()
    quota = objects["ResourceQuota/cellpod"]["spec"]["hard"]
    assert budget["minAvailable"] >= int(quota["pods"])


def test_a_pod_is_killed_after_its_grace_only(objects):
    """sandboxd gives what is left of a sandbox 5 s more (LAST_CHANCE_MS)."""
    arguments = container_of(objects, SANDBOX)["args"]
    grace = int(arguments[arguments.index("--grace") + 1])
    assert grace + 5 < manifests.pod_of(objects[SANDBOX])["terminationGracePeriodSeconds"] <= 600, "what Autopilot admits"


def test_selectors_and_references_meet(objects):
    """A Service without pods, or a policy for a label that nobody has, is a spelling mistake."""
    labels = [template["metadata"]["labels"]
              for document in objects.values()
              if (template := document.get("spec", {}).get("podTemplate")
                  or document.get("spec", {}).get("template"))]
    for name, document in objects.items():
        for selector in selectors(document):
            assert any(selector.items() <= have.items() for have in labels), (name, selector)
    assert (objects["SandboxWarmPool/cellpod"]["spec"]["sandboxTemplateRef"]["name"]
            == objects[SANDBOX]["metadata"]["name"])


def selectors(document):
    spec = document.get("spec", {})
    if document["kind"] == "Service":
        yield spec["selector"]
    if document["kind"] == "NetworkPolicy":
        yield spec["podSelector"].get("matchLabels", {})
        for rule in spec.get("ingress", []) + spec.get("egress", []):
            for peer in rule.get("from", []) + rule.get("to", []):
                if "podSelector" in peer:
                    yield peer["podSelector"]["matchLabels"]


def test_images_are_named_with_a_tag_that_is_not_latest(objects):
    for name, pod in pods(objects):
        for container in manifests.containers_of(pod):
            assert re.fullmatch(r"[\w./-]+:[\w.-]+", container["image"]), name
            assert not container["image"].endswith(":latest"), name

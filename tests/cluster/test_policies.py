"""deploy/gke's network policies, peer by peer: what is allowed, and that all the rest is not."""

import manifests
import pytest
import yaml
from policies import Peer, pod, policies_of, reaches

pytestmark = pytest.mark.skipif(
    manifests.kustomize() is None, reason="neither kubectl with kustomize 5 nor go is here")

PERSON = {"cellpod.dev/space": "person"}
PODS = {
    "notebooks": pod("cellpod", name="jupyter", role="notebooks"),
    "sandbox": pod("cellpod", name="cellpod-sandbox"),
    "router": pod("cellpod", name="sandbox-router"),
    "model": pod("cellpod", name="model"),
    "kube-dns": pod("kube-system", name="kube-dns"),
    "prometheus on Standard": pod("gmp-system", name="collector"),
    "prometheus on Autopilot": pod("gke-gmp-system", name="collector"),
    "a pod elsewhere": pod("elsewhere", name="jupyter", role="notebooks"),
}
ADDRESSES = {
    "NodeLocal DNSCache": Peer(address="169.254.20.10"),
    "Cloud DNS and metadata": Peer(address="169.254.169.254"),
    "API server, private": Peer(address="10.128.0.2"),
    "API server, public": Peer(address="34.90.1.2"),
    "another of the VPC": Peer(address="10.20.0.5"),
}
PORTS = [(53, "UDP"), (53, "TCP"), (80, "TCP"), (443, "TCP"), (988, "TCP"), (5432, "TCP"), (6443, "TCP"),
         (8080, "TCP"), (8888, "TCP"), (8889, "TCP")]
NAMES = {(who, whom, 53, protocol) for who in ("notebooks", "router", "model") for protocol in ("UDP", "TCP")
         for whom in ("kube-dns", "NodeLocal DNSCache", "Cloud DNS and metadata")}
# What each may reach, in an overlay with every component. All else is refused.
ALLOWED = NAMES | {
    ("notebooks", "sandbox", 8888, "TCP"),
    ("notebooks", "model", 8080, "TCP"),
    ("router", "sandbox", 8888, "TCP"),
    ("prometheus on Standard", "sandbox", 8888, "TCP"),
    ("prometheus on Autopilot", "sandbox", 8888, "TCP"),
    ("model", "API server, public", 443, "TCP"),  # where its weights come from
} | {(who, whom, port, "TCP") for who in ("notebooks", "router") for port in (443, 6443)
     for whom in ("API server, private", "API server, public", "another of the VPC")
     } | {(who, "notebooks", 8889, "TCP")  # port-forward and the Service; JupyterLab asks for its token
          for who in ("prometheus on Standard", "prometheus on Autopilot", "kube-dns", "a pod elsewhere")}
OURS = ("notebooks", "sandbox", "router", "model")
# Pods elsewhere have policies of their own, or none: what they reach elsewhere is not ours to say.
PAIRS = [(who, whom) for who in PODS for whom in [*PODS, *ADDRESSES]
         if who != whom and (who in OURS or whom in OURS)]


@pytest.fixture(scope="module", params=manifests.OVERLAYS)
def policies(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
        "resources": [manifests.relative(folder, f"overlays/{request.param}")],
        "components": [manifests.relative(folder, f"components/{name}") for name in manifests.COMPONENTS]}))
    return policies_of(manifests.build(folder))


@pytest.mark.parametrize("who, whom", PAIRS, ids=lambda name: name)
def test_a_peer_reaches_what_is_listed_and_nothing_else(policies, who, whom):
    everyone = PODS | ADDRESSES
    reached = {(who, whom, port, protocol) for port, protocol in PORTS
               if reaches(policies, PODS[who], everyone[whom], port, protocol)}
    assert reached == {row for row in ALLOWED if row[:2] == (who, whom)}


# --- JupyterHub: the same, for two people -----------------------------------------------------

HUB_PODS = {
    "ann's server": pod("jupyterhub", name="jupyterhub", role="notebooks", person="ann"),
    "bob's server": pod("jupyterhub", name="jupyterhub", role="notebooks", person="bob"),
    "the Hub": pod("jupyterhub", name="hub"),
    "ann's sandbox": pod("cellpod-user-ann", PERSON, name="cellpod-sandbox"),
    "bob's sandbox": pod("cellpod-user-bob", PERSON, name="cellpod-sandbox"),
    "a pod that calls itself ann's": pod("elsewhere", name="jupyterhub", role="notebooks", person="ann"),
}
SERVERS, SANDBOXES = ("ann's server", "bob's server"), ("ann's sandbox", "bob's sandbox")
HUB_ALLOWED = {
    ("ann's server", "ann's sandbox", 8888, "TCP"), ("bob's server", "bob's sandbox", 8888, "TCP"),
} | {(who, whom, 53, protocol) for who in SERVERS for protocol in ("UDP", "TCP")
     for whom in ("NodeLocal DNSCache", "Cloud DNS and metadata")
     } | {(who, whom, port, "TCP") for who in SERVERS for port in (443, 6443)
          for whom in ("API server, private", "API server, public", "another of the VPC")}


@pytest.fixture(scope="module")
def hub_policies():
    folder = manifests.DEPLOY / "overlays/jupyterhub"
    person = manifests.build(folder / "person")
    return policies_of(manifests.build(folder)) + [
        policy for name in ("ann", "bob")
        for policy in policies_of([manifests.filled(document, name) for document in person])]


@pytest.mark.parametrize("who, whom", [
    (who, whom) for who in HUB_PODS for whom in [*HUB_PODS, *ADDRESSES]
    # The servers among themselves and the Hub are the chart's own policies.
    if who != whom and (who in SANDBOXES or whom in SANDBOXES or (who in SERVERS and whom in ADDRESSES))],
    ids=lambda name: name)
def test_a_persons_server_reaches_that_persons_sandboxes_alone(hub_policies, who, whom):
    everyone = HUB_PODS | ADDRESSES
    reached = {(who, whom, port, protocol) for port, protocol in PORTS
               if reaches(hub_policies, HUB_PODS[who], everyone[whom], port, protocol)}
    assert reached == {row for row in HUB_ALLOWED if row[:2] == (who, whom)}


# --- the reading of policies ------------------------------------------------------------------

A, B = pod("n", name="a"), pod("n", name="b")
SHUT = {"namespace": "n", "podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


def opening(**rules):
    return {"namespace": "n", "podSelector": {}, "policyTypes": ["Ingress", "Egress"],
            "egress": [{}], "ingress": [{}], **rules}


@pytest.mark.parametrize("policies, target, expected", [
    ([], B, True),
    ([SHUT], B, False),
    ([SHUT, opening()], B, True),
    ([opening(egress=[{"to": [{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "b"}}}]}])], B, True),
    ([opening(egress=[{"to": [{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "c"}}}]}])], B, False),
    ([opening(egress=[{"to": [{"namespaceSelector": {}}]}])], pod("m", name="b"), True),
    ([opening(egress=[{"to": [{"podSelector": {}}]}])], pod("m", name="b"), False),
    ([opening(egress=[{"to": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}])], Peer(address="9.9.9.9"), True),
    ([opening(egress=[{"to": [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["9.0.0.0/8"]}}]}])],
     Peer(address="9.9.9.9"), False),
    ([opening(egress=[{"ports": [{"port": 443}]}])], B, False),
    ([opening(egress=[{"ports": [{"port": 80, "protocol": "UDP"}]}])], B, False),
    ([opening(egress=[{"ports": [{"port": 80, "protocol": "TCP"}]}])], B, True),
])
def test_policies_are_read_as_kubernetes_reads_them(policies, target, expected):
    assert reaches(policies, A, target, 80) is expected

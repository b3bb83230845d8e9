"""Who reaches whom, by network policies alone: as a cluster that enforces them reads them."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    """A pod, or an address outside of the pods' network."""

    namespace: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    address: str = ""
    space: tuple[tuple[str, str], ...] = field(default=())  # further labels of the namespace

    @property
    def is_pod(self) -> bool:
        return not self.address


def pod(namespace: str, space: dict | None = None, **labels: str) -> Peer:
    """name= is app.kubernetes.io/name, the other labels are cellpod's."""
    full = {("app.kubernetes.io/" if key == "name" else "cellpod.dev/") + key: value for key, value in labels.items()}
    full["app.kubernetes.io/part-of"] = "cellpod"
    return Peer(namespace, tuple(full.items()), space=tuple((space or {}).items()))


def policies_of(documents: list[dict]) -> list[dict]:
    """Each NetworkPolicy, and what agent-sandbox's controller makes of a template's."""
    found = []
    for document in documents:
        metadata, spec = document["metadata"], document.get("spec", {})
        if document["kind"] == "NetworkPolicy":
            found.append({"namespace": metadata["namespace"], **spec})
        elif document["kind"] == "SandboxTemplate":
            found.append({"namespace": metadata["namespace"], "policyTypes": ["Ingress", "Egress"],
                          "podSelector": {"matchLabels": spec["podTemplate"]["metadata"]["labels"]},
                          **spec["networkPolicy"]})
    return found


def reaches(policies: list[dict], source: Peer, target: Peer, port: int, protocol: str = "TCP") -> bool:
    return (passes(policies, "Egress", "egress", "to", source, target, (port, protocol))
            and passes(policies, "Ingress", "ingress", "from", target, source, (port, protocol)))


def passes(policies, kind, rules, ends, subject: Peer, other: Peer, port) -> bool:
    """Policies add up; a pod that none selects in this direction is open."""
    if not subject.is_pod:
        return True
    mine = [policy for policy in policies
            if policy["namespace"] == subject.namespace and kind in policy["policyTypes"]
            and selects(policy["podSelector"], dict(subject.labels))]
    return not mine or any(admits(rule, ends, policy["namespace"], other, port)
                           for policy in mine for rule in policy.get(rules, []))


def admits(rule, ends, namespace, other: Peer, port) -> bool:
    ports = rule.get("ports")
    if ports and port not in {(one["port"], one.get("protocol", "TCP")) for one in ports}:
        return False
    return ends not in rule or any(is_meant(peer, namespace, other) for peer in rule[ends])


def is_meant(peer, namespace, other: Peer) -> bool:
    if "ipBlock" in peer:  # pods are told by labels, as their addresses change
        block = peer["ipBlock"]
        return not other.is_pod and is_in(other.address, block["cidr"]) and not any(
            is_in(other.address, part) for part in block.get("except", []))
    if not other.is_pod:
        return False
    if "namespaceSelector" in peer:
        labels = {"kubernetes.io/metadata.name": other.namespace, **dict(other.space)}
        if not selects(peer["namespaceSelector"], labels):
            return False
    elif other.namespace != namespace:
        return False
    return selects(peer.get("podSelector", {}), dict(other.labels))


def selects(selector, labels: dict) -> bool:
    assert selector.keys() <= {"matchLabels"}, f"not understood: {selector}"
    return selector.get("matchLabels", {}).items() <= labels.items()


def is_in(address: str, network: str) -> bool:
    return ipaddress.ip_address(address) in ipaddress.ip_network(network)

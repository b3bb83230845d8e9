"""A real JupyterHub on the real API server: twenty people, each with a namespace of their own.

Once with KubeSpawner, whose pods' commands run here, and once with servers as processes of this machine."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import manifests
import pytest
import yaml

from support import hub as jupyterhub
from support.cluster import Api, ApiError, wait_for
from support.hub import HUB_NAMESPACE, Hub, HubKubelet, Refused, call, sandboxd_of
from support.kernel import REPOSITORY

pytestmark = [pytest.mark.cellpod_only("other kernels claim no pods"), pytest.mark.timeout(1800)]

COUNT = 20
NAMES = [f"{name}{number}" for number in range(5) for name in ("ann", "bob", "cem", "dia")]
FLAT = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{}/sandboxclaims"
POOLS = "/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/{}/sandboxwarmpools"
PODS = "/api/v1/namespaces/{}/pods"
# What the chart's own Role lets the Hub do in its namespace.
CHART_RULES = [
    {"apiGroups": [""], "resources": ["pods", "persistentvolumeclaims", "secrets", "services"],
     "verbs": ["get", "watch", "list", "create", "delete"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["get", "watch", "list"]}]
PLACES = {
    "Namespace": "/api/v1/namespaces", "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "NetworkPolicy": "/apis/networking.k8s.io/v1/namespaces/{}/networkpolicies",
    "Role": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles",
    "RoleBinding": "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "ServiceAccount": "/api/v1/namespaces/{}/serviceaccounts",
    "ValidatingAdmissionPolicy": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
}


@pytest.fixture(scope="module")
def prepared(plane):
    """overlays/jupyterhub, and what the chart would bring."""
    chart = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "hub", "namespace": HUB_NAMESPACE}},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": CHART_RULES,
         "metadata": {"name": "hub", "namespace": HUB_NAMESPACE}},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
         "metadata": {"name": "hub", "namespace": HUB_NAMESPACE},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "hub"},
         "subjects": [{"kind": "ServiceAccount", "name": "hub", "namespace": HUB_NAMESPACE}]}]
    for document in manifests.build(manifests.DEPLOY / "overlays/jupyterhub") + chart:
        plane.api.create(PLACES[document["kind"]].format(document["metadata"].get("namespace")), document)
    jupyterhub.install()


@pytest.fixture(scope="module", params=["kube", "local"])
def hub(request, plane, prepared, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    person_yaml = folder / "person.yaml"
    person_yaml.write_text(yaml.safe_dump_all(manifests.build(manifests.DEPLOY / "overlays/jupyterhub/person")))
    jupyter_path = jupyterhub.write_kernelspec(folder / "share")
    kubelet = HubKubelet(plane, folder, jupyter_path)
    hub = Hub(plane, folder, request.param, person_yaml, jupyter_path)
    hub.kubelet = kubelet
    try:
        yield hub
    finally:
        hub.close()
        empty(plane.api)
        kubelet.close()


def empty(api: Api) -> None:
    """No pods are left in people's namespaces, nor servers in the Hub's."""
    spaces = [one["metadata"]["name"] for one in api.items("/api/v1/namespaces")
              if one["metadata"]["name"].startswith(jupyterhub.SPACE)]
    for space in spaces:
        for pool in api.items(POOLS.format(space)):
            api.merge(f"{POOLS.format(space)}/{pool['metadata']['name']}", {"spec": {"replicas": 0}})
        for claim in api.items(FLAT.format(space)):
            api.delete(f"{FLAT.format(space)}/{claim['metadata']['name']}")
    for pod in api.items(PODS.format(HUB_NAMESPACE)):
        api.delete(f"{PODS.format(HUB_NAMESPACE)}/{pod['metadata']['name']}")
    wait_for(lambda: not any(api.items(PODS.format(space)) for space in [*spaces, HUB_NAMESPACE]),
             "no pods are left", 300)


@pytest.fixture(scope="module")
def people(hub):
    """Twenty, each with a server, the notebook's data, and quickstart.ipynb open."""
    everybody = [hub.person(name) for name in NAMES]

    def open_quickstart(person):
        shutil.copytree(REPOSITORY / "notebooks/data", person.home / "work/data")
        shutil.copy(REPOSITORY / "notebooks/quickstart.ipynb", person.home / "work")
        person.start()
        person.open_notebook("work/quickstart.ipynb")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(open_quickstart, everybody))
    yield everybody
    for person in everybody:
        person.close()


@pytest.fixture(scope="module")
def quickstart():
    """Its cells up to the first table, and its first picture that needs no other."""
    cells = json.loads((REPOSITORY / "notebooks/quickstart.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    starts = ("import matplotlib", "flights = pd.read_csv", 'delay = flights["dep_delay"]')
    return [next(source for source in code if source.startswith(start)) for start in starts]


@pytest.fixture(scope="module")
def ran(people, quickstart):
    """What each of them was shown, by name: the notebooks run beside each other."""
    with ThreadPoolExecutor(4) as pool:
        return dict(zip(NAMES, pool.map(lambda person: [person.run(cell) for cell in quickstart], people)))


def data_of(messages: list[dict]) -> set[str]:
    return {kind for message in messages if message["msg_type"] in ("execute_result", "display_data")
            for kind in message["content"]["data"]}


def account_of(plane, person) -> Api:
    """The API server, asked as that person's server may: by its service account."""
    token = jupyterhub.token_of(plane.api, HUB_NAMESPACE, person.space)
    return Api(plane.url, plane.authority, token)


def the_claim(api: Api, person) -> dict:
    [claim] = api.items(FLAT.format(person.space))
    return claim


def refused(what, *arguments, **options) -> int:
    try:
        answer = what(*arguments, **options)
    except (ApiError, Refused) as error:
        return error.code
    raise AssertionError(f"was allowed: {str(answer)[:200]}")


def test_twenty_people_run_cells_of_quickstart(ran, people, plane):
    assert len(people) == COUNT
    for name, cells in ran.items():
        replies = [message["content"] for cell in cells for message in cell if message["msg_type"] == "execute_reply"]
        assert [reply["status"] for reply in replies] == ["ok"] * 3, (name, cells)
        assert "text/html" in data_of(cells[1]) and "image/png" in data_of(cells[2]), name
    for person in people:
        claim = the_claim(plane.api, person)
        assert claim["metadata"]["labels"]["cellpod.dev/user"] == person.name


def test_only_kernels_whose_cells_run_in_pods_are_on_offer(people):
    specs = people[0].server("GET", "/api/kernelspecs")
    assert list(specs["kernelspecs"]) == ["cellpod-gke"] and specs["default"] == "cellpod-gke"


def test_nobody_touches_anothers_claim(ran, people, plane):
    for person, other in zip(people, people[1:] + people[:1]):
        api, claims = account_of(plane, person), FLAT.format(other.space)
        its = the_claim(plane.api, other)["metadata"]["name"]
        assert the_claim(api, person), "their own they may list"
        assert refused(api.items, claims) == 403
        assert refused(api.get, f"{claims}?watch=1&timeoutSeconds=1") == 403
        assert refused(api.get, f"{claims}/{its}") == 403
        assert refused(api.merge, f"{claims}/{its}", {"spec": {"lifecycle": {"shutdownTime": None}}}) == 403
        assert refused(api.delete, f"{claims}/{its}") == 403
        assert refused(api.create, claims, {
            "apiVersion": "extensions.agents.x-k8s.io/v1beta1", "kind": "SandboxClaim",
            "metadata": {"name": "mine"}, "spec": {"warmPoolRef": {"name": "cellpod"}}}) == 403
        assert the_claim(plane.api, other)["metadata"]["name"] == its


def test_nobody_touches_anothers_pod_by_the_api_server(ran, people, plane):
    for person, other in zip(people, people[1:] + people[:1]):
        api, name = account_of(plane, person), the_claim(plane.api, other)["status"]["sandbox"]["name"]
        own = the_claim(plane.api, person)["status"]["sandbox"]["name"]
        assert api.get(f"{PODS.format(person.space)}/{own}")["metadata"]["name"] == own, "their own they may read"
        theirs = f"{PODS.format(other.space)}/{name}"
        assert refused(api.items, PODS.format(other.space)) == 403
        assert refused(api.get, theirs) == 403
        assert refused(api.delete, theirs) == 403
        assert refused(api.create, f"{theirs}/exec?command=sh", {}) == 403
        assert refused(api.items, PODS.format(HUB_NAMESPACE)) == 403
        assert refused(api.items, f"/api/v1/namespaces/{HUB_NAMESPACE}/secrets") == 403
        assert refused(api.create, f"/api/v1/namespaces/{HUB_NAMESPACE}/serviceaccounts/{other.space}/token", {}) == 403


def test_nobody_uses_anothers_sandbox_even_where_no_policy_stands_between(ran, people, plane):
    """This machine enforces no network policies: the sandbox's own token stands alone here."""
    for person in people:
        claim = the_claim(plane.api, person)
        pod = plane.api.get(f"{PODS.format(person.space)}/{claim['status']['sandbox']['name']}")
        url = sandboxd_of(pod["status"]["podIP"])
        assert refused(call, f"{url}/v1/sandboxes", None) == 403
        assert refused(call, f"{url}/v1/sandboxes", "guessed", header="X-Cellpod-Token") == 403
        assert refused(call, f"{url}/v1/sandboxes", None, "POST", {"task_id": "of somebody else, 32 bytes long..."}) == 429


def test_nobody_reads_anothers_files_or_opens_their_server(ran, people):
    for person, other in zip(people, people[1:] + people[:1]):
        assert person.server("GET", "/api/contents/work/quickstart.ipynb")["name"] == "quickstart.ipynb"
        for method, path in (("GET", "/api/contents/work/quickstart.ipynb"), ("DELETE", "/api/contents/work/data"),
                             ("POST", "/api/terminals"), ("POST", "/api/kernels")):
            assert refused(person.server, method, path, whose=other) == 403, path
        assert Path(other.home / "work/data/flights.csv").exists()


def test_a_server_that_stops_gives_its_pods_back(ran, people, plane):
    person = people[-1]
    assert plane.api.get(f"{POOLS.format(person.space)}/cellpod")["spec"]["replicas"] == 1
    person.close()
    person.stop()
    wait_for(lambda: not plane.api.items(FLAT.format(person.space)), "no claim")
    wait_for(lambda: not plane.api.items(PODS.format(person.space)), "no warm pod")


def test_a_size_that_was_chosen_is_what_is_kept_warm(hub, plane):
    person = hub.person("zoe")
    person.start(profile="large")
    try:
        pools = {pool["metadata"]["name"]: pool["spec"]["replicas"]
                 for pool in plane.api.items(POOLS.format(person.space))}
        assert pools == {"cellpod": 0, "cellpod-large": 1}
        person.open_notebook("x.ipynb")
        person.run("1")
        assert the_claim(plane.api, person)["spec"]["warmPoolRef"]["name"] == "cellpod-large"
    finally:
        person.close()
        person.stop()
    wait_for(lambda: not plane.api.items(FLAT.format(person.space)), "its kernel has given back its claim")
    assert [server.grace for server in hub.kubelet.servers if server.home.name == "zoe"] == [60][:hub.spawner == "kube"]
    wait_for(lambda: not plane.api.items(PODS.format(person.space)), "no pod is left")


def test_two_names_that_look_alike_do_not_share_a_namespace(hub, plane):
    def spaces() -> set[str]:
        return {one["metadata"]["name"] for one in plane.api.items("/api/v1/namespaces")}

    for name in (f"eve@{hub.spawner}.com", f"eve-{hub.spawner}-com"):
        before, person = spaces(), hub.person(name)
        person.start()
        person.stop()
        assert len(spaces() - before) == 1, name


# --- the Hub itself is bounded, too -----------------------------------------------------------


@pytest.fixture(scope="module")
def as_hub(plane, prepared):
    return Api(plane.url, plane.authority, jupyterhub.token_of(plane.api, HUB_NAMESPACE, "hub"))


@pytest.mark.parametrize("namespace", ["lab", "kube-system"])
def test_the_hub_writes_in_no_other_namespace(as_hub, plane, namespace):
    quota = {"metadata": {"name": "cellpod"}, "spec": {"hard": {"pods": "0"}}}
    assert refused(as_hub.create, f"/api/v1/namespaces/{namespace}/resourcequotas", quota) == 403
    assert not plane.api.items(f"/api/v1/namespaces/{namespace}/resourcequotas")


def test_the_hub_makes_peoples_namespaces_and_no_others(as_hub, plane):
    as_hub.create("/api/v1/namespaces", {"metadata": {"name": "cellpod-user-somebody"}})
    assert refused(as_hub.create, "/api/v1/namespaces", {"metadata": {"name": "another"}}) == 403
    assert refused(as_hub.merge, "/api/v1/namespaces/lab", {"metadata": {"labels": {"a": "b"}}}) == 403


@pytest.mark.parametrize("role, code", [("cellpod-person", None), ("cluster-admin", 403), ("cellpod-hub", 403)])
def test_the_hub_gives_away_one_role(as_hub, plane, role, code):
    space = f"cellpod-user-{role}"
    as_hub.create("/api/v1/namespaces", {"metadata": {"name": space}})
    binding = {"metadata": {"name": "x"},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
               "subjects": [{"kind": "ServiceAccount", "name": "x", "namespace": HUB_NAMESPACE}]}
    place = PLACES["RoleBinding"].format(space)
    if code is None:
        as_hub.create(place, binding)
    else:
        assert refused(as_hub.create, place, binding) == code

"""An idle notebook against agent-sandbox's own controller, as deploy/gke's account may. GKE's snapshot agent is
played: it says that snapshots are complete, and restores nothing, as pods here are processes that end."""

import threading

import manifests
import pytest
import yaml

from support.client import START
from support.cluster import CLAIMS, NAMESPACE, PODS, SANDBOXES, Api, ApiError, wait_for
from support.hub import token_of
from support.kernel import connection_info
from support.kubeconfig import kubeconfig, write_kubeconfig

pytestmark = pytest.mark.cellpod_only("other kernels claim no pods")

TRIGGERS = f"/apis/podsnapshot.gke.io/v1/namespaces/{NAMESPACE}/podsnapshotmanualtriggers"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CRD = yaml.safe_load((manifests.CRDS / "podsnapshot.gke.io_podsnapshotmanualtriggers.yaml").read_text())
RBAC = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
PLACES = {
    "Role": f"{RBAC}/roles", "RoleBinding": f"{RBAC}/rolebindings",
    "ValidatingAdmissionPolicy": f"{ADMISSION}/validatingadmissionpolicies",
    "ValidatingAdmissionPolicyBinding": f"{ADMISSION}/validatingadmissionpolicybindings"}
BINDING = f"{ADMISSION}/validatingadmissionpolicybindings/cellpod-suspension"
JUPYTER = {"kind": "ServiceAccount", "name": "jupyter", "namespace": NAMESPACE}


def is_served(api) -> bool:
    groups = api.get("/apis")["groups"]
    return any(group["name"] == "podsnapshot.gke.io" for group in groups)


def component() -> list[dict]:
    """What components/suspension lets the account do, in the tests' namespace."""
    folder = manifests.DEPLOY / "components/suspension"
    documents = [document for name in ("rights.yaml", "bounds.yaml")
                 for document in yaml.safe_load_all((folder / name).read_text())]
    for document in documents:
        document["metadata"].pop("namespace", None)
        if document["kind"] == "RoleBinding":
            document["subjects"] = [JUPYTER]
    return documents


@pytest.fixture(scope="module")
def account(plane):
    """The API server, asked as JupyterLab's account. What it may: base/jupyter.yaml and the component."""
    claims = {"metadata": {"name": "account-claims"}, "subjects": [JUPYTER],
              "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "jupyter-claims"}}
    plane.api.create(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts", {"metadata": {"name": "jupyter"}})
    made = [(PLACES[document["kind"]], document) for document in [*component(), claims | {"kind": "RoleBinding"}]]
    for path, document in made:
        plane.api.create(path, document)
    yield Api(plane.url, plane.authority, token_of(plane.api, NAMESPACE, "jupyter"))
    for path, document in made:
        plane.api.delete(f"{path}/{document['metadata']['name']}")


def attempt(api: Api, sandbox: str, patch: dict, below: str = "") -> str:
    """What the API server says to a change of a Sandbox, which it does not make."""
    try:
        api.merge(f"{SANDBOXES}/{sandbox}{below}?dryRun=All", patch)
        return "done"
    except ApiError as error:
        assert error.code == 403, error
        return str(error)


@pytest.fixture(scope="module")
def sandbox(plane, pool, account):
    """One of the pool's, once the policy is in force."""
    name = plane.api.items(SANDBOXES)[0]["metadata"]["name"]
    wait_for(lambda: attempt(account, name, {"metadata": {"labels": {"a": "b"}}}) != "done", "the policy is in force")
    return name


def container(**fields) -> dict:
    return {"spec": {"podTemplate": {"spec": {"containers": [{"name": "sandbox", "image": "elsewhere", **fields}]}}}}


@pytest.mark.parametrize("patch", [
    container(), container(securityContext={"privileged": True}),
    {"spec": {"podTemplate": {"spec": {"runtimeClassName": None}}}},
    {"spec": {"podTemplate": {"spec": {"serviceAccountName": "jupyter", "automountServiceAccountToken": True}}}},
    {"spec": {"podTemplate": {"metadata": {"labels": {"app.kubernetes.io/name": "jupyter"}}}}},
    {"spec": {"shutdownTime": "2030-01-01T00:00:00Z"}},
    container() | {"spec": {"operatingMode": "Suspended", **container()["spec"]}},
    {"metadata": {"labels": {"agents.x-k8s.io/sandbox-name-hash": "another"}}},
    {"metadata": {"annotations": {"a": "b"}}},
    {"metadata": {"ownerReferences": None}},
    {"metadata": {"finalizers": ["cellpod.dev/stays"]}},
], ids=["image", "privileged", "runtime", "account", "the pod's labels", "end", "with the mode", "hash", "annotation",
        "owner", "finalizer"])
def test_the_account_cannot_change_what_a_sandbox_runs(plane, account, sandbox, patch):
    """It may suspend, in a patch of its own; who administers the cluster may all of it."""
    assert attempt(account, sandbox, {"spec": {"operatingMode": "Suspended"}}) == "done"
    assert attempt(plane.api, sandbox, patch) == "done"
    assert "ValidatingAdmissionPolicy 'cellpod-suspension'" in attempt(account, sandbox, patch)


def test_the_account_cannot_say_how_a_sandbox_is(plane, account, sandbox):
    condition = {"status": {"conditions": [{
        "type": "Ready", "status": "True", "reason": "Said", "message": "", "lastTransitionTime": "2030-01-01T00:00:00Z"}]}}
    assert attempt(plane.api, sandbox, condition, "/status") == "done"
    assert "cannot patch resource" in attempt(account, sandbox, condition, "/status")


def test_it_is_the_policy_that_refuses(plane, account, sandbox):
    """Without its binding the Role lets the account change what runs: the component has both."""
    [binding] = [one for one in component() if one["kind"] == "ValidatingAdmissionPolicyBinding"]
    plane.api.delete(BINDING)
    wait_for(lambda: attempt(account, sandbox, container()) == "done", "the policy is out of force")
    plane.api.create(PLACES[binding["kind"]], binding)
    wait_for(lambda: attempt(account, sandbox, container()) != "done", "the policy is in force")


def test_the_controllers_own_changes_are_not_meant(plane, account, sandbox):
    """An account of another namespace with the same rights, as agent-sandbox's has."""
    path = "/api/v1/namespaces/default/serviceaccounts"
    plane.api.create(path, {"metadata": {"name": "controller"}})
    other = {"kind": "ServiceAccount", "name": "controller", "namespace": "default"}
    plane.api.create(PLACES["RoleBinding"], {
        "metadata": {"name": "controller"}, "subjects": [other],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "jupyter-suspension"}})
    controller = Api(plane.url, plane.authority, token_of(plane.api, "default", "controller"))
    assert attempt(account, sandbox, container()) != "done"
    assert attempt(controller, sandbox, container()) == "done"
    plane.api.delete(f"{PLACES['RoleBinding']}/controller")
    plane.api.delete(f"{path}/controller")


@pytest.fixture
def snapshots(plane):
    """The pods that were said to be saved."""
    plane.api.create(CRDS, CRD)
    wait_for(lambda: is_served(plane.api), "the CRD of triggers")
    taken, is_over = [], threading.Event()

    def take() -> None:
        while not is_over.wait(0.2):
            for trigger in plane.api.items(TRIGGERS):
                if "status" not in trigger:
                    taken.append(trigger["spec"]["targetPod"])
                    plane.api.merge(f"{TRIGGERS}/{trigger['metadata']['name']}", {"status": {"conditions": [
                        {"type": "Triggered", "status": "True", "reason": "Complete"}]}})

    thread = threading.Thread(target=take)
    thread.start()
    yield taken
    is_over.set()
    thread.join()
    plane.api.delete(f"{CRDS}/{CRD['metadata']['name']}")


def test_the_controller_takes_the_pod_away_and_makes_it_anew(start_kernel, plane, pool, account, snapshots, tmp_path):
    """What comes back has no memory here, and the cell says so; the next one has another pod."""
    config = write_kubeconfig(tmp_path / "jupyter", kubeconfig(
        plane.url, plane.authority, {"token": account.token}, NAMESPACE))
    kernel = start_kernel.on(connection_info(), arguments=["--sandbox", "gke", "--suspend", "2"],
                             env={"KUBECONFIG": str(config), "KUBERNETES_SERVICE_HOST": ""})
    client = kernel.ready_client()
    assert client.execute("x = 41", timeout=START).status == "ok"
    [claim] = plane.api.items(CLAIMS)
    sandbox = claim["status"]["sandbox"]["name"]
    first = plane.api.get(f"{PODS}/{sandbox}")["metadata"]["uid"]
    wait_for(lambda: sandbox not in [pod["metadata"]["name"] for pod in plane.api.items(PODS)], "the pod's end")
    assert snapshots == [sandbox]
    assert plane.api.get(f"{SANDBOXES}/{sandbox}")["spec"]["operatingMode"] == "Suspended"
    cell = client.execute("print(x + 1)", timeout=START)
    assert cell.status == "error"
    assert cell.content["evalue"] == (
        f"pod lab/{sandbox} (SandboxClaim {claim['metadata']['name']}): its pod was suspended while the notebook "
        "was idle, and was resumed without its memory")
    uids = [pod["metadata"]["uid"] for pod in plane.api.items(PODS)]
    assert first not in uids
    assert client.execute("print('x' in globals())", timeout=START).stdout == "False\n"
    kernel.close()
    wait_for(lambda: not plane.api.items(CLAIMS), "no claim is left")
    wait_for(lambda: not plane.api.items(TRIGGERS), "no trigger is left: they go with their claim")

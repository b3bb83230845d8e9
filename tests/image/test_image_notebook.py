"""JupyterLab in its image, as base/jupyter.yaml runs it, and a pod in its: gke.ipynb, whose kernel claims
the pod from a stand-in of the API server, with a service account."""

import json
import shutil
import urllib.error
import urllib.request
from types import SimpleNamespace

import nbformat
import pytest
import yaml

from e2e.test_gke_notebook import (  # noqa: F401
    test_a_chart_each,
    test_every_cell_ran_in_order,
    test_the_file_is_listed,
    test_the_question_was_answered_here,
    test_the_table,
    test_there_is_no_way_out,
)
from support import images
from support.kube_standin import ApiServer, Cluster
from support.kubeconfig import Authority

pytestmark = pytest.mark.timeout(3000)

BASE = images.REPOSITORY / "deploy/gke/base"
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


def container_of_jupyter() -> dict:
    documents = yaml.safe_load_all((BASE / "jupyter.yaml").read_text())
    deployment, = (document for document in documents if document["kind"] == "Deployment")
    return deployment["spec"]["template"]["spec"]["containers"][0]


@pytest.fixture(scope="module")
def cluster(runtime, network, tmp_path_factory):
    """One warm pod, and who hands it out."""
    folder = tmp_path_factory.mktemp("cluster")
    pod = images.Pod(runtime, network)
    authority = Authority(folder)
    server = ApiServer(authority.issue("server", "/CN=api", f"IP:{network.gateway}"), host=network.gateway)
    cluster = Cluster(server, folder)
    cluster.warm.append(SimpleNamespace(name="python-0", ip=pod.container.ip))
    account = folder / "account"
    account.mkdir()
    for name, text in (("token", "good-token"), ("namespace", "lab"), ("ca.crt", authority.cert.read_text())):
        (account / name).write_text(text)
    yield cluster, account
    cluster.close()
    pod.close()


@pytest.fixture(scope="module")
def lab(runtime, network, cluster, tmp_path_factory):
    cluster, account = cluster
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(images.REPOSITORY / "notebooks", home, dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns(".*"))
    for path in (home, *home.rglob("*")):
        shutil.chown(path, images.UID, images.UID)
    manifest = container_of_jupyter()
    given = {"CELLPOD_GKE_NAMESPACE": "lab", "JUPYTER_TOKEN": "the-token",
             "KUBERNETES_SERVICE_HOST": cluster.server.server_address[0],
             "KUBERNETES_SERVICE_PORT": str(cluster.server.server_address[1])}
    environment = {row["name"]: row["value"] for row in manifest["env"] if "value" in row} | given
    volumes = {home: "/home/jovyan", BASE / "config.json": "/etc/cellpod/config.json:ro", account: ACCOUNT + ":ro"}
    container = images.Container("jupyter", runtime, network, (*manifest["command"], *manifest["args"]),
                                 [f"--volume={source}:{target}" for source, target in volumes.items()], environment)
    try:
        container.start("is running at")
        yield SimpleNamespace(container=container, home=home, url=f"http://{container.ip}:8889")
    finally:
        container.close()


@pytest.fixture(scope="module")
def cells(lab, cluster):
    lab.container.run("jupyter", "execute", "--kernel_name=cellpod-gke", "--timeout=300", "--inplace", "gke.ipynb")
    cluster[0].wait_no_claim()
    notebook = nbformat.read(lab.home / "gke.ipynb", as_version=4)
    nbformat.validate(notebook)
    return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}


def ask(lab, path: str, token: str | None = "the-token") -> dict:
    headers = {"Authorization": f"token {token}"} if token else {}
    return json.load(urllib.request.urlopen(urllib.request.Request(lab.url + path, headers=headers), timeout=60))


def test_only_the_kernel_whose_cells_run_in_pods_is_on_offer(lab):
    offered = ask(lab, "/api/kernelspecs")
    assert (offered["default"], list(offered["kernelspecs"])) == ("cellpod-gke", ["cellpod-gke"])


def test_nobody_comes_in_without_the_token(lab):
    with pytest.raises(urllib.error.HTTPError) as error:
        ask(lab, "/api/kernelspecs", token=None)
    assert error.value.code == 403

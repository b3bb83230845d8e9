"""A folder for each test, and a stand-in cluster for `--sandbox gke`, whose pods are real sandboxds."""

import pytest

from support.kernel import connection_info
from support.kube_standin import ApiServer, Cluster
from support.kubeconfig import Authority, kubeconfig, write_kubeconfig
from support.takeover import Steps

NO_KUBE = {name: "" for name in ("KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "https_proxy")}


@pytest.fixture
def work(laboratory, request):
    """Where the kernel starts."""
    folder = laboratory.work / request.node.name.replace("[", "-").rstrip("]")
    folder.mkdir()
    return folder


@pytest.fixture
def step(work):
    steps = Steps(work)
    yield steps
    steps.close()


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("pki"))


@pytest.fixture(scope="module")
def certificate(authority):
    return authority.issue("server", "/CN=kube-apiserver", "IP:127.0.0.1,DNS:kubernetes")


@pytest.fixture
def cluster(authority, certificate, tmp_path):
    cluster = Cluster(ApiServer(certificate, authority.cert), tmp_path)
    cluster.kubeconfig = write_kubeconfig(
        tmp_path / "config", kubeconfig(cluster.server.url, authority, {"token": "good-token"}))
    yield cluster
    try:
        assert cluster.claims == [], "a claim was leaked"
    finally:
        cluster.close()


@pytest.fixture
def start_on_cluster(start_kernel, cluster):
    """A kernel on the cluster; it ends, and its claims with it, before the cluster does."""
    kernels = []

    def start_one(*arguments, env=None, config=None, **options):
        path = write_kubeconfig(cluster.folder / f"config-{len(kernels)}", config) \
            if config else cluster.kubeconfig
        kernel = start_kernel.on(
            connection_info(), arguments=["--sandbox", "gke", *arguments],
            env={**NO_KUBE, "KUBECONFIG": str(path), **(env or {})}, **options)
        kernels.append(kernel)
        return kernel

    yield start_one
    for kernel in kernels:
        kernel.close()

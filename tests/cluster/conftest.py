"""The real control plane of `make test-cluster`; without it these tests are not collected."""

import os
from pathlib import Path

import pytest

from support.cluster import PODS, POOLS, TEMPLATES, ControlPlane, documents, wait_for
from support.kubelet import Kubelet
from support.leftovers import Census

TOOLS = os.environ.get("CELLPOD_CLUSTER")
collect_ignore_glob = [] if TOOLS else ["test_*.py"]


@pytest.fixture(scope="session")
def plane(tmp_path_factory):
    plane = ControlPlane(Path(TOOLS), tmp_path_factory.mktemp("plane"))
    try:
        yield plane
    finally:
        plane.close()


@pytest.fixture(scope="session")
def kubelet(plane, tmp_path_factory):
    kubelet = Kubelet(plane.api, tmp_path_factory.mktemp("pods"))
    try:
        yield kubelet
    finally:
        kubelet.close()


def ready_pods(api) -> list[dict]:
    return [pod for pod in api.items(PODS) if pod["status"].get("phase") == "Running"]


@pytest.fixture(scope="session")
def pool(plane, kubelet):
    """deploy/gke's template and pool, as they are."""
    for name, path in (("sandboxes/template.yaml", TEMPLATES), ("sandboxes/pool.yaml", POOLS)):
        for document in documents(name):
            if document["kind"].startswith("Sandbox"):
                plane.api.create(path, document)
    wait_for(lambda: len(ready_pods(plane.api)) == 2, "two warm pods")
    return "cellpod"


@pytest.fixture(autouse=True)
def pool_is_filled_up(request):
    """The pool makes new pods while a test runs: they stay, and the kubelet ends them."""
    yield
    for plugin in request.config.pluginmanager.get_plugins():
        if isinstance(plugin, Census):
            plugin.adopt()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed and "plane" in item.funcargs:
        report.sections.append(("logs of the cluster", item.funcargs["plane"].logs()))
    if report.failed and "hub" in item.funcargs:
        report.sections.append(("logs of the Hub", item.funcargs["hub"].logs()))
    return report

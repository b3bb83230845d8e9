"""The images of `make test-image`; without them these tests are not collected."""

import dataclasses
import os
import shutil

import pytest

from security.attempts import PRELUDE
from security.conftest import SECRET, Attempts, bare, filter_alone, make_user  # noqa: F401
from support import images
from support.zygote_client import Outcome

from .decided import NOT_IN_A_POD, UNDER_GVISOR, not_made

collect_ignore_glob = [] if "CELLPOD_IMAGES" in os.environ else ["test_*.py"]


def pytest_collection_modifyitems(config, items):
    items[:] = [item for item in items if not not_made(item)]


def pytest_terminal_summary(terminalreporter):
    for table, where in ((NOT_IN_A_POD, "in a pod"), (UNDER_GVISOR, "under gVisor")):
        for reason in dict.fromkeys(table.values()):
            names = ", ".join(name for name in table if table[name] == reason)
            terminalreporter.write_line(f"not made {where} ({reason}): {names}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    for name, pod in item.funcargs.items():
        if report.failed and isinstance(pod, images.Pod):
            report.sections.append((f"log of {name}", pod.log()))
    return report


@pytest.fixture(scope="session", params=images.RUNTIMES)
def runtime(request):
    return request.param


@pytest.fixture(scope="session", autouse=True)
def network():
    """Before all else: its mounts stay."""
    network = images.Network()
    yield network
    network.close()


@pytest.fixture(scope="module")
def user(runtime):
    """Whose folder is the pod's workspace, as if it were its volume."""
    user = dataclasses.replace(make_user("ordinary"), uid=images.UID, chooses_walls=False)
    for folder, _, files in os.walk(user.home):
        user.give(folder, *(os.path.join(folder, name) for name in files))
    yield user
    shutil.rmtree(user.home)


@pytest.fixture(scope="module")
def daemon(runtime, network, user):
    pod = images.Pod(runtime, network, user.workspace, environment={"CELLPOD_TEST_SECRET": SECRET})
    yield pod
    pod.close()


@pytest.fixture(scope="module")
def sandbox(daemon):
    sandbox = daemon.claim(env={})
    sandbox.ready().close()
    return sandbox


class Stopped(str):
    """Another wall may be in the way than on this machine: by whatever error it is stopped, it is."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and other.startswith("STOPPED")

    __hash__ = str.__hash__


class Cell(Attempts):
    """Runs attempts in the pod's sandbox, by `execute`."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.renew()

    def run(self, code: str) -> Outcome:
        status, answer = self.sandbox.call("POST", "/execute", {"code": code})
        assert status == 200, answer
        error = answer["error"]
        return Outcome(answer["stdout"], answer["stderr"], {"status": "error", **error} if error else {})

    def runs(self, attempt: str, **values) -> str:
        answer = super().runs(attempt, **values)
        return Stopped(answer) if answer.startswith("STOPPED") else answer

    def renew(self) -> None:
        assert self.sandbox.call("POST", "/restart", {})[0] in (200, 202)
        self.prints(PRELUDE)


@pytest.fixture
def cell(sandbox):
    return Cell(sandbox)


@pytest.fixture
def spawn(sandbox):
    """A fresh worker in the one sandbox that a pod has."""
    return lambda: Cell(sandbox)

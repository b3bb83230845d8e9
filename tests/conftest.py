"""Fixtures of all Python tests: a laboratory, kernels in it, clients of them."""

import gc
from contextlib import ExitStack

import pytest

from support import processes
from support.client import START
from support.grammars import leave_out_grammars
from support.left_out import LeftOut
from support.leftovers import Census
from support.machine import forbids_user_namespaces
from support.kernel import DirectKernel, Laboratory, ManagedKernel, SharedKernel, logs_in

leave_out_grammars()


def pytest_addoption(parser):
    parser.addoption(
        "--kernel",
        default="cellpod",
        metavar="NAME",
        help="kernelspec under test; python3 (ipykernel) is the reference",
    )
    parser.addoption(
        "--at-length",
        action="store_true",
        help="run the tests that are marked so, which are left out otherwise, and no others",
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "beyond_ipykernel(reason, always=True): ipykernel is known to fail this, "
        "always or by chance; cellpod must not",
    )
    config.addinivalue_line(
        "markers", "cellpod_only(reason): says nothing about a kernel without a sandbox"
    )
    config.addinivalue_line("markers", "whole_python: the cells' Python must have what users' have")
    processes.adopt_orphans()
    config.census = Census()
    # A plugin of its own, because hooks of this file do not hear of session fixtures.
    config.pluginmanager.register(config.census)
    config.pluginmanager.register(LeftOut(config))


def pytest_collection_finish():
    """What is loaded by now stays: no garbage collection goes through it again, here or in a fork."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config):
    config.census.close()


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--kernel").startswith("python"):
        return
    for item in items:
        for mark in item.iter_markers("beyond_ipykernel"):
            item.add_marker(
                pytest.mark.xfail(reason=mark.args[0], strict=mark.kwargs.get("always", True))
            )
        for mark in item.iter_markers("cellpod_only"):
            item.add_marker(pytest.mark.skip(reason=mark.args[0]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A failure comes with the logs of the kernels that took part."""
    report = yield
    if report.failed:
        item.failed = True
        for kernel in kernels_of(item):
            report.sections.append((f"log of kernel {kernel.pid}", kernel.log_text()))
        laboratory = item.funcargs.get("laboratory")
        if laboratory is not None:
            report.sections.append(("logs in the state folder", laboratory.logs()))
        ordinary = item.funcargs.get("ordinary")
        if ordinary is not None:
            report.sections.append(("logs of the ordinary user", logs_in(ordinary.state)))
    return report


def kernels_of(item) -> list:
    started = item.funcargs.get("start_kernel")
    shared = item.funcargs.get("shared_kernel")
    kernels = list(started.kernels) if started else []
    return kernels + ([shared.kernel] if shared and shared.kernel else [])


@pytest.fixture(scope="session")
def kernel_name(request):
    return request.config.getoption("--kernel")


@pytest.fixture(scope="session")
def laboratory(kernel_name, pytestconfig):
    laboratory = Laboratory(kernel_name)
    pytestconfig.census.runtime = laboratory.runtime
    try:
        if not forbids_user_namespaces():
            warm_up(laboratory)
        yield laboratory
    finally:
        laboratory.close()


def warm_up(laboratory):
    """The first cell of all waits for Python to warm up, and is told so. No later one is."""
    kernel = ManagedKernel(laboratory)
    try:
        kernel.ready_client().run("pass", timeout=START)
    finally:
        kernel.close()


class Starter:
    """Starts kernels for one test, and sees to it that they all end with it."""

    def __init__(self, laboratory: Laboratory):
        self.laboratory = laboratory
        self.kernels: list = []
        self.before = processes.sandbox_processes()

    def __call__(self, spec: str | None = None, **options) -> ManagedKernel:
        return self._keep(ManagedKernel(self.laboratory, spec, **options))

    def on(self, connection: dict | str | None, **options) -> DirectKernel:
        return self._keep(DirectKernel(self.laboratory, connection, **options))

    def _keep(self, kernel):
        self.kernels.append(kernel)
        return kernel

    def close(self) -> None:
        """Ends every kernel, even where one fails to end."""
        with ExitStack() as stack:
            stack.callback(self._assert_no_sandbox_left)
            for kernel in self.kernels:
                stack.callback(kernel.close)

    def _assert_no_sandbox_left(self) -> None:
        """A sandbox that was there before has new processes, its checkpoints."""
        left = {
            process
            for process in processes.sandbox_processes() - self.before
            if not processes.is_below(process, self.before)
        }
        processes.assert_all_end(left, "sandboxes of this test")


@pytest.fixture
def start_kernel(laboratory):
    starter = Starter(laboratory)
    yield starter
    starter.close()


@pytest.fixture(scope="module")
def shared_kernel(laboratory, pytestconfig):
    shared = SharedKernel(laboratory, on_start=pytestconfig.census.adopt)
    yield shared
    shared.spoil()


@pytest.fixture
def kernel(request, shared_kernel):
    """The module's kernel. Tests that end it or spoil its state use start_kernel."""
    kernel = shared_kernel.get()
    yield kernel
    if getattr(request.node, "failed", False):
        shared_kernel.spoil()
    else:
        assert kernel.is_alive, "the kernel has died"


@pytest.fixture
def client(kernel):
    client = kernel.ready_client()
    yield client
    client.close()


@pytest.fixture
def connect(kernel):
    """Further clients of the module's kernel."""
    clients = []

    def connect_one(**options):
        clients.append(kernel.ready_client(**options))
        return clients[-1]

    yield connect_one
    for client in clients:
        client.close()

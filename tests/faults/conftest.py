"""A kernel and its sandboxd, with a path between them that breaks as it is told."""

import os

import pytest

from support.cast import Cast
from support.client import START
from support.fault_proxy import Proxy
from support.kernel import connection_info
from support.lean_python import WHOLE, lean_python
from support.sandboxd_http import sandboxes


@pytest.fixture(autouse=True)
def python(laboratory, request):
    """Daemons that are struck down here start again and again, and no cell needs pandas."""
    whole = request.node.get_closest_marker("whole_python")
    with laboratory.on_python(WHOLE if whole else lean_python()):
        yield


@pytest.fixture
def local(laboratory, start_kernel):
    """A kernel as users have it, the only one, after a first cell."""
    kernel = start_kernel()
    client = kernel.ready_client()
    client.run("kept = 1; import os, sys, time\nfrom IPython.display import display", timeout=START)
    kernel.cast = Cast(laboratory, kernel)
    return kernel


class Stage:
    """All that takes part in a fault, by name."""

    def __init__(self, laboratory, kernel, proxy):
        self.laboratory, self.kernel, self.proxy = laboratory, kernel, proxy
        self.client = kernel.ready_client()
        self.client.run("import os, sys, time")
        self.client.run("from IPython.display import display")

    @property
    def daemon_pid(self) -> int:
        return self.laboratory.sandboxd().pid

    @property
    def sandbox(self) -> dict:
        """What sandboxd says of the kernel's sandbox: the only one whose owner we are."""
        task = [s for s in sandboxes(self.proxy.target) if s["state"] == "ready"]
        assert len(task) == 1, task
        return task[0]

    @property
    def worker_pid(self) -> int:
        return self.sandbox["worker"]["pid"]


@pytest.fixture
def stage(laboratory, start_kernel, tmp_path_factory):
    """A kernel whose path to sandboxd is a proxy; no other kernel has a sandbox."""
    if laboratory.sandboxd() is None:
        starter = start_kernel()  # starts one, and leaves
        starter.ready_client().run("pass", timeout=START)
        starter.close()
    folder = laboratory.folder(f"proxy-{os.urandom(4).hex()}")
    target, = (laboratory.runtime / "cellpod").glob("sandboxd*.sock")
    proxy = Proxy(folder / "p.sock", target)
    try:
        kernel = start_kernel.on(connection_info(), arguments=["--sandbox", f"unix:{proxy.path}"])
        yield Stage(laboratory, kernel, proxy)
        kernel.close()
    finally:
        proxy.close()

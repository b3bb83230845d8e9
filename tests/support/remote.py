"""A sandboxd on TCP, as on another machine, and kernels whose cells run there.

The fixtures are for modules that name them: `place, folder, start = remote.place, remote.folder, remote.start`.
"""

import os
import subprocess
from contextlib import contextmanager

import pytest

from support.kernel import BUILD, connection_info
from support.lean_python import WHOLE, lean_python


@contextmanager
def remote_sandboxd(*options: str, python: str | None = None):
    """Its address, as the kernel's --sandbox takes it."""
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [BUILD / "bin/cellpod-sandboxd", "--listen", "tcp:127.0.0.1:0", "--ready-fd", str(writer), *options],
        pass_fds=[writer], env={**os.environ, "CELLPOD_PYTHON": python or lean_python()})
    os.close(writer)
    with open(reader) as said:
        word, _, netloc = said.readline().strip().partition(" ")
    assert word == "ready"
    yield f"http://{netloc}"
    process.terminate()
    assert process.wait(20) == 0


@pytest.fixture(scope="module")
def place(laboratory):
    with remote_sandboxd(python=WHOLE) as place:
        yield place


@pytest.fixture
def folder(tmp_path):
    """The notebook's."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    return folder


@pytest.fixture
def start(start_kernel, place, folder):
    """A client of a new kernel, which is its `kernel`."""
    def start_one(*arguments, env=None, cwd=None):
        kernel = start_kernel.on(connection_info(), arguments=["--sandbox", place, *arguments],
                                 cwd=cwd or folder, env=env)
        client = kernel.ready_client()
        client.kernel = kernel
        return client
    return start_one

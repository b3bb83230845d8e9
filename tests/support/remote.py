"""A sandboxd on TCP, as on another machine."""

import os
import subprocess
import sys
from contextlib import contextmanager

from support.kernel import BUILD


@contextmanager
def remote_sandboxd(*options: str):
    """Its address, as the kernel's --sandbox takes it."""
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [BUILD / "bin/cellpod-sandboxd", "--listen", "tcp:127.0.0.1:0", "--ready-fd", str(writer), *options],
        pass_fds=[writer], env={**os.environ, "CELLPOD_PYTHON": sys.executable})
    os.close(writer)
    with open(reader) as said:
        word, _, netloc = said.readline().strip().partition(" ")
    assert word == "ready"
    yield f"http://{netloc}"
    process.terminate()
    assert process.wait(20) == 0

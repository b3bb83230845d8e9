"""A disk that is full: cells run, and what cannot be written is said where it matters."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import psutil
import pytest

from support import processes
from support.client import START
from support.kernel import BUILD, connection_info

pytestmark = [pytest.mark.cellpod_only("there is no sandboxd behind other kernels"),
              pytest.mark.skipif(os.getuid() != 0, reason="only root mounts a disk that is full")]


@pytest.fixture
def full(laboratory):
    """A folder in which not a byte can be written."""
    folder = laboratory.folder(f"full-{os.urandom(4).hex()}")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=64", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def fill(folder) -> None:
    with open(folder / "rest", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError as error:
            assert error.errno == 28, error


@pytest.fixture
def start(laboratory, start_kernel):
    """A kernel with a sandboxd of its own, whose state is kept in this folder."""
    daemons = []

    def start(state):
        run = laboratory.folder(f"run-{os.urandom(4).hex()}")
        kernel = start_kernel.on(connection_info(), env={
            "XDG_STATE_HOME": str(state), "XDG_RUNTIME_DIR": str(run)})
        daemons.append(run)
        return kernel

    yield start
    for run in daemons:
        end_sandboxd(run)


def end_sandboxd(run) -> None:
    for process in processes.descendants():
        try:
            is_it = process.name() == "cellpod-sandboxd" and str(run) in " ".join(process.cmdline())
        except psutil.NoSuchProcess:
            continue
        if is_it:
            tree = [process, *process.children(recursive=True)]
            process.send_signal(signal.SIGTERM)
            processes.assert_all_end(tree, "sandboxd")


def test_cells_run_while_the_state_folder_is_full(full, start):
    """Log and history have no room, from the start on."""
    fill(full)
    client = start(full).ready_client()
    cell = client.execute("print('works')", timeout=START)
    if cell.status == "error":
        said = cell.content["evalue"]
        assert "No space left" in said and str(full) in said, said
        (full / "rest").unlink()
        cell = client.execute("print('works')", timeout=START)
    assert cell.stdout == "works\n", cell.content


def test_cells_run_when_the_state_folder_gets_full(full, start):
    client = start(full).ready_client()
    client.run("kept = 1", timeout=START)
    fill(full)
    for number in range(20):
        assert client.run(f"print({number})").stdout == f"{number}\n"
    (full / "rest").unlink()
    assert client.run("print(kept)").stdout == "1\n"


def test_a_connection_file_that_cannot_be_written(full):
    """Ports that are 0 are filled in: where that fails, the kernel says so and leaves."""
    info = connection_info(shell_port=0, iopub_port=0)
    path = full / "kernel.json"
    path.write_text(json.dumps(info))
    path.chmod(0o600)
    fill(full)
    done = subprocess.run([BUILD / "bin/cellpod-kernel", "-f", path], capture_output=True,
                          text=True, timeout=30)
    assert done.returncode == 1 and "No space left" in done.stderr, done
    assert json.loads(path.read_text()) == info

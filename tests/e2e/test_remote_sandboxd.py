"""A kernel whose sandboxd is reached over TCP, as on another machine."""

import os
import subprocess
import sys

import pytest

from support.kernel import BUILD, connection_info

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")


@pytest.fixture(scope="module")
def place(laboratory):
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [BUILD / "bin/cellpod-sandboxd", "--listen", "tcp:127.0.0.1:0", "--capacity", "1",
         "--ready-fd", str(writer)], pass_fds=[writer],
        env={**os.environ, "CELLPOD_PYTHON": sys.executable})
    os.close(writer)
    with open(reader) as said:
        word, _, netloc = said.readline().strip().partition(" ")
    assert word == "ready"
    yield f"http://{netloc}"
    process.terminate()
    assert process.wait(20) == 0


@pytest.fixture
def client(start_kernel, place):
    client = start_kernel.on(connection_info(), arguments=["--sandbox", place]).ready_client()
    client.run("0")  # the first cell may say that it waits
    return client


def test_cells_run_there_and_charts_come_back(client):
    cell = client.execute("import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); print('drawn')")
    assert cell.status == "ok"
    assert cell.stdout == "drawn\n"
    assert "image/png" in cell.one("display_data").content["data"]


def test_the_cell_sees_neither_the_token_nor_the_folder_of_the_notebook(client):
    cell = client.execute("import os; print(os.getcwd(), os.listdir('.'), sorted(os.environ))")
    assert cell.stdout.startswith("/workspace []")
    assert "TOKEN" not in cell.stdout.upper()


def test_a_second_kernel_is_told_that_the_only_sandbox_is_taken(client, start_kernel, place):
    second = start_kernel.on(connection_info(), arguments=["--sandbox", place]).ready_client()
    cell = second.execute("1")
    assert cell.status == "error"
    assert "in use" in cell.content["evalue"] + " ".join(cell.content["traceback"])
    assert client.execute("print(1)").stdout == "1\n"

"""A kernel whose sandboxd is reached over TCP, as on another machine."""

import pytest

from support.client import START
from support.kernel import connection_info
from support.lean_python import WHOLE
from support.remote import remote_sandboxd

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")


@pytest.fixture(scope="module")
def place(laboratory):
    with remote_sandboxd("--capacity", "1", python=WHOLE) as place:
        yield place


@pytest.fixture
def client(start_kernel, place):
    arguments = ["--sandbox", place, "--carry", "none"]
    client = start_kernel.on(connection_info(), arguments=arguments).ready_client()
    client.run("0")  # the first cell may say that it waits
    return client


def test_cells_run_there_and_charts_come_back(client):
    cell = client.execute("import matplotlib.pyplot as plt; plt.plot([1, 3, 2]); print('drawn')")
    assert cell.status == "ok"
    assert cell.stdout == "drawn\n"
    assert "image/png" in cell.one("display_data").content["data"]


def test_the_cell_sees_no_token_and_works_in_a_folder_of_its_own(client):
    cell = client.execute("import os; print(os.getcwd(), os.listdir('.'), sorted(os.environ))")
    assert cell.stdout.startswith("/workspace []")
    assert "TOKEN" not in cell.stdout.upper()


def test_a_second_kernel_is_told_that_the_only_sandbox_is_taken(client, start_kernel, place):
    second = start_kernel.on(connection_info(), arguments=["--sandbox", place]).ready_client()
    cell = second.execute("1")
    assert cell.status == "error"
    assert "in use" in cell.content["evalue"] + " ".join(cell.content["traceback"])
    assert client.execute("print(1)").stdout == "1\n"


def test_a_sandboxd_with_a_key_serves_kernels_that_have_it(start_kernel, tmp_path):
    key, other = tmp_path / "key", tmp_path / "other"
    for file, text in ((key, "k" * 32), (other, "x" * 32)):
        file.write_text(text)
        file.chmod(0o600)
    with remote_sandboxd("--capacity", "1", "--token-file", str(key)) as place:
        def run(*arguments):
            return start_kernel.on(connection_info(), arguments=["--sandbox", place, *arguments]
                                   ).ready_client().execute("print('in')", timeout=START)

        for refused in (run(), run("--token-file", str(other))):
            assert refused.status == "error"
            assert "needs the key of this sandboxd" in refused.content["evalue"]
        assert run("--token-file", str(key)).stdout == "in\n"

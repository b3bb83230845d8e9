"""`make install`: what it puts where, and that a kernel installed so runs."""

import json
import os
import subprocess
import sys

import pytest

from support.cli import cellpod
from support.grammars import WITHOUT_GRAMMARS
from support.kernel import REPOSITORY

pytestmark = pytest.mark.cellpod_only("installs cellpod")

PROGRAMS = {"cellpod", "cellpod-kernel", "cellpod-sandboxd"}


def install(**variables) -> None:
    # Not as part of the make that runs the tests: its flags are not ours.
    arguments = [f"{name}={value}" for name, value in variables.items()]
    done = subprocess.run(["make", "--no-print-directory", "install", *arguments], cwd=REPOSITORY,
                          env={**os.environ, "MAKEFLAGS": ""}, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


def spec_below(prefix) -> dict:
    return json.loads((prefix / "share/jupyter/kernels/cellpod/kernel.json").read_text())


def test_destdir_is_where_files_go_and_not_where_they_look(tmp_path):
    install(DESTDIR=tmp_path, PREFIX="/opt/cellpod", SANDBOX_PYTHON="/opt/python")
    prefix = tmp_path / "opt/cellpod"
    assert {path.name for path in (prefix / "bin").iterdir()} >= PROGRAMS
    assert all(os.access(path, os.X_OK) for path in (prefix / "bin").iterdir())
    assert (prefix / "share/cellpod/worker/zygote.py").is_file()
    spec = spec_below(prefix)
    assert spec["argv"][0] == "/opt/cellpod/bin/cellpod-kernel"
    assert spec["env"]["CELLPOD_PYTHON"] == "/opt/python"
    assert (prefix / "share/cellpod/python").read_text() == "/opt/python\n"
    assert "@" not in json.dumps(spec)
    left = [path for path in prefix.rglob("*.json") if str(tmp_path) in path.read_text()]
    assert not left


def test_an_installed_kernel_runs(tmp_path, laboratory, start_kernel):
    install(PREFIX=tmp_path, SANDBOX_PYTHON=sys.executable)
    laboratory.install_spec("installed", spec_below(tmp_path))
    kernel = start_kernel("installed")
    done = kernel.ready_client().run("import pandas as pd; pd.DataFrame({'a': [6 * 7]})")
    assert done.status == "ok"
    assert "42" in done.one("execute_result").content["data"]["text/html"]


def test_an_installed_command_runs_the_python_that_it_was_installed_with(tmp_path, laboratory):
    install(PREFIX=tmp_path, SANDBOX_PYTHON=sys.executable)
    done = cellpod("run", "-c", "import sys; print(sys.executable)", cwd=tmp_path,
                   program=[tmp_path / "bin/cellpod"], env={"CELLPOD_PYTHON": ""})
    assert done.stdout == f"{sys.executable}\n", done.stderr


OFFERED = f"""
import json
{WITHOUT_GRAMMARS}
from jupyter_server.serverapp import ServerApp
server = ServerApp.instance()
server.initialize(argv=[], new_httpserver=False, find_extensions=False)
print(json.dumps(server.kernel_manager.default_kernel_name))
"""


def test_the_sandboxed_kernel_is_what_a_new_notebook_has():
    """In the environment that `make kernelspecs` fills, ipykernel's is there too."""
    done = subprocess.run([sys.executable, "-c", OFFERED], check=True, text=True, capture_output=True)
    assert json.loads(done.stdout) == "cellpod"

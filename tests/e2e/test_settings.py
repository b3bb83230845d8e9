"""The configuration file's section "sandbox" and the flags, as a notebook's user meets them."""

import json
from pathlib import Path

import pytest

from support.client import START
from support.kernel import connection_info

pytestmark = pytest.mark.cellpod_only("other kernels have no sandbox to configure")

LIMITS = ("import resource as r; "
          "print([r.getrlimit(x)[0] for x in (r.RLIMIT_NPROC, r.RLIMIT_NOFILE)])")


@pytest.fixture
def configure(tmp_path):
    """Write the file; returns the environment of a kernel that reads it."""
    def write(text: str) -> dict:
        file = tmp_path / "cellpod/config.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return {"XDG_CONFIG_HOME": str(tmp_path)}
    return write


def sandbox(**members) -> str:
    return json.dumps({"sandbox": members})


def failure(cell) -> str:
    assert cell.status == "error"
    return cell.content["evalue"]


def test_the_file_limits_the_sandbox(start_kernel, configure):
    env = configure(sandbox(resources={"pids": 100, "open_files": 300}))
    client = start_kernel(env=env).ready_client()
    assert client.run(LIMITS, timeout=START).stdout == "[100, 300]\n"


def test_flags_go_before_the_file(start_kernel, configure):
    env = configure(sandbox(resources={"pids": 100, "open_files": 300}))
    kernel = start_kernel.on(connection_info(), arguments=["--pids", "120"], env=env)
    assert kernel.ready_client().run(LIMITS, timeout=START).stdout == "[120, 300]\n"


def test_the_environment_goes_before_the_file(start_kernel, configure, tmp_path):
    for name in ("file", "environment"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").write_text(name)
    env = configure(sandbox(mounts=[{"source": str(tmp_path / "file")}], env_passthrough=["SEEN"]))
    env |= {"CELLPOD_MOUNTS": str(tmp_path / "environment"), "SEEN": "yes"}
    client = start_kernel(env=env).ready_client()
    code = f"import glob, os; print(glob.glob({str(tmp_path)!r} + '/*/x'), os.environ['SEEN'])"
    assert client.run(code, timeout=START).stdout == f"{[str(tmp_path / 'environment/x')]} yes\n"


@pytest.mark.parametrize(("text", "says"), [
    ('{"sandbox":', "line 1"),
    (sandbox(resources={"memroy_mb": 64}), "did you mean memory_mb?"),
    (sandbox(resources={"memory_mb": "2g"}), "must be a whole number from 64"),
    (sandbox(network={"mode": "everything"}), 'must be "none" or "list"'),
], ids=["broken", "misspelt", "wrong type", "wrong word"])
def test_a_mistake_is_named_and_nothing_runs_until_it_is_mended(start_kernel, configure, tmp_path,
                                                                text, says):
    client = start_kernel(env=configure(text)).ready_client()
    told = failure(client.execute("print('ran')", timeout=START))
    assert says in told and str(tmp_path / "cellpod/config.json") in told
    Path(tmp_path / "cellpod/config.json").unlink()
    assert client.run("print('ran')", timeout=START).stdout == "ran\n"


def test_a_flag_that_is_wrong_ends_the_kernel(start_kernel):
    kernel = start_kernel.on(connection_info(), arguments=["--memory-mb", "lots"])
    assert kernel.wait_exit() == 1
    assert "--memory-mb must be a whole number from 64 to 16777216" in kernel.log_text()

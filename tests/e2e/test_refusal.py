"""Where an ordinary user may make no user namespace there is no sandbox, and no cell runs:
the kernel starts, its first cell ends with one error that names layer and remedy, and
`cellpod doctor` says the same. See support/forbid.py for what is real here; on a machine with
Debian's setting (tests/vm) that is."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from support.cli import PROGRAM, PYTHON
from support.kernel import BUILD, REPOSITORY
from support.machine import forbids_user_namespaces
from support.processes import assert_all_end

pytestmark = pytest.mark.cellpod_only("about sandboxes")

FORBID = REPOSITORY / "tests/support/forbid.py"
ORDINARY_UID = 54322
IS_ROOT = os.getuid() == 0

REMEDIES = {
    "namespaces": "sudo sysctl -w user.max_user_namespaces=10000",
    "debian": "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    "apparmor": "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
}


LACKS = (["debian"] if forbids_user_namespaces() else list(REMEDIES) if IS_ROOT
         else ["namespaces"])


@pytest.fixture(params=LACKS)
def lack(request):
    return request.param


@pytest.fixture
def place():
    """Folders of the ordinary user's, and an environment that leads into them."""
    root = Path(tempfile.mkdtemp(prefix="cellpod-refusal-", dir="/tmp"))
    for name in ("runtime", "work"):
        (root / name).mkdir(mode=0o700)
    if IS_ROOT:
        for path in (root, *root.iterdir()):
            os.chown(path, ORDINARY_UID, ORDINARY_UID)
    yield root
    end_sandboxd(root)
    shutil.rmtree(root)


def end_sandboxd(root: Path) -> None:
    """It stays for the next kernel; ours is the one whose socket lies in that folder."""
    mine = [p for p in psutil.process_iter(["cmdline"])
            if f"unix:{root}/runtime" in " ".join(p.info["cmdline"] or ())]
    for process in mine:
        process.send_signal(signal.SIGTERM)
    assert_all_end(mine, "sandboxd")


def environment(root: Path) -> dict:
    return {"PATH": os.environ["PATH"], "HOME": str(root), "XDG_RUNTIME_DIR": str(root / "runtime"),
            "XDG_CONFIG_HOME": str(root / "config"), "XDG_STATE_HOME": str(root / "state"),
            "XDG_CACHE_HOME": str(root / "cache"), "CELLPOD_PYTHON": str(PYTHON),
            "LC_ALL": "C.UTF-8"}


def lacking(lack: str, file: str = "-") -> list[str]:
    """What makes the machine so, as the beginning of a command; nothing where it is so."""
    if forbids_user_namespaces():
        return []
    return [sys.executable, str(FORBID), lack, str(ORDINARY_UID) if IS_ROOT else "-", file]


def test_a_cell_ends_with_one_error_that_names_layer_and_remedy(
        lack, laboratory, start_kernel, place):
    laboratory.install_spec(f"lacks-{lack}", {
        "argv": [*lacking(lack, "{connection_file}"), str(BUILD / "bin/cellpod-kernel"), "-f",
                 "{connection_file}"],
        "display_name": lack, "language": "python", "interrupt_mode": "message"})
    kernel = start_kernel(f"lacks-{lack}", cwd=place / "work", env=environment(place))
    client = kernel.ready_client()
    for _ in range(2):  # nothing hangs, and nothing is different the second time
        cell = client.execute("open('ran', 'w')", timeout=60)
        assert cell.status == "error"
        (error,) = cell.of_type("error")
        assert error.content["ename"] == "SandboxError"
        assert error.content["evalue"].startswith("layer users: ")
        shown = "\n".join(error.content["traceback"])
        assert REMEDIES[lack] in shown and f"{BUILD}/bin/cellpod doctor" in shown
    assert not (place / "work/ran").exists()


def test_the_doctor_says_the_same(lack, place):
    done = subprocess.run([*lacking(lack), str(PROGRAM), "doctor", "--json"], cwd=place / "work",
                          env=environment(place), text=True, capture_output=True, timeout=120)
    assert done.returncode == 1, done.stderr
    report = json.loads(done.stdout)
    assert report["ok"] is False
    status = {check["name"]: check["status"] for check in report["checks"]}
    (users,) = [c for c in report["checks"] if c["name"] == "users"]
    (start,) = [c for c in report["checks"] if c["name"] == "start"]
    assert users["status"] == start["status"] == "failed"
    assert REMEDIES[lack] in users["remedy"] and REMEDIES[lack] in start["remedy"]
    assert status["seccomp"] == "skipped"
    assert [c["status"] for c in report["checks"] if c["name"] == "setting"].count("note") == 1


def test_run_has_nothing_to_run_in(lack, place):
    done = subprocess.run([*lacking(lack), str(PROGRAM), "run", "-c", "open('ran', 'w')"],
                          cwd=place / "work", env=environment(place), text=True,
                          capture_output=True, timeout=120)
    assert done.returncode == 1
    assert "layer users: " in done.stderr and REMEDIES[lack] in done.stderr
    assert not (place / "work/ran").exists()

"""These run in a machine that tests/vm/guest has made, and VM_SCENARIO names."""

import json
import os
from pathlib import Path

import pytest

from support.cli import cellpod

collect_ignore_glob = [] if "VM_SCENARIO" in os.environ else ["test_*.py"]


@pytest.fixture(scope="session", autouse=True)
def bus(laboratory):
    """Of the user, where there is one: in the runtime folder, which is a test's own otherwise."""
    real = Path(f"/run/user/{os.getuid()}/bus")
    own = laboratory.runtime / "bus"
    if real.exists():
        own.symlink_to(real)
        laboratory.end_sandboxd()  # which has started without it
    yield
    own.unlink(missing_ok=True)


@pytest.fixture
def doctor(laboratory, tmp_path):
    """What the doctor finds in a folder: its exit status, and its checks by name."""
    def examine(folder=tmp_path):
        done = cellpod("doctor", "--json", cwd=folder)
        report = json.loads(done.stdout)
        assert report["ok"] == (done.returncode == 0)
        return done.returncode, {check["name"]: check for check in report["checks"]}
    return examine

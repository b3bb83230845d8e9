"""These run in a machine that tests/vm/guest has made, and VM_SCENARIO names."""

import json
import os

import pytest

from support.cli import cellpod

collect_ignore_glob = [] if "VM_SCENARIO" in os.environ else ["test_*.py"]


@pytest.fixture
def doctor(laboratory, tmp_path):
    """What the doctor finds in a folder: its exit status, and its checks by name."""
    def examine(folder=tmp_path):
        done = cellpod("doctor", "--json", cwd=folder)
        report = json.loads(done.stdout)
        assert report["ok"] == (done.returncode == 0)
        return done.returncode, {check["name"]: check for check in report["checks"]}
    return examine

"""Root's sandboxes see the notebook's folder as another user's, where its file system can show it so.
Debian 12's kernel cannot on tmpfs."""

import subprocess

import pytest


@pytest.fixture
def folder(tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def test_a_folder_that_cannot_be_shown_as_anothers_is_refused_with_a_remedy(doctor, folder):
    status, checks = doctor(folder)
    assert status == 1
    assert checks["files"]["status"] == "ok"
    workspace = checks["workspace"]
    assert workspace["status"] == "failed"
    assert workspace["detail"].startswith(f"{folder}: map the owner of {folder}: ")
    assert "ext4, xfs or btrfs, or with Linux 6.3 and newer on tmpfs" in workspace["remedy"]

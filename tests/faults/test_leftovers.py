"""The check that runs after every test finds what a test leaves behind."""

import subprocess
import tempfile
from pathlib import Path

import pytest



@pytest.fixture
def census(pytestconfig):
    """The one of this run: what these tests leave is found, told once, and then removed."""
    return pytestconfig.census


def test_a_process_is_found(census, monkeypatch):
    monkeypatch.setattr("psutil.wait_procs", lambda strays, timeout: ([], strays))
    process = subprocess.Popen(["sleep", "1000"])
    try:
        with pytest.raises(AssertionError, match=f"process {process.pid} "):
            census.check()
    finally:
        process.kill()
        process.wait()


def test_an_orphan_is_found(census, monkeypatch):
    monkeypatch.setattr("psutil.wait_procs", lambda strays, timeout: ([], strays))
    reader = subprocess.Popen(["sh", "-c", "sleep 1000 & echo $!"], stdout=subprocess.PIPE)
    pid = int(reader.stdout.readline())
    reader.stdout.close()
    reader.wait()
    try:
        with pytest.raises(AssertionError, match=f"process {pid} "):
            census.check()
    finally:
        subprocess.run(["kill", "-9", str(pid)], check=True)


def test_a_file_is_found(census):
    path = Path(tempfile.mkdtemp(prefix="left-"))
    with pytest.raises(AssertionError, match=f"file {path}"):
        census.check()
    path.rmdir()


def test_a_mount_is_found(census, tmp_path):
    done = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", tmp_path], capture_output=True)
    if done.returncode:
        pytest.skip(f"only root mounts: {done.stderr.decode().strip()}")
    try:
        with pytest.raises(AssertionError, match=f"mount {tmp_path}"):
            census.check()
    finally:
        subprocess.run(["umount", tmp_path], check=True)
        census.adopt()

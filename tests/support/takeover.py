"""Sessions that sandboxd keeps for a kernel that is still to come."""

import json
import subprocess
import time
from pathlib import Path

from support.client import Deadline
from support.kernel import BUILD, Laboratory

# Prints a line whenever its file is there, so that a test decides how far it comes.
STEPS = """
import os, time
for step in range({count}):
    while not os.path.exists(f'step-{{step}}'):
        time.sleep(0.005)
    print('line', step, flush=True)
"""


def step(folder: Path, number: int) -> None:
    (folder / f"step-{number}").touch()


def kept(laboratory: Laboratory) -> list[dict]:
    if laboratory.sandboxd() is None:
        return []
    answer = subprocess.run([BUILD / "bin/cellpod", "ps", "--json"], capture_output=True,
                            text=True, check=True)
    return [each for each in json.loads(answer.stdout)["sandboxes"] if "kept" in each]


def wait_until_kept(laboratory: Laboratory, count: int = 1) -> list[dict]:
    deadline = Deadline(10)
    while len(found := kept(laboratory)) != count:
        assert deadline.left_ms, found
        time.sleep(0.01)
    return found


def rm(sandbox: str) -> None:
    subprocess.run([BUILD / "bin/cellpod", "rm", sandbox], check=True)

"""Sessions that sandboxd keeps for a kernel that is still to come."""

import fcntl
import json
import subprocess
import time
from pathlib import Path

from support.client import Deadline
from support.kernel import BUILD, Laboratory

# Prints a line for each step that the test lets it take.
STEPS = """
import fcntl
for step in range({count}):
    with open(f'step-{{step}}') as gate:
        fcntl.flock(gate, fcntl.LOCK_SH)
    print('line', step, flush=True)
"""


class Steps:
    """Lets a cell of STEPS go on: files in its folder, whose locks it waits for. Named pipes would
    not do: a sandbox does not reach those that were there before it."""

    def __init__(self, folder: Path, count: int = 4):
        self.gates = [(folder / f"step-{number}").open("w") for number in range(count)]
        for gate in self.gates:
            fcntl.flock(gate, fcntl.LOCK_EX)

    def __call__(self, number: int) -> None:
        fcntl.flock(self.gates[number], fcntl.LOCK_UN)

    def close(self) -> None:
        for gate in self.gates:
            gate.close()


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

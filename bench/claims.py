"""Many claims at once, again and again: does one fail, and is anything left?

    make bench-claims                  500 claims, ten times; CLAIMS=500 ROUNDS=10

A real API server and controller; pods are records alone. The kernels are claim_driver's: the kernel's
own code for claims. It ends with status 1 if a claim has failed, or anything of a round is left.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support import hollow  # noqa: E402
from support.cluster import POOLS, TEMPLATES, ControlPlane  # noqa: E402
from support.kubelet import Kubelet  # noqa: E402

COUNT = int(os.environ.get("CLAIMS") or 500)
ROUNDS = int(os.environ.get("ROUNDS") or 10)
PATIENCE = 900  # seconds, for whatever is awaited


def wait_until(what) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not what():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def claim(plane) -> tuple[list[int], int, str]:
    """The milliseconds until each was ready, how many were given back, and what was complained of."""
    process = hollow.driver(plane, COUNT, "hollow", stderr=subprocess.PIPE)
    said, complaints = process.communicate()
    times = sorted(int(line) for line in said.splitlines() if line.isdigit())
    gone = sum(int(line.split()[1]) for line in said.splitlines() if line.startswith("left "))
    return times, gone, complaints


def play(plane, number: int) -> bool:
    began = time.monotonic()
    hollow.create_pool(plane.api, COUNT)
    filled = wait_until(lambda: hollow.warm(plane.api) == COUNT)
    times, gone, complaints = claim(plane)
    plane.api.delete(f"{POOLS}/hollow")
    plane.api.delete(f"{TEMPLATES}/hollow")
    clean = wait_until(lambda: not hollow.left(plane.api))
    left = hollow.left(plane.api)
    load = os.getloadavg()[0]
    print(
        f"{number:5} {len(times):7} {COUNT - len(times):7} {COUNT - gone:9} {sum(left.values()):5}"
        f" {statistics.median(times or [0]) / 1000:8.1f} {(times or [0])[-1] / 1000:8.1f}"
        f" {time.monotonic() - began:7.0f} {load:6.1f}",
        flush=True,
    )
    if complaints:
        print(complaints[-2000:], file=sys.stderr)
    if left:
        print(f"left: {left}", file=sys.stderr)
    return filled and clean and len(times) == gone == COUNT


def main():
    tools = os.environ.get("CELLPOD_CLUSTER")
    if not tools:
        sys.exit("bench-claims: `make bench-claims' says where the cluster's programs are")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cellpod-bench-")))
        plane = stack.enter_context(closing(ControlPlane(Path(tools), folder)))
        stack.enter_context(closing(Kubelet(plane.api, folder)))
        print(
            f"{COUNT} claims at once, {os.cpu_count()} processors for all of it; times in seconds"
        )
        print("round   ready  failed  not back  left   median  longest   round   load", flush=True)
        good = [play(plane, number) for number in range(1, ROUNDS + 1)]
    print(f"{sum(good)} of {ROUNDS} rounds without a failure and with nothing left")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()

"""500 claims at once: none fails and nothing is left, and how long they took on our side."""

import statistics
import subprocess

import pytest

from support import hollow
from support.cluster import POOLS, wait_for

COUNT = 500


@pytest.mark.timeout(1800)
def test_500_claims_at_once_leave_nothing(plane, kubelet, capfd):
    hollow.create_pool(plane.api, COUNT)
    wait_for(lambda: hollow.warm(plane.api) == COUNT, f"{COUNT} warm pods", 600)
    run = hollow.driver(plane, COUNT, "hollow", stderr=subprocess.PIPE)
    said, complaints = run.communicate(timeout=900)
    assert run.returncode == 0, complaints[-3000:]
    *times, gone = said.splitlines()
    times = sorted(map(int, times))
    assert gone == f"left {COUNT}" and len(times) == COUNT
    plane.api.delete(f"{POOLS}/hollow")
    wait_for(lambda: not hollow.left(plane.api), "nothing is left", 300)
    with capfd.disabled():
        print(f"\n{COUNT} claims at once, claim to ready: p50 {statistics.median(times):.0f} ms, "
              f"p99 {times[int(COUNT * 0.99) - 1]} ms, longest {times[-1]} ms; nothing left")

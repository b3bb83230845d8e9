"""Kernels of this build and a pod of the image `sandbox`: tests/e2e/test_pod.py's tests, start times."""

import time

import pytest

from e2e.test_debugger import test_a_cell_stops_is_looked_at_and_goes_on  # noqa: F401
from e2e.test_pod import (  # noqa: F401
    client,
    start,
    test_a_cell_cannot_reach_beyond_its_folders_or_into_sandboxd,
    test_a_pod_is_ready_when_its_python_is,
    test_an_interrupt_ends_a_loop,
    test_cells_run_charts_come_back_and_workers_are_replaced,
    test_the_pod_ends_with_its_sandbox,
)
from security.test_execute_api import test_a_whole_life  # noqa: F401
from support import images

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def pod(runtime, network):
    pod = images.Pod(runtime, network)
    yield pod
    pod.close()


@pytest.fixture
def daemon(pod):
    return pod


def test_a_cell_makes_an_environment_of_its_own(client):  # noqa: F811
    """Not by `!`, whose terminal an old gVisor never ends."""
    made = client.run("import subprocess, sys\n"
                      "subprocess.run([sys.executable, '-m', 'venv', 'own'], check=True)\n"
                      "print(subprocess.check_output(['own/bin/python', '-m', 'pip', '--version'], text=True))",
                      timeout=500)
    assert made.stdout.startswith("pip ")


def test_start_times_are_told(runtime, network):
    begun = time.monotonic()
    pod = images.Pod(runtime, network)
    try:
        listening = time.monotonic() - begun
        pod.claim(env={}).ready().close()
        print(f"\ncellpod-sandbox, {runtime}: listens {listening:.1f} s after podman was asked for it,"
              f" Python is ready after {time.monotonic() - begun:.1f} s")
    finally:
        pod.close()

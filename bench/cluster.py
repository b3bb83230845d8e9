"""What many kernels ask of a cluster: a real API server and controller, pods that are records alone.

    make bench-cluster                 2,000 kernels; KERNELS=200 for fewer

The kernels are claim_driver's: the kernel's own code for claims, watches and renewals, without what
runs cells. The API server counts what it is asked. Nodes, schedulers and kubelets are one thread here.
"""

import os
import re
import signal
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
from support.cluster import CLAIMS, NAMESPACE, ControlPlane  # noqa: E402
from support.kubelet import Kubelet  # noqa: E402

COUNT = int(os.environ.get("KERNELS") or 2000)
TTL_SECONDS = 600  # the kernel's default
HOLD_SECONDS = int(os.environ.get("HOLD") or 240)  # a little more than one renewal
SAMPLE = re.compile(r"^(apiserver_\w+)\{(.*)\} (\S+)$", re.M)
LABEL = re.compile(r'(\w+)="([^"]*)"')


def counted(api) -> dict[str, float]:
    """Of the API server's own numbers: requests for claims by verb, and what watches were sent."""
    totals: dict[str, float] = {}
    for name, labels, value in SAMPLE.findall(api.get("/metrics").decode()):
        of = dict(LABEL.findall(labels))
        if name == "apiserver_request_total":
            key = "requests"
            if of.get("resource") == "sandboxclaims":
                key = f"claims {of['verb']}"
            totals[key] = totals.get(key, 0) + float(value)
        elif name in ("apiserver_watch_events_total", "apiserver_watch_events_sizes_sum"):
            kind = of.get("kind") or of.get("resource", "")
            if kind.lower().startswith("sandboxclaim"):
                totals[name] = totals.get(name, 0) + float(value)
    return totals


def difference(after, before):
    return {key: after[key] - before.get(key, 0) for key in after if after[key] != before.get(key)}


def say(title, value):
    print(f"{title:64} {value}", flush=True)


def wait_until(what, seconds=3600):
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            sys.exit(f"bench-cluster: not within {seconds} s")
        time.sleep(1)


def fill(plane):
    began = time.monotonic()
    hollow.create_pool(plane.api, COUNT)
    wait_until(lambda: hollow.warm(plane.api) == COUNT)
    seconds = time.monotonic() - began
    say(f"{COUNT} warm pods", f"{seconds:.0f} s, {COUNT / seconds:.1f} a second")


def driver(plane, count):
    return hollow.driver(plane, count, "hollow", TTL_SECONDS, stdin=subprocess.PIPE)


def ready(process) -> list[int]:
    """The milliseconds from claim to ready, sorted, once all are."""
    times = []
    for line in process.stdout:
        if line == "held\n":
            return sorted(times)
        times.append(int(line))
    sys.exit("bench-cluster: the kernels ended early")


def claim(plane):
    before, began = counted(plane.api), time.monotonic()
    kernels = driver(plane, COUNT)
    times = ready(kernels)
    seconds, asked = time.monotonic() - began, difference(counted(plane.api), before)
    say(f"{COUNT} claims at once", f"{seconds:.0f} s, {len(times) / seconds:.1f} claims a second")
    say(
        "  claim to ready",
        f"p50 {statistics.median(times):.0f} ms, p99 {times[int(len(times) * 0.99) - 1]} ms",
    )
    say("  requests of the claim's kind for each claim", by_verb(asked, COUNT))
    say(
        "  all requests, the controller's included",
        f"{asked['requests'] / COUNT:.1f} for each claim",
    )
    return kernels


def by_verb(asked, divisor):
    parts = [
        f"{key[7:]} {value / divisor:.2f}"
        for key, value in sorted(asked.items())
        if key.startswith("claims ")
    ]
    return ", ".join(parts) or "none"


def hold(plane):
    before, began = counted(plane.api), time.monotonic()
    time.sleep(HOLD_SECONDS)
    minutes = (time.monotonic() - began) / 60
    asked = difference(counted(plane.api), before)
    say(
        f"idle for {minutes:.1f} minutes: requests a minute for each kernel",
        by_verb(asked, COUNT * minutes),
    )
    say(
        "  all requests, the controller's included",
        f"{asked['requests'] / COUNT / minutes:.2f} a minute for each kernel",
    )
    sizes = asked.get("apiserver_watch_events_sizes_sum", 0)
    say(
        "  sent to watches of claims",
        f"{sizes / COUNT / minutes:.0f} bytes a minute for each kernel",
    )


def restart_controller(plane):
    [old] = [process for name, process in plane.processes if name == "agent-sandbox-controller"]
    old.send_signal(signal.SIGKILL)
    old.wait()
    plane.processes = [(name, process) for name, process in plane.processes if process is not old]
    before, began = counted(plane.api), time.monotonic()
    plane.start_agent_sandbox()
    one = driver(plane, 1)
    ready(one)
    say(
        "a new claim while the controller restarts: ready after",
        f"{time.monotonic() - began:.1f} s",
    )
    end(one)
    time.sleep(30)
    asked = difference(counted(plane.api), before)
    say("  requests in the 30 s after that, kernels' included", f"{asked['requests']:.0f}")
    left = len(plane.api.items(CLAIMS))
    say("  claims that are still there", f"{left} of {COUNT}")


def end(kernels):
    kernels.stdin.close()
    if kernels.wait() != 0:
        sys.exit("bench-cluster: claims failed")


def main():
    tools = os.environ.get("CELLPOD_CLUSTER")
    if not tools:
        sys.exit("bench-cluster: `make bench-cluster' says where the cluster's programs are")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cellpod-bench-")))
        plane = stack.enter_context(closing(ControlPlane(Path(tools), folder)))
        stack.enter_context(closing(Kubelet(plane.api, folder)))
        say(
            "kernels",
            f"{COUNT} in namespace {NAMESPACE}, {os.cpu_count()} processors for all of it",
        )
        fill(plane)
        kernels = claim(plane)
        hold(plane)
        restart_controller(plane)
        began = time.monotonic()
        end(kernels)
        say("all claims given back", f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()

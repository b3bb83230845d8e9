"""What many kernels ask of a cluster: a real API server and controller, pods that are records alone.

    make bench-cluster                 2,000 kernels; KERNELS=200 for fewer

The kernels are claim_driver's: the kernel's own code for claims, watches and renewals, without what
runs cells. The API server counts what it is asked. Nodes, schedulers and kubelets are one thread here.
"""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.cluster import NAMESPACE, PODS, POOLS, TEMPLATES, ApiError, ControlPlane  # noqa: E402

COUNT = int(os.environ.get("KERNELS") or 2000)
TTL_SECONDS = 600  # the kernel's default
HOLD_SECONDS = int(os.environ.get("HOLD") or 240)  # a little more than one renewal
VERSION = "extensions.agents.x-k8s.io/v1beta1"
DRIVER = ROOT / "build/tests/cluster/claim_driver"
SAMPLE = re.compile(r"^(apiserver_\w+)\{(.*)\} (\S+)$", re.M)
LABEL = re.compile(r'(\w+)="([^"]*)"')


class Nodes(threading.Thread):
    """Says of each pod that it runs, as soon as it is there. By a watch: lists would cost more than
    what is measured."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self.api, self.told = api, 0

    def run(self):
        listed = self.api.get(PODS)
        for pod in listed["items"]:
            self.tell(pod)
        version = listed["metadata"]["resourceVersion"]
        request = urllib.request.Request(
            f"{self.api.url}{PODS}?watch=1&resourceVersion={version}&timeoutSeconds=7200",
            headers={"Authorization": f"Bearer {self.api.token}"},
        )
        with urllib.request.urlopen(request, context=self.api.context) as events:
            for line in events:
                event = json.loads(line)
                if event["type"] in ("ADDED", "MODIFIED"):
                    self.tell(event["object"])

    def tell(self, pod):
        path = f"{PODS}/{pod['metadata']['name']}"
        try:
            if "deletionTimestamp" in pod["metadata"]:
                self.api.delete(path, gracePeriodSeconds=0)
            elif pod["status"].get("phase") != "Running":
                self.begin(path)
        except ApiError as error:
            if error.code not in (404, 409):
                raise

    def begin(self, path):
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        conditions = [
            {"type": kind, "status": "True", "lastTransitionTime": now}
            for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
        ]
        status = {
            "phase": "Running",
            "podIP": "127.9.9.9",
            "podIPs": [{"ip": "127.9.9.9"}],
            "startTime": now,
            "conditions": conditions,
        }
        self.api.merge(f"{path}/status", {"status": status})
        self.told += 1


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


def template(replicas):
    pod = {"spec": {"containers": [{"name": "c", "image": "none"}]}}
    return (
        {
            "apiVersion": VERSION,
            "kind": "SandboxTemplate",
            "metadata": {"name": "hollow"},
            "spec": {"podTemplate": pod},
        },
        {
            "apiVersion": VERSION,
            "kind": "SandboxWarmPool",
            "metadata": {"name": "hollow"},
            "spec": {"replicas": replicas, "sandboxTemplateRef": {"name": "hollow"}},
        },
    )


def say(title, value):
    print(f"{title:64} {value}", flush=True)


def wait_until(what, seconds=3600):
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            sys.exit(f"bench-cluster: not within {seconds} s")
        time.sleep(1)


def fill(plane, nodes):
    began = time.monotonic()
    for path, document in zip((TEMPLATES, POOLS), template(COUNT)):
        plane.api.create(path, document)
    wait_until(
        lambda: plane.api.get(f"{POOLS}/hollow").get("status", {}).get("readyReplicas") == COUNT
    )
    seconds = time.monotonic() - began
    say(f"{COUNT} warm pods", f"{seconds:.0f} s, {COUNT / seconds:.1f} a second")


def driver(plane, count):
    return subprocess.Popen(
        [DRIVER, str(count), "hollow", str(TTL_SECONDS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "KUBECONFIG": str(plane.admin)},
    )


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
    left = len(plane.api.items(POOLS.replace("sandboxwarmpools", "sandboxclaims")))
    say("  claims that are still there", f"{left} of {COUNT}")


def end(kernels):
    kernels.stdin.close()
    if kernels.wait() != 0:
        sys.exit("bench-cluster: claims failed")


def main():
    tools = os.environ.get("CELLPOD_CLUSTER")
    if not tools:
        sys.exit("bench-cluster: `make bench-cluster' says where the cluster's programs are")
    with tempfile.TemporaryDirectory(prefix="cellpod-bench-") as folder:
        plane = ControlPlane(Path(tools), Path(folder))
        try:
            nodes = Nodes(plane.api)
            nodes.start()
            say(
                "kernels",
                f"{COUNT} in namespace {NAMESPACE}, {os.cpu_count()} processors for all of it",
            )
            fill(plane, nodes)
            kernels = claim(plane)
            hold(plane)
            restart_controller(plane)
            began = time.monotonic()
            end(kernels)
            say("all claims given back", f"{time.monotonic() - began:.0f} s")
        finally:
            plane.close()


if __name__ == "__main__":
    main()

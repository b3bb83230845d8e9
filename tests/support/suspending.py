"""What a cluster does with a Sandbox that is suspended and resumed: agent-sandbox's controller, and GKE's
Pod Snapshots. A pod that is frozen (SIGSTOP) keeps its memory; one that is killed has none."""

import signal
import threading

import psutil

from support.kube_standin import Cluster, rights
from support.pods import Pod

SANDBOXES = "/apis/agents.x-k8s.io/v1beta1/namespaces/lab/sandboxes"
TRIGGERS = "/apis/podsnapshot.gke.io/v1/namespaces/lab/podsnapshotmanualtriggers"


def signal_all(pod: Pod, number: int) -> None:
    program = psutil.Process(pod.process.pid)
    for process in [program, *program.children(recursive=True)]:
        process.send_signal(number)


class Suspender(threading.Thread):
    """Of the stand-in cluster's first pod. `restores`: its snapshots bring the memory back."""

    def __init__(self, cluster: Cluster, pod: Pod, restores: bool = True, failure: str = ""):
        super().__init__()
        self.cluster, self.pod, self.restores, self.failure = cluster, pod, restores, failure
        self.is_closing = self.is_suspended = False
        self.modes: list[str] = []  # as they came about
        self.takes_snapshots = threading.Event()  # cleared: a snapshot is under way
        self.takes_snapshots.set()
        self.store = cluster.server.store
        cluster.server.installed.add("podsnapshotmanualtriggers")
        for resource, verbs in rights("components/suspension/rights.yaml").items():
            cluster.server.rights.setdefault(resource, set()).update(verbs)
        self.store.create(SANDBOXES, {"metadata": {"name": pod.name}, "spec": {"operatingMode": "Running"}})
        self.start()

    def close(self) -> None:
        with self.store.changed:
            self.is_closing = True
            self.store.changed.notify_all()
        self.join()
        if self.is_suspended and self.restores:
            signal_all(self.pod, signal.SIGCONT)

    @property
    def triggers(self) -> list[dict]:
        return self.store.list(TRIGGERS)

    def wait_suspended(self) -> None:
        self.cluster.server.wait_for(lambda: self.is_suspended)

    def run(self) -> None:
        while not self.is_closing:
            with self.store.changed:
                self.store.changed.wait(0.1)
                self._snapshot()
                mode = self.store.get(SANDBOXES, self.pod.name)["spec"]["operatingMode"]
                if mode == "Suspended" and not self.is_suspended:
                    self._suspend()
                elif mode == "Running" and self.is_suspended:
                    self._resume()

    def _snapshot(self) -> None:
        for trigger in self.triggers if self.takes_snapshots.is_set() else ():
            if "status" in trigger:
                continue
            assert trigger["spec"] == {"targetPod": self.pod.name}, trigger
            status = ({"type": "Triggered", "status": "False", "reason": "Failed", "message": self.failure}
                      if self.failure else {"type": "Triggered", "status": "True", "reason": "Complete"})
            self.store.patch(TRIGGERS, trigger["metadata"]["name"], {"status": {"conditions": [status]}})

    @property
    def _claim(self) -> str:
        [claim] = self.cluster.claims
        return claim["metadata"]["name"]

    def _suspend(self) -> None:
        if self.restores:
            signal_all(self.pod, signal.SIGSTOP)
        else:
            self.pod.kill()
        self.cluster.say(self._claim, "SandboxSuspended", "Sandbox is suspended", self.pod.name)
        self.is_suspended = True
        self.modes.append("Suspended")

    def _resume(self) -> None:
        if self.restores:
            signal_all(self.pod, signal.SIGCONT)
        else:
            self.pod.start()
        self.cluster.set_ready(self._claim, self.pod.name, self.pod.ip)
        self.is_suspended = False
        self.modes.append("Running")

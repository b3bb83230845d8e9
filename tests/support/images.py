"""Containers of the images that `make test-image` has built: podman's, with runc or under gVisor,
as deploy/gke/base/sandboxes/template.yaml has them.

Each has a network namespace of its own in a network that leads nowhere, as behind a policy.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import threading
import uuid
from collections.abc import Iterable
from pathlib import Path

from unit.sandbox.sandboxd_client import Daemon

UID = 10001
PORT = 8888
PATIENCE = 120  # gVisor without hardware traces every system call
REPOSITORY = Path(__file__).resolve().parents[2]
STORAGE = Path(os.environ.get("CELLPOD_IMAGES", "/nonexistent"))

# gVisor's own network needs more than a test machine gives; `host` is its container's here.
RUNTIMES = {
    "runc": ("--runtime", "runc"),
    "runsc": ("--runtime", "runsc", "--runtime-flag", "ignore-cgroups", "--runtime-flag", "network=host",
              "--runtime-flag", "platform=ptrace"),
}
TEMPLATE = ("--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--security-opt=no-new-privileges",
            "--tmpfs=/tmp:rw,mode=1777")


def podman(*arguments: str, runtime: str = "runc") -> str:
    done = subprocess.run(["podman", *RUNTIMES[runtime], *arguments], text=True, capture_output=True,
                          env=environment(), timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "CONTAINERS_STORAGE_CONF": str(STORAGE / "storage.conf"),
            "CONTAINERS_CONF": str(STORAGE / "containers.conf")}


class Network:
    """Its members reach each other and this machine, and nothing else: they have no route."""

    def __init__(self):
        self.name = f"cellpod-{uuid.uuid4().hex[:8]}"
        podman("network", "create", self.name)
        file = STORAGE / "networks" / f"{self.name}.conflist"
        config = json.loads(file.read_text())
        bridge = config["plugins"][0]
        del bridge["ipam"]["routes"]
        file.write_text(json.dumps(config | {"plugins": [bridge | {"ipMasq": False}]}))
        self.gateway = bridge["ipam"]["ranges"][0][0]["gateway"]
        # The first member makes mounts that stay: before a test looks what it has left behind.
        podman("run", "--rm", f"--network={self.name}", "--entrypoint=true", "cellpod-sandbox:test")

    def close(self) -> None:
        podman("network", "rm", self.name)


class Container:
    """One that runs until it ends or is closed. What it says on standard error is its log."""

    def __init__(self, image: str, runtime: str, network: Network, arguments: Iterable[str] = (),
                 options: Iterable[str] = (), environment: dict[str, str] | None = None):
        given = [f"--env={name}={value}" for name, value in (environment or {}).items()]
        self.runtime = runtime
        self.id = podman("create", *TEMPLATE, f"--network={network.name}", *given, *options,
                         f"cellpod-{image}:test", *arguments, runtime=runtime)
        self.log: list[str] = []
        self.process: subprocess.Popen | None = None

    def start(self, until: str) -> None:
        """Until it says so."""
        self.process = subprocess.Popen(["podman", *RUNTIMES[self.runtime], "start", "--attach", self.id],
                                        env=environment(), text=True, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        for line in self.process.stderr:
            self.log.append(line)
            if until in line:
                break
        else:
            raise AssertionError(f"it ended: {''.join(self.log)}")
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr))
        self.reader.start()

    @property
    def ip(self) -> str:
        networks, = json.loads(podman("inspect", "--format", "{{json .NetworkSettings.Networks}}", self.id)
                               ).values()
        return networks["IPAddress"]

    def run(self, *command: str) -> str:
        """What a further process in it prints."""
        return podman("exec", self.id, *command, runtime=self.runtime)

    def close(self) -> None:
        podman("rm", "--force", "--volumes", "--time", "60", self.id, runtime=self.runtime)
        if self.process:
            self.process.wait(PATIENCE)
            self.reader.join()
            self.process.stderr.close()


class Pod(Daemon):
    """A sandbox container; a client of its sandboxd."""

    def __init__(self, runtime: str, network: Network, workspace: Path | None = None,
                 arguments: Iterable[str] = (), environment: dict[str, str] | None = None):
        place = f"--volume={workspace}:/workspace" if workspace else "--volume=/workspace"
        template = ("--listen", f"tcp:0.0.0.0:{PORT}", "--capacity", "1", "--isolation", "pod", "--claims", "open",
                    "--grace", "0")
        self.container = Container("sandbox", runtime, network, (*template, *arguments), (place,), environment)
        self.container.start("sandboxd listening")
        self.netloc = f"{self.container.ip}:{PORT}"
        self.url = f"http://{self.netloc}"

    @property
    def process(self) -> subprocess.Popen:
        return self.container.process

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.netloc, timeout=PATIENCE)

    def log(self) -> str:
        return "".join(self.container.log)

    def close(self) -> None:
        self.container.close()

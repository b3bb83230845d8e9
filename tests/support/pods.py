"""What plays the kubelet: pods that are cellpod-sandboxd itself, each on an address of its own.

A pod's address is a loopback address (127.0.0.0/8 has room for many), so that every pod
listens on the same port, as in a cluster.
"""

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import yaml

from support import container, processes
from support.caches import cache_of
from support.kernel import BUILD, tail
from support.lean_python import lean_python
from support.leftovers import remove_cgroups_of

PORT = 8888


TEMPLATE = Path(__file__).resolve().parents[2] / "deploy/gke/base/sandboxes/template.yaml"


def arguments_of(item: dict) -> list[str]:
    """Of a pod's only container."""
    [container] = item["spec"]["containers"]  # of a template, too
    return container["args"]


def template_arguments() -> list[str]:
    [template] = [one for one in yaml.safe_load_all(TEMPLATE.read_text()) if one["kind"] == "SandboxTemplate"]
    return arguments_of(template["spec"]["podTemplate"])


def free_address() -> str:
    while True:
        ip = f"127.{random.randint(1, 254)}.{random.randint(0, 255)}.{random.randint(1, 254)}"
        with socket.socket() as probe:
            try:
                probe.bind((ip, PORT))
                return ip
            except OSError:
                continue


class SilentPod:
    """What is left of a pod whose node has gone: packets to it are dropped, and nobody says so.

    A socket that listens and whose queue is full: Linux drops what comes after."""

    def __init__(self, name: str):
        self.name, self.ip = name, free_address()
        self.sockets = [socket.socket()]
        self.sockets[0].bind((self.ip, PORT))
        self.sockets[0].listen(0)
        for _ in range(4):
            self.sockets.append(socket.socket())
            self.sockets[-1].setblocking(False)
            self.sockets[-1].connect_ex((self.ip, PORT))

    def stop(self) -> None:
        for one in self.sockets:
            one.close()


class Pod:
    """One sandboxd that serves one sandbox, until it is killed."""

    def __init__(self, name: str, folder: Path, ip: str | None = None, python: str | None = None):
        self.name, self.ip = name, ip or free_address()
        self.python = python or lean_python()
        self.log = folder / f"{name}.log"
        self.home = folder / name
        self.home.mkdir(exist_ok=True)
        self.process: subprocess.Popen | None = None
        self.start()

    def start(self) -> None:
        reader, writer = os.pipe()
        with self.log.open("ab") as log:
            self.process = self._launch(writer, stdout=log, stderr=log)
        os.close(writer)
        with open(reader) as said:
            word = said.readline().strip()
        assert word.startswith("ready"), f"{word!r}: {tail(self.log)}"

    def _launch(self, ready: int, **options) -> subprocess.Popen:
        env = {"PATH": os.environ["PATH"], "CELLPOD_PYTHON": self.python,
               "HOME": str(self.home), "XDG_STATE_HOME": str(self.home),
               "XDG_RUNTIME_DIR": str(self.home), "XDG_CACHE_HOME": cache_of()}
        return subprocess.Popen(
            [BUILD / "bin/cellpod-sandboxd", "--listen", f"tcp:{self.ip}:{PORT}",
             "--capacity", "1", "--ready-fd", str(ready)], pass_fds=[ready], env=env, **options)

    @property
    def sandboxd(self) -> psutil.Process:
        return psutil.Process(self.process.pid)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def is_ready(self) -> bool:
        return True

    def wait_ready(self) -> None:
        """As a kubelet does, who has nothing but the probe, and asks again and again."""
        while not self.is_ready():
            assert self.is_running, tail(self.log)
            time.sleep(0.05)

    def kill(self) -> int:
        """As a node kills a pod that it evicts, its control groups included. The exit code, as a
        container has it."""
        if not self.is_running:
            return 0
        tree = psutil.Process(self.process.pid).children(recursive=True)
        self._signal(signal.SIGKILL)
        status = self.process.wait()
        processes.assert_all_end(tree, f"processes of pod {self.name}")
        remove_cgroups_of(self.process.pid)
        return 128 - status

    def _signal(self, number: int) -> None:
        self.process.send_signal(number)

    def terminate(self, grace: int) -> None:
        """As a node begins to stop a pod, which is not told for how long it may go on."""
        self._signal(signal.SIGTERM)

    def stop(self) -> None:
        """At once: after SIGTERM it would wait for its kernels."""
        if not self.is_running:
            return
        tree = psutil.Process(self.process.pid).children(recursive=True)
        self._signal(signal.SIGINT)
        try:
            self.process.wait(20)
        finally:
            self.kill()
        processes.assert_all_end(tree, f"processes of pod {self.name}")


class TemplatePod(Pod):
    """A pod as a container of the template: its arguments, a bare root, a user without privileges."""

    def __init__(self, name: str, folder: Path, arguments: list[str], python: str | None = None):
        self.arguments = arguments
        super().__init__(name, folder, python=python)

    def is_ready(self) -> bool:
        """As the template's probe asks: its Python is warm."""
        try:
            with urllib.request.urlopen(f"http://{self.ip}:{PORT}/v1/health", timeout=5) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as error:
            assert error.code == 503, error
            return False

    def _launch(self, ready: int, **options) -> subprocess.Popen:
        own = [f"tcp:{self.ip}:{PORT}" if one.startswith("tcp:") else one for one in self.arguments]
        process = container.start(
            [BUILD / "bin/cellpod-sandboxd", *own, "--ready-fd", str(ready)],
            env={"CELLPOD_PYTHON": self.python, "CACHE": cache_of(container.UID), "XDG_CACHE_HOME": "/cache"},
            pass_fds=[ready], **options)
        processes.CONTAINERS.add(psutil.Process(process.pid))
        return process

    @property
    def sandboxd(self) -> psutil.Process:
        """unshare waits for it, and passes nothing on."""
        [program] = psutil.Process(self.process.pid).children()
        return program

    def _signal(self, number: int) -> None:
        """It may be ending just now."""
        with contextlib.suppress(psutil.NoSuchProcess):
            for program in psutil.Process(self.process.pid).children():
                program.send_signal(number)

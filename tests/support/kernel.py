"""Starting the kernel under test, in a world of its own.

A Laboratory is a private runtime, state, configuration and working folder. Kernels started
in it share one sandboxd, which the laboratory ends. After each kernel nothing may be left
of it: no process, no mount, no socket.
"""

import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager, NoSuchKernel
from jupyter_client.manager import KernelManager

from support import processes
from support.client import START, Client

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CELLPOD_BUILD", REPOSITORY / "build"))

# What must not leak from the developer's session into the kernel under test.
FOREIGN = ("JUPYTER_", "JPY_", "IPYTHON", "CELLPOD_", "MPL")


def default_spec() -> dict:
    """For a build that nobody has installed yet."""
    return {
        "argv": [str(BUILD / "bin/cellpod-kernel"), "-f", "{connection_file}"],
        "display_name": "cellpod",
        "language": "python",
        "interrupt_mode": "message",
        "env": {"CELLPOD_PYTHON": sys.executable},
        "metadata": {"supported_encryption": ["curve"]},
    }


class Laboratory:
    def __init__(self, kernel_name: str):
        self.kernel_name = kernel_name
        self.root = Path(tempfile.mkdtemp(prefix="cellpod-e2e-", dir="/tmp"))
        self.runtime = self.folder("runtime")
        self.state = self.folder("state")
        self.work = self.folder("work")
        self.mounts = processes.mounts()
        self.saved_environment = dict(os.environ)
        self._enter()
        self._install_specs()

    def folder(self, name: str) -> Path:
        path = self.root / name
        path.mkdir(mode=0o700)
        return path

    def _enter(self) -> None:
        for name in list(os.environ):
            if name.startswith(FOREIGN):
                del os.environ[name]
        os.environ |= {
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_STATE_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(self.folder("settings")),
            "JUPYTER_PATH": str(self.folder("jupyter")),
            "JUPYTER_RUNTIME_DIR": str(self.folder("connections")),
            "JUPYTER_CONFIG_DIR": str(self.folder("config")),
            "JUPYTER_DATA_DIR": str(self.folder("data")),
            "IPYTHONDIR": str(self.folder("ipython")),
            "LC_ALL": "C.UTF-8",
        }

    def _install_specs(self) -> None:
        """The spec under test, and it once for each interrupt mode."""
        spec = self._find_spec()
        for name, mode in ((self.kernel_name, spec.get("interrupt_mode", "signal")),
                           ("under-test-message", "message"), ("under-test-signal", "signal")):
            self.install_spec(name, {**spec, "interrupt_mode": mode})

    def _find_spec(self) -> dict:
        try:
            found = KernelSpecManager().get_kernel_spec(self.kernel_name)
            spec = json.loads((Path(found.resource_dir) / "kernel.json").read_text())
        except NoSuchKernel:
            spec = default_spec()
        if BUILD != REPOSITORY / "build" and not self.is_ipykernel:
            spec["argv"][0] = str(BUILD / "bin/cellpod-kernel")
        return spec

    def install_spec(self, name: str, spec: dict) -> None:
        folder = Path(os.environ["JUPYTER_PATH"]) / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(json.dumps(spec))

    @contextmanager
    def on_python(self, python: str) -> Iterator[None]:
        """Kernels that start meanwhile have this one."""
        files = list((Path(os.environ["JUPYTER_PATH"]) / "kernels").glob("*/kernel.json"))
        texts = [file.read_text() for file in files]
        for file, text in zip(files, texts, strict=True):
            spec = json.loads(text)
            file.write_text(json.dumps({**spec, "env": {**spec.get("env", {}), "CELLPOD_PYTHON": python}}))
        try:
            yield
        finally:
            for file, text in zip(files, texts, strict=True):
                file.write_text(text)

    @property
    def is_ipykernel(self) -> bool:
        return self.kernel_name.startswith("python")

    def sandboxd(self) -> psutil.Process | None:
        return find_sandboxd(self.runtime)

    def logs(self) -> str:
        return logs_in(self.state)

    def close(self) -> None:
        try:
            self.end_sandboxd()
            left = processes.mounts() - self.mounts
            assert not left, f"mounts left: {left}"
            sockets = [path for path in self.root.rglob("*") if path.is_socket()]
            assert not sockets, f"socket files left: {sockets}"
        finally:
            os.environ.clear()
            os.environ |= self.saved_environment
            shutil.rmtree(self.root, ignore_errors=True)

    def end_sandboxd(self) -> None:
        end_sandboxd(self.runtime)


def find_sandboxd(runtime: Path) -> psutil.Process | None:
    """Who listens on the socket in this runtime folder."""
    for path in (runtime / "cellpod").glob("sandboxd*.sock"):
        with socket.socket(socket.AF_UNIX) as peer:
            try:
                peer.connect(str(path))
            except ConnectionRefusedError:
                continue
            credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            return psutil.Process(struct.unpack("3i", credentials)[0])
    return None


def end_sandboxd(runtime: Path) -> None:
    daemon = find_sandboxd(runtime)
    if daemon is None:
        return
    tree = [daemon, *daemon.children(recursive=True)]
    daemon.send_signal(signal.SIGTERM)
    processes.assert_all_end(tree, "sandboxd and its children")


class OrdinaryUser:
    """Somebody without privileges, on a machine where root runs the tests: with a home, a
    runtime folder, and so a sandboxd, of their own."""

    UID = 54321

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="cellpod-home-", dir="/var/tmp"))
        self.runtime, self.work = self.home / "run", self.home / "work"
        for folder in (self.runtime, self.work):
            folder.mkdir(mode=0o700)
        self.give(self.home, self.runtime, self.work)
        self.credentials = {"user": self.UID, "group": self.UID, "extra_groups": []}
        self.state = self.home / "state"
        self.environment = {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(self.runtime),
                            "XDG_STATE_HOME": str(self.state),
                            "XDG_CONFIG_HOME": str(self.home / "config")}

    def give(self, *paths: Path) -> None:
        for path in paths:
            if path.exists():
                os.chown(path, self.UID, self.UID)

    def close(self) -> None:
        try:
            end_sandboxd(self.runtime)
        finally:
            shutil.rmtree(self.home, ignore_errors=True)


def logs_in(state: Path) -> str:
    files = [path for path in state.rglob("*") if path.is_file()
             and path.suffix in (".log", ".txt", "")]
    return "\n".join(f"{path.name}:\n{tail(path)}" for path in files if is_text(path))


def is_text(path: Path) -> bool:
    with path.open("rb") as file:
        return b"\0" not in file.read(4096)


def tail(path: Path, size: int = 4000) -> str:
    if not path.exists():
        return "(gone)"
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - size))
        return file.read().decode(errors="replace")


def environment(changes: dict | None = None) -> dict:
    """For a kernel; ipykernel does not read descriptors 1 and 2 when it sees pytest."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    return {**own, **(changes or {})}


class Kernel:
    """One running kernel, its process, its log and its clients."""

    def __init__(self, laboratory: Laboratory):
        self.laboratory = laboratory
        self.clients: list[Client] = []
        self.own: list[psutil.Process] = []
        # Kept open: a manager gives it to the next process when it restarts the kernel.
        self.log_file = tempfile.NamedTemporaryFile(dir=laboratory.root, prefix="kernel-",
                                                    suffix=".log", delete=False)
        self.log = Path(self.log_file.name)
        self.process = self._launch()
        self.connection = self._connection()

    def _launch(self) -> subprocess.Popen:
        raise NotImplementedError

    def _connection(self) -> dict:
        raise NotImplementedError

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def client(self, **options) -> Client:
        client = Client(self.connection, **options)
        self.clients.append(client)
        return client

    def ready_client(self, **options) -> Client:
        return self.client(**options).ready()

    def wait_exit(self, timeout: float = 120) -> int:
        return self.process.wait(timeout)

    def log_text(self) -> str:
        return tail(self.log)

    def note_processes(self) -> None:
        """Remember what belongs to this kernel while it can still be found below it."""
        if self.is_alive:
            self.own += [p for p in processes.descendants(self.pid) if not self._is_shared(p)]

    def _sandboxd(self) -> psutil.Process | None:
        return self.laboratory.sandboxd()

    def _is_shared(self, process: psutil.Process) -> bool:
        """Also what has just ended, a checkpoint say: nobody has to wait for that."""
        daemon = self._sandboxd()
        try:
            return daemon is not None and (process == daemon or daemon in process.parents())
        except psutil.NoSuchProcess:
            return True

    def _stop(self) -> None:
        """As a manager does it: asks, then kills."""
        if self.is_alive:
            try:
                self.client().send("shutdown_request", {"restart": False}, "control")
                self.wait_exit()
            except subprocess.TimeoutExpired:
                os.killpg(self.pid, signal.SIGKILL)
                self.wait_exit()
                raise AssertionError("the kernel had to be killed") from None

    def close(self) -> None:
        try:
            try:
                self.note_processes()
            finally:
                self._stop()
            processes.assert_all_end(self.own, "the kernel's children")
        finally:
            for client in self.clients:
                client.close()
            self.log_file.close()


class ManagedKernel(Kernel):
    """Started by jupyter_client, as JupyterLab and nbclient do."""

    def __init__(self, laboratory: Laboratory, spec: str | None = None, cwd: Path | None = None,
                 env: dict | None = None, **traits):
        self.manager = KernelManager(kernel_name=spec or laboratory.kernel_name, **traits)
        self.options = {"cwd": str(cwd or laboratory.work), "env": environment(env)}
        super().__init__(laboratory)

    def _launch(self) -> subprocess.Popen:
        self.manager.start_kernel(stdout=self.log_file, stderr=subprocess.STDOUT, **self.options)
        return self.manager.provisioner.process

    def _connection(self) -> dict:
        return json.loads(Path(self.manager.connection_file).read_text())

    def restart(self, **options) -> None:
        """Same connection file, same ports; clients must connect anew only if they want to."""
        self.manager.restart_kernel(**options)
        self.process = self.manager.provisioner.process

    def close(self) -> None:
        try:
            super().close()
        finally:
            self.manager.cleanup_resources()


class DirectKernel(Kernel):
    """Started by hand on a connection file of the test's choice."""

    def __init__(self, laboratory: Laboratory, connection: dict | str | None, arguments=(),
                 env: dict | None = None, cwd: Path | None = None, new_session: bool = True,
                 program: Path | None = None, user: "OrdinaryUser | None" = None):
        folder = user.home if user else laboratory.root
        self.file = Path(tempfile.mkdtemp(dir=folder)) / "kernel.json"
        if connection is not None:
            text = connection if isinstance(connection, str) else json.dumps(connection)
            self.file.write_text(text)
            self.file.chmod(0o600)
        self.arguments = arguments
        self.program = program
        self.options = {"cwd": str(cwd or laboratory.work), "start_new_session": new_session}
        self.extra_env = env or {}
        self.user = user
        if user:
            user.give(self.file.parent, self.file)
            self.options |= {"cwd": str(user.work), **user.credentials}
            self.extra_env = {**user.environment, **self.extra_env}
        super().__init__(laboratory)

    def _sandboxd(self) -> psutil.Process | None:
        return find_sandboxd(self.user.runtime) if self.user else super()._sandboxd()

    def _launch(self) -> subprocess.Popen:
        return subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=self.log_file,
            stderr=subprocess.STDOUT, env=self.environment(), **self.options)

    def spec(self) -> KernelSpec:
        return KernelSpecManager().get_kernel_spec(self.laboratory.kernel_name)

    def command(self) -> list[str]:
        argv = [part.replace("{connection_file}", str(self.file)) for part in self.spec().argv]
        program = sys.executable if argv[0].startswith("python") else argv[0]
        return [str(self.program or program), *argv[1:], *self.arguments]

    def environment(self) -> dict:
        return environment({**self.spec().env, **self.extra_env})

    def _connection(self) -> dict:
        try:
            return json.loads(self.file.read_text())
        except (OSError, ValueError, RecursionError):
            return {}

    def start_again(self) -> None:
        self.log_file.truncate(0)
        self.process = self._launch()

    def reload(self) -> None:
        """The kernel has written its own ports into the file."""
        self.connection = self._connection()


_given_ports: set[int] = set()


def free_ports(count: int) -> list[int]:
    """Below those that Linux itself gives to whoever connects, or asks for any: one of those
    could be somebody's before the kernel has it."""
    end = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    ports: list[int] = []
    while len(ports) < count:
        port = random.randrange(10_000, end)
        with suppress(OSError):
            socket.create_server(("127.0.0.1", port)).close()
            if port not in _given_ports:
                ports.append(port)
        _given_ports.add(port)
    return ports


def connection_info(**changes) -> dict:
    """A valid connection file's content, but for the changes."""
    names = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
    info = {
        "transport": "tcp",
        "ip": "127.0.0.1",
        **dict(zip(names, free_ports(len(names)))),
        "key": "b2c6d1e0-5f0d",
        "signature_scheme": "hmac-sha256",
        "kernel_name": "under-test",
    }
    return {**info, **changes}


class SharedKernel:
    """One kernel for the tests of a module; replaced when a test has failed on it."""

    def __init__(self, laboratory: Laboratory, on_start: Callable[[], None]):
        self.laboratory = laboratory
        self.on_start = on_start
        self.kernel: ManagedKernel | None = None
        self.before = processes.sandbox_processes()

    def get(self) -> ManagedKernel:
        if self.kernel is None or not self.kernel.is_alive:
            self.spoil()
            self.kernel = ManagedKernel(self.laboratory)
            # The first request of a fresh sandbox may wait for the zygote to warm up.
            self.kernel.ready_client().run("pass", timeout=START)
            self.on_start()
        return self.kernel

    def spoil(self) -> None:
        kernel, self.kernel = self.kernel, None
        if kernel is not None:
            kernel.close()
            processes.assert_all_end(processes.sandbox_processes() - self.before, "its sandbox")

"""Zygote, init and worker spoken to directly, as cellpod-sandboxd does it."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import tempfile
import time
import uuid
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support.caches import cache_of

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = ROOT / "build/lib/cellpod"
WORKER = ROOT / "build/share/cellpod/worker"
PYTHON = ROOT / ".venv/bin/python"

CLONE_NEWUSER = 0x10000000
PATIENCE = 600

LIMITS = {"memory_mb": None, "pids": 512, "nofile": 4096, "tmp_mb": 256, "is_metered": False}


class Refused(Exception):
    """A `failed` message, in `report`."""

    def __init__(self, report: dict):
        super().__init__(f"{report['message']}; remedy: {report.get('remedy')}")
        self.report = report


@dataclass
class Outcome:
    """What one execute_request led to."""

    stdout: str = ""
    stderr: str = ""
    reply: dict = field(default_factory=dict)
    messages: list[tuple[str, dict]] = field(default_factory=list)

    @property
    def error(self) -> str | None:
        if self.reply.get("status") != "error":
            return None
        return f"{self.reply['ename']}: {self.reply['evalue']}"


def _receive(peer: socket.socket) -> tuple[dict, list[int]]:
    text, fds, _, _ = socket.recv_fds(peer, 1 << 20, 4)
    if not text:
        raise EOFError("the peer has closed its socket")
    return json.loads(text), fds


def _hear(peer: socket.socket) -> dict:
    """A message whose descriptors nobody here wants."""
    message, fds = _receive(peer)
    for fd in fds:
        os.close(fd)
    return message


def _pair(kind: int) -> tuple[socket.socket, socket.socket]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
    ours.settimeout(PATIENCE)
    return ours, theirs


class Zygote:
    """One zygote process; `uid` makes it an ordinary user's."""

    def __init__(
        self,
        python: Path | str = PYTHON,
        uid: int | None = None,
        env: dict[str, str] | None = None,
        worker: Path = WORKER,
        libraries: Path = LIBRARIES,
        groups: list[int] | None = None,
    ):
        self.uid = uid
        self.channel, theirs = _pair(socket.SOCK_SEQPACKET)
        command = [str(python), "-I", "-X", "utf8", str(worker / "zygote.py"), str(libraries),
                   "own"]
        user = {} if uid is None else {"user": uid, "group": uid, "extra_groups": []}
        if groups is not None:
            user["extra_groups"] = groups
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command,
            preexec_fn=lambda: os.dup2(theirs.fileno(), 3),
            pass_fds=[3],
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": cache_of(uid),
                 "XDG_CACHE_HOME": cache_of(uid), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            cwd="/",
            **user,
        )
        theirs.close()
        self.ready = self._first_message()

    def _first_message(self) -> dict:
        try:
            message = _hear(self.channel)
        except EOFError:
            raise RuntimeError(f"the zygote has died: {self.log_text()}") from None
        if message["type"] == "failed":
            self.close()
            raise Refused(message)
        return message

    @property
    def is_root(self) -> bool:
        return self.uid is None and os.getuid() == 0

    def spawn(self, spec: dict) -> "Sandbox":
        return Sandbox(self, spec)

    def spec(self, workspace: Path | None = None, **fields) -> dict:
        """A spec with every field, as for this zygote's user."""
        return {
            "sandbox_uid": 1879100000 + int.from_bytes(os.urandom(2), "big")
            if self.is_root
            else None,
            "cwd": str(workspace or "/workspace"),
            "workspace": {"path": str(workspace), "mode": "rw"} if workspace else None,
            "mounts": [],
            "state": None,
            "env": {"LANG": "C.UTF-8"},
            "limits": LIMITS,
            "idmap": self.is_root and workspace is not None,
            "proxy_port": None,
            "waive": [],
        } | fields

    def log_text(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def close(self) -> None:
        self.channel.close()
        self.process.wait(PATIENCE)
        self.log.close()

    def __enter__(self) -> "Zygote":
        return self

    def __exit__(self, *_) -> None:
        self.close()


@contextmanager
def owner_map(owner: int, inside: int):
    """A user namespace in which `inside` owns what `owner` owns on disk."""
    libc = ctypes.CDLL(None, use_errno=True)
    made_here, made_there = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        made_here.close()
        made_there.send(bytes([libc.unshare(CLONE_NEWUSER) & 1]))
        made_there.recv(1)
        os._exit(0)
    try:
        if made_here.recv(1) != b"\0":
            raise OSError("no user namespace for the owner's map")
        for kind in ("uid_map", "gid_map"):
            Path(f"/proc/{pid}/{kind}").write_text(f"{owner} {inside} 1")
        fd = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        made_here.close()
        made_there.close()
        os.waitpid(pid, 0)
    try:
        yield fd
    finally:
        os.close(fd)


class Sandbox:
    """An init and its worker."""

    def __init__(self, zygote: Zygote, spec: dict):
        self.zygote = zygote
        self.init, theirs = _pair(socket.SOCK_SEQPACKET)
        self.channel: socket.socket | None = None
        self.pid, self.pidfd = -1, -1
        self.worker_pidfd = -1
        self._inbox = b""
        started = time.monotonic()
        with theirs:
            self._ask(spec, theirs)
        self._expect_ready()
        self.spawn_ms = (time.monotonic() - started) * 1000

    def _ask(self, spec: dict, theirs: socket.socket) -> None:
        request = {"type": "spawn", "id": uuid.uuid4().hex, "spec": spec}
        text = [json.dumps(request).encode()]
        if spec["idmap"]:
            owner = os.stat(spec["workspace"]["path"]).st_uid
            with owner_map(owner, spec["sandbox_uid"]) as map_fd:
                socket.send_fds(self.zygote.channel, text, [theirs.fileno(), map_fd])
                answer, fds = _receive(self.zygote.channel)
        else:
            socket.send_fds(self.zygote.channel, text, [theirs.fileno()])
            answer, fds = _receive(self.zygote.channel)
        if answer["type"] == "failed":
            self.close()
            raise Refused(answer)
        self.pid, self.pidfd = answer["pid"], fds[0]

    def _expect_ready(self) -> None:
        message = _hear(self.init)
        if message["type"] == "failed":
            self.close()
            raise Refused(message)
        self.notice = message.get("notice", "")

    def start(self) -> dict:
        """Start a worker; returns its hello."""
        self.channel, theirs = _pair(socket.SOCK_STREAM)
        self._inbox = b""
        with theirs:
            socket.send_fds(self.init, [b'{"type":"start"}'], [theirs.fileno()])
        message, fds = _receive(self.init)
        assert message["type"] == "started", message
        self.worker_pidfd = fds[0]
        line, content = self._read_envelope()
        assert line["type"] == "hello", line
        return content

    def run(self, code: str) -> Outcome:
        """Run a cell."""
        request_id = uuid.uuid4().hex
        self._send("execute_request", request_id, {
            "code": code, "silent": False, "store_history": False,
            "user_expressions": {}, "allow_stdin": False, "stop_on_error": True,
        })
        outcome = Outcome()
        while True:
            line, content = self._read_envelope()
            outcome.messages.append((line["type"], content))
            if line["type"] == "stream" and content["name"] == "stdout":
                outcome.stdout += content["text"]
            elif line["type"] == "stream":
                outcome.stderr += content["text"]
            elif line["type"] == "execute_reply" and line["parent"] == request_id:
                outcome.reply = content
                return outcome

    def exited(self) -> dict:
        message = _hear(self.init)
        assert message["type"] == "exited", message
        return message

    def _send(self, kind: str, request_id: str, content: dict) -> None:
        body = json.dumps(content).encode()
        line = json.dumps({"type": kind, "id": request_id, "bytes": len(body)}).encode()
        self.channel.sendall(line + b"\n" + body + b"\n")

    def _read_envelope(self) -> tuple[dict, dict]:
        while b"\n" not in self._inbox:
            self._fill()
        head, _, rest = self._inbox.partition(b"\n")
        line = json.loads(head)
        length = line.get("bytes", 0)
        total = length + line.get("metadata", 0) + sum(line.get("buffers", [])) + 1
        while len(rest) < total:
            self._fill()
            rest = self._inbox[len(head) + 1 :]
        self._inbox = rest[total:]
        return line, json.loads(rest[:length] or b"{}")

    def _fill(self) -> None:
        data = self.channel.recv(1 << 20)
        if not data:
            raise EOFError("the worker has closed its channel")
        self._inbox += data

    def close(self) -> None:
        self.init.close()
        if self.channel:
            self.channel.close()
        for fd in (self.pidfd, self.worker_pidfd):
            if fd >= 0:
                os.close(fd)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_) -> None:
        self.close()

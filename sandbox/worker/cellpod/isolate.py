"""libcellpod-isolate.so for Python: the structs of isolate.h, and its functions."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from ctypes import POINTER, c_char, c_char_p, c_int, c_int32, c_int64, c_uint32
from typing import NamedTuple

OWN, POD = range(2)  # enum isolate_mode

BIND_WRITABLE = 1
BIND_USERS = 2
BIND_IF_THERE = 4
BIND_STATE = 8


class Bind(NamedTuple):
    """A folder of the host, and where it is in the sandbox."""

    source: str
    target: str
    flags: int = 0


class Failure(Exception):
    """A wall that cannot be put up: which, why, and what helps."""

    def __init__(self, layer: str, step: str, errno: int, message: str, remedy: str):
        super().__init__(message)
        self.report = {
            "type": "failed",
            "code": "isolation",
            "layer": layer,
            "step": step,
            "errno": errno,
            "message": message,
            "remedy": remedy,
        }


class _Failure(ctypes.Structure):
    _fields_ = [
        ("layer", c_char_p),
        ("sys", c_int),
        ("step", c_char * 160),
        ("message", c_char * 256),
        ("remedy", c_char * 512),
        ("notice", c_char * 384),
    ]


class _Bind(ctypes.Structure):
    _fields_ = [("source", c_char_p), ("target", c_char_p), ("flags", c_uint32)]


class Plan(ctypes.Structure):
    """Everything that isolate_enter needs to know. Keeps its strings alive."""

    _fields_ = [
        ("binds", POINTER(_Bind)),
        ("bind_count", c_uint32),
        ("waived", c_uint32),
        ("sandbox_id", c_int64),
        ("idmap", c_int32),
        ("pids", c_uint32),
        ("nofile", c_uint32),
        ("tmp_mb", c_uint32),
        ("proxy_port", c_uint32),
        ("memory_mb", c_uint32),
        ("is_metered", c_uint32),
        ("cwd", c_char_p),
    ]


def make_plan(
    binds: Sequence[Bind],
    *,
    waived: int,
    sandbox_id: int | None,
    has_idmap: bool,
    limits: dict,
    proxy_port: int,
    cwd: str,
) -> Plan:
    rows = (_Bind * len(binds))(
        *(_Bind(os.fsencode(b.source), os.fsencode(b.target), b.flags) for b in binds)
    )
    return Plan(
        binds=rows,
        bind_count=len(binds),
        waived=waived,
        sandbox_id=-1 if sandbox_id is None else sandbox_id,
        idmap=IDMAP_FD if has_idmap else -1,
        pids=limits["pids"],
        nofile=limits["nofile"],
        tmp_mb=limits["tmp_mb"],
        proxy_port=proxy_port,
        memory_mb=limits["memory_mb"] or 0,
        is_metered=limits["is_metered"],
        cwd=os.fsencode(cwd),
    )


# Where isolate_keep_only puts what it keeps.
SOCKET_FD = 3
IDMAP_FD = 4

MESSAGE_BYTES = 65536


class Library:
    def __init__(self, folder: str):
        path = os.path.join(folder, "libcellpod-isolate.so")
        # PyDLL keeps the interpreter's lock: forks must happen inside it.
        self._c = ctypes.PyDLL(path, use_errno=True)
        self._c.pid1_await.restype = ctypes.c_ssize_t
        self._c.isolate_waiver.restype = c_uint32
        self._failure = _Failure()
        self.memory_mb = 0  # of the sandbox, for what is told to the user
        self.notice = ""  # of what the walls had to leave out
        self._message = ctypes.create_string_buffer(MESSAGE_BYTES)

    def _call(self, name: str, *arguments) -> int:
        result = getattr(self._c, name)(*arguments, ctypes.byref(self._failure))
        if result < 0:
            f = self._failure
            raise Failure(
                f.layer.decode(),
                f.step.decode(errors="replace"),
                f.sys,
                f.message.decode(errors="replace"),
                f.remedy.decode(errors="replace"),
            )
        return result

    def waivers(self, names: Sequence[str]) -> int:
        bits = 0
        for name in names:
            bit = self._c.isolate_waiver(name.encode())
            if not bit:
                raise ValueError(f"{name!r} is not a layer that can be waived")
            bits |= bit
        return bits

    def prepare(self, *, is_pod: bool) -> None:
        self._call("isolate_prepare", c_int(POD if is_pod else OWN))

    def compile(self) -> None:
        self._call("isolate_compile")

    def spawn(self, waived: int) -> tuple[int, int]:
        """fork() into new namespaces; (0, -1) in the child, (pid, pidfd) in the parent."""
        pidfd = c_int(-1)
        python = ctypes.pythonapi
        python.PyOS_BeforeFork()
        try:
            pid = self._call("isolate_spawn", c_uint32(waived), ctypes.byref(pidfd))
        except Failure:
            python.PyOS_AfterFork_Parent()
            raise
        if pid == 0:
            python.PyOS_AfterFork_Child()
        else:
            python.PyOS_AfterFork_Parent()
        return pid, pidfd.value

    def keep_only(self, keep: int, idmap: int | None) -> None:
        self._call("isolate_keep_only", keep, -1 if idmap is None else idmap)

    def enter(self, plan: Plan) -> int:
        """All walls. Returns the listening socket of the proxy, or -1."""
        listener = c_int(-1)
        self._call("isolate_enter", ctypes.byref(plan), ctypes.byref(listener))
        self.notice = self._failure.notice.decode(errors="replace")
        return listener.value

    def prepare_init(self) -> None:
        """Before the walls, which may forbid to share memory."""
        self._check(self._c.pid1_prepare(), "share a page with workers")

    def begin_init(self) -> None:
        self._check(self._c.pid1_begin(), "start reaping")

    def await_message(self) -> tuple[bytes, int]:
        """The next message for init, and the descriptor beside it or -1."""
        fd = c_int(-1)
        length = self._c.pid1_await(
            SOCKET_FD, self._message, ctypes.c_size_t(MESSAGE_BYTES), ctypes.byref(fd)
        )
        return self._message.raw[:length], fd.value

    def report_start(self, worker: int) -> None:
        self._check(self._c.pid1_report_start(SOCKET_FD, worker), "report the worker")

    def name_successor(self, pid: int) -> None:
        self._c.pid1_name_successor(pid)

    def leave_an_orphan(self) -> None:
        """In a fork: returns in a process that is init's child (orphan.h)."""
        self._c.orphan_move_on()

    def begin_worker(self, channel: int) -> None:
        self._check(self._c.pid1_begin_worker(channel), "set the worker apart")

    @staticmethod
    def _check(result: int, what: str) -> None:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, f"{what}: {os.strerror(number)}")

"""Process 1 of a sandbox: behind all walls, it forks workers and reaps what they leave.

Messages: docs/sandbox-protocol.md, section 3. As untrusted as the worker.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from cellpod.isolate import SOCKET_FD, Failure, Library, Plan

HOME = "/home/sandbox"

Worker = Callable[..., NoReturn]


def run(
    library: Library, plan: Plan, env: dict[str, str], workspace: str, worker: Worker
) -> NoReturn:
    """Lock this process in, then serve. Descriptor 3 is init's socket."""
    try:
        library.prepare_init()
        listener = library.enter(plan)
        library.begin_init()
        set_environment(env)
    except Failure as failure:
        _send(failure.report)
        os._exit(1)
    except Exception as error:
        _send(failure_of(error))
        os._exit(1)
    report_ready(workspace, env["HOME"], listener, library.notice)
    serve(library, worker)


def failure_of(error: Exception) -> dict:
    """In words for the user; Python has none for want of memory."""
    number = getattr(error, "errno", 0) or 0
    message = getattr(error, "strerror", None) or str(error)
    if isinstance(error, MemoryError):
        number, message = errno.ENOMEM, os.strerror(errno.ENOMEM)
    remedy = "no memory left: end some programs or sandboxes" if number == errno.ENOMEM else ""
    return {
        "type": "failed",
        "code": "init",
        "layer": "processes",
        "step": "start",
        "errno": number,
        "message": message,
        "remedy": remedy,
    }


def report_ready(workspace: str, scratch: str, listener: int, notice: str) -> None:
    """With the workspace and scratch, as they are seen from here, and what listens for the
    proxy. Nobody's code has run yet: they are what they are said to be."""
    fds = [os.open(path, os.O_PATH | os.O_DIRECTORY) for path in (workspace, scratch)]
    if listener >= 0:
        fds.append(listener)
    _send({"type": "ready"} | ({"notice": notice} if notice else {}), fds)
    for fd in fds:
        os.close(fd)


def set_environment(env: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    tempfile.tempdir = None  # looked up anew


def serve(library: Library, worker: Worker) -> NoReturn:
    while True:
        text, channel = library.await_message()
        if channel < 0 or json.loads(text).get("type") != "start":
            os._exit(1)
        pid = os.fork()
        if pid == 0:
            become_worker(library, channel, worker)
        os.close(channel)
        library.report_start(pid)


def become_worker(library: Library, channel: int, worker: Worker) -> NoReturn:
    try:
        library.begin_worker(channel)
        reseed()
        worker(socket.socket(fileno=channel), home=Path(os.environ["HOME"]), init=library)
    finally:
        os._exit(70)  # EX_SOFTWARE: a worker does not return


def reseed() -> None:
    """Workers are copies of one process: numpy's global generator does not notice, as
    Python's own does. One that is not loaded yet will be seeded then."""
    generator = sys.modules.get("numpy.random")
    if generator is not None:
        generator.seed()


def _send(message: dict, fds: Sequence[int] = ()) -> None:
    with socket.socket(fileno=os.dup(SOCKET_FD)) as peer:
        socket.send_fds(peer, [json.dumps(message).encode()], fds)

"""Process 1 of a sandbox: behind all walls, it forks workers and reaps what they leave.

Messages: docs/sandbox-protocol.md, section 3. As untrusted as the worker.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import NoReturn

from cellpod.isolate import SOCKET_FD, Failure, Library, Plan

HOME = "/home/sandbox"

Worker = Callable[..., NoReturn]


def run(library: Library, plan: Plan, env: dict[str, str], worker: Worker) -> NoReturn:
    """Lock this process in, then serve. Descriptor 3 is init's socket."""
    try:
        listener = library.enter(plan)
        library.begin_init()
        set_environment(env)
    except Failure as failure:
        _send(failure.report)
        os._exit(1)
    except Exception as error:
        _send({"type": "failed", "code": "init", "layer": "processes", "step": "start",
               "errno": getattr(error, "errno", 0) or 0, "message": str(error), "remedy": ""})
        os._exit(1)
    library.report_ready(listener)
    serve(library, worker)


def set_environment(env: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(env)
    time.tzset()


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
        worker(socket.socket(fileno=channel), init=library)
    finally:
        os._exit(70)  # EX_SOFTWARE: a worker does not return


def reseed() -> None:
    """Workers are copies of one process: numpy's global generator does not notice, as
    Python's own does."""
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()


def _send(message: dict) -> None:
    with socket.socket(fileno=os.dup(SOCKET_FD)) as peer:
        peer.send(json.dumps(message).encode())

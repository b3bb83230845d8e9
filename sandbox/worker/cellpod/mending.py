"""Pools of processes in a checkpoint that was woken: their threads are gone, and their pipes.

One that its library makes anew is forgotten; one of the user's says that it has ended, for it would
wait for ever.
"""

import contextlib
import os
import signal
import sys
from typing import Any

_forgotten: list[Any] = []  # kept alive: as they end they would talk to threads that are gone


def mend() -> None:
    for name in ("joblib.externals.loky.reusable_executor", "loky.reusable_executor"):
        module = sys.modules.get(name)
        if module is not None and getattr(module, "_executor", None) is not None:
            _end_processes(module._executor)
            _forgotten.append(module._executor)
            module._executor = None
    if "multiprocessing.pool" in sys.modules:
        with contextlib.suppress(AttributeError):  # of another Python's
            _end_pools()


def _end_processes(executor: Any) -> None:
    for process in list((getattr(executor, "_processes", None) or {}).values()):
        with contextlib.suppress(OSError):
            os.kill(process.pid, signal.SIGKILL)


def _end_pools() -> None:
    from multiprocessing import pool, util

    for finalizer in list(util._finalizer_registry.values()):
        if finalizer._callback == pool.Pool._terminate_pool:
            found = finalizer._weakref()
            if found is not None:
                found._state = pool.CLOSE

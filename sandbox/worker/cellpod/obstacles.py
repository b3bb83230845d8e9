"""Libraries whose threads do not live on in a fork: paused before it, or told to the user."""

import ctypes
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import threads

_GNU_OPENMP = re.compile(r"/libgomp\b[^/]*\.so[^/]*$")
_PAUSE_HARD = 2  # omp_pause_hard: threads and their memory go, and come back when they are used
_RTLD_NOLOAD = 4


class Obstacle(Exception):
    """What has no checkpoint, and why: one sentence."""


@dataclass(frozen=True)
class Library:
    """A row: of a module that is imported, whether it is in the way, and why."""

    module: str
    is_in_the_way: Callable[[Any], bool]
    why: str


def _is_running(*names: str) -> Callable[[Any], bool]:
    """Threads of these names, as the library calls them."""
    return lambda _module: any(name.startswith(names) for name in threads.names())


def _has_backends(_jaxlib: Any) -> bool:
    """Its threads have no names in a sandbox: they are written to /proc, by another thread."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bool(getattr(bridge, "_backends", True))


def _has_context(_tensorflow: Any) -> bool:
    """Made by the first operation; the import alone starts nothing."""
    eager = sys.modules.get("tensorflow.python.eager.context")
    context = getattr(eager, "_context", None)
    return getattr(context, "_context_handle", None) is not None


def _runs_on_gnu_openmp(numba: Any) -> bool:
    try:
        return numba.threading_layer() == "omp"
    except ValueError:  # nothing has run in parallel
        return False


TABLE = (
    Library("polars", _is_running("polars-"),
            "polars computes in threads that a copy of the worker would not have"),
    Library("jaxlib", _has_backends,
            "JAX computes in threads that a copy of the worker would not have"),
    Library("tensorflow", _has_context,
            "TensorFlow computes in threads that a copy of the worker would not have"),
    Library("grpc", _is_running("grpc_", "event_engine"),
            "gRPC waits for answers in threads that a copy of the worker would not have"),
    Library("ray", lambda ray: ray.is_initialized(),
            "Ray talks to its cluster in threads that a copy of the worker would not have"),
    Library("numba", _runs_on_gnu_openmp,
            "numba runs in parallel on GNU OpenMP, which ends a copy of its process "
            "(numba.config.THREADING_LAYER = 'workqueue' is another way)"),
    Library("debugpy.server.api", lambda api: api.listen.called,
            "a debugger was started, whose threads a copy of the worker would not have"),
)  # fmt: skip


def clear() -> None:
    """Get ready for a fork. Raises Obstacle if it would be of no use."""
    for library in TABLE:
        module = sys.modules.get(library.module)
        if module is not None and library.is_in_the_way(module):
            raise Obstacle(library.why)
    for path in _gnu_openmp_runtimes():
        _pause(path)


def _pause(path: str) -> None:
    try:
        pause = ctypes.CDLL(path, os.RTLD_NOW | _RTLD_NOLOAD).omp_pause_resource_all
    except (OSError, AttributeError):
        raise Obstacle(f"{os.path.basename(path)} is too old to be paused") from None
    pause(_PAUSE_HARD)


def _gnu_openmp_runtimes() -> set[str]:
    """GNU's, wherever they came from: wheels bring their own. Intel's and LLVM's begin anew in a
    fork by themselves; paused twice, they would wait for their own lock at the next fork for ever."""
    with open("/proc/self/maps") as maps:
        paths = {line.rstrip("\n").partition("/")[2] for line in maps if "gomp" in line}
    return {f"/{path}" for path in paths if _GNU_OPENMP.search(f"/{path}")}

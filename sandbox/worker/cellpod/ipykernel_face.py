"""Modules named ipykernel.*, for libraries that look for them.

Whether code runs in a notebook is often found out by a look into sys.modules. If ipykernel
is installed, its other modules can still be imported from there.
"""

import importlib.metadata
import importlib.util
import sys
from types import ModuleType
from typing import NoReturn

from . import comms, shell, streams

_CONNECT = ("get_connection_file", "get_connection_info", "connect_qtconsole")


def install() -> None:
    if "ipykernel" in sys.modules:
        return
    package = ModuleType("ipykernel", __doc__)
    package.__path__ = _real_path()
    package.__version__ = _version()
    package.version_info = tuple(int(part) for part in package.__version__.split(".")[:3])
    sys.modules["ipykernel"] = package
    _add(
        package,
        "zmqshell",
        ZMQInteractiveShell=shell.ZMQInteractiveShell,
        ZMQDisplayPublisher=shell.ZMQDisplayPublisher,
    )
    _add(package, "iostream", OutStream=streams.OutStream)
    _add(package, "connect", **dict.fromkeys(_CONNECT, _refuse_to_connect))
    package.__dict__.update(dict.fromkeys(_CONNECT, _refuse_to_connect))
    _add(package, "displayhook", ZMQShellDisplayHook=shell.ZMQShellDisplayHook)
    _add(package, "comm", Comm=comms.Comm, CommManager=comms.CommManager).__path__ = []
    _add(package.comm, "comm", Comm=comms.Comm, BaseComm=comms.Comm)
    _add(package.comm, "manager", CommManager=comms.CommManager)


def _add(package: ModuleType, name: str, **contents: object) -> ModuleType:
    module = ModuleType(f"{package.__name__}.{name}", __doc__)
    module.__dict__.update(contents)
    sys.modules[module.__name__] = module
    setattr(package, name, module)
    return module


def _refuse_to_connect(*_args: object, **_kwargs: object) -> NoReturn:
    raise RuntimeError(
        "The kernel's connection file is not in the sandbox: who has it can run code in the "
        "notebook. Outside, `jupyter console --existing` finds it."
    )


def _real_path() -> list[str]:
    spec = importlib.util.find_spec("ipykernel")
    return list(spec.submodule_search_locations or ()) if spec else []


def _version() -> str:
    try:
        return importlib.metadata.version("ipykernel")
    except importlib.metadata.PackageNotFoundError:
        return "7.0.0"

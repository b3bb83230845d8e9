"""Packages that a cell installs: into an environment in the sandbox's own home.

The template's environment is read-only. On top of it lies another one, ~/.venv, whose
Python sees the template's packages behind its own: so pip installs what is missing, leaves
alone what it cannot change, and its programs come first in PATH. It lives in the scratch
file system: as long as the sandbox, through restarts of the worker, and no longer.
"""

import importlib
import os
import site
import sys
import sysconfig
import venv
from pathlib import Path

_NAME = ".venv"
_PIP = '#!/bin/sh\nexec "{python}" -m pip "$@"\n'


def is_wanted_from_the_start() -> bool:
    """Where packages can be fetched, `!pip` shall work as `%pip` does."""
    return bool(os.environ.get("HTTPS_PROXY"))


def ensure(home: Path) -> None:
    """Make the environment unless it is there, and use it from now on."""
    folder = home / _NAME
    if sys.executable == str(folder / "bin/python"):
        return
    if not folder.exists():
        _make(folder)
    _use(folder)


def refresh(home: Path) -> list[str]:
    """See what was installed. Returns the modules that had been imported from elsewhere
    before: this process goes on with those."""
    own = _site(home / _NAME)
    importlib.invalidate_caches()
    site.addsitedir(str(own))
    return sorted(
        entry.stem
        for entry in own.iterdir()
        if (entry.suffix == ".py" or (entry / "__init__.py").exists())
        and _comes_from_elsewhere(entry.stem, own)
    )


def _comes_from_elsewhere(name: str, own: Path) -> bool:
    file = getattr(sys.modules.get(name), "__file__", None)
    return file is not None and not file.startswith(f"{own}/")


def _site(folder: Path) -> Path:
    paths = {"base": str(folder), "platbase": str(folder)}
    return Path(sysconfig.get_path("purelib", "venv", paths))


def _make(folder: Path) -> None:
    started_with = [path for path in site.getsitepackages() if os.path.isdir(path)]
    venv.EnvBuilder(symlinks=True).create(folder)
    lines = [f"import site; site.addsitedir({path!r})" for path in started_with]
    (_site(folder) / "_template.pth").write_text("\n".join(lines) + "\n")
    for name in ("pip", "pip3"):
        program = folder / "bin" / name
        program.write_text(_PIP.format(python=folder / "bin/python"))
        program.chmod(0o755)


def _use(folder: Path) -> None:
    """Its packages come before the template's, as they do in its own Python."""
    own, theirs = str(_site(folder)), set(site.getsitepackages())
    if own not in sys.path:
        first = next((n for n, path in enumerate(sys.path) if path in theirs), len(sys.path))
        sys.path.insert(first, own)
    sys.executable = str(folder / "bin/python")
    os.environ["VIRTUAL_ENV"] = str(folder)
    os.environ["PATH"] = f"{folder / 'bin'}:{os.environ.get('PATH', os.defpath)}"

"""Packages that were loaded before anybody asked for them, out of sight until somebody does.

A package that lies here is in no `sys.modules`. Who imports it gets it if it is the one that
Python would load now, and so are all that it uses: a `seaborn.py` in the notebook's folder, or
what a cell puts into `sys.path`, comes first as it would without any of this.
"""

import builtins
import importlib
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

Spec = importlib.machinery.ModuleSpec
_Place = tuple[str | None, tuple[str, ...]]


@dataclass
class _Package:
    modules: dict[str, ModuleType]  # it, and those beneath it
    place: _Place


_shelved: dict[str, _Package] = {}
_uses: dict[str, set[str]] = {}  # the packages that one has imported, itself left out


def load(name: str) -> None:
    """Imports it, and lays what came with it on the shelf. Raises as an import does."""
    before = {_package_of(each) for each in sys.modules}
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    with _noting_imports():
        try:
            importlib.import_module(name)
        finally:
            for package in {_package_of(each) for each in sys.modules} - before:
                _shelve(package)


def holds(name: str) -> bool:
    package = _shelved.get(_package_of(name))
    return package is not None and name in package.modules


def _package_of(name: str) -> str:
    return name.partition(".")[0]


def _place_of(spec: Spec | None) -> _Place:
    if spec is None:
        return None, ()
    return spec.origin, tuple(spec.submodule_search_locations or ())


def _shelve(package: str) -> None:
    spec = getattr(sys.modules.get(package), "__spec__", None)
    if spec is None:  # not found by a finder, but made by somebody, such as Cython
        return
    names = [name for name in sys.modules if _package_of(name) == package]
    _shelved[package] = _Package({name: sys.modules.pop(name) for name in names}, _place_of(spec))


@contextmanager
def _noting_imports() -> Iterator[None]:
    original = builtins.__import__

    def noting(
        name: str,
        globals: dict[str, Any] | None = None,  # noqa: A002 -- as Python calls it
        locals: Any = None,  # noqa: A002
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        user, used = _package_of((globals or {}).get("__name__") or ""), _package_of(name)
        if level == 0 and user != used:
            _uses.setdefault(user, set()).add(used)
        return original(name, globals, locals, fromlist, level)

    builtins.__import__ = noting  # type: ignore[assignment]
    try:
        yield
    finally:
        builtins.__import__ = original


# --- who asks for one --------------------------------------------------------------------------
def _with_what_it_uses(name: str) -> list[str]:
    """All that lie here; this one first."""
    found = [name]
    for each in found:  # grows meanwhile
        found += [u for u in _uses.get(each, ()) if u in _shelved and u not in found]
    return found


def _found_elsewhere(name: str) -> Spec | None:
    """What the other finders say of it."""
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        spec = find(name, None) if find and finder is not _finder else None
        if spec is not None:
            return spec
    return None


def _forget(name: str) -> None:
    """It is not the one that is meant, so nothing that uses it may be handed out, either."""
    for user in [each for each in list(_shelved) if name in _with_what_it_uses(each)]:
        _shelved.pop(user, None)


class _Finder:
    """Of `sys.meta_path`."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Spec | None:
        if name not in _shelved:
            return None
        asked = None
        for package in _with_what_it_uses(name):
            spec = _found_elsewhere(package)
            if package not in _shelved or _place_of(spec) != _shelved[package].place:
                _forget(package)
                return None
            asked = asked or spec
        if asked is not None:
            asked.loader = _Loader(name, asked.loader)  # type: ignore[assignment]
        return asked


class _Loader:
    """Hands out what is there. Whatever else a loader does, the file's own does."""

    def __init__(self, name: str, own: Any) -> None:
        self._name = name
        self._own = own
        self._spec: Spec | None = None  # with which it was loaded

    def create_module(self, spec: Spec) -> ModuleType | None:
        package = _shelved.get(self._name)
        if package is None:  # another thread was quicker, and it was deleted since
            spec.loader = self._own
            return self._own.create_module(spec)
        module = package.modules[self._name]
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        if self._spec is None:
            self._own.exec_module(module)
            return
        module.__spec__ = self._spec
        for package in _with_what_it_uses(self._name) if self._name in _shelved else ():
            for name, each in _shelved.pop(package).modules.items():
                sys.modules.setdefault(name, each)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


_finder = _Finder()

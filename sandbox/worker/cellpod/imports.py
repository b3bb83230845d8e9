"""What cells import, told to sandboxd, which remembers it for the next zygote."""

import ast
import importlib.machinery
import site
import sys
from collections.abc import Iterator

from .channel import Channel
from .preload import MOST_NAMES, is_name

# The zygote has them anyway.
_KNOWN = {"IPython", "numpy", "pandas", "matplotlib"}


class Imports:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._told: set[str] = set()

    def after_cell(self, code: object) -> None:
        if not isinstance(code, str) or "import" not in code or len(self._told) >= MOST_NAMES:
            return
        names = {name for name in _named(code) if name in sys.modules and is_name(name)}
        new = sorted(name for name in names - self._told if _is_installed(name))
        new = new[: MOST_NAMES - len(self._told)]
        if new:
            self._told.update(new)
            self._channel.send("imports", None, {"names": new})


def _named(code: str) -> Iterator[str]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # magics; it need not be told
        tree = ast.parse("\n".join(line for line in code.splitlines() if _is_import(line)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _is_import(line: str) -> bool:
    return line.startswith(("import ", "from ")) and not line.rstrip().endswith(("(", "\\"))


def _is_installed(name: str) -> bool:
    """With the interpreter, not by the notebook: what cells install is theirs alone."""
    package = name.partition(".")[0]
    if package in _KNOWN or package in sys.stdlib_module_names:
        return False
    return importlib.machinery.PathFinder.find_spec(package, site.getsitepackages()) is not None

"""Running `cellpod`, the command line, as a user does."""

import os
import subprocess
from pathlib import Path

from support.kernel import BUILD, REPOSITORY

# The Python with the packages, where others can reach it too.
PYTHON = REPOSITORY / ".venv/bin/python"
PROGRAM = BUILD / "bin/cellpod"


def cellpod(*arguments, cwd: Path | None = None, env: dict | None = None, stdin: str = "",
            timeout: float = 120, program=(PROGRAM,), **options) -> subprocess.CompletedProcess:
    """Text in, text out; sys.executable's packages unless `env` says otherwise."""
    return subprocess.run(
        [*map(str, program), *map(str, arguments)], cwd=cwd, input=stdin, text=True,
        capture_output=True, timeout=timeout,
        env={**os.environ, "CELLPOD_PYTHON": str(PYTHON), **(env or {})}, **options)

"""What Python keeps of fonts and modules: one folder for all that a run starts, since finding it
out anew takes a second each time."""

import os
import tempfile
from pathlib import Path


def cache_of(uid: int | None = None) -> str:
    """Of this user, or of whoever runs the tests. The name is one that support/leftovers.py skips."""
    uid = os.getuid() if uid is None else uid
    folder = Path(tempfile.gettempdir()) / f"pytest-cache-{uid}"
    if not folder.exists():
        folder.mkdir()
        os.chown(folder, uid, -1)
    return str(folder)

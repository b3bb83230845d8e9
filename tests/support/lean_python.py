"""A Python that has IPython and little else, for the tests whose cells need no more.

Every sandboxd loads pandas, matplotlib and jedi into its zygote, and each pod has a sandboxd of its own: that
is two seconds of processor for a test about claims or records. Tests of what cells find, or of how warm they
find it, name WHOLE."""

import functools
import hashlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
from pathlib import Path

from packaging.requirements import Requirement

from support.kernel import BUILD

WHOLE = sys.executable

ROOTS = ("ipython", "comm")
LEFT_OUT = {"jedi", "parso"}  # IPython completes without them; they are half of the start


@functools.cache
def lean_python(*more: str) -> str:
    """Its path; `more` is what it has beside IPython. It lies below build/, where the users of
    sandboxes reach it, and is made once for what is installed."""
    found = distributions(*more)
    text = "\n".join([sys.version, *sorted(f"{name} {each.version}" for name, each in found.items())])
    folder = BUILD / "tests/lean-python" / hashlib.sha256(text.encode()).hexdigest()[:16]
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        make(folder, list(found.values()))
    return str(folder / "bin/python")


def distributions(*more: str) -> dict[str, importlib.metadata.Distribution]:
    found: dict[str, importlib.metadata.Distribution] = {}
    wanted = [*ROOTS, *more]
    while wanted:
        name = wanted.pop().lower()
        if name in found or name in LEFT_OUT:
            continue
        found[name] = importlib.metadata.distribution(name)
        needs = map(Requirement, found[name].requires or ())
        wanted += [each.name for each in needs if not each.marker or each.marker.evaluate({"extra": ""})]
    return found


def make(folder: Path, found: list[importlib.metadata.Distribution]) -> None:
    """Another run may be making it, too: whichever is done first has made it."""
    own = Path(tempfile.mkdtemp(dir=folder.parent))
    own.chmod(0o755)
    modules = own / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    for file in (file for each in found for file in each.files or () if ".." not in file.parts):
        if file.locate().exists():
            (modules / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file.locate(), modules / file)  # with its time, by which the .pyc know it
    (own / "bin").mkdir()
    (own / "bin/python").symlink_to(os.path.realpath(sys.executable))
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", own)
    try:
        own.rename(folder)
    except OSError:
        if not folder.exists():
            raise
        shutil.rmtree(own)

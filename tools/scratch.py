"""A copy of the tree that can be changed and built without the tree's notice."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_APART = {"mutants", "coverage", "asan", "fuzz", "cluster", "image", "vm", "llama"}  # below build/


def copy_tree(copy: Path) -> None:
    """As git has it, with a virtual environment of its own. Files that are the same stay as they
    are, so that only what changes is built again."""
    copy.mkdir(parents=True, exist_ok=True)
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        text=True,
        check=True,
        capture_output=True,
    ).stdout.splitlines()
    names = [name for name in names if (ROOT / name).exists()]
    for path in copy.rglob("*"):
        relative = path.relative_to(copy)
        if (
            path.is_file()
            and relative.parts[0] not in ("build", ".venv")
            and (str(relative) not in names)
        ):
            path.unlink()
    for name in names:
        _copy_if_changed(ROOT / name, copy / name)
    if not (copy / ".venv").exists():
        subprocess.run(["cp", "-al", ROOT / ".venv", copy / ".venv"], check=True)
        shutil.rmtree(copy / ".venv/share/jupyter/kernels", ignore_errors=True)


def copy_build(copy: Path) -> None:
    """What is built here, once."""
    if not (copy / "build").exists():
        shutil.copytree(
            ROOT / "build",
            copy / "build",
            symlinks=True,
            ignore=lambda folder, found: _APART & set(found)
            if Path(folder) == ROOT / "build"
            else set(),
        )


def _copy_if_changed(source: Path, target: Path) -> None:
    if target.exists() and target.read_bytes() == source.read_bytes():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)  # with the time of now: what was made of another text is built anew

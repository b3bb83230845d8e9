"""A home with secrets, a workspace in it, and sandboxes of root and of an ordinary user."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from security.attempts import PRELUDE, wrapped
from support.zygote_client import PYTHON, Outcome, Sandbox, Zygote

SECRET = "the-secret-of-this-home"
ORDINARY_UID = 54321  # nobody's, on a machine where root runs the tests

USERS = ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]


@dataclass
class User:
    """Who runs cellpod, and what is theirs."""

    name: str
    uid: int | None  # None: whoever runs the tests
    home: Path
    workspace: Path

    def give(self, *paths: Path) -> None:
        for path in paths:
            if self.uid is not None:
                os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def write(self, path: Path, text: str = "x") -> Path:
        path.write_text(text)
        self.give(path)
        return path

    def folder(self, path: Path) -> Path:
        path.mkdir()
        self.give(path)
        return path

    def runs(self, attempt: str, **values) -> str:
        """What an attempt prints as a program of this user's, without a sandbox."""
        user = {} if self.uid is None else {
            "user": self.uid, "group": self.uid, "extra_groups": []}
        done = subprocess.run(
            [PYTHON, "-c", wrapped(attempt, values)], cwd=self.workspace, text=True,
            capture_output=True, timeout=60, env={"HOME": str(self.home)}, **user)
        assert done.returncode == 0, done.stderr
        return done.stdout


def make_user(name: str) -> User:
    home = Path(tempfile.mkdtemp(prefix="cellpod-home-", dir="/var/tmp"))
    uid = ORDINARY_UID if name == "ordinary" and os.getuid() == 0 else None
    user = User(name, uid, home, home / "notebooks")
    user.give(home)
    for folder in (home / ".ssh", user.workspace, user.workspace / ".git",
                   user.workspace / ".git/hooks", user.workspace / "sub"):
        user.folder(folder)
    user.write(home / ".ssh/id_ed25519", SECRET)
    user.write(home / "diary.txt", SECRET)
    user.write(user.workspace / "data.csv", "a,b\n1,2\n")
    user.write(user.workspace / "analysis.ipynb", "{}")
    user.write(user.workspace / "sub/other.ipynb", "{}")
    user.write(user.workspace / ".git/config", "[core]\n")
    return user


@pytest.fixture(scope="session", params=USERS)
def user(request):
    user = make_user(request.param)
    yield user
    shutil.rmtree(user.home)


@pytest.fixture(scope="session")
def zygote(user):
    # What the server's environment holds must not be seen inside either.
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(user.home),
           "CELLPOD_TEST_SECRET": SECRET}
    with Zygote(uid=user.uid, env=env) as zygote:
        yield zygote


class Cell:
    """Runs attempts in one sandbox."""

    def __init__(self, sandbox: Sandbox):
        self.sandbox = sandbox
        sandbox.start()
        prepared = sandbox.run(PRELUDE)
        assert prepared.error is None, prepared.error

    def run(self, code: str) -> Outcome:
        return self.sandbox.run(code)

    def prints(self, code: str) -> str:
        outcome = self.sandbox.run(code)
        assert outcome.error is None, (outcome.error, outcome.stderr)
        return outcome.stdout.strip()

    def runs(self, attempt: str, **values) -> str:
        """What an attempt prints in the sandbox."""
        return self.prints(wrapped(attempt, values))


@pytest.fixture
def spawn(zygote, user):
    """Makes sandboxes; keyword arguments are fields of the spec."""
    made: list[Sandbox] = []

    def spawn(**fields) -> Cell:
        sandbox = zygote.spawn(zygote.spec(user.workspace) | fields)
        made.append(sandbox)
        return Cell(sandbox)

    yield spawn
    for sandbox in made:
        sandbox.close()


@pytest.fixture
def cell(spawn):
    return spawn()

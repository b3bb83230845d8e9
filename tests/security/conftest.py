"""A home with secrets, a workspace in it, and sandboxes of root and of an ordinary user: of
namespaces, and under gVisor. What says nothing there is in not_under_runsc.py, with the reason."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from security.attempts import PRELUDE, wrapped
from security.bare import Bare, FilterAlone
from security.counterparts import check_test, ledger
from security.not_under_runsc import reason_for
from security.programs import Programs
from support.lean_python import lean_python
from support.runsc import RunscCell, RunscDaemon
from support.zygote_client import Outcome, Sandbox, Zygote

SECRET = "the-secret-of-this-home"
ORDINARY_UID = 54321  # nobody's, on a machine where root runs the tests

USERS = ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]
UNDER_RUNSC = [f"{user}-runsc" for user in USERS]
START_OF_RUNSC = 1200  # seconds: its default platform traces every system call


@dataclass
class User:
    """Who runs cellpod, and what is theirs."""

    name: str
    uid: int | None  # None: whoever runs the tests
    home: Path
    workspace: Path
    chooses_walls: bool = True  # can have a sandbox with other limits, or with a wall less
    programs: Programs | None = None  # without a sandbox; none: it takes a new one

    @property
    def credentials(self) -> dict:
        """For subprocess.run."""
        return {} if self.uid is None else {
            "user": self.uid, "group": self.uid, "extra_groups": []}

    @property
    def is_under_runsc(self) -> bool:
        return self.name in UNDER_RUNSC

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
        with nullcontext(self.programs) if self.programs else self.start_programs() as programs:
            return ledger.noted(attempt, programs.run(wrapped(attempt, values), self.workspace))

    def start_programs(self) -> Programs:
        return Programs(env={"HOME": str(self.home)}, **self.credentials)


def make_user(name: str) -> User:
    home = Path(tempfile.mkdtemp(prefix="cellpod-home-", dir="/var/tmp"))
    uid = ORDINARY_UID if name.startswith("ordinary") and os.getuid() == 0 else None
    user = User(name, uid, home, home / "notebooks", name not in UNDER_RUNSC)
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


# What programs outside act on, by file and by folder.
ACTED_ON = ["Makefile", "conftest.py", "sitecustomize.py", "setup.py", "evil.pth", ".envrc",
            "jupyter_server_config.py", "jupyter_lab_config.json", "my.code-workspace",
            "start.desktop", ".gitignore", "report.ipynb"]
FOLDERS_ACTED_ON = [".vscode", ".ipynb_checkpoints", ".git", "node_modules", "env"]


def fill(user: User) -> None:
    """What a cell would like to find in the workspace: it is there when the sandbox starts."""
    here = user.workspace
    for name in ACTED_ON:
        user.write(here / name)
    for name in FOLDERS_ACTED_ON:
        if not (here / name).exists():
            user.folder(here / name)
    user.write(here / "env/pyvenv.cfg")
    user.write(here / "tool").chmod(0o4755)
    os.link(user.write(user.home / "store.js", "shared"), here / "alias.js")
    os.mkfifo(here / "commands", 0o600)
    for name, target in (("trap.ipynb", user.home / "diary.txt"), ("relative", "../diary.txt"),
                         (".trap", user.home / "diary.txt")):
        (here / name).symlink_to(target)
        user.give(here / name)
    user.give(here / "commands")
    # Each folder on the way to a notebook.
    for name in ("deep", "deep/er", "deep/er/still", "free", "free/inner"):
        user.folder(here / name)
    user.write(here / "deep/er/still/own.ipynb")


@pytest.fixture(scope="session", params=USERS + UNDER_RUNSC)
def user(request):
    user = make_user(request.param)
    fill(user)
    with socket.socket(socket.AF_UNIX) as agent, user.start_programs() as user.programs:
        agent.bind(str(user.workspace / "agent.sock"))
        agent.listen()
        os.chmod(user.workspace / "agent.sock", 0o777)
        yield user
    shutil.rmtree(user.home)


def pytest_collection_modifyitems(items):
    for item in items:
        if parameters_of(item).get("user") not in UNDER_RUNSC:
            continue
        if parameters_of(item)["user"] != UNDER_RUNSC[-1]:
            item.add_marker(pytest.mark.at_length(
                "what root's cells try under gVisor (an ordinary user's try it here)"))
        item.add_marker(pytest.mark.timeout(START_OF_RUNSC))
        if reason := reason_for(item):
            item.add_marker(pytest.mark.skip(reason=f"not under runsc: {reason}"))


def parameters_of(item) -> dict:
    return item.callspec.params if hasattr(item, "callspec") else {}


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """A test that says "cannot" shows where it can: counterparts.py."""
    ledger.begin()
    result = yield
    # Under gVisor the same attempts are made: that they work is shown once.
    if parameters_of(pyfuncitem).get("user") not in UNDER_RUNSC:
        check_test(pyfuncitem.originalname)
    return result


@pytest.fixture(scope="session")
def bare():
    with Programs() as programs:
        yield Bare(programs)


@pytest.fixture(scope="session")
def filter_alone(bare):
    return FilterAlone(bare)


@pytest.fixture(scope="session")
def zygote(user):
    # What the server's environment holds must not be seen inside either.
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(user.home),
           "CELLPOD_TEST_SECRET": SECRET}
    with Zygote(uid=user.uid, env=env) as zygote:
        yield zygote


@pytest.fixture(scope="session")
def gvisor(user):
    """The one sandbox under gVisor of this user's: it takes seconds to start."""
    if not shutil.which("runsc"):
        pytest.skip("runsc is not installed")
    with RunscDaemon(user.home / "runsc", lean_python("pandas"), user.workspace, uid=user.uid) as daemon:
        yield RunscCell(daemon)


class Attempts:
    """Runs attempts in the worker of one sandbox: `run` gives a cell's outcome."""

    def prints(self, code: str) -> str:
        outcome = self.run(code)
        assert outcome.error is None, (outcome.error, outcome.stderr)
        return outcome.stdout.strip()

    def runs(self, attempt: str, **values) -> str:
        """What an attempt prints in the sandbox."""
        return ledger.noted(attempt, self.prints(wrapped(attempt, values)))


class Cell(Attempts):
    def __init__(self, sandbox: Sandbox):
        self.sandbox = sandbox
        sandbox.start()
        self.prints(PRELUDE)

    def run(self, code: str) -> Outcome:
        return self.sandbox.run(code)

    def renew(self) -> None:
        """After its worker has ended."""
        self.sandbox.exited()
        self.sandbox.start()
        self.prints(PRELUDE)

    def profile(self) -> dict:
        self.sandbox._send("profile_request", "profile", {})
        while True:
            line, content = self.sandbox._read_envelope()
            if line["type"] == "profile_reply":
                return content


# What tests leave in the folders that all of them share.
TIDY = """
import os, shutil
os.chdir(WORKSPACE)
for entry in os.scandir("/tmp"):
    if entry.name not in KEPT:
        (shutil.rmtree if entry.is_dir(follow_symlinks=False) else os.unlink)(entry.path)
"""


class CellUnderRunsc(Attempts):
    def __init__(self, gvisor: RunscCell):
        self.gvisor = gvisor
        self.renew()

    def run(self, code: str) -> Outcome:
        return self.gvisor.run(code)

    def renew(self) -> None:
        self.prints(f"WORKSPACE, KEPT = '/workspace', {self.gvisor.in_tmp}" + TIDY + PRELUDE)

    def profile(self) -> dict:
        return self.gvisor.profile()


@pytest.fixture
def spawn(request, user):
    """Makes sandboxes; keyword arguments are fields of the spec. Under gVisor it is a fresh
    worker in the one that there is."""
    if user.is_under_runsc:
        gvisor = request.getfixturevalue("gvisor")

        def respawn() -> CellUnderRunsc:
            gvisor.restart()
            return CellUnderRunsc(gvisor)

        yield respawn
        return
    zygote = request.getfixturevalue("zygote")
    made: list[Sandbox] = []

    def spawn(**fields) -> Cell:
        sandbox = zygote.spawn(zygote.spec(user.workspace) | fields)
        made.append(sandbox)
        return Cell(sandbox)

    yield spawn
    for sandbox in made:
        sandbox.close()


# Modules whose attempts leave nothing behind but files in /tmp: one sandbox of namespaces is enough
# for all of them, as one is under gVisor.
LEAVE_LITTLE = ["test_files", "test_network", "test_privileges", "test_workspace"]


class SharedCell:
    """Of a module and user; another one after a test that has failed."""

    def __init__(self, user: User, zygote: Zygote):
        self.user, self.zygote = user, zygote
        self.renew()

    def renew(self) -> None:
        self.cell = Cell(self.zygote.spawn(self.zygote.spec(self.user.workspace)))
        # Where the repository lies below /tmp, its Python is seen there.
        self.in_tmp = self.cell.prints("print(os.listdir('/tmp'))")

    def tidy(self) -> Cell:
        self.cell.prints(
            f"WORKSPACE, KEPT = {str(self.user.workspace)!r}, {self.in_tmp}" + TIDY + PRELUDE)
        return self.cell

    def close(self) -> None:
        self.cell.sandbox.close()


@pytest.fixture(scope="module")
def shared_cell(user, zygote):
    shared = SharedCell(user, zygote)
    yield shared
    shared.close()


@pytest.fixture
def cell(request, user, pytestconfig):
    if user.is_under_runsc:
        yield CellUnderRunsc(request.getfixturevalue("gvisor"))
        return
    if request.path.stem not in LEAVE_LITTLE:
        yield request.getfixturevalue("spawn")()
        return
    shared = request.getfixturevalue("shared_cell")
    yield shared.tidy()
    if getattr(request.node, "failed", False):
        shared.close()
        shared.renew()
        pytestconfig.census.adopt()

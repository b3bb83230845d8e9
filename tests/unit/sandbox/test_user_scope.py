"""A daemon that can have no control group asks the user's systemd for one. Here that is a stand-in, on
a real bus, asked by the real busctl; `make test-vm` asks a real one (v2-systemd)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandboxd_client import Daemon, starting
from support.cli import cellpod
from support.kernel import BUILD, OrdinaryUser

STANDIN = BUILD / "tests/unit/sandbox/systemd_standin"
LIMIT_MB = 384

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="the stand-in gives groups of root's away")


def own_memory_group() -> Path:
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if "memory" in names.split(","):
            return Path(f"/sys/fs/cgroup/memory{path}")
    pytest.skip("there is no memory controller of version 1 here; v2-systemd of make test-vm has one of 2")


@pytest.fixture
def user():
    user = OrdinaryUser()
    yield user
    user.close()


@pytest.fixture
def scopes():
    """Where the stand-in's scopes are. They go as systemd's do: once they are empty."""
    folder = own_memory_group() / f"standin-{os.getpid()}"
    folder.mkdir()
    yield folder
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            path.rmdir()
    folder.rmdir()


@pytest.fixture
def systemd(user, scopes):
    """The user's bus, and who answers on it, in this manner."""
    running = []
    address = f"unix:path={user.runtime}/bus"
    # A bus wants to know its users by name.
    known = user.home / "passwd"
    known.write_text(f"{Path('/etc/passwd').read_text()}\nsomebody:x:{user.UID}:{user.UID}::/:\n")
    as_somebody = ("unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/passwd && exec "$@"',
                   known, "setpriv", f"--reuid={user.UID}", f"--regid={user.UID}", "--clear-groups")

    def run(*argv):
        running.append(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
        assert running[-1].stdout.readline()

    def start(manner: str) -> None:
        run(*as_somebody, "dbus-daemon", "--session", f"--address={address}", "--nofork",
            "--nopidfile", "--print-address")
        run(STANDIN, address, scopes, str(user.UID), manner)

    yield start
    for process in reversed(running):
        process.terminate()
        process.communicate()
    (user.runtime / "bus").unlink(missing_ok=True)


@pytest.fixture
def daemon(user):
    with starting(Daemon) as start:
        yield lambda: start(uid=user.UID, CELLPOD_PYTHON=sys.executable,
                            XDG_RUNTIME_DIR=str(user.runtime))


def memory_by(daemon: Daemon) -> str:
    sandbox = daemon.claim(resources={"memory_mb": LIMIT_MB})
    sandbox.ready()
    return sandbox.call("GET")[1]["resources"]["memory_by"]


@needs_root
def test_a_scope_that_is_lent_makes_the_limit_hard(systemd, daemon, scopes):
    systemd("lends")
    started = daemon()
    assert memory_by(started) == "cgroup"
    [scope] = scopes.glob("cellpod-*.scope")
    assert str(started.process.pid) in (scope / "cgroup.procs").read_text().split()
    [zygote] = Path(f"/proc/{started.process.pid}/task/{started.process.pid}/children").read_text().split()
    assert scope.name in Path(f"/proc/{zygote}/cgroup").read_text()  # else a user may move nobody out of its own
    limits = {path.read_text() for path in scope.glob("cellpod-*/*/memory.limit_in_bytes")}
    assert f"{(LIMIT_MB - LIMIT_MB // 8) << 20}\n" in limits  # where the cell is told


@needs_root
@pytest.mark.parametrize("manner", ["refuses", "keeps", "silent"])
def test_without_one_the_meter_keeps_the_limit(systemd, daemon, manner):
    systemd(manner)
    started = daemon()
    assert memory_by(started) == "meter"
    assert "no scope: " in started.log()


@needs_root
def test_it_does_not_ask_where_nobody_is_there(daemon):
    started = daemon()
    assert memory_by(started) == "meter"
    assert "there is no bus of this user" in started.log()


@needs_root
@pytest.mark.parametrize(("manner", "said"), [
    ("lends", "hard: control groups, version 1, in a scope of your systemd"),
    ("refuses", "no scope was lent: systemd gives none"),
])
def test_the_doctor_tells_which_it_is(systemd, user, manner, said):
    systemd(manner)
    done = cellpod("doctor", "--walls", cwd=user.work, env={**os.environ, **user.environment},
                   **user.credentials)
    assert said in done.stdout

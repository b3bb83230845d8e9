"""From a spec to a list of mounts: the order, and what may never be writable."""

import os
import sys

import pytest

from support.zygote_client import PYTHON, ROOT, Zygote

sys.path.append(str(ROOT / "sandbox/worker"))

from cellpod.isolate import BIND_USERS, BIND_WRITABLE  # noqa: E402
from cellpod.plan import STATE, binds_for  # noqa: E402


def binds(workspace="/home/u/nb", mode="rw", mounts=(), state=None, prefixes=(), programs=()):
    spec = {"workspace": workspace and {"path": workspace, "mode": mode},
            "mounts": [dict(zip(("source", "target", "mode"), m)) for m in mounts],
            "state": state}
    return binds_for(spec, prefixes, programs)


def test_the_workspace_is_the_users_and_writable_when_asked():
    assert [b.flags for b in binds()] == [BIND_USERS | BIND_WRITABLE]
    assert [b.flags for b in binds(mode="ro")] == [BIND_USERS]
    assert binds(workspace=None) == []


def test_the_state_folder_is_in_the_home():
    assert binds(workspace=None, state="/s")[0].target == STATE


def test_a_python_of_the_system_needs_no_mount():
    assert binds(workspace=None, prefixes=["/usr", "/usr/local"]) == []


def test_a_python_in_the_workspace_comes_after_it_and_is_read_only():
    for prefix in ("/home/u/nb/venv", "/home/u/nb"):
        last = binds(prefixes=[prefix])[-1]
        assert (last.target, last.flags & BIND_WRITABLE) == (prefix, 0)


def test_a_workspace_in_a_python_comes_after_it():
    assert binds(prefixes=["/home/u"])[-1].target == "/home/u/nb"


def test_cellpods_own_programs_in_the_workspace_are_read_only():
    last = binds(programs=["/home/u/nb/build/bin", "/opt/bin"])[-1]
    assert (last.target, last.flags & BIND_WRITABLE) == ("/home/u/nb/build/bin", 0)
    assert len(binds(programs=["/opt/bin"])) == 1


def test_a_mount_in_the_workspace_comes_after_it():
    order = [b.target for b in binds(mounts=[("/d", "/home/u/nb/d", "ro")])]
    assert order == ["/home/u/nb", "/home/u/nb/d"]


def test_a_mode_is_ro_or_rw():
    with pytest.raises(ValueError, match="ro or rw"):
        binds(mode="w")


@pytest.mark.skipif(os.getuid() != 0 and os.stat(ROOT).st_uid != os.getuid(),
                    reason="the repository is not ours to mount as a workspace")
def test_cannot_change_cellpod_where_it_lies_in_the_workspace(user, zygote, spawn):
    if user.uid is not None:
        pytest.skip("the repository is root's")
    cell = spawn(workspace={"path": str(ROOT), "mode": "rw"}, cwd=str(ROOT))
    attempt = 'path = os.path.join(folder, "evil"); open(path, "w").close(); os.unlink(path)'
    repository = [".git"] if (ROOT / ".git").is_dir() else []  # sources may come without
    for folder in ("build/bin", "build/lib/cellpod", "build/share/cellpod/worker", ".venv",
                   *repository):
        answer = cell.runs(attempt, folder=folder)
        assert answer == "STOPPED EROFS", folder
    assert cell.runs(attempt, folder="build") == "REACHED"


def test_can_run_a_python_that_links_lead_to(user, tmp_path_factory):
    """venv/bin/python may be a link to a link in yet another folder."""
    middle = user.home / "programs"
    if not middle.exists():
        user.folder(middle)
        (middle / "python-of-mine").symlink_to("/usr/bin/python3")
        environment = user.folder(user.home / "environment")
        user.folder(environment / "bin")
        (environment / "bin/python3").symlink_to(middle / "python-of-mine")
        user.write(environment / "pyvenv.cfg", "home = /usr/bin\n")
        packages = next(PYTHON.parent.parent.glob("lib/python3*"))
        (environment / "lib").mkdir()
        user.folder(environment / "lib" / packages.name)
        folder = environment / "lib" / packages.name / "site-packages"
        user.folder(folder)
        user.write(folder / "borrowed.pth", f"{packages}/site-packages\n")
    with Zygote(user.home / "environment/bin/python3", uid=user.uid) as zygote:
        mount = {"source": str(PYTHON.parent.parent), "target": str(PYTHON.parent.parent),
                 "mode": "ro"}
        with zygote.spawn(zygote.spec() | {"mounts": [mount]}) as sandbox:
            sandbox.start()
            outcome = sandbox.run("import subprocess, sys\nprint(subprocess.run("
                                  "[sys.executable, '-c', 'print(6 * 7)']))")
            assert "42" in outcome.stdout, (outcome.stdout, outcome.stderr)

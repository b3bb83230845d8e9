"""What cannot be isolated is refused, by name, with a remedy; and nothing stays behind."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.zygote_client import PYTHON, Refused, Zygote

from .attempts import wrapped
from .bare import IN_OWN_MOUNTS
from .counterparts import works_where_it_may


def starts(zygote, spec: dict) -> bool:
    with zygote.spawn(spec):
        return True


def test_cannot_mount_a_folder_through_a_symbolic_link(user, zygote):
    link = user.home / "link"
    if not link.is_symlink():
        link.symlink_to(user.home / ".ssh")
    mount = {"source": str(link), "target": "/data", "mode": "ro"}
    works_where_it_may(starts(zygote, zygote.spec(
        user.workspace, mounts=[mount | {"source": str(user.home / ".ssh")}])))
    spec = zygote.spec(user.workspace, mounts=[mount])
    with pytest.raises(Refused) as refused:
        zygote.spawn(spec)
    report = refused.value.report
    assert (report["layer"], report["step"]) == ("files", f"open {link}")
    assert "real path" in report["remedy"]


def test_cannot_be_led_outside_by_a_link_named_like_a_notebook(user, cell):
    """Another sandbox may have left one: what it points to must not be mounted."""
    for name in ("trap.ipynb", ".trap"):
        assert "REACHED" in user.runs("open(name)", name=name)
        assert cell.runs("open(name)", name=name) == "STOPPED ENOENT"


@pytest.mark.parametrize("target", ["/", "/usr", "/usr/lib/x", "/proc/x", "/etc", "/dev",
                                    "/home/sandbox", "/a/../b", "relative", "//x"])
def test_cannot_mount_over_the_system(user, zygote, target):
    mount = {"source": str(user.workspace), "target": target, "mode": "ro"}
    works_where_it_may(starts(zygote, zygote.spec(
        user.workspace, mounts=[mount | {"target": "/data"}])))
    spec = zygote.spec(user.workspace, mounts=[mount])
    with pytest.raises(Refused) as refused:
        zygote.spawn(spec)
    assert refused.value.report["code"] == "bad-spec"


def test_cannot_start_without_the_workspace(user, zygote):
    works_where_it_may(starts(zygote, zygote.spec(user.workspace)))
    spec = zygote.spec(user.workspace) | {
        "workspace": {"path": str(user.home / "gone"), "mode": "rw"}, "idmap": False}
    with pytest.raises(Refused) as refused:
        zygote.spawn(spec)
    report = refused.value.report
    assert report["layer"] == "files" and "does not exist" in report["remedy"]


@pytest.mark.parametrize("name", ["processes", "privileges", "files", "everything", ""])
def test_cannot_waive_what_is_no_waivable_layer(user, zygote, name):
    works_where_it_may(starts(zygote, zygote.spec(user.workspace, waive=["landlock"])))
    with pytest.raises(Refused) as refused:
        zygote.spawn(zygote.spec(user.workspace, waive=[name]))
    assert refused.value.report["code"] == "bad-spec"


def test_cannot_disturb_the_zygote_by_a_bad_spec(user, zygote, spawn):
    for spec in ({}, {"waive": []}, zygote.spec(user.workspace) | {"limits": {"pids": "many"}}):
        with pytest.raises(Refused):
            zygote.spawn({"idmap": False} | spec)
    works_where_it_may(spawn().prints("print(1)") == "1")


def test_cannot_start_on_a_python_without_ipython(user):
    """Debian's own Python has none."""
    with Zygote(PYTHON, uid=user.uid) as zygote:
        works_where_it_may(zygote.ready["type"] == "ready")
    with pytest.raises(Refused) as refused:
        Zygote("/usr/bin/python3", uid=user.uid)
    report = refused.value.report
    assert report["code"] == "no-ipython"
    assert report["remedy"] == (
        "/usr/bin/python3 -m pip install ipython comm numpy pandas matplotlib")


FORBID = f"""
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000) == 0
uid = os.getuid()
open("/proc/self/setgroups", "w").write("deny")
open("/proc/self/uid_map", "w").write("%d %d 1" % (uid, uid))
open("/proc/self/gid_map", "w").write("%d %d 1" % (uid, uid))
open("/proc/sys/user/max_user_namespaces", "w").write("0")
os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])
"""


@pytest.mark.skipif(os.getuid() != 0, reason="lowers a limit in a user namespace of its own")
def test_cannot_start_where_user_namespaces_are_forbidden(user, tmp_path_factory):
    """An ordinary user in a namespace that allows no further ones."""
    if user.uid is None:
        pytest.skip("root needs none to start")
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    os.chmod(folder, 0o755)
    launcher = folder / "python"
    launcher.write_text(f"#!{sys.executable}\n" + FORBID)
    launcher.chmod(0o755)
    with Zygote(PYTHON, uid=user.uid) as zygote:
        works_where_it_may(zygote.ready["type"] == "ready")
    with pytest.raises(Refused) as refused:
        Zygote(launcher, uid=user.uid)
    subprocess.run(["rm", "-r", folder], check=True)
    report = refused.value.report
    assert report["layer"] == "users"
    assert "sysctl -w user.max_user_namespaces" in report["remedy"]


def test_cannot_leave_a_mount_on_the_host(spawn, bare):
    mounts = "text = Path('/proc/self/mountinfo').read_text()"
    if os.getuid() == 0:
        works_where_it_may("new" in bare.prints(wrapped(
            IN_OWN_MOUNTS + mounts + "\ncall('mount', b'none', b'/tmp', b'tmpfs', 0, 0)\n"
            + mounts.replace("text =", "print('new' if text !=") + " else 'the same')", {})))
    before = Path("/proc/self/mountinfo").read_text()
    spawn()
    assert Path("/proc/self/mountinfo").read_text() == before


@pytest.mark.parametrize("layer, proof", [
    ("network", "print(socket.gethostname() != 'sandbox')"),
    ("seccomp", "print('Seccomp:\\t0' in open('/proc/self/status').read())"),
    ("landlock", "os.mkfifo('pipe'); os.unlink('pipe'); print(True)"),
    ("limits", "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC)[0] != 512)"),
])
def test_can_do_without_a_layer_that_was_waived(user, spawn, layer, proof):
    """It is gone, and no other with it; and the proof is not one where it stands."""
    assert spawn().run(proof).stdout.strip() != "True"
    cell = spawn(waive=[layer])
    assert cell.prints(proof) == "True"
    status = cell.prints("print(open('/proc/self/status').read())")
    assert "NoNewPrivs:\t1" in status and "CapEff:\t0000000000000000" in status
    if layer != "seccomp":
        assert "Seccomp:\t2" in status
    assert cell.runs("os.stat('/etc/shadow')") == "STOPPED ENOENT"
    assert cell.runs("open('made', 'w').close(); os.unlink('made')") == "REACHED"


def test_can_do_without_a_user_namespace_when_users_are_waived(spawn):
    """Then sandboxes are in their zygote's."""
    namespace = "print(os.readlink('/proc/self/ns/user'))"
    assert spawn().prints(namespace) != spawn().prints(namespace)
    one, other = spawn(waive=["users"]), spawn(waive=["users"])
    assert one.prints(namespace) == other.prints(namespace)
    status = one.prints("print(open('/proc/self/status').read())")
    for stands in ("NoNewPrivs:\t1", "CapEff:\t0000000000000000", "Seccomp:\t2"):
        assert stands in status

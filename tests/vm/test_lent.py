"""Where the user's own group is root's, and a systemd of the user lends a scope."""

from pathlib import Path

from support.client import START
from support.kernel import connection_info
from support.watch import left_after

ROOT = Path("/sys/fs/cgroup")


def group_of(pid: int | str) -> str:
    (line,) = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    return line.removeprefix("0::")


def test_the_doctor_says_who_lends(doctor):
    status, checks = doctor()
    assert status == 0, checks
    for name in ("memory", "processors"):
        assert checks[name]["status"] == "ok", checks[name]
        assert checks[name]["detail"] == (
            "limited by control groups, version 2, in a scope that your systemd lends")


def test_sandboxd_is_in_a_scope_which_goes_with_it(start_kernel, laboratory):
    assert group_of("self").startswith("/system.slice/")
    kernel = start_kernel.on(connection_info(), arguments=("--memory-mb", "256"))
    kernel.ready_client().run("pass", timeout=START)
    daemon = laboratory.sandboxd()
    scope, leaf = group_of(daemon.pid).rsplit("/", 1)
    assert leaf == "sandboxd"
    name = scope.rsplit("/", 1)[1]
    assert name.startswith(f"cellpod-{daemon.pid}-")
    assert name.endswith(".scope")
    assert list(Path(f"{ROOT}{scope}").glob(f"cellpod-{daemon.pid}-*/*/memory.max"))
    kernel.close()
    laboratory.end_sandboxd()
    assert not left_after({Path(f"{ROOT}{scope}")}, timeout=60)

"""A session on another machine outlives a kernel that is killed; the notebook's next kernel has it."""

import json
import stat
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from support.client import START
from support.kernel import connection_info
from support.kube_standin import Fault, Refusal
from support.pods import PORT
from support.remote import remote_sandboxd
from support.takeover import STEPS, Steps

pytestmark = pytest.mark.cellpod_only("other kernels keep nothing")

NAMED = {"JPY_SESSION_NAME": "/notebooks/one.ipynb"}
FROM_BEFORE = "cellpod: this is the session from before; its kernel ended at "

@pytest.fixture
def start(start_on_cluster, cluster, tmp_path):
    kernels = []
    (tmp_path / "notebooks").mkdir()
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}

    def start(*arguments, env=None, cwd=tmp_path / "notebooks", **options):
        kernels.append(start_on_cluster(*arguments, env={**NAMED, **state, **(env or {})}, cwd=cwd, **options))
        return kernels[-1]

    yield start
    for kernel in kernels:
        kernel.close()
    cluster.ahead = 3600  # what nobody has found
    cluster.wait_no_claim()


@pytest.fixture
def records(tmp_path):
    return lambda: list((tmp_path / "state/cellpod/sessions").iterdir())


def kill(kernel) -> None:
    kernel.process.kill()
    kernel.wait_exit()


def lose(start, cluster, code="x = [1, 2]; text = 'kept'", **options):
    """A session with variables, whose kernel has been killed."""
    pod = cluster.add_pod()
    kernel = start(**options)
    kernel.ready_client().run(code, timeout=START)
    kill(kernel)
    return pod


def names(cluster) -> list[str]:
    return [claim["metadata"]["name"] for claim in cluster.claims]


def test_the_next_kernel_has_the_variables_and_goes_on_with_the_claim(start, cluster):
    lose(start, cluster)
    left = names(cluster)
    kernel = start()
    client = kernel.ready_client()
    first = client.run("print(x, text)", timeout=START)
    assert first.stdout == "[1, 2] kept\n"
    assert first.stderr.startswith(FROM_BEFORE)
    assert "Its variables are here: x, text. %fresh starts afresh" in first.stderr
    assert client.run("x.append(3); print(x)").stdout == "[1, 2, 3]\n"
    assert names(cluster) == left and cluster.count("POST") == 1
    kernel.close()
    cluster.wait_no_claim()


def test_its_claim_is_renewed_at_once(start, cluster):
    """It may have been about to end."""
    lose(start, cluster)
    first = cluster.wait_claim()["spec"]["lifecycle"]["shutdownTime"]
    start("--ttl", "900").ready_client().run("x", timeout=START)
    cluster.server.wait_for(lambda: cluster.claims[0]["spec"]["lifecycle"]["shutdownTime"] > first)


def workspace(pod) -> Path:
    """As its worker has it, where the file `here` lies."""
    ours = [Path(f"/proc/{process.pid}/cwd") for process in psutil.Process(pod.process.pid).children(recursive=True)]
    return next(path for path in ours if (path / "here").exists())


def test_a_running_cell_goes_on_and_all_its_lines_are_shown(start, cluster):
    pod = cluster.add_pod()
    kernel = start()
    client = kernel.ready_client()
    client.run("open('here', 'w').close()", timeout=START)
    with closing(Steps(workspace(pod))) as step:
        cell = client.send_execute(STEPS.format(count=4) + "x = 2")
        step(0)
        client.wait_for_text(cell, "line 0\n")
        kill(kernel)
        step(1)  # nobody is there
        client = start().ready_client()
        first = client.send_execute("print('first', x)")
        client.wait_for_text(first, "line 1\n", START)
        step(2)
        step(3)
        client.wait_for_text(first, "first 2\n")
        assert client.finish_rest(first).content["status"] == "ok"


@pytest.mark.parametrize("how", ["shutdown", "SIGTERM"])
def test_a_kernel_that_is_shut_down_leaves_nothing(start, cluster, records, how):
    cluster.add_pod(), cluster.add_pod()
    kernel = start()
    kernel.ready_client().run("x = 1", timeout=START)
    if how == "SIGTERM":
        kernel.process.terminate()
    else:
        kernel.client().send("shutdown_request", {"restart": True}, "control")
    kernel.wait_exit()
    cluster.wait_no_claim()
    assert [record.read_bytes() for record in records()] == [b""]
    cell = start().ready_client().run("print('x' in globals())", timeout=START)
    assert (cell.stdout, cell.stderr) == ("False\n", "")


def test_fresh(start, cluster):
    lose(start, cluster)
    cluster.add_pod()
    client = start().ready_client()
    assert client.run("print(x)", timeout=START).stdout == "[1, 2]\n"
    assert client.run("%fresh", timeout=START).stderr == "cellpod: this is a fresh session.\n"
    assert client.run("print('x' in globals())", timeout=START).stdout == "False\n"
    cluster.server.wait_for(lambda: len(cluster.claims) == 1)


def test_of_two_kernels_one_gets_it_and_the_other_is_told(start, cluster):
    lose(start, cluster)
    cluster.add_pod()
    first = start()
    client = first.ready_client()
    assert client.run("print(x)", timeout=START).stdout == "[1, 2]\n"
    cell = start().ready_client().run("print('x' in globals())", timeout=START)
    assert cell.stdout == "False\n"
    assert f"in use by another kernel of this notebook (process {first.pid})" in cell.stderr
    assert client.run("print(x)").stdout == "[1, 2]\n"


# --- what has ended meanwhile ---------------------------------------------------------------


def test_a_lease_that_is_over(start, cluster):
    lose(start, cluster)
    claim = names(cluster)[0]
    cluster.ahead = 3600
    cluster.wait_no_claim()
    cluster.ahead = 0
    cluster.add_pod()
    cell = start().ready_client().run("print('x' in globals())", timeout=START)
    assert cell.stdout == "False\n"
    assert cell.stderr == (
        f"cellpod: the session from before has ended: SandboxClaim lab/{claim}: somebody deleted the claim, "
        "or it was not renewed in time. This is a fresh one.\n")


def test_a_pod_that_has_ended(start, cluster):
    pod = lose(start, cluster)
    claim = names(cluster)[0]
    pod.kill()
    cluster.set_ready(claim, pod.name, pod.ip, False, "PodFailed", "Pod failed")
    cluster.add_pod()
    cell = start().ready_client().run("print('x' in globals())", timeout=START)
    assert cell.stdout == "False\n"
    assert f"has ended: SandboxClaim lab/{claim}: Pod failed. This is a fresh one." in cell.stderr
    cluster.server.wait_for(lambda: claim not in names(cluster))


def test_a_pod_in_the_place_of_its_own(start, cluster):
    """A container that was started again: its sandboxd knows nothing of the session."""
    pod = lose(start, cluster)
    claim = names(cluster)[0]
    pod.kill()
    pod.start()
    cluster.add_pod()
    cell = start().ready_client().run("print('x' in globals())", timeout=START)
    assert cell.stdout == "False\n"
    assert "the session from before is not here. This is a fresh one." in cell.stderr
    cluster.server.wait_for(lambda: claim not in names(cluster))


# --- what is out of reach stays ---------------------------------------------------------------


def test_a_server_that_refuses_to_tell_loses_nothing(start, cluster):
    lose(start, cluster)
    left = names(cluster)
    cluster.server.faults.append(
        Fault("LIST", times=1000, refusal=Refusal(403, "Forbidden", "User cannot list it")))
    client = start().ready_client()
    cell = client.execute("x", timeout=START)
    assert cell.content["ename"] == "SandboxError"
    assert "The session from before may still be there. Run the cell again" in "".join(cell.content["traceback"])
    assert names(cluster) == left
    cluster.server.faults.clear()
    assert client.run("print(x)", timeout=START).stdout == "[1, 2]\n"


def test_it_is_found_however_often_kernels_are_killed_on_the_way(start, cluster):
    lose(start, cluster)
    for _ in range(3):
        kernel = start()
        cluster.server.faults.append(Fault("LIST", cut="never"))
        cell = kernel.ready_client().send_execute("x")
        cluster.server.wait_for(lambda: cluster.server.faults[-1].is_spent)
        assert cell
        kill(kernel)
    assert start().ready_client().run("print(x)", timeout=START).stdout == "[1, 2]\n"


def test_a_kernel_that_is_killed_while_it_takes_a_session_over(start, cluster, records):
    """sandboxd has given it away, and nobody has heard the answer."""
    pod = lose(start, cluster)
    [record] = records()
    before = json.loads(record.read_text())["tasks"]
    pod.sandboxd.suspend()
    kernel = start()
    kernel.ready_client().send_execute("x")
    cluster.server.wait_for(lambda: len(json.loads(record.read_text() or "{}").get("tasks", [])) == 2)
    connections = psutil.Process(kernel.pid).net_connections
    cluster.server.wait_for(lambda: any(one.raddr and one.raddr.port == PORT for one in connections("tcp")))
    kill(kernel)
    pod.sandboxd.resume()
    client = start().ready_client()
    assert client.run("print(x)", timeout=START).stdout == "[1, 2]\n"
    tasks = json.loads(record.read_text())["tasks"]
    assert len(tasks) == 1 and tasks != before


# --- the record -------------------------------------------------------------------------------


def test_the_record_is_for_its_user_alone_and_holds_no_token(start, cluster, records):
    lose(start, cluster)
    [record] = records()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert set(json.loads(record.read_text())) == {"version", "pid", "mark", "tasks"}


DAMAGES = {
    "cut": lambda text: text[:-9],
    "not JSON": lambda text: b"\x00" * len(text),
    "another version": lambda text: text.replace(b'"version":1', b'"version":2'),
    "no name": lambda text: json.dumps(json.loads(text) | {"mark": "../x"}).encode(),
    "tasks": lambda text: json.dumps(json.loads(text) | {"tasks": ["a" * 100_000]}).encode(),
    "numbers": lambda text: json.dumps(json.loads(text) | {"tasks": [1]}).encode(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_record_counts_as_none(start, cluster, records, damage):
    lose(start, cluster)
    [record] = records()
    record.write_bytes(damage(record.read_bytes()))
    cluster.add_pod()
    cell = start().ready_client().run("print('x' in globals())", timeout=START)
    assert cell.stdout == "False\n"


def _link(record, folder):
    record.rename(folder / "record")
    record.symlink_to(folder / "record")


STRANGE = {
    "a link": _link,
    "another name": lambda record, folder: (folder / "record").hardlink_to(record),
    "readers": lambda record, folder: record.chmod(0o640),
}


@pytest.mark.parametrize("change", STRANGE.values(), ids=STRANGE)
def test_cannot_be_led_elsewhere_by_a_record_that_is(start, cluster, records, tmp_path, change):
    lose(start, cluster)
    [record] = records()
    change(record, tmp_path)
    cluster.add_pod()
    cell = start().ready_client().run("print('x' in globals())", timeout=START)
    assert cell.stdout == "False\n"
    assert "the next one will not find its session" in cell.stderr


OTHERS = {
    "notebook": {"env": {"JPY_SESSION_NAME": "/notebooks/two.ipynb"}},
    "no name": {"env": {"JPY_SESSION_NAME": ""}},
    "folder": {"cwd": Path("/var/tmp")},
    "limits": {"arguments": ("--memory-mb", "2048")},
    "pool": {"arguments": ("--pool", "cellpod2")},
    "turned off": {"arguments": ("--keep-minutes", "0")},
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_another_does_not_get_it(start, cluster, other):
    lose(start, cluster)
    cluster.add_pod()
    other = dict(other)
    cell = start(*other.pop("arguments", ()), **other).ready_client().run("print('x' in globals())", timeout=START)
    assert (cell.stdout, FROM_BEFORE in cell.stderr) == ("False\n", False)


# --- a sandboxd that the user names -------------------------------------------------------------


def test_a_sandboxd_of_another_machine_gives_it_too(start_kernel, tmp_path):
    with remote_sandboxd() as place:
        def start():
            return start_kernel.on(connection_info(), arguments=["--sandbox", place], cwd=tmp_path,
                                   env={**NAMED, "XDG_STATE_HOME": str(tmp_path / "state")})

        first = start()
        first.ready_client().run("x = [1, 2]", timeout=START)
        kill(first)
        second = start()
        cell = second.ready_client().run("print(x)", timeout=START)
        assert cell.stdout == "[1, 2]\n"
        assert cell.stderr.startswith(FROM_BEFORE)
        second.close()

"""The workspace through sandboxd's API: what it does, and what it cannot be made to do."""

import ctypes
import json
import os
import shutil
import signal
import socket
import stat
import threading

import pytest

from support import processes
from support.client import Deadline
from support.watch import IN_DELETE, changes
from support.lean_python import lean_python
from unit.sandbox.sandboxd_client import Daemon

from .conftest import SECRET, make_user
from .counterparts import works_where_it_may


@pytest.fixture(scope="module")
def user(user):
    """A home of this module's own: it leaves files behind that others would stumble over."""
    own = make_user(user.name)
    yield own
    shutil.rmtree(own.home)


@pytest.fixture(scope="module")
def daemon(user):
    daemon = Daemon(uid=user.uid, CELLPOD_PYTHON=lean_python())
    assert daemon.said == "ready"
    yield daemon
    children = processes.descendants(daemon.process.pid)
    daemon.close()
    processes.assert_all_end(children, "sandboxd")


@pytest.fixture(scope="module")
def sandbox(daemon, user):
    sandbox = daemon.claim(workspace={"path": str(user.workspace)})
    sandbox.ready().close()
    yield sandbox
    sandbox.call("DELETE")


def run(sandbox, code: str) -> None:
    events = sandbox.events()
    request = sandbox.execute(code)
    while (event := events.next("execute_reply")).parent != request:
        continue
    events.close()
    assert event.json["status"] == "ok", event.json


# --- what it does ---------------------------------------------------------------------------------
def test_a_file_goes_in_and_comes_out(sandbox, user):
    content = os.urandom(3 << 20)
    assert sandbox.raw("PUT", "/files/new/deep/f%20%C3%A4.bin", content) == (204, b"")
    path = user.workspace / "new/deep/f ä.bin"
    assert path.read_bytes() == content
    made = path.stat()
    assert (made.st_uid, stat.S_IMODE(made.st_mode)) == (user.workspace.stat().st_uid, 0o644)
    assert sandbox.raw("GET", "/files/new/deep/f%20%C3%A4.bin") == (200, content)
    assert sandbox.raw("HEAD", "/files/new/deep/f%20%C3%A4.bin") == (200, b"")
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_file_takes_the_place_of_another_with_its_mode(sandbox, user):
    for content, query, mode in ((b"one", "", 0o644), (b"", "?mode=0755", 0o755)):
        assert sandbox.raw("PUT", f"/files/again{query}", content)[0] == 204
        assert (user.workspace / "again").read_bytes() == content
        assert stat.S_IMODE((user.workspace / "again").stat().st_mode) == mode
    for mode in ("755", "07777", "0888", "-755", "0x1f"):
        assert sandbox.raw("PUT", f"/files/again?mode={mode}", b"x")[0] == 400
    assert (user.workspace / "again").read_bytes() == b""


def test_folders_are_listed(sandbox, user):
    assert sandbox.raw("PUT", "/files/list/sub/x", b"123")[0] == 204
    os.symlink("sub/x", user.workspace / "list/link")
    os.symlink("/etc/passwd", user.workspace / "list/outside")
    os.mkfifo(user.workspace / "list/fifo")
    status, answer = sandbox.call("GET", "/files/list")
    assert status == 200
    entries = sorted(answer["entries"], key=lambda entry: entry["name"])
    assert answer["path"] == "/list"
    assert [(e["name"], e["type"]) for e in entries] == [("link", "file"), ("sub", "directory")]
    assert entries[0]["size"] == 3
    assert entries[0]["mode"] == "0644"
    assert entries[0]["modified_at"].endswith("Z")
    assert {"data.csv", "sub"} <= {e["name"] for e in sandbox.call("GET", "/files/")[1]["entries"]}


def states(sandbox) -> dict:
    status, tree = sandbox.call("GET", "/tree")
    assert status == 200 and tree["is_cut"] is False
    return {path: (size, state) for path, size, state in tree["files"]}


def test_all_files_are_listed_with_their_states(sandbox, user):
    for path in ("tree/sub/x", "tree/.hidden/x", "tree/__pycache__/x", "tree/node_modules/x"):
        assert sandbox.raw("PUT", f"/files/{path}", b"123")[0] == 204
    os.symlink("sub/x", user.workspace / "tree/link")
    os.symlink("/etc", user.workspace / "tree/outside")
    os.mkfifo(user.workspace / "tree/fifo")
    (user.workspace / os.fsdecode(b"tree/latin-\xe9")).touch()
    first = states(sandbox)
    assert [path for path in first if path.startswith("tree")] == ["tree/sub/x"]
    assert first["tree/sub/x"][0] == 3
    assert states(sandbox) == first
    (user.workspace / "tree/sub/x").write_text("456")
    second = states(sandbox)
    assert second["tree/sub/x"] != first["tree/sub/x"]
    assert {**second, "tree/sub/x": 0} == {**first, "tree/sub/x": 0}


def test_only_what_is_in_a_named_state_is_replaced(sandbox, user):
    path = user.workspace / "state.csv"
    status, answer = sandbox.raw("PUT", "/files/state.csv?unless=", b"one")
    state = json.loads(answer)["state"]
    assert status == 200 and states(sandbox)["state.csv"] == (3, state)
    assert sandbox.raw("PUT", "/files/state.csv?unless=", b"two")[0] == 409
    status, answer = sandbox.raw("PUT", f"/files/state.csv?unless={state}", b"three")
    assert status == 200
    assert sandbox.raw("PUT", f"/files/state.csv?unless={state}", b"four")[0] == 409
    assert path.read_bytes() == b"three"
    path.unlink()
    assert sandbox.raw("PUT", f"/files/state.csv?unless={state}", b"five")[0] == 200
    os.replace(path, user.workspace / "moved.csv")
    path.symlink_to("moved.csv")
    assert sandbox.raw("PUT", "/files/state.csv?unless=", b"six")[0] == 409
    assert (user.workspace / "moved.csv").read_bytes() == b"five"
    assert not [one for one in user.workspace.iterdir() if one.name.endswith(".part")]


def test_removal(sandbox, user):
    assert sandbox.raw("PUT", "/files/gone/a/b", b"1")[0] == 204
    assert sandbox.raw("DELETE", "/files/gone")[0] == 409
    assert (user.workspace / "gone/a/b").exists()
    assert sandbox.raw("DELETE", "/files/gone?recursive=perhaps")[0] == 400
    assert sandbox.raw("DELETE", "/files/gone?recursive=true")[0] == 204
    assert not (user.workspace / "gone").exists()
    assert sandbox.raw("DELETE", "/files/gone")[0] == 404
    assert sandbox.raw("DELETE", "/files/?recursive=true")[0] == 403


def test_a_private_workspace_has_files_too(daemon):
    sandbox = daemon.claim()  # and the first request waits until it is ready
    assert sandbox.raw("PUT", "/files/a/b", b"1")[0] == 204
    assert sandbox.raw("GET", "/files/a/b") == (200, b"1")
    run(sandbox, "assert open('/workspace/a/b').read() == '1'; open('a/b', 'a').write('2')")
    assert sandbox.raw("GET", "/files/a/b") == (200, b"12")
    sandbox.call("DELETE")


def test_an_upload_that_is_cut_off_leaves_nothing(sandbox, user):
    before = set(user.workspace.rglob("*"))
    connection = sandbox.daemon.connect()
    connection.putrequest("PUT", f"/v1/sandboxes/{sandbox.id}/files/half/file")
    connection.putheader("Content-Length", "1000000")
    connection.putheader("X-Cellpod-Token", sandbox.headers["X-Cellpod-Token"])
    connection.endheaders()
    connection.send(b"x" * 500000)
    parts = (p for p in iter(lambda: set(user.workspace.rglob("*")) - before, None))
    assert any(name.name.startswith(".cellpod-") for part in parts for name in part)
    connection.close()
    while set(user.workspace.rglob("*")) != before:
        sandbox.call("GET")


def test_an_end_that_comes_with_the_last_bytes_is_seen(sandbox, user):
    """All is there before sandboxd looks: of bytes and end it is told once, by one edge."""
    connection = sandbox.daemon.connect()
    with changes({user.workspace}, IN_DELETE) as wait:
        sandbox.daemon.process.send_signal(signal.SIGSTOP)
        connection.putrequest("PUT", f"/v1/sandboxes/{sandbox.id}/files/half")
        connection.putheader("Content-Length", "1000000")
        connection.putheader("X-Cellpod-Token", sandbox.headers["X-Cellpod-Token"])
        connection.endheaders(b"x" * 50000)
        connection.sock.shutdown(socket.SHUT_WR)
        sandbox.daemon.process.send_signal(signal.SIGCONT)
        assert wait(Deadline(30)), "what had come of the file is still there"
    connection.close()


# --- what it cannot do ----------------------------------------------------------------------------
CLIMBING = ["../diary.txt", "..%2fdiary.txt", "%2e%2e/diary.txt", "%2E%2E%2Fdiary.txt", "sub/../../diary.txt",
            "/../diary.txt", "%2f..%2fdiary.txt", "./.././diary.txt", "sub/..", "..", "%2e%2e"]


@pytest.mark.parametrize("path", CLIMBING)
def test_cannot_climb_out(sandbox, user, path):
    works_where_it_may(sandbox.raw("GET", "/files/data.csv")[0] == 200)
    for method, body in (("GET", None), ("HEAD", None), ("PUT", b"x"), ("DELETE", None)):
        assert sandbox.raw(method, f"/files/{path}", body)[0] == 403
    assert (user.home / "diary.txt").read_text() == SECRET


@pytest.mark.parametrize("path, status", [
    ("data.csv%00.txt", 400), ("%00", 400), ("a%", 400), ("a%4", 400), ("a%zz", 400),
    ("%252e%252e/diary.txt", 404), ("..%252fdiary.txt", 404), ("x" * 256, 400), ("a/" * 2100, 400),
    ("..\\diary.txt", 404), ("/etc/passwd", 404), ("%2fetc%2fpasswd", 404), ("data.csv/x", 404)])
def test_cannot_be_confused_by_spelling(sandbox, path, status):
    works_where_it_may(sandbox.raw("GET", "/files/%64ata.csv")[0] == 200)
    assert sandbox.raw("GET", f"/files/{path}")[0] == status


def test_cannot_follow_a_link_out(sandbox, user):
    os.symlink(user.home, user.workspace / "home")
    os.symlink("../diary.txt", user.workspace / "diary")
    os.symlink("/proc/self/root", user.workspace / "root")
    os.symlink("data.csv", user.workspace / "inside")
    works_where_it_may(sandbox.raw("GET", "/files/inside")[0] == 200)
    for path in ("home/diary.txt", "diary", "home", "root/etc/passwd", "home/.ssh/id_ed25519"):
        status, answer = sandbox.raw("GET", f"/files/{path}")
        assert status == 403
        assert SECRET.encode() not in answer
    assert sandbox.raw("PUT", "/files/home/new", b"x")[0] == 403
    assert not (user.home / "new").exists()
    assert sandbox.raw("PUT", "/files/diary", b"x")[0] == 204  # takes the link's place
    assert (user.home / "diary.txt").read_text() == SECRET
    assert sandbox.raw("DELETE", "/files/home?recursive=true")[0] == 204  # the link itself
    assert (user.home / ".ssh/id_ed25519").read_text() == SECRET


RENAME_EXCHANGE = 2


class Swapper(threading.Thread):
    """A program of the user's that keeps exchanging a folder with a link that leads out. A cell
    cannot: no links are made in a sandbox."""

    def __init__(self, one, other):
        super().__init__()
        self.paths = -100, os.fsencode(one), -100, os.fsencode(other), RENAME_EXCHANGE
        self.stopped = threading.Event()

    def exchange(self):
        assert ctypes.CDLL(None).renameat2(*self.paths) == 0

    def run(self):
        while not self.stopped.is_set():
            self.exchange()

    def __enter__(self):
        self.exchange()
        self.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.join()


def test_cannot_be_raced_out(sandbox, user):
    (user.home / "inner").mkdir(exist_ok=True)
    user.write(user.home / "inner/f", SECRET)
    run(sandbox, "import os; os.makedirs('race/inner'); open('race/inner/f', 'w').write('harmless')")
    (user.workspace / "trap").symlink_to(user.home)
    seen = set()
    with Swapper(user.workspace / "race", user.workspace / "trap"):
        for i in range(5000):
            if i >= 300 and 200 in seen and seen & {403, 404}:
                break
            status, answer = sandbox.raw("GET", "/files/race/inner/f")
            assert SECRET.encode() not in answer
            assert sandbox.raw("PUT", f"/files/race/inner/w{i}", b"w")[0] in (204, 403, 404, 409, 429)
            assert sandbox.raw("DELETE", "/files/race/inner/nothing?recursive=true")[0] in (
                403, 404, 429)
            seen.add(status)
    works_where_it_may(200 in seen)
    assert seen & {403, 404}, seen
    assert (user.home / "inner/f").read_text() == SECRET
    assert [p.name for p in (user.home / "inner").iterdir()] == ["f"]


def test_cannot_wait_for_a_fifo_or_wake_its_writer(sandbox, user):
    os.mkfifo(user.workspace / "pipe", 0o666)
    run(sandbox, """
import threading, os
def write():
    with open("pipe", "w"): os.mkdir("woken")
threading.Thread(target=write, daemon=True).start()""")
    for _ in range(20):
        assert sandbox.raw("GET", "/files/pipe")[0] == 409
    assert sandbox.raw("HEAD", "/files/woken")[0] == 404
    assert sandbox.raw("PUT", "/files/pipe", b"x")[0] == 204  # takes its place
    works_where_it_may(sandbox.raw("GET", "/files/pipe") == (200, b"x"))


def test_cannot_change_what_cells_cannot_change(sandbox, user):
    works_where_it_may(sandbox.raw("PUT", "/files/analysis.txt", b"x")[0] == 204)
    for path in (".git/config", "analysis.ipynb", ".git/hooks/post-commit"):
        assert sandbox.raw("PUT", f"/files/{path}", b"evil")[0] == 403
        assert sandbox.raw("DELETE", f"/files/{path}")[0] in (403, 404)
    assert (user.workspace / ".git/config").read_text() == "[core]\n"
    assert (user.workspace / "analysis.ipynb").read_text() == "{}"
    assert not list(user.workspace.glob("**/.cellpod-*"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make files of other users")
def test_cannot_read_what_the_owner_of_the_workspace_cannot(sandbox, user):
    path = user.workspace / "root-only"
    path.write_text(SECRET)
    os.chown(path, 4242, 4242)
    path.chmod(0o600)
    assert sandbox.raw("GET", "/files/root-only")[0] == 403
    path.chmod(0o644)
    works_where_it_may(sandbox.raw("GET", "/files/root-only") == (200, SECRET.encode()))


def test_cannot_write_to_a_workspace_that_was_claimed_read_only(daemon, user):
    sandbox = daemon.claim(workspace={"path": str(user.workspace), "mode": "ro"})
    assert sandbox.raw("PUT", "/files/data.csv", b"x")[0] == 403
    assert sandbox.raw("DELETE", "/files/data.csv")[0] == 403
    assert sandbox.raw("GET", "/files/data.csv") == (200, b"a,b\n1,2\n")
    sandbox.call("DELETE")


def test_cannot_list_more_than_the_limit(sandbox, user):
    many = user.folder(user.workspace / "many")
    for i in range(10001):
        os.close(os.open(many / str(i), os.O_CREAT))
    status, answer = sandbox.raw("GET", "/files/many")
    assert (status, json.loads(answer)["error"]["code"]) == (413, "too_large")
    os.unlink(user.workspace / "many/0")
    works_where_it_may(len(json.loads(sandbox.raw("GET", "/files/many")[1])["entries"]) == 10000)

"""What the kernel makes of a sandboxd that breaks, lies, is slow or is gone.

The stand-in plays sandboxd; each test says which fault. Whatever it is, the cell ends,
the user is told, and the next cell can run.
"""

import base64
import os
import struct
import threading
import zlib
from pathlib import Path

import pytest

from support.client import PATIENCE, Client
from support.kernel import DirectKernel, connection_info
from support.sandboxd_standin import Request, Sandbox, Standin, answer

pytestmark = pytest.mark.cellpod_only("there is no sandboxd behind other kernels")


@pytest.fixture
def standin(laboratory):
    standin = Standin(Path(laboratory.folder(f"standin-{os.urandom(4).hex()}")) / "s.sock")
    yield standin
    standin.close()


@pytest.fixture
def start(start_kernel, standin):
    def start_one(**options) -> DirectKernel:
        return start_kernel.on(connection_info(), arguments=["--sandbox", standin.place],
                               **options)
    return start_one


@pytest.fixture
def client(start) -> Client:
    return start().ready_client()


def errors(cell) -> str:
    error = cell.one("error").content
    assert cell.status == "error"
    assert cell.content["ename"] == error["ename"]
    return f"{error['ename']}: {error['evalue']} " + " ".join(error["traceback"])


def assert_works(client: Client) -> None:
    assert client.run("still here").stdout == "still here"


# --- the stream of events -------------------------------------------------------------------------


def test_cut_stream_is_taken_up_again(client, standin):
    """Routers cut streams as a matter of course: nothing twice, nothing missed."""
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        for number in range(200):
            sandbox.text(request, f"{number} ")
            if number % 20 == 10:
                sandbox.cut()
        sandbox.reply(request)

    standin.script = script
    assert client.run("count").stdout == "".join(f"{n} " for n in range(200))
    assert len(standin.resumes) > 1


def test_cut_in_the_middle_of_an_event(client, standin):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit("stream", {"name": "stdout", "text": "whole"}, request.id, send=False)
        sandbox.noise(sandbox.log[-1][1][:30])
        sandbox.cut()
        sandbox.reply(request)

    standin.script = script
    assert client.run("x").stdout == "whole"


def test_events_sent_twice_are_shown_once(client, standin):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.text(request, "once")
        sandbox.repeat()
        sandbox.reply(request)

    standin.script = script
    assert client.run("x").transcript == [("stdout", "once")]


@pytest.mark.parametrize("garbage", [
    b"not an envelope\n", b"[]\n", b"{}\n", b'{"type":"stream","bytes":-1}\n',
    b'{"type":"stream","seq":1,"bytes":2}\nabc', b"x" * 70000, b"\0\xff\n",
    b'{"type":"stream","bytes":999999999999}\n',
], ids=["text", "array", "no type", "negative", "wrong length", "long line", "binary", "huge"])
def test_garbage_on_the_stream_once(client, standin, garbage):
    """It is asked again, behind the last good event."""
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.text(request, "before ")
        sandbox.noise(garbage)
        sandbox.text(request, "after")
        sandbox.reply(request)

    standin.script = script
    assert client.run("x").stdout == "before after"


def test_garbage_each_time_ends_the_cell(client, standin):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.append(b"garbage\n", 3)

    standin.script = script
    assert "SandboxError" in errors(client.execute("x"))
    standin.script = answer
    assert_works(client)
    assert len(standin.claims) == 2 and standin.deleted == ["s1"]


def test_gap_is_told(client, standin):
    """Output that is lost is never passed over in silence."""
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit("stream", {"name": "stdout", "text": "x"}, request.id, skip=5)
        sandbox.reply(request)

    standin.script = script
    assert "missing" in errors(client.execute("x"))
    standin.script = answer
    assert_works(client)


def test_events_that_are_gone(client, standin):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.refused_after = 1000
        sandbox.cut()

    standin.script = script
    assert "lost" in errors(client.execute("x"))
    standin.script = answer
    assert_works(client)


def test_sandbox_that_has_ended(client, standin):
    last = client.send_execute("1")
    client.finish(last)
    standin.sandbox.end()
    assert "ended" in client.published_for(last, "stream").content["text"]
    assert_works(client)


def test_sandboxd_that_dies_during_a_cell(client, standin):
    started = threading.Event()

    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        started.set()

    standin.script = script
    first, second = client.send_execute("1"), client.send_execute("2")
    assert started.wait(10)
    standin.close()
    assert client.finish(first).content["ename"] == "SandboxError"
    assert client.finish(second).content == {"status": "aborted"}
    standin.open()
    standin.script = answer
    assert_works(client)


def test_sandboxd_that_dies_between_cells(client, standin):
    """The user hears of it at once, not from a NameError later."""
    last = client.send_execute("1")
    client.finish(last)
    standin.close()
    assert "variables are gone" in client.published_for(last, "stream").content["text"]
    standin.open()
    assert_works(client)


def test_reply_before_the_request_was_accepted(client, standin):
    """Events and answers come over two connections, so in any order."""
    def slow(handler) -> bool:
        request = Request(handler.body_bytes)
        answer(standin.sandbox, request)
        released.wait(10)
        handler.answer(202, {})
        return True

    client.run("1")
    released = threading.Event()
    standin.faults[("POST", "requests")] = slow
    assert client.run("early").stdout == "early"
    released.set()
    del standin.faults[("POST", "requests")]
    assert_works(client)


# --- claims ---------------------------------------------------------------------------------------


def test_kernel_info_while_nothing_answers(start, standin):
    """No sandbox is needed to say who one is."""
    released = threading.Event()
    standin.faults[("POST", "")] = lambda handler: not released.wait(20)
    client = start().ready_client()
    assert client.request("kernel_info_request").content["implementation"] == "cellpod"
    assert client.request("comm_info_request").content == {"status": "ok", "comms": {}}
    assert client.request("usage_request", channel="control").content["pid"]
    released.set()
    assert_works(client)


@pytest.mark.parametrize("waits_before", [(), ("history_request",)], ids=["first", "behind"])
def test_is_complete_is_answered_while_the_sandbox_starts(start, standin, waits_before):
    """Consoles wait for it for a second; what else waits is answered by the sandbox."""
    claimed = []
    standin.on_claim = claimed.append
    client = start().ready_client()
    before = [client.send(kind, {"hist_access_type": "tail", "n": 1}) for kind in waits_before]
    assert client.request("is_complete_request", {"code": "a"}).content == {"status": "unknown"}
    cell = client.send_execute("late")
    for sandbox in claimed:
        sandbox.ready()
    assert [client.finish(request).status for request in before] == ["ok"] * len(before)
    assert client.finish(cell).stdout == "late"


def test_refused_claim_is_told_and_tried_again(start, standin):
    standin.refuse("POST", "", 429, "all 4 sandboxes are taken; close a notebook")
    client = start().ready_client()
    cells = [client.send_execute("1"), client.send_execute("2")]
    assert "close a notebook" in errors(client.finish(cells[0]))
    client.finish(cells[1])
    assert client.request("complete_request", {"code": "a"}).status == "error"
    assert client.request("is_complete_request", {"code": "a"}).status == "unknown"
    standin.faults.clear()
    assert_works(client)


def test_sandbox_that_cannot_be_made(start, standin):
    standin.on_claim = lambda sandbox: sandbox.emit("sandbox_failed", {
        "code": "isolation", "layer": "user", "message": "user namespaces are forbidden",
        "remedy": "sysctl kernel.unprivileged_userns_clone=1"})
    client = start().ready_client()
    text = errors(client.execute("1"))
    assert "user namespaces are forbidden" in text and "sysctl" in text
    standin.on_claim = Sandbox.ready
    assert_works(client)


@pytest.mark.parametrize("body", [{}, {"id": 5}, {"id": "../x"}, {"id": "a", "token": "b\r\nc: d"}],
                         ids=["empty", "number", "path", "header"])
def test_claim_answered_with_nonsense(start, standin, body):
    def nonsense(handler) -> bool:
        handler.answer(201, body)
        return True

    standin.faults[("POST", "")] = nonsense
    client = start().ready_client()
    assert "SandboxError" in errors(client.execute("1"))
    standin.faults.clear()
    assert_works(client)


def test_waiting_cell_tells_what_it_waits_for(start, standin):
    """A line that goes away again when the cell begins."""
    standin.on_claim = lambda sandbox: None
    client = start().ready_client()
    cell = client.send_execute("1")
    line = client.published_for(cell, "display_data")
    assert "sandbox" in line.content["data"]["text/plain"]
    standin.sandbox.ready()
    client.published_for(cell, "clear_output")
    assert client.finish_rest(cell).content["status"] == "ok"


def test_interrupt_while_the_sandbox_is_claimed(start, standin):
    claimed = threading.Event()
    standin.on_claim = lambda sandbox: claimed.set()
    client = start().ready_client()
    waiting, queued = client.send_execute("1"), client.send_execute("2")
    client.wait_busy(waiting)
    assert claimed.wait(PATIENCE)
    assert client.request("interrupt_request", channel="control").status == "ok"
    assert client.finish_rest(waiting).content["ename"] == "KeyboardInterrupt"
    assert client.finish(queued).content == {"status": "aborted"}
    standin.sandbox.ready()
    assert_works(client)


def test_claim_says_what_the_sandbox_needs(start, standin, laboratory):
    env = {"CELLPOD_ENV_PASSTHROUGH": "WANTED,MISSING", "WANTED": "yes", "UNWANTED": "no",
           "JPY_SESSION_NAME": "a.ipynb", "IPYKERNEL_CELL_NAME": "cell.py", "CELLPOD_MOUNTS": "/usr/share,/var/lib:rw",
           "CELLPOD_WAIVE": "landlock"}
    start(env=env).ready_client().run("1")
    claim, = standin.claims
    assert claim["env"].items() >= {"WANTED": "yes", "JPY_SESSION_NAME": "a.ipynb",
                                    "IPYKERNEL_CELL_NAME": "cell.py"}.items()
    assert not {"UNWANTED", "MISSING", "PATH", "HOME"} & set(claim["env"])
    assert claim["workspace"] == {"path": str(laboratory.work), "mode": "rw"}
    assert claim["mounts"] == [
        {"source": "/usr/share", "target": "/usr/share", "mode": "ro"},
        {"source": "/var/lib", "target": "/var/lib", "mode": "rw"}]
    assert claim["waive"] == ["landlock"] and claim["owner"] is True
    assert os.path.isabs(claim["template"])


@pytest.mark.parametrize("folder", ["/", "/tmp", "/usr/share", str(Path.home()), "/etc"])
def test_folders_that_cells_shall_not_have(start, standin, folder):
    client = start(cwd=Path(folder)).ready_client()
    cell = client.run("1")
    (claim,) = standin.claims
    kept = Path(claim["workspace"]["path"])
    assert kept.parent == Path(os.environ["XDG_STATE_HOME"]).resolve() / "cellpod/folders"
    assert kept.stat().st_mode & 0o777 == 0o700
    assert f"cells cannot see {folder}" in cell.stderr and f"they work in {kept}" in cell.stderr
    assert client.run("1").stderr == ""


def test_files_that_cannot_be_kept_are_said_to_be_lost(start, standin, laboratory):
    taken = laboratory.root / "a file, not a folder"
    taken.touch()
    client = start(cwd=Path("/usr/share"), env={"XDG_STATE_HOME": str(taken)}).ready_client()
    cell = client.run("1")
    assert standin.claims[0]["workspace"] is None
    assert "an empty /workspace, whose files are lost with the sandbox" in cell.stderr


def test_python_that_is_not_there(start, standin):
    client = start(env={"CELLPOD_PYTHON": "/no/such/python"}).ready_client()
    assert "/no/such/python" in errors(client.execute("1"))
    assert standin.claims == []


def test_sandbox_on_another_machine(start_kernel):
    """Our paths mean nothing there, and the token is what opens it."""
    standin = Standin()
    try:
        kernel = start_kernel.on(connection_info(), arguments=["--sandbox", standin.place])
        client = kernel.ready_client()
        assert_works(client)
        assert set(standin.claims[0]) == {"env", "task_id"}
        assert standin.tokens == {None, "secret"}
        standin.sandbox.cut()
        assert_works(client)
        kernel.close()
        assert standin.deleted == ["s1"]
    finally:
        standin.close()


# --- requests, interrupts, input ------------------------------------------------------------------


def test_refused_request_is_told(client, standin):
    client.run("1")
    standin.refuse("POST", "requests", 413, "request too large")
    assert "too large" in errors(client.execute("2"))
    standin.faults.clear()
    assert_works(client)


def test_interrupt_that_came_too_early_is_given_again(client, standin):
    """A fresh worker has not begun the cell yet; the interrupt was meant for it."""
    running = threading.Event()

    def interrupt(sandbox: Sandbox, request_id: str) -> bool:
        if len(standin.interrupts) < 3:
            return False
        sandbox.fail(running.request, "KeyboardInterrupt")
        return True

    def script(sandbox: Sandbox, request: Request) -> None:
        running.request = request
        running.set()

    standin.script, standin.on_interrupt = script, interrupt
    cell = client.send_execute("1")
    assert running.wait(10)
    client.request("interrupt_request", channel="control")
    assert client.finish(cell).content["ename"] == "KeyboardInterrupt"
    assert set(standin.interrupts) == {running.request.id}


def test_interrupt_does_not_overtake_its_request(client, standin):
    client.run("1")
    arrived, released = threading.Event(), threading.Event()

    def slow(handler) -> bool:
        arrived.set()
        released.wait(10)
        return False

    standin.faults[("POST", "requests")] = slow
    standin.script = lambda sandbox, request: None
    standin.on_interrupt = lambda sandbox, request_id: (
        sandbox.fail(standin.requests[-1], "KeyboardInterrupt"), True)[1]
    cell = client.send_execute("2")
    assert arrived.wait(10)
    client.request("interrupt_request", channel="control")
    assert standin.interrupts == []
    released.set()
    assert client.finish(cell).content["ename"] == "KeyboardInterrupt"


def test_idle_interrupt_goes_nowhere(client, standin):
    client.run("1")
    assert client.request("interrupt_request", channel="control").status == "ok"
    assert_works(client)
    assert standin.interrupts == []


def test_input_reaches_the_sandbox(client, standin):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit("input_request", {"prompt": "name? ", "password": True}, request.id)
        standin.on_input = lambda sandbox, value: (
            sandbox.text(request, value), sandbox.reply(request))

    standin.script = script
    client.send("input_reply", {"value": "nobody asked"}, "stdin")
    cell = client.send_execute("input()", allow_stdin=True)
    asked = client.answer_input("Zo\u00eb \"\\ \n\0")
    assert asked.content == {"prompt": "name? ", "password": True}
    assert client.finish(cell).stdout == "Zo\u00eb \"\\ \n\0"


def test_input_for_a_cell_that_does_not_allow_it(client, standin):
    """The client's stdin is connected by the first question, so that a second one would arrive."""
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit("input_request", {"prompt": "", "password": False}, request.id)
        standin.on_input = lambda sandbox, value: sandbox.reply(request)
        if request.code == "not allowed":
            sandbox.reply(request)

    def asks() -> None:
        cell = client.send_execute("allowed", allow_stdin=True)
        assert client.answer_input("x").parent_id == cell
        client.finish(cell)

    standin.script = script
    asks()
    assert client.run("not allowed").outputs == []
    asks()


# --- what a sandbox has no business saying ------------------------------------------------------


@pytest.mark.parametrize("type, content", [
    ("stream", {"name": "stdout"}),
    ("stream", {"name": "stdout", "text": 5}),
    ("stream", b'{"name":"stdout","text":"\xff"}'),
    ("stream", b'{"name":"stdout","text":"\\ud800"}'),
    ("stream", b'{"name":"stdout","text":NaN}'),
    ("stream", b'null'),
    ("display_data", {"data": [], "metadata": {}, "transient": {}}),
    ("display_data", {"data": {"text/plain": 1}, "metadata": {}, "transient": {}}),
    ("display_data", {"data": {"<b>": "x"}, "metadata": {}, "transient": {}}),
    ("execute_result", {"data": {}, "metadata": {}}),
    ("error", {"ename": "x", "evalue": "y", "traceback": "z"}),
    ("comm_open", {"comm_id": "c", "data": {}}),
])
def test_malformed_output_is_told_and_not_passed_on(client, standin, type, content):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit(type, content, request.id)
        sandbox.reply(request)

    standin.script = script
    cell = client.run("x")
    assert "not shown" in cell.stderr
    assert cell.types == ["stderr"]


@pytest.mark.parametrize("type", ["status", "iopub_welcome", "debug_event", "x\ny", "hello"])
def test_message_types_that_a_sandbox_may_not_send(client, standin, type):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit(type, {"execution_state": "idle", "type": "event", "event": "stopped"}, request.id)
        sandbox.reply(request)

    standin.script = script
    assert client.run("x").outputs == []


@pytest.mark.parametrize("type", ["debug_reply", "shutdown_reply", "kernel_info_reply",
                                  "complete_reply", "profile_reply", "command_reply", "done"])
def test_a_reply_that_nothing_waits_for_ends_the_cell_by_name(client, standin, type):
    """Nothing else would: whoever sent it thinks that it has answered."""
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit(type, {"status": "ok", "matches": [], "metadata": {}, "type": "response"}, request.id)

    standin.script = script
    told = errors(client.execute("x"))
    assert "SandboxError" in told and f"`{type}'" in told
    standin.script = answer
    assert_works(client)


def test_a_reply_that_no_step_waits_for_ends_a_question_by_name(client, standin):
    def script(sandbox: Sandbox, request: Request) -> None:
        assert request.type == "announce_request"
        sandbox.start(request)
        sandbox.emit("attempt_reply", {"status": "ok"}, request.id)

    standin.script = script
    told = errors(client.execute("%%ask\ntotal?"))
    assert "SandboxError" in told and "`attempt_reply'" in told
    standin.script = answer
    assert_works(client)


def test_a_sandbox_cannot_announce_code_that_nobody_sent(client, standin):
    forged = {"code": "rm -rf /", "execution_count": 99}

    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.emit("execute_input", forged, request.id)
        sandbox.emit("execute_input", forged, standin.requests[0].id)
        sandbox.emit("execute_input", {**forged, "code": request.code}, "")
        answer(sandbox, request)

    client.run("first")
    standin.script = script
    cell = client.execute("second")
    assert cell.one("execute_input").content == {"code": "second", "execution_count": 2}


@pytest.mark.parametrize("type", ["display_data", "update_display_data", "execute_result"])
def test_a_sandbox_cannot_write_the_kernels_metadata(client, standin, type):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit(type, {"data": {"text/plain": "x"}, "transient": {}, "execution_count": 1,
                            "metadata": {"cellpod": {"question": "?"}, "mine": 1}},
                     request.id, metadata={"cellpod": 1, "mine": 2})
        sandbox.reply(request)

    standin.script = script
    shown = client.run("x").one(type)
    assert shown.content["metadata"] == {"mine": 1}
    assert shown.metadata == {"mine": 2}


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"status":5}', b'{"status":"ok","x":NaN}'])
def test_malformed_reply_ends_the_cell(client, standin, content):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit("execute_reply", content, request.id)

    standin.script = script
    assert "SandboxError" in errors(client.execute("x"))
    standin.script = answer
    assert_works(client)


def test_reply_for_another_request_ends_nothing(client, standin):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.emit("execute_reply", {"status": "ok"}, "x999")
        sandbox.emit("execute_reply", {"status": "ok"}, "")
        sandbox.emit("stream", {"name": "stdout", "text": "whose?"}, "x999")
        answer(sandbox, request)

    standin.script = script
    assert client.run("mine").stdout == "mine"


def test_output_after_the_end_keeps_its_parent(client, standin):
    """A thread goes on printing for the cell that started it."""
    first = client.send_execute("first")
    client.finish(first)
    client.run("second")
    standin.sandbox.text(standin.requests[0], "late")
    assert client.published_for(first, "stream").content["text"] == "late"


def test_worker_death_ends_its_cell_only(client, standin):
    queued = threading.Event()

    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        queued.wait(10)
        sandbox.emit("worker_exited", {"cause": "signal", "signal": "SIGSEGV",
                                       "message": "killed by SIGSEGV"}, request.id)
        sandbox.emit("worker_started")
        standin.script = answer

    standin.script = script
    first, second = client.send_execute("1"), client.send_execute("2")
    client.request("kernel_info_request", channel="control")  # by now it has both
    queued.set()
    cell = client.finish(first)
    assert "SIGSEGV" in errors(cell) and cell.content["ename"] == "WorkerDied"
    assert client.finish(second).content == {"status": "aborted"}
    assert_works(client)
    assert len(standin.claims) == 1


def test_notice_is_shown(client, standin):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit("notice", {"message": "the cell is in native code"}, request.id)
        sandbox.reply(request)

    standin.script = script
    assert client.run("x").stderr == "cellpod: the cell is in native code\n"


# --- images ---------------------------------------------------------------------------------------


def png(width: int, height: int) -> str:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\xff\0\0" * width) * height
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")).decode()


def show(client: Client, standin: Standin, data: dict, metadata: dict | None = None,
         type: str = "display_data"):
    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.emit(type, {"data": data, "metadata": metadata or {}, "transient": {"display_id": "d"},
                            "execution_count": 1}, request.id)
        sandbox.reply(request)

    standin.script = script
    cell = client.run("show")
    return cell.one(type).content, cell.stderr


@pytest.mark.parametrize("type", ["display_data", "update_display_data", "execute_result"])
def test_size_is_added(client, standin, type):
    data = {"image/png": png(30, 20) + "\n", "text/plain": "<Figure>"}
    content, stderr = show(client, standin, data, {"image/png": {"alt": "a"}, "isolated": True}, type)
    assert content["data"] == data
    assert content["metadata"] == {"image/png": {"width": 30, "height": 20, "alt": "a"},
                                   "isolated": True}
    assert content["transient"] == {"display_id": "d"} and stderr == ""


def test_size_of_retina_figures_is_kept(client, standin):
    metadata = {"image/png": {"width": 15, "height": 10}}
    content, _ = show(client, standin, {"image/png": png(30, 20)}, metadata)
    assert content["metadata"] == metadata


def test_image_that_does_not_decode_is_replaced(client, standin):
    content, stderr = show(client, standin, {"image/png": png(30, 20)[:60], "text/html": "<b>"},
                           {"image/png": {"width": 1}})
    assert set(content["data"]) == {"text/plain", "text/html"}
    assert content["metadata"] == {} and content["transient"] == {"display_id": "d"}
    assert "image/png is not shown" in stderr


# --- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["none", "hangs", "gone"])
def test_shutdown_whatever_sandboxd_does(start, standin, fault):
    kernel = start()
    client = kernel.ready_client()
    runs, released = threading.Event(), threading.Event()
    standin.script = lambda sandbox, request: runs.set()
    client.send_execute("never ends")
    assert runs.wait(PATIENCE)  # busy it is from before there is a sandbox
    if fault == "hangs":
        standin.faults[("DELETE", "")] = lambda handler: not released.wait(20)
    if fault == "gone":
        standin.close()
    exchange = client.request("shutdown_request", {"restart": True}, "control")
    assert exchange.content == {"status": "ok", "restart": True}
    assert exchange.one("shutdown_reply").content["restart"] is True
    assert kernel.wait_exit() == 0
    released.set()
    if fault == "none":
        assert standin.deleted == ["s1"]


def test_exit_ends_the_kernel(start, standin):
    kernel = start()
    client = kernel.ready_client()

    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        sandbox.reply(request, payload=[{"source": "ask_exit",
                                         "keepkernel": request.code == "keep"}])

    standin.script = script
    client.run("keep")
    client.run("keep")
    client.run("leave")
    assert kernel.wait_exit() == 0
    assert standin.deleted == ["s1"]


# --- slow readers ---------------------------------------------------------------------------------


def test_sandbox_waits_for_a_subscriber_that_has_stalled(start, standin):
    """The kernel neither drops output nor keeps all of it."""
    kernel = start()
    client = kernel.ready_client()
    stalled = kernel.client(backlog=10)
    stalled.sockets["iopub"].poll(10000)  # its welcome is there, and not read
    text = "x" * (1 << 20)
    count = 200

    def script(sandbox: Sandbox, request: Request) -> None:
        sandbox.start(request)
        for _ in range(count):
            sandbox.text(request, text)
        sandbox.reply(request)

    standin.script = script
    cell = client.send_execute("much")
    assert client.request("kernel_info_request", channel="control").status == "ok"
    status = Path(f"/proc/{kernel.pid}/status")
    received = 0
    while received < count:
        message = stalled.published(lambda m: m.parent_id == cell, timeout=30)
        received += message.type == "stream"
    assert client.finish(cell, timeout=30).stdout == text * count
    peak = int(next(line for line in status.read_text().splitlines()
                    if line.startswith("VmHWM")).split()[1])
    assert peak < 150 << 10

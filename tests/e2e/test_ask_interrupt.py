"""An interrupt in each state of a question: answered at once, connection closed, kernel ready.

The kernel is the real one, as built and under the sanitizers, where its exit also proves that
nothing was lost. Worker and model are stand-ins that stop where the test wants them to: what is
answered while they are stopped waits for nobody.
"""

import json
import os
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.client import PATIENCE, Client
from support.kernel import BUILD, REPOSITORY, DirectKernel, connection_info
from support.sandboxd_standin import Request, Sandbox, Standin, answer

sys.path.insert(0, str(REPOSITORY / "tests/bridge"))

from standin import Hang, StandIn, fault_429, open_stream, stream  # noqa: E402
from wires import CHAT  # noqa: E402

pytestmark = pytest.mark.cellpod_only("%%ask is cellpod's")

BUILDS = {"plain": BUILD, "sanitized": REPOSITORY / "build/asan"}
PROFILE = {"status": "ok", "packages": {"python": "3.11"}, "variables": [], "frames": [
    {"name": "df", "kind": "frame", "rows": 3, "columns": [{"name": "a", "dtype": "int64"}]}]}
INTERRUPTED = {"status": "error", "execution_count": 1, "ename": "KeyboardInterrupt",
               "evalue": "", "traceback": ["KeyboardInterrupt"]}
FAILED = {**INTERRUPTED, "ename": "ValueError", "traceback": ["ValueError: no"]}


class Worker:
    """Answers each step of a question, but for the one at which it stops."""

    def __init__(self, stop_at: str = "", attempts: tuple = ()):
        self.stop_at, self.attempts = stop_at, list(attempts)
        self.reached = threading.Event()
        self.stopped: Request | None = None
        self.kept: list[bool] = []

    def __call__(self, sandbox: Sandbox, request: Request) -> None:
        if request.type == self.stop_at:
            self.stop_at, self.stopped = "", request
            self.reached.set()
        else:
            self.answer(sandbox, request)

    def answer(self, sandbox: Sandbox, request: Request, **fields) -> None:
        step = getattr(self, request.type, None)
        if step is None:
            answer(sandbox, request)
        else:
            sandbox.emit(request.type.replace("_request", "_reply"),
                         {**step(sandbox, request), **fields}, request.id)

    def announce_request(self, sandbox: Sandbox, request: Request) -> dict:
        sandbox.start(request)
        return {"status": "ok", "execution_count": sandbox.count}

    def profile_request(self, sandbox: Sandbox, request: Request) -> dict:
        return PROFILE

    def check_request(self, sandbox: Sandbox, request: Request) -> dict:
        return {"status": "ok", "ok": True, "code": request.code, "problems": []}

    def attempt_request(self, sandbox: Sandbox, request: Request) -> dict:
        sandbox.text(request, "42")
        ended = self.attempts.pop(0) if self.attempts else {"status": "ok"}
        return {"execution_count": sandbox.count, "payload": [], "user_expressions": {}, **ended}

    def attempt_end_request(self, sandbox: Sandbox, request: Request) -> dict:
        self.kept.append(request.content["keep"])
        return {"status": "ok", "kept": request.content["keep"]}


class Question:
    """A kernel of this build whose sandbox is `worker`, and whose model says `scripts`."""

    def __init__(self, kernel: DirectKernel, standin: Standin, server: StandIn, worker: Worker):
        self.kernel, self.standin, self.server, self.worker = kernel, standin, server, worker
        self.client: Client = kernel.ready_client()

    def ask(self, cell: str = "%%ask\nthe sum of a") -> None:
        self.msg_id = self.client.send_execute(cell)

    def ask_until_stopped(self, cell: str = "%%ask\nthe sum of a") -> None:
        self.ask(cell)
        assert self.worker.reached.wait(PATIENCE)

    def wait_for_line(self, text: str) -> None:
        self.client.published(lambda m: text in m.content.get("data", {}).get("text/plain", ""))

    def interrupt(self) -> None:
        self.client.request("interrupt_request", channel="control")

    def release(self, **fields) -> None:
        self.worker.answer(self.standin.sandbox, self.worker.stopped, **fields)

    def reply(self) -> dict:
        return self.client.finish_rest(self.msg_id).content

    def expect_interrupted(self) -> None:
        assert self.reply()["ename"] == "KeyboardInterrupt"

    def expect_closed(self) -> None:
        for _ in self.server.requests:
            assert self.server.closed.acquire(timeout=PATIENCE), "the connection stays open"

    def expect_ready(self) -> None:
        """For a cell, and for a question."""
        assert self.client.run("a cell").stdout == "a cell"
        self.server.scripts[len(self.server.requests):] = [says("df.a.sum()")]
        cell = self.client.execute("%%ask\nanother question")
        assert cell.status == "ok", cell.content
        assert cell.stdout == "42"

    def leave(self) -> None:
        """With a sanitized kernel a leak is a status of its own."""
        self.client.request("shutdown_request", {"restart": False}, channel="control")
        assert self.kernel.wait_exit(PATIENCE) == 0, self.kernel.log_text()


def says(code: str) -> list:
    return stream(*CHAT.answer(f"```python\n{code}\n```"))


@pytest.fixture(params=BUILDS)
def question(request, start_kernel, laboratory, tmp_path):
    program = BUILDS[request.param] / "bin/cellpod-kernel"
    if not program.exists():
        pytest.skip("not built: make CONFIG=asan all unit-programs")
    with ExitStack() as stack:

        def start(*scripts: list, stop_at: str = "", attempts: tuple = ()) -> Question:
            server = stack.enter_context(StandIn(list(scripts)))
            worker = Worker(stop_at, attempts)
            folder = laboratory.folder(f"standin-{os.urandom(4).hex()}")
            standin = Standin(Path(folder) / "s.sock", worker)
            stack.callback(standin.close)
            write_config(tmp_path, server.url)
            kernel = start_kernel.on(
                connection_info(), arguments=["--sandbox", standin.place], program=program,
                env={"XDG_CONFIG_HOME": str(tmp_path / "config"),
                     "XDG_CACHE_HOME": str(tmp_path / "cache"),
                     "ASAN_OPTIONS": "detect_leaks=1:exitcode=99", "UBSAN_OPTIONS": "exitcode=99"})
            return Question(kernel, standin, server, worker)

        yield start


def write_config(folder: Path, url: str) -> None:
    provider = {**CHAT.settings(url), "model": "m-1"}
    file = folder / "config/cellpod/config.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"ask": {"provider": "test", "cache": False,
                                        "providers": {"test": provider}}}))


@pytest.mark.parametrize("step", ["announce_request", "profile_request", "check_request"])
def test_while_the_worker_prepares(question, step):
    """Its answer comes when nobody waits for it any more."""
    asked = question(says("1"), stop_at=step)
    asked.ask_until_stopped()
    asked.interrupt()
    asked.expect_interrupted()
    asked.release()
    asked.expect_ready()
    asked.leave()


THINKING = {
    "before the first byte": ([[Hang()]], "Asking"),
    "in the headers": ([[b"HTTP/1.1 200 OK\r\nContent-", Hang()]], "Asking"),
    "in the answer": ([open_stream(*CHAT.begin, CHAT.text("```python\n"), Hang())], "writes"),
    "waiting to retry": ([fault_429("50")], "again in"),
}


@pytest.mark.parametrize("scripts, line", THINKING.values(), ids=THINKING)
def test_while_the_model_is_asked(question, scripts, line):
    asked = question(*scripts)
    asked.ask()
    assert asked.server.arrived.acquire(timeout=PATIENCE)
    asked.wait_for_line(line)
    asked.interrupt()
    asked.wait_for_line("interrupted")
    asked.expect_interrupted()
    asked.expect_closed()
    asked.expect_ready()
    asked.leave()


def test_while_the_code_runs(question):
    """The worker ends the attempt; then the fork goes, and what it showed is not shown."""
    asked = question(says("1"), stop_at="attempt_request")
    asked.standin.on_interrupt = lambda *_: asked.release(**INTERRUPTED) or True
    asked.ask_until_stopped()
    asked.interrupt()
    asked.expect_interrupted()
    assert asked.worker.kept == [False]
    assert not [m for m in asked.client.unclaimed() if m.type == "stream"]
    asked.expect_ready()
    asked.leave()


def test_while_it_is_corrected(question):
    """The fork of the failed attempt is there until the worker is told."""
    asked = question(says("1"), [Hang()], attempts=(FAILED,))
    asked.ask()
    for _ in range(2):
        assert asked.server.arrived.acquire(timeout=PATIENCE)
    asked.interrupt()
    asked.expect_interrupted()
    assert asked.worker.kept == [False]
    asked.expect_closed()
    asked.expect_ready()
    asked.leave()


@pytest.mark.parametrize("kept, ename", [(True, None), (False, "WorkerDied")])
def test_while_the_fork_takes_over_it_is_too_late(question, kept, ename):
    """What is answered is what became of the variables, whatever the worker says of them."""
    asked = question(says("1"), stop_at="attempt_end_request")
    asked.ask_until_stopped()
    asked.interrupt()
    asked.client.ready_on_control()
    assert not [m for m in asked.client.unclaimed() if m.parent_id == asked.msg_id and
                m.channel == "shell"], "answered before it was known what stays"
    asked.release(kept=kept)
    assert asked.reply().get("ename") == ename
    asked.expect_ready()
    asked.leave()


def test_while_a_failed_attempt_goes_its_error_is_told(question):
    asked = question(says("1"), says("2"), stop_at="attempt_end_request",
                     attempts=(FAILED, FAILED))
    asked.ask_until_stopped("%%ask --retries 1\nthe sum of a")
    asked.interrupt()
    asked.release()
    assert asked.reply()["ename"] == "AskError"
    asked.expect_ready()
    asked.leave()


def test_while_models_are_listed(question):
    asked = question([Hang()])
    asked.ask("%ask --models")
    assert asked.server.arrived.acquire(timeout=PATIENCE)
    asked.interrupt()
    asked.expect_interrupted()
    asked.expect_closed()
    asked.expect_ready()
    asked.leave()


def test_when_nothing_is_asked(question):
    asked = question()
    asked.interrupt()
    asked.expect_ready()
    asked.leave()

"""Libraries with threads of their own, before and after a question: none hangs, and who cannot be
brought back is told before.

What is not in requirements/cellpod.txt is skipped here, and run by `make test-libraries`.
"""

import importlib.metadata

import pytest
from driver import Answer, Driver
from support.libraries import DATA, LIBRARIES

# It computes in a thread of its own, which nobody told us of.
STRANGER = """
import ctypes
libc = ctypes.CDLL(None)
mutex = ctypes.create_string_buffer(64)
def start(): libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, libc.pause, None)
def compute(): libc.pthread_mutex_lock(mutex), libc.pthread_mutex_lock(mutex)
"""


def wait_for_notice(worker: Driver) -> str:
    """Interrupted each second, as sandboxd does."""
    while True:
        worker.interrupt()
        try:
            while (message := worker.receive(1)).type != "notice":
                pass
        except TimeoutError:
            continue
        return message.content["message"]


def test_a_call_that_waits_for_a_thread_that_is_gone_is_named(worker: Driver, cwd):
    (cwd / "stranger.py").write_text(STRANGER)
    worker.run("import stranger; stranger.start()")
    worker.attempt("1 / 0")
    worker.end_attempt(keep=False)
    worker.start("stranger.compute()")
    assert wait_for_notice(worker).startswith("stranger waits in native code")


ENDS = {
    "answered": ("x = 2", True),
    "failed": ("x = 2; 1 / 0", False),
    "crashed": ("x = 2; import ctypes; ctypes.string_at(0)", False),
    "interrupted": ("x = 2; print('go')\nwhile True: pass", False),
}


@pytest.fixture(params=LIBRARIES)
def library(request, worker: Driver) -> tuple[Driver, str, str]:
    """It was used."""
    package, imports, use, word = LIBRARIES[request.param]
    if package not in {found.name.replace("_", "-") for found in importlib.metadata.distributions()}:
        pytest.skip(f"{package} is not installed: see requirements/libraries.in")
    answer = worker.run(f"x = 1\n{DATA}{imports}\nuse = lambda: ({use})\nuse() and None")
    if "numba" in request.param and answer.content.get("evalue", "").startswith("No threading layer"):
        pytest.skip(answer.content["evalue"])
    assert worker.run("_ = use()").status == "ok", answer.content
    return worker, request.param, word


def interrupted(worker: Driver, code: str) -> Answer:
    request, messages, seen = worker.send("attempt_request", {"code": code}), [], ""
    while "go\n" not in seen:  # the end of its line may come by itself
        messages.append(worker.receive())
        seen += messages[-1].content.get("text", "")
    worker.interrupt()
    answer = worker.until_reply(request)
    answer.messages[:0] = messages
    return answer


def test_it_works_after_every_question(library):
    """One after the other, in what each has left of the worker."""
    worker, name, word = library
    for end, (code, keep) in ENDS.items():
        if word and end == "crashed":
            continue  # it runs in the worker itself, and costs that
        for first in ("", "_ = use()\n"):
            worker.run("x = 1")
            print(name, end, first)
            run = interrupted if end == "interrupted" else Driver.attempt
            answer = run(worker, first + code)
            assert (answer.status == "ok") is keep
            notices = [n.content["message"] for n in answer.of("notice")]
            notices = [notice for notice in notices if "stays changed" in notice]
            assert [word in notice for notice in notices] == [True] * bool(word)
            assert worker.end_attempt(keep=keep)["kept"] is keep
            assert worker.run("x").result == ("2" if keep or word else "1")
            for _ in range(2):
                used = worker.run("_ = use()")
                assert used.status == "ok", used.content

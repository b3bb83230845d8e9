"""input() and getpass()."""

import pytest
from driver import Driver, Message


def question(worker: Driver) -> Message:
    while (message := worker.receive()).type != "input_request":
        pass
    return message


@pytest.mark.parametrize(
    ("code", "prompt", "password"),
    [
        ("input('name? ')", "name? ", False),
        ("input()", "", False),
        ("input(5)", "5", False),
        ("import getpass; getpass.getpass()", "Password: ", True),
        ("from getpass import getpass; getpass('key: ')", "key: ", True),
    ],
)
def test_a_question_is_asked_and_answered(worker: Driver, code, prompt, password):
    request = worker.start(code, allow_stdin=True)
    asked = question(worker)
    assert asked.content == {"prompt": prompt, "password": password}
    assert asked.parent == request
    worker.answer("va\u20aclue")
    assert worker.until_reply(request).result == "'va\u20aclue'"


def test_text_comes_before_the_question(worker: Driver):
    request = worker.start("print('first', end=''); input()", allow_stdin=True)
    assert [worker.receive().type for _ in range(3)] == [
        "execute_input", "stream", "input_request",
    ]  # fmt: skip
    worker.answer("")
    assert worker.until_reply(request).result == "''"


def test_end_of_file(worker: Driver):
    request = worker.start("input()", allow_stdin=True)
    question(worker)
    worker.answer("\x04")
    assert worker.until_reply(request).content["ename"] == "EOFError"


@pytest.mark.parametrize("name", ["raw_input", "getpass"])
def test_not_allowed(worker: Driver, name):
    code = "input()" if name == "raw_input" else "import getpass; getpass.getpass()"
    answer = worker.run(code, allow_stdin=False)
    assert answer.content["ename"] == "StdinNotImplementedError"
    expected = f"{name} was called, but this frontend does not support input requests."
    assert answer.content["evalue"] == expected
    assert worker.run(code).content["ename"] == "StdinNotImplementedError"


def test_two_questions_in_one_cell(worker: Driver):
    request = worker.start("input('a') + input('b')", allow_stdin=True)
    question(worker)
    worker.answer("1")
    question(worker)
    worker.answer("2")
    assert worker.until_reply(request).result == "'12'"


def test_the_debugger_asks(worker: Driver):
    worker.run("def f(x):\n    return 1 / x")
    worker.run("f(0)")
    request = worker.start("%debug", allow_stdin=True)
    assert question(worker).content["prompt"] == "ipdb> "
    worker.answer("x + 40")
    text = ""
    while (message := worker.receive()).type != "input_request":
        text += message.content.get("text", "")
    assert text == "40\n"
    worker.answer("q")
    assert worker.until_reply(request).status == "ok"


def test_a_thread_cannot_ask(worker: Driver):
    code = """
import threading
def ask():
    try: input()
    except Exception as e: print(type(e).__name__)
t = threading.Thread(target=ask); t.start(); t.join()"""
    assert worker.run(code, allow_stdin=True).text() == "StdinNotImplementedError\n"

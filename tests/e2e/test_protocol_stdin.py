"""input() and getpass(): who is asked, what may answer, what ends the wait."""

import os
import signal

import pytest


def ask(client, code: str = "answer = input('name? ')"):
    """Run a cell that asks; the input_request and the cell's id."""
    msg_id = client.send_execute(code, allow_stdin=True)
    asked = client.receive(("stdin",), lambda m: m.type == "input_request")
    return msg_id, asked


def answer(client, asked, content: dict) -> None:
    client.send("input_reply", content, "stdin", parent=asked.header)


def test_input(client):
    msg_id, asked = ask(client)
    assert asked.content == {"prompt": "name? ", "password": False}
    assert asked.parent_id == msg_id
    answer(client, asked, {"value": "Ünal \N{SNOWMAN}"})
    assert client.finish(msg_id).status == "ok"
    assert client.value("answer") == repr("Ünal \N{SNOWMAN}")


def test_password(client):
    msg_id, asked = ask(client, "import getpass; answer = getpass.getpass('secret? ')")
    assert asked.content == {"prompt": "secret? ", "password": True}
    answer(client, asked, {"value": "p4ss"})
    cell = client.finish(msg_id)
    assert "p4ss" not in str([m.content for m in cell.messages])
    assert client.value("answer") == "'p4ss'"


def test_prompts_need_not_be_text(client):
    msg_id, asked = ask(client, "answer = input(42)")
    assert asked.content["prompt"] == "42"
    answer(client, asked, {"value": ""})
    assert client.finish(msg_id).status == "ok"


def test_text_printed_before_the_question_comes_first(client):
    msg_id, asked = ask(client, "print('before'); answer = input()")
    client.wait_for_text(msg_id, "before\n")
    answer(client, asked, {"value": ""})
    assert client.finish_rest(msg_id).content["status"] == "ok"


def test_several_questions(client):
    msg_id, asked = ask(client, "answers = [input(str(n)) for n in range(3)]")
    for number in range(3):
        assert asked.content["prompt"] == str(number)
        answer(client, asked, {"value": f"answer {number}"})
        if number < 2:
            asked = client.receive(("stdin",), lambda m: m.type == "input_request")
    assert client.finish(msg_id).status == "ok"
    assert client.value("answers") == "['answer 0', 'answer 1', 'answer 2']"


def test_end_of_file(client):
    msg_id, asked = ask(client)
    answer(client, asked, {"value": "\x04"})
    assert client.finish(msg_id).content["ename"] == "EOFError"


def test_missing_value_is_empty(client):
    msg_id, asked = ask(client)
    answer(client, asked, {})
    client.finish(msg_id)
    assert client.value("answer") == "''"


@pytest.mark.parametrize("value", [{"value": "x", "status": "ok"}, {"value": "x", "extra": 1}])
def test_further_fields_are_ignored(client, value):
    msg_id, asked = ask(client)
    answer(client, asked, value)
    client.finish(msg_id)
    assert client.value("answer") == "'x'"


def test_the_answer_may_have_any_parent(client):
    msg_id, _ = ask(client)
    client.send("input_reply", {"value": "parentless"}, "stdin")
    client.finish(msg_id)
    assert client.value("answer") == "'parentless'"


@pytest.mark.parametrize("content", [{}, {"allow_stdin": False}], ids=["absent", "false"])
@pytest.mark.parametrize("code", ["input()", "__import__('getpass').getpass()"])
def test_input_without_stdin_is_an_error(client, code, content):
    msg_id, asked = ask(client)  # so that stdin is connected: a question would arrive
    answer(client, asked, {"value": ""})
    client.finish(msg_id)
    cell = client.request("execute_request", {"code": code, **content})
    assert cell.content["ename"] == "StdinNotImplementedError"
    assert "does not support input" in cell.content["evalue"]
    msg_id, asked = ask(client)  # the next question of all
    assert asked.parent_id == msg_id
    answer(client, asked, {"value": ""})
    client.finish(msg_id)


def test_allow_stdin_holds_for_one_cell_only(client):
    msg_id, asked = ask(client)
    answer(client, asked, {"value": ""})
    client.finish(msg_id)
    assert client.execute("input()").content["ename"] == "StdinNotImplementedError"


def test_the_asking_client_is_asked(client, connect):
    other = connect()
    msg_id, asked = ask(client)
    other.request("kernel_info_request", channel="control")
    assert not other.pending["stdin"]
    answer(client, asked, {"value": "mine"})
    client.finish(msg_id)


def test_stale_answer_is_not_used(client):
    client.send("input_reply", {"value": "stale"}, "stdin")
    client.run("pass")
    client.request("kernel_info_request", channel="control")
    msg_id, asked = ask(client)
    answer(client, asked, {"value": "fresh"})
    client.finish(msg_id)
    assert client.value("answer") == "'fresh'"


def test_unsigned_answer_is_not_used(client):
    msg_id, asked = ask(client)
    frames = client.frames("input_reply", {"value": "forged"}, parent=asked.header)
    frames[1] = b"0" * 64
    client.send_frames(frames, "stdin")
    answer(client, asked, {"value": "real"})
    client.finish(msg_id)
    assert client.value("answer") == "'real'"


@pytest.mark.beyond_ipykernel("takes any message for an answer")
def test_other_messages_on_stdin_are_not_answers(client):
    msg_id, asked = ask(client)
    client.send("execute_request", {"code": "1", "value": "x"}, "stdin")
    answer(client, asked, {"value": "real"})
    client.finish(msg_id)
    assert client.value("answer") == "'real'"


def test_control_and_heartbeat_live_while_asking(client):
    msg_id, asked = ask(client)
    assert client.request("kernel_info_request", channel="control").status == "ok"
    assert client.heartbeat() == b"ping"
    answer(client, asked, {"value": ""})
    assert client.finish(msg_id).status == "ok"


@pytest.mark.parametrize("code", ["input()", "__import__('getpass').getpass()"])
def test_interrupt_by_message_ends_the_wait(client, code):
    msg_id, asked = ask(client, code)
    assert client.request("interrupt_request", channel="control").status == "ok"
    assert client.finish(msg_id).content["ename"] == "KeyboardInterrupt"
    answer(client, asked, {"value": "too late"})
    later, asked = ask(client)
    answer(client, asked, {"value": "in time"})
    client.finish(later)
    assert client.value("answer") == "'in time'"


def test_interrupt_by_signal_ends_the_wait(client, kernel):
    msg_id, _ = ask(client)
    os.killpg(kernel.pid, signal.SIGINT)
    assert client.finish(msg_id).content["ename"] == "KeyboardInterrupt"


def test_input_can_be_asked_again_after_an_interrupt(client):
    code = ("try: input('first')\nexcept KeyboardInterrupt: print('caught')\n"
            "answer = input('second')")
    msg_id, _ = ask(client, code)
    client.request("interrupt_request", channel="control")
    asked = client.receive(("stdin",), lambda m: m.content.get("prompt") == "second")
    answer(client, asked, {"value": "again"})
    assert client.finish(msg_id).stdout == "caught\n"
    assert client.value("answer") == "'again'"


@pytest.mark.beyond_ipykernel("lives until the cell ends")
def test_shutdown_while_asking(start_kernel):
    kernel = start_kernel()
    client = kernel.ready_client()
    ask(client)
    kernel.note_processes()
    client.send("shutdown_request", {"restart": False}, "control")
    assert kernel.wait_exit() == 0


def test_long_answer(client):
    msg_id, asked = ask(client)
    answer(client, asked, {"value": "x" * 500_000})
    client.finish(msg_id)
    assert client.value("len(answer)") == "500000"


TRAPS = ["__import__('pdb').set_trace()", "breakpoint()",
         "__import__('IPython.core.debugger').core.debugger.set_trace()"]


@pytest.mark.parametrize("trap", TRAPS)
def test_interrupt_ends_a_debugger(client, trap):
    """Not only its prompt: there would be another one, and no reply. The code goes on."""
    msg_id, asked = ask(client, f"def f(n):\n    {trap}\n    return n\nf(41)")
    assert asked.content["prompt"] == "ipdb> "
    assert client.request("interrupt_request", channel="control").status == "ok"
    cell = client.finish_rest(msg_id)
    assert cell.content["status"] == "ok"
    assert client.value("_") == "41"


def test_interrupt_ends_a_post_mortem(client):
    client.execute("{}['key']")
    msg_id, asked = ask(client, "%debug")
    assert asked.content["prompt"] == "ipdb> "
    assert client.request("interrupt_request", channel="control").status == "ok"
    client.finish_rest(msg_id)
    assert client.value("1") == "1"


@pytest.mark.parametrize("trap", TRAPS)
def test_debugger_is_driven_through_stdin(client, trap):
    """It asks with its own prompt, and what it prints is seen."""
    msg_id, asked = ask(client, f"def f(n):\n    {trap}\n    return n\nf(41)")
    assert "pdb" in asked.content["prompt"].lower()
    answer(client, asked, {"value": "p n + 1"})
    client.wait_for_text(msg_id, "42")
    asked = client.receive(("stdin",), lambda m: m.type == "input_request")
    answer(client, asked, {"value": "c"})
    assert client.finish_rest(msg_id).content["status"] == "ok"

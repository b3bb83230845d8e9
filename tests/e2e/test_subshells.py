"""Subshells (JEP 91): shells beside the main one, each with a thread of its own."""

import uuid

import pytest

from support.client import NATIVE_LOOP, START
from support.saves import wait_for_checkpoint

pytestmark = pytest.mark.cellpod_only("what is refused, and how, is cellpod's")

MOST = 64  # LIMIT_SUBSHELLS
HELD = "import threading\ngo = threading.Event()\nprint('held', flush=True)\nassert go.wait({})"
LOOP = "print('held', flush=True)\nwhile True: pass"


@pytest.fixture
def client(start_kernel):
    client = start_kernel().ready_client()
    client.run("import os, threading, time", timeout=START)
    return client


def ask(client, command: str, **content):
    return client.request(f"{command}_subshell_request", content, channel="control").content


def create(client) -> str:
    reply = ask(client, "create")
    assert reply["status"] == "ok", reply
    return reply["subshell_id"]


def delete(client, subshell: str) -> dict:
    return ask(client, "delete", subshell_id=subshell)


def send(client, subshell: str | None, code: str, **content) -> str:
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, **content}
    return client.send("execute_request", content, header={"subshell_id": subshell})


def run(client, subshell: str | None, code: str, **content):
    cell = client.finish(send(client, subshell, code, **content), timeout=START)
    assert cell.status == "ok", cell.content
    return cell


def held(client, subshell: str | None, code: str = HELD.format(60)) -> str:
    """A cell that has begun."""
    cell = send(client, subshell, code)
    client.wait_for_text(cell, "held", START)
    return cell


def fails(client, cell: str, name: str) -> dict:
    content = client.finish_rest(cell, START).content
    assert (content["status"], content["ename"]) == ("error", name), content
    return content


def test_it_runs_beside_a_cell_and_its_output_is_its_own(client):
    subshell = create(client)
    cell = held(client, None)
    beside = run(client, subshell, "print('beside'); display('shown'); import sys; print('e', file=sys.stderr)\n"
                                   "os.write(1, b'raw\\n'); go.set(); threading.get_ident() != threading.main_thread().ident")
    assert beside.stdout.startswith("beside\n") and beside.stderr == "e\n"
    assert beside.one("execute_result").content["data"] == {"text/plain": "True"}
    assert beside.one("display_data").content["data"] == {"text/plain": "'shown'"}
    assert client.finish_rest(cell, START).content["status"] == "ok"


def test_names_and_count_are_shared(client):
    subshell = create(client)
    number = run(client, None, "x = 1").content["execution_count"]
    assert run(client, subshell, "x += 1; x").content["execution_count"] == number + 1
    assert run(client, None, "x").content["execution_count"] == number + 2
    cell = held(client, None)
    inner = [run(client, subshell, code).content["execution_count"] for code in ("a = 5; a", "go.set()")]
    outer = client.finish_rest(cell, START).content["execution_count"]
    assert [outer, *inner] == [number + 3, number + 4, number + 5]
    assert run(client, None, "a").content["execution_count"] == number + 6
    assert client.value(f"Out[{number + 4}], In[{number + 5}]") == "(5, 'go.set()')"
    assert run(client, subshell, "1", store_history=False).content["execution_count"] == number + 6
    assert run(client, subshell, " ").content["execution_count"] == number + 6
    assert run(client, subshell, "x = 7", silent=True).types == []


def test_payloads_and_errors_are_of_the_cell_that_made_them(client):
    subshell = create(client)
    cell = held(client, None, "get_ipython().set_next_input('main')\n" + HELD.format(60))
    wrong = client.finish(send(client, subshell, "get_ipython().set_next_input('sub'); 1/0"), timeout=START)
    assert wrong.content["ename"] == "ZeroDivisionError"
    assert [p["text"] for p in wrong.content["payload"]] == ["sub"]
    assert run(client, subshell, "go.set()").content["payload"] == []
    reply = client.finish_rest(cell, START).content
    assert reply["status"] == "ok" and [p["text"] for p in reply["payload"]] == ["main"]


def test_other_requests_are_answered_there_too(client):
    subshell = create(client)
    cell = held(client, None)
    header = {"subshell_id": subshell}
    found = client.request("complete_request", {"code": "thread", "cursor_pos": 6}, header=header, timeout=START)
    assert "threading" in found.content["matches"]
    assert client.request("kernel_info_request", header=header).status == "ok"
    assert client.request("is_complete_request", {"code": "1"}, header=header).status == "complete"
    run(client, subshell, "go.set()")
    client.finish_rest(cell, START)


def test_await_works_and_tasks_go_on(client):
    subshell = create(client)
    run(client, subshell, "import asyncio\nseen = threading.Event()\n"
                          "async def later():\n    await asyncio.sleep(0.05)\n    seen.set()\n"
                          "task = asyncio.create_task(later())\nawait asyncio.sleep(0)")
    assert run(client, None, "print(seen.wait(60))").stdout == "True\n"
    assert run(client, subshell, "print(await asyncio.sleep(0, 'awaited'))").stdout == "awaited\n"


def test_input_is_refused(client):
    cell = client.finish(send(client, create(client), "input()", allow_stdin=True), timeout=START)
    assert cell.content["ename"] == "StdinNotImplementedError"


def test_an_error_aborts_what_waits_in_that_subshell_alone(client):
    first, second = create(client), create(client)
    cells = [held(client, first, "go = threading.Event()\nprint('held')\ngo.wait(60)\n1/0"),
             *(send(client, first, "pass") for _ in range(3)), send(client, second, "go.set()"), send(client, None, "1")]
    replies = [client.reply_to(cell, timeout=START).content for cell in cells]
    assert [r["status"] for r in replies] == ["error", *["aborted"] * 3, "ok", "ok"]
    assert replies[1] == {"status": "aborted"}


# --- interrupts ----------------------------------------------------------------------------------


def test_an_interrupt_is_for_the_main_shells_cell_if_there_is_one(client):
    subshell = create(client)
    cell, beside = held(client, None, LOOP), held(client, subshell, LOOP)
    for each in (cell, beside):
        assert client.request("interrupt_request", channel="control").status == "ok"
        fails(client, each, "KeyboardInterrupt")
    assert client.value("1 + 1") == "2"
    assert run(client, subshell, "print('alive')").stdout == "alive\n"


def test_an_interrupt_ends_what_awaits_in_a_subshell(client):
    subshell = create(client)
    cell = held(client, subshell, "import asyncio\nprint('held')\nawait asyncio.sleep(600)")
    assert client.request("interrupt_request", channel="control").status == "ok"
    client.finish_rest(cell, START)
    assert run(client, subshell, "print(await asyncio.sleep(0, 'alive'))").stdout == "alive\n"


def test_interrupts_never_tear_what_is_said(client):
    """It says no more than 2000 times as much: on a busy machine an interrupt comes after that."""
    subshell = create(client)
    says = "print('held')\nfor _ in range(2000): print('x' * 1000); display(1)\nwhile True: pass"
    for _ in range(20):
        cell = held(client, subshell, says)
        assert client.request("interrupt_request", channel="control").status == "ok"
        client.finish_rest(cell, START)
    assert client.value("1 + 1") == "2"


# --- bounds, and bad input -----------------------------------------------------------------------


def test_a_thousand_subshells(client):
    made = [ask(client, "create") for _ in range(1000)]
    there = [reply["subshell_id"] for reply in made if reply["status"] == "ok"]
    refused = [reply for reply in made if reply["status"] != "ok"]
    assert (len(there), len(refused)) == (MOST, 1000 - MOST)
    assert "delete one first" in refused[0]["evalue"]
    assert ask(client, "list")["subshell_id"] == there
    assert [run(client, each, f"print({number})").stdout for number, each in enumerate(there)] == [
        f"{number}\n" for number in range(MOST)]
    assert all(delete(client, each)["status"] == "ok" for each in there)
    assert ask(client, "list")["subshell_id"] == []
    assert client.value("threading.active_count()") == "1"
    assert run(client, create(client), "print('again')").stdout == "again\n"


def test_what_is_not_a_subshell(client):
    gone = create(client)
    assert delete(client, gone)["status"] == "ok"
    for name in (gone, "", "x" * 5000, "'", str(uuid.uuid4())):
        cell = client.finish(send(client, name, "1"))
        assert (cell.content["ename"], cell.types) == ("UnknownSubshellError", [])
        client.notify("comm_msg", {"comm_id": "c", "data": {}}, header={"subshell_id": name})
        assert delete(client, name)["ename"] == "UnknownSubshellError"
    assert delete(client, 7)["ename"] == "UnknownSubshellError"
    assert ask(client, "delete")["ename"] == "UnknownSubshellError"
    assert client.finish(send(client, 7, "1"), timeout=START).status == "ok"  # not a name: the main shell
    assert client.value("1 + 1") == "2"


@pytest.mark.parametrize("code", [LOOP, NATIVE_LOOP], ids=["Python", "native"])
def test_one_is_deleted_while_it_runs(client, code):
    subshell = create(client)
    cell, waits = held(client, subshell, code), send(client, subshell, "1")
    assert delete(client, subshell)["status"] == "ok"
    assert "deleted while this ran" in fails(client, cell, "SubshellDeleted")["evalue"]
    assert client.finish(waits).content["ename"] == "UnknownSubshellError"
    assert ask(client, "list")["subshell_id"] == []
    assert client.value("1 + 1") == "2"
    if code is LOOP:
        joins = "for each in threading.enumerate():\n    each is threading.main_thread() or each.join()"
        assert run(client, None, joins).status == "ok"
        assert client.value("threading.active_count()") == "1"


def test_created_before_there_is_a_sandbox(start_kernel):
    client = start_kernel().ready_client()
    subshell = create(client)
    assert run(client, subshell, "print('first')").stdout.endswith("first\n")
    assert delete(client, subshell)["status"] == "ok"


# --- a worker that dies, and checkpoints -----------------------------------------------------------


def test_a_worker_that_dies_ends_what_runs_there(client):
    subshell = create(client)
    client.run("x = 'kept'")
    wait_for_checkpoint(client)
    cell = held(client, subshell, LOOP)
    assert client.execute("os._exit(3)", timeout=START).content["ename"] == "WorkerDied"
    assert "can be used again" in fails(client, cell, "WorkerDied")["evalue"]
    assert ask(client, "list")["subshell_id"] == [subshell]
    number = run(client, subshell, "print(x)").content["execution_count"]
    assert client.run("1").content["execution_count"] == number + 1


def test_a_subshell_that_ends_the_worker_ends_itself(client):
    subshell = create(client)
    client.run("x = 'kept'")
    wait_for_checkpoint(client)
    number = run(client, subshell, "pass").content["execution_count"]
    cell = send(client, subshell, "y = 1; os._exit(3)")  # no checkpoint is made in its midst
    assert "can be used again" in fails(client, cell, "WorkerDied")["evalue"]
    assert client.value("(x, 'y' in globals())") == "('kept', False)"
    assert client.run("1").content["execution_count"] == number + 2  # a number is not given again


def test_a_checkpoint_waits_until_no_subshell_runs(client):
    subshell = create(client)
    cell = held(client, subshell)
    client.run("x = 1")
    refused = client.execute("%undo")
    assert "a subshell is running" in refused.content["evalue"] or "nothing" in refused.content["evalue"]
    client.run("go.set()")
    client.finish_rest(cell, START)
    wait_for_checkpoint(client, "x = 2")
    assert client.execute("os._exit(1)", timeout=START).content["ename"] == "WorkerDied"
    assert client.value("x") == "2"
    assert run(client, subshell, "print(x)").stdout == "2\n"


def test_undo_keeps_subshells(client):
    subshell = create(client)
    run(client, subshell, "pass")
    for code in ("x = 1", "x = 2"):
        client.run(code)
        wait_for_checkpoint(client, "None")
    cell = held(client, subshell)
    refused = client.execute("%undo", timeout=START)
    assert (refused.content["ename"], "a subshell is running" in refused.content["evalue"]) == ("UsageError", True)
    client.run("go.set()")
    client.finish_rest(cell, START)
    wait_for_checkpoint(client, "None")
    client.run("%undo 2", timeout=START)
    assert client.value("x") == "1"
    assert run(client, subshell, "print(x)").stdout == "1\n"


# --- questions and debuggers -------------------------------------------------------------------------


def test_a_question_and_subshells_wait_for_each_other(start_kernel, tmp_path):
    private = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    client = start_kernel(env=private).ready_client()
    client.run("import pandas as pd; df = pd.DataFrame({'region': ['a', 'b'], 'profit': [1, 2]})", timeout=START)
    subshell = create(client)
    cell = held(client, subshell)
    question = client.send_execute("%%ask\ntotal profit by region")
    client.wait_busy(question)
    later = send(client, subshell, "print('later')")
    other = send(client, create(client), "go.set()")  # waits for the question, which waits for `cell`
    assert client.finish(send(client, "gone", "1")).status == "error"  # all before it was read
    assert not [m for m in client.pending["iopub"] if m.parent_id in (later, other)]
    assert client.request("kernel_info_request", channel="control").status == "ok"
    assert client.request("interrupt_request", channel="control").status == "ok"
    fails(client, question, "KeyboardInterrupt")
    assert not [m for m in client.pending["iopub"] if m.parent_id == question and m.type == "execute_input"]
    for each in (cell, later, other):
        assert client.finish_rest(each, START).content["status"] == "ok"
    assert client.execute("%%ask\ntotal profit by region", START).status == "ok"
    assert run(client, subshell, "print(len(df))").stdout == "2\n"
    refused = client.finish(send(client, subshell, "%%ask\ntotal profit by region"))
    assert "needs the main shell" in refused.content["evalue"]


def test_outputs_are_shown_again_in_the_main_shell_only(client):
    client.run("print('shown')")
    refused = client.finish(send(client, create(client), "%outputs"))
    assert "%outputs needs the main shell" in refused.content["evalue"]


def test_a_breakpoint_in_a_subshell(client):
    import test_debugger as debugger

    subshell = create(client)
    run(client, subshell, "pass")
    debugger.attach(client)
    code = "def add(a, b):\n    total = a + b\n    return total\nprint(add(2, 3))"
    path = debugger.ask(client, "dumpCell", code=code)["body"]["sourcePath"]
    debugger.ask(client, "setBreakpoints", source={"path": path}, breakpoints=[{"line": 2}])
    assert debugger.ask(client, "configurationDone")["success"]
    cell = send(client, subshell, code)
    stopped = debugger.await_event(client, "stopped")
    thread = stopped["body"]["threadId"]
    frames = debugger.ask(client, "stackTrace", threadId=thread)["body"]["stackFrames"]
    assert frames[0]["name"] == "add"
    assert ask(client, "list")["subshell_id"] == [subshell]
    assert debugger.ask(client, "continue", threadId=thread)["success"]
    client.wait_for_text(cell, "5", START)
    assert client.finish_rest(cell, START).content["status"] == "ok"


# --- comms -------------------------------------------------------------------------------------------

BUTTON = """
import ipywidgets
button = ipywidgets.Button()
@button.on_click
def clicked(_):
    print('clicked', threading.current_thread() is threading.main_thread())
    done.set()
done = threading.Event()
print(button.comm.comm_id)
"""
CLICK = {"method": "custom", "content": {"event": "click"}}


def test_a_widgets_button_answers_in_a_subshell_while_a_cell_runs(client):
    comm = client.run(BUTTON, timeout=START).stdout.split()[-1]
    subshell = create(client)
    cell = send(client, None, "print('held', flush=True); print(done.wait(60))")
    client.wait_for_text(cell, "held")
    click = client.notify("comm_msg", {"comm_id": comm, "data": CLICK}, header={"subshell_id": subshell})
    assert click.stdout == "clicked False\n"
    client.wait_for_text(cell, "True")
    assert client.finish_rest(cell, START).content["status"] == "ok"


def test_without_a_subshell_it_answers_when_the_cell_has_ended(client):
    comm = client.run(BUTTON, timeout=START).stdout.split()[-1]
    cell = held(client, None)
    later = client.send_execute("print(done.is_set())")
    click = client.send("comm_msg", {"comm_id": comm, "data": CLICK})
    run(client, create(client), "go.set()")
    assert client.finish_rest(cell, START).content["status"] == "ok"
    assert client.finish(click, reply=False).stdout == "clicked True\n"
    assert client.finish(later).stdout == "True\n"


def test_it_answers_while_a_cell_awaits(client):
    comm = client.run(BUTTON, timeout=START).stdout.split()[-1]
    cell = send(client, None, "import asyncio\nprint('held', flush=True)\n"
                              "while not done.is_set(): await asyncio.sleep(0.01)\nprint('after')")
    client.wait_for_text(cell, "held")
    click = client.notify("comm_msg", {"comm_id": comm, "data": CLICK})
    assert click.stdout == "clicked True\n"
    client.wait_for_text(cell, "after")
    assert client.finish_rest(cell, START).content["status"] == "ok"


FLOOD = """
import comm
got, go = [], threading.Event()
def opened(c, message):
    c.on_msg(lambda message: got.append(message["content"]["data"]["number"]))
comm.get_comm_manager().register_target("flood", opened)
"""


@pytest.mark.parametrize("code", [
    "go.wait()", "import asyncio\nwhile len(got) < 300: await asyncio.sleep(0.01)"], ids=["waits", "awaits"])
def test_comm_messages_keep_their_order(client, code):
    """More than are handed over at once, while a cell runs."""
    client.run(FLOOD, timeout=START)
    client.notify("comm_open", {"comm_id": "flood", "target_name": "flood", "data": {}})
    cell = send(client, None, f"print('held', flush=True)\n{code}")
    client.wait_for_text(cell, "held")
    sent = [client.send("comm_msg", {"comm_id": "flood", "data": {"number": number}})
            for number in range(300)]
    if code == "go.wait()":
        run(client, create(client), "go.set()")
    assert client.finish_rest(cell, START).content["status"] == "ok"
    assert client.value("got == list(range(300))") == "True"
    client.wait_idle(sent[-1], START)


def test_an_interrupt_of_a_comms_handler(client):
    comm = client.run(BUTTON.replace("done.set()", "\n    while True: pass"), timeout=START).stdout.split()[-1]
    click = client.send("comm_msg", {"comm_id": comm, "data": CLICK}, header={"subshell_id": create(client)})
    client.wait_for_text(click, "clicked")
    assert client.request("interrupt_request", channel="control").status == "ok"
    client.wait_idle(click, START)
    assert client.value("1 + 1") == "2"


def test_the_same_through_jupyter_client(start_kernel):
    """As JupyterLab does it: a subshell for the comm's target, named in the header."""
    through = start_kernel().manager.client()
    through.start_channels()
    try:
        through.wait_for_ready(timeout=START)
        shown: list[str] = []

        def take(message: dict) -> None:
            shown.append(message["content"].get("text", ""))

        through.execute_interactive(f"import threading{BUTTON}", output_hook=take, timeout=START)
        order = through.session.msg("create_subshell_request")
        through.control_channel.send(order)
        subshell = through.get_control_msg(timeout=START)["content"]["subshell_id"]
        cell = through.execute("print(done.wait(60))")
        click = through.session.msg("comm_msg", {"comm_id": "".join(shown).split()[-1], "data": CLICK})
        click["header"]["subshell_id"] = subshell
        through.shell_channel.send(click)
        reply = through.get_shell_msg(timeout=START)
        assert (reply["parent_header"]["msg_id"], reply["content"]["status"]) == (cell, "ok")
        texts = {click["header"]["msg_id"]: "", cell: ""}
        while not all(text.endswith("\n") for text in texts.values()):
            message = through.get_iopub_msg(timeout=START)
            if message["msg_type"] == "stream":
                texts[message["parent_header"]["msg_id"]] += message["content"]["text"]
        assert list(texts.values()) == ["clicked False\n", "True\n"]
    finally:
        through.stop_channels()

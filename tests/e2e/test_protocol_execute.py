"""execute_request: counts, silence, history, expressions, payloads and the abort queue."""

import re

import pytest


@pytest.fixture
def fresh(start_kernel):
    """A client of a kernel that has run nothing."""
    return start_kernel().ready_client()


def counts(cell) -> tuple:
    """execution_count in execute_input, execute_result and the reply; None where not sent."""
    published = {m.type: m.content.get("execution_count") for m in cell.messages}
    return (published.get("execute_input"), published.get("execute_result"),
            cell.content["execution_count"])


# Each row of the table of counts, on a fresh kernel (N = 1) and after one cell (N = 2):
# (code, content, execute_input, execute_result, reply, how much N grows), relative to N.
RESULT_COUNT = pytest.mark.beyond_ipykernel("IPython 9 shows unstored results as N-1")
COUNTS = {
    "normal": ("1", {}, 0, 0, 0, 1),
    "no result": ("x = 1", {}, 0, None, 0, 1),
    "raises": ("1/0", {}, 0, None, 0, 1),
    "syntax error": ("1 +", {}, 0, None, 0, 1),
    "store_history false": ("1", {"store_history": False}, 0, 0, -1, 0),
    "store_history false, raises": ("1/0", {"store_history": False}, 0, None, -1, 0),
    "silent": ("1", {"silent": True}, None, None, -1, 0),
    "silent, raises": ("1/0", {"silent": True}, None, None, -1, 0),
    "silent, store_history true": ("1", {"silent": True, "store_history": True},
                                   None, None, -1, 0),
    "empty": ("", {}, 0, None, -1, 0),
    "blank": (" \n\t\n", {}, 0, None, -1, 0),
}


def rows(table: dict) -> list:
    marks = {"store_history false": RESULT_COUNT}
    return [pytest.param(row, id=name, marks=marks.get(name, ())) for name, row in table.items()]


@pytest.mark.parametrize("cells_before", [0, 1])
@pytest.mark.parametrize("row", rows(COUNTS))
def test_execution_counts(fresh_each, row, cells_before):
    code, content, *offsets, growth = row
    client = fresh_each(cells_before)
    n = cells_before + 1
    cell = client.execute(code, **content)
    assert counts(cell) == tuple(None if o is None else n + o for o in offsets)
    assert counts(client.run("'next'"))[0] == n + growth


@pytest.fixture
def fresh_each(start_kernel):
    def start(cells: int):
        client = start_kernel().ready_client()
        for _ in range(cells):
            client.run("pass")
        return client
    return start


def test_silent_on_a_fresh_kernel_replies_zero(fresh):
    """qtconsole asks for its prompt number this way."""
    assert fresh.execute("", silent=True).content["execution_count"] == 0


def test_a_cell_publishes_in_order(client):
    cell = client.run("print('text'); 42")
    pieces = cell.of_type("stream")  # "text" and its line's end may come as two
    assert pieces and [m.state or m.type for m in cell.messages] == [
        "busy", "execute_input", *["stream"] * len(pieces), "execute_result", "idle"]


def test_execute_input_repeats_the_code(client):
    code = "# ünïcode \N{SNOWMAN}\n%time 1\n"
    cell = client.run(code)
    assert cell.one("execute_input").content["code"] == code


def test_ok_reply_is_complete(client):
    reply = client.run("'value'").reply
    assert set(reply.content) >= {"status", "execution_count", "user_expressions", "payload"}
    assert reply.content["user_expressions"] == {} and reply.content["payload"] == []
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)", reply.metadata["started"])


def test_error_reply_equals_the_published_error(client):
    cell = client.execute("def f():\n    return 1/0\nf()")
    published = cell.one("error").content
    assert cell.status == "error"
    for name in ("ename", "evalue", "traceback"):
        assert cell.content[name] == published[name]
    assert published["ename"] == "ZeroDivisionError"
    assert published["evalue"] == "division by zero"
    assert any("return 1/0" in plain(line) for line in published["traceback"])
    assert cell.content["user_expressions"] == {} and cell.content["payload"] == []


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_missing_optional_fields_have_defaults(client):
    cell = client.request("execute_request", {"code": "6*7"})
    assert cell.one("execute_result").content["data"]["text/plain"] == "42"


def test_result_that_is_none_or_hushed_is_not_sent(client):
    assert client.run("None").types == []
    assert client.run("42;").types == []


def test_silent_still_shows_text_and_errors(client):
    cell = client.execute("print('said')\nfrom IPython.display import HTML\n"
                          "display(HTML('<i>shown</i>'))\n1/0", silent=True)
    assert cell.types == ["stdout", "display_data", "error"]
    assert cell.of_type("execute_input", "execute_result") == []


def test_silent_leaves_no_history(client):
    client.run("'a marked cell'")
    client.execute("'a silent cell'", silent=True)
    client.execute("'an unstored cell'", store_history=False)
    client.execute("  ")
    history = client.request("history_request", {"hist_access_type": "tail", "n": 1, "raw": True,
                                                 "output": False}).content["history"]
    assert [entry[2] for entry in history] == ["'a marked cell'"]


def test_user_expressions(client):
    cell = client.run("a = 20", user_expressions={"sum": "a + 1", "bad": "1/0", "text": "'x'"})
    answers = cell.content["user_expressions"]
    assert answers["sum"] == {"status": "ok", "data": {"text/plain": "21"}, "metadata": {}}
    assert answers["text"]["data"]["text/plain"] == "'x'"
    assert answers["bad"]["status"] == "error"
    assert answers["bad"]["ename"] == "ZeroDivisionError"
    assert isinstance(answers["bad"]["traceback"], list) and answers["bad"]["evalue"]
    assert cell.types == []


def test_user_expressions_are_skipped_after_an_error(client):
    cell = client.execute("ran = False; 1/0", user_expressions={"e": "exec('ran = True')"})
    assert cell.content["user_expressions"] == {}
    assert client.value("ran") == "False"


def test_page_payload(client):
    payload, = client.run("len?").content["payload"]
    assert payload["source"] == "page" and payload["start"] >= 0
    assert "number of items" in payload["data"]["text/plain"]


def test_set_next_input_keeps_the_last(client):
    cell = client.run("ip = get_ipython(); ip.set_next_input('one'); ip.set_next_input('two')")
    payload, = cell.content["payload"]
    assert payload == {"source": "set_next_input", "text": "two", "replace": False}


def test_set_next_input_can_replace(client):
    payload, = client.run("get_ipython().set_next_input('x', replace=True)").content["payload"]
    assert payload["replace"] is True


def test_load_magic_replaces_the_cell(client):
    client.run("%%writefile loaded.py\nvalue = 1")
    payload, = client.run("%load loaded.py").content["payload"]
    assert payload["source"] == "set_next_input" and "value = 1" in payload["text"]


def test_payloads_do_not_stick(client):
    client.run("get_ipython().set_next_input('once')")
    assert client.run("pass").content["payload"] == []


def test_exit_ends_the_kernel(start_kernel):
    kernel = start_kernel()
    kernel.note_processes()
    payload, = kernel.ready_client().run("exit()").content["payload"]
    assert payload["source"] == "ask_exit" and not payload["keepkernel"]
    assert kernel.wait_exit() == 0


def test_exit_can_keep_the_kernel(client):
    payload, = client.run("exit(keep_kernel=True)").content["payload"]
    assert payload["source"] == "ask_exit" and payload["keepkernel"] is True
    assert client.run("1").types == ["execute_result"]


def test_sys_exit_is_an_error_and_the_kernel_lives(client):
    cell = client.execute("import sys; sys.exit(3)")
    assert (cell.status, cell.content["ename"], cell.content["evalue"]) == (
        "error", "SystemExit", "3")
    assert client.run("1").types == ["execute_result"]


@pytest.mark.beyond_ipykernel("replies with ename NoneType")
def test_error_while_formatting_the_result(client):
    client.run("class Broken:\n    def __repr__(self): raise RuntimeError('no repr')")
    cell = client.execute("Broken()")
    assert cell.status == "error" and cell.content["ename"] == "RuntimeError"
    assert cell.of_type("execute_result") == []


def test_cell_metadata_reaches_ipython(client):
    cell = client.execute("1/0", metadata={"cellId": "the-cell-id", "tags": ["x"]})
    assert cell.status == "error"
    client.run("ids = []\nget_ipython().events.register("
               "'pre_run_cell', lambda info: ids.append(info.cell_id))")
    client.run("pass", metadata={"cellId": "the-cell-id"})
    assert client.value("ids[0]") == "'the-cell-id'"
    client.run("get_ipython().events.callbacks['pre_run_cell'].clear()")


def test_syntax_error_is_shown(client):
    cell = client.execute("for for")
    assert cell.content["ename"] == "SyntaxError"
    assert cell.one("error").content["traceback"]


def test_top_level_await(client):
    cell = client.run("import asyncio\nawait asyncio.sleep(0)\nprint('awaited')")
    assert cell.stdout == "awaited\n"


def test_code_with_nul_is_answered(client):
    cell = client.execute("'a\0b'")
    assert cell.status == "error" and "ull" in cell.content["evalue"]
    assert client.run("1").types == ["execute_result"]


@pytest.mark.beyond_ipykernel("never answers an execute_request without code")
def test_execute_without_code_is_an_error(client):
    cell = client.request("execute_request", {})
    assert cell.status == "error"
    assert isinstance(cell.content["execution_count"], int)


# --- the abort queue ----------------------------------------------------------------------


HELD = "print('held'); input()\n"  # until release()


def send_held(client, code: str = "1/0", **content) -> str:
    """A cell that waits, so that a queue can form behind it, and then does what code says."""
    msg_id = client.send_execute(HELD + code, allow_stdin=True, **content)
    client.wait_for_text(msg_id, "held")
    return msg_id


def release(*clients):
    """Let the held cell go on; what the clients have sent until now is in the kernel."""
    for client in clients:
        client.request("kernel_info_request", channel="control")
    clients[0].answer_input("")


def test_error_aborts_the_executes_in_the_queue(client):
    failing = send_held(client)
    queued = [client.send_execute("'never'"),
              client.send_execute("'never'", silent=True),
              client.send_execute("'never'", stop_on_error=False)]
    release(client)
    assert client.finish(failing).status == "error"
    for msg_id in queued:
        cell = client.finish(msg_id)
        assert cell.content == {"status": "aborted"}
        assert cell.outputs == [] and cell.of_type("execute_input") == []
    assert client.run("1").types == ["execute_result"]


def test_other_requests_are_answered_amid_an_abort(client):
    client.run("abortable = 1")
    failing = send_held(client)
    queue = [
        ("execute_reply", client.send_execute("'never'")),
        ("kernel_info_reply", client.send("kernel_info_request")),
        ("complete_reply", client.send("complete_request", {"code": "abortab", "cursor_pos": 7})),
        ("execute_reply", client.send_execute("'never'")),
        ("inspect_reply", client.send("inspect_request", {"code": "abortable", "cursor_pos": 3,
                                                          "detail_level": 0})),
        ("is_complete_reply", client.send("is_complete_request", {"code": "1"})),
        ("history_reply", client.send("history_request", {
            "hist_access_type": "tail", "n": 1, "raw": True, "output": False})),
        ("comm_info_reply", client.send("comm_info_request", {})),
        ("execute_reply", client.send_execute("'never'")),
    ]
    release(client)
    assert client.finish(failing).status == "error"
    received = []
    for reply_type, msg_id in queue:
        exchange = client.finish(msg_id)
        received.append(exchange.reply.received)
        assert exchange.reply.type == reply_type
        expected = "aborted" if reply_type == "execute_reply" else "complete ok".split()
        assert exchange.status in expected
    assert received == sorted(received), "replies out of order"


def test_executes_of_other_clients_are_aborted_too(client, connect):
    other = connect()
    failing = send_held(client)
    queued = other.send_execute("'never'")
    release(client, other)
    assert client.finish(failing).status == "error"
    assert other.finish(queued).content == {"status": "aborted"}


@pytest.mark.parametrize("content", [{"stop_on_error": False}, {"silent": True}],
                         ids=["stop_on_error false", "silent"])
def test_error_that_does_not_abort(client, content):
    failing = send_held(client, **content)
    queued = client.send_execute("'runs'")
    release(client)
    assert client.finish(failing).status == "error"
    assert client.finish(queued).status == "ok"


def test_stop_on_error_is_the_default(client):
    failing = client.send("execute_request", {"code": HELD + "1/0", "allow_stdin": True})
    queued = client.send_execute("'never'")
    release(client)
    assert client.finish(failing).status == "error"
    assert client.finish(queued).content == {"status": "aborted"}


def test_a_cell_sent_after_the_error_reply_runs(client):
    assert client.execute("1/0").status == "error"
    assert client.run("'runs'").types == ["execute_result"]


def test_aborted_cells_do_not_count(client):
    before = client.run("pass").content["execution_count"]
    failing = send_held(client)
    queued = client.send_execute("'never'")
    release(client)
    client.finish(failing)
    client.finish(queued)
    assert client.run("pass").content["execution_count"] == before + 2

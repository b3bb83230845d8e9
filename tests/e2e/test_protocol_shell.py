"""Requests that do not run code: kernel_info, inspect, complete, history, comms and more."""

import pytest

from support.client import PATIENCE

# --- kernel_info, connect, usage ------------------------------------------------------------


@pytest.mark.parametrize("channel", ["shell", "control"])
def test_kernel_info(client, channel):
    info = client.request("kernel_info_request", channel=channel).content
    assert info["status"] == "ok"
    major, minor = info["protocol_version"].split(".")[:2]
    assert (major, int(minor) >= 2) == ("5", True)
    for name in ("implementation", "implementation_version", "banner"):
        assert isinstance(info[name], str) and info[name]
    language = info["language_info"]
    assert language["name"] == "python" and language["file_extension"] == ".py"
    assert language["mimetype"] == "text/x-python"
    assert language["pygments_lexer"].startswith("ipython")
    assert language["codemirror_mode"] == {"name": "ipython", "version": 3}
    assert language["nbconvert_exporter"] == "python"
    version = client.value("'.'.join(map(str, __import__('sys').version_info[:3]))")
    assert language["version"] == version.strip("'")
    for link in info["help_links"]:
        assert link["text"] and link["url"].startswith("http")
    assert isinstance(info.get("supported_features", []), list)


def test_connect(client):
    content = client.request("connect_request").content
    for channel in ("shell", "iopub", "stdin", "control", "hb"):
        assert content[f"{channel}_port"] == int(client.connection[f"{channel}_port"])


def test_usage(client):
    usage = client.request("usage_request", channel="control").content
    assert usage["hostname"] and isinstance(usage["pid"], int)
    assert usage["cpu_count"] >= 1
    assert usage["kernel_memory"] > 1 << 20


def test_shell_requests_on_control(client):
    """Only comms are confined to shell."""
    assert client.request("is_complete_request", {"code": "1"}, "control").status == "complete"
    reply = client.request("complete_request", {"code": "zi", "cursor_pos": 2}, "control")
    assert "zip" in reply.content["matches"]


# --- inspect ----------------------------------------------------------------------------------


def inspect(client, code: str, **content) -> dict:
    return client.request("inspect_request", {"code": code, **content}).content


def test_inspect(client):
    client.run('def documented(x):\n    "what it is for"\n    return x')
    found = inspect(client, "documented", cursor_pos=3, detail_level=0)
    assert (found["status"], found["found"]) == ("ok", True)
    assert "what it is for" in found["data"]["text/plain"]
    assert isinstance(found["metadata"], dict)
    assert "return x" not in found["data"]["text/plain"]


def test_inspect_more(client):
    client.run('def documented(x):\n    "what it is for"\n    return x')
    found = inspect(client, "documented", cursor_pos=3, detail_level=1)
    assert "return" in found["data"]["text/plain"]


def test_inspect_inside_a_call(client):
    found = inspect(client, "len(", cursor_pos=4, detail_level=0)
    assert found["found"] and "number of items" in found["data"]["text/plain"]


def test_inspect_nothing(client):
    found = inspect(client, "no_such_name", cursor_pos=5, detail_level=0)
    assert (found["status"], found["found"], found["data"]) == ("ok", False, {})


def test_inspect_defaults(client):
    assert inspect(client, "len", cursor_pos=2)["found"]


@pytest.mark.beyond_ipykernel("raises, and never answers")
def test_inspect_without_cursor(client):
    assert inspect(client, "len")["found"]


@pytest.mark.parametrize("position", [1000, 2**40])
def test_inspect_beyond_the_end(client, position):
    assert inspect(client, "len", cursor_pos=position, detail_level=0)["status"] == "ok"


def test_inspect_before_the_start(client):
    assert inspect(client, "len", cursor_pos=-5, detail_level=0)["status"] == "ok"


# --- complete ---------------------------------------------------------------------------------


def complete(client, code: str, position: int | None = None) -> dict:
    content = {"code": code, "cursor_pos": len(code) if position is None else position}
    return client.request("complete_request", content).content


def complete_at_last(client, code: str) -> dict:
    """What jedi finds. On a busy machine its time is over before; what it has read by then is
    kept for the next who asks."""
    while True:
        reply = complete(client, code)
        if reply["matches"]:
            return reply


def test_complete(client):
    client.run("completable_name = 1")
    reply = complete(client, "x = completable_n")
    assert reply["status"] == "ok"
    assert reply["matches"] == ["completable_name"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (4, 17)
    assert isinstance(reply["metadata"], dict)


def test_complete_in_the_middle(client):
    client.run("completable_name = 1")
    reply = complete(client, "completable_n + 1", 13)
    assert "completable_name" in reply["matches"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (0, 13)


@pytest.mark.parametrize("before", ["é = ", "'\N{GRINNING FACE}\N{GRINNING FACE}'; ", "名前 = "],
                         ids=["accent", "beyond the BMP", "wide"])
def test_complete_counts_code_points(client, before):
    client.run("completable_name = 1")
    code = before + "completable_n"
    reply = complete(client, code)
    assert reply["matches"] == ["completable_name"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (len(before), len(code))


def test_complete_unicode_names(client):
    client.run("größe_des_feldes = 1")
    reply = complete(client, "größe_d")
    assert reply["matches"] == ["größe_des_feldes"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (0, 7)


def test_complete_attributes_and_later_lines(client):
    reply = complete_at_last(client, "import math\nmath.fact")
    names = [match.rpartition(".")[2] for match in reply["matches"]]
    assert "factorial" in names
    assert reply["cursor_end"] == len("import math\nmath.fact")


def test_complete_what_a_package_and_its_objects_have(client):
    """jedi reads their sources, and must find a folder for what it has read."""
    client.run("import pandas as pd; frame = pd.DataFrame({'units': [1]})")
    assert "read_csv" in complete_at_last(client, "pd.read_")["matches"]
    assert "groupby" in complete_at_last(client, "frame.gro")["matches"]


def test_complete_types_run_parallel_to_matches(client):
    client.run("completable_name = 1\ndef completable_function(): pass")
    reply = complete(client, "completable_")
    types = reply["metadata"]["_jupyter_types_experimental"]
    assert [entry["text"] for entry in types] == reply["matches"]
    for entry in types:
        assert set(entry) >= {"start", "end", "text", "type"}


def test_complete_magics(client):
    assert "%timeit" in complete(client, "%timei")["matches"]
    assert "%%timeit" in complete(client, "%%timei")["matches"]


def test_complete_nothing(client):
    reply = complete(client, "no_such_prefix_")
    assert reply["matches"] == []
    assert reply["cursor_start"] == reply["cursor_end"] == len("no_such_prefix_")


@pytest.mark.beyond_ipykernel("raises, and never answers")
@pytest.mark.parametrize("position", [1000, 2**40, -1])
def test_complete_outside_the_code(client, position):
    reply = complete(client, "zi", position)
    assert reply["status"] == "ok"
    assert 0 <= reply["cursor_start"] <= reply["cursor_end"] <= 2


@pytest.mark.beyond_ipykernel("raises, and never answers")
def test_complete_without_cursor(client):
    assert "zip" in client.request("complete_request", {"code": "zi"}).content["matches"]


@pytest.mark.beyond_ipykernel("raises, and never answers")
@pytest.mark.parametrize("request_type", ["complete_request", "inspect_request",
                                          "is_complete_request"])
def test_missing_code_is_an_error_reply(client, request_type):
    reply = client.request(request_type, {}).content
    assert reply["status"] in ("error", "unknown")


# --- is_complete --------------------------------------------------------------------------------

COMPLETENESS = {
    "1": ("complete", None),
    "": ("complete", None),
    "def f(x):\n    return x\n\n": ("complete", None),
    "def f(x):": ("incomplete", "    "),
    "for x in y:\n    if x:": ("incomplete", "        "),
    "foo = [": ("incomplete", ""),
    "'''text": ("incomplete", ""),
    "%%timeit\na": ("incomplete", ""),
    "x = 1 +": ("invalid", None),
    "print hello": ("invalid", None),
    "%ls": ("complete", None),
    "!ls": ("complete", None),
}


@pytest.mark.parametrize("code, expected", COMPLETENESS.items(), ids=map(repr, COMPLETENESS))
def test_is_complete(client, code, expected):
    reply = client.request("is_complete_request", {"code": code}).content
    assert (reply["status"], reply.get("indent")) == expected


# --- history ----------------------------------------------------------------------------------


def history(client, kind: str, **content) -> list:
    content = {"output": False, "raw": True, "hist_access_type": kind, **content}
    return client.request("history_request", content).content["history"]


@pytest.fixture
def historian(start_kernel):
    """A client of a kernel whose session has three known cells."""
    client = start_kernel().ready_client()
    for code in ("first = 'marked one'", "first", "%time 'marked three'"):
        client.run(code)
    return client


def test_history_tail(historian):
    entries = history(historian, "tail", n=3)
    assert [entry[2] for entry in entries] == [
        "first = 'marked one'", "first", "%time 'marked three'"]
    assert [entry[1] for entry in entries] == [1, 2, 3]


def test_history_tail_spans_sessions(historian, start_kernel):
    """Kept where IPython keeps it: a later kernel sees what an earlier one ran."""
    historian.run("'the earlier session'")
    earlier = history(historian, "tail", n=1)[0]
    for kernel in start_kernel.kernels:
        kernel.close()
    later = start_kernel().ready_client()
    later.run("'the later session'")
    old, new = history(later, "tail", n=2)
    assert (old[2], new[2]) == ("'the earlier session'", "'the later session'")
    assert old[0] == earlier[0] < new[0]


def test_stored_variables_are_there_in_the_next_session(client, start_kernel):
    client.run("kept = {'a': [1, 2]}\n%store kept")
    other = start_kernel().ready_client()
    other.run("%store -r")
    assert other.value("kept") == "{'a': [1, 2]}"
    other.run("%store -z")


def test_history_translated(historian):
    entries = history(historian, "tail", n=1, raw=False)
    assert "run_line_magic('time'" in entries[0][2]


def test_history_range_of_this_session(historian):
    assert history(historian, "range", session=0, start=1, stop=3) == [
        [0, 1, "first = 'marked one'"], [0, 2, "first"]]


def test_history_range_without_end(historian):
    entries = history(historian, "range", session=0, start=2, stop=None)
    assert [entry[2] for entry in entries][:2] == ["first", "%time 'marked three'"]


@pytest.mark.beyond_ipykernel("IPython 9 answers 0 for the current session's number")
def test_history_range_by_session_number(historian):
    session = history(historian, "tail", n=1)[0][0]
    assert history(historian, "range", session=session, start=2, stop=3) == [[session, 2, "first"]]


def test_history_with_output(historian):
    entries = history(historian, "range", session=0, start=1, stop=3, output=True)
    assert [entry[2] for entry in entries] == [["first = 'marked one'", None],
                                               ["first", "'marked one'"]]


def test_history_search(historian):
    found = history(historian, "search", pattern="*marked*", n=10)
    assert [entry[2] for entry in found][-2:] == ["first = 'marked one'", "%time 'marked three'"]
    assert history(historian, "search", pattern="*no such cell*", n=10) == []


def test_history_search_unique(historian):
    for _ in range(3):
        historian.run("'repeated cell'")
    found = history(historian, "search", pattern="'repeated c?ll'", n=10, unique=True)
    assert [entry[2] for entry in found] == ["'repeated cell'"]


def test_history_of_unknown_kind(client):
    assert history(client, "astrology") == []


@pytest.mark.beyond_ipykernel("raises TypeError, and never answers")
def test_history_defaults(client):
    reply = client.request("history_request", {"hist_access_type": "tail", "n": 1})
    assert reply.status == "ok"


@pytest.mark.beyond_ipykernel("raises TypeError, and never answers")
def test_history_ignores_unknown_fields(historian):
    """jupyter console sends some."""
    assert history(historian, "tail", n=1, search_raw=True, rangestr="x") != []


# --- comms --------------------------------------------------------------------------------------

ECHO = """
import comm
received = []
def opened(comm, message):
    received.append(message)
    @comm.on_msg
    def on_msg(message):
        print('got', message['content']['data'])
        buffers = [bytes(b) for b in message['buffers']]
        comm.send({'echo': message['content']['data']}, {'meta': 1}, buffers[::-1])
    @comm.on_close
    def on_close(message):
        received.append(message)
    comm.send({'hello': message['content']['data']})
comm.get_comm_manager().register_target('echo', opened)
"""


@pytest.fixture
def echo(client):
    """A comm that the client has opened with an echoing target."""
    client.run(ECHO)
    comm_id = "the-client's-own-id-" + client.session
    client.hello = client.notify("comm_open", {"comm_id": comm_id, "target_name": "echo",
                                               "data": {"a": 1}})
    return comm_id


def test_comm_open(client, echo):
    answer = client.hello.one("comm_msg").content
    assert answer == {"comm_id": echo, "data": {"hello": {"a": 1}}}


def test_comm_msg_carries_buffers_both_ways(client, echo):
    buffers = [b"", b"\0\xff<IDS|MSG>", bytes(1_000_000)]
    exchange = client.notify("comm_msg", {"comm_id": echo, "data": {"n": 1}},
                             metadata={"version": "2.1.0"}, buffers=buffers)
    answer = exchange.one("comm_msg")
    assert answer.content == {"comm_id": echo, "data": {"echo": {"n": 1}}}
    assert answer.metadata == {"meta": 1}
    assert answer.buffers == buffers[::-1]
    assert exchange.stdout == "got {'n': 1}\n"


def test_comm_info(client, echo):
    everything = client.request("comm_info_request", {}).content["comms"]
    assert everything[echo] == {"target_name": "echo"}
    filtered = client.request("comm_info_request", {"target_name": "echo"}).content["comms"]
    assert echo in filtered
    null = client.request("comm_info_request", {"target_name": None}).content["comms"]
    assert echo in null
    assert client.request("comm_info_request", {"target_name": "none such"}).content["comms"] == {}


def test_comm_close(client, echo):
    exchange = client.notify("comm_close", {"comm_id": echo, "data": {"bye": 1}})
    assert exchange.of_type("comm_close") == []
    assert client.value("received[-1]['content']['data']") == "{'bye': 1}"
    assert echo not in client.request("comm_info_request", {}).content["comms"]


def test_comm_open_of_unknown_target_is_closed(client):
    exchange = client.notify("comm_open", {"comm_id": "orphan", "target_name": "no such target",
                                           "data": {}})
    assert exchange.one("comm_close").content["comm_id"] == "orphan"
    assert "no such target" in exchange.stderr
    assert "orphan" not in client.request("comm_info_request", {}).content["comms"]


@pytest.mark.parametrize("msg_type", ["comm_msg", "comm_close"])
def test_message_for_an_unknown_comm(client, msg_type):
    exchange = client.notify(msg_type, {"comm_id": "never opened", "data": {}})
    assert exchange.of_type("comm_msg", "comm_close", "error") == []
    assert client.run("1").types == ["execute_result"]


@pytest.mark.parametrize("content", [{}, {"comm_id": 5, "target_name": [], "data": None},
                                     {"comm_id": "x" * 100_000, "target_name": "t", "data": {}}],
                         ids=["empty", "wrong types", "long id"])
def test_malformed_comm_open_does_no_harm(client, content):
    client.notify("comm_open", content)
    assert client.run("1").types == ["execute_result"]


def test_comm_handler_that_raises(client):
    client.run("def bad(comm, message): raise RuntimeError('in the handler')\n"
               "comm_module = __import__('comm')\n"
               "comm_module.get_comm_manager().register_target('bad', bad)")
    exchange = client.notify("comm_open", {"comm_id": "b", "target_name": "bad", "data": {}})
    assert "in the handler" in exchange.stderr
    assert client.run("1").types == ["execute_result"]


def test_comm_opened_by_a_cell(client):
    cell = client.run("import comm\nc = comm.create_comm(target_name='front', data={'x': [1]},\n"
                      "                     metadata={'version': '2.1.0'}, buffers=[b'one', b''])")
    opened = cell.one("comm_open")
    assert opened.content["target_name"] == "front" and opened.content["data"] == {"x": [1]}
    assert opened.metadata == {"version": "2.1.0"}
    assert opened.buffers == [b"one", b""]
    comm_id = opened.content["comm_id"]
    assert client.run("c.send({'y': 2})").one("comm_msg").content == {
        "comm_id": comm_id, "data": {"y": 2}}
    assert client.run("c.close({'z': 3})").one("comm_close").content == {
        "comm_id": comm_id, "data": {"z": 3}}


def test_widget_state_round_trip(client):
    """What a slider in the browser sends, and what the kernel's callback answers."""
    cell = client.run("import ipywidgets\nslider = ipywidgets.IntSlider(value=3)\n"
                      "slider.observe(lambda change: print('moved to', change['new']), 'value')\n"
                      "slider")
    bundle = cell.one("execute_result").content["data"]
    model_id = bundle["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert model_id in {m.content["comm_id"] for m in cell.of_type("comm_open")}
    moved = client.notify("comm_msg", {"comm_id": model_id, "data": {
        "method": "update", "state": {"value": 7}, "buffer_paths": []}})
    assert moved.stdout == "moved to 7\n"
    assert client.value("slider.value") == "7"


def test_comm_messages_wait_for_the_running_cell(client, echo):
    running = client.send_execute("print('held'); input()", allow_stdin=True)
    client.wait_for_text(running, "held")
    waiting = client.send("comm_msg", {"comm_id": echo, "data": {"late": 1}})
    client.answer_input("")
    client.reply_to(running)
    answer = client.published_for(waiting, "comm_msg", PATIENCE)
    assert answer.content["data"] == {"echo": {"late": 1}}

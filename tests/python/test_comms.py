"""Comms, and the widgets that use them."""

from driver import Driver


def test_a_comm_from_the_cell(worker: Driver):
    answer = worker.run(
        "from comm import create_comm\n"
        "c = create_comm('target', data={'a': 1}, metadata={'m': 2}, buffers=[b'xy', b''])\n"
        "c.send({'b': float('nan')}, buffers=[memoryview(b'\\x00\\xff')]); c.close()"
    )
    opened, message, closed = answer.of("comm_open", "comm_msg", "comm_close")
    assert opened.content["target_name"] == "target"
    assert opened.content["data"] == {"a": 1}
    assert (opened.metadata, opened.buffers) == ({"m": 2}, [b"xy", b""])
    assert (message.content["data"], message.buffers) == ({"b": "nan"}, [b"\x00\xff"])
    assert closed.content["comm_id"] == opened.content["comm_id"]
    assert opened.parent == answer.request


def test_a_comm_from_the_client(worker: Driver):
    worker.run("""
import comm
got = []
def opened(c, message):
    got.append((message['content']['data'], message['metadata'], bytes(message['buffers'][0])))
    c.on_msg(lambda m: (print('got', m['content']['data']), c.send({'echo': 1})))
    c.on_close(lambda m: got.append('closed'))
comm.get_comm_manager().register_target('t', opened)""")
    content = {"comm_id": "c1", "target_name": "t", "data": {"x": 1}}
    answer = worker.ask("comm_open", content, metadata={"v": 1}, buffers=(b"\x01",))
    assert (answer.reply.type, answer.messages) == ("done", [])
    assert worker.run("got").result == "[({'x': 1}, {'v': 1}, b'\\x01')]"
    answer = worker.ask("comm_msg", {"comm_id": "c1", "data": {"n": 5}})
    assert answer.text() == "got {'n': 5}\n"
    assert answer.of("comm_msg")[0].content["data"] == {"echo": 1}
    assert {m.parent for m in answer.messages} == {answer.request}
    info = worker.ask("comm_info_request", {})
    assert info.content == {"status": "ok", "comms": {"c1": {"target_name": "t"}}}
    assert worker.ask("comm_info_request", {"target_name": "u"}).content["comms"] == {}
    worker.ask("comm_close", {"comm_id": "c1", "data": {}})
    assert worker.run("got[-1]").result == "'closed'"
    assert worker.ask("comm_info_request", {"target_name": None}).content["comms"] == {}


def test_an_unknown_target_is_closed(worker: Driver):
    answer = worker.ask("comm_open", {"comm_id": "c", "target_name": "none", "data": {}})
    assert "No such comm target registered: none" in answer.text("stderr")
    (closed,) = answer.of("comm_close")
    assert closed.content == {"comm_id": "c", "data": {}}


def test_unknown_comms_and_failing_handlers(worker: Driver):
    assert worker.ask("comm_msg", {"comm_id": "x", "data": {}}).reply.type == "done"
    assert worker.ask("comm_close", {"comm_id": "x"}).reply.type == "done"
    assert worker.ask("comm_msg", {}).reply.type == "done"
    worker.run(
        "import comm\n"
        "comm.get_comm_manager().register_target('t', lambda c, m: c.on_msg(lambda m: 1/0))"
    )
    worker.ask("comm_open", {"comm_id": "c", "target_name": "t", "data": {}})
    answer = worker.ask("comm_msg", {"comm_id": "c", "data": {}})
    assert "ZeroDivisionError" in answer.text("stderr")
    assert worker.run("1").result == "1"


def test_a_slider(worker: Driver):
    answer = worker.run(
        "import ipywidgets as w\ns = w.IntSlider(3)\n"
        "s.observe(lambda c: print('moved to', c['new']), 'value')\ns"
    )
    ids = {m.content["data"]["state"]["_model_name"]: m.content["comm_id"]
           for m in answer.of("comm_open")}  # fmt: skip
    assert "IntSliderModel" in ids
    bundle = answer.of("execute_result")[0].content["data"]
    assert bundle["application/vnd.jupyter.widget-view+json"]["model_id"] == ids["IntSliderModel"]
    assert answer.of("comm_open")[0].metadata["version"].startswith("2.")
    update = {"method": "update", "state": {"value": 7}, "buffer_paths": []}
    answer = worker.ask("comm_msg", {"comm_id": ids["IntSliderModel"], "data": update})
    assert answer.text() == "moved to 7\n"
    assert worker.run("s.value").result == "7"
    answer = worker.run("s.value = 9")
    assert answer.of("comm_msg")[0].content["data"]["state"] == {"value": 9}


def test_interact_draws_a_chart_into_its_output(worker: Driver):
    answer = worker.run("""
import ipywidgets as w, matplotlib.pyplot as plt
@w.interact(n=(1, 5))
def draw(n=2):
    plt.plot(range(n)); print('n is', n)""")
    slider = next(m.content["comm_id"] for m in answer.of("comm_open")
                  if m.content["data"]["state"]["_model_name"] == "IntSliderModel")  # fmt: skip
    claims = [m.content["data"]["state"].get("msg_id") for m in answer.of("comm_msg")]
    assert f"m-{answer.request}" in claims
    assert len(answer.pngs) == 1
    update = {"method": "update", "state": {"value": 4}, "buffer_paths": []}
    answer = worker.ask("comm_msg", {"comm_id": slider, "data": update})
    assert answer.text() == "n is 4\n"
    assert len(answer.pngs) == 1
    claims = [m.content["data"]["state"].get("msg_id") for m in answer.of("comm_msg")]
    assert f"m-{answer.request}" in claims


def test_an_output_widget_takes_text(worker: Driver):
    answer = worker.run("import ipywidgets as w\no = w.Output()\nwith o: print('inside')\nprint(1)")
    types = [name for name in answer.types if name in ("comm_msg", "stdout")]
    assert types == ["comm_msg", "stdout", "comm_msg", "stdout"]


def test_tqdm_notebook(worker: Driver):
    answer = worker.run(
        "from tqdm.auto import tqdm\nfrom tqdm.notebook import tqdm as bar\n"
        "print(tqdm is bar or issubclass(tqdm, bar))\nfor _ in bar(range(3), mininterval=0): pass"
    )
    assert answer.text() == "True\n"
    states = [m.content["data"].get("state", {}) for m in answer.of("comm_msg")]
    assert any(s.get("value") == 3.0 for s in states)


def test_importing_ipykernel_does_not_take_the_comms_away(worker: Driver):
    worker.run("import ipykernel.ipkernel, comm")
    assert worker.run("comm.create_comm('t')").of("comm_open")


def test_what_libraries_ask_of_the_kernel(worker: Driver):
    assert worker.run("type(get_ipython()).__name__").result == "'ZMQInteractiveShell'"
    assert worker.run("'IPKernelApp' in get_ipython().config").result == "True"
    code = "k = get_ipython().kernel; k.get_parent()['header']['msg_id']"
    answer = worker.run(code)
    assert answer.result == f"'m-{answer.request}'"
    assert worker.run("k.shell is get_ipython(), k.comm_manager.comms").result == "(True, {})"
    worker.run("k.send_response(k.iopub_socket, 'stream', {'name': 'stdout', 'text': 'hi'})")
    answer = worker.run("k.session.send(k.iopub_socket, 'display_data',"
                        " {'data': {}, 'metadata': {}, 'transient': {}}); pass")  # fmt: skip
    assert answer.types == ["execute_input", "display_data"]

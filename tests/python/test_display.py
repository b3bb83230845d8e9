"""Rich results: MIME bundles, updates, clear_output, JSON that clients can read."""

import base64

from driver import Driver


def test_display_data(worker: Driver):
    answer = worker.run("display({'text/plain': 'p', 'text/html': '<b>'}, raw=True)")
    assert answer.of("display_data")[0].content == {
        "data": {"text/plain": "p", "text/html": "<b>"}, "metadata": {}, "transient": {},
    }  # fmt: skip


def test_update_display(worker: Driver):
    worker.run("h = display('one', display_id='id-1')")
    answer = worker.run("h.update('two')")
    (update,) = answer.of("update_display_data")
    assert update.content["data"] == {"text/plain": "'two'"}
    assert update.content["transient"] == {"display_id": "id-1"}
    assert update.parent == answer.request


def test_clear_output(worker: Driver):
    answer = worker.run(
        "from IPython.display import clear_output\nprint('a'); clear_output(wait=True); print('b')"
    )
    assert answer.types == ["execute_input", "stdout", "clear_output", "stdout"]
    assert answer.of("clear_output")[0].content == {"wait": True}
    assert worker.run("clear_output()").of("clear_output")[0].content == {"wait": False}


def test_rich_reprs(worker: Driver):
    code = """
class Rich:
    def _repr_html_(self): return '<i>h</i>'
    def _repr_png_(self): return b'\\x89PNG'
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'application/x+json': {'a': [1]}}, {'application/x+json': {'expanded': True}}
Rich()"""
    content = worker.run(code).of("execute_result")[0].content
    assert content["data"]["text/html"] == "<i>h</i>"
    assert base64.b64decode(content["data"]["image/png"]) == b"\x89PNG"
    assert content["data"]["application/x+json"] == {"a": [1]}
    assert content["metadata"] == {"application/x+json": {"expanded": True}}
    assert content["data"]["text/plain"].startswith("<__main__.Rich")


def test_a_table(worker: Driver):
    data = worker.run("import pandas as pd; pd.DataFrame({'a': [1, 2]})").of("execute_result")
    assert '<table border="1" class="dataframe">' in data[0].content["data"]["text/html"]
    assert data[0].content["data"]["text/plain"] == "   a\n0  1\n1  2"


def test_what_is_no_json_is_sent_as_jupyter_client_does(worker: Driver):
    code = """
import datetime, numpy
class J:
    def __init__(self, v): self.v = v
    def _repr_mimebundle_(self, **k): return {'application/json': self.v, 'text/plain': 't'}
display(J({'nan': float('nan'), 'inf': [float('-inf')], 'set': {1}, 'bytes': b'ab',
           'np': numpy.int64(3), 'npf': numpy.float64('nan'), 'arr': numpy.arange(2),
           'when': datetime.date(2024, 2, 3), 5: 'key', 'big': 10**30, 'sur': '\\ud800'}))"""
    (shown,) = worker.run(code).of("display_data")
    assert shown.content["data"]["application/json"] == {
        "nan": "nan", "inf": ["-inf"], "set": [1], "bytes": "YWI=", "np": 3, "npf": "nan",
        "arr": [0, 1], "when": "2024-02-03", "5": "key", "big": 10**30, "sur": "\\ud800",
    }  # fmt: skip


def test_what_cannot_be_sent_is_an_error_in_the_cell(worker: Driver):
    code = "x = []\nfor _ in range(2000): x = [x]\n"
    code += "display({'application/json': x, 'text/plain': ''}, raw=True)"
    answer = worker.run(code)
    assert (answer.status, answer.of("display_data")) == ("error", [])
    answer = worker.run("x = []; x.append(x); display({'application/json': x}, raw=True)")
    assert answer.status == "error"
    answer = worker.run("display({'text/plain': object()}, raw=True)")
    assert answer.content["ename"] == "TypeError"
    answer = worker.run("display({'text/plain': 'x' * (257 << 20)}, raw=True)")
    assert "256 MiB" in answer.content["evalue"]
    assert worker.run("1").result == "1"


def test_a_result_that_cannot_be_sent_is_an_error(worker: Driver):
    code = """
class Deep:
    def _repr_mimebundle_(self, **k):
        x = []
        for _ in range(600): x = [x]
        return {'application/json': x, 'text/plain': ''}
Deep()"""
    answer = worker.run(code)
    assert (answer.status, answer.of("execute_result")) == ("error", [])


def test_hooks(worker: Driver):
    code = """
kept = []
pub = get_ipython().display_pub
pub.register_hook(lambda message: kept.append(message['content']['data']))
display(1)
pub._hooks.clear()
display(2)
kept"""
    answer = worker.run(code)
    assert answer.result == "[{'text/plain': '1'}]"
    assert [m.content["data"]["text/plain"] for m in answer.of("display_data")] == ["2"]


def test_capture_and_output_history(worker: Driver):
    answer = worker.run("%%capture out\nprint('t'); display('d'); 'r'")
    assert answer.types == ["execute_input"]
    assert worker.run("len(out.outputs), out.stdout").result == "(2, 't\\n')"

"""Magics and shell commands."""

import json

import pytest
from driver import Driver


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("!echo hello", "hello\n"),
        ("x = 5\n!echo $x {x + 1}", "5 6\n"),
        ("%%bash\necho a\necho b", "a\nb\n"),
        ("%%sh\necho a", "a\n"),
        ("%%python3\nprint('other')", "other\n"),
        ("%env CELLPOD_X=1\n!echo $CELLPOD_X", "env: CELLPOD_X=1\n1\n"),
        ("%cd -q /tmp\n!pwd", "/tmp\n"),
        ("a = !printf '1\\n2\\n'\nprint(a)", "['1', '2']\n"),
        ("%precision 2\nprint(1)", "1\n"),
    ],
)
def test_output_of_magics(worker: Driver, code, text):
    answer = worker.run(code)
    assert answer.status == "ok"
    assert answer.text().replace("\r\n", "\n") == text


def test_exit_codes_of_commands(worker: Driver):
    worker.run("!exit 3")
    assert worker.run("_exit_code").result == "3"
    assert worker.run("%%bash\nexit 4").content["ename"] == "CalledProcessError"


def test_a_command_prints_as_it_goes(worker: Driver):
    request = worker.start("!python3 -c 'import time; print(1); time.sleep(100)'")
    seen = ""
    while "1" not in seen:
        seen += worker.receive().content.get("text", "")
    worker.interrupt()
    worker.until_reply(request)


def test_bash_stderr_goes_to_stderr(worker: Driver):
    answer = worker.run("%%bash\necho out\necho err >&2")
    assert (answer.text(), answer.text("stderr")) == ("out\n", "err\n")


def test_time_and_timeit(worker: Driver):
    assert "Wall time" in worker.run("%time sum(range(10))").text()
    assert "loop" in worker.run("%timeit -n 2 -r 2 pass").text()
    assert "loop" in worker.run("%%timeit -n 2 -r 2 x = 1\nx + 1").text()
    assert "CPU times" in worker.run("%%time\nx = 1").text()
    assert worker.run("%prun -q sum(range(10))").status == "ok"


def test_run_a_file(worker: Driver, cwd):
    (cwd / "script.py").write_text("import sys\nvalue = len(sys.argv)\nprint(__name__, value)\n")
    assert worker.run("%run script.py a b").text() == "__main__ 3\n"
    assert worker.run("value").result == "3"


def test_run_a_file_that_draws_nothing(worker: Driver, cwd):
    (cwd / "text.py").write_text("print('text')")
    worker.run("%matplotlib inline")
    assert worker.run("%run text.py").types == ["execute_input", "stdout"]


def test_run_a_notebook(worker: Driver, cwd):
    cell = {"cell_type": "code", "source": "from_nb = 1", "metadata": {}, "outputs": [],
            "execution_count": None}  # fmt: skip
    notebook = {"cells": [cell], "nbformat": 4, "nbformat_minor": 4, "metadata": {}}
    (cwd / "other.ipynb").write_text(json.dumps(notebook))
    worker.run("%run other.ipynb")
    assert worker.run("from_nb").result == "1"


def test_writefile_and_load(worker: Driver, cwd):
    worker.run("%%writefile f.py\nx = 1")
    assert (cwd / "f.py").read_text() == "x = 1\n"
    payload = worker.run("%load f.py").content["payload"]
    assert payload[0]["source"] == "set_next_input"
    assert "x = 1" in payload[0]["text"]
    assert payload[0]["replace"] is True


def test_pagers_are_payloads(worker: Driver, cwd):
    (cwd / "t.txt").write_text("paged")
    payload = worker.run("%less t.txt").content["payload"]
    assert payload == [{"source": "page", "data": {"text/plain": "paged"}, "start": 0}]
    assert worker.run("%pinfo len").content["payload"][0]["source"] == "page"
    assert worker.run("%pdoc len").content["payload"][0]["source"] == "page"


def test_edit(worker: Driver, cwd):
    (cwd / "e.py").write_text("x")
    (payload,) = worker.run("%edit e.py").content["payload"]
    assert (payload["source"], payload["filename"]) == ("edit_magic", str(cwd / "e.py"))


def test_no_windows(worker: Driver):
    answer = worker.run("%gui qt")
    assert "no window can be opened" in answer.text("stderr")
    assert worker.run("%gui").status == "ok"


def test_pip(new_worker):
    worker = new_worker(PIP_INDEX_URL="http://127.0.0.1:9/simple")
    assert "numpy" in worker.run("%pip list").text()
    answer = worker.run("%pip install no-such-package-here")
    assert "no network here" in answer.text("stderr")
    assert "-m pip install no-such-package-here" in answer.text("stderr")
    assert worker.run("%pip show numpy").text("stderr") == ""


def test_unknown_magics(worker: Driver):
    answer = worker.run("%nonsense")
    assert "nonsense" in answer.text("stderr") + answer.content.get("evalue", "")
    assert worker.run("%%nonsense\n1").status == "error"


def test_who_reset_and_notebook_export(worker: Driver, cwd):
    worker.run("a = 1\nprint('exported')")
    assert worker.run("%who").text().split() == ["a"]
    assert worker.run("%notebook out.ipynb").status == "ok"
    assert "exported" in (cwd / "out.ipynb").read_text()
    worker.run("%reset -f")
    assert worker.run("a").content["ename"] == "NameError"


def test_background_scripts(worker: Driver):
    worker.run("%%bash --bg --out got\necho from the background")
    assert "from the background" in worker.run("await got.read()").result


def test_extensions_and_autoreload(worker: Driver, cwd):
    (cwd / "m.py").write_text("def f(): return 1")
    worker.run("%load_ext autoreload\n%autoreload 2\nimport m")
    assert worker.run("m.f()").result == "1"


def test_xmode_and_config(worker: Driver):
    worker.run("%xmode Plain")
    assert "Traceback" in "".join(worker.run("1/0").content["traceback"])
    assert worker.run("%config InteractiveShell.ast_node_interactivity = 'all'").status == "ok"
    assert len(worker.run("1\n2").of("execute_result")) == 2

"""execute_request: counts, results, errors, payloads."""

import ast

import pytest
from driver import Driver


@pytest.mark.parametrize(
    ("content", "code", "inputs", "results", "reply", "following"),
    [
        ({}, "42", [1], [1], 1, 2),
        ({}, "1/0", [1], [], 1, 2),
        ({}, "x =", [1], [], 1, 2),
        ({}, "%%nonsense\nx", [1], [], 1, 2),
        ({"store_history": False}, "42", [1], [1], 0, 1),
        ({"silent": True}, "42", [], [], 0, 1),
        ({"silent": True, "store_history": True}, "42", [], [], 0, 1),
        ({}, "", [1], [], 0, 1),
        ({}, " \n\t", [1], [], 0, 1),
    ],
)  # fmt: skip
def test_execution_counts(worker: Driver, content, code, inputs, results, reply, following):
    answer = worker.run(code, **content)
    assert [m.content["execution_count"] for m in answer.of("execute_input")] == inputs
    assert [m.content["execution_count"] for m in answer.of("execute_result")] == results
    assert answer.content["execution_count"] == reply
    assert worker.run("1").content["execution_count"] == following


def test_a_result_without_history_does_not_replace_an_earlier_one(worker: Driver):
    worker.run("'kept'")
    worker.run("'new'", store_history=False)
    assert worker.run("Out[1]").result == "'kept'"


def test_messages_come_in_order(worker: Driver):
    answer = worker.run("print('a')\ndisplay('b')\nprint('c')\n'd'")
    assert answer.types == ["execute_input", "stdout", "display_data", "stdout", "execute_result"]
    assert answer.of("execute_input")[0].content["code"].endswith("'d'")
    assert all(m.parent == answer.request for m in answer.messages)


def test_none_and_semicolons_give_no_result(worker: Driver):
    assert worker.run("None").types == ["execute_input"]
    assert worker.run("42;").types == ["execute_input"]
    assert worker.run("42 # no ; here").result == "42"
    assert worker.run("'a;b'").result == "'a;b'"


def test_in_out_and_underscores(worker: Driver):
    worker.run("6 * 7")
    assert worker.run("_ + 1").result == "43"
    assert worker.run("__").result == "42"
    assert worker.run("Out[1], _1, In[1]").result == "(42, 42, '6 * 7')"
    assert worker.run("_i, _i1").result == "('Out[1], _1, In[1]', '6 * 7')"


def test_silent_still_shows_text_displays_and_errors(worker: Driver):
    assert worker.run("print(1); display(2)", silent=True).types == ["stdout", "display_data"]
    answer = worker.run("1/0", silent=True)
    assert answer.types == ["error"]
    assert answer.status == "error"
    assert worker.run("In").result == "['', 'In']"


def test_an_error_is_told_twice_alike(worker: Driver):
    answer = worker.run("def f():\n    raise KeyError('k')\nf()")
    error = answer.of("error")[0].content
    assert error["ename"] == answer.content["ename"] == "KeyError"
    assert error["evalue"] == answer.content["evalue"] == "'k'"
    assert error["traceback"] == answer.content["traceback"]
    assert "In[1]" in "".join(error["traceback"])
    assert "\x1b[" in "".join(error["traceback"])
    assert answer.content["user_expressions"] == {}
    assert answer.content["payload"] == []


def test_syntax_errors_are_errors(worker: Driver):
    answer = worker.run("a b")
    assert answer.content["ename"] == "SyntaxError"
    assert answer.of("error")[0].content["evalue"].startswith("invalid syntax (")


def test_an_error_in_a_repr_fails_the_cell(worker: Driver):
    answer = worker.run("class C:\n    def __repr__(self): raise ValueError('bad repr')\nC()")
    assert answer.types == ["execute_input", "error"]
    assert (answer.status, answer.content["ename"]) == ("error", "ValueError")
    assert answer.content["evalue"] == "bad repr"
    assert worker.run("1").status == "ok"


@pytest.mark.parametrize("body", ["raise ValueError", "return 5", "return 'x' * n"])
def test_exceptions_whose_str_is_broken(worker: Driver, body):
    code = f"class E(Exception):\n    def __str__(self): {body}\nraise E"
    answer = worker.run(code)
    assert answer.status == "error"
    assert answer.content["ename"] == "E"


def test_sys_exit_is_an_error_and_the_worker_lives(worker: Driver):
    answer = worker.run("import sys; sys.exit(3)")
    assert (answer.content["ename"], answer.content["evalue"]) == ("SystemExit", "3")
    assert worker.run("1").result == "1"


def test_exit_asks_the_kernel_to(worker: Driver):
    assert worker.run("exit()").content["payload"] == [
        {"source": "ask_exit", "keepkernel": False}
    ]
    assert worker.run("quit(keep_kernel=True)").content["payload"] == [
        {"source": "ask_exit", "keepkernel": True}
    ]
    assert worker.run("1").content["payload"] == []


def test_payloads_one_of_each_source(worker: Driver):
    code = "ip = get_ipython()\nip.set_next_input('a')\nip.set_next_input('b', replace=True)"
    assert worker.run(code).content["payload"] == [
        {"source": "set_next_input", "text": "b", "replace": True}
    ]
    payload = worker.run("print?").content["payload"]
    assert [p["source"] for p in payload] == ["page"]
    assert "Prints the values" in payload[0]["data"]["text/plain"]
    assert payload[0]["start"] == 0


def test_payloads_come_with_errors_too(worker: Driver):
    answer = worker.run("get_ipython().set_next_input('a')\n1/0")
    assert (answer.status, len(answer.content["payload"])) == ("error", 1)


def test_user_expressions(worker: Driver):
    answer = worker.run("a = 2", user_expressions={"good": "a + 1", "bad": "a / 0"})
    good, bad = (answer.content["user_expressions"][key] for key in ("good", "bad"))
    assert good == {"status": "ok", "data": {"text/plain": "3"}, "metadata": {}}
    assert (bad["status"], bad["ename"]) == ("error", "ZeroDivisionError")
    assert answer.status == "ok"
    assert answer.types == ["execute_input"]
    assert worker.run("1/0", user_expressions={"x": "1"}).content["user_expressions"] == {}


def test_reply_metadata(worker: Driver):
    metadata = worker.run("1").reply.metadata
    assert metadata["started"].endswith("Z")
    assert (metadata["dependencies_met"], metadata["status"]) == (True, "ok")
    assert worker.run("1/0").reply.metadata["status"] == "error"


def test_the_cells_id_reaches_ipython(worker: Driver):
    worker.run("seen = []\nget_ipython().events.register('pre_run_cell', seen.append)")
    worker.run("pass", metadata={"cellId": "c-7"})
    assert worker.run("seen[0].cell_id").result == "'c-7'"


def test_a_request_without_code_is_answered(worker: Driver):
    answer = worker.ask("execute_request", {})
    assert (answer.status, answer.content["ename"]) == ("error", "ValueError")
    assert answer.content["execution_count"] == 0


def test_an_unknown_request_is_answered(worker: Driver):
    answer = worker.ask("nonsense_request", {})
    assert answer.reply.type == "nonsense_reply"
    assert answer.status == "error"


def test_the_session_name(new_worker):
    assert new_worker(JPY_SESSION_NAME="/nb/a.ipynb").run("__session__").result == "'/nb/a.ipynb'"
    assert new_worker().run("'__session__' in globals()").result == "False"


def test_the_environment_is_the_sandboxs(worker: Driver, home, cwd):
    code = "import os; [os.environ[n] for n in ('HOME', 'USER', 'IPYTHONDIR')] + [os.getcwd()]"
    expected = [str(home), "sandbox", str(home / ".ipython"), str(cwd)]
    assert ast.literal_eval(worker.run(code).result) == expected


def test_modules_of_the_worker_do_not_hide_the_users(worker: Driver, cwd):
    for name in ("worker", "warm", "history", "profile", "streams", "shell"):
        (cwd / f"{name}.py").write_text("mine = True")
        assert worker.run(f"import {name}; {name}.mine").result == "True", name


def test_the_namespace_is_clean(worker: Driver):
    names = worker.run("sorted(n for n in globals() if not n.startswith('_'))").result
    assert names == "['In', 'Out', 'exit', 'get_ipython', 'open', 'quit']"


def test_post_mortem_names_are_there(worker: Driver):
    worker.run("1/0")
    assert worker.run("import sys; sys.last_type.__name__").result == "'ZeroDivisionError'"


def test_the_arguments_are_those_of_an_interactive_python(worker: Driver):
    assert worker.run("import sys; sys.argv").result == "['']"


def test_main_is_the_notebook(worker: Driver):
    worker.run("class C: pass\nimport __main__, pickle")
    assert worker.run("__main__.C is C").result == "True"
    assert worker.run("type(pickle.loads(pickle.dumps(C()))) is C").result == "True"


WATCHED = """
import sys, types
class Watched(types.ModuleType):
    def __getattr__(self, name):
        if name == '__file__': looks.append(name)
        raise AttributeError(name)
looks, sys.modules['watched'] = [], Watched('watched')
def f(n): return f(n + 1)
"""


def test_a_traceback_does_not_look_at_every_module_for_each_frame(worker: Driver):
    worker.run(WATCHED)
    assert worker.run("f(0)").content["ename"] == "RecursionError"
    assert int(worker.run("len(looks)").result) < 10

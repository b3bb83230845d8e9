"""Completion, inspection, completeness, history."""

from pathlib import Path

import pytest
from driver import Driver


@pytest.fixture
def patient(worker: Driver) -> Driver:
    """Completes however busy the machine is. There is no waiting in what these tests complete."""
    worker.run("import cellpod.introspect; cellpod.introspect.BUDGET = 1000")
    return worker


def complete(worker: Driver, code: str, at: int | None = None) -> dict:
    content = {"code": code} | ({} if at is None else {"cursor_pos": at})
    return worker.ask("complete_request", content).content


def completed(code: str, found: dict) -> list[str]:
    """What the line would be with each match."""
    return [code[:found["cursor_start"]] + match for match in found["matches"]]


def test_completion(patient: Driver):
    worker = patient
    worker.run("import math; frame_of_mind = {'key': 1}")
    found = complete(worker, "frame_of_m", 10)
    assert found["matches"] == ["frame_of_mind"]
    assert (found["cursor_start"], found["cursor_end"]) == (0, 10)
    types = found["metadata"]["_jupyter_types_experimental"]
    assert [t["text"] for t in types] == found["matches"]
    assert "sqrt" in complete(worker, "x = math.sq", 11)["matches"]
    assert complete(worker, "x = math.sq", 11)["cursor_start"] == 9
    assert any("key" in match for match in complete(worker, "frame_of_mind['", 15)["matches"])
    assert "%timeit" in complete(worker, "%timei", 6)["matches"]


def test_completion_counts_code_points(patient: Driver):
    worker = patient
    worker.run("variable_one = 1")
    code = "s = '\U0001f600\u20ac'; variable_o"
    found = complete(worker, code, len(code))
    assert (found["cursor_start"], found["cursor_end"]) == (len(code) - 10, len(code))


@pytest.mark.parametrize("at", [None, -5, 3, 10_000])
def test_completion_clamps_the_cursor(patient: Driver, at):
    worker = patient
    code = "qqq_nothing"
    found = complete(worker, code, at)
    assert found["status"] == "ok"
    assert 0 <= found["cursor_start"] <= found["cursor_end"] <= len(code)
    assert bool(found["matches"]) is (at == -5)


SLOW_JEDI = """
import signal, jedi
class Thing:
    attribute = 1
thing = Thing()
def complete(*_, **__):
    signal.raise_signal(signal.SIGALRM)  # the budget is spent
    raise SystemError
jedi.Interpreter.complete = complete"""


def test_where_jedi_needs_too_long_objects_are_asked_themselves(patient: Driver):
    worker = patient
    worker.run(SLOW_JEDI)
    answer = worker.ask("complete_request", {"code": "thing.att", "cursor_pos": 9})
    assert completed("thing.att", answer.content) == ["thing.attribute"]
    assert answer.everything == ""


SLOW_DISK = """
import signal, parso.cache
begun, ended = [], []
class Slowly:
    HIGHEST_PROTOCOL = 5
    def dump(*_):
        begun.append(1)
        signal.raise_signal(signal.SIGALRM)  # the budget is spent, in the midst of it
        ended.append(1)
parso.cache.pickle = Slowly
import email.message
message = email.message.Message()"""


def test_what_jedi_has_read_is_written_whole_or_not_at_all(patient: Driver):
    worker = patient
    worker.run(SLOW_DISK)
    found = complete(worker, "message.add_h")
    assert "message.add_header" in completed("message.add_h", found)
    assert worker.run("0 < len(begun) == len(ended)").result == "True"


def test_slow_completion_is_cut_off(worker: Driver):
    code = """
import signal, time
class Slow:
    def __dir__(self):
        while True: time.sleep(0.01)
slow = Slow()
rang = []
signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
signal.setitimer(signal.ITIMER_REAL, 3000)"""
    worker.run(code)
    complete(worker, "slow.", 5)
    assert 0 < float(worker.run("signal.getitimer(signal.ITIMER_REAL)[0]").result) < 3000
    assert worker.run("rang").result == "[]"


def inspect(worker: Driver, code: str, at: int, **more) -> dict:
    return worker.ask("inspect_request", {"code": code, "cursor_pos": at} | more).content


def test_inspection(worker: Driver):
    worker.run("def f(x):\n    'the doc'\n    return x")
    found = inspect(worker, "f(1)", 1)
    assert found["found"] is True
    assert "the doc" in found["data"]["text/plain"]
    assert set(found["data"]) == {"text/plain"}
    assert "return" not in found["data"]["text/plain"]
    assert "return" in inspect(worker, "f(1)", 1, detail_level=1)["data"]["text/plain"]
    missing = inspect(worker, "nothing_here", 3)
    assert missing == {"status": "ok", "found": False, "data": {}, "metadata": {}}
    assert inspect(worker, "f", 99)["found"] is True


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1", {"status": "complete"}),
        ("", {"status": "complete"}),
        ("for i in x:", {"status": "incomplete", "indent": "    "}),
        ("foo = [", {"status": "incomplete", "indent": ""}),
        ("%%timeit\na", {"status": "incomplete", "indent": ""}),
        ("x = 1 +", {"status": "invalid"}),
        ("a b", {"status": "invalid"}),
    ],
)
def test_completeness(worker: Driver, code, expected):
    assert worker.ask("is_complete_request", {"code": code}).content == expected


def history(worker: Driver, **content) -> list:
    reply = worker.ask("history_request", {"output": False, "raw": True} | content).content
    assert reply["status"] == "ok"
    return reply["history"]


def test_history_of_this_session(worker: Driver):
    for code in ("a = 1", "a + 1", "%time pass"):
        worker.run(code)
    worker.run("hidden", silent=True)
    worker.run("hidden", store_history=False)
    worker.run("  ")
    tail = history(worker, hist_access_type="tail", n=10, search_raw="ignored")
    assert [line[1:] for line in tail] == [[1, "a = 1"], [2, "a + 1"], [3, "%time pass"]]
    assert [x[2] for x in history(worker, hist_access_type="tail", n=1)] == ["%time pass"]
    ranged = history(worker, hist_access_type="range", session=0, start=1, stop=3)
    assert ranged == [[0, 1, "a = 1"], [0, 2, "a + 1"]]
    with_output = history(worker, hist_access_type="range", output=True, start=1)
    assert with_output[:2] == [[0, 1, ["a = 1", None]], [0, 2, ["a + 1", "2"]]]
    parsed = history(worker, hist_access_type="range", raw=False, start=3)
    assert "run_line_magic" in parsed[0][2]
    found = history(worker, hist_access_type="search", pattern="a*")
    assert [line[2] for line in found] == ["a = 1", "a + 1"]
    assert history(worker, hist_access_type="nonsense") == []


def test_history_search_unique_and_limited(worker: Driver):
    for code in ("b = 1", "b = 2", "b = 1"):
        worker.run(code)
    found = history(worker, hist_access_type="search", pattern="b*", unique=True, n=5)
    assert sorted(line[2] for line in found) == ["b = 1", "b = 2"]
    assert len(history(worker, hist_access_type="search", pattern="b = ?", n=2)) == 2


def test_history_is_kept_across_workers(new_worker, home: Path):
    (home / ".state").mkdir()
    first = new_worker()
    first.run("kept = 1")
    first.ask("is_complete_request", {"code": ""})
    first.close()
    second = new_worker()
    tail = history(second, hist_access_type="tail", n=5)
    assert [line[2] for line in tail] == ["kept = 1"]
    second.run("again = 2")
    assert history(second, hist_access_type="range", session=-1, start=1)[0][2] == "kept = 1"
    assert "kept = 1" in second.run("%history -g kept").text()


def test_broken_history_costs_a_notice_only(new_worker, home: Path):
    (home / ".state").mkdir()
    (home / ".state/history.sqlite").write_bytes(b"no database" * 1000)
    worker = new_worker()
    answer = worker.run("print('fine')")
    assert answer.text() == "fine\n"
    assert "history" in answer.text("stderr")
    assert history(worker, hist_access_type="tail", n=5)[0][2] == "print('fine')"


def test_workers_share_a_history(new_worker, home: Path):
    (home / ".state").mkdir()
    workers = [new_worker() for _ in range(3)]
    for n in range(5):
        for worker in workers:
            assert worker.run(f"x = {n}").everything == ""
    for worker in workers:
        worker.ask("is_complete_request", {"code": "saved by now"})
    assert len(history(workers[0], hist_access_type="tail", n=100)) == 15


def test_no_thread_is_started_for_history(worker: Driver):
    worker.run("import threading")
    assert worker.run("[t.name for t in threading.enumerate()]").result == "['MainThread']"


TABLES = """
import pandas as pd
orders = pd.DataFrame({"Order Date": [1], "order_id": [1], "revenue_usd": [1], 7: [1], "_odd": [1], "Größe": [1]})
number_of_nothing = 7
"""


@pytest.mark.parametrize(
    "code, matches",
    [
        ("%%ask\ntotal rev", ["revenue_usd"]),
        ("%ask total rev", ["revenue_usd"]),
        ("%fix it is REV", ["revenue_usd"]),
        ("%%ask --level 2\n\nby ord", ["orders", "Order Date", "order_id"]),
        ("%ask total by Order d", ["Order Date"]),
        ("%ask in stock pie", ["pieces"]),
        ("%ask sto", ["stock"]),
        ("%ask mean grö", ["Größe"]),
        ("%ask é number_of", []),
        ("%ask nonsense", []),
    ],
)
def test_questions_are_completed_with_tables_and_columns(patient: Driver, cwd: Path, code, matches):
    (cwd / "stock.csv").write_text("item,pieces\na,3\n")
    patient.run(TABLES)
    found = complete(patient, code)
    assert found["matches"] == matches
    if matches:
        assert completed(code, found)[-1].endswith(matches[-1])
        assert "  " not in completed(code, found)[0].replace("\n", "")
        types = found["metadata"]["_jupyter_types_experimental"]
        assert [each["text"] for each in types] == matches


def test_all_names_are_offered_after_a_blank(patient: Driver):
    patient.run(TABLES)
    matches = complete(patient, "%ask total of the ")["matches"]
    assert matches == ["orders", "Order Date", "order_id", "revenue_usd", "_odd", "Größe"]


def test_a_cell_that_is_no_question_is_completed_as_python(patient: Driver):
    patient.run(TABLES)
    assert "number_of_nothing" in complete(patient, "number_of")["matches"]
    assert "%%ask" not in complete(patient, "%asked rev")["matches"]

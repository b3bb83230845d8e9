"""%undo, %redo, %checkpoints."""

import pytest

from support.client import START
from support.kernel import connection_info
from support.saves import wait_for_checkpoint

pytestmark = pytest.mark.cellpod_only("other kernels undo nothing")


@pytest.fixture
def start(start_kernel):
    def start(*flags: str, **options):
        kernel = start_kernel.on(connection_info(), arguments=flags, **options) if flags else start_kernel(**options)
        client = kernel.ready_client()
        client.run("import os", timeout=START)
        return client

    return start


@pytest.fixture
def client(start):
    return start()


def cells(client, *codes: str) -> list[int]:
    """Runs them, each with a checkpoint; their numbers."""
    numbers = []
    for code in codes:
        numbers.append(client.run(code, timeout=START).content["execution_count"])
        wait_for_checkpoint(client, "None")
    return numbers


def fails(client, code: str) -> str:
    cell = client.execute(code, timeout=START)
    assert (cell.status, cell.content["ename"]) == ("error", "UsageError"), cell.content
    return cell.content["evalue"]


def test_back_and_forth(client):
    first, second, third = cells(client, "x = [1]", "x.append(2); y = 1", "x.append(3); del y")
    cell = client.run("%undo")
    assert f"Undone: In [{third}]. The variables are those from after In [{second}]." in cell.stdout
    assert client.value("(x, y)") == "([1, 2], 1)"
    client.run("%undo 1")
    assert client.value("(x, 'y' in globals())") == "([1], False)"
    assert f"after In [{third}]" in client.run("%redo 2").stdout
    assert client.value("(x, 'y' in globals())") == "([1, 2, 3], False)"
    assert f"Undone: In [{second}] to In [{third}]." in client.run("%undo 2").stdout
    assert client.value("x") == "[1]"
    assert first < second


def test_the_count_and_the_history_go_on(client):
    (number,) = cells(client, "x = 1")
    cells(client, "x = 2")
    cell = client.execute("%undo")
    count = cell.content["execution_count"]
    assert cell.one("execute_input").content == {"code": "%undo", "execution_count": count}
    assert count > number + 1
    assert client.value("get_ipython().execution_count") == str(count + 1)
    assert client.run(f"print(In[{number}], '/', In[{count}])").stdout == "x = 1 / %undo\n"
    assert client.run("%redo").content["execution_count"] > count
    assert client.run(f"print(In[{count}])").stdout != "\n"


def test_a_look_changes_nothing_that_is_undone(client):
    cells(client, "x = 1", "x = 2")
    client.run("%undo")
    cells(client, "x", "print(x)", "x + 1")
    client.run("%redo")
    assert client.value("x") == "2"


def test_another_cell_ends_what_was_undone(client):
    cells(client, "x = 1", "x = 2")
    client.run("%undo")
    cells(client, "y = 1")
    assert "nothing to redo" in fails(client, "%redo")
    client.run("%undo")
    assert client.value("(x, 'y' in globals())") == "(1, False)"


def test_what_has_no_checkpoint_yet_is_undone_and_redone(client):
    """The cells come faster than checkpoints are made."""
    cells(client, "x = 1")
    sent = [client.send_execute(code) for code in ("x = 2", "%undo", "print(x)", "%redo", "print(x)")]
    shown = [client.finish(each, timeout=START).stdout for each in sent]
    assert (shown[2], shown[4]) == ("1\n", "2\n"), shown


def test_the_list(client):
    first, second = cells(client, "frame = {}", "frame['a'] = other = 1")
    rows = client.run("%checkpoints").stdout.splitlines()
    assert rows[0].split() == ["after", "made", "at", "holds", "changed"]
    by_cell = {row.split("]")[0] + "]": row for row in rows[1:]}
    assert by_cell[f"In [{first}]"].endswith(" frame")
    assert by_cell[f"In [{second}]"].endswith(" frame, other <- now")
    client.run("%undo")
    rows = client.run("%checkpoints").stdout.splitlines()
    assert rows[-2].endswith(" frame <- now")
    assert rows[-1].endswith(" frame, other (undone)")


def test_files_are_not_undone_but_named(client):
    cells(client, "x = 1", "open('new.csv', 'w').close(); os.mkdir('folder'); open('folder/b.txt', 'w').close()")
    said = client.run("%undo").stdout
    assert "Files are as they are now. Written since then: new.csv, folder/b.txt." in said


def test_the_oldest_give_way_to_newer_ones(start):
    client = start("--checkpoints", "6")
    numbers = cells(client, *(f"x = {n}" for n in range(12)))
    kept = [int(row.split("[")[1].split("]")[0]) for row in client.run("%checkpoints").stdout.splitlines()[1:]
            if row.startswith("In")]
    assert set(numbers[-4:]) <= set(kept)
    assert len(kept) <= 6
    assert min(kept) < numbers[4]
    assert "can be undone: the oldest checkpoint is from" in fails(client, "%undo 40")


BAD = {
    "%undo 0": "a number from 1 on",
    "%undo -1": "a number from 1 on",
    "%undo x": "a number from 1 on",
    "%undo 999": "can be undone",
    "%undo 99999999999": "a number from 1 on",
    "%redo": "nothing to redo",
    "%checkpoints all": "takes no arguments",
    "x = 1\n%undo": "alone in its cell",
    "%undo\n%undo": "alone in its cell",
}


@pytest.mark.parametrize("code", BAD)
def test_what_is_wrong_changes_nothing(client, code):
    cells(client, "x = 1", "x = 2")
    assert BAD[code] in fails(client, code)
    assert client.value("x").isdigit()
    assert client.run("print(1)").stdout == "1\n"


def test_nothing_to_undo(start):
    client = start("--checkpoints", "0")
    assert "No checkpoints are kept here" in fails(client, "%undo")


def test_a_checkpoint_that_was_killed(client):
    cells(client, "x = 1", "x = 2")
    client.run("import signal\n"
               "them = [int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) not in (1, os.getpid())]\n"
               "for pid in them: os.kill(pid, signal.SIGKILL)\n"
               "while any(os.path.exists(f'/proc/{pid}') for pid in them): pass")
    assert "nothing to undo" in fails(client, "%undo")
    assert client.value("x") == "2"


def test_after_a_death_and_before_one(client):
    cells(client, "x = 1", "x = 2")
    assert client.execute("os._exit(1)", timeout=START).content["ename"] == "WorkerDied"
    client.run("%undo")
    assert client.value("x") == "1"
    wait_for_checkpoint(client, "None")
    assert client.execute("os._exit(1)", timeout=START).content["ename"] == "WorkerDied"
    assert client.value("x") == "1"
    client.run("%redo")
    assert client.value("x") == "2"


def test_a_question_is_undone(client):
    cells(client, "import pandas as pd; df = pd.DataFrame({'region': ['N', 'S'], 'profit': [1, 2]})")
    names = "sorted(n for n in globals() if n[0] != '_')"
    before = client.value(names)
    asked = client.run("%ask total profit by region", timeout=START)
    wait_for_checkpoint(client, "None")
    assert client.value(names) != before
    client.run("%undo")
    assert client.value(names) == before
    again = client.run("%ask total profit by region", timeout=START)
    assert again.types == asked.types


def test_threads_that_do_not_come_back_are_named(client):
    client.run("import threading, time\n"
               "threading.Thread(target=time.sleep, args=(1000,), name='progress', daemon=True).start()")
    cells(client, "x = 1", "x = 2")
    assert "Not brought back: thread progress." in client.run("%undo").stdout


def test_they_can_be_interrupted_as_little_as_a_reply(client):
    """Whatever an interrupt hits, one of the two states is there, and the kernel goes on."""
    cells(client, "x = 1", "x = 2")
    for _ in range(5):
        sent = client.send_execute("%undo")
        client.request("interrupt_request", channel="control")
        client.finish(sent, timeout=START)
        assert client.value("x") in ("1", "2")
        client.execute("%redo")
    assert client.value("x") == "2"

"""%%ask through client, kernel, bridge and sandbox: the planner, and scripted models."""

import json
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from support.client import NATIVE_LOOP, START, Client
from support.kernel import REPOSITORY
from support.saves import wait_for_checkpoint

sys.path.insert(0, str(REPOSITORY / "tests/bridge"))

from standin import Hang, StandIn, Wait, http, open_stream, stream  # noqa: E402
from wires import CHAT  # noqa: E402

pytestmark = pytest.mark.cellpod_only("%%ask is cellpod's")

KEY = "canary-7d1c55e09a2b4f38"
DATA = """
import pandas as pd
sales = pd.DataFrame({"region": ["north", "south", "north", "east"], "profit": [10, 20, 5, 1]})
"""
RIGHT = "sales.groupby('region')['profit'].sum().plot.bar()"
WRONG = "sales['profitt'].sum()"


def code(text: str) -> list:
    """What a model says."""
    return stream(*CHAT.answer(f"```python\n{text}\n```"))


def ask(client: Client, question: str, **content):
    return client.execute(f"%%ask\n{question}", timeout=30, **content)


def summary(cell):
    found = [m for m in cell.of_type("display_data", "update_display_data")
             if m.content["transient"].get("display_id")]
    return found[-1]


def shown_code(cell) -> str:
    found = [m for m in cell.of_type("display_data") if "text/markdown" in m.content["data"]]
    assert len(found) == 1
    return found[0].content["data"]["text/plain"]


def charts(cell) -> list:
    return [m for m in cell.of_type("display_data") if "image/png" in m.content["data"]]


def bound_names(client: Client) -> str:
    return client.value("sorted(n for n in globals() if not n.startswith('_'))")


# --- the planner --------------------------------------------------------------------------------


@pytest.fixture
def planner(start_kernel, tmp_path) -> Client:
    client = start_kernel(env=private(tmp_path)).ready_client()
    client.run(DATA, timeout=START)
    return client


def private(folder: Path, **more: str) -> dict[str, str]:
    """Nobody's configuration and cache but this test's."""
    return {"XDG_CONFIG_HOME": str(folder / "config"), "XDG_CACHE_HOME": str(folder / "cache"),
            **more}


def test_a_question_becomes_a_chart(planner):
    cell = ask(planner, "total profit by region, as a bar chart")
    assert cell.status == "ok", cell.content
    assert cell.one("execute_input").content["code"].startswith("%%ask")
    assert "groupby" in shown_code(cell)
    [chart] = charts(cell)
    about = chart.content["metadata"]["cellpod"]
    assert (about["provider"], about["plan"]["mark"]) == ("planner", "bar")
    assert [attempt["outcome"] for attempt in about["attempts"]] == ["ok"]
    assert "planner" in summary(cell).content["data"]["text/plain"]
    order = [m for m in cell.outputs if m.type == "display_data"]
    assert order.index(chart) == len(order) - 2
    assert order[-1].content["data"]["text/markdown"].startswith("<details><summary>Code")


def test_a_question_becomes_a_number(planner):
    cell = ask(planner, "total profit")
    assert "36" in cell.stdout


@pytest.mark.parametrize(
    "question, said",
    [
        ("total revenue by shop", "b has the highest total revenue in USD: 40.00\n"),
        ("share of revenue by shop as a table", "b has the highest share of total revenue in USD: 57.14 %\n"),
        ("average revenue", "Mean revenue in USD: 11.67\n"),
        ("average unit price by shop as a table", "has the highest mean unit price: "),
        ("correlation of revenue and unit price", "revenue in USD"),
        ("average parcel weight for shop in_town", "Mean parcel weight in kg: 3.00\n"),
    ],
)
def test_sentences_are_in_words(planner, question, said):
    planner.run("""
orders = pd.DataFrame({"shop": ["a", "b", "in_town"] * 2, "revenue_usd": [10, 20, 5] * 2,
                       "unitPrice": [1.5, 2.5, 9] * 2, "parcel_weight_kg": [1, 2, 4, 1, 2, 2]})
del sales""")
    cell = planner.execute(f"%ask {question}", timeout=30)
    assert said in cell.stdout, cell.outputs
    assert "revenue_usd" not in cell.stdout and "unitPrice" not in cell.stdout
    title = [line for line in shown_code(cell).splitlines() if "set_title" in line]
    assert not title or ("_usd" not in title[0] and "unitPrice" not in title[0])


def test_a_question_counts_like_a_cell(planner):
    before = planner.run("0").content["execution_count"]
    cells = [ask(planner, "total profit"), ask(planner, "who is the king of France"),
             planner.execute("%ask --nonsense x"), planner.run("0")]
    assert [cell.content["execution_count"] for cell in cells] == [
        before + 1, before + 2, before + 3, before + 4]
    for cell in cells:
        assert cell.one("execute_input").content["execution_count"] == (
            cell.content["execution_count"])
    assert "king of France" in planner.run("%history").stdout


def test_what_is_not_understood_is_refused_in_words(planner):
    cell = ask(planner, "who is the king of France")
    assert cell.status == "ok"
    assert not cell.of_type("error", "stream") and not charts(cell)
    text = cell.of_type("display_data")[-1].content["data"]["text/plain"]
    assert "king" in text and "profit" in text


@pytest.mark.parametrize(
    "question, how",
    [
        ("total profit by region, top 2", "How: 1. take sales; 2. group them by region; "
         "3. work out total profit; 4. keep the 2 highest by total profit"),
        ("mean profit for north", "How: 1. take sales; 2. keep the rows with region north; "
         "3. work out mean profit"),
        ("histogram of profit", "How: 1. take sales; 2. show distribution of profit"),
    ],
)
def test_the_planner_explains(planner, question, how):
    assert how in summary(planner.execute(f"%ask --explain {question}", timeout=30)).content["data"][
        "text/plain"].splitlines()
    assert "How:" not in summary(planner.execute(f"%ask {question}", timeout=30)).content["data"][
        "text/plain"]


def test_a_follow_up(planner):
    ask(planner, "total profit")
    assert "15" in ask(planner, "only for north").stdout


def test_the_namespace_is_the_answers(planner):
    ask(planner, "total profit")
    assert planner.value("int(answer)") == "36"


def test_one_line(planner):
    assert "36" in planner.run("%ask total profit").stdout


def test_code_only_fills_the_next_cell(planner):
    before = bound_names(planner)
    [payload] = planner.run("%%ask --code-only\ntotal profit").content["payload"]
    assert payload["source"] == "set_next_input" and "sum()" in payload["text"]
    assert bound_names(planner) == before


def test_no_run(planner):
    before = bound_names(planner)
    cell = planner.run("%%ask --no-run\ntotal profit")
    assert "sum()" in shown_code(cell) and not cell.stdout
    assert bound_names(planner) == before


def test_show_models_help(planner):
    assert "Nothing would be sent" in planner.run("%ask --show total profit").stdout
    assert "planner" in planner.run("%ask --models").stdout
    assert "--retries" in planner.run("%ask --help").stdout
    for form in ("%ask?", "?%%ask", "%fix?"):
        [page] = planner.run(form).content["payload"]
        assert page["source"] == "page" and "--retries" in page["data"]["text/plain"]


def test_a_flag_that_is_none(planner):
    cell = planner.execute("%%ask --nonsense\ntotal profit")
    assert cell.content["ename"] == cell.one("error").content["ename"] == "AskError"
    assert "--nonsense" in cell.content["evalue"]


def test_completion_and_inspection(planner):
    text = "%%ask --code"
    reply = planner.request("complete_request", {"code": text, "cursor_pos": len(text)}).content
    assert reply["matches"] == ["--code-only"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (6, len(text))
    text = "%ask --provider pl"
    reply = planner.request("complete_request", {"code": text, "cursor_pos": len(text)}).content
    assert reply["matches"] == ["planner"]
    for text in ("%%ask\ntotal pro", "%ask --level 1 total pro", "%fix it is pro"):
        content = {"code": text, "cursor_pos": len(text)}
        reply = planner.request("complete_request", content).content
        assert reply["matches"] == ["profit"]
        assert reply["cursor_start"] == len(text) - len("pro")
    text = "%fix --code"
    reply = planner.request("complete_request", {"code": text, "cursor_pos": len(text)}).content
    assert reply["matches"] == ["--code-only"]
    reply = planner.request("inspect_request", {"code": "%%ask", "cursor_pos": 3}).content
    assert reply["found"] and "--retries" in reply["data"]["text/plain"]


def test_files_are_data(start_kernel, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    (work / "stock.csv").write_text("item,pieces\na,3\nb,4\n")
    client = start_kernel(cwd=work, env=private(tmp_path)).ready_client()
    assert "7" in client.run("%ask total pieces", timeout=START).stdout


# --- models -----------------------------------------------------------------------------------------


@pytest.fixture
def model(start_kernel, tmp_path):
    """Starts a kernel whose model says this."""
    with ExitStack() as stack:

        def start(*scripts: list, **options) -> tuple[Client, StandIn]:
            server = stack.enter_context(StandIn(list(scripts)))
            provider = {**CHAT.settings(server.url), "model": "m-1", "key_env": "TEST_ASK_KEY"}
            folder = tmp_path / "config/cellpod"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "config.json").write_text(json.dumps(
                {"ask": {"provider": "test", "providers": {"test": provider}},
                 "sandbox": options.pop("sandbox", {})}))
            env = private(tmp_path, TEST_ASK_KEY=KEY, **options.pop("env", {}))
            client = start_kernel(env=env, **options).ready_client()
            client.run(DATA, timeout=START)
            return client, server

        yield start


def test_a_wrong_column_is_corrected(model):
    client, server = model(code(WRONG), code(RIGHT))
    cell = ask(client, "profit by region")
    assert cell.status == "ok", cell.content
    [chart] = charts(cell)
    about = chart.content["metadata"]["cellpod"]
    assert [attempt["outcome"] for attempt in about["attempts"]] == ["rejected", "ok"]
    assert (about["provider"], about["model"]) == ("test", "m-1")
    assert 'nearest: "profit"' in CHAT.prompt(server.requests[1].json())
    assert not cell.of_type("error")


FLAT = "import matplotlib.pyplot as plt\nplt.bar(list('abc'), [4, 4, 4])"


def test_a_poor_chart_goes_back_to_the_model_once(model):
    client, server = model(code(FLAT), code(RIGHT))
    cell = ask(client, "profit by region")
    [chart] = charts(cell)
    about = chart.content["metadata"]["cellpod"]
    assert [attempt["outcome"] for attempt in about["attempts"]] == ["chart", "ok"]
    assert "chart" not in about
    assert "all values are the same" in CHAT.prompt(server.requests[1].json())


@pytest.mark.parametrize("second", [FLAT, FLAT + "\nplt.title('equal')"], ids=["the same", "another"])
def test_a_chart_that_stays_poor_is_shown_and_said(model, second):
    client, server = model(code(FLAT), code(second))
    cell = ask(client, "profit by region")
    assert (cell.status, len(server.requests), len(charts(cell))) == ("ok", 2, 1)
    assert "Chart: all values are the same" in summary(cell).content["data"]["text/plain"]


def test_an_error_goes_back_to_the_model(model):
    client, server = model(code("print('half')\n1 / 0"), code(RIGHT))
    cell = ask(client, "profit by region")
    assert len(charts(cell)) == 1
    assert "half" not in cell.stdout
    assert "ZeroDivisionError" in CHAT.prompt(server.requests[1].json())


OBJECTS = """
import collections, math, random
import numpy as np
kept = [[0], {"a": sales}]
alias, view = kept, sales["profit"]
array, table = np.arange(4), collections.OrderedDict(a=1)
class Thing: count = 0
thing, counter, numbers = Thing(), iter(range(100)), open("numbers.txt", "w+")
def remember(value, seen=[]): seen.append(value); return seen
random.seed(1); np.random.seed(1)

def _state():
    import pickle
    def told(value):
        try: return type(value).__name__, id(value), pickle.dumps(value)
        except Exception: return type(value).__name__, id(value), repr(value)
    names = {name: told(value) for name, value in globals().items()
             if not name.startswith("_") and name != "In"}
    inside = [told(value) for value in (kept[0], kept[1]["a"], list(sales), vars(thing), vars(Thing),
              remember.__defaults__, counter.__reduce__(), math.pi, random.getstate(),
              np.random.get_state(), sales.to_dict())]
    ids = {name: state[1] for name, state in names.items()}
    return hash((str(names), str([(state[0], state[2]) for state in inside]), str(ids)))
"""
SPOIL = """
kept.append({0}); kept[0][0] = {0}; array[0] = -1; table["b"] = {0}; view.iloc[0] = 7
sales["more{0}"] = 1; sales.drop(index=0, inplace=True)
thing.more = Thing.count = {0}; remember({0}); next(counter); new{0} = 1
random.random(); np.random.rand(); math.pi = 3
del alias
print({0})
raise ValueError({0})
"""


@pytest.mark.parametrize("failures", range(5))
def test_three_corrections_and_a_namespace_that_stays(model, failures):
    """Object by object: identity, type and value of each, and of what they hold."""
    client, server = model(*[code(SPOIL.format(n)) for n in range(failures)], code(RIGHT))
    client.run(OBJECTS)
    before, names = client.value("_state()"), bound_names(client)
    cell = ask(client, "profit by region")
    assert len(server.requests) == min(failures + 1, 4)
    outcomes = [a["outcome"] for a in summary(cell).content["metadata"]["cellpod"]["attempts"]]
    assert outcomes == ["error"] * failures + ["ok"] * (failures < 4)
    assert len(charts(cell)) == (failures < 4)
    assert (client.value("_state()"), bound_names(client)) == (before, names)
    if failures == 4:
        assert cell.content["ename"] == "AskError"
        assert "ValueError" in "".join(cell.one("error").content["traceback"])
    client.run("exec(" + repr(SPOIL.format(1).replace("raise", "#")) + ")")
    assert client.value("_state()") != before  # it sees what it is to see


def test_an_attempt_that_kills_its_process(model):
    client, _ = model(code("import os\nos._exit(3)"), code(RIGHT))
    assert len(charts(ask(client, "profit by region"))) == 1
    assert client.value("len(sales)") == "4"


FIT = "from sklearn.cluster import KMeans\n_ = KMeans(2, n_init=1).fit(sales[['profit']])"
TICKER = """
import threading
stop, ticks = threading.Event(), []
def tick():
    while not stop.wait(0.001): ticks.append(1)
threading.Thread(target=tick, name="ticker").start()
"""
TICKS = "before = len(ticks)\nwhile len(ticks) <= before: stop.wait(0.001)"


def test_an_answered_question_disturbs_no_thread(planner):
    planner.run(TICKER)
    planner.run(FIT, timeout=START)
    for _ in range(2):
        assert "36" in ask(planner, "total profit").stdout
        planner.run(TICKS)
        planner.run(FIT, timeout=START)
    planner.run("stop.set()")


def test_a_failed_question_says_what_it_could_not_bring_back(model):
    client, _ = model(code("stop.set()\n1 / 0"), code("print(sales.profit.sum())"))
    client.run(TICKER)
    client.run(FIT, timeout=START)
    cell = ask(client, "profit")
    assert "Not brought back: thread ticker" in cell.stderr
    assert "36" in cell.stdout
    assert client.value("stop.is_set()") == "False"
    client.run(FIT, timeout=START)


def test_what_cannot_be_undone_is_told_before_it_runs(model):
    client, _ = model(code("print('half')\n1 / 0"), code("print(sales.profit.sum())"))
    client.run("import os\ndef full(): raise OSError(11, 'full')\nos.fork = full")
    cell = ask(client, "profit")
    assert "stays changed: there is no room for a copy of the worker (full)" in cell.stderr
    assert "36" in cell.stdout


def test_an_answered_question_is_remembered(model):
    client, server = model(code("print(sales.profit.sum())"), code("print(sales.profit.max())"))
    ask(client, "total profit of all")
    ask(client, "and the greatest")
    assert "total profit of all" in CHAT.prompt(server.requests[1].json())


def test_a_refused_key_is_one_sentence(model):
    client, server = model(http(401, '{"error":{"message":"bad key"}}'))
    cell = ask(client, "profit")
    assert cell.content["ename"] == "AskError" and "TEST_ASK_KEY" in cell.content["evalue"]
    assert len(server.requests) == 1


def test_cells_after_a_failed_question_are_aborted(model):
    client, _ = model(open_stream(Hang()))
    first = client.send_execute("%%ask\nprofit")
    second = client.send_execute("1")
    client.published(lambda m: "test" in str(m.content.get("data")))
    client.request("interrupt_request", channel="control")
    assert client.finish_rest(first).content["ename"] == "KeyboardInterrupt"
    assert client.reply_to(second).content["status"] == "aborted"


INITIALIZE = {"type": "request", "seq": 1, "command": "initialize", "arguments": {"adapterID": ""}}


def test_nobody_debugs_a_question_or_what_a_models_code_may_have_changed(model):
    client, server = model(open_stream(Hang()), code(RIGHT))
    msg_id = client.send_execute("%%ask\nprofit")
    assert server.arrived.acquire(timeout=200)
    refused = client.request("debug_request", INITIALIZE, channel="control").content
    assert "while a question is worked on" in refused["evalue"]
    client.request("interrupt_request", channel="control")
    client.finish_rest(msg_id)
    assert client.request("debug_request", INITIALIZE, channel="control").content["success"]
    assert len(charts(ask(client, "profit by region"))) == 1
    refused = client.request("debug_request", INITIALIZE, channel="control").content
    assert "restart the kernel to debug" in refused["evalue"]


# --- what ends a question ---------------------------------------------------------------------------

STATES = {
    "thinking": ([open_stream(Hang())], "Asking"),
    "writing": ([open_stream(*CHAT.begin, CHAT.text("```python\nx = 1\n" * 40), Hang())], "writes"),
    "waiting": ([http(429, "{}", headers={"Retry-After": "30"})], "again in"),
    "running": ([code("print(1)\nwhile True: pass")], "Running"),
    "deaf": ([code("print(1)\n" + NATIVE_LOOP)], "Running"),
    "stubborn": ([code("while True:\n    try:\n        while True: print(1)\n"
                       "    except BaseException: pass")], "Running"),
    "correcting": ([code("print(1 / 0)"), code("import time\nprint(1)\ntime.sleep(3000)")], "correction"),
}


@pytest.mark.parametrize("scripts, text", STATES.values(), ids=STATES.keys())
def test_an_interrupt_ends_it(model, scripts, text):
    client, server = model(*scripts)
    names = bound_names(client)
    msg_id = client.send_execute("%%ask\nprofit by region")
    client.published(lambda m: text in m.content.get("data", {}).get("text/plain", ""), 20)
    client.request("interrupt_request", channel="control")
    reply = client.finish_rest(msg_id)
    assert reply.content["ename"] == "KeyboardInterrupt"
    assert all(server.closed.acquire(timeout=100) for _ in server.requests)
    assert client.run("'next'").types == ["execute_result"]
    assert bound_names(client) == names


@pytest.mark.parametrize("shown", ["text/plain", "text/markdown"], ids=["line", "code"])
def test_answer_and_variables_agree_whenever_it_is_interrupted(planner, shown):
    """Its line is shown when the code begins to run, its code when the fork begins to take over."""
    for _ in range(12):
        planner.run("globals().pop('answer', None)")
        msg_id = planner.send_execute("%%ask\ntotal profit")
        planner.published(lambda m, msg_id=msg_id: m.parent_id == msg_id and shown in m.content.get("data", {}))
        planner.request("interrupt_request", channel="control")
        status = planner.finish_rest(msg_id).content["status"]
        assert (status, planner.value("int(globals().get('answer', 0))")) in [("ok", "36"), ("error", "0")]
        assert status == "ok" or shown == "text/plain"


def test_a_shutdown_ends_it(model, start_kernel):
    client, server = model(open_stream(Hang()))
    client.send_execute("%%ask\nprofit")
    assert server.arrived.acquire(timeout=200)
    client.request("shutdown_request", {"restart": False}, channel="control")
    assert server.closed.acquire(timeout=100)
    assert start_kernel.kernels[-1].wait_exit() == 0


DIES = ("import os, threading, time\ndef wait():\n    while not os.path.exists('go'):\n"
        "        time.sleep(0.01)\n    os._exit(3)\nthreading.Thread(target=wait).start()")


@pytest.fixture
def work(tmp_path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def test_a_death_that_costs_the_variables_ends_it(model, work):
    client, server = model(open_stream(Hang()), cwd=work, sandbox={"resources": {"checkpoints": 0}})
    client.run(DIES)
    msg_id = client.send_execute("%%ask\nprofit")
    assert server.arrived.acquire(timeout=200)
    (work / "go").touch()
    assert client.finish_rest(msg_id).content["ename"] == "WorkerDied"
    assert server.closed.acquire(timeout=100)
    (work / "go").unlink()
    assert client.run("'next'", timeout=START).types == ["execute_result"]


UNDOES = "get_ipython().run_line_magic('undo', '')"


def test_its_code_cannot_undo_what_the_user_did(model, work):
    client, server = model([*code(UNDOES)] * 3, cwd=work)
    for number in range(3):
        client.run(f"x = {number}")
        wait_for_checkpoint(client)
    client.execute("%%ask\nprofit by region", timeout=START)
    assert "failed with UsageError: %undo" in CHAT.prompt(server.requests[1].json())
    assert client.value("x") == "2"


def test_it_outlives_a_worker_whose_variables_are_kept(model, work):
    gate = Wait()
    client, server = model([gate, *code(RIGHT)], cwd=work)
    wait_for_checkpoint(client)
    client.run(DIES)
    msg_id = client.send_execute("%%ask\nprofit by region")
    assert server.arrived.acquire(timeout=200)
    (work / "go").touch()
    client.wait_for_text(msg_id, "The variables are those from after In [", timeout=START)
    gate.semaphore.release()
    assert client.finish_rest(msg_id).content["status"] == "ok"
    assert client.value("len(sales)") == "4"


# --- keys -----------------------------------------------------------------------------------------------


@pytest.fixture
def runtime():
    """The name of a socket must be short; tmp_path is not."""
    with tempfile.TemporaryDirectory(prefix="ask-", dir="/tmp", ignore_cleanup_errors=True) as name:
        yield Path(name)


def test_the_key_stays_in_the_kernel(model, start_kernel, tmp_path, runtime):
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    client, server = model(
        code(RIGHT), env={"XDG_RUNTIME_DIR": str(runtime), "XDG_STATE_HOME": str(state),
                          "CELLPOD_IDLE_EXIT_SECONDS": "1", "OPENAI_API_KEY": KEY + "-2",
                          "CELLPOD_ENV_PASSTHROUGH": "TEST_ASK_KEY,OPENAI_API_KEY",
                          "CELLPOD_LOG": "debug"})
    cell = ask(client, "profit by region")
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"  # it was there
    assert KEY not in server.requests[0].body.decode()
    assert KEY not in str([message.content for message in cell.messages])
    inside = client.run("import os\nprint(os.environ, open('/proc/self/environ').read())").stdout
    assert "PATH" in inside and KEY not in inside

    kernel = start_kernel.kernels[-1]
    mark = f"XDG_RUNTIME_DIR={runtime}"
    environments = {process: environ_of(process) for process in psutil.process_iter()}
    ours = {p: text for p, text in environments.items() if mark in text or p.pid == kernel.pid}
    # sandboxd shows its environment to root alone.
    expected = {"cellpod-kernel"} | ({"cellpod-sandboxd"} if os.getuid() == 0 else set())
    assert expected <= {process.name() for process in ours}
    assert not [process for process, text in environments.items()
                if KEY in text and process.pid != psutil.Process().pid]
    written = [path for folder in (tmp_path, runtime) for path in folder.rglob("*")
               if path.is_file()]
    assert not [path for path in written if KEY.encode() in path.read_bytes()]
    assert KEY not in kernel.log_text()


def environ_of(process: psutil.Process) -> str:
    try:
        return Path(f"/proc/{process.pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return ""

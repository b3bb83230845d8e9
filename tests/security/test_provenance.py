"""What a model's code leaves in the notebook's folder is not the user's until the user says so."""

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.client import START
from support.kernel import BUILD, REPOSITORY, connection_info
from support.lean_python import WHOLE
from support.remote import remote_sandboxd
from support.takeover import wait_until_kept

sys.path.insert(0, str(REPOSITORY / "tests/bridge"))

from security.counterparts import works_where_it_may  # noqa: E402
from standin import StandIn, stream  # noqa: E402
from wires import CHAT  # noqa: E402

pytestmark = pytest.mark.cellpod_only("%%ask is cellpod's")

MODULE = """
from IPython.display import HTML, display
def plot():
    display(HTML('<b>seen</b><img src=x onerror=alert(1)>'))
"""
WRITES = f"open('seaborn.py', 'w').write({MODULE!r})\nprint('done')"
USES = "import seaborn\nseaborn.plot()"
OWN = "from IPython.display import HTML, display\ndisplay(HTML('<u onclick=x>mine</u>'))"


@pytest.fixture
def notebook(start_kernel, laboratory, tmp_path):
    """Kernels in one folder, whose model answers with this code."""
    folder = laboratory.folder(f"asked-{tmp_path.name[-8:]}-{os.urandom(3).hex()}")
    with ExitStack() as stack:

        def start(*codes: str, place: str = "", **more: str):
            answers = [stream(*CHAT.answer(f"```python\n{code}\n```")) for code in codes]
            server = stack.enter_context(StandIn(answers))
            settings = tmp_path / "config/cellpod"
            settings.mkdir(parents=True, exist_ok=True)
            provider = {**CHAT.settings(server.url), "model": "m-1"}
            (settings / "config.json").write_text(json.dumps(
                {"ask": {"provider": "test", "cache": False, "providers": {"test": provider}}}))
            env = {"XDG_CONFIG_HOME": str(tmp_path / "config"),
                   "XDG_CACHE_HOME": str(tmp_path / "cache")}
            kernel = start_kernel.on(connection_info(), arguments=["--sandbox", place], env=env | more, cwd=folder) \
                if place else start_kernel(env=env | more, cwd=str(folder))
            client = kernel.ready_client()
            client.kernel, client.folder = kernel, folder
            return client

        yield start


def ask(client):
    return client.execute("%%ask\nshow it", timeout=START)


def html_of(cell) -> str:
    return cell.one("display_data").content["data"]["text/html"]


def is_reduced(client) -> bool:
    return "onclick" not in html_of(client.run(OWN, timeout=START))


def trust(folder) -> str:
    return subprocess.run([BUILD / "bin/cellpod", "trust", str(folder)], text=True, check=True,
                          capture_output=True).stdout


def test_the_users_own_code_is_as_before(notebook):
    client = notebook()
    client.run(f"open('seaborn.py', 'w').write({MODULE!r})", timeout=START)
    assert "onerror" in html_of(client.run(USES))
    again = notebook()
    assert "onerror" in html_of(again.run(USES, timeout=START))


def test_cannot_send_a_script_by_a_module_and_a_dead_worker(notebook):
    client = notebook(WRITES)
    cell = ask(client)
    assert "new or changed since a model's code ran in this folder: seaborn.py." in cell.stderr
    client.execute("import os; os.kill(os.getpid(), 9)")
    assert "onerror" not in html_of(client.run(USES, timeout=START))


@pytest.mark.parametrize("end", ["shutdown", "killed"])
def test_cannot_send_a_script_by_a_module_and_a_restart(notebook, end):
    client = notebook(WRITES)
    ask(client)
    if end == "killed":
        os.kill(client.kernel.pid, signal.SIGKILL)
    else:
        client.request("shutdown_request", {"restart": False}, "control")
    client.kernel.wait_exit()
    again = notebook()
    first = again.run("1", timeout=START)
    assert "seaborn.py. Python or Jupyter may load such files" in first.stderr
    assert "onerror" not in html_of(again.run(USES))
    assert again.run("1").stderr == ""


def test_cannot_send_a_script_by_a_module_from_one_pod_to_the_next(notebook):
    with remote_sandboxd(python=WHOLE) as place:
        client = notebook(WRITES, place=place)
        cell = ask(client)
        assert "new or changed since a model's code ran in this folder: seaborn.py." in cell.stderr
        client.request("shutdown_request", {"restart": False}, "control")
        client.kernel.wait_exit()
        again = notebook(place=place)
        assert "seaborn.py. Python or Jupyter may load such files" in again.run("1", timeout=START).stderr
        assert "onerror" not in html_of(again.run(USES))


LATE = """
import os, threading
event = threading.Event()
def write():
    event.wait()
    os.mkdir('deep')
    open('deep/__init__.py', 'w').close()
late = threading.Thread(target=write)
late.start()
print('done')
"""


def test_cannot_send_a_script_by_a_module_that_it_writes_after_the_question(notebook):
    """From a thread, and nothing is left that could tell of it: the kernel is killed."""
    client = notebook(LATE)
    assert ask(client).status == "ok"
    cell = client.send_execute("event.set(); late.join(); print('written', flush=True); input()")
    client.wait_for_text(cell, "written", timeout=START)
    os.kill(client.kernel.pid, signal.SIGKILL)
    client.kernel.wait_exit()
    assert is_reduced(notebook())


def test_cannot_send_a_script_to_the_kernel_that_takes_the_session_over(notebook, laboratory):
    """Nothing is left in the folder: only sandboxd knows that a model's code has run."""
    client = notebook("print('done')", JPY_SESSION_NAME="/one.ipynb")
    assert ask(client).status == "ok"
    client.run(OWN.replace("display(HTML", "show = lambda: display(HTML"))
    os.kill(client.kernel.pid, signal.SIGKILL)
    client.kernel.wait_exit()
    wait_until_kept(laboratory)
    again = notebook(JPY_SESSION_NAME="/one.ipynb")
    assert "onclick" not in html_of(again.run("show()", timeout=START))
    again.run("%fresh", timeout=START)
    assert not is_reduced(again)


def test_cannot_send_a_script_by_the_output_that_is_shown_again(notebook, laboratory):
    client = notebook("print('done')", JPY_SESSION_NAME="/one.ipynb")
    assert ask(client).status == "ok"
    cell = client.send_execute(OWN + "\nprint('shown', flush=True)\nimport time; time.sleep(1)")
    client.wait_for_text(cell, "shown\n", START)
    os.kill(client.kernel.pid, signal.SIGKILL)
    client.kernel.wait_exit()
    wait_until_kept(laboratory)
    first = notebook(JPY_SESSION_NAME="/one.ipynb").run("1", timeout=START)
    assert "onclick" not in html_of(first) and "mine" in html_of(first)


def test_cannot_use_the_kernel_of_another_notebook_in_the_folder(notebook):
    other = notebook()
    assert not is_reduced(other)
    client = notebook(WRITES)
    ask(client)
    assert "onerror" not in html_of(other.run(USES))


def test_cannot_trust_itself(notebook):
    """The record is out of its reach, and setting times back does not help."""
    client = notebook(WRITES + "\nimport os\nos.utime('seaborn.py', (1, 1))")
    ask(client)
    records = Path(os.environ["XDG_STATE_HOME"]) / "cellpod/untrusted"
    assert list(records.glob("*.json"))
    found = client.run(f"import os; print(os.path.exists({str(records)!r}))", timeout=START)
    assert found.stdout == "False\n"
    client.request("shutdown_request", {"restart": False}, "control")
    client.kernel.wait_exit()
    assert is_reduced(notebook())


def test_the_user_says_that_it_is_trusted(notebook):
    client = notebook(WRITES)
    ask(client)
    client.request("shutdown_request", {"restart": False}, "control")
    client.kernel.wait_exit()
    again = notebook()
    assert is_reduced(again)
    assert trust(client.folder).endswith("from now on:\n  seaborn.py\n")
    assert not is_reduced(again)
    assert "nothing that a model's code has left" in trust(client.folder)


def test_what_leaves_nothing_costs_nothing_after_a_restart(notebook):
    client = notebook("open('result.csv', 'w').close()\nimport helper\nprint('done')")
    module = client.folder / "helper.py"
    module.write_text("x = 1\n")
    # A record goes by seconds: the module is to be older than the question.
    client.run("import time\nwhile time.time() < "
               f"{module.stat().st_ctime + 3}: time.sleep(0.1)", timeout=START)
    cell = ask(client)
    assert "new or changed" not in cell.stderr
    client.request("shutdown_request", {"restart": False}, "control")
    client.kernel.wait_exit()
    assert not is_reduced(notebook())


@pytest.mark.parametrize("replace", [True, False])
def test_cannot_write_into_the_notebooks_cells(notebook, replace):
    client = notebook(f"get_ipython().set_next_input('import os', replace={replace})\nprint('done')")
    own = client.run(f"get_ipython().set_next_input('import os', replace={replace})", timeout=START)
    works_where_it_may(own.content["payload"])
    cell = ask(client)
    assert cell.content["payload"] == []
    assert "would have changed the notebook's cells" in cell.stderr
    later = client.run("get_ipython().set_next_input('import os', replace=True)")
    assert later.content["payload"] == []

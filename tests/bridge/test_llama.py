"""Against a real llama-server with a scripted model: `make test-llama`.

CELLPOD_LLAMA names the folder that llama/fetch-llama-server filled; without it these tests are
skipped.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any, Iterator

import pytest

from harness import OK, PROFILE, Opener

HERE = Path(__file__).parent
SERVER = os.environ.get("CELLPOD_LLAMA")
APIS = ["chat", "completions", "responses", "anthropic"]
KEY_ERROR = {
    "ename": "KeyError",
    "evalue": "'Column not found: Profitt'",
    "traceback": ["Cell In[1], line 2\n----> 2 df"],
    "showed": True,
}

pytestmark = pytest.mark.skipif(
    not SERVER, reason="no llama-server here: make test-llama fetches one from Debian sid"
)


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("llama")
    model = folder / "scripted.gguf"
    subprocess.run(["python3", HERE / "llama/scripted_model.py", model], check=True)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [HERE / "llama/run-llama-server", str(SERVER), model, str(port)], stdout=log, stderr=log
        )
    url = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 60
    while True:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):
                break
        except OSError:
            assert server.poll() is None and time.monotonic() < until, (folder / "log").read_text()
            time.sleep(0.05)
    yield url
    server.terminate()
    server.wait(timeout=20)


def config(url: str, api: str, **more: Any) -> dict[str, Any]:
    base = url if api == "anthropic" else f"{url}/v1"
    settings = {"api": api, "base_url": base, "key_env": "LLAMA_KEY", "model": "scripted", **more}
    return {"provider": "llama", "cache": False, "providers": {"llama": settings}}


@pytest.mark.parametrize("api", APIS)
def test_a_wrong_column_is_corrected(bridge: Opener, llama: str, api: str) -> None:
    driver = bridge(config(llama, api), LLAMA_KEY="testkey")
    driver.ask("%%ask\nProfit by region, as a bar chart")
    end = driver.answer(KEY_ERROR, OK)
    assert end["finished"] == "answered" and '["Profit"]' in end["code"]
    first, second = end["metadata"]["attempts"]
    assert '["Profitt"]' in first["code"] and first["outcome"] == "error"
    assert second["outcome"] == "ok" and second["tokens"]["completion"] > 0
    assert end["metadata"]["tokens"]["prompt"] > first["tokens"]["prompt"]


@pytest.mark.parametrize("api", APIS)
def test_a_wrong_key_is_refused(bridge: Opener, llama: str, api: str) -> None:
    driver = bridge(config(llama, api), LLAMA_KEY="wrong-key")
    driver.ask()
    end = driver.hear("finished")
    assert (end["finished"], end["failure"]) == ("failed", "auth") and "LLAMA_KEY" in end["message"]


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
def test_thoughts_and_refusals_are_told_from_code(bridge: Opener, llama: str, api: str) -> None:
    driver = bridge(config(llama, api), LLAMA_KEY="testkey")
    driver.ask("%%ask\nTHINK about the total")
    assert driver.answer(OK)["code"] == "print(1 + 1)"
    driver.ask("%%ask\nUNABLE to say: costs by region")
    end = driver.hear("finished")
    assert end["finished"] == "refused" and "no column of costs" in end["message"]


@pytest.mark.parametrize("api", APIS)
def test_a_context_that_is_too_small_shrinks_the_prompt(
    bridge: Opener, llama: str, api: str
) -> None:
    columns = [{"name": f"column {i} {'x' * 80}", "dtype": "float64", "min": 1} for i in range(400)]
    profile = {"frames": [{"name": "df", "columns": [*columns, *PROFILE["frames"][0]["columns"]]}]}
    driver = bridge(config(llama, api), LLAMA_KEY="testkey")
    driver.ask("%%ask\nProfit by region", profile=profile)
    end = driver.hear("finished", "run")
    if "run" in end:
        driver.say(ran=OK)
        end = driver.hear("finished")
        assert end["finished"] == "answered" and end["metadata"]["left_out"]
    else:
        assert end["failure"] == "context"


def test_an_answer_that_does_not_fit_gets_more_room(bridge: Opener, llama: str) -> None:
    driver = bridge(config(llama, "chat", max_tokens=10), LLAMA_KEY="testkey")
    driver.ask()
    assert "Profitt" in driver.answer(OK)["code"]


def test_of_a_base_model_whole_statements_are_taken(bridge: Opener, llama: str) -> None:
    driver = bridge(config(llama, "completions", max_tokens=12), LLAMA_KEY="testkey")
    driver.ask(check=True)
    asked = driver.hear("check")["check"]
    assert asked["prefix"] is True and asked["code"].startswith("import matplotlib")
    driver.say(checked={"ok": True, "code": asked["code"].splitlines()[0]})
    assert driver.hear("run")["run"] == "import matplotlib.pyplot as plt"
    driver.say(ran=OK)
    assert driver.hear("finished")["finished"] == "answered"


def test_it_lists_its_model(bridge: Opener, llama: str) -> None:
    driver = bridge(config(llama, "chat"), LLAMA_KEY="testkey")
    driver.say(models=True)
    lines = driver.hear("models")["models"].splitlines()
    assert "scripted.gguf" in next(line for line in lines if line.startswith("llama "))


@pytest.mark.parametrize("api", APIS)
def test_an_interrupt_leaves_it_ready_for_the_next_question(
    bridge: Opener, llama: str, api: str
) -> None:
    driver = bridge(config(llama, api), LLAMA_KEY="testkey")
    for _ in range(5):
        driver.ask()
        driver.hear("progress")
        driver.say(cancel=True)
        assert driver.hear("finished")["finished"] == "cancelled"
    driver.ask()
    assert driver.answer(OK)["finished"] == "answered"

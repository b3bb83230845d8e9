"""Against a real llama-server with a scripted model: `make test-llama`."""

from __future__ import annotations

from typing import Iterator

import pytest

from harness import OK, PROFILE, Opener
from support.llama import APIS, llama_config, llama_server, needs_llama

KEY_ERROR = {
    "ename": "KeyError",
    "evalue": "'Column not found: Profitt'",
    "traceback": ["Cell In[1], line 2\n----> 2 df"],
    "showed": True,
}

pytestmark = needs_llama


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with llama_server(tmp_path_factory.mktemp("llama")) as url:
        yield url


@pytest.mark.parametrize("api", APIS)
def test_a_wrong_column_is_corrected(bridge: Opener, llama: str, api: str) -> None:
    driver = bridge(llama_config(llama, api), LLAMA_KEY="testkey")
    driver.ask("%%ask\nProfit by region, as a bar chart")
    end = driver.answer(KEY_ERROR, OK)
    assert end["finished"] == "answered" and '["Profit"]' in end["code"]
    first, second = end["metadata"]["attempts"]
    assert '["Profitt"]' in first["code"] and first["outcome"] == "error"
    assert second["outcome"] == "ok" and second["tokens"]["completion"] > 0
    assert end["metadata"]["tokens"]["prompt"] > first["tokens"]["prompt"]


@pytest.mark.parametrize("api", APIS)
def test_a_wrong_key_is_refused(bridge: Opener, llama: str, api: str) -> None:
    driver = bridge(llama_config(llama, api), LLAMA_KEY="wrong-key")
    driver.ask()
    end = driver.hear("finished")
    assert (end["finished"], end["failure"]) == ("failed", "auth") and "LLAMA_KEY" in end["message"]


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
def test_thoughts_and_refusals_are_told_from_code(bridge: Opener, llama: str, api: str) -> None:
    driver = bridge(llama_config(llama, api), LLAMA_KEY="testkey")
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
    driver = bridge(llama_config(llama, api), LLAMA_KEY="testkey")
    driver.ask("%%ask\nProfit by region", profile=profile)
    end = driver.hear("finished", "run")
    if "run" in end:
        driver.say(ran=OK)
        end = driver.hear("finished")
        assert end["finished"] == "answered" and end["metadata"]["left_out"]
    else:
        assert end["failure"] == "context"


def test_an_answer_that_does_not_fit_gets_more_room(bridge: Opener, llama: str) -> None:
    driver = bridge(llama_config(llama, "chat", max_tokens=10), LLAMA_KEY="testkey")
    driver.ask()
    assert "Profitt" in driver.answer(OK)["code"]


def test_of_a_base_model_whole_statements_are_taken(bridge: Opener, llama: str) -> None:
    driver = bridge(llama_config(llama, "completions", max_tokens=12), LLAMA_KEY="testkey")
    driver.ask(check=True)
    asked = driver.hear("check")["check"]
    assert asked["prefix"] is True and asked["code"].startswith("import matplotlib")
    driver.say(checked={"ok": True, "code": asked["code"].splitlines()[0]})
    assert driver.hear("run")["run"] == "import matplotlib.pyplot as plt"
    driver.say(ran=OK)
    assert driver.hear("finished")["finished"] == "answered"


def test_it_lists_its_model(bridge: Opener, llama: str) -> None:
    driver = bridge(llama_config(llama, "chat"), LLAMA_KEY="testkey")
    driver.say(models=True)
    lines = driver.hear("models")["models"].splitlines()
    assert "scripted.gguf" in next(line for line in lines if line.startswith("llama "))


@pytest.mark.parametrize("api", APIS)
def test_an_interrupt_leaves_it_ready_for_the_next_question(
    bridge: Opener, llama: str, api: str
) -> None:
    driver = bridge(llama_config(llama, api), LLAMA_KEY="testkey")
    for _ in range(5):
        driver.ask()
        driver.hear("progress")
        driver.say(cancel=True)
        assert driver.hear("finished")["finished"] == "cancelled"
    driver.ask()
    assert driver.answer(OK)["finished"] == "answered"

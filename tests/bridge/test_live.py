"""For whoever has a key: one real question to real providers.

    CELLPOD_LIVE="openai/MODEL anthropic/MODEL" python3 -m pytest -s tests/bridge/test_live.py

Keys come from the usual variables. The configuration is the built-in one, so what passes here
works for a user.
"""

from __future__ import annotations

import os

import pytest

from harness import OK, Opener, error

MODELS = os.environ.get("CELLPOD_LIVE", "").split()
KEYS = [
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "CELLPOD_API_KEY",
    "CELLPOD_BASE_URL",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_LOCATION",
    "HTTPS_PROXY",
]

pytestmark = pytest.mark.skipif(not MODELS, reason="CELLPOD_LIVE names no model")


@pytest.mark.parametrize("model", MODELS or ["none"])
def test_a_real_model_answers_and_corrects_itself(bridge: Opener, model: str) -> None:
    driver = bridge(
        {"cache": False}, **{name: os.environ[name] for name in KEYS if name in os.environ}
    )
    driver.ask(
        f"%%ask --model {model}\nTotal profit by customer, as a bar chart, biggest ten first"
    )
    end = driver.answer(error(), OK)
    facts = end["metadata"]
    print(
        f"\n{model}: {facts['api']}, {facts['reported_model']}, {facts['tokens']}, "
        f"{facts['model_ms']} ms"
    )
    assert end["finished"] == "answered" and "Profit" in end["code"]

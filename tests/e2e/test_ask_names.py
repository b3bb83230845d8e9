"""Questions asked in a row: answers bind the names of earlier answers, and never the user's."""

import json

import pytest

from support.client import START, Client

pytestmark = [pytest.mark.cellpod_only("%ask is cellpod's"), pytest.mark.timeout(180)]

DATA = """
import pandas as pd
coffee = pd.DataFrame({"shop": ["Rome", "Oslo", "Rome", "Bern"] * 5,
                       "drink": ["latte", "mocha", "tea", "latte"] * 5,
                       "size": ["small", "large", "small", "large"] * 5,
                       "revenue": [3.5, 4.0, 2.5, 5.0] * 5})
"""
# Tables, numbers and charts; what they bind is in the way of none of them.
QUESTIONS = [
    "revenue by shop and drink", "revenue by shop and size", "revenue by shop",
    "revenue by drink and size as a table", "total revenue in Rome by drink",
    "average revenue by shop as a table", "number of rows by drink and size",
    "revenue by size", "revenue by drink", "revenue by size and shop as a table",
    "total revenue", "average revenue by drink", "revenue by drink and shop",
    "total revenue in Oslo", "revenue by shop and size as a table", "revenue by shop",
    "average revenue by size", "revenue by drink as a table", "median revenue by shop",
    "revenue by shop and drink as a table",
]  # fmt: skip


@pytest.fixture
def client(start_kernel, tmp_path) -> Client:
    """Without a configuration."""
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    client = start_kernel(env=environment).ready_client()
    client.run(DATA, timeout=START)
    return client


def ask(client: Client, question: str):
    cell = client.execute(f"%%ask\n{question}", timeout=60)
    assert cell.status == "ok", (question, cell.content)
    return cell


def text_of(cell) -> str:
    return json.dumps([message.content for message in cell.of_type("display_data", "stream")])


def test_twenty_questions_in_a_row(client):
    for question in QUESTIONS:
        assert "same code" not in text_of(ask(client, question)), question
    assert client.value("[name for name in globals() if name.endswith('_') "
                        "and not name.startswith('_')]") == "[]"


def test_what_the_user_binds_is_the_users(client):
    ask(client, "revenue by shop and drink")
    client.run("result = 'mine'", timeout=START)
    ask(client, "revenue by shop and size")
    assert client.value("result") == "'mine'"

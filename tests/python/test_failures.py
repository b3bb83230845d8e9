"""What the worker finds out about the cell that failed last, for %fix."""

from collections.abc import Iterator

import pytest
from driver import Driver, Stage

SETUP = """
import pandas as pd
import numpy as np
df = pd.DataFrame({"revenue_usd": ["$1,200", "$3", "$40"], "Région": ["a", "b", "c"], "n": [1, 2, 3],
                   "day": ["2024-01-31", "2024-02-01", "2024-03-05"]})
prices = {"coffee": 3, "tea": 2}
"""


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    stage = Stage("failing")
    yield stage
    stage.close()


@pytest.fixture
def failed(worker: Driver, cwd):
    worker.run(SETUP)
    (cwd / "sales.csv").write_text("a,b\n1,2\n")

    def fail(code: str):
        assert worker.run(code).content["status"] == "error"
        return worker.ask("profile_request", {"failure": True}).content["failure"]

    return fail


def texts(failure) -> list[str]:
    code = failure["code"].encode()
    return [code[start:end].decode() for start, end in failure["finding"]["spots"]]


@pytest.mark.parametrize(
    "code, kind, near, spots",
    [
        ("df['revenue'].sum()", "column", ["revenue_usd"], ["'revenue'"]),
        ("x = 'é'; df['region']", "column", ["Région"], ["'region'"]),
        ("df[['n', 'revenu_usd']]", "column", ["revenue_usd"], ["'revenu_usd'"]),
        ("df.groupby('Region').n.sum()", "column", ["Région"], ["'Region'"]),
        ("df.sort_values('revenueusd')", "column", ["revenue_usd"], ["'revenueusd'"]),
        ("df.drop(columns=['days'])", "column", ["day"], ["'days'"]),
        ("df.groupby('n').agg({'revenue': 'max'})", "column", ["revenue_usd"], ["'revenue'"]),
        ("df.groupby('n').agg(top=('revenue', 'max'))", "column", ["revenue_usd"], ["'revenue'"]),
        ("df.set_index('daay')", "column", ["day"], ["'daay'"]),
        ("df.groupby('n')['revenue'].max()", "column", ["revenue_usd"], ["'revenue'"]),
        ("prices['cofee']", "key", ["coffee"], ["'cofee'"]),
        ("name = 'revenue'\ndf[name]", "column", ["revenue_usd"], ["'revenue'"]),
        ("print(pricess)\nlen(pricess)", "name", ["prices"], ["pricess", "pricess"]),
        ("prnt(1)", "name", ["print"], ["prnt"]),
        ("import panda as p", "module", ["pandas"], ["panda"]),
        ("from matplotlb import pyplot", "module", ["matplotlib"], ["matplotlb"]),
        ("pd.read_cvs('x')", "attribute", ["read_csv"], ["read_cvs"]),
        ("df.groupbi('n')", "attribute", ["groupby"], ["groupbi"]),
        ("df.revenu_usd", "attribute", ["revenue_usd"], ["revenu_usd"]),
        ("df['day'].dt.month", "dates", None, ["df['day']"]),
        ("df.set_index('day').resample('ME').n.sum()", "dates", None, ["df"]),
        ("df[df['day'] > pd.Timestamp('2024-02-01')]", "dates", None, ["df['day']"]),
        ("df['revenue_usd'].mean()", "numbers", None, ["df['revenue_usd']"]),
        ("df.revenue_usd / 2", "numbers", None, ["df.revenue_usd"]),
        ("df['revenue_usd'].astype(float)", "numbers", None, ["df['revenue_usd']"]),
        ("df.groupby('n')['revenue_usd'].mean()", "numbers", None, ["df"]),
        ("df.groupby('n').revenue_usd.mean()", "numbers", None, ["df"]),
        ("total = 5\nprint('total: ' + total)", "text", None, ["total"]),
        ("np.int64(5) + ' in all'", "text", None, ["np.int64(5)"]),
        ("df['day'].diff()", "dates", None, ["df['day']"]),
        ("gaps = pd.DataFrame({'x': ['$1', 'n/a', '-', '2']})\ngaps['x'].mean()", "numbers", None, ["gaps['x']"]),
        ("pd.read_csv('saels.csv')", "file", ["sales.csv"], ["'saels.csv'"]),
        ("a = 1; print(f'{a}: {pricess}')", "name", ["prices"], ["pricess"]),
        ("import seaborn\nseaborn.barplot(data=df, x='n', y='revenue')", "column", ["revenue_usd"],
         ["'revenue'"]),
        ("df['x'] = [1, 2]", "pad", None, ["[1, 2]"]),
        ("df['x'] = df['n'][df['n'] > 1].to_numpy()", "align", None, [".to_numpy()"]),
        ("pd.DataFrame({'a': [1, 2], 'b': [1]})", "series", None, ["[1, 2]", "[1]"]),
    ],
)  # fmt: skip
def test_what_failed_is_found(failed, code, kind, near, spots):
    failure = failed(code)
    assert failure["finding"], failure
    assert failure["finding"]["kind"] == kind, failure
    assert texts(failure) == spots
    if near is not None:
        assert failure["finding"]["near"][: len(near)] == near and failure["finding"]["clear"]


@pytest.mark.parametrize(
    "code, near, clear",
    [
        ("df['sales']", [], False),
        ("q = pd.DataFrame({'sales_2023': [1], 'sales_2024': [2]})\nq['sales_2025']",
         ["sales_2023", "sales_2024"], False),
    ],
)  # fmt: skip
def test_what_may_be_several_things_is_not_clear(failed, code, near, clear):
    finding = failed(code)["finding"]
    assert (finding["near"], finding["clear"]) == (near, clear)


@pytest.mark.parametrize(
    "code",
    [
        "1 / 0",
        "def f(:",
        "%%time\ndf['revenue']",
        "class E(Exception):\n    def __str__(self): print('runs')\nraise E",
        "df['é\\r'] \r\ndf['revenue']",
        "raise KeyError('revenue')",
        "odd = pd.DataFrame({'x': ['(1,200)', '3']})\nodd['x'].mean()",
        "odd = pd.DataFrame({'x': ['$1', '€2']})\nodd['x'].mean()",
        "odd = pd.DataFrame({'x': ['1.2k', '3.0k']})\nodd['x'].mean()",
        "odd = pd.DataFrame({'x': ['1.200,50', '3,5']})\nodd['x'].mean()",
    ],
)
def test_what_is_not_known_is_said_to_be_so(failed, code):
    failure = failed(code)
    assert failure["finding"] is None
    assert failure["code"] == code


def test_the_last_failure_stays_until_the_next(failed, worker):
    first = failed("df['revenue']")
    worker.run("1 + 1")
    again = worker.ask("profile_request", {"failure": True}).content["failure"]
    assert again == first
    assert (first["ename"], first["evalue"], first["line"]) == ("KeyError", "'revenue'", 1)
    assert failed("1 / 0")["count"] > first["count"]


def test_nothing_failed(worker):
    worker.run("1")
    content = worker.ask("profile_request", {"failure": True}).content
    assert content["failure"] is None
    assert "failure" not in worker.ask("profile_request", {}).content


def test_a_failure_of_many_megabytes_is_cut(failed):
    failure = failed("raise ValueError('x' * 10_000_000)")
    assert len(failure["evalue"]) == 2000


@pytest.mark.parametrize("repair, kinds", [(True, ["rebinds"]), (False, [])])
def test_what_a_repaired_cell_binds_is_the_users(worker, repair, kinds):
    code = "import pandas as pd\nmine = pd.DataFrame({'a': [1]})"
    assert worker.attempt(code, repair=repair).content["status"] == "ok"
    worker.end_attempt(keep=True)
    asked = {"code": "mine = mine.dropna()\nmine", "names": ["mine"]}
    problems = worker.ask("check_request", asked).content["problems"]
    assert [each["kind"] for each in problems] == kinds


def test_a_repair_that_fails_is_described_too(worker):
    worker.run(SETUP)
    reply = worker.attempt("df['revenue']", repair=True).content
    assert reply["failure"]["finding"]["near"] == ["revenue_usd"]


def test_a_repaired_cell_may_bind_and_be_silent(worker):
    worker.run(SETUP)
    code = {"code": "df = df.dropna()", "names": ["df"], "files": []}
    assert worker.ask("check_request", code).content["ok"] is False
    assert worker.ask("check_request", code | {"repair": True}).content["ok"] is True


def test_a_cell_of_many_uses_is_found_in_time(failed):
    failure = failed("\n".join(["x = 1"] * 3000 + ["prces"] * 3000))
    assert failure["finding"]["near"] == ["prices"]
    assert len(failure["finding"]["spots"]) == 50


def test_an_object_that_lies_about_itself_costs_only_the_finding(failed):
    failure = failed("""
class Odd(dict):
    __class__ = property(lambda self: 1 / 0)
odd = Odd()
try:
    odd.nonesuch
except AttributeError as error:
    raise error from None
""")
    assert failure["ename"] == "AttributeError" and failure["line"]

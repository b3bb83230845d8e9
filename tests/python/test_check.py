"""check_request: what is found in code, what is not, and that nothing of it runs."""

import pytest
from driver import Driver

SETUP = """
import pandas as pd
df = pd.DataFrame({"Profit": [1, 2], "Region": ["a", "b"], "Order Date": ["x", "y"]})
"""
COLUMN, DATA = "unknown_column", "invents"


@pytest.fixture
def checker(worker: Driver, cwd):
    worker.run(SETUP)
    (cwd / "data").mkdir()
    (cwd / "data/sales.csv").write_text("Region,Amount\na,1\n")

    def check(code: str, **content):
        content = {"code": code, "names": ["df"], "files": ["data/sales.csv"]} | content
        return worker.ask("check_request", content).content

    return check


@pytest.mark.parametrize(
    "code, kind, line, nearest",
    [
        ("x = 1\ndf['Profitt'].sum()", COLUMN, 2, ["Profit"]),
        ("df.groupby('region').Profit.sum()", COLUMN, 1, ["Region"]),
        ("df.groupby(['Region', 'Regoin'])['Profit'].sum()", COLUMN, 1, ["Region"]),
        ("df[['Profit', 'Order date']]", COLUMN, 1, ["Order Date"]),
        ("df.loc[df.Profit > 1, 'Regio']", COLUMN, 1, ["Region"]),
        ("df.Regionn.value_counts()", COLUMN, 1, ["Region"]),
        ("top = df[df.Profit > 1].copy()\ntop.sort_values('Profi')", COLUMN, 2, ["Profit"]),
        ("df.groupby('Region').agg(total=('Profits', 'sum'))", COLUMN, 1, ["Profit"]),
        ("import pandas as pd\ns = pd.read_csv('data/sales.csv')\ns['Amonut']", COLUMN, 3, ["Amount"]),
        ("df = df.dropna()\ndf", "rebinds", 1, []),
        ("for df in [1]: print(df)", "rebinds", 1, []),
        ("def f():\n    global df\n    df = 1\nprint(f())", "rebinds", 2, []),
        ("del df\nprint(1)", "rebinds", 1, []),
        ("import pandas as pd\ndf = pd.DataFrame({'Profit': [1, 2, 3]})\ndf", DATA, 2, []),
        ("import numpy as np\nx = np.random.rand(9)\nprint(x)", DATA, 2, ["data/sales.csv", "df"]),
        ("import pandas as pd\npd.read_csv('sale.csv')", DATA, 2, ["data/sales.csv"]),
        ("import pandas as pd\npd.read_csv('https://example.org/x.csv')", DATA, 2, []),
        ("import numpyy\nprint(df)", "import", 1, ["numpy"]),
        ("print(df, input('?'))", "input", 1, []),
        ("def f():\n    return df", "no_output", 1, []),
        ("df.sum(", "syntax", 1, []),
        ("print(df)\nx = = 1", "syntax", 2, []),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(checker, code, kind, line, nearest):
    reply = checker(code)
    assert reply["status"] == "ok"
    assert reply["ok"] is False
    first = reply["problems"][0]
    assert (first["kind"], first["line"]) == (kind, line)
    assert first["nearest"][: len(nearest)] == nearest


@pytest.mark.parametrize(
    "code",
    [
        "df.groupby('Region')['Profit'].sum().sort_values().plot.bar()",
        "df['month'] = df['Order Date'].str[:3]\ndf.groupby('month').Profit.sum()",
        "df.assign(double=df.Profit * 2)['double']",
        "df.groupby('Region').agg(total=('Profit', 'sum')).reset_index()[['Region', 'total']]",
        "r = df.rename(columns={'Profit': 'p'})\nr['p']",
        "def f(df):\n    return df['anything']\nprint(f({'anything': 1}))",
        "try:\n    print(df['maybe'])\nexcept KeyError:\n    print('no')",
        "if 'maybe' in df.columns:\n    print(df['maybe'])",
        "for name, part in df.groupby('Region'):\n    print(part['whatever'])",
        "df.describe()['nobody knows']",
        "try:\n    import nonesuch\nexcept ImportError:\n    print(df)",
        "%matplotlib inline\n!ls\ndf",
        "other = {'a': 1}\nother['b'] = df\nother['c']",
        "import pandas as pd\nnames = pd.DataFrame({'Region': ['a'], 'n': [1]})\ndf.merge(names)",
    ],
)
def test_what_may_be_right_is_let_through(checker, code):
    assert checker(code)["problems"] == []


def test_local_fixes_change_no_meaning(checker):
    assert checker("total = df.Profit.sum()")["code"] == "total = df.Profit.sum()\ntotal\n"
    assert checker("np.log(df.Profit)")["code"] == "import numpy as np\nnp.log(df.Profit)"
    assert checker("pd.concat([df, df])")["code"] == "pd.concat([df, df])"  # pd is there


def test_the_longest_prefix_of_whole_statements(checker):
    code = "print(df)\nfor x in [1]:\n    print(x)\n    print(x"
    assert checker(code, prefix=True) == {
        "status": "ok", "ok": True, "code": "print(df)\n", "problems": []
    }  # fmt: skip
    assert checker(code)["problems"][0]["kind"] == "syntax"
    assert checker("(((", prefix=True)["problems"][0]["kind"] == "syntax"


def cpu_seconds(worker: Driver) -> float:
    return float(worker.run("import time; time.process_time()").result)


def test_a_check_that_takes_too_long_is_given_up(checker, worker):
    worker.run("import cellpod.check as check, cellpod.check_facts as facts\ncheck.SECONDS = 0.05\n"
               "def parse(*_, **__):\n    while True: pass\n"
               "facts.ast = type('', (), {**vars(facts.ast), 'parse': staticmethod(parse)})")
    assert checker("df['Profitt']")["problems"] == []
    assert worker.run("1").result == "1"


@pytest.mark.parametrize(
    "code",
    ["(" * 5000, "-" * 100000 + "1", "{" * 90, "x." * 50000 + "y", "\0", "\ud800", "lambda:" * 20000,
     "1" + "+1" * 50000, "a" * 300000, "\n" * 200000 + "(", "df['" + "a" * 200000 + "']",
     "df.eval('" + "a" * 200000 + "')", "? " * 100000, "%%cell\n" * 30000, "df" + "[df" * 5000, ""],
)  # fmt: skip
def test_any_text_is_answered_in_time(checker, worker, code):
    """Of the processor's: how long it waits for it is not the check's."""
    before = cpu_seconds(worker)
    reply = checker(code)
    assert cpu_seconds(worker) - before < 5
    assert reply["status"] == "ok"
    assert len(reply["problems"]) <= 8
    assert all(len(problem["message"]) <= 300 for problem in reply["problems"])


def test_nothing_of_it_is_run(checker, cwd, worker):
    code = "open('made', 'w')\n!touch made\n__import__('os').mkdir('made')\n%run made\ndf = 1"
    checker(code)
    assert not (cwd / "made").exists()
    assert worker.run("type(df).__name__").result == "'DataFrame'"


def test_a_request_without_code_gets_an_answer(checker):
    assert checker(None)["status"] == "error"
    assert checker("df", names=None, files=7)["ok"] is True

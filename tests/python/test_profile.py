"""What data is there, as the planner and prompts are told; and cells that are announced."""

import importlib.util
import json
from pathlib import Path

import pytest
from driver import Driver

REFERENCE = Path(__file__).parents[1] / "planner/profile_reference.py"

FRAMES = """
import pandas as pd, numpy as np
df = pd.DataFrame({
    "region": ["north", "south", None, "north"], "profit": [1.5, -2.0, np.inf, np.nan],
    "year": [2019, 2020, 2021, 2022], "when": pd.to_datetime(["2020-01-01", "2021-05-06"] * 2),
    "text date": ["2020-01-01", "2021-05-06", "2022-01-01", "2020-02-02"],
    "flag": [True, False, True, True], 7: [1, 2, 3, 4], ("a", "b"): [1, 2, 3, 4],
    "lists": [[1], [2], [3], [4]], "kind": pd.Categorical(["u", "v", "u", "u"]),
    "month": pd.period_range("2020-01", periods=4, freq="M"), "empty": [None] * 4,
    "took": pd.to_timedelta([90, 60, None, 30], unit="s"), "talk": ["00:01:30", "26:00:00", None, "00:00:10"],
    "n": pd.array([1, None, 3, 4], dtype="Int64")})
"""


def profile(worker: Driver) -> dict:
    content = worker.ask("profile_request", {}).content
    assert content["status"] == "ok"
    return content


def columns(frame: dict) -> dict:
    return {str(column["name"]): column for column in frame["columns"]}


def reference():
    spec = importlib.util.spec_from_file_location("profile_reference", REFERENCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_says_what_the_planner_reads(worker: Driver):
    worker.run(FRAMES)
    [frame] = profile(worker)["frames"]
    names: dict = {}
    exec(FRAMES, names)
    expected = reference().profile_frame("df", names["df"])
    assert (frame["name"], frame["kind"], frame["rows"]) == ("df", "frame", 4)
    found = columns(frame)
    for name, column in columns(expected).items():
        for key, value in column.items():
            if key == "values":
                assert sorted(found[name][key]) == sorted(value)
            elif key != "dtype":
                assert found[name].get(key) == value, (name, key)


def test_it_says_how_long_something_took(worker: Driver):
    worker.run(FRAMES)
    found = columns(profile(worker)["frames"][0])
    assert found["took"]["seconds"] == {"min": 30.0, "median": 60.0, "max": 90.0}
    assert found["talk"]["seconds"] == {"min": 10.0, "median": 90.0, "max": 93600.0}
    assert "seconds" not in found["text date"]


MOMENTS = """
import pandas as pd
stops = pd.DataFrame({
    "begun": pd.to_datetime(["2024-01-01 08:00", "2024-01-02 09:30", None, "2024-01-05 22:50"]),
    "day": pd.to_datetime(["2024-01-01"] * 4),
    "over": ["2024-01-01 08:40", "02-Jan-2024 09:40", "2024-01-03 10:00", "2024-01-05 23:10"],
    "paid": pd.to_datetime(["2024-01-03 08:40"] * 4).tz_localize("UTC")})
"""


def test_it_says_how_far_apart_moments_are(worker: Driver):
    worker.run(MOMENTS)
    found = columns(profile(worker)["frames"][0])
    assert found["over"]["apart"] == {"begun": 20 * 60}  # the median of 40, 10 and 20 minutes
    assert set(found["paid"]["apart"]) == {"begun", "over"}
    assert "apart" not in found["begun"] and "apart" not in found["day"]


@pytest.mark.parametrize("cells, is_mixed", [
    (["28-May-2023", "12-Jun-2018", "08-Nov-2020"], True),  # "May" is a whole name, too
    (["12-Jun-2018", "28-May-2023", None], False),
    (["2024-01-05", "5 Jan 2024"], True),
    (["2024-01-05", "2024-02-05"], False),
])  # fmt: skip
def test_it_says_whether_dates_are_written_alike(worker: Driver, cells: list, is_mixed: bool):
    worker.run(f"import pandas as pd; df = pd.DataFrame({{'day': {cells!r}}})")
    assert columns(profile(worker)["frames"][0])["day"].get("mixed", False) is is_mixed


def test_it_says_what_prompts_show(worker: Driver):
    worker.run(FRAMES + "threshold = 3\nclass Thing: pass\nthing = Thing()\ndef f(): pass")
    content = profile(worker)
    assert set(content["packages"]) == {"python", "pandas", "numpy", "matplotlib"}
    types = {variable["name"]: variable["type"] for variable in content["variables"]}
    assert types["threshold"] == "int" and "f" not in types and "pd" not in types
    found = columns(content["frames"][0])
    assert found["region"]["values"][0] == "north"
    assert found["year"]["median"] == 2020.5
    assert found["when"]["max"].startswith("2021-05-06")
    assert found["kind"]["dtype"] == "category"
    assert content["frames"][0]["sample"][0][0] == "north"


def test_a_changed_frame_is_described_anew(worker: Driver):
    worker.run("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})")
    assert columns(profile(worker)["frames"][0])["a"]["max"] == 2
    worker.run("df.loc[1, 'a'] = 9")
    assert columns(profile(worker)["frames"][0])["a"]["max"] == 9
    worker.run("df['b'] = 'x'")
    assert set(columns(profile(worker)["frames"][0])) == {"a", "b"}


CHANGES = {
    "number": ("range(5000)", "nan"),
    "float": ("[0.5] * 5000", "nan"),
    "date": ("pd.date_range('2020', periods=5000)", "pd.NaT"),
    "zone": ("pd.date_range('2020', periods=5000, tz='UTC')", "pd.NaT"),
    "text": ("[f'text {n}' for n in range(5000)]", "None"),
    "objects": ("pd.Series([f'text {n}' for n in range(5000)], dtype=object)", "None"),
    "category": ("pd.Categorical(['a', 'b'] * 2500)", "None"),
    "nullable": ("pd.array(range(5000), dtype='Int64')", "pd.NA"),
    "flags": ("pd.array([True] * 5000, dtype='boolean')", "pd.NA"),
    "arrow": ("pd.array(range(5000), dtype='int64[pyarrow]')", "pd.NA"),
    "many objects": ("pd.Series(['a', 'b'] * 150_000, dtype=object)", "None"),
}


@pytest.mark.parametrize("values, nothing", CHANGES.values(), ids=CHANGES)
def test_one_changed_cell_is_noticed(worker: Driver, values: str, nothing: str):
    """Any cell, also one that is not among some rows; and nothing else costs a description."""
    worker.run(f"import pandas as pd\nnan = float('nan')\n"
               f"try: df = pd.DataFrame({{'a': {values}, 'b': 1}})\n"
               f"except ImportError: df = pd.DataFrame({{'a': [1.0] * 5000}})")
    before = columns(profile(worker)["frames"][0])["a"]["nulls"]
    worker.run(f"import warnings; warnings.simplefilter('ignore')\ndf.loc[4321, 'a'] = {nothing}")
    assert columns(profile(worker)["frames"][0])["a"]["nulls"] == before + 1


@pytest.mark.parametrize(("cells", "kind"), [
    (["10:00-17:00", "9:30 – 12:00"], "text"), (["9am-5pm", "10am to 4pm"], "text"),
    (["5-10", "10-12"], "text"), (["10:15", "9:30"], "date"), (["1-2-2024", "3-4-2024"], "date"),
    (["2024-01", "2024-02"], "date"), (["1-2 May", "3-4 May"], "date"),
    (["4.6.0", "5.1.2"], "text"), (["14.10.18", "2.1.19"], "date"),
    (["1st", "2nd"], "text"), (["Year 1", "Year 2"], "text"), (["May 7", "Jun 8"], "date"),
    ([12.5, "13.1 C"], "text"), ([12.5, "none"], "other"), ([True, "13.1 C"], "other"),
])
def test_what_reads_as_dates_and_is_none(worker: Driver, cells: list[str], kind: str):
    worker.run(f"import pandas as pd\ndf = pd.DataFrame({{'a': {cells * 9}}})")
    assert columns(profile(worker)["frames"][0])["a"]["kind"] == kind


@pytest.mark.parametrize(("cells", "has_days"), [
    (["14:05", "9:30"], False), (["2:05 pm", "11:30 AM"], False), (["2024-01-01 14:05"] * 2, True),
])
def test_times_of_the_day_have_no_days(worker: Driver, cells: list[str], has_days: bool):
    worker.run(f"import pandas as pd\ndf = pd.DataFrame({{'a': {cells * 9}}})")
    about = columns(profile(worker)["frames"][0])["a"]
    assert about["kind"] == "date"
    assert ("first" in about, about.get("clock", False)) == (has_days, not has_days)


def test_of_many_texts_each_form_is_told_once(worker: Driver):
    worker.run("import pandas as pd\n"
               "df = pd.DataFrame({'a': [f'{n}.50' if n % 5 else f'EUR {n}.50' for n in range(3000)]})")
    about = columns(profile(worker)["frames"][0])["a"]
    assert about["forms"] == ["EUR 0.50", "1.50"]
    assert "values" not in about


def test_a_renamed_column_is_noticed_in_a_wide_frame(worker: Driver):
    worker.run("import pandas as pd\ndf = pd.DataFrame({f'c{n}': [n] for n in range(400)})")
    profile(worker)
    worker.run("df.rename(columns={'c399': 'new'}, inplace=True)")
    assert "new" in columns(profile(worker)["frames"][0])


def test_files(worker: Driver, cwd: Path):
    (cwd / "data").mkdir()
    (cwd / "data/sales.csv").write_text("item,n\nx,1\ny,2\n")
    (cwd / "broken.parquet").write_text("no")
    (cwd / ".hidden.csv").write_text("a\n1\n")
    worker.run("import pandas")
    [file] = profile(worker)["frames"]
    assert (file["kind"], file["path"], file["format"]) == ("file", "data/sales.csv", "csv")
    assert file["rows"] == 2 and columns(file)["n"]["max"] == 2
    (cwd / "data/sales.csv").write_text("item,n\nx,1\ny,2\nz,30\n")
    assert profile(worker)["frames"][0]["rows"] == 3


@pytest.mark.parametrize("frame", [
    "pd.DataFrame()", "pd.DataFrame({'a': []})", "pd.DataFrame(1, range(2), range(20_000))",
    "pd.DataFrame({'a' * 9000: [1], '\\ud800': [1], '\"\\n': [2], 2**80: [1]})",
    "pd.DataFrame({'a': [object()], 'b': [2**80], 'c': [{}]})",
    "pd.DataFrame([[1, 2]], columns=['a', 'a'])",
])
def test_odd_frames(worker: Driver, frame: str):
    worker.run(f"import pandas as pd\ndf = {frame}")
    content = profile(worker)
    assert json.dumps(content, allow_nan=False)
    assert sum(len(found["columns"]) for found in content["frames"]) <= 10_000


def test_an_announced_cell_is_counted_and_in_the_history(worker: Driver):
    before = worker.run("0").content["execution_count"]
    answer = worker.ask("announce_request", {"code": "%%ask\nwhat"})
    [shown] = answer.of("execute_input")
    assert shown.content == {"code": "%%ask\nwhat", "execution_count": before + 1}
    assert answer.content == {"status": "ok", "execution_count": before + 1}
    attempt = worker.attempt("6 * 7", store_history=False, is_counted=True)
    [result] = attempt.of("execute_result")
    assert result.content["execution_count"] == before + 1
    assert worker.end_attempt(keep=True)["kept"]
    assert worker.run(f"Out[{before + 1}]").result == "42"
    assert worker.run("0").content["execution_count"] == before + 3
    assert "%%ask" in worker.run("%history").text()

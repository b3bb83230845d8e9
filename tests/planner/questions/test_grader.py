"""The grader's own tests: what is accepted is graded right, what is spoiled is graded wrong.

No kernel runs here: answers are shown to the grader as cells would show them.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import capture  # noqa: E402
import cells  # noqa: E402
import drawings  # noqa: E402
import grader  # noqa: E402
import match  # noqa: E402
import spec  # noqa: E402
import answer_tables  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")

TABLES = {f"{half}/{path.stem}": (half, path) for half in grader.HALVES
          for path in sorted((HERE / half).glob("*.py"))}
LOADED: dict[str, spec.Table] = {}


@dataclass
class Shown:
    """An answer as notebook.Answer has it."""

    shown: list = field(default_factory=list)
    printed: str = ""
    summary: str = "cellpod: planner · 1 attempt\nAssumed: took this for that"
    error: str = ""


def load(name: str) -> spec.Table:
    if name not in LOADED:
        LOADED[name] = grader.load(*TABLES[name])
    return LOADED[name]


@pytest.fixture(params=list(TABLES))
def table(request) -> spec.Table:
    return load(request.param)


# Two seconds of a processor for each table.
AT_LENGTH = pytest.mark.at_length("the grader on seven in eight tables of questions")


@pytest.fixture(params=[pytest.param(name, marks=AT_LENGTH if at % 8 else ())
                        for at, name in enumerate(TABLES)])
def graded_table(request) -> spec.Table:
    """All of whose answers are shown to the grader, in many forms."""
    return load(request.param)


# --- how a cell would show an answer ---------------------------------------------------------------


def displayed(wanted) -> list:
    """What `display(answer)` gives the hook; a figure where only a figure will do."""
    if isinstance(wanted, (spec.Hist, spec.Pairs, spec.Box)):
        return [drawn(wanted, "")]
    if isinstance(wanted, spec.Top):
        best = wanted.series.sort_values(ascending=wanted.ascending).iloc[:wanted.n]
        return [capture.encode(best)]
    if isinstance(wanted, spec.Keys):
        return [capture.encode(list(wanted.keys))]
    if isinstance(wanted, spec.Values):
        return [capture.encode(pd.Series(wanted.numbers))]
    return [capture.encode(wanted)]


def drawn(wanted, kind: str) -> dict:
    capture.watch_boxes()
    capture.STATS.clear()
    fig, ax = plt.subplots()
    try:
        draw(wanted, kind, ax)
        return capture.encode(fig)
    finally:
        plt.close(fig)


def draw(wanted, kind: str, ax) -> None:
    if isinstance(wanted, spec.Hist):
        groups = wanted.values if isinstance(wanted.values, dict) else {"": wanted.values}
        for name, values in groups.items():
            ax.hist(values.dropna(), bins=20, label=str(name))
    elif isinstance(wanted, spec.Pairs):
        ax.scatter(wanted.x, wanted.y)
    elif isinstance(wanted, spec.Box):
        ax.boxplot(list(wanted.groups.values()), tick_labels=[str(key) for key in wanted.groups])
    elif isinstance(wanted, pd.Series):
        draw_series(wanted, kind, ax)
    else:
        draw_frame(wanted, kind, ax)


def draw_series(wanted, kind: str, ax) -> None:
    if kind == "pie":
        ax.pie(wanted, labels=[str(key) for key in wanted.index], autopct="%.1f%%")
    elif kind in ("line", "any"):
        index = wanted.index
        ax.plot(index.to_timestamp() if isinstance(index, pd.PeriodIndex) else index, wanted)
    else:
        ax.bar([str(key) for key in wanted.index], wanted)


def draw_frame(wanted, kind: str, ax) -> None:
    if kind == "heat":
        ax.imshow(wanted.to_numpy(dtype=float))
        ax.set_xticks(range(wanted.shape[1]), [str(c) for c in wanted.columns])
        ax.set_yticks(range(wanted.shape[0]), [str(r) for r in wanted.index])
    elif kind == "line":
        for column in wanted:
            ax.plot(wanted.index.to_timestamp(), wanted[column], label=str(column))
    else:
        wanted.plot.bar(stacked=True, ax=ax)


def verdict(table, question, shown: list, printed: str = "", **more) -> str:
    return grader.grade(table, question, Shown(shown, printed, **more))[0]


def answers(table) -> list:
    if not hasattr(table, "known"):
        table.known = [(question, table.answers(question)) for question in table.questions]
    return table.known


def is_right(table, question, known, shown, printed="") -> bool:
    return grader.grade(table, question, Shown(shown, printed), known)[1]


# --- what is accepted ------------------------------------------------------------------------------------


def test_questions_are_complete(table):
    questions = table.questions
    assert len(questions) >= 50 and len({q.id for q in questions}) == len(questions)
    levels = [sum(q.level == level for q in questions) for level in grader.LEVELS]
    assert min(levels) >= len(questions) / 4
    assert 2 <= sum(q.refuses for q in questions) <= 3
    assert all(300 <= len(frame) <= 20000 for frame in list(table.frames.values())[:1])
    assert all(q.ask and q.accept for q in questions)


def test_tables_are_the_same_each_time(table):
    for name, frame in table.module.make().items():
        pd.testing.assert_frame_equal(frame, table.frames[name])


def test_every_accepted_answer_says_something(table):
    for question, known in answers(table):
        for accepted, wanted in known:
            size = len(wanted.keys) if isinstance(wanted, spec.Keys) else (
                len(wanted) if isinstance(wanted, (pd.Series, pd.DataFrame)) else 1)
            assert size and not answer_tables.missing(wanted), (question.id, accepted.source)


def test_accepted_answers_are_right(graded_table):
    wrong = []
    for question, known in answers(graded_table):
        for accepted, wanted in known:
            if isinstance(wanted, str) and wanted == spec.REFUSE:
                continue
            shown = displayed(wanted)
            if question.chart and shown[0]["kind"] != "figure":
                shown = [drawn(wanted, question.chart)]
            if not is_right(graded_table, question, known, shown):
                wrong.append((question.id, accepted.source))
    assert not wrong


def test_scalars_are_right_in_a_sentence(table):
    wrong = []
    for question, known in answers(table):
        for _, wanted in known:
            if isinstance(wanted, (int, float, np.number)) and not question.chart:
                lines = [f"mean of it: {float(wanted)!r}", f"{float(wanted):.4f}"]
                wrong += [(question.id, line) for line in lines
                          if not is_right(table, question, known, [], line)]
    assert not wrong


# --- what is spoiled ----------------------------------------------------------------------------------------


def spoiled(wanted) -> list:
    """Answers that look much like the right one."""
    if isinstance(wanted, pd.DataFrame):
        return [[capture.encode(wanted * 1.01)], [capture.encode(wanted.iloc[1:])],
                [capture.encode(wanted.iloc[::-1].set_axis(wanted.index))]]
    if isinstance(wanted, pd.Series):
        return spoiled_series(wanted)
    if isinstance(wanted, spec.Top):
        return spoiled_top(wanted)
    if isinstance(wanted, spec.Keys):
        return [[capture.encode(list(wanted.keys)[1:])], [capture.encode([*wanted.keys, "other"])]]
    if isinstance(wanted, spec.Values):
        return [[capture.encode(pd.Series([n * 1.01 for n in wanted.numbers]))]]
    if isinstance(wanted, spec.Hist):
        return [[drawn(spec.Hist(pd.Series(drawings.plain_numbers(wanted.values)) * 1.05 + 0.3), "")]]
    if isinstance(wanted, spec.Pairs):
        return [[drawn(spec.Pairs(wanted.x, wanted.y.sample(frac=1, random_state=1)), "")]]
    if isinstance(wanted, spec.Box):
        keys, groups = list(wanted.groups), list(wanted.groups.values())
        return [[drawn(spec.Box(dict(zip(keys, groups[1:] + groups[:1]))), "")]]
    if isinstance(wanted, (int, float, np.number)):
        return [[capture.encode(float(wanted) * 1.01 + (wanted == 0))]]
    return [[capture.encode("something else")]]


def also_accepted(shown: list, known: list) -> bool:
    """One per cent off one reading may be another one."""
    return shown[0]["kind"] == "scalar" and any(
        cells.is_number(shown[0]["value"]) and isinstance(other, (int, float, np.number))
        and cells.near(shown[0]["value"], other) for _, other in known)


def spoiled_series(wanted: pd.Series) -> list:
    wanted = wanted[[not answer_tables.missing(key) for key in wanted.index]]
    found = [[capture.encode(wanted.iloc[1:])]] if wanted.iloc[0] not in (0, 0.0) else []
    if pd.api.types.is_numeric_dtype(wanted):
        found.append([capture.encode(wanted * 1.01)])
        found.append([capture.encode(wanted.sum())])
    if len(wanted) > 1 and wanted.nunique() > 1:
        rolled = pd.Series(np.roll(wanted.to_numpy(), 1), index=wanted.index)
        found += [[capture.encode(rolled)]] if not rolled.equals(wanted) else []
    return found


def spoiled_top(wanted: spec.Top) -> list:
    ranked = wanted.series.sort_values(ascending=not wanted.ascending)
    found = [[capture.encode(ranked.iloc[:wanted.n])]]
    if wanted.n == 1:
        return [*found, [capture.encode(ranked.index[0])]] if ranked.nunique() > 1 else []
    best = wanted.series.sort_values(ascending=wanted.ascending)
    return [*found, [capture.encode(best.iloc[:wanted.n - 1])],
            [capture.encode(best.iloc[:wanted.n].sample(frac=1, random_state=3))]]


def test_spoiled_answers_are_wrong(graded_table):
    passed = []
    for question, known in answers(graded_table):
        for accepted, wanted in known:
            if isinstance(wanted, str) and wanted == spec.REFUSE:
                continue
            if any(isinstance(other, spec.Keys) for _, other in known) and not isinstance(
                    wanted, spec.Keys):
                continue  # there the keys alone are an answer
            for place, shown in enumerate(spoiled(wanted)):
                if is_right(graded_table, question, known, shown) and not also_accepted(shown, known):
                    passed.append((question.id, accepted.source, place))
    assert not passed


def test_answers_to_other_questions_are_wrong(graded_table):
    """Another aggregate, another group, a filter forgotten: the table's other questions."""
    passed = []
    everything = [(question, wanted, displayed(wanted)) for question, known in answers(graded_table)
                  for accepted, wanted in known[:1]
                  if not (isinstance(wanted, str) and wanted == spec.REFUSE)]
    for question, known in answers(graded_table):
        wanted_here = [w for _, w in known]
        for other, wanted, shown in everything:
            if other.id != question.id and is_right(graded_table, question, known, shown) and not any(
                    alike(w, wanted) for w in wanted_here):
                passed.append((question.id, other.id))
    assert not passed


def alike(one, other) -> bool:
    """Two questions of one answer: no spoiling."""
    one, other = (x.series if isinstance(x, spec.Top) else x.values if isinstance(x, spec.Hist)
                  else x for x in (one, other))
    if isinstance(one, (pd.Series, pd.DataFrame)) and type(one) is type(other):
        return same_values(one, other)
    return type(one) is type(other) and str(one) == str(other) or (
        isinstance(one, (int, float, np.number)) and isinstance(other, (int, float, np.number))
        and abs(one - other) <= 1e-6 * abs(one))


def same_values(one, other) -> bool:
    return sorted(map(str, one.to_numpy().ravel())) == sorted(map(str, other.to_numpy().ravel()))


# --- refusals, charts and words -----------------------------------------------------------------------------


def test_a_refusal_is_right_only_where_it_is_accepted(table):
    for question, known in answers(table):
        assert grader.grade(table, question, Shown(), known)[:2] == ("refused", question.refuses)


def test_nothing_is_the_answer_to_what_cannot_be_answered(table):
    for question, known in answers(table):
        if question.refuses:
            assert not is_right(table, question, known, [capture.encode(12.5)])


def test_a_chart_that_was_asked_for_must_be_there(table):
    for question, known in answers(table):
        for _, wanted in known:
            if question.chart and isinstance(wanted, (pd.Series, pd.DataFrame)):
                assert not is_right(table, question, known, [capture.encode(wanted)])


SALES = pd.DataFrame({"region": ["north", "south", "east"], "profit": [12.5, 7.25, 3.0]})
BY_REGION = SALES.set_index("region").profit


@pytest.mark.parametrize("wanted, printed, right", [
    (36, "total profit: 36", True),
    (36, "36", True),
    (36, "I looked at 36 rows and 4 columns, and found nothing: 12", False),
    (36, "37", False),
    (0.4213, "share: 42.1 %", False),
    (12.5, "mean of profit in 2024: 12.5", True),
    (2024, "mean of profit in 2024: 12.5", False),
    (1234.5, "sum: 1,234.50", True),
    (20837.189, "mean: 20837.19", True),
    (20837.189, "mean: 20841.2263", False),
])
def test_printed_numbers(wanted, printed, right):
    assert match.matches(wanted, [], printed) == right


def test_a_share_may_be_said_in_percent():
    assert match.matches(0.4213, [], "share: 42.1 %", share=True)
    assert not match.matches(0.4213, [], "share: 43.1 %", share=True)


def test_a_number_within_a_long_table_is_no_answer():
    described = pd.Series(np.arange(100.0)).describe()
    assert not match.matches(float(described["mean"]), [capture.encode(described)], "")


def test_the_best_of_all_may_be_the_first_of_all():
    best = spec.top(BY_REGION)
    assert match.matches(best, [capture.encode(BY_REGION)], "")
    assert not match.matches(best, [capture.encode(BY_REGION.sort_index())], "")
    assert match.matches(best, [], "region: north")
    assert match.matches(best, [], "north (12.5)")
    assert not match.matches(best, [], "south")


def test_the_best_of_rates_may_be_drawn_in_percent():
    rates = pd.Series([0.25, 0.5, 0.125], index=["north", "south", "east"])
    best = spec.top(rates)
    assert match.matches(best, [capture.encode(100 * rates.sort_values())], "")
    assert not match.matches(best, [capture.encode(100 * rates)], "")
    assert not match.matches(rates, [capture.encode(100 * rates)], "")


def test_bars_of_two_keys_have_one_name():
    wanted = pd.Series([1, 2], index=pd.MultiIndex.from_tuples([("a", "x"), ("b", "y")]))
    drawn = [capture.encode(pd.Series([1, 2], index=["a, x", "b, y"]))]
    assert match.matches(wanted, drawn, "")
    assert not match.matches(wanted, [capture.encode(pd.Series([1, 2], index=["a, x", "b"]))], "")
    assert not match.matches(wanted, [capture.encode(pd.Series([1, 2], index=["b, x", "a, y"]))], "")


def test_helper_columns_are_allowed():
    with_more = SALES.assign(n=[4, 5, 6])
    assert match.matches(BY_REGION, [capture.encode(with_more)], "")
    assert not match.matches(BY_REGION, [capture.encode(SALES.assign(region=["a", "b", "c"]))], "")


MONTHLY = pd.Series([1.5, 2.5, 4.0], index=pd.period_range("2024-01", periods=3, freq="M"))


@pytest.mark.parametrize("index", [
    pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01"]),
    pd.to_datetime(["2024-01-31", "2024-02-29", "2024-03-31"]),
    ["2024-01", "2024-02", "2024-03"], ["Jan 2024", "Feb 2024", "Mar 2024"],
    pd.MultiIndex.from_tuples([(2024, 1), (2024, 2), (2024, 3)]).to_flat_index()])
def test_dates_in_any_form(index):
    assert match.matches(MONTHLY, [capture.encode(pd.Series(MONTHLY.to_numpy(), index=index))], "")


@pytest.mark.parametrize("freq", ["M", "Q", "D"])
def test_periods_that_are_wanted_as_text(freq):
    """astype(str) of periods; the answer has periods, timestamps or text."""
    periods = pd.period_range("2024-01-01", periods=4, freq=freq)
    wanted = pd.Series([4, 5, 6, 7.5], index=periods.astype(str))
    for index in (periods, periods.to_timestamp(), periods.astype(str)):
        table = capture.encode(pd.Series(wanted.to_numpy(), index=index))
        assert match.matches(wanted, [table], "")
        assert not match.matches(wanted, [capture.encode(pd.Series([5, 4, 6, 7.5], index=index))], "")


def test_a_histogram_of_values_on_its_edges():
    """0.1 is not a binary fraction: bars that are read back have edges a hair beside the drawn ones."""
    scores = pd.Series(np.tile(np.round(np.arange(1, 10.05, 0.1), 1), 9))
    fig, ax = plt.subplots()
    ax.hist(scores, bins=20)
    shown = [capture.encode(fig)]
    plt.close(fig)
    assert match.matches(spec.Hist(scores), shown, "")
    assert not match.matches(spec.Hist(scores * 0.9), shown, "")


def test_charts_by_another_name_and_by_none():
    assert spec.q("a", "e", "heat", "d", chart="heatmap").chart == "heat"
    with pytest.raises(ValueError, match="violin"):
        spec.q("a", "e", "violins", "d", chart="violin")


def test_a_mapping_of_keys_to_missing_numbers_is_no_pie():
    wanted = pd.Series([1.0, None, 3.0, "x"], index=list("abcd"), dtype=object)
    assert not match.matches(wanted, [], "")


def test_dates_are_told_apart():
    later = pd.Series(MONTHLY.to_numpy(), index=pd.period_range("2024-02", periods=3, freq="M"))
    assert not match.matches(MONTHLY, [capture.encode(later)], "")


def test_a_line_of_dates():
    assert match.matches(MONTHLY, [drawn(MONTHLY, "line")], "")
    assert not match.matches(MONTHLY * 1.05, [drawn(MONTHLY, "line")], "")


def test_a_pandas_line_of_periods():
    fig, ax = plt.subplots()
    MONTHLY.plot(ax=ax)
    shown = [capture.encode(fig)]
    plt.close(fig)
    assert match.matches(MONTHLY, shown, "")


def test_bars_across():
    fig, ax = plt.subplots()
    BY_REGION.plot.barh(ax=ax)
    shown = [capture.encode(fig)]
    plt.close(fig)
    assert match.matches(BY_REGION, shown, "")


def test_weekends_by_flag_and_name():
    wanted = pd.Series([3008, 1192], index=[False, True])
    shown = pd.Series([3008, 1192], index=["weekday", "weekend"])
    assert match.matches(wanted, [capture.encode(shown)], "")
    assert not match.matches(wanted, [capture.encode(shown[::-1].set_axis(shown.index))], "")


def test_days_by_number_and_name():
    wanted = pd.Series([1, 2], index=["Monday", "Tuesday"])
    assert match.matches(wanted, [capture.encode(pd.Series([1, 2], index=[0, 1]))], "")
    assert match.matches(wanted, [capture.encode(pd.Series([1, 2], index=["Mon", "Tue"]))], "")
    assert not match.matches(wanted, [capture.encode(pd.Series([1, 2], index=[1, 2]))], "")


@pytest.mark.parametrize("summary, owns, warns", [
    ("cellpod: planner\nAssumed: used orders", False, False),
    ("cellpod: planner", False, False),
    ("cellpod: planner\nAssumed: took the sum of profit; used orders", True, True),
    ("cellpod: planner\nNot understood: 'late'", False, True)])
def test_what_a_summary_owns_up_to(summary, owns, warns):
    assert (grader.owns_up(summary), grader.warns(summary)) == (owns, warns)


def test_an_unusual_reading_must_be_stated():
    table = type("T", (), {"answers": lambda self, question: [
        (a, eval(a.source)) for a in question.accept]})()
    question = spec.q("x", "e", "how many", "12", spec.assumes("13"))
    shown = [capture.encode(13)]
    assert verdict(table, question, shown) == "right with a stated assumption"
    assert verdict(table, question, shown, summary="cellpod: planner") == "silently wrong"
    assert verdict(table, question, [capture.encode(12)], summary="") == "right"

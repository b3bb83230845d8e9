"""Two hundred figures as answers draw them: half are sound, half spoiled in one way each.

Written before the gate was. Each figure has its seed; `result` is what the program worked out and
drew, as answers leave it. Even seeds are for building the gate, odd ones for reporting.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import pandas as pd  # noqa: E402

CITIES = ["Rome", "Oslo", "Bern", "Kyiv", "Paris", "Tunis", "Quito", "Lima", "Doha", "Baku", "Riga"]
LONG = ["Department of Public Works", "Customer Relations and Service", "Information Technology",
        "Research and Development", "Facilities and Maintenance", "Human Resources and Payroll",
        "International Sales and Trade", "Legal Affairs and Compliance", "Marketing and Communication",
        "Procurement and Logistics", "Quality and Safety Assurance", "Strategy and Planning"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December"]


def numbers(rng: random.Random, count: int) -> list[float]:
    size = rng.choice([1, 10, 1000, 250_000])
    return [round(rng.uniform(0.2, 1) * size, 2) for _ in range(count)]


def groups(rng: random.Random, count: int = 0) -> pd.Series:
    names = rng.sample(CITIES, count or rng.randint(3, 8))
    return pd.Series(numbers(rng, len(names)), names, name="revenue").sort_values(ascending=False)


def name_axes(rng: random.Random, ax: Any) -> None:
    ax.set_title(rng.choice(["Total revenue by city", "Mean delay", "Orders per month (2024)"]))
    ax.set_xlabel(rng.choice(["city", "month", "what it was"]))
    ax.set_ylabel(rng.choice(["revenue", "minutes", "number of orders"]))


# --- sound figures ---------------------------------------------------------------------------


def bars(rng: random.Random) -> tuple[Any, Any]:
    result = groups(rng)
    fig, ax = plt.subplots()
    drawn = ax.bar(range(len(result)), result, tick_label=result.index.astype(str))
    if rng.random() < 0.5:
        ax.bar_label(drawn, fmt="{:,.1f}")
    name_axes(rng, ax)
    return fig, result


def lying_bars(rng: random.Random) -> tuple[Any, Any]:
    names = rng.sample(LONG, rng.randint(4, 11))
    result = pd.Series(numbers(rng, len(names)), names)
    fig, ax = plt.subplots(figsize=(7, 1.2 + 0.3 * len(result)))
    ax.barh(range(len(result)), result, tick_label=result.index)
    ax.invert_yaxis()
    name_axes(rng, ax)
    return fig, result


def pandas_bars(rng: random.Random) -> tuple[Any, Any]:
    result = groups(rng)
    ax = result.plot.bar(rot=rng.choice([0, 45, 90]))
    name_axes(rng, ax)
    return ax.figure, result


def stacked(rng: random.Random) -> tuple[Any, Any]:
    names = rng.sample(CITIES, rng.randint(3, 6))
    result = pd.DataFrame({part: numbers(rng, len(names)) for part in ("small", "medium", "large")}, names)
    ax = result.plot.bar(stacked=rng.random() < 0.5, rot=0)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    name_axes(rng, ax)
    return ax.figure, result


def line(rng: random.Random) -> tuple[Any, Any]:
    days = pd.date_range("2024-01-01", periods=rng.randint(8, 60), freq=rng.choice(["D", "MS", "W"]))
    result = pd.Series(numbers(rng, len(days)), days).cumsum()
    fig, ax = plt.subplots()
    ax.plot(result.index, result, marker=".")
    if rng.random() < 0.5:
        fig.autofmt_xdate()
    else:
        ax.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(ax.xaxis.get_major_locator()))
    name_axes(rng, ax)
    return fig, result


def lines(rng: random.Random) -> tuple[Any, Any]:
    years = list(range(2015, 2015 + rng.randint(4, 10)))
    result = pd.DataFrame({city: numbers(rng, len(years)) for city in rng.sample(CITIES, 3)}, years)
    fig, ax = plt.subplots()
    for name in result:
        ax.plot(result.index, result[name], label=name)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    ax.xaxis.get_major_locator().set_params(integer=True)
    name_axes(rng, ax)
    return fig, result


def legend_in_a_free_corner(rng: random.Random) -> tuple[Any, Any]:
    years = list(range(2010, 2018))
    result = pd.DataFrame({"a": [8 - at + rng.random() / 2 for at in range(8)],
                           "b": [7 - at * 0.9 for at in range(8)]}, years)
    fig, ax = plt.subplots()
    ax.plot(result.index, result["a"], label="a")
    ax.plot(result.index, result["b"], label="b")
    ax.legend(loc="upper right")
    name_axes(rng, ax)
    return fig, result


def points(rng: random.Random) -> tuple[Any, Any]:
    count = rng.randint(20, 400)
    x = [rng.gauss(50, 10) for _ in range(count)]
    fig, ax = plt.subplots()
    ax.scatter(x, [value * 2 + rng.gauss(0, 9) for value in x], s=12, alpha=0.5)
    name_axes(rng, ax)
    return fig, None


def histogram(rng: random.Random) -> tuple[Any, Any]:
    fig, ax = plt.subplots()
    ax.hist([rng.gauss(0, 3) for _ in range(500)], bins=rng.randint(8, 40), edgecolor="white")
    name_axes(rng, ax)
    return fig, None


def boxes(rng: random.Random) -> tuple[Any, Any]:
    names = rng.sample(CITIES, rng.randint(2, 6))
    fig, ax = plt.subplots()
    ax.boxplot([[rng.gauss(at, 1) for _ in range(60)] for at in range(len(names))])
    ax.set_xticks(range(1, len(names) + 1), names)
    name_axes(rng, ax)
    return fig, None


def pie(rng: random.Random) -> tuple[Any, Any]:
    result = groups(rng, rng.randint(3, 5))
    fig, ax = plt.subplots()
    ax.pie(result, labels=result.index, autopct="%.1f%%")
    ax.set_title("Share of revenue")
    return fig, result


def heat(rng: random.Random) -> tuple[Any, Any]:
    rows, columns = rng.sample(CITIES, 5), rng.sample(CITIES, 4)
    result = pd.DataFrame([numbers(rng, 4) for _ in rows], rows, columns)
    fig, ax = plt.subplots()
    image = ax.imshow(result, aspect="auto")
    ax.set_xticks(range(4), columns)
    ax.set_yticks(range(5), rows)
    fig.colorbar(image)
    return fig, result


def months_of_the_year(rng: random.Random) -> tuple[Any, Any]:
    result = pd.Series(numbers(rng, 12), [month[:3] for month in MONTHS])
    fig, ax = plt.subplots()
    ax.bar(result.index, result)
    name_axes(rng, ax)
    return fig, result


def numbers_kept_as_text(rng: random.Random) -> tuple[Any, Any]:
    """In the order of the numbers; or by height, which is an order too."""
    result = pd.Series(numbers(rng, 9), [str(at) for at in range(5, 14)])
    if rng.random() < 0.5:
        result = result.sort_values(ascending=False)
    fig, ax = plt.subplots()
    ax.bar(result.index, result)
    name_axes(rng, ax)
    return fig, result


def log_bars(rng: random.Random) -> tuple[Any, Any]:
    result = pd.Series([10 ** rng.uniform(0, 5) for _ in range(6)], rng.sample(CITIES, 6))
    fig, ax = plt.subplots()
    ax.bar(result.index, result)
    ax.set_yscale("log")
    name_axes(rng, ax)
    return fig, result


def panels(rng: random.Random) -> tuple[Any, Any]:
    fig, axes = plt.subplots(1, 3, sharey=True, figsize=(9, 3))
    for ax, name in zip(axes, CITIES, strict=False):
        ax.plot(range(10), numbers(rng, 10))
        ax.set_title(name)
    return fig, None


def twin_axes(rng: random.Random) -> tuple[Any, Any]:
    fig, ax = plt.subplots()
    ax.bar(range(5), numbers(rng, 5))
    ax.twinx().plot(range(5), numbers(rng, 5), color="tab:red")
    return fig, None


def one_flat_series(rng: random.Random) -> tuple[Any, Any]:
    """A target beside what was reached: one of two lines is flat, and means it."""
    years = list(range(2015, 2023))
    result = pd.DataFrame({"reached": numbers(rng, 8), "target": [0.5] * 8}, years)
    fig, ax = plt.subplots()
    for name in result:
        ax.plot(result.index, result[name], label=name)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    return fig, result


def top_of_more(rng: random.Random) -> tuple[Any, Any]:
    """The first five of a longer result: less than there is, and nothing else."""
    result = groups(rng, 10)
    fig, ax = plt.subplots()
    ax.bar(result.index[:5], result[:5])
    ax.set_title("Top 5 cities")
    return fig, result


SOUND: list[Callable[[random.Random], tuple[Any, Any]]] = [
    bars, lying_bars, pandas_bars, stacked, line, lines, legend_in_a_free_corner, points, histogram,
    boxes, pie, heat, months_of_the_year, numbers_kept_as_text, log_bars, panels, twin_axes,
    one_flat_series, top_of_more, bars]  # fmt: skip


# --- spoiled ones ----------------------------------------------------------------------------


def nothing(rng: random.Random) -> tuple[Any, Any]:
    fig, ax = plt.subplots()
    drawn = rng.randrange(3)
    if drawn == 1:
        ax.plot([], [], label="none")
    elif drawn == 2:
        ax.bar(CITIES[:4], [float("nan")] * 4)
    name_axes(rng, ax)
    return fig, None


def clipped(rng: random.Random) -> tuple[Any, Any]:
    """Numbers on bars, cut off at the edge of the axes."""
    result = groups(rng, rng.randint(3, 6))
    fig, ax = plt.subplots()
    ax.barh(result.index, result) if rng.random() < 0.5 else ax.bar(result.index, result)
    lies = ax.patches[0].get_width() == result.iloc[0]
    for at, value in enumerate(result):
        place = (value, at) if lies else (at, value)
        ax.text(*place, f" {value:,.2f} in total", clip_on=True, va="center", ha="left" if lies else "center")
    (ax.set_xlim if lies else ax.set_ylim)(0, result.max())
    if not lies:
        ax.set_xlim(-0.1, len(result) - 0.9)
    return fig, result


def overlapping(rng: random.Random) -> tuple[Any, Any]:
    names = rng.sample(LONG, rng.randint(6, 12))
    result = pd.Series(numbers(rng, len(names)), names)
    fig, ax = plt.subplots()
    ax.bar(range(len(result)), result, tick_label=result.index)
    name_axes(rng, ax)
    return fig, result


def overlapping_dates(rng: random.Random) -> tuple[Any, Any]:
    days = pd.date_range("2024-01-01", periods=rng.randint(12, 24), freq="MS")
    result = pd.Series(numbers(rng, len(days)), days)
    fig, ax = plt.subplots(figsize=(5, 3))
    ax.plot(result.index, result)
    ax.set_xticks(result.index, result.index.strftime("%Y-%m-%d"))
    return fig, result


def legend_over_lines(rng: random.Random) -> tuple[Any, Any]:
    result = pd.DataFrame({name: [rng.uniform(0, 10) for _ in range(40)] for name in rng.sample(CITIES, 5)})
    fig, ax = plt.subplots()
    for name in result:
        ax.plot(result.index, result[name], label=f"the city of {name}")
    ax.legend(loc=rng.choice(["center", "upper center", "lower right", "center left"]))
    return fig, result


def legend_over_bars(rng: random.Random) -> tuple[Any, Any]:
    names = rng.sample(CITIES, 7)
    result = pd.DataFrame({part: [rng.uniform(8, 10) for _ in names] for part in "abcd"}, names)
    ax = result.plot.bar(rot=45)
    ax.legend(loc=rng.choice(["center", "upper right", "lower left"]))
    return ax.figure, result


def too_many(rng: random.Random) -> tuple[Any, Any]:
    count = rng.randint(80, 200)
    result = pd.Series(numbers(rng, count), [f"C{at:03d}" for at in range(count)])
    fig, ax = plt.subplots()
    ax.bar(result.index, result)
    ax.tick_params(axis="x", labelrotation=rng.choice([0, 90]))
    return fig, result


def too_many_rows(rng: random.Random) -> tuple[Any, Any]:
    count = rng.randint(60, 150)
    result = pd.Series(numbers(rng, count), [f"customer {at}" for at in range(count)])
    fig, ax = plt.subplots()
    ax.barh(range(count), result, tick_label=result.index)
    return fig, result


def flat(rng: random.Random) -> tuple[Any, Any]:
    names = rng.sample(CITIES, rng.randint(3, 8))
    result = pd.Series([rng.choice([1, 0, 12.5])] * len(names), names)
    fig, ax = plt.subplots()
    ax.plot(range(len(result)), result) if rng.random() < 0.3 else ax.bar(result.index, result)
    name_axes(rng, ax)
    return fig, result


def numbers_as_text(rng: random.Random) -> tuple[Any, Any]:
    count = rng.randint(11, 25)
    names = sorted(str(at + rng.randint(0, 1)) for at in range(2, 2 + 2 * count, 2))
    if rng.random() < 0.4:
        names = sorted(f"{at} km" for at in range(1, count))
    result = pd.Series(numbers(rng, len(names)), names)
    fig, ax = plt.subplots(figsize=(9, 4))
    ax.plot(result.index, result) if rng.random() < 0.5 else ax.bar(result.index, result)
    return fig, result


def dates_as_text(rng: random.Random) -> tuple[Any, Any]:
    how = rng.randrange(3)
    if how == 0:
        names = sorted(MONTHS)
    elif how == 1:
        days = pd.date_range("2023-10-01", periods=12, freq="23D")
        names = sorted(days.strftime("%d/%m/%Y"))
    else:
        days = pd.date_range("2022-06-15", periods=10, freq="MS")
        names = sorted(days.strftime("%b %Y"))
    result = pd.Series(numbers(rng, len(names)), names)
    fig, ax = plt.subplots(figsize=(10, 4))
    ax.plot(result.index, result) if rng.random() < 0.5 else ax.bar(result.index, result)
    ax.tick_params(axis="x", labelrotation=90)
    return fig, result


def drawn_otherwise(rng: random.Random) -> tuple[Any, Any]:
    result = groups(rng, 6)
    wrong = {0: result * 100, 1: result.sort_index(), 2: result + result.max() / 7,
             3: result.cumsum()}[rng.randrange(4)]  # fmt: skip
    fig, ax = plt.subplots()
    ax.bar(range(len(result)), wrong.to_numpy(), tick_label=result.index)
    name_axes(rng, ax)
    return fig, result


def lines_drawn_otherwise(rng: random.Random) -> tuple[Any, Any]:
    days = pd.date_range("2024-01-01", periods=12, freq="MS")
    result = pd.Series(numbers(rng, 12), days)
    fig, ax = plt.subplots()
    ax.plot(days, (result * 1.3 if rng.random() < 0.5 else result.rolling(3).mean()), marker=".")
    ax.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(ax.xaxis.get_major_locator()))
    return fig, result


SPOILED: list[tuple[str, Callable[[random.Random], tuple[Any, Any]]]] = [
    ("nothing", nothing), ("clipped", clipped), ("overlap", overlapping), ("overlap", overlapping_dates),
    ("legend", legend_over_lines), ("legend", legend_over_bars), ("ticks", too_many),
    ("ticks", too_many_rows), ("equal", flat), ("order", numbers_as_text), ("order", dates_as_text),
    ("differs", drawn_otherwise), ("differs", lines_drawn_otherwise)]  # fmt: skip

COUNT = 200


def make(seed: int) -> tuple[Any, Any, str]:
    """A figure, the result that it shows, and how it is spoiled ("" if it is not)."""
    plt.close("all")
    rng = random.Random(seed)
    pair, half = divmod(seed, 4)  # of four seeds one is sound and one spoiled, in each half
    if half < 2:
        return (*SOUND[pair % len(SOUND)](rng), "")
    kind, spoil = SPOILED[pair % len(SPOILED)]
    return (*spoil(rng), kind)

"""Recomputes what a query asks for from its plan and the rows, in plain Python.

`check` reads the plan's JSON (docs/planner.md), works each group's numbers out cell by cell, and
compares them with the `result` or `answer` that the program left. What it cannot work out by
hand (bands, formulas) it says by raising Undecided.
"""

from __future__ import annotations

import math
import re
import statistics

import pandas as pd
from checker import Outcome, Undecided

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def is_null(cell: object) -> bool:
    return cell is None or cell is pd.NaT or (isinstance(cell, float) and math.isnan(cell))


def part_of(date: pd.Timestamp, part: str) -> object:
    if is_null(date):
        return None
    periods = {"quarter": "Q", "month": "M", "week": "W", "day": "D"}
    if part in periods:
        return pd.Period(date, periods[part])
    return {"year": lambda: date.year, "hour": lambda: date.hour,
            "weekday": lambda: DAYS[date.dayofweek],
            "weekend": lambda: "weekend" if date.dayofweek >= 5 else "weekday",
            "month of year": lambda: date.month, "quarter of year": lambda: date.quarter}[part]()


def holds(row: dict, test: dict, last: object) -> bool:
    cell, values = row[test["column"]], test["values"]
    if test["than"] or (test["value"] != test["column"] and test["value"] not in (
            "year", "quarter", "month", "weekday", "weekend", "month of year", "quarter of year")):
        raise Undecided
    if test["last"]:
        raise Undecided
    if test["op"] in ("is null", "is not null"):
        return is_null(cell) == (test["op"] == "is null")
    if not values and test["value"] != "weekend":
        truth = str(cell).strip().lower() in ("yes", "y", "true", "t", "1", "1.0")
        return not is_null(cell) and truth != test["not"]
    if test["value"] != test["column"]:
        cell = part_of(pd.Timestamp(cell), test["value"])
        if test["value"] == "weekend":
            return (cell == "weekend") != test["not"]
    elif isinstance(cell, pd.Timestamp):
        values = [pd.Timestamp(value) for value in values]
    elif isinstance(cell, str) and re.match(r"\d{4}-\d\d", str(values[0])) and test["op"] in (
            "between", "<", "<=", ">", ">="):
        cell, values = pd.Timestamp(cell), [pd.Timestamp(value) for value in values]
    elif isinstance(cell, str):
        values = [value.lower() if isinstance(value, str) else value for value in values]
        cell = cell.strip().lower()
    if is_null(cell):
        return test["op"] in ("!=", "not in")
    return compare(cell, test["op"], values) != test["not"]


def compare(cell: object, op: str, values: list) -> bool:
    first = values[0]
    return {"==": lambda: cell == first, "!=": lambda: cell != first,
            ">": lambda: cell > first, ">=": lambda: cell >= first, "<": lambda: cell < first,
            "<=": lambda: cell <= first, "between": lambda: first <= cell <= values[1],
            "in": lambda: cell in values, "not in": lambda: cell not in values,
            "contains": lambda: first in cell, "starts with": lambda: cell.startswith(first),
            "ends with": lambda: cell.endswith(first)}[op]()


def passes(row: dict, tests: list[dict]) -> bool:
    found, inner = False, True
    for at, test in enumerate(tests):
        if at and test["join"] == "or":
            found, inner = found or inner, True
        inner = inner and holds(row, test, None)
    return found or inner


def number(cell: object) -> float:
    if isinstance(cell, str):
        raise Undecided
    return math.nan if is_null(cell) else float(cell)


def reduce(rows: list[dict], amount: dict, frame: pd.DataFrame) -> float:
    kind, column = amount["aggregate"], amount["y"]
    if kind == "rate":
        return 100 * statistics.fmean(passes(row, amount["where"]) for row in rows)
    if kind == "count":
        return len(rows)
    if column is None or amount["name"].split(" ", 1)[-1].strip() != column and kind not in (
            "quantile", "std", "distinct", "range"):
        raise Undecided
    if kind == "distinct":
        return len({cell for row in rows if not is_null(cell := row[column])})
    cells = [n for row in rows if not math.isnan(n := number(row[column]))]
    if amount["per"]:
        return reduce(rows, {**amount, "per": None}, frame) / reduce(rows, amount["per"], frame)
    if not cells:
        return 0.0 if kind == "sum" else math.nan
    if kind == "quantile":
        cells.sort()
        place = amount["quantile"] * (len(cells) - 1)
        low = math.floor(place)
        high = min(low + 1, len(cells) - 1)
        return cells[low] + (cells[high] - cells[low]) * (place - low)
    if kind == "std":
        return statistics.stdev(cells) if len(cells) > 1 else math.nan
    return {"sum": math.fsum, "mean": statistics.fmean, "median": statistics.median, "min": min,
            "max": max, "range": lambda c: max(c) - min(c), "first": lambda c: c[0],
            "last": lambda c: c[-1]}[kind](cells)


def key_of(row: dict, key: dict) -> object:
    cell = row[key["column"]]
    if key["part"]:
        if is_null(cell) or isinstance(cell, (int, float)):  # a number is a year
            return None if is_null(cell) else cell
        return part_of(pd.Timestamp(cell), key["part"])
    if key["name"] != key["column"]:
        raise Undecided
    return None if is_null(cell) else cell


def wanted(plan: dict, frame: pd.DataFrame) -> dict[tuple, float]:
    rows = [row for row in frame.to_dict("records") if passes(row, plan["filters"])]
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        key = tuple(key_of(row, key) for key in plan["keys"])
        if None not in key:
            groups.setdefault(key, []).append(row)
    numbers = {key: reduce(part, plan["amounts"][0], frame) for key, part in groups.items()}
    having = plan["having"]
    if having:
        numbers = {key: value for key, value in numbers.items() if compare(
            reduce(groups[key], having["amount"], frame), having["op"], [having["number"]])}
    return shared(plan, numbers)


def shared(plan: dict, numbers: dict[tuple, float]) -> dict[tuple, float]:
    if plan["share_of"] == "total":
        whole = math.fsum(numbers.values())
        return {key: 100 * value / whole for key, value in numbers.items()}
    if plan["share_of"] == "within":
        wholes: dict = {}
        for key, value in numbers.items():
            wholes[key[0]] = wholes.get(key[0], 0) + value
        return {key: 100 * value / wholes[key[0]] for key, value in numbers.items()}
    return numbers


def shown(result: pd.Series | pd.DataFrame, plan: dict) -> dict[tuple, float]:
    """The program's result as keys and numbers."""
    if isinstance(result, pd.DataFrame):
        flat = {}
        for at, row in enumerate(result.itertuples(index=False)):
            head = result.index[at] if isinstance(result.index[at], tuple) else (result.index[at],)
            for column, value in zip(result.columns, row):
                tail = column if isinstance(column, tuple) else (column,)
                flat[(*head, *tail)] = value
        return flat
    return {key if isinstance(key, tuple) else (key,): value for key, value in result.items()}


def same(a: float, b: float) -> bool:
    return math.isclose(float(a), float(b), rel_tol=1e-7, abs_tol=1e-7) or (
        is_null(float(a)) and is_null(float(b)))


def check(plan: dict, outcome: Outcome, frame: pd.DataFrame) -> None:
    """Compares the program's `result` or `answer` with the plan worked out by hand."""
    if plan["intent"] in ("rows", "correlation") or plan["along"] or len(plan["amounts"]) != 1:
        raise Undecided
    if plan["amounts"][0]["aggregate"] == "correlation" or plan["share_of"] == "part":
        raise Undecided
    if any("each" in str(amount["name"]) or " per " in amount["name"]
           for amount in plan["amounts"]):
        raise Undecided
    if not plan["keys"]:
        if plan["having"]:
            raise Undecided
        rows = [row for row in frame.to_dict("records") if passes(row, plan["filters"])]
        assert same(outcome.names["answer"], reduce(rows, plan["amounts"][0], frame))
        return
    name = "result_" if "result_" in outcome.names else "result"  # a table has the name
    right, got = wanted(plan, frame), shown(outcome.names[name], plan)
    width = len(plan["keys"])
    turned = {tuple(reversed(key)): value for key, value in got.items()} if width == 2 else got
    got = got if any(key in right for key in got) else turned
    for key, value in got.items():
        assert same(right[key], value) if key in right else is_null(value) or value == 0, key
    if not plan["limit"] or plan["within"]:
        if not plan["within"]:
            missing = [key for key, value in right.items() if key not in got and not is_null(value)]
            assert not missing, missing
        return
    ranked = sorted((value for value in right.values() if not is_null(value)),
                    reverse=plan["sort"]["order"] == "descending")[:plan["limit"]]
    assert all(same(a, b) for a, b in zip(ranked, outcome.names[name], strict=True))

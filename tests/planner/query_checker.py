"""Recomputes what a query asks for from its plan and the rows, in plain Python.

`check` reads the plan's JSON (docs/planner.md), works each group's numbers out cell by cell, and
compares them with the `result` or `answer` that the program left. What it cannot work out by
hand (bands, formulas) it says by raising Undecided.
"""

from __future__ import annotations

import copy
import math
import re
import statistics

import pandas as pd
from checker import Outcome, Undecided

DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def is_null(cell: object) -> bool:
    return (cell is None or cell is pd.NaT or cell is pd.NA
            or (isinstance(cell, float) and math.isnan(cell)))


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
    elif isinstance(cell, str) and any(isinstance(value, (int, float)) for value in values):
        cell = float(re.sub(r"[^0-9.\-]", "", cell) or "nan")  # "$1,200"
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
    if amount["per"]:
        whole = reduce(rows, {**amount["per"], "name": f" {amount['per']['y']}"}, frame)
        part = reduce(rows, {**amount, "name": f" {column}", "per": None}, frame)
        return amount["times"] * part / whole if whole else math.nan
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


def kept(plan: dict, frame: pd.DataFrame) -> list[dict]:
    return [row for row in frame.to_dict("records") if passes(row, plan["filters"])]


def groups_of(plan: dict, frame: pd.DataFrame) -> dict[tuple, list[dict]]:
    groups: dict[tuple, list[dict]] = {}
    for row in kept(plan, frame):
        key = tuple(key_of(row, key) for key in plan["keys"])
        if None not in key:
            groups.setdefault(key, []).append(row)
    return groups


def wanted(plan: dict, frame: pd.DataFrame) -> dict[tuple, float]:
    groups = groups_of(plan, frame)
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


def check_rows(plan: dict, outcome: Outcome, frame: pd.DataFrame) -> None:
    """The rows that the filters keep, all or as many as asked, in the order asked."""
    if plan["amounts"] or plan["keys"] or plan["within"]:
        raise Undecided
    rows, table = kept(plan, frame), outcome.value
    sort, most = plan["sort"], plan["limit"] or (len(rows) if plan["filters"] or plan["sort"] else 20)
    assert len(table) == min(most, len(rows)), (len(table), most, len(rows))
    if not sort:
        got = [tuple(map(str, line)) for line in table.itertuples(index=False, name=None)]
        assert got == [tuple(map(str, row.values())) for row in rows[:most]]
        return
    if sort["by"] not in frame.columns:
        raise Undecided
    cells = sorted((row[sort["by"]] for row in rows if not is_null(row[sort["by"]])),
                   reverse=sort["order"] == "descending")
    assert list(table[sort["by"]].dropna()) == cells[:most]


def check_numbers(plan: dict, outcome: Outcome, frame: pd.DataFrame) -> None:
    """A printed line for each amount, to two digits."""
    rows = kept(plan, frame)
    lines = [line for line in outcome.printed.splitlines() if ": " in line]
    assert len(lines) == len(plan["amounts"]), lines
    for line, amount in zip(lines, plan["amounts"]):
        got = float(line.rsplit(": ", 1)[1].split()[0].replace(",", ""))
        want = reduce(rows, amount, frame)
        assert abs(got - want) < 0.0051 or (is_null(got) and is_null(want)), (line, want)


def check_columns(plan: dict, outcome: Outcome, frame: pd.DataFrame) -> None:
    """A column for each amount."""
    if plan["share_of"] or plan["having"] or plan["sort"] or plan["limit"] or plan["compare"]:
        raise Undecided
    table, groups = outcome.names[result_name(outcome)], groups_of(plan, frame)
    assert len(table.columns) == len(plan["amounts"]) and len(table) == len(groups)
    for at, amount in enumerate(plan["amounts"]):
        for key, value in table.iloc[:, at].items():
            rows = groups[key if isinstance(key, tuple) else (key,)]
            assert same(reduce(rows, amount, frame), value), (key, amount)


def check_correlation(plan: dict, outcome: Outcome, frame: pd.DataFrame) -> None:
    pairs = [(a, b) for row in kept(plan, frame)
             if not math.isnan(a := number(row[plan["x"]]))
             and not math.isnan(b := number(row[plan["y"]]))]
    if len(pairs) > 1 and min(len({a for a, _ in pairs}), len({b for _, b in pairs})) > 1:
        assert same(outcome.names["answer"], statistics.correlation(*zip(*pairs)))


def check_order(plan: dict, result: object) -> None:
    """Of one key's groups, where the question says one."""
    sort = plan["sort"]
    if not sort or len(plan["keys"]) != 1 or plan["within"] or not isinstance(result, pd.Series):
        return
    cells = [cell for cell in (result if sort["by"] == "y" else result.index) if not is_null(cell)]
    assert cells == sorted(cells, reverse=sort["order"] == "descending"), cells


def result_name(outcome: Outcome) -> str:
    return "result_" if "result_" in outcome.names else "result"  # a table has the name


def check(plan: dict, outcome: Outcome, frame: pd.DataFrame) -> None:
    """Compares what the program left with the plan worked out by hand."""
    amounts = plan["amounts"]
    if plan["intent"] == "rows":
        check_rows(plan, outcome, frame)
        return
    if plan["intent"] == "correlation" or plan["along"] or plan["share_of"] == "part":
        raise Undecided
    if any("each" in str(amount["name"]) or (" per " in amount["name"] and not amount["per"])
           for amount in amounts):
        raise Undecided
    if amounts[0]["aggregate"] == "none":
        raise Undecided("pictures of rows: test_steps_limits_and_names.py looks at theirs")
    if amounts[0]["aggregate"] == "correlation" and not plan["keys"]:
        check_correlation(plan, outcome, frame)
    elif any(amount["aggregate"] == "correlation" for amount in amounts) or (
            plan["having"] and not plan["keys"]):
        raise Undecided
    elif len(amounts) > 1:
        (check_columns if plan["keys"] else check_numbers)(plan, outcome, frame)
    elif not plan["keys"]:
        assert same(outcome.names["answer"], reduce(kept(plan, frame), amounts[0], frame))
    else:
        check_groups(plan, outcome, frame)


def check_groups(plan: dict, outcome: Outcome, frame: pd.DataFrame) -> None:
    """One number for each group."""
    result = outcome.names[result_name(outcome)]
    right, got = wanted(plan, frame), shown(result, plan)
    check_order(plan, result)
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
    assert all(same(a, b) for a, b in zip(ranked, result, strict=True))


def spoilt(plan: dict, key: str, value: object) -> dict:
    """A plan that says something else than the program does, in a field of drafts' plans."""
    plan = copy.deepcopy(plan)
    by = None if plan["amounts"] else plan["sort"]  # of rows: a column
    plan[key] = value
    first = plan["amounts"][0] if plan["amounts"] else None
    if key in ("x", "series") and plan["keys"]:
        part = {"column": value, "name": value, "part": None}
        plan["keys"] = [*plan["keys"][:1], part] if key == "series" else [part, *plan["keys"][1:]]
    elif key == "y" and not first:
        plan["sort"]["by"] = value
    elif key == "sort" and by and value:
        plan["sort"] = {**value, "by": by["by"]}
    elif key in ("y", "aggregate", "per"):
        first[key] = value
        first["name"] = f"{first['aggregate']} {first['y']}"
    elif key == "also":
        plan["amounts"][1:] = [{**first, **other, "name": f" {other['y']}"} for other in value]
    elif key == "share" and first["aggregate"] == "rate":
        first["aggregate"] = "count"
    elif key == "share":
        plan["share_of"] = "total" if value else None
    elif key == "filters":
        more = {"not": False, "last": 0, "than": None}
        plan["filters"] = [{**test, **more, "value": test["column"]} for test in value]
    return plan

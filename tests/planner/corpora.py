"""The public question corpora as (question, profile, wanted plan) rows, and their scoring.

A plan is *exact* when mark, fields and aggregate are those of the corpus' chart:

- mark: bar, line, point or arc, as Vega-Lite has them (a histogram is a bar);
- fields: the set of columns on x, y and colour or facet, row counts left out;
- aggregate: none, count, mean, sum, min or max, of the y axis.

*Full* also compares, for ncNet, the bin, the filters, the order and the limit.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from profile_reference import profile_frame

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = HERE / "data"
BENCH = ROOT / "build" / "planner-bench"
MARKS = {"bar": "bar", "histogram": "bar", "line": "line", "scatter": "point", "pie": "arc"}


@dataclass
class Case:
    """One question, and the chart that its corpus wants."""

    question: str
    profile: dict
    mark: str
    fields: frozenset[str]
    aggregate: str
    group: str
    full: dict = field(default_factory=dict)


def ask(cases: list[Case]) -> list[dict]:
    """The bench's answers, in order."""
    lines, last = [], None
    for case in cases:
        line = {"question": case.question}
        if case.profile is not last:
            line["profile"] = last = case.profile
        lines.append(json.dumps(line))
    run = subprocess.run([BENCH], input="\n".join(lines) + "\n", text=True,
                         capture_output=True, check=True)
    answers = [json.loads(line) for line in run.stdout.split("\n") if line]
    assert len(answers) == len(cases), run.stderr
    return answers


def plan_fields(plan: dict) -> frozenset[str]:
    """The columns that a plan shows."""
    shown = [plan["x"], plan["series"]]
    if plan["aggregate"] != "count":
        shown.append(plan["y"])
    return frozenset(name.lower() for name in shown if name)


def is_exact(case: Case, answer: dict) -> bool:
    """Whether mark, fields and aggregate are the corpus'."""
    plan = answer.get("plan")
    return bool(plan) and answer.get("outcome") == "answered" and (
        MARKS.get(plan["mark"], plan["mark"]) == case.mark
        and plan_fields(plan) == case.fields
        and (plan["aggregate"] or "none") == case.aggregate)


def is_full(case: Case, answer: dict) -> bool:
    """Exact, and the bin, filters, order and limit are the corpus' too."""
    if not is_exact(case, answer):
        return False
    plan, want = answer["plan"], case.full
    sort = plan["sort"] or {}
    by = sort.get("by")
    got_sort = None if by is None else (
        "x" if by in ("x", plan["x"]) else "y", sort["order"] == "descending")
    return ((plan["x"] or "").lower() == want["x"]
            and (plan["bin"] or {}).get("unit") == want["bin"]
            and got_sort == want["sort"]
            and (plan["limit"] or 0) == want["limit"]
            and plan_filters(plan) == want["filters"])


# --- NLV -----------------------------------------------------------------------------------


def nlv(dataset: str, sequences: bool = False) -> list[Case]:
    """Questions of the NLV corpus over "cars" or "movies"."""
    import pandas as pd

    frame = pd.read_csv(DATA / "nlv" / f"{dataset}.csv")
    profile = {"frames": [profile_frame(dataset, frame)], "active": dataset}
    specs = json.loads((DATA / "nlv" / "specs.json").read_text())
    cases = []
    with open(DATA / "nlv" / "utterances.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["dataset"].lower() != dataset:
                continue
            if row["sequential"] == "y" and not sequences:
                continue
            spec = specs[f"{dataset}-{row['visId']}"]
            encoding = spec["encoding"]
            cases.append(Case(
                question=row["Utterance Set"], profile=profile, mark=spec["mark"]["type"],
                fields=frozenset(channel["field"].lower() for channel in encoding.values()
                                 if "field" in channel),
                aggregate=encoding["y"].get("aggregate", "none"), group=row["visId"]))
    return cases


# --- ncNet ---------------------------------------------------------------------------------

KINDS = {"numeric": "number", "categorical": "text", "temporal": "date"}


def ncnet_values() -> dict[tuple[str, str], list[str]]:
    """The corpus' index of cell values by (table, column)."""
    values: dict[tuple[str, str], list[str]] = {}
    with open(DATA / "ncnet" / "database_information.csv", newline="") as file:
        for row in csv.DictReader(file):
            cells = values.setdefault((row["table"], row["column"]), [])
            if row["value"]:
                cells.append(row["value"])
    return values


def ncnet_profile(table: str, types: dict[str, str], values: dict) -> dict:
    """A profile from what ncNet has: types and cell values, no rows."""
    columns = []
    for name, kind in types.items():
        cells = list(dict.fromkeys(values.get((table, name), [])))
        columns.append({"name": name, "kind": KINDS[kind], "nulls": None, "unique": None,
                        "values": cells})
    return {"frames": [{"name": table, "rows": None, "columns": columns}], "active": table}


def parse_filters(text: str) -> list:
    """Vega-Zero's filter as comparable tuples, in order, with its connectives."""
    parts = re.split(r" (and|or) (?!\d+(?: |$))(?!'[^']*'$)", text) if text else []
    found = []
    for at in range(0, len(parts), 2):
        join = parts[at - 1] if at else "and"
        match = re.match(r"(\S+) (not like|like|between|in|>=|<=|!=|=|>|<) (.*)", parts[at])
        if not match:
            found.append((join, parts[at]))
            continue
        column, op, operand = match.groups()
        operand = operand.strip().strip("'\"")
        if op in ("like", "not like"):
            op, operand = {"like": "contains", "not like": "not contains"}[op], operand.strip("%")
        elif operand == "null":
            op, operand = ("is not null" if op == "!=" else "is null"), ""
        elif op == "=":
            op = "=="
        found.append((join, column, op, operand.lower()))
    return found


def plan_filters(plan: dict) -> list:
    """A plan's filters in the same form."""
    def text(value) -> str:
        return f"{value:g}" if isinstance(value, float) else str(value).lower()

    return [(f["join"] if at else "and", f["column"].lower(), f["op"],
             " and ".join(text(value) for value in f["values"]))
            for at, f in enumerate(plan["filters"])]


def parse_vega_zero(text: str) -> dict:
    """x, y, aggregate, colour, bin, order, limit and filters of a Vega-Zero target."""
    words = text.split()
    out = {"mark": words[1], "table": words[3]}
    out["x"] = words[words.index("x") + 1]
    at = words.index("aggregate")
    out["aggregate"], out["y"] = words[at + 1], words[at + 2]
    rest = text.split(" ")[at + 3:]
    tail = " " + " ".join(rest) + " "
    colour = re.search(r" color (\S+) ", tail)
    group = re.search(r" group (\S+) ", tail)
    out["series"] = colour.group(1) if colour else (
        group.group(1) if group and group.group(1) not in ("x", "y", out["x"], out["y"])
        else None)
    unit = re.search(r" bin x by (\S+) ", tail)
    out["bin"] = unit.group(1) if unit else None
    sort = re.search(r" sort (\S+)(?: (asc|desc))? ", tail)
    out["sort"] = (sort.group(1), sort.group(2) == "desc") if sort else None
    top = re.search(r" topk (\d+) ", tail)
    out["limit"] = int(top.group(1)) if top else 0
    where = re.search(r" filter (.*?)(?: group (?:\S+)| sort (?:\S+)| bin x by| topk| $)", tail)
    out["filters"] = parse_filters(where.group(1).strip()) if where else []
    return out


def ncnet() -> list[Case]:
    """The development split of ncNet's single-table questions."""
    tables = json.loads((DATA / "ncnet" / "db_tables_columns_types.json").read_text())
    values = ncnet_values()
    profiles: dict[tuple[str, str], dict] = {}
    cases = []
    with open(DATA / "ncnet" / "dev.csv", newline="") as file:
        for row in csv.DictReader(file):
            want = parse_vega_zero(row["vega_zero"])
            key = (row["db_id"], want["table"])
            if key not in profiles:
                profiles[key] = ncnet_profile(want["table"], tables[key[0]][key[1]], values)
            shown = [want["x"], want["series"]]
            if want["aggregate"] != "count":
                shown.append(want["y"])
            cases.append(Case(
                question=row["question"], profile=profiles[key], mark=want["mark"],
                fields=frozenset(name for name in shown if name),
                aggregate=want["aggregate"], group=row["chart"], full=want))
    return cases

#!/usr/bin/env python3
"""Grades the building half within a minute: planner-bench plans, this process runs.

    .venv/bin/python tests/planner/questions/quick.py [--table NAME | --file FILE] [-v] [--code]
    .venv/bin/python tests/planner/questions/quick.py --reporting

What is wrong comes grouped by cause: the words that were refused, or what differed. A file of
questions is a module like those of building/. Grades of programs that have not changed are
kept in build/quick.json. Of the reporting half there are totals, and nothing is kept.
"""

import argparse
import contextlib
import gc
import hashlib
import io
import json
import re
import sys
import warnings
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import matplotlib  # noqa: E402

matplotlib.use("Agg")

import bench_client  # noqa: E402
import capture  # noqa: E402
import grader  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402

KEPT = HERE.parents[2] / "build" / "quick.json"
JUDGES = ("capture.py", "match.py", "answer_tables.py", "cells.py", "drawings.py", "printed.py",
          "spec.py", "grader.py", "quick.py")


def plans(table) -> list[dict]:
    """planner-bench's answer to each question of a table."""
    profile = bench_client.profile_of(table.frames)
    return bench_client.ask_lines([{"question": q.ask, "profile": profile, "previous": []}
                                   for q in table.questions])


def run(shell, code: str, frames: dict):
    """What a program shows, as grader.py has it from a notebook."""
    shell.reset(new_session=False)
    shell.user_ns.update({name: frame.copy() for name, frame in frames.items()})
    capture.SHOWN.clear()
    plt.close("all")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = shell.run_cell(code)
        for number in plt.get_fignums():  # what the notebook's backend shows by itself
            capture.keep(plt.figure(number))
    shown = [thing for _, thing in capture.SHOWN]
    capture.STATS.clear()
    failure = done.error_before_exec or done.error_in_exec
    text = "\n".join(line for line in printed.getvalue().split("\n")
                     if not re.match(r"Out\[|<Figure", line))
    return shown, text, f"{type(failure).__name__}: {failure}" if failure else ""


def answer_of(shell, plan: dict, frames: dict):
    """A planner-bench answer, run."""
    said = [*plan["assumed"], *(f'not understood: "{w}"' for w in plan["not_understood"])]
    answer = SimpleNamespace(shown=[], printed="", error="", code=plan["code"],
                             confidence=plan["confidence"],
                             summary="Assumed: " + "; ".join(said) if said else "")
    if plan["outcome"] == "answered":
        answer.shown, answer.printed, answer.error = run(shell, plan["code"], frames)
    return answer


class Kept:
    """Grades of an earlier run, by all that they depend on."""

    def __init__(self):
        self.grades = json.loads(KEPT.read_text()) if KEPT.exists() else {}
        self.judges = "".join((HERE / name).read_text() for name in JUDGES)

    def key(self, table, question, plan: dict) -> str:
        about = [self.judges, Path(table.module.__file__).read_text(), question.ask, plan["code"],
                 plan["outcome"], plan["assumed"], plan["not_understood"]]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()

    def save(self, used: set[str]) -> None:
        KEPT.write_text(json.dumps({key: self.grades[key] for key in used}))


def graded(kept: Kept, shell, table, question, plan: dict) -> tuple[str, grader.Grade]:
    key = kept.key(table, question, plan)
    if key not in kept.grades:
        answer = answer_of(shell, plan, table.frames)
        kept.grades[key] = asdict(grader.graded(table, question, answer))
    return key, grader.Grade(**{**kept.grades[key], "confidence": plan["confidence"]})


def cause(grade, plan: dict) -> str:
    if grade.verdict != "refused":
        return f"{grade.verdict}: {grade.why.splitlines()[0] if grade.why else ''}"
    said = re.sub(r"I can't answer that without a model\. (I understood: [^.]*\. )?|"
                  r" ?I can do: .*", "", plan["message"], flags=re.S)
    return "refused: " + re.sub(r'"[^"]*"', '"…"', said)[:60]


def shell_for_answers():
    shell = InteractiveShell.instance()
    shell.ast_node_interactivity = "last_expr"
    shell.showtraceback = lambda *args, **kwargs: None
    shell.displayhook.write_output_prompt = lambda: None
    shell.displayhook.write_format_data = lambda *args, **kwargs: None
    capture.install(shell)
    gc.collect()
    gc.freeze()  # each reset of the shell collects what there is
    return shell


def report_totals(shell) -> None:
    grades = []
    for table in grader.load_tables("reporting"):
        grades += [grader.graded(table, question, answer_of(shell, plan, table.frames))
                   for question, plan in zip(table.questions, plans(table))]
    grader.print_totals("reporting", grades)
    grader.print_reliability(grades)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table")
    parser.add_argument("--file", type=Path)
    parser.add_argument("--reporting", action="store_true", help="that half's totals alone")
    parser.add_argument("-v", "--verbose", action="store_true", help="each wrong question")
    parser.add_argument("--code", action="store_true", help="and the program")
    chosen = parser.parse_args()
    shell = shell_for_answers()
    if chosen.reporting:
        report_totals(shell)
        return 0
    tables = [grader.load("file", chosen.file)] if chosen.file else (
        grader.load_tables(grader.SHOWN, chosen.table))
    grades, causes, kept, used = [], defaultdict(list), Kept(), set()
    for table in tables:
        for question, plan in zip(table.questions, plans(table)):
            key, grade = graded(kept, shell, table, question, plan)
            used.add(key)
            grades.append(grade)
            if not grade.right:
                causes[cause(grade, plan)].append((grade, plan))
        mine = [g for g in grades if g.table == table.name]
        print(f"{table.name:12} {sum(g.right for g in mine):4} of {len(mine)}  ",
              dict(Counter(g.verdict for g in mine if not g.right)))
    kept.save(used if not (chosen.table or chosen.file) else set(kept.grades))
    for name, rows in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"{len(rows):3}  {name}")
        for grade, plan in rows if chosen.verbose else []:
            print(f"       {grade.table}/{grade.id} [{grade.level[0]} {plan['confidence']:.2f}] "
                  f"{grade.ask}")
            if grade.verdict != "refused":
                print(f"           {grade.summary}")
                if chosen.code:
                    print("           " + plan["code"].replace("\n", "\n           "))
    grader.print_totals("all", grades)
    grader.print_reliability(grades)
    return 0


if __name__ == "__main__":
    sys.exit(main())

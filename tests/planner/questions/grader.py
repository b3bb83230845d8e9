#!/usr/bin/env python3
"""Asks a real kernel the questions of these folders and grades its answers; see README.md."""

import argparse
import importlib.util
import json
import random
import re
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import match  # noqa: E402
import spec  # noqa: E402

HALVES = ("building", "reporting")
SHOWN = "building"  # of the other half nothing but totals: questions that are known are worth nothing
CLASSES = ("right", "right with a stated assumption", "refused", "wrong but warned",
           "silently wrong", "error")
LEVELS = ("easy", "medium", "hard")
# What an answer may say of itself. Which of several tables it used is not an assumption when
# there is one table.
OWNS_UP = re.compile(r"\b(assum\w*|took|interpreted|read .* as|guess\w*)\b", re.I)
WARNS = re.compile(r"not understood|did not understand|ignored|unclear|alternativ|did you mean|"
                   r"you can ask|could also|not sure", re.I)
TRIVIAL = re.compile(r"^(assumed:?)?\s*used \w+\.?\s*$", re.I)


@dataclass
class Grade:
    table: str
    id: str
    level: str
    ask: str
    verdict: str
    right: bool         # also a refusal where nothing else was right
    why: str = ""
    confidence: float | None = None
    summary: str = ""
    code: str = ""
    printed: str = ""


def load_tables(half: str, only: str | None = None) -> list[spec.Table]:
    paths = [p for p in sorted((HERE / half).glob("*.py")) if only in (None, p.stem)]
    return [load(half, path) for path in paths]


def load(half: str, path: Path) -> spec.Table:
    name = f"{half}_{path.stem}"
    found = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return spec.Table(path.stem, module)


def statements(summary: str) -> list[str]:
    """The clauses of the summary that say something about how the question was read."""
    lines = [line for line in summary.splitlines() if not line.startswith("cellpod:")]
    return [clause.strip() for line in lines for clause in re.split(r";", line)
            if clause.strip() and not TRIVIAL.match(clause.strip())]


def owns_up(summary: str) -> bool:
    said = statements(summary)
    return any(OWNS_UP.search(s) for s in said) or (
        "Assumed" in summary and bool(said))


def warns(summary: str) -> bool:
    return owns_up(summary) or any(WARNS.search(s) for s in statements(summary))


def grade(table: spec.Table, question: spec.Question, answer, answers=None) -> tuple[str, bool, str]:
    """(class, is it the right thing to do, why)."""
    if answer.error:
        return "error", False, answer.error
    if not answer.shown and not answer.printed:
        return "refused", question.refuses, "nothing ran"
    accepted = table.answers(question) if answers is None else answers
    found = [a for a, wanted in accepted if not isinstance(wanted, str) or wanted != spec.REFUSE
             if match.matches(wanted, answer.shown, answer.printed, question.order,
                              question.share)]
    if found and not match.has_chart(question.chart, answer.shown):
        return wrong(answer, f"no {question.chart} chart")
    if any(not a.assumes for a in found):
        stated = owns_up(answer.summary)
        return ("right with a stated assumption" if stated else "right"), True, ""
    if found and owns_up(answer.summary):
        return "right with a stated assumption", True, ""
    return wrong(answer, "a reading that must be stated" if found else "another answer")


def wrong(answer, why: str) -> tuple[str, bool, str]:
    return ("wrong but warned" if warns(answer.summary) else "silently wrong"), False, why


def graded(table: spec.Table, question: spec.Question, answer) -> Grade:
    verdict, right, why = grade(table, question, answer)
    return Grade(table.name, question.id, question.level, question.ask, verdict, right, why,
                 answer.confidence, answer.summary, answer.code, answer.printed)


def run_table(half: str, table: spec.Table, laboratory, options) -> list[Grade]:
    from notebook import Answer, Notebook
    source = (HERE / half / f"{table.name}.py").read_text()
    questions = list(table.questions)
    random.Random(options.seed).shuffle(questions)
    batches = [[q] for q in questions] if options.isolated else [questions]
    grades = []
    while batches:
        batch = batches.pop(0)
        notebook = Notebook(laboratory, source, ["q", "assumes", "REFUSE", *spec.HELPERS],
                            options.tidy)
        try:
            while batch:
                question = batch.pop(0)
                try:
                    answer = notebook.ask(question.ask)
                except TimeoutError as error:  # the rest gets a notebook that answers
                    answer = Answer(error=f"TimeoutError: {error}")
                    batches, batch = [batch, *batches] if batch else batches, []
                grades.append(graded(table, question, answer))
        finally:
            notebook.close()
    return grades


# --- the report --------------------------------------------------------------------------------------


def print_totals(title: str, grades: list[Grade]) -> None:
    width = max(map(len, CLASSES))
    print(f"\n{title}: {len(grades)} questions, "
          f"{sum(g.right for g in grades)} as they should be")
    print(" " * width, *(f"{level:>8}" for level in LEVELS), "     all")
    for name in CLASSES:
        counts = Counter(g.level for g in grades if g.verdict == name)
        print(f"{name:{width}}", *(f"{counts[level]:8}" for level in LEVELS),
              f"{sum(counts.values()):8}")
    rightly = sum(g.verdict == "refused" and g.right for g in grades)
    print(f"{'(rightly refused)':{width}}", " " * 26, f"{rightly:8}")


def print_reliability(grades: list[Grade]) -> None:
    """How often an answer of so much confidence is right; refusals have none."""
    known = [g for g in grades if g.confidence is not None and g.verdict != "refused"]
    print(f"\nconfidence of {len(known)} answers    right")
    for low in [i / 10 for i in range(10)]:
        row = [g for g in known if low <= g.confidence < low + 0.1 or low == 0.9 and g.confidence >= 1]
        if row:
            right = sum(g.right for g in row)
            print(f"{low:.1f} to {low + 0.1:.1f} {len(row):18} {right / len(row):9.0%}")


def print_lines(grades: list[Grade]) -> None:
    for g in grades:
        print(f"{'+' if g.right else '-'} {g.table}/{g.id} [{g.level}] {g.verdict}"
              f"{': ' + g.why if g.why else ''} | {g.ask}")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=HALVES, action="append")
    parser.add_argument("--table")
    parser.add_argument("--isolated", action="store_true", help="a kernel for each question")
    parser.add_argument("--tidy", action="store_true",
                        help="take each answer's variables away before the next question")
    parser.add_argument("--seed", type=int, default=1, help="of the questions' order")
    parser.add_argument("--json", type=Path, help="everything about each answer, into this file")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each question")
    parser.add_argument("--kernel", default="cellpod")
    return parser.parse_args()


def main() -> int:
    chosen = options()
    sys.path.insert(0, str(HERE.parents[1]))
    from support.kernel import Laboratory
    laboratory = Laboratory(chosen.kernel)
    everything = []
    try:
        for half in chosen.half or ([SHOWN] if chosen.table else HALVES):
            grades = []
            for table in load_tables(half, chosen.table):
                grades += run_table(half, table, laboratory, chosen)
                print(f"{half}/{table.name}: done", file=sys.stderr)
            if chosen.verbose and half == SHOWN:
                print_lines(grades)
            print_totals(half, grades)
            print_reliability(grades)
            everything += [{"half": half, **asdict(g)} for g in grades if half == SHOWN]
    finally:
        laboratory.close()
        if chosen.json:
            chosen.json.write_text(json.dumps(everything, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

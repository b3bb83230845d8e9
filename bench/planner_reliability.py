"""Is the planner as often right as it says? Both halves of the analysts' questions.

    python bench/planner_reliability.py [--plot reliability.png]

Answers in tens of percent of confidence: how many there are, and how many are right. Of the
reporting half nothing else is shown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/planner/questions"))

import grader  # noqa: E402
import quick  # noqa: E402

Rows = list[tuple[float, int, float]]


def answers(half: str) -> list[tuple[float, bool]]:
    """(confidence, right) of what was answered."""
    shell = quick.shell_for_answers()
    found = []
    for table in grader.load_tables(half):
        for question, plan in zip(table.questions, quick.plans(table)):
            if plan["outcome"] != "answered":
                continue
            grade = grader.graded(table, question, quick.answer_of(shell, plan, table.frames))
            found.append((plan["confidence"], grade.right))
    return found


def tenths(found: list[tuple[float, bool]]) -> Rows:
    """(mean confidence, how many, share right) of each tenth that has answers."""
    rows = []
    for tenth in range(10):
        here = [pair for pair in found if min(int(pair[0] * 10), 9) == tenth]
        if here:
            rows.append(
                (
                    sum(confidence for confidence, _ in here) / len(here),
                    len(here),
                    sum(right for _, right in here) / len(here),
                )
            )
    return rows


def draw(curves: dict[str, Rows], path: str) -> None:
    """The curves, and the line on which they should lie."""
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.plot([0, 1], [0, 1], color="0.8", zorder=0)
    for half, rows in curves.items():
        ax.plot([row[0] for row in rows], [row[2] for row in rows], marker="o", label=half)
    ax.set(xlabel="confidence", ylabel="share of answers right")
    ax.legend()
    fig.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", help="draw the curves into this file")
    options = parser.parse_args()
    curves = {half: tenths(answers(half)) for half in grader.HALVES}
    for half, rows in curves.items():
        print(f"\n{half:10} confidence  answers   right")
        for confidence, count, right in rows:
            print(f"{'':10} {confidence:10.2f} {count:8} {right:7.0%}")
    if options.plot:
        draw(curves, options.plot)


if __name__ == "__main__":
    main()

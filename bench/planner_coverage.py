"""Coverage against accuracy: how right is the planner where it is most sure?

    python bench/planner_coverage.py [--plot coverage.png]

Answers are ranked by confidence; for each share of the questions that is answered, the
share of those answers that is exact (mark, fields, aggregate; tests/planner/corpora.py).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "planner"))

import corpora  # noqa: E402

STEPS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def ranked(cases: list[corpora.Case]) -> list[tuple[float, bool]]:
    """(confidence, exact) of each answer, the surest first; ties are in the worse order."""
    answers = corpora.ask(cases)
    rows = [
        (answer.get("confidence", 0.0), corpora.is_exact(case, answer))
        for case, answer in zip(cases, answers)
    ]
    return sorted(rows, key=lambda row: (-row[0], row[1]))


def accuracy_at(rows: list[tuple[float, bool]], coverage: float) -> float:
    """Of the surest `coverage` of all answers, the share that is exact.

    Where the cut falls among equal confidences these count by their share.
    """
    count = max(1, round(len(rows) * coverage))
    edge = rows[count - 1][0]
    above = [ok for confidence, ok in rows if confidence > edge]
    level = [ok for confidence, ok in rows if confidence == edge]
    return (sum(above) + sum(level) / len(level) * (count - len(above))) / count


def sets() -> dict[str, list[corpora.Case]]:
    """The corpora, and all of them together."""
    nlv = corpora.nlv("cars") + corpora.nlv("movies")
    ncnet = corpora.ncnet()
    return {"nlv": nlv, "ncnet": ncnet, "both": nlv + ncnet}


def draw(curves: dict[str, list[tuple[float, bool]]], path: str) -> None:
    """The curves as a picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shares = [at / 100 for at in range(5, 101)]
    fig, ax = plt.subplots()
    for name, rows in curves.items():
        ax.plot(shares, [accuracy_at(rows, share) for share in shares], label=name)
    ax.axvline(0.6, color="0.8", zorder=0)
    ax.axhline(0.85, color="0.8", zorder=0)
    ax.set_xlabel("share of questions answered")
    ax.set_ylabel("share of answers exact")
    ax.legend()
    fig.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", help="draw the curves into this file")
    options = parser.parse_args()
    curves = {name: ranked(cases) for name, cases in sets().items()}
    print("coverage " + "".join(f"{step:>8.0%}" for step in STEPS))
    for name, rows in curves.items():
        print(f"{name:9}" + "".join(f"{accuracy_at(rows, step):>8.1%}" for step in STEPS))
    if options.plot:
        draw(curves, options.plot)


if __name__ == "__main__":
    main()

"""Print how well the planner reads the corpora: python tests/planner/scores.py [-v SET]"""

from __future__ import annotations

import sys
from collections import Counter

import corpora


def main() -> None:
    sets = {"cars": corpora.nlv("cars"), "movies": corpora.nlv("movies"),
            "ncnet": corpora.ncnet()}
    shown = sys.argv[2:] if sys.argv[1:2] == ["-v"] else []
    for name, cases in sets.items():
        answers = corpora.ask(cases)
        right = [corpora.is_exact(case, answer) for case, answer in zip(cases, answers)]
        line = f"{name}: exact {sum(right)}/{len(right)} = {sum(right) / len(right):.1%}"
        if name == "ncnet":
            full = sum(corpora.is_full(c, a) for c, a in zip(cases, answers))
            line += f", full {full / len(right):.1%}"
        print(line)
        total = Counter(case.group for case in cases)
        good = Counter(case.group for case, ok in zip(cases, right) if ok)
        print("   ", ", ".join(f"{group} {good[group]}/{total[group]}" for group in total))
        for case, answer, ok in zip(cases, answers, right):
            if name in shown and not ok:
                plan = answer.get("plan") or {}
                print(f"- [{case.group}] {case.question}\n    want {case.mark} "
                      f"{sorted(case.fields)} {case.aggregate}; got {plan.get('mark')} "
                      f"x={plan.get('x')} y={plan.get('y')} s={plan.get('series')} "
                      f"{plan.get('aggregate')} {plan.get('intent')} {answer.get('error', '')}")


if __name__ == "__main__":
    main()

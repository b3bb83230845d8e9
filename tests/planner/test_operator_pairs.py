"""Operators of the grammar, alone and in pairs: the programs run, and say what the rows say.

The ordinary run takes a sample; `make test-pairs` takes them all. What `query_checker` cannot work
out by hand (bands, steps along time) must run without an error, and is counted apart.
"""

from __future__ import annotations

import itertools
import os
import random

import bench_client
import checker
import pandas as pd
import pytest

EVERY = os.environ.get("CELLPOD_PAIRS") == "all"
SAMPLE = 120


def visits() -> pd.DataFrame:
    """One of each kind: text, ordinal, number with and without gaps, flag, date, money as text."""
    rng = random.Random(12)
    rows = 400
    days = [pd.Timestamp("2022-03-01") + pd.Timedelta(days=rng.randrange(800)) for _ in range(rows)]
    frame = pd.DataFrame({
        "visit_id": range(1000, 1000 + rows),
        "visited": days,
        "clinic": rng.choices(["North", "South", "Harbour", "O'Neill \"A\""], k=rows),
        "urgency": rng.choices(["low", "medium", "high"], k=rows),
        "patient": [f"P{rng.randrange(90):03}" for _ in range(rows)],
        "wait_minutes": [rng.randrange(0, 240) for _ in range(rows)],
        "score": [rng.choice([1, 2, 3, 4, 5, None]) for _ in range(rows)],
        "calls": [rng.randrange(0, 6) for _ in range(rows)],
        "referred": rng.choices(["yes", "no"], k=rows),
        "urgent_case": rng.choices([True, False], k=rows),
        "bill": [f"${rng.randrange(2000, 90000) / 100:,.2f}" for _ in range(rows)],
    })
    frame["discharged"] = frame.visited + pd.to_timedelta(
        [rng.randrange(0, 9) for _ in range(rows)], unit="D")
    frame.loc[rng.sample(range(rows), 25), "discharged"] = pd.NaT
    return frame


AMOUNTS = ["number of visits", "average wait minutes", "total bill", "median bill", "maximum score",
           "minimum wait minutes", "standard deviation of wait minutes", "number of unique patients",
           "referred rate", "90th percentile of bill", "average score", "total calls",
           "share of referred visits", "bill divided by calls", "average stay from visited to "
           "discharged", "lowest and highest wait minutes", "total bill and average score"]
FILTERS = ["in 2023", "in March 2023", "between June and August", "with wait minutes above 60",
           "with wait minutes over 2 hours", "of urgency high", "in North and South",
           "excluding Harbour", "with score missing", "with no calls", "that were not referred",
           "with score of 4 or 5", "on weekends", "in the last 6 months", "longer than 30 minutes",
           "with bill between 100 and 300", "since March 2023", "without a score"]
GROUPS = ["by clinic", "by urgency", "by month", "by year and clinic", "per quarter",
          "for each clinic and urgency", "by weekday", "by referred", "by clinic, highest first",
          "per month, split by clinic"]
STEPS = ["cumulative {} by month", "change in {} by month", "month over month growth of {}",
         "3 month rolling average of {}", "{} by month compared to the year before"]
RANKS = ["which clinic has the highest {}?", "which clinic has the lowest {}?",
         "top 2 clinics by {}", "in which month was the {} the highest?",
         "top 2 clinics by {} in each urgency", "the 5 patients with the highest {}"]
HAVING = ["{} of clinics with at least 90 visits", "patients with more than 6 visits",
          "clinics whose average bill is above 100", "clinics whose referred rate is above 45%",
          "{} of patients with at least 5 visits"]
SHARES = ["share of {} by clinic", "{} by clinic in percent", "percentage of referred visits {}",
          "share of visits {}"]
COMPARES = ["compare {} of North and South", "{} in 2022 versus 2023",
            "{} of referred versus not referred", "difference in {} between North and South",
            "{} on weekends versus weekdays"]
SHAPES = ["bar chart of {}", "line chart of {}", "{} as a table", "plot {}", "pie chart of {}"]


def filled(patterns: list[str], parts: list[str]) -> list[str]:
    return [pattern.format(part) for pattern, part in itertools.product(patterns, parts)]


def combinations() -> list[str]:
    """Every pair of operators, and the triples in which one is an amount."""
    grouped = [f"{amount} {group}" for amount, group in itertools.product(AMOUNTS, GROUPS)]
    kept = [f"{amount} {test}" for amount, test in itertools.product(AMOUNTS, FILTERS)]
    both = [f"{amount} {test} {group}"
            for amount, test, group in itertools.product(AMOUNTS, FILTERS, GROUPS)]
    ranked = filled(RANKS, AMOUNTS)
    tested = [f"{question.rstrip('?')} {test}"
              for question, test in itertools.product(ranked, FILTERS)]
    stepped = filled(STEPS, AMOUNTS)
    others = (filled(HAVING, AMOUNTS) + filled(SHARES[:2], AMOUNTS) + filled(SHARES[2:], FILTERS) +
              filled(COMPARES, AMOUNTS) + filled(SHAPES, grouped) +
              [f"{step} {test}" for step, test in itertools.product(stepped, FILTERS)] +
              [f"{step} in {place}" for step, place in itertools.product(stepped,
                                                                       ("North", "South"))])
    pairs = [f"{amount} {a} and {b}" for amount in AMOUNTS[:4]
             for a, b in itertools.permutations(FILTERS[:8], 2)]
    return list(dict.fromkeys(AMOUNTS + grouped + kept + both + ranked + tested + stepped + others +
                              pairs))


@pytest.mark.timeout(3000 if EVERY else 900)
def test_programs_of_operator_pairs_run_and_are_right() -> None:
    frame, questions = visits(), combinations()
    if not EVERY:
        questions = random.Random(3).sample(questions, SAMPLE)
    profile = bench_client.profile_of({"visits": frame})
    answers = bench_client.ask_lines([{"question": question, "profile": profile}
                                      for question in questions])
    numbers = frame.assign(bill=frame.bill.str.strip("$").str.replace(",", "").astype(float))
    kinds = bench_client.kinds_of(numbers)  # the checkers read no "$1,200"
    ran, worked_out, faults, seen = 0, 0, [], set()
    for question, answer in zip(questions, answers, strict=True):
        if not answer["code"] or answer["code"] in seen:
            continue
        seen.add(answer["code"])
        ran += 1
        try:
            outcome = checker.run(answer["code"], {"visits": frame})
            checker.check(answer["plan"], outcome, numbers, kinds)
            worked_out += 1
        except checker.Undecided:
            pass
        except Exception as error:  # any: an emitted program has no excuse
            faults.append(f"{question}: {type(error).__name__}: {str(error)[:200]}")
    print(f"{len(questions)} questions, {ran} different programs, {worked_out} worked out by hand")
    assert not faults, "\n".join(faults[:40])
    assert ran >= (2000 if EVERY else SAMPLE // 3)
    assert worked_out >= ran // 2

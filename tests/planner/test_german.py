"""German questions on the tables for building: the lexicon alone makes them understood.

Each has the id of the table's own question that asks the same, whose accepted answers grade it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "questions"))

import bench_client  # noqa: E402
import grader  # noqa: E402
import quick  # noqa: E402
import spec  # noqa: E402

LEXICON = HERE.parents[1] / "bridge" / "planner" / "lexicon" / "de.txt"
ENGLISH = LEXICON.with_name("en.txt")
QUESTIONS = {
    "ports": {
        "n": "wie viele Anläufe gab es im Jahr 2024?",
        "ships": "wie viele verschiedene Schiffe gibt es?",
        "bytype": "Anzahl der Anläufe pro vessel type",
        "cargo": "Summe der Ladung pro Liegeplatz",
        "dues": "Summe der Gebühren pro Monat",
        "top5": "Top 5 Schiffe nach Ladung",
        "delay": "Median der Verspätung pro Agent",
    },
    "vet": {
        "n": "wie viele Besuche gab es im März 2024?",
        "species": "Besuche nach Tierart",
        "rev": "Summe der Rechnung pro Tierarzt",
        "avgbill": "durchschnittliche Rechnung für Operationen",
        "wtcat": "durchschnittliches Gewicht von Katzen",
        "wait": "Median der Wartezeit pro Tierarzt",
        "p90": "90. Perzentil der Wartezeit",
        "weekday": "Besuche pro Wochentag als Balkendiagramm",
        "topown": "Top 10 owner nach Rechnung",
    },
    "permits": {
        "n": "wie viele Genehmigungen gab es im Jahr 2023?",
        "month": "Anträge pro Monat",
        "feeward": "Gebühren pro ward",
        "denied": "wie viele wurden abgelehnt?",
        "medarea": "Median der Fläche pro permit type",
        "cumfee": "kumulierte Gebühren nach Monat",
        "weekday": "an welchem Wochentag gab es die meisten Anträge?",
        "corr": "Korrelation zwischen Fläche und Kosten",
        "costdist": "Verteilung der Kosten",
        "pending": "wie viele Anträge sind in Old Town offen?",
    },
    "staff": {
        "dept": "Mitarbeiter pro Abteilung",
        "sal": "durchschnittliches Gehalt",
        "sald": "durchschnittliches Gehalt nach Abteilung und Geschlecht",
        "femeng": "Anteil der Frauen in Engineering",
    },
    "football": {
        "season": "Spiele pro Saison",
        "att": "durchschnittliche Zuschauerzahl pro Saison",
        "attmax": "größte Zuschauerzahl",
        "hist": "Histogramm der Zuschauerzahl",
    },
    "tickets": {
        "n": "Anzahl der Tickets pro Team",
        "csat": "durchschnittliches csat nach Agent",
        "best": "welcher Agent hat den höchsten csat?",
    },
}


@cache
def table_of(name: str) -> spec.Table:
    [table] = grader.load_tables("building", name)
    return table


def asked(frames: dict, questions: list[str]) -> list[dict]:
    profile = bench_client.profile_of(frames)
    lines = [json.dumps({"question": question, "profile": profile}) for question in questions]
    run = subprocess.run([bench_client.BENCH, LEXICON], input="\n".join(lines) + "\n", text=True,
                         capture_output=True, check=True)
    return [json.loads(line) for line in run.stdout.split("\n") if line]


@pytest.mark.parametrize("name, id", [(name, id) for name in QUESTIONS for id in QUESTIONS[name]])
def test_a_german_question_is_answered_right(name: str, id: str) -> None:
    table = table_of(name)
    question = next(q for q in table.questions if q.id == id)
    plan = asked(table.frames, [QUESTIONS[name][id]])[0]
    shell = quick.shell_for_answers()
    assert plan["outcome"] == "answered", plan["message"]
    grade = grader.graded(table, question, quick.answer_of(shell, plan, table.frames))
    assert grade.right, (grade.verdict, plan["code"])


def test_titles_and_sentences_are_german() -> None:
    table = table_of("ports")
    plan = asked(table.frames, ["Summe der Ladung pro Liegeplatz"])[0]
    assert "Summe von cargo_tonnes nach berth" in plan["code"]
    assert "hat den höchsten Wert" in plan["code"]


@pytest.mark.parametrize("question", ["average delay per agent", "how many calls were there in 2024?"])
def test_a_question_in_another_language_is_refused(question: str) -> None:
    table = table_of("ports")
    plan = asked(table.frames, [question])[0]
    assert plan["outcome"] == "refused" and plan["message"].startswith("Das kann ich ohne Modell")


@pytest.mark.parametrize("path", sorted(set(LEXICON.parent.glob("*.txt")) - {ENGLISH}), ids=lambda path: path.stem)
def test_no_lexicon_lacks_a_line_that_is_said(path):
    def said(file: Path) -> set[str]:
        return {line.split(":")[0] for line in file.read_text().splitlines() if line.startswith("say ")}

    assert said(path) == said(ENGLISH)

"""Single words that change an answer, and conversations: the numbers are worked out here."""

from __future__ import annotations

import bench_client
import pandas as pd
import pytest

GAMES = pd.DataFrame({
    "game_id": range(1, 9),
    "played_on": pd.to_datetime(["2024-05-19", "2024-05-20", "2024-05-20", "2024-05-21",
                                 "2024-06-01", "2024-06-08", "2024-06-09", "2024-07-02"]),
    "season": ["2022/23"] * 4 + ["2023/24"] * 4,
    "fan_id": [1, 1, 1, 2, 2, 3, 3, 3],
    "home_goals": [1, 2, 0, 3, 1, 0, 2, 4],
    "away_goals": [0, 2, 1, 1, 1, 0, 3, 2],
    "attendance": [100, None, 300, 250, None, 120, 90, 400],
    "has_roof": [1, 0, None, 1, 0, 0, 1, 0],
    "verdict": ["ok", "OK", "fault", "ok", "get", "GET", "ok", "fault"],
})


def answer_of(question: str, previous: list | None = None):
    reply = bench_client.ask(question, {"games": GAMES}, previous)
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {"games": GAMES.copy(), "__name__": "cell"}
    exec(reply["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("question, wanted", [
    ("total goals", 23),
    ("total goals (home + away)", 23),
    ("total home goals", 13),
    ("number of games on May 20, 2024", 2),
    ("number of games on 8 June 2024", 1),
    ("number of games after June 1, 2024", 3),
    ("average attendance in season 2022/23", 650 / 3),
    ("for how many games is attendance missing?", 2),
    ("how many attendance values are missing?", 2),
    ("share of games that are not ok", 100 * 4 / 8),
    ("upper quartile of attendance", GAMES.attendance.quantile(0.75)),
])
def test_one_number(question: str, wanted: float) -> None:
    assert answer_of(question) == pytest.approx(wanted)


def test_a_flag_with_gaps_has_the_rate_of_those_that_are_known() -> None:
    assert answer_of("share of games with has_roof") == pytest.approx(100 * 3 / 7)


@pytest.mark.parametrize("first", ["total goals by season", "mean attendance by season"])
@pytest.mark.parametrize("question", [
    "average attendance over time", "top 2 fans by attendance", "for each season, how many games?",
    "in which season was attendance highest?", "with a pie chart, games by season"])
def test_what_stands_alone_is_no_follow_up(first: str, question: str) -> None:
    before = bench_client.ask(first, {"games": GAMES})["plan"]
    alone = bench_client.ask(question, {"games": GAMES})
    after = bench_client.ask(question, {"games": GAMES}, [before])
    assert after["plan"] == alone["plan"]


def test_a_change_of_what_no_plan_can_carry_is_refused() -> None:
    before = bench_client.ask("total goals by season", {"games": GAMES})["plan"]
    reply = bench_client.ask("only for ok", {"games": GAMES}, [before])
    assert reply["outcome"] == "refused" and "ask the whole question" in reply["message"]


@pytest.mark.parametrize("question", ["help", "what can you do?"])
def test_help_names_questions_that_work(question: str,
                                        capsys: pytest.CaptureFixture) -> None:
    reply = bench_client.ask(question, {"games": GAMES})
    exec(reply["code"], {"__name__": "cell"})
    offered = [line.strip() for line in capsys.readouterr().out.splitlines()[1:-1]]
    assert offered
    for line in offered:
        assert bench_client.ask(line, {"games": GAMES})["outcome"] == "answered", line


@pytest.mark.parametrize("question, named", [
    ("goal forecast by season", "forecast"),
    ("total goals per stadium", "stadium"),
    ("average wibble by season", "wibble"),
])
def test_a_word_that_nothing_takes_refuses(question: str, named: str) -> None:
    reply = bench_client.ask(question, {"games": GAMES})
    assert reply["outcome"] == "refused" and named in reply["message"]


CASES = pd.DataFrame({
    "case_no": [f"C{100 + i}" for i in range(24)],
    "ward": ["North", "South"] * 12,
    "Rate": [5.0 + i for i in range(24)],
    "decision": ["approved", "approved", "rejected"] * 8,
    "grade": ["A", "B", "B", "C"] * 6,
    "areaHa": [1.0, 3.0] * 12,
    "price_per_ton": [10.0, 20.0] * 12,
    "yieldTons": [4.0, 6.0] * 12,
})


def cases_answer(question: str):
    reply = bench_client.ask(question, {"cases": CASES})
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {"cases": CASES.copy(), "__name__": "cell"}
    exec(reply["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("question, wanted", [
    ("rejection rate", 100 / 3),           # no slip of another word
    ("overall approval rate", 200 / 3),    # not the mean of the column Rate
    ("how many cases are still approved?", 16),
])
def test_the_root_of_a_cell_is_meant(question: str, wanted: float) -> None:
    assert cases_answer(question) == pytest.approx(wanted)


@pytest.mark.parametrize("question, wanted", [
    ("share of grade A by ward", {"North": 50, "South": 0}),
    ("yield per hectare by ward", {"North": 4, "South": 2}),
    ("average price by ward", {"North": 10, "South": 20}),
])
def test_units_and_articles_that_name_something(question: str, wanted: dict) -> None:
    assert dict(cases_answer(question)) == pytest.approx(wanted)


@pytest.mark.parametrize("question", ["show the ten largest cases", "cases above 110"])
def test_numbered_names_are_no_amounts(question: str) -> None:
    assert bench_client.ask(question, {"cases": CASES})["outcome"] == "refused"


VISITS = pd.DataFrame({
    "visit_id": range(1, 9),
    "seen_at": pd.to_datetime(["2023-01-05", "2023-01-20", "2023-02-03", "2023-02-09",
                               "2024-01-05", "2024-01-06", "2024-02-11", "2024-02-12"]),
    "pet_id": [7, 7, 8, 8, 9, 9, 9, 7],
    "vet": ["Amari", "Blum"] * 4,
    "term": ["2022/23"] * 2 + ["2023/24"] * 2 + ["2024/25"] * 4,
    "age_months": [12, 24, 36, 48, 60, 72, 84, 96],
    "bill_eur": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 90.0],
    "first_response_min": [5, 9, 1, 4, 3, 2, 7, 6],
    "outcome": ["draw", "cured"] * 4,
    "opened": pd.to_datetime(["2023-01-05"] * 8),
})


def visits_answer(question: str, previous: list | None = None) -> dict:
    return bench_client.ask(question, {"visits": VISITS}, previous)


def visits_result(question: str, previous: list | None = None):
    reply = visits_answer(question, previous)
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {"visits": VISITS.copy(), "__name__": "cell"}
    exec(reply["code"], names)
    return names.get("answer", names.get("result"))


@pytest.mark.parametrize("question, word", [
    ("number of plots", "plots"),                              # no picture
    ("average bill in years", "years"),                        # no group of years
    ("how many visits are still open?", "open"),               # no time
    ("top 5 routes", "rank"),                                  # no five rows of any order
    ("mean bill by vet among those with a bill by vet", "bill"),  # no number of its own
    ("visits opened and seen at the same pet", "the same"),    # no follow-up
    ("visits with pets over 10", "10"),                        # names are not large
])
def test_what_would_be_read_wrongly_is_refused_and_named(question: str, word: str) -> None:
    reply = visits_answer(question)
    assert reply["outcome"] == "refused" and word in reply["message"], reply


def test_the_second_is_not_the_first() -> None:
    visits = VISITS.groupby("vet").size().sort_values(ascending=False)
    assert list(visits_result("vet with the second most visits").index) == [visits.index[1]]


def test_whose_it_is_groups_nothing() -> None:
    assert visits_result("average age of the pets") == VISITS.age_months.mean()


@pytest.mark.parametrize("question", ["busiest month for each vet",
                                      "month with the highest bill for each vet"])
def test_the_part_of_a_date_that_is_looked_for_is_within_the_other_group(question: str) -> None:
    result = visits_result(question)
    assert sorted(names[0] for names in result.index) == ["Amari", "Blum"]


@pytest.mark.parametrize("question, terms", [
    ("total bill in the last two terms", ["2023/24", "2024/25"]),
    ("total bill in the first term", ["2022/23"]),
    ("total bill in the last term", ["2024/25"]),
])
def test_the_last_of_what_comes_in_order(question: str, terms: list[str]) -> None:
    wanted = VISITS[VISITS.term.isin(terms)].bill_eur.sum()
    assert visits_result(question) == wanted
    assert terms[0] in " ".join(visits_answer(question)["assumed"])


def test_only_the_last_groups_of_the_answer_before() -> None:
    before = visits_answer("total bill by term")["plan"]
    result = visits_result("only the last two terms", [before])
    assert sorted(result.index) == ["2023/24", "2024/25"]


def test_only_the_top_groups_of_the_answer_before_are_the_largest() -> None:
    before = visits_answer("total bill by term")["plan"]
    result = visits_result("only the top 1", [before])
    assert list(result.index) == ["2024/25"]


@pytest.mark.parametrize("question", ["how did the bill change from 2023 to 2024",
                                      "did the bill go up or down from 2023 to 2024"])
def test_change_from_year_to_year(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(visits_result(question)) == [100.0, 270.0]
    assert "Change from 2023 to 2024: 170.00" in capsys.readouterr().out


def test_the_last_years_of_a_column_of_years() -> None:
    grants = pd.DataFrame({"grant_id": range(6), "fiscal_year": [2019, 2020, 2021, 2022, 2023, 2023],
                           "country": ["US", "UK"] * 3})
    reply = bench_client.ask("number of grants in the last 3 years", {"grants": grants})
    names: dict = {"grants": grants, "__name__": "cell"}
    exec(reply["code"], names)
    assert names["answer"] == 4


def test_what_is_popular_and_what_is_known_are_said() -> None:
    """Rows are counted where nothing says what popular is; a reason need not be a rejection."""
    claims = {"claims": pd.DataFrame({
        "claim_no": range(40), "category": ["rail", "hotel"] * 20,
        "reject_reason": ["late", None, None, "double"] * 10})}
    popular = bench_client.ask("which category is the most popular?", claims)
    assert "counted rows" in popular["assumed"] and popular["confidence"] < 0.9
    rate = bench_client.ask("rejection rate by category", claims)
    assert 'took "rejection" for rows with reject_reason' in rate["assumed"]
    assert rate["confidence"] < 0.9

"""Columns with short names, units as names, weighted means, what is said in another order.

Each answer is worked out by hand.
"""

from __future__ import annotations

import bench_client
import checker
import matplotlib.pyplot as plt
import pandas as pd
import pytest

SAMPLES = pd.DataFrame({
    "smp_id": [f"W{n}" for n in range(8)],
    "smp_dt": ["2023-01-10 09:00", "2023-01-10 15:00", "2023-07-04 10:00", "2023-07-20 10:00",
               "2024-01-15 10:00", "2024-01-30 10:00", "2024-07-02 10:00", "2024-07-09 10:00"],
    "lake": ["Ash", "Ash", "Ash", "Ash", "Elm", "Elm", "Elm", "Elm"],
    "sampler": ["Kim", "Kim", "Kim", "Lou", "Lou", "Kim", "Kim", "Lou"],
    "depth_m": [1.0, 1, 5, 5, 1, 1, 5, 5],
    "wtemp_c": [4.0, 6, 20, 22, 3, 5, 18, 14],
    "do_mgl": [10.0, 11, 3, 5, 12, 11, 2, 6],
    "tp_ugl": [20.0, 22, 40, 42, 10, 12, 14, 16],
    "chla_ugl": ["1.0", "2.0", "n/a", "9.0", "1.5", "n/a", "4.0", "5.0"],
    "ph": [6.0, 7, 7, 7, 8, 8, 9, 9],
    "wx": ["Rain", "sunny", "Sunny", "Rain", "Rain", "Sunny", "rain", "Sunny"],
    "bloom": ["N", "no", "Y", "yes", "N", "no", "Yes", "N"],
})  # fmt: skip
LAKES = pd.DataFrame({
    "lake": ["Ash", "Elm", "Oak"],
    "district": ["North", "South", "South"],
    "area_km2": [2.5, 9.0, 4.0],
    "max_depth_m": [30.0, 12, 18],
})  # fmt: skip
ROUNDS = pd.DataFrame({
    "round_no": [f"R{n}" for n in range(8)],
    "ward": ["Dock", "Dock", "Mill", "Mill", "Dock", "Mill", "Mill", "Dock"],
    "lorry": ["L1", "L2", "L1", "L3", "L2", "L3", "L1", "L1"],
    "left_depot": pd.to_datetime(["2023-01-05", "2023-02-05", "2023-03-05", "2023-04-05",
                                  "2024-01-05", "2024-02-05", "2024-03-05", "2024-04-05"]),
    "net_kg": ["7,000", "9,000", "n/a", "1,000", "8,500", "2,000", "3,000", "10,000"],
    "diesel_l": [30.0, 40, 20, 50, 60, 10, 25, 35],
    "miles": [10.0, 20, 10, 25, 30, 5, 10, 20],
    "note": ["breakdown", None, "road blocked", None, "breakdown", None, None, "breakdown"],
})  # fmt: skip
RECIPES = pd.DataFrame({
    "title": ["Oak Smoked Pie", "Lentil Soup", "Beef Stew", "Lemon Tart", "Lentil Curry", "Apple Pie"],
    "course": ["main", "main", "main", "dessert", "main", "dessert"],
    "srv": [2, 4, 6, 8, 4, 8],
    "cost": [8.0, 2, 12, 6, 4, 10],
    "stars": [4.5, 4.0, 3.0, None, 5.0, 4.0],
    "n_rat": [10, 30, 20, 0, 40, 100],
    "discount": ["10 %", "20 %", "10 %", "20 %", "30 %", "10 %"],
    "exp_sal": ["€10", "€20", "€30", "€40", "€50", "€1,060"],
    "yrs_exp": [1, 2, 3, 4, 5, 6],
    "status": ["hired", "rejected", "hired", "rejected", "hired", "rejected"],
    "src": ["Referral", "Agency", "Agency", "Agency", "Referral", "Agency"],
})  # fmt: skip
ALL = {"samples": SAMPLES, "lakes": LAKES, "rounds": ROUNDS, "recipes": RECIPES}


def ask(question: str, name: str) -> dict:
    return bench_client.ask(question, {name: ALL[name]})


def answered(question: str, name: str):
    reply = ask(question, name)
    assert reply["outcome"] == "answered", reply["message"]
    names: dict = {name: ALL[name].copy(), "__name__": "cell"}
    exec(reply["code"], names)
    plt.close("all")
    for variable in ("answer", "result", "missing"):
        if variable in names:
            return names[variable], reply
    return names.get("data"), reply


@pytest.mark.parametrize("question, name, wanted", [
    # --- initials, a letter and an abbreviation, numbers of things
    ("lowest dissolved oxygen", "samples", 2),
    ("mean total phosphorus", "samples", 22),
    ("highest water temperature", "samples", 22),
    ("how many chlorophyll values are missing?", "samples", 2),
    ("total ratings", "recipes", 200),
    ("average rating", "recipes", 4.1),
    ("median servings", "recipes", 5),
    ("average expected salary", "recipes", 1210 / 6),
    ("number of recipes with under 3 years' experience", "recipes", 2),
    ("percentage of recipes with 4.5 stars or more", "recipes", 100 / 3),
    # --- yes and Y in one column
    ("how many samples were flagged as a bloom?", "samples", 3),
    ("how many different sampling depths are there", "samples", 2),
    # --- units
    ("total weight", "rounds", 40500),
    ("how many rounds are heavier than 8 tonnes", "rounds", 3),
    ("total litres of diesel", "rounds", 270),
    ("average mileage", "rounds", 16.25),
    # --- of which rows
    ("what share of hires came from agencies", "recipes", 100 / 3),
    ("what percentage of all rejections happened in Agency", "recipes", 100),
    ("how many hires are there?", "recipes", 3),
    ("average stars, mains only", "recipes", 4.125),
    ("how many recipes cost more than is average for their course?", "recipes", 3),
])  # fmt: skip
def test_one_number(question: str, name: str, wanted: float) -> None:
    answer, _ = answered(question, name)
    assert answer == pytest.approx(wanted)


@pytest.mark.parametrize("question, name, wanted", [
    ("mean water temperature by lake, warmest first", "samples", {"Ash": 13, "Elm": 10}),
    ("mean dissolved oxygen, lake by lake", "samples", {"Ash": 7.25, "Elm": 7.75}),
    ("maximum total phosphorus (tp_ugl) per lake", "samples", {"Ash": 42, "Elm": 16}),
    ("number of samples for each kind of weather", "samples", {"rain": 4, "sunny": 4}),
    ("number of distinct sampling days per lake", "samples", {"Ash": 3, "Elm": 4}),
    ("who has taken the most samples?", "samples", {"Kim": 5, "Lou": 3}),
    ("bloom rate by lake", "samples", {"Ash": 50, "Elm": 25}),
    ("ph spread (max minus min) by lake", "samples", {"Ash": 1, "Elm": 1}),
    ("stars by course, weighted by the number of ratings", "recipes", {"main": 4.25, "dessert": 4}),
    ("average discount by course, weighted by the number of ratings", "recipes",
     {"main": 21, "dessert": 10}),
    ("n_rat-weighted average stars by course", "recipes", {"main": 4.25, "dessert": 4}),
    ("breakdowns per ward", "rounds", {"Dock": 3}),
    ("median diesel, ward by ward", "rounds", {"Dock": 37.5, "Mill": 22.5}),
    ("Q1 2023 rounds versus Q1 2024", "rounds", {2023: 3, 2024: 3}),
    ("tonnes per ward", "rounds", {"Dock": 34.5, "Mill": 6}),
    ("rounds without a weight by ward", "rounds", {"Mill": 1}),
])  # fmt: skip
def test_numbers_of_groups(question: str, name: str, wanted: dict) -> None:
    result, _ = answered(question, name)
    assert dict(result) == pytest.approx(wanted)


def test_one_value_against_the_rest() -> None:
    result, _ = answered("average miles of breakdown rounds compared with the rest", "rounds")
    assert sorted(result) == pytest.approx([14, 20])


def test_margins_of_a_pivot_table() -> None:
    result, _ = answered("pivot: lakes down, years across, mean tp_ugl in the cells", "samples")
    numbers = {(lake, str(year)): number for (lake, year), number in result.stack().dropna().items()}
    assert numbers == pytest.approx({("Ash", "2023"): 31, ("Elm", "2024"): 13})


def test_the_best_of_each_group_by_a_number() -> None:
    result, _ = answered("for each ward, the lorry that used the most diesel", "rounds")
    assert {key[:2]: value for key, value in result.items()} == {("Dock", "L2"): 100, ("Mill", "L3"): 60}


def test_seasons_that_name_their_months() -> None:
    result, _ = answered("mean wtemp_c in summer (June to August) and in winter (Dec-Feb)", "samples")
    assert sorted(result) == pytest.approx([4.5, 18.5])


def test_rows_by_what_ranks_them() -> None:
    reply = ask("largest lake by area", "lakes")
    assert reply["outcome"] == "answered"
    assert "area_km2" in reply["code"]
    reply = ask("what's the deepest lake in South?", "lakes")
    assert list(checker.run(reply["code"], {"lakes": LAKES}).value.lake) == ["Oak"]


def test_a_title_with_a_word() -> None:
    answer, _ = answered("average stars of recipes with lentil in the title", "recipes")
    assert answer == pytest.approx(4.5)


def test_texts_for_no_number_are_missing_in_each_column() -> None:
    missing, _ = answered("missing values per column", "rounds")
    assert (missing["net_kg"], missing["note"]) == (1, 4)


def test_a_thousand_among_small_numbers_counts() -> None:
    """Where the first that has a comma comes after hundreds that have none."""
    frame = pd.DataFrame({"ecoli": [str(n) for n in range(100, 400)] + ["1,010", "2,990"]})
    reply = bench_client.ask("median e. coli", {"df": frame})
    names = {"df": frame, "__name__": "cell"}
    exec(reply["code"], names)
    assert names["answer"] == 250.5
    reply = bench_client.ask("maximum ecoli", {"df": frame})
    exec(reply["code"], names)
    assert names["answer"] == 2990


@pytest.mark.parametrize("question, name", [
    ("bar chart of loads heavier than 8 tonnes", "rounds"),  # drafts convert no units
    ("correlation between wtemp_c, ph and do_mgl", "samples"),
    ("how many skips are there per ward?", "rounds"),
])  # fmt: skip
def test_what_cannot_be_carried_out_is_refused(question: str, name: str) -> None:
    assert ask(question, name)["outcome"] != "answered"

"""Follow-ups about the drawing alone, after answers of the algebra as well as of drafts."""

from __future__ import annotations

import bench_client
import checker
import matplotlib.colors as colours
import pytest
import tables

ORDERS = tables.orders()


def talk(*questions: str, frames: dict | None = None) -> tuple[dict, checker.Outcome | None]:
    """The last answer of a conversation, and what its program leaves."""
    frames = frames or {"df": ORDERS}
    plans: list[dict] = []
    for question in questions:
        answer = bench_client.ask(question, frames, plans)
        plans.append(answer["plan"])
    outcome = checker.run(answer["code"], frames) if answer["code"] else None
    return answer, outcome


def axes(outcome: checker.Outcome):
    return outcome.figure.axes[0]


def heights(outcome: checker.Outcome) -> list[float]:
    return [max(bar.get_width(), bar.get_height()) for bar in axes(outcome).patches]


BARS = ["sales by region", "average sales by region as a bar chart", "share of orders by region as a bar chart",
        "90th percentile of sales by region", "percentage of orders over 200 sales by region"]


@pytest.mark.parametrize("first", BARS)
@pytest.mark.parametrize("then", ["horizontal", "make it horizontal", "as horizontal bars please"])
def test_bars_lie_down_and_are_the_same(first: str, then: str) -> None:
    _, before = talk(first)
    _, after = talk(first, then)
    assert [bar.get_x() for bar in axes(after).patches] == [0] * len(axes(after).patches)
    assert heights(after) == pytest.approx([bar.get_height() for bar in axes(before).patches])
    _, again = talk(first, then, "vertical")
    assert [bar.get_y() for bar in axes(again).patches] == [0] * len(axes(again).patches)


@pytest.mark.parametrize("first", [*BARS, "monthly sales", "running total of sales by month"])
@pytest.mark.parametrize("then, colour", [("in red", "tab:red"), ("make the bars green", "tab:green"),
                                          ("change the color to purple", "tab:purple")])
def test_colours(first: str, then: str, colour: str) -> None:
    if "bars" in then and first not in BARS:
        return
    _, outcome = talk(first, then)
    drawn = axes(outcome).lines[:1] or axes(outcome).patches
    shown = {colours.to_hex(d.get_color() if axes(outcome).lines else d.get_facecolor()) for d in drawn}
    assert shown == {colours.to_hex(colour)}


def test_labels_on_bars_are_the_numbers() -> None:
    _, outcome = talk("sales by sub-category and region", "with labels on the bars")
    texts = [text.get_text() for text in axes(outcome).texts]
    drawn = [f"{bar.get_height():,.0f}" for bars in axes(outcome).containers for bar in bars]
    assert texts == drawn and len(texts) == 16


@pytest.mark.parametrize("first, axis", [("sales by region", "y"), ("running total of sales by month", "y"),
                                         ("histogram of sales", "y"), ("sales vs profit", "y")])
def test_log_scale_and_back(first: str, axis: str) -> None:
    _, outcome = talk(first, "on a log scale")
    assert axes(outcome).get_yscale() == "log"
    _, outcome = talk(first, "on a log scale", "linear scale")
    assert axes(outcome).get_yscale() == "linear"


@pytest.mark.parametrize("first", BARS)
@pytest.mark.parametrize("then", ["sorted by name", "sort alphabetically", "in alphabetical order"])
def test_sorted_by_name(first: str, then: str) -> None:
    _, outcome = talk(first, then)
    ax = axes(outcome)
    along = ax.yaxis if ax.patches[0].get_x() == 0 else ax.xaxis
    assert [tick.get_text() for tick in along.get_ticklabels()] == ["Central", "East", "South", "West"]


@pytest.mark.parametrize("then, order", [
    ("latest first", lambda sums: sums[::-1]), ("highest first", lambda sums: sorted(sums, reverse=True)),
    ("lowest first", sorted)])
def test_a_line_in_another_order_becomes_bars(then: str, order) -> None:
    _, before = talk("monthly sales")
    _, after = talk("monthly sales", then)
    assert heights(after) == pytest.approx(order(list(axes(before).lines[0].get_ydata())))


def test_the_earliest_first_of_a_line_is_how_it_was() -> None:
    answer, _ = talk("monthly sales", "earliest first")
    assert answer["plan"]["mark"] == "line"


def test_the_latest_first_of_no_times_is_refused() -> None:
    answer, _ = talk("sales by region", "latest first")
    assert answer["outcome"] == "refused" and "order of times" in answer["message"]


@pytest.mark.parametrize("first", [*BARS, "histogram of sales", "sales vs profit", "monthly sales"])
@pytest.mark.parametrize("then, title", [
    ("call it Sales of 2024", "Sales of 2024"), ('with the title "A $5 look"', r"A \$5 look"),
    ("change the title to What we sold", "What we sold")])
def test_another_title(first: str, then: str, title: str) -> None:
    answer, outcome = talk(first, then)
    assert axes(outcome).get_title() == title
    assert answer["plan"]["style"]["title"] == title.replace("\\", "")


@pytest.mark.parametrize("first", [*BARS, "running total of sales by month", "sales by region and segment"])
def test_as_a_table_and_back(first: str) -> None:
    _, drawn = talk(first)
    answer, outcome = talk(first, "as a table")
    assert outcome.figure is None and outcome.value is not None and answer["plan"]["intent"] == "table"
    _, back = talk(first, "as a table", "as a line chart" if "month" in first else "as a bar chart")
    assert len(axes(back).patches) == len(axes(drawn).patches) or axes(back).lines


def test_stacked_and_side_by_side() -> None:
    first = "average sales by region and segment as a bar chart"
    _, stacked = talk(first, "stacked")
    _, beside = talk(first, "side by side bars")
    assert any(bar.get_y() > 0 for bar in axes(stacked).patches)
    assert not any(bar.get_y() > 0 for bar in axes(beside).patches)


def test_changes_add_up_and_the_rows_stay() -> None:
    _, outcome = talk("sales by state in the west", "horizontal", "in orange", "sorted by name",
                      "call it West", "only for furniture", "with labels on the bars")
    ax = axes(outcome)
    assert ax.get_title() == "West" and ax.patches[0].get_x() == 0 and len(ax.texts) == len(ax.patches)
    assert colours.to_hex(ax.patches[0].get_facecolor()) == colours.to_hex("tab:orange")
    rows = ORDERS[(ORDERS["Region"] == "West") & (ORDERS["Category"] == "Furniture")]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(
        list(rows.groupby("State")["Sales"].sum()))


@pytest.mark.parametrize("first, then, word", [
    ("sales by region", "stacked", "stacked"),
    ("sales by region", "as a heatmap", "heatmap"),
    ("sales by region and segment", "as a pie chart", "pie"),
    ("sales by region and segment", "in red", "red"),
    ("running total of sales by month", "horizontal", "horizontal"),
    ("how many orders are there?", "horizontal", "horizontal"),
    ("total sales", "in red", "red"),
    ("sales vs profit", "stacked", "stacked"),
    ("sales vs profit", "labels on the bars", "labels"),
    ("histogram of sales", "as a table", "table"),
    ("show me the data", "in red", "red"),
    ("describe the data", "log scale", "log")])
def test_what_cannot_be_carried_out_is_refused_by_name(first: str, then: str, word: str) -> None:
    answer, _ = talk(first, then)
    assert answer["outcome"] == "refused" and answer["code"] == "" and word in answer["message"]


@pytest.mark.parametrize("first, then", [
    ("running total of sales by month", "now the average"),
    ("percentage of orders over 200 sales by region", "only for furniture")])
def test_what_a_change_would_lose_is_refused(first: str, then: str) -> None:
    answer, _ = talk(first, then)
    assert answer["outcome"] == "refused" and "whole question" in answer["message"]


@pytest.mark.parametrize("first, then", [
    ("running total of sales by month", "only for furniture"),
    ("90th percentile of sales by region", "but only for furniture")])
def test_a_condition_is_added_to_what_plans_cannot_carry(first: str, then: str) -> None:
    answer, outcome = talk(first, then)
    assert answer["outcome"] == "answered"
    assert [f["values"] for f in answer["plan"]["filters"]] == [["Furniture"]]
    whole, alone = talk(f"{first} for furniture")
    assert whole["plan"]["amounts"] == answer["plan"]["amounts"]
    assert list(outcome.names["result"]) == list(alone.names["result"])


ALONE = ["average profit by segment", "histogram of discount", "how many orders are there?",
         "which state has the highest sales?", "sales vs profit", "boxplot of sales by region",
         "describe the data", "show me the data", "which columns are there", "missing values",
         "running total of profit by month", "share of orders by ship mode", "missing values by column",
         "top 3 products in each region by sales", "for each region the average discount",
         "in 2015, how many orders were there by state?", "correlation between sales and profit",
         "orders with sales over 500", "number of customers", "profit by category and segment as a stacked bar chart",
         "with sales above 300, what is the mean discount?", "now show the average profit by segment",
         "unique ship modes", "median sales per month as a line chart", "help", "what can you do"]


@pytest.mark.parametrize("before", ["sales by region in 2015 as a pie chart", "running total of sales by month",
                                    "sales vs profit", "total sales"])
@pytest.mark.parametrize("question", ALONE)
def test_a_question_that_stands_alone_is_no_change(before: str, question: str) -> None:
    alone, _ = talk(question)
    after, _ = talk(before, question)
    assert alone["outcome"] == "answered"
    assert (after["code"], after["outcome"]) == (alone["code"], alone["outcome"])


def test_a_colour_that_stands_in_cells_is_a_value() -> None:
    frame = ORDERS.assign(Colour=["red", "blue", "green"] * 500)
    answer, _ = talk("sales by region", "only red", frames={"df": frame})
    assert [f["values"] for f in answer["plan"]["filters"]] == [["red"]]
    answer, outcome = talk("sales by region", "change the color to red", frames={"df": frame})
    assert answer["plan"]["filters"] == []
    assert colours.to_hex(axes(outcome).patches[0].get_facecolor()) == colours.to_hex("tab:red")


@pytest.mark.parametrize("reply", ["south", "South", "the south table", "I mean south", "`south`"])
def test_which_table_takes_its_name_for_an_answer(reply: str) -> None:
    frames = {"north": ORDERS, "south": ORDERS.copy()}
    answer, outcome = talk("running total of profit by month", reply, frames=frames)
    assert answer["plan"]["frame"] == "south" and answer["outcome"] == "answered"
    assert outcome.names["result"].iloc[-1] == pytest.approx(ORDERS["Profit"].sum())
    answer, _ = talk("running total of profit by month", reply, "only for furniture", frames=frames)
    assert answer["plan"]["frame"] == "south" and answer["plan"]["filters"]


def test_a_name_is_no_answer_where_nothing_was_asked() -> None:
    answer, _ = talk("sales by region", "south")
    assert answer["plan"]["filters"] == [] or answer["plan"]["frame"] == "df"


def test_a_table_that_is_gone_is_not_drawn_again() -> None:
    before = bench_client.ask("running total of sales by month", {"old": ORDERS})
    answer = bench_client.ask("in red", {"df": ORDERS}, [before["plan"]])
    assert answer["outcome"] == "refused" and answer["code"] == ""

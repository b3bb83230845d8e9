"""The gate of answers' charts on 200 figures that were written before it, half of them spoiled."""

import sys
from pathlib import Path

import figures_made
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sandbox/worker"))

from cellpod.figures import gate, repair, style  # noqa: E402

SEEDS = range(figures_made.COUNT)


def place(figure) -> None:
    """As drawing does, without the pixels, which nobody looks at here."""
    figure.draw_without_rendering()


def kinds(figure, result) -> set[str]:
    place(figure)
    return {finding.kind for finding in gate.look(figure, result)}


@pytest.mark.parametrize("half", [0, 1], ids=["building", "reporting"])
def test_finds_the_spoiled_figures_and_passes_the_sound_ones(half: int) -> None:
    missed, alarms, spoiled = [], [], 0
    for seed in SEEDS:
        if seed % 2 != half:
            continue
        figure, result, kind = figures_made.make(seed)
        found = kinds(figure, result)
        spoiled += kind != ""
        if kind and kind not in found:
            missed.append((seed, kind, found))
        if not kind and found:
            alarms.append((seed, found))
    assert spoiled == 50
    assert len(missed) <= 0.05 * spoiled, missed
    assert len(alarms) <= 1, alarms


@pytest.mark.parametrize("kind, spoil", [(kind, spoil) for kind, spoil in figures_made.SPOILED
                                         if kind in ("legend", "overlap", "clipped")],
                         ids=lambda each: getattr(each, "__name__", each))
def test_puts_right_what_is_only_in_the_wrong_place(kind: str, spoil) -> None:
    import random

    for seed in range(5):
        figures_made.plt.close("all")
        figure, result = spoil(random.Random(seed))
        place(figure)
        for _ in range(2):
            repair.mend(figure, gate.look(figure, result))
            place(figure)
        assert kind not in kinds(figure, result), seed


def test_repairs_leave_the_data_alone() -> None:
    for seed in SEEDS[::5]:
        figure, result, _ = figures_made.make(seed)

        def data(figure=figure) -> list:
            return [(bar.get_x(), bar.get_y(), bar.get_width(), bar.get_height())
                    for axes in figure.axes for bar in gate.bars(axes)] + [
                line.get_xydata().tolist() for axes in figure.axes for line in axes.lines]

        before = str(data())
        place(figure)
        repair.settle(figure)
        repair.name_lines(figure)
        repair.mend(figure, gate.look(figure, result))
        assert str(data()) == before


def test_a_picture_is_bounded() -> None:
    figure, _ = figures_made.plt.subplots(figsize=(300, 90))
    repair.settle(figure)
    assert list(figure.get_size_inches()) == [12, 12]


def test_years_have_no_separators_and_thousands_have() -> None:
    figure, axes = figures_made.plt.subplots()
    axes.plot([2015, 2019, 2024], [0, 40_000, 80_000])
    figure.canvas.draw()
    repair.settle(figure)
    figure.canvas.draw()
    assert "," not in "".join(label.get_text() for label in axes.get_xticklabels())
    assert "40,000" in [label.get_text() for label in axes.get_yticklabels()]


def test_the_sheet_is_valid_and_leaves_what_the_user_has_set() -> None:
    parameters = figures_made.matplotlib.rcParams
    before = dict(parameters)
    parameters["axes.grid"] = True
    parameters["lines.linewidth"] = 7
    with style.applied():
        assert parameters["lines.linewidth"] == 7
        assert parameters["axes.spines.top"] is False
        assert all(name in parameters for name in style.settings())
        parameters["axes.titlesize"] = 33
    assert parameters["axes.titlesize"] == 33 and parameters["axes.spines.top"] is True
    parameters.update(before)

"""Workers that were forked before everything was loaded: the first kernel of the day."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from driver import PATIENCE, Driver, Stage

CHART = "import matplotlib.pyplot as plt; plt.plot([1, 2]);"
IS_LOADED = "import sys; [name in sys.modules for name in ('pandas', 'matplotlib.pyplot', 'jedi')]"


@pytest.fixture(scope="module")
def bare() -> Iterator[Stage]:
    stage = Stage("bare")
    yield stage
    stage.close()


@pytest.fixture(scope="module")
def early() -> Iterator[Stage]:
    stage = Stage("early")
    yield stage
    stage.close()


@pytest.fixture
def bare_worker(bare: Stage, home: Path, cwd: Path) -> Iterator[Driver]:
    driver = Driver(bare, home, cwd)
    yield driver
    driver.close()


@pytest.fixture
def early_worker(early: Stage, home: Path, cwd: Path) -> Iterator[Driver]:
    driver = Driver(early, home, cwd)
    yield driver
    driver.close()


def await_loading(worker: Driver, library: str = "/pandas/_libs/") -> None:
    """It says nothing of it."""
    deadline = time.monotonic() + PATIENCE
    while library not in Path(f"/proc/{worker.pid}/maps").read_text():
        assert time.monotonic() < deadline, f"{library} is not loaded"
        time.sleep(0.01)


def test_what_is_not_needed_is_not_loaded(bare_worker: Driver):
    assert bare_worker.run(IS_LOADED).result == "[False, False, False]"


def test_a_chart_in_the_first_cell_is_shown_once(bare_worker: Driver):
    for _ in range(2):
        shown = bare_worker.run(CHART).of("display_data")
        assert [sorted(each.content["data"]) for each in shown] == [["image/png", "text/plain"]]
    assert bare_worker.run("plt.get_fignums()").result == "[]"
    backend = bare_worker.run("import matplotlib; matplotlib.get_backend()").result
    assert backend in ("'inline'", "'module://matplotlib_inline.backend_inline'")


def test_the_first_chart_is_drawn_once_and_by_ours(bare_worker: Driver):
    code = (
        "import matplotlib.backends.backend_agg as agg, cellpod.charts\n"
        "drawn = []; draw = agg.FigureCanvasAgg.draw\n"
        "agg.FigureCanvasAgg.draw = lambda self: (drawn.append(1), draw(self))\n" + CHART
    )
    bare_worker.run(code)
    assert bare_worker.run("drawn").result == "[1]"


def test_another_backend_that_was_chosen_first_stays(bare_worker: Driver):
    answer = bare_worker.run("import matplotlib; matplotlib.use('agg')\n" + CHART)
    assert not answer.of("display_data")
    assert bare_worker.run("matplotlib.get_backend()").result == "'agg'"


def test_a_list_of_fonts_is_there(bare_worker: Driver):
    """To look for fonts takes longer than all else before the first chart."""
    code = "import sys; 'matplotlib.font_manager' in sys.modules"
    assert bare_worker.run(code).result == "True"


@pytest.mark.parametrize("first", ["", "1 + 1"])
def test_files_are_described_before_pandas_was_loaded(bare_worker: Driver, cwd: Path, first: str):
    """A question in the first cells of the day: nobody has imported pandas, nor will."""
    bare_worker.run(first)
    assert bare_worker.ask("profile_request", {}).content["frames"] == []
    assert bare_worker.run(IS_LOADED).result == "[False, False, False]"
    (cwd / "sales.csv").write_text("amount\n1\n2\n")
    (cwd / "pandas.py").write_text("open('taken', 'w')")
    [found] = bare_worker.ask("profile_request", {}).content["frames"]
    assert (found["name"], found["kind"], found["rows"]) == ("sales", "file", 2)
    assert not (cwd / "taken").exists()


def test_random_numbers_differ(bare: Stage, home: Path, cwd: Path):
    drivers = [Driver(bare, home, cwd) for _ in range(2)]
    code = "import numpy, random; (numpy.random.random(), random.random())"
    drawn = [driver.run(code).result for driver in drivers]
    for driver in drivers:
        driver.close()
    assert drawn[0] != drawn[1]


def test_the_rest_is_loaded_while_nobody_asks(early_worker: Driver):
    await_loading(early_worker)


def test_a_look_does_not_end_that(early_worker: Driver):
    early_worker.send("comm_info_request", {})
    assert early_worker.receive().type == "comm_info_reply"
    await_loading(early_worker)


def test_files_of_the_notebook_are_not_taken_for_libraries(early_worker_with_files: Driver):
    worker = early_worker_with_files
    await_loading(worker)
    assert worker.run("import os; os.path.exists('taken')").result == "False"
    assert worker.run("import sys; sys.path[0]").result == "''"


@pytest.fixture
def early_worker_with_files(early: Stage, home: Path, cwd: Path) -> Iterator[Driver]:
    for name in ("matplotlib", "pandas", "jedi", "pytz"):
        (cwd / f"{name}.py").write_text("open('taken', 'w')")
    driver = Driver(early, home, cwd)
    yield driver
    driver.close()

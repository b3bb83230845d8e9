"""Libraries that look whether they run in a kernel, and what they do when they find one.

They are not in requirements/cellpod.txt: where one is missing its row is skipped, and run by
`make test-libraries`.
"""

import importlib.util

import pytest
from driver import Driver

PLOTLY = "import plotly.graph_objects as go; go.Figure(go.Scatter(x=[1, 2], y=[3, 1])).show()"
CLICK = "import click; click.secho('red', fg='red')"
NUMBA = """
import glob, os, numba
@numba.njit(cache=True)
def more(x): return x + 1
more(1)
print(more._cache._impl.locator.__class__.__name__, bool(glob.glob(more._cache.cache_path + '/*more*.nbi')))
"""
PROFILED = "def slow(n):\n    total = 0\n    for each in range(n): total += each\n    return total"


@pytest.fixture
def library(request) -> str:
    if not importlib.util.find_spec(request.param):
        pytest.skip(f"{request.param} is not installed: make test-libraries")
    return request.param


def needs(name: str):
    return pytest.mark.parametrize("library", [name], indirect=True)


@needs("plotly")
def test_plotly_does_not_put_itself_into_the_notebook(worker: Driver, library: str):
    answer = worker.run(PLOTLY)
    (shown,) = answer.of("display_data")
    assert "application/vnd.plotly.v1+json" in shown.content["data"]
    assert len(str(shown.content)) < 100_000


@needs("click")
def test_click_keeps_its_colours(worker: Driver, library: str):
    assert "\x1b[31m" in worker.run(CLICK).text()


@needs("numba")
def test_numba_caches_functions_of_cells(worker: Driver, library: str):
    answer = worker.run(NUMBA)
    assert answer.status == "ok", answer.content
    assert answer.text().strip().endswith("IPythonCacheLocator True")


@needs("line_profiler")
def test_line_profiler_finds_the_source_of_cells(worker: Driver, library: str):
    worker.run(PROFILED)
    answer = worker.run("%load_ext line_profiler\n%lprun -f slow slow(1000)")
    assert "for each in range(n): total += each" in str(answer.content["payload"]) + answer.text()

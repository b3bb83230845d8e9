"""The planner's tests import each other by name, and need the bench to be built."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent.parent / "bench"))

import bench_client  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def bench() -> Iterator[None]:
    with bench_client.staying():
        yield

"""A worker for each test, forked from one warmed process, without isolation."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from driver import Driver, Stage


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.close()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    (tmp_path / "notebooks").mkdir()
    return tmp_path / "notebooks"


@pytest.fixture
def new_worker(stage: Stage, home: Path, cwd: Path) -> Iterator[Callable[..., Driver]]:
    drivers: list[Driver] = []

    def make(**env: str) -> Driver:
        drivers.append(Driver(stage, home, cwd, env))
        return drivers[-1]

    yield make
    for driver in drivers:
        driver.close()


@pytest.fixture
def worker(new_worker: Callable[..., Driver]) -> Driver:
    return new_worker()

"""The fixture of these tests: see harness.py for what it opens."""

from pathlib import Path
from typing import Any, Iterator

import pytest

from harness import Bridge, Opener


@pytest.fixture
def bridge(tmp_path: Path) -> Iterator[Opener]:
    opened: list[Bridge] = []

    def start(config: dict[str, Any], *args: str, **options: Any) -> Bridge:
        opened.append(Bridge(tmp_path / f"bridge{len(opened)}", config, *args, **options))
        return opened[-1]

    yield start
    for each in opened:
        each.close()

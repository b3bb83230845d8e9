"""What the Dockerfile copies is there, and .dockerignore lets it through."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIED = [path for line in re.findall(r"^COPY (?!--from)(.+)$", (ROOT / "Dockerfile").read_text(), re.M)
          for path in line.split()[:-1]]
LET_THROUGH = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]


@pytest.mark.parametrize("path", [*COPIED, *LET_THROUGH])
def test_what_is_copied_is_there_and_let_through(path):
    assert (ROOT / path).exists()
    assert path == "." or any(Path(path).is_relative_to(each) for each in LET_THROUGH)

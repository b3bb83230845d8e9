"""A pytest plugin for the peers' tests: leaves out what known.txt says, and says why."""

import fnmatch
import os
from pathlib import Path

import pytest

KNOWN = Path(__file__).with_name("known.txt")


def known(peer: str) -> dict[str, str]:
    """Reasons by pattern."""
    rows = [line.split(maxsplit=2) for line in KNOWN.read_text().splitlines() if line.strip("# ")
            and not line.startswith("#")]
    return {pattern: reason for of, pattern, reason in rows if of == peer}


def pytest_addoption(parser):
    parser.addoption("--cov", help="what ipykernel's tests ask for")


def pytest_collection_modifyitems(session, items):
    used = set()
    rows = known(os.environ["CELLPOD_PEER"])
    for item in items:
        for pattern, reason in rows.items():
            if fnmatch.fnmatch(item.nodeid, pattern):
                item.add_marker(pytest.mark.skip(reason=reason))
                used.add(pattern)
    stale = rows.keys() - used
    if stale and not session.config.option.keyword:
        raise pytest.UsageError("known.txt has rows that are of no test: " + ", ".join(sorted(stale)))

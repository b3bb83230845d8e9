"""What a run leaves out, by name, so that nobody takes a green run for all there is.

Folders, where make's target has not made what they need; and tests marked `at_length(reason)`,
which show at more places, or for more users, what others of the same file have shown already.
With --at-length those run, and nothing else.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

# Folder of tests: the variable that make's target sets, and the target.
FOLDERS = {
    "cluster": ("CELLPOD_CLUSTER", "test-cluster"),
    "image": ("CELLPOD_IMAGES", "test-image"),
    "kills": ("KILL_SEEDS", "kills"),
    "strangers": ("STRANGERS", "test-strangers"),
    "vm": ("VM_SCENARIO", "test-vm"),
}


class LeftOut:
    """A pytest plugin."""

    def __init__(self, config):
        self.at_length = config.getoption("--at-length")
        self.reasons: Counter[str] = Counter()

    @pytest.hookimpl(trylast=True)  # when conftest files have marked theirs
    def pytest_collection_modifyitems(self, config, items):
        kept, gone = [], []
        for item in items:
            mark = item.get_closest_marker("at_length")
            (kept if bool(mark) == self.at_length else gone).append(item)
            if mark and not self.at_length:
                self.reasons[mark.args[0]] += 1
        if gone:
            config.hook.pytest_deselected(items=gone)
            items[:] = kept

    def pytest_terminal_summary(self, terminalreporter, config):
        for folder, target in left_out_folders(config):
            terminalreporter.write_line(f"left out: tests/{folder}: `make {target}` runs it")
        for reason, count in sorted(self.reasons.items()):
            terminalreporter.write_line(
                f"left out: {count} tests: {reason}: `make test-at-length` runs them"
            )


def left_out_folders(config):
    """Those that this run was to have, and the target that runs them."""
    here = config.rootpath / "tests"
    asked = [config.invocation_params.dir / arg for arg in config.args]
    ignored = {config.invocation_params.dir / each for each in config.getoption("ignore") or ()}
    for folder, (variable, target) in FOLDERS.items():
        wanted = any((here / folder).is_relative_to(path) for path in asked)
        if wanted and here / folder not in ignored and variable not in os.environ:
            yield folder, target

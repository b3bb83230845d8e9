"""What code in a cell attempts in tests/security, against the image `sandbox`. A new attempt is made
here too, unless decided.py says why not."""

from pathlib import Path

import pytest

from security import (
    test_execute_api,
    test_files,
    test_files_api,
    test_network,
    test_ordinary_work,
    test_privileges,
    test_processes,
)

from .decided import MODULES, NOT_IN_A_POD, attempts_of, made

pytestmark = pytest.mark.timeout(600)
globals().update(made(test_files, test_network, test_ordinary_work, test_privileges, test_processes))


def test_every_attempt_is_decided():
    modules = (test_execute_api, test_files, test_files_api, test_network, test_ordinary_work,
               test_privileges, test_processes)
    names = {module.__name__.rpartition(".")[2] for module in modules}
    assert not names & set(MODULES)
    assert names | set(MODULES) == {path.stem for path in Path(test_files.__file__).parent.glob("test_*.py")}
    attempts = [name for module in modules for name in attempts_of(module)]
    assert len(set(attempts)) == len(attempts)
    assert {name.partition("[")[0] for name in NOT_IN_A_POD} <= set(attempts)

"""That each "cannot" is seen to be possible elsewhere: the rule itself, and its tables."""

import os
import re
from pathlib import Path

import pytest

from .counterparts import ELSEWHERE, NOWHERE, Ledger, check_test, ledger

HERE = Path(__file__).parent


def names_in(path: Path) -> set[str]:
    return set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))


def test_the_tables_name_tests_that_exist():
    ours = set().union(*map(names_in, HERE.glob("test_*.py")))
    assert {*ELSEWHERE, *NOWHERE} <= ours
    for place in set(ELSEWHERE.values()):
        path, _, name = place.partition("::")
        assert name in names_in(HERE.parent / path), place
        assert name not in ELSEWHERE, f"{place} shows nothing itself"


def test_an_attempt_that_is_stopped_has_to_work_somewhere():
    ledger = Ledger()
    assert ledger.unproven() == "nothing here is seen to work"
    ledger.noted("climb", "STOPPED EPERM")
    ledger.noted("dig", "REACHED")
    assert "climb" in ledger.unproven()
    ledger.noted("climb", "it says much\nREACHED")
    assert not ledger.unproven()


def test_a_proof_that_is_no_attempt_is_said():
    ledger = Ledger()
    with pytest.raises(AssertionError, match="does not work where it may"):
        ledger.works_where_it_may([])
    ledger.works_where_it_may("seen")
    assert not ledger.unproven()


def test_a_test_that_shows_nothing_fails(monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 0)  # whom it is asked of
    ledger.begin()
    check_test("test_can_read")
    check_test(next(iter(NOWHERE)))
    with pytest.raises(AssertionError, match="nothing here is seen to work"):
        check_test("test_cannot_read")

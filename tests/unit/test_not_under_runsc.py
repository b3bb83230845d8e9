"""Each row of security/not_under_runsc.py is of an attempt that there is."""

import re
from pathlib import Path

import pytest
from security import not_under_runsc

MODULES = {path.stem: path.read_text()
           for path in Path(not_under_runsc.__file__).parent.glob("test_*.py")}


def is_an_attempt(name: str, parameter: str) -> bool:
    return name in MODULES or any(
        re.search(rf"^def {name}\(", text, re.M) and parameter in text for text in MODULES.values())


@pytest.mark.parametrize("row", not_under_runsc.ATTEMPTS)
def test_a_row_names_an_attempt(row):
    name, _, parameter = row.removesuffix("]").partition("[")
    assert is_an_attempt(name, parameter)

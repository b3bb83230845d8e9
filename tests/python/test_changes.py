"""Which variables a cell has changed, and which cells only look."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sandbox/worker"))
from cellpod.changes import Changes, is_a_look  # noqa: E402


def changed(before: dict, after: dict, code: str = "") -> list[str]:
    changes = Changes()
    changes.since_last(before, {}, "")
    return changes.since_last(after, {"hidden": 1}, code)


def test_names_that_are_new_gone_or_bound_to_another_object():
    kept, old, new = object(), object(), object()
    assert changed({"kept": kept, "other": old, "gone": old}, {"kept": kept, "other": new, "new": new}) == [
        "gone", "new", "other"]


def test_names_that_are_not_the_users():
    assert changed({}, {"_": object(), "_1": object(), "hidden": object(), 5: object()}) == []


WRITES = {
    "df['x'] = 1": ["df"],
    "df.loc[0, 'x'] += 1": ["df"],
    "del df['x']": ["df"],
    "df.x.y = 2": ["df"],
    "df.append(1)": ["df"],
    "df.sort()['a'].fill(0)": ["df"],
    "for df.x in range(3): pass": ["df"],
    "print(df)": [],
    "other['x'] = 1": [],
    "%magic": [],
    "df" * 20_000: [],
}


@pytest.mark.parametrize("code", WRITES, ids=lambda code: code[:20])
def test_names_whose_object_is_written_into(code):
    frame = object()
    assert changed({"df": frame}, {"df": frame}, code) == WRITES[code]


LOOKS = ["x", "", "df.a.b[1:2]", "x + 1 > 2", "print(x, sep='')", "df.head(3)", "df.groupby('a').b.mean()",
         "[y for y in x]", "f'{x}'", "# nothing", "len(x); type(x)"]  # fmt: skip
CHANGES = ["x = 1", "f(x)", "x.append(1)", "(y := 1)", "await x", "import os", "del x", "%undo", "!ls", "def f(): pass",
           "df.head().pop()", "print(x.pop())", "[y.pop() for y in x]", "x" * 20_001, "(" * 10_000]  # fmt: skip


@pytest.mark.parametrize("code", LOOKS)
def test_looks(code):
    assert is_a_look(code)


@pytest.mark.parametrize("code", CHANGES, ids=lambda code: code[:20])
def test_changes(code):
    assert not is_a_look(code)

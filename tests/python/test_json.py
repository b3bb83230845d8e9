"""JSON for every client: what json.dumps alone would get wrong."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "sandbox/worker"))
from cellpod import jsonable  # noqa: E402

TEXTS = [
    "plain", "line\nline\n", 'quote " quote', "back\\slash", "nul \0 bell \a", "tab\t",
    "caf\u00e9 \u20ac \U0001f600", "\ud7ff \ue000 \uffff", "\ud800", "\udfff\ud800", "\x7f\x80",
    "\u2028",
]  # fmt: skip


@pytest.mark.parametrize("filler", ["", "x" * jsonable.BULK, "\u20ac" * jsonable.BULK])
@pytest.mark.parametrize("text", TEXTS)
def test_text_reads_back_the_same_however_long(text, filler):
    encoded = jsonable.dumps_text(filler + text)
    decoded = json.loads(encoded.decode("utf-8"))
    expected = "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) < 0xE000 else c for c in text)
    assert decoded == filler + expected
    assert jsonable.dumps(filler + text) == encoded or json.loads(
        jsonable.dumps(filler + text)
    ) == decoded


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_depth_is_bounded():
    assert jsonable.dumps(nested(jsonable.MAX_DEPTH)).count(b"[") == jsonable.MAX_DEPTH
    with pytest.raises(ValueError, match="levels"):
        jsonable.dumps(nested(jsonable.MAX_DEPTH + 2))
    with pytest.raises(ValueError, match="levels"):
        jsonable.dumps({"nan": float("nan"), "deep": nested(5000)})


@pytest.mark.parametrize("shallow, deep", [
    (nested(jsonable.MAX_DEPTH - 2), nested(jsonable.MAX_DEPTH + 2)),
    ({1: 2}, {"x": {"y": nested(jsonable.MAX_DEPTH)}}),
    ("x" * 5000, (None, 1, "x", {"x": {*"ab"}}, nested(jsonable.MAX_DEPTH + 1))),
])
def test_depth_is_bounded_wherever_it_is(shallow, deep):
    beside = [[]] * jsonable.MAX_DEPTH
    assert jsonable.dumps([beside, shallow])
    with pytest.raises(ValueError, match="levels"):
        jsonable.dumps([beside, deep])


@pytest.mark.parametrize("leaf, is_sent", [(1, True), ("x", True), (None, True), ([], False), ({}, False)])
def test_what_holds_nothing_adds_no_depth(leaf, is_sent):
    value = leaf
    for _ in range(jsonable.MAX_DEPTH + 1):
        value = [value]
    if is_sent:
        jsonable._check_depth(value)
    else:
        with pytest.raises(ValueError, match="levels"):
            jsonable._check_depth(value)


def test_many_brackets_are_no_depth():
    assert jsonable.dumps([[]] * 2000).count(b"[") == 2001
    assert jsonable.dumps({"text": "[" * 5000})


@pytest.mark.parametrize("value", [object(), {1: object()}, [lambda: 0]])
def test_what_has_no_json_is_refused(value):
    with pytest.raises(TypeError, match="cannot be sent"):
        jsonable.dumps(value)

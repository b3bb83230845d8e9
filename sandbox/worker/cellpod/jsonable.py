"""JSON that every client can read: no NaN, no lone surrogate, bounded depth.

What is not JSON is sent as jupyter_client sends it: NaN and infinities as strings, bytes as
base64, sets and tuples as arrays, dates in ISO format.
"""

import codecs
import json
import math
import numbers
from binascii import b2a_base64
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

try:
    import numpy
except ImportError:
    numpy = None

MAX_DEPTH = 500  # common/limits.h LIMIT_JSON_DEPTH, less what we wrap around it

_TOO_DEEP = f"more than {MAX_DEPTH} levels of nesting cannot be sent"
BULK = 16 << 10  # characters

_SURROGATES = "cellpod.surrogates"


def _escape_surrogates(error: UnicodeError) -> tuple[str, int]:
    """Lone surrogates only stand inside JSON strings, where a doubled backslash is one."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    bad = error.object[error.start : error.end]
    return "".join(f"\\\\u{ord(char):04x}" for char in bad), error.end


codecs.register_error(_SURROGATES, _escape_surrogates)


def _default(value: Any) -> Any:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return b2a_base64(value, newline=False).decode("ascii")
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be sent to a notebook: {value!r:.200}")


_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_default
).encode


def clean(value: Any, depth: int = 0) -> Any:
    """A copy that JSON can express; ValueError where there is none."""
    if value is None or value is True or value is False or isinstance(value, (str, int)):
        return value
    if depth > MAX_DEPTH:
        raise ValueError(_TOO_DEEP)
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(float(value))
    if isinstance(value, Mapping):
        return {str(key): clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [clean(item, depth + 1) for item in value]
    return clean(_default(value), depth + 1)


def dumps(value: Any) -> bytes:
    """TypeError or ValueError for what cannot be sent."""
    try:
        text = _encode_cleaned(value)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    return text.encode("utf-8", _SURROGATES)


def _encode_cleaned(value: Any) -> str:
    try:
        text = _encode(value)
    except (ValueError, TypeError, RecursionError):
        return _encode(clean(value))
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value)
    return text


def _check_depth(value: Any) -> None:
    """ValueError for what is too deep. Level by level: millions of small lists, as maps and
    charts have them, take a thirtieth of what it takes to copy them."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for each in level:
            kind = type(each)
            if kind is list or kind is tuple:
                below += each
            elif kind is dict:
                below += each.values()
            elif each is not None and not isinstance(each, (str, int, float)):
                plain = _default(each)
                if isinstance(plain, (list, dict)):
                    below += plain.values() if isinstance(plain, dict) else plain
        if not below:
            return
        level = below
    if any(each is not None and not isinstance(each, (str, int)) for each in level):  # as clean()
        raise ValueError(_TOO_DEEP)


def dumps_text(text: str) -> bytes:
    """A JSON string; for bulk text."""
    return (
        _quote_plain(text)
        if len(text) >= BULK and numpy
        else json.encoder.encode_basestring(text).encode("utf-8", _SURROGATES)
    )


def _quote_plain(text: str) -> bytes:
    """Several times faster, where nothing but line ends needs an escape."""
    data = text.encode("utf-8", "surrogatepass")
    codes = numpy.frombuffer(data, numpy.uint8)
    controls = numpy.count_nonzero(codes < 32)
    newlines = numpy.count_nonzero(codes == 10)
    surrogates = not text.isascii() and numpy.any(codes == 0xED)  # where they would begin
    if controls != newlines or surrogates or b'"' in data or b"\\" in data:
        return json.encoder.encode_basestring(text).encode("utf-8", _SURROGATES)
    return b'"%s"' % (data.replace(b"\n", b"\\n") if newlines else data)

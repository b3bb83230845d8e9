"""Does a frame still hold what it held? Told by a checksum, without a copy where possible.

Of numbers, dates and the like every byte counts. Of Python objects (mostly texts) each counts
while there are not too many; of more, which objects they are, and what some rows hold: a change
that puts another text at the very address of an old one may then go unseen. Frames beyond
MAX_BYTES are told by some of their rows alone.
"""

import zlib
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

MAX_BYTES = 256 << 20  # some 0.2 s
MAX_OBJECTS = 200_000  # whose content is looked at
SOME_ROWS = 64

_PLAIN = {
    str,
    bytes,
    int,
    float,
    complex,
    bool,
    type(None),
    date,
    datetime,
    time,
    timedelta,
    Decimal,
}

Print = tuple[Any, ...]


def look(frame: Any) -> Print | None:
    """Equal for frames that hold the same. None where that cannot be told: a cell is a list,
    say, or the type of a column is somebody's own."""
    try:
        shape = frame.shape, tuple(map(str, frame.dtypes)), tuple(map(repr, frame.columns))
        if frame.memory_usage(index=False, deep=False).sum() > MAX_BYTES:
            return *shape, _some_rows(frame)
        columns = [frame.iloc[:, at].array for at in range(frame.shape[1])]
        has_few = sum(len(column) for column in columns if column.dtype == object) <= MAX_OBJECTS
        some = () if has_few else _some_rows(frame)
        return *shape, some, tuple(_print(column, has_few) for column in columns)
    except Exception:
        return None


def _some_rows(frame: Any) -> Print:
    import pandas as pd

    step = max(1, len(frame) // SOME_ROWS)
    return tuple(pd.util.hash_pandas_object(frame.iloc[::step], index=False))


def _print(column: Any, has_few: bool) -> Print:
    """Of an array of pandas' own."""
    import numpy as np
    import pandas as pd

    if isinstance(column, pd.Categorical):
        return _sum(column.codes), *_print(column.categories.array, has_few)
    if isinstance(column, pd.arrays.ArrowExtensionArray):
        chunks = column.__arrow_array__().chunks
        places = tuple((chunk.offset, len(chunk)) for chunk in chunks)
        buffers = [each for chunk in chunks for each in chunk.buffers() if each is not None]
        return *places, *map(zlib.crc32, buffers)
    if isinstance(
        column, (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
    ):
        return _sum(column._data), _sum(column._mask)
    values = getattr(column, "_ndarray", None)
    if type(values) is not np.ndarray:
        raise TypeError("an array that is not pandas' own")
    if values.dtype == object and has_few:
        return (_hash(values.tolist()),)
    return (_sum(values),)


def _hash(objects: list[Any]) -> int:
    """No __hash__ of the user's is called, and nothing that can change is taken for the same."""
    if not _PLAIN.issuperset(map(type, objects)):
        raise TypeError("objects of other types")
    return hash(tuple(objects))


def _sum(values: Any) -> int:
    import numpy as np

    if values.dtype == object:  # the addresses
        return zlib.crc32(values.tobytes())
    return zlib.crc32(np.ascontiguousarray(values).view(np.uint8))

"""What stands alone: scalars, tables of one row, and what is printed."""

import re

from cells import NUMBER, as_number, is_number, when
from answer_tables import series_tables


def printed_values(printed: str) -> list:
    """What the sentences say: the number (or word) behind the colon, one a line."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    if len(lines) > 4:
        return []
    return [value for line in lines for value in line_value(line)]


def line_value(line: str) -> list:
    rest = re.split(r":\s+|\s=\s", line)[-1]
    found = NUMBER.findall(rest)
    if not found or re.match(r"\s*[A-Za-z]", rest) or len(found) > 3 or when(rest) is not None:
        head = re.split(r"\s+\(", rest)[0]
        return [head]
    number = as_number(found[0])
    return [number]


def printed_table(printed: str) -> list[dict]:
    """Lines of the form `key: value`."""
    found = [re.fullmatch(r"\s*(.+?):\s+(.+?)\s*", line) for line in printed.splitlines()]
    pairs = [(m[1], line_value(m[0])[0]) for m in found if m]
    return [series_tables([("", *map(list, zip(*pairs)))])] if len(pairs) > 1 else []


def single_values(shown: list, printed: str) -> list:
    """What stands alone: scalars, tables of one cell, what is printed."""
    found = printed_values(printed)
    for item in shown:
        if item["kind"] == "scalar":
            value = item["value"]
            found += line_value(value) if isinstance(value, str) and ": " in value else [value]
        if item["kind"] == "list" and len(item["values"]) == 1:
            found += item["values"]
        if item["kind"] == "table" and item["rows"] == 1 and len(item["columns"]) <= 3:
            numbers = [c["values"][0] for c in item["columns"]]
            found += numbers if len([n for n in numbers if is_number(n)]) <= 1 else []
            if not item["plain_index"]:
                found += [level["values"][0] for level in item["index"]] if all(
                    isinstance(level["values"][0], (str, list)) for level in item["index"]) else []
    return found



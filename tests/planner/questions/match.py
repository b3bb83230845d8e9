"""Is what was shown the accepted answer? Both sides as plain data; nothing here runs a plan."""

import itertools
import re

import pandas as pd

from capture import cell_value
from cells import NUMBER, Level, as_number, is_number, value_matches
from drawings import box_matches, hist_matches, pairs_match
from printed import printed_table, single_values
from spec import Box, Hist, Keys, Pairs, Top, Values
from answer_tables import (Mapping, all_tables, clean, columns_of, figures, kept, mapping,
                           pie_matches, readings, same_mapping, table_matches)


def matches(wanted, shown: list, printed: str, order: bool = False, share: bool = False) -> bool:
    shown = [item for item in shown if item["kind"] != "other"]
    for kind, match in KINDS:
        if isinstance(wanted, kind):
            return match(wanted, shown, printed, order, share)
    return scalar_matches(wanted, shown, printed, share)


def scalar_matches(wanted, shown, printed, share) -> bool:
    value = cell_value(wanted)
    return any(value_matches(got, value, share) for got in single_values(shown, printed))


def series_matches(wanted, shown, printed, order, share) -> bool:
    pairs = mapping(wanted)
    tables = all_tables(shown) + printed_table(printed)
    return any(table_matches(pairs, table, order, share) for table in tables) or (
        pie_matches(pairs, shown))


def frame_matches(wanted, shown, printed, order, share) -> bool:
    """As keys down and across, or as several measures of the same keys."""
    tables = all_tables(shown)
    if series_matches(stacked(wanted), shown, printed, False, share):
        return True
    return any(all(table_matches(column, table, order, share) for column in columns_in(wanted))
               for table in tables)


@kept
def columns_in(frame: pd.DataFrame) -> list[Mapping]:
    return [mapping(frame.iloc[:, i]) for i in range(frame.shape[1])]


@kept
def stacked(frame: pd.DataFrame) -> pd.Series:
    index = pd.MultiIndex.from_tuples([(*(key if isinstance(key, tuple) else (key,)), column)
                                       for key in frame.index for column in frame.columns])
    return pd.Series(frame.to_numpy(dtype=object).ravel(), index=index, dtype=object)


@kept
def best(wanted: Top) -> tuple[pd.Series, list[Mapping], Mapping]:
    """Those on the border, what may be picked of them, and all."""
    series = wanted.series.sort_values(ascending=wanted.ascending, kind="stable")
    n = min(wanted.n, len(series))
    border = series.iloc[n - 1]
    sure = series[series < border] if wanted.ascending else series[series > border]
    equals = series[series == border]
    rest = list(itertools.islice(itertools.combinations(range(len(equals)), n - len(sure)), 50))
    picks = [pd.concat([sure, equals.iloc[list(pick)]]) for pick in rest] + [
        pd.concat([sure, equals])]
    return equals, [mapping(pick) for pick in picks], mapping(series)


def top_matches(wanted: Top, shown, printed, order, share) -> bool:
    equals, picks, everything = best(wanted)
    if wanted.n == 1 and key_alone(equals.index, wanted.series, shown, printed):
        return True
    tables = all_tables(shown) + printed_table(printed)
    return any(best_first(pick, table, share) for table in tables for pick in picks) or (
        wanted.n == 1 and any(best_first(everything, table, True)
                              for table in tables))  # who it is, of a rate in percent, too


def best_first(wanted: Mapping, table: dict, share: bool) -> bool:
    """The right mapping, with the best at the beginning (or the end, as bars lie)."""
    if not table_matches(wanted, table, False, share):
        return False
    for reading in readings(table, wanted.levels):
        got = clean(reading)
        if got and same_mapping(wanted.meant, got, share):
            drawn = [wanted.meant[key] for key in got if key in wanted.meant]
            if drawn in (sorted(drawn), sorted(drawn, reverse=True)):
                return True
    return False


def key_alone(best, series, shown, printed) -> bool:
    """One of the best keys is all that is said."""
    said = single_values(shown, printed)
    if not said or series.index.nlevels > 1:
        return False
    level = keys_of(series)
    meant = {level.read(cell_value(key)) for key in best}
    return any(level.read(got) in meant or level.read(before(got)) in meant for got in said)


@kept
def keys_of(series: pd.Series) -> Level:
    return Level([cell_value(key) for key in series.index])


def before(got):
    """`north`, of `north, 12.5` and `north with 12.5`."""
    return re.split(r",| with | at | \(| - ", got)[0] if isinstance(got, str) else got


@kept
def names(wanted: Keys) -> tuple[list, Level]:
    keys = [cell_value(key) for key in wanted.keys]
    return keys, Level(keys)


def keys_match(wanted: Keys, shown, printed, order, share) -> bool:
    keys, level = names(wanted)
    meant = {level.read(key) for key in keys}
    lists = [item["values"] for item in shown if item["kind"] == "list"]
    lists += [cells for table in all_tables(shown) for _, cells in columns_of(table)]
    if printed and len(printed) < 2000:
        lists += [re.split(r"[,\n]\s*", re.split(r":\s", printed.strip(), maxsplit=1)[-1])]
    return any(len(cells) == len(keys) and {level.read(cell) for cell in cells} == meant
               for cells in lists)


def values_match(wanted: Values, shown, printed, order, share) -> bool:
    numbers = [cell_value(number) for number in wanted.numbers]
    candidates = [[value for c in t["columns"] for value in c["values"]] for t in all_tables(shown)]
    singles = single_values(shown, printed)
    text = [as_number(n) for n in NUMBER.findall(printed)] if printed.count("\n") < 5 else []
    for got in [*candidates, singles, text]:
        usable = [value for value in got if is_number(value) or isinstance(value, list)]
        if len(usable) <= 3 * len(numbers) + 2 and in_turn(numbers, usable, share):
            return True
    return False


def in_turn(numbers: list, got: list, share: bool) -> bool:
    """All of them, each after the one before."""
    rest = iter(got)
    return all(any(value_matches(value, number, share) for value in rest) for number in numbers)


KINDS = [(Top, top_matches), (Hist, hist_matches), (Pairs, pairs_match), (Box, box_matches),
         (Values, values_match), (Keys, keys_match), (pd.DataFrame, frame_matches),
         (pd.Series, series_matches)]

DRAWN = {"bar": lambda a: a["bars"], "line": lambda a: a["lines"], "pie": lambda a: a["wedges"],
         "hist": lambda a: a["bars"], "scatter": lambda a: a["scatters"] or any(
             line["dots"] for line in a["lines"]),
         "box": lambda a: a["boxes"], "heat": lambda a: a["grids"],
         "any": lambda a: any(a[k] for k in ("bars", "lines", "wedges", "scatters", "boxes",
                                             "grids"))}


def has_chart(kind: str, shown: list) -> bool:
    return not kind or any(DRAWN[kind](axes) for item in figures(shown) for axes in item["axes"])

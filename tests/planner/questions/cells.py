"""Reading single cells: numbers, dates, and keys the way the wanted ones are meant."""

import math
import re

import pandas as pd

DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september",
          "october", "november", "december"]
TIMES = (1, 60, 3600, 86400, 7 * 86400)
NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
PERIODS = (("Q-DEC", re.compile(r"\d{4}[- ]?q[1-4]")), ("M", re.compile(r"\d{4}-\d\d")),
           ("D", re.compile(r"\d{4}-\d\d-\d\d")))
MOST_TEXTS = 1000
NOTHING = ("nan", "none", "<na>", "nat", "missing", "(missing)", "unknown")


# --- values ---------------------------------------------------------------------------------------


def is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def decimals(value: float) -> int:
    text = repr(float(value))
    return 0 if "e" in text or text.endswith(".0") else len(text.split(".")[1])


def near(got: float, wanted: float) -> bool:
    """Equal, or rounded for display: two groups' means may be alike to a thousandth."""
    if math.isclose(got, wanted, rel_tol=1e-6, abs_tol=1e-9):
        return True
    places = decimals(got)
    if places > 6 or abs(got - wanted) > 0.5 * 10.0 ** -places + 1e-9:
        return False
    return places >= 2 or abs(got - wanted) <= (0.006, 0.02)[places] * abs(wanted)


def number_matches(got, wanted: float, share: bool = False) -> bool:
    if isinstance(got, list) and got and got[0] == "d":
        return any(near(got[1] / unit, wanted) for unit in TIMES)
    if isinstance(got, str):
        got = number_of(got)
    if not is_number(got):
        return False
    return near(got, wanted) or share and near(got, wanted * 100)


def number_of(text: str):
    found = NUMBER.findall(text)
    whole = re.fullmatch(r"\s*[^\w\-−.]*\s*(%s)\s*(%%|[^\d\s]{0,4}|days?|hours?|minutes?)\s*"
                         % NUMBER.pattern, text)
    return as_number(found[0]) if whole and len(found) == 1 else None


def as_number(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def when(value):
    """A timestamp from an encoded date, period or text of a date; else None."""
    if isinstance(value, list) and value and value[0] in "tp":
        return pd.Timestamp(value[1])
    if isinstance(value, str) and re.match(r"\s*(\d{4}[-/Q ]|[A-Za-z]{3,9}\.? '?\d{2,4}|\d\d?[ -][A-Z]|"
                                           r"\d{4}$|Q\d[ -]\d{4}|\d\d?/\d\d?/\d)", value):
        text = re.sub(r"^(Q\d)[ -](\d{4})$", r"\2\1", value.strip())
        try:
            return pd.Period(text.split("/")[0] if re.match(r"\d{4}-\d\d-\d\d/", text)
                             else text).start_time
        except (ValueError, TypeError):
            return None
    return None


def value_matches(got, wanted, share: bool = False) -> bool:
    if is_number(wanted):
        return number_matches(got, wanted, share)
    if isinstance(wanted, list) and wanted[0] == "d":
        return isinstance(got, list) and got[0] == "d" and near(got[1], wanted[1]) or (
            is_number(got) and any(near(got * unit, wanted[1]) for unit in TIMES))
    return got is not None and Level([wanted]).read(got) == Level([wanted]).read(wanted)


# --- keys -----------------------------------------------------------------------------------------


def words(value) -> str:
    return " ".join(str(value).replace("_", " ").split())


def period_of_texts(texts: list[str]) -> str | None:
    """The grain of keys that are periods written as text (2024-01, 2024Q1), as astype(str) gives."""
    return next((freq for freq, form in PERIODS if texts and all(map(form.fullmatch, texts))), None)


class Level:
    """Reads cells of one level of keys the way the wanted ones are meant."""

    def __init__(self, wanted: list):
        self.wanted = [w for w in wanted if w is not None]
        texts = [words(w).casefold() for w in self.wanted]
        self.folds = len(set(texts)) == len({words(w) for w in self.wanted})
        self.texts = texts
        self.freq = next((w[2] for w in self.wanted if isinstance(w, list) and w[0] == "p"),
                         period_of_texts(texts))
        self._read = getattr(self, "_" + self._kind(texts))
        self._texts: dict[str, object] = {}
        self.meant = {self.read(w) for w in self.wanted}

    def _kind(self, texts) -> str:
        first = self.wanted[0] if self.wanted else ""
        if all(isinstance(w, bool) for w in self.wanted):
            return "flag"
        if isinstance(first, list):
            return {"p": "period", "t": "time", "i": "interval", "d": "number"}.get(first[0], "text")
        if self.freq:
            return "period"
        if all(text in DAYS for text in texts):
            return "day"
        if all(text in MONTHS for text in texts):
            return "month"
        if all(re.fullmatch(r"q[1-4]", text) for text in texts):
            return "quarter"
        if all(is_number(w) for w in self.wanted):
            years = all(w == int(w) and 1900 < w < 2100 for w in self.wanted)
            return "year" if years else "number"
        return "text"

    def read(self, cell):
        """What cell means, or None."""
        if type(cell) is not str:
            return None if cell is None else self._read(cell)
        if cell not in self._texts:  # names come again in each answer
            if len(self._texts) == MOST_TEXTS:
                self._texts.clear()
            self._texts[cell] = self._read(cell)
        return self._texts[cell]

    def _flag(self, cell):
        text = words(cell).casefold()
        if text in ("true", "yes", "y", "1", "1.0", "weekend"):
            return True
        if text in ("false", "no", "n", "0", "0.0", "weekday", "weekdays") or text.startswith(("not ", "other")):
            return False
        return None

    def _period(self, cell):
        if isinstance(cell, int) and self.freq.startswith(("Y", "A")):
            return str(pd.Period(str(cell), "Y-DEC"))
        if isinstance(cell, list) and cell[0] == "l":
            parts = [int(p) for p in cell[1:] if is_number(p)]
            if len(parts) != 2 or self.freq[0] not in "MQ":
                return None
            cell = f"{parts[0]}Q{parts[1]}" if self.freq[0] == "Q" else f"{parts[0]}-{parts[1]:02}"
        if isinstance(cell, str):
            cell = re.sub(r"^(\d{4})[- ]Q([1-4])$", r"\1Q\2", cell.strip(), flags=re.I)
        time = when(cell)
        return None if time is None else str(pd.Period(time, self.freq))

    def _time(self, cell):
        time = when(cell)
        return None if time is None else str(time.round("s"))

    def _day(self, cell):
        return named(cell, DAYS, 0)

    def _month(self, cell):
        return named(cell, MONTHS, 1)

    def _quarter(self, cell):
        text = words(cell).casefold().removesuffix(".0").removeprefix("q")
        return text if text in ("1", "2", "3", "4") else None

    def _year(self, cell):
        if is_number(cell):
            return int(cell)
        time = when(cell)
        return None if time is None else time.year

    def _interval(self, cell):
        if isinstance(cell, list) and cell[0] == "i":
            return None if cell[1] is None else float(cell[1])
        found = NUMBER.findall(words(cell).replace("–", " ").replace("-", " "))
        return as_number(found[0]) if found else None

    def _number(self, cell):
        if isinstance(cell, list) and cell[0] == "d":
            return cell[1]
        try:
            return round(float(re.sub(r":00$", "", cell) if isinstance(cell, str) else cell), 6)
        except (TypeError, ValueError):
            return None

    def _text(self, cell):
        if isinstance(cell, list) and cell[0] in "tpi":
            return None
        text = re.sub(r"\.0$", "", words(cell))
        if text.casefold() in NOTHING and text.casefold() not in self.texts:
            return None
        return text.casefold() if self.folds else text


def named(cell, names: list[str], first: int):
    if is_number(cell):
        if cell != int(cell):
            return None
        place = int(cell) - first
        return names[place] if 0 <= place < len(names) else None
    text = words(cell).casefold()
    return next((name for name in names if len(text) >= 3 and name.startswith(text)), None)

"""Which of the known names was meant."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

MOST = 3
MAX_KNOWN = 5000
CLEAR = 0.75
NEAR = 0.55
AHEAD = 0.08  # of the second


def nearest(name: str, known: Iterable[str]) -> tuple[list[str], bool]:
    """The nearest, the best first, and whether it is clear that the first was meant."""
    plain = _plain(name)
    some = list(dict.fromkeys(known))[:MAX_KNOWN]
    same = [each for each in some if _plain(each) == plain and plain]
    if len(same) == 1:
        return same, True
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(plain)
    scored = []
    for each in some:
        matcher.set_seq1(_plain(each))
        if matcher.real_quick_ratio() >= NEAR and matcher.ratio() >= NEAR:
            scored.append((matcher.ratio(), each))
    scored.sort(key=lambda pair: -pair[0])
    return [each for _, each in scored[:MOST]], _is_clear(plain, scored)


def _is_clear(plain: str, scored: list[tuple[float, str]]) -> bool:
    if not scored or len(plain) < 3 or scored[0][0] < CLEAR:
        return False
    if len(scored) > 1 and scored[0][0] - scored[1][0] < AHEAD:
        return False
    # sales_2023 is not sales_2024 misspelt
    return _digits(plain) == _digits(scored[0][1])


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _digits(name: str) -> list[str]:
    return re.findall(r"\d+", name)

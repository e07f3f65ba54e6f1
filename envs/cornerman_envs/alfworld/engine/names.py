"""The names that players see, made from object ids (`apple_bar__minus_01_dot_32…` → `apple 2`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_ESCAPES = (("_minus_", "-"), ("_plus_", "+"), ("_dot_", "."), ("_comma_", ","))


def demangle(ids: Iterable[str]) -> dict[str, str]:
    """Names as ALFWorld's demangler gives them.

    Ids of one class, in sorted order, get the numbers n, n-1, …, 1. An id that speaks of a basin anywhere adds the
    word to its class (a sink's basin is a `sinkbasin`). An id without coordinates keeps its text and gains a blank.
    """
    ordered = sorted(ids)
    classes = {i: _class(i) for i in ordered}
    left = Counter(name for name in classes.values() if name)
    names: dict[str, str] = {}
    for i in ordered:
        name = classes[i]
        if name is None:
            names[i] = _plain(i) + " "
        else:
            names[i] = f"{name} {left[name]}"
            left[name] -= 1
    return names


def _class(identifier: str) -> str | None:
    name, bar, _ = identifier.partition("_bar_")
    if not bar:
        return None
    return name + "basin" if "basin" in identifier else name


def _plain(text: str) -> str:
    for escape, char in _ESCAPES:
        text = text.replace(escape, char)
    return text

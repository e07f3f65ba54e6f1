"""Cells: numbers and names as tables show them. All text in, no markup: what a cell holds is shown as it is."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

MINUS, NONE = "−", "—"
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories that draw nothing and may do something: control, format, surrogate and line separators."""


@dataclass(frozen=True)
class Cell:
    """A text and the style it has on a terminal."""

    text: str
    style: str = ""


def clean(text: str) -> str:
    """A text on one line, what is invisible in it written as an escape, so that no name can move the cursor."""
    return "".join(c.encode("unicode_escape").decode() if unicodedata.category(c) in HIDDEN else c for c in text)


def width_of(text: str) -> int:
    """Width of a text in terminal cells: two for East Asian wide characters."""
    from rich.cells import cell_len

    return cell_len(text)


def shorten(text: str, width: int) -> str:
    """A text in at most `width` cells, its middle left out: names that share a beginning differ at the end."""
    if width_of(text) <= width:
        return text
    head = beginning(text, width // 2)
    tail = beginning(text[::-1], width - 1 - width_of(head))[::-1]
    return f"{head}…{tail}"


def beginning(text: str, width: int) -> str:
    """As much of a text as `width` cells hold."""
    end = 0
    while end < len(text) and width_of(text[: end + 1]) <= width:
        end += 1
    return text[:end]


def signed(number: float, digits: int) -> str:
    """A number with its sign; what rounds to zero has none."""
    text = f"{abs(number):.{digits}f}"
    if float(text) == 0:
        return text
    return ("+" if number > 0 else MINUS) + text


def percent(share: float) -> str:
    """A share as a percentage to one decimal, without the sign."""
    return f"{100 * share:.1f}"


def points(difference: float) -> str:
    """A difference of shares in percentage points."""
    return signed(100 * difference, 1)


def percent_interval(ci: tuple[float, float]) -> str:
    """An interval of a share, in whole percent."""
    return f"[{100 * ci[0]:.0f}, {100 * ci[1]:.0f}]"


def points_interval(ci: tuple[float, float]) -> str:
    """An interval of a difference, in whole percentage points."""
    return f"[{signed(100 * ci[0], 0)}, {signed(100 * ci[1], 0)}]"


def p_value(p: float) -> str:
    """A p-value to three decimals, or that it is below them."""
    return "<.001" if p < 0.0005 else f"{p:.3f}".removeprefix("0")


def per_episode(number: float) -> str:
    """A mean to two digits or more: 0, 6.5, 120, 1.2k, 34k, 1.2M."""
    if number == 0:
        return "0"
    if number < 99.95:
        return f"{number:.1f}"
    if number < 999.5:
        return f"{number:.0f}"
    scaled, unit = number / 1e3, "k"
    if scaled >= 999.5:
        scaled, unit = number / 1e6, "M"
    return f"{scaled:.{1 if scaled < 9.95 else 0}f}{unit}"


def seconds(number: float) -> str:
    """Seconds to two digits: 0.034, 0.34, 3.4, 34."""
    if number < 0.0005:
        return "<.001"
    digits = next((d for d, limit in ((3, 0.0995), (2, 0.995), (1, 9.95)) if number < limit), 0)
    return f"{number:.{digits}f}"


def money(number: float) -> str:
    """Dollars to two significant digits: 12, 0.34, 0.0012."""
    return "0" if number == 0 else f"{number:.2g}" if number >= 1e-4 else "<.0001"


def counted(number: int, word: str, plural: str = "") -> str:
    """A number with its noun: 1 task, 2 tasks."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"

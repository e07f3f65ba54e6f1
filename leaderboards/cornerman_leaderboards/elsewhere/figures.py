"""One published figure: what was measured, by whom, and how sure it is said to be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import msgspec

from cornerman.errors import UsageError
from cornerman.stats.intervals import wilson_interval

FILE = "imported.json"
Format = Literal["tau2", "balrog", "lm-eval", "inspect"]


class Figure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure as published. Nothing here was played or checked; `mark` is what tables and pages mark it by.

    label: who played. part: the domain, environment or task of the file. value and ci are in [0,1]; ci is None where
    the file tells neither a standard error nor a number. n: episodes or samples. sha256: of the file.
    """

    schema: int = 1
    format: Format
    suite: str
    label: str
    part: str
    metric: str
    value: float
    ci: tuple[float, float] | None = None
    n: int | None = None
    sha256: str = ""
    mark: Literal["imported"] = "imported"


def interval(value: float, error: float | None, n: int | None) -> tuple[float, float] | None:
    """95 % interval of a mean in [0,1]: by its standard error where there is one, else Wilson's by its number."""
    if error is not None and error > 0:
        return max(0.0, value - 1.96 * error), min(1.0, value + 1.96 * error)
    if n:
        low, high = wilson_interval(value * n, n)
        return low, high
    return None


def checked(figure: Figure, where: str) -> Figure:
    """The same figure. Raises `UsageError` for one that is no share."""
    numbers = (figure.value, *(figure.ci or ()))
    if not all(math.isfinite(x) and 0 <= x <= 1 for x in numbers) or (figure.n is not None and figure.n < 0):
        raise UsageError(f"{where}: {figure.metric} of {figure.part} is {figure.value}, which is no share")
    return figure


def read_figure(folder: Path) -> Figure | None:
    """The figure in a folder; None where there is none. Raises `UsageError` for a file that holds no figure."""
    path = folder / FILE
    if path.is_symlink() or not path.is_file():
        return None
    try:
        return checked(msgspec.json.decode(path.read_bytes(), type=Figure), str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} is no imported figure: {error}") from error

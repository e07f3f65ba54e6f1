"""Shipped experiments: TOML files beside this module and, one a method of the library, in `methods/`.

A file's first line is a comment that says what it is; `cornerman list experiments` shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parent

METHODS = "methods"
"""The folder of experiments that compare one method of the library with its actor alone."""


def text(name: str) -> str:
    """The experiment file of that name, below this folder."""
    return (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def shipped(name: str) -> Callable[[], str]:
    """What the catalogue holds for an experiment: a function that reads its file."""
    return lambda: text(name)


def quickstart() -> str:
    """The experiment `quickstart`, on the suite that also has TextWorld games where textworld is installed.

    Boards are keyed by the suite's digest, so that runs with and without these games never mix.
    """
    plain = text("quickstart")
    if find_spec("textworld") is None:
        return plain
    return plain.replace('suite = "quickstart"', 'suite = "quickstart-textworld"', 1)


def methods() -> list[tuple[str, str]]:
    """Name and first line of every experiment of the method library."""
    files = sorted((FOLDER / METHODS).glob("*.toml"))
    return [(f.stem, first_line(f.read_text(encoding="utf-8"))) for f in files]


def first_line(toml: str) -> str:
    """What the comment on an experiment file's first line says."""
    return toml.partition("\n")[0].removeprefix("#").strip()

"""Shipped recipes: TOML files beside this module, each registered by its name.

A file's first line is a comment that says what it is; `cornerman list recipes` shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parent


def shipped(name: str) -> Callable[[], str]:
    """What the catalogue holds for a recipe: a function that reads its file."""
    return lambda: (FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def recipes() -> list[tuple[str, str]]:
    """Name and first line of every recipe."""
    files = sorted(FOLDER.glob("*.toml"))
    return [(f.stem, f.read_text(encoding="utf-8").partition("\n")[0].removeprefix("#").strip()) for f in files]

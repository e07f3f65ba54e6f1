"""Shipped experiments: TOML files beside this module, by name."""

from __future__ import annotations

import importlib.resources


def text(name: str) -> str:
    """The experiment file of that name."""
    return importlib.resources.files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")


def quickstart() -> str:
    """Twelve games, seven methods, one small model."""
    return text("quickstart")


def advice_study() -> str:
    """A noisy actor with right advice, with a placebo, and alone."""
    return text("advice-study")

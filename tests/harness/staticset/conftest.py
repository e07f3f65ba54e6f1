"""Runs to make static sets of, and critics to score on them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.static import Bench

from cornerman.staticset.items import StaticSet


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """One for all tests of a module."""
    return Bench(tmp_path_factory.mktemp("static"))


@pytest.fixture(scope="module")
def lake(bench: Bench) -> Path:
    """A run on thin ice by an actor that errs four times in ten."""
    return bench.play("frozenlake-test", limit=100)


@pytest.fixture(scope="module")
def static(bench: Bench, lake: Path) -> StaticSet:
    """A set of it."""
    bench.make(lake)
    return bench.read()

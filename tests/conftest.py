"""Shared fixtures: the catalogue, a bench over inline environments, and small real environments."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from cornerman.plugins import Plugins, load
from cornerman.registry import Registry


@pytest.fixture(scope="session")
def plugins() -> Plugins:
    """The catalogue of the built-ins."""
    return load()


@pytest.fixture
def registry() -> Registry:
    """A fresh catalogue of the built-ins that a test may add to."""
    return load().registry


@pytest.fixture
def run() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Run a coroutine to its end."""
    return asyncio.run

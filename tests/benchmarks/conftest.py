"""Benchmarks measure; they run when they are asked for: `python -m pytest tests/benchmarks --benchmark-only -s`."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what lies in this folder, with the reason, unless benchmarks were asked for."""
    if not config.getoption("benchmark_only"):
        reason = pytest.mark.skip(reason="a benchmark; run it with --benchmark-only")
        for item in items:
            if item.path.is_relative_to(HERE):
                item.add_marker(reason)

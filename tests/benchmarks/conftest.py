"""Benchmarks measure; they run when they are asked for, by this folder's name or by `--benchmark-only`.

`python -m pytest tests/benchmarks -k alfworld`. What a benchmark reports stands together at the end of the output.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPORTS = pytest.StashKey[list[str]]()


def asked_for(config: pytest.Config) -> bool:
    """Whether the command names this folder, something in it, or benchmarks."""
    named = [config.invocation_params.dir / str(a).partition("::")[0] for a in config.invocation_params.args]
    return bool(config.getoption("benchmark_only")) or any(p.resolve().is_relative_to(HERE) for p in named)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what lies in this folder, with the reason, unless benchmarks were asked for."""
    if not asked_for(config):
        reason = pytest.mark.skip(reason="a benchmark; run it with `python -m pytest tests/benchmarks`")
        for item in items:
            if item.path.is_relative_to(HERE):
                item.add_marker(reason)


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Say a line at the end of the output."""
    return request.config.stash.setdefault(REPORTS, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was reported."""
    if lines := terminalreporter.config.stash.get(REPORTS, []):
        terminalreporter.section("benchmarks")
        for line in lines:
            terminalreporter.write_line(line)

"""CPU time of commands that do nothing but start: what a person waits for at every one.

`pytest tests/benchmarks/test_startup.py -s` prints the figures; the aim is 0.3 s for `cornerman --help`.
"""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import CommandLine


def cpu_of_children() -> float:
    """Seconds of CPU that ended child processes have used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.parametrize("arguments", ["--help", "--version", "list critics", "run --help", "doctor"])
def test_cpu_of_a_start(benchmark: Any, tmp_path: Path, arguments: str) -> None:
    command = CommandLine(tmp_path, plugin=None)
    figures = []

    def start() -> None:
        before = cpu_of_children()
        assert command(*arguments.split()).status == 0
        figures.append(cpu_of_children() - before)

    benchmark.pedantic(start, rounds=5, warmup_rounds=1)
    benchmark.extra_info["cpu_s"] = round(sorted(figures)[len(figures) // 2], 3)
    print(f"\ncornerman {arguments}: {benchmark.extra_info['cpu_s']:.3f} s CPU")
    assert min(figures) > 0

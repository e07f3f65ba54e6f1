"""The page of statistics against the code: functions, sources, and the numbers that it states."""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cornerman import stats
from cornerman.experiment import Experiment
from tests.docs.pages import blocks, coded, read, section
from tests.support.command import CommandLine

PAGE = read("statistics.md")
CLASSES = {"BudgetCurve", "Comparison", "Costs", "Estimate", "Flips", "Interval", "Outcomes", "PairedTable"}
TYPES = CLASSES | {"Transcripts", "CallSkip", "Play"}


def test_every_function_is_named() -> None:
    assert set(stats.__all__) - TYPES <= coded(PAGE)


def test_every_family_has_a_row() -> None:
    families = Experiment.__annotations__["family"]
    for name in re.findall(r'"([\w-]+)"', str(families)):
        assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize(
    ("module", "sources"),
    [
        ("intervals", ("Wilson 1927", "Newcombe 1998")),
        ("bootstrap", ("Efron 1987", "Davison and Hinkley 1997", "Hesterberg 2015")),
        ("paired", ("McNemar 1947",)),
        ("signflip", ("Fisher 1935", "Phipson")),
        ("family", ("Holm 1979", "Westfall and Young 1993")),
        ("flips", ("Hoeffding 1948",)),
        ("passk", ("2107.03374", "2406.12045")),
        ("call_skip", ("2608.24794",)),
        ("budget", ("Hoos and Stützle 1998", "Moré and Wild 2009")),
        ("outcomes", ("2411.00640",)),
        ("perunit", ("Wretman 1992",)),
    ],
)
def test_a_source_on_the_page_is_that_of_the_code(module: str, sources: tuple[str, ...]) -> None:
    code = inspect.getsource(importlib.import_module(f"cornerman.stats.{module}"))
    for source in sources:
        assert source in code
        assert source in PAGE


def test_the_example_of_five_tasks_is_right() -> None:
    solved, lost = {str(i): [True] for i in range(5)}, {str(i): [False] for i in range(5)}
    assert "McNemar's p is 0.06" in PAGE
    assert stats.compare(lost, solved).p == pytest.approx(0.0625)


def test_counts_of_the_page_are_those_of_the_code() -> None:
    from cornerman.stats.signflip import ENUMERATED

    assert f"exact up to {ENUMERATED} tasks" in PAGE
    for function in (stats.bootstrap_interval, stats.sign_flip_test):
        parameters = inspect.signature(function).parameters
        count = next(parameters[n].default for n in ("resamples", "flips") if n in parameters)
        assert f"{count:,}" in PAGE


def test_the_snippet_runs() -> None:
    [snippet] = [b.text for b in blocks(PAGE) if b.language == "python"]
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0.5 (")
    assert done.stdout.rstrip().endswith("sign flip")


def test_the_planned_run_prints_what_the_page_shows(tmp_path: Path) -> None:
    [line, shown] = [b.text for b in blocks(section(PAGE, "Planning a run"))]
    done = CommandLine(tmp_path, plugin=None)(*line.split()[1:], "--no-validate")
    assert done.status == 0, done.err
    printed = [" ".join(text.split()) for text in done.out.splitlines()]
    assert set(shown.splitlines()) <= set(printed)

"""Figures of the methods' experiments: the pages against their record, and the record against what ships."""

from __future__ import annotations

import pytest

from cornerman.errors import CornermanError
from cornerman.experiment import load, load_suite
from cornerman.plugins import Plugins
from cornerman_plugins.experiments import methods
from tests.studies import method_figures

RECORD, PAPERS = method_figures.recorded(), method_figures.papers()
BOARDS = {"sweep", "sweep-smollm2"}
"""Comparisons of many methods, whose figures are published boards."""


def test_the_pages_show_what_is_recorded() -> None:
    for path, text in method_figures.pages(RECORD).items():
        assert path.read_text(encoding="utf-8") == text, "run `python -m tests.studies.method_figures render`"


def test_every_experiment_of_a_method_stands_beside_its_paper() -> None:
    assert set(PAPERS) == {name for name, _ in methods()} - BOARDS
    assert all(bool(paper.figure) == bool(paper.read) for paper in PAPERS.values())


def test_every_experiment_was_measured() -> None:
    assert set(RECORD) == set(PAPERS), "run `python -m tests.studies.method_figures`"


@pytest.mark.parametrize("name", sorted(RECORD))
def test_what_was_measured_is_what_ships(name: str, plugins: Plugins) -> None:
    wanted, found = load(plugins.registry, name), RECORD[name]
    assert found.tasks <= found.of
    try:
        panel = load_suite(plugins.registry, wanted.suite).head(found.tasks).panel
    except CornermanError as error:  # without the suite's extra
        pytest.skip(str(error))
    again = f"run `python -m tests.studies.method_figures measure {name}`"
    assert (found.panel, found.trials, found.baseline) == (panel, wanted.trials, wanted.baseline), again
    assert {m: f.digest for m, f in found.methods.items()} == method_figures.digests(plugins.registry, name), again


def test_no_episode_ended_in_an_error() -> None:
    assert {name: m.errors for name, found in RECORD.items() for m in found.methods.values() if m.errors} == {}


def test_an_experiment_says_whether_its_critic_is_prompted_trained_or_a_rule(plugins: Plugins) -> None:
    first = dict(methods())
    entries = [e for kind in ("critic", "memory", "protocol") for e in plugins.registry.entries(kind) if e.experiment]
    bases = {name: {str(e.basis) for e in entries if e.experiment == name} for name in {e.experiment for e in entries}}
    for name, known in bases.items():
        assert any(f"({basis}" in first[name] for basis in known), name

"""The training page against the registry and the signatures of the pieces."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any, get_args

import pytest

from cornerman.plugins import load
from cornerman.registry import Entry
from cornerman_plugins.trainers.pieces import PieceKind
from tests.docs.pages import read, rows, section

pytest.importorskip("torch", reason="losses need the extra 'hf'")

PAGE = read("training.md")
HEADINGS = {"reward": "Rewards", "advantage": "Advantages", "loss": "Losses", "schedule": "Schedules"}
REGISTRY = load().registry
ENTRIES: list[Entry] = [e for kind in HEADINGS for e in REGISTRY.entries(kind)]  # type: ignore[arg-type]


def row(entry: Entry) -> dict[str, str]:
    """The row of a piece in the table of its kind, by the table's heads."""
    head, *body = rows(section(PAGE, HEADINGS[entry.kind]))
    [found] = [r for r in body if r[0] == f"`{entry.name}`"]
    return dict(zip(head, found, strict=True))


def written(name: str, default: Any) -> str:
    """An option as the page writes it."""
    if default is inspect.Parameter.empty:
        return name
    shown = str(default).lower() if isinstance(default, bool) else repr(default).replace("'", '"')
    return f"{name} = {shown}"


def test_every_kind_of_piece_has_its_table() -> None:
    assert set(HEADINGS) == set(get_args(PieceKind))
    for kind, heading in HEADINGS.items():
        names = [r[0].strip("`") for r in rows(section(PAGE, heading))[1:]]
        assert sorted(names) == [e.name for e in REGISTRY.entries(kind)]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [r[0].strip("`") for r in rows(section(PAGE, "Datasets"))[1:]])
def test_dataset_builders_are_there(name: str) -> None:
    module, _, attr = name.partition(".")
    assert callable(getattr(importlib.import_module(f"cornerman_plugins.trainers.datasets.{module}"), attr))


@pytest.mark.parametrize("entry", [pytest.param(e, id=f"{e.kind}-{e.name}") for e in ENTRIES])
def test_options_levels_and_averages_are_those_of_the_piece(entry: Entry) -> None:
    cells = row(entry)
    preset = entry.meta.get("options", {})
    options = [p for p in inspect.signature(entry.load()).parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert re.findall(r"`([^`]+)`", cells["options"]) == [
        written(p.name, preset.get(p.name, p.default)) for p in options
    ]
    if entry.kind == "advantage":
        assert cells["answers by"] == entry.meta["per"]
    if entry.kind == "loss":
        assert cells["averaged by"] == entry.meta["normalise"]
    for paper in re.findall(r"arXiv \d{4}\.\d{5}", entry.paper):
        assert paper in cells["source"]


@pytest.mark.parametrize("entry", [pytest.param(e, id=f"{e.kind}-{e.name}") for e in ENTRIES])
def test_every_source_of_a_row_stands_in_the_docstring(entry: Entry) -> None:
    for paper in re.findall(r"\d{4}\.\d{5}", row(entry)["source"]):
        assert re.search(paper, entry.load().__doc__), f"{entry.name}: arXiv {paper}"

"""The pages of built-in methods, methods.md and those below methods/, against the registry and the signatures."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from cornerman.engine.instance import DEFAULT_SEES, PRIVILEGED, validate_hooks
from cornerman.plugins import load
from cornerman.registry import Entry
from tests.docs.pages import DOCS, coded, headings, read, rows, section

PAGE = read("methods.md")
LIBRARY = [read(f"methods/{path.name}") for path in sorted((DOCS / "methods").glob("*.md"))]
HEADINGS = {"actor": "Actors", "critic": "Critics", "memory": "Memories", "protocol": "Protocols", "user": "Users"}
REGISTRY = load().registry
ENTRIES: list[Entry] = [e for kind in HEADINGS for e in REGISTRY.entries(kind)]  # type: ignore[arg-type]
BY_NAME = [pytest.param(e, id=e.name) for e in ENTRIES]


def row(entry: Entry) -> list[str]:
    """The row of a plug-in in the table of its kind."""
    tables = [rows(section(p, HEADINGS[entry.kind])) for p in [PAGE, *LIBRARY] if HEADINGS[entry.kind] in headings(p)]
    [found] = [r for table in tables for r in table if r[0] == f"`{entry.name}`" and len(r) > 3]
    return found


def options(entry: Entry) -> dict[str, Any]:
    """Names and defaults of a factory's options."""
    return {p.name: p.default for p in inspect.signature(entry.load()).parameters.values()}


@pytest.mark.parametrize("entry", BY_NAME)
def test_moments_are_those_that_it_implements(entry: Entry) -> None:
    hooks = validate_hooks(entry.load()(), entry.kind, entry.name)  # type: ignore[arg-type]
    assert set(re.findall(r"`(\w+)`", row(entry)[1])) == set(hooks)


@pytest.mark.parametrize("entry", BY_NAME)
def test_what_it_sees_is_what_it_declares(entry: Entry) -> None:
    sees = set(getattr(entry.load()(), "sees", DEFAULT_SEES[entry.kind]))
    cell = row(entry)[2]
    assert set(re.findall(r"`(\w+)`", cell)) == sees
    assert ("†" in cell) == bool(sees & PRIVILEGED)


@pytest.mark.parametrize("entry", BY_NAME)
def test_options_and_defaults_are_those_of_the_factory(entry: Entry) -> None:
    wanted = options(entry)
    heading = f"Options of `{entry.name}`"
    found = [page for page in [PAGE, *LIBRARY] if heading in headings(page)]
    assert len(found) == bool(wanted), found
    if not wanted:
        return
    table = {r[0].strip("`"): r[1].strip("`").replace("\\|", "|") for r in rows(section(found[0], heading))[1:]}
    assert table == {name: repr(value).replace("'", '"') for name, value in wanted.items()}


def test_observers_are_there() -> None:
    assert {e.name for e in REGISTRY.entries("observer")} <= coded(section(PAGE, "Observers"))


def test_experiments_are_there() -> None:
    named = coded(section(PAGE, "Experiments")).union(*map(coded, LIBRARY))
    assert {e.name for e in REGISTRY.entries("experiment")} <= named

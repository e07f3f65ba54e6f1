"""The page of the design against the code: modules, words, the order of verdicts, what is said not to be there."""

from __future__ import annotations

import re
import typing
from pathlib import Path

import pytest

from cornerman.engine.merging import SEVERITY
from cornerman.records import Role
from tests.docs.pages import ROOT, coded, read, rows, section

PAGE = read("design.md")
HARNESS = ROOT / "harness" / "cornerman"
MODULES = sorted({name for row in rows(section(PAGE, "Architecture"))[1:] for name in coded(row[0])})


@pytest.mark.parametrize("name", MODULES)
def test_every_module_of_the_table_exists(name: str) -> None:
    places = [HARNESS / name, HARNESS / "engine" / name]
    assert any(p.with_suffix(".py").is_file() or p.is_dir() for p in places)


def test_folders_are_those_of_the_repository() -> None:
    for name in re.findall(r"^(\w+/[\w/]*)", section(PAGE, "Architecture"), re.MULTILINE):
        assert (ROOT / name).is_dir(), name


def test_verdicts_are_ordered_as_the_code_orders_them() -> None:
    order = sorted(SEVERITY, key=lambda v: -SEVERITY[v])
    assert " > ".join(str(v) for v in order) in PAGE


def test_every_role_is_named() -> None:
    [role] = [row[1] for row in rows(section(PAGE, "Words")) if row[0] == "role"]
    for name in typing.get_args(Role):
        assert name in role


def test_nothing_is_pickled_and_nothing_global_is_drawn_from() -> None:
    """What the page promises of all code."""
    for path in [
        p for folder in ("harness", "envs", "plugins", "leaderboards") for p in Path(ROOT, folder).rglob("*.py")
    ]:
        code = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(?:import|from) (?:pickle|dill|marshal|shelve)\b", code, re.MULTILINE), path
        assert not re.search(r"\b(?:np\.)?random\.(?:seed|choice|shuffle|randint|random)\(", code), path

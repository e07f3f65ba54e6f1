"""The catalogue: names, lazy targets, and sentences for what is wrong with them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from cornerman.errors import MissingExtra, UsageError
from cornerman.registry import KINDS, Registry


@pytest.fixture
def empty() -> Registry:
    made = Registry()
    made.origin = "mine"
    return made


def refused(call: Any, *given: Any, **more: Any) -> str:
    with pytest.raises(UsageError) as caught:
        call(*given, **more)
    return str(caught.value)


def test_an_entry_is_found_by_kind_and_name(empty: Registry) -> None:
    empty.add("critic", "rules", "json:dumps", doc="says what is wrong", colour="red")
    entry = empty.get("critic", "rules")
    assert (entry.kind, entry.name, entry.doc, entry.origin, entry.meta) == (
        "critic",
        "rules",
        "says what is wrong",
        "mine",
        {"colour": "red"},
    )
    import json

    assert entry.load() is json.dumps


def test_entries_are_listed_by_name_and_import_nothing(empty: Registry) -> None:
    for name in ("b", "c", "a"):
        empty.add("actor", name, "no_such_module_anywhere:Thing")
    assert [e.name for e in empty.entries("actor")] == ["a", "b", "c"]
    assert list(empty.entries("critic")) == []


def test_an_object_may_stand_for_itself(empty: Registry) -> None:
    empty.add("critic", "mine", dict)
    assert empty.get("critic", "mine").load() is dict


def test_an_unknown_name_is_answered_with_the_nearest(empty: Registry) -> None:
    assert refused(empty.get, "critic", "rules") == "unknown critic 'rules'; none is registered."
    empty.add("critic", "rules", dict)
    empty.add("critic", "grader", dict)
    assert refused(empty.get, "critic", "ruels") == "unknown critic 'ruels'; did you mean 'rules'?"
    assert refused(empty.get, "critic", "xyz") == "unknown critic 'xyz'; known are: grader, rules."


def test_an_unknown_kind_is_answered_with_the_nearest(empty: Registry) -> None:
    assert (
        refused(empty.add, "critics", "a", dict) == "mine registers an unknown kind 'critics'; did you mean 'critic'?"
    )


def test_a_name_is_taken_once(empty: Registry) -> None:
    empty.add("critic", "rules", dict)
    empty.add("actor", "rules", dict)  # another kind
    empty.origin = "theirs"
    assert refused(empty.add, "critic", "rules", dict) == (
        "theirs registers critic 'rules', which mine registered before; choose another name."
    )


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a=b", "a,b", "a\n"])
def test_a_name_can_be_written_on_a_command_line(empty: Registry, name: str) -> None:
    assert "a name has no spaces and none of :=," in refused(empty.add, "critic", name, dict)


@pytest.mark.parametrize("target", ["module", "module:", ":attr", ""])
def test_a_target_names_module_and_attribute(empty: Registry, target: str) -> None:
    assert "not of the form MODULE:ATTR" in refused(empty.add, "critic", "a", target)


def test_a_missing_extra_names_the_command(empty: Registry) -> None:
    empty.add("critic", "big", "json:dumps", extra="hf", needs=("json", "no_such_module_anywhere"))
    entry = empty.get("critic", "big")
    assert entry.missing == ("no_such_module_anywhere",)
    with pytest.raises(MissingExtra, match=r"critic 'big' needs the extra 'hf': pip install 'cornerman\[hf\]'"):
        entry.load()


def test_a_missing_package_without_an_extra_is_named(empty: Registry) -> None:
    empty.add("critic", "big", "json:dumps", needs=("no_such_module_anywhere",))
    assert refused(empty.get("critic", "big").load) == (
        "critic 'big' needs the package no_such_module_anywhere, not installed."
    )


BROKEN = {
    "syntax": "def broken(:\n",
    "raises": "raise RuntimeError('no luck')\n",
    "leaves": "raise SystemExit('bye')\n",
    "imports": "import no_such_module_anywhere\n",
    "lacks": "Other = dict\n",
}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("syntax", "SyntaxError: "),
        ("raises", "RuntimeError: no luck"),
        ("leaves", "SystemExit: bye"),
        ("imports", "No module named 'no_such_module_anywhere'"),
        ("lacks", "has no attribute 'Thing'"),
        ("is_not_there", "No module named"),
    ],
)
def test_a_broken_target_is_one_sentence(
    empty: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    module = f"broken_target_{name}"
    if name in BROKEN:
        (tmp_path / f"{module}.py").write_text(BROKEN[name])
    monkeypatch.syspath_prepend(tmp_path)
    empty.add("critic", "a", f"{module}:Thing")
    said = refused(empty.get("critic", "a").load)
    assert said.startswith(f"critic 'a' of mine cannot be loaded from {module}:Thing: ")
    assert words in said
    sys.modules.pop(module, None)


def test_a_snapshot_takes_back_what_came_after_it(empty: Registry) -> None:
    empty.add("critic", "kept", dict)
    before = empty.snapshot()
    empty.add("critic", "gone", dict)
    empty.add("actor", "gone", dict)
    empty.restore(before)
    assert [e.name for kind in KINDS for e in empty.entries(kind)] == ["kept"]  # type: ignore[arg-type]

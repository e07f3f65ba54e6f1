"""Sets made from runs: what stands in them, and that a set holds all that scoring needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from cornerman.errors import UsageError
from cornerman.staticset.items import Item, StaticSet, read_set, write_set

State = tuple[str, tuple[str, ...]]


def state(item: Item) -> State:
    """The state of an item."""
    return item.task.id, tuple(e.action for e in item.prefix)


def test_every_state_has_its_own_gold_and_corrupted_candidate(bench: Any, static: StaticSet) -> None:
    by_state: dict[State, list[Item]] = {}
    for item in static.items:
        by_state.setdefault(state(item), []).append(item)
    assert len(by_state) == static.header.moments == 100
    assert static.header.unlabelled == 0
    short = [group for group in by_state.values() if len(group) < 3]
    assert len(short) == static.header.uncorrupted
    for group in by_state.values():
        own, gold, *rest = group
        assert [i.kind for i in group] == ["own", "gold", "corrupted"][: len(group)]
        assert (gold.label, gold.candidate) == ("right", gold.suggestion)
        assert own.label == "right" or own.candidate != gold.candidate
        for corrupted in rest:
            assert corrupted.label == "wrong"
            assert corrupted.candidate != gold.candidate
        assert len({i.suggestion for i in group}) == 1
    assert {i.label for i in static.items if i.kind == "own"} == {"right", "neutral", "wrong"}
    assert [i.id for i in static.items] == list(range(len(static.items)))


def test_the_draw_follows_from_the_seed_and_spreads_over_tasks(bench: Any, lake: Path, static: StaticSet) -> None:
    again = bench.make(lake, "again.jsonl")
    assert again.digest == static.digest
    less = bench.make(lake, "less.jsonl", items=60)
    assert {state(i) for i in less.items} <= {state(i) for i in static.items}
    assert len({i.task.id for i in less.items}) == less.header.moments == 20
    other = bench.make(lake, "other.jsonl", items=60, seed=1)
    assert {state(i) for i in other.items} != {state(i) for i in less.items}


def test_what_does_not_change_the_state_is_marked(bench: Any) -> None:
    """In TextCraft, an action that asks for what the goal needs not or cannot make leaves the inventory as it was."""
    bench.make(bench.play("textcraft-smoke"), "craft.jsonl")
    items = bench.read("craft.jsonl").items
    assert {i.changes_state for i in items if i.kind == "gold"} == {True}
    assert {i.changes_state for i in items if i.label == "neutral"} == {True, False}


def test_a_script_of_calls_is_corrupted_by_other_calls(bench: Any) -> None:
    pytest.importorskip("bm25s", reason="search QA needs the extra 'search'")
    bench.make(bench.play("searchqa-smoke", actor="gold"), "qa.jsonl", items=30)
    items = bench.read("qa.jsonl").items
    assert {i.kind for i in items} == {"own", "gold", "corrupted"}
    assert {i.changes_state for i in items} == {None}, "its facts name no state"
    for corrupted in (i for i in items if i.kind == "corrupted"):
        assert msgspec.json.decode(corrupted.candidate) != msgspec.json.decode(corrupted.suggestion)


def test_large_rooms_can_be_labelled(bench: Any) -> None:
    made = bench.make(bench.play("alfworldgen-smoke"), "house.jsonl", items=30)
    assert made.header.moments == 10
    row = bench.score(bench.read("house.jsonl"), "gold-advice:moment=action").critics[0]
    assert (row.false_alarms.value, row.misses.value) == (0.0, 0.0)


def test_what_is_no_set_is_refused(tmp_path: Path, static: StaticSet) -> None:
    file = tmp_path / "s.jsonl"
    write_set(file, static.header, static.items[:2])
    data = file.read_bytes()
    file.write_bytes(data[:-5])
    with pytest.raises(UsageError, match="ends within a line"):
        read_set(file)
    file.write_bytes(data.replace(b'"gold"', b'"silver"'))
    with pytest.raises(UsageError, match="line 3 is none"):
        read_set(file)
    file.write_bytes(data.replace(b'{"suite"', b'{"schema":99,"suite"'))
    with pytest.raises(UsageError, match="schema 99"):
        read_set(file)
    write_set(file, static.header, [])
    with pytest.raises(UsageError, match="holds no item"):
        read_set(file)


def test_all_states_of_a_run_can_be_had(bench: Any, lake: Path) -> None:
    header = bench.make(lake, "all.jsonl", items=10_000).header
    assert header.moments + header.unlabelled == header.states


def test_a_run_without_the_method_is_refused(bench: Any, lake: Path) -> None:
    with pytest.raises(UsageError, match="no method 'actr'; did you mean 'actor'"):
        bench.make(lake, method="actr")

"""A memory's operations, and the ledger that says which task may begin with what."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman import MemoryOp
from cornerman.engine.context import MemoryItem
from cornerman.memory import Ledger, apply


def add(ident: str, text: str = "") -> MemoryOp:
    """An entry more."""
    return MemoryOp(op="add", id=ident, text=text)


def ids(items: tuple[MemoryItem, ...]) -> str:
    """The entries in order."""
    return "".join(i.id for i in items)


def test_operations() -> None:
    items = apply((), [add("a", "one"), add("b", "two"), MemoryOp(op="use", id="a"), MemoryOp(op="use", id="a")])
    assert [(i.id, i.text, i.uses) for i in items] == [("a", "one", 2), ("b", "two", 0)]
    items = apply(items, [MemoryOp(op="update", id="a", text="new", data={"k": 1}), MemoryOp(op="remove", id="b")])
    assert [(i.id, i.text, i.uses, i.data) for i in items] == [("a", "new", 2, {"k": 1})]
    assert apply(items, [MemoryOp(op=op, id="gone") for op in ("update", "remove", "use")]) == items  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("off", ["", "", "", "", ""]),
        ("read-only", ["s", "s", "s", "s", "s"]),
        ("sequential", ["s", "s0", "s01", "s012", "s0123"]),
        ("rounds", ["s", "s", "s01", "s01", "s0123"]),
    ],
)
def test_what_tasks_begin_with(mode: str, expected: list[str]) -> None:
    ledger = Ledger(mode, 2, 5, (MemoryItem("s", ""),))  # type: ignore[arg-type]
    seen = []
    for position in range(5):
        assert ledger.ready(position)
        seen.append(ids(ledger.entries(position)))
        ledger.record(position, (add(str(position)),))
    assert seen == expected


@given(st.integers(0, 2**32), st.integers(1, 12), st.sampled_from(["sequential", "rounds"]), st.integers(1, 5))
def test_any_order_of_ends_gives_the_state_of_the_suite_s_order(seed: int, tasks: int, mode: str, size: int) -> None:
    def play(concurrency: int) -> list[str]:
        rng = random.Random(seed)
        ledger = Ledger(mode, size, tasks)  # type: ignore[arg-type]
        waiting, under_way, seen = list(range(tasks)), [], [""] * tasks
        while waiting or under_way:
            ready = [p for p in waiting if ledger.ready(p)]
            if ready and len(under_way) < concurrency:
                waiting.remove(ready[0])
                seen[ready[0]] = ids(ledger.entries(ready[0]))
                under_way.append(ready[0])
            else:
                ended = under_way.pop(rng.randrange(len(under_way)))
                ledger.record(ended, (add(chr(97 + ended)),))
        return seen

    assert play(8) == play(1)


def test_a_task_waits_for_all_before_it() -> None:
    ledger = Ledger("sequential", 1, 3)
    ledger.record(1, (add("b"),))
    assert ledger.ready(0)
    assert not ledger.ready(1)
    assert not ledger.ready(2)
    ledger.record(0, (add("a"),))
    assert ledger.ready(2)
    assert ids(ledger.entries(2)) == "ab"

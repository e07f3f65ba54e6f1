"""A static set of tool calls."""

from __future__ import annotations

from pathlib import Path

import msgspec
from tests.support.static import Bench


def test_calls_are_corrupted_and_what_they_change_is_known(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    made = bench.make(bench.play("bfcl-smoke", actor="gold", limit=2), items=24)
    corrupted = [i for i in made.items if i.kind == "corrupted"]
    assert len(corrupted) == made.header.moments == 8
    for item in corrupted:
        call = msgspec.json.decode(item.candidate)
        assert set(call) == {"name", "arguments"}
        assert item.candidate != item.suggestion
    words = [i for i in made.items if i.kind == "gold" and not i.suggestion.startswith(("{", "["))]
    assert words
    assert all(i.changes_state is False for i in words), "words leave what the tools work on as it is"
    assert {i.changes_state for i in made.items} == {True, False}
    row = bench.score(bench.read(), "gold-advice:moment=action").critics[0]
    assert (row.wrongly_blocked.value, row.wrongly_allowed.value) == (0.0, 0.0)
    assert row.wrongly_blocked.of == sum(bool(i.changes_state) for i in made.items)

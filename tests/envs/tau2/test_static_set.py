"""Which calls of a static set change the shop's data."""

from __future__ import annotations

from pathlib import Path

from tests.support.static import Bench


def test_reading_changes_nothing_and_writing_does(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    made = bench.make(bench.play("tau2-retail-smoke", actor="gold", limit=1), items=60)
    gold = {i.candidate: i.changes_state for i in made.items if i.kind == "gold"}
    reads = [changes for call, changes in gold.items() if '"get_' in call]
    writes = [changes for call, changes in gold.items() if '"exchange_' in call]
    assert reads
    assert set(reads) == {False}
    assert writes
    assert set(writes) == {True}
    assert any(i.kind == "corrupted" and i.label == "wrong" for i in made.items)

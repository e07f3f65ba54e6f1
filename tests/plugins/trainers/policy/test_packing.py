"""Rows of shared beginnings: every sequence is found in its row, and shared tokens stand there once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornerman_plugins.trainers.policy.packing import WORTH_SHARING, Layout, Sampled, layout, micro_batches

HEAD = tuple(range(100, 100 + WORTH_SHARING))


def read(row: Layout, sequence: int, length: int) -> tuple[int, ...]:
    return tuple(row.ids[row.place(sequence, token)] for token in range(length))


def positions(row: Layout, sequence: int, length: int) -> list[int]:
    return [row.positions[row.place(sequence, token)] for token in range(length)]


def test_what_a_group_shares_stands_once_and_below_it_each_goes_its_own_way() -> None:
    runs = sorted([(*HEAD, 1, 2, 3), (*HEAD, 1, 2, 4), (*HEAD, 9)])
    row = layout(runs)
    assert len(row.ids) == WORTH_SHARING + 3 + 3 + 1
    assert [node.above for node in row.nodes] == [(), (0,), (0,), (0,)]
    assert [node.depth for node in row.nodes] == [0, *[WORTH_SHARING] * 3]


def test_turns_of_an_attempt_are_one_node() -> None:
    whole = tuple(range(200))
    row = layout([whole[:50], whole[:120], whole])
    assert row.ids == list(whole)
    assert len(row.nodes) == 1
    assert read(row, 0, 50) == whole[:50]


def test_without_sharing_every_sequence_stands_alone() -> None:
    runs = [HEAD, HEAD]
    row = layout(runs, share=False)
    assert row.ids == [*HEAD, *HEAD]
    assert [node.above for node in row.nodes] == [(), ()]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.lists(st.integers(0, 2), max_size=40)), min_size=1, max_size=8))
def test_every_sequence_is_found_at_its_positions(parts: list[tuple[int, list[int]]]) -> None:
    runs = sorted((*range(shared), 99, *rest) for shared, rest in parts)
    row = layout(runs)
    for i, run in enumerate(runs):
        assert read(row, i, len(run)) == run
        assert positions(row, i, len(run)) == list(range(len(run)))
    assert len(row.ids) <= sum(map(len, runs))


def test_micro_batches_hold_about_the_budget_and_keep_neighbours_together() -> None:
    runs = [(*HEAD, i % 3, i) for i in range(30)]
    batches = micro_batches(runs, budget=2 * WORTH_SHARING)
    assert sorted(i for batch in batches for i in batch) == list(range(30))
    assert all(len(layout([runs[i] for i in batch]).ids) <= 3 * WORTH_SHARING for batch in batches)
    assert len(batches) < len(micro_batches(runs, budget=2 * WORTH_SHARING, share=False))
    assert micro_batches([(1,) * 500, ()], budget=100) == [[0]]


def test_a_pass_ends_before_the_last_decision() -> None:
    sampled = Sampled((1, 2, 3, 4, 5), 2, ((3, 7), (4,), (5,)))
    assert (sampled.decisions, sampled.run) == ([0], (1, 2))
    assert Sampled((1, 2), 1, ((2,),)).run == ()
    with pytest.raises(ValueError, match="what was allowed"):
        Sampled((1, 2), 1, ())

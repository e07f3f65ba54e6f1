"""Moments are drawn with the probabilities that are said."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman.worth.drawing import draw
from cornerman.worth.places import Place


def moments(sizes: list[int]) -> list[Place]:
    """As many moments as each task has."""
    return [
        Place(task=f"t{t}", trial=0, attempt=0, turn=i, critic="c", moment="review_turn", spoke=True, how="advice")
        for t, size in enumerate(sizes)
        for i in range(size)
    ]


SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=12)


@given(SIZES, st.integers(1, 60), st.integers(0, 100))
def test_as_many_as_asked_or_all_and_evenly_over_tasks(sizes: list[int], number: int, seed: int) -> None:
    places = moments(sizes)
    drawn = draw(places, number, seed)
    assert len(drawn) == len({d.place for d in drawn}) == min(number, len(places))
    assert all(0 < d.probability <= 1 for d in drawn)
    taken = [sum(d.place.task == f"t{t}" for d in drawn) for t in range(len(sizes))]
    for (a, size_a), (b, size_b) in itertools.permutations(zip(taken, sizes, strict=True), 2):
        assert a >= min(b - 1, size_a) or size_b == size_a


@given(SIZES, st.integers(1, 30), st.integers(0, 100))
def test_a_larger_draw_holds_the_smaller_one(sizes: list[int], number: int, seed: int) -> None:
    places = moments(sizes)
    small, large = ({d.place for d in draw(places, n, seed)} for n in (number, number + 7))
    assert small <= large


@pytest.mark.parametrize(("sizes", "number"), [([1, 2, 9, 4], 6), ([3, 3, 3], 2), ([5, 1], 4), ([2, 8, 1], 11)])
def test_probabilities_are_how_often_a_moment_is_drawn(sizes: list[int], number: int) -> None:
    places, seeds = moments(sizes), 4000
    count = dict.fromkeys(places, 0)
    said: dict[Place, float] = {}
    for seed in range(seeds):
        for place, probability in draw(places, number, seed):
            count[place] += 1
            assert said.setdefault(place, probability) == probability
    assert sum(said.values()) == pytest.approx(number)
    for place in places:
        assert count[place] / seeds == pytest.approx(said[place], abs=0.04)  # five standard errors

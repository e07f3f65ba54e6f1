"""Choosing among scored texts."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_plugins.prompting.scoring import Scored


def distribution(*probabilities: float) -> Scored:
    logs = tuple(math.log(p) if p else -math.inf for p in probabilities)
    return Scored(tuple("abcdefgh"[: len(logs)]), logs, 0)


def test_entropy_in_nats() -> None:
    assert distribution(0.25, 0.25, 0.25, 0.25).entropy == pytest.approx(math.log(4))
    assert distribution(1.0, 0.0).entropy == 0
    assert distribution(0.9, 0.1).entropy == pytest.approx(-0.9 * math.log(0.9) - 0.1 * math.log(0.1))


def test_the_best_come_first_and_ties_go_to_the_earlier() -> None:
    assert distribution(0.2, 0.3, 0.3, 0.2).best(3) == [1, 2, 0]


@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=8), st.integers(1, 10), st.integers(0, 99))
def test_draws_are_distinct_and_as_many_as_there_are(weights: list[float], k: int, seed: int) -> None:
    found = distribution(*(w / sum(weights) for w in weights))
    drawn = found.draw(k, 1.0, random.Random(seed))
    assert len(set(drawn)) == len(drawn) == min(k, len(weights))


def test_draws_follow_sampling_without_replacement() -> None:
    """Frequencies of ordered pairs against the closed form p(i) p(j) / (1 - p(i))."""
    p = (0.5, 0.3, 0.2)
    rng = random.Random(7)
    n = 20_000
    counts = Counter(tuple(distribution(*p).draw(2, 1.0, rng)) for _ in range(n))
    for i in range(3):
        for j in range(3):
            if i != j:
                expected = p[i] * p[j] / (1 - p[i])
                assert counts[i, j] / n == pytest.approx(expected, abs=4 * math.sqrt(expected / n))


def test_a_temperature_sharpens_the_draw() -> None:
    """At temperature T the first draw has probability p^(1/T), renormalised."""
    p, temperature, n = (0.6, 0.4), 0.5, 20_000
    rng = random.Random(3)
    first = sum(distribution(*p).draw(1, temperature, rng) == [0] for _ in range(n)) / n
    assert first == pytest.approx(0.36 / (0.36 + 0.16), abs=0.015)


def test_samples_repeat_texts_by_their_probabilities() -> None:
    found = distribution(0.7, 0.2, 0.1)
    drawn = found.sample(4000, 1.0, random.Random(0))
    assert [drawn.count(i) / 4000 for i in range(3)] == pytest.approx([0.7, 0.2, 0.1], abs=0.03)
    cold = found.sample(400, 0.1, random.Random(0))
    assert cold.count(0) == 400

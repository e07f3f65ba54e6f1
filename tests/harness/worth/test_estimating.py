"""Estimates from forks whose truth is known."""

from __future__ import annotations

import random
from statistics import mean

import pytest
from tests.harness.worth.test_drawing import moments

from cornerman.worth.drawing import draw
from cornerman.worth.estimating import Sample, contrast, hajek, luck, needed, only_first
from cornerman.worth.labels import mcc
from cornerman.worth.seen import compare


def coins(rng: random.Random, p: float, k: int) -> list[bool]:
    return [rng.random() < p for _ in range(k)]


def test_weights_undo_that_tasks_give_equally_many_moments() -> None:
    """One task with nine moments worth 1 and nine tasks with one worth 0: half of all moments are worth 1."""
    places = moments([9, *[1] * 9])
    estimates = []
    for seed in range(300):
        drawn = draw(places, 10, seed)
        assert sum(d.place.task == "t0" for d in drawn) == 1, "or the draw would need no weights"
        samples = [Sample(d.place.task, d.probability) for d in drawn]
        estimates.append(hajek(samples, [float(s.task == "t0") for s in samples]))
    assert mean(estimates) == pytest.approx(0.5)


def test_identical_arms_are_harmed_as_often_as_the_noise_says() -> None:
    """With the same luck they are the same forks; the pairs that are counted have different luck."""
    rng = random.Random(1)
    samples = []
    for i in range(40):
        forks = coins(rng, rng.random(), 3)
        samples.append(Sample(f"t{i % 8}", 0.5, {"words": forks, "placebo": forks}))
    found = contrast(samples, "words", "placebo", repeats=False)
    assert found.difference == 0
    assert found.noise is not None
    assert found.noise > 0.05
    assert found.helped == found.harmed == pytest.approx(found.noise)


def test_arms_of_one_distribution_are_harmed_as_often_as_the_noise_says() -> None:
    rng = random.Random(2)
    samples = [
        Sample(f"t{i % 50}", 0.5, {"words": coins(rng, p, 2), "placebo": coins(rng, p, 2)})
        for i, p in enumerate(rng.random() for _ in range(4000))
    ]
    found = contrast(samples, "words", "placebo", repeats=False)
    assert found.harmed == pytest.approx(found.noise, abs=0.03)
    assert found.harmed == pytest.approx(1 / 6, abs=0.03)  # E[p(1 − p)] of an even p
    assert found.ci[0] < 0 < found.ci[1]


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.5), (0.8, 0.3), (1.0, 0.2)])
def test_pairs_and_luck_are_unbiased(p: float, q: float) -> None:
    rng = random.Random(3)
    draws = [(coins(rng, p, 3), coins(rng, q, 3)) for _ in range(20_000)]
    assert mean(only_first(a, b) for a, b in draws) == pytest.approx(p * (1 - q), abs=0.01)
    assert mean(luck(b) or 0.0 for _, b in draws) == pytest.approx(q * (1 - q), abs=0.01)


def test_one_fork_knows_no_luck_unless_nothing_is_random() -> None:
    samples = [Sample(f"t{i}", 1.0, {"words": [i % 2 == 0], "silence": [i % 3 == 0]}) for i in range(12)]
    assert contrast(samples, "words", "silence", repeats=False).noise is None
    found = contrast(samples, "words", "silence", repeats=True)
    assert (found.noise, found.helped, found.harmed) == (0.0, pytest.approx(4 / 12), pytest.approx(2 / 12))


def test_where_all_moments_agree_the_interval_is_no_point() -> None:
    samples = [Sample(f"t{i}", 1.0, {"words": [True], "silence": [False]}) for i in range(10)]
    found = contrast(samples, "words", "silence", repeats=True)
    assert found.difference == 1
    assert 0.4 < found.ci[0] < 0.8
    assert found.ci[1] == 1


def test_how_many_moments_a_narrow_interval_needs() -> None:
    assert needed((-0.1, 0.1), 50) == 200
    assert needed((-0.05, 0.05), 50) == 50


def test_the_interval_covers_a_known_worth_as_often_as_it_says() -> None:
    """Moments of a task share their luck; words raise success from 0.4 to 0.6, so their worth is 0.2."""
    hits = []
    for seed in range(120):
        rng = random.Random(seed)
        samples = []
        for task in range(30):
            shift = rng.uniform(-0.3, 0.3)
            for _ in range(rng.randint(1, 4)):
                arms = {"words": coins(rng, 0.6 + shift, 2), "placebo": coins(rng, 0.4 + shift, 2)}
                samples.append(Sample(f"t{task}", rng.choice((0.3, 0.6, 1.0)), arms))  # type: ignore[arg-type]
        low, high = contrast(samples, "words", "placebo", repeats=False).ci
        hits.append(low <= 0.2 <= high)
    assert mean(hits) >= 0.88  # 0.95 less three standard errors


def test_labels_and_their_correlation() -> None:
    assert [compare(["a", "b"], after) for after in (["b"], [], ["a", "b"], ["c", "a", "b"], None)] == [
        "right",
        "right",
        "neutral",
        "wrong",
        "wrong",
    ]
    assert mcc(10, 0, 0, 10) == 1
    assert mcc(0, 10, 10, 0) == -1
    assert mcc(5, 5, 5, 5) == 0
    assert mcc(5, 5, 0, 0) is None

"""Pieces by name: options checked, columns read, chains of advantages."""

from __future__ import annotations

import pytest

from cornerman.errors import UsageError
from cornerman.plugins import load
from cornerman_plugins.trainers.batch import Batch
from cornerman_plugins.trainers.pieces import advantages, load_piece, rewarded

REGISTRY = load().registry
BATCH = Batch(score=[0.0, 1.0, 0.5], group=[0, 0, 1], role=["actor"] * 3, sample=[0, 0, 1, 2])


def test_a_recipe_of_a_reward_and_an_advantage_gives_every_turn_its_advantage() -> None:
    batch = rewarded(BATCH, load_piece(REGISTRY, "reward", "outcome"))
    chain = [load_piece(REGISTRY, "advantage", "group-zscore", {"std": False})]
    # group 0 has mean 0.5; the first sample has two turns; the third stands alone in its group
    assert advantages(batch, chain).tolist() == [-0.5, -0.5, 0.5, 0.0]


def test_a_piece_without_what_it_reads_says_so() -> None:
    with pytest.raises(UsageError, match="advantage 'group-zscore' reads reward, which this training does not have"):
        advantages(BATCH, [load_piece(REGISTRY, "advantage", "group-zscore")])


def test_an_unknown_option_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'group-zscore' has no option 'epss' .*did you mean 'eps'"):
        load_piece(REGISTRY, "advantage", "group-zscore", {"epss": 1.0})


def test_an_advantage_that_is_no_number_stops_training() -> None:
    batch = BATCH.having(reward=[0.0, float("nan"), 1.0])
    with pytest.raises(UsageError, match="no finite answer for 2 of 3 samples"):
        advantages(batch, [load_piece(REGISTRY, "advantage", "group-zscore")])

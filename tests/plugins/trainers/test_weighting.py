"""Weights of tokens: each normaliser by hand, and micro-batches that add up to the batch."""

from __future__ import annotations

import numpy as np
import pytest

from cornerman.errors import UsageError
from cornerman_plugins.trainers.weighting import Normalise, role_mask, token_weights

MASK = np.array([True, True, False, True, True, True])
SEQUENCE = np.array([0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize(
    ("normalise", "expected"),
    [
        # two sequences with 2 and 3 tokens that count: 1/(2·2) and 1/(2·3)
        ("sequence", [1 / 4, 1 / 4, 0, 1 / 6, 1 / 6, 1 / 6]),
        ("token", [1 / 5, 1 / 5, 0, 1 / 5, 1 / 5, 1 / 5]),
        ("constant", [1 / 20, 1 / 20, 0, 1 / 20, 1 / 20, 1 / 20]),  # 2 sequences of at most 10 tokens
        ("sum", [1 / 2, 1 / 2, 0, 1 / 2, 1 / 2, 1 / 2]),
    ],
)
def test_weights_by_hand(normalise: Normalise, expected: list[float]) -> None:
    assert token_weights(MASK, SEQUENCE, normalise=normalise, longest=10) == pytest.approx(expected)


def test_a_sequence_without_tokens_still_counts_where_it_is_said_to() -> None:
    assert token_weights(MASK, SEQUENCE, normalise="sequence", sequences=4)[0] == pytest.approx(1 / 8)


def test_nothing_to_learn_from_has_no_weight() -> None:
    assert not token_weights(np.zeros(6, np.bool_), SEQUENCE, normalise="token").any()


def test_a_constant_normaliser_needs_its_constant() -> None:
    with pytest.raises(UsageError, match="longest length"):
        token_weights(MASK, SEQUENCE, normalise="constant")


def test_only_what_a_role_sampled_itself_is_learned_by_it() -> None:
    spans = np.array(["env", "actor", "guidance", "actor", "critic"])
    assert role_mask(spans, "actor").tolist() == [False, True, False, True, False]

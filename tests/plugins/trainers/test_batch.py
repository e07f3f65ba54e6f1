"""Batches say what is wrong with a column, and spread values from samples to turns to tokens."""

from __future__ import annotations

import numpy as np
import pytest

from cornerman.errors import UsageError
from cornerman_plugins.trainers.batch import Batch


def test_values_of_samples_are_those_of_their_turns_and_tokens() -> None:
    batch = Batch(role=["actor", "critic"], sample=[1, 0, 0], token_turn=[0, 0, 2, 1])
    assert batch.spread(np.array([5.0, 7.0]), "sample", "turn").tolist() == [7, 5, 5]
    assert batch.spread(np.array([5.0, 7.0]), "sample", "token").tolist() == [7, 7, 5, 5]
    assert batch.spread(np.array([5.0, 7.0]), "sample", "sample").tolist() == [5, 7]
    assert [batch.size(level) for level in ("sample", "turn", "token")] == [2, 3, 4]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"scores": [1.0]}, "unknown column 'scores'; did you mean 'score'"),
        ({"score": [1.0, 0.0], "before": [0.0]}, "'before' has 1 values; the others of its level have 2"),
        ({"score": [[1.0]]}, "'score' is 2-dimensional"),
        ({"group": [0.5]}, "'group' is 1-dimensional float64"),
        ({"score": [1.0], "sample": [0, 1]}, "'sample' points from 0 to 1; there are 1"),
    ],
)
def test_what_is_wrong_with_a_column_is_one_sentence(columns: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Batch(**columns)  # type: ignore[arg-type]


def test_a_column_that_is_not_there_is_named_with_its_meaning() -> None:
    with pytest.raises(UsageError, match=r"no column 'before' \(score of the attempt that this one retries"):
        Batch(score=[1.0])["before"]
    with pytest.raises(UsageError, match="unknown column 'scor'; did you mean 'score'"):
        Batch(score=[1.0])["scor"]

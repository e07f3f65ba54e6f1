"""Exact match and F1, on values worked out by hand."""

from __future__ import annotations

import pytest

from cornerman_envs.searchqa.metrics import exact_match, f1, normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  The   Eiffel Tower! ", "eiffel tower"),
        ("An apple, a pear", "apple pear"),
        ("theatre anthem", "theatre anthem"),
        ("1,234", "1234"),
        ("", ""),
        ("the", ""),
        ("東京", "東京"),
    ],
)
def test_normalisation(text: str, expected: str) -> None:
    assert normalise(text) == expected


@pytest.mark.parametrize(
    ("answer", "golds", "expected"),
    [
        ("the euro", ("Euro",), True),
        ("euro zone", ("Euro",), False),
        ("US dollar", ("Euro", "US Dollar"), True),
        ("", ("",), False),
        ("The.", ("a",), False),
        ("anything", (), False),
    ],
)
def test_exact_match(answer: str, golds: tuple[str, ...], expected: bool) -> None:
    assert exact_match(answer, golds) is expected


@pytest.mark.parametrize(
    ("answer", "golds", "expected"),
    [
        ("Swiss Franc", ("Swiss Franc",), 1.0),
        ("Franc", ("Swiss Franc",), 2 / 3),  # precision 1, recall 1/2
        ("the old Swiss Franc", ("Swiss Franc",), 0.8),  # precision 2/3, recall 1
        ("Franc Franc", ("Swiss Franc",), 0.5),  # the second word is not common
        ("Euro", ("Swiss Franc", "Euro coin"), 2 / 3),
        ("Yen", ("Swiss Franc",), 0.0),
        ("yes it is", ("yes",), 0.0),
        ("no", ("no",), 1.0),
        ("", ("",), 0.0),
    ],
)
def test_f1(answer: str, golds: tuple[str, ...], expected: float) -> None:
    assert f1(answer, golds) == pytest.approx(expected)

"""Numbers and names as tables show them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_leaderboards.tables import cells


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (0.04, "0.0"),
        (6.52, "6.5"),
        (99.94, "99.9"),
        (99.96, "100"),
        (999.4, "999"),
        (999.6, "1.0k"),
        (9940, "9.9k"),
        (9960, "10k"),
        (999_400, "999k"),
        (999_600, "1.0M"),
        (123_456_789, "123M"),
    ],
)
def test_means_keep_two_digits(number: float, text: str) -> None:
    assert cells.per_episode(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0.0, "<.001"), (0.0123, "0.012"), (0.123, "0.12"), (0.996, "1.0"), (9.96, "10"), (75.2, "75")]
)
def test_seconds_keep_two_digits(number: float, text: str) -> None:
    assert cells.seconds(number) == text


@pytest.mark.parametrize(
    ("p", "text"), [(0.0004, "<.001"), (0.0005, ".001"), (0.0231, ".023"), (0.9996, "1.000"), (1.0, "1.000")]
)
def test_p_values(p: float, text: str) -> None:
    assert cells.p_value(p) == text


def test_what_rounds_to_zero_has_no_sign() -> None:
    assert cells.points(-0.0004) == "0.0"
    assert cells.points(-0.125) == "−12.5"
    assert cells.points(0.125) == "+12.5"
    assert cells.points_interval((-0.004, 0.4)) == "[0, +40]"


def test_what_is_invisible_is_shown_as_an_escape() -> None:
    assert cells.clean("a\x1b[31mb\nc\u202ed\u2028e") == "a\\x1b[31mb\\nc\\u202ed\\u2028e"
    assert cells.clean("Äpfel 漢字 −") == "Äpfel 漢字 −"


@given(st.text())
def test_no_name_keeps_a_control_character(text: str) -> None:
    shown = cells.clean(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in shown)
    assert len(shown.splitlines()) <= 1


@given(st.text().filter(lambda text: "…" not in text), st.integers(min_value=1, max_value=30))
def test_shortened_texts_keep_their_ends(text: str, width: int) -> None:
    short = cells.shorten(text, width)
    assert cells.width_of(short) <= width
    if cells.width_of(text) <= width:
        assert short == text
    else:
        head, tail = short.split("…")
        assert text.startswith(head)
        assert text.endswith(tail)

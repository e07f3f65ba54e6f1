"""Fields of written answers: read where they were asked for, once, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_plugins.prompting.fields import labelled, one_of, opening_word, tagged

LABELS = ("Why", "Verdict")


def test_labelled_lines_are_read_in_any_order_case_and_spacing() -> None:
    found = {"Why": "it is far\nand dark", "Verdict": "go"}
    assert labelled("Why: it is far\nand dark\nVerdict: go", LABELS) == found
    assert labelled("Well then.\n  VERDICT : go \n why:it is far\n  and dark  ", LABELS) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Verdict: go",
        "Why: a\nVerdict: go\nVerdict: stop",
        "I say Verdict: go\nWhy: a",
        "Why: a Verdict: go",
        "Verdicts: go\nWhy: a",
    ],
)
def test_a_label_that_is_missing_doubled_or_within_a_line_leaves_nothing_to_read(text: str) -> None:
    assert labelled(text, LABELS) is None


def test_a_tag_is_read_when_it_opens_and_closes_once() -> None:
    assert tagged("hm <Score> Correct\n</ score > so", "score") == "Correct"


@pytest.mark.parametrize(
    "text",
    [
        "Correct",
        "<score>Correct",
        "Correct</score>",
        "</score>Correct<score>",
        "<score>Correct</score><score>Incorrect</score>",
        "<score><score>Correct</score>",
        "<scores>Correct</scores>",
    ],
)
def test_a_tag_that_is_broken_or_doubled_is_not_read(text: str) -> None:
    assert tagged(text, "score") is None


def test_a_word_of_a_closed_set_is_the_whole_text() -> None:
    words = ("Poor", "Very Poor")
    assert one_of(" very\n POOR ", words) == "Very Poor"
    for text in (None, "", "Poor.", "not Poor", "Poor or Very Poor"):
        assert one_of(text, words) is None


def test_an_opening_word_is_a_whole_word_at_the_start() -> None:
    assert opening_word(" YES, since", ("yes", "no")) == "yes"
    for text in ("", "nothing", "not yes", "yes_no", "(yes)"):
        assert opening_word(text, ("yes", "no")) is None


@given(st.text())
def test_any_text_is_read_or_not(text: str) -> None:
    for found in (labelled(text, LABELS), tagged(text, "score"), one_of(text, LABELS), opening_word(text, LABELS)):
        assert found is None or found


@given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"))))
def test_what_stands_after_a_label_is_given_back(text: str) -> None:
    assert labelled(f"Why: {text}\nVerdict: go", LABELS) == {"Why": text.strip(), "Verdict": "go"}

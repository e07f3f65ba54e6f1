"""What a template writes for text of hostile origin."""

from __future__ import annotations

import jinja2
import pytest

from cornerman_leaderboards.web import text
from cornerman_leaderboards.web.rendering import environment


def written(template: str, **values: object) -> str:
    """What a template of the pages makes of values."""
    return environment().from_string(template).render(**values)


def test_markup_is_escaped_in_text_and_in_attributes() -> None:
    hostile = "\"><script>alert(1)</script><img src=x onerror='alert(1)'>"
    out = written('<p title="{{ x }}">{{ x }} {{ x|name }} {{ x|words }}</p>', x=hostile)
    assert out.count("<") == 2
    assert out.count('"') == 2


def test_what_is_invisible_is_written_out() -> None:
    assert written("{{ x }}", x="a\u202eb\u200bc\x1b[2J\nd\te") == "a\\u202eb\\u200bc\\x1b[2J\nd\te"
    assert written("{{ x|name }}", x="a\nb\u2028c") == "a b\\u2028c"


def test_marks_piled_on_a_letter_are_cut_and_accents_are_kept() -> None:
    assert text.visible("e" + "\u0301" * 40 + "z") == "e" + "\u0301" * 4 + "z"
    assert text.visible("Việt, naïve, e\u0301") == "Việt, naïve, e\u0301"


def test_sizes_are_bounded_and_say_so() -> None:
    long = "x" * (text.LONGEST + 1234)
    assert written("{{ x }}", x=long).endswith("x… (1,234 more characters)")
    assert text.words("abcdef", 4) == "abcd… (2 more characters)"
    short = text.name("same beginning, " + "y" * 500 + " other end", 40)
    assert len(short) == 40
    assert short.startswith("same beginning")
    assert short.endswith("other end")


def test_a_variable_that_is_missing_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError):
        written("{{ missing }}")

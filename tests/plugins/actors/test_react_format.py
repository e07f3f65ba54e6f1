"""Reading ReAct answers, from well-formed ones to garbage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_plugins.actors.react_format import Answer, bare, first_line, listed_as, read, written

READ = [
    ("Thought: I see a key.\nAction: take key", Answer("I see a key.", "take key")),
    ("thought : hm\n\nACTION: `go north`", Answer("hm", "go north")),
    ("**Thought:** two\nlines\n**Action:** **open door**\n", Answer("two lines", "open door")),
    ("> Action:\n  look  \nmore", Answer(None, "look")),
    ("Thought: Go on. Action: go east", Answer("Go on.", "go east")),
    ("Thought: the first action: look", Answer("the first action: look")),
    ("Action: a\nObservation: you won\nAction: b", Answer(None, "a")),
    ("Action:\nAction: b", Answer(None, "b")),
    ("Thought: one\nThought: two\nAction: a", Answer("one", "a")),
    ("Thought: only this", Answer("only this")),
    ("Action: find(name='x', glob=\"*\")", Answer(None, "find(name='x', glob=\"*\")")),
    ('Action: {"name": "ls", "arguments": {}}\nObservation: x', Answer(None, '{"name": "ls", "arguments": {}}')),
    ('Thought: hm\nAction:\n{\n  "name": "ls"\n}\nmore', Answer("hm", '{\n  "name": "ls"\n}')),
    ('Action: ```json\n[{"name": "a"},\n {"name": "b"}]\n```', Answer(None, '[{"name": "a"},\n {"name": "b"}]')),
    (
        'Action: {"name": "say", "arguments": {"x": "Hi. Action: go\nThought: b"}}',
        Answer(None, '{"name": "say", "arguments": {"x": "Hi. Action: go\nThought: b"}}'),
    ),
    ('{"name":\n"ls"} ok', Answer(None, '{"name":\n"ls"}')),
    ('```json\n{"name": "ls"}\n```', Answer(None, '{"name": "ls"}')),
    ('Action: {"name": "ls"\n"arguments"}', Answer(None, '{"name": "ls"')),
    ("Action: " + "[" * 99_999, Answer(None, "[" * 99_999)),
    ("go north", Answer()),
    ("Action:", Answer()),
    ("", Answer()),
]


@pytest.mark.parametrize(("raw", "answer"), READ)
def test_reading(raw: str, answer: Answer) -> None:
    assert read(raw) == answer


def test_questions_are_read_only_where_they_are_allowed() -> None:
    raw = "Thought: lost\nAsk: where is\nthe key?\nAction: look"
    assert read(raw, questions=True) == Answer("lost", question="where is the key?")
    assert read(raw) == Answer("lost Ask: where is the key?", "look")


@given(st.text(), st.booleans())
def test_any_text_is_read(raw: str, questions: bool) -> None:
    answer = read(raw, questions=questions)
    assert answer.action is None or (answer.action and ("\n" not in answer.action or answer.action[0] in "{["))
    assert not (answer.action and answer.question)


@given(
    st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1).map(str.strip).filter(bool),
    st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), min_size=1).map(str.strip).filter(bool),
)
def test_what_is_written_is_read_again(thought: str, action: str) -> None:
    if bare(action.lstrip("*")) == action and not action.endswith("**"):
        assert read(written(thought, action)) == Answer(thought, action)


@pytest.mark.parametrize(
    ("text", "plain"),
    [('"take key"', "take key"), ("`'x'`", "x"), ("'a' and 'b'", "'a' and 'b'"), ('say("hi")', 'say("hi")'), ("", "")],
)
def test_quotes_around_an_action_are_taken_off(text: str, plain: str) -> None:
    assert bare(text) == plain


def test_the_listed_spelling_is_found() -> None:
    listed = ["take Key 1", "go north", "look."]
    assert listed_as("TAKE  key 1.", listed) == "take Key 1"
    assert listed_as("look.", listed) == "look."
    assert listed_as("go nort", listed) is None
    assert listed_as("go nort", listed, nearest=True) == "go north"
    assert listed_as("sing a song", listed, nearest=True) is None
    assert listed_as("look", None, nearest=True) is None


def test_the_first_line_with_anything_on_it() -> None:
    assert first_line("\n \n  a \nb") == "a"
    assert first_line(" \n") == ""

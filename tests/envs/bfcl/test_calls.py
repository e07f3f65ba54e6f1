"""Reading tool calls."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_envs.bfcl.calls import Call, MalformedCall, read_answer, read_calls, write_calls

LS = Call("ls", {"a": True})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
CALLS = st.builds(Call, st.text(min_size=1), st.dictionaries(st.text(), JSON, max_size=3))


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('{"name": "ls", "arguments": {"a": true}}', [LS]),
        ('  [{"name": "ls", "arguments": {"a": true}},\n {"name": "pwd"}]\n', [LS, Call("pwd", {})]),
        ('```json\n{"name": "ls", "arguments": {"a": true}}\n```', [LS]),
        ('```\n[{"name": "pwd", "arguments": {}}]\n```', [Call("pwd", {})]),
        ("[]", []),
        ("", []),
        ("Done.", []),
        ("ls(a=True)", []),
        ('Let me look: {"name": "ls"}', []),
    ],
)
def test_calls_and_messages(text: str, calls: list[Call]) -> None:
    assert read_calls(text) == calls


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"name": "ls"', "no valid JSON"),
        ("{'name': 'ls'}", "no valid JSON"),
        ('{"name": "add", "arguments": {"a": NaN}}', "NaN"),
        ('{"name": "add", "arguments": {"a": ' + "9" * 5000 + "}}", "no valid JSON"),
        ("[" * 99_999, "nested too deeply"),
        ('{"name": "\\ud83d"}', "surrogate"),
        ("[1]", "not int"),
        ("[[]]", "not list"),
        ('{"arguments": {}}', '"name"'),
        ('{"name": 3}', '"name"'),
        ('{"name": "ls", "arguments": "a"}', '"arguments"'),
    ],
)
def test_what_is_meant_as_a_call_and_is_none(text: str, problem: str) -> None:
    with pytest.raises(MalformedCall, match=problem):
        read_calls(text)


@given(st.lists(CALLS, min_size=1, max_size=3))
def test_what_is_written_is_read_again(calls: list[Call]) -> None:
    assert read_calls(write_calls(calls)) == calls


@given(st.text() | st.text().map("{{{}".format) | st.text().map("[{}]".format))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(MalformedCall):
        assert all(isinstance(call, Call) and call.name for call in read_calls(text))


def touch(file_name: str, lines: int = 1) -> None:
    """A method with parameters."""


def test_answers_are_python_calls_with_literal_arguments() -> None:
    methods = {"touch": touch}
    assert read_answer("touch('a', lines=-2)", methods) == Call("touch", {"file_name": "a", "lines": -2})
    for wrong in (
        "touch(open('a'))",
        "touch(**{'file_name': 'a'})",
        "touch('a', file_name='b')",
        "touch('a', 1, 2)",
        "cd('a')",
        "x.touch('a')",
        "touch",
    ):
        with pytest.raises(ValueError, match=r"."):
            read_answer(wrong, methods)

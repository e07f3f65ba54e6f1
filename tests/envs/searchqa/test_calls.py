"""Actions read as tool calls."""

from __future__ import annotations

import msgspec
import pytest

from cornerman_envs.searchqa import calls
from cornerman_envs.searchqa.calls import Answer, BadCall, Search


def test_calls_are_read() -> None:
    assert calls.parse('{"name": "search", "arguments": {"query": "x", "k": 5}}') == Search("x", 5)
    assert calls.parse(' {"name":"search","arguments":{"query":"x"}}\n') == Search("x", 3)
    assert calls.parse('{"name": "answer", "arguments": {"text": "42"}}') == Answer("42")


def test_written_calls_are_read_again() -> None:
    assert calls.parse(calls.search('a "b" \\ é')) == Search('a "b" \\ é')
    assert calls.parse(calls.answer("日本語")) == Answer("日本語")


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ("look", "not a tool call"),
        ("[]", "not a tool call"),
        ('{"name": "search"}', "arguments"),
        ('{"name": "search", "arguments": {}}', "query"),
        ('{"name": "search", "arguments": {"query": 3}}', "query"),
        ('{"name": "search", "arguments": {"query": "x", "k": 0}}', ">= 1"),
        ('{"name": "search", "arguments": {"query": "x", "k": 11}}', "<= 10"),
        ('{"name": "search", "arguments": {"query": "x", "k": 1.5}}', "k"),
        ('{"name": "search", "arguments": {"query": "x", "n": 1}}', "n"),
        ('{"name": "answer", "arguments": {"text": null}}', "text"),
        ('{"name": "delete", "arguments": {}}', "no tool 'delete'"),
        (calls.answer("x") + calls.answer("y"), "not a tool call"),
        ("[" * 100_000, "not a tool call"),
        ("\ud800", "not a tool call"),
    ],
)
def test_everything_else_is_refused_with_a_reason(action: str, says: str) -> None:
    with pytest.raises(BadCall) as refused:
        calls.parse(action)
    assert says in str(refused.value)
    assert len(str(refused.value)) < 600


def test_schemas_name_what_is_read() -> None:
    schemas = {schema["name"]: schema["parameters"] for schema in calls.schemas()}
    for name, kind in (("search", Search), ("answer", Answer)):
        fields = msgspec.structs.fields(kind)
        assert set(schemas[name]["properties"]) == {field.name for field in fields}
        assert schemas[name]["required"] == [field.name for field in fields if field.required]

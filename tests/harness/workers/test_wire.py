"""Frames carry every JSON value that Python can hold, and are refused when they are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman.environment import Step
from cornerman.records import Task
from cornerman.workers import wire

any_text = st.text(st.characters(exclude_categories=()), max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=10,
)


def there(value: Any) -> Any:
    """The value as it arrives on the other side."""
    frame = wire.encode(wire.Reply(value))
    assert wire.size(frame) == len(frame) - wire.HEADER.size
    return wire.decode(frame[wire.HEADER.size :], wire.Reply).value


@given(json_values)
def test_every_json_value_arrives_as_it_was(value: Any) -> None:
    assert there(value) == value


def test_lone_surrogates_stay_apart() -> None:
    pair = "\ud83d\ude00"  # two code points, which UTF-16 would join to one
    assert there(pair) == pair
    assert there({pair: [pair]}) == {pair: [pair]}


def test_generator_state_survives() -> None:
    state = np.random.default_rng(3).bit_generator.state
    assert there(state) == state


def test_structs_with_strange_text_survive() -> None:
    import msgspec

    task = Task(env="e", id="\udc80", settings={"a": 1 << 80})
    assert msgspec.convert(there(task), Task) == task
    step = Step("\ud800", 0.5, admissible=("a", "\udfff"), goal="é")
    assert msgspec.convert(there(step), Step) == step


def test_scalars_and_strings_of_numpy_become_plain() -> None:
    class Name(str):
        __slots__ = ()

    values = there([np.str_("a"), np.float64(0.5), np.int64(3), np.bool_(True), Name("b\ud800")])
    assert values == ["a", 0.5, 3, True, "b\ud800"]
    assert [type(v) for v in values] == [str, float, int, bool, str]


def test_what_is_no_json_value_is_refused() -> None:
    with pytest.raises(TypeError, match="object is no JSON value"):
        wire.encode(wire.Reply(object()))


@pytest.mark.parametrize("body", [b"", b"\xc1", b"\x93\x01\x02", b"\x01", b"\xd4\x63\x00", b"\x92\x01\xcb"])
def test_bodies_that_are_no_reply_are_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        wire.decode(body, wire.Reply)


def test_absurd_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="over the bound"):
        wire.size(b"\xff\xff\xff\xff")

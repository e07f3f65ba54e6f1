"""Records: what is written is read back, and nothing unknown is let in."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cornerman.errors import POLICY, End
from cornerman.records import (
    Attempt,
    AttemptSpec,
    Call,
    Candidate,
    Completion,
    ContextItem,
    Critique,
    Episode,
    LogEntry,
    MemoryOp,
    Message,
    Request,
    Start,
    Task,
    Turn,
    Usage,
    Verdict,
)

KINDS = (
    *(Attempt, AttemptSpec, Call, Candidate, Completion, ContextItem, Critique, Episode, LogEntry, MemoryOp, Message),
    *(Request, Start, Task, Turn, Usage),
)
texts = st.text(st.characters(codec="utf-8"), max_size=8)
finite = st.floats(allow_nan=False, allow_infinity=False)


def of(info: Any) -> st.SearchStrategy[Any]:
    """Every value of a type that msgspec describes."""
    inspect = msgspec.inspect
    simple = {
        inspect.BoolType: st.booleans(),
        inspect.IntType: st.integers(-(2**63), 2**63 - 1),
        inspect.FloatType: finite,
        inspect.StrType: texts,
        inspect.NoneType: st.none(),
        inspect.AnyType: st.one_of(st.none(), texts, st.integers(-9, 9), st.lists(texts, max_size=2)),
    }
    if type(info) in simple:
        return simple[type(info)]
    match info:
        case inspect.UnionType():
            return st.one_of(*(of(t) for t in info.types))
        case inspect.VarTupleType():
            return st.lists(of(info.item_type), max_size=2).map(tuple)
        case inspect.DictType():
            return st.dictionaries(of(info.key_type), of(info.value_type), max_size=2)
        case inspect.LiteralType():
            return st.sampled_from(info.values)
        case inspect.EnumType():
            return st.sampled_from(list(info.cls))
        case inspect.StructType():
            return records(info.cls)
    raise AssertionError(f"no strategy for {info}")


def records(kind: Any) -> st.SearchStrategy[Any]:
    """Every record of a kind."""
    info: Any = msgspec.inspect.type_info(kind)
    return st.builds(kind, **{f.name: of(f.type) for f in info.fields})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_record_is_read_back_as_it_was_written(kind: Any) -> None:
    @settings(deadline=None, max_examples=25)
    @given(records(kind))
    def check(record: Any) -> None:
        again = msgspec.json.decode(msgspec.json.encode(record), type=kind)
        assert again == record
        assert msgspec.json.encode(again) == msgspec.json.encode(record)

    check()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_unknown_field_is_refused(kind: Any) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `surprise`"):
        msgspec.json.decode(b'{"surprise": 1}', type=kind)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_records_do_not_change(kind: Any) -> None:
    assert kind.__struct_config__.frozen
    with pytest.raises(TypeError):
        kind("no field without its name")


def test_verdicts_are_a_closed_set() -> None:
    assert [str(v) for v in Verdict] == ["pass", "revise", "replace", "block", "stop", "unparsed"]
    for word in ("approve", "PASS", "block!", ""):
        with pytest.raises(msgspec.ValidationError, match="Invalid enum value"):
            msgspec.json.decode(msgspec.json.encode({"verdict": word}), type=Critique)


def test_every_end_has_a_policy() -> None:
    assert set(POLICY) == set(End)
    assert {e for e in End if POLICY[e].error} == {
        *(End.ACTOR_ERROR, End.CRITIC_ERROR, End.USER_ERROR, End.MODEL_ERROR, End.ENV_ERROR, End.TIMEOUT),
        *(End.NOT_REPRODUCIBLE, End.CANCELLED),
    }
    assert all(POLICY[e].replay == POLICY[e].error for e in End)
    assert all(POLICY[e].shown for e in End)


def test_defaults_are_left_out_of_a_line() -> None:
    assert msgspec.json.encode(Critique(text="hm")) == b'{"text":"hm"}'
    assert msgspec.json.encode(Turn(index=0)) == b'{"index":0}'


def test_usage_adds_up_field_by_field() -> None:
    one = Usage(calls=1, prompt=2, cached=3, output=4, reasoning=5, seconds=6.0, queue_seconds=7.0, taped=8, hits=9)
    assert one + one == Usage(
        calls=2, prompt=4, cached=6, output=8, reasoning=10, seconds=12.0, queue_seconds=14.0, taped=16, hits=18
    )
    names = {f.name for f in msgspec.structs.fields(Usage)}
    assert names == {
        "calls",
        "prompt",
        "cached",
        "output",
        "reasoning",
        "seconds",
        "queue_seconds",
        "taped",
        "hits",
    }  # else it adds too few


def test_what_a_turn_shows_is_what_the_actor_saw() -> None:
    assert Turn(index=0, observation="raw").shown == "raw"
    assert Turn(index=0, observation="raw", delivered="").shown == ""


def test_a_completions_log_probability_is_the_sum_of_its_tokens() -> None:
    assert Completion(text="a").logprob is None
    assert Completion(text="a", logprobs=(-0.5, -1.0)).logprob == -1.5

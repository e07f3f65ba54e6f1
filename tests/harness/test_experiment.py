"""Experiments: what a file says comes back from its resolved form, and two that differ are told apart by a key."""

from __future__ import annotations

import string
import tomllib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support import countdown

from cornerman.engine.settings import MemoryMode, Wrap
from cornerman.errors import UsageError
from cornerman.experiment import (
    Experiment,
    drift,
    folder_name,
    from_options,
    is_folder_name,
    load,
    load_suite,
    parse,
    resolve,
    to_table,
    to_toml,
)
from cornerman.records import Moment
from cornerman.registry import Registry
from cornerman.suites import Suite

EXAMPLE = """
suite = "alfworldgen-dev"
trials = 2
baseline = "alone"
[[method]]
name = "alone"
actor = { use = "llm-choose", model = "smollm2" }
[[method]]
name = "grader"
actor = { use = "llm-choose", model = "smollm2", candidates = 5 }
critic = [{ use = "grader", model = "smollm2", trigger = { every = 1 }, deliver = "suppress" }]
protocol = { use = "single", review_rounds = 1 }
"""


def test_the_example_of_the_design() -> None:
    made = parse(EXAMPLE, "example", "example.toml")
    assert (made.name, made.suite, made.trials, made.baseline) == ("example", "alfworldgen-dev", 2, "alone")
    alone, grader = made.method
    assert (alone.actor.use, alone.actor.model, alone.critic) == ("llm-choose", "smollm2", ())
    assert grader.actor.options == {"candidates": 5}
    (critic,) = grader.critic
    assert critic.trigger["all"].every == 1
    assert critic.deliver == {"all": "suppress"}
    assert grader.protocol.options == {"review_rounds": 1}
    assert parse(to_toml(made), "other", "x") == made


# Everything that an experiment file can say.

words = st.text(st.characters(exclude_categories=["C"], exclude_characters="\x7f"), min_size=1, max_size=12).filter(
    lambda t: t == t.strip() and t.isprintable()
)
keys = st.text(string.ascii_lowercase + "_", min_size=1, max_size=8).map(lambda k: f"o_{k}")
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.booleans() | numbers | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(string.printable, max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
moments = st.sampled_from(["all", *Moment.__args__])  # type: ignore[attr-defined]
triggers = st.fixed_dictionaries(
    {},
    optional={
        "every": st.integers(1, 9),
        "entropy": st.floats(0, 5),
        "loop": st.integers(1, 5),
        "on": st.sampled_from(["failure", "success"]),
        "random": st.floats(0, 1),
        "turns_left": st.integers(1, 9),
        "low_score": st.fixed_dictionaries({"below": st.floats(-1, 1)}, optional={"last": st.integers(1, 5)}),
    },
)
delivers = st.sampled_from(["append", "replace", "suffix", "system", "suppress"])
known = {
    "label": words,
    "model": words,
    "trigger": triggers | st.dictionaries(moments, triggers, min_size=1, max_size=3),
    "deliver": delivers | st.dictionaries(moments, delivers, min_size=1, max_size=3),
    "wrap": st.sampled_from(Wrap.__args__)  # type: ignore[attr-defined]
    | st.fixed_dictionaries({"use": st.just("delayed")}, optional={"turns": st.integers(1, 5), "run": words}),
    "budget": st.integers(1, 9),
    "cooldown": st.integers(0, 9),
    "mode": st.sampled_from(MemoryMode.__args__),  # type: ignore[attr-defined]
    "round": st.integers(1, 9),
    "source": words,
}
plain_plugins = st.fixed_dictionaries({"use": words}, optional=known)
plugins = st.builds(
    lambda table, options: {**options, **table}, plain_plugins, st.dictionaries(keys, values, max_size=3)
)
methods = st.fixed_dictionaries(
    {"actor": plugins},
    optional={"critic": st.lists(plugins, max_size=3), "memory": plugins, "protocol": plugins},
)
experiments = st.builds(
    lambda names, made, rest: {**rest, "method": [{**m, "name": n} for n, m in zip(names, made, strict=False)]},
    st.lists(words, min_size=4, max_size=4, unique=True),
    st.lists(methods, min_size=1, max_size=4),
    st.fixed_dictionaries(
        {"suite": words},
        optional={
            "trials": st.integers(1, 99),
            "seed": st.integers(0, 2**63 - 1),
            "limit": st.integers(1, 99),
            "family": st.sampled_from(["holm", "max-t"]),
            "models": st.dictionaries(words, words, max_size=3),
            "limits": st.fixed_dictionaries(
                {},
                optional={
                    f"{k}_seconds": st.floats(0, 1e6) | st.integers(0, 10**6)
                    for k in ("call", "turn", "episode", "reset", "step")
                },
            ),
        },
    ),
)


@given(experiments)
def test_the_resolved_form_reads_back_equal(table: dict[str, Any]) -> None:
    made = resolve(table, "name", "here")
    text = to_toml(made)
    again = parse(text, "other name", "there")
    assert again == made
    assert to_toml(again) == text
    assert drift(tomllib.loads(text), tomllib.loads(to_toml(again))) is None
    assert [m.name for m in again.method] == [m["name"] for m in table["method"]]


@given(experiments, experiments)
def test_drift_is_found_exactly_where_there_is_one(one: dict[str, Any], other: dict[str, Any]) -> None:
    a, b = (tomllib.loads(to_toml(resolve(t, "name", "here"))) for t in (one, other))
    found = drift(a, b)
    assert (found is None) == (a == b)
    if found is not None:
        key = found.partition(":")[0].partition(".")[0].partition("[")[0]
        assert a.get(key) != b.get(key)
        assert " there, " in found


@given(st.text())
def test_folder_names_stay_below_their_folder(text: str) -> None:
    assert is_folder_name(folder_name(text))
    if is_folder_name(text):
        assert "/" not in text
        assert text not in ("", ".", "..")
        assert text.isprintable()


@pytest.mark.parametrize(
    "name", ["..", ".", "", "a/b", "/etc", "a\\b", ".hidden", "-x", " x", "a\nb", "x" * 151, "é" * 76]
)
def test_what_no_folder_can_be_called(name: str) -> None:
    assert not is_folder_name(name)


def test_not_a_number_is_no_drift() -> None:
    table = {"suite": "s", "method": [{"actor": {"use": "a", "x": float("nan")}}]}
    made = resolve(table, "n", "here")
    assert drift(tomllib.loads(to_toml(made)), tomllib.loads(to_toml(made))) is None


def test_options_make_the_actor_alone_and_one_method_with_all_critics() -> None:
    made = resolve(from_options("s", "a", ["x=c:k=1", "c"], "m", "retry:attempts=3"), "n", "here")
    alone, together = made.method
    assert (alone.name, alone.critic, alone.memory, alone.protocol.use) == ("a+retry", (), None, "retry")
    assert together.name == "a+x+c+m+retry"
    assert [(c.name, c.options) for c in together.critic] == [("x", {"k": 1}), ("c", {})]
    assert together.memory is not None
    assert (together.memory.use, together.protocol.options) == ("m", {"attempts": 3})
    assert made.baseline == "a+retry"


def test_unnamed_methods_are_named_by_their_parts() -> None:
    table = {
        "suite": "s",
        "method": [{"actor": "a"}, {"actor": "a", "critic": ["c", "c"]}, {"actor": "a", "critic": "c"}],
    }
    assert [m.name for m in resolve(table, "n", "here").method] == ["a", "a+c+c", "a+c"]


def test_a_control_stands_in_the_method_s_name() -> None:
    table = {"suite": "s", "method": [{"actor": "a", "critic": [{"use": "c", "wrap": "placebo"}]}]}
    assert resolve(table, "n", "here").method[0].name == "a+c[placebo]"
    with pytest.raises(UsageError, match="two methods are called 'a'"):
        resolve({"suite": "s", "method": [{"actor": "a"}, {"actor": "a"}]}, "n", "here")


@pytest.mark.parametrize(
    "bad",
    [{"actor": {"use": 3}}, {"actor": {}}, {"actor": 3}, {"actor": "a", "critic": [3]}, {"actor": "a", "name": 3},
     {"actor": {"use": "a", "options": 3}}, {"actor": {"use": "a", "label": ["x"]}}, {"actor": ""}, {"actor": "=a"},
     {"actor": "a:b"}, {"actor": "a:b=1,b.c=2"}, {"actor": {"use": "a", "trigger": {"alll": {}}}}],
)  # fmt: skip
def test_bad_plugin_tables_are_one_sentence(bad: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"^here, method 1"):
        resolve({"suite": "s", "method": [bad]}, "n", "here")


def test_shipped_experiments_are_found_by_name(registry: Registry) -> None:
    registry.add("experiment", "a/b", lambda: EXAMPLE)
    made = load(registry, "a/b")
    assert isinstance(made, Experiment)
    assert made.name == "a_b"
    assert to_table(made)["method"][0]["name"] == "alone"


def test_suites_are_checked(registry: Registry) -> None:
    registry.add("suite", "two", lambda: Suite(name="two", tasks=(countdown.task(3), countdown.task(4))))
    assert [t.id for t in load_suite(registry, "two").tasks] == ["from-3", "from-4"]
    made = parse('suite = "two"\nlimit = 1\n[[method]]\nactor = "random"', "n", "here")
    assert made.tasks(registry).name == "two[:1]"
    assert msgspec.structs.replace(made, limit=9).tasks(registry).name == "two"

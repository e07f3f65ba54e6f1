"""Settings of plug-ins and methods, as files and command lines give them."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.play import catalogue
from tests.support.scripts import actor, critic, plugin

from cornerman.engine.instance import check_options, split_sampling
from cornerman.engine.method import build_method, method_settings
from cornerman.engine.settings import (
    LowScore,
    PluginSettings,
    TriggerSettings,
    WrapSettings,
    parse_plugin,
    plugin_settings,
    scalar,
)
from cornerman.errors import UsageError


def refused(call: Any, *given: Any, **more: Any) -> str:
    with pytest.raises(UsageError) as caught:
        call(*given, **more)
    return str(caught.value)


# -- the command line


def test_a_name_alone() -> None:
    settings = parse_plugin("rules", "--critic")
    assert (settings.use, settings.name, settings.options) == ("rules", "rules", {})


def test_label_options_and_what_the_engine_knows() -> None:
    settings = parse_plugin("fast=grader:k=2,veto=true,deliver=suppress,trigger.every=3,budget=4,x=a", "--critic")
    assert (settings.use, settings.label, settings.name) == ("grader", "fast", "fast")
    assert settings.options == {"k": 2, "veto": True, "x": "a"}
    assert settings.deliver == {"all": "suppress"}
    assert settings.trigger == {"all": TriggerSettings(every=3)}
    assert settings.budget == 4


def test_dots_nest_and_moments_have_their_own() -> None:
    settings = parse_plugin(
        "a:trigger.review_turn.every=2,trigger.all.random=0.5,deliver.review_action=system", "--critic"
    )
    assert settings.trigger == {"review_turn": TriggerSettings(every=2), "all": TriggerSettings(random=0.5)}
    assert settings.deliver == {"review_action": "system"}
    low = parse_plugin("a:trigger.low_score.below=0.5,trigger.low_score.last=2,wrap=placebo", "--critic")
    assert low.trigger == {"all": TriggerSettings(low_score=LowScore(below=0.5, last=2))}
    assert low.wrap == WrapSettings(use="placebo")


def test_a_model_uri_keeps_its_sampling() -> None:
    settings = parse_plugin("a:model=vllm:http://h:80/v1#m,temperature=0.5,k=2", "--actor")
    assert settings.model == "vllm:http://h:80/v1#m,temperature=0.5"
    assert settings.options == {"k": 2}
    assert split_sampling(settings.model) == ("vllm:http://h:80/v1#m", {"temperature": 0.5})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("3", 3),
        ("-2", -2),
        ("0.5", 0.5),
        ("1e3", 1000.0),
        ("a", "a"),
        ("True", "True"),
        ("", ""),
    ],
)
def test_values_are_read_as_tomls(text: str, value: Any) -> None:
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)


WORDS = ["a", "=", ":", ",", ".", "1", *PluginSettings.__struct_fields__, "every", "all", "review_turn", "temperature"]


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=12).map(lambda w: "a:" + "".join(w))))
def test_any_text_is_settings_or_one_sentence(text: str) -> None:
    said = "--critic"
    try:
        parse_plugin(text, "--critic")
    except UsageError as error:
        said = str(error)
    assert said.startswith("--critic")
    assert "\n" not in said or "\n" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not of the form [LABEL=]NAME[:KEY=VALUE,…]"),
        ("=rules", "is not of the form"),
        (":k=2", "is not of the form"),
        ("rules:k", "'k' in 'rules:k' is not of the form KEY=VALUE"),
        ("rules:k=1,k.j=2", "'k.j' in 'rules:k=1,k.j=2' nests below a value"),
        ("rules:model=3", "model=3 is no model URI"),
    ],
)
def test_what_is_no_plug_in_is_one_sentence(text: str, words: str) -> None:
    said = refused(parse_plugin, text, "--critic")
    assert said.startswith("--critic: ")
    assert words in said


# -- files


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, 'a plug-in is a name or a table with use = "NAME"'),
        (5, 'a plug-in is a name or a table with use = "NAME"'),
        ({"use": "a", "trigger": {"evry": 2}}, "here.trigger: unknown 'evry'; did you mean 'every'"),
        ({"use": "a", "trigger": {"reviewturn": {}}}, "did you mean 'review_turn'"),
        ({"use": "a", "deliver": {"review_trn": "append"}}, "here.deliver: unknown 'review_trn'"),
        ({"use": "a", "deliver": "shout"}, "here: deliver: unknown value 'shout'; known are: append"),
        ({"use": "a", "trigger": {"every": 0}}, "Expected `int` >= 1"),
        ({"use": "a", "trigger": {"every": 1.5}}, "Expected `int"),
        ({"use": "a", "trigger": {"random": 1.5}}, "Expected `float` <= 1.0"),
        ({"use": "a", "trigger": {"low_score": {"below": 1, "last": 0}}}, "Expected `int` >= 1"),
        ({"use": "a", "trigger": {"on": "end"}}, "unknown value 'end'"),
        ({"use": "a", "budget": -1}, "Expected `int` >= 0"),
        ({"use": "a", "cooldown": -1}, "Expected `int` >= 0"),
        ({"use": "a", "wrap": {"use": "delayed", "turns": 0}}, "Expected `int` >= 1"),
        ({"use": "a", "wrap": "louder"}, "here: wrap: use: unknown value 'louder'"),
        ({"use": "a", "mode": "on"}, "unknown value 'on'"),
        ({"use": "a", "round": 0}, "Expected `int` >= 1"),
    ],
)
def test_a_wrong_table_is_one_sentence(table: Any, words: str) -> None:
    said = refused(plugin_settings, table, "here")
    assert said.startswith("here")
    assert words in said


def test_options_stand_beside_or_under_their_own_key() -> None:
    for table in ({"use": "a", "k": 2}, {"use": "a", "options": {"k": 2}}):
        assert plugin_settings(table, "here").options == {"k": 2}


# -- options of factories


def test_options_are_converted_to_the_factorys_types() -> None:
    def factory(
        k: int = 1, p: float = 0.0, on: bool = False, how: Literal["a", "b"] = "a", name: str | None = None
    ) -> None:
        return None

    given: dict[str, Any] = {"k": "3", "p": 1, "on": "true", "how": "b", "name": "x"}
    made = check_options("it", factory, given)
    assert made == {"k": 3, "p": 1.0, "on": True, "how": "b", "name": "x"}
    assert type(made["p"]) is float
    assert refused(check_options, "it", factory, {"k": "many"}).startswith("option 'k' of 'it': ")
    assert "unknown value 'c'" in refused(check_options, "it", factory, {"how": "c"})


def test_unknown_options_are_answered_with_the_nearest() -> None:
    class Factory:
        def __init__(self, window: int = 6, *, veto: bool = False) -> None: ...

    assert refused(check_options, "rules", Factory, {"windw": 3}) == (
        "'rules' has no option 'windw' (it takes window, veto); did you mean 'window'?"
    )
    assert refused(check_options, "plain", lambda: None, {"k": 1}) == ("'plain' has no option 'k'; it takes none.")


def test_an_option_that_is_owed_is_asked_for() -> None:
    assert refused(check_options, "it", lambda path: path, {}) == "'it' needs the option 'path': it:path=…"


def test_open_ended_factories_take_anything() -> None:
    assert check_options("it", lambda **more: more, {"anything": 1}) == {"anything": 1}


# -- methods


def made(**table: Any) -> Any:
    rules = critic(review_turn=None)
    registry = catalogue(
        actor_waits=actor("wait"), critic_one=rules, critic_two=rules, memory_keeps=plugin((), on_task_end=None)
    )
    return build_method(registry, method_settings({"actor": "waits", **table}, "method 1"))


def test_a_method_is_named_by_its_parts() -> None:
    assert made().name == "waits"
    assert made(critic=["one", {"use": "two", "label": "deux"}]).name == "waits+one+deux"
    assert made(name="mine").name == "mine"


def test_critics_of_one_name_get_labels_that_differ() -> None:
    labels = [c.label for c in made(critic=["one", "one", {"use": "two", "label": "one#2"}, "one"]).critics]
    assert labels == ["one", "one#2", "one#2#2", "one#3"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"critics": []}, "method 1: unknown key 'critics'; did you mean 'critic'?"),
        ({"name": 5}, "method 1.name: a method's name is a string, not 5"),
        ({"critic": ["thre"]}, "unknown critic 'thre'"),
        ({"critic": [5]}, "method 1.critic: a plug-in is a name or a table"),
        (
            {"protocol": {"use": "single", "merge": "loudest"}},
            "protocol 'single' of method 'waits': merge: unknown value 'loudest'; known are: first, majority",
        ),
        ({"protocol": {"use": "single", "review_rounds": -1}}, "Expected `int` >= 0"),
        ({"protocol": {"use": "single", "rounds": 1}}, "'single' has no option 'rounds'"),
        ({"protocol": {"use": "retry", "attempts": 0}}, "protocol 'retry' cannot be made: attempts"),
    ],
)
def test_a_wrong_method_is_one_sentence(table: dict[str, Any], words: str) -> None:
    assert words in refused(made, **table)
    with pytest.raises(UsageError, match="a method needs an actor"):
        method_settings({"critic": []}, "method 1")


def test_the_engines_protocol_settings_stand_beside_the_protocols_own() -> None:
    method = made(protocol={"use": "retry", "attempts": 3, "merge": "majority", "review_rounds": 2})
    assert (method.rules.merge, method.rules.review_rounds, method.protocol.plugin.attempts) == ("majority", 2, 3)


def test_digests_tell_methods_apart_by_settings_and_models_and_not_by_objects() -> None:
    assert made().digest == made().digest
    assert (
        len({made().digest, made(critic=["one"]).digest, made(protocol={"use": "single", "merge": "first"}).digest})
        == 3
    )
    registry = catalogue(actor_waits=actor("wait"))
    settings = method_settings({"actor": "waits"}, "m")
    models = [
        build_method(registry, settings, m).digest for m in ({}, {"actor": "smollm2"}, {"actor": "smollm2,top_p=0.5"})
    ]
    assert len(set(models)) == 3


# -- what a plug-in declares


def declaring(sees: Any, role: str = "critic") -> Any:
    kind = critic(review_turn=None) if role == "critic" else actor("wait")
    kind.sees = sees
    registry = catalogue(**{f"{role}_odd": kind, "actor_waits": actor("wait")})
    table = {"actor": "waits", "critic": ["odd"]} if role == "critic" else {"actor": "odd"}
    return build_method(registry, method_settings(table, "m"))


def test_what_a_plug_in_sees_is_checked() -> None:
    assert refused(declaring, ("histry",)) == "critic 'odd' sees 'histry'; did you mean 'history'?"
    assert "`sees` is a tuple of names" in refused(declaring, "history")
    assert "`sees` is a tuple of names" in refused(declaring, 5)
    assert "sees '5'" in refused(declaring, (5,))
    assert declaring(["score"]).privileged
    assert declaring(("history",), "actor").information == ["attempts", "history"]


def test_a_critic_is_asked_only_where_it_says_that_it_speaks() -> None:
    def made(speaks: Any) -> Any:
        kind = critic(review_turn=None, review_action=None, on_task_start=None)
        kind.speaks = speaks
        registry = catalogue(critic_odd=kind, actor_waits=actor("wait"))
        return build_method(registry, method_settings({"actor": "waits", "critic": ["odd"]}, "m"))

    assert set(made(("review_turn",)).critics[0].hooks) == {"review_turn", "on_task_start"}
    assert "did you mean 'review_turn'" in refused(made, ("review_trun",))
    assert "`speaks` is a tuple of hooks" in refused(made, "review_turn")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("k is at least 1"), "critic 'odd' cannot be made: k is at least 1"),
        (KeyError("k"), "critic 'odd' cannot be made: KeyError: 'k'"),
        (OSError("no such file"), "critic 'odd' cannot be made: OSError: no such file"),
        (UsageError("say which"), "say which"),
    ],
)
def test_a_factory_that_raises_is_one_sentence(error: Exception, words: str) -> None:
    def factory() -> None:
        raise error

    registry = catalogue(critic_odd=factory, actor_waits=actor("wait"))
    assert refused(build_method, registry, method_settings({"actor": "waits", "critic": ["odd"]}, "m")) == words

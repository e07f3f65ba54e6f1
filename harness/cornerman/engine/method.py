"""A method: an actor, critics, a memory and a protocol, built and checked before the first episode."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from cornerman.choices import converted
from cornerman.engine.context import OnOverflow
from cornerman.engine.instance import PRIVILEGED, Instance, build
from cornerman.engine.merging import Merge
from cornerman.engine.settings import PluginSettings, Spend, parse_plugin, plugin_settings
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Record
from cornerman.registry import Registry
from cornerman.suites import Rules, digest_of

CANDIDATES = "candidates"
"""The option of an actor that belongs to the method's protocol: how many candidates are offered for each turn."""


class ProtocolSettings(Record, frozen=True, kw_only=True):
    """What the engine itself does by the protocol's word; every protocol takes these beside its own options.

    merge: how several critics' verdicts become one. review_rounds: how often actions are reviewed before one is
    executed (1: a revision is not reviewed again; 0: no action is reviewed). revise_on: the words that a revision is
    told, those on the candidate that the review settled on or those on all of them. on_block: what happens to a block
    that stays. counted: which attempt makes the episode's result; `selected` is the one that the critics scored
    highest at its end (ties and unscored ones: the latest), `best` sees the outcome (oracle). on_critic_error: whether
    an error of a critic in a review or an answer ends the episode or leaves that critic without a vote. on_overflow:
    what follows when a prompt is longer than its model's context: an error, the same hook asked again with fewer turns
    in `view.history`, or the attempt's end as truncated. spend: the most that an episode may spend, see `Spend`.
    """

    merge: Merge = "severity"
    review_rounds: Annotated[int, msgspec.Meta(ge=0)] = 1
    revise_on: Literal["chosen", "all"] = "chosen"
    on_block: Literal["execute", "noop", "end"] = "execute"
    counted: Literal["first", "last", "selected", "best"] = "last"
    on_critic_error: Literal["end", "continue"] = "end"
    on_overflow: OnOverflow = "error"
    spend: Spend | None = None


class MethodSettings(Record, frozen=True, kw_only=True):
    """A method as an experiment file gives it."""

    name: str
    actor: PluginSettings
    critic: tuple[PluginSettings, ...] = ()
    memory: PluginSettings | None = None
    protocol: PluginSettings = PluginSettings(use="single")


@dataclass
class Method:
    """A method ready to play, with the user that the suite's rules set beside it, if they name one."""

    settings: MethodSettings
    actor: Instance
    critics: list[Instance]
    memory: Instance | None
    protocol: Instance
    rules: ProtocolSettings
    user: Instance | None = None

    @property
    def name(self) -> str:
        """The method's name in its experiment."""
        return self.settings.name

    @property
    def digest(self) -> str:
        """SHA-256 of the settings, of the models and sampling that they resolve to, and of what plug-ins read.

        A plug-in that reads a file when it is made gives what it read, as JSON, by its attribute `content`.
        """
        models = {i.key: [i.model, i.fixed] for i in self.instances if i.model is not None}
        read = {i.key: i.plugin.content for i in self.instances if hasattr(i.plugin, "content")}
        return digest_of([self.settings, models, read] if read else [self.settings, models])

    @property
    def instances(self) -> list[Instance]:
        """All plug-in instances that are asked, in method order; a memory in mode "off" is not."""
        memory = [self.memory] if self.memory is not None and self.memory.settings.mode != "off" else []
        user = [self.user] if self.user is not None else []
        return [self.actor, *self.critics, *memory, self.protocol, *user]

    def same_actor(self, other: Method) -> bool:
        """Whether one actor acts in both: plug-in, options, model and sampling agree; its label and the number of
        candidates that the protocol has it offer may differ."""
        return _identity(self.actor) == _identity(other.actor)

    @property
    def interactive(self) -> bool:
        """Whether a person at the terminal plays a part in it, as a plug-in says by its attribute `interactive`."""
        return any(getattr(i.plugin, "interactive", False) for i in self.instances)

    @functools.cached_property
    def transformers(self) -> list[Instance]:
        """The plug-ins that transform observations, in method order."""
        return [i for i in self.instances if i.has("transform_observation")]

    @functools.cached_property
    def shadows(self) -> frozenset[str]:
        """Labels of the critics in shadow."""
        return frozenset(c.label for c in self.critics if c.settings.shadow)

    @property
    def information(self) -> list[str]:
        """What the method's plug-ins, their triggers and wrappers see together."""
        seen = {f for i in self.instances for f in i.sees | i.uses}
        return sorted(seen | ({"score"} if self.rules.counted == "best" else set()))

    @property
    def privileged(self) -> bool:
        """Whether anything in the method sees what no agent has at test time."""
        return bool(PRIVILEGED & set(self.information))

    @property
    def models(self) -> set[str]:
        """URIs of the models that the method uses."""
        return {i.model for i in self.instances if i.model is not None}


def _identity(actor: Instance) -> tuple[Any, ...]:
    options = {k: v for k, v in actor.settings.options.items() if k != CANDIDATES}
    return actor.settings.use, options, actor.model, actor.fixed


def method_settings(value: dict[str, Any], where: str) -> MethodSettings:
    """Settings from a `[[method]]` table; `where` opens the error's sentence."""
    unknown = [k for k in value if k not in MethodSettings.__struct_fields__]
    if unknown:
        raise UsageError(
            f"{where}: unknown key '{unknown[0]}'; {did_you_mean(unknown[0], MethodSettings.__struct_fields__)}"
        )
    if "actor" not in value:
        raise UsageError(f'{where}: a method needs an actor, as in actor = {{ use = "random" }}')
    critics = value.get("critic", [])
    critics = critics if isinstance(critics, (list, tuple)) else [critics]
    actor = plugin_settings(value["actor"], f"{where}.actor")
    made = [plugin_settings(c, f"{where}.critic") for c in critics]
    memory = None if value.get("memory") is None else plugin_settings(value["memory"], f"{where}.memory")
    protocol = plugin_settings(value.get("protocol", "single"), f"{where}.protocol")
    shadow = next((p for p in (actor, memory, protocol) if p is not None and p.shadow), None)
    if shadow is not None:
        raise UsageError(f"{where}: '{shadow.name}' cannot be in shadow; that is for critics")
    name = value.get("name") or default_name(actor, made, memory, protocol)
    if not isinstance(name, str):
        raise UsageError(f"{where}.name: a method's name is a string, not {name!r}")
    return MethodSettings(name=name, actor=actor, critic=distinct(made), memory=memory, protocol=protocol)


def default_name(
    actor: PluginSettings, critics: list[PluginSettings], memory: PluginSettings | None, protocol: PluginSettings
) -> str:
    """A method's name from its parts, with a control or shadow in brackets: `noisy-gold+tried[placebo]+retry`."""
    marks = [[*([c.wrap.use] if c.wrap.use != "none" else []), *(["shadow"] if c.shadow else [])] for c in critics]
    words = [f"{c.name}[{','.join(mark)}]" if mark else c.name for c, mark in zip(critics, marks, strict=True)]
    others = [*([memory.name] if memory else []), *([protocol.name] if protocol.use != "single" else [])]
    return "+".join([actor.name, *words, *others])


def distinct(critics: list[PluginSettings]) -> tuple[PluginSettings, ...]:
    """Critics under labels that differ: a second one of a name becomes `name#2`."""
    out: list[PluginSettings] = []
    for critic in critics:
        taken, label, n = {c.name for c in out}, critic.name, 1
        while label in taken:
            n += 1
            label = f"{critic.name}#{n}"
        out.append(critic if n == 1 else msgspec.structs.replace(critic, label=label))
    return tuple(out)


def build_user(registry: Registry, rules: Rules, models: Mapping[str, str]) -> Instance | None:
    """The user that a suite's rules name, with the model of its role or label."""
    if rules.user is None:
        return None
    settings = parse_plugin(rules.user, "the user in the suite's rules")
    return build(registry, "user", settings, models.get(settings.name) or models.get("user"))


def build_method(
    registry: Registry, settings: MethodSettings, models: Mapping[str, str] | None = None, rules: Rules | None = None
) -> Method:
    """Build every plug-in of a method. `models` gives URIs by role or label for those that name none.

    `rules` are the suite's, which may name a user.
    """
    models = models or {}

    def model_for(role: str, plugin: PluginSettings) -> str | None:
        return models.get(plugin.name) or models.get(role)

    engine_keys = ProtocolSettings.__struct_fields__
    options = settings.protocol.options
    own = msgspec.structs.replace(settings.protocol, options={k: v for k, v in options.items() if k not in engine_keys})
    protocol = build(registry, "protocol", own, model_for("protocol", own))
    defaults = getattr(protocol.plugin, "defaults", {})
    try:
        engine_rules = converted(
            defaults | {k: v for k, v in options.items() if k in engine_keys}, ProtocolSettings, strict=False
        )
    except msgspec.ValidationError as error:
        raise UsageError(f"protocol '{own.use}' of method '{settings.name}': {error}") from error
    actor = build(registry, "actor", settings.actor, model_for("actor", settings.actor))
    critics = [build(registry, "critic", c, model_for("critic", c)) for c in settings.critic]
    memory = None
    if settings.memory is not None:
        memory = build(registry, "memory", settings.memory, model_for("memory", settings.memory))
    user = build_user(registry, rules or Rules(), models)
    return Method(settings, actor, critics, memory, protocol, engine_rules, user)

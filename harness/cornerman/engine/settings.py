"""Settings of one plug-in instance in a method, as they stand in an experiment file or on a command line.

    critic = [{ use = "grader", model = "smollm2", trigger = { every = 1 }, deliver = "suppress", k = 2 }]
    --critic fast=grader:k=2,deliver=suppress,trigger.every=3

`use`, `label`, `model`, `trigger`, `deliver`, `wrap`, `budget` and `cooldown` are known to the engine; every other key
is an option of the plug-in's factory.
"""

from __future__ import annotations

import typing
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from cornerman.choices import converted
from cornerman.errors import UsageError, did_you_mean
from cornerman.records import Moment, Record

Deliver = Literal["append", "replace", "decision", "suffix", "system", "suppress"]
When = Literal[Moment, "all"]
MemoryMode = Literal["off", "read-only", "sequential", "rounds"]
"""off: nothing is read or written. read-only: what `source` left, never changed. sequential: task by task in suite
order. rounds: `round` tasks at a time from one state, changes applied in suite order after each round."""
Wrap = Literal["none", "placebo", "generic", "shuffled", "delayed", "deceptive", "oracle"]


Count = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]


class LowScore(Record, frozen=True, kw_only=True):
    """Fires when each of the last `last` scores that critics gave to turns is below `below`."""

    below: float
    last: Positive = 1


class TriggerSettings(Record, frozen=True, kw_only=True):
    """When a critic speaks. All given conditions must hold; without any it always speaks.

    every: each k-th turn, which is before turns 0, k, 2k (counted from 0) in review_action and after k, 2k, 3k turns in
    review_turn and transform_observation; an attempt's end and a request come when they come, and `every` says nothing
    of them. entropy: the mean token entropy in nats of the actor's choice (of its first candidate while none is chosen)
    is at least this; with entropy_up, certainly from there on, and between the two with a probability that rises
    linearly from 0 to 1 (ExpSeek, arXiv 2601.08605). low_score: see `LowScore`. loop: the last action and its
    observation came this many times in the attempt. on: how the attempt ended, "failure" or "success"; holds at no
    earlier turn than its last (privileged). random: probability, drawn anew each time. turns_left: at most this many
    decisions are left.
    """

    every: Positive | None = None
    entropy: float | None = None
    entropy_up: float | None = None
    low_score: LowScore | None = None
    loop: Positive | None = None
    on: Literal["failure", "success"] | None = None
    random: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    turns_left: Count | None = None

    def __post_init__(self) -> None:
        if self.entropy_up is not None and (self.entropy is None or not self.entropy < self.entropy_up):
            raise ValueError("entropy_up is above entropy, the threshold that stands beside it")


class WrapSettings(Record, frozen=True, kw_only=True):
    """A control that changes what a critic's words are, not that it was called.

    use: which control. run: the recorded run that `shuffled` draws from. turns: how many of the critic's utterances at
    a moment `delayed` holds each one back.
    """

    use: Wrap = "none"
    run: str | None = None
    turns: Positive = 1


class Spend(Record, frozen=True, kw_only=True):
    """The most that an episode may spend, in all its attempts and by all roles but the user.

    tokens: prompt (fresh and cached) and output. calls: requests to models. steps: actions that the environment
    executed. dollars: by the experiment's `prices`.
    """

    tokens: Positive | None = None
    calls: Positive | None = None
    steps: Positive | None = None
    dollars: Annotated[float, msgspec.Meta(gt=0, le=1e9)] | None = None


class PluginSettings(Record, frozen=True, kw_only=True):
    """One plug-in instance.

    `trigger` and `deliver` are kept by moment; what stands under "all" holds at every moment that is not named. A file
    or command line may leave "all" out: trigger = { every = 2 }, deliver = "suffix".
    `budget` is how often it is asked at a moment of an attempt, `cooldown` how many turns it is left in peace after it
    was; both count when its trigger holds, whatever it answers.
    `shadow` is for critics: it is asked and recorded as ever, and nothing that it says is told, counted or followed.
    `mode`, `round` and `source` are for memories: see `MemoryMode`; `round` is how many tasks share one state of the
    memory in mode "rounds", `source` the recorded run that a memory starts from.
    """

    use: str
    label: str = ""
    model: str | None = None
    trigger: dict[When, TriggerSettings] = {}
    deliver: dict[When, Deliver] = {}
    wrap: WrapSettings = WrapSettings()
    budget: Count | None = None
    cooldown: Count = 0
    shadow: bool = False
    mode: MemoryMode = "sequential"
    round: Positive = 8
    source: str | None = None
    options: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """The label, or the plug-in's name where none was given."""
        return self.label or self.use


KNOWN = tuple(f for f in PluginSettings.__struct_fields__ if f != "options")


def plugin_settings(value: Any, where: str) -> PluginSettings:
    """Settings from a table of an experiment file (or just a name). `where` opens the error's sentence."""
    if isinstance(value, PluginSettings):
        return value
    if isinstance(value, str):
        return parse_plugin(value, where)
    if not isinstance(value, dict) or not isinstance(value.get("use"), str):
        raise UsageError(f'{where}: a plug-in is a name or a table with use = "NAME", not {value!r}')
    known = {k: v for k, v in value.items() if k in KNOWN}
    options = value.get("options", {})
    if not isinstance(options, dict):
        raise UsageError(f"{where}.options: a table of the plug-in's options, not {options!r}")
    options = {k: v for k, v in value.items() if k not in KNOWN and k != "options"} | options
    if isinstance(known.get("wrap"), str):
        known["wrap"] = {"use": known["wrap"]}
    for key, names in (("trigger", TriggerSettings.__struct_fields__), ("deliver", ())):
        if key in known:
            known[key] = by_moment(known[key], names, f"{where}.{key}")
    try:
        settings = _settings(known)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}") from error
    return msgspec.structs.replace(settings, options=options)


def by_moment(value: Any, fields: Sequence[str], where: str) -> dict[str, Any]:
    """A setting by moment; one that names no moment holds at all of them."""
    moments = typing.get_args(When)
    if not isinstance(value, dict) or all(k in fields for k in value):
        return {"all": value}
    unknown = [k for k in value if k not in moments]
    if unknown:
        raise UsageError(f"{where}: unknown '{unknown[0]}'; {did_you_mean(unknown[0], [*fields, *moments])}")
    return value


HINTS = typing.get_type_hints(PluginSettings, include_extras=True)


def _settings(known: dict[str, Any]) -> PluginSettings:
    """Convert the fields one by one, so that an error names its key."""
    out: dict[str, Any] = {}
    for key, value in known.items():
        try:
            out[key] = converted(value, HINTS[key])
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"{key}: {error}") from error
    return PluginSettings(**out)


def scalar(text: str) -> Any:
    """A command-line value: TOML's true, false, integers and floats, anything else is a string."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_plugin(text: str, where: str) -> PluginSettings:
    """`[LABEL=]NAME[:KEY=VALUE,…]`; dots in a key nest (`trigger.every=2`). A value may hold a model URI."""
    head, _, tail = text.partition(":")
    label, equals, use = head.rpartition("=")
    if not use or (equals and not label):
        raise UsageError(f"{where}: '{text}' is not of the form [LABEL=]NAME[:KEY=VALUE,…]")
    table: dict[str, Any] = {"use": use}
    if label:
        table["label"] = label
    key = ""
    for part in tail.split(",") if tail else []:
        name, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"{where}: '{part}' in '{text}' is not of the form KEY=VALUE")
        if key == "model" and name in SAMPLING_KEYS:
            table["model"] += f",{part}"
            continue
        key = name
        *path, last = name.split(".")
        inner = table
        for step in path:
            inner = inner.setdefault(step, {})
            if not isinstance(inner, dict):
                raise UsageError(f"{where}: '{name}' in '{text}' nests below a value")
        inner[last] = scalar(value)
    if isinstance(table.get("model"), (int, float, bool)):
        raise UsageError(f"{where}: model={table['model']} is no model URI")
    return plugin_settings(table, where)


SAMPLING_KEYS = ("temperature", "top_p", "max_tokens")
"""Options of a model URI that belong to sampling and not to the backend."""

"""The full run as an experiment file, registered before it is played: a placebo for each critic, and what was fixed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from cornerman.engine.method import Method, MethodSettings
from cornerman.engine.settings import WrapSettings
from cornerman.errors import UsageError
from cornerman.experiment import Experiment, to_toml

WRAPPED = ("review_action", "answer_request", "review_turn", "review_attempt")
"""Moments at which a wrapper changes a critic's words; it leaves `on_task_start` and `transform_observation` be."""


def placebo_of(method: Method) -> MethodSettings | None:
    """The same method with its critics' words replaced by as many that say nothing.

    None for a method without critics, for a control, and where no critic speaks at a moment that a wrapper changes.
    """
    settings = method.settings
    if not settings.critic or any(c.wrap.use != "none" or c.shadow for c in settings.critic):
        return None
    if not any(critic.has(moment) for critic in method.critics for moment in WRAPPED):
        return None
    critics = tuple(replace(c, wrap=WrapSettings(use="placebo")) for c in settings.critic)
    return replace(settings, name=f"{settings.name}+placebo", critic=critics)


def placebos(methods: Sequence[Method]) -> dict[str, MethodSettings]:
    """The placebo arms that are missing, by the method that each is one of."""
    settings = [m.settings for m in methods]
    taken = {s.name for s in settings}
    out = {}
    for method in methods:
        arm = placebo_of(method)
        if arm is None or any(replace(s, name=arm.name) == arm for s in settings):
            continue
        while arm.name in taken:
            arm = replace(arm, name=f"{arm.name}+placebo")
        taken.add(arm.name)
        out[method.name] = arm
    return out


def registered(experiment: Experiment, arms: dict[str, MethodSettings], trials: int) -> Experiment:
    """The experiment to play: the chosen trials, and each placebo after its method."""
    methods = [m for s in experiment.method for m in (s, arms.get(s.name)) if m is not None]
    return replace(experiment, name=f"{experiment.name}-registered", method=tuple(methods), trials=trials)


def write(path: Path, experiment: Experiment, statement: Sequence[str]) -> None:
    """Write the file, its statement as a comment on top. What was registered before is not overwritten by another.

    The statement's date is no part of what is compared, so that the same trial can be read again.
    """
    lines = ["# " + "".join(c if c.isprintable() else " " for c in line) for line in statement]
    body = to_toml(experiment)
    if path.exists():
        if path.read_text(encoding="utf-8").endswith("\n\n" + body):
            return
        raise UsageError(f"{path} registers another experiment; keep it, and write this one elsewhere with --register")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text("\n".join(lines) + "\n\n" + body, encoding="utf-8")
    beside.replace(path)

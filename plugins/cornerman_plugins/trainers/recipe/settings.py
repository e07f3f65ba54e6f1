"""What a recipe holds, resolved."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from cornerman.engine.method import MethodSettings
from cornerman.records import Record
from cornerman_plugins.trainers.losses.kl import Estimator
from cornerman_plugins.trainers.policy.tiny import TinySettings
from cornerman_plugins.trainers.policy.weights import WeightSettings
from cornerman_plugins.trainers.weighting import Normalise

Count = Annotated[int, msgspec.Meta(ge=1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class PieceSettings(Record, frozen=True, kw_only=True):
    """A registered piece by its name, with its options."""

    use: str
    options: dict[str, Any] = {}


class KLSettings(Record, frozen=True, kw_only=True):
    """A penalty for leaving the reference policy: the estimator (see `losses.kl`) and its weight."""

    estimator: Estimator = "k3"
    weight: Annotated[float, msgspec.Meta(gt=0)] = 0.01


class LearnSettings(Record, frozen=True, kw_only=True):
    """How one role learns in a stage.

    reward, advantage (a chain), loss: pieces. normalise: how the loss is averaged, where not as the loss's source does.
    samples: which of its samples: all, those before any retry (`first`), retries, or those that solved their task.
    rate: of AdamW (Loshchilov and Hutter 2019, arXiv 1711.05101); warmup: updates over which it rises from 0. decay:
    AdamW's weight decay. clip: the largest norm of a gradient.
    """

    reward: PieceSettings = PieceSettings(use="outcome")
    advantage: tuple[PieceSettings, ...] = ()
    loss: PieceSettings
    normalise: Normalise | None = None
    kl: KLSettings | None = None
    samples: Literal["all", "first", "retries", "solved"] = "all"
    rate: Annotated[float, msgspec.Meta(gt=0)]
    warmup: Annotated[int, msgspec.Meta(ge=0)] = 0
    decay: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    clip: Annotated[float, msgspec.Meta(gt=0)] = 1.0


class Stage(Record, frozen=True, kw_only=True):
    """One way of playing and learning; phases of the schedule name it.

    method: who plays, as a method of an experiment. The plug-ins of a role whose weights are trained name no model:
    they get `policy:ROLE`, and demonstrations name `scribe:ROLE`. suite: the tasks, the recipe's unless it is given.
    tasks: how many an update (or, where a phase collects once, the phase) plays; trials: how often each. learn: by
    role. batch: samples of each role in an update of a phase that collects once. epochs: passes over the samples of an
    update; more than one makes the ratio to the sampling policy leave 1.
    """

    method: MethodSettings
    learn: dict[str, LearnSettings]
    suite: str | None = None
    tasks: Count = 8
    trials: Count = 8
    batch: Count = 64
    epochs: Count = 1


class Base(Record, frozen=True, kw_only=True):
    """The weights that training begins with.

    model: `tiny` (random, with a vocabulary from `tiny.games` games of the first stage), `smollm2`, or a transformers
    folder or hub name. start: the folder of another training run, whose last weights are taken over.
    """

    model: str = "smollm2"
    start: str = ""
    tiny: TinySettings = TinySettings()


class Evaluate(Record, frozen=True, kw_only=True):
    """Held-out evaluation: every so many updates, and before the first and after the last.

    suite, limit: the tasks, the first `limit` of them. method: by name, as in an experiment; `critic` in a method is
    the trained one unless it names a model.
    """

    suite: str
    every: Annotated[int, msgspec.Meta(ge=0)] = 20
    limit: Count | None = None
    method: tuple[MethodSettings, ...] = ()


class Limits(Record, frozen=True, kw_only=True):
    """When a run has collapsed: each limit must hold for `patience` updates in a row; 0 or 1 switch a limit off.

    entropy: the mean entropy of decisions (nats) below this. dead: at least this share of groups in which all fared
    alike. drift: answers longer or shorter than at the beginning by this factor. gap: the mean difference (nats)
    between the sampler's log-probabilities and the trainer's above this.
    """

    patience: Count = 10
    entropy: Annotated[float, msgspec.Meta(ge=0)] = 0.01
    dead: Share = 1.0
    drift: Annotated[float, msgspec.Meta(ge=0)] = 4.0
    gap: Annotated[float, msgspec.Meta(ge=0)] = 0.1


class Recipe(Record, frozen=True, kw_only=True):
    """A training run, resolved.

    schedule: a registered schedule with its options; its phases name the stages. tokens: the most that a micro-batch
    holds. save: a checkpoint every so many updates. source: the paper; paper: dotted keys whose values are the paper's,
    all others being ours. ablation: what an ablation changes, as tables by its name.
    """

    name: str
    suite: str
    schedule: PieceSettings
    stage: dict[str, Stage]
    base: Base = Base()
    weights: WeightSettings = WeightSettings()
    evaluate: Evaluate | None = None
    limits: Limits = Limits()
    seed: int = 0
    tokens: Count = 4096
    share: bool = True
    save: Count = 20
    source: str = ""
    paper: tuple[str, ...] = ()
    ablation: dict[str, dict[str, Any]] = {}

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that have weights: those that learn, and those that play without a model of their own."""
        found = {role for stage in self.stage.values() for role in stage.learn}
        for stage in self.stage.values():
            for role, plugins in (("actor", (stage.method.actor,)), ("critic", stage.method.critic)):
                found |= {role} if any(p.model in (None, f"policy:{role}") for p in plugins) else set()
        return tuple(sorted(found))

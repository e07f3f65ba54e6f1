"""What one role learns from in an update: token sequences, each token's advantage, and its weight in the loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cornerman.registry import Registry
from cornerman_plugins.trainers.batch import Floats, Ints
from cornerman_plugins.trainers.pieces import Piece, advantages, load_piece, rewarded
from cornerman_plugins.trainers.policy.packing import Sampled
from cornerman_plugins.trainers.recipe.settings import LearnSettings, PieceSettings
from cornerman_plugins.trainers.rollouts.columns import columns
from cornerman_plugins.trainers.rollouts.samples import Sample
from cornerman_plugins.trainers.weighting import token_weights


@dataclass(frozen=True)
class Way:
    """How a role learns in a stage, its pieces loaded."""

    settings: LearnSettings
    reward: Piece
    chain: list[Piece]
    loss: Piece

    @staticmethod
    def of(registry: Registry, settings: LearnSettings) -> Way:
        """Load the pieces."""

        def load(kind: str, piece: PieceSettings) -> Piece:
            return load_piece(registry, kind, piece.use, piece.options)  # type: ignore[arg-type]

        chain = [load("advantage", piece) for piece in settings.advantage]
        return Way(settings, load("reward", settings.reward), chain, load("loss", settings.loss))

    @property
    def imitates(self) -> bool:
        """Whether the loss asks for no advantage, so that every token counts alike."""
        return "advantage" not in self.loss.reads


@dataclass(frozen=True)
class Lesson:
    """Sequences with, for each of their decisions one after another, advantage, weight and sampled log-probability.

    `owner` is the index of the sample that a decision belongs to. Sequences without any weight are left out already.
    """

    role: str
    way: Way
    sequences: list[Sampled]
    advantage: Floats
    weight: Floats
    sampled: Floats
    owner: Ints
    rewards: Floats
    dead: float


def lesson(role: str, way: Way, samples: Sequence[Sample]) -> Lesson:
    """Weigh the samples of a role. Raises `UsageError` where the pieces read what these samples do not have."""
    chosen = [s for s in samples if _wanted(s, way.settings.samples)]
    batch = rewarded(columns(chosen), way.reward)
    values = advantages(batch, way.chain) if way.chain else np.zeros(batch.size("turn"))
    level = "turn" if len(values) == batch.size("turn") and (not way.chain or way.chain[-1].per != "token") else "token"
    token = batch.spread(values, level, "token")  # type: ignore[arg-type]
    owner = batch["sample"][batch["token_turn"]]
    mask = np.ones(len(owner), dtype=np.bool_)
    normalise = way.settings.normalise or way.loss.normalise
    weight = token_weights(mask, owner, normalise=normalise, sequences=len(chosen))
    generations = [g for s in chosen for g in s.generations]
    sampled = [np.nan if g.logprobs is None else g.logprobs[i] for g in generations for i in g.tokens.decisions]
    reward = batch["reward"] if "reward" in batch else batch["score"]
    dead = dead_share(reward, batch["group"])
    made = Lesson(role, way, [g.tokens for g in generations], token, weight, np.array(sampled), owner, reward, dead)
    return made if way.imitates or way.settings.kl is not None else alive(made)


def alive(made: Lesson) -> Lesson:
    """Without the sequences whose advantages are all zero: they have no gradient."""
    kept: list[Sampled] = []
    tokens: list[int] = []
    at = 0
    for sequence in made.sequences:
        here = range(at, at + len(sequence.decisions))
        at = here.stop
        if any(abs(made.advantage[i]) > 1e-9 for i in here):
            kept.append(sequence)
            tokens += here
    index = np.array(tokens, dtype=np.int64)
    return Lesson(
        made.role,
        made.way,
        kept,
        made.advantage[index],
        made.weight[index],
        made.sampled[index],
        made.owner[index],
        made.rewards,
        made.dead,
    )


def dead_share(reward: Floats, group: Ints) -> float:
    """The share of groups of several samples in which all fared alike: they teach nothing."""
    several = [reward[group == g] for g in np.unique(group)]
    several = [values for values in several if len(values) > 1]
    return sum(float(np.ptp(v) < 1e-9) for v in several) / len(several) if several else 0.0


def _wanted(sample: Sample, which: str) -> bool:
    if which == "first":
        return sample.critique is None and sample.about is None
    if which == "retries":
        return sample.critique is None and sample.about is not None
    return which != "solved" or bool(sample.attempt.success)

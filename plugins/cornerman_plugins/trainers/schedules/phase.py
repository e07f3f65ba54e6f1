"""One phase of training."""

from __future__ import annotations

from typing import Literal

from cornerman.record import Record


class Phase(Record, frozen=True, kw_only=True):
    """A stretch of training in which the same roles learn by the same stage of the recipe.

    stage: the recipe's table that says by which data, rewards, advantages and loss; several phases may share one.
    learn: the roles whose weights change, in the same update. play: the roles that act with their newest weights when
    episodes are played; the others stay as they were when the training began. updates: optimiser steps. epochs: how
    often the episodes of a phase that collects once are gone through; its `updates` then caps the steps, 0 for no cap.
    collect: play before each update, once before the phase, or not at all, on the episodes of the phase before.
    reference: before the phase, keep the reference policy or make it the weights as they stand. weights: go on from
    the weights as they stand, or start the learners anew from those that the training began with.
    iteration: how often the schedule came to this phase before.
    """

    stage: str
    learn: tuple[str, ...]
    play: tuple[str, ...] = ("actor", "critic")
    updates: int = 0
    epochs: int = 1
    collect: Literal["each", "once", "none"] = "each"
    reference: Literal["keep", "refresh"] = "keep"
    weights: Literal["continue", "base"] = "continue"
    iteration: int = 0

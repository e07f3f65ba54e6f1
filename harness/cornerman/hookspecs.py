"""The hooks: the one page that a plug-in author reads.

A plug-in implements those it needs and marks each with `@cornerman.hookimpl`; it may take fewer arguments than the
specification, and every hook except `register` may be `async`. None declines. `view` is what the plug-in declared to
see (`sees = ("history", "score", …)`), its own `view.state` and its bound `view.model`; see docs/plugins.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cornerman.dialogue import UserMessage
    from cornerman.engine.view import UserView, View
    from cornerman.records import (
        Attempt,
        AttemptSpec,
        Candidate,
        ContextItem,
        Critique,
        Episode,
        MemoryOp,
        Request,
        Turn,
    )
    from cornerman.registry import Registry

# mypy: disable-error-code="empty-body"

VERSION = 1
"""Version of this page. A changed hook warns for one minor release before the old form stops working."""

PROJECT = "cornerman"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Catalogue:
    """Implemented by a distribution or a file: enters its names into the catalogue."""

    @hookspec
    def register(self, registry: Registry) -> None:
        """Enter environments, suites, critics, actors, … by name, as lazy `module:attr` references."""


class Trajectory:
    """Implemented by actors, critics, memories, protocols and users: the moments of an episode, in order."""

    @hookspec
    def on_task_start(self, view: View) -> Sequence[ContextItem] | None:
        """Before the first attempt: words for the actor's context (experience, skills, persona)."""

    @hookspec
    def plan_attempts(self, view: View) -> Sequence[AttemptSpec] | None:
        """The protocol, before the first and after each round of attempts: what to play next; None stops."""

    @hookspec
    def transform_observation(self, view: View, observation: str) -> str | Sequence[ContextItem] | None:
        """Before the actor sees an observation, chained in method order: new text, or words beside it."""

    @hookspec
    def act(self, view: View) -> str | Candidate | Sequence[str | Candidate] | Request:
        """The actor, each turn: one action, several candidates, or a request to a critic."""

    @hookspec
    def review_action(self, view: View, candidates: Sequence[Candidate]) -> Critique | Sequence[Critique | None] | None:
        """Before execution: one critique per candidate (or one for all); None passes."""

    @hookspec
    def revise(
        self, view: View, candidates: Sequence[Candidate], critiques: Sequence[Critique]
    ) -> str | Candidate | None:
        """The actor, after a review that asks for it: the action to execute instead of what it offered.

        `critiques` are the words on the candidate that the review settled on (`critique.candidate` is its index), or
        none where all candidates were blocked without a word; those on every candidate by the protocol's
        `revise_on = "all"`. None keeps that candidate.
        """

    @hookspec
    def answer_request(self, view: View, request: Request) -> Critique | None:
        """The actor asked: the answer. Costs the actor a decision and no environment step."""

    @hookspec
    def reply_as_user(self, view: UserView, message: UserMessage) -> str:
        """The user of the suite's rules, whenever the environment waits for it: its next words, or a call of its tool.

        It is told what `message` holds and sees nothing else; `view` has its own state, model and random numbers.
        """

    @hookspec
    def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """After execution: advice for the turns to come, a score of this one."""

    @hookspec
    def review_attempt(self, view: View, attempt: Attempt) -> Critique | Sequence[Critique] | None:
        """At an attempt's end: a diagnosis; `pivot` may name the turn from which to try again."""

    @hookspec
    def on_task_end(self, view: View, episode: Episode) -> Sequence[MemoryOp] | None:
        """After the last attempt: what a memory wants to add, change or drop."""


class Observation:
    """Implemented by observers: they watch a run and may change nothing."""

    @hookspec
    def run_started(self, run: Any) -> None:
        """Before the first episode; `run` is the run's plan (name, folder, requested episodes)."""

    @hookspec
    def attempt_finished(self, task: Any, method: str, trial: int, attempt: Attempt) -> None:
        """An attempt came to its end."""

    @hookspec
    def episode_finished(self, episode: Episode) -> None:
        """An episode was recorded on disk."""

    @hookspec
    def run_finished(self, run: Any, complete: bool) -> None:
        """After the last episode, or after the run was stopped."""


TRAJECTORY_HOOKS = tuple(name for name in vars(Trajectory) if not name.startswith("_"))

"""What can go wrong, once.

A bad rollout is data, not a crash. Every episode ends with one `End`; the table `POLICY` below says, for each end,
whether it is an error, whether a rollout retries it at once, and whether a resumed run plays it again. Everything that
a plug-in, an environment or a model raises is turned into one of these at the boundary that called it.

Two families of exceptions live here. `UsageError` is a mistake of the person at the keyboard: the command line prints
its sentence and exits with 2. `EpisodeError` ends one episode with its class and leaves the run alone.
"""

from __future__ import annotations

import difflib
import enum
from collections.abc import Iterable
from dataclasses import dataclass


class End(enum.StrEnum):
    """Why an attempt, and with it an episode, came to its end."""

    SUCCESS = "success"
    FAILURE = "failure"
    TRUNCATED = "truncated"
    STOPPED = "stopped"
    ACTOR_ERROR = "actor_error"
    CRITIC_ERROR = "critic_error"
    USER_ERROR = "user_error"
    MODEL_ERROR = "model_error"
    ENV_ERROR = "env_error"
    TIMEOUT = "timeout"
    NOT_REPRODUCIBLE = "not_reproducible"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Policy:
    """How one end is treated: `retries` at once, `replay` by a resumed run, and the words of the tables."""

    error: bool
    retries: int
    replay: bool
    shown: str


POLICY: dict[End, Policy] = {
    End.SUCCESS: Policy(False, 0, False, "solved"),
    End.FAILURE: Policy(False, 0, False, "the environment ended without success"),
    End.TRUNCATED: Policy(False, 0, False, "out of turns, or of its budget"),
    End.STOPPED: Policy(False, 0, False, "a critic or the actor stopped it"),
    End.ACTOR_ERROR: Policy(True, 0, True, "the actor plug-in raised"),
    End.CRITIC_ERROR: Policy(True, 0, True, "a critic, memory or protocol plug-in raised"),
    End.USER_ERROR: Policy(True, 0, True, "the user plug-in raised"),
    End.MODEL_ERROR: Policy(True, 0, True, "the model could not answer"),
    End.ENV_ERROR: Policy(True, 1, True, "the environment raised or its worker died"),
    End.TIMEOUT: Policy(True, 0, True, "over a time limit"),
    End.NOT_REPRODUCIBLE: Policy(True, 0, True, "a replay saw another observation"),
    End.CANCELLED: Policy(True, 0, True, "interrupted"),
}


class CornermanError(Exception):
    """Base of everything that Cornerman raises on purpose."""


class UsageError(CornermanError):
    """Wrong usage or input; the message is one clear sentence that says what to do."""


class RunInterrupted(CornermanError):
    """A run ended before its time and for no fault of its experiment; the sentence says how to go on."""


class MissingExtra(UsageError):
    """Something needs an optional package; the sentence names the command that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'cornerman[{extra}]'")
        self.extra = extra


class EpisodeError(CornermanError):
    """Ends one episode with a class; the rest of the run goes on."""

    end: End = End.ENV_ERROR


class ActorError(EpisodeError):
    """The actor plug-in raised, or answered something that is no answer."""

    end = End.ACTOR_ERROR


class CriticError(EpisodeError):
    """A critic, memory or protocol plug-in raised, or answered something that is no answer."""

    end = End.CRITIC_ERROR


class UserError(EpisodeError):
    """The user plug-in raised, answered something that is no answer, is missing, or never comes to an end."""

    end = End.USER_ERROR


class ModelError(EpisodeError):
    """A model could not answer, retries included."""

    end = End.MODEL_ERROR


class ContextOverflow(ModelError):
    """A prompt is longer than the model's context; what follows is the protocol's `on_overflow`."""


class EnvError(EpisodeError):
    """The environment raised or its worker died."""

    end = End.ENV_ERROR


class EpisodeTimeout(EpisodeError):
    """A call, turn or episode went over its time limit."""

    end = End.TIMEOUT


class NotReproducible(EpisodeError):
    """A replayed action log saw another observation than the recorded one."""

    end = End.NOT_REPRODUCIBLE


class BarrierError(CornermanError):
    """A plug-in reached for something that it did not declare in `sees`."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A closing phrase for an error about an unknown name: the nearest known ones, or all when they are few."""
    names = sorted(set(known))
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.55)
    if close:
        return "did you mean " + " or ".join(repr(c) for c in close) + "?"
    if not names:
        return "none is registered."
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"known are: {shown}."

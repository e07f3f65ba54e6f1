"""Episodes without what can be made again from the rest: the form in which they are published and compared."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from cornerman.records import Attempt, Call, Episode, Message, Turn


def slim(episode: Episode) -> Episode:
    """An episode without what running it again brings back: lists of admissible actions, plug-in states, prompts.

    What was sampled stays, token ids and log-probabilities included: it can not be brought back. Of a prompt its digest
    stays, so that one that is made again can be compared.
    """
    return msgspec.structs.replace(
        episode,
        attempts=tuple(_slim_attempt(a) for a in episode.attempts),
        calls=tuple(_slim_call(c) for c in episode.calls),
    )


def prompt_digest(messages: Sequence[Message]) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a prompt's messages."""
    return hashlib.sha256(msgspec.msgpack.encode(list(messages))).hexdigest()[:16]


def _slim_attempt(attempt: Attempt) -> Attempt:
    turns = tuple(_slim_turn(t) for t in attempt.turns)
    return msgspec.structs.replace(attempt, turns=turns, opening_state={}, state={})


def _slim_turn(turn: Turn) -> Turn:
    return msgspec.structs.replace(turn, admissible_actions=None, state={})


def _slim_call(call: Call) -> Call:
    digest = prompt_digest(call.messages) if call.messages else call.prompt_digest
    return msgspec.structs.replace(call, messages=(), prompt_ids=None, prompt_digest=digest)

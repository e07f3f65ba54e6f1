"""The tape that arms of an experiment share: what the baseline's actor was answered, found again by what it asked.

Two methods with one actor do not differ before the first critique reaches it: the actor asks its model the same thing
at the same place, with the same seed. The second method then reads the answer from the first one's record. That saves
the call and makes the pair as alike as it can be on a model that answers the same question differently twice. A method
whose critic changes anything before it speaks asks something else and finds nothing here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from cornerman.records import Call, Completion, Episode, Message

Place = bytes


class Tape:
    """The actor's calls of one recorded episode, by what was asked and where."""

    def __init__(self, calls: Mapping[Place, Call]) -> None:
        self._calls = calls

    @classmethod
    def of(cls, episode: Episode) -> Tape:
        """The tape of an episode; calls that failed or lost their words in a retry are not on it."""
        calls = [c for c in episode.calls if c.role == "actor" and c.error is None and c.completions]
        return cls({place(c.kind, c.purpose, c.messages, c.seed, asked(c.kind, c.completions)): c for c in calls})

    def find(
        self, kind: str, purpose: str, messages: Sequence[Message], seed: int, wanted: Sequence[str] | int
    ) -> Call | None:
        """The recorded call that asked the same. `wanted`: the continuations to score, or how many to sample."""
        return self._calls.get(place(kind, purpose, messages, seed, wanted))


def asked(kind: str, completions: Sequence[Completion]) -> Sequence[str] | int:
    """What a recorded call asked for, read off its completions."""
    return [c.text for c in completions] if kind == "score" else len(completions)


def place(kind: str, purpose: str, messages: Sequence[Message], seed: int, wanted: Sequence[str] | int) -> Place:
    """Digest of a question and of where it was asked, which its seed tells."""
    texts = [] if isinstance(wanted, int) else list(wanted)
    count = wanted if isinstance(wanted, int) else len(texts)
    return hashlib.sha256(msgspec.msgpack.encode((kind, purpose, list(messages), seed, count, texts))).digest()

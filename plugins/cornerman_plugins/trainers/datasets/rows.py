"""What a dataset consists of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from cornerman.records import Episode, Message, Record


class Source(Record, frozen=True, kw_only=True):
    """Where a row comes from: the episode, the attempt, and the turn, None for what was said at an attempt's end."""

    task: str
    method: str
    trial: int
    attempt: int
    turn: int | None = None


class Example(Record, frozen=True, kw_only=True):
    """A prompt and the answer to be imitated there, by the role that gave it.

    completion_ids are its tokens as they were sampled, and prompt_ids those of the prompt that they were sampled after,
    where the record has them; a prompt that was rendered again has none. weight: what it counts in a weighted mean.
    """

    role: str
    prompt: tuple[Message, ...]
    completion: str
    source: Source
    prompt_ids: tuple[int, ...] | None = None
    completion_ids: tuple[int, ...] | None = None
    weight: float = 1.0


class Pair(Record, frozen=True, kw_only=True):
    """A prompt, an answer to be preferred there and one to be avoided; `source` and `other` are where they stood."""

    role: str
    prompt: tuple[Message, ...]
    chosen: str
    rejected: str
    source: Source
    other: Source


def source(episode: Episode, attempt: int, turn: int | None = None) -> Source:
    """The place of a row in an episode."""
    return Source(task=episode.task.id, method=episode.method, trial=episode.trial, attempt=attempt, turn=turn)


def trl_example(example: Example) -> dict[str, Any]:
    """An example as TRL's SFTTrainer reads it: a conversational prompt and completion."""
    return {"prompt": _chat(example.prompt), "completion": _answer(example.completion)}


def trl_pair(pair: Pair) -> dict[str, Any]:
    """A pair as TRL's DPOTrainer reads it: conversational, with an explicit prompt."""
    return {"prompt": _chat(pair.prompt), "chosen": _answer(pair.chosen), "rejected": _answer(pair.rejected)}


def mixed(sources: Sequence[tuple[Sequence[Example], float]]) -> list[Example]:
    """Examples of several sources, weighted so that Σ weight · loss is Σ_k share_k · (mean loss of source k).

    CGI, arXiv 2503.16024: shares β, β and 1 − β for successful play, for revisions after critiques, and for general
    conversation; its β was not found.
    """
    return [
        msgspec.structs.replace(example, weight=share / len(examples))
        for examples, share in sources
        for example in examples
    ]


def _chat(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": m.role, "content": m.content} for m in messages]


def _answer(text: str) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": text}]

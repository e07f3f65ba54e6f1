"""`view.model`: the one way from a plug-in to a model.

It binds role, seed, budget and record, so that every token of a run is accounted to a role and every call can be shown
beside the critique that it produced.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from cornerman.engine.text import mended
from cornerman.errors import CornermanError, EpisodeTimeout, ModelError, UsageError
from cornerman.model import Generation, Model, Sampling
from cornerman.records import Call, Completion, Message, Usage
from cornerman.responses import key

if TYPE_CHECKING:
    from cornerman.engine.branch import Branch
    from cornerman.engine.instance import Instance

Kind = Literal["generate", "score"]
Ask = Callable[[Sequence[Message], str], Awaitable[Generation]]


class Reply(msgspec.Struct, frozen=True):
    """Completions of one call, and its id in the record."""

    completions: tuple[Completion, ...]
    call: int

    @property
    def text(self) -> str:
        """The first completion's text."""
        return self.completions[0].text


class BoundModel:
    """A model bound to one plug-in instance at one place of one episode."""

    def __init__(self, branch: Branch, model: Model, instance: Instance) -> None:
        self._branch, self._model, self._instance = branch, model, instance

    @property
    def capabilities(self) -> frozenset[str]:
        """What the backend can do; see `cornerman.model.Capability`."""
        return frozenset(self._model.capabilities)

    @property
    def sampling(self) -> Mapping[str, Any]:
        """The sampling options that the model's URI gives; they win over a plug-in's own."""
        return dict(self._instance.fixed)

    async def generate(
        self, messages: Sequence[Message], *, n: int = 1, purpose: str = "generate", **sampling: Any
    ) -> Reply:
        """Sample n completions. Keyword arguments are fields of `Sampling`; the model URI's own values win."""
        wanted = Sampling(**{**sampling, **self._instance.fixed})
        place = self._branch.seed(self._instance.key, "sample")
        seeds = [place + i for i in range(n)]
        return await self._call(
            "generate",
            purpose,
            messages,
            seeds,
            wanted,
            lambda asked, session: self._model.generate(asked, wanted, seeds=seeds, session=session),
        )

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, purpose: str = "score"
    ) -> Reply:
        """Log-probabilities of each continuation as the assistant's whole answer.

        A model that cannot score is no bad rollout but a wrong method: it ends the run, as a missing model does.
        """
        if "score" not in self._model.capabilities:
            raise UsageError(unable(self._instance.label, self._model.name, "score"))
        return await self._call(
            "score",
            purpose,
            messages,
            (),
            list(continuations),
            lambda asked, session: self._model.score(asked, continuations, session=session),
        )

    async def _call(
        self,
        kind: Kind,
        purpose: str,
        messages: Sequence[Message],
        seeds: Sequence[int],
        wanted: Sampling | list[str],
        ask: Ask,
    ) -> Reply:
        """One request and its record. `wanted`: how to sample, one completion a seed, or the continuations to score."""
        n = len(seeds) if isinstance(wanted, Sampling) else len(wanted)
        scope, instance = self._branch.scope, self._instance
        ident = next(scope.call_ids)
        self._branch.calls_this_turn.append(ident)
        asked = [msgspec.structs.replace(m, content=mended(m.content)) for m in messages]
        record = Call(
            id=ident,
            role=instance.role,
            plugin=instance.label,
            purpose=purpose,
            kind=kind,
            model=self._model.name,
            messages=tuple(asked),
            seed=seeds[0] if seeds else 0,
        )
        if scope.tape and instance.role == "actor":
            sought = n if isinstance(wanted, Sampling) else wanted
            taped = scope.tape.find(kind, purpose, asked, record.seed, sought)
            if taped is not None:
                scope.calls.append(from_tape(record, taped))
                return Reply(taped.completions, ident)
        cache = scope.bench.responses
        place = b"" if cache is None else key(self._model, scope.trial, asked, wanted, seeds)
        held = None if cache is None else await cache.find(place)
        if held is not None and len(held.completions) == n:
            scope.calls.append(from_cache(record, held))
            return Reply(scope.calls[-1].completions, ident)
        session = f"{scope.serial}/{self._branch.path}/{instance.key}"
        started = time.perf_counter()
        try:
            async with scope.bench.gates.get(instance.role) or contextlib.nullcontext():
                entered = time.perf_counter()
                answer = await self._limited(lambda: ask(asked, session))
            if len(answer.completions) != n:
                raise ModelError(f"the model '{self._model.name}' gave {len(answer.completions)} of {n} completions")
        except (CornermanError, asyncio.CancelledError) as error:
            usage = Usage(calls=1, seconds=time.perf_counter() - started)
            scope.calls.append(msgspec.structs.replace(record, error=str(error) or "cancelled", usage=usage))
            raise
        if cache is not None:
            await cache.keep(place, answer)
        usage = msgspec.structs.replace(
            answer.usage,
            calls=max(1, answer.usage.calls),
            seconds=time.perf_counter() - entered,
            queue_seconds=answer.usage.queue_seconds + entered - started,
        )
        scope.calls.append(answered(record, answer, usage))
        return Reply(scope.calls[-1].completions, ident)

    async def _limited(self, ask: Callable[[], Awaitable[Generation]]) -> Generation:
        seconds = self._branch.scope.bench.limits.call_seconds
        try:
            async with asyncio.timeout(seconds or None):
                return await ask()
        except TimeoutError:
            raise EpisodeTimeout(f"the model '{self._model.name}' took over {seconds:g} s for one call") from None
        except CornermanError:
            raise
        except Exception as error:
            raise ModelError(f"the model '{self._model.name}' raised {type(error).__name__}: {error}") from error


def answered(record: Call, answer: Generation, usage: Usage) -> Call:
    """The record of a call with its answer."""
    return msgspec.structs.replace(
        record,
        checkpoint=answer.checkpoint,
        prompt_ids=answer.prompt_ids,
        completions=tuple(msgspec.structs.replace(c, text=mended(c.text)) for c in answer.completions),
        usage=usage,
    )


def from_cache(record: Call, held: Generation) -> Call:
    """The record of a call that the response cache answered: billed in full, without seconds."""
    calls = max(1, held.usage.calls)
    usage = msgspec.structs.replace(held.usage, calls=calls, seconds=0.0, queue_seconds=0.0, hits=calls)
    return answered(record, held, usage)


def from_tape(record: Call, taped: Call) -> Call:
    """The record of a call that was not made because its answer stood on the tape: billed in full, without seconds."""
    usage = msgspec.structs.replace(taped.usage, seconds=0.0, queue_seconds=0.0, taped=taped.usage.calls, hits=0)
    return msgspec.structs.replace(
        record,
        checkpoint=taped.checkpoint,
        prompt_ids=taped.prompt_ids,
        completions=taped.completions,
        usage=usage,
    )


CAN = {
    "generate": ("texts", "generate"),
    "score": ("log-probabilities of given texts", "score"),
    "logprobs": ("log-probabilities of what it samples", "give log-probabilities"),
    "token_ids": ("token ids", "give token ids"),
    "choices": ("answers among given texts", "choose"),
    "regex": ("answers of a given form", "keep to a form"),
}
"""Capabilities in words: what they give, and what a model that has them can do."""


def unable(label: str, model: str, capability: str) -> str:
    """The sentence for a plug-in that was given a model without a capability that it needs."""
    what, can = CAN[capability]
    return (
        f"'{label}' needs {what}, which the model '{model}' cannot give; use a model that can {can}, such as smollm2 "
        "or hf:PATH"
    )


def usage_by_role(calls: Sequence[Call]) -> dict[str, Usage]:
    """Sums of the usage by role."""
    total: dict[str, Usage] = {}
    for call in calls:
        total[call.role] = total.get(call.role, Usage()) + call.usage
    return total

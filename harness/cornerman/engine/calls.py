"""`view.model`: the one way from a plug-in to a model.

It binds role, seed, budget and record, so that every token of a run is accounted to a role and every call can be shown
beside the critique that it produced.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from cornerman.errors import CornermanError, EpisodeTimeout, ModelError
from cornerman.model import Generation, Model, Sampling
from cornerman.records import Call, Completion, Message, Role, Usage

if TYPE_CHECKING:
    from cornerman.engine.branch import Branch


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

    def __init__(self, branch: Branch, model: Model, role: Role, label: str, fixed: Mapping[str, Any]) -> None:
        self._branch, self._model, self._role, self._label, self._fixed = branch, model, role, label, fixed

    @property
    def capabilities(self) -> frozenset[str]:
        """What the backend can do; see `cornerman.model.Capability`."""
        return frozenset(self._model.capabilities)

    @property
    def sampling(self) -> Mapping[str, Any]:
        """The sampling options that the model's URI gives; they win over a plug-in's own."""
        return dict(self._fixed)

    async def generate(
        self, messages: Sequence[Message], *, n: int = 1, purpose: str = "generate", **sampling: Any
    ) -> Reply:
        """Sample n completions. Keyword arguments are fields of `Sampling`; the model URI's own values win."""
        wanted = Sampling(**{**sampling, **self._fixed})
        place = self._branch.seed(self._label, "sample")
        seeds = [place + i for i in range(n)]
        return await self._call(
            "generate",
            purpose,
            messages,
            place,
            lambda s: self._model.generate(messages, wanted, seeds=seeds, session=s),
        )

    async def score(
        self, messages: Sequence[Message], continuations: Sequence[str], *, purpose: str = "score"
    ) -> Reply:
        """Log-probabilities of each continuation as the assistant's whole answer."""
        if "score" not in self._model.capabilities:
            raise ModelError(
                f"'{self._label}' needs log-probabilities of given texts, which the model '{self._model.name}' cannot "
                "give; use a model that can score, such as smollm2 or hf:PATH"
            )
        return await self._call(
            "score", purpose, messages, 0, lambda s: self._model.score(messages, continuations, session=s)
        )

    async def _call(self, kind: Any, purpose: str, messages: Sequence[Message], seed: int, ask: Any) -> Reply:
        scope = self._branch.scope
        ident = next(scope.call_ids)
        self._branch.calls_this_turn.append(ident)
        record = Call(
            id=ident,
            role=self._role,
            plugin=self._label,
            purpose=purpose,
            kind=kind,
            model=self._model.name,
            messages=tuple(messages),
            seed=seed,
        )
        session = f"{scope.task.env}/{scope.task.id}/{scope.trial}/{self._branch.path}/{self._label}"
        started = time.perf_counter()
        try:
            gate = scope.bench.gates.get(self._role)
            async with gate or contextlib.nullcontext():
                entered = time.perf_counter()
                answer: Generation = await self._limited(ask(session))
        except CornermanError as error:
            usage = Usage(calls=1, seconds=time.perf_counter() - started)
            scope.calls.append(msgspec.structs.replace(record, error=str(error), usage=usage))
            raise
        usage = msgspec.structs.replace(
            answer.usage,
            calls=max(1, answer.usage.calls),
            seconds=time.perf_counter() - entered,
            queue_seconds=answer.usage.queue_seconds + entered - started,
        )
        scope.calls.append(
            msgspec.structs.replace(
                record,
                checkpoint=answer.checkpoint,
                prompt_ids=answer.prompt_ids,
                completions=answer.completions,
                usage=usage,
            )
        )
        return Reply(answer.completions, ident)

    async def _limited(self, answer: Any) -> Generation:
        seconds = self._branch.scope.bench.limits.call_seconds
        try:
            async with asyncio.timeout(seconds or None):
                result: Generation = await answer
                return result
        except TimeoutError:
            raise EpisodeTimeout(f"the model '{self._model.name}' took over {seconds:g} s for one call") from None
        except CornermanError:
            raise
        except Exception as error:
            raise ModelError(f"the model '{self._model.name}' raised {type(error).__name__}: {error}") from error


def usage_by_role(calls: Sequence[Call]) -> dict[str, Usage]:
    """Sums of the usage by role."""
    total: dict[str, Usage] = {}
    for call in calls:
        total[call.role] = total.get(call.role, Usage()) + call.usage
    return total

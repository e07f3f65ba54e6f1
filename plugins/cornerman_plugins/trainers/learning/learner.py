"""Changes a set of weights by what the roles that have it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import torch

from cornerman_plugins.trainers.batch import Floats
from cornerman_plugins.trainers.learning.lesson import Lesson
from cornerman_plugins.trainers.losses.kl import kl
from cornerman_plugins.trainers.policy.logprobs import TokenValues, token_values
from cornerman_plugins.trainers.policy.packing import micro_batches
from cornerman_plugins.trainers.policy.weights import Policy
from cornerman_plugins.trainers.recipe.settings import LearnSettings

Figures = dict[str, float]


class Learner:
    """A set of weights with its optimiser, for one phase."""

    def __init__(self, policy: Policy, name: str, settings: LearnSettings, tokens: int, share: bool) -> None:
        self.policy, self.name, self.settings = policy, name, settings
        self._tokens, self._share = tokens, share
        self._named = policy.parameters(name)
        self.optimiser = torch.optim.AdamW(self._named.values(), lr=settings.rate, weight_decay=settings.decay)
        self.steps = 0

    def update(
        self,
        lessons: Sequence[Lesson],
        reference: dict[str, torch.Tensor] | None,
        epochs: int = 1,
    ) -> Figures:
        """One optimiser step an epoch on all lessons together; what was seen, by name.

        The loss is Σ weight · value over all tokens, so that micro-batches add up to exactly the whole.
        """
        figures: Figures = {}
        old = {i: self.logprobs(lesson) for i, lesson in enumerate(lessons)} if epochs > 1 else {}
        for _ in range(epochs):
            for group in self.optimiser.param_groups:
                group["lr"] = self.settings.rate * min(1.0, (self.steps + 1) / max(1, self.settings.warmup))
            self.optimiser.zero_grad(set_to_none=True)
            for i, lesson in enumerate(lessons):
                wanted = lesson.way.settings.kl
                against = None
                if wanted is not None and reference is not None:
                    with self.policy.holding(self.name, reference):
                        against = self.logprobs(lesson)
                figures |= self._gradients(lesson, old.get(i), against)
            norm = torch.nn.utils.clip_grad_norm_(self._named.values(), self.settings.clip)
            figures["gradient"] = float(norm)
            self.optimiser.step()
            self.steps += 1
        self.optimiser.zero_grad(set_to_none=True)
        return figures

    def logprobs(self, lesson: Lesson) -> Floats:
        """Log-probabilities of all decisions under the weights as they stand, without gradients."""
        out = np.zeros(len(lesson.weight))
        with torch.no_grad():
            for index, values in self._passes(lesson):
                out[index] = values.logprobs.cpu().double().numpy()
        return out

    def _passes(self, lesson: Lesson) -> Iterator[tuple[npt.NDArray[np.int64], TokenValues]]:
        """Micro-batches: the indices of their decisions, and the values of these."""
        counts = [len(s.decisions) for s in lesson.sequences]
        first = np.cumsum([0, *counts])
        for batch in micro_batches([s.run for s in lesson.sequences], self._tokens, self._share):
            with self.policy.acting(lesson.role, training=True) as model:
                values = token_values(model, [lesson.sequences[i] for i in batch], self._share)
                index = np.concatenate([np.arange(first[i], first[i + 1]) for i in batch])
                yield index, values

    def _gradients(self, lesson: Lesson, old: Floats | None, reference: Floats | None) -> Figures:
        seen: dict[str, float] = {"loss": 0.0, "entropy": 0.0, "gap": 0.0, "kl": 0.0}
        known = 0
        for index, found in self._passes(lesson):
            logprobs = found.logprobs
            given = {
                "logprobs": logprobs,
                "old": logprobs.detach() if old is None else self._tensor(old[index], logprobs),
                "advantage": self._tensor(lesson.advantage[index], logprobs),
                "sequence": torch.tensor(np.unique(lesson.owner[index], return_inverse=True)[1]),
            }
            values = lesson.way.loss(given)
            weight = self._tensor(lesson.weight[index], logprobs)
            loss = (weight * values).sum()
            penalised = lesson.way.settings.kl
            if reference is not None and penalised is not None:
                against = self._tensor(reference[index], logprobs)
                penalty = (weight * kl(logprobs, against, estimator=penalised.estimator)).sum()
                seen["kl"] += float(penalty.detach())
                loss = loss + penalised.weight * penalty
            loss.backward()
            seen["loss"] += float(loss.detach())
            seen["entropy"] += float(found.entropies.detach().sum())
            gaps = np.abs(logprobs.detach().cpu().double().numpy() - lesson.sampled[index])
            seen["gap"] += float(np.nansum(gaps))
            known += int(np.count_nonzero(~np.isnan(gaps)))
        seen["entropy"] /= max(1, len(lesson.weight))
        seen["gap"] /= max(1, known)
        return {f"{lesson.role}/{key}": value for key, value in seen.items()}

    def _tensor(self, values: Floats, like: torch.Tensor) -> torch.Tensor:
        return torch.tensor(values, dtype=like.dtype, device=like.device)

    def state(self) -> dict[str, torch.Tensor]:
        """The optimiser's tensors by parameter, and how many steps it took."""
        out = {"steps": torch.tensor([self.steps])}
        for name, parameter in self._named.items():
            for key, value in self.optimiser.state.get(parameter, {}).items():
                out[f"{name}|{key}"] = value.detach().clone().reshape(-1) if value.ndim == 0 else value.detach().clone()
        return out

    def load(self, state: dict[str, torch.Tensor]) -> None:
        """Go on from a state."""
        self.steps = int(state["steps"][0])
        for name, parameter in self._named.items():
            found = {k.rpartition("|")[2]: v for k, v in state.items() if k.rpartition("|")[0] == name}
            if found:
                found["step"] = found["step"].reshape(())
                self.optimiser.state[parameter] = found

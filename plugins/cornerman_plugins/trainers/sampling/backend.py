"""The model that the plug-ins of a role ask while its weights are trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from cornerman.model import Model
from cornerman_plugins.models.hf.attention import Segment
from cornerman_plugins.models.hf.backend import HFModel
from cornerman_plugins.models.hf.chat import Chat
from cornerman_plugins.models.hf.job import Engine
from cornerman_plugins.models.hf.kv import PrefixCache
from cornerman_plugins.models.hf.runner import Runner
from cornerman_plugins.trainers.policy.weights import Policy
from cornerman_plugins.trainers.sampling.journal import Journal, Journalled
from cornerman_plugins.trainers.sampling.scribe import Scribe
from cornerman_plugins.trainers.sampling.worker import LoopWorker

CACHE_BYTES = 1 << 30
MAX_BATCH = 64
TOKENS_OF_A_PASS = 2048


class PolicyRunner(Runner):
    """Runs segments on the weights of a role, whatever they are at that moment."""

    def __init__(self, policy: Policy, role: str) -> None:
        self._policy, self._role = policy, role
        with policy.acting(role) as model:
            self._adopt(model, policy.tokenizer)
        self.digest = "in training"

    def run(self, segments: Sequence[Segment]) -> list[torch.Tensor]:
        """As `Runner.run`."""
        with self._policy.acting(self._role):
            return super().run(segments)


class PolicyModel(HFModel):
    """The in-process backend on weights in training. Needs a running event loop."""

    def __init__(self, policy: Policy, role: str) -> None:
        runner = PolicyRunner(policy, role)
        chat = Chat(runner.tokenizer, None, runner.ends)
        self.name = f"policy:{role}"
        self._threads, self._device, self._dtype = torch.get_num_threads(), str(policy.device), runner.dtype
        self.engine = Engine(self.name, runner, chat, PrefixCache(CACHE_BYTES))
        self._worker = LoopWorker(self.engine, max_batch=MAX_BATCH, max_tokens=TOKENS_OF_A_PASS)

    def forget(self, step: int) -> None:
        """The weights have changed: drop all keys and values, and name the new checkpoint."""
        self.engine.cache.clear()
        self.engine.runner.digest = f"update-{step}"


class Backends:
    """Model URIs of a training run: `policy:ROLE`, `scribe:ROLE`, and whatever else the catalogue opens."""

    def __init__(self, policy: Policy, others: Callable[[str], Model]) -> None:
        self.journal = Journal()
        self.policies = {role: PolicyModel(policy, role) for role in policy.roles}
        self._others = others
        self._own: dict[str, Model] = {}
        for role, model in self.policies.items():
            self._own[f"policy:{role}"] = Journalled(model, self.journal)
            self._own[f"scribe:{role}"] = Journalled(Scribe(model.engine.chat), self.journal)

    def __call__(self, uri: str) -> Model:
        """The backend of a URI."""
        return self._own.get(uri) or self._others(uri)

    def forget(self, step: int) -> None:
        """The weights have changed."""
        for model in self.policies.values():
            model.forget(step)
        self.journal.clear()

"""One training run, from its recipe to its last checkpoint; what is there already is gone on from."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import tomli_w
import torch

from cornerman.engine.method import build_method
from cornerman.errors import UsageError
from cornerman.experiment import drift, load_suite, read_text
from cornerman.models import Models
from cornerman.plugins import Plugins
from cornerman.records import Episode
from cornerman.seeds import derive, generator
from cornerman.store import write_whole
from cornerman.workers.pool import Pool
from cornerman_plugins.trainers.learning.learner import Learner
from cornerman_plugins.trainers.learning.lesson import Lesson, lesson
from cornerman_plugins.trainers.pieces import load_piece
from cornerman_plugins.trainers.policy.export import export
from cornerman_plugins.trainers.policy.weights import Policy
from cornerman_plugins.trainers.recipe.reading import to_table
from cornerman_plugins.trainers.recipe.settings import LearnSettings, Recipe
from cornerman_plugins.trainers.rollouts.play import play
from cornerman_plugins.trainers.rollouts.samples import Reader, Sample
from cornerman_plugins.trainers.running import checkpoint
from cornerman_plugins.trainers.running.base import base_folder
from cornerman_plugins.trainers.running.checkpoint import State
from cornerman_plugins.trainers.running.evaluation import Figures, measured, spent
from cornerman_plugins.trainers.running.scene import MODELS, Scene
from cornerman_plugins.trainers.sampling.backend import Backends
from cornerman_plugins.trainers.schedules.phase import Phase
from cornerman_plugins.trainers.watching.curves import Curves
from cornerman_plugins.trainers.watching.limits import Watch

RECIPE, WEIGHTS = "recipe.toml", "weights"


class Training:
    """A run in a folder. `told` is called after each update with the state and its figures."""

    def __init__(
        self, plugins: Plugins, recipe: Recipe, folder: Path, told: Callable[[State, Figures], None], workers: int = 1
    ) -> None:
        self.plugins, self.recipe, self.folder, self.told = plugins, recipe, folder, told
        registry = plugins.registry
        schedule = load_piece(registry, "schedule", recipe.schedule.use, recipe.schedule.options)
        self.phases: list[Phase] = list(schedule({}))
        for phase in self.phases:
            if phase.stage not in recipe.stage:
                known = ", ".join(sorted(recipe.stage))
                raise UsageError(f"the schedule '{schedule.name}' asks for a stage '{phase.stage}'; there is {known}")
        self.scenes = {name: Scene.of(registry, recipe, stage) for name, stage in recipe.stage.items()}
        self.sessions = Pool(plugins, workers)
        self.state = State()

    async def run(self) -> State:
        """Go on from the last checkpoint to the end, or to where the run collapses."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._write_recipe()
        others = Models(self.plugins.registry)
        try:
            base = await base_folder(self.plugins, self.recipe, self.folder, self.sessions)
            self.policy = Policy(base, self.recipe.roles, self.recipe.weights, self.recipe.seed)
            self.backends = Backends(self.policy, others)
            self.reader = Reader(
                self.backends.journal, {role: m.engine.chat for role, m in self.backends.policies.items()}
            )
            await self._train()
        finally:
            await self.sessions.close()
            await others.aclose()
        return self.state

    def _write_recipe(self) -> None:
        """Keep the resolved recipe, and refuse a folder that another one made."""
        path = self.folder / RECIPE
        table = to_table(self.recipe)
        if path.exists():
            difference = drift(tomllib.loads(read_text(path)), table)
            if difference is not None:
                raise UsageError(f"{self.folder} was made by another recipe ({difference}); choose another --out")
        else:
            write_whole(path, tomli_w.dumps(table).encode())

    async def _train(self) -> None:
        self._begin()
        found = checkpoint.last(self.folder)
        if found is not None:
            self.state = checkpoint.state_of(found)
            self._restore(found)
        self.curves = Curves(self.folder, self.recipe.name, self.recipe.seed, self.state.curves)
        self.watch = Watch(self.recipe.limits, self.state.watch)
        self.backends.forget(self.state.update)
        try:
            if found is None:
                await self._evaluate()
                self._save({})
            for number in range(self.state.phase, len(self.phases)):
                if self.state.stopped:
                    break
                await self._phase(number, found if number == self.state.phase else None)
                found = None
            if self.state.evaluated != self.state.update:
                await self._evaluate()
                self._save({})
            if not (self.folder / WEIGHTS).is_dir():
                export(self.policy, self.folder / WEIGHTS)
        finally:
            self.curves.close()

    def _begin(self) -> None:
        """Set the weights that the run begins with, and keep them."""
        if self.recipe.base.start:
            found = checkpoint.last(Path(self.recipe.base.start))
            if found is None:
                raise UsageError(f"{self.recipe.base.start} holds no checkpoint of a training run")
            for name in self.policy.sets:
                self.policy.load(name, checkpoint.tensors_of(found, name), found)
        self.start = {name: self.policy.state(name) for name in self.policy.sets}
        self.reference = dict(self.start)

    def _restore(self, found: Path) -> None:
        for name in self.policy.sets:
            self.policy.load(name, checkpoint.tensors_of(found, name), found)
            if (found / f"{name}.reference.safetensors").exists():
                self.reference[name] = checkpoint.tensors_of(found, f"{name}.reference")

    async def _phase(self, number: int, resumed: Path | None) -> None:
        phase = self.phases[number]
        scene = self.scenes[phase.stage]
        names = sorted({self.policy.set_of(role) for role in phase.learn if role in scene.ways})
        if not (resumed and self.state.done):
            for name in names:
                if phase.weights == "base":
                    self.policy.load(name, self.start[name], "memory")
                if phase.reference == "refresh":
                    self.reference[name] = self.policy.state(name)
        learners = {
            name: Learner(self.policy, name, self._settings(scene, name), self.recipe.tokens, self.recipe.share)
            for name in names
        }
        if resumed and self.state.done:
            for name, learner in learners.items():
                learner.load(checkpoint.tensors_of(resumed, f"{name}.optimiser"))
        if phase.collect == "each":
            await self._each(phase, scene, learners)
        else:
            await self._once(phase, scene, learners)
        if not self.state.stopped:
            self.state.phase, self.state.done = number + 1, 0
        self._save({})

    def _settings(self, scene: Scene, name: str) -> LearnSettings:
        return next(way.settings for role, way in scene.ways.items() if self.policy.set_of(role) == name)

    async def _each(self, phase: Phase, scene: Scene, learners: dict[str, Learner]) -> None:
        """Play before each update."""
        while self.state.done < phase.updates:
            episodes = await self._play(phase, scene, scene.stage.tasks, scene.stage.trials)
            samples = {role: self.reader.samples(episodes, role) for role in scene.ways if role in phase.learn}
            figures = {f"train/{k}": v for k, v in measured(episodes).items()}
            figures |= self._update(scene, samples, learners)
            await self._advance(figures, learners, save=self.recipe.save)
            if self.state.stopped:
                return

    async def _once(self, phase: Phase, scene: Scene, learners: dict[str, Learner]) -> None:
        """Play once and go through the samples some times. A killed phase of this kind begins anew."""
        episodes = await self._play(phase, scene, scene.stage.tasks, scene.stage.trials)
        samples = {role: self.reader.samples(episodes, role) for role in scene.ways if role in phase.learn}
        shown = {f"train/{k}": v for k, v in measured(episodes).items()}
        for epoch in range(phase.epochs):
            for part in self._parts(samples, scene.stage.batch, epoch):
                if phase.updates and self.state.done >= phase.updates:
                    return
                await self._advance(shown | self._update(scene, part, learners), learners, save=0)
                shown = {}

    def _parts(self, samples: dict[str, list[Sample]], size: int, epoch: int) -> Iterator[dict[str, list[Sample]]]:
        """Samples of all roles in batches, in an order of the epoch's own."""
        orders = {}
        for role, found in samples.items():
            orders[role] = list(range(len(found)))
            generator(self.recipe.seed, "order", self.state.phase, epoch, role).shuffle(orders[role])
        for at in range(0, max(map(len, orders.values()), default=0), size):
            yield {role: [samples[role][i] for i in order[at : at + size]] for role, order in orders.items()}

    def _update(self, scene: Scene, samples: dict[str, list[Sample]], learners: dict[str, Learner]) -> Figures:
        lessons = {role: lesson(role, scene.ways[role], found) for role, found in samples.items() if found}
        figures: Figures = {}
        for name, learner in learners.items():
            own = [made for role, made in lessons.items() if self.policy.set_of(role) == name and made.sequences]
            if own:
                seen = learner.update(own, self.reference[name], scene.stage.epochs)
                figures |= {k if "/" in k else f"{name}/{k}": v for k, v in seen.items()}
        for role, made in lessons.items():
            figures |= {f"{role}/reward": float(made.rewards.mean()), f"{role}/dead": made.dead}
            figures[f"{role}/length"] = _length(samples[role])
            figures.setdefault(f"{role}/entropy", 0.0)
            figures.setdefault(f"{role}/gap", 0.0)
            self.state.stopped = self.state.stopped or self._look(role, made, figures)
        return figures

    def _look(self, role: str, made: Lesson, figures: Figures) -> str:
        if made.way.imitates or not made.sequences:
            return "" if made.way.imitates else self.watch.look(role, {**_own(role, figures), "entropy": 1.0})
        return self.watch.look(role, _own(role, figures))

    async def _advance(self, figures: Figures, learners: dict[str, Learner], *, save: int) -> None:
        """Count an update, write its figures, and evaluate and save when it is time."""
        self.state.update += 1
        self.state.done += 1
        self.backends.forget(self.state.update)
        self.curves.add(self.state, figures)
        self.told(self.state, figures)
        every = self.recipe.evaluate.every if self.recipe.evaluate else 0
        if every and self.state.update % every == 0:
            await self._evaluate()
        if save and self.state.update % save == 0:
            self._save(learners)

    def _save(self, learners: dict[str, Learner]) -> None:
        tensors: dict[str, dict[str, torch.Tensor]] = {}
        for name in self.policy.sets:
            tensors[name] = self.policy.state(name)
            if self.reference[name] is not self.start[name]:
                tensors[f"{name}.reference"] = self.reference[name]
            if name in learners:
                tensors[f"{name}.optimiser"] = learners[name].state()
        checkpoint.save(self.folder, self.state, tensors)

    async def _play(self, phase: Phase, scene: Scene, tasks: int, trials: int) -> list[Episode]:
        """The next tasks of the suite, by roles with their newest weights or those they began with."""
        played = self.state.tasks.get(scene.suite.name, 0)
        chosen = scene.tasks(self.recipe.seed, played, tasks)
        self.state.tasks[scene.suite.name] = played + tasks
        behind = {self.policy.set_of(role) for role in self.policy.roles if role not in phase.play}
        with contextlib.ExitStack() as stack:
            for name in sorted(behind):
                stack.enter_context(self.policy.holding(name, self.start[name]))
            episodes = await play(
                self.sessions,
                self.backends,
                scene.method,
                scene.suite.rules,
                chosen,
                trials=trials,
                seed=derive(self.recipe.seed, "play", self.state.update),
                phase="training",
            )
        steps, tokens = spent(episodes)
        self.state.steps += steps
        self.state.tokens += tokens
        return episodes

    async def _evaluate(self) -> None:
        self.state.evaluated = self.state.update
        wanted = self.recipe.evaluate
        if wanted is None:
            return
        suite = load_suite(self.plugins.registry, wanted.suite).head(wanted.limit)
        figures: Figures = {}
        for settings in wanted.method:
            method = build_method(self.plugins.registry, settings, MODELS, suite.rules)
            episodes = await play(
                self.sessions,
                self.backends,
                method,
                suite.rules,
                suite.tasks,
                trials=1,
                seed=derive(self.recipe.seed, "evaluate"),
                phase="evaluation",
            )
            figures |= {f"eval/{method.name}/{k}": v for k, v in measured(episodes).items()}
        self.backends.journal.clear()
        self.curves.add(self.state, figures)
        self.told(self.state, figures)


def _own(role: str, figures: Figures) -> Figures:
    return {k.removeprefix(f"{role}/"): v for k, v in figures.items() if k.startswith(f"{role}/")}


def _length(samples: Sequence[Sample]) -> float:
    """Sampled tokens a sample, in the mean."""
    tokens = sum(len(g.tokens.allowed) for s in samples for g in s.generations)
    return tokens / max(1, len(samples))

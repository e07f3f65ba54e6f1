"""From a run folder to the report: find the moments, draw some, play the forks that are missing, and count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cornerman.engine.method import Method
from cornerman.errors import POLICY, UsageError, did_you_mean
from cornerman.plugins import Plugins
from cornerman.records import Moment
from cornerman.store import latest
from cornerman.workers.session import Sessions
from cornerman.worth.appraising import Appraisal, Appraiser
from cornerman.worth.arms import Arm, arms_of, corner
from cornerman.worth.drawing import Drawn, draw, key
from cornerman.worth.forks import FORKS, Forked, LineFile, settled_forks
from cornerman.worth.judging import Judge
from cornerman.worth.places import SILENT, Place, able, places
from cornerman.worth.playing import PROBE, Job, Player, jobs_of, repeats_itself
from cornerman.worth.report import Report, check, cost, part
from cornerman.worth.setting import Setting
from cornerman.worth.uptake import Found


@dataclass(frozen=True)
class Wanted:
    """What is measured. moments: drawn of each kind where the critic spoke; silent: where it did not; k: forks an arm.

    budget: at most so many forks, evenly over the kinds, in the place of both numbers. method and critic may be left
    out where there is one; moment: all that the critic has. judge: the URI of a model asked about interventions.
    """

    method: str | None = None
    critic: str | None = None
    moment: Moment | None = None
    moments: int = 50
    silent: int = 25
    k: int = 2
    budget: int | None = None
    seed: int = 0
    judge: str | None = None


class Kind(NamedTuple):
    """The moments of one kind, and those of them that are forked."""

    population: list[Place]
    drawn: list[Drawn]


class Study:
    """One critic of one method of a run."""

    def __init__(
        self, plugins: Plugins, folder: Path, wanted: Wanted, workers: int | None, say: Callable[[str], None]
    ) -> None:
        """Raises `UsageError` for what is no run, names no critic, or holds no moment to fork."""
        self.folder, self.wanted, self.say = folder, wanted, say
        self.setting = Setting(plugins, folder, workers, say)
        self.method, self.critic = chosen(self.setting.run.methods, wanted)
        episodes = [e for e in latest(folder).values() if e.method == self.method.name]
        self.episodes = {(e.task.id, e.trial): e for e in episodes if not POLICY[e.end].error}
        if len(self.episodes) < len(episodes):
            say(f"{len(episodes) - len(self.episodes)} episodes ended in an error; their moments are left out")
        self.memories = self.setting.held(self.method, episodes)
        if self.method.memory is not None:
            self.episodes = {k: e for k, e in self.episodes.items() if k in self.memories}
        self.kinds = self._kinds(able(self.method, self.critic, wanted.moment))

    @property
    def open(self) -> int:
        """How many forks are still to play, if anything is random."""
        done, digest = settled_forks(self.folder), self.method.digest
        return sum((digest, *key(j.place), j.arm, j.sample) not in done for j in self._jobs())

    def _jobs(self) -> list[Job]:
        """All forks of the report, those included that show that nothing is random."""
        return jobs_of([d for kind in self.kinds for d in kind.drawn], arms_of, range(self.wanted.k))

    def _kinds(self, moments: Sequence[Moment]) -> list[Kind]:
        wanted = self.wanted
        found = [p for e in self.episodes.values() for p in places(e, self.critic, moments)]
        groups = [
            [p for p in found if p.moment == moment and p.spoke == spoke]
            for moment in moments
            for spoke in (True, False)
            if spoke or (moment in SILENT and wanted.silent)
        ]
        groups = [group for group in groups if group]
        kinds = []
        for group in groups:
            number = wanted.moments if group[0].spoke else wanted.silent
            if wanted.budget is not None:
                number = wanted.budget // (len(groups) * wanted.k * len(arms_of(group[0])))
            if number:
                kinds.append(Kind(group, draw(group, number, wanted.seed)))
        if groups and not kinds:
            raise UsageError(f"a budget of {wanted.budget} forks is not enough for one moment of each of these kinds")
        if not kinds:
            raise UsageError(
                f"{self.folder} holds no moment of critic '{self.critic}' in method '{self.method.name}' to fork: "
                "a decision has to come after it"
            )
        return kinds

    async def report(self, step: Callable[[], None]) -> Report:
        """Play what is missing, and count. `step` is told of every fork that was played."""
        file, judge = LineFile(self.folder / FORKS), None
        try:
            async with self.setting.bench(self.method) as bench:
                sides = corner(self.method, self.critic)
                done = settled_forks(self.folder)
                rules = self.setting.run.suite.rules
                player = Player(bench, rules, sides, self.episodes, file, done, self.memories)
                if self.wanted.judge is not None:
                    judge = Judge(bench.model, self.wanted.judge, self.folder)
                samples = await self._play(player, step)
                found = self._found(player, samples)
                appraisal = await self.appraise(bench.sessions, found, judge)
        finally:
            if judge is not None:
                judge.close()
            file.close()
        return self._count(player, samples, found, appraisal)

    async def _play(self, player: Player, step: Callable[[], None]) -> int:
        """Play a few moments first: where their second sample is the first again, one sample is enough."""
        k, at_once = self.wanted.k, self.setting.at_once()
        drawn = [d for kind in self.kinds for d in kind.drawn]
        if k > 1:
            probe = jobs_of(probes(self.kinds), arms_of, range(2))
            await player.play(probe, at_once, step)
            if repeats_itself(player, probe):
                self.say("nothing here is random: one fork an arm tells all")
                k = 1
        await player.play(jobs_of(drawn, arms_of, range(k)), at_once, step)
        return k

    async def appraise(self, pool: Sessions, found: Found, judge: Judge | None = None) -> Appraisal:
        """Ask gold at the drawn moments, where the environments have it from any state, and the judge."""
        registry = self.setting.plugins.registry
        envs = {t.env for t in self.setting.run.suite.tasks}
        appraiser = Appraiser(
            sessions=pool,
            episodes=self.episodes,
            found=found,
            policy=frozenset(e for e in envs if registry.get("environment", e).load().gold == "policy"),
            seed=self.wanted.seed,
            at_once=self.setting.at_once(),
            judge=judge,
        )
        return await appraiser.appraise([d for kind in self.kinds for d in kind.drawn])

    def _found(self, player: Player, samples: int) -> dict[tuple[Drawn, Arm], list[Forked]]:
        """The forks of every moment and arm that have been played."""
        found: dict[tuple[Drawn, Arm], list[Forked]] = {}
        for kind in self.kinds:
            for d in kind.drawn:
                for arm in arms_of(d.place):
                    played = (player.found(Job(d.place, arm, sample)) for sample in range(samples))
                    found[d, arm] = [f for f in played if f is not None]
        return found

    def _count(self, player: Player, samples: int, found: Found, appraisal: Appraisal) -> Report:
        repeats = samples == 1 < self.wanted.k
        prices = self.setting.run.experiment.prices
        return Report(
            run=self.folder.name,
            method=self.method.name,
            critic=self.critic,
            seed=self.wanted.seed,
            repeats=repeats,
            parts=[part(k.drawn, k.population, found, repeats, self.wanted.seed) for k in self.kinds],
            accuracy=appraisal.accuracy,
            consistent=appraisal.consistent,
            full_only=appraisal.full_only,
            hits=appraisal.hits,
            check=check(found),
            cost=cost([f for f in map(player.found, self._jobs()) if f is not None], appraisal.calls, prices),
        )


def chosen(methods: Sequence[Method], wanted: Wanted) -> tuple[Method, str]:
    """The method and the label of its critic that are meant; where several could be, they are named."""
    able = [m for m in methods if m.critics]
    if wanted.method is not None:
        able = [m for m in methods if m.name == wanted.method]
        if not able:
            raise UsageError(f"the run has no method '{wanted.method}'; {did_you_mean(wanted.method, names(methods))}")
    if wanted.critic is not None:
        labels = [c.label for m in able for c in m.critics]
        able = [m for m in able if wanted.critic in {c.label for c in m.critics}]
        if not able:
            raise UsageError(f"no method has a critic '{wanted.critic}'; {did_you_mean(wanted.critic, labels)}")
    if not able:
        raise UsageError("no method of this run has a critic whose words could be worth anything")
    if len(able) != 1:
        which = (
            f"{len(able)} methods have one: choose with --method {' or '.join(names(able))}" if able else "it has none"
        )
        raise UsageError(f"the run's methods are measured by a critic, and {which}")
    [method] = able
    critics = [c.label for c in method.critics]
    if not critics:
        raise UsageError(f"method '{method.name}' has no critic whose words could be worth anything")
    if wanted.critic is None and len(critics) > 1:
        raise UsageError(f"method '{method.name}' has several critics: choose with --critic {' or '.join(critics)}")
    return method, wanted.critic or critics[0]


def names(methods: Sequence[Method]) -> list[str]:
    """The names of some methods."""
    return [m.name for m in methods]


def probes(kinds: Sequence[Kind]) -> list[Drawn]:
    """The first moments of each kind."""
    return [d for kind in kinds for d in kind.drawn[:PROBE]]

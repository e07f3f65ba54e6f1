"""How good a critic's words were at the drawn moments: by gold, by what was seen, and by a judge."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cornerman.records import Call, Episode, Moment
from cornerman.workers.session import Sessions
from cornerman.worth.drawing import Drawn
from cornerman.worth.hits import Hits, Split, by_gold, hits
from cornerman.worth.judging import Judge, question
from cornerman.worth.labels import Accuracy, By, accuracy, choice_at, labelled, named_by
from cornerman.worth.trials import Trials, try_out
from cornerman.worth.uptake import Found, Pair, pairs_of


@dataclass(frozen=True)
class Appraisal:
    """What was found, by kind of moment. full_only: environments that know of no states that fit what was seen."""

    accuracy: dict[Moment, Accuracy] = field(default_factory=dict)
    consistent: dict[Moment, Accuracy] = field(default_factory=dict)
    full_only: list[str] = field(default_factory=list)
    hits: dict[Moment, list[Hits]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)


@dataclass(frozen=True)
class Appraiser:
    """Asks gold, and a judge where there is one.

    episodes: by task and trial. found: the forks, where they have been played. policy: the environments that have gold
    actions from any state.
    """

    sessions: Sessions
    episodes: Mapping[tuple[str, int], Episode]
    found: Found
    policy: frozenset[str]
    seed: int
    at_once: int
    judge: Judge | None = None

    async def appraise(self, drawn: Sequence[Drawn]) -> Appraisal:
        """All measures at some moments."""
        out = Appraisal()
        trials = await self._trials(drawn)
        unknown = {
            self._episode(d).task.env
            for d, tried in trials.items()
            if any(a.full is not None and a.seen is None for a in tried.actions.values())
        }
        out.full_only.extend(sorted(unknown))
        for moment in dict.fromkeys(d.place.moment for d in drawn):
            here = [d for d in drawn if d.place.moment == moment]
            moments = [labelled(self._episode(d), d, trials[d], self._silent(d)) for d in here if d in trials]
            kinds: dict[By, dict[Moment, Accuracy]] = {"full": out.accuracy, "seen": out.consistent}
            for by, table in kinds.items():
                got = accuracy([m for m in moments if m is not None], by, self.seed)
                if got is not None:
                    table[moment] = got
            pairs = self._pairs(here)
            found = [*self._by_gold(pairs, trials), *await self._by_judge(pairs, trials)]
            if found:
                out.hits[moment] = found
        out.calls.extend(self.judge.used.values() if self.judge is not None else ())
        return out

    def _episode(self, drawn: Drawn) -> Episode:
        return self.episodes[drawn.place.task, drawn.place.trial]

    def _silent(self, drawn: Drawn) -> str | None:
        """What the actor does next where the critic says nothing, with the recorded luck."""
        forks = self.found.get((drawn, "silence"), ())
        return forks[0].action if forks else None

    def _pairs(self, drawn: Sequence[Drawn]) -> list[Pair]:
        """The forks with and without what was said, of interventions alone."""
        return pairs_of(self.found, [d for d in drawn if d.place.spoke and (d, "words") in self.found])

    async def _trials(self, drawn: Sequence[Drawn]) -> dict[Drawn, Trials]:
        """All actions that something is asked of, tried where the environment has gold or a judge is asked."""
        gate = asyncio.Semaphore(self.at_once)

        async def one(d: Drawn) -> Trials | None:
            episode, gold = self._episode(d), self._episode(d).task.env in self.policy
            actions = [named_by(episode, d.place), choice_at(episode, d.place, self._silent(d))]
            if d.place.spoke:
                actions += [f.action for arm in ("words", "silence") for f in self.found.get((d, arm), ())]
            named = [a for a in actions if a is not None]
            if not named or not (gold or self.judge is not None):
                return None
            async with gate:
                return await try_out(self.sessions, episode, d.place, named, gold, self.seed)

        found = await asyncio.gather(*map(one, drawn))
        return {d: tried for d, tried in zip(drawn, found, strict=True) if tried is not None}

    def _by_gold(self, pairs: Sequence[Pair], trials: Mapping[Drawn, Trials]) -> list[Hits]:
        known = [(p, split) for p in pairs if (split := by_gold(p, trials.get(p.drawn))) is not None]
        return [hits("gold", known, self.seed)] if known else []

    async def _by_judge(self, pairs: Sequence[Pair], trials: Mapping[Drawn, Trials]) -> list[Hits]:
        """The judge on the first pair of every moment."""
        if self.judge is None:
            return []
        firsts = {p.drawn: p for p in reversed(pairs) if p.drawn in trials}
        asked = [(p, q) for d, p in firsts.items() if (q := question(self._episode(d), p, trials[d])) is not None]
        answers = await self.judge.ask_all([q for _, q in asked], self.at_once)
        read: list[tuple[Pair, Split]] = [(p, a) for (p, _), a in zip(asked, answers, strict=True) if a is not None]
        unparsed = len(asked) - len(read)
        if not asked:
            return []
        return [hits("judge", read, self.seed, unparsed, rules=lambda p: by_gold(p, trials[p.drawn]))]

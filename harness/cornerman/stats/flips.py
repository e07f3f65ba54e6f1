"""Outcomes that a method turned, beside those that the baseline turns against itself."""

import msgspec
import numpy as np

from cornerman.stats.outcomes import Outcomes, shared_tasks


class Flips(msgspec.Struct, frozen=True):
    """(task, trial) pairs in which only the method (helped) or only the baseline (harmed) succeeded."""

    helped: int
    harmed: int
    pairs: int

    @property
    def rate(self) -> float:
        """Share of pairs that flipped either way, to be read beside :func:`aa_flip_rate`."""
        return (self.helped + self.harmed) / self.pairs


def count_flips(baseline: Outcomes, method: Outcomes) -> Flips:
    """Flips over the tasks both played, trial i of the one against trial i of the other.

    Where one has more trials of a task, its surplus trials have no partner and are left out here.
    """
    before: list[bool] = []
    after: list[bool] = []
    for task in shared_tasks(baseline, method):
        both = min(len(baseline[task]), len(method[task]))
        before += baseline[task][:both]
        after += method[task][:both]
    one, other = np.array(before, dtype=bool), np.array(after, dtype=bool)
    return Flips(helped=int(np.sum(other & ~one)), harmed=int(np.sum(one & ~other)), pairs=one.size)


def aa_flip_rate(outcomes: Outcomes) -> float | None:
    """Probability that two different trials of one task disagree, averaged over tasks; None without repeated trials.

    For c successes in n trials the unbiased estimate is c(n − c) / (n(n − 1)/2), which estimates 2p(1 − p), twice the
    variance of one trial (the U-statistic of Hoeffding 1948, Ann. Math. Statist. 19:293-325, with kernel 1[x ≠ y]).
    A critic without any effect flips this share of pairs, half of them helped and half harmed: an A/A comparison.
    """
    repeated = [trials for trials in outcomes.values() if len(trials) > 1]
    if not repeated:
        return None
    n = np.array([len(trials) for trials in repeated])
    c = np.array([sum(map(bool, trials)) for trials in repeated])
    return float(np.mean(2 * c * (n - c) / (n * (n - 1))))

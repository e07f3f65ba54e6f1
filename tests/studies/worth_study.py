"""The measures of a critic's worth against a truth that was built in, on every environment with gold from any state.

    python -m tests.studies.worth_study [SUITE=NOISE…] [--tasks N] [--moments N] [--out DIR]

An actor that plays gold with some noise follows what it is told. Advice that names the gold action must be worth
something, as many words that say nothing must not, and advice of a wrong action must cost. A critic that is right with
probability q must be measured to be so. No model is needed; runs are kept in DIR and played on when asked again.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cornerman import experiment as experiments
from cornerman.plugins import Plugins, load
from cornerman.runner import Options, Run
from cornerman.workers.pool import Pool
from cornerman.worth.labels import Accuracy
from cornerman.worth.measure import Study, Wanted
from cornerman.worth.report import Part, Report, Worth

SUITES = {
    "alfworldgen-dev": 0.75,
    "textcraft-dev": 0.95,
    "frozenlake-dev": 0.4,
    "sokoban-dev": 0.4,
    "minesweeper-dev": 0.1,
    "textworld-dev": 0.75,
}
"""Suites, and how often the actor is wrong there, so that it solves some tasks alone and not all.

Search QA is left out: it lists no actions, so that the actor can neither err by choice nor be told what it may do.
"""
RIGHT = (0.5, 0.7, 0.9)


@dataclass(frozen=True)
class Size:
    """How much is played: tasks of each suite, moments and forks an arm."""

    tasks: int = 50
    moments: int = 100
    k: int = 2


def play(plugins: Plugins, suite: str, noise: float, size: Size, out: Path, right: Sequence[float] = ()) -> Path:
    """Play the run of a suite: advice, malicious advice, and advice that is right now and then."""
    actor = {"use": "noisy-gold", "p": noise}

    def method(name: str, **critic: Any) -> dict[str, Any]:
        advice = {"use": "gold-advice", "label": "advice", "trigger": {"review_turn": {"random": 0.3}}}
        return {"name": name, "actor": actor, "critic": [advice | critic]}

    methods = [
        {"name": "alone", "actor": actor},
        method("gold"),
        method("malicious", wrap="deceptive"),
        *(method(f"right-{q}", right=q) for q in right),
    ]
    table = {"suite": suite, "limit": size.tasks, "method": methods}
    wanted = experiments.resolve(table, f"worth-{suite}-{size.tasks}", "the study")
    options = Options(out=out, workers=0, validate=False)
    outcome = asyncio.run(Run(plugins, wanted, options).play())
    assert outcome.complete
    return outcome.folder


def measure(plugins: Plugins, folder: Path, method: str, size: Size) -> Report:
    """The report on a method's critic after turns."""
    wanted = Wanted(method=method, moment="review_turn", moments=size.moments, silent=0, k=size.k)
    study = Study(plugins, folder, wanted, 0, lambda text: None)
    return asyncio.run(study.report(lambda: None))


def judge(plugins: Plugins, folder: Path, method: str, size: Size) -> Accuracy:
    """What gold says of a method's critic after turns; no fork is played."""
    wanted = Wanted(method=method, moment="review_turn", moments=size.moments, silent=0)
    study = Study(plugins, folder, wanted, 0, lambda text: None)
    return asyncio.run(study.appraise(Pool(plugins, 0), {})).accuracy["review_turn"]


def find(part: Part, estimand: str, what: str) -> Worth:
    """One contrast of a part."""
    [found] = [w for w in part.worth if (w.estimand, w.what) == (estimand, what)]
    return found


def shown(worth: Worth) -> str:
    """A worth in points."""
    low, high = worth.found.ci
    return f"{100 * worth.found.difference:+.1f} [{100 * low:+.0f}, {100 * high:+.0f}]"


def main() -> None:
    """Print what was found, suite by suite."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE=NOISE", default=[f"{s}={p}" for s, p in SUITES.items()])
    parser.add_argument("--tasks", type=int, default=Size.tasks)
    parser.add_argument("--moments", type=int, default=Size.moments)
    parser.add_argument("--out", type=Path, default=Path("runs"))
    given = parser.parse_args()
    size, plugins = Size(given.tasks, given.moments), load()
    print(
        "| suite | noise | words, once | words, on | pause, on | malicious words, once | on | right 0.5 | 0.7 | 0.9 |"
    )
    print("| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for text in given.suites:
        suite, _, noise = text.partition("=")
        folder = play(plugins, suite, float(noise), size, given.out, RIGHT)
        [gold] = measure(plugins, folder, "gold", size).parts
        [bad] = measure(plugins, folder, "malicious", size).parts
        cells = [find(gold, "once", "words"), find(gold, "on", "words"), find(gold, "on", "pause")]
        cells += [find(bad, "once", "words"), find(bad, "on", "words")]
        accuracies = [judge(plugins, folder, f"right-{q}", size) for q in RIGHT]
        rates = [f"{a.gold:.2f} [{a.gold_ci[0]:.2f}, {a.gold_ci[1]:.2f}]" for a in accuracies if a.gold_ci is not None]
        print("|", " | ".join([suite, noise, *map(shown, cells), *rates]), "|", flush=True)


if __name__ == "__main__":
    main()

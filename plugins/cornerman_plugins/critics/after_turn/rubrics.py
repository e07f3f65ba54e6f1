"""Behavioural features of an attempt, read from its trace alone; each from 0 (not at all) to 1 (throughout)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from cornerman.records import Turn

Trace = Sequence[Turn]
Feature = Callable[[Trace], float]


def acts(trace: Trace) -> list[Turn]:
    """The turns that executed something."""
    return [t for t in trace if t.executed is not None]


def share(trace: Trace, holds: Callable[[Turn], bool]) -> float:
    """The share of the executed turns of which something holds; 0 where none was executed."""
    done = acts(trace)
    return sum(map(holds, done)) / len(done) if done else 0.0


def repeated(trace: Trace) -> float:
    """Turns whose action had been done before with the same answer."""
    done = acts(trace)
    return 1 - len({(t.executed, t.shown) for t in done}) / len(done) if done else 0.0


def immediate(trace: Trace) -> float:
    """Turns that repeat the action of the turn before."""
    done = acts(trace)
    return sum(a.executed == b.executed for a, b in pairwise(done)) / max(1, len(done) - 1)


def reverting(trace: Trace) -> float:
    """Turns after which things look as they did two turns before, and not as one turn before."""
    seen = [t.shown for t in acts(trace)]
    triples = list(zip(seen, seen[1:], seen[2:], strict=False))
    return sum(a == c != b for a, b, c in triples) / max(1, len(triples))


def stuck(trace: Trace) -> float:
    """Turns answered by the same words as the turn before."""
    seen = [t.shown for t in acts(trace)]
    return sum(a == b for a, b in pairwise(seen)) / max(1, len(seen) - 1)


def narrow(trace: Trace) -> float:
    """The share of the most frequent action, less that of one among all different ones."""
    done = acts(trace)
    if len(done) < 2:
        return 0.0
    most = max(Counter(t.executed for t in done).values())
    return (most - 1) / (len(done) - 1)


def idle_end(trace: Trace) -> float:
    """How much of the last quarter of the turns brought answers that had come before."""
    done = acts(trace)
    cut = len(done) - max(1, len(done) // 4)
    before = {t.shown for t in done[:cut]}
    return sum(t.shown in before for t in done[cut:]) / (len(done) - cut) if done else 0.0


FAULTS: dict[str, Feature] = {
    "repeats steps": repeated,
    "repeats at once": immediate,
    "goes back and forth": reverting,
    "changes nothing": stuck,
    "does one thing only": narrow,
    "ends without news": idle_end,
    "acts inadmissibly": lambda trace: share(trace, lambda t: t.admissible is False),
    "writes what cannot be read": lambda trace: share(trace, lambda t: any(not c.parsed for c in t.candidates)),
    "thinks without acting": lambda trace: sum(t.executed is None for t in trace) / len(trace) if trace else 0.0,
    "stops unfinished": lambda trace: float(bool(trace) and not trace[-1].terminated),
}
"""Ten features, the names and rules all ours; each is a fault."""

QUESTIONS: dict[str, str] = {
    "misunderstood task": "Did the agent misunderstand the task?",
    "incomplete work": "Did it leave a part of the task undone?",
    "insufficient exploration": "Did it look around too little before it acted?",
    "insufficient verification": "Did it fail to check what it had done?",
    "insufficient analysis": "Did it ignore what it was shown?",
    "wasted steps": "Did it spend steps that served nothing?",
    "undone work": "Did it undo what it had done?",
    "made up": "Did it rely on things that were never there?",
}
"""What a model is asked beside whether the attempt succeeded; after the paper's examples, the rest ours."""


def features(trace: Trace) -> dict[str, float]:
    """Every feature by its name."""
    return {name: rule(trace) for name, rule in FAULTS.items()}

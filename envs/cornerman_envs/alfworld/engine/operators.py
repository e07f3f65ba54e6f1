"""Ground operators as bit masks, and what they do."""

from __future__ import annotations

from dataclasses import dataclass

from cornerman_envs.alfworld.engine.grounding import Ground
from cornerman_envs.alfworld.engine.joins import Row
from cornerman_envs.alfworld.engine.schemas import AT, Action
from cornerman_envs.alfworld.engine.selections import Text


@dataclass(slots=True, eq=False)
class Operator:
    """One action on certain objects: runs when `pos` has all bits of `pre` and none of `npre`."""

    action: Action
    binding: Row
    command: str
    pre: int
    npre: int
    add: int
    delete: int
    destination: str | None
    """Where the agent is afterwards, if it moves."""
    feedback: Text | None = None
    """Worked out when the operator first runs."""


def make_operator(ground: Ground, action: Action, binding: Row, command: str) -> Operator | None:
    """The operator, or None if it changes nothing (the stock translator drops those)."""
    pre = npre = 0
    bits = ground.bits
    for predicate, args in action.pre:
        pre |= bits[predicate][args(binding)]
    for predicate, args in action.npre:
        npre |= bits.get(predicate, {}).get(args(binding), 0)
    add, delete, destination = _effects(ground, action, binding, pre, npre)
    if not add | delete:
        return None
    return Operator(action, binding, command, pre, npre, add, delete, destination)


def _effects(ground: Ground, action: Action, binding: Row, pre: int, npre: int) -> tuple[int, int, str | None]:
    """Bits to set, bits to clear, new location.

    An effect that its precondition makes idle is none, so a fact deleted twice is not marked deleted again; adding
    wins over deleting. Conditional effects come last, all of them, deletions before additions: the stock engine
    reports every conditional effect of an operator as a changed fact, fired or not, and its text follows its facts.
    """
    add = delete = late_add = late_delete = 0
    destination = None
    for conditional, positive, predicate, args in action.ground_effects:
        row = args(binding)
        bit = ground.bits.get(predicate, {}).get(row, 0)
        if conditional:
            if positive:
                late_add |= bit
            else:
                late_delete |= bit
        elif positive:
            add |= bit
            if predicate == AT:
                destination = row[1]
        else:
            delete |= bit
    delete = delete & ~add & ~npre | late_delete
    add = add & ~pre | late_add & ~delete
    return add, delete, destination

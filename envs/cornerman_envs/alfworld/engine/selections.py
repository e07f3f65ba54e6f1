"""Texts that depend on the state: which of the solutions of a query to show."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from cornerman_envs.alfworld.engine.queries import Solution

Text = str | Callable[[int, int], str]
"""A finished text, or a function of `State.pos` and `State.neg`."""

Join = Callable[[list[str]], str]
TextOf = Callable[[Solution], Text]


def render(text: Text, pos: int, neg: int) -> str:
    return text if isinstance(text, str) else text(pos, neg)


def selection(solutions: list[Solution], text_of: TextOf, join: Join) -> Text:
    """The joined texts of those solutions that count in a state.

    Args:
        solutions: all that may count, in order.
        text_of: gives a solution's text. It is called when the text is first shown: of the hundred things that
            could lie in a receptacle a player sees a few.
        join: makes one text of them.
    """
    if not any(held or deleted for held, deleted, _ in solutions):
        texts = [text_of(solution) for solution in solutions]
        fixed = [x for x in texts if isinstance(x, str)]
        return join(fixed) if len(fixed) == len(texts) else lambda pos, neg: join([render(x, pos, neg) for x in texts])
    bits = [held for held, deleted, _ in solutions if held and not held & (held - 1) and not deleted]
    if len(bits) == len(solutions) and all(low < high for low, high in pairwise(bits)):
        return _by_bit(dict(zip(bits, solutions, strict=True)), text_of, join)
    return _by_masks(solutions, text_of, join)


def _by_bit(solutions: dict[int, Solution], text_of: TextOf, join: Join) -> Text:
    """Each solution stands for one bit, in ascending order: walk through the bits that are set."""
    watched = sum(solutions)
    texts: dict[int, Text] = {}

    def select(pos: int, neg: int) -> str:
        active = pos & watched
        found: list[str] = []
        while active:
            bit = active & -active
            active ^= bit
            text = texts.get(bit)
            if text is None:
                text = texts[bit] = text_of(solutions[bit])
            found.append(text if isinstance(text, str) else text(pos, neg))
        return join(found)

    return select


def _by_masks(solutions: list[Solution], text_of: TextOf, join: Join) -> Text:
    texts: dict[Solution, Text] = {}

    def select(pos: int, neg: int) -> str:
        found: list[str] = []
        for solution in solutions:
            held, deleted, _ = solution
            if pos & held == held and neg & deleted == deleted:
                text = texts.get(solution)
                if text is None:
                    text = texts[solution] = text_of(solution)
                found.append(text if isinstance(text, str) else text(pos, neg))
        return join(found)

    return select

"""Lay many token sequences out in one row, beginnings that they share only once.

Turns of an attempt begin with the turns before, attempts of a group with the same task, and all of them with the same
instructions. Sorted, the sequences form a forest: each tree's nodes are stretches of tokens, a node sees itself and the
nodes above it, and what is shared is computed (and its gradient summed) once. Linear layers see one row without
padding. (Trees of shared prefixes: Juravsky et al. 2024, "Hydragen", arXiv 2402.05099, section 3.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

WORTH_SHARING = 24
"""A beginning is shared when that saves at least so many tokens: a node costs some attention calls of its own."""


@dataclass(frozen=True)
class Sampled:
    """A prompt of `start` tokens and the tokens sampled after it.

    `allowed[i]` are the tokens among which the i-th of those was chosen; None where it was any of the vocabulary.
    """

    ids: tuple[int, ...]
    start: int
    allowed: tuple[tuple[int, ...] | None, ...]

    def __post_init__(self) -> None:
        if self.start < 1 or len(self.ids) - self.start != len(self.allowed):
            raise ValueError("a sequence has a prompt and, for each token after it, what was allowed there")

    @property
    def decisions(self) -> list[int]:
        """Places of the tokens that could have been others; the rest have probability 1."""
        return [i for i, allowed in enumerate(self.allowed) if allowed is None or len(allowed) > 1]

    @property
    def run(self) -> tuple[int, ...]:
        """The tokens that a pass needs: all before the last decision."""
        decisions = self.decisions
        return self.ids[: self.start + decisions[-1]] if decisions else ()


@dataclass(frozen=True)
class Node:
    """A stretch of tokens at `begin` to `end` of the row; `depth` tokens stand before it, in the nodes `above`."""

    begin: int
    end: int
    depth: int
    above: tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """One row: its tokens and their positions, the nodes, and for each sequence the row's place of each of its tokens.

    `paths[i]` lists (node, tokens of it that belong to the sequence), from the root down.
    """

    ids: list[int]
    positions: list[int]
    nodes: list[Node]
    paths: list[list[tuple[int, int]]]

    def place(self, sequence: int, token: int) -> int:
        """The row's place of a token of a sequence."""
        for index, length in self.paths[sequence]:
            node = self.nodes[index]
            if token < node.depth + length:
                return node.begin + token - node.depth
        raise IndexError(f"sequence {sequence} has no token {token}")


def common(a: Sequence[int], b: Sequence[int]) -> int:
    """How many tokens two sequences share at their beginning."""
    most = min(len(a), len(b))
    if a[:most] == b[:most]:
        return most
    return next(i for i in range(most) if a[i] != b[i])


def micro_batches(runs: Sequence[tuple[int, ...]], budget: int, share: bool = True) -> list[list[int]]:
    """Indices of the sequences in batches of about `budget` tokens each, neighbours that share much together.

    A sequence longer than the budget makes a batch of its own. Without sharing the longest come first, so that what
    does not fit in memory fails at once.
    """
    wanted = [i for i, run in enumerate(runs) if run]
    order = sorted(wanted, key=lambda i: runs[i]) if share else sorted(wanted, key=lambda i: -len(runs[i]))
    batches: list[list[int]] = []
    held = 0
    for i in order:
        cost = len(runs[i])
        if share and batches and batches[-1]:
            shared = common(runs[batches[-1][-1]], runs[i])
            cost -= shared if shared >= WORTH_SHARING else 0
        if not batches or held + cost > budget:
            batches.append([])
            held, cost = 0, len(runs[i])
        batches[-1].append(i)
        held += cost
    return batches


def layout(runs: Sequence[tuple[int, ...]], share: bool = True) -> Layout:
    """The forest of sorted (or, without sharing, any) sequences."""
    out = Layout([], [], [], [[] for _ in runs])
    if share:
        groups: list[tuple[range, int, tuple[int, ...]]] = [(range(len(runs)), 0, ())]
        while groups:
            members, depth, above = groups.pop()
            for part in _parts(runs, members, depth):
                groups += _grow(out, runs, part, depth, above)
    else:
        for i, run in enumerate(runs):
            _node(out, run, 0, (), [i], runs)
    return out


def _parts(runs: Sequence[tuple[int, ...]], members: range, depth: int) -> Iterator[range]:
    """Runs of neighbours that share enough beyond `depth` to make a node; the others stand alone."""
    begin = members.start
    for i in members:
        if i + 1 == members.stop or common(runs[i], runs[i + 1]) - depth < WORTH_SHARING:
            yield range(begin, i + 1)
            begin = i + 1


def _grow(
    out: Layout, runs: Sequence[tuple[int, ...]], part: range, depth: int, above: tuple[int, ...]
) -> list[tuple[range, int, tuple[int, ...]]]:
    """Add the node that a part shares; the groups that go on below it."""
    shared = min((common(runs[i], runs[i + 1]) for i in part[:-1]), default=len(runs[part[0]]))
    longest = runs[part[-1]]
    if all(run == longest[: len(run)] for run in (runs[i] for i in part)):
        shared = len(longest)  # a chain: each is the beginning of the next
    index = _node(out, longest[depth:shared], depth, above, list(part), runs)
    going = [i for i in part if len(runs[i]) > shared]
    return [(range(going[0], part.stop), shared, (*above, index))] if going else []


def _node(
    out: Layout,
    tokens: Sequence[int],
    depth: int,
    above: tuple[int, ...],
    members: Sequence[int],
    runs: Sequence[tuple[int, ...]],
) -> int:
    begin, index = len(out.ids), len(out.nodes)
    out.ids.extend(tokens)
    out.positions.extend(range(depth, depth + len(tokens)))
    out.nodes.append(Node(begin, begin + len(tokens), depth, above))
    for i in members:
        own = min(len(runs[i]), depth + len(tokens)) - depth
        if own > 0:
            out.paths[i].append((index, own))
    return index

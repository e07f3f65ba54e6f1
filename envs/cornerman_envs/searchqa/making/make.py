"""Checks every candidate question against BM25 and writes the file."""

from __future__ import annotations

import lzma
import random
import sys
from collections import defaultdict
from pathlib import Path
from typing import TypeVar

import msgspec

from cornerman_envs.searchqa.index import Index, words
from cornerman_envs.searchqa.questions import Question
from cornerman_envs.searchqa.shipped import Atlas

from . import prose, tables
from .puzzles import Composer, Puzzle, Subjects

SEED = 20261130
SPLITS = {"train": (0.6, 60), "dev": (0.15, 12), "test": (0.25, 20)}
"""By split: the share of subjects, and how many questions of a kind at most."""

K = 3
"""The documents that a gold query may take to find its own."""

Thing = TypeVar("Thing")


def deal(things: list[Thing], rng: random.Random) -> dict[str, list[Thing]]:
    """Deal things out to the splits."""
    shuffled, dealt, start, share = rng.sample(things, len(things)), {}, 0, 0.0
    for split, (part, _) in SPLITS.items():
        share += part
        stop = round(share * len(shuffled))
        dealt[split] = shuffled[start:stop]
        start = stop
    return dealt


def holds(text: str, answer: str) -> bool:
    """Whether the answer's words stand in the text one after the other."""
    return f" {' '.join(words(answer))} " in f" {' '.join(words(text))} "


def sound(index: Index, puzzle: Puzzle) -> bool:
    """Whether every query finds its document, none is needed twice, and a bridge has to be crossed.

    It has when the last document holds the answer, and neither the question nor a document before does.
    """
    needed = []
    for title, query in puzzle.plan:
        hits = [d for d in index.search(query, K) if d.title == title]
        if not hits:
            return False
        needed += hits
    if len(set(needed)) < len(needed):
        return False
    if puzzle.kind.startswith("compare"):
        return True
    *before, last = (f"{document.title} {document.text}" for document in needed)
    return holds(last, puzzle.answer) and not any(holds(t, puzzle.answer) for t in (puzzle.question, *before))


def chosen(index: Index, composer: Composer, split: str, rng: random.Random) -> list[Question]:
    """The questions of a split: kinds take turns, each up to its number."""
    kinds: dict[str, list[Puzzle]] = defaultdict(list)
    for puzzle in {puzzle.question: puzzle for puzzle in composer.puzzles()}.values():
        kinds[puzzle.kind].append(puzzle)
    for kind, puzzles in sorted(kinds.items()):
        rng.shuffle(puzzles)
        kinds[kind] = [p for p in puzzles[: 4 * SPLITS[split][1]] if sound(index, p)][: SPLITS[split][1]]
    rounds = range(max(map(len, kinds.values())))
    order = [kinds[kind][i] for i in rounds for kind in sorted(kinds) if i < len(kinds[kind])]
    return [
        Question(
            id=f"searchqa-{split}-{number}",
            question=puzzle.question[:1].upper() + puzzle.question[1:],
            answers=(puzzle.answer,),
            family=f"{'comparison' if puzzle.kind.startswith('compare') else 'bridge'}-{len(puzzle.plan)}",
            documents=tuple(title for title, _ in puzzle.plan),
            queries=tuple(query for _, query in puzzle.plan),
        )
        for number, puzzle in enumerate(order)
    ]


def make() -> Atlas:
    """Everything, from the packages that are installed."""
    facts = tables.read()
    documents = prose.documents(facts, random.Random(SEED))
    index = Index(documents)
    rng = random.Random(SEED + 1)
    countries, cities = deal(list(facts.countries.values()), rng), deal(facts.cities, rng)
    airports, elements = deal(facts.airports, rng), deal(facts.elements, rng)
    questions = {}
    for split in SPLITS:
        subjects = Subjects(countries[split], cities[split], airports[split], elements[split])
        questions[split] = chosen(index, Composer(facts, subjects, rng), split, rng)
    return Atlas(sources=tables.versions(), documents=documents, questions=questions)


def main(out: Path) -> None:
    """Write the file; the same packages give the same bytes within the archive."""
    atlas = make()
    out.write_bytes(lzma.compress(msgspec.json.encode(atlas), preset=9))
    counts = {split: len(questions) for split, questions in atlas.questions.items()}
    print(f"{len(atlas.documents)} documents, questions: {counts}, {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

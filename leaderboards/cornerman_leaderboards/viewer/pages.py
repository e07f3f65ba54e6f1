"""The viewer's pages, from what they show to HTML."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

from cornerman.recorded import Manifest
from cornerman.records import Call, Critique, Episode, Usage
from cornerman.tally import critiques, interventions
from cornerman_leaderboards.viewer.addresses import Addresses
from cornerman_leaderboards.viewer.comparing import compare
from cornerman_leaderboards.viewer.forking import MOST, Forking
from cornerman_leaderboards.viewer.guard import CONTENT
from cornerman_leaderboards.viewer.index import OUTCOMES, Entry, Index, Selection, Wanted
from cornerman_leaderboards.viewer.runs import Listed
from cornerman_leaderboards.viewer.tokens import sampled
from cornerman_leaderboards.web.conversation import GLOBALS, Block, Conversation, Page
from cornerman_leaderboards.web.rendering import asset, environment
from cornerman_leaderboards.web.texts import Texts

HERE = Path(__file__).parent
CSS, JS = "text/css; charset=utf-8", "text/javascript; charset=utf-8"
FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "style.css": (CSS, lambda: asset("style.css")),
    "conversation.css": (CSS, lambda: asset("conversation.css")),
    "viewer.css": (CSS, lambda: (HERE / "assets" / "viewer.css").read_bytes()),
    "viewer.js": (JS, lambda: (HERE / "assets" / "viewer.js").read_bytes()),
}
"""The only files that are served."""
CHOICES = 500
"""Task names that the filter proposes at most."""


class Row(NamedTuple):
    """An episode of the list, in numbers."""

    entry: Entry
    score: float
    attempts: int
    turns: int
    critiques: int
    interventions: int
    actor: int
    critic: int
    seconds: float


class Pages:
    """Renders pages."""

    def __init__(self) -> None:
        self._environment = environment(HERE / "templates")
        self._environment.globals |= {**GLOBALS, "policy": CONTENT, "outcomes": OUTCOMES}

    def _render(self, template: str, **values: Any) -> str:
        return self._environment.get_template(template).render(root="/", **values)

    def sorry(self, status: HTTPStatus, sentence: str) -> str:
        """A page that says what is wrong."""
        return self._render("sorry.html", status=status, sentence=sentence)

    def runs(self, listed: Sequence[Listed]) -> str:
        """The list of runs."""
        return self._render("runs.html", listed=[(r, Addresses(r.name)) for r in listed])

    def episodes(self, run: str, index: Index, manifest: Manifest | None, wanted: Wanted, chosen: Selection) -> str:
        """A page of a run's episodes, task by task."""
        groups = [
            (task, [row(index, e) for e in entries])
            for task, entries in itertools.groupby(chosen.entries, lambda e: e.task)
        ]
        return self._render(
            "episodes.html",
            run=run,
            at=Addresses(run),
            index=index,
            manifest=manifest,
            wanted=wanted,
            chosen=chosen,
            groups=groups,
            tasks=index.tasks.all[:CHOICES],
        )

    def episode(self, run: str, index: Index, shown: Conversation, page: Page) -> str:
        """One episode to read."""
        others = [e for e in index.of_task(shown.episode.task.id) if e.number != shown.number]
        return self._render(
            "episode.html", run=run, at=Addresses(run), c=shown, page=page, others=others, total=len(index)
        )

    def text(self, run: str, shown: Conversation, text: str) -> str:
        """A text as a whole."""
        return self._render("text.html", run=run, at=Addresses(run), c=shown, text=text)

    def call(self, run: str, number: int, episode: Episode, call: Call) -> str:
        """A model call: what was asked, and what was answered token by token."""
        return self._render(
            "call.html",
            run=run,
            at=Addresses(run),
            number=number,
            episode=episode,
            call=call,
            answers=[sampled(c) for c in call.completions],
            texts=Texts(limit=20_000),
        )

    def words(self, run: str, number: int, episode: Episode, critique: Critique, forking: Forking) -> str:
        """Where other words than a critique's can be tried, and what came of those that were."""
        tries = forking.of(run, number, critique.id)
        last = tries[0] if tries else None
        return self._render(
            "try.html",
            run=run,
            at=Addresses(run),
            number=number,
            critique=critique,
            block=Block("critique", critique),
            page=Page(),
            token=forking.token,
            tries=tries,
            text=last.words.text if last else critique.text,
            suggestion=last.words.suggestion if last else critique.suggestion,
            k=last.k if last else 4,
            most=MOST,
        )

    def compare(self, run: str, index: Index, left: Conversation, right: Conversation) -> str:
        """Two episodes side by side."""
        at = Addresses(run)
        others = index.of_task(left.episode.task.id)
        return self._render(
            "compare.html",
            run=run,
            at=at,
            left=left,
            right=right,
            found=compare(left, right),
            others=others,
            page=Page(),
        )


def row(index: Index, entry: Entry) -> Row:
    """An episode of the list, read for its numbers."""
    episode = index.episode(entry.number)
    assert episode is not None
    return Row(
        entry=entry,
        score=episode.score,
        attempts=len(episode.attempts),
        turns=sum(len(a.turns) for a in episode.attempts),
        critiques=len(critiques(episode)),
        interventions=interventions(episode),
        actor=total(u for role, u in episode.usage.items() if role == "actor"),
        critic=total(u for role, u in episode.usage.items() if role != "actor"),
        seconds=episode.seconds,
    )


def total(used: Iterator[Usage]) -> int:
    """All tokens of some usage."""
    return sum(u.prompt + u.cached + u.output for u in used)

"""Which address is which page. Whatever is not here is not found."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import unquote, urlsplit

from cornerman.records import Critique, Episode
from cornerman.tally import critiques
from cornerman.worth.trying import Words, place_of
from cornerman_leaderboards.viewer import pages
from cornerman_leaderboards.viewer.addresses import Addresses
from cornerman_leaderboards.viewer.forking import MOST, Forking, Try
from cornerman_leaderboards.viewer.index import OUTCOMES, Index, Wanted
from cornerman_leaderboards.viewer.query import BadRequest, fields, integer
from cornerman_leaderboards.viewer.runs import Runs
from cornerman_leaderboards.web.conversation import Conversation, Page, conversation
from cornerman_leaderboards.web.played import played
from cornerman_leaderboards.web.texts import Texts

HTML = "text/html; charset=utf-8"
PART = r"[^/]{1,600}"
NUMBER = r"[0-9]{1,9}"
LONGEST_WORDS = 8000
"""Characters of words that a form may bring."""


@dataclass(frozen=True)
class Answer:
    """What is sent back."""

    status: HTTPStatus
    body: bytes = b""
    kind: str = HTML
    location: str | None = None


def page(text: str, status: HTTPStatus = HTTPStatus.OK) -> Answer:
    """A page."""
    return Answer(status, text.encode("utf-8", "replace"))


class NotFound(Exception):
    """No page has this address."""


class Routes:
    """The pages of some runs."""

    def __init__(self, runs: Runs, forking: Forking | None = None) -> None:
        """forking: what plays other words; None where that is not allowed, and nothing but reading is."""
        self.runs, self.pages, self.forking = runs, pages.Pages(), forking
        self._routes: list[tuple[re.Pattern[str], Callable[..., Answer]]] = [
            (re.compile(pattern), route)
            for pattern, route in (
                ("/", self.home),
                (f"/({'|'.join(map(re.escape, pages.FILES))})", self.file),
                (f"/runs/({PART})", self.episodes),
                (f"/runs/({PART})/compare", self.compare),
                (f"/runs/({PART})/({NUMBER})", self.episode),
                (f"/runs/({PART})/({NUMBER})/texts/({NUMBER})", self.text),
                (f"/runs/({PART})/({NUMBER})/calls/({NUMBER})", self.call),
                (f"/runs/({PART})/({NUMBER})/words/({NUMBER})", self.words),
            )
        ]

    def answer(self, method: str, target: str, body: bytes) -> Answer:
        """The answer to a request. Raises `BadRequest` for an address that cannot be read."""
        try:
            parts = urlsplit(target)
        except ValueError as error:
            raise BadRequest("the address cannot be read") from error
        for pattern, route in self._routes:
            found = pattern.fullmatch(parts.path)
            if found is not None:
                values = [*map(unquote, found.groups()), parts.query]
                try:
                    if method == "GET":
                        return route(*values)
                    if route == self.words:
                        run, number, critique, query = values
                        return self.play(run, number, critique, query, body)
                except NotFound as error:
                    return self.sorry(HTTPStatus.NOT_FOUND, str(error))
                return self.sorry(HTTPStatus.METHOD_NOT_ALLOWED, "this page can only be read")
        return self.sorry(HTTPStatus.NOT_FOUND, "there is no such page")

    def sorry(self, status: HTTPStatus, sentence: str) -> Answer:
        """A page that says what is wrong."""
        return page(self.pages.sorry(status, sentence), status)

    def file(self, name: str, query: str) -> Answer:
        """A style or script of the pages' own."""
        kind, content = pages.FILES[name]
        return Answer(HTTPStatus.OK, content(), kind)

    def home(self, query: str) -> Answer:
        """The list of runs, or the only one."""
        fields(query, ())
        names = list(self.runs.folders())
        if self.runs.single and len(names) == 1:
            return Answer(HTTPStatus.SEE_OTHER, location=Addresses(names[0]).run)
        return page(self.pages.runs(self.runs.listed()))

    def episodes(self, run: str, query: str) -> Answer:
        """A page of a run's episodes."""
        found = fields(query, ("method", "task", "outcome", "page"))
        outcome = found.get("outcome") or None
        if outcome is not None and outcome not in OUTCOMES:
            raise BadRequest(f"outcome is one of {', '.join(OUTCOMES)}")
        wanted = Wanted(
            found.get("method") or None, found.get("task", ""), next((o for o in OUTCOMES if o == outcome), None)
        )
        index = self._index(run)
        chosen = index.select(wanted, integer(found, "page", 1, 1))
        return page(self.pages.episodes(run, index, self.runs.manifest(run), wanted, chosen))

    def episode(self, run: str, number: str, query: str) -> Answer:
        """One episode."""
        fields(query, ())
        index = self._index(run)
        episode = self._episode(index, int(number))
        at = Addresses(run)
        shown = conversation(episode, int(number), played(episode, self.runs.forks(run)))
        return page(self.pages.episode(run, index, shown, self._page(at, shown)))

    def text(self, run: str, number: str, text: str, query: str) -> Answer:
        """One text of an episode as a whole."""
        fields(query, ())
        index = self._index(run)
        episode = self._episode(index, int(number))
        shown = conversation(episode, int(number), played(episode, self.runs.forks(run)))
        seen = self._page(Addresses(run), shown)
        self.pages.episode(run, index, shown, seen)
        if int(text) >= len(seen.texts.all):
            raise NotFound(f"episode {number} has no text {text}")
        return page(self.pages.text(run, shown, seen.texts.all[int(text)]))

    def call(self, run: str, number: str, call: str, query: str) -> Answer:
        """One request to a model, with the tokens that were sampled."""
        fields(query, ())
        index = self._index(run)
        episode = self._episode(index, int(number))
        found = next((c for c in episode.calls if c.id == int(call)), None)
        if found is None:
            raise NotFound(f"episode {number} has no call {call}")
        return page(self.pages.call(run, int(number), episode, found))

    def compare(self, run: str, query: str) -> Answer:
        """Two episodes side by side."""
        found = fields(query, ("left", "right"))
        index = self._index(run)
        left, right = (integer(found, side, 0, 1) for side in ("left", "right"))
        both = [conversation(self._episode(index, number), number) for number in (left, right)]
        if both[0].episode.task != both[1].episode.task:
            raise BadRequest("two episodes are compared on the same task; these have two")
        return page(self.pages.compare(run, index, both[0], both[1]))

    def words(self, run: str, number: str, critique: str, query: str) -> Answer:
        """Where other words than a critique's can be tried, and what came of those that were."""
        fields(query, ())
        forking, episode, found = self._spot(run, number, critique)
        return page(self.pages.words(run, int(number), episode, found, forking))

    def play(self, run: str, number: str, critique: str, query: str, body: bytes) -> Answer:
        """Try other words. The form has to carry the token that stands in this viewer's own pages."""
        fields(query, ())
        forking, episode, found = self._spot(run, number, critique)
        try:
            form = fields(body.decode("ascii"), ("token", "text", "suggestion", "forks"), LONGEST_WORDS)
        except UnicodeDecodeError as error:
            raise BadRequest("the form cannot be read") from error
        if not forking.allows(form.get("token", "")):
            return self.sorry(HTTPStatus.FORBIDDEN, "the form is of another viewer; load the page again")
        text = form.get("text", "").replace("\r\n", "\n").strip()
        if not text:
            raise BadRequest("your words are missing; silence is played anyway")
        said = Words(text=text, suggestion=form.get("suggestion", "").strip() or None)
        folder = self.runs.folder(run)
        assert folder is not None
        k = integer(form, "forks", 1, 1, MOST)
        forking.submit(folder, Try(run, int(number), episode, found, said, k))
        return Answer(HTTPStatus.SEE_OTHER, location=Addresses(run).other(int(number), found.id))

    def _spot(self, run: str, number: str, critique: str) -> tuple[Forking, Episode, Critique]:
        """A critique whose words can be others."""
        if self.forking is None:
            raise NotFound("this viewer plays nothing; start it with --allow-forks")
        episode = self._episode(self._index(run), int(number))
        found = next((c for c in critiques(episode) if c.id == int(critique)), None)
        if found is None or place_of(episode, found) is None:
            raise NotFound(f"episode {number} has no critique {critique} that could be followed by other words")
        return self.forking, episode, found

    def _page(self, at: Addresses, shown: Conversation) -> Page:
        def edit(critique: Critique) -> str | None:
            possible = self.forking is not None and place_of(shown.episode, critique) is not None
            return at.other(shown.number, critique.id) if possible else None

        number = shown.number
        return Page(Texts(lambda n: at.text(number, n)), lambda call: at.call(number, call), edit)

    def _index(self, run: str) -> Index:
        index = self.runs.index(run)
        if index is None:
            raise NotFound(f"there is no run '{run}' here")
        return index

    def _episode(self, index: Index, number: int) -> Episode:
        episode = index.episode(number)
        if episode is None:
            raise NotFound(f"the run has no episode {number}")
        return episode

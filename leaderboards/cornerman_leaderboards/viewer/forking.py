"""Playing on with other words: one try after the other, in a thread of its own. Nothing of it enters a run's folder."""

from __future__ import annotations

import asyncio
import hmac
import queue
import secrets
import threading
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cornerman.errors import CornermanError, UsageError, did_you_mean
from cornerman.plugins import Plugins
from cornerman.records import Critique, Episode, Usage
from cornerman.store import latest
from cornerman.worth.setting import Held, Setting
from cornerman.worth.trying import VOICES, Continuation, Spot, Voice, Words, place_of

MOST = 16
"""Forks of each voice that one try may play."""
WAITING = 8
"""Tries that may wait."""
LABELS: dict[Voice, str] = {"yours": "with your words", "words": "with its own", "silence": "without any"}


@dataclass
class Try:
    """Words that were tried at a critique, and what has come of them so far."""

    run: str
    number: int
    episode: Episode
    critique: Critique
    words: Words
    k: int
    results: list[Continuation] = field(default_factory=list)
    over: bool = False
    repeats: bool = False
    problem: str | None = None

    def of(self, voice: Voice) -> list[Continuation]:
        """The forks of one voice, by sample."""
        return [t for t in self.results if t.voice == voice]

    @property
    def arms(self) -> Sequence[tuple[str, list[Continuation]]]:
        """The forks of each voice with its name."""
        return [(LABELS[voice], self.of(voice)) for voice in VOICES]

    @property
    def usage(self) -> Usage:
        """What all forks used."""
        return sum((u for t in self.results for u in t.usage.values()), Usage())


class Forking:
    """Plays tries; keeps them until the viewer ends. `token` is what a page's form must carry."""

    def __init__(self, plugins: Plugins, workers: int | None = None) -> None:
        self.token = secrets.token_urlsafe(32)
        self._plugins, self._workers = plugins, workers
        self._tries: list[Try] = []
        self._waiting: queue.Queue[tuple[Path, Try]] = queue.Queue(WAITING)
        self._settings: dict[Path, Setting] = {}
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def allows(self, token: str) -> bool:
        """Whether a form came from a page of this viewer."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def of(self, run: str, number: int, critique: int) -> list[Try]:
        """The tries at one critique, the latest first."""
        here = (run, number, critique)
        return [t for t in reversed(self._tries) if (t.run, t.number, t.critique.id) == here]

    def submit(self, folder: Path, made: Try) -> None:
        """Play a try when those before it have been played. Raises `UsageError` where too many wait."""
        with self._lock:
            try:
                self._waiting.put_nowait((folder, made))
            except queue.Full:
                raise UsageError(f"{WAITING} tries are waiting; come back when they have been played") from None
            self._tries.append(made)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            folder, made = self._waiting.get()
            try:
                made.repeats = asyncio.run(self._play(folder, made))
            except CornermanError as error:
                made.problem = str(error)
            except Exception as error:  # a plug-in's or a model's own; the page says it and the viewer goes on
                traceback.print_exc()
                made.problem = f"{type(error).__name__}: {error}"
            made.over = True

    async def _play(self, folder: Path, made: Try) -> bool:
        setting = self._settings.get(folder)
        if setting is None:
            setting = self._settings[folder] = Setting(self._plugins, folder, self._workers, lambda text: None)
        episode, methods = made.episode, {m.name: m for m in setting.run.methods}
        method = methods.get(episode.method)
        if method is None:
            raise UsageError(f"the run has no method '{episode.method}'; {did_you_mean(episode.method, methods)}")
        held: Held = {}
        if method.memory is not None:
            held = setting.held(method, [e for e in latest(folder).values() if e.method == method.name])
        place = place_of(episode, made.critique)
        assert place is not None
        rules = setting.run.suite.rules
        async with setting.bench(method) as bench:
            memory = held.get((episode.task.id, episode.trial), ())
            spot = Spot(bench, rules, method, episode, made.critique, place, memory)
            return await spot.play(made.words, made.k, made.results.append)

"""A run in TensorBoard."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cornerman import hookimpl
from cornerman.records import Episode
from cornerman_plugins.observers.figures import Running, final

if TYPE_CHECKING:
    from cornerman.rollout import Plan


class TensorBoard:
    """Writes a run's figures for TensorBoard: means by method after every episode, and the summary at the end.

    folder: below which a folder of the run's name is written; the run's own folder without it. Look with
    `tensorboard --logdir FOLDER`.
    """

    def __init__(self, folder: str = "") -> None:
        self._below = folder
        self._running = Running()
        self._writer: Any = None

    @hookimpl
    def run_started(self, run: Plan) -> None:
        """Open the file of events."""
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        place = Path(self._below) / run.name if self._below else run.folder / "tensorboard"
        self._writer = EventFileWriter(os.fspath(place))

    @hookimpl
    def episode_finished(self, episode: Episode) -> None:
        """Write the means of the episode's method."""
        count, means = self._running.add(episode)
        self._write(count, means)

    @hookimpl
    def run_finished(self, run: Plan, complete: bool) -> None:
        """Write the summary and close the file."""
        self._write(len(run.recorded), final(run.folder))
        self._writer.close()

    def _write(self, step: int, values: dict[str, float]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        parts = [Summary.Value(tag=tag, simple_value=value) for tag, value in values.items()]
        self._writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=parts)))

"""What controls need beside a critic: the recorded run that `shuffled` draws from."""

from __future__ import annotations

from pathlib import Path

from cornerman.engine.instance import Instance
from cornerman.engine.wrappers import Shuffler, utterances
from cornerman.errors import UsageError
from cornerman.store import iterate, read_experiment


def supply(critic: Instance) -> None:
    """Give a shuffled control its critiques. Raises `UsageError` where it names no run."""
    wrap = critic.settings.wrap
    if wrap.use != "shuffled":
        return
    if wrap.run is None:
        raise UsageError(f"critic '{critic.label}': wrap 'shuffled' needs the run to draw from, as in wrap.run=DIR")
    read_experiment(Path(wrap.run))  # what is no run folder is said so
    critic.shuffler = Shuffler(wrap.run, utterances(list(iterate(Path(wrap.run)))))

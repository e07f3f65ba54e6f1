"""A run in Weights & Biases."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from cornerman import hookimpl
from cornerman.experiment import to_table
from cornerman.records import Episode
from cornerman.store import read_experiment
from cornerman_plugins.observers.figures import Running, final

if TYPE_CHECKING:
    from cornerman.rollout import Plan


class WandB:
    """Tells Weights & Biases of a run: means by method after every episode, and the summary at the end.

    project: under which the run is shown. mode: `online` sends while the run goes on and needs `wandb login`, `offline`
    writes below the run's folder, to be sent later with `wandb sync`. No prompt and no episode is sent, only figures
    and the experiment.
    """

    def __init__(self, project: str = "cornerman", mode: Literal["offline", "online"] = "offline") -> None:
        self._project, self._mode = project, mode
        self._running = Running()
        self._run: Any = None

    @hookimpl
    def run_started(self, run: Plan) -> None:
        """Open the run."""
        import wandb

        self._run = wandb.init(
            project=self._project,
            name=run.name,
            dir=os.fspath(run.folder),
            mode=self._mode,
            config=to_table(read_experiment(run.folder)),
            settings=wandb.Settings(
                silent=True, disable_git=True, disable_code=True, x_disable_stats=True, console="off"
            ),
        )

    @hookimpl
    def episode_finished(self, episode: Episode) -> None:
        """Tell the means of the episode's method."""
        count, means = self._running.add(episode)
        self._run.log({**means, f"{episode.method}/episodes": count})

    @hookimpl
    def run_finished(self, run: Plan, complete: bool) -> None:
        """Tell the summary and close the run."""
        self._run.summary.update(final(run.folder))
        self._run.finish(exit_code=0 if complete else 1)

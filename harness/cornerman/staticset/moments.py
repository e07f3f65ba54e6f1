"""The different states of a run at which its actor chose an action, in the order in which they are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cornerman.engine.restoring import lineage
from cornerman.records import Attempt, Episode, LogEntry, Record
from cornerman.seeds import derive


class State(Record, frozen=True, kw_only=True):
    """One recorded decision: the action log before it, and what the actor offered first."""

    episode: Episode
    attempt: Attempt
    turn: int
    prefix: tuple[LogEntry, ...]
    own: str

    @property
    def place(self) -> tuple[str, int, int, int]:
        """What tells it from all others of its method."""
        return (self.episode.task.id, self.episode.trial, self.attempt.index, self.turn)


def states(episodes: Iterable[Episode]) -> list[State]:
    """All decisions at which an action was offered; one that repeats a state and an offer of its task is left out."""
    found, seen = [], set()
    for episode in episodes:
        for attempt in episode.attempts:
            before = lineage(episode.attempts, attempt.index)
            played = sum(t.executed is not None for t in before[: len(before) - len(attempt.turns)])
            for turn in attempt.turns:
                prefix = attempt.log[:played]
                played += turn.executed is not None
                if turn.kind != "act" or turn.origin != "played" or not turn.candidates:
                    continue
                own = turn.candidates[0].text
                key = (episode.task.id, tuple((e.action, e.replies) for e in prefix), own)
                if key not in seen:
                    seen.add(key)
                    found.append(State(episode=episode, attempt=attempt, turn=turn.index, prefix=prefix, own=own))
    return found


def in_order(found: Sequence[State], seed: int) -> list[State]:
    """One of every task, then another of each, and so on; which ones come first follows from the seed, no outcome."""
    by_task: dict[str, list[State]] = {}
    for state in found:
        by_task.setdefault(state.episode.task.id, []).append(state)
    ranked = [
        (rank, derive(seed, "task", task), state)
        for task, group in by_task.items()
        for rank, state in enumerate(sorted(group, key=lambda s: derive(seed, "state", *s.place)))
    ]
    return [state for _, _, state in sorted(ranked, key=lambda entry: entry[:2])]

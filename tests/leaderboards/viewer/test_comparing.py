"""Where two episodes part."""

from __future__ import annotations

import msgspec
import pytest
from tests.support.recorded import episode

from cornerman.records import ContextItem, Critique, Episode
from cornerman_leaderboards.viewer.comparing import Compared, compare
from cornerman_leaderboards.web.conversation import conversation


def parted(left: Episode, right: Episode) -> Compared:
    return compare(conversation(left, 1), conversation(right, 2))


def told(actions: tuple[str, ...], turn: int, delivered: bool) -> Episode:
    """An episode with a critique after a turn."""
    made = episode("t1", "b", actions=actions)
    [attempt] = made.attempts
    said = Critique(
        id=0, text="Mind the door.", critic="c", delivered=delivered, suppressed=None if delivered else "shadow"
    )
    words = (ContextItem(text=said.text, critique=said.id, at=turn),) if delivered else ()
    turns = [msgspec.structs.replace(t, critiques=(said,)) if t.index == turn else t for t in attempt.turns]
    return msgspec.structs.replace(
        made, attempts=(msgspec.structs.replace(attempt, turns=tuple(turns), context=words),)
    )


@pytest.mark.parametrize(
    ("right", "same", "what"),
    [
        (episode("t1", "b", actions=("look", "wait", "go")), 3, None),
        (episode("t1", "b", actions=("look", "sing", "go")), 1, "the action"),
        (episode("t1", "b", actions=("look", "wait")), 2, "where it ends"),
        (told(("look", "wait", "go"), 1, delivered=True), 1, "what critics told the actor"),
        (told(("look", "wait", "go"), 1, delivered=False), 3, None),
    ],
)
def test_the_first_difference_is_named(right: Episode, same: int, what: str | None) -> None:
    found = parted(episode("t1", "a", actions=("look", "wait", "go")), right)
    assert (len(found.same), found.what) == (same, what)
    assert len(found.same) + len(found.rest) == 3


def test_another_beginning_comes_before_all(tmp_path: object) -> None:
    right = episode("t1", "b")
    [attempt] = right.attempts
    right = msgspec.structs.replace(right, attempts=(msgspec.structs.replace(attempt, opening="Elsewhere."),))
    assert parted(episode("t1", "a"), right).what == "how the task begins"

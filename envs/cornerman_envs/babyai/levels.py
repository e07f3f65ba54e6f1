"""BabyAI's levels (Chevalier-Boisvert et al. 2019, arXiv 1810.08272), made by minigrid.

`LEVELS` holds those that are played, `EXCLUDED` those that are not, and why; together they are all 96 of minigrid 3.2.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium

from cornerman.errors import EnvError, UsageError, did_you_mean
from cornerman.seeds import derive
from cornerman_envs.light.listing import part_of

GROUPS: dict[str, str] = {
    "go to": """
        GoToRedBallGrey GoToRedBall GoToRedBallNoDists GoToObj GoToObjS4 GoToObjS6 GoToLocal GoToLocalS5N2
        GoToLocalS6N2 GoToLocalS6N3 GoToLocalS6N4 GoToLocalS7N4 GoToLocalS7N5 GoToLocalS8N2 GoToLocalS8N3
        GoToLocalS8N4 GoToLocalS8N5 GoToLocalS8N6 GoToLocalS8N7 GoTo GoToOpen GoToObjMaze GoToObjMazeOpen
        GoToObjMazeS4R2 GoToObjMazeS4 GoToObjMazeS5 GoToObjMazeS6 GoToObjMazeS7 GoToImpUnlock GoToSeq GoToSeqS5R2
        GoToRedBlueBall GoToDoor GoToObjDoor""",
    "open": """
        Open OpenRedDoor OpenDoor OpenDoorDebug OpenDoorColor OpenDoorLoc OpenTwoDoors OpenRedBlueDoors
        OpenRedBlueDoorsDebug OpenDoorsOrderN2 OpenDoorsOrderN4""",
    "pick up": "Pickup UnblockPickup PickupLoc PickupDist PickupDistDebug PickupAbove",
    "put next": """
        PutNextLocal PutNextLocalS5N3 PutNextLocalS6N4 PutNextS4N1 PutNextS5N2 PutNextS5N1 PutNextS6N3 PutNextS7N4
        PutNextS5N2Carrying PutNextS6N3Carrying PutNextS7N4Carrying""",
    "unlock": """
        Unlock UnlockLocal UnlockLocalDist UnlockPickup UnlockPickupDist BlockedUnlockPickup""",
    "other": """
        ActionObjDoor FindObjS5 FindObjS6 FindObjS7 KeyCorridor KeyCorridorS3R1 KeyCorridorS3R2 KeyCorridorS3R3
        KeyCorridorS4R3 KeyCorridorS5R3 KeyCorridorS6R3 OneRoomS8 OneRoomS12 OneRoomS16 OneRoomS20 MoveTwoAcrossS5N2
        MoveTwoAcrossS8N9""",
    "many kinds": "Synth SynthS5R2 SynthLoc SynthSeq MiniBossLevel BossLevel BossLevelNoUnlock",
}
LEVELS: tuple[str, ...] = tuple(name for names in GROUPS.values() for name in names.split())
EXCLUDED: dict[str, str] = {
    "UnlockToUnlock": "minigrid's bot goes round in circles in half of its worlds, over which key it needs first",
    "KeyInBox": "the key lies in a box, which minigrid's bot never opens: there is no gold",
    "OpenDoorsOrderN2Debug": "where two doors are asked for, opening the first already counts as the wrong one",
    "OpenDoorsOrderN4Debug": "where two doors are asked for, opening the first already counts as the wrong one",
}
MOST_TRIES = 1000
"""How often a place for the agent is drawn in one world."""

MISSING = "BabyAI needs the extra 'babyai': pip install 'cornerman[babyai]'"


def gymnasium_id(level: str) -> str:
    """The id under which minigrid registers a level."""
    return f"BabyAI-{level}-v{1 if level == 'GoToObjS6' else 0}"


def make_level(level: str, seed: int, part: str | None = None) -> Any:
    """An instance of minigrid's level as the seed makes it, of the part that is asked for (see `part_of`).

    The limit of moves that minigrid sets is lifted: a turn can be many moves, and the suite's rules limit the turns.
    Raises UsageError for an unknown level.
    """
    known = (*LEVELS, *EXCLUDED)
    if level not in known:
        raise UsageError(f"BabyAI has no level '{level}'; {did_you_mean(level, known)}")
    made = _instance(level)
    for draw in _draws(level, seed):
        made.reset(seed=draw)
        if part is None or part_of(content(made)) == part:
            break
    made.max_steps = sys.maxsize
    made.gen_obs = dict  # each step would draw a picture that nobody looks at
    return made


def content(level: Any) -> str:
    """What a made level is, as text: the mission and the whole grid, with what the agent carries."""
    carried = "" if level.carrying is None else f"{level.carrying.color} {level.carrying.type}"
    return f"babyai\n{level.mission}\n{carried}\n{level.pprint_grid()}"


def _draws(level: str, seed: int) -> Iterator[int]:
    return (derive("babyai", level, seed, number) for number in itertools.count())


def _instance(level: str) -> Any:
    try:
        rooms: Any = importlib.import_module("minigrid.envs.babyai.core.roomgrid_level")
        verifier: Any = importlib.import_module("minigrid.envs.babyai.core.verifier")
    except ImportError as error:
        raise EnvError(f"{MISSING} ({error})") from None
    # Minigrid prints each world that it throws away, and an environment variable makes it wait for the action "done".
    rooms.print = _quiet
    verifier.use_done_actions = False
    registered = gymnasium.spec(gymnasium_id(level))
    assert registered.entry_point is not None
    made: Any = gymnasium.envs.registration.load_env_creator(str(registered.entry_point))(**registered.kwargs)
    made.place_obj = _Patience(made.place_obj)
    return made


class _Patience:
    """Minigrid's `place_obj`, which gives a world up in which the agent finds no place.

    Minigrid draws places for the agent until it does not look at a thing, which is for ever in a room whose only free
    cell is walled in by things. A RecursionError makes it draw another world.
    """

    def __init__(self, place: Callable[..., Any]) -> None:
        self._place, self._tries = place, 0

    def __call__(self, thing: Any, *arguments: Any, **named: Any) -> Any:
        self._tries = 0 if thing is not None else self._tries + 1
        if self._tries > MOST_TRIES:
            self._tries = 0
            raise RecursionError("the agent finds no place")
        return self._place(thing, *arguments, **named)


def _quiet(*words: object) -> None:
    """Takes the place of `print` in minigrid's maker of rooms."""

"""The five kinds of feedback of LLF-Bench (arXiv 2312.06853), spoken by rule from gold."""

from __future__ import annotations

from cornerman import Critique, hookimpl
from cornerman.engine.view import View
from cornerman.records import Turn
from cornerman_plugins.prompting.items import one_line

KINDS = ("r", "hp", "hn", "fp", "fn")


class LLFBench:
    """Feedback after each turn, of the kinds that are named (LLF-Bench, arXiv 2312.06853).

    The paper's kinds: `r` states the reward; `hp` and `hn` look back and say that the last action was good, or was not;
    `fp` and `fn` look ahead and name an action to take, or one to avoid. Ours: an action was good when the way to the
    goal became shorter by it, and not when it became longer or there is none any more; of one that changed nothing in
    it, neither is said.

    kinds: one or several, on a command line "r|hp|hn". Sees gold and score: privileged, a scripted ceiling.
    """

    sees = ("history", "admissible", "gold", "score")

    def __init__(self, kinds: str | tuple[str, ...] = KINDS) -> None:
        wanted = tuple(kinds.split("|") if isinstance(kinds, str) else kinds)
        unknown = [k for k in wanted if k not in KINDS]
        if unknown or not wanted:
            raise ValueError(f"kinds are one or several of {', '.join(KINDS)}, not {'|'.join(wanted) or 'none'}")
        self.kinds = wanted

    @hookimpl
    async def transform_observation(self, view: View, observation: str) -> None:
        """Nothing; only keeps how long the way was before the first action."""
        if view.turn == 0:
            view.state["left"] = length(await view.gold())

    @hookimpl
    async def review_turn(self, view: View, turn: Turn) -> Critique | None:
        """The feedback of the wanted kinds in one critique; none at the end."""
        gold = await view.gold()
        before, after = view.state.get("left"), length(gold)
        view.state["left"] = after
        if turn.terminated or turn.executed is None:
            return None
        said = {
            "r": f"The reward of that was {turn.reward or 0.0:g}.",
            "hp": f'"{one_line(turn.executed)}" was a good step.' if closer(before, after) else "",
            "hn": f'"{one_line(turn.executed)}" was a mistake.' if closer(after, before) else "",
            "fp": f"Do this next: `{gold[0]}`" if gold else "",
            "fn": self._avoid(view, gold),
        }
        words = " ".join(said[kind] for kind in KINDS if kind in self.kinds and said[kind])
        named = gold[0] if gold and "fp" in self.kinds else None
        return Critique(text=words, suggestion=named) if words else None

    def _avoid(self, view: View, gold: list[str] | None) -> str:
        wrong = [a for a in view.admissible or [] if gold and a != gold[0]]
        return f'Do not do "{view.rng().choice(wrong)}" now.' if wrong else ""


def length(gold: list[str] | None) -> int | None:
    """How many gold actions are left; None where the task can not be solved any more."""
    return None if gold is None else len(gold)


def closer(before: int | None, after: int | None) -> bool:
    """Whether the way became shorter; any way is shorter than none."""
    return after is not None and (before is None or after < before)

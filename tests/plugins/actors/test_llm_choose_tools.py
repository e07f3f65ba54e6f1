"""`llm-choose` where tools are on offer and no commands are listed: it chooses among answers that it writes itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.plugins.actors.test_llm_react_tools import call
from tests.support.play import catalogue, play
from tests.support.scripted_model import Asked, ScriptedModel

from cornerman import Candidate, Critique, Verdict, hookimpl
from cornerman.engine.view import View
from cornerman.errors import UsageError
from cornerman.model import Generation
from cornerman.records import Task, Turn
from cornerman.suites import Rules

ONE, TWO = call("down", by=1), call("down", by=2)


class Graded(ScriptedModel):
    """Gives a text that asks for 2 the highest log-probability a token; each has a token for each of its letters."""

    async def generate(self, *args: Any, **options: Any) -> Generation:
        made = await super().generate(*args, **options)
        each = {c.text: -0.1 if "2" in c.text else -0.5 for c in made.completions}
        known = [msgspec.structs.replace(c, logprobs=(each[c.text],) * len(c.text)) for c in made.completions]
        return msgspec.structs.replace(made, completions=tuple(known))


def choose(
    replies: Sequence[str], critic: type | None = None, model: type[ScriptedModel] = Graded, **options: Any
) -> tuple[Turn, list[Asked]]:
    """The one turn that it plays, and what its model was asked."""
    registry = catalogue(**({"critic_says": critic} if critic else {}))
    registry.add("environment", "test/Tools-v1", "tests.plugins.actors.test_llm_react_tools:SPEC")
    made = model(replies)
    episode = play(
        registry,
        Task(env="test/Tools-v1", id="five"),
        rules=Rules(max_turns=1),
        model=lambda uri: made,
        actor={"use": "llm-choose", "model": "scripted", **options},
        **({"critic": ["says"]} if critic else {}),
    )
    assert episode.error is None
    [turn] = episode.attempts[0].turns
    return turn, made.asked


def test_alone_it_says_one_greedy_answer() -> None:
    turn, [asked] = choose([f"{ONE} and then I wait."])
    assert turn.executed == ONE
    assert asked.sampling is not None
    assert asked.sampling.temperature == 0
    assert '"name":"down"' in asked.messages[0].content


def test_of_several_samples_the_distinct_ones_are_ranked_by_their_probability_a_token() -> None:
    turn, [asked] = choose([ONE, TWO, ONE], proposals=3, candidates=3)
    assert [c.text for c in turn.candidates] == [TWO, ONE]
    assert turn.executed == TWO
    assert asked.sampling is not None
    assert asked.sampling.temperature > 0
    first, second = (c.logprob or 0.0 for c in turn.candidates)
    assert first - second == pytest.approx(0.4)


def test_a_fenced_call_and_a_message_are_read_as_what_they_are() -> None:
    assert choose([f"```json\n{TWO}\n```"])[0].executed == TWO
    assert choose(["It is done,\nI think."])[0].executed == "It is done, I think."


def critic(verdict: Verdict) -> type:
    class Says:
        @hookimpl
        def review_action(self, view: View, candidates: Sequence[Candidate]) -> list[Critique]:
            return [Critique(verdict=verdict, text="Not that.") for _ in candidates]

    return Says


def test_a_revision_is_written_after_the_critics_words() -> None:
    turn, (_, again) = choose([ONE, TWO], critic(Verdict.REVISE))
    assert turn.executed == TWO
    assert "Not that." in again.last


def test_a_blocked_call_is_not_said_again() -> None:
    turn, _ = choose([ONE, ONE, TWO], critic(Verdict.BLOCK), proposals=1)
    assert turn.revisions == ()


def test_no_proposals_are_refused() -> None:
    with pytest.raises(UsageError, match="proposals"):
        choose([], proposals=0)


class Mute(ScriptedModel):
    """Gives no log-probabilities of what it writes."""

    async def generate(self, *args: Any, **options: Any) -> Generation:
        made = await super().generate(*args, **options)
        bare = [msgspec.structs.replace(c, logprobs=None) for c in made.completions]
        return msgspec.structs.replace(made, completions=tuple(bare))


def test_without_log_probabilities_the_most_frequent_answer_is_taken() -> None:
    turn, _ = choose([ONE, TWO, TWO], model=Mute, proposals=3)
    assert turn.executed == TWO

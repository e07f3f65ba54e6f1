"""Datasets from played episodes: what was asked and answered, and the same prompts without the critics' words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.countdown import task
from tests.support.play import catalogue, method, play
from tests.support.scripted_model import ScriptedModel

from cornerman import Candidate, Critique, Request, Verdict, hookimpl
from cornerman.engine.instance import Instance
from cornerman.engine.view import View
from cornerman.errors import UsageError
from cornerman.model import Generation
from cornerman.records import Attempt, Episode, Message
from cornerman.suites import Rules
from cornerman_plugins.trainers.datasets.answers import actions, critiques, helped, revisions
from cornerman_plugins.trainers.datasets.pairs import jaccard, matched_prefix_pairs
from cornerman_plugins.trainers.datasets.prompts import actor_of, render, unguided
from cornerman_plugins.trainers.datasets.rows import Example, Source, mixed, trl_example, trl_pair
from cornerman_plugins.trainers.datasets.splices import THOUGHT, spliced_examples, splices

RULES = Rules(max_turns=4, requests=2)
ADVISED: dict[str, Any] = {"actor": {"use": "llm-react", "model": "actor"}}


def everything(*_: object) -> bool:
    return True


def models(actor: Sequence[str] | Any, critic: Sequence[str] | Any = ()) -> Any:
    """Two scripted models, by URI."""
    made = {"actor": ScriptedModel(actor), "critic": ScriptedModel(critic)}
    return lambda uri: made[uri]


def advised() -> Episode:
    """An attempt on a count of 3, advised after every turn, that solves it."""
    episode = play(
        catalogue(),
        task(3),
        rules=RULES,
        model=models(["Thought: slow\nAction: wait", "Action: down 2", "Action: down 1"], ["count", "go on"]),
        critic=[{"use": "advice", "model": "critic"}],
        **ADVISED,
    )
    assert episode.success
    return episode


def actor(**table: Any) -> Instance:
    return method(catalogue(), **(table or ADVISED)).actor


def test_actions_are_the_prompts_and_answers_of_the_turns() -> None:
    episode = advised()
    found = list(actions([episode]))
    calls = [c for c in episode.calls if c.role == "actor"]
    assert [(e.prompt, e.completion) for e in found] == [(c.messages, c.completions[0].text) for c in calls]
    assert [e.completion for e in found] == ["Thought: slow\nAction: wait", "Action: down 2", "Action: down 1"]
    assert found[1].source == Source(task="from-3", method=episode.method, trial=0, attempt=0, turn=1)


class Tokens(ScriptedModel):
    """Tells its tokens."""

    async def generate(self, *given: Any, **more: Any) -> Generation:
        made = await super().generate(*given, **more)
        told = tuple(msgspec.structs.replace(c, ids=(7, 8)) for c in made.completions)
        return msgspec.structs.replace(made, completions=told, prompt_ids=(1, 2, 3))


def test_tokens_are_those_that_were_sampled() -> None:
    model = Tokens(["Action: down 1"])
    episode = play(catalogue(), task(1), rules=RULES, model=lambda uri: model, **ADVISED)
    [example] = actions([episode])
    assert (example.prompt_ids, example.completion_ids) == ((1, 2, 3), (7, 8))
    [again] = asyncio.run(unguided([episode], actor(), RULES))
    assert (again.prompt_ids, again.completion_ids) == (None, (7, 8))  # another prompt, the same words


def test_runs_without_prompts_say_so() -> None:
    episode = advised()
    slim = tuple(msgspec.structs.replace(c, messages=()) for c in episode.calls)
    with pytest.raises(UsageError, match=r"from-3 of method .* was recorded without its prompts"):
        list(actions([msgspec.structs.replace(episode, calls=slim)]))


def test_attempts_that_failed_are_left_out_unless_they_are_kept() -> None:
    registry = catalogue()
    episode = play(registry, task(5), rules=RULES, model=models(lambda _: "Action: wait"), **ADVISED)
    assert list(actions([episode])) == []
    assert len(list(actions([episode], everything))) == 4


def test_scripted_actors_have_no_prompts_to_learn_from() -> None:
    assert list(actions([play(catalogue(), task(3), actor="gold")])) == []


def test_critiques_are_examples_of_the_critic() -> None:
    found = list(critiques([advised()]))
    assert [(e.role, e.completion, e.source.turn) for e in found] == [("critic", "count", 0), ("critic", "go on", 1)]
    assert "Turn 1: `wait`" in found[0].prompt[-1].content


def test_reflections_are_kept_where_the_next_attempt_scored_more() -> None:
    def retried(*actions: str) -> Episode:
        return play(
            catalogue(),
            task(3),
            rules=Rules(max_turns=1),
            model=models([f"Action: {a}" for a in actions], ["think", "again"]),
            critic=[{"use": "reflect", "model": "critic"}],
            protocol={"use": "retry", "attempts": 2, "until": "n"},
            **ADVISED,
        )

    better, worse = retried("wait", "down 1"), retried("down 1", "wait")
    assert [e.completion for e in critiques([better], helped)] == ["think"]
    assert list(critiques([worse], helped)) == []


class Drafts:
    """Proposes to wait; revises by a model when told to."""

    def render(self, view: View) -> list[Message]:
        return [Message(role="user", content=f"turn {view.turn}")]

    @hookimpl
    async def act(self, view: View) -> list[Candidate]:
        reply = await view.model.generate(self.render(view), purpose="act", max_tokens=4, temperature=0.0)
        return [Candidate(text=reply.text, raw=reply.text, call=reply.call)]

    @hookimpl
    async def revise(self, view: View, critiques: Sequence[Critique]) -> Candidate:
        words = [Message(role="user", content=c.text) for c in critiques]
        reply = await view.model.generate(words, purpose="revise", max_tokens=4, temperature=0.0)
        return Candidate(text=reply.text, raw=reply.text, call=reply.call)


class Objects:
    @hookimpl
    def review_action(self, view: View, candidates: Sequence[Candidate]) -> Critique | None:
        if candidates[0].text != "wait":
            return None
        return Critique(verdict=Verdict.REVISE, text="do not wait")


def test_revisions_are_learned_with_the_critique_in_the_prompt() -> None:
    registry = catalogue(actor_drafts=Drafts, critic_objects=Objects)
    episode = play(
        registry,
        task(3),
        model=models(["wait", "down 2", "down 1"]),
        actor={"use": "drafts", "model": "actor"},
        critic=["objects"],
    )
    assert episode.success
    [revision] = revisions([episode])
    assert (revision.prompt[0].content, revision.completion) == ("do not wait", "down 2")
    assert [e.completion for e in actions([episode])] == ["down 2", "down 1"]  # the draft was not acted on


@pytest.mark.parametrize("use", ["llm-react", "llm-choose"])
def test_prompts_made_again_are_those_that_were_asked(use: str) -> None:
    table = {"actor": {"use": use, "model": "actor"}}
    episode = play(
        catalogue(),
        task(4),
        rules=Rules(max_turns=3),
        model=models(lambda m: f"Action: {'wait' if len(m) < 4 else 'down 1'}", lambda _: "count"),
        critic=[{"use": "advice", "model": "critic"}, {"use": "reflect", "model": "critic"}],
        protocol={"use": "retry", "attempts": 2, "until": "n"},
        **table,
    )
    asked = {c.id: c.messages for c in episode.calls if c.role == "actor"}
    for attempt in episode.attempts:
        found = asyncio.run(render(episode, attempt.index, actor(**table), Rules(max_turns=3)))
        wanted = [asked[t.candidates[0].call] for t in attempt.turns]  # type: ignore[index]
        assert [prompt for _, prompt in found] == wanted
        assert len(found) == len(attempt.turns)
    assert any("count" in m.content for messages in asked.values() for m in messages)


def test_prompts_without_the_words_are_those_of_an_attempt_that_never_heard_them() -> None:
    episode = advised()
    silent = play(
        catalogue(),
        task(3),
        rules=RULES,
        model=models(["Thought: slow\nAction: wait", "Action: down 2", "Action: down 1"]),
        **ADVISED,
    )
    found = asyncio.run(unguided([episode], actor(), RULES))
    assert [e.prompt for e in found] == [c.messages for c in silent.calls]
    assert [e.completion for e in found] == [e.completion for e in actions([episode])]
    assert found[1].prompt != list(actions([episode]))[1].prompt


def test_a_retry_from_a_turn_is_rendered_from_there() -> None:
    class Pivots:
        @hookimpl
        def review_attempt(self, view: View, attempt: Attempt) -> Critique | None:
            return None if attempt.success else Critique(text="count down", pivot=1)

    episode = play(
        catalogue(critic_pivots=Pivots),
        task(3),
        rules=Rules(max_turns=3),
        model=models(["Action: down 1", "Action: wait", "Action: wait", "Action: down 2"]),
        critic=["pivots"],
        protocol={"use": "retry", "attempts": 2, "start": "pivot"},
        **ADVISED,
    )
    assert [len(a.turns) for a in episode.attempts] == [3, 1]
    guided = asyncio.run(render(episode, 1, actor(), Rules(max_turns=3)))
    assert [p for _, p in guided] == [episode.calls[-1].messages]
    [example] = asyncio.run(unguided([episode], actor(), Rules(max_turns=3)))
    assert (example.completion, example.source.turn) == ("Action: down 2", 1)
    assert "count down" in str(guided[0].prompt)
    assert "count down" not in str(example.prompt)


def test_an_actor_without_prompts_cannot_be_rendered() -> None:
    with pytest.raises(UsageError, match="actor 'gold' has no render"):
        asyncio.run(render(advised(), 0, actor(actor="gold"), RULES))


def test_the_actor_of_a_run_is_read_from_its_experiment(tmp_path: Path) -> None:
    text = 'suite = "x"\nbaseline = "a"\n[[method]]\nname = "a"\nactor = { use = "llm-react", thoughts = false }\n'
    (tmp_path / "experiment.toml").write_text(text)
    assert vars(actor_of(catalogue(), tmp_path, "a").plugin)["thoughts"] is False
    with pytest.raises(UsageError, match="has no method 'b'"):
        actor_of(catalogue(), tmp_path, "b")


def asking(answer: str, *actions: str) -> Episode:
    """An attempt on a count of 3 that waits, asks, hears the answer and goes on."""

    class Asks:
        @hookimpl
        def act(self, view: View) -> str | Request:
            return "wait" if view.turn == 0 else Request(question="how?") if view.turn == 1 else actions[view.turn - 2]

    return play(
        catalogue(actor_asks=Asks),
        task(3),
        rules=RULES,
        model=models([], [answer]),
        actor="asks",
        critic=[{"use": "request-answer", "model": "critic"}],
    )


def test_feedback_that_led_to_success_is_preferred_to_feedback_that_did_not() -> None:
    good, bad = asking("two and one", "down 2", "down 1"), asking("wait a bit", "wait", "wait")
    [pair] = matched_prefix_pairs([bad, good, asking("two and one", "wait", "wait")])  # the same words teach nothing
    assert (pair.role, pair.chosen, pair.rejected) == ("critic", "two and one", "wait a bit")
    assert pair.prompt == next(c.messages for c in good.calls if c.role == "critic")
    assert (pair.source.turn, pair.other.turn) == (1, 1)
    assert trl_pair(pair)["rejected"] == [{"role": "assistant", "content": "wait a bit"}]


def test_pairs_of_other_lengths_or_against_the_judge_are_left_out() -> None:
    good, bad = asking("two and one", "down 2", "down 1"), asking("wait " * 7, "wait", "wait")
    assert list(matched_prefix_pairs([good, bad])) == []
    assert len(list(matched_prefix_pairs([good, bad], longest=3.0))) == 1
    assert list(matched_prefix_pairs([good, bad], longest=3.0, keep=lambda pair: False)) == []


def test_similarity_of_prefixes_by_hand() -> None:
    # {a, b, c} and {b, c, d}: two of four in both
    assert jaccard(frozenset("abc"), frozenset("bcd")) == 0.5
    assert jaccard(frozenset(), frozenset()) == 1.0


def attempt_of(*actions: str, pivot: int | None = None) -> Episode:
    class Acts:
        @hookimpl
        def act(self, view: View) -> str:
            return actions[view.turn]

    class Names:
        @hookimpl
        def review_attempt(self, view: View, attempt: Attempt) -> Critique | None:
            return None if pivot is None else Critique(text="there", pivot=pivot)

    return play(
        catalogue(actor_acts=Acts, critic_names=Names),
        task(4),
        rules=Rules(max_turns=len(actions)),
        actor="acts",
        critic=["names"],
    )


GOOD = ("down 2", "down 1", "down 1")


def test_a_splice_goes_wrong_says_so_and_goes_right() -> None:
    bad, good = attempt_of("down 2", "wait", "wait", "wait"), attempt_of(*GOOD)
    [found] = splices([bad, good])
    [attempt] = found.episode.attempts
    assert [t.executed for t in attempt.turns] == ["down 2", "wait", None, "down 1", "down 1"]
    assert found.learn_from == 2
    examples = asyncio.run(spliced_examples([found], actor(), Rules(max_turns=9)))
    assert [e.completion for e in examples] == [f"Thought: {THOUGHT}", "down 1", "down 1"]
    assert THOUGHT in str(examples[1].prompt)
    assert "wait" in str(examples[0].prompt)


def test_a_critic_says_where_the_bad_part_is_cut() -> None:
    bad, good = attempt_of("down 2", "wait", "wait", "wait", pivot=3), attempt_of(*GOOD)
    [found] = splices([bad, good])
    assert [t.executed for t in found.episode.attempts[0].turns] == ["down 2", "wait", "wait", None, "down 1", "down 1"]


def test_attempts_that_are_not_good_enough_or_never_part_are_no_splices() -> None:
    bad, good = attempt_of("down 2", "wait"), attempt_of(*GOOD)
    assert list(splices([bad, good], margin=0.6)) == []  # 1 − 0.5 is no more than 0.6
    assert list(splices([bad, good], least=1.0)) == []
    assert list(splices([attempt_of("down 2", "down 1"), good])) == []  # a beginning of the good one
    assert list(splices([bad])) == []


def test_shares_of_a_mixture_are_shares_of_means() -> None:
    row = next(actions([advised()]))
    made = mixed([([row] * 3, 0.6), ([row], 0.4)])
    assert [e.weight for e in made] == pytest.approx([0.2, 0.2, 0.2, 0.4])
    assert trl_example(made[0])["completion"] == [{"role": "assistant", "content": "Thought: slow\nAction: wait"}]
    assert isinstance(made[0], Example)

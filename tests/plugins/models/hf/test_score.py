"""Scoring and choosing on the real SmolLM2, against whole forward passes of transformers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra 'hf'")

from cornerman.model import Sampling
from cornerman.records import Completion, Message

Gap = Callable[[Sequence[int], Completion], float]
Run = Callable[[Any], Any]

COMMANDS = [
    f"{verb} {thing}"
    for verb in ("take", "go to", "open", "examine")
    for thing in ("desk 1", "desk 12", "apple 1", "the red key", "north")
]
GOAL = "You play a text game. Find the red key and take it. Answer with one command.\n"
TURNS = [
    GOAL + "You are in a study. You see a desk 1, a desk 12 and a door to the north.",
    "go to desk 1",
    "You arrive at desk 1. On the desk 1, you see an apple 1 and a lamp 2.",
    "examine apple 1",
    "It is a red apple. Nothing special about it.",
]


def test_scores_are_those_of_a_whole_forward_pass(smollm2: Any, gap: Gap, run: Run, user: Any) -> None:
    continuations = [*COMMANDS[:19], "take apple"]
    answer = run(smollm2.score(user(TURNS[0]), continuations))
    assert [c.text for c in answer.completions] == continuations
    assert all(c.finish == "scored" for c in answer.completions)
    assert max(gap(answer.prompt_ids, c) for c in answer.completions) < 1e-3


def test_an_answer_ends_its_turn(smollm2: Any, run: Run, user: Any) -> None:
    short, long, same = run(smollm2.score(user(TURNS[0]), ["take apple", "take apple 1", "take apple"])).completions
    assert short.ids[-1] == long.ids[-1] == 2
    assert short.ids[:-1] == long.ids[: len(short.ids) - 1]
    assert short == same


def test_a_growing_session_scores_as_fresh_prompts_do(smollm2: Any, run: Run, user: Any) -> None:
    known = 0
    for length in (1, 3, 5):
        kept = run(smollm2.score(user(*TURNS[:length]), COMMANDS, session="grow"))
        fresh = run(smollm2.score(user(*TURNS[:length]), COMMANDS))
        assert kept.prompt_ids == fresh.prompt_ids
        assert (kept.usage.cached > 0) == (length > 1)
        assert kept.usage.cached >= known
        assert fresh.usage.cached == 0
        assert kept.usage.cached + kept.usage.prompt == fresh.usage.prompt
        known = kept.usage.cached
        for a, b in zip(kept.completions, fresh.completions, strict=True):
            assert a.ids == b.ids
            assert a.logprobs == pytest.approx(b.logprobs, abs=1e-3)


def test_choices_are_the_models_own_distribution_restricted(smollm2: Any, run: Run, user: Any) -> None:
    choices = ("take desk 1", "take desk 12", "take apple 1", "go to north")
    sampling = Sampling(choices=choices, temperature=1.0)
    answer = run(smollm2.generate(user(TURNS[0]), sampling, seeds=range(300), session="choose"))
    drawn = [c.text for c in answer.completions]
    assert set(drawn) <= set(choices)
    by_text = {c.text: c for c in answer.completions}
    probability = {text: math.exp(c.logprob) for text, c in by_text.items()}
    for text, p in probability.items():
        assert drawn.count(text) / 300 == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 300) + 1e-9)
    # renormalised over the allowed tokens: at the first token, by the scores of the free model
    scored = run(smollm2.score(user(TURNS[0]), list(choices), session="choose")).completions
    take, go = scored[0].logprobs[0], scored[3].logprobs[0]
    expected = take - math.log(math.exp(take) + math.exp(go))
    assert by_text["take desk 1"].logprobs[0] == pytest.approx(expected, abs=1e-3)
    assert answer.usage.output == sum(len(c.ids) for c in answer.completions)


def test_the_greedy_choice_takes_the_likeliest_token_at_each_branch(smollm2: Any, run: Run, user: Any) -> None:
    [choice] = run(smollm2.generate(user(TURNS[0]), Sampling(choices=tuple(COMMANDS)), seeds=[0])).completions
    scored = run(smollm2.score(user(TURNS[0]), COMMANDS)).completions
    allowed = list(scored)
    for place, token in enumerate(choice.ids):
        best = max(allowed, key=lambda c: c.logprobs[place])
        assert best.ids[place] == token
        allowed = [c for c in allowed if c.ids[place] == token]
    assert [c.text for c in allowed] == [choice.text]
    assert choice.logprobs[-1] <= 0


def test_a_single_choice_is_certain(smollm2: Any, run: Run, user: Any) -> None:
    [only] = run(smollm2.generate(user("Say it."), Sampling(choices=("look",), temperature=1), seeds=[5])).completions
    assert (only.text, only.logprob) == ("look", 0.0)


def test_unlikely_text_scores_lower(smollm2: Any, run: Run, user: Any) -> None:
    question: list[Message] = user("What is the capital of France? Answer in one sentence.")
    right, wrong = run(
        smollm2.score(question, ["The capital of France is Paris.", "The capital of France is Oslo."])
    ).completions
    assert right.logprob > wrong.logprob + 1

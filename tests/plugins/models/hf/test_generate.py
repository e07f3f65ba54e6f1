"""Free generation on the real SmolLM2: seeds, batches, stops and log-probabilities."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra 'hf'")

from cornerman.model import Generation, Sampling
from cornerman.plugins import load
from cornerman.records import Completion
from cornerman_plugins.models.hf.backend import SmolLM2

Gap = Callable[[Sequence[int], Completion], float]
Run = Callable[[Any], Any]
PROMPTS = [
    "What is the capital of France?",
    "Name three fruits.",
    "You are in a kitchen with a fridge and a table. What do you do first? " * 4,
    "Write one sentence about the sea.",
]


def test_it_answers(smollm2: Any, run: Run, user: Any) -> None:
    answer = run(smollm2.generate(user(PROMPTS[0]), Sampling(max_tokens=20), seeds=[0]))
    [completion] = answer.completions
    assert completion.text == "The capital of France is Paris."
    assert completion.finish == "stop"
    assert completion.ids[-1] == 2
    assert answer.usage.output == len(completion.ids)
    assert answer.usage.prompt == len(answer.prompt_ids)


def test_the_embedded_model_by_its_name(smollm2_folder: Path, run: Run, user: Any) -> None:
    model = load().registry.get("model", "smollm2").load()()
    assert SmolLM2.locate("") == ("smollm2", smollm2_folder)
    assert model.name == "smollm2"
    assert model.describe()["dtype"] in ("bfloat16", "float32")
    [completion] = run(model.generate(user(PROMPTS[0]), Sampling(max_tokens=20), seeds=[0])).completions
    run(model.aclose())
    assert "Paris" in completion.text


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_a_sample_depends_on_its_prompt_and_seed_and_not_on_the_batch(
    smollm2: Any, run: Run, user: Any, temperature: float
) -> None:
    sampling = Sampling(max_tokens=24, temperature=temperature, top_p=0.95)
    alone = [run(smollm2.generate(user(p), sampling, seeds=[7])).completions[0] for p in PROMPTS]

    async def together() -> list[Generation]:
        return await asyncio.gather(*(smollm2.generate(user(p), sampling, seeds=[3, 7, 9]) for p in PROMPTS))

    batched = [answer.completions[1] for answer in run(together())]
    assert [c.ids for c in batched] == [c.ids for c in alone]
    assert [c.text for c in batched] == [c.text for c in alone]
    for a, b in zip(batched, alone, strict=True):
        assert a.logprobs == pytest.approx(b.logprobs, abs=1e-3)


def test_seeds_make_samples_differ_and_temperature_0_does_not(smollm2: Any, run: Run, user: Any) -> None:
    hot = run(smollm2.generate(user(PROMPTS[3]), Sampling(max_tokens=16, temperature=1), seeds=range(4))).completions
    cold = run(smollm2.generate(user(PROMPTS[3]), Sampling(max_tokens=16), seeds=range(2))).completions
    assert len({c.text for c in hot}) == 4
    assert cold[0] == cold[1]


def test_logprobs_and_entropies_are_those_of_a_plain_forward_pass(smollm2: Any, gap: Gap, run: Run, user: Any) -> None:
    sampling = Sampling(max_tokens=12, temperature=0.7, top_p=0.9)
    answer = run(smollm2.generate(user(PROMPTS[3]), sampling, seeds=[1, 2]))
    assert max(gap(answer.prompt_ids, c) for c in answer.completions) < 1e-3


def test_the_likeliest_tokens_alone_are_left_by_a_small_top_p(smollm2: Any, run: Run, user: Any) -> None:
    narrow = Sampling(max_tokens=16, temperature=1.5, top_p=1e-6)
    greedy = run(smollm2.generate(user(PROMPTS[3]), Sampling(max_tokens=16), seeds=[0])).completions[0]
    for completion in run(smollm2.generate(user(PROMPTS[3]), narrow, seeds=range(3))).completions:
        assert completion.ids == greedy.ids


def test_stop_strings_cut_the_text_and_keep_the_tokens(smollm2: Any, run: Run, user: Any) -> None:
    whole = run(smollm2.generate(user(PROMPTS[0]), Sampling(max_tokens=20), seeds=[0])).completions[0]
    cut = run(
        smollm2.generate(user(PROMPTS[0]), Sampling(max_tokens=20, stop=("zzz", " of Fra")), seeds=[0])
    ).completions[0]
    assert (cut.text, cut.finish) == ("The capital", "stop")
    assert cut.ids == whole.ids[: len(cut.ids)]
    short = run(smollm2.generate(user(PROMPTS[0]), Sampling(max_tokens=3), seeds=[0])).completions[0]
    assert (short.text, short.finish, len(short.ids)) == ("The capital of", "length", 3)


def test_a_turn_goes_on_from_what_was_generated(smollm2: Any, run: Run, user: Any) -> None:
    first = run(smollm2.generate(user(PROMPTS[0]), Sampling(max_tokens=20), seeds=[0], session="talk"))
    said = first.completions[0]
    conversation = user(PROMPTS[0], said.text, "And of Italy?")
    second = run(smollm2.generate(conversation, Sampling(max_tokens=20), seeds=[0], session="talk"))
    assert second.usage.cached == len(first.prompt_ids) + len(said.ids) - 1, "all but the token that ended the turn"
    assert "Rome" in second.completions[0].text
    fresh = run(smollm2.generate(conversation, Sampling(max_tokens=20), seeds=[0]))
    assert fresh.completions[0].ids == second.completions[0].ids


def test_sixteen_requests_at_once(smollm2: Any, run: Run, user: Any) -> None:
    async def many() -> list[Generation]:
        generate = [
            smollm2.generate(user(f"Count from {i}."), Sampling(max_tokens=6), seeds=[i], session=f"many-{i}")
            for i in range(8)
        ]
        score = [smollm2.score(user(f"Count from {i}."), ["one", "two"], session=f"many-{i}") for i in range(8)]
        return await asyncio.gather(*generate, *score)

    answers = run(many())
    assert [len(a.completions) for a in answers] == [1] * 8 + [2] * 8
    for i in (0, 5):
        alone = run(smollm2.score(user(f"Count from {i}."), ["one", "two"]))
        for a, b in zip(answers[8 + i].completions, alone.completions, strict=True):
            assert a.logprobs == pytest.approx(b.logprobs, abs=1e-3)

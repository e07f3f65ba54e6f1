"""An episode as a page reads it."""

from __future__ import annotations

import pytest

from cornerman.errors import End
from cornerman.records import Attempt, Candidate, Critique, Episode, Start, Task, Turn, Verdict
from cornerman.worth.arms import Arm
from cornerman.worth.forks import Forked
from cornerman.worth.places import Place
from cornerman_leaderboards.web.conversation import GLOBALS, Page, conversation
from cornerman_leaderboards.web.played import played
from cornerman_leaderboards.web.rendering import environment
from cornerman_leaderboards.web.texts import Texts

PASS = Critique(id=0, critic="grader", moment="review_action", candidate=0, verdict=Verdict.PASS, score=0.9)
BLOCK = Critique(
    id=1, critic="rules", moment="review_action", candidate=0, verdict=Verdict.BLOCK, text="Not again.", delivered=True
)
LATE = Critique(id=2, critic="coach", moment="review_turn", text="Well done.", suppressed="budget")


def turn(*critiques: Critique, executed: str = "go", **fields: object) -> Turn:
    offers = (Candidate(text="go", logprob=-0.1), Candidate(text="wait", logprob=-3.0))
    made = {"candidates": offers[:1], "observation": "You go."} | fields
    return Turn(index=0, critiques=critiques, executed=executed, **made)  # type: ignore[arg-type]


def episode(*attempts: Attempt) -> Episode:
    task = Task(env="test/Hand-v1", id="t1")
    return Episode(task=task, method="m", trial=0, seed=0, attempts=attempts, counted=len(attempts) - 1)


def kinds(*turns: Turn) -> list[list[str]]:
    shown = conversation(episode(Attempt(index=0, path="0", turns=turns)), 1)
    return [[b.kind for b in t.blocks] for t in shown.attempts[0].turns]


def html(made: Episode, forks: list[Forked] | None = None) -> str:
    """The conversation as a page without a server."""
    env = environment()
    env.globals |= GLOBALS
    template = env.from_string("{% import 'conversation.html' as say %}{{ say.conversation(c, page) }}")
    return template.render(c=conversation(made, 1, played(made, forks or [])), page=Page())


def test_an_offer_that_is_done_as_it_is_stands_with_the_action() -> None:
    assert kinds(turn()) == [["action", "observation"]]
    assert kinds(turn(PASS)) == [["action", "observation"]]


def test_what_a_critic_said_of_an_offer_stands_between_offer_and_action() -> None:
    assert kinds(turn(BLOCK, executed="wait", changed_by=1, revisions=(Candidate(text="wait"),))) == [
        ["offers", "critique", "action", "observation"]
    ]


def test_a_changed_action_names_what_the_actor_wanted_and_who_changed_it() -> None:
    changed = turn(BLOCK, executed="wait", changed_by=1)
    shown = conversation(episode(Attempt(index=0, path="0", turns=(changed,))), 1)
    action = next(b for b in shown.attempts[0].turns[0].blocks if b.kind == "action")
    assert (action.instead, action.cause) == ("go", BLOCK)
    assert shown.attempts[0].turns[0].interventions == [BLOCK]


def test_verdicts_on_candidates_are_marks_beside_them_and_the_chosen_one_is_marked() -> None:
    two = (Candidate(text="go"), Candidate(text="wait"))
    chosen = turn(PASS, executed="wait", candidates=two, chosen=1)
    shown = conversation(episode(Attempt(index=0, path="0", turns=(chosen,))), 1)
    [offers, *_] = shown.attempts[0].turns[0].blocks
    assert [(o.taken, list(o.chips)) for o in offers.offers] == [(False, [PASS]), (True, [])]


def test_words_that_reached_nobody_are_muted_and_say_why() -> None:
    out = html(episode(Attempt(index=0, path="0", turns=(turn(LATE),))))
    assert 'class="critique moment-review_turn muted"' in out
    assert "not told: <bdi" in out
    assert "budget" in out


def test_attempts_stand_below_those_that_they_came_from() -> None:
    spoken = Critique(id=5, critic="coach", moment="review_attempt", text="Start later.", delivered=True)
    first = Attempt(index=0, path="0", turns=(turn(),), critiques=(spoken,))
    second = Attempt(index=1, path="1", start=Start(kind="turn", attempt=0, turn=1), critique=5)
    third = Attempt(index=2, path="2", parent=1)
    shown = conversation(episode(first, second, third), 1)
    [root] = shown.tree
    assert root.children[0].critique == spoken
    assert root.children[0].children[0].shown.counted


def forked(arm: Arm, sample: int, success: bool) -> Forked:
    place = Place(
        task="t1",
        trial=0,
        attempt=0,
        turn=0,
        critic="rules",
        moment="review_action",
        spoke=True,
        how="block",
        critiques=(1,),
    )
    return Forked(
        method="m", digest="d", place=place, arm=arm, sample=sample, success=success, score=0.0, end=End.FAILURE
    )


def test_forks_say_what_happened_without_the_words() -> None:
    made = episode(Attempt(index=0, path="0", turns=(turn(BLOCK, executed="wait", changed_by=1),)))
    forks = [
        forked("words", 0, True),
        forked("words", 1, True),
        forked("silence", 0, False),
        forked("silence", 1, True),
    ]
    out = html(made, forks)
    assert out.index("with these words") < out.index("2 of 2 solved") < out.index("without them")
    assert "1 of 2 solved" in out


def test_a_text_is_cut_where_a_page_stands_alone_too() -> None:
    texts = Texts(limit=5)
    assert texts("abcdefgh").text == "abcde"
    assert (texts("abcdefgh").left, texts("abcdefgh").href) == (3, None)
    assert Texts(lambda n: f"/{n}", limit=5)("abcdefgh").href == "/0"


@pytest.mark.parametrize(
    ("text", "drawn"), [("You see:\n#####\n#@$.#", True), ("P..\nOOG", True), ("Ok.\nOk.", False), ("ABC\n", False)]
)
def test_drawings_of_games_are_told_from_prose(text: str, drawn: bool) -> None:
    assert Texts()(text).drawn == drawn

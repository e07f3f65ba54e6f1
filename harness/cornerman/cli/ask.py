"""`cornerman ask CRITIC RUN EPISODE TURN`: what a critic would see, say and cost at a recorded moment."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cornerman.cli.output import emit
from cornerman.cli.run import pairs
from cornerman.cli.state import plugins
from cornerman.records import Usage

if TYPE_CHECKING:
    from cornerman.asking.moments import Said
    from cornerman.asking.question import Answer
    from cornerman.cli.conversation import Part


def command(
    ctx: typer.Context,
    critic: str = typer.Argument(..., help="A critic, as NAME[:KEY=VALUE,…], or the label of one in the run."),
    run: Path = typer.Argument(..., help="A run's folder."),
    episode: str = typer.Argument(..., help="An episode: its number in `cornerman show`, or TASK[/METHOD[/TRIAL]]."),
    turn: str = typer.Argument(..., help="The index of a turn, or `end`."),
    attempt: int = typer.Option(None, "--attempt", min=0, help="Which attempt; by default the one that counts."),
    model: list[str] = typer.Option([], "--model", metavar="ROLE=URI", help="A model by role or label; repeatable."),
    replay: bool = typer.Option(True, "--replay/--no-replay", help="Play the environment up to the moment."),
    rehearse: bool = typer.Option(
        None, "--rehearse/--no-rehearse", help="Ask it at every moment before, too; where it calls no model by default."
    ),
    json: bool = typer.Option(False, "--json", help="One JSON object, alone on stdout."),
) -> None:
    """Ask a critic about a moment of a run, without an actor: what it would see, say and cost there.

    Its trigger is passed over, but it is said whether it would have fired. Exit status 1 when the critic failed.
    """
    from cornerman.asking.question import Question, answer
    from cornerman.cli.conversation import Part
    from cornerman.cli.screen import Screen

    question = Question(
        run=run,
        critic=critic,
        episode=episode,
        turn=turn,
        attempt=attempt,
        models=pairs(model, "--model", "ROLE=URI"),
        replay=replay,
        rehearse=rehearse,
    )
    with contextlib.redirect_stdout(sys.stderr) if json else contextlib.nullcontext():
        found = asyncio.run(answer(plugins(ctx), question))
    if json:
        emit(found)
    else:
        screen = Screen()
        for part in shown(found, Part):
            screen.say(part.text, part.style)
    if any(said.error for said in found.said):
        raise typer.Exit(1)


def shown(found: Answer, part: type[Part]) -> Iterator[Part]:
    """An answer in paragraphs."""
    where = "the end" if found.turn is None else f"turn {found.turn}"
    yield part(f"{found.critic} on episode {found.number}, {found.episode}, attempt {found.attempt}, {where}", "bold")
    mark = " †" if found.privileged else ""
    source = {"replay": "the environment was played up to here", "record": "all is read from the record"}[found.source]
    state = {"recorded": "its recorded state", "rehearsed": "its state rehearsed", "empty": "an empty state"}
    yield part(f"sees {', '.join(found.sees) or 'nothing declared'}{mark}; {source}; {state[found.state]}", "dim")
    for said in found.said:
        yield from moment(said, part)
    for remark in found.remarks:
        yield part(f"\n{remark}", "yellow")


def moment(said: Said, part: type[Part]) -> Iterator[Part]:
    """What was said at one moment."""
    from cornerman.cli.conversation import of_critique

    yield part(f"\n── {said.moment}: its trigger would{'' if said.fires else ' not'} have fired ──", "bold")
    for i, candidate in enumerate(said.candidates):
        yield part(f"candidate {i}: {candidate}")
    for call in said.calls:
        for message in call.messages:
            yield part(f"[{message.role}] {message.content}", "dim")
        texts = [c.text if c.logprob is None else f"{c.text} ({c.logprob:.2f})" for c in call.completions]
        yield part(f"[{call.purpose}] {' | '.join(texts) or call.error or ''}", "italic")
    for critique in said.critiques:
        yield from of_critique(critique, len(said.candidates))
    if said.observation is not None:
        yield part(f"the actor would see: {said.observation}", "yellow")
    for item in said.words:
        yield part(f"the actor would be told ({item.placement}): {item.text}", "yellow")
    if said.error:
        yield part(f"it failed: {said.error}", "bold red")
    elif not said.critiques and not said.words and said.observation is None:
        yield part("it says nothing", "dim")
    if said.verdict is not None:
        yield part(f"alone it comes to: {said.verdict}; without a revision: {said.action or 'nothing is executed'}")
    usage = sum((call.usage for call in said.calls), Usage())
    tokens = f"{usage.prompt} fresh, {usage.cached} cached and {usage.output} output tokens"
    yield part(f"{usage.calls} calls, {tokens}, {said.seconds:.2f} s", "dim")

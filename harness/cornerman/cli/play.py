"""`cornerman play ENVIRONMENT`: a person plays and sees what an agent sees."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import typer

from cornerman.cli.output import warn
from cornerman.cli.state import plugins
from cornerman.errors import EpisodeError, UsageError, did_you_mean

if TYPE_CHECKING:
    from cornerman.cli.screen import Screen
    from cornerman.environment import Step
    from cornerman.records import Task
    from cornerman.registry import Registry
    from cornerman.suites import Rules
    from cornerman.workers.session import Session


def command(
    ctx: typer.Context,
    environment: str = typer.Argument(..., help="An environment's id, or the end of it."),
    task: str = typer.Option(None, "--task", metavar="ID", help="This task instead of the first."),
    split: str = typer.Option(None, "--split", help="Tasks of this split only."),
    suite: str = typer.Option(None, "--suite", help="Tasks of this suite only, played by its rules."),
    hints: bool = typer.Option(False, "--hints", help="Show the next gold action at each turn."),
    model: list[str] = typer.Option([], "--model", metavar="ROLE=URI", help="The model of the rules' user: user=URI."),
) -> None:
    """Play a task yourself: type an action or its number. The end of input (Ctrl-D) leaves the game.

    What is shown is what an agent sees, and the score beside it. Where the environment talks to a user, the user of the
    rules answers you. Exit status 1 when the environment fails.
    """
    from cornerman.cli.run import pairs
    from cornerman.cli.screen import Screen
    from cornerman.engine.context import Bench
    from cornerman.engine.method import build_user
    from cornerman.engine.user import accompanied
    from cornerman.lookup import environment_id
    from cornerman.models import Models
    from cornerman.workers.pool import Pool

    loaded = plugins(ctx)
    chosen, rules = choose(loaded.registry, environment_id(loaded.registry, environment), task, split, suite)
    user = build_user(loaded.registry, rules, pairs(model, "--model", "ROLE=URI"))
    screen = Screen()
    # The loop runs between inputs only, so that Ctrl-C at a prompt ends the command as it does everywhere.
    with asyncio.Runner() as runner:
        pool, models = Pool(loaded, 1), Models(loaded.registry)
        try:
            accompany = accompanied(Bench(sessions=pool, model=models), rules, user)
            session = accompany(chosen, runner.run(pool.open(chosen)))
            try:
                Game(runner, session, rules, screen, hints and gold_of(loaded.registry, chosen)).play(chosen)
            finally:
                runner.run(session.close())
        except EpisodeError as error:
            warn(str(error))
            raise typer.Exit(1) from None
        finally:
            runner.run(pool.close())
            runner.run(models.aclose())


def choose(registry: Registry, env: str, task: str | None, split: str | None, suite: str | None) -> tuple[Task, Rules]:
    """The task to play and its rules: those of the suite, else the usual ones, with the user of one that has it."""
    from cornerman.experiment import load_suite
    from cornerman.lookup import choose_task, load_environment, suites_of
    from cornerman.suites import Rules
    from cornerman.validate import check_user

    if suite is None:
        spec = load_environment(registry, env)
        user = next((s.rules.user for s in suites_of(registry, env) if s.rules.user), None) if spec.user else None
        if spec.user and user is None:
            raise UsageError(f"{env} talks to a user, whom the rules of a suite name: add --suite NAME")
        return choose_task(registry, spec, task, split), Rules(user=user)
    whole = load_suite(registry, suite)
    check_user(registry, whole)
    tasks = [t for t in whole.tasks if t.env == env and split in (None, t.split)]
    if not tasks:
        where = f" of the split '{split}'" if split else ""
        raise UsageError(f"suite '{suite}' has no task{where} of {env}; its tasks are {listed(whole.tasks)}")
    found = next((t for t in tasks if task in (None, t.id)), None)
    if found is None:
        hint = did_you_mean(str(task), [t.id for t in tasks])
        raise UsageError(f"suite '{suite}' has no task '{task}' of {env}; {hint}")
    return found, whole.rules


def listed(tasks: tuple[Task, ...]) -> str:
    """The environments and splits of some tasks."""
    return ", ".join(sorted({f"{t.env} ({t.split})" for t in tasks}))


def gold_of(registry: Registry, task: Task) -> bool:
    """Whether hints can be given; says so where not."""
    from cornerman.lookup import load_environment

    known = load_environment(registry, task.env).gold != "none"
    if not known:
        warn(f"{task.env} knows no gold actions; there are no hints")
    return known


class Game:
    """One task, one person."""

    def __init__(self, runner: asyncio.Runner, session: Session, rules: Rules, screen: Screen, hints: bool) -> None:
        self._runner, self._session = runner, session
        self._rules, self._screen, self._hints = rules, screen, hints

    def play(self, task: Task) -> None:
        """Turn by turn to the end, and a last line that says how it went."""
        screen, rules = self._screen, self._rules
        step = self._runner.run(self._session.reset())
        screen.opening(step, f"{task.env}, task {task.id}")
        if screen.terminal:
            screen.say("Type an action or its number; Ctrl-D leaves.\n", "dim")
        turn = 0
        while True:
            screen.moment(step, turn, rules.max_turns, rules.show_admissible and not over(step))
            if over(step) or turn >= rules.max_turns:
                break
            self._hint()
            action = self._ask(step)
            if action is None:
                screen.say(f"You left after {turn} turns. Score {step.score:.2f}.", "bold")
                return
            if rules.invalid_action == "end" and step.admissible is not None and action not in step.admissible:
                screen.say(f"'{action}' is not admissible, which by the suite's rules ends the game.", "bold red")
                return
            step, turn = self._runner.run(self._session.step(action)), turn + 1
        end = "Solved" if step.success else "Not solved: the game is over" if over(step) else "Not solved: out of turns"
        screen.say(f"{end}, after {turn} turns. Score {step.score:.2f}.", "bold green" if step.success else "bold red")

    def _hint(self) -> None:
        if self._hints:
            gold = self._runner.run(self._session.gold())
            self._screen.say(f"hint: {gold[0]}" if gold else "hint: gold knows no way to win from here", "yellow")

    def _ask(self, step: Step) -> str | None:
        """The action that was typed, or whose number was; None at the end of input."""
        actions = (step.admissible or ()) if self._rules.show_admissible else ()
        while True:
            line = read_line()
            if line is None:
                return None
            text = line.strip()
            if not self._screen.terminal:
                self._screen.say(f"> {text}")
            if not text:
                continue
            if not text.isdecimal() or text in actions or not actions:
                return text
            if len(text) < 10 and 1 <= int(text) <= len(actions):
                return actions[int(text) - 1]
            self._screen.say(f"There is no action {text}; type a number from 1 to {len(actions)}, or an action.", "red")


def over(step: Step) -> bool:
    """Whether the environment has ended."""
    return step.terminated or step.truncated


def read_line() -> str | None:
    """A line of input, None at its end; bytes that are no text are replaced."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        try:
            return input("> ")
        except EOFError:
            return None
    line = sys.stdin.buffer.readline()
    return line.decode("utf-8", "replace") if line else None

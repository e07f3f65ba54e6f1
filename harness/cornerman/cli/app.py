"""The application: global options, built-in commands and those that plug-ins register.

Commands are known by name and module before any of them is imported, so that `cornerman --help` stays quick.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

import cornerman
from cornerman.cli.output import warn
from cornerman.errors import CornermanError, RunInterrupted, UsageError, did_you_mean

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("cornerman.cli.run", "Play an experiment, or go on with one that was stopped."),
    "trial": ("cornerman.cli.trial", "Play a pilot, say what the full run can show and costs, and register it."),
    "list": ("cornerman.cli.catalogue", "List environments, suites, critics and everything else by kind."),
    "play": ("cornerman.cli.play", "Play an environment yourself and see what an agent sees."),
    "check": ("cornerman.cli.check", "Check an environment or a plug-in by the conformance kit."),
    "validate": ("cornerman.cli.validate", "Prove that gold actions win every task of a suite."),
    "worth": ("cornerman.cli.worth", "Say what a critic's words were worth, by forks of a run."),
    "calibrate": ("cornerman.cli.calibrate", "Find the entropies at which a critic begins to speak, by a run."),
    "ask": ("cornerman.cli.ask", "Ask a critic about a recorded moment: what it would see, say and cost there."),
    "import": ("cornerman.cli.importing", "Make a run of traces that another harness recorded."),
    "export": ("cornerman.cli.export", "Write a run as Parquet: episodes, chats for SFT, or pairs for DPO."),
    "critics": ("cornerman.cli.critics", "Judge critics on candidates at recorded states: make a set, score critics."),
    "show": ("cornerman.cli.show", "Show the episodes of a run, or one of them as a conversation."),
    "memory": ("cornerman.cli.memory", "Show what a method's memory learned in a run, or write it to a file."),
    "replay": ("cornerman.cli.replay", "Replay a run's action logs and check every observation."),
    "data": ("cornerman.cli.data", "Fetch an asset, or list them."),
    "doctor": ("cornerman.cli.doctor", "Say what is installed, what is missing, and what mends it."),
}
"""Built-in commands: module (with a `command` function) and the line that --help shows."""


class Commands(TyperGroup):
    """Commands that are imported when they run. Unknown ones are answered with the nearest known names."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Built-in commands, then those of plug-ins."""
        return [*COMMANDS, *sorted(self._registered(ctx))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name."""
        if cmd_name in COMMANDS:
            module, line = COMMANDS[cmd_name]
            return self._make(cmd_name, Lazy(module, "command"), line)
        entry = self._registered(ctx).get(cmd_name)
        if entry is None:
            return None
        from rich.markup import escape

        module, _, attr = str(entry.target).partition(":")
        return self._make(cmd_name, Lazy(module, attr), escape(entry.doc))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As click does, with a did-you-mean."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            raise UsageError(f"unknown command '{name}'; {did_you_mean(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """As click does; an interrupted command has one sentence and a status of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise RunInterrupted("interrupted") from None

    def _registered(self, ctx: Any) -> dict[str, Any]:
        from cornerman.cli.state import plugins

        return {entry.name: entry for entry in plugins(ctx).registry.entries("command")}

    def _make(self, name: str, lazy: Lazy, line: str) -> Any:
        return LazyCommand(name, lazy, line)


class Lazy:
    """A command's function or application, by module and attribute."""

    def __init__(self, module: str, attribute: str) -> None:
        self.module, self.attribute = module, attribute

    def load(self, name: str) -> Any:
        """Import it as a command."""
        target = getattr(importlib.import_module(self.module), self.attribute)
        if isinstance(target, typer.Typer):
            return typer.main.get_command(target)
        app = typer.Typer(add_completion=False)
        app.command(name)(target)
        return typer.main.get_command(app)


class LazyCommand(TyperCommand):
    """Shown by its line; imported when it is invoked or asked for its own help."""

    def __init__(self, name: str, lazy: Lazy, line: str) -> None:
        super().__init__(name, help=line, short_help=line, add_help_option=False)
        self._lazy = lazy

    def make_context(self, info_name: str | None, args: list[str], parent: Any | None = None, **extra: Any) -> Any:
        """The real command's context."""
        return self._lazy.load(self.name or "").make_context(info_name, args, parent, **extra)


app = typer.Typer(cls=Commands, add_completion=False, no_args_is_help=True, rich_markup_mode="rich")


def show_version(value: bool) -> None:
    """Print the version and leave."""
    if value:
        typer.echo(cornerman.__version__)
        raise typer.Exit


@app.callback(help="Cornerman: the benchmark harness for critics of LLM agents.")
def options(
    ctx: typer.Context,
    plugin: list[str] = typer.Option(
        [],
        "-p",
        "--plugin",
        metavar="FILE_OR_MODULE",
        is_eager=True,  # read before --help, which lists the commands of plug-ins
        help="Load a plug-in from a file or module; repeatable.",
    ),
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Show the version."),
) -> None:
    """Options before the command."""
    ctx.obj = {"files": plugin, "plugins": None}


WRONG_USAGE: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""The base of typer's usage errors, which typer does not export."""


def usage_message(error: Any) -> str:
    """One sentence for a usage error, with where help is."""
    text = str(error.format_message()).rstrip()
    context = getattr(error, "ctx", None)
    where = f" See '{context.command_path} --help'." if context is not None else ""
    return f"{text}{'' if text.endswith(('.', '?', '!')) else '.'}{where}"


def run(arguments: list[str]) -> int:
    """Run the command line; answers the exit status."""
    command = typer.main.get_command(app)
    try:
        status = command.main(arguments, prog_name="cornerman", standalone_mode=False)
        sys.stdout.flush()
    except WRONG_USAGE as error:
        if error.format_message():  # without arguments, the help that was printed says it all
            warn(usage_message(error))
        return 2
    except RunInterrupted as error:
        warn(str(error))
        return 1
    except CornermanError as error:
        warn(str(error))
        return 2
    except BrokenPipeError:  # `cornerman … | head`: who read has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status if isinstance(status, int) else 0

"""The page of the command line against the commands themselves."""

from __future__ import annotations

import re
from typing import Any

import pytest
import typer

from cornerman.assets import ASSETS
from cornerman.cli.app import COMMANDS, Lazy, app
from cornerman.cli.catalogue import PLURALS
from cornerman.conformance.environment import CHECKS as ENVIRONMENT_CHECKS
from cornerman.conformance.plugin import CHECKS as PLUGIN_CHECKS
from cornerman.plugins import load
from tests.docs.pages import blocks, coded, headings, pages, prose, read, rows, section

PAGE = read("cli.md")


def commands() -> dict[str, Any]:
    """Every command with its parameters, groups taken apart."""
    loaded = {name: Lazy(module, "command").load(name) for name, (module, _) in COMMANDS.items()}
    for entry in load().registry.entries("command"):
        module, _, attribute = str(entry.target).partition(":")
        loaded[entry.name] = Lazy(module, attribute).load(entry.name)
    found = {}
    for name, command in loaded.items():
        parts = getattr(command, "commands", None)
        found |= {f"{name} {k}": v for k, v in parts.items()} if parts else {name: command}
    return found


ALL = commands()
OPTIONS = {o for p in typer.main.get_command(app).params for o in (*p.opts, *p.secondary_opts)} | {"--help"}


@pytest.mark.parametrize("name", ALL)
def test_every_parameter_of_a_command_has_a_row(name: str) -> None:
    shown = {word for row in rows(section(PAGE, f"cornerman {name}"))[1:] for word in re.findall(r"`([^`]+)`", row[0])}
    wanted = set()
    for parameter in ALL[name].params:
        if parameter.name == "help":
            continue
        if parameter.param_type_name == "argument":
            wanted.add((parameter.metavar or parameter.name).strip("{}[].").upper())
        else:
            wanted |= {*parameter.opts, *parameter.secondary_opts}
    assert shown == wanted


def test_every_command_has_a_heading_and_every_heading_a_command() -> None:
    named = {h.removeprefix("cornerman ") for h in headings(PAGE) if h.startswith("cornerman ")}
    groups = {name.partition(" ")[0] for name in ALL if " " in name}
    assert named == set(ALL) | groups


@pytest.mark.parametrize("name", ALL)
def test_defaults_are_those_of_the_code(name: str) -> None:
    table = rows(section(PAGE, f"cornerman {name}"))
    if table[0][1] != "default":
        return
    for parameter in ALL[name].params:
        value = parameter.default
        if isinstance(value, bool) or (not isinstance(value, (int, str)) and not hasattr(value, "parts")):
            continue
        [row] = [r for r in table if any(f"`{opt}`" in r[0] for opt in parameter.opts)]
        assert row[1].strip("`") == str(value), parameter.name


def test_options_before_the_command() -> None:
    assert coded(PAGE) >= OPTIONS


def test_kinds_and_assets_are_all_named() -> None:
    assert set(PLURALS.values()) <= coded(section(PAGE, "cornerman list"))
    table = {row[0].strip("`"): row[2] for row in rows(section(PAGE, "Assets"))}
    assert {name: table[name] for name in ASSETS} == {name: asset.licence for name, asset in ASSETS.items()}


def test_every_check_of_the_kit_has_a_row() -> None:
    named = [row[0].strip("`") for row in rows(section(PAGE, "Conformance")) if row[0] != "check"]
    assert named == ["opens", *ENVIRONMENT_CHECKS, *PLUGIN_CHECKS]


def quoted_commands() -> list[str]:
    """Every command line of every page, in blocks and in backquotes."""
    found = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        lines = [line for b in blocks(text) if b.language in ("bash", "text") for line in b.text.splitlines()]
        found += [line for line in [*lines, *coded(prose(text))] if re.match(r"cornerman (?!\[)", line)]
    return sorted(set(found))


@pytest.mark.parametrize("line", quoted_commands())
def test_every_command_in_the_docs_exists_with_its_flags(line: str) -> None:
    words = line.rstrip("\\ ").split()[1:]
    while words and words[0] == "-p":
        words = words[2:]
    if words[0] in ("NAME", "--help", "--version"):
        return
    groups = {name.partition(" ")[0] for name in ALL if " " in name}
    if words[0] in groups and len(words) == 1:
        return
    name = " ".join(words[:2]) if words[0] in groups else words[0]
    assert name in ALL, line
    known = {opt for parameter in ALL[name].params for opt in (*parameter.opts, *parameter.secondary_opts)}
    for flag in [w for w in words if w.startswith("--")]:
        assert flag in known, line

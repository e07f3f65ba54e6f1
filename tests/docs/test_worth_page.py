"""The page on what a critique was worth against the code, and its worked example as a reader would play it."""

from __future__ import annotations

import re
import typing

from cornerman.engine.settings import PluginSettings
from cornerman.records import Moment
from cornerman.worth.arms import Arm
from cornerman.worth.forks import Forked
from cornerman.worth.labels import Accuracy
from cornerman.worth.places import FORKED, SILENT, Place
from cornerman.worth.report import Check, Cost, Estimand, Group, Part, Report, What, Worth
from tests.docs.pages import blocks, coded, read, rows, section
from tests.support.command import CommandLine

PAGE = read("worth.md")


def named(part: str) -> list[str]:
    """Everything that stands in backquotes in the first cells of a part's tables."""
    return [name for row in rows(part) for name in re.findall(r"`([^`]+)`", row[0])]


def test_every_moment_has_a_row_or_a_reason() -> None:
    table = [row for row in rows(section(PAGE, "Moments")) if row[0] != "moment"]
    assert tuple(row[0].strip("`") for row in table) == FORKED
    assert tuple(row[0].strip("`") for row in table if row[3] == "yes") == SILENT
    assert set(typing.get_args(Moment)) - set(FORKED) == {"on_task_start", "transform_observation"}
    assert "on_task_start" in section(PAGE, "Moments")


def test_every_arm_has_a_row() -> None:
    assert tuple(named(section(PAGE, "Arms"))) == typing.get_args(Arm)


def test_every_field_of_the_report_has_a_row() -> None:
    report, part = section(PAGE, "The report as JSON").split("| field of a part")
    assert named(report) == list(Report.__struct_fields__)
    assert sorted(named(part)) == sorted(Part.__struct_fields__)
    everything = coded(section(PAGE, "The report as JSON"))
    for record in (Check, Cost, Group, Worth, Accuracy):
        assert set(record.__struct_fields__) <= everything, record.__name__
    assert {*typing.get_args(What), *typing.get_args(Estimand)} <= everything


def test_every_field_of_a_fork_has_a_row() -> None:
    fork, place = section(read("run-folder.md"), "forks.jsonl").split("| field of `place`")
    assert named(fork) == list(Forked.__struct_fields__)
    assert sorted(named(place)) == sorted(Place.__struct_fields__)
    assert set(typing.get_args(Arm)) <= coded(fork)


def test_what_a_stand_in_ignores_are_settings() -> None:
    text = section(PAGE, "Arms")
    for name in ("trigger", "budget", "cooldown"):
        assert name in PluginSettings.__struct_fields__
        assert name in text


def test_the_worked_example_is_what_its_commands_print(command: CommandLine) -> None:
    part = list(blocks(section(PAGE, "A worked example")))
    run, worth = part[0].text.splitlines()
    played = command(*run.split()[1:], "--workers", 0)
    assert played.status == 0, played.err
    done = command(*worth.split()[1:], "--workers", 0)
    assert done.status == 0, done.err
    printed = {" ".join(line.split()) for line in done.out.splitlines()}
    shown = [" ".join(line.split()) for line in part[1].text.splitlines()]
    assert len(shown) == 8
    assert set(shown) <= printed
    for line in part[2].text.splitlines():
        method, solved = line.split()
        assert re.search(rf"\| {re.escape(method)} †? *\| {solved} \|", played.out), line

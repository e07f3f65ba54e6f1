"""The one error of the engine."""


class GameError(ValueError):
    """A game uses something that the engine does not play, or its text is broken.

    The message names the file (where there is one) and the construct. The remedy is the stock engine,
    which plays every `.tw-pddl` file.
    """

    def __init__(self, construct: str, source: str = "") -> None:
        self.construct = construct
        self.source = source
        super().__init__(f"{source}: {construct}" if source else construct)

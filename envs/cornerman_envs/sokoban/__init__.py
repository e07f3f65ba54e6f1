"""Sokoban in text: push every box onto a target.

`rooms` knows rooms and moves, `search` finds ways forwards and backwards, `maker` makes solvable rooms, `env` plays,
`spec` and `suites` list the tasks.
"""

"""Minesweeper in text: reveal every cell without a mine.

`boards` lays mines and opens areas, `env` plays, `spec` and `suites` list the tasks.
"""

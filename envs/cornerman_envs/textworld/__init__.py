"""TextWorld (Côté et al. 2018, arXiv:1806.11532): four kinds of generated text games, made on first use and kept.

`kinds` says which games can be asked for, `maker` makes one in a process of its own, `games` keeps it in the cache
folder, `commands` and `prose` clean what goes in and comes out, `env` plays, `spec` and `suites` list the tasks.
"""

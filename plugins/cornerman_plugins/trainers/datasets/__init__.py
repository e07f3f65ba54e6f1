"""Rows to imitate and pairs to prefer, from recorded episodes (`cornerman.store.iterate` reads a run's).

`rows` says what a row is, and writes it as TRL reads it. `answers` takes rows from the calls of a run: what the actor
did, how it revised, what critics said. `pairs` finds two critiques of one moment, one of which helped. `prompts`
renders turns of a run again, with the critics' words or without them. `splices` joins a bad attempt to a good one.
"""

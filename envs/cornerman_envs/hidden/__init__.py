"""A game of hidden information, small enough to train on without a GPU.

An object lies in one of a few places, each kind mostly in a place of its own; it has to be found, made hot, clean or
cold, and served, in so few turns that one can not look everywhere. What an attempt saw is worth telling the next one.
`env` plays, `spec` and `suites` list the tasks.
"""

"""What small games in pure Python have in common: `env` plays, `listing` lists tasks, `gym` enters them in Gymnasium.

A game of this kind is a frozen value made from its task, and a pure function from states and actions to states and
words. Everything else follows from that: snapshots, replays, and that two instances share nothing.
"""

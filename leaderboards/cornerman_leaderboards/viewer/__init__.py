"""The viewer: the episodes of a run on loopback, to read and, where it is allowed, to play on with other words.

`source` and `index` find episodes in a file of any size, `runs` knows the run folders, `comparing` lays two episodes
side by side, `pages` makes HTML, `routes` says which address is which page, `guard` who is answered, `server` serves.
"""

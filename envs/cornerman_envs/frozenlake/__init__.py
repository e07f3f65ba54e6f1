"""FrozenLake in text: cross the ice to the goal without falling into a hole, after Gymnasium's environment.

`maps` makes solvable maps, `env` plays, `spec` and `suites` list the tasks.
"""

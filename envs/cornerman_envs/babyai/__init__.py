"""BabyAI in text: carry out an instruction in rooms of which only a part is seen.

`levels` names the levels, `world` turns minigrid's state into values and back, `view` says in words what is seen,
`actions` reads commands and turns them into moves, `gold` translates the plans of minigrid's bot, `env` plays, `spec`,
`suites` and `gym` list and register the tasks.
"""

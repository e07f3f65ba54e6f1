"""TextCraft: fetch base items and craft a goal from recipes, after ADaPT (Prasad et al. 2023, arXiv:2311.05772).

The grammar and the answers are those of the paper's environment; items and recipes are our own (`recipes.toml`).
`book` reads them, `planner` finds the way to a goal, `env` plays, `spec` and `suites` list the tasks.
"""

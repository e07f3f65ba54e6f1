"""Recipes: `settings` says what one holds, `reading` reads it from TOML and applies an ablation, `forecast` says before
anything runs what it will take.
"""

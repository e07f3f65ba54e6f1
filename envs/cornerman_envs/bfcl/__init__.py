"""The multi-turn part of the Berkeley Function Calling Leaderboard: eight stateful backends, 800 conversations.

Patil et al. 2025, "The Berkeley Function Calling Leaderboard (BFCL): From Tool Use to Agentic Evaluation of Large
Language Models", ICML 2025. Tasks, backends and checks come from the package bfcl-eval, fetched as an asset.
"""

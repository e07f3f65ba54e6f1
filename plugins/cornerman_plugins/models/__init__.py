"""Model backends."""

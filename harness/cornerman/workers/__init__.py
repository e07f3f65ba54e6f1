"""Where environments run: inline for light ones, in worker processes for all others."""

"""Critics that the actor asks, when it wants to."""

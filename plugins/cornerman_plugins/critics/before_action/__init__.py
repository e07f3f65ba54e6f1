"""Critics that judge what the actor is about to do, before it is executed."""

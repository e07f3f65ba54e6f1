"""TextWorld-Express (Jansen and Côté, "TextWorldExpress: Simulating Text Games at One Million Steps Per Second")."""

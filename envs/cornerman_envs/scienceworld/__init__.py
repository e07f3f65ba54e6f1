"""ScienceWorld (Wang et al., "ScienceWorld: Is your Agent Smarter than a 5th Grader?", EMNLP 2022)."""

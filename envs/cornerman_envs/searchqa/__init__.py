"""Search QA: questions that take several searches in a corpus, answered through tool calls."""

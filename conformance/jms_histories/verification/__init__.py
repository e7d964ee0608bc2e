"""From a history to a report: the engine is chosen, its findings become verdicts."""

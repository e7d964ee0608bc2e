"""What runs the checks over a history: this process and its own, or Spark."""

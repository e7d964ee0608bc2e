"""Of a finding, the shortest history that shows it."""

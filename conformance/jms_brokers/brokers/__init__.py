"""What every broker is: an address and profiles; embedded, in a container, or somebody's own."""

"""The commands of `touchstone`: each module has `add_arguments` and `run`."""

"""The commands of `touchstone`: each module has NAME, HELP, `add_arguments` and `run`."""

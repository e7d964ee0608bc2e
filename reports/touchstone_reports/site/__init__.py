"""A static site of runs: what each client keeps of what its documents promise, for everybody.

`pages` makes it as a mapping from paths to contents; `folder` reads the runs and writes the files.
"""

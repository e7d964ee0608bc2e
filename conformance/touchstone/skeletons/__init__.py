"""The skeletons that `touchstone init` writes: a folder for each kind, of files with blanks.

In the path of a file PACKAGE and NAME are blanks, in its text `%{package}`, `%{name}`, `%{prefix}`
and `%{version}`. Each ends in `.template`, so that nobody takes it for what it becomes.
"""

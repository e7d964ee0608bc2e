"""The 33 checks over the history of a large workload (docs/volume.md); over short lists: `lists`.

`definitions` names them. `whole` judges a history in memory by `messages`, `sessions` and `links`.
Of a large one the scans see every row once and tell most messages right; the second look, at the
rest, is that of `messages` (`screening`). All of it is pure: columns of NumPy arrays in and out.
"""

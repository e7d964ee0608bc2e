"""The fast twins of the 33 checks (`jms_histories.checks`), for histories of any size.

`whole` judges a history in memory by the checks of `messages`, of `sessions` and of their `links`.
Of a large one `screening` sees every row once and tells most messages right; the second look, at
the rest, is that of `messages`. `witnesses` show a finding. All of it is pure: columns of NumPy
arrays in and out.
"""

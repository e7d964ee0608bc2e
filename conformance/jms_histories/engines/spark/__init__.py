"""Large histories on Apache Spark: the same kernels, moved to where the rows are (extra `spark`).

pyspark is imported when something here is called, never when a module of the harness is.
"""

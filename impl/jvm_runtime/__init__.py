"""Java from Python: locked jars, a Java runtime, class paths, children that die with us."""

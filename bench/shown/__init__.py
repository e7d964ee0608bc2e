"""What is measured, as people read it: a function for each benchmark."""

"""What people read: the schema of the results and the reports made from them."""

"""The checks of sessions, one and the same whether whole sessions or batches of rows are given."""

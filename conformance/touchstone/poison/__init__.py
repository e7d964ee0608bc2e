"""Damaged messages, drawn by a seed: what any client of a broker's protocol may have sent."""

"""Drawn programs that send and are told when it is done."""

"""Drawn programs that send messages of classes that are not the client's own."""

"""Statements of Red Hat AMQ JMS, judged by programs that nobody wrote."""

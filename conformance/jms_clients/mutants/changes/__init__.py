"""Wrong clients that nobody wrote: the reference with one small change in one of its functions."""

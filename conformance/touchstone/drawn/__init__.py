"""Programs that nobody wrote: drawn, judged by the model call by call, and shrunk."""

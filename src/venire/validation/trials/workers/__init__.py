"""Where trials run: in this process, or in worker processes that can be killed."""

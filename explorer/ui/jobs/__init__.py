"""Background work: the runner, the folder watcher and error messages."""

"""Check a workspace and recover a damaged one."""

"""pyarrow for tables in memory and Parquet files; nothing that talks to a server."""

from __future__ import annotations

from PyInstaller.utils.hooks import collect_dynamic_libs

binaries = collect_dynamic_libs("pyarrow")
hiddenimports = ["pyarrow._parquet", "pyarrow._compute", "pyarrow._fs", "pyarrow.compute", "pyarrow.parquet"]

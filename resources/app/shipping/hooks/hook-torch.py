"""torch without its tests, headers and build tools."""

from __future__ import annotations

from pathlib import Path

from PyInstaller.utils.hooks import PY_DYLIB_PATTERNS, collect_dynamic_libs, get_package_paths

# The one that PyInstaller brings imports every module of torch to list them, and takes all of it.
binaries = collect_dynamic_libs("torch", search_patterns=[*PY_DYLIB_PATTERNS, "*.so.*"])
_root = Path(get_package_paths("torch")[1])
if list((_root / "lib").glob("*torch_cuda*")):
    raise SystemExit("This torch is the one for GPUs, gigabytes larger. Build with the one for CPUs.")
binaries += [(str(one), "torch/bin") for one in (_root / "bin").glob("torch_shm_manager*")]  # looked for at import
# Imported by names in a list.
hiddenimports = [f"torch._dynamo.polyfills.{one.stem}" for one in (_root / "_dynamo" / "polyfills").glob("[a-z]*.py")]
module_collection_mode = "pyz+py"  # it reads its own source files when it is imported
bindepend_symlink_suppression = ["**/torch/lib/*.so*"]
warn_on_missing_hiddenimports = False

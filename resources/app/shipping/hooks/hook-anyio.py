"""anyio, which reads its own source files to learn what to import later."""

from PyInstaller.utils.hooks import copy_metadata

module_collection_mode = "pyz+py"
datas = copy_metadata("anyio")
hiddenimports = ["anyio._backends._asyncio"]

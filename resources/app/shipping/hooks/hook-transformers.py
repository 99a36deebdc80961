"""transformers, which reads its own source files to learn what it has, and asks for models by name."""

from __future__ import annotations

from PyInstaller.utils.hooks import copy_metadata

from resources.app.shipping import contents

module_collection_mode = "pyz+py"
_out = set(contents.excluded())
hiddenimports = [one for one in contents.transformers_modules() if one not in _out]
# Asked for by version when it starts.
datas = []
for _name in (
    "transformers", "torch", "tokenizers", "safetensors", "huggingface-hub", "numpy", "packaging", "filelock", "regex",
    "pyyaml", "tqdm", "scipy", "scikit-learn",
):  # fmt: skip
    datas += copy_metadata(_name)

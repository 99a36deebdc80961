"""Putting a trained model where it belongs: whole, with its card, or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import ModelError
from explorer.models.files import model_folder as folders
from explorer.training.measure import model_card

if TYPE_CHECKING:
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.models.files.model_folder import ModelFolder
    from explorer.training.recipe import Recipe


def check_place(folder: Path) -> None:
    """See that a model can be put there.

    Raises:
        ModelError: Something is there already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ModelError(f"{folder}: something is there already. Choose a new name for the model.")


def put(
    model: BiEncoder | CrossEncoder, recipe: Recipe, facts: model_card.CardFacts, fresh: Path, folder: Path
) -> ModelFolder:
    """Save a model with its card at `fresh`, then move it to `folder` at once; returns what can be read there.

    Raises:
        ModelError: It cannot be saved.
    """
    shutil.rmtree(fresh, ignore_errors=True)
    model.save(fresh)
    try:
        model_card.write(fresh, recipe, facts)
        if folder.exists():
            folder.rmdir()
        fresh.replace(folder)
    except OSError as error:
        raise ModelError(
            f"{folder}: the model cannot be put there ({error.strerror}). It lies ready in {fresh}."
        ) from error
    return folders.read(folder)

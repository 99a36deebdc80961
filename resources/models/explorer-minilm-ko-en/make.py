"""Makes the bilingual encoder of this folder again, from the bundled bi-encoder, Kiwi's morphemes and the data sets.

Run:  python resources/models/explorer-minilm-ko-en/make.py DATA_FOLDER OUT

The bundled vocabulary gains Korean pieces (`pieces.py`), whose first rows are translations (`graft.py`, `lexicon.py`);
the model so begun (OUT/start) is taught with translated sentences (`teaching.py`, `recipe.json`), and gains the
syllables that are still missing. OUT/model is the result.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2])]

import graft  # noqa: E402
import sources  # noqa: E402
import teaching  # noqa: E402

from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.runtime.device import Device, choose  # noqa: E402
from explorer.training import recipe as recipes  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PIECES = 17_400  # with the syllables added at last, as many as 60 MB hold
RANKING = 0.1  # weight of people's scores beside the teacher's vectors; of questions half as much
ENGLISH, QUESTIONS = 1 / 2, 1 / 3  # batches of them for each of translations


def main() -> None:
    """Read the arguments and make the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--threads", type=int, default=None)
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    device = choose("cpu", threads=chosen.threads, precision="float32")
    meanings = begin(chosen.data, chosen.out / "start")
    student = BiEncoder.open(chosen.out / "start", device)
    taught(student, chosen.data, meanings, device)
    export(student, chosen.out / "model")


def begin(data: Path, out: Path) -> Floats:
    """Write the bundled model with Korean pieces; returns the meanings of all rows, zeros for English, (V, m)."""
    pairs = translations(data)
    return graft.graft(catalog.bundled(), out, sources.korean_texts(data), pairs, PIECES)


def translations(data: Path) -> list[tuple[str, str]]:
    """Return the distinct pairs of a Korean sentence and its English original."""
    korean, english = sources.korean_similarity(data, "train"), sources.english_similarity(data, "train")
    columns = ((korean.first, english.first), (korean.second, english.second))
    return sorted({pair for column in columns for pair in zip(*column, strict=True)})


def taught(student: BiEncoder, data: Path, meanings: Floats, device: Device) -> None:
    """Teach the student, in place."""
    recipe = recipes.load(HERE / "recipe.json")
    korean, english = sources.korean_similarity(data, "train"), sources.english_similarity(data, "train")
    texts, others = sorted({*english.first, *english.second}), sources.english_texts(data)
    teacher = BiEncoder.open(catalog.bundled(), device)
    targets, held = teacher.encode(texts).whole(), teacher.encode(others).whole()
    place = {text: number for number, text in enumerate(texts)}
    translated = [targets[[place[text] for text in column]] for column in (english.first, english.second)]
    asked = sources.questions(data, "train")
    courses = [
        teaching.scored_course(
            student,
            [korean.first, korean.second],
            korean.scores,
            recipe,
            translated,
            objective=teaching.Bilingual(RANKING),
        ),
        teaching.held_course(student, [*others, *texts], np.concatenate([held, targets]), recipe, share=ENGLISH),
        teaching.scored_course(
            student,
            [asked.first, asked.second],
            asked.scores,
            recipe,
            objective=teaching.Weighted(RANKING / 2),
            share=QUESTIONS,
        ),
    ]
    teaching.teach(student, courses, recipe, meanings, lambda step, loss: _tell(f"step {step}: {loss:.4f}"))


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def export(student: BiEncoder, out: Path) -> None:
    """Write the model in half precision, to be computed in whole: on a CPU half is slow."""
    student.network.half()
    student.save(out)
    graft.complete(out)


if __name__ == "__main__":
    main()

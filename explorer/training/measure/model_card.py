"""Write the model card: what the model was made from, how, and how good it is, for people and for the hub."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.models.files import catalog

if TYPE_CHECKING:
    from explorer.models.files.model_folder import ModelFolder
    from explorer.training.measure.bootstrap import Interval, MetricChange
    from explorer.training.recipe import Recipe

_TASKS = {"cross-regression": "text-ranking", "cross-classification": "text-classification"}


@dataclass(frozen=True)
class CardFacts:
    """The facts on a model card.

    Attributes:
        base: Name of the model that training started from.
        base_fingerprint: The fingerprint of its weights.
        licence: The base's licence, which also applies to derived models; empty if unknown.
        languages: The base's languages; empty if unknown.
        counts: Examples by use, such as {"train": 5749, "dev": 1500}.
        steps: Steps trained, and the step that was saved.
        before: Metrics on held-out examples before.
        after: The same measures after.
        notes: What happened on the way.
        changes: Measures on examples that neither the training nor the choice of the best step saw.
        general: The general ability, part by part, and last its summary.
    """

    base: str
    base_fingerprint: str
    licence: str = ""
    languages: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    steps: tuple[int, int] = (0, 0)
    before: Mapping[str, float] = field(default_factory=dict)
    after: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    changes: tuple[MetricChange, ...] = ()
    general: tuple[MetricChange, ...] = ()


def facts_of(base: ModelFolder, counts: Mapping[str, int]) -> CardFacts:
    """Return what the catalog knows about a base."""
    known = next((entry for entry in catalog.entries([base.path]) if entry.path == base.path), None)
    if known is None:
        return CardFacts(base.path.name, base.fingerprint, counts=counts)
    name = Path(known.name).name if known.source == "folder" else known.name
    return CardFacts(name, base.fingerprint, known.licence, known.languages, counts)


def write(folder: Path, recipe: Recipe, facts: CardFacts) -> None:
    """Write README.md and recipe.json into a model's folder."""
    (folder / "README.md").write_text(text(recipe, facts), encoding="utf-8")
    (folder / "recipe.json").write_text(recipe.as_json(), encoding="utf-8")


def text(recipe: Recipe, facts: CardFacts) -> str:
    """Return the card as Markdown with the hub's front matter."""
    library = [
        "library_name: sentence-transformers",
        f"pipeline_tag: {_TASKS.get(recipe.objective, 'sentence-similarity')}",
    ]
    languages = ["language:", *(f"- {_plain(code)}" for code in facts.languages)] if facts.languages else []
    licence = [f"license: {_plain(facts.licence)}"] if facts.licence else []
    base = [f"base_model: {json.dumps(facts.base, ensure_ascii=False)}"]
    parts = [
        "\n".join(["---", *library, *languages, *licence, *base, "---"]),
        f"# {recipe.name}",
        f"A {'bi-encoder' if recipe.kind == 'bi' else 'cross-encoder'} made from {facts.base} "
        f"(fingerprint {facts.base_fingerprint[:16]}) with the objective “{recipe.objective}”.",
        "## Data\n\n" + _table(("use", "examples"), [(use, str(count)) for use, count in facts.counts.items()]),
        "## Measures on held-out examples\n\n" + _measures(facts),
        *_compared("Measures on test examples", facts.changes),
        *_compared("General ability, on the set that ships with the program", facts.general),
        f"## Training\n\n{facts.steps[0]} steps, of which step {facts.steps[1]} was kept.\n\n"
        + "".join(f"- {note}\n" for note in facts.notes)
        + f"\n```json\n{recipe.as_json()}```",
        "## Licence\n\n"
        + (
            f"The base's licence is {_plain(facts.licence)}; it holds for this model too."
            if facts.licence
            else "The base names no licence. Ask its makers before you pass this model on."
        ),
    ]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _measures(facts: CardFacts) -> str:
    if not facts.after:
        return "None were taken."
    rows = [
        (name, f"{facts.before[name]:.4f}" if name in facts.before else "", f"{value:.4f}")
        for name, value in facts.after.items()
    ]
    return _table(("measure", "before", "after"), rows)


def _compared(title: str, changes: Sequence[MetricChange]) -> list[str]:
    if not changes:
        return []
    rows = [
        (
            each.measure,
            str(each.count),
            _spread(each.before),
            _spread(each.after),
            _spread(each.difference, "+"),
            each.verdict,
        )
        for each in changes
    ]
    return [f"## {title}\n\n" + _table(("measure", "count", "before", "after", "difference", "is"), rows)]


def _spread(value: Interval, sign: str = "") -> str:
    return f"{value.value:{sign}.4f} ({value.low:{sign}.4f} to {value.high:{sign}.4f})"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _plain(value: str) -> str:
    """Return a word that cannot break the front matter."""
    return "".join(sign for sign in value if sign.isalnum() or sign in "-._ ")[:60]

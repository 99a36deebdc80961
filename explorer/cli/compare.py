"""The command `compare`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from explorer.analysis.text.diff import Difference, Run, sameness
from explorer.cli import options
from explorer.cli.options import device, model_name
from explorer.cli.output import Answer, clipped, table
from explorer.models.bi_encoder import BiEncoder
from explorer.models.cross_encoder import CrossEncoder
from explorer.models.explain import AttributedText as Reasons
from explorer.models.explain import Contributions, Word
from explorer.models.files import catalog
from explorer.task import Task
from explorer.workspace.search import compare as search_compare
from explorer.workspace.search.compare import Aligned, ComparedText, Comparison, Stretch
from explorer.workspace.search.search import Searcher, find_document
from explorer.workspace.search.similar import reads
from explorer.workspace.workspace import open_workspace

_CELL = 44
_ROWS = 20  # pairs, unmatched passages, runs that are printed
_WORDS = 8


def compare_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `compare`."""
    options.add_folder(parser)
    parser.add_argument("first", metavar="A", help="path or title of a document")
    parser.add_argument("second", metavar="B", help="path or title of another")
    options.add_reranker(parser, "also score the aligned passages with a cross-encoder: the bundled one, or MODEL")
    parser.add_argument(
        "--explain",
        type=int,
        default=3,
        metavar="N",
        help="explain N pairs of passages by their words (default: %(default)s)",
    )
    options.add_folder_model(parser)
    options.add_device(parser)


def compare(args: Namespace, task: Task) -> Answer:
    """Compare two documents: aligned passages, words, and text they share."""
    with open_workspace(args.folder, writable=False) as workspace:
        name = model_name(workspace, args.model)
        encoder = BiEncoder.open(catalog.find(name), device(args))
        reranker = CrossEncoder.open(catalog.find(args.rerank), device(args)) if args.rerank else None
        finder = Searcher(workspace, encoder)
        first, second = (find_document(finder.workspace, name).id for name in (args.first, args.second))
        comparison = search_compare.compare(
            workspace,
            finder.matrix(),
            first,
            second,
            encoder=encoder,
            reranker=reranker,
            explained=max(0, args.explain),
            task=task,
        )
        texts = workspace.text(first), workspace.text(second)
    remarks = _remarks(comparison, name)
    return Answer(_data(comparison, texts, remarks), "\n".join(_lines(comparison, texts, remarks)))


def _remarks(comparison: Comparison, model: str) -> list[str]:
    languages = catalog.languages(model)
    foreign = [
        side.entry.path for side in (comparison.first, comparison.second) if not reads(languages, side.entry.language)
    ]
    return [
        f"{path}: {model} does not read the language of this document, so its scores mean little. Choose another model."
        for path in dict.fromkeys(foreign)
    ]


def _data(comparison: Comparison, texts: tuple[str, str], remarks: list[str]) -> dict[str, Any]:
    return {
        "cosine": comparison.cosine,
        "level": comparison.level,
        "first": _side(comparison.first),
        "second": _side(comparison.second),
        "pairs": [_pair(pair) for pair in comparison.pairs],
        "runs": [_run(run, texts[0]) for run in comparison.runs],
        "words": {name: [word.text for word in words] for name, words in vars(comparison.words).items()},
        "remarks": remarks,
    }


def _side(side: ComparedText) -> dict[str, Any]:
    return {
        "document": side.entry.path,
        "part": side.entry.part,
        "title": side.entry.title,
        "matched": side.matched,
        "passages": [vars(passage) for passage in side.passages],
    }


def _pair(pair: Aligned) -> dict[str, Any]:
    changes = pair.differences
    return {
        "first": pair.first,
        "second": pair.second,
        "score": pair.score,
        "mutual": pair.mutual,
        "matched": pair.matched,
        "cross_score": pair.cross_score,
        "disagree": pair.disagree,
        "why": None if pair.why is None else _why(pair.why),
        "sameness": None if changes is None else sameness(changes),
        "differences": None if changes is None else [_change(change) for change in changes],
    }


def _why(why: Contributions) -> dict[str, Any]:
    return {"method": why.method, "cosine": why.cosine, "first": _reasons(why.first), "second": _reasons(why.second)}


def _reasons(side: Reasons) -> dict[str, Any]:
    return {"words": [vars(word) for word in side.words], "rest": side.rest, "read": side.read}


def _change(change: Difference) -> dict[str, Any]:
    return {"kind": change.kind, "first": list(change.first), "second": list(change.second)}


def _run(run: Run, text: str) -> dict[str, Any]:
    return {
        "first": list(run.first),
        "second": list(run.second),
        "words": run.words,
        "text": text[run.first[0] : run.first[1]],
    }


def _lines(comparison: Comparison, texts: tuple[str, str], remarks: list[str]) -> list[str]:
    lines = [
        *(_headline(name, side) for name, side in (("A", comparison.first), ("B", comparison.second))),
        f"cosine {comparison.cosine:.4f}; passages match from {comparison.level:.2f}",
        *remarks,
        "",
        _pairs(comparison),
    ]
    for name, side in (("A", comparison.first), ("B", comparison.second)):
        lines += _unmatched(name, side.passages)
    lines += _best(comparison)
    lines += _key_words(comparison)
    return lines + _runs(comparison, texts[0])


def _headline(name: str, side: ComparedText) -> str:
    count = len(side.passages)
    return (
        f"{name}  {side.entry.path} {side.entry.part}".rstrip()
        + f"  ({count:,} {'passage' if count == 1 else 'passages'}, {side.matched:.0%} matched)"
    )


def _pairs(comparison: Comparison) -> str:
    """Return the nearest pairs as a table; numbers of passages count from 1."""
    scored = any(pair.cross_score is not None for pair in comparison.pairs)
    head = ("score", *(("cross",) if scored else ()), "A", "B", "match", "passage of A", "passage of B")
    rows = []
    for pair in comparison.pairs[:_ROWS]:
        cross = ("" if pair.cross_score is None else pair.cross_score,) if scored else ()
        sign = ("matched" if pair.matched else "") + (" models disagree" if pair.disagree else "")
        texts = comparison.first.passages[pair.first].text, comparison.second.passages[pair.second].text
        rows.append((pair.score, *cross, pair.first + 1, pair.second + 1, sign.strip(), *map(_short, texts)))
    return "\n".join([table(head, rows), *_rest(len(comparison.pairs))])


def _unmatched(name: str, passages: tuple[Stretch, ...]) -> list[str]:
    unmatched = [(number, passage) for number, passage in enumerate(passages, 1) if not passage.matched]
    if not unmatched:
        return []
    lines = [f"    {number}  {_short(passage.text, 2 * _CELL)}" for number, passage in unmatched[:_ROWS]]
    head = f"Only in {name}: {len(unmatched):,} of {len(passages):,} passages"
    return ["", head, *lines, *_rest(len(unmatched))]


def _best(comparison: Comparison) -> list[str]:
    """Return the words of the nearest pair that add most to its cosine."""
    pair = comparison.pairs[0]
    if pair.why is None:
        return []
    how = "what each word adds" if pair.why.method == "exact" else "what is lost without each word"
    lines = ["", f"Why passages {pair.first + 1} and {pair.second + 1} are at {pair.why.cosine:.4f}: {how}"]
    for name, side in (("A", pair.why.first), ("B", pair.why.second)):
        lines.append(f"    {name}  " + " · ".join(_telling(side.words)))
    return lines


def _key_words(comparison: Comparison) -> list[str]:
    kinds = (
        ("In both", comparison.words.shared),
        ("Only A", comparison.words.first),
        ("Only B", comparison.words.second),
    )
    lines = [f"{name}: {' · '.join(word.text for word in words)}" for name, words in kinds if words]
    return ["", *lines] if lines else []


def _runs(comparison: Comparison, text: str) -> list[str]:
    if not comparison.runs:
        return []
    longest = sorted(comparison.runs, key=lambda run: (-run.words, run.first))
    lines = [f"    {run.words:,}  {_short(text[slice(*run.first)], 2 * _CELL)}" for run in longest[:_ROWS]]
    return ["", "Word for word in both (words):", *lines, *_rest(len(comparison.runs))]


def _telling(words: tuple[Word, ...]) -> list[str]:
    """Return the words that add most, each with all its occurrences."""
    sums: dict[str, float] = {}
    for word in words:
        sums[word.text.casefold()] = sums.get(word.text.casefold(), 0.0) + word.value
    forms = {word.text.casefold(): word.text for word in reversed(words)}
    best = sorted(sums, key=lambda word: -sums[word])[:_WORDS]
    return [f"{_short(forms[word])} {sums[word]:+.3f}" for word in best]


def _short(text: str, columns: int = _CELL) -> str:
    return clipped(" ".join(text.split()), columns)


def _rest(count: int) -> list[str]:
    return [f"    … and {count - _ROWS:,} more; --json lists all"] if count > _ROWS else []

"""Split a document into passages that fit the model's token limit.

The text is first cut into sections: an offset is a border if no better one is within half a budget of it, where
"better" depends on the words around it alone, so that an edit moves only the borders near it. Each section is then
split into passages of similar size, cut at good places.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, islice, pairwise
from typing import NamedTuple
from zlib import crc32

from explorer.corpus.document import Passage
from explorer.corpus.passages import boundaries
from explorer.corpus.passages.boundaries import CHARACTER, FINER, GLUED, PARAGRAPH, TextPiece
from explorer.task import Task

Span = tuple[int, int]
Spans = Callable[[str], Sequence[Span]]
SpansBatch = Callable[[list[str]], Sequence[Sequence[Span]]]

BLOCK = 4096  # characters that are tokenised together, at most
BATCH = 512  # blocks that are handed to the tokenizer at once
# A tokenizer may make one unknown token of a word of any length; it still counts as one for so many characters.
CHARACTERS_A_TOKEN = 16
CONTEXT = 24  # characters on either side of a border that say how it ranks among its like
IDEAL = 0.75  # of the budget
COSTS = (1.5, 1.2, 0.8, 0.6, 0.35, 0.2, 0.02, 0.0)  # of a cut, by its strength


class _Atom(NamedTuple):
    """A piece that is never cut, and about how many tokens it is."""

    start: int
    end: int
    strength: int
    weight: int


def split(
    text: str, budget: int, spans: Spans, *, spans_batch: SpansBatch | None = None, task: Task | None = None
) -> list[Passage]:
    """Return the passages of a text, in order.

    Together they hold each character that is not a space once. None begins or ends with a space, and none
    has more than `budget` tokens when tokenised alone, unless it is a single code point.

    Args:
        text: The text.
        budget: Tokens of a passage, special tokens not counted; at least 1.
        spans: The character range of each token of a text, without special tokens.
        spans_batch: The same for many texts at once, where that is quicker.
        task: Checked for cancellation.

    Raises:
        ValueError: If the budget is not positive.
        Cancelled: If the task was cancelled.
    """
    if budget < 1:
        raise ValueError(f"a budget of {budget} tokens leaves no room for a passage")
    tokenise = _Tokeniser(spans, spans_batch, task)
    atoms = list(_atoms(text, budget, tokenise))
    passages: list[Passage] = []
    for start, end in pairwise(_borders(text, atoms, budget)):
        passages += _split_section(_join_small(atoms[start:end], budget), budget)
    return _fitting(text, passages, budget, tokenise)


def split_all(
    texts: Sequence[str],
    budget: int,
    spans: Spans,
    *,
    counts: Callable[[Sequence[str]], Sequence[int]],
    spans_batch: SpansBatch | None = None,
    task: Task | None = None,
) -> list[list[Passage]]:
    """Return the passages of each text, as `split` does; short ones, such as most rows of a table, at once.

    A text whose atoms weigh no more than the budget together is always one passage: no border in it is half a budget
    from both ends, and k passages cost (k - 1)(IDEAL ** 2 - x ** 2 / k) more than one, x being the share of the budget.

    Args:
        texts: The texts.
        budget: Tokens of a passage, special tokens not counted; at least 1.
        spans: The character range of each token of a text, without special tokens.
        counts: How many tokens each of many texts has, without special tokens.
        spans_batch: The ranges of many texts at once, where that is quicker.
        task: Checked for cancellation.

    Raises:
        ValueError: If the budget is not positive.
        Cancelled: If the task was cancelled.
    """
    if task is not None:
        task.check()
    # Of ASCII no token is shorter than a character.
    is_short = [len(text) < budget and text.isascii() for text in texts]
    likely = [row for row, text in enumerate(texts) if not is_short[row] and len(text) < CHARACTERS_A_TOKEN * budget]
    for row, count in zip(likely, counts([texts[row] for row in likely]) if likely else (), strict=True):
        # An atom weighs at most its tokens, one for its characters rounded up, and the sixteenth part of these.
        is_short[row] = 2 * count + len(texts[row]) / CHARACTERS_A_TOKEN + 8 <= budget
    return [
        _whole(text) if short else split(text, budget, spans, spans_batch=spans_batch, task=task)
        for text, short in zip(texts, is_short, strict=True)
    ]


def _whole(text: str) -> list[Passage]:
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return [Passage(start, end)] if start < end else []


def coverage(text: str, passages: Iterable[Passage]) -> float:
    """Return the share of the characters that are not spaces and lie in a passage; 1 for a text without any."""
    total = _solid(text)
    covered, reached = 0, 0
    for passage in sorted(passages, key=lambda passage: passage.start):
        start = max(reached, passage.start)
        if start < passage.end:
            covered += _solid(text[start : passage.end])
            reached = passage.end
    return covered / total if total else 1.0


def _solid(text: str) -> int:
    return sum(map(len, text.split()))


class _Tokeniser:
    """The tokenizer, given many short texts at a time."""

    def __init__(self, spans: Spans, spans_batch: SpansBatch | None, task: Task | None) -> None:
        self._batch = spans_batch or (lambda texts: [spans(text) for text in texts])
        self._task = task

    def starts(self, texts: Iterable[str]) -> Iterator[list[int]]:
        """Yield where each token of each text begins."""
        waiting = iter(texts)
        while batch := list(islice(waiting, BATCH)):
            if self._task is not None:
                self._task.check()
            for spans in self._batch(batch):
                yield sorted(start for start, _ in spans)


def _atoms(text: str, budget: int, tokenise: _Tokeniser) -> Iterator[_Atom]:
    """Yield the atoms of a text: sentences, and the parts of those that are too long."""
    blocks = list(_blocks(_short(text)))
    texts = (text[block[0].start : block[-1].end] for block in blocks)
    for block, starts in zip(blocks, tokenise.starts(texts), strict=True):
        weigh = _Scale(starts, block[0].start, budget)
        for piece in block:
            for part in _refine(text, piece, weigh.parts):
                yield _Atom(*part, weigh(part))


def _short(text: str) -> Iterator[TextPiece]:
    """Yield the sentences of a text; those longer than a block in parts."""
    for sentence in boundaries.sentences_of(text):
        yield from _refine(text, sentence, lambda piece: math.ceil((piece.end - piece.start) / BLOCK))


def _blocks(pieces: Iterable[TextPiece]) -> Iterator[list[TextPiece]]:
    """Yield the pieces of each paragraph, or of as much of it as makes a block."""
    block: list[TextPiece] = []
    for piece in pieces:
        inside = GLUED < piece.strength < PARAGRAPH
        if block and (not inside or piece.end - block[0].start > BLOCK):
            yield block
            block = []
        block.append(piece)
    if block:
        yield block


class _Scale:
    """Weighs the pieces of a block whose tokens begin at `starts`, counted from `offset`."""

    def __init__(self, starts: list[int], offset: int, budget: int) -> None:
        self._starts, self._offset, self._budget = starts, offset, budget

    def __call__(self, piece: TextPiece) -> int:
        """Return about how many tokens the piece is."""
        first = bisect_left(self._starts, piece.start - self._offset)
        tokens = bisect_left(self._starts, piece.end - self._offset) - first
        return max(1, tokens, math.ceil((piece.end - piece.start) / CHARACTERS_A_TOKEN))

    def parts(self, piece: TextPiece) -> int:
        """Return into how many parts a piece must be cut so that two of them fit the budget; 1 if it fits."""
        weight = self(piece)
        return 1 if weight <= self._budget else math.ceil(2 * weight / self._budget)


def _refine(text: str, piece: TextPiece, parts: Callable[[TextPiece], int]) -> Iterator[TextPiece]:
    """Yield the piece, or its clauses, words or characters, as far as `parts` asks for more than one."""
    stack = [(piece, 0)]
    while stack:
        piece, level = stack.pop()
        count = parts(piece)
        if count == 1 or piece.end - piece.start == 1:
            yield piece
            continue
        finer = list(FINER[level](text, piece) if level < len(FINER) else boundaries.parts_of(text, piece, count))
        stack += ((part, min(level + 1, len(FINER))) for part in reversed(finer))


def _borders(text: str, atoms: Sequence[_Atom], budget: int) -> list[int]:
    """Return the atoms that begin a section, and the number of all.

    A border outranks all others within half a budget of it, so a section is at least half a budget long,
    and what is beyond that cannot move it. The ends of the text outrank everything.
    """
    reach = budget / 2
    offsets = list(accumulate((atom.weight for atom in atoms), initial=0))
    ranks = [math.inf, *(_rank(text, left, right) for left, right in pairwise(atoms)), math.inf]
    borders = [0]
    higher = [0]  # those that none between them and here outranks, highest first
    last_higher = [0] * (len(atoms) + 1)
    for here in range(1, len(atoms) + 1):
        while ranks[higher[-1]] < ranks[here]:
            candidate = higher.pop()
            if min(offsets[here] - offsets[candidate], offsets[candidate] - offsets[last_higher[candidate]]) > reach:
                borders.append(candidate)
        last_higher[here] = higher[-1]
        higher.append(here)
    return [*sorted(borders), len(atoms)]


def _rank(text: str, left: _Atom, right: _Atom) -> int:
    """Return how a border ranks: by its strength, and among its like by chance that depends on the words alone."""
    before = text[max(left.start, left.end - CONTEXT) : left.end]
    after = text[right.start : min(right.end, right.start + CONTEXT)]
    return right.strength << 32 | crc32(f"{before}\0{after}".encode("utf-8", "surrogatepass"))


def _join_small(atoms: Iterable[_Atom], budget: int) -> list[_Atom]:
    """Return the atoms with small ones joined to the next, so that there are few to choose among."""
    joined: list[_Atom] = []
    for atom in atoms:
        small = budget // (16 if atom.strength < PARAGRAPH else 32)
        if joined and joined[-1].weight < small and joined[-1].weight + atom.weight <= budget:
            last = joined[-1]
            joined[-1] = _Atom(last.start, atom.end, last.strength, last.weight + atom.weight)
        else:
            joined.append(atom)
    return joined


def _split_section(atoms: Sequence[_Atom], budget: int) -> Iterator[Passage]:
    """Yield a section in passages, by dynamic programming: the least sum of all costs up to each atom."""
    best = [0.0] + [math.inf] * len(atoms)
    origin = [0] * (len(atoms) + 1)
    for end in range(1, len(atoms) + 1):
        weight = 0
        for start in range(end - 1, -1, -1):
            weight += atoms[start].weight
            if weight > budget and start < end - 1:
                break
            cut = COSTS[atoms[start].strength] if start else 0.0
            cost = best[start] + cut + (weight / budget - IDEAL) ** 2
            if cost < best[end]:
                best[end], origin[end] = cost, start
    passages, end = [], len(atoms)
    while end:
        passages.append(Passage(atoms[origin[end]].start, atoms[end - 1].end))
        end = origin[end]
    return reversed(passages)


def _fitting(text: str, passages: Iterable[Passage], budget: int, tokenise: _Tokeniser) -> list[Passage]:
    """Return the passages, with those halved that have more tokens alone than they had among their neighbours."""
    fitting: list[Passage] = []
    waiting = list(passages)
    while waiting:
        counts = map(len, tokenise.starts(text[passage.start : passage.end] for passage in waiting))
        large: list[Passage] = []
        for passage, count in zip(waiting, counts, strict=True):
            fits = count <= budget or passage.end - passage.start == 1
            (fitting if fits else large).append(passage)
        waiting = [half for passage in large for half in _halves(text, passage)]
    return sorted(fitting, key=lambda passage: passage.start)


def _halves(text: str, passage: Passage) -> tuple[Passage, Passage]:
    """Return the passage in two, at a good place near its middle."""
    whole = TextPiece(passage.start, passage.end, CHARACTER)
    middle = (whole.start + whole.end) / 2
    for finer in FINER:
        pairs = list(pairwise(finer(text, whole)))
        if pairs:
            left, right = min(pairs, key=lambda pair: abs(pair[1].start - middle))
            if finer is FINER[-1] or abs(right.start - middle) < (whole.end - whole.start) / 4:
                return Passage(whole.start, left.end), Passage(right.start, whole.end)
    left, right = boundaries.parts_of(text, whole, 2)
    return Passage(left.start, left.end), Passage(right.start, right.end)

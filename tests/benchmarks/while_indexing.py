"""How good a search is while a folder is encoded: questions with a known best document, at 1 % encoded and at the end.

    python tests/benchmarks/while_indexing.py [--questions 200] [--rows 100000] [--home FOLDER]

The questions of MS MARCO, whose passages are graded, and headlines of news, whose stories are known, are asked of a
table: all those passages and stories with texts of the other data sets around them. The draft has every row; the
vectors of the model are those that its order of encoding reaches first, as if nobody had asked for anything. Printed
is the share of questions with the best document, or one of equal grade, among the first ten, and what part that is of
the share when all is encoded: 85 % are wanted at the first step. With --home, the workspace stays for the next run.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.static_encoder import StaticEncoder, static_encoder_of  # noqa: E402
from explorer.task import Cancelled, Progress, Task  # noqa: E402
from explorer.workspace.search.search import Searcher  # noqa: E402
from explorer.workspace.update import encode  # noqa: E402
from explorer.workspace.workspace import Workspace  # noqa: E402
from tests.retrieval_data import plain, read_cacm, read_cranfield, read_msmarco, read_vaswani  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
WANTED = 0.85
Question = tuple[str, set[str]]  # its words, and the texts that answer it best


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=200, help="of either kind")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.01, 0.1, 1.0])
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    asked, answers = questions(options.questions)
    with tempfile.TemporaryDirectory() as made:
        folder = options.home or Path(made)
        rows = table(folder / "texts", answers, options.rows)
        encoder = BiEncoder.open(catalog.bundled())
        found: dict[tuple[str, str], list[float]] = {}
        with Workspace(folder / "workspace", folder / "texts", writable=True) as workspace:
            print(f"{' and '.join(f'{len(each)} {name}' for name, each in asked.items())}, {len(rows)} rows")
            for share in options.shares:
                _update(workspace, encoder, static_encoder_of(encoder), share, len(rows))
                searcher = Searcher(workspace, encoder, ("en",))
                for name, mode in itertools.product(asked, ("hybrid", "semantic")):
                    found.setdefault((name, mode), []).append(_share_found(searcher, asked[name], mode, rows))
                workspace.encoding_order.pop_wanted(workspace.connection)  # as if nobody had asked
                final = searcher.search("word", k=1).final_share
                told = (f"{name} {mode} {each[-1]:.2f}" for (name, mode), each in found.items())
                print(f"{final:6.1%} encoded, in the first ten: {', '.join(told)}", flush=True)
        parts = {key: each[0] / each[-1] for key, each in found.items()}
        print("of the end:", ", ".join(f"{name} {mode} {part:.0%}" for (name, mode), part in parts.items()))
        return int(any(part < WANTED for (_, mode), part in parts.items() if mode == "hybrid"))


def questions(number: int) -> tuple[dict[str, list[Question]], list[str]]:
    """Return the questions of each kind, and the texts among which their answers are."""
    data = read_msmarco(DATA / "msmarco_mini")
    graded: list[Question] = []
    for query, grades in itertools.islice(data.relevant.items(), number):
        best = max(grades.values())
        wanted = {_line(data.corpus[document]) for document, grade in grades.items() if grade == best}
        graded.append((plain(data.queries[query]), wanted))
    with (DATA / "ag_news" / "test.csv").open(encoding="utf-8", newline="") as file:
        news = [(title, _line(text)) for _, title, text in csv.reader(file)]
    headlines: list[Question] = [(plain(title), {text}) for title, text in news[:: len(news) // number][:number]]
    return {"questions": graded, "headlines": headlines}, [*data.corpus.values(), *(text for _, text in news)]


def table(folder: Path, answers: list[str], rows: int) -> list[str]:
    """Write the texts with others of the data sets evenly among them, and return them in the order of the rows."""
    first = list(dict.fromkeys(map(_line, answers)))
    others = dict.fromkeys(map(_line, itertools.chain.from_iterable(_others())))
    for text in first:
        others.pop(text, None)
    if len(first) + len(others) < rows:
        sys.exit(f"{len(first) + len(others)} texts are all there is")
    pool = [*first, *itertools.islice(others, rows - len(first))]
    texts = [pool[place] for place in encode.spread(range(len(pool)))]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("text",))
        writer.writerows((text,) for text in texts)
    return texts


def _others() -> Iterator[Iterator[str]]:
    yield iter((DATA / "stackoverflow_short" / "title_StackOverflow.txt").read_text("utf-8", "replace").splitlines())
    for data in (read_vaswani(DATA / "vaswani_npl"), read_cacm(DATA / "cacm"), read_cranfield(DATA / "cranfield")):
        yield iter(data.corpus.values())
    for part in ("train", "dev"):
        yield iter((DATA / "wikiqa" / part / "b.toks").read_text("utf-8").splitlines())
    for file, columns, separator in (
        *((DATA / "stsb_en" / f"stsb-en-{part}.csv", (0, 1), ",") for part in ("train", "dev", "test")),
        *((DATA / "sick" / f"SICK_{part}.txt", (1, 2), "\t") for part in ("train", "trial")),
        *((DATA / "trecqa_wang" / f"{part}.csv", (2,), ",") for part in ("train", "dev")),
        *((DATA / "msrp" / f"msr-para-{part}.tsv", (3, 4), "\t") for part in ("train", "val")),
    ):
        with file.open(encoding="utf-8-sig", newline="") as lines:
            quoting = csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL
            read = list(csv.reader(lines, delimiter=separator, quoting=quoting))
        yield (row[column] for row in read for column in columns if column < len(row))
    posts = sorted(path for path in (DATA / "mini_newsgroups").rglob("*") if path.is_file())
    yield (
        part for path in posts for part in path.read_text("latin-1").split("\n\n")[1:] if len(part.split()) >= _WORDS
    )


_WORDS = 5  # that a paragraph of a post has at least


def _line(text: str) -> str:
    return " ".join(text.split())


def _share_found(searcher: Searcher, asked: list[Question], mode: str, rows: list[str]) -> float:
    found = [
        any(rows[int(hit.part.split()[-1]) - 1] in wanted for hit in searcher.search(words, mode=mode, k=10).hits)  # type: ignore[arg-type]
        for words, wanted in asked
    ]
    return sum(found) / len(found)


def _update(workspace: Workspace, encoder: BiEncoder, draft: StaticEncoder, share: float, rows: int) -> None:
    """Encode until a share of the rows has vectors; what is in a window counts once it is whole."""
    encode._BETWEEN_QUESTIONS = wanted = max(1, round(share * rows))

    def hear(progress: Progress) -> None:
        if progress.note == "encoding" and share < 1 and progress.done > wanted:
            task.cancel()

    task = Task(hear)
    with suppress(Cancelled):
        workspace.update(encoder, static_encoder=draft, task=task)


if __name__ == "__main__":
    sys.exit(main())

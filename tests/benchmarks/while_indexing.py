"""How good a search is while a folder is encoded: questions with a known best document, at 1 % encoded and at the end.

    python tests/benchmarks/while_indexing.py [--questions 50] [--documents 1500]

Questions and passages of MS MARCO with other passages of it around them. The vectors of the model are those that its
order of encoding reaches first; the draft has all. Printed is the share of questions whose best document is among the
first ten.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.models.bi_encoder import BiEncoder  # noqa: E402
from explorer.models.files import catalog  # noqa: E402
from explorer.models.static_encoder import static_encoder_of  # noqa: E402
from explorer.task import Cancelled, Progress, Task  # noqa: E402
from explorer.workspace.search.search import Searcher  # noqa: E402
from explorer.workspace.update import encode  # noqa: E402
from explorer.workspace.workspace import Workspace  # noqa: E402
from tests.retrieval_data import part_of, plain, read_msmarco, write_files  # noqa: E402


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--documents", type=int, default=1500)
    parser.add_argument("--shares", type=float, nargs="+", default=[0.01, 0.1, 1.0])
    options = parser.parse_args()
    data = part_of(
        read_msmarco(ROOT.parent / "shared" / "data" / "msmarco_mini"),
        queries=options.questions,
        others=options.documents,
    )
    best = {query: max(grades, key=lambda one: grades[one]) for query, grades in data.relevant.items() if grades}
    encoder = BiEncoder.open(catalog.bundled())
    draft = static_encoder_of(encoder)
    with tempfile.TemporaryDirectory() as folder:
        texts = write_files(data, Path(folder) / "texts")
        with Workspace(Path(folder) / "workspace", texts, writable=True) as workspace:
            print(f"{len(best)} questions, {len(data.corpus)} documents")
            for share in options.shares:
                _update(workspace, encoder, draft, share, len(data.corpus))
                finder = Searcher(workspace, encoder, ("en",))
                for mode in ("hybrid", "semantic"):
                    found = [
                        any(hit.path == f"{best[query]}.txt" for hit in results.hits)
                        for query in best
                        for results in [finder.search(plain(data.queries[query]), mode=mode, k=10)]  # type: ignore[arg-type]
                    ]
                    final = finder.search("word", k=1).final_share
                    print(f"{final:6.1%} encoded, {mode}: {sum(found) / len(found):.2f} in the first ten")
                workspace.encoding_order.take(workspace.connection)  # as if nobody had asked


def _update(workspace: Workspace, encoder: BiEncoder, draft: object, share: float, documents: int) -> None:
    """Encode until a share of the documents has vectors; what is in a window counts once it is whole."""
    encode._BETWEEN_QUESTIONS = wanted = max(1, round(share * documents))

    def hear(progress: Progress) -> None:
        if progress.note == "encoding" and share < 1 and progress.done > wanted:
            task.cancel()

    task = Task(hear)
    with suppress(Cancelled):
        workspace.update(encoder, draft=draft, task=task)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()

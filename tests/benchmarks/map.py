"""How many true neighbours the map keeps and how long it takes, beside umap-learn with its defaults.

Run by hand, on an idle machine:  python tests/benchmarks/map.py [--rows 20000] [--umap-python PATH]

Each side runs in its own process, from the vectors on, with its imports and whatever it compiles first; ours with
the neighbour graph. umap-learn is no part of the project: give a Python that has it, or install it in this one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from explorer.analysis.map.layout import layout, trust  # noqa: E402
from explorer.analysis.map.placement import place_new  # noqa: E402
from explorer.analysis.vectors.knn_graph import K, KnnGraph, build  # noqa: E402

TITLES = ROOT.parent / "shared" / "data" / "stackoverflow_short" / "title_StackOverflow.txt"
NEW = 0.05  # share of documents that come later

_UMAP = """
import sys
import numpy as np
import umap
vectors = np.load(sys.argv[1])
np.save(sys.argv[2], umap.UMAP().fit_transform(vectors))
"""
_OURS = """
import sys, time
import numpy as np
from explorer.analysis.vectors.knn_graph import build
from explorer.analysis.map.layout import layout
vectors = np.load(sys.argv[1])
start = time.perf_counter()
graph = build(vectors)
print(time.perf_counter() - start)
np.save(sys.argv[2], layout(graph, vectors).positions)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--vectors", type=Path, help="a .npy of unit vectors instead of the encoded titles")
    parser.add_argument("--umap-python", default=sys.executable, help="a Python with umap-learn")
    chosen = parser.parse_args()
    vectors, encoding = read(chosen)
    graph = build(vectors)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.npy"
        np.save(file, vectors)
        ours, took, told = run(sys.executable, _OURS, file)
        umap, umap_took, _ = run(chosen.umap_python, _UMAP, file)
    if ours is None:
        raise SystemExit(told)
    report: dict[str, Any] = {"rows": len(vectors), "seconds": took, "graph_seconds": round(float(told), 2)}
    if encoding:
        report |= {"encoding_seconds": encoding, "share_of_encoding": round(took / encoding, 3)}
    report["kept"] = kept(ours, graph)
    if umap is None:
        report["umap"] = "umap-learn is not installed in the Python given by --umap-python"
    else:
        report |= {"umap_seconds": umap_took, "umap_kept": kept(umap, graph)}
        report |= {"kept_to_umap": round(report["kept"] / report["umap_kept"], 2)}
        report |= {"time_to_umap": round(took / umap_took, 2)}
    print(json.dumps(report | forming(graph, vectors) | growing(graph, vectors), indent=2))


def read(chosen: argparse.Namespace) -> tuple[np.ndarray[Any, Any], float]:
    """The vectors, and the seconds that encoding them took; 0 where they were given."""
    if chosen.vectors:
        return np.load(chosen.vectors)[: chosen.rows].astype(np.float32), 0.0
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.files import catalog

    titles = TITLES.read_text(encoding="utf-8").splitlines()[: chosen.rows]
    encoder, start = BiEncoder.open(catalog.bundled()), time.perf_counter()
    vectors = encoder.encode(titles).whole()
    return np.asarray(vectors, np.float32), round(time.perf_counter() - start, 1)


def run(python: str, code: str, vectors: Path) -> tuple[np.ndarray[Any, Any] | None, float, str]:
    """The map that a new process draws, None if it could not; the seconds it took; what it printed."""
    out, start = vectors.with_name("map.npy"), time.perf_counter()
    out.unlink(missing_ok=True)
    ended = subprocess.run([python, "-c", code, vectors, out], cwd=ROOT, capture_output=True, text=True, check=False)
    took = round(time.perf_counter() - start, 1)
    return (np.load(out) if out.exists() else None), took, ended.stdout or ended.stderr


def forming(graph: KnnGraph, vectors: np.ndarray[Any, Any]) -> dict[str, Any]:
    """What is kept after how many seconds of drawing, the graph excluded and everything loaded."""
    seen: list[tuple[float, np.ndarray[Any, Any]]] = []
    start = time.perf_counter()
    layout(graph, vectors, on_picture=lambda picture, *_: seen.append((time.perf_counter() - start, picture)))
    told = [(round(at, 2), kept(picture, graph)) for at, picture in seen[:: max(1, len(seen) // 8)]]
    gaps = np.diff([at for at, _ in seen])
    return {"first_picture_s": round(seen[0][0], 2), "longest_wait_s": round(float(gaps.max()), 2), "forming": told}


def growing(graph: KnnGraph, vectors: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Draw the map without some documents, then add them: does an old point move, and how well do the new ones sit?"""
    new = np.zeros(len(vectors), bool)
    new[np.random.default_rng(0).permutation(len(vectors))[: int(NEW * len(vectors))]] = True
    old = layout(build(vectors[~new]), vectors[~new]).positions
    positions = np.full((len(vectors), 2), np.nan, np.float32)
    positions[~new] = old
    start = time.perf_counter()
    placed = place_new(graph, positions)
    took = time.perf_counter() - start
    rows = trust(placed, graph).rows
    return {
        "new": int(new.sum()),
        "old_points_moved": int((placed[~new] != old).any(axis=1).sum()),
        "placing_s": round(took, 3),
        "trust_old": round(float(rows[~new].mean()), 4),
        "trust_new": round(float(rows[new].mean()), 4),
    }


def kept(positions: np.ndarray[Any, Any], graph: KnnGraph) -> float:
    """The share of the true K nearest that are among the K nearest on the map."""
    return round(trust(np.asarray(positions, np.float32), graph.narrowed(K)).mean, 4)


if __name__ == "__main__":
    main()

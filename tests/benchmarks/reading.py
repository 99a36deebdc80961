"""How fast files are read, in this process and in reading processes: python tests/benchmarks/reading.py

For each format some hundred small files, and 20,000 small texts, are read both ways in turn, three rounds, in one run.
Prints files a second, and the medians of the ratios of the times and of the processor times: where other programs run
beside, the second is the one to trust. It counts the reading processes too, which a clock does not on two cores.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from explorer.corpus.document import ReadOptions
from explorer.corpus.readers import registry
from explorer.corpus.readers.process.pool import ReadRequest, shared_pool
from explorer.corpus.scan.diff import fingerprint
from explorer.task import Task
from tests.corpus.readers import foreign_files
from tests.corpus.readers.office import ole_files

TEXT = "The river froze in the cold winter, and the boats lay still until spring. 강이 얼었다. " * 12


def before(files: list[Path]) -> None:
    """As it was: hash the file, then read it again, all in this process."""
    for path in files:
        fingerprint(path)
        for _ in registry.read(path, ReadOptions(), Task()):
            pass


def after(files: list[Path]) -> None:
    """As it is: once, foreign formats in two processes."""
    requests = (ReadRequest(path, path.stat().st_size, ReadOptions()) for path in files)
    for reading in shared_pool().read_files(requests):
        for _ in reading.documents(Task()):
            pass


def seconds(work: Callable[[list[Path]], None], files: list[Path]) -> tuple[float, float]:
    """The time that the work takes, and the processor time of this process and its readers."""
    since, used = time.perf_counter(), processor_time()
    work(files)
    return time.perf_counter() - since, processor_time() - used


def processor_time() -> float:
    """Seconds; readers that have ended are in the children's."""
    own, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    total = own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime
    for process in shared_pool().processes():
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def made(folder: Path, suffix: str, data: bytes, count: int) -> list[Path]:
    place = folder / suffix.strip(".")
    place.mkdir()
    paths = [place / f"{number}{suffix}" for number in range(count)]
    for path in paths:
        path.write_bytes(data)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    contents = {suffix: make()[0] for suffix, (_, make) in foreign_files.BY_LIBRARIES.items()}
    contents |= {".html": f"<p>{TEXT}</p>".encode(), ".csv": f"title,text\na,{TEXT}\nb,{TEXT}\n".encode()}
    contents |= {".doc": ole_files.doc(TEXT), ".hwp": ole_files.hwp(TEXT)}
    print("| format | files | a second in this process | a second now | time | processor time |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        cases = {".txt": made(Path(name), ".txt", TEXT.encode(), chosen.texts)}
        cases |= {suffix: made(Path(name), suffix, data, chosen.files) for suffix, data in contents.items()}
        for suffix, files in cases.items():
            before(files[:3]), after(files[:3])  # imports, and the processes
            rounds = [(seconds(before, files), seconds(after, files)) for _ in range(chosen.rounds)]
            old, new = (statistics.median(times[side][0] for times in rounds) for side in (0, 1))
            ratios = [statistics.median(new[kind] / old[kind] for old, new in rounds) for kind in (0, 1)]
            figures = f"{len(files) / old:,.0f} | {len(files) / new:,.0f} | {ratios[0]:.2f} | {ratios[1]:.2f}"
            print(f"| {suffix} | {len(files)} | {figures} |", flush=True)


if __name__ == "__main__":
    main()

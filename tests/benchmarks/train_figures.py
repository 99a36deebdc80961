"""The figures of fine-tuning: every recipe of tests/benchmarks/recipes run on public data, and their table.

Run by hand:  python tests/benchmarks/train_figures.py --work FOLDER [--data FOLDER] [--only NAME ...] [--print]
Each recipe is run as `python -m explorer train --recipe tests/benchmarks/recipes/NAME.json --data FOLDER/data`; a run
that was stopped goes on, one that is finished is not repeated. `--print` only prints the table of what is there.
Last, the cross-encoder of STSb is compared with the bi-encoder that was made of the same base and data.

The data sets are laid out in FOLDER/data first: copies under plain names; pairs of English and Korean sentences out of
the rows of STSb and KorSTS, which are translations of each other; triplets of Stack Overflow titles, two of one tag
and one of another, no title in two of them.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECIPES = Path(__file__).resolve().parent / "recipes"
HELD_OUT = {
    "stsb": "STSb test",
    "sick": "15 % of SICK",
    "stackoverflow": "1,500 triplets",
    "stsb-cross": "STSb test",
    "korsts-1": "KorSTS dev",  # on which the number of examples of the second was chosen, from two
    "korsts-2": "KorSTS dev",
}
COPIES = {
    "stsb/train.csv": "stsb_en/stsb-en-train.csv",
    "stsb/dev.csv": "stsb_en/stsb-en-dev.csv",
    "stsb/test.csv": "stsb_en/stsb-en-test.csv",
    "sick/train.txt": "sick/SICK_train.txt",
    "sick/trial.txt": "sick/SICK_trial.txt",
    "korsts/train.tsv": "korsts/sts-train.tsv",
    "korsts/dev.tsv": "korsts/sts-dev.tsv",
}
BESIDE = ("stsb", "stsb-cross")
BESIDE_FILE = "beside.json"
TRIPLETS = {"train": 3000, "dev": 500, "test": 1500}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="+", default=list(HELD_OUT))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--print", action="store_true", dest="only_print")
    chosen = parser.parse_args()
    if not chosen.only_print:
        lay_out(chosen.data, chosen.work / "data")
        for name in chosen.only:
            run(name, chosen.work, chosen.threads)
        beside(chosen.work, chosen.threads)
    print_table(chosen.work)


def lay_out(source: Path, target: Path) -> None:
    for name, original in COPIES.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / original, target / name)
    (target / "news").mkdir(exist_ok=True)
    with (source / "ag_news" / "test.csv").open(encoding="utf-8", newline="") as file:
        news = [" ".join(row[2].split()) for row in csv.reader(file)]
    (target / "news" / "texts.txt").write_text("\n".join(news) + "\n", encoding="utf-8")
    parallel(source, target / "korsts" / "parallel.tsv")
    triplets(source / "stackoverflow_short", target / "stackoverflow")


def parallel(source: Path, file: Path) -> None:
    with (source / "stsb_en" / "stsb-en-train.csv").open(encoding="utf-8", newline="") as rows:
        english = [row[:2] for row in csv.reader(rows)]
    lines = (source / "korsts" / "sts-train.tsv").read_text(encoding="utf-8").split("\n")[1:]
    korean = [line.split("\t")[5:7] for line in lines if line.strip()]
    pairs = dict.fromkeys(
        (" ".join(one.split()), " ".join(other.split()))
        for row in zip(english, korean, strict=True)
        for one, other in zip(*row, strict=True)
    )
    text = "".join(f"{one}\t{other}\n" for one, other in pairs)
    file.write_text("english\tkorean\n" + text, encoding="utf-8")


def triplets(source: Path, folder: Path) -> None:
    chance = random.Random(0)
    titles = (source / "title_StackOverflow.txt").read_text(encoding="utf-8").splitlines()
    tags = (source / "label_StackOverflow.txt").read_text(encoding="utf-8").split()
    by_tag: defaultdict[str, list[str]] = defaultdict(list)
    for title, tag in dict(zip(titles, tags, strict=True)).items():
        by_tag[tag].append(title)
    for each in by_tag.values():
        chance.shuffle(each)
    folder.mkdir(exist_ok=True)
    for use, count in TRIPLETS.items():
        with (folder / f"{use}.jsonl").open("w", encoding="utf-8") as out:
            for _ in range(count):
                tag, other = chance.sample(sorted(by_tag), 2)
                names = ("anchor", "positive", "negative")
                texts = (by_tag[tag].pop(), by_tag[tag].pop(), by_tag[other].pop())
                out.write(json.dumps(dict(zip(names, texts, strict=True)), ensure_ascii=False) + "\n")


def run(name: str, work: Path, threads: int | None) -> None:
    home = work / "home"
    if (home / "data" / "models" / name / "measures.json").is_file():
        return
    command = [sys.executable, "-m", "explorer", "train", "--recipe", str(RECIPES / f"{name}.json")]
    command += ["--data", str(work / "data"), "--out", str(home / "data" / "models" / name)]
    command += ["--threads", str(threads)] if threads else []
    print(" ".join(command), flush=True)
    subprocess.run(
        command, check=True, cwd=ROOT, env=os.environ | {"DOCEXPLORER_HOME": str(home), "PYTHONPATH": str(ROOT)}
    )


def beside(work: Path, threads: int | None) -> None:
    """Measure the two models of STSb on the same test pairs."""
    models = [work / "home" / "data" / "models" / name for name in BESIDE]
    if (work / BESIDE_FILE).is_file() or not all((model / "measures.json").is_file() for model in models):
        return
    sys.path.insert(0, str(ROOT))
    from explorer.models.bi_encoder import BiEncoder
    from explorer.models.cross_encoder import CrossEncoder
    from explorer.models.runtime.device import choose
    from explorer.training.data.examples import read_examples
    from explorer.training.measure.compare_models import compare_models

    device = choose("cpu", threads=threads, precision="float32")
    bi, cross = BiEncoder.open(models[0], device), CrossEncoder.open(models[1], device)
    found = compare_models(bi, cross, read_examples(work / "data" / "stsb" / "test.csv"))
    told = json.dumps(found.as_dict()["rows"][0], indent=1)
    (work / BESIDE_FILE).write_text(told + "\n", encoding="utf-8")


def print_table(work: Path) -> None:
    print("| recipe | objective | examples | measure | before | after | difference | general ability kept |")
    print("|---|---|---|---|---|---|---|---|")
    for name in HELD_OUT:
        file = work / "home" / "data" / "models" / name / "measures.json"
        if file.is_file():
            print(row(name, json.loads(file.read_text(encoding="utf-8"))))
    if (work / BESIDE_FILE).is_file():
        found = json.loads((work / BESIDE_FILE).read_text(encoding="utf-8"))
        values = ", ".join(f"{key} {spread(found[key])}" for key in ("before", "after", "difference"))
        print(f"\n{BESIDE[1]} (after) beside {BESIDE[0]} (before), {found['measure']} on test: {values}")


def row(name: str, found: dict[str, Any]) -> str:
    recipe = json.loads((RECIPES / f"{name}.json").read_text(encoding="utf-8"))
    compared = found["comparison"]
    share = compared["share_kept"]
    kept = f"{share['value']:.1%} ({share['low']:.1%} to {share['high']:.1%})" if share else ""
    best = compared["rows"][0]
    measures = [
        f"{best['measure']}, {HELD_OUT[name]}",
        *(spread(best[key]) for key in ("before", "after", "difference")),
    ]
    count = min(found["counts"]["train"]["all"], recipe.get("max_examples", sys.maxsize))
    return "| " + " | ".join([name, recipe["objective"], f"{count:,}", *measures, kept]) + " |"


def spread(value: dict[str, float]) -> str:
    return f"{100 * value['value']:.1f} ({100 * value['low']:.1f} to {100 * value['high']:.1f})"


if __name__ == "__main__":
    main()
